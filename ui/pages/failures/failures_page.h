// The failures page: what failed alike as one row, the largest group first; the selected group below. Asks GET
// failures while it is looked at, when something failed since, and once a minute because it gets later. Owner: ui
// thread.
#pragma once

#include "ui/pages/failures/failure_groups.h"
#include "ui/pages/filtered_page.h"
#include "ui/pages/history_tabs.h"
#include "ui/state/poll.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"
#include "ui/widgets/updates_badge.h"

#include <QSplitter>
#include <QTimer>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class FailurePanel;

class FailuresPage final : public FilteredPage {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    explicit FailuresPage(Context context);

    void setActive(bool active) override;
    void takeUpdates() override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    /// Of the last so many hours; 0: all that are kept.
    void setHours(int hours);
    Table* table() const { return table_; }
    FailurePanel* panel() const { return panel_; }
    /// Those of History, with this page as the current one.
    Tabs* tabs() const { return tabs_; }
    QString note() const { return head_->note(); }
    /// In place of the table where nothing failed; empty: it is not shown.
    QString emptyText() const;

private:
    void makeHead(QVBoxLayout* column);
    void makeEmpty();
    void makeMenus();
    void makeCommands();
    std::optional<Request> request();
    void take(const QJsonObject& json);
    void refill();
    void showNote();
    void showEmpty();
    void onFailed(int status, const QString& message);
    void onSelection();
    void find();
    const FailureGroupInfo* selected() const;
    /// Finds the actions of the group that are counted in its row.
    QString filterOf(const FailureGroupInfo& group) const;
    FilterValues filterValues() const;
    void mute(WallMicros until);
    void fillMuteMenu();
    void fillCopyMenu();
    void showMenu(const QPoint& global);
    Row rowOf(const FailureGroupInfo& group) const;

    PageHead* head_;
    Tabs* tabs_;
    Button* span_;
    UpdatesBadge* badge_;
    QSplitter* split_;
    Table* table_;
    RowsModel* rows_;
    FailurePanel* panel_;
    QWidget* empty_;
    Label* emptyText_;
    Button* longer_; ///< where nothing failed: a longer time
    QMenu* muteMenu_ = nullptr;
    QMenu* copyMenu_ = nullptr;
    Poll poll_;
    QTimer filterLater_;
    FailureGroupsInfo groups_;
    QString askedFilter_; ///< of what is shown, or asked for
    int hours_ = 24;
    qint64 askedFor_ = -1; ///< how many had failed when it was asked; -1: ask again
    int looks_ = 0;        ///< since then
    bool told_ = false;
    QAction* reschedule_ = nullptr;
    QAction* mute_ = nullptr;
    QAction* unmute_ = nullptr;
    QAction* showActions_ = nullptr;
    QAction* copyLine_ = nullptr;
};

} // namespace yard::ui
