#include "core/engine/schedules/schedules.h"

#include "core/base/log.h"
#include "core/base/sentences.h"
#include "core/json/json_reader.h"
#include "core/model/action_spec.h"
#include "core/model/unkept_env.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr std::size_t kTimesShown = 10;
/// What one portion of what is due writes at once.
constexpr std::size_t kPortion = 100;
/// How often one portion tries again where the journal is busy: nobody else changes anything meanwhile.
constexpr int kBusyScheduleTries = 60;
constexpr Duration kBusySchedulePause{1'000'000};

std::unexpected<Error> noSchedule(std::string_view name) {
    return fail(ErrorKind::NotFound, fmt::format("There is no schedule \"{}\".", name));
}

std::string textOf(const ScheduleDefinition& definition) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeSchedule(writer, definition);
    writer.closeObject();
    return text;
}

/// What a person gives. What may be in no file cannot wait in one for its time.
Result<ScheduleDefinition> readGiven(std::string_view json, ScheduleDefinition base, std::string_view neverKept) {
    auto definition = readSchedule(json, std::move(base));
    if (!definition) return definition;
    auto parsed = parseActions(definition->action);
    if (!parsed) return std::unexpected(parsed.error());
    for (ParsedAction& action : parsed->actions)
        if (!takeUnkeptEnv(action, neverKept).empty())
            return invalid("env", "A schedule is kept on disk, and env_never_kept names this variable: let the "
                                  "program read a file.");
    return definition;
}

/// What grows with what people write.
std::size_t bytesOf(const ScheduleDefinition& definition) {
    return definition.action.size() + definition.cron.size();
}

bool hasSameTimes(const ScheduleDefinition& one, const ScheduleDefinition& other) {
    return one.cron == other.cron && one.everySeconds == other.everySeconds && one.at == other.at &&
           one.timezone == other.timezone && one.isPaused == other.isPaused;
}

Duration jitterOf(const ScheduleDefinition& definition) {
    return Duration(static_cast<std::int64_t>(definition.jitterSeconds * 1e6));
}

/// Of the action itself: its inputs and arguments may have a member of this name, too.
bool hasLabelMember(std::string_view action) {
    bool isThere = false;
    const auto look = [&](JsonView object, std::string_view) -> Result<void> {
        for (const JsonView value : object) isThere |= value.key() == "label";
        return {};
    };
    (void)readJsonElements(action, "args", look, kByteMembers);
    return isThere;
}

} // namespace

// --- what is there

void Schedules::restore(std::span<const store::DocumentRow> documents) {
    YARD_ASSERT_OWNER(owner_);
    for (const store::DocumentRow& row : documents) {
        if (row.kind != kKind) continue;
        auto definition = readSchedule(row.body, {}, ScheduleSource::Journal);
        if (definition)
            entries_[row.name].definition = *std::move(definition);
        else
            logWarning("engine", "schedule {} cannot be read: {}", row.name, definition.error().message);
    }
    for (const store::DocumentRow& row : documents)
        if (row.kind == kHistoryKind)
            if (const auto at = entries_.find(row.name); at != entries_.end())
                at->second.history = readHistory(row.body);
    for (auto& [name, entry] : entries_) {
        auto timing = timingOf(entry.definition);
        if (!timing) {
            entry.broken = timing.error();
            logWarning("engine", "schedule {} is never due: {}", name, entry.broken->message);
        }
        plan(entry, std::move(timing));
    }
}

/// Into the timetable, or out of it.
void Schedules::plan(const Entry& entry, Result<schedule::Timing> timing) {
    const ScheduleDefinition& definition = entry.definition;
    if (!timing || definition.isPaused) return table_.remove(definition.name);
    table_.put(definition.name,
               {.timing = *std::move(timing), .missed = definition.missed, .jitter = jitterOf(definition)},
               entry.history.decidedUntil, parts_.now());
}

void Schedules::rearm() {
    parts_.arm(table_.wakeAt());
}

ScheduleView Schedules::viewOf(const Entry& entry, std::size_t runs) const {
    ScheduleView view;
    view.definition = entry.definition;
    view.next = table_.nextOf(entry.definition.name).value_or(0);
    const auto& kept = entry.history.runs;
    const std::size_t count = std::min(runs, kept.size());
    view.runs.assign(kept.rbegin(), kept.rbegin() + static_cast<std::ptrdiff_t>(count));
    view.broken = entry.broken;
    view.unfinished = static_cast<std::int64_t>(unfinishedRuns(entry));
    if (runs == 1) return view; // a row of the list
    const WallMicros delay = schedule::Timetable::delayOf(entry.definition.name, jitterOf(entry.definition));
    if (const auto timing = timingOf(entry.definition))
        view.times = timing->listAfter(std::max(entry.history.decidedUntil, parts_.now() - delay), kTimesShown);
    for (WallMicros& time : view.times) time += delay;
    return view;
}

Result<ScheduleView> Schedules::get(std::string name) const {
    YARD_ASSERT_OWNER(owner_);
    const auto at = entries_.find(name);
    if (at == entries_.end()) return noSchedule(name);
    return viewOf(at->second, RunHistory::kMostRuns);
}

std::vector<ScheduleView> Schedules::list() const {
    YARD_ASSERT_OWNER(owner_);
    std::vector<ScheduleView> views;
    views.reserve(entries_.size());
    for (const auto& [name, entry] : entries_) views.push_back(viewOf(entry, 1));
    return views;
}

Result<std::vector<WallMicros>> Schedules::next(std::string cron, std::string timezone,
                                                std::optional<WallMicros> from, std::size_t count) const {
    const auto timing = schedule::Timing::cron(cron, timezone);
    if (!timing) return std::unexpected(timing.error());
    return timing->listAfter(from.value_or(parts_.now()), count);
}

// --- what people change

coro::Task<Result<ScheduleView>> Schedules::create(std::string json) {
    YARD_ASSERT_OWNER(owner_);
    auto definition = readGiven(json, {}, parts_.settings.envNeverKept);
    if (!definition) co_return std::unexpected(definition.error());
    const auto guard = co_await mutex_.lock();
    if (entries_.contains(definition->name))
        co_return fail(
            ErrorKind::WrongState,
            fmt::format("There is a schedule \"{}\" already: change it, or take another name.", definition->name));
    if (entries_.size() >= kMostSchedules)
        co_return fail(
            ErrorKind::AtLimit,
            fmt::format("There are {} schedules, and no more can be kept: remove one first.", kMostSchedules));
    definition->anchor = parts_.now();
    co_return co_await keep(*std::move(definition));
}

coro::Task<Result<ScheduleView>> Schedules::change(std::string name, std::string json) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    const auto at = entries_.find(name);
    if (at == entries_.end()) co_return noSchedule(name);
    auto definition = readGiven(json, at->second.definition, parts_.settings.envNeverKept);
    if (!definition) co_return std::unexpected(definition.error());
    if (definition->name != name)
        co_return invalid("name", "A schedule keeps its name. Make another one, and remove this one.");
    co_return co_await keep(*std::move(definition));
}

coro::Task<Result<ScheduleView>> Schedules::setPaused(std::string name, bool paused) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    const auto at = entries_.find(name);
    if (at == entries_.end()) co_return noSchedule(name);
    ScheduleDefinition definition = at->second.definition;
    definition.isPaused = paused;
    co_return co_await keep(std::move(definition));
}

/// The journal first. With other times, what was due before is decided: nothing is due for the time that is over, but
/// a single time that nobody acted on.
coro::Task<Result<ScheduleView>> Schedules::keep(ScheduleDefinition definition) {
    const auto before = entries_.find(definition.name);
    const bool isNew = before == entries_.end();
    Entry entry = isNew ? Entry{} : before->second;
    const bool isLarger = bytesOf(definition) > bytesOf(entry.definition);
    std::size_t bytes = bytesOf(definition);
    for (const auto& [known, other] : entries_)
        if (known != definition.name) bytes += bytesOf(other.definition);
    if (isLarger && bytes > kMostBytes)
        co_return fail(ErrorKind::AtLimit,
                       fmt::format("All schedules together have at most {} MiB: remove one first, "
                                   "or put what is long into a file or a script.",
                                   kMostBytes >> 20));
    if (isNew || !hasSameTimes(entry.definition, definition)) {
        entry.history.decidedUntil = definition.at != 0 && definition.at != entry.definition.at ? 0 : parts_.now();
        entry.history.era = std::max(entry.history.era + 1, parts_.now());
    }
    entry.definition = std::move(definition);
    entry.broken.reset();
    const std::string& name = entry.definition.name;
    store::PutDocuments put;
    put.changes.push_back({.kind = std::string(kKind), .name = name, .body = textOf(entry.definition)});
    put.changes.push_back(historyChange(entry));
    store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) co_return std::unexpected(std::move(*done.error));
    Entry& kept = entries_[name] = std::move(entry);
    plan(kept, timingOf(kept.definition));
    rearm();
    co_return viewOf(kept, RunHistory::kMostRuns);
}

coro::Task<Result<void>> Schedules::remove(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    if (!entries_.contains(name)) co_return noSchedule(name);
    store::PutDocuments put;
    for (const std::string_view kind : {kKind, kHistoryKind})
        put.changes.push_back({.kind = std::string(kind), .name = name, .body = std::nullopt});
    store::AckDetail done = co_await parts_.commit(std::move(put));
    if (done.error) co_return std::unexpected(std::move(*done.error));
    entries_.erase(name);
    table_.remove(name);
    rearm();
    co_return Result<void>();
}

coro::Task<Result<ScheduleRun>> Schedules::runNow(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    const auto guard = co_await mutex_.lock();
    const auto at = entries_.find(name);
    if (at == entries_.end()) co_return noSchedule(name);
    Entry& entry = at->second; // nothing changes it while the mutex is held
    ScheduleRun asked;
    asked.at = parts_.now();
    auto run = co_await start(entry, std::move(asked));
    if (!run) co_return run;
    if (run->outcome == RunOutcome::Overlap)
        co_return fail(ErrorKind::WrongState, fmt::format("A run of \"{}\" has not ended, and it skips what comes "
                                                          "meanwhile: wait for it, or cancel it.",
                                                          name));
    remember(entry, *run);
    store::PutDocuments put;
    put.changes.push_back(historyChange(entry));
    // It was submitted: that it is not remembered is no reason to say otherwise.
    if (const auto done = co_await parts_.commit(std::move(put)); done.error)
        logWarning("engine", "a run of schedule {} is not kept: {}", name, done.error->message);
    co_return run;
}

/// Where there are too many the oldest that has ended goes: what runs counts as long as it does.
void Schedules::remember(Entry& entry, ScheduleRun run) const {
    auto& runs = entry.history.runs;
    runs.push_back(std::move(run));
    if (runs.size() <= RunHistory::kMostRuns) return;
    const auto ended = std::ranges::find_if(runs, [this](const ScheduleRun& one) { return !isUnfinished(one); });
    runs.erase(ended != runs.end() ? ended : runs.begin());
}

store::DocumentChange Schedules::historyChange(const Entry& entry) {
    return {.kind = std::string(kHistoryKind), .name = entry.definition.name, .body = writeHistory(entry.history)};
}

// --- what is due

coro::Task<void> Schedules::run() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        // All that is due now is judged by this time: what waits for those before it is not late. Others may change
        // something between two portions.
        const WallMicros now = parts_.now();
        for (bool isMore = true; isMore;) {
            const auto guard = co_await mutex_.lock();
            if (!parts_.takesWork()) co_return;
            std::vector<schedule::Due> due = table_.take(now, kPortion);
            if (const auto repeated = table_.takeRepeated(); !repeated.empty()) co_await beginEras(repeated);
            isMore = !due.empty();
            if (isMore)
                co_await carryOut(std::move(due));
            else
                rearm();
        }
        co_await parts_.rung();
    }
}

/// Before any of these times counts again: another engine must not give them another number.
coro::Task<void> Schedules::beginEras(std::map<std::string, WallMicros> repeated) {
    for (auto next = repeated.begin(); next != repeated.end();) {
        std::vector<Entry> changed;
        store::PutDocuments put;
        for (; next != repeated.end() && changed.size() < kPortion; ++next) {
            const auto at = entries_.find(next->first);
            if (at == entries_.end()) continue;
            Entry& entry = changed.emplace_back(at->second);
            entry.history.era = std::max(entry.history.era + 1, next->second);
            entry.history.decidedUntil = std::min(entry.history.decidedUntil, next->second);
            put.changes.push_back(historyChange(entry));
        }
        if (changed.empty()) co_return;
        if (const auto done = co_await parts_.commit(std::move(put)); done.error) {
            logWarning("engine", "that the clock was wrong is not kept: {}", done.error->message);
            continue;
        }
        for (Entry& entry : changed) entries_.find(entry.definition.name)->second = std::move(entry);
    }
}

/// What was submitted is written down at once: what runs must be known to the next engine. The rest of a portion is
/// written down together; who does not find it decides the same again.
coro::Task<void> Schedules::carryOut(std::vector<schedule::Due> due) {
    std::set<std::string> touched;
    int tries = kBusyScheduleTries;
    for (const schedule::Due& one : due) {
        Entry& entry = entries_.find(one.name)->second;
        auto run = co_await decide(entry, one, tries);
        // The engine ends: the journal says that this was not decided, and the next engine does.
        if (!run) break;
        const bool isSubmitted = run->outcome == RunOutcome::Submitted;
        const bool isMissed = run->outcome == RunOutcome::Missed || run->outcome == RunOutcome::Refused ||
                              run->isLate || run->skipped > 0;
        if (isMissed && parts_.missed) parts_.missed(one.name, *run);
        remember(entry, *std::move(run));
        // Also where that is earlier: a clock that was wrong is not believed any more.
        entry.history.decidedUntil = one.due;
        touched.insert(one.name);
        if (isSubmitted) co_await keepRuns(std::exchange(touched, {}));
    }
    co_await keepRuns(std::move(touched));
}

coro::Task<void> Schedules::keepRuns(std::set<std::string> names) {
    if (names.empty()) co_return;
    store::PutDocuments put;
    for (const std::string& name : names) put.changes.push_back(historyChange(entries_.find(name)->second));
    if (const auto done = co_await parts_.commit(std::move(put)); done.error)
        logWarning("engine", "runs of {} schedules are not kept: {}", names.size(), done.error->message);
}

/// Nothing: the engine does not take work any more.
coro::Task<std::optional<ScheduleRun>> Schedules::decide(const Entry& entry, const schedule::Due& due, int& tries) {
    ScheduleRun run;
    run.due = due.due;
    run.at = parts_.now();
    run.isLate = due.isLate;
    run.skipped = static_cast<std::int64_t>(due.skipped);
    run.outcome = RunOutcome::Missed;
    if (!due.isRun) co_return run;
    auto started = co_await start(entry, run);
    while (!started && started.error().kind == ErrorKind::Busy && tries > 0) {
        --tries;
        co_await coro::sleepFor(kBusySchedulePause);
        if (!parts_.takesWork()) co_return std::nullopt;
        started = co_await start(entry, run);
    }
    if (started) co_return *std::move(started);
    if (started.error().kind == ErrorKind::NotAccepting) co_return std::nullopt;
    logWarning("engine", "schedule {} was due and is not run: {}", due.name, started.error().message);
    run.outcome = RunOutcome::Refused;
    run.error = std::move(started.error().message);
    co_return run;
}

coro::Task<Result<ScheduleRun>> Schedules::start(const Entry& entry, ScheduleRun run) {
    const schedule::Step step = schedule::stepFor(entry.definition.overlap, unfinishedRuns(entry));
    run.outcome = RunOutcome::Overlap;
    if (step == schedule::Step::LeaveOut) co_return run;
    std::vector<ScheduleRun::Item> behind;
    if (step == schedule::Step::SubmitAfterPrevious) behind = unfinishedItems(entry);
    if (step == schedule::Step::CancelAndSubmit) co_await cancelItems(unfinishedItems(entry));
    auto submission = submissionOf(entry, run, behind);
    if (!submission) co_return std::unexpected(submission.error());
    const auto answer = co_await parts_.submit(*std::move(submission));
    if (!answer) co_return std::unexpected(answer.error());
    run.outcome = RunOutcome::Submitted;
    for (const SubmitAnswer::Item& item : answer->items)
        run.items.push_back({.first = item.first, .count = item.count});
    co_return run;
}

/// With the schedule's name as label where an action has none. A time that is due has a key: no header has a line
/// break, so it is nobody else's.
Result<Submission> Schedules::submissionOf(const Entry& entry, const ScheduleRun& run,
                                           const std::vector<ScheduleRun::Item>& behind) {
    const ScheduleDefinition& definition = entry.definition;
    auto parsed = parseActions(definition.action);
    if (!parsed) return std::unexpected(parsed.error());
    Submission submission;
    submission.actions = std::move(parsed->actions);
    if (!definition.queue.empty()) submission.queue.ref = parseQueueRef(definition.queue);
    for (ParsedAction& action : submission.actions) {
        ActionSpec spec = *action.spec;
        if (spec.label.empty()) {
            spec.label = definition.name;
            // A name needs no escapes. An empty label that was given stays in the text, the row has the name.
            if (!hasLabelMember(action.text))
                action.text = fmt::format(R"({{"label":"{}",{})", definition.name, action.text.substr(1));
        }
        for (const ScheduleRun::Item& item : behind)
            spec.after.push_back({.lsn = item.first, .on = DependencyOn::Any, .isArray = item.count > 1});
        action.spec = std::make_shared<const ActionSpec>(std::move(spec));
    }
    if (run.due > 0) {
        submission.idempotencyKey =
            fmt::format("\nschedule\n{}\n{}\n{}", definition.name, entry.history.era, run.due);
        submission.bodyHash = Sha256::of(definition.action);
    }
    return submission;
}

/// Of the last run that has something unfinished, and of those before it where they run beside it.
std::vector<ScheduleRun::Item> Schedules::unfinishedItems(const Entry& entry) const {
    std::vector<ScheduleRun::Item> items;
    const bool isQueue = entry.definition.overlap == schedule::Overlap::Queue;
    for (auto run = entry.history.runs.rbegin(); run != entry.history.runs.rend(); ++run) {
        for (const ScheduleRun::Item& item : run->items)
            if (parts_.liveBetween(item.first, item.end())) items.push_back(item);
        // Who waits for the last one waits for those before it, too.
        if (isQueue && !items.empty()) break;
    }
    return items;
}

bool Schedules::isUnfinished(const ScheduleRun& run) const {
    return std::ranges::any_of(run.items, [this](const ScheduleRun::Item& item) {
        return parts_.liveBetween(item.first, item.end()).has_value();
    });
}

/// An answer about what is live holds for all items that it covers: mostly one is enough for a whole history.
std::size_t Schedules::unfinishedRuns(const Entry& entry) const {
    Lsn end;
    for (const ScheduleRun& run : entry.history.runs)
        for (const ScheduleRun::Item& item : run.items) end = std::max(end, item.end());
    // Nothing is live from `from` to before `to`; `to` is, but where it is the end.
    Lsn from = end;
    Lsn to = end;
    const auto isLive = [&](const ScheduleRun::Item& item) {
        if (item.first < from || item.first > to) {
            from = item.first;
            to = parts_.liveBetween(from, end).value_or(end);
        }
        return to < item.end();
    };
    return static_cast<std::size_t>(std::ranges::count_if(
        entry.history.runs, [&](const ScheduleRun& run) { return std::ranges::any_of(run.items, isLive); }));
}

coro::Task<void> Schedules::cancelItems(std::vector<ScheduleRun::Item> items) {
    for (const ScheduleRun::Item& item : items) {
        for (auto live = parts_.liveBetween(item.first, item.end()); live;) {
            // One that ended meanwhile is what was wanted.
            if (const auto done = co_await parts_.cancel(*live); !done)
                logDebug("engine", "{} of a schedule is not cancelled: {}", live->value, done.error().message);
            live = parts_.liveBetween(Lsn(live->value + 1), item.end());
        }
    }
}

} // namespace yard::engine
