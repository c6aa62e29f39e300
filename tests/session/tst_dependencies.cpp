// Edges between actions, and arrays that are waited for as a whole: who comes out, and with which end.
#include "core/session/dependencies.h"

#include <QTest>
#include <algorithm>
#include <vector>

using namespace yard;
using namespace yard::session;

namespace {

struct Graph {
    std::uint32_t make(std::int64_t lsn) {
        const std::uint32_t record = records.allocate(Lsn(lsn));
        records[record].phase = Phase::Waiting;
        records.map(Lsn(lsn), record);
        dependencies.elementBegins(Lsn(lsn));
        return record;
    }
    std::optional<Predecessor> wait(std::uint32_t record, std::int64_t lsn, DependencyOn on,
                                    std::int64_t count = 0) {
        Predecessor predecessor{.lsn = Lsn(lsn), .on = on};
        predecessor.state = count > 0 ? ActionState::Completed : ActionState::Pending;
        predecessor.count = count;
        return dependencies.waitFor(record, {&predecessor, 1});
    }
    /// Its end is stored. Those who come out.
    std::vector<std::uint32_t> end(std::uint32_t record, ActionState state) {
        records[record].setTarget(state);
        records[record].set(Record::kStored);
        dependencies.ended(record);
        std::vector<std::uint32_t> out;
        while (dependencies.hasNext()) {
            const auto next = dependencies.takeNext();
            out.push_back(next.child);
            because = next.ended;
        }
        std::ranges::sort(out);
        return out;
    }

    Records records;
    Dependencies dependencies{records};
    Predecessor because{};
};

} // namespace

class TestDependencies : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allWhoWaitComeOutWithTheEnd();
    void oneThatWaitsForTwoComesOutTwice();
    void anEndThatIsNotWantedIsToldAtOnce();
    void dependentsMoveToTheRecordThatGoesOn();
    void anArrayIsWaitedForToItsLastElement();
    void theFirstFailureOfAnArrayEndsTheWaitForAll();
    void anElementThatRunsAgainIsWaitedForAgain();
};

void TestDependencies::allWhoWaitComeOutWithTheEnd() {
    Graph graph;
    const std::uint32_t parent = graph.make(1);
    const std::uint32_t a = graph.make(2);
    const std::uint32_t b = graph.make(3);
    QVERIFY(!graph.wait(a, 1, DependencyOn::Completed));
    QVERIFY(!graph.wait(b, 1, DependencyOn::Completed));
    QCOMPARE(graph.dependencies.unmetOf(Lsn(3)).count, 1);
    graph.dependencies.check();
    QCOMPARE(graph.end(parent, ActionState::Failed), (std::vector{a, b}));
    QCOMPARE(graph.because.lsn, Lsn(1));
    QCOMPARE(graph.because.state, ActionState::Failed);
    QCOMPARE(graph.records[b].unmet, 0);
}

void TestDependencies::oneThatWaitsForTwoComesOutTwice() {
    Graph graph;
    const std::uint32_t first = graph.make(1);
    const std::uint32_t second = graph.make(2);
    const std::uint32_t child = graph.make(3);
    QVERIFY(!graph.wait(child, 1, DependencyOn::Any));
    QVERIFY(!graph.wait(child, 2, DependencyOn::Failed));
    QCOMPARE(graph.end(first, ActionState::Completed), std::vector{child});
    QCOMPARE(graph.because.on, DependencyOn::Any);
    QCOMPARE(graph.records[child].unmet, 1);
    QCOMPARE(graph.end(second, ActionState::Completed), std::vector{child});
    QCOMPARE(graph.because.on, DependencyOn::Failed);
    QCOMPARE(graph.records[child].unmet, 0);
}

void TestDependencies::anEndThatIsNotWantedIsToldAtOnce() {
    Graph graph;
    const std::uint32_t child = graph.make(5);
    Predecessor gone{.lsn = Lsn(1), .on = DependencyOn::Completed};
    gone.state = ActionState::Failed;
    const auto otherwise = graph.dependencies.waitFor(child, {&gone, 1});
    QVERIFY(otherwise);
    QCOMPARE(otherwise->lsn, Lsn(1));
    gone.on = DependencyOn::Any;
    QVERIFY(!graph.dependencies.waitFor(child, {&gone, 1}));
    QCOMPARE(graph.records[child].unmet, 0);
}

void TestDependencies::dependentsMoveToTheRecordThatGoesOn() {
    Graph graph;
    const std::uint32_t parent = graph.make(1);
    const std::uint32_t child = graph.make(2);
    QVERIFY(!graph.wait(child, 1, DependencyOn::Any));
    graph.records.unmap(Lsn(1));
    const std::uint32_t moved = graph.make(1);
    graph.dependencies.moveDependents(parent, moved);
    QVERIFY(graph.end(parent, ActionState::Completed).empty());
    QCOMPARE(graph.end(moved, ActionState::Completed), std::vector{child});
}

void TestDependencies::anArrayIsWaitedForToItsLastElement() {
    Graph graph;
    std::vector<std::uint32_t> elements;
    for (int lsn = 1; lsn <= 3; ++lsn) elements.push_back(graph.make(lsn));
    const std::uint32_t child = graph.make(4);
    QVERIFY(!graph.wait(child, 1, DependencyOn::Completed, 3));
    QCOMPARE(graph.dependencies.unfinishedOf(Lsn(1)), std::optional<std::int64_t>(3));
    QCOMPARE(graph.dependencies.unmetOf(Lsn(4)).count, 3);
    QVERIFY(graph.end(elements[1], ActionState::Completed).empty());
    QVERIFY(graph.end(elements[0], ActionState::Completed).empty());
    graph.dependencies.check();
    QCOMPARE(graph.end(elements[2], ActionState::Completed), std::vector{child});
    QCOMPARE(graph.because.state, ActionState::Completed);
    QVERIFY(!graph.dependencies.unfinishedOf(Lsn(1)));
}

void TestDependencies::theFirstFailureOfAnArrayEndsTheWaitForAll() {
    Graph graph;
    std::vector<std::uint32_t> elements;
    for (int lsn = 1; lsn <= 3; ++lsn) elements.push_back(graph.make(lsn));
    const std::uint32_t wantsAll = graph.make(4);
    const std::uint32_t wantsEnd = graph.make(5);
    QVERIFY(!graph.wait(wantsAll, 1, DependencyOn::Completed, 3));
    QVERIFY(!graph.wait(wantsEnd, 1, DependencyOn::Any, 3));
    QCOMPARE(graph.end(elements[1], ActionState::Failed), std::vector{wantsAll});
    QCOMPARE(graph.because.otherwise, Lsn(2));
    QVERIFY(graph.end(elements[0], ActionState::Completed).empty());
    QCOMPARE(graph.end(elements[2], ActionState::Completed), std::vector{wantsEnd});
    QCOMPARE(graph.because.failed, 1);
}

void TestDependencies::anElementThatRunsAgainIsWaitedForAgain() {
    Graph graph;
    const std::uint32_t first = graph.make(1);
    const std::uint32_t second = graph.make(2);
    const std::uint32_t child = graph.make(3);
    QVERIFY(!graph.wait(child, 1, DependencyOn::Any, 2));
    QVERIFY(graph.end(first, ActionState::Failed).empty());
    graph.records.unmap(Lsn(1));
    graph.dependencies.elementRunsAgain(Lsn(1), ActionState::Failed);
    const std::uint32_t again = graph.make(1);
    QCOMPARE(graph.dependencies.unfinishedOf(Lsn(1)), std::optional<std::int64_t>(2));
    QVERIFY(graph.end(second, ActionState::Completed).empty());
    QCOMPARE(graph.end(again, ActionState::Completed), std::vector{child});
    QCOMPARE(graph.because.failed, 0);
}

QTEST_APPLESS_MAIN(TestDependencies)
#include "tst_dependencies.moc"
