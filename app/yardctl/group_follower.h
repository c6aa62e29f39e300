// Follows the output of all that runs of a queue or a filter, those that start later included: each line behind the LSN
// and the name of its action. Asks for what has started since it looked last, and has a thread and a connection for
// each stream of the actions that it follows.
//
// Bounds: kMostAtOnce actions at a time; kMostWaiting others wait until one of them has ended and are shown then from
// their beginning; of still others it says that they are left out.
//
// Owned by one thread, which blocks in run().
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "app/yardctl/log_lines.h"
#include "core/base/thread_mutex.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::ctl {

class GroupFollower {
public:
    static constexpr std::size_t kMostAtOnce = 32;
    static constexpr std::size_t kMostWaiting = 1'000;

    struct What {
        std::optional<std::string> queue{}; ///< a number or a token
        std::string filter{};
        std::vector<std::string> streams{};
        bool json = false;
    };
    GroupFollower(Engine& engine, What what);
    /// Ends its threads.
    ~GroupFollower();

    /// Until the engine cannot be reached for kPatience, or stdout or stderr take nothing: always a failure.
    Failure run();

private:
    struct Member;
    struct Joining {
        std::int64_t lsn = 0;
        std::int64_t attempt = 1;
        std::string name;
    };
    Outcome<void> look(const std::string& filter, bool isFirst);
    void note(const json::object& action);
    void wait(Joining joining);
    void letIn();
    void start(Joining joining);
    bool reap();
    void followStream(Member& member, std::size_t stream, const Joining& joining, const std::string& prefix);
    bool isFollowed(std::int64_t lsn) const;
    std::string prefixOf(const Joining& joining);

    Engine& engine_;
    const What what_;
    LockedOutput out_;
    LockedOutput err_;
    std::map<std::int64_t, std::int64_t> known_; ///< the last attempt of each that was seen
    std::deque<Joining> waiting_;
    std::vector<std::unique_ptr<Member>> members_;
    std::size_t width_ = 0; ///< of the widest name so far, in columns
    bool toldOfMany_ = false;
    bool toldOfLeftOut_ = false;
    ThreadMutex mutex_; ///< guards what threads of members tell, in each Member as well
    ThreadCondition changed_;
    std::size_t ended_ YARD_GUARDED_BY(mutex_) = 0; ///< streams, not looked at yet
};

} // namespace yard::ctl
