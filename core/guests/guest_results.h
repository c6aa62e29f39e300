// What one yard may read here by hash: what results of its own name. And which of it goes out right now.
//
// Owner: the desk, on the engine thread. Invariant: a chunk goes out once at a time over a connection.
#pragma once

#include "core/guests/desk_out.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace yard::guests {

class GuestResults {
public:
    void add(const std::vector<Hash256>& hashes) {
        for (const Hash256& hash : hashes) ++named_[hash];
    }
    /// Requires: an add() of the same.
    void remove(const std::vector<Hash256>& hashes) {
        for (const Hash256& hash : hashes)
            if (const auto named = named_.find(hash); --named->second == 0) named_.erase(named);
    }
    /// What is not of a result of this yard's is passed over: it may have settled it meanwhile, or look for what others
    /// keep here.
    void serve(const link::Need& need, std::uint64_t id, DeskOut& out) {
        for (const Hash256& hash : need.hashes)
            if (named_.contains(hash) && serving_.try_emplace(hash, last_ + 1).second)
                out.serves.push_back({.id = id, .hash = hash, .number = ++last_});
    }
    void served(const DeskOut::Serve& serve) {
        const auto found = serving_.find(serve.hash);
        if (found != serving_.end() && found->second == serve.number) serving_.erase(found);
    }
    void linkGone() { serving_.clear(); }

private:
    std::unordered_map<Hash256, std::size_t> named_;
    std::unordered_map<Hash256, std::uint64_t> serving_; ///< by number
    std::uint64_t last_ = 0;
};

} // namespace yard::guests
