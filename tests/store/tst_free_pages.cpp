// Free pages go back to the file system when they are many.
#include "core/store/writer/free_pages.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestFreePages : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<FreePages> pages_;

    std::int64_t freePages() { return *tables_->database.number("PRAGMA freelist_count"); }
    SweepResult shrink(int pages) {
        const Applied applied = pages_->apply(ShrinkJournal{pages});
        if (applied.rc != SQLITE_OK) qFatal("shrink: %d", applied.rc);
        return *applied.detail->swept;
    }
    /// Rows of a page each, which are removed again.
    void free(int pages) {
        const std::string insert =
            "INSERT INTO spec WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<" +
            std::to_string(pages) +
            ") SELECT i, printf('%.*c', (SELECT page_size FROM pragma_page_size), 'x'), NULL FROM n";
        tables_->run(insert.c_str());
        tables_->run("DELETE FROM spec");
    }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        pages_.emplace(tables_->sql);
        QVERIFY(tables_->sql.result());
    }
    void cleanup() {
        pages_.reset();
        tables_.reset();
    }
    void fewFreePagesAreKept() {
        free(500);
        QVERIFY(freePages() >= 500);
        const SweepResult swept = shrink(128);
        QCOMPARE(swept.gone, 0);
        QVERIFY(!swept.more);
    }
    void manyGoInStepsUntilTheyAreFew() {
        free(1'500);
        const std::int64_t before = freePages();
        QVERIFY(before >= 1'500);
        const SweepResult first = shrink(100);
        QCOMPARE(first.gone, 100);
        QVERIFY(first.more);
        QCOMPARE(freePages(), before - 100);
        while (shrink(400).more) {
        }
        QVERIFY(freePages() < 1'000);
    }
};

QTEST_GUILESS_MAIN(TestFreePages)
#include "tst_free_pages.moc"
