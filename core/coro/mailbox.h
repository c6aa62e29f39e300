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

/// The way into a loop from other OS threads. Thread-safe; outlives the loop, then refuses. Unbounded: the
/// poster limits itself, by the bound of its edge (docs/threads.md) and size().
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
    friend class Inbox;
    friend class Loop; // its bell
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

/// The loop's end of its mailbox: what it took and has not run yet. Private to Loop; owner: its thread.
class Inbox {
public:
    /// The mailbox outlives it.
    explicit Inbox(Mailbox& mailbox)
        : mailbox_(mailbox) {}

    /// Nothing is to be run, taken or not.
    bool isEmpty() const noexcept;
    /// Takes what was posted so far, behind what is here already.
    void take();
    /// Hands out the functions that are here, those of lower bands first, and of a band the oldest first; `most` at
    /// most.
    template<class F>
    void run(std::size_t most, F each) {
        for (std::size_t i = 0; i < Mailbox::kBands; ++i) {
            auto& band = taken_[i];
            for (std::size_t& at = next_[i]; at < band.size() && most > 0; ++at, --most) each(band[at]);
            if (next_[i] < band.size()) return;
            clear(i);
        }
    }
    /// From now on a post wakes the loop. False: something was posted meanwhile, do not sleep.
    bool fallAsleep();
    void wakeUp();
    /// The mailbox refuses from now on, and what was not run is dropped.
    void close();

private:
    void clear(std::size_t band);

    Mailbox& mailbox_;
    Mailbox::Bands taken_;
    std::array<std::size_t, Mailbox::kBands> next_{}; ///< first one not yet run
};

} // namespace yard::coro
