// Session::machines(): which machines there are while the session runs, whether they take work, and which of their pieces
// are lost. Owner: engine thread. Lives as long as the session, above the classes.
//
// Invariant: the slots in SessionOptions are those of machine 0 and of all machines that were added and not removed.
#pragma once

#include "core/base/owner.h"
#include "core/session/capacity.h"
#include "core/session/views.h"
#include "core/session/work_classes.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace yard::session {

class MachineCommands {
public:
    /// `options`: its slots follow from the machines.
    MachineCommands(Capacity& capacity, WorkClasses& classes, SessionOptions& options)
        : capacity_(capacity)
        , classes_(classes)
        , options_(options) {}

    /// Another machine, with nothing in use. `id`: one that was never there before. `machine.slots`: what runs there at
    /// once; leases ahead are beside that. The capacity has to be one that grows.
    void add(MachineId id, fleet::Machine machine);
    /// Other amounts, name, tags or gate; it has as many slots as before. Without effect for machine 0.
    void change(MachineId id, fleet::Machine machine);
    /// The machine is gone, and no attempt is on it any more. Without effect for machine 0.
    void remove(MachineId id);
    /// Whether this machine takes work; not of machine 0. What runs there keeps what it has.
    void setGate(MachineId id, fleet::Gate gate);

    /// A piece of a resource of machine 0 is lost, or back: a lost one is given to nobody, and who has it keeps it.
    void setPieceLost(std::string_view resource, std::string_view piece, bool isLost);
    /// Thousandths of the pieces that nobody has and that are not lost; nothing: the resource is only counted.
    std::optional<std::int64_t> freePieces(std::string_view resource) const;

private:
    struct SlotCounts {
        int cores = 0;
        int others = 0;
    };
    /// `sign`: 1 or -1.
    void countSlots(const SlotCounts& slots, int sign);

    Capacity& capacity_;
    WorkClasses& classes_;
    SessionOptions& options_;
    std::map<MachineId, SlotCounts> slots_; ///< of the machines that were added
    OwnerCheck owner_;
};

} // namespace yard::session
