// The engine as a whole: how the session stands, what this machine has, and the figures of all services.
//
// Owner: engine thread. Lifetime: after everything that it reads from. It changes nothing.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/loop.h"
#include "core/coro/task.h"
#include "core/engine/running/attempt_table.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/committer.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/spec_cache.h"
#include "core/engine/state/views.h"
#include "core/runners/warm_views.h"
#include "core/session/session.h"
#include "core/store/journal.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class Overview {
public:
    /// What does not change while the engine lives.
    struct Constants {
        std::string engineId;
        std::string runId;
        std::string machineName;
        int capacity = 1; ///< cores, as options or settings say
        Resources total;
        std::shared_ptr<const SessionView::Sandbox> sandbox;
    };
    struct Parts {
        const session::Session& session;
        const Queues& queues;
        const Committer& committer;
        const AttemptTable& attempts;
        const SpecCache& specs;
        const ChangeLog& changes;
        const coro::HelperPool& helpers;
        const coro::Loop& loop;
        const EngineCounters& counters;
        Constants constants;
        std::function<SessionView::Slots()> slots; ///< `warm` follows the settings
        std::function<SessionView::Guard()> guard;
        std::function<std::string()> descriptors; ///< why nothing starts for their sake; empty: something may
        std::function<SessionView::EngineUsage()> itself;
        std::function<std::optional<CloudView>()> cloud;
        std::function<std::vector<GpuView>()> gpus = {};
        std::function<CourtesyNow()> courtesy = {};
        std::function<std::vector<std::string>()> findings; ///< of the janitor
        std::function<store::Store::Stats()> store;
        std::function<std::uint64_t()> hung;             ///< running actions that do not get on
        std::function<const runners::WarmViews*()> warm; ///< null: no warm runner yet
        std::function<ObjectFigures()> objects = {};     ///< empty: there are none
    };
    explicit Overview(Parts parts)
        : parts_(std::move(parts)) {}

    coro::Task<SessionView> session();
    coro::Task<MetricsView> metrics();

private:
    SessionView look() const;

    Parts parts_;
    OwnerCheck owner_;
};

} // namespace yard::engine
