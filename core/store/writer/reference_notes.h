// Private to core/store: which chunks operations referred to while somebody looks for those that nothing refers to.
// The writer's thread.
#pragma once

#include "core/base/hash.h"
#include "core/base/owner.h"
#include "core/model/result.h"
#include "core/store/writer/applied.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>

namespace yard::store {

/// Purpose: a survey reads an older state of the journal. What is referred to from its beginning on is noted here,
/// and DropUnused (ChunkRows) spares it.
///
/// Lifetime: as long as the JournalWriter that owns it. Memory only: a start begins without marking.
/// Invariant: notes are no part of a group. A rollback keeps them: one too many spares a chunk until the next
/// survey.
class ReferenceNotes {
public:
    static constexpr std::size_t kMostNoted = 1'000'000;

    explicit ReferenceNotes(const OwnerCheck& owner, std::size_t most = kMostNoted)
        : owner_(owner)
        , most_(most) {}

    /// Begins again with nothing noted, or ends.
    Applied apply(const ChunkMark& marking);
    void note(std::span<const Hash256> chunks);
    void note(const AttemptRecord& attempt);

    /// Everything that was referred to since marking began is noted. False without marking, and when it was too
    /// much.
    bool isComplete() const { return marking_ && !tooMany_; }
    /// It was referred to, or has the same key as one that was.
    bool has(const Hash256& hash) const;

private:
    const OwnerCheck& owner_;
    const std::size_t most_;
    bool marking_ = false;
    bool tooMany_ = false;
    std::unordered_set<std::int64_t> noted_; ///< keyOf()
};

} // namespace yard::store
