// Session::shortage(): what waiting actions lack that somebody else could give back, such as an idle warm process: memory,
// cores, a named resource. Owner: engine thread. Lives as long as the session, above the order.
//
// Cost: O(shapes) for each call; each shape that does not fit is described.
#pragma once

#include "core/base/owner.h"
#include "core/session/capacity.h"
#include "core/session/order.h"
#include "core/session/service_state.h"
#include "core/session/work_classes.h"

#include <cstdint>
#include <string>

namespace yard::session {

class Shortage {
public:
    Shortage(Order& order, const WorkClasses& classes, const Capacity& capacity, const ServiceState& service)
        : order_(order)
        , classes_(classes)
        , capacity_(capacity)
        , service_(service) {}

    /// An action waits for resources that is not at a gate.
    bool isCrowded() const;
    /// An action that is not at a gate waits for cores of this machine, and for nothing else. False where nothing starts.
    bool lacksCores();

    /// MiB of memory that the action lacks which lacks least of it, and nothing else. The one that resources are kept
    /// for comes first. 0: there is none.
    std::int64_t memoryLack() const;
    /// That memory is about to become free: it is kept for that action, unless something is kept already.
    void keepForMemoryLack();
    /// The named resource that is all that an action lacks; empty: there is none.
    std::string namedLack() const;
    /// Some of it is about to become free: it is kept for that action, unless something is kept already.
    void keepForNamedLack();

private:
    std::int64_t memoryLackOf(std::uint32_t shape) const;
    /// kNone: there is none.
    std::uint32_t leastLackingMemory() const;
    /// A shape that waits for one named resource, and for nothing else; kNone: none. `resource`: which.
    std::uint32_t lackingNamed(std::string& resource) const;

    Order& order_;
    const WorkClasses& classes_;
    const Capacity& capacity_;
    const ServiceState& service_;
    OwnerCheck owner_;
};

} // namespace yard::session
