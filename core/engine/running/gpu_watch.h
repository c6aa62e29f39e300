// Looks at the GPUs of this machine: once a second while somebody watches, else every five seconds. One that is lost is
// given to nobody any more, until it is back.
//
// Owner: engine thread; what it looks at, a helper's. Lifetime: after the session and the helpers. Without GPUs it
// does nothing.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/task.h"
#include "core/engine/state/gpu_view.h"
#include "core/host/gpus.h"
#include "core/session/session.h"

#include <functional>
#include <memory>
#include <vector>

namespace yard::engine {

class GpuWatch {
public:
    struct Parts {
        std::shared_ptr<const host::Gpus> gpus; ///< a helper may be at it when this is gone
        coro::HelperPool& helpers;
        session::Session& session;
        std::function<bool()> isWatched;
        std::function<void()> wake;    ///< one is back: something may start
        std::function<void()> changed; ///< one is lost, or back: the picture of the session is another one
    };
    explicit GpuWatch(Parts parts);

    /// Looks, forever.
    coro::Task<void> run();
    std::vector<GpuView> view() const;

private:
    void note(const std::vector<host::GpuFigures>& figures);

    Parts parts_;
    std::vector<host::GpuFigures> last_; ///< of all of them
    OwnerCheck owner_;
};

} // namespace yard::engine
