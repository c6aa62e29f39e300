// The part of a spawner that starts programs.
#include "core/runners/launcher_child.h"
#include "core/runners/launcher_spawner.h"
#include "core/runners/process_tree.h"
#include "core/runners/recovery.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::runners {

/// The failure, if it does not run now.
SpawnFailure Spawner::tryToStart(Child& child) {
    const std::string_view path = searchPath(child.lease);
    const std::string& wanted = child.lease.argv.front();
    const std::string& cwd = child.lease.cwd;
    child.reached = SpawnStep::None;
    SpawnFailure failure;
    if (shared_.silent->contains(cwd, child.ended.times.submitting)) {
        failure = {SpawnStep::ChangeDirectory, ETIMEDOUT, cwd};
    } else if (const Lookup found = lookUpProgram(wanted, path, cwd); found.err != 0) {
        failure = {SpawnStep::Lookup, found.err, wanted};
    } else {
        UniqueFd outWrite;
        UniqueFd errWrite;
        if (!openPipes(child, outWrite, errWrite))
            failure = {SpawnStep::Pipe, errno, wanted};
        else
            failure = launch(child, found.path, outWrite.get(), errWrite.get());
    }
    if (failure.step != SpawnStep::None && failure.message.empty())
        failure.message = describeFailure(failure, wanted, cwd, path);
    return failure;
}

/// Its child was killed, or is now: it does not run whatever came of its start.
SpawnFailure Spawner::givenUp(Child& child, SpawnFailure failure) {
    if (failure.step == SpawnStep::None) {
        signalProcess(child.pidfd.get(), SIGKILL);
        siginfo_t info{};
        while (::waitid(P_PIDFD, static_cast<id_t>(child.pidfd.get()), &info, WEXITED) != 0 && errno == EINTR) {
        }
        child.pidfd.reset();
        child.records.reset();
        child.network = {};
    }
    const bool isDirectory = child.reached == SpawnStep::ChangeDirectory;
    const std::string& silent = isDirectory ? child.lease.cwd : child.lease.argv.front();
    const MonoTime now = MonoClock::now();
    if (isDirectory && now - child.ended.times.submitting >= kLongestStart) shared_.silent->add(silent, now);
    failure = {isDirectory ? SpawnStep::ChangeDirectory : SpawnStep::Exec, ETIMEDOUT, silent};
    failure.message = describeFailure(failure, child.lease.argv.front(), child.lease.cwd, {});
    return failure;
}

std::string_view Spawner::searchPath(const Lease& lease) const {
    std::string_view path = "/usr/local/bin:/usr/bin:/bin";
    for (const std::string& entry : shared_.environment)
        if (entry.starts_with("PATH=")) path = std::string_view(entry).substr(5);
    for (const auto& [name, value] : lease.env)
        if (name == "PATH") path = value;
    return path;
}

bool Spawner::openPipes(Child& child, UniqueFd& outWrite, UniqueFd& errWrite) {
    int out[2];
    int err[2];
    if (::pipe2(out, O_CLOEXEC) != 0) return false;
    child.out.pipe.reset(out[0]);
    outWrite.reset(out[1]);
    if (::pipe2(err, O_CLOEXEC) != 0) return false;
    child.err.pipe.reset(err[0]);
    errWrite.reset(err[1]);
    child.out.where = child.err.where = Flow::Where::Here;
    return true;
}

std::vector<std::string> Spawner::ownVariables(const Lease& lease) const {
    std::vector<std::string> own;
    own.reserve(lease.env.size() + 2);
    own.push_back(fmt::format("{}={}", kOwnerVariable, shared_.ownerToken));
    own.push_back(fmt::format("{}={}", kLsnVariable, lease.id.lsn.value));
    for (const auto& [name, value] : lease.env)
        if (name != kOwnerVariable && name != kLsnVariable) own.push_back(fmt::format("{}={}", name, value));
    return own;
}

void Spawner::fillArguments(const Lease& lease) {
    argv_.clear();
    for (const std::string& arg : lease.argv) argv_.push_back(const_cast<char*>(arg.c_str()));
    argv_.push_back(nullptr);
}

SpawnFailure Spawner::launch(Child& child, const std::string& program, int outFd, int errFd) {
    if (child.lease.sandbox) return launchSandboxed(child, program, outFd, errFd);
    const Lease& lease = child.lease;
    fillArguments(lease);
    const std::vector<std::string> own = ownVariables(lease);
    envp_.clear();
    const auto isReplaced = [&](const std::string& entry) {
        return std::ranges::any_of(lease.env, [&](const auto& variable) {
            const std::string& name = variable.first;
            return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
        });
    };
    for (const std::string& entry : shared_.environment)
        if (lease.env.empty() || !isReplaced(entry)) envp_.push_back(const_cast<char*>(entry.c_str()));
    for (const std::string& entry : own) envp_.push_back(const_cast<char*>(entry.c_str()));
    envp_.push_back(nullptr);

    ChildPlan plan;
    plan.program = program.c_str();
    plan.argv = argv_.data();
    plan.envp = envp_.data();
    plan.cwd = lease.cwd.c_str();
    plan.nullFd = shared_.nullFd;
    plan.outFd = outFd;
    plan.errFd = errFd;
    plan.openFiles = shared_.openFiles;
    plan.parentPid = shared_.pid;
    plan.limits = lease.limits;
    if (lease.socket) plan.socketFd = lease.socket->get();
    ChildStart started = startChild(plan, stack_);
    child.reached = started.reached;
    // Only the process has it from now on: its end is the end of the stream.
    child.lease.socket.reset();
    if (started.failedStep != SpawnStep::None) {
        const bool directory = started.failedStep == SpawnStep::ChangeDirectory;
        return {started.failedStep, started.err, directory ? child.lease.cwd : program, {}};
    }
    child.pid = started.pid;
    child.pidfd = std::move(started.pidfd);
    return {};
}

} // namespace yard::runners
