// What follows from what a desk was told. Values; the engine thread.
#pragma once

#include "core/guests/guest_vetting.h"
#include "core/guests/guest_worker.h"
#include "core/link/bodies.h"
#include "core/link/frame.h"
#include "core/link/guest_leases.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::guests {

/// The answer to a DeskOut::Lookup.
struct LookedUp {
    std::vector<Hash256> missing; ///< of its hashes, and of `files`
    std::optional<std::vector<Hash256>>
        files{};         ///< of its worker; absent: its descriptor is missing, or was not asked for
    std::string unfit{}; ///< why its worker cannot run here, for people; empty: as far as is known it can
};

/// What follows. To be carried out in this order by the caller, who clears it. Where lookups and pieces come faster
/// than a store takes them, the caller reads no more of the link meanwhile.
struct DeskOut {
    struct Frame {
        link::Kind kind = link::Kind::Hello;
        std::uint64_t id = 0;
        std::string body;
    };
    struct Lookup {
        link::AttemptRef id;
        std::vector<Hash256> hashes;
        std::optional<WorkerTerms> worker{}; ///< once its descriptor is there: which files, and are they there?
    };
    /// A piece of a chunk that comes. What came before it is of the same chunk, up to its offset.
    struct Piece {
        link::Chunk chunk;
        bool isLast = false; ///< the hash was right; stored() or notStored() follows
    };
    /// A chunk that the yard asks for: Chunk frames with this id, then served().
    struct Serve {
        std::uint64_t id = 0;
        Hash256 hash;
        std::uint64_t number = 0; ///< of this desk: the ids of two connections may be the same
    };
    std::optional<link::BootTime> runUntil; ///< for the launcher, before it gets anything: Runner::mayRunUntil()
    std::vector<link::GuestOut::End> ends;  ///< end the tree, then ended() or returned()
    std::vector<Frame> frames;              ///< to the yard
    std::vector<Lookup> lookups;            ///< which of these does the store lack? Then lookedUp()
    std::vector<Piece> pieces;              ///< into the store
    std::vector<Hash256> abandoned;         ///< pieces of it came, no more will: forget them
    std::vector<Hash256> evicted;           ///< kept for guests so far: out of the store, unless others use it
    std::vector<GuestAttempt> prepares;     ///< make its directory, then prepared()
    link::AttemptRefs starts;               ///< prepared: give it to the runner now, with the yard's guest group
    std::vector<link::Follow> follows;      ///< of what has begun: tell what it prints
    link::AttemptRefs dropped;              ///< nothing is held of it any more: take its directory away
    std::vector<Serve> serves;
    bool closeLink = false; ///< after the frames
    std::string reason;     ///< of closeLink, for people; empty: the lease is over

    bool isEmpty() const {
        return !runUntil && ends.empty() && frames.empty() && lookups.empty() && pieces.empty() &&
               abandoned.empty() && evicted.empty() && prepares.empty() && starts.empty() && follows.empty() &&
               dropped.empty() && serves.empty() && !closeLink;
    }
    void send(link::Kind kind, std::uint64_t id, std::string body) {
        frames.push_back({.kind = kind, .id = id, .body = std::move(body)});
    }
};

} // namespace yard::guests
