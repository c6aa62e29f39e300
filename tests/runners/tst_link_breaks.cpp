// What follows when the link breaks: each row of the table of docs/machines.md, on a clock moved by hand.
#include "tests/runners/link_double.h"

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;
using link::GuestStage;
using link::Kind;
using link::MachineState;

class TestLinkBreaks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatBothCountGoesOn();
    void whatOnlyTheMachineHoldsIsSettled();
    void whatWasGivenAndIsNotNamedComesBack();
    void whatHasBegunAndIsNotNamedIsLost();
    void whatHasEndedAndIsNotNamedIsLost();
    void whatAnotherRunHadIsLost();
    void whatIsHereIsCommittedWhateverTheMachineSays();
    void anEndThatIsToldAgainIsPassedOver();
    void fetchingGoesOnOverTheNextConnection();
    void silenceLosesWhatIsOutWhenItsLeaseIsOver();
    void aRenewalMovesTheTimeOfLoss();
    void whatComesAfterTheLeaseIsOverDoesNotCount();
    void aCancelIsToldAgainToTheNextConnection();
    void theConnectionBeforeIsNotRead();
    void aLeaseThatCannotBeSentComesBackWithTheNextHello();
    void manyAreSettledInSeveralFrames();
    void aRestartedYardWaitsForWhatItKnew();
    void aRestartedYardIsToldOfWhatRuns();
    void aRestartedYardEndsWithTheGraceItIsGiven();
    void aRestartedYardIsToldHowLongItRan();
};

void TestLinkBreaks::whatBothCountGoesOn() {
    Given bench;
    bench.runner->closed(bench.connection);
    bench.pass(10s);
    QVERIFY(bench.runner->state() == MachineState::Silent);
    bench.connect("run", held(1, GuestStage::Begun));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1"));
    QCOMPARE(bench.told(), std::string());
    bench.pass(25s); // counted from this Hello
    QCOMPARE(bench.told(), std::string());
    QVERIFY(bench.sayFinished(1));
    QCOMPARE(bench.told(), std::string("exited 1.1"));
}

void TestLinkBreaks::whatOnlyTheMachineHoldsIsSettled() {
    LinkBench bench;
    bench.connect("run", held(5, GuestStage::Begun));
    QCOMPARE(bench.heard(), std::string("Welcome: Settled:5.1"));
    QVERIFY(bench.sayFinished(5)); // it crossed
    QCOMPARE(bench.told(), std::string());
    QVERIFY(bench.runner->state() == MachineState::Ready);
}

void TestLinkBreaks::whatWasGivenAndIsNotNamedComesBack() {
    Given bench;
    bench.connect();
    QCOMPARE(bench.told(), std::string("returned 1.1"));
    QCOMPARE(bench.heard(), std::string("Welcome:"));
}

void TestLinkBreaks::whatHasBegunAndIsNotNamedIsLost() {
    Given bench;
    QVERIFY(bench.sayRunning(1));
    bench.connect();
    QCOMPARE(bench.told(), std::string("started 1.1 lost_runner 1.1"));
}

void TestLinkBreaks::whatHasEndedAndIsNotNamedIsLost() {
    Given bench;
    QVERIFY(bench.say(Kind::Finished, finishedWith("content")));
    bench.connect();
    QCOMPARE(bench.told(), std::string("lost_runner 1.1"));
    QCOMPARE(bench.heard(), std::string("Welcome:")); // nobody wants its outputs
}

void TestLinkBreaks::whatAnotherRunHadIsLost() {
    Given bench;
    bench.connect("another run", held(1, GuestStage::Waiting));
    QCOMPARE(bench.told(), std::string("lost_runner 1.1"));
    QCOMPARE(bench.heard(), std::string("Welcome: Settled:1.1"));
}

void TestLinkBreaks::whatIsHereIsCommittedWhateverTheMachineSays() {
    Given bench;
    QVERIFY(bench.sayFinished(1));
    QCOMPARE(bench.told(), std::string("exited 1.1"));
    bench.connect("another run");
    bench.pass(60s);
    QCOMPARE(bench.told(), std::string());
    bench.connect("another run");
    bench.heard();
    bench.acknowledge(1);
    QCOMPARE(bench.heard(), std::string("Settled:1.1"));

    // Without a link the next Hello settles it.
    bench.submit({2});
    QVERIFY(bench.sayFinished(2));
    bench.runner->closed(bench.connection);
    bench.acknowledge(2);
    bench.connect("another run", held(2, GuestStage::Ended));
    QCOMPARE(bench.heard(), std::string("Welcome: Settled:2.1"));
    QCOMPARE(bench.told(), std::string("exited 2.1"));
}

void TestLinkBreaks::anEndThatIsToldAgainIsPassedOver() {
    Given bench;
    QVERIFY(bench.sayFinished(1));
    bench.connect("run", held(1, GuestStage::Ended));
    QVERIFY(bench.sayFinished(1));
    QCOMPARE(bench.told(), std::string("exited 1.1"));
    QCOMPARE(bench.host.kept, std::string("1 "));
}

void TestLinkBreaks::fetchingGoesOnOverTheNextConnection() {
    Given bench;
    const std::string content(100'000, 'x');
    QVERIFY(bench.say(Kind::Finished, finishedWith(content)));
    QVERIFY(bench.sayChunk(content, 0));
    bench.connect("run", held(1, GuestStage::Ended));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1 Need:1"));
    QVERIFY(bench.say(Kind::Finished, finishedWith(content)));
    QVERIFY(bench.sayChunk(content, 0));
    QVERIFY(bench.sayChunk(content, link::kChunkPiece));
    QCOMPARE(bench.told(), std::string("exited 1.1"));
}

void TestLinkBreaks::silenceLosesWhatIsOutWhenItsLeaseIsOver() {
    Given bench;
    QVERIFY(bench.sayRunning(1));
    bench.told();
    bench.pass(4s);
    QVERIFY(bench.runner->state() == MachineState::Silent);
    bench.pass(25s);
    QCOMPARE(bench.told(), std::string());
    QCOMPARE(bench.heard(), std::string());
    bench.pass(1s);
    QCOMPARE(bench.told(), std::string("lost_runner 1.1"));
    QCOMPARE(bench.heard(), std::string("ended"));
    QVERIFY(bench.runner->state() == MachineState::Lost);
    QCOMPARE(bench.runner->capacity(), 2u);
    bench.connect();
    QVERIFY(bench.runner->state() == MachineState::Ready);
    QCOMPARE(bench.runner->free(), 2u);
}

void TestLinkBreaks::aRenewalMovesTheTimeOfLoss() {
    Given bench;
    for (int i = 0; i < 4; ++i) {
        bench.pass(20s);
        QVERIFY(bench.say(Kind::Renew, {}, 7));
    }
    QCOMPARE(bench.heard(), std::string("Renewed:7 Renewed:7 Renewed:7 Renewed:7"));
    QCOMPARE(bench.told(), std::string());
    QVERIFY(*bench.runner->lostAt() == link::BootTime(bench.host.now + 30s));
}

void TestLinkBreaks::whatComesAfterTheLeaseIsOverDoesNotCount() {
    Given bench;
    bench.host.now += 31s; // this machine slept
    QVERIFY(bench.say(Kind::Renew));
    QCOMPARE(bench.told(), std::string("lost_runner 1.1"));
    QCOMPARE(bench.heard(), std::string("ended"));
}

void TestLinkBreaks::aCancelIsToldAgainToTheNextConnection() {
    Given bench;
    bench.runner->closed(bench.connection);
    bench.runner->end({.lsn = Lsn(1)}, StopCause::Cancelled);
    bench.connect("run", held(1, GuestStage::Begun));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1 Cancel:1.1"));
}

void TestLinkBreaks::theConnectionBeforeIsNotRead() {
    Given bench;
    const LinkRunner::Connection before = bench.connection;
    bench.connect("run", held(1, GuestStage::Waiting));
    QVERIFY(bench.links.at(0)->isOver);
    bench.connection = before;
    QVERIFY(bench.sayFinished(1));
    QVERIFY(bench.sayHandedBack(1));
    QCOMPARE(bench.told(), std::string());
    bench.runner->closed(before);
    QVERIFY(bench.runner->isAccepting());
}

void TestLinkBreaks::aLeaseThatCannotBeSentComesBackWithTheNextHello() {
    LinkBench bench;
    bench.connect();
    bench.yard().isOver = true; // it does not read
    bench.submit({1, 2});
    QVERIFY(!bench.runner->isAccepting());
    // The second one was not given any more.
    QCOMPARE(bench.told(), std::string("returned 2.1"));
    bench.connect();
    QCOMPARE(bench.told(), std::string("returned 1.1"));
}

void TestLinkBreaks::manyAreSettledInSeveralFrames() {
    LinkBench bench;
    std::vector<link::Held> many;
    for (std::int64_t lsn = 1; lsn <= 5'001; ++lsn)
        many.push_back({.id = {.lsn = lsn}, .stage = GuestStage::Waiting});
    bench.connect("run", many);
    QCOMPARE(bench.heard(), std::string("Welcome: Settled:5000 of them Settled:5001.1"));
}

void TestLinkBreaks::aRestartedYardWaitsForWhatItKnew() {
    LinkBench bench;
    bench.runner->restore("run",
                          {{.id = {.lsn = Lsn(1)}, .slot = SlotId(0), .inputs = {}},
                           {.id = {.lsn = Lsn(2)}, .slot = SlotId(1), .inputs = {}}},
                          60s);
    QVERIFY(bench.runner->state() == MachineState::Silent);
    bench.pass(69s);
    QCOMPARE(bench.told(), std::string());
    bench.connect("run", held(1, GuestStage::Ended));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1"));
    QCOMPARE(bench.told(), std::string("returned 2.1"));
    QVERIFY(bench.sayFinished(1));
    QCOMPARE(bench.told(), std::string("exited 1.1"));

    LinkBench other;
    other.runner->restore("run", {{.id = {.lsn = Lsn(1)}, .slot = SlotId(0), .inputs = {}}}, 60s);
    other.pass(70s);
    QCOMPARE(other.told(), std::string("lost_runner 1.1"));
}

void TestLinkBreaks::aRestartedYardIsToldOfWhatRuns() {
    LinkBench bench;
    bench.runner->restore("run", {{.id = {.lsn = Lsn(1)}, .slot = SlotId(0), .inputs = {}}}, 60s);
    bench.connect("run", held(1, GuestStage::Begun));
    QCOMPARE(bench.heard(), std::string("Welcome:1.1"));
    QCOMPARE(bench.told(), std::string("started 1.1"));
    bench.connect("run", held(1, GuestStage::Begun)); // once
    QVERIFY(bench.sayRunning(1));
    QCOMPARE(bench.told(), std::string());
}

void TestLinkBreaks::aRestartedYardEndsWithTheGraceItIsGiven() {
    LinkBench bench;
    bench.runner->restore("run", {{.id = {.lsn = Lsn(1)}, .slot = SlotId(0), .inputs = {}, .grace = 5s}}, 60s);
    bench.connect("run", held(1, GuestStage::Begun));
    bench.runner->end({.lsn = Lsn(1)}, StopCause::Cancelled);
    QCOMPARE(bench.heard(), std::string("Welcome:1.1 Cancel:1.1"));
    QCOMPARE(bench.yard().cancel->graceMs, std::uint64_t{5'000});
}

void TestLinkBreaks::aRestartedYardIsToldHowLongItRan() {
    LinkBench bench;
    bench.runner->restore(
        "run", {{.id = {.lsn = Lsn(1)}, .slot = SlotId(0), .inputs = {}, .given = MonoTime(bench.host.now - 9s)}},
        60s);
    bench.connect("run", held(1, GuestStage::Begun));
    bench.host.now += 1s;
    link::Finished body = LinkBench::finished(1);
    body.ranUs = 6'000'000;
    QVERIFY(bench.say(Kind::Finished, link::put(body)));
    QCOMPARE(bench.told(), std::string("started 1.1 exited 1.1"));
    const RunTimes& times = bench.ends.at(0).times;
    QVERIFY(times.exited - times.running == 6s);
    QVERIFY(times.submitting <= times.running);
}

QTEST_GUILESS_MAIN(TestLinkBreaks)
#include "tst_link_breaks.moc"
