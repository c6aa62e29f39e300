// What the engine knows of queues beside the session's counters: tokens, tags, when each was last asked for.
// Owner: engine thread.
#pragma once

#include "core/base/clock.h"
#include "core/model/queue.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

struct QueueEntry {
    QueueId id;
    std::string token;
    std::string tag;
    WallMicros created = 0;
    MonoTime lastUsed{};
    bool forgetting = false; ///< DELETE was answered: invisible, waits for its last action
};

class QueueBook {
public:
    QueueEntry& add(QueueEntry entry);
    void remove(QueueId id);
    /// Null when there is none or it is being forgotten.
    QueueEntry* find(const QueueRef& ref);
    QueueEntry* find(QueueId id);
    /// In the order of their numbers, those that are being forgotten left out.
    std::vector<QueueEntry*> all();
    std::vector<const QueueEntry*> all() const;
    QueueId takeNumber() { return QueueId{++lastNumber_}; }
    void numbersUsedUpTo(std::int64_t number) { lastNumber_ = std::max(lastNumber_, number); }

private:
    std::map<std::int64_t, QueueEntry> entries_;
    std::unordered_map<std::string, std::int64_t> byToken_;
    std::int64_t lastNumber_ = 0;
};

} // namespace yard::engine
