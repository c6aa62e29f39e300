// Estimates and reasons without launcher and journal: what runs is what a test says, the clock as well.
#pragma once

#include "core/engine/reading/estimates.h"
#include "core/engine/reading/reasons.h"

#include "core/session/events.h"
#include "core/session/live_views.h"
#include "tests/coro/coro_test.h"
#include "tests/session/machine.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine::test {

inline constexpr Duration kSecond{1'000'000};

class ForecastBench {
public:
    coro::test::Rig rig;
    session::test::Machine machine;
    InternTable dictionary;
    Estimator estimator;
    WallScale scale{.offset = 1'700'000'000'000'000};
    coro::HelperPool helpers{1};
    bool isHolding = false;
    std::map<Lsn, Attempt> attempts;
    std::map<Lsn, std::string> commands; ///< of the journal
    bool canRead = true;                 ///< it can be read
    int reads = 0;                       ///< questions for commands
    bool isStarting = false;
    CoreSlots slots{.all = 1, .busy = 0, .cores = 1, .limit = {}};
    std::optional<Wait> nothing;
    std::optional<runners::WarmWait> pool;
    std::vector<Wait> parents;
    LockWatch locks{{.session = machine.session,
                     .dictionary = dictionary,
                     .helpers = helpers,
                     .looks = {},
                     .self = {},
                     .startedAt = [](Lsn) { return WallMicros{0}; },
                     .wake = [] {}}};
    Estimates estimates{
        {.session = machine.session,
         .dictionary = dictionary,
         .estimator = estimator,
         .scale = scale,
         .attempt = [this](Lsn lsn) { return attempt(lsn); },
         .nothingStarts = [this] { return isHolding; },
         .commands = [this](std::vector<Lsn> lsns) { return commandsOf(std::move(lsns)); },
         .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
         .now = [this] { return machine.now; }}};
    Reasons reasons{{.session = machine.session,
                     .dictionary = dictionary,
                     .locks = locks,
                     .estimates = estimates,
                     .scale = scale,
                     .attempt = [this](Lsn lsn) { return attempt(lsn); },
                     .isStarting = [this](const Attempt&) { return isStarting; },
                     .slots = [this] { return slots; },
                     .nothingStarts = [this] { return nothing; },
                     .writesJournal = [] { return true; },
                     .poolWait = [this](const std::string&) { return pool; },
                     .holderName = [](session::HoldKey) { return std::string("worker w"); },
                     .foreignWords = [this](const std::string& worker) { return worker == "w" ? foreign : ""; },
                     .parents = [this](Lsn) { return parentsOf(); },
                     .stateOf = [](Lsn) { return completed(); },
                     .now = [this] { return machine.now; }}};
    std::string foreign;         ///< said of worker w
    InternTable::Interned cls{}; ///< of a worker's function: all of it are alike

    explicit ForecastBench(int cores = 1)
        : ForecastBench(std::make_unique<session::MachineCapacity>(
                            Resources{.milliCores = 1'000 * cores, .memoryMb = 1'000, .named = {}}),
                        cores) {}
    ForecastBench(std::unique_ptr<session::Capacity> machines, int cores)
        : machine(std::move(machines), {.slotCount = cores, .aheadPerSlot = 0}) {
        ClassKey key;
        key.workerId = "w";
        key.workerName = "sort";
        key.function = "f";
        key.resources.milliCores = 1'000;
        dictionary.internLabel("");
        cls = dictionary.internClass(key);
        machine.session.defineClass(session::ClassId(cls.id), key.resources);
        machine.addQueue(1);
    }
    ~ForecastBench() {
        rig.loop.shutdown();
        helpers.stop();
    }
    const Attempt* attempt(Lsn lsn) const {
        const auto at = attempts.find(lsn);
        return at == attempts.end() ? nullptr : &at->second;
    }
    coro::Task<Result<std::vector<std::string>>> commandsOf(std::vector<Lsn> lsns) {
        ++reads;
        if (!canRead) co_return fail(ErrorKind::Busy, "too many questions");
        std::vector<std::string> found;
        for (const Lsn lsn : lsns) found.push_back(commands[lsn]);
        co_return found;
    }
    coro::Task<Result<std::vector<Wait>>> parentsOf() { co_return parents; }
    static coro::Task<Result<ActionState>> completed() { co_return ActionState::Completed; }

    /// So long did actions of this worker take in queue 1.
    void usually(Duration took) { estimator.learn(QueueId(1), Estimator::kindOf("sort", "f", ""), took); }
    Lsn submit(bool held = false) { return machine.submit(1, 0, cls.id, held); }
    /// A class of commands that take so many cores.
    std::uint32_t wide(int cores) {
        ClassKey key;
        key.workerName = "exec";
        key.resources.milliCores = 1'000 * cores;
        const std::uint32_t id = dictionary.internClass(key).id;
        machine.session.defineClass(session::ClassId(id), key.resources);
        return id;
    }
    /// Its attempt is under way since now.
    Attempt& begin(Lsn lsn) {
        Attempt& attempt = attempts[lsn];
        attempt.scale = scale;
        attempt.record.times[ActionState::Submitting] = scale.at(machine.now);
        attempt.phase = Attempt::Phase::Launched;
        return attempt;
    }
    Lsn run() {
        const Lsn lsn = submit();
        if (machine.schedule() != 1) qFatal("did not start");
        begin(lsn);
        machine.session.events().running(lsn, machine.started.back().attempt, machine.out);
        return lsn;
    }
    QueueView queueView() {
        QueueView view;
        view.id = QueueId(1);
        estimates.ofQueue(view, *machine.session.views().queue(QueueId(1)));
        return view;
    }
    ActionResult row(Lsn lsn) {
        ActionResult result;
        result.lsn = lsn;
        if (const auto command = commands.find(lsn); command != commands.end()) result.command = command->second;
        const auto live = machine.session.views().live(lsn);
        result.state = live->state;
        if (result.state != ActionState::Pending) {
            result.times[ActionState::Submitting] = attempts[lsn].record.times[ActionState::Submitting];
            estimates.ofRunning(result, *live);
        } else {
            reasons.describe(result);
        }
        return result;
    }
    Why why(Lsn lsn) { return rig.ask(reasons.why(lsn)).value(); }
    /// Messages of all reasons.
    std::string words(Lsn lsn) {
        std::string text;
        for (const Wait& wait : why(lsn).waits) text += (text.empty() ? "" : "; ") + wait.message;
        return text;
    }
};

} // namespace yard::engine::test
