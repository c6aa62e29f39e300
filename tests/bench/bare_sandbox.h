// The limit of the sandbox row: the same namespaces, mounts, user and limits as a sandbox of core/sandbox around
// /bin/true with nothing else: no first process, no filter, nobody who listens; clone3 and waitpid, one at a time
// on each of two pinned threads.
#pragma once

#include "core/base/files.h"
#include "core/sandbox/layout.h"
#include "tests/bench/bare_spawn.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace yard::bench {

/// What one thread makes its sandboxes of.
struct BareSandbox {
    explicit BareSandbox(const std::string& directory, unsigned slot)
        : system(sandbox::systemLayout())
        , user(sandbox::hostUserOf(slot)) {
        sandbox::Plan plan;
        plan.tmpBytes = 1u << 30;
        for (const char* name : {"/inputs", "/outputs"}) {
            if (!makeDirectories(directory + name, 0755)) std::abort();
            plan.binds.push_back({directory + name, name, std::strcmp(name, "/outputs") == 0});
        }
        auto made = sandbox::layoutOf(plan);
        if (!made) std::abort();
        own = std::move(*made);
    }
    sandbox::Layout system;
    sandbox::Layout own;
    std::uint32_t user;
    std::uint32_t ownUser = ::geteuid(); // asked before there is a namespace in which it is nobody
    std::uint32_t ownGroup = ::getegid();
};

inline bool put(const char* path, const char* text, int flags = 0) {
    const int fd = ::open(path, O_WRONLY | O_CLOEXEC | flags, 0644);
    if (fd < 0) return false;
    const std::size_t size = std::strlen(text);
    const bool wrote = size == 0 || ::write(fd, text, size) == static_cast<ssize_t>(size);
    ::close(fd);
    return wrote;
}

inline bool carryOut(const sandbox::Op& op) {
    using Kind = sandbox::Op::Kind;
    switch (op.kind) {
    case Kind::Directory: return ::mkdir(op.to, 0755) == 0 || errno == EEXIST;
    case Kind::Link: return ::symlink(op.from, op.to) == 0;
    case Kind::File: return put(op.to, op.from, O_CREAT);
    case Kind::Tmpfs: return ::mount("tmpfs", op.to, "tmpfs", MS_NOSUID | MS_NODEV, op.from) == 0;
    case Kind::Overlay: return ::mount("overlay", op.to, "overlay", MS_RDONLY | MS_NOSUID | MS_NODEV, op.from) == 0;
    case Kind::Proc: return ::mount("proc", op.to, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0;
    case Kind::Bind: {
        const auto fd = static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, op.from, OPEN_TREE_CLONE | 0x8000));
        mount_attr attributes{};
        attributes.attr_set = op.attributes;
        const bool moved =
            fd >= 0 && ::syscall(SYS_mount_setattr, fd, "", 0x1000 | 0x8000, &attributes, sizeof attributes) == 0 &&
            ::syscall(SYS_move_mount, fd, "", AT_FDCWD, op.to, MOVE_MOUNT_F_EMPTY_PATH) == 0;
        ::close(fd);
        return moved;
    }
    }
    return false;
}

/// See core/sandbox/enter.cpp for why it may take more than one try.
inline bool putOwn(const char* path, const char* text) {
    for (int i = 0; i < 1'000; ++i) {
        ::prctl(PR_SET_DUMPABLE, 1);
        if (put(path, text)) return true;
        if (errno != EACCES) return false;
    }
    return false;
}

inline bool mapIds(std::uint32_t user, std::uint32_t group) {
    std::array<char, 32> line{};
    const auto map = [&](std::uint32_t outside) {
        std::snprintf(line.data(), line.size(), "1000 %u 1", outside);
        return line.data();
    };
    return putOwn("/proc/self/setgroups", "deny") && putOwn("/proc/self/uid_map", map(user)) &&
           putOwn("/proc/self/gid_map", map(group));
}

inline bool enterBare(const BareSandbox& what) {
    if (what.user == 0 && !mapIds(what.ownUser, what.ownGroup)) return false;
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    if (::mount("tmpfs", "/sys", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") != 0 || ::chdir("/sys") != 0)
        return false;
    for (const sandbox::Layout* layout : {&what.system, &what.own})
        for (const sandbox::Op& op : layout->ops())
            if (!carryOut(op)) return false;
    if (::syscall(SYS_pivot_root, ".", ".") != 0 || ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0)
        return false;
    if (::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, nullptr) != 0)
        return false;
    if (what.user != 0) {
        // The calls themselves: the library would tell the other threads.
        if (::syscall(SYS_setgroups, 0, nullptr) != 0 ||
            ::syscall(SYS_setresgid, what.user, what.user, what.user) != 0 ||
            ::syscall(SYS_setresuid, what.user, what.user, what.user) != 0)
            return false;
        if (::unshare(CLONE_NEWUSER) != 0 || !mapIds(what.user, what.user)) return false;
    }
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for (const int resource : {RLIMIT_NOFILE, RLIMIT_NPROC}) {
        const rlimit limit{1024, 1024};
        if (::setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return false;
    }
    return true;
}

inline void sandboxMany(const BareSandbox& what, long count) {
    for (long i = 0; i < count; ++i) {
        clone_args args{};
        int pidfd = -1;
        args.flags = CLONE_VFORK | CLONE_VM | CLONE_PIDFD | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                     CLONE_NEWIPC | CLONE_NEWUTS;
        if (what.user == 0) args.flags |= CLONE_NEWUSER;
        args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
        args.exit_signal = SIGCHLD;
        const long pid = rawClone3(&args);
        if (pid == 0) {
            if (!enterBare(what)) ::_exit(126);
            becomeTrue();
        }
        int status = 0;
        if (pid < 0 || ::waitpid(static_cast<pid_t>(pid), &status, 0) != pid || status != 0) {
            std::perror("bare sandbox");
            std::abort();
        }
        ::close(pidfd);
    }
}

/// Sandboxes a second.
inline double bareSandboxRate(const std::string& directory, long count) {
    const std::array<BareSandbox, 2> what{BareSandbox(directory + "/0", 0), BareSandbox(directory + "/1", 1)};
    const MonoTime from = MonoClock::now();
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 2; ++t)
        threads.emplace_back([=, &what] {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET(t % std::max(1u, std::thread::hardware_concurrency()), &set);
            ::sched_setaffinity(0, sizeof set, &set);
            sandboxMany(what[t], count / 2);
        });
    for (std::thread& thread : threads) thread.join();
    return rate(count, from);
}

} // namespace yard::bench
