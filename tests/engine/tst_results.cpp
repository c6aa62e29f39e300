// Results on their way by themselves: no launcher, the journal acknowledges when a test says so.
#include "core/engine/commands/results.h"

#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/live_views.h"
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <memory>
#include <vector>

using namespace yard;
using namespace yard::engine;
using engine::test::kSecond;

namespace {

class Bench : public engine::test::ListingBench {
public:
    Predecessors predecessors{
        {.session = machine.session, .endedOtherwise = [](Lsn, Lsn, Lsn) { return noEnds(); }}};
    SpecCache specs;
    UnkeptValues unkept;
    EngineCounters counters;
    // what went to the journal, and what it says
    std::vector<store::Retry> retries;
    std::vector<store::Finish> finishes;
    std::vector<bool> hurries; ///< of each finish
    std::vector<store::FinishMany> many;
    std::vector<ResultAck> acks;
    std::size_t outstanding = 0;
    std::vector<Lsn> stored; ///< ends that Execution was told of
    int finished = 0;
    int ran = 0;
    Results results{{.session = machine.session,
                     .outbox = machine.out,
                     .rows = rows,
                     .queues = queues,
                     .predecessors = predecessors,
                     .specs = specs,
                     .unkept = unkept,
                     .counters = counters,
                     .scale = scale,
                     .journal = {.retry = [this](store::Retry row) { retries.push_back(std::move(row)); },
                                 .finish =
                                     [this](store::Finish row, bool isWaitedFor) {
                                         finishes.push_back(std::move(row));
                                         hurries.push_back(isWaitedFor);
                                     },
                                 .finishMany = [this](store::FinishMany rows) { many.push_back(std::move(rows)); },
                                 .takeAcks = [this] { return std::exchange(acks, {}); },
                                 .outstanding = [this] { return outstanding; }},
                     .attempts = {.find = [this](Lsn lsn) { return attempt(lsn); },
                                  .record = [this](runners::AttemptId id, ActionState state, Reason, bool,
                                                   auto&) { return record(id, state); },
                                  .stored = [this](Lsn lsn, std::uint32_t) { stored.push_back(lsn); },
                                  .inFlight = [this] { return attempts.size(); },
                                  .markUrgent = [](Lsn) {}},
                     .ran = [this](const Attempt&, const AttemptRecord&, const session::LiveView&) { ++ran; },
                     .finished = [this] { ++finished; },
                     .acked = [] {},
                     .now = [this] { return machine.now; }}};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes

    /// Its program exited with 0, and that is on its way to the journal.
    void complete(Lsn lsn) {
        machine.session.events().ended(lsn, 1, machine.completed(), machine.now, machine.out);
        results.postFinishes(std::exchange(machine.out.finish, {}));
    }
    /// The journal has what was posted of it last.
    void acknowledge(Lsn lsn, ActionState state = ActionState::Completed, bool ok = true) {
        ResultAck ack;
        ack.lsn = lsn;
        ack.ok = ok;
        ack.state = state;
        acks.push_back(ack);
        results.takeAcks();
        rig.settle();
    }
    std::uint64_t count(ActionState state, Reason reason = Reason::None) const {
        return counters.finished[std::to_underlying(state)][std::to_underlying(reason)];
    }
    static session::Finish cancelled(std::int64_t lsn) {
        session::Finish finish;
        finish.lsn = Lsn(lsn);
        finish.state = ActionState::Cancelled;
        finish.reason = Reason::Cancelled;
        return finish;
    }
    coro::Task<bool> room() {
        co_await results.room();
        co_return true;
    }

private:
    static coro::Task<Result<store::Reader::Otherwise>> noEnds() { co_return store::Reader::Otherwise{}; }
    AttemptRecord record(runners::AttemptId id, ActionState state) const {
        AttemptRecord record;
        record.n = id.attempt;
        record.outcome.state = state;
        record.times[state] = scale.at(machine.now);
        return record;
    }
};

} // namespace

class TestResults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- one end

    void anEndCountsOnceTheJournalHasIt() {
        Bench b;
        const Lsn lsn = b.keep(b.run());
        b.complete(lsn);
        QCOMPARE(b.finishes.size(), std::size_t{1});
        QCOMPARE(b.finishes.front().attempt->n, std::uint32_t{1});
        QCOMPARE(b.finishes.front().tEnd, b.scale.at(b.machine.now));
        QVERIFY(b.machine.session.views().live(lsn).has_value());
        QCOMPARE(b.count(ActionState::Completed), std::uint64_t{0});
        b.acknowledge(lsn);
        QVERIFY(!b.machine.session.views().live(lsn).has_value());
        QCOMPARE(b.count(ActionState::Completed), std::uint64_t{1});
        QCOMPARE(b.stored, std::vector{lsn});
        QCOMPARE(b.finished, 1);
    }

    void anEndThatCouldNotBeWrittenIsNone() {
        Bench b;
        const Lsn lsn = b.keep(b.run());
        const auto answer = b.rig.begin(b.results.waitFor(lsn, kSecond));
        b.complete(lsn);
        b.acknowledge(lsn, ActionState::Completed, false);
        QVERIFY(b.machine.session.views().live(lsn).has_value());
        QVERIFY(!answer->has_value());
        QCOMPARE(b.count(ActionState::Completed), std::uint64_t{0});
        QVERIFY(b.stored.empty());
    }

    void whatFailedForAnotherSaysForWhichOne() {
        Bench b;
        session::Finish finish = b.cancelled(1);
        finish.state = ActionState::Failed;
        finish.reason = Reason::DependencyFailed;
        finish.because = {.lsn = Lsn(7)};
        finish.because.state = ActionState::Cancelled;
        b.results.postFinishes({finish});
        QCOMPARE(b.finishes.front().note, "it waited for action 7 to be completed, and that one is cancelled");
    }

    // --- another attempt

    void anAttemptThatIsFollowedByAnotherIsKeptAsSuch() {
        Bench b;
        const Lsn lsn = b.run();
        session::Retry retry;
        retry.lsn = lsn;
        retry.endedAttempt = 1;
        retry.state = ActionState::Failed;
        retry.reason = Reason::ExitCode;
        retry.retries.retryCount = 1;
        retry.notBefore = b.machine.now + 5 * kSecond;
        b.machine.now += kSecond;
        b.results.postRetry(retry);
        QCOMPARE(b.retries.size(), std::size_t{1});
        QCOMPARE(b.retries.front().retryCount, std::uint32_t{1});
        QCOMPARE(b.retries.front().notBefore, b.scale.at(retry.notBefore));
        QCOMPARE(b.rows.pendingSince(*b.machine.session.views().live(lsn)), b.scale.at(b.machine.now));
    }

    // --- many

    void manyThatEndAlikeWithoutAnAttemptAreOneOperation() {
        Bench b;
        std::vector<session::Finish> finishes;
        for (const int lsn : {1, 2, 3, 7}) finishes.push_back(b.cancelled(lsn));
        finishes.push_back(b.cancelled(8));
        finishes.back().state = ActionState::Abandoned;
        finishes.back().reason = Reason::Abandoned;
        b.results.postFinishes(finishes);
        QCOMPARE(b.many.size(), std::size_t{1});
        QCOMPARE(b.many.front().runs.size(), std::size_t{2});
        QCOMPARE(b.many.front().runs.front().count, std::int64_t{3});
        QCOMPARE(b.many.front().state, ActionState::Cancelled);
        QCOMPARE(b.finishes.size(), std::size_t{1}); // the other one
        QCOMPARE(b.finishes.front().lsn, Lsn(8));
    }

    void oneOperationEndsAThousandAtMost() {
        Bench b;
        std::vector<session::Finish> finishes;
        for (int lsn = 1; lsn <= 1'500; ++lsn) finishes.push_back(b.cancelled(lsn));
        b.results.postFinishes(finishes);
        QCOMPARE(b.many.size(), std::size_t{2});
        QCOMPARE(b.many[0].runs.front().count, std::int64_t{1'000});
        QCOMPARE(b.many[1].runs.front().count, std::int64_t{500});
    }

    void oneAcknowledgementOfManyIsThatOfEach() {
        Bench b;
        const Lsn first = b.submit(true);
        const Lsn second = b.submit(true);
        for (const Lsn lsn : {first, second}) QVERIFY(b.machine.session.actions().cancel(lsn, b.machine.out));
        b.results.postFinishes(std::exchange(b.machine.out.finish, {}));
        QCOMPARE(b.many.size(), std::size_t{1});
        ResultAck ack;
        ack.lsn = first;
        ack.state = ActionState::Cancelled;
        ack.reason = Reason::Cancelled;
        ack.more = b.many.front().runs;
        b.acks.push_back(ack);
        b.results.takeAcks();
        QCOMPARE(b.count(ActionState::Cancelled, Reason::Cancelled), std::uint64_t{2});
        QVERIFY(!b.machine.session.views().live(first) && !b.machine.session.views().live(second));
    }

    void largeOperationsWaitUntilThereIsRoom() {
        Bench b;
        b.outstanding = Results::kAhead;
        const auto has = b.rig.begin(b.room());
        QVERIFY(!has->has_value());
        const Lsn lsn = b.keep(b.run());
        b.complete(lsn);
        b.acknowledge(lsn);
        QVERIFY(!has->has_value()); // others came
        b.outstanding = Results::kAhead - 1;
        const Lsn next = b.keep(b.run());
        b.complete(next);
        b.acknowledge(next);
        QVERIFY(has->has_value());
    }

    // --- who waits

    void whoWaitsGetsWhatIsKeptWithoutReadingIt() {
        Bench b;
        const Lsn lsn = b.keep(b.run());
        b.attempts.at(lsn).spec = std::make_shared<const ActionSpec>();
        const auto answer = b.rig.begin(b.results.waitFor(lsn, 60 * kSecond));
        b.complete(lsn);
        QVERIFY(b.hurries.front());
        b.rig.settle();
        QVERIFY(!answer->has_value());
        b.acknowledge(lsn);
        QVERIFY(answer->has_value());
        QCOMPARE((**answer)->state, ActionState::Completed);
        QCOMPARE(b.journal.reads, 0);
    }

    void nobodyWaitsLongerThanHeAskedFor() {
        Bench b;
        const Lsn lsn = b.keep(b.run());
        const auto answer = b.rig.begin(b.results.waitFor(lsn, kSecond));
        b.rig.advance(kSecond);
        QVERIFY(answer->has_value());
        QCOMPARE((**answer)->state, ActionState::Running);
        b.complete(lsn);
        QVERIFY(!b.hurries.front()); // he is gone
    }

    void ofOneThatHasEndedNobodyWaits() {
        Bench b;
        const Lsn lsn = b.ended();
        QCOMPARE(b.rig.ask(b.results.waitFor(lsn, 60 * kSecond))->state, ActionState::Completed);
        QCOMPARE(b.rig.ask(b.results.waitFor(Lsn(99), 60 * kSecond)).error().kind, ErrorKind::NotFound);
    }
};

QTEST_GUILESS_MAIN(TestResults)
#include "tst_results.moc"
