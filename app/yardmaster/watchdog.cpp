#include "app/yardmaster/watchdog.h"

#include "app/yardmaster/looking.h"
#include "core/base/thread_name.h"
#include "core/engine/engine.h"
#include "core/engine/reading/overview.h"

#include <stop_token>

namespace yard::app {

namespace {

coro::Task<void> askOnce(engine::Engine& engine) {
    (void)co_await engine.ask(&engine::Overview::session);
}

/// Each look asks the engine thread and waits for its answer, however long that takes: where none comes nothing is told,
/// which is what the manager waits for.
void watch(const std::stop_token& stop, const ServiceManager& manager, engine::Engine& engine) {
    nameThisThread("watchdog");
    lookEvery(stop, *manager.patience() / 3, [&] {
        runHere("watchdog", askOnce(engine));
        manager.alive();
        return true;
    });
}

} // namespace

Watchdog::Watchdog(const ServiceManager& manager, engine::Engine& engine) {
    if (!manager.isThere() || !manager.patience()) return;
    thread_ = std::jthread([&manager, &engine](const std::stop_token& stop) { watch(stop, manager, engine); });
}

} // namespace yard::app
