// The worker of a guest: its descriptor, which came as the chunk that its id is the hash of, held against the action, what
// the yard said of it, and this machine. The other side may send anything. Pure functions; any thread.
#pragma once

#include "core/base/hash.h"
#include "core/guests/guest_vetting.h"
#include "core/model/worker.h"

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yard::guests {

/// What a descriptor is held against.
struct WorkerTerms {
    Hash256 id;
    SpecPtr spec;
    Resources needs; ///< GuestAttempt::needs
    GuestLimits limits;
};

/// The descriptor; else why this machine does not take it, for people: one sentence without a stop at its end.
std::expected<std::shared_ptr<const WorkerDescriptor>, std::string> vetWorker(std::string_view text,
                                                                              const WorkerTerms& terms);
/// Their hashes, sorted, each once.
std::vector<Hash256> filesOf(const WorkerDescriptor& worker);

} // namespace yard::guests
