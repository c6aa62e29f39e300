// Per shape a heap of the queues that have something of it to start, by virtual time. Private to session; owner: engine
// thread. Part of the order.
//
// Invariant (asserted by Order::check()): a queue has one entry of a shape at most, and none that is later than the
// queue's virtual time. An entry goes stale when the queue starts something; it is put right at the top.
#pragma once

#include "core/session/grow_array.h"
#include "core/session/heap.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace yard::session {

class Listings {
public:
    struct Entry {
        double virtualTime;
        std::uint32_t queue;
    };
    /// There are so many shapes by now.
    void growTo(std::uint32_t shapes) {
        if (heaps_.size() < shapes) heaps_.resize(shapes);
    }
    std::uint32_t shapes() const { return static_cast<std::uint32_t>(heaps_.size()); }
    bool isEmpty(std::uint32_t shape) const { return heaps_[shape].empty(); }
    const GrowArray<Entry>& of(std::uint32_t shape) const { return heaps_[shape]; }

    void push(std::uint32_t shape, const Entry& entry) { heapPush(heaps_[shape], entry, Sooner{}); }
    /// The first one has another virtual time by now.
    void moveFront(std::uint32_t shape, double virtualTime) {
        heaps_[shape].front().virtualTime = virtualTime;
        siftDown(heaps_[shape], 0, Sooner{});
    }
    void popFront(std::uint32_t shape) { heapRemove(heaps_[shape], 0, Sooner{}); }
    void clear() {
        for (GrowArray<Entry>& heap : heaps_) heap.clear();
    }

    std::size_t memoryBytes() const {
        std::size_t bytes = 0;
        for (const GrowArray<Entry>& heap : heaps_) bytes += sizeof(heap) + heap.memoryBytes();
        return bytes;
    }

private:
    struct Sooner {
        bool operator()(const Entry& a, const Entry& b) const {
            return a.virtualTime != b.virtualTime ? a.virtualTime < b.virtualTime : a.queue < b.queue;
        }
    };
    std::vector<GrowArray<Entry>> heaps_;
};

} // namespace yard::session
