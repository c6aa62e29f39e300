// Numbers, texts and hashes of bodies, in the bytes of core/base/byte_parts.h. Values; one thread at a time.
#pragma once

#include "core/base/byte_parts.h"
#include "core/base/hash.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard::link {

class BodyWriter {
public:
    BodyWriter() = default;
    BodyWriter(const BodyWriter&) = delete;
    BodyWriter& operator=(const BodyWriter&) = delete;
    void u8(std::uint8_t value) { to_.number(value); }
    void u32(std::uint32_t value) { to_.number(value); }
    void u64(std::uint64_t value) { to_.number(value); }
    void i64(std::int64_t value) { to_.number(value); }
    void text(std::string_view value) { to_.text(value); }
    void hash(const Hash256& value);
    /// What was written; the writer is empty afterwards.
    std::string take();

private:
    std::string bytes_;
    ByteWriter to_{bytes_};
};

/// Reads what a BodyWriter wrote, as ByteReader says. Bytes behind the last field are left: a later version may have
/// more fields.
class BodyReader : public ByteReader {
public:
    using ByteReader::ByteReader;
    std::uint8_t u8() { return number<std::uint8_t>(); }
    std::uint32_t u32() { return number<std::uint32_t>(); }
    std::uint64_t u64() { return number<std::uint64_t>(); }
    std::int64_t i64() { return number<std::int64_t>(); }
    /// As text(), of people: well-formed UTF-8 without control characters.
    std::string plainText(std::size_t limit);
    Hash256 hash();
    /// A value of an enumeration, counted from 0 to `last`.
    template<class Enum>
    Enum word(Enum last) {
        const std::uint8_t value = u8();
        if (value > static_cast<std::uint8_t>(last)) fail();
        return isGood() ? static_cast<Enum>(value) : Enum{};
    }
};

} // namespace yard::link
