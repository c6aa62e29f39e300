#include "app/yardmaster/entering.h"

#include "app/yardmaster/entered_terminal.h"
#include "app/yardmaster/entry.h"
#include "core/base/reap.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"
#include "core/host/process_tree.h"
#include "core/sandbox/enter.h"
#include "core/sandbox/starting.h"
#include "core/sandbox/support.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace yard::app {

namespace {

constexpr int kFailed = 1;
constexpr int kSignalled = 128;

int complain(const std::string& sentence) {
    std::fputs(fmt::format("yardmaster: {}\n", sentence).c_str(), stderr);
    return kFailed;
}

/// What is started in place of the command, and with which words.
std::vector<std::string> wordsOf(const runners::Lease& lease, EnterWith with) {
    if (with == EnterWith::Shell) return {::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh"};
    std::vector<std::string> words = lease.argv;
    if (with == EnterWith::Run) return words;
    words.front() = programOf(lease, words.front());
    if (lease.sandbox) // it stops before its program is there, for gdb outside: the filter has no ptrace
        words.insert(words.begin(), {"/bin/sh", "-c", "kill -STOP $$; exec \"$@\"", "sh"});
    else
        words.insert(words.begin(), {"gdb", "-q", "--args"});
    return words;
}

/// What its descriptor 0 is: of a shell and of gdb outside ours, else as the action had it.
UniqueFd inputOf(const Entry& entry, const runners::Lease& lease, EnterWith with) {
    const bool isOurs = with == EnterWith::Shell || (with == EnterWith::Debug && !lease.sandbox);
    if (isOurs) return UniqueFd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    const std::string path = entry.hasStdin ? entry.directory + "/stdin" : "/dev/null";
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
}

// --- without a sandbox

void setLimit(__rlimit_resource_t which, std::uint64_t value) {
    if (value == 0) return;
    const rlimit limit{.rlim_cur = value, .rlim_max = value};
    (void)::setrlimit(which, &limit);
}

/// Becomes the program.
int becomeProgram(const Entry& entry, const runners::Lease& lease, EnterWith with) {
    const std::vector<std::string> words = wordsOf(lease, with);
    const std::vector<std::string> variables = variablesOf(lease);
    const UniqueFd input = inputOf(entry, lease, with);
    if (!input || ::dup2(input.get(), STDIN_FILENO) < 0) return complain("its stdin cannot be opened");
    if (::chdir(lease.cwd.c_str()) != 0)
        return complain(fmt::format("cannot enter {}: {}", lease.cwd, ::strerrordesc_np(errno)));
    setLimit(RLIMIT_NOFILE, lease.limits.openFiles);
    setLimit(RLIMIT_FSIZE, lease.limits.fileBytes);
    const std::string program = programOf(lease, words.front());
    ::execve(program.c_str(), sandbox::pointersTo(words).data(), sandbox::pointersTo(variables).data());
    return complain(fmt::format("cannot start {}: {}", program, ::strerrordesc_np(errno)));
}

// --- in a sandbox

/// Every signal comes as a descriptor: who starts a sandbox has them blocked.
UniqueFd blockAllSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGWINCH}) sigaddset(&wanted, signal);
    return UniqueFd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// The program that init started, as this machine numbers it; 0: it is not there.
int childOf(int pid) {
    const std::vector<int> children = host::childrenOfThread(pid, pid);
    return children.empty() ? 0 : children.front();
}

bool isStopped(int pid) {
    const auto stat = host::readStat(pid);
    return stat && stat->state == 'T';
}

class Sandboxed {
public:
    Sandboxed(Entry& entry, runners::Lease& lease, EnterWith with)
        : entry_(entry)
        , lease_(lease)
        , with_(with)
        , signals_(blockAllSignals()) {}

    int run() {
        auto base = sandbox::Base::open();
        if (!base) return complain("no sandbox can be made: " + base.error().message);
        if (auto ready = prepare(); !ready) return complain(ready.error().message);
        std::vector<char> stack(kStack);
        sandbox::Start started = start(*base, stack);
        if (started.failed != sandbox::Step::None)
            return complain(fmt::format("its sandbox could not be made: to {} failed: {}", started.doing,
                                        ::strerrordesc_np(started.err)));
        if (terminal_) terminal_->handedOver();
        if (with_ == EnterWith::Debug) {
            debug(started);
            host::signalProcess(started.pidfd.get(), SIGKILL); // what gdb left does not stay
        }
        return wait(started);
    }

private:
    static constexpr std::size_t kStack = 256u << 10;

    Result<void> prepare() {
        plan_ = *lease_.sandbox;
        if (auto shown = sandbox::showDirectory(plan_, {}); !shown) return shown;
        lease_.cwd = plan_.cwd;
        const std::string outputs = entry_.directory + "/outputs";
        const UniqueFd directory(::open(outputs.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!directory) return failErrno(fmt::format("cannot open {}", outputs), errno);
        if (plan_.hostUser != 0 && ::fchown(directory.get(), plan_.hostUser, plan_.hostUser) != 0)
            return failErrno(fmt::format("cannot give {} to the user of the sandbox", outputs), errno);
        const bool isAtTerminal = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
        const auto& tty = entry_.spec->tty;
        if ((with_ == EnterWith::Shell && isAtTerminal) || (with_ == EnterWith::Run && tty)) {
            auto opened = EnteredTerminal::open(static_cast<unsigned short>(tty ? tty->rows : 24),
                                                static_cast<unsigned short>(tty ? tty->cols : 80));
            if (!opened) return std::unexpected(opened.error());
            terminal_.emplace(std::move(*opened));
            if (isAtTerminal) terminal_->enterRaw();
        }
        return {};
    }

    sandbox::Start start(sandbox::Base& base, std::vector<char>& stack) {
        const auto own = sandbox::layoutOf(plan_);
        if (!own) return sandbox::notStarted(own.error());
        const std::vector<std::string> words = wordsOf(lease_, with_);
        const std::vector<std::string> variables = variablesOf(lease_);
        const std::string program = programOf(lease_, words.front());
        const auto argv = sandbox::pointersTo(words);
        const auto envp = sandbox::pointersTo(variables);
        const UniqueFd input = inputOf(entry_, lease_, with_);
        const UniqueFd out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 4));
        const UniqueFd err(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 4));
        sandbox::Entry entry;
        entry.base = &base;
        entry.own = &*own;
        entry.program = program.c_str();
        entry.argv = argv.data();
        entry.envp = envp.data();
        entry.cwd = plan_.cwd.c_str();
        entry.inFd = terminal_ ? terminal_->inside() : input.get();
        entry.outFd = terminal_ ? terminal_->inside() : out.get();
        entry.errFd = terminal_ ? terminal_->inside() : err.get();
        entry.hasTerminal = terminal_.has_value();
        entry.network = plan_.network;
        entry.hostUser = plan_.hostUser;
        (void)::getrlimit(RLIMIT_NOFILE, &entry.openFiles);
        entry.limits = {.openFiles = lease_.limits.openFiles,
                        .processes = lease_.limits.processes,
                        .fileBytes = lease_.limits.fileBytes,
                        .dataBytes = lease_.limits.dataBytes};
        return sandbox::start(entry, stack.data(), stack.size());
    }

    /// gdb at the process that stands still before its program; it goes on to the start of that. Until gdb ends; complains
    /// where there is no gdb, or nobody to look at.
    static void debug(const sandbox::Start& started) {
        constexpr auto kPause = std::chrono::milliseconds(10);
        constexpr int kLooks = 1'000;
        int child = 0;
        for (int look = 0; look < kLooks && (child == 0 || !isStopped(child)); ++look) {
            child = childOf(started.pid);
            std::this_thread::sleep_for(kPause);
        }
        if (child == 0) {
            complain("its program is not to be seen from outside");
            return;
        }
        const std::vector<std::string> words = {"gdb", "-q",
                                                "-p",  fmt::format("{}", child),
                                                "-ex", "handle SIGSTOP nostop noprint nopass",
                                                "-ex", "tcatch exec",
                                                "-ex", "continue"};
        pid_t gdb = -1;
        const int err = SpawnPlan(SpawnPlan::Apart::No).run(gdb, words);
        if (err != 0) {
            complain(fmt::format("cannot start gdb: {}", ::strerrordesc_np(err)));
            return;
        }
        while (::waitpid(gdb, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

    /// -1: without a limit.
    int millisecondsLeft(MonoTime until) const {
        if (with_ != EnterWith::Run || lease_.deadline <= Duration::zero()) return -1;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - MonoClock::now()).count();
        return static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, 1'000'000));
    }

    void takeSignals(const sandbox::Start& started) {
        signalfd_siginfo info{};
        while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
            if (info.ssi_signo == SIGWINCH) {
                if (terminal_) terminal_->resize();
                continue;
            }
            const int child = wasTold_ ? 0 : childOf(started.pid);
            if (child > 0)
                (void)::kill(child, static_cast<int>(info.ssi_signo));
            else
                host::signalProcess(started.pidfd.get(), SIGKILL);
            wasTold_ = true;
        }
    }

    int wait(sandbox::Start& started) {
        const MonoTime until = MonoClock::now() + lease_.deadline;
        bool isPassing = terminal_.has_value();
        for (;;) {
            const auto none = std::array<pollfd, 2>{{{-1, 0, 0}, {-1, 0, 0}}};
            const auto passing = isPassing ? terminal_->waits() : none;
            std::array<pollfd, 4> fds{
                {{started.pidfd.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, passing[0], passing[1]}};
            const int ready = ::poll(fds.data(), fds.size(), millisecondsLeft(until));
            if (ready < 0) continue;
            if (millisecondsLeft(until) == 0) {
                complain(fmt::format("it is over its deadline of {} s", inSeconds(lease_.deadline)));
                host::signalProcess(started.pidfd.get(), SIGKILL);
                break;
            }
            if (fds[1].revents != 0) takeSignals(started);
            const bool isOutput = (fds[3].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
            if (isPassing && (fds[3].revents != 0 || fds[2].revents != 0))
                isPassing = terminal_->pass(std::span<const pollfd, 2>(fds.data() + 2, 2));
            if (fds[0].revents != 0 && !(isPassing && isOutput)) break;
        }
        const siginfo_t end = reapChild(started.pidfd.get());
        const sandbox::Told told = sandbox::readRecords(started.records.get());
        terminal_.reset();
        for (const sandbox::Denied& denied : told.denied)
            std::fputs(fmt::format("yardmaster: denied: {} {}\n", denied.call, denied.path).c_str(), stderr);
        if (told.signal) return kSignalled + *told.signal;
        return end.si_code == CLD_EXITED ? end.si_status : kSignalled + end.si_status;
    }

    Entry& entry_;
    runners::Lease& lease_;
    const EnterWith with_;
    const UniqueFd signals_;
    sandbox::Plan plan_;
    std::optional<EnteredTerminal> terminal_;
    bool wasTold_ = false;
};

} // namespace

int enter(const std::string& directory, EnterWith with) {
    auto entry = readEntry(directory);
    if (!entry) return complain(entry.error().message);
    runners::Lease lease = leaseOf(*entry);
    for (const std::string& name : entry->lacking)
        complain(fmt::format("the value of {} is not kept, and it is not set here: give it in your shell", name));
    return lease.sandbox ? Sandboxed(*entry, lease, with).run() : becomeProgram(*entry, lease, with);
}

} // namespace yard::app
