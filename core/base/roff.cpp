#include "core/base/roff.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::roff {

std::string text(std::string_view plain) {
    std::string out;
    bool atStart = true;
    for (const char c : plain) {
        if (atStart && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
        atStart = c == '\n';
    }
    return out;
}

std::string argument(std::string_view plain) {
    std::string out = "\"";
    for (const char c : text(plain)) out += c == '"' ? "\\(dq" : std::string(1, c);
    return out + "\"";
}

std::string head(std::string_view name, std::string_view version, std::string_view summary) {
    std::string title(name);
    std::ranges::transform(title, title.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
    return fmt::format(".TH \"{}\" 1 \"\" \"Yardmaster {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", title,
                       version, text(name), text(summary));
}

std::string option(std::string_view typed, std::string_view value, std::string_view help) {
    const std::string line = value.empty()
                                 ? fmt::format(".B {}", argument(typed))
                                 : fmt::format(".BI {} {}", argument(fmt::format("{} ", typed)), argument(value));
    return fmt::format(".TP\n{}\n{}\n", line, text(help));
}

} // namespace yard::roff
