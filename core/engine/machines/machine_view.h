// A machine as people see it, and who opens a link. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/coro/task.h"
#include "core/fleet/fleet.h"
#include "core/link/states.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

/// Machines that may be known at once.
inline constexpr std::size_t kMostMachines = 1'000;

/// A machine that this engine opens the links to.
struct DialTarget {
    std::string url;
    std::string fingerprint; ///< that it has to show; empty: the system's authorities decide, or it is plain
    std::string token;       ///< of its engine, with the right admin; empty by ssh
    bool installs = false;   ///< by ssh: this engine's program is copied there first
    friend bool operator==(const DialTarget&, const DialTarget&) = default;
};

/// What people want of one that is to be added. What is absent is as the machine says.
struct DialWanted {
    DialTarget target;
    std::optional<std::string> name{};
    std::optional<std::int64_t> mostMilliCores{};
    std::optional<std::int64_t> mostMemoryMb{};
};

struct MachineView {
    fleet::MachineId id;
    std::string name;
    /// "local": this engine's own; "linked", "ssh": this engine opens its links; "allocated": an allocator asked for it
    std::string kind = "joined";
    std::string address{}; ///< where its link comes from, or goes; empty: it has none
    link::MachineState state = link::MachineState::Connecting;
    std::string reason{}; ///< of a state that is nobody's wish, one sentence; may be empty
    std::string platform{};
    std::string version{};
    std::int64_t milliCores = 0;
    std::int64_t memoryMb = 0;
    double gpus = 0;     ///< told of this engine's own machine only
    double gpusFree = 0; ///< of them: neither taken nor lost
    unsigned slots = 0;
    std::size_t running = 0;
    std::size_t waiting = 0; ///< given to it, and not begun
    WallMicros since = 0;    ///< in this state
    WallMicros lostAt = 0;   ///< of a silent one: when what it has counts as lost; 0: nothing is out
    std::vector<std::string> tags{};
    std::int64_t mostMilliCores = 0; ///< that it gets; 0: what it gives
    std::int64_t mostMemoryMb = 0;   ///< the same
    std::string key{};               ///< hash of the key that it comes back with; not for people
    bool isUnread = false;           ///< it has a key, and that cannot be read
    std::string allocator{};         ///< that asked for it; empty: none did
    WallMicros lifetimeEnds = 0;     ///< it leaves by itself then; 0: nobody knows of that
    std::string hours{};             ///< in which it gets work, by its own clock; empty: always
};

/// What people want of one; what is absent stays.
struct MachineChange {
    std::optional<std::string> name{};
    std::optional<std::int64_t> mostMilliCores{}; ///< 0: what it gives
    std::optional<std::int64_t> mostMemoryMb{};   ///< the same
    std::optional<bool> paused{};
    std::optional<std::string> hours{}; ///< empty: always
};

/// What came of adding one.
struct Dialled {
    std::optional<MachineView> machine{};
    std::string fingerprint{}; ///< no machine: this one was shown, and none is trusted
};

/// What is known of machines that allocators asked for, by the hash of their key. Each may be absent.
struct PilotCalls {
    std::function<std::string(std::string_view key)> allocatorOf{}; ///< empty answer: of nobody's
    std::function<WallMicros(std::string_view key)> endOf{};        ///< when it leaves by itself; 0: nobody knows
    std::function<coro::Task<void>(std::string key)> removed{};     ///< by people: it may not come back with it
    WallMicros endOfOne(std::string_view key) const { return key.empty() || !endOf ? 0 : endOf(key); }
};

/// Who opened a link, as far as it was found out on the way here.
struct MachineCaller {
    std::string token; ///< its name; empty: the owner's. A machine without a key that comes again has the same
    std::string peer;  ///< address
    std::string key{}; ///< hash of its key, which no other machine has; empty: token and name say who it is
    std::int64_t mostMilliCores = 0;  ///< that it gets, if it is new; 0: what it gives
    std::optional<DialTarget> dial{}; ///< this engine did
};

} // namespace yard::engine
