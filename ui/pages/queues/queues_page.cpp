#include "ui/pages/queues/queues_page.h"

#include "ui/pages/queues/new_queue.h"
#include "ui/pages/queues/queue_commands.h"
#include "ui/pages/queues/queue_drop.h"
#include "ui/pages/queues/queue_panel.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/pages/queues/queue_work.h"
#include "ui/pages/queues/schedules_pane.h"
#include "ui/style/format.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLocale>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>

#include <utility>

namespace yard::ui {

QueuesPage::QueuesPage(Context context)
    : FilteredPage(context, new FilterField(tr("Filter queues"), false))
    , head_(new PageHead(tr("Queues")))
    , tabs_(new Tabs({tr("Queues"), tr("Schedules")}))
    , stack_(new QStackedWidget)
    , hold_(new Button(Button::Kind::Plain, tr("Hold"), "hold"))
    , drain_(new Button(Button::Kind::Plain, tr("Drain…"), "drain"))
    , cancel_(new Button(Button::Kind::Plain, tr("Cancel…"), "close"))
    , fresh_(new Button(Button::Kind::Plain, tr("New queue…"), "plus"))
    , badge_(new UpdatesBadge)
    , table_(new Table("queues"))
    , rows_(new RowsModel(queueColumns(false), this))
    , panel_(new QueuePanel(context))
    , work_(new QueueWork(context))
    , schedules_(new SchedulesPane(context))
    , commands_(new QueueCommands(context, table_, this)) {
    QVBoxLayout* inside = makeGround();
    filter_->setMaximumWidth(scaled(260));
    head_->addLeft(tabs_);
    head_->addLeft(filter_, 1);
    head_->addRight(badge_);
    for (QWidget* button : {hold_, drain_, cancel_}) head_->addRight(button);
    head_->addSeparator();
    head_->addRight(fresh_);
    inside->addWidget(head_);
    tabs_->setAccessibleName(tr("Queues and schedules"));
    stack_->addWidget(makeQueues());
    stack_->addWidget(schedules_);
    schedules_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // hidden, it widens no window
    inside->addWidget(stack_, 1);
    new QueueDrop(context_, table_, queueIdOf);
    connectHead();
    connectAll();
    refill();
    onSelection();
}

QWidget* QueuesPage::makeQueues() {
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setRowHeight(32);
    table_->setObjectName("pane");
    setFocusProxy(table_);
    table_->setAccessibleName(tr("Queues"));
    panel_->setObjectName("pane");
    auto* left = new QSplitter(Qt::Vertical);
    left->setChildrenCollapsible(false);
    left->addWidget(table_);
    left->addWidget(work_);
    left->setStretchFactor(0, 2);
    left->setStretchFactor(1, 3);
    left->setSizes({scaled(310), scaled(480)});
    table_->setMinimumHeight(scaled(26 + 3 * 32));
    split->addWidget(left);
    split->addWidget(panel_);
    split->setStretchFactor(0, 1);
    split->setSizes({900, scaled(340)});
    return split;
}

void QueuesPage::showTab(Tab tab) {
    tabs_->setCurrent(tab);
    stack_->setCurrentIndex(tab);
    const bool isQueues = tab == QueuesTab;
    const auto policy = isQueues ? QSizePolicy::Ignored : QSizePolicy::Preferred;
    schedules_->setSizePolicy(policy, policy);
    filter_->setPlaceholderText(isQueues ? tr("Filter queues") : tr("Filter schedules"));
    setFocusProxy(isQueues ? static_cast<QWidget*>(table_) : schedules_);
    setActive(active_);
    onSelection();
}

void QueuesPage::connectHead() {
    connect(tabs_, &Tabs::chosen, this, [this](int tab) { showTab(static_cast<Tab>(tab)); });
    connect(schedules_, &SchedulesPane::counted, this, [this](int schedules) {
        tabs_->setNote(SchedulesTab, schedules > 0 ? QLocale().toString(schedules) : QString());
    });
}

void QueuesPage::connectAll() {
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        rows_->setFilter(text.isEmpty() ? std::function<bool(const Row&)>() : [text](const Row& row) {
            return row.cells[kQueueName].text.contains(text, Qt::CaseInsensitive);
        });
        schedules_->setFilter(text);
        emit filterEdited(text);
    });
    connect(fresh_, &QAbstractButton::clicked, this, [this] { askNewQueue(this, context_); });
    connect(hold_, &QAbstractButton::clicked, this, [this] {
        const QueueInfo* queue = commands_->selected();
        (queue != nullptr && queue->held ? commands_->release() : commands_->hold())->trigger();
    });
    connect(drain_, &QAbstractButton::clicked, commands_->drain(), &QAction::trigger);
    connect(cancel_, &QAbstractButton::clicked, commands_->cancel(), &QAction::trigger);
    connect(badge_, &QAbstractButton::clicked, this, &QueuesPage::takeUpdates);
    connect(rows_, &TableModel::waitingChanged, badge_, &UpdatesBadge::setCount);
    connect(table_, &Table::selectionEdited, this, &QueuesPage::onSelection);
    connect(&context_.state, &EngineState::connectionChanged, this, &QueuesPage::onSelection);
    connect(table_, &Table::opened, this, [this] { commands_->showActions()->trigger(); });
    connect(table_, &Table::typed, this, &QueuesPage::typeInFilter);
    connect(table_, &Table::menuWanted, commands_, &QueueCommands::showMenu);
    connect(&context_.state, &EngineState::queuesChanged, this, [this] {
        if (active_) refill();
    });
}

void QueuesPage::setActive(bool active) {
    active_ = active;
    const bool isQueues = stack_->currentIndex() == QueuesTab;
    work_->setActive(active && isQueues);
    panel_->setActive(active && isQueues);
    schedules_->setActive(active && !isQueues);
    if (active) refill();
}

void QueuesPage::refill() {
    const Format format;
    std::vector<Row> rows;
    rows.reserve(context_.state.queues().size());
    for (const auto& [id, queue] : context_.state.queues()) rows.push_back(queueRow(format, queue));
    head_->setNote(format.number(static_cast<std::int64_t>(rows.size())));
    rows_->setRows(std::move(rows));
    if (!table_->selectionModel()->hasSelection() && rows_->rowCount() > 0 && panel_->queue() < 0)
        showQueue(queueIdOf(rows_->idAt(0)));
    panel_->refresh();
    work_->refresh();
    onSelection();
}

void QueuesPage::onSelection() {
    commands_->update();
    const QueueInfo* queue = commands_->selected();
    const bool held = queue != nullptr && queue->held;
    const QString elsewhere = stack_->currentIndex() == SchedulesTab ? tr("Go to the tab Queues first") : QString();
    hold_->setBlocked(elsewhere.isEmpty() ? commands_->holdBlocked() : elsewhere);
    fresh_->setBlocked(context_.state.whyBlocked());
    hold_->setText(held ? tr("Release") : tr("Hold"));
    hold_->setIconName(held ? "release" : "hold");
    for (Button* button : {drain_, cancel_})
        button->setBlocked(elsewhere.isEmpty() ? commands_->endsBlocked() : elsewhere);
    if (queue == nullptr) return;
    showQueue(queue->id);
}

void QueuesPage::showQueue(qint64 queue) {
    panel_->show(queue);
    work_->show(queue);
}

void QueuesPage::takeUpdates() {
    rows_->takeWaiting();
    schedules_->takeUpdates();
}
void QueuesPage::open(qint64 queue, const QString&) {
    showTab(QueuesTab);
    table_->selectId(rowIdOf(queue));
    showQueue(queue);
}

QList<QAction*> QueuesPage::commands() const {
    return commands_->all();
}

QString QueuesPage::yardctlOf(const QAction* command) const {
    return commands_->yardctlOf(command);
}

bool QueuesPage::closeInnermost() {
    return dropSelection(*table_);
}

Operation QueuesPage::asOperation() const {
    const QueueInfo* queue = commands_->selected();
    if (queue == nullptr) return {tr("Queues"), {"GET", "queues", {}, {}}, "yardctl queues"};
    return operations::lookAtQueue(queue->id);
}

} // namespace yard::ui
