// Which columns a table shows, how wide, in which order, and by which it is sorted; remembered in the settings.
// Owner: ui thread, the table; lifetime: that of the table.
#pragma once

#include "ui/widgets/table_model.h"

#include <QTableView>
#include <set>

namespace yard::ui {

class TableColumns {
public:
    /// `key`: under which settings remember; empty: nothing is remembered.
    TableColumns(QTableView& table, QString key);

    /// The model of the table from now on, with its columns and its order as they are remembered.
    void setRows(TableModel& rows);
    /// Widths: every column its own, one takes the rest; those that fall away go in their order until it fits.
    void layOut();
    /// By this column, the other way round, then as rows come. False: it is none to sort by.
    bool turnSort(int column);
    /// Has the model sort as it was turned to.
    void sort();
    void remember() const;
    void showMenu(const QPoint& global);

private:
    bool isHiddenByChoice(int column) const;
    void choose(const QString& id, bool shown);
    void recall();
    void recallSort(const QString& id, bool descending);
    int columnOf(const QString& id) const;

    QTableView& table_;
    QString key_;
    TableModel* rows_ = nullptr;
    std::set<QString> chosen_;  ///< shown though hidden by default
    std::set<QString> refused_; ///< hidden by choice
    int sortColumn_ = -1;
    Qt::SortOrder sortOrder_ = Qt::AscendingOrder;
};

} // namespace yard::ui
