// Cooperative threads: named, numbered, cheap (a sleeping one is its coroutine frame, this object and one entry of
// the timer heap). They belong to one Loop and never move. README.md has the concepts.
//
// Owner: the loop's OS thread, checked in debug builds; ThreadRef may be copied and dropped anywhere.
// Lifetime: a Thread lives until it has ended and the last ThreadRef is gone. It may outlive its loop, as ended.
//
// Interruption is sticky: from interrupt() on, every suspension throws Interrupted until the thread ends or calls
// acknowledgeInterrupt(). A timeout is the same, limited to its withTimeout. So a catch-all handler delays both but
// cannot swallow them. Interrupted is no std::exception: `catch (const std::exception&)` does not see it.
#pragma once

#include "core/base/clock.h"
#include "core/coro/await_chain.h"
#include "core/coro/task.h"
#include "core/coro/wait.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace yard::coro {

/// The thread has to unwind: it was interrupted, or a timeout around it passed. Let it through, or rethrow it.
struct Interrupted {};

/// Thrown by the withTimeout whose time passed, and by no other.
class TimeoutError : public std::runtime_error {
public:
    explicit TimeoutError(Duration limit);
};

/// A thread was to be scheduled that is scheduled, runs, has ended, or waits for something else: a race of ours.
class ScheduleError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

enum class ThreadState : unsigned char {
    Ready,   ///< in the loop's queue, runs in this turn or the next
    Running, ///< the one that runs now
    Parked,  ///< waits, see where()
    Ended    ///< body gone, see end()
};

enum class ThreadEnd : unsigned char {
    Alive,       ///< not ended
    Returned,    ///< the body returned
    Interrupted, ///< Interrupted left the body
    Failed,      ///< another exception left it: logged, kept in error()
    Destroyed    ///< its loop went away first
};

namespace detail {

/// An entry in a thread's stack of withTimeout and Uninterruptible, innermost first.
struct Scope {
    Scope* outer = nullptr;
    bool masks = false;     ///< Uninterruptible: what is further out does not show
    bool expired = false;   ///< a timeout whose time has passed
    bool delivered = false; ///< Interrupted was thrown while it was expired and visible
};

} // namespace detail

class ThreadRef;

/// One cooperative thread.
class Thread : public ListHook {
public:
    /// Numbers start at 1 in every loop and are not used twice.
    std::uint64_t id() const noexcept { return id_; }
    const std::string& name() const noexcept { return name_; }
    ThreadState state() const noexcept { return state_; }
    bool hasEnded() const noexcept { return state_ == ThreadState::Ended; }
    /// Where it waits, the innermost function first; nothing of one that has ended.
    std::vector<AwaitPlace> chain() const;
    ThreadEnd end() const noexcept { return end_; }
    /// What left the body, null when it returned or lives.
    const std::exception_ptr& error() const noexcept { return error_; }
    /// What it waits for: the text of its suspension point; "ready", "running", "ended" otherwise.
    const char* where() const noexcept;
    /// When it came into this state, on the loop's clock.
    MonoTime since() const noexcept { return since_; }
    Loop& loop() const noexcept { return *loop_; }
    /// Until when it sleeps, where that is what it waits for.
    std::optional<MonoTime> asleepUntil() const noexcept;
    /// When the withTimeouts around it end, the innermost first.
    std::vector<MonoTime> timeoutsAround() const;
    /// When it was started.
    MonoTime born() const noexcept { return born_; }
    /// How often it ran, for how long in all, and in the longest turn.
    std::uint64_t runs() const noexcept { return runs_; }
    Duration used() const noexcept { return used_; }
    Duration longestTurn() const noexcept { return longestTurn_; }

    /// Makes the thread unwind: at once where it is parked, otherwise at its next suspension. Does not wait for it.
    /// Nothing happens to one that has ended or was interrupted before.
    void interrupt();
    /// True from interrupt() until the end or acknowledgeInterrupt().
    bool isInterrupted() const noexcept { return interrupted_; }
    /// Resumes a thread that waits in park(). ScheduleError for every other.
    void schedule();

    /// Whoever it works for does not get on without it: people are asked before it is interrupted.
    void markService() noexcept { isService_ = true; }
    bool isService() const noexcept { return isService_; }

    /// Operations that may succeed at once before the thread has to give way; 0: yield at each.
    void setSelfishness(unsigned operations) noexcept { selfishness_ = budget_ = operations; }
    /// Takes one from the budget: true when the thread may go on, false when it has to yield now (then the budget
    /// is full again). Parking fills it too.
    bool trySelfish() noexcept;

private:
    friend class Loop;
    friend class ThreadRef;
    friend class Wait;
    friend class TimeoutScope;
    friend class Uninterruptible;
    friend void checkInterrupt();
    friend bool acknowledgeInterrupt();

    Thread(Loop& loop, std::uint64_t id, std::string name, Task<void> body);
    ~Thread() = default;

    /// Something pending that no Uninterruptible hides?
    bool mustUnwind() const noexcept;
    /// Marks what is visible as delivered and throws.
    [[noreturn]] void throwInterrupted();
    /// Something became pending: leave the wait, if there is one and it may be left.
    void nudge() noexcept;
    void setState(ThreadState state, const char* where) noexcept;
    void noteTurn(Duration ran) noexcept {
        ++runs_;
        used_ += ran;
        if (ran > longestTurn_) longestTurn_ = ran;
    }
    void push(detail::Scope& scope) noexcept;
    void pop(detail::Scope& scope) noexcept;
    void addRef() noexcept { refs_.fetch_add(1, std::memory_order_relaxed); }
    void dropRef() noexcept {
        if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

    Loop* loop_;
    std::uint64_t id_;
    std::string name_;
    Task<void> body_;
    std::coroutine_handle<> resumePoint_;
    Thread* nextReady_ = nullptr;
    Wait* wait_ = nullptr; ///< set exactly while Parked
    const char* where_ = "ready";
    MonoTime since_{};
    MonoTime born_;
    std::uint64_t runs_ = 0;
    Duration used_{};
    Duration longestTurn_{};
    detail::Scope* scopes_ = nullptr;
    WaitList joiners_;
    std::exception_ptr error_;
    std::atomic<std::uint32_t> refs_{0};
    std::uint32_t pending_ = 0; ///< expired scopes, plus one when interrupted; 0 is the fast answer of mustUnwind
    std::uint32_t selfishness_;
    std::uint32_t budget_;
    ThreadState state_ = ThreadState::Ready;
    ThreadEnd end_ = ThreadEnd::Alive;
    bool interrupted_ = false;
    bool isService_ = false;
};

/// A thread from outside: stays valid after it has ended. Null when default-constructed.
class ThreadRef {
public:
    ThreadRef() noexcept = default;
    explicit ThreadRef(Thread* thread) noexcept
        : thread_(thread) {
        if (thread_) thread_->addRef();
    }
    ThreadRef(const ThreadRef& other) noexcept
        : ThreadRef(other.thread_) {}
    ThreadRef(ThreadRef&& other) noexcept
        : thread_(std::exchange(other.thread_, nullptr)) {}
    ThreadRef& operator=(ThreadRef other) noexcept {
        std::swap(thread_, other.thread_);
        return *this;
    }
    ~ThreadRef() {
        if (thread_) thread_->dropRef();
    }
    explicit operator bool() const noexcept { return thread_ != nullptr; }
    Thread* operator->() const noexcept { return thread_; }
    Thread& operator*() const noexcept { return *thread_; }
    bool operator==(const ThreadRef&) const noexcept = default;

    /// Waits until it has ended; how it ended is the value, an exception of it is in error() and not thrown here.
    /// Any number of threads may join one, before or after its end. A thread must not join itself.
    Task<ThreadEnd> join() const;

private:
    static Task<ThreadEnd> joinThread(ThreadRef thread);
    Thread* thread_ = nullptr;
};

/// The thread that runs now; only inside one.
Thread& currentThread() noexcept;
/// The same, null outside of any thread.
Thread* currentThreadOrNull() noexcept;
/// The loop of the current thread; only inside one.
Loop& currentLoop() noexcept;

/// Starts a thread on the current loop (Loop::spawn is for outside of a thread).
ThreadRef spawn(std::string name, Task<void> body);

/// Ends the interruption of the current thread: it goes on as if interrupt() had not been called. False when there
/// was none, or when the loop shuts down, which cannot be acknowledged away. Timeouts are not touched.
bool acknowledgeInterrupt();

/// While it lives, interruption and timeouts from outside of it wait: for clean-up that must suspend. A withTimeout
/// inside works as usual, and clean-up should have one. They are raised at the first suspension after it.
class Uninterruptible {
public:
    Uninterruptible() noexcept;
    Uninterruptible(const Uninterruptible&) = delete;
    Uninterruptible& operator=(const Uninterruptible&) = delete;
    ~Uninterruptible();

private:
    Thread* thread_;
    detail::Scope scope_;
};

} // namespace yard::coro
