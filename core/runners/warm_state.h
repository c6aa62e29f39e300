// What the parts of the warm runner work on together: the pool and its orders, the timer, the host.
//
// Owner: one thread (the engine's). Lifetime: WarmRunner has it, and it outlives all parts.
#pragma once

#include "core/base/unique_fd.h"
#include "core/pool/pool.h"
#include "core/runners/warm_host.h"
#include "core/runners/warm_timer.h"
#include "core/runners/warm_view.h"

namespace yard::runners {

struct WarmShared {
    WarmShared(WarmConfig with, WarmHost& of)
        : config(std::move(with))
        , host(of)
        , pool(config.pool)
        , grace(config.grace) {}

    const WarmConfig config;
    WarmHost& host;
    pool::Pool pool;
    pool::Outbox out; ///< orders of the pool that were not carried out yet
    WarmTimer timer;
    UniqueFd epoll; ///< has the sockets of processes, by the number of each
    WarmCounters counters;
    Duration grace;
    bool isEnding = false; ///< shutDown() was called: what waits is given back
};

} // namespace yard::runners
