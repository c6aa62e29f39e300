#include "core/session/index_pool.h"

#include <algorithm>
#include <cassert>
#include <optional>

namespace yard::session {

std::size_t IndexPool::size() const {
    return static_cast<std::size_t>(std::ranges::count(lost_, false));
}

bool IndexPool::everFits(std::int64_t amount) const {
    return amount == 0 || (isAmount(amount) && piecesOf(amount) <= used_.size());
}

bool IndexPool::has(Index piece, std::int64_t amount) const {
    return !lost_[piece] && used_[piece] + std::min(amount, kWhole) <= kWhole;
}

std::size_t IndexPool::fitting(std::int64_t amount) const {
    std::size_t count = 0;
    for (Index piece = 0; piece < used_.size(); ++piece) count += has(piece, amount) ? 1 : 0;
    return count;
}

std::vector<IndexPool::Index> IndexPool::take(std::int64_t amount) {
    assert(isAmount(amount) && fits(amount));
    std::vector<Index> taken;
    if (amount < kWhole) {
        std::optional<Index> fullest;
        for (Index piece = 0; piece < used_.size(); ++piece)
            if (has(piece, amount) && (!fullest || used_[piece] > used_[*fullest])) fullest = piece;
        if (fullest) taken.push_back(*fullest);
    } else {
        for (Index piece = 0; piece < used_.size() && taken.size() < piecesOf(amount); ++piece)
            if (has(piece, amount)) taken.push_back(piece);
    }
    takeThese(taken, amount);
    return taken;
}

void IndexPool::takeThese(std::span<const Index> pieces, std::int64_t amount) {
    for (const Index piece : pieces) {
        used_[piece] += std::min(amount, kWhole);
        assert(used_[piece] <= kWhole);
    }
}

void IndexPool::give(std::span<const Index> pieces, std::int64_t amount) {
    for (const Index piece : pieces) {
        used_[piece] -= std::min(amount, kWhole);
        assert(used_[piece] >= 0);
    }
}

} // namespace yard::session
