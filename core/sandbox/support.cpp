#include "core/sandbox/support.h"

#include "core/base/reap.h"
#include "core/base/unique_fd.h"
#include "core/sandbox/child_code.h"
#include "core/sandbox/enter.h"
#include "core/sandbox/record.h"
#include "core/sandbox/starting.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::sandbox {
namespace {

constexpr std::array kParts = {"user", "mount", "pid",    "network", "ipc",
                               "uts",  "root",  "rights", "filter",  "limits"};

struct Namespace {
    const char* part;
    std::uint64_t flag;
};
constexpr std::array<Namespace, 6> kNamespaces = {{{"user", CLONE_NEWUSER},
                                                   {"mount", CLONE_NEWNS},
                                                   {"pid", CLONE_NEWPID},
                                                   {"network", CLONE_NEWNET},
                                                   {"ipc", CLONE_NEWIPC},
                                                   {"uts", CLONE_NEWUTS}}};

std::string words(int err) {
    return std::strerror(err); // NOLINT(concurrency-mt-unsafe): glibc's is per thread
}

/// The part that a step of the start belongs to.
const char* partOf(Step step) {
    switch (step) {
    case Step::IdMap:
    case Step::User:
    case Step::UserNamespace: return "user";
    case Step::Propagation: return "mount";
    case Step::ParentDeath:
    case Step::Init:
    case Step::Watch:
    case Step::Process: return "pid";
    case Step::Names: return "network";
    case Step::Capabilities: return "rights";
    case Step::Filter: return "filter";
    case Step::Pipe:
    case Step::Session:
    case Step::Streams:
    case Step::Limits: return "limits";
    default: return "root";
    }
}

struct Found {
    const char* part;
    const char* why;
};
Found foundInside(int check) {
    switch (static_cast<Check>(check)) {
    case Check::Processes: return {"pid", "processes outside can be seen from inside."};
    case Check::User: return {"user", "the user inside is not the one that was mapped."};
    case Check::Rights: return {"rights", "a program inside keeps rights it should not have."};
    case Check::Root: return {"root", "the root inside can be written."};
    case Check::Tmp: return {"root", "the private /tmp cannot be written."};
    case Check::Names: return {"uts", "the host name inside is that of the machine."};
    case Check::Filter: return {"filter", "a system call that should be denied is not."};
    case Check::Network: return {"network", "an address outside can be reached."};
    }
    return {"root", "the look around inside ended otherwise than it should."};
}

YARD_CHILD_CODE int endAtOnce(void*) {
    return 0;
}

int waitFor(int pidfd) {
    const siginfo_t info = reapChild(pidfd);
    return info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
}

/// Whether these namespaces can be had together. 0 or errno.
int tryNamespaces(std::uint64_t flags, std::vector<char>& stack) {
    int pidfd = -1;
    clone_args args{};
    args.flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | flags;
    args.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
    args.exit_signal = SIGCHLD;
    args.stack = reinterpret_cast<std::uintptr_t>(stack.data());
    args.stack_size = stack.size();
    const long pid = cloneAndRun(&args, endAtOnce, nullptr);
    if (pid < 0) return static_cast<int>(-pid);
    const UniqueFd held(pidfd);
    waitFor(pidfd);
    return 0;
}

void deny(Support& support, std::string_view part, std::string why) {
    const auto one = std::ranges::find(support.parts, part, &Part::name);
    if (one == support.parts.end()) return;
    one->holds = false;
    one->why = std::move(why);
}

std::string advice(int err) {
    if (err == ENOSPC || err == EUSERS) return "raise user.max_user_namespaces and its like (sysctl)";
    if (err == EPERM || err == EACCES)
        return "allow user namespaces to this user (sysctl kernel.unprivileged_userns_clone=1, "
               "kernel.apparmor_restrict_unprivileged_userns=0, or the container's own setting)";
    return "a kernel with them is needed";
}

/// Nothing could be cloned: which ones are refused.
void findNamespaces(Support& support, int err, std::vector<char>& stack) {
    const bool isRoot = ::geteuid() == 0;
    bool found = false;
    for (const Namespace& one : kNamespaces) {
        const std::uint64_t user = isRoot && one.flag != CLONE_NEWUSER ? 0 : CLONE_NEWUSER;
        const int failed = tryNamespaces(one.flag | user, stack);
        if (failed == 0) continue;
        found = true;
        deny(support, one.part,
             fmt::format("no {} namespace can be made: {}; {}.", one.part, words(failed), advice(failed)));
        if (one.flag == CLONE_NEWUSER && !isRoot) break; // the others need it
    }
    if (!found) deny(support, "user", fmt::format("the namespaces cannot be had together: {}.", words(err)));
}

struct Streams {
    UniqueFd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
};

Entry entryOf(const Base& base, const Layout& own, const Streams& streams, char* const* argv, char* const* envp) {
    Entry entry;
    entry.base = &base;
    entry.own = &own;
    entry.program = "/proc/self/exe";
    entry.argv = argv;
    entry.envp = envp;
    entry.inFd = entry.outFd = entry.errFd = streams.null.get();
    entry.hostUser = hostUserOf(0);
    ::getrlimit(RLIMIT_NOFILE, &entry.openFiles);
    entry.limits = {.openFiles = 64, .processes = 16, .fileBytes = 1u << 20, .dataBytes = 64u << 20};
    return entry;
}

} // namespace

bool Support::isComplete() const {
    return std::ranges::all_of(parts, &Part::holds);
}

std::string Support::why() const {
    const auto part = std::ranges::find_if_not(parts, &Part::holds);
    return part == parts.end() ? std::string() : fmt::format("{}: {}", part->name, part->why);
}

Support probe() {
    Support support;
    for (const char* name : kParts) support.parts.push_back({name, true, {}});
    auto base = Base::open();
    Plan plan;
    plan.tmpBytes = 1u << 20;
    auto own = layoutOf(plan);
    const Streams streams;
    if (!base || !own || !streams.null) {
        deny(support, "root", !base ? base.error().message + "." : "the machine's files cannot be looked at.");
        return support;
    }
    char name[] = "yard-check";
    char* argv[] = {name, nullptr};
    char* envp[] = {nullptr};
    std::vector<char> stack(64u << 10);
    const AllSignalsBlocked blocked;
    const Start started = start(entryOf(*base, *own, streams, argv, envp), stack.data(), stack.size());
    if (started.failed == Step::None) {
        const int code = waitFor(started.pidfd.get());
        if (code == 0) return support;
        const Found found = foundInside(code);
        deny(support, found.part, found.why);
    } else if (started.failed == Step::Clone) {
        findNamespaces(support, started.err, stack);
    } else {
        deny(support, partOf(started.failed),
             fmt::format("it was refused to {}: {}.", started.doing, words(started.err)));
    }
    return support;
}

} // namespace yard::sandbox
