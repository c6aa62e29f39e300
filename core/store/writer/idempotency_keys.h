// Private to core/store: the idempotency keys of submissions and the answers that repeats get. The writer's thread.
#pragma once

#include "core/store/writer/applied.h"
#include "core/store/writer/statement_maker.h"

namespace yard::store {

/// Purpose: owns the table `idem`.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection outlives it.
/// Invariant: a key answers for kIdempotencyAge from when it was kept. Older ones count as unknown, and go by and
/// by.
class IdempotencyKeys {
public:
    explicit IdempotencyKeys(StatementMaker& sql);

    /// True: `applied` is the answer (a repeat, another body, or a failure).
    bool answers(const Idempotency& idempotency, WallMicros now, Applied& applied);
    /// SQLite's code.
    int keep(const Idempotency& idempotency, WallMicros now);
    /// Forgets keys older than a day, at most 1,000 and those over a million. SQLite's code.
    int prune(WallMicros now);

private:
    const OwnerCheck& owner_;
    Statement find_, insert_, delete_, prune_;
};

} // namespace yard::store
