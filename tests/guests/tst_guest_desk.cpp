// The desk for one yard's work, against a yard that is played by hand: what follows from what.
#include "tests/guests/desk_script.h"

#include <QtTest>

#include <algorithm>

using namespace yard;
using namespace yard::guests;
using namespace yard::guests::test;

class TestGuestDesk : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The way of one attempt.
    void anAttemptGoesFromItsLeaseToSettled();
    void inputsThatAreMissingAreAskedFor();
    void whatSeveralLackIsAskedForOnce();
    void whatTheStoreHasIsNotAskedFor();
    void itsInputsAreNeededUntilItHasEnded();
    void aFinishedSaysHowLongItWaited();
    void onlyItsOwnResultsAreServed();
    // What is not run.
    void whatIsNotTakenEndsAsRefused();
    void inputsBeyondTheLimitAreRefused();
    void inputsThatCannotBeKeptAreRefused();
    void whatCannotBePreparedEndsAsRefused();
    void whatTheRunnerGivesBackHasNotRun();
    void anEndThatCannotBeToldSaysSo();
    // Room.
    void whatDoesNotFitNowWaitsAndAllBehindIt();
    void whatNoLongerFitsIsRefused();
    void aCancelledOneGivesItsTurnAway();
    void answersForOneThatWasDroppedMoveNothingOfTheSameLeasedAgain();
    void tooMuchThatIsHeldIsHandedBack();
    void yardsShareTheBudget();
    void anEndedDeskGivesItsBudgetBack();
    void anInputThatNobodyWaitsForMakesRoom();
    // Cancel, leave.
    void anInputThatIsBeingStoredIsNotPutOut();
    void whatWaitsIsHandedBackWhenItIsCancelled();
    void whatRunsIsEndedWhenItIsCancelled();
    void whatIsSettledWhileItRunsIsEndedAndForgotten();
    void aMachineThatLeavesTakesNothingNew();
};

void TestGuestDesk::anAttemptGoesFromItsLeaseToSettled() {
    Script s;
    s.desk.connected(s.now);
    QCOMPARE(s.told(), std::string("Hello"));
    s.welcome();
    QCOMPARE(s.told(), std::string("until 120"));
    s.lease(leaseOf(kOne));
    QCOMPARE(s.told(), std::string("prepare 1.1"));
    s.desk.prepared(kOne, s.now);
    QCOMPARE(s.told(), std::string("Updates 1.1:0; start 1.1"));
    s.desk.update({.id = kOne, .kind = link::UpdateKind::Running, .number = 7}, s.now);
    QCOMPARE(s.told(), std::string());
    s.tickAt(100ms);
    QCOMPARE(s.told(), std::string("Updates 1.1:1"));
    s.end(kOne);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 0"));
    QCOMPARE(s.desk.count(), 1u);
    s.yard(Kind::Settled, put(link::AttemptRefs{kOne}));
    QCOMPARE(s.told(), std::string("dropped 1.1"));
    QCOMPARE(s.desk.count(), 0u);
    QCOMPARE(s.budget.milliCores(), std::int64_t{0});
}

void TestGuestDesk::inputsThatAreMissingAreAskedFor() {
    Script s;
    s.connect();
    s.told();
    s.lease(leaseOf(kOne, {"abc", "def"}));
    QCOMPARE(s.told(), std::string("look up 1.1 2"));
    s.desk.lacking(kOne, {Sha256::of("abc"), Sha256::of("not its own")}, s.now);
    QCOMPARE(s.told(), std::string("Need 1"));
    s.yard(Kind::Chunk, put(chunkOf("abc", 0, 2)));
    QCOMPARE(s.told(), std::string("piece ab"));
    s.yard(Kind::Chunk, put(chunkOf("abc", 2)));
    QCOMPARE(s.told(), std::string("last c"));
    s.desk.stored(Sha256::of("abc"), s.now);
    QCOMPARE(s.told(), std::string("prepare 1.1"));
}

void TestGuestDesk::whatSeveralLackIsAskedForOnce() {
    Script s;
    s.connect();
    for (const AttemptRef id : {kOne, kTwo, kThree}) s.lease(leaseOf(id, {"abc"}));
    s.told();
    s.desk.lacking(kOne, {Sha256::of("abc")}, s.now);
    QCOMPARE(s.told(), std::string("Need 1"));
    s.desk.lacking(kTwo, {Sha256::of("abc")}, s.now);
    QCOMPARE(s.told(), std::string());
    s.yard(Kind::Chunk, put(chunkOf("abc")));
    s.desk.lacking(kThree, {Sha256::of("abc")}, s.now); // looked up before it came
    QCOMPARE(s.told(), std::string("last abc"));
    s.yard(Kind::Cancel, put(link::Cancel{.id = kTwo}));
    s.told();
    s.desk.stored(Sha256::of("abc"), s.now);
    QCOMPARE(s.told(), std::string("prepare 1.1; prepare 3.1"));
}

void TestGuestDesk::whatTheStoreHasIsNotAskedFor() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne, {"abc"}));
    s.told();
    s.desk.lacking(kOne, {}, s.now);
    QCOMPARE(s.told(), std::string("prepare 1.1"));
    s.desk.lacking(kOne, {Sha256::of("abc")}, s.now); // again
    s.desk.lacking(kTwo, {Sha256::of("abc")}, s.now); // of nobody
    QCOMPARE(s.told(), std::string());
}

void TestGuestDesk::itsInputsAreNeededUntilItHasEnded() {
    Script s;
    const auto needed = [&s] {
        std::vector<Hash256> inputs;
        s.desk.addInputs(inputs);
        return inputs;
    };
    s.connect();
    s.lease(leaseOf(kOne, {"abc"}));
    s.desk.lacking(kOne, {}, s.now);
    QCOMPARE(needed(), std::vector{Sha256::of("abc")});
    s.desk.prepared(kOne, s.now);
    QCOMPARE(needed(), std::vector{Sha256::of("abc")});
    s.end(kOne);
    QVERIFY(needed().empty());
}

void TestGuestDesk::aFinishedSaysHowLongItWaited() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne));
    s.now += 3s;
    s.desk.prepared(kOne, s.now);
    s.now += 5s;
    s.told();
    link::Finished end;
    end.exitCode = 4;
    end.message = "two\nlines";
    end.out = {.size = 3, .bytes = "abc", .hash = {}};
    s.desk.ended(end, kOne, s.now);
    s.told();
    QCOMPARE(s.finished().waitedUs, std::uint64_t{3'000'000});
    QCOMPARE(s.finished().exitCode, std::int64_t{4});
    QCOMPARE(s.finished().message, std::string("two lines"));
    QCOMPARE(s.finished().out.bytes, std::string("abc"));
}

void TestGuestDesk::onlyItsOwnResultsAreServed() {
    Script s;
    s.connect();
    s.run(kOne);
    link::Finished end;
    end.err = {.size = 90'000, .bytes = {}, .hash = Sha256::of("err")};
    end.outputs = {{.path = "a", .hash = Sha256::of("a"), .size = 1}};
    s.desk.ended(end, kOne, s.now);
    s.told();
    const std::string need = put(link::Need{{Sha256::of("a"), Sha256::of("secret"), Sha256::of("err")}});
    s.yard(Kind::Need, need, 9);
    QCOMPARE(s.told(), std::string("serve 9; serve 9"));
    const auto first = std::ranges::find(s.last.serves, Sha256::of("a"), &DeskOut::Serve::hash);
    QVERIFY(first != s.last.serves.end());
    const DeskOut::Serve serve = *first;
    s.yard(Kind::Need, need, 10); // while they are on their way
    QCOMPARE(s.told(), std::string());
    s.desk.served(serve);
    s.yard(Kind::Need, need, 11);
    QCOMPARE(s.told(), std::string("serve 11"));
    s.desk.served(s.last.serves.front());
    s.yard(Kind::Settled, put(link::AttemptRefs{kOne}));
    s.yard(Kind::Need, need, 12);
    QCOMPARE(s.told(), std::string("dropped 1.1"));
}

void TestGuestDesk::whatIsNotTakenEndsAsRefused() {
    Script s;
    s.connect();
    s.told();
    link::Lease lease = leaseOf(kOne);
    lease.spec = R"({"worker":"exec","argv":["true"]})";
    s.lease(lease);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 7"));
    QVERIFY(s.finished().message.contains("guest_unsandboxed"));
    s.yard(Kind::Settled, put(link::AttemptRefs{kOne}));
    QCOMPARE(s.told(), std::string("dropped 1.1"));
}

void TestGuestDesk::inputsBeyondTheLimitAreRefused() {
    GuestLimits limits = kGiven;
    limits.storeBytes = 2 * ChunkShelf::kLeastBytes;
    Script s(limits);
    s.connect();
    const std::string large(3 * ChunkShelf::kLeastBytes, 'x');
    s.lease(leaseOf(kOne, {large}));
    s.desk.lacking(kOne, {Sha256::of(large)}, s.now);
    s.told();
    s.yard(Kind::Chunk, put(chunkOf(large, 0, 100)));
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 7"));
    QVERIFY(s.finished().message.contains("guest_store_mb"));
    // Somebody else comes to need it while the rest of it comes: it is asked for once more, and refused as well.
    s.lease(leaseOf(kTwo, {large}));
    s.desk.lacking(kTwo, {Sha256::of(large)}, s.now);
    s.told();
    s.yard(Kind::Chunk, put(chunkOf(large, 100)));
    QCOMPARE(s.told(), std::string("Need 1"));
    s.yard(Kind::Chunk, put(chunkOf(large, 0, 100)));
    QCOMPARE(s.told(), std::string("Finished 2.1 cause 7"));
    s.yard(Kind::Chunk, put(chunkOf(large, 100)));
    QCOMPARE(s.told(), std::string());
}

void TestGuestDesk::inputsThatCannotBeKeptAreRefused() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne, {"abc"}));
    s.desk.lacking(kOne, {Sha256::of("abc")}, s.now);
    s.yard(Kind::Chunk, put(chunkOf("abc")));
    s.told();
    s.desk.notStored(Sha256::of("abc"), "the disk is full", s.now);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 7"));
    QVERIFY(s.finished().message.ends_with("the disk is full"));
}

void TestGuestDesk::whatCannotBePreparedEndsAsRefused() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne));
    s.told();
    s.desk.notPrepared(kOne, "no directory", s.now);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 7"));
    QCOMPARE(s.finished().message, std::string("no directory"));
    QCOMPARE(s.budget.milliCores(), std::int64_t{0});
    s.desk.prepared(kOne, s.now); // late
    QCOMPARE(s.told(), std::string());
}

void TestGuestDesk::whatTheRunnerGivesBackHasNotRun() {
    Script s;
    s.connect();
    s.run(kOne);
    s.run(kTwo);
    s.desk.returned(kOne, s.now);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 5"));
    s.yard(Kind::Cancel, put(link::Cancel{.id = kTwo}));
    QCOMPARE(s.told(), std::string("end 2.1"));
    s.desk.returned(kTwo, s.now);
    QCOMPARE(s.told(), std::string("Finished 2.1 cause 1"));
    s.desk.returned(kTwo, s.now); // again
    QCOMPARE(s.told(), std::string());
}

void TestGuestDesk::anEndThatCannotBeToldSaysSo() {
    Script s;
    s.connect();
    s.run(kOne);
    link::Finished end;
    end.outputs = {{.path = "a\nb", .hash = Sha256::of("a"), .size = 1}};
    s.desk.ended(end, kOne, s.now);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 3"));
    QVERIFY(s.finished().message.contains("cannot be told"));
    s.yard(Kind::Need, put(link::Need{{Sha256::of("a")}}));
    QCOMPARE(s.told(), std::string());
}

void TestGuestDesk::whatDoesNotFitNowWaitsAndAllBehindIt() {
    Script s;
    s.connect();
    s.told();
    s.lease(leaseOf(kOne, {}, 1));
    s.lease(leaseOf(kTwo, {}, 2));
    s.lease(leaseOf(kThree, {}, 1));
    s.desk.prepared(kOne, s.now);
    QCOMPARE(s.told(), std::string("Updates 1.1:0; prepare 1.1; start 1.1"));
    s.end(kOne);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 0; prepare 2.1"));
}

void TestGuestDesk::whatNoLongerFitsIsRefused() {
    Script s;
    s.connect();
    s.run(kOne);
    s.lease(leaseOf(kTwo, {}, 2)); // waits for all of it
    s.lease(leaseOf(kThree));
    s.told();
    GuestLimits less = kGiven;
    less.milliCores = 1'000;
    s.budget.setLimits(less);
    s.tickAt(100ms);
    QVERIFY(s.told().starts_with("Finished 2.1 cause 7"));
    QVERIFY(s.finished().message.contains("gives guests less"));
    s.end(kOne);
    QVERIFY(s.told().ends_with("prepare 3.1"));
}

void TestGuestDesk::aCancelledOneGivesItsTurnAway() {
    Script s;
    s.connect();
    s.run(kOne);
    s.lease(leaseOf(kTwo, {}, 2));
    s.lease(leaseOf(kThree, {}, 1));
    s.told();
    s.yard(Kind::Cancel, put(link::Cancel{.id = kTwo}));
    QCOMPARE(s.told(), std::string("HandedBack 2.1; prepare 3.1; dropped 2.1"));
    s.yard(Kind::Cancel, put(link::Cancel{.id = kThree}));
    QCOMPARE(s.told(), std::string("HandedBack 3.1; dropped 3.1"));
    QCOMPARE(s.budget.milliCores(), std::int64_t{1'000});
}

void TestGuestDesk::answersForOneThatWasDroppedMoveNothingOfTheSameLeasedAgain() {
    Script s;
    s.connect();
    const std::string cancel = put(link::Cancel{.id = kOne});
    s.lease(leaseOf(kOne));
    s.yard(Kind::Cancel, cancel);
    s.lease(leaseOf(kOne));
    s.told();
    s.desk.prepared(kOne, s.now); // of the first
    QCOMPARE(s.told(), std::string());
    s.desk.prepared(kOne, s.now);
    QCOMPARE(s.told(), std::string("Updates 1.1:0; start 1.1"));

    s.lease(leaseOf(kTwo));
    s.yard(Kind::Cancel, put(link::Cancel{.id = kTwo}));
    s.lease(leaseOf(kTwo));
    s.told();
    s.desk.notPrepared(kTwo, "no directory", s.now); // of the first
    QCOMPARE(s.told(), std::string());
    s.yard(Kind::Cancel, put(link::Cancel{.id = kTwo}));

    s.lease(leaseOf(kThree, {"abc"}));
    s.yard(Kind::Cancel, put(link::Cancel{.id = kThree}));
    s.lease(leaseOf(kThree, {"abc"}));
    s.told();
    s.desk.lacking(kThree, {}, s.now); // of the first
    QCOMPARE(s.told(), std::string());
    s.desk.lacking(kThree, {Sha256::of("abc")}, s.now);
    QCOMPARE(s.told(), std::string("Need 1"));
}

void TestGuestDesk::tooMuchThatIsHeldIsHandedBack() {
    Script s;
    s.connect();
    s.run(kOne);
    s.run(kTwo); // no core is free
    link::Lease large = leaseOf(kThree);
    // 16 arguments, and 2 MiB in all with what is around them.
    large.spec = R"({"worker":"exec","sandbox":true,"argv":["true")";
    for (int i = 0; i < 16; ++i) large.spec += ",\"" + std::string(131'000, 'x') + '"';
    large.spec += "]}";
    constexpr std::int64_t kFit = GuestDesk::kHeldBytes / (2u << 20) - 1;
    for (std::int64_t lsn = 10; lsn < 10 + kFit; ++lsn) {
        large.id = {.lsn = lsn, .attempt = 1};
        s.lease(large);
    }
    s.told();
    const std::size_t before = s.desk.count();
    for (std::int64_t lsn = 1'000; lsn < 1'002; ++lsn) {
        large.id = {.lsn = lsn, .attempt = 1};
        s.lease(large);
    }
    QVERIFY(s.told().ends_with("HandedBack 1001.1"));
    QVERIFY(s.desk.count() <= before + 1);
}

void TestGuestDesk::yardsShareTheBudget() {
    Script s;
    s.connect();
    s.run(kOne);
    s.run(kTwo);
    GuestDesk other({.runId = "run", .name = "m", .platform = "p", .version = "1", .slots = 4}, s.budget);
    other.connected(s.now);
    const std::string welcome = put(link::Welcome{.runId = "z", .name = "z", .held = {}});
    other.frame({.id = 1, .kind = static_cast<std::uint8_t>(Kind::Welcome), .body = welcome}, s.now);
    const std::string lease = put(leaseOf(kOne));
    other.frame({.id = 0, .kind = static_cast<std::uint8_t>(Kind::Lease), .body = lease}, s.now);
    QVERIFY(other.out.prepares.empty());
    s.end(kOne);
    other.tick(s.now);
    QCOMPARE(other.out.prepares.size(), 1u);
}

void TestGuestDesk::anEndedDeskGivesItsBudgetBack() {
    GuestBudget budget(kGiven);
    {
        GuestDesk desk({.runId = "run", .name = "m", .platform = "p", .version = "1", .slots = 4}, budget);
        desk.connected(link::BootTime(1s));
        const std::string welcome = put(link::Welcome{.runId = "z", .name = "z", .held = {}});
        desk.frame({.id = 1, .kind = static_cast<std::uint8_t>(Kind::Welcome), .body = welcome},
                   link::BootTime(1s));
        const std::string lease = put(leaseOf(kOne));
        desk.frame({.id = 0, .kind = static_cast<std::uint8_t>(Kind::Lease), .body = lease}, link::BootTime(1s));
        QCOMPARE(budget.milliCores(), std::int64_t{1'000});
    }
    QCOMPARE(budget.milliCores(), std::int64_t{0});
}

void TestGuestDesk::anInputThatNobodyWaitsForMakesRoom() {
    GuestLimits limits = kGiven;
    limits.storeBytes = ChunkShelf::kLeastBytes;
    Script s(limits);
    s.connect();
    s.lease(leaseOf(kOne, {"abc"}));
    s.desk.lacking(kOne, {Sha256::of("abc")}, s.now);
    s.yard(Kind::Chunk, put(chunkOf("abc", 0, 1)));
    s.yard(Kind::Cancel, put(link::Cancel{.id = kOne}));
    s.lease(leaseOf(kTwo, {"def"}));
    s.desk.lacking(kTwo, {Sha256::of("def")}, s.now);
    s.told();
    s.yard(Kind::Chunk, put(chunkOf("def")));
    QCOMPARE(s.told(), std::string("last def; abandoned 1"));
    s.yard(Kind::Chunk, put(chunkOf("abc", 1)));
    QCOMPARE(s.told(), std::string());
    s.desk.stored(Sha256::of("def"), s.now);
    s.desk.prepared(kTwo, s.now);
    s.end(kTwo);
    s.lease(leaseOf(kThree, {"ghi"}));
    s.desk.lacking(kThree, {Sha256::of("ghi")}, s.now);
    s.told();
    s.yard(Kind::Chunk, put(chunkOf("ghi")));
    QCOMPARE(s.told(), std::string("last ghi; evicted 1"));
}

void TestGuestDesk::anInputThatIsBeingStoredIsNotPutOut() {
    GuestLimits limits = kGiven;
    limits.storeBytes = ChunkShelf::kLeastBytes;
    Script s(limits);
    s.connect();
    s.lease(leaseOf(kOne, {"abc"}));
    s.desk.lacking(kOne, {Sha256::of("abc")}, s.now);
    s.yard(Kind::Chunk, put(chunkOf("abc")));
    s.yard(Kind::Cancel, put(link::Cancel{.id = kOne}));
    s.lease(leaseOf(kTwo, {"def"}));
    s.desk.lacking(kTwo, {Sha256::of("def")}, s.now);
    s.told();
    s.yard(Kind::Chunk, put(chunkOf("def")));
    QCOMPARE(s.told(), std::string("Finished 2.1 cause 7")); // there is no other room
    s.desk.stored(Sha256::of("abc"), s.now);
    s.lease(leaseOf(kThree, {"ghi"}));
    s.desk.lacking(kThree, {Sha256::of("ghi")}, s.now);
    s.told();
    s.yard(Kind::Chunk, put(chunkOf("ghi")));
    QCOMPARE(s.told(), std::string("last ghi; evicted 1"));
}

void TestGuestDesk::whatWaitsIsHandedBackWhenItIsCancelled() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne));
    s.told();
    s.yard(Kind::Cancel, put(link::Cancel{.id = kOne, .onlyIfWaiting = true}));
    QCOMPARE(s.told(), std::string("HandedBack 1.1; dropped 1.1"));
    s.desk.prepared(kOne, s.now);
    QCOMPARE(s.told(), std::string());
    s.yard(Kind::Cancel, put(link::Cancel{.id = kTwo})); // of which nothing is known
    QCOMPARE(s.told(), std::string());
}

void TestGuestDesk::whatRunsIsEndedWhenItIsCancelled() {
    Script s;
    s.connect();
    s.run(kOne);
    s.yard(Kind::Cancel, put(link::Cancel{.id = kOne, .onlyIfWaiting = true}));
    QCOMPARE(s.told(), std::string());
    s.yard(Kind::Cancel, put(link::Cancel{.id = kOne, .onlyIfWaiting = false, .graceMs = 77}));
    QCOMPARE(s.told(), std::string("end 1.1"));
    QCOMPARE(s.last.ends.front().graceMs, std::uint64_t{77});
    s.end(kOne, GuestEnd::Cancelled);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 1"));
}

void TestGuestDesk::whatIsSettledWhileItRunsIsEndedAndForgotten() {
    Script s;
    s.connect();
    s.run(kOne);
    s.yard(Kind::Settled, put(link::AttemptRefs{kOne, kTwo}));
    QCOMPARE(s.told(), std::string("end 1.1"));
    QCOMPARE(s.last.ends.front().graceMs, std::uint64_t{0});
    s.end(kOne, GuestEnd::Cancelled);
    QCOMPARE(s.told(), std::string("dropped 1.1"));
    QCOMPARE(s.desk.count(), 0u);
    QCOMPARE(s.budget.milliCores(), std::int64_t{0});
}

void TestGuestDesk::aMachineThatLeavesTakesNothingNew() {
    Script s;
    s.connect();
    s.run(kOne);
    s.lease(leaseOf(kTwo));
    s.told();
    s.desk.leave(link::LeavingCause::Quits, 30s, "its user\nquits", s.now);
    QCOMPARE(s.told(), std::string("Leaving; HandedBack 2.1; dropped 2.1"));
    s.lease(leaseOf(kThree));
    QCOMPARE(s.told(), std::string("HandedBack 3.1"));
    s.end(kOne);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause 0"));
}

QTEST_GUILESS_MAIN(TestGuestDesk)
#include "tst_guest_desk.moc"
