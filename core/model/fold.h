// Arrays and lists as one row: a fold is an array, or those single actions of one posted list that follow each other.
// Values; any thread. Numbers are stored in the journal: append only.
#pragma once

#include "core/base/clock.h"
#include "core/model/states.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace yard {

enum class FoldKind : unsigned char { Array, List };
constexpr std::string_view name(FoldKind kind) {
    return kind == FoldKind::Array ? "array" : "list";
}

/// Completed, failed, abandoned and cancelled, in the order of their states.
using EndCounts = std::array<std::int64_t, 4>;
constexpr std::size_t endPlace(ActionState ended) {
    return static_cast<std::size_t>(ended) - static_cast<std::size_t>(ActionState::Completed);
}
constexpr std::int64_t sumOf(const EndCounts& counts) {
    return counts[0] + counts[1] + counts[2] + counts[3];
}

} // namespace yard
