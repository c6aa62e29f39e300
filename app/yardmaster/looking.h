// How a thread of the program asks the engine something now and then.
#pragma once

#include "core/coro/loop.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

namespace yard::app {

/// Waits for it, however long it takes: on a loop of this thread.
inline void runHere(std::string name, coro::Task<void> look) {
    coro::Loop loop({.name = std::move(name)});
    loop.spawn("look", std::move(look));
    loop.run();
}

/// Looks, and again `pause` later, until the thread is to end or a look says false.
template<class Pause, class Look>
void lookEvery(const std::stop_token& stop, Pause pause, Look look) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    while (!stop.stop_requested() && look()) {
        std::unique_lock lock(mutex);
        stopped.wait_for(lock, stop, pause, [] { return false; });
    }
}

} // namespace yard::app
