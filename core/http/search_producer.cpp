#include "core/http/search_producer.h"

#include "core/base/sentences.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/listing.h"
#include "core/json/json_writer.h"
#include "core/model/action_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace yard::http {

namespace {

/// Without anything found it says so often how far it is.
constexpr Duration kSearchTells{1'000'000};
constexpr int kSearchPage = 200;
constexpr unsigned kStreams = 2;

/// What never ran has no output.
bool hasOutput(const ActionResult& action) {
    return action.state != ActionState::Pending || action.retryCount > 0;
}

/// One of its attempts began and was the end of it: there are streams as long as the action is there.
bool mustHaveOutput(const ActionResult& action) {
    return isEnded(action.state) && action.times[ActionState::Submitting] != 0;
}

/// Known to be empty without a look.
bool isEmptyStream(const ActionResult& action, unsigned stream) {
    if (!isEnded(action.state) || !action.outcome) return false;
    const auto& chunk = stream == 0 ? action.outcome->out : action.outcome->err;
    return chunk && chunk->size == 0;
}

std::string_view streamName(unsigned stream) {
    return stream == 0 ? "stdout" : "stderr";
}

struct SearchedPiece {
    std::vector<FoundLine> found;
    bool isMore = false;
};

} // namespace

SearchProducer::SearchProducer(engine::Engine& engine, coro::HelperPool& pool, Link& link, What what,
                               engine::ListQuery query, engine::ListPage first, int& searches)
    : engine_(engine)
    , pool_(pool)
    , link_(link)
    , what_(std::move(what))
    , query_(std::move(query))
    , searches_(searches)
    , page_(std::move(first.jobs))
    , isLastPage_(first.cursor.empty()) {
    query_.cursor = std::move(first.cursor);
    query_.limit = kSearchPage;
    ++searches_;
}

SearchProducer::~SearchProducer() {
    --searches_;
}

coro::Task<Result<std::string_view>> SearchProducer::next() {
    out_.clear();
    const MonoTime tells = MonoClock::now() + kSearchTells;
    while (out_.empty() && !isEnded_) {
        if (link_.isStopping() || link_.peerGone()) co_return fail(ErrorKind::NotAccepting, kEngineIsStopping);
        const auto done = co_await step();
        if (!done) co_return std::unexpected(done.error());
        if (out_.empty() && MonoClock::now() >= tells) writeState(false);
    }
    co_return std::string_view(out_);
}

/// One page of actions, one stream opened, or one piece of it read.
coro::Task<Result<void>> SearchProducer::step() {
    // Whether there are others says the next line that is found, which is not told; for that it does not look forever.
    if (lines_ >= what_.limit && ++further_ > kMostFurther) isCut_ = true;
    const bool isLeft = search_ || at_ < page_.size() || !isLastPage_;
    if (isLeft && actions_ >= kMostActions) isCut_ = true;
    if (isCut_ || !isLeft) {
        isEnded_ = true;
        writeState(true);
        co_return Result<void>();
    }
    if (search_) co_return co_await readPiece();
    if (at_ == page_.size()) co_return co_await nextPage();
    co_return co_await openStream();
}

coro::Task<Result<void>> SearchProducer::nextPage() {
    auto page = co_await engine_.ask(&engine::Listing::list, query_);
    if (!page && page.error().kind == ErrorKind::WrongState) { // what it read took longer than its order is kept
        isCut_ = isLastPage_ = true;
        co_return Result<void>();
    }
    if (!page) co_return std::unexpected(page.error());
    page_ = std::move(page->jobs);
    at_ = 0;
    isLastPage_ = page->cursor.empty();
    query_.cursor = std::move(page->cursor);
    co_return Result<void>();
}

/// The other stream of the action, or the first of the next one.
void SearchProducer::nextStream() {
    search_.reset();
    chunk_.reset();
    live_.reset();
    left_ = kMostPerStream;
    if (++stream_ < kStreams && hasOutput(page_[at_])) return;
    stream_ = 0;
    ++at_;
    ++actions_;
}

coro::Task<Result<void>> SearchProducer::openStream() {
    const ActionResult& action = page_[at_];
    if (!hasOutput(action) || isEmptyStream(action, stream_)) {
        nextStream();
        co_return Result<void>();
    }
    const auto stream = stream_ == 0 ? engine::Stream::Out : engine::Stream::Err;
    auto source = co_await engine_.ask(&engine::ActionDetails::openStream, action.lsn, stream, 0, false);
    if (source && !source->livePath.empty()) {
        auto file = co_await LiveFile::open(pool_, source->livePath);
        if (file) {
            const std::uint64_t size = co_await file->size();
            live_.emplace(std::move(*file), size, source->limit, std::numeric_limits<std::uint64_t>::max());
        } else { // it was moved into the store between the two looks
            source = co_await engine_.ask(&engine::ActionDetails::openStream, action.lsn, stream, 0, false);
        }
    }
    if (!source && (mustHaveOutput(action) || source.error().kind != ErrorKind::NotFound)) ++skipped_;
    if (!live_ && source && source->chunk && source->chunk->size > 0) {
        auto chunk = co_await openChunk(pool_, engine_.chunks(), source->chunk->hash, 0, false);
        if (chunk)
            chunk_.emplace(std::move(*chunk));
        else
            ++skipped_;
    }
    if (chunk_ || live_)
        search_ = std::make_shared<LineSearch>(what_.text, what_.exactCase);
    else
        nextStream();
    co_return Result<void>();
}

coro::Task<Result<void>> SearchProducer::readPiece() {
    Result<std::string> bytes;
    if (chunk_) {
        bytes = co_await chunk_->read(kReadPiece);
    } else {
        const auto piece = co_await live_->next();
        bytes = piece ? Result<std::string>(std::string(*piece)) : std::unexpected(piece.error());
    }
    if (!bytes) { // retired, or written over, meanwhile
        ++skipped_;
        nextStream();
        co_return Result<void>();
    }
    const bool isAtEnd = bytes->empty();
    bytes_ += static_cast<std::int64_t>(bytes->size());
    const auto most = std::min(left_, static_cast<std::size_t>(what_.limit - lines_));
    const SearchedPiece piece =
        co_await pool_.run([search = search_, piece = std::move(*bytes), most, isAtEnd]() -> SearchedPiece {
            SearchedPiece searched;
            searched.isMore =
                isAtEnd ? search->finish(most, searched.found) : search->take(piece, most, searched.found);
            return searched;
        });
    write(piece.found, piece.isMore);
    isCut_ = piece.isMore && lines_ >= what_.limit;
    if (isAtEnd || piece.isMore) nextStream();
    co_return Result<void>();
}

void SearchProducer::write(const std::vector<FoundLine>& found, bool isMore) {
    const ActionResult& action = page_[at_];
    for (const FoundLine& line : found) {
        JsonWriter writer(out_);
        writer.openObject();
        writer.member("lsn", action.lsn.value);
        writer.member("name", actionName(action));
        writer.member("stream", streamName(stream_));
        writer.member("line", line.number);
        writer.member("text", line.text);
        if (line.isCut) writer.member("cut", true);
        writer.closeObject();
        out_ += '\n';
    }
    lines_ += static_cast<std::int64_t>(found.size());
    left_ -= found.size();
    if (isMore && lines_ < what_.limit)
        out_ +=
            fmt::format("{{\"lsn\":{},\"stream\":\"{}\",\"more\":true}}\n", action.lsn.value, streamName(stream_));
}

void SearchProducer::writeState(bool isEnd) {
    JsonWriter writer(out_);
    writer.openObject();
    writer.member("actions", actions_);
    writer.member("lines", lines_);
    writer.member("bytes", bytes_);
    if (skipped_ > 0) writer.member("skipped", skipped_);
    if (isEnd) writer.member("whole", !isCut_);
    writer.closeObject();
    out_ += '\n';
}

} // namespace yard::http
