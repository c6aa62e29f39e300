// A link's connection with a peer that keeps the rules, and with peers that do not: hostile bytes, half frames, silence,
// nothing read.
#include "tests/link/header_bytes.h"
#include "tests/linkio/link_rig.h"

#include <string>

using namespace yard;
using namespace yard::link;
using namespace yard::linkio;
using namespace yard::linkio::test;
using yard::test::header;

namespace {

const std::string kRenew = frameBytes(Kind::Renew, 7, "");

std::string piece() {
    std::string bytes;
    bytes.resize(kChunkPiece);
    return bytes;
}

} // namespace

class TestLinkConnection : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void framesPassBothWays();
    void aFrameInPiecesIsOneFrame();
    void kindsThatAreNotKnownArePassedOver();
    void whatIsNoFrameEndsIt_data();
    void whatIsNoFrameEndsIt();
    void whatTheSinkRefusesEndsIt();
    void nothingIsReadWhileTheSinkIsBusy();
    void aPeerThatLeavesEndsItInTheMiddleOfAFrameToo();
    void silenceEndsIt();
    void aFrameIsNoSilence();
    void controlGoesBeforeChunksThatWait();
    void chunksWaitForRoom();
    void aPeerThatReadsNothingIsCut();
    void tooMuchControlEndsIt();
    void aLastWordIsHeardAndWhatComesAfterItIsNotRead();
    void aPeerThatStaysAfterTheLastWordIsCut();
    void theTimeOfTheLastWordCountsWithinAFrameThatIsBeingWritten();
    void theFirstCauseCounts();
    void anInterruptionClosesTheStream();
    void itMayEndWithItsLoop();
};

void TestLinkConnection::framesPassBothWays() {
    LinkRig rig;
    QVERIFY(rig.connection.send(Kind::Welcome, 1, "early"));
    rig.begin();
    rig.say(kRenew);
    QCOMPARE(rig.sink.log, std::string("11:7:0 "));
    QVERIFY(rig.connection.send(Kind::Renewed, 7, ""));
    QCOMPARE(rig.hear(), frameBytes(Kind::Welcome, 1, "early") + frameBytes(Kind::Renewed, 7, ""));
    QCOMPARE(rig.connection.bytesReceived(), kRenew.size());
    QCOMPARE(rig.connection.bytesSent(), 2 * kHeaderBytes + 5);
    QCOMPARE(rig.ended(), std::string());
    rig.connection.end(LinkEnd::Ended);
    QCOMPARE(rig.ended(), std::string("ended"));
    QVERIFY(isAtEnd(rig.ends.theirs));
    QVERIFY(!rig.connection.send(Kind::Renewed, 8, ""));
}

void TestLinkConnection::aFrameInPiecesIsOneFrame() {
    LinkRig rig;
    rig.begin();
    const std::string frame = frameBytes(Kind::Need, 3, "abc");
    for (const char byte : frame) rig.say(std::string_view(&byte, 1));
    QCOMPARE(rig.sink.log, std::string("5:3:3 "));
    QCOMPARE(rig.ended(), std::string());
}

void TestLinkConnection::kindsThatAreNotKnownArePassedOver() {
    LinkRig rig;
    rig.begin();
    rig.say(header(9 + 2, 0) + "xx" + header(9 + 3, 200) + "yyy" + kRenew);
    QCOMPARE(rig.sink.log, std::string("11:7:0 "));
}

void TestLinkConnection::whatIsNoFrameEndsIt_data() {
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, const std::string& bytes) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes);
    };
    row("shorter than a header", header(8, 11));
    row("over the limit of its kind", header(9 + 1025, 11));
    row("4 GiB", header(0xffffffffu, 4));
    row("a request", "GET /compute/session HTTP/1.1\r\n\r\n");
    row("behind a good one", kRenew + header(0, 11));
}

void TestLinkConnection::whatIsNoFrameEndsIt() {
    QFETCH(QByteArray, bytes);
    LinkRig rig;
    rig.begin();
    rig.say(bytes.toStdString());
    QCOMPARE(rig.ended(), std::string("broken rules"));
    QVERIFY(isAtEnd(rig.ends.theirs));
}

void TestLinkConnection::whatTheSinkRefusesEndsIt() {
    LinkRig rig;
    rig.sink.accepts = false;
    rig.begin();
    rig.say(kRenew + kRenew);
    QCOMPARE(rig.ended(), std::string("broken rules"));
    QCOMPARE(rig.sink.log, std::string("11:7:0 "));
}

void TestLinkConnection::nothingIsReadWhileTheSinkIsBusy() {
    LinkRig rig;
    coro::Event ready;
    rig.sink.hold = &ready;
    rig.begin();
    const std::string chunk = frameBytes(Kind::Chunk, 1, piece());
    std::size_t gone = 0;
    for (int i = 0; i < 1000; ++i) gone += rig.say(chunk);
    // What the kernel keeps, and no more: the frames are whole or not, that does not matter here.
    QVERIFY(gone < 100 * chunk.size());
    QVERIFY(rig.connection.bytesReceived() < 2 * chunk.size());
    rig.rig.advance(60s);
    QCOMPARE(rig.ended(), std::string());
    ready.set();
    rig.settle();
    QVERIFY(rig.connection.bytesReceived() > 2 * chunk.size());
}

void TestLinkConnection::aPeerThatLeavesEndsItInTheMiddleOfAFrameToo() {
    LinkRig rig;
    rig.begin();
    rig.say(std::string_view(kRenew).substr(0, 5));
    rig.ends.theirs.reset();
    QCOMPARE(rig.ended(), std::string("peer left"));
    QCOMPARE(rig.sink.log, std::string());
}

void TestLinkConnection::silenceEndsIt() {
    LinkRig rig({.silence = 10s, .writeStall = 10s, .goodbye = 2s});
    rig.begin();
    rig.rig.advance(9s);
    QCOMPARE(rig.ended(), std::string());
    rig.rig.advance(2s);
    QCOMPARE(rig.ended(), std::string("silent"));
    QVERIFY(isAtEnd(rig.ends.theirs));
}

void TestLinkConnection::aFrameIsNoSilence() {
    LinkRig rig({.silence = 10s, .writeStall = 10s, .goodbye = 2s});
    rig.begin();
    for (int i = 0; i < 5; ++i) {
        rig.rig.advance(9s);
        rig.say(kRenew);
    }
    QCOMPARE(rig.ended(), std::string());
}

void TestLinkConnection::controlGoesBeforeChunksThatWait() {
    LinkRig rig;
    for (int i = 0; i < 3; ++i) QVERIFY(rig.connection.send(Kind::Chunk, 1, piece()));
    QVERIFY(rig.connection.send(Kind::Renewed, 1, ""));
    QVERIFY(rig.connection.send(Kind::Cancel, 2, ""));
    rig.begin();
    QCOMPARE(kindsOf(rig.hear()), std::string("12 10 6 6 6"));
}

void TestLinkConnection::chunksWaitForRoom() {
    LinkRig rig;
    int taken = 0;
    while (rig.connection.send(Kind::Chunk, 1, piece())) ++taken;
    QCOMPARE(taken, 15);
    QVERIFY(!rig.connection.hasRoomForBulk());
    QVERIFY(rig.connection.send(Kind::Renewed, 1, ""));
    QCOMPARE(rig.sink.rooms, 0);
    rig.begin();
    QVERIFY(!rig.hear().empty());
    QCOMPARE(rig.sink.rooms, 1);
    QVERIFY(rig.connection.send(Kind::Chunk, 1, piece()));
    QCOMPARE(rig.ended(), std::string());
}

void TestLinkConnection::aPeerThatReadsNothingIsCut() {
    LinkRig rig({.silence = 60s, .writeStall = 10s, .goodbye = 2s});
    rig.begin();
    while (rig.connection.send(Kind::Chunk, 1, piece())) rig.settle();
    rig.rig.advance(9s);
    rig.say(kRenew);
    QCOMPARE(rig.ended(), std::string());
    rig.rig.advance(2s);
    QCOMPARE(rig.ended(), std::string("not reading"));
}

void TestLinkConnection::tooMuchControlEndsIt() {
    LinkRig rig;
    rig.begin();
    const std::string lease(3u << 20, 'x');
    for (int i = 0; i < 5; ++i) QVERIFY(rig.connection.send(Kind::Lease, 1, lease));
    QVERIFY(!rig.connection.send(Kind::Lease, 1, lease));
    QVERIFY(rig.connection.isOver());
    QCOMPARE(rig.ended(), std::string("not reading"));
}

void TestLinkConnection::aLastWordIsHeardAndWhatComesAfterItIsNotRead() {
    LinkRig rig;
    rig.begin();
    rig.sink.onFrame = [&] {
        rig.connection.send(Kind::Refused, 7, "go away");
        rig.connection.finish();
    };
    rig.say(kRenew + kRenew);
    QCOMPARE(rig.hear(), frameBytes(Kind::Refused, 7, "go away"));
    rig.say(kRenew);
    QCOMPARE(rig.sink.log, std::string("11:7:0 "));
    QVERIFY(!rig.connection.send(Kind::Renewed, 7, ""));
    QCOMPARE(rig.ended(), std::string());
    rig.ends.theirs.reset();
    QCOMPARE(rig.ended(), std::string("ended"));
}

void TestLinkConnection::aPeerThatStaysAfterTheLastWordIsCut() {
    LinkRig rig({.silence = 60s, .writeStall = 10s, .goodbye = 2s});
    rig.begin();
    rig.connection.finish();
    rig.settle();
    rig.rig.advance(1s);
    rig.say(kRenew);
    QCOMPARE(rig.ended(), std::string());
    rig.rig.advance(2s);
    QCOMPARE(rig.ended(), std::string("ended"));
    QCOMPARE(rig.sink.log, std::string());

    // And one that does not even read it.
    LinkRig deaf({.silence = 60s, .writeStall = 10s, .goodbye = 2s});
    const std::string lease(3u << 20, 'x');
    for (int i = 0; i < 3; ++i) QVERIFY(deaf.connection.send(Kind::Lease, 1, lease));
    deaf.connection.finish();
    deaf.begin();
    deaf.rig.advance(1s);
    QCOMPARE(deaf.ended(), std::string());
    deaf.rig.advance(2s);
    QCOMPARE(deaf.ended(), std::string("not reading"));
}

void TestLinkConnection::theTimeOfTheLastWordCountsWithinAFrameThatIsBeingWritten() {
    LinkRig slow({.silence = 60s, .writeStall = 10s, .goodbye = 2s});
    slow.begin();
    QVERIFY(slow.connection.send(Kind::Lease, 1, std::string(3u << 20, 'x')));
    slow.settle();
    slow.connection.finish();
    QVERIFY(!readAll(slow.ends.theirs).empty()); // the part that is being written goes out, and the next one waits
    slow.settle();
    slow.rig.advance(1s);
    QCOMPARE(slow.ended(), std::string());
    slow.rig.advance(2s);
    QCOMPARE(slow.ended(), std::string("not reading"));
}

void TestLinkConnection::theFirstCauseCounts() {
    LinkRig rig;
    rig.begin();
    rig.ends.theirs.reset();
    rig.connection.end(LinkEnd::BrokenRules);
    rig.connection.end(LinkEnd::Ended);
    QCOMPARE(rig.ended(), std::string("broken rules"));
}

void TestLinkConnection::anInterruptionClosesTheStream() {
    LinkRig rig;
    const coro::ThreadRef thread = rig.rig.spawn(
        "link", [](LinkConnection& connection) -> coro::Task<void> { co_await connection.run(); }(rig.connection));
    rig.settle();
    thread->interrupt();
    rig.settle();
    QVERIFY(rig.connection.isOver());
    QVERIFY(isAtEnd(rig.ends.theirs));
}

void TestLinkConnection::itMayEndWithItsLoop() {
    LinkRig rig;
    rig.begin();
    while (rig.connection.send(Kind::Chunk, 1, piece())) rig.settle();
    QCOMPARE(rig.rig.loop.shutdown(), std::size_t(0));
    QVERIFY(rig.connection.isOver());
}

QTEST_GUILESS_MAIN(TestLinkConnection)
#include "tst_connection.moc"
