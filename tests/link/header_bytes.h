// The header of a frame byte by byte, as whoever does not keep to the rules sends it.
#pragma once

#include <cstdint>
#include <string>

namespace yard::test {

/// With this length and kind; id 0.
inline std::string header(std::uint32_t length, std::uint8_t kind) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>((length >> (8 * i)) & 0xff);
    bytes.append(8, '\0');
    bytes += static_cast<char>(kind);
    return bytes;
}

} // namespace yard::test
