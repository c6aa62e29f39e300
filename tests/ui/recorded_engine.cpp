#include "tests/ui/recorded_engine.h"

#include <QFile>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTimer>
#include <algorithm>
#include <climits>
#include <set>
#include <utility>

namespace yard::test {

namespace {

/// Bytes that are JSON or text as such, others in base64.
QJsonObject jsonOf(const ui::Answer& answer) {
    QJsonObject json{{"status", answer.status}};
    if (!answer.json.isEmpty())
        json.insert("json", answer.json);
    else if (!answer.bytes.isEmpty())
        json.insert("base64", QString::fromLatin1(answer.bytes.toBase64()));
    if (!answer.error.isEmpty()) json.insert("error", answer.error);
    if (!answer.message.isEmpty()) json.insert("message", answer.message);
    return json;
}

ui::Answer answerOf(const QJsonObject& json) {
    ui::Answer answer;
    answer.status = json.value("status").toInt();
    answer.json = json.value("json").toObject();
    answer.bytes = json.contains("json") ? QJsonDocument(answer.json).toJson(QJsonDocument::Compact)
                                         : QByteArray::fromBase64(json.value("base64").toString().toLatin1());
    answer.error = json.value("error").toString();
    answer.message = json.value("message").toString();
    return answer;
}

QStringList parametersOf(const QString& key) {
    return key.section('?', 1).split('&', Qt::SkipEmptyParts);
}

/// Without times and other long numbers.
QString timeless(QString key) {
    static const QRegularExpression numbers("\\d{10,}");
    return key.replace(numbers, "#");
}

/// The same parameters count, each that one has alone counts against it.
int likeOf(const QString& one, const QString& other) {
    const QStringList a = parametersOf(one);
    const QStringList b = parametersOf(other);
    const auto names = [](const QStringList& all) {
        QStringList found;
        for (const QString& each : all) found << each.section('=', 0, 0);
        return found;
    };
    int like = 1'000;
    for (const QString& each : a) like += b.contains(each) ? 3 : 0;
    for (const QString& each : names(a)) like += names(b).contains(each) ? 1 : -5;
    for (const QString& each : names(b)) like += names(a).contains(each) ? 0 : -5;
    return like;
}

} // namespace

std::optional<Recording> Recording::load(const QString& file) {
    QFile from(file);
    if (!from.open(QIODevice::ReadOnly)) return std::nullopt;
    const QJsonObject all = QJsonDocument::fromJson(from.readAll()).object();
    if (all.isEmpty()) return std::nullopt;
    Recording recording;
    recording.nowMs = all.value("now_ms").toInteger();
    recording.batches_ = all.value("batches").toArray();
    const QJsonObject things = all.value("things").toObject();
    for (auto it = things.begin(); it != things.end(); ++it) recording.things[it.key()] = it.value().toInteger();
    for (const QJsonValue each : all.value("answers").toArray())
        recording.noteKey(each["of"].toString(), answerOf(each.toObject()));
    return recording;
}

bool Recording::save(const QString& file, const std::map<QString, QString>& where) const {
    std::set<QString> kinds;
    QJsonArray answers;
    for (auto noted = answers_.rbegin(); noted != answers_.rend(); ++noted) {
        if (!kinds.insert(timeless(noted->key)).second) continue;
        QJsonObject json = jsonOf(noted->answer);
        json.insert("of", noted->key);
        answers.prepend(json);
    }
    QJsonObject named;
    for (const auto& [name, number] : things) named.insert(name, number);
    QString text = QString::fromUtf8(
        QJsonDocument(
            QJsonObject{{"now_ms", nowMs}, {"things", named}, {"batches", batches_}, {"answers", answers}})
            .toJson(QJsonDocument::Compact));
    for (const auto& [here, there] : where)
        if (!here.isEmpty()) text.replace(here, there);
    text.replace("},{", "},\n{"); // lines, for who looks at what changed
    QFile to(file);
    return to.open(QIODevice::WriteOnly) && to.write(text.toUtf8()) == text.toUtf8().size();
}

QString Recording::keyOf(const ui::Request& request) {
    return QString::fromLatin1(request.method) + ' ' + request.path + '?' +
           request.query.toString(QUrl::FullyEncoded) + (request.body.isEmpty() ? "" : " ") +
           QString::fromUtf8(request.body);
}

void Recording::noteKey(const QString& key, const ui::Answer& answer) {
    std::erase_if(answers_, [&](const Noted& noted) { return noted.key == key; });
    answers_.push_back({key, answer});
}

void Recording::note(const ui::Request& request, const ui::Answer& answer) {
    noteKey(keyOf(request), answer);
}

ui::Answer Recording::answerTo(const ui::Request& request) const {
    const QString key = keyOf(request);
    const Noted* nearest = nullptr;
    int best = -1;
    for (const Noted& noted : answers_) {
        if (noted.key.section('?', 0, 0) != key.section('?', 0, 0)) continue;
        const int like = noted.key == key ? INT_MAX : likeOf(noted.key, key);
        if (like >= best) {
            best = like;
            nearest = &noted;
        }
    }
    if (nearest != nullptr) return nearest->answer;
    return {404, {}, {}, QStringLiteral("not_found"), QStringLiteral("Nobody asked for this then.")};
}

RecordingLink::RecordingLink(const QUrl& address, const QByteArray& token, Recording& recording)
    : inner_(address, token)
    , recording_(recording) {
    connect(&inner_, &ui::EngineLink::stateChanged, this, [this] { setState(inner_.state()); });
    connect(&inner_, &ui::EngineLink::refreshed, this, &ui::EngineLink::refreshed);
    connect(&inner_, &ui::EngineLink::batch, this, [this](const QJsonObject& frame) {
        recording_.noteBatch(frame);
        emit batch(frame);
    });
}

void RecordingLink::send(const ui::Request& request, QObject* context, Done done) {
    inner_.send(request, context, [this, request, done = std::move(done)](const ui::Answer& answer) {
        recording_.note(request, answer);
        done(answer);
    });
}

std::unique_ptr<QObject> RecordingLink::stream(const ui::Request& request,
                                               std::function<void(const QByteArray&)> piece, Done done) {
    const auto all = std::make_shared<QByteArray>();
    const auto take = [this, request, all, piece = std::move(piece)](const QByteArray& bytes) {
        *all += bytes;
        recording_.note(request, {200, *all, {}, {}, {}});
        piece(bytes);
    };
    return inner_.stream(request, take, std::move(done));
}

RecordedLink::RecordedLink(const Recording& recording)
    : recording_(recording) {
    QTimer::singleShot(0, this, [this] {
        setState(ui::LinkState::Connected);
        emit refreshed();
        for (const QJsonValue frame : recording_.batches()) emit batch(frame.toObject());
    });
}

void RecordedLink::send(const ui::Request& request, QObject* context, Done done) {
    QTimer::singleShot(0, context,
                       [answer = recording_.answerTo(request), done = std::move(done)] { done(answer); });
}

std::unique_ptr<QObject> RecordedLink::stream(const ui::Request& request,
                                              std::function<void(const QByteArray&)> piece, Done done) {
    auto life = std::make_unique<QObject>();
    QTimer::singleShot(0, life.get(),
                       [answer = recording_.answerTo(request), piece = std::move(piece), done = std::move(done)] {
                           if (answer.ok() && !answer.bytes.isEmpty()) piece(answer.bytes);
                           ui::Answer end = answer;
                           end.bytes.clear();
                           done(end);
                       });
    return life;
}

} // namespace yard::test
