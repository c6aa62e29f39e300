// Queues: one row each with its progress, and what can be done with it; settings of the selected one at the right.
// Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"

namespace yard::ui {

class QueuePanel;

class QueuesPage final : public Page {
    Q_OBJECT
public:
    explicit QueuesPage(Context context);

    void setActive(bool active) override;
    void setFilter(const QString& filter) override;
    QString filter() const override;
    void focusFilter() override;
    void takeUpdates() override;
    void open(qint64 queue, const QString& tab) override;
    QList<QAction*> commands() const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    Table* table() const { return table_; }

private:
    void makeCommands();
    void refill();
    void onSelection();
    void showMenu(const QPoint& global);
    void drain();
    void cancel();
    void remove();
    const QueueInfo* selected() const;
    void forSelected(const std::function<void(const QueueInfo&)>& act);

    PageHead* head_;
    FilterField* filter_;
    Button* hold_;
    Button* drain_;
    Button* cancel_;
    Button* badge_;
    Table* table_;
    RowsModel* rows_;
    QueuePanel* panel_;
    QAction* showActions_ = nullptr;
    QAction* showFailures_ = nullptr;
    QAction* rescheduleFailures_ = nullptr;
    QAction* holdAction_ = nullptr;
    QAction* releaseAction_ = nullptr;
    QAction* drainAction_ = nullptr;
    QAction* cancelAction_ = nullptr;
    QAction* deleteAction_ = nullptr;
    QAction* copyToken_ = nullptr;
    bool active_ = false;
};

} // namespace yard::ui
