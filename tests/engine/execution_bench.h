// Attempts without launcher, journal and disk: runners and directories are what a test says, the clock as well.
#pragma once

#include "core/engine/running/execution.h"
#include "core/engine/running/runner_places.h"
#include "core/session/growing_capacity.h"

#include "core/session/events.h"
#include "core/session/live_views.h"
#include "tests/coro/coro_test.h"
#include "tests/engine/fake_runner.h"
#include "tests/session/machine.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine::test {

/// Directories that are there as soon as a test says so.
class FakeFiles final : public AttemptFiles {
public:
    std::optional<Error> refusal; ///< none can be made
    coro::Event made;             ///< set: they are made at once
    coro::Event kept;             ///< set: outputs are kept at once
    std::vector<std::string> log; ///< "prepare 1", "collect 1", "discard 1"
    AttemptTable& attempts;

    explicit FakeFiles(AttemptTable& table)
        : attempts(table) {
        made.set();
        kept.set();
    }
    coro::Task<Result<Workspace>> prepare(runners::AttemptId id) override {
        log.push_back("prepare " + std::to_string(id.lsn.value));
        co_await made.wait();
        if (refusal) co_return std::unexpected(*refusal);
        Workspace space;
        space.lease.emplace();
        space.lease->argv = {"made"};
        space.scratch.emplace();
        co_return space;
    }
    coro::Task<Collection> collect(runners::AttemptId id, runners::Ended,
                                   std::function<void()> takesLong) override {
        log.push_back("collect " + std::to_string(id.lsn.value));
        if (!kept.isSet()) takesLong();
        co_await kept.wait();
        Collection collection;
        if (Attempt* attempt = attempts.get(id)) {
            collection.outcome = attempt->record.outcome;
            attempt->scratch.reset();
        }
        co_return collection;
    }
    void discard(Attempt& attempt) override {
        if (!std::exchange(attempt.scratch, {})) return;
        log.push_back("discard " + std::to_string(attempt.id.lsn.value));
    }
};

class ExecutionBench {
public:
    coro::test::Rig rig;
    session::test::Machine machine;
    InternTable dictionary;
    WorkerRegistry workers;
    UnkeptValues unkept;
    SpecCache specs;
    EngineCounters counters;
    Estimator estimator;
    Waiters waiters;
    Settings settings;
    WallScale scale{.offset = 1'700'000'000'000'000};
    AttemptTable attempts;
    SlotBalancer slots{attempts};
    FakeFiles files{attempts};
    std::vector<Lsn> fetched; ///< specs that were asked for
    std::vector<timeline::Span> spans;
    std::string ends; ///< as the session decided: "1 completed, 2 retry lost_runner"
    bool woken = false;
    const std::vector<host::Gpu> gpus{};
    LeaseMaker leases{{.session = machine.session,
                       .dictionary = dictionary,
                       .workers = workers,
                       .unkept = unkept,
                       .settings = settings,
                       .gpus = gpus,
                       .warmGroup = [](const std::string&) { return std::nullopt; }}};
    Execution execution{
        {.session = machine.session,
         .outbox = machine.out,
         .attempts = attempts,
         .slots = slots,
         .leases = leases,
         .files = files,
         .dictionary = dictionary,
         .specs = specs,
         .counters = counters,
         .estimator = estimator,
         .waiters = waiters,
         .settings = settings,
         .loop = rig.loop,
         .fetchSpecs =
             [this](std::vector<Lsn> lsns) {
                 fetched.insert(fetched.end(), lsns.begin(), lsns.end());
                 return Result<void>{};
             },
         .spawn = [this](std::string name, coro::Task<void> task) { rig.spawn(std::move(name), std::move(task)); },
         .lockBusy = [](const runners::LockBusy&) {},
         .sentWarm = [] {},
         .started = [](const Attempt&) {},
         .machineName = [](session::MachineId) { return std::string(); },
         .wake = [this] { woken = true; },
         .tellSpan = [this](timeline::Span span) { spans.push_back(span); },
         .now = [this] { return machine.now; }}};
    RunnerPlaces places{
        {.loop = rig.loop,
         .session = machine.session,
         .slots = slots,
         .updates = [this](std::vector<runners::Update> batch) { execution.updates(std::move(batch)); },
         .wake = [this] { woken = true; }}};
    FakeRunner warm{1};
    std::vector<FakeRunner*> runners;

    /// A runner for each number of cores; behind those of the first one slot for what takes another amount, behind those of
    /// the others `others`. The first is "local" on "linux", the second "m1" on "windows".
    explicit ExecutionBench(std::vector<unsigned> cores, int ahead = 0, unsigned others = 0)
        : machine(machinesOf(cores, ahead, others), {.slotCount = sumOf(cores), .aheadPerSlot = ahead}) {
        dictionary.internLabel("");
        dictionary.internClass(ClassKey{});
        machine.addQueue(1);
        for (const unsigned some : cores) {
            const unsigned besides = runners.empty() ? 1 : others;
            auto runner = std::make_unique<FakeRunner>(some + besides, places.sink());
            runners.push_back(runner.get());
            places.add(std::move(runner), some, besides);
        }
        execution.attach(places.group(), warm);
        places.run();
        rig.settle();
    }
    ~ExecutionBench() {
        rig.loop.shutdown();
        places.close();
    }

    FakeRunner& runner(std::size_t at = 0) { return *runners[at]; }
    /// One that waits. `isInDirectory`: its own, else it needs none.
    Lsn submit(bool isInDirectory = false, std::uint32_t cls = 0) {
        const Lsn lsn = machine.submit(1, 0, cls);
        ActionSpec spec;
        spec.worker = "exec";
        spec.argv = {"true"};
        if (!isInDirectory) spec.cwd = "/";
        specs.put(lsn, std::make_shared<const ActionSpec>(std::move(spec)));
        return lsn;
    }
    /// The same, and it was handed out.
    Lsn start(bool isInDirectory = false) {
        const Lsn lsn = submit(isInDirectory);
        turn();
        return lsn;
    }
    /// Hears the runners, lets the session decide and carries it out, until nothing is left to do.
    void turn() {
        do {
            woken = false;
            rig.settle();
            if (places.isAccepting())
                while (machine.session.schedule(machine.now, machine.out)) {
                }
            carryOut();
            rig.settle();
        } while (woken || !machine.out.empty());
    }
    /// The journal has all that ended; what is to be tried again is.
    void store() {
        for (const auto& [lsn, attempt] : std::exchange(retries_, {})) {
            machine.session.events().retryStored(lsn, machine.out);
            execution.stored(lsn, attempt);
        }
        for (const auto& [lsn, attempt] : std::exchange(finishes_, {})) {
            machine.session.events().finishStored(lsn, machine.out);
            execution.stored(lsn, attempt);
        }
    }
    const Attempt* attempt(Lsn lsn) const { return std::as_const(attempts).latest(lsn); }
    std::optional<ActionState> state(Lsn lsn) const {
        const auto live = machine.session.views().live(lsn);
        return live ? std::optional(live->state) : std::nullopt;
    }
    std::string takeEnds() { return std::exchange(ends, {}); }

private:
    static int sumOf(const std::vector<unsigned>& cores) {
        unsigned sum = 0;
        for (const unsigned some : cores) sum += some;
        return static_cast<int>(sum);
    }
    static std::unique_ptr<session::Capacity> machinesOf(const std::vector<unsigned>& cores, int ahead,
                                                         unsigned others) {
        const auto machine = [&](std::size_t at) {
            fleet::Machine one;
            one.name = at == 0 ? "local" : "m" + std::to_string(at);
            one.platform = at == 0 ? "linux" : "windows";
            one.total = {.milliCores = std::int64_t{1000} * cores[at], .named = {}};
            one.slots = cores[at] * static_cast<unsigned>(1 + ahead);
            one.otherSlots = at == 0 ? 1 : others;
            return one;
        };
        if (cores.size() == 1) return std::make_unique<session::GrowingCapacity>(machine(0));
        auto machines = std::make_unique<session::FleetCapacity>(machine(0));
        for (std::size_t at = 1; at < cores.size(); ++at)
            machines->add(session::MachineId(static_cast<std::uint32_t>(at)), machine(at));
        return machines;
    }
    void carryOut() {
        session::Outbox now;
        std::swap(now, machine.out);
        execution.begin(now.start, scale);
        for (const session::TakeBack& what : now.takeBack) execution.takeBack(what);
        for (const session::Stop& what : now.stop) execution.stop(what);
        for (const session::Retry& retry : now.retry) {
            note(retry.lsn, "retry", retry.state, retry.reason, retry.endedAttempt, true);
            retries_.emplace_back(retry.lsn, retry.endedAttempt);
        }
        for (const session::Finish& finish : now.finish) {
            note(finish.lsn, "", finish.state, finish.reason, finish.attempt, false);
            finishes_.emplace_back(finish.lsn, finish.attempt);
        }
    }
    void note(Lsn lsn, const std::string& what, ActionState state, Reason reason, std::uint32_t attempt,
              bool retried) {
        std::vector<store::SmallChunk> chunks;
        const AttemptRecord record = execution.record({lsn, attempt}, state, reason, retried, chunks);
        ends += (ends.empty() ? "" : ", ") + std::to_string(lsn.value);
        if (!what.empty()) ends += " " + what;
        ends += " " + std::string(name(record.outcome.state));
        if (reason != Reason::None) ends += " " + std::string(name(reason));
    }

    std::vector<std::pair<Lsn, std::uint32_t>> retries_;
    std::vector<std::pair<Lsn, std::uint32_t>> finishes_;
};

} // namespace yard::engine::test
