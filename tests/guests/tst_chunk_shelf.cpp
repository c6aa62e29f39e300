// How inputs come in, and which of them stay.
#include "core/guests/chunk_shelf.h"

#include <QtTest>

#include <string>

using namespace yard;
using namespace yard::guests;
using Taken = ChunkArrivals::Taken;

namespace {

constexpr std::uint64_t kBlock = ChunkShelf::kLeastBytes;

link::Chunk piece(const std::string& whole, std::uint64_t offset, std::size_t count) {
    return {
        .hash = Sha256::of(whole), .size = whole.size(), .offset = offset, .bytes = whole.substr(offset, count)};
}

Hash256 hash(int number) {
    return Sha256::of(std::to_string(number));
}

} // namespace

class TestChunkShelf : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void piecesInOrderMakeAWholeChunk();
    void anEmptyChunkIsWholeWithItsOnlyPiece();
    void whatIsNoPieceOfItIsALie_data();
    void whatIsNoPieceOfItIsALie();
    void bytesOfAnotherHashAreALie();
    void aChunkIsTakenOnce();
    void whatCameInPartIsNamedWhenTheLinkIsGone();

    void theLongestUnusedGoesFirst();
    void whatIsUsedStays();
    void whatIsUsedAgainIsNoLongerTheNextToGo();
    void oneThatIsTooLargePutsNothingOut();
    void whatIsThereNeedsNoRoom();
    void aSmallOneTakesABlock();
    void whatIsRemovedMakesRoom();
    void severalUsersHoldItUntilTheLastLetsGo();
};

void TestChunkShelf::piecesInOrderMakeAWholeChunk() {
    ChunkArrivals arrivals;
    arrivals.ask(Sha256::of("abcdef"));
    QVERIFY(arrivals.take(piece("abcdef", 0, 4)) == Taken::More);
    QVERIFY(arrivals.take(piece("abcdef", 4, 2)) == Taken::Whole);
    QVERIFY(!arrivals.isAsked(Sha256::of("abcdef")));
}

void TestChunkShelf::anEmptyChunkIsWholeWithItsOnlyPiece() {
    ChunkArrivals arrivals;
    arrivals.ask(Sha256::of(""));
    QVERIFY(arrivals.take(piece("", 0, 0)) == Taken::Whole);
}

void TestChunkShelf::whatIsNoPieceOfItIsALie_data() {
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("offset");
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("a gap") << 6 << 4 << QByteArray("ef");
    QTest::newRow("again") << 6 << 0 << QByteArray("abc");
    QTest::newRow("another size") << 7 << 3 << QByteArray("def");
    QTest::newRow("nothing") << 6 << 3 << QByteArray("");
    QTest::newRow("too much") << 6 << 3 << QByteArray("defg");
}

void TestChunkShelf::whatIsNoPieceOfItIsALie() {
    QFETCH(int, size);
    QFETCH(int, offset);
    QFETCH(QByteArray, bytes);
    ChunkArrivals arrivals;
    arrivals.ask(Sha256::of("abcdef"));
    QVERIFY(arrivals.take(piece("abcdef", 0, 3)) == Taken::More);
    QVERIFY(arrivals.take({.hash = Sha256::of("abcdef"),
                           .size = static_cast<std::uint64_t>(size),
                           .offset = static_cast<std::uint64_t>(offset),
                           .bytes = bytes.toStdString()}) == Taken::Lie);
}

void TestChunkShelf::bytesOfAnotherHashAreALie() {
    ChunkArrivals arrivals;
    arrivals.ask(Sha256::of("abc"));
    QVERIFY(arrivals.take({.hash = Sha256::of("abc"), .size = 3, .offset = 0, .bytes = "abd"}) == Taken::Lie);
}

void TestChunkShelf::aChunkIsTakenOnce() {
    ChunkArrivals arrivals;
    QVERIFY(arrivals.take(piece("abc", 0, 3)) == Taken::Lie); // nobody asked
    arrivals.ask(Sha256::of("abc"));
    arrivals.ask(Sha256::of("abc"));
    QVERIFY(arrivals.take(piece("abc", 0, 3)) == Taken::Whole);
    QVERIFY(arrivals.take(piece("abc", 0, 3)) == Taken::Lie);
}

void TestChunkShelf::whatCameInPartIsNamedWhenTheLinkIsGone() {
    ChunkArrivals arrivals;
    arrivals.ask(Sha256::of("abc"));
    arrivals.ask(Sha256::of("def"));
    QVERIFY(arrivals.take(piece("abc", 0, 1)) == Taken::More);
    QVERIFY(arrivals.clear() == std::vector{Sha256::of("abc")});
    QVERIFY(!arrivals.isAsked(Sha256::of("def")));
}

void TestChunkShelf::theLongestUnusedGoesFirst() {
    ChunkShelf shelf(3 * kBlock);
    std::vector<Hash256> evicted;
    for (const int number : {1, 2, 3}) QVERIFY(shelf.admit(hash(number), kBlock, evicted));
    QVERIFY(evicted.empty());
    QVERIFY(shelf.admit(hash(4), 2 * kBlock, evicted));
    QVERIFY(evicted == (std::vector{hash(1), hash(2)}));
    QCOMPARE(shelf.bytes(), 3 * kBlock);
    QVERIFY(shelf.holds(hash(3)) && shelf.holds(hash(4)) && !shelf.holds(hash(1)));
}

void TestChunkShelf::whatIsUsedStays() {
    ChunkShelf shelf(2 * kBlock);
    std::vector<Hash256> evicted;
    shelf.use(hash(1)); // before it is here
    QVERIFY(shelf.admit(hash(1), kBlock, evicted));
    QVERIFY(shelf.admit(hash(2), kBlock, evicted));
    QVERIFY(shelf.admit(hash(3), kBlock, evicted));
    QVERIFY(evicted == std::vector{hash(2)});
    shelf.use(hash(3));
    QVERIFY(!shelf.admit(hash(4), kBlock, evicted));
    QCOMPARE(evicted.size(), 1u);
}

void TestChunkShelf::whatIsUsedAgainIsNoLongerTheNextToGo() {
    ChunkShelf shelf(2 * kBlock);
    std::vector<Hash256> evicted;
    for (const int number : {1, 2}) QVERIFY(shelf.admit(hash(number), kBlock, evicted));
    shelf.use(hash(1));
    shelf.release(hash(1));
    QVERIFY(shelf.admit(hash(3), kBlock, evicted));
    QVERIFY(evicted == std::vector{hash(2)});
}

void TestChunkShelf::oneThatIsTooLargePutsNothingOut() {
    ChunkShelf shelf(2 * kBlock);
    std::vector<Hash256> evicted;
    QVERIFY(shelf.admit(hash(1), kBlock, evicted));
    for (const std::uint64_t size : {2 * kBlock + 1, ~std::uint64_t{0}})
        QVERIFY(!shelf.admit(hash(2), size, evicted));
    QVERIFY(evicted.empty() && shelf.holds(hash(1)));
    ChunkShelf none(0);
    QVERIFY(!none.admit(hash(1), 0, evicted));
}

void TestChunkShelf::whatIsThereNeedsNoRoom() {
    ChunkShelf shelf(kBlock);
    std::vector<Hash256> evicted;
    for (int i = 0; i < 2; ++i) QVERIFY(shelf.admit(hash(1), kBlock, evicted));
    QVERIFY(evicted.empty());
    QCOMPARE(shelf.bytes(), kBlock);
}

void TestChunkShelf::aSmallOneTakesABlock() {
    ChunkShelf shelf(2 * kBlock);
    std::vector<Hash256> evicted;
    for (const int number : {1, 2, 3}) QVERIFY(shelf.admit(hash(number), 0, evicted));
    QCOMPARE(shelf.count(), 2u);
    QVERIFY(evicted == std::vector{hash(1)});
}

void TestChunkShelf::whatIsRemovedMakesRoom() {
    ChunkShelf shelf(kBlock);
    std::vector<Hash256> evicted;
    shelf.use(hash(1));
    QVERIFY(shelf.admit(hash(1), kBlock, evicted));
    shelf.remove(hash(1));
    shelf.remove(hash(1));
    QCOMPARE(shelf.bytes(), std::uint64_t{0});
    QVERIFY(shelf.admit(hash(2), kBlock, evicted));
    shelf.remove(hash(2));                          // idle
    QVERIFY(shelf.admit(hash(1), kBlock, evicted)); // still in use
    QVERIFY(!shelf.admit(hash(2), kBlock, evicted));
    QVERIFY(evicted.empty());
}

void TestChunkShelf::severalUsersHoldItUntilTheLastLetsGo() {
    ChunkShelf shelf(kBlock);
    std::vector<Hash256> evicted;
    QVERIFY(shelf.admit(hash(1), kBlock, evicted));
    shelf.use(hash(1));
    shelf.use(hash(1));
    shelf.release(hash(1));
    QVERIFY(!shelf.admit(hash(2), kBlock, evicted));
    shelf.release(hash(1));
    QVERIFY(shelf.admit(hash(2), kBlock, evicted));
    QVERIFY(evicted == std::vector{hash(1)});
}

QTEST_GUILESS_MAIN(TestChunkShelf)
#include "tst_chunk_shelf.moc"
