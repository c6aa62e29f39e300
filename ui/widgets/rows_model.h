// A table whose rows are all in memory: queues, workers, attempts, locks. A page hands over the rows as they are
// now; the model keeps their order, sorts by the keys, and while it is frozen changes cells in place only. For up
// to some thousand rows. Owner: ui thread.
#pragma once

#include "ui/widgets/table_model.h"

#include <QVariant>
#include <functional>
#include <unordered_map>

namespace yard::ui {

struct Row {
    qint64 id = 0;
    std::vector<Cell> cells;      ///< as many as columns
    std::vector<QVariant> keys{}; ///< what each column sorts by; an invalid one, or too few: the text
    Mark mark = Mark::None;
    bool operator==(const Row&) const = default;
};

class RowsModel : public TableModel {
    Q_OBJECT
public:
    using TableModel::TableModel;

    /// In the order to be shown while nothing is sorted.
    void setRows(std::vector<Row> rows);
    /// The rows that `passes` lets through are shown.
    void setFilter(std::function<bool(const Row&)> passes);
    const Row* row(int at) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    Cell cell(int row, int column) const override;
    qint64 idAt(int row) const override;
    Mark markAt(int row) const override;
    int rowOf(qint64 id) const override;
    void sortBy(int column, Qt::SortOrder order) override;
    void takeWaiting() override;

private:
    std::vector<Row> ordered(const std::vector<Row>& rows) const;
    void show(std::vector<Row> rows);
    std::vector<Row> latest_;
    std::vector<Row> shown_;
    std::unordered_map<qint64, int> at_;
    std::function<bool(const Row&)> passes_;
    int sortColumn_ = -1;
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

} // namespace yard::ui
