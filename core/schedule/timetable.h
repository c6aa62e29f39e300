// What is due, and when something is due next, of many schedules. Pure: no clock, the time is handed in.
// Owner: one thread. Invariant: the next wake-up is that of the first schedule of all; there is no other.
#pragma once

#include "core/base/clock.h"
#include "core/schedule/timing.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::schedule {

/// What becomes of times that nobody acted on, as the engine was off or the machine asleep.
enum class Missed : unsigned char {
    Once, ///< one run stands for all of them
    Skip, ///< none runs
    All   ///< each runs, the newest kMostMissed
};
std::string_view missedWord(Missed missed);
std::optional<Missed> missedIn(std::string_view word);

inline constexpr std::size_t kMostMissed = 100;
/// A time that is acted on no later than this was not missed, if it is the last one.
inline constexpr WallMicros kPunctual = 60'000'000;
/// A clock that goes back by more was wrong: times it passes again are due again.
inline constexpr WallMicros kWrongClock = 86'400'000'000;

struct Plan {
    Timing timing;
    Missed missed = Missed::Once;
    Duration jitter{}; ///< it starts later by up to this, always by the same, which its name decides
};

struct Due {
    std::string name;
    WallMicros due = 0;      ///< as the plan has it, without jitter: with the name, the number of this run
    bool isLate = false;     ///< it was missed
    std::size_t skipped = 0; ///< times before it that nobody acts on, at most kMostMissed are counted
    bool isRun = true;       ///< false: all were missed and none runs; `due` is the last of them
};

class Timetable {
public:
    /// Adds or replaces. What was due up to `decidedUntil` was acted on; one in the future, of a clock that was wrong,
    /// counts as `now`.
    void put(std::string name, Plan plan, WallMicros decidedUntil, WallMicros now);
    void remove(std::string_view name);

    /// When to ask next; nothing: nothing will be due.
    std::optional<WallMicros> wakeAt() const;
    /// What is due, in the order of time, of at most `most` schedules: ask again while wakeAt() is not after `now`.
    /// None of it is told again.
    std::vector<Due> take(WallMicros now, std::size_t most = 100);

    /// Those for which a clock that was wrong had decided times that come again, and when it was seen. None of it is told
    /// again.
    std::map<std::string, WallMicros> takeRepeated() { return std::exchange(repeated_, {}); }

    /// When it starts next, jitter included.
    std::optional<WallMicros> nextOf(std::string_view name) const;
    std::size_t size() const { return entries_.size(); }

    /// How much later than due a schedule starts.
    static WallMicros delayOf(std::string_view name, Duration jitter);

private:
    struct Entry {
        Plan plan;
        WallMicros delay = 0;
        WallMicros decidedUntil = 0;
        std::optional<WallMicros> wake;
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    void plan(const std::string& name, Entry& entry);
    void goBy(WallMicros now);
    static void decide(const std::string& name, Entry& entry, WallMicros now, std::vector<Due>& due);

    Entries entries_;
    /// The wake-ups of all that have one.
    std::set<std::pair<WallMicros, std::string>> order_;
    WallMicros latest_ = 0;
    std::map<std::string, WallMicros> repeated_;
};

} // namespace yard::schedule
