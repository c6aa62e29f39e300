// Bytes of request bodies that all connections together may hold: the bound of the edge from http to the engine.
// Owner: the http thread.
#pragma once

#include "core/coro/sync.h"
#include "core/coro/timeout.h"

#include <cstdint>
#include <utility>

namespace yard::http {

class BodyBudget {
public:
    explicit BodyBudget(std::uint64_t bytes)
        : all_(bytes)
        , free_(bytes) {}
    /// Takes `bytes` at once or waits up to `atMost` for others to give some back. False: there was no room in
    /// time.
    coro::Task<bool> take(std::uint64_t bytes, Duration atMost);
    void give(std::uint64_t bytes) {
        free_ += bytes;
        room_.notifyAll();
    }
    std::uint64_t available() const { return free_; }
    std::uint64_t limit() const { return all_; }

private:
    coro::Task<void> waitForRoom(std::uint64_t bytes);
    const std::uint64_t all_;
    std::uint64_t free_;
    coro::ConditionVariable room_;
};

/// What one request holds of the budget; gives it back when it goes.
class BodyShare {
public:
    explicit BodyShare(BodyBudget& budget)
        : budget_(budget) {}
    BodyShare(const BodyShare&) = delete;
    BodyShare& operator=(const BodyShare&) = delete;
    ~BodyShare() { release(); }
    /// Makes it hold at least `bytes`. False as BodyBudget::take.
    coro::Task<bool> growTo(std::uint64_t bytes, Duration atMost);
    bool holds(std::uint64_t bytes) const { return held_ >= bytes; }
    void release() {
        if (const std::uint64_t held = std::exchange(held_, 0)) budget_.give(held);
    }

private:
    BodyBudget& budget_;
    std::uint64_t held_ = 0;
};

} // namespace yard::http
