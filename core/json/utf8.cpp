#include "core/json/utf8.h"

#include <algorithm>

namespace yard {

namespace {

constexpr bool isContinuation(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

/// The second byte decides about overlong forms, surrogates and what is past U+10FFFF (RFC 3629, section 4).
constexpr bool isSecondByte(unsigned char lead, unsigned char byte) {
    switch (lead) {
    case 0xE0: return byte >= 0xA0 && byte <= 0xBF;
    case 0xED: return byte >= 0x80 && byte <= 0x9F;
    case 0xF0: return byte >= 0x90 && byte <= 0xBF;
    case 0xF4: return byte >= 0x80 && byte <= 0x8F;
    default: return isContinuation(byte);
    }
}

constexpr std::size_t lengthOfLead(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

} // namespace

std::size_t utf8SequenceLength(std::string_view text) {
    if (text.empty()) return 0;
    const auto byteAt = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = lengthOfLead(byteAt(0));
    if (length <= 1) return length;
    if (text.size() < length || !isSecondByte(byteAt(0), byteAt(1))) return 0;
    for (std::size_t i = 2; i < length; ++i)
        if (!isContinuation(byteAt(i))) return 0;
    return length;
}

bool isUtf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8SequenceLength(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string wellFormed(std::string_view text) {
    constexpr std::string_view kInstead = "\xEF\xBF\xBD";
    if (isUtf8(text)) return std::string(text);
    std::string out;
    while (!text.empty()) {
        const std::size_t length = utf8SequenceLength(text);
        out += length == 0 ? kInstead : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

bool hasControlCharacters(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7F) return true;
        if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
    }
    return false;
}

std::string_view utf8Prefix(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return text;
    while (limit > 0 && isContinuation(static_cast<unsigned char>(text[limit]))) --limit;
    return text.substr(0, limit);
}

} // namespace yard
