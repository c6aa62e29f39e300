// Records, their phases, and what is counted of them.
#include "core/session/ledger.h"

#include <QTest>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

struct Book {
    Book() {
        ledger.order().defineClass(ClassId(0), {}, {}, {}, {});
        queue = ledger.addQueue(QueueId(7), {});
        ledger.setChangeSink([this](const Change& change) { told.push_back(change); });
    }
    std::uint32_t make(std::int64_t lsn) {
        NewAction action;
        action.lsn = Lsn(lsn);
        action.queue = QueueId(7);
        action.submitTime = lsn;
        return ledger.make(action, queue);
    }
    void run(std::uint32_t record) {
        for (const Phase to : {Phase::Leased, Phase::Submitting, Phase::Running}) ledger.setPhase(record, to);
    }
    void end(std::uint32_t record, ActionState state) {
        ledger.records()[record].setTarget(state);
        ledger.setPhase(record, Phase::Ending);
        ledger.countClosing(ledger.records()[record]);
    }
    const QueueCounters& counters() const { return ledger.order().queue(queue).tally.stored; }

    MachineCapacity capacity{Resources{.milliCores = 4'000, .named = {}}};
    std::vector<Change> told;
    Ledger ledger{capacity};
    std::uint32_t queue = kNone;
};

} // namespace

class TestLedger : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countersFollowThePhases();
    void anEndCountsOnceItIsStored();
    void anEndIsTakenBackWhenItRunsAgain();
    void leasesAndEndsOnTheirWayAreNotTold();
    void heldOnesAreCountedWhileTheyArePending();
    void aRetiredRecordStaysUntilNothingLeadsToIt();
    void movingCountsInTheOtherQueue();
    void aDeletedQueueIsForgottenOnceNothingIsActive();
};

void TestLedger::countersFollowThePhases() {
    Book book;
    const std::uint32_t a = book.make(1);
    const std::uint32_t b = book.make(2);
    QCOMPARE(book.counters().pending, 2);
    book.ledger.setPhase(a, Phase::Leased);
    QCOMPARE(book.counters().pending, 2);
    book.ledger.setPhase(a, Phase::Submitting);
    QCOMPARE(book.ledger.submitting(), 1);
    QCOMPARE(book.counters().running, 1);
    book.ledger.setPhase(a, Phase::Running);
    book.ledger.setPhase(a, Phase::Retrying);
    QCOMPARE(book.counters().running, 1);
    book.ledger.setPhase(a, Phase::Waiting);
    QCOMPARE(book.counters().pending, 2);
    QCOMPARE(book.ledger.total().stored.pending, 2);
    for (const std::uint32_t record : {a, b}) book.ledger.retire(record);
    QCOMPARE(book.counters().active(), 0);
    QCOMPARE(book.ledger.records().used(), 0u);
    book.ledger.check();
}

void TestLedger::anEndCountsOnceItIsStored() {
    Book book;
    const std::uint32_t a = book.make(1);
    book.run(a);
    book.end(a, ActionState::Failed);
    QCOMPARE(book.counters().running, 1);
    QCOMPARE(book.ledger.total().closingRunning, 1);
    book.ledger.countEnd(book.ledger.records()[a]);
    book.ledger.retire(a);
    QCOMPARE(book.counters().running, 0);
    QCOMPARE(book.counters().failed, 1);
    QCOMPARE(book.ledger.total().closingRunning, 0);
}

void TestLedger::anEndIsTakenBackWhenItRunsAgain() {
    Book book;
    const std::uint32_t other = book.ledger.addQueue(QueueId(8), {.failed = 3, .abandoned = 1});
    book.ledger.takeEndBack(other, ActionState::Failed);
    book.ledger.takeEndBack(other, ActionState::Abandoned);
    QCOMPARE(book.ledger.queueNamed(QueueId(8))->tally.stored.failed, 2);
    QCOMPARE(book.ledger.total().stored.failed, 2);
    QCOMPARE(book.ledger.total().stored.abandoned, 0);
}

void TestLedger::leasesAndEndsOnTheirWayAreNotTold() {
    Book book;
    const std::uint32_t a = book.make(1);
    QCOMPARE(book.told.size(), std::size_t{1});
    QCOMPARE(book.told.back().state, ActionState::Pending);
    const std::uint32_t before = book.ledger.revision();
    book.ledger.setPhase(a, Phase::Leased);
    QCOMPARE(book.told.size(), std::size_t{1});
    QVERIFY2(book.ledger.revision() != before, "its revision changes all the same");
    book.ledger.setPhase(a, Phase::Running);
    QCOMPARE(book.told.back().state, ActionState::Running);
    book.end(a, ActionState::Completed);
    QCOMPARE(book.told.size(), std::size_t{2});
    QCOMPARE(book.told.back().queue, QueueId(7));
}

void TestLedger::heldOnesAreCountedWhileTheyArePending() {
    Book book;
    const std::uint32_t a = book.make(1);
    book.ledger.setHeld(a, true);
    book.ledger.setHeld(a, true);
    QCOMPARE(book.ledger.held(), 1);
    QCOMPARE(book.ledger.order().queue(book.queue).heldActions, 1);
    book.run(a);
    QCOMPARE(book.ledger.held(), 0);
    book.ledger.setHeld(a, false);
    QCOMPARE(book.ledger.held(), 0);
    QCOMPARE(book.ledger.order().queue(book.queue).heldActions, 0);
}

void TestLedger::aRetiredRecordStaysUntilNothingLeadsToIt() {
    Book book;
    const std::uint32_t a = book.make(1);
    ++book.ledger.records()[a].unmet; // an edge leads to it
    book.ledger.retire(a);
    QCOMPARE(book.ledger.dead(), 1);
    QCOMPARE(book.ledger.records().find(Lsn(1)), kNone);
    QCOMPARE(book.ledger.records().used(), 1u);
    book.ledger.entryDropped(a);
    QCOMPARE(book.ledger.dead(), 1);
    --book.ledger.records()[a].unmet;
    book.ledger.entryDropped(a);
    QCOMPARE(book.ledger.dead(), 0);
    QCOMPARE(book.ledger.records().used(), 0u);
}

void TestLedger::movingCountsInTheOtherQueue() {
    Book book;
    const std::uint32_t to = book.ledger.addQueue(QueueId(8), {});
    const std::uint32_t a = book.make(1);
    book.ledger.setHeld(a, true);
    book.ledger.moveInPlace(a, to, 5);
    QCOMPARE(book.counters().pending, 0);
    QCOMPARE(book.ledger.order().queue(to).tally.stored.pending, 1);
    QCOMPARE(book.ledger.order().queue(to).heldActions, 1);
    QCOMPARE(book.ledger.records()[a].priority(), 5);
    QCOMPARE(book.told.back().queue, QueueId(8));
    book.ledger.check();
}

void TestLedger::aDeletedQueueIsForgottenOnceNothingIsActive() {
    Book book;
    Outbox out;
    const std::uint32_t a = book.make(1);
    book.ledger.order().queue(book.queue).forgetting = true;
    book.ledger.tryForget(book.queue, out);
    QVERIFY(out.forgotten.empty());
    ++book.ledger.order().queue(book.queue).jobs; // its place is wanted until the end of this test
    book.ledger.retire(a);
    book.ledger.tryForget(book.queue, out);
    QCOMPARE(out.forgotten, std::vector{QueueId(7)});
    QCOMPARE(book.ledger.findQueue(QueueId(7)), kNone);
}

QTEST_APPLESS_MAIN(TestLedger)
#include "tst_ledger.moc"
