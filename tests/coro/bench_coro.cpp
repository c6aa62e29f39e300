// Prints what the parts of core/coro cost: a task, a switch, a sleep, a sleeping thread, a call across loops.
// Not a test: nothing is asserted. Run it alone, in the release build.
#include "core/coro/net.h"
#include "core/coro/one_shot.h"
#include "core/coro/sync.h"
#include "core/coro/timeout.h"

#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace yard;
using namespace yard::coro;
using namespace std::chrono_literals;

namespace {

constexpr int kTimes = 5'000'000;

void report(const char* what, MonoTime start, double operations) {
    const double nanos = static_cast<double>((MonoClock::now() - start).count()) * 1000.0;
    fmt::print("{:<58} {:9.1f} ns\n", what, nanos / operations);
}

[[gnu::noinline]] Task<int> leaf(int value) {
    co_return value;
}
Task<void> awaitMany(long& sum) {
    for (int i = 0; i < kTimes; ++i) sum += co_await leaf(i);
}
Task<void> yieldMany(int times) {
    for (int i = 0; i < times; ++i) co_await yieldNow();
}
Task<void> lockMany(Semaphore& give, Semaphore& take, int times) {
    for (int i = 0; i < times; ++i) {
        give.release();
        co_await take.acquire();
    }
}
Task<void> sleepMany(int times) {
    for (int i = 0; i < times; ++i) co_await sleepFor(1us);
}
Task<void> sleepOnce(Duration time) {
    co_await sleepFor(time);
}
Task<void> timeoutMany(int times) {
    for (int i = 0; i < times; ++i) co_await withTimeout(10s, sleepOnce(0us));
}
Task<void> callMany(Loop& other, int times) {
    for (int i = 0; i < times; ++i) (void)co_await callOn(other, [] { return 1; });
}
Task<void> echo(UnixSocket& socket, int times, bool first) {
    char byte = 'x';
    for (int i = 0; i < times; ++i) {
        if (first) (void)co_await writeAll(socket, std::span<const char>(&byte, 1));
        (void)co_await readSome(socket, std::span<char>(&byte, 1));
        if (!first) (void)co_await writeAll(socket, std::span<const char>(&byte, 1));
    }
}

double residentBytes() {
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void threadsAndTasks() {
    Loop loop;
    long sum = 0;
    MonoTime start = MonoClock::now();
    loop.spawn("await", awaitMany(sum));
    loop.run();
    report("task: call, await, return", start, kTimes);

    start = MonoClock::now();
    for (int i = 0; i < 2; ++i) loop.spawn("yield", yieldMany(kTimes / 4));
    loop.run();
    report("switch: yield, two threads", start, kTimes / 2);
    start = MonoClock::now();
    for (int i = 0; i < 1000; ++i) loop.spawn("yield", yieldMany(kTimes / 2000));
    loop.run();
    report("switch: yield, 1,000 threads", start, kTimes / 2);
    Semaphore a(0), b(0);
    start = MonoClock::now();
    loop.spawn("ping", lockMany(a, b, kTimes / 8));
    loop.spawn("pong", lockMany(b, a, kTimes / 8));
    loop.run();
    report("switch: hand-over by semaphore", start, kTimes / 4);
}

void sleeping() {
    {
        VirtualClock clock(true);
        Loop loop(Loop::Options{.clock = &clock});
        for (int i = 0; i < 1000; ++i) loop.spawn("sleep", sleepMany(1000));
        const MonoTime start = MonoClock::now();
        loop.run();
        report("sleep and wake, 1,000 threads, virtual time", start, 1e6);
    }
    Loop loop;
    MonoTime start = MonoClock::now();
    loop.spawn("sleep", sleepMany(2000));
    loop.run();
    report("sleep of 1 us, alone, real time (one block each)", start, 2000);
    start = MonoClock::now();
    loop.spawn("timeout", timeoutMany(1'000'000));
    loop.run();
    report("withTimeout around one sleep of 0", start, 1e6);
}

void memory() {
    Loop loop;
    constexpr int kThreads = 100'000;
    ::malloc_trim(0);
    const double before = residentBytes();
    MonoTime start = MonoClock::now();
    for (int i = 0; i < kThreads; ++i) loop.spawn("sleeper", sleepOnce(1h));
    loop.runUntilIdle();
    report("spawn and put to sleep", start, kThreads);
    fmt::print("{:<58} {:9.1f} bytes\n", "a sleeping thread", (residentBytes() - before) / kThreads);
    start = MonoClock::now();
    loop.shutdown();
    report("interrupt and end a sleeping thread", start, kThreads);
}

void acrossLoops() {
    Loop loop;
    Loop other;
    std::jthread thread([&other] { other.runForever(); });
    MonoTime start = MonoClock::now();
    loop.spawn("call", callMany(other, 20'000));
    loop.run();
    report("call on another loop, one at a time", start, 20'000);
    start = MonoClock::now();
    for (int i = 0; i < 100; ++i) loop.spawn("call", callMany(other, 2'000));
    loop.run();
    report("call on another loop, 100 callers", start, 200'000);
    other.stop();
    thread.join();
    other.release();
}

void sockets() {
    Loop loop;
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return;
    UnixSocket left(loop.io(), boost::asio::local::stream_protocol(), fds[0]);
    UnixSocket right(loop.io(), boost::asio::local::stream_protocol(), fds[1]);
    const MonoTime start = MonoClock::now();
    loop.spawn("a", echo(left, 200'000, true));
    loop.spawn("b", echo(right, 200'000, false));
    loop.run();
    report("socket round trip within one loop (4 system calls)", start, 200'000);
}

} // namespace

int main() {
    threadsAndTasks();
    sleeping();
    memory();
    acrossLoops();
    sockets();
    return 0;
}
