#include "core/http/file_producers.h"

#include "core/base/files.h"
#include "core/base/sentences.h"
#include "core/coro/suspend.h"
#include "core/engine/reading/action_details.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::http {

namespace {

/// Between an attempt's end and its stream's move into the store, when the engine says both at once.
constexpr Duration kSettle = std::chrono::milliseconds(10);

std::unexpected<Error> stopping() {
    return fail(ErrorKind::NotAccepting, kEngineIsStopping);
}

} // namespace

coro::Task<Result<std::string>> ChunkSource::read(std::size_t atMost) {
    auto job = [reader = reader_, atMost]() -> Result<std::string> {
        std::string bytes(atMost, '\0');
        const auto n = reader->read(bytes);
        if (!n) return std::unexpected(n.error());
        bytes.resize(*n);
        return bytes;
    };
    co_return co_await pool_.run(std::move(job));
}

coro::Task<Result<ChunkSource>> openChunk(coro::HelperPool& pool, store::ChunkStore& chunks, Hash256 hash,
                                          std::uint64_t offset, bool verify) {
    auto job = [&chunks, hash, offset, verify]() -> Result<store::ChunkReader> {
        auto reader = chunks.open(hash, verify);
        if (!reader || offset == 0) return reader;
        if (auto there = reader->seek(offset); !there) return std::unexpected(std::move(there.error()));
        return reader;
    };
    auto reader = co_await pool.run(std::move(job));
    if (!reader) co_return std::unexpected(std::move(reader.error()));
    co_return ChunkSource(pool, std::move(*reader));
}

coro::Task<Result<std::string_view>> ChunkProducer::next() {
    if (left_ == 0) co_return std::string_view{};
    auto bytes = co_await source_.read(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kReadPiece)));
    if (!bytes) co_return std::unexpected(std::move(bytes.error()));
    piece_ = std::move(*bytes);
    left_ -= piece_.size();
    held_.set(piece_.capacity());
    co_return std::string_view(piece_);
}

coro::Task<Result<LiveFile>> LiveFile::open(coro::HelperPool& pool, std::string path) {
    auto job = [path = std::move(path)]() -> Result<std::shared_ptr<UniqueFd>> {
        UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd && errno == ENOENT) return fail(ErrorKind::NotFound, "The output was moved meanwhile; ask again.");
        if (!fd) return failErrno("open an output", errno);
        return std::make_shared<UniqueFd>(std::move(fd));
    };
    auto fd = co_await pool.run(std::move(job));
    if (!fd) co_return std::unexpected(std::move(fd.error()));
    co_return LiveFile(pool, std::move(*fd));
}

coro::Task<Result<StreamPiece>> LiveFile::readFrom(std::uint64_t offset, std::uint64_t limit, bool isAtRest) {
    co_return co_await pool_->run([fd = fd_, offset, limit, isAtRest] {
        return readGrowing(fd->get(), offset, kReadPiece, limit, isAtRest);
    });
}

coro::Task<Result<std::string>> LiveFile::readKept(const KeptStream& kept, std::uint64_t offset,
                                                   std::uint64_t limit) {
    co_return co_await pool_->run(
        [fd = fd_, kept, offset, limit] { return kept.read(fd->get(), offset, kReadPiece, limit); });
}

coro::Task<std::uint64_t> LiveFile::size() {
    auto job = [fd = fd_]() -> std::uint64_t {
        struct stat info{};
        return ::fstat(fd->get(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
    };
    co_return co_await pool_->run(std::move(job));
}

coro::Task<Result<std::string_view>> LiveProducer::next() {
    if (offset_ == kept_.size()) co_return std::string_view{};
    auto bytes = co_await file_.readKept(kept_, offset_, limit_);
    if (!bytes) co_return std::unexpected(std::move(bytes.error()));
    piece_ = std::move(*bytes);
    offset_ += piece_.size();
    held_.set(piece_.capacity());
    co_return std::string_view(piece_);
}

// --- following

FollowProducer::FollowProducer(engine::Engine& engine, coro::HelperPool& pool, Link& link, Lsn lsn,
                               engine::Stream stream, engine::StreamSource source, std::uint32_t attempt,
                               std::optional<std::uint64_t> last)
    : engine_(engine)
    , pool_(pool)
    , link_(link)
    , lsn_(lsn)
    , stream_(stream)
    , allAttempts_(attempt == 0)
    , source_(std::move(source))
    , attempt_(source_.attempt != 0 ? source_.attempt : attempt)
    , last_(last) {}

coro::Task<Result<std::string_view>> FollowProducer::next() {
    for (;;) {
        auto done = co_await step();
        if (!done) co_return std::unexpected(std::move(done.error()));
        held_.set(piece_.capacity());
        if (*done == Step::Piece) co_return std::string_view(piece_);
        if (*done == Step::End) co_return std::string_view{};
    }
}

coro::Task<Result<FollowProducer::Step>> FollowProducer::step() {
    if (last_) {
        auto passed = co_await passOver();
        if (!passed || *passed == Step::Piece) co_return passed;
    }
    if (source_.chunk) co_return co_await readChunk();
    if (!source_.livePath.empty()) {
        auto read = co_await readLive();
        if (!read || *read == Step::Piece) co_return read;
    }
    co_return co_await waitForMore();
}

/// What comes before the last bytes of what there is: its line takes its place.
coro::Task<Result<FollowProducer::Step>> FollowProducer::passOver() {
    std::uint64_t size = source_.chunk ? source_.chunk->size : 0;
    if (!source_.chunk && !source_.livePath.empty()) {
        if (auto opened = co_await openLive(); !opened) co_return std::unexpected(std::move(opened.error()));
        if (!file_) co_return Step::Again; // it is in the store by now
        size = co_await file_->size();
    }
    const std::uint64_t last = *std::exchange(last_, std::nullopt);
    if (size <= last) co_return Step::Again;
    offset_ = size - last;
    piece_ = gapLine({0, offset_});
    co_return Step::Piece;
}

/// The attempt has ended: what was not given yet comes from the store.
coro::Task<Result<FollowProducer::Step>> FollowProducer::readChunk() {
    if (!isGiven_ && !chunk_ && offset_ < source_.chunk->size) {
        auto chunk = co_await openChunk(pool_, engine_.chunks(), source_.chunk->hash, offset_, false);
        if (!chunk) co_return std::unexpected(std::move(chunk.error()));
        chunk_.emplace(std::move(*chunk));
    }
    if (chunk_) {
        auto bytes = co_await chunk_->read(kReadPiece);
        if (!bytes) co_return std::unexpected(std::move(bytes.error()));
        piece_ = std::move(*bytes);
        offset_ += piece_.size();
        if (!piece_.empty()) co_return Step::Piece;
    }
    if (!source_.willRetry || !allAttempts_) co_return Step::End;
    attempt_ = source_.attempt + 1;
    offset_ = 0;
    hasEnded_ = isGiven_ = false;
    co_return co_await reopen();
}

/// Without a file: it was moved into the store.
coro::Task<Result<void>> FollowProducer::openLive() {
    if (file_) co_return Result<void>();
    auto file = co_await LiveFile::open(pool_, source_.livePath);
    if (!file && file.error().kind != ErrorKind::NotFound) co_return std::unexpected(std::move(file.error()));
    if (file) file_.emplace(std::move(*file));
    co_return Result<void>();
}

coro::Task<Result<FollowProducer::Step>> FollowProducer::readLive() {
    if (auto opened = co_await openLive(); !opened) co_return std::unexpected(std::move(opened.error()));
    if (!file_) co_return Step::Again;
    auto piece = co_await file_->readFrom(offset_, source_.limit, hasEnded_);
    if (piece && piece->isGap && !hasEnded_) {
        // Of a stream that has ended, or rests, nothing more than the setting says is left out.
        const auto isAtRest = co_await standsStill();
        if (!isAtRest) co_return std::unexpected(isAtRest.error());
        piece = co_await file_->readFrom(offset_, source_.limit, *isAtRest);
    }
    if (!piece) co_return std::unexpected(std::move(piece.error()));
    piece_ = std::move(piece->bytes);
    offset_ = piece->next;
    if (!piece_.empty()) co_return Step::Piece;
    // The store has it otherwise numbered when it was longer than what is kept: none of it is wanted from there.
    isGiven_ = hasEnded_ && !source_.isPart;
    co_return Step::Again;
}

coro::Task<Result<bool>> FollowProducer::standsStill() {
    const std::uint64_t size = co_await file_->size();
    const auto progress = co_await awaitMore();
    if (!progress) co_return std::unexpected(progress.error());
    hasEnded_ = progress->ended;
    if (hasEnded_) co_return true;
    co_await coro::sleepFor(kSettle);
    const std::uint64_t later = co_await file_->size();
    co_return later == size;
}

/// Until there is more than was given, or for a while.
coro::Task<Result<engine::StreamProgress>> FollowProducer::awaitMore() {
    Result<engine::StreamProgress> progress;
    bool stopped = link_.isStopping() || link_.peerGone();
    if (!stopped) {
        try {
            WaitScope scope(link_);
            progress = co_await engine_.ask(&engine::ActionDetails::awaitStream, lsn_, stream_, attempt_, offset_);
        } catch (const coro::Interrupted&) {
            if (!link_.isStopping()) throw;
            stopped = true;
        }
    }
    if (stopped) co_return stopping();
    co_return progress;
}

coro::Task<Result<FollowProducer::Step>> FollowProducer::waitForMore() {
    auto progress = co_await awaitMore();
    if (!progress) co_return std::unexpected(std::move(progress.error()));
    if (!progress->ended && !source_.livePath.empty()) co_return Step::Again;
    if (progress->ended && file_ && !std::exchange(hasEnded_, true)) co_return Step::Again; // what came since
    auto opened = co_await reopen();
    if (opened && progress->ended && !source_.chunk) co_await coro::sleepFor(kSettle);
    co_return opened;
}

coro::Task<Result<FollowProducer::Step>> FollowProducer::reopen() {
    Result<engine::StreamSource> source;
    bool stopped = link_.isStopping();
    if (!stopped) {
        try {
            WaitScope scope(link_);
            source = co_await engine_.ask(&engine::ActionDetails::openStream, lsn_, stream_, attempt_, true);
        } catch (const coro::Interrupted&) {
            if (!link_.isStopping()) throw;
            stopped = true;
        }
    }
    if (stopped) co_return stopping();
    // The attempt that was to come never came: the action was cancelled, or retired, before it.
    if (!source && source.error().kind == ErrorKind::NotFound && offset_ == 0) co_return Step::End;
    if (!source) co_return std::unexpected(std::move(source.error()));
    source_ = std::move(*source);
    if (source_.attempt != 0) attempt_ = source_.attempt;
    chunk_.reset();
    file_.reset();
    co_return Step::Again;
}

} // namespace yard::http
