#include "core/base/memory_ledger.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

namespace yard {

namespace {

constexpr std::size_t kShards = 256;

struct Tally {
    std::atomic<std::int64_t> bytes; ///< below zero where another thread made what this one freed
    std::atomic<std::int64_t> items;
};

struct alignas(64) MemoryShard {
    std::atomic<bool> isTaken;
    std::array<Tally, kMemoryOwners> tallies;
};

/// The last one is everybody's: of threads that found none free, and of those that end.
constinit std::array<MemoryShard, kShards + 1> shards{};
constinit thread_local MemoryShard* ownShard = nullptr;

/// Gives the shard to the next thread: what is counted in it stays.
struct ShardLease {
    ~ShardLease() { std::exchange(ownShard, &shards[kShards])->isTaken.store(false, std::memory_order_release); }
};

MemoryShard& takeShard() noexcept {
    for (std::size_t at = 0; at < kShards; ++at) {
        if (shards[at].isTaken.load(std::memory_order_relaxed)) continue;
        if (shards[at].isTaken.exchange(true, std::memory_order_acquire)) continue;
        ownShard = &shards[at];
        static thread_local const ShardLease lease;
        return shards[at];
    }
    ownShard = &shards[kShards];
    return shards[kShards];
}

void add(std::atomic<std::int64_t>& to, std::int64_t amount, bool isShared) noexcept {
    if (isShared)
        to.fetch_add(amount, std::memory_order_relaxed);
    else
        to.store(to.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

void tally(MemoryOwner owner, std::int64_t bytes, std::int64_t items) noexcept {
    MemoryShard& shard = ownShard ? *ownShard : takeShard();
    const bool isShared = &shard == &shards[kShards];
    Tally& one = shard.tallies[static_cast<std::size_t>(owner)];
    add(one.bytes, bytes, isShared);
    add(one.items, items, isShared);
}

} // namespace

void chargeMemory(MemoryOwner owner, std::size_t bytes) noexcept {
    tally(owner, static_cast<std::int64_t>(bytes), 1);
}

void releaseMemory(MemoryOwner owner, std::size_t bytes) noexcept {
    tally(owner, -static_cast<std::int64_t>(bytes), -1);
}

MemoryCharge memoryOf(MemoryOwner owner) noexcept {
    std::int64_t bytes = 0;
    std::int64_t items = 0;
    for (const MemoryShard& shard : shards) {
        bytes += shard.tallies[static_cast<std::size_t>(owner)].bytes.load(std::memory_order_relaxed);
        items += shard.tallies[static_cast<std::size_t>(owner)].items.load(std::memory_order_relaxed);
    }
    return {.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)),
            .items = static_cast<std::uint64_t>(std::max<std::int64_t>(items, 0))};
}

} // namespace yard
