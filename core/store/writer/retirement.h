// Private to core/store: forgets finished actions, one or those that are outdated. The writer's thread.
#pragma once

#include "core/store/writer/action_rows.h"
#include "core/store/writer/annotation_rows.h"
#include "core/store/writer/attempt_rows.h"
#include "core/store/writer/end_tally.h"
#include "core/store/writer/object_rows.h"
#include "core/store/writer/replaced_rows.h"
#include "core/store/writer/spec_rows.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace yard::store {

/// Purpose: removes rows of `done` and what belongs to them: attempts, specifications, who was replaced,
/// marks and comments. Chunks go later, once nothing refers to them (ChunkRows).
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and the parts below outlive it.
/// Invariant: the specification of an array goes with the last of its elements.
class Retirement {
public:
    /// What it stands on.
    struct Below {
        ActionRows& actions;
        AttemptRows& attempts;
        SpecRows& specs;
        ReplacedRows& replaced;
        AnnotationRows& annotations;
        EndTally& tally;
        ObjectRows& objects;
    };

    Retirement(StatementMaker& sql, const Below& below);

    Applied apply(const Retire& retire);
    /// A bounded step.
    Applied apply(const RetireOutdated& retire);

private:
    /// A row of `done` that goes, with others that follow it and belong to the same array, or to none.
    struct Run {
        std::int64_t first, last;
        std::optional<std::int64_t> arrayBase;
    };

    struct Gone {
        Lsn lsn;
        ActionState state;
    };

    Applied notFinished(Lsn lsn);
    int findOutdated(const RetireOutdated& retire, std::vector<Run>& runs, std::vector<Gone>& gone,
                     SweepResult& swept);
    int remove(const Run& run);

    const OwnerCheck& owner_;
    const Below below_;
    Statement scan_, deleteRun_;
};

} // namespace yard::store
