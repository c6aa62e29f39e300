#include "ui/pages/actions/actions_page.h"

#include "ui/pages/action_entries.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/filter_source.h"
#include "ui/pages/actions/fold_panel.h"
#include "ui/pages/actions/folded_list.h"
#include "ui/pages/actions/resubmit.h"
#include "ui/pages/actions/state_chips.h"
#include "ui/pages/actions/views_button.h"
#include "ui/state/action_file.h"
#include "ui/style/format.h"
#include "ui/widgets/mark_menu.h"
#include "ui/widgets/transient.h"

#include <QAction>
#include <QApplication>
#include <QInputDialog>
#include <QMenu>
#include <QScrollBar>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kFilterMs = 200;
constexpr int kBesideFrom = 1'600;

} // namespace

ActionsPage::ActionsPage(Context context)
    : FilteredPage(context, new FilterField(tr("state:failed queue:nightly cpu>50 text…"), true))
    , head_(new PageHead(tr("Actions")))
    , view_(new ViewsButton)
    , badge_(new Button(Button::Kind::Plain, {}, {}))
    , reschedule_(new Button(Button::Kind::Plain, tr("Reschedule"), "again"))
    , cancel_(new Button(Button::Kind::Plain, tr("Cancel"), "close"))
    , foldedButton_(new Button(Button::Kind::Plain, tr("Arrays folded"), "queues"))
    , more_(new Button(Button::Kind::Plain, tr("More"), {}))
    , chips_(new StateChips)
    , table_(new Table("actions"))
    , model_(new ActionsModel(context.state, this))
    , folded_(new FoldedList(context))
    , lists_(new QStackedWidget)
    , split_(new QSplitter(Qt::Vertical))
    , detail_(new DetailPanel(context))
    , foldPanel_(new FoldPanel(context))
    , source_(new FilterSource(context, *model_, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* back = new Surface(Token::Bg1);
    column->addWidget(back);
    auto* inside = new QVBoxLayout(back);
    inside->setContentsMargins(0, 0, 0, 0);
    inside->setSpacing(0);
    makeCommands();
    makeHead();
    inside->addWidget(head_);
    inside->addWidget(chips_);
    table_->setRows(model_);
    // Dropped onto a queue they move there.
    table_->setDragEnabled(true);
    table_->setDragDropMode(QAbstractItemView::DragOnly);
    model_->setDragData(
        [this](const std::vector<qint64>& lsns) { return dragOf(lsns, context_.link.address().toString()); });
    table_->setObjectName("pane");
    folded_->setObjectName("pane");
    lists_->addWidget(table_);
    lists_->addWidget(folded_);
    table_->setAccessibleName(tr("Actions"));
    detail_->setObjectName("pane");
    split_->setChildrenCollapsible(false);
    split_->addWidget(lists_);
    split_->addWidget(detail_);
    split_->addWidget(foldPanel_);
    split_->setStretchFactor(0, 1);
    detail_->hide();
    inside->addWidget(split_, 1);

    connectList();
    connectTable();
    chips_->count(context_.state);
    makeFolded();
}

void ActionsPage::connectList() {
    filterLater_.setSingleShot(true);
    filterLater_.setInterval(kFilterMs);
    connect(&filterLater_, &QTimer::timeout, this, [this] {
        find(filter_->text());
        chips_->showFilter(filter_->text());
        emit filterEdited(filter_->text());
    });
    connect(filter_, &QLineEdit::textChanged, this, [this] { filterLater_.start(); });
    filter_->setLanguage([this] { return source_->values(); }, "actions");
    connect(filter_, &FilterField::offered, source_, &FilterSource::onOffered);
    connect(source_, &FilterSource::changed, filter_, &FilterField::offerAgain);
    connect(chips_, &StateChips::chosen, this,
            [this](const QStringList& states) { setFilter(withStates(filter_->text(), states)); });
    connect(&context_.state, &EngineState::countsChanged, this, [this] { chips_->count(context_.state); });
    connect(&context_.state, &EngineState::connectionChanged, this, &ActionsPage::onSelection);
    connect(model_, &ActionsModel::totalChanged, this, &ActionsPage::showTotal);
    connect(model_, &ActionsModel::totalChanged, this, &ActionsPage::showTarget);
    connect(model_, &ActionsModel::totalChanged, this, &ActionsPage::selectWanted, Qt::QueuedConnection);
    connect(model_, &QAbstractItemModel::rowsInserted, this, &ActionsPage::selectWanted, Qt::QueuedConnection);
    connect(model_, &ActionsModel::problemChanged, this, [this](const QString& problem) {
        filter_->setProblem(problem);
        showTotal();
    });
    connect(model_, &QAbstractItemModel::modelReset, this, &ActionsPage::onScrolled, Qt::QueuedConnection);
    connect(model_, &ActionsModel::actionChanged, detail_, &DetailPanel::onChanged);
    blockedLater_.setSingleShot(true);
    blockedLater_.setInterval(0); // once for all that one answer changed
    connect(model_, &QAbstractItemModel::dataChanged, &blockedLater_, qOverload<>(&QTimer::start));
    connect(&blockedLater_, &QTimer::timeout, this, &ActionsPage::updateBlocked);
    connect(model_, &TableModel::waitingChanged, this, &ActionsPage::showWaiting);
}

void ActionsPage::connectTable() {
    connect(table_->verticalScrollBar(), &QScrollBar::valueChanged, this, &ActionsPage::onScrolled);
    connect(table_, &Table::selectionEdited, this, &ActionsPage::onSelection);
    connect(table_, &Table::selectionKept, this, &ActionsPage::onKept);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, const QWidget* now) { onFocus(now); });
    connect(table_, &Table::opened, this, [this](qint64 lsn) {
        open(lsn, {});
        detail_->takeFocus();
    });
    connect(table_, &Table::peeked, this, [this](qint64 lsn) { open(lsn, {}); });
    connect(table_, &Table::targetClicked, this, [this](qint64 lsn) { context_.navigator.showAction(lsn); });
    connect(table_, &Table::menuWanted, this, &ActionsPage::showMenu);
    connect(table_, &Table::typed, this, [this](const QString& text) {
        filter_->setFocus();
        filter_->end(false);
        filter_->insert(text);
    });
    connect(detail_, &DetailPanel::closed, this, [this] { closeInnermost(); });
    connect(detail_, &DetailPanel::rescheduleWanted, this,
            [this](qint64 lsn) { context_.commands.change(reschedulingOf(Target::of({lsn}))); });
    connect(detail_, &DetailPanel::editWanted, this, &ActionsPage::edit);
    connect(detail_, &DetailPanel::told, this, &ActionsPage::updateBlocked);
}

void ActionsPage::makeHead() {
    filter_->setMaximumWidth(scaled(620));
    head_->addLeft(filter_, 1);
    head_->addLeft(view_);
    head_->addLeft(foldedButton_);
    connect(view_, &ViewsButton::chosen, this, &ActionsPage::setFilter);
    connect(this, &Page::filterEdited, view_, &ViewsButton::showFilter);
    badge_->setLit(true);
    badge_->setHint(tr("F5"));
    badge_->hide();
    connect(badge_, &QAbstractButton::clicked, this, &ActionsPage::takeUpdates);
    auto* columns = new Button(Button::Kind::Flat, tr("Columns"), "columns");
    connect(columns, &QAbstractButton::clicked, this,
            [this, columns] { table_->showColumnMenu(columns->mapToGlobal(QPoint(0, columns->height()))); });
    // It has a "More" of its own, and says beside it what the two others act on.
    head_->addRight(badge_);
    head_->addRight(columns, false);
    head_->addSeparator();
    auto* menu = new QMenu(this);
    moreFor_ = menu->addAction(QString());
    moreFor_->setEnabled(false);
    for (const char* id : {"hold", "retire", "move", "priority", "edit", "fold"}) menu->addAction(actions_[id]);
    more_->setMenu(menu);
    connect(reschedule_, &QAbstractButton::clicked, this, &ActionsPage::reschedule);
    connect(cancel_, &QAbstractButton::clicked, this, &ActionsPage::cancel);
    for (QWidget* button : {reschedule_, cancel_, more_}) head_->addRight(button, false);
}

std::vector<CommandSpec> ActionsPage::declared() {
    return {{"reschedule", tr("Reschedule"), QKeySequence("Ctrl+R")},
            {"cancel", tr("Cancel"), QKeySequence("Ctrl+Del")},
            {"retire", tr("Retire"), QKeySequence("Shift+Del")},
            {"hold", tr("Hold or release"), QKeySequence("Ctrl+H")},
            {"move", tr("Move to queue…")},
            {"priority", tr("Set priority…")},
            {"edit", tr("Edit and resubmit"), QKeySequence("Ctrl+E")},
            {"compare", tr("Compare with the last good one"), QKeySequence("Ctrl+D")},
            {"log", tr("Log"), QKeySequence("Ctrl+L")},
            {"again-failed", tr("Reschedule what failed of an array or a list"), QKeySequence("Ctrl+Shift+R")},
            {"fold", tr("Arrays folded")},
            {"own-window", tr("Open in a window of its own"), QKeySequence("Ctrl+Shift+Return")},
            {"search-output", tr("Search in output…"), QKeySequence("Ctrl+Shift+L")}};
}

void ActionsPage::makeCommands() {
    const CommandMaker maker(*this, declared());
    const auto make = [&](const QString& id, auto act) { actions_[id] = maker(id, act); };
    make("reschedule", [this] { reschedule(); });
    make("cancel", [this] { cancel(); });
    make("retire", [this] { retire(); });
    make("hold", [this] { holdOrRelease(); });
    make("move", [this] { moveToQueue(); });
    make("priority", [this] { setPriority(); });
    make("edit", [this] { edit(single()); });
    make("again-failed", [this] { folded_->rescheduleFailed(); });
    make("fold", [this] { setFolded(!isFolded()); });
    make("compare", [this] {
        if (single() != 0) open(single(), "history");
    });
    make("log", [this] {
        if (single() == 0) return;
        open(single(), "output");
        detail_->takeFocus();
    });
    make("own-window", [this] { openOwnWindow(single()); });
    make("search-output", [this] { searchOutputs(); });
    for (int tab = 0; tab < DetailPanel::kTabs; ++tab)
        addCommand(*this,
                   {QStringLiteral("tab%1").arg(tab), tr("Tab %1").arg(tab + 1),
                    QKeySequence(QStringLiteral("Alt+%1").arg(tab + 1))},
                   [this, tab] {
                       if (!foldPanel_->isVisible()) return detail_->setTab(tab);
                       if (tab < FoldPanel::kTabs) foldPanel_->setTab(tab);
                   });
}

Target ActionsPage::target() const {
    if (isFolded() && !isPanelMeant()) return folded_->target();
    if (table_->allSelected()) return Target::matching(model_->filter(), model_->total());
    return Target::of(isPanelMeant() ? std::vector{detail_->lsn()} : table_->selectedIds());
}

bool ActionsPage::isPanelMeant() const {
    return detail_->isVisibleTo(this) && detail_->lsn() != 0 && (inPanel_ || wanted_ == detail_->lsn()) &&
           !list()->selectionModel()->hasSelection();
}

/// Buttons of the head and other windows take the focus only while they are used.
void ActionsPage::onFocus(const QWidget* now) {
    if (now == nullptr || !isAncestorOf(now) || head_->isAncestorOf(now)) return;
    if (std::exchange(inPanel_, detail_->isAncestorOf(now)) != inPanel_) updateBlocked();
}

ManyChange ActionsPage::asSeen(const ManyChange& change) const {
    if (!isPanelMeant()) return change;
    return change.askedAbout(
        tr("%1 is not selected in the list; the panel shows it.").arg(Format().number(detail_->lsn())));
}

qint64 ActionsPage::single() const {
    const Target all = target();
    return all.lsns.size() == 1 ? all.lsns.front() : 0;
}

/// Nothing is acted on that is not named: which action, how many, or that it is all that match.
void ActionsPage::showTarget() {
    const Target all = target();
    const Format format;
    QString again = tr("Reschedule");
    QString cancel = tr("Cancel");
    QString on;
    if (const qint64 lsn = single(); lsn != 0) {
        on = format.number(lsn);
        again = tr("Reschedule %1").arg(on);
        cancel = tr("Cancel %1").arg(on);
    } else if (!all.isEmpty() && all.count) {
        const auto plural = [](qint64 number) { return static_cast<int>(std::min<qint64>(number, 1 << 30)); };
        const int count = plural(*all.count);
        on = tr("%Ln action(s)", nullptr, count);
        if (const int failed = plural(againTarget().count.value_or(*all.count)); failed > 0)
            again = tr("Reschedule %Ln action(s)", nullptr, failed);
        cancel = tr("Cancel %Ln action(s)", nullptr, count);
    } else if (!all.isEmpty()) {
        on = tr("All that match");
        again = tr("Reschedule all that match");
        cancel = tr("Cancel all that match");
    }
    reschedule_->setText(again);
    cancel_->setText(cancel);
    moreFor_->setText(on);
    moreFor_->setVisible(!on.isEmpty());
    for (Button* each : {reschedule_, cancel_}) each->updateGeometry();
}

void ActionsPage::onSelection() {
    const auto ids = list()->allSelected() ? std::vector<qint64>() : list()->selectedIds();
    selected_ = static_cast<qint64>(ids.size());
    if (ids.size() == 1 && ids.front() > 0)
        open(ids.front(), {});
    else if (ids.size() == 1 && isFolded())
        openFold();
    updateBlocked();
    showTotal();
}

/// What is selected may be less now; the panel stays as it is.
void ActionsPage::onKept() {
    if (!list()->allSelected()) selected_ = static_cast<qint64>(list()->selectedIds().size());
    updateBlocked();
    showTotal();
}

/// What can be done to none of those selected says why; of rows that are not here it is not known.
void ActionsPage::updateBlocked() {
    const Target chosen = target();
    // Of all that match it is not known what can be done to each; of arrays as one row how many stand how.
    const bool isMany = !chosen.isEmpty() && (list()->allSelected() || !chosen.filter.isEmpty());
    const std::vector<ActionRow> stands = standing();
    const QString none = chosen.lsns.empty() && !isMany ? tr("Select an action first") : QString();
    const QString dead = context_.state.isLive() ? none : context_.state.whyBlocked();
    const auto why = [&](bool (*can)(const ActionRow&), const QString& reason) {
        const auto may = [&](qint64 lsn) {
            const ActionRow* row = knownRow(lsn);
            return row == nullptr || can(*row);
        };
        const bool isUnknown = isMany && stands.empty();
        const bool isPossible = std::ranges::any_of(chosen.lsns, may) || std::ranges::any_of(stands, can);
        return !dead.isEmpty() || isUnknown || isPossible ? dead : reason;
    };
    const auto isPending = [](const ActionRow& row) { return row.isPending(); };
    const QString started = tr("Only what waits can be changed so");
    setBlocked(actions_["reschedule"],
               why([](const ActionRow& row) { return row.canGoAgain(); },
                   tr("Only what failed or was abandoned runs again; edit and resubmit the rest")));
    setBlocked(actions_["cancel"],
               why([](const ActionRow& row) { return !row.isFinal(); }, tr("It has ended already")));
    setBlocked(actions_["retire"],
               why([](const ActionRow& row) { return row.isFinal(); }, tr("Only what has ended can be retired")));
    for (const char* id : {"hold", "move", "priority"}) setBlocked(actions_[id], why(isPending, started));
    setBlocked(actions_["again-failed"], isFolded() ? folded_->whyNotAgain() : tr("Fold arrays first"));
    const QString one = single() == 0 && dead.isEmpty() ? tr("Select one action") : dead;
    setBlocked(actions_["edit"], one);
    for (const char* id : {"compare", "log", "own-window"})
        setBlocked(actions_[id], single() == 0 ? tr("Select one action") : QString());
    reschedule_->setBlocked(blockedWhy(actions_["reschedule"]));
    cancel_->setBlocked(blockedWhy(actions_["cancel"]));
    const QList<QAction*> entries = more_->menu()->actions();
    const bool isAny = std::ranges::any_of(
        entries, [this](const QAction* entry) { return entry != moreFor_ && entry->isEnabled(); });
    more_->setBlocked(isAny ? QString() : dead);
    detail_->setRescheduleBlocked(context_.state.isLive() ? QString() : context_.state.whyBlocked());
    showTarget();
}

/// How many match, how many of them are selected, and how old it is when the engine is away.
void ActionsPage::showTotal() {
    if (isFolded()) return head_->setNote(folded_->note());
    const Format format;
    // Of a filter that the engine does not take there is no number; the rows of the one before stay.
    if (model_->problem().isEmpty()) total_ = model_->total();
    const auto all = total_;
    QString note = all ? format.number(*all) : tr("%1 and more").arg(format.number(model_->rowCount()));
    if (table_->allSelected())
        note = tr("%1 selected, %2 in view").arg(note, format.number(table_->rowsInView()));
    else if (selected_ > 1)
        note = tr("%1, %2 selected").arg(note, format.number(selected_));
    else if (selected_ == 0 && detail_->isVisibleTo(this) && !isPanelMeant())
        note = tr("%1, nothing selected").arg(note);
    if (!context_.state.isLive() && context_.state.asOf().isValid())
        note += tr(", as of %1").arg(context_.state.asOf().toLocalTime().toString("HH:mm:ss"));
    head_->setNote(note);
    QString message;
    if (model_->rowCount() == 0) {
        if (!model_->problem().isEmpty())
            message = model_->problem();
        else if (!filter_->text().isEmpty())
            message = tr("No action matches this filter.");
        else if (context_.state.isLive() && !model_->isLoading())
            message = tr("Nothing has been submitted yet. Ctrl+N submits, or type: %1")
                          .arg(context_.link.yardctl("yardctl run -- echo hello"));
    }
    table_->setMessage(message);
}

void ActionsPage::onScrolled() {
    const int first = table_->rowAt(0);
    int last = table_->rowAt(table_->viewport()->height() - 1);
    if (last < 0) last = model_->rowCount() - 1;
    model_->setVisible(std::max(0, first), std::max(0, last));
    if (table_->allSelected()) showTotal();
}

void ActionsPage::setActive(bool active) {
    active_ = active;
    model_->setActive(active && !isFolded());
    folded_->folded()->setActive(active && isFolded());
    detail_->setActive(active);
    if (active) onScrolled();
}

void ActionsPage::setFilter(const QString& filter) {
    filter_->setText(filter);
    if (!filter_->hasFocus()) filter_->home(false); // a long one is read from its beginning
    filterLater_.stop();
    find(filter);
    chips_->showFilter(filter);
    emit filterEdited(filter);
}

/// All that were selected are not all that another filter finds; what a link opened beside the list before is a look.
void ActionsPage::find(const QString& filter) {
    if (filter != model_->filter()) {
        if (isFolded() || list()->allSelected()) list()->clearSelection();
        wanted_ = 0;
    }
    model_->setFilter(filter);
    folded_->folded()->setFilter(filter);
    updateBlocked();
}

void ActionsPage::takeUpdates() {
    list()->rows()->takeWaiting();
    if (isFolded()) return folded_->folded()->reload();
    if (model_->filter().isEmpty()) return;
    model_->reload();
}

void ActionsPage::open(qint64 lsn, const QString& tab) {
    detail_->showAction(lsn);
    if (!tab.isEmpty()) detail_->setTab(tab);
    showBeside(detail_);
    if (list()->currentId() != lsn) list()->selectId(lsn);
    wanted_ = list()->currentId() == lsn ? 0 : lsn;
    updateBlocked();
}

/// The list may come after what was asked for by its number; what the hand has chosen meanwhile stays.
void ActionsPage::selectWanted() {
    if (wanted_ == 0 || isFolded()) return;
    if (detail_->lsn() != wanted_ || !table_->selectedIds().empty())
        wanted_ = 0;
    else if (model_->rowOf(wanted_) >= 0)
        table_->selectId(std::exchange(wanted_, 0));
}

/// Below the table, or at its right where there is room.
void ActionsPage::place() {
    const bool beside = window()->width() >= kBesideFrom;
    split_->setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
    const int all = beside ? split_->width() : split_->height();
    const int own = beside ? std::max(scaled(520), all * 2 / 5) : std::min(scaled(340), all * 3 / 5);
    split_->setSizes({all - own, own, own});
}

void ActionsPage::resizeEvent(QResizeEvent* event) {
    FilteredPage::resizeEvent(event);
    placeSwitch();
    const bool beside = window()->width() >= kBesideFrom;
    const bool isPanel = detail_->isVisible() || foldPanel_->isVisible();
    if (isPanel && beside != (split_->orientation() == Qt::Horizontal)) place();
    onScrolled();
}

bool ActionsPage::closeInnermost() {
    if (foldPanel_->isVisible()) {
        hideFold();
        list()->setFocus();
        return true;
    }
    if (detail_->isVisible()) {
        detail_->hide();
        detail_->showAction(0);
        updateBlocked();
        list()->setFocus();
        return true;
    }
    if (list()->selectionModel()->hasSelection()) {
        list()->clearSelection();
        return true;
    }
    if (filter_->text().isEmpty()) return false;
    filter_->clear();
    return true;
}

void ActionsPage::showMenu(const QPoint& global) {
    Transient<QMenu> menu(this);
    if (!moreFor_->text().isEmpty()) menu->addAction(moreFor_->text())->setEnabled(false);
    if (isFolded()) folded_->addTo(*menu);
    const qint64 lsn = single();
    menu->addAction(tr("Open"), this, [this, lsn] { open(lsn, {}), detail_->takeFocus(); })->setEnabled(lsn != 0);
    menu->addActions({actions_["log"], actions_["reschedule"], actions_["edit"], actions_["compare"],
                      actions_["own-window"], actions_["search-output"]});
    menu->addSeparator();
    menu->addActions({actions_["hold"], actions_["move"], actions_["priority"]});
    menu->addSeparator();
    const bool isBlocked = target().isEmpty() || !context_.state.whyBlocked().isEmpty();
    addMarkMenu(*menu, [this](Mark mark) {
        context_.commands.change(markingOf(target(), mark));
    })->setEnabled(!isBlocked);
    menu->addAction(tr("Comment…"), this, &ActionsPage::comment)->setEnabled(!isBlocked && single() != 0);
    menu->addSeparator();
    menu->addActions({actions_["cancel"], actions_["retire"]});
    menu->addSeparator();
    const ActionRow* one = lsn == 0 ? nullptr : knownRow(lsn);
    const ActionRow row = one != nullptr ? *one : actionRowOf(detail_->action());
    const bool isKnown = lsn != 0 && row.lsn == lsn;
    if (isKnown) addPlaces(*menu, context_, this, row);
    if (!target().isEmpty()) addCopyAs(*menu, context_, this, target(), isKnown ? &row : nullptr);
    (void)menu.run(global);
}

void ActionsPage::comment() {
    const qint64 lsn = single();
    const auto text = answered(this, [this] { return askForComment(lastingWindow(this)); });
    if (lsn != 0 && text && !text->isEmpty()) context_.commands.run(operations::comment(lsn, *text));
}

void ActionsPage::reschedule() {
    context_.commands.change(reschedulingOf(againTarget()));
}

void ActionsPage::cancel() {
    context_.commands.change(asSeen(cancellingOf(target())));
}

void ActionsPage::retire() {
    context_.commands.change(asSeen(retiringOf(target())));
}

void ActionsPage::holdOrRelease() {
    const Target all = target();
    // Its own hold decides, not that of its queue. Of all that match the one under the hand does, or, where there
    // is none, the first one in view; rows of the filter before say nothing about them.
    std::vector<qint64> looked = all.lsns;
    if (table_->allSelected()) looked = {table_->currentId()};
    if (isPanelMeant())
        return context_.commands.change(detail_->action().value("held").toBool() ? releasingOf(all)
                                                                                 : holdingOf(all));
    if (isFolded()) return context_.commands.change(folded_->isHeld() ? releasingOf(all) : holdingOf(all));
    if (looked.size() == 1 && model_->action(looked.front()) == nullptr)
        looked = {model_->idAt(std::max(0, table_->rowAt(0)))};
    const bool held = std::ranges::any_of(looked, [this](qint64 lsn) {
        const ActionRow* row = model_->action(lsn);
        return row != nullptr && row->held && (model_->isCurrent() || !table_->allSelected());
    });
    context_.commands.change(held ? releasingOf(all) : holdingOf(all));
}

void ActionsPage::moveToQueue() {
    const Target all = target();
    if (all.isEmpty()) return;
    QStringList names;
    std::vector<qint64> ids;
    for (const auto& [id, queue] : context_.state.queues()) {
        names << queue.name();
        ids.push_back(id);
    }
    bool good = false;
    const auto name = answered(this, [&] {
        return QInputDialog::getItem(lastingWindow(this), tr("Move to queue"), tr("Queue"), names, 0, false, &good);
    });
    const auto at = name ? names.indexOf(*name) : -1;
    if (good && at >= 0) context_.commands.change(movingOf(all, ids[static_cast<std::size_t>(at)], *name));
}

void ActionsPage::setPriority() {
    const Target all = target();
    if (all.isEmpty()) return;
    bool good = false;
    const auto priority = answered(this, [&] {
        return QInputDialog::getInt(lastingWindow(this), tr("Set priority"), tr("-100 to 100, higher first"), 0,
                                    -100, 100, 1, &good);
    });
    if (good && priority) context_.commands.change(priorityOf(all, *priority));
}

void ActionsPage::edit(qint64 lsn) {
    if (lsn == 0) return;
    if (const ActionRow* row = knownRow(lsn)) return editAndResubmit(context_, this, *row);
    if (const ActionRow shown = actionRowOf(detail_->action()); shown.lsn == lsn)
        return editAndResubmit(context_, this, shown);
    // It is not here yet: what was done to it since it was submitted is asked for.
    context_.link.send({"GET", QStringLiteral("jobs/%1").arg(lsn), {}, {}, {}}, this, [this](const Answer& answer) {
        if (!answer.ok()) return context_.window.say(answer.message, true);
        editAndResubmit(context_, this, actionRowOf(answer.json));
    });
}

QList<QAction*> ActionsPage::commands() const {
    QList<QAction*> all;
    for (const auto& [id, action] : actions_) all << action;
    return all;
}

QString ActionsPage::yardctlOf(const QAction* command) const {
    const Target all = target();
    if (all.isEmpty()) return {};
    const QString id = command->objectName();
    if (id == "reschedule") return operations::reschedule(againTarget()).yardctl;
    if (id == "cancel") return operations::cancel(all).yardctl;
    if (id == "retire") return operations::retire(all).yardctl;
    if (id == "hold") return operations::hold(all).yardctl;
    if (id == "log" && single() != 0) return QStringLiteral("yardctl logs %1").arg(single());
    return {};
}

/// Nobody has said what is to be done with what is selected: looking at it.
Operation ActionsPage::asOperation() const {
    const Target all = target();
    return operations::look(all.isEmpty() ? Target{{}, model_->filter().trimmed(), {}} : all);
}

} // namespace yard::ui
