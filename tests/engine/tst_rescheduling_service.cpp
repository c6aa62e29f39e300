// Running actions again by itself: no launcher, the journal is in memory and answers at once.
#include "core/engine/commands/rescheduling.h"

#include "core/session/live_views.h"
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;
using engine::test::kSecond;

namespace {

class Bench : public engine::test::ListingBench {
public:
    Predecessors predecessors{
        {.session = machine.session, .endedOtherwise = [](Lsn, Lsn, Lsn) { return noEnds(); }}};
    InFlightSubmissions entered;
    std::map<Lsn, PostedToWait> posted;             ///< what actions were posted to wait for
    std::map<Lsn, std::vector<FailedChild>> failed; ///< by what they failed for
    std::optional<Error> failedUnknown;             ///< cannot be read
    std::set<std::string> removed;                  ///< workers
    std::map<Lsn, std::string> mayRun;              ///< on other machines
    std::optional<Error> refusal;                   ///< of the journal
    std::vector<store::Reopen> reopened;
    std::vector<Lsn> putBack;
    Rescheduling rescheduling{
        {.session = machine.session,
         .outbox = machine.out,
         .dictionary = dictionary,
         .rows = rows,
         .predecessors = predecessors,
         .entered = entered,
         .scale = scale,
         .takesActions = [this](const std::string& worker) { return !removed.contains(worker); },
         .post = [this](store::Action action) { return post(std::get<store::Reopen>(std::move(action))); },
         .waits = [this](Lsn lsn) { return waitsOf(lsn); },
         .failed = [this](std::vector<Lsn> parents, Reached place) { return failedBy(std::move(parents), place); },
         .mayRun = [this](Lsn lsn) { return mayRun[lsn]; },
         .putBack = [this](Lsn lsn) { putBack.push_back(lsn); },
         .wake = [] {},
         .now = [this] { return machine.now; }}};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes

    /// One that ended so, and waited for that one.
    Lsn failure(std::optional<Lsn> parent = {}, ActionState parentState = ActionState::Failed) {
        const Lsn lsn = ended(ActionState::Failed);
        if (!parent) return lsn;
        const store::Edge edge{.lsn = *parent, .state = parentState};
        posted[lsn].after.push_back(edge);
        FailedChild child;
        child.row = {.lsn = lsn, .queue = QueueId(1), .classNumber = cls.id + 1};
        child.after = {edge};
        failed[*parent].push_back(std::move(child));
        return lsn;
    }
    Result<Rescheduled> run(Lsn lsn, bool force = false) { return rig.ask(rescheduling.reschedule(lsn, force)); }
    bool isPending(Lsn lsn) const {
        const auto live = machine.session.views().live(lsn);
        return live && live->state == ActionState::Pending;
    }

private:
    static coro::Task<Result<store::Reader::Otherwise>> noEnds() { co_return store::Reader::Otherwise{}; }
    coro::Task<Result<PostedToWait>> waitsOf(Lsn lsn) { co_return posted[lsn]; }
    coro::Task<Result<FailedChildren>> failedBy(std::vector<Lsn> parents, Reached place) {
        if (failedUnknown) co_return std::unexpected(*failedUnknown);
        co_return FailedChildren{.children = failed[parents.at(place.parent)], .place = {place.parent + 1, {}}};
    }
    std::unique_ptr<coro::OneShot<store::AckDetail>> post(store::Reopen reopen) {
        auto shot = std::make_unique<coro::OneShot<store::AckDetail>>("reopen");
        store::AckDetail detail;
        detail.error = refusal;
        if (!refusal) {
            store::PendingRow row;
            row.lsn = reopen.lsn;
            row.queue = QueueId(1);
            row.classNumber = cls.id + 1;
            row.tNew = scale.at(MonoTime{});
            row.tPending = reopen.tPending;
            row.retryCount = reopen.expectRetryCount.value_or(0) + 1;
            row.after = reopen.after;
            journal.ended.erase(reopen.lsn);
            detail.row = std::move(row);
            reopened.push_back(std::move(reopen));
        }
        shot->promise().set(std::move(detail));
        return shot;
    }
};

using Lsns = std::vector<Lsn>;

} // namespace

class TestReschedulingService : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- one

    void whatFailedIsPendingAgainSinceNow() {
        Bench b;
        const Lsn lsn = b.failure();
        b.machine.now += 5 * kSecond;
        const auto done = b.run(lsn);
        QCOMPARE(done->retryCount, 1);
        QVERIFY(done->revived.empty());
        QVERIFY(b.isPending(lsn));
        QCOMPARE(b.putBack, Lsns{lsn});
        QCOMPARE(b.rows.pendingSince(*b.machine.session.views().live(lsn)), b.scale.at(b.machine.now));
    }

    void whatHasNotFailedIsRefused() {
        Bench b;
        const Lsn waits = b.pending();
        QCOMPARE(b.run(waits).error().kind, ErrorKind::WrongState);
        QCOMPARE(b.run(b.ended()).error().kind, ErrorKind::WrongState);
        QCOMPARE(b.run(Lsn(99)).error().kind, ErrorKind::NotFound);
        QVERIFY(b.reopened.empty());
    }

    void whatAWorkerThatWasRemovedDidIsRefused() {
        Bench b;
        const Lsn lsn = b.failure();
        b.removed = {"w"};
        QVERIFY(b.run(lsn).error().message.contains("register it again first"));
        QCOMPARE(b.rig.ask(b.rescheduling.mayRetry(lsn, false)).error().kind, ErrorKind::WrongState);
    }

    void whatMayRunOnAnotherMachineIsRefused() {
        Bench b;
        const Lsn lsn = b.ended(ActionState::Abandoned);
        b.mayRun[lsn] = "m1 for 12 s";
        QVERIFY(b.run(lsn, true).error().message.contains("may still run on m1 for 12 s"));
        QCOMPARE(b.rig.ask(b.rescheduling.mayRetry(lsn, true)).error().kind, ErrorKind::WrongState);
        QVERIFY(b.reopened.empty());
        b.mayRun.clear();
        QVERIFY(b.run(lsn));
    }

    void theLimitOfRetriesIsPassedByForceOnly() {
        Bench b;
        const Lsn lsn = b.failure();
        ActionResult& row = b.journal.ended.at(lsn);
        row.retryCount = 9;
        row.attempts.resize(10);
        for (AttemptRecord& attempt : row.attempts) attempt.outcome.state = ActionState::Failed;
        QCOMPARE(b.run(lsn).error().kind, ErrorKind::AtLimit);
        QCOMPARE(b.rig.ask(b.rescheduling.mayRetry(lsn, false)).error().kind, ErrorKind::AtLimit);
        QVERIFY(b.rig.ask(b.rescheduling.mayRetry(lsn, true)).has_value());
        QVERIFY(b.run(lsn, true).has_value());
    }

    void whatTheJournalRefusesStaysAsItEnded() {
        Bench b;
        const Lsn lsn = b.failure();
        b.refusal = fail(ErrorKind::NoSpace, "the disk is full").error();
        QCOMPARE(b.run(lsn).error().message, "the disk is full");
        QVERIFY(!b.machine.session.views().live(lsn).has_value());
    }

    void aTimeThatIsStillToComeIsKept() {
        Bench b;
        const Lsn later = b.failure();
        const Lsn past = b.failure();
        b.machine.now += 10 * kSecond;
        b.posted[later].until = b.scale.at(b.machine.now + kSecond);
        b.posted[past].until = b.scale.at(b.machine.now - kSecond);
        QVERIFY(b.run(later).has_value() && b.run(past).has_value());
        QCOMPARE(b.reopened[0].notBefore, b.posted[later].until);
        QCOMPARE(b.reopened[1].notBefore, WallMicros{0});
    }

    // --- those that wait for others

    void whatWaitsForOneThatFailedIsRefusedAndSaysWhatToDo() {
        Bench b;
        const Lsn parent = b.failure();
        const Lsn child = b.failure(parent);
        QVERIFY2(b.run(child).error().message.ends_with("run that one again, and this one comes back with it."),
                 b.run(child).error().message.c_str());
        const Lsn other = b.failure(parent, ActionState::Cancelled);
        QVERIFY(b.run(other).error().message.contains("submit it again"));
    }

    void whatFailedForItComesBackWithIt() {
        Bench b;
        const Lsn first = b.failure();
        const Lsn second = b.failure(first, ActionState::Pending);
        const Lsn third = b.failure(second, ActionState::Pending);
        QCOMPARE(b.rig.ask(b.rescheduling.wouldRevive({first})).value(), (Lsns{second, third}));
        QVERIFY(b.reopened.empty());
        QCOMPARE(b.run(first)->revived, (Lsns{second, third}));
        QVERIFY(b.isPending(second) && b.isPending(third));
    }

    void whatFailedForAnotherAsWellStays() {
        Bench b;
        const Lsn first = b.failure();
        const Lsn other = b.failure();
        const Lsn child = b.failure(first, ActionState::Pending);
        b.failed[first].front().after.push_back({.lsn = other, .state = ActionState::Failed});
        QVERIFY(b.run(first)->revived.empty());
        QVERIFY(!b.isPending(child));
        // With both of them it would.
        QCOMPARE(b.rig.ask(b.rescheduling.wouldRevive({first, other})).value(), Lsns{child});
    }

    void whereItCannotBeReadWhoFailedForItOnlyThatOneComesBack() {
        Bench b;
        const Lsn first = b.failure();
        b.failure(first, ActionState::Pending);
        b.failedUnknown = fail(ErrorKind::Busy, "too many questions").error();
        QVERIFY(b.run(first)->revived.empty());
        QVERIFY(b.isPending(first));
        QCOMPARE(b.rig.ask(b.rescheduling.wouldRevive({first})).error().kind, ErrorKind::Busy);
    }

    // --- a filter

    void aFilterPassesOverWhatWasReplacedAndWhatHasATerminal() {
        Bench b;
        ClassKey terminal;
        terminal.workerId = "exec";
        terminal.resources.named.emplace_back(kTerminals, 1'000);
        std::vector<ActionResult> page(3);
        for (std::size_t i = 0; i < page.size(); ++i) page[i].lsn = Lsn(static_cast<std::int64_t>(i) + 1);
        page[1].replacedBy = Lsn(9);
        page[2].classNumber = b.dictionary.internClass(terminal).id + 1;
        const RetryChoice choice = b.rig.ask(b.rescheduling.meantToRetry(page));
        QCOMPARE(choice.lsns, Lsns{Lsn(1)});
        QCOMPARE(choice.replaced, std::int64_t{1});
        QCOMPARE(choice.terminals, std::int64_t{1});
    }
};

QTEST_GUILESS_MAIN(TestReschedulingService)
#include "tst_rescheduling_service.moc"
