#include "core/coro/timer.h"

#include <utility>

namespace yard::coro {

namespace {

// Four children per node: as many comparisons as a binary heap, half the levels, fewer cache misses at 100,000
// timers.
constexpr std::size_t kFanOut = 4;
// So many events fire in one turn at most; the rest follows after the threads and the kernel had their turn.
constexpr std::size_t kMaxPerTurn = 1024;

} // namespace

TimerHeap::~TimerHeap() {
    for (Entry& entry : entries_) entry.timer->heap_ = nullptr;
}

void TimerHeap::arm(Timer& timer, MonoTime at) {
    timer.cancel();
    entries_.push_back({at, sequence_++, &timer});
    timer.heap_ = this;
    timer.index_ = entries_.size() - 1;
    siftUp(timer.index_);
}

std::size_t TimerHeap::fireDue(MonoTime now) {
    const std::size_t most = entries_.size() < kMaxPerTurn ? entries_.size() : kMaxPerTurn;
    std::size_t fired = 0;
    for (; fired < most && !entries_.empty() && entries_.front().at <= now; ++fired) {
        Timer& timer = *entries_.front().timer;
        remove(0);
        timer.fire_(timer);
    }
    return fired;
}

void TimerHeap::remove(std::size_t index) noexcept {
    entries_[index].timer->heap_ = nullptr;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (index == entries_.size()) return;
    place(index, last);
    if (index > 0 && last.before(entries_[(index - 1) / kFanOut]))
        siftUp(index);
    else
        siftDown(index);
}

void TimerHeap::place(std::size_t index, const Entry& entry) noexcept {
    entries_[index] = entry;
    entry.timer->index_ = index;
}

void TimerHeap::siftUp(std::size_t index) noexcept {
    const Entry entry = entries_[index];
    while (index > 0) {
        const std::size_t parent = (index - 1) / kFanOut;
        if (!entry.before(entries_[parent])) break;
        place(index, entries_[parent]);
        index = parent;
    }
    place(index, entry);
}

void TimerHeap::siftDown(std::size_t index) noexcept {
    const Entry entry = entries_[index];
    for (;;) {
        const std::size_t first = index * kFanOut + 1;
        if (first >= entries_.size()) break;
        const std::size_t end = first + kFanOut < entries_.size() ? first + kFanOut : entries_.size();
        std::size_t best = first;
        for (std::size_t child = first + 1; child < end; ++child)
            if (entries_[child].before(entries_[best])) best = child;
        if (!entries_[best].before(entry)) break;
        place(index, entries_[best]);
        index = best;
    }
    place(index, entry);
}

} // namespace yard::coro
