// Actions that are dragged within their list stand elsewhere in their queue afterwards: a line in accent between two
// rows says where, and the status bar what would happen, or why nothing would. Only a list by Place has an order to
// drop into. Owner: ui thread; lifetime: its table's.
#pragma once

#include "ui/pages/page.h"
#include "ui/widgets/table.h"

#include <vector>

QT_BEGIN_NAMESPACE
class QDropEvent;
QT_END_NAMESPACE

namespace yard::ui {

class ActionsModel;
struct ActionRow;

class PlaceDrop final : public QObject {
    Q_OBJECT
public:
    PlaceDrop(Context context, Table* table, const ActionsModel* model);

signals:
    /// Actions were moved, others along with them.
    void placesChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

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
    bool enter(QDropEvent* event);
    void move(QDropEvent* event);
    void drop(QDropEvent* event);
    void leave();

    Context context_;
    Table* table_;
    const ActionsModel* model_;
    QWidget* line_;
    std::vector<qint64> lsns_;
};

} // namespace yard::ui
