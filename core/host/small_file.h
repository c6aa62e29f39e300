// Files of a few lines that the kernel writes, below /proc and /sys. Any thread.
#pragma once

#include "core/base/files.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::host {

/// Empty where it cannot be read, or is over 64 KiB.
inline std::string readSmallFile(const std::string& path) {
    constexpr std::size_t kMost = 64u << 10;
    auto text = readFile(path, kMost);
    return text ? std::move(*text) : std::string();
}

/// The number that it begins with, after blanks. Nothing: none ("max").
inline std::optional<std::int64_t> leadingNumber(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
}

/// Calls `function` with each line.
void eachLine(std::string_view text, auto&& function) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        function(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

/// What follows `key` on the first line that begins with it; empty: there is none.
inline std::string_view lineOf(std::string_view text, std::string_view key) {
    std::string_view rest;
    eachLine(text, [&](std::string_view line) {
        if (rest.empty() && line.starts_with(key)) rest = line.substr(key.size());
    });
    return rest;
}

} // namespace yard::host
