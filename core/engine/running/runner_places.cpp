#include "core/engine/running/runner_places.h"

#include "core/base/log.h"
#include "core/session/machine_commands.h"
#include "core/session/resource_holds.h"

#include <utility>

namespace yard::engine {

RunnerPlaces::~RunnerPlaces() = default;

runners::UpdateSink RunnerPlaces::sink() {
    return [this, first = nextFirst_](std::vector<runners::Update> batch) {
        runners::RunnerGroup::number(*first, batch);
        parts_.updates(std::move(batch));
    };
}

session::MachineId RunnerPlaces::add(std::unique_ptr<runners::Runner> runner, unsigned cores, unsigned others) {
    return put(std::move(runner), {.cores = cores, .others = others});
}

session::MachineId RunnerPlaces::put(std::unique_ptr<runners::Runner> runner, SlotPlace slots) {
    YARD_ASSERT_OWNER(owner_);
    auto place = std::make_shared<Place>();
    place->runner = std::move(runner);
    place->watch = std::make_unique<coro::FdWatch>(parts_.loop, place->runner->pollFd());
    const std::uint32_t first = group_.add(*place->runner);
    *std::exchange(nextFirst_, std::make_shared<std::uint32_t>(0)) = first;
    slots.first = first;
    slots.isAccepting = [one = place->runner.get()] { return one->isAccepting(); };
    const session::MachineId machine = parts_.slots.add(std::move(slots));
    places_.emplace(machine, place);
    lookAt(machine, *place);
    if (isRunning_) parts_.loop.spawn("runner", hear(machine, place))->markService();
    return machine;
}

session::MachineId RunnerPlaces::join(std::unique_ptr<runners::Runner> runner, fleet::Machine machine) {
    const unsigned cores = machine.slots;
    const unsigned others = machine.otherSlots;
    parts_.session.machines().add(parts_.slots.nextMachine(), std::move(machine));
    const session::MachineId id = put(std::move(runner), {.cores = cores, .others = others, .isElsewhere = true});
    parts_.wake();
    return id;
}

session::MachineId RunnerPlaces::rejoin(std::unique_ptr<runners::Runner> runner, unsigned cores, unsigned others) {
    return put(std::move(runner), {.cores = cores, .others = others, .isElsewhere = true});
}

void RunnerPlaces::setWish(session::MachineId machine, fleet::Gate wish) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = places_.find(machine);
    if (at == places_.end() || machine == fleet::kLocal || at->second->wish == wish) return;
    at->second->wish = wish;
    setGate(machine, *at->second);
    parts_.wake();
}

void RunnerPlaces::change(session::MachineId id, fleet::Machine machine) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = places_.find(id);
    if (at == places_.end() || id == fleet::kLocal) return;
    parts_.session.machines().change(id, std::move(machine));
    setGate(id, *at->second);
    parts_.wake();
}

bool RunnerPlaces::remove(session::MachineId machine) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = places_.find(machine);
    if (at == places_.end() || machine == fleet::kLocal) return true;
    if (!parts_.slots.remove(machine)) return false;
    const std::shared_ptr<Place> place = std::move(at->second);
    places_.erase(at);
    parts_.session.machines().remove(machine);
    group_.remove(*place->runner);
    place->watch->release(); // hear() ends, and then the place
    place->runner.reset();
    parts_.wake();
    return true;
}

void RunnerPlaces::run() {
    isRunning_ = true;
    for (const auto& [machine, place] : places_) parts_.loop.spawn("runner", hear(machine, place))->markService();
}

void RunnerPlaces::close() {
    for (const auto& [machine, place] : places_) place->watch.reset();
}

coro::Task<void> RunnerPlaces::hear(session::MachineId machine, std::shared_ptr<Place> place) {
    for (;;) {
        const int err = co_await place->watch->readable();
        if (err != 0 || !place->runner) co_return;
        place->runner->onReadable();
        lookAt(machine, *place);
    }
}

/// On one beside this machine that accepts nothing the session places nothing until it does again.
void RunnerPlaces::lookAt(session::MachineId machine, Place& place) {
    YARD_ASSERT_OWNER(owner_);
    const bool accepts = place.runner->isAccepting();
    if (std::exchange(place.wasAccepting, accepts) == accepts) return;
    if (machine != fleet::kLocal) {
        logInfo("engine", "runner {} {}", place.runner->name(),
                accepts ? "takes actions again" : "takes no actions");
        setGate(machine, place);
    }
    if (accepts || machine != fleet::kLocal) parts_.wake();
}

void RunnerPlaces::setGate(session::MachineId machine, const Place& place) {
    const bool isSilent = !place.wasAccepting && place.wish != fleet::Gate::Refused;
    parts_.session.machines().setGate(machine, isSilent ? fleet::Gate::Silent : place.wish);
}

} // namespace yard::engine
