// The watch reports a turn that does not end: its loop, its thread, and where that thread is.
#include "core/coro/stuck_watch.h"

#include "core/coro/loop.h"
#include "core/coro/sync.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <atomic>
#include <future>
#include <thread>
#include <unistd.h>

namespace yard::coro {

namespace {

struct Told {
    std::promise<StuckTurn> first{};
    std::atomic<bool> isSecond = false;
    std::vector<std::string> loops{}; ///< the watch's thread writes it

    StuckWatch::Tell tell() {
        return [this](const StuckTurn& turn) {
            loops.push_back(turn.loop);
            if (loops.size() == 1) first.set_value(turn);
            if (loops.size() == 2) isSecond = true;
        };
    }
};

constexpr StuckWatch::Options kSoon{.after = std::chrono::milliseconds(20), .every = std::chrono::milliseconds(5)};

/// Does not let this turn end, and has the loop watched from here on: on a slow machine an earlier turn could be
/// reported. It waits in a call of the system, where sanitizers let a signal through.
void stay(const Loop& loop, StuckWatch& watch, const std::atomic<bool>& released) {
    const StuckWatch::Watched watched(loop, watch);
    while (!released) ::usleep(1'000);
}

Task<void> blocked(StuckWatch& watch, const std::atomic<bool>& released) {
    stay(currentLoop(), watch, released);
    co_return;
}

Task<void> callsWhatBlocks(StuckWatch& watch, const std::atomic<bool>& released) {
    co_await yieldNow();
    co_await blocked(watch, released);
}

void runBlocked(std::string loopName, std::string threadName, StuckWatch& watch,
                const std::atomic<bool>& released) {
    Loop loop({.name = std::move(loopName), .latencyLimit = std::chrono::hours(1)});
    loop.spawn(std::move(threadName), callsWhatBlocks(watch, released));
    loop.run();
}

} // namespace

class TestStuckWatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aThreadThatDoesNotGiveWayIsNamedWithItsPlace();
    void aPostedFunctionHasNoThread();
    void aTurnIsToldOnce();
    void aLoopThatSleepsIsNotStuck();
};

void TestStuckWatch::aThreadThatDoesNotGiveWayIsNamedWithItsPlace() {
    Told told;
    StuckWatch watch(kSoon, told.tell());
    std::atomic<bool> released = false;
    std::jthread runner([&] { runBlocked("engine", "the blocking one", watch, released); });
    const StuckTurn turn = told.first.get_future().get();
    released = true;
    QCOMPARE(turn.loop, "engine");
    QCOMPARE(turn.name, "the blocking one");
    QVERIFY(turn.thread > 0);
    QVERIFY(turn.lasting >= kSoon.after);
    QCOMPARE(turn.chain.size, std::size_t(2));
    QCOMPARE(functionName(turn.chain.places[0].function), "yard::coro::blocked");
    QCOMPARE(functionName(turn.chain.places[1].function), "yard::coro::callsWhatBlocks");
    QCOMPARE(std::string(turn.chain.places[0].file), "tests/coro/tst_stuck_watch.cpp");
}

void TestStuckWatch::aPostedFunctionHasNoThread() {
    Told told;
    StuckWatch watch(kSoon, told.tell());
    std::atomic<bool> released = false;
    std::jthread runner([&] {
        Loop loop({.name = "engine", .latencyLimit = std::chrono::hours(1)});
        loop.post([&] { stay(loop, watch, released); });
        loop.run();
    });
    const StuckTurn turn = told.first.get_future().get();
    released = true;
    QCOMPARE(turn.thread, std::uint64_t(0));
    QCOMPARE(turn.name, "");
    QCOMPARE(turn.chain.size, std::size_t(0));
}

void TestStuckWatch::aTurnIsToldOnce() {
    Told told;
    StuckWatch watch(kSoon, told.tell());
    std::atomic<bool> released = false;
    std::jthread runner([&] { runBlocked("first", "one", watch, released); });
    told.first.get_future().wait();
    // A look that finds the second loop has seen the first, which is still stuck, once more.
    std::jthread later([&] { runBlocked("second", "two", watch, told.isSecond); });
    later.join();
    released = true;
    runner.join();
    QCOMPARE(told.loops.size(), std::size_t(2));
    QCOMPARE(told.loops[1], "second");
}

void TestStuckWatch::aLoopThatSleepsIsNotStuck() {
    Loop loop({.name = "engine"});
    std::atomic<bool> began = false;
    const ThreadRef sleeper = loop.spawn("sleeper", [](std::atomic<bool>& set) -> Task<void> {
        set = true;
        co_await sleepFor(std::chrono::hours(1));
    }(began));
    loop.release();
    std::jthread runner([&loop] {
        loop.run();
        loop.release();
    });
    const bool sleeps = QTest::qWaitFor([&] { return began && loop.meter().turnSince() == 0; }, 60'000);
    loop.post([sleeper] { sleeper->interrupt(); }); // in any case: the runner is joined
    QVERIFY(sleeps);
}

} // namespace yard::coro

QTEST_GUILESS_MAIN(yard::coro::TestStuckWatch)
#include "tst_stuck_watch.moc"
