// How many machines the work that waits is worth.
#include "core/allocators/demand.h"

#include <QtTest>

#include <chrono>
#include <vector>

using namespace yard;
using namespace yard::allocators;
using namespace std::chrono_literals;

namespace {

constexpr Shape kEightCores{.cores = 8, .memoryMb = 16'000, .gpus = 0};
constexpr Limits kUpToTen{.min = 0, .max = 10, .backlog = 600s, .lifetime = 1h};

WaitingWork work(std::uint64_t count, double cores, Duration seconds) {
    return {.count = count, .cores = cores, .memoryMb = 100, .gpus = 0, .seconds = seconds, .deadline = {}};
}

Demand demand(const std::vector<WaitingWork>& likes, const Limits& limits = kUpToTen,
              const Shape& shape = kEightCores) {
    return demandOf(likes, shape, limits);
}

} // namespace

class TestAllocatorsDemand : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingWaitsNothingIsWanted();
    void workIsDoneWithinTheBacklog();
    void fewActionsFillFewMachinesHoweverLongTheyTake();
    void theScarcestResourceCounts();
    void whatDoesNotFitTheMachineIsNotCounted();
    void whatOutlivesTheMachineIsNotCounted();
    void aDeadlineAloneBoundsWhatIsNotKnown();
    void anUnseenKindCountsAsAMinute();
    void atLeastAndAtMostHold();
    void anyMemoryFitsWhereTheMachinesIsNotSaid();
    void aMachineWithoutGpusTakesNoGpuWork();
    void whatNeedsNothingTakesNoMachineOfItsOwn();
    void billionsDoNotOverflow();
};

void TestAllocatorsDemand::nothingWaitsNothingIsWanted() {
    const Demand none = demand({});
    QCOMPARE(none.wanted, 0U);
    QCOMPARE(none.because, Because::NothingWaits);
}

void TestAllocatorsDemand::workIsDoneWithinTheBacklog() {
    // 800 of 60 s, 8 at once: 6,000 s of one machine, ten times the backlog.
    const Demand much = demand({work(800, 1, 60s)});
    QCOMPARE(much.wanted, 10U);
    QCOMPARE(much.because, Because::Backlog);
    QCOMPARE(much.actions, std::uint64_t(800));
    QCOMPARE(much.machineSeconds, 6'000.0);
    QCOMPARE(demand({work(80, 1, 60s)}).wanted, 1U);
    QCOMPARE(demand({work(81, 1, 60s)}).wanted, 2U);
}

void TestAllocatorsDemand::fewActionsFillFewMachinesHoweverLongTheyTake() {
    QCOMPARE(demand({work(1, 1, 50min)}).wanted, 1U);
    QCOMPARE(demand({work(9, 1, 50min)}).wanted, 2U);
}

void TestAllocatorsDemand::theScarcestResourceCounts() {
    WaitingWork large = work(4, 1, 50min);
    large.memoryMb = 9'000; // one beside none
    QCOMPARE(demand({large}).wanted, 4U);
    large.memoryMb = 8'000;
    QCOMPARE(demand({large}).wanted, 2U);
}

void TestAllocatorsDemand::whatDoesNotFitTheMachineIsNotCounted() {
    const Demand wide = demand({work(100, 16, 60s)});
    QCOMPARE(wide.wanted, 0U);
    QCOMPARE(wide.because, Because::NothingFits);
    QCOMPARE(wide.unfit, std::uint64_t(100));
    const Demand both = demand({work(100, 16, 60s), work(1, 1, 1s)});
    QCOMPARE(both.wanted, 1U);
    QCOMPARE(both.because, Because::Backlog);
}

void TestAllocatorsDemand::whatOutlivesTheMachineIsNotCounted() {
    QCOMPARE(demand({work(1, 1, 61min)}).because, Because::NothingFits);
    WaitingWork known = work(1, 1, 30s);
    known.deadline = 2h; // its kind is known to be shorter
    QCOMPARE(demand({known}).wanted, 1U);
    known.longest = 2h; // as machines are chosen by
    QCOMPARE(demand({known}).because, Because::NothingFits);
}

void TestAllocatorsDemand::aDeadlineAloneBoundsWhatIsNotKnown() {
    WaitingWork unknown{.count = 100, .cores = 1, .memoryMb = 0, .gpus = 0, .seconds = {}, .deadline = 2h};
    QCOMPARE(demand({unknown}).because, Because::NothingFits);
    unknown.deadline = 10s;
    QCOMPARE(demand({unknown}).machineSeconds, 125.0);
}

void TestAllocatorsDemand::anUnseenKindCountsAsAMinute() {
    const WaitingWork unseen{.count = 160, .cores = 1, .memoryMb = 0, .gpus = 0, .seconds = {}, .deadline = {}};
    QCOMPARE(demand({unseen}).machineSeconds, 1'200.0);
    QCOMPARE(demand({unseen}).wanted, 2U);
}

void TestAllocatorsDemand::atLeastAndAtMostHold() {
    const Limits twoToThree{.min = 2, .max = 3, .backlog = 600s, .lifetime = 1h};
    QCOMPARE(demand({}, twoToThree).wanted, 2U);
    QCOMPARE(demand({}, twoToThree).because, Because::AtLeast);
    QCOMPARE(demand({work(10'000, 1, 60s)}, twoToThree).wanted, 3U);
    QCOMPARE(demand({work(10'000, 1, 60s)}, twoToThree).because, Because::AtMost);
    const Limits reversed{.min = 5, .max = 1, .backlog = 600s, .lifetime = 1h};
    QCOMPARE(demand({work(10'000, 1, 60s)}, reversed).wanted, 5U);
}

void TestAllocatorsDemand::anyMemoryFitsWhereTheMachinesIsNotSaid() {
    const Shape noMemory{.cores = 8, .memoryMb = 0, .gpus = 0};
    WaitingWork large = work(1, 1, 60s);
    large.memoryMb = 1'000'000;
    QCOMPARE(demand({large}, kUpToTen, noMemory).wanted, 1U);
}

void TestAllocatorsDemand::aMachineWithoutGpusTakesNoGpuWork() {
    WaitingWork render = work(1, 1, 60s);
    render.gpus = 1;
    QCOMPARE(demand({render}).because, Because::NothingFits);
    const Shape twoGpus{.cores = 8, .memoryMb = 0, .gpus = 2};
    render.count = 4;
    render.seconds = 50min;
    QCOMPARE(demand({render}, kUpToTen, twoGpus).wanted, 2U);
}

void TestAllocatorsDemand::whatNeedsNothingTakesNoMachineOfItsOwn() {
    const Demand free = demand({work(1'000, 0, 60s), work(0, 1, 60s)});
    QCOMPARE(free.wanted, 1U);
    QCOMPARE(free.actions, std::uint64_t(1'000));
}

void TestAllocatorsDemand::billionsDoNotOverflow() {
    const Limits wide{.min = 0, .max = 4'000'000'000, .backlog = 0s, .lifetime = 1h};
    const Demand huge = demand({work(4'000'000'000'000'000'000ULL, 8, 3'600s)}, wide);
    QCOMPARE(huge.wanted, 1'000'000U);
}

QTEST_APPLESS_MAIN(TestAllocatorsDemand)
#include "tst_demand.moc"
