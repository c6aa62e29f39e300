// A loop that does not come to the end of a turn is told of, with the thread and where it is.
#include "core/coro/stuck_watch.h"

#include "core/coro/loop.h"
#include "core/coro/sync.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <atomic>
#include <future>
#include <thread>

namespace yard::coro {

namespace {

struct Told {
    std::promise<StuckTurn> first{};
    std::promise<void> second{};
    std::vector<std::string> loops{}; ///< the watch's thread writes it

    StuckWatch::Tell tell() {
        return [this](const StuckTurn& turn) {
            loops.push_back(turn.loop);
            if (loops.size() == 1) first.set_value(turn);
            if (loops.size() == 2) second.set_value();
        };
    }
};

constexpr StuckWatch::Options kSoon{.after = std::chrono::milliseconds(20), .every = std::chrono::milliseconds(5)};

Task<void> blocked(std::shared_future<void> released) {
    released.wait();
    co_return;
}

Task<void> callsWhatBlocks(std::shared_future<void> released) {
    co_await yieldNow();
    co_await blocked(std::move(released));
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
    std::promise<void> release;
    std::jthread runner([&watch, released = release.get_future().share()] {
        Loop loop({.name = "engine", .latencyLimit = std::chrono::hours(1)});
        const StuckWatch::Watched watched(loop, watch);
        loop.spawn("the blocking one", callsWhatBlocks(released));
        loop.run();
    });
    const StuckTurn turn = told.first.get_future().get();
    release.set_value();
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
    std::promise<void> release;
    std::jthread runner([&watch, released = release.get_future().share()] {
        Loop loop({.name = "engine", .latencyLimit = std::chrono::hours(1)});
        const StuckWatch::Watched watched(loop, watch);
        loop.post([released] { released.wait(); });
        loop.run();
    });
    const StuckTurn turn = told.first.get_future().get();
    release.set_value();
    QCOMPARE(turn.thread, std::uint64_t(0));
    QCOMPARE(turn.name, "");
    QCOMPARE(turn.chain.size, std::size_t(0));
}

void TestStuckWatch::aTurnIsToldOnce() {
    Told told;
    StuckWatch watch(kSoon, told.tell());
    std::promise<void> release;
    std::jthread runner([&watch, released = release.get_future().share()] {
        Loop loop({.name = "first", .latencyLimit = std::chrono::hours(1)});
        const StuckWatch::Watched watched(loop, watch);
        loop.spawn("one", callsWhatBlocks(released));
        loop.run();
    });
    told.first.get_future().wait();
    // What is found stuck later is found by a look that came by the first once more.
    std::jthread later([&watch, released = told.second.get_future().share()] {
        Loop loop({.name = "second", .latencyLimit = std::chrono::hours(1)});
        const StuckWatch::Watched watched(loop, watch);
        loop.spawn("two", callsWhatBlocks(released));
        loop.run();
    });
    later.join();
    release.set_value();
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
    QTRY_VERIFY(began && loop.meter().turnSince() == 0);
    loop.post([sleeper] { sleeper->interrupt(); });
}

} // namespace yard::coro

QTEST_GUILESS_MAIN(yard::coro::TestStuckWatch)
#include "tst_stuck_watch.moc"
