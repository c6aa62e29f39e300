#include "core/engine/running/sandboxing.h"

#include "core/base/log.h"
#include "core/host/machine.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr std::string_view kHowElse =
    "Allow what is missing, or start the engine with --no-sandbox, which runs workers "
    "with the rights of the engine's user.";

} // namespace

Sandboxing::Sandboxing(bool forWorkers)
    : forWorkers_(forWorkers)
    , machineMemoryMb_(host::memoryOfMachine())
    , support_(sandbox::probe())
    , view_(std::make_shared<const SessionView::Sandbox>(describe())) {
    for (const sandbox::Part& part : support_.parts)
        if (!part.holds) logWarning("sandbox", "{}: {}", part.name, part.why);
    if (forWorkers_ && !support_.isComplete())
        logWarning("sandbox", "registered workers are refused, as they cannot be kept in a sandbox. {}", kHowElse);
    if (!forWorkers_)
        logWarning("sandbox", "started with --no-sandbox: registered workers run with the rights of this user, and "
                              "can read what it can, this engine's token included");
}

Result<void> Sandboxing::checkWorker() const {
    if (!forWorkers_ || support_.isComplete()) return {};
    return fail(ErrorKind::WrongState,
                fmt::format("Workers run in a sandbox, and this machine does not allow one ({}) {}", support_.why(),
                            kHowElse));
}

Result<void> Sandboxing::checkExec() const {
    if (support_.isComplete()) return {};
    return fail(
        ErrorKind::WrongState,
        fmt::format("It asks for a sandbox, and this machine does not allow one ({}) Allow what is missing, or "
                    "leave \"sandbox\" out.",
                    support_.why()));
}

SessionView::Sandbox Sandboxing::describe() const {
    SessionView::Sandbox view;
    view.holds = support_.isComplete();
    view.workers = forWorkers_ && view.holds;
    if (!forWorkers_)
        view.why = "It was started with --no-sandbox: registered workers run with the rights of the engine's user.";
    else if (!view.holds)
        view.why = fmt::format("Registered workers are refused: {}", support_.why());
    for (const sandbox::Part& part : support_.parts) view.parts.push_back({part.name, part.holds, part.why});
    if (view.holds) {
        view.notes.emplace_back(
            "Memory is limited for each process by the kernel, and for all of an action by looks "
            "at it, up to ten a second.");
        view.notes.emplace_back("What is written to outputs/ counts against the disk until it is collected.");
    }
    return view;
}

sandbox::Policy Sandboxing::policy(const Settings& settings) const {
    const std::int64_t share = settings.guardHold > 0   ? settings.guardHold
                               : settings.guardStop > 0 ? settings.guardStop
                                                        : 100;
    const std::int64_t rest = machineMemoryMb_ * share / 100;
    return {.networkAllowed = settings.sandboxNetwork == "asked",
            .defaultMemoryMb = settings.defaultMemoryMb > 0 ? settings.defaultMemoryMb : rest,
            .tmpMb = settings.sandboxTmpMb};
}

WorkerLimits allowedLimits(WorkerLimits asked, const Settings& settings) {
    asked.processes = std::min(asked.processes, settings.maxProcesses);
    asked.openFiles = std::min(asked.openFiles, settings.maxOpenFiles);
    const bool isBounded = asked.outputBytes > 0 && asked.outputBytes < settings.maxOutputBytes;
    if (!isBounded) asked.outputBytes = settings.maxOutputBytes;
    return asked;
}

} // namespace yard::engine
