// The runners of the engine, each with its place among the slots: this machine first, then those beside it. Hears what
// they tell, and tells the session which of its machines takes work.
//
// Owner: engine thread; one cooperative thread for each runner. Lifetime: after the session and the slots; the loop
// outlives it but for close(). Invariants: each runner is added once; a runner has the number of its machine in the
// session, which is never given again, and this machine's slots have its own numbers. While this machine accepts
// nothing, nothing starts at all: it has directories, sandboxes and whatever takes another amount than one core.
#pragma once

#include "core/base/owner.h"
#include "core/coro/events.h"
#include "core/coro/loop.h"
#include "core/coro/task.h"
#include "core/engine/running/slot_balancer.h"
#include "core/lease/runner.h"
#include "core/runners/runner_group.h"
#include "core/session/session.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace yard::engine {

class RunnerPlaces {
public:
    struct Parts {
        coro::Loop& loop;
        session::Session& session;
        SlotBalancer& slots;
        std::function<void(std::vector<runners::Update>)> updates; ///< slots have the group's numbers
        std::function<void()> wake;                                ///< something may start now
    };
    explicit RunnerPlaces(Parts parts)
        : parts_(std::move(parts)) {}
    ~RunnerPlaces();

    /// Where the runner that is added next tells what becomes of its leases.
    runners::UpdateSink sink();
    /// `cores`: its first slots, for what needs one core; `others`: those behind, for one attempt each, of any size. The
    /// session knows the machine already.
    session::MachineId add(std::unique_ptr<runners::Runner> runner, unsigned cores, unsigned others);
    /// Another machine while the engine runs: the session places on it what fits, in `slots` and `otherSlots`, which
    /// are the runner's slots in that order. It is heard from now on.
    session::MachineId join(std::unique_ptr<runners::Runner> runner, fleet::Machine machine);
    /// Another machine of the engine before this one, which the session knows already: by the number that it has there. Such
    /// come in the order of their numbers, before any that joins.
    session::MachineId rejoin(std::unique_ptr<runners::Runner> runner, unsigned cores, unsigned others);
    /// The runner's own number of one of its slots.
    SlotId ownNumber(session::MachineId machine, SlotId slot) const {
        return parts_.slots.ownNumber(machine, slot);
    }
    /// Whether people, or its own word, let it have work; Open at first. While it accepts nothing it gets none anyway.
    void setWish(session::MachineId machine, fleet::Gate wish);
    /// Other amounts, another name, other tags; slots and gate stay as they are. Not this machine.
    void change(session::MachineId id, fleet::Machine machine);
    /// It goes, with its runner. False: something of it is in flight, and it stays. Not this machine, and not called by
    /// the runner itself.
    [[nodiscard]] bool remove(session::MachineId machine);
    /// Hears all of them.
    void run();
    /// They are heard no more: before the loop ends.
    void close();

    runners::RunnerGroup& group() { return group_; }
    /// This machine; null: it was not added yet.
    runners::Runner* machine() const { return places_.empty() ? nullptr : places_.begin()->second->runner.get(); }
    /// Something can be started.
    bool isAccepting() const { return machine() && machine()->isAccepting(); }

private:
    struct Place {
        std::unique_ptr<runners::Runner> runner;
        std::unique_ptr<coro::FdWatch> watch;
        bool wasAccepting = true;
        fleet::Gate wish = fleet::Gate::Open;
    };
    session::MachineId put(std::unique_ptr<runners::Runner> runner, SlotPlace slots);
    coro::Task<void> hear(session::MachineId machine, std::shared_ptr<Place> place);
    void lookAt(session::MachineId machine, Place& place);
    void setGate(session::MachineId machine, const Place& place);

    Parts parts_;
    runners::RunnerGroup group_;
    std::map<session::MachineId, std::shared_ptr<Place>> places_;
    /// Of the runner that is added next: the group's number of its first slot, once it has one.
    std::shared_ptr<std::uint32_t> nextFirst_ = std::make_shared<std::uint32_t>(0);
    bool isRunning_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
