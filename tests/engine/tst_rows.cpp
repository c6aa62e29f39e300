// Rows, their notes and what is waited for, by themselves: no launcher, the journal is in memory, the clock is moved
// by hand.
#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"
#include "tests/engine/reading_bench.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::engine;
using engine::test::kSecond;

namespace {

using Bench = engine::test::ReadingBench;

/// What an action writes.
class Output {
public:
    explicit Output(LiveStreams& into)
        : stream_(into.streams[0])
        , path_(directory_.filePath("out").toStdString()) {}
    void write(const std::string& text) {
        std::ofstream(path_, std::ios::app) << text;
        stream_.path = path_;
        stream_.size += text.size();
    }

private:
    QTemporaryDir directory_;
    LiveStreams::One& stream_;
    std::string path_;
};

} // namespace

class TestRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- what waits for what

    void whatWaitsForTheSameIsCountedTogetherTheMostFirst() {
        Bench b;
        b.run();
        b.submit(true);
        b.submit(true);
        for (int i = 0; i < 3; ++i) b.submit();
        QCOMPARE(b.waiting(), "3 0 of 1 cores free; 2 held by hand [state:held]");
    }

    /// What is kept for a large one keeps the small ones waiting, and not the large one itself.
    void whatIsKeptForAnotherIsAReasonOfItsOwn() {
        Bench b(4);
        b.machine.addQueue(2);
        b.run();
        const Lsn large = b.machine.submit(2, 0, b.wide(4));
        b.run(); // it is passed over
        b.machine.now += 31 * kSecond;
        b.run(); // for too long
        b.machine.completeOne();
        b.machine.completeOne();
        for (int i = 0; i < 5; ++i) b.submit();
        QCOMPARE(b.machine.schedule(), std::size_t{0});
        QCOMPARE(b.waiting(),
                 fmt::format("5 3 of 4 cores free, kept for action {}; 1 3 of 4 cores free", large.value));
        const WaitingView view = b.rig.ask(b.counts.view());
        QCOMPARE(view.rows[0].wait.need, 1.0);
        QCOMPARE(view.rows[0].wait.keptFor, large);
        QCOMPARE(view.rows[1].wait.need, 4.0);
    }

    void whatNeedsMoreWaitsForMore() {
        Bench b(2);
        b.run();
        b.run();
        const std::uint32_t wide = b.wide(2);
        b.machine.submit(1, 0, wide);
        b.machine.submit(1, 0, wide);
        b.submit();
        QCOMPARE(b.machine.schedule(), std::size_t{0});
        const WaitingView view = b.rig.ask(b.counts.view());
        QCOMPARE(view.rows.size(), std::size_t{2});
        QCOMPARE(view.rows[0].count, std::int64_t{2});
        QCOMPARE(view.rows[0].wait.need, 2.0);
        QCOMPARE(view.rows[1].wait.need, 1.0);
    }

    void theLargestRowsAreTheAnswer() {
        Bench b;
        const auto holdOne = [&b](int queue) {
            b.machine.addQueue(queue);
            QVERIFY(b.machine.session.queues().hold(QueueId(queue), b.machine.out));
            b.machine.submit(queue, 0, b.cls.id);
        };
        for (int i = 2; i <= 103; ++i) holdOne(i);
        for (int i = 0; i < 3; ++i) b.machine.submit(103, 0, b.cls.id);
        const WaitingView view = b.rig.ask(b.counts.view());
        QCOMPARE(view.rows.size(), kMostWaitingRows);
        QCOMPARE(view.rows.front().count, std::int64_t{4});
        QCOMPARE(view.others, std::int64_t{2});
    }

    void whatAQueueHoldsBackIsFoundByItsFilter() {
        Bench b;
        b.submit();
        QVERIFY(b.machine.session.queues().hold(QueueId(1), b.machine.out));
        QCOMPARE(b.waiting(), "1 its queue is held [state:pending queue:1 -state:held]");
    }

    void countsAreKeptForASecond() {
        Bench b;
        b.submit(true);
        QCOMPARE(b.waiting(), "1 held by hand [state:held]");
        b.submit(true);
        b.machine.now += kSecond - Duration{1};
        QCOMPARE(b.waiting(), "1 held by hand [state:held]");
        b.machine.now += Duration{1};
        QCOMPARE(b.waiting(), "2 held by hand [state:held]");
    }

    void reasonsBeyondTheHundredthAreOthers() {
        Bench b;
        for (int i = 2; i <= 103; ++i) {
            b.machine.addQueue(i);
            QVERIFY(b.machine.session.queues().hold(QueueId(i), b.machine.out));
            b.machine.submit(i, 0, b.cls.id);
        }
        const WaitingView view = b.rig.ask(b.counts.view());
        QCOMPARE(view.rows.size(), kMostWaitingRows);
        QCOMPARE(view.others, std::int64_t{2});
    }

    // --- rows

    void aRowIsWhatTheJournalHasWithWhatIsKnownNow() {
        Bench b;
        const Lsn lsn = b.keep(b.submit());
        QVERIFY(b.machine.session.actions().hold(lsn, b.machine.out));
        QVERIFY(b.machine.session.actions().setPriority(lsn, 7));
        ActionResult row = b.read(lsn).value();
        QCOMPARE(row.state, ActionState::Pending);
        QVERIFY(row.held);
        QCOMPARE(row.priority, 7);
        QCOMPARE(row.note, "it is held");
        QVERIFY(b.machine.session.actions().release(lsn));
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        b.begin(lsn).hungSince = 5;
        b.machine.session.events().running(lsn, b.machine.started.back().attempt, b.machine.out);
        row = b.read(lsn).value();
        QCOMPARE(row.state, ActionState::Running);
        QCOMPARE(row.times[ActionState::Submitting], b.scale.at(b.machine.now));
        QCOMPARE(row.hungSince, WallMicros{5});
        QCOMPARE(row.note, "no output and no processor time for a while");
    }

    void whatIsBeingCancelledSaysSo() {
        Bench b;
        const Lsn lsn = b.keep(b.run());
        QVERIFY(b.machine.session.actions().cancel(lsn, b.machine.out));
        const ActionResult row = b.read(lsn).value();
        QCOMPARE(row.ending, ActionState::Cancelled);
        QCOMPARE(row.note, "cancelled: its processes are being ended");
    }

    void whatEndsWhileItIsReadIsReadAgain() {
        Bench b;
        const Lsn lsn = b.keep(b.run());
        b.journal.whileReading = [&] {
            b.machine.complete();
            b.journal.end(lsn, ActionState::Completed);
        };
        QCOMPARE(b.read(lsn)->state, ActionState::Completed);
        QCOMPARE(b.journal.reads, 2);
    }

    void whatIsNowhereIsNotFound() {
        Bench b;
        QCOMPARE(b.read(Lsn(99)).error().kind, ErrorKind::NotFound);
        b.journal.error = fail(ErrorKind::Journal, "it is damaged").error();
        QCOMPARE(b.read(Lsn(99)).error().message, "it is damaged");
    }

    void whatWasPutBackIsPendingSinceThen() {
        Bench b;
        const Lsn lsn = b.submit();
        const auto since = [&] { return b.rows.pendingSince(*b.machine.session.views().live(lsn)); };
        const WallMicros submitted = since();
        b.rows.putBack(lsn, 77);
        QCOMPARE(since(), WallMicros{77});
        b.rows.ended(lsn);
        QCOMPARE(since(), submitted);
    }

    void theFirstAttemptSaysWhatTheJournalWillSay() {
        Bench b;
        const Lsn lsn = b.run();
        store::Finish finish;
        finish.lsn = lsn;
        finish.state = ActionState::Failed;
        finish.tEnd = 9'000;
        AttemptRecord attempt;
        attempt.n = 1;
        attempt.outcome.state = ActionState::Failed;
        attempt.outcome.exitCode = 3;
        attempt.outcome.note = "exit code 3";
        finish.attempt = attempt;
        QVERIFY(!b.rows.ofFinish(finish)); // it may be an element of an array
        ActionSpec spec;
        b.attempts.at(lsn).spec = std::make_shared<const ActionSpec>(spec);
        const auto row = b.rows.ofFinish(finish);
        QVERIFY(row.has_value());
        QCOMPARE(row->function, "f");
        QCOMPARE(row->state, ActionState::Failed);
        QCOMPARE(row->outcome->exitCode, 3);
        QCOMPARE(row->note, "exit code 3");
        QCOMPARE(row->times[ActionState::Failed], WallMicros{9'000});
        finish.attempt->n = 2;
        QVERIFY(!b.rows.ofFinish(finish)); // the first one is known to the journal alone
        finish.attempt->n = 1;
        spec.array = ArrayRange{.from = 0, .to = 3};
        b.attempts.at(lsn).spec = std::make_shared<const ActionSpec>(spec);
        QVERIFY(!b.rows.ofFinish(finish)); // as its index is
    }

    // --- notes

    void theLastLineOfWhatRunsIsItsNoteAndNewOnesAreTold() {
        Bench b;
        Output output(*b.streams);
        const Lsn lsn = b.run();
        const MonoTime began = b.rig.loop.now();
        b.rig.advance(2 * kSecond);
        output.write("one\ntwo\n");
        QCOMPARE(b.note(lsn, began), "two");
        b.rig.advance(kSecond);
        QVERIFY(b.changed.empty());
        output.write("three\n");
        b.rig.advance(kSecond);
        QCOMPARE(b.changed, std::vector{lsn});
        QCOMPARE(b.note(lsn, began), "three");
    }

    void whatRunsForLessThanASecondGetsItsLineLater() {
        Bench b;
        Output output(*b.streams);
        output.write("one\n");
        const Lsn lsn = b.run();
        const MonoTime began = b.rig.loop.now();
        QCOMPARE(b.note(lsn, began), "");
        b.rig.advance(kSecond);
        QCOMPARE(b.changed, std::vector{lsn}); // who looked is told to look again
        QCOMPARE(b.note(lsn, began), "one");
    }

    void whatMakesNoProgressSaysSoInsteadOfALine() {
        Bench b;
        Output output(*b.streams);
        output.write("one\n");
        const Lsn lsn = b.run();
        const MonoTime began = b.rig.loop.now();
        b.rig.advance(2 * kSecond);
        b.attempts[lsn].hungSince = 1;
        QCOMPARE(b.note(lsn, began), "");
    }
};

QTEST_GUILESS_MAIN(TestRows)
#include "tst_rows.moc"
