#include "core/guests/chunk_shelf.h"

#include <algorithm>
#include <cassert>

namespace yard::guests {

ChunkArrivals::Taken ChunkArrivals::take(const link::Chunk& piece) {
    const auto at = asked_.find(piece.hash);
    if (at == asked_.end()) return Taken::Lie;
    Arrival& arrival = at->second;
    if (!arrival.hasher) {
        arrival.hasher.emplace();
        arrival.size = piece.size;
    }
    const std::uint64_t left = arrival.size - arrival.next;
    const bool isInOrder = piece.size == arrival.size && piece.offset == arrival.next;
    const bool isUseful = !piece.bytes.empty() || arrival.size == 0;
    if (!isInOrder || !isUseful || piece.bytes.size() > left) {
        asked_.erase(at);
        return Taken::Lie;
    }
    arrival.hasher->update(piece.bytes);
    arrival.next += piece.bytes.size();
    if (arrival.next < arrival.size) return Taken::More;
    const bool isRight = arrival.hasher->finish() == piece.hash;
    asked_.erase(at);
    return isRight ? Taken::Whole : Taken::Lie;
}

std::vector<Hash256> ChunkArrivals::clear() {
    std::vector<Hash256> begun;
    for (const auto& [hash, arrival] : asked_)
        if (arrival.hasher) begun.push_back(hash);
    asked_.clear();
    return begun;
}

bool ChunkShelf::admit(const Hash256& hash, std::uint64_t size, std::vector<Hash256>& evicted) {
    if (kept_.contains(hash)) return true;
    const std::uint64_t bytes = std::max(size, kLeastBytes);
    const std::uint64_t inUse = bytes_ - idleBytes_;
    if (inUse > limit_ || bytes > limit_ - inUse || kept_.size() - idle_.size() >= kMaxChunks) return false;
    while (!idle_.empty() && (bytes_ > limit_ - bytes || kept_.size() >= kMaxChunks)) {
        const Hash256 oldest = idle_.begin()->second;
        remove(oldest);
        evicted.push_back(oldest);
    }
    Kept& kept = kept_[hash];
    kept.bytes = bytes;
    bytes_ += bytes;
    if (!uses_.contains(hash)) becomeIdle(hash, kept);
    return true;
}

void ChunkShelf::becomeIdle(const Hash256& hash, Kept& kept) {
    kept.idleSince = ++lastIdle_;
    idle_.emplace(kept.idleSince, hash);
    idleBytes_ += kept.bytes;
}

void ChunkShelf::remove(const Hash256& hash) {
    const auto at = kept_.find(hash);
    if (at == kept_.end()) return;
    bytes_ -= at->second.bytes;
    if (at->second.idleSince != 0) {
        idleBytes_ -= at->second.bytes;
        idle_.erase(at->second.idleSince);
    }
    kept_.erase(at);
}

void ChunkShelf::use(const Hash256& hash) {
    ++uses_[hash];
    const auto at = kept_.find(hash);
    if (at == kept_.end() || at->second.idleSince == 0) return;
    idle_.erase(at->second.idleSince);
    idleBytes_ -= at->second.bytes;
    at->second.idleSince = 0;
}

void ChunkShelf::release(const Hash256& hash) {
    const auto uses = uses_.find(hash);
    assert(uses != uses_.end());
    if (--uses->second > 0) return;
    uses_.erase(uses);
    if (const auto at = kept_.find(hash); at != kept_.end()) becomeIdle(hash, at->second);
}

} // namespace yard::guests
