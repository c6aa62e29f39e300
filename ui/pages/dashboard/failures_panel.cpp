#include "ui/pages/dashboard/failures_panel.h"

#include "core/base/clock.h"
#include "ui/pages/dashboard/action_menu.h"
#include "ui/state/action_row.h"
#include "ui/state/engine_words.h"
#include "ui/state/failure_kinds.h"
#include "ui/state/tonight.h"
#include "ui/style/format.h"
#include "ui/widgets/table.h"
#include "ui/widgets/transient.h"
#include "ui/widgets/whole_rows.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kFailureEveryMs = 1'000;
constexpr int kTonightEveryMs = 2'000;
constexpr int kTonightAnew = 30; // looks after which it is counted again, as it gets later
constexpr int kFailureMostCounted = 1'000;
constexpr qint64 kTenMinutes = 600'000'000;

Request failedRequest(int limit) {
    Request request{"GET", "jobs", {}, {}};
    request.query.addQueryItem("sort", "-finished");
    request.query.addQueryItem("limit", QString::number(limit));
    return request;
}

std::vector<Column> latestFailureColumns() {
    return {
        {.id = "time",
         .title = FailuresPanel::tr("Time"),
         .tip = FailuresPanel::tr("When it failed for good"),
         .kind = CellKind::Text,
         .width = 84},
        {.id = "action",
         .title = FailuresPanel::tr("Action"),
         .tip = FailuresPanel::tr("Its number (LSN)"),
         .kind = CellKind::Link,
         .width = 88},
        {.id = "what",
         .title = FailuresPanel::tr("What"),
         .tip = FailuresPanel::tr("Its label, else its command or function"),
         .kind = CellKind::Name,
         .width = 176},
        {.id = "line",
         .title = FailuresPanel::tr("First error line"),
         .tip = FailuresPanel::tr("What it said, or how it ended"),
         .kind = CellKind::Mono,
         .width = 220,
         .stretches = true},
        // The line says more than the button, which the menu and Ctrl+R have as well.
        {.id = "again", .title = {}, .tip = {}, .kind = CellKind::Press, .width = 112, .falls = 1},
    };
}

} // namespace

FailuresPanel::FailuresPanel(Context context, QWidget* parent)
    : Panel(tr("Latest failures"), true, parent)
    , context_(context)
    , table_(new Table("dashboard-failures"))
    , rows_(new RowsModel(latestFailureColumns(), this))
    , all_(new Button(Button::Kind::Small, {}, "again"))
    , latest_(new Poll(
          context.link, kFailureEveryMs, [this] { return askLatest(); },
          [this](const Answer& answer) {
              jobs_.clear();
              for (const QJsonValue value : answer.json.value("jobs").toArray()) jobs_.push_back(value.toObject());
              fill();
          },
          this))
    , tonight_(new Poll(
          context.link, kTonightEveryMs, [this] { return askTonight(); },
          [this](const Answer& answer) {
              tonightCount_ = answer.json.value("jobs").toArray().size();
              tonightMore_ = answer.json.contains("cursor");
              updateHead();
          },
          this)) {
    setFace(DisplayState::Failed);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    table_->setAccessibleName(tr("Latest failures"));
    setBody(new WholeRows(table_));
    addToHead(all_);
    addCommand(*table_, {"reschedule", tr("Reschedule"), QKeySequence("Ctrl+R")}, [this] { rescheduleSelected(); });
    connect(all_, &QAbstractButton::clicked, this, &FailuresPanel::rescheduleTonight);
    connect(table_, &Table::opened, this, [this](qint64 id) { context_.navigator.showAction(id, "output"); });
    connect(table_, &Table::linkClicked, this, [this](qint64 id, int column) {
        if (rows_->columns()[static_cast<std::size_t>(column)].kind == CellKind::Link)
            return context_.navigator.showAction(id, "output");
        if (blocked_.isEmpty())
            context_.commands.run(operations::reschedule(Target::of({id})));
        else
            context_.window.say(blocked_, true);
    });
    connect(table_, &Table::menuWanted, this, &FailuresPanel::showMenu);
    connect(&context_.state, &EngineState::refreshed, this, [this] { latestFor_ = tonightFor_ = -1; });
    updateHead();
}

void FailuresPanel::setActive(bool active) {
    if (active) latestFor_ = tonightFor_ = -1;
    latest_->setActive(active);
    tonight_->setActive(active);
}

void FailuresPanel::setBlocked(const QString& why) {
    blocked_ = why;
    updateHead();
}

void FailuresPanel::refresh() {
    updateHead();
}

std::optional<Request> FailuresPanel::askLatest() {
    const qint64 failed = context_.state.count(DisplayState::Failed);
    if (latestFor_ == failed) return std::nullopt;
    latestFor_ = failed;
    Request request = failedRequest(static_cast<int>(kMostShown));
    request.query.addQueryItem("state", "failed");
    return request;
}

std::optional<Request> FailuresPanel::askTonight() {
    const qint64 failed = context_.state.count(DisplayState::Failed);
    if (tonightFor_ == failed && ++sinceTonight_ < kTonightAnew) return std::nullopt;
    tonightFor_ = failed;
    sinceTonight_ = 0;
    Request request = failedRequest(kFailureMostCounted);
    request.query.addQueryItem("q", tonightFilter());
    return request;
}

const QJsonObject* FailuresPanel::job(qint64 lsn) const {
    const auto found =
        std::ranges::find(jobs_, lsn, [](const QJsonObject& each) { return each.value("lsn").toInteger(); });
    return found == jobs_.end() ? nullptr : &*found;
}

void FailuresPanel::fill() {
    const Format format;
    const qint64 now = wallNow();
    std::vector<Row> rows;
    rows.reserve(jobs_.size());
    for (const QJsonObject& job : jobs_) {
        Row row;
        row.id = job.value("lsn").toInteger();
        const qint64 at = endedAt(job);
        Cell time{at > 0 ? format.time(at, now) : Format::unknown(), {}, {}, {}, Cell::Tone::Dim};
        if (at > 0) time.tip = format.exactTime(at, now);
        const ActionRow action = actionRowOf(job);
        const QString note = noteWords(action);
        Cell line{note.isEmpty() ? endOf(job) : note};
        Cell again{tr("Reschedule")};
        again.icon = "again";
        row.cells = {time, {format.number(row.id)}, {action.what()}, line, again};
        rows.push_back(std::move(row));
    }
    table_->setMessage(rows.empty() ? tr("Nothing has failed.") : QString());
    rows_->setRows(std::move(rows));
    updateHead();
}

void FailuresPanel::updateHead() {
    const Format format;
    const qint64 now = wallNow();
    const qint64 failed = context_.state.count(DisplayState::Failed);
    const auto recent =
        std::ranges::count_if(jobs_, [&](const QJsonObject& each) { return endedAt(each) > now - kTenMinutes; });
    const bool exact = recent < static_cast<qint64>(kMostShown);
    setNote(failed == 0   ? QString()
            : recent == 0 ? format.number(failed)
                          : tr("%1, %2 of them in the last 10 minutes")
                                .arg(format.number(failed),
                                     exact ? format.number(recent) : tr("%1 or more").arg(format.number(recent))));
    const QString count =
        tonightMore_ ? tr("%1 or more").arg(format.number(tonightCount_)) : format.number(tonightCount_);
    all_->setText(tr("Reschedule all of tonight (%1)").arg(count));
    all_->setToolTip(tr("What failed since %1; another time is in the menu of the list").arg(tonightSince()));
    all_->setBlocked(!blocked_.isEmpty()  ? blocked_
                     : tonightCount_ == 0 ? tr("Nothing has failed since %1").arg(tonightSince())
                                          : QString());
}

void FailuresPanel::rescheduleSelected() {
    const auto ids = table_->selectedIds();
    if (ids.empty()) return;
    if (!blocked_.isEmpty()) return context_.window.say(blocked_, true);
    context_.commands.change(reschedulingOf(Target::of(ids)));
}

/// Always with time to take it back: it is one press.
void FailuresPanel::rescheduleTonight() {
    std::optional<qint64> shown = tonightCount_;
    if (tonightMore_) shown.reset();
    ManyChange change = reschedulingOf(Target::matching(tonightFilter(), shown));
    change.undoableFrom = 1;
    context_.commands.change(change);
}

void FailuresPanel::showMenu(const QPoint& global) {
    if (const QJsonObject* chosen = job(table_->currentId()); chosen != nullptr && !table_->selectedIds().empty())
        return showActionMenu(context_, table_, QJsonObject(*chosen), global);
    Transient<QMenu> menu(this);
    menu->addAction(tr("Tonight begins at"))->setEnabled(false);
    for (const char* time : {"12:00", "16:00", "17:00", "18:00", "19:00", "20:00", "22:00", "00:00"}) {
        QAction* action = menu->addAction(QString::fromLatin1(time), this, [this, time] {
            setTonightSince(QString::fromLatin1(time));
            tonightFor_ = -1;
            tonight_->now();
        });
        action->setCheckable(true);
        action->setChecked(tonightSince() == QLatin1String(time));
    }
    (void)menu.run(global);
}

} // namespace yard::ui
