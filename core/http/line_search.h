// Looks for a text in the lines of an output that comes in pieces. What it keeps between pieces is one line at most, and
// of that kMaxLine bytes: a longer one is looked at in parts, and found once all the same. Values; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

/// A line that has the text.
struct FoundLine {
    std::int64_t number = 0; ///< the first line is 1
    std::string text;        ///< without its end, what is around the first match of a long one
    bool isCut = false;      ///< the line is longer
    friend bool operator==(const FoundLine&, const FoundLine&) = default;
};

class LineSearch {
public:
    /// Longest text that is looked for, in bytes.
    static constexpr std::size_t kMaxText = 256;
    static constexpr std::size_t kMaxLine = 64 * 1024;
    /// Of a line that was found, in bytes; of those at most kBefore stand before the match.
    static constexpr std::size_t kMaxShown = 400;
    static constexpr std::size_t kBefore = 100;

    /// `text`: 1 to kMaxText bytes without line ends. Unless `exactCase`, A to Z and a to z are the same.
    LineSearch(std::string text, bool exactCase);

    /// Lines that end within these bytes; at most `most` of those found are added, and true says that there are more.
    bool take(std::string_view bytes, std::size_t most, std::vector<FoundLine>& found);
    /// The last line, where nothing ended it.
    bool finish(std::size_t most, std::vector<FoundLine>& found);

private:
    bool look(std::string_view lines, std::size_t most, std::vector<FoundLine>& found);
    std::string_view folded(std::string_view lines);
    FoundLine shown(std::string_view line, std::size_t at) const;

    std::string text_;
    bool exactCase_;
    std::int64_t line_ = 1;      ///< number of the line that rest_ is of
    std::int64_t parted_ = 0;    ///< number of a line that was looked at in parts
    std::int64_t lastFound_ = 0; ///< a line that is looked at in parts is found once
    std::string rest_;           ///< a line that has not ended
    std::string lower_;
};

} // namespace yard::http
