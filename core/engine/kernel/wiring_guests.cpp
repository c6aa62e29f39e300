// What runs here for other engines, given what it needs of this one.
#include "core/engine/kernel/wires.h"
#include "core/engine/kernel/wiring.h"

#include <fmt/format.h>

namespace yard::engine {

static bool startsWork(SessionState state) {
    return state == SessionState::Ready || state == SessionState::Draining;
}

/// They run in a sandbox; without one only where this machine's own do, too, and guests may.
bool Wiring::mayRunWorkersOfOthers() const {
    const bool needsSandbox = ground_.sandboxing->forWorkers() || ground_.settings.guestUnsandboxed != "on";
    return !needsSandbox || ground_.sandboxing->checkExec().has_value();
}

void Wiring::openGuests() {
    services_.guestWorkers.emplace(GuestWorkers::Parts{.helpers = *ground_.helpers,
                                                       .settings = ground_.settings,
                                                       .directory = ground_.directory->path() + "/guests"});
    services_.guestJobs.emplace(GuestJobs::Parts{
        .session = *services_.session,
        .workspaces = *services_.workspaces,
        .workers = *services_.guestWorkers,
        .helpers = *ground_.helpers,
        .settings = ground_.settings,
        .firstSlot = static_cast<std::uint32_t>(ground_.slotPlan.firstOfGuests()),
        .slots = static_cast<std::uint32_t>(ground_.slotPlan.guests),
        .machine = [this] { return services_.places->machine(); },
        .adopter = [this] { return adopterOf(ground_, services_); },
        .statusFile =
            [this](SlotId slot) { return fmt::format("{}/status/{}", ground_.directory->path(), slot.value); },
        .mayStart =
            [this] {
                return services_.places->isAccepting() && !services_.guards->isHolding() &&
                       !services_.guards->waitsForLook() && services_.descriptors->mayStart() &&
                       startsWork(services_.session->state());
            },
        .started =
            [this] {
                services_.guards->started();
                services_.courtesy->started();
                services_.figures->wake();
            },
        .wake = wake_,
        .spawn = [this](std::string name,
                        coro::Task<void> task) { ground_.loop.spawn(std::move(name), std::move(task)); }});
    Resources own = ground_.total;
    own.milliCores -= std::int64_t{1000} * ground_.slotPlan.beside;
    const auto& join = ground_.options.join;
    services_.guests.emplace(Guests::Parts{.loop = ground_.loop,
                                           .helpers = *ground_.helpers,
                                           .jobs = *services_.guestJobs,
                                           .settings = ground_.settings,
                                           .total = std::move(own),
                                           .slots = static_cast<std::uint32_t>(ground_.slotPlan.guests),
                                           .runId = ground_.runId,
                                           .name = ground_.machineName,
                                           .serves = ground_.options.serves,
                                           .takesYards = ground_.options.takesYards,
                                           .takesWorkers = [this] { return mayRunWorkersOfOthers(); },
                                           .chunks = [this]() -> store::ChunkStore& { return *ground_.chunks; },
                                           .wallOf = [this](MonoTime at) { return ground_.scale.at(at); },
                                           .refused = join ? join->refused : nullptr});
    services_.cloud.emplace(CloudWatch::Parts{
        .settings = ground_.settings,
        .place = {},
        .mayProbe = ground_.options.mayProbeCloud,
        .leave =
            [this](const std::string& sentence) { services_.guests->leave(link::LeavingCause::Spot, sentence); },
        .moveTo = [this](SessionState to) { return services_.sessionMoves->moveTo(to); },
        .changed = [this] { services_.changes->note(ChangeEntry::Kind::Session); }});
}

} // namespace yard::engine
