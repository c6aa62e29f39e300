// The runners of the engine, each with its place among the slots: this machine first, then those beside it. Hears what
// they tell, and tells the session which of its machines takes work.
//
// Owner: engine thread; one cooperative thread for each runner. Lifetime: after the session and the slots; the loop
// outlives it but for close(). Invariants: each runner is added once; runners and slots are numbered through in that
// order: a runner has the number of its machine in the session, and this machine's slots have its own numbers. While
// this machine accepts nothing, nothing starts at all: it has directories, sandboxes and whatever takes another amount
// than one core.
#pragma once

#include "core/base/owner.h"
#include "core/coro/events.h"
#include "core/coro/loop.h"
#include "core/coro/task.h"
#include "core/engine/running/slot_balancer.h"
#include "core/lease/runner.h"
#include "core/runners/runner_group.h"
#include "core/session/session.h"

#include <cstddef>
#include <cstdint>
#include <functional>
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
    /// `cores`: its first slots, for what needs one core; `others`: those behind, for one attempt each, of any size.
    void add(std::unique_ptr<runners::Runner> runner, unsigned cores, unsigned others);
    /// Hears all of them.
    void run();
    /// They are heard no more: before the loop ends.
    void close();

    runners::RunnerGroup& group() { return group_; }
    /// This machine; null: it was not added yet.
    runners::Runner* machine() const { return places_.empty() ? nullptr : places_.front()->runner.get(); }
    /// Something can be started.
    bool isAccepting() const { return machine() && machine()->isAccepting(); }

private:
    struct Place {
        std::unique_ptr<runners::Runner> runner;
        std::unique_ptr<coro::FdWatch> watch;
        bool wasAccepting = true;
    };
    coro::Task<void> hear(std::size_t at);
    void lookAt(std::size_t at);

    Parts parts_;
    runners::RunnerGroup group_;
    std::vector<std::unique_ptr<Place>> places_;
    OwnerCheck owner_;
};

} // namespace yard::engine
