// Whose processes stand still under the measure `freeze`: the newest first, half of what still runs at each step, until
// nothing does. Before the machine sleeps all at once. Everything goes on at once when the measure ends. Pure: time is a
// parameter. Owner: whoever has it.
#pragma once

#include "core/base/clock.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace yard::courtesy {

/// Something that may stand still: an attempt of an action.
struct Freezable {
    std::int64_t lsn = 0;
    std::uint32_t attempt = 0;
    friend auto operator<=>(const Freezable&, const Freezable&) = default;
};

class Freezer {
public:
    enum class Extent : unsigned char { Nothing, Newest, All };
    struct Steps {
        std::vector<Freezable> stop; ///< newest first
        std::vector<Freezable> goOn;
        bool isEmpty() const { return stop.empty() && goOn.empty(); }
    };
    static constexpr Duration kBetweenSteps{5'000'000};

    /// `running`: what may stand still now, the oldest first, with what does. What is not in it any more is forgotten: it
    /// ended, or may not stand still any more and goes on.
    Steps look(Extent wanted, std::span<const Freezable> running, MonoTime now);
    /// The next step waits for this time. Nothing: none does.
    std::optional<MonoTime> due() const { return due_; }
    const std::set<Freezable>& standing() const { return standing_; }

private:
    std::set<Freezable> standing_; ///< told to
    std::optional<MonoTime> stepped_;
    std::optional<MonoTime> due_;
};

} // namespace yard::courtesy
