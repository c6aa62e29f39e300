// What the engine knows of queues beside the session's counters: tokens, tags, when each was last asked for.
// Owner: engine thread.
#pragma once

#include "core/base/clock.h"
#include "core/model/queue.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::engine {

/// How many came within the last minute, to a second.
class MinuteRate {
public:
    void note(MonoTime now) {
        const std::int64_t step = stepOf(now);
        Step& at = steps_[static_cast<std::size_t>(step) % steps_.size()];
        if (at.number != step) at = {step, 0};
        ++at.count;
    }
    /// What came up to now was not noted.
    void missedUntil(MonoTime now) { missed_ = stepOf(now); }
    /// Absent: some of that minute was missed.
    std::optional<std::int64_t> within(MonoTime now) const {
        const std::int64_t step = stepOf(now);
        if (missed_ && *missed_ > step - std::ssize(steps_)) return std::nullopt;
        std::int64_t sum = 0;
        for (const Step& at : steps_)
            if (at.number > step - std::ssize(steps_) && at.number <= step) sum += at.count;
        return sum;
    }

private:
    static std::int64_t stepOf(MonoTime now) { return now.time_since_epoch().count() / 1'000'000; }
    struct Step {
        std::int64_t number = -1'000;
        std::int64_t count = 0;
    };
    std::array<Step, 60> steps_{};
    std::optional<std::int64_t> missed_;
};

struct QueueEntry {
    QueueId id;
    std::string token;
    std::string tag;
    WallMicros created = 0;
    MonoTime lastUsed{};
    bool forgetting = false; ///< DELETE was answered: invisible, waits for its last action
    MinuteRate completed{};
    Mark mark = Mark::None;
};

class QueueRegistry {
public:
    QueueEntry& add(QueueEntry entry);
    void remove(QueueId id);
    /// Null when there is none or it is being forgotten.
    const QueueEntry* find(const QueueRef& ref) const;
    const QueueEntry* find(QueueId id) const;
    QueueEntry* find(const QueueRef& ref) { return const_cast<QueueEntry*>(std::as_const(*this).find(ref)); }
    QueueEntry* find(QueueId id) { return const_cast<QueueEntry*>(std::as_const(*this).find(id)); }
    /// In the order of their numbers, those that are being forgotten left out.
    std::vector<QueueEntry*> all();
    std::vector<const QueueEntry*> all() const;
    /// Only those.
    std::vector<QueueId> forgetting() const;
    QueueId takeNumber() { return QueueId{++lastNumber_}; }
    /// Some queue has this number, or had it: numbers are never used twice.
    bool wasThere(QueueId id) const { return id.value <= lastNumber_; }
    void numbersUsedUpTo(std::int64_t number) { lastNumber_ = std::max(lastNumber_, number); }

private:
    std::map<std::int64_t, QueueEntry> entries_;
    std::unordered_map<std::string, std::int64_t> byToken_;
    std::int64_t lastNumber_ = 0;
};

} // namespace yard::engine
