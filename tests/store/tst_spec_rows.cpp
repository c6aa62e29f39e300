// What was submitted: texts, arrays that are kept as long as one of their elements is known, who was to wait for
// whom.
#include "core/store/writer/spec_rows.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestSpecRows : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<SpecRows> specs_;

    static AcceptItem item(std::int64_t lsn, std::vector<Edge> after = {}) {
        AcceptItem item;
        item.row.lsn = Lsn(lsn);
        item.row.after = std::move(after);
        item.spec = "{}";
        return item;
    }
    static AcceptItem array(std::int64_t base, std::int64_t count) {
        AcceptItem elements = item(base);
        elements.isArray = true;
        elements.count = count;
        return elements;
    }
    static Edge edge(std::int64_t lsn, std::int64_t count = 0) {
        Edge edge;
        edge.lsn = Lsn(lsn);
        edge.count = count;
        return edge;
    }
    void insert(const AcceptItem& item) { QCOMPARE(specs_->insert(item), SQLITE_OK); }
    std::string specs() { return tables_->rows("SELECT lsn FROM spec ORDER BY lsn"); }
    std::string arrays() { return tables_->rows("SELECT base, live FROM array ORDER BY base"); }
    std::string dependents() {
        return tables_->rows("SELECT parent, lsn, count, span FROM dependent ORDER BY parent, lsn");
    }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        specs_.emplace(tables_->sql);
        QVERIFY(tables_->sql.result());
    }
    void cleanup() {
        specs_.reset();
        tables_.reset();
    }
    void aTextIsThereUntilItIsForgotten() {
        insert(item(1));
        QCOMPARE(specs_->find(Lsn(1)), SQLITE_ROW);
        QCOMPARE(specs_->forgetText(Lsn(1)), SQLITE_OK);
        QCOMPARE(specs_->find(Lsn(1)), SQLITE_DONE);
    }
    void whoWaitedIsKnownWithoutTheTextAndGoesWithTheAction() {
        insert(item(5, {edge(1), edge(2, 10)}));
        QCOMPARE(specs_->forgetText(Lsn(5)), SQLITE_OK);
        QCOMPARE(dependents(), "1 5 1 1, 2 5 1 10");
        QCOMPARE(specs_->forget(5, 5, std::nullopt), SQLITE_OK);
        QCOMPARE(dependents(), "");
    }
    void oneWhoWaitsTwiceForTheSameHasOneRowWithTheWiderOfBoth() {
        insert(item(5, {edge(2), edge(2, 10)}));
        QCOMPARE(dependents(), "2 5 1 10");
    }
    void theTextOfAnArrayGoesWithTheLastOfItsElements() {
        insert(array(10, 3));
        QCOMPARE(specs_->findArray(Lsn(10)), SQLITE_ROW);
        QCOMPARE(specs_->forget(11, 11, 10), SQLITE_OK);
        QCOMPARE(specs_->forget(10, 10, 10), SQLITE_OK);
        QCOMPARE(specs(), "10");
        QCOMPARE(arrays(), "10 1");
        QCOMPARE(specs_->forget(12, 12, 10), SQLITE_OK);
        QCOMPARE(specs(), "");
        QCOMPARE(arrays(), "");
    }
    void elementsThatGoTogetherAreCountedTogether() {
        insert(array(10, 1'000));
        QCOMPARE(specs_->forget(10, 508, 10), SQLITE_OK);
        QCOMPARE(arrays(), "10 501");
        QCOMPARE(specs_->forget(509, 1'009, 10), SQLITE_OK);
        QCOMPARE(specs(), "");
    }
    void anArrayThatComesInPartsCountsAllItsElementsAtOnce() {
        AcceptItem first = array(10, 100);
        first.total = 250;
        insert(first);
        QCOMPARE(arrays(), "10 250");
    }
    void aSubmissionThatIsTakenBackLeavesNothing() {
        insert(item(1));
        insert(item(2, {edge(1)}));
        insert(array(3, 2));
        insert(item(9));
        QCOMPARE(specs_->undo({Lsn(1), 4}), SQLITE_OK);
        QCOMPARE(specs(), "9");
        QCOMPARE(arrays(), "");
        QCOMPARE(dependents(), "");
    }
};

QTEST_GUILESS_MAIN(TestSpecRows)
#include "tst_spec_rows.moc"
