// Hooks: programs of a folder, and plugins, which are told what happens to objects, actors and the orchestrator
// (docs/objects.md). Carries out what lifecycle::HookQueue decides: a program is a lease of the local runner in a slot
// of its own kind, with its JSON in a memory file as stdin; a plugin is called on its thread.
//
// Owner: engine thread. Lifetime: before Objects, which tells it what happens; it reaches the runner through functions.
// Bounds: those of the queue; kLimit for each run; 64 KiB of an answer. What is over a bound is a run that failed. A
// plugin that takes longer than kLimit goes on, and is told nothing else meanwhile; who asked it is refused.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/owner.h"
#include "core/coro/one_shot.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/objects/hook_folder.h"
#include "core/engine/objects/plugin.h"
#include "core/lease/runner.h"
#include "core/lifecycle/hook_queue.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace yard::engine {

class Hooks {
public:
    static constexpr Duration kLimit = std::chrono::seconds(5);
    static constexpr Duration kRest = std::chrono::seconds(30);
    static constexpr Duration kReadPause = std::chrono::seconds(1);
    struct Parts {
        HookFolder folder{};
        std::vector<std::unique_ptr<Plugin>> plugins{};
        std::uint32_t firstSlot = 0;
        std::size_t slots = 0;
        std::function<void(runners::Lease)> submit;
        std::function<void(SlotId, runners::AttemptId)> acknowledge;
        /// Null: it runs without one. WrongState: it cannot be made.
        std::function<Result<std::shared_ptr<const sandbox::Plan>>(const HookFile&, SlotId)> sandboxOf;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<MonoTime()> now;
        /// The folder as it is now, read elsewhere. Empty: it stays as it was.
        std::function<coro::Task<Result<HookFolder>>()> readFolder{};
    };
    explicit Hooks(Parts parts);

    bool wants(lifecycle::HookPoint point) const {
        if (!used_.isSet()) used_.set();
        return queue_.wants(point);
    }
    bool wants(const lifecycle::HookEvent& event) const { return queue_.wants(event); }
    /// Reads the folder again and again: a second after something happened, else each kRest. One that cannot be used any
    /// more has its programs fail, so that nothing is let in that they guard, until it can.
    coro::Task<void> watch();
    void take(Result<HookFolder> folder);
    /// Tells it to those that observe, later.
    void fire(const lifecycle::HookEvent& event);
    /// Asks all that want it, one after another: each sees what the one before made of the fields. The fields of the
    /// object, as they are then, or the refusal: Invalid with the sentence of a hook; NotAccepting: one failed; Busy.
    coro::Task<Result<std::string>> clean(lifecycle::Type type, lifecycle::HookEvent event);
    void updates(std::vector<runners::Update> batch);
    std::vector<lifecycle::HookFigures> figures() const { return queue_.figures(); }

    /// What waits is told nothing more, but that this is the end.
    void stop();
    bool isBusy() const { return !queue_.isIdle(); }
    /// Plugins are closed. After the engine's thread has ended. Blocks, kLimit for each at most.
    void close();

private:
    struct Answer {
        int code = 0;
        std::string text{};    ///< what it said
        std::string failure{}; ///< a sentence; empty: it ended by itself, with `code`
    };
    /// A run, once what it asks is on its way.
    struct Begun {
        lifecycle::HookRunNumber number = 0;
        std::size_t target = 0;
        bool isAsked = false;
        MonoTime since{};
    };
    struct Running {
        Begun run{};
        SlotId slot{};
    };

    void goOn();
    void begin(lifecycle::HookRun run);
    void beginProgram(lifecycle::HookRun run);
    Result<runners::Lease> leaseOf(const lifecycle::HookRun& run, SlotId slot) const;
    coro::Task<void> runPlugin(lifecycle::HookRun run);
    coro::Task<Result<Answer>> ask(std::size_t target, lifecycle::HookEvent event);
    coro::Task<void> failToBegin(Begun run, std::string why);
    void ended(const Begun& run, Answer answer);
    void warnOnce(std::size_t target, std::string_view why);
    void tell(lifecycle::HookRunNumber run, Answer answer);
    static Answer answerOf(const runners::Ended& ended);

    Parts parts_;
    lifecycle::HookQueue queue_;
    std::vector<SlotId> free_;
    std::map<std::int64_t, Running> running_; ///< programs, by the numbers of their leases
    std::map<lifecycle::HookRunNumber, coro::Promise<Answer>> asked_;
    std::set<std::size_t> failing_; ///< the log has said so, and it has not succeeded since
    std::int64_t last_ = runners::kFirstHookLsn;
    std::string problem_{};      ///< why the folder cannot be used; empty: it can
    mutable coro::Event used_{}; ///< something happened since it was read
    bool isStopped_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
