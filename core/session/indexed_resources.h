// The resources of this machine whose pieces have names, and who has which: ports, displays, GPUs. What is only counted is
// the capacity's (capacity.h); this says beside it which pieces are free.
//
// Owner: engine thread. Lifetime: in the IndexedCapacity. Invariant: what a key took it gives back with the same key, once.
#pragma once

#include "core/model/action_spec.h"
#include "core/model/given_resources.h"
#include "core/session/index_pool.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::session {

/// Names of the pieces by resource, in their order.
using ResourceNames = std::map<std::string, std::vector<std::string>, std::less<>>;

class IndexedResources {
public:
    /// Who has pieces: an attempt by its record, or a hold by its key.
    struct Holder {
        bool isHold = false;
        std::uint64_t key = 0;
        friend auto operator<=>(const Holder&, const Holder&) = default;
    };

    /// `gpuMemory`: of each piece of "gpus", MiB; empty: not known, and nobody gets any.
    explicit IndexedResources(ResourceNames names, std::vector<std::int64_t> gpuMemory = {});
    IndexedResources(const IndexedResources&) = delete;
    IndexedResources& operator=(const IndexedResources&) = delete;
    ResourceNames names() const;
    std::vector<std::int64_t> gpuMemory() const;

    bool fits(const Resources& need) const;
    /// Each amount is one that pieces can make: more than one is whole.
    bool isAmount(const Resources& need) const;
    /// And there are so many.
    bool everFits(const Resources& need) const;
    /// `reserved` finds pieces now, and would still beside `need`, where both ask for the same.
    bool leaves(const Resources& need, const Resources& reserved) const;
    /// How many of it fit at once, at most `most`.
    unsigned room(const Resources& need, unsigned most) const;
    struct Fitting {
        std::size_t pieces = 0;   ///< that could serve it now, in part or whole
        std::size_t all = 0;      ///< that are not lost
        bool isAmount = true;     ///< pieces can make what is asked for
        std::int64_t memory = 0;  ///< MiB that it asks of each
        bool lacksMemory = false; ///< it has not enough of them, and would have were it not for the memory
        bool isTooLarge = false;  ///< there are not enough with so much memory
    };
    /// What `need` finds of one resource; nothing: that is not indexed.
    std::optional<Fitting> fitting(std::string_view resource, const Resources& need) const;
    /// Thousandths that nobody has, of pieces that are not lost; nothing: that is not indexed.
    std::optional<std::int64_t> free(std::string_view resource) const;

    /// Of what fits. What asks for nothing indexed takes nothing, and has no entry.
    void take(Holder holder, const Resources& need);
    void give(Holder holder);
    /// The same pieces that it has in `other`, which has the same names. They are free here.
    void takeAs(Holder holder, const IndexedResources& other);
    /// The names that it has.
    GivenResources given(Holder holder) const;
    /// A piece that is gone is given to nobody any more, until it is back. Of none by that name nothing happens.
    void setLost(std::string_view resource, std::string_view name, bool isLost);

private:
    struct Pool {
        std::vector<std::string> names;
        IndexPool pieces;
    };
    using Pools = std::map<std::string, Pool, std::less<>>;
    struct Taken {
        Pools::value_type* of; ///< a resource and its pool, in pools_
        IndexPool::Ask ask;
        std::vector<IndexPool::Index> pieces;
    };
    /// Calls `each(pool, ask)` for what is indexed of it, until that answers false. True: it never did.
    template<class Each>
    bool forAll(const Resources& need, Each each) const;

    Pools pools_;
    std::map<Holder, std::vector<Taken>> held_;
};

} // namespace yard::session
