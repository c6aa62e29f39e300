#include "ui/forms/alert_draft.h"

#include <QCoreApplication>
#include <QLocale>
#include <QProcess>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace yard::ui {

namespace {

constexpr std::array<AlertKind, 14> kAlertKinds{{
    {.word = "queue_finished",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "A queue has finished"),
     .over = QT_TRANSLATE_NOOP("AlertKinds", "actions ended, at least"),
     .usual = 1,
     .hasFilter = true,
     .isEvent = true},
    {.word = "failures",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "Actions of a queue failed in a row"),
     .over = QT_TRANSLATE_NOOP("AlertKinds", "in a row"),
     .usual = 3},
    {.word = "failure_rate",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "Too many actions fail"),
     .over = QT_TRANSLATE_NOOP("AlertKinds", "% of those that ended"),
     .usual = 20},
    {.word = "action_finished",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "An action has ended"),
     .over = nullptr,
     .usual = 0,
     .hasFilter = true,
     .isEvent = true},
    {.word = "queue_age",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "An action waits for long"),
     .over = QT_TRANSLATE_NOOP("AlertKinds", "s"),
     .usual = 3'600},
    {.word = "silence",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "An action runs without a word"),
     .over = QT_TRANSLATE_NOOP("AlertKinds", "s"),
     .usual = 600},
    {.word = "memory",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "Memory is nearly full"),
     .over = QT_TRANSLATE_NOOP("AlertKinds", "% in use"),
     .usual = 90,
     .hasFilter = false},
    {.word = "disk",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "The disk is nearly full"),
     .over = QT_TRANSLATE_NOOP("AlertKinds", "% in use"),
     .usual = 95,
     .hasFilter = false},
    {.word = "machine", .title = QT_TRANSLATE_NOOP("AlertKinds", "A machine is lost")},
    {.word = "regression",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "Work takes longer than before"),
     .over = nullptr,
     .usual = 0,
     .hasFilter = true,
     .isEvent = true},
    {.word = "schedule_missed",
     .title = QT_TRANSLATE_NOOP("AlertKinds", "A schedule missed its time"),
     .over = nullptr,
     .usual = 0,
     .hasFilter = true,
     .isEvent = true},
    {.word = "orphan", .title = QT_TRANSLATE_NOOP("AlertKinds", "Nobody looks at an object")},
    {.word = "stuck_objects", .title = QT_TRANSLATE_NOOP("AlertKinds", "An object does not get on")},
    {.word = "gpu_lost", .title = QT_TRANSLATE_NOOP("AlertKinds", "A GPU is lost")},
}};

QString textOf(const QJsonValue& value) {
    return value.isDouble() ? QLocale::c().toString(value.toDouble(), 'g', 12) : value.toString();
}

QJsonValue numberIn(const QString& text) {
    bool good = false;
    double number = QLocale().toDouble(text.trimmed(), &good);
    if (!good) number = QLocale::c().toDouble(text.trimmed(), &good);
    return good ? QJsonValue(number) : QJsonValue(text);
}

QString lineOf(const QJsonArray& words) {
    QStringList quoted;
    for (const QJsonValue each : words) {
        QString word = each.toString();
        const bool isPlain = !word.isEmpty() && !word.contains(' ') && !word.contains('"');
        quoted << (isPlain ? word : '"' + word.replace('"', QStringLiteral("\"\"\"")) + '"');
    }
    return quoted.join(' ');
}

/// As one line, if that says the same.
std::optional<QString> alertCommandLine(const QJsonArray& words) {
    QString line = lineOf(words);
    const bool isSame = QJsonArray::fromStringList(QProcess::splitCommand(line)) == words;
    return isSame && line.size() <= kMostAlertLine ? std::optional(std::move(line)) : std::nullopt;
}

} // namespace

std::span<const AlertKind> alertKinds() {
    return kAlertKinds;
}

const AlertKind* alertKind(const QString& word) {
    const std::string wanted = word.toStdString();
    const auto found = std::ranges::find(kAlertKinds, wanted, &AlertKind::word);
    return found == kAlertKinds.end() ? nullptr : &*found;
}

QString alertKindTitle(const QString& word) {
    const AlertKind* kind = alertKind(word);
    return kind == nullptr ? word : QCoreApplication::translate("AlertKinds", kind->title);
}

AlertDraft AlertDraft::of(const QJsonObject& rule) {
    AlertDraft draft;
    draft.isForDesktop = false;
    draft.name = rule.value("name").toString();
    const QJsonObject on = rule.value("on").toObject();
    draft.kind = on.value("kind").toString();
    draft.filter = on.value("filter").toString();
    draft.over = textOf(on.value("over"));
    if (on.value("for_s").toDouble() > 0) draft.forS = textOf(on.value("for_s"));
    draft.quietS = textOf(rule.value("quiet_s"));
    draft.hours = rule.value("hours").toString();
    draft.severity = rule.value("severity").toString(QStringLiteral("warning"));
    for (const QJsonValue target : rule.value("then").toArray()) {
        const auto line =
            target["command"].isArray() ? alertCommandLine(target["command"].toArray()) : std::nullopt;
        if (target["desktop"].toBool())
            draft.isForDesktop = true;
        else if (line && draft.command.isEmpty())
            draft.command = *line;
        else if (target["webhook"].isString() && target["template"].toString("json") == "json" &&
                 draft.webhook.isEmpty())
            draft.webhook = target["webhook"].toString();
        else
            draft.others.append(target);
    }
    return draft;
}

QJsonObject AlertDraft::rule() const {
    const AlertKind* info = alertKind(kind);
    QJsonObject on{{"kind", kind}};
    if (!filter.trimmed().isEmpty() && (info == nullptr || info->hasFilter)) on.insert("filter", filter.trimmed());
    if (!over.trimmed().isEmpty() && (info == nullptr || info->over != nullptr)) on.insert("over", numberIn(over));
    if (!forS.trimmed().isEmpty() && (info == nullptr || !info->isEvent)) on.insert("for_s", numberIn(forS));
    QJsonArray then;
    if (isForDesktop) then.append(QJsonObject{{"desktop", true}});
    if (const QStringList words = QProcess::splitCommand(command); !words.isEmpty())
        then.append(QJsonObject{{"command", QJsonArray::fromStringList(words)}});
    if (!webhook.trimmed().isEmpty()) then.append(QJsonObject{{"webhook", webhook.trimmed()}});
    for (const QJsonValue other : others) then.append(other);
    QJsonObject all{
        {"name", name.trimmed()}, {"on", on}, {"then", then}, {"severity", severity}, {"hours", hours.trimmed()}};
    if (hours.trimmed().isEmpty()) all.remove("hours");
    if (!quietS.trimmed().isEmpty()) all.insert("quiet_s", numberIn(quietS));
    return all;
}

} // namespace yard::ui
