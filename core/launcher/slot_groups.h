// A control group for each slot of the launcher, in which the kernel bounds the memory of the sandbox in that slot
// as a whole: processes, /tmp, sockets, pipes and whatever else it keeps for them. They lie in the launcher's own
// group (launcher_group.h), which ends and removes them. A slot's group is made once and used for one sandbox after
// another, as a process is born in it: making one for each, or moving a process, would cost more than the start.
//
// Only where cgroup v2 has the controller of memory for the launcher's group: else there are none, and memory is
// bounded by looks (docs/sandbox.md).
//
// Owner: whoever owns the slot; different slots may be used by different threads. Each call blocks on small files.
#pragma once

#include "core/base/unique_fd.h"
#include "core/lease/runner.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

class SlotGroups {
public:
    /// The caller is in `launcherGroup` and goes into a group below it, as a group with processes of its own may
    /// not give controllers to others. Null: they are not to be had, and nothing has changed.
    static std::unique_ptr<SlotGroups> make(const std::string& launcherGroup, unsigned slots,
                                            std::string_view controller = "memory");
    /// The group for what starts in the slot now, at most so large. A descriptor of it, which stays ours; -1: there
    /// is none for it.
    int take(SlotId slot, std::uint64_t memoryBytes, std::uint64_t processes);
    /// Since take() the kernel ended something in it because it was over its memory.
    bool wasOverMemory(SlotId slot);
    /// Any thread. All that is in the slot's group stands still, or goes on; whoever comes next goes. False: there is none,
    /// or `pid` is not in it.
    bool setFrozen(SlotId slot, int pid, bool on);

private:
    struct Group {
        UniqueFd directory;
        std::uint64_t memoryBytes = 0;
        std::uint64_t processes = 0;
        std::int64_t kills = 0; ///< that were seen before
        std::atomic<bool> isFrozen{false};
    };
    SlotGroups(std::string place, unsigned slots);
    bool open(Group& group, SlotId slot) const;
    static std::int64_t killsIn(const Group& group);

    std::string place_;
    std::vector<Group> groups_; ///< by slot; never resized
};

} // namespace yard::runners
