#include "ui/pages/actions/actions_page.h"

#include "ui/pages/actions/actions_commands.h"
#include "ui/pages/actions/actions_elsewhere.h"
#include "ui/pages/actions/actions_head.h"
#include "ui/pages/actions/actions_split.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/filter_source.h"
#include "ui/pages/actions/fold_panel.h"
#include "ui/pages/actions/folded_list.h"
#include "ui/pages/actions/output_tab.h"
#include "ui/pages/actions/state_chips.h"
#include "ui/state/state_counts.h"
#include "ui/style/format.h"

#include <QApplication>

#include <utility>

namespace yard::ui {

namespace {

constexpr int kFilterMs = 200;

} // namespace

ActionsPage::ActionsPage(Context context)
    : FilteredPage(context, new FilterField(tr("state:failed queue:nightly cpu>50 text…"), true))
    , head_(new ActionsHead(filter_))
    , chips_(new StateChips)
    , counts_(new StateCounts(context.state, this))
    , lists_(new ActionsLists(context))
    , split_(new ActionsSplit(context, lists_))
    , choice_(*this, *lists_, *split_->detail())
    , commands_(new ActionsCommands(context, *this, choice_, *lists_, *split_->detail()))
    , elsewhere_(new ActionsElsewhere(context, *this))
    , source_(new FilterSource(context, *lists_->model(), this)) {
    QVBoxLayout* inside = makeGround();
    inside->addWidget(head_);
    inside->addWidget(chips_);
    inside->addWidget(split_, 1);
    connectHead();
    connectFilter();
    connectLists();
    connectPanels();
    chips_->count(*counts_);
    lists_->restore();
}

void ActionsPage::connectHead() {
    QList<QAction*> more;
    for (const char* id : {"hold", "retire", "move", "priority", "edit", "fold"}) more << commands_->action(id);
    head_->addMore(more);
    head_->addMoves(commands_->places());
    connect(head_, &ActionsHead::viewChosen, this, &ActionsPage::setFilter);
    connect(this, &Page::filterEdited, head_, &ActionsHead::showFilter);
    connect(head_, &ActionsHead::updatesWanted, this, &ActionsPage::takeUpdates);
    connect(head_, &ActionsHead::foldWanted, lists_, [this] { lists_->setFolded(!lists_->isFolded()); });
    connect(head_, &ActionsHead::columnsWanted, table(), &Table::showColumnMenu);
    connect(head_, &ActionsHead::rescheduleWanted, commands_, &ActionsCommands::reschedule);
    connect(head_, &ActionsHead::cancelWanted, commands_, &ActionsCommands::cancel);
    connect(commands_, &ActionsCommands::foldWanted, lists_, [this] { lists_->setFolded(!lists_->isFolded()); });
    connect(commands_, &ActionsCommands::ownWindowWanted, elsewhere_, &ActionsElsewhere::openWindow);
    connect(commands_, &ActionsCommands::placesChanged, lists_, &ActionsLists::takeUpdates);
    connect(commands_, &ActionsCommands::searchWanted, this, &ActionsPage::searchOutputs);
    connect(commands_, &ActionsCommands::tabWanted, split_, &ActionsSplit::setTab);
    connect(commands_, &ActionsCommands::openWanted, this, [this](qint64 lsn, const QString& tab, bool enters) {
        open(lsn, tab);
        if (enters) detail()->takeFocus();
    });
}

void ActionsPage::connectFilter() {
    filterLater_.setSingleShot(true);
    filterLater_.setInterval(kFilterMs);
    connect(&filterLater_, &QTimer::timeout, this, &ActionsPage::useFilter);
    connect(filter_, &QLineEdit::textChanged, this, [this] { filterLater_.start(); });
    filter_->setLanguage([this] { return source_->values(); }, "actions");
    connect(filter_, &FilterField::offered, source_, &FilterSource::onOffered);
    connect(source_, &FilterSource::changed, filter_, &FilterField::offerAgain);
    connect(chips_, &StateChips::chosen, this,
            [this](const QStringList& states) { setFilter(withStates(filter_->text(), states)); });
    connect(counts_, &StateCounts::changed, this, [this] { chips_->count(*counts_); });
}

void ActionsPage::connectLists() {
    connect(lists_, &ActionsLists::foldedChanged, this, &ActionsPage::onFolded);
    connect(lists_, &ActionsLists::selectionEdited, this, &ActionsPage::onSelection);
    connect(lists_, &ActionsLists::selectionKept, this, &ActionsPage::onKept);
    connect(lists_, &ActionsLists::opened, this, &ActionsPage::enter);
    connect(lists_, &ActionsLists::peeked, this, [this](qint64 lsn) { open(lsn, {}); });
    connect(lists_, &ActionsLists::foldPeeked, this, &ActionsPage::openFold);
    connect(lists_, &ActionsLists::menuWanted, this,
            [this](const QPoint& global) { commands_->showMenu(global, head_->targetText()); });
    connect(lists_, &ActionsLists::typed, this, [this](const QString& text) {
        filter_->end(false);
        typeInFilter(text);
    });
    connect(lists_, &ActionsLists::waitingChanged, head_, &ActionsHead::showWaiting);
    connect(lists_, &ActionsLists::scrolled, this, [this] {
        if (table()->allSelected()) showTotal();
    });
    connect(lists_, &ActionsLists::problemChanged, this, [this](const QString& problem) {
        filter_->setProblem(problem);
        showTotal();
        if (lists_->isFolded()) updateBlocked(); // its rows came with it
    });
    connect(table(), &Table::targetClicked, this, [this](qint64 lsn) { context_.navigator.showAction(lsn); });
    connect(folded(), &FoldedList::showAllWanted, this, [this](const QString& filter) {
        lists_->setFolded(false);
        setFilter(filter);
    });
    connect(&context_.state, &EngineState::connectionChanged, this, &ActionsPage::onSelection);
    connect(model(), &ActionsModel::totalChanged, this, &ActionsPage::showTotal);
    connect(model(), &ActionsModel::totalChanged, this, &ActionsPage::showTarget);
    connect(model(), &ActionsModel::totalChanged, this, &ActionsPage::selectWanted, Qt::QueuedConnection);
    connect(model(), &QAbstractItemModel::rowsInserted, this, &ActionsPage::selectWanted, Qt::QueuedConnection);
    connect(model(), &ActionsModel::actionChanged, detail(), &DetailPanel::onChanged);
    blockedLater_.setSingleShot(true);
    blockedLater_.setInterval(0); // once for all that one answer changed
    connect(model(), &QAbstractItemModel::dataChanged, &blockedLater_, qOverload<>(&QTimer::start));
    connect(&blockedLater_, &QTimer::timeout, this, &ActionsPage::updateBlocked);
}

void ActionsPage::connectPanels() {
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, const QWidget* now) { onFocus(now); });
    connect(detail(), &DetailPanel::closed, this, &ActionsPage::closeInnermost);
    connect(detail(), &DetailPanel::told, this, &ActionsPage::updateBlocked);
    connect(foldPanel(), &FoldPanel::closed, this, &ActionsPage::closeInnermost);
    connect(elsewhere_, &ActionsElsewhere::lineWanted, this,
            [this](qint64 lsn, LogStream stream, qint64 line, const QString& text) {
                open(lsn, "output");
                detail()->output()->goTo(lsn, stream, static_cast<std::size_t>(line), text);
            });
}

std::vector<CommandSpec> ActionsPage::declared() {
    return ActionsCommands::declared();
}

DetailPanel* ActionsPage::detail() const {
    return split_->detail();
}

FoldPanel* ActionsPage::foldPanel() const {
    return split_->foldPanel();
}

/// Buttons of the head and other windows take the focus only while they are used.
void ActionsPage::onFocus(const QWidget* now) {
    if (now == nullptr || !isAncestorOf(now) || head_->isAncestorOf(now)) return;
    if (choice_.setInPanel(detail()->isAncestorOf(now))) updateBlocked();
}

void ActionsPage::onFolded(bool folded) {
    head_->showFolded(folded);
    if (!folded) split_->hideFold();
    setFocusProxy(lists_->shown());
    head_->showWaiting(lists_->shown()->rows()->waiting());
    onSelection();
}

void ActionsPage::onSelection() {
    const Table& list = *lists_->shown();
    const auto ids = list.allSelected() ? std::vector<qint64>() : list.selectedIds();
    selected_ = static_cast<qint64>(ids.size());
    if (ids.size() == 1 && ids.front() > 0)
        open(ids.front(), {});
    else if (ids.size() == 1 && lists_->isFolded())
        openFold();
    updateBlocked();
    showTotal();
}

/// What is selected may be less now; the panel stays as it is.
void ActionsPage::onKept() {
    const Table& list = *lists_->shown();
    if (!list.allSelected()) selected_ = static_cast<qint64>(list.selectedIds().size());
    updateBlocked();
    showTotal();
}

void ActionsPage::enter(qint64 lsn) {
    open(lsn, {});
    detail()->takeFocus();
}

/// The row may be the current one without being selected: the focus came to it, or the selection was taken away.
void ActionsPage::open(qint64 lsn, const QString& tab) {
    split_->showAction(lsn, tab);
    Table& list = *lists_->shown();
    if (list.currentId() != lsn || !list.selectionModel()->hasSelection()) list.selectId(lsn);
    choice_.setWanted(list.currentId() == lsn ? 0 : lsn);
    updateBlocked();
}

void ActionsPage::openFold() {
    const FoldedRow* row = folded()->chosen();
    if (row == nullptr) return;
    // What is pressed is not to move away from below the hand.
    const bool isPress = folded()->currentIndex().column() == static_cast<int>(FoldedColumn::Again);
    if (isPress && row->failed() > 0 && !split_->isPanelOpen()) return;
    choice_.setWanted(0);
    split_->showFold(*row);
}

/// The list may come after what was asked for by its number; what the hand has chosen meanwhile stays.
void ActionsPage::selectWanted() {
    if (choice_.wanted() == 0 || lists_->isFolded()) return;
    const qint64 wanted = choice_.wanted();
    const bool isOver = detail()->lsn() != wanted || !table()->selectedIds().empty();
    if (!isOver && model()->rowOf(wanted) < 0) return;
    choice_.setWanted(0);
    if (!isOver) table()->selectId(wanted);
}

void ActionsPage::updateBlocked() {
    commands_->review();
    head_->showBlocked(blockedWhy(commands_->action("reschedule")), blockedWhy(commands_->action("cancel")),
                       blockedWhy(commands_->action("place-top")), commands_->whyNothing());
    detail()->setRescheduleBlocked(context_.state.isLive() ? QString() : context_.state.whyBlocked());
    showTarget();
}

void ActionsPage::showTarget() {
    head_->showTarget(choice_.target(), choice_.againTarget());
}

void ActionsPage::showTotal() {
    if (lists_->isFolded()) return head_->setNote(folded()->note());
    // Of a filter that the engine does not take there is no number; the rows of the one before stay.
    if (model()->problem().isEmpty()) total_ = model()->total();
    head_->setNote(totalText());
    table()->setMessage(messageText());
}

/// How many match, how many of them are selected, and how old it is when the engine is away.
QString ActionsPage::totalText() const {
    const Format format;
    QString note = total_ ? format.number(*total_) : tr("%1 and more").arg(format.number(model()->rowCount()));
    if (table()->allSelected())
        note = tr("%1 selected, %2 in view").arg(note, format.number(table()->rowsInView()));
    else if (selected_ > 1)
        note = tr("%1, %2 selected").arg(note, format.number(selected_));
    else if (selected_ == 0 && detail()->isVisibleTo(this) && !choice_.isPanelMeant())
        note = tr("%1, nothing selected").arg(note);
    if (!context_.state.isLive() && context_.state.asOf().isValid())
        note += tr(", as of %1").arg(context_.state.asOf().toLocalTime().toString("HH:mm:ss"));
    return note;
}

/// In place of rows; empty: there are some, or they may come.
QString ActionsPage::messageText() const {
    if (model()->rowCount() > 0) return {};
    if (!model()->problem().isEmpty()) return model()->problem();
    if (!filter_->text().isEmpty()) return tr("No action matches this filter.");
    if (!context_.state.isLive() || model()->isLoading()) return {};
    return tr("Nothing has been submitted yet. Ctrl+N submits, or type: %1")
        .arg(context_.link.yardctl("yardctl run -- echo hello"));
}

void ActionsPage::setActive(bool active) {
    lists_->setActive(active);
    detail()->setActive(active);
    counts_->setActive(active);
    if (active) lists_->followView();
}

void ActionsPage::setFilter(const QString& filter) {
    filter_->setText(filter);
    if (!filter_->hasFocus()) filter_->home(false); // a long one is read from its beginning
    filterLater_.stop();
    useFilter();
}

void ActionsPage::useFilter() {
    find();
    chips_->showFilter(filter_->text());
    emit filterEdited(filter_->text());
}

/// All that were selected are not all that another filter finds; what a link opened beside the list before is a look.
void ActionsPage::find() {
    const QString filter = withLsns(filter_->text());
    if (filter != model()->filter()) {
        if (lists_->isFolded() || table()->allSelected()) lists_->shown()->clearSelection();
        choice_.setWanted(0);
    }
    lists_->setFilter(filter);
    filter_->setCount(context_.state.zoneNote(filter));
    counts_->setFilter(withStates(filter, {}));
    updateBlocked();
}

void ActionsPage::takeUpdates() {
    lists_->takeUpdates();
}

void ActionsPage::resizeEvent(QResizeEvent* event) {
    FilteredPage::resizeEvent(event);
    head_->fitTo(width());
    split_->fit();
    lists_->followView();
}

bool ActionsPage::closeInnermost() {
    if (split_->closePanel()) {
        updateBlocked();
        lists_->shown()->setFocus();
        return true;
    }
    if (lists_->shown()->selectionModel()->hasSelection()) {
        lists_->shown()->clearSelection();
        return true;
    }
    if (filter_->text().isEmpty()) return false;
    filter_->clear();
    return true;
}

/// Of several that are selected those, as of an array or a list; else all that the filter finds.
void ActionsPage::searchOutputs() {
    Target where = choice_.target();
    const bool isSeveral =
        where.lsns.size() >= 2 && where.lsns.size() <= static_cast<std::size_t>(kMostInOneRequest);
    if (!isSeveral && where.filter.isEmpty()) where = {{}, model()->filter().trimmed(), {}};
    elsewhere_->searchIn(where);
}

QList<QAction*> ActionsPage::commands() const {
    return commands_->all();
}

QString ActionsPage::yardctlOf(const QAction* command) const {
    return commands_->yardctlOf(command);
}

/// Nobody has said what is to be done with what is selected: looking at it.
Operation ActionsPage::asOperation() const {
    const Target all = choice_.target();
    return operations::look(all.isEmpty() ? Target{{}, model()->filter().trimmed(), {}} : all);
}

} // namespace yard::ui
