#include "ui/pages/dashboard/action_menu.h"

#include "ui/pages/action_entries.h"
#include "ui/widgets/transient.h"

#include <QCoreApplication>
#include <QMenu>

namespace yard::ui {

namespace {
struct ActionMenu {
    Q_DECLARE_TR_FUNCTIONS(ActionMenu)
};
} // namespace

void showActionMenu(Context& context, QWidget* parent, const QJsonObject& job, const QPoint& global) {
    const ActionRow row = actionRowOf(job);
    const qint64 lsn = row.lsn;
    const Target target = Target::of({lsn});
    Transient<QMenu> menu(parent);
    menu->addAction(ActionMenu::tr("Open"), [&] { context.navigator.showAction(lsn); });
    menu->addAction(ActionMenu::tr("Log"), [&] { context.navigator.showAction(lsn, "output"); });
    menu->addAction(ActionMenu::tr("Compare with the last good one"),
                    [&] { context.navigator.showAction(lsn, "history"); });
    menu->addSeparator();
    menu->addAction(ActionMenu::tr("Reschedule"), [&] { context.commands.run(operations::reschedule(target)); })
        ->setEnabled(row.canGoAgain());
    menu->addAction(ActionMenu::tr("Cancel"), [&] { context.commands.run(operations::cancel(target)); })
        ->setEnabled(!row.isFinal());
    menu->addAction(ActionMenu::tr("Retire"), [&] { context.commands.run(operations::retire(target)); })
        ->setEnabled(row.isFinal());
    menu->addSeparator();
    addPlaces(*menu, context, parent, row);
    menu->addSeparator();
    addCopyAs(*menu, context, parent, target, &row);
    (void)menu.run(global);
}

} // namespace yard::ui
