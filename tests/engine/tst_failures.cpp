// Failures by likeness, by themselves: no launcher, the journal is in memory, the clock is moved by hand.
#include "core/engine/reading/failures.h"
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <latch>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;
using engine::test::kSecond;

namespace {

class Bench : public engine::test::ListingBench {
public:
    std::vector<store::PutDocuments> written;
    std::map<std::string, std::string> documents; ///< as the journal has them

    std::optional<Error> commitError;
    std::function<WallMicros()> wall = [this] { return scale.at(rig.loop.now()); };
    FailureMutes mutes{{.commit = [this](store::Action action) { return commit(std::move(action)); },
                        .now = [this] { return wall(); }}};
    Failures::Parts parts{.dictionary = dictionary,
                          .selection = selection,
                          .journal = journal,
                          .mutes = mutes,
                          .helpers = helpers,
                          .machineName = "here",
                          .now = [this] { return rig.loop.now(); },
                          .wall = [this] { return wall(); }};
    Failures failures{parts};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes

    Lsn failed(std::string note, std::int64_t queue = 1, Reason reason = Reason::ExitCode,
               ActionState state = ActionState::Failed) {
        const Lsn lsn = ended(state);
        ActionResult& row = journal.ended.at(lsn);
        row.queue = QueueId(queue);
        row.note = std::move(note);
        row.outcome.emplace().reason = reason;
        return lsn;
    }
    /// It ended at this second.
    void endAt(Lsn lsn, std::int64_t second) {
        ActionResult& row = journal.ended.at(lsn);
        row.times[row.state] = second * 1'000'000;
    }
    static FailureQuery asked(const std::string& filter = {}) { return {.which = query(filter), .since = {}}; }
    FailureGroups groups(const std::string& filter = {}) { return rig.ask(failures.groups(asked(filter))).value(); }
    /// "2 cannot open <path> in 1,2; 1 killed in 1".
    std::string printed(const FailureGroups& all) {
        std::string text;
        for (const FailureGroup& group : all.groups) {
            text += fmt::format("{}{} {} in ", text.empty() ? "" : "; ", group.count, group.line);
            for (const QueueId queue : group.queues)
                text += fmt::format("{}{}", queue == group.queues.front() ? "" : ",", queue.value);
        }
        return all.isExact ? text : "at least " + text;
    }
    std::string printed(const std::string& filter = {}) { return printed(groups(filter)); }
    FailureDetail detail(const std::string& group) { return rig.ask(failures.detail(asked(), group)).value(); }
    std::vector<store::DocumentRow> rows() const {
        std::vector<store::DocumentRow> rows;
        for (const auto& [name, body] : documents)
            rows.push_back({.kind = std::string(FailureMutes::kKind), .name = name, .body = body});
        return rows;
    }
    Result<bool> mute(const std::string& group, WallMicros until) { return rig.ask(muted(group, until)); }
    static std::string printed(const FailureCounts& counts) {
        std::string text;
        for (const auto& [value, count] : counts.values)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value, count);
        return counts.others > 0 ? fmt::format("{}, {} others", text, counts.others) : text;
    }

private:
    coro::Task<Result<bool>> muted(std::string group, WallMicros until) {
        const auto done = co_await mutes.set(std::move(group), until);
        if (!done) co_return std::unexpected(done.error());
        co_return true;
    }
    coro::Task<store::AckDetail> commit(store::Action action) {
        if (commitError) co_return store::AckDetail{.error = commitError};
        written.push_back(std::get<store::PutDocuments>(std::move(action)));
        for (const store::DocumentChange& change : written.back().changes)
            if (change.body)
                documents[change.name] = *change.body;
            else
                documents.erase(change.name);
        co_return store::AckDetail{};
    }
};

std::string idOf(std::string_view line, Reason reason = Reason::ExitCode) {
    return failureId(reason, line);
}

/// No two of them are alike, whatever is masked.
std::string wordOf(int number) {
    std::string word;
    for (; number > 0 || word.empty(); number /= 20) word += static_cast<char>('g' + number % 20);
    return word;
}

} // namespace

class TestFailures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thoseThatFailedAlikeAreOneGroupAcrossQueues() {
        Bench b;
        const Lsn first = b.failed("cannot open /a/1.png: No such file", 2);
        const Lsn second = b.failed("cannot open /b/2.png: No such file", 1);
        const Lsn third = b.failed("cannot open /b/3.png: No such file", 1);
        b.failed("17 of 18 tests differ", 1);
        b.endAt(first, 300);
        b.endAt(second, 100);
        b.endAt(third, 200);
        const FailureGroups all = b.groups();
        QCOMPARE(b.printed(all), "3 cannot open <path>: No such file in 1,2; 1 # of # tests differ in 1");
        QCOMPARE(all.total, 4);
        QCOMPARE(all.others, 0);
        const FailureGroup& group = all.groups.front();
        QCOMPARE(group.id, idOf("cannot open <path>: No such file"));
        QCOMPARE(group.reason, Reason::ExitCode);
        QCOMPARE(group.first, 100'000'000);
        QCOMPARE(group.last, 300'000'000);
        QCOMPARE(group.lsns, (std::vector{third, second, first}));
        QCOMPARE(group.workers, std::vector<std::string>{"sort"});
        QCOMPARE(group.machines, std::vector<std::string>{"here"});
        QCOMPARE(group.mutedUntil, 0);
    }

    void anotherReasonOrExitCodeIsAnotherGroup() {
        Bench b;
        b.failed("broken");
        b.failed("broken", 1, Reason::Deadline);
        b.failed("exit code 3");
        b.failed("exit code 4");
        QCOMPARE(b.groups().groups.size(), std::size_t(4));
    }

    void oneWithoutALineIsGroupedByHowItEnded() {
        Bench b;
        for (const int code : {3, 3, 4}) b.journal.ended.at(b.failed("")).outcome->exitCode = code;
        QCOMPARE(b.printed(), "2 exit code 3 in 1; 1 exit code 4 in 1");
    }

    void whatDidNotFailIsNotCounted() {
        Bench b;
        b.keep(b.run());
        b.pending();
        b.ended(ActionState::Completed);
        b.failed("cancelled", 1, Reason::Cancelled, ActionState::Cancelled);
        b.failed("the engine died", 1, Reason::EngineDied, ActionState::Abandoned);
        QCOMPARE(b.printed(), "1 the engine died in 1");
        QCOMPARE(b.groups().total, 1);
    }

    void aFilterSaysWhichFailures_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("groups");
        QTest::newRow("a queue") << "queue:2" << "1 broken in 2; 1 lost in 2";
        QTest::newRow("a state") << "state:abandoned" << "1 lost in 2";
        QTest::newRow("states") << "state:failed,completed" << "2 broken in 1,2";
        QTest::newRow("a state that is none of a failure") << "state:completed" << "";
        QTest::newRow("a face of pending") << "state:held" << "";
        QTest::newRow("a word") << "brok" << "2 broken in 1,2";
        QTest::newRow("a reason") << "-reason:exit_code" << "1 lost in 2";
        QTest::newRow("a worker") << "worker:other" << "";
    }
    void aFilterSaysWhichFailures() {
        QFETCH(QString, filter);
        QFETCH(QString, groups);
        Bench b;
        b.journal.perRead = 2;
        b.failed("broken", 1);
        b.failed("broken", 2);
        b.failed("lost", 2, Reason::LostRunner, ActionState::Abandoned);
        // Of the same count the newest end, here the same, then the id: both orders are fine for the first one.
        std::string found = b.printed(filter.toStdString());
        if (found == "1 lost in 2; 1 broken in 2") found = "1 broken in 2; 1 lost in 2";
        QCOMPARE(QString::fromStdString(found), groups);
    }

    void theTimeIsThatOfTheEnd() {
        Bench b;
        for (const int second : {300, 100, 200}) b.endAt(b.failed("broken"), second);
        FailureQuery query = Bench::asked();
        query.since = 200'000'000;
        const FailureGroups all = b.rig.ask(b.failures.groups(query)).value();
        QCOMPARE(b.printed(all), "2 broken in 1");
        QCOMPARE(all.groups.front().first, 200'000'000);
    }

    void theLastHoursAreCountedUpToNow() {
        Bench b;
        constexpr WallMicros kHour = 3'600'000'000;
        b.wall = [] { return 100 * kHour; };
        const auto ended = [&b](WallMicros at) { b.endAt(b.failed("broken"), at / 1'000'000); };
        for (const WallMicros at : {100 * kHour, 99 * kHour + 1'000'000, 99 * kHour, 76 * kHour + 1'000'000,
                                    76 * kHour, 5 * kHour, 100 * kHour + 3'000'000})
            ended(at);
        const FailureGroup group = b.groups().groups.front();
        QCOMPARE(group.count, 7);
        std::array<std::int64_t, kFailureHours> wanted{};
        wanted.back() = 3; // one of them ended while they were counted
        wanted[kFailureHours - 2] = 1;
        wanted.front() = 1;
        QCOMPARE(group.hours, wanted);
    }

    void theNewestTenAreNamed() {
        Bench b;
        b.journal.perRead = 3;
        Lsn last{};
        for (int i = 0; i < 12; ++i) last = b.failed(fmt::format("{} broken", i));
        const FailureGroup group = b.groups().groups.front();
        QCOMPARE(group.count, 12);
        QCOMPARE(group.lsns.size(), kMostFailureLsns);
        QCOMPARE(group.lsns.front(), last);
        QCOMPARE(group.lsns.back(), Lsn(last.value - 9));
    }

    void ofManyGroupsTheLargestAreSaid() {
        Bench b;
        for (int i = 0; i < 205; ++i) b.failed(wordOf(i));
        b.failed(wordOf(203));
        const FailureGroups all = b.groups();
        QCOMPARE(all.groups.size(), kMostFailureGroups);
        QCOMPARE(all.groups.front().line, wordOf(203));
        QVERIFY(!all.isExact);
        QCOMPARE(all.total, 206);
        QCOMPARE(all.others, 5);
    }

    void ofManyFailuresTheNewestAreLookedAt() {
        Bench b;
        b.failed("old");
        for (int i = 0; i < 5; ++i) b.failed("new");
        b.parts.most = 5;
        Failures few(b.parts);
        QCOMPARE(b.printed(b.rig.ask(few.groups(Bench::asked())).value()), "at least 5 new in 1");
        b.parts.most = 6;
        Failures all(b.parts);
        QCOMPARE(b.printed(b.rig.ask(all.groups(Bench::asked())).value()), "5 new in 1; 1 old in 1");
    }

    void anAnswerThatTakesTooLongSaysThatThereAreMore() {
        Bench b;
        b.journal.perRead = 2;
        for (int i = 0; i < 5; ++i) b.failed("broken");
        b.journal.whileReading = [&b] { b.rig.clock.advance(10 * kSecond); };
        QCOMPARE(b.printed(), "at least 2 broken in 1");
    }

    void moreGroupsThanAreToldApartAreCountedWithout() {
        FailureTally tally({});
        ActionResult row;
        row.state = ActionState::Failed;
        for (int i = 0; i < static_cast<int>(FailureTally::kMostTold) + 3; ++i) {
            row.note = wordOf(i);
            tally.add(row);
        }
        const FailureGroups all = tally.groups();
        QVERIFY(!all.isExact);
        QCOMPARE(all.total, std::int64_t(FailureTally::kMostTold) + 3);
        QCOMPARE(all.others, all.total - std::int64_t(kMostFailureGroups));
    }

    void theCountsOfAGroupAddUp() {
        Bench b;
        ClassKey key;
        key.workerId = "s2";
        key.workerName = "scale";
        key.workerVersion = "2";
        const std::uint32_t other = b.dictionary.internClass(key).id;
        const auto at = [&](const char* note, std::int64_t queue, int hour) {
            const Lsn lsn = b.failed(note, queue);
            b.endAt(lsn, hour * 3'600 + 59);
            return lsn;
        };
        at("a.c:7: no", 1, 5);
        at("a.c:8: no", 1, 5);
        const Lsn third = at("b.c:8: no", 2, 7);
        b.journal.ended.at(third).classNumber = other + 1;
        b.journal.ended.at(third).times[ActionState::Submitting] = 0; // it never came to a machine
        b.failed("something else");
        const FailureDetail detail = b.detail(idOf("<path>:#: no"));
        QCOMPARE(detail.group.count, 3);
        QVERIFY(detail.isExact);
        QCOMPARE(Bench::printed(detail.queues), "1 2, 2 1");
        QCOMPARE(Bench::printed(detail.workers), "sort 2, scale@2 1");
        QCOMPARE(Bench::printed(detail.machines), "here 2");
        QCOMPARE(detail.hours, (std::vector<std::pair<WallMicros, std::int64_t>>{{5 * 3'600'000'000LL, 2},
                                                                                 {7 * 3'600'000'000LL, 1}}));
        QCOMPARE(detail.parts.size(), std::size_t(2));
        QCOMPARE(detail.parts[0].mask, LineMask::Path);
        QCOMPARE(Bench::printed(detail.parts[0].values), "a.c 2, b.c 1");
        QCOMPARE(detail.parts[1].mask, LineMask::Number);
        QCOMPARE(Bench::printed(detail.parts[1].values), "8 2, 7 1");
    }

    void ofManyValuesTheMostFrequentAreSaid() {
        FailureTally tally({}, idOf("# broken"));
        ActionResult row;
        row.state = ActionState::Failed;
        row.outcome.emplace().reason = Reason::ExitCode;
        const int most = static_cast<int>(FailureTally::kMostValues) + 20;
        for (int i = 0; i < most; ++i) {
            row.note = fmt::format("{} broken", i);
            tally.add(row);
        }
        row.note = "7 broken";
        tally.add(row);
        const FailureCounts values = tally.detail()->parts.front().values;
        QCOMPARE(values.values.size(), kMostFailureValues);
        QCOMPARE(values.values.front(), std::pair(std::string("7"), std::int64_t{2}));
        QCOMPARE(values.others, most + 1 - static_cast<int>(kMostFailureValues) - 1);
    }

    void theFilterOfAGroupFindsItsActions() {
        Bench b;
        b.journal.perRead = 2;
        const Lsn first = b.failed("cannot open /a/1: denied");
        b.failed("broken");
        const Lsn second = b.failed("cannot open /a/2: denied", 2);
        b.pending();
        const std::string filter = "failure:" + b.groups().groups.front().id;
        const auto page = b.list(Bench::query(filter));
        QVERIFY(page);
        std::vector<Lsn> found;
        for (const ActionResult& row : page->jobs) found.push_back(row.lsn);
        std::ranges::sort(found);
        QCOMPARE(found, (std::vector{first, second}));
        QCOMPARE(b.rig.ask(b.listing.count(Bench::query(filter)))->count, 2);
        QCOMPARE(b.rig.ask(b.listing.count(Bench::query(filter + " queue:2")))->count, 1);
        QCOMPARE(b.printed("-" + filter), "1 broken in 1");
    }

    void whatIsNotThereAndAJournalThatCannotBeReadAreErrors() {
        Bench b;
        b.failed("broken");
        const Error unknown = b.rig.ask(b.failures.detail(Bench::asked(), idOf("lost"))).error();
        QCOMPARE(unknown.kind, ErrorKind::NotFound);
        QVERIFY2(unknown.message.contains(idOf("lost")), unknown.message.c_str());
        QCOMPARE(b.rig.ask(b.failures.groups(Bench::asked("queue:99"))).value().total, 0);
        FailureQuery query;
        query.which.queue = QueueRef{QueueId(99), {}};
        QCOMPARE(b.rig.ask(b.failures.groups(query)).error().kind, ErrorKind::NotFound);
        b.journal.error = fail(ErrorKind::Io, "gone").error();
        QCOMPARE(b.rig.ask(b.failures.groups(Bench::asked())).error().message, std::string("gone"));
    }

    void whenTooManyAskTheLastIsToldToComeAgain() {
        Bench b;
        b.failed("broken");
        std::vector<std::string> answers;
        const auto ask = [](Bench& bench, std::vector<std::string>& into) -> coro::Task<void> {
            const auto all = co_await bench.failures.groups(Bench::asked());
            into.push_back(all ? bench.printed(*all) : all.error().message);
        };
        // The first is answered once all have asked.
        std::latch allAsked(1);
        QVERIFY(b.helpers.post([&allAsked] { allAsked.wait(); }));
        for (int i = 0; i < Failures::kMostWaiting + 2; ++i) b.rig.spawn("asks", ask(b, answers));
        b.rig.settle();
        allAsked.count_down();
        QTRY_VERIFY_WITH_TIMEOUT(
            (b.rig.settle(), answers.size() == static_cast<std::size_t>(Failures::kMostWaiting + 2)), kWaitMs);
        QCOMPARE(std::ranges::count(answers,
                                    std::string("too many ask for failures at once: try again in a few seconds")),
                 1);
        QCOMPARE(std::ranges::count(answers, std::string("1 broken in 1")), Failures::kMostWaiting + 1);
    }

    void aMuteShowsUntilItsTime() {
        Bench b;
        b.failed("broken");
        const std::string id = idOf("broken");
        const WallMicros until = b.wall() + 60'000'000;
        QVERIFY(b.mute(id, until));
        QCOMPARE(b.groups().groups.front().mutedUntil, until);
        QCOMPARE(b.groups().groups.front().count, 1); // it is still counted
        QCOMPARE(b.detail(id).group.mutedUntil, until);
        b.rig.clock.advance(61 * kSecond);
        QCOMPARE(b.groups().groups.front().mutedUntil, 0);
    }

    void aTimeThatIsOverEndsAMute() {
        Bench b;
        const std::string id = idOf("broken");
        const auto none = b.mute(id, 0);
        QCOMPARE(none.error().kind, ErrorKind::NotFound);
        QCOMPARE(b.written.size(), std::size_t(0));
        QVERIFY(b.mute(id, b.wall() + 60'000'000));
        QVERIFY(b.mute(id, b.wall()));
        QCOMPARE(b.mutes.until(id), 0);
        QVERIFY(b.documents.empty());
    }

    void whatTheJournalHasIsMutedAfterARestart() {
        Bench before;
        const std::string id = idOf("broken");
        const WallMicros until = before.wall() + 60'000'000;
        QVERIFY(before.mute(id, until));
        QVERIFY(before.mute(idOf("lost"), until + 1));
        QCOMPARE(before.written.back().changes.size(),
                 std::size_t(1)); // what is there already is not written again
        Bench after;
        after.mutes.restore(before.rows());
        QCOMPARE(after.mutes.until(id), until);
        QCOMPARE(after.mutes.until(idOf("lost")), until + 1);
    }

    void whatCannotBeReadOfTheJournalIsLeftOut() {
        Bench b;
        const std::string id = idOf("broken");
        const WallMicros until = b.wall() + 60'000'000;
        const std::string kind(FailureMutes::kKind);
        b.mutes.restore(std::vector<store::DocumentRow>{{.kind = kind, .name = "x", .body = "1"},
                                                        {.kind = kind, .name = idOf("lost"), .body = "soon"},
                                                        {.kind = kind, .name = idOf("empty"), .body = ""},
                                                        {.kind = "note", .name = idOf("other"), .body = "1"},
                                                        {.kind = kind, .name = id, .body = std::to_string(until)}});
        QCOMPARE(b.mutes.until(id), until);
        for (const char* line : {"lost", "empty", "other"}) QCOMPARE(b.mutes.until(idOf(line)), 0);
    }

    void aMuteThatTheJournalDoesNotTakeIsNone() {
        Bench b;
        b.commitError = fail(ErrorKind::Journal, "the disk is full").error();
        const auto muted = b.mute(idOf("broken"), b.wall() + 60'000'000);
        QCOMPARE(muted.error().message, std::string("the disk is full"));
        QCOMPARE(b.mutes.until(idOf("broken")), 0);
    }

    void thereAreSoManyMutesAndThoseThatAreOverMakeRoom() {
        Bench b;
        const WallMicros soon = b.wall() + 60'000'000;
        for (std::size_t i = 0; i < kMostMutes; ++i)
            QVERIFY(b.mute(idOf(wordOf(static_cast<int>(i))), i == 0 ? soon : soon + 60'000'000));
        const auto refused = b.mute(idOf("broken"), soon);
        QCOMPARE(refused.error().kind, ErrorKind::AtLimit);
        QVERIFY(b.mute(idOf(wordOf(5)), soon + 1)); // one that is there is changed
        b.rig.clock.advance(61 * kSecond);
        QVERIFY(b.mute(idOf("broken"), soon + 60'000'000));
    }
};

QTEST_GUILESS_MAIN(TestFailures)
#include "tst_failures.moc"
