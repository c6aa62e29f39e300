#include "core/engine/state/unkept_values.h"

#include <fmt/format.h>

namespace yard::engine {

namespace {

/// Rough size of an entry, and of a variable beside its text, in memory.
constexpr std::size_t kEntryBytes = 128;
constexpr std::size_t kVariableBytes = 64;

std::size_t bytesOf(const Variables& values) {
    std::size_t bytes = kEntryBytes;
    for (const auto& [name, value] : values) bytes += kVariableBytes + name.size() + value.size();
    return bytes;
}

} // namespace

Result<void> UnkeptValues::put(Lsn first, std::int64_t count, Variables values) {
    const auto known = sets_.find(values);
    const std::size_t setBytes = bytesOf(values);
    const std::size_t bytes = kEntryBytes + (known == sets_.end() ? setBytes : 0);
    if (known != sets_.end()) ++known->second.users; // making room must not take it
    makeRoomFor(bytes);
    if (bytes_ + bytes > mostBytes_) {
        if (known != sets_.end()) --known->second.users;
        return fail(
            ErrorKind::Busy,
            fmt::format("Variables that are never kept take {} MiB of memory already: submit again once some "
                        "actions have ended, or leave them out of \"env\".",
                        mostBytes_ >> 20));
    }
    const auto set = known != sets_.end() ? known : sets_.emplace(std::move(values), Set{1, setBytes}).first;
    entries_.emplace(first, Entry{.count = count, .active = count, .set = set});
    bytes_ += bytes;
    return {};
}

void UnkeptValues::drop(Lsn first) {
    if (const auto entry = entries_.find(first); entry != entries_.end()) erase(entry);
}

UnkeptValues::Entries::iterator UnkeptValues::entryOf(Lsn lsn) {
    auto after = entries_.upper_bound(lsn);
    if (after == entries_.begin()) return entries_.end();
    const auto entry = std::prev(after);
    return lsn.value < entry->first.value + entry->second.count ? entry : entries_.end();
}

const Variables* UnkeptValues::find(Lsn lsn) const {
    const auto entry = const_cast<UnkeptValues*>(this)->entryOf(lsn);
    return entry == entries_.end() ? nullptr : &entry->second.set->first;
}

void UnkeptValues::ended(Lsn lsn, ActionState state) {
    if (entries_.empty()) return;
    const auto at = entryOf(lsn);
    if (at == entries_.end()) return;
    Entry& entry = at->second;
    const bool mayComeBack = state == ActionState::Failed || state == ActionState::Abandoned;
    const bool isLast = entry.active == 1;
    if (entry.active > 0) --entry.active;
    if (mayComeBack) entry.mayComeBack = true;
    if (isLast && entry.mayComeBack) ended_.push_back(at->first);
    // One that came back and is completed now is done with, of an array others may come back still.
    const bool isDone = entry.active == 0 && (!entry.mayComeBack || (!mayComeBack && entry.count == 1));
    if (isDone) erase(at);
}

void UnkeptValues::erase(Entries::iterator entry) {
    const auto set = entry->second.set;
    entries_.erase(entry);
    bytes_ -= kEntryBytes;
    if (--set->second.users > 0) return;
    bytes_ -= set->second.bytes;
    sets_.erase(set);
}

void UnkeptValues::makeRoomFor(std::size_t bytes) {
    while (bytes_ + bytes > mostBytes_ && !ended_.empty()) {
        const auto entry = entries_.find(ended_.front());
        ended_.pop_front();
        if (entry != entries_.end()) erase(entry);
    }
    // Those that were run again and completed left their place in the order behind.
    if (ended_.size() > 2 * entries_.size() + 64)
        std::erase_if(ended_, [this](Lsn lsn) { return !entries_.contains(lsn); });
}

} // namespace yard::engine
