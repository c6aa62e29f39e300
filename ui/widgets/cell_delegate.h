// Paints every cell of every table from TableModel::cell(). Owner: ui thread.
#pragma once

#include <QStyledItemDelegate>

namespace yard::ui {

struct Cell;

/// Where in a cell's area its link stands; empty: it has none, or it is not in view.
QRectF linkArea(const QRectF& cell, const Cell& shown, bool first, bool last);

class Table;

class CellDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    explicit CellDelegate(Table* table);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Table* table_;
};

} // namespace yard::ui
