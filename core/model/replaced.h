// What a result says of a changed copy that was submitted in its place (docs/api.md). Values; any thread.
#pragma once

#include "core/model/result.h"

namespace yard {

/// In ActionResult::replacedBy: there was one, and it was retired since.
inline constexpr Lsn kRetiredSuccessor{-1};

inline bool isReplaced(const ActionResult& action) {
    return action.replacedBy.value != 0;
}
/// 0: none that is kept.
inline Lsn successorOf(const ActionResult& action) {
    return action.replacedBy == kRetiredSuccessor ? Lsn{} : action.replacedBy;
}

} // namespace yard
