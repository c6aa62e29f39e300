// What one action has beside its row: the spec as it was posted, samples of what it used, its output while it grows and
// afterwards, and its terminal while it runs.
//
// Owner: engine thread. Lifetime: after the rows.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/running/attempt.h"
#include "core/engine/running/terminal.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/views.h"
#include "core/session/session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class ActionDetails {
public:
    struct Parts {
        const session::Session& session;
        const InternTable& dictionary;
        ActionRows& rows;
        JournalReads& journal;
        std::function<const Attempt*(Lsn)> attempt; ///< null: none is under way
        /// See Execution::follow() and progress().
        std::function<std::shared_ptr<LiveStreams>(Lsn, std::uint32_t attempt, unsigned stream)> follow;
        std::function<coro::ConditionVariable&()> progress;
        std::function<MonoTime()> now; ///< of the loop on which it waits
    };
    explicit ActionDetails(Parts parts)
        : parts_(std::move(parts)) {}

    /// `element`: of an array that one alone. NotFound: also when it is not kept any more.
    coro::Task<Result<std::string>> spec(Lsn lsn, bool element);
    /// Of the attempt under way, else of the last one. NotFound.
    coro::Task<Result<std::vector<UsageSample>>> samples(Lsn lsn);
    /// Where the bytes are now; neither a chunk nor a path: nothing has come, ask again. `attempt` 0: the last one.
    /// NotFound.
    coro::Task<Result<StreamSource>> openStream(Lsn lsn, Stream stream, std::uint32_t attempt, bool follow);
    /// Waits a while for more than `known` bytes, or for the end of the attempt.
    coro::Task<Result<StreamProgress>> awaitStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                   std::uint64_t known);
    // --- terminals. NotFound, or WrongState when it has none now.
    coro::Task<Result<void>> typeInto(Lsn lsn, std::string keys);
    coro::Task<Result<void>> resizeTerminal(Lsn lsn, TerminalSize size);
    /// How many of these live and have one.
    coro::Task<std::int64_t> withTerminal(std::vector<Lsn> lsns);

private:
    coro::Task<Result<std::shared_ptr<Terminal>>> terminalOf(Lsn lsn);

    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
