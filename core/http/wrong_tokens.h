// Counts wrong tokens by the address that they come from: who tries many waits for each answer. Owner: the http thread.
// Bounds: kMostAddresses; beyond them the one whose minute began first is forgotten.
#pragma once

#include "core/base/clock.h"
#include "core/base/log.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace yard::http {

class WrongTokens {
public:
    static constexpr int kFree = 9; ///< of a minute, that are answered at once
    static constexpr Duration kWindow = std::chrono::minutes(1);
    static constexpr Duration kDelay = std::chrono::seconds(1);
    static constexpr std::size_t kMostAddresses = 1'000;

    /// Notes one; how long its answer has to wait.
    Duration note(const std::string& address, MonoTime now) {
        auto at = sources_.find(address);
        if (at == sources_.end() && sources_.size() >= kMostAddresses) sources_.erase(oldest());
        if (at == sources_.end()) at = sources_.emplace(address, Source{.since = now}).first;
        Source& source = at->second;
        if (now - source.since >= kWindow) source = Source{.since = now};
        if (++source.count <= kFree) return Duration::zero();
        if (source.count == kFree + 1)
            logWarning("http", "{} wrong tokens within a minute from {}: its next ones wait", source.count,
                       address.empty() ? "an unknown address" : address);
        return kDelay;
    }

private:
    struct Source {
        MonoTime since{};
        int count = 0;
    };
    using Sources = std::map<std::string, Source>;
    Sources::iterator oldest() {
        return std::ranges::min_element(sources_, {}, [](const auto& entry) { return entry.second.since; });
    }
    Sources sources_;
};

} // namespace yard::http
