#include "app/yardctl/request_text.h"

#include "app/yardctl/format.h"
#include "core/json/bad_bytes.h"
#include "core/json/json_bytes.h"
#include "core/json/utf8.h"
#include "core/model/action_spec.h"
#include "core/model/filter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace yard::ctl {

namespace {

/// As people call what parameters say.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNames{{{"q", "the filter"},
                                                                               {"sort", "the order"},
                                                                               {"queue", "the queue"},
                                                                               {"worker", "the worker"},
                                                                               {"label", "the label"},
                                                                               {"state", "the state"}}};

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        const char* hex = text.data() + i + 1;
        const bool isCode =
            text[i] == '%' && i + 2 < text.size() && std::from_chars(hex, hex + 2, byte, 16).ptr == hex + 2;
        out += isCode ? static_cast<char>(byte) : text[i];
        if (isCode) i += 2;
    }
    return out;
}

Error refusal(std::string message) {
    return {.kind = ErrorKind::Invalid, .message = std::move(message), .field = {}, .need = {}};
}

std::optional<Error> refused(std::string_view name, const std::string& value) {
    if (const auto at = firstBadByte(value))
        return refusal(fmt::format("{} is not valid UTF-8 (byte {:#04x}): {}", name,
                                   static_cast<unsigned char>(value[*at]), printable(value)));
    // Numbers of actions: programs ask for a page of them at once, and the engine counts them.
    if (value.size() > kMaxFilterBytes && name != "lsn")
        return refusal(fmt::format("{} has {} bytes, and at most {} are taken: make it shorter", name, value.size(),
                                   kMaxFilterBytes));
    return std::nullopt;
}

/// Of actions: argv, cwd and env may have any bytes, and the engine says which other member has.
bool isSubmission(std::string_view method, std::string_view path) {
    const std::string_view place = path.substr(0, path.find('?'));
    return method == "POST" && (place == "jobs" || place.ends_with("/jobs"));
}

/// A byte that is no UTF-8 stands in our JSON as \udc80 to \udcff (json_text.h).
std::optional<Error> refusedByte(std::string_view body) {
    constexpr std::string_view kMark = "udc";
    for (std::size_t at = body.find('\\'); at != body.npos; at = body.find('\\', at + 2)) {
        unsigned byte = 0;
        const std::string_view hex = body.substr(at + 1).substr(0, kMark.size() + 2);
        const bool isMarked = hex.size() == kMark.size() + 2 && hex.starts_with(kMark);
        if (!isMarked ||
            std::from_chars(hex.data() + kMark.size(), hex.data() + hex.size(), byte, 16).ec != std::errc{})
            continue;
        const std::string member = memberAt(body, at);
        const std::string shown = '"' + printable(decodeJsonBytes(member).value_or(member)) + '"';
        return refusal(
            fmt::format("{} is not valid UTF-8 (byte {:#04x})", member == "filter" ? "the filter" : shown, byte));
    }
    return std::nullopt;
}

} // namespace

std::optional<Error> refusedText(std::string_view method, std::string_view path, std::string_view body) {
    if (!isUtf8(body)) return refusal(notUtf8(body));
    if (!isSubmission(method, path))
        if (auto error = refusedByte(body)) return error;
    const std::size_t mark = path.find('?');
    const std::string place = decoded(path.substr(0, mark));
    if (const auto at = firstBadByte(place))
        return refusal(fmt::format("{} is not valid UTF-8 (byte {:#04x})",
                                   printable(place.substr(place.rfind('/', *at) + 1)),
                                   static_cast<unsigned char>(place[*at])));
    for (std::string_view query = mark == path.npos ? std::string_view() : path.substr(mark + 1); !query.empty();) {
        const std::size_t end = query.find('&');
        const std::string_view item = query.substr(0, end);
        query = end == query.npos ? std::string_view() : query.substr(end + 1);
        const std::size_t equals = item.find('=');
        if (equals == item.npos) continue;
        const auto known = std::ranges::find(kNames, item.substr(0, equals), &decltype(kNames)::value_type::first);
        const std::string_view name = known == kNames.end() ? item.substr(0, equals) : known->second;
        if (auto error = refused(name, decoded(item.substr(equals + 1)))) return error;
    }
    return std::nullopt;
}

} // namespace yard::ctl
