// A few OS threads for what blocks: scratch directories, hashing, compression, deleting. Values in, values out;
// never on the way of a start that needs no directory.
//
// Thread-safe. Lifetime: made and stopped by one thread; stop() runs what is queued for making, drops what is
// queued for deleting (the next start deletes it) and joins. Bound: kQueued jobs wait in each band (DESIGN ENGINE
// 9); run() then waits for room on the caller's loop, post() answers false.
#pragma once

#include "core/coro/one_shot.h"
#include "core/coro/task.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace yard::engine {

class HelperPool {
public:
    static constexpr std::size_t kQueued = 1000;
    using Job = std::move_only_function<void()>;

    explicit HelperPool(int threads);
    ~HelperPool();
    HelperPool(const HelperPool&) = delete;
    HelperPool& operator=(const HelperPool&) = delete;

    /// Queues a job that somebody waits for. False when the band is full or the pool has stopped.
    bool post(Job job) { return enqueue(making_, std::move(job)); }
    /// Queues a deletion: done when nothing else is, by one thread at a time.
    bool postDeletion(Job job) { return enqueue(deleting_, std::move(job)); }
    void stop();
    /// Jobs waiting in both bands.
    std::size_t backlog() const;

    /// Runs `function` on a helper and returns what it returns or throws. Waits in steps of 5 ms while the band is
    /// full. LostError when the pool stops before the job's turn.
    template<class F, class R = std::invoke_result_t<F&>>
    coro::Task<R> run(F function) {
        coro::OneShot<R> shot("helper");
        auto call = std::make_shared<Call<F, R>>(Call<F, R>{std::move(function), shot.promise()});
        while (!post([call] { call->promise.setFrom(call->function); })) {
            if (isStopped()) throw coro::LostError();
            co_await coro::sleepFor(std::chrono::milliseconds(5));
        }
        call.reset();
        co_return co_await shot.get();
    }

    /// The same when nothing else is to be done, one at a time.
    template<class F, class R = std::invoke_result_t<F&>>
    coro::Task<R> runInBackground(F function) {
        coro::OneShot<R> shot("helper");
        auto call = std::make_shared<Call<F, R>>(Call<F, R>{std::move(function), shot.promise()});
        while (!postDeletion([call] { call->promise.setFrom(call->function); })) {
            if (isStopped()) throw coro::LostError();
            co_await coro::sleepFor(std::chrono::milliseconds(100));
        }
        call.reset();
        co_return co_await shot.get();
    }

private:
    template<class F, class R>
    struct Call {
        F function;
        coro::Promise<R> promise;
    };
    bool enqueue(std::deque<Job>& band, Job job);
    bool isStopped() const;
    void work();

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> making_;
    std::deque<Job> deleting_;
    bool deletionRunning_ = false;
    bool stopped_ = false;
    std::vector<std::jthread> threads_;
};

} // namespace yard::engine
