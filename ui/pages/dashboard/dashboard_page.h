// The first page: how many actions are in each state, the machine over time, queues, what uses the processor, what
// failed last, why work waits. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/rows_model.h"

QT_BEGIN_NAMESPACE
class QMenu;
class QStackedWidget;
QT_END_NAMESPACE

namespace yard::ui {

class FailuresPanel;
class FirstStart;
class LoadCharts;
class ProcessorPanel;
class QueueCommands;
class StateStrip;
class Table;
class WaitingPanel;

class DashboardPage final : public Page {
    Q_OBJECT
public:
    explicit DashboardPage(Context context);

    void setActive(bool active) override;
    void takeUpdates() override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    StateStrip* strip() const { return strip_; }
    LoadCharts* charts() const { return charts_; }
    Table* queueTable() const { return queues_; }
    ProcessorPanel* processor() const { return processor_; }
    FailuresPanel* failures() const { return failures_; }
    WaitingPanel* waiting() const { return waiting_; }
    PageHead* head() const { return head_; }
    /// The engine has no action: nothing has ever been submitted, or all of it is gone, with its queues.
    bool isEmpty() const;

private:
    QWidget* makeBody();
    QWidget* makeQueues();
    void makeSpanMenu();
    void setSpan(int minutes);
    void updateHead();
    bool nothingEver() const;
    bool hasNothingToDo() const;
    void lookForWork();
    void showWorkOrStart();
    void updateCounts();
    void updateQueues();

    PageHead* head_;
    Button* span_;
    QMenu* spans_;
    QStackedWidget* stack_;
    FirstStart* first_; ///< shown instead of the dashboard while there is no work
    StateStrip* strip_;
    LoadCharts* charts_;
    Panel* queuePanel_ = nullptr;
    Label* allDone_ = nullptr;
    Table* queues_;
    RowsModel* queueRows_;
    QueueCommands* queueCommands_;
    ProcessorPanel* processor_;
    FailuresPanel* failures_;
    WaitingPanel* waiting_;
    bool active_ = false;
    bool bare_ = false;    ///< the engine was asked, and has no action
    bool looking_ = false; ///< the engine is being asked
    QJsonObject lookedAt_; ///< the counts when the engine was asked last; empty: it is to be asked
};

} // namespace yard::ui
