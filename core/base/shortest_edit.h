// The shortest way from one sequence of lines to another one, after Myers: which lines are taken away, which are added.
// Pure; any thread. Bounded: a way of more than `mostEdits` lines that were taken away or added is not looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace yard {

/// Whether line `a` of the first sequence counts as line `b` of the second one, by index.
using IsSameLine = std::function<bool(std::size_t a, std::size_t b)>;

struct EditStep {
    enum class Kind : std::uint8_t { Both, Removed, Added };
    Kind kind = Kind::Both;
    std::size_t a = 0; ///< the line of the first sequence; of Added: the one that it stands before
    std::size_t b = 0; ///< the line of the second sequence; of Removed: the one that it stood before
    bool operator==(const EditStep&) const = default;
};

struct ShortestEdit {
    std::size_t before = 0; ///< equal lines at the beginning
    std::size_t after = 0;  ///< equal lines at the end, without those
    /// What lies between, in order. Nothing: the way is longer than `mostEdits`.
    std::optional<std::vector<EditStep>> middle;
};

/// Sequences of less than 2^31 lines. Takes O((lines + edits) * edits) questions, and 4 bytes times the square of the edits.
ShortestEdit shortestEdit(std::size_t sizeA, std::size_t sizeB, const IsSameLine& isSame, std::size_t mostEdits);

} // namespace yard
