// What work has used of the machine, and what of it was for nothing: sums over the attempts that the journal keeps.
// The journal is read by the reader thread, a portion at a time, and summed there; a helper puts the rows in order.
// Beside the numbers of the classes nothing is looked at here.
//
// Owner: engine thread. Lifetime: after the dictionary, the journal and the helpers. One sum is made at
// a time; kMostWaiting wait for it.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/accounting_sums.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class Accounting {
public:
    static constexpr int kMostWaiting = 8;
    struct Parts {
        const InternTable& dictionary;
        JournalReads& journal;
        coro::HelperPool& helpers;
        std::string machineName;
        std::function<std::int64_t()> ended; ///< how many actions ever did, by the counters of queues
        std::function<WallMicros()> now;
    };
    explicit Accounting(Parts parts)
        : parts_(std::move(parts)) {}

    /// Busy: too many ask, or the journal cannot be read now.
    coro::Task<Result<AccountingView>> view(AccountingQuery query);

private:
    coro::Task<std::vector<AccountingSums::Class>> classes();
    coro::Task<Result<void>> countRetired(AccountingView& view);
    coro::Task<Result<AccountingView>> make(AccountingQuery query);

    Parts parts_;
    coro::Mutex mutex_;
    int asking_ = 0;
    OwnerCheck owner_;
};

} // namespace yard::engine
