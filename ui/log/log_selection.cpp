#include "ui/log/log_selection.h"

#include <algorithm>

namespace yard::ui {

void LogSelection::selectAll(const LogRows& rows, const LogText& text) {
    from_ = {0, 0};
    if (rows.size() == 0) return;
    const std::size_t last = rows.size() - 1;
    to_ = {static_cast<std::ptrdiff_t>(last), text.line(rows.lineAt(last)).text.size()};
}

LogSelection::Part LogSelection::inRow(std::size_t row, qsizetype length) const {
    const LogSpot low = std::min(from_, to_);
    const LogSpot high = std::max(from_, to_);
    const auto here = static_cast<std::ptrdiff_t>(row);
    if (low.row < 0 || low == high || here < low.row || here > high.row) return {};
    return {here == low.row ? low.column : 0, here == high.row ? high.column : length + 1};
}

QString LogSelection::text(const LogRows& rows, const LogText& text) const {
    const LogSpot low = std::min(from_, to_);
    const LogSpot high = std::max(from_, to_);
    if (low.row < 0 || low == high) return {};
    QString all;
    for (std::ptrdiff_t row = low.row; row <= high.row && row < static_cast<std::ptrdiff_t>(rows.size()); ++row) {
        const QString line = text.line(rows.lineAt(static_cast<std::size_t>(row))).text;
        const qsizetype begin = row == low.row ? low.column : 0;
        const qsizetype end = row == high.row ? high.column : line.size();
        if (row != low.row) all += '\n';
        all += line.mid(begin, end - begin);
    }
    return all;
}

} // namespace yard::ui
