#include "ui/pages/actions/actions_choice.h"

#include "ui/pages/actions/actions_lists.h"
#include "ui/pages/actions/detail_panel.h"
#include "ui/pages/actions/folded_list.h"
#include "ui/style/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

struct ChoiceTexts {
    Q_DECLARE_TR_FUNCTIONS(ActionsChoice)
};

} // namespace

Target ActionsChoice::target() const {
    const bool isPanel = isPanelMeant();
    if (lists_.isFolded() && !isPanel) return lists_.folded()->target();
    if (lists_.table()->allSelected()) return Target::matching(lists_.model()->filter(), lists_.model()->total());
    return Target::of(isPanel ? std::vector{panel_.lsn()} : lists_.table()->selectedIds());
}

Target ActionsChoice::againTarget() const {
    return lists_.isFolded() && !isPanelMeant() ? lists_.folded()->againTarget() : target();
}

qint64 ActionsChoice::single() const {
    const Target all = target();
    return all.lsns.size() == 1 ? all.lsns.front() : 0;
}

bool ActionsChoice::isPanelMeant() const {
    return panel_.isVisibleTo(&page_) && panel_.lsn() != 0 && (inPanel_ || wanted_ == panel_.lsn()) &&
           !lists_.shown()->selectionModel()->hasSelection();
}

const ActionRow* ActionsChoice::row(qint64 lsn) const {
    if (const ActionRow* listed = lists_.row(lsn); listed != nullptr) return listed;
    return lsn != 0 && panel_.lsn() == lsn ? panel_.row() : nullptr;
}

std::vector<ActionRow> ActionsChoice::standing() const {
    std::vector<ActionRow> all;
    const auto shares = lists_.isFolded() && !isPanelMeant() ? lists_.folded()->standing() : std::nullopt;
    for (std::size_t face = 0; shares && face < shares->size(); ++face) {
        if ((*shares)[face] == 0) continue;
        all.emplace_back();
        all.back().face = static_cast<DisplayState>(face);
    }
    return all;
}

bool ActionsChoice::isMany() const {
    const Target all = target();
    return !all.isEmpty() && (lists_.shown()->allSelected() || !all.filter.isEmpty());
}

/// Its own hold decides, not that of its queue. Of all that match the one under the hand does, or, where there is none,
/// the first one in view; rows of the filter before say nothing about them.
bool ActionsChoice::isHeld() const {
    if (isPanelMeant()) return panel_.action().value("held").toBool();
    if (lists_.isFolded()) return lists_.folded()->isHeld();
    const Table& table = *lists_.table();
    const ActionsModel& model = *lists_.model();
    std::vector<qint64> looked = target().lsns;
    if (table.allSelected()) looked = {table.currentId()};
    if (looked.size() == 1 && model.action(looked.front()) == nullptr)
        looked = {model.idAt(std::max(0, table.rowAt(0)))};
    return std::ranges::any_of(looked, [&](qint64 lsn) {
        const ActionRow* row = model.action(lsn);
        return row != nullptr && row->held && (model.isCurrent() || !table.allSelected());
    });
}

ManyChange ActionsChoice::asSeen(const ManyChange& change) const {
    if (!isPanelMeant()) return change;
    return change.askedAbout(
        ChoiceTexts::tr("%1 is not selected in the list; the panel shows it.").arg(Format().number(panel_.lsn())));
}

bool ActionsChoice::setInPanel(bool inPanel) {
    return std::exchange(inPanel_, inPanel) != inPanel;
}

} // namespace yard::ui
