#include "ui/pages/queues/queues_page.h"

#include "ui/pages/queues/queue_drop.h"

#include "ui/pages/queues/new_queue.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/style/format.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLocale>
#include <QMenu>
#include <QSplitter>

#include <utility>

namespace yard::ui {

namespace {

enum QueueColumn : std::uint8_t {
    kName,
    kState,
    kWeight,
    kProgress,
    kDone,
    kWaiting,
    kRunning,
    kCompleted,
    kFailed,
    kPerMinute,
    kFinish
};

std::vector<Column> columns() {
    const auto tr = [](const char* text) { return QueuesPage::tr(text); };
    return {
        {"name", tr("Queue"), tr("The queue's tag, or its number"), CellKind::Name, 154, false, 0, false, "name"},
        {"state", tr("State"), tr("Whether it starts actions"), CellKind::Text, 80, false, 0, false, "state"},
        {"weight", tr("Weight"), tr("Its share of the machine against other queues"), CellKind::Number, 58, false,
         2, false, "weight"},
        {"progress",
         tr("Progress"),
         tr("Actions by state; the legend is below"),
         CellKind::Progress,
         138,
         true,
         0,
         false,
         {}},
        {"done", tr("Done"), tr("Share of its actions that are in a final state"), CellKind::Number, 66, false, 0,
         false, "done"},
        {"waiting", tr("Waiting"), tr("Actions pending, held or waiting to be retried"), CellKind::Number, 66,
         false, 0, false, "waiting"},
        {"running", tr("Running"), tr("Actions running now"), CellKind::Number, 64, false, 0, false, "running"},
        {"completed", tr("Completed"), tr("Actions that succeeded"), CellKind::Number, 84, false, 3, false,
         "completed"},
        {"failed", tr("Failed"), tr("Actions that failed for good"), CellKind::Number, 54, false, 0, false,
         "failed"},
        {"per-minute", tr("Per min"), tr("Actions that ended within the last minute"), CellKind::Number, 62, false,
         1, false, "rate"},
        {"finish", tr("Finish in"), tr("When what waits and runs should be done"), CellKind::Number, 92, false, 0,
         false, "finish"},
    };
}

/// Rows need ids other than 0, which queue 0 has.
qint64 rowIdOf(qint64 queue) {
    return queue + 1;
}

QString wordOfState(const QueueInfo& queue) {
    if (queue.state == "draining") return QueuesPage::tr("Draining");
    if (queue.state == "cancelled") return QueuesPage::tr("Cancelled");
    return queue.held ? QueuesPage::tr("Held") : QueuesPage::tr("Active");
}

Cell nameCell(const QueueInfo& queue) {
    Cell cell{queue.name()};
    if (queue.state == "draining")
        cell.icon = "drain";
    else if (queue.state == "cancelled")
        cell.face = Face::Cancelled;
    else if (queue.held)
        cell.face = Face::Held;
    else
        cell.face = queue.running() > 0 ? Face::Running : Face::Pending;
    return cell;
}

Cell number(const Format& format, qint64 value, bool bad = false) {
    Cell cell{format.number(value)};
    if (bad && value > 0) cell.tone = Cell::Tone::Alert;
    return cell;
}

Cell finishCell(const Format& format, const QueueInfo& queue) {
    if (queue.held && queue.active > 0) return {QueuesPage::tr("on release"), {}, {}, {}, Cell::Tone::Dim};
    if (queue.finish == 0 || queue.active == 0) return {Format::unknown()};
    const qint64 left = queue.finish - QDateTime::currentMSecsSinceEpoch() * 1'000;
    return {format.duration(Duration(std::chrono::microseconds(std::max<qint64>(0, left))))};
}

QString ratePerMinute(const QueueInfo& queue) {
    if (queue.perMinute <= 0) return Format::unknown();
    return QLocale().toString(queue.perMinute, 'f', queue.perMinute < 10 ? 1 : 0);
}

Row rowOf(const Format& format, const QueueInfo& queue) {
    Row row;
    row.id = rowIdOf(queue.id);
    const auto weight = static_cast<qint64>(queue.config.value("weight").toDouble(1));
    Cell progress;
    progress.shares = queue.shares;
    progress.text = format.percent(queue.done(), queue.total());
    progress.tip = QueuesPage::tr("%1 completed, %2 failed, %3 abandoned, %4 cancelled, %5 running, %6 waiting")
                       .arg(format.number(queue.of(Face::Completed)), format.number(queue.of(Face::Failed)),
                            format.number(queue.of(Face::Abandoned)), format.number(queue.of(Face::Cancelled)),
                            format.number(queue.running()), format.number(queue.waiting()));
    row.cells = {nameCell(queue),
                 {wordOfState(queue), {}, {}, {}, Cell::Tone::Dim},
                 number(format, weight),
                 progress,
                 {format.percent(queue.done(), queue.total())},
                 number(format, queue.waiting()),
                 number(format, queue.running()),
                 number(format, queue.of(Face::Completed)),
                 number(format, queue.of(Face::Failed), true),
                 {ratePerMinute(queue)},
                 finishCell(format, queue)};
    const double done =
        queue.total() > 0 ? static_cast<double>(queue.done()) / static_cast<double>(queue.total()) : 0;
    row.keys = {QVariant(),
                QVariant(),
                weight,
                QVariant(),
                done,
                queue.waiting(),
                queue.running(),
                queue.of(Face::Completed),
                queue.of(Face::Failed),
                queue.perMinute,
                queue.finish};
    return row;
}

} // namespace

QueuesPage::QueuesPage(Context context)
    : Page(context)
    , head_(new PageHead(tr("Queues")))
    , filter_(new FilterField(tr("Filter queues"), false))
    , hold_(new Button(Button::Kind::Plain, tr("Hold"), "hold"))
    , drain_(new Button(Button::Kind::Plain, tr("Drain…"), "drain"))
    , cancel_(new Button(Button::Kind::Plain, tr("Cancel…"), "close"))
    , badge_(new Button(Button::Kind::Plain, {}, {}))
    , table_(new Table("queues"))
    , rows_(new RowsModel(columns(), this))
    , panel_(new QueuePanel(context)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* back = new Surface(Token::Bg1);
    auto* inside = new QVBoxLayout(back);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(0);
    filter_->setMaximumWidth(scaled(260));
    head_->addLeft(filter_, 1);
    badge_->setLit(true);
    badge_->setHint(tr("F5"));
    badge_->hide();
    head_->addRight(badge_);
    auto* fresh = new Button(Button::Kind::Plain, tr("New queue…"), "plus");
    for (QWidget* button : {hold_, drain_, cancel_}) head_->addRight(button);
    head_->addSeparator();
    head_->addRight(fresh);
    inside->addWidget(head_);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setRowHeight(32);
    table_->setObjectName("pane");
    setFocusProxy(table_);
    table_->setAccessibleName(tr("Queues"));
    panel_->setObjectName("pane");
    split->addWidget(table_);
    split->addWidget(panel_);
    split->setStretchFactor(0, 1);
    split->setSizes({900, scaled(340)});
    inside->addWidget(split, 1);
    column->addWidget(back);
    makeCommands();
    new QueueDrop(context_, table_, [](qint64 row) { return row - 1; });

    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        rows_->setFilter(text.isEmpty() ? std::function<bool(const Row&)>() : [text](const Row& row) {
            return row.cells[kName].text.contains(text, Qt::CaseInsensitive);
        });
        emit filterEdited(text);
    });
    connect(fresh, &QAbstractButton::clicked, this, [this] { askNewQueue(this, context_); });
    connect(hold_, &QAbstractButton::clicked, this, [this] {
        const QueueInfo* queue = selected();
        (queue != nullptr && queue->held ? releaseAction_ : holdAction_)->trigger();
    });
    connect(drain_, &QAbstractButton::clicked, drainAction_, &QAction::trigger);
    connect(cancel_, &QAbstractButton::clicked, cancelAction_, &QAction::trigger);
    connect(badge_, &QAbstractButton::clicked, this, &QueuesPage::takeUpdates);
    connect(rows_, &TableModel::waitingChanged, this, [this](int count) {
        badge_->setText(tr("%n update(s) wait", nullptr, count));
        badge_->setVisible(count > 0);
    });
    connect(table_, &Table::selectionEdited, this, &QueuesPage::onSelection);
    connect(table_, &Table::opened, this, [this] { showActions_->trigger(); });
    connect(table_, &Table::typed, this, [this](const QString& text) {
        filter_->setFocus();
        filter_->insert(text);
    });
    connect(table_, &Table::menuWanted, this, &QueuesPage::showMenu);
    connect(&context_.state, &EngineState::queuesChanged, this, [this] {
        if (active_) refill();
    });
    refill();
    onSelection();
}

void QueuesPage::setActive(bool active) {
    active_ = active;
    if (active) refill();
}

void QueuesPage::refill() {
    const Format format;
    std::vector<Row> rows;
    rows.reserve(context_.state.queues().size());
    for (const auto& [id, queue] : context_.state.queues()) rows.push_back(rowOf(format, queue));
    head_->setNote(format.number(static_cast<std::int64_t>(rows.size())));
    rows_->setRows(std::move(rows));
    if (!table_->selectionModel()->hasSelection() && rows_->rowCount() > 0 && panel_->queue() < 0)
        panel_->show(rows_->idAt(0) - 1);
    panel_->refresh();
    onSelection();
}

const QueueInfo* QueuesPage::selected() const {
    const auto ids = table_->selectedIds();
    return ids.empty() ? nullptr : context_.state.queue(ids.front() - 1);
}

void QueuesPage::forSelected(const std::function<void(const QueueInfo&)>& act) {
    for (const qint64 id : table_->selectedIds())
        if (const QueueInfo* queue = context_.state.queue(id - 1)) act(QueueInfo(*queue));
}

void QueuesPage::onSelection() {
    const QueueInfo* queue = selected();
    const QString none = tr("Select a queue first");
    const QString first = tr("The default queue can be held, but not drained, cancelled or deleted");
    hold_->setBlocked(queue == nullptr ? none : QString());
    const bool held = queue != nullptr && queue->held;
    hold_->setText(held ? tr("Release") : tr("Hold"));
    hold_->setIconName(held ? "release" : "hold");
    const QString ends = queue == nullptr ? none : queue->id == 0 ? first : QString();
    drain_->setBlocked(ends);
    cancel_->setBlocked(ends);
    for (QAction* action : {drainAction_, cancelAction_, deleteAction_}) action->setEnabled(ends.isEmpty());
    for (QAction* action : {showActions_, showFailures_, rescheduleFailures_, copyToken_})
        action->setEnabled(queue != nullptr);
    holdAction_->setEnabled(queue != nullptr && !queue->held);
    releaseAction_->setEnabled(held);
    if (queue != nullptr) panel_->show(queue->id);
}

void QueuesPage::makeCommands() {
    const auto make = [this](const QString& title, const QKeySequence& keys, auto act) {
        auto* action = new QAction(title, this);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, act);
        addAction(action);
        return action;
    };
    const auto refOf = [](const QueueInfo& queue) { return QStringLiteral("queue:%1").arg(queue.id); };
    showActions_ = make(tr("Show actions"), {}, [=, this] {
        if (const QueueInfo* queue = selected()) context_.navigator.show("actions", refOf(*queue));
    });
    showFailures_ = make(tr("Show failures"), {}, [=, this] {
        if (const QueueInfo* queue = selected())
            context_.navigator.show("actions", "state:failed " + refOf(*queue));
    });
    rescheduleFailures_ = make(tr("Reschedule failures"), QKeySequence("Ctrl+R"), [=, this] {
        forSelected([&](const QueueInfo& queue) {
            const qint64 count = queue.of(Face::Failed);
            const Operation operation =
                operations::reschedule(Target::matching("state:failed " + refOf(queue), count));
            if (count > 20)
                context_.commands.runUndoable(operation);
            else if (count > 0)
                context_.commands.run(operation);
        });
    });
    holdAction_ = make(tr("Hold"), QKeySequence("Ctrl+H"), [this] {
        forSelected(
            [&](const QueueInfo& queue) { context_.commands.run(operations::holdQueue(queue.id, queue.name())); });
    });
    releaseAction_ = make(tr("Release"), {}, [this] {
        forSelected([&](const QueueInfo& queue) {
            context_.commands.run(operations::releaseQueue(queue.id, queue.name()));
        });
    });
    drainAction_ = make(tr("Drain…"), {}, [this] { drain(); });
    cancelAction_ = make(tr("Cancel…"), QKeySequence("Ctrl+Del"), [this] { cancel(); });
    deleteAction_ = make(tr("Delete…"), QKeySequence("Shift+Del"), [this] { remove(); });
    copyToken_ = make(tr("Copy token"), {}, [this] {
        if (const QueueInfo* queue = selected()) QApplication::clipboard()->setText(queue->token);
    });
}

void QueuesPage::drain() {
    forSelected([this](const QueueInfo& queue) {
        if (context_.navigator.ask(tr("Drain %1?").arg(queue.name()),
                                   tr("It takes no new actions from then on; the %n it has run to their end.",
                                      nullptr, static_cast<int>(queue.active)),
                                   tr("Drain %1").arg(queue.name()), tr("Leave it")))
            context_.commands.run(operations::drainQueue(queue.id, queue.name()));
    });
}

void QueuesPage::cancel() {
    forSelected([this](const QueueInfo& queue) {
        const QString count = QLocale().toString(queue.active);
        if (context_.navigator.ask(
                tr("Cancel %1 actions in %2?").arg(count, queue.name()),
                tr("%1 are running and are ended; the queue takes no more. This cannot be undone.")
                    .arg(QLocale().toString(queue.running())),
                tr("Cancel %1 actions").arg(count), tr("Keep them")))
            context_.commands.run(operations::cancelQueue(queue.id, queue.name(), queue.active));
    });
}

void QueuesPage::remove() {
    forSelected([this](const QueueInfo& queue) {
        if (context_.navigator.ask(
                tr("Delete %1?").arg(queue.name()),
                tr("%n action(s) of it are cancelled. Its finished actions stay. This cannot be undone.", nullptr,
                   static_cast<int>(queue.active)),
                tr("Delete %1").arg(queue.name()), tr("Keep it")))
            context_.commands.run(operations::deleteQueue(queue.id, queue.name()));
    });
}

void QueuesPage::showMenu(const QPoint& global) {
    QMenu menu(this);
    menu.addActions({showActions_, showFailures_, rescheduleFailures_});
    menu.addSeparator();
    menu.addActions({holdAction_, releaseAction_, drainAction_, cancelAction_, deleteAction_});
    menu.addSeparator();
    menu.addAction(copyToken_);
    menu.exec(global);
}

void QueuesPage::setFilter(const QString& filter) {
    filter_->setText(filter);
}
QString QueuesPage::filter() const {
    return filter_->text();
}
void QueuesPage::focusFilter() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}
void QueuesPage::takeUpdates() {
    rows_->takeWaiting();
}
void QueuesPage::open(qint64 queue, const QString&) {
    table_->selectId(rowIdOf(queue));
    panel_->show(queue);
}

QList<QAction*> QueuesPage::commands() const {
    return {showActions_, showFailures_, rescheduleFailures_, holdAction_, releaseAction_,
            drainAction_, cancelAction_, deleteAction_,       copyToken_};
}

bool QueuesPage::closeInnermost() {
    if (!table_->selectionModel()->hasSelection()) return false;
    table_->clearSelection();
    return true;
}

Operation QueuesPage::asOperation() const {
    const QueueInfo* queue = selected();
    if (queue == nullptr) return {tr("Queues"), {"GET", "queues", {}, {}}, "yardctl queues"};
    return queue->held ? operations::releaseQueue(queue->id, queue->name())
                       : operations::holdQueue(queue->id, queue->name());
}

} // namespace yard::ui
