// The order that people give what waits in a queue: to the top, up, down, to the bottom, before another one. The session
// plans a move, the journal has it, then the session carries it out and it is answered.
//
// Owner: engine thread. Lifetime: after the selection, the queues and the change log. Invariant: one move at a time, so
// that what is planned is what is carried out.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/selection.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/views.h"
#include "core/session/place_commands.h"
#include "core/session/session.h"
#include "core/store/journal.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace yard::engine {

/// What is to be moved: these, or all that are pending and match.
struct MoveRequest {
    std::vector<Lsn> lsns;
    std::optional<ListQuery> which{}; ///< instead; order, limit and cursor mean nothing here
    session::MoveTo to{};
};
struct MoveAnswer {
    std::int64_t moved = 0;                       ///< of those that were meant, also those that were there already
    std::int64_t changed = 0;                     ///< got another place
    std::optional<QueueId> queue{};               ///< of all of them; nothing: none waits
    std::optional<std::int64_t> place{};          ///< of the first of them, now
    std::vector<std::pair<Lsn, Error>> refused{}; ///< of those that were named
};

class Moving {
public:
    struct Parts {
        session::Session& session;
        Queues& queues;
        Selection& selection;
        JournalReads& journal;
        /// Posted when this returns, answered once the journal has it.
        std::function<std::unique_ptr<coro::OneShot<store::AckDetail>>(store::Action)> post;
        std::function<void()> wake; ///< there is something for the next turn
    };
    explicit Moving(Parts parts)
        : parts_(std::move(parts)) {}

    /// Invalid, AtLimit, and NotFound or WrongState of the one to be moved before. A move of more than
    /// store::kMostAtOnce is kept in parts: after a kill some of it may be there, if it was not answered.
    coro::Task<Result<MoveAnswer>> move(MoveRequest request);

private:
    coro::Task<Result<std::vector<Lsn>>> choose(ListQuery which);
    coro::Task<void> nameUnknown(std::vector<std::pair<Lsn, Error>>& refused);
    coro::Task<Result<void>> keep(const std::vector<session::MovePlan::Placed>& placed);

    Parts parts_;
    coro::Mutex mutex_;
    OwnerCheck owner_;
};

} // namespace yard::engine
