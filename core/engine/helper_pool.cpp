#include "core/engine/helper_pool.h"

#include "core/base/thread_name.h"

namespace yard::engine {

HelperPool::HelperPool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

HelperPool::~HelperPool() {
    stop();
}

bool HelperPool::enqueue(std::deque<Job>& band, Job job) {
    {
        std::lock_guard lock(mutex_);
        if (stopped_ || band.size() >= kQueued) return false;
        band.push_back(std::move(job));
    }
    wake_.notify_one();
    return true;
}

bool HelperPool::isStopped() const {
    std::lock_guard lock(mutex_);
    return stopped_;
}

std::size_t HelperPool::backlog() const {
    std::lock_guard lock(mutex_);
    return making_.size() + deleting_.size();
}

void HelperPool::stop() {
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
        deleting_.clear();
    }
    wake_.notify_all();
    threads_.clear();
}

void HelperPool::work() {
    nameThisThread("helper");
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [&] { return stopped_ || !making_.empty() || (!deleting_.empty() && !deletionRunning_); });
        if (making_.empty() && stopped_) return;
        const bool deletion = making_.empty();
        std::deque<Job>& band = deletion ? deleting_ : making_;
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

} // namespace yard::engine
