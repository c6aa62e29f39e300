// GET jobs/{lsn}/stdout and stderr: what was kept, what there is so far, or all of it as it comes.
#include "core/http/api.h"

#include "core/http/error_map.h"
#include "core/http/file_producers.h"

namespace yard::http {

namespace {

constexpr std::string_view kBytes = "application/octet-stream";
constexpr std::int64_t kMaxAttempt = 1'000'000;

Response producedResponse(std::unique_ptr<BodyProducer> producer, std::optional<std::uint64_t> length) {
    Response response;
    response.contentType = kBytes;
    response.producer = std::move(producer);
    response.length = length;
    return response;
}

Response nothingYet() {
    Response response;
    response.contentType = kBytes;
    return response;
}

} // namespace

coro::Task<Response> Api::getStdout(Call& call) {
    return getStream(call, engine::Stream::Out);
}

coro::Task<Response> Api::getStderr(Call& call) {
    return getStream(call, engine::Stream::Err);
}

coro::Task<Response> Api::getStream(Call& call, engine::Stream stream) {
    Result<void> good = call.query.allowOnly({"attempt", "follow"});
    if (!good) co_return errorResponse(good.error());
    const auto attempt = call.query.integer("attempt", 1, kMaxAttempt);
    if (!attempt) co_return errorResponse(attempt.error());
    const auto follow = call.query.flag("follow");
    if (!follow) co_return errorResponse(follow.error());
    const Lsn lsn = call.lsn();
    good = co_await checkQueue(call, lsn);
    if (!good) co_return errorResponse(good.error());
    const auto number = static_cast<std::uint32_t>(attempt->value_or(0));
    auto source = co_await engine_.openStream(lsn, stream, number, *follow);
    if (!source) co_return errorResponse(source.error());
    if (*follow) {
        Link& link = *call.request.link;
        co_return producedResponse(
            std::make_unique<FollowProducer>(engine_, helpers_, link, lsn, stream, std::move(*source), number),
            std::nullopt);
    }
    if (source->chunk) co_return co_await chunkResponse(source->chunk->hash, source->chunk->size, 0, true);
    if (source->livePath.empty()) co_return nothingYet();
    auto file = co_await LiveFile::open(helpers_, source->livePath);
    if (!file && file.error().kind == ErrorKind::NotFound) {
        // It was moved into the store between the two looks.
        source = co_await engine_.openStream(lsn, stream, number, false);
        if (!source) co_return errorResponse(source.error());
        if (!source->chunk) co_return nothingYet();
        co_return co_await chunkResponse(source->chunk->hash, source->chunk->size, 0, true);
    }
    if (!file) co_return errorResponse(file.error());
    const std::uint64_t size = co_await file->size();
    if (size == 0) co_return nothingYet();
    auto producer = std::make_unique<LiveProducer>(std::move(*file), size, source->limit);
    const std::uint64_t length = producer->length();
    co_return producedResponse(std::move(producer), length);
}

coro::Task<Response> Api::chunkResponse(Hash256 hash, std::uint64_t length, std::uint64_t offset, bool whole) {
    if (length == 0) co_return nothingYet();
    auto source = co_await openChunk(helpers_, engine_.chunks(), hash, offset, whole);
    if (!source) co_return errorResponse(source.error());
    co_return producedResponse(std::make_unique<ChunkProducer>(std::move(*source), length), length);
}

} // namespace yard::http
