// What lets pilots in that allocators asked another system for (docs/machines.md): each has a secret of its own, and comes
// back with the key that it showed beside it. And where pilots find this engine.
//
// Thread-safe: made and forgotten on the engine thread, shown on the http thread. Lifetime: as the engine. Bound: who
// makes them has a limit of pilots. Of secrets and keys the hashes alone are here.
#pragma once

#include "core/base/hash.h"
#include "core/base/thread_mutex.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace yard::engine {

class PilotTickets {
public:
    static constexpr std::size_t kSecretBytes = 24;

    struct Place {
        std::string url;         ///< of all addresses of this machine: by its name
        std::string fingerprint; ///< empty: it serves no TLS
    };
    void publish(Place place);
    /// Nothing: the engine serves nobody yet.
    std::optional<Place> place() const;

    /// A new secret of this pilot; an earlier one of it opens nothing any more.
    std::string make(const std::string& pilot);
    struct Kept {
        Hash256 secret;
        std::optional<Hash256> key; ///< that it showed
    };
    void restore(const std::string& pilot, const Kept& kept);
    std::optional<Kept> of(const std::string& pilot) const;
    void forget(const std::string& pilot);

    /// It is the secret or the key of a pilot.
    bool knows(const Hash256& bearer) const;
    /// A pilot comes with its secret and the hash of a key that it wants to come back with, or with that key: whose hash
    /// says who it is from then on. Nothing: it is none.
    std::optional<Hash256> enter(const Hash256& bearer, const std::optional<Hash256>& ownKey);

private:
    std::map<std::string, Kept>::const_iterator find(const Hash256& bearer) const YARD_REQUIRES(mutex_);

    mutable ThreadMutex mutex_;
    std::map<std::string, Kept> pilots_ YARD_GUARDED_BY(mutex_);
    std::optional<Place> place_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::engine
