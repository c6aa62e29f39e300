// The resource check of the session, as a parameter: what fits beside what is running. Owner: engine thread.
#pragma once

#include "core/model/action_spec.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::session {

/// A resource that is asked for, what there is of it, and what is free now. Cores and named amounts in units (not
/// thousandths), memory in MiB; `free` may be negative while leases wait ahead.
struct ResourceNeed {
    std::string resource; ///< "cores", "memory_mb", "gpus", "licence.x"
    double need = 0;
    double total = 0;
    double free = 0;
};

/// Amounts of the machine and what of them is in use. The session calls take() and give() in pairs. take() may go
/// beyond the capacity (leases ahead); then nothing that needs the same fits until enough was given back.
class Capacity {
public:
    virtual ~Capacity() = default;
    /// Fits beside what is in use now.
    virtual bool fits(const Resources& need) const = 0;
    /// Fits an empty machine: what does not would wait forever.
    virtual bool everFits(const Resources& need) const = 0;
    /// Taking `need` now takes nothing away that `reserved` waits for or could start with.
    virtual bool leaves(const Resources& need, const Resources& reserved) const = 0;
    /// Largest part of one resource of the machine that `need` takes, > 0: what a start costs its queue.
    virtual double dominantShare(const Resources& need) const = 0;
    /// Everything of which `need` asks for more than 0, for people.
    virtual std::vector<ResourceNeed> describe(const Resources& need) const = 0;
    /// What is in use; of each at most what there is, whatever leases ahead wait for.
    virtual Resources taken() const = 0;
    virtual void take(const Resources& need) = 0;
    virtual void give(const Resources& need) = 0;
    /// The same machine with nothing in use.
    virtual std::unique_ptr<Capacity> idle() const = 0;
};

/// Cores, memory and named amounts of one machine. Of a name that it does not have there is nothing.
class MachineCapacity final : public Capacity {
public:
    /// `total`: what may be in use at once; some cores.
    explicit MachineCapacity(const Resources& total);
    bool fits(const Resources& need) const override;
    bool everFits(const Resources& need) const override;
    bool leaves(const Resources& need, const Resources& reserved) const override;
    double dominantShare(const Resources& need) const override;
    std::vector<ResourceNeed> describe(const Resources& need) const override;
    Resources taken() const override;
    void take(const Resources& need) override;
    void give(const Resources& need) override;
    std::unique_ptr<Capacity> idle() const override;

private:
    struct Amount {
        std::int64_t total = 0;
        std::int64_t used = 0;
        std::int64_t free() const { return total - used; }
        std::int64_t taken() const { return used < total ? used : total; }
        bool holds(std::int64_t need) const { return need == 0 || need <= free(); }
    };
    const Amount& named(const std::string& name) const;
    void change(const Resources& by, int sign);

    Amount cores_;                                     ///< thousandths
    Amount memory_;                                    ///< MiB
    std::map<std::string, Amount, std::less<>> named_; ///< thousandths
};

} // namespace yard::session
