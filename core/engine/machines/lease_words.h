// An action in the words of a link: what another machine needs to run it. Pure; any thread.
#pragma once

#include "core/base/error.h"
#include "core/lease/runner.h"
#include "core/link/bodies.h"
#include "core/model/action_spec.h"

namespace yard::engine {

/// Spec, inputs and amounts; who sends it adds the rest. `lease`: its environment, with the values that the journal does
/// not keep. `memoryMb`: what is set aside for it, which its kind may have said. Invalid: it can run on this machine
/// only; the sentence says why.
Result<link::Lease> wordsOf(const ActionSpec& spec, const runners::Lease& lease, std::int64_t memoryMb);

} // namespace yard::engine
