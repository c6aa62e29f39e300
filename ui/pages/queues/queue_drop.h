// What is dropped on the rows of the queues: files with actions are submitted there, actions move there. The row
// under the pointer has a frame in accent, and the status bar says what would happen. Owner: ui thread; files are
// read elsewhere.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/table_drop.h"

namespace yard::ui {

class QueueDrop final : public TableDrop {
    Q_OBJECT
public:
    /// `queueOf`: the queue of a row's id.
    QueueDrop(Context context, Table* table, std::function<qint64(qint64)> queueOf);
    /// The row with the frame; -1: none.
    int target() const { return target_; }

private:
    void enter(QDropEvent* event) override;
    void move(QDropEvent* event) override;
    void drop(QDropEvent* event) override;
    void leave() override;
    void tell();
    qint64 queueAt(int row) const;
    Context context_;
    Table* table_;
    std::function<qint64(qint64)> queueOf_;
    QWidget* frame_;
    std::vector<qint64> lsns_;
    QString file_;
    qint64 count_ = -1; ///< of actions in the file; -1: not known yet
    int reads_ = 0;
    int target_ = -1;
};

} // namespace yard::ui
