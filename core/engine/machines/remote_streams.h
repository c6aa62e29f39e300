// What attempts on other machines print while somebody follows them, in files here, so that it is read as that of this
// machine. The whole comes with the end, into the store; until then what did not arrive is blank.
//
// Owner: engine thread; files are written by helpers. Lifetime: as Machines. Bounds: kMostStreams files of kMostBytes each, kMostInAll together;
// kMostWaiting bytes of one stream wait to be written. What is over that is not told, nor what follows a gap of more than
// kMostGap: who follows sees it once it has ended.
#pragma once

#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/machines/chunk_intake.h"
#include "core/lease/runner.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class RemoteStreams {
public:
    static constexpr std::size_t kMostStreams = 2'000;
    static constexpr std::uint64_t kMostBytes = 64u << 20;
    static constexpr std::uint64_t kMostInAll = 1u << 30;
    static constexpr std::uint64_t kMostGap = 1u << 20;
    static constexpr std::size_t kMostWaiting = 1u << 20;

    struct Parts {
        std::string directory; ///< its own; what an engine before this one left there goes
        coro::HelperPool& helpers;
        ChunkIntake::Spawn spawn;
        std::function<bool(runners::AttemptId)> isThere; ///< it has not ended
        std::function<void(runners::AttemptId, runners::StreamAt)> grown;
    };
    explicit RemoteStreams(Parts parts)
        : parts_(std::move(parts)) {}

    /// Bytes of a stream from `offset` on; the machine may say anything.
    void came(runners::AttemptId id, runners::Stream stream, std::uint64_t offset, std::string bytes);
    /// Up to here it came; 0: nothing so far.
    std::uint64_t has(runners::AttemptId id, runners::Stream stream) const;
    /// First of all: what an engine before this one left goes.
    coro::Task<void> clean();
    /// Now and then: files of what has ended go.
    void sweep();

private:
    struct Piece {
        std::uint64_t offset = 0;
        std::string bytes;
    };
    struct File {
        std::string path;
        std::uint64_t end = 0;  ///< that came
        std::uint64_t size = 0; ///< that can be read
        std::vector<Piece> waiting{};
        std::size_t waitingBytes = 0;
        std::uint64_t taken = 0; ///< of kMostInAll
        bool isWriting = false;
        bool isOver = false; ///< the file takes no more: a limit, or a write that failed
    };
    using Key = std::pair<runners::AttemptId, runners::Stream>;
    void tell(const Key& key, const File& file);
    coro::Task<void> write(Key key, std::shared_ptr<File> file);

    Parts parts_;
    std::map<Key, std::shared_ptr<File>> files_;
    std::uint64_t inAll_ = 0;
    bool isCleaning_ = false;
    coro::Event isClean_;
};

} // namespace yard::engine
