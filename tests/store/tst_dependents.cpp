// Who was to wait for whom: kept beside the actions, for lists that ask for it.
#include "tests/store/earlier_versions.h"
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestDependents : public QObject {
    Q_OBJECT

    Directories directories_;
    std::string path_;
    std::unique_ptr<Journal> journal_;

    void open() { journal_ = std::make_unique<Journal>(path_); }
    /// "13 20-29", or what is wrong.
    std::string waitingFor(std::int64_t first, std::int64_t last, int most = 100) {
        const auto found = openReader(*journal_)->dependents(Lsn(first), Lsn(last), most);
        if (!found) return std::string(errorName(found.error().kind));
        std::string text;
        for (const LsnRun& run : found->runs())
            text += fmt::format("{}{}{}", text.empty() ? "" : " ", run.first.value,
                                run.count > 1 ? fmt::format("-{}", run.last().value) : "");
        return text;
    }
    std::string waitingFor(std::int64_t lsn) { return waitingFor(lsn, lsn); }
    void acceptAfter(std::int64_t lsn, std::initializer_list<std::int64_t> predecessors, std::int64_t count = 0) {
        Accept rows = accept({lsn});
        AcceptItem& item = rows.items.front();
        std::string list;
        for (const std::int64_t predecessor : predecessors) {
            item.row.after.push_back({.lsn = Lsn(predecessor)});
            list += fmt::format("{}{}", list.empty() ? "" : ",", predecessor);
        }
        item.isArray = count > 0;
        if (item.isArray) item.count = count;
        const std::string array = item.isArray ? fmt::format(R"(,"array":{{"from":5,"to":{}}})", 4 + count) : "";
        item.spec = fmt::format(R"({{"worker":"exec","argv":["true"],"after":[{}]{}}})", list, array);
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
    }
    /// 1 to 3; 4 after 1 and 2; an array of ten, 10 to 19, after 2; 20 after 2.
    void acceptAll() {
        QCOMPARE(word(journal_->carryOut(accept({1, 2, 3}))), "ok");
        acceptAfter(4, {1, 2});
        acceptAfter(10, {2}, 10);
        acceptAfter(20, {2});
    }

private Q_SLOTS:
    void init() {
        path_ = directories_.fresh(QTest::currentTestFunction());
        open();
    }
    void cleanup() { journal_.reset(); }

    void thoseThatWereToWaitAreFoundByWhatTheyWaitedFor() {
        acceptAll();
        QCOMPARE(waitingFor(1), "4");
        QCOMPARE(waitingFor(2), "4 10-20");
        QCOMPARE(waitingFor(3), "");
        QCOMPARE(waitingFor(1, 3), "4 10-20");
        QCOMPARE(waitingFor(4, 1'000), "");
    }

    void theyAreFoundWhenAllHasEndedAndAfterARestart() {
        acceptAll();
        for (const std::int64_t lsn : {1, 2, 4}) QCOMPARE(word(journal_->carryOut(finish(lsn))), "ok");
        journal_.reset();
        open();
        QCOMPARE(waitingFor(1), "4");
        QCOMPARE(waitingFor(2), "4 10-20");
    }

    void theyGoWithTheActionThatWaited() {
        acceptAll();
        for (const std::int64_t lsn : {1, 2, 4, 20}) QCOMPARE(word(journal_->carryOut(finish(lsn))), "ok");
        for (const std::int64_t lsn : {2, 4}) QCOMPARE(word(journal_->carryOut(Retire{Lsn(lsn)})), "ok");
        QCOMPARE(waitingFor(1), "");
        QCOMPARE(waitingFor(2), "10-20");
        const ExpiredRows all{.endedBefore = {}, .below = Lsn(100), .keptSince = kThen * 2, .last = Lsn(100)};
        QVERIFY(journal_->carryOut(RetireOutdated{all, Lsn(1), 100}).swept);
        QCOMPARE(waitingFor(2), "10-19");
    }

    void thoseOfAnArrayGoWithItsLastElement() {
        acceptAll();
        for (std::int64_t lsn = 10; lsn < 20; ++lsn) {
            QCOMPARE(waitingFor(2), "4 10-20");
            QCOMPARE(word(journal_->carryOut(finish(lsn))), "ok");
            QCOMPARE(word(journal_->carryOut(Retire{Lsn(lsn)})), "ok");
        }
        QCOMPARE(waitingFor(2), "4 20");
    }

    void moreThanWantedIsRefused() {
        acceptAll();
        QCOMPARE(waitingFor(1, 3, 3), "4 10-20");
        QCOMPARE(waitingFor(1, 3, 2), "at_limit");
    }

    void whoWaitsForAnArrayWaitsForEachElement() {
        acceptAll();
        Accept rows = accept({30});
        rows.items.front().row.after = {{.lsn = Lsn(10), .on = DependencyOn::Any, .count = 10}, {.lsn = Lsn(10)}};
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
        QCOMPARE(waitingFor(10), "30");
        QCOMPARE(waitingFor(15), "30");
        QCOMPARE(waitingFor(19, 25), "30");
        QCOMPARE(waitingFor(20), "");
        const auto reader = openReader(*journal_);
        QCOMPARE(reader->arraySizes(std::vector{Lsn(10), Lsn(11), Lsn(1)}).value(),
                 (std::vector<std::int64_t>{10, 0, 0}));
        QCOMPARE(reader->pendingDependents(Lsn(15), 10)->size(), 0); // it has not ended
        QCOMPARE(word(journal_->carryOut(finish(15, ActionState::Failed, Reason::ExitCode))), "ok");
        QCOMPARE(word(journal_->carryOut(finish(16))), "ok");
        QCOMPARE(reader->pendingDependents(Lsn(15), 10)->last(), Lsn(30));
        const auto otherwise = reader->endedOtherwise(Lsn(10), Lsn(19), {}, std::chrono::seconds(1));
        QCOMPARE(otherwise->ends.size(), std::size_t{1});
        QCOMPARE(otherwise->ends.front().first, Lsn(15));
        QCOMPARE(otherwise->cursor, Lsn());
        QCOMPARE(word(journal_->carryOut(finish(30, ActionState::Failed, Reason::DependencyFailed))), "ok");
        QCOMPARE(reader->pendingDependents(Lsn(15), 10)->size(), 0);
        const auto failed = reader->failedDependents(Lsn(15), {}, 10);
        QCOMPARE(failed->size(), std::size_t{1});
        QCOMPARE(failed->front().lsn, Lsn(30));
    }

    void aRestartKnowsHowTheElementsEnded() {
        acceptAll();
        Accept rows = accept({30, 31});
        for (AcceptItem& item : rows.items)
            item.row.after = {{.lsn = Lsn(10), .on = DependencyOn::Failed, .count = 10}};
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
        QCOMPARE(word(journal_->carryOut(finish(15, ActionState::Failed, Reason::ExitCode))), "ok");
        QCOMPARE(word(journal_->carryOut(finish(16, ActionState::Cancelled, Reason::Cancelled))), "ok");
        QCOMPARE(word(journal_->carryOut(finish(17))), "ok");
        journal_.reset();
        open();
        for (const PendingRow& row : std::span(journal_->pending).last(2)) {
            const Edge& edge = row.after.front();
            QVERIFY(edge.on == DependencyOn::Failed);
            QCOMPARE(edge.count, 10);
            QCOMPARE(edge.failed, 1);
            QCOMPARE(edge.other, 1);
            QCOMPARE(edge.otherwise, Lsn(15));
        }
    }

    void anArrayThatIsNotThereIsRefused() {
        acceptAll();
        Accept rows = accept({30});
        rows.items.front().row.after = {{.lsn = Lsn(11), .count = 3}};
        const AckDetail refused = journal_->carryOut(std::move(rows));
        QCOMPARE(word(refused), "invalid");
        QCOMPARE(refused.error->index, 0);
        QVERIFY(refused.error->message.contains("no array 11"));
    }

    void theSizeOfAnArrayFromBeforeIsInItsSpecification() {
        acceptAfter(10, {}, 10);
        journal_.reset();
        auto database = Database::openForWriting(path_ + "/journal.sqlite", {});
        QVERIFY(database->execute(undoneTo(7)).has_value());
        *database = Database();
        open();
        QCOMPARE(openReader(*journal_)->arraySizes(std::vector{Lsn(10)}).value(), std::vector<std::int64_t>{10});
    }

    void aJournalFromBeforeIsLookedThroughOnce() {
        acceptAll();
        Accept object = accept({30});
        object.items.front().row.after = {{.lsn = Lsn(3)}};
        object.items.front().spec =
            R"({"worker":"exec","argv":["after"],"after":[{"lsn":3,"on":"any"},{"lsn":3}]})";
        QCOMPARE(word(journal_->carryOut(std::move(object))), "ok");
        journal_.reset();
        auto database = Database::openForWriting(path_ + "/journal.sqlite", {});
        QVERIFY(database->execute(undoneTo(5)).has_value());
        *database = Database();
        open();
        QCOMPARE(waitingFor(1), "4");
        QCOMPARE(waitingFor(2), "4 10-20");
        QCOMPARE(waitingFor(3), "30");
    }
};

QTEST_GUILESS_MAIN(TestDependents)
#include "tst_dependents.moc"
