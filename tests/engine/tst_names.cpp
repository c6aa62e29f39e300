// What actions are called, in lists, results and filters, while they wait and when they have ended.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/launcher/launcher.h"
#include "core/model/action_name.h"
#include "tests/engine/engine_test.h"

#include <QTest>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

ListQuery filtered(const char* text) {
    ListQuery query;
    query.filter = *parseFilter(text, wallNow());
    query.sort.descending = false;
    return query;
}

/// The last minute, with a bar for whatever took 2 ms.
TimelineQuery finely() {
    TimelineQuery query;
    query.from = wallNow() - 60'000'000;
    query.resolution = Duration(1'000);
    return query;
}

std::string lsnsOf(const ListPage& page) {
    std::string text;
    for (const ActionResult& row : page.jobs) text += fmt::format("{}{}", text.empty() ? "" : " ", row.lsn.value);
    return text;
}

} // namespace

class TestNames : public QObject {
    Q_OBJECT

    std::unique_ptr<EngineTest> engine_;

    std::string list(const char* text) {
        return lsnsOf(*engine_->run((*engine_)->ask(&engine::Listing::list, filtered(text))));
    }
    std::string sorted(const char* text) {
        ListQuery query = filtered(text);
        query.sort.field = SortField::Priority;
        for (;;) {
            const auto page = engine_->run((*engine_)->ask(&engine::Listing::list, query));
            if (!page || page->cursor.empty() || !page->jobs.empty()) return page ? lsnsOf(*page) : "(refused)";
            query.cursor = page->cursor;
        }
    }
    std::int64_t count(const char* text) {
        return engine_->run((*engine_)->ask(&engine::Listing::count, filtered(text)))->count;
    }
    std::string nameOf(Lsn lsn) {
        return actionName(*engine_->run((*engine_)->ask(&engine::ActionRows::action, lsn)));
    }
    Lsn held(const char* command, const char* more = "") {
        return engine_->submit(
            fmt::format(R"({{"worker":"exec","argv":["{}","zebra"],"hold":true{}}})", command, more));
    }

private Q_SLOTS:
    void init() { engine_ = std::make_unique<EngineTest>(1); }
    void cleanup() { engine_.reset(); }

    void aCommandIsWhatAnActionIsCalledFromSubmissionToTheNextStart() {
        const Lsn waits = held("make");
        QCOMPARE(nameOf(waits), "make zebra");
        const auto answer = engine_->submitAndWait(R"({"worker":"exec","argv":["/bin/true","a b"],"cwd":"/"})",
                                                   std::chrono::seconds(30));
        QVERIFY(answer && answer->ended);
        QCOMPARE(actionName(*answer->ended), "/bin/true 'a b'");
        const Lsn ended = answer->items.front().first;
        QCOMPARE(nameOf(ended), "/bin/true 'a b'");
        engine_->stop();
        engine_->start();
        QCOMPARE(nameOf(waits), "make zebra");
        QCOMPARE(nameOf(ended), "/bin/true 'a b'");
    }

    void aLabelGoesBeforeIt() { QCOMPARE(nameOf(held("make", R"(,"label":"night")")), "night"); }

    void listsAreFilteredByIt() {
        held("make");
        held("ninja");
        held("make", R"(,"label":"night")");
        QCOMPARE(list("name:make*"), "1");
        QCOMPARE(list("-name:make*"), "2 3");
        QCOMPARE(list("name:night"), "3");
        QCOMPARE(list("NINJA"), "2");
        QCOMPARE(sorted("name:make*"), "1");
        QCOMPARE(sorted("name:exec"), "");
        QCOMPARE(sorted("ninja"), "2");
        QCOMPARE(count("name:make*"), 1);
        QCOMPARE(count("-name:make*"), 2);
        QCOMPARE(count("zebra"), 3 - 1); // the label hides the command
    }

    void manyAreChangedByIt() {
        held("make");
        held("ninja");
        held("make", R"(,"array":{"from":1,"to":3})");
        BulkRequest request;
        request.deed.kind = BulkKind::Cancel;
        request.which = filtered("name:exec");
        QCOMPARE(engine_->run((*engine_)->ask(&engine::Operations::changeMatching, request))->changed, 0);
        request.which = filtered("name:make*");
        QCOMPARE(engine_->run((*engine_)->ask(&engine::Operations::changeMatching, request))->changed, 4);
        QCOMPARE(ending(engine_->wait(Lsn(1))), "cancelled cancelled");
        QCOMPARE(list("state:pending"), "2");
    }

    void timelinesHaveIt() {
        const Lsn lsn = engine_->sh("sleep 100");
        const auto commands = [&] { return engine_->run((*engine_)->ask(&TimelineKeeper::query, {})).commands; };
        QVERIFY(EngineTest::eventually([&] { return commands().contains(lsn); }));
        QCOMPARE(commands().at(lsn), "/bin/sh -c 'sleep 100'");
        engine_->run((*engine_)->ask(&engine::Operations::cancel, lsn));
    }

    void timelinesHaveNoneBesideALabel() {
        const Lsn lsn = engine_->sh("sleep 100", R"(,"label":"night")");
        const auto view = [&] { return engine_->run((*engine_)->ask(&TimelineKeeper::query, {})); };
        QVERIFY(EngineTest::eventually([&] { return !view().view.lanes.empty(); }));
        QVERIFY(view().commands.empty());
        QVERIFY(view().indices.empty());
        engine_->run((*engine_)->ask(&engine::Operations::cancel, lsn));
    }

    void timelinesHaveTheIndexOfALabelThatHasAPlaceForIt() {
        const Lsn first = engine_->sh("sleep 0.1", R"(,"label":"frame {index}","array":{"from":5,"to":6})");
        engine_->sh("sleep 0.1", R"(,"label":"night","array":{"from":8,"to":8})");
        const auto view = [&] { return engine_->run((*engine_)->ask(&TimelineKeeper::query, finely())); };
        QVERIFY(EngineTest::eventually([&] { return view().indices.size() == 2; }));
        QCOMPARE(view().indices.at(first), std::int64_t{5});
        QCOMPARE(view().indices.at(Lsn(first.value + 1)), std::int64_t{6});
    }

    void ofManyTemplatedBarsTheNewestAreMeantEachOnce() {
        TimelineView view;
        view.labels = {{1, "frame {index}"}, {2, "night"}};
        timeline::LaneView& lane = view.view.lanes.emplace_back();
        for (const auto& [lsn, label] : {std::pair{4, 1U}, {5, 2U}, {6, 1U}, {6, 1U}, {7, 1U}})
            lane.bars.push_back({.lsn = Lsn(lsn), .label = label});
        QVERIFY((view.templated(2) == std::vector{Lsn(7), Lsn(6)}));
        QVERIFY((view.templated(9) == std::vector{Lsn(7), Lsn(6), Lsn(4)}));
        view.labels.erase(1);
        QVERIFY(view.templated(9).empty());
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    TestNames test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_names.moc"
