// Private to core/store: numbers as SQLite writes them into its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace yard::store {

/// The four bytes from `at` on, which are there.
constexpr std::uint32_t bigEndian(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

} // namespace yard::store
