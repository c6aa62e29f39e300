// Actions: any number of them by filter, and one in detail below or at the right. Owner: ui thread.
#pragma once

#include "ui/pages/actions/actions_model.h"
#include "ui/pages/filtered_page.h"
#include "ui/widgets/table.h"

#include <QSplitter>

QT_BEGIN_NAMESPACE
class QStackedWidget;
QT_END_NAMESPACE

namespace yard::ui {

class DetailPanel;
class DetailWindow;
class FilterSource;
class FoldPanel;
class FoldedList;
class OutputSearch;
class StateChips;
class ViewsButton;

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

    Table* table() const { return table_; }
    FoldedList* folded() const { return folded_; }
    ActionsModel* model() const { return model_; }
    DetailPanel* detail() const { return detail_; }
    FoldPanel* foldPanel() const { return foldPanel_; }
    static constexpr qsizetype kMostOwnWindows = 16;
    /// The action in a window of its own, or the one that there is to the front. Beyond kMostOwnWindows it says so.
    void openOwnWindow(qint64 lsn);
    QList<DetailWindow*> ownWindows() const;
    OutputSearch* search() const { return search_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// What commands act on, and the toolbar names: what is selected in the list that is shown, all that match, or
    /// the action in the panel where isPanelMeant().
    Target target() const;
    /// Of that what is meant by rescheduling.
    Target againTarget() const;
    /// Nothing is selected, and the panel is where the hand is, or what a link opened that the list does not have.
    bool isPanelMeant() const;
    void onFocus(const QWidget* now);
    void onKept();
    /// Of what the list does not show nothing is ended or forgotten unasked.
    ManyChange asSeen(const ManyChange& change) const;
    // folded_switch.cpp: arrays and lists as one row each
    bool isFolded() const;
    Table* list() const; ///< the one that is shown
    std::vector<ActionRow> standing() const;
    void makeFolded();
    void setFolded(bool folded);
    /// The panel of the chosen array or list, in place of that of an action.
    void openFold();
    void hideFold();
    void showBeside(QWidget* panel);
    void showWaiting(int count);
    void placeSwitch();
    void makeHead();
    void connectList();
    void connectTable();
    void makeCommands();
    void showTotal();
    void onScrolled();
    void onSelection();
    void updateBlocked();
    void showMenu(const QPoint& global);
    void comment();
    void showTarget();
    void reschedule();
    void cancel();
    void retire();
    void holdOrRelease();
    void moveToQueue();
    void setPriority();
    void edit(qint64 lsn);
    /// As the list that is shown knows it, else the panel; null: neither does.
    const ActionRow* knownRow(qint64 lsn) const;
    void searchOutputs();
    /// The one action that commands act on; 0: none, or several.
    qint64 single() const;
    void place();
    void selectWanted();
    void find(const QString& filter);

    PageHead* head_;
    ViewsButton* view_;
    Button* badge_;
    Button* reschedule_;
    Button* cancel_;
    Button* foldedButton_;
    Button* more_;
    QAction* moreFor_ = nullptr; ///< what the entries of "More" act on
    StateChips* chips_;
    Table* table_;
    ActionsModel* model_;
    FoldedList* folded_;
    QStackedWidget* lists_;
    QSplitter* split_;
    DetailPanel* detail_;
    FoldPanel* foldPanel_;
    FilterSource* source_;
    OutputSearch* search_ = nullptr; ///< once it was wanted
    QTimer filterLater_;
    QTimer blockedLater_;
    qint64 wanted_ = 0; ///< shown beside the list, of which its row is not known yet
    bool active_ = false;
    bool inPanel_ = false; ///< the hand was in the panel last, not in the list
    qint64 selected_ = 0;
    std::optional<qint64> total_; ///< as the head says
    std::map<QString, QAction*> actions_;
};

} // namespace yard::ui
