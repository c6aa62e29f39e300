// The graph of who waits for whom, around an action or of a queue (docs/graphs.md): searched in the journal
// (graph_walk.h), with states as they are now and what is left to do, made by a helper (graph_parts.h).
//
// An answer takes some seconds at most; what was not looked at by then is not in it.
//
// Owner: engine thread. Lifetime: after the estimates, the journal and the helpers. One graph is made at a time;
// kMostWaiting wait for it.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/reading/estimates.h"
#include "core/engine/reading/graph_parts.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/journal_reads.h"
#include "core/engine/state/queues.h"
#include "core/session/session.h"

#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace yard::engine {

class Graphs {
public:
    static constexpr int kMostWaiting = 8;
    struct Parts {
        const session::Session& session;
        const InternTable& dictionary;
        Queues& queues;
        JournalReads& journal;
        const Estimates& estimates;
        coro::HelperPool& helpers;
        std::function<int()> cores;
        std::function<MonoTime()> now;
    };
    explicit Graphs(Parts parts)
        : parts_(std::move(parts)) {}

    /// NotFound: the action, the queue. Busy: too many ask, or the journal cannot be read now.
    coro::Task<Result<GraphView>> view(GraphQuery query);

private:
    /// What is asked about the kinds of actions in one graph.
    struct Kinds;
    coro::Task<Result<GraphView>> make(GraphQuery query);
    coro::Task<Result<GraphParts>> search(const GraphQuery& query, MonoTime until);
    coro::Task<Result<void>> lookAt(GraphParts& parts, MonoTime until);
    coro::Task<Result<void>> lookAtArray(GraphUnit& unit, Kinds& kinds, MonoTime until, bool& isWhole);
    coro::Task<Result<void>> findCommands(GraphParts& parts, MonoTime until);
    bool isOfItsCommand(const GraphUnit& unit) const;
    coro::Task<Result<void>> lookAtEnded(GraphParts& parts, const std::vector<std::uint32_t>& units);
    coro::Task<Result<void>> lookAtElements(GraphParts& parts);
    coro::Task<Result<void>> addNames(GraphView& view, const GraphParts& parts);
    void take(GraphUnit& unit, const session::LiveView& live, Kinds& kinds) const;
    int widthOf(const session::LiveView& live) const;
    std::string nameOf(const store::WaitUnit& row, const store::WaitName& name, bool isAlone) const;

    Parts parts_;
    coro::Mutex mutex_;
    int asking_ = 0;
    OwnerCheck owner_;
};

} // namespace yard::engine
