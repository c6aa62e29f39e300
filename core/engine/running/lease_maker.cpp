#include "core/engine/running/lease_maker.h"

#include "core/engine/running/given_environment.h"
#include "core/engine/running/gpu_environment.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <cstdint>

namespace yard::engine {

bool LeaseMaker::needsDirectory(const Attempt& attempt) const {
    const RegisteredWorker* worker = parts_.workers.find(classOf(attempt).workerId);
    const ActionSpec& spec = *attempt.spec;
    return worker &&
           worker->descriptor->needsDirectory(spec.function, !spec.inputs.empty() || !spec.expect.empty());
}

runners::Lease LeaseMaker::bare(const Attempt& attempt) const {
    runners::Lease lease;
    lease.argv = attempt.spec->argv;
    lease.env = attempt.spec->env;
    lease.cwd = attempt.spec->cwd.value_or("");
    // Leases of one class need the same, so a slot that runs dry may take one over from another.
    lease.group = attempt.cls.value + 1;
    return lease;
}

runners::Lease LeaseMaker::warm(const Attempt& attempt) const {
    runners::Lease lease;
    const auto group = parts_.warmGroup(classOf(attempt).workerId);
    std::string root = attempt.request ? attempt.request->directories->pathInside(attempt.id) : std::string();
    lease.warm =
        runners::WarmCall{.group = group.value_or(pool::GroupId{}), .spec = attempt.spec, .root = std::move(root)};
    lease.warm->given = attempt.given;
    lease.warm->once = isLastTry(attempt);
    return lease;
}

void LeaseMaker::complete(Attempt& attempt, runners::Lease& lease) const {
    YARD_ASSERT_OWNER(owner_);
    lease.id = attempt.id;
    lease.slot = attempt.slot;
    lease.deadline = attempt.deadline = deadlineOf(attempt);
    lease.grace = parts_.settings.grace;
    lease.streamBytes = static_cast<std::uint64_t>(parts_.settings.streamBytes);
    lease.hurry = attempt.hurry;
    lease.locks = classOf(attempt).locks;
    lease.idlePriority =
        parts_.isIdlePriority && parts_.isIdlePriority(parts_.session.queues().configOf(attempt.queue));
    lease.once = parts_.isDurable && isLastTry(attempt);
    lease.engineEnv = attempt.spec->engineEnv;
    addUnkept(attempt, lease);
    addGiven(lease, attempt.given);
    addGpus(lease, gpusOf(attempt.given, parts_.gpus));
}

Duration LeaseMaker::deadlineOf(const Attempt& attempt) const {
    if (attempt.spec->deadline) return *attempt.spec->deadline;
    const QueueConfig* config = parts_.session.queues().configOf(attempt.queue);
    if (config && config->deadline) return *config->deadline;
    const RegisteredWorker* worker = parts_.workers.find(classOf(attempt).workerId);
    if (worker && worker->descriptor->deadline) return *worker->descriptor->deadline;
    return parts_.settings.deadline;
}

std::int64_t LeaseMaker::memoryLimitElsewhere(const Attempt& attempt) const {
    constexpr std::int64_t kMiB = 1 << 20;
    if (!attempt.spec) return 0;
    std::int64_t memoryMb = 0;
    if (attempt.spec->isExec())
        memoryMb = attempt.spec->sandbox && attempt.spec->resources ? attempt.spec->resources->memoryMb : 0;
    else if (const RegisteredWorker* worker = parts_.workers.find(classOf(attempt).workerId))
        memoryMb = worker->descriptor->resources.memoryMb;
    return std::min(memoryMb, INT64_MAX / kMiB) * kMiB;
}

/// One interruption more, and it is not run again.
bool LeaseMaker::isLastTry(const Attempt& attempt) const {
    const QueueConfig* config = parts_.session.queues().configOf(attempt.queue);
    if (!config) return false;
    const int most = classOf(attempt).retryLimits.interruptions.value_or(config->maxInterruptions);
    if (attempt.id.attempt <= static_cast<std::uint32_t>(most)) return false;
    const auto live = parts_.session.views().live(attempt.id.lsn);
    return live && live->retries.interruptions >= most;
}

/// The journal has their names only.
void LeaseMaker::addUnkept(Attempt& attempt, runners::Lease& lease) const {
    if (attempt.spec->unkeptEnv.empty()) return;
    const Variables* values = parts_.unkept.find(attempt.id.lsn);
    for (const std::string& name : attempt.spec->unkeptEnv) {
        const auto nameOf = [](const auto& variable) -> const std::string& { return variable.first; };
        const auto known = values ? std::ranges::find(*values, name, nameOf) : Variables::const_iterator{};
        if (values && known != values->end())
            lease.env.push_back(*known);
        else
            attempt.lacking.push_back(name);
    }
}

} // namespace yard::engine
