// Lists and counts by themselves: no launcher, the journal is in memory, the clock is moved by hand.
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>

using namespace yard;
using namespace yard::engine;
using engine::test::kSecond;
using Bench = engine::test::ListingBench;

namespace {

/// "5 4 3", and "..." if it goes on.
std::string printed(const Result<ListPage>& page) {
    if (!page) return page.error().message;
    std::string text;
    for (const ActionResult& row : page->jobs) text += fmt::format("{}{}", text.empty() ? "" : " ", row.lsn.value);
    return page->cursor.empty() ? text : text + "...";
}

ListQuery sortedBy(const char* field, int limit = 100) {
    ListQuery query = Bench::query();
    query.sort = parseSort(field).value();
    query.limit = limit;
    return query;
}

std::shared_ptr<const WorkerDescriptor> worker(const char* name, const char* version) {
    WorkerDescriptor descriptor;
    descriptor.name = name;
    descriptor.version = version;
    return std::make_shared<const WorkerDescriptor>(std::move(descriptor));
}

/// Three programs that wait: sleep 1, sort a, sleep 2.
void addCommands(Bench& b) {
    ClassKey exec;
    exec.workerId = "exec";
    const std::uint32_t cls = b.dictionary.internClass(exec).id;
    b.machine.session.defineClass(session::ClassId(cls), {});
    for (const char* command : {"sleep 1", "sort a", "sleep 2"}) {
        const Lsn lsn = b.keep(b.machine.submit(1, 0, cls));
        b.journal.pending[lsn].command = command;
    }
}

ListQuery after(ListQuery query, const Result<ListPage>& page) {
    query.cursor = page->cursor;
    return query;
}

} // namespace

class TestListing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- by LSN

    void whatLivesAndWhatEndedIsOneListTheNewestFirst() {
        Bench b;
        b.pending();
        b.ended();
        b.pending();
        b.ended(ActionState::Failed);
        QCOMPARE(printed(b.list(b.query())), "4 3 2 1");
        ListQuery oldest = b.query();
        oldest.sort.descending = false;
        QCOMPARE(printed(b.list(oldest)), "1 2 3 4");
        ListQuery failed = b.query();
        failed.states = {ActionState::Failed, ActionState::Pending};
        QCOMPARE(printed(b.list(failed)), "4 3 1");
    }

    void aPageGoesOnWhereTheOneBeforeEnded() {
        Bench b;
        for (int i = 0; i < 3; ++i) {
            b.pending();
            b.ended();
        }
        ListQuery query = b.query();
        query.limit = 4;
        const auto first = b.list(query);
        QCOMPARE(printed(first), "6 5 4 3...");
        b.pending(); // newer than what follows
        QCOMPARE(printed(b.list(after(query, first))), "2 1");
    }

    void whatEndsBetweenTwoLooksIsThereOnceAsItEnded() {
        Bench b;
        const Lsn lsn = b.keep(b.run());
        const ActionResult before = b.journal.pending.at(lsn);
        b.machine.complete();
        b.journal.end(lsn, ActionState::Completed);
        b.journal.add(before); // the look at what is pending was earlier
        const auto page = b.list(b.query());
        QCOMPARE(printed(page), "1");
        QCOMPARE(page->jobs.front().state, ActionState::Completed);
    }

    void whatTakesTooLongIsAnsweredInPart() {
        Bench b;
        for (int i = 0; i < 6; ++i) b.ended();
        b.journal.perRead = 2;
        b.journal.whileReading = [&b] { b.rig.clock.advance(Duration{20'000}); };
        const auto page = b.list(b.query("state:completed"));
        QCOMPARE(printed(page), "6 5...");
        QCOMPARE(printed(b.list(after(b.query("state:completed"), page))), "4 3 2 1");
    }

    void whatAFilterNamesIsReadAndNothingElse() {
        Bench b;
        for (int i = 0; i < 5; ++i) b.ended();
        QCOMPARE(printed(b.list(b.query("lsn:2,4,9"))), "4 2");
        QCOMPARE(b.journal.reads, 1);
    }

    void whatRunsIsListedFromMemory() {
        Bench b;
        b.ended();
        const Lsn lsn = b.keep(b.run());
        b.pending();
        ListQuery query = b.query();
        query.states = {ActionState::Submitting, ActionState::Running};
        QCOMPARE(printed(b.list(query)), std::to_string(lsn.value));
        query.queue = QueueRef{QueueId(2), {}};
        QCOMPARE(printed(b.list(query)), "");
    }

    void whatRunsIsFoundByTheVersionOfItsWorker() {
        Bench b;
        b.registry.add({.id = "w", .canonical = {}, .descriptor = worker("sort", "2")});
        b.registry.add({.id = "other", .canonical = {}, .descriptor = worker("sort", "3")});
        b.keep(b.run());
        ListQuery query = b.query();
        query.states = {ActionState::Running};
        for (const auto& [ref, wanted] : {std::pair("w", "1"), {"sort", "1"}, {"sort@2", "1"}, {"sort@3", ""}}) {
            query.worker = ref;
            QCOMPARE(printed(b.list(query)), wanted);
        }
    }

    void aQueueThatIsNotThereIsAnError() {
        Bench b;
        ListQuery query = b.query();
        query.queue = QueueRef{{}, "nowhere"};
        QCOMPARE(b.list(query).error().kind, ErrorKind::NotFound);
        query.queue = QueueRef{{}, "tests"};
        b.pending();
        b.pending(2);
        QCOMPARE(printed(b.list(query)), "2");
    }

    void whoWaitsForAnActionIsLookedUp() {
        Bench b;
        const Lsn parent = b.ended();
        const Lsn child = b.pending();
        b.pending();
        b.journal.children[parent].add(child);
        QCOMPARE(printed(b.list(b.query("after:1"))), "2");
        QCOMPARE(b.rig.ask(b.listing.count(b.query("after:1")))->count, std::int64_t{1});
    }

    void aJournalThatCannotBeReadIsAnError() {
        Bench b;
        b.journal.error = fail(ErrorKind::Journal, "it is damaged").error();
        QCOMPARE(printed(b.list(b.query())), "it is damaged");
        QCOMPARE(printed(b.list(sortedBy("runtime"))), "it is damaged");
        QCOMPARE(b.rig.ask(b.listing.count(b.query())).error().message, "it is damaged");
    }

    // --- by another field

    void byAnotherFieldWhatIsUnknownComesLast() {
        Bench b;
        b.ended(ActionState::Completed, 3 * kSecond);
        b.pending();
        b.ended(ActionState::Completed, kSecond);
        QCOMPARE(printed(b.list(sortedBy("runtime"))), "3 1 2");
        QCOMPARE(printed(b.list(sortedBy("-runtime"))), "1 3 2");
    }

    void pagesFollowTheOrderThatTheFirstOneMade() {
        Bench b;
        for (const int seconds : {5, 3, 4}) b.ended(ActionState::Completed, seconds * kSecond);
        const ListQuery query = sortedBy("-runtime", 2);
        const auto first = b.list(query);
        QCOMPARE(printed(first), "1 3...");
        b.ended(ActionState::Completed, 9 * kSecond); // would be the first one
        QCOMPARE(printed(b.list(after(query, first))), "2");
    }

    void anOrderIsKeptForAMinute() {
        Bench b;
        for (int i = 0; i < 3; ++i) b.ended();
        const ListQuery query = sortedBy("runtime", 1);
        const auto first = b.list(query);
        b.rig.advance(59 * kSecond);
        QVERIFY(b.list(after(query, first)).has_value());
        b.rig.advance(60 * kSecond);
        b.rig.advance(60 * kSecond);
        QCOMPARE(b.list(after(query, first)).error().kind, ErrorKind::WrongState);
    }

    void cursorsOfOtherListsAreRefused() {
        Bench b;
        for (int i = 0; i < 3; ++i) b.ended();
        ListQuery query = sortedBy("runtime", 1);
        const auto first = b.list(query);
        ListQuery other = sortedBy("-runtime", 1);
        QCOMPARE(b.list(after(other, first)).error().kind, ErrorKind::Malformed);
        query.cursor = "7";
        QCOMPARE(b.list(query).error().kind, ErrorKind::Malformed);
        query.cursor = "another.1.1.0"; // of another run
        QCOMPARE(b.list(query).error().kind, ErrorKind::WrongState);
        query = b.query();
        query.cursor = first->cursor;
        QCOMPARE(b.list(query).error().kind, ErrorKind::Malformed);
    }

    void whatIsPutBackWhileAnOrderIsMadeIsInIt() {
        Bench b;
        b.ended();
        const Lsn lsn = b.machine.submit(1, 0, b.cls.id, true);
        b.journal.whileReading = [&] { // after the look at what lives
            b.keep(lsn);
            b.orders.notePutBack(lsn);
        };
        QCOMPARE(printed(b.list(sortedBy("runtime"))), "1 2");
    }

    void lsnsOfAListComeWithTheirNumber() {
        Bench b;
        for (int i = 0; i < 5; ++i) b.ended();
        ListQuery query = b.query();
        query.limit = 3;
        const auto part = b.rig.ask(b.listing.lsns(query));
        QCOMPARE(part->lsns, (std::vector{Lsn(5), Lsn(4), Lsn(3)}));
        QCOMPARE(part->total, std::int64_t{5});
        query.cursor = part->cursor;
        QCOMPARE(b.rig.ask(b.listing.lsns(query))->lsns, (std::vector{Lsn(2), Lsn(1)}));
    }

    // --- how many

    void whatLivesAndWhatEndedIsCounted() {
        Bench b;
        b.journal.perRead = 2;
        for (int i = 0; i < 5; ++i) b.ended(i % 2 == 0 ? ActionState::Completed : ActionState::Failed);
        b.pending();
        b.pending(2);
        const auto count = [&b](ListQuery query) { return b.rig.ask(b.listing.count(std::move(query))).value(); };
        QCOMPARE(count(b.query()).count, std::int64_t{7});
        QCOMPARE(count(b.query("state:failed")).count, std::int64_t{2});
        QCOMPARE(count(b.query("queue:tests")).count, std::int64_t{1});
        QVERIFY(count(b.query()).isExact);
    }

    void theAttemptUnderWayIsATry() {
        Bench b;
        b.keep(b.run());
        b.pending();
        const auto count = [&b](const char* filter) { return b.rig.ask(b.listing.count(b.query(filter)))->count; };
        QCOMPARE(count("tries:1"), std::int64_t{1});
        QCOMPARE(count("tries:0"), std::int64_t{1});
    }

    void aCountThatTakesTooLongIsNotExact() {
        Bench b;
        b.journal.perRead = 2;
        for (int i = 0; i < 5; ++i) b.ended();
        b.journal.whileReading = [&b] { b.rig.clock.advance(kSecond); };
        const auto counted = b.rig.ask(b.listing.count(b.query())).value();
        QCOMPARE(counted.count, std::int64_t{2});
        QVERIFY(!counted.isExact);
    }

    void commandsOfWhatWaitsAreLookedUpInTheJournal() {
        Bench b;
        addCommands(b);
        b.journal.perRead = 1;
        const auto count = [&b](ListQuery query) { return b.rig.ask(b.listing.count(std::move(query)))->count; };
        QCOMPARE(count(b.query("name:sleep*")), std::int64_t{2});
        QCOMPARE(count(b.query("-name:sleep*")), std::int64_t{1});
    }

    void aBoundIsNeverMoreThanThereAre() {
        Bench b;
        addCommands(b);
        b.journal.perRead = 1;
        b.journal.whileReading = [&b] { b.rig.clock.advance(kSecond); };
        const auto counted = b.rig.ask(b.listing.count(b.query("-name:s*"))).value();
        QVERIFY(!counted.isExact);
        QCOMPARE(counted.count, std::int64_t{0});
    }

    void theLastThatFinishedAreTheHistory() {
        Bench b;
        b.ended();
        b.pending();
        b.ended();
        QCOMPARE(printed(b.rig.ask(b.listing.history({}))), "3 1");
        QCOMPARE(printed(b.rig.ask(b.listing.history({QueueRef{{}, "tests"}}))), "");
    }
};

QTEST_GUILESS_MAIN(TestListing)
#include "tst_listing.moc"
