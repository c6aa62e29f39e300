// Actions: any number of them by filter, and one in detail below or at the right. Owner: ui thread; lifetime: within that
// of its context.
//
// The page ties its parts together and keeps what belongs to none of them: ActionsHead (filter and buttons), StateChips,
// ActionsLists (the rows), ActionsSplit (the panel beside them), ActionsChoice (what commands act on), ActionsCommands,
// ActionsElsewhere (windows beside the page).
#pragma once

#include "ui/pages/actions/actions_choice.h"
#include "ui/pages/actions/actions_lists.h"
#include "ui/pages/filtered_page.h"
#include "ui/widgets/table.h"

#include <QTimer>
#include <optional>

namespace yard::ui {

class ActionsCommands;
class ActionsElsewhere;
class ActionsHead;
class ActionsSplit;
class DetailPanel;
class FilterSource;
class FoldPanel;
class FoldedList;
class StateChips;
class StateCounts;

class ActionsPage final : public FilteredPage {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    explicit ActionsPage(Context context);

    void setActive(bool active) override;
    void setFilter(const QString& filter) override;
    void takeUpdates() override;
    void open(qint64 lsn, const QString& tab) override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    Table* table() const { return lists_->table(); }
    FoldedList* folded() const { return lists_->folded(); }
    ActionsModel* model() const { return lists_->model(); }
    DetailPanel* detail() const;
    FoldPanel* foldPanel() const;
    ActionsElsewhere& elsewhere() const { return *elsewhere_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectHead();
    void connectFilter();
    void connectLists();
    void connectPanels();
    void onFocus(const QWidget* now);
    void onFolded(bool folded);
    void onSelection();
    void onKept();
    void enter(qint64 lsn);
    void openFold();
    void useFilter();
    void find();
    void updateBlocked();
    void showTarget();
    void showTotal();
    QString totalText() const;
    QString messageText() const;
    void searchOutputs();
    void selectWanted();

    ActionsHead* head_;
    StateChips* chips_;
    StateCounts* counts_;
    ActionsLists* lists_;
    ActionsSplit* split_;
    ActionsChoice choice_;
    ActionsCommands* commands_;
    ActionsElsewhere* elsewhere_;
    FilterSource* source_;
    QTimer filterLater_;
    QTimer blockedLater_;
    qint64 selected_ = 0;
    std::optional<qint64> total_; ///< as the head says
};

} // namespace yard::ui
