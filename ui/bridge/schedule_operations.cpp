#include "ui/bridge/schedule_operations.h"

#include <QCoreApplication>
#include <QUrl>

namespace yard::ui::operations {

namespace {

QString pathOfSchedule(const QString& name) {
    return "schedules/" + QString::fromLatin1(QUrl::toPercentEncoding(name));
}

QString scheduleTitle(const char* text, const QString& name) {
    return QCoreApplication::translate("Operation", text).arg(name);
}

} // namespace

Request lookAtSchedules() {
    return {"GET", "schedules"};
}

Request lookAtSchedule(const QString& name) {
    return {"GET", pathOfSchedule(name)};
}

Request tryCron(const QString& line, const QString& zone, int count, qint64 after) {
    QUrlQuery query;
    const auto add = [&query](const char* name, const QString& value) {
        query.addQueryItem(QString::fromLatin1(name), QString::fromLatin1(QUrl::toPercentEncoding(value)));
    };
    add("cron", line);
    if (!zone.isEmpty()) add("timezone", zone);
    add("n", QString::number(count));
    if (after > 0) add("from", QString::number(after));
    return {"GET", "schedules/next", query};
}

Operation addSchedule(const QJsonObject& schedule) {
    return {scheduleTitle(QT_TRANSLATE_NOOP("Operation", "Add schedule %1"), schedule.value("name").toString()),
            {"POST", "schedules", {}, jsonBody(schedule)},
            {}};
}

Operation changeSchedule(const QString& name, const QJsonObject& changes) {
    return {scheduleTitle(QT_TRANSLATE_NOOP("Operation", "Change schedule %1"), name),
            {"PATCH", pathOfSchedule(name), {}, jsonBody(changes)},
            {}};
}

Operation removeSchedule(const QString& name) {
    return {scheduleTitle(QT_TRANSLATE_NOOP("Operation", "Remove schedule %1"), name),
            {"DELETE", pathOfSchedule(name)},
            "yardctl schedules rm " + name};
}

Operation runSchedule(const QString& name) {
    return {scheduleTitle(QT_TRANSLATE_NOOP("Operation", "Run schedule %1 now"), name),
            {"POST", pathOfSchedule(name) + "/run"},
            "yardctl schedules run " + name};
}

Operation pauseSchedule(const QString& name, bool paused) {
    return {scheduleTitle(paused ? QT_TRANSLATE_NOOP("Operation", "Pause schedule %1")
                                 : QT_TRANSLATE_NOOP("Operation", "Resume schedule %1"),
                          name),
            {"POST", pathOfSchedule(name) + (paused ? "/pause" : "/resume")},
            (paused ? "yardctl schedules pause " : "yardctl schedules resume ") + name};
}

} // namespace yard::ui::operations
