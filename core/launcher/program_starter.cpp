#include "core/launcher/program_starter.h"

#include "core/base/reap.h"
#include "core/host/process_tree.h"
#include "core/launcher/launcher_memory.h"
#include "core/launcher/status_file.h"

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

ProgramStarter::ProgramStarter(LauncherShared& shared, StartWatch& starts)
    : shared_(shared)
    , starts_(starts)
    , environment_(shared.environment, shared.ownerToken) {}

bool ProgramStarter::lookAt(SlotChild& child, std::string_view path) {
    child.looksAt = path;
    return starts_.lookAt(child.start, path);
}

SpawnFailure ProgramStarter::start(SlotChild& child) {
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
    failure.message = describeFailure(failure, wanted, cwd, environment_.searchPath(child.lease));
    return failure;
}

std::optional<SpawnFailure> ProgramStarter::refusedAtOnce(const SlotChild& child) const {
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
std::optional<SpawnFailure> ProgramStarter::findDirectory(SlotChild& child) {
    if (!child.plan || child.plan->asked.empty()) return {};
    auto plan = std::make_shared<sandbox::Plan>(*child.plan);
    lookAt(child, plan->asked);
    const auto found = sandbox::showDirectory(*plan, shared_.dataDir);
    if (!found)
        return SpawnFailure{SpawnStep::ChangeDirectory, found.error().sysErrno, plan->asked, found.error().message};
    child.plan = std::move(plan);
    return {};
}

SpawnFailure ProgramStarter::findAndLaunch(SlotChild& child) {
    const std::string& wanted = child.lease.argv.front();
    SilentPaths::Refusal refusal = SilentPaths::Refusal::None;
    const MayLookAt mayLookAt = [&](const std::string& candidate) {
        refusal = shared_.silent->refusalOf(candidate, child.ended.times.submitting);
        return refusal == SilentPaths::Refusal::None && lookAt(child, candidate);
    };
    const Lookup found = lookUpProgram(wanted, environment_.searchPath(child.lease),
                                       child.plan ? child.plan->cwd : child.lease.cwd, mayLookAt);
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

void ProgramStarter::endProcess(SlotChild& child) const {
    host::signalProcess(child.pidfd.get(), SIGKILL);
    reapChild(child.pidfd.get());
    child.pidfd.reset();
    child.records.reset();
    child.network = {};
}

ProgramStarter::Blame ProgramStarter::blameFor(const SlotChild& child, const std::string& lookedAt) {
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

SpawnFailure ProgramStarter::givenUp(const SlotChild& child, const Blame& blame) const {
    const MonoTime now = MonoClock::now();
    if (now - child.ended.times.submitting >= kLongestStart)
        shared_.silent->add(blame.path, now, blame.step != SpawnStep::ChangeDirectory);
    return silence(child, blame);
}

SpawnFailure ProgramStarter::silence(const SlotChild& child, const Blame& blame) {
    SpawnFailure failure{blame.step, ETIMEDOUT, blame.path, {}};
    failure.message = describeFailure(failure, child.lease.argv.front(), blame.path, {});
    return failure;
}

bool ProgramStarter::openPipes(SlotChild& child, UniqueFd& outWrite, UniqueFd& errWrite) {
    int out[2];
    int err[2];
    if (::pipe2(out, O_CLOEXEC) != 0) return false;
    child.out.pipe.reset(out[0]);
    outWrite.reset(out[1]);
    if (::pipe2(err, O_CLOEXEC) != 0) return false;
    child.err.pipe.reset(err[0]);
    errWrite.reset(err[1]);
    child.out.where = child.err.where = OutputFlow::Where::Here;
    child.out.isTerminal = false;
    return true;
}

/// The other end by the master itself, whatever file systems are mounted here. What comes out of it is stdout.
bool ProgramStarter::openTerminal(SlotChild& child) {
    child.terminal.reset(::ioctl(child.lease.terminal->get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!child.terminal) return false;
    child.out.pipe = std::move(*child.lease.terminal);
    child.lease.terminal.reset();
    child.out.isTerminal = true;
    child.out.where = OutputFlow::Where::Here;
    child.err.where = OutputFlow::Where::Closed;
    return true;
}

char** ProgramStarter::pointersTo(const std::vector<std::string>& texts, std::vector<char*>& pointers) {
    pointers.clear();
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers.data();
}

SpawnFailure ProgramStarter::launch(SlotChild& child, const std::string& program, int outFd, int errFd) {
    if (child.lease.sandbox) return launchSandboxed(child, program, outFd, errFd);
    const Lease& lease = child.lease;
    std::vector<std::string> own = environment_.own(lease);
    // A warm process serves many actions.
    const std::string status = fmt::format("{}/status/{}", shared_.dataDir, child.slot.value);
    if (makeStatusFile(status) && !lease.socket) own.push_back(fmt::format("{}={}", kStatusVariable, status));
    environment_.pointTo(lease, own, child.workspace->envp);

    ChildPlan plan;
    plan.program = program.c_str();
    plan.argv = pointersTo(lease.argv, child.workspace->argv);
    plan.envp = child.workspace->envp.data();
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
    if (lease.tokens) plan.tokensFd = lease.tokens->get();
    plan.reached = &child.reached;
    if (!starts_.mayClone(child.start)) return {SpawnStep::Clone, ECANCELED, program};
    child.looksAt.clear();
    child.peakBefore = peakBefore();
    ChildStart started = startChild(plan, child.workspace->stack);
    // Only the process has them from now on: its end is the end of the stream.
    child.lease.socket.reset();
    child.lease.input.reset();
    child.lease.tokens.reset();
    if (started.failedStep != SpawnStep::None) {
        const bool directory = started.failedStep == SpawnStep::ChangeDirectory;
        return {started.failedStep, started.err, directory ? child.lease.cwd : program, {}};
    }
    child.pid = started.pid;
    child.pidfd = std::move(started.pidfd);
    return {};
}

} // namespace yard::runners
