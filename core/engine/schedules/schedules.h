// Schedules: what people wrote down to run at certain times. Each is a document of the journal, with what became of its
// last times as another one; both are there before they count. When one is due its actions are submitted like anybody's,
// under a key of name, era (run_history.h) and time: an engine that dies in between submits them once all the same.
//
// Owner: engine thread; one cooperative thread, which wakes for the next time that is due and for nothing else.
// Lifetime: after Intake and Operations. Bounds: kMostSchedules, kMostBytes; 100 runs of each are remembered, those that have not
// ended before those that have; what was missed, and what runs at once, is bounded by core/schedule. What is
// refused at its time is told in its runs, and not tried again; where the journal was busy it is, for a minute.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/schedules/definition.h"
#include "core/engine/schedules/run_history.h"
#include "core/engine/state/views.h"
#include "core/model/settings.h"
#include "core/schedule/timetable.h"
#include "core/store/operations.h"
#include "core/store/rows.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

struct ScheduleView {
    ScheduleDefinition definition;
    WallMicros next = 0;           ///< 0: none comes, or it is paused
    std::vector<ScheduleRun> runs; ///< the newest first; of a list the last one alone
    std::vector<WallMicros> times; ///< when it starts next, ten of them, jitter included; not in a list
    std::optional<Error> broken;   ///< why it is never due: its zone is not there any more
    std::int64_t unfinished = 0;   ///< runs that have not ended
};

class Schedules {
public:
    static constexpr std::size_t kMostSchedules = 10'000;
    /// Of all their actions and lines.
    static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    /// Kinds of documents in the journal.
    static constexpr std::string_view kKind = "schedule";
    static constexpr std::string_view kHistoryKind = "schedule_runs";

    struct Parts {
        const Settings& settings;
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<coro::Task<Result<SubmitAnswer>>(Submission)> submit;
        std::function<coro::Task<Result<void>>(Lsn)> cancel;
        /// The first live action from `first` to before `end`; nothing: all have ended.
        std::function<std::optional<Lsn>(Lsn first, Lsn end)> liveBetween;
        std::function<bool()> takesWork; ///< false once: for good
        std::function<void(std::optional<WallMicros>)> arm;
        std::function<coro::Task<void>()> rung; ///< what was armed, or the clock was set
        std::function<WallMicros()> now;
        /// A time came and nothing was submitted, as it was missed or refused. Empty: nobody asks.
        std::function<void(const std::string& name, const ScheduleRun&)> missed{};
    };
    explicit Schedules(Parts parts)
        : parts_(std::move(parts)) {}

    /// What the journal has; documents of other kinds are passed over, what cannot be read is left out and told.
    void restore(std::span<const store::DocumentRow> documents);
    /// Until the engine takes no work any more: what is due then is missed, and the next engine's.
    coro::Task<void> run();

    /// Malformed, TooLarge, Invalid; WrongState: the name is taken. AtLimit. Journal.
    coro::Task<Result<ScheduleView>> create(std::string json);
    /// The members that are given; NotFound, and as above. What was due before is not due by the new times.
    coro::Task<Result<ScheduleView>> change(std::string name, std::string json);
    /// NotFound. What runs goes on.
    coro::Task<Result<void>> remove(std::string name);
    /// A paused one is not due; what comes meanwhile is not missed either. NotFound.
    coro::Task<Result<ScheduleView>> setPaused(std::string name, bool paused);
    /// At once, also while it is paused; `overlap` holds. NotFound, and what the submission answers; WrongState: a run
    /// before it has not ended.
    coro::Task<Result<ScheduleRun>> runNow(std::string name);
    Result<ScheduleView> get(std::string name) const;
    /// By name.
    std::vector<ScheduleView> list() const;
    /// When a line would be due. Invalid.
    Result<std::vector<WallMicros>> next(std::string cron, std::string timezone, std::optional<WallMicros> from,
                                         std::size_t count) const;

private:
    struct Entry {
        ScheduleDefinition definition;
        RunHistory history;
        std::optional<Error> broken;
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    void plan(const Entry& entry, Result<schedule::Timing> timing);
    void rearm();
    coro::Task<Result<ScheduleView>> keep(ScheduleDefinition definition);
    coro::Task<void> beginEras(std::map<std::string, WallMicros> repeated);
    coro::Task<void> carryOut(std::vector<schedule::Due> due);
    coro::Task<void> keepRuns(std::set<std::string> names);
    // The mutex is held while these wait, so nothing changes the entry that they are given.
    coro::Task<std::optional<ScheduleRun>> decide(const Entry& entry, const schedule::Due& due, int& tries);
    /// Submits, as the schedule's overlap says, and answers what the submission does.
    coro::Task<Result<ScheduleRun>> start(const Entry& entry, ScheduleRun run);
    static Result<Submission> submissionOf(const Entry& entry, const ScheduleRun& run,
                                           const std::vector<ScheduleRun::Item>& behind);
    std::vector<ScheduleRun::Item> unfinishedItems(const Entry& entry) const;
    bool isUnfinished(const ScheduleRun& run) const;
    std::size_t unfinishedRuns(const Entry& entry) const;
    coro::Task<void> cancelItems(std::vector<ScheduleRun::Item> items);
    ScheduleView viewOf(const Entry& entry, std::size_t runs) const;
    void remember(Entry& entry, ScheduleRun run) const;
    static store::DocumentChange historyChange(const Entry& entry);

    Parts parts_;
    Entries entries_;
    schedule::Timetable table_;
    coro::Mutex mutex_; ///< one change, or one portion of what is due, at a time
    OwnerCheck owner_;
};

} // namespace yard::engine
