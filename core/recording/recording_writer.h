// Writes a recording (docs/recordings.md): actions in groups, each of which is in the file or is not. A kill leaves the
// groups before, which the next one who opens it finds.
//
// Owner: one thread; every call blocks on the disk. Lifetime: what it is given lives as long as the call. After an error
// other than AtLimit nothing more can be written but finish(); what was committed stays.
#pragma once

#include "core/recording/recorded_action.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace yard::recording {

class RecordingWriter {
public:
    /// The next bytes of a chunk, up to so many; empty at its end.
    using Source = std::function<Result<std::string>(std::size_t atMost)>;

    /// A new file, which must not be there. `maxBytes`: of the file, roughly. Of one of the past each commit writes the span
    /// of its actions, as far as there are any, over what the head says.
    static Result<RecordingWriter> create(const std::string& path, const RecordingHead& head,
                                          std::uint64_t maxBytes);
    /// One that was left Running: what was begun in it is undone, and it becomes Interrupted; one of the past
    /// keeps the end it has. What is no recording stays as it is: Malformed.
    static Result<void> recover(const std::string& path, WallMicros ended);
    /// Of a recording that nobody writes.
    static Result<void> setNote(const std::string& path, std::string_view note);
    RecordingWriter(RecordingWriter&&) noexcept;
    RecordingWriter& operator=(RecordingWriter&&) noexcept;
    ~RecordingWriter();

    /// Once, before the first action that names it. `canonical`: its descriptor as it was hashed.
    Result<void> addWorker(const Hash256& id, std::string_view canonical);
    bool hasWorker(const Hash256& id);
    bool hasChunk(const Hash256& hash);
    /// AtLimit: it would be more than `maxBytes`, and nothing of it was written. Malformed: its bytes are not those of its
    /// hash and size.
    Result<void> addChunk(const ChunkRef& chunk, const Source& source);
    /// `action.n` means nothing. Malformed, TooLarge: of this one. AtLimit. WrongState: it is there already.
    Result<void> add(const RecordedAction& action);
    /// All that was added is in the file afterwards, unless somebody reads it for longer than a second: then it is once the
    /// next commit() is through (isUncommitted()). With the counts of the head as they are now.
    Result<void> commit(std::int64_t missed, std::int64_t gone);
    bool isUncommitted() const;
    /// The same, and it is over. Io: somebody reads it for longer than ten seconds.
    Result<void> finish(const RecordingHead& head);

    std::int64_t actions() const;
    RecordedSpan span() const;
    /// Of the file, what was not committed roughly.
    std::uint64_t bytes() const;

private:
    struct Impl;
    explicit RecordingWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::recording
