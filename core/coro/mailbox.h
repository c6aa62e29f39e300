// Mailbox: the way into a loop from other OS threads (ENGINE 9). A vector per band under one mutex, swapped whole
// by the loop; a post costs a system call only when the loop had declared itself asleep. Owner: shared;
// thread-safe. Lifetime: outlives its loop, then refuses.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace boost::asio {
class io_context;
} // namespace boost::asio

namespace yard::coro {

/// Order in which posted functions run: everything of a lower band that has arrived goes first.
enum class Band : unsigned char { Results, Updates, Submissions };

using Posted = std::move_only_function<void()>;

/// The way into a loop from other OS threads. Thread-safe; outlives the loop, then refuses. Not bounded by itself:
/// who posts holds to the bound of his edge (ENGINE 9), size() helps.
class Mailbox {
public:
    /// Queues `function` for the loop's thread; it must neither suspend nor throw. False when the loop is gone
    /// (then the function is destroyed unrun). Wakes the loop only when that has declared itself asleep.
    bool post(Band band, Posted function);
    /// Functions posted and not yet taken.
    std::size_t size() const;
    /// How often a post had to wake the loop, for tests and metrics.
    std::uint64_t wakeups() const noexcept { return wakeups_.load(std::memory_order_relaxed); }

private:
    friend class Loop;
    static constexpr std::size_t kBands = 3;
    using Bands = std::array<std::vector<Posted>, kBands>;

    mutable std::mutex mutex_;
    Bands bands_;
    boost::asio::io_context* io_ = nullptr; ///< null when the loop is gone
    bool asleep_ = false;
    std::atomic<bool> hasMail_{false};
    std::atomic<std::uint64_t> wakeups_{0};
};

} // namespace yard::coro
