// A start can block: its working directory or its program lies on a mount that does not answer. Then the spawner's
// thread stands still until the child that it starts is killed. StartWatch says since when a spawner is in which
// start, and kills that child from outside; SilentPaths remembers what did not answer.
//
// Owner: enter() and leave() belong to the spawner's thread, everything else may be called by any.
#pragma once

#include "core/base/clock.h"
#include "core/runners/runner.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::runners {

class StartWatch {
public:
    /// The calling thread begins a start. Of its children only one that is no attempt yet belongs to it.
    void enter(AttemptId id);
    /// True when the start was given up meanwhile: whatever came of it must not run.
    bool leave();

    /// The attempt is to end: the child that its start has made is killed while it has not executed the program.
    /// One that has is ended like any other. `isAttempt` knows the first processes of attempts.
    using IsAttempt = std::function<bool(int pid)>;
    void giveUp(AttemptId id, const IsAttempt& isAttempt);
    /// Gives up a start that was found to take longer than `limit` twice: whoever looks may have been stopped
    /// itself. Its child is killed wherever it stands. Returns the attempt that is given up now.
    std::optional<AttemptId> giveUpLate(MonoTime now, Duration limit, const IsAttempt& isAttempt);

private:
    void killChild(const IsAttempt& isAttempt, bool evenIfExecuted);

    std::mutex mutex_;
    std::optional<AttemptId> id_; ///< in a start
    MonoTime since_;
    int thread_ = 0;
    bool isToEnd_ = false;
    bool isLate_ = false;
    bool isGivenUp_ = false; ///< or its child was killed
};

/// What did not answer, for a while: nobody else waits for it.
class SilentPaths {
public:
    static constexpr Duration kRemembered{30'000'000};
    void add(std::string path, MonoTime now);
    bool contains(std::string_view path, MonoTime now);

private:
    static constexpr std::size_t kMost = 64; ///< the oldest is forgotten
    std::mutex mutex_;
    std::vector<std::pair<std::string, MonoTime>> paths_; ///< and until when
};

} // namespace yard::runners
