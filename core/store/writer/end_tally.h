// Private to core/store: what the ends of actions add up to: the counters of queues and folds, how many finished
// actions are kept, and the ring of those that finished last. The writer's thread.
#pragma once

#include "core/base/ids.h"
#include "core/model/states.h"
#include "core/store/schema.h"
#include "core/store/writer/fold_rows.h"
#include "core/store/writer/statement_maker.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace yard::store {

/// Purpose: one write per group instead of one per end. What the operations of a group tell is gathered, written by
/// write() before the commit, and taken over by committed() after it.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection outlives it.
/// Invariant: the ring in memory is the committed one. What is gathered and not committed goes with clear(), and
/// back to mark() with backToMark(), as the rows do.
class EndTally {
public:
    /// Of one queue: completed, failed, abandoned, cancelled.
    using Counters = std::array<std::int64_t, 4>;

    EndTally(StatementMaker& sql, FoldRows& folds);
    /// Reads the ring. Once, before anything else.
    Result<void> load();

    // --- what operations tell
    /// `started`: when the attempt that it ended with began to run; 0: it did not.
    void ended(Lsn lsn, std::int64_t queue, ActionState state, WallMicros started = 0);
    /// An attempt ended that began to run then, and the action is to run again.
    void tried(Lsn lsn, WallMicros started);
    /// It ended as `state`, and is pending again.
    void reopened(Lsn lsn, std::int64_t queue, ActionState state);
    /// The row of this finished action is gone.
    void retired(Lsn lsn, ActionState state);
    /// The queue goes; its counters are kept among those of queues that are gone.
    void queueGone(const Counters& counters);

    // --- the group
    void clear();
    void mark();
    void backToMark();
    /// SQLite's code. Not OK: roll back.
    int write();
    /// The group is committed: begins the next one.
    void committed();

private:
    struct Group {
        std::map<std::int64_t, Counters> counters; ///< as differences
        std::vector<Lsn> finished;
        std::vector<FoldChange> folds;
        std::int64_t rowsGone = 0; ///< of `done`; `finished` are those that came
    };

    void count(std::int64_t queue, ActionState state, std::int64_t by);
    int writeCounters();
    int writeRecent();

    Database& database_;
    const OwnerCheck& owner_;
    FoldRows& folds_;
    Group group_;
    Group marked_;
    std::array<Lsn, std::size_t{kRecentRows} * kRecentPerRow> recent_{};
    std::uint64_t recentCount_ = 0;
    Statement countQueue_, countPast_, countFinished_, putRecent_;
};

} // namespace yard::store
