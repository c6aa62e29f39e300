// withTimeout: which handler gets which timeout, table-like. A row is a body, what time does, and the log it
// leaves.
#include "tests/coro/coro_test.h"

using namespace yard;
using namespace yard::coro;
using namespace yard::coro::test;

namespace {

Task<int> valueAfter(Duration time, int value) {
    co_await sleepFor(time);
    co_return value;
}

Task<void> idle(Duration time) {
    co_await sleepFor(time);
}

/// One withTimeout that says what came out of it: "name=value", "name:timeout", "name:interrupted".
Task<int> report(Rig& rig, std::string name, Duration limit, Task<int> body) {
    int value = 0;
    try {
        value = co_await withTimeout(limit, std::move(body));
    } catch (const TimeoutError&) {
        rig.note(name + ":timeout");
        co_return -1;
    } catch (const Interrupted&) {
        rig.note(name + ":interrupted");
        throw;
    } catch (const std::exception& error) {
        rig.note(name + ":" + error.what());
        throw;
    }
    rig.note(fmt::format("{}={}", name, value));
    co_return value;
}

/// What within() and comesWithin() say: "name=value", "name:in time", "name:late".
Task<void> reportWithin(Rig& rig, std::string name, Duration limit, Task<int> body) {
    const std::optional<int> value = co_await within(limit, std::move(body));
    rig.note(value ? fmt::format("{}={}", name, *value) : name + ":late");
}
Task<void> reportWithin(Rig& rig, std::string name, Duration limit, Task<void> body) {
    const bool ended = co_await within(limit, std::move(body));
    rig.note(name + (ended ? ":in time" : ":late"));
}
template<class Source>
Task<void> reportComing(Rig& rig, std::string name, Duration limit, Source& source) {
    const bool came = co_await comesWithin(limit, source);
    rig.note(name + (came ? ":in time" : ":late"));
}

Task<void> run(Task<int> task) {
    (void)co_await std::move(task);
}

Task<int> swallow(Rig& rig, Task<int> body) {
    try {
        co_return co_await std::move(body);
    } catch (...) {
        rig.note("swallowed");
    }
    co_return 7;
}

Task<int> translate(Task<int> body) {
    try {
        co_return co_await std::move(body);
    } catch (...) {
        throw std::runtime_error("translated");
    }
}

Task<int> thenSleep(Task<int> body, Duration time) {
    const int value = co_await std::move(body);
    co_await sleepFor(time);
    co_return value;
}

Task<int> masked(Task<int> body) {
    Uninterruptible always;
    co_return co_await std::move(body);
}

Task<int> acquireOne(Semaphore& semaphore) {
    co_await semaphore.acquire();
    co_return 1;
}

Task<int> fail() {
    co_await yieldNow();
    throw std::runtime_error("failed");
}

Task<int> manySteps(int steps, Duration each) {
    for (int i = 0; i < steps; ++i) co_await sleepFor(each);
    co_return steps;
}

} // namespace

class TestTimeouts : public QObject {
    Q_OBJECT

    Rig* rig_ = nullptr;
    ThreadRef start(Task<int> task) {
        ThreadRef thread = rig_->spawn("t", run(std::move(task)));
        rig_->settle();
        return thread;
    }

private Q_SLOTS:
    void init() { rig_ = new Rig; }
    void cleanup() {
        rig_->loop.shutdown();
        QVERIFY(rig_->loop.timers().isEmpty());
        delete rig_;
    }

    void aTaskThatIsQuickEnoughReturnsItsValue() {
        start(report(*rig_, "t", 5s, valueAfter(1s, 42)));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("t=42"));
        QVERIFY(rig_->loop.timers().isEmpty());
    }

    void aTaskThatIsTooSlowTimesOut() {
        start(report(*rig_, "t", 5s, valueAfter(6s, 42)));
        rig_->advance(4999ms);
        QCOMPARE(rig_->take(), std::string());
        rig_->advance(1ms);
        QCOMPARE(rig_->take(), std::string("t:timeout"));
    }

    void errorsOfTheTaskComeThrough() {
        start(report(*rig_, "t", 5s, fail()));
        QCOMPARE(rig_->take(), std::string("t:failed"));
    }

    void aVoidTaskTimesOutToo() {
        ThreadRef thread = rig_->spawn("v", withTimeout(1s, idle(2s)));
        rig_->settle();
        rig_->advance(1s);
        QCOMPARE(thread->end(), ThreadEnd::Failed);
        QVERIFY_THROWS_EXCEPTION(TimeoutError, std::rethrow_exception(thread->error()));
    }

    void theInnerTimeoutGoesToTheInnerHandler() {
        start(report(*rig_, "outer", 10s, report(*rig_, "inner", 1s, valueAfter(20s, 1))));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("inner:timeout outer=-1"));
    }

    void theOuterTimeoutPassesTheInnerHandler() {
        start(report(*rig_, "outer", 1s, report(*rig_, "inner", 10s, valueAfter(20s, 1))));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("inner:interrupted outer:timeout"));
    }

    void theMiddleOneOfThreeGoesToTheMiddle() {
        start(report(*rig_, "a", 10s, report(*rig_, "b", 1s, report(*rig_, "c", 5s, valueAfter(20s, 1)))));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("c:interrupted b:timeout a=-1"));
    }

    void atTheSameInstantTheOuterOneWins() {
        start(report(*rig_, "outer", 1s, report(*rig_, "inner", 1s, valueAfter(20s, 1))));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("inner:interrupted outer:timeout"));
    }

    void anInterruptionAtTheSameInstantWinsOverBoth() {
        ThreadRef thread = start(report(*rig_, "outer", 1s, report(*rig_, "inner", 1s, valueAfter(20s, 1))));
        rig_->clock.advance(1s);
        thread->interrupt();
        rig_->settle();
        QCOMPARE(rig_->take(), std::string("inner:interrupted outer:interrupted"));
        QCOMPARE(thread->end(), ThreadEnd::Interrupted);
    }

    void aSwallowedTimeoutStillEndsInTimeoutError() {
        start(report(*rig_, "t", 1s, swallow(*rig_, valueAfter(20s, 1))));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("swallowed t:timeout"));
    }

    void aSwallowedTimeoutIsRaisedAgainAtTheNextSuspension() {
        start(report(*rig_, "t", 1s, thenSleep(swallow(*rig_, valueAfter(20s, 1)), 1h)));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("swallowed t:timeout"));
    }

    void aTranslatedTimeoutStillEndsInTimeoutError() {
        start(report(*rig_, "t", 1s, translate(valueAfter(20s, 1))));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("t:timeout"));
    }

    void afterItsTimeoutTheThreadSuspendsAsUsual() {
        start(thenSleep(report(*rig_, "t", 1s, valueAfter(20s, 1)), 5s));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("t:timeout"));
        QCOMPARE(rig_->loop.threadCount(), std::size_t{1});
        rig_->advance(5s);
        QCOMPARE(rig_->loop.threadCount(), std::size_t{0});
    }

    void anUmbrellaLimitsASequenceOfQuickSteps() {
        start(report(*rig_, "umbrella", 10s, manySteps(100, 1s)));
        for (int i = 0; i < 10; ++i) rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("umbrella:timeout"));
    }

    void aTimeoutOutsideOfAnUninterruptibleScopeWaitsForItsEnd() {
        start(report(*rig_, "t", 1s, thenSleep(masked(valueAfter(5s, 1)), 1s)));
        rig_->advance(4s);
        QCOMPARE(rig_->take(), std::string());
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("t:timeout"));
    }

    void aTimeoutInsideOfAnUninterruptibleScopeWorks() {
        ThreadRef thread = start(masked(report(*rig_, "inside", 1s, valueAfter(5s, 1))));
        thread->interrupt();
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("inside:timeout"));
    }

    void aResultThatCameBeforeTheTimeoutIsNotLost() {
        Semaphore semaphore(0);
        start(report(*rig_, "t", 1s, acquireOne(semaphore)));
        rig_->clock.advance(1s);
        semaphore.release();
        rig_->settle();
        QCOMPARE(rig_->take(), std::string("t=1"));
        QCOMPARE(semaphore.available(), std::size_t{0});
    }

    void aTimeoutThatCameBeforeTheResultLeavesTheUnit() {
        Semaphore semaphore(0);
        start(report(*rig_, "t", 1s, acquireOne(semaphore)));
        rig_->advance(1s);
        semaphore.release();
        rig_->settle();
        QCOMPARE(rig_->take(), std::string("t:timeout"));
        QCOMPARE(semaphore.available(), std::size_t{1});
    }

    void noTimeAtAllEndsAtTheFirstSuspension() {
        start(report(*rig_, "t", 0s, valueAfter(1s, 1)));
        QCOMPARE(rig_->take(), std::string("t:timeout"));
    }

    void runningOutOfTimeIsNoErrorWithin() {
        rig_->spawn("a", reportWithin(*rig_, "a", 2s, valueAfter(1s, 5)));
        rig_->spawn("b", reportWithin(*rig_, "b", 2s, valueAfter(3s, 5)));
        rig_->spawn("c", reportWithin(*rig_, "c", 2s, idle(1s)));
        rig_->spawn("d", reportWithin(*rig_, "d", 2s, idle(3s)));
        rig_->settle();
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("a=5 c:in time"));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("b:late d:late"));
    }

    void whatEndsATaskWithinItsTimeGoesThrough() {
        start([](Rig& rig) -> Task<int> {
            try {
                (void)co_await within(1s, fail());
            } catch (const std::exception& error) {
                rig.note(error.what());
            }
            co_return 0;
        }(*rig_));
        QCOMPARE(rig_->take(), std::string("failed"));
        ThreadRef thread = rig_->spawn("waits", reportWithin(*rig_, "t", 5s, idle(3s)));
        rig_->settle();
        thread->interrupt();
        rig_->advance(6s);
        QCOMPARE(rig_->take(), std::string()); // it did not go on as if the time were over
        QVERIFY(thread->hasEnded());
    }

    void eventsAndConditionsComeWithinTheirTimeOrNot() {
        Event event;
        ConditionVariable condition;
        rig_->spawn("a", reportComing(*rig_, "event", 2s, event));
        rig_->spawn("b", reportComing(*rig_, "condition", 2s, condition));
        rig_->settle();
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string());
        condition.notifyAll();
        rig_->settle();
        QCOMPARE(rig_->take(), std::string("condition:in time"));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("event:late"));
        event.set();
        rig_->spawn("c", reportComing(*rig_, "set", 2s, event));
        rig_->settle();
        QCOMPARE(rig_->take(), std::string("set:in time"));
    }

    void aLimitOfForeverIsNoOverflow() {
        start(report(*rig_, "t", Duration::max(), valueAfter(1s, 1)));
        rig_->advance(1s);
        QCOMPARE(rig_->take(), std::string("t=1"));
    }
};

QTEST_GUILESS_MAIN(TestTimeouts)
#include "tst_timeouts.moc"
