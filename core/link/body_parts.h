// Numbers, texts and hashes of bodies: little-endian, texts and lists behind a 4-byte count. Values; one thread at
// a time.
#pragma once

#include "core/base/hash.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard::link {

class BodyWriter {
public:
    void u8(std::uint8_t value) { number(value, 1); }
    void u32(std::uint32_t value) { number(value, 4); }
    void u64(std::uint64_t value) { number(value, 8); }
    void i64(std::int64_t value) { number(static_cast<std::uint64_t>(value), 8); }
    void text(std::string_view value);
    void hash(const Hash256& value);
    /// What was written; the writer is empty afterwards.
    std::string take();

private:
    void number(std::uint64_t value, int bytes);

    std::string bytes_;
};

/// Reads what a BodyWriter wrote. What is not there reads as 0 or empty and makes isGood() false from then on, so a
/// reader asks once, at the end. Bytes behind the last field are left: a later version may have more fields.
class BodyReader {
public:
    explicit BodyReader(std::string_view bytes)
        : left_(bytes) {}
    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    std::int64_t i64() { return static_cast<std::int64_t>(number(8)); }
    /// At most `limit` bytes.
    std::string text(std::size_t limit);
    /// As text(), of people: well-formed UTF-8 without control characters.
    std::string plainText(std::size_t limit);
    Hash256 hash();
    /// How many elements follow: at most `limit`, and no more than bytes that are left have room for, so that a
    /// list is never made longer than what came.
    std::size_t count(std::size_t limit, std::size_t leastBytesOfOne);
    /// A value of an enumeration, counted from 0 to `last`.
    template<class Enum>
    Enum word(Enum last) {
        const std::uint8_t value = u8();
        if (value > static_cast<std::uint8_t>(last)) fail();
        return good_ ? static_cast<Enum>(value) : Enum{};
    }
    void fail() { good_ = false; }
    bool isGood() const { return good_; }

private:
    std::uint64_t number(std::size_t bytes);
    std::string_view some(std::size_t bytes);

    std::string_view left_;
    bool good_ = true;
};

} // namespace yard::link
