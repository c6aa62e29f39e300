// Texts in columns of a terminal: wide characters (Chinese, Korean, emoji) take two, combining ones none. Pure functions;
// any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yard::ctl {

/// Columns that a text takes. What is no UTF-8 takes one for each byte, what no table knows one for each code point.
std::size_t displayWidth(std::string_view text);
/// At most `width` columns, the last one an ellipsis when something was cut. One less where half of a wide character
/// would be left.
std::string fitted(std::string_view text, std::size_t width);

} // namespace yard::ctl
