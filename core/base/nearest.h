// What was meant by a word that is not known. Pure functions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace yard {

/// Characters to put in, take out, replace, or swap with the next one.
inline std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before;
    std::vector<std::size_t> last(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::vector<std::size_t> row{i + 1};
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
            row.push_back(std::min({last[j + 1] + 1, row[j] + 1, replaced}));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
        }
        before = std::exchange(last, std::move(row));
    }
    return last.back();
}

/// The nearest of the words that are known; empty when none is near.
inline std::string_view nearestOf(std::string_view word, std::span<const std::string_view> known) {
    constexpr std::size_t kNear = 2;
    std::string_view best;
    std::size_t least = kNear + 1;
    for (const std::string_view one : known)
        if (const std::size_t d = editDistance(word, one); d < least && d < one.size()) {
            least = d;
            best = one;
        }
    return best;
}

} // namespace yard
