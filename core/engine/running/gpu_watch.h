// Looks at the GPUs of this machine: once a second while somebody watches, else every five seconds, and soon after an
// action with one has failed, but never more often than a few times a second. One that is lost is
// given to nobody any more, until it is back, and what has it is ended. Of a driver that does not answer in time nothing is
// known until it does; GPUs are given as before meanwhile.
//
// Owner: engine thread; what it looks at, the reader's thread. Lifetime: after the session and the reader. Without GPUs it
// does nothing.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/state/gpu_view.h"
#include "core/engine/state/options.h"
#include "core/host/gpu_reader.h"
#include "core/model/given_resources.h"
#include "core/session/session.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace yard::engine {

class GpuWatch {
public:
    struct Parts {
        const std::vector<host::Gpu>& gpus; ///< those that were found
        host::GpuReader& reader;
        session::Session& session;
        std::function<bool()> isWatched;
        /// Ends what has the GPU of this index; `why`: a sentence without a full stop.
        std::function<void(const std::string& index, const std::string& why)> endThose;
        /// One is lost, or not; of each at the first look, too.
        std::function<void(const GpuView&)> tell;
        std::function<void()> wake;    ///< one is back: something may start
        std::function<void()> changed; ///< one is lost, or back: the picture of the session is another one
        GpuPace pace{};
    };
    explicit GpuWatch(Parts parts);

    /// Looks, forever.
    coro::Task<void> run();
    /// Which of these is lost, as a sentence about it, by a look that begins now: waits for its end, but no longer than for a
    /// look, and not at all where the driver does not answer anyway. Empty: none is known to be.
    coro::Task<std::string> lostOf(GivenResources given);
    std::vector<GpuView> view() const;

private:
    void note(const std::vector<host::GpuFigures>& figures);
    void noteLost(std::size_t at, bool isLost);
    void noteSilence();
    coro::Task<void> seen(std::uint64_t look);

    Parts parts_;
    std::vector<host::GpuFigures> last_; ///< of all of them
    MonoTime at_{};                      ///< when that look began
    bool isSilent_ = false;              ///< the driver does not answer
    coro::Event asked_;                  ///< somebody waits for a look
    coro::ConditionVariable answered_;   ///< a look has ended, or takes too long
    std::uint64_t begun_ = 0;            ///< looks
    std::uint64_t ended_ = 0;            ///< of those, the last that has
    bool hasLooked_ = false;
    OwnerCheck owner_;
};

} // namespace yard::engine
