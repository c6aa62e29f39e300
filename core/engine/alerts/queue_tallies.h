// How many actions of each queue have ended since nothing of it was left to do, for alerts of the kind queue_finished. The
// journal gets a tally that is ten seconds old, so it outlives the engine but for what ended just before a kill; one that is
// over sooner costs no write.
//
// Owner: the engine thread. Bound: one for each queue that has work. It asks no clock: the time is a parameter.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/store/operations.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

struct QueueTally {
    std::int64_t ended = 0;
    std::int64_t failed = 0;
    friend bool operator==(const QueueTally&, const QueueTally&) = default;
};

class QueueTallies {
public:
    static constexpr std::string_view kKind = "alert_tally";
    static constexpr WallMicros kWrittenAfter = 10'000'000;

    void count(QueueId queue, bool isFailure, WallMicros now);
    /// It is over. Nothing: none of it has ended since the last time.
    std::optional<QueueTally> take(QueueId queue, WallMicros now);
    /// Nobody counts any more: whoever does later begins at nothing.
    void forget(WallMicros now);
    /// What the journal has. Nothing: it cannot be read.
    std::optional<QueueId> restore(std::string_view name, std::string_view body);
    /// When changes() are to be written at the latest. Nothing: there are none.
    std::optional<WallMicros> due() const { return due_; }
    bool isDue(WallMicros now) const { return due_ && *due_ <= now; }
    /// All that the journal does not have; from now on it has it, unless refused() is called.
    std::vector<store::DocumentChange> changes();
    /// It did not take them: they are written with the next ones.
    void refused(const std::vector<store::DocumentChange>& changes, WallMicros now);

private:
    struct Kept {
        QueueTally tally;
        bool isWritten = false; ///< the journal has one of it
        bool isChanged = false;
    };
    void noteChange(Kept& kept, WallMicros now);

    std::map<QueueId, Kept> tallies_; ///< those that are over stay until the journal has forgotten them
    std::optional<WallMicros> due_;
};

} // namespace yard::engine
