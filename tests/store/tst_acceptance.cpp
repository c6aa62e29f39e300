// Accepting: what a submission writes, what it is refused for before anything is written, and how parts come and
// go.
#include "tests/store/journal_fixture.h"
#include "tests/store/writer_parts.h"

#include <QTest>
#include <memory>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestAcceptance : public QObject {
    Q_OBJECT

    std::unique_ptr<Parts> parts_;

    /// What the operation answers: "ok", or what kind of error.
    std::string carryOut(const Accept& accept) { return word(parts_->acceptance.apply(accept)); }
    std::string pending() { return parts_->tables.rows("SELECT lsn FROM pending ORDER BY lsn"); }
    std::string accepting() { return parts_->tables.rows("SELECT first, last FROM accepting"); }
    static Accept after(Accept accept, std::int64_t lsn, std::int64_t count = 0) {
        Edge edge;
        edge.lsn = Lsn(lsn);
        edge.count = count;
        accept.items.back().row.after.push_back(edge);
        return accept;
    }
    static Accept part(std::initializer_list<std::int64_t> lsns, LsnRun whole, bool begins, bool ends) {
        Accept some = accept(lsns);
        some.part = AcceptPart{.whole = whole, .begins = begins, .ends = ends};
        return some;
    }

private Q_SLOTS:
    void init() {
        parts_ = std::make_unique<Parts>();
        QVERIFY(parts_->tables.sql.result());
    }
    void cleanup() { parts_.reset(); }
    void rowsAndTextsAndNamesComeTogether() {
        Accept rows = accept({1, 2});
        rows.labels.push_back({.number = 1, .text = "nightly"});
        QCOMPARE(carryOut(rows), "ok");
        QCOMPARE(pending(), "1, 2");
        QCOMPARE(parts_->tables.rows("SELECT lsn FROM spec ORDER BY lsn"), "1, 2");
        QCOMPARE(parts_->tables.rows("SELECT text FROM dict_label"), "nightly");
    }
    void anArrayIsOneTextAndARowForEachElement() {
        Accept rows = accept({10});
        rows.items[0].isArray = true;
        rows.items[0].count = 3;
        QCOMPARE(carryOut(rows), "ok");
        QCOMPARE(parts_->tables.rows("SELECT lsn, array_base, array_index FROM pending ORDER BY lsn"),
                 "10 10 0, 11 10 1, 12 10 2");
        QCOMPARE(parts_->tables.rows("SELECT lsn FROM spec"), "10");
    }
    void aPredecessorMayBePendingFinishedOrOfTheSameSubmission() {
        parts_->tables.addPending(1);
        parts_->tables.addDone(2, ActionState::Completed);
        QCOMPARE(carryOut(after(after(after(accept({5, 6}), 1), 2), 5)), "ok");
    }
    void ofAFinishedPredecessorTheAnswerSaysHowItEnded() {
        parts_->tables.addDone(2, ActionState::Failed);
        const Applied applied = parts_->acceptance.apply(after(accept({5}), 2));
        QCOMPARE(applied.detail->finished.size(), 1u);
        QVERIFY(applied.detail->finished[0].state == ActionState::Failed);
    }
    void anUnknownPredecessorIsRefusedBeforeAnythingIsWritten() {
        const int before = sqlite3_total_changes(parts_->tables.database.handle());
        QCOMPARE(carryOut(after(accept({5, 6}), 99)), "invalid");
        QCOMPARE(carryOut(after(accept({5, 6}), 99, 10)), "invalid");
        QCOMPARE(carryOut(after(accept({5}), 6)), "invalid"); // a later one is none
        QCOMPARE(sqlite3_total_changes(parts_->tables.database.handle()), before);
    }
    void aMissingChunkIsRefusedBeforeAnythingIsWritten() {
        Accept rows = accept({1});
        rows.items[0].chunks = {Sha256::of("input")};
        QCOMPARE(carryOut(rows), "need");
        QCOMPARE(pending(), "");
        QCOMPARE(word(parts_->chunks.apply(PutChunk{chunk("input")})), "ok");
        QCOMPARE(carryOut(rows), "ok");
    }
    void aRepeatWritesNothing() {
        Accept rows = accept({1});
        rows.idempotency = Idempotency{.key = "k", .body = Sha256::of("b"), .answer = "first"};
        QCOMPARE(carryOut(rows), "ok");
        rows.items[0].row.lsn = Lsn(2);
        const Applied repeated = parts_->acceptance.apply(rows);
        QVERIFY(repeated.detail->repeated);
        QCOMPARE(pending(), "1");
    }
    void thePartThatEndsASubmissionMakesItVisibleAndKeepsItsKey() {
        const LsnRun whole{Lsn(1), 4};
        Accept first = part({1, 2}, whole, true, false);
        Accept last = part({3, 4}, whole, false, true);
        first.idempotency = last.idempotency = Idempotency{.key = "k", .body = Sha256::of("b"), .answer = "a"};
        QCOMPARE(carryOut(first), "ok");
        QCOMPARE(accepting(), "1 4");
        QCOMPARE(parts_->actions.find(Lsn(1)), SQLITE_DONE);
        QCOMPARE(parts_->tables.rows("SELECT key FROM idem"), "");
        QCOMPARE(carryOut(after(last, 1)), "ok"); // of a part before
        QCOMPARE(accepting(), "");
        QCOMPARE(parts_->actions.find(Lsn(1)), SQLITE_ROW);
        QCOMPARE(parts_->tables.rows("SELECT key FROM idem"), "k");
    }
    void whatAnEffectSubmitsIsAcceptedOnceAndIsItsObjects() {
        parts_->tables.run("INSERT INTO outbox VALUES(7, 1, 0, 1, '{}'), (7, 1, 1, 1, '{}')");
        Accept pdf = accept({1});
        pdf.effect =
            SubmitEffect{.effect = {.object = 7, .revision = 1, .position = 0}, .name = "pdf", .isOwned = true};
        QCOMPARE(carryOut(pdf), "ok");
        QCOMPARE(parts_->rows("SELECT position FROM outbox"), "1");
        QCOMPARE(parts_->rows("SELECT lsn, object, name, told FROM object_action"), "1 7 pdf 0");
        pdf.items[0].row.lsn = Lsn(2);
        QVERIFY(parts_->acceptance.apply(pdf).detail->repeated);
        QCOMPARE(pending(), "1");
        Accept array = accept({3});
        array.effect = SubmitEffect{.effect = {.object = 7, .revision = 1, .position = 1}, .name = "all"};
        QCOMPARE(carryOut(array), "ok");
        QCOMPARE(parts_->rows("SELECT count(*) FROM outbox"), "0");
        QCOMPARE(parts_->rows("SELECT lsn FROM object_action"), "1");
    }
    void theEffectOfALargeSubmissionGoesWithItsLastPart() {
        parts_->tables.run("INSERT INTO outbox VALUES(7, 1, 0, 1, '{}')");
        const LsnRun whole{Lsn(1), 4};
        Accept first = part({1, 2}, whole, true, false);
        Accept last = part({3, 4}, whole, false, true);
        first.effect = last.effect = SubmitEffect{.effect = {.object = 7, .revision = 1, .position = 0}};
        QCOMPARE(carryOut(first), "ok");
        QCOMPARE(parts_->rows("SELECT count(*) FROM outbox"), "1");
        QCOMPARE(carryOut(last), "ok");
        QCOMPARE(parts_->rows("SELECT count(*) FROM outbox"), "0");
        QCOMPARE(pending(), "1, 2, 3, 4");
    }
    void aSubmissionIsTakenBackInSteps() {
        const LsnRun whole{Lsn(1), 4};
        QCOMPARE(carryOut(part({1, 2}, whole, true, false)), "ok");
        QCOMPARE(word(parts_->acceptance.apply(UndoAccept{.rows = {Lsn(1), 1}, .whole = Lsn(1)})), "ok");
        QCOMPARE(pending(), "2");
        QCOMPARE(accepting(), "1 4");
        (void)parts_->acceptance.apply(UndoAccept{.rows = {Lsn(2), 3}, .whole = Lsn(1), .ends = true});
        QCOMPARE(pending(), "");
        QCOMPARE(accepting(), "");
    }
    void aStartFindsWhatIsUnfinishedAndRemovesOnlyThat() {
        QCOMPARE(carryOut(accept({1})), "ok");
        QCOMPARE(carryOut(part({5, 6}, {Lsn(5), 10}, true, false)), "ok");
        std::vector<LsnRun> wholes;
        QCOMPARE(parts_->acceptance.findUnfinished(wholes), SQLITE_OK);
        QCOMPARE(wholes.size(), 1u);
        QCOMPARE(parts_->acceptance.undo(wholes[0]), SQLITE_OK);
        QCOMPARE(pending(), "1");
        QCOMPARE(accepting(), "");
    }
};

QTEST_GUILESS_MAIN(TestAcceptance)
#include "tst_acceptance.moc"
