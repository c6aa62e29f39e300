#include "ui/state/schedule_draft.h"

#include "ui/style/format.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <cmath>

namespace yard::ui {

namespace {

struct ScheduleWords {
    Q_DECLARE_TR_FUNCTIONS(ScheduleWords)
};

constexpr double kMicrosASecond = 1e6;

/// The line that a shell is given; empty: it is anything else.
QString shellLineOf(const QJsonObject& action) {
    const QJsonArray argv = action.value("argv").toArray();
    const bool isLine = action.value("worker").toString() == u"exec" && argv.size() == 3 &&
                        argv[0].toString() == u"/bin/sh" && argv[1].toString() == u"-c";
    return isLine ? argv[2].toString() : QString();
}

QJsonValue numberIfAny(const QString& text) {
    bool isNumber = false;
    const double number = text.trimmed().toDouble(&isNumber);
    return isNumber ? QJsonValue(number) : QJsonValue(text);
}

QString allDigits(double number) {
    return QString::number(number, 'g', 15);
}

QDateTime momentWritten(const QString& text) {
    for (const char* format : {"yyyy-MM-dd HH:mm", "yyyy-MM-dd HH:mm:ss"})
        if (auto moment = QDateTime::fromString(text.trimmed(), QLatin1String(format)); moment.isValid())
            return moment;
    return {};
}

} // namespace

ScheduleRun readScheduleRun(const QJsonObject& json) {
    const QJsonObject action = json.value("actions").toArray().at(0).toObject();
    return {.due = json.value("due").toInteger(),
            .at = json.value("t").toInteger(),
            .outcome = json.value("outcome").toString(),
            .isLate = json.value("late").toBool(),
            .skipped = json.value("skipped").toInteger(),
            .lsn = action.value("lsn").toInteger(),
            .error = json.value("error").toString()};
}

ScheduleInfo readSchedule(const QJsonObject& json) {
    ScheduleInfo info{.name = json.value("name").toString(),
                      .cron = json.value("cron").toString(),
                      .zone = json.value("timezone").toString(),
                      .every = json.value("every_s").toDouble(),
                      .at = json.value("at").toInteger(),
                      .next = json.value("next").toInteger(),
                      .isPaused = json.value("paused").toBool(),
                      .broken = json.value("broken").toString(),
                      .unfinished = json.value("unfinished").toInteger(),
                      .queue = json.value("queue").toVariant().toString(),
                      .json = json};
    if (json.contains("last")) info.last = readScheduleRun(json.value("last").toObject());
    return info;
}

std::vector<ScheduleInfo> readSchedules(const QJsonObject& json) {
    std::vector<ScheduleInfo> all;
    for (const QJsonValue each : json.value("schedules").toArray()) all.push_back(readSchedule(each.toObject()));
    return all;
}

std::vector<qint64> readScheduleTimes(const QJsonObject& json) {
    std::vector<qint64> times;
    for (const QJsonValue each : json.value("times").toArray()) times.push_back(each.toInteger());
    return times;
}

QString whenWords(const ScheduleInfo& schedule, WallMicros now) {
    if (!schedule.cron.isEmpty())
        return unturned(schedule.zone.isEmpty() ? schedule.cron : schedule.cron + ' ' + schedule.zone);
    const Format format;
    if (schedule.every > 0)
        return ScheduleWords::tr("every %1")
            .arg(format.duration(Duration(static_cast<std::int64_t>(schedule.every * kMicrosASecond))));
    return ScheduleWords::tr("once, %1").arg(format.coming(schedule.at, now));
}

ScheduleDraft ScheduleDraft::of(const QJsonObject& schedule) {
    const ScheduleInfo info = readSchedule(schedule);
    ScheduleDraft draft;
    draft.name = info.name;
    draft.cron = info.cron;
    draft.zone = info.zone;
    draft.queue = info.queue;
    if (info.every > 0) {
        draft.when = When::Every;
        draft.every = allDigits(info.every);
    } else if (info.at > 0) {
        draft.when = When::At;
        draft.at = QDateTime::fromMSecsSinceEpoch(info.at / 1'000).toString("yyyy-MM-dd HH:mm:ss");
    }
    draft.command = shellLineOf(schedule.value("action").toObject());
    draft.hasOtherWork = draft.command.isEmpty();
    if (!draft.hasOtherWork) draft.action = schedule.value("action").toObject();
    if (const QString missed = schedule.value("missed").toString(); !missed.isEmpty()) draft.missed = missed;
    if (const QString overlap = schedule.value("overlap").toString(); !overlap.isEmpty()) draft.overlap = overlap;
    if (const double jitter = schedule.value("jitter_s").toDouble(); jitter > 0) draft.jitter = allDigits(jitter);
    return draft;
}

QJsonObject ScheduleDraft::schedule() const {
    QJsonObject json{{"name", name}, {"missed", missed}, {"overlap", overlap}};
    if (when == When::Cron) {
        json.insert("cron", cron.trimmed());
        json.insert("timezone", zone.trimmed());
    } else if (when == When::Every) {
        json.insert("every_s", numberIfAny(every));
    } else {
        const QDateTime moment = momentWritten(at);
        json.insert("at", moment.isValid() ? QJsonValue(moment.toMSecsSinceEpoch() * 1'000) : QJsonValue(at));
    }
    if (!command.trimmed().isEmpty()) {
        QJsonObject line = action;
        line.insert("worker", "exec");
        line.insert("argv", QJsonArray{"/bin/sh", "-c", command});
        json.insert("action", line);
    }
    if (!queue.trimmed().isEmpty()) json.insert("queue", queue.trimmed());
    json.insert("jitter_s", jitter.trimmed().isEmpty() ? QJsonValue(0) : numberIfAny(jitter));
    return json;
}

QJsonObject ScheduleDraft::changesTo(const ScheduleDraft& before) const {
    QJsonObject json = schedule();
    const QJsonObject known = before.schedule();
    json.remove("name");
    for (const char* member : {"cron", "every_s", "at", "action"}) {
        const QLatin1String key(member);
        if (json.contains(key) && json.value(key) == known.value(key)) json.remove(key);
    }
    if (!json.contains("queue")) json.insert("queue", "");
    return json;
}

std::vector<qint64> ScheduleDraft::timesWithoutEngine(WallMicros now, qint64 anchor, int most) const {
    std::vector<qint64> times;
    if (when == When::At) {
        const QDateTime moment = momentWritten(at);
        if (const qint64 micros = moment.isValid() ? moment.toMSecsSinceEpoch() * 1'000 : 0; micros > now)
            times.push_back(micros);
    }
    if (when != When::Every) return times;
    const double step = every.trimmed().toDouble() * kMicrosASecond;
    if (!(step >= kMicrosASecond && step <= 366.0 * 86'400 * 10 * kMicrosASecond)) return times;
    const qint64 from = anchor > 0 && anchor <= now ? anchor : now;
    const double passed = std::floor(static_cast<double>(now - from) / step);
    for (int i = 1; i <= most; ++i) times.push_back(from + std::llround((passed + i) * step));
    return times;
}

} // namespace yard::ui
