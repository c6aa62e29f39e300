#include "core/http/body_budget.h"

namespace yard::http {

coro::Task<void> BodyBudget::waitForRoom(std::uint64_t bytes) {
    while (free_ < bytes) co_await room_.wait();
    free_ -= bytes;
}

coro::Task<bool> BodyBudget::take(std::uint64_t bytes, Duration atMost) {
    if (free_ >= bytes) {
        free_ -= bytes;
        co_return true;
    }
    co_return co_await coro::within(atMost, waitForRoom(bytes));
}

coro::Task<bool> BodyShare::growTo(std::uint64_t bytes, Duration atMost) {
    if (bytes <= held_) co_return true;
    const bool taken = co_await budget_.take(bytes - held_, atMost);
    if (taken) held_ = bytes;
    co_return taken;
}

} // namespace yard::http
