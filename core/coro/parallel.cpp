#include "core/coro/parallel.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::coro {

namespace {

/// State of one runInParallel, in the caller's frame; the workers are joined before it goes.
struct Run {
    std::vector<Task<void>> tasks;
    std::size_t next = 0;
    std::exception_ptr failure; ///< the first one
    std::vector<ThreadRef> workers;

    void stop() {
        next = tasks.size();
        for (ThreadRef& worker : workers) worker->interrupt();
    }
};

Task<void> work(Run& run) {
    while (run.next < run.tasks.size()) {
        Task<void> task = std::move(run.tasks[run.next++]);
        std::exception_ptr error;
        try {
            co_await std::move(task);
        } catch (...) {
            error = std::current_exception();
        }
        if (!error) continue;
        if (!run.failure) {
            run.failure = std::move(error);
            run.stop();
        }
        co_return;
    }
}

Task<void> joinAll(Run& run) {
    for (ThreadRef& worker : run.workers) co_await worker.join();
}

} // namespace

Task<void> runInParallel(std::vector<Task<void>> tasks, std::size_t maxConcurrent) {
    checkInterrupt();
    Run run;
    run.tasks = std::move(tasks);
    const std::size_t count = std::min(maxConcurrent > 0 ? maxConcurrent : run.tasks.size(), run.tasks.size());
    const std::string& name = currentThread().name();
    for (std::size_t i = 0; i < count; ++i)
        run.workers.push_back(spawn(fmt::format("{}/{}", name, i + 1), work(run)));
    std::exception_ptr interrupted;
    try {
        co_await joinAll(run);
    } catch (...) {
        interrupted = std::current_exception();
    }
    if (interrupted) {
        run.stop();
        Uninterruptible always;
        co_await joinAll(run);
        std::rethrow_exception(std::move(interrupted));
    }
    if (run.failure) std::rethrow_exception(std::move(run.failure));
}

} // namespace yard::coro
