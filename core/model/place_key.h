// Where an action stands in the order of its queue, within its priority. No owner: values.
#pragma once

#include "core/base/ids.h"

#include <charconv>
#include <compare>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

namespace yard {

/// One that nobody moved has its own submit time and LSN, and rank 0. One that was moved has those of an action beside
/// which it was put, and a rank below or above 0: so what was not moved needs no number of its own, and between any two
/// there is room.
struct PlaceKey {
    std::int64_t time = 0; ///< microseconds, below 2^55
    Lsn anchor{};
    std::int64_t rank = 0;
    friend auto operator<=>(const PlaceKey&, const PlaceKey&) = default;
    /// Of the same anchor: between them there are only ranks.
    bool isBeside(const PlaceKey& other) const { return time == other.time && anchor == other.anchor; }
};

/// As the journal keeps it: "TIME ANCHOR RANK".
inline std::string toText(const PlaceKey& key) {
    return fmt::format("{} {} {}", key.time, key.anchor.value, key.rank);
}
/// Nothing for what is no place: the journal may be damaged.
inline std::optional<PlaceKey> placeKeyFrom(std::string_view text) {
    PlaceKey key;
    for (std::int64_t* const number : {&key.time, &key.anchor.value, &key.rank}) {
        if (number != &key.time && (text.empty() || text.front() != ' ')) return std::nullopt;
        if (number != &key.time) text.remove_prefix(1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
        if (error != std::errc{}) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    constexpr std::int64_t kMostTime = std::int64_t{1} << 55;
    constexpr std::int64_t kMostRank = std::int64_t{1} << 62;
    const bool isPlace = text.empty() && key.time >= 0 && key.time < kMostTime && key.anchor.value > 0 &&
                         key.rank > -kMostRank && key.rank < kMostRank;
    return isPlace ? std::optional(key) : std::nullopt;
}

} // namespace yard
