#include "ui/bridge/recording_operations.h"

#include "ui/bridge/shell_engine.h"

#include <QCoreApplication>
#include <QJsonArray>

namespace yard::ui::operations {

namespace {

/// A name that is no file's name, from an engine that is not ours, must not become another path.
QString pathOfRecording(const QString& name, const QString& verb = {}) {
    const QString path = "recordings/" + QString::fromLatin1(QUrl::toPercentEncoding(name));
    return verb.isEmpty() ? path : path + '/' + verb;
}

QString recordLine(const QString& verb, const QString& name) {
    return QStringLiteral("yardctl record %1 %2").arg(verb, shellWord(name));
}

QString recordingWords(const char* title, const QString& name) {
    return QCoreApplication::translate("Operation", title).arg(name);
}

} // namespace

Operation lookAtRecordings(const QString& name) {
    if (name.isEmpty())
        return {QCoreApplication::translate("Operation", "List recordings"),
                {"GET", "recordings", {}, {}, {}},
                "yardctl record"};
    return {recordingWords(QT_TRANSLATE_NOOP("Operation", "Show recording %1"), name),
            {"GET", pathOfRecording(name), {}, {}, {}},
            recordLine("show", name)};
}

Operation startRecording(const RecordingWish& wish) {
    QJsonObject body{{"name", wish.name}};
    QString line = recordLine("start", wish.name);
    if (!wish.note.isEmpty()) {
        body.insert("note", wish.note);
        line += " --note " + shellWord(wish.note);
    }
    if (wish.ofThePast) {
        body.insert("from", QJsonObject{{"filter", wish.filter}});
        line += QStringLiteral(" --past");
    } else if (!wish.filter.isEmpty()) {
        body.insert("filter", wish.filter);
    }
    if (!wish.filter.isEmpty()) line += " --filter " + shellWord(wish.filter);
    if (!wish.attachments.isEmpty() && wish.attachments != "all") {
        body.insert("attachments", wish.attachments);
        line += " --attachments " + shellWord(wish.attachments);
    }
    return {recordingWords(QT_TRANSLATE_NOOP("Operation", "Start recording %1"), wish.name),
            {"POST", "recordings", {}, jsonBody(body), {}},
            line};
}

Operation stopRecording(const QString& name) {
    return {recordingWords(QT_TRANSLATE_NOOP("Operation", "Stop recording %1"), name),
            {"POST", pathOfRecording(name, "stop"), {}, {}, {}},
            recordLine("stop", name)};
}

Operation deleteRecording(const QString& name) {
    return {recordingWords(QT_TRANSLATE_NOOP("Operation", "Delete recording %1"), name),
            {"DELETE", pathOfRecording(name), {}, {}, {}},
            recordLine("rm", name)};
}

Operation noteRecording(const QString& name, const QString& note) {
    return {recordingWords(QT_TRANSLATE_NOOP("Operation", "Note on recording %1"), name),
            {"PATCH", pathOfRecording(name), {}, jsonBody({{"note", note}}), {}},
            {}};
}

Request bringRecording(const QString& name) {
    return {"PUT", pathOfRecording(name, "file"), {}, {}, {}};
}

Request recordingFile(const QString& name) {
    return {"GET", pathOfRecording(name, "file"), {}, {}, {}};
}

Request recordedActions(const QString& name) {
    return {"GET", pathOfRecording(name, "actions"), {}, {}, {}};
}

Operation replayRecording(const QString& name, const ReplayWish& wish) {
    QJsonObject body;
    QJsonObject compare;
    QString line = QStringLiteral("yardctl replay ") + shellWord(name);
    if (!wish.worker.isEmpty()) {
        body.insert("replace", QJsonObject{{"worker", wish.worker}});
        line += " --worker " + shellWord(wish.worker);
    }
    if (wish.speed > 0) {
        body.insert("speed", wish.speed);
        line += " --speed " + QString::number(wish.speed, 'g', 12);
    }
    if (!wish.filter.isEmpty()) {
        body.insert("filter", wish.filter);
        line += " --filter " + shellWord(wish.filter);
    }
    if (wish.tolerance > 0) {
        compare.insert("numbers", QJsonObject{{"tolerance", wish.tolerance}});
        line += " --tolerance " + QString::number(wish.tolerance, 'g', 12);
    }
    for (const QString& what : wish.ignored) line += " --ignore " + shellWord(what);
    if (!wish.ignored.isEmpty()) compare.insert("ignore", QJsonArray::fromStringList(wish.ignored));
    if (!compare.isEmpty()) body.insert("compare", compare);
    return {recordingWords(QT_TRANSLATE_NOOP("Operation", "Replay %1"), name),
            {"POST", pathOfRecording(name, "replay"), {}, jsonBody(body), {}},
            line};
}

Operation lookAtReplays() {
    return {QCoreApplication::translate("Operation", "List replays"), {"GET", "replays", {}, {}, {}}, {}};
}

Operation cancelReplay(qint64 id, const QString& recording) {
    return {recordingWords(QT_TRANSLATE_NOOP("Operation", "Cancel the replay of %1"), recording),
            {"POST", QStringLiteral("replays/%1/cancel").arg(id), {}, {}, {}},
            {}};
}

Request replayDifferences(qint64 id, const QString& cursor) {
    QUrlQuery query("limit=1000");
    if (!cursor.isEmpty()) query.addQueryItem("cursor", QString::fromLatin1(QUrl::toPercentEncoding(cursor)));
    return {"GET", QStringLiteral("replays/%1/differences").arg(id), query, {}, {}};
}

} // namespace yard::ui::operations
