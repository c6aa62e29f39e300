// The pending actions of queues in their order, with their numbers in it. Private to session; owner: engine thread.
// Lives as long as the ledger, which tells it who begins and who ceases to be pending.
//
// Only queues that somebody asked about are kept in order, from then on: who never asks pays nothing. An order is built
// in slices along the LSNs; what changes meanwhile is taken in where the walk has been, and met by it elsewhere.
//
// Invariant (asserted by check()): a whole order has each pending action of its queue once, by Records::less.
#pragma once

#include "core/session/lanes.h"
#include "core/session/record.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace yard::session {

/// Records by Records::less, in leaves of some hundreds: entering, leaving and finding a number cost about O(log n).
class OrderedRecords {
public:
    explicit OrderedRecords(const Records& records)
        : records_(&records) {}

    void insert(std::uint32_t record);
    /// It is there, and its place is what it was.
    void erase(std::uint32_t record);
    /// How many come before it.
    std::uint32_t number(std::uint32_t record) const;
    std::uint32_t at(std::uint32_t number) const;
    std::uint32_t size() const { return size_; }
    template<class Visit>
    void forEach(Visit visit) const {
        for (const Leaf& leaf : leaves_)
            for (const std::uint32_t record : leaf) visit(record);
    }
    std::size_t memoryBytes() const;

private:
    static constexpr std::size_t kLeaf = 512;
    using Leaf = std::vector<std::uint32_t>;
    std::size_t leafOf(std::uint32_t record) const;
    void count() const;

    const Records* records_;
    std::vector<Leaf> leaves_;                  ///< none is empty
    mutable std::vector<std::uint32_t> before_; ///< how many are in the leaves before each; empty: to be counted
    std::uint32_t size_ = 0;
};

class Places {
public:
    /// Queues that are kept in order at once; beyond that the one that nobody asked for longest is forgotten, to be built
    /// when it is asked for. One that is being built is not: more of those at once go beyond the limit for a while.
    static constexpr std::size_t kMostQueues = 4'096;

    Places(const Records& records, const Lanes& lanes)
        : records_(records)
        , lanes_(lanes) {}

    /// Brings the orders of these queues on by about `most` live actions, in one walk for all of them. True: they are
    /// whole, and stay so until others are asked for that there is no room for.
    bool build(std::span<const std::uint32_t> wanted, int most);
    /// Null: it is not whole.
    const OrderedRecords* of(std::uint32_t queue) const;

    bool isUsed() const { return !queues_.empty(); }
    /// Is pending from now on, in this lane and place; is not any more, or not there.
    void entered(std::uint32_t record);
    void left(std::uint32_t record);
    std::size_t memoryBytes() const;
    void check() const; // check.cpp

private:
    struct Kept {
        OrderedRecords order;
        Lsn next{1};            ///< the walk goes on here; 0: the order is whole
        std::uint64_t used = 0; ///< build() that wanted it last
    };
    Kept* keptFor(std::uint32_t record);
    void want(std::span<const std::uint32_t> wanted);
    void forgetOthers();
    void walked(std::uint32_t record, Lsn lsn);

    const Records& records_;
    const Lanes& lanes_;
    std::unordered_map<std::uint32_t, Kept> queues_;
    std::uint64_t builds_ = 0;
};

} // namespace yard::session
