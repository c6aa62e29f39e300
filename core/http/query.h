// The part of a target after the question mark, and the percent encoding that it shares with paths. Values.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::http {

/// `%41` to `A`; with `plusIsSpace` also `+` to a space. Nothing for broken encoding, bytes that are not UTF-8, or
/// control characters.
std::optional<std::string> percentDecode(std::string_view text, bool plusIsSpace);

class Query {
public:
    /// Malformed: broken encoding, or a parameter given twice.
    static Result<Query> parse(std::string_view text);

    /// Malformed, naming the first parameter that is none of `known`: names with blanks between; what follows a "="
    /// in a word is for others.
    Result<void> allowOnly(std::string_view known) const;
    std::optional<std::string_view> text(std::string_view name) const;
    /// Invalid, naming the parameter, when it is no number or out of range; absent when it is not given.
    Result<std::optional<std::int64_t>> integer(std::string_view name, std::int64_t least, std::int64_t most) const;
    /// Seconds, fractions allowed, from 0 to `most`.
    Result<std::optional<Duration>> seconds(std::string_view name, int most) const;
    /// Absent and "0" are false, "1" and an empty value true.
    Result<bool> flag(std::string_view name) const;

private:
    std::vector<std::pair<std::string, std::string>> items_;
};

} // namespace yard::http
