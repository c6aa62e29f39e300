#include "ui/shell/command_keys.h"

#include <QSettings>

namespace yard::ui {

QString commandId(const QString& page, const QString& command) {
    return page + '/' + command;
}

QString pageKey(int place) {
    constexpr int kDigits = 10;
    if (place > kDigits + 1) return {};
    return place > kDigits ? QStringLiteral("`") : QString::number(place % kDigits);
}

QKeySequence chosenKeys(const QString& id, const QKeySequence& comesWith) {
    const QVariant own = QSettings().value("keys/" + id);
    return own.isValid() ? QKeySequence(own.toString()) : comesWith;
}

void keepKeys(const QString& id, const QKeySequence& comesWith, const QKeySequence& keys) {
    if (keys == comesWith)
        QSettings().remove("keys/" + id);
    else
        QSettings().setValue("keys/" + id, keys.toString());
}

} // namespace yard::ui
