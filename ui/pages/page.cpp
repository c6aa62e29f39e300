#include "ui/pages/page.h"

#include <QAction>

#include <utility>

namespace yard::ui {

QAction* addCommand(QWidget& on, const QString& title, const QKeySequence& keys, std::function<void()> act) {
    auto* action = new QAction(title, &on);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(action, &QAction::triggered, &on, [act = std::move(act)] { act(); });
    on.addAction(action);
    return action;
}

void setBlocked(QAction* command, const QString& why) {
    command->setProperty("why", why);
    command->setEnabled(why.isEmpty());
}

QString blockedWhy(const QAction* command) {
    return command->isEnabled() ? QString() : command->property("why").toString();
}

} // namespace yard::ui
