// Loop: the event loop of one OS thread. It owns that thread's cooperative threads, its timers, one Asio io_context
// (epoll) and a mailbox through which other OS threads hand it functions.
//
// A turn: timed events that are due, then the threads that are ready (round-robin, those ready now; a thread that
// becomes ready meanwhile waits for the next round), then the kernel and the mailbox. With nothing ready it blocks
// in the kernel until the next timer, or forever when nothing is armed: an idle loop does not wake up by itself.
// While threads stay ready the kernel is asked after every 64 switches only, because asking costs as much as ten of
// them.
//
// Owner: the OS thread that first uses it after construction (release() lets another take over); only post(),
// stop(), mailbox(), name() and the meter's turnSince() may be used from elsewhere. Lifetime: run() and shutdown()
// before destruction; the destructor destroys the frames of threads that are left where they are suspended, then the
// io_context. ThreadRef and Mailbox outlive it.
#pragma once

#include "core/base/owner.h"
#include "core/coro/await_chain.h"
#include "core/coro/loop_clock.h"
#include "core/coro/loop_meter.h"
#include "core/coro/mailbox.h"
#include "core/coro/suspend.h"
#include "core/coro/thread.h"
#include "core/coro/timer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
} // namespace boost::asio

namespace yard::coro {

/// One line of the list of threads.
struct ThreadInfo {
    std::uint64_t id = 0;
    std::string name;
    ThreadState state = ThreadState::Ready;
    const char* where = "";
    Duration waiting{};                  ///< how long it has been in this state
    std::optional<Duration> asleepFor{}; ///< what is left of its sleep, where it sleeps
    Duration age{};
    std::uint64_t runs = 0;
    Duration used{};                  ///< in all its turns
    Duration longestTurn{};           ///< that has ended
    std::vector<AwaitPlace> chain{};  ///< where it waits, or was resumed last
    std::vector<Duration> timeouts{}; ///< what is left of the limits around it, innermost first; 0: it has passed
};

struct LoopOptions {
    std::string name = "loop";
    Clock* clock = nullptr;                                 ///< null: the real one; borrowed, outlives the loop
    unsigned selfishness = 4;                               ///< of new threads, see Thread::setSelfishness
    Duration latencyLimit = std::chrono::milliseconds(200); ///< a longer run without yielding is warned of
};

class Loop {
public:
    using Options = LoopOptions;

    explicit Loop(LoopOptions options = {});
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop();

    /// Starts a thread: ready, runs in the next turn. During shutdown it is born interrupted.
    ThreadRef spawn(std::string name, Task<void> body);

    /// Turns until no thread is left and nothing is posted, or until stop(). Blocks.
    void run();
    /// Turns until stop(), also without threads. Blocks.
    void runForever();
    /// Turns until nothing is ready, due, posted or signalled; never blocks. Returns the switches made. For tests.
    std::size_t runUntilIdle();
    /// Makes run() return after the current turn; before run(), at its start. Thread-safe.
    void stop();
    /// Interrupts every thread and turns until they have ended, at most `limit` (real time). Returns how many are
    /// left; the destructor destroys those. Not from inside a thread.
    std::size_t shutdown(Duration limit = std::chrono::seconds(5));
    bool isShuttingDown() const noexcept { return closing_; }
    /// Until then it looks for work again and again instead of sleeping, which costs the CPU: for answers that come
    /// sooner than a CPU that sleeps would be woken (some ten microseconds, more in a virtual machine). A time that
    /// has passed changes nothing. Of a virtual clock it has no effect.
    void stayAwakeUntil(MonoTime until) noexcept { awakeUntil_ = clock_->isVirtual() ? MonoTime{} : until; }

    /// Thread-safe; see Mailbox::post.
    bool post(Posted function, Band band = Band::Submissions) { return mailbox_->post(band, std::move(function)); }
    /// For those who may outlive the loop. Thread-safe.
    const std::shared_ptr<Mailbox>& mailbox() const noexcept { return mailbox_; }

    /// For sockets and other Asio objects, which live no longer than the loop.
    boost::asio::io_context& io() noexcept;
    Clock& clock() const noexcept { return *clock_; }
    MonoTime now() const noexcept { return clock_->now(); }
    TimerHeap& timers() noexcept { return timers_; }
    const std::string& name() const noexcept { return name_; }

    std::size_t threadCount() const noexcept { return threadCount_; }
    /// Whether another thread has its turn next; else it may sleep.
    bool hasReady() const noexcept { return readyCount_ > 0; }
    /// All living threads by number. Copies: for people, not for deciding.
    std::vector<ThreadInfo> threads() const;
    /// Null when no living thread has this number. A walk over all.
    ThreadRef find(std::uint64_t id);

    LoopMeter& meter() noexcept { return meter_; }
    const LoopMeter& meter() const noexcept { return meter_; }

    /// The next OS thread that uses the loop owns it. When it was built elsewhere.
    void release() const noexcept { owner_.release(); }
    bool isOwner() const { return owner_.isOwner(); }

    /// For wait primitives: queues a thread that is not queued.
    void makeReady(Thread& thread) noexcept;
    /// For asyncOp: operations that were told to end and have not. They are told again before each look at the
    /// kernel.
    WaitList& cancelling() noexcept { return cancelling_; }

    /// A service of which a loop has one (inotify), made at first use, destroyed with the loop before its
    /// io_context.
    template<class S>
    S& service() {
        static char key = 0;
        for (auto& entry : services_)
            if (entry.key == &key) return *static_cast<S*>(entry.object.get());
        services_.push_back({&key, std::shared_ptr<void>(std::make_shared<S>(*this))});
        return *static_cast<S*>(services_.back().object.get());
    }

private:
    struct Kernel;
    struct Service {
        const void* key;
        std::shared_ptr<void> object;
    };

    static ThreadInfo infoOf(const Thread& thread, MonoTime now);
    void turn(bool mayBlock);
    void runReady();
    void switchTo(Thread& thread);
    void endThread(Thread& thread) noexcept;
    void retire(Thread& thread) noexcept;
    void askKernel(bool mayBlock);
    void block();
    bool lookAround();
    std::size_t pollKernel();
    void takeMail();
    void runPosted(Posted& function) noexcept;
    bool isIdle();

    std::string name_;
    Clock* clock_;
    std::shared_ptr<Mailbox> mailbox_;
    std::unique_ptr<Kernel> kernel_; ///< watches the mailbox's bell
    TimerHeap timers_;
    std::vector<Service> services_;
    Inbox inbox_;
    WaitList cancelling_;
    HookList<Thread> threads_;
    std::size_t threadCount_ = 0;
    std::uint64_t nextId_ = 1;
    Thread* readyFirst_ = nullptr;
    Thread* readyLast_ = nullptr;
    std::size_t readyCount_ = 0;
    unsigned sincePoll_ = 0; ///< switches since the kernel was asked
    MonoTime awakeUntil_{};  ///< no time: it may sleep
    MonoTime switchTime_{};  ///< when the clock was last read: at each switch and turn
    unsigned selfishness_;
    LoopMeter meter_;
    bool stopped_ = false;
    bool untilEmpty_ = true;
    bool closing_ = false;
    OwnerCheck owner_;

    friend class Thread;
    friend class ThreadWalk;
};

} // namespace yard::coro
