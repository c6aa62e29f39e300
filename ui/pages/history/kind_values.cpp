#include "ui/pages/history/kind_values.h"

#include "ui/state/action_row.h"
#include "ui/style/format.h"

#include <QCoreApplication>
#include <QJsonArray>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace yard::ui {

namespace {

struct KindWords {
    Q_DECLARE_TR_FUNCTIONS(KindWords)
};

constexpr int kKindWidth = 280; ///< worker and function, or a label, as people have them
constexpr WallMicros kDayOfKind = 24 * 3'600'000'000LL;
constexpr double kLargestSpan = 1e15; ///< microseconds; what is beyond is no duration

std::optional<KindQuantiles> quantilesOf(const QJsonObject& json, const char* key) {
    const QJsonValue value = json.value(QLatin1String(key));
    if (!value.isObject()) return std::nullopt;
    const QJsonObject all = value.toObject();
    return KindQuantiles{all.value("p50").toDouble(), all.value("p95").toDouble(), all.value("p99").toDouble()};
}

QString secondsWords(double seconds) {
    return Format().duration(Duration(std::llround(std::clamp(seconds * 1e6, 0.0, kLargestSpan))));
}

QString bytesWords(double bytes) {
    return Format().size(std::llround(std::clamp(bytes, 0.0, 1e18)));
}

Column kindNumber(const QString& id, const QString& title, const QString& tip, int width, int falls = 0) {
    return {
        .id = id, .title = title, .tip = tip, .kind = CellKind::Number, .width = width, .falls = falls, .sort = id};
}

Cell quantileCell(const std::optional<KindQuantiles>& quantiles, double KindQuantiles::* which, bool memory) {
    if (!quantiles) return {Format::unknown()};
    const double value = *quantiles.*which;
    return {memory ? bytesWords(value) : secondsWords(value)};
}

QVariant quantileKey(const std::optional<KindQuantiles>& quantiles, double KindQuantiles::* which) {
    return quantiles ? *quantiles.*which : -1.0;
}

/// Runs, failures, usual and slow run time, memory: of a kind and of its parts alike.
void addFigures(Row& row, const KindInfo& kind) {
    const Format format;
    Cell failed{format.percent(kind.failed, kind.runs)};
    if (kind.failed == 0) failed.tone = Cell::Tone::Faint;
    failed.tip = format.number(kind.failed);
    row.cells.insert(row.cells.end(), {{format.number(kind.runs)},
                                       failed,
                                       quantileCell(kind.duration, &KindQuantiles::p50, false),
                                       quantileCell(kind.duration, &KindQuantiles::p95, false),
                                       quantileCell(kind.memory, &KindQuantiles::p95, true)});
    const double share = kind.runs > 0 ? static_cast<double>(kind.failed) / static_cast<double>(kind.runs) : -1;
    row.keys.insert(row.keys.end(), {kind.runs, share, quantileKey(kind.duration, &KindQuantiles::p50),
                                     quantileKey(kind.duration, &KindQuantiles::p95),
                                     quantileKey(kind.memory, &KindQuantiles::p95)});
}

std::vector<Column> kindFigureColumns() {
    return {
        kindNumber("runs", KindWords::tr("Runs"), KindWords::tr("That completed or failed"), 84),
        kindNumber("failed", KindWords::tr("Fails"), KindWords::tr("Share of the runs that failed"), 64),
        kindNumber("usual", KindWords::tr("Usual"), KindWords::tr("Median of the run time of those that completed"),
                   88),
        kindNumber("slow", KindWords::tr("Slow (95 %)"), KindWords::tr("One run in twenty takes longer"), 116),
        kindNumber("memory", KindWords::tr("Memory (95 %)"), KindWords::tr("One run in twenty has a higher peak"),
                   124, 2),
    };
}

} // namespace

std::optional<KindChangeInfo> kindChangeOf(const QJsonObject& json) {
    if (!json.contains(QStringLiteral("what"))) return std::nullopt;
    const QJsonObject since = json.value("since").toObject();
    return KindChangeInfo{.kind = json.value("kind").toString(),
                          .isMemory = json.value("what").toString() == QLatin1String("memory"),
                          .t = json.value("t").toInteger(),
                          .before = json.value("before").toDouble(),
                          .after = json.value("after").toDouble(),
                          .ratio = json.value("ratio").toDouble(),
                          .p = json.value("p").toDouble(),
                          .version = unturned(since.value("version").toString()),
                          .machine = unturned(since.value("machine").toString())};
}

KindInfo kindInfoOf(const QJsonObject& json) {
    KindInfo kind;
    kind.name = json.value("kind").toString();
    kind.runs = json.value("runs").toInteger();
    kind.failed = json.value("failed").toInteger();
    kind.duration = quantilesOf(json, "duration");
    kind.memory = quantilesOf(json, "memory_bytes");
    if (json.value("learned_memory_bytes").isDouble()) kind.learned = json.value("learned_memory_bytes").toDouble();
    if (json.value("asked_memory_bytes").isDouble()) kind.asked = json.value("asked_memory_bytes").toDouble();
    if (const QJsonValue flaky = json.value("flaky"); flaky.isObject()) {
        const QJsonObject all = flaky.toObject();
        kind.flaky = KindFlakyInfo{all.value("is_flaky").toBool(), all.value("probability").toDouble(),
                                   all.value("rate").toDouble(), all.value("inputs").toInteger()};
    }
    kind.regression = kindChangeOf(json.value("regression").toObject());
    kind.last = json.value("last").toInteger();
    for (const QJsonValue version : json.value("versions").toArray())
        if (version.isString()) kind.versions << unturned(version.toString());
    return kind;
}

std::vector<Column> kindColumns() {
    std::vector<Column> all = {
        {.id = "kind",
         .title = KindWords::tr("Kind"),
         .tip = KindWords::tr("Worker and function; of commands the label, else the program"),
         .kind = CellKind::Name,
         .width = kKindWidth,
         .sort = "kind"}};
    std::ranges::move(kindFigureColumns(), std::back_inserter(all));
    all.push_back(kindNumber(
        "flaky", KindWords::tr("Flaky"),
        KindWords::tr("Inputs that both worked and failed; bold where it is flaky for certain"), 108, 3));
    all.push_back(kindNumber("last", KindWords::tr("Last"), KindWords::tr("When the last run ended"), 104, 1));
    all.push_back({.id = "note",
                   .title = KindWords::tr("Note"),
                   .tip = KindWords::tr("What changed, and what is flaky"),
                   .kind = CellKind::Text,
                   .width = 160,
                   .stretches = true});
    return all;
}

QString changeWords(const KindChangeInfo& change, WallMicros now) {
    const Format format;
    const double part = change.ratio >= 1 ? change.ratio - 1 : 1 - change.ratio;
    const QString percent = QLocale().toString(std::llround(std::min(part, 1e6) * 100));
    const QString since = format.time(change.t, now);
    const bool isMore = change.ratio >= 1;
    QString words =
        change.isMemory
            ? (isMore ? KindWords::tr("%1 % more memory since %2") : KindWords::tr("%1 % less memory since %2"))
            : (isMore ? KindWords::tr("slower by %1 % since %2") : KindWords::tr("faster by %1 % since %2"));
    words = words.arg(percent, since);
    if (!change.version.isEmpty())
        words += KindWords::tr(", with version %1").arg(change.version);
    else if (!change.machine.isEmpty())
        words += KindWords::tr(", on machine %1").arg(change.machine);
    return words;
}

QString kindNote(const KindInfo& kind, WallMicros now) {
    QStringList words;
    if (kind.regression) words << changeWords(*kind.regression, now);
    if (kind.flaky && kind.flaky->isFlaky)
        words << KindWords::tr("fails %1 % of the time on inputs that work")
                     .arg(QLocale().toString(kind.flaky->rate * 100, 'f', 1));
    if (kind.learned && *kind.learned > 0 && kind.asked && *kind.asked > *kind.learned)
        words << KindWords::tr("ask for %1 instead of %2: %3 times as many would fit")
                     .arg(bytesWords(*kind.learned), bytesWords(*kind.asked),
                          QLocale().toString(*kind.asked / *kind.learned, 'f', 1));
    return words.join(QStringLiteral("; "));
}

Row kindRow(const KindInfo& kind, WallMicros now) {
    const Format format;
    Row row;
    row.id = kind.row;
    row.cells = {{unturned(kind.name)}};
    row.keys = {QVariant()};
    addFigures(row, kind);
    Cell flaky{kind.flaky ? format.number(kind.flaky->inputs) : QStringLiteral("0")};
    flaky.tone = !kind.flaky ? Cell::Tone::Faint : kind.flaky->isFlaky ? Cell::Tone::Alert : Cell::Tone::Normal;
    Cell last{kind.last > 0 ? format.time(kind.last, now) : Format::unknown()};
    if (kind.last > 0) last.tip = format.exactTime(kind.last, now);
    Cell note{kindNote(kind, now)};
    if (!kind.regression) note.tone = Cell::Tone::Dim;
    row.cells.insert(row.cells.end(), {flaky, last, note});
    row.keys.insert(row.keys.end(), {kind.flaky ? kind.flaky->inputs : qint64{0}, qint64{kind.last}, QVariant()});
    return row;
}

QString actionsOfKind(const QString& kind) {
    const auto colon = kind.indexOf(':');
    if (colon < 0) return filterQuoted(kind);
    const QString worker = kind.left(colon);
    const QString rest = kind.mid(colon + 1);
    if (worker != QLatin1String("exec"))
        return "worker:" + filterQuoted(worker) + (rest.isEmpty() ? QString() : " function:" + filterQuoted(rest));
    // By its label, else by its program: a bare word looks into both. One by one, as in the command there may be options
    // between them.
    QString filter = QStringLiteral("worker:exec");
    for (const QString& word : rest.split(' ', Qt::SkipEmptyParts)) filter += ' ' + filterQuoted(word);
    return filter;
}

std::vector<Column> regressionColumns() {
    return {
        {.id = "t",
         .title = KindWords::tr("Since"),
         .tip = KindWords::tr("When the first run ended that differs"),
         .kind = CellKind::Text,
         .width = 120,
         .sort = "t"},
        {.id = "kind",
         .title = KindWords::tr("Kind"),
         .tip = KindWords::tr("Worker and function; of commands the label, else the program"),
         .kind = CellKind::Name,
         .width = kKindWidth,
         .sort = "kind"},
        kindNumber("before", KindWords::tr("Before"), KindWords::tr("Median before it"), 96),
        kindNumber("after", KindWords::tr("After"), KindWords::tr("Median since then"), 96),
        {.id = "words",
         .title = KindWords::tr("Change"),
         .tip = KindWords::tr("What changed, and the version or machine that came then"),
         .kind = CellKind::Text,
         .width = 200,
         .stretches = true},
    };
}

Row regressionRow(const KindChangeInfo& change, qint64 id, WallMicros now) {
    const Format format;
    const auto value = [&](double of) { return change.isMemory ? bytesWords(of) : secondsWords(of); };
    Cell when{format.time(change.t, now)};
    when.tip = format.exactTime(change.t, now);
    Row row;
    row.id = id;
    row.cells = {when,
                 {unturned(change.kind)},
                 {value(change.before)},
                 {value(change.after)},
                 {changeWords(change, now), {}, {}, {}, change.ratio >= 1 ? Cell::Tone::Normal : Cell::Tone::Dim}};
    row.keys = {qint64{change.t}, QVariant(), change.before, change.after, QVariant()};
    return row;
}

std::vector<Column> kindPartColumns(const QString& title) {
    std::vector<Column> all = {
        {.id = "name", .title = title, .tip = title, .kind = CellKind::Name, .width = 100, .stretches = true}};
    std::ranges::move(kindFigureColumns(), std::back_inserter(all));
    return all;
}

std::vector<Row> kindPartRows(const QJsonObject& detail, const char* list, const char* key) {
    std::vector<Row> rows;
    for (const QJsonValue value : detail.value(QLatin1String(list)).toArray()) {
        const QJsonObject part = value.toObject();
        Row row;
        row.id = std::ssize(rows) + 1;
        row.cells = {{unturned(part.value(QLatin1String(key)).toString())}};
        row.keys = {QVariant()};
        addFigures(row, kindInfoOf(part));
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<Column> flakyColumns() {
    return {
        {.id = "spec",
         .title = KindWords::tr("Inputs"),
         .tip = KindWords::tr("A hash of what was asked, its inputs and its worker"),
         .kind = CellKind::Mono,
         .width = 110,
         .stretches = true},
        kindNumber("failed", KindWords::tr("Failed"), KindWords::tr("Runs that failed, of all with these inputs"),
                   88),
        {.id = "newest",
         .title = KindWords::tr("Newest failure"),
         .tip = KindWords::tr("Its number (LSN)"),
         .kind = CellKind::Link,
         .width = 104},
    };
}

std::vector<Row> flakyRows(const QJsonObject& flakiness) {
    const Format format;
    std::vector<Row> rows;
    for (const QJsonValue value : flakiness.value("inputs").toArray()) {
        const QJsonObject work = value.toObject();
        const qint64 failed = work.value("failed").toInteger();
        const qint64 all = failed + work.value("completed").toInteger();
        const qint64 newest = work.value("lsns").toArray().first().toInteger();
        Row row;
        row.id = std::ssize(rows) + 1;
        Cell link{newest > 0 ? format.number(newest) : Format::unknown()};
        link.target = newest;
        row.cells = {{unturned(work.value("spec").toString())},
                     {KindWords::tr("%1 of %2").arg(format.number(failed), format.number(all))},
                     link};
        row.keys = {QVariant(), failed, QVariant()};
        rows.push_back(std::move(row));
    }
    return rows;
}

QStringList failureLines(const QJsonObject& flakiness) {
    QStringList lines;
    for (const QJsonValue value : flakiness.value("lines").toArray()) {
        const QJsonObject line = value.toObject();
        lines << Format().number(line.value("count").toInteger()) + QStringLiteral(" × ") +
                     unturned(line.value("line").toString());
    }
    return lines;
}

Chart::Data kindSeries(const QJsonObject& detail, bool memory) {
    std::map<WallMicros, KindQuantiles> byDay;
    for (const char* list : {"weeks", "days"})
        for (const QJsonValue value : detail.value(QLatin1String(list)).toArray()) {
            const QJsonObject part = value.toObject();
            const auto found = quantilesOf(part, memory ? "memory_bytes" : "duration");
            if (found) byDay[part.value("t").toInteger()] = *found;
        }
    Chart::Data data;
    data.values.resize(2);
    if (byDay.empty()) return data;
    data.from = byDay.begin()->first;
    data.to = byDay.rbegin()->first + kDayOfKind;
    // Weeks stand seven days apart, and are joined; a day without runs among days is a gap.
    const bool hasWeeks = !detail.value("weeks").toArray().isEmpty();
    data.step = hasWeeks ? 7 * kDayOfKind : kDayOfKind;
    for (const auto& [t, quantiles] : byDay) {
        data.t.push_back(t + kDayOfKind / 2);
        data.values[0].push_back(quantiles.p50);
        data.values[1].push_back(quantiles.p95);
    }
    return data;
}

} // namespace yard::ui
