// Programs in sandboxes.
#include "core/launcher/launcher_memory.h"
#include "core/launcher/program_starter.h"
#include "core/launcher/status_file.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace yard::runners {
namespace {

SpawnStep stepOf(sandbox::Step step) {
    if (step == sandbox::Step::Exec) return SpawnStep::Exec;
    return step == sandbox::Step::ChangeDirectory ? SpawnStep::ChangeDirectory : SpawnStep::Sandbox;
}

std::string sentenceOf(const sandbox::Start& started, const sandbox::Plan& plan, const std::string& program) {
    if (started.failed == sandbox::Step::ChangeDirectory)
        return describeFailure({SpawnStep::ChangeDirectory, started.err, {}, {}}, program, plan.cwd, {});
    const char* why = std::strerror(started.err); // NOLINT(concurrency-mt-unsafe): glibc's is per thread
    if (started.failed == sandbox::Step::Exec) {
        SpawnFailure exec{SpawnStep::Exec, started.err, sandbox::outsideOf(plan, program), {}};
        if (started.err == ENOENT && exec.path == program && !program.starts_with("/usr/") &&
            !program.starts_with("/bin/"))
            return fmt::format("the program '{}' is not there in the sandbox, which shows the system's directories "
                               "and the action's own files only",
                               program);
        return describeFailure(exec, program, plan.cwd, {});
    }
    return fmt::format("its sandbox could not be made: to {} failed: {}", started.doing, why);
}

} // namespace

SpawnFailure ProgramStarter::failureOf(SlotChild& child, const sandbox::Start& started,
                                       const std::string& program) {
    SpawnFailure failure{stepOf(started.failed), started.err, program, {}};
    // The sentence looks at the program. Of one that is given up nobody reads it.
    if (lookAt(child, sandbox::outsideOf(*child.plan, program)))
        failure.message = sentenceOf(started, *child.plan, program);
    return failure;
}

SpawnFailure ProgramStarter::launchSandboxed(SlotChild& child, const std::string& program, int outFd, int errFd) {
    const Lease& lease = child.lease;
    if (!*shared_.sandbox)
        return {SpawnStep::Sandbox, shared_.sandbox->error().sysErrno, program,
                "no sandbox can be made: " + shared_.sandbox->error().message};
    const sandbox::Plan& plan = *child.plan;
    const auto own = sandbox::layoutOf(plan);
    if (!own)
        return {SpawnStep::Sandbox, own.error().sysErrno, program,
                "its sandbox could not be made: " + own.error().message};
    const std::vector<std::string> variables = environment_.inside(lease);
    // It does not see the file: that is not to say what the one before it in its slot said.
    (void)makeStatusFile(fmt::format("{}/status/{}", shared_.dataDir, child.slot.value));

    sandbox::Entry entry;
    entry.base = &**shared_.sandbox;
    entry.own = &*own;
    entry.program = program.c_str();
    entry.argv = pointersTo(lease.argv, child.workspace->argv);
    entry.envp = pointersTo(variables, child.workspace->envp);
    entry.cwd = plan.cwd.c_str();
    entry.inFd = child.terminal ? child.terminal.get() : lease.input ? lease.input->get() : shared_.nullFd;
    entry.hasTerminal = static_cast<bool>(child.terminal);
    entry.outFd = outFd;
    entry.errFd = errFd;
    if (lease.socket) entry.socketFd = lease.socket->get();
    if (lease.tokens) entry.tokensFd = lease.tokens->get();
    entry.network = plan.network;
    entry.hostUser = plan.hostUser;
    entry.openFiles = shared_.openFiles;
    entry.limits = {.openFiles = lease.limits.openFiles,
                    .processes = lease.limits.processes,
                    .fileBytes = lease.limits.fileBytes,
                    .dataBytes = lease.limits.dataBytes};
    entry.mayClone = [&] {
        if (!starts_.mayClone(child.start)) return false;
        child.looksAt.clear();
        if (shared_.groups)
            entry.groupFd = shared_.groups->take(child.slot, plan.memoryBytes,
                                                 lease.limits.processes == 0 ? 0 : lease.limits.processes + 1);
        return true;
    };
    child.peakBefore = peakBefore();
    sandbox::Start started = sandbox::start(entry, child.workspace->stack.base(), child.workspace->stack.size());
    child.lease.socket.reset();
    child.lease.input.reset();
    child.lease.tokens.reset();
    if (started.failed != sandbox::Step::None) return failureOf(child, started, program);
    child.pid = started.pid;
    child.pidfd = std::move(started.pidfd);
    child.records = std::move(started.records);
    child.network = std::move(started.network);
    return {};
}

} // namespace yard::runners
