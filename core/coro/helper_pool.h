// A few OS threads for what blocks: scratch directories, hashing, compression, deleting. Values in, values out;
// never on the way of a start that needs no directory. What may take long has a thread of its own, and comes to it
// in parts: nobody who needs a moment waits behind gigabytes.
//
// Thread-safe. Lifetime: made and stopped by one thread; stop() runs what is queued for making, drops what is
// queued for deleting (the next start deletes it) and as slow, tells what is under way (stopping()), and joins.
// Bound: kQueued jobs wait in each band; run() then waits for room on the caller's loop, post()
// answers false.
#pragma once

#include "core/base/thread_mutex.h"
#include "core/coro/one_shot.h"
#include "core/coro/task.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

namespace yard::coro {

class HelperPool {
public:
    static constexpr std::size_t kQueued = 1000;
    using Job = std::move_only_function<void()>;

    explicit HelperPool(int threads);
    ~HelperPool();
    HelperPool(const HelperPool&) = delete;
    HelperPool& operator=(const HelperPool&) = delete;

    /// Queues a job that somebody waits for. False when the band is full or the pool has stopped.
    bool post(Job job) { return enqueue(&HelperPool::making_, std::move(job)); }
    /// Queues a deletion: done when nothing else is, by one thread at a time.
    bool postDeletion(Job job) { return enqueue(&HelperPool::deleting_, std::move(job)); }
    /// Asked by jobs that may take long, between two steps: then they end, and the next start carries on.
    std::stop_token stopping() const { return stopSource_.get_token(); }
    void stop();
    /// Jobs waiting in all bands.
    std::size_t backlog() const;

    /// Runs `function` on a helper and returns what it returns or throws. Waits in steps of 5 ms while the band is
    /// full. LostError when the pool stops before the job's turn.
    template<class F, class R = std::invoke_result_t<F&>>
    coro::Task<R> run(F function) {
        return runIn(&HelperPool::making_, std::chrono::milliseconds(5), std::move(function));
    }
    /// The same when nothing else is to be done, one at a time.
    template<class F, class R = std::invoke_result_t<F&>>
    coro::Task<R> runInBackground(F function) {
        return runIn(&HelperPool::deleting_, std::chrono::milliseconds(100), std::move(function));
    }
    /// The same on the thread for what takes long: one at a time, in the order they came. A part of at most half a
    /// second; who is not done asks again, behind the others.
    template<class F, class R = std::invoke_result_t<F&>>
    coro::Task<R> runSlowly(F function) {
        return runIn(&HelperPool::slow_, std::chrono::milliseconds(100), std::move(function));
    }

private:
    using Band = std::deque<Job>;
    template<class F, class R = std::invoke_result_t<F&>>
    coro::Task<R> runIn(Band HelperPool::* band, Duration retry, F function) {
        coro::OneShot<R> shot("helper");
        auto call = std::make_shared<Call<F, R>>(Call<F, R>{std::move(function), shot.promise()});
        while (!enqueue(band, [call] { call->promise.setFrom(call->function); })) {
            if (isStopped()) throw coro::LostError();
            co_await coro::sleepFor(retry);
        }
        call.reset();
        co_return co_await shot.get();
    }
    template<class F, class R>
    struct Call {
        F function;
        coro::Promise<R> promise;
    };
    bool enqueue(Band HelperPool::* band, Job job);
    bool isStopped() const;
    void work();
    void workSlowly();

    mutable ThreadMutex mutex_;
    ThreadCondition wake_;
    ThreadCondition wakeSlow_;
    Band making_ YARD_GUARDED_BY(mutex_);
    Band deleting_ YARD_GUARDED_BY(mutex_);
    Band slow_ YARD_GUARDED_BY(mutex_);
    bool deletionRunning_ YARD_GUARDED_BY(mutex_) = false;
    bool stopped_ YARD_GUARDED_BY(mutex_) = false;
    std::stop_source stopSource_;
    std::vector<std::jthread> threads_;
};

} // namespace yard::coro
