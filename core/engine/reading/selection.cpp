#include "core/engine/reading/selection.h"

#include "core/coro/sync.h"
#include "core/engine/state/list_parts.h"
#include "core/engine/state/lsn_ranges.h"
#include "core/engine/state/slice.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace yard::engine {

namespace {

constexpr int kMostDependents = 10'000;
/// Commands are looked through for this long before others who read get their turn.
constexpr Duration kNamesPortion{8'000};

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
    for (const store::LsnRun& run : runs) extend(ranges, run);
    return ranges;
}

/// A range of LSNs is looked for in its own part of the journal.
void narrowToLsns(const FilterTerm& term, store::PageFilter& filter) {
    if (term.negated || (term.key != FilterKey::Lsn && !isOfAnnotations(term.key))) return;
    const std::vector<FilterTerm::Range>& ranges = term.key == FilterKey::Lsn ? term.ranges : term.found;
    if (ranges.empty()) return;
    double low = ranges.front().low;
    double high = ranges.front().high;
    for (const FilterTerm::Range& range : ranges) {
        low = std::min(low, range.low);
        high = std::max(high, range.high);
    }
    if (low >= 1 && low <= kMostExactLsn) filter.from = std::max(filter.from, Lsn(static_cast<std::int64_t>(low)));
    if (high < 1 || high > kMostExactLsn) return;
    const Lsn last(static_cast<std::int64_t>(high));
    filter.to = filter.to.value == 0 ? last : std::min(filter.to, last);
}

} // namespace

coro::Task<Result<void>> Selection::findDependents(FilterTerm& term) {
    std::vector<store::LsnRun> runs;
    for (const FilterTerm::Range& range : term.ranges) {
        const std::optional<store::LsnRun> asked = lsnsOf(range);
        if (!asked) continue;
        const auto found = co_await parts_.journal.dependents(asked->first, asked->last(), kMostDependents);
        if (!found) co_return std::unexpected(found.error());
        runs.insert(runs.end(), found->runs().begin(), found->runs().end());
    }
    term.found = joined(std::move(runs));
    co_return Result<void>{};
}

coro::Task<void> Selection::findNoted(FilterTerm& term) const {
    term.found.clear();
    for (Lsn next{1}; next.value > 0;) {
        next = parts_.annotations.findMeant(term, next, kPerSlice, term.found);
        if (next.value > 0) co_await coro::yieldNow();
    }
    Annotations::finish(term, term.found);
}

coro::Task<Result<ListQuery>> Selection::lookUp(ListQuery query) {
    for (FilterTerm& term : query.filter.terms) {
        if (isOfAnnotations(term.key)) co_await findNoted(term);
        if (term.key != FilterKey::After) continue;
        if (auto found = co_await findDependents(term); !found) co_return std::unexpected(found.error());
    }
    co_return query;
}

coro::Task<Result<bool>> Selection::findCommands(ListQuery& query, MonoTime until) {
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
            if (parts_.now() >= until) co_return false;
            const auto found = co_await parts_.journal.pendingNamed(isWanted, behind, kNamesPortion);
            if (!found) co_return std::unexpected(found.error());
            runs.insert(runs.end(), found->lsns.runs().begin(), found->lsns.runs().end());
            behind = found->cursor;
            if (behind.value == 0) break;
        }
        term.found = joined(std::move(runs));
    }
    co_return true;
}

Result<store::PageFilter> Selection::pageFilter(const ListQuery& query) {
    store::PageFilter filter;
    const auto queue = parts_.queues.numberIfNamed(query.queue);
    if (!queue) return std::unexpected(queue.error());
    filter.queue = *queue;
    if (!query.worker.empty()) {
        const RegisteredWorker* worker = query.worker == "exec" ? nullptr : parts_.registry.find(query.worker);
        // name@version means one worker; a bare name means all of that name, those of old versions too.
        filter.worker = worker && query.worker.contains('@') ? worker->id : query.worker;
    }
    if (!query.label.empty()) filter.label = query.label;
    for (const ActionState state : query.states)
        if (isEnded(state)) filter.states.push_back(state);
    filter.heldOnly = query.heldOnly;
    filter.backoffOnly = query.retryOnly;
    for (const FilterTerm& term : query.filter.terms) {
        if (isOfNumbers(term.key)) filter.numbers.terms.push_back(term);
        narrowToLsns(term, filter);
    }
    // Failures have an index.
    const bool wantsFailures = std::ranges::any_of(
        query.filter.terms, [](const FilterTerm& term) { return term.key == FilterKey::Failure && !term.negated; });
    if (wantsFailures && filter.states.empty()) filter.states = {ActionState::Failed, ActionState::Abandoned};
    return filter;
}

LiveMatcher Selection::matcher(const ListQuery& query, std::optional<QueueId> queue) const {
    YARD_ASSERT_OWNER(owner_);
    const auto complete = [this](ActionResult& result) {
        if (const auto live = parts_.session.views().live(result.lsn))
            result.times[ActionState::Pending] = parts_.rows.pendingSince(*live);
        parts_.rows.overlay(result);
        parts_.rows.nameMachine(result);
    };
    const auto queueNames = [this](QueueId id) { return parts_.queues.namesOf(id); };
    return LiveMatcher({.dictionary = parts_.dictionary,
                        .queueNames = queueNames,
                        .complete = complete,
                        .wallOf = [this](MonoTime at) { return parts_.scale.at(at); },
                        .now = parts_.scale.at(parts_.now())},
                       query, queue);
}

bool Selection::accepts(const ListQuery& query, const ActionResult& result) const {
    if (result.locks.empty() && result.machine.empty() && wantsNames(query.filter)) {
        const ActionResult named = parts_.rows.withNames(result);
        if (!named.locks.empty() || !named.machine.empty()) return accepts(query, named);
    }
    if (!query.heldOnly && !query.retryOnly && !wants(query.states, result.state)) return false;
    if (query.heldOnly && !result.held) return false;
    if (query.retryOnly && result.retryAt == 0) return false;
    if (!query.filter.empty()) {
        std::array<std::string, 2> names;
        if (const auto* queue = parts_.queues.find(result.queue)) names = {queue->tag, queue->token};
        if (!query.filter.matches(result, parts_.scale.at(parts_.now()), names)) return false;
    }
    if (query.text.empty()) return true;
    const auto has = [&](const std::string& text) { return text.find(query.text) != text.npos; };
    return has(result.label) || has(result.workerName) || has(result.function) || has(result.note) ||
           has(result.command);
}

bool Selection::matches(const ListQuery& query, const ActionResult& row) const {
    if (!accepts(query, row)) return false;
    if (query.queue && parts_.queues.known(*query.queue) != row.queue) return false;
    if (!query.label.empty() && row.label != query.label) return false;
    if (query.worker.empty() || row.workerId == query.worker || row.workerName == query.worker) return true;
    const RegisteredWorker* worker = query.worker.contains('@') ? parts_.registry.find(query.worker) : nullptr;
    return worker && worker->id == row.workerId;
}

} // namespace yard::engine
