#include "ui/pages/queues/schedules_pane.h"

#include "ui/bridge/schedule_operations.h"
#include "ui/style/format.h"
#include "ui/widgets/transient.h"

#include <QSplitter>

#include <algorithm>
#include <limits>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kSchedulesLookMs = 5'000;
/// A line of each minute has so many until the strip is asked for again, and an hour that comes twice.
constexpr std::size_t kMostTimesOfLine = 2'000;
/// Lines of crontab whose times are asked for; of others the next one stands alone.
constexpr std::size_t kMostCronLines = 200;
constexpr std::size_t kMostUnderWay = 4;
constexpr double kLongestStep = 1e9; ///< s
constexpr WallMicros kLineIsGoodFor = WallMicros{3'600} * 1'000'000;

std::vector<Column> scheduleColumns() {
    return {{.id = "schedule",
             .title = SchedulesPane::tr("Schedule"),
             .tip = SchedulesPane::tr("Its name"),
             .kind = CellKind::Name,
             .width = 140,
             .sort = "name"},
            {.id = "when",
             .title = SchedulesPane::tr("When"),
             .tip = SchedulesPane::tr("A line of crontab, a distance, or a moment"),
             .kind = CellKind::Text,
             .width = 120,
             .stretches = true},
            {.id = "next",
             .title = SchedulesPane::tr("Next"),
             .tip = SchedulesPane::tr("When it starts next"),
             .kind = CellKind::Text,
             .width = 96,
             .sort = "next"},
            {.id = "last",
             .title = SchedulesPane::tr("Last"),
             .tip = SchedulesPane::tr("When it was last due, and whether it started"),
             .kind = CellKind::Text,
             .width = 110,
             .falls = 2,
             .sort = "last"},
            {.id = "runs",
             .title = SchedulesPane::tr("Running"),
             .tip = SchedulesPane::tr("Its runs that have not ended"),
             .kind = CellKind::Number,
             .width = 64,
             .falls = 1,
             .sort = "runs"}};
}

Row scheduleRow(const Format& format, const ScheduleInfo& schedule, qint64 id, WallMicros now) {
    Cell next{.text = schedule.next > 0 ? format.coming(schedule.next, now) : Format::unknown()};
    if (schedule.isPaused) next = {.text = SchedulesPane::tr("paused"), .face = DisplayState::Held};
    if (!schedule.broken.isEmpty())
        next = {.text = SchedulesPane::tr("never"),
                .face = DisplayState::Failed,
                .tone = Cell::Tone::Alert,
                .tip = unturned(schedule.broken)};
    Cell last{.text = Format::unknown(), .tone = Cell::Tone::Faint};
    if (schedule.last) {
        const bool started = schedule.last->outcome == "submitted";
        last = {.text = format.time(schedule.last->due > 0 ? schedule.last->due : schedule.last->at, now),
                .face = started ? DisplayState::Completed : DisplayState::Failed,
                .tip = unturned(schedule.last->error)};
    }
    return {.id = id,
            .cells = {{.text = unturned(schedule.name)},
                      {.text = whenWords(schedule, now), .mono = !schedule.cron.isEmpty()},
                      next,
                      last,
                      {.text = format.number(schedule.unfinished)}},
            .keys = {schedule.name,
                     {},
                     schedule.next > 0 ? QVariant(schedule.next) : QVariant(std::numeric_limits<qint64>::max()),
                     schedule.last ? QVariant(schedule.last->at) : QVariant(0),
                     QVariant(schedule.unfinished)}};
}

} // namespace

SchedulesPane::SchedulesPane(Context context, QWidget* parent)
    : QWidget(parent)
    , context_(context)
    , strip_(new DayStrip)
    , table_(new Table("schedules"))
    , rows_(new RowsModel(scheduleColumns(), this))
    , form_(new ScheduleForm(context))
    , fresh_(new Button(Button::Kind::Plain, tr("New schedule"), "plus"))
    , run_(new Button(Button::Kind::Plain, tr("Run now"), "again"))
    , pause_(new Button(Button::Kind::Plain, tr("Pause"), "pause"))
    , remove_(new Button(Button::Kind::Plain, tr("Remove…"), "close"))
    , poll_(
          context.link, kSchedulesLookMs, [] { return operations::lookAtSchedules(); },
          [this](const Answer& answer) { take(answer.json); })
    , one_(
          context.link, kSchedulesLookMs,
          [this] {
              return form_->name().isEmpty() ? std::nullopt
                                             : std::optional(operations::lookAtSchedule(form_->name()));
          },
          [this](const Answer& answer) { takeOne(answer.json); }) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(strip_);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    for (QWidget* button : {fresh_, run_, pause_, remove_}) buttons->addWidget(button);
    buttons->addStretch(1);
    column->addLayout(buttons);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setAccessibleName(tr("Schedules"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setObjectName("pane");
    split->addWidget(table_);
    split->addWidget(form_);
    split->setStretchFactor(0, 1);
    split->setSizes({scaled(620), scaled(440)});
    column->addWidget(split, 1);
    setFocusProxy(table_);
    connectAll();
    review();
}

void SchedulesPane::connectAll() {
    connect(table_, &Table::selectionEdited, this, &SchedulesPane::onSelection);
    connect(strip_, &DayStrip::chosen, this, [this](const QString& name) {
        if (const auto id = ids_.find(name); id != ids_.end()) table_->selectId(id->second);
        choose(name);
    });
    connect(&poll_, &Poll::failed, this, [this](int, const QString& message) { table_->setMessage(message); });
    connect(form_, &ScheduleForm::saved, this, [this] {
        poll_.now();
        one_.now();
    });
    connect(fresh_, &QAbstractButton::clicked, this, [this] {
        table_->clearSelection();
        choose({});
        form_->focusName();
    });
    connect(run_, &QAbstractButton::clicked, this, [this] {
        context_.commands.run(operations::runSchedule(form_->name()), this, [this](const Answer&) { one_.now(); });
    });
    connect(pause_, &QAbstractButton::clicked, this, [this] {
        const ScheduleInfo* schedule = chosen();
        if (schedule == nullptr) return;
        context_.commands.run(operations::pauseSchedule(schedule->name, !schedule->isPaused), this,
                              [this](const Answer&) { poll_.now(); });
    });
    connect(remove_, &QAbstractButton::clicked, this, &SchedulesPane::removeChosen);
}

void SchedulesPane::setActive(bool active) {
    poll_.setActive(active);
    one_.setActive(active);
}

void SchedulesPane::setFilter(const QString& text) {
    rows_->setFilter(text.isEmpty() ? std::function<bool(const Row&)>() : [text](const Row& row) {
        return row.cells[0].text.contains(text, Qt::CaseInsensitive);
    });
}

void SchedulesPane::takeUpdates() {
    rows_->takeWaiting();
}

const ScheduleInfo* SchedulesPane::chosen() const {
    const auto found = std::ranges::find(schedules_, form_->name(), &ScheduleInfo::name);
    return form_->name().isEmpty() || found == schedules_.end() ? nullptr : &*found;
}

void SchedulesPane::take(const QJsonObject& json) {
    schedules_ = readSchedules(json);
    const Format format;
    const WallMicros now = wallNow();
    std::vector<Row> rows;
    rows.reserve(schedules_.size());
    for (const ScheduleInfo& schedule : schedules_) {
        const auto id = ids_.emplace(schedule.name, static_cast<qint64>(ids_.size()) + 1).first->second;
        rows.push_back(scheduleRow(format, schedule, id, now));
    }
    table_->setMessage(rows.empty() ? tr("Nothing runs at certain times yet") : QString());
    rows_->setRows(std::move(rows));
    emit counted(static_cast<int>(schedules_.size()));
    review();
    askTimes();
    showStrip();
}

void SchedulesPane::takeOne(const QJsonObject& json) {
    if (json.value("name").toString() == form_->name()) form_->showRuns(json);
}

void SchedulesPane::onSelection() {
    const auto ids = table_->selectedIds();
    if (ids.empty()) return;
    for (const ScheduleInfo& schedule : schedules_)
        if (ids_[schedule.name] == ids.front() && schedule.name != form_->name()) return choose(schedule.name);
}

void SchedulesPane::choose(const QString& name) {
    const auto found = std::ranges::find(schedules_, name, &ScheduleInfo::name);
    form_->begin(found == schedules_.end() ? QJsonObject() : found->json);
    strip_->setChosen(form_->name());
    one_.now();
    review();
}

void SchedulesPane::review() {
    const ScheduleInfo* schedule = chosen();
    const QString lost = context_.state.whyBlocked();
    const QString none = !lost.isEmpty() ? lost : schedule == nullptr ? tr("Choose a schedule first") : QString();
    for (Button* button : {run_, pause_, remove_}) button->setBlocked(none);
    fresh_->setBlocked(lost);
    const bool isPaused = schedule != nullptr && schedule->isPaused;
    pause_->setText(isPaused ? tr("Resume") : tr("Pause"));
}

void SchedulesPane::removeChosen() {
    const QString name = form_->name();
    if (name.isEmpty()) return;
    const auto isMeant = answered(this, [&] {
        return context_.window.ask(tr("Remove schedule %1?").arg(name),
                                   tr("What runs of it goes on. Nothing of it is due any more."),
                                   tr("Remove %1").arg(name), tr("Keep it"));
    });
    if (!isMeant.value_or(false)) return;
    context_.commands.run(operations::removeSchedule(name), this, [this, name](const Answer& answer) {
        if (!answer.ok()) return;
        if (name == form_->name()) { // else another one was chosen meanwhile
            table_->clearSelection();
            choose({});
        }
        poll_.now();
    });
}

// --- the strip

/// Lines of crontab are the engine's matter, which knows time zones: each is asked for once in a while.
void SchedulesPane::askTimes() {
    const WallMicros now = wallNow();
    std::set<Line> there;
    for (const ScheduleInfo& schedule : schedules_) {
        if (schedule.cron.isEmpty() || schedule.isPaused || !schedule.broken.isEmpty()) continue;
        const Line line(schedule.cron, schedule.zone);
        if (there.size() >= kMostCronLines || !there.insert(line).second) continue;
        const auto known = lines_.find(line);
        const bool isGood =
            known != lines_.end() && now >= known->second.asked && now - known->second.asked < kLineIsGoodFor;
        if (isGood || underWay_.contains(line) || underWay_.size() >= kMostUnderWay) continue;
        underWay_.insert(line);
        askTimesOf(line, now, {});
    }
    std::erase_if(lines_, [&there](const auto& one) { return !there.contains(one.first); });
}

/// Until they reach over the strip as it is when they are asked for the next time. `before`: those that were told already.
void SchedulesPane::askTimesOf(const Line& line, WallMicros begun, std::vector<qint64> before) {
    const Request request = operations::tryCron(line.first, line.second, operations::kMostTimesTold,
                                                before.empty() ? 0 : before.back());
    context_.link.send(request, this, [this, line, begun, all = std::move(before)](const Answer& answer) mutable {
        if (answer.status == 0) { // nobody answered: asked again with the next look
            underWay_.erase(line);
            return;
        }
        const std::vector<qint64> more = readScheduleTimes(answer.json);
        const std::size_t had = all.size();
        for (const qint64 at : more)
            if (all.empty() || at > all.back()) all.push_back(at);
        const bool isCut = more.size() >= operations::kMostTimesTold && all.size() > had;
        const bool goesOn =
            isCut && all.size() < kMostTimesOfLine && all.back() < begun + kLineIsGoodFor + DayStrip::kSpan;
        if (goesOn) return askTimesOf(line, begun, std::move(all));
        underWay_.erase(line);
        lines_[line] = {.at = std::move(all), .asked = begun};
        askTimes();
        showStrip();
    });
}

void SchedulesPane::showTimesOf(const ScheduleInfo& schedule, std::vector<DayStrip::Times>& all) const {
    if (schedule.next <= 0) return;
    DayStrip::Times times{.schedule = schedule.name, .at = {schedule.next}};
    const auto line = lines_.find(Line(schedule.cron, schedule.zone));
    if (!schedule.cron.isEmpty() && line != lines_.end() && !line->second.at.empty()) times.at = line->second.at;
    if (schedule.every > 0) times.step = static_cast<qint64>(std::min(schedule.every, kLongestStep) * 1e6);
    all.push_back(std::move(times));
}

void SchedulesPane::showStrip() {
    std::vector<DayStrip::Times> all;
    for (const ScheduleInfo& schedule : schedules_) showTimesOf(schedule, all);
    strip_->show(std::move(all), wallNow());
    strip_->setChosen(form_->name());
}

} // namespace yard::ui
