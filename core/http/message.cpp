#include "core/http/message.h"

#include <algorithm>

namespace yard::http {

namespace {

constexpr std::pair<std::string_view, Method> kMethods[] = {
    {"GET", Method::Get},     {"HEAD", Method::Head},     {"POST", Method::Post},      {"PUT", Method::Put},
    {"PATCH", Method::Patch}, {"DELETE", Method::Delete}, {"OPTIONS", Method::Options}};

constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

} // namespace

std::string_view name(Method method) {
    for (const auto& [word, value] : kMethods)
        if (value == method) return word;
    return "?";
}

Method methodFrom(std::string_view word) {
    for (const auto& [known, value] : kMethods)
        if (known == word) return value;
    return Method::Other;
}

bool equalsNoCase(std::string_view a, std::string_view b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

void RequestHead::clear() {
    method = Method::Other;
    isHttp11 = true;
    hasBody = false;
    contentLength.reset();
    text_.clear();
    fields_.clear();
    targetSize_ = 0;
}

void RequestHead::setTarget(std::string_view target) {
    text_.assign(target);
    targetSize_ = target.size();
    fields_.clear();
}

void RequestHead::addField(std::string_view fieldName, std::string_view value) {
    fields_.push_back({.at = static_cast<std::uint32_t>(text_.size()),
                       .nameSize = static_cast<std::uint32_t>(fieldName.size()),
                       .valueSize = static_cast<std::uint32_t>(value.size())});
    text_.append(fieldName).append(value);
}

std::string_view RequestHead::path() const {
    const std::string_view all = target();
    return all.substr(0, all.find('?'));
}

std::string_view RequestHead::query() const {
    const std::string_view all = target();
    const std::size_t mark = all.find('?');
    return mark == std::string_view::npos ? std::string_view{} : all.substr(mark + 1);
}

std::optional<std::string_view> RequestHead::field(std::string_view fieldName) const {
    const std::string_view text = text_;
    for (const Field& f : fields_)
        if (equalsNoCase(text.substr(f.at, f.nameSize), fieldName))
            return text.substr(f.at + f.nameSize, f.valueSize);
    return std::nullopt;
}

int RequestHead::count(std::string_view fieldName) const {
    const std::string_view text = text_;
    return static_cast<int>(std::ranges::count_if(
        fields_, [&](const Field& f) { return equalsNoCase(text.substr(f.at, f.nameSize), fieldName); }));
}

bool hasToken(std::string_view list, std::string_view token) {
    while (!list.empty()) {
        const std::size_t end = list.find(',');
        std::string_view word = list.substr(0, end);
        list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
        while (word.starts_with(' ') || word.starts_with('\t')) word.remove_prefix(1);
        while (word.ends_with(' ') || word.ends_with('\t')) word.remove_suffix(1);
        if (equalsNoCase(word, token)) return true;
    }
    return false;
}

std::string_view reasonPhrase(int status) {
    switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 426: return "Upgrade Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 507: return "Insufficient Storage";
    default: return "Unknown";
    }
}

} // namespace yard::http
