// A runner beside this machine, as the engine comes by it: first what an earlier engine had out there, then the runner.
//
// Owner: recover() on the thread that opens the engine, start() on the engine thread. Lifetime: outlives the engine.
#pragma once

#include "core/base/error.h"
#include "core/lease/runner.h"
#include "core/lease/slots.h"

#include <memory>
#include <string_view>
#include <vector>

namespace yard::runners {

class RunnerSource {
public:
    virtual ~RunnerSource() = default;
    /// For logs.
    virtual std::string_view name() const = 0;
    /// Attempts of one core that it runs at once: the first slots of its runner. There may be none for others.
    virtual unsigned cores() const = 0;
    /// At a start, before anything else: ends what an earlier engine left alive there. Returns the attempts that lived,
    /// or may have lived: each counts one interruption `engine_died` unless the journal holds it. Blocks.
    virtual Result<std::vector<SlotEntry>> recover() = 0;
    /// Once the journal has what recover() told: from now on it may be forgotten there.
    virtual Result<std::unique_ptr<Runner>> start(UpdateSink sink) = 0;
};

} // namespace yard::runners
