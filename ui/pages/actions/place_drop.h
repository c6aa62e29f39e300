// Actions that are dragged within their list stand elsewhere in their queue afterwards: a line in accent between two
// rows says where, and the status bar what would happen, or why nothing would. Only a list by Place has an order to
// drop into. Owner: ui thread; lifetime: its table's.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/table_drop.h"

#include <vector>

namespace yard::ui {

class ActionsModel;
struct ActionRow;

class PlaceDrop final : public TableDrop {
    Q_OBJECT
public:
    PlaceDrop(Context context, Table* table, const ActionsModel* model);

signals:
    /// Actions were moved, others along with them.
    void placesChanged();

private:
    /// Where what is dragged would go; nowhere: `why` says it.
    struct Spot {
        qint64 before = 0; ///< 0 and no `why`: to the bottom
        int y = 0;         ///< of the line
        QString why;
    };
    Spot spotAt(const QPoint& at) const;
    bool isDragged(qint64 lsn) const;
    bool hasPriorityOfDragged(const ActionRow& row) const;
    void enter(QDropEvent* event) override;
    void move(QDropEvent* event) override;
    void drop(QDropEvent* event) override;
    void leave() override;

    Context context_;
    Table* table_;
    const ActionsModel* model_;
    QWidget* line_;
    std::vector<qint64> lsns_;
};

} // namespace yard::ui
