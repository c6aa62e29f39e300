#include "ui/log/log_search.h"

#include <algorithm>

namespace yard::ui {

void LogSearch::clear() {
    line_ = error_ = -1;
}

std::ptrdiff_t LogSearch::find(const QString& text, bool backwards) {
    const bool next = text == found_ && line_ >= 0;
    found_ = text;
    const std::size_t count = std::max<std::size_t>(1, text_.size());
    std::size_t from = line_ < 0 ? 0 : static_cast<std::size_t>(line_);
    if (next) from = backwards ? (from + count - 1) % count : (from + 1) % count;
    line_ = text_.find(text, from, backwards);
    return line_;
}

std::ptrdiff_t LogSearch::findAt(LogStream stream, std::size_t number, const QString& text, bool orElse) {
    std::ptrdiff_t at = text_.lineOf(stream, number);
    if (at < 0 || !text_.holds(static_cast<std::size_t>(at), text)) at = orElse ? text_.find(text, 0) : -1;
    if (at < 0) return -1;
    found_ = text;
    line_ = at;
    return at;
}

std::ptrdiff_t LogSearch::pinError(const QString& text) {
    const QString wanted = text.trimmed();
    const std::ptrdiff_t line = wanted.isEmpty() ? -1 : text_.find(wanted, 0);
    error_ = line < 0 ? -1 : line + static_cast<std::ptrdiff_t>(text_.dropped());
    return line;
}

bool LogSearch::isError(std::size_t line) const {
    return error_ >= 0 && line + text_.dropped() == static_cast<std::size_t>(error_);
}

} // namespace yard::ui
