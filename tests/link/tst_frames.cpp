// Frames in a stream of bytes, and the order in which they go out.
#include "core/link/frame.h"
#include "core/link/send_queue.h"
#include "tests/link/header_bytes.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

using namespace yard::link;
using yard::test::header;

namespace {

/// Frames of a stream that comes in pieces of this size, as "kind:id:body " each.
std::string framesOf(std::string_view bytes, std::size_t piece) {
    FrameReader reader;
    std::string frames;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.append(bytes.substr(at, piece));
        while (const auto frame = reader.next())
            frames += std::to_string(frame->kind) + ':' + std::to_string(frame->id) + ':' +
                      std::string(frame->body) + ' ';
    }
    return frames + (reader.isBroken() ? "broken" : std::to_string(reader.kept()));
}

} // namespace

class TestLinkFrames : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFrameIsLengthIdKindAndBodyInLittleEndian();
    void framesAreTheSameHoweverTheStreamIsCut();
    void aHeaderOverTheLimitOfItsKindBreaksTheStreamBeforeItsBodyCame();
    void aFrameShorterThanItsHeaderBreaksTheStream();
    void anUnknownKindIsReadUpToALimit();
    void aLengthAloneAllocatesNothing();
    void controlGoesBeforeChunksThatCameEarlier();
    void chunksWaitWhereTheirLimitIsReached();
    void controlOverItsLimitIsNotTaken();
};

void TestLinkFrames::aFrameIsLengthIdKindAndBodyInLittleEndian() {
    const std::string bytes = frameBytes(Kind::Need, 0x0102, "ab");
    QCOMPARE(bytes, std::string("\x0b\0\0\0\x02\x01\0\0\0\0\0\0\x05"
                                "ab",
                                15));
}

void TestLinkFrames::framesAreTheSameHoweverTheStreamIsCut() {
    const std::string bytes = frameBytes(Kind::Renew, 7, "") + frameBytes(Kind::Leaving, 8, "hello") +
                              frameBytes(Kind::Renewed, 7, "").substr(0, 5);
    for (const std::size_t piece : {1u, 2u, 3u, 13u, 14u, 1000u})
        QCOMPARE(framesOf(bytes, piece), std::string("11:7: 14:8:hello 5"));
}

void TestLinkFrames::aHeaderOverTheLimitOfItsKindBreaksTheStreamBeforeItsBodyCame() {
    const auto renew = static_cast<std::uint8_t>(Kind::Renew);
    const auto most = static_cast<std::uint32_t>(bodyLimit(renew) + 9);
    QCOMPARE(framesOf(header(most, renew), 100), std::string("13"));
    QCOMPARE(framesOf(header(most + 1, renew), 100), std::string("broken"));
    QCOMPARE(framesOf(header(0xffffffff, static_cast<std::uint8_t>(Kind::Lease)), 1), std::string("broken"));
}

void TestLinkFrames::aFrameShorterThanItsHeaderBreaksTheStream() {
    QCOMPARE(framesOf(header(8, 1), 100), std::string("broken"));
    QCOMPARE(framesOf(header(9, 1), 100), std::string("1:0: 0"));
    // What comes behind is not read.
    QCOMPARE(framesOf(header(0, 1) + frameBytes(Kind::Renew, 1, ""), 100), std::string("broken"));
}

void TestLinkFrames::anUnknownKindIsReadUpToALimit() {
    QCOMPARE(framesOf(header(9 + 3, 200) + "abc", 100), std::string("200:0:abc 0"));
    QCOMPARE(framesOf(header(9 + (64u << 10) + 1, 200), 100), std::string("broken"));
}

void TestLinkFrames::aLengthAloneAllocatesNothing() {
    FrameReader reader;
    const auto lease = static_cast<std::uint8_t>(Kind::Lease);
    reader.append(header(static_cast<std::uint32_t>(bodyLimit(lease) + 9), lease));
    QVERIFY(!reader.next());
    QVERIFY(!reader.isBroken());
    QCOMPARE(reader.kept(), kHeaderBytes);
}

void TestLinkFrames::controlGoesBeforeChunksThatCameEarlier() {
    SendQueue queue;
    QVERIFY(queue.put(Kind::Chunk, 1, "first"));
    QVERIFY(queue.put(Kind::Chunk, 2, "second"));
    QVERIFY(queue.put(Kind::Renew, 3, ""));
    QVERIFY(queue.put(Kind::Cancel, 4, ""));
    std::string order;
    while (const auto bytes = queue.take()) order += framesOf(*bytes, 100) + '|';
    QCOMPARE(order, std::string("11:3: 0|10:4: 0|6:1:first 0|6:2:second 0|"));
    QVERIFY(queue.isEmpty());
    QCOMPARE(queue.bytes(), std::size_t{0});
}

void TestLinkFrames::chunksWaitWhereTheirLimitIsReached() {
    SendQueue queue;
    const std::string piece(kChunkPiece, 'x');
    int taken = 0;
    while (queue.hasRoomForBulk()) {
        QVERIFY(queue.put(Kind::Chunk, 1, piece));
        ++taken;
    }
    QVERIFY(taken > 10);
    QVERIFY(queue.bytes() <= SendQueue::kBulkBytes);
    while (queue.put(Kind::Chunk, 1, piece)) ++taken;
    QVERIFY(queue.bytes() <= SendQueue::kBulkBytes);
    QVERIFY(queue.put(Kind::Renew, 2, ""));
    QVERIFY(queue.take().has_value());
    QVERIFY(queue.take().has_value());
    QVERIFY(queue.put(Kind::Chunk, 1, piece));
}

void TestLinkFrames::controlOverItsLimitIsNotTaken() {
    SendQueue queue;
    const std::string spec(1u << 20, 'x');
    int taken = 0;
    while (queue.put(Kind::Lease, 1, spec)) ++taken;
    QCOMPARE(taken, 15);
    QVERIFY(queue.bytes() <= SendQueue::kControlBytes);
    QVERIFY(queue.put(Kind::Chunk, 1, "bulk has a limit of its own"));
}

QTEST_APPLESS_MAIN(TestLinkFrames)
#include "tst_frames.moc"
