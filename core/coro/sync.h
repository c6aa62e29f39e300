// Synchronisation of the threads of one loop. Threads are cooperative, so between two suspensions nothing needs
// protection; these limit the use of resources and order what spans suspensions.
//
// Owner: the loop's OS thread. Lifetime: outlive their users. All are fair: first come, first served, and what is
// freed is handed to the first waiter, not to the fastest. All co_awaits throw Interrupted; wait.h says what
// happens when an interruption and a wake-up meet. What is got at once counts against the thread's selfishness.
#pragma once

#include "core/coro/rw_lock.h"
#include "core/coro/suspend.h"
#include "core/coro/thread.h"

#include <cassert>
#include <cstddef>

namespace yard::coro {

class Mutex;

/// Holds a mutex, gives it back when destroyed. Move-only; may be empty.
class [[nodiscard]] MutexGuard {
public:
    MutexGuard() noexcept = default;
    explicit MutexGuard(Mutex& mutex) noexcept
        : mutex_(&mutex) {}
    MutexGuard(MutexGuard&& other) noexcept
        : mutex_(std::exchange(other.mutex_, nullptr)) {}
    MutexGuard& operator=(MutexGuard&& other) noexcept {
        if (this != &other) {
            unlock();
            mutex_ = std::exchange(other.mutex_, nullptr);
        }
        return *this;
    }
    ~MutexGuard() { unlock(); }
    explicit operator bool() const noexcept { return mutex_ != nullptr; }
    Mutex* mutex() const noexcept { return mutex_; }
    void unlock() noexcept;

private:
    Mutex* mutex_ = nullptr;
};

/// `auto guard = co_await mutex.lock();` Not recursive.
class Mutex {
public:
    class [[nodiscard("co_await it")]] Lock : public Wait {
    public:
        explicit Lock(Mutex& mutex) noexcept
            : Wait("mutex")
            , mutex_(mutex) {}
        bool await_ready() noexcept;
        void await_suspend(std::coroutine_handle<> handle) noexcept;
        MutexGuard await_resume();

    private:
        Mutex& mutex_;
    };
    Lock lock() noexcept { return Lock(*this); }
    /// Does not wait; empty when somebody holds it.
    MutexGuard tryLock() noexcept;
    bool isLocked() const noexcept { return locked_; }

private:
    friend class MutexGuard;
    void unlock() noexcept;
    bool locked_ = false;
    WaitList waiters_;
};

class Semaphore;

/// Units of a semaphore, given back when destroyed. Move-only.
class [[nodiscard]] SemaphoreUnits {
public:
    SemaphoreUnits() noexcept = default;
    SemaphoreUnits(Semaphore& semaphore, std::size_t units) noexcept
        : semaphore_(&semaphore)
        , units_(units) {}
    SemaphoreUnits(SemaphoreUnits&& other) noexcept
        : semaphore_(std::exchange(other.semaphore_, nullptr))
        , units_(other.units_) {}
    SemaphoreUnits& operator=(SemaphoreUnits&& other) noexcept {
        if (this != &other) {
            release();
            semaphore_ = std::exchange(other.semaphore_, nullptr);
            units_ = other.units_;
        }
        return *this;
    }
    ~SemaphoreUnits() { release(); }
    void release() noexcept;

private:
    Semaphore* semaphore_ = nullptr;
    std::size_t units_ = 0;
};

/// Counts units. A waiter for many units is not overtaken by those behind it who want few.
class Semaphore {
public:
    explicit Semaphore(std::size_t units) noexcept
        : units_(units) {}

    class [[nodiscard("co_await it")]] Acquire : public Wait {
    public:
        Acquire(Semaphore& semaphore, std::size_t units) noexcept
            : Wait("semaphore", &Acquire::leave)
            , semaphore_(semaphore)
            , units_(units) {}
        bool await_ready() noexcept;
        void await_suspend(std::coroutine_handle<> handle) noexcept;
        void await_resume() { finish(); }

    protected:
        friend class Semaphore;
        static bool leave(Wait& wait) noexcept;
        Semaphore& semaphore_;
        std::size_t units_;
    };
    class [[nodiscard("co_await it")]] Hold : public Acquire {
    public:
        using Acquire::Acquire;
        SemaphoreUnits await_resume() {
            finish();
            return SemaphoreUnits(semaphore_, units_);
        }
    };
    /// Takes units; release() gives them back, from whichever thread.
    Acquire acquire(std::size_t units = 1) noexcept { return Acquire(*this, units); }
    /// Takes units that give themselves back.
    Hold hold(std::size_t units = 1) noexcept { return Hold(*this, units); }
    bool tryAcquire(std::size_t units = 1) noexcept;
    void release(std::size_t units = 1) noexcept;
    std::size_t available() const noexcept { return units_; }

private:
    void grant() noexcept;
    std::size_t units_;
    WaitList waiters_;
};

/// Waiters that need no value: an event, or a count that reached zero.
class [[nodiscard("co_await it")]] PlainWait : public Wait {
public:
    /// `ready`: the condition already holds, go on. Otherwise wait in `list`.
    PlainWait(const char* where, WaitList& list, bool ready) noexcept
        : Wait(where)
        , list_(list)
        , ready_(ready) {}
    bool await_ready() noexcept { return interruptPending() || (ready_ && succeedAtOnce()); }
    void await_suspend(std::coroutine_handle<> handle) noexcept {
        if (!ready_) list_.push_back(*this);
        park(handle);
    }

private:
    WaitList& list_;
    bool ready_;
};

/// The other way round: raising the count never waits, waiters wait until it is zero ("all of them are done").
class InvertedSemaphore {
public:
    explicit InvertedSemaphore(std::size_t count = 0) noexcept
        : count_(count) {}
    void acquire(std::size_t count = 1) noexcept { count_ += count; }
    /// Must not go below zero.
    void release(std::size_t count = 1) noexcept;
    PlainWait waitForZero() noexcept { return PlainWait("inverted semaphore", waiters_, count_ == 0); }
    std::size_t count() const noexcept { return count_; }

private:
    std::size_t count_;
    WaitList waiters_;
};

/// Waits are not remembered: a notify with nobody waiting is lost. Check your condition in a loop around wait().
class ConditionVariable {
public:
    PlainWait wait() noexcept { return PlainWait("condition", waiters_, false); }
    /// Gives the mutex up while waiting and holds it again afterwards, also when this throws.
    Task<void> wait(MutexGuard& guard);
    void notifyOne() noexcept;
    void notifyAll() noexcept;

private:
    WaitList waiters_;
};

/// Set once or many times: wait() goes through while it is set.
class Event {
public:
    PlainWait wait() noexcept { return PlainWait("event", waiters_, set_); }
    void set() noexcept;
    void clear() noexcept { set_ = false; }
    bool isSet() const noexcept { return set_; }

private:
    bool set_ = false;
    WaitList waiters_;
};

} // namespace yard::coro
