// Finished actions that are forgotten, with everything that belongs to them.
#include "tests/store/journal_fixture.h"
#include "tests/store/writer_parts.h"

#include <QTest>
#include <memory>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestRetirement : public QObject {
    Q_OBJECT

    std::unique_ptr<Parts> parts_;

    /// Accepted, and failed with something to say.
    void failed(std::int64_t lsn) {
        QCOMPARE(word(parts_->acceptance.apply(accept({lsn}))), "ok");
        end(lsn);
    }
    void end(std::int64_t lsn) {
        Finish end = finish(lsn, ActionState::Failed, Reason::ExitCode);
        end.attempt->outcome.note = "why";
        QCOMPARE(word(parts_->ends.apply(end)), "ok");
    }
    /// All below this LSN that ended, however young.
    static RetireOutdated below(std::int64_t lsn, std::int64_t from = 0, int most = 1'000) {
        return {.what = {.endedBefore = 0, .below = Lsn(lsn), .keptSince = kThen * 2, .last = Lsn(1'000'000)},
                .from = Lsn(from),
                .most = most};
    }
    std::string done() { return parts_->rows("SELECT lsn FROM done ORDER BY lsn"); }

private Q_SLOTS:
    void init() {
        parts_ = std::make_unique<Parts>();
        QVERIFY(parts_->tables.sql.result());
    }
    void cleanup() { parts_.reset(); }
    void oneGoesWithAllThatBelongsToIt() {
        failed(1);
        failed(2);
        parts_->tables.run("INSERT INTO replaced VALUES(1, 2)");
        parts_->tables.run("INSERT INTO object_action VALUES(1, 7, 'pdf', 1), (2, 7, 'pdf', 1)");
        QCOMPARE(word(parts_->retirement.apply(Retire{.lsn = Lsn(1)})), "ok");
        QCOMPARE(done(), "2");
        QCOMPARE(parts_->rows("SELECT id >> 16 FROM attempt"), "2");
        QCOMPARE(parts_->rows("SELECT lsn FROM spec"), "2");
        QCOMPARE(parts_->rows("SELECT lsn FROM replaced"), "");
        QCOMPARE(parts_->rows("SELECT lsn FROM object_action"), "2");
        QCOMPARE(parts_->tallied(), "1 0 2 0 0");
    }
    void whatIsActiveOrUnknownIsRefused() {
        QCOMPARE(word(parts_->acceptance.apply(accept({1}))), "ok");
        QCOMPARE(word(parts_->retirement.apply(Retire{.lsn = Lsn(1)})), "wrong_state");
        QCOMPARE(word(parts_->retirement.apply(Retire{.lsn = Lsn(9)})), "not_found");
    }
    void outdatedOnesGoInRunsAndOthersStay() {
        for (const int lsn : {1, 2, 3, 5, 6, 9}) failed(lsn);
        const Applied applied = parts_->retirement.apply(below(6));
        const SweepResult& swept = *applied.detail->swept;
        QCOMPARE(swept.gone, 4);
        QCOMPARE(swept.runs.size(), 2u);
        QVERIFY(swept.runs[0] == std::pair(Lsn(1), Lsn(3)));
        QVERIFY(swept.runs[1] == std::pair(Lsn(5), Lsn(5)));
        QVERIFY(!swept.more);
        QCOMPARE(done(), "6, 9");
        QCOMPARE(parts_->tallied(), "2 0 6 0 0");
    }
    void aStepIsBoundedAndSaysWhereToGoOn() {
        for (const int lsn : {1, 2, 3}) failed(lsn);
        const Applied first = parts_->retirement.apply(below(100, 0, 2));
        QVERIFY(first.detail->swept->more);
        QCOMPARE(done(), "3");
        const Applied second = parts_->retirement.apply(below(100, first.detail->swept->next.value, 2));
        QVERIFY(!second.detail->swept->more);
        QCOMPARE(done(), "");
    }
    void theTextOfAnArrayGoesWithItsLastElement() {
        Accept array = accept({10});
        array.items[0].isArray = true;
        array.items[0].count = 3;
        QCOMPARE(word(parts_->acceptance.apply(array)), "ok");
        for (const int lsn : {10, 11, 12}) end(lsn);
        QCOMPARE(word(parts_->retirement.apply(below(12))), "ok");
        QCOMPARE(parts_->rows("SELECT lsn FROM spec"), "10");
        QCOMPARE(parts_->rows("SELECT live FROM array"), "1");
        QCOMPARE(word(parts_->retirement.apply(Retire{.lsn = Lsn(12)})), "ok");
        QCOMPARE(parts_->rows("SELECT lsn FROM spec"), "");
        QCOMPARE(parts_->rows("SELECT live FROM array"), "");
    }
};

QTEST_GUILESS_MAIN(TestRetirement)
#include "tst_retirement.moc"
