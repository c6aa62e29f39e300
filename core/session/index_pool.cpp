#include "core/session/index_pool.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace yard::session {

std::size_t IndexPool::size() const {
    return static_cast<std::size_t>(std::ranges::count(lost_, false));
}

std::int64_t IndexPool::free() const {
    std::int64_t free = 0;
    for (Index piece = 0; piece < used_.size(); ++piece) free += lost_[piece] ? 0 : kWhole - used_[piece];
    return free;
}

bool IndexPool::everFits(Ask ask) const {
    const auto large = std::ranges::count_if(memory_, [&](std::int64_t memory) { return memory >= ask.memory; });
    return ask.amount == 0 || (isAmount(ask.amount) && piecesOf(ask.amount) <= static_cast<std::size_t>(large));
}

bool IndexPool::has(Index piece, Ask ask) const {
    if (lost_[piece] || used_[piece] + std::min(ask.amount, kWhole) > kWhole) return false;
    return ask.memory == 0 || memoryUsed_[piece] + ask.memory <= memory_[piece];
}

std::size_t IndexPool::fitting(Ask ask) const {
    std::size_t count = 0;
    for (Index piece = 0; piece < used_.size(); ++piece) count += has(piece, ask) ? 1 : 0;
    return count;
}

std::vector<IndexPool::Index> IndexPool::take(Ask ask) {
    assert(isAmount(ask.amount) && fits(ask));
    std::vector<Index> taken;
    if (ask.amount < kWhole) {
        std::optional<Index> fullest;
        for (Index piece = 0; piece < used_.size(); ++piece)
            if (has(piece, ask) && (!fullest || used_[piece] > used_[*fullest])) fullest = piece;
        if (fullest) taken.push_back(*fullest);
    } else {
        for (Index piece = 0; piece < used_.size() && taken.size() < piecesOf(ask.amount); ++piece)
            if (has(piece, ask)) taken.push_back(piece);
    }
    takeThese(taken, ask);
    return taken;
}

void IndexPool::takeThese(std::span<const Index> pieces, Ask ask) {
    for (const Index piece : pieces) {
        used_[piece] += std::min(ask.amount, kWhole);
        memoryUsed_[piece] += ask.memory;
        assert(used_[piece] <= kWhole && memoryUsed_[piece] <= memory_[piece]);
    }
}

void IndexPool::give(std::span<const Index> pieces, Ask ask) {
    for (const Index piece : pieces) {
        used_[piece] -= std::min(ask.amount, kWhole);
        memoryUsed_[piece] -= ask.memory;
        assert(used_[piece] >= 0 && memoryUsed_[piece] >= 0);
    }
}

} // namespace yard::session
