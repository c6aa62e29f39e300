// What the ends of a group add up to: counters of queues, rows that are kept, what finished last.
#include "core/store/packing.h"
#include "core/store/writer/end_tally.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestEndTally : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<FoldRows> folds_;
    std::optional<EndTally> tally_;

    void load() {
        tally_.reset();
        folds_.emplace(tables_->sql);
        tally_.emplace(tables_->sql, *folds_);
        QVERIFY(tables_->sql.result());
        QVERIFY(tally_->load());
    }
    void commit() {
        QCOMPARE(tally_->write(), SQLITE_OK);
        tally_->committed();
    }
    std::string counters() {
        return tables_->rows("SELECT completed, failed, abandoned, cancelled FROM queue WHERE id=0");
    }
    std::string finished() { return tables_->rows("SELECT value FROM meta WHERE key='finished'"); }
    /// The LSNs in the row of the ring that was written last.
    std::string newest() {
        auto row = tables_->database.prepare("SELECT lsns FROM recent ORDER BY seq DESC LIMIT 1");
        std::string lsns;
        if (row->step() == SQLITE_ROW)
            for (const Lsn lsn : unpackLsns(row->text(0)))
                lsns += (lsns.empty() ? "" : " ") + std::to_string(lsn.value);
        return lsns;
    }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        load();
    }
    void cleanup() {
        tally_.reset();
        folds_.reset();
        tables_.reset();
    }
    void endsOfAGroupAreWrittenTogether() {
        tally_->ended(Lsn(1), 0, ActionState::Completed);
        tally_->ended(Lsn(2), 0, ActionState::Failed);
        tally_->ended(Lsn(3), 0, ActionState::Completed);
        QCOMPARE(counters(), "0 0 0 0");
        commit();
        QCOMPARE(counters(), "2 1 0 0");
        QCOMPARE(finished(), "3");
        QCOMPARE(newest(), "1 2 3");
    }
    void whatIsRescheduledIsCountedBack() {
        tally_->ended(Lsn(1), 0, ActionState::Failed);
        commit();
        tally_->reopened(Lsn(1), 0, ActionState::Failed);
        commit();
        QCOMPARE(counters(), "0 0 0 0");
        QCOMPARE(finished(), "0");
    }
    void rowsThatAreGoneAreNoLongerKept() {
        for (int lsn = 1; lsn <= 5; ++lsn) tally_->ended(Lsn(lsn), 0, ActionState::Completed);
        commit();
        for (int lsn = 1; lsn <= 3; ++lsn) tally_->retired(Lsn(lsn), ActionState::Completed);
        commit();
        QCOMPARE(finished(), "2");
        QCOMPARE(counters(), "5 0 0 0");
    }
    void whatIsClearedIsNotWritten() {
        tally_->ended(Lsn(1), 0, ActionState::Completed);
        tally_->clear();
        commit();
        QCOMPARE(counters(), "0 0 0 0");
        QCOMPARE(newest(), "");
    }
    void backAtTheMarkOnlyWhatCameBeforeIsThere() {
        tally_->ended(Lsn(1), 0, ActionState::Completed);
        tally_->mark();
        tally_->ended(Lsn(2), 0, ActionState::Cancelled);
        tally_->backToMark();
        tally_->ended(Lsn(3), 0, ActionState::Abandoned);
        commit();
        QCOMPARE(counters(), "1 0 1 0");
        QCOMPARE(newest(), "1 3");
    }
    void aGroupWithoutEndsWritesNothing() {
        const int before = sqlite3_total_changes(tables_->database.handle());
        commit();
        QCOMPARE(sqlite3_total_changes(tables_->database.handle()), before);
    }
    void endsOfAQueueThatIsGoneAreKeptAmongThePast() {
        tally_->ended(Lsn(1), 77, ActionState::Completed);
        tally_->queueGone({10, 20, 30, 40});
        commit();
        QCOMPARE(tables_->rows("SELECT key, value FROM meta WHERE key LIKE 'past_%' ORDER BY key"),
                 "past_abandoned 30, past_cancelled 40, past_completed 11, past_failed 20");
    }
    void theRingGoesOnWhereItWasAfterAStart() {
        for (int lsn = 1; lsn <= 3; ++lsn) tally_->ended(Lsn(lsn), 0, ActionState::Completed);
        commit();
        load();
        tally_->ended(Lsn(4), 0, ActionState::Completed);
        commit();
        QCOMPARE(newest(), "1 2 3 4");
        QCOMPARE(tables_->rows("SELECT count(*) FROM recent"), "1");
    }
    void theRingHasTheLastEndsOfAGroupThatIsLargerThanIt() {
        constexpr int kMany = 2 * kRecentRows * kRecentPerRow + 5;
        for (int lsn = 1; lsn <= kMany; ++lsn) tally_->ended(Lsn(lsn), 0, ActionState::Completed);
        commit();
        QCOMPARE(tables_->rows("SELECT count(*) FROM recent"), std::to_string(kRecentRows));
        QVERIFY(newest().ends_with(std::to_string(kMany)));
    }
};

QTEST_GUILESS_MAIN(TestEndTally)
#include "tst_end_tally.moc"
