#include "core/engine/running/runner_places.h"

#include "core/base/log.h"
#include "core/session/resource_holds.h"

#include <utility>

namespace yard::engine {

RunnerPlaces::~RunnerPlaces() = default;

runners::UpdateSink RunnerPlaces::sink() {
    return [this, first = group_.capacity()](std::vector<runners::Update> batch) {
        runners::RunnerGroup::number(first, batch);
        parts_.updates(std::move(batch));
    };
}

void RunnerPlaces::add(std::unique_ptr<runners::Runner> runner, unsigned cores, unsigned others) {
    YARD_ASSERT_OWNER(owner_);
    auto place = std::make_unique<Place>();
    place->runner = std::move(runner);
    place->watch = std::make_unique<coro::FdWatch>(parts_.loop, place->runner->pollFd());
    parts_.slots.add({.first = group_.add(*place->runner),
                      .cores = cores,
                      .others = others,
                      .isAccepting = [one = place->runner.get()] { return one->isAccepting(); }});
    places_.push_back(std::move(place));
    lookAt(places_.size() - 1);
}

void RunnerPlaces::run() {
    for (std::size_t at = 0; at < places_.size(); ++at) parts_.loop.spawn("runner", hear(at));
}

void RunnerPlaces::close() {
    for (const auto& place : places_) place->watch.reset();
}

coro::Task<void> RunnerPlaces::hear(std::size_t at) {
    for (;;) {
        const int err = co_await places_[at]->watch->readable();
        if (err != 0) co_return;
        places_[at]->runner->onReadable();
        lookAt(at);
    }
}

/// On one beside this machine that accepts nothing the session places nothing until it does again.
void RunnerPlaces::lookAt(std::size_t at) {
    YARD_ASSERT_OWNER(owner_);
    Place& place = *places_[at];
    const bool accepts = place.runner->isAccepting();
    if (std::exchange(place.wasAccepting, accepts) == accepts) return;
    if (at > 0) {
        logInfo("engine", "runner {} {}", place.runner->name(),
                accepts ? "takes actions again" : "takes no actions");
        parts_.session.setMachineGate(session::MachineId(static_cast<std::uint32_t>(at)),
                                      accepts ? fleet::Gate::Open : fleet::Gate::Silent);
    }
    if (accepts || at > 0) parts_.wake();
}

} // namespace yard::engine
