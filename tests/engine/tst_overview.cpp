// The engine as a whole, and the moves of its session, by themselves: no launcher, no journal, figures are what a test
// says.
#include "core/engine/commands/session_moves.h"
#include "core/engine/reading/overview.h"

#include "core/session/events.h"
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <algorithm>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

class Bench : public engine::test::ListingBench {
public:
    Committer committer{rig.loop, [] {}};
    AttemptTable inFlight;
    SpecCache specs;
    EngineCounters counters;
    SessionView::Guard guard;
    std::string descriptors; ///< why nothing starts for their sake
    std::optional<CloudView> cloud;
    Overview overview{
        {.session = machine.session,
         .queues = queues,
         .committer = committer,
         .attempts = inFlight,
         .specs = specs,
         .changes = changes,
         .helpers = helpers,
         .loop = rig.loop,
         .counters = counters,
         .constants = {.engineId = "e1",
                       .runId = "r1",
                       .machineName = "here",
                       .capacity = 3,
                       .total = {.milliCores = 3000, .memoryMb = 512, .named = {{"gpus", 2500}}},
                       .sandbox = std::make_shared<SessionView::Sandbox>()},
         .slots = [] { return SessionView::Slots{.oneCore = 3, .other = 16, .warm = 6, .why = "few files"}; },
         .guard = [this] { return guard; },
         .descriptors = [this] { return descriptors; },
         .itself = [] { return SessionView::EngineUsage{.cpuPercent = 12.5, .rssBytes = 7}; },
         .cloud = [this] { return cloud; },
         .findings = [] { return std::vector<std::string>{"a strange file"}; },
         .store = [] { return store::Store::Stats{}; },
         .hung = [] { return std::uint64_t{4}; },
         .warm = [] { return nullptr; }}};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes
    SessionView session() { return rig.ask(overview.session()); }
    MetricsView metrics() { return rig.ask(overview.metrics()); }
    void journalSays(bool writable, std::string failure) {
        store::Acks acks;
        acks.writable = writable;
        acks.failure = std::move(failure);
        committer.deliver(std::move(acks));
        rig.settle();
    }
};

/// A session that is ready, and what it told.
class Moves {
public:
    coro::test::Rig rig;
    session::test::Machine machine{1};
    int changes = 0;
    int wakes = 0;
    SessionMoves moves{{.session = machine.session,
                        .outbox = machine.out,
                        .sunset = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
                        .changed = [this] { ++changes; },
                        .wake = [this] { ++wakes; }}};

    Result<void> moveTo(SessionState to) { return rig.ask(moves.moveTo(to)); }
    bool isSunsetAsked() const {
        pollfd fd{.fd = moves.sunsetFd(), .events = POLLIN, .revents = 0};
        return ::poll(&fd, 1, 0) == 1;
    }
};

std::int64_t count(const SessionView& view, ActionState state) {
    return view.counts[std::to_underlying(state)];
}

} // namespace

class TestOverview : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsBeingSubmittedDoesNotRunYet() {
        Bench bench;
        const Lsn lsn = bench.machine.submit();
        bench.machine.submit();
        bench.machine.schedule();
        bench.machine.session.events().submitting(lsn, 1, bench.machine.out);
        SessionView view = bench.session();
        QCOMPARE(count(view, ActionState::Submitting), 1);
        QCOMPARE(count(view, ActionState::Running), 0);
        QCOMPARE(count(view, ActionState::Pending), 1);
        bench.machine.session.events().running(lsn, 1, bench.machine.out);
        view = bench.session();
        QCOMPARE(count(view, ActionState::Submitting), 0);
        QCOMPARE(count(view, ActionState::Running), 1);
    }
    void whatIsHeldByItselfIsPartOfWhatIsPending() {
        Bench bench;
        bench.machine.submit();
        bench.machine.submit(0, 0, 0, true);
        const SessionView view = bench.session();
        QCOMPARE(count(view, ActionState::Pending), 2);
        QCOMPARE(view.held, 1);
        QCOMPARE(bench.metrics().held, 1);
    }
    void theCloudIsShownWhereThereIsOne() {
        Bench bench;
        QVERIFY(!bench.session().cloud);
        bench.cloud =
            CloudView{.provider = "gcp", .instance = "7", .type = {}, .region = {}, .isSpot = false, .notice = {}};
        QCOMPARE(bench.session().cloud->provider, std::string("gcp"));
    }
    void whatItWasOpenedWithIsShown() {
        Bench bench;
        const SessionView view = bench.session();
        QCOMPARE(view.engineId, "e1");
        QCOMPARE(view.runId, "r1");
        QCOMPARE(view.machineName, "here");
        QCOMPARE(view.capacity, 3);
        QCOMPARE(view.total.memoryMb, std::int64_t{512});
        QCOMPARE(view.gpus, 2.5);
        QCOMPARE(view.slots.warm, 6);
        QCOMPARE(view.slots.why, "few files");
        QCOMPARE(view.itself.rssBytes, std::int64_t{7});
        QVERIFY(view.sandbox);
    }
    void whatTheJanitorDidIsCountedAndWhatItFoundIsNamed() {
        Bench bench;
        bench.counters.orphansReaped = 4;
        bench.counters.staleLocks = 1;
        const SessionView view = bench.session();
        QCOMPARE(view.janitor.reaped, std::uint64_t{4});
        QCOMPARE(view.janitor.staleLocks, std::uint64_t{1});
        QCOMPARE(view.janitor.findings, std::vector<std::string>{"a strange file"});
    }
    void whyNothingStartsIsTheGuardsReasonUnlessTheJournalCannotBeWritten() {
        Bench bench;
        QCOMPARE(bench.session().why, "");
        bench.descriptors = "few files can be opened";
        QCOMPARE(bench.session().why, "few files can be opened");
        bench.guard.holding = true;
        bench.guard.reason = "memory is short";
        QCOMPARE(bench.session().why, "memory is short");
        bench.journalSays(false, "the disk is full");
        QVERIFY(!bench.session().journalWritable);
        QCOMPARE(bench.session().why, "the disk is full");
        bench.journalSays(true, "");
        QVERIFY(bench.session().journalWritable);
        QCOMPARE(bench.session().why, "memory is short");
    }
    void figuresHaveTheDepthOfEachQueue() {
        Bench bench;
        bench.machine.addQueue(2);
        const Lsn lsn = bench.machine.submit(2);
        bench.machine.submit(2);
        bench.machine.schedule(); // there is room for one
        const MetricsView view = bench.metrics();
        const auto depth = std::ranges::find(view.queues, QueueId(2), &QueueDepth::id);
        QVERIFY(depth != view.queues.end());
        QCOMPARE(depth->pending, std::int64_t{2}); // one of them is handed out and has not begun
        bench.machine.session.events().running(lsn, 1, bench.machine.out);
        const MetricsView then = bench.metrics();
        const auto running = std::ranges::find(then.queues, QueueId(2), &QueueDepth::id);
        QCOMPARE(running->pending, std::int64_t{1});
        QCOMPARE(running->running, std::int64_t{1});
    }
    void figuresOfTheServicesAreGatheredAlsoWithoutAWarmRunner() {
        Bench bench;
        bench.counters.submitted = 9;
        bench.inFlight.add({Lsn(1), 1});
        const MetricsView view = bench.metrics();
        QCOMPARE(view.counters.submitted, std::uint64_t{9});
        QCOMPARE(view.hung, std::uint64_t{4});
        QCOMPARE(view.attemptsInFlight, std::uint64_t{1});
        QCOMPARE(view.poolProcesses, std::uint64_t{0});
        QCOMPARE(view.session.engineId, "e1");
    }

    void aMoveIsToldAndWakesThePump() {
        Moves moves;
        QVERIFY(moves.moveTo(SessionState::Paused));
        QCOMPARE(moves.machine.session.state(), SessionState::Paused);
        QCOMPARE(moves.changes, 1);
        QCOMPARE(moves.wakes, 1);
    }
    void aMoveThatTheTableForbidsIsRefusedAndNotTold() {
        Moves moves;
        const Result<void> refused = moves.moveTo(SessionState::Created);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::WrongState);
        QCOMPARE(moves.machine.session.state(), SessionState::Ready);
        QCOMPARE(moves.changes, 0);
    }
    void sunsetIsAskedOfWhoeverOwnsTheEngineAndMovesNothing() {
        Moves moves;
        QVERIFY(!moves.isSunsetAsked());
        QVERIFY(moves.moveTo(SessionState::Sunset));
        QVERIFY(moves.isSunsetAsked());
        QCOMPARE(moves.machine.session.state(), SessionState::Ready);
        QCOMPARE(moves.changes, 0);
        QVERIFY(moves.moveTo(SessionState::Sunset)); // asked twice is asked
        QVERIFY(moves.isSunsetAsked());
    }
};

QTEST_GUILESS_MAIN(TestOverview)
#include "tst_overview.moc"
