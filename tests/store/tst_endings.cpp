// Ends of attempts: for good, with another try, and put back after the end.
#include "tests/store/journal_fixture.h"
#include "tests/store/writer_parts.h"

#include <QTest>
#include <memory>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestEndings : public QObject {
    Q_OBJECT

    std::unique_ptr<Parts> parts_;

    void acceptOne(std::int64_t lsn) { QCOMPARE(word(parts_->acceptance.apply(accept({lsn}))), "ok"); }
    std::string finishOne(const Finish& end) { return word(parts_->ends.apply(end)); }
    std::string where(std::int64_t lsn) {
        const std::string is = " WHERE lsn=" + std::to_string(lsn);
        const bool pending = !parts_->rows("SELECT 1 FROM pending" + is).empty();
        const bool done = !parts_->rows("SELECT 1 FROM done" + is).empty();
        return std::string(pending ? "pending" : "") + (done ? "done" : "");
    }
    static Retry retry(std::int64_t lsn, WallMicros notBefore = 0) {
        Retry again;
        again.lsn = Lsn(lsn);
        again.attempt = attempt(1, ActionState::Failed);
        again.retryCount = 1;
        again.ownFailures = 1;
        again.tPending = kThen + 1'000;
        again.notBefore = notBefore;
        return again;
    }

private Q_SLOTS:
    void init() {
        parts_ = std::make_unique<Parts>();
        QVERIFY(parts_->tables.sql.result());
        acceptOne(1);
    }
    void cleanup() { parts_.reset(); }
    void anEndMovesTheRowAndIsTallied() {
        QCOMPARE(finishOne(finish(1)), "ok");
        QCOMPARE(where(1), "done");
        QCOMPARE(parts_->tallied(), "1 1 0 0 0");
    }
    void anEndThatSaysNoMoreThanItsRowHasNoAttempt() {
        QCOMPARE(finishOne(finish(1)), "ok");
        QCOMPARE(parts_->rows("SELECT count(*) FROM attempt"), "0");
    }
    void anEndWithOutputHasAnAttemptAndItsChunks() {
        Finish end = finish(1);
        end.attempt->outcome.out = ChunkRef{Sha256::of("said"), 4};
        end.chunks = {chunk("said")};
        QCOMPARE(finishOne(end), "ok");
        QCOMPARE(parts_->rows("SELECT count(*) FROM attempt"), "1");
        QCOMPARE(parts_->rows("SELECT bytes FROM blob"), "said");
    }
    void theTextStaysWithWhatCanBeRescheduled() {
        acceptOne(2);
        Finish completed = finish(1);
        Finish failed = finish(2, ActionState::Failed, Reason::ExitCode);
        completed.keepSpec = failed.keepSpec = false;
        QCOMPARE(finishOne(completed), "ok");
        QCOMPARE(finishOne(failed), "ok");
        QCOMPARE(parts_->rows("SELECT lsn FROM spec"), "2");
    }
    void whatIsNotPendingCannotEndOrTryAgain() {
        QCOMPARE(finishOne(finish(9)), "not_found");
        QCOMPARE(word(parts_->ends.apply(retry(9))), "not_found");
        QCOMPARE(parts_->tallied(), "0 0 0 0 0");
    }
    void anotherTryKeepsTheRowPendingAndTheAttempt() {
        QCOMPARE(word(parts_->ends.apply(retry(1))), "ok");
        QCOMPARE(where(1), "pending");
        QCOMPARE(parts_->rows("SELECT attempts, retry_count, flags, not_before FROM pending"), "1 1 0 -");
        QCOMPARE(parts_->rows("SELECT id >> 16, id & 65535 FROM attempt"), "1 1");
        QCOMPARE(parts_->tallied(), "0 0 0 0 0");
    }
    void aTryThatIsToWaitSaysSoUntilTheNext() {
        QCOMPARE(word(parts_->ends.apply(retry(1, kThen + 5))), "ok");
        QCOMPARE(parts_->rows("SELECT flags FROM pending"), std::to_string(kBackoff));
        QCOMPARE(word(parts_->ends.apply(retry(1))), "ok");
        QCOMPARE(parts_->rows("SELECT flags FROM pending"), "0");
    }
    void whatIsPutBackIsPendingAgainAndCountedBack() {
        QCOMPARE(finishOne(finish(1, ActionState::Failed, Reason::ExitCode)), "ok");
        const Applied applied = parts_->ends.apply(Reopen{.lsn = Lsn(1), .tPending = kThen + 500});
        QCOMPARE(word(applied), "ok");
        QVERIFY(applied.detail->row);
        QCOMPARE(applied.detail->row->retryCount, 1u);
        QCOMPARE(where(1), "pending");
        QCOMPARE(parts_->rows("SELECT count(*) FROM attempt"), "1"); // what the finished row told of it
        QCOMPARE(parts_->tallied(), "0 0 0 0 0");
    }
    void whatEndedWhileItWasHeldIsHeldAgain() {
        QCOMPARE(word(parts_->actions.apply(Update{.lsn = Lsn(1), .held = true})), "ok");
        QCOMPARE(finishOne(finish(1, ActionState::Abandoned, Reason::ExitCode)), "ok");
        const Applied applied = parts_->ends.apply(Reopen{.lsn = Lsn(1), .tPending = kThen});
        QVERIFY(applied.detail->row && applied.detail->row->held);
        QCOMPARE(parts_->rows("SELECT flags FROM pending"), std::to_string(kHeld));
    }
    void whatIsPutBackIsToldWhichOfItsPredecessorsHaveEnded() {
        acceptOne(2);
        acceptOne(3);
        QCOMPARE(finishOne(finish(2)), "ok");
        QCOMPARE(finishOne(finish(3, ActionState::Failed, Reason::ExitCode)), "ok");
        Reopen reopen{.lsn = Lsn(3), .tPending = kThen};
        for (const int lsn : {1, 2}) reopen.after.emplace_back().lsn = Lsn(lsn);
        const Applied applied = parts_->ends.apply(reopen);
        QCOMPARE(applied.detail->finished.size(), 1u);
        QCOMPARE(applied.detail->finished[0].lsn.value, 2);
    }
    void onlyWhatFailedAndIsKnownCanBePutBack_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("answer");
        QTest::newRow("still pending") << "" << "not_found";
        QTest::newRow("completed") << "completed" << "wrong_state";
        QTest::newRow("rescheduled by someone else") << "count" << "wrong_state";
        QTest::newRow("its text is gone") << "text" << "wrong_state";
    }
    void onlyWhatFailedAndIsKnownCanBePutBack() {
        QFETCH(const QString, before);
        QFETCH(const QString, answer);
        Reopen reopen{.lsn = Lsn(1), .tPending = kThen};
        if (before == "completed") QCOMPARE(finishOne(finish(1)), "ok");
        if (before == "count" || before == "text")
            QCOMPARE(finishOne(finish(1, ActionState::Failed, Reason::ExitCode)), "ok");
        if (before == "count") reopen.expectRetryCount = 5;
        if (before == "text") parts_->tables.run("DELETE FROM spec");
        const std::string place = where(1);
        QCOMPARE(word(parts_->ends.apply(reopen)), answer.toStdString());
        QCOMPARE(where(1), place);
    }
};

QTEST_GUILESS_MAIN(TestEndings)
#include "tst_endings.moc"
