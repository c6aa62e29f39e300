// Inputs that a yard sent: how they come in, and which of them stay for the next time, within a limit. No store and
// no link: what follows is an answer.
//
// Owner: the engine thread. Invariants:
//  - a chunk is whole only if its pieces came in order, as many bytes as the first one said, with the hash they go by;
//  - what somebody uses is not put out; all chunks together stay within the limit.
#pragma once

#include "core/base/hash.h"
#include "core/link/bodies.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace yard::guests {

/// Chunks that were asked for, on their way.
class ChunkArrivals {
public:
    enum class Taken : std::uint8_t {
        More,  ///< the next piece of it follows
        Whole, ///< that was the last, and the hash is right
        Lie    ///< not asked for, out of order, another size, or another hash: the other side is at fault
    };
    void ask(const Hash256& hash) { asked_.try_emplace(hash); }
    bool isAsked(const Hash256& hash) const { return asked_.contains(hash); }
    /// Whole and Lie take it from those that were asked for.
    Taken take(const link::Chunk& piece);
    /// The link is gone, and what came in part with it. What some of came.
    std::vector<Hash256> clear();

private:
    struct Arrival {
        std::uint64_t size = 0;
        std::uint64_t next = 0;
        std::optional<Sha256> hasher{}; ///< once some of it came
    };
    std::unordered_map<Hash256, Arrival> asked_;
};

/// What is kept of them.
class ChunkShelf {
public:
    static constexpr std::size_t kMaxChunks = 1'000'000;
    /// A small one takes that much, too.
    static constexpr std::uint64_t kLeastBytes = 4'096;

    explicit ChunkShelf(std::uint64_t limit)
        : limit_(limit) {}
    /// Room for one that comes now, whoever uses it. `evicted`: longest unused, to be taken from the store. False:
    /// there is none, as the others are in use; nothing is changed.
    [[nodiscard]] bool admit(const Hash256& hash, std::uint64_t size, std::vector<Hash256>& evicted);
    /// It did not come to be there, or is gone.
    void remove(const Hash256& hash);
    void use(const Hash256& hash);
    /// Requires: as many use().
    void release(const Hash256& hash);
    bool holds(const Hash256& hash) const { return kept_.contains(hash); }
    std::uint64_t bytes() const { return bytes_; }
    std::size_t count() const { return kept_.size(); }

private:
    struct Kept {
        std::uint64_t bytes = 0;
        std::uint64_t idleSince = 0; ///< its place in idle_; 0: in use
    };
    void becomeIdle(const Hash256& hash, Kept& kept);

    std::uint64_t limit_;
    std::uint64_t bytes_ = 0;
    std::uint64_t idleBytes_ = 0;
    std::uint64_t lastIdle_ = 0;
    std::unordered_map<Hash256, Kept> kept_;
    std::map<std::uint64_t, Hash256> idle_;         ///< longest first
    std::unordered_map<Hash256, std::size_t> uses_; ///< also of what is not here
};

} // namespace yard::guests
