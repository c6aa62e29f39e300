// Submissions between the look at their worker and their place among the live actions: who removes a worker waits
// for those of it, so that none of its actions comes in behind his back. Owner: engine thread.
#pragma once

#include "core/coro/sync.h"
#include "core/coro/task.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

class InFlightSubmissions {
public:
    /// One submission on its way in. Outlived by the InFlightSubmissions.
    class Scope {
    public:
        Scope(InFlightSubmissions& all, const std::vector<std::string>& workers)
            : all_(all)
            , workers_(workers) {
            for (const std::string& id : workers_) ++all_.under_[id];
        }
        ~Scope() {
            for (const std::string& id : workers_) {
                const auto at = all_.under_.find(id);
                if (--at->second == 0) all_.under_.erase(at);
            }
            if (!workers_.empty()) all_.changed_.notifyAll();
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        InFlightSubmissions& all_;
        std::vector<std::string> workers_;
    };

    /// Returns when none of this worker is on its way. Whoever waits has seen to it that none follows.
    coro::Task<void> none(std::string worker) {
        while (under_.contains(worker)) co_await changed_.wait();
    }

private:
    std::unordered_map<std::string, int> under_;
    coro::ConditionVariable changed_;
};

} // namespace yard::engine
