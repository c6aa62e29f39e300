// Every primitive: order of service, and what happens when an interruption and a wake-up meet, in both orders.
#include "core/coro/fifo.h"
#include "core/coro/parallel.h"
#include "tests/coro/coro_test.h"

#include <memory>

using namespace yard;
using namespace yard::coro;
using namespace yard::coro::test;

namespace {

/// Says how a step ended: "word" or "word!" when interrupted.
Task<void> say(Rig& rig, std::string word, Task<void> body) {
    bool interrupted = false;
    try {
        co_await std::move(body);
    } catch (const Interrupted&) {
        interrupted = true;
    }
    rig.note(interrupted ? word + "!" : word);
    // A thread that kept its result shows here that the interruption still comes.
    if (!interrupted) co_await yieldNow();
}

Task<void> lockFor(Rig& rig, Mutex& mutex, std::string word, Duration time) {
    MutexGuard guard = co_await mutex.lock();
    rig.note(word);
    co_await sleepFor(time);
}
Task<void> acquire(Semaphore& semaphore, std::size_t units) {
    co_await semaphore.acquire(units);
}
Task<void> holdOne(Semaphore& semaphore) {
    SemaphoreUnits units = co_await semaphore.hold();
}
Task<void> waitZero(InvertedSemaphore& semaphore) {
    co_await semaphore.waitForZero();
}
Task<void> waitOn(ConditionVariable& condition) {
    co_await condition.wait();
}
Task<void> waitOn(Event& event) {
    co_await event.wait();
}
Task<void> readLock(RwLock& lock) {
    RwGuard guard = co_await lock.read();
}
Task<void> writeLock(RwLock& lock) {
    RwGuard guard = co_await lock.write();
}
Task<void> lockRwFor(Rig& rig, RwLock& lock, bool write, std::string word, Duration time) {
    RwGuard guard = write ? co_await lock.write() : co_await lock.read();
    rig.note(word);
    co_await sleepFor(time);
}
Task<void> popInto(Fifo<int>& fifo, std::string& out) {
    std::optional<int> item = co_await fifo.pop();
    out += item ? fmt::format("{} ", *item) : std::string("end ");
}
Task<void> pushItem(Fifo<int>& fifo, int item, std::string& out) {
    const bool taken = co_await fifo.push(item);
    out += taken ? fmt::format("+{} ", item) : fmt::format("-{} ", item);
}

Task<void> waitWithMutex(Rig& rig, Mutex& mutex, ConditionVariable& condition) {
    MutexGuard guard = co_await mutex.lock();
    bool interrupted = false;
    try {
        co_await condition.wait(guard);
    } catch (const Interrupted&) {
        interrupted = true;
    }
    rig.note(fmt::format("{} {}", interrupted ? "interrupted" : "notified", guard ? "holding" : "not-holding"));
}

Task<int> intAfter(Duration time, int value) {
    co_await sleepFor(time);
    co_return value;
}
Task<int> throwAfter(Duration time) {
    co_await sleepFor(time);
    throw std::runtime_error("third failed");
}
Task<void> parallel(Rig& rig, std::vector<Task<int>> tasks, std::size_t limit) {
    std::string word;
    try {
        const std::vector<int> values = co_await runInParallel(std::move(tasks), limit);
        for (int value : values) word += fmt::format("{} ", value);
    } catch (const std::exception& error) {
        word = error.what();
    } catch (const Interrupted&) {
        word = "interrupted";
    }
    rig.note(word);
}

/// The two orders, for one primitive: two waiters, one wake-up.
struct Orders {
    std::function<Task<void>()> wait;
    std::function<void()> wake; ///< good for exactly one waiter
};

} // namespace

Q_DECLARE_METATYPE(std::shared_ptr<Orders>)

class TestSync : public QObject {
    Q_OBJECT

    void bothOrdersData();

private Q_SLOTS:
    // ---- interruption and wake-up, in both orders, over all primitives with hand-over

    void wokenThenInterruptedKeepsWhatItGot_data() { bothOrdersData(); }
    void wokenThenInterruptedKeepsWhatItGot() {
        QFETCH(std::shared_ptr<Orders>, orders);
        Rig rig;
        ThreadRef first = rig.spawn("first", say(rig, "first", orders->wait()));
        ThreadRef second = rig.spawn("second", say(rig, "second", orders->wait()));
        rig.settle();
        orders->wake();
        first->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("first"));
        QCOMPARE(first->end(), ThreadEnd::Interrupted);
        QVERIFY(!second->hasEnded());
        rig.loop.shutdown();
    }

    void interruptedThenWokenLeavesItToTheNext_data() { bothOrdersData(); }
    void interruptedThenWokenLeavesItToTheNext() {
        QFETCH(std::shared_ptr<Orders>, orders);
        Rig rig;
        ThreadRef first = rig.spawn("first", say(rig, "first", orders->wait()));
        ThreadRef second = rig.spawn("second", say(rig, "second", orders->wait()));
        rig.settle();
        first->interrupt();
        orders->wake();
        rig.settle();
        QCOMPARE(rig.take(), std::string("first! second"));
        QCOMPARE(second->end(), ThreadEnd::Returned);
        rig.loop.shutdown();
    }

    void aTimeoutAndAWakeUpMeetTheSameWay_data() { bothOrdersData(); }
    void aTimeoutAndAWakeUpMeetTheSameWay() {
        QFETCH(std::shared_ptr<Orders>, orders);
        Rig rig;
        ThreadRef first = rig.spawn("first", withTimeout(1s, orders->wait()));
        ThreadRef second = rig.spawn("second", say(rig, "second", orders->wait()));
        rig.settle();
        rig.advance(1s);
        QCOMPARE(first->end(), ThreadEnd::Failed);
        orders->wake();
        rig.settle();
        QCOMPARE(rig.take(), std::string("second"));
        rig.loop.shutdown();
    }

    // ---- mutex

    void aMutexHandedToAThreadThatIsInterruptedIsHeldAndHandedOn() {
        Rig rig;
        Mutex mutex;
        MutexGuard held = mutex.tryLock();
        ThreadRef first = rig.spawn("first", lockFor(rig, mutex, "first", 1h));
        rig.spawn("second", lockFor(rig, mutex, "second", 1s));
        rig.settle();
        held.unlock();
        first->interrupt(); // owns it already: gets it, unwinds at its sleep, and hands it on
        rig.settle();
        QCOMPARE(rig.take(), std::string("first second"));
        QCOMPARE(first->end(), ThreadEnd::Interrupted);
        rig.advance(1s);
        QVERIFY(!mutex.isLocked());
    }

    void aThreadInterruptedBeforeTheHandOverNeverHoldsTheMutex() {
        Rig rig;
        Mutex mutex;
        MutexGuard held = mutex.tryLock();
        ThreadRef first = rig.spawn("first", lockFor(rig, mutex, "first", 1h));
        rig.spawn("second", lockFor(rig, mutex, "second", 1s));
        rig.settle();
        first->interrupt();
        held.unlock();
        rig.settle();
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("second"));
        QVERIFY(!mutex.isLocked());
    }

    void aMutexIsHandedOnInOrderOfArrival() {
        Rig rig;
        Mutex mutex;
        for (const char* name : {"a", "b", "c"}) rig.spawn(name, lockFor(rig, mutex, name, 1s));
        rig.settle();
        QCOMPARE(rig.take(), std::string("a"));
        QVERIFY(!mutex.tryLock());
        rig.advance(1s);
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("b c"));
        rig.advance(1s);
        QVERIFY(!mutex.isLocked());
    }

    // ---- semaphore

    void aWaiterForManyUnitsIsNotOvertaken() {
        Rig rig;
        Semaphore semaphore(1);
        rig.spawn("many", say(rig, "many", acquire(semaphore, 3)));
        rig.spawn("few", say(rig, "few", acquire(semaphore, 1)));
        rig.settle();
        QCOMPARE(rig.take(), std::string());
        QVERIFY(!semaphore.tryAcquire());
        semaphore.release(2);
        rig.settle();
        QCOMPARE(rig.take(), std::string("many"));
        semaphore.release();
        rig.settle();
        QCOMPARE(rig.take(), std::string("few"));
        QCOMPARE(semaphore.available(), std::size_t{0});
    }

    void aWaiterForManyThatGivesUpLetsTheOthersThrough() {
        Rig rig;
        Semaphore semaphore(1);
        ThreadRef many = rig.spawn("many", say(rig, "many", acquire(semaphore, 3)));
        rig.spawn("few", say(rig, "few", acquire(semaphore, 1)));
        rig.settle();
        many->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("few many!"));
    }

    void heldUnitsComeBackByThemselves() {
        Rig rig;
        Semaphore semaphore(1);
        for (int i = 0; i < 5; ++i) rig.spawn("holder", holdOne(semaphore));
        rig.settle();
        QCOMPARE(semaphore.available(), std::size_t{1});
    }

    // ---- inverted semaphore, condition, event

    void anInvertedSemaphoreWaitsForZero() {
        Rig rig;
        InvertedSemaphore jobs(2);
        rig.spawn("w", say(rig, "zero", waitZero(jobs)));
        rig.spawn("w", say(rig, "zero", waitZero(jobs)));
        rig.settle();
        jobs.acquire();
        jobs.release(2);
        rig.settle();
        QCOMPARE(rig.take(), std::string());
        jobs.release();
        rig.settle();
        QCOMPARE(rig.take(), std::string("zero zero"));
        rig.spawn("w", say(rig, "at-once", waitZero(jobs)));
        rig.settle();
        QCOMPARE(rig.take(), std::string("at-once"));
    }

    void aConditionWakesOneOrAllAndRemembersNothing() {
        Rig rig;
        ConditionVariable condition;
        condition.notifyOne();
        for (const char* name : {"a", "b", "c"}) rig.spawn(name, say(rig, name, waitOn(condition)));
        rig.settle();
        QCOMPARE(rig.take(), std::string());
        condition.notifyOne();
        rig.settle();
        QCOMPARE(rig.take(), std::string("a"));
        condition.notifyAll();
        rig.settle();
        QCOMPARE(rig.take(), std::string("b c"));
    }

    void aConditionWithAMutexHoldsItAgainAlsoWhenInterrupted() {
        Rig rig;
        Mutex mutex;
        ConditionVariable condition;
        rig.spawn("a", waitWithMutex(rig, mutex, condition));
        ThreadRef second = rig.spawn("b", waitWithMutex(rig, mutex, condition));
        rig.settle();
        QVERIFY(!mutex.isLocked());
        rig.spawn("other", lockFor(rig, mutex, "other", 1s));
        rig.settle();
        QCOMPARE(rig.take(), std::string("other"));
        condition.notifyOne();
        second->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string());
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("notified holding interrupted holding"));
        QVERIFY(!mutex.isLocked());
    }

    void anEventStaysSetUntilCleared() {
        Rig rig;
        Event event;
        rig.spawn("a", say(rig, "a", waitOn(event)));
        rig.settle();
        QCOMPARE(rig.take(), std::string());
        event.set();
        rig.spawn("b", say(rig, "b", waitOn(event)));
        rig.settle();
        QCOMPARE(rig.take(), std::string("a b"));
        event.clear();
        rig.spawn("c", say(rig, "c", waitOn(event)));
        rig.settle();
        QCOMPARE(rig.take(), std::string());
        rig.loop.shutdown();
    }

    void thoseWhoWaitForAllAreWokenOrInterruptedButNotBoth() {
        Rig rig;
        InvertedSemaphore jobs(1);
        Event event;
        ThreadRef zeroKept = rig.spawn("z1", say(rig, "zero", waitZero(jobs)));
        ThreadRef setKept = rig.spawn("e1", say(rig, "set", waitOn(event)));
        ThreadRef zeroLeft = rig.spawn("z2", say(rig, "zero", waitZero(jobs)));
        ThreadRef setLeft = rig.spawn("e2", say(rig, "set", waitOn(event)));
        rig.settle();
        zeroLeft->interrupt();
        setLeft->interrupt();
        jobs.release();
        event.set();
        zeroKept->interrupt();
        setKept->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("zero! set! zero set"));
        QCOMPARE(zeroKept->end(), ThreadEnd::Interrupted);
    }

    // ---- read/write lock

    void aRwLockMeetsInterruptionsInBothOrders() {
        Rig rig;
        RwLock lock;
        ThreadRef holder = rig.spawn("h", lockRwFor(rig, lock, true, "holder", 1h));
        ThreadRef left = rig.spawn("l", say(rig, "left", writeLock(lock)));
        ThreadRef kept = rig.spawn("k", lockRwFor(rig, lock, true, "kept", 1h));
        rig.spawn("r", say(rig, "reader", readLock(lock)));
        rig.settle();
        left->interrupt();
        holder->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("holder left! kept"));
        kept->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("reader"));
        QVERIFY(!lock.hasWriter());
        // Granted first, interrupted afterwards: held, and given back while unwinding.
        ThreadRef again = rig.spawn("h", lockRwFor(rig, lock, true, "holder", 1s));
        ThreadRef granted = rig.spawn("g", lockRwFor(rig, lock, false, "granted", 1h));
        rig.settle();
        rig.clock.advance(1s);
        rig.loop.post([&] { granted->interrupt(); });
        rig.settle();
        QCOMPARE(rig.take(), std::string("holder granted"));
        QCOMPARE(lock.readers(), std::size_t{0});
        QCOMPARE(granted->end(), ThreadEnd::Interrupted);
    }

    void readersShareAndAWaitingWriterHoldsBackLaterReaders() {
        Rig rig;
        RwLock lock;
        rig.spawn("r1", lockRwFor(rig, lock, false, "r1", 1s));
        rig.spawn("r2", lockRwFor(rig, lock, false, "r2", 1s));
        rig.spawn("w", lockRwFor(rig, lock, true, "w", 1s));
        rig.spawn("r3", lockRwFor(rig, lock, false, "r3", 1s));
        rig.settle();
        QCOMPARE(rig.take(), std::string("r1 r2"));
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("w"));
        QVERIFY(lock.hasWriter());
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("r3"));
        rig.advance(1s);
        QCOMPARE(lock.readers(), std::size_t{0});
    }

    void aWriterThatGivesUpLetsInTheReadersBehindIt() {
        Rig rig;
        RwLock lock;
        rig.spawn("r1", lockRwFor(rig, lock, false, "r1", 1h));
        ThreadRef writer = rig.spawn("w", say(rig, "w", writeLock(lock)));
        rig.spawn("r2", say(rig, "r2", readLock(lock)));
        rig.settle();
        writer->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("r1 r2 w!"));
        rig.loop.shutdown();
    }

    // ---- fifo

    void aFifoKeepsOrderAndItsBound() {
        Rig rig;
        Fifo<int> fifo(2);
        std::string out;
        for (int i = 1; i <= 4; ++i) rig.spawn("writer", pushItem(fifo, i, out));
        rig.settle();
        QCOMPARE(std::exchange(out, {}), std::string("+1 +2 "));
        QVERIFY(!fifo.tryPush(9));
        for (int i = 0; i < 5; ++i) rig.spawn("reader", popInto(fifo, out));
        rig.settle();
        QCOMPARE(std::exchange(out, {}), std::string("1 2 3 4 +3 +4 "));
        int item = 5;
        QVERIFY(fifo.tryPush(item));
        rig.settle();
        QCOMPARE(out, std::string("5 "));
    }

    void aClosedFifoGivesOutWhatItHasAndThenEnds() {
        Rig rig;
        Fifo<int> fifo(1);
        std::string out;
        rig.spawn("w", pushItem(fifo, 1, out));
        rig.spawn("w", pushItem(fifo, 2, out));
        rig.settle();
        fifo.close();
        rig.settle();
        QCOMPARE(std::exchange(out, {}), std::string("+1 -2 "));
        for (int i = 0; i < 2; ++i) rig.spawn("r", popInto(fifo, out));
        rig.spawn("w", pushItem(fifo, 3, out));
        rig.settle();
        QCOMPARE(out, std::string("1 end -3 "));
    }

    void closingWakesReaders() {
        Rig rig;
        Fifo<int> fifo(Fifo<int>::kUnbounded);
        std::string out;
        rig.spawn("r", popInto(fifo, out));
        rig.settle();
        fifo.close();
        rig.settle();
        QCOMPARE(out, std::string("end "));
    }

    void anItemHandedToAReaderThatIsInterruptedAfterwardsArrives() {
        Rig rig;
        Fifo<int> fifo(4);
        std::string out;
        ThreadRef reader = rig.spawn("r", popInto(fifo, out));
        rig.settle();
        fifo.tryPush(1);
        reader->interrupt();
        rig.settle();
        QCOMPARE(out, std::string("1 "));
        ThreadRef early = rig.spawn("r", popInto(fifo, out));
        rig.settle();
        early->interrupt();
        fifo.tryPush(2);
        rig.settle();
        QCOMPARE(out, std::string("1 "));
        QCOMPARE(fifo.size(), std::size_t{1});
    }

    void aWriterThatIsInterruptedHasNotWritten() {
        Rig rig;
        Fifo<int> fifo(1);
        std::string out;
        rig.spawn("w", pushItem(fifo, 1, out));
        ThreadRef second = rig.spawn("w", pushItem(fifo, 2, out));
        rig.settle();
        second->interrupt();
        QCOMPARE(*fifo.tryPop(), 1);
        rig.settle();
        QVERIFY(fifo.isEmpty());
        QCOMPARE(out, std::string("+1 "));
        // The other order: room first.
        rig.spawn("w", pushItem(fifo, 3, out));
        ThreadRef fourth = rig.spawn("w", pushItem(fifo, 4, out));
        rig.settle();
        QCOMPARE(*fifo.tryPop(), 3);
        fourth->interrupt();
        rig.settle();
        QCOMPARE(out, std::string("+1 +3 +4 "));
        QCOMPARE(fifo.size(), std::size_t{1});
    }

    // ---- run in parallel

    void parallelTasksReturnTheirValuesInOrder() {
        Rig rig;
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 5; ++i) tasks.push_back(intAfter(Duration(1s) * (5 - i), i));
        rig.spawn("p", parallel(rig, std::move(tasks), 0));
        rig.settle();
        QCOMPARE(rig.loop.threadCount(), std::size_t{6});
        rig.advance(5s);
        QCOMPARE(rig.take(), std::string("0 1 2 3 4 "));
        QCOMPARE(rig.loop.threadCount(), std::size_t{0});
    }

    void noMoreThanTheLimitRunAtATime() {
        Rig rig;
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 5; ++i) tasks.push_back(intAfter(1s, i));
        rig.spawn("p", parallel(rig, std::move(tasks), 2));
        rig.settle();
        QCOMPARE(rig.loop.threadCount(), std::size_t{3});
        rig.advance(1s);
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string());
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("0 1 2 3 4 "));
    }

    void theFirstErrorEndsTheOthers() {
        Rig rig;
        std::vector<Task<int>> tasks;
        tasks.push_back(intAfter(1h, 1));
        tasks.push_back(intAfter(1h, 2));
        tasks.push_back(throwAfter(1s));
        rig.spawn("p", parallel(rig, std::move(tasks), 0));
        rig.settle();
        rig.advance(1s);
        QCOMPARE(rig.take(), std::string("third failed"));
        QCOMPARE(rig.loop.threadCount(), std::size_t{0});
    }

    void anInterruptionOfTheCallerEndsAll() {
        Rig rig;
        std::vector<Task<int>> tasks;
        for (int i = 0; i < 5; ++i) tasks.push_back(intAfter(1h, i));
        ThreadRef caller = rig.spawn("p", parallel(rig, std::move(tasks), 3));
        rig.settle();
        caller->interrupt();
        rig.settle();
        QCOMPARE(rig.take(), std::string("interrupted"));
        QCOMPARE(rig.loop.threadCount(), std::size_t{0});
    }
};

void TestSync::bothOrdersData() {
    QTest::addColumn<std::shared_ptr<Orders>>("orders");
    const auto row = [](const char* name, auto primitive, auto wait, auto wake) {
        QTest::newRow(name) << std::make_shared<Orders>(
            Orders{[primitive, wait] { return wait(*primitive); }, [primitive, wake] { wake(*primitive); }});
    };
    row(
        "semaphore", std::make_shared<Semaphore>(0), [](Semaphore& s) { return acquire(s, 1); },
        [](Semaphore& s) { s.release(); });
    row(
        "condition", std::make_shared<ConditionVariable>(), [](ConditionVariable& c) { return waitOn(c); },
        [](ConditionVariable& c) { c.notifyOne(); });
    struct Queue {
        Fifo<int> fifo{4};
        std::string out;
    };
    row(
        "fifo read", std::make_shared<Queue>(), [](Queue& q) { return popInto(q.fifo, q.out); },
        [](Queue& q) { q.fifo.tryPush(1); });
    struct FullQueue {
        Fifo<int> fifo{1};
        std::string out;
        FullQueue() { fifo.tryPush(0); }
    };
    row(
        "fifo write", std::make_shared<FullQueue>(), [](FullQueue& q) { return pushItem(q.fifo, 1, q.out); },
        [](FullQueue& q) { (void)q.fifo.tryPop(); });
}

QTEST_GUILESS_MAIN(TestSync)
#include "tst_sync.moc"
