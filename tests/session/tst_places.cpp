// The order that people give what waits in a queue: where a move puts actions, what starts next, and their numbers.
#include "tests/session/parts.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <random>

using namespace yard;
using namespace yard::session;
using yard::session::test::PartsOfSession;

namespace {

using Spot = MoveTo::Where;

struct Bench : PartsOfSession {
    /// Five of one array: they are of the same age.
    void addFive() {
        for (std::int64_t lsn = 1; lsn <= 5; ++lsn) addAt(lsn, 0);
    }
    void addAt(std::int64_t lsn, int priority, std::int64_t time = 100) {
        NewAction made = action(lsn);
        made.priority = priority;
        made.submitTime = time;
        add(made);
    }
    void addQueue(std::int64_t id) { queues.add(QueueId(id), {}, QueueState::Active, false, {}, 0); }
    Result<MovePlan> plan(const std::vector<std::int64_t>& lsns, Spot where, std::int64_t before = 0) {
        std::vector<Lsn> all;
        for (const std::int64_t lsn : lsns) all.emplace_back(lsn);
        while (!places.prepare(QueueId(7), 2)) {
        }
        return places.plan(all, {.where = where, .before = Lsn(before)});
    }
    /// Empty, or why not.
    std::string move(const std::vector<std::int64_t>& lsns, Spot where, std::int64_t before = 0) {
        const auto planned = plan(lsns, where, before);
        if (!planned) return planned.error().message;
        changed = 0;
        for (const auto& [lsn, to] : planned->placed) changed += actions.setPlace(lsn, to) ? 1 : 0;
        return {};
    }
    std::string order(std::int64_t queue = 7) {
        while (!places.prepare(QueueId(queue), 2)) {
        }
        std::string text;
        std::int64_t number = 0;
        for (const Lsn lsn : places.inOrder(QueueId(queue))) {
            if (places.numberOf(lsn) != ++number) return fmt::format("{} has another number", lsn.value);
            text += fmt::format("{}{}", text.empty() ? "" : " ", lsn.value);
        }
        return text;
    }
    /// One after the other, as the machine would: each ends before the next starts.
    std::string startAll() {
        std::string text;
        for (auto started = start(); !started.empty(); started = start())
            for (const std::int64_t lsn : started) {
                text += fmt::format("{}{}", text.empty() ? "" : " ", lsn);
                end(lsn, ActionState::Completed);
                storeAll();
            }
        return text;
    }
    std::size_t changed = 0;
};

/// The order of a queue as a list.
struct NaiveOrder {
    std::vector<std::int64_t> all;

    bool isIn(const std::vector<std::int64_t>& some, std::int64_t lsn) const {
        return std::ranges::find(some, lsn) != some.end();
    }
    void move(const std::vector<std::int64_t>& some, Spot where, std::int64_t before) {
        std::vector<std::int64_t> moved;
        std::vector<std::int64_t> rest;
        for (const std::int64_t lsn : all) (isIn(some, lsn) ? moved : rest).push_back(lsn);
        const auto insert = [&](auto at) {
            rest.insert(at, moved.begin(), moved.end());
            all = rest;
        };
        if (where == Spot::Top) return insert(rest.begin());
        if (where == Spot::Bottom) return insert(rest.end());
        if (where == Spot::Before) return insert(std::ranges::find(rest, before));
        if (where == Spot::Down) std::ranges::reverse(all);
        for (std::size_t i = 1; i < all.size(); ++i)
            if (isIn(some, all[i]) && !isIn(some, all[i - 1])) std::swap(all[i], all[i - 1]);
        if (where == Spot::Down) std::ranges::reverse(all);
    }
};

} // namespace

class TestPlaces : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theOrderIsPriorityThenAge();
    void aMovePutsActionsThere_data();
    void aMovePutsActionsThere();
    void whatIsThereAlreadyIsLeftAlone();
    void aMoveStaysWithinItsPriority();
    void whatIsMovedStartsInItsPlace();
    void whatCameLaterStaysBehindTheBottom();
    void whatRunsHasNoPlaceAndNothingWaitsBehindIt();
    void aRetryComesBackToItsPlace();
    void heldAndBlockedOnesKeepTheirPlaces();
    void aPlaceGoesAlongWithAPriority();
    void theTimeOfSubmissionStays();
    void impossibleMovesAreRefused();
    void thoseThatDoNotWaitAreToldOneByOne();
    void whatIsCancelledWithItsQueueIsNotMoved();
    void nothingMovesInAnAbandonedSession();
    void whatStartsWhileThePlanIsKeptDoesNotMove();
    void movedOnesAreCountedWhileTheyWait();
    void anOrderIsBuiltWhileActionsComeAndGo();
    void ordersAreBuiltInOneWalk();
    void whatIsBeingBuiltIsNotForgotten();
    void roomBesideAnAnchorIsMadeAnew();
    void movingToAndFroLeavesNothingBehind();
    void anyMovesGiveTheOrderOfAList();
};

void TestPlaces::theOrderIsPriorityThenAge() {
    Bench bench;
    bench.addAt(1, 0, 300);
    bench.addAt(2, 0, 200);
    bench.addAt(3, 5, 400);
    bench.addAt(4, -1, 100);
    QCOMPARE(bench.order(), "3 2 1 4");
    QVERIFY(!bench.places.numberOf(Lsn(9)));
}

void TestPlaces::aMovePutsActionsThere_data() {
    QTest::addColumn<std::vector<std::int64_t>>("lsns");
    QTest::addColumn<int>("where");
    QTest::addColumn<int>("before");
    QTest::addColumn<std::string>("order");
    const auto row = [](const char* name, std::vector<std::int64_t> lsns, Spot where, std::string order,
                        int before = 0) {
        QTest::newRow(name) << std::move(lsns) << static_cast<int>(where) << before << std::move(order);
    };
    row("one to the top", {4}, Spot::Top, "4 1 2 3 5");
    row("some to the top keep their order", {5, 3}, Spot::Top, "3 5 1 2 4");
    row("one is at the top already", {1, 4}, Spot::Top, "1 4 2 3 5");
    row("one to the bottom", {2}, Spot::Bottom, "1 3 4 5 2");
    row("one is at the bottom already", {2, 5}, Spot::Bottom, "1 3 4 2 5");
    row("one up", {3}, Spot::Up, "1 3 2 4 5");
    row("a block up", {3, 4}, Spot::Up, "1 3 4 2 5");
    row("two blocks up", {2, 4}, Spot::Up, "2 1 4 3 5");
    row("the top stays, the other goes up", {1, 3}, Spot::Up, "1 3 2 4 5");
    row("one down", {3}, Spot::Down, "1 2 4 3 5");
    row("two blocks down", {2, 4}, Spot::Down, "1 3 2 5 4");
    row("the bottom stays, the other goes down", {5, 3}, Spot::Down, "1 2 4 3 5");
    row("one before another", {5}, Spot::Before, "1 5 2 3 4", 2);
    row("some from both sides before another", {1, 5}, Spot::Before, "2 1 5 3 4", 3);
}

void TestPlaces::aMovePutsActionsThere() {
    QFETCH(const std::vector<std::int64_t>, lsns);
    QFETCH(const int, where);
    QFETCH(const int, before);
    QFETCH(const std::string, order);
    Bench bench;
    bench.addFive();
    QCOMPARE(bench.order(), "1 2 3 4 5");
    QCOMPARE(bench.move(lsns, static_cast<Spot>(where), before), "");
    QCOMPARE(bench.order(), order);
    QVERIFY(bench.changed <= lsns.size());
    bench.check();
}

void TestPlaces::whatIsThereAlreadyIsLeftAlone() {
    Bench bench;
    bench.addFive();
    for (const auto& [lsns, where, before] : {std::tuple{std::vector<std::int64_t>{1, 2}, Spot::Top, 0},
                                              {{1}, Spot::Up, 0},
                                              {{5}, Spot::Down, 0},
                                              {{4, 5}, Spot::Bottom, 0},
                                              {{2, 3}, Spot::Before, 4}}) {
        QCOMPARE(bench.move(lsns, where, before), "");
        QCOMPARE(bench.changed, std::size_t{0});
    }
    QCOMPARE(bench.order(), "1 2 3 4 5");
}

void TestPlaces::aMoveStaysWithinItsPriority() {
    Bench bench;
    bench.addAt(1, 5);
    bench.addAt(2, 5);
    bench.addAt(3, 0);
    bench.addAt(4, 0);
    QCOMPARE(bench.move({2, 4}, Spot::Top), "");
    QCOMPARE(bench.order(), "2 1 4 3");
    QVERIFY(bench.move({4}, Spot::Before, 1).contains("a higher one always goes first"));
    QCOMPARE(bench.move({4}, Spot::Up), "");
    QCOMPARE(bench.order(), "2 1 4 3");
}

void TestPlaces::whatIsMovedStartsInItsPlace() {
    Bench bench;
    for (std::int64_t lsn = 1; lsn <= 40; ++lsn) bench.addAt(lsn, 0);
    QCOMPARE(bench.move({30, 31}, Spot::Top), "");
    QCOMPARE(bench.move({1}, Spot::Bottom), "");
    QCOMPARE(bench.move({20}, Spot::Before, 3), "");
    const std::string order = bench.order();
    QVERIFY2(order.starts_with("30 31 2 20 3 4 "), order.c_str());
    QCOMPARE(bench.startAll(), order); // no turn of the oldest in between: age is the place
}

void TestPlaces::whatCameLaterStaysBehindTheBottom() {
    Bench bench;
    bench.addFive();
    QCOMPARE(bench.move({2}, Spot::Bottom), "");
    bench.addAt(6, 0, 101);
    QCOMPARE(bench.order(), "1 3 4 5 2 6");
}

void TestPlaces::whatRunsHasNoPlaceAndNothingWaitsBehindIt() {
    Bench bench;
    bench.addFive();
    QCOMPARE(bench.order(), "1 2 3 4 5");
    QCOMPARE(bench.start().size(), std::size_t{2});
    bench.events.running(Lsn(1), 1, bench.out);
    bench.events.running(Lsn(2), 1, bench.out);
    QCOMPARE(bench.order(), "3 4 5");
    QCOMPARE(bench.move({5}, Spot::Top), "");
    QCOMPARE(bench.order(), "5 3 4");
    bench.check();
}

void TestPlaces::aRetryComesBackToItsPlace() {
    Bench bench;
    bench.queue().config.backoff = Duration::zero();
    bench.addFive();
    QCOMPARE(bench.move({5}, Spot::Top), "");
    QCOMPARE(bench.start(), (std::vector<std::int64_t>{5, 1}));
    bench.end(5, ActionState::Failed, Reason::ExitCode);
    QCOMPARE(bench.out.retry.size(), std::size_t{1});
    bench.events.retryStored(Lsn(5), bench.out);
    QVERIFY(bench.order().starts_with("5 "));
    bench.check();
}

void TestPlaces::heldAndBlockedOnesKeepTheirPlaces() {
    Bench bench;
    bench.addFive();
    NewAction later = Bench::action(6);
    later.submitTime = 100;
    later.notBefore = bench.now + Duration{1'000};
    bench.add(later);
    QVERIFY(bench.actions.hold(Lsn(4), bench.out));
    QCOMPARE(bench.move({6, 4}, Spot::Top), "");
    QCOMPARE(bench.order(), "4 6 1 2 3 5");
    QVERIFY(bench.actions.release(Lsn(4)));
    bench.now += Duration{1'000};
    QCOMPARE(bench.startAll(), "4 6 1 2 3 5");
}

void TestPlaces::aPlaceGoesAlongWithAPriority() {
    Bench bench;
    bench.addFive();
    QCOMPARE(bench.move({5}, Spot::Top), "");
    QVERIFY(bench.actions.setPriority(Lsn(5), 3));
    QVERIFY(bench.actions.setPriority(Lsn(1), 3));
    QCOMPARE(bench.order(), "5 1 2 3 4");
    QVERIFY(bench.actions.setQueue(Lsn(5), QueueId(8)));
    QCOMPARE(bench.order(), "1 2 3 4");
    QCOMPARE(bench.order(8), "5");
    bench.check();
}

void TestPlaces::theTimeOfSubmissionStays() {
    Bench bench;
    bench.addAt(1, 0, 100);
    bench.addAt(2, 0, 200);
    QCOMPARE(bench.move({2}, Spot::Top), "");
    QCOMPARE(bench.views.live(Lsn(2))->submitTime, 200);
    QVERIFY(bench.actions.setPriority(Lsn(2), 1));
    QCOMPARE(bench.views.live(Lsn(2))->submitTime, 200);
}

void TestPlaces::impossibleMovesAreRefused() {
    Bench bench;
    bench.addFive();
    bench.add(6, 8);
    QVERIFY(bench.move({1, 6}, Spot::Top).contains("move those of one queue at a time"));
    QVERIFY(bench.move({1}, Spot::Before, 6).contains("name one of the same queue"));
    QVERIFY(bench.move({1, 2}, Spot::Before, 2).contains("is one of those that are moved"));
    QCOMPARE(bench.plan({1}, Spot::Before, 99).error().kind, ErrorKind::NotFound);
    QVERIFY(bench.actions.cancelLater(Lsn(3), bench.out));
    QCOMPARE(bench.plan({1}, Spot::Before, 3).error().kind, ErrorKind::WrongState);
    const std::vector<std::int64_t> many(PlaceCommands::kMostAtOnce + 1, 1);
    QCOMPARE(bench.plan(many, Spot::Top).error().kind, ErrorKind::AtLimit);
}

void TestPlaces::thoseThatDoNotWaitAreToldOneByOne() {
    Bench bench;
    bench.addFive();
    bench.start();
    bench.events.running(Lsn(1), 1, bench.out);
    const auto plan = bench.plan({1, 4, 99}, Spot::Top);
    QVERIFY(plan);
    QCOMPARE(plan->matched, 1);
    QCOMPARE(plan->refused.size(), std::size_t{2});
    QCOMPARE(plan->refused.front().second.kind, ErrorKind::WrongState);
    QCOMPARE(plan->refused.back().second.kind, ErrorKind::NotFound);
}

void TestPlaces::whatIsCancelledWithItsQueueIsNotMoved() {
    Bench bench;
    bench.addFive();
    QVERIFY(bench.queues.cancel(QueueId(7), bench.out));
    QVERIFY(bench.plan({1}, Spot::Before, 3).error().message.contains("with its queue"));
    const auto plan = bench.plan({4}, Spot::Top);
    QVERIFY(plan && plan->placed.empty());
    QCOMPARE(plan->refused.front().second.kind, ErrorKind::WrongState);
}

void TestPlaces::nothingMovesInAnAbandonedSession() {
    Bench bench;
    bench.addFive();
    const auto before = bench.plan({4}, Spot::Top);
    QVERIFY(before && before->placed.size() == 1);
    QVERIFY(bench.service.moveTo(SessionState::Abandoned));
    QVERIFY(!bench.actions.setPlace(Lsn(4), before->placed.front().to));
    const auto plan = bench.plan({4}, Spot::Top);
    QVERIFY(plan && plan->placed.empty());
    QCOMPARE(plan->refused.front().second.kind, ErrorKind::WrongState);
}

void TestPlaces::whatStartsWhileThePlanIsKeptDoesNotMove() {
    Bench bench;
    bench.addFive();
    const auto plan = bench.plan({1, 2}, Spot::Bottom);
    QVERIFY(plan && plan->placed.size() == 2);
    QCOMPARE(bench.start().size(), std::size_t{2});
    bench.events.running(Lsn(1), 1, bench.out);
    std::size_t moved = 0;
    for (const auto& [lsn, to] : plan->placed) moved += bench.actions.setPlace(lsn, to) ? 1 : 0;
    QCOMPARE(moved, std::size_t{1}); // 2 was only handed over
    bench.check();
}

void TestPlaces::movedOnesAreCountedWhileTheyWait() {
    Bench bench;
    bench.addFive();
    QCOMPARE(bench.move({4, 5}, Spot::Top), "");
    QCOMPARE(bench.ledger.moved(), 2);
    for (int i = 0; i < 3; ++i) {
        QCOMPARE(bench.move({5}, Spot::Up), "");
        QCOMPARE(bench.move({4}, Spot::Up), "");
    }
    QVERIFY(bench.actions.setPriority(Lsn(4), 1));
    QCOMPARE(bench.ledger.moved(), 2); // each once, whatever it was before
    QCOMPARE(bench.start().size(), std::size_t{2});
    bench.events.running(Lsn(4), 1, bench.out);
    QCOMPARE(bench.ledger.moved(), 1);
    bench.check();
}

void TestPlaces::anOrderIsBuiltWhileActionsComeAndGo() {
    Bench bench;
    for (std::int64_t lsn = 1; lsn <= 3'000; ++lsn) bench.addAt(lsn, static_cast<int>(lsn % 3));
    QVERIFY(!bench.places.prepare(QueueId(7), 1'000));
    QVERIFY(!bench.places.numberOf(Lsn(1)));
    for (const std::int64_t lsn : {500, 2'500}) QVERIFY(bench.actions.cancel(Lsn(lsn), bench.out));
    QVERIFY(bench.actions.setPriority(Lsn(400), 50));
    QVERIFY(bench.actions.setPriority(Lsn(2'400), 50));
    bench.addAt(3'001, 60);
    bench.check();
    while (!bench.places.prepare(QueueId(7), 1'000)) {
    }
    bench.check();
    QCOMPARE(bench.places.inOrder(QueueId(7)).size(), std::size_t{2'999});
    QVERIFY(bench.order().starts_with("3001 400 2400 2 5 "));
}

void TestPlaces::ordersAreBuiltInOneWalk() {
    Bench bench;
    for (const std::int64_t queue : {9, 10}) bench.addQueue(queue);
    for (std::int64_t lsn = 1; lsn <= 400; ++lsn) bench.add(lsn, 7 + lsn % 4);
    QVERIFY(!bench.places.prepare(QueueId(8), 100)); // has some of it already when the others begin
    const std::vector<QueueId> wanted{QueueId(7), QueueId(8), QueueId(9)};
    int calls = 1;
    for (; !bench.places.prepare(wanted, 100); ++calls) {
        bench.check();
        QVERIFY(bench.actions.cancel(Lsn(calls), bench.out));
    }
    bench.check();
    QCOMPARE(calls, 5); // the last one finds the end
    for (const QueueId queue : wanted) QCOMPARE(bench.places.inOrder(queue).size(), std::size_t{99});
    QVERIFY(bench.places.inOrder(QueueId(10)).empty());
}

void TestPlaces::whatIsBeingBuiltIsNotForgotten() {
    Bench bench;
    constexpr std::int64_t kMost = 4'096; // Places::kMostQueues
    std::vector<QueueId> some;
    std::vector<QueueId> others;
    for (std::int64_t i = 0; i < kMost; ++i) {
        (i < kMost / 2 ? some : others).emplace_back(100 + i);
        bench.addQueue(100 + i);
    }
    for (std::int64_t lsn = 1; lsn <= 10; ++lsn) bench.add(lsn);
    bench.add(11, 100);
    QVERIFY(bench.places.prepare(some, 100));
    QVERIFY(!bench.places.prepare(QueueId(7), 5));
    QVERIFY(bench.places.prepare(others, 100)); // one of the first is forgotten
    QVERIFY(bench.places.prepare(QueueId(7), 7));
    QCOMPARE(bench.places.inOrder(QueueId(7)).size(), std::size_t{10});
    QVERIFY(!bench.places.numberOf(Lsn(11)));
    QVERIFY(bench.places.prepare(QueueId(100), 100));
    QVERIFY(bench.places.numberOf(Lsn(11)) == 1);
    bench.check();
}

void TestPlaces::roomBesideAnAnchorIsMadeAnew() {
    Bench bench;
    NaiveOrder naive;
    for (std::int64_t lsn = 1; lsn <= 200; ++lsn) {
        bench.addAt(lsn, 0);
        naive.all.push_back(lsn);
    }
    std::size_t most = 0;
    for (std::int64_t lsn = 100; lsn <= 200; ++lsn) { // each into the half of the room that the last one left
        naive.move({lsn}, Spot::Before, 50);
        QCOMPARE(bench.move({lsn}, Spot::Before, 50), "");
        most = std::max(most, bench.changed);
    }
    for (std::int64_t lsn = 199; lsn >= 101; --lsn) {
        naive.move({lsn}, Spot::Before, 200);
        QCOMPARE(bench.move({lsn}, Spot::Before, 200), "");
        most = std::max(most, bench.changed);
    }
    for (std::int64_t lsn = 1; lsn < 48; ++lsn) { // always between the same two
        naive.move({lsn}, Spot::Before, 101);
        QCOMPARE(bench.move({lsn}, Spot::Before, 101), "");
        naive.move({lsn}, Spot::Up, 0);
        QCOMPARE(bench.move({lsn}, Spot::Up), "");
        most = std::max(most, bench.changed);
    }
    QCOMPARE(bench.order(), fmt::format("{}", fmt::join(naive.all, " ")));
    QVERIFY2(most > 1, "it never ran out of room");
    bench.check();
}

void TestPlaces::movingToAndFroLeavesNothingBehind() {
    Bench bench;
    bench.addFive();
    const std::size_t few = bench.ledger.memoryBytes();
    for (int i = 0; i < 20'000; ++i) {
        QCOMPARE(bench.move({4}, Spot::Top), "");
        QCOMPARE(bench.move({4}, Spot::Bottom), "");
        while (bench.bulk.hasMore()) bench.bulk.step(bench.out);
    }
    QVERIFY(bench.ledger.dead() < 12'000);
    QVERIFY(bench.ledger.memoryBytes() < few + 4'000'000);
    QCOMPARE(bench.startAll(), "1 2 3 5 4");
    bench.check();
}

void TestPlaces::anyMovesGiveTheOrderOfAList() {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        std::mt19937 random(seed);
        const auto pick = [&](std::size_t n) { return random() % n; };
        Bench bench;
        NaiveOrder naive;
        for (std::int64_t lsn = 1; lsn <= 30; ++lsn) {
            bench.addAt(lsn, 0, 100 + lsn / 10);
            naive.all.push_back(lsn);
        }
        for (int step = 0; step < 100; ++step) {
            std::vector<std::int64_t> lsns;
            for (std::size_t n = 1 + pick(5); n > 0; --n) lsns.push_back(naive.all[pick(naive.all.size())]);
            std::ranges::sort(lsns);
            lsns.erase(std::ranges::unique(lsns).begin(), lsns.end());
            const auto where = static_cast<Spot>(pick(5));
            const std::int64_t before = naive.all[pick(naive.all.size())];
            if (where == Spot::Before && naive.isIn(lsns, before)) continue;
            naive.move(lsns, where, before);
            QCOMPARE(bench.move(lsns, where, before), "");
            QVERIFY2(bench.order() == fmt::format("{}", fmt::join(naive.all, " ")),
                     fmt::format("seed {} step {}", seed, step).c_str());
        }
        bench.check();
        QCOMPARE(bench.startAll(), fmt::format("{}", fmt::join(naive.all, " ")));
    }
}

QTEST_APPLESS_MAIN(TestPlaces)
#include "tst_places.moc"
