// Small chunks as rows: what counts as there, what is written once, what may go.
#include "core/store/packing.h"
#include "core/store/writer/chunk_rows.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <filesystem>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestChunkRows : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<PackWriter> packs_;
    std::optional<ReferenceNotes> notes_;
    std::optional<ChunkRows> chunks_;

    static SmallChunk chunk(const std::string& bytes) { return {Sha256::of(bytes), bytes}; }
    void put(const std::string& bytes) { QCOMPARE(chunks_->apply(PutChunk{chunk(bytes)}).rc, SQLITE_OK); }
    /// The hashes that are missing, or nothing.
    std::vector<std::string> missing(const std::vector<Hash256>& hashes) {
        Applied applied;
        if (!chunks_->lacks(hashes, applied)) return {};
        return applied.detail->error->need;
    }
    bool isThere(const std::string& bytes) { return missing({Sha256::of(bytes)}).empty(); }
    std::string rowCount() { return tables_->rows("SELECT count(*) FROM blob"); }
    Applied drop(const std::string& bytes) {
        return chunks_->apply(
            DropUnused{.chunks = {Sha256::of(bytes)}, .validUntil = MonoClock::now() + std::chrono::hours(1)});
    }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        packs_.emplace(tables_->sql, *tables_->files);
        notes_.emplace(tables_->owner);
        chunks_.emplace(tables_->sql, *tables_->files, *packs_, *notes_);
        QVERIFY(tables_->sql.result());
    }
    void cleanup() {
        chunks_.reset();
        notes_.reset();
        packs_.reset();
        tables_.reset();
    }
    void whatIsMissingIsNamedOnce() {
        put("here");
        const auto need = missing({Sha256::of("here"), Sha256::of("gone"), Sha256::of("gone")});
        QCOMPARE(need.size(), 1u);
        QCOMPARE(need[0], Sha256::of("gone").hex());
    }
    void theEmptyChunkIsAlwaysThereAndHasNoRow() {
        QVERIFY(missing({Hash256::ofNothing()}).empty());
        put("");
        QCOMPARE(rowCount(), "0");
    }
    void whatIsPutTwiceHasOneRow() {
        put("same");
        put("same");
        QCOMPARE(chunks_->put({chunk("same"), chunk("other")}), SQLITE_OK);
        QCOMPARE(rowCount(), "2");
    }
    void aRowWithWrongBytesIsReplacedByWhatIsPut() {
        put("right");
        tables_->run("UPDATE blob SET bytes=CAST('wrong' AS BLOB)");
        put("right");
        QCOMPARE(tables_->rows("SELECT bytes FROM blob"), "right");
    }
    void aDroppedChunkIsMissing() {
        put("bytes");
        QCOMPARE(chunks_->apply(DropChunk{.hash = Sha256::of("bytes")}).rc, SQLITE_OK);
        QVERIFY(!isThere("bytes"));
    }
    void aPackedChunkIsThereAsLongAsItsPackIs() {
        const std::string bytes(5'000, 'p');
        packs_->packLarge(true);
        put(bytes);
        QVERIFY(isThere(bytes)); // before it is written, too
        QCOMPARE(packs_->write(), SQLITE_OK);
        packs_->committed();
        QVERIFY(isThere(bytes));
        std::filesystem::remove(tables_->files->packPath(1));
        QVERIFY(!isThere(bytes));
    }
    void whatNothingReferredToIsDropped() {
        put("unused");
        put("used");
        (void)notes_->apply(ChunkMark{.on = true});
        QVERIFY(isThere("used")); // asking notes it
        tables_->files->setGrace(Duration::zero());
        const Applied unused = drop("unused");
        QCOMPARE(unused.detail->swept->gone, 1);
        QCOMPARE(unused.detail->swept->bytes, 6);
        QCOMPARE(drop("used").detail->swept->kept, 1);
        QCOMPARE(rowCount(), "1");
    }
    void whatWasTouchedLatelyIsKept() {
        tables_->files->setGrace(std::chrono::hours(1));
        put("recent");
        (void)notes_->apply(ChunkMark{.on = true});
        QCOMPARE(drop("recent").detail->swept->kept, 1);
    }
    void withoutMarkingNothingIsDropped() {
        put("bytes");
        const Applied refused = drop("bytes");
        QCOMPARE(refused.detail->error->kind, ErrorKind::WrongState);
        QCOMPARE(rowCount(), "1");
    }
    void afterItsTimeADropIsRefused() {
        put("bytes");
        (void)notes_->apply(ChunkMark{.on = true});
        const Applied refused = chunks_->apply(
            DropUnused{.chunks = {Sha256::of("bytes")}, .validUntil = MonoClock::now() - Duration(1)});
        QCOMPARE(refused.detail->error->kind, ErrorKind::WrongState);
    }
};

QTEST_GUILESS_MAIN(TestChunkRows)
#include "tst_chunk_rows.moc"
