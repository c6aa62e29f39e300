#include "core/json/json_bytes.h"

#include "core/json/utf8.h"

#include <charconv>

namespace yard {

namespace {

constexpr std::string_view kUnitDigits = "0123456789abcdef";
constexpr std::size_t kEscapeSize = 6; // \uXXXX

/// What the escape at `at` stands for; 0: there is no \uXXXX.
unsigned codeUnitAt(std::string_view json, std::size_t at) {
    if (json.size() < at + kEscapeSize || json[at] != '\\' || json[at + 1] != 'u') return 0;
    unsigned unit = 0;
    const char* const end = json.data() + at + kEscapeSize;
    const auto read = std::from_chars(json.data() + at + 2, end, unit, 16);
    return read.ec == std::errc{} && read.ptr == end ? unit : 0;
}

constexpr bool isFirstHalf(unsigned unit) {
    return unit >= 0xD800 && unit <= 0xDBFF;
}
constexpr bool isSecondHalf(unsigned unit) {
    return unit >= 0xDC00 && unit <= 0xDFFF;
}
constexpr bool isByte(unsigned unit) {
    return unit >= 0xDC80 && unit <= 0xDCFF;
}

} // namespace

std::optional<std::string> decodeJsonBytes(std::string_view json) {
    std::optional<std::string> out;
    std::size_t copied = 0;
    // A backslash stands in strings only; elsewhere the parser refuses it.
    for (std::size_t at = json.find('\\'); at != std::string_view::npos; at = json.find('\\', at)) {
        const unsigned unit = codeUnitAt(json, at);
        if (unit == 0) {
            at += 2; // with what it escapes, which may be a backslash
            continue;
        }
        if (isFirstHalf(unit) && isSecondHalf(codeUnitAt(json, at + kEscapeSize))) {
            at += 2 * kEscapeSize;
            continue;
        }
        if (isByte(unit)) {
            if (!out) out.emplace();
            out->append(json, copied, at - copied);
            *out += static_cast<char>(unit & 0xFF);
            copied = at + kEscapeSize;
        }
        at += kEscapeSize;
    }
    if (out) out->append(json, copied);
    return out;
}

void appendByteEscape(std::string& out, unsigned char byte) {
    out += "\\udc";
    out += kUnitDigits[byte >> 4];
    out += kUnitDigits[byte & 15];
}

std::string encodeJsonBytes(std::string json) {
    if (isUtf8(json)) return json;
    std::string out;
    for (std::string_view rest = json; !rest.empty();) {
        const std::size_t length = utf8SequenceLength(rest);
        if (length == 0) {
            appendByteEscape(out, static_cast<unsigned char>(rest[0]));
            rest.remove_prefix(1);
        } else {
            out += rest.substr(0, length);
            rest.remove_prefix(length);
        }
    }
    return out;
}

} // namespace yard
