// Lists of names as one text with single blanks between them, as rows of routes have them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace yard::http {

template<class F>
void forEachWord(std::string_view words, F each) {
    while (!words.empty()) {
        const std::size_t end = words.find(' ');
        each(words.substr(0, end));
        words.remove_prefix(end == words.npos ? words.size() : end + 1);
    }
}

inline bool isOneOf(std::string_view words, std::string_view word) {
    bool found = false;
    forEachWord(words, [&](std::string_view one) { found = found || one == word; });
    return found;
}

/// "a b" as "a, b", for sentences.
inline std::string withCommas(std::string_view words) {
    std::string text;
    forEachWord(words, [&](std::string_view word) {
        if (!text.empty()) text += ", ";
        text += word;
    });
    return text;
}

} // namespace yard::http
