// Which lines of a log are shown and in which rows of the screen: those that hold the filter, without what came in a
// pause; a long line takes several screen rows where lines wrap. No widgets. Owner: ui thread; lifetime: within that of
// the text.
//
// A row is a line that is shown, counted from 0. Its numbers are those of the last layOut(): what comes later is not
// shown before the next one. Cost: 4 bytes a line with a filter, 4 more where lines wrap.
#pragma once

#include "ui/log/log_text.h"

namespace yard::ui {

class LogRows {
public:
    explicit LogRows(const LogText& text)
        : text_(text) {}

    /// The text begins again; filter, wrap and pause stay as they are.
    void clear();
    /// The lines have other numbers now: they are looked at again.
    void renumber();
    /// Only lines that hold this; empty: all.
    void setFilter(const QString& filter);
    const QString& filter() const { return filter_; }
    void setWrap(bool wrap) { wrap_ = wrap; }
    bool wraps() const { return wrap_; }
    /// While paused what comes is not shown.
    void setPaused(bool paused) { paused_ = paused; }
    /// Takes the lines that came since; `columns`: characters in a screen row. Returns how many screen rows that is.
    std::size_t layOut(int columns);

    std::size_t size() const;
    /// The line that this row shows.
    std::size_t lineAt(std::size_t row) const { return filter_.isEmpty() ? row : kept_[row]; }
    /// How many screen rows it takes.
    int heightOf(std::size_t row) const;
    /// The screen row where it begins.
    std::size_t topOf(std::size_t row) const;
    /// Where the line begins, or would if the filter showed it.
    std::size_t topOfLine(std::size_t line) const;
    /// The row that stands in this screen row; it may be behind the last one. -1: nothing was laid out.
    std::ptrdiff_t rowAt(int top) const;
    int columns() const { return columns_; }

private:
    void takeNew();

    const LogText& text_;
    QString filter_;
    std::vector<std::uint32_t> kept_; ///< lines that hold the filter
    std::size_t looked_ = 0;          ///< lines looked at for kept_
    std::vector<std::uint32_t> tops_; ///< where lines wrap: of each row, and the end
    std::size_t shown_ = 0;           ///< lines there were at the last layOut(); stands while paused
    int columns_ = 1;
    bool wrap_ = false;
    bool paused_ = false;
};

} // namespace yard::ui
