// A thread that asks an engine on a connection of its own while a command does something else, and ends with it.
#pragma once

#include "app/yardctl/engine.h"
#include "core/base/thread_mutex.h"

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace yard::ctl {

class BackgroundQuery {
public:
    /// `run` runs on the thread, and returns once wait() says false. What it refers to outlives the thread: as a member,
    /// this is the last one.
    BackgroundQuery(std::unique_ptr<Engine> engine, std::function<void()> run);
    /// As stop().
    ~BackgroundQuery();
    BackgroundQuery(const BackgroundQuery&) = delete;
    BackgroundQuery& operator=(const BackgroundQuery&) = delete;

    /// The thread's: the engine to ask. Once stop() was called, each request fails.
    Engine& engine() { return *engine_; }
    /// The thread's: waits for so long, or until stop() is called, or until `isEnough` says so, which is asked at the
    /// beginning and after each wake(). False: stop() was called.
    bool wait(std::chrono::milliseconds time, const std::function<bool()>& isEnough = {});
    /// Any thread: what `isEnough` looks at has changed.
    void wake();
    bool isStopping() const;
    /// The owner's: what is under way is interrupted, and the thread has ended when this returns.
    void stop();

private:
    const std::unique_ptr<Engine> engine_; ///< the thread's; interrupt() from any
    const std::function<void()> run_;
    mutable ThreadMutex mutex_;
    ThreadCondition changed_;
    bool isStopping_ YARD_GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

} // namespace yard::ctl
