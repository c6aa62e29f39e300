// Orders of actions that lists are paged through: by other fields than the LSN there is no index, so the first page
// of such a list has the LSNs of all that match put in order once, off the engine thread, and the pages that follow
// take their rows from there.
//
// An order is what matched when it was made, each LSN once. It is kept for a minute after its last page; at most
// kMost of them and kMostLsns LSNs altogether, then one goes: first those that were read to their end, of these and of
// the others the one that was unused for longest. A list that is asked for again before anything changed shares the
// order of the one before.
//
// Owner: engine thread, but for arrange(), which a helper runs on values of its own.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/coro/sync.h"
#include "core/engine/state/views.h"
#include "core/store/reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

struct KeptOrder {
    std::uint64_t id = 0;
    ListQuery query;            ///< limit and cursor mean nothing
    std::uint64_t revision = 0; ///< of the change feed when it was begun
    std::vector<Lsn> lsns;      ///< once it is made
    std::int64_t matched = 0;   ///< how many there were before arrays and lists were folded
    std::vector<Lsn> putBack; ///< went from finished to pending while it was made: neither look may have seen them
    std::optional<Error> failed;
    coro::Event made;        ///< or failed
    std::uint64_t looks = 0; ///< answers before it was made: makes their cursors differ
    MonoTime used;
    bool isReadToEnd = false; ///< its last page was answered, and no page was asked for since
};

class SortedListCache {
public:
    static constexpr std::size_t kMost = 16;
    static constexpr std::size_t kMadeAtOnce = 2;        ///< others wait for their turn
    static constexpr std::size_t kMostOfOne = 4'000'000; ///< actions in one order
    static constexpr std::size_t kMostLsns = 8'000'000;  ///< in all that are made: 64 MB
    static constexpr Duration kKeep{60'000'000};

    /// Nullptr: not kept (any more). Notes that it is used.
    std::shared_ptr<KeptOrder> find(std::uint64_t id, MonoTime now);
    /// One of the same list that began at this revision and did not fail.
    std::shared_ptr<KeptOrder> find(const ListQuery& query, std::uint64_t revision, MonoTime now);
    /// Busy when kMost are being made.
    Result<std::shared_ptr<KeptOrder>> begin(const ListQuery& query, std::uint64_t revision, MonoTime now);
    /// It is made, or failed: those who wait go on, and others go when all take too much room.
    void finish(KeptOrder& order, Result<std::vector<Lsn>> lsns);
    /// A finished action is pending again.
    void notePutBack(Lsn lsn);
    void dropUnused(MonoTime now);
    bool empty() const { return orders_.empty(); }
    std::size_t size() const { return orders_.size(); }
    std::size_t lsns() const;
    /// Lists that were found, and lists that had to be put in order.
    std::uint64_t hits() const { return hits_; }
    std::uint64_t misses() const { return lastId_; }
    /// Those that are made: who pages through one is told that it is not kept any more.
    void clear();

private:
    bool dropOldest(const KeptOrder* but);

    std::vector<std::shared_ptr<KeptOrder>> orders_;
    std::uint64_t lastId_ = 0;
    std::uint64_t hits_ = 0;
};

/// What a number of a named field stands for: compared text after text. Both empty: nothing. Elements of the
/// dictionary never change or move.
using SortName = std::array<const std::string*, 2>;

/// Keys as they are collected: those that are there are never moved, for with millions of them that would keep the
/// engine thread for some milliseconds.
class KeyPieces {
public:
    void push(store::SortKey key) {
        if (pieces_.empty() || pieces_.back().size() == pieces_.back().capacity())
            pieces_.emplace_back().reserve(kInPiece);
        pieces_.back().push_back(key);
        ++size_;
    }
    void append(std::vector<store::SortKey> keys) {
        if (keys.empty()) return;
        size_ += keys.size();
        pieces_.push_back(std::move(keys));
    }
    std::size_t size() const { return size_; }
    /// All of them, in the order in which they came; none are left here.
    std::vector<store::SortKey> take();

private:
    static constexpr std::size_t kInPiece = 4'096;
    std::vector<std::vector<store::SortKey>> pieces_;
    std::size_t size_ = 0;
};

struct OrderParts {
    KeyPieces ended, live;               ///< by LSN; one that is in both counts as in the first
    std::vector<store::SortKey> putBack; ///< the same of these, which come third, in any order
    std::vector<SortName> names;         ///< of a named field: by number; else empty
    bool descending = false;
};
/// The LSNs in order: by key, then by LSN; what is unknown comes last in both directions. Takes a second for some
/// millions.
std::vector<Lsn> arrange(OrderParts parts);

/// Of each of these, which do not overlap and are in order, the first LSN that is in it, and those that are in none.
std::vector<Lsn> firstOfEach(std::vector<Lsn> lsns, const std::vector<store::LsnRun>& folds);

} // namespace yard::engine
