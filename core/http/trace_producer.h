// A span of timelines as a Chrome trace (JSON, "traceEvents"), as Perfetto and chrome://tracing open it: part by part, so that
// a day of a million actions takes no more memory than an hour.
//
// A process of the trace is a worker, a thread one of its lanes. An attempt is a slice with its phases inside: preparing,
// running, collecting; one that goes on is begun only. Arrows lead from an attempt to the next one of its action,
// and from what an action waited for to its first attempt; of an array that is its element that ended last. Counters are the figures of the machine.
//
// Owner: the http thread. Lifetime: engine and link outlive it.
#pragma once

#include "core/engine/engine.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/history/stats_history.h"
#include "core/http/message.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
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
    /// Where an action ended, for arrows to what waited for it.
    struct End {
        std::int64_t process = 0;
        std::int64_t thread = 0;
        WallMicros begin = 0; ///< of its last attempt
        WallMicros end = 0;
    };
    /// Some 40 MB. With more of them they are forgotten: arrows from what ended before are missing then.
    static constexpr std::size_t kMostEnds = 500'000;
    static constexpr std::int64_t kMostElements = 1'000; ///< of an array that are looked at for the last one
    /// Elements of arrays that are looked up for the arrows of one part: thousands may wait for the same array.
    static constexpr std::int64_t kMostLooks = 200'000;
    void noteEnds(const engine::TimelinePart& part);
    /// Of these actions the one that ended last, but not after `t`; null: none is known.
    const End* lastOf(const store::LsnRun& run, WallMicros t);
    const End* lookForLast(const store::LsnRun& run, WallMicros t);
    void writeParents(const engine::TimelinePart& part, const timeline::Span& bar, std::int64_t thread);

    engine::Engine& engine_;
    Link& link_;
    const engine::TimelineQuery query_;
    const history::StatsView figures_;
    timeline::TimelineStore::Place place_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> named_; ///< threads that have their names: worker and lane
    std::unordered_map<Lsn, End> ends_;
    /// Of runs that something in this part waited for, by begin and length: the one of ends_ that ended last of all.
    std::map<std::pair<std::int64_t, std::int64_t>, const End*> latest_;
    std::int64_t looks_ = 0; ///< for the arrows of this part
    std::string out_;
    bool isBegun_ = false;
    bool isEnded_ = false;
};

} // namespace yard::http
