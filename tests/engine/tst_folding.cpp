// Lists in which an array or a list is one row, by themselves: no launcher, the journal is in memory, the clock is moved
// by hand.
#include "core/engine/reading/folding.h"
#include "core/session/action_commands.h"
#include "core/session/place_commands.h"
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <fmt/format.h>
#include <functional>
#include <span>
#include <string>
#include <utility>

using namespace yard;
using namespace yard::engine;
using engine::test::kSecond;

namespace {

class FoldingBench : public engine::test::ListingBench {
public:
    Folding folding{{.session = machine.session,
                     .selection = selection,
                     .listing = listing,
                     .journal = journal,
                     .attempt = [this](Lsn lsn) { return attempt(lsn); },
                     .now = [this] { return rig.loop.now(); }}};

    ~FoldingBench() { rig.loop.shutdown(); } // before what its threads use goes
    void fold(std::int64_t first, std::int64_t count, EndCounts ended = {}, FoldKind kind = FoldKind::Array) {
        journal.foldRows.push_back({.lsns = {Lsn(first), count}, .kind = kind, .ended = ended});
    }
    static ListQuery folded(const std::string& filter = {}, int limit = 100) {
        ListQuery wanted = query(filter);
        wanted.fold = true;
        wanted.limit = limit;
        return wanted;
    }
    Result<ListPage> rowsOf(ListQuery wanted) { return rig.ask(folding.list(std::move(wanted))); }
    /// "5 4[2+3] 1", and "..." if it goes on.
    std::string printed(const Result<ListPage>& page) {
        if (!page) return page.error().message;
        if (page->folds.size() != page->jobs.size()) return "folds and rows differ";
        std::string text;
        for (std::size_t i = 0; i < page->jobs.size(); ++i) {
            const FoldView& view = page->folds[i];
            text += fmt::format("{}{}", text.empty() ? "" : " ", page->jobs[i].lsn.value);
            if (view.count > 0) text += fmt::format("[{}+{}]", view.first.value, view.count);
        }
        return page->cursor.empty() ? text : text + "...";
    }
    std::string printed(const ListQuery& wanted) { return printed(rowsOf(wanted)); }
};

/// "pending 2 failed 1 held 1".
std::string numbers(const FoldView& view) {
    std::string text;
    const auto add = [&text](std::string_view word, std::int64_t count) {
        if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : " ", word, count);
    };
    for (std::size_t i = 0; i < view.states.size(); ++i) add(name(static_cast<ActionState>(i)), view.states[i]);
    add("held", view.held);
    add("retry", view.retry);
    return text;
}

ListQuery onwards(ListQuery query, const Result<ListPage>& page) {
    query.cursor = page->cursor;
    return query;
}

} // namespace

class TestFolding : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anArrayIsOneRowWhicheverWayTheListGoes() {
        FoldingBench b;
        b.ended();
        for (int i = 0; i < 3; ++i) b.pending();
        b.ended();
        b.fold(2, 3);
        QCOMPARE(b.printed(b.folded()), "5 4[2+3] 1");
        ListQuery oldest = b.folded();
        oldest.sort.descending = false;
        QCOMPARE(b.printed(oldest), "1 2[2+3] 5");
        QCOMPARE(b.printed(b.folded("lsn:3,5")), "5 3[2+3]");
    }

    void aPageGoesOnBehindAllOfTheArray() {
        FoldingBench b;
        b.ended();
        for (int i = 0; i < 30; ++i) b.pending();
        for (int i = 0; i < 3; ++i) b.ended();
        b.fold(2, 30);
        b.fold(32, 2, {2, 0, 0, 0}, FoldKind::List);
        const ListQuery query = b.folded({}, 2);
        const auto first = b.rowsOf(query);
        QCOMPARE(b.printed(first), "34 33[32+2]...");
        const auto second = b.rowsOf(onwards(query, first));
        QCOMPARE(b.printed(second), "31[2+30] 1");
        ListQuery oldest = b.folded({}, 2);
        oldest.sort.descending = false;
        const auto lowest = b.rowsOf(oldest);
        QCOMPARE(b.printed(lowest), "1 2[2+30]...");
        QCOMPARE(b.printed(onwards(oldest, lowest)), "32[32+2] 34");
    }

    void aRowStandsForOneThatMatchesAndCountsAll() {
        FoldingBench b;
        b.ended();
        const Lsn failed = b.ended(ActionState::Failed);
        b.journal.ended.at(failed).note = "error: cannot read 12";
        b.pending();
        b.keep(b.submit(true));
        b.ended(ActionState::Failed);
        b.fold(1, 4, {1, 1, 0, 0});
        const auto page = b.rowsOf(b.folded("state:failed"));
        QCOMPARE(b.printed(page), "5 2[1+4]");
        const FoldView& view = page->folds.back();
        QCOMPARE(numbers(view), "pending 2 completed 1 failed 1 held 1");
        QVERIFY(view.isExact);
        QCOMPARE(view.failure, "error: cannot read 12");
        QCOMPARE(view.failures, std::int64_t{1});
        QCOMPARE(view.name, "sort.f");
    }

    void theCommonestLineIsToldAsTheNewestSaysIt() {
        FoldingBench b;
        for (const char* note : {"error: cannot read 12", "error: cannot read 13", "error: no room"})
            b.journal.ended.at(b.ended(ActionState::Failed)).note = note;
        b.fold(1, 3, {0, 3, 0, 0});
        const auto page = b.rowsOf(b.folded());
        QCOMPARE(page->folds.front().failure, "error: cannot read 13");
        QCOMPARE(page->folds.front().failures, std::int64_t{2});
    }

    void theLineIsThatOfTheCauseHoweverManyFailedBecauseOfIt() {
        FoldingBench b;
        const auto failedFor = [&b](Reason reason, const char* note) {
            ActionResult& row = b.journal.ended.at(b.ended(ActionState::Failed));
            row.outcome.emplace().reason = reason;
            row.note = note;
        };
        failedFor(Reason::ExitCode, "error: no room");
        for (int i = 0; i < 3; ++i) failedFor(Reason::DependencyFailed, "action 1 did not complete");
        b.fold(1, 4, {0, 4, 0, 0});
        const auto page = b.rowsOf(b.folded());
        QCOMPARE(page->folds.front().failure, "error: no room");
        QCOMPARE(page->folds.front().failures, std::int64_t{1});
    }

    void whatFailedOnlyBecauseOfOthersSaysThat() {
        FoldingBench b;
        ActionResult& row = b.journal.ended.at(b.ended(ActionState::Failed));
        row.outcome.emplace().reason = Reason::DependencyFailed;
        row.note = "action 9 did not complete";
        b.fold(1, 1, {0, 1, 0, 0});
        const auto page = b.rowsOf(b.folded());
        QCOMPARE(page->folds.front().failure, "action 9 did not complete");
        QCOMPARE(page->folds.front().failures, std::int64_t{1});
    }

    void itsPlaceIsThatOfTheFirstThatWaits() {
        FoldingBench b;
        b.pending();
        b.ended();
        const Lsn second = b.pending();
        const Lsn third = b.pending();
        b.fold(2, 3, {1, 0, 0, 0});
        const auto place = [&b] { return b.rowsOf(b.folded("lsn:2..4"))->folds.front().place; };
        QCOMPARE(place(), std::optional<std::int64_t>(2));
        session::Session& session = b.machine.session;
        const auto move = [&session](Lsn lsn, session::MoveTo::Where where) {
            const auto plan = session.places().plan(std::span(&lsn, 1), {.where = where, .before = {}});
            QVERIFY(plan);
            for (const auto& [moved, to] : plan->placed) session.actions().setPlace(moved, to);
        };
        move(third, session::MoveTo::Where::Top);
        QCOMPARE(place(), std::optional<std::int64_t>(1));
        QCOMPARE(session.places().numberOf(second), std::optional<std::int64_t>(3));
    }

    void thePlaceOfAHigherPriorityComesFirst() {
        FoldingBench b;
        for (int i = 0; i < 3; ++i) b.pending();
        b.pending(1, 5);
        b.fold(3, 2);
        QCOMPARE(b.rowsOf(b.folded("lsn:3"))->folds.front().place, std::optional<std::int64_t>(1));
    }

    void withoutOneThatWaitsThereIsNoPlace() {
        FoldingBench b;
        b.keep(b.run());
        b.ended();
        b.pending();
        b.fold(1, 2, {1, 0, 0, 0});
        QVERIFY(!b.rowsOf(b.folded("lsn:2"))->folds.front().place);
    }

    void whatRunsIsCountedFromMemoryAndTheFirstStartIsTold() {
        FoldingBench b;
        const Lsn running = b.keep(b.run());
        const WallMicros began = b.scale.at(b.machine.now);
        b.attempts.at(running).record.times[ActionState::Running] = began;
        b.pending();
        b.ended();
        b.fold(1, 3, {1, 0, 0, 0});
        QCOMPARE(numbers(b.rowsOf(b.folded())->folds.front()), "pending 1 running 1 completed 1");
        QCOMPARE(b.rowsOf(b.folded())->folds.front().started, began);
        b.journal.foldRows.front().started = began - 5;
        QCOMPARE(b.rowsOf(b.folded())->folds.front().started, began - 5);
    }

    void whatIsForgottenIsInNoNumber() {
        FoldingBench b;
        b.machine.lsn = 2; // 1 and 2 are gone
        b.ended();
        b.pending();
        b.fold(1, 4, {1, 0, 0, 0}, FoldKind::List);
        b.journal.foldRows.front().gone = 2;
        const auto page = b.rowsOf(b.folded());
        QCOMPARE(b.printed(page), "4[1+4]");
        QCOMPARE(numbers(page->folds.front()), "pending 1 completed 1");
        QCOMPARE(page->folds.front().name, "sort.f"); // of the row, as the first one is not known
    }

    void soManyThatWaitAreNotAllLookedAtForHowManyAreHeld() {
        FoldingBench b;
        for (int i = 0; i < Folding::kMostWalked + 10; ++i) b.submit(true);
        b.keep(Lsn(1));
        b.fold(1, Folding::kMostWalked + 10);
        const auto page = b.rowsOf(b.folded());
        QVERIFY(!page->folds.front().isExact);
        QVERIFY2(!page->folds.front().place, "one that was not looked at may be the first");
        QCOMPARE(numbers(page->folds.front()),
                 fmt::format("pending {} held {}", Folding::kMostWalked + 10, Folding::kMostWalked));
    }

    void byAnotherFieldTheRowStandsWhereItsFirstOneDoes() {
        FoldingBench b;
        for (const int seconds : {3, 1, 2}) b.ended(ActionState::Completed, seconds * kSecond);
        b.fold(1, 2, {2, 0, 0, 0}, FoldKind::List);
        ListQuery query = b.folded();
        query.sort = parseSort("runtime").value();
        QCOMPARE(b.printed(query), "2[1+2] 3");
        query.sort = parseSort("-runtime").value();
        QCOMPARE(b.printed(query), "1[1+2] 3");
        const auto lsns = b.rig.ask(b.listing.lsns(query));
        QVERIFY(lsns.has_value());
        QCOMPARE(lsns->lsns, (std::vector{Lsn(1), Lsn(3)}));
        QCOMPARE(lsns->total, std::int64_t{2});
        QCOMPARE(lsns->matched, std::optional<std::int64_t>(3));
    }

    void whatTakesTooLongIsAnsweredInPart() {
        FoldingBench b;
        for (int i = 0; i < 4; ++i) b.ended();
        b.fold(3, 2, {2, 0, 0, 0});
        b.journal.whileReading = [&b] { b.rig.clock.advance(Duration{20'000}); };
        const ListQuery query = b.folded();
        const auto first = b.rowsOf(query);
        QCOMPARE(b.printed(first), "4[3+2]...");
        QCOMPARE(b.printed(onwards(query, first)), "2 1");
    }

    /// Its cursors stand between what is asked for at once, so that is little.
    void alongAnOrderItIsAnsweredInPartToo() {
        FoldingBench b;
        constexpr int kArrays = 200;
        for (int i = 0; i < 2 * kArrays; ++i) b.ended(ActionState::Completed, (1 + i) * kSecond);
        for (int i = 0; i < kArrays; ++i) b.fold(2 * i + 1, 2, {2, 0, 0, 0});
        ListQuery query = b.folded({}, 1'000);
        query.sort = parseSort("runtime").value();
        (void)b.rowsOf(query); // puts them in order
        std::function<void()> takesTime = [&] {
            b.rig.clock.advance(Duration{200});
            b.journal.whileReading = takesTime;
        };
        b.journal.whileReading = takesTime;
        const auto page = b.rowsOf(query);
        QVERIFY(page.has_value());
        QVERIFY(!page->cursor.empty());
        QVERIFY2(page->jobs.size() < 100, std::to_string(page->jobs.size()).c_str());
    }

    void aCursorIsOfAListThatFoldsOrOfOneThatDoesNot() {
        FoldingBench b;
        for (const int seconds : {3, 1, 2}) b.ended(ActionState::Completed, seconds * kSecond);
        b.fold(1, 2, {2, 0, 0, 0});
        ListQuery query = b.folded({}, 1);
        query.sort = parseSort("runtime").value();
        ListQuery other = onwards(query, b.rowsOf(query));
        other.fold = false;
        QCOMPARE(b.list(other).error().kind, ErrorKind::Malformed);
        other.cursor.clear();
        other = onwards(other, b.list(other));
        other.fold = true;
        QCOMPARE(b.rowsOf(other).error().kind, ErrorKind::Malformed);
    }

    void aJournalThatCannotBeReadIsAnError() {
        FoldingBench b;
        b.ended();
        b.journal.error = fail(ErrorKind::Journal, "it is damaged").error();
        QCOMPARE(b.printed(b.folded()), "it is damaged");
        ListQuery query = b.folded();
        query.sort = parseSort("runtime").value();
        QCOMPARE(b.printed(query), "it is damaged");
        QCOMPARE(b.rig.ask(b.listing.lsns(query)).error().message, "it is damaged");
    }

    void ofEachFoldTheFirstOneInTheOrderStays() {
        const std::vector<store::LsnRun> folds{{Lsn(10), 5}, {Lsn(20), 2}};
        const auto left = [&](std::vector<std::int64_t> numbers) {
            std::vector<Lsn> lsns;
            for (const std::int64_t number : numbers) lsns.emplace_back(number);
            std::string text;
            for (const Lsn lsn : firstOfEach(std::move(lsns), folds)) text += fmt::format("{} ", lsn.value);
            return text;
        };
        QCOMPARE(left({9, 14, 21, 10, 15, 20, 12, 22, 1}), "9 14 21 15 22 1 ");
        QCOMPARE(left({}), "");
    }
};

QTEST_GUILESS_MAIN(TestFolding)
#include "tst_folding.moc"
