// The last changes, numbered: watchers are told from them (docs/events.md). Each change is one revision and one entry
// of a ring of kKept. A watcher that has seen revision N gets the entries after N, some at a time. A watcher that is
// further behind than the ring reads everything again. Entries name what changed, not its value: values are read
// when a watcher is told, so several changes of one thing between two tellings are one.
//
// Owner: engine thread. The ring exists while somebody watches and a while after; otherwise a change costs nothing.
// Revisions count from 1 within a run of the engine and never go back, also over a time without a ring.
#pragma once

#include "core/base/ids.h"
#include "core/base/memory_ledger.h"
#include "core/coro/sync.h"
#include "core/model/states.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace yard::engine {

struct ChangeEntry {
    enum class Kind : unsigned char {
        Action,
        Ended,
        Retired,
        Annotated,
        Queue,
        Session,
        Workers,
        Machines,
        Alerts,
        Object
    };

    Lsn lsn;       ///< Action, Ended, Retired, Annotated; Object: its number, or 0 of a type
    QueueId queue; ///< Action, Ended, Queue
    std::uint32_t cls = 0;
    std::uint32_t label = 0;
    std::int32_t exitCode = 0;
    Kind kind = Kind::Action;
    ActionState state = ActionState::Pending; ///< Action, Ended
    Reason reason = Reason::None;             ///< Ended
    bool hasExitCode = false;                 ///< Ended
};
static_assert(sizeof(ChangeEntry) == 32);

class ChangeFeed {
public:
    static constexpr std::size_t kKept = 65'536;

    bool isOpen() const { return !ring_.empty(); }
    /// Begins to keep changes: what happened before is not covered.
    void open() {
        if (isOpen()) return;
        ring_.resize(kKept);
        begin_ = ++last_; // a revision of its own: who saw the one before may have missed something since
    }
    void close() { Ring().swap(ring_); }

    void note(const ChangeEntry& entry) {
        if (!isOpen()) return;
        ring_[++last_ % kKept] = entry;
        if (last_ - begin_ > kKept) begin_ = last_ - kKept;
        changed_.notifyAll();
    }
    /// The newest revision.
    std::uint64_t last() const { return last_; }
    /// Everything after `seen` is in the ring.
    bool covers(std::uint64_t seen) const { return isOpen() && seen >= begin_ && seen <= last_; }
    /// The entry of a revision that covers(revision - 1).
    const ChangeEntry& at(std::uint64_t revision) const {
        assert(revision > begin_ && revision <= last_);
        return ring_[revision % kKept];
    }
    /// Notified after each change.
    coro::ConditionVariable& changed() { return changed_; }

private:
    using Ring = std::vector<ChangeEntry, TaggedAllocator<ChangeEntry, MemoryOwner::Changes>>;
    Ring ring_;               ///< empty: nobody watches
    std::uint64_t begin_ = 0; ///< entries after this one are in the ring
    std::uint64_t last_ = 0;
    coro::ConditionVariable changed_;
};

} // namespace yard::engine
