#include "ui/outputs/csv_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace yard::ui {

namespace {

/// One pass over the text, and a part of it once more where a quote is never closed.
class CsvParser {
public:
    CsvParser(const QString& text, QChar separator)
        : text_(text)
        , separator_(separator) {}

    CsvTable parse() {
        while (at_ < text_.size() && !isFull()) {
            readCell();
            if (at_ < text_.size() && text_[at_] == separator_) {
                ++at_;
                if (at_ == text_.size()) addCell({}); // a cell begins, and nothing comes
                continue;
            }
            endRow();
        }
        if (at_ < text_.size()) table_.hasMoreRows = true;
        if (!row_.isEmpty()) endRow();
        return std::move(table_);
    }

private:
    bool isFull() const { return table_.rows.size() >= CsvTable::kMostRows || cells_ >= CsvTable::kMostCells; }

    void readCell() {
        const qsizetype from = at_;
        QString cell;
        if (quotes_ && text_[at_] == '"' && !readQuoted(cell)) {
            table_.hasOpenQuote = true;
            quotes_ = false;
            at_ = from;
            cell.clear();
        }
        const qsizetype rest = at_;
        while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
        if (cell.size() < CsvTable::kMostCell)
            cell += QStringView(text_).sliced(rest, std::min(at_ - rest, CsvTable::kMostCell - cell.size()));
        addCell(std::move(cell));
    }

    /// False: it is not closed.
    bool readQuoted(QString& cell) {
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"') {
                if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
                    ++at_;
                    return true;
                }
                ++at_;
            }
            if (cell.size() < CsvTable::kMostCell) cell += text_[at_];
        }
        return false;
    }

    void addCell(QString cell) {
        if (row_.size() >= CsvTable::kMostColumns) {
            table_.hasMoreColumns = true;
            return;
        }
        row_ << std::move(cell);
        ++cells_;
    }

    void endRow() {
        if (at_ < text_.size() && text_[at_] == '\r') ++at_;
        if (at_ < text_.size() && text_[at_] == '\n') ++at_;
        const bool isBlank = row_.size() == 1 && row_.front().isEmpty();
        if (!row_.isEmpty() && !isBlank) {
            table_.columns = std::max(table_.columns, row_.size());
            table_.rows.push_back(std::move(row_));
        }
        row_ = {};
    }

    const QString& text_;
    const QChar separator_;
    CsvTable table_;
    QStringList row_;
    std::size_t cells_ = 0;
    qsizetype at_ = 0;
    bool quotes_ = true;
};

bool isNumberOrNothing(const QString& text) {
    bool good = text.isEmpty();
    if (!good) text.toDouble(&good);
    return good;
}

/// What is no number comes before all that are.
double csvNumber(const QString& text) {
    bool good = false;
    const double value = text.toDouble(&good);
    return good && !std::isnan(value) ? value : -std::numeric_limits<double>::infinity();
}

std::vector<Column> columnsOfCsv(const CsvTable& table) {
    std::vector<Column> columns;
    for (qsizetype i = 0; i < table.columns; ++i) {
        bool numbers = table.rows.size() > 1;
        qsizetype longest = 0;
        for (std::size_t row = 0; row < table.rows.size(); ++row) {
            const QString cell = table.rows[row].value(i);
            longest = std::max(longest, cell.size());
            if (row > 0) numbers = numbers && isNumberOrNothing(cell);
        }
        Column column;
        column.id = QString::number(i);
        column.title = table.rows.empty() ? QString() : table.rows.front().value(i).simplified();
        column.tip = column.title;
        column.kind = numbers ? CellKind::Number : CellKind::Text;
        column.width = static_cast<int>(std::clamp<qsizetype>(24 + 8 * longest, 64, 320));
        column.sort = column.id;
        columns.push_back(std::move(column));
    }
    return columns;
}

} // namespace

CsvTable csvOf(const QString& text, QChar separator, bool isWhole) {
    CsvTable table = CsvParser(text, separator).parse();
    if (!isWhole) {
        if (!table.hasMoreRows && table.rows.size() > 1) table.rows.pop_back();
        table.hasMoreRows = true;
    }
    return table;
}

CsvModel::CsvModel(CsvTable table, QObject* parent)
    : TableModel(columnsOfCsv(table), parent)
    , table_(std::move(table))
    , order_(table_.rows.empty() ? 0 : table_.rows.size() - 1) {
    std::iota(order_.begin(), order_.end(), 1);
}

int CsvModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

const QString& CsvModel::text(int row, int column) const {
    static const QString none;
    const QStringList& cells = table_.rows[static_cast<std::size_t>(row)];
    return column < cells.size() ? cells[column] : none;
}

Cell CsvModel::cell(int row, int column) const {
    return {text(order_[static_cast<std::size_t>(row)], column)};
}

qint64 CsvModel::idAt(int row) const {
    return row >= 0 && row < rowCount() ? order_[static_cast<std::size_t>(row)] : 0;
}

int CsvModel::rowOf(qint64 id) const {
    const auto found = std::ranges::find(order_, id);
    return found == order_.end() ? -1 : static_cast<int>(found - order_.begin());
}

void CsvModel::sortBy(int column, Qt::SortOrder order) {
    beginResetModel();
    std::ranges::sort(order_);
    if (column >= 0) {
        const bool numbers = columns()[static_cast<std::size_t>(column)].kind == CellKind::Number;
        const auto isLess = [&](int a, int b) {
            if (numbers) return csvNumber(text(a, column)) < csvNumber(text(b, column));
            return text(a, column).compare(text(b, column), Qt::CaseInsensitive) < 0;
        };
        // Equal ones stay in the order of the file.
        std::ranges::sort(order_, [&](int a, int b) {
            const bool up = order == Qt::AscendingOrder;
            if (isLess(up ? a : b, up ? b : a)) return true;
            if (isLess(up ? b : a, up ? a : b)) return false;
            return a < b;
        });
    }
    endResetModel();
}

} // namespace yard::ui
