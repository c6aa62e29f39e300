// The suspensions that need nothing but the thread itself: sleep, yield, park, giving way.
// Owner: the current thread. Awaiters live in its frame; none is kept beyond the co_await.
#pragma once

#include "core/coro/thread.h"
#include "core/coro/timer.h"

namespace yard::coro {

/// Awaiter of sleepFor and sleepUntil.
class [[nodiscard("co_await it")]] Sleep : public Wait, private Timer {
public:
    explicit Sleep(MonoTime until) noexcept;
    void await_suspend(std::coroutine_handle<> handle);
    void await_resume();

private:
    friend class Thread; // says until when

    static bool leave(Wait& wait) noexcept;
    static void wakeUp(Timer& timer) noexcept;
    MonoTime until_;
};

/// Awaiter of yieldNow.
class [[nodiscard("co_await it")]] Yield : public Wait {
public:
    Yield() noexcept
        : Wait("yield") {}
    void await_suspend(std::coroutine_handle<> handle) noexcept;
    void await_resume();
};

/// Awaiter of park.
class [[nodiscard("co_await it")]] ParkWait : public Wait {
public:
    explicit ParkWait(const char* where) noexcept;
};

/// Sleeps; microseconds, on the loop's monotonic clock, never too short. Zero or less: until the next turn.
Sleep sleepFor(Duration time);
Sleep sleepUntil(MonoTime until);
/// Lets the other ready threads, due timers and the kernel have their turn.
inline Yield yieldNow() {
    return {};
}
/// Waits for Thread::schedule(). `where` is static text for the list of threads. Prefer a primitive of sync.h.
inline ParkWait park(const char* where) {
    return ParkWait(where);
}
/// Throws Interrupted when the current thread has to unwind; does not suspend. For long computations.
void checkInterrupt();

/// Awaiter of giveWayIfSelfish.
class [[nodiscard("co_await it")]] GiveWay : public Wait {
public:
    GiveWay() noexcept
        : Wait("give way") {}
    bool await_ready() noexcept { return succeedAtOnce(); }
    void await_resume() const noexcept {}
};
/// For operations that succeeded at once: counts one, and yields when the budget is used up. Does not throw: what
/// was got is not lost; an interruption comes at the next suspension.
inline GiveWay giveWayIfSelfish() {
    return {};
}

} // namespace yard::coro
