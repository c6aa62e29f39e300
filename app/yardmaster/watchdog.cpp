#include "app/yardmaster/watchdog.h"

#include "core/base/thread_name.h"
#include "core/coro/loop.h"
#include "core/engine/engine.h"
#include "core/engine/reading/overview.h"

#include <condition_variable>
#include <mutex>
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
    const auto pause = *manager.patience() / 3;
    std::mutex mutex;
    std::condition_variable_any stopped;
    while (!stop.stop_requested()) {
        coro::Loop loop({.name = "watchdog"});
        loop.spawn("look", askOnce(engine));
        loop.run();
        manager.alive();
        std::unique_lock lock(mutex);
        stopped.wait_for(lock, stop, pause, [] { return false; });
    }
}

} // namespace

Watchdog::Watchdog(const ServiceManager& manager, engine::Engine& engine) {
    if (!manager.isThere() || !manager.patience()) return;
    thread_ = std::jthread([&manager, &engine](const std::stop_token& stop) { watch(stop, manager, engine); });
}

} // namespace yard::app
