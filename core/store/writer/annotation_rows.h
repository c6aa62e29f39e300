// Private to core/store: marks and comments of actions, comments of queues. The writer's thread.
#pragma once

#include "core/store/writer/action_rows.h"

#include <cstdint>

namespace yard::store {

/// Purpose: owns the tables `mark` and `comment`. Few actions have a row in either. The mark of a queue is a column of
/// its own row (Registrations).
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and `actions` outlive it.
/// Invariant: what has a row here is kept: it goes with its action or queue.
class AnnotationRows {
public:
    AnnotationRows(StatementMaker& sql, ActionRows& actions);

    Applied apply(const MarkActions& marking);
    Applied apply(const AddComment& added);
    /// Of actions that are no longer known.
    int forget(std::int64_t first, std::int64_t last);
    int forget(QueueId queue);

private:
    Database& database_;
    const OwnerCheck& owner_;
    ActionRows& actions_;
    Statement mark_, unmark_, findQueue_, addComment_, deleteOfActions_, deleteOfQueue_;
};

} // namespace yard::store
