// The threads of a loop as people see them, and its longest turns.
#include "core/coro/thread_list.h"

#include "core/coro/sync.h"
#include "core/coro/timeout.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <fmt/format.h>
#include <set>

namespace yard::coro {

namespace {

Task<void> sleeper() {
    co_await sleepFor(std::chrono::seconds(100));
}

Task<void> waiter(Mutex& mutex) {
    const auto guard = co_await mutex.lock();
}

Task<void> inner() {
    co_await sleepFor(std::chrono::seconds(100)); // the innermost of the chain
}
Task<int> middle() {
    co_await inner();
    co_return 1;
}
Task<void> outer(ThreadPage& atTheEnd) {
    const int one = co_await middle();
    atTheEnd = co_await listThreads({.filter = "outer"});
    static_cast<void>(one);
}

Task<void> list(ThreadQuery query, ThreadPage& page) {
    page = co_await listThreads(std::move(query));
}

ThreadPage listed(Loop& loop, ThreadQuery query) {
    ThreadPage page;
    loop.spawn("list", list(std::move(query), page));
    loop.runUntilIdle();
    return page;
}

Task<void> work(VirtualClock& clock, Duration time) {
    clock.advance(time);
    co_await yieldNow();
    clock.advance(std::chrono::milliseconds(3));
}

/// Ends one of the sleepers at each of its turns, from the first on.
Task<void> endOneByOne(std::vector<ThreadRef>& sleepers) {
    for (const ThreadRef& sleeper : sleepers) {
        sleeper->interrupt();
        co_await yieldNow();
    }
}

} // namespace

class TestThreadList : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aThreadSaysWhatItDoes();
    void pagesHaveEachThreadOnce();
    void aFilterLooksAtNamesAndWaits();
    void manyThreadsAreListedInSteps();
    void threadsThatEndMeanwhileHideNoOther();
    void aChainLeadsFromTheWaitToTheBodyOfTheThread();
    void theThreadThatRunsHasAChainToo();
    void limitsAroundAThreadAreTold();
    void namesOfFunctionsAreShort_data();
    void namesOfFunctionsAreShort();
    void turnsAreCounted();
    void theLongestTurnsAreKept();
    void aLongTurnHasTheChainInWhichItEnded();

private:
    VirtualClock clock_;
};

void TestThreadList::aThreadSaysWhatItDoes() {
    Loop loop({.clock = &clock_});
    loop.spawn("sleeper", sleeper());
    loop.runUntilIdle();
    clock_.advance(std::chrono::seconds(30));
    const ThreadPage page = listed(loop, {});
    QCOMPARE(page.threads.size(), std::size_t(2));
    QCOMPARE(page.threads[0].name, "sleeper");
    QVERIFY(page.threads[0].state == ThreadState::Parked);
    QVERIFY(page.threads[0].asleepFor == std::chrono::seconds(70));
    QVERIFY(page.threads[0].age == std::chrono::seconds(30));
    QCOMPARE(page.threads[0].runs, std::uint64_t(1));
    QVERIFY(page.threads[1].state == ThreadState::Running);
    QVERIFY(!page.threads[1].asleepFor);
    QCOMPARE(page.next, std::uint64_t(0));
}

void TestThreadList::pagesHaveEachThreadOnce() {
    Loop loop({.clock = &clock_});
    for (int n = 0; n < 25; ++n) loop.spawn(fmt::format("s{}", n), sleeper());
    loop.runUntilIdle();
    std::set<std::uint64_t> seen;
    std::uint64_t after = 0;
    int pages = 0;
    do {
        const ThreadPage page = listed(loop, {.after = after, .limit = 10, .filter = "s"});
        for (const ThreadInfo& thread : page.threads)
            if (thread.name != "list") QVERIFY(seen.insert(thread.id).second);
        after = page.next;
        ++pages;
    } while (after != 0);
    QCOMPARE(seen.size(), std::size_t(25));
    QCOMPARE(pages, 3);
}

void TestThreadList::aFilterLooksAtNamesAndWaits() {
    Loop loop({.clock = &clock_});
    Mutex mutex;
    std::optional<MutexGuard> held;
    loop.spawn("holder", [](Mutex& wanted, std::optional<MutexGuard>& to) -> Task<void> {
        to.emplace(co_await wanted.lock());
    }(mutex, held));
    loop.runUntilIdle();
    loop.spawn("one", waiter(mutex));
    loop.spawn("two", sleeper());
    loop.runUntilIdle();
    QCOMPARE(listed(loop, {.filter = "one"}).threads.size(), std::size_t(1));
    const ThreadPage waiting = listed(loop, {.filter = "mutex"});
    QCOMPARE(waiting.threads.size(), std::size_t(1));
    QCOMPARE(waiting.threads[0].name, "one");
    QCOMPARE(listed(loop, {.filter = "sleep"}).threads[0].name, "two");
    QVERIFY(listed(loop, {.filter = "nothing"}).threads.empty());
    held.reset();
    loop.runUntilIdle();
}

void TestThreadList::manyThreadsAreListedInSteps() {
    Loop loop({.clock = &clock_});
    for (int n = 0; n < 10'000; ++n) loop.spawn("many", sleeper());
    loop.runUntilIdle();
    const std::uint64_t before = loop.meter().switches();
    const ThreadPage page = listed(loop, {.after = 9'990, .limit = 100, .filter = "many"});
    QCOMPARE(page.threads.size(), std::size_t(10));
    QVERIFY(loop.meter().switches() - before >= 5);
}

void TestThreadList::threadsThatEndMeanwhileHideNoOther() {
    Loop loop({.clock = &clock_});
    std::vector<ThreadRef> first;
    for (int n = 0; n < 6'000; ++n) first.push_back(loop.spawn("first", sleeper()));
    for (int n = 0; n < 50; ++n) loop.spawn("last", sleeper());
    loop.runUntilIdle();
    std::reverse(first.begin(), first.end());
    loop.spawn("ending", endOneByOne(first));
    ThreadPage page;
    loop.spawn("list", list({.limit = 1'000, .filter = "last"}, page));
    loop.runUntilIdle();
    QCOMPARE(page.threads.size(), std::size_t(50));
    QCOMPARE(page.next, std::uint64_t(0));
}

void TestThreadList::aChainLeadsFromTheWaitToTheBodyOfTheThread() {
    Loop loop({.clock = &clock_});
    ThreadPage own;
    loop.spawn("outer", outer(own));
    loop.runUntilIdle();
    const ThreadPage page = listed(loop, {.filter = "outer"});
    QCOMPARE(page.threads.size(), std::size_t(1));
    const std::vector<AwaitPlace>& chain = page.threads[0].chain;
    QCOMPARE(chain.size(), std::size_t(3));
    QCOMPARE(std::string(chain[0].file), "tests/coro/tst_thread_list.cpp");
    QCOMPARE(functionName(chain[0].function), "yard::coro::inner");
    QCOMPARE(functionName(chain[1].function), "yard::coro::middle");
    QCOMPARE(functionName(chain[2].function), "yard::coro::outer");
    QVERIFY(chain[0].line > 0 && chain[0].line < chain[1].line && chain[1].line < chain[2].line);
}

void TestThreadList::theThreadThatRunsHasAChainToo() {
    Loop loop({.clock = &clock_});
    ThreadPage own;
    loop.spawn("outer", outer(own));
    loop.runUntilIdle();
    clock_.advance(std::chrono::seconds(101));
    loop.runUntilIdle();
    // The functions that it waited in have ended. Its chain is now that of its look at itself.
    QCOMPARE(own.threads.size(), std::size_t(1));
    QVERIFY(own.threads[0].state == ThreadState::Running);
    QCOMPARE(functionName(own.threads[0].chain.back().function), "yard::coro::outer");
    for (const AwaitPlace& place : own.threads[0].chain)
        QVERIFY(functionName(place.function) != "yard::coro::middle");
}

void TestThreadList::limitsAroundAThreadAreTold() {
    Loop loop({.clock = &clock_});
    loop.spawn("limited", withTimeout(std::chrono::seconds(60), withTimeout(std::chrono::seconds(20), sleeper())));
    loop.runUntilIdle();
    clock_.advance(std::chrono::seconds(5));
    const ThreadPage page = listed(loop, {.filter = "limited"});
    const std::vector<Duration> left = {std::chrono::seconds(15), std::chrono::seconds(55)};
    QVERIFY(page.threads.at(0).timeouts == left);
}

void TestThreadList::namesOfFunctionsAreShort_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("name");
    const auto row = [](const char* text, const char* name) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(name);
    };
    row("coro::Task<> yard::http::Server::serve(Call &)", "yard::http::Server::serve");
    row("Task<std::pair<int, long> > yard::f()", "yard::f");
    row("coro::Task<void> yard::(anonymous namespace)::X::f(int)", "yard::X::f");
    row("auto yard::run(int)::(anonymous class)::operator()() const", "yard::run");
    row("main", "main");
    row("", "");
}

void TestThreadList::namesOfFunctionsAreShort() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, name);
    QCOMPARE(functionName(text.constData()), name.toStdString());
}

void TestThreadList::turnsAreCounted() {
    Loop loop({.clock = &clock_});
    const ThreadRef thread = loop.spawn("worker", work(clock_, std::chrono::milliseconds(5)));
    loop.runUntilIdle();
    QCOMPARE(thread->runs(), std::uint64_t(2));
    QVERIFY(thread->used() == std::chrono::milliseconds(8));
    QVERIFY(thread->longestTurn() == std::chrono::milliseconds(5));
}

void TestThreadList::theLongestTurnsAreKept() {
    Loop loop({.clock = &clock_});
    for (int n = 0; n < 150; ++n)
        loop.spawn(fmt::format("t{}", n), work(clock_, std::chrono::milliseconds(10 + (n * 7) % 150)));
    loop.runUntilIdle();
    loop.post([this] { clock_.advance(std::chrono::milliseconds(190)); });
    loop.runUntilIdle();
    const std::vector<SlowTurn> turns = loop.meter().slowestTurns();
    QCOMPARE(turns.size(), LoopMeter::kSlowTurns);
    QVERIFY(turns[0].ran == std::chrono::milliseconds(190));
    QCOMPARE(turns[0].thread, std::uint64_t(0));
    QVERIFY(turns[1].ran == std::chrono::milliseconds(159));
    QVERIFY(turns[1].name.starts_with("t"));
    QVERIFY(turns.back().ran == std::chrono::milliseconds(61));
    QVERIFY(turns.back().ended > 0);
}

void TestThreadList::aLongTurnHasTheChainInWhichItEnded() {
    Loop loop({.clock = &clock_});
    loop.spawn("worker", work(clock_, std::chrono::milliseconds(900)));
    loop.runUntilIdle();
    const std::vector<SlowTurn> turns = loop.meter().slowestTurns();
    QCOMPARE(turns.size(), std::size_t(2));
    QVERIFY(turns[0].ran == std::chrono::milliseconds(900));
    QVERIFY(!turns[0].chain.empty());
    QCOMPARE(functionName(turns[0].chain.back().function), "yard::coro::work");
    QCOMPARE(std::string(turns[0].chain.back().file), "tests/coro/tst_thread_list.cpp");
    QVERIFY(turns[1].chain.empty()); // with this one the thread ended
}

} // namespace yard::coro

QTEST_GUILESS_MAIN(yard::coro::TestThreadList)
#include "tst_thread_list.moc"
