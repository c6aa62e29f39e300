// What the warm runner needs of the engine: resources from the session, directories from helpers, looks at files.
// Owner: engine thread. Lifetime: outlives the warm runner.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/loop.h"
#include "core/engine/running/workspaces.h"
#include "core/host/gpu.h"
#include "core/runners/warm_runner.h"
#include "core/session/session.h"
#include "core/session/shortage.h"

#include <functional>
#include <string>
#include <vector>

namespace yard::engine {

class EngineWarmHost final : public runners::WarmHost {
public:
    struct Parts {
        coro::Loop& loop;
        session::Session& session;
        Workspaces& workspaces;
        coro::HelperPool& helpers;
        const std::vector<host::Gpu>& gpus; ///< of this machine
        std::string dataDir;
        std::function<void()> wake; ///< the session may start more
        std::function<bool(const std::string& worker)> lacksMemory;
    };
    explicit EngineWarmHost(Parts parts)
        : parts_(std::move(parts)) {}
    void attach(runners::WarmRunner& runner) { runner_ = &runner; }

    void prepare(const runners::ProcessOrder& order) override;
    void discard(const runners::ProcessOrder& order) override { parts_.workspaces.discardProcess(order); }
    bool hold(std::uint64_t key, const Resources& resources) override;
    void remake(runners::AttemptId request) override;
    void letGo(std::uint64_t key) override;
    GivenResources given(std::uint64_t key) const override;
    bool lacksMemory(const std::string& worker) const override { return parts_.lacksMemory(worker); }
    bool lacks(std::uint64_t key, const std::string& resource) const override;
    bool isCrowded() const override { return parts_.session.shortage().isCrowded(); }
    void setWindow(std::uint32_t gate, int most) override;
    void syncEntries() override;
    void lookForRestart(const std::string& worker, const std::string& directory, bool watch) override;

private:
    coro::Task<void> makeProcess(runners::ProcessOrder order);
    coro::Task<void> remakeRequest(runners::AttemptId request);
    coro::Task<void> sync();
    coro::Task<void> look(std::string worker, std::string directory, bool watch);

    Parts parts_;
    runners::WarmRunner* runner_ = nullptr;
    OwnerCheck owner_;
};

} // namespace yard::engine
