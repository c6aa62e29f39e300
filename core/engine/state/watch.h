// What somebody who watches the engine asks for, and what he is told: values between the engine and those who carry
// events on (http, the window). No owner.
//
// A watcher has a position: the revision up to which he was told everything. He asks for what changed after it and
// gets values as they are now, with the revision they hold for; that is his next position. A value may be newer
// than its revision and come again. What he gets at once is bounded; with more to tell the revision is below
// `latest`.
#pragma once

#include "core/base/ids.h"
#include "core/engine/state/views.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

/// Most actions that a list or a filter watches.
inline constexpr std::size_t kMaxWatchedRows = 1'000;

/// Which actions. Immutable, shared by all who watch the same.
struct Watch {
    enum class Kind : unsigned char { Nothing, Lsns, Filter, Finished, Objects };
    Kind kind = Kind::Nothing;
    std::vector<Lsn> lsns; ///< Lsns: in order, each once, at most kMaxWatchedRows
    ListQuery filter;      ///< Filter: sort, limit and cursor do not count
    // Objects: empty means any
    std::string objectType{};
    std::string objectStatus{};
    std::string objectFields{}; ///< "field:value" with blanks between
    std::int64_t objectParent = 0;
};

/// In order, at most kMaxWatchedRows.
using KnownRows = std::vector<Lsn>;

struct WatchRequest {
    std::shared_ptr<const Watch> watch;
    std::uint64_t seen = 0; ///< the watcher's position
    /// Begin again: session, workers and all queues. `seen` does not matter then, unless `afterQueue` is set.
    bool everything = false;
    /// Go on with the queues of `everything`, after this one; `seen` is the revision of its first part.
    std::optional<QueueId> afterQueue;
    /// All rows of the watch, not only those that changed.
    bool allRows = false;
    std::shared_ptr<const KnownRows> known; ///< Filter: the rows that he has
};

/// One action that ended, for those who watch all ends.
struct FinishedRow {
    Lsn lsn;
    QueueId queue;
    ActionState state = ActionState::Completed;
    Reason reason = Reason::None;
    std::optional<int> exitCode;
};

struct WatchUpdate {
    enum class Kind : unsigned char {
        Told,
        Lost, ///< too far behind: ask for everything
        Later ///< the answer had no room for it: ask again, first
    };
    Kind kind = Kind::Told;
    std::uint64_t seq = 0; ///< his position after this
    bool counts = false;
    bool session = false;
    bool workers = false;
    bool alerts = false; ///< some were told, or their rules are others
    bool machines = false;
    bool types = false;      ///< of objects, or how many there are of some
    bool moreQueues = false; ///< of `everything`: go on after the last of `queues`
    std::vector<QueueId> queues;
    std::vector<QueueId> goneQueues;
    std::vector<Lsn> rows;     ///< in Collected::rows
    std::vector<Lsn> goneRows; ///< retired, or no longer in the filter
    std::vector<FinishedRow> finished;
    std::vector<std::int64_t> objects; ///< Objects: those that changed, whatever they are now
};

/// Answers to several watchers, with the values they refer to.
struct WatchedChanges {
    std::uint64_t latest = 0;
    SessionView session;
    std::vector<std::string> workers; ///< ids; filled when an update has `workers`
    std::map<QueueId, QueueView> queues;
    std::map<Lsn, ActionResult> rows; ///< without attempts
    std::vector<WatchUpdate> updates; ///< one for each request, in their order
};

} // namespace yard::engine
