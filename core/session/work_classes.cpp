#include "core/session/work_classes.h"

#include <algorithm>
#include <bit>

namespace yard::session {

namespace {

/// Up to the next of 1, 1.5, 2, 3, 4, 6, 8, … so that a bucket wastes at most half.
std::int64_t roundUp(std::int64_t n) {
    if (n <= 2) return n;
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
    if (n == power) return n;
    return n <= power + power / 2 ? power + power / 2 : 2 * power;
}

/// Whole cores stay whole: a bucket of 1.024 cores would leave a core unused beside it.
std::int64_t roundUpCores(std::int64_t milli) {
    return milli > 1000 ? 1000 * roundUp((milli + 999) / 1000) : std::min<std::int64_t>(roundUp(milli), 1000);
}

/// Pieces stay whole, and of a part as many share a piece as before: two halves of a GPU do, two of 0.512 do not.
std::int64_t roundUpPieces(std::int64_t milli) {
    return milli > 0 && milli < 1000 ? 1000 / (1000 / milli) : roundUpCores(milli);
}

} // namespace

bool isExactlyOneCore(const Resources& resources) {
    // Memory and named amounts held by a lease that only waits would be overbooked: such classes get none ahead.
    return resources.milliCores == 1000 && resources.memoryMb == 0 && resources.named.empty();
}

// -- classes and shapes

std::uint32_t WorkClasses::vectorFor(const Resources& resources) {
    const auto [it, made] = vectorIndex_.try_emplace(resources, static_cast<std::uint32_t>(vectors_.size()));
    if (made) vectors_.push_back({&it->first, capacity_.dominantShare(resources), isExactlyOneCore(resources)});
    return it->second;
}

void WorkClasses::capacityChanged() {
    for (Vector& vector : vectors_) vector.share = capacity_.dominantShare(*vector.resources);
}

std::uint32_t WorkClasses::shapeFor(const Resources& resources, bool oneCore, std::uint32_t gate,
                                    const Where* where) {
    if (const auto it = shapeIndex_.find({resources, oneCore, gate, where}); it != shapeIndex_.end())
        return it->second;
    Resources bucket = resources;
    // What is most frequent is never rounded.
    if (shapes_.size() >= kExactShapes && !oneCore && gate == kNone) {
        bucket.milliCores = roundUpCores(bucket.milliCores);
        bucket.memoryMb = roundUp(bucket.memoryMb);
        bucket.gpuMemoryMb = roundUp(bucket.gpuMemoryMb);
        for (auto& [name, amount] : bucket.named) amount = roundUpPieces(amount);
        // A bucket larger than the machine would never start what the machine can hold.
        if (!capacity_.everFits({bucket, slotsOf(oneCore), where})) bucket = resources;
    }
    const auto [it, made] =
        shapeIndex_.try_emplace({bucket, oneCore, gate, where}, static_cast<std::uint32_t>(shapes_.size()));
    if (made) shapes_.push_back({.resources = bucket, .oneCore = oneCore, .gate = gate, .where = where});
    return it->second;
}

void WorkClasses::define(ClassId id, const Resources& resources, std::uint32_t locks, std::optional<GateId> gate,
                         const RetryLimits& limits, const Where& where) {
    while (classes_.size() <= id.value) classes_.push({});
    const std::uint32_t place = gate ? gate->value : kNone;
    if (gate && gates_.size() <= place) gates_.resize(place + 1);
    // What claims a lock waits in no slot behind something else: it would hold the lock while it does.
    const bool oneCore = isExactlyOneCore(resources) && locks == LockTable::kNoLocks;
    const Where* only = where.isAnywhere() ? nullptr : &*places_.insert(where).first;
    Resources own = resources;
    if (gate) own.milliCores = own.memoryMb = 0; // its process has them, for all that it serves
    classes_[id.value] = {.shape = shapeFor(own, oneCore, place, only),
                          .vector = vectorFor(resources),
                          .locks = locks,
                          .limits = limits};
}

// -- gates

void WorkClasses::setGate(GateId gate, int most) {
    if (gates_.size() <= gate.value) gates_.resize(gate.value + 1);
    gates_[gate.value].most = most;
}

bool WorkClasses::countGate(std::uint32_t cls, int by) {
    if (!isGated(cls)) return false;
    gates_[gateOf(cls)].out += by;
    return true;
}

std::size_t WorkClasses::memoryBytes() const {
    return classes_.memoryBytes() + vectors_.size() * (sizeof(Vector) + 160) + shapes_.size() * sizeof(Shape);
}

} // namespace yard::session
