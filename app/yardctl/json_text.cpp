#include "app/yardctl/json_text.h"

#include "core/json/json_bytes.h"
#include "core/json/utf8.h"

#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace {

void appendJson(std::string& out, const boost::json::value& value) {
    if (const auto* object = value.if_object()) {
        out += '{';
        for (bool first = true; const auto& [key, member] : *object) {
            if (!std::exchange(first, false)) out += ',';
            out += boost::json::serialize(key);
            out += ':';
            appendJson(out, member);
        }
        out += '}';
    } else if (const auto* array = value.if_array()) {
        out += '[';
        for (bool first = true; const auto& element : *array) {
            if (!std::exchange(first, false)) out += ',';
            appendJson(out, element);
        }
        out += ']';
    } else if (value.is_double()) {
        out += fmt::format("{}", value.get_double());
    } else {
        out += boost::json::serialize(value);
    }
}

} // namespace

boost::json::value parseJson(std::string_view text, boost::system::error_code& ec) {
    const auto decoded = decodeJsonBytes(text);
    if (!decoded || !isUtf8(text)) return boost::json::parse(text, ec);
    return boost::json::parse(*decoded, ec, {}, {.allow_invalid_utf8 = true});
}

std::string compactJson(const boost::json::value& value) {
    std::string out;
    appendJson(out, value);
    return encodeJsonBytes(std::move(out));
}

std::size_t ValueEnd::find(std::string_view more) {
    for (std::size_t i = 0; i < more.size(); ++i) {
        const char c = more[i];
        if (std::exchange(isEscaped_, false)) continue;
        if (c == '"') isQuoted_ = !isQuoted_;
        isEscaped_ = isQuoted_ && c == '\\';
        if (isQuoted_) continue;
        if (c == '{' || c == '[') ++depth_;
        if (c != '}' && c != ']') continue;
        depth_ -= depth_ > 0 ? 1 : 0;
        if (depth_ == 0) return i + 1;
    }
    return 0;
}

} // namespace yard::ctl
