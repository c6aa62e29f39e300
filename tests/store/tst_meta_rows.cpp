// Blocks of LSNs.
#include "core/store/writer/meta_rows.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestMetaRows : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<MetaRows> meta_;

    LsnBlock reserve(std::int64_t count) {
        const Applied applied = meta_->apply(ReserveLsns{count});
        return applied.detail ? applied.detail->lsns : LsnBlock{};
    }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        meta_.emplace(tables_->sql);
        QVERIFY(tables_->sql.result());
    }
    void cleanup() {
        meta_.reset();
        tables_.reset();
    }
    void blocksFollowEachOther() {
        const LsnBlock first = reserve(1);
        const LsnBlock second = reserve(kLsnBlock + 5);
        QCOMPARE(first.first.value, 1);
        QCOMPARE(first.end.value, 1 + kLsnBlock); // a block is never smaller
        QVERIFY(second.first == first.end);
        QCOMPARE(second.end.value, second.first.value + kLsnBlock + 5);
    }
    void aDamagedNumberIsNoBlock() {
        for (const char* damaged :
             {"UPDATE meta SET value='-5' WHERE key='next_lsn'",
              "UPDATE meta SET value='none' WHERE key='next_lsn'", "DELETE FROM meta WHERE key='next_lsn'"}) {
            tables_->run(damaged);
            QCOMPARE(meta_->apply(ReserveLsns{1}).rc, SQLITE_CORRUPT);
        }
    }
    void aProbeWrites() {
        const int before = sqlite3_total_changes(tables_->database.handle());
        QCOMPARE(meta_->probe(), SQLITE_OK);
        QCOMPARE(sqlite3_total_changes(tables_->database.handle()), before + 1);
    }
};

QTEST_GUILESS_MAIN(TestMetaRows)
#include "tst_meta_rows.moc"
