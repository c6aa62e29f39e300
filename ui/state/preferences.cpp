#include "ui/state/preferences.h"

#include <QSettings>

namespace yard::ui {

namespace {

QString preferenceKeyOf(const QString& name) {
    return QStringLiteral("preferences/") + name;
}

/// As QSettings reads what was written to "general/".
QString formerKeyOf(const QString& name) {
    return QStringLiteral("General/") + name;
}

} // namespace

QVariant preference(const QString& name, const QVariant& usual) {
    QSettings settings;
    const QString key = preferenceKeyOf(name);
    const QString former = formerKeyOf(name);
    if (settings.contains(former)) {
        if (!settings.contains(key)) settings.setValue(key, settings.value(former));
        settings.remove(former);
    }
    return settings.value(key, usual);
}

void setPreference(const QString& name, const QVariant& value) {
    QSettings settings;
    settings.remove(formerKeyOf(name));
    if (value.isValid())
        settings.setValue(preferenceKeyOf(name), value);
    else
        settings.remove(preferenceKeyOf(name));
}

} // namespace yard::ui
