// Attempts that have rows of their own.
#include "core/store/packing.h"
#include "core/store/writer/attempt_rows.h"
#include "tests/store/journal_fixture.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestAttemptRows : public QObject {
    Q_OBJECT

    std::optional<Tables> tables_;
    std::optional<ReferenceNotes> notes_;
    std::optional<AttemptRows> attempts_;

    void put(std::int64_t lsn, std::uint32_t n) {
        QCOMPARE(attempts_->put(Lsn(lsn), attempt(n, ActionState::Failed)), SQLITE_OK);
    }
    std::string ids() { return tables_->rows("SELECT id >> 16, id & 65535 FROM attempt ORDER BY id"); }

private Q_SLOTS:
    void init() {
        tables_.emplace();
        notes_.emplace(tables_->owner);
        attempts_.emplace(tables_->sql, *notes_);
        QVERIFY(tables_->sql.result());
    }
    void cleanup() {
        attempts_.reset();
        notes_.reset();
        tables_.reset();
    }
    void eachAttemptOfAnActionHasARow() {
        put(1, 1);
        put(1, 2);
        put(2, 1);
        QCOMPARE(ids(), "1 1, 1 2, 2 1");
    }
    void theSameAttemptIsWrittenOver() {
        put(1, 1);
        AttemptRecord again = attempt(1, ActionState::Completed);
        again.outcome.note = "second";
        QCOMPARE(attempts_->put(Lsn(1), again), SQLITE_OK);
        QCOMPARE(tables_->rows("SELECT note FROM attempt"), "second");
    }
    void theMachineIsKeptWhereThereIsOne() {
        put(1, 1);
        AttemptRecord elsewhere = attempt(2, ActionState::Completed);
        elsewhere.outcome.machine = "desk";
        QCOMPARE(attempts_->put(Lsn(1), elsewhere), SQLITE_OK);
        QCOMPARE(tables_->rows("SELECT coalesce(machine, 'none') FROM attempt ORDER BY id"), "none, desk");
    }
    void howLongItStoodStillIsKeptBesideWhatItWasGiven() {
        const GivenResources ports{{.resource = "port", .names = {"5003", R"("/frozen_us":7})"}}};
        for (const GivenResources& given : {GivenResources(), ports})
            for (const std::int64_t frozen : {std::int64_t{0}, std::int64_t{1}, INT64_MAX}) {
                std::int64_t back = -1;
                QVERIFY(unpackGiven(packGiven(given, frozen), back) == given);
                QCOMPARE(back, frozen);
            }
        QCOMPARE(packGiven({}, 0), "");
        QCOMPARE(packGiven({}, 5), R"({"/frozen_us":5})");
        for (const char* garbage : {R"({"/frozen_us":)", R"({"/frozen_us":-5})", R"({"/frozen_us":5)",
                                    R"("/frozen_us":5})", R"({"/frozen_us":99999999999999999999})"}) {
            std::int64_t back = -1;
            QVERIFY(unpackGiven(garbage, back).empty());
            QCOMPARE(back, 0);
        }
    }
    void attemptsOverTheMostShareTheLastNumber() {
        put(1, 65'535);
        put(1, 70'000);
        QCOMPARE(ids(), "1 65535");
    }
    void whatAnAttemptRefersToIsNotedWhileMarking() {
        (void)notes_->apply(ChunkMark{.on = true});
        AttemptRecord record = attempt(1, ActionState::Completed);
        record.outcome.out = ChunkRef{Sha256::of("out"), 3};
        QCOMPARE(attempts_->put(Lsn(1), record), SQLITE_OK);
        QVERIFY(notes_->has(Sha256::of("out")));
    }
    void emptyOutputsAreFlags() {
        AttemptOutcome outcome;
        outcome.out = ChunkRef{Hash256::ofNothing(), 0};
        outcome.err = ChunkRef{Sha256::of("err"), 3};
        outcome.errTruncated = true;
        QCOMPARE(endFlagsOf(outcome), kOutEmpty | kErrTruncated);
    }
    void theLastAttemptOfAFinishedActionGetsARowOfItsOwn() {
        tables_->addDone(1, ActionState::Failed);
        QCOMPARE(attempts_->copyFromDone(Lsn(1)), SQLITE_OK);
        QCOMPARE(ids(), ""); // it ended without one
        tables_->run("UPDATE done SET flags=16, exit_code=7");
        QCOMPARE(attempts_->copyFromDone(Lsn(1)), SQLITE_OK);
        QCOMPARE(tables_->rows("SELECT id & 65535, exit_code FROM attempt"), "1 7");
    }
    void aRowThatSaysMoreIsNotWrittenOver() {
        put(1, 1);
        tables_->run("UPDATE attempt SET note='more'");
        tables_->addDone(1, ActionState::Failed);
        tables_->run("UPDATE done SET flags=16");
        QCOMPARE(attempts_->copyFromDone(Lsn(1)), SQLITE_OK);
        QCOMPARE(tables_->rows("SELECT note FROM attempt"), "more");
    }
    void thoseOfARangeOfActionsAreForgotten() {
        for (const std::int64_t lsn : {1, 2, 3, 4}) {
            put(lsn, 1);
            put(lsn, 65'535);
        }
        QCOMPARE(attempts_->forget(2, 3), SQLITE_OK);
        QCOMPARE(ids(), "1 1, 1 65535, 4 1, 4 65535");
    }
};

QTEST_GUILESS_MAIN(TestAttemptRows)
#include "tst_attempt_rows.moc"
