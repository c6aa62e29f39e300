#include "ui/state/chunk_upload.h"

#include "core/model/worker_package.h"

#include <QJsonArray>
#include <QPointer>
#include <QThreadPool>

#include <memory>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kMostRounds = 5;

/// One operation on its way; deletes itself when it has been answered.
class Upload final : public QObject {
public:
    Upload(Commands& commands, Operation operation, QHash<QString, QString> files, QObject* context,
           EngineLink::Done done)
        : QObject(&commands)
        , commands_(commands)
        , operation_(std::move(operation))
        , files_(std::move(files))
        , context_(context)
        , done_(std::move(done)) {}

    void run() {
        commands_.run(operation_, this, [this](const Answer& answer) {
            if (answer.error != "need" || ++rounds_ >= kMostRounds) return end(answer);
            need_ = answer.json.value("need").toArray();
            sendNext(answer);
        });
    }

private:
    void sendNext(const Answer& wanted) {
        if (need_.isEmpty()) return run();
        if (!context_) return deleteLater();
        const QString hash = need_.takeAt(0).toString();
        const auto file = files_.constFind(hash);
        if (file == files_.constEnd()) {
            Answer answer = wanted;
            answer.message = QObject::tr("The engine lacks %1… and none of the files named here has this content.")
                                 .arg(hash.left(12));
            return end(answer);
        }
        commands_.link().sendFile(
            {"PUT", "chunks/" + hash, {}, {}}, *file, this, [this, wanted, name = *file](const Answer& sent) {
                if (sent.ok()) return sendNext(wanted);
                Answer answer = sent;
                answer.message = QObject::tr("%1 could not be sent: %2").arg(name, sent.message);
                end(answer);
            });
    }

    void end(const Answer& answer) {
        if (context_) done_(answer);
        deleteLater();
    }

    Commands& commands_;
    Operation operation_;
    QHash<QString, QString> files_;
    QPointer<QObject> context_;
    EngineLink::Done done_;
    QJsonArray need_;
    int rounds_ = 0;
};

} // namespace

void runWithChunks(Commands& commands, const Operation& operation, const QHash<QString, QString>& files,
                   QObject* context, EngineLink::Done done) {
    (new Upload(commands, operation, files, context, std::move(done)))->run();
}

HashedFile hashedFile(const QString& path) {
    const auto hash = hashFile(path.toStdString());
    if (!hash) return {path, {}, 0, QString::fromStdString(hash.error().message)};
    return {path, QString::fromStdString(hash->hash.hex()), static_cast<qint64>(hash->size), {}};
}

void startInBackground(std::function<void()> work) {
    QThreadPool::globalInstance()->start(std::move(work));
}

} // namespace yard::ui
