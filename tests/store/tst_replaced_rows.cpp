// Which actions were replaced, and what may not be replaced again.
#include "core/store/writer/replaced_rows.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestReplacedRows : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<ActionRows> actions_;
    std::optional<ReplacedRows> replaced_;

    void replace(std::int64_t old, std::int64_t successor, bool cancels = false) {
        QCOMPARE(replaced_->insert({.old = Lsn(old), .successor = Lsn(successor), .cancels = cancels}), SQLITE_OK);
    }
    /// "" when it may be replaced.
    std::string refusal(std::int64_t old) {
        Accept accept;
        accept.replaced.push_back({.old = Lsn(old), .successor = Lsn(100)});
        Applied applied;
        return replaced_->refuses(accept, applied) ? std::string(errorName(applied.detail->error->kind)) : "";
    }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        actions_.emplace(tables_->sql);
        replaced_.emplace(tables_->sql, *actions_);
        QVERIFY(tables_->sql.result());
        for (int lsn = 1; lsn <= 3; ++lsn) tables_->addPending(lsn);
    }
    void cleanup() {
        replaced_.reset();
        actions_.reset();
        tables_.reset();
    }
    void whatIsThereMayBeReplacedOnce() {
        QCOMPARE(refusal(1), "");
        replace(1, 2);
        QCOMPARE(refusal(1), "wrong_state");
        QCOMPARE(refusal(2), "");
    }
    void whatIsNotThereMayNot() { QCOMPARE(refusal(9), "invalid"); }
    void oneWhoseSuccessorsAreGoneMayBeReplacedAgain() {
        replace(1, 2);
        replace(2, 3);
        tables_->run("DELETE FROM pending WHERE lsn=2");
        QCOMPARE(refusal(1), "wrong_state"); // 3 is still there
        tables_->run("DELETE FROM pending WHERE lsn=3");
        QCOMPARE(refusal(1), "");
    }
    void aDamagedSuccessorThatIsOlderEndsTheWalk() {
        replace(2, 1);
        replace(1, 2);
        QCOMPARE(refusal(2), "");
    }
    void theOldOneIsToBeCancelledWhereThatIsAskedFor() {
        replace(1, 3);
        replace(2, 3, true);
        QCOMPARE(tables_->rows("SELECT flags FROM pending ORDER BY lsn"), "0, 2, 0");
    }
    void itIsForgottenWithTheAction() {
        replace(1, 3);
        replace(2, 3);
        QCOMPARE(replaced_->forget(1, 1), SQLITE_OK);
        QCOMPARE(tables_->rows("SELECT lsn FROM replaced"), "2");
    }
};

QTEST_GUILESS_MAIN(TestReplacedRows)
#include "tst_replaced_rows.moc"
