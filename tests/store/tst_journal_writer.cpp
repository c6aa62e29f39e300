// The writer's door: what a group gathers is written with its rows, and goes with them.
#include "core/store/journal_writer.h"
#include "tests/store/journal_fixture.h"
#include "tests/store/writer_parts.h"

#include <QTest>
#include <filesystem>
#include <memory>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestJournalWriter : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::unique_ptr<JournalWriter> writer_;

    std::string apply(const Action& action) { return word(writer_->apply(action)); }
    void group(const std::vector<Action>& actions) {
        QCOMPARE(writer_->begin(), SQLITE_OK);
        for (const Action& action : actions) QCOMPARE(apply(action), "ok");
        QCOMPARE(writer_->commit(), SQLITE_OK);
    }
    /// An end whose output goes into a pack.
    static Finish large(std::int64_t lsn) {
        Finish end = finish(lsn);
        end.chunks = {chunk(std::string(5'000, static_cast<char>('a' + lsn)))};
        return end;
    }
    std::string done() { return tables_->rows("SELECT lsn FROM done ORDER BY lsn"); }
    std::string tallied() {
        return tables_->rows(
            "SELECT completed, (SELECT value FROM meta WHERE key='finished') FROM queue WHERE id=0");
    }
    bool hasPack(std::int64_t pack) { return std::filesystem::exists(tables_->files->packPath(pack)); }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        auto made = JournalWriter::create(tables_->database, *tables_->files);
        QVERIFY(made);
        writer_ = std::move(*made);
    }
    void cleanup() {
        writer_.reset();
        tables_.reset();
    }
    void aGroupWritesWhatItGathered() {
        group({accept({1, 2})});
        QCOMPARE(writer_->begin(), SQLITE_OK);
        writer_->packLarge(true);
        QCOMPARE(apply(large(1)), "ok");
        QCOMPARE(apply(finish(2)), "ok");
        QVERIFY(!hasPack(1));
        QCOMPARE(writer_->commit(), SQLITE_OK);
        QCOMPARE(done(), "1, 2");
        QCOMPARE(tallied(), "2 2");
        QVERIFY(hasPack(1));
    }
    void aRollbackDropsWhatWasGatheredWithTheRows() {
        group({accept({1, 2})});
        QCOMPARE(writer_->begin(), SQLITE_OK);
        writer_->packLarge(true);
        QCOMPARE(apply(large(1)), "ok");
        writer_->rollback();
        group({finish(2)});
        QCOMPARE(done(), "2");
        QCOMPARE(tallied(), "1 1");
        QCOMPARE(tables_->rows("SELECT id FROM pack"), "");
        QVERIFY(!hasPack(1));
    }
    void backAtASavepointItGoesToo() {
        group({accept({1, 2, 3})});
        QCOMPARE(writer_->begin(), SQLITE_OK);
        writer_->packLarge(true);
        for (const std::int64_t lsn : {1, 2, 3}) {
            QCOMPARE(writer_->savepoint(), SQLITE_OK);
            QCOMPARE(apply(large(lsn)), "ok");
            QCOMPARE(writer_->endSavepoint(lsn != 2), SQLITE_OK);
        }
        QCOMPARE(writer_->commit(), SQLITE_OK);
        QCOMPARE(done(), "1, 3");
        QCOMPARE(tallied(), "2 2");
        QCOMPARE(tables_->rows("SELECT size FROM pack"), "10000");
    }
    void aGroupPacksOnlyWhenItIsToldTo() {
        group({accept({1}), large(1)});
        QCOMPARE(tables_->rows("SELECT id FROM pack"), "");
        QCOMPARE(tables_->rows("SELECT size FROM blob"), "5000");
    }
    void aProbeLeavesNothingOpen() {
        QCOMPARE(writer_->probe(), SQLITE_OK);
        QCOMPARE(writer_->begin(), SQLITE_OK);
        writer_->rollback();
    }
    void whatCannotBeWrittenIsRolledBackAndTheNextGroupIsWritten() {
        group({accept({1})});
        tables_->run("PRAGMA query_only=1");
        QVERIFY(writer_->probe() != SQLITE_OK);
        tables_->run("PRAGMA query_only=0");
        QCOMPARE(writer_->probe(), SQLITE_OK);
        group({finish(1)});
        QCOMPARE(tallied(), "1 1");
    }
    void aStartRemovesSubmissionsThatAreNotWhole() {
        Accept part = accept({1, 2});
        part.part = AcceptPart{.whole = {Lsn(1), 4}, .begins = true, .ends = false};
        group({part, accept({9})});
        QCOMPARE(*writer_->undoUnfinished(), 1);
        QCOMPARE(tables_->rows("SELECT lsn FROM pending"), "9");
        QCOMPARE(*writer_->undoUnfinished(), 0);
    }
    void aStartCarriesOperationsToTheirEnd() {
        BulkOp op;
        op.runs = {{Lsn(1), 3}};
        op.change.held = true;
        const OpRow row{.id = 1, .body = toText(op), .last = Lsn(3), .cursor = Lsn(1)};
        group({accept({1, 2, 3}), PutOp{row}});
        QCOMPARE(*writer_->finishOps({row}), 1);
        QCOMPARE(tables_->rows("SELECT lsn FROM pending WHERE flags & 1"), "2, 3");
        QCOMPARE(tables_->rows("SELECT id FROM op"), "");
        QCOMPARE(*writer_->finishOps({}), 0);
    }
};

QTEST_GUILESS_MAIN(TestJournalWriter)
#include "tst_journal_writer.moc"
