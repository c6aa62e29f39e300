#include "core/json/json_writer.h"

#include "core/json/json_bytes.h"
#include "core/json/utf8.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace yard {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// 1 for bytes that end a run which can be copied: quotes, backslash, controls, and all that is not ASCII.
constexpr auto kStops = [] {
    std::array<bool, 256> stops{};
    for (std::size_t c = 0; c < 256; ++c) stops[c] = c < 0x20 || c == '"' || c == '\\' || c >= 0x80;
    return stops;
}();

void appendEscape(std::string& out, unsigned char c) {
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
        out += "\\u00";
        out += kHexDigits[c >> 4];
        out += kHexDigits[c & 15];
    }
}

/// The decimal digits of a shortest representation and where the point stands, as in ECMAScript's Number::toString:
/// value = 0.d1d2d3… x 10^point.
struct ShortestDigits {
    std::array<char, 32> digits{};
    std::size_t count = 0;
    int point = 0;
};

ShortestDigits shortestDigits(double positive) {
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), positive, std::chars_format::scientific);
    ShortestDigits result;
    const char* p = text.data();
    for (; p != end.ptr && *p != 'e'; ++p)
        if (*p != '.') result.digits[result.count++] = *p;
    ++p;                // the e
    if (*p == '+') ++p; // from_chars takes no plus
    int exponent = 0;
    std::from_chars(p, end.ptr, exponent);
    result.point = exponent + 1;
    return result;
}

enum class Other : unsigned char { Replaced, Kept }; ///< what is not UTF-8

void appendQuoted(std::string& out, std::string_view text, Other other) {
    out += '"';
    std::size_t start = 0;
    std::size_t i = 0;
    while (i < text.size()) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (!kStops[c]) {
            ++i;
            continue;
        }
        if (c >= 0x80) {
            const std::size_t length = utf8SequenceLength(text.substr(i));
            if (length != 0) {
                i += length;
                continue;
            }
        }
        out.append(text, start, i - start);
        if (c < 0x80)
            appendEscape(out, c);
        else if (other == Other::Kept)
            appendByteEscape(out, c);
        else
            out += kReplacement;
        start = ++i;
    }
    out.append(text, start, text.size() - start);
    out += '"';
}

} // namespace

void appendJsonString(std::string& out, std::string_view text) {
    appendQuoted(out, text, Other::Replaced);
}

void appendJsonBytes(std::string& out, std::string_view text) {
    appendQuoted(out, text, Other::Kept);
}

void appendJsonInteger(std::string& out, std::int64_t value) {
    std::array<char, 24> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    out.append(text.data(), end.ptr);
}

void appendJsonNumber(std::string& out, double value) {
    assert(std::isfinite(value));
    if (value == 0) {
        out += '0'; // minus zero too
        return;
    }
    if (value < 0) out += '-';
    const ShortestDigits shortest = shortestDigits(std::abs(value));
    const std::string_view digits(shortest.digits.data(), shortest.count);
    const auto count = static_cast<int>(shortest.count);
    const int point = shortest.point;
    if (point > 21 || point <= -6) {
        out += digits[0];
        if (count > 1) (out += '.') += digits.substr(1);
        out += point > 0 ? "e+" : "e-";
        appendJsonInteger(out, std::abs(point - 1));
    } else if (point <= 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-point), '0');
        out += digits;
    } else if (count <= point) {
        out += digits;
        out.append(static_cast<std::size_t>(point - count), '0');
    } else {
        out += digits.substr(0, static_cast<std::size_t>(point));
        out += '.';
        out += digits.substr(static_cast<std::size_t>(point));
    }
}

void JsonWriter::hash(const Hash256& hash) {
    separate();
    out_ += '"';
    for (const std::uint8_t byte : hash.bytes) {
        out_ += kHexDigits[byte >> 4];
        out_ += kHexDigits[byte & 15];
    }
    out_ += '"';
}

} // namespace yard
