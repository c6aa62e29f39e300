#include "core/guests/guest_inputs.h"

#include <utility>

namespace yard::guests {

void GuestInputs::use(const std::vector<Hash256>& hashes) {
    for (const Hash256& hash : hashes) shelf_.use(hash);
}

void GuestInputs::release(const std::vector<Hash256>& hashes) {
    for (const Hash256& hash : hashes) shelf_.release(hash);
}

bool GuestInputs::lack(const Hash256& hash, link::AttemptRef id) {
    lackedBy_[hash].push_back(id);
    if (storing_.contains(hash)) return false;         // it has come meanwhile
    if (!arrivals_.isAsked(hash)) shelf_.remove(hash); // the store has lost it
    return true;
}

void GuestInputs::lackNoMore(const Hash256& hash, link::AttemptRef id) {
    const auto lacked = lackedBy_.find(hash);
    if (lacked == lackedBy_.end()) return;
    std::erase(lacked->second, id);
    if (lacked->second.empty()) lackedBy_.erase(lacked);
}

/// All at once: each of many would look for itself among all of them.
link::AttemptRefs GuestInputs::takeLacking(const Hash256& hash) {
    auto lacked = lackedBy_.extract(hash);
    return lacked ? std::move(lacked.mapped()) : link::AttemptRefs{};
}

void GuestInputs::endStoring(const Hash256& hash) {
    if (storing_.erase(hash) > 0) shelf_.release(hash);
}

link::AttemptRefs GuestInputs::stored(const Hash256& hash) {
    endStoring(hash);
    return takeLacking(hash);
}

link::AttemptRefs GuestInputs::notStored(const Hash256& hash) {
    endStoring(hash);
    shelf_.remove(hash);
    return takeLacking(hash);
}

void GuestInputs::ask(const std::vector<Hash256>& hashes, DeskOut& out) {
    link::Need need;
    const auto flush = [&] {
        if (!need.hashes.empty()) out.send(link::Kind::Need, ++lastNeed_, put(need));
        need.hashes.clear();
    };
    for (const Hash256& hash : hashes) {
        if (arrivals_.isAsked(hash)) continue;
        arrivals_.ask(hash);
        need.hashes.push_back(hash);
        if (need.hashes.size() == link::kMaxHashes) flush();
    }
    flush();
}

void GuestInputs::askAgain(DeskOut& out) {
    std::vector<Hash256> missing;
    for (const auto& [hash, ids] : lackedBy_)
        if (!storing_.contains(hash)) missing.push_back(hash);
    ask(missing, out);
}

void GuestInputs::linkGone(DeskOut& out) {
    passedOver_.clear();
    for (const Hash256& hash : arrivals_.clear()) abandon(hash, out);
}

bool GuestInputs::take(link::Chunk piece, link::AttemptRefs& hasNoRoom, DeskOut& out) {
    const Hash256 hash = piece.hash;
    const bool wasAsked = arrivals_.isAsked(hash);
    const ChunkArrivals::Taken taken = arrivals_.take(piece);
    if (taken == ChunkArrivals::Taken::Lie) {
        // It is no longer among those that linkGone() takes back.
        if (wasAsked) abandon(hash, out);
        return false;
    }
    if (piece.offset == 0) makeRoom(hash, piece.size, hasNoRoom, out);
    const bool isLast = taken == ChunkArrivals::Taken::Whole;
    if (!passedOver_.contains(hash)) {
        // Put out before its last piece is stored it would stay in the store, and count nowhere.
        if (isLast && storing_.insert(hash).second) shelf_.use(hash);
        out.pieces.push_back({.chunk = std::move(piece), .isLast = isLast});
    } else if (isLast) {
        passedOver_.erase(hash);
        if (lackedBy_.contains(hash)) ask({hash}, out); // somebody has come to need it meanwhile
    }
    return true;
}

void GuestInputs::makeRoom(const Hash256& hash, std::uint64_t size, link::AttemptRefs& hasNoRoom, DeskOut& out) {
    std::vector<Hash256> evicted;
    if (!shelf_.admit(hash, size, evicted)) {
        passedOver_.insert(hash);
        hasNoRoom = takeLacking(hash);
    }
    for (const Hash256& other : evicted) {
        // Nobody waits any more for one that is still coming.
        if (arrivals_.isAsked(other)) passedOver_.insert(other);
        (arrivals_.isAsked(other) ? out.abandoned : out.evicted).push_back(other);
    }
}

void GuestInputs::abandon(const Hash256& hash, DeskOut& out) {
    shelf_.remove(hash);
    out.abandoned.push_back(hash);
}

} // namespace yard::guests
