// An attempt as a directory in which it can be run again without an engine: inputs, worker, what was asked, limits, and
// scripts that enter the same sandbox. Reads from the engine, writes only what is new. Blocks. One thread.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "app/yardctl/named_attempt.h"
#include "app/yardctl/new_directory.h"
#include "core/model/action_spec.h"
#include "core/model/worker.h"

#include <memory>
#include <string>

namespace yard::ctl {

/// Which files `yardmaster --enter` reads in such a directory (docs/reproduce.md).
class Reproduction {
public:
    /// Asks the engine for all that is known. Fails where the action as it was posted, or its worker, is not kept.
    static Outcome<Reproduction> of(Engine& engine, NamedAttempt named);

    /// Writes it. Where that fails, what was written until then stays.
    Outcome<void> writeTo(Engine& engine, const NewDirectory& directory) const;
    /// With the attempt that is meant.
    NamedAttempt named() const { return named_; }

private:
    Outcome<void> readAction(Engine& engine);
    Outcome<void> readWorker(Engine& engine);
    Outcome<void> readLimits(Engine& engine);
    Outcome<void> writeChunks(Engine& engine, const NewDirectory& directory) const;
    std::string enterFile() const;
    std::string actionFile() const;
    std::string readme() const;

    NamedAttempt named_;
    json::object attempt_; ///< of GET jobs/{lsn}/attempts/{n}
    std::string posted_;   ///< JSON of the action, of an element that alone
    std::shared_ptr<const ActionSpec> spec_;
    std::string worker_; ///< JSON of the descriptor; empty: an exec
    std::shared_ptr<const WorkerDescriptor> descriptor_;
    std::string machine_;
    bool sandboxed_ = false;
    bool network_ = false;
    std::int64_t memoryMb_ = 0; ///< of each process; 0: no limit
    std::int64_t tmpMb_ = 0;
};

} // namespace yard::ctl
