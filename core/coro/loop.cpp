#include "core/coro/loop.h"

#include "core/base/log.h"
#include "core/coro/async_op.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sched.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace yard::coro {

namespace asio = boost::asio;

namespace detail {
void setCurrentThread(Thread* thread) noexcept;
} // namespace detail

namespace {

constexpr std::size_t kMaxBatch = 256;          // switches of one turn
constexpr unsigned kSwitchesPerPoll = 64;       // while threads stay ready, see loop.h
constexpr std::size_t kMaxCompletions = 1024;   // handlers of one look at the kernel
constexpr std::size_t kMaxPostedPerTurn = 1024; // posted functions of one turn
constexpr std::size_t kKeptCapacity = 4096;     // larger mail vectors are given back after a burst

/// Operations that were told to end and have not.
void remind(WaitList& cancelling) {
    for (auto wait = cancelling.begin(); wait != cancelling.end();)
        static_cast<AsyncWait&>(*wait++).emit(); // which may take it out of the list
}

class RealClock : public Clock {
public:
    MonoTime now() noexcept override { return MonoClock::now(); }
};

} // namespace

Clock& Clock::real() noexcept {
    static RealClock clock;
    return clock;
}

bool VirtualClock::skipTo(MonoTime next) noexcept {
    if (!autoAdvance_) return false;
    now_ = std::max(now_, next);
    return true;
}

// ---- Mailbox

Mailbox::Mailbox()
    : bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!bell_) throw std::system_error(errno, std::system_category(), "eventfd");
}

bool Mailbox::post(Band band, Posted function) {
    {
        const ThreadLock lock(mutex_);
        if (closed_) return false;
        bands_[static_cast<std::size_t>(band)].push_back(std::move(function));
        hasMail_.store(true, std::memory_order_release);
        if (!std::exchange(asleep_, false)) return true;
    }
    // A ring that comes when the loop is up for another reason makes it look once more, and finds nothing.
    wakeups_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    (void)!::write(bell_.get(), &one, sizeof one); // fails at 2^64 rings
    return true;
}

std::size_t Mailbox::size() const {
    const ThreadLock lock(mutex_);
    std::size_t sum = 0;
    for (const auto& band : bands_) sum += band.size();
    return sum;
}

// ---- Inbox

bool Inbox::isEmpty() const noexcept {
    if (mailbox_.hasMail_.load(std::memory_order_acquire)) return false;
    for (const auto& band : taken_)
        if (!band.empty()) return false;
    return true;
}

void Inbox::take() {
    if (!mailbox_.hasMail_.load(std::memory_order_acquire)) return;
    const ThreadLock lock(mailbox_.mutex_);
    for (std::size_t i = 0; i < Mailbox::kBands; ++i) {
        auto& from = mailbox_.bands_[i];
        if (taken_[i].empty()) {
            taken_[i].swap(from);
        } else {
            taken_[i].insert(taken_[i].end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
            from.clear();
        }
    }
    mailbox_.hasMail_.store(false, std::memory_order_relaxed);
}

void Inbox::clear(std::size_t band) {
    next_[band] = 0;
    taken_[band].clear();
    if (taken_[band].capacity() > kKeptCapacity) std::vector<Posted>().swap(taken_[band]);
}

bool Inbox::fallAsleep() {
    const ThreadLock lock(mailbox_.mutex_);
    if (mailbox_.hasMail_.load(std::memory_order_relaxed)) return false;
    mailbox_.asleep_ = true;
    return true;
}

void Inbox::wakeUp() {
    const ThreadLock lock(mailbox_.mutex_);
    mailbox_.asleep_ = false;
}

void Inbox::close() {
    Mailbox::Bands undelivered;
    {
        const ThreadLock lock(mailbox_.mutex_);
        mailbox_.closed_ = true;
        undelivered.swap(mailbox_.bands_);
        mailbox_.hasMail_.store(false, std::memory_order_relaxed);
    }
    // Dropped unrun, outside of the lock: promises in them tell their waiters, here or on other loops.
    undelivered = {};
    taken_ = {};
}

// ---- Kernel: Asio and the one timer with which the loop wakes itself

struct Loop::Kernel {
    /// `bell` stays the caller's.
    explicit Kernel(int bellFd)
        : bell(io, bellFd) {
        watchBell();
    }
    ~Kernel() { bell.release(); }
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                               asio::io_context::executor_type>
        alarm{io};
    MonoTime alarmAt = MonoTime::max();
    asio::posix::basic_stream_descriptor<asio::io_context::executor_type> bell;

    void watchBell() {
        bell.async_wait(asio::posix::descriptor_base::wait_read, [this](const ErrorCode& error) {
            if (error) return;
            std::uint64_t rings = 0;
            (void)!::read(bell.native_handle(), &rings, sizeof rings);
            watchBell();
        });
    }
    /// An alarm that is set too early is left alone: it costs one wake-up, setting it again a system call per block.
    void setAlarm(MonoTime at, Duration from) {
        if (alarmAt <= at) return;
        alarmAt = at;
        alarm.expires_after(from);
        alarm.async_wait([this](const ErrorCode& error) {
            if (!error) alarmAt = MonoTime::max();
        });
    }
};

// ---- Loop

Loop::Loop(LoopOptions options)
    : name_(std::move(options.name))
    , clock_(options.clock ? options.clock : &Clock::real())
    , mailbox_(std::make_shared<Mailbox>())
    , kernel_(std::make_unique<Kernel>(mailbox_->bell_.get()))
    , inbox_(*mailbox_)
    , switchTime_(clock_->now())
    , selfishness_(options.selfishness)
    , meter_(name_, options.latencyLimit) {}

Loop::~Loop() {
    closing_ = true;
    inbox_.close();
    while (!threads_.empty()) {
        Thread& thread = threads_.front();
        thread.body_.reset();
        thread.end_ = ThreadEnd::Destroyed;
        retire(thread);
        thread.dropRef();
    }
    services_.clear();
}

asio::io_context& Loop::io() noexcept {
    return kernel_->io;
}

ThreadRef Loop::spawn(std::string name, Task<void> body) {
    YARD_ASSERT_OWNER(owner_);
    assert(body && "a thread needs a body");
    Thread* thread = new Thread(*this, nextId_++, std::move(name), std::move(body));
    thread->addRef(); // the loop's, until the thread has ended
    ThreadRef ref(thread);
    threads_.push_back(*thread);
    ++threadCount_;
    makeReady(*thread);
    if (closing_) thread->interrupt();
    return ref;
}

void Loop::makeReady(Thread& thread) noexcept {
    thread.setState(ThreadState::Ready, "ready");
    thread.nextReady_ = nullptr;
    (readyLast_ ? readyLast_->nextReady_ : readyFirst_) = &thread;
    readyLast_ = &thread;
    ++readyCount_;
}

void Loop::turn(bool mayBlock) {
    YARD_ASSERT_OWNER(owner_);
    assert(!currentThreadOrNull() && "a loop is not run from inside a thread");
    switchTime_ = clock_->now();
    if (timers_.fireDue(switchTime_) > 0) switchTime_ = clock_->now(); // not the first thread's time
    runReady();
    askKernel(mayBlock);
}

void Loop::runReady() {
    // Those ready now: whoever becomes ready meanwhile is behind them and waits for the next round.
    for (std::size_t left = std::min(readyCount_, kMaxBatch); left > 0; --left) {
        Thread& thread = *readyFirst_;
        readyFirst_ = thread.nextReady_;
        if (!readyFirst_) readyLast_ = nullptr;
        --readyCount_;
        switchTo(thread);
    }
}

void Loop::switchTo(Thread& thread) {
    const MonoTime start = switchTime_;
    ++sincePoll_;
    thread.setState(ThreadState::Running, "running");
    detail::setCurrentThread(&thread);
    detail::runningFunction =
        &std::coroutine_handle<detail::PromiseBase>::from_address(thread.resumePoint_.address()).promise();
    meter_.switchedIn(thread, start);
    thread.resumePoint_.resume();
    detail::runningFunction = nullptr;
    const bool ended = thread.body_.handle().done();
    if (ended) endThread(thread);
    detail::setCurrentThread(nullptr);
    switchTime_ = clock_->now();
    thread.since_ = switchTime_;
    thread.noteTurn(switchTime_ - start);
    meter_.switchedOut(thread, switchTime_, switchTime_ - start);
    if (ended) thread.dropRef();
}

void Loop::endThread(Thread& thread) noexcept {
    std::exception_ptr error = std::move(thread.body_.handle().promise().error);
    thread.body_.reset();
    thread.end_ = ThreadEnd::Returned;
    if (error) {
        try {
            std::rethrow_exception(error);
        } catch (const Interrupted&) {
            thread.end_ = ThreadEnd::Interrupted;
        } catch (const std::exception& failure) {
            thread.end_ = ThreadEnd::Failed;
            logError("coro", "thread {} \"{}\" of loop {} failed: {}", thread.id_, thread.name_, name_,
                     failure.what());
        } catch (...) {
            thread.end_ = ThreadEnd::Failed;
            logError("coro", "thread {} \"{}\" of loop {} failed with an unknown exception", thread.id_,
                     thread.name_, name_);
        }
        thread.error_ = std::move(error);
    }
    retire(thread);
}

void Loop::retire(Thread& thread) noexcept {
    thread.setState(ThreadState::Ended, "ended");
    thread.unlink();
    --threadCount_;
    while (!thread.joiners_.empty()) {
        Wait& joiner = thread.joiners_.front();
        if (joiner.isParked())
            joiner.wake();
        else
            joiner.unlink();
    }
}

// ---- the kernel and the mailbox

void Loop::askKernel(bool mayBlock) {
    const bool isDone = stopped_ || (untilEmpty_ && threadCount_ == 0);
    if (readyCount_ == 0 && mayBlock && inbox_.isEmpty() && !isDone)
        block();
    else if (readyCount_ == 0 || sincePoll_ >= kSwitchesPerPoll)
        pollKernel();
    takeMail();
}

void Loop::block() {
    sincePoll_ = 0;
    remind(cancelling_);
    if (clock_->isVirtual() && (pollKernel() > 0 || readyCount_ > 0)) return;
    if (!timers_.isEmpty()) {
        const MonoTime next = timers_.next();
        const MonoTime now = clock_->now();
        if (next <= now) {
            pollKernel();
            return;
        }
        if (clock_->skipTo(next)) return;
        if (!clock_->isVirtual()) kernel_->setAlarm(next, next - now);
    }
    if (lookAround() || !inbox_.fallAsleep()) return;
    meter_.sleeps();
    kernel_->io.run_one();
    meter_.woke();
    inbox_.wakeUp();
    switchTime_ = clock_->now();
    pollKernel();
}

/// Whether something came while it was to stay awake. Whoever else is to run on this CPU runs in between.
bool Loop::lookAround() {
    while (awakeUntil_ > MonoTime{} && clock_->now() < awakeUntil_) {
        if (pollKernel() > 0 || readyCount_ > 0 || !inbox_.isEmpty()) return true;
        ::sched_yield();
    }
    awakeUntil_ = {};
    return false;
}

std::size_t Loop::pollKernel() {
    sincePoll_ = 0;
    remind(cancelling_);
    std::size_t handled = 0;
    while (handled < kMaxCompletions && kernel_->io.poll_one() > 0) ++handled;
    return handled;
}

void Loop::takeMail() {
    if (inbox_.isEmpty()) return;
    inbox_.take();
    switchTime_ = clock_->now();
    inbox_.run(kMaxPostedPerTurn, [this](Posted& function) { runPosted(function); });
}

void Loop::runPosted(Posted& function) noexcept {
    const MonoTime start = switchTime_;
    meter_.postedBegins(start);
    try {
        std::exchange(function, nullptr)();
    } catch (const std::exception& failure) {
        logError("coro", "a function posted to loop {} failed: {}", name_, failure.what());
    } catch (...) {
        logError("coro", "a function posted to loop {} failed with an unknown exception", name_);
    }
    switchTime_ = clock_->now();
    meter_.ranPosted(switchTime_ - start);
}

// ---- running and ending

void Loop::run() {
    untilEmpty_ = true;
    do turn(true);
    while (!stopped_ && (threadCount_ > 0 || !inbox_.isEmpty()));
    stopped_ = false;
}

void Loop::runForever() {
    untilEmpty_ = false;
    do turn(true);
    while (!stopped_);
    stopped_ = false;
}

std::size_t Loop::runUntilIdle() {
    const std::uint64_t before = meter_.switches();
    do turn(false);
    while (!isIdle());
    return static_cast<std::size_t>(meter_.switches() - before);
}

bool Loop::isIdle() {
    if (readyCount_ > 0 || !inbox_.isEmpty()) return false;
    if (!timers_.isEmpty() && timers_.next() <= clock_->now()) return false;
    return pollKernel() == 0 && readyCount_ == 0 && inbox_.isEmpty();
}

void Loop::stop() {
    mailbox_->post(Band::Results, [this] { stopped_ = true; });
}

std::size_t Loop::shutdown(Duration limit) {
    closing_ = true;
    untilEmpty_ = true;
    for (Thread& thread : threads_) thread.interrupt();
    const MonoTime end = MonoClock::now() + limit;
    Timer alarm([](Timer&) noexcept {});
    if (!clock_->isVirtual()) timers_.arm(alarm, end);
    while (threadCount_ > 0 && MonoClock::now() < end) {
        stopped_ = false; // is meant for run(): here it would keep each turn from waiting
        if (!clock_->isVirtual()) {
            turn(true);
        } else if (runUntilIdle() == 0 && threadCount_ > 0) {
            // Time stands still, so what is left waits for the kernel or another OS thread.
            kernel_->io.run_one_for(std::chrono::milliseconds(1));
        }
    }
    stopped_ = false;
    return threadCount_;
}

ThreadInfo Loop::infoOf(const Thread& thread, MonoTime now) {
    ThreadInfo info{.id = thread.id_, .name = thread.name_, .state = thread.state_, .where = thread.where_};
    info.waiting = now - thread.since_;
    if (const auto until = thread.asleepUntil()) info.asleepFor = std::max(*until - now, Duration{});
    info.age = now - thread.born_;
    info.runs = thread.runs_;
    info.used = thread.used_;
    info.longestTurn = thread.longestTurn_;
    // What it was resumed in may have ended since.
    if (thread.state_ != ThreadState::Running)
        info.chain = awaitChain(thread.resumePoint_);
    else if (const AwaitChain chain = runningChain(); chain.size > 0)
        info.chain.assign(chain.places.begin(), chain.places.begin() + static_cast<std::ptrdiff_t>(chain.size));
    for (const MonoTime end : thread.timeoutsAround()) info.timeouts.push_back(std::max(end - now, Duration{}));
    return info;
}

std::vector<ThreadInfo> Loop::threads() const {
    YARD_ASSERT_OWNER(owner_);
    const MonoTime now = clock_->now();
    std::vector<ThreadInfo> list;
    list.reserve(threadCount_);
    for (const Thread& thread : threads_) list.push_back(infoOf(thread, now));
    return list;
}

ThreadRef Loop::find(std::uint64_t id) {
    for (Thread& thread : threads_)
        if (thread.id_ == id) return ThreadRef(&thread);
    return ThreadRef();
}

} // namespace yard::coro
