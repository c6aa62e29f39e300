// A profile of a loop names the functions that ran, how often, and who called them. Processor time is real here, so the
// tests compare counts, and check only which times lie within which.
#include "core/coro/profiler.h"

#include "core/coro/loop.h"
#include "core/coro/part.h"
#include "core/coro/suspend.h"
#include "core/profile/profile_file.h"
#include "tests/support/show_strings.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <sys/mman.h>

namespace yard::coro {

namespace {

Task<int> leaf() {
    co_return 1;
}
Task<void> suspends() {
    co_await sleepFor(std::chrono::seconds(1));
}
Task<void> work() {
    for (int n = 0; n < 3; ++n) (void)co_await leaf();
    co_await suspends();
    (void)co_await leaf();
}
Task<void> throws() {
    co_await yieldNow();
    throw std::runtime_error("as it should");
}
Task<void> catches() {
    try {
        co_await throws();
    } catch (const std::runtime_error&) {
    }
    (void)co_await leaf();
}
// NOLINTNEXTLINE(misc-no-recursion): the depth is what is tested
Task<void> deep(int levels) {
    if (levels > 0) co_await deep(levels - 1);
}

/// A page fault for each of so many pages, between two turns of others.
Task<void> faults(std::size_t pages) {
    co_await yieldNow();
    const std::size_t size = pages * 4096;
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) co_return;
    ::madvise(memory, size, MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < size; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
    ::munmap(memory, size);
}
/// What it does in functions that are no coroutines, one within the other.
Task<void> inParts() {
    for (int round = 0; round < 3; ++round) {
        const Part outer("outer part");
        const Part inner("inner part");
    }
    (void)co_await leaf();
}
Task<void> calls(int count) {
    for (; count > 0; --count) (void)co_await leaf();
}
/// Asks for so many bytes itself, and has its callee ask for none.
Task<void> allocates(std::size_t bytes) {
    (void)co_await leaf();
    const auto block = std::make_unique<char[]>(bytes);
    static_cast<volatile char*>(block.get())[0] = 1;
    (void)co_await leaf();
}
Task<void> turns(int count) {
    for (; count > 0; --count) co_await yieldNow();
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is what is tested
Task<void> sleepsDeep(int levels) {
    if (levels > 0)
        co_await sleepsDeep(levels - 1);
    else
        co_await suspends();
}
Task<void> comesBack() {
    co_await sleepsDeep(300);
    (void)co_await leaf();
}

Task<void> begin(ProfileOptions options, Result<std::uint64_t>& begun) {
    begun = startProfile(std::move(options));
    co_return;
}
Task<void> end(Result<profile::Profile>& taken, std::optional<std::uint64_t> serial) {
    taken = stopProfile(serial);
    co_return;
}

/// `thread;outer;inner` -> calls, of all but the threads of the test itself and the loop.
std::map<std::string, std::uint64_t> callsIn(const profile::Profile& profile) {
    std::map<std::string, std::uint64_t> calls;
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        std::string path;
        for (const std::uint32_t step : profile::pathOf(profile, node)) {
            std::string name = profile.functions[profile.nodes[step].function].name;
            if (const auto at = name.rfind(':'); at != std::string::npos) name.erase(0, at + 1);
            path += (path.empty() ? "" : ";") + name;
        }
        // What the loop does between the turns is there in every profile.
        if (!path.starts_with("test") && !path.starts_with("(")) calls[path] = profile.nodes[node].self.calls;
    }
    return calls;
}

} // namespace

class TestProfiler : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { loop_.emplace(LoopOptions{.name = "loop", .clock = &clock_}); }
    void cleanup() { loop_.reset(); }

    void eachFunctionStandsBelowItsCaller();
    void partsThatAreNoCoroutinesHaveTheirNames();
    void aThreadThatWaitsComesBackToItsPlace();
    void whatBeganBeforeHasItsPlaceToo();
    void anExceptionLeavesAFunctionAsItsEndDoes();
    void threadsAreTakenTogetherWithoutTheirNumbers();
    void onlyThreadsThatAreAskedFor();
    void whatOthersUseIsNotOfThoseAskedFor();
    void onlyFunctionsThatAreAskedFor();
    void whatIsTooDeepCountsAsItsCallers();
    void whatSleptTooDeepComesBackToItsPlace();
    void oneAtATime();
    void aTurnMayHaveVeryManyCalls();
    void anotherOnesGoesOn();
    void aLoopMayEndWithOne();
    void timesLieWithinEachOther();
    void bytesAreOfTheFunctionThatAskedForThem();
    void whatIsOfNoThreadHasANameToo();
    void oneThatIsLeftOnForLongKeepsTheLatestTurns();

private:
    Result<std::uint64_t> tryStart(ProfileOptions options = {}) {
        Result<std::uint64_t> begun;
        loop_->spawn("test begin", begin(std::move(options), begun));
        loop_->runUntilIdle();
        return begun;
    }
    std::uint64_t start(ProfileOptions options = {}) { return tryStart(std::move(options)).value_or(0); }
    Result<profile::Profile> tryStop(std::optional<std::uint64_t> serial = {}) {
        Result<profile::Profile> taken;
        loop_->spawn("test end", end(taken, serial));
        loop_->runUntilIdle();
        return taken;
    }
    profile::Profile stop() { return tryStop().value_or(profile::Profile{}); }
    void pass(Duration time) {
        clock_.advance(time);
        loop_->runUntilIdle();
    }

    VirtualClock clock_;
    std::optional<Loop> loop_;
};

void TestProfiler::eachFunctionStandsBelowItsCaller() {
    start();
    loop_->spawn("worker", work());
    loop_->runUntilIdle();
    pass(std::chrono::seconds(2));
    const profile::Profile taken = stop();
    QCOMPARE(taken.loop, "loop");
    const std::map<std::string, std::uint64_t> calls = {
        {"worker", 2}, {"worker;work", 1}, {"worker;work;leaf", 4}, {"worker;work;suspends", 1}};
    QVERIFY(callsIn(taken) == calls);
    const auto leafAt = std::ranges::find(taken.functions, "yard::coro::leaf", &profile::Function::name);
    QVERIFY(leafAt != taken.functions.end());
    QCOMPARE(leafAt->file, "tests/coro/tst_profiler.cpp");
    // Two turns of the worker, and those of the test's own threads.
    QVERIFY(taken.slices.size() >= 3);
}

void TestProfiler::partsThatAreNoCoroutinesHaveTheirNames() {
    start();
    loop_->spawn("worker", inParts());
    loop_->runUntilIdle();
    const profile::Profile taken = stop();
    const std::map<std::string, std::uint64_t> calls = {{"worker", 1},
                                                        {"worker;inParts", 1},
                                                        {"worker;inParts;outer part", 3},
                                                        {"worker;inParts;outer part;inner part", 3},
                                                        {"worker;inParts;leaf", 1}};
    QVERIFY(callsIn(taken) == calls);
    const auto outer = std::ranges::find(taken.functions, "outer part", &profile::Function::name);
    QVERIFY(outer != taken.functions.end());
    QCOMPARE(outer->file, "tests/coro/tst_profiler.cpp");
    // Without a profile nobody is told.
    loop_->spawn("worker", inParts());
    loop_->runUntilIdle();
}

void TestProfiler::aThreadThatWaitsComesBackToItsPlace() {
    start();
    loop_->spawn("one", work());
    loop_->spawn("two", work());
    loop_->runUntilIdle();
    pass(std::chrono::seconds(2));
    const auto calls = callsIn(stop());
    QCOMPARE(calls.at("one;work;leaf"), std::uint64_t(4));
    QCOMPARE(calls.at("two;work;leaf"), std::uint64_t(4));
}

void TestProfiler::whatBeganBeforeHasItsPlaceToo() {
    loop_->spawn("worker", work());
    loop_->runUntilIdle();
    start();
    pass(std::chrono::seconds(2));
    const std::map<std::string, std::uint64_t> calls = {
        {"worker", 1}, {"worker;work", 0}, {"worker;work;suspends", 0}, {"worker;work;leaf", 1}};
    QVERIFY(callsIn(stop()) == calls);
}

void TestProfiler::anExceptionLeavesAFunctionAsItsEndDoes() {
    start();
    loop_->spawn("worker", catches());
    loop_->runUntilIdle();
    QCOMPARE(callsIn(stop()).at("worker;catches;leaf"), std::uint64_t(1));
}

void TestProfiler::threadsAreTakenTogetherWithoutTheirNumbers() {
    start();
    for (int n = 8; n < 12; ++n) loop_->spawn("connection " + std::to_string(n), work());
    loop_->runUntilIdle();
    QCOMPARE(callsIn(stop()).at("connection #"), std::uint64_t(4));
}

void TestProfiler::onlyThreadsThatAreAskedFor() {
    start({.thread = "two", .function = {}});
    loop_->spawn("one", work());
    loop_->spawn("two", work());
    loop_->runUntilIdle();
    const auto calls = callsIn(stop());
    QVERIFY(calls.contains("two;work") && !calls.contains("one;work"));
}

void TestProfiler::whatOthersUseIsNotOfThoseAskedFor() {
    start({.thread = "two", .function = {}});
    loop_->spawn("two", turns(10));
    loop_->spawn("one", faults(16'384));
    loop_->runUntilIdle();
    const profile::Profile taken = stop();
    std::uint64_t sum = 0;
    for (const profile::Node& node : taken.nodes) sum += node.self.minorFaults;
    QVERIFY2(sum < 8'000, std::to_string(sum).c_str());
}

void TestProfiler::onlyFunctionsThatAreAskedFor() {
    start({.thread = {}, .function = "suspends"});
    loop_->spawn("one", work());
    loop_->runUntilIdle();
    const std::map<std::string, std::uint64_t> calls = {{"one", 0}, {"one;work", 0}, {"one;work;suspends", 1}};
    QVERIFY(callsIn(stop()) == calls);
}

void TestProfiler::whatIsTooDeepCountsAsItsCallers() {
    start();
    loop_->spawn("deep", deep(300));
    loop_->spawn("after", work());
    loop_->runUntilIdle();
    const profile::Profile taken = stop();
    // The thread and 255 functions have their places; the body is the first of 301.
    QCOMPARE(taken.callsLeftOut, std::uint64_t(301 - 255));
    QVERIFY(callsIn(taken).contains("after;work;leaf"));
    QVERIFY(profile::decode(profile::encode(taken)));
}

void TestProfiler::whatSleptTooDeepComesBackToItsPlace() {
    start();
    loop_->spawn("diver", comesBack());
    loop_->runUntilIdle();
    pass(std::chrono::seconds(2));
    const auto calls = callsIn(stop());
    QVERIFY(calls.contains("diver;comesBack;leaf") && !calls.contains("diver;leaf"));
}

void TestProfiler::oneAtATime() {
    start();
    const Result<std::uint64_t> second = tryStart();
    QVERIFY(!second && second.error().kind == ErrorKind::WrongState);
    stop();
    const Result<profile::Profile> none = tryStop();
    QVERIFY(!none && none.error().kind == ErrorKind::WrongState);
}

void TestProfiler::aTurnMayHaveVeryManyCalls() {
    start();
    loop_->spawn("caller", calls(100'000));
    loop_->runUntilIdle();
    const profile::Profile taken = stop();
    QCOMPARE(callsIn(taken).at("caller;calls;leaf"), std::uint64_t(100'000));
    for (const profile::Node& node : taken.nodes)
        QVERIFY(node.self.userMicros + node.self.systemMicros <= taken.lastedMicros + 10'000);
}

void TestProfiler::anotherOnesGoesOn() {
    const std::uint64_t first = start();
    stop();
    const std::uint64_t second = start();
    QVERIFY(first != 0 && second > first);
    const Result<profile::Profile> ofFirst = tryStop(first);
    QVERIFY(!ofFirst);
    QCOMPARE(ofFirst.error().message, "Another has stopped this profile.");
    QVERIFY(tryStop(second));
    QVERIFY(!tryStop(second));
}

void TestProfiler::aLoopMayEndWithOne() {
    start();
    loop_->spawn("worker", work());
    loop_->runUntilIdle();
    loop_.reset();
    loop_.emplace(LoopOptions{.name = "loop", .clock = &clock_});
    loop_->spawn("worker", work());
    loop_->runUntilIdle();
    start();
    QVERIFY(!stop().nodes.empty());
}

void TestProfiler::timesLieWithinEachOther() {
    start();
    loop_->spawn("worker", work());
    loop_->runUntilIdle();
    const profile::Profile taken = stop();
    std::uint64_t whole = 0;
    for (const profile::Node& node : taken.nodes) {
        whole += node.self.wallNanos;
        QVERIFY(node.self.userMicros + node.self.systemMicros <= taken.lastedMicros + 10'000);
    }
    QVERIFY(whole > 0 && whole / 1000 <= taken.lastedMicros + 1);
}

void TestProfiler::bytesAreOfTheFunctionThatAskedForThem() {
#ifdef YARD_SANITIZED
    QSKIP("a sanitizer has an operator new of its own");
#endif
    constexpr std::size_t kBytes = 1'000'000;
    start();
    loop_->spawn("worker", allocates(kBytes));
    loop_->runUntilIdle();
    const profile::Profile taken = stop();
    std::uint64_t whole = 0;
    for (const profile::Node& node : taken.nodes) {
        const std::uint64_t bytes = node.self.allocatedBytes;
        whole += bytes;
        if (taken.functions[node.function].name == "yard::coro::allocates") QVERIFY(bytes >= kBytes);
        if (taken.functions[node.function].name == "yard::coro::leaf") QVERIFY(bytes < 10'000);
    }
    QVERIFY(whole >= kBytes && whole < kBytes + 100'000);
}

/// Threads, posted functions and the loop between them: nothing of the time in which it did not sleep is left over.
void TestProfiler::whatIsOfNoThreadHasANameToo() {
    start();
    loop_->spawn("worker", turns(20'000));
    for (int n = 0; n < 100; ++n)
        loop_->post([] {
            volatile int sum = 0;
            for (int step = 0; step < 20'000; ++step) sum = sum + step;
        });
    loop_->runUntilIdle();
    const profile::Profile taken = stop();
    std::uint64_t explained = 0;
    std::map<std::string, std::uint64_t> outside;
    for (const profile::Node& node : taken.nodes) {
        explained += node.self.wallNanos;
        const std::string& name = taken.functions[node.function].name;
        if (name.starts_with("(")) outside[name] = node.self.calls;
    }
    QCOMPARE(outside["(functions that were posted)"], std::uint64_t(100));
    QVERIFY(outside["(the loop itself)"] >= 20'000);
    const std::uint64_t whole = taken.lastedMicros * 1'000;
    QVERIFY2(explained <= whole + 1'000 && explained * 100 >= whole * 95,
             fmt::format("{} of {} ns", explained, whole).c_str());
}

/// A day of it has more turns than that; its file has a bound all the same.
void TestProfiler::oneThatIsLeftOnForLongKeepsTheLatestTurns() {
    constexpr std::size_t kKept = 100'000;
    constexpr int kTurns = 120'000;
    start();
    loop_->spawn("worker", turns(kTurns));
    loop_->runUntilIdle();
    const profile::Profile taken = stop();
    QCOMPARE(taken.slices.size(), kKept);
    QVERIFY(taken.slicesLeftOut >= kTurns - kKept);
    QVERIFY(std::ranges::is_sorted(taken.slices, {}, &profile::Slice::startMicros));
    QVERIFY(callsIn(taken).at("worker") >= std::uint64_t(kTurns)); // the sums have all
    const std::string bytes = profile::encode(taken);
    QVERIFY(bytes.size() < profile::kLargestFile / 10);
    QVERIFY(profile::decode(bytes));
}

} // namespace yard::coro

QTEST_GUILESS_MAIN(yard::coro::TestProfiler)
#include "tst_profiler.moc"
