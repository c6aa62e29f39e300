#include "app/yardmaster/pilot.h"

#include "app/yardmaster/looking.h"
#include "app/yardmaster/signal_to.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/thread_name.h"
#include "core/engine/engine.h"
#include "core/engine/guests/guests.h"
#include "core/engine/reading/graph_parts.h"
#include "core/engine/reading/overview.h"

#include <stop_token>
#include <sys/eventfd.h>

namespace yard::app {

namespace {

constexpr auto kPause = std::chrono::seconds(1);

coro::Task<void> lookOnce(engine::Engine& engine, bool& isIdle) {
    const engine::SessionView session = co_await engine.ask(&engine::Overview::session);
    const engine::GuestsView guests = co_await engine.ask(&engine::Guests::list);
    std::size_t held = 0;
    for (const engine::GuestsView::Yard& yard : guests.yards) held += yard.held;
    isIdle = held == 0 && engine::unfinishedIn(session.counts) == 0;
}

/// True: nothing waits or runs here, for anybody.
bool isIdle(engine::Engine& engine) {
    bool idle = false;
    runHere("pilot", lookOnce(engine, idle));
    return idle;
}

void watch(const std::stop_token& stop, engine::Engine& engine, PilotLimits limits, int fd) {
    nameThisThread("pilot");
    const MonoTime begun = MonoClock::now();
    MonoTime busy = begun;
    lookEvery(stop, kPause, [&] {
        if (limits.idle && !isIdle(engine)) busy = MonoClock::now();
        const MonoTime now = MonoClock::now();
        const bool isOld = limits.lifetime && now - begun >= *limits.lifetime;
        const bool isOver = isOld || (limits.idle && now - busy >= *limits.idle);
        if (!isOver) return true;
        logInfo("main", "{}", isOld ? "its lifetime is over (--lifetime)" : "nothing was to be done (--idle-exit)");
        signalTo(fd);
        return false;
    });
}

} // namespace

Pilot::Pilot(engine::Engine& engine, const PilotLimits& limits) {
    if (!limits.idle && !limits.lifetime) return;
    fd_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
    thread_ = std::jthread(
        [&engine, limits, fd = fd_.get()](const std::stop_token& stop) { watch(stop, engine, limits, fd); });
}

Pilot::~Pilot() = default;

} // namespace yard::app
