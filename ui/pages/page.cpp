#include "ui/pages/page.h"

#include "ui/widgets/panel.h"

#include <QAction>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace yard::ui {

QAction* addCommand(QWidget& on, const CommandSpec& spec, std::function<void()> act) {
    auto* action = new QAction(spec.title, &on);
    action->setObjectName(spec.id);
    action->setShortcut(spec.keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(action, &QAction::triggered, &on, [act = std::move(act)] { act(); });
    on.addAction(action);
    return action;
}

QAction* CommandMaker::operator()(const QString& id, std::function<void()> act) const {
    const auto spec = std::ranges::find(declared_, id, &CommandSpec::id);
    Q_ASSERT_X(spec != declared_.end(), "CommandMaker", qPrintable(id));
    return addCommand(on_, *spec, std::move(act));
}

void setBlocked(QAction* command, const QString& why) {
    command->setProperty("why", why);
    command->setEnabled(why.isEmpty());
}

QString blockedWhy(const QAction* command) {
    return command->isEnabled() ? QString() : command->property("why").toString();
}

QVBoxLayout* Page::makeGround() {
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    auto* ground = new Surface(Token::Bg1);
    whole->addWidget(ground);
    auto* column = new QVBoxLayout(ground);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

} // namespace yard::ui
