// Answers whose bytes come from a chunk or from a file that grows. They read on helpers; the http thread only
// passes pieces on, and only as fast as the client takes them. Owner: the http thread. Lifetime: pool, engine and
// link outlive them; they hold what they read from.
#pragma once

#include "core/base/kept_stream.h"
#include "core/base/memory_ledger.h"
#include "core/base/unique_fd.h"
#include "core/coro/helper_pool.h"
#include "core/engine/engine.h"
#include "core/http/message.h"
#include "core/store/chunk_store.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace yard::http {

/// Bytes read at once.
inline constexpr std::size_t kReadPiece = 256 * 1024;

/// An object whose destructor blocks: it ends on a helper.
template<class T>
std::shared_ptr<T> endedByHelper(coro::HelperPool& pool, T object) {
    return std::shared_ptr<T>(new T(std::move(object)), [&pool](T* last) {
        if (!pool.post([last] { delete last; })) delete last;
    });
}

/// A chunk being read, by helpers only, one at a time.
class ChunkSource {
public:
    ChunkSource(coro::HelperPool& pool, store::ChunkReader reader)
        : pool_(pool)
        , reader_(endedByHelper(pool, std::move(reader))) {}
    /// Empty at the end.
    coro::Task<Result<std::string>> read(std::size_t atMost);

private:
    coro::HelperPool& pool_;
    std::shared_ptr<store::ChunkReader> reader_;
};

/// Opens a chunk at `offset`. `verify` only from its beginning to its end.
coro::Task<Result<ChunkSource>> openChunk(coro::HelperPool& pool, store::ChunkStore& chunks, Hash256 hash,
                                          std::uint64_t offset, bool verify);

/// `length` bytes of a chunk.
class ChunkProducer final : public BodyProducer {
public:
    ChunkProducer(ChunkSource source, std::uint64_t length)
        : source_(std::move(source))
        , left_(length) {}
    coro::Task<Result<std::string_view>> next() override;

private:
    ChunkSource source_;
    std::uint64_t left_;
    std::string piece_;
    ChargedBytes held_{MemoryOwner::Outputs};
};

/// A file that grows, from a helper's point of view: it stays readable when it is renamed.
class LiveFile {
public:
    /// NotFound when it has been renamed meanwhile.
    static coro::Task<Result<LiveFile>> open(coro::HelperPool& pool, std::string path);
    /// What was written from `offset` on, under this limit of the stream.
    coro::Task<Result<StreamPiece>> readFrom(std::uint64_t offset, std::uint64_t limit, bool isAtRest);
    /// A piece of what was kept when it was looked at: Io when that is gone meanwhile.
    coro::Task<Result<std::string>> readKept(const KeptStream& kept, std::uint64_t offset, std::uint64_t limit);
    coro::Task<std::uint64_t> size();

private:
    LiveFile(coro::HelperPool& pool, std::shared_ptr<UniqueFd> fd)
        : pool_(&pool)
        , fd_(std::move(fd)) {}
    coro::HelperPool* pool_;
    std::shared_ptr<UniqueFd> fd_;
};

/// What was kept of an output when it was looked at, of one that may still grow; or the last bytes of that.
class LiveProducer final : public BodyProducer {
public:
    LiveProducer(LiveFile file, std::uint64_t written, std::uint64_t limit, std::uint64_t last)
        : file_(std::move(file))
        , kept_(written, gapOf(written, limit))
        , limit_(limit)
        , offset_(kept_.size() - std::min(kept_.size(), last)) {}
    /// Of what is left to be given.
    std::uint64_t length() const { return kept_.size() - offset_; }
    coro::Task<Result<std::string_view>> next() override;

private:
    LiveFile file_;
    const KeptStream kept_;
    const std::uint64_t limit_;
    std::uint64_t offset_;
    std::string piece_;
    ChargedBytes held_{MemoryOwner::Outputs};
};

/// One output stream of an action as it comes, until its attempt ends; of the attempts that follow as well when
/// none was named. Ends at once when the server stops or the client has left.
class FollowProducer final : public BodyProducer {
public:
    /// `source`: where the stream is now. `attempt`: the one asked for; 0: the last, and those after it. `last`: of what
    /// there is now only so many bytes, behind a line of how many come before.
    FollowProducer(engine::Engine& engine, coro::HelperPool& pool, Link& link, Lsn lsn, engine::Stream stream,
                   engine::StreamSource source, std::uint32_t attempt, std::optional<std::uint64_t> last);
    coro::Task<Result<std::string_view>> next() override;

private:
    enum class Step : unsigned char { Again, Piece, End };
    coro::Task<Result<Step>> step();
    coro::Task<Result<Step>> passOver();
    coro::Task<Result<void>> openLive();
    coro::Task<Result<Step>> readChunk();
    coro::Task<Result<Step>> readLive();
    coro::Task<Result<bool>> standsStill();
    coro::Task<Result<engine::StreamProgress>> awaitMore();
    coro::Task<Result<Step>> waitForMore();
    coro::Task<Result<Step>> reopen();

    engine::Engine& engine_;
    coro::HelperPool& pool_;
    Link& link_;
    const Lsn lsn_;
    const engine::Stream stream_;
    const bool allAttempts_;
    engine::StreamSource source_;
    std::uint32_t attempt_; ///< 0: none has begun
    std::optional<std::uint64_t> last_;
    std::optional<ChunkSource> chunk_;
    std::optional<LiveFile> file_;
    std::uint64_t offset_ = 0; ///< bytes given of this attempt
    bool hasEnded_ = false;    ///< the live file has all that will be in it
    bool isGiven_ = false;     ///< the whole attempt was given, from its live file
    std::string piece_;
    ChargedBytes held_{MemoryOwner::Outputs};
};

} // namespace yard::http
