// The one door to the engine: commands in, results out. http, the window and the tests speak to the engine through
// it alone: ask() carries a command of a service to the engine thread, and its answer back.
//
// Threads: an Engine is opened and closed by one thread (main). The commands are coroutines for any coro::Loop but
// the engine's own: each carries values to the engine thread (or to the reader thread) and resumes on the caller's
// loop. None blocks the caller's thread. A command that is interrupted may still take effect: accepted is accepted.
// Lifetime: every command must have ended before close() returns; close() refuses new ones with NotAccepting.
#pragma once

#include "core/base/error.h"
#include "core/coro/task.h"
#include "core/engine/ask.h"
#include "core/engine/state/options.h"
#include "core/engine/state/views.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::store {
class ChunkStore;
}

namespace yard::engine {

class PilotTickets;

class Engine {
public:
    /// Takes the data directory, ends what an earlier engine left behind, restores the journal, starts the launcher
    /// and the threads; the session is Ready when it returns. Blocks. Errors: AtLimit when another engine holds the
    /// data directory (the message names its pid); Io, NoSpace, Journal, Invalid (token file readable by others,
    /// settings.json) with a sentence each.
    static Result<std::unique_ptr<Engine>> open(Options options);
    /// Sunset: refuses new commands, tears running actions down (gently for `grace`, then not), commits, joins the
    /// threads. Blocks; at most 10 s. `hurry` skips the gentle part, and may be called by another thread meanwhile.
    void close();
    void hurry();
    ~Engine();

    /// The calling thread hands requests in and waits for their answers: it keeps near the engine's threads, on
    /// their CPU while there is little to do. Until it ends.
    void joinThreads();

    const std::string& token() const;
    const std::string& dataDir() const;
    store::ChunkStore& chunks(); ///< thread-safe, blocking: for helper threads

    /// A command of one of the engine's services (engine.cpp lists them), on the engine thread; the caller's loop goes on
    /// with its answer: `co_await engine.ask(&Queues::get, ref)`. What the command does, and its errors, is said in the
    /// service's header; besides, each that has errors answers NotAccepting once the engine closes. The arguments are
    /// kept until it has ended.
    template<class Service, class Returned, class... Parameters>
    auto ask(Returned (Service::*command)(Parameters...), ask_detail::Kept<Parameters>... arguments) {
        return ask_detail::ask<Service, Returned, Parameters...>(*core_, command, std::move(arguments)...);
    }
    template<class Service, class Returned, class... Parameters>
    auto ask(Returned (Service::*command)(Parameters...) const, ask_detail::Kept<Parameters>... arguments) {
        return ask_detail::ask<Service, Returned, Parameters...>(*core_, command, std::move(arguments)...);
    }

    /// Readable once the session is Sunset by a route; for poll() beside main's signals. Do not read it.
    int sunsetFd() const;
    /// Thread-safe: lets pilots in that allocators asked for.
    PilotTickets& pilotTickets();
    /// Writes `address` into the data directory (and the lock file): the server listens. Blocks for a file write.
    Result<void> publishAddress(const std::string& url, const std::string& fingerprint = {});

private:
    explicit Engine(std::unique_ptr<Kernel> core);
    std::unique_ptr<Kernel> core_;
};

} // namespace yard::engine
