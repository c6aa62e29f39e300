// Values with separators (CSV) as rows, and the rows as a model. The text is hostile: rows, columns and cells have
// bounds, and a quote that is never closed is an ordinary character from then on. Parsing: values, any thread, linear
// in the text. The model: ui thread.
#pragma once

#include "ui/widgets/table_model.h"

#include <QStringList>

namespace yard::ui {

struct CsvTable {
    static constexpr std::size_t kMostRows = 10'000;
    static constexpr qsizetype kMostColumns = 200;
    static constexpr std::size_t kMostCells = 300'000;
    static constexpr qsizetype kMostCell = 2'000; ///< characters; what follows is left out

    std::vector<QStringList> rows; ///< as long as each line is, not all alike
    qsizetype columns = 0;         ///< of the longest
    bool hasMoreRows = false;
    bool hasMoreColumns = false;
    bool hasOpenQuote = false;
};

/// `isWhole`: else the last line may be cut off and is left out, if it is not the only one.
CsvTable csvOf(const QString& text, QChar separator, bool isWhole);

/// The first row is the head. A column whose cells are all numbers is sorted by them and stands at the right.
class CsvModel final : public TableModel {
    Q_OBJECT
public:
    explicit CsvModel(CsvTable table, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    Cell cell(int row, int column) const override;
    qint64 idAt(int row) const override;
    int rowOf(qint64 id) const override;
    void sortBy(int column, Qt::SortOrder order) override;
    void takeWaiting() override {}

private:
    const QString& text(int row, int column) const;
    CsvTable table_;
    std::vector<int> order_; ///< rows of the table as they are shown
};

} // namespace yard::ui
