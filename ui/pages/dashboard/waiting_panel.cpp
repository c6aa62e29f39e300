#include "ui/pages/dashboard/waiting_panel.h"

#include "core/base/clock.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"
#include "ui/widgets/whole_rows.h"

#include <utility>

namespace yard::ui {

namespace {
constexpr int kWaitingEveryMs = 3'000;
constexpr int kSoonMs = 200;   // many changes at once are one question
constexpr int kKeptMs = 1'500; // the engine may answer what it counted a second ago
} // namespace

WaitingPanel::WaitingPanel(Context context, QWidget* parent)
    : Panel(tr("Why work is waiting"), true, parent)
    , context_(context)
    , table_(new Table("dashboard-waiting"))
    , rows_(new RowsModel(
          {
              {.id = "reason",
               .title = tr("Waits for"),
               .tip = tr("What pending actions wait for"),
               .kind = CellKind::Text,
               .width = 160,
               .stretches = true},
              {.id = "count",
               .title = tr("Actions"),
               .tip = tr("How many of them"),
               .kind = CellKind::Number,
               .width = 80},
          },
          this))
    , count_(new Label({}, Type::Body, Token::Text2))
    , poll_(new Poll(
          context.link, kWaitingEveryMs,
          [this] { return counts_ ? waitingCountRequest() : waitingRequest(std::nullopt); },
          [this](const Answer& answer) { take(answer); }, this))
    , soon_(new QTimer(this))
    , settled_(new QTimer(this)) {
    for (QTimer* timer : {soon_, settled_}) {
        timer->setSingleShot(true);
        connect(timer, &QTimer::timeout, poll_, &Poll::now);
    }
    setIcon("hold");
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(tr("Why work is waiting"));
    setBody(new WholeRows(table_));
    addToHead(count_);
    const auto open = [this](qint64 id) {
        if (const Row* row = rows_->row(rows_->rowOf(id)); row != nullptr)
            context_.navigator.show("actions", row->keys.front().toString());
    };
    connect(table_, &Table::opened, this, open);
    connect(table_, &QAbstractItemView::clicked, this,
            [this, open](const QModelIndex& index) { open(rows_->idAt(index.row())); });
    connect(poll_, &Poll::failed, this, [this](int status) {
        if (status != 404 && status != 501) return;
        counts_ = false; // an engine that does not: what it lists is counted here
        poll_->now();
    });
    connect(&context_.state, &EngineState::refreshed, poll_, &Poll::now);
}

void WaitingPanel::setActive(bool active) {
    poll_->setActive(active);
}

void WaitingPanel::refresh() {
    const qint64 pending = context_.state.count(DisplayState::Pending);
    const qint64 held = context_.state.count(DisplayState::Held);
    const qint64 retry = context_.state.count(DisplayState::Retry);
    count_->setText(Format().number(pending + held + retry));
    // Counts come with events: a row that is gone would stand beside a 0 until the next look.
    const Outline now{.held = held, .pending = pending > 0, .retry = retry > 0};
    if (std::exchange(outline_, now) == now) return;
    if (!soon_->isActive()) soon_->start(kSoonMs);
    settled_->start(kKeptMs);
}

std::optional<qint64> WaitingPanel::retrying() const {
    if (more_) return std::nullopt;
    qint64 count = 0;
    for (const WaitReason& reason : reasons_)
        if (reason.face == DisplayState::Retry) count += reason.count;
    return count;
}

void WaitingPanel::take(const Answer& answer) {
    const qint64 now = wallNow();
    reasons_ = answer.json.contains("reasons")
                   ? waitReasonsOf(answer.json, context_.state, now)
                   : waitReasonsOf(answer.json.value("jobs").toArray(), context_.state, now);
    more_ = answer.json.contains("cursor");
    const Format format;
    std::vector<Row> rows;
    for (const WaitReason& reason : reasons_) {
        Row row;
        row.id = reason.id();
        Cell what{reason.more.isEmpty() ? reason.text : tr("%1, %2").arg(reason.text, reason.more)};
        what.face = reason.face;
        row.cells = {what, {format.number(reason.count)}};
        row.keys = {reason.filter};
        rows.push_back(std::move(row));
    }
    table_->setMessage(rows.empty() ? tr("Nothing waits.") : QString());
    rows_->setRows(std::move(rows));
    setNote(more_ ? tr("of the first %1").arg(format.number(kMostWaiting)) : QString());
    refresh();
    emit changed();
}

} // namespace yard::ui
