// Several runners as one: one action goes round-robin to a runner with a free slot, a batch is split
// in proportion to free capacity. Owner: the engine thread; runners are borrowed and must outlive the group.
#pragma once

#include "core/runners/runner.h"

#include <cstddef>
#include <span>
#include <vector>

namespace yard::runners {

/// How many of `count` each runner gets: in proportion to free[i], largest remainders first, never more than
/// free[i]. Ties go to the runner `first` (modulo their number) and those after it. The sum is min(count, sum of
/// free).
std::vector<unsigned> splitByFree(unsigned count, std::span<const unsigned> free, std::size_t first = 0);

class RunnerGroup {
public:
    void add(Runner& runner);
    std::size_t size() const { return runners_.size(); }
    unsigned capacity() const;
    unsigned free() const;
    /// The next runner in turn that has a free slot; nullptr when none has.
    Runner* choose();
    /// Hands out as many leases as there are free slots, in order. Returns those that found no place.
    std::vector<Lease> submit(std::vector<Lease> batch);

private:
    std::vector<Runner*> runners_;
    std::size_t next_ = 0; ///< where the next round begins
};

} // namespace yard::runners
