// An action in the words of a link: what another machine needs to run it. Pure; any thread.
#pragma once

#include "core/base/error.h"
#include "core/engine/state/worker_registry.h"
#include "core/lease/runner.h"
#include "core/link/bodies.h"
#include "core/model/action_spec.h"

namespace yard::engine {

/// Spec, inputs and amounts; who sends it adds the rest. `lease`: its environment, with the values that the journal does
/// not keep. `memoryMb`: what is set aside for it, which its kind may have said. `worker`: null for a command. Of a worker
/// the words have its id alone: descriptor and files are chunks that the machine asks for. Invalid: it can run on this
/// machine only; the sentence says why.
Result<link::Lease> wordsOf(const ActionSpec& spec, const runners::Lease& lease, std::int64_t memoryMb,
                            const RegisteredWorker* worker = nullptr);

} // namespace yard::engine
