// Telling watchers by itself: no launcher, the journal is in memory, the clock is moved by hand.
#include "core/engine/reading/watching.h"

#include "core/session/action_commands.h"
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
    int sessionViews = 0;
    Watching watching{{.session = machine.session,
                       .dictionary = dictionary,
                       .registry = registry,
                       .queues = queues,
                       .changes = changes,
                       .selection = selection,
                       .rows = rows,
                       .listing = listing,
                       .journal = journal,
                       .sessionView = [this] { return view(); }}};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes
    WatchedChanges collect(std::vector<WatchRequest> requests) {
        return rig.ask(watching.collect(std::move(requests)));
    }

private:
    coro::Task<SessionView> view() {
        ++sessionViews;
        co_return SessionView{};
    }
};

/// One who watches, from now on: `told` is what he was told last.
class Watcher {
public:
    Watcher(Bench& bench, Watch what)
        : bench_(bench) {
        request.watch = std::make_shared<const Watch>(std::move(what));
        request.everything = request.allRows = true;
        ask();
        request.everything = request.allRows = false;
    }
    /// What changed since.
    const WatchUpdate& ask() {
        request.known = std::make_shared<const KnownRows>(known);
        told = bench_.collect({request});
        update = told.updates.front();
        if (update.kind == WatchUpdate::Kind::Told) request.seen = update.seq;
        for (const Lsn lsn : update.goneRows) std::erase(known, lsn);
        for (const Lsn lsn : update.rows)
            if (!std::ranges::binary_search(known, lsn)) known.insert(std::ranges::lower_bound(known, lsn), lsn);
        return update;
    }

    WatchRequest request;
    WatchedChanges told;
    WatchUpdate update;
    KnownRows known;

private:
    Bench& bench_;
};

Watch ofLsns(std::vector<Lsn> lsns) {
    return {.kind = Watch::Kind::Lsns, .lsns = std::move(lsns), .filter = {}};
}
Watch ofFilter(const std::string& filter) {
    return {.kind = Watch::Kind::Filter, .lsns = {}, .filter = Bench::query(filter)};
}
Watch ofEnds() {
    return {.kind = Watch::Kind::Finished, .lsns = {}, .filter = {}};
}

using Lsns = std::vector<Lsn>;

} // namespace

class TestWatchingService : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whoBeginsIsToldEverything() {
        Bench b;
        const Lsn lsn = b.pending();
        Watcher w(b, ofLsns({lsn, Lsn(99)}));
        QVERIFY(w.update.session && w.update.counts && w.update.workers);
        QCOMPARE(w.update.queues, std::vector{QueueId(2)});
        QCOMPARE(w.told.queues.at(QueueId(2)).tag, "tests");
        QCOMPARE(w.update.rows, Lsns{lsn});
        QCOMPARE(w.update.goneRows, Lsns{Lsn(99)});
        QCOMPARE(w.update.seq, w.told.latest);
    }

    void aChangeIsToldOnceWithTheRowAsItIsNow() {
        Bench b;
        const Lsn lsn = b.pending();
        Watcher w(b, ofLsns({lsn}));
        QVERIFY(w.ask().rows.empty());
        QVERIFY(b.machine.session.actions().setPriority(lsn, 5));
        QVERIFY(b.machine.session.actions().hold(lsn, b.machine.out));
        b.pending(); // nobody watches it
        QCOMPARE(w.ask().rows, Lsns{lsn});
        QCOMPARE(w.told.rows.at(lsn).priority, 5);
        QVERIFY(w.told.rows.at(lsn).held);
        QVERIFY(w.update.counts);
        QVERIFY(w.ask().rows.empty());
    }

    void aMarkIsToldOfWhatIsWatchedAndOfWhatComesIntoAFilter() {
        Bench b;
        const Lsn lsn = b.ended();
        Watcher byNumber(b, ofLsns({lsn}));
        Watcher byMark(b, ofFilter("mark:red"));
        QVERIFY(byMark.update.rows.empty());
        b.annotations.mark({lsn, 1}, Mark::Red);
        b.changes.noteAnnotated(lsn);
        QCOMPARE(byNumber.ask().rows, Lsns{lsn});
        QCOMPARE(byNumber.told.rows.at(lsn).mark, Mark::Red);
        QCOMPARE(byMark.ask().rows, Lsns{lsn});
        b.annotations.mark({lsn, 1}, Mark::None);
        b.changes.noteAnnotated(lsn);
        QCOMPARE(byMark.ask().goneRows, Lsns{lsn});
    }

    void rowsHaveNoAttempts() {
        Bench b;
        const Lsn lsn = b.ended();
        b.journal.ended[lsn].attempts.resize(2);
        Watcher w(b, ofLsns({lsn}));
        QVERIFY(w.told.rows.at(lsn).attempts.empty());
    }

    void whatComesIntoAFilterIsToldAndWhatLeavesItIsGone() {
        Bench b;
        b.pending();
        Watcher w(b, ofFilter("state:held"));
        QVERIFY(w.known.empty());
        const Lsn lsn = b.pending();
        QVERIFY(w.ask().rows.empty());
        QVERIFY(b.machine.session.actions().hold(lsn, b.machine.out));
        QCOMPARE(w.ask().rows, Lsns{lsn});
        QVERIFY(b.machine.session.actions().release(lsn));
        QCOMPARE(w.ask().goneRows, Lsns{lsn});
        QVERIFY(w.update.rows.empty());
        QVERIFY(w.ask().goneRows.empty());
    }

    void whoWatchesAFilterBeginsWithTheRowsThatAreThere() {
        Bench b;
        b.ended(ActionState::Failed);
        b.ended();
        b.ended(ActionState::Failed);
        Watcher w(b, ofFilter("state:failed"));
        QCOMPARE(w.known, (Lsns{Lsn(1), Lsn(3)}));
    }

    void whatIsRetiredIsGone() {
        Bench b;
        const Lsn lsn = b.ended();
        Watcher w(b, ofLsns({lsn}));
        b.journal.ended.erase(lsn);
        b.changes.noteRetired(lsn);
        QCOMPARE(w.ask().goneRows, Lsns{lsn});
    }

    void whatCannotBeReadIsGoneUntilItChangesAgain() {
        Bench b;
        const Lsn lsn = b.pending();
        Watcher w(b, ofLsns({lsn}));
        QVERIFY(b.machine.session.actions().hold(lsn, b.machine.out));
        b.journal.error = fail(ErrorKind::Busy, "too many questions").error();
        QCOMPARE(w.ask().goneRows, Lsns{lsn});
        b.journal.error.reset();
        QVERIFY(b.machine.session.actions().release(lsn));
        QCOMPARE(w.ask().rows, Lsns{lsn});
    }

    void endsAreToldInTheirOrder() {
        Bench b;
        Watcher w(b, ofEnds());
        const Lsn first = b.run();
        b.machine.complete();
        const Lsn second = b.run();
        b.machine.complete();
        w.ask();
        QCOMPARE(w.update.finished.size(), std::size_t{2});
        QCOMPARE(w.update.finished[0].lsn, first);
        QCOMPARE(w.update.finished[1].lsn, second);
        QCOMPARE(w.update.finished[0].state, ActionState::Completed);
        QVERIFY(w.update.rows.empty());
    }

    void aFilterOfAQueueThatIsNotThereTellsNothing() {
        Bench b;
        Watch watch = ofFilter("");
        watch.filter.queue = QueueRef{{}, "nowhere"};
        Watcher w(b, watch);
        b.pending();
        QVERIFY(w.ask().rows.empty());
        QCOMPARE(w.update.kind, WatchUpdate::Kind::Told);
    }

    void aQueueThatWasDeletedIsGone() {
        Bench b;
        Watcher w(b, {});
        QVERIFY(b.rig.ask(b.queues.remove(QueueRef{{}, "tests"})).has_value());
        b.queues.forgotten(QueueId(2));
        b.rig.settle();
        w.ask();
        QVERIFY(w.update.queues.empty());
        QCOMPARE(w.update.goneQueues, std::vector{QueueId(2)});
    }

    void whoIsTooFarBehindIsLost() {
        Bench b;
        const Lsn lsn = b.pending();
        Watcher w(b, ofLsns({lsn}));
        b.rig.advance(ChangeLog::kKeptFor + kSecond);
        b.rig.advance(ChangeLog::kKeptFor + kSecond);
        QCOMPARE(w.ask().kind, WatchUpdate::Kind::Lost);
        QVERIFY(w.update.rows.empty());
    }

    void moreRowsThanFitComeWithTheNextAnswer() {
        Bench b;
        Watcher w(b, ofFilter("state:pending"));
        const auto most = static_cast<int>(kMaxWatchedRows);
        for (int i = 0; i < most + 5; ++i) b.pending();
        QCOMPARE(w.ask().rows.size(), kMaxWatchedRows);
        QVERIFY(w.update.seq < w.told.latest);
        QCOMPARE(w.ask().rows.size(), std::size_t{5});
        QCOMPARE(w.update.seq, w.told.latest);
    }

    void whoHasNoRoomInAnAnswerAsksAgain() {
        Bench b;
        std::vector<WatchRequest> requests;
        for (int watcher = 0; watcher < 5; ++watcher) {
            std::vector<Lsn> lsns;
            for (std::size_t i = 0; i < kMaxWatchedRows; ++i) lsns.push_back(b.ended());
            requests.emplace_back().watch = std::make_shared<const Watch>(ofLsns(std::move(lsns)));
            requests.back().everything = requests.back().allRows = true;
        }
        const WatchedChanges told = b.collect(requests);
        QCOMPARE(told.updates[3].kind, WatchUpdate::Kind::Told);
        QCOMPARE(told.updates[4].kind, WatchUpdate::Kind::Later);
        QCOMPARE(told.rows.size(), 4 * kMaxWatchedRows);
    }

    void manyWhoWatchTheSameCostOneLook() {
        Bench b;
        const Lsn lsn = b.pending();
        WatchRequest request;
        request.watch = std::make_shared<const Watch>(ofLsns({lsn}));
        request.everything = request.allRows = true;
        const WatchedChanges told = b.collect({request, request, request});
        QCOMPARE(b.journal.reads, 1);
        QCOMPARE(b.sessionViews, 1);
        for (const WatchUpdate& update : told.updates) QCOMPARE(update.rows, Lsns{lsn});
    }
};

QTEST_GUILESS_MAIN(TestWatchingService)
#include "tst_watching_service.moc"
