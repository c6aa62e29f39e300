// What the engine's loop is doing: its cooperative threads and its slowest
// turns.
//
// Owner: the engine thread. Lifetime: between the opening and the end of the
// engine.
#pragma once

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/coro/profiler.h"
#include "core/coro/thread_list.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace yard::engine {

class Inside {
public:
    /// In steps, so that many of them do not stop the engine.
    coro::Task<coro::ThreadPage> threads(coro::ThreadQuery query) { return coro::listThreads(std::move(query)); }
    enum class Interruption : unsigned char { Done, NotThere, Refused };
    /// Makes one unwind; one of the engine's services, which nothing starts again, by force alone.
    Interruption interrupt(std::uint64_t number, bool force) {
        const coro::ThreadRef thread = coro::currentLoop().find(number);
        if (!thread) return Interruption::NotThere;
        if (thread->isService() && !force) return Interruption::Refused;
        if (thread->isService())
            logError("engine",
                     "thread {} \"{}\" is interrupted on request: the engine goes on without this service", number,
                     thread->name());
        else
            logWarning("engine", "thread {} \"{}\" is interrupted on request", number, thread->name());
        thread->interrupt();
        return Interruption::Done;
    }
    Result<std::uint64_t> startProfile(coro::ProfileOptions options) {
        return coro::startProfile(std::move(options));
    }
    Result<profile::Profile> stopProfile(std::optional<std::uint64_t> serial) { return coro::stopProfile(serial); }
    std::vector<coro::SlowTurn> slowestTurns() const { return coro::currentLoop().meter().slowestTurns(); }
};

} // namespace yard::engine
