// What an allocator starts and ends, and what it does about failures.
#include "core/allocators/allocator.h"

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::allocators;
using namespace std::chrono_literals;

namespace {

constexpr MonoTime kStart{1'000s};

/// Machines of one core, up to `max`; `count` actions of ten minutes want as many machines.
Settings upTo(unsigned max, unsigned pendingMax = 2, unsigned min = 0) {
    return {.shape = {.cores = 1, .memoryMb = 0, .gpus = 0},
            .limits = {.min = min, .max = max, .backlog = 600s, .lifetime = 1h},
            .pendingMax = pendingMax,
            .idle = 300s};
}

std::vector<WaitingWork> waiting(std::uint64_t count) {
    if (count == 0) return {};
    return {{.count = count, .cores = 1, .memoryMb = 0, .gpus = 0, .seconds = 600s, .deadline = {}}};
}

/// Starts all of a plan as jobs named by their numbers.
void startAll(Allocator& allocator, const Plan& plan, MonoTime now) {
    for (const PilotNumber number : plan.start) QVERIFY(!allocator.started(number, std::to_string(number), now));
}

Listed running(std::string job) {
    return {.job = std::move(job), .isRunning = true, .never = {}};
}
Listed queued(std::string job) {
    return {.job = std::move(job), .isRunning = false, .never = {}};
}

PilotState stateOf(const Allocator& allocator, std::string_view job) {
    const auto at = std::ranges::find(allocator.pilots(), job, &Pilot::job);
    return at == allocator.pilots().end() ? PilotState::Gone : at->state;
}

/// One pilot, joined.
Allocator oneJoined(unsigned min = 0) {
    Allocator allocator(upTo(4, 2, min));
    startAll(allocator, allocator.look(waiting(1), kStart), kStart);
    const std::vector<Listed> list = {running("1")};
    allocator.listed(list, kStart);
    allocator.joined("1", kStart);
    return allocator;
}

} // namespace

class TestAllocator : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itStartsWhatIsWantedButFewWaitAtOnce();
    void itStartsMoreOnceThoseRun();
    void itStartsNothingTwice();
    void whatWaitsIsEndedWhenTheWorkIsGone();
    void theNewestThatWaitsGoesFirst();
    void aMachineEndsOnceItHasBeenIdleLongEnough();
    void aMachineThatWorksIsNotEnded();
    void theLeastNumberStaysThoughIdle();
    void aStartThatIsNotWantedAnyMoreIsEndedWhenItHasAJob();
    void aFailedStartBacksOffAndTheThirdPauses();
    void workDoneForgetsFailures();
    void aJobThatNeverStartsIsAFailureAndIsEnded();
    void aPilotThatEndsAtOnceIsAFailure();
    void aPilotThatLivedIsNoFailure();
    void aYoungJobMayBeMissingInTheList();
    void aRequeuedJobWaitsAgain();
    void aLostLinkIsNoLostJob();
    void aPersonPausesAndResumes();
    void allAreEndedAtOnce();
    void oneThatNobodyWantsEndsAndIsNoFailure();
    void jobsOfALifeBeforeAreTakenOver();
    void itSaysWhatItDecided();
    void theNextLookIsWhenAPauseEndsOrAMachineWasIdleLongEnough();
    void movesAreThoseOfTheTable();
    void randomWorkAndARandomClusterKeepTheLimits();
};

void TestAllocator::itStartsWhatIsWantedButFewWaitAtOnce() {
    Allocator allocator(upTo(10));
    const Plan plan = allocator.look(waiting(5), kStart);
    QCOMPARE(plan.start.size(), std::size_t(2));
    QCOMPARE(allocator.demand().wanted, 5U);
    QCOMPARE(allocator.pending(), 2U);
}

void TestAllocator::itStartsMoreOnceThoseRun() {
    Allocator allocator(upTo(3));
    startAll(allocator, allocator.look(waiting(5), kStart), kStart);
    const std::vector<Listed> list = {running("1"), running("2")};
    QVERIFY(allocator.listed(list, kStart + 1s).empty());
    QCOMPARE(stateOf(allocator, "1"), PilotState::Starting);
    QCOMPARE(allocator.look(waiting(5), kStart + 1s).start.size(), std::size_t(1));
}

void TestAllocator::itStartsNothingTwice() {
    Allocator allocator(upTo(10, 5));
    QCOMPARE(allocator.look(waiting(3), kStart).start.size(), std::size_t(3));
    QVERIFY(allocator.look(waiting(3), kStart + 1s).start.empty());
}

void TestAllocator::whatWaitsIsEndedWhenTheWorkIsGone() {
    Allocator allocator(upTo(10, 5));
    startAll(allocator, allocator.look(waiting(2), kStart), kStart);
    const Plan plan = allocator.look({}, kStart + 1s);
    QCOMPARE(plan.end.size(), std::size_t(2));
    QCOMPARE(allocator.counted(), 0U);
    QVERIFY(allocator.look({}, kStart + 2s).end.empty());
}

void TestAllocator::theNewestThatWaitsGoesFirst() {
    Allocator allocator(upTo(10, 5));
    startAll(allocator, allocator.look(waiting(3), kStart), kStart);
    QCOMPARE(allocator.look(waiting(1), kStart).end, (std::vector<std::string>{"3", "2"}));
}

void TestAllocator::aMachineEndsOnceItHasBeenIdleLongEnough() {
    Allocator allocator = oneJoined();
    QVERIFY(allocator.look({}, kStart + 299s).end.empty());
    QCOMPARE(allocator.look({}, kStart + 300s).end, std::vector<std::string>{"1"});
}

void TestAllocator::aMachineThatWorksIsNotEnded() {
    Allocator allocator = oneJoined();
    allocator.worked("1", false, kStart + 1s);
    QVERIFY(allocator.look({}, kStart + 1'000s).end.empty());
    allocator.worked("1", true, kStart + 1'000s);
    allocator.worked("1", true, kStart + 1'200s); // still the same idle time
    QCOMPARE(allocator.look({}, kStart + 1'300s).end, std::vector<std::string>{"1"});
}

void TestAllocator::theLeastNumberStaysThoughIdle() {
    Allocator allocator = oneJoined(1);
    QVERIFY(allocator.look({}, kStart + 9'999s).end.empty());
}

void TestAllocator::aStartThatIsNotWantedAnyMoreIsEndedWhenItHasAJob() {
    Allocator allocator(upTo(4));
    const Plan plan = allocator.look(waiting(1), kStart);
    QVERIFY(allocator.look({}, kStart).end.empty()); // it has no job to end yet
    QVERIFY(allocator.started(plan.start.front(), "7", kStart));
    QVERIFY(allocator.started(99, "8", kStart)); // of one that it does not know
    const std::vector<Listed> none;
    allocator.listed(none, kStart);
    QVERIFY(allocator.pilots().empty());
}

void TestAllocator::aFailedStartBacksOffAndTheThirdPauses() {
    Allocator allocator(upTo(4, 1));
    MonoTime now = kStart;
    const auto fail = [&](std::string sentence) {
        const Plan plan = allocator.look(waiting(4), now);
        QCOMPARE(plan.start.size(), std::size_t(1));
        allocator.notStarted(plan.start.front(), std::move(sentence), now);
        QVERIFY(allocator.look(waiting(4), now).start.empty());
    };
    fail("bad partition");
    QCOMPARE(allocator.failures().state(now), AllocatorState::BackingOff);
    QCOMPARE(allocator.failures().until(now), std::optional(now + 1min));
    now += 1min;
    fail("bad partition");
    QCOMPARE(allocator.failures().until(now), std::optional(now + 2min));
    now += 2min;
    fail("Invalid partition name specified");
    QCOMPARE(allocator.failures().state(now + 24h), AllocatorState::Paused);
    QCOMPARE(allocator.failures().reason(), std::string("Invalid partition name specified"));
    QVERIFY(!allocator.failures().until(now));
    allocator.resume();
    QCOMPARE(allocator.failures().failuresInARow(), 0U);
    QCOMPARE(allocator.look(waiting(4), now).start.size(), std::size_t(1));
}

void TestAllocator::workDoneForgetsFailures() {
    Allocator allocator(upTo(4, 1));
    allocator.notStarted(allocator.look(waiting(1), kStart).start.front(), "no", kStart);
    const MonoTime later = kStart + 1min;
    startAll(allocator, allocator.look(waiting(1), later), later);
    allocator.joined("2", later); // before a list said that it runs
    QCOMPARE(allocator.failures().failuresInARow(), 1U);
    allocator.worked("2", false, later);
    QCOMPARE(allocator.failures().failuresInARow(), 0U);
    QVERIFY(allocator.failures().reason().empty());
}

void TestAllocator::aJobThatNeverStartsIsAFailureAndIsEnded() {
    Allocator allocator(upTo(4, 1));
    startAll(allocator, allocator.look(waiting(1), kStart), kStart);
    const std::vector<Listed> list = {{.job = "1", .isRunning = false, .never = "over the partition's limit"}};
    QCOMPARE(allocator.listed(list, kStart), std::vector<std::string>{"1"});
    QCOMPARE(allocator.failures().reason(), std::string("over the partition's limit"));
    QVERIFY(allocator.listed(list, kStart).empty()); // once
    QCOMPARE(allocator.failures().failuresInARow(), 1U);
}

void TestAllocator::aPilotThatEndsAtOnceIsAFailure() {
    Allocator allocator(upTo(4, 1));
    startAll(allocator, allocator.look(waiting(1), kStart), kStart);
    const std::vector<Listed> list = {running("1")};
    const std::vector<Listed> none;
    allocator.listed(list, kStart + 10s);
    allocator.listed(none, kStart + 39s);
    QVERIFY(allocator.pilots().empty());
    QCOMPARE(allocator.failures().failuresInARow(), 1U);
    QVERIFY(allocator.failures().reason().contains("Job 1 ended"));
}

void TestAllocator::aPilotThatLivedIsNoFailure() {
    const std::vector<Listed> none;
    Allocator lived = oneJoined();
    lived.listed(none, kStart + 30s);
    QCOMPARE(lived.failures().failuresInARow(), 0U);
    Allocator worked = oneJoined();
    worked.worked("1", true, kStart + 1s);
    worked.listed(none, kStart + 2s);
    QCOMPARE(worked.failures().failuresInARow(), 0U);
    QVERIFY(worked.pilots().empty());
}

void TestAllocator::aYoungJobMayBeMissingInTheList() {
    Allocator allocator(upTo(4, 1));
    startAll(allocator, allocator.look(waiting(1), kStart), kStart);
    const std::vector<Listed> none;
    allocator.listed(none, kStart + 29s);
    QCOMPARE(stateOf(allocator, "1"), PilotState::Waiting);
    allocator.listed(none, kStart + 30s);
    QVERIFY(allocator.pilots().empty());
}

void TestAllocator::aRequeuedJobWaitsAgain() {
    Allocator allocator = oneJoined();
    const std::vector<Listed> list = {queued("1")};
    allocator.listed(list, kStart + 60s);
    QCOMPARE(stateOf(allocator, "1"), PilotState::Waiting);
    QVERIFY(!allocator.pilots().front().began);
}

void TestAllocator::aLostLinkIsNoLostJob() {
    Allocator allocator = oneJoined();
    allocator.left("1", kStart + 60s);
    QCOMPARE(stateOf(allocator, "1"), PilotState::Starting);
    QCOMPARE(allocator.counted(), 1U);
    allocator.joined("1", kStart + 70s);
    QCOMPARE(stateOf(allocator, "1"), PilotState::Joined);
    allocator.joined("x", kStart);
    allocator.left("x", kStart);
    allocator.worked("x", true, kStart);
}

void TestAllocator::aPersonPausesAndResumes() {
    Allocator allocator = oneJoined();
    allocator.pause("");
    QVERIFY(allocator.look(waiting(4), kStart).start.empty());
    QCOMPARE(allocator.counted(), 1U); // what is there stays
    allocator.worked("1", true, kStart);
    QCOMPARE(allocator.failures().state(kStart), AllocatorState::Paused);
    allocator.resume();
    QCOMPARE(allocator.look(waiting(4), kStart).start.size(), std::size_t(2));
}

void TestAllocator::allAreEndedAtOnce() {
    Allocator allocator = oneJoined();
    allocator.look(waiting(4), kStart); // two that have no job yet
    QCOMPARE(allocator.endAll(kStart), std::vector<std::string>{"1"});
    QVERIFY(allocator.endAll(kStart).empty());
    QCOMPARE(allocator.counted(), 0U);
}

void TestAllocator::oneThatNobodyWantsEndsAndIsNoFailure() {
    Allocator allocator = oneJoined();
    QVERIFY(!allocator.endJob("9", kStart));
    QVERIFY(allocator.endJob("1", kStart));
    QVERIFY(!allocator.endJob("1", kStart)); // it ends already
    QCOMPARE(stateOf(allocator, "1"), PilotState::Ending);
    QCOMPARE(allocator.counted(), 0U);
    const PilotNumber number = allocator.pilots().front().number;
    allocator.giveUp(number + 1, kStart);
    QCOMPARE(allocator.pilots().size(), std::size_t(1));
    allocator.giveUp(number, kStart);
    QVERIFY(allocator.pilots().empty());
    QCOMPARE(allocator.failures().state(kStart), AllocatorState::Active);
}

void TestAllocator::jobsOfALifeBeforeAreTakenOver() {
    Allocator allocator(upTo(4));
    allocator.adopt("12", kStart);
    allocator.adopt("12", kStart);
    allocator.adopt("", kStart);
    QCOMPARE(allocator.counted(), 1U);
    const std::vector<Listed> list = {running("12")};
    allocator.listed(list, kStart);
    QCOMPARE(stateOf(allocator, "12"), PilotState::Starting);
}

void TestAllocator::itSaysWhatItDecided() {
    Allocator allocator(upTo(3));
    allocator.look({}, kStart);
    QCOMPARE(allocator.decision(kStart), std::string("0 machines wanted: nothing waits that they could run"));
    allocator.look(waiting(1), kStart);
    QCOMPARE(allocator.decision(kStart),
             std::string("1 machine wanted: 1 action waits, 10 min of work for one machine"));
    const Plan plan = allocator.look(waiting(9), kStart);
    QCOMPARE(
        allocator.decision(kStart),
        std::string("3 machines wanted, the most allowed: 9 actions wait, 1 h 30 min of work for one machine; 2 "
                    "wait in the other queue, no more are asked for meanwhile"));
    allocator.notStarted(plan.start.front(), "No.", kStart);
    QVERIFY(allocator.decision(kStart).ends_with("; starts nothing for now: No."));
    allocator.pause("");
    QVERIFY(allocator.decision(kStart).ends_with("; paused"));
    Allocator kept(upTo(3, 2, 1));
    kept.look({}, kStart);
    QCOMPARE(kept.decision(kStart), std::string("1 machine wanted: as many are kept at least"));
    std::vector<WaitingWork> wide = waiting(2);
    wide.front().cores = 4;
    allocator.resume();
    allocator.look(wide, kStart);
    QCOMPARE(allocator.decision(kStart),
             std::string("0 machines wanted: the 2 actions that wait need a larger machine, "
                         "or one that lives longer"));
}

void TestAllocator::theNextLookIsWhenAPauseEndsOrAMachineWasIdleLongEnough() {
    Allocator allocator = oneJoined();
    allocator.look(waiting(1), kStart);
    QVERIFY(!allocator.nextLook(kStart));
    allocator.look({}, kStart);
    QCOMPARE(allocator.nextLook(kStart), std::optional(kStart + 300s));
    const Plan plan = allocator.look(waiting(2), kStart);
    allocator.notStarted(plan.start.front(), "No.", kStart);
    QCOMPARE(allocator.nextLook(kStart), std::optional(kStart + 60s));
}

void TestAllocator::movesAreThoseOfTheTable() {
    Pilot pilot{.number = 1, .job = "1", .state = PilotState::Gone, .since = kStart};
    QVERIFY(pilotMoves().isFinal(PilotState::Gone));
    QVERIFY(!move(pilot, PilotState::Waiting, kStart + 1s));
    QCOMPARE(pilot.since, kStart);
    QCOMPARE(name(PilotState::Joined), std::string_view("joined"));
    QCOMPARE(name(AllocatorState::BackingOff), std::string_view("backing_off"));
}

/// A cluster that forgets, refuses, delays and ends what it likes, beside work that comes and goes.
void TestAllocator::randomWorkAndARandomClusterKeepTheLimits() {
    std::mt19937 random(7);
    const auto chance = [&random](unsigned of) { return std::uniform_int_distribution(0U, of - 1)(random) == 0; };
    const Settings settings = upTo(6, 3, 1);
    Allocator allocator(settings);
    std::vector<Listed> cluster;
    std::set<std::string, std::less<>> endedByUs;
    int nextJob = 1;
    MonoTime now = kStart;
    const auto end = [&](const std::vector<std::string>& jobs) {
        for (const std::string& job : jobs) {
            QVERIFY2(endedByUs.insert(job).second, "a job is ended once");
            std::erase_if(cluster, [&](const Listed& listed) { return listed.job == job; });
        }
    };
    for (int step = 0; step < 20'000; ++step) {
        now += std::chrono::seconds(std::uniform_int_distribution(0, 90)(random));
        const Plan plan = allocator.look(waiting(std::uniform_int_distribution(0U, 9U)(random)), now);
        QVERIFY(allocator.counted() <= settings.limits.max);
        QVERIFY(plan.start.empty() || allocator.pending() <= settings.pendingMax);
        QVERIFY(plan.start.empty() || allocator.failures().state(now) == AllocatorState::Active);
        end(plan.end);
        for (const PilotNumber number : plan.start) {
            if (chance(20)) {
                allocator.notStarted(number, "No.", now);
                continue;
            }
            std::string job = std::to_string(nextJob++);
            cluster.push_back(queued(job));
            if (allocator.started(number, job, now)) end({job});
        }
        for (Listed& job : cluster) {
            if (chance(3)) job.isRunning = true;
            if (chance(50)) job.never = "Never.";
            if (job.isRunning && chance(2)) allocator.joined(job.job, now);
            if (chance(3)) allocator.worked(job.job, chance(2), now);
            if (chance(30)) allocator.left(job.job, now);
            if (chance(60)) job.isRunning = false;
        }
        std::erase_if(cluster, [&](const Listed&) { return chance(40); });
        if (chance(2)) end(allocator.listed(cluster, now));
        if (allocator.failures().state(now) == AllocatorState::Paused) allocator.resume();
    }
    const std::vector<Listed> none;
    end(allocator.endAll(now));
    allocator.listed(none, now + 1min);
    QVERIFY(allocator.pilots().empty());
    QVERIFY(nextJob > 1'000);
}

QTEST_APPLESS_MAIN(TestAllocator)
#include "tst_allocator.moc"
