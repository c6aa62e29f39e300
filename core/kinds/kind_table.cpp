#include "core/kinds/kind_table.h"

#include "core/kinds/kind_codec.h"
#include "core/kinds/kind_name.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::kinds {

void KindTable::add(const Run& run) {
    const auto found = byName_.find(run.kind);
    if (found != byName_.end()) touch(found->second);
    Entry& entry = found != byName_.end() ? *found->second : insert(Kind(std::string(run.kind)));
    const bool isDue = entry.kind.add(run);
    if (isDue && !entry.isDue) {
        entry.isDue = true;
        entry.inDue = due_.insert(due_.end(), &entry);
    }
    noteChange(entry, run.end);
}

void KindTable::noteChange(Entry& entry, WallMicros now) {
    if (entry.isChanged) return;
    entry.isChanged = true;
    entry.changed = now;
    entry.inChanged = changed_.insert(changed_.end(), &entry);
}

KindTable::Entry& KindTable::insert(Kind kind) {
    makeRoom();
    Entry& entry = young_.emplace_front(std::move(kind));
    byName_.emplace(entry.kind.name(), young_.begin());
    countBytes(entry);
    touch(young_.begin());
    return entry;
}

/// It was seen just now.
void KindTable::touch(Entries::iterator entry) {
    Entries& from = entry->isFirm ? firm_ : young_;
    entry->isFirm = entry->kind.total().runs >= kFirmRuns;
    Entries& to = entry->isFirm ? firm_ : young_;
    if (&from == &to && entry == to.begin()) return;
    to.splice(to.begin(), from, entry);
}

void KindTable::makeRoom() {
    while (!byName_.empty() && (byName_.size() >= maxKinds_ || bytes_ > maxBytes_)) {
        Entries& from = young_.empty() ? firm_ : young_;
        drop(std::prev(from.end()));
    }
}

void KindTable::drop(Entries::iterator entry) {
    if (entry->isDue) due_.erase(entry->inDue);
    if (entry->isChanged) changed_.erase(entry->inChanged);
    if (entry->isKept) gone_.push_back(entry->kind.name());
    bytes_ -= entry->bytes;
    ++dropped_;
    lastDropped_ = entry->kind.name();
    byName_.erase(entry->kind.name());
    (entry->isFirm ? firm_ : young_).erase(entry);
}

void KindTable::countBytes(Entry& entry) {
    const std::size_t now = entry.kind.bytes();
    bytes_ = bytes_ - entry.bytes + now;
    entry.bytes = now;
}

Result<bool> KindTable::load(std::string_view name, std::string_view body) {
    Result<Kind> kind = name.size() <= kMaxKindBytes
                            ? decodeKind(name, body)
                            : fail(ErrorKind::Malformed, "The name of a kind is too long.");
    if (!kind) return std::unexpected(kind.error());
    if (byName_.contains(name) || byName_.size() >= maxKinds_ || bytes_ > maxBytes_) return false;
    insert(std::move(*kind)).isKept = true;
    return true;
}

void KindTable::sortBySeen() {
    const auto isLater = [](const Entry& a, const Entry& b) { return a.kind.last() > b.kind.last(); };
    young_.sort(isLater);
    firm_.sort(isLater);
}

const Kind* KindTable::find(std::string_view name) const {
    const auto found = byName_.find(name);
    return found == byName_.end() ? nullptr : &found->second->kind;
}

void KindTable::each(const std::function<void(const Kind&)>& visit) const {
    for (const auto* list : {&firm_, &young_})
        for (const Entry& entry : *list) visit(entry.kind);
}

bool KindTable::look(std::size_t most, const std::function<void(const Kind&)>& found) {
    for (; most > 0 && !due_.empty(); --most) {
        Entry& entry = *due_.front();
        due_.pop_front();
        entry.isDue = false;
        if (!entry.kind.look()) continue;
        noteChange(entry, entry.kind.last());
        if (found) found(entry.kind);
    }
    return !due_.empty();
}

std::vector<KindDocument> KindTable::takeChanged(WallMicros now, std::size_t most, bool all) {
    std::vector<KindDocument> documents;
    // What went comes first: it may be back by now.
    for (; !gone_.empty() && documents.size() < most; gone_.pop_back())
        documents.push_back({.name = std::move(gone_.back()), .body = {}});
    while (documents.size() < most && !changed_.empty()) {
        Entry& entry = *changed_.front();
        // A clock that was set back holds nothing up for longer than that.
        const WallMicros since = now - entry.changed;
        if (!all && since >= 0 && since < kWriteAfter) break;
        changed_.pop_front();
        entry.isChanged = false;
        entry.isKept = true;
        countBytes(entry);
        documents.push_back({.name = entry.kind.name(), .body = encodeKind(entry.kind)});
    }
    if (bytes_ > maxBytes_) makeRoom();
    return documents;
}

void KindTable::putBack(const std::vector<std::string>& names, WallMicros now) {
    for (const std::string& name : names) {
        const auto found = byName_.find(name);
        if (found == byName_.end()) {
            gone_.push_back(name);
            continue;
        }
        // Whatever is kept of it by now: once it is forgotten, that has to go.
        found->second->isKept = true;
        noteChange(*found->second, now);
    }
}

} // namespace yard::kinds
