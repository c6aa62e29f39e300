#include "ui/pages/failures/failures_page.h"

#include "ui/pages/failures/failure_panel.h"
#include "ui/style/format.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QJsonDocument>
#include <QMenu>

#include <utility>

namespace yard::ui {

namespace {

struct FailureColumns {
    Q_DECLARE_TR_FUNCTIONS(FailureColumns)
};

constexpr int kLookMs = 5'000;
constexpr int kLooksUntilLater = 12; ///< looks after which it is asked again, as it gets later
constexpr int kFilterPauseMs = 250;
constexpr int kDayHours = 24;
constexpr int kWeekHours = 7 * kDayHours;
constexpr WallMicros kHourMicros = 3'600'000'000;

std::vector<Column> groupColumns() {
    return {
        {.id = "count",
         .title = FailureColumns::tr("Count"),
         .tip = FailureColumns::tr("How many actions failed so"),
         .kind = CellKind::Number,
         .width = 68,
         .sort = "count"},
        {.id = "line",
         .title = FailureColumns::tr("First error line"),
         .tip = FailureColumns::tr("What they said alike; # stands for a number, <path> for a path"),
         .kind = CellKind::Mono,
         .width = 260,
         .stretches = true},
        {.id = "queues",
         .title = FailureColumns::tr("Queues"),
         .tip = FailureColumns::tr("The queue with most of them, and how many others there are"),
         .kind = CellKind::Name,
         .width = 129},
        {.id = "workers",
         .title = FailureColumns::tr("Worker versions"),
         .tip = FailureColumns::tr("The worker with most of them, and how many others there are"),
         .kind = CellKind::Name,
         .width = 139,
         .falls = 3},
        {.id = "machines",
         .title = FailureColumns::tr("Machines"),
         .tip = FailureColumns::tr("The machine with most of them, and how many others there are"),
         .kind = CellKind::Name,
         .width = 88,
         .falls = 2},
        {.id = "hours",
         .title = FailureColumns::tr("By hour"),
         .tip = FailureColumns::tr("The last 24 hours, each row on its own scale"),
         .kind = CellKind::Bars,
         .width = 87},
        {.id = "first",
         .title = FailureColumns::tr("First"),
         .tip = FailureColumns::tr("When the first of them ended"),
         .kind = CellKind::Number,
         .width = 100,
         .falls = 1,
         .sort = "first"},
        {.id = "last",
         .title = FailureColumns::tr("Last"),
         .tip = FailureColumns::tr("When the newest of them ended"),
         .kind = CellKind::Number,
         .width = 104,
         .sort = "last"},
    };
}

QString spanWords(int hours) {
    if (hours == kDayHours) return FailureColumns::tr("24 hours");
    return hours == kWeekHours ? FailureColumns::tr("7 days") : FailureColumns::tr("All that is kept");
}

} // namespace

FailuresPage::FailuresPage(Context context)
    : FilteredPage(context, new FilterField(tr("queue:nightly text…"), true))
    , head_(new PageHead(tr("Failures")))
    , tabs_(new Tabs(historyTabTitles()))
    , span_(new Button(Button::Kind::Plain, spanWords(kDayHours), {}))
    , badge_(new UpdatesBadge)
    , split_(new QSplitter(Qt::Vertical))
    , table_(new Table("failures"))
    , rows_(new RowsModel(groupColumns(), this))
    , panel_(new FailurePanel(context))
    , empty_(new Surface(Token::Bg1))
    , emptyText_(new Label({}, Type::Body, Token::Text2))
    , longer_(new Button(Button::Kind::Link, {}, {}))
    , poll_(
          context.link, kLookMs, [this] { return request(); },
          [this](const Answer& answer) { take(answer.json); }) {
    QVBoxLayout* inside = makeGround();
    makeHead(inside);
    split_->setChildrenCollapsible(false);
    table_->setRows(rows_);
    table_->setObjectName("pane");
    setFocusProxy(table_);
    table_->setAccessibleName(tr("Failures by likeness"));
    split_->addWidget(table_);
    split_->addWidget(panel_);
    split_->setStretchFactor(0, 1);
    split_->setSizes({500, scaled(340)});
    inside->addWidget(split_, 1);
    makeEmpty();
    inside->addWidget(empty_, 1);
    makeCommands();
    makeMenus();
    filterLater_.setSingleShot(true);
    filterLater_.setInterval(kFilterPauseMs);
    connect(&filterLater_, &QTimer::timeout, this, &FailuresPage::find);
    connect(filter_, &QLineEdit::textChanged, this, [this] { filterLater_.start(); });
    filter_->setLanguage([this] { return filterValues(); }, "failures");
    connect(rows_, &TableModel::waitingChanged, badge_, &UpdatesBadge::setCount);
    connect(table_, &Table::selectionEdited, this, &FailuresPage::onSelection);
    connect(table_, &Table::opened, this, [this] { showActions_->trigger(); });
    connect(table_, &Table::menuWanted, this, &FailuresPage::showMenu);
    connect(table_, &Table::typed, this, &FailuresPage::typeInFilter);
    connect(panel_, &FailurePanel::closed, this, [this] { closeInnermost(); });
    connect(panel_, &FailurePanel::actionsWanted, showActions_, &QAction::trigger);
    connect(panel_->reschedule(), &QAbstractButton::clicked, reschedule_, &QAction::trigger);
    connect(&poll_, &Poll::failed, this, &FailuresPage::onFailed);
    connect(&context_.state, &EngineState::connectionChanged, this, &FailuresPage::onSelection);
    connect(&context_.state, &EngineState::refreshed, this, [this] {
        askedFor_ = -1;
        poll_.now();
    });
    showEmpty();
    onSelection();
}

void FailuresPage::makeHead(QVBoxLayout* column) {
    filter_->setMaximumWidth(scaled(420));
    head_->addLeft(filter_, 1);
    head_->addLeft(span_);
    auto* shown = new Button(Button::Kind::Flat, tr("Columns"), "columns");
    head_->addRight(badge_);
    head_->addRight(shown);
    column->addWidget(head_);
    tabs_->setCurrent(FailuresTab);
    column->addWidget(tabs_);
    column->addWidget(new Separator(Qt::Horizontal));
    connect(tabs_, &Tabs::chosen, this, [this](int tab) {
        tabs_->setCurrent(FailuresTab);
        if (tab != FailuresTab) context_.navigator.showThing("history", tab);
    });
    connect(badge_, &QAbstractButton::clicked, this, &FailuresPage::takeUpdates);
    connect(shown, &QAbstractButton::clicked, this,
            [this, shown] { table_->showColumnMenu(shown->mapToGlobal(shown->rect().bottomLeft())); });
}

/// Nothing failed: one sentence, and a longer time.
void FailuresPage::makeEmpty() {
    auto* column = new QVBoxLayout(empty_);
    column->setSpacing(12);
    column->addStretch(1);
    column->addWidget(emptyText_, 0, Qt::AlignHCenter);
    column->addWidget(longer_, 0, Qt::AlignHCenter);
    column->addStretch(1);
    connect(longer_, &QAbstractButton::clicked, this, [this] { setHours(hours_ == kDayHours ? kWeekHours : 0); });
}

void FailuresPage::makeMenus() {
    auto* spans = new QMenu(this);
    for (const int hours : {kDayHours, kWeekHours, 0})
        spans->addAction(spanWords(hours), this, [this, hours] { setHours(hours); });
    span_->setMenu(spans);
    muteMenu_ = new QMenu(tr("Mute"), this);
    connect(muteMenu_, &QMenu::aboutToShow, this, &FailuresPage::fillMuteMenu);
    panel_->mute()->setMenu(muteMenu_);
    copyMenu_ = new QMenu(tr("Copy as"), this);
    connect(copyMenu_, &QMenu::aboutToShow, this, &FailuresPage::fillCopyMenu);
    panel_->copyAs()->setMenu(copyMenu_);
}

void FailuresPage::setActive(bool active) {
    if (active) askedFor_ = -1;
    poll_.setActive(active);
}

void FailuresPage::setHours(int hours) {
    if (hours_ == hours) return;
    hours_ = hours;
    span_->setText(spanWords(hours));
    askedFor_ = -1;
    poll_.now();
}

// --- what is asked for

/// Nothing while nothing failed since.
std::optional<Request> FailuresPage::request() {
    const EngineState& state = context_.state;
    const qint64 failed = state.count(DisplayState::Failed) + state.count(DisplayState::Abandoned);
    if (askedFor_ == failed && ++looks_ < kLooksUntilLater) return std::nullopt;
    askedFor_ = failed;
    looks_ = 0;
    return operations::lookAtFailures(askedFilter_, hours_).request;
}

void FailuresPage::find() {
    const QString text = withLsns(filter_->text()).trimmed();
    emit filterEdited(filter_->text());
    filter_->setCount(context_.state.zoneNote(text));
    if (text == askedFilter_) return;
    askedFilter_ = text;
    askedFor_ = -1;
    poll_.now();
}

void FailuresPage::onFailed(int status, const QString& message) {
    const bool isWrong = status == 400 || status == 422; // asked again it would be as wrong
    filter_->setProblem(isWrong ? message : QString());
    if (!isWrong) askedFor_ = -1;
    if (!told_) table_->setMessage(message);
}

void FailuresPage::take(const QJsonObject& json) {
    told_ = true;
    filter_->setProblem({});
    groups_ = readFailureGroups(json);
    refill();
}

// --- what is shown

Row FailuresPage::rowOf(const FailureGroupInfo& group) const {
    const Format format;
    const WallMicros now = wallNow();
    const Cell::Tone tone = group.muted ? Cell::Tone::Faint : Cell::Tone::Normal;
    const auto plain = [&](const QString& text) { return Cell{text, {}, {}, {}, tone}; };
    const auto time = [&](WallMicros at) {
        Cell cell = plain(format.time(at, now));
        cell.tip = format.exactTime(at, now);
        return cell;
    };
    Cell line = plain(group.line);
    if (group.muted) {
        line.icon = "pause";
        line.aside = mutedWords(group.mutedUntil, now);
    }
    QStringList queues;
    for (const qint64 queue : group.queues) queues << context_.state.queueName(queue);
    const auto several = [&](const QStringList& names) {
        Cell cell = plain(firstAndMore(names));
        if (names.size() > 1) cell.tip = names.join(QStringLiteral(", "));
        return cell;
    };
    Cell hours = plain({});
    hours.bars = group.hours;
    hours.tip = hoursWords(group.hours);
    Row row;
    row.id = group.row();
    row.cells = {plain(format.number(group.count)), line,  several(queues),   several(group.workers),
                 several(group.machines),           hours, time(group.first), time(group.last)};
    row.keys = {group.count, {}, {}, {}, {}, {}, qint64(group.first), qint64(group.last)};
    return row;
}

void FailuresPage::refill() {
    std::vector<Row> rows;
    rows.reserve(groups_.groups.size());
    for (const FailureGroupInfo& group : groups_.groups) rows.push_back(rowOf(group));
    table_->setMessage(rows.empty() ? tr("No failure matches this filter") : QString());
    rows_->setRows(std::move(rows));
    showNote();
    showEmpty();
    onSelection();
}

void FailuresPage::showNote() {
    QString failures = tr("%Ln failure(s)", nullptr, pluralCount(groups_.total));
    if (!groups_.isExact) failures = tr("at least %1").arg(failures);
    QString note =
        tr("%1 in %2")
            .arg(failures, tr("%Ln group(s)", nullptr, pluralCount(static_cast<qint64>(groups_.groups.size()))));
    if (const qint64 muted = groups_.muted(); muted > 0)
        note += QStringLiteral(", ") + tr("%1 muted").arg(Format().number(muted));
    head_->setNote(groups_.total > 0 ? note : QString());
}

void FailuresPage::showEmpty() {
    const bool isEmpty = told_ && groups_.groups.empty() && askedFilter_.isEmpty();
    emptyText_->setText(hours_ == kDayHours    ? tr("Nothing failed in these 24 hours")
                        : hours_ == kWeekHours ? tr("Nothing failed in these 7 days")
                                               : tr("Nothing that is kept has failed"));
    longer_->setText(spanWords(hours_ == kDayHours ? kWeekHours : 0));
    longer_->setVisible(hours_ != 0);
    split_->setVisible(!isEmpty);
    empty_->setVisible(isEmpty);
}

QString FailuresPage::emptyText() const {
    return empty_->isVisible() ? emptyText_->text() : QString();
}

const FailureGroupInfo* FailuresPage::selected() const {
    const auto ids = table_->selectedIds();
    return ids.empty() ? nullptr : groups_.group(ids.front());
}

void FailuresPage::onSelection() {
    const FailureGroupInfo* group = selected();
    const QString unchosen = group != nullptr ? QString() : tr("Select a group of failures first");
    const QString none = context_.state.isLive() ? unchosen : context_.state.whyBlocked();
    for (QAction* action : {reschedule_, mute_}) ui::setBlocked(action, none);
    ui::setBlocked(unmute_, none.isEmpty() && !group->muted ? tr("It is not muted") : none);
    for (QAction* action : {showActions_, copyLine_}) ui::setBlocked(action, unchosen);
    panel_->reschedule()->setBlocked(none);
    panel_->mute()->setBlocked(none);
    panel_->setVisible(group != nullptr);
    if (group != nullptr)
        panel_->show(*group, askedFilter_, hours_);
    else
        panel_->clear();
}

// --- commands

std::vector<CommandSpec> FailuresPage::declared() {
    return {{"reschedule", tr("Reschedule failures of the group"), QKeySequence("Ctrl+R")},
            {"mute", tr("Mute…"), QKeySequence("Ctrl+M")},
            {"unmute", tr("Unmute")},
            {"show-actions", tr("Show actions of the group")},
            {"copy-line", tr("Copy the error line")}};
}

void FailuresPage::makeCommands() {
    const CommandMaker maker(*this, declared());
    const auto make = [&, this](const QString& id, auto act) {
        return maker(id, [this, act] {
            if (const FailureGroupInfo* group = selected()) act(*group);
        });
    };
    reschedule_ = make("reschedule", [this](const FailureGroupInfo& group) {
        context_.commands.change(reschedulingOf(Target::matching(filterOf(group), group.count)));
    });
    mute_ = make("mute", [this](const FailureGroupInfo&) {
        const Button* button = panel_->mute();
        muteMenu_->popup(button->mapToGlobal(QPoint(0, button->height() + 2)));
    });
    unmute_ = make("unmute", [this](const FailureGroupInfo&) { mute(0); });
    showActions_ = make("show-actions", [this](const FailureGroupInfo& group) {
        context_.navigator.show("actions", filterOf(group));
    });
    copyLine_ =
        make("copy-line", [](const FailureGroupInfo& group) { QApplication::clipboard()->setText(group.line); });
}

QString FailuresPage::filterOf(const FailureGroupInfo& group) const {
    QString filter = group.filter;
    if (hours_ > 0) filter += QStringLiteral(" finished>-%1h").arg(hours_);
    return askedFilter_.isEmpty() ? filter : filter + ' ' + askedFilter_;
}

void FailuresPage::mute(WallMicros until) {
    const FailureGroupInfo* group = selected();
    if (group == nullptr) return;
    context_.commands.run(operations::muteFailures(group->id, until), this, [this](const Answer&) {
        askedFor_ = -1;
        poll_.now();
    });
}

/// Times as they are when it opens.
void FailuresPage::fillMuteMenu() {
    muteMenu_->clear();
    const WallMicros now = wallNow();
    const auto add = [&](const QString& title, WallMicros until) {
        muteMenu_->addAction(title, this, [this, until] { mute(until); });
    };
    add(tr("For 1 hour"), now + kHourMicros);
    add(tr("For a day"), now + kDayHours * kHourMicros);
    add(tr("To Monday"), nextMonday(now));
    add(tr("Until it is unmuted"), endlessMute());
    muteMenu_->addSeparator();
    muteMenu_->addAction(unmute_);
}

void FailuresPage::fillCopyMenu() {
    copyMenu_->clear();
    const FailureGroupInfo* group = selected();
    if (group == nullptr) return;
    const auto add = [&](const QString& title, const QString& text) {
        copyMenu_->addAction(title, this, [this, text] { copyText(context_.window, text); });
    };
    const Operation look = operations::lookAtFailures({}, 0, group->id);
    add(tr("Error line"), group->line);
    add(tr("Filter"), filterOf(*group));
    add(tr("yardctl"), context_.link.yardctl(look.yardctl));
    add(tr("curl"), context_.link.curl(look.request));
    add(tr("JSON"), QString::fromUtf8(QJsonDocument(group->json).toJson(QJsonDocument::Indented)));
}

void FailuresPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    menu->addActions({reschedule_, showActions_});
    menu->addSeparator();
    menu->addMenu(muteMenu_)->setEnabled(mute_->isEnabled());
    menu->addSeparator();
    menu->addMenu(copyMenu_)->setEnabled(copyLine_->isEnabled());
    if (!menu.run(global)) return;
    muteMenu_->menuAction()->setEnabled(true);
    copyMenu_->menuAction()->setEnabled(true);
}

FilterValues FailuresPage::filterValues() const {
    FilterValues values;
    for (const auto& [id, queue] : context_.state.queues())
        values["queue"].push_back(
            {queue.tag.isEmpty() ? QString::number(id) : queue.tag, queue.of(DisplayState::Failed)});
    return values;
}

void FailuresPage::takeUpdates() {
    rows_->takeWaiting();
    askedFor_ = -1;
    poll_.now();
}

QList<QAction*> FailuresPage::commands() const {
    return {reschedule_, mute_, unmute_, showActions_, copyLine_};
}

QString FailuresPage::yardctlOf(const QAction* command) const {
    const FailureGroupInfo* group = selected();
    if (group == nullptr) return {};
    if (command == reschedule_) return operations::reschedule(Target::matching(filterOf(*group))).yardctl;
    if (command == mute_) return operations::muteFailures(group->id, nextMonday(wallNow())).yardctl;
    if (command == unmute_) return operations::muteFailures(group->id, 0).yardctl;
    if (command == showActions_) return operations::look(Target::matching(filterOf(*group))).yardctl;
    return {};
}

bool FailuresPage::closeInnermost() {
    return dropSelection(*table_);
}

Operation FailuresPage::asOperation() const {
    const FailureGroupInfo* group = selected();
    return operations::lookAtFailures(askedFilter_, hours_, group != nullptr ? group->id : QString());
}

} // namespace yard::ui
