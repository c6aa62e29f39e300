// Numbers, texts and counts as bytes and back: little-endian, texts and lists behind a 4-byte count. What rooms that
// speak to another process build their frames and bodies of (core/lease/wire.h, core/link/body_parts.h). Values; one
// thread at a time.
//
// Bytes of others are hostile: each text and each list has a limit, and nothing is made larger than what came.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace yard {

template<class T>
concept ByteNumber = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

/// Appends to a string, which outlives it.
class ByteWriter {
public:
    explicit ByteWriter(std::string& out)
        : out_(out) {}
    template<class T>
        requires(ByteNumber<T> || std::is_enum_v<T>)
    void number(T value) {
        auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
        if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
        out_.append(bytes.data(), bytes.size());
    }
    void text(std::string_view value) {
        number(static_cast<std::uint32_t>(value.size()));
        out_.append(value);
    }
    /// Without a count: the reader knows how many there are.
    void bytes(std::string_view value) { out_.append(value); }

private:
    std::string& out_;
};

/// Reads what a ByteWriter wrote. What is not there reads as 0 or empty and makes isGood() false from then on, so a
/// reader asks once, at the end. The bytes outlive it.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes)
        : left_(bytes) {}
    template<ByteNumber T>
    T number() {
        std::array<char, sizeof(T)> bytes{};
        const std::string_view taken = some(bytes.size());
        if (!taken.empty()) std::memcpy(bytes.data(), taken.data(), bytes.size()); // all of them, or none
        if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
        return std::bit_cast<T>(bytes);
    }
    /// A byte that is 0 or 1.
    bool flag() {
        const auto value = number<std::uint8_t>();
        if (value > 1) fail();
        return value == 1;
    }
    /// An enumeration whose values run from `first` to `last`; `first` where nothing is good.
    template<class Enum>
        requires std::is_enum_v<Enum>
    Enum choice(Enum first, Enum last) {
        const auto value = number<std::underlying_type_t<Enum>>();
        if (value < std::to_underlying(first) || value > std::to_underlying(last)) fail();
        return good_ ? static_cast<Enum>(value) : first;
    }
    /// At most `limit` bytes.
    std::string text(std::size_t limit) {
        const std::size_t size = number<std::uint32_t>();
        if (size > limit) fail();
        return std::string(some(size));
    }
    /// How many elements follow: at most `limit`, and no more than the bytes that are left have room for, so that a
    /// list is never made longer than what came.
    std::size_t count(std::size_t limit, std::size_t leastBytesOfOne) {
        const std::uint64_t value = number<std::uint32_t>();
        if (value > limit || value * leastBytesOfOne > left_.size()) fail();
        return good_ ? static_cast<std::size_t>(value) : 0;
    }
    /// So many bytes, or none.
    std::string_view some(std::size_t bytes) {
        if (bytes > left_.size()) fail();
        if (!good_) return {};
        const std::string_view taken = left_.substr(0, bytes);
        left_.remove_prefix(bytes);
        return taken;
    }
    void fail() { good_ = false; }
    bool isGood() const { return good_; }
    /// Good, and nothing is left.
    bool isDone() const { return good_ && left_.empty(); }

private:
    std::string_view left_;
    bool good_ = true;
};

} // namespace yard
