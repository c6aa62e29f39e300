// The desk for one yard's work: workers of that yard, and their files.
#include "tests/guests/desk_script.h"

#include <QtTest>

using namespace yard;
using namespace yard::guests;
using namespace yard::guests::test;

class TestGuestDeskWorkers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void filesOfAWorkerAreAskedForOnceItsDescriptorCame();
    void aWorkerThatIsHereStartsAtOnce();
    void aWorkerThatDoesNotFitIsRefusedWithItsReason();
    void aFileOfAWorkerThatLiesEndsTheLink();
    void aLinkThatBreaksWhileFilesComeAsksForTheRestAgain();
    void moreFilesThanAreHeldAreHandedBack();
};

namespace {

link::Lease leaseOfWorker(AttemptRef id, const std::string& descriptor) {
    link::Lease lease;
    lease.id = id;
    lease.worker = Sha256::of(descriptor).hex();
    lease.spec = R"({"worker":")" + lease.worker + R"(","function":"f","resources":{"cores":1}})";
    return lease;
}

} // namespace

void TestGuestDeskWorkers::filesOfAWorkerAreAskedForOnceItsDescriptorCame() {
    Script s;
    s.connect();
    s.told();
    s.lease(leaseOfWorker(kOne, "descriptor"));
    QCOMPARE(s.told(), std::string("look up 1.1 1"));
    QVERIFY(s.last.lookups.front().worker->id == Sha256::of("descriptor"));
    s.desk.lookedUp(kOne, {.missing = {Sha256::of("descriptor")}}, s.now);
    QCOMPARE(s.told(), std::string("Need 1"));
    s.yard(Kind::Chunk, put(chunkOf("descriptor")));
    s.desk.stored(Sha256::of("descriptor"), s.now);
    QCOMPARE(s.told(), std::string("look up 1.1 1; last descriptor"));
    s.desk.lookedUp(kOne, {.missing = {Sha256::of("b")}, .files = std::vector{Sha256::of("a"), Sha256::of("b")}},
                    s.now);
    QCOMPARE(s.told(), std::string("Need 1"));
    std::vector<Hash256> needed;
    s.desk.addInputs(needed);
    QCOMPARE(needed.size(), std::size_t{3}); // what is here, too: it is to stay
    s.yard(Kind::Chunk, put(chunkOf("b")));
    s.desk.stored(Sha256::of("b"), s.now);
    QCOMPARE(s.told(), std::string("last b; prepare 1.1"));
    s.desk.prepared(kOne, s.now);
    s.end(kOne);
    needed.clear();
    s.desk.addInputs(needed);
    QVERIFY(needed.empty());
}

void TestGuestDeskWorkers::aWorkerThatIsHereStartsAtOnce() {
    Script s;
    s.connect();
    s.lease(leaseOfWorker(kOne, "descriptor"));
    s.told();
    s.desk.lookedUp(kOne, {.missing = {}, .files = std::vector{Sha256::of("a")}}, s.now);
    QCOMPARE(s.told(), std::string("prepare 1.1"));
}

void TestGuestDeskWorkers::aWorkerThatDoesNotFitIsRefusedWithItsReason() {
    Script s;
    s.connect();
    s.lease(leaseOfWorker(kOne, "descriptor"));
    s.told();
    s.desk.lookedUp(kOne, {.missing = {}, .files = {}, .unfit = "its worker was built for plan9"}, s.now);
    QCOMPARE(s.told(), std::string("Finished 1.1 cause ") + std::to_string(static_cast<int>(GuestEnd::Refused)));
    QCOMPARE(s.finished().message, std::string("its worker was built for plan9"));
    s.desk.lookedUp(kOne, {.missing = {}, .files = std::vector{Sha256::of("a")}}, s.now); // again
    QCOMPARE(s.told(), std::string());
}

void TestGuestDeskWorkers::aFileOfAWorkerThatLiesEndsTheLink() {
    Script s;
    s.connect();
    s.lease(leaseOfWorker(kOne, "descriptor"));
    s.desk.lookedUp(kOne, {.missing = {Sha256::of("a")}, .files = std::vector{Sha256::of("a")}}, s.now);
    s.told();
    link::Chunk lie = chunkOf("b");
    lie.hash = Sha256::of("a");
    s.yard(Kind::Chunk, put(lie));
    QVERIFY(s.told().ends_with("close"));
    QVERIFY(!s.desk.isUp());
}

void TestGuestDeskWorkers::aLinkThatBreaksWhileFilesComeAsksForTheRestAgain() {
    Script s;
    s.connect();
    s.lease(leaseOfWorker(kOne, "descriptor"));
    const std::vector files{Sha256::of("one"), Sha256::of("two")};
    s.desk.lookedUp(kOne, {.missing = files, .files = files}, s.now);
    s.yard(Kind::Chunk, put(chunkOf("one")));
    s.desk.stored(Sha256::of("one"), s.now);
    s.yard(Kind::Chunk, put(chunkOf("two", 0, 1)));
    s.told();
    s.desk.disconnected();
    QCOMPARE(s.told(), std::string("abandoned 1"));
    s.connect(20, {kOne});
    QVERIFY(s.told().contains("Need 1"));
    s.yard(Kind::Chunk, put(chunkOf("two")));
    s.desk.stored(Sha256::of("two"), s.now);
    QCOMPARE(s.told(), std::string("last two; prepare 1.1"));
}

void TestGuestDeskWorkers::moreFilesThanAreHeldAreHandedBack() {
    Script s;
    s.connect();
    s.lease(leaseOfWorker(kOne, "descriptor"));
    s.told();
    const std::vector<Hash256> files(GuestDesk::kHeldBytes / (2 * sizeof(Hash256)), Sha256::of("a"));
    s.desk.lookedUp(kOne, {.missing = {}, .files = files}, s.now);
    QCOMPARE(s.told(), std::string("HandedBack 1.1; dropped 1.1"));
    QCOMPARE(s.desk.count(), std::size_t{0});
    s.lease(leaseOfWorker(kOne, "descriptor")); // its answer is not taken for the one before
    s.told();
    s.desk.lookedUp(kOne, {.missing = {}, .files = std::vector{Sha256::of("a")}}, s.now);
    QCOMPARE(s.told(), std::string("prepare 1.1"));
}

QTEST_GUILESS_MAIN(TestGuestDeskWorkers)
#include "tst_guest_desk_workers.moc"
