// When the next object is due. One owner, that of the orchestrator.
//
// A heap of pointers: eight bytes an object, of which there may be a million. An object in it stays where it is in
// memory, with the time that it was added with.
#pragma once

#include "core/lifecycle/object.h"

#include <optional>
#include <vector>

namespace yard::lifecycle {

/// Ordered by `indexedAt`. Those due at the same instant come by their number.
/// Invariants: an object is in it at most once, at its `indexPlace`; none comes before the one above it.
class TimeIndex {
public:
    void add(Object& object);
    /// It is in here.
    void remove(Object& object);
    std::optional<WallMicros> next() const;
    /// Takes the first one that is due out; null: none is.
    Object* takeDue(WallMicros now);

private:
    void put(std::size_t place, Object& object);
    /// Puts it there, or higher or lower as its time wants it.
    void settle(std::size_t place, Object& object);

    std::vector<Object*> heap_;
};

} // namespace yard::lifecycle
