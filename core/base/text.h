// Questions about short texts. Pure functions.
#pragma once

#include <algorithm>
#include <string_view>

namespace yard {

/// One or more of 0 to 9, and nothing else.
constexpr bool isDigits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace yard
