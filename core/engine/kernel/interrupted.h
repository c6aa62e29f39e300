// Attempts that lived, or may have lived, when the last engine died: found and ended at the start, before anything else,
// and put back to Pending once the journal is read.
//
// Owner: the thread that opens the engine, then the engine thread (find()). A value.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/lease/slots.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::runners {
class RunnerSource;
}
namespace yard::store {
class DataDirectory;
}

namespace yard::engine {

class InterruptedAttempts {
public:
    struct Attempt {
        std::uint32_t number = 0;
        WallMicros started = 0;
        bool warm = false; ///< of a warm worker
    };

    /// Of one action the newest attempt counts; of the same one what was said last.
    void add(std::span<const runners::SlotEntry> entries, bool warm);
    /// The one of an action that had so many attempts by what the journal knows. Null: none, or its end was committed
    /// and its entry was not freed any more: the next attempt then has another number.
    const Attempt* find(Lsn lsn, std::uint32_t attempts) const;
    /// Names of the streams that they may have left; processes of warm workers have others.
    const std::vector<std::string>& streams() const { return streams_; }

private:
    std::unordered_map<Lsn, Attempt> newest_;
    std::vector<std::string> streams_;
};

/// Ends everything that an earlier engine left alive, here and at the other runners. Blocks.
Result<InterruptedAttempts> endInterrupted(const store::DataDirectory& directory,
                                           std::span<const std::shared_ptr<runners::RunnerSource>> others);

} // namespace yard::engine
