// What every suspension is made of. A thread parks in a Wait (one per suspension, in the coroutine's frame); a
// waker schedules it with Wait::wake(); interruption and timeouts take it out through the same place.
//
// Owner: the loop's OS thread. Lifetime: a Wait leaves its list when it is destroyed, so a frame may be destroyed
// while suspended, and a list before its waiters.
//
// When an interruption and a wake-up meet:
//   - wake-up first: the thread keeps what it was given (unit, item, lock); Interrupted comes at its next
//     suspension;
//   - interruption first: the thread has left the list, and the primitive gave way to those behind it. So the
//     wake-up goes to somebody else.
#pragma once

#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <cstdint>

namespace yard::coro {

class Loop;
class Thread;

/// Hook of an intrusive list; unlinks itself when destroyed. A hook is in one list at most.
using ListHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// First in, first out list of T derived from ListHook. Owns nothing: destroying it unlinks the rest.
template<class T>
using HookList =
    boost::intrusive::list<T, boost::intrusive::base_hook<ListHook>, boost::intrusive::constant_time_size<false>>;

/// One suspension of the current thread, made and awaited by it. Use it directly to build something new:
///     Wait wait("my queue"); waiters.push_back(wait); co_await wait;      // elsewhere: waiters.front().wake();
/// or derive an awaiter from it, as sync.h does.
class Wait : public ListHook {
public:
    /// Called when the thread must leave: take the wait out of what it waits for. True: resume the thread now, with
    /// Interrupted. False: it resumes when wake() comes (an operation of the kernel that still holds its buffers).
    /// Without a hook the wait is unlinked from its list. Must not throw.
    using CancelHook = bool (*)(Wait&) noexcept;

    /// `where` is what the list of threads shows ("sleep", "mutex"): static text, it is not copied.
    explicit Wait(const char* where, CancelHook cancel = nullptr) noexcept;
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait();

    /// Schedules the thread. ScheduleError when it is not parked here: it was already scheduled, or has not yet
    /// come.
    void wake();
    bool isParked() const noexcept;
    Thread& thread() const noexcept { return *thread_; }

    bool await_ready() noexcept { return interruptPending(); }
    void await_suspend(std::coroutine_handle<> handle) noexcept { park(handle); }
    void await_resume() { finish(); }

protected:
    friend class Thread;
    enum class Outcome : unsigned char { Open, Got, Woken, Interrupted };

    /// First thing of every suspension: true when the thread has to unwind, then finish() throws.
    bool interruptPending() noexcept;
    /// The operation succeeded without waiting. True: go on at once; false: the budget is used up (selfishness),
    /// park() will give way to the others once, and the result stays.
    bool succeedAtOnce() noexcept;
    /// Parks the thread, or only gives way when the operation has succeeded.
    void park(std::coroutine_handle<> handle) noexcept;
    /// Throws Interrupted when the wait was left by an interruption or a timeout.
    void finish() const;
    bool wasInterrupted() const noexcept { return outcome_ == Outcome::Interrupted; }
    bool isCancelling() const noexcept { return cancelling_; }

    Thread* thread_;
    const char* where_;
    CancelHook cancel_;
    Outcome outcome_ = Outcome::Open;
    bool cancelling_ = false;
    bool byHand_ = false; ///< Thread::schedule may end it
};

using WaitList = HookList<Wait>;

} // namespace yard::coro
