// Small pictures made of characters: a line of figures over time, and a lane of a timeline. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace yard::ctl {

/// One character per column, eight heights, the largest value of each column; a space where there is none. `most`
/// is the value of a full column: 0 draws all of them low. At most `width` columns; fewer values take a column
/// each.
std::string sparkline(std::span<const std::optional<double>> values, double most, std::size_t width);

/// A lane of `width` characters from one moment to another, both in microseconds since the epoch.
class LanePicture {
public:
    LanePicture(std::int64_t from, std::int64_t to, std::size_t width);
    /// Marks the columns that [begin, end) touches, at least one. Of two marks in a column the later letter of
    /// " .=rcaF" stays: what failed is seen.
    void mark(std::int64_t begin, std::int64_t end, char letter);
    const std::string& text() const { return text_; }

private:
    std::size_t columnOf(std::int64_t at) const;

    std::int64_t from_;
    std::int64_t to_;
    std::string text_;
};

/// The letter of a state on a lane: '=' completed, 'F' failed, 'a' abandoned, 'c' cancelled, 'r' to be retried, '.'
/// anything that has not ended.
char laneLetter(std::string_view state);

} // namespace yard::ctl
