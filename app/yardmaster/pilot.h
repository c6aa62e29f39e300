// Ends an engine that was started for a while (--idle-exit, --lifetime), as pilots of another queue are. Owner: main.
#pragma once

#include "core/base/unique_fd.h"

#include <chrono>
#include <optional>
#include <thread>

namespace yard::engine {
class Engine;
}

namespace yard::app {

struct PilotLimits {
    std::optional<std::chrono::seconds> idle;     ///< without an action of its own or of another engine
    std::optional<std::chrono::seconds> lifetime; ///< since it serves
};

/// A thread while it lives; none where there is no limit. Ends before Engine::close().
class Pilot {
public:
    /// The engine outlives it.
    Pilot(engine::Engine& engine, const PilotLimits& limits);
    Pilot(const Pilot&) = delete;
    Pilot& operator=(const Pilot&) = delete;
    ~Pilot();
    /// Readable once a limit is reached. -1: there is none.
    int fd() const { return fd_.get(); }

private:
    UniqueFd fd_;
    std::jthread thread_; ///< last: it writes into the other
};

} // namespace yard::app
