#include "ui/state/example_run.h"

#include <QJsonDocument>
#include <QTemporaryFile>
#include <QTimer>
#include <utility>

namespace yard::ui {

void ExampleRun::load(EngineLink& link, QObject* context, Done done) {
    begin(link, example::Course::loading(), context, std::move(done));
}

void ExampleRun::remove(EngineLink& link, QObject* context, Done done) {
    begin(link, example::Course::removing(), context, std::move(done));
}

/// Two at once would both find nothing, and load it twice.
void ExampleRun::begin(EngineLink& link, example::Course course, QObject* context, Done done) {
    if (link.findChild<ExampleRun*>(QString(), Qt::FindDirectChildrenOnly) != nullptr) {
        QTimer::singleShot(0, context, [done = std::move(done)] {
            done(tr("The example is being loaded or removed: wait until that has ended."), true);
        });
        return;
    }
    (new ExampleRun(link, std::move(course), context, std::move(done)))->next();
}

ExampleRun::ExampleRun(EngineLink& link, example::Course course, QObject* context, Done done)
    : QObject(&link)
    , link_(link)
    , course_(std::move(course))
    , context_(context)
    , done_(std::move(done)) {}

void ExampleRun::next() {
    if (const example::Request* request = course_.request()) {
        QTimer::singleShot(request->pause, this, &ExampleRun::send);
        return;
    }
    setParent(nullptr); // the next one may begin
    deleteLater();
    if (context_.isNull()) return;
    const auto report = course_.result();
    if (report)
        done_(sentenceOf(*report), false);
    else
        done_(QString::fromStdString(report.error().message), true);
}

void ExampleRun::send() {
    const example::Request& request = *course_.request();
    if (request.isChunk) return sendChunk();
    const QString path = QString::fromStdString(request.path);
    link_.send({QByteArray::fromStdString(request.method),
                path.section('?', 0, 0),
                QUrlQuery(path.section('?', 1)),
                QByteArray::fromStdString(request.body),
                {}},
               this, [this](const Answer& answer) { take(answer); });
}

/// A link sends bytes from a file.
void ExampleRun::sendChunk() {
    const example::Request& request = *course_.request();
    auto* file = new QTemporaryFile(this);
    const auto size = static_cast<qint64>(request.body.size());
    if (!file->open() || file->write(request.body.data(), size) != size || !file->flush())
        return take({0, {}, {}, {}, tr("No temporary file can be written: %1.").arg(file->errorString())});
    link_.sendFile({"PUT", QString::fromStdString(request.path), {}, {}, {}}, file->fileName(), this,
                   [this, file](const Answer& answer) {
                       delete file;
                       take(answer);
                   });
}

void ExampleRun::take(const Answer& answer) {
    if (answer.status == 0) {
        course_.answer({0, answer.message.toStdString()});
    } else {
        const QJsonObject said = answer.ok() ? answer.json : QJsonObject{{"message", answer.message}};
        course_.answer({answer.status, QJsonDocument(said).toJson(QJsonDocument::Compact).toStdString()});
    }
    next();
}

QString ExampleRun::sentenceOf(const example::Report& report) {
    using enum example::Report::Outcome;
    switch (report.outcome) {
    case Loaded: return tr("The example is there: %n action(s).", nullptr, static_cast<int>(report.actions));
    case ThereAlready: return tr("The example is there already.");
    case NotThere: return tr("There is no example to remove.");
    case Removed: break;
    }
    QString text = tr("The example is gone, with %n action(s).", nullptr, static_cast<int>(report.actions));
    if (report.keptQueues > 0)
        text += ' ' + tr("%n of its queues stay(s): there is other work.", nullptr, report.keptQueues);
    if (report.hasKeptWorker) text += ' ' + tr("Its worker stays: other work waits for it.");
    return text;
}

} // namespace yard::ui
