// A regular expression as people write it: extended (POSIX), with \t, \s and \d. Immutable once made; any thread may match by
// it. A value has kMaxValue bytes at most (values.h), which bounds what a match takes.
#pragma once

#include <cstddef>
#include <optional>
#include <regex.h>
#include <string>
#include <string_view>

namespace yard::ctl {

/// Bytes of a text: from, and behind the last.
struct MatchSpan {
    std::size_t begin = 0;
    std::size_t end = 0;
};

class Expression {
public:
    explicit Expression(std::string_view text);
    ~Expression();
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;

    /// It could be read.
    bool isFine() const { return error_ == 0; }
    /// The first match from `at` on, the longest there. `at` over 0 is no beginning of a line.
    std::optional<MatchSpan> find(const std::string& text, std::size_t at) const;

private:
    regex_t compiled_{};
    int error_;
};

} // namespace yard::ctl
