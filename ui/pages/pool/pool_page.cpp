#include "ui/pages/pool/pool_page.h"

#include "ui/pages/pool/limits_panel.h"
#include "ui/pages/pool/pool_columns.h"
#include "ui/pages/pool/pool_strip.h"
#include "ui/pages/pool/process_output.h"
#include "ui/style/format.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QMenu>

#include <algorithm>

namespace yard::ui {

namespace {

constexpr int kPoolLookMs = 1'000;
constexpr int kOldestMs = 5'000;
constexpr qint64 kFirstGroup = qint64{1} << 40; ///< row ids below are processes'
constexpr int kLimitsWidth = 372;
constexpr int kIndent = 20;
constexpr qsizetype kMostLabels = 100;

QString span(WallMicros from, WallMicros to) {
    if (from == 0) return Format::unknown();
    return Format().duration(Duration(std::max<WallMicros>(0, to - from)));
}

/// Ten lines that are a worker, for who has none yet.
constexpr const char* kExample = "#!/usr/bin/env python3\n"
                                 "import yard_worker                 # one file beside this one\n"
                                 "\n"
                                 "@yard_worker.function()\n"
                                 "def add(args, job):\n"
                                 "    return args['a'] + args['b']\n"
                                 "\n"
                                 "yard_worker.run()\n";

QString processId(qint64 number) {
    return QStringLiteral("p%1").arg(number);
}

} // namespace

PoolPage::PoolPage(Context context)
    : Page(context)
    , head_(new PageHead(tr("Pool")))
    , restart_(new Button(Button::Kind::Plain, tr("Restart one by one"), "again"))
    , detach_(new Button(Button::Kind::Plain, tr("Detach process"), "detach"))
    , badge_(new UpdatesBadge)
    , body_(new QWidget)
    , strip_(new PoolStrip)
    , table_(new Table("pool"))
    , rows_(new RowsModel(poolColumns(), this))
    , goneTable_(new Table("pool-gone"))
    , gone_(new RowsModel(goneColumns(), this))
    , gonePanel_(new Panel(tr("Gone lately"), false))
    , output_(new ProcessOutput(context))
    , low_(new QStackedWidget)
    , limits_(new LimitsPanel(context))
    , empty_(new Surface(Token::Bg1))
    , poll_(
          context.link, kPoolLookMs, [] { return Request{"GET", "pool", {}, {}}; },
          [this](const Answer& answer) { take(answer.json); })
    , oldestPoll_(
          context.link, kOldestMs, [this] { return oldestWaiting(); },
          [this](const Answer& answer) {
              const QJsonObject first = answer.json.value("jobs").toArray().first().toObject();
              oldest_ = first.value("timestamps").toObject().value("new").toInteger();
              showStrip();
          }) {
    QVBoxLayout* inside = makeGround();
    makeHead(inside);
    auto* parts = new QVBoxLayout(body_);
    parts->setContentsMargins(0, 0, 0, 0);
    parts->setSpacing(0);
    auto* strip = new QHBoxLayout;
    strip->setContentsMargins(16, 0, 16, 12);
    strip->addWidget(strip_);
    parts->addLayout(strip);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(tr("Warm processes by worker"));
    auto* split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(table_);
    split->addWidget(makeLow());
    split->setStretchFactor(0, 1);
    split->setSizes({500, scaled(300)});
    parts->addWidget(split, 1);
    inside->addWidget(body_, 1);
    makeEmpty();
    inside->addWidget(empty_, 1);
    empty_->hide();
    makeCommands();
    connectParts();
}

void PoolPage::connectParts() {
    connect(rows_, &QAbstractItemModel::modelReset, this, &PoolPage::setSpans);
    connect(table_, &Table::selectionEdited, this, &PoolPage::onSelection);
    connect(table_, &Table::menuWanted, this, &PoolPage::showMenu);
    connect(table_, &Table::opened, this, [this](qint64 id) {
        if (id >= kFirstGroup) return fold(id);
        openAction_->trigger();
    });
    connect(table_, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == 0 && rows_->idAt(index.row()) >= kFirstGroup) fold(rows_->idAt(index.row()));
    });
    connect(limits_, &LimitsPanel::changed, &poll_, &Poll::now);
    connect(&poll_, &Poll::failed, this, [this](int, const QString& message) {
        if (!told_) table_->setMessage(message);
    });
    for (const auto signal : {&EngineState::workersChanged, &EngineState::refreshed})
        connect(&context_.state, signal, &poll_, &Poll::now);
    connect(&context_.state, &EngineState::connectionChanged, this, &PoolPage::onSelection);
    onSelection();
}

/// Those that are gone, or the output of one, and the limits beside it.
QWidget* PoolPage::makeLow() {
    goneTable_->setRows(gone_);
    goneTable_->setAccessibleName(tr("Processes that are gone"));
    goneTable_->setMessage(tr("No process has ended yet"));
    gonePanel_->setObjectName("pane");
    gonePanel_->setBody(goneTable_);
    output_->setObjectName("pane");
    low_->addWidget(gonePanel_);
    low_->addWidget(output_);
    auto* low = new QWidget;
    auto* beside = new QHBoxLayout(low);
    beside->setContentsMargins(0, 0, 0, 0);
    beside->setSpacing(0);
    beside->addWidget(low_, 1);
    limits_->setFixedWidth(scaled(kLimitsWidth));
    beside->addWidget(limits_);
    connect(output_, &ProcessOutput::closed, this, &PoolPage::closeOutput);
    connect(goneTable_, &Table::opened, this, [this](qint64 id) { openOutput(processId(id)); });
    return low;
}

void PoolPage::makeHead(QVBoxLayout* column) {
    head_->setNote(tr("warm processes that stay between actions"), true);
    auto* shown = new Button(Button::Kind::Flat, tr("Columns"), "columns");
    head_->addRight(badge_);
    head_->addRight(restart_);
    head_->addRight(detach_);
    head_->addSeparator();
    head_->addRight(shown);
    column->addWidget(head_);
    connect(badge_, &QAbstractButton::clicked, this, &PoolPage::takeUpdates);
    connect(rows_, &TableModel::waitingChanged, badge_, &UpdatesBadge::setCount);
    connect(shown, &QAbstractButton::clicked, this,
            [this, shown] { table_->showColumnMenu(shown->mapToGlobal(shown->rect().bottomLeft())); });
}

/// No warm worker: one sentence, and what one is made of.
void PoolPage::makeEmpty() {
    auto* column = new QVBoxLayout(empty_);
    column->setSpacing(12);
    column->addStretch(1);
    column->addWidget(new Label(tr("No warm worker is registered. This is one:"), Type::Body, Token::Text2), 0,
                      Qt::AlignHCenter);
    auto* lines = new QVBoxLayout;
    lines->setSpacing(2);
    for (const QString& line : QString(kExample).trimmed().split('\n'))
        lines->addWidget(new Label(line.isEmpty() ? QStringLiteral(" ") : line, Type::Mono, Token::Text1));
    auto* box = new QHBoxLayout;
    box->addStretch(1);
    box->addLayout(lines);
    box->addStretch(1);
    column->addLayout(box);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    auto* copy = new Button(Button::Kind::Plain, tr("Copy the example"), "copy");
    auto* fresh = new Button(Button::Kind::Plain, tr("Register…"), "plus");
    buttons->addStretch(1);
    buttons->addWidget(copy);
    buttons->addWidget(fresh);
    buttons->addStretch(1);
    column->addLayout(buttons);
    column->addStretch(1);
    connect(copy, &QAbstractButton::clicked, this, [this] {
        QApplication::clipboard()->setText(QString(kExample));
        context_.window.say(tr("Copied the example"));
    });
    connect(fresh, &QAbstractButton::clicked, this, [this] { context_.navigator.openRegister(); });
}

void PoolPage::setActive(bool active) {
    poll_.setActive(active);
    oldestPoll_.setActive(active);
    output_->setActive(active);
}

/// Of those that wait for a process: the one submitted first.
std::optional<Request> PoolPage::oldestWaiting() const {
    QStringList workers;
    for (const PoolGroup& group : pool_.groups)
        if (group.waiting > 0) workers << group.worker;
    if (workers.isEmpty()) return std::nullopt;
    Request request{"GET", "jobs", {}, {}};
    request.query.addQueryItem("q", "state:pending -state:held,retry worker:" + workers.join(','));
    request.query.addQueryItem("sort", "lsn");
    request.query.addQueryItem("limit", "1");
    return request;
}

void PoolPage::showStrip() {
    const qint64 memory = context_.state.session().value("machine").toObject().value("memory_bytes").toInteger();
    std::optional<Duration> oldest;
    if (oldest_ != 0 && pool_.waiting() > 0) oldest = Duration(std::max<WallMicros>(0, wallNow() - oldest_));
    strip_->show(pool_, memory, oldest);
}

void PoolPage::take(const QJsonObject& json) {
    told_ = true;
    pool_ = readPool(json, cpu_, wallNow());
    for (const PoolGroup& group : pool_.groups) names_.insert(group.worker, group.name);
    context_.state.tellPool(json);
    const bool waits = pool_.waiting() > 0;
    if (!waits) oldest_ = 0;
    if (waits && oldest_ == 0) oldestPoll_.now();
    showStrip();
    askLabels();
    refill();
    refillGone();
    body_->setVisible(!isEmpty());
    empty_->setVisible(isEmpty());
    if (!wanted_.isEmpty()) setFilter(std::exchange(wanted_, {}));
    onSelection();
}

/// What an action is called is asked once, for those that a process has just now.
void PoolPage::askLabels() {
    QStringList unknown;
    QHash<qint64, QString> kept;
    for (const PoolGroup& group : pool_.groups)
        for (const PoolProcess& process : group.processes) {
            if (process.current.empty()) continue;
            const qint64 lsn = process.current.front();
            if (labels_.contains(lsn))
                kept.insert(lsn, labels_.value(lsn));
            else if (unknown.size() < kMostLabels)
                unknown << QString::number(lsn);
        }
    labels_ = std::move(kept);
    if (unknown.isEmpty()) return;
    Request request{"GET", "jobs", {}, {}};
    request.query.addQueryItem("lsn", unknown.join(','));
    context_.link.send(request, this, [this](const Answer& answer) {
        for (const QJsonValue value : answer.json.value("jobs").toArray()) {
            const QJsonObject job = value.toObject();
            labels_.insert(job.value("lsn").toInteger(), job.value("name").toString());
        }
        refill();
    });
}

// --- rows

qint64 PoolPage::rowOf(const QString& worker) {
    if (!numbers_.contains(worker)) numbers_.insert(worker, kFirstGroup + numbers_.size());
    return numbers_.value(worker);
}

Row PoolPage::headOf(const PoolGroup& group) {
    Row row;
    row.id = rowOf(group.worker);
    Cell plain;
    plain.isHead = true;
    row.cells.assign(rows_->columns().size(), plain);
    row.cells[0].text = group.name + ' ' + group.version;
    row.cells[0].icon = folded_.contains(group.worker) ? "right" : "down";
    row.cells[2].text = stateOf(group);
    row.cells[2].tone = Cell::Tone::Dim;
    return row;
}

Row PoolPage::rowOf(const PoolGroup& group, const PoolProcess& process) const {
    const Format format;
    const WallMicros now = wallNow();
    const bool starts = process.state == "starting";
    Cell name{tr("process %1").arg(process.number())};
    name.indent = kIndent;
    name.tip = process.pid > 0 ? tr("%1, pid %2").arg(process.id).arg(process.pid) : process.id;
    Cell doing{Format::unknown(), {}, {}, {}, Cell::Tone::Faint};
    if (starts) doing = {process.note, {}, {}, {}, Cell::Tone::Dim};
    if (!process.current.empty()) {
        const QString number = tr("action %1").arg(format.number(process.current.front()));
        const QString label = labels_.value(process.current.front());
        doing = {label.isEmpty() ? number : label};
        doing.tip = label.isEmpty() ? number : number + ", " + label;
        if (process.current.size() > 1)
            doing.text += tr(" and %n more", nullptr, static_cast<int>(process.current.size()) - 1);
    }
    const bool busy = process.sessions > 0;
    Row row;
    row.id = process.number();
    row.cells = {name,
                 {stateWord(process.state), faceOf(process)},
                 doing,
                 {starts ? span(process.started, now) : span(process.currentSince, now)},
                 {format.number(process.sessions)},
                 {format.number(process.processed)},
                 {process.cores ? format.cores(*process.cores) : Format::unknown()},
                 {process.rssBytes ? format.size(*process.rssBytes) : Format::unknown()},
                 {span(process.started, now)},
                 {busy ? tr("now") : span(process.lastUsed, now)},
                 {process.why.isEmpty() ? startedBecause(process, group) : wentBecause(process),
                  {},
                  {},
                  {},
                  Cell::Tone::Dim}};
    if (process.lastUsed > 0) row.cells[9].tip = format.exactTime(process.lastUsed, now);
    return row;
}

void PoolPage::refill() {
    std::vector<Row> rows;
    for (const PoolGroup& group : pool_.groups) {
        rows.push_back(headOf(group));
        if (folded_.contains(group.worker)) continue;
        for (const PoolProcess& process : group.processes) rows.push_back(rowOf(group, process));
    }
    rows_->setRows(std::move(rows));
}

/// The state of a group is a sentence over the columns of its processes.
void PoolPage::setSpans() {
    table_->clearSpans();
    for (int row = 0; row < rows_->rowCount(); ++row) {
        if (rows_->idAt(row) < kFirstGroup) continue;
        table_->setSpan(row, 0, 1, 2);
        table_->setSpan(row, 2, 1, rows_->columnCount() - 2);
    }
}

void PoolPage::fold(qint64 id) {
    const QString worker = numbers_.key(id);
    if (!folded_.remove(worker)) folded_.insert(worker);
    refill();
    rows_->takeWaiting(); // asked for by hand
}

void PoolPage::refillGone() {
    const Format format;
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    for (const PoolProcess& process : pool_.gone) {
        const DisplayState face = faceOf(process);
        Cell when{format.time(process.ended, now), face};
        when.tip = format.exactTime(process.ended, now);
        Cell why{
            wentBecause(process), {}, {}, {}, face == DisplayState::Failed ? Cell::Tone::Normal : Cell::Tone::Dim};
        why.tip = why.text;
        rows.push_back({process.number(),
                        {when,
                         {names_.value(process.worker, process.worker.left(8))},
                         {format.number(process.number())},
                         why,
                         {span(process.started, process.ended)},
                         {format.number(process.processed)}},
                        {}});
    }
    gonePanel_->setNote(format.number(static_cast<std::int64_t>(rows.size())));
    goneTable_->setMessage(rows.empty() ? tr("No process has ended yet") : QString());
    gone_->setRows(std::move(rows));
}

// --- commands

const PoolProcess* PoolPage::process() const {
    const auto ids = table_->selectedIds();
    if (ids.empty() || ids.front() >= kFirstGroup) return nullptr;
    return pool_.process(processId(ids.front()));
}

void PoolPage::openOutput(const QString& process) {
    output_->setProcess(process);
    low_->setCurrentWidget(output_);
}

void PoolPage::closeOutput() {
    low_->setCurrentWidget(gonePanel_);
    output_->setProcess({});
}

const PoolGroup* PoolPage::group() const {
    const auto ids = table_->selectedIds();
    if (ids.empty()) return nullptr;
    if (ids.front() >= kFirstGroup) return pool_.group(numbers_.key(ids.front()));
    const PoolProcess* one = process();
    return one == nullptr ? nullptr : pool_.group(one->worker);
}

void PoolPage::onSelection() {
    const PoolGroup* ofGroup = group();
    const PoolProcess* one = process();
    const QString lost = context_.state.whyBlocked();
    const QString noGroup = ofGroup == nullptr ? tr("Select a worker or a process first") : QString();
    const QString none = one == nullptr ? tr("Select a process first") : QString();
    const bool ends = one != nullptr && (one->state == "finishing" || one->state == "stopping");
    const QString restart = lost.isEmpty() ? noGroup : lost;
    const QString detach = !lost.isEmpty() ? lost : ends ? tr("It ends already") : none;
    restart_->setBlocked(restart);
    detach_->setBlocked(detach);
    setBlocked(restartAction_, restart);
    setBlocked(detachAction_, detach);
    for (QAction* action : {showActions_, showTimeline_}) setBlocked(action, noGroup);
    setBlocked(openAction_, one != nullptr && one->current.empty() ? tr("It works on nothing") : none);
    setBlocked(openOutput_, none);
    if (one != nullptr && low_->currentWidget() == output_) openOutput(one->id);
    setBlocked(copyPid_, one != nullptr && one->pid <= 0 ? tr("It has no pid yet") : none);
    limits_->show(pool_, ofGroup);
}

std::vector<CommandSpec> PoolPage::declared() {
    return {{"restart", tr("Restart one by one")},
            {"detach", tr("Detach process")},
            {"actions", tr("Show its actions")},
            {"timeline", tr("Show on timeline")},
            {"open", tr("Open what it works on")},
            {"output", tr("Open output"), QKeySequence("Ctrl+L")},
            {"copyPid", tr("Copy pid")}};
}

void PoolPage::makeCommands() {
    const CommandMaker make(*this, declared());
    restartAction_ = make("restart", [this] {
        if (const PoolGroup* of = group())
            context_.commands.run(operations::restartPool(of->worker, of->name), this,
                                  [this](const Answer&) { poll_.now(); });
    });
    detachAction_ = make("detach", [this] {
        if (const PoolProcess* one = process())
            context_.commands.run(operations::detachProcess(one->id), this, [this](const Answer&) { poll_.now(); });
    });
    showActions_ = make("actions", [this] {
        if (const PoolGroup* of = group()) context_.navigator.show("actions", "worker:" + of->worker);
    });
    showTimeline_ = make("timeline", [this] {
        if (const PoolGroup* of = group()) context_.navigator.show("timelines", "worker:" + of->worker);
    });
    openAction_ = make("open", [this] {
        if (const PoolProcess* one = process(); one != nullptr && !one->current.empty())
            context_.navigator.showAction(one->current.front());
    });
    openOutput_ = make("output", [this] {
        if (const PoolProcess* one = process()) openOutput(one->id);
    });
    copyPid_ = make("copyPid", [this] {
        if (const PoolProcess* one = process()) QApplication::clipboard()->setText(QString::number(one->pid));
    });
    connect(restart_, &QAbstractButton::clicked, restartAction_, &QAction::trigger);
    connect(detach_, &QAbstractButton::clicked, detachAction_, &QAction::trigger);
}

void PoolPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    menu->addActions({restartAction_, detachAction_});
    menu->addSeparator();
    menu->addActions({showActions_, showTimeline_, openAction_, openOutput_});
    menu->addSeparator();
    menu->addAction(copyPid_);
    QMenu* copyAs = menu->addMenu(tr("Copy as"));
    const auto copy = [&](const QString& title, const QString& text) {
        copyAs->addAction(title, [text] { QApplication::clipboard()->setText(text); });
    };
    const Operation operation = asOperation();
    copy(tr("yardctl"), context_.link.yardctl(operation.yardctl));
    copy(tr("curl"), context_.link.curl(operation.request));
    copy(tr("JSON"), QString::fromUtf8(QJsonDocument(pool_.json).toJson()));
    (void)menu.run(global);
}

void PoolPage::setFilter(const QString& filter) {
    const auto found = std::ranges::find(pool_.groups, filter, &PoolGroup::name);
    if (found == pool_.groups.end()) {
        if (!told_) wanted_ = filter;
        return;
    }
    table_->selectId(rowOf(found->worker));
}

void PoolPage::takeUpdates() {
    rows_->takeWaiting();
    gone_->takeWaiting();
    poll_.now();
}

QList<QAction*> PoolPage::commands() const {
    return {restartAction_, detachAction_, showActions_, showTimeline_, openAction_, copyPid_, openOutput_};
}

bool PoolPage::closeInnermost() {
    if (low_->currentWidget() == output_) return closeOutput(), true;
    return dropSelection(*table_);
}

Operation PoolPage::asOperation() const {
    if (const PoolProcess* one = process())
        return {tr("Output of a warm process"),
                {"GET", "pool/processes/" + one->id, {}, {}},
                "yardctl pool --output " + shellWord(one->id)};
    return {tr("Warm processes"), {"GET", "pool", {}, {}}, "yardctl pool"};
}

} // namespace yard::ui
