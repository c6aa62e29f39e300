#include "core/engine/state/queue_registry.h"

namespace yard::engine {

QueueEntry& QueueRegistry::add(QueueEntry entry) {
    numbersUsedUpTo(entry.id.value);
    if (!entry.token.empty()) byToken_[entry.token] = entry.id.value;
    return entries_.insert_or_assign(entry.id.value, std::move(entry)).first->second;
}

void QueueRegistry::remove(QueueId id) {
    const auto at = entries_.find(id.value);
    if (at == entries_.end()) return;
    byToken_.erase(at->second.token);
    entries_.erase(at);
}

const QueueEntry* QueueRegistry::find(QueueId id) const {
    const auto at = entries_.find(id.value);
    return at == entries_.end() || at->second.forgetting ? nullptr : &at->second;
}

const QueueEntry* QueueRegistry::find(const QueueRef& ref) const {
    if (ref.number) return find(*ref.number);
    const auto at = byToken_.find(ref.token);
    return at == byToken_.end() ? nullptr : find(QueueId{at->second});
}

std::vector<QueueEntry*> QueueRegistry::all() {
    std::vector<QueueEntry*> queues;
    queues.reserve(entries_.size());
    for (auto& [number, entry] : entries_)
        if (!entry.forgetting) queues.push_back(&entry);
    return queues;
}

std::vector<const QueueEntry*> QueueRegistry::all() const {
    std::vector<const QueueEntry*> queues;
    queues.reserve(entries_.size());
    for (const auto& [number, entry] : entries_)
        if (!entry.forgetting) queues.push_back(&entry);
    return queues;
}

std::vector<QueueId> QueueRegistry::forgetting() const {
    std::vector<QueueId> ids;
    for (const auto& [number, entry] : entries_)
        if (entry.forgetting) ids.push_back(entry.id);
    return ids;
}

} // namespace yard::engine
