// Whose an orphan is: a process that lost its parent and became a child of the launcher's main thread. The launcher,
// which ends it, and the engine, which counts what it uses, decide it here. Constant once made; any thread. Blocks on
// /proc.
#pragma once

#include "core/host/process_tree.h"
#include "core/lease/process_mark.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace yard::runners {

/// The first process of an attempt, or one of the warm pool.
struct FirstProcess {
    int pid = 0;          ///< 0: it does not live yet, or not any more
    std::int64_t lsn = 0; ///< 0: not known
};

class OrphanOwners {
public:
    /// Of the actions of one data directory.
    explicit OrphanOwners(std::string ownerToken)
        : ownerToken_(std::move(ownerToken))
        , marks_(ownerToken_) {}

    struct Owner {
        std::int64_t lsn = 0;                ///< 0: not known
        const FirstProcess* first = nullptr; ///< which of those given; null: none of them
    };
    /// By its mark (process_mark.h), else by the LSN in its environment, else by its session or group. Nobody's: it
    /// hides all of that.
    Owner of(const host::ProcessStat& orphan, std::span<const FirstProcess> firsts) const;

private:
    const std::string ownerToken_;
    const ProcessMarks marks_;
};

} // namespace yard::runners
