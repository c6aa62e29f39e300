// What guests of all yards together have of this machine. Owner: the engine thread; outlives the desks.
#pragma once

#include "core/guests/guest_vetting.h"

#include <cstdint>

namespace yard::guests {

class GuestBudget {
public:
    explicit GuestBudget(const GuestLimits& limits)
        : limits_(limits) {}
    const GuestLimits& limits() const { return limits_; }
    /// For what comes from now on; who has more keeps it. What is kept of inputs follows for later desks only.
    void setLimits(const GuestLimits& limits) { limits_ = limits; }
    /// False: not alone either.
    bool everFits(const Resources& needs) const {
        return needs.milliCores <= limits_.milliCores && needs.memoryMb <= limits_.memoryMb;
    }
    /// False: not beside what others have now.
    [[nodiscard]] bool take(const Resources& needs) {
        if (needs.milliCores > limits_.milliCores - milliCores_ || needs.memoryMb > limits_.memoryMb - memoryMb_)
            return false;
        milliCores_ += needs.milliCores;
        memoryMb_ += needs.memoryMb;
        return true;
    }
    /// Requires: a take() of the same.
    void give(const Resources& needs) {
        milliCores_ -= needs.milliCores;
        memoryMb_ -= needs.memoryMb;
    }
    std::int64_t milliCores() const { return milliCores_; }
    std::int64_t memoryMb() const { return memoryMb_; }

private:
    GuestLimits limits_;
    std::int64_t milliCores_ = 0; ///< taken
    std::int64_t memoryMb_ = 0;
};

} // namespace yard::guests
