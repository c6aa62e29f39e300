// One resource whose pieces are told apart: who has which. A piece is whole, or shared by those who ask for less than one.
// A piece may have memory, of which each of those that share it may ask for some.
// Private to session; owner: engine thread. Lifetime: in the IndexedResources.
//
// Invariants: of each piece at most 1,000 thousandths are in use; who asks for one or more has whole pieces alone; of its
// memory at most what it has is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace yard::session {

class IndexPool {
public:
    using Index = std::uint32_t;
    static constexpr std::int64_t kWhole = 1'000; ///< thousandths

    /// What somebody asks for.
    struct Ask {
        Ask(std::int64_t thousandths, std::int64_t memoryMb = 0)
            : amount(thousandths)
            , memory(memoryMb) {}
        std::int64_t amount;
        std::int64_t memory; ///< MiB, of each piece; 0: whatever it has
    };

    /// `memory`: of each piece, MiB; pieces without one have none.
    explicit IndexPool(std::size_t size, std::vector<std::int64_t> memory = {})
        : used_(size, 0)
        , memory_(std::move(memory))
        , memoryUsed_(size, 0)
        , lost_(size, false) {
        memory_.resize(size, 0);
    }

    /// More than one has to be whole.
    static bool isAmount(std::int64_t amount) { return amount < kWhole || amount % kWhole == 0; }
    /// It would fit were nothing in use and nothing lost: what is lost may come back.
    bool everFits(Ask ask) const;
    bool fits(Ask ask) const { return fitting(ask) >= piecesOf(ask.amount); }
    /// How many pieces could serve it now, in part or whole.
    std::size_t fitting(Ask ask) const;
    /// Of what fits: part of the fullest piece that has so much left, or the first whole ones. In their order.
    std::vector<Index> take(Ask ask);
    void give(std::span<const Index> pieces, Ask ask);
    /// These, which are free.
    void takeThese(std::span<const Index> pieces, Ask ask);
    /// A piece that is gone is given to nobody; who has it keeps it.
    void setLost(Index piece, bool isLost) { lost_[piece] = isLost; }
    /// Pieces that are not lost.
    std::size_t size() const;
    /// Thousandths of them that nobody has.
    std::int64_t free() const;
    const std::vector<std::int64_t>& memory() const { return memory_; }

private:
    static std::size_t piecesOf(std::int64_t amount) {
        return amount < kWhole ? 1 : static_cast<std::size_t>(amount / kWhole);
    }
    bool has(Index piece, Ask ask) const;

    std::vector<std::int64_t> used_;       ///< thousandths
    std::vector<std::int64_t> memory_;     ///< MiB
    std::vector<std::int64_t> memoryUsed_; ///< MiB, of that
    std::vector<bool> lost_;
};

} // namespace yard::session
