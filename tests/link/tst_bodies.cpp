// Bodies of frames: what is put is what is got, and what is no body is refused.
#include "core/link/bodies.h"

#include <QtTest>

#include <cstdint>
#include <string>
#include <string_view>

using namespace yard;
using namespace yard::link;

namespace {

Hash256 hashOf(std::string_view text) {
    return Sha256::of(text);
}

Hello hello() {
    return {.protocol = kProtocol,
            .runId = "r1",
            .name = "texcook",
            .platform = "linux-x86_64",
            .version = "0.1.0",
            .capacity = {.milliCores = 8'000, .memoryMb = 16'384, .slots = 9, .named = {{"gpus", 2'000}}},
            .tags = {"render", "night"},
            .held = {{.id = {.lsn = 1, .attempt = 1}, .stage = GuestStage::Waiting},
                     {.id = {.lsn = 9, .attempt = 3}, .stage = GuestStage::Ended}},
            .utcOffset = -210,
            .takesWorkers = true};
}

Lease lease() {
    return {.id = {.lsn = 5, .attempt = 2},
            .spec = R"({"worker":"exec"})",
            .worker = "",
            .deadlineMs = 60'000,
            .graceMs = 1'000,
            .needs = {.milliCores = 500, .memoryMb = 10, .slots = 1, .named = {}},
            .inputs = {hashOf("a"), hashOf("b")},
            .once = true};
}

Finished finished() {
    return {.id = {.lsn = 7, .attempt = 1},
            .cause = GuestEnd::Exited,
            .exitCode = -3,
            .signal = 9,
            .waitedUs = 1,
            .ranUs = 2,
            .cpuUs = 3,
            .memoryBytes = 4,
            .result = "{}",
            .message = "a line",
            .out = {.size = 3, .bytes = std::string("a\0b", 3), .hash = {}},
            .err = {.size = 1u << 20, .bytes = "", .hash = hashOf("err")},
            .outputs = {{.path = "a/b", .hash = hashOf("out"), .size = 12}}};
}

/// Whole, it comes back; cut anywhere it is refused; with more behind it it still comes back. `optional`: bytes at its end
/// that earlier versions do not send.
template<class Body>
void comesBack(const Body& body, std::size_t optional = 0) {
    const std::string bytes = put(body);
    Body again;
    QVERIFY(get(bytes, again));
    QVERIFY(again == body);
    for (std::size_t size = 0; size < bytes.size() - optional; ++size) {
        Body part;
        QVERIFY2(!get(std::string_view(bytes).substr(0, size), part), qPrintable(QString::number(size)));
    }
    Body later;
    QVERIFY(get(bytes + "a field of a later version", later));
    QVERIFY(later == body);
}

} // namespace

class TestLinkBodies : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachBodyComesBackAndIsRefusedWhenCut();
    void aCountThatTheBytesCannotHoldIsRefused();
    void aListOverItsLimitIsRefused();
    void namesWithControlCharactersAreRefused();
    void anEnumerationOverItsLastWordIsRefused();
    void anAttemptCountsFromOne();
    void aLeaseTimeOutOfRangeIsRefused();
    void amountsBelowZeroAreRefused();
    void aPieceBeyondTheEndOfItsChunkIsRefused();
    void theLargestHelloFitsItsFrame();
    void aHelloOfAnEarlierVersionTakesNoWorkers();
};

void TestLinkBodies::eachBodyComesBackAndIsRefusedWhenCut() {
    comesBack(hello(), 1);
    comesBack(Welcome{.protocol = kProtocol,
                      .runId = "y1",
                      .name = "yard",
                      .leaseSeconds = 20,
                      .held = {{.lsn = 1, .attempt = 1}, {.lsn = 2, .attempt = 4}}});
    comesBack(Refused{.cause = RefusalCause::Protocol, .sentence = "Another protocol."});
    comesBack(lease());
    comesBack(Need{.hashes = {hashOf("x")}});
    comesBack(Chunk{.hash = hashOf("x"), .size = 10, .offset = 4, .bytes = "abcdef"});
    comesBack(
        Updates{{.id = {.lsn = 1, .attempt = 1}, .kind = UpdateKind::Running, .number = 42, .text = ""},
                {.id = {.lsn = 2, .attempt = 1}, .kind = UpdateKind::Output, .number = 0, .text = "\x01\xff"}});
    comesBack(finished());
    comesBack(Cancel{.id = {.lsn = 1, .attempt = 2}, .onlyIfWaiting = true, .graceMs = 5});
    comesBack(Follow{.id = {.lsn = 1, .attempt = 2}, .isErr = true, .from = 77});
    comesBack(Leaving{.cause = LeavingCause::Spot, .inMs = 120'000, .sentence = "Spot notice."});
    comesBack(AttemptRefs{{.lsn = 3, .attempt = 1}, {.lsn = 4, .attempt = 1}});
}

void TestLinkBodies::aHelloOfAnEarlierVersionTakesNoWorkers() {
    std::string bytes = put(hello());
    Hello again;
    QVERIFY(get(bytes, again));
    QVERIFY(again.takesWorkers);
    bytes.back() = 2;
    QVERIFY(!get(bytes, again));
    bytes.pop_back();
    QVERIFY(get(bytes, again));
    QVERIFY(!again.takesWorkers);
    QCOMPARE(again.utcOffset, -210);
}

void TestLinkBodies::aCountThatTheBytesCannotHoldIsRefused() {
    AttemptRefs refs;
    QVERIFY(!get(std::string("\x88\x13\0\0", 4), refs)); // 5,000, and none follows
    QVERIFY(refs.empty());
    Need need;
    QVERIFY(!get(std::string("\xff\xff\xff\xff", 4), need));
    QVERIFY(need.hashes.empty());
}

void TestLinkBodies::aListOverItsLimitIsRefused() {
    AttemptRefs refs;
    QVERIFY(get(put(AttemptRefs(kMaxRefs, {.lsn = 1, .attempt = 1})), refs));
    QVERIFY(!get(put(AttemptRefs(kMaxRefs + 1, {.lsn = 1, .attempt = 1})), refs));
}

void TestLinkBodies::namesWithControlCharactersAreRefused() {
    Hello body = hello();
    Hello again;
    body.name = "two\nlines";
    QVERIFY(!get(put(body), again));
    body.name = "\xff";
    QVERIFY(!get(put(body), again));
    body.name = "";
    QVERIFY(!get(put(body), again));
    body.name = std::string(kMaxNameBytes, 'n');
    QVERIFY(get(put(body), again));
    body.name += 'n';
    QVERIFY(!get(put(body), again));
}

void TestLinkBodies::anEnumerationOverItsLastWordIsRefused() {
    Leaving body;
    std::string bytes = put(Leaving{.cause = LeavingCause::Sent, .inMs = 0, .sentence = ""});
    QVERIFY(get(bytes, body));
    ++bytes[0];
    QVERIFY(!get(bytes, body));
}

void TestLinkBodies::anAttemptCountsFromOne() {
    AttemptRefs refs;
    QVERIFY(!get(put(AttemptRefs{{.lsn = 0, .attempt = 1}}), refs));
    QVERIFY(!get(put(AttemptRefs{{.lsn = -1, .attempt = 1}}), refs));
    QVERIFY(!get(put(AttemptRefs{{.lsn = 1, .attempt = 0}}), refs));
}

void TestLinkBodies::aLeaseTimeOutOfRangeIsRefused() {
    Welcome body;
    Welcome welcome{.protocol = kProtocol, .runId = "y", .name = "n", .leaseSeconds = 5, .held = {}};
    QVERIFY(get(put(welcome), body));
    welcome.leaseSeconds = 4;
    QVERIFY(!get(put(welcome), body));
    welcome.leaseSeconds = 601;
    QVERIFY(!get(put(welcome), body));
}

void TestLinkBodies::amountsBelowZeroAreRefused() {
    Lease body = lease();
    Lease again;
    body.needs.milliCores = -1;
    QVERIFY(!get(put(body), again));
    body.needs.milliCores = std::int64_t{1} << 41;
    QVERIFY(!get(put(body), again));
}

void TestLinkBodies::aPieceBeyondTheEndOfItsChunkIsRefused() {
    Chunk again;
    QVERIFY(get(put(Chunk{.hash = {}, .size = 3, .offset = 1, .bytes = "ab"}), again));
    QVERIFY(!get(put(Chunk{.hash = {}, .size = 3, .offset = 2, .bytes = "ab"}), again));
    QVERIFY(!get(put(Chunk{.hash = {}, .size = 3, .offset = ~std::uint64_t{0}, .bytes = "ab"}), again));
}

void TestLinkBodies::theLargestHelloFitsItsFrame() {
    Hello body = hello();
    body.held.assign(kMaxLeases, {.id = {.lsn = 1, .attempt = 1}, .stage = GuestStage::Begun});
    const std::string bytes = put(body);
    QVERIFY(bytes.size() <= bodyLimit(static_cast<std::uint8_t>(Kind::Hello)));
    QVERIFY(put(AttemptRefs(kMaxRefs, {.lsn = 1, .attempt = 1})).size() <=
            bodyLimit(static_cast<std::uint8_t>(Kind::Settled)));
    QVERIFY(put(Need{.hashes = std::vector<Hash256>(kMaxHashes)}).size() <=
            bodyLimit(static_cast<std::uint8_t>(Kind::Need)));
    Hello again;
    QVERIFY(get(bytes, again));
}

QTEST_APPLESS_MAIN(TestLinkBodies)
#include "tst_bodies.moc"
