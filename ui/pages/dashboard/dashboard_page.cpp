#include "ui/pages/dashboard/dashboard_page.h"

#include "core/base/clock.h"
#include "ui/pages/actions/state_chips.h"
#include "ui/pages/dashboard/failures_panel.h"
#include "ui/pages/dashboard/first_start.h"
#include "ui/pages/dashboard/load_charts.h"
#include "ui/pages/dashboard/processor_panel.h"
#include "ui/pages/dashboard/state_strip.h"
#include "ui/pages/dashboard/waiting_panel.h"
#include "ui/pages/queues/queue_commands.h"
#include "ui/pages/queues/queue_drop.h"
#include "ui/pages/queues/queue_rows.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"
#include "ui/widgets/whole_rows.h"

#include <QGridLayout>
#include <QJsonArray>
#include <QLocale>
#include <QMenu>
#include <QSettings>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kDashboardGap = 12;
constexpr int kDashboardEdge = 16;

} // namespace

DashboardPage::DashboardPage(Context context)
    : Page(context)
    , head_(new PageHead(tr("Dashboard")))
    , span_(new Button(Button::Kind::Plain, {}, {}))
    , spans_(new QMenu(this))
    , stack_(new QStackedWidget)
    , first_(new FirstStart(context))
    , strip_(new StateStrip)
    , charts_(new LoadCharts(context))
    , queues_(new Table("dashboard-queues"))
    , queueRows_(new RowsModel(queueColumns(true), this))
    , queueCommands_(new QueueCommands(context, queues_, queues_))
    , processor_(new ProcessorPanel(context))
    , failures_(new FailuresPanel(context))
    , waiting_(new WaitingPanel(context)) {
    QVBoxLayout* inside = makeGround();
    inside->addWidget(head_);
    head_->addRight(new Label(tr("Charts show"), Type::Body, Token::Text2));
    head_->addRight(span_);
    makeSpanMenu();
    stack_->addWidget(scrolling(makeBody())); // nothing is squeezed over what is below it
    stack_->addWidget(first_);
    inside->addWidget(stack_, 1);

    connect(strip_, &StateStrip::chosen, this,
            [this](DisplayState face) { context_.navigator.show("actions", "state:" + filterWordOf(face)); });
    connect(charts_, &LoadCharts::changed, this,
            [this] { processor_->setMachine(charts_->othersCores(), charts_->memoryBytes()); });
    connect(waiting_, &WaitingPanel::changed, this, &DashboardPage::updateCounts);
    connect(&context_.state, &EngineState::queuesChanged, this, [this] {
        if (active_) updateQueues();
    });
    for (const auto signal : {&EngineState::countsChanged, &EngineState::sessionChanged})
        connect(&context_.state, signal, this, [this] {
            if (active_) updateCounts();
        });
    connect(&context_.state, &EngineState::connectionChanged, this, &DashboardPage::updateHead);
    connect(&context_.state, &EngineState::refreshed, this, [this] { lookedAt_ = {}; });
    updateHead();
    updateCounts();
    updateQueues();
}

QWidget* DashboardPage::makeBody() {
    auto* body = new Surface(Token::Bg1);
    auto* grid = new QGridLayout(body);
    grid->setContentsMargins(kDashboardEdge, 0, kDashboardEdge, kDashboardEdge);
    grid->setSpacing(kDashboardGap);
    grid->addWidget(strip_, 0, 0, 1, 2);
    grid->addWidget(charts_, 1, 0, 1, 2);
    grid->addWidget(makeQueues(), 2, 0);
    grid->addWidget(processor_, 2, 1);
    grid->addWidget(failures_, 3, 0);
    grid->addWidget(waiting_, 3, 1);
    grid->setColumnStretch(0, 2);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(1, 176);
    grid->setRowStretch(2, 252);
    grid->setRowStretch(3, 246);
    // The stretch alone decides, not what tables would like.
    charts_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    charts_->setMinimumHeight(scaled(128));
    for (QWidget* panel : std::initializer_list<QWidget*>{queuePanel_, processor_, failures_, waiting_}) {
        panel->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
        panel->setMinimumSize(scaled(240), scaled(32 + 26 + 3 * 24));
    }
    return body;
}

QWidget* DashboardPage::makeQueues() {
    queuePanel_ = new Panel(tr("Queues"));
    queuePanel_->setIcon("queues");
    allDone_ = new Label({}, Type::Body, Token::Text2);
    queuePanel_->addToHead(allDone_);
    queues_->setRows(queueRows_);
    queues_->setObjectName("pane");
    queues_->setAccessibleName(tr("Queues"));
    queuePanel_->setBody(new WholeRows(queues_));
    new QueueDrop(context_, queues_, queueIdOf);
    connect(queues_, &Table::opened, this,
            [this](qint64 row) { context_.navigator.showThing("queues", queueIdOf(row)); });
    connect(queues_, &Table::selectionEdited, queueCommands_, &QueueCommands::update);
    connect(queues_, &Table::menuWanted, queueCommands_, &QueueCommands::showMenu);
    return queuePanel_;
}

void DashboardPage::makeSpanMenu() {
    for (const int minutes : {15, 60, 24 * 60})
        spans_
            ->addAction(minutes == 15   ? tr("15 minutes")
                        : minutes == 60 ? tr("1 hour")
                                        : tr("24 hours"),
                        this, [this, minutes] { setSpan(minutes); })
            ->setData(minutes);
    span_->setMenu(spans_);
    setSpan(QSettings().value("dashboard/minutes", 15).toInt());
}

void DashboardPage::setSpan(int minutes) {
    const QList<QAction*> actions = spans_->actions();
    const auto chosen =
        std::ranges::find(actions, minutes, [](const QAction* action) { return action->data().toInt(); });
    if (chosen == actions.end()) return setSpan(15);
    span_->setText((*chosen)->text());
    span_->setAccessibleName(tr("Charts show %1").arg((*chosen)->text()));
    QSettings().setValue("dashboard/minutes", minutes);
    charts_->setSpan(minutes);
}

void DashboardPage::setActive(bool active) {
    active_ = active;
    charts_->setActive(active);
    processor_->setActive(active);
    failures_->setActive(active);
    waiting_->setActive(active);
    if (!active) return;
    lookedAt_ = {};
    updateHead();
    updateCounts();
    updateQueues();
}

void DashboardPage::updateHead() {
    const QJsonObject machine = context_.state.session().value("machine").toObject();
    const Format format;
    QStringList words;
    if (!machine.isEmpty()) {
        words << machine.value("name").toString() << tr("%1 cores").arg(machine.value("cores").toInt())
              << format.size(machine.value("memory_bytes").toInteger());
        if (const int gpus = machine.value("gpus").toInt(); gpus > 0) words << tr("%1 GPUs").arg(gpus);
    }
    const bool live = context_.state.isLive();
    if (!live && context_.state.asOf().isValid())
        words << tr("as of %1")
                     .arg(QLocale().toString(context_.state.asOf().toLocalTime(), QStringLiteral("HH:mm:ss")));
    head_->setNote(words.join(QStringLiteral(", ")));
    failures_->setBlocked(context_.state.whyBlocked());
    first_->setAddress(context_.link.address().toString());
}

bool DashboardPage::isEmpty() const {
    return hasNothingToDo() && (nothingEver() || bare_);
}

/// The counts of the session never go back.
bool DashboardPage::nothingEver() const {
    return std::ranges::all_of(context_.state.counts(),
                               [](const QJsonValue& count) { return count.toInteger() == 0; });
}

/// The counts of a queue never go back either, but a queue that is deleted takes its own along.
bool DashboardPage::hasNothingToDo() const {
    return !context_.state.counts().isEmpty() &&
           std::ranges::all_of(context_.state.queues(),
                               [](const auto& queue) { return queue.second.total() == 0; });
}

/// Asks the engine whether it still has actions of queues that are gone.
void DashboardPage::lookForWork() {
    if (!hasNothingToDo()) {
        bare_ = false;
        lookedAt_ = {};
        return;
    }
    if (bare_ || looking_ || nothingEver() || lookedAt_ == context_.state.counts()) return;
    looking_ = true;
    lookedAt_ = context_.state.counts();
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("limit", "1");
    sendList(context_.link, request, this, [this](const Answer& answer) {
        looking_ = false;
        if (!answer.ok()) lookedAt_ = {};
        bare_ = answer.ok() && hasNothingToDo() && answer.json.value("jobs").toArray().isEmpty();
        showWorkOrStart();
    });
}

void DashboardPage::showWorkOrStart() {
    stack_->setCurrentIndex(isEmpty() ? 1 : 0);
}

void DashboardPage::updateCounts() {
    auto counts = faceCounts(context_.state);
    auto& retry = counts[std::to_underlying(DisplayState::Retry)];
    if (!retry) {
        retry = waiting_->retrying();
        auto& pending = counts[std::to_underlying(DisplayState::Pending)];
        if (retry && pending) pending = std::max<qint64>(0, *pending - *retry);
    }
    strip_->show(counts);
    lookForWork();
    showWorkOrStart();
    failures_->refresh();
    waiting_->refresh();
    updateHead();
}

void DashboardPage::updateQueues() {
    const Format format;
    const qint64 now = wallNow();
    std::vector<Row> rows;
    qint64 finish = 0;
    bool known = true;
    for (const auto& [id, queue] : context_.state.queues()) {
        rows.push_back(queueRow(format, queue));
        if (queue.active == 0) continue;
        known = known && queue.finish > 0 && !queue.held;
        finish = std::max(finish, queue.finish);
    }
    lookForWork();
    showWorkOrStart();
    queuePanel_->setNote(format.number(static_cast<std::int64_t>(rows.size())));
    queueRows_->setRows(std::move(rows));
    queueCommands_->update();
    allDone_->setText(
        known && finish > now
            ? tr("all work done in about %1, %2")
                  .arg(format.duration(Duration(std::chrono::microseconds(finish - now))),
                       QLocale().toString(QDateTime::fromMSecsSinceEpoch(finish / 1'000), QStringLiteral("HH:mm")))
            : QString());
}

void DashboardPage::takeUpdates() {
    queueRows_->takeWaiting();
    processor_->rows()->takeWaiting();
    failures_->rows()->takeWaiting();
    waiting_->rows()->takeWaiting();
}

QList<QAction*> DashboardPage::commands() const {
    return queueCommands_->all();
}

QString DashboardPage::yardctlOf(const QAction* command) const {
    return queueCommands_->yardctlOf(command);
}

bool DashboardPage::closeInnermost() {
    for (Table* table : {queues_, processor_->table(), failures_->table(), waiting_->table()})
        if (table->selectionModel()->hasSelection()) {
            table->clearSelection();
            return true;
        }
    return false;
}

Operation DashboardPage::asOperation() const {
    if (const auto ids = failures_->table()->selectedIds(); !ids.empty()) return operations::look(Target::of(ids));
    return {tr("Dashboard"), {"GET", "session", {}, {}}, "yardctl session"};
}

} // namespace yard::ui
