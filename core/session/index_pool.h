// One resource whose pieces are told apart: who has which. A piece is whole, or shared by those who ask for less than one.
// Private to session; owner: engine thread. Lifetime: in the IndexedResources.
//
// Invariant: of each piece at most 1,000 thousandths are in use; who asks for one or more has whole pieces alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yard::session {

class IndexPool {
public:
    using Index = std::uint32_t;
    static constexpr std::int64_t kWhole = 1'000; ///< thousandths

    explicit IndexPool(std::size_t size)
        : used_(size, 0)
        , lost_(size, false) {}

    /// More than one has to be whole.
    static bool isAmount(std::int64_t amount) { return amount < kWhole || amount % kWhole == 0; }
    /// It would fit were nothing in use and nothing lost: what is lost may come back.
    bool everFits(std::int64_t amount) const;
    bool fits(std::int64_t amount) const { return fitting(amount) >= piecesOf(amount); }
    /// How many pieces could serve it now, in part or whole.
    std::size_t fitting(std::int64_t amount) const;
    /// Of what fits: part of the fullest piece that has so much left, or the first whole ones. In their order.
    std::vector<Index> take(std::int64_t amount);
    void give(std::span<const Index> pieces, std::int64_t amount);
    /// These, which are free.
    void takeThese(std::span<const Index> pieces, std::int64_t amount);
    /// A piece that is gone is given to nobody; who has it keeps it.
    void setLost(Index piece, bool isLost) { lost_[piece] = isLost; }
    /// Pieces that are not lost.
    std::size_t size() const;

private:
    static std::size_t piecesOf(std::int64_t amount) {
        return amount < kWhole ? 1 : static_cast<std::size_t>(amount / kWhole);
    }
    bool has(Index piece, std::int64_t amount) const;

    std::vector<std::int64_t> used_; ///< thousandths
    std::vector<bool> lost_;
};

} // namespace yard::session
