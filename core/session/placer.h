// On which machine what was picked starts, where there are several: a batch of likes is split in proportion to what is
// free, and nothing goes where it would take what is kept for something large. Private to session; owner: engine
// thread. Part of the attempts.
//
// Invariant: a plan is of one turn. What starts beside it changes what is free: a machine that has no room any more is
// left out, and what is left is split again.
#pragma once

#include "core/session/capacity.h"
#include "core/session/messages.h"
#include "core/session/order.h"
#include "core/session/views.h"
#include "core/session/work_classes.h"

#include <cstdint>
#include <vector>

namespace yard::session {

class Placer {
public:
    Placer(Capacity& capacity, const Order& order, const WorkClasses& classes, const SessionOptions& options)
        : capacity_(capacity)
        , order_(order)
        , classes_(classes)
        , options_(options) {}

    void beginTurn() { plans_.clear(); }
    /// Of a class that was picked: the next one's machine. `ahead`: beyond what there is.
    MachineId placeOf(std::uint32_t cls, bool ahead);

private:
    struct Part {
        fleet::Share share;
        unsigned given = 0; ///< of it, fewer than its count
        double lag() const;
    };
    struct Plan {
        std::uint32_t shape = kNone;
        std::uint32_t reserved = kNone; ///< the shape that something was kept for when it was made
        std::vector<Part> parts;        ///< a heap: who is furthest behind is first
    };
    static bool comesLater(const Part& one, const Part& other);
    Plan& planOf(std::uint32_t shape);
    void make(Plan& plan, const Demand& need) const;

    Capacity& capacity_;
    const Order& order_;
    const WorkClasses& classes_;
    const SessionOptions& options_;
    std::vector<Plan> plans_; ///< of this turn: one for each shape that started
};

} // namespace yard::session
