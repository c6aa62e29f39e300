// Threads, sleeping, yielding, joining, interruption, scheduling errors, selfishness, latency: what the words in
// core/coro/thread.h and loop.h promise.
#include "core/coro/thread_group.h"
#include "tests/coro/coro_test.h"

using namespace yard;
using namespace yard::coro;
using namespace yard::coro::test;

namespace {

Task<int> addOne(int value) {
    co_return value + 1;
}

Task<void> countUp(std::uint64_t times, std::uint64_t& sum) {
    for (std::uint64_t i = 0; i < times; ++i) sum += static_cast<std::uint64_t>(co_await addOne(0));
}

Task<int> recurse(int depth) {
    if (depth == 0) co_return 0;
    const int below = co_await recurse(depth - 1);
    co_return below + 1;
}

Task<void> storeRecursion(int depth, int& result) {
    result = co_await recurse(depth);
}

Task<void> sayAfter(Rig& rig, std::string word, Duration time) {
    co_await sleepFor(time);
    rig.note(word);
}

Task<void> sayThenYield(Rig& rig, std::string word, int times) {
    for (int i = 0; i < times; ++i) {
        rig.note(word);
        co_await yieldNow();
    }
}

Task<void> failWith(std::string text) {
    co_await yieldNow();
    throw std::runtime_error(text);
}

Task<void> joinAndSay(Rig& rig, ThreadRef other, std::string word) {
    static const char* const kNames[] = {"alive", "returned", "interrupted", "failed", "destroyed"};
    const ThreadEnd end = co_await other.join();
    rig.note(word + ":" + kNames[static_cast<int>(end)]);
}

Task<void> swallowing(Rig& rig, int times) {
    for (int i = 0; i < times; ++i) {
        bool caught = false;
        try {
            co_await sleepFor(1h);
        } catch (const std::exception&) {
            rig.note("std");
        } catch (...) {
            caught = true;
        }
        if (caught) rig.note("swallowed");
    }
    co_await sleepFor(1h);
    rig.note("never");
}

Task<void> acknowledging(Rig& rig) {
    try {
        co_await sleepFor(1h);
    } catch (const Interrupted&) {
        rig.note("interrupted");
    }
    rig.note(acknowledgeInterrupt() ? "acknowledged" : "refused");
    co_await sleepFor(1s);
    rig.note(acknowledgeInterrupt() ? "again" : "goes-on");
}

Task<void> cleaningUp(Rig& rig) {
    std::exception_ptr error;
    try {
        co_await sleepFor(1h);
    } catch (...) {
        error = std::current_exception();
    }
    {
        Uninterruptible always;
        co_await sleepFor(2s);
        rig.note("cleaned");
    }
    co_await sleepFor(1s);
    rig.note("never");
}

Task<void> parkAndSay(Rig& rig, std::string word) {
    co_await park("by hand");
    rig.note(word);
}

Task<void> lockOften(Rig& rig, Mutex& mutex, std::string word, int times) {
    for (int i = 0; i < times; ++i) {
        MutexGuard guard = co_await mutex.lock();
        rig.note(word);
    }
}

Task<void> hog(Rig& rig, Duration time) {
    rig.clock.advance(time);
    co_await yieldNow();
}

Task<void> sleeper(Duration time, std::size_t& awake) {
    co_await sleepFor(time);
    ++awake;
}

Task<void> selfInterrupting(Rig& rig) {
    currentThread().interrupt();
    rig.note("runs-on");
    co_await yieldNow();
    rig.note("never");
}

struct DropNote {
    std::string* log;
    explicit DropNote(std::string& target)
        : log(&target) {}
    DropNote(const DropNote&) = delete;
    DropNote& operator=(const DropNote&) = delete;
    ~DropNote() { *log += "dropped "; }
};

Task<void> holding(std::string& log, Mutex* mutex) {
    DropNote note(log);
    Uninterruptible always;
    if (mutex) {
        MutexGuard guard = co_await mutex->lock();
    } else {
        co_await sleepFor(1h);
    }
}

Task<void> spawnsInShutdown(Rig& rig) {
    try {
        co_await sleepFor(1h);
    } catch (const Interrupted&) {
        spawn("late", sayAfter(rig, "never", 1s));
    }
    rig.note("spawned");
}

} // namespace

class TestThreads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMillionAwaitsNeedNoStack() {
        Rig rig;
        std::uint64_t sum = 0;
        rig.spawn("counter", countUp(1'000'000, sum));
        rig.settle();
        QCOMPARE(sum, std::uint64_t{1'000'000});
    }

    void tasksNestDeeply() {
        Rig rig;
        int depth = 0;
        rig.spawn("deep", storeRecursion(20'000, depth));
        rig.settle();
        QCOMPARE(depth, 20'000);
    }

    void aTaskThatIsNeverAwaitedNeverRuns() {
        Rig rig;
        {
            Task<void> task = sayAfter(rig, "never", 0s);
        }
        QCOMPARE(rig.take(), std::string());
    }

    void threadsAreNamedAndNumberedAndTheListSaysWhereTheyWait() {
        Rig rig;
        Mutex mutex;
        ThreadRef first = rig.spawn("first", sayAfter(rig, "a", 10s));
        ThreadRef second = rig.spawn("second", parkAndSay(rig, "b"));
        MutexGuard held = mutex.tryLock();
        ThreadRef third = rig.spawn("third", lockOften(rig, mutex, "c", 1));
        rig.settle();
        rig.advance(3s);
        std::string list;
        for (const ThreadInfo& info : rig.loop.threads())
            list += fmt::format("{} {} {} {}s; ", info.id, info.name, info.where, info.waiting / 1s);
        QCOMPARE(list, std::string("1 first sleep 3s; 2 second by hand 3s; 3 third mutex 3s; "));
        QCOMPARE(rig.loop.find(2)->name(), std::string("second"));
        QVERIFY(!rig.loop.find(9));
        rig.loop.shutdown();
        QVERIFY(first->hasEnded());
        QCOMPARE(first->name(), std::string("first"));
        QCOMPARE(rig.loop.threadCount(), std::size_t{0});
    }

    void aTurnFiresTimersThenRunsWhatIsReadyThenPostedFunctions() {
        Rig rig;
        rig.spawn("timed", sayAfter(rig, "timed", 1s));
        rig.settle();
        rig.clock.advance(1s);
        rig.loop.post([&] { rig.note("posted"); });
        rig.spawn("ready", sayAfter(rig, "later", 1s));
        rig.spawn("ready", sayThenYield(rig, "ready", 1));
        rig.settle();
        // The sleeper became ready by its timer after the other two had been queued.
        QCOMPARE(rig.take(), std::string("ready timed posted"));
    }

    void readyThreadsRunRoundRobin() {
        Rig rig;
        rig.spawn("a", sayThenYield(rig, "a", 3));
        rig.spawn("b", sayThenYield(rig, "b", 3));
        rig.spawn("c", sayThenYield(rig, "c", 2));
        rig.settle();
        QCOMPARE(rig.take(), std::string("a b c a b c a b"));
    }

    void sleepersWakeInOrderOfTimeAndOfArrivalAtTheSameTime() {
        Rig rig;
        rig.spawn("1", sayAfter(rig, "c", 3s));
        rig.spawn("2", sayAfter(rig, "a", 1s));
        rig.spawn("3", sayAfter(rig, "b1", 2s));
        rig.spawn("4", sayAfter(rig, "b2", 2s));
        rig.settle();
        rig.advance(999ms);
        QCOMPARE(rig.take(), std::string());
        rig.advance(1ms);
        QCOMPARE(rig.take(), std::string("a"));
        rig.advance(10s);
        QCOMPARE(rig.take(), std::string("b1 b2 c"));
    }

    void aHundredThousandThreadsSleepAndWake() {
        VirtualClock clock;
        Loop loop(Loop::Options{.clock = &clock});
        std::size_t awake = 0;
        for (int i = 0; i < 100'000; ++i)
            loop.spawn("sleeper", sleeper(1s + Duration((i * 7919) % 500'000), awake));
        loop.runUntilIdle();
        QCOMPARE(loop.threadCount(), std::size_t{100'000});
        QCOMPARE(loop.timers().size(), std::size_t{100'000});
        clock.advance(1250ms);
        loop.runUntilIdle();
        QVERIFY(awake > 49'000 && awake < 51'000);
        clock.advance(1s);
        loop.runUntilIdle();
        QCOMPARE(awake, std::size_t{100'000});
        QCOMPARE(loop.threadCount(), std::size_t{0});
    }

    void everyJoinerLearnsHowTheThreadEnded() {
        Rig rig;
        ThreadRef good = rig.spawn("good", sayAfter(rig, "done", 1s));
        ThreadRef bad = rig.spawn("bad", failWith("broken"));
        ThreadRef stopped = rig.spawn("stopped", sayAfter(rig, "never", 1h));
        rig.spawn("j1", joinAndSay(rig, good, "good"));
        rig.spawn("j2", joinAndSay(rig, good, "good2"));
        rig.spawn("j3", joinAndSay(rig, bad, "bad"));
        rig.spawn("j4", joinAndSay(rig, stopped, "stopped"));
        rig.settle();
        stopped->interrupt();
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("bad:failed done stopped:interrupted good:returned good2:returned"));
        rig.spawn("late", joinAndSay(rig, bad, "late"));
        rig.settle();
        QCOMPARE(rig.take(), std::string("late:failed"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, std::rethrow_exception(bad->error()));
    }

    void interruptionCannotBeSwallowed() {
        Rig rig;
        ThreadRef thread = rig.spawn("swallower", swallowing(rig, 3));
        rig.settle();
        thread->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("swallowed swallowed swallowed"));
        QCOMPARE(thread->end(), ThreadEnd::Interrupted);
    }

    void anAcknowledgedInterruptionIsOver() {
        Rig rig;
        ThreadRef thread = rig.spawn("acknowledging", acknowledging(rig));
        rig.settle();
        thread->interrupt();
        rig.advance(1s);
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("interrupted acknowledged goes-on"));
        QCOMPARE(thread->end(), ThreadEnd::Returned);
    }

    void shutdownCannotBeAcknowledgedAway() {
        Rig rig;
        rig.spawn("acknowledging", acknowledging(rig));
        rig.settle();
        QCOMPARE(rig.loop.shutdown(), std::size_t{0});
        QCOMPARE(rig.take(), std::string("interrupted refused"));
    }

    void cleanUpMaySuspendInAnUninterruptibleScope() {
        Rig rig;
        ThreadRef thread = rig.spawn("cleaner", cleaningUp(rig));
        rig.settle();
        thread->interrupt();
        rig.settle();
        QVERIFY(!thread->hasEnded());
        rig.advance(2s);
        QCOMPARE(rig.take(), std::string("cleaned"));
        QCOMPARE(thread->end(), ThreadEnd::Interrupted);
    }

    void aThreadThatInterruptsItselfUnwindsAtItsNextSuspension() {
        Rig rig;
        ThreadRef thread = rig.spawn("self", selfInterrupting(rig));
        rig.settle();
        QCOMPARE(rig.take(), std::string("runs-on"));
        QCOMPARE(thread->end(), ThreadEnd::Interrupted);
    }

    void aThreadInterruptedBeforeItsStartUnwindsAtItsFirstSuspension() {
        Rig rig;
        ThreadRef thread = rig.spawn("early", sayAfter(rig, "never", 1s));
        thread->interrupt();
        rig.settle();
        QCOMPARE(thread->end(), ThreadEnd::Interrupted);
        thread->interrupt();
    }

    void schedulingTwiceIsAnError() {
        Rig rig;
        ThreadRef thread = rig.spawn("parked", parkAndSay(rig, "woken"));
        QVERIFY_THROWS_EXCEPTION(ScheduleError, thread->schedule()); // has not come to its park yet
        rig.settle();
        thread->schedule();
        QVERIFY_THROWS_EXCEPTION(ScheduleError, thread->schedule());
        rig.settle();
        QCOMPARE(rig.take(), std::string("woken"));
        QVERIFY_THROWS_EXCEPTION(ScheduleError, thread->schedule());
        ThreadRef asleep = rig.spawn("asleep", sayAfter(rig, "slept", 1s));
        rig.settle();
        QVERIFY_THROWS_EXCEPTION(ScheduleError, asleep->schedule()); // waits for something else
    }

    void parkAndInterruptInBothOrders() {
        Rig rig;
        ThreadRef first = rig.spawn("first", parkAndSay(rig, "kept"));
        ThreadRef second = rig.spawn("second", parkAndSay(rig, "never"));
        rig.settle();
        first->schedule();
        first->interrupt();
        second->interrupt();
        QVERIFY_THROWS_EXCEPTION(ScheduleError, second->schedule());
        rig.settle();
        QCOMPARE(rig.take(), std::string("kept"));
    }

    void aThreadWhoseOperationsSucceedAtOnceYieldsAfterFour() {
        Rig rig;
        Mutex one, two;
        rig.spawn("a", lockOften(rig, one, "a", 10));
        rig.spawn("b", lockOften(rig, two, "b", 6));
        rig.settle();
        QCOMPARE(rig.take(), std::string("a a a a b b b b a a a a a b b a"));
    }

    void selfishnessCanBeSet() {
        Rig rig;
        Mutex one, two;
        rig.spawn("a", lockOften(rig, one, "a", 3))->setSelfishness(0);
        rig.spawn("b", lockOften(rig, two, "b", 3))->setSelfishness(0);
        rig.settle();
        QVERIFY(rig.take().starts_with("a b a b"));
    }

    void aThreadThatRunsTooLongIsNamed() {
        Rig rig;
        std::string warned;
        rig.loop.meter().setLatencyHook([&](const Thread& thread, Duration ran) {
            warned += fmt::format("{} {}ms ", thread.name(), ran / 1ms);
        });
        rig.spawn("quick", hog(rig, 200ms));
        rig.spawn("hog", hog(rig, 300ms));
        rig.settle();
        QCOMPARE(warned, std::string("hog 300ms "));
        QCOMPARE(rig.loop.meter().latencyWarnings(), std::uint64_t{1});
        rig.loop.meter().setLatencyLimit(100ms);
        rig.spawn("quick", hog(rig, 150ms));
        rig.settle();
        QCOMPARE(rig.loop.meter().latencyWarnings(), std::uint64_t{2});
    }

    void aPostedFunctionThatRunsTooLongIsCounted() {
        Rig rig;
        rig.loop.post([&] { rig.clock.advance(300ms); });
        rig.loop.post([&] { rig.clock.advance(100ms); });
        rig.settle();
        QCOMPARE(rig.loop.meter().latencyWarnings(), std::uint64_t{1});
    }

    void onlyTheMonotonicClockMovesEvents() {
        // The wall clock goes on, as it does when it is stepped, while the monotonic one of this loop stands still.
        Rig rig;
        rig.spawn("sleeper", sayAfter(rig, "woke", 5ms));
        rig.settle();
        const WallMicros before = wallNow();
        while (wallNow() - before < 20'000) rig.settle();
        QCOMPARE(rig.take(), std::string());
        rig.advance(5ms);
        QCOMPARE(rig.take(), std::string("woke"));
    }

    void aGroupIsStoppedAndJoined() {
        Rig rig;
        ThreadGroup group;
        group.spawn(rig.loop, "quick", sayAfter(rig, "quick", 1s));
        group.spawn(rig.loop, "slow", cleaningUp(rig));
        for (int i = 0; i < 200; ++i) group.spawn(rig.loop, "many", sayAfter(rig, "many", Duration(1)));
        rig.settle();
        rig.advance(1s);
        rig.take();
        QCOMPARE(group.size(), std::size_t{1});
        ThreadRef stopper = rig.spawn("stopper", group.stop());
        rig.settle();
        stopper->interrupt();
        rig.settle();
        QVERIFY(!stopper->hasEnded());
        rig.advance(2s);
        QCOMPARE(rig.take(), std::string("cleaned"));
        QCOMPARE(group.size(), std::size_t{0});
        QVERIFY(stopper->hasEnded());
        rig.spawn("joiner", group.join());
        rig.settle();
        QCOMPARE(rig.loop.threadCount(), std::size_t{0});
    }

    void anObserverSeesEverySwitch() {
        struct Observer : SwitchObserver {
            std::string seen;
            void switchedIn(const Thread& thread, MonoTime) override { seen += "+" + thread.name(); }
            void switchedOut(const Thread& thread, MonoTime, Duration ran) override {
                seen += fmt::format("-{}({})", thread.name(), ran / 1ms);
            }
        } observer;
        Rig rig;
        rig.loop.meter().setObserver(&observer);
        rig.spawn("x", hog(rig, 5ms));
        rig.settle();
        QCOMPARE(observer.seen, std::string("+x-x(5)+x-x(0)"));
        rig.loop.meter().setObserver(nullptr);
    }

    void framesAreDestroyedWhereTheyAreSuspended() {
        std::string log;
        ThreadRef survivor;
        {
            Mutex mutex;
            MutexGuard held = mutex.tryLock();
            Rig rig;
            survivor = rig.spawn("sleeps", holding(log, nullptr));
            rig.spawn("waits", holding(log, &mutex));
            rig.spawn("never started", holding(log, nullptr));
            rig.settle();
            QCOMPARE(rig.loop.shutdown(20ms), std::size_t{3});
            rig.spawn("never started", holding(log, nullptr));
            QVERIFY(log.empty());
        }
        QCOMPARE(log, std::string("dropped dropped dropped "));
        QCOMPARE(survivor->end(), ThreadEnd::Destroyed);
    }

    void threadsBornInAShutdownAreInterruptedToo() {
        Rig rig;
        rig.spawn("parent", spawnsInShutdown(rig));
        rig.settle();
        QCOMPARE(rig.loop.shutdown(), std::size_t{0});
        QCOMPARE(rig.take(), std::string("spawned"));
    }

    void anAutomaticClockSkipsToTheNextTimer() {
        VirtualClock clock(true);
        Loop loop(Loop::Options{.clock = &clock});
        std::size_t awake = 0;
        loop.spawn("a", sleeper(24h, awake));
        loop.spawn("b", sleeper(48h, awake));
        const MonoTime start = clock.now();
        loop.run();
        QCOMPARE(awake, std::size_t{2});
        QVERIFY(clock.now() - start == 48h);
    }
};

QTEST_GUILESS_MAIN(TestThreads)
#include "tst_threads.moc"
