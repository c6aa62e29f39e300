// What a yard sends is held against what this machine gives, before anything is fetched or made for it. The other
// side may send anything. Pure functions; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/link/bodies.h"
#include "core/model/action_spec.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace yard::guests {

/// What this machine gives to guests of all yards together. The default gives nothing.
struct GuestLimits {
    std::int64_t milliCores = 0;
    std::int64_t memoryMb = 0;
    std::uint64_t storeBytes = 0; ///< of inputs that are kept
    bool unsandboxed = false;     ///< runs commands without a sandbox, too
};

/// One attempt as it is to be run here.
struct GuestAttempt {
    link::AttemptRef id;
    SpecPtr spec;                    ///< not its array, nor what of it is the yard's: locks, dependencies
    std::optional<Hash256> worker{}; ///< its id, by which its descriptor is a chunk; absent: a command
    Duration deadline{};             ///< 0: none
    Duration grace{};                ///< of a teardown; the end of its lease allows less
    Resources needs;                 ///< the larger of what the yard says and what its action says
    std::vector<Hash256>
        inputs;        ///< all chunks that it needs, sorted, each once; files of its worker once they are known
    bool once = false; ///< may not begin a second time
};

/// The attempt; else why this machine does not take it, for people: one sentence without a stop at its end.
std::expected<GuestAttempt, std::string> vet(const link::Lease& lease, const GuestLimits& limits);

/// Text for a field that has to be one plain line: well-formed, without control characters, at most `limit` bytes.
std::string plainLine(std::string_view text, std::size_t limit);

} // namespace yard::guests
