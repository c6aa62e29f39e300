#include "core/json/bad_bytes.h"

#include "core/json/utf8.h"

#include <fmt/format.h>

namespace yard {

namespace {

constexpr std::size_t kMostShown = 64;

/// The quote that ends the string which begins at `open`; the end of the text where none does.
std::size_t closingQuote(std::string_view json, std::size_t open) {
    for (std::size_t i = open + 1; i < json.size(); ++i) {
        if (json[i] == '\\')
            ++i;
        else if (json[i] == '"')
            return i;
    }
    return json.size();
}

} // namespace

std::optional<std::size_t> firstBadByte(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8SequenceLength(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return std::nullopt;
}

std::string memberAt(std::string_view json, std::size_t at) {
    std::string_view member;
    for (std::size_t open = json.find('"'); open < at && open != json.npos;) {
        const std::size_t close = closingQuote(json, open);
        const std::size_t next = close < json.size() ? json.find_first_not_of(" \t\r\n", close + 1) : json.npos;
        const bool isName = next != json.npos && json[next] == ':';
        if (isName) member = json.substr(open + 1, close - open - 1);
        open = close < json.size() ? json.find('"', close + 1) : json.npos;
    }
    return wellFormed(member.substr(0, kMostShown));
}

std::string notUtf8(std::string_view json) {
    const std::size_t at = firstBadByte(json).value_or(json.size());
    const std::string member = memberAt(json, at);
    const unsigned byte = at < json.size() ? static_cast<unsigned char>(json[at]) : 0U;
    return fmt::format("{} is not valid UTF-8 (byte {:#04x})", member.empty() ? "The JSON" : '"' + member + '"',
                       byte);
}

} // namespace yard
