// Mailbox: the way into a loop from other OS threads. A vector per band under one mutex, swapped whole
// by the loop; a post costs a system call only when the loop had declared itself asleep, and makes it holding no
// lock: whoever is woken on the same CPU runs at once, and would only wait for it. Owner: shared; thread-safe.
// Lifetime: outlives its loop, then refuses.
#pragma once

#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace yard::coro {

/// Order in which posted functions run: everything of a lower band that has arrived goes first.
enum class Band : unsigned char { Results, Updates, Submissions };

using Posted = std::move_only_function<void()>;

/// The way into a loop from other OS threads. Thread-safe; outlives the loop, then refuses. Not bounded by itself:
/// who posts holds to the bound of his edge (docs/threads.md), size() helps.
class Mailbox {
public:
    /// Throws std::system_error without a descriptor to wake by.
    Mailbox();
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

    mutable ThreadMutex mutex_;
    Bands bands_ YARD_GUARDED_BY(mutex_);
    const UniqueFd bell_;                         ///< an eventfd that the loop watches
    bool closed_ YARD_GUARDED_BY(mutex_) = false; ///< the loop is gone
    bool asleep_ YARD_GUARDED_BY(mutex_) = false;
    std::atomic<bool> hasMail_{false};
    std::atomic<std::uint64_t> wakeups_{0};
};

} // namespace yard::coro
