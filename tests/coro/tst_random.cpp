// Thousands of threads that lock, wait, time out and interrupt each other at random; afterwards nothing may be
// missing: every lock free, every unit back, every item accounted for, every thread ended. The seed is in the row's
// name.
#include "core/coro/fifo.h"
#include "core/coro/parallel.h"
#include "tests/coro/coro_test.h"

#include <random>

using namespace yard;
using namespace yard::coro;
using namespace yard::coro::test;

namespace {

#ifdef YARD_SANITIZED
constexpr unsigned kSeeds = 3;
constexpr int kThreads = 600;
#else
constexpr unsigned kSeeds = 20;
constexpr int kThreads = 3000;
#endif

struct World {
    explicit World(unsigned seed)
        : random(seed) {}

    Rig rig;
    std::mt19937 random;
    Mutex mutex;
    Semaphore semaphore{5};
    RwLock rwLock;
    Fifo<int> fifo{8};
    ConditionVariable condition;
    InvertedSemaphore jobs;
    std::vector<ThreadRef> threads;
    // What the invariants are about.
    int inMutex = 0, unitsHeld = 0, readers = 0, writers = 0;
    long pushed = 0, popped = 0;
    long timeouts = 0, interruptions = 0, completed = 0;
    std::string broken;

    int pick(int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); }
    Duration time(int below) { return Duration(pick(below)); }
    void expect(bool holds, const char* what) {
        if (!holds && broken.empty()) broken = what;
    }
};

/// Leaves a count as it found it, however the scope ends.
struct Counted {
    int& count;
    int by;
    Counted(int& target, int amount)
        : count(target)
        , by(amount) {
        count += by;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { count -= by; }
};

Task<void> step(World& world, int depth);

Task<void> useMutex(World& world) {
    MutexGuard guard = co_await world.mutex.lock();
    world.expect(world.inMutex == 0, "two threads in one mutex");
    Counted inside(world.inMutex, 1);
    co_await sleepFor(world.time(50));
}

Task<void> useSemaphore(World& world) {
    const int units = 1 + world.pick(4);
    SemaphoreUnits held = co_await world.semaphore.hold(static_cast<std::size_t>(units));
    Counted counted(world.unitsHeld, units);
    world.expect(world.unitsHeld <= 5, "more units held than there are");
    co_await sleepFor(world.time(100));
}

Task<void> useRwLock(World& world) {
    if (world.pick(4) == 0) {
        RwGuard guard = co_await world.rwLock.write();
        Counted counted(world.writers, 1);
        world.expect(world.writers == 1 && world.readers == 0, "a writer is not alone");
        co_await sleepFor(world.time(50));
    } else {
        RwGuard guard = co_await world.rwLock.read();
        Counted counted(world.readers, 1);
        world.expect(world.writers == 0, "a reader beside a writer");
        co_await sleepFor(world.time(50));
    }
}

Task<void> useFifo(World& world) {
    if (world.pick(2) == 0) {
        const bool taken = co_await world.fifo.push(1);
        if (taken) ++world.pushed;
    } else {
        const std::optional<int> item = co_await world.fifo.pop();
        if (item) ++world.popped;
    }
}

Task<void> useCondition(World& world) {
    if (world.pick(2) == 0) {
        world.condition.notifyOne();
        co_await yieldNow();
        co_return;
    }
    MutexGuard guard = co_await world.mutex.lock();
    co_await world.condition.wait(guard);
    world.expect(static_cast<bool>(guard), "a condition returned without its mutex");
    world.expect(world.inMutex == 0, "a condition returned into an occupied mutex");
}

Task<void> useTimeout(World& world, int depth) {
    const Duration limit = world.time(300);
    const MonoTime start = world.rig.clock.now();
    bool timedOut = false;
    try {
        co_await withTimeout(limit, step(world, depth + 1));
    } catch (const TimeoutError&) {
        timedOut = true;
    }
    if (!timedOut) co_return;
    ++world.timeouts;
    world.expect(world.rig.clock.now() - start >= limit, "a timeout came too early or to the wrong handler");
}

Task<void> swallowing(World& world, int depth) {
    try {
        co_await step(world, depth + 1);
    } catch (...) {
        ++world.interruptions;
    }
}

Task<void> cleaningUp(World& world, int depth) {
    std::exception_ptr error;
    try {
        co_await step(world, depth + 1);
    } catch (...) {
        error = std::current_exception();
    }
    {
        Uninterruptible always;
        co_await sleepFor(world.time(20));
    }
    if (error) std::rethrow_exception(error);
}

Task<void> useParallel(World& world, int depth) {
    std::vector<Task<void>> tasks;
    for (int i = world.pick(4); i >= 0; --i) tasks.push_back(step(world, depth + 2));
    world.jobs.acquire();
    std::exception_ptr error;
    try {
        co_await runInParallel(std::move(tasks), static_cast<std::size_t>(world.pick(3)));
    } catch (...) {
        error = std::current_exception();
    }
    world.jobs.release();
    if (error) std::rethrow_exception(error);
}

Task<void> step(World& world, int depth) {
    switch (depth > 4 ? world.pick(7) : world.pick(12)) {
    case 0: co_await sleepFor(world.time(200)); break;
    case 1: co_await yieldNow(); break;
    case 2: co_await useMutex(world); break;
    case 3: co_await useSemaphore(world); break;
    case 4: co_await useRwLock(world); break;
    case 5: co_await useFifo(world); break;
    case 6: co_await useCondition(world); break;
    case 7: co_await swallowing(world, depth); break;
    case 8: co_await cleaningUp(world, depth); break;
    case 9: co_await useParallel(world, depth); break;
    default: co_await useTimeout(world, depth); break;
    }
}

Task<void> life(World& world) {
    for (int i = 0; i < 8; ++i) {
        co_await useTimeout(world, 0);
        if (world.pick(4) == 0) world.threads[static_cast<std::size_t>(world.pick(kThreads))]->interrupt();
        if (world.pick(2) == 0) acknowledgeInterrupt();
    }
    ++world.completed;
}

Task<void> waitForJobs(World& world) {
    co_await world.jobs.waitForZero();
}

} // namespace

class TestRandom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingIsLost_data() {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= kSeeds; ++seed) QTest::addRow("seed %u", seed) << seed;
    }
    void nothingIsLost() {
        QFETCH(unsigned, seed);
        World world(seed);
        for (int i = 0; i < kThreads; ++i) world.threads.push_back(world.rig.spawn("random", life(world)));
        world.rig.settle();
        for (int i = 0; i < 100'000 && world.rig.loop.threadCount() > 0; ++i) {
            world.rig.advance(world.time(40));
            if (i % 10 == 0) world.threads[static_cast<std::size_t>(world.pick(kThreads))]->interrupt();
            if (i % 3 == 0) world.condition.notifyOne();
        }
        QCOMPARE(world.broken, std::string());
        QCOMPARE(world.rig.loop.threadCount(), std::size_t{0});
        for (const ThreadRef& thread : world.threads) {
            QVERIFY(thread->hasEnded());
            QVERIFY2(thread->end() != ThreadEnd::Failed, "only interruptions may leave a thread");
        }
        QVERIFY(!world.mutex.isLocked());
        QCOMPARE(world.semaphore.available(), std::size_t{5});
        QCOMPARE(world.rwLock.readers(), std::size_t{0});
        QVERIFY(!world.rwLock.hasWriter());
        QCOMPARE(world.jobs.count(), std::size_t{0});
        QCOMPARE(world.pushed - world.popped, static_cast<long>(world.fifo.size()));
        QVERIFY(world.rig.loop.timers().isEmpty());
        QVERIFY(world.timeouts > 100 && world.completed > 100 && world.interruptions > 0);
        // And it still works.
        world.rig.spawn("after", waitForJobs(world));
        world.rig.settle();
        QCOMPARE(world.rig.loop.threadCount(), std::size_t{0});
    }

    void aShutdownInTheMiddleEndsEveryThread() {
        for (unsigned seed = 100; seed < 105; ++seed) {
            World world(seed);
            for (int i = 0; i < kThreads; ++i) world.threads.push_back(world.rig.spawn("random", life(world)));
            for (int i = 0; i < 20; ++i) world.rig.advance(Duration(30));
            for (int i = 0; i < 1000 && world.rig.loop.shutdown(1ms) > 0; ++i)
                world.rig.clock.advance(Duration(50));
            QCOMPARE(world.rig.loop.threadCount(), std::size_t{0});
            QVERIFY(!world.mutex.isLocked());
            QCOMPARE(world.semaphore.available(), std::size_t{5});
            QCOMPARE(world.pushed - world.popped, static_cast<long>(world.fifo.size()));
            QVERIFY(world.rig.loop.timers().isEmpty());
            QCOMPARE(world.broken, std::string());
        }
    }

    void aLoopDestroyedInTheMiddleDestroysEveryFrame() {
        for (unsigned seed = 200; seed < 205; ++seed) {
            auto world = std::make_unique<World>(seed);
            std::vector<ThreadRef> threads;
            for (int i = 0; i < kThreads; ++i) world->threads.push_back(world->rig.spawn("random", life(*world)));
            for (int i = 0; i < 20; ++i) world->rig.advance(Duration(30));
            threads = world->threads;
            QVERIFY(world->rig.loop.threadCount() > 100);
            world.reset();
            for (const ThreadRef& thread : threads) QVERIFY(thread->hasEnded());
        }
    }
};

QTEST_GUILESS_MAIN(TestRandom)
#include "tst_random.moc"
