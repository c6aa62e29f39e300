#include "ui/pages/timelines/timelines_page.h"

#include "ui/pages/timelines/selection_strip.h"
#include "ui/timeline/hover_card.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QActionGroup>
#include <QDateTime>
#include <QLocale>
#include <QMenu>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace yard::ui {

using namespace timeline;

namespace {

/// How long a finer picture of a lane may take.
constexpr WallMicros kFinerWithin = 5 * timeline::kSecond;
constexpr WallMicros kBarWithin = timeline::kMinute; // it may be long ago, and read from files

std::vector<Column> tableColumns() {
    return {
        {.id = "state",
         .title = TimelinesPage::tr("State"),
         .tip = TimelinesPage::tr("State of the attempt"),
         .kind = CellKind::State,
         .width = 126,
         .sort = "state"},
        {.id = "lsn",
         .title = TimelinesPage::tr("Action (LSN)"),
         .tip = TimelinesPage::tr("Number of the action"),
         .kind = CellKind::Number,
         .width = 96,
         .sort = "lsn"},
        {.id = "what",
         .title = TimelinesPage::tr("What"),
         .tip = TimelinesPage::tr("Its label, else its command or function"),
         .kind = CellKind::Name,
         .width = 238,
         .stretches = true,
         .sort = "what"},
        {.id = "worker",
         .title = TimelinesPage::tr("Worker"),
         .tip = TimelinesPage::tr("Who ran it"),
         .kind = CellKind::Name,
         .width = 130,
         .sort = "worker"},
        {.id = "slot",
         .title = TimelinesPage::tr("Slot"),
         .tip = TimelinesPage::tr("Where it ran"),
         .kind = CellKind::Number,
         .width = 54,
         .sort = "slot"},
        {.id = "began",
         .title = TimelinesPage::tr("Began"),
         .tip = TimelinesPage::tr("When it was taken from the queue"),
         .kind = CellKind::Number,
         .width = 110,
         .sort = "began"},
        {.id = "ended",
         .title = TimelinesPage::tr("Ended"),
         .tip = TimelinesPage::tr("When it was over"),
         .kind = CellKind::Number,
         .width = 110,
         .sort = "ended"},
        {.id = "took",
         .title = TimelinesPage::tr("Took"),
         .tip = TimelinesPage::tr("From its beginning to its end, or to now"),
         .kind = CellKind::Number,
         .width = 96,
         .sort = "took"},
    };
}

} // namespace

TimelinesPage::TimelinesPage(Context context)
    : FilteredPage(context, new FilterField(tr("Type to filter bars"), true))
    , head_(new PageHead(tr("Timelines")))
    , range_(new Button(Button::Kind::Plain, {}, {}))
    , minus_(new Button(Button::Kind::Plain, {}, "minus"))
    , plus_(new Button(Button::Kind::Plain, {}, "plus"))
    , fit_(new Button(Button::Kind::Flat, tr("Fit"), "fit"))
    , follow_(new Button(Button::Kind::Plain, tr("Follow now"), "follow"))
    , grouping_(new Button(Button::Kind::Flat, tr("By worker"), {}))
    , export_(new Button(Button::Kind::Flat, tr("Export"), "save"))
    , stack_(new QStackedWidget)
    , source_(new TimelineSource(context.link, this))
    , view_(new TimelineView(*source_))
    , table_(new Table("timelines"))
    , rows_(new RowsModel(tableColumns(), this))
    , strip_(new SelectionStrip)
    , last_(new Button(Button::Kind::Plain, tr("Go to the last one"), {}, view_)) {
    QVBoxLayout* inside = makeGround();
    makeCommands();
    makeHead();
    view_->setObjectName("pane");
    strip_->setObjectName("pane");
    table_->setRows(rows_);
    table_->setAccessibleName(tr("Bars in view"));
    stack_->addWidget(view_);
    stack_->addWidget(table_);
    inside->addWidget(head_);
    inside->addWidget(new Separator(Qt::Horizontal));
    inside->addWidget(stack_, 1);
    inside->addWidget(strip_);
    connectView();
    last_->hide();
    connect(last_, &QAbstractButton::clicked, this, &TimelinesPage::goToLast);
    connect(&context_.state, &EngineState::sessionChanged, this, &TimelinesPage::readMachine);
    readMachine();
    updateRange();
    updateSelection();
}

void TimelinesPage::makeHead() {
    minus_->setAccessibleName(tr("Zoom out"));
    minus_->setToolTip(tr("Zoom out (Ctrl+-)"));
    plus_->setAccessibleName(tr("Zoom in"));
    plus_->setToolTip(tr("Zoom in (Ctrl++)"));
    range_->setAccessibleName(tr("Range of time"));
    makeRangeMenu();
    for (QWidget* widget : std::initializer_list<QWidget*>{range_, minus_, plus_, fit_, follow_})
        head_->addLeft(widget, 0, widget == fit_);
    filter_->setMinimumWidth(std::min(scaled(240), 260)); // large text needs the room for buttons
    filter_->setMaximumWidth(scaled(300));
    head_->addRight(filter_);
    head_->addRight(grouping_);
    head_->addRight(export_);
    auto* groups = new QMenu(this);
    groups->addActions({byWorkerAction_, bySlotAction_});
    groups->addSeparator();
    groups->addAction(tableAction_);
    grouping_->setMenu(groups);
    auto* exports = new QMenu(this);
    const auto exporter = [&](const QString& title, Export kind) {
        connect(exports->addAction(title), &QAction::triggered, this, [this, kind] { askExport(kind); });
    };
    exporter(tr("Picture of what is shown (PNG)…"), Export::Png);
    exporter(tr("Drawing of what is shown (SVG)…"), Export::Svg);
    exporter(tr("Trace of the range (Chrome trace format)…"), Export::Trace);
    export_->setMenu(exports);
    connect(minus_, &QAbstractButton::clicked, view_, [this] { view_->zoomBy(1.25); });
    connect(plus_, &QAbstractButton::clicked, view_, [this] { view_->zoomBy(1 / 1.25); });
    connect(fit_, &QAbstractButton::clicked, fitAction_, &QAction::trigger);
    connect(follow_, &QAbstractButton::clicked, followAction_, &QAction::trigger);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        const BarFilter parsed(text);
        filter_->setProblem(parsed.problem());
        view_->setFilter(text);
        emit filterEdited(text);
    });
    connect(filter_, &QLineEdit::returnPressed, this, [this] {
        view_->setFocus();
        view_->selectNextMatch();
    });
}

void TimelinesPage::makeRangeMenu() {
    struct Preset {
        const char* title;
        std::int64_t length;
    };
    static constexpr std::array kPresets{
        Preset{QT_TR_NOOP("Last minute"), kMinute},          Preset{QT_TR_NOOP("Last 5 minutes"), 5 * kMinute},
        Preset{QT_TR_NOOP("Last 15 minutes"), 15 * kMinute}, Preset{QT_TR_NOOP("Last hour"), kHour},
        Preset{QT_TR_NOOP("Last 6 hours"), 6 * kHour},       Preset{QT_TR_NOOP("Last 24 hours"), kDay},
        Preset{QT_TR_NOOP("Last 7 days"), 7 * kDay},         Preset{QT_TR_NOOP("Last 30 days"), kWidest},
    };
    auto* menu = new QMenu(this);
    for (const Preset& preset : kPresets)
        connect(menu->addAction(tr(preset.title)), &QAction::triggered, this, [this, length = preset.length] {
            const WallMicros now = source_->now();
            view_->setRange({now - length, now});
            view_->follow();
        });
    menu->addSeparator();
    connect(menu->addAction(tr("Today")), &QAction::triggered, this, [this] { showDay(0); });
    connect(menu->addAction(tr("Yesterday")), &QAction::triggered, this, [this] { showDay(kHour); });
    auto* days = new QMenu(tr("Another day"), menu);
    menu->addMenu(days);
    connect(days, &QMenu::aboutToShow, this, [this, days] { fillDays(*days); });
    range_->setMenu(menu);
}

/// Filled each time it opens, as it gets later.
void TimelinesPage::fillDays(QMenu& days) {
    constexpr std::int64_t kDays = kWidest / kDay;
    days.clear();
    const WallMicros midnight = startOfDay(source_->now(), QTimeZone::systemTimeZone());
    for (std::int64_t back = 2; back < kDays; ++back) {
        // In the middle of a day, whether it has 23 hours or 25.
        const std::int64_t before = back * kDay - kDay / 2;
        const QDate date = QDateTime::fromMSecsSinceEpoch((midnight - before) / 1'000).date();
        const QString title =
            QLocale().toString(date, QStringLiteral("ddd ")) + QLocale().toString(date, QLocale::ShortFormat);
        days.addAction(title, this, [this, before] { showDay(before); });
    }
}

void TimelinesPage::showDay(std::int64_t before) {
    const WallMicros midnight = startOfDay(source_->now(), QTimeZone::systemTimeZone());
    const WallMicros from = startOfDay(midnight - before, QTimeZone::systemTimeZone());
    view_->setRange({from, from + kDay});
}

std::vector<CommandSpec> TimelinesPage::declared() {
    return {{"open", tr("Open")},
            {"log", tr("Log"), QKeySequence("Ctrl+L")},
            {"compare", tr("Compare with the last good one"), QKeySequence("Ctrl+D")},
            {"table", tr("Bars in view as a table"), QKeySequence("Ctrl+Shift+T")},
            {"follow", tr("Follow now")},
            {"fit", tr("Fit everything")},
            {"by-worker", tr("By worker")},
            {"by-slot", tr("By slot")}};
}

void TimelinesPage::makeCommands() {
    const CommandMaker make(*this, declared());
    openAction_ = make("open", [this] {
        if (const qint64 lsn = selectedLsn(); lsn > 0) context_.navigator.showAction(lsn);
    });
    logAction_ = make("log", [this] {
        if (const qint64 lsn = selectedLsn(); lsn > 0) context_.navigator.showAction(lsn, "output");
    });
    compareAction_ = make("compare", [this] {
        if (const qint64 lsn = selectedLsn(); lsn > 0) context_.navigator.showAction(lsn, "history");
    });
    tableAction_ = make("table", [this] { toggleTable(); });
    tableAction_->setCheckable(true);
    followAction_ = make("follow", [this] { view_->follow(); });
    fitAction_ = make("fit", [this] { view_->fitAll(); });
    auto* group = new QActionGroup(this);
    byWorkerAction_ = make("by-worker", [this] {
        view_->setBySlot(false);
        grouping_->setText(tr("By worker"));
    });
    bySlotAction_ = make("by-slot", [this] {
        view_->setBySlot(true);
        grouping_->setText(tr("By slot"));
    });
    for (QAction* action : {byWorkerAction_, bySlotAction_}) {
        action->setCheckable(true);
        group->addAction(action);
    }
    byWorkerAction_->setChecked(true);
    addCommand(*this, {"next-match", tr("Next match"), QKeySequence("F3")}, [this] { view_->selectNextMatch(); });
}

void TimelinesPage::connectView() {
    connect(view_, &TimelineView::rangeEdited, this, &TimelinesPage::updateRange);
    connect(view_, &TimelineView::followingChanged, this, &TimelinesPage::updateFollow);
    connect(view_, &TimelineView::selectionEdited, this, &TimelinesPage::updateSelection);
    connect(view_, &TimelineView::countsEdited, this, &TimelinesPage::updateCount);
    connect(source_, &TimelineData::changed, this, [this] {
        updateEmpty();
        seekLane();
        seekBar();
    });
    connect(view_, &TimelineView::opened, this,
            [this](qint64 lsn, const QString& tab) { context_.navigator.showAction(lsn, tab); });
    connect(view_, &TimelineView::compareWanted, this,
            [this](qint64 lsn) { context_.navigator.showAction(lsn, "history"); });
    connect(view_, &TimelineView::contextMenuWanted, this, &TimelinesPage::showMenu);
    connect(view_, &TimelineView::typed, this, &TimelinesPage::typeInFilter);
    connect(strip_->open(), &QAbstractButton::clicked, openAction_, &QAction::trigger);
    connect(strip_->log(), &QAbstractButton::clicked, logAction_, &QAction::trigger);
    connect(strip_->compare(), &QAbstractButton::clicked, compareAction_, &QAction::trigger);
    connect(table_, &Table::opened, this, [this] { openAction_->trigger(); });
    connect(table_, &Table::selectionEdited, this, [this] {
        const std::vector<qint64> ids = table_->selectedIds();
        if (showsTable() && !ids.empty() && ids.front() <= static_cast<qint64>(rowLsns_.size()))
            view_->selectAction(rowLsns_[static_cast<std::size_t>(ids.front() - 1)]);
    });
    updateFollow();
}

void TimelinesPage::setActive(bool active) {
    view_->setActive(active && !showsTable());
    source_->setActive(active);
    if (!active || guardShare_ > 0) return;
    context_.link.send({"GET", "settings", {}, {}}, this, [this](const Answer& answer) {
        if (!answer.ok()) return;
        // Either the plain value, or an object that has it.
        const QJsonObject settings =
            answer.json.contains("settings") ? answer.json.value("settings").toObject() : answer.json;
        const QJsonValue hold = settings.value("guard_hold_percent");
        guardShare_ = (hold.isObject() ? hold["value"] : hold).toDouble() / 100;
        readMachine();
    });
}

void TimelinesPage::readMachine() {
    const QJsonObject machine = context_.state.session().value("machine").toObject();
    view_->setMachine({machine.value("cores").toDouble(), machine.value("memory_bytes").toDouble(), guardShare_});
}

QString TimelinesPage::rangeText() const {
    const Range range = view_->range();
    const WallMicros now = source_->now();
    const Format format;
    const bool toNow = view_->isFollowing() || range.contains(now);
    if (range.length() < kMinute && !toNow)
        return tr("%1 to %2")
            .arg(cursorLabel(range.from, 1e4, QTimeZone::systemTimeZone()),
                 cursorLabel(range.to, 1e4, QTimeZone::systemTimeZone()));
    if (toNow) return tr("%1 to now").arg(format.time(range.from, now));
    return tr("%1 to %2").arg(format.time(range.from, now), format.time(range.to, now));
}

void TimelinesPage::updateRange() {
    const QString text = rangeText();
    if (range_->text() == text) return;
    range_->setText(text);
    range_->updateGeometry();
}

void TimelinesPage::updateFollow() {
    const bool following = view_->isFollowing();
    follow_->setLit(following);
    follow_->setText(following ? tr("Follow now") : tr("Back to now"));
    follow_->setToolTip(tr("End"));
    follow_->updateGeometry();
    updateRange();
}

void TimelinesPage::updateCount() {
    const LaneStore::Counts counts = view_->counts();
    const Format format;
    const QString all = format.number(counts.all);
    if (view_->store().filter().isEmpty())
        filter_->setCount(counts.all == 1 ? tr("1 bar") : tr("%1 bars").arg(all));
    else if (counts.isLeast) // steps hold several bars whose names are not here
        filter_->setCount(tr("at least %1 of %2").arg(format.number(counts.matching), all));
    else
        filter_->setCount(tr("%1 of %2").arg(format.number(counts.matching), all));
    updateEmpty();
    if (showsTable()) fillTable();
}

void TimelinesPage::updateSelection() {
    strip_->present(view_->selected(), source_->now());
    const QString none = view_->selected() ? QString() : tr("Select a bar first");
    for (QAction* action : {openAction_, logAction_, compareAction_}) setBlocked(action, none);
}

void TimelinesPage::updateEmpty() {
    const bool empty = source_->hasAnswered() && source_->problem().isEmpty() && view_->counts().all == 0 &&
                       !source_->known().empty();
    last_->setVisible(empty);
    if (!empty) return;
    last_->resize(last_->sizeHint());
    last_->move(kLabels + (view_->width() - kLabels - last_->width()) / 2,
                kLanesTop + (view_->height() - kLanesTop) / 2 + scaled(24));
}

void TimelinesPage::goToLast() {
    // The last step in which something ran; steps are kept for about a week.
    Request request{"GET", "stats", {}, {}};
    const WallMicros now = source_->now();
    request.query.addQueryItem("from", QString::number(now - 7 * kDay));
    context_.link.send(request, this, [this, now](const Answer& answer) {
        const Figures figures = figuresOf(answer.json, {now - 7 * kDay, now});
        for (std::size_t i = figures.t.size(); i-- > 0;) {
            if (!(figures.running[i] > 0 || figures.completed[i] > 0 || figures.failed[i] > 0)) continue;
            const std::int64_t length = std::max(view_->range().length(), 2 * figures.step);
            const WallMicros middle = figures.t[i] + figures.step / 2;
            view_->setRange({middle - length / 2, middle - length / 2 + length});
            return;
        }
        context_.window.say(tr("Nothing has run within the last week"));
    });
}

void TimelinesPage::toggleTable() {
    const bool table = !showsTable();
    if (table) fillTable();
    stack_->setCurrentWidget(table ? static_cast<QWidget*>(table_) : view_);
    tableAction_->setChecked(table);
    stack_->currentWidget()->setFocus();
}

void TimelinesPage::fillTable() {
    const Format format;
    const WallMicros now = source_->now();
    std::vector<Row> rows;
    rowLsns_.clear();
    for (const TimelineView::VisibleBar& visible : view_->visibleBars()) {
        const SelectedBar& bar = visible.bar;
        Row row;
        rowLsns_.push_back(bar.item.lsn);
        row.id = static_cast<qint64>(rowLsns_.size());
        Cell state{wordOf(bar.item.face)};
        state.face = bar.item.face;
        const std::int64_t took = bar.item.until(now) - bar.item.begin;
        row.cells = {state,
                     {format.number(bar.item.lsn)},
                     {bar.name},
                     {bar.workerName},
                     {QString::number(bar.slot)},
                     {format.time(bar.item.begin, now)},
                     {bar.item.isOpen() ? Format::unknown() : format.time(bar.item.end, now)},
                     {format.duration(Duration(took))}};
        row.keys = {QVariant(),       bar.item.lsn,           QVariant(),           QVariant(),
                    qint64{bar.slot}, qint64{bar.item.begin}, qint64{bar.item.end}, qint64{took}};
        rows.push_back(std::move(row));
    }
    rows_->setRows(std::move(rows));
}

qint64 TimelinesPage::selectedLsn() const {
    return view_->selected() ? view_->selected()->item.lsn : 0;
}

void TimelinesPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    menu->addActions({openAction_, logAction_, compareAction_});
    menu->addSeparator();
    menu->addActions({fitAction_, followAction_, tableAction_});
    (void)menu.run(global);
}

void TimelinesPage::setFilter(const QString& filter) {
    static const QRegularExpression at(QStringLiteral(R"(\bat:(\d{1,2}):(\d{2})(?::(\d{2}))?\s*)"));
    static const QRegularExpression lane(QStringLiteral(R"(\blane:([^\s/]*)/(\d{1,6})\s*)"));
    static const QRegularExpression span(QStringLiteral(R"(\bspan:(\d{1,17})\.\.(\d{1,17})\s*)"));
    QString rest = filter;
    wantedLane_.reset();
    if (const auto match = span.match(rest); match.hasMatch()) {
        rest.remove(match.capturedStart(), match.capturedLength());
        const WallMicros from = match.captured(1).toLongLong();
        const WallMicros to = match.captured(2).toLongLong();
        if (from < to) view_->setRange({from, to});
    }
    if (const auto match = lane.match(rest); match.hasMatch()) {
        rest.remove(match.capturedStart(), match.capturedLength());
        wantedLane_ = WantedLane{match.captured(1), match.captured(2).toUInt(), source_->now(),
                                 source_->now() + kFinerWithin};
        (match.captured(1).isEmpty() ? bySlotAction_ : byWorkerAction_)->trigger();
    }
    if (const auto match = at.match(rest); match.hasMatch()) {
        rest.remove(match.capturedStart(), match.capturedLength());
        const WallMicros now = source_->now();
        WallMicros time = startOfDay(now, QTimeZone::systemTimeZone()) + match.captured(1).toLongLong() * kHour +
                          match.captured(2).toLongLong() * kMinute + match.captured(3).toLongLong() * kSecond;
        if (time > now) time -= kDay;
        // Who names the second wants to see seconds.
        const WallMicros around = match.captured(3).isEmpty() ? 20 * kMinute : kMinute;
        view_->setRange({time - around, time + around});
        if (wantedLane_) wantedLane_->at = time;
    }
    filter_->setText(rest.trimmed());
    seekLane();
}

/// As soon as what ran then is here; says so when there is no such lane.
void TimelinesPage::seekLane() {
    if (!wantedLane_ || view_->isIncomplete(wantedLane_->worker)) return;
    WantedLane lane = *std::exchange(wantedLane_, std::nullopt);
    const auto isStep = [this] { return view_->selected() && view_->selected()->item.isStep; };
    if (lane.again && !isStep()) return; // the hand has chosen something else
    view_->settle();
    if (!view_->showLane(lane.worker, lane.slot, lane.at))
        return context_.window.say(tr("Nothing has run in slot %1 then").arg(lane.slot), true);
    // Of the coarse picture, which comes first, it may be several in one: the finer one says which.
    if (!isStep() || source_->now() > lane.until) return;
    lane.again = true;
    wantedLane_ = lane;
}

void TimelinesPage::takeUpdates() {
    view_->settle();
}
void TimelinesPage::open(qint64 lsn, const QString&) {
    wantedBar_.reset();
    context_.link.send({"GET", QStringLiteral("jobs/%1").arg(lsn), {}, {}, {}}, this,
                       [this, number = ++opened_](const Answer& answer) {
                           if (number != opened_) return; // another one is wanted since
                           if (!answer.ok()) return context_.window.say(answer.message, true);
                           goToBar(actionRowOf(answer.json));
                       });
}

/// Its last attempt, with as much around it as it took.
void TimelinesPage::goToBar(const ActionRow& row) {
    if (row.submitting == 0) return context_.window.say(tr("That action has not run"));
    const WallMicros now = source_->now();
    const WallMicros end = std::max(row.submitting, row.isFinal() ? std::max(row.exited, row.finished) : now);
    const WallMicros around = std::clamp<WallMicros>(end - row.submitting, kSecond, kHour);
    view_->setRange({row.submitting - around, end + around});
    view_->select(std::nullopt);
    wantedBar_ = WantedBar{row.lsn, row.workerId, now + kBarWithin};
    seekBar();
}

/// Of the coarse picture, which comes first, it may be one of several in a step: then the finer one is waited for.
void TimelinesPage::seekBar() {
    if (!wantedBar_) return;
    const bool isOther = selectedLsn() != 0 && selectedLsn() != wantedBar_->lsn; // the hand has chosen
    if (isOther || source_->now() > wantedBar_->until) return wantedBar_.reset();
    view_->settle();
    const bool isFound = view_->selectAction(wantedBar_->lsn);
    const QString worker = view_->store().isBySlot() ? QString() : wantedBar_->worker;
    if (isFound ? view_->selected()->item.isStep : view_->isIncomplete(worker)) return;
    wantedBar_.reset();
    if (!isFound) context_.window.say(tr("That action has no bar in the range shown"));
}
QList<QAction*> TimelinesPage::commands() const {
    return {openAction_, logAction_,      compareAction_, followAction_,
            fitAction_,  byWorkerAction_, bySlotAction_,  tableAction_};
}

bool TimelinesPage::closeInnermost() {
    if (showsTable()) {
        toggleTable();
        return true;
    }
    return view_->clearInnermost();
}

Operation TimelinesPage::asOperation() const {
    const Range range = view_->range();
    Request request{"GET", "timelines", {}, {}};
    request.query.addQueryItem("from", QString::number(range.from));
    request.query.addQueryItem("to", QString::number(std::min(range.to, source_->now())));
    return {tr("Timelines"), request, {}};
}

} // namespace yard::ui
