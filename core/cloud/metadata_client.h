// Asks a metadata service over plain HTTP, one connection for each question: they are few, and a service on this very
// machine's network answers within a millisecond.
//
// Owner: the loop's OS thread. Lifetime: until its last ask() has returned. Bounds: kMaxAnswer, and the time given.
#pragma once

#include "core/cloud/metadata.h"
#include "core/coro/task.h"

#include <cstdint>
#include <string>

namespace yard::cloud {

struct Place {
    std::string address = "169.254.169.254"; ///< link-local: never asked but where somebody switched it on
    std::uint16_t port = 80;
};

class MetadataClient {
public:
    /// Longer answers are Malformed.
    static constexpr std::size_t kMaxAnswer = 256U << 10;

    explicit MetadataClient(Place place)
        : place_(std::move(place)) {}

    /// Io: nobody answers, or not within `limit`. Malformed: what answers is no HTTP, or too long.
    coro::Task<Result<Answer>> ask(Request request, Duration limit);

private:
    coro::Task<Result<Answer>> exchange(const Request& request);

    Place place_;
};

} // namespace yard::cloud
