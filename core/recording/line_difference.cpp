#include "core/recording/line_difference.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace yard::recording {

namespace {

constexpr std::size_t kAround = 3; // lines of context
constexpr std::size_t kLongestLine = 500;

/// One step of the way from a to b.
struct Step {
    char kind = ' '; ///< ' ', '-' or '+'
    std::size_t a = 0;
    std::size_t b = 0;
};

/// The middle of two texts, without what they have in common at both ends.
struct Middle {
    std::size_t first = 0; ///< lines in common before it
    std::size_t a = 0;     ///< lines of a in it
    std::size_t b = 0;
};

Middle middleOf(std::size_t sizeA, std::size_t sizeB, const IsSameLine& isSame) {
    Middle middle;
    const std::size_t least = std::min(sizeA, sizeB);
    while (middle.first < least && isSame(middle.first, middle.first)) ++middle.first;
    std::size_t last = 0;
    while (last < least - middle.first && isSame(sizeA - 1 - last, sizeB - 1 - last)) ++last;
    middle.a = sizeA - middle.first - last;
    middle.b = sizeB - middle.first - last;
    return middle;
}

/// Myers' greedy walk: for each number of edits how far each diagonal comes.
class ShortestWay {
public:
    ShortestWay(const Middle& middle, const IsSameLine& isSame)
        : middle_(middle)
        , isSame_(isSame) {}

    /// Steps within the middle, in their order. Nothing: it is too long.
    std::optional<std::vector<Step>> find() {
        const auto sizeA = static_cast<std::ptrdiff_t>(middle_.a);
        const auto sizeB = static_cast<std::ptrdiff_t>(middle_.b);
        for (std::ptrdiff_t edits = 0; edits <= std::min(kMostEdits, sizeA + sizeB); ++edits) {
            std::vector<std::ptrdiff_t> reached(static_cast<std::size_t>(2 * edits + 1), -1);
            for (std::ptrdiff_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
                const std::ptrdiff_t x = slide(start(edits, diagonal), diagonal);
                reached[static_cast<std::size_t>(diagonal + edits)] = x;
                if (x >= sizeA && x - diagonal >= sizeB) {
                    trace_.push_back(std::move(reached));
                    return wayBack(edits, diagonal);
                }
            }
            trace_.push_back(std::move(reached));
        }
        return std::nullopt;
    }

private:
    /// How far `diagonal` came with so many edits; -1: not there.
    std::ptrdiff_t reachedWith(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
        if (edits < 0 || diagonal < -edits || diagonal > edits) return -1;
        return trace_[static_cast<std::size_t>(edits)][static_cast<std::size_t>(diagonal + edits)];
    }
    /// Whether it is best come to by a line of b.
    bool isDown(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
        if (diagonal == -edits) return true;
        if (diagonal == edits) return false;
        return reachedWith(edits - 1, diagonal - 1) < reachedWith(edits - 1, diagonal + 1);
    }
    std::ptrdiff_t start(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
        if (edits == 0) return 0;
        return isDown(edits, diagonal) ? reachedWith(edits - 1, diagonal + 1)
                                       : reachedWith(edits - 1, diagonal - 1) + 1;
    }
    std::ptrdiff_t slide(std::ptrdiff_t x, std::ptrdiff_t diagonal) const {
        for (std::ptrdiff_t y = x - diagonal; x >= 0 && y >= 0 && x < static_cast<std::ptrdiff_t>(middle_.a) &&
                                              y < static_cast<std::ptrdiff_t>(middle_.b) && isSame(x, y);
             ++x)
            ++y;
        return x;
    }
    bool isSame(std::ptrdiff_t x, std::ptrdiff_t y) const {
        return isSame_(middle_.first + static_cast<std::size_t>(x), middle_.first + static_cast<std::size_t>(y));
    }
    std::vector<Step> wayBack(std::ptrdiff_t edits, std::ptrdiff_t diagonal) const {
        std::vector<Step> steps;
        std::ptrdiff_t x = static_cast<std::ptrdiff_t>(middle_.a);
        for (; edits >= 0; --edits) {
            const std::ptrdiff_t begin = start(edits, diagonal);
            for (; x > begin; --x) steps.push_back(step(' ', x - 1, x - 1 - diagonal));
            if (edits == 0) break;
            const bool down = isDown(edits, diagonal);
            if (down)
                steps.push_back(step('+', x, x - diagonal - 1));
            else
                steps.push_back(step('-', x - 1, x - diagonal));
            diagonal += down ? 1 : -1;
            x -= down ? 0 : 1;
        }
        std::ranges::reverse(steps);
        return steps;
    }
    Step step(char kind, std::ptrdiff_t x, std::ptrdiff_t y) const {
        return {.kind = kind,
                .a = middle_.first + static_cast<std::size_t>(std::max<std::ptrdiff_t>(x, 0)),
                .b = middle_.first + static_cast<std::size_t>(std::max<std::ptrdiff_t>(y, 0))};
    }

    const Middle middle_;
    const IsSameLine& isSame_;
    std::vector<std::vector<std::ptrdiff_t>> trace_;
};

std::vector<Step> stepsOf(std::size_t sizeA, std::size_t sizeB, const IsSameLine& isSame) {
    const Middle middle = middleOf(sizeA, sizeB, isSame);
    std::vector<Step> steps;
    const std::size_t before = std::min(kAround, middle.first);
    for (std::size_t i = middle.first - before; i < middle.first; ++i)
        steps.push_back({.kind = ' ', .a = i, .b = i});
    if (auto way = ShortestWay(middle, isSame).find()) {
        steps.insert(steps.end(), way->begin(), way->end());
    } else {
        for (std::size_t i = 0; i < middle.a; ++i)
            steps.push_back({.kind = '-', .a = middle.first + i, .b = middle.first});
        for (std::size_t i = 0; i < middle.b; ++i)
            steps.push_back({.kind = '+', .a = middle.first + middle.a, .b = middle.first + i});
    }
    const std::size_t endA = middle.first + middle.a;
    const std::size_t endB = middle.first + middle.b;
    for (std::size_t i = 0; i < std::min(kAround, sizeA - endA); ++i)
        steps.push_back({.kind = ' ', .a = endA + i, .b = endB + i});
    return steps;
}

/// Steps [from, to) that belong together: changes, and what is at most twice kAround lines between them.
struct Hunk {
    std::size_t from = 0;
    std::size_t to = 0;
};

std::vector<Hunk> hunksOf(const std::vector<Step>& steps) {
    std::vector<Hunk> hunks;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (steps[i].kind == ' ') continue;
        const std::size_t from = i - std::min(kAround, i);
        const std::size_t to = std::min(steps.size(), i + 1 + kAround);
        if (!hunks.empty() && from <= hunks.back().to)
            hunks.back().to = to;
        else
            hunks.push_back({.from = from, .to = to});
    }
    return hunks;
}

} // namespace

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string lineDifference(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b,
                           const IsSameLine& isSame, std::size_t most) {
    const std::vector<Step> steps = stepsOf(a.size(), b.size(), isSame);
    std::string text;
    for (const Hunk& hunk : hunksOf(steps)) {
        std::size_t countA = 0;
        std::size_t countB = 0;
        for (std::size_t i = hunk.from; i < hunk.to; ++i) {
            countA += steps[i].kind != '+' ? 1 : 0;
            countB += steps[i].kind != '-' ? 1 : 0;
        }
        const Step& first = steps[hunk.from];
        text += fmt::format("@@ -{},{} +{},{} @@\n", first.a + (countA > 0 ? 1 : 0), countA,
                            first.b + (countB > 0 ? 1 : 0), countB);
        for (std::size_t i = hunk.from; i < hunk.to; ++i) {
            const std::string_view line = steps[i].kind == '+' ? b[steps[i].b] : a[steps[i].a];
            text += steps[i].kind;
            text.append(line.substr(0, kLongestLine)) += '\n';
            if (text.size() > most) return text + "(there is more)\n";
        }
    }
    return text;
}

} // namespace yard::recording
