// The inputs of one yard's guests: who lacks which, what was asked for, what is on its way into the store, and what
// stays there for the next time. No guest, link or store: frames and pieces are put into an outbox.
//
// Owner: the desk, on the engine thread. Invariants: a chunk is asked for once over a connection, however many lack it;
// what is being stored is in use on the shelf, so it is not put out before it is there.
#pragma once

#include "core/guests/chunk_shelf.h"
#include "core/guests/desk_out.h"

#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

namespace yard::guests {

class GuestInputs {
public:
    explicit GuestInputs(std::uint64_t storeBytes)
        : shelf_(storeBytes) {}

    void use(const std::vector<Hash256>& hashes);
    /// Requires: as many use().
    void release(const std::vector<Hash256>& hashes);

    /// The store does not have it, and this guest needs it. True: it is to be asked for.
    bool lack(const Hash256& hash, link::AttemptRef id);
    void lackNoMore(const Hash256& hash, link::AttemptRef id);
    /// It is in the store now. Who lacked it, and does no more.
    link::AttemptRefs stored(const Hash256& hash);
    /// It could not be kept. Who lacked it, and cannot have it.
    link::AttemptRefs notStored(const Hash256& hash);

    /// Over the connection that is there now.
    void ask(const std::vector<Hash256>& hashes, DeskOut& out);
    /// Over a new connection, what is lacking still.
    void askAgain(DeskOut& out);
    void linkGone(DeskOut& out);
    /// A piece came. False: no honest yard sends it. `hasNoRoom`: who lacked it, and cannot have it, as the limit of
    /// what is kept is in use.
    bool take(link::Chunk piece, link::AttemptRefs& hasNoRoom, DeskOut& out);

private:
    link::AttemptRefs takeLacking(const Hash256& hash);
    void endStoring(const Hash256& hash);
    void makeRoom(const Hash256& hash, std::uint64_t size, link::AttemptRefs& hasNoRoom, DeskOut& out);
    void abandon(const Hash256& hash, DeskOut& out);

    ChunkArrivals arrivals_;
    ChunkShelf shelf_;
    std::map<Hash256, link::AttemptRefs> lackedBy_;
    std::unordered_set<Hash256> storing_;    ///< whole, and not yet in the store: in use on the shelf
    std::unordered_set<Hash256> passedOver_; ///< asked for, but there is no room for what comes of it
    std::uint64_t lastNeed_ = 0;
};

} // namespace yard::guests
