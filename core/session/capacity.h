// The resource check of the session, as a parameter: what fits beside what is running, and on which machine. One
// machine is MachineCapacity, which is as cheap as it gets; several are FleetCapacity (fleet_capacity.h).
//
// Owner: engine thread. Lifetime: that of the session.
#pragma once

#include "core/fleet/fleet.h"
#include "core/model/action_spec.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::session {

class IndexedResources;

/// A resource that is asked for, what there is of it, and what is free now. Cores and named amounts in units (not
/// thousandths), memory in MiB; `free` may be negative while leases wait ahead.
struct ResourceNeed {
    std::string resource; ///< "cores", "memory_mb", "gpus", "licence.x"
    double need = 0;
    double total = 0;
    double free = 0;
    // where its pieces are told apart (indexed_resources.h)
    bool isApart = false;     ///< else it is only counted
    std::size_t pieces = 0;   ///< how many there are that are not lost
    std::size_t fitting = 0;  ///< how many of them could serve it now, in part or whole
    bool isAmount = true;     ///< false: more than one, and not whole
    std::int64_t memory = 0;  ///< MiB that it asks of each piece
    bool lacksMemory = false; ///< pieces enough are free, but for their memory
    bool isTooLarge = false;  ///< there never are enough with so much memory
    /// Not now: by amounts, or because what is free is in pieces that do not serve it.
    bool isLacking() const { return free < need || (isApart && static_cast<double>(fitting) < need); }
};

/// Where something may run, of several machines: names, "local", "any", or "tag:NAME", and a platform.
struct Where {
    std::vector<std::string> machines;
    std::string platform;
    /// It takes no longer: a machine that ends before does not get it. 0: nobody knows.
    Duration longest{};
    bool isWorker = false; ///< of a registered worker: not every machine takes it
    bool isAnywhere() const {
        return machines.empty() && platform.empty() && longest == Duration::zero() && !isWorker;
    }
    friend auto operator<=>(const Where&, const Where&) = default;
};

/// What something asks for. Refers to what it was made of; for the length of a call.
struct Demand {
    /// Amounts alone are enough where it does not matter who asks.
    Demand(const Resources& asked, fleet::Slots of = fleet::Slots::Cores, const Where* at = nullptr)
        : amounts(&asked)
        , slots(of)
        , where(at) {}
    const Resources* amounts;
    fleet::Slots slots; ///< None: of what is no attempt. It is on this machine
    const Where* where; ///< null: anywhere
};

/// Amounts of the machine, or machines, and what of them is in use. The session calls take() and give() in pairs. take() may go
/// beyond the capacity (leases ahead); then nothing that needs the same fits until enough was given back.
class Capacity {
public:
    virtual ~Capacity() = default;
    /// Fits beside what is in use now.
    virtual bool fits(const Demand& need) const = 0;
    /// Fits an empty machine: what does not would wait forever.
    virtual bool everFits(const Demand& need) const = 0;
    /// It does, or it asks for a name, a tag or a platform that none here has: a machine that comes may have it.
    bool mayFit(const Demand& need) const;
    /// This machine would take it now if it had more cores free: it lacks nothing else here.
    virtual bool lacksCoresHere(const Demand& need) const = 0;
    /// Taking `need` now takes nothing away that `reserved` waits for or could start with.
    virtual bool leaves(const Demand& need, const Demand& reserved) const = 0;
    /// Largest part of one resource of the machine that `need` takes, > 0: what a start costs its queue.
    virtual double dominantShare(const Resources& need) const = 0;
    /// Everything of which `need` asks for more than 0, for people; of several machines that one which lacks least.
    virtual std::vector<ResourceNeed> describe(const Demand& need) const = 0;
    /// What is in use; of each at most what there is, whatever leases ahead wait for.
    virtual Resources taken() const = 0;
    virtual void take(const Demand& need, fleet::MachineId machine) = 0;
    virtual void give(const Demand& need, fleet::MachineId machine) = 0;
    /// The same machine with nothing in use. `isOpen`: and of several each takes work, as those that are shut may
    /// again.
    virtual std::unique_ptr<Capacity> idle(bool isOpen = false) const = 0;

    /// Which pieces of this machine are whose; null: nothing is told apart.
    virtual IndexedResources* indexed() { return nullptr; }
    virtual const IndexedResources* indexed() const { return nullptr; }

    // -- of several machines; with one everything is on this machine
    bool hasSeveral() const { return hasSeveral_; }
    /// Where so many likes go, in proportion to what is free and never more than fit. Nothing goes where one of them
    /// would take what `reserved` waits for (null: nothing); whether the next one would, leavesOn() says before each.
    /// Nothing is taken yet.
    virtual std::vector<fleet::Share> split(const Demand&, const Demand* /*reserved*/, unsigned /*count*/) {
        return {};
    }
    /// One more of it fits there.
    virtual bool fitsOn(fleet::MachineId, const Demand& need) const { return fits(need); }
    /// leaves() for a start there.
    virtual bool leavesOn(fleet::MachineId, const Demand& need, const Demand& reserved) const {
        return leaves(need, reserved);
    }
    /// Where one waits for a slot, beyond what there is. Nothing: nowhere.
    virtual std::optional<fleet::MachineId> placeAhead(const Demand&) const { return fleet::kLocal; }
    /// Why each machine does not take it now, and which names are of none. With one: nothing where it is for this one.
    virtual std::vector<fleet::WhyNot> why(const Demand&) const { return {}; }
    /// Whether the machine takes work. Of one that does not, what runs there keeps what it has.
    virtual void setGate(fleet::MachineId, fleet::Gate) {}

    // -- of one that grows (growing_capacity.h) or has several already
    /// Another machine. `id`: one that was never there before.
    virtual void add(fleet::MachineId, fleet::Machine) {}
    /// Other amounts, gate, tags; what is in use stays in use.
    virtual void change(fleet::MachineId, fleet::Machine) {}
    /// It is gone, with all that was in use there. Not machine 0.
    virtual void remove(fleet::MachineId) {}

protected:
    bool hasSeveral_ = false;
};

/// Cores, memory and named amounts of one machine. Of a name that it does not have there is nothing, and what asks for
/// another machine or platform never fits. This one is "local", "any" and its own platform; by another name, or by a
/// tag, it is not known.
class MachineCapacity final : public Capacity {
public:
    /// `total`: what may be in use at once; some cores.
    explicit MachineCapacity(const Resources& total);
    bool fits(const Demand& need) const override;
    bool everFits(const Demand& need) const override;
    bool lacksCoresHere(const Demand& need) const override;
    bool leaves(const Demand& need, const Demand& reserved) const override;
    double dominantShare(const Resources& need) const override;
    std::vector<ResourceNeed> describe(const Demand& need) const override;
    Resources taken() const override;
    void take(const Demand& need, fleet::MachineId machine) override;
    void give(const Demand& need, fleet::MachineId machine) override;
    std::unique_ptr<Capacity> idle(bool isOpen = false) const override;
    /// What was taken, be it more than there is.
    Resources used() const;
    std::vector<fleet::WhyNot> why(const Demand& need) const override;

private:
    struct Amount {
        std::int64_t total = 0;
        std::int64_t used = 0;
        std::int64_t free() const { return total - used; }
        std::int64_t taken() const { return used < total ? used : total; }
        bool holds(std::int64_t need) const { return need == 0 || need <= free(); }
    };
    const Amount& named(const std::string& name) const;
    void count(const Resources& by, int sign);

    Amount cores_;                                     ///< thousandths
    Amount memory_;                                    ///< MiB
    std::map<std::string, Amount, std::less<>> named_; ///< thousandths
};

} // namespace yard::session
