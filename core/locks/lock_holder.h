// Who holds a lock: a few lines "key value" in the lock's file, for people and for whoever waits. Only a text: what
// counts is the kernel's lock on the file. Values, no owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yard::locks {

struct LockHolder {
    int pid = 0;          ///< of the engine
    std::string engineId; ///< of its data directory
    std::string dataDir;
    Lsn lsn{};            ///< 0: no action: a slot's directory, or a process of the warm pool
    WallMicros since = 0; ///< when it was taken
    Duration deadline{};  ///< of the action; 0: none
    friend bool operator==(const LockHolder&, const LockHolder&) = default;
};

/// A text over this is garbage.
inline constexpr std::size_t kMaxHolderText = 16u << 10;

std::string toText(const LockHolder& holder);
/// Nothing for a text that is none: empty, half written, somebody else's.
std::optional<LockHolder> parseHolder(std::string_view text);
/// "action 12 of the engine with pid 7 (/data)".
std::string describe(const LockHolder& holder);

} // namespace yard::locks
