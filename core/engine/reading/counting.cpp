// How many actions of a list there are.
#include "core/engine/reading/listing.h"

#include "core/engine/state/list_parts.h"
#include "core/session/live_views.h"

namespace yard::engine {

namespace {

/// All that live, of a queue or of all.
bool isUnfiltered(const ListQuery& query) {
    return !query.heldOnly && !query.retryOnly && query.states.empty() && query.worker.empty() &&
           query.label.empty() && query.text.empty() && query.filter.empty();
}

} // namespace

coro::Task<std::int64_t> Listing::countLive(ListQuery query, std::optional<QueueId> queue, MonoTime until,
                                            bool& isExact) {
    if (isUnfiltered(query)) {
        if (!queue) co_return parts_.session.views().counts().all.active();
        const auto status = parts_.session.views().queue(*queue);
        co_return status ? status->counters.active() : 0;
    }
    std::int64_t count = 0;
    const bool isWhole = co_await parts_.matches.live(std::move(query), queue, until,
                                                      [&count](const session::LiveView&) { ++count; });
    if (!isWhole) isExact = false;
    co_return count;
}

coro::Task<Result<std::int64_t>> Listing::countEnded(ListQuery query, MonoTime until, bool& isExact) {
    std::int64_t count = 0;
    const auto isWhole = co_await parts_.matches.ended(
        std::move(query), until,
        {.portion = [&count](const store::Reader::Counted& counted) { count += counted.count; },
         .row = [&count](const ActionResult&) { ++count; }});
    if (!isWhole) co_return std::unexpected(isWhole.error());
    if (!*isWhole) isExact = false;
    co_return count;
}

coro::Task<Result<ListCount>> Listing::count(ListQuery query) {
    auto whole = co_await parts_.selection.lookUp(std::move(query));
    if (!whole) co_return std::unexpected(whole.error());
    query = std::move(*whole);
    const auto queue = parts_.queues.numberIfNamed(query.queue);
    if (!queue) co_return std::unexpected(queue.error());
    const MonoTime until = parts_.matches.until();
    ListCount counted;
    if (wantsLive(query, parts_.session.state()))
        counted.count = co_await countLive(query, *queue, until, counted.isExact);
    if (wantsEnded(query)) {
        const auto ended = co_await countEnded(std::move(query), until, counted.isExact);
        if (!ended) co_return std::unexpected(ended.error());
        counted.count += *ended;
    }
    co_return counted;
}

} // namespace yard::engine
