// The same change, or the same end, of many pending actions, and operations that a start carries on.
#include "tests/store/journal_fixture.h"
#include "tests/store/writer_parts.h"

#include <QTest>
#include <memory>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestBulkChanges : public QObject {
    Q_OBJECT

    std::unique_ptr<Parts> parts_;

    std::string held() { return parts_->rows("SELECT lsn FROM pending WHERE flags & 1 ORDER BY lsn"); }
    static UpdateMany hold(std::vector<LsnRun> runs, std::int64_t op = 0) {
        UpdateMany update;
        update.runs = std::move(runs);
        update.change.held = true;
        update.op = op;
        return update;
    }
    /// An operation that holds 2 to 7, done up to and with `cursor`.
    static OpRow holdOp(std::int64_t cursor) {
        BulkOp op;
        op.runs = {{Lsn(2), 3}, {Lsn(5), 3}};
        op.change.held = true;
        return {.id = 4, .body = toText(op), .last = Lsn(7), .cursor = Lsn(cursor)};
    }
    void putOp(const OpRow& row) { QCOMPARE(word(parts_->many.apply(PutOp{row})), "ok"); }
    std::string ops() { return parts_->rows("SELECT id, cursor FROM op"); }

private Q_SLOTS:
    void init() {
        parts_ = std::make_unique<Parts>();
        QVERIFY(parts_->tables.sql.result());
        for (int lsn = 1; lsn <= 9; ++lsn) parts_->tables.addPending(lsn);
    }
    void cleanup() { parts_.reset(); }
    void aChangeIsOfTheRunsAndPassesOverWhatIsNotPending() {
        parts_->tables.run("DELETE FROM pending WHERE lsn=3");
        QCOMPARE(word(parts_->many.apply(hold({{Lsn(2), 3}, {Lsn(8), 5}}))), "ok");
        QCOMPARE(held(), "2, 4, 8, 9");
    }
    void aChangeKeepsWhatItDoesNotName() {
        UpdateMany update;
        update.runs = {{Lsn(1), 9}};
        update.change.priority = 5;
        parts_->tables.run("UPDATE pending SET flags=3 WHERE lsn=1");
        QCOMPARE(word(parts_->many.apply(update)), "ok");
        QCOMPARE(parts_->rows("SELECT flags, priority, queue FROM pending WHERE lsn=1"), "3 5 0");
    }
    void aPartMovesTheCursorAndTheLastOneEndsTheOperation() {
        putOp(holdOp(0));
        QCOMPARE(word(parts_->many.apply(hold({{Lsn(2), 3}}, 4))), "ok");
        QCOMPARE(ops(), "4 4");
        UpdateMany last = hold({{Lsn(5), 3}}, 4);
        last.endsTheOp = true;
        QCOMPARE(word(parts_->many.apply(last)), "ok");
        QCOMPARE(ops(), "");
    }
    void aStartCarriesOutWhatIsBehindTheCursor() {
        putOp(holdOp(3));
        QCOMPARE(parts_->many.finish(holdOp(3)), SQLITE_OK);
        QCOMPARE(held(), "4, 5, 6, 7");
        QCOMPARE(ops(), "");
    }
    void anOperationThatCannotBeReadIsDroppedWhole() {
        OpRow damaged = holdOp(0);
        damaged.body = "no operation";
        putOp(damaged);
        QCOMPARE(parts_->many.finish(damaged), SQLITE_OK);
        QCOMPARE(held(), "");
        QCOMPARE(ops(), "");
    }
    void aDroppedOperationIsGone() {
        putOp(holdOp(0));
        QCOMPARE(word(parts_->many.apply(DropOp{.id = 4})), "ok");
        QCOMPARE(ops(), "");
    }
    void manyEndTogetherAndAreTallied() {
        parts_->tables.run("UPDATE pending SET flags=1 WHERE lsn=2");
        FinishMany ends;
        ends.runs = {{Lsn(1), 2}, {Lsn(9), 5}};
        ends.tEnd = 5'000;
        QCOMPARE(word(parts_->many.apply(ends)), "ok");
        QCOMPARE(parts_->rows("SELECT lsn, d_end, flags FROM done ORDER BY lsn"), "1 4000 0, 2 4000 32, 9 4000 0");
        QCOMPARE(parts_->rows("SELECT count(*) FROM pending"), "6");
        QCOMPARE(parts_->tallied(), "3 0 0 0 3");
    }
};

QTEST_GUILESS_MAIN(TestBulkChanges)
#include "tst_bulk_changes.moc"
