// Courtesy: what it watches on this machine, and whom it lowers.
#include "core/engine/kernel/wiring_courtesy.h"

#include "core/host/desk_watch.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace yard::engine {

namespace {

double hourOfLocalDay() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    if (::localtime_r(&now, &local) == nullptr) return 0;
    return local.tm_hour + local.tm_min / 60.0 + local.tm_sec / 3'600.0;
}

} // namespace

/// Of this machine's own attempts. A warm process serves many actions, and could not be raised again.
bool CourtesyWiring::isLoweredByCourtesy(const Attempt& attempt) const {
    if (attempt.phase != Attempt::Phase::Launched || attempt.pid == 0 || attempt.warm ||
        attempt.machine != fleet::kLocal)
        return false;
    return services_.courtesy->isIdlePriority(services_.session->queues().configOf(attempt.queue));
}

std::vector<int> CourtesyWiring::loweredByCourtesy() const {
    std::vector<int> pids;
    for (const auto& [id, attempt] : services_.attempts)
        if (isLoweredByCourtesy(attempt)) pids.push_back(attempt.pid);
    return pids;
}

/// It has begun now, and had its lease before idle priority was wanted.
void CourtesyWiring::lowerLate(const Attempt& attempt) {
    if (!attempt.idlePriority && isLoweredByCourtesy(attempt)) services_.courtesy->lowerWhatRuns();
}

/// What somebody sits at does not stand still, nor does a warm process, which is idle soon where nothing new starts.
bool CourtesyWiring::isFreezable(const Attempt& attempt) const {
    if (attempt.phase != Attempt::Phase::Launched || attempt.pid == 0 || attempt.warm || attempt.terminal ||
        attempt.endAsked || attempt.machine != fleet::kLocal)
        return false;
    const QueueConfig* config = services_.session->queues().configOf(attempt.queue);
    return !(config && config->ignoresCourtesy);
}

std::vector<courtesy::Freezable> CourtesyWiring::freezable() const {
    std::vector<const Attempt*> running;
    for (const auto& [id, attempt] : services_.attempts)
        if (isFreezable(attempt)) running.push_back(&attempt);
    std::ranges::sort(running, {}, [](const Attempt* one) { return std::pair(one->runningSince, one->id); });
    std::vector<courtesy::Freezable> all;
    for (const Attempt* one : running) all.push_back({.lsn = one->id.lsn.value, .attempt = one->id.attempt});
    return all;
}

/// One that has begun just now, or is a request to a warm process, was not looked at: it counts as a core.
double CourtesyWiring::coresOfActions() const {
    double cores = 0;
    for (const auto& [id, attempt] : services_.attempts) {
        const bool runs = attempt.phase == Attempt::Phase::Launched && attempt.runningSince != MonoTime{};
        if (!runs || attempt.machine != fleet::kLocal || attempt.frozenAt) continue;
        cores += attempt.usage && attempt.pid != 0 ? attempt.usage->cores : 1.0;
    }
    return cores;
}

bool CourtesyWiring::isFreezing() const {
    return std::ranges::any_of(services_.attempts, [](const auto& one) {
        const Attempt& attempt = one.second;
        return attempt.toFreeze && !attempt.frozenAt && attempt.phase == Attempt::Phase::Launched &&
               !attempt.endAsked;
    });
}

void CourtesyWiring::open() {
    ground_.settingsService.addCheck([](const Settings& asked) { return CourtesyService::check(asked); });
    courtesy::OpenDesk openDesk = ground_.options.openDesk;
    if (!openDesk)
        openDesk = [](courtesy::DeskSink sink) -> std::unique_ptr<courtesy::Desk> {
            return std::make_unique<host::DeskWatch>(std::move(sink));
        };
    services_.courtesy.emplace(CourtesyService::Parts{
        .session = *services_.session,
        .outbox = services_.outbox,
        .helpers = *ground_.helpers,
        .settings = ground_.settings,
        .hasWindow = ground_.options.hasWindow,
        .cores = ground_.cores(),
        .openDesk = std::move(openDesk),
        .post = [this](std::function<void()> what) { ground_.loop.post(std::move(what), coro::Band::Updates); },
        .works = [this] { return services_.monitor->inFlight() > 0 || services_.guestJobs->holdsAny(); },
        .coresOfActions = [this] { return coresOfActions(); },
        .lowered = [this] { return loweredByCourtesy(); },
        .freezable = [this] { return freezable(); },
        .setFrozen = [this](courtesy::Freezable one,
                            bool on) { services_.execution->setFrozen({Lsn(one.lsn), one.attempt}, on); },
        .isFreezing = [this] { return isFreezing(); },
        .changeSettings = [this](std::string json) { return ground_.settingsService.change(std::move(json)); },
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .hour = hourOfLocalDay,
        .wallOf = [this](MonoTime at) { return ground_.scale.at(at); },
        .clock = MonoClock::now,
        .wake = wake_,
        .changed = [this] { services_.changes->note(ChangeEntry::Kind::Session); }});
}

} // namespace yard::engine
