// The engine's side of the warm runner: its start, workers that come, what the launcher says of its processes, and what
// follows from the settings.
//
// Owner: engine thread. Lifetime: after Ground and Services, whose warm runner it makes. Before start() there is none,
// and what is asked of it does nothing.
#pragma once

#include "core/base/owner.h"
#include "core/coro/task.h"
#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class WarmSide {
public:
    WarmSide(Ground& ground, Services& services, std::function<void()> wake)
        : ground_(ground)
        , services_(services)
        , wake_(std::move(wake)) {}

    /// With all workers that are registered. Once this machine's runner is there.
    Result<void> start();
    /// What the runner tells, while it has something; forever.
    coro::Task<void> watch();
    void settingsChanged();
    void addWorker(const std::string& id, const std::shared_ptr<const WorkerDescriptor>& descriptor);
    /// The launcher tells of actions, warm processes and guests in one stream.
    void updates(std::vector<runners::Update> batch);
    /// Warm processes keep their memory, and what their worker keeps, while they are idle, until somebody lacks just that.
    void takeIdleMemory();
    pool::PoolOptions options() const;

private:
    void told(std::vector<runners::Update> batch);

    Ground& ground_;
    Services& services_;
    std::function<void()> wake_;
    OwnerCheck owner_;
};

} // namespace yard::engine
