// Commands of actions without a label, in the rows of the journal.
#include "tests/store/earlier_versions.h"
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestNames : public QObject {
    Q_OBJECT

    Directories directories_;
    std::string path_;
    std::unique_ptr<Journal> journal_;

    void open() { journal_ = std::make_unique<Journal>(path_); }
    std::string commandOf(std::int64_t lsn) {
        const auto row = get(*journal_, lsn);
        return row ? row->command : "(unknown)";
    }
    /// 1 `make one`, 2 without, an array from 10 to 19 with indices from 5.
    void acceptAll() {
        Accept rows = accept({1, 2});
        rows.items.front().row.command = "make one";
        AcceptItem array = item(10);
        array.isArray = true;
        array.count = 10;
        array.row.arrayIndex = 5;
        array.row.command = "render {index}";
        rows.items.push_back(std::move(array));
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
    }
    std::string found(std::string_view part, Lsn behind = {}) {
        const auto named = openReader(*journal_)->pendingNamed(
            [part](std::string_view command) { return command.contains(part); }, behind, std::chrono::seconds(1));
        if (!named) return std::string(errorName(named.error().kind));
        std::string text;
        for (const LsnRun& run : named->lsns.runs())
            text += fmt::format("{}{}+{}", text.empty() ? "" : " ", run.first.value, run.count);
        return named->cursor.value == 0 ? text : text + "…";
    }

private Q_SLOTS:
    void init() {
        path_ = directories_.fresh(QTest::currentTestFunction());
        open();
    }
    void cleanup() { journal_.reset(); }

    void theCommandStaysWithTheActionToItsEndAndWhenItRunsAgain() {
        acceptAll();
        QCOMPARE(commandOf(1), "make one");
        QCOMPARE(commandOf(2), "");
        QCOMPARE(word(journal_->carryOut(finish(1, ActionState::Failed, Reason::ExitCode))), "ok");
        QCOMPARE(commandOf(1), "make one");
        journal_.reset();
        open();
        QCOMPARE(commandOf(1), "make one");
        QCOMPARE(word(journal_->carryOut(Reopen{.lsn = Lsn(1), .tPending = kThen})), "ok");
        QCOMPARE(commandOf(1), "make one");
        Finish forgotten = finish(1);
        forgotten.keepSpec = false;
        QCOMPARE(word(journal_->carryOut(std::move(forgotten))), "ok");
        QCOMPARE(commandOf(1), "make one");
    }

    void elementsOfAnArrayHaveTheirIndexInIt() {
        acceptAll();
        QCOMPARE(commandOf(10), "render 5");
        QCOMPARE(commandOf(19), "render 14");
        QCOMPARE(word(journal_->carryOut(finish(12))), "ok");
        QCOMPARE(commandOf(12), "render 7");
        QCOMPARE(word(journal_->carryOut(FinishMany{
                     .runs = {{Lsn(13), 3}}, .state = ActionState::Cancelled, .reason = {}, .tEnd = kThen})),
                 "ok");
        QCOMPARE(commandOf(14), "render 9");
    }

    void theIdOfAListStaysToo() {
        Accept rows = accept({1});
        rows.items.front().row.id = "compile";
        AcceptItem array = item(10);
        array.isArray = true;
        array.count = 2;
        array.row.id = "frames";
        rows.items.push_back(std::move(array));
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
        QCOMPARE(get(*journal_, 1)->id, "compile");
        QCOMPARE(get(*journal_, 11)->id, "frames");
        QCOMPARE(word(journal_->carryOut(finish(1, ActionState::Failed, Reason::ExitCode))), "ok");
        QCOMPARE(get(*journal_, 1)->id, "compile");
        QCOMPARE(word(journal_->carryOut(Reopen{.lsn = Lsn(1), .tPending = kThen})), "ok");
        QCOMPARE(get(*journal_, 1)->id, "compile");
    }

    void listsHaveIt() {
        acceptAll();
        QCOMPARE(word(journal_->carryOut(finish(12))), "ok");
        const auto reader = openReader(*journal_);
        QCOMPARE(reader->pagePending({}, PageOrder::OldestFirst, 10, {})->rows.front().command, "make one");
        QCOMPARE(reader->page({}, PageOrder::OldestFirst, 10, {})->rows.front().command, "render 7");
        const std::vector<Lsn> lsns{Lsn(12), Lsn(1), Lsn(77), Lsn(2)};
        const auto commands = reader->commands(lsns, std::chrono::seconds(1));
        QCOMPARE(*commands, (std::vector<std::string>{"render 7", "make one", "", ""}));
    }

    void elementsAreKnownByTheirIndex() {
        acceptAll();
        QCOMPARE(word(journal_->carryOut(finish(12))), "ok");
        const auto reader = openReader(*journal_);
        const std::vector<Lsn> lsns{Lsn(12), Lsn(1), Lsn(77), Lsn(10)};
        const auto indices = reader->indices(lsns, std::chrono::seconds(1));
        QVERIFY((*indices == std::vector<std::optional<std::int64_t>>{7, std::nullopt, std::nullopt, 5}));
    }

    void whatWaitsIsFoundByIt() {
        acceptAll();
        QCOMPARE(found("make"), "1+1");
        QCOMPARE(found("render"), "10+10");
        QCOMPARE(found("render 1"), "15+5"); // 10 to 14
        QCOMPARE(found("e", Lsn(12)), "13+7");
        QCOMPARE(word(journal_->carryOut(finish(1))), "ok");
        QCOMPARE(found("make"), "");
    }

    void aSubmissionThatIsNotWholeIsNotLookedAt() {
        Accept first = accept({1});
        first.items.front().row.command = "make";
        first.part = AcceptPart{.whole = {Lsn(1), 2}, .begins = true, .ends = false};
        QCOMPARE(word(journal_->carryOut(std::move(first))), "ok");
        QCOMPARE(found("make"), "");
    }

    void aLookEndsWithItsTime() {
        Accept rows;
        rows.now = kThen;
        AcceptItem array = item(1);
        array.isArray = true;
        array.count = 1'000;
        array.row.command = "x";
        rows.items.push_back(std::move(array));
        QCOMPARE(word(journal_->carryOut(std::move(rows))), "ok");
        const auto reader = openReader(*journal_);
        const auto named = reader->pendingNamed([](std::string_view) { return true; }, {}, Duration(0));
        QVERIFY(named->cursor.value > 0 && named->lsns.size() < 1'000);
        std::vector<Lsn> lsns;
        for (int i = 1; i <= 1'000; ++i) lsns.emplace_back(i);
        const auto commands = reader->commands(lsns, Duration(0));
        QVERIFY(!commands->empty() && commands->size() < 1'000);
    }

    void aJournalFromBeforeHasNone() {
        acceptAll();
        QCOMPARE(word(journal_->carryOut(finish(2))), "ok");
        journal_.reset();
        {
            auto database = Database::openForWriting(path_ + "/journal.sqlite", {});
            QVERIFY(database->execute(undoneTo(6)).has_value());
        }
        open();
        QCOMPARE(commandOf(1), "");
        QCOMPARE(commandOf(2), "");
        Accept later = accept({30});
        later.items.front().row.command = "make later";
        QCOMPARE(word(journal_->carryOut(std::move(later))), "ok");
        QCOMPARE(commandOf(30), "make later");
    }
};

QTEST_GUILESS_MAIN(TestNames)
#include "tst_names.moc"
