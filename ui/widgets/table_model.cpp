#include "ui/widgets/table_model.h"

#include "ui/widgets/text_view.h"

#include <QLocale>
#include <QMimeData>

#include <algorithm>
#include <utility>

namespace yard::ui {

TableModel::TableModel(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent)
    , columns_(std::move(columns)) {}

namespace {

/// "12 completed, 3 failed": of a cell that is a bar.
QString wordsOf(const paint::Shares& shares) {
    QStringList words;
    for (std::size_t i = 0; i < shares.size(); ++i)
        if (shares[i] > 0) words << QLocale().toString(shares[i]) + ' ' + wordWithin(static_cast<DisplayState>(i));
    return words.join(QStringLiteral(", "));
}

} // namespace

QString TableModel::wordsAt(int row, int column) const {
    const Cell cell = this->cell(row, column);
    const CellKind kind = columns_[static_cast<std::size_t>(column)].kind;
    if (kind == CellKind::Progress) return wordsOf(cell.shares);
    if (kind == CellKind::Bars) return cell.tip;
    return cell.aside.isEmpty() ? cell.text : cell.text + QStringLiteral(", ") + cell.aside;
}

QString TableModel::spoken(int row) const {
    QString all;
    for (int i = 0; i < static_cast<int>(columns_.size()); ++i) {
        if (columns_[static_cast<std::size_t>(i)].hidden) continue;
        const QString text = wordsAt(row, i);
        if (text.isEmpty()) continue;
        if (!all.isEmpty()) all += QStringLiteral(", ");
        all += text;
    }
    if (const Mark mark = markAt(row); mark != Mark::None)
        all += QStringLiteral(", ") + tr("marked %1").arg(wordOf(mark));
    return all;
}

std::vector<int> TableModel::rowsOf(std::vector<qint64> ids) const {
    std::vector<int> rows;
    for (const qint64 id : ids)
        if (const int row = rowOf(id); row >= 0) rows.push_back(row);
    std::ranges::sort(rows);
    return rows;
}

Qt::ItemFlags TableModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags own = QAbstractTableModel::flags(index);
    return dragData_ && index.isValid() ? own | Qt::ItemIsDragEnabled : own;
}

QMimeData* TableModel::mimeData(const QModelIndexList& indexes) const {
    std::vector<qint64> ids;
    for (const QModelIndex& index : indexes)
        if (const qint64 id = idAt(index.row()); id != 0) ids.push_back(id);
    std::ranges::sort(ids);
    const auto again = std::ranges::unique(ids);
    ids.erase(again.begin(), again.end());
    return dragData_ && !ids.empty() ? dragData_(ids) : nullptr;
}

void TableModel::setFrozen(bool frozen) {
    if (frozen_ == frozen) return;
    frozen_ = frozen;
    emit frozenChanged(frozen);
    if (!frozen && waiting_ > 0) takeWaiting();
}

void TableModel::setWaiting(int count) {
    if (waiting_ == count) return;
    waiting_ = count;
    emit waitingChanged(count);
}

int TableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    switch (role) {
    case Qt::DisplayRole: return cell(index.row(), index.column()).text;
    case Qt::AccessibleTextRole:
        return index.column() == 0 ? spoken(index.row()) : wordsAt(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return columns_[static_cast<std::size_t>(index.column())].kind == CellKind::Number
                   ? QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter)
                   : QVariant::fromValue(Qt::AlignLeft | Qt::AlignVCenter);
    case IdRole: return idAt(index.row());
    default: return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = columns_[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return column.title;
    case Qt::ToolTipRole: return plainTip(column.tip);
    default: return {};
    }
}

} // namespace yard::ui
