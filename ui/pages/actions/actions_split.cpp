#include "ui/pages/actions/actions_split.h"

#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/fold_panel.h"
#include "ui/style/type.h"

#include <algorithm>

namespace yard::ui {

namespace {

/// Of the window's width, at 100 %: with larger text both parts need more.
constexpr int kBesideFrom = 1'600;

} // namespace

ActionsSplit::ActionsSplit(Context context, QWidget* list)
    : QSplitter(Qt::Vertical)
    , detail_(new DetailPanel(context))
    , foldPanel_(new FoldPanel(context)) {
    setChildrenCollapsible(false);
    addWidget(list);
    for (QWidget* panel : {static_cast<QWidget*>(detail_), static_cast<QWidget*>(foldPanel_)}) {
        panel->setObjectName("pane");
        addWidget(panel);
        panel->hide();
    }
    setStretchFactor(0, 1);
}

void ActionsSplit::showAction(qint64 lsn, const QString& tab) {
    detail_->showAction(lsn);
    if (!tab.isEmpty()) detail_->setTab(tab);
    showBeside(detail_);
}

void ActionsSplit::showFold(const FoldedRow& row) {
    foldPanel_->show(row);
    detail_->showAction(0);
    showBeside(foldPanel_);
}

void ActionsSplit::hideFold() {
    foldPanel_->hide();
    foldPanel_->show(FoldedRow());
}

bool ActionsSplit::isPanelOpen() const {
    return detail_->isVisible() || foldPanel_->isVisible();
}

bool ActionsSplit::closePanel() {
    if (foldPanel_->isVisible()) {
        hideFold();
        return true;
    }
    if (!detail_->isVisible()) return false;
    detail_->hide();
    detail_->showAction(0);
    return true;
}

void ActionsSplit::setTab(int tab) {
    if (!foldPanel_->isVisible()) return detail_->setTab(tab);
    if (tab < FoldPanel::kTabs) foldPanel_->setTab(tab);
}

/// It has the room that the other one had.
void ActionsSplit::showBeside(QWidget* panel) {
    QWidget* other = panel == detail_ ? static_cast<QWidget*>(foldPanel_) : detail_;
    const bool was = panel->isVisible();
    const bool isInstead = other->isVisible();
    const QList<int> before = sizes();
    const int room = before[indexOf(other)];
    if (other == foldPanel_) hideFold();
    other->hide();
    panel->setVisible(true);
    if (isInstead)
        setSizes({before.front(), room, room});
    else if (!was)
        place();
}

void ActionsSplit::place() {
    const bool beside = window()->width() >= scaled(kBesideFrom);
    setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
    const int all = beside ? width() : height();
    const int own = beside ? std::max(scaled(520), all * 2 / 5) : std::min(scaled(340), all * 3 / 5);
    setSizes({all - own, own, own});
}

void ActionsSplit::fit() {
    const bool beside = window()->width() >= scaled(kBesideFrom);
    if (isPanelOpen() && beside != (orientation() == Qt::Horizontal)) place();
}

} // namespace yard::ui
