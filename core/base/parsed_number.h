// A number that people or programs wrote as text. Pure.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace yard {

/// The number that the whole of `text` is, in decimal digits and without blanks; nothing: it is none, or Number has no
/// such value.
template<class Number>
    requires std::is_arithmetic_v<Number>
std::optional<Number> parsedNumber(std::string_view text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

} // namespace yard
