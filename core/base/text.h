// Questions about short texts and paths. Pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace yard {

/// One or more of 0 to 9, and nothing else.
constexpr bool isDigits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Without what of `blanks` it begins and ends with.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Whether an absolute path is a directory's, or one below it.
constexpr bool isBelow(std::string_view path, std::string_view directory) {
    if (directory.empty() || !path.starts_with(directory)) return false;
    return path.size() == directory.size() || directory == "/" || path[directory.size()] == '/';
}

/// Bytes of the character at the start of `text` when it is one that nobody sees but that steers how its line is
/// shown: a mark, embedding or isolate of direction, a separator of lines. 0: it is another one.
constexpr std::size_t steeringLength(std::string_view text) {
    const auto byteAt = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text.starts_with("\xD8\x9C")) return 2; // U+061C
    if (text.size() < 3 || !text.starts_with("\xE2")) return 0;
    const unsigned char last = byteAt(2);
    // U+200E, U+200F; U+2028 to U+202E; U+2066 to U+2069
    const bool steers = (byteAt(1) == 0x80 && (last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE))) ||
                        (byteAt(1) == 0x81 && last >= 0xA6 && last <= 0xA9);
    return steers ? 3 : 0;
}

constexpr bool hasSteeringCharacters(std::string_view text) {
    for (; !text.empty(); text.remove_prefix(1))
        if (steeringLength(text) > 0) return true;
    return false;
}

/// Of a longer text its beginning and end with "…" in between, at most `most` bytes of it; characters stay whole.
inline std::string shortened(std::string_view text, std::size_t most) {
    const auto isWithin = [text](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
    if (text.size() <= most) return std::string(text);
    std::size_t begin = most / 2;
    std::size_t end = text.size() - most / 2;
    while (begin > 0 && isWithin(begin)) --begin;
    while (end < text.size() && isWithin(end)) ++end;
    return std::string(text.substr(0, begin)) + "…" + std::string(text.substr(end));
}

} // namespace yard
