// The attempts in flight, by their id; of each action the newest is known. The classes that have a part in an attempt
// share it: Execution adds and erases, Workspaces, SlotBalancer and AttemptMonitor change what is theirs.
//
// Owner: engine thread. Lifetime: before all of those, and outlives them. Invariants: an id is added once; pointers
// hold until their attempt is erased. Bound: what the session hands out (SessionOptions::maxOutstanding), and as many
// ended ones that wait for the journal as the rings of `slots` hold.
#pragma once

#include "core/base/owner.h"
#include "core/engine/running/attempt.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace yard::engine {

class AttemptTable {
public:
    Attempt& add(runners::AttemptId id) {
        YARD_ASSERT_OWNER(owner_);
        Attempt& attempt = attempts_[id];
        assert(attempt.id.lsn.value == 0 && "an attempt is begun once");
        attempt.id = id;
        attempt.record.n = id.attempt;
        latest_[id.lsn] = id.attempt;
        return attempt;
    }
    void erase(runners::AttemptId id) {
        YARD_ASSERT_OWNER(owner_);
        attempts_.erase(id);
        if (const auto at = latest_.find(id.lsn); at != latest_.end() && at->second == id.attempt)
            latest_.erase(at);
    }

    Attempt* get(runners::AttemptId id) {
        const auto at = attempts_.find(id);
        return at == attempts_.end() ? nullptr : &at->second;
    }
    const Attempt* get(runners::AttemptId id) const { return const_cast<AttemptTable*>(this)->get(id); }
    /// The newest of the action, null when none is in flight.
    Attempt* latest(Lsn lsn) {
        const auto number = latest_.find(lsn);
        return number == latest_.end() ? nullptr : get({lsn, number->second});
    }
    const Attempt* latest(Lsn lsn) const { return const_cast<AttemptTable*>(this)->latest(lsn); }

    std::size_t size() const { return attempts_.size(); }
    auto begin() { return attempts_.begin(); }
    auto end() { return attempts_.end(); }
    auto begin() const { return attempts_.begin(); }
    auto end() const { return attempts_.end(); }

    /// Its program has begun, as far as is known.
    bool hasBegun(runners::AttemptId id) const {
        const Attempt* attempt = get(id);
        return attempt && attempt->runningSince != MonoTime{};
    }
    /// Those that were handed out and have not.
    std::vector<Lsn> notBegun() const {
        std::vector<Lsn> all;
        for (const auto& [id, attempt] : attempts_)
            if (attempt.runningSince == MonoTime{}) all.push_back(id.lsn);
        return all;
    }
    /// When the first of those began to be collected that the journal does not have yet.
    std::optional<MonoTime> oldestCollection() const {
        std::optional<MonoTime> oldest;
        for (const auto& [id, attempt] : attempts_)
            if (attempt.collected != MonoTime{} && !attempt.stored && (!oldest || attempt.collected < *oldest))
                oldest = attempt.collected;
        return oldest;
    }

private:
    std::unordered_map<runners::AttemptId, Attempt> attempts_;
    std::unordered_map<Lsn, std::uint32_t> latest_; ///< number of the newest
    OwnerCheck owner_;
};

} // namespace yard::engine
