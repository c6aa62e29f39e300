// Actions with arrays and lists as one row each, or not: the page's side of it.
#include "ui/pages/actions/actions_page.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/fold_panel.h"
#include "ui/pages/actions/folded_list.h"

#include <QMenu>
#include <QSettings>
#include <QStackedWidget>

namespace yard::ui {

namespace {

constexpr const char* kFoldedKey = "actions/folded";
/// Of the page's width: with less the head has no room for the switch, which is in "More" as well.
constexpr int kSwitchFrom = 1'240;

} // namespace

bool ActionsPage::isFolded() const {
    return lists_->currentWidget() == folded_;
}

Target ActionsPage::againTarget() const {
    return isFolded() && !isPanelMeant() ? folded_->againTarget() : target();
}

/// One for each state that some of the chosen arrays and lists are in; none: it is not known.
std::vector<ActionRow> ActionsPage::standing() const {
    std::vector<ActionRow> all;
    const auto shares = isFolded() && !isPanelMeant() ? folded_->standing() : std::nullopt;
    for (std::size_t face = 0; shares && face < shares->size(); ++face) {
        if ((*shares)[face] == 0) continue;
        all.emplace_back();
        all.back().face = static_cast<DisplayState>(face);
    }
    return all;
}

Table* ActionsPage::list() const {
    return isFolded() ? folded_ : table_;
}

const ActionRow* ActionsPage::knownRow(qint64 lsn) const {
    const ActionRow* listed = isFolded() ? folded_->folded()->action(lsn) : model_->action(lsn);
    if (listed != nullptr) return listed;
    return lsn != 0 && detail_->lsn() == lsn ? detail_->row() : nullptr;
}

void ActionsPage::makeFolded() {
    foldedButton_->setAccessibleName(tr("Arrays folded"));
    connect(foldedButton_, &QAbstractButton::clicked, this, [this] { setFolded(!isFolded()); });
    connect(folded_, &Table::selectionEdited, this, &ActionsPage::onSelection);
    connect(folded_, &Table::selectionKept, this, &ActionsPage::onKept);
    // Of an array or a list Enter unfolds (FoldedList).
    connect(folded_, &Table::opened, this, [this](qint64 lsn) {
        if (lsn <= 0) return;
        open(lsn, {});
        detail_->takeFocus();
    });
    connect(folded_, &Table::peeked, this, [this](qint64 lsn) {
        if (lsn > 0) return open(lsn, {});
        openFold();
    });
    foldPanel_->setObjectName("pane");
    foldPanel_->hide();
    connect(foldPanel_, &FoldPanel::closed, this, [this] { closeInnermost(); });
    connect(folded_, &FoldedList::editWanted, this, &ActionsPage::edit);
    connect(folded_, &Table::menuWanted, this, &ActionsPage::showMenu);
    connect(folded_, &Table::typed, this, [this](const QString& text) {
        filter_->setFocus();
        filter_->insert(text);
    });
    connect(folded_, &FoldedList::showAllWanted, this, [this](const QString& filter) {
        setFolded(false);
        setFilter(filter);
    });
    connect(folded_->folded(), &FoldedModel::told, this, [this] {
        if (!isFolded()) return;
        filter_->setProblem(folded_->folded()->problem());
        showTotal();
        updateBlocked();
    });
    connect(folded_->folded(), &TableModel::waitingChanged, this, [this](int count) { showWaiting(count); });
    setFolded(QSettings().value(kFoldedKey).toBool());
}

/// The list that is not shown asks for nothing.
void ActionsPage::setFolded(bool folded) {
    if (folded != isFolded()) QSettings().setValue(kFoldedKey, folded);
    const bool hadFocus = list()->hasFocus();
    lists_->setCurrentWidget(folded ? static_cast<QWidget*>(folded_) : table_);
    foldedButton_->setLit(folded);
    if (!folded) hideFold();
    setFocusProxy(list());
    if (hadFocus) list()->setFocus();
    model_->setActive(active_ && !folded);
    folded_->folded()->setActive(active_ && folded);
    showWaiting(list()->rows()->waiting());
    onSelection();
}

void ActionsPage::openFold() {
    const FoldedRow* row = folded_->chosen();
    if (row == nullptr) return;
    // What is pressed is not to move away from below the hand.
    const bool isPress = folded_->currentIndex().column() == static_cast<int>(FoldedColumn::Again);
    if (isPress && row->failed() > 0 && !foldPanel_->isVisible() && !detail_->isVisible()) return;
    foldPanel_->show(*row);
    detail_->showAction(0);
    wanted_ = 0;
    showBeside(foldPanel_);
}

void ActionsPage::hideFold() {
    foldPanel_->hide();
    foldPanel_->show(FoldedRow());
}

/// One of the two panels at a time; it has the room that the other one had.
void ActionsPage::showBeside(QWidget* panel) {
    QWidget* other = panel == detail_ ? static_cast<QWidget*>(foldPanel_) : detail_;
    const bool was = panel->isVisible();
    const bool isInstead = other->isVisible();
    const QList<int> sizes = split_->sizes();
    const int room = sizes[split_->indexOf(other)];
    if (other == foldPanel_) hideFold();
    other->hide();
    panel->setVisible(true);
    if (isInstead)
        split_->setSizes({sizes.front(), room, room});
    else if (!was)
        place();
}

void ActionsPage::placeSwitch() {
    foldedButton_->setVisible(width() >= scaled(kSwitchFrom));
}

void ActionsPage::showWaiting(int count) {
    badge_->setText(tr("%n update(s) wait", nullptr, count));
    badge_->setVisible(count > 0);
}

} // namespace yard::ui
