#include "core/link/body_parts.h"

#include "core/json/utf8.h"

#include <algorithm>
#include <utility>

namespace yard::link {

void BodyWriter::number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xff);
}

void BodyWriter::text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
}

void BodyWriter::hash(const Hash256& value) {
    for (const std::uint8_t byte : value.bytes) bytes_ += static_cast<char>(byte);
}

std::string BodyWriter::take() {
    return std::exchange(bytes_, {});
}

std::string_view BodyReader::some(std::size_t bytes) {
    if (!good_ || bytes > left_.size()) {
        good_ = false;
        return {};
    }
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
}

std::uint64_t BodyReader::number(std::size_t bytes) {
    const std::string_view taken = some(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < taken.size(); ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(taken[i])) << (8 * i);
    return value;
}

std::string BodyReader::text(std::size_t limit) {
    const std::size_t size = u32();
    if (size > limit) fail();
    return std::string(some(size));
}

std::string BodyReader::plainText(std::size_t limit) {
    std::string value = text(limit);
    if (isUtf8(value) && !hasControlCharacters(value)) return value;
    fail();
    return {};
}

Hash256 BodyReader::hash() {
    Hash256 value;
    const std::string_view taken = some(value.bytes.size());
    std::ranges::transform(taken, value.bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    return value;
}

std::size_t BodyReader::count(std::size_t limit, std::size_t leastBytesOfOne) {
    const std::size_t value = u32();
    if (value > limit || value * leastBytesOfOne > left_.size()) fail();
    return good_ ? value : 0;
}

} // namespace yard::link
