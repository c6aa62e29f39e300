#include "core/engine/reading/facets.h"

#include "core/engine/state/list_parts.h"

#include <algorithm>

namespace yard::engine {

FacetKind Facets::kindOf(const session::LiveView& live) const {
    const bool isPending = live.state == ActionState::Pending;
    const Attempt* attempt = isPending ? nullptr : parts_.attempt(live.lsn);
    return {.state = live.state,
            .held = isPending && live.held,
            .isInBackoff = isPending && live.backoff,
            .queue = live.queue,
            .cls = live.cls.value,
            .label = live.label.value,
            .wasStarted = !isPending,
            .machine = attempt ? attempt->machineName : std::string()};
}

/// The journal counts classes from 1.
std::optional<std::uint32_t> Facets::classOf(store::ClassNumber number) const {
    if (number == 0 || number > parts_.dictionary.classCount()) return std::nullopt;
    return number - 1;
}

FacetKind Facets::kindOf(const store::EndedKind& ended) const {
    return {.state = ended.state,
            .reason = ended.reason,
            .queue = ended.queue,
            .cls = classOf(ended.classNumber),
            .label = ended.label < parts_.dictionary.labelCount() ? ended.label : 0,
            .wasStarted = ended.wasStarted,
            .machine = ended.machine};
}

FacetKind Facets::kindOf(const ActionResult& row) const {
    return {.state = row.state,
            .reason = row.outcome ? row.outcome->reason : Reason::None,
            .queue = row.queue,
            .cls = classOf(row.classNumber),
            .label = parts_.dictionary.labelNumber(row.label),
            .wasStarted = row.times[ActionState::Submitting] != 0,
            .machine = row.outcome ? row.outcome->machine : std::string()};
}

coro::Task<Result<bool>> Facets::walk(ListQuery query, bool byMachine, FacetTally& tally) {
    const auto queue = parts_.queues.numberIfNamed(query.queue);
    if (!queue) co_return std::unexpected(queue.error());
    const MonoTime until = parts_.matches.until();
    bool isWhole = true;
    if (wantsLive(query, parts_.session.state()))
        isWhole = co_await parts_.matches.live(query, *queue, until,
                                               [&](const session::LiveView& live) { tally.add(kindOf(live)); });
    if (!wantsEnded(query)) co_return isWhole;
    const auto ended =
        co_await parts_.matches.ended(std::move(query), until,
                                      {.wantsKinds = true,
                                       .wantsMachines = byMachine,
                                       .portion =
                                           [&](const store::Reader::Counted& counted) {
                                               for (const auto& [kind, count] : counted.kinds)
                                                   tally.add(kindOf(kind), count);
                                           },
                                       .row = [&](const ActionResult& row) { tally.add(kindOf(row)); }});
    if (!ended) co_return std::unexpected(ended.error());
    co_return isWhole && *ended;
}

coro::Task<Result<FacetCounts>> Facets::count(FacetQuery query) {
    YARD_ASSERT_OWNER(owner_);
    const auto queue = parts_.queues.numberIfNamed(query.which.queue); // also where it holds of some counts only
    if (!queue) co_return std::unexpected(queue.error());
    auto whole = co_await parts_.selection.lookUp(std::move(query.which));
    if (!whole) co_return std::unexpected(whole.error());
    query.which = std::move(*whole);
    const auto guard = co_await mutex_.lock();
    FacetTally tally({.dictionary = parts_.dictionary,
                      .matches = [this](const ListQuery& terms,
                                        const ActionResult& row) { return parts_.selection.matches(terms, row); },
                      .machineName = parts_.machineName},
                     query);
    const bool byMachine = std::ranges::find(query.by, FacetKey::Machine) != query.by.end();
    const auto isWhole = co_await walk(std::move(query.which), byMachine, tally);
    if (!isWhole) co_return std::unexpected(isWhole.error());
    FacetCounts counts;
    counts.total = tally.total();
    counts.isExact = *isWhole;
    counts.lists = co_await tally.lists();
    co_return counts;
}

} // namespace yard::engine
