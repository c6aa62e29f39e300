#include "app/yardctl/background_query.h"

#include <utility>

namespace yard::ctl {

BackgroundQuery::BackgroundQuery(std::unique_ptr<Engine> engine, std::function<void()> run)
    : engine_(std::move(engine))
    , run_(std::move(run))
    , thread_([this] { run_(); }) {}

BackgroundQuery::~BackgroundQuery() {
    stop();
}

bool BackgroundQuery::wait(std::chrono::milliseconds time, const std::function<bool()>& isEnough) {
    const auto until = std::chrono::steady_clock::now() + time;
    const ThreadLock lock(mutex_);
    while (!isStopping_ && !(isEnough && isEnough()) && changed_.waitUntil(mutex_, until)) {
    }
    return !isStopping_;
}

void BackgroundQuery::wake() {
    const ThreadLock lock(mutex_); // or it would come between a look at `isEnough` and the wait
    changed_.notifyAll();
}

bool BackgroundQuery::isStopping() const {
    const ThreadLock lock(mutex_);
    return isStopping_;
}

void BackgroundQuery::stop() {
    {
        const ThreadLock lock(mutex_);
        isStopping_ = true;
    }
    engine_->interrupt();
    changed_.notifyAll();
    if (thread_.joinable()) thread_.join();
}

} // namespace yard::ctl
