// Operations on one and on many by themselves: no launcher, the journal is in memory and answers when a test says so.
#include "core/engine/commands/operations.h"

#include "core/session/events.h"
#include "core/session/live_views.h"
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <deque>
#include <string>
#include <variant>
#include <vector>

using namespace yard;
using namespace yard::engine;
using engine::test::kSecond;

namespace {

class Bench : public engine::test::ListingBench {
public:
    std::vector<store::Action> posted;
    bool answers = true;          ///< the journal does, at once
    std::optional<Error> refusal; ///< what it answers
    std::deque<coro::Promise<store::AckDetail>> open;
    int waits = 0; ///< for an end that is on its way
    bool hasRoom = true;
    coro::Event roomMade;
    std::vector<Lsn> notBegun;
    coro::Event woken;
    Operations operations{
        {.session = machine.session,
         .outbox = machine.out,
         .queues = queues,
         .selection = selection,
         .rows = rows,
         .annotations = annotations,
         .changes = changes,
         .journal = journal,
         .helpers = helpers,
         .post = [this](store::Action action) { return post(std::move(action)); },
         .waitForEnd = [this](Lsn lsn, Duration) { return endOf(lsn); },
         .room = [this] { return room(); },
         .mayRetry = [](Lsn, bool force) { return mayRetry(force); },
         .notBegun = [this] { return notBegun; },
         .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
         .wake = [this] { woken.set(); }}};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes

    /// The journal answers what it was asked first.
    void answer() {
        store::AckDetail detail;
        detail.error = refusal;
        open.front().set(std::move(detail));
        open.pop_front();
        rig.settle();
    }
    /// What was posted, in words: "op, 1-3 held, ends".
    std::string written() const {
        std::string text;
        for (const store::Action& action : posted) text += (text.empty() ? "" : ", ") + words(action);
        return text;
    }
    /// Ends that are posted are kept, one turn after they were.
    coro::Task<void> pump() {
        for (;;) {
            co_await woken.wait();
            woken.clear();
            machine.settle();
        }
    }
    session::LiveView live(Lsn lsn) const { return *machine.session.views().live(lsn); }
    Result<BulkAnswer> all(BulkKind kind, const std::string& filter) { return ask(request(kind, filter)); }
    Result<BulkAnswer> ask(BulkRequest request) { return rig.ask(operations.changeMatching(std::move(request))); }
    static BulkRequest request(BulkKind kind, const std::string& filter = {}) {
        BulkRequest request;
        request.deed.kind = kind;
        request.which = query(filter);
        return request;
    }

private:
    static std::string words(const store::Action& action) {
        if (const auto* update = std::get_if<store::Update>(&action))
            return std::to_string(update->lsn.value) + of(update->held, update->cancelRequested);
        if (const auto* update = std::get_if<store::UpdateMany>(&action)) {
            std::string text;
            for (const store::LsnRun& run : update->runs)
                text += (text.empty() ? "" : "+") + std::to_string(run.first.value) + "-" +
                        std::to_string(run.last().value);
            return text + of(update->change.held, update->change.cancelRequested) +
                   (update->endsTheOp ? " at last" : "");
        }
        if (std::holds_alternative<store::PutOp>(action)) return "op";
        if (std::holds_alternative<store::DropOp>(action)) return "done";
        if (const auto* retire = std::get_if<store::Retire>(&action))
            return "retire " + std::to_string(retire->lsn.value);
        return "?";
    }
    static std::string of(std::optional<bool> held, std::optional<bool> cancelled) {
        return std::string(held ? (*held ? " held" : " released") : "") + (cancelled ? " cancelled" : "");
    }
    std::unique_ptr<coro::OneShot<store::AckDetail>> post(store::Action action) {
        posted.push_back(std::move(action));
        auto shot = std::make_unique<coro::OneShot<store::AckDetail>>("post");
        store::AckDetail detail;
        detail.error = refusal;
        if (answers)
            shot->promise().set(std::move(detail));
        else
            open.push_back(shot->promise());
        return shot;
    }
    coro::Task<Result<ActionResult>> endOf(Lsn lsn) {
        ++waits;
        co_return co_await rows.row(lsn);
    }
    coro::Task<void> room() {
        if (!hasRoom) co_await roomMade.wait();
    }
    static coro::Task<Result<void>> mayRetry(bool force) {
        if (!force) co_return fail(ErrorKind::AtLimit, "retried often enough");
        co_return Result<void>{};
    }
};

} // namespace

class TestOperations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- one

    void itIsAnsweredOnceTheJournalHasIt() {
        Bench b;
        const Lsn lsn = b.pending();
        b.answers = false;
        const auto held = b.rig.begin(b.operations.hold(lsn));
        QVERIFY(b.live(lsn).held);
        QCOMPARE(b.written(), "1 held");
        QVERIFY(!held->has_value());
        b.answer();
        QVERIFY((*held)->has_value());
    }

    void whatTheJournalRefusesIsAsItWas() {
        Bench b;
        const Lsn lsn = b.pending();
        b.refusal = fail(ErrorKind::NoSpace, "the disk is full").error();
        QCOMPARE(b.rig.ask(b.operations.hold(lsn)).error().kind, ErrorKind::NoSpace);
        QVERIFY(!b.live(lsn).held);
        const ActionChange change{.priority = 7, .queue = QueueRef{{}, "tests"}};
        const QueueId queue = b.live(lsn).queue;
        QCOMPARE(b.rig.ask(b.operations.change(lsn, change)).error().kind, ErrorKind::NoSpace);
        QCOMPARE(b.live(lsn).priority, 0);
        QCOMPARE(b.live(lsn).queue, queue);
    }

    /// It may start at once, and a start cannot be taken back.
    void aReleaseTakesEffectWhenTheJournalHasIt() {
        Bench b;
        const Lsn lsn = b.pending();
        QVERIFY(b.rig.ask(b.operations.hold(lsn)).has_value());
        b.refusal = fail(ErrorKind::NoSpace, "the disk is full").error();
        QCOMPARE(b.rig.ask(b.operations.release(lsn)).error().kind, ErrorKind::NoSpace);
        QVERIFY(b.live(lsn).held);
        b.refusal.reset();
        b.answers = false;
        const auto released = b.rig.begin(b.operations.release(lsn));
        QVERIFY(b.live(lsn).held);
        b.answer();
        QVERIFY((*released)->has_value());
        QVERIFY(!b.live(lsn).held);
    }

    void whatTheSessionRefusesIsNotWritten() {
        Bench b;
        const Lsn runs = b.keep(b.run());
        QCOMPARE(b.rig.ask(b.operations.hold(runs)).error().kind, ErrorKind::WrongState);
        QCOMPARE(b.rig.ask(b.operations.hold(Lsn(99))).error().kind, ErrorKind::NotFound);
        QCOMPARE(b.written(), "");
    }

    void ofWhatHasEndedItIsSaidWhatCanBeDone() {
        Bench b;
        const Lsn failed = b.ended(ActionState::Failed);
        const Lsn completed = b.ended();
        QCOMPARE(b.rig.ask(b.operations.cancel(failed)).error().message,
                 "Action 1 is failed: only what has not ended can be cancelled.");
        QCOMPARE(b.rig.ask(b.operations.cancel(completed)).error().message,
                 "Action 2 is completed: only what has not ended can be cancelled.");
        QCOMPARE(b.rig.ask(b.operations.hold(completed)).error().message,
                 "Action 2 is completed: only what has not ended can be held.");
        QCOMPARE(b.rig.ask(b.operations.release(completed)).error().message,
                 "Action 2 is completed: only what has not ended can be released.");
    }

    void aCancelThatMeetsTheEndWaitsUntilThatIsKept() {
        Bench b;
        const Lsn lsn = b.keep(b.run());
        b.machine.session.events().ended(lsn, 1, b.machine.completed(), b.machine.now, b.machine.out);
        b.journal.end(lsn, ActionState::Completed);
        const auto done = b.rig.ask(b.operations.cancel(lsn));
        QCOMPARE(b.waits, 1);
        QCOMPARE(done.error().message, "Action 1 is completed: only what has not ended can be cancelled.");
    }

    void aCancelOfWhatWaitsIsAnsweredOnceItsEndIsKept() {
        Bench b;
        const Lsn runs = b.keep(b.run());
        QVERIFY(b.rig.ask(b.operations.cancel(b.pending())).has_value());
        QCOMPARE(b.waits, 1);
        QVERIFY(b.rig.ask(b.operations.cancel(runs)).has_value()); // its program is to end first
        QCOMPARE(b.waits, 1);
    }

    void anEndThatCameWhileItWasWrittenIsSaid() {
        Bench b;
        const Lsn lsn = b.pending();
        b.refusal = fail(ErrorKind::NotFound, "no such row").error();
        QVERIFY(b.rig.ask(b.operations.hold(lsn)).error().message.contains("has ended already"));
        QVERIFY(b.rig.ask(b.operations.cancel(lsn)).has_value()); // twice cancelled: that is what was wanted
    }

    void prioritiesHaveBounds() {
        Bench b;
        const Lsn lsn = b.pending();
        QCOMPARE(b.rig.ask(b.operations.change(lsn, {.priority = 101, .queue = {}})).error().field, "priority");
        QVERIFY(b.rig.ask(b.operations.change(lsn, {.priority = -100, .queue = {}})).has_value());
        QCOMPARE(b.live(lsn).priority, -100);
    }

    void aChangeMovesToAQueueThatIsThere() {
        Bench b;
        const Lsn lsn = b.pending();
        const auto to = [](const char* queue) {
            return ActionChange{.priority = {}, .queue = QueueRef{{}, queue}};
        };
        QCOMPARE(b.rig.ask(b.operations.change(lsn, to("nowhere"))).error().kind, ErrorKind::NotFound);
        QVERIFY(b.rig.ask(b.operations.change(lsn, to("tests"))).has_value());
        QCOMPARE(b.live(lsn).queue, QueueId(2));
    }

    void whatEndedIsRetiredAndWatchersHearOfIt() {
        Bench b;
        b.changes.keep();
        const Lsn lsn = b.ended();
        const std::uint64_t before = b.changes.feed().last();
        QVERIFY(b.rig.ask(b.operations.retire(lsn)).has_value());
        QCOMPARE(b.written(), "retire 1");
        QCOMPARE(b.changes.feed().last(), before + 1);
        b.refusal = fail(ErrorKind::NotFound, "no such row").error();
        QVERIFY(b.rig.ask(b.operations.retire(lsn)).error().message.starts_with("There is no action 1"));
    }

    void whatLivesOrIsWaitedForIsNotRetired() {
        Bench b;
        const Lsn parent = b.ended();
        const Lsn child = b.pending();
        QCOMPARE(b.rig.ask(b.operations.retire(child)).error().kind, ErrorKind::WrongState);
        b.journal.children[parent].add(child);
        QVERIFY(b.rig.ask(b.operations.retire(parent))
                    .error()
                    .message.starts_with("Action 2 waits to run after action 1"));
        QCOMPARE(b.written(), "");
    }

    void whatADeedWouldAnswerChangesNothing() {
        Bench b;
        const Lsn lsn = b.pending();
        const Lsn ended = b.ended();
        const auto may = [&b](BulkKind kind, Lsn of) {
            return b.rig.ask(b.operations.mayChange({.kind = kind}, of));
        };
        QVERIFY(may(BulkKind::Cancel, lsn).has_value());
        QCOMPARE(may(BulkKind::Cancel, ended).error().kind, ErrorKind::WrongState);
        QVERIFY(may(BulkKind::Retire, ended).has_value());
        QCOMPARE(may(BulkKind::Retire, lsn).error().kind, ErrorKind::WrongState);
        QCOMPARE(may(BulkKind::Retire, Lsn(99)).error().kind, ErrorKind::NotFound);
        QCOMPARE(may(BulkKind::Retry, ended).error().kind, ErrorKind::AtLimit);
        QCOMPARE(b.written(), "");
        QVERIFY(!b.live(lsn).cancelRequested);
    }

    // --- many

    void whatIsMeantIsWrittenDownBeforeItHappens() {
        Bench b;
        for (int i = 0; i < 3; ++i) b.pending();
        b.answers = false;
        const auto answer = b.rig.begin(b.operations.changeMatching(b.request(BulkKind::Hold)));
        QCOMPARE(b.written(), "op");
        QVERIFY(!b.live(Lsn(1)).held);
        b.pending(); // too late
        b.answer();
        QCOMPARE(b.written(), "op, 1-3 held at last");
        b.answer();
        QCOMPARE((*answer)->value().changed, std::int64_t{3});
        QVERIFY(b.live(Lsn(3)).held && !b.live(Lsn(4)).held);
    }

    void whatIsMeantAndCannotBeChangedIsRefused() {
        Bench b;
        const Lsn runs = b.keep(b.run());
        b.pending();
        const auto answer = b.all(BulkKind::Hold, "");
        QCOMPARE(answer->changed, std::int64_t{1});
        QCOMPARE(answer->refused.size(), std::size_t{1});
        QCOMPARE(answer->refused.front().first, runs);
        QCOMPARE(b.written(), "op, 2-2 held at last");
    }

    void aTrialAndALimitChangeNothing() {
        Bench b;
        for (int i = 0; i < 3; ++i) b.pending();
        BulkRequest request = b.request(BulkKind::Cancel);
        request.dryRun = true;
        QCOMPARE(b.ask(request)->counted, std::int64_t{3});
        request.dryRun = false;
        request.atMost = 2;
        QCOMPARE(b.ask(request)->counted, std::int64_t{3});
        QCOMPARE(b.written(), "");
    }

    void manyGoInParts() {
        Bench b;
        for (int i = 0; i < 2'500; ++i) b.pending();
        QCOMPARE(b.all(BulkKind::Hold, "")->changed, std::int64_t{2'500});
        QCOMPARE(b.written(), "op, 1-1000 held, 1001-2000 held, 2001-2500 held at last");
    }

    void whatTheJournalRefusesIsLeftForTheNextStart() {
        Bench b;
        b.pending();
        b.answers = false;
        const auto answer = b.rig.begin(b.operations.changeMatching(b.request(BulkKind::Hold)));
        b.answer();
        b.refusal = fail(ErrorKind::NoSpace, "The disk is full.").error();
        b.answer();
        QCOMPARE((*answer)->error().message,
                 "The disk is full. 1 of 1 actions are changed; the next start carries out the rest.");
    }

    void whatIsCancelledEndsAsTheJournalTakesIt() {
        Bench b;
        const Lsn runs = b.keep(b.run());
        const Lsn waits = b.pending();
        b.hasRoom = false;
        b.rig.spawn("pump", b.pump());
        const auto answer = b.all(BulkKind::Cancel, "");
        QCOMPARE(answer->changed, std::int64_t{2});
        QCOMPARE(answer->ending, std::int64_t{1}); // what waits is as good as ended
        QVERIFY(b.live(runs).cancelRequested && b.live(waits).cancelRequested);
        QCOMPARE(b.rig.ask(b.operations.beingCancelled({runs, waits, Lsn(99)})), std::int64_t{2});
        QCOMPARE(b.written(), "op");
        b.hasRoom = true;
        b.roomMade.set();
        b.rig.settle();
        QVERIFY(!b.machine.session.views().live(waits).has_value());
        QCOMPARE(b.written(), "op, 1-1 cancelled, done");
    }

    void oneOperationOnManyWaitsForTheOther() {
        Bench b;
        b.pending();
        b.answers = false;
        const auto first = b.rig.begin(b.operations.changeMatching(b.request(BulkKind::Hold)));
        const auto second = b.rig.begin(b.operations.changeMatching(b.request(BulkKind::Release)));
        QCOMPARE(b.written(), "op");
        b.answer();
        b.answer();
        QVERIFY(first->has_value());
        QCOMPARE(b.written(), "op, 1-1 held at last, op");
        b.answer();
        b.answer();
        QVERIFY(second->has_value());
        QVERIFY(!b.live(Lsn(1)).held);
    }

    void aJournalThatCannotBeReadChangesNothing() {
        Bench b;
        b.pending();
        b.journal.error = fail(ErrorKind::Journal, "it is damaged").error();
        QCOMPARE(b.all(BulkKind::Cancel, "name:sort*").error().message, "it is damaged");
        QCOMPARE(b.written(), "");
    }
};

QTEST_GUILESS_MAIN(TestOperations)
#include "tst_operations.moc"
