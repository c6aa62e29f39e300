// withTimeout: a limit around a task, whatever it waits for inside. Nests: wrap single operations tightly, and
// whole conversations with an umbrella; everything in between needs no timeouts. Owner: the thread that awaits it.
// within, comesWithin: the same where running out of time is one of the two things that happen, and no error.
#pragma once

#include "core/coro/suspend.h"
#include "core/coro/thread.h"
#include "core/coro/timer.h"

#include <optional>

namespace yard::coro {

/// The scope of one withTimeout in its thread's stack; withTimeout is the way to use it.
class TimeoutScope : private detail::Scope, private Timer {
public:
    explicit TimeoutScope(Duration limit);
    TimeoutScope(const TimeoutScope&) = delete;
    TimeoutScope& operator=(const TimeoutScope&) = delete;
    ~TimeoutScope() { leave(); }
    /// Disarms it. Throws TimeoutError when the thread was interrupted on its behalf, but Interrupted when
    /// something further out wants the thread as well: that is the larger promise.
    void close();

private:
    friend class Thread; // says what is left of it
    void leave() noexcept;
    static void expire(Timer& timer) noexcept;

    Thread* thread_;
    Duration limit_;
    MonoTime end_{};
};

/// Runs `task`; when it has not ended after `limit`, whatever it waits for is interrupted and, once it has unwound,
/// TimeoutError is thrown here, even if the task swallowed the interruption or threw something else meanwhile.
/// A result that was there before the interruption reached the task is returned. Zero or less: its first wait
/// throws.
template<class T>
Task<T> withTimeout(Duration limit, Task<T> task) {
    TimeoutScope scope(limit);
    std::exception_ptr error;
    if constexpr (std::is_void_v<T>) {
        try {
            co_await std::move(task);
        } catch (...) {
            error = std::current_exception();
        }
        scope.close();
        if (error) std::rethrow_exception(std::move(error));
    } else {
        std::optional<T> value;
        try {
            value.emplace(co_await std::move(task));
        } catch (...) {
            error = std::current_exception();
        }
        scope.close();
        if (error) std::rethrow_exception(std::move(error));
        co_return std::move(*value);
    }
}

/// As withTimeout(), but whether it ended in time: true or its value, else false or nothing.
inline Task<bool> within(Duration limit, Task<void> task) {
    try {
        co_await withTimeout(limit, std::move(task));
    } catch (const TimeoutError&) {
        co_return false;
    }
    co_return true;
}
template<class T>
Task<std::optional<T>> within(Duration limit, Task<T> task) {
    std::optional<T> value;
    try {
        value.emplace(co_await withTimeout(limit, std::move(task)));
    } catch (const TimeoutError&) {
    }
    co_return value;
}

/// Waits for an Event or a ConditionVariable, which outlives the wait: true when it came within `limit`.
template<class Source>
Task<bool> comesWithin(Duration limit, Source& source) {
    return within(limit, [](Source& awaited) -> Task<void> { co_await awaited.wait(); }(source));
}

} // namespace yard::coro
