#include "core/model/lsn_words.h"

namespace yard {

bool isLsns(std::string_view word) {
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const bool fits = word.find_first_not_of("0123456789.,") == std::string_view::npos;
    return fits && !word.empty() && isDigit(word.front()) && isDigit(word.back());
}

} // namespace yard
