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

bool HelperPool::enqueue(Band HelperPool::* band, Job job) {
    {
        const ThreadLock lock(mutex_);
        if (stopped_ || (this->*band).size() >= kQueued) return false;
        (this->*band).push_back(std::move(job));
    }
    (band == &HelperPool::slow_ ? wakeSlow_ : wake_).notifyOne();
    return true;
}

bool HelperPool::isStopped() const {
    const ThreadLock lock(mutex_);
    return stopped_;
}

std::size_t HelperPool::backlog() const {
    const ThreadLock lock(mutex_);
    return making_.size() + deleting_.size() + slow_.size();
}

void HelperPool::stop() {
    stopSource_.request_stop();
    {
        const ThreadLock lock(mutex_);
        stopped_ = true;
        deleting_.clear();
        slow_.clear();
    }
    wake_.notifyAll();
    wakeSlow_.notifyAll();
    threads_.clear();
}

void HelperPool::work() {
    nameThisThread("helper");
    ThreadLock lock(mutex_);
    for (;;) {
        while (!stopped_ && making_.empty() && (deleting_.empty() || deletionRunning_)) wake_.wait(mutex_);
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
    ThreadLock lock(mutex_);
    for (;;) {
        while (!stopped_ && slow_.empty()) wakeSlow_.wait(mutex_);
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
