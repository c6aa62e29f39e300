// Questions about short texts and paths. Pure functions.
#pragma once

#include <algorithm>
#include <string_view>

namespace yard {

/// One or more of 0 to 9, and nothing else.
constexpr bool isDigits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether an absolute path is a directory's, or one below it.
constexpr bool isBelow(std::string_view path, std::string_view directory) {
    if (directory.empty() || !path.starts_with(directory)) return false;
    return path.size() == directory.size() || directory == "/" || path[directory.size()] == '/';
}

} // namespace yard
