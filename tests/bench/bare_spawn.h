// The limit of the process rows: clone3 of /bin/true and waitpid, one at a time on each of two pinned threads (R).
#pragma once

#include "core/base/clock.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace yard::bench {

__attribute__((always_inline)) inline long rawClone3(clone_args* args) {
    long result = SYS_clone3;
    asm volatile("syscall" : "+a"(result) : "D"(args), "S"(sizeof *args) : "rcx", "r11", "memory");
    return result;
}

[[noreturn]] __attribute__((noinline)) inline void becomeTrue() {
    static char program[] = "/bin/true";
    static char path[] = "PATH=/usr/bin:/bin";
    static char* argv[] = {program, nullptr};
    static char* envp[] = {path, nullptr};
    ::execve(program, argv, envp);
    ::_exit(127);
}

inline void spawnMany(long count) {
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

/// A second of what `count` took since `from`.
inline double rate(long count, MonoTime from) {
    return static_cast<double>(count) * 1e6 / static_cast<double>((MonoClock::now() - from).count());
}

/// Spawns a second.
inline double bareRate(long count) {
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

} // namespace yard::bench
