// The part of a spawner that starts programs.
#include "core/base/reap.h"
#include "core/runners/launcher_child.h"
#include "core/runners/launcher_spawner.h"
#include "core/runners/process_tree.h"
#include "core/runners/recovery.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace yard::runners {
namespace {

std::string below(const std::string& directory, const std::string& path) {
    return path.starts_with('/') ? path : directory + '/' + path;
}

/// That it starts in, or is shown in its sandbox; empty: none of its own.
const std::string& directoryOf(const Lease& lease) {
    return lease.sandbox ? lease.sandbox->asked : lease.cwd;
}

std::optional<SpawnFailure> refusedFor(SilentPaths::Refusal refusal, SpawnStep step, const std::string& path,
                                       const std::string& program = {}) {
    if (refusal == SilentPaths::Refusal::None) return {};
    SpawnFailure failure{step, ETIMEDOUT, path, {}};
    failure.message =
        refusal == SilentPaths::Refusal::Silent
            ? describeFailure(failure, program.empty() ? path : program, path, {})
            : fmt::format("it was not tried, as {} starts stand still on file systems that do not answer, and '{}' "
                          "lies on one that may not either: look at those first",
                          SilentPaths::kMostStanding, path);
    return failure;
}

} // namespace

bool Spawner::lookAt(Child& child, std::string_view path) {
    child.looksAt = path;
    return starts_.lookAt(child.start, path);
}

/// The failure, if it does not run now.
SpawnFailure Spawner::tryToStart(Child& child) {
    child.reached = SpawnStep::None;
    child.looksAt.clear();
    child.plan = child.lease.sandbox;
    if (auto refused = refusedAtOnce(child)) return std::move(*refused);
    if (auto failed = findDirectory(child)) return std::move(*failed);
    SpawnFailure failure = findAndLaunch(child);
    if (failure.step == SpawnStep::None || !failure.message.empty()) return failure;
    const std::string& cwd = child.plan ? child.plan->cwd : child.lease.cwd;
    const std::string& wanted = child.lease.argv.front();
    // One that is given up gets another sentence.
    if (failure.step == SpawnStep::Exec && !lookAt(child, below(cwd, failure.path))) return failure;
    failure.message = describeFailure(failure, wanted, cwd, searchPath(child.lease));
    return failure;
}

std::optional<SpawnFailure> Spawner::refusedAtOnce(const Child& child) const {
    const Lease& lease = child.lease;
    const std::string& directory = directoryOf(lease);
    const std::string& program = lease.argv.front();
    const MonoTime now = child.ended.times.submitting;
    if (auto refused = refusedFor(shared_.silent->refusalOf(directory, now), SpawnStep::ChangeDirectory, directory))
        return refused;
    if (lease.sandbox || program.find('/') == program.npos) return {};
    const std::string place = below(lease.cwd, program);
    return refusedFor(shared_.silent->refusalOf(place, now), SpawnStep::Exec, place);
}

/// Of an exec in a sandbox.
std::optional<SpawnFailure> Spawner::findDirectory(Child& child) {
    if (!child.plan || child.plan->asked.empty()) return {};
    auto plan = std::make_shared<sandbox::Plan>(*child.plan);
    lookAt(child, plan->asked);
    const auto found = sandbox::showDirectory(*plan, shared_.dataDir);
    if (!found)
        return SpawnFailure{SpawnStep::ChangeDirectory, found.error().sysErrno, plan->asked, found.error().message};
    child.plan = std::move(plan);
    return {};
}

SpawnFailure Spawner::findAndLaunch(Child& child) {
    const std::string& wanted = child.lease.argv.front();
    SilentPaths::Refusal refusal = SilentPaths::Refusal::None;
    const MayLookAt mayLookAt = [&](const std::string& candidate) {
        refusal = shared_.silent->refusalOf(candidate, child.ended.times.submitting);
        return refusal == SilentPaths::Refusal::None && lookAt(child, candidate);
    };
    const Lookup found =
        lookUpProgram(wanted, searchPath(child.lease), child.plan ? child.plan->cwd : child.lease.cwd, mayLookAt);
    if (auto refused = refusedFor(refusal, SpawnStep::Lookup, found.path, wanted)) return std::move(*refused);
    if (found.err != 0) return {SpawnStep::Lookup, found.err, found.err == ETIMEDOUT ? found.path : wanted};
    if (child.lease.terminal) {
        if (!openTerminal(child)) return {SpawnStep::Streams, errno, wanted};
        return launch(child, found.path, child.terminal.get(), child.terminal.get());
    }
    UniqueFd outWrite;
    UniqueFd errWrite;
    if (!openPipes(child, outWrite, errWrite)) return {SpawnStep::Pipe, errno, wanted};
    return launch(child, found.path, outWrite.get(), errWrite.get());
}

/// Of a start that was given up: it must not run, whatever came of it.
void Spawner::endProcess(Child& child) const {
    signalProcess(child.pidfd.get(), SIGKILL);
    reapChild(child.pidfd.get());
    child.pidfd.reset();
    child.records.reset();
    child.network = {};
}

/// What does not answer, as far as that can be known. `lookedAt`: beside the start of the process.
Spawner::Blame Spawner::blameFor(const Child& child, const std::string& lookedAt) {
    const Lease& lease = child.lease;
    const std::string& directory = directoryOf(lease);
    const std::string& program = lease.argv.front();
    const SpawnStep reached = child.reached.load();
    const bool isShown = lease.sandbox && !directory.empty();
    if (reached == SpawnStep::ChangeDirectory || (isShown && (lookedAt.empty() || lookedAt == directory)))
        return {SpawnStep::ChangeDirectory, directory};
    if (reached == SpawnStep::None && !lookedAt.empty() && program.find('/') == program.npos)
        return {SpawnStep::Lookup, lookedAt};
    return {SpawnStep::Exec, lookedAt.empty() ? below(lease.cwd, program) : lookedAt};
}

SpawnFailure Spawner::givenUp(const Child& child, const Blame& blame) const {
    const MonoTime now = MonoClock::now();
    if (now - child.ended.times.submitting >= kLongestStart)
        shared_.silent->add(blame.path, now, blame.step != SpawnStep::ChangeDirectory);
    return silence(child, blame);
}

SpawnFailure Spawner::silence(const Child& child, const Blame& blame) {
    SpawnFailure failure{blame.step, ETIMEDOUT, blame.path, {}};
    failure.message = describeFailure(failure, child.lease.argv.front(), blame.path, {});
    return failure;
}

std::string_view Spawner::searchPath(const Lease& lease) const {
    std::string_view path = "/usr/local/bin:/usr/bin:/bin";
    for (const std::string& entry : shared_.environment)
        if (lease.engineEnv && entry.starts_with("PATH=")) path = std::string_view(entry).substr(5);
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
    child.out.isTerminal = false;
    return true;
}

/// The other end by the master itself, whatever file systems are mounted here. What comes out of it is stdout.
bool Spawner::openTerminal(Child& child) {
    child.terminal.reset(::ioctl(child.lease.terminal->get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!child.terminal) return false;
    child.out.pipe = std::move(*child.lease.terminal);
    child.lease.terminal.reset();
    child.out.isTerminal = true;
    child.out.where = Flow::Where::Here;
    child.err.where = Flow::Where::Closed;
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

char** Spawner::pointersTo(const std::vector<std::string>& texts, std::vector<char*>& pointers) {
    pointers.clear();
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers.data();
}

SpawnFailure Spawner::launch(Child& child, const std::string& program, int outFd, int errFd) {
    if (child.lease.sandbox) return launchSandboxed(child, program, outFd, errFd);
    const Lease& lease = child.lease;
    const std::vector<std::string> own = ownVariables(lease);
    std::vector<char*>& envp = child.workspace->envp;
    envp.clear();
    const auto isReplaced = [&](const std::string& entry) {
        return std::ranges::any_of(lease.env, [&](const auto& variable) {
            const std::string& name = variable.first;
            return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
        });
    };
    for (const std::string& entry : shared_.environment)
        if (lease.engineEnv && (lease.env.empty() || !isReplaced(entry)))
            envp.push_back(const_cast<char*>(entry.c_str()));
    for (const std::string& entry : own) envp.push_back(const_cast<char*>(entry.c_str()));
    envp.push_back(nullptr);

    ChildPlan plan;
    plan.program = program.c_str();
    plan.argv = pointersTo(lease.argv, child.workspace->argv);
    plan.envp = envp.data();
    plan.cwd = lease.cwd.c_str();
    plan.inFd = child.terminal ? child.terminal.get() : lease.input ? lease.input->get() : shared_.nullFd;
    plan.hasTerminal = static_cast<bool>(child.terminal);
    plan.outFd = outFd;
    plan.errFd = errFd;
    plan.openFiles = shared_.openFiles;
    plan.parentPid = shared_.pid;
    plan.limits = lease.limits;
    plan.mark = shared_.marks.of(lease.id.lsn.value);
    if (lease.socket) plan.socketFd = lease.socket->get();
    plan.reached = &child.reached;
    if (!starts_.mayClone(child.start)) return {SpawnStep::Clone, ECANCELED, program};
    child.looksAt.clear();
    ChildStart started = startChild(plan, child.workspace->stack);
    // Only the process has them from now on: its end is the end of the stream.
    child.lease.socket.reset();
    child.lease.input.reset();
    if (started.failedStep != SpawnStep::None) {
        const bool directory = started.failedStep == SpawnStep::ChangeDirectory;
        return {started.failedStep, started.err, directory ? child.lease.cwd : program, {}};
    }
    child.pid = started.pid;
    child.pidfd = std::move(started.pidfd);
    return {};
}

} // namespace yard::runners
