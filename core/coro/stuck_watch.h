// Reports a turn of a loop that does not end: which cooperative thread has it, and where that thread is. The loop's own
// latency warning comes after the turn, so never where the turn never ends.
//
// Threads: an OS thread of its own looks every `every` at each loop that is watched; a loop that has been in one turn for
// longer than `after` is interrupted by a signal (SIGURG) whose handler copies the chain of awaits. Each turn is
// reported once. The handler takes no lock and no memory.
// Lifetime: a Watched ends before its loop; the watch outlives all of them.
#pragma once

#include "core/base/clock.h"
#include "core/base/thread_mutex.h"
#include "core/coro/await_chain.h"

#include <cstdint>
#include <functional>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

namespace yard::coro {

class Loop;

/// A turn that does not end.
struct StuckTurn {
    std::string loop{};
    std::uint64_t thread = 0; ///< its number; 0: a posted function, or the handler did not run within a second
    std::string name{};       ///< of the thread, at most 63 bytes
    Duration lasting{};
    AwaitChain chain{};
};

class StuckWatch {
public:
    using Tell = std::function<void(const StuckTurn&)>;
    struct Options {
        Duration after = std::chrono::seconds(5);
        Duration every = std::chrono::seconds(5);
    };
    /// `tell` is called on the watch's own thread.
    StuckWatch(Options options, Tell tell);
    StuckWatch(const StuckWatch&) = delete;
    StuckWatch& operator=(const StuckWatch&) = delete;
    ~StuckWatch();

    /// The one of this process, which writes into the log. Made at its first use.
    static StuckWatch& ofProcess();

    /// While it lives, the loop that the calling OS thread runs is watched.
    class Watched {
    public:
        explicit Watched(const Loop& loop, StuckWatch& watch = ofProcess());
        Watched(const Watched&) = delete;
        Watched& operator=(const Watched&) = delete;
        ~Watched();

    private:
        StuckWatch& watch_;
        const Loop& loop_;
    };

private:
    struct Entry {
        const Loop* loop;
        pthread_t thread;
        std::int64_t told; ///< when the turn began that was reported last
    };
    void run();
    std::vector<StuckTurn> look() YARD_REQUIRES(mutex_);

    const Options options_;
    const Tell tell_;
    ThreadMutex mutex_;
    ThreadCondition ends_;
    std::vector<Entry> entries_ YARD_GUARDED_BY(mutex_);
    bool isEnding_ YARD_GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

/// Writes it into the log as a warning: the thread, and a line for each place of its chain.
void logStuckTurn(const StuckTurn& turn);

} // namespace yard::coro
