#include "ui/pages/workers/workers_page.h"

#include "core/base/clock.h"
#include "ui/pages/workers/worker_panel.h"
#include "ui/style/format.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMenu>
#include <QPainter>

#include <algorithm>
#include <iterator>

namespace yard::ui {

namespace {

struct WorkerColumns {
    Q_DECLARE_TR_FUNCTIONS(WorkerColumns)
};

constexpr int kUprightFrom = 1'600; // at 100 %: with larger text both parts need more
constexpr int kAgainMs = 5'000;
constexpr int kMostRuns = 200;
constexpr int kWorkersMostCounted = 1'000;
constexpr std::size_t kMostWithFigures = 100; ///< workers; of others only what they are
constexpr qint64 kWeek = 7LL * 24 * 3'600 * 1'000'000;

std::vector<Column> figureColumns() {
    return {
        {.id = "running",
         .title = WorkerColumns::tr("Running"),
         .tip = WorkerColumns::tr("Its actions that run now"),
         .kind = CellKind::Number,
         .width = 64,
         .sort = "running"},
        {.id = "waiting",
         .title = WorkerColumns::tr("Waiting"),
         .tip = WorkerColumns::tr("Its actions that are pending"),
         .kind = CellKind::Number,
         .width = 72,
         .sort = "waiting"},
        {.id = "failed",
         .title = WorkerColumns::tr("Failed (7 d)"),
         .tip = WorkerColumns::tr("Its actions that failed within the last 7 days"),
         .kind = CellKind::Number,
         .width = 88,
         .sort = "failed"},
        {.id = "usual",
         .title = WorkerColumns::tr("Usual time"),
         .tip = WorkerColumns::tr("Median of the completed ones of its last 200 runs"),
         .kind = CellKind::Number,
         .width = 92,
         .sort = "usual"},
        {.id = "peak",
         .title = WorkerColumns::tr("Peak mem."),
         .tip = WorkerColumns::tr("The most memory of its last 200 runs"),
         .kind = CellKind::Number,
         .width = 84,
         .falls = 2,
         .sort = "peak"},
        {.id = "last",
         .title = WorkerColumns::tr("Last used"),
         .tip = WorkerColumns::tr("When its newest finished action ended"),
         .kind = CellKind::Number,
         .width = 96,
         .falls = 3,
         .sort = "last"},
        {.id = "id",
         .title = WorkerColumns::tr("Id"),
         .tip = WorkerColumns::tr("The first 8 digits of its hash"),
         .kind = CellKind::Mono,
         .width = 96,
         .falls = 4},
    };
}

std::vector<Column> workersColumns() {
    std::vector<Column> all = {
        {.id = "name",
         .title = WorkerColumns::tr("Name"),
         .tip = WorkerColumns::tr("Name of the worker"),
         .kind = CellKind::Name,
         .width = 180,
         .sort = "name"},
        {.id = "version",
         .title = WorkerColumns::tr("Version"),
         .tip = WorkerColumns::tr("Version of the worker"),
         .kind = CellKind::Text,
         .width = 80,
         .sort = "version"},
        {.id = "mode",
         .title = WorkerColumns::tr("Mode"),
         .tip = WorkerColumns::tr("process: started for each action; warm: stays between actions"),
         .kind = CellKind::Text,
         .width = 72,
         .sort = "mode"},
        {.id = "functions",
         .title = WorkerColumns::tr("Functions"),
         .tip = WorkerColumns::tr("What it can run"),
         .kind = CellKind::Text,
         .width = 120,
         .stretches = true},
        {.id = "platform",
         .title = WorkerColumns::tr("Platform"),
         .tip = WorkerColumns::tr("What it was built for"),
         .kind = CellKind::Text,
         .width = 120,
         .falls = 1,
         .sort = "platform"},
    };
    std::ranges::move(figureColumns(), std::back_inserter(all));
    return all;
}

/// Nothing is registered: one dashed line, one sentence, one button.
class DropArea final : public QWidget {
public:
    explicit DropArea(const QString& sentence, Button* button) {
        auto* column = new QVBoxLayout(this);
        column->setSpacing(12);
        column->addStretch(1);
        column->addWidget(new Label(sentence, Type::Body, Token::Text2), 0, Qt::AlignHCenter);
        column->addWidget(button, 0, Qt::AlignHCenter);
        column->addStretch(1);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), Theme::current()(Token::Bg1));
        painter.setPen(QPen(Theme::current()(Token::Line2), 1, Qt::DashLine));
        painter.drawRect(rect().adjusted(16, 0, -17, -17));
    }
};

QString countText(qint64 count, bool more) {
    return Format().number(count) + (more ? QStringLiteral("+") : QString());
}

} // namespace

WorkersPage::WorkersPage(Context context)
    : FilteredPage(context, new FilterField(tr("Filter workers"), false))
    , head_(new PageHead(tr("Workers")))
    , submit_(new Button(Button::Kind::Plain, tr("Submit…"), "plus"))
    , remove_(new Button(Button::Kind::Plain, tr("Remove…"), "close"))
    , badge_(new UpdatesBadge)
    , split_(new QSplitter(Qt::Vertical))
    , table_(new Table("workers"))
    , rows_(new RowsModel(workersColumns(), this))
    , panel_(new WorkerPanel(context)) {
    QVBoxLayout* inside = makeGround();
    filter_->setMaximumWidth(scaled(260));
    head_->addLeft(filter_, 1);
    head_->addRight(badge_);
    auto* fresh = new Button(Button::Kind::Plain, tr("Register…"), "plus");
    head_->addRight(submit_);
    head_->addRight(remove_);
    head_->addSeparator();
    head_->addRight(fresh);
    inside->addWidget(head_);
    split_->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(tr("Workers"));
    split_->addWidget(table_);
    split_->addWidget(panel_);
    split_->setStretchFactor(0, 1);
    split_->setSizes({500, scaled(340)});
    inside->addWidget(split_, 1);
    auto* first = new Button(Button::Kind::Plain, tr("Register…"), "plus");
    empty_ = new DropArea(
        tr("No worker is registered. Drop a program, a folder with worker.json, or a descriptor here."), first);
    inside->addWidget(empty_, 1);
    empty_->hide();
    makeCommands();
    again_.setInterval(kAgainMs);
    for (Button* button : {fresh, first})
        connect(button, &QAbstractButton::clicked, this, [this] { context_.navigator.openRegister(); });
    connectParts();
}

void WorkersPage::connectParts() {
    connect(&again_, &QTimer::timeout, this, [this] {
        if (std::exchange(stale_, false)) ask();
    });
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        rows_->setFilter(text.isEmpty() ? std::function<bool(const Row&)>() : [text](const Row& row) {
            return row.cells[0].text.contains(text, Qt::CaseInsensitive) ||
                   row.cells[3].text.contains(text, Qt::CaseInsensitive) || row.cells[11].tip.startsWith(text);
        });
        emit filterEdited(text);
    });
    connect(submit_, &QAbstractButton::clicked, submitAction_, &QAction::trigger);
    connect(remove_, &QAbstractButton::clicked, removeAction_, &QAction::trigger);
    connect(badge_, &QAbstractButton::clicked, this, &WorkersPage::takeUpdates);
    connect(rows_, &TableModel::waitingChanged, badge_, &UpdatesBadge::setCount);
    connect(table_, &Table::selectionEdited, this, &WorkersPage::onSelection);
    connect(table_, &Table::opened, this, [this] { showActions_->trigger(); });
    connect(table_, &Table::menuWanted, this, &WorkersPage::showMenu);
    connect(table_, &Table::typed, this, &WorkersPage::typeInFilter);
    for (const auto signal : {&EngineState::workersChanged, &EngineState::refreshed})
        connect(&context_.state, signal, this, [this] {
            if (active_) ask();
        });
    connect(&context_.state, &EngineState::countsChanged, this, [this] { stale_ = true; });
    connect(&context_.state, &EngineState::connectionChanged, this, &WorkersPage::onSelection);
    onSelection();
}

void WorkersPage::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    if (!active) return again_.stop();
    again_.start();
    ask();
}

void WorkersPage::ask() {
    context_.link.send({"GET", "workers/all", {}, {}}, this, [this](const Answer& answer) {
        error_ = answer.ok() ? QString() : answer.message;
        if (answer.ok()) take(answer.json.value("workers").toArray());
        if (!told_) table_->setMessage(error_);
    });
}

void WorkersPage::take(const QJsonArray& workers) {
    told_ = true;
    std::map<QString, Worker> now;
    for (const QJsonValue value : workers) {
        const QJsonObject json = value.toObject();
        const QString id = json.value("id").toString();
        if (!numbers_.contains(id)) numbers_.insert(id, numbers_.size() + 1);
        const auto known = workers_.find(id);
        now[id] =
            Worker{numbers_.value(id), json, known == workers_.end() ? WorkerFigures{} : known->second.figures};
    }
    workers_ = std::move(now);
    std::size_t asked = 0;
    for (const auto& [id, worker] : workers_)
        if (asked++ < kMostWithFigures) askFigures(id);
    refill();
}

void WorkersPage::askFigures(const QString& id) {
    const auto list = [&](const QString& states, int limit, const QString& filter, auto takes) {
        Request request{"GET", "jobs", {}, {}};
        request.query.addQueryItem("worker", id);
        request.query.addQueryItem("state", states);
        request.query.addQueryItem("limit", QString::number(limit));
        if (!filter.isEmpty()) request.query.addQueryItem("q", filter);
        context_.link.send(request, this, [this, id, takes](const Answer& answer) {
            const auto found = workers_.find(id);
            if (!answer.ok() || found == workers_.end()) return;
            takes(found->second.figures, answer.json.value("jobs").toArray(), answer.json.contains("cursor"));
            refill();
        });
    };
    list("pending,submitting,running", kWorkersMostCounted, {}, &takeActive);
    list("completed,failed,abandoned", kMostRuns, {},
         [](WorkerFigures& figures, const QJsonArray& jobs, bool) { takeFinished(figures, jobs); });
    const qint64 since = wallNow() - kWeek;
    list("failed,abandoned", kWorkersMostCounted, QStringLiteral("finished>%1").arg(since), &takeFailed);
}

Row WorkersPage::rowOf(const Worker& worker) const {
    const Format format;
    const WorkerFigures& figures = worker.figures;
    const qint64 now = wallNow();
    const auto span = [&](qint64 micros) {
        return micros < 0 ? Format::unknown() : format.duration(Duration(std::chrono::microseconds(micros)));
    };
    const auto counted = [&](qint64 count, bool more) {
        return Cell{figures.known ? countText(count, more) : Format::unknown()};
    };
    QStringList functions;
    for (const QJsonValue function : worker.json.value("functions").toArray())
        functions << function.toObject().value("name").toString();
    Cell name{worker.json.value("name").toString()};
    name.icon = "workers";
    if (figures.running > 0) name.face = DisplayState::Running;
    Cell failed = counted(figures.failed, figures.moreFailed);
    if (figures.failed > 0) failed.tone = Cell::Tone::Alert;
    Cell last{figures.last > 0 ? format.time(figures.last, now) : Format::unknown()};
    if (figures.last > 0) last.tip = format.exactTime(figures.last, now);
    const QString id = worker.json.value("id").toString();
    Cell shortId{id.left(8), {}, {}, {}, Cell::Tone::Dim};
    shortId.tip = id;
    const QString mode = worker.json.value("mode").toString("process");
    Row row;
    row.id = worker.row;
    row.cells = {name,
                 {worker.json.value("version").toString()},
                 {mode, {}, {}, {}, Cell::Tone::Dim},
                 {functions.join(", ")},
                 {worker.json.value("platform").toString(), {}, {}, {}, Cell::Tone::Dim},
                 counted(figures.running, figures.moreActive),
                 counted(figures.waiting, figures.moreActive),
                 failed,
                 {span(figures.usual)},
                 {figures.peak < 0 ? Format::unknown() : format.size(figures.peak)},
                 last,
                 shortId};
    row.keys = {QVariant(),      QVariant(),     QVariant(),    QVariant(),   QVariant(),   figures.running,
                figures.waiting, figures.failed, figures.usual, figures.peak, figures.last, QVariant()};
    return row;
}

void WorkersPage::refill() {
    std::vector<Row> rows;
    for (const auto& [id, worker] : workers_) rows.push_back(rowOf(worker));
    // By name, newest version first: the engine's order is by hash.
    std::ranges::sort(rows, [](const Row& a, const Row& b) {
        const int names = QString::localeAwareCompare(a.cells[0].text, b.cells[0].text);
        return names != 0 ? names < 0 : QString::localeAwareCompare(a.cells[1].text, b.cells[1].text) > 0;
    });
    const bool none = told_ && rows.empty();
    empty_->setVisible(none);
    split_->setVisible(!none);
    head_->setNote(Format().number(static_cast<std::int64_t>(rows.size())));
    rows_->setRows(std::move(rows));
    onSelection();
}

const WorkersPage::Worker* WorkersPage::selected() const {
    const auto ids = table_->selectedIds();
    const qint64 row = !ids.empty() ? ids.front() : rows_->idAt(0); // the first is shown while none is chosen
    const auto found = std::ranges::find_if(workers_, [&](const auto& entry) { return entry.second.row == row; });
    return found == workers_.end() ? nullptr : &found->second;
}

void WorkersPage::onSelection() {
    const Worker* worker = selected();
    const bool chosen = table_->selectionModel() != nullptr && table_->selectionModel()->hasSelection();
    const QString unchosen = chosen ? QString() : tr("Select a worker first");
    const QString none = context_.state.isLive() ? unchosen : context_.state.whyBlocked();
    submit_->setBlocked(none);
    remove_->setBlocked(none);
    const bool warm = worker != nullptr && worker->json.value("mode") == "warm";
    for (QAction* action : {submitAction_, removeAction_}) ui::setBlocked(action, none);
    for (QAction* action : {showActions_, showTimeline_, copyId_}) ui::setBlocked(action, unchosen);
    ui::setBlocked(openPool_, chosen && !warm ? tr("Its processes are not kept warm") : unchosen);
    panel_->setVisible(worker != nullptr);
    if (worker != nullptr) panel_->show(worker->json, worker->figures);
}

std::vector<CommandSpec> WorkersPage::declared() {
    return {{"submit", tr("Submit with this worker…")},
            {"show-actions", tr("Show actions")},
            {"show-timeline", tr("Show on timeline")},
            {"open-pool", tr("Open pool group")},
            {"copy-id", tr("Copy id")},
            {"remove", tr("Remove…"), QKeySequence("Shift+Del")}};
}

void WorkersPage::makeCommands() {
    const CommandMaker maker(*this, declared());
    const auto make = [&, this](const QString& id, auto act) {
        return maker(id, [this, act] {
            if (const Worker* worker = selected()) act(*worker);
        });
    };
    submitAction_ = make("submit", [this](const Worker& worker) {
        QJsonObject action{{"worker", worker.json.value("id")}};
        const QJsonArray functions = worker.json.value("functions").toArray();
        if (!functions.isEmpty()) action.insert("function", functions.first().toObject().value("name"));
        context_.navigator.openSubmit(action);
    });
    const auto filterOf = [](const Worker& worker) { return "worker:" + worker.json.value("id").toString(); };
    showActions_ = make("show-actions",
                        [=, this](const Worker& worker) { context_.navigator.show("actions", filterOf(worker)); });
    showTimeline_ = make("show-timeline", [=, this](const Worker& worker) {
        context_.navigator.show("timelines", filterOf(worker));
    });
    openPool_ = make("open-pool", [this](const Worker& worker) {
        context_.navigator.show("pool", worker.json.value("name").toString());
    });
    copyId_ = make("copy-id", [](const Worker& worker) {
        QApplication::clipboard()->setText(worker.json.value("id").toString());
    });
    removeAction_ = make("remove", [this](const Worker&) { remove(); });
}

/// One that nothing needs goes at once: it can be registered again. One in use is asked about.
void WorkersPage::remove() {
    const Worker* worker = selected();
    if (worker == nullptr) return;
    const QString id = worker->json.value("id").toString();
    const QString name = worker->json.value("name").toString();
    const qint64 active = worker->figures.running + worker->figures.waiting;
    if (active == 0) return removeNow(id, name, false);
    const QString lost = tr("%1 of its actions wait or run; they are cancelled. This cannot be undone.")
                             .arg(countText(active, worker->figures.moreActive));
    const auto isMeant = answered(this, [&] {
        return context_.window.ask(tr("Remove %1?").arg(name), lost, tr("Remove %1").arg(name), tr("Keep it"));
    });
    if (isMeant.value_or(false)) removeNow(id, name, true);
}

void WorkersPage::removeNow(const QString& id, const QString& name, bool force) {
    context_.commands.run(operations::removeWorker(id, name, force), this, [this](const Answer& answer) {
        if (answer.ok()) table_->clearSelection(); // what was selected has gone
        ask();
    });
}

/// What shows this worker and what lists its actions, for a script.
void WorkersPage::addCopyAs(QMenu& menu, const QJsonObject& worker) {
    const QString id = worker.value("id").toString();
    const auto add = [&](const QString& title, const QString& text) {
        menu.addAction(title, this, [this, text] { copyText(context_.window, text); });
    };
    const EngineLink& link = context_.link;
    add(tr("yardctl: show it"), link.yardctl("yardctl workers show " + shellWord(id)));
    add(tr("yardctl: its actions"), link.yardctl("yardctl ls " + shellWord("worker:" + id)));
    add(tr("curl: show it"), link.curl({"GET", "workers/" + id, {}, {}, {}}));
    add(tr("JSON of the descriptor"), QString::fromUtf8(QJsonDocument(worker).toJson(QJsonDocument::Indented)));
}

void WorkersPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    menu->addActions({submitAction_, showActions_, showTimeline_, openPool_});
    menu->addSeparator();
    menu->addAction(copyId_);
    if (const Worker* worker = selected()) addCopyAs(*menu->addMenu(tr("Copy as")), worker->json);
    menu->addAction(removeAction_);
    (void)menu.run(global);
}

void WorkersPage::takeUpdates() {
    rows_->takeWaiting();
    ask();
}

QList<QAction*> WorkersPage::commands() const {
    return {submitAction_, showActions_, showTimeline_, openPool_, copyId_, removeAction_};
}

bool WorkersPage::closeInnermost() {
    return dropSelection(*table_);
}

Operation WorkersPage::asOperation() const {
    const bool chosen = table_->selectionModel()->hasSelection();
    const Worker* worker = chosen ? selected() : nullptr;
    if (worker == nullptr) return {tr("Workers"), {"GET", "workers/all", {}, {}}, "yardctl workers"};
    const QString id = worker->json.value("id").toString();
    return {tr("Worker"), {"GET", "workers/" + id, {}, {}}, "yardctl workers show " + id};
}

void WorkersPage::resizeEvent(QResizeEvent* event) {
    FilteredPage::resizeEvent(event);
    const bool beside = window()->width() >= scaled(kUprightFrom);
    if ((split_->orientation() == Qt::Horizontal) == beside) return;
    split_->setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
    panel_->setUpright(beside);
    split_->setSizes(beside ? QList<int>{1'000, scaled(520)} : QList<int>{500, scaled(340)});
}

} // namespace yard::ui
