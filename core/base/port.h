// Ports in addresses that people write. Pure functions.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace yard {

/// Digits alone, 1 to 65535.
inline bool isPort(std::string_view text) {
    std::uint16_t port = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, port);
    return error == std::errc{} && end == last && port > 0;
}

} // namespace yard
