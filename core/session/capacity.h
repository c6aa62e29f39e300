// The resource check of the session, as a parameter: what fits beside what is running. Owner: engine thread.
#pragma once

#include "core/model/action_spec.h"

#include <cstdint>

namespace yard::session {

/// Amounts of the machine and what of them is in use. The session calls take() and give() in pairs. take() may go
/// beyond the capacity (leases ahead); then nothing fits until enough was given back.
class Capacity {
public:
    virtual ~Capacity() = default;
    /// Fits beside what is in use now.
    virtual bool fits(const Resources& need) const = 0;
    /// Fits an empty machine: what does not would wait for ever.
    virtual bool everFits(const Resources& need) const = 0;
    /// Largest part of one resource of the machine that `need` takes, > 0: what a start costs its queue.
    virtual double dominantShare(const Resources& need) const = 0;
    virtual void take(const Resources& need) = 0;
    virtual void give(const Resources& need) = 0;
};

/// Cores only. Other amounts are not looked at.
class CoreCapacity final : public Capacity {
public:
    /// `milliCores`: what may be in use at once, > 0.
    explicit CoreCapacity(std::int64_t milliCores);
    bool fits(const Resources& need) const override;
    bool everFits(const Resources& need) const override;
    double dominantShare(const Resources& need) const override;
    void take(const Resources& need) override;
    void give(const Resources& need) override;
    std::int64_t inUse() const { return inUse_; }

private:
    std::int64_t total_;
    std::int64_t inUse_ = 0;
};

} // namespace yard::session
