#include "ui/shell/command_keys.h"

#include <QSettings>

namespace yard::ui {

QString commandId(const QString& page, const QString& command) {
    return page + '/' + command;
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
