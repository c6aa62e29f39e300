// An attempt from the session's Start to its record, by itself: no launcher, no journal, no disk.
#include "core/session/action_commands.h"
#include "core/session/intake.h"
#include "tests/engine/execution_bench.h"

#include <QTest>

#include <memory>
#include <string>
#include <utility>

using namespace yard;
using namespace yard::engine;
using engine::test::ExecutionBench;

namespace {

using Phase = Attempt::Phase;

/// Of one machine with so many cores.
class Bench : public ExecutionBench {
public:
    explicit Bench(unsigned cores = 1, int ahead = 0)
        : ExecutionBench({cores}, ahead) {}
};

} // namespace

class TestExecution : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- from the start to the end

    void whatNeedsNoDirectoryGoesToTheRunnerAtOnce() {
        Bench b;
        const Lsn lsn = b.start();
        QCOMPARE(b.attempt(lsn)->phase, Phase::Launched);
        QCOMPARE(b.runner().out.at({lsn, 1}).lease.argv, std::vector<std::string>{"true"});
        QVERIFY(b.files.log.empty());
        b.runner().begin(lsn.value);
        b.turn();
        QCOMPARE(b.state(lsn), std::optional(ActionState::Running));
        b.runner().exit(lsn.value);
        b.turn();
        QCOMPARE(b.takeEnds(), "1 completed");
        QCOMPARE(b.spans.size(), std::size_t{1});
    }

    void itsRecordIsThereUntilTheJournalHasIt() {
        Bench b;
        const Lsn lsn = b.start();
        b.runner().begin(lsn.value);
        b.runner().exit(lsn.value, 3);
        b.turn();
        QVERIFY(b.attempt(lsn));
        QVERIFY(b.runner().acknowledged.empty());
        b.store();
        QVERIFY(!b.attempt(lsn));
        QCOMPARE(b.runner().acknowledged, (std::vector{runners::AttemptId{lsn, 1}}));
    }

    void aSpecThatIsNotAtHandIsFetched() {
        Bench b;
        const Lsn lsn = b.machine.submit(1);
        b.turn();
        QCOMPARE(b.fetched, std::vector{lsn});
        QVERIFY(b.runner().taken.empty());
        auto spec = std::make_shared<ActionSpec>();
        spec->worker = "exec";
        spec->argv = {"true"};
        spec->cwd = "/";
        std::vector<store::FetchedSpec> specs(1);
        specs.front().lsn = lsn;
        specs.front().spec = spec;
        b.execution.specsArrived(std::move(specs));
        QCOMPARE(b.runner().taken.size(), std::size_t{1});
    }

    void whatCannotBeReadDoesNotStart() {
        Bench b;
        const Lsn lsn = b.machine.submit(1);
        b.turn();
        std::vector<store::FetchedSpec> specs(1);
        specs.front().lsn = lsn;
        specs.front().error = "it is damaged";
        b.execution.specsArrived(std::move(specs));
        b.turn();
        QVERIFY(b.takeEnds().starts_with("1 retry failed spawn_error"));
    }

    // --- directories

    void aDirectoryIsMadeBeforeTheStart() {
        Bench b;
        b.files.made.clear();
        const Lsn lsn = b.start(true);
        QCOMPARE(b.attempt(lsn)->phase, Phase::Preparing);
        QVERIFY(b.runner().taken.empty());
        b.files.made.set();
        b.turn();
        QCOMPARE(b.runner().out.at({lsn, 1}).lease.argv, std::vector<std::string>{"made"});
        b.runner().begin(lsn.value);
        b.runner().exit(lsn.value);
        b.turn();
        QCOMPARE(b.files.log, (std::vector<std::string>{"prepare 1", "collect 1"}));
        QCOMPARE(b.takeEnds(), "1 completed");
    }

    void withoutItsDirectoryItDoesNotStart() {
        Bench b;
        b.files.refusal = fail(ErrorKind::Io, "the disk is full").error();
        b.start(true);
        QVERIFY(b.runner().taken.empty());
        QVERIFY(b.takeEnds().starts_with("1 retry failed spawn_error"));
        QCOMPARE(b.slots.processes(), std::size_t{0});
    }

    void whatIsStoppedMeanwhileIsGivenUp() {
        Bench b;
        b.files.made.clear();
        const Lsn lsn = b.start(true);
        QVERIFY(b.machine.session.actions().cancel(lsn, b.machine.out));
        b.turn();
        b.files.made.set();
        b.turn();
        QVERIFY(b.runner().taken.empty());
        QCOMPARE(b.files.log.back(), "discard 1");
        QCOMPARE(b.takeEnds(), "1 cancelled cancelled");
        QCOMPARE(b.slots.processes(), std::size_t{0});
    }

    void othersHaveTheSlotWhileOutputsAreKept() {
        Bench b;
        const Lsn first = b.start(true);
        b.runner().begin(first.value);
        b.files.kept.clear();
        b.runner().exit(first.value);
        b.turn();
        QCOMPARE(b.attempt(first)->phase, Phase::Collecting);
        QCOMPARE(b.state(first), std::optional(ActionState::Running));
        const Lsn second = b.start();
        QVERIFY(b.runner().out.contains({second, 1}));
        b.files.kept.set();
        b.turn();
        QCOMPARE(b.takeEnds(), "1 completed");
    }

    // --- taken back, given back

    void whatComesBackIsStartedAnewAndNotCounted() {
        Bench b;
        const Lsn lsn = b.start();
        b.runner().giveBack(lsn.value);
        b.turn();
        QCOMPARE(b.runner().taken, (std::vector{runners::AttemptId{lsn, 1}, runners::AttemptId{lsn, 1}}));
        QCOMPARE(b.takeEnds(), "");
        QCOMPARE(b.attempts.size(), std::size_t{1});
    }

    void whatWaitsBehindALongOneIsAskedBack() {
        Bench b(2, 1);
        const Lsn quick = b.start(); // only where they are short others are let out ahead
        b.runner().begin(quick.value);
        b.runner().exit(quick.value);
        b.turn();
        b.store();
        std::vector<Lsn> lsns;
        for (int i = 0; i < 3; ++i) lsns.push_back(b.submit());
        b.turn();
        QCOMPARE(b.runner().out.size(), std::size_t{3}); // one ahead
        b.runner().begin(lsns[0].value);
        b.runner().begin(lsns[1].value);
        b.turn();
        const bool isBehindFirst = b.attempt(lsns[2])->slot == b.attempt(lsns[0])->slot;
        b.runner().exit(lsns[isBehindFirst ? 1 : 0].value);
        b.turn();
        b.machine.now += Duration{50'000};
        b.execution.balance();
        QCOMPARE(b.runner().askedBack, (std::vector{runners::AttemptId{lsns[2], 1}}));
        b.turn();
        QVERIFY(b.runner().out.contains({lsns[2], 1})); // in the other slot
    }

    // --- ended

    void whatRunsIsToldToEnd() {
        Bench b;
        const Lsn lsn = b.start();
        b.runner().begin(lsn.value);
        b.turn();
        QVERIFY(b.machine.session.actions().cancel(lsn, b.machine.out));
        b.turn();
        QCOMPARE(b.runner().toldToEnd, std::vector<std::string>{"1 cancelled"});
        QCOMPARE(b.takeEnds(), "1 cancelled cancelled");
    }

    void whatStandsStillSaysForHowLong() {
        Bench b;
        const Lsn lsn = b.start();
        b.runner().begin(lsn.value);
        b.turn();
        b.execution.setFrozen({lsn, 1}, true);
        b.execution.setFrozen({lsn, 1}, true); // it was told so already
        QCOMPARE(b.runner().frozen, std::vector<std::string>{"1 on"});
        QVERIFY(b.attempt(lsn)->toFreeze && !b.attempt(lsn)->frozenAt);
        const MonoTime since = MonoClock::now();
        b.runner().standStill(lsn.value, true, since);
        b.turn();
        QCOMPARE(b.attempt(lsn)->frozenAt, std::optional(since));
        QCOMPARE(b.attempt(lsn)->frozenUntil(since + Duration(7)), Duration(7));
        b.execution.setFrozen({lsn, 1}, false);
        b.runner().standStill(lsn.value, false, since + Duration(10));
        b.turn();
        QVERIFY(!b.attempt(lsn)->frozenAt);
        QCOMPARE(b.attempt(lsn)->record.times.frozen, 10);
        // Once more, and its runner is lost before it goes on.
        b.execution.setFrozen({lsn, 1}, true);
        b.runner().standStill(lsn.value, true, since);
        b.turn();
        b.runner().end(lsn.value, runners::EndCause::LostRunner);
        b.turn();
        QVERIFY(b.attempt(lsn)->record.times.frozen >= 10);
        QVERIFY(!b.attempt(lsn)->frozenAt);
        QCOMPARE(b.runner().frozen, (std::vector<std::string>{"1 on", "1 off", "1 on"}));
        b.execution.setFrozen({lsn, 1}, false); // nothing is out any more
        b.execution.setFrozen({Lsn(99), 1}, true);
        QCOMPARE(b.runner().frozen.size(), std::size_t{3});
    }

    void whatTheEngineEndsForALimitSaysSo() {
        Bench b;
        const Lsn lsn = b.start();
        b.runner().begin(lsn.value);
        b.turn();
        Attempt* attempt = b.attempts.latest(lsn);
        attempt->isOverMemory = true;
        b.execution.tellToEnd(*attempt, runners::StopCause::Limit, Duration::zero());
        b.turn();
        QVERIFY(b.takeEnds().contains("failed memory"));
    }

    void whatTheLastEngineHadOutEndsAsInterrupted() {
        Bench b;
        session::NewAction action;
        action.lsn = Lsn(++b.machine.lsn);
        action.queue = QueueId(1);
        action.interrupted = true;
        b.execution.restoreInterrupted({.id = {action.lsn, 1}, .queue = action.queue, .cls = action.cls}, b.scale);
        b.machine.session.intake().add({&action, 1}, b.machine.now, b.machine.out);
        b.turn();
        QCOMPARE(b.takeEnds(), "1 retry abandoned engine_died");
        b.store();
        QVERIFY(!b.attempt(action.lsn) || b.attempt(action.lsn)->id.attempt == 2);
    }

    // --- on another machine

    void memoryIsBoundedThereByWhatWasAskedForAsHere() {
        constexpr std::int64_t kMiB = 1 << 20;
        Bench b;
        const auto limitOf = [&b](const std::string& workerId, const std::string& json) {
            ClassKey key;
            key.workerId = key.workerName = workerId;
            key.resources.memoryMb = 96; // as its kind was before
            Attempt attempt;
            attempt.cls = session::ClassId(b.dictionary.internClass(key).id);
            const auto parsed = parseAction(json);
            if (!parsed) qFatal("%s", parsed.error().message.c_str());
            attempt.spec = parsed->spec;
            return b.leases.memoryLimitElsewhere(attempt);
        };
        const auto command = [&](const std::string& more) {
            return limitOf("exec", R"({"worker":"exec","argv":["true"])" + more + "}");
        };
        QCOMPARE(command(R"(,"sandbox":true,"resources":{"memory_mb":64})"), 64 * kMiB);
        QCOMPARE(command(R"(,"sandbox":true,"resources":{"memory_mb":"learned"})"), std::int64_t{0});
        QCOMPARE(command(R"(,"resources":{"memory_mb":64})"),
                 std::int64_t{0}); // nothing holds it to that here either
        auto descriptor = std::make_shared<WorkerDescriptor>();
        descriptor->name = "cook";
        descriptor->resources.memoryMb = 32;
        const std::string id(64, 'a');
        b.workers.add({.id = id, .canonical = {}, .descriptor = std::move(descriptor)});
        const std::string action = R"({"worker":"cook","function":"f","resources":{"memory_mb":8}})";
        QCOMPARE(limitOf(id, action), 32 * kMiB);
        QCOMPARE(limitOf(std::string(64, 'b'), action), std::int64_t{0}); // it was removed
    }

    // --- who watches

    void aStreamIsFollowedWhileItsAttemptIsThere() {
        Bench b;
        const Lsn lsn = b.start();
        const auto live = b.execution.follow(lsn, 0, 0);
        QVERIFY(live);
        QVERIFY(live->streams[0].watched);
        QVERIFY(!b.execution.follow(lsn, 2, 0)); // there is no such attempt
        b.runner().begin(lsn.value);
        b.runner().exit(lsn.value);
        b.turn();
        QVERIFY(!live->ended);
        b.store();
        QVERIFY(live->ended);
        QVERIFY(!b.execution.follow(lsn, 0, 0));
    }
};

QTEST_GUILESS_MAIN(TestExecution)
#include "tst_execution.moc"
