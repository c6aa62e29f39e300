// What an allocator does about starts that fail: it waits longer each time, and pauses after three in a row. No clock:
// times go in.
//
// Owner: the engine thread.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::allocators {

enum class AllocatorState : std::uint8_t { Active, BackingOff, Paused };
std::string_view name(AllocatorState state);

class FailurePause {
public:
    static constexpr unsigned kFailures = 3; ///< in a row, then it is paused
    static constexpr Duration kFirst = std::chrono::minutes(1);
    static constexpr Duration kLongest = std::chrono::minutes(30);

    /// A start failed, or a pilot was none. `sentence`: the other system's own.
    void failed(std::string sentence, MonoTime now);
    /// A pilot joined and an action ran there: the next failure is the first again.
    void succeeded();
    /// A person pauses it. `sentence` may be empty.
    void pause(std::string sentence);
    /// A person lets it go on, failures forgotten.
    void resume();

    AllocatorState state(MonoTime now) const;
    /// BackingOff: until when.
    std::optional<MonoTime> until(MonoTime now) const;
    /// Of the last failure, or of who paused it; empty: none.
    const std::string& reason() const { return reason_; }
    unsigned failuresInARow() const { return failures_; }

private:
    unsigned failures_ = 0;
    bool isPaused_ = false;
    MonoTime until_{};
    std::string reason_;
};

} // namespace yard::allocators
