#include "ui/widgets/rows_model.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace yard::ui {

namespace {

bool isLess(const Row& a, const Row& b, std::size_t column) {
    const bool keyed =
        column < a.keys.size() && column < b.keys.size() && a.keys[column].isValid() && b.keys[column].isValid();
    if (keyed) return QVariant::compare(a.keys[column], b.keys[column]) == QPartialOrdering::Less;
    return QString::localeAwareCompare(a.cells[column].text, b.cells[column].text) < 0;
}

} // namespace

std::vector<Row> RowsModel::ordered(const std::vector<Row>& rows) const {
    std::vector<Row> kept;
    kept.reserve(rows.size());
    for (const Row& row : rows)
        if (!passes_ || passes_(row)) kept.push_back(row);
    if (sortColumn_ < 0) return kept;
    const auto column = static_cast<std::size_t>(sortColumn_);
    std::vector<std::size_t> order(kept.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Equal ones stay in the order they came in.
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        const bool up = sortOrder_ == Qt::AscendingOrder;
        if (isLess(up ? kept[a] : kept[b], up ? kept[b] : kept[a], column)) return true;
        if (isLess(up ? kept[b] : kept[a], up ? kept[a] : kept[b], column)) return false;
        return a < b;
    });
    std::vector<Row> sorted;
    sorted.reserve(kept.size());
    for (const std::size_t at : order) sorted.push_back(std::move(kept[at]));
    return sorted;
}

/// The same ids in the same places: cells change. Else all is laid out again.
void RowsModel::show(std::vector<Row> rows) {
    setWaiting(0);
    if (std::ranges::equal(rows, shown_, {}, &Row::id, &Row::id)) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i] == shown_[i]) continue;
            shown_[i] = std::move(rows[i]);
            emit dataChanged(index(static_cast<int>(i), 0), index(static_cast<int>(i), columnCount() - 1));
        }
        return;
    }
    beginResetModel();
    shown_ = std::move(rows);
    at_.clear();
    for (std::size_t i = 0; i < shown_.size(); ++i) at_[shown_[i].id] = static_cast<int>(i);
    endResetModel();
}

void RowsModel::setRows(std::vector<Row> rows) {
    latest_ = std::move(rows);
    auto wanted = ordered(latest_);
    if (!isFrozen()) return show(std::move(wanted));
    int moves = 0;
    std::unordered_map<qint64, const Row*> byId;
    for (const Row& row : latest_) byId[row.id] = &row;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
        const auto now = byId.find(shown_[i].id);
        if (now == byId.end() || *now->second == shown_[i]) continue;
        shown_[i] = *now->second;
        emit dataChanged(index(static_cast<int>(i), 0), index(static_cast<int>(i), columnCount() - 1));
    }
    for (std::size_t i = 0; i < std::max(wanted.size(), shown_.size()); ++i)
        if (i >= wanted.size() || i >= shown_.size() || wanted[i].id != shown_[i].id) ++moves;
    setWaiting(moves);
}

void RowsModel::takeWaiting() {
    show(ordered(latest_));
}

void RowsModel::setFilter(std::function<bool(const Row&)> passes) {
    passes_ = std::move(passes);
    show(ordered(latest_));
}

const Row* RowsModel::row(int at) const {
    return at >= 0 && at < static_cast<int>(shown_.size()) ? &shown_[static_cast<std::size_t>(at)] : nullptr;
}

int RowsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

Cell RowsModel::cell(int row, int column) const {
    return shown_[static_cast<std::size_t>(row)].cells[static_cast<std::size_t>(column)];
}

qint64 RowsModel::idAt(int row) const {
    return row >= 0 && row < static_cast<int>(shown_.size()) ? shown_[static_cast<std::size_t>(row)].id : 0;
}

Mark RowsModel::markAt(int row) const {
    return row >= 0 && row < static_cast<int>(shown_.size()) ? shown_[static_cast<std::size_t>(row)].mark
                                                             : Mark::None;
}

int RowsModel::rowOf(qint64 id) const {
    const auto found = at_.find(id);
    return found == at_.end() ? -1 : found->second;
}

void RowsModel::sortBy(int column, Qt::SortOrder order) {
    sortColumn_ = column;
    sortOrder_ = order;
    show(ordered(latest_)); // asked for by hand
}

} // namespace yard::ui
