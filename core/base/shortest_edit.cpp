#include "core/base/shortest_edit.h"

#include <algorithm>
#include <utility>

namespace yard {

namespace {

/// The greedy walk: for each number of edits how far each diagonal (place in a minus place in b) comes in a.
class GreedyWalk {
public:
    GreedyWalk(std::size_t first, std::size_t sizeA, std::size_t sizeB, const IsSameLine& isSame)
        : first_(first)
        , sizeA_(static_cast<std::int32_t>(sizeA))
        , sizeB_(static_cast<std::int32_t>(sizeB))
        , isSame_(isSame) {}

    std::optional<std::vector<EditStep>> find(std::size_t mostEdits) {
        const auto all = static_cast<std::size_t>(sizeA_) + static_cast<std::size_t>(sizeB_);
        const auto most = static_cast<std::int32_t>(std::min(mostEdits, all));
        for (std::int32_t edits = 0; edits <= most; ++edits) {
            std::vector<std::int32_t>& reached = trace_.emplace_back(static_cast<std::size_t>(2 * edits + 1), -1);
            for (std::int32_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
                const std::int32_t x = slide(begin(edits, diagonal), diagonal);
                reached[slotOf(edits, diagonal)] = x;
                if (x >= sizeA_ && x - diagonal >= sizeB_) return wayBack(edits, diagonal);
            }
        }
        return std::nullopt;
    }

private:
    static std::size_t slotOf(std::int32_t edits, std::int32_t diagonal) {
        const std::int32_t slot = diagonal + edits;
        return static_cast<std::size_t>(slot);
    }
    /// -1: no way of so many edits ends there.
    std::int32_t reachedWith(std::int32_t edits, std::int32_t diagonal) const {
        if (edits < 0 || diagonal < -edits || diagonal > edits) return -1;
        return trace_[static_cast<std::size_t>(edits)][slotOf(edits, diagonal)];
    }
    /// Whether a line of b, not one of a, leads there best.
    bool isAdded(std::int32_t edits, std::int32_t diagonal) const {
        if (diagonal == -edits) return true;
        if (diagonal == edits) return false;
        return reachedWith(edits - 1, diagonal - 1) < reachedWith(edits - 1, diagonal + 1);
    }
    /// Behind the edit, before equal lines follow.
    std::int32_t begin(std::int32_t edits, std::int32_t diagonal) const {
        if (edits == 0) return 0;
        return isAdded(edits, diagonal) ? reachedWith(edits - 1, diagonal + 1)
                                        : reachedWith(edits - 1, diagonal - 1) + 1;
    }
    std::int32_t slide(std::int32_t x, std::int32_t diagonal) const {
        while (x < sizeA_ && x - diagonal < sizeB_ && isSame_(placeOf(x), placeOf(x - diagonal))) ++x;
        return x;
    }
    std::vector<EditStep> wayBack(std::int32_t edits, std::int32_t diagonal) const {
        using enum EditStep::Kind;
        std::vector<EditStep> steps;
        std::int32_t x = sizeA_;
        for (;; --edits) {
            for (const std::int32_t from = begin(edits, diagonal); x > from; --x)
                steps.push_back({Both, placeOf(x - 1), placeOf(x - 1 - diagonal)});
            if (edits == 0) break;
            const bool added = isAdded(edits, diagonal);
            steps.push_back(added ? EditStep{Added, placeOf(x), placeOf(x - diagonal - 1)}
                                  : EditStep{Removed, placeOf(x - 1), placeOf(x - diagonal)});
            diagonal += added ? 1 : -1;
            x -= added ? 0 : 1;
        }
        std::ranges::reverse(steps);
        return steps;
    }
    std::size_t placeOf(std::int32_t inMiddle) const { return first_ + static_cast<std::size_t>(inMiddle); }

    const std::size_t first_;
    const std::int32_t sizeA_;
    const std::int32_t sizeB_;
    const IsSameLine& isSame_;
    std::vector<std::vector<std::int32_t>> trace_;
};

} // namespace

ShortestEdit shortestEdit(std::size_t sizeA, std::size_t sizeB, const IsSameLine& isSame, std::size_t mostEdits) {
    ShortestEdit edit;
    const std::size_t least = std::min(sizeA, sizeB);
    while (edit.before < least && isSame(edit.before, edit.before)) ++edit.before;
    while (edit.after < least - edit.before && isSame(sizeA - 1 - edit.after, sizeB - 1 - edit.after)) ++edit.after;
    const std::size_t outside = edit.before + edit.after;
    edit.middle = GreedyWalk(edit.before, sizeA - outside, sizeB - outside, isSame).find(mostEdits);
    return edit;
}

} // namespace yard
