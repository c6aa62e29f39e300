// A task of an engine in this process, run to its end.
#pragma once

#include "core/coro/loop.h"
#include "core/coro/task.h"

#include <optional>
#include <utility>

namespace yard::bench {

/// On a loop of this thread.
inline void run(coro::Task<void> task) {
    coro::Loop loop;
    loop.spawn("bench", std::move(task));
    loop.run();
}
template<class T>
T run(coro::Task<T> task) {
    std::optional<T> value;
    run([](coro::Task<T> inner, std::optional<T>& out) -> coro::Task<void> {
        out.emplace(co_await std::move(inner));
    }(std::move(task), value));
    return std::move(*value);
}

} // namespace yard::bench
