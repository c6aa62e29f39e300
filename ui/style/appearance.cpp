#include "ui/style/appearance.h"

#include "ui/style/type.h"

#include <QSettings>

#include <cmath>

namespace yard::ui {

Appearance Appearance::stored() {
    const QSettings settings;
    Appearance look;
    const QString theme = settings.value("appearance/theme").toString();
    if (theme == "dark") look.theme = Theme::Choice::Dark;
    if (theme == "light") look.theme = Theme::Choice::Light;
    look.systemFont = settings.value("appearance/system-font").toBool();
    const int percent = settings.value("appearance/text-percent", 100).toInt();
    if (percent >= 90 && percent <= 150) look.textPercent = percent;
    if (settings.value("appearance/row-height", 24).toInt() == 28) look.rowHeight = 28;
    return look;
}

void Appearance::store() const {
    QSettings settings;
    settings.setValue("appearance/theme", theme == Theme::Choice::Dark    ? "dark"
                                          : theme == Theme::Choice::Light ? "light"
                                                                          : "system");
    settings.setValue("appearance/system-font", systemFont);
    settings.setValue("appearance/text-percent", textPercent);
    settings.setValue("appearance/row-height", rowHeight);
}

bool Appearance::apply() const {
    Theme::changeable().choose(theme);
    const double scale = textPercent / 100.0;
    const bool same =
        std::abs(textScale() - scale) < 1e-6 && usesSystemFont() == systemFont && tableRowHeight() == rowHeight;
    if (same) return false;
    setTableRowHeight(rowHeight);
    setSystemFont(systemFont);
    setTextScale(scale);
    return true;
}

} // namespace yard::ui
