#include "ui/pages/history/past_values.h"

#include "ui/style/format.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QLocale>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace yard::ui {

namespace {

struct PastWords {
    Q_DECLARE_TR_FUNCTIONS(PastWords)
};

constexpr double kSecondsOfHour = 3'600;
/// What is beyond is no figure of ours, nor microseconds that a number holds.
constexpr double kMostPastSeconds = 1e12;

Column pastNumber(const QString& id, const QString& title, const QString& tip, int width, int falls = 0) {
    return {
        .id = id, .title = title, .tip = tip, .kind = CellKind::Number, .width = width, .falls = falls, .sort = id};
}

/// A figure that an engine sent: nothing below 0, and nothing that no number can hold.
double pastFigure(const QJsonObject& json, const char* key) {
    const double value = json.value(QLatin1String(key)).toDouble();
    return std::isfinite(value) ? std::clamp(value, 0.0, kMostPastSeconds) : 0;
}

QString onePercent(double part, double whole) {
    if (!(whole > 0)) return Format::unknown();
    return Format().percent(std::llround(1'000 * std::min(part, whole)), std::llround(1'000 * whole));
}

Cell alertState(const QJsonObject& rule, WallMicros now) {
    const QString state = rule.value("state").toString();
    if (state == "firing") {
        Cell cell{PastWords::tr("Firing"), DisplayState::Failed};
        cell.tone = Cell::Tone::Alert;
        return cell;
    }
    if (state == "silenced") {
        Cell cell{PastWords::tr("Silenced"), DisplayState::Held};
        if (const qint64 until = rule.value("silenced_until").toInteger(); until > 0)
            cell.tip = PastWords::tr("Silenced to %1").arg(Format().coming(until, now));
        return cell;
    }
    if (state == "resolved") return {PastWords::tr("Over"), DisplayState::Completed};
    return {PastWords::tr("Quiet"), DisplayState::Completed};
}

Cell timeCell(qint64 at, WallMicros now) {
    Cell cell{at > 0 ? Format().time(at, now) : Format::unknown()};
    if (at > 0) cell.tip = Format().exactTime(at, now);
    return cell;
}

/// Its newest message, and what keeps it from getting there.
Cell alertTold(const QJsonObject& rule, WallMicros now) {
    const QString error = unturned(rule.value("waiting_error").toString());
    const QJsonObject message = rule.value("messages").toArray().first().toObject();
    const qint64 t = message.value("t").toInteger();
    Cell cell;
    if (t <= 0)
        cell = {PastWords::tr("never")};
    else
        cell = {Format().time(t, now) + QStringLiteral(": ") + unturned(message.value("text").toString())};
    if (t <= 0) cell.tone = Cell::Tone::Faint;
    if (error.isEmpty()) return cell;
    cell.tone = Cell::Tone::Alert;
    cell.tip = cell.text;
    cell.text = PastWords::tr("not told yet: %1").arg(error);
    return cell;
}

} // namespace

// --- usage

const std::vector<const char*>& usageKinds() {
    static const std::vector<const char*> kKinds{"queue", "worker", "label", "machine", "day", "hour", "waste"};
    return kKinds;
}

QString usageKindTitle(const QString& by) {
    if (by == "worker") return PastWords::tr("By worker");
    if (by == "label") return PastWords::tr("By label");
    if (by == "machine") return PastWords::tr("By machine");
    if (by == "day") return PastWords::tr("By day (UTC)");
    if (by == "hour") return PastWords::tr("By hour (UTC)");
    return by == "waste" ? PastWords::tr("Wasted, by how it ended") : PastWords::tr("By queue");
}

std::vector<UsageInfo> usageOf(const QJsonObject& accounting) {
    std::vector<UsageInfo> all;
    for (const QJsonValue value : accounting.value("rows").toArray()) {
        const QJsonObject row = value.toObject();
        all.push_back({.key = row.value("key").toString(),
                       .actions = std::max<qint64>(0, row.value("actions").toInteger()),
                       .coreSeconds = pastFigure(row, "core_seconds"),
                       .wastedSeconds = pastFigure(row, "wasted_core_seconds"),
                       .memoryGbHours = pastFigure(row, "memory_gb_hours"),
                       .waitSeconds = pastFigure(row, "wait_seconds")});
    }
    return all;
}

UsageSum usageSum(const QJsonObject& accounting) {
    UsageSum sum{.retired = accounting.value("retired").toInteger()};
    for (const UsageInfo& one : usageOf(accounting)) {
        sum.coreSeconds += one.coreSeconds;
        sum.wastedSeconds += one.wastedSeconds;
    }
    return sum;
}

QString coreHours(double coreSeconds) {
    const double hours = coreSeconds / kSecondsOfHour;
    if (!(hours > 0)) return QStringLiteral("0");
    if (hours < 0.01) return "<" + QLocale().toString(0.01, 'f', 2);
    return QLocale().toString(hours, 'f', hours < 10 ? 2 : 1);
}

QString usageWords(const UsageSum& sum) {
    QString words = PastWords::tr("%1 core hours, %2 of them wasted (%3)")
                        .arg(coreHours(sum.coreSeconds), coreHours(sum.wastedSeconds),
                             onePercent(sum.wastedSeconds, sum.coreSeconds));
    if (sum.retired > 0)
        words += PastWords::tr("; of %Ln action(s) that are not kept any more nothing is known", nullptr,
                               pluralCount(sum.retired));
    return words;
}

std::vector<Column> usageColumns() {
    return {
        {.id = "key",
         .title = PastWords::tr("Of"),
         .tip = PastWords::tr("What the row sums up"),
         .kind = CellKind::Name,
         .width = 160,
         .stretches = true,
         .sort = "key"},
        pastNumber("actions", PastWords::tr("Actions"), PastWords::tr("That ended in this time"), 88, 2),
        pastNumber("core_seconds", PastWords::tr("Core h"),
                   PastWords::tr("Cores that were reserved, times the time that work ran"), 148),
        pastNumber("wasted_core_seconds", PastWords::tr("Wasted"),
                   PastWords::tr("Core hours of attempts that did not complete"), 88),
        pastNumber("wasted_share", PastWords::tr("Wasted, %"), PastWords::tr("Part of its core hours"), 92, 3),
        pastNumber("memory_gb_hours", PastWords::tr("Memory, GB h"),
                   PastWords::tr("Memory that was reserved, else used at most, times the same time"), 116, 1),
        pastNumber("wait_seconds", PastWords::tr("Waited"),
                   PastWords::tr("Mean of its actions, for their last start"), 92, 1),
    };
}

Row usageRow(const UsageInfo& usage, qint64 id, double all, const QString& name) {
    const Format format;
    Cell used{coreHours(usage.coreSeconds)};
    if (all > 0) used.share = usage.coreSeconds / all;
    Cell wasted{coreHours(usage.wastedSeconds)};
    if (!(usage.wastedSeconds > 0)) wasted.tone = Cell::Tone::Faint;
    const double wait = usage.actions > 0 ? usage.waitSeconds / static_cast<double>(usage.actions) : 0;
    Row row;
    row.id = id;
    row.cells = {{name},
                 {format.number(usage.actions)},
                 used,
                 wasted,
                 {onePercent(usage.wastedSeconds, usage.coreSeconds)},
                 {QLocale().toString(usage.memoryGbHours, 'f', 2)},
                 {usage.actions > 0 ? format.duration(Duration(std::llround(wait * 1e6))) : Format::unknown()}};
    row.keys = {QVariant(),
                usage.actions,
                usage.coreSeconds,
                usage.wastedSeconds,
                usage.coreSeconds > 0 ? usage.wastedSeconds / usage.coreSeconds : -1.0,
                usage.memoryGbHours,
                wait};
    return row;
}

// --- alerts

QString alertTargets(const QJsonObject& rule) {
    QStringList all;
    for (const QJsonValue value : rule.value("then").toArray()) {
        const QJsonObject target = value.toObject();
        if (target.value("desktop").toBool()) all << PastWords::tr("the desktop");
        if (const QJsonArray command = target.value("command").toArray(); !command.isEmpty())
            all << unturned(command.first().toString());
        // The host alone: what follows it is a secret.
        if (const QString url = target.value("webhook").toString(); !url.isEmpty())
            all << unturned(QUrl(url).host());
    }
    return all.join(QStringLiteral(", "));
}

std::vector<Column> alertColumns() {
    return {
        {.id = "rule",
         .title = PastWords::tr("Rule"),
         .tip = PastWords::tr("Name of the rule"),
         .kind = CellKind::Name,
         .width = 180,
         .sort = "rule"},
        {.id = "state",
         .title = PastWords::tr("State"),
         .tip = PastWords::tr("Whether what it is about holds now"),
         .kind = CellKind::State,
         .width = 110,
         .sort = "state"},
        pastNumber("since", PastWords::tr("Since"), PastWords::tr("When it came into this state"), 104),
        {.id = "about",
         .title = PastWords::tr("About"),
         .tip = PastWords::tr("The kind of the rule, and its filter"),
         .kind = CellKind::Name,
         .width = 180,
         .falls = 2},
        {.id = "told",
         .title = PastWords::tr("Last told"),
         .tip = PastWords::tr("Its newest message"),
         .kind = CellKind::Text,
         .width = 200,
         .stretches = true},
        {.id = "to",
         .title = PastWords::tr("To whom"),
         .tip = PastWords::tr("Desktop, program, or host of a webhook"),
         .kind = CellKind::Name,
         .width = 150,
         .falls = 1},
    };
}

Row alertRow(const QJsonObject& rule, qint64 id, WallMicros now) {
    const QJsonObject on = rule.value("on").toObject();
    QString about = on.value("kind").toString();
    if (const QString filter = on.value("filter").toString(); !filter.isEmpty()) about += ' ' + filter;
    const qint64 since = rule.value("since").toInteger();
    Row row;
    row.id = id;
    row.cells = {{unturned(rule.value("name").toString())},
                 alertState(rule, now),
                 timeCell(since, now),
                 {unturned(about)},
                 alertTold(rule, now),
                 {alertTargets(rule)}};
    row.keys = {QVariant(), QVariant(), since, QVariant(), QVariant(), QVariant()};
    return row;
}

// --- audit

std::vector<Column> auditColumns() {
    return {
        {.id = "t",
         .title = PastWords::tr("Time"),
         .tip = PastWords::tr("When it was asked for"),
         .kind = CellKind::Number,
         .width = 104,
         .sort = "t"},
        {.id = "who",
         .title = PastWords::tr("By"),
         .tip = PastWords::tr("Name of the token; the owner has none"),
         .kind = CellKind::Name,
         .width = 110,
         .sort = "who"},
        {.id = "from",
         .title = PastWords::tr("From"),
         .tip = PastWords::tr("Address"),
         .kind = CellKind::Name,
         .width = 130,
         .falls = 1,
         .sort = "from"},
        {.id = "what",
         .title = PastWords::tr("Operation"),
         .tip = PastWords::tr("What was asked for; Enter copies it for curl"),
         .kind = CellKind::Mono,
         .width = 220,
         .stretches = true},
        {.id = "result",
         .title = PastWords::tr("Result"),
         .tip = PastWords::tr("Status of the answer, as of HTTP"),
         .kind = CellKind::Number,
         .width = 88,
         .sort = "result"},
    };
}

Row auditRow(const QJsonObject& entry, qint64 id, WallMicros now) {
    constexpr qint64 kRefused = 400;
    const qint64 t = entry.value("t").toInteger();
    const qint64 status = entry.value("result").toInteger();
    const QString who = entry.value("who").toString();
    const QString from = unturned(entry.value("from").toString());
    QString what = entry.value("method").toString() + ' ' + entry.value("path").toString();
    if (const QString body = entry.value("body").toString(); !body.isEmpty()) what += ' ' + body;
    Cell result{status > 0 ? QString::number(status) : Format::unknown()};
    if (status >= kRefused) result.tone = Cell::Tone::Alert;
    Row row;
    row.id = id;
    row.cells = {timeCell(t, now),
                 {who == "the owner" ? PastWords::tr("the owner") : unturned(who)},
                 {from.isEmpty() ? Format::unknown() : from},
                 {unturned(what)},
                 result};
    row.keys = {t, QVariant(), QVariant(), QVariant(), status};
    return row;
}

} // namespace yard::ui
