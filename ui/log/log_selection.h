// What is selected in a log: from a character of one row to one of another. No widgets; a value. Owner: ui thread.
#pragma once

#include "ui/log/log_rows.h"

#include <compare>
#include <cstddef>

namespace yard::ui {

/// Before a character of a row of LogRows.
struct LogSpot {
    std::ptrdiff_t row = -1; ///< below 0: nowhere
    qsizetype column = 0;
    auto operator<=>(const LogSpot&) const = default;
};

class LogSelection {
public:
    /// Characters of one row; empty: none of it.
    struct Part {
        qsizetype begin = 0;
        qsizetype end = 0; ///< one behind the last character where it goes on in the next row
        bool isEmpty() const { return begin >= end; }
    };

    void clear() { *this = {}; }
    void begin(const LogSpot& at) { from_ = to_ = at; }
    void extendTo(const LogSpot& at) { to_ = at; }
    void selectAll(const LogRows& rows, const LogText& text);
    /// `length`: characters that the row has.
    Part inRow(std::size_t row, qsizetype length) const;
    /// Without colours, rows apart by newlines. Rows that are not there any more are left out.
    QString text(const LogRows& rows, const LogText& text) const;

private:
    LogSpot from_;
    LogSpot to_;
};

} // namespace yard::ui
