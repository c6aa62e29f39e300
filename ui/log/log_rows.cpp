#include "ui/log/log_rows.h"

#include <algorithm>

namespace yard::ui {

void LogRows::clear() {
    renumber();
    tops_.clear();
    shown_ = 0;
}

void LogRows::renumber() {
    kept_.clear();
    looked_ = 0;
}

void LogRows::setFilter(const QString& filter) {
    filter_ = filter;
    renumber();
}

void LogRows::takeNew() {
    if (!paused_) shown_ = text_.size();
    shown_ = std::min(shown_, text_.size());
    if (filter_.isEmpty()) return;
    for (; looked_ < shown_; ++looked_)
        if (text_.holds(looked_, filter_)) kept_.push_back(static_cast<std::uint32_t>(looked_));
}

std::size_t LogRows::layOut(int columns) {
    columns_ = std::max(1, columns);
    takeNew();
    const std::size_t rows = size();
    if (!wrap_) return rows;
    tops_.resize(rows + 1);
    std::uint32_t top = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        tops_[row] = top;
        top += static_cast<std::uint32_t>(heightOf(row));
    }
    tops_[rows] = top;
    return top;
}

/// Lines may have gone since the last layOut().
std::size_t LogRows::size() const {
    return filter_.isEmpty() ? std::min(shown_, text_.size()) : kept_.size();
}

int LogRows::heightOf(std::size_t row) const {
    if (!wrap_) return 1;
    const auto length = static_cast<int>(text_.line(lineAt(row)).text.size());
    return std::max(1, (length + columns_ - 1) / columns_);
}

std::size_t LogRows::topOf(std::size_t row) const {
    return wrap_ && row < tops_.size() ? tops_[row] : row;
}

std::size_t LogRows::topOfLine(std::size_t line) const {
    std::size_t row = line;
    if (!filter_.isEmpty()) row = static_cast<std::size_t>(std::ranges::lower_bound(kept_, line) - kept_.begin());
    return topOf(row);
}

std::ptrdiff_t LogRows::rowAt(int top) const {
    if (!wrap_) return top;
    const auto above = std::ranges::upper_bound(tops_, static_cast<std::uint32_t>(top));
    return above - tops_.begin() - 1;
}

} // namespace yard::ui
