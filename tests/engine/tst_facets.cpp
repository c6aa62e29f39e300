// Counts by facets, by themselves: no launcher, the journal is in memory, the clock is moved by hand.
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
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
    std::uint32_t other = 0; ///< class of the worker "scale", in version 2

    Bench() {
        ClassKey key;
        key.workerId = "s2";
        key.workerName = "scale";
        key.workerVersion = "2";
        other = dictionary.internClass(key).id;
        machine.session.defineClass(session::ClassId(other), {});
    }
    Lsn waiting(std::int64_t queue, const char* label = "", bool held = false,
                std::optional<std::uint32_t> of = {}) {
        return keep(machine.submit(queue, 0, of.value_or(cls.id), held, dictionary.internLabel(label).id));
    }
    Lsn done(ActionState state, std::int64_t queue, const char* label = "", Reason reason = Reason::None,
             std::optional<std::uint32_t> of = {}) {
        const Lsn lsn = ended(state);
        ActionResult& row = journal.ended.at(lsn);
        row.queue = QueueId(queue);
        dictionary.internLabel(label);
        row.label = label;
        if (of) {
            row.classNumber = *of + 1;
            row.workerId = dictionary.classKey(*of).workerId;
            row.workerName = dictionary.classKey(*of).workerName;
        }
        row.outcome.emplace().reason = reason;
        return lsn;
    }
    /// Some of everything.
    void fill() {
        attempts.at(keep(run())).machineName = "desk"; // there is room for one
        for (const char* label : {"night", "night", "day", ""}) waiting(1, label);
        waiting(2, "night", true);
        waiting(2, "", false, other);
        for (int i = 0; i < 5; ++i) done(ActionState::Completed, 1, i < 3 ? "night" : "day");
        for (int i = 0; i < 3; ++i) done(ActionState::Failed, 2, "night", Reason::ExitCode, other);
        journal.ended.at(done(ActionState::Failed, 1, "", Reason::Signal)).outcome->machine = "desk";
        const Lsn never = done(ActionState::Cancelled, 2, "day", Reason::Cancelled);
        journal.ended.at(never).times[ActionState::Submitting] = 0;
        journal.perRead = 4;
    }

    FacetCounts counted(FacetQuery query) { return rig.ask(facets.count(std::move(query))).value(); }
    /// "7: state pending 4, failed 3 (2 others); queue 1 7"
    std::string by(std::vector<FacetKey> keys, const std::string& filter = {}, bool own = false) {
        FacetQuery asked{.which = query(filter), .by = std::move(keys), .underOwn = own};
        return printed(counted(std::move(asked)));
    }
    static std::string printed(const FacetCounts& counts) {
        std::string text = fmt::format("{}{}:", counts.isExact ? "" : "at least ", counts.total);
        for (const FacetList& list : counts.lists) {
            text += fmt::format("{} {}", text.back() == ':' ? "" : ";", name(list.key));
            for (std::size_t i = 0; i < list.values.size(); ++i)
                text += fmt::format("{} {} {}", i == 0 ? "" : ",", list.values[i].first, list.values[i].second);
            if (list.others > 0) text += fmt::format(" ({} others)", list.others);
        }
        return text;
    }
    /// How many a list has of this value under the same terms.
    std::int64_t total(const std::string& filter) { return rig.ask(listing.count(query(filter)))->count; }
};

std::vector<FacetKey> allFacets() {
    std::vector<FacetKey> keys;
    for (const FacetInfo& facet : kFacets) keys.push_back(facet.key);
    return keys;
}

} // namespace

class TestFacets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatLivesAndWhatEndedIsCountedByEachFacet() {
        Bench b;
        b.fill();
        QCOMPARE(b.by(allFacets()),
                 "17: state pending 6, completed 5, failed 4, cancelled 1, running 1; queue 1 11, 2 6; "
                 "worker sort 13, scale 4; label night 9, day 4; reason exit_code 3, cancelled 1, signal 1; "
                 "machine here 8, desk 2");
    }

    void aFacetIsCountedUnderTheTermsOfTheOthers() {
        Bench b;
        b.fill();
        QCOMPARE(b.by({FacetKey::State, FacetKey::Queue}, "state:failed queue:1"),
                 "1: state completed 5, pending 4, failed 1, running 1; queue 2 3, 1 1");
        QCOMPARE(b.by({FacetKey::State}, "state:failed queue:1"),
                 "1: state completed 5, pending 4, failed 1, running 1");
    }

    void underItsOwnTermsAFacetHasWhatTheFilterFinds() {
        Bench b;
        b.fill();
        QCOMPARE(b.by({FacetKey::State, FacetKey::Queue}, "state:failed queue:1", true),
                 "1: state failed 1; queue 1 1");
    }

    void theQueueOfTheRouteHoldsOfTheCountByQueueToo() {
        Bench b;
        b.fill();
        FacetQuery query{.which = b.query("state:failed"), .by = {FacetKey::Queue}, .isQueueFixed = true};
        query.which.queue = QueueRef{QueueId(2), {}};
        QCOMPARE(Bench::printed(b.counted(query)), "3: queue 2 3");
        query.isQueueFixed = false;
        QCOMPARE(Bench::printed(b.counted(query)), "3: queue 2 3, 1 1");
    }

    void facesOfPendingAreTermsOfTheState() {
        Bench b;
        b.fill();
        QCOMPARE(b.by({FacetKey::State, FacetKey::Label}, "state:held"),
                 "1: state pending 6, completed 5, failed 4, cancelled 1, running 1; label night 1");
        QCOMPARE(b.by({FacetKey::Label}, "-state:held state:pending"), "5: label night 2, day 1");
    }

    /// The counts are what lists say, value by value, whatever else the filter says.
    void aCountIsTheTotalOfTheListOfItsValue_data() {
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("others");
        const auto row = [](const char* state, const char* others) {
            QTest::addRow("%s %s", state, others) << QString(state) << QString(others);
        };
        row("", "");
        row("state:failed,pending", "");
        row("", "worker:sort");
        row("state:completed", "label:night,day queue:1");
        row("-state:completed", "-queue:2 worker:s*");
        row("state:failed", "reason:exit_code,signal machine:here");
        row("state:failed,running", "machine:desk");
        row("", "tries:1 -machine:desk");
        row("", "tries:1");
        row("state:failed", "lsn:5..14");
        row("", "night");
    }
    void aCountIsTheTotalOfTheListOfItsValue() {
        QFETCH(QString, state);
        QFETCH(QString, others);
        Bench b;
        b.fill();
        const std::string filter = others.toStdString();
        const FacetCounts counts =
            b.counted({.which = b.query(state.toStdString() + " " + filter), .by = {FacetKey::State}});
        QCOMPARE(counts.total, b.total(state.toStdString() + " " + filter));
        std::int64_t sum = 0;
        for (const auto& [value, count] : counts.lists.front().values) {
            QCOMPARE(count, b.total(fmt::format("state:{} {}", value, filter)));
            sum += count;
        }
        QCOMPARE(sum, b.total(filter));
        const FacetCounts all =
            b.counted({.which = b.query(state.toStdString() + " " + filter), .by = allFacets(), .underOwn = true});
        QCOMPARE(all.total, counts.total);
        for (const FacetList& list : all.lists)
            for (const auto& [value, count] : list.values)
                QCOMPARE(count,
                         b.total(fmt::format("{}:{} {} {}", name(list.key), value, state.toStdString(), filter)));
    }

    void theHundredLargestAreSaidAndHowManyActionsAreLeft() {
        Bench b;
        for (int i = 0; i < 130; ++i) b.done(ActionState::Completed, 1, fmt::format("label {}", i).c_str());
        b.done(ActionState::Completed, 1, "label 120");
        b.done(ActionState::Completed, 1);
        const FacetCounts counts = b.counted({.which = b.query(), .by = {FacetKey::Label}});
        const FacetList& list = counts.lists.front();
        QCOMPARE(counts.total, 132);
        QCOMPARE(list.values.size(), kMaxFacetValues);
        QCOMPARE(list.values.front(), std::pair(std::string("label 120"), std::int64_t{2}));
        QCOMPARE(list.others, 30);
    }

    void versionsOfAWorkerAreOneValueAndTermsTellThemApart() {
        Bench b;
        ClassKey key;
        key.workerId = "s1";
        key.workerName = "scale";
        key.workerVersion = "1";
        const std::uint32_t first = b.dictionary.internClass(key).id;
        b.done(ActionState::Completed, 1, "", Reason::None, first);
        b.done(ActionState::Failed, 1, "", Reason::ExitCode, b.other);
        QCOMPARE(b.by({FacetKey::Worker}), "2: worker scale 2");
        QCOMPARE(b.by({FacetKey::Worker, FacetKey::State}, "worker:s1"), "1: worker scale 2; state completed 1");
    }

    void aCountThatTakesTooLongSaysThatThereAreMore() {
        Bench b;
        b.journal.perRead = 2;
        for (int i = 0; i < 5; ++i) b.ended();
        b.journal.whileReading = [&b] { b.rig.clock.advance(kSecond); };
        QCOMPARE(b.by({FacetKey::State}), "at least 2: state completed 2");
    }

    void walksWaitForOneAnotherAndEachHasItsTime() {
        Bench b;
        b.journal.perRead = 2;
        for (int i = 0; i < 1'500; ++i) b.pending(); // more than one slice: the second walk comes in between
        for (int i = 0; i < 5; ++i) b.ended();
        std::vector<std::string> answers;
        const auto ask = [](Bench& bench, std::vector<std::string>& into) -> coro::Task<void> {
            FacetQuery asked{.which = Bench::query(), .by = {FacetKey::State}};
            const auto counts = co_await bench.facets.count(std::move(asked));
            into.push_back(Bench::printed(*counts));
        };
        b.journal.whileReading = [&b] { b.rig.clock.advance(kSecond); };
        b.rig.spawn("first", ask(b, answers));
        b.rig.spawn("second", ask(b, answers));
        b.rig.settle();
        QCOMPARE(answers, (std::vector<std::string>{"at least 1502: state pending 1500, completed 2",
                                                    "1505: state pending 1500, completed 5"}));
    }

    void anUnknownQueueAndAJournalThatCannotBeReadAreErrors() {
        Bench b;
        FacetQuery query{.which = b.query(), .by = {FacetKey::Queue}};
        query.which.queue = QueueRef{QueueId(99), {}};
        QCOMPARE(b.rig.ask(b.facets.count(query)).error().kind, ErrorKind::NotFound);
        query.which.queue.reset();
        b.journal.error = fail(ErrorKind::Io, "gone").error();
        QCOMPARE(b.rig.ask(b.facets.count(query)).error().message, std::string("gone"));
    }
};

QTEST_GUILESS_MAIN(TestFacets)
#include "tst_facets.moc"
