// What the engine's loop is doing: its cooperative threads and its slowest
// turns; what it holds in memory, and its caches.
//
// Owner: the engine thread. Lifetime: between the opening and the end of the
// engine.
#pragma once

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/coro/profiler.h"
#include "core/coro/thread_list.h"
#include "core/engine/reading/sorted_list_cache.h"
#include "core/engine/state/spec_cache.h"
#include "core/engine/state/unkept_values.h"
#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

/// What a part of the engine holds in memory.
struct MemoryPart {
    std::string_view name{};
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> items{};
    std::uint64_t budget = 0; ///< bytes; 0: it has none of its own
};

/// What can be made again, and may be thrown away.
struct CacheView {
    MemoryPart part{};
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
};

class Inside {
public:
    struct Parts {
        const session::Session& session;
        SpecCache& specs;
        const UnkeptValues& unkept;
        SortedListCache& lists;
    };
    Inside() = default; ///< of a loop that is not the engine's
    explicit Inside(Parts parts)
        : parts_(parts) {}

    static constexpr std::string_view kSpecs = "specs";
    static constexpr std::string_view kLists = "lists";
    std::vector<CacheView> caches() const;
    /// False: there is none of this name.
    bool emptyCache(std::string name);
    /// What is counted, in no order; the rest of the process is not among it.
    std::vector<MemoryPart> memory() const;
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

private:
    std::optional<Parts> parts_{};
};

} // namespace yard::engine
