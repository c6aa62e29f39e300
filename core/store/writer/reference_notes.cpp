#include "core/store/writer/reference_notes.h"

#include "core/store/packing.h"

namespace yard::store {

Applied ReferenceNotes::apply(const ChunkMark& marking) {
    YARD_ASSERT_OWNER(owner_);
    marking_ = marking.on;
    tooMany_ = false;
    noted_ = {};
    return {};
}

void ReferenceNotes::note(std::span<const Hash256> chunks) {
    YARD_ASSERT_OWNER(owner_);
    if (!marking_) return;
    if (noted_.size() + chunks.size() > most_) tooMany_ = true;
    if (tooMany_) return;
    for (const Hash256& hash : chunks) noted_.insert(keyOf(hash));
}

void ReferenceNotes::note(const AttemptRecord& attempt) {
    if (!marking_) return;
    const auto one = [this](const ChunkRef& chunk) { note(std::span(&chunk.hash, 1)); };
    if (attempt.outcome.out) one(*attempt.outcome.out);
    if (attempt.outcome.err) one(*attempt.outcome.err);
    for (const NamedChunk& output : attempt.outcome.outputs) one(output.chunk);
}

bool ReferenceNotes::has(const Hash256& hash) const {
    return noted_.contains(keyOf(hash));
}

} // namespace yard::store
