// Timed events of one loop: a heap of intrusive timers on the monotonic scale. Equal times fire in the order armed.
// Owner: the loop's OS thread. A Timer lives where its user lives (mostly in a coroutine frame) and takes itself
// out of the heap when destroyed; arming, firing and cancelling are O(log n), cancelling needs no search.
#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace yard::coro {

class TimerHeap;

/// One timed event. `fire` is called once, on the loop's thread, outside any cooperative thread; it must not
/// suspend or throw and may arm the timer again. Neither copied nor moved.
class Timer {
public:
    using Fire = void (*)(Timer&) noexcept;
    explicit Timer(Fire fire) noexcept
        : fire_(fire) {}
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { cancel(); }

    bool isArmed() const noexcept { return heap_ != nullptr; }
    /// Takes it out of the heap; nothing happens when it is not armed.
    void cancel() noexcept;

private:
    friend class TimerHeap;
    Fire fire_;
    TimerHeap* heap_ = nullptr;
    std::size_t index_ = 0;
};

class TimerHeap {
public:
    TimerHeap() = default;
    TimerHeap(const TimerHeap&) = delete;
    TimerHeap& operator=(const TimerHeap&) = delete;
    ~TimerHeap();

    /// Fires `timer` at `at` or in the first turn after it. An armed timer is moved to the new time.
    void arm(Timer& timer, MonoTime at);
    /// Fires what is due at `now`, at most 1,024 and no more than were armed before. Returns how many.
    std::size_t fireDue(MonoTime now);
    bool isEmpty() const noexcept { return entries_.empty(); }
    std::size_t size() const noexcept { return entries_.size(); }
    /// Time of the first one; only when not empty.
    MonoTime next() const noexcept { return entries_.front().at; }

private:
    friend class Timer;
    struct Entry {
        MonoTime at;
        std::uint64_t sequence;
        Timer* timer;
        bool before(const Entry& other) const noexcept {
            return at != other.at ? at < other.at : sequence < other.sequence;
        }
    };
    void remove(std::size_t index) noexcept;
    void siftUp(std::size_t index) noexcept;
    void siftDown(std::size_t index) noexcept;
    void place(std::size_t index, const Entry& entry) noexcept;

    std::vector<Entry> entries_;
    std::uint64_t sequence_ = 0;
};

inline void Timer::cancel() noexcept {
    if (heap_) heap_->remove(index_);
}

} // namespace yard::coro
