#include "core/coro/helper_pool.h"

#include "core/base/thread_name.h"

namespace yard::coro {

HelperPool::HelperPool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    threads_.emplace_back([this] { workSlowly(); });
}

HelperPool::~HelperPool() {
    stop();
}

bool HelperPool::enqueue(Band& band, Job job) {
    {
        std::lock_guard lock(mutex_);
        if (stopped_ || band.size() >= kQueued) return false;
        band.push_back(std::move(job));
    }
    (&band == &slow_ ? wakeSlow_ : wake_).notify_one();
    return true;
}

bool HelperPool::isStopped() const {
    std::lock_guard lock(mutex_);
    return stopped_;
}

std::size_t HelperPool::backlog() const {
    std::lock_guard lock(mutex_);
    return making_.size() + deleting_.size() + slow_.size();
}

void HelperPool::stop() {
    stopSource_.request_stop();
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
        deleting_.clear();
        slow_.clear();
    }
    wake_.notify_all();
    wakeSlow_.notify_all();
    threads_.clear();
}

void HelperPool::work() {
    nameThisThread("helper");
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [&] { return stopped_ || !making_.empty() || (!deleting_.empty() && !deletionRunning_); });
        if (making_.empty() && stopped_) return;
        const bool deletion = making_.empty();
        Band& band = deletion ? deleting_ : making_;
        Job job = std::move(band.front());
        band.pop_front();
        if (deletion) deletionRunning_ = true;
        lock.unlock();
        job();
        job = nullptr;
        lock.lock();
        if (deletion) deletionRunning_ = false;
    }
}

void HelperPool::workSlowly() {
    nameThisThread("slow helper");
    std::unique_lock lock(mutex_);
    for (;;) {
        wakeSlow_.wait(lock, [&] { return stopped_ || !slow_.empty(); });
        if (stopped_) return;
        Job job = std::move(slow_.front());
        slow_.pop_front();
        lock.unlock();
        job();
        job = nullptr;
        lock.lock();
    }
}

} // namespace yard::coro
