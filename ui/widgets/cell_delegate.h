// Paints every cell of every table from TableModel::cell(). Owner: ui thread.
#pragma once

#include "ui/style/tokens.h"

#include <QStyledItemDelegate>

namespace yard::ui {

struct Cell;

/// Where in a cell's area its link stands; empty: it has none, or it is not in view.
QRectF linkArea(const QRectF& cell, const Cell& shown, bool first, bool last);

class Table;

/// What is painted in a cell, and the room that it has: text has that of the small button behind it on a row where this
/// button is not there, and so a part of it stands in the button's cell.
struct CellRoom {
    int column = 0; ///< whose text it is
    int left = 0;   ///< in the viewport
    int width = 0;
};
CellRoom roomOf(const Table& table, int row, int column);

class CellDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit CellDelegate(Table* table);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    struct Place {
        QRectF inside;
        int row;
        int column;
        bool isSelected;
        Token under; ///< what is behind it
    };
    void paintContent(QPainter& painter, const Place& place, const Cell& cell) const;

    Table* table_;
};

} // namespace yard::ui
