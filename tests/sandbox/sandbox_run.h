// Small programs in real sandboxes, started as the launcher does it. Owner: the thread of the test, which has all
// signals blocked from open() on.
#pragma once

#include "core/base/files.h"
#include "core/sandbox/enter.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace yard::test {

using namespace yard::sandbox;

/// What a program did.
struct Run {
    Step failed = Step::None;
    std::string doing;
    int err = 0;
    int code = 0;
    std::string out;
    Told told;
};

class SandboxRun {
protected:
    /// Once, before any other.
    void open();
    /// Files and plan for a test.
    void makeAnew();
    Run run(const std::string& script, Limits limits = {});
    Run runProgram(const char* program, std::vector<std::string> arguments, Limits limits = {}, int socket = -1);
    Start begin(const char* program, const std::vector<std::string>& arguments, const Limits& limits, int out,
                int socket);
    std::unique_ptr<QTemporaryDir> directory_;
    std::string root_;
    std::optional<Base> base_;
    Plan plan_;
    int tokens_ = -1; ///< pipe of a jobserver
    std::vector<char> stack_ = std::vector<char>(64u << 10);
};

inline void SandboxRun::open() {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM); // the test's own limit
    ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
    auto base = Base::open();
    QVERIFY2(base, base ? "" : base.error().message.c_str());
    base_.emplace(std::move(*base));
}

inline void SandboxRun::makeAnew() {
    directory_ = std::make_unique<QTemporaryDir>();
    root_ = directory_->path().toStdString();
    QVERIFY(makeDirectories(root_ + "/inputs", 0755));
    QVERIFY(makeDirectories(root_ + "/outputs", 0755));
    QVERIFY(writeFileAtomically(root_ + "/inputs/in", "given\n", 0444));
    plan_ = {};
    plan_.tmpBytes = 1u << 20;
    plan_.hostUser = hostUserOf(3);
    plan_.binds = {{root_ + "/inputs", "/inputs"}, {root_ + "/outputs", "/outputs", true}};
    if (plan_.hostUser != 0) QCOMPARE(::chown((root_ + "/outputs").c_str(), plan_.hostUser, plan_.hostUser), 0);
}

inline Start SandboxRun::begin(const char* program, const std::vector<std::string>& arguments, const Limits& limits,
                               int out, int socket) {
    const auto own = layoutOf(plan_);
    if (!own) return {};
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    char path[] = "PATH=/usr/bin:/bin";
    char* envp[] = {path, nullptr};
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    Entry entry;
    entry.base = &*base_;
    entry.own = &*own;
    entry.program = program;
    entry.argv = argv.data();
    entry.envp = envp;
    entry.cwd = plan_.cwd.c_str();
    entry.inFd = null.get();
    entry.outFd = entry.errFd = out;
    entry.socketFd = socket;
    entry.tokensFd = tokens_;
    entry.network = plan_.network;
    entry.hostUser = plan_.hostUser;
    ::getrlimit(RLIMIT_NOFILE, &entry.openFiles);
    entry.limits = limits;
    return start(entry, stack_.data(), stack_.size());
}

inline Run SandboxRun::runProgram(const char* program, std::vector<std::string> arguments, Limits limits,
                                  int socket) {
    Run run;
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) return run;
    const UniqueFd reader(pipe[0]);
    UniqueFd writer(pipe[1]);
    Start started = begin(program, arguments, limits, writer.get(), socket);
    writer.reset();
    run.failed = started.failed;
    run.doing = started.doing;
    run.err = started.err;
    if (started.failed != Step::None) return run;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(reader.get(), buffer.data(), buffer.size())) > 0;)
        run.out.append(buffer.data(), static_cast<std::size_t>(n));
    siginfo_t info{};
    while (::waitid(P_PIDFD, static_cast<id_t>(started.pidfd.get()), &info, WEXITED) != 0 && errno == EINTR) {
    }
    run.code = info.si_code == CLD_EXITED ? info.si_status : -info.si_status;
    run.told = readRecords(started.records.get());
    if (run.told.isNetworkUnused) base_->networks().giveBack(std::move(started.network));
    return run;
}

inline Run SandboxRun::run(const std::string& script, Limits limits) {
    return runProgram("/bin/sh", {"sh", "-c", script}, limits);
}

} // namespace yard::test
