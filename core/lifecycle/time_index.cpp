#include "core/lifecycle/time_index.h"

#include <tuple>

namespace yard::lifecycle {
namespace {

bool comesBefore(const Object& a, const Object& b) {
    return std::tie(a.indexedAt, a.id) < std::tie(b.indexedAt, b.id);
}
std::size_t above(std::size_t place) {
    return (place - 1) / 2;
}

} // namespace

void TimeIndex::put(std::size_t place, Object& object) {
    heap_[place] = &object;
    object.indexPlace = static_cast<std::uint32_t>(place);
}

void TimeIndex::settle(std::size_t place, Object& object) {
    for (; place > 0 && comesBefore(object, *heap_[above(place)]); place = above(place))
        put(place, *heap_[above(place)]);
    for (;;) {
        std::size_t below = 2 * place + 1;
        if (below >= heap_.size()) break;
        if (below + 1 < heap_.size() && comesBefore(*heap_[below + 1], *heap_[below])) ++below;
        if (!comesBefore(*heap_[below], object)) break;
        put(place, *heap_[below]);
        place = below;
    }
    put(place, object);
}

void TimeIndex::add(Object& object) {
    heap_.push_back(&object);
    settle(heap_.size() - 1, object);
}

void TimeIndex::remove(Object& object) {
    const std::size_t place = object.indexPlace;
    Object& last = *heap_.back();
    heap_.pop_back();
    if (place < heap_.size()) settle(place, last);
}

std::optional<WallMicros> TimeIndex::next() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front()->indexedAt;
}

Object* TimeIndex::takeDue(WallMicros now) {
    if (heap_.empty() || heap_.front()->indexedAt > now) return nullptr;
    Object* const first = heap_.front();
    remove(*first);
    return first;
}

} // namespace yard::lifecycle
