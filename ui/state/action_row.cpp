#include "ui/state/action_row.h"

#include "core/model/result.h"
#include "ui/style/paint.h"

#include <QCoreApplication>
#include <QHash>
#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace yard::ui {

namespace {

qint64 rowTimeOf(const QJsonObject& times, const char* name) {
    return times.value(QLatin1String(name)).toInteger();
}

std::optional<Duration> rowBetween(qint64 from, qint64 to) {
    if (from == 0 || to == 0) return std::nullopt;
    return Duration(std::chrono::microseconds(std::max<qint64>(0, to - from)));
}

} // namespace

QString givenWords(const QJsonObject& given) {
    QStringList words;
    for (auto at = given.begin(); at != given.end(); ++at) {
        QStringList names;
        for (const QJsonValue name : at.value().toArray()) names << name.toString();
        words << at.key() + ' ' + names.join(',');
    }
    return words.join(' ');
}

Measures measuresOf(const QJsonObject& json) {
    Measures measures;
    for (const MeasureInfo& info : kMeasureTable) {
        const QJsonValue value =
            json.value(QLatin1String(info.name.data(), static_cast<qsizetype>(info.name.size())));
        if (!value.isDouble()) continue;
        measures[info.measure] =
            info.unit == MeasureUnit::Microseconds ? std::llround(value.toDouble() * 1e6) : value.toInteger();
    }
    return measures;
}

ActionRow actionRowOf(const QJsonObject& json) {
    ActionRow row;
    row.lsn = json.value("lsn").toInteger();
    row.queue = json.value("queue_id").toInteger();
    row.workerId = json.value("worker").toString();
    row.worker = json.value("worker_name").toString();
    row.function = json.value("function").toString();
    row.label = json.value("label").toString();
    row.name = json.value("name").toString();
    row.reason = json.value("reason").toString();
    row.note = json.value("note").toString();
    row.machine = json.value("machine").toString();
    row.given = givenWords(json.value("resources_given").toObject());
    row.mark = markFrom(json.value("mark").toString().toStdString()).value_or(Mark::None);
    row.replacedBy = json.value("replaced_by").toInteger();
    row.held = json.value("held").toBool();
    row.face = faceOf(json.value("state").toString().toStdString(), row.held, json.contains("retry_at"));
    row.cancelling = json.value("ending").toString() == "cancelled";
    if (json.contains("exit_code")) row.exitCode = json.value("exit_code").toInt();
    if (json.contains("index")) row.index = json.value("index").toInteger();
    row.priority = json.value("priority").toInt();
    row.place = json.value("place").toInteger();
    row.measures = measuresOf(json);
    if (json.contains("usage")) row.cpuPercent = json.value("usage").toObject().value("cpu_percent").toDouble();
    const QJsonObject times = json.value("timestamps").toObject();
    row.created = rowTimeOf(times, "new");
    row.pending = rowTimeOf(times, "pending");
    row.submitting = rowTimeOf(times, "submitting");
    row.started = rowTimeOf(times, "running");
    row.exited = rowTimeOf(times, "exited");
    const QJsonObject estimate = json.value("estimate").toObject();
    row.expected = estimate.value("finish").toInteger();
    row.gap = estimate.value("unknown").toString();
    for (const char* end : {"completed", "failed", "abandoned", "cancelled"})
        row.finished = std::max(row.finished, rowTimeOf(times, end));
    const auto state = actionStateFrom(json.value("state").toString().toStdString());
    row.tries = triesOf(state.value_or(ActionState::New), json.value("retry_count").toInt(), row.submitting);
    return row;
}

QString ActionRow::what() const {
    if (!name.isEmpty()) return name;
    return !label.isEmpty() ? label : !function.isEmpty() ? function : worker; // of an engine from before
}

QString ActionRow::stateWord() const {
    return cancelling && !isFinal() ? QCoreApplication::translate("ActionRow", "Cancelling") : wordOf(face);
}

bool ActionRow::isPending() const {
    return face == DisplayState::Pending || face == DisplayState::Held || face == DisplayState::Retry;
}

bool ActionRow::canGoAgain() const {
    return face == DisplayState::Failed || face == DisplayState::Abandoned;
}

bool ActionRow::isFinal() const {
    return canGoAgain() || face == DisplayState::Completed || face == DisplayState::Cancelled;
}

std::optional<Duration> ActionRow::ran(qint64 now) const {
    if (started == 0) return std::nullopt;
    const qint64 end = exited != 0 ? exited : finished;
    return rowBetween(started, end != 0 ? end : face == DisplayState::Running ? now : 0);
}

std::optional<Duration> ActionRow::waited(qint64 now) const {
    const auto [from, until] = yard::waitingTime(created, pending, submitting, isFinal() ? finished : 0);
    return rowBetween(from, until != 0 || isFinal() ? until : now);
}

std::optional<Duration> ActionRow::prepared(qint64 now) const {
    return rowBetween(submitting, started != 0 ? started : face == DisplayState::Submitting ? now : 0);
}

QString ActionRow::kindFilter() const {
    QString filter = "worker:" + filterQuoted(worker);
    if (!function.isEmpty()) filter += " function:" + filterQuoted(function);
    if (!label.isEmpty())
        filter += " label:" + filterQuoted(label);
    else if (function.isEmpty() && !name.isEmpty())
        filter += " name:" + filterQuoted(name);
    return filter;
}

QString filterQuoted(const QString& value) {
    return '"' + QString(value).replace('"', '*') + '"';
}

QString wordOfReason(const QString& reason, std::optional<int> exitCode, int signal) {
    if (reason == "exit_code")
        return QCoreApplication::translate("Reason", "exit code %1").arg(exitCode.value_or(-1));
    if (reason == "signal") return QCoreApplication::translate("Reason", "signal %1").arg(signal);
    static const QHash<QString, const char*> words{
        {"deadline", QT_TRANSLATE_NOOP("Reason", "deadline passed")},
        {"memory", QT_TRANSLATE_NOOP("Reason", "memory limit")},
        {"cancelled", QT_TRANSLATE_NOOP("Reason", "cancelled")},
        {"abandoned", QT_TRANSLATE_NOOP("Reason", "abandoned")},
        {"engine_died", QT_TRANSLATE_NOOP("Reason", "the engine died")},
        {"engine_stopped", QT_TRANSLATE_NOOP("Reason", "the engine was stopped")},
        {"spawn_error", QT_TRANSLATE_NOOP("Reason", "could not be started")},
        {"lost_runner", QT_TRANSLATE_NOOP("Reason", "the runner was lost")},
        {"memory_pressure", QT_TRANSLATE_NOOP("Reason", "the machine ran out of memory")},
        {"worker_crashed", QT_TRANSLATE_NOOP("Reason", "the worker crashed")},
        {"missing_output", QT_TRANSLATE_NOOP("Reason", "an output is missing")},
        {"result_too_large", QT_TRANSLATE_NOOP("Reason", "its result is too large")},
        {"dependency_failed", QT_TRANSLATE_NOOP("Reason", "what it waited for failed")},
        {"gpu_lost", QT_TRANSLATE_NOOP("Reason", "its GPU was lost")},
        {"gpu_memory", QT_TRANSLATE_NOOP("Reason", "GPU memory limit")}};
    const auto found = words.find(reason);
    return found == words.end() ? reason : QCoreApplication::translate("Reason", *found);
}

} // namespace yard::ui
