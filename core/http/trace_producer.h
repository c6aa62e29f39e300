// A span of timelines as a Chrome trace (JSON, "traceEvents"), as Perfetto and chrome://tracing open it: part by part, so that
// a day of a million actions takes no more memory than an hour.
//
// A process of the trace is a worker, a thread one of its lanes. An attempt is a slice with its phases inside: preparing,
// running, collecting; one that goes on is begun only. Arrows lead from an attempt to the next one of its action. Counters are the figures of the machine.
//
// Owner: the http thread. Lifetime: engine and link outlive it.
#pragma once

#include "core/engine/engine.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/history/stats_history.h"
#include "core/http/message.h"

#include <set>
#include <string>
#include <utility>

namespace yard::http {

class TraceProducer final : public BodyProducer {
public:
    TraceProducer(engine::Engine& engine, Link& link, engine::TimelineQuery query, history::StatsView figures)
        : engine_(engine)
        , link_(link)
        , query_(std::move(query))
        , figures_(std::move(figures)) {}
    coro::Task<Result<std::string_view>> next() override;

private:
    void begin();
    void write(const engine::TimelinePart& part);

    engine::Engine& engine_;
    Link& link_;
    const engine::TimelineQuery query_;
    const history::StatsView figures_;
    timeline::TimelineStore::Place place_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> named_; ///< threads that have their names: worker and lane
    std::string out_;
    bool isBegun_ = false;
    bool isEnded_ = false;
};

} // namespace yard::http
