// Numbers as unsigned LEB128: seven bits a byte, the lowest first, so that small ones take one byte. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard {

inline void appendVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

/// Takes one from the front. Nothing: it is cut off, or has more than 64 bits; what was read of it is gone then.
inline std::optional<std::uint64_t> takeVarint(std::string_view& left) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !left.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(left.front());
        left.remove_prefix(1);
        if (shift == 63 && byte > 1) break;
        value |= std::uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return value;
    }
    return std::nullopt;
}

} // namespace yard
