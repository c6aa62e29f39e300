// Task<T>: a lazy coroutine. Nothing runs until it is awaited (or given to spawn); it runs on the thread that
// awaits it, by symmetric transfer, so that a loop over a million awaits needs no stack.
//
// Owner: whoever holds the Task; it may be created on one loop and awaited on another, but runs on one only.
// Lifetime: destroying a Task destroys its frame, whether it never started, ended, or is suspended (a loop that is
// shut down does the latter); awaiters take themselves out of every list in their destructors.
// Invariant: awaited at most once, as an rvalue. README.md has the rules for writing coroutines.
#pragma once

#include "core/base/memory_ledger.h"

#include <cassert>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <source_location>
#include <type_traits>
#include <utility>
#include <variant>

namespace yard::coro {

template<class T>
class Task;

namespace detail {

struct PromiseBase;

/// The function that runs on this OS thread, or the one that it is called by until its first co_await; null: none.
inline constinit thread_local PromiseBase* runningFunction = nullptr;

/// Sees each call of a Task and each end of one on its OS thread, for a profiler. Must not suspend.
class FunctionObserver {
public:
    virtual void entered(const PromiseBase& callee) noexcept = 0;
    /// Of a function that is no coroutine (part.h).
    virtual void enteredPart(const char* name, const std::source_location& where) noexcept = 0;
    virtual void left() noexcept = 0;

protected:
    ~FunctionObserver() = default;
};
inline constinit thread_local FunctionObserver* functionObserver = nullptr;

/// tests/bench/bench_profiler compares with a build that has no branch for it.
#ifdef YARD_WITHOUT_PROFILER
inline constexpr bool kHasProfiler = false;
#else
inline constexpr bool kHasProfiler = true;
#endif

/// At the end of a task its awaiter goes on; without one (the body of a thread) control returns to the loop.
struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template<class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> self) noexcept {
        if (kHasProfiler && functionObserver) [[unlikely]]
            functionObserver->left();
        runningFunction = self.promise().awaitedBy;
        return self.promise().next();
    }
    void await_resume() const noexcept {}
};

/// Stands first in every promise, so that the chain of awaits can be walked (await_chain.h).
struct PromiseBase {
    PromiseBase* awaitedBy = nullptr; ///< null: the body of a thread
    std::source_location at{};        ///< the co_await it came to last; before the first: its own begin

    std::coroutine_handle<> next() noexcept {
        if (!awaitedBy) return std::noop_coroutine();
        return std::coroutine_handle<PromiseBase>::from_promise(*awaitedBy);
    }
    template<class Awaitable>
    Awaitable&& await_transform(Awaitable&& awaitable,
                                std::source_location where = std::source_location::current()) noexcept {
        at = where;
        return static_cast<Awaitable&&>(awaitable);
    }
    std::suspend_always initial_suspend(std::source_location where = std::source_location::current()) noexcept {
        at = where;
        return {};
    }
    FinalAwaiter final_suspend() const noexcept { return {}; }

    // Frames are counted (memory_ledger.h).
    static void* operator new(std::size_t size) {
        void* frame = ::operator new(size);
        chargeMemory(MemoryOwner::Functions, size);
        return frame;
    }
    static void operator delete(void* frame, std::size_t size) noexcept {
        releaseMemory(MemoryOwner::Functions, size);
        ::operator delete(frame, size);
    }
};

template<class T>
struct TaskPromise : PromiseBase {
    std::variant<std::monostate, T, std::exception_ptr> result;

    Task<T> get_return_object() noexcept;
    void unhandled_exception() noexcept { result.template emplace<2>(std::current_exception()); }
    template<class U>
    void return_value(U&& value) {
        result.template emplace<1>(std::forward<U>(value));
    }
    T take() {
        if (auto* error = std::get_if<2>(&result)) std::rethrow_exception(std::move(*error));
        return std::get<1>(std::move(result));
    }
};

template<>
struct TaskPromise<void> : PromiseBase {
    std::exception_ptr error;

    Task<void> get_return_object() noexcept;
    void unhandled_exception() noexcept { error = std::current_exception(); }
    void return_void() const noexcept {}
    void take() {
        if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }
};

} // namespace detail

/// A piece of work that may suspend its thread. `T` is a value type or void; results are moved out.
template<class T = void>
class [[nodiscard("a Task does nothing until it is awaited")]] Task {
public:
    using promise_type = detail::TaskPromise<T>;
    using Handle = std::coroutine_handle<promise_type>;

    Task() = default;
    explicit Task(Handle handle) noexcept
        : handle_(handle) {}
    Task(Task&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        if (this != &other) {
            reset();
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~Task() { reset(); }

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// Destroys the frame now.
    void reset() noexcept {
        if (Handle handle = std::exchange(handle_, nullptr)) handle.destroy();
    }
    /// For the loop, which starts thread bodies itself. Borrowed.
    Handle handle() const noexcept { return handle_; }

    /// `co_await std::move(task)`: runs it to its end, returns its value or throws what left it. The frame is gone
    /// when the full expression ends.
    auto operator co_await() && noexcept {
        assert(handle_ && "a task is awaited once");
        return Awaiter{std::move(*this)};
    }

private:
    struct Awaiter {
        Task task;
        bool await_ready() const noexcept { return false; }
        template<class P>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<P> awaiting) noexcept {
            static_assert(std::is_base_of_v<detail::PromiseBase, P>, "a Task is awaited by a Task");
            task.handle_.promise().awaitedBy = &awaiting.promise();
            detail::runningFunction = &task.handle_.promise();
            if (detail::kHasProfiler && detail::functionObserver) [[unlikely]]
                detail::functionObserver->entered(task.handle_.promise());
            return task.handle_;
        }
        T await_resume() { return task.handle_.promise().take(); }
    };

    Handle handle_;
};

namespace detail {

template<class T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
    static_assert(alignof(TaskPromise) <= 16, "a handle of the PromiseBase has the same address");
    return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() noexcept {
    return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

} // namespace detail

} // namespace yard::coro
