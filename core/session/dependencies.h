// Actions that wait for others: edges from each predecessor to those that wait for it, and arrays that some wait for
// as a whole. Once an end is stored, those who waited come out one by one: what becomes of them is up to the caller.
// Others than the session see it const, by Session::dependencies(). Owner: engine thread. Lives as long as the session.
//
// Invariants (asserted by check()): `unmet` of a record counts the edges that lead to it; a fan counts the elements
// of its array that have not ended, and is there while something waits for the array.
#pragma once

#include "core/base/owner.h"
#include "core/session/messages.h"
#include "core/session/record.h"
#include "core/session/slab.h"
#include "core/session/views.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace yard::session {

class Dependencies {
public:
    explicit Dependencies(Records& records)
        : records_(records) {}

    /// Makes the record wait. One that ended otherwise than wanted comes back.
    std::optional<Predecessor> waitFor(std::uint32_t record, std::span<const Predecessor> after);
    /// What waits for `from` waits for `to`, which goes on in its place.
    void moveDependents(std::uint32_t from, std::uint32_t to) {
        records_[to].firstEdge = std::exchange(records_[from].firstEdge, kNone);
    }

    /// A new live action: an element of an array, perhaps.
    void elementBegins(Lsn element);
    /// An element that ended is run again. Before elementBegins().
    void elementRunsAgain(Lsn element, ActionState was);

    /// The end of the record is stored: those that wait for it come out of takeNext(). True: nothing else was to
    /// come out before.
    bool ended(std::uint32_t record);
    struct Resolved {
        std::uint32_t child = kNone; ///< one edge less leads to it; dead ones, too
        Predecessor ended{};         ///< what it waited for
    };
    bool hasNext() const { return !resolving_.empty(); }
    /// The next one that waited. hasNext() must hold.
    Resolved takeNext();

    /// Of an array that something waits for as a whole: how many of its elements have not ended.
    std::optional<std::int64_t> unfinishedOf(Lsn array) const;
    /// Unmet::count is 0 of one that is not known.
    Unmet unmetOf(Lsn lsn) const;
    std::size_t memoryBytes() const;
    void check() const;

private:
    struct Edge {
        std::uint32_t child;
        std::uint32_t nextAndOn; ///< 30 bits of the next edge of the same predecessor, 2 of DependencyOn
        std::uint32_t& freeLink() { return child; }
    };
    static_assert(sizeof(Edge) == 8);
    /// Edges whose predecessor has ended.
    struct Resolving {
        std::uint32_t edge;
        Predecessor ended; ///< `on` is the edge's own
    };
    /// An array that others wait for as a whole, from the first of them to the end of its last element: each
    /// element costs a look here instead of an edge to each of them.
    struct Fan {
        std::int64_t count = 0;
        std::int64_t remaining = 0;  ///< elements that are live, their ends not stored
        std::int64_t failed = 0;     ///< of the others
        std::int64_t other = 0;      ///< of the others: abandoned or cancelled
        Lsn otherwise{};             ///< as in Predecessor
        std::uint32_t allOf = kNone; ///< those that wait for all to be completed: the first that is not ends that
        std::uint32_t rest = kNone;  ///< those that wait for the last end
    };
    using Fans = std::map<std::int64_t, Fan>; ///< by the first LSN

    std::optional<Predecessor> waitForArray(std::uint32_t record, const Predecessor& array);
    /// A list of edges, with its new first one.
    std::uint32_t makeEdge(std::uint32_t first, std::uint32_t child, DependencyOn on);
    std::int64_t liveIn(Lsn first, std::int64_t count) const;
    Fans::iterator fanOf(Lsn element);
    static Predecessor asPredecessor(std::int64_t first, const Fan& fan);
    void elementEnded(Lsn element, ActionState state);

    Records& records_;
    Slab<Edge, 4096> edges_;
    std::vector<Resolving> resolving_;
    Fans fans_;
    OwnerCheck owner_;
};

} // namespace yard::session
