// Arrays and lists as one row: what is counted of them, alone and through the journal, and what a journal of an earlier
// version learns.
#include "core/store/writer/end_tally.h"
#include "tests/store/earlier_versions.h"
#include "tests/store/journal_fixture.h"
#include "tests/store/writer_fixture.h"

#include <QTest>
#include <fmt/format.h>
#include <optional>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestFoldRows : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::string path_;
    std::unique_ptr<Journal> journal_;
    int journals_ = 0;

    void open() { journal_ = std::make_unique<Journal>(path_); }
    /// LSNs 10 to 12 are an array, 13 and 14 a list, 15 is alone.
    void acceptAll() {
        Accept accept;
        AcceptItem array = item(10);
        array.isArray = true;
        array.count = 3;
        accept.items.push_back(std::move(array));
        for (const std::int64_t lsn : {13, 14, 15}) accept.items.push_back(item(lsn));
        accept.folds = {{.lsns = {Lsn(10), 3}, .kind = FoldKind::Array},
                        {.lsns = {Lsn(13), 2}, .kind = FoldKind::List}};
        accept.now = kThen;
        QCOMPARE(word(journal_->carryOut(std::move(accept))), "ok");
    }
    /// "10+3 array 1/0/0/0 gone 0 at 110", "-" of what is of none; times are since kThen.
    std::string fold(std::int64_t lsn) {
        const auto found = openReader(*journal_)->folds(std::vector{Lsn(lsn)});
        if (!found || found->size() != 1) return "?";
        const FoldRow& row = found->front();
        if (row.lsns.count == 0) return "-";
        return fmt::format("{}+{} {} {} gone {} at {}", row.lsns.first.value, row.lsns.count, name(row.kind),
                           fmt::join(row.ended, "/"), row.gone, row.started == 0 ? 0 : row.started - kThen);
    }
    std::string runs() {
        const auto found = openReader(*journal_)->foldRuns({}, std::chrono::seconds(10));
        std::string all;
        for (const LsnRun& run : found->runs)
            all += fmt::format("{}{}+{}", all.empty() ? "" : " ", run.first.value, run.count);
        return all + (found->cursor.value == 0 ? "" : " …");
    }

private Q_SLOTS:
    void init() {
        path_ = directory_.filePath(QString::number(++journals_)).toStdString();
        QVERIFY(QDir().mkpath(QString::fromStdString(path_)));
        open();
    }
    void cleanup() { journal_.reset(); }

    void eachActionIsOfItsArrayOrListOrOfNone() {
        acceptAll();
        QCOMPARE(fold(10), "10+3 array 0/0/0/0 gone 0 at 0");
        QCOMPARE(fold(12), "10+3 array 0/0/0/0 gone 0 at 0");
        QCOMPARE(fold(13), "13+2 list 0/0/0/0 gone 0 at 0");
        QCOMPARE(fold(15), "-");
        QCOMPARE(fold(9), "-");
        QCOMPARE(runs(), "10+3 13+2");
    }
    void endsAndTriesAreCountedAndReschedulingCountsBack() {
        acceptAll();
        QCOMPARE(word(journal_->carryOut(finish(11))), "ok");
        QCOMPARE(word(journal_->carryOut(finish(12, ActionState::Failed, Reason::ExitCode))), "ok");
        QCOMPARE(word(journal_->carryOut(finish(15))), "ok");
        QCOMPARE(fold(10), "10+3 array 1/1/0/0 gone 0 at 110");
        QCOMPARE(word(journal_->carryOut(Reopen{.lsn = Lsn(12), .tPending = kThen + 900})), "ok");
        QCOMPARE(fold(10), "10+3 array 1/0/0/0 gone 0 at 110");
        Retry retry{.lsn = Lsn(13), .attempt = attempt(1, ActionState::Failed, Reason::ExitCode)};
        retry.retryCount = 1;
        retry.tPending = kThen + 900;
        QCOMPARE(word(journal_->carryOut(std::move(retry))), "ok");
        QCOMPARE(fold(13), "13+2 list 0/0/0/0 gone 0 at 110");
        QCOMPARE(word(journal_->carryOut(FinishMany{.runs = {{Lsn(10), 1}, {Lsn(12), 3}},
                                                    .state = ActionState::Cancelled,
                                                    .reason = Reason::Cancelled,
                                                    .tEnd = kThen + 1'000})),
                 "ok");
        QCOMPARE(fold(10), "10+3 array 1/0/0/2 gone 0 at 110");
        QCOMPARE(fold(14), "13+2 list 0/0/0/2 gone 0 at 110");
    }
    void whatIsForgottenIsGoneAndTheLastOneTakesTheRowAlong() {
        acceptAll();
        for (const std::int64_t lsn : {10, 11, 13, 14}) QCOMPARE(word(journal_->carryOut(finish(lsn))), "ok");
        QCOMPARE(word(journal_->carryOut(Retire{.lsn = Lsn(10)})), "ok");
        QCOMPARE(fold(11), "10+3 array 1/0/0/0 gone 1 at 110");
        RetireOutdated all;
        all.what = {.endedBefore = kThen + 10'000, .keptSince = kThen + 20'000, .last = Lsn(100)};
        all.from = Lsn(1);
        QCOMPARE(word(journal_->carryOut(std::move(all))), "ok");
        QCOMPARE(fold(12), "10+3 array 0/0/0/0 gone 2 at 110");
        QCOMPARE(fold(13), "-");
        QCOMPARE(runs(), "10+3");
    }
    void ofASubmissionThatIsTakenBackNothingStays() {
        const auto post = [this] {
            Accept part = accept({20, 21});
            part.folds = {{.lsns = {Lsn(20), 2}, .kind = FoldKind::List}};
            part.part = AcceptPart{.whole = {Lsn(20), 4}, .begins = true, .ends = false};
            QCOMPARE(word(journal_->carryOut(std::move(part))), "ok");
            QCOMPARE(runs(), "20+2");
        };
        post();
        QCOMPARE(word(journal_->carryOut(UndoAccept{.rows = {Lsn(20), 2}, .whole = Lsn(20), .ends = true})), "ok");
        QCOMPARE(runs(), "");
        post();
        journal_.reset();
        open(); // a start removes what did not come whole
        QCOMPARE(runs(), "");
    }
    void aFoldOfLessThanTwoIsRefused() {
        Accept one = accept({20});
        one.folds = {{.lsns = {Lsn(20), 1}, .kind = FoldKind::List}};
        QVERIFY(!validate(Action(std::move(one))));
    }
    void arraysOfAJournalFromBeforeAreCountedOnce() {
        acceptAll();
        QCOMPARE(word(journal_->carryOut(finish(11))), "ok");
        QCOMPARE(word(journal_->carryOut(finish(12, ActionState::Failed, Reason::ExitCode))), "ok");
        QCOMPARE(word(journal_->carryOut(finish(10))), "ok");
        QCOMPARE(word(journal_->carryOut(Retire{.lsn = Lsn(10)})), "ok");
        journal_.reset();
        auto database = Database::openForWriting(path_ + "/journal.sqlite", {});
        QVERIFY(database->execute(undoneTo(11)).has_value());
        *database = Database();
        open();
        QCOMPARE(fold(11), "10+3 array 1/1/0/0 gone 1 at 110");
        QCOMPARE(fold(13), "-"); // which were a list nobody knew
    }
    void changesOfAGroupAreWrittenFoldByFoldAndOthersPassedOver() {
        Tables tables;
        FoldRows folds(tables.sql);
        QVERIFY(tables.sql.result());
        QCOMPARE(folds.insert({.lsns = {Lsn(10), 5}, .kind = FoldKind::Array}), SQLITE_OK);
        QCOMPARE(folds.insert({.lsns = {Lsn(30), 2}, .kind = FoldKind::List}), SQLITE_OK);
        std::vector<FoldChange> changes;
        for (const std::int64_t lsn : {40, 31, 30, 20, 14, 10, 9})
            changes.push_back({.lsn = Lsn(lsn), .state = ActionState::Failed, .ended = 1, .started = 1'000 + lsn});
        changes.push_back({.lsn = Lsn(12), .started = 500});
        QCOMPARE(folds.add(std::move(changes)), SQLITE_OK);
        QCOMPARE(tables.rows("SELECT first, completed, failed, gone, started FROM fold ORDER BY first"),
                 "10 0 2 0 500, 30 0 2 0 1030");
        QCOMPARE(folds.add({{.lsn = Lsn(31), .state = ActionState::Failed, .ended = -1, .gone = 1},
                            {.lsn = Lsn(30), .state = ActionState::Failed, .ended = -1, .gone = 1}}),
                 SQLITE_OK);
        QCOMPARE(tables.rows("SELECT first, failed FROM fold"), "10 2");
    }
};

QTEST_GUILESS_MAIN(TestFoldRows)
#include "tst_fold_rows.moc"
