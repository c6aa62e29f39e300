// Reads a recording (docs/recordings.md), whoever made it: nothing of the file is believed that was not looked at. Memory
// is that of one frame, whatever the file says.
//
// Owner: one thread; every call blocks on the disk. Malformed: it is no recording, damaged, or says what is not so.
// NotImplemented: of a format that this version does not know.
#pragma once

#include "core/recording/recorded_action.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::recording {

struct RecordingCounts {
    std::int64_t actions = 0;
    std::int64_t failed = 0; ///< of these
    std::int64_t workers = 0;
    std::int64_t chunks = 0;
    std::int64_t chunkBytes = 0; ///< uncompressed
};

class RecordingReader {
public:
    /// Looks at what kind of file it is, and not at what is in it.
    static Result<RecordingReader> open(const std::string& path);
    RecordingReader(RecordingReader&&) noexcept;
    RecordingReader& operator=(RecordingReader&&) noexcept;
    ~RecordingReader();

    Result<RecordingHead> head();
    Result<RecordingCounts> counts();
    /// All of it: pages, frames, hashes, sizes, paths, descriptors. NotAccepting once `goOn` says no.
    Result<void> check(const std::function<bool()>& goOn);
    /// Behind number `n`, at most so many, and no more than one beyond kPageBytes.
    static constexpr std::size_t kPageBytes = 4u << 20;
    Result<std::vector<RecordedAction>> actions(std::int64_t n, std::size_t most);
    /// Its canonical descriptor; nothing: it has none of this id.
    Result<std::optional<std::string>> worker(const Hash256& id);
    Result<std::vector<Hash256>> workers();
    Result<bool> hasChunk(const Hash256& hash);
    /// NotFound. The hash is not looked at: who keeps the bytes does.
    Result<void> chunk(const Hash256& hash, const std::function<Result<void>(std::string_view)>& sink);

private:
    struct Impl;
    explicit RecordingReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::recording
