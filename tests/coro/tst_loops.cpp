// What crosses loops and OS threads: the mailbox, one-shots, calls on another loop, and a loop that idles.
#include "core/coro/one_shot.h"
#include "tests/coro/coro_test.h"

#include <atomic>
#include <fstream>
#include <future>
#include <latch>
#include <thread>
#include <unistd.h>

using namespace yard;
using namespace yard::coro;
using namespace yard::coro::test;

namespace {

Task<void> getInto(Rig& rig, OneShot<int>& shot) {
    std::string word;
    try {
        word = fmt::format("got {}", co_await shot.get());
    } catch (const Interrupted&) {
        word = "interrupted";
    } catch (const std::exception& error) {
        word = error.what();
    }
    rig.note(word);
}

Task<void> getLoud(Loop& loop, OneShot<int>& shot, int& out) {
    out = co_await shot.get();
    loop.stop();
}

Task<void> waitUninterrupted(OneShot<int>& shot) {
    const Uninterruptible masked;
    co_await shot.get();
}

/// Counts how often the loop asks.
class CountingClock : public Clock {
public:
    MonoTime now() noexcept override {
        ++looks;
        return MonoClock::now();
    }
    std::atomic<int> looks = 0;
};

bool isAsleep(pid_t thread) {
    std::ifstream stat(fmt::format("/proc/self/task/{}/stat", thread));
    const std::string text{std::istreambuf_iterator<char>(stat), {}};
    const std::size_t end = text.rfind(')');
    return end != std::string::npos && text.substr(end, 3) == ") S";
}

struct CallResult {
    int value = 0;
    std::thread::id ranOn;
    std::string error;
};

Task<void> callOther(std::shared_ptr<Mailbox> other, CallResult& result) {
    result.value = co_await callOn(other, [&result] {
        result.ranOn = std::this_thread::get_id();
        return 21;
    });
    try {
        co_await callOn(other, [] { throw std::runtime_error("refused"); });
    } catch (const std::exception& error) {
        result.error = error.what();
    }
}

Task<void> callAndReport(Rig& rig, std::shared_ptr<Mailbox> other) {
    std::string word = "none";
    try {
        word = fmt::format("{}", co_await callOn(other, [] { return 5; }));
    } catch (const LostError&) {
        word = "lost";
    } catch (const Interrupted&) {
        word = "interrupted";
    }
    rig.note(word);
}

Task<void> manyCalls(Loop& other, int times, int& sum) {
    for (int i = 0; i < times; ++i) sum += co_await callOn(other, [] { return 1; });
}

Task<void> napThenStop(Loop& loop, Duration time) {
    co_await sleepFor(time);
    loop.stop();
}

/// A loop on an OS thread of its own.
struct OtherLoop {
    Loop loop{Loop::Options{.name = "other"}};
    std::jthread thread{[this] { loop.runForever(); }};
    ~OtherLoop() {
        loop.stop();
        thread.join();
        loop.release();
    }
};

} // namespace

class TestLoops : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bandsRunInTheirOrder() {
        Rig rig;
        rig.loop.post([&] { rig.note("submission"); }, Band::Submissions);
        rig.loop.post([&] { rig.note("update"); }, Band::Updates);
        rig.loop.post([&] { rig.note("result1"); }, Band::Results);
        rig.loop.post([&] { rig.note("result2"); }, Band::Results);
        QCOMPARE(rig.loop.mailbox()->size(), std::size_t{4});
        rig.settle();
        QCOMPARE(rig.take(), std::string("result1 result2 update submission"));
    }

    void aFunctionThatThrowsHarmsNoOther() {
        Rig rig;
        rig.loop.post([] { throw std::runtime_error("bad function"); });
        rig.loop.post([&] { rig.note("next"); });
        rig.settle();
        QCOMPARE(rig.take(), std::string("next"));
    }

    void postsFromManyThreadsAllArriveAndSeldomWakeTheLoop() {
        Loop loop;
        constexpr int kThreads = 4, kEach = 20'000;
        int seen = 0;
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < kThreads; ++t)
                threads.emplace_back([&loop, &seen] {
                    for (int i = 0; i < kEach; ++i)
                        loop.post([&loop, &seen] {
                            if (++seen == kThreads * kEach) loop.stop();
                        });
                });
            loop.runForever();
        }
        QCOMPARE(seen, kThreads * kEach);
        QVERIFY(loop.mailbox()->wakeups() < kThreads * kEach);
    }

    void aLoopThatIsGoneRefusesMail() {
        std::shared_ptr<Mailbox> mailbox;
        bool dropped = false;
        struct Flag {
            bool* flag;
            explicit Flag(bool& target)
                : flag(&target) {}
            Flag(Flag&& other) noexcept
                : flag(std::exchange(other.flag, nullptr)) {}
            Flag& operator=(Flag&&) = delete;
            ~Flag() {
                if (flag) *flag = true;
            }
        };
        {
            Loop loop;
            mailbox = loop.mailbox();
            QVERIFY(mailbox->post(Band::Updates, [flag = Flag(dropped)] {}));
            QVERIFY(!dropped);
        }
        QVERIFY(dropped);
        QVERIFY(!mailbox->post(Band::Updates, [] {}));
    }

    void anIdleLoopDoesNotWakeUpByItself() {
        Loop loop;
        std::promise<void> turned;
        std::jthread poker([&, ours = ::gettid()] {
            turned.get_future().wait();
            (void)eventually([&] { return isAsleep(ours); });
            std::this_thread::sleep_for(150ms);
            loop.stop();
        });
        loop.post([&] { turned.set_value(); });
        loop.runForever();
        QCOMPARE(loop.meter().wakeups(), std::uint64_t{1}); // the stop
    }

    void aLoopThatIsToStayAwakeNeedsNoWaking() {
        Loop loop;
        loop.stayAwakeUntil(MonoClock::now() + 1h);
        std::promise<void> turned;
        std::jthread poster([&] {
            turned.get_future().wait();
            loop.stop();
        });
        loop.post([&] { turned.set_value(); });
        loop.runForever();
        QCOMPARE(loop.meter().wakeups(), std::uint64_t{0});
        QCOMPARE(loop.mailbox()->wakeups(), std::uint64_t{0});
    }

    void aLoopStaysAwakeNoLongerThanItWasTold() {
        Loop loop;
        loop.stayAwakeUntil(MonoClock::now() + 1ms);
        loop.spawn("nap", napThenStop(loop, 500ms)); // not over before it comes to sleep, on a busy machine
        loop.runForever();
        QVERIFY(loop.meter().wakeups() > 0);
    }

    void aLoopWithAClockMovedByHandDoesNotStayAwake() {
        VirtualClock clock(true);
        Loop loop({.clock = &clock});
        loop.stayAwakeUntil(clock.now() + 1h);
        loop.spawn("nap", napThenStop(loop, 30ms));
        loop.runForever(); // would look around for an hour that only ends when it waits
        QVERIFY(clock.now() < MonoTime{} + 1h);
    }

    void aRealClockSleepsNoShorterThanAsked() {
        Loop loop;
        const MonoTime start = MonoClock::now();
        loop.spawn("nap", napThenStop(loop, 30ms));
        loop.runForever();
        const Duration took = MonoClock::now() - start;
        QVERIFY2(took >= 30ms, qPrintable(QString::number(took.count())));
    }

    void stopBeforeRunEndsItAtOnce() {
        Loop loop;
        loop.stop();
        loop.runForever();
        QVERIFY(true);
    }

    void aStopThatComesDuringAShutdownDoesNotMakeItSpin() {
        constexpr int kTurnsOfOneThatWaits = 1'000;
        CountingClock clock;
        Loop loop({.clock = &clock});
        OneShot<int> answer;
        loop.spawn("goes on", waitUninterrupted(answer));
        loop.runUntilIdle();
        loop.stop();
        clock.looks = 0;
        std::jthread other([&, promise = answer.promise(), ours = ::gettid()]() mutable {
            const auto waits = [&] { return clock.looks > 2 && isAsleep(ours); };
            while (clock.looks < kTurnsOfOneThatWaits && !waits()) std::this_thread::yield();
            promise.set(1);
        });
        QCOMPARE(loop.shutdown(), std::size_t{0});
        QVERIFY2(clock.looks < kTurnsOfOneThatWaits, qPrintable(QString::number(clock.looks)));
    }

    void aOneShotMayComeBeforeOrAfterItsWaiter() {
        Rig rig;
        OneShot<int> early, late;
        early.promise().set(1);
        Promise<int> promise = late.promise();
        rig.spawn("early", getInto(rig, early));
        rig.spawn("late", getInto(rig, late));
        rig.settle();
        QCOMPARE(rig.take(), std::string("got 1"));
        promise.set(2);
        rig.settle();
        QCOMPARE(rig.take(), std::string("got 2"));
    }

    void aDroppedPromiseIsAnError() {
        Rig rig;
        OneShot<int> shot;
        {
            Promise<int> promise = shot.promise();
            rig.spawn("w", getInto(rig, shot));
            rig.settle();
        }
        rig.settle();
        QCOMPARE(rig.take(), std::string("the promise was dropped unfulfilled"));
    }

    void aOneShotMeetsInterruptionsInBothOrders() {
        Rig rig;
        OneShot<int> kept, left;
        Promise<int> keptPromise = kept.promise(), leftPromise = left.promise();
        ThreadRef first = rig.spawn("kept", getInto(rig, kept));
        ThreadRef second = rig.spawn("left", getInto(rig, left));
        rig.settle();
        // The interruption comes between the fulfilment and the delivery through the mailbox: the waiter has left,
        // the value is still there.
        keptPromise.set(1);
        first->interrupt();
        second->interrupt();
        leftPromise.set(2);
        rig.settle();
        QCOMPARE(rig.take(), std::string("interrupted interrupted"));
        rig.spawn("again", getInto(rig, kept));
        rig.spawn("again", getInto(rig, left));
        rig.settle();
        QCOMPARE(rig.take(), std::string("got 1 got 2"));
    }

    void aOneShotIsFulfilledFromAnotherOsThread() {
        Loop loop;
        OneShot<int> shot;
        int value = 0;
        loop.spawn("w", getLoud(loop, shot, value));
        std::jthread worker([promise = shot.promise()]() mutable { promise.set(7); });
        loop.runForever();
        QCOMPARE(value, 7);
    }

    void manyOneShotsRaceWithInterruptions() {
        Loop loop;
        int values = 0, waiters = 0;
        std::vector<OneShot<int>> shots;
        std::vector<Promise<int>> promises;
        std::vector<ThreadRef> threads;
        std::vector<int> out(2'000);
        for (int i = 0; i < 2'000; ++i) {
            shots.emplace_back();
            promises.push_back(shots.back().promise());
        }
        for (std::size_t i = 0; i < shots.size(); ++i)
            threads.push_back(loop.spawn("w", getLoud(loop, shots[i], out[i])));
        std::jthread worker([&promises] {
            for (Promise<int>& promise : promises) promise.set(1);
        });
        for (std::size_t i = 0; i < threads.size(); i += 3) {
            loop.runUntilIdle();
            threads[i]->interrupt();
        }
        worker.join();
        loop.runUntilIdle();
        for (std::size_t i = 0; i < threads.size(); ++i) {
            QVERIFY(threads[i]->hasEnded());
            values += out[i];
            ++waiters;
        }
        QVERIFY(values >= waiters / 2);
    }

    void aFunctionRunsOnTheOtherLoopAndItsResultComesBack() {
        OtherLoop other;
        Loop loop;
        CallResult result;
        loop.spawn("caller", callOther(other.loop.mailbox(), result));
        loop.run();
        QCOMPARE(result.value, 21);
        QVERIFY(result.ranOn == other.thread.get_id());
        QCOMPARE(result.error, std::string("refused"));
    }

    void callsOnALoopThatIsGoneAreLost() {
        Rig rig;
        std::shared_ptr<Mailbox> gone;
        auto other = std::make_unique<Loop>();
        gone = other->mailbox();
        rig.spawn("undelivered", callAndReport(rig, gone));
        rig.settle();
        QCOMPARE(rig.take(), std::string());
        other.reset();
        rig.settle();
        rig.spawn("refused", callAndReport(rig, gone));
        rig.settle();
        QCOMPARE(rig.take(), std::string("lost lost"));
    }

    void aCallerThatIsInterruptedLeavesTheCallBehind() {
        Rig rig;
        Loop other;
        ThreadRef caller = rig.spawn("caller", callAndReport(rig, other.mailbox()));
        rig.settle();
        caller->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("interrupted"));
        other.runUntilIdle();
        rig.settle();
        QCOMPARE(rig.take(), std::string());
    }

    void twoLoopsCallEachOtherAThousandTimes() {
        OtherLoop other;
        Loop loop;
        int first = 0, second = 0;
        loop.spawn("a", manyCalls(other.loop, 1'000, first));
        loop.spawn("b", manyCalls(other.loop, 1'000, second));
        loop.run();
        QCOMPARE(first + second, 2'000);
    }
};

QTEST_GUILESS_MAIN(TestLoops)
#include "tst_loops.moc"
