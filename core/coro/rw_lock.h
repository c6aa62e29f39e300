// RwLock: many readers or one writer. Owner, lifetime, interruption: as in sync.h.
#pragma once

#include "core/coro/thread.h"

#include <cassert>
#include <cstddef>
#include <utility>

namespace yard::coro {

class RwLock;

/// Holds a read or the write lock. Move-only.
class [[nodiscard]] RwGuard {
public:
    RwGuard() noexcept = default;
    RwGuard(RwLock& lock, bool writer) noexcept
        : lock_(&lock)
        , writer_(writer) {}
    RwGuard(RwGuard&& other) noexcept
        : lock_(std::exchange(other.lock_, nullptr))
        , writer_(other.writer_) {}
    RwGuard& operator=(RwGuard&& other) noexcept {
        if (this != &other) {
            unlock();
            lock_ = std::exchange(other.lock_, nullptr);
            writer_ = other.writer_;
        }
        return *this;
    }
    ~RwGuard() { unlock(); }
    void unlock() noexcept;

private:
    RwLock* lock_ = nullptr;
    bool writer_ = false;
};

/// Many readers or one writer, in the order of arrival: a waiting writer holds back the readers behind it.
class RwLock {
public:
    class [[nodiscard("co_await it")]] Lock : public Wait {
    public:
        Lock(RwLock& lock, bool writer) noexcept
            : Wait(writer ? "write lock" : "read lock", &Lock::leave)
            , lock_(lock)
            , writer_(writer) {}
        bool await_ready() noexcept;
        void await_suspend(std::coroutine_handle<> handle) noexcept;
        RwGuard await_resume();

    private:
        friend class RwLock;
        static bool leave(Wait& wait) noexcept;
        RwLock& lock_;
        bool writer_;
    };
    Lock read() noexcept { return Lock(*this, false); }
    Lock write() noexcept { return Lock(*this, true); }
    std::size_t readers() const noexcept { return readers_; }
    bool hasWriter() const noexcept { return writer_; }

private:
    friend class RwGuard;
    bool take(bool writer) noexcept;
    void unlock(bool writer) noexcept;
    void grant() noexcept;
    std::size_t readers_ = 0;
    bool writer_ = false;
    WaitList waiters_;
};

} // namespace yard::coro
