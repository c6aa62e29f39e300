// How many slots an engine has: for actions of one core, for others, and for processes of warm workers. Pure.
//
// The launcher keeps one file open for each slot, and two pipes, a pid descriptor and, of a sandbox, a third pipe and
// its network with the count of its sockets for what runs in it. Where few may be open there are fewer slots: then
// more waits.
#pragma once

#include "core/base/error.h"
#include "core/model/settings.h"
#include "core/runners/warm_runner.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace yard::engine {

struct SlotPlan {
    int core = 1;      ///< of this machine's runner: the first ones, for what takes one core
    int shared = 0;    ///< those behind: one action each, whatever it takes
    int warm = 0;      ///< the last ones: for processes of warm workers
    int guests = 0;    ///< behind those: for what runs here for other engines
    int hooks = 0;     ///< behind those: for programs that are hooks
    int beside = 0;    ///< for what takes one core, of the runners beside this machine
    std::string limit; ///< why there are not more; empty: they are all that are wanted

    int ofThisMachine() const { return core + shared + warm + guests + hooks; }
    int firstOfGuests() const { return core + shared + warm; }
    int firstOfHooks() const { return firstOfGuests() + guests; }
    /// Actions of one core at once, wherever.
    int oneCore() const { return core + beside; }
};

/// For so many cores and so many actions at once. `openFiles`: what a process may open here; absent: as many as it
/// likes. Invalid, with what to do, when it cannot even be a few. Says in the log what is less than wanted.
Result<SlotPlan> planSlots(int cores, int slotCount, std::optional<std::uint64_t> openFiles);
/// Slots for hooks of so many programs, two at least: others may be added to their folder later. Before those for guests.
void addHookSlots(SlotPlan& plan, std::size_t programs, std::optional<std::uint64_t> openFiles);
/// Slots for guests beside those: as many as for the engine's own, where there is room.
void addGuestSlots(SlotPlan& plan, std::optional<std::uint64_t> openFiles);
/// What a process may open here (ulimit -Hn); nothing: the system does not say.
std::optional<std::uint64_t> openFileLimit();

/// What the pool of warm processes may be, in so many slots of its own.
pool::PoolOptions poolOptions(const Settings& settings, int cores, int warmSlots);

} // namespace yard::engine
