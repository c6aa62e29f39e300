// Tells a service manager that asks for it that the engine lives: that its thread still answers. Owner: main.
#pragma once

#include "app/yardmaster/service_manager.h"

#include <thread>

namespace yard::engine {
class Engine;
}

namespace yard::app {

/// A thread while it lives; none where nobody asks. Ends before Engine::close().
class Watchdog {
public:
    /// Both outlive it.
    Watchdog(const ServiceManager& manager, engine::Engine& engine);

private:
    std::jthread thread_;
};

} // namespace yard::app
