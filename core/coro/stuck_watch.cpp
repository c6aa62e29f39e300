#include "core/coro/stuck_watch.h"

#include "core/base/log.h"
#include "core/base/thread_name.h"
#include "core/coro/loop.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fmt/format.h>
#include <semaphore.h>

namespace yard::coro {

namespace {

constexpr int kSignal = SIGURG; // ignored where no handler is set, and nobody here asks for urgent data

/// What the handler is asked for, and its answer. One question at a time, under `asking`.
struct Question {
    enum : int { None, Asked, Answering };
    std::atomic<int> state = None;
    std::atomic<pthread_t> whom{}; ///< a late handler may still look at it
    std::uint64_t thread = 0;
    std::array<char, 64> name{};
    AwaitChain chain{};
    sem_t answered{};
};

ThreadMutex asking;
Question question;

void answer(int) {
    const int error = errno;
    int asked = Question::Asked;
    if (::pthread_equal(question.whom, ::pthread_self()) != 0 &&
        question.state.compare_exchange_strong(asked, Question::Answering)) {
        if (const Thread* thread = currentThreadOrNull()) {
            question.thread = thread->id();
            const std::size_t size = std::min(thread->name().size(), question.name.size() - 1);
            std::copy_n(thread->name().data(), size, question.name.data());
            question.name[size] = '\0';
        }
        question.chain = runningChain();
        ::sem_post(&question.answered);
    }
    errno = error;
}

void setUpHandler() {
    ::sem_init(&question.answered, 0, 0);
    struct sigaction action{};
    action.sa_handler = &answer;
    action.sa_flags = SA_RESTART;
    ::sigaction(kSignal, &action, nullptr);
}

bool waitForAnswer() {
    timespec until{};
    ::clock_gettime(CLOCK_REALTIME, &until);
    ++until.tv_sec;
    int result = 0;
    do result = ::sem_timedwait(&question.answered, &until);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

/// Where that OS thread is. Blocks for a second at most: one that is deep in the kernel does not answer.
void askWhere(pthread_t whom, StuckTurn& turn) {
    const ThreadLock lock(asking);
    question.whom = whom;
    question.thread = 0;
    question.name[0] = '\0';
    question.chain = {};
    question.state = Question::Asked;
    if (::pthread_kill(whom, kSignal) == 0 && !waitForAnswer()) {
        // From here on the handler does not begin. One that has begun is waited for: it takes no time.
        int asked = Question::Asked;
        if (!question.state.compare_exchange_strong(asked, Question::None))
            while (::sem_wait(&question.answered) != 0 && errno == EINTR) {
            }
    }
    if (question.state.exchange(Question::None) != Question::Answering) return;
    turn.thread = question.thread;
    turn.name = question.name.data();
    turn.chain = question.chain;
}

} // namespace

StuckWatch::StuckWatch(Options options, Tell tell)
    : options_(options)
    , tell_(std::move(tell)) {
    static const bool isSetUp = (setUpHandler(), true);
    static_cast<void>(isSetUp);
    thread_ = std::thread([this] { run(); });
}

StuckWatch::~StuckWatch() {
    {
        const ThreadLock lock(mutex_);
        isEnding_ = true;
    }
    ends_.notifyAll();
    thread_.join();
}

StuckWatch& StuckWatch::ofProcess() {
    static StuckWatch watch({}, &logStuckTurn);
    return watch;
}

StuckWatch::Watched::Watched(const Loop& loop, StuckWatch& watch)
    : watch_(watch)
    , loop_(loop) {
    const ThreadLock lock(watch_.mutex_);
    watch_.entries_.push_back({.loop = &loop, .thread = ::pthread_self(), .told = 0});
}

StuckWatch::Watched::~Watched() {
    const ThreadLock lock(watch_.mutex_);
    std::erase_if(watch_.entries_, [this](const Entry& entry) { return entry.loop == &loop_; });
}

void StuckWatch::run() {
    nameThisThread("stuck-watch");
    ThreadLock lock(mutex_);
    while (!isEnding_) {
        const std::vector<StuckTurn> stuck = look();
        lock.unlock();
        for (const StuckTurn& turn : stuck) tell_(turn);
        lock.lock();
        if (!isEnding_) ends_.waitUntil(mutex_, std::chrono::steady_clock::now() + options_.every);
    }
}

std::vector<StuckTurn> StuckWatch::look() {
    std::vector<StuckTurn> stuck;
    const std::int64_t now = MonoClock::now().time_since_epoch().count();
    for (Entry& entry : entries_) {
        const std::int64_t since = entry.loop->meter().turnSince();
        if (since == 0 || since == entry.told || now - since < options_.after.count()) continue;
        entry.told = since;
        StuckTurn& turn = stuck.emplace_back();
        turn.loop = entry.loop->name();
        turn.lasting = Duration(now - since);
        askWhere(entry.thread, turn);
    }
    return stuck;
}

void logStuckTurn(const StuckTurn& turn) {
    logWarning("coro", "loop {} has been in one turn for {} ms, of {}", turn.loop,
               std::chrono::duration_cast<std::chrono::milliseconds>(turn.lasting).count(),
               turn.thread == 0 ? std::string("a function that was posted")
                                : fmt::format("thread {} \"{}\"", turn.thread, turn.name));
    for (std::size_t n = 0; n < turn.chain.size; ++n) {
        const AwaitPlace& place = turn.chain.places[n];
        logWarning("coro", "  {} {}:{} {}", n == 0 ? "after" : "in", place.file, place.line,
                   functionName(place.function));
    }
}

} // namespace yard::coro
