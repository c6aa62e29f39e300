#include "core/engine/kernel/restoring.h"

#include "core/base/log.h"
#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/interrupted.h"
#include "core/engine/kernel/services.h"
#include "core/session/intake.h"
#include "core/session/machine_commands.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace yard::engine {

namespace {

/// What lived in a slot when the last engine died goes through Abandoned (engine_died) back to Pending.
void markInterrupted(std::vector<session::NewAction>& actions, const Ground& ground, Services& services,
                     const InterruptedAttempts& interrupted) {
    for (session::NewAction& action : actions) {
        const InterruptedAttempts::Attempt* attempt = interrupted.find(action.lsn, action.attempts);
        action.interrupted = attempt && services.session->queues().configOf(action.queue);
        if (!action.interrupted) continue;
        services.execution->restoreInterrupted({.id = {action.lsn, attempt->number},
                                                .queue = action.queue,
                                                .cls = action.cls,
                                                .started = attempt->started,
                                                .warm = attempt->warm},
                                               ground.scale);
        logWarning("engine", "action {} was interrupted by the end of the last engine", action.lsn.value);
    }
}

/// What machines were given is theirs until they come back, or their leases are over. Where the machine had another run
/// since, that is over.
void markOut(std::vector<session::NewAction>& actions, const Ground& ground, Services& services) {
    const MachineBook& book = services.machineBook;
    std::map<std::string, session::MachineId> numbers;
    auto next = static_cast<std::uint32_t>(1 + ground.options.runners.size());
    for (const auto& [document, kept] : book.machines) {
        fleet::Machine place = placeOf(kept);
        place.gate = fleet::Gate::Silent;
        services.session->machines().add(session::MachineId(next), std::move(place));
        numbers.emplace(document, session::MachineId(next++));
    }
    for (session::NewAction& action : actions) {
        const KeptLease* lease = book.find(action.lsn, action.attempts);
        if (!lease || action.interrupted || !services.session->queues().configOf(action.queue)) continue;
        // Which run an unread machine had last nobody knows: it may have this one.
        const KeptMachine& holder = book.machines.at(lease->holder);
        if (holder.isUnread || lease->runId == holder.runId) {
            action.out = numbers.at(lease->holder);
            continue;
        }
        action.interrupted = true;
        services.execution->restoreInterrupted(
            {.id = {action.lsn, lease->attempt}, .queue = action.queue, .cls = action.cls}, ground.scale);
    }
}

} // namespace

Result<void> restore(Ground& ground, Services& services, const InterruptedAttempts& interrupted) {
    ground.scale = WallScale::pinnedNow();
    // Names and queues come with the rest, after the rows: the rows wait here (48 bytes each in the session
    // anyway).
    std::vector<session::NewAction> actions;
    WallMicros lastSubmitTime = 0;
    std::deque<std::vector<session::Predecessor>> after; // the actions refer to them
    auto restored = ground.store->restore([&](std::span<store::PendingRow> rows) {
        for (const store::PendingRow& row : rows) {
            actions.push_back(services.rows->entering(row));
            // One that ran already waits no more, even if what it waited for was put back since.
            if (!row.after.empty() && row.attempts == 0) {
                after.emplace_back();
                for (const store::Edge& edge : row.after)
                    after.back().push_back(services.predecessors->of(edge, {}));
                actions.back().after = after.back();
            }
            lastSubmitTime = std::max(lastSubmitTime, row.tNew);
        }
    });
    if (!restored) return std::unexpected(restored.error());
    services.intake->restore(restored->lsns, lastSubmitTime);
    services.workers->restore(restored->workers); // a class is another one where its worker is warm
    if (auto named = services.classes->restore(restored->labels, restored->classes); !named) return named;
    services.session->intake().addPast(restored->past);
    services.annotations.restore(restored->marks, std::move(restored->comments));
    services.queues->restore(restored->queues, restored->lastQueue);
    services.failureMutes->restore(restored->documents);
    services.schedules->restore(restored->documents);
    services.objects->restore(restored->objectTypes, restored->effects, restored->lastObject,
                              restored->lastObjectType);
    services.objects->actions().restore(restored->ownedActions);
    if (auto read = ground.store->restoreObjects(
            [&services](std::span<store::ObjectStanding> rows) { services.objects->restoreObjects(rows); });
        !read)
        return read;
    services.alerts->restore(restored->documents);
    services.courtesy->restore(restored->documents);
    services.kinds->restore(restored->documents);
    services.allocators->restore(restored->documents);
    markInterrupted(actions, ground, services, interrupted);
    services.machineBook = MachineBook::from(restored->documents);
    markOut(actions, ground, services);
    constexpr std::size_t kStep = 1000;
    for (std::size_t at = 0; at < actions.size(); at += kStep)
        services.session->intake().add(std::span(actions).subspan(at, std::min(kStep, actions.size() - at)),
                                       MonoClock::now(), services.outbox);
    services.queues->goOnDeleting();
    if (!actions.empty()) logInfo("engine", "{} actions are pending", actions.size());
    return {};
}

} // namespace yard::engine
