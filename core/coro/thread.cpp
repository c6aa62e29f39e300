#include "core/coro/thread.h"

#include "core/coro/loop.h"
#include "core/coro/timeout.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::coro {

namespace {

// Timeouts beyond this are "never"; keeps the sum with now within range.
constexpr Duration kLongestTimeout = std::chrono::hours(24 * 365 * 100);

constinit thread_local Thread* current = nullptr;

} // namespace

namespace detail {

// The loop sets it around each switch. Behind a function: the address of a thread_local must not be kept across a
// suspension by the optimiser, and a coroutine that only calls functions cannot do so.
void setCurrentThread(Thread* thread) noexcept;
void setCurrentThread(Thread* thread) noexcept {
    current = thread;
}

} // namespace detail

Thread& currentThread() noexcept {
    assert(current && "only inside a cooperative thread");
    return *current;
}

Thread* currentThreadOrNull() noexcept {
    return current;
}

Loop& currentLoop() noexcept {
    return currentThread().loop();
}

ThreadRef spawn(std::string name, Task<void> body) {
    return currentLoop().spawn(std::move(name), std::move(body));
}

TimeoutError::TimeoutError(Duration limit)
    : std::runtime_error(fmt::format("timed out after {} ms",
                                     std::chrono::duration_cast<std::chrono::milliseconds>(limit).count())) {}

// ---- Wait

Wait::Wait(const char* where, CancelHook cancel) noexcept
    : thread_(&currentThread())
    , where_(where)
    , cancel_(cancel) {}

Wait::~Wait() {
    if (thread_->wait_ == this) thread_->wait_ = nullptr;
}

bool Wait::isParked() const noexcept {
    return thread_->wait_ == this;
}

void Wait::wake() {
    YARD_ASSERT_OWNER(*thread_->loop_);
    if (!isParked())
        throw ScheduleError(fmt::format("thread {} \"{}\" cannot be woken from \"{}\": it is in \"{}\"",
                                        thread_->id(), thread_->name(), where_, thread_->where()));
    unlink();
    outcome_ = Outcome::Woken;
    thread_->wait_ = nullptr;
    thread_->loop_->makeReady(*thread_);
}

bool Wait::interruptPending() noexcept {
    assert(thread_ == current && "awaited by another thread than the one that made it");
    if (!thread_->mustUnwind()) return false;
    outcome_ = Outcome::Interrupted;
    return true;
}

bool Wait::succeedAtOnce() noexcept {
    outcome_ = Outcome::Got;
    return thread_->trySelfish();
}

void Wait::park(std::coroutine_handle<> handle) noexcept {
    thread_->resumePoint_ = handle;
    if (outcome_ == Outcome::Got) {
        thread_->loop_->makeReady(*thread_);
        return;
    }
    thread_->wait_ = this;
    thread_->budget_ = thread_->selfishness_;
    thread_->setState(ThreadState::Parked, where_);
}

void Wait::finish() const {
    if (outcome_ == Outcome::Interrupted) thread_->throwInterrupted();
}

// ---- Thread

std::vector<AwaitPlace> Thread::chain() const {
    return hasEnded() ? std::vector<AwaitPlace>() : awaitChain(resumePoint_);
}

Thread::Thread(Loop& loop, std::uint64_t id, std::string name, Task<void> body)
    : loop_(&loop)
    , id_(id)
    , name_(std::move(name))
    , body_(std::move(body))
    , resumePoint_(body_.handle())
    , born_(loop.clock().now())
    , selfishness_(loop.selfishness_)
    , budget_(loop.selfishness_) {}

const char* Thread::where() const noexcept {
    return where_;
}

void Thread::setState(ThreadState state, const char* where) noexcept {
    state_ = state;
    where_ = where;
    since_ = loop_->switchTime_;
}

void Thread::interrupt() {
    if (hasEnded() || interrupted_) return;
    YARD_ASSERT_OWNER(*loop_);
    interrupted_ = true;
    ++pending_;
    nudge();
}

void Thread::schedule() {
    if (!wait_ || !wait_->byHand_)
        throw ScheduleError(
            fmt::format("thread {} \"{}\" cannot be scheduled: it is in \"{}\"", id_, name_, where_));
    wait_->wake();
}

bool Thread::trySelfish() noexcept {
    if (budget_ > 0) {
        --budget_;
        return true;
    }
    budget_ = selfishness_;
    return false;
}

bool Thread::mustUnwind() const noexcept {
    if (pending_ == 0) return false;
    for (const detail::Scope* scope = scopes_; scope; scope = scope->outer) {
        if (scope->masks) return false;
        if (scope->expired) return true;
    }
    return interrupted_;
}

void Thread::throwInterrupted() {
    for (detail::Scope* scope = scopes_; scope && !scope->masks; scope = scope->outer)
        if (scope->expired) scope->delivered = true;
    throw Interrupted{};
}

void Thread::nudge() noexcept {
    if (!wait_ || wait_->cancelling_ || !mustUnwind()) return;
    Wait& wait = *wait_;
    wait.cancelling_ = true;
    if (wait.cancel_) {
        if (!wait.cancel_(wait)) return;
    } else {
        wait.unlink();
    }
    wait.outcome_ = Wait::Outcome::Interrupted;
    wait_ = nullptr;
    loop_->makeReady(*this);
}

void Thread::push(detail::Scope& scope) noexcept {
    scope.outer = scopes_;
    scopes_ = &scope;
}

void Thread::pop(detail::Scope& scope) noexcept {
    assert(scopes_ == &scope && "scopes of a thread end in reverse order");
    scopes_ = scope.outer;
    if (scope.expired) --pending_;
}

bool acknowledgeInterrupt() {
    Thread& thread = currentThread();
    if (!thread.interrupted_ || thread.loop_->isShuttingDown()) return false;
    thread.interrupted_ = false;
    --thread.pending_;
    return true;
}

void checkInterrupt() {
    Thread& thread = currentThread();
    if (thread.mustUnwind()) thread.throwInterrupted();
}

// ---- Uninterruptible, TimeoutScope

Uninterruptible::Uninterruptible() noexcept
    : thread_(&currentThread()) {
    scope_.masks = true;
    thread_->push(scope_);
}

Uninterruptible::~Uninterruptible() {
    thread_->pop(scope_);
}

TimeoutScope::TimeoutScope(Duration limit)
    : Timer(&TimeoutScope::expire)
    , thread_(&currentThread())
    , limit_(limit) {
    thread_->push(*this);
    end_ = thread_->loop().now() + std::clamp(limit, Duration{}, kLongestTimeout);
    if (limit <= Duration::zero()) {
        expired = true;
        ++thread_->pending_;
    } else {
        thread_->loop().timers().arm(*this, end_);
    }
}

void TimeoutScope::expire(Timer& timer) noexcept {
    TimeoutScope& scope = static_cast<TimeoutScope&>(timer);
    scope.expired = true;
    ++scope.thread_->pending_;
    scope.thread_->nudge();
}

void TimeoutScope::leave() noexcept {
    if (!thread_) return;
    Timer::cancel();
    thread_->pop(*this);
    thread_ = nullptr;
}

void TimeoutScope::close() {
    Thread& thread = *thread_;
    leave();
    if (!delivered) return;
    if (thread.mustUnwind()) thread.throwInterrupted();
    throw TimeoutError(limit_);
}

// ---- sleep, yield, park, join

Sleep::Sleep(MonoTime until) noexcept
    : Wait("sleep", &Sleep::leave)
    , Timer(&Sleep::wakeUp)
    , until_(until) {}

void Sleep::await_suspend(std::coroutine_handle<> handle) {
    Loop& loop = thread_->loop();
    // A sleep that is over already still lets the others have their turn.
    loop.timers().arm(*this, until_);
    park(handle);
}

void Sleep::await_resume() {
    finish();
    // There is no result to lose: what came after the timer is raised here rather than one suspension later.
    checkInterrupt();
}

bool Sleep::leave(Wait& wait) noexcept {
    static_cast<Sleep&>(wait).Timer::cancel();
    return true;
}

void Sleep::wakeUp(Timer& timer) noexcept {
    static_cast<Sleep&>(timer).wake();
}

std::optional<MonoTime> Thread::asleepUntil() const noexcept {
    if (!wait_ || wait_->cancel_ != &Sleep::leave) return std::nullopt;
    return static_cast<const Sleep*>(wait_)->until_;
}

std::vector<MonoTime> Thread::timeoutsAround() const {
    std::vector<MonoTime> ends;
    for (const detail::Scope* scope = scopes_; scope; scope = scope->outer)
        if (!scope->masks) ends.push_back(static_cast<const TimeoutScope*>(scope)->end_);
    return ends;
}

Sleep sleepFor(Duration time) {
    return Sleep(currentLoop().now() + std::min(time, kLongestTimeout));
}
Sleep sleepUntil(MonoTime until) {
    return Sleep(until);
}

void Yield::await_suspend(std::coroutine_handle<> handle) noexcept {
    outcome_ = Outcome::Got;
    park(handle);
}

void Yield::await_resume() {
    finish();
    checkInterrupt();
}

ParkWait::ParkWait(const char* where) noexcept
    : Wait(where) {
    byHand_ = true;
}

namespace detail {

/// Has access to the list of joiners.
class Join : public Wait {
public:
    Join(const ThreadRef& thread, WaitList& joiners) noexcept
        : Wait("join")
        , ended_(thread->hasEnded())
        , joiners_(joiners) {}
    bool await_ready() noexcept { return interruptPending() || (ended_ && succeedAtOnce()); }
    void await_suspend(std::coroutine_handle<> handle) noexcept {
        if (outcome_ == Outcome::Open) joiners_.push_back(*this);
        park(handle);
    }

private:
    bool ended_;
    WaitList& joiners_;
};

} // namespace detail

Task<ThreadEnd> ThreadRef::join() const {
    return joinThread(*this);
}

Task<ThreadEnd> ThreadRef::joinThread(ThreadRef thread) {
    assert(thread.thread_ != currentThreadOrNull() && "a thread cannot join itself");
    co_await detail::Join(thread, thread->joiners_);
    co_return thread->end();
}

} // namespace yard::coro
