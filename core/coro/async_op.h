// asyncOp: awaits one asynchronous operation of Asio or Beast, composed ones too, without exceptions:
//     auto [error, n] = co_await asyncOp<IoSignature>("read", [&](auto handler) {
//         socket.async_read_some(buffer, std::move(handler));
//     });
// Owner: the loop's OS thread; the I/O object must belong to that loop's io_context.
// Lifetime: the operation may use buffers of the awaiting frame. An interruption or timeout cancels it (terminal,
// through its cancellation slot) and the thread resumes only after the handler has run. If it succeeded in spite of
// that, the result is delivered and Interrupted comes at the next suspension.
#pragma once

#include "core/coro/loop.h"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

namespace yard::coro {

using ErrorCode = boost::system::error_code;
using IoSignature = void(ErrorCode, std::size_t);
using DoneSignature = void(ErrorCode);

/// For operations that do not honour cancellation slots: asyncOp without a function of its own.
struct NoCancel {
    void operator()() const noexcept {}
};

template<class Signature, class Init, class Cancel>
class AsyncOp;

/// The part that does not depend on the operation: emits, and emits again while the handler has not come (a
/// composed operation may be between two of its steps, where nothing hears the signal).
class AsyncWait : public Wait {
public:
    explicit AsyncWait(const char* where, void (*alsoCancel)(AsyncWait&) noexcept) noexcept
        : Wait(where, &AsyncWait::leave)
        , alsoCancel_(alsoCancel) {}
    /// Asks the operation to end.
    void emit() noexcept;

protected:
    static bool leave(Wait& wait) noexcept;
    /// The handler ran.
    void complete() noexcept;

    boost::asio::cancellation_signal signal_;
    void (*alsoCancel_)(AsyncWait&) noexcept;
    bool completed_ = false;
};

template<class... Args, class Init, class Cancel>
class [[nodiscard("co_await it")]] AsyncOp<void(Args...), Init, Cancel> : public AsyncWait {
public:
    using Result = std::tuple<std::decay_t<Args>...>;

    AsyncOp(const char* where, Init init, Cancel cancel)
        : AsyncWait(where, &AsyncOp::callCancel)
        , init_(std::move(init))
        , cancelOp_(std::move(cancel)) {}

    /// What the operation gets. It does not own: the frame outlives the operation, or the loop has ended and calls
    /// no handler any more.
    class Handler {
    public:
        using cancellation_slot_type = boost::asio::cancellation_slot;
        explicit Handler(AsyncOp& op) noexcept
            : op_(&op) {}
        cancellation_slot_type get_cancellation_slot() const noexcept { return op_->signal_.slot(); }
        void operator()(Args... args) {
            op_->result_.emplace(std::move(args)...);
            op_->complete();
        }

    private:
        AsyncOp* op_;
    };

    bool await_ready() {
        if (interruptPending()) return true;
        init_(Handler(*this));
        return completed_ && succeedAtOnce();
    }
    void await_suspend(std::coroutine_handle<> handle) noexcept { park(handle); }
    Result await_resume() {
        if (!result_ || (isCancelling() && failed())) throwInterruptedNow();
        return std::move(*result_);
    }

private:
    static void callCancel(AsyncWait& wait) noexcept { static_cast<AsyncOp&>(wait).cancelOp_(); }
    bool failed() const noexcept {
        if constexpr (sizeof...(Args) > 0) {
            if constexpr (std::is_same_v<std::tuple_element_t<0, Result>, ErrorCode>)
                return static_cast<bool>(std::get<0>(*result_));
        }
        return false;
    }
    void throwInterruptedNow() {
        outcome_ = Outcome::Interrupted;
        finish();
    }

    Init init_;
    Cancel cancelOp_;
    std::optional<Result> result_;
};

/// `where` is static text for the list of threads. `init` gets the handler and starts the operation. `cancel`, when
/// given, is called as well to end it ("socket.cancel()").
template<class Signature, class Init, class Cancel = NoCancel>
AsyncOp<Signature, Init, Cancel> asyncOp(const char* where, Init init, Cancel cancel = {}) {
    return AsyncOp<Signature, Init, Cancel>(where, std::move(init), std::move(cancel));
}

} // namespace yard::coro
