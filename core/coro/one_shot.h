// OneShot<T>: a value that comes once, from any OS thread, and is awaited by one cooperative thread; and callOn,
// which runs a plain function on another loop and awaits its result.
//
// Owner: OneShot belongs to the loop of the thread that awaits it; Promise to whoever holds it, on any OS thread.
// Lifetime: independent of each other; a value that comes for a waiter that was interrupted and is gone is dropped,
// one that comes after the waiter's loop is gone too. A Promise that is destroyed unfulfilled raises LostError.
#pragma once

#include "core/coro/loop.h"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>

namespace yard::coro {

/// Nobody will fulfil it any more: the promise was dropped, or the loop it was posted to is gone.
class LostError : public std::runtime_error {
public:
    LostError()
        : std::runtime_error("the promise was dropped unfulfilled") {}
};

namespace detail {

/// Shared by both sides. `waiter` is touched on the waiter's loop only; the rest under the mutex.
struct OneShotBase {
    virtual ~OneShotBase() = default;
    /// Called under the mutex' protection ended; wakes the waiter, through its mailbox when need be.
    static void announce(std::shared_ptr<OneShotBase> self, std::shared_ptr<Mailbox> home);

    ThreadMutex mutex;
    bool done YARD_GUARDED_BY(mutex) = false;
    std::exception_ptr error;
    std::shared_ptr<Mailbox> home YARD_GUARDED_BY(mutex); ///< set while somebody waits
    Wait* waiter = nullptr;
};

template<class T>
struct OneShotState : OneShotBase {
    using Stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
    std::optional<Stored> value;
};

/// The part of the awaiter that does not depend on T.
class OneShotWait : public Wait {
public:
    OneShotWait(const char* where, std::shared_ptr<OneShotBase> state) noexcept;
    ~OneShotWait();
    bool await_ready();
    bool await_suspend(std::coroutine_handle<> handle);

protected:
    static bool leave(Wait& wait) noexcept;
    std::shared_ptr<OneShotBase> state_;
};

} // namespace detail

/// The side that fulfils; move-only, usable on any OS thread.
template<class T>
class Promise {
public:
    using State = detail::OneShotState<T>;
    Promise() = default;
    explicit Promise(std::shared_ptr<State> state) noexcept
        : state_(std::move(state)) {}
    Promise(Promise&&) noexcept = default;
    Promise& operator=(Promise&& other) noexcept {
        if (this != &other) {
            drop();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    ~Promise() { drop(); }
    explicit operator bool() const noexcept { return state_ != nullptr; }

    /// Fulfils it; once.
    template<class... U>
    void set(U&&... value) {
        finish([&](State& state) { state.value.emplace(std::forward<U>(value)...); });
    }
    void setError(std::exception_ptr error) {
        finish([&](State& state) { state.error = std::move(error); });
    }
    /// Fulfils it with what `function` returns or throws.
    template<class F>
    void setFrom(F&& function) {
        try {
            if constexpr (std::is_void_v<T>) {
                std::invoke(function);
                set();
            } else {
                set(std::invoke(function));
            }
        } catch (...) {
            setError(std::current_exception());
        }
    }

private:
    template<class Fill>
    void finish(Fill&& fill) {
        assert(state_ && "fulfilled once");
        std::shared_ptr<Mailbox> home;
        {
            const ThreadLock lock(state_->mutex);
            fill(*state_);
            state_->done = true;
            home = std::move(state_->home);
        }
        detail::OneShotBase::announce(std::move(state_), std::move(home));
    }
    void drop() noexcept {
        if (state_) setError(std::make_exception_ptr(LostError()));
    }
    std::shared_ptr<State> state_;
};

/// The side that waits. One thread, one get(); get() may come before or after the value. After an interruption of
/// get() it may be called again.
template<class T>
class OneShot {
public:
    using State = detail::OneShotState<T>;
    explicit OneShot(const char* where = "one-shot")
        : where_(where)
        , state_(std::make_shared<State>()) {}
    /// Hands out the fulfilling side; once.
    Promise<T> promise() { return Promise<T>(state_); }

    class [[nodiscard("co_await it")]] Get : public detail::OneShotWait {
    public:
        Get(const char* where, std::shared_ptr<State> state) noexcept
            : OneShotWait(where, std::move(state)) {}
        T await_resume() {
            finish();
            State& state = static_cast<State&>(*state_);
            if (state.error) std::rethrow_exception(std::exchange(state.error, nullptr));
            if constexpr (!std::is_void_v<T>) return std::move(*state.value);
        }
    };
    /// The value, or throws the error that was set, or LostError.
    Get get() noexcept { return Get(where_, state_); }

private:
    const char* where_;
    std::shared_ptr<State> state_;
};

/// Runs `function` (plain, must not suspend) on the loop behind `target` and returns what it returns or throws.
/// Interrupted while it waits: the function still runs, its result is dropped; so it must own what it uses.
/// LostError when that loop is gone or ends before the function's turn.
template<class F, class R = std::invoke_result_t<F&>>
Task<R> callOn(std::shared_ptr<Mailbox> target, F function, Band band = Band::Results) {
    OneShot<R> shot("call on another loop");
    target->post(band, [promise = shot.promise(), call = std::move(function)]() mutable { promise.setFrom(call); });
    co_return co_await shot.get();
}
template<class F, class R = std::invoke_result_t<F&>>
Task<R> callOn(Loop& target, F function, Band band = Band::Results) {
    return callOn<F, R>(target.mailbox(), std::move(function), band);
}

} // namespace yard::coro
