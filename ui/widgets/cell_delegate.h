// Paints every cell of every table from TableModel::cell(). Owner: ui thread.
#pragma once

#include <QStyledItemDelegate>

namespace yard::ui {

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
