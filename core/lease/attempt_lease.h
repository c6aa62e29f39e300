// The lease of an attempt: its command as it is called there, with variables and limits. The engine gives it to runners, and
// `yardmaster --enter` starts by it what a reproduction has. Pure functions; any thread.
#pragma once

#include "core/lease/runner.h"
#include "core/model/action_spec.h"
#include "core/model/worker.h"
#include "core/sandbox/plan.h"

#include <memory>
#include <string>

namespace yard::runners {

/// Of a registered worker in a sandbox.
Lease sandboxedLease(const WorkerDescriptor& worker, const WorkerLimits& limits,
                     std::shared_ptr<const sandbox::Plan> plan);
/// Of an exec in one.
Lease sandboxedLease(const ActionSpec& spec, const WorkerLimits& limits, std::shared_ptr<const sandbox::Plan> plan);
/// Of a registered worker without a sandbox: `directory` has its program below worker/, and its action.json.
Lease plainLease(const WorkerDescriptor& worker, const WorkerLimits& limits, const std::string& directory);

} // namespace yard::runners
