// Tables as text/csv (RFC 4180), for spreadsheets. Pure.
#pragma once

#include <string>
#include <string_view>

namespace yard::http {

/// One cell. Its text comes from whoever submits work, and spreadsheets run what begins like a formula: that gets an
/// apostrophe in front, which they take for a mark of text (OWASP, "CSV Injection").
inline std::string csvCell(std::string_view text) {
    constexpr std::string_view kFormula = "=+-@\t\r\n";
    // Spreadsheets of some countries part cells at ";" or a tab: what follows is quoted for them, too.
    constexpr std::string_view kParting = ",;\"\t\r\n";
    const bool isFormula = !text.empty() && kFormula.contains(text.front());
    if (!isFormula && text.find_first_of(kParting) == text.npos) return std::string(text);
    std::string cell = isFormula ? "\"'" : "\"";
    for (const char c : text) {
        if (c == '"') cell += c;
        cell += c;
    }
    return cell += '"';
}

} // namespace yard::http
