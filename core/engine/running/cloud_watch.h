// Service: whether this machine is a cloud's, and what happens when the cloud takes it away. Asks nobody unless the
// setting `cloud_probe` was on when the engine started.
//
// Owner: engine thread. Lifetime: stop() before destruction. A notice is told once for each thing that a service says.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/cloud/notice_watch.h"
#include "core/coro/thread_group.h"
#include "core/engine/state/views.h"
#include "core/model/settings.h"
#include "core/model/states.h"

#include <functional>
#include <optional>
#include <string>

namespace yard::engine {

class CloudWatch {
public:
    struct Parts {
        const Settings& settings; ///< in force now
        cloud::Place place;       ///< of the metadata service
        bool mayProbe = false;    ///< a headless engine
        /// The yards that this machine works for hear that it goes.
        std::function<void(const std::string& sentence)> leave;
        std::function<coro::Task<Result<void>>(SessionState to)> moveTo;
        std::function<void()> changed; ///< view() is another one
    };
    explicit CloudWatch(Parts parts);

    /// Begins on the current loop, if it is to.
    void start();
    coro::Task<void> stop();

    /// Absent: this machine is no cloud's, or nobody asked.
    const std::optional<CloudView>& view() const { return view_; }

private:
    void found(const cloud::Identity& identity);
    void noticed(const cloud::Notice& notice);
    coro::Task<void> move(SessionState to);

    Parts parts_;
    cloud::NoticeWatch watch_;
    std::optional<CloudView> view_;
    coro::ThreadGroup moves_;
    OwnerCheck owner_;
};

} // namespace yard::engine
