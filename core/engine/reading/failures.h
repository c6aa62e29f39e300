// Failures by likeness: those that ended with the same line, but for numbers and paths, and for the same reason. The
// journal is read a page at a time, the newest first; which rows a filter means is decided here, what they have in
// common on a helper.
//
// Bounds: kMostFailures, kMostFailureGroups, kLookFor; an answer that left something out says so. One answer is made at
// a time; kMostWaiting wait for it.
//
// Owner: engine thread. Lifetime: after the selection, the mutes and the helpers.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/failure_tally.h"
#include "core/engine/reading/selection.h"
#include "core/engine/state/failure_mutes.h"
#include "core/engine/state/failures_view.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace yard::engine {

class Failures {
public:
    static constexpr int kMostWaiting = 8;
    /// From when its turn comes.
    static constexpr Duration kLookFor{2'000'000};

    struct Parts {
        const InternTable& dictionary;
        Selection& selection;
        JournalReads& journal;
        FailureMutes& mutes;
        coro::HelperPool& helpers;
        std::string machineName;
        std::function<MonoTime()> now;
        std::function<WallMicros()> wall;
        std::int64_t most = kMostFailures;
    };
    explicit Failures(Parts parts)
        : parts_(std::move(parts)) {}

    /// Busy: too many ask, or the journal cannot be read now. NotFound: the queue. AtLimit: see
    /// Selection::lookUp().
    coro::Task<Result<FailureGroups>> groups(FailureQuery query);
    /// The same of one group, with its counts. NotFound: nothing failed so.
    coro::Task<Result<FailureDetail>> detail(FailureQuery query, std::string group);

private:
    coro::Task<FailureTally::Names> names();
    /// Made by the one whose turn it is. False: not all was looked at.
    coro::Task<Result<bool>> walk(FailureQuery query, std::shared_ptr<FailureTally> tally);

    Parts parts_;
    coro::Mutex mutex_;
    int asking_ = 0;
    OwnerCheck owner_;
};

} // namespace yard::engine
