// What is looked for in a log, and the first error that is pinned in it. No widgets. Owner: ui thread; lifetime: within
// that of the text.
//
// Lines are numbered as LogText does just now; the pinned one stays the same line when older ones go.
#pragma once

#include "ui/log/log_text.h"

namespace yard::ui {

class LogSearch {
public:
    explicit LogSearch(const LogText& text)
        : text_(text) {}

    /// Nothing is found or pinned; what was looked for is remembered, so that the next find() goes on with it.
    void clear();
    /// The next line that holds this, from the one that was found last and around; with another text that one may be
    /// it. -1: there is none.
    std::ptrdiff_t find(const QString& text, bool backwards);
    /// This line of a stream, counted from 1, if it holds the text. `orElse`: if not, the first line that does. -1: it
    /// is not there, and what was found before stays.
    std::ptrdiff_t findAt(LogStream stream, std::size_t number, const QString& text, bool orElse);
    const QString& text() const { return found_; }
    /// That was found last; -1: none.
    std::ptrdiff_t line() const { return line_; }

    /// Pins the first line that holds this; -1: there is none, and nothing is pinned.
    std::ptrdiff_t pinError(const QString& text);
    bool isError(std::size_t line) const;

private:
    const LogText& text_;
    QString found_;
    std::ptrdiff_t line_ = -1;
    std::ptrdiff_t error_ = -1; ///< lines that went before it included
};

} // namespace yard::ui
