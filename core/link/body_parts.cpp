#include "core/link/body_parts.h"

#include "core/json/utf8.h"

#include <algorithm>
#include <utility>

namespace yard::link {

void BodyWriter::hash(const Hash256& value) {
    for (const std::uint8_t byte : value.bytes) to_.number(byte);
}

std::string BodyWriter::take() {
    return std::exchange(bytes_, {});
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

} // namespace yard::link
