// The desk for one yard's work and the link to that yard: leases that run out, reconnects, and a yard that lies.
#include "tests/guests/desk_script.h"

#include <QtTest>

using namespace yard;
using namespace yard::guests;
using namespace yard::guests::test;

class TestGuestDeskLink : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The lease.
    void itIsRenewedOnceASecond();
    void atItsEndWhatRunsIsEndedAndWhatWaitsIsDropped();
    void nothingBeginsAfterItsEnd();
    void aRunnerThatEndedItFirstChangesNothing();
    void aSecondAttemptWaitsForTheFirst();
    // The link.
    void resultsAreToldAgainAfterAReconnect();
    void inputsAreAskedForAgainAfterAReconnect();
    void whatAnEarlierConnectionServedChangesNothing();
    void whatIsFollowedIsToldOnceItBegins();
    void outputIsToldOfWhatIsFollowedAlone();
    void afterAReconnectTheYardSaysAgainWhatItFollows();
    void withoutALinkNothingIsSent();
    void manyResultsAreToldInPortions();
    void aRefusalOfTheYardClosesTheLink();
    void anotherProtocolIsRefused();
    void laterKindsArePassedOver();
    void whatNoYardSendsEndsTheLink_data();
    void whatNoYardSendsEndsTheLink();
    void whatComesAfterTheCloseIsPassedOver();
    void aWrongHashEndsTheLinkAndNothingIsKept();
};

void TestGuestDeskLink::itIsRenewedOnceASecond() {
    Script s;
    s.connect();
    s.told();
    s.tickAt(900ms);
    QCOMPARE(s.told(), std::string());
    s.tickAt(1s);
    QCOMPARE(s.told(), std::string("Renew"));
    const std::uint64_t id = s.last.frames.front().id;
    s.tickAt(1500ms);
    QCOMPARE(s.told(), std::string());
    s.yard(Kind::Renewed, {}, id);
    QCOMPARE(s.told(), std::string("until 121"));
    s.yard(Kind::Renewed, {}, id + 5); // never sent
    QCOMPARE(s.told(), std::string());
}

void TestGuestDeskLink::atItsEndWhatRunsIsEndedAndWhatWaitsIsDropped() {
    Script s;
    s.connect();
    s.run(kOne);
    s.lease(leaseOf(kTwo));
    s.told();
    s.tickAt(20s);
    QCOMPARE(s.told(), std::string("until 0; lease ended 1.1; dropped 2.1; close"));
    s.end(kOne, GuestEnd::Cancelled);
    QCOMPARE(s.told(), std::string());
    s.desk.connected(s.now);
    QCOMPARE(s.told(), std::string("Hello 1.1"));
    s.welcome(20, {kOne});
    QCOMPARE(s.told(), std::string("until 140; Finished 1.1 cause 6"));
}

void TestGuestDeskLink::nothingBeginsAfterItsEnd() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne));
    s.told();
    s.now += 20s;
    s.desk.prepared(kOne, s.now);
    QCOMPARE(s.told(), std::string("until 0; dropped 1.1; close"));
}

void TestGuestDeskLink::aRunnerThatEndedItFirstChangesNothing() {
    Script s;
    s.connect();
    s.run(kOne);
    s.now += 21s; // the engine hung; the launcher did not
    s.end(kOne, GuestEnd::LeaseEnded);
    QCOMPARE(s.told(), std::string("until 0; lease ended 1.1; close"));
    s.connect();
    QCOMPARE(s.told(), std::string("until 141; Hello 1.1; Finished 1.1 cause 6"));
}

void TestGuestDeskLink::aSecondAttemptWaitsForTheFirst() {
    Script s;
    s.connect();
    s.run(kOne);
    const AttemptRef again{.lsn = 1, .attempt = 2};
    s.lease(leaseOf(again));
    s.desk.prepared(again, s.now);
    QCOMPARE(s.told(), std::string("prepare 1.2"));
    s.end(kOne);
    QVERIFY(s.told().ends_with("start 1.2"));
}

void TestGuestDeskLink::resultsAreToldAgainAfterAReconnect() {
    Script s;
    s.connect();
    s.run(kOne);
    s.desk.disconnected();
    s.end(kOne);
    QCOMPARE(s.told(), std::string());
    s.connect();
    QCOMPARE(s.told(), std::string("Hello 1.1; Finished 1.1 cause 0"));
    s.connect();
    QCOMPARE(s.told(), std::string("Hello 1.1; Finished 1.1 cause 0"));
    s.connect(20, {kOne, kTwo}); // the yard counts what is not here
    QCOMPARE(s.told(), std::string("Hello 1.1; HandedBack 2.1; Finished 1.1 cause 0"));
}

void TestGuestDeskLink::inputsAreAskedForAgainAfterAReconnect() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne, {"abc", "def"}));
    s.desk.lacking(kOne, {Sha256::of("abc"), Sha256::of("def")}, s.now);
    s.yard(Kind::Chunk, put(chunkOf("abc", 0, 1)));
    s.yard(Kind::Chunk, put(chunkOf("def")));
    s.told();
    s.desk.disconnected();
    QCOMPARE(s.told(), std::string("abandoned 1"));
    s.connect();
    QCOMPARE(s.told(), std::string("Hello 1.1; Need 1")); // the other one is on its way into the store
    s.yard(Kind::Chunk, put(chunkOf("abc")));
    s.desk.stored(Sha256::of("def"), s.now);
    s.desk.stored(Sha256::of("abc"), s.now);
    QCOMPARE(s.told(), std::string("last abc; prepare 1.1"));
}

void TestGuestDeskLink::whatAnEarlierConnectionServedChangesNothing() {
    Script s;
    s.connect();
    s.run(kOne);
    link::Finished end;
    end.outputs = {{.path = "a", .hash = Sha256::of("a"), .size = 1}};
    s.desk.ended(end, kOne, s.now);
    const std::string need = put(link::Need{{Sha256::of("a")}});
    s.told();
    s.yard(Kind::Need, need, 9);
    QCOMPARE(s.told(), std::string("serve 9"));
    const DeskOut::Serve earlier = s.last.serves.front();
    s.desk.disconnected();
    s.connect(20, {kOne});
    s.told();
    s.yard(Kind::Need, need, 9); // another yard process counts from the same number
    QCOMPARE(s.told(), std::string("serve 9"));
    const DeskOut::Serve later = s.last.serves.front();
    s.desk.served(earlier);
    s.yard(Kind::Need, need, 10); // it is on its way still
    QCOMPARE(s.told(), std::string());
    s.desk.served(later);
    s.yard(Kind::Need, need, 11);
    QCOMPARE(s.told(), std::string("serve 11"));
}

void TestGuestDeskLink::whatIsFollowedIsToldOnceItBegins() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne));
    s.yard(Kind::Follow, put(link::Follow{.id = kOne, .isErr = false, .from = 7}));
    s.yard(Kind::Follow, put(link::Follow{.id = kOne, .isErr = true, .from = 0}));
    s.yard(Kind::Follow, put(link::Follow{.id = kTwo, .isErr = true, .from = 0})); // nobody
    s.told();
    s.desk.prepared(kOne, s.now);
    QVERIFY(s.told().ends_with("start 1.1; follow out 1.1 from 7; follow err 1.1 from 0"));
    s.yard(Kind::Follow, put(link::Follow{.id = kOne, .isErr = false, .from = 9}));
    QCOMPARE(s.told(), std::string("follow out 1.1 from 9"));
    s.end(kOne);
    s.told();
    s.yard(Kind::Follow, put(link::Follow{.id = kOne, .isErr = false, .from = 9})); // it crossed the end
    QCOMPARE(s.told(), std::string());
}

void TestGuestDeskLink::outputIsToldOfWhatIsFollowedAlone() {
    Script s;
    s.connect();
    s.run(kOne);
    const auto prints = [&s](link::UpdateKind kind) {
        s.now += 1s;
        s.desk.update({.id = kOne, .kind = kind, .number = 0, .text = "text"}, s.now);
        return s.told();
    };
    QCOMPARE(prints(link::UpdateKind::Output), std::string());
    s.yard(Kind::Follow, put(link::Follow{.id = kOne, .isErr = false, .from = 0}));
    s.told();
    QCOMPARE(prints(link::UpdateKind::Output), std::string("Updates 1.1:5"));
    QCOMPARE(prints(link::UpdateKind::ErrorOutput), std::string());
}

void TestGuestDeskLink::afterAReconnectTheYardSaysAgainWhatItFollows() {
    Script s;
    s.connect();
    s.run(kOne);
    s.yard(Kind::Follow, put(link::Follow{.id = kOne, .isErr = false, .from = 0}));
    s.told();
    const auto prints = [&s](std::uint64_t offset) {
        s.desk.update({.id = kOne, .kind = link::UpdateKind::Output, .number = offset, .text = "text"}, s.now);
    };
    prints(0);
    s.told();
    prints(4); // it has to wait, and is lost with the link
    s.desk.disconnected();
    prints(8);
    s.connect(20, {kOne});
    s.told();
    s.now += 1s;
    prints(12);
    QCOMPARE(s.told(), std::string());
    s.yard(Kind::Follow, put(link::Follow{.id = kOne, .isErr = false, .from = 4}));
    QCOMPARE(s.told(), std::string("follow out 1.1 from 4"));
    prints(4);
    QCOMPARE(s.told(), std::string("Updates 1.1:5"));
}

void TestGuestDeskLink::withoutALinkNothingIsSent() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne, {"abc"}));
    s.run(kTwo);
    s.desk.disconnected();
    s.desk.lacking(kOne, {Sha256::of("abc")}, s.now);
    s.tickAt(5s);
    s.desk.update({.id = kTwo, .kind = link::UpdateKind::Cpu, .number = 7}, s.now);
    s.lease(leaseOf(kThree));
    s.desk.leave(link::LeavingCause::Sent, -1s, "", s.now);
    QCOMPARE(s.told(), std::string("dropped 1.1"));
}

void TestGuestDeskLink::manyResultsAreToldInPortions() {
    Script s;
    s.connect();
    constexpr std::size_t kBytes = 500'000;
    constexpr std::size_t kPortion = GuestDesk::kResultBytes / kBytes + 1;
    link::Finished end;
    end.result = '"' + std::string(kBytes, 'x') + '"';
    for (std::int64_t lsn = 1; lsn <= 12; ++lsn) {
        const AttemptRef id{.lsn = lsn, .attempt = 1};
        s.run(id);
        s.desk.ended(end, id, s.now);
    }
    s.told();
    s.now += 100ms;
    s.connect();
    s.told();
    QCOMPARE(s.last.frames.size(), kPortion + 1); // and the Hello
    s.tickAt(200ms);
    s.told();
    QCOMPARE(s.last.frames.size(), 12 - kPortion);
}

void TestGuestDeskLink::aRefusalOfTheYardClosesTheLink() {
    for (const bool isUp : {false, true}) {
        Script s;
        s.desk.connected(s.now);
        if (isUp) s.welcome();
        s.told();
        s.yard(Kind::Refused, put(link::Refused{.cause = link::RefusalCause::Removed, .sentence = "go away"}));
        QCOMPARE(s.told(), std::string("close"));
        QCOMPARE(s.last.reason, std::string("go away"));
        QVERIFY(!s.desk.isUp());
    }
}

void TestGuestDeskLink::anotherProtocolIsRefused() {
    Script s;
    s.desk.connected(s.now);
    s.told();
    s.yard(Kind::Welcome,
           put(link::Welcome{.protocol = link::kProtocol + 1, .runId = "y", .name = "y", .held = {}}));
    QCOMPARE(s.told(), std::string("Refused 2; close"));
    QVERIFY(!s.desk.isUp());
}

void TestGuestDeskLink::laterKindsArePassedOver() {
    Script s;
    s.desk.connected(s.now);
    s.raw(link::kLastKind + 1, "what");
    s.welcome();
    s.raw(link::kLastKind + 1, "what");
    QCOMPARE(s.told(), std::string("until 120; Hello"));
    QVERIFY(s.desk.isUp());
}

void TestGuestDeskLink::whatNoYardSendsEndsTheLink_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("body");
    const auto row = [](const char* name, Kind kind, const std::string& body) {
        QTest::newRow(name) << static_cast<int>(kind) << QByteArray::fromStdString(body);
    };
    for (const Kind kind :
         {Kind::Refused, Kind::Lease, Kind::Need, Kind::Chunk, Kind::Settled, Kind::Cancel, Kind::Follow})
        row(("garbage as " + std::to_string(static_cast<int>(kind))).c_str(), kind, "x");
    for (const Kind kind :
         {Kind::Hello, Kind::Welcome, Kind::Updates, Kind::Finished, Kind::Renew, Kind::HandedBack, Kind::Leaving})
        row(("a machine's, or at the wrong time: " + std::to_string(static_cast<int>(kind))).c_str(), kind, "");
    QTest::newRow("no kind") << 0 << QByteArray();
    row("a chunk that nobody asked for", Kind::Chunk, put(chunkOf("abc")));
}

void TestGuestDeskLink::whatNoYardSendsEndsTheLink() {
    QFETCH(int, kind);
    QFETCH(QByteArray, body);
    Script s;
    s.connect();
    s.run(kOne);
    s.raw(static_cast<std::uint8_t>(kind), body.toStdString());
    QCOMPARE(s.told(), std::string("Refused 5; close"));
    QVERIFY(!s.last.reason.empty() && !s.desk.isUp());
    QCOMPARE(s.desk.count(), 1u); // what runs is ended with its lease
    if (kind == static_cast<int>(Kind::Refused)) return;
    Script greeting;
    greeting.desk.connected(greeting.now);
    greeting.told();
    greeting.raw(static_cast<std::uint8_t>(kind), body.toStdString());
    QCOMPARE(greeting.told(), std::string("Refused 5; close"));
}

void TestGuestDeskLink::whatComesAfterTheCloseIsPassedOver() {
    Script s;
    s.connect();
    s.raw(static_cast<std::uint8_t>(Kind::Chunk), "x");
    s.told();
    s.lease(leaseOf(kOne));
    s.raw(static_cast<std::uint8_t>(Kind::Chunk), "x");
    s.welcome();
    QCOMPARE(s.told(), std::string());
    QCOMPARE(s.desk.count(), 0u);
}

void TestGuestDeskLink::aWrongHashEndsTheLinkAndNothingIsKept() {
    Script s;
    s.connect();
    s.lease(leaseOf(kOne, {"abc"}));
    s.desk.lacking(kOne, {Sha256::of("abc")}, s.now);
    s.yard(Kind::Chunk, put(chunkOf("abc", 0, 2)));
    s.told();
    link::Chunk wrong = chunkOf("abc", 2);
    wrong.bytes = "d";
    s.yard(Kind::Chunk, put(wrong));
    QCOMPARE(s.told(), std::string("Refused 5; abandoned 1; close"));
    s.connect();
    QCOMPARE(s.told(), std::string("Hello 1.1; Need 1"));
}

QTEST_GUILESS_MAIN(TestGuestDeskLink)
#include "tst_guest_desk_link.moc"
