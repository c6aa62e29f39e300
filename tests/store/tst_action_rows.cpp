// Whether an action is pending or finished, and changes of a pending one.
#include "core/store/writer/action_rows.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestActionRows : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<ActionRows> actions_;

    std::string flags() { return tables_->rows("SELECT flags FROM pending WHERE lsn=1"); }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        actions_.emplace(tables_->sql);
        QVERIFY(tables_->sql.result());
        tables_->addPending(1);
        tables_->addDone(2, ActionState::Failed);
    }
    void cleanup() {
        actions_.reset();
        tables_.reset();
    }
    void anActionIsFoundWhereItIs() {
        ActionRows::Done done;
        QCOMPARE(actions_->findPending(Lsn(1)), SQLITE_ROW);
        QCOMPARE(actions_->findDone(Lsn(1), done), SQLITE_DONE);
        QCOMPARE(actions_->findPending(Lsn(2)), SQLITE_DONE);
        QCOMPARE(actions_->findDone(Lsn(2), done), SQLITE_ROW);
        QVERIFY(done.state == ActionState::Failed && !done.arrayBase);
        QCOMPARE(actions_->find(Lsn(1)), SQLITE_ROW);
        QCOMPARE(actions_->find(Lsn(2)), SQLITE_ROW);
        QCOMPARE(actions_->find(Lsn(3)), SQLITE_DONE);
    }
    void anElementSaysOfWhichArrayItIs() {
        tables_->run("UPDATE done SET array_base=2");
        ActionRows::Done done;
        QCOMPARE(actions_->findDone(Lsn(2), done), SQLITE_ROW);
        QCOMPARE(done.arrayBase, std::optional<std::int64_t>(2));
    }
    void whatIsBeingAcceptedInPartsIsNotThere() {
        tables_->run("INSERT INTO accepting VALUES(1, 1)");
        QCOMPARE(actions_->find(Lsn(1)), SQLITE_DONE);
    }
    void anUpdateChangesWhatItNamesAndNothingElse() {
        QCOMPARE(actions_->apply(Update{.lsn = Lsn(1), .held = true}).rc, SQLITE_OK);
        QCOMPARE(flags(), std::to_string(kHeld));
        (void)actions_->apply(Update{.lsn = Lsn(1), .cancelRequested = true, .priority = 7});
        QCOMPARE(flags(), std::to_string(kHeld | kCancelRequested));
        (void)actions_->apply(Update{.lsn = Lsn(1), .held = false});
        QCOMPARE(flags(), std::to_string(kCancelRequested));
        QCOMPARE(tables_->rows("SELECT priority, queue FROM pending"), "7 0");
    }
    void aNewTimeEndsTheBackoff() {
        tables_->run("UPDATE pending SET flags=4, not_before=99");
        (void)actions_->apply(Update{.lsn = Lsn(1), .priority = 1});
        QCOMPARE(tables_->rows("SELECT flags, not_before FROM pending"), "4 99");
        (void)actions_->apply(Update{.lsn = Lsn(1), .notBefore = 0});
        QCOMPARE(tables_->rows("SELECT flags, not_before FROM pending"), "0 -");
    }
    void aPlaceIsWrittenOfWhatIsPending() {
        const PlaceActions placed{.rows = {{Lsn(1), {.time = 5, .anchor = Lsn(2), .rank = -7}}, {Lsn(2), {}}}};
        QCOMPARE(actions_->apply(placed).rc, SQLITE_OK);
        QCOMPARE(tables_->rows("SELECT place FROM pending"), "5 2 -7");
        QCOMPARE(tables_->rows("SELECT count(*) FROM done"), "1");
    }
    void anUpdateOfWhatIsNotPendingIsRefused() {
        const Applied refused = actions_->apply(Update{.lsn = Lsn(2), .held = true});
        QVERIFY(refused.rc == SQLITE_OK && refused.detail && refused.detail->error);
        QCOMPARE(refused.detail->error->kind, ErrorKind::NotFound);
    }
};

QTEST_GUILESS_MAIN(TestActionRows)
#include "tst_action_rows.moc"
