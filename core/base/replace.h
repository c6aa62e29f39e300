// Every place of a word in a text replaced. Pure.
#pragma once

#include <string>
#include <string_view>

namespace yard {

/// What is put in is not looked at again. `what` is not empty.
inline void replaceAll(std::string& text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
}

} // namespace yard
