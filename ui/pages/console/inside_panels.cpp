#include "ui/pages/console/inside_panels.h"

#include "core/base/clock.h"
#include "ui/pages/console/log_panel.h"
#include "ui/style/format.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tabs.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QVBoxLayout>

namespace yard::ui {

namespace {

struct InsideColumns {
    Q_DECLARE_TR_FUNCTIONS(InsideColumns)
};

constexpr int kLookMs = 2'000;
constexpr int kThreadsShown = 1'000;

std::vector<Column> threadColumns() {
    return {
        {.id = "name",
         .title = InsideColumns::tr("Thread"),
         .tip = InsideColumns::tr("Cooperative thread of the engine"),
         .kind = CellKind::Name,
         .width = 150,
         .stretches = true,
         .sort = "name"},
        {.id = "state",
         .title = InsideColumns::tr("State"),
         .tip = InsideColumns::tr("Running, ready, asleep or waiting"),
         .width = 74,
         .sort = "state"},
        {.id = "where",
         .title = InsideColumns::tr("Waits in"),
         .tip = InsideColumns::tr("Where the innermost function waits; the tool tip has those that called it"),
         .kind = CellKind::Name,
         .width = 150,
         .falls = 1},
        {.id = "since",
         .title = InsideColumns::tr("For"),
         .tip = InsideColumns::tr("How long it has been so"),
         .kind = CellKind::Number,
         .width = 70,
         .sort = "since"},
        {.id = "runs",
         .title = InsideColumns::tr("Turns"),
         .tip = InsideColumns::tr("How often it had its turn"),
         .kind = CellKind::Number,
         .width = 70,
         .falls = 3,
         .sort = "runs"},
        {.id = "used",
         .title = InsideColumns::tr("Ran"),
         .tip = InsideColumns::tr("Time on the processor, in all"),
         .kind = CellKind::Number,
         .width = 70,
         .sort = "used"},
        {.id = "longest",
         .title = InsideColumns::tr("Longest"),
         .tip = InsideColumns::tr("Its longest turn"),
         .kind = CellKind::Number,
         .width = 70,
         .falls = 2,
         .sort = "longest"},
    };
}

std::vector<Column> turnColumns() {
    return {
        {.id = "ended",
         .title = InsideColumns::tr("Time"),
         .tip = InsideColumns::tr("When it ended"),
         .kind = CellKind::Number,
         .width = 104,
         .sort = "ended"},
        {.id = "loop",
         .title = InsideColumns::tr("Loop"),
         .tip = InsideColumns::tr("Of the engine, or of the server of its API"),
         .width = 70,
         .sort = "loop"},
        {.id = "name",
         .title = InsideColumns::tr("Thread"),
         .tip = InsideColumns::tr("Who did not give way"),
         .kind = CellKind::Name,
         .width = 120,
         .stretches = true,
         .sort = "name"},
        {.id = "ran",
         .title = InsideColumns::tr("Took"),
         .tip = InsideColumns::tr("So long nothing else of the loop ran"),
         .kind = CellKind::Number,
         .width = 80,
         .sort = "ran"},
    };
}

std::vector<Column> amountColumns(const QString& what, const QString& amount) {
    return {
        {.id = "name",
         .title = what,
         .tip = InsideColumns::tr("Part of the engine"),
         .kind = CellKind::Name,
         .width = 120,
         .stretches = true,
         .sort = "name"},
        {.id = "amount",
         .title = amount,
         .tip = InsideColumns::tr("How much it has now"),
         .kind = CellKind::Number,
         .width = 100,
         .sort = "amount"},
    };
}

QString threadState(const QString& word) {
    if (word == "running") return InsideColumns::tr("running");
    if (word == "ready") return InsideColumns::tr("ready");
    if (word == "asleep") return InsideColumns::tr("asleep");
    if (word == "waiting") return InsideColumns::tr("waiting");
    return InsideColumns::tr("ended");
}

QString place(const QJsonObject& at) {
    return QStringLiteral("%1:%2").arg(at["file"].toString()).arg(at["line"].toInteger());
}

Cell durationCell(double seconds) {
    return Cell{Format().duration(Duration(static_cast<Duration::rep>(seconds * 1e6)))};
}

/// A line for each function, the innermost first.
QString stepsOf(const QJsonArray& chain) {
    QStringList steps;
    for (const QJsonValue step : chain) steps << step["function"].toString() + "  " + place(step.toObject());
    return steps.join('\n');
}

Row threadRow(const QJsonObject& thread) {
    const QJsonArray chain = thread["chain"].toArray();
    // The first that is no part of waiting itself.
    QString at;
    for (const QJsonValue step : chain)
        if (at.isEmpty() || at.startsWith("core/coro/")) at = place(step.toObject());
    Cell where{at};
    where.tip = stepsOf(chain);
    const QString waits = thread["waits_for"].toString();
    Cell state{threadState(thread["state"].toString())};
    if (!waits.isEmpty()) state.tip = InsideColumns::tr("waits for: %1").arg(waits);
    Row row;
    row.id = thread["number"].toInteger();
    row.cells = {Cell{thread["name"].toString()},
                 state,
                 where,
                 durationCell(thread["since_s"].toDouble()),
                 Cell{Format().number(thread["runs"].toInteger())},
                 durationCell(thread["used_s"].toDouble()),
                 durationCell(thread["longest_turn_s"].toDouble())};
    row.keys = {{},
                {},
                {},
                thread["since_s"].toDouble(),
                thread["runs"].toInteger(),
                thread["used_s"].toDouble(),
                thread["longest_turn_s"].toDouble()};
    return row;
}

Row amountRow(const QString& name, qint64 amount, const QString& shown) {
    Row row;
    row.cells = {Cell{name}, Cell{shown}};
    row.keys = {{}, amount};
    return row;
}

/// A row for each, with its place in the list as its id.
template<class RowOf>
std::vector<Row> numberedRows(const QJsonValue& list, RowOf rowOf) {
    std::vector<Row> rows;
    for (const QJsonValue value : list.toArray()) {
        rows.push_back(rowOf(value.toObject()));
        rows.back().id = static_cast<qint64>(rows.size());
    }
    return rows;
}

} // namespace

InsidePanels::InsidePanels(EngineLink& link, QWidget* parent)
    : QWidget(parent)
    , tabs_(new Tabs({tr("Threads"), tr("Longest turns"), tr("Memory"), tr("Descriptors"), tr("Log")}))
    , note_(new Label({}, Type::Caption, Token::Text3))
    , stack_(new QStackedWidget)
    , poll_(
          link, kLookMs, [this] { return request(); }, [this](const Answer& answer) { take(answer.json); })
    , log_(new LogPanel(link)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(tabs_);
    note_->setElides(true);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(12, 4, 12, 4);
    line->addWidget(note_);
    column->addLayout(line);
    column->addWidget(stack_, 1);
    const auto add = [this](Tab tab, const QString& key, const QString& name, std::vector<Column> columns) {
        auto* table = new Table(key);
        auto* rows = new RowsModel(std::move(columns), table);
        table->setRows(rows);
        table->setAccessibleName(name);
        tables_[static_cast<std::size_t>(tab)] = table;
        rows_[static_cast<std::size_t>(tab)] = rows;
        stack_->addWidget(table);
        connect(rows, &TableModel::waitingChanged, this, [this, tab](int count) {
            if (tab == tab_) emit waitingChanged(count);
        });
    };
    add(Tab::Threads, "console-threads", tr("Cooperative threads"), threadColumns());
    add(Tab::Turns, "console-turns", tr("Longest turns"), turnColumns());
    add(Tab::Memory, "console-memory", tr("Memory by part"), amountColumns(tr("Part"), tr("Memory")));
    add(Tab::Descriptors, "console-descriptors", tr("Descriptors by owner"),
        amountColumns(tr("Owner"), tr("Open")));
    makeLog();
    connect(tabs_, &Tabs::chosen, this, [this](int tab) { setTab(static_cast<Tab>(tab)); });
    connect(&poll_, &Poll::failed, this, [this](int, const QString& message) { note_->setText(message); });
}

/// It asks for itself, and has controls of its own.
void InsidePanels::makeLog() {
    const auto place = static_cast<std::size_t>(Tab::Log);
    tables_[place] = log_->table();
    rows_[place] = log_->rows();
    stack_->addWidget(log_);
    connect(log_, &LogPanel::noted, this, [this](const QString& note) {
        if (tab_ == Tab::Log) note_->setText(note);
    });
    connect(log_->rows(), &TableModel::waitingChanged, this, [this](int count) {
        if (tab_ == Tab::Log) emit waitingChanged(count);
    });
}

void InsidePanels::setActive(bool active) {
    isActive_ = active;
    poll_.setActive(active);
    log_->setActive(active && tab_ == Tab::Log);
}

void InsidePanels::setTab(Tab tab) {
    tab_ = tab;
    tabs_->setCurrent(static_cast<int>(tab));
    stack_->setCurrentIndex(static_cast<int>(tab));
    note_->setText({});
    emit waitingChanged(rows(tab)->waiting());
    log_->setActive(isActive_ && tab == Tab::Log);
    poll_.now();
}

void InsidePanels::takeUpdates() {
    rows(tab_)->takeWaiting();
    poll_.now();
}

bool InsidePanels::clearSelection() {
    if (!table(tab_)->selectionModel()->hasSelection()) return false;
    table(tab_)->clearSelection();
    return true;
}

QString InsidePanels::note() const {
    return note_->text();
}

std::optional<Request> InsidePanels::request() const {
    switch (tab_) {
    case Tab::Turns: return Request{.path = "inside/latency"};
    case Tab::Memory: return Request{.path = "inside/memory"};
    case Tab::Descriptors: return Request{.path = "inside/descriptors"};
    case Tab::Log: return std::nullopt;
    case Tab::Threads: break;
    }
    Request request{.path = "inside/threads"};
    request.query.addQueryItem("limit", QString::number(kThreadsShown));
    return request;
}

/// What comes may be of the tab that was shown before.
void InsidePanels::take(const QJsonObject& json) {
    if (tab_ == Tab::Threads && json.contains("threads")) takeThreads(json);
    if (tab_ == Tab::Turns && json.contains("turns")) takeTurns(json);
    if (tab_ == Tab::Memory && json.contains("subsystems")) takeMemory(json);
    if (tab_ == Tab::Descriptors && json.contains("owners")) takeDescriptors(json);
}

void InsidePanels::takeThreads(const QJsonObject& json) {
    std::vector<Row> list;
    for (const QJsonValue thread : json["threads"].toArray()) list.push_back(threadRow(thread.toObject()));
    const int count = static_cast<int>(list.size());
    note_->setText(json.contains("cursor")
                       ? tr("The first %Ln thread(s) of the engine's loop; there are more", nullptr, count)
                       : tr("%Ln thread(s) of the engine's loop", nullptr, count));
    rows(Tab::Threads)->setRows(std::move(list));
}

void InsidePanels::takeTurns(const QJsonObject& json) {
    const Format format;
    const WallMicros now = wallNow();
    auto list = numberedRows(json["turns"], [&](const QJsonObject& turn) {
        const WallMicros ended = turn["ended"].toInteger();
        Cell name{turn["name"].toString()};
        name.tip = stepsOf(turn["chain"].toArray());
        Row row;
        row.cells = {Cell{format.time(ended, now)}, Cell{turn["loop"].toString()}, name,
                     durationCell(turn["ran_s"].toDouble())};
        row.keys = {qint64(ended), {}, {}, turn["ran_s"].toDouble()};
        return row;
    });
    note_->setText(list.empty() ? tr("No turn took 1 ms or more since the start")
                                : tr("Turns of 1 ms and more since the start, the longest first"));
    rows(Tab::Turns)->setRows(std::move(list));
}

void InsidePanels::takeMemory(const QJsonObject& json) {
    const Format format;
    note_->setText(tr("%1 resident").arg(format.size(json["total_bytes"].toInteger())));
    rows(Tab::Memory)->setRows(numberedRows(json["subsystems"], [&](const QJsonObject& part) {
        const qint64 bytes = part["bytes"].toInteger();
        return amountRow(part["name"].toString(), bytes, format.size(bytes));
    }));
}

void InsidePanels::takeDescriptors(const QJsonObject& json) {
    const Format format;
    note_->setText(tr("%L1 of %L2 are open").arg(json["used"].toInteger()).arg(json["limit"].toInteger()));
    rows(Tab::Descriptors)->setRows(numberedRows(json["owners"], [&](const QJsonObject& owner) {
        const qint64 count = owner["count"].toInteger();
        return amountRow(owner["name"].toString(), count, format.number(count));
    }));
}

} // namespace yard::ui
