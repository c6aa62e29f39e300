// Units of sizes, the same words wherever a size is written: filters, options of commands. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace yard {

/// Bytes in one of `unit`; nothing for an unknown word. A letter alone, or with iB, is a power of 1024, as programs
/// take it; with B a power of 1000, as tables show it.
constexpr std::optional<double> bytesPerUnit(std::string_view unit) {
    if (unit.empty() || unit == "B") return 1;
    constexpr std::array<std::string_view, 4> kLetters = {"kK", "mM", "gG", "tT"};
    const auto* letter =
        std::ranges::find_if(kLetters, [&](std::string_view either) { return either.contains(unit.front()); });
    if (letter == kLetters.end()) return std::nullopt;
    const std::string_view rest = unit.substr(1);
    if (!rest.empty() && rest != "B" && rest != "iB") return std::nullopt;
    double bytes = 1;
    for (auto power = letter - kLetters.begin() + 1; power > 0; --power) bytes *= rest == "B" ? 1000 : 1024;
    return bytes;
}

} // namespace yard
