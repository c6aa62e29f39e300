// Queues: one row each with its progress, and what can be done with it; settings of the selected one at the right. A second
// tab has what runs at certain times (schedules_pane.h).
// Owner: ui thread.
#pragma once

#include "ui/pages/filtered_page.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tabs.h"
#include "ui/widgets/updates_badge.h"

QT_BEGIN_NAMESPACE
class QStackedWidget;
QT_END_NAMESPACE

namespace yard::ui {

class QueueCommands;
class QueuePanel;
class QueueWork;
class SchedulesPane;

class QueuesPage final : public FilteredPage {
    Q_OBJECT
public:
    explicit QueuesPage(Context context);

    void setActive(bool active) override;
    void takeUpdates() override;
    void open(qint64 queue, const QString& tab) override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    Table* table() const { return table_; }
    QueueWork* work() const { return work_; }
    QueuePanel* panel() const { return panel_; }
    SchedulesPane* schedules() const { return schedules_; }
    Tabs* tabs() const { return tabs_; }
    enum Tab : int { QueuesTab, SchedulesTab };
    void showTab(Tab tab);

private:
    QWidget* makeQueues();
    void connectHead();
    void connectAll();
    void refill();
    void onSelection();
    void showQueue(qint64 queue);

    PageHead* head_;
    Tabs* tabs_;
    QStackedWidget* stack_;
    Button* hold_;
    Button* drain_;
    Button* cancel_;
    Button* fresh_;
    UpdatesBadge* badge_;
    Table* table_;
    RowsModel* rows_;
    QueuePanel* panel_;
    QueueWork* work_;
    SchedulesPane* schedules_;
    QueueCommands* commands_;
    bool active_ = false;
};

} // namespace yard::ui
