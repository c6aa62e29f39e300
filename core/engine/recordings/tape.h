// One recording while it is written: actions with their workers and chunks, from the content store into the file.
//
// Owner: one thread at a time; every call blocks. Lifetime: the content store outlives it. Errors end it, and are
// sentences for people.
#pragma once

#include "core/base/clock.h"
#include "core/model/result.h"
#include "core/recording/recording_writer.h"
#include "core/store/chunk_store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace yard::engine {

/// An action that ended, and what it was asked to do.
struct TapeItem {
    ActionResult result;
    std::string action;                        ///< JSON; empty: not kept any more
    std::shared_ptr<const std::string> worker; ///< canonical descriptor; null: an exec, or not registered any more
};

class Tape {
public:
    struct Stand {
        std::int64_t actions = 0;
        std::int64_t failed = 0; ///< of these
        std::int64_t workers = 0;
        std::int64_t chunks = 0;
        std::int64_t chunkBytes = 0;
        std::uint64_t bytes = 0;
        std::int64_t missed = 0;
        std::int64_t gone = 0;
        recording::RecordedSpan span;
        bool isUncommitted = false; ///< something of it is not in the file yet
    };
    struct Parts {
        store::ChunkStore& chunks;
        std::function<std::uint64_t()> freeBytes; ///< of the disk that the file is on
        std::uint64_t leave = 0;                  ///< so many stay free
    };
    static Result<std::unique_ptr<Tape>> begin(const std::string& path, recording::RecordingHead head,
                                               std::uint64_t maxBytes, Parts parts);

    /// `missed`: of those that were to be written, so many were not there any more. What of them cannot be written is
    /// counted, and so are those that are left when `stop` says so. After a second what was written is in the file. AtLimit, NoSpace, Io.
    Result<Stand> write(std::vector<TapeItem> items, std::int64_t missed, const std::stop_token& stop);
    /// What was written is in the file, unless somebody reads it: then `isUncommitted` says so.
    Result<Stand> commit();
    Result<Stand> end(recording::RecordingState state, const std::string& why, WallMicros now);

private:
    Tape(recording::RecordingWriter writer, recording::RecordingHead head, Parts parts)
        : writer_(std::move(writer))
        , head_(std::move(head))
        , parts_(std::move(parts)) {}
    Result<void> hasRoom() const;
    Result<void> writeOne(TapeItem& item);
    Result<void> writeWorker(const TapeItem& item);
    Result<void> writeInputs(std::string& action);
    Result<void> writeLeft(const AttemptOutcome& outcome);
    Result<void> writeChunk(const Hash256& hash);
    Stand stand() const;

    recording::RecordingWriter writer_;
    recording::RecordingHead head_;
    Parts parts_;
    Stand stand_;
    std::stop_token stop_; ///< of the write that goes on
    MonoTime committed_ = MonoClock::now();
};

} // namespace yard::engine
