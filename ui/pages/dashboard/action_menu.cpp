#include "ui/pages/dashboard/action_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QJsonDocument>
#include <QMenu>

namespace yard::ui {

namespace {
struct ActionMenu {
    Q_DECLARE_TR_FUNCTIONS(ActionMenu)
};
} // namespace

void showActionMenu(Context& context, QWidget* parent, const QJsonObject& job, const QPoint& global) {
    const qint64 lsn = job.value("lsn").toInteger();
    const qint64 queue = job.value("queue_id").toInteger();
    const QString state = job.value("state").toString();
    const bool ended = state != u"pending" && state != u"running" && state != u"submitting";
    const Target target = Target::of({lsn});
    QMenu menu(parent);
    menu.addAction(ActionMenu::tr("Open"), [&] { context.navigator.showAction(lsn); });
    menu.addAction(ActionMenu::tr("Log"), [&] { context.navigator.showAction(lsn, "output"); });
    menu.addSeparator();
    menu.addAction(ActionMenu::tr("Reschedule"), [&] { context.commands.run(operations::reschedule(target)); })
        ->setEnabled(state == u"failed" || state == u"abandoned");
    menu.addAction(ActionMenu::tr("Cancel"), [&] { context.commands.run(operations::cancel(target)); })
        ->setEnabled(!ended);
    menu.addAction(ActionMenu::tr("Retire"), [&] { context.commands.run(operations::retire(target)); })
        ->setEnabled(ended);
    menu.addSeparator();
    menu.addAction(ActionMenu::tr("Show same queue"),
                   [&] { context.navigator.show("actions", QStringLiteral("queue:%1").arg(queue)); });
    if (const QString worker = job.value("worker_name").toString(); !worker.isEmpty())
        menu.addAction(ActionMenu::tr("Show same worker"),
                       [&] { context.navigator.show("actions", "worker:" + worker); });
    menu.addSeparator();
    QMenu* copyAs = menu.addMenu(ActionMenu::tr("Copy as"));
    const auto copy = [&](const QString& title, const QString& text) {
        copyAs->addAction(title, [text] { QApplication::clipboard()->setText(text); });
    };
    copy(ActionMenu::tr("LSN"), QString::number(lsn));
    const Operation show = operations::look(target);
    copy(ActionMenu::tr("yardctl"), context.link.yardctl(show.yardctl));
    copy(ActionMenu::tr("curl"), context.link.curl(show.request));
    copy(ActionMenu::tr("JSON"), QString::fromUtf8(QJsonDocument(job).toJson()));
    menu.exec(global);
}

} // namespace yard::ui
