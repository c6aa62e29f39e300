// Binary heap on anything with [], size, push and pop. `less(a, b)`: a comes out before b. `moved(item, position)`
// is told where each item went, so that an item can be found again. Private to session.
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>

namespace yard::session {

struct NoPosition {
    template<class T>
    void operator()(const T&, std::uint32_t) const {}
};

template<class Array, class Less, class Moved = NoPosition>
std::uint32_t siftUp(Array& heap, std::uint32_t i, Less less, Moved moved = {}) {
    auto item = heap[i];
    while (i > 0) {
        const std::uint32_t parent = (i - 1) / 2;
        if (!less(item, heap[parent])) break;
        heap[i] = heap[parent];
        moved(heap[i], i);
        i = parent;
    }
    heap[i] = item;
    moved(item, i);
    return i;
}

template<class Array, class Less, class Moved = NoPosition>
void siftDown(Array& heap, std::uint32_t i, Less less, Moved moved = {}) {
    auto item = heap[i];
    const std::uint32_t n = heap.size();
    for (;;) {
        std::uint32_t child = 2 * i + 1;
        if (child >= n) break;
        if (child + 1 < n && less(heap[child + 1], heap[child])) ++child;
        if (!less(heap[child], item)) break;
        heap[i] = heap[child];
        moved(heap[i], i);
        i = child;
    }
    heap[i] = item;
    moved(item, i);
}

template<class Array, class T, class Less, class Moved = NoPosition>
void heapPush(Array& heap, T item, Less less, Moved moved = {}) {
    heap.push(item);
    siftUp(heap, heap.size() - 1, less, moved);
}

/// Removes the item at `i`; it is not told to `moved`.
template<class Array, class Less, class Moved = NoPosition>
void heapRemove(Array& heap, std::uint32_t i, Less less, Moved moved = {}) {
    assert(i < heap.size());
    const auto last = heap.back();
    heap.pop();
    if (i == heap.size()) return;
    heap[i] = last;
    if (siftUp(heap, i, less, moved) == i) siftDown(heap, i, less, moved);
}

/// The item at `i` may now be anywhere.
template<class Array, class Less, class Moved = NoPosition>
void heapFix(Array& heap, std::uint32_t i, Less less, Moved moved = {}) {
    if (siftUp(heap, i, less, moved) == i) siftDown(heap, i, less, moved);
}

} // namespace yard::session
