#include "core/coro/sync.h"

namespace yard::coro {

// ---- Mutex. Unlocking hands it to the first waiter: it stays locked, so that nobody else gets in between.

bool Mutex::Lock::await_ready() noexcept {
    if (interruptPending()) return true;
    if (mutex_.locked_) return false;
    mutex_.locked_ = true;
    return succeedAtOnce();
}

void Mutex::Lock::await_suspend(std::coroutine_handle<> handle) noexcept {
    if (outcome_ == Outcome::Open) mutex_.waiters_.push_back(*this);
    park(handle);
}

MutexGuard Mutex::Lock::await_resume() {
    finish();
    return MutexGuard(mutex_);
}

MutexGuard Mutex::tryLock() noexcept {
    if (locked_) return MutexGuard();
    locked_ = true;
    return MutexGuard(*this);
}

void Mutex::unlock() noexcept {
    assert(locked_);
    if (waiters_.empty())
        locked_ = false;
    else
        waiters_.front().wake();
}

void MutexGuard::unlock() noexcept {
    if (Mutex* mutex = std::exchange(mutex_, nullptr)) mutex->unlock();
}

// ---- Semaphore

bool Semaphore::Acquire::await_ready() noexcept {
    if (interruptPending()) return true;
    return semaphore_.tryAcquire(units_) && succeedAtOnce();
}

void Semaphore::Acquire::await_suspend(std::coroutine_handle<> handle) noexcept {
    if (outcome_ == Outcome::Open) semaphore_.waiters_.push_back(*this);
    park(handle);
}

bool Semaphore::Acquire::leave(Wait& wait) noexcept {
    wait.unlink();
    // One that wanted many may have held back those behind it.
    static_cast<Acquire&>(wait).semaphore_.grant();
    return true;
}

bool Semaphore::tryAcquire(std::size_t units) noexcept {
    if (!waiters_.empty() || units > units_) return false;
    units_ -= units;
    return true;
}

void Semaphore::release(std::size_t units) noexcept {
    units_ += units;
    grant();
}

void Semaphore::grant() noexcept {
    while (!waiters_.empty()) {
        Acquire& first = static_cast<Acquire&>(waiters_.front());
        if (first.units_ > units_) return;
        units_ -= first.units_;
        first.wake();
    }
}

void SemaphoreUnits::release() noexcept {
    if (Semaphore* semaphore = std::exchange(semaphore_, nullptr)) semaphore->release(units_);
}

// ---- InvertedSemaphore, ConditionVariable, Event

namespace {

void wakeAll(WaitList& waiters) noexcept {
    while (!waiters.empty()) waiters.front().wake();
}

} // namespace

void InvertedSemaphore::release(std::size_t count) noexcept {
    assert(count <= count_);
    count_ -= count;
    if (count_ == 0) wakeAll(waiters_);
}

Task<void> ConditionVariable::wait(MutexGuard& guard) {
    Mutex& mutex = *guard.mutex();
    std::exception_ptr error;
    guard.unlock(); // nobody runs before the next line has parked us
    try {
        co_await wait();
    } catch (...) {
        error = std::current_exception();
    }
    {
        Uninterruptible always;
        guard = co_await mutex.lock();
    }
    if (error) std::rethrow_exception(std::move(error));
}

void ConditionVariable::notifyOne() noexcept {
    if (!waiters_.empty()) waiters_.front().wake();
}

void ConditionVariable::notifyAll() noexcept {
    wakeAll(waiters_);
}

void Event::set() noexcept {
    set_ = true;
    wakeAll(waiters_);
}

// ---- RwLock

bool RwLock::Lock::await_ready() noexcept {
    if (interruptPending()) return true;
    return lock_.waiters_.empty() && lock_.take(writer_) && succeedAtOnce();
}

void RwLock::Lock::await_suspend(std::coroutine_handle<> handle) noexcept {
    if (outcome_ == Outcome::Open) lock_.waiters_.push_back(*this);
    park(handle);
}

RwGuard RwLock::Lock::await_resume() {
    finish();
    return RwGuard(lock_, writer_);
}

bool RwLock::Lock::leave(Wait& wait) noexcept {
    wait.unlink();
    // A writer that gives up lets in the readers behind it.
    static_cast<Lock&>(wait).lock_.grant();
    return true;
}

bool RwLock::take(bool writer) noexcept {
    if (writer_ || (writer && readers_ > 0)) return false;
    if (writer)
        writer_ = true;
    else
        ++readers_;
    return true;
}

void RwLock::unlock(bool writer) noexcept {
    if (writer) {
        assert(writer_);
        writer_ = false;
    } else {
        assert(readers_ > 0);
        --readers_;
    }
    grant();
}

void RwLock::grant() noexcept {
    while (!waiters_.empty()) {
        Lock& first = static_cast<Lock&>(waiters_.front());
        if (!take(first.writer_)) return;
        first.wake();
    }
}

void RwGuard::unlock() noexcept {
    if (RwLock* lock = std::exchange(lock_, nullptr)) lock->unlock(writer_);
}

} // namespace yard::coro
