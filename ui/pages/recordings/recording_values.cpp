#include "ui/pages/recordings/recording_values.h"

#include "ui/state/action_row.h"
#include "ui/style/format.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

struct RecordingWords {
    Q_DECLARE_TR_FUNCTIONS(RecordingWords)
};

constexpr qsizetype kMostValueWords = 300; ///< of a value in a cell

QString recordedText(const QJsonObject& json, const char* key) {
    return unturned(json.value(QLatin1String(key)).toString());
}

struct RecordingSign {
    QString word;
    std::optional<DisplayState> face;
    QString icon = {};
};

RecordingSign recordingSign(const QString& state) {
    if (state == "recording") return {RecordingWords::tr("Recording"), {}, "recordings"};
    if (state == "complete") return {RecordingWords::tr("Complete"), DisplayState::Completed};
    if (state == "cut") return {RecordingWords::tr("Cut short"), DisplayState::Cancelled};
    if (state == "interrupted") return {RecordingWords::tr("Cut short"), DisplayState::Abandoned};
    return {unturned(state), {}}; // of a later engine
}

/// A value of JSON on one line, of texts the text.
QString valueWords(const QJsonValue& value) {
    if (value.isNull() || value.isUndefined()) return Format::unknown();
    if (value.isString()) return unturned(value.toString()).left(kMostValueWords);
    if (value.isDouble() || value.isBool()) return value.toVariant().toString();
    const QJsonDocument document =
        value.isArray() ? QJsonDocument(value.toArray()) : QJsonDocument(value.toObject());
    return unturned(QString::fromUtf8(document.toJson(QJsonDocument::Compact))).left(kMostValueWords);
}

/// Its label, else its command or function.
QString recordedWhat(const QJsonObject& action, const ActionRow& result) {
    if (const QString what = unturned(result.what()); !what.isEmpty()) return what;
    if (const QString label = recordedText(action, "label"); !label.isEmpty()) return label;
    QStringList words;
    for (const QJsonValue word : action.value("argv").toArray()) words << unturned(word.toString());
    return (words.isEmpty() ? recordedText(action, "worker") : words.join(' ')).left(kMostValueWords);
}

Column numberColumn(const QString& id, const QString& title, const QString& tip, int width, int falls = 0) {
    return {
        .id = id, .title = title, .tip = tip, .kind = CellKind::Number, .width = width, .falls = falls, .sort = id};
}

} // namespace

RecordingInfo recordingOf(const QJsonObject& json) {
    RecordingInfo one;
    one.name = recordedText(json, "name");
    one.state = json.value("state").toString();
    one.why = recordedText(json, "why");
    one.note = recordedText(json, "note");
    one.filter = recordedText(json, "filter");
    one.attachments = json.value("attachments").toString();
    one.engine = recordedText(json, "engine_id");
    one.started = json.value("started").toInteger();
    one.ended = json.value("ended").toInteger();
    one.actions = json.value("actions").toInteger();
    if (json.value("failed").isDouble()) one.failed = json.value("failed").toInteger();
    one.waiting = json.value("waiting").toInteger();
    one.missed = json.value("missed").toInteger();
    one.chunks = json.value("chunks").toInteger();
    one.chunksGone = json.value("chunks_gone").toInteger();
    one.bytes = json.value("bytes").toInteger();
    return one;
}

std::vector<Column> recordingColumns() {
    return {
        {.id = "name",
         .title = RecordingWords::tr("Name"),
         .tip = RecordingWords::tr("Of the recording, and of its file"),
         .kind = CellKind::Name,
         .width = 160,
         .sort = "name"},
        numberColumn("from", RecordingWords::tr("From"), RecordingWords::tr("When it was begun"), 120),
        numberColumn("length", RecordingWords::tr("Length"), RecordingWords::tr("From its begin to its end"), 96,
                     3),
        numberColumn("actions", RecordingWords::tr("Actions"), RecordingWords::tr("Actions that are in it"), 90),
        numberColumn("failed", RecordingWords::tr("Failed"), RecordingWords::tr("Those of them that failed"), 64,
                     2),
        numberColumn("size", RecordingWords::tr("Size"), RecordingWords::tr("Of its file"), 84),
        {.id = "engine",
         .title = RecordingWords::tr("Taken on"),
         .tip = RecordingWords::tr("The engine that made it"),
         .kind = CellKind::Name,
         .width = 120,
         .falls = 1},
        {.id = "state",
         .title = RecordingWords::tr("State"),
         .tip = RecordingWords::tr("Whether it goes on, or how it ended"),
         .kind = CellKind::State,
         .width = 112,
         .sort = "state"},
        {.id = "note",
         .title = RecordingWords::tr("Note"),
         .tip = RecordingWords::tr("Why it ended, what is not in it, and what people wrote"),
         .kind = CellKind::Text,
         .width = 140,
         .stretches = true},
    };
}

QString recordingStateWords(const RecordingInfo& recording) {
    return recordingSign(recording.state).word;
}

QString recordingNote(const RecordingInfo& recording) {
    QStringList words;
    if (!recording.why.isEmpty()) words << recording.why;
    if (recording.state == "interrupted" && recording.why.isEmpty())
        words << RecordingWords::tr("the engine ended while it ran");
    if (recording.isRunning() && recording.waiting > 0)
        words << RecordingWords::tr("%Ln action(s) to be written", nullptr, pluralCount(recording.waiting));
    if (recording.missed > 0)
        words << RecordingWords::tr("%Ln action(s) missed", nullptr, pluralCount(recording.missed));
    if (recording.chunksGone > 0)
        words << RecordingWords::tr("%Ln file(s) not kept any more", nullptr, pluralCount(recording.chunksGone));
    if (recording.attachments == "none") words << RecordingWords::tr("without files: a replay compares by hash");
    if (!recording.note.isEmpty()) words << recording.note;
    return words.join(QStringLiteral("; "));
}

Row recordingRow(const RecordingInfo& recording, const QString& own, WallMicros now) {
    const Format format;
    const RecordingSign sign = recordingSign(recording.state);
    const WallMicros end = recording.isRunning() ? now : recording.ended;
    const bool hasLength = recording.started > 0 && end >= recording.started && end > 0;
    Cell from{recording.started > 0 ? format.time(recording.started, now) : Format::unknown()};
    if (recording.started > 0) from.tip = format.exactTime(recording.started, now);
    Cell failed{recording.failed ? format.number(*recording.failed) : Format::unknown()};
    failed.tone = recording.failed.value_or(0) > 0 ? Cell::Tone::Alert : Cell::Tone::Faint;
    Cell engine{recording.engine.isEmpty() ? Format::unknown()
                : recording.engine == own  ? RecordingWords::tr("this engine")
                                           : recording.engine};
    engine.tip = recording.engine;
    Cell state{sign.word, sign.face, sign.icon};
    if (recording.isRunning()) state.tone = Cell::Tone::Alert;
    Row row;
    row.id = recording.row;
    row.cells = {{recording.name},
                 from,
                 {hasLength ? format.duration(Duration(end - recording.started)) : Format::unknown()},
                 {format.number(recording.actions)},
                 failed,
                 {format.size(recording.bytes)},
                 engine,
                 state,
                 {recordingNote(recording), {}, {}, {}, Cell::Tone::Dim}};
    row.keys = {QVariant(),
                qint64{recording.started},
                hasLength ? qint64{end - recording.started} : -1,
                recording.actions,
                recording.failed.value_or(-1),
                recording.bytes,
                QVariant(),
                QVariant(),
                QVariant()};
    return row;
}

QString recordingsNote(const std::vector<RecordingInfo>& recordings) {
    if (recordings.empty()) return {};
    qint64 bytes = 0;
    for (const RecordingInfo& one : recordings) bytes += one.bytes;
    const Format format;
    return format.number(std::ssize(recordings)) + QStringLiteral(", ") + format.size(bytes);
}

std::vector<ReplayInfo> readReplays(const QJsonObject& json) {
    std::vector<ReplayInfo> all;
    for (const QJsonValue value : json.value("replays").toArray()) {
        const QJsonObject each = value.toObject();
        all.push_back({.id = each.value("id").toInteger(),
                       .recording = recordedText(each, "recording"),
                       .state = each.value("state").toString(),
                       .why = recordedText(each, "why"),
                       .queue = each.value("queue_id").toInteger(),
                       .actions = each.value("actions").toInteger(),
                       .submitted = each.value("submitted").toInteger(),
                       .ended = each.value("ended").toInteger(),
                       .different = each.value("different").toInteger(),
                       .impossible = each.value("impossible").toInteger(),
                       .started = each.value("started").toInteger(),
                       .finished = each.value("finished").toInteger(),
                       .eta = each.value("eta").toInteger()});
    }
    std::ranges::sort(all, std::ranges::greater(), &ReplayInfo::id);
    return all;
}

QString replayWords(const ReplayInfo& replay, WallMicros now) {
    const Format format;
    const qint64 over = replay.ended + replay.impossible;
    const auto add = [](QString& words, const QString& more) { words += QStringLiteral(", ") + more; };
    if (replay.isRunning()) {
        QString words =
            RecordingWords::tr("%1 of %2 compared").arg(format.number(over), format.number(replay.actions));
        if (replay.different > 0)
            add(words, RecordingWords::tr("%Ln differ(s)", nullptr, pluralCount(replay.different)));
        if (replay.eta > now)
            add(words, RecordingWords::tr("done in about %1").arg(format.duration(Duration(replay.eta - now))));
        return words;
    }
    const qint64 same = std::max<qint64>(0, over - replay.different);
    QString words = RecordingWords::tr("%1 of %2 the same").arg(format.number(same), format.number(replay.actions));
    const qint64 otherwise = replay.different - replay.impossible;
    if (otherwise > 0) add(words, RecordingWords::tr("%Ln differ(s)", nullptr, pluralCount(otherwise)));
    if (replay.impossible > 0)
        add(words, RecordingWords::tr("%Ln could not be run", nullptr, pluralCount(replay.impossible)));
    if (replay.state == "cancelled") add(words, RecordingWords::tr("cancelled"));
    if (!replay.why.isEmpty()) add(words, replay.why);
    return words;
}

DifferenceInfo differenceOf(const QJsonObject& json) {
    return {.lsn = json.value("lsn").toInteger(),
            .replayed = json.value("replayed").toInteger(),
            .what = json.value("what").toString(),
            .name = recordedText(json, "name"),
            .recorded = valueWords(json.value("recorded")),
            .now = valueWords(json.value("replayed_value")),
            .diff = unturned(json.value("diff").toString())};
}

QString differenceSubject(const DifferenceInfo& difference) {
    if (difference.replayed == 0) return RecordingWords::tr("could not be run");
    if (difference.what == "output") return RecordingWords::tr("output %1").arg(difference.name);
    if (difference.what == "state") return RecordingWords::tr("state");
    if (difference.what == "exit_code") return RecordingWords::tr("exit code");
    if (difference.what == "result") return RecordingWords::tr("result");
    if (difference.what == "duration") return RecordingWords::tr("run time");
    if (difference.what == "memory") return RecordingWords::tr("peak memory");
    return unturned(difference.what); // stdout, stderr
}

std::vector<Column> differenceColumns() {
    return {
        {.id = "lsn",
         .title = RecordingWords::tr("Recorded"),
         .tip = RecordingWords::tr("Number (LSN) of the action that was recorded"),
         .kind = CellKind::Number,
         .width = 96,
         .sort = "lsn"},
        {.id = "replayed",
         .title = RecordingWords::tr("Now"),
         .tip = RecordingWords::tr("Number (LSN) of the action that was run again"),
         .kind = CellKind::Link,
         .width = 96},
        {.id = "what",
         .title = RecordingWords::tr("What differs"),
         .tip = RecordingWords::tr("State, exit code, result, an output, or a stream"),
         .kind = CellKind::Name,
         .width = 180,
         .sort = "what"},
        {.id = "then",
         .title = RecordingWords::tr("Then"),
         .tip = RecordingWords::tr("What was recorded"),
         .kind = CellKind::Mono,
         .width = 120,
         .stretches = true},
        {.id = "now",
         .title = RecordingWords::tr("Now it is"),
         .tip = RecordingWords::tr("What the replay did"),
         .kind = CellKind::Mono,
         .width = 220,
         .falls = 1},
    };
}

Row differenceRow(const DifferenceInfo& difference, qint64 id) {
    const Format format;
    Row row;
    row.id = id;
    Cell what{differenceSubject(difference)};
    if (difference.replayed == 0)
        what.face = DisplayState::Failed;
    else
        what.icon = "compare";
    row.cells = {{format.number(difference.lsn)},
                 {difference.replayed > 0 ? format.number(difference.replayed) : Format::unknown()},
                 what,
                 {difference.recorded},
                 {difference.replayed > 0 ? difference.now : difference.diff}};
    row.keys = {difference.lsn, QVariant(), QVariant(), QVariant(), QVariant()};
    return row;
}

std::vector<Column> recordedColumns() {
    return {
        {.id = "state",
         .title = RecordingWords::tr("State"),
         .tip = RecordingWords::tr("How it ended"),
         .kind = CellKind::State,
         .width = 112,
         .sort = "state"},
        numberColumn("lsn", RecordingWords::tr("Action"),
                     RecordingWords::tr("Its number (LSN) where it was recorded"), 96),
        {.id = "what",
         .title = RecordingWords::tr("What"),
         .tip = RecordingWords::tr("Its label, else its command or function"),
         .kind = CellKind::Name,
         .width = 200,
         .stretches = true},
        {.id = "machine",
         .title = RecordingWords::tr("Machine"),
         .tip = RecordingWords::tr("That it ran on"),
         .kind = CellKind::Name,
         .width = 110,
         .falls = 1},
        numberColumn("exit", RecordingWords::tr("Exit"), RecordingWords::tr("Exit code"), 56),
        numberColumn("ran", RecordingWords::tr("Ran"), RecordingWords::tr("From its begin to its exit"), 96),
        numberColumn("memory", RecordingWords::tr("Peak mem."),
                     RecordingWords::tr("Peak memory of all its processes"), 84, 3),
        numberColumn("finished", RecordingWords::tr("Finished"), RecordingWords::tr("When it ended"), 120, 2),
    };
}

Row recordedRow(const QJsonObject& line) {
    const Format format;
    const ActionRow result = actionRowOf(line.value("result").toObject());
    const WallMicros now = wallNow();
    const std::optional<Duration> ran = result.exited > 0 ? result.ran(now) : std::nullopt;
    const std::optional<qint64> memory = result.measures[Measure::PeakMemory];
    const QString machine = recordedText(line, "machine");
    Row row;
    row.id = line.value("n").toInteger();
    row.cells = {{result.stateWord(), result.face},
                 {format.number(result.lsn)},
                 {recordedWhat(line.value("action").toObject(), result)},
                 {machine.isEmpty() ? Format::unknown() : machine},
                 {result.exitCode ? format.number(*result.exitCode) : Format::unknown()},
                 {format.duration(ran)},
                 {memory ? format.size(*memory) : Format::unknown()},
                 {result.finished > 0 ? format.time(result.finished, now) : Format::unknown()}};
    row.keys = {QVariant(),
                result.lsn,
                QVariant(),
                QVariant(),
                qint64{result.exitCode.value_or(-1)},
                ran ? qint64{ran->count()} : qint64{-1},
                memory.value_or(-1),
                result.finished};
    return row;
}

} // namespace yard::ui
