#include "core/http/query.h"

#include "core/base/parsed_number.h"
#include "core/http/words.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace yard::http {

namespace {

int hexDigit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

} // namespace

std::optional<std::string> percentDecode(std::string_view text, bool plusIsSpace) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hexDigit(text[i + 1]);
            const int low = hexDigit(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            c = static_cast<char>(high * 16 + low);
            i += 2;
        } else if (c == '+' && plusIsSpace) {
            c = ' ';
        }
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
        out += c;
    }
    if (!isUtf8(out)) return std::nullopt;
    return out;
}

Result<Query> Query::parse(std::string_view text) {
    Query query;
    while (!text.empty()) {
        const std::size_t end = text.find('&');
        const std::string_view item = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        if (item.empty()) continue;
        const std::size_t equals = item.find('=');
        auto name = percentDecode(item.substr(0, equals), true);
        auto value =
            percentDecode(equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1), true);
        if (!name || !value)
            return fail(ErrorKind::Malformed,
                        fmt::format("{} is not well encoded; write other than letters and digits as %XX of UTF-8.",
                                    name ? fmt::format("The parameter \"{}\"", *name) : "The query"));
        if (query.text(*name))
            return fail(ErrorKind::Malformed, fmt::format("Give the parameter \"{}\" once.", *name));
        query.items_.emplace_back(std::move(*name), std::move(*value));
    }
    return query;
}

Result<void> Query::allowOnly(std::string_view known) const {
    const auto nameIn = [](std::string_view word) { return word.substr(0, word.find('=')); };
    for (const auto& [name, value] : items_) {
        bool isKnown = false;
        std::string names;
        forEachWord(known, [&](std::string_view word) { isKnown = isKnown || nameIn(word) == name; });
        if (isKnown) continue;
        forEachWord(known, [&](std::string_view word) { names += fmt::format("{} ", nameIn(word)); });
        return fail(ErrorKind::Malformed,
                    names.empty() ? fmt::format("Remove the parameter \"{}\": this route takes none.", name)
                                  : fmt::format("Remove the parameter \"{}\": this route takes {}.", name,
                                                withCommas(names)));
    }
    return {};
}

std::optional<std::string_view> Query::text(std::string_view name) const {
    for (const auto& [known, value] : items_)
        if (known == name) return value;
    return std::nullopt;
}

Result<std::optional<std::int64_t>> Query::integer(std::string_view name, std::int64_t least,
                                                   std::int64_t most) const {
    const auto given = text(name);
    if (!given) return std::nullopt;
    const auto value = parsedNumber<std::int64_t>(*given);
    if (!value || *value < least || *value > most)
        return invalid(std::string(name), fmt::format("Give \"{}\" as a number from {} to {}.", name, least, most));
    return value;
}

Result<std::optional<Duration>> Query::seconds(std::string_view name, int most) const {
    const auto given = text(name);
    if (!given) return std::nullopt;
    const auto value = parsedNumber<double>(*given);
    if (!value || !(*value >= 0) || *value > most)
        return invalid(std::string(name), fmt::format("Give \"{}\" in seconds from 0 to {}.", name, most));
    return Duration(std::llround(*value * 1e6));
}

Result<bool> Query::flag(std::string_view name) const {
    const auto given = text(name);
    if (!given || *given == "0") return false;
    if (given->empty() || *given == "1") return true;
    return invalid(std::string(name), fmt::format("Give \"{}\" as 0 or 1.", name));
}

} // namespace yard::http
