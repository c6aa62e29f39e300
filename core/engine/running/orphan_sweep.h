// The janitor's rounds: at the start and every minute, what nobody owns any more goes (core/locks/janitor.h), and what
// it found is told.
//
// Owner: engine thread; run() is one of its cooperative threads. The work is a helper's, in parts of 50 ms. Lifetime:
// after the helpers; before them.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/task.h"
#include "core/engine/state/metrics.h"
#include "core/locks/janitor.h"

#include <functional>
#include <string>
#include <vector>

namespace yard::engine {

class OrphanSweep {
public:
    struct Parts {
        coro::HelperPool& helpers;
        locks::Claims& claims; ///< directories of attempts in use
        EngineCounters& counters;
        locks::Janitor::Places places;
        std::function<void()> changed; ///< counts or findings
    };
    explicit OrphanSweep(Parts parts)
        : parts_(std::move(parts)) {}

    coro::Task<void> run();
    void take(const locks::JanitorReport& report);
    /// Sentences, the newest last; at most 20.
    const std::vector<std::string>& findings() const { return findings_; }

private:
    Parts parts_;
    std::vector<std::string> findings_;
    OwnerCheck owner_;
};

} // namespace yard::engine
