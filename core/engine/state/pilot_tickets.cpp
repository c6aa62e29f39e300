#include "core/engine/state/pilot_tickets.h"

#include <algorithm>
#include <array>
#include <unistd.h>
#include <utility>

namespace yard::engine {

/// Where it listens on all addresses none of them is said; other machines know this one by its name.
static std::string reachable(std::string url) {
    constexpr std::string_view kBefore = "://";
    for (const std::string_view any : {"0.0.0.0:", "[::]:"}) {
        const std::size_t at = url.find(kBefore);
        if (at == url.npos || !std::string_view(url).substr(at + kBefore.size()).starts_with(any)) continue;
        std::array<char, 256> name{};
        if (::gethostname(name.data(), name.size() - 1) != 0 || name.front() == 0) return url;
        return url.replace(at + kBefore.size(), any.size() - 1, name.data());
    }
    return url;
}

void PilotTickets::publish(Place place) {
    place.url = reachable(std::move(place.url));
    const ThreadLock lock(mutex_);
    place_ = std::move(place);
}

std::optional<PilotTickets::Place> PilotTickets::place() const {
    const ThreadLock lock(mutex_);
    return place_;
}

std::string PilotTickets::make(const std::string& pilot) {
    std::string secret = randomHex(kSecretBytes);
    const ThreadLock lock(mutex_);
    pilots_[pilot] = {.secret = Sha256::of(secret), .key = std::nullopt};
    return secret;
}

void PilotTickets::restore(const std::string& pilot, const Kept& kept) {
    const ThreadLock lock(mutex_);
    pilots_[pilot] = kept;
}

std::optional<PilotTickets::Kept> PilotTickets::of(const std::string& pilot) const {
    const ThreadLock lock(mutex_);
    const auto found = pilots_.find(pilot);
    return found == pilots_.end() ? std::nullopt : std::optional(found->second);
}

void PilotTickets::forget(const std::string& pilot) {
    const ThreadLock lock(mutex_);
    pilots_.erase(pilot);
}

/// What is looked up are hashes: how long it takes says nothing of a secret.
std::map<std::string, PilotTickets::Kept>::const_iterator PilotTickets::find(const Hash256& bearer) const {
    return std::ranges::find_if(
        pilots_, [&](const auto& entry) { return entry.second.secret == bearer || entry.second.key == bearer; });
}

bool PilotTickets::knows(const Hash256& bearer) const {
    const ThreadLock lock(mutex_);
    return find(bearer) != pilots_.end();
}

std::optional<Hash256> PilotTickets::enter(const Hash256& bearer, const std::optional<Hash256>& ownKey) {
    const ThreadLock lock(mutex_);
    const auto found = find(bearer);
    if (found == pilots_.end()) return std::nullopt;
    if (found->second.key == bearer) return bearer;
    // A job that the other system began again has another directory, and another key.
    if (ownKey) pilots_[found->first].key = ownKey;
    return ownKey;
}

} // namespace yard::engine
