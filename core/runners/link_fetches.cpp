#include "core/runners/link_fetches.h"

#include "core/base/log.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace yard::runners {

void LinkFetches::connect(LinkOut* out) {
    out_ = out;
    asked_ = 0;
    askedChunks_ = 0;
    std::erase_if(chunks_, [](const auto& entry) { return entry.second.wantedBy.empty(); });
    for (auto& [hash, chunk] : chunks_) {
        chunk.stage = Stage::Waiting;
        ++chunk.round; // what is being stored of it is of no use
    }
    ask();
}

void LinkFetches::fetch(link::AttemptRef id, std::vector<RemoteChunk> chunks) {
    left_[id] = 0;
    if (chunks.empty()) {
        left_.erase(id);
        return events_.done(id);
    }
    host_.missing(std::move(chunks),
                  [this, id, alive = std::weak_ptr(alive_)](const std::vector<RemoteChunk>& lacking) {
                      if (!alive.expired()) add(id, lacking);
                  });
}

/// Among themselves, and with what is lacking already.
bool LinkFetches::isOneSizeEach(const std::vector<RemoteChunk>& lacking) const {
    std::map<Hash256, std::uint64_t> sizes;
    return std::ranges::all_of(lacking, [&](const RemoteChunk& one) {
        const auto known = chunks_.find(one.hash);
        const std::uint64_t size = known == chunks_.end() ? one.size : known->second.size;
        return sizes.try_emplace(one.hash, size).first->second == one.size;
    });
}

void LinkFetches::add(link::AttemptRef id, const std::vector<RemoteChunk>& lacking) {
    const auto left = left_.find(id);
    if (left == left_.end()) return; // lost meanwhile
    // Before any is counted: of a lie nothing stays that could count as all of it later.
    if (!isOneSizeEach(lacking)) {
        left_.erase(left);
        return events_.lied("It gives one chunk two sizes.");
    }
    for (const auto& [hash, size] : lacking) {
        Chunk& chunk = chunks_.try_emplace(hash, Chunk{.size = size}).first->second;
        if (chunk.wantedBy.insert(id).second) ++left->second;
    }
    if (left->second == 0) {
        left_.erase(left);
        return events_.done(id);
    }
    ask();
}

void LinkFetches::forget(link::AttemptRef id) {
    left_.erase(id);
    for (auto at = chunks_.begin(); at != chunks_.end();) {
        at->second.wantedBy.erase(id);
        // What is on its way still comes.
        const bool isQuiet = at->second.stage == Stage::Waiting || at->second.stage == Stage::Resting;
        const bool isOver = at->second.wantedBy.empty() && isQuiet;
        at = isOver ? chunks_.erase(at) : std::next(at);
    }
}

void LinkFetches::ask() {
    if (!out_) return;
    link::Need need;
    for (auto& [hash, chunk] : chunks_) {
        const std::uint64_t room = kWindow - std::min(asked_, kWindow); // a size may be any number
        if (askedChunks_ >= kMostAsked || (askedChunks_ > 0 && chunk.size > room)) break;
        if (chunk.stage != Stage::Waiting) continue;
        chunk.stage = Stage::Asked;
        chunk.next = 0;
        ++chunk.round;
        asked_ += chunk.size;
        ++askedChunks_;
        need.hashes.push_back(hash);
    }
    if (!need.hashes.empty()) out_->send(link::Kind::Need, ++lastNeed_, link::put(need));
}

bool LinkFetches::chunkCame(link::Chunk piece) {
    const auto at = chunks_.find(piece.hash);
    if (at == chunks_.end()) return false;
    Chunk& chunk = at->second;
    if (chunk.stage != Stage::Asked && chunk.stage != Stage::Dropping) return false;
    const std::uint64_t size = piece.bytes.size();
    if (piece.size != chunk.size || piece.offset != chunk.next || size > chunk.size - chunk.next) return false;
    if (size == 0 && chunk.size > 0) return false;
    chunk.next += size;
    const bool isLast = chunk.next == chunk.size;
    if (chunk.stage == Stage::Dropping) {
        if (isLast) rest(piece.hash);
        return true;
    }
    storing_ += size;
    const Hash256 hash = piece.hash;
    const unsigned round = chunk.round;
    host_.storePiece(std::move(piece),
                     [this, hash, size, round, isLast, alive = std::weak_ptr(alive_)](const Result<void>& result) {
                         if (alive.expired()) return;
                         storing_ -= size;
                         stored(hash, round, isLast, result);
                     });
    return true;
}

void LinkFetches::stored(const Hash256& hash, unsigned round, bool isLast, const Result<void>& result) {
    const auto at = chunks_.find(hash);
    if (at == chunks_.end() || at->second.round != round) return;
    Chunk& chunk = at->second;
    if (!result) {
        if (result.error().kind == ErrorKind::Invalid)
            return events_.lied("A chunk that it sent is not what it is called.");
        if (chunk.stage != Stage::Asked) return;
        logWarning("link", "an output of another machine cannot be stored: {}", result.error().message);
        chunk.stage = Stage::Dropping;
        if (chunk.next == chunk.size) rest(hash);
        return;
    }
    if (!isLast || chunk.stage != Stage::Asked) return;
    noLongerAsked(chunk);
    const std::set<link::AttemptRef> waiting = std::move(chunk.wantedBy);
    chunks_.erase(at);
    for (const link::AttemptRef& id : waiting) {
        const auto left = left_.find(id);
        if (left == left_.end() || --left->second > 0) continue;
        left_.erase(left);
        events_.done(id);
    }
    ask();
}

void LinkFetches::noLongerAsked(const Chunk& chunk) {
    asked_ -= chunk.size;
    --askedChunks_;
}

void LinkFetches::rest(const Hash256& hash) {
    Chunk& chunk = chunks_.at(hash);
    chunk.stage = Stage::Resting;
    noLongerAsked(chunk);
    if (chunk.wantedBy.empty()) chunks_.erase(hash);
}

void LinkFetches::tick() {
    for (auto& [hash, chunk] : chunks_)
        if (chunk.stage == Stage::Resting) chunk.stage = Stage::Waiting;
    ask();
}

} // namespace yard::runners
