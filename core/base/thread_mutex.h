// A mutex between OS threads that the compiler follows: what is declared YARD_GUARDED_BY(mutex_) does not compile
// where it is touched without the mutex, nor does a function that YARD_REQUIRES it (clang's -Wthread-safety, which
// knows nothing of std::mutex in libstdc++). Cooperative threads of one loop have coro::Mutex.
//
// A lambda is a function of its own to the compiler: wait in a loop, not with a predicate.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define YARD_THREAD_WORD(word) __attribute__((word))
#else
#define YARD_THREAD_WORD(word)
#endif
/// Of a member: touched under this mutex alone.
#define YARD_GUARDED_BY(mutex) YARD_THREAD_WORD(guarded_by(mutex))
/// Of a function: whoever calls it holds this mutex.
#define YARD_REQUIRES(mutex) YARD_THREAD_WORD(requires_capability(mutex))

namespace yard {

/// Not recursive. Waits without limit: hold it for moments.
class YARD_THREAD_WORD(capability("mutex")) ThreadMutex {
public:
    void lock() YARD_THREAD_WORD(acquire_capability()) { mutex_.lock(); }
    void unlock() YARD_THREAD_WORD(release_capability()) { mutex_.unlock(); }

private:
    friend class ThreadCondition;
    std::mutex mutex_;
};

/// Holds a mutex until the end of its scope. May be let go and taken again before.
class YARD_THREAD_WORD(scoped_lockable) ThreadLock {
public:
    explicit ThreadLock(ThreadMutex& mutex) YARD_THREAD_WORD(acquire_capability(mutex))
        : mutex_(mutex) {
        mutex_.lock();
    }
    ~ThreadLock() YARD_THREAD_WORD(release_capability()) {
        if (isHeld_) mutex_.unlock();
    }
    ThreadLock(const ThreadLock&) = delete;
    ThreadLock& operator=(const ThreadLock&) = delete;
    void unlock() YARD_THREAD_WORD(release_capability()) {
        isHeld_ = false;
        mutex_.unlock();
    }
    void lock() YARD_THREAD_WORD(acquire_capability()) {
        mutex_.lock();
        isHeld_ = true;
    }

private:
    ThreadMutex& mutex_;
    bool isHeld_ = true;
};

/// The mutex is let go while waiting, and held again after. Wakes without reason, too.
class ThreadCondition {
public:
    void wait(ThreadMutex& mutex) YARD_REQUIRES(mutex) {
        std::unique_lock lock(mutex.mutex_, std::adopt_lock);
        condition_.wait(lock);
        lock.release();
    }
    /// False: the time had come.
    bool waitUntil(ThreadMutex& mutex, std::chrono::steady_clock::time_point until) YARD_REQUIRES(mutex) {
        std::unique_lock lock(mutex.mutex_, std::adopt_lock);
        const bool isWoken = condition_.wait_until(lock, until) == std::cv_status::no_timeout;
        lock.release();
        return isWoken;
    }
    void notifyOne() { condition_.notify_one(); }
    void notifyAll() { condition_.notify_all(); }

private:
    std::condition_variable condition_;
};

} // namespace yard
