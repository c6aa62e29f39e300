#include "ui/pages/queues/queue_troubles.h"

#include "core/base/clock.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"

#include <QHeaderView>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kTroubleEveryMs = 2'000;
constexpr int kTroubleMostLooked = 1'000;

void fit(Table* table, int rows) {
    table->setFixedHeight(scaled(24) * std::max(1, rows));
}

Table* plainTable(RowsModel* rows, const QString& name) {
    auto* table = new Table({});
    table->setRows(rows);
    table->horizontalHeader()->hide();
    table->setAccessibleName(name);
    table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return table;
}

std::vector<Column> queueFailureColumns() {
    return {
        {.id = "kind",
         .title = QueueTroubles::tr("Kind"),
         .tip = QueueTroubles::tr("How it ended, and what ran"),
         .kind = CellKind::Text,
         .width = 140,
         .stretches = true},
        {.id = "count",
         .title = QueueTroubles::tr("Failed"),
         .tip = QueueTroubles::tr("Actions that failed so"),
         .kind = CellKind::Number,
         .width = 60},
        {.id = "again", .title = {}, .tip = {}, .kind = CellKind::Press, .width = 110},
    };
}

std::vector<Column> queueEventColumns() {
    return {
        {.id = "time",
         .title = QueueTroubles::tr("Time"),
         .tip = QueueTroubles::tr("When"),
         .kind = CellKind::Text,
         .width = 88},
        {.id = "event",
         .title = QueueTroubles::tr("Event"),
         .tip = QueueTroubles::tr("What happened"),
         .kind = CellKind::Text,
         .width = 120,
         .stretches = true},
    };
}

} // namespace

QueueTroubles::QueueTroubles(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , kindPanel_(new Panel(tr("Failures by kind"), false))
    , showAll_(new Button(Button::Kind::Link, tr("Show"), {}))
    , kindRows_(new RowsModel(queueFailureColumns(), this))
    , eventPanel_(new Panel(tr("Recent events"), false))
    , eventRows_(new RowsModel(queueEventColumns(), this))
    , poll_(new Poll(
          context.link, kTroubleEveryMs,
          [this]() -> std::optional<Request> {
              const QueueInfo* queue = context_.state.queue(queue_);
              if (queue == nullptr || askedFor_ == queue->of(DisplayState::Failed)) return std::nullopt;
              askedFor_ = queue->of(DisplayState::Failed);
              Request request{"GET", "jobs", {}, {}};
              request.query.addQueryItem("state", "failed");
              request.query.addQueryItem("queue", QString::number(queue->id));
              request.query.addQueryItem("sort", "-finished");
              request.query.addQueryItem("limit", QString::number(kTroubleMostLooked));
              return request;
          },
          [this](const Answer& answer) { take(answer); }, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    kindTable_ = plainTable(kindRows_, tr("Failures by kind"));
    eventTable_ = plainTable(eventRows_, tr("Recent events"));
    kindPanel_->addToHead(showAll_);
    kindPanel_->setBody(kindTable_);
    eventPanel_->setBody(eventTable_);
    column->addWidget(kindPanel_);
    column->addWidget(eventPanel_);
    connect(showAll_, &QAbstractButton::clicked, this,
            [this] { context_.navigator.show("actions", QStringLiteral("state:failed queue:%1").arg(queue_)); });
    connect(kindTable_, &Table::linkClicked, this, [this](qint64 id) { reschedule(id); });
    connect(kindTable_, &Table::opened, this, [this](qint64 id) { reschedule(id); });
    connect(eventTable_, &Table::opened, this, [this](qint64 id) {
        if (id > 0) context_.navigator.showAction(id, "output");
    });
    connect(&context_.commands, &Commands::recorded, this, &QueueTroubles::showEvents);
    connect(&context_.state, &EngineState::refreshed, this, [this] { askedFor_ = -1; });
    take({});
}

void QueueTroubles::setActive(bool active) {
    poll_->setActive(active);
}

void QueueTroubles::show(qint64 queue) {
    if (queue_ == queue) return;
    queue_ = queue;
    askedFor_ = -1;
    take({});
    poll_->now();
}

void QueueTroubles::refresh() {
    const QueueInfo* queue = context_.state.queue(queue_);
    const qint64 failed = queue == nullptr ? 0 : queue->of(DisplayState::Failed);
    showAll_->setText(tr("Show %1").arg(Format().number(failed)));
    showAll_->setVisible(failed > 0);
    if (failed != askedFor_) poll_->now();
}

void QueueTroubles::take(const Answer& answer) {
    failures_ = answer.json.value("jobs").toArray();
    if (!failures_.isEmpty() && failures_.first().toObject().value("queue_id").toInteger() != queue_) return;
    kinds_ = failureKindsOf(failures_);
    const Format format;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < std::min(kinds_.size(), kMostKinds); ++i) {
        Row row;
        row.id = static_cast<qint64>(i) + 1;
        Cell kind{kinds_[i].text};
        kind.face = DisplayState::Failed;
        Cell again{tr("Reschedule")};
        again.icon = "again";
        row.cells = {kind, {format.number(static_cast<qint64>(kinds_[i].lsns.size()))}, again};
        rows.push_back(std::move(row));
    }
    fit(kindTable_, static_cast<int>(rows.size()));
    kindTable_->setMessage(rows.empty() ? tr("Nothing of it has failed.") : QString());
    kindPanel_->setNote(answer.json.contains("cursor") ? tr("of the last %1").arg(format.number(kTroubleMostLooked))
                                                       : QString());
    kindRows_->setRows(std::move(rows));
    showEvents();
}

/// What is known for sure: its failures, and what was done to it from this window.
void QueueTroubles::showEvents() {
    struct Event {
        qint64 at;
        qint64 id;
        QString text;
        bool bad;
    };
    std::vector<Event> events;
    const Format format;
    for (qsizetype i = 0; i < std::min<qsizetype>(failures_.size(), kMostEvents); ++i) {
        const QJsonObject job = failures_[i].toObject();
        const qint64 lsn = job.value("lsn").toInteger();
        events.push_back({endedAt(job), lsn, tr("%1 failed: %2").arg(format.number(lsn), endOf(job)), true});
    }
    const QString path = QStringLiteral("queues/%1").arg(queue_);
    qint64 number = 0;
    for (const Commands::Record& record : context_.commands.records()) {
        --number; // not an action's
        const QString& asked = record.operation.request.path;
        if (asked != path && !asked.startsWith(path + '/')) continue;
        const bool bad = record.status >= 400 || record.status == 0;
        events.push_back({record.at.toMSecsSinceEpoch() * 1'000, number,
                          bad ? record.operation.title + ": " + record.result : record.operation.title, bad});
    }
    std::ranges::sort(events,
                      [](const Event& a, const Event& b) { return a.at != b.at ? a.at > b.at : a.id > b.id; });
    if (events.size() > kMostEvents) events.resize(kMostEvents);
    const qint64 now = wallNow();
    std::vector<Row> rows;
    for (const Event& event : events) {
        Row row;
        row.id = event.id;
        row.cells = {{format.time(event.at, now), {}, {}, {}, Cell::Tone::Dim}, {event.text}};
        row.cells.front().tip = format.exactTime(event.at, now);
        rows.push_back(std::move(row));
    }
    fit(eventTable_, static_cast<int>(rows.size()));
    eventTable_->setMessage(rows.empty() ? tr("Nothing yet.") : QString());
    eventRows_->setRows(std::move(rows));
}

void QueueTroubles::reschedule(qint64 kind) {
    if (kind < 1 || kind > static_cast<qint64>(kinds_.size())) return;
    context_.commands.change(reschedulingOf(Target::of(kinds_[static_cast<std::size_t>(kind - 1)].lsns)));
}

} // namespace yard::ui
