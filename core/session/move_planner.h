// Which places actions get when they are moved within the order of their queue. Private to session; lives for one plan,
// on the engine thread, while nothing of the session changes.
//
// A place between two neighbours is one beside the left of them, or before the right one where there is none, at a rank
// in the middle of the room there is. Ranks are some 2^32 apart, so room runs out after many moves to the same spot;
// then all that stand beside the same anchor get new ranks.
#pragma once

#include "core/session/place_commands.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace yard::session {

class MovePlanner {
public:
    MovePlanner(const Records& records, const OrderedRecords& order)
        : records_(records)
        , order_(order) {}

    /// `chosen`: pending, all in the order. Invalid: what `before` may not be.
    Result<void> plan(std::vector<std::uint32_t> chosen, MoveTo::Where where, std::uint32_t before);
    std::int64_t matched() const { return matched_; }
    std::vector<MovePlan::Placed> take() const;

private:
    /// Of one priority, in order, with their numbers and those of all that have the priority: [from, to).
    struct Band {
        std::vector<std::uint32_t> records;
        std::vector<std::uint32_t> numbers;
        std::uint32_t from = 0;
        std::uint32_t to = 0;
    };
    Band bandOf(std::span<const std::uint32_t> records) const;
    void toTop(const Band& band);
    void toBottom(const Band& band);
    void toBefore(const Band& band, std::uint32_t before);
    void up(const Band& band);
    void down(const Band& band);
    /// `left`, `right`: kNone where there is nothing of the priority; not both.
    void put(std::span<const std::uint32_t> items, std::uint32_t left, std::uint32_t right);
    void putAnew(std::span<const std::uint32_t> items, std::uint32_t left, std::uint32_t right);
    std::vector<std::uint32_t> neighboursOf(std::uint32_t record,
                                            const std::unordered_set<std::uint32_t>& moving) const;
    PlaceKey keyOf(std::uint32_t record) const;

    const Records& records_;
    const OrderedRecords& order_;
    std::unordered_map<std::uint32_t, PlaceKey> placed_;
    std::int64_t matched_ = 0;
};

} // namespace yard::session
