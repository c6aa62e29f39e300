// Who waits for whom around an action, or of a queue, looked up in the journal: units and edges, the nearest first,
// a portion at a time.
//
// Owner: engine thread. Lifetime: of one question; the journal outlives it. Bounds: kMostUnits, kMostEdges, and the
// time given; what is beyond is left out, and isTruncated() says so.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/reading/graph_parts.h"
#include "core/engine/state/journal_reads.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace yard::engine {

class GraphWalk {
public:
    static constexpr std::size_t kMostUnits = 150'000;
    static constexpr std::size_t kMostEdges = 400'000;
    struct Parts {
        JournalReads& journal;
        std::function<MonoTime()> now;
        MonoTime until;      ///< nothing more is looked for then
        MonoTime edgesUntil; ///< nor edges of what was found
    };
    struct Found {
        std::deque<GraphUnit> units; ///< in the order they were found
        std::deque<store::WaitEdge> edges;
        /// Elements that are meant, by the first LSN of their array, in order; of others all are.
        std::vector<std::pair<Lsn, Lsn>> some;
        bool isTruncated = false;
    };
    GraphWalk(Parts parts, bool isFolded, int limit)
        : parts_(std::move(parts))
        , isFolded_(isFolded)
        , limit_(limit) {}

    /// Its ancestors, and all that waits for it, transitively. NotFound.
    coro::Task<Result<void>> around(Lsn lsn);
    /// What waits in the queue or for something of it, the newest first, and what that waits for.
    coro::Task<Result<void>> ofQueue(QueueId queue);
    /// Once it is done.
    Found take();

private:
    using Units = std::vector<std::uint32_t>; ///< places in found_.units
    struct Answer {
        Result<void> result{};
        Units found{}; ///< new ones
    };
    /// Of an array in a graph that is not folded.
    struct Meant {
        bool isWhole = false;
        std::set<Lsn> elements; ///< else
    };
    coro::Task<Answer> add(std::vector<store::LsnRun> runs, std::uint32_t distance);
    coro::Task<Answer> parentsOf(Units children, std::uint32_t distance);
    coro::Task<Answer> childrenOf(Units parents, std::uint32_t distance);
    coro::Task<Result<void>> searchBothWays(std::uint32_t asked);
    coro::Task<Result<void>> findEdges();
    coro::Task<Result<std::size_t>> readEdges(std::span<const std::uint32_t> children,
                                              std::vector<store::WaitEdge>& edges);
    bool isKnown(const store::LsnRun& run) const;
    void means(const store::LsnRun& run);
    bool isMeant(const store::WaitEdge& edge) const;
    bool isFull();
    std::vector<store::LsnRun> runsOf(std::span<const std::uint32_t> units) const;

    Parts parts_;
    bool isFolded_;
    int limit_;
    Lsn asked_{};
    Found found_;
    std::map<Lsn, std::uint32_t> byFirst_;
    std::map<Lsn, Meant> meant_; ///< by the first LSN of the array
    std::deque<bool> hasEdges_;  ///< of each unit: what it waits for was looked up
    std::int64_t actions_ = 0;   ///< that are meant
    OwnerCheck owner_;
};

} // namespace yard::engine
