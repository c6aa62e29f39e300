#include "core/runners/link_needs.h"

#include "core/base/log.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace yard::runners {

void LinkNeeds::connect(LinkOut* out) {
    out_ = out;
    connection_ = std::make_shared<int>();
    wanted_.clear();
    waiting_.clear();
    block_.clear();
    blockAt_ = 0;
    isReading_ = false;
}

void LinkNeeds::want(std::uint64_t id, const std::vector<Hash256>& hashes) {
    for (const Hash256& hash : hashes)
        if (waiting_.insert(hash).second) wanted_.push_back({.id = id, .hash = hash});
    pump();
}

void LinkNeeds::pump() {
    if (isPumping_) return; // an answer that came at once: the loop below goes on with it
    isPumping_ = true;
    sendOn();
    isPumping_ = false;
}

void LinkNeeds::sendOn() {
    while (out_ && !wanted_.empty() && !isReading_) {
        if (block_.empty()) {
            read(); // its answer may come at once
            continue;
        }
        if (!out_->hasRoomForBulk()) return;
        const std::size_t part = std::min(block_.size(), link::kChunkPiece);
        const link::Chunk piece{
            .hash = wanted_.front().hash, .size = size_, .offset = blockAt_, .bytes = block_.substr(0, part)};
        if (!out_->send(link::Kind::Chunk, wanted_.front().id, link::put(piece))) return;
        block_.erase(0, part);
        blockAt_ += part;
        if (blockAt_ >= size_) next();
    }
}

void LinkNeeds::next() {
    waiting_.erase(wanted_.front().hash);
    wanted_.pop_front();
    block_.clear();
    blockAt_ = 0;
}

void LinkNeeds::read() {
    isReading_ = true;
    host_.readChunk(wanted_.front().hash, blockAt_, kBlock,
                    [this, known = std::weak_ptr(connection_)](Result<LinkHost::Piece> piece) {
                        if (known.expired()) return;
                        isReading_ = false;
                        came(std::move(piece));
                        pump();
                    });
}

void LinkNeeds::came(Result<LinkHost::Piece> piece) {
    // What is not there is not answered: the machine hands the attempt back, or its deadline ends it.
    if (!piece) {
        logWarning("link", "a chunk that a machine needs cannot be read: {}", piece.error().message);
        return next();
    }
    size_ = piece->size;
    block_ = std::move(piece->bytes);
    if (!block_.empty()) return;
    if (size_ == 0) {
        const link::Chunk nothing{.hash = wanted_.front().hash, .size = 0, .offset = 0, .bytes = {}};
        out_->send(link::Kind::Chunk, wanted_.front().id, link::put(nothing));
    }
    next();
}

} // namespace yard::runners
