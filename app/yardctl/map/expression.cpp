#include "app/yardctl/map/expression.h"

namespace yard::ctl {

namespace {

/// What people write in an expression and POSIX does not know.
std::string posixExpression(std::string_view expression) {
    std::string out;
    for (std::size_t i = 0; i < expression.size(); ++i) {
        const char next = expression[i] == '\\' && i + 1 < expression.size() ? expression[i + 1] : '\0';
        const std::string_view meant = next == 't'   ? "\t"
                                       : next == 's' ? "[[:space:]]"
                                       : next == 'd' ? "[0-9]"
                                                     : "";
        if (meant.empty()) {
            out += expression[i];
            if (next != '\0') out += expression[++i];
            continue;
        }
        out += meant;
        ++i;
    }
    return out;
}

} // namespace

Expression::Expression(std::string_view text)
    : error_(::regcomp(&compiled_, posixExpression(text).c_str(), REG_EXTENDED)) {}

Expression::~Expression() {
    if (error_ == 0) ::regfree(&compiled_);
}

std::optional<MatchSpan> Expression::find(const std::string& text, std::size_t at) const {
    regmatch_t match{};
    if (error_ != 0 || at > text.size() ||
        ::regexec(&compiled_, text.c_str() + at, 1, &match, at > 0 ? REG_NOTBOL : 0) != 0)
        return std::nullopt;
    return MatchSpan{at + static_cast<std::size_t>(match.rm_so), at + static_cast<std::size_t>(match.rm_eo)};
}

} // namespace yard::ctl
