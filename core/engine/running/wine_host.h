// Wine on this machine for workers of Windows: whether it is there, and the prefix that their actions begin with, which is
// made once, by the first action that needs it.
//
// Owner: engine thread; close() by main when the loop has ended. Lifetime: after the loop. Bound: one prefix is made at a time; who waits for it
// meanwhile gets what comes of it, a failure too.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/model/worker.h"
#include "core/wine/template.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace yard::engine {

class WineHost {
public:
    struct Parts {
        std::string directory;    ///< of prefixes
        bool isSandboxed = false; ///< registered workers run in a sandbox here
        std::function<std::optional<wine::Installation>()> find = [] { return wine::find(); };
        std::function<Result<std::string>(const wine::TemplateOrder&)> make = wine::ensureTemplate;
    };
    explicit WineHost(Parts parts);

    /// Looks again, a few files. True: it has come or gone.
    bool look();
    const std::optional<wine::Installation>& installation() const { return found_; }
    /// The platform of this machine on which programs for `platform` run: the same where Wine has no part in it.
    std::string hostOf(const std::string& platform) const;
    /// What is to be said of a worker for Windows whose actions wait; empty: nothing.
    std::string whyNot(const std::string& platform) const;
    /// Whether a worker for another platform than this one may be registered: for Windows, a process for each action, in a
    /// sandbox. Invalid with the member, WrongState without a sandbox.
    Result<void> mayRegister(const WorkerDescriptor& worker) const;

    /// Where the prefix is. WrongState without Wine; NotAccepting when the engine ends.
    coro::Task<Result<std::string>> prefix();
    /// What is being made is not wanted any more.
    void stop() { stop_.request_stop(); }
    /// After the loop: joins who makes it.
    void close() {
        stop();
        maker_.reset();
    }

private:
    Parts parts_;
    std::optional<wine::Installation> found_;
    std::string ready_;
    std::string readyVersion_;
    std::uint64_t tries_ = 0;     ///< to make one
    std::optional<Error> failed_; ///< the last of them did
    coro::Mutex mutex_;
    std::stop_source stop_;
    std::optional<coro::HelperPool> maker_; ///< made for the first prefix
    OwnerCheck owner_;
};

} // namespace yard::engine
