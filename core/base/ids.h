// Distinct integer types for the things the engine counts. No owner: values.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace yard {

/// An integer that does not mix with other integers. Tag makes the type distinct; Rep is its width.
template<class Tag, class Rep>
struct Id {
    Rep value{};

    constexpr Id() = default;
    constexpr explicit Id(Rep v)
        : value(v) {}
    friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

/// Log sequence number of an action: positive, unique in a data directory, never given twice. 0 is "none".
using Lsn = Id<struct LsnTag, std::int64_t>;
/// Queue number: 0 is the implicit queue, others count from 1 and are never given twice.
using QueueId = Id<struct QueueIdTag, std::int64_t>;
/// One execution place of the local runner: 0 .. capacity-1.
using SlotId = Id<struct SlotIdTag, std::uint32_t>;

} // namespace yard

template<class Tag, class Rep>
struct std::hash<yard::Id<Tag, Rep>> {
    std::size_t operator()(yard::Id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value); }
};
