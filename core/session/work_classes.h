// What actions ask for. A class is what actions have in common: resources, locks, limits, a gate. A shape is a distinct
// vector of resources: classes of one shape start under the same conditions. A gate limits how many attempts of its
// classes are out, which take named amounts alone: a process has their cores and memory. Private to session; owner: engine thread. Lives as long as the session,
// below the order.
//
// Bound: past kExactShapes shapes resources are rounded up into buckets, so that a decision looks at few.
#pragma once

#include "core/session/capacity.h"
#include "core/session/grow_array.h"
#include "core/session/lock_table.h"
#include "core/session/messages.h"
#include "core/session/slab.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace yard::session {

/// Shapes are looked at one by one in each decision: past this many, vectors are rounded up into buckets.
inline constexpr std::size_t kExactShapes = 64;

/// It goes to a slot of the cores, unless it claims locks.
bool isExactlyOneCore(const Resources& resources);

class WorkClasses {
public:
    explicit WorkClasses(const Capacity& capacity)
        : capacity_(capacity) {}

    /// `locks`: the number of their set (LockTable).
    void define(ClassId id, const Resources& resources, std::uint32_t locks, std::optional<GateId> gate,
                const RetryLimits& limits, const Where& where = {});
    bool isDefined(ClassId id) const { return id.value < classes_.size() && classes_[id.value].shape != kNone; }
    const Resources& resourcesOf(std::uint32_t cls) const { return *vectors_[classes_[cls].vector].resources; }
    /// What an attempt of it takes, where, and in which slots it may run.
    Demand demandOf(std::uint32_t cls) const {
        const ClassInfo& of = classes_[cls];
        if (shapes_[of.shape].gate != kNone) return demandOfShape(of.shape);
        return {*vectors_[of.vector].resources, slotsOf(isOneCore(cls)), shapes_[of.shape].where};
    }
    /// The same with what a process has for it.
    Demand allOf(std::uint32_t cls) const {
        return {*vectors_[classes_[cls].vector].resources, slotsOf(isOneCore(cls)),
                shapes_[classes_[cls].shape].where};
    }
    /// An attempt of it takes resources of the machine.
    bool takes(std::uint32_t cls) const { return takesShape(classes_[cls].shape); }
    bool takesShape(std::uint32_t shape) const {
        return shapes_[shape].gate == kNone || !shapes_[shape].resources.named.empty();
    }
    /// The largest part of the machine that it takes of one resource.
    double shareOf(std::uint32_t cls) const { return vectors_[classes_[cls].vector].share; }
    /// There is more, or less, of the machine than before.
    void capacityChanged();
    const RetryLimits& limitsOf(std::uint32_t cls) const { return classes_[cls].limits; }
    /// Number of the set of locks that it claims; LockTable::kNoLocks: none.
    std::uint32_t locksOf(std::uint32_t cls) const { return classes_[cls].locks; }
    bool isOneCore(std::uint32_t cls) const {
        return vectors_[classes_[cls].vector].oneCore && classes_[cls].locks == LockTable::kNoLocks;
    }

    // -- shapes, dense from 0
    struct Shape {
        Resources resources;  ///< that an attempt takes itself
        bool oneCore = false; ///< exactly one core and no lock: has slots of its own
        std::uint32_t gate = kNone;
        const Where* where = nullptr; ///< null: anywhere
    };
    Demand demandOfShape(std::uint32_t shape) const {
        const Shape& of = shapes_[shape];
        // Processes are on this machine, and in no slot of an attempt.
        if (of.gate != kNone) return {of.resources, fleet::Slots::None};
        return {of.resources, slotsOf(of.oneCore), of.where};
    }
    std::uint32_t shapeOf(std::uint32_t cls) const { return classes_[cls].shape; }
    std::uint32_t shapes() const { return static_cast<std::uint32_t>(shapes_.size()); }
    const Shape& shape(std::uint32_t shape) const { return shapes_[shape]; }

    // -- gates
    void setGate(GateId gate, int most);
    /// One more or less is out; false: the class has no gate.
    bool countGate(std::uint32_t cls, int by);
    bool isGated(std::uint32_t cls) const { return gateOf(cls) != kNone; }
    bool isAt(GateId gate, std::uint32_t cls) const { return gateOf(cls) == gate.value; }
    std::uint32_t gateOf(std::uint32_t cls) const { return shapes_[classes_[cls].shape].gate; }
    int mostAt(std::uint32_t cls) const { return gates_[gateOf(cls)].most; }
    int outAtGateOf(std::uint32_t cls) const { return gates_[gateOf(cls)].out; }
    int outAt(GateId gate) const { return gate.value < gates_.size() ? gates_[gate.value].out : 0; }
    bool hasPlace(std::uint32_t gate) const { return gates_[gate].out < gates_[gate].most; }

    std::size_t memoryBytes() const;

private:
    struct Vector {
        const Resources* resources;
        double share;
        bool oneCore;
    };
    struct ClassInfo {
        std::uint32_t shape = kNone;
        std::uint32_t vector = kNone;
        std::uint32_t locks = LockTable::kNoLocks;
        RetryLimits limits;
    };
    using ShapeKey = std::tuple<Resources, bool, std::uint32_t, const Where*>; ///< and exactly one core, gate
    struct Gate {
        int most = 0;
        int out = 0;
    };

    static fleet::Slots slotsOf(bool oneCore) { return oneCore ? fleet::Slots::Cores : fleet::Slots::Others; }
    std::uint32_t shapeFor(const Resources& resources, bool oneCore, std::uint32_t gate, const Where* where);
    std::uint32_t vectorFor(const Resources& resources);

    const Capacity& capacity_;
    GrowArray<ClassInfo> classes_;
    std::set<Where> places_;                         ///< what shapes refer to
    std::map<Resources, std::uint32_t> vectorIndex_; ///< keys are what vectors_ points to
    std::vector<Vector> vectors_;
    std::map<ShapeKey, std::uint32_t> shapeIndex_;
    std::vector<Shape> shapes_;
    std::vector<Gate> gates_;
};

} // namespace yard::session
