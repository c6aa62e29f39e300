// Private to core/store: queues and workers. The writer's thread.
#pragma once

#include "core/store/writer/annotation_rows.h"
#include "core/store/writer/chunk_rows.h"
#include "core/store/writer/end_tally.h"

namespace yard::store {

/// Purpose: owns the tables `queue` (but for the counters, which EndTally writes) and `worker`.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and the parts below outlive it.
/// Invariants: numbers of queues are not given again: `last_queue` never falls. What a queue that goes has counted
/// stays counted. A worker's files are there when it is registered.
class Registrations {
public:
    Registrations(StatementMaker& sql, ChunkRows& chunks, AnnotationRows& annotations, EndTally& tally);

    Applied apply(const PutQueue& put);
    Applied apply(const DropQueue& drop);
    Applied apply(const PutWorker& put);
    Applied apply(const DropWorker& drop);

private:
    Database& database_;
    const OwnerCheck& owner_;
    ChunkRows& chunks_;
    AnnotationRows& annotations_;
    EndTally& tally_;
    Statement putQueue_, deleteQueue_, raiseLastQueue_, countsOfQueue_, putWorker_, deleteWorker_;
};

} // namespace yard::store
