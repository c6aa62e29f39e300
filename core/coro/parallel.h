// runInParallel: a list of tasks on threads of their own, joined before it returns, whatever happens.
// Owner: the thread that awaits it.
#pragma once

#include "core/coro/suspend.h"
#include "core/coro/thread.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace yard::coro {

/// Runs all tasks, at most `maxConcurrent` at a time (0: all at once), on threads named after the current one.
/// The first exception that leaves one, or an interruption of the caller, interrupts those that run, drops those
/// that have not started, joins, and is then thrown here.
Task<void> runInParallel(std::vector<Task<void>> tasks, std::size_t maxConcurrent = 0);

namespace detail {

template<class T>
Task<void> storeResult(Task<T> task, std::optional<T>& result) {
    result.emplace(co_await std::move(task));
}

} // namespace detail

/// The same with results, in the order of the tasks.
template<class T>
Task<std::vector<T>> runInParallel(std::vector<Task<T>> tasks, std::size_t maxConcurrent = 0) {
    std::vector<std::optional<T>> slots(tasks.size());
    std::vector<Task<void>> bodies;
    bodies.reserve(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i)
        bodies.push_back(detail::storeResult(std::move(tasks[i]), slots[i]));
    co_await runInParallel(std::move(bodies), maxConcurrent);
    std::vector<T> results;
    results.reserve(slots.size());
    for (std::optional<T>& slot : slots) results.push_back(std::move(*slot));
    co_return results;
}

} // namespace yard::coro
