// Questions: rows from the journal, read on the reader thread, overlaid with what the session knows right now.
#include "core/engine/engine_core.h"
#include "core/engine/list_parts.h"

#include "core/coro/timeout.h"
#include "core/model/action_name.h"
#include "core/model/array_element.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <unistd.h>

namespace yard::engine {

namespace {

constexpr int kHistory = 1000;
constexpr int kMostDependents = 10'000;
/// Commands are looked through for this long before others who read get their turn.
constexpr Duration kNamesPortion{8'000};
/// Bars of a timeline whose commands are looked up; what is beyond has none.
constexpr std::size_t kNamedBars = 2'000;

/// The LSNs that a range of `after` names; nothing when there are none.
std::optional<store::LsnRun> lsnsOf(const FilterTerm::Range& range) {
    const double low = std::ceil(std::clamp(range.low, 0.0, kMostExactLsn));
    const double high = std::floor(std::clamp(range.high, 0.0, kMostExactLsn));
    const auto first = static_cast<std::int64_t>(low) + (!range.withLow && low == range.low ? 1 : 0);
    const auto last = static_cast<std::int64_t>(high) - (!range.withHigh && high == range.high ? 1 : 0);
    if (last < first) return std::nullopt;
    return store::LsnRun{Lsn(first), last - first + 1};
}

/// In order, and those that touch or overlap as one.
std::vector<FilterTerm::Range> joined(std::vector<store::LsnRun> runs) {
    std::ranges::sort(runs, {}, &store::LsnRun::first);
    std::vector<FilterTerm::Range> ranges;
    for (const store::LsnRun& run : runs) {
        const auto first = static_cast<double>(run.first.value);
        const auto last = static_cast<double>(run.last().value);
        if (!ranges.empty() && first <= ranges.back().high + 1)
            ranges.back().high = std::max(ranges.back().high, last);
        else
            ranges.push_back({first, last});
    }
    return ranges;
}

} // namespace

/// What was seen of an attempt that goes on: the last look, and as what an end would say.
static void showUsage(ActionResult& result, const AttemptUsage& usage) {
    const auto& samples = usage.series.all();
    if (samples.empty()) return;
    result.usage = samples.back();
    AttemptOutcome& outcome = result.outcome.emplace();
    outcome.state = ActionState::Running;
    outcome.cpuSeconds = static_cast<double>(usage.cpu) / 1e6;
    outcome.maxRssBytes = usage.series.mostRss();
}

/// Row and session: what is in flight is not in the journal.
void EngineCore::overlay(ActionResult& result) const {
    const auto live = session_->live(result.lsn);
    if (!live) return;
    result.state = live->state;
    if (live->state == ActionState::Abandoned) { // its row follows
        result.outcome.emplace();
        result.outcome->state = ActionState::Abandoned;
        result.outcome->reason = Reason::Abandoned;
    }
    result.held = live->held;
    result.priority = live->priority;
    result.retryCount = live->retries.retryCount;
    result.retryAt = live->backoff && live->wakesAt != MonoTime{} ? scale_.at(live->wakesAt) : 0;
    if (live->cancelRequested && !isEnded(live->state)) result.ending = ActionState::Cancelled;
    if (live->state == ActionState::Pending) {
        if (const auto waiting = session_->waiting(result.lsn, false))
            if (const auto waits = waitsOf(result.lsn, *waiting, true); !waits.empty())
                result.note = waits.front().message;
        return;
    }
    const Attempt* attempt = dispatcher_->find(result.lsn);
    if (!attempt) return;
    result.hungSince = attempt->hungSince;
    if (attempt->terminal) result.tty = attempt->terminal->size();
    if (attempt->progress != MonoTime{} && settings_.hung > Duration::zero())
        result.silentSince = scale_.at(attempt->progress);
    if (attempt->hungSince != 0) result.note = "no output and no processor time for a while";
    if (result.ending) result.note = "cancelled: its processes are being ended";
    if (attempt->usage) showUsage(result, *attempt->usage);
    const Timestamps& times = attempt->record.times;
    result.times[ActionState::Submitting] = times[ActionState::Submitting];
    result.times[ActionState::Running] = times[ActionState::Running];
    result.times.exited = times.exited;
    estimateRunning(result, *live);
}

/// What the journal will say of an action whose first attempt ends it; nothing of others, which have more to tell.
std::optional<ActionResult> EngineCore::resultOf(const store::Finish& row) const {
    const auto live = session_->live(row.lsn);
    if (!live || !row.attempt || row.attempt->n != 1 || live->retries.retryCount != 0) return std::nullopt;
    ActionResult result;
    result.lsn = row.lsn;
    result.queue = live->queue;
    const ClassKey& key = dictionary_.classKey(live->cls.value);
    result.classNumber = live->cls.value + 1;
    result.workerId = key.workerId;
    result.workerName = key.workerName;
    result.function = key.function;
    result.label = dictionary_.label(live->label.value);
    if (result.label.empty() && key.workerId == "exec") {
        const Attempt* attempt = dispatcher_->find(row.lsn);
        if (!attempt || !attempt->spec || attempt->spec->array) return std::nullopt;
        result.command = commandName(attempt->spec->argv);
    }
    result.state = row.state;
    result.priority = live->priority;
    AttemptRecord& attempt = result.attempts.emplace_back(*row.attempt);
    attempt.outcome.samples.clear();
    if (attempt.outcome.cpuSeconds) // as it is kept: whole microseconds
        attempt.outcome.cpuSeconds = static_cast<double>(std::llround(*attempt.outcome.cpuSeconds * 1e6)) / 1e6;
    result.note = row.note.empty() ? attempt.outcome.note : row.note;
    result.times = attempt.times;
    result.times[ActionState::New] = result.times[ActionState::Pending] = live->submitTime;
    result.times[row.state] = row.tEnd;
    result.outcome = attempt.outcome;
    result.outcome->note = result.note;
    return result;
}

std::unexpected<Error> unknownAction(Lsn lsn) {
    return fail(
        ErrorKind::NotFound,
        fmt::format("There is no action {}, or not any more (it was retired): GET jobs lists those there are.",
                    lsn.value));
}

coro::Task<Result<ActionResult>> EngineCore::action(Lsn lsn) {
    Result<ActionResult> row = co_await rowOf(lsn);
    if (row) co_await addNotes(std::span(&*row, 1));
    co_return row;
}

coro::Task<Result<ActionResult>> EngineCore::rowOf(Lsn lsn) {
    for (int attempt = 0;; ++attempt) {
        auto row = co_await read([lsn](store::Reader& reader) { return reader.get(lsn); });
        if (!row) co_return std::unexpected(row.error());
        if (!*row) co_return unknownAction(lsn);
        ActionResult result = std::move(**row);
        // A pending row of an action that is not live: it ended, or entered, while we read. Look again.
        if (!isEnded(result.state) && !session_->live(lsn) && attempt < 3) {
            co_await coro::yieldNow();
            continue;
        }
        if (!isEnded(result.state)) overlay(result);
        co_return result;
    }
}

coro::Task<Result<std::vector<UsageSample>>> EngineCore::samples(Lsn lsn) {
    Result<ActionResult> known = co_await action(lsn);
    if (!known) co_return std::unexpected(known.error());
    // Looked up when the journal was read: what ended meanwhile is in one of both.
    const Attempt* attempt = dispatcher_->find(lsn);
    if (!isEnded(known->state) && attempt && attempt->phase >= Attempt::Phase::Launched) {
        if (attempt->usage) co_return attempt->usage->series.all();
        co_return attempt->record.outcome.samples;
    }
    if (known->attempts.empty()) co_return std::vector<UsageSample>{};
    co_return std::move(known->attempts.back().outcome.samples);
}

coro::Task<Result<std::string>> EngineCore::spec(Lsn lsn, bool element) {
    auto text = co_await read([lsn](store::Reader& reader) { return reader.specText(lsn); });
    if (!text) co_return std::unexpected(text.error());
    if (!*text)
        co_return fail(
            ErrorKind::NotFound,
            fmt::format(
                "Action {0} as it was posted is not kept (any more): GET jobs/{0} says what is known of it.",
                lsn.value));
    if (element && (*text)->arrayIndex) co_return elementOfArray((*text)->text, *(*text)->arrayIndex);
    co_return std::move((*text)->text);
}

/// What only filters ask for.
ActionResult EngineCore::withNames(ActionResult result) const {
    if (result.classNumber > 0 && result.classNumber <= dictionary_.classCount())
        result.locks = dictionary_.classKey(result.classNumber - 1).locks;
    if (result.times[ActionState::Submitting] != 0) result.machine = machineName_;
    return result;
}

bool EngineCore::accepts(const ListQuery& query, const ActionResult& result) const {
    if (result.locks.empty() && result.machine.empty() && wantsNames(query.filter)) {
        const ActionResult named = withNames(result);
        if (!named.locks.empty() || !named.machine.empty()) return accepts(query, named);
    }
    if (!query.heldOnly && !query.retryOnly && !wants(query.states, result.state)) return false;
    if (query.heldOnly && !result.held) return false;
    if (query.retryOnly && result.retryAt == 0) return false;
    if (!query.filter.empty()) {
        std::array<std::string, 2> names;
        if (const auto* queue = queues_.find(result.queue)) names = {queue->tag, queue->token};
        if (!query.filter.matches(result, scale_.at(MonoClock::now()), names)) return false;
    }
    if (query.text.empty()) return true;
    const auto has = [&](const std::string& text) { return text.find(query.text) != text.npos; };
    return has(result.label) || has(result.workerName) || has(result.function) || has(result.note) ||
           has(result.command);
}

coro::Task<Result<ListPage>> EngineCore::listRunning(ListQuery query) {
    const auto queue = queueIdOf(query.queue);
    if (!queue) co_return std::unexpected(queue.error());
    std::vector<Lsn> lsns = session_->runningActions();
    std::ranges::sort(lsns, [&](Lsn a, Lsn b) { return query.sort.descending ? b < a : a < b; });
    Lsn after{};
    std::from_chars(query.cursor.data(), query.cursor.data() + query.cursor.size(), after.value);
    ListPage page;
    for (const Lsn lsn : lsns) {
        if (after.value && (query.sort.descending ? lsn >= after : lsn <= after)) continue;
        if (std::ssize(page.jobs) >= query.limit) {
            page.cursor = fmt::format("{}", page.jobs.back().lsn.value);
            break;
        }
        Result<ActionResult> result = co_await rowOf(lsn);
        if (!result || !accepts(query, *result)) continue;
        if (*queue && result->queue != **queue) continue;
        if (!query.label.empty() && result->label != query.label) continue;
        if (!query.worker.empty() && result->workerId != query.worker && result->workerName != query.worker)
            continue;
        result->attempts.clear();
        page.jobs.push_back(std::move(*result));
    }
    co_await addNotes(page.jobs);
    co_return page;
}

/// What of a query the journal can look for.
Result<store::PageFilter> EngineCore::pageFilter(const ListQuery& query) {
    store::PageFilter filter;
    const auto queue = queueIdOf(query.queue);
    if (!queue) return std::unexpected(queue.error());
    filter.queue = *queue;
    if (!query.worker.empty()) {
        const RegisteredWorker* worker = query.worker == "exec" ? nullptr : workers_.find(query.worker);
        // name@version means one worker; a bare name means all of that name, those of old versions too.
        filter.worker = worker && query.worker.contains('@') ? worker->id : query.worker;
    }
    if (!query.label.empty()) filter.label = query.label;
    for (const ActionState state : query.states)
        if (isEnded(state)) filter.states.push_back(state);
    filter.heldOnly = query.heldOnly;
    filter.backoffOnly = query.retryOnly;
    for (const FilterTerm& term : query.filter.terms)
        if (isOfNumbers(term.key)) filter.numbers.terms.push_back(term);
    return filter;
}

coro::Task<Result<ListQuery>> EngineCore::withDependents(ListQuery query) {
    for (FilterTerm& term : query.filter.terms) {
        if (term.key != FilterKey::After) continue;
        std::vector<store::LsnRun> runs;
        for (const FilterTerm::Range& range : term.ranges) {
            const std::optional<store::LsnRun> asked = lsnsOf(range);
            if (!asked) continue;
            const auto found = co_await read([asked](store::Reader& reader) {
                return reader.dependents(asked->first, asked->last(), kMostDependents);
            });
            if (!found) co_return std::unexpected(found.error());
            runs.insert(runs.end(), found->runs().begin(), found->runs().end());
        }
        term.found = joined(std::move(runs));
    }
    co_return query;
}

/// What the session does not know of what waits: which of it has a command that the query means. False: not all
/// that waits was looked at before `until`.
coro::Task<Result<bool>> EngineCore::findCommands(ListQuery& query, MonoTime until) {
    for (FilterTerm& term : query.filter.terms) {
        if (!looksAtCommand(term)) continue;
        Filter one;
        one.terms.push_back(term);
        one.terms.front().negated = false;
        const auto isWanted = [one = std::move(one), shown = ActionResult{}](std::string_view command) mutable {
            shown.command = command;
            return one.matches(shown, 0);
        };
        std::vector<store::LsnRun> runs;
        for (Lsn behind{};;) {
            if (MonoClock::now() >= until) co_return false;
            const auto found = co_await read([isWanted, behind](store::Reader& reader) {
                return reader.pendingNamed(isWanted, behind, kNamesPortion);
            });
            if (!found) co_return std::unexpected(found.error());
            runs.insert(runs.end(), found->lsns.runs().begin(), found->lsns.runs().end());
            behind = found->cursor;
            if (behind.value == 0) break;
        }
        term.found = joined(std::move(runs));
    }
    co_return true;
}

/// Page after page until there are enough, nothing is left, or it has looked long enough.
coro::Task<Result<ListPage>> EngineCore::list(ListQuery query) {
    const MonoTime until = MonoClock::now() + kLookFor;
    Result<store::PageFilter> filter = pageFilter(query);
    if (!filter) co_return std::unexpected(filter.error());
    if (query.sort.field != SortField::Lsn)
        co_return co_await listSorted(std::move(query), std::move(*filter), until);
    if (auto named = lsnsNamedIn(query.filter))
        co_return co_await listNamed(std::move(query), std::move(*named), until);
    if (onlyRunning(query)) co_return co_await listRunning(std::move(query));
    Lsn cursor{};
    if (!query.cursor.empty()) {
        const std::optional<Lsn> last = lsnFrom(query.cursor);
        if (!last)
            co_return fail(ErrorKind::Malformed,
                           "\"cursor\" is none that a page was answered with: begin without one.");
        cursor = *last;
    }
    const bool live = wantsLive(query, session_->state());
    const bool ended = wantsEnded(query);
    const bool looksItself = !query.filter.empty() || !query.text.empty();
    const int wanted = query.limit;
    ListPage page;
    for (;;) {
        filter->lookFor = lookLeft(until);
        auto both = co_await readPages(*filter, query.sort.descending, looksItself ? kRowsAtOnce : query.limit,
                                       cursor, live, ended);
        if (!both) co_return std::unexpected(both.error());
        ListPage more = merge(query, std::move(*both));
        page.cursor = std::move(more.cursor);
        std::ranges::move(more.jobs, std::back_inserter(page.jobs));
        query.limit = wanted - static_cast<int>(page.jobs.size());
        if (page.cursor.empty() || query.limit <= 0 || MonoClock::now() + kLeastLook >= until) break;
        std::from_chars(page.cursor.data(), page.cursor.data() + page.cursor.size(), cursor.value);
    }
    co_await addNotes(page.jobs);
    co_return page;
}

coro::Task<Result<std::array<store::Page, 2>>> EngineCore::readPages(store::PageFilter filter, bool newestFirst,
                                                                     int limit, Lsn cursor, bool live, bool ended) {
    const auto order = newestFirst ? store::PageOrder::NewestFirst : store::PageOrder::OldestFirst;
    // From now on, not from when the reader comes to it: what waits behind others looks for less.
    const MonoTime until = MonoClock::now() + filter.lookFor;
    co_return co_await read([=](store::Reader& reader) mutable -> Result<std::array<store::Page, 2>> {
        // Pending first: what ends in between is then seen at least once.
        std::array<store::Page, 2> pages;
        if (live) {
            filter.lookFor = ended ? lookLeft(until) / 2 : lookLeft(until);
            auto page = reader.pagePending(filter, order, limit, cursor);
            if (!page) return std::unexpected(page.error());
            pages[0] = std::move(*page);
        }
        if (ended) {
            filter.lookFor = lookLeft(until);
            auto page = reader.page(filter, order, limit, cursor);
            if (!page) return std::unexpected(page.error());
            pages[1] = std::move(*page);
        }
        return pages;
    });
}

/// Two pages by LSN into one: up to where both have been looked at.
ListPage EngineCore::merge(const ListQuery& query, std::array<store::Page, 2> pages) const {
    const bool newest = query.sort.descending;
    const auto before = [newest](Lsn a, Lsn b) { return newest ? b < a : a < b; };
    Lsn edge{};
    for (const store::Page& page : pages)
        if (page.cursor.value && (edge.value == 0 || before(page.cursor, edge))) edge = page.cursor;
    ListPage merged;
    for (store::Page& page : pages)
        for (ActionResult& row : page.rows) {
            if (edge.value && before(edge, row.lsn)) continue;
            if (!isEnded(row.state)) overlay(row);
            if (accepts(query, row)) merged.jobs.push_back(std::move(row));
        }
    std::ranges::sort(merged.jobs, before, &ActionResult::lsn);
    // An action that ended between the two reads is in both; the finished row is the later one.
    const auto same = [](const ActionResult& a, const ActionResult& b) { return a.lsn == b.lsn; };
    for (auto at = std::ranges::adjacent_find(merged.jobs, same); at != merged.jobs.end();
         at = std::adjacent_find(at, merged.jobs.end(), same))
        at = merged.jobs.erase(isEnded(at->state) ? std::next(at) : at);
    if (std::ssize(merged.jobs) > query.limit) {
        merged.jobs.resize(static_cast<std::size_t>(query.limit));
        edge = merged.jobs.back().lsn;
    }
    if (edge.value) merged.cursor = fmt::format("{}", edge.value);
    return merged;
}

coro::Task<Result<ListPage>> EngineCore::history(QueueSelector selector) {
    const auto queue = queueIdOf(selector.ref);
    if (!queue) co_return std::unexpected(queue.error());
    auto rows = co_await read([queue = *queue](store::Reader& reader) { return reader.history(kHistory, queue); });
    if (!rows) co_return std::unexpected(rows.error());
    co_return ListPage{std::move(*rows), {}};
}

coro::Task<TimelineView> EngineCore::timelines(TimelineQuery query) {
    TimelineView view = co_await timelines_->query(std::move(query));
    std::vector<Lsn> lsns = view.unnamed(kNamedBars);
    while (!lsns.empty()) {
        auto commands =
            co_await read([lsns](store::Reader& reader) { return reader.commands(lsns, kNamesPortion); });
        if (!commands || commands->empty()) break; // bars without names are better than none
        for (std::size_t i = 0; i < commands->size(); ++i)
            if (!(*commands)[i].empty()) view.commands.emplace(lsns[i], std::move((*commands)[i]));
        lsns.erase(lsns.begin(), lsns.begin() + std::ssize(*commands));
    }
    co_return view;
}

coro::Task<SessionView> EngineCore::session() {
    SessionView view;
    view.state = session_->state();
    view.engineId = directory_->engineId();
    view.runId = runId_;
    const session::SessionCounts counts = session_->counts();
    const auto set = [&view](ActionState state, std::int64_t count) {
        view.counts[std::to_underlying(state)] = count;
    };
    set(ActionState::Pending, counts.all.pending);
    set(ActionState::Submitting, counts.submitting);
    set(ActionState::Running, counts.all.running - counts.submitting);
    set(ActionState::Completed, counts.all.completed);
    set(ActionState::Failed, counts.all.failed);
    set(ActionState::Abandoned, counts.all.abandoned);
    set(ActionState::Cancelled, counts.all.cancelled);
    view.machineName = machineName_;
    view.held = counts.held;
    view.retry = counts.backingOff;
    view.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    view.total = total_;
    for (const auto& [name, amount] : total_.named)
        if (name == "gpus") view.gpus = static_cast<double>(amount) / 1000;
    view.memoryBytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
    view.capacity = capacity_;
    view.slots = {.oneCore = coreSlots_, .other = sharedSlots_, .warm = poolSlots_, .why = slotLimit_};
    view.journalWritable = committer_.writable();
    view.guard = guards_->view();
    const EngineFigures& itself = figures_->engine();
    view.itself = {itself.cpuPercent, itself.rssBytes, itself.journalBytes, itself.diskBytes, itself.diskFreeBytes};
    view.sandbox = sandboxing_->view();
    view.janitor = {
        .reaped = counters_.orphansReaped, .staleLocks = counters_.staleLocks, .findings = orphans_->findings()};
    co_return view;
}

// --- output

namespace {

/// A change of an output is waited for so long at once.
constexpr Duration kStreamWait{1'000'000};

const AttemptRecord* endedAttempt(const ActionResult& result, std::uint32_t number) {
    if (number == 0) return result.attempts.empty() ? nullptr : &result.attempts.back();
    const auto at = std::ranges::find(result.attempts, number, &AttemptRecord::n);
    return at == result.attempts.end() ? nullptr : &*at;
}

} // namespace

coro::Task<Result<StreamSource>> EngineCore::openStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                        bool follow) {
    const unsigned which = stream == Stream::Out ? 0 : 1;
    for (int look = 0; look < 3; ++look) {
        const Attempt* running = dispatcher_->find(lsn);
        const bool launched = running && running->phase >= Attempt::Phase::Launched;
        // Of a terminal all is stdout: the file would never be there.
        if (launched && running->terminal && stream == Stream::Err && !follow) co_return StreamSource{};
        if (const auto live = launched ? dispatcher_->follow(lsn, attempt, which) : nullptr) {
            const std::uint32_t number = attempt ? attempt : running->id.attempt;
            const MonoTime until = MonoClock::now() + kStreamWait;
            while (live->streams[which].path.empty() && !live->ended && MonoClock::now() < until)
                co_await coro::comesWithin(kStreamWait, live->changed);
            if (!live->ended && !live->streams[which].path.empty())
                co_return StreamSource{number, {}, live->streams[which].path, false, live->streams[which].limit};
            if (!live->ended) co_return StreamSource{};
        }
        const Result<ActionResult> known = co_await action(lsn);
        if (!known) co_return std::unexpected(known.error());
        const bool newer = attempt == 0 && follow && !isEnded(known->state) && dispatcher_->find(lsn);
        if (const AttemptRecord* record = endedAttempt(*known, attempt); record && !newer) {
            const auto& chunk = stream == Stream::Out ? record->outcome.out : record->outcome.err;
            const bool last = isEnded(known->state) && record == &known->attempts.back();
            co_return StreamSource{record->n, chunk.value_or(ChunkRef{Hash256::ofNothing(), 0}), {}, !last};
        }
        if (isEnded(known->state) || !follow)
            co_return fail(
                ErrorKind::NotFound,
                fmt::format("Action {0} has no output{1}: it did not run; GET jobs/{0} lists its attempts.",
                            lsn.value, attempt ? fmt::format(" of attempt {}", attempt) : std::string()));
        co_await coro::comesWithin(kStreamWait, dispatcher_->progress());
    }
    co_return StreamSource{};
}

coro::Task<Result<StreamProgress>> EngineCore::awaitStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                           std::uint64_t known) {
    const unsigned which = stream == Stream::Out ? 0 : 1;
    const auto live = dispatcher_->follow(lsn, attempt, which);
    if (!live || live->ended) co_return StreamProgress{known, true};
    if (live->streams[which].size <= known) co_await coro::comesWithin(kStreamWait, live->changed);
    co_return StreamProgress{live->streams[which].size, live->ended};
}

} // namespace yard::engine
