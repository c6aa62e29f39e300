#include "core/lease/attempt_lease.h"

#include <algorithm>
#include <utility>

namespace yard::runners {

namespace {

void setLimits(Lease& lease, const WorkerLimits& limits) {
    const auto positive = [](std::int64_t value) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
    };
    lease.limits.openFiles = positive(limits.openFiles);
    lease.limits.processes = positive(limits.processes);
    lease.limits.fileBytes = positive(limits.fileBytes);
    // One file cannot be larger than all of them may be together.
    const std::uint64_t all = positive(limits.outputBytes);
    if (all != 0 && (lease.limits.fileBytes == 0 || all < lease.limits.fileBytes)) lease.limits.fileBytes = all;
    lease.limits.dataBytes = lease.sandbox->memoryBytes;
    lease.limits.noCoreFiles = true;
}

} // namespace

Lease sandboxedLease(const WorkerDescriptor& worker, const WorkerLimits& limits,
                     std::shared_ptr<const sandbox::Plan> plan) {
    Lease lease;
    lease.sandbox = std::move(plan);
    lease.cwd = lease.sandbox->cwd;
    lease.argv = {"/worker/" + worker.executable};
    lease.env = worker.environment;
    lease.env.emplace_back("YARD_ACTION", "/action.json");
    setLimits(lease, limits);
    return lease;
}

Lease sandboxedLease(const ActionSpec& spec, const WorkerLimits& limits,
                     std::shared_ptr<const sandbox::Plan> plan) {
    Lease lease;
    lease.sandbox = std::move(plan);
    lease.cwd = lease.sandbox->cwd;
    lease.argv = spec.argv;
    if (spec.cwd) lease.env.emplace_back("YARD_SCRATCH", "/");
    setLimits(lease, limits);
    return lease;
}

Lease plainLease(const WorkerDescriptor& worker, const WorkerLimits& limits, const std::string& directory) {
    Lease lease;
    lease.cwd = directory;
    lease.argv = {directory + "/worker/" + worker.executable};
    lease.env = worker.environment;
    lease.env.emplace_back("YARD_ACTION", directory + "/action.json");
    lease.limits.openFiles = static_cast<std::uint64_t>(limits.openFiles);
    lease.limits.fileBytes = static_cast<std::uint64_t>(limits.fileBytes);
    return lease;
}

} // namespace yard::runners
