// The warm pool as people see and change it, and the looks at its processes while they are used: one over its memory is
// replaced, one without its socket ended. The runner itself (core/runners/warm_runner.h) is started by the engine.
//
// Owner: engine thread; run() is one of its cooperative threads. Lifetime: after the registry; looks at processes once
// the runner is there.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/running/leaders.h"
#include "core/engine/state/views.h"
#include "core/engine/state/worker_registry.h"
#include "core/runners/warm_runner.h"
#include "core/session/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class WarmPool {
public:
    using Looks = std::vector<runners::ProcessLook>;
    using Samples = std::vector<runners::ProcessSample>;
    using Output = std::shared_ptr<const runners::OutputEnds>;
    /// The warm runner; see there.
    struct Processes {
        std::function<bool()> areBusy;
        std::function<Looks(bool usedOnly)> looks;
        std::function<Looks(const std::string& id)> looksAt;
        std::function<void(const Samples&)> sampled;
        std::function<runners::WarmPoolView()> all;
        std::function<std::optional<runners::WarmProcessView>(const std::string& id)> find;
        std::function<Result<void>(const std::string& id, std::function<void(Output)>)> askOutput;
        std::function<bool(const std::string& worker)> restart;
        std::function<bool(const std::string& id)> detach;
    };
    struct Parts {
        const session::Session& session;
        const WorkerRegistry& registry;
        const WallScale& scale;
        Processes processes;
        std::function<coro::Task<Samples>(Looks)> sample; ///< sampleProcesses(), by a helper
        std::function<void()> sampled;                    ///< limits may apply
        std::function<coro::Task<Result<SettingsView>>(std::string json)> changeSettings;
    };
    explicit WarmPool(Parts parts)
        : parts_(std::move(parts)) {}

    /// Looks at the processes while they are used.
    coro::Task<void> run();
    /// A process may be busy now.
    void mayBeBusy() { work_.set(); }
    /// The next look is at idle ones, too, and soon.
    void lookAtIdleNext();

    // --- questions and changes
    /// The warm processes as they are; looks at what they use, which takes a moment.
    coro::Task<PoolView> view();
    /// One of them, or one of the last that ended, with what it printed last. NotFound; Busy when the launcher does
    /// not answer, or too many ask.
    coro::Task<Result<PoolProcessDetail>> process(std::string id);
    /// Some of max, max_per_group and max_idle_s, which are settings: kept, and in force at once. Invalid names the
    /// member.
    coro::Task<Result<PoolView>> change(std::string json);
    /// Replaces the worker's processes one by one. NotFound, or WrongState when it is not warm.
    coro::Task<Result<void>> restart(std::string worker);
    /// Ends a process once it has answered what it has. NotFound.
    coro::Task<Result<void>> end(std::string id);

private:
    coro::Task<void> look(Looks looks);
    PoolGroupView viewOf(const runners::WarmGroupView& group) const;
    PoolProcessView viewOf(const runners::WarmProcessView& process) const;

    Parts parts_;
    coro::Event work_;
    bool idleNext_ = false;
    OwnerCheck owner_;
};

/// What these processes use now. Blocks.
WarmPool::Samples sampleProcesses(const WarmPool::Looks& looks, const Adopter& adopter);

} // namespace yard::engine
