#include "ui/bridge/operation.h"

#include "core/base/clock.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>

#include <algorithm>
#include <map>
#include <utility>

namespace yard::ui {

namespace {

/// With "%n" and the plural of the language. What is not counted yet has no title that anybody sees.
QString operationCounted(const char* text, std::optional<qint64> known) {
    const qint64 count = known.value_or(0);
    return QCoreApplication::translate("Operation", text, nullptr,
                                       static_cast<int>(std::min<qint64>(count, 1 << 30)))
        .replace(QString::number(count), QLocale().toString(count));
}

QString plain(const char* text) {
    return QCoreApplication::translate("Operation", text);
}

Request post(const QString& path, const QJsonObject& body = {}) {
    return {"POST", path, {}, body.isEmpty() ? QByteArray() : jsonBody(body)};
}

QString numbersOf(const Target& target) {
    QString text;
    for (const qint64 lsn : target.lsns) text += ' ' + QString::number(lsn);
    return text;
}

QJsonObject bodyOf(const Target& target) {
    if (target.lsns.empty()) return {{"filter", target.filter}};
    QJsonArray lsns;
    for (const qint64 lsn : target.lsns) lsns.append(lsn);
    return {{"lsns", lsns}};
}

/// yardctl takes numbers, or "--filter TEXT".
QString commandFor(const QString& verb, const Target& target) {
    return "yardctl " + verb + (target.lsns.empty() ? " --filter " + shellWord(target.filter) : numbersOf(target));
}

Operation onActions(const char* title, const QString& verb, const Target& target, QJsonObject extra = {}) {
    QJsonObject body = bodyOf(target);
    for (auto it = extra.begin(); it != extra.end(); ++it) body.insert(it.key(), it.value());
    return {operationCounted(title, target.count), post("jobs/" + verb, body), commandFor(verb, target)};
}

QString wordFor(Mark mark) {
    const std::string_view word = name(mark);
    return QString::fromLatin1(word.data(), static_cast<qsizetype>(word.size()));
}

Operation onQueue(const char* title, const QString& verb, qint64 queue, const QString& name) {
    return {plain(title).arg(name), post(QStringLiteral("queues/%1/%2").arg(queue).arg(verb)),
            QStringLiteral("yardctl queue %1 %2").arg(verb).arg(queue)};
}

QJsonValue jsonOf(Mark mark) {
    return mark == Mark::None ? QJsonValue(QJsonValue::Null) : QJsonValue(wordFor(mark));
}

Operation onSession(const char* title, const QString& path, const QString& yardctl) {
    return {plain(title), post(path), yardctl};
}

} // namespace

QByteArray jsonBody(const QJsonObject& object) {
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

std::vector<Request> piecesOf(const Request& request) {
    QJsonObject body = QJsonDocument::fromJson(request.body).object();
    const QJsonArray all = body.value("lsns").toArray();
    if (all.size() <= kMostInOneRequest) return {request};
    std::vector<Request> pieces;
    for (qsizetype at = 0; at < all.size(); at += kMostInOneRequest) {
        QJsonArray part;
        for (qsizetype i = at; i < std::min(at + kMostInOneRequest, all.size()); ++i) part.append(all.at(i));
        body.insert("lsns", part);
        pieces.push_back(request);
        pieces.back().body = jsonBody(body);
    }
    return pieces;
}

Answer joined(const Answer& before, const Answer& next) {
    Answer all = next;
    for (const char* number : {"changed", "count", "revived"})
        if (before.json.contains(QLatin1String(number)))
            all.json.insert(QLatin1String(number), before.json.value(QLatin1String(number)).toInteger() +
                                                       next.json.value(QLatin1String(number)).toInteger());
    QJsonArray refused = before.json.value("refused").toArray();
    for (const QJsonValue one : next.json.value("refused").toArray()) refused.append(one);
    if (!refused.isEmpty()) all.json.insert("refused", refused);
    return all;
}

Target Target::of(std::vector<qint64> lsns) {
    const auto count = static_cast<qint64>(lsns.size());
    return {std::move(lsns), {}, count};
}

Target Target::matching(const QString& filter, std::optional<qint64> count) {
    // The engine refuses an empty filter: whoever means every action says so.
    return {{}, filter.trimmed().isEmpty() ? QStringLiteral("lsn>0") : filter, count};
}

namespace operations {

Operation look(const Target& target) {
    if (target.lsns.size() == 1)
        return {plain(QT_TRANSLATE_NOOP("Operation", "Show the action")),
                {"GET", QStringLiteral("jobs/%1").arg(target.lsns.front()), {}, {}, {}},
                "yardctl show" + numbersOf(target)};
    QString filter = target.filter;
    if (!target.lsns.empty()) filter = "lsn:" + numbersOf(target).trimmed().replace(' ', ',');
    Request request{"GET", "jobs", {}, {}, {}};
    if (!filter.isEmpty()) request.query.addQueryItem("q", QUrl::toPercentEncoding(filter));
    // A filter that begins with a term that is negated is no option.
    const QString dashes = filter.startsWith('-') ? QStringLiteral(" --") : QString();
    return {plain(QT_TRANSLATE_NOOP("Operation", "List actions")), request,
            "yardctl ls" + dashes + (filter.isEmpty() ? QString() : ' ' + shellWord(filter))};
}

Operation searchOutputs(const Target& target, const QString& text, bool exactCase) {
    Request request{"GET", "jobs/search", {}, {}, {}};
    request.query.addQueryItem("text", QUrl::toPercentEncoding(text));
    if (exactCase) request.query.addQueryItem("case", "1");
    const QString numbers = numbersOf(target).trimmed();
    if (!numbers.isEmpty())
        request.query.addQueryItem("lsn", QString(numbers).replace(' ', ','));
    else if (!target.filter.isEmpty())
        request.query.addQueryItem("q", QUrl::toPercentEncoding(target.filter));
    QString line = QStringLiteral("yardctl search") + (exactCase ? " --case" : "") +
                   (text.startsWith('-') ? " -- " : " ") + shellWord(text);
    if (!numbers.isEmpty())
        line += ' ' + numbers;
    else if (!target.filter.isEmpty())
        line += ' ' + shellWord(target.filter);
    return {plain(QT_TRANSLATE_NOOP("Operation", "Search in output")), request, line};
}

Operation reschedule(const Target& target) {
    Operation operation =
        onActions(QT_TRANSLATE_N_NOOP("Operation", "Reschedule %n action(s)"), "retry", target, {{"force", true}});
    operation.yardctl.replace("yardctl retry", "yardctl retry --force");
    return operation;
}

Operation cancel(const Target& target) {
    return onActions(QT_TRANSLATE_N_NOOP("Operation", "Cancel %n action(s)"), "cancel", target);
}

Operation retire(const Target& target) {
    return onActions(QT_TRANSLATE_N_NOOP("Operation", "Retire %n action(s)"), "retire", target);
}

Operation hold(const Target& target) {
    return onActions(QT_TRANSLATE_N_NOOP("Operation", "Hold %n action(s)"), "hold", target);
}

Operation release(const Target& target) {
    return onActions(QT_TRANSLATE_N_NOOP("Operation", "Release %n action(s)"), "release", target);
}

Operation setPriority(const Target& target, int priority) {
    QJsonObject body = bodyOf(target);
    body.insert("set", QJsonObject{{"priority", priority}});
    return {operationCounted(QT_TRANSLATE_N_NOOP("Operation", "Set priority of %n action(s)"), target.count),
            {"PATCH", "jobs", {}, jsonBody(body)},
            {}};
}

Operation mark(const Target& target, Mark mark) {
    QJsonObject body = bodyOf(target);
    body.insert("set", QJsonObject{{"mark", jsonOf(mark)}});
    const char* title = mark == Mark::None ? QT_TRANSLATE_N_NOOP("Operation", "Take the mark from %n action(s)")
                                           : QT_TRANSLATE_N_NOOP("Operation", "Mark %n action(s)");
    return {operationCounted(title, target.count),
            {"PATCH", "jobs", {}, jsonBody(body)},
            commandFor("mark " + wordFor(mark), target)};
}

Operation comment(qint64 lsn, const QString& text) {
    return {plain(QT_TRANSLATE_NOOP("Operation", "Comment on action %1")).arg(lsn),
            post(QStringLiteral("jobs/%1/comments").arg(lsn), {{"text", text}}),
            QStringLiteral("yardctl comment %1 ").arg(lsn) + shellWord(text)};
}

Operation lookAtFailures(const QString& filter, int hours, const QString& group) {
    Request request{"GET", "failures", {}, {}, {}};
    QString line = "yardctl failures";
    if (hours > 0) {
        constexpr qint64 kHour = 3'600'000'000;
        request.query.addQueryItem("since", QString::number(wallNow() - hours * kHour));
        line += QStringLiteral(" --since -%1h").arg(hours);
    }
    if (!group.isEmpty()) {
        request.query.addQueryItem("group", group);
        line += " --show " + shellWord(group);
    }
    if (!filter.isEmpty()) {
        request.query.addQueryItem("q", QUrl::toPercentEncoding(filter));
        line += (filter.startsWith('-') ? QStringLiteral(" -- ") : QStringLiteral(" ")) + shellWord(filter);
    }
    return {plain(QT_TRANSLATE_NOOP("Operation", "Show failures")), request, line};
}

Operation muteFailures(const QString& group, qint64 until) {
    const QString line = "yardctl failures ";
    const Request request = post("failures/mute", {{"group", group}, {"until", until}});
    if (until == 0)
        return {plain(QT_TRANSLATE_NOOP("Operation", "Unmute failures")), request,
                line + "--unmute " + shellWord(group)};
    const QString time = QDateTime::fromMSecsSinceEpoch(until / 1'000).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
    return {plain(QT_TRANSLATE_NOOP("Operation", "Mute failures")), request,
            line + "--mute " + shellWord(group) + " --until " + shellWord(time)};
}

Operation markQueue(qint64 queue, const QString& name, Mark mark) {
    const char* title = mark == Mark::None ? QT_TRANSLATE_NOOP("Operation", "Take the mark from %1")
                                           : QT_TRANSLATE_NOOP("Operation", "Mark %1");
    return {plain(title).arg(name),
            {"PATCH", QStringLiteral("queues/%1").arg(queue), {}, jsonBody({{"mark", jsonOf(mark)}})},
            QStringLiteral("yardctl queue mark %1 %2").arg(wordFor(mark)).arg(queue)};
}

Operation commentQueue(qint64 queue, const QString& name, const QString& text) {
    return {plain(QT_TRANSLATE_NOOP("Operation", "Comment on %1")).arg(name),
            post(QStringLiteral("queues/%1/comments").arg(queue), {{"text", text}}),
            QStringLiteral("yardctl comment --queue %1 ").arg(queue) + shellWord(text)};
}

Operation moveTo(const Target& target, qint64 queue, const QString& name) {
    QJsonObject body = bodyOf(target);
    body.insert("set", QJsonObject{{"queue", queue}});
    return {operationCounted(QT_TRANSLATE_N_NOOP("Operation", "Move %n action(s) to %1"), target.count).arg(name),
            {"PATCH", "jobs", {}, jsonBody(body)},
            {}};
}

Operation place(const Target& target, const QString& where, qint64 before) {
    QJsonObject body = bodyOf(target);
    body.insert("to", where.isEmpty() ? QJsonValue(QJsonObject{{"before", before}}) : QJsonValue(where));
    static const std::map<QString, const char*> kTitles{
        {"top", QT_TRANSLATE_N_NOOP("Operation", "Move %n action(s) to the top")},
        {"up", QT_TRANSLATE_N_NOOP("Operation", "Move %n action(s) up")},
        {"down", QT_TRANSLATE_N_NOOP("Operation", "Move %n action(s) down")},
        {"bottom", QT_TRANSLATE_N_NOOP("Operation", "Move %n action(s) to the bottom")},
        {"", QT_TRANSLATE_N_NOOP("Operation", "Move %n action(s) before another one")}};
    return {operationCounted(kTitles.at(where), target.count), post("jobs/move", body),
            commandFor("move", target) + ' ' + (where.isEmpty() ? QStringLiteral("before %1").arg(before) : where)};
}

Operation lookAtQueue(qint64 queue) {
    return {plain(QT_TRANSLATE_NOOP("Operation", "Show the queue")),
            {"GET", QStringLiteral("queues/%1").arg(queue), {}, {}, {}},
            QStringLiteral("yardctl queue show %1").arg(queue)};
}

Operation holdQueue(qint64 queue, const QString& name) {
    return onQueue(QT_TRANSLATE_NOOP("Operation", "Hold %1"), "hold", queue, name);
}
Operation releaseQueue(qint64 queue, const QString& name) {
    return onQueue(QT_TRANSLATE_NOOP("Operation", "Release %1"), "release", queue, name);
}
Operation drainQueue(qint64 queue, const QString& name) {
    return onQueue(QT_TRANSLATE_NOOP("Operation", "Drain %1"), "drain", queue, name);
}

Operation cancelQueue(qint64 queue, const QString& name, qint64 active) {
    return {operationCounted(QT_TRANSLATE_N_NOOP("Operation", "Cancel %n action(s) in %1"), active).arg(name),
            post(QStringLiteral("queues/%1/cancel").arg(queue)),
            QStringLiteral("yardctl queue cancel %1").arg(queue)};
}

Operation deleteQueue(qint64 queue, const QString& name) {
    return {plain(QT_TRANSLATE_NOOP("Operation", "Delete %1")).arg(name),
            {"DELETE", QStringLiteral("queues/%1").arg(queue), {}, {}},
            QStringLiteral("yardctl queue delete %1").arg(queue)};
}

Operation createQueue(const QString& tag, const QJsonObject& config) {
    QJsonObject body;
    if (!tag.isEmpty()) body.insert("tag", tag);
    if (!config.isEmpty()) body.insert("config", config);
    return {plain(QT_TRANSLATE_NOOP("Operation", "Create queue %1")).arg(tag), post("queues", body),
            "yardctl queue create" + (tag.isEmpty() ? QString() : " --tag " + shellWord(tag))};
}

Operation configureQueue(qint64 queue, const QString& name, const QJsonObject& config) {
    QString line = QStringLiteral("yardctl queue set %1").arg(queue);
    for (auto it = config.begin(); it != config.end(); ++it) {
        const QJsonValue value = it.value();
        const QString text = value.isObject() ? QString::fromUtf8(jsonBody(value.toObject()))
                             : value.isArray()
                                 ? QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact))
                                 : value.toVariant().toString();
        line += ' ' + shellWord(it.key() + '=' + text);
    }
    return {plain(QT_TRANSLATE_NOOP("Operation", "Change settings of %1")).arg(name),
            {"PATCH", QStringLiteral("queues/%1").arg(queue), {}, jsonBody({{"config", config}})},
            line};
}

Operation holdAll() {
    return onSession(QT_TRANSLATE_NOOP("Operation", "Pause: hold every queue"), "hold", "yardctl hold --all");
}
Operation releaseAll() {
    return onSession(QT_TRANSLATE_NOOP("Operation", "Resume: release every queue"), "release",
                     "yardctl release --all");
}
Operation drainSession() {
    return onSession(QT_TRANSLATE_NOOP("Operation", "Drain the engine"), "session/drain", "yardctl session drain");
}
Operation pauseSession() {
    return onSession(QT_TRANSLATE_NOOP("Operation", "Pause the session"), "session/pause", "yardctl session pause");
}
Operation abandonSession() {
    return onSession(QT_TRANSLATE_NOOP("Operation", "Abandon the session"), "abandon", "yardctl session abandon");
}
Operation sunsetSession() {
    return onSession(QT_TRANSLATE_NOOP("Operation", "Sunset: end the engine"), "session/sunset",
                     "yardctl session sunset");
}

Operation submit(const QJsonValue& actions, qint64 queue, const QString& queueName) {
    const bool list = actions.isArray();
    const qint64 count = list ? actions.toArray().size() : 1;
    const QByteArray body =
        list ? QJsonDocument(actions.toArray()).toJson(QJsonDocument::Compact) : jsonBody(actions.toObject());
    const QString path = queue == 0 ? QStringLiteral("jobs") : QStringLiteral("queues/%1/jobs").arg(queue);
    const QString into = queue == 0 ? QString() : QStringLiteral(" --queue %1").arg(queue);
    return {operationCounted(QT_TRANSLATE_N_NOOP("Operation", "Submit %n action(s) to %1"), count).arg(queueName),
            {"POST", path, {}, body},
            "printf '%s' " + shellWord(QString::fromUtf8(body)) + " | yardctl submit" + into + " -"};
}

Operation registerWorker(const QString& id, const QByteArray& descriptor, const QString& name) {
    return {plain(QT_TRANSLATE_NOOP("Operation", "Register worker %1")).arg(name),
            {"POST", "workers/" + id, {}, descriptor},
            {}};
}

Operation removeWorker(const QString& id, const QString& name, bool force) {
    return {plain(QT_TRANSLATE_NOOP("Operation", "Remove worker %1")).arg(name),
            {"DELETE", "workers/" + id, {}, force ? jsonBody({{"force", true}}) : QByteArray()},
            "yardctl workers remove " + id + (force ? QStringLiteral(" --force") : QString())};
}

Operation restartPool(const QString& worker, const QString& name) {
    return {plain(QT_TRANSLATE_NOOP("Operation", "Restart the processes of %1 one by one")).arg(name),
            post("pool/" + worker + "/restart"), "yardctl pool restart " + shellWord(worker)};
}

Operation detachProcess(const QString& process) {
    return {plain(QT_TRANSLATE_NOOP("Operation", "Detach process %1")).arg(process),
            {"DELETE", "pool/processes/" + process, {}, {}},
            "yardctl pool detach " + shellWord(process)};
}

Operation configurePool(const QJsonObject& limits) {
    QString line = "yardctl pool set";
    for (auto it = limits.begin(); it != limits.end(); ++it)
        line += ' ' + shellWord(it.key() + '=' + it.value().toVariant().toString());
    return {plain(QT_TRANSLATE_NOOP("Operation", "Change the limits of the pool")),
            {"PATCH", "pool", {}, jsonBody(limits)},
            line};
}

Operation changeSettings(const QJsonObject& settings) {
    QString line = "yardctl settings";
    for (auto it = settings.begin(); it != settings.end(); ++it)
        line += ' ' + shellWord(it.key() + '=' + it.value().toVariant().toString());
    return {plain(QT_TRANSLATE_NOOP("Operation", "Change settings")),
            {"PATCH", "settings", {}, jsonBody(settings)},
            line};
}

} // namespace operations
} // namespace yard::ui
