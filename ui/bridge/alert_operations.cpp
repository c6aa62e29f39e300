#include "ui/bridge/alert_operations.h"

#include <QCoreApplication>
#include <QUrl>

namespace yard::ui::operations {

namespace {

QString pathOf(const QString& name) {
    return "alerts/" + QString::fromLatin1(QUrl::toPercentEncoding(name));
}

QString alertTitle(const char* text, const QString& name) {
    return QCoreApplication::translate("Operation", text).arg(name);
}

} // namespace

Request lookAtAlerts() {
    return {"GET", "alerts"};
}

Request tryAlert(const QJsonObject& rule) {
    return {"POST", "alerts/test", {}, jsonBody({{"rule", rule}})};
}

Operation addAlert(const QJsonObject& rule) {
    return {alertTitle(QT_TRANSLATE_NOOP("Operation", "Add alert %1"), rule.value("name").toString()),
            {"POST", "alerts", {}, jsonBody(rule)},
            {}};
}

Operation changeAlert(const QString& name, const QJsonObject& changes) {
    return {alertTitle(QT_TRANSLATE_NOOP("Operation", "Change alert %1"), name),
            {"PATCH", pathOf(name), {}, jsonBody(changes)},
            {}};
}

Operation removeAlert(const QString& name) {
    return {alertTitle(QT_TRANSLATE_NOOP("Operation", "Remove alert %1"), name),
            {"DELETE", pathOf(name)},
            "yardctl alerts rm " + name};
}

Operation silenceAlert(const QString& name, int seconds) {
    return {alertTitle(seconds > 0 ? QT_TRANSLATE_NOOP("Operation", "Silence alert %1")
                                   : QT_TRANSLATE_NOOP("Operation", "End the silence of alert %1"),
                       name),
            {"POST", pathOf(name) + "/silence", {}, jsonBody({{"s", seconds}})},
            QStringLiteral("yardctl alerts silence %1 %2s").arg(name).arg(seconds)};
}

} // namespace yard::ui::operations
