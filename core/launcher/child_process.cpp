#include "core/launcher/child_process.h"

#include "core/base/reap.h"
#include "core/base/text.h"
#include "core/sandbox/child_code.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <new>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace yard::runners {
namespace {

using sandbox::address;
using sandbox::cloneAndRun;
using sandbox::sys;

// What parent and child share during the start.
struct Shared {
    const ChildPlan* plan;
    long parentPid;
    unsigned copiedFds; ///< descriptors below this one come along until exec
    volatile int step;
    volatile int err;
};

YARD_CHILD_INLINE int giveUp(Shared* shared, SpawnStep step, long result) {
    shared->step = static_cast<int>(step);
    shared->err = static_cast<int>(-result);
    return 127;
}

YARD_CHILD_INLINE void reach(const ChildPlan& plan, SpawnStep step) {
    static_assert(std::atomic<SpawnStep>::is_always_lock_free);
    if (plan.reached) *reinterpret_cast<volatile SpawnStep*>(plan.reached) = step;
}

YARD_CHILD_INLINE long limit(int resource, std::uint64_t value) {
    rlimit64 l;
    l.rlim_cur = value;
    l.rlim_max = value;
    return sys(SYS_prlimit64, 0, resource, address(&l), 0);
}

/// Where the limit that cannot be raised is below it, the process goes without a mark.
YARD_CHILD_INLINE void takeMark(std::uint64_t mark) {
    rlimit64 l;
    if (sys(SYS_prlimit64, 0, RLIMIT_LOCKS, 0, address(&l)) != 0) return;
    l.rlim_cur = mark;
    sys(SYS_prlimit64, 0, RLIMIT_LOCKS, address(&l), 0);
}

YARD_CHILD_CODE long setLimits(const ChildPlan& plan) {
    long r = 0;
    takeMark(plan.mark);
    if (plan.limits.openFiles != 0) {
        rlimit64 l;
        l.rlim_cur =
            plan.limits.openFiles < plan.openFiles.rlim_max ? plan.limits.openFiles : plan.openFiles.rlim_max;
        l.rlim_max = l.rlim_cur;
        r = sys(SYS_prlimit64, 0, RLIMIT_NOFILE, address(&l), 0);
    } else {
        r = sys(SYS_prlimit64, 0, RLIMIT_NOFILE, address(&plan.openFiles), 0);
    }
    if (r == 0 && plan.limits.processes != 0) r = limit(RLIMIT_NPROC, plan.limits.processes);
    if (r == 0 && plan.limits.fileBytes != 0) r = limit(RLIMIT_FSIZE, plan.limits.fileBytes);
    if (r == 0 && plan.limits.noCoreFiles) r = limit(RLIMIT_CORE, 0);
    return r;
}

/// Both are the same pipe. What is in one of the places already is not put there again: dup3 refuses that.
YARD_CHILD_INLINE long placeTokens(int fd) {
    long r = 0;
    for (int place = kTokensReadFd; r >= 0 && place <= kTokensWriteFd; ++place)
        r = fd == place ? sys(SYS_fcntl, place, F_SETFD, 0) : sys(SYS_dup3, fd, place, 0);
    return r;
}

YARD_CHILD_CODE int childMain(void* arg) {
    auto* shared = static_cast<Shared*>(arg);
    const ChildPlan& plan = *shared->plan;
    long r = sys(SYS_setsid);
    if (r < 0) return giveUp(shared, SpawnStep::Session, r);
    r = sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (r < 0) return giveUp(shared, SpawnStep::ParentDeath, r);
    // The parent may have died before the line above took effect; then nobody will ever kill us.
    if (sys(SYS_getppid) != shared->parentPid) return giveUp(shared, SpawnStep::ParentDeath, -ESRCH);
    reach(plan, SpawnStep::ChangeDirectory);
    r = sys(SYS_chdir, address(plan.cwd));
    if (r < 0) return giveUp(shared, SpawnStep::ChangeDirectory, r);
    // Only now a table of its own, of the low descriptors alone: copying and closing the rest costs 30 us a child.
    r = sys(SYS_close_range, shared->copiedFds, ~0u, CLOSE_RANGE_UNSHARE);
    if (r >= 0) r = sys(SYS_dup3, plan.inFd, 0, 0);
    if (r >= 0) r = sys(SYS_dup3, plan.outFd, 1, 0);
    if (r >= 0) r = sys(SYS_dup3, plan.errFd, 2, 0);
    if (r >= 0 && plan.hasTerminal) r = sys(SYS_ioctl, 0, TIOCSCTTY, 0);
    // dup3 refuses a descriptor that is where it belongs already; that one only has to outlive exec.
    if (r >= 0 && plan.socketFd == 3) r = sys(SYS_fcntl, 3, F_SETFD, 0);
    if (r >= 0 && plan.socketFd > 3) r = sys(SYS_dup3, plan.socketFd, 3, 0);
    if (r >= 0 && plan.tokensFd >= 0) r = placeTokens(plan.tokensFd);
    const int first = plan.tokensFd >= 0 ? kTokensWriteFd + 1 : plan.socketFd >= 0 ? kSocketFd + 1 : 3;
    if (r >= 0) r = sys(SYS_close_range, first, ~0u, CLOSE_RANGE_CLOEXEC);
    if (r < 0) return giveUp(shared, SpawnStep::Streams, r);
    r = setLimits(plan);
    if (r < 0) return giveUp(shared, SpawnStep::Limits, r);
    reach(plan, SpawnStep::Exec);
    std::uint64_t noSignals = 0;
    sys(SYS_rt_sigprocmask, SIG_SETMASK, address(&noSignals), 0, sizeof noSignals);
    r = sys(SYS_execve, address(plan.program), address(static_cast<const void*>(plan.argv)),
            address(static_cast<const void*>(plan.envp)));
    return giveUp(shared, SpawnStep::Exec, r);
}

} // namespace

ChildStack::ChildStack() {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    size_ = 16 * page;
    map_ = ::mmap(nullptr, size_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (map_ == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(map_, page, PROT_NONE);
    base_ = static_cast<char*>(map_) + page;
}

ChildStack::~ChildStack() {
    ::munmap(map_, size_ + (static_cast<char*>(base_) - static_cast<char*>(map_)));
}

ChildStart startChild(const ChildPlan& plan, const ChildStack& stack) {
    const int highest = std::max({2, plan.inFd, plan.outFd, plan.errFd, plan.socketFd, plan.tokensFd});
    Shared shared{&plan, plan.parentPid, static_cast<unsigned>(highest) + 1, 0, 0};
    int pidfd = -1;
    clone_args args{};
    args.flags = CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_PIDFD | CLONE_CLEAR_SIGHAND;
    args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
    args.exit_signal = SIGCHLD;
    args.stack = reinterpret_cast<std::uintptr_t>(stack.base());
    args.stack_size = stack.size();
    const long pid = cloneAndRun(&args, childMain, &shared);

    ChildStart start;
    if (pid < 0) {
        start.failedStep = SpawnStep::Clone;
        start.err = static_cast<int>(-pid);
        return start;
    }
    start.pid = static_cast<int>(pid);
    start.pidfd.reset(pidfd);
    if (shared.step == 0) return start;
    reapChild(pidfd);
    start.failedStep = static_cast<SpawnStep>(shared.step);
    start.err = shared.err;
    return start;
}

Lookup lookUpProgram(const std::string& program, std::string_view path, const std::string& cwd,
                     const MayLookAt& mayLookAt) {
    if (program.empty()) return {{}, ENOENT};
    if (program.find('/') != std::string::npos) return {program, 0};
    int err = ENOENT;
    for (std::size_t at = 0;;) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string_view part = path.substr(at, end - at);
        std::string candidate;
        if (part.empty() || part.front() != '/') candidate = cwd + '/';
        if (!part.empty()) (candidate += part) += '/';
        candidate += program;
        if (mayLookAt && !mayLookAt(candidate)) return {std::move(candidate), ETIMEDOUT};
        struct stat st{};
        if (::stat(candidate.c_str(), &st) == 0 && S_ISREG(st.st_mode)) {
            if (::access(candidate.c_str(), X_OK) == 0) return {std::move(candidate), 0};
            err = EACCES;
        }
        if (end == path.size()) break;
        at = end + 1;
    }
    return {{}, err};
}

namespace {

/// The sentence is kept with its action, and read in one line.
std::string shown(std::string_view path) {
    constexpr std::size_t kMost = 300; ///< bytes
    return shortened(path, kMost);
}

std::string describeSilence(const SpawnFailure& f, const std::string& program, const std::string& cwd) {
    if (f.step == SpawnStep::ChangeDirectory)
        return fmt::format("the working directory '{}' does not answer: look at the file system it lies on",
                           shown(cwd));
    if (f.step == SpawnStep::Lookup)
        return fmt::format("'{}' was looked for in PATH, and '{}' does not answer: look at the file system it lies "
                           "on, or give the program's path",
                           shown(program), shown(f.path));
    return fmt::format(
        "'{}' could not be started in time: the file system of the program, or of what it needs, does "
        "not answer: look at it",
        shown(program));
}

std::string describeExec(const SpawnFailure& f, const std::string& cwd) {
    struct stat st{};
    const std::string full = f.path.starts_with('/') ? f.path : cwd + '/' + f.path;
    const bool exists = ::stat(full.c_str(), &st) == 0;
    const std::string path = shown(f.path);
    switch (f.err) {
    case ENOENT:
        if (exists)
            return fmt::format("'{}' exists, but the interpreter or loader it names does not; check its first line",
                               path);
        if (!f.path.starts_with('/'))
            return fmt::format("the program '{}' does not exist in '{}': check the path and the working directory",
                               path, shown(cwd));
        return fmt::format("the program '{}' does not exist: check the path, or install it", path);
    case ENOTDIR:
        return fmt::format("the program '{}' does not exist: a part of its path is not a directory", path);
    case EACCES:
        if (exists && S_ISDIR(st.st_mode)) return fmt::format("'{}' is a directory, not a program", path);
        return fmt::format(
            "'{}' is not executable: check its mode (chmod +x) and whether its file system allows it", path);
    case ENOEXEC:
        return fmt::format(
            "'{}' is not a program this machine can run (wrong format); a script needs a first line that "
            "names its interpreter, as #!/bin/sh",
            path);
    case E2BIG: return fmt::format("the arguments and environment of '{}' are too large for the system", path);
    case ETXTBSY: return fmt::format("'{}' is still open for writing", path);
    default: return fmt::format("'{}' could not be started: {}", path, std::strerror(f.err));
    }
}

} // namespace

std::string describeFailure(const SpawnFailure& f, const std::string& program, const std::string& cwd,
                            std::string_view path) {
    if (f.err == ETIMEDOUT) return describeSilence(f, program, cwd);
    switch (f.step) {
    case SpawnStep::Lookup: {
        constexpr std::size_t kMostPath = 1'000; ///< bytes
        const std::string list = shortened(path, kMostPath);
        if (f.err == EACCES)
            return fmt::format("'{}' was found in PATH ({}), but it is not executable: check its mode (chmod +x)",
                               shown(program), list);
        return fmt::format("the program '{}' was not found in PATH ({}): install it, or give its path",
                           shown(program), list);
    }
    case SpawnStep::ChangeDirectory:
        if (f.err == ENOENT)
            return fmt::format("the working directory '{}' does not exist: make it, or give another one",
                               shown(cwd));
        if (f.err == ENOTDIR) return fmt::format("the working directory '{}' is not a directory", shown(cwd));
        return fmt::format("the working directory '{}' cannot be entered: {}", shown(cwd), std::strerror(f.err));
    case SpawnStep::Exec: return describeExec(f, cwd);
    case SpawnStep::Clone:
        return fmt::format("no process could be made for '{}': {}", shown(program), std::strerror(f.err));
    default:
        return fmt::format("'{}' could not be started: {} failed: {}", shown(program), name(f.step),
                           std::strerror(f.err));
    }
}

} // namespace yard::runners
