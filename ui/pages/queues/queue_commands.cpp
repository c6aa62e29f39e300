#include "ui/pages/queues/queue_commands.h"

#include "core/model/limits.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/style/format.h"
#include "ui/widgets/mark_menu.h"
#include "ui/widgets/table.h"
#include "ui/widgets/text_view.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QJsonValue>
#include <QLocale>
#include <QMenu>
#include <QPointer>

#include <utility>

namespace yard::ui {

namespace {

QString filterOf(const QueueInfo& queue) {
    return QStringLiteral("queue:%1").arg(queue.id);
}

} // namespace

std::vector<CommandSpec> QueueCommands::declared() {
    return {{"show-actions", tr("Show actions")},
            {"show-failures", tr("Show failures")},
            {"reschedule-failures", tr("Reschedule failures"), QKeySequence("Ctrl+R")},
            {"hold", tr("Hold"), QKeySequence("Ctrl+H")},
            {"release", tr("Release")},
            {"drain", tr("Drain…")},
            {"cancel", tr("Cancel…"), QKeySequence("Ctrl+Del")},
            {"delete", tr("Delete…"), QKeySequence("Shift+Del")},
            {"copy-token", tr("Copy token")}};
}

QueueCommands::QueueCommands(Context context, Table* table, QWidget* owner)
    : QObject(table)
    , context_(context)
    , table_(table) {
    const CommandMaker make(*owner, declared());
    showActions_ = make("show-actions", [this] {
        if (const QueueInfo* queue = selected()) context_.navigator.show("actions", filterOf(*queue));
    });
    showFailures_ = make("show-failures", [this] {
        if (const QueueInfo* queue = selected())
            context_.navigator.show("actions", "state:failed " + filterOf(*queue));
    });
    rescheduleFailures_ = make("reschedule-failures", [this] { rescheduleFailures(); });
    hold_ = make("hold", [this] {
        forSelected(
            [&](const QueueInfo& queue) { context_.commands.run(operations::holdQueue(queue.id, queue.name())); });
    });
    release_ = make("release", [this] {
        forSelected([&](const QueueInfo& queue) {
            context_.commands.run(operations::releaseQueue(queue.id, queue.name()));
        });
    });
    drain_ = make("drain", [this] { askToDrain(); });
    cancel_ = make("cancel", [this] { askToCancel(); });
    delete_ = make("delete", [this] { askToDelete(); });
    copyToken_ = make("copy-token", [this] {
        if (const QueueInfo* queue = selected()) QApplication::clipboard()->setText(queue->token);
    });
    connect(&context_.state, &EngineState::connectionChanged, this, &QueueCommands::update);
    update();
}

const QueueInfo* QueueCommands::selected() const {
    const auto ids = table_->selectedIds();
    return ids.empty() ? nullptr : context_.state.queue(queueIdOf(ids.front()));
}

void QueueCommands::forSelected(const std::function<void(const QueueInfo&)>& act) {
    const QPointer<QueueCommands> here(this); // it may go while a question about one of them is open
    for (const qint64 id : table_->selectedIds()) {
        if (here.isNull()) return;
        if (const QueueInfo* queue = context_.state.queue(queueIdOf(id))) act(QueueInfo(*queue));
    }
}

QString QueueCommands::holdBlocked() const {
    return selected() == nullptr ? tr("Select a queue first") : context_.state.whyBlocked();
}

QString QueueCommands::endsBlocked() const {
    if (const QString why = holdBlocked(); !why.isEmpty()) return why;
    const QueueInfo* queue = selected();
    return queue->id == 0 ? tr("The default queue can be held, but not drained, cancelled or deleted") : QString();
}

void QueueCommands::update() {
    const QueueInfo* queue = selected();
    const QString none = queue == nullptr ? tr("Select a queue first") : QString();
    const QString ends = endsBlocked();
    for (QAction* action : {drain_, cancel_, delete_}) setBlocked(action, ends);
    for (QAction* action : {showActions_, showFailures_, copyToken_}) setBlocked(action, none);
    if (const QString why = holdBlocked(); !why.isEmpty()) {
        for (QAction* action : {rescheduleFailures_, hold_, release_}) setBlocked(action, why);
        return;
    }
    setBlocked(rescheduleFailures_,
               queue->of(DisplayState::Failed) > 0 ? QString() : tr("Nothing of it has failed"));
    setBlocked(hold_, queue->held ? tr("It is held already") : QString());
    setBlocked(release_, queue->held ? QString() : tr("It is not held"));
}

void QueueCommands::rescheduleFailures() {
    forSelected([&](const QueueInfo& queue) {
        const Target failed = Target::matching("state:failed " + filterOf(queue), queue.of(DisplayState::Failed));
        context_.commands.change(reschedulingOf(failed));
    });
}

/// False also where nobody is left to do it.
bool QueueCommands::isMeant(const QString& question, const QString& lost, const QString& verb,
                            const QString& keep) {
    return answered(this, [&] { return context_.window.ask(question, lost, verb, keep); }).value_or(false);
}

void QueueCommands::askToDrain() {
    forSelected([this](const QueueInfo& queue) {
        const QString lost = tr("It takes no new actions from then on; the %n it has run to their end.", nullptr,
                                static_cast<int>(queue.active));
        if (isMeant(tr("Drain %1?").arg(queue.name()), lost, tr("Drain %1").arg(queue.name()), tr("Leave it")))
            context_.commands.run(operations::drainQueue(queue.id, queue.name()));
    });
}

void QueueCommands::askToCancel() {
    forSelected([this](const QueueInfo& queue) {
        const int active = pluralCount(queue.active);
        const auto running = static_cast<int>(queue.running());
        if (isMeant(
                tr("Cancel %Ln action(s) in %1?", nullptr, active).arg(queue.name()),
                tr("%Ln run(s) and end(s) now; the queue takes no more. This cannot be undone.", nullptr, running),
                tr("Cancel %Ln action(s)", nullptr, active), tr("Keep them")))
            context_.commands.run(operations::cancelQueue(queue.id, queue.name(), queue.active));
    });
}

void QueueCommands::askToDelete() {
    forSelected([this](const QueueInfo& queue) {
        if (isMeant(tr("Delete %1?").arg(queue.name()),
                    tr("%n action(s) of it are cancelled. Its finished actions stay. This cannot be undone.",
                       nullptr, static_cast<int>(queue.active)),
                    tr("Delete %1").arg(queue.name()), tr("Keep it")))
            context_.commands.run(operations::deleteQueue(queue.id, queue.name()));
    });
}

void QueueCommands::showMenu(const QPoint& global) {
    update();
    Transient<QMenu> menu(table_);
    menu->addActions({showActions_, showFailures_, rescheduleFailures_});
    menu->addSeparator();
    menu->addActions({hold_, release_, drain_, cancel_, delete_});
    menu->addAction(tr("Set weight…"), this, &QueueCommands::setWeight)->setEnabled(holdBlocked().isEmpty());
    menu->addSeparator();
    addMarkMenu(*menu, [this](Mark mark) {
        forSelected([&](const QueueInfo& queue) {
            context_.commands.run(operations::markQueue(queue.id, queue.name(), mark));
        });
    })->setEnabled(holdBlocked().isEmpty());
    menu->addAction(tr("Comment…"), this, &QueueCommands::comment)->setEnabled(holdBlocked().isEmpty());
    menu->addSeparator();
    menu->addAction(copyToken_);
    addCopyAs(*menu);
    (void)menu.run(global);
}

/// What shows it, for a script, and what is known of it.
void QueueCommands::addCopyAs(QMenu& menu) {
    const QueueInfo* queue = selected();
    if (queue == nullptr) return;
    QMenu* entries = menu.addMenu(tr("Copy as"));
    const auto copy = [&](const QString& title, const QString& text) {
        entries->addAction(title, this, [this, text] { copyText(context_.window, text); });
    };
    const Operation show = operations::lookAtQueue(queue->id);
    copy(tr("yardctl"), context_.link.yardctl(show.yardctl));
    copy(tr("curl"), context_.link.curl(show.request));
    copy(tr("JSON"), jsonText(queue->json));
}

void QueueCommands::setWeight() {
    const QueueInfo* first = selected();
    if (first == nullptr) return;
    bool good = false;
    const double now = first->config.value("weight").toDouble(1);
    const auto weight = answered(this, [&] {
        return QInputDialog::getDouble(lastingWindow(table_), tr("Set weight"), tr("Share against other queues"),
                                       now, kLeastWeight, kMostWeight, 3, &good);
    });
    if (!good || !weight) return;
    forSelected([&](const QueueInfo& queue) {
        context_.commands.run(operations::configureQueue(queue.id, queue.name(), {{"weight", *weight}}));
    });
}

void QueueCommands::comment() {
    const QueueInfo* queue = selected();
    if (queue == nullptr) return;
    const qint64 id = queue->id;
    const QString name = queue->name();
    // While it is typed, another may be selected, or this go.
    const auto text = answered(this, [this] { return askForComment(lastingWindow(table_)); });
    if (text && !text->isEmpty()) context_.commands.run(operations::commentQueue(id, name, *text));
}

QString QueueCommands::yardctlOf(const QAction* command) const {
    const QueueInfo* queue = selected();
    if (queue == nullptr) return {};
    if (command == hold_) return operations::holdQueue(queue->id, queue->name()).yardctl;
    if (command == release_) return operations::releaseQueue(queue->id, queue->name()).yardctl;
    if (command == drain_) return operations::drainQueue(queue->id, queue->name()).yardctl;
    if (command == cancel_) return operations::cancelQueue(queue->id, queue->name(), queue->active).yardctl;
    if (command == delete_) return operations::deleteQueue(queue->id, queue->name()).yardctl;
    if (command == showActions_) return "yardctl ls " + shellWord(filterOf(*queue));
    if (command == showFailures_) return "yardctl ls " + shellWord("state:failed " + filterOf(*queue));
    if (command == rescheduleFailures_)
        return operations::reschedule(Target::matching("state:failed " + filterOf(*queue))).yardctl;
    return {};
}

QList<QAction*> QueueCommands::all() const {
    return {showActions_, showFailures_, rescheduleFailures_, hold_, release_, drain_,
            cancel_,      delete_,       copyToken_};
}

} // namespace yard::ui
