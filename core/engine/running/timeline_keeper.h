// Timelines of what the engine ran: spans go to the store behind it once a second, pictures come back with what
// runs now and with the names of things.
//
// Owner: engine thread; the store is worked on by helpers. Bound: kMostWaiting spans wait for a helper; what comes
// then is not kept, and the log says so. A kill loses what ended in the last second.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/running/execution.h"
#include "core/engine/state/intern_table.h"
#include "core/store/bulk.h"
#include "core/timeline/timeline_store.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

struct TimelineQuery {
    std::string worker;                 ///< id or name; empty: all
    std::optional<WallMicros> from;     ///< absent: an hour before `to`
    std::optional<WallMicros> to;       ///< absent: now
    std::optional<Duration> resolution; ///< absent: a thousandth of the span
};

struct TimelineView {
    timeline::View view;
    WallMicros now = 0;
    struct Worker {
        std::string id; ///< or "exec"
        std::string name;
    };
    std::vector<Worker> workers; ///< by the number that lanes have
    /// Of the classes and labels that bars have.
    std::unordered_map<std::uint32_t, std::string> functions;
    std::unordered_map<std::uint32_t, std::string> labels;
    std::unordered_map<Lsn, std::string> commands;               ///< of the bars that have no label
    std::unordered_map<Lsn, std::int64_t> indices;               ///< of the bars whose label has "{index}" in it
    std::unordered_map<Lsn, std::vector<store::LsnRun>> parents; ///< of a part: what first attempts had waited for
    /// Commands without a label: at most `most`, each once.
    std::vector<Lsn> unnamed(std::size_t most) const;
    /// Those whose label has "{index}" in it, likewise.
    std::vector<Lsn> templated(std::size_t most) const;
};

/// All that ran in a span, part by part: for exports.
struct TimelinePart {
    TimelineView view; ///< bars only
    timeline::TimelineStore::Place next;
    bool more = false;
};

class TimelineKeeper {
public:
    static constexpr std::size_t kMostWaiting = 100'000;
    /// Steps of one picture, at most.
    static constexpr std::int64_t kMostSteps = 10'000;
    /// Microseconds before `to`, where a query does not say from when.
    static constexpr std::int64_t kUsualSpan = 3'600'000'000;

    struct Parts {
        coro::HelperPool& helpers;
        const Execution& execution;
        const InternTable& dictionary;
        std::string directory;
        std::function<WallMicros(MonoTime)> wallOf;
        /// The commands of the first ones of these, at least of one; empty: it has none.
        std::function<coro::Task<Result<std::vector<std::string>>>(std::vector<Lsn>)> commands;
        /// Their indices in their arrays: as commands.
        std::function<coro::Task<Result<std::vector<std::optional<std::int64_t>>>>(std::vector<Lsn>)> indices;
        /// Actions and arrays that each of these waited for: as commands. Empty: that is not known.
        std::function<coro::Task<Result<std::vector<std::vector<store::LsnRun>>>>(std::vector<Lsn>)> parents{};
    };
    /// The dictionary has what the journal knows.
    explicit TimelineKeeper(Parts parts, timeline::TimelineStore::Limits limits = {});

    /// An attempt has ended.
    void note(timeline::Span span);
    /// Writes, forever.
    coro::Task<void> run();
    /// What ran when in which slot. Of very many bars without a label only the newest have their commands.
    coro::Task<TimelineView> query(TimelineQuery query);
    /// The bars of a span from `place` on, each whole; with the last ones those that go on. `resolution` means nothing.
    coro::Task<TimelinePart> part(TimelineQuery query, timeline::TimelineStore::Place place);
    /// At the end, when no helper writes any more. Blocks.
    void save();

private:
    std::uint32_t workerOf(std::uint32_t cls);
    /// What goes on, each with its worker.
    std::vector<timeline::Span> openSpans();
    /// From when to when, and of which workers.
    timeline::TimelineStore::Picture pictureOf(const TimelineQuery& query, WallMicros now) const;
    /// Of at most so many bars what the journal alone knows.
    coro::Task<void> addNames(TimelineView& view, std::size_t most);
    coro::Task<void> addCommands(TimelineView& view, std::size_t most);
    coro::Task<void> addIndices(TimelineView& view, std::size_t most);
    coro::Task<void> addParents(TimelineView& view);

    Parts parts_;
    std::shared_ptr<timeline::TimelineStore> store_;
    std::vector<TimelineView::Worker> workers_;
    std::unordered_map<std::string, std::uint32_t> workerNumbers_; ///< by id
    std::vector<timeline::Span> waiting_;
    coro::Mutex writing_; ///< who asks meanwhile would miss what is neither waiting nor written
    coro::Event work_;
    bool toldFull_ = false;
    bool toldUnwritten_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
