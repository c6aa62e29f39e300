#include "core/engine/commands/moving.h"

#include "core/engine/reading/action_rows.h"
#include "core/engine/state/slice.h"
#include "core/session/action_commands.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace yard::engine {

/// What waits and matches, one more than can be moved at most.
coro::Task<Result<std::vector<Lsn>>> Moving::choose(ListQuery which) {
    const auto queue = parts_.queues.numberIfNamed(which.queue);
    if (!queue) co_return std::unexpected(queue.error());
    Result<ListQuery> query = co_await parts_.selection.lookUp(std::move(which));
    if (!query) co_return std::unexpected(query.error());
    if (const auto whole = co_await parts_.selection.findCommands(*query, MonoTime::max()); !whole)
        co_return std::unexpected(whole.error());
    LiveMatcher matcher = parts_.selection.matcher(*query, *queue);
    std::vector<Lsn> chosen;
    for (Lsn next{1}; next.value > 0 && chosen.size() <= session::PlaceCommands::kMostAtOnce;) {
        next = parts_.session.views().walk(next, kPerSlice, [&](const session::LiveView& live) {
            const bool waits = live.state == ActionState::Pending && !live.ending && !live.cancelRequested;
            if (waits && matcher.matches(live)) chosen.push_back(live.lsn);
        });
        if (next.value > 0) co_await coro::yieldNow();
    }
    co_return chosen;
}

/// The session knows nothing of what has ended, nor of what never was: the journal tells them apart.
coro::Task<void> Moving::nameUnknown(std::vector<std::pair<Lsn, Error>>& refused) {
    std::vector<Lsn> lsns;
    for (const auto& [lsn, why] : refused)
        if (why.kind == ErrorKind::NotFound) lsns.push_back(lsn);
    if (lsns.empty()) co_return;
    const auto states = co_await parts_.journal.states(lsns);
    if (!states) co_return; // what the session says is true as well
    std::size_t at = 0;
    for (auto& [lsn, why] : refused)
        if (why.kind == ErrorKind::NotFound && (*states)[at++] == ActionState::New)
            why = unknownAction(lsn).error();
}

/// All parts follow each other in the journal.
coro::Task<Result<void>> Moving::keep(const std::vector<session::MovePlan::Placed>& placed) {
    std::vector<std::unique_ptr<coro::OneShot<store::AckDetail>>> parts;
    for (std::size_t at = 0; at < placed.size(); at += store::kMostAtOnce) {
        store::PlaceActions part;
        const std::size_t end = std::min(placed.size(), at + static_cast<std::size_t>(store::kMostAtOnce));
        for (std::size_t i = at; i < end; ++i) part.rows.emplace_back(placed[i].lsn, placed[i].to);
        parts.push_back(parts_.post(std::move(part)));
    }
    Result<void> kept;
    for (const auto& part : parts)
        if (const store::AckDetail done = co_await part->get(); done.error && kept)
            kept = std::unexpected(*done.error);
    co_return kept;
}

coro::Task<Result<MoveAnswer>> Moving::move(MoveRequest request) {
    YARD_ASSERT_OWNER(owner_);
    if (request.which) {
        auto chosen = co_await choose(std::move(*request.which));
        if (!chosen) co_return std::unexpected(chosen.error());
        request.lsns = std::move(*chosen);
    }
    session::PlaceCommands& places = parts_.session.places();
    std::set<QueueId> queues; // several are refused by the plan
    for (const Lsn lsn : request.lsns)
        if (const auto live = parts_.session.views().live(lsn);
            live && live->state == ActionState::Pending && queues.size() < 2)
            queues.insert(live->queue);
    for (const QueueId queue : queues)
        while (!places.prepare(queue, kPerSlice)) co_await coro::yieldNow();
    const auto guard = co_await mutex_.lock(); // not before: a search may take long
    // No suspension from here to the post: the plan is about what is so now.
    Result<session::MovePlan> plan = places.plan(request.lsns, request.to);
    if (!plan) {
        std::vector<std::pair<Lsn, Error>> before{{request.to.before, plan.error()}};
        co_await nameUnknown(before);
        co_return std::unexpected(std::move(before.front().second));
    }
    if (const auto kept = co_await keep(plan->placed); !kept) co_return std::unexpected(kept.error());
    MoveAnswer answer;
    int n = 0;
    for (const auto& [lsn, to] : plan->placed) {
        answer.changed += parts_.session.actions().setPlace(lsn, to) ? 1 : 0;
        if (++n % kPerSlice == 0) co_await coro::yieldNow(); // nobody else plans meanwhile
    }
    if (!plan->placed.empty()) parts_.wake();
    answer.moved = plan->matched;
    answer.refused = std::move(plan->refused);
    if (plan->matched > 0) {
        answer.queue = plan->queue;
        for (const Lsn lsn : request.lsns)
            if (const auto place = places.numberOf(lsn))
                answer.place = std::min(*place, answer.place.value_or(*place));
    }
    co_await nameUnknown(answer.refused);
    co_return answer;
}

} // namespace yard::engine
