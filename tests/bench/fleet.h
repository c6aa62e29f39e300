// Many model machines as one Capacity of the session: something fits when one of them can hold all of it, and is
// put there. So the scheduler's own code decides for all of them, and nothing is spread over two.
//
// An action goes to the machine on which the fewest other kinds fit. While the session keeps room for something
// that was passed over, one machine that could hold it takes nothing else until it is there. O(kinds) per change,
// O(1) per question; kinds are given at the start, at most 16.
#pragma once

#include "core/session/capacity.h"

#include <cstdint>
#include <vector>

namespace yard::bench {

/// What a machine has, or an action takes.
struct Amounts {
    std::int64_t cores = 0;
    std::int64_t memoryMb = 0;
    std::int64_t gpus = 0;
    bool holds(const Amounts& need) const {
        return need.cores <= cores && need.memoryMb <= memoryMb && need.gpus <= gpus;
    }
    Resources resources() const;
    static Amounts of(const Resources& resources);
};

class Fleet final : public session::Capacity {
public:
    Fleet(std::vector<Amounts> machines, const std::vector<Amounts>& kinds);

    /// Before each turn of the session.
    void beginTurn();
    /// Where the oldest take() since was put that was not asked for yet.
    std::int32_t nextPlace();
    /// The machine of the next give().
    void givesFrom(std::int32_t machine) { giving_ = machine; }

    bool fits(const session::Demand& need) const override;
    bool everFits(const session::Demand& need) const override;
    bool leaves(const session::Demand& need, const session::Demand& reserved) const override;
    double dominantShare(const Resources& need) const override;
    std::vector<session::ResourceNeed> describe(const session::Demand& need) const override;
    Resources taken() const override;
    void take(const session::Demand& need, fleet::MachineId) override;
    void give(const session::Demand& need, fleet::MachineId) override;
    /// All machines as one: where there is room in all for something large is not told.
    std::unique_ptr<session::Capacity> idle(bool isOpen) const override;
    const Amounts& total() const { return total_; }

private:
    using Mask = std::uint16_t;
    struct Machine {
        Amounts has;
        Amounts free;
        Mask fits = 0; ///< kinds that fit now
    };
    std::size_t kindOf(const Resources& need) const;
    void refresh(std::int32_t machine) const;
    /// The machine for this kind; -1: none. Entries that are out of date go.
    std::int32_t best(std::size_t kind) const;
    void keepFor(std::size_t kind) const;

    std::vector<Amounts> kinds_;
    Amounts total_;
    mutable std::vector<Machine> machines_;
    mutable std::vector<std::vector<std::int32_t>> candidates_; ///< by kind and number of kinds that fit
    mutable std::int32_t kept_ = -1;                            ///< takes nothing but keptFor_
    mutable std::size_t keptFor_ = 0;
    mutable bool asked_ = false;
    std::vector<std::int32_t> placed_;
    std::size_t told_ = 0;
    std::int32_t giving_ = -1;
};

} // namespace yard::bench
