// The part of Workspaces that keeps what attempts of the last engine had written, as far as their launcher brought it to
// the disk.
#include "core/engine/running/workspaces.h"

#include "core/engine/running/collector.h"
#include "core/lease/left_stream.h"

#include <unistd.h>

namespace yard::engine {

using runners::AttemptId;

namespace {

Collection keepLeft(Collector::Parts parts, const std::string& directory, AttemptId id, std::uint64_t limit,
                    AttemptOutcome outcome) {
    auto out = runners::takeLeftStream(directory + runners::streamName(id, runners::Stream::Out), limit);
    auto err = runners::takeLeftStream(directory + runners::streamName(id, runners::Stream::Err), limit);
    const bool hasOut = out.has_value();
    const bool hasErr = err.has_value();
    outcome.outTruncated = hasOut && out->truncated;
    outcome.errTruncated = hasErr && err->truncated;
    parts.ended.times.running = MonoClock::now(); // it had begun
    if (out) parts.ended.out = std::move(*out);
    if (err) parts.ended.err = std::move(*err);
    Collector collector(std::move(parts), std::move(outcome));
    collector.begin();
    while (!collector.isDone()) collector.goOn();
    Collection made = std::move(collector.result());
    // What is not there says more than an empty stream.
    if (!hasOut) made.outcome.out.reset();
    if (!hasErr) made.outcome.err.reset();
    return made;
}

} // namespace

coro::Task<void> Workspaces::keepLeftStreams(std::string directory) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<AttemptId> left;
    for (auto& [id, attempt] : parts_.attempts) {
        if (attempt.record.outcome.out) continue; // of a warm worker
        attempt.collected = MonoClock::now();
        left.push_back(id);
    }
    for (const AttemptId id : left) {
        const Attempt* before = parts_.attempts.get(id);
        if (!before) continue;
        Collector::Parts parts;
        parts.chunks = chunks_;
        parts.claims = &parts_.claims;
        const auto limit = static_cast<std::uint64_t>(parts_.settings.streamBytes);
        auto made = co_await parts_.helpers.run(
            [parts = std::move(parts), directory, id, limit, outcome = before->record.outcome]() mutable {
                return keepLeft(std::move(parts), directory, id, limit, std::move(outcome));
            });
        Attempt* attempt = parts_.attempts.get(id);
        if (!attempt) continue;
        attempt->record.outcome = std::move(made.outcome);
        attempt->chunks = std::move(made.chunks);
    }
}

} // namespace yard::engine
