// How near the local runner comes to bare spawning: /bin/true leases, 8 ahead per slot, against a loop of clone3
// and waitpid on two pinned threads in the same run (R of DESIGN 8). Rates in actions a second; only the ratio
// means much.
//
//   bench_runner [ACTIONS] [ROUNDS] [AHEAD] [SLOTS]
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/runners/launcher.h"
#include "core/runners/local_runner.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace yard;
using namespace yard::runners;

namespace {

__attribute__((always_inline)) inline long rawClone3(clone_args* args) {
    long result = SYS_clone3;
    asm volatile("syscall" : "+a"(result) : "D"(args), "S"(sizeof *args) : "rcx", "r11", "memory");
    return result;
}

[[noreturn]] __attribute__((noinline)) void becomeTrue() {
    static char program[] = "/bin/true";
    static char path[] = "PATH=/usr/bin:/bin";
    static char* argv[] = {program, nullptr};
    static char* envp[] = {path, nullptr};
    ::execve(program, argv, envp);
    ::_exit(127);
}

void spawnMany(long count) {
    for (long i = 0; i < count; ++i) {
        clone_args args{};
        int pidfd = -1;
        args.flags = CLONE_VFORK | CLONE_VM | CLONE_PIDFD;
        args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
        args.exit_signal = SIGCHLD;
        const long pid = rawClone3(&args);
        if (pid == 0) becomeTrue();
        int status = 0;
        if (pid < 0 || ::waitpid(static_cast<pid_t>(pid), &status, 0) != pid || status != 0) std::abort();
        ::close(pidfd);
    }
}

/// CPU seconds of this process, its reaped children, and (pid != 0) of a child that lives with what it has reaped.
/// On a busy machine the ratio of these is worth more than that of the rates.
double cpuSeconds(int pid) {
    double sum = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage u{};
        ::getrusage(who, &u);
        sum += static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
    }
    if (pid == 0) return sum;
    const auto text = readFile(fmt::format("/proc/{}/stat", pid));
    if (!text) return sum;
    long ticks[4] = {};
    std::sscanf(text->c_str() + text->rfind(')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld %ld",
                &ticks[0], &ticks[1], &ticks[2], &ticks[3]);
    return sum + static_cast<double>(ticks[0] + ticks[1] + ticks[2] + ticks[3]) /
                     static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double rate(long count, MonoTime from) {
    return static_cast<double>(count) * 1e6 / static_cast<double>((MonoClock::now() - from).count());
}

double bareRate(long count) {
    const MonoTime from = MonoClock::now();
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 2; ++t)
        threads.emplace_back([=] {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET(t % std::max(1u, std::thread::hardware_concurrency()), &set);
            ::sched_setaffinity(0, sizeof set, &set);
            spawnMany(count / 2);
        });
    for (std::thread& thread : threads) thread.join();
    return rate(count, from);
}

struct Driver {
    LocalRunner* runner = nullptr;
    long count = 0;
    long submitted = 0;
    long ended = 0;
    long wakeups = 0;
    std::int64_t base = 0;
    unsigned depth = 8;

    void fill() {
        std::vector<Lease> batch;
        while (submitted < count && submitted - ended < static_cast<long>(runner->capacity() * depth)) {
            Lease lease;
            lease.id = {Lsn(base + ++submitted), 1};
            lease.group = 1;
            lease.argv = {"/bin/true"};
            lease.cwd = "/";
            batch.push_back(std::move(lease));
        }
        if (!batch.empty()) runner->submit(std::move(batch));
    }
    void take(const std::vector<Update>& batch) {
        ++wakeups;
        for (const Update& update : batch) {
            const auto* end = std::get_if<Ended>(&update.what);
            if (!end) continue;
            if (end->exitCode != 0) {
                fmt::print(stderr, "action {} ended otherwise: {} {}\n", update.id.lsn.value, name(end->cause),
                           end->spawn.message);
                std::abort();
            }
            ++ended;
            runner->acknowledge(end->slot, update.id);
        }
        fill();
    }
};

} // namespace

int main(int argc, char** argv) {
    if (const auto code = runLauncherIfAsked(argc, argv)) return *code;
    const long count = argc > 1 ? std::atol(argv[1]) : 4000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    std::string directory =
        fmt::format("{}/bench_runner.XXXXXX", std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp");
    if (!::mkdtemp(directory.data())) return 1;

    Driver driver;
    driver.depth = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 8;
    LocalRunnerConfig config;
    config.dataDir = directory;
    config.ownerToken = randomHex(16);
    config.slots = argc > 4 ? static_cast<unsigned>(std::atoi(argv[4])) : 2;
    auto runner = LocalRunner::start(config, [&](std::vector<Update> batch) { driver.take(batch); });
    if (!runner) {
        fmt::print(stderr, "{}\n", runner.error().message);
        return 1;
    }
    driver.runner = runner->get();

    std::vector<double> ratios;
    const int launcher = (*runner)->launcherPid();
    for (int round = 0; round < rounds; ++round) {
        double cpu = cpuSeconds(0);
        const double bare = bareRate(count);
        const double bareCpu = (cpuSeconds(0) - cpu) / static_cast<double>(count) * 1e6;
        driver.base += 10'000'000;
        driver.submitted = driver.ended = driver.wakeups = 0;
        driver.count = count;
        cpu = cpuSeconds(launcher);
        const MonoTime from = MonoClock::now();
        driver.fill();
        while (driver.ended < count) {
            pollfd p{(*runner)->pollFd(), POLLIN, 0};
            ::poll(&p, 1, -1);
            (*runner)->onReadable();
        }
        const double ours = rate(count, from);
        const double oursCpu = (cpuSeconds(launcher) - cpu) / static_cast<double>(count) * 1e6;
        ratios.push_back(ours / bare);
        fmt::print(
            "runner {:.0f}/s {:.0f} us  bare {:.0f}/s {:.0f} us  ratio {:.3f}, of CPU {:.3f}; wake-ups {:.3f}\n",
            ours, oursCpu, bare, bareCpu, ours / bare, bareCpu / oursCpu,
            static_cast<double>(driver.wakeups) / static_cast<double>(count));
        std::fflush(stdout);
    }
    std::ranges::sort(ratios);
    fmt::print("ratio to R: median {:.3f}, least {:.3f}, most {:.3f}\n", ratios[ratios.size() / 2], ratios.front(),
               ratios.back());
    runner->reset();
    static_cast<void>(removeTree(directory));
    return 0;
}
