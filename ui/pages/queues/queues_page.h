// Queues: one row each with its progress, and what can be done with it; settings of the selected one at the right.
// Owner: ui thread.
#pragma once

#include "ui/pages/filtered_page.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"
#include "ui/widgets/updates_badge.h"

namespace yard::ui {

class QueueCommands;
class QueuePanel;
class QueueWork;

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

private:
    void connectAll();
    void refill();
    void onSelection();
    void showQueue(qint64 queue);

    PageHead* head_;
    Button* hold_;
    Button* drain_;
    Button* cancel_;
    Button* fresh_;
    UpdatesBadge* badge_;
    Table* table_;
    RowsModel* rows_;
    QueuePanel* panel_;
    QueueWork* work_;
    QueueCommands* commands_;
    bool active_ = false;
};

} // namespace yard::ui
