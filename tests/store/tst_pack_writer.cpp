// Packs: what is gathered for the pack of a group, when its file comes and when that of an empty one goes.
#include "core/store/writer/pack_writer.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <filesystem>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestPackWriter : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<PackWriter> packs_;

    PackWriter::Place append(const std::string& bytes) {
        PackWriter::Place place;
        if (packs_->append(bytes, place) != SQLITE_OK) qFatal("append");
        return place;
    }
    void commit() {
        QCOMPARE(packs_->write(), SQLITE_OK);
        packs_->committed();
    }
    bool hasFile(std::int64_t pack) const { return std::filesystem::exists(tables_->files->packPath(pack)); }
    /// A pack with "abcd" and "efgh", each the bytes of a row.
    std::int64_t packOfTwo() {
        const auto first = append("abcd");
        (void)append("efgh");
        commit();
        tables_->run("INSERT INTO blob(key, hash, size, pack, at) VALUES(1, x'01', 4, 1, 0), (2, x'02', 4, 1, 4)");
        return first.pack;
    }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        packs_.emplace(tables_->sql, *tables_->files);
        QVERIFY(tables_->sql.result());
    }
    void cleanup() {
        packs_.reset();
        tables_.reset();
    }
    void onlyLargeOnesOfALargeGroupArePacked() {
        QVERIFY(!packs_->takes(10'000));
        packs_->packLarge(true);
        QVERIFY(packs_->takes(10'000));
        QVERIFY(!packs_->takes(4'096));
        packs_->clear();
        QVERIFY(!packs_->takes(10'000));
    }
    void aGroupHasOnePackWhoseFileComesWithTheWrite() {
        const auto first = append("abc");
        const auto second = append("de");
        QCOMPARE(second.pack, first.pack);
        QCOMPARE(second.at, 3);
        QVERIFY(!hasFile(first.pack));
        commit();
        QCOMPARE(tables_->rows("SELECT id, size FROM pack"), std::to_string(first.pack) + " 5");
        QCOMPARE(*tables_->files->readPacked(first.pack, 0, 5), "abcde");
    }
    void whatIsGatheredIsThereBeforeItIsWritten() {
        const auto place = append("abc");
        QVERIFY(packs_->holds(place, 3));
        QVERIFY(packs_->hasBytes(place, "abc"));
        QVERIFY(!packs_->hasBytes(place, "abd"));
        commit();
        QVERIFY(packs_->holds(place, 3));
        QVERIFY(packs_->hasBytes(place, "abc"));
        QVERIFY(!packs_->holds(place, 4));
    }
    void aNumberIsNotUsedAgainAfterARollback() {
        const auto dropped = append("abc");
        packs_->clear();
        QVERIFY(append("abc").pack > dropped.pack);
    }
    void backAtTheMarkOnlyWhatCameBeforeIsWritten() {
        const auto kept = append("abc");
        packs_->mark();
        (void)append("dropped");
        packs_->backToMark();
        commit();
        QCOMPARE(tables_->rows("SELECT id, size FROM pack"), std::to_string(kept.pack) + " 3");
    }
    void whatIsUsedMovesIntoThePackOfTheGroup() {
        const std::int64_t old = packOfTwo();
        tables_->run("DELETE FROM blob WHERE key=1");
        const Applied moved = packs_->apply(CompactPack{.pack = old});
        QVERIFY(moved.rc == SQLITE_OK && moved.detail && moved.detail->swept);
        QCOMPARE(moved.detail->swept->kept, 1);
        QVERIFY(moved.detail->swept->more);
        commit();
        QCOMPARE(tables_->rows("SELECT key, pack, at FROM blob"), "2 2 0");
        QCOMPARE(*tables_->files->readPacked(2, 0, 4), "efgh");
        QVERIFY(hasFile(old)); // until the step that finds it empty
    }
    void theFileOfAnEmptyPackGoesAfterTheCommit() {
        const std::int64_t old = packOfTwo();
        tables_->run("DELETE FROM blob");
        const Applied removed = packs_->apply(CompactPack{.pack = old});
        QVERIFY(removed.detail && removed.detail->swept);
        QCOMPARE(removed.detail->swept->gone, 1);
        QCOMPARE(removed.detail->swept->bytes, 8);
        QVERIFY(!removed.detail->swept->more);
        QVERIFY(hasFile(old));
        commit();
        QVERIFY(!hasFile(old));
        QCOMPARE(tables_->rows("SELECT id FROM pack"), "");
    }
    void theFileOfAnEmptyPackStaysWhenTheGroupIsRolledBack() {
        const std::int64_t old = packOfTwo();
        tables_->run("BEGIN; DELETE FROM blob");
        (void)packs_->apply(CompactPack{.pack = old});
        tables_->run("ROLLBACK");
        packs_->clear();
        commit();
        QVERIFY(hasFile(old));
        QCOMPARE(tables_->rows("SELECT id FROM pack"), std::to_string(old));
    }
    void aPackThatIsNotThereIsRefused() {
        const Applied refused = packs_->apply(CompactPack{.pack = 9});
        QCOMPARE(refused.rc, SQLITE_OK);
        QVERIFY(refused.detail && refused.detail->error);
        QCOMPARE(refused.detail->error->kind, ErrorKind::NotFound);
    }
    void aPackThatEndsEarlyIsRefusedAndNothingMoves() {
        const std::int64_t old = packOfTwo();
        std::filesystem::resize_file(tables_->files->packPath(old), 6);
        const Applied refused = packs_->apply(CompactPack{.pack = old});
        QVERIFY(refused.detail && refused.detail->error);
        QCOMPARE(refused.detail->error->kind, ErrorKind::Io);
        QCOMPARE(tables_->rows("SELECT DISTINCT pack FROM blob"), std::to_string(old));
    }
};

QTEST_GUILESS_MAIN(TestPackWriter)
#include "tst_pack_writer.moc"
