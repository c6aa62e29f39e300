#include "core/http/multipart.h"

#include "core/base/text.h"
#include "core/http/message.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::http {

namespace {

constexpr std::size_t kMaxBoundary = 70;
constexpr std::size_t kMaxName = 255;
constexpr std::string_view kLineEnd = "\r\n";

std::unexpected<Error> malformed(std::string message) {
    return fail(ErrorKind::Malformed, std::move(message));
}

/// The value of one parameter of a field: `x` of "form-data; name=x" or of name="x". Absent when it is not there or
/// not well formed.
std::optional<std::string> parameter(std::string_view field, std::string_view name) {
    std::size_t at = field.find(';');
    while (at != field.npos) {
        std::string_view rest = trimmed(field.substr(at + 1));
        const std::size_t equals = rest.find_first_of("=;");
        if (equals == rest.npos || rest[equals] == ';') {
            at = field.find(';', at + 1);
            continue;
        }
        const bool wanted = equalsNoCase(trimmed(rest.substr(0, equals)), name);
        rest.remove_prefix(equals + 1);
        std::string value;
        std::size_t end = 0;
        if (rest.starts_with('"')) {
            for (end = 1; end < rest.size() && rest[end] != '"'; ++end) {
                if (rest[end] == '\\' && end + 1 < rest.size()) ++end;
                value += rest[end];
            }
            if (end >= rest.size()) return std::nullopt;
            end = rest.find(';', end);
        } else {
            end = rest.find(';');
            value = trimmed(rest.substr(0, end));
        }
        if (wanted) return value;
        at = end == rest.npos ? end : static_cast<std::size_t>(rest.data() - field.data()) + end;
    }
    return std::nullopt;
}

bool isBoundaryCharacter(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("'()+_,-./:=? ").contains(c);
}

} // namespace

Result<std::optional<std::string>> multipartBoundary(std::string_view contentType) {
    if (!equalsNoCase(trimmed(contentType.substr(0, contentType.find(';'))), "multipart/form-data"))
        return std::optional<std::string>();
    auto boundary = parameter(contentType, "boundary");
    if (!boundary || boundary->empty() || boundary->size() > kMaxBoundary || boundary->back() == ' ' ||
        !std::ranges::all_of(*boundary, isBoundaryCharacter))
        return malformed(fmt::format("Content-Type multipart/form-data needs a boundary of 1 to {} characters; let "
                                     "the library that makes the body set it.",
                                     kMaxBoundary));
    return boundary;
}

MultipartParser::MultipartParser(std::string_view boundary)
    : delimiter_("\r\n--" + std::string(boundary)) {}

Result<MultipartParser::Event> MultipartParser::next(std::string_view& in, std::string_view& data) {
    data = {};
    switch (state_) {
    case State::Begin: return begin(in);
    case State::Boundary: return boundary(in);
    case State::Head: return head(in);
    case State::Content: return content(in, data);
    case State::End: break;
    }
    return Event::End;
}

/// The first boundary has no line end before it.
Result<MultipartParser::Event> MultipartParser::begin(std::string_view& in) {
    const std::string_view first = std::string_view(delimiter_).substr(kLineEnd.size());
    if (in.substr(0, first.size()) != first.substr(0, in.size()))
        return malformed("The body does not begin with the boundary that Content-Type names.");
    if (in.size() < first.size()) return Event::NeedMore;
    in.remove_prefix(first.size());
    state_ = State::Boundary;
    return boundary(in);
}

/// Behind a boundary: a line end and a part's head, or "--".
Result<MultipartParser::Event> MultipartParser::boundary(std::string_view& in) {
    if (in.size() < 2) return Event::NeedMore;
    const std::string_view two = in.substr(0, 2);
    if (two != "--" && two != kLineEnd) return malformed("Behind a boundary belongs a line end, or \"--\".");
    in.remove_prefix(2);
    state_ = two == kLineEnd ? State::Head : State::End;
    return state_ == State::End ? Event::End : head(in);
}

Result<MultipartParser::Event> MultipartParser::head(std::string_view& in) {
    const std::size_t end = in.substr(0, kMaxPartHead).find("\r\n\r\n");
    if (end == in.npos) {
        if (in.size() >= kMaxPartHead)
            return malformed(fmt::format("The head of a part is over {} bytes; send less.", kMaxPartHead));
        return Event::NeedMore;
    }
    if (auto read = readHead(in.substr(0, end)); !read) return std::unexpected(std::move(read.error()));
    in.remove_prefix(end + 4);
    state_ = State::Content;
    return Event::PartBegan;
}

MultipartParser::Event MultipartParser::content(std::string_view& in, std::string_view& data) {
    const std::size_t at = in.find(delimiter_);
    if (at == 0) {
        in.remove_prefix(delimiter_.size());
        state_ = State::Boundary;
        return Event::PartEnded;
    }
    std::size_t sure = at;
    if (at == in.npos) {
        // The end may be the beginning of a boundary.
        sure = in.size();
        const std::size_t longest = std::min(in.size(), delimiter_.size() - 1);
        for (std::size_t kept = longest; kept > 0; --kept) {
            if (in.substr(in.size() - kept) != std::string_view(delimiter_).substr(0, kept)) continue;
            sure = in.size() - kept;
            break;
        }
    }
    if (sure == 0) return Event::NeedMore;
    data = in.substr(0, sure);
    in.remove_prefix(sure);
    return Event::Data;
}

Result<void> MultipartParser::readHead(std::string_view lines) {
    name_.clear();
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find(kLineEnd), lines.size());
        const std::string_view line = lines.substr(0, end);
        lines.remove_prefix(std::min(end + kLineEnd.size(), lines.size()));
        const std::size_t colon = line.find(':');
        if (colon == line.npos) return malformed("A line in the head of a part is no field.");
        const std::string_view field = line.substr(0, colon);
        const std::string_view value = trimmed(line.substr(colon + 1));
        if (equalsNoCase(field, "Content-Disposition")) {
            const bool isForm = equalsNoCase(trimmed(value.substr(0, value.find(';'))), "form-data");
            auto name = isForm ? parameter(value, "name") : std::nullopt;
            if (!name_.empty() || !name || name->empty() || name->size() > kMaxName || !isUtf8(*name))
                return malformed("Each part needs one line 'Content-Disposition: form-data; name=\"…\"'.");
            name_ = std::move(*name);
        } else if (equalsNoCase(field, "Content-Transfer-Encoding") && !equalsNoCase(value, "binary") &&
                   !equalsNoCase(value, "8bit")) {
            return malformed("Send the bytes of a part as they are, without Content-Transfer-Encoding.");
        }
    }
    if (name_.empty()) return malformed("Each part needs a line 'Content-Disposition: form-data; name=\"…\"'.");
    return {};
}

} // namespace yard::http
