// PUT, GET and HEAD chunks/{hash}: bytes of any length in constant memory.
#include "core/http/handler_steps.h"

#include "core/base/parsed_number.h"
#include "core/engine/reading/action_rows.h"
#include "core/http/error_map.h"
#include "core/http/file_producers.h"
#include "core/http/permission.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::http {

namespace {

/// Pieces of an upload are handed to a helper in slices of this size.
constexpr std::size_t kSlice = 256 * 1024;

struct Range {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

/// One range of `bytes=`: nothing when the field is of another kind (then the whole is sent), length 0 when it lies
/// outside of `size`.
std::optional<Range> parseRange(std::string_view field, std::uint64_t size) {
    constexpr std::string_view kUnit = "bytes=";
    if (!field.starts_with(kUnit)) return std::nullopt;
    field.remove_prefix(kUnit.size());
    const std::size_t dash = field.find('-');
    if (dash == std::string_view::npos || field.find(',') != std::string_view::npos) return std::nullopt;
    const auto first = parsedNumber<std::uint64_t>(field.substr(0, dash));
    const auto last = parsedNumber<std::uint64_t>(field.substr(dash + 1));
    if (!first && !last) return std::nullopt;
    if (!first) {
        const std::uint64_t length = std::min(*last, size);
        return Range{.offset = size - length, .length = length};
    }
    if (dash + 1 < field.size() && (!last || *last < *first)) return std::nullopt;
    if (*first >= size) return Range{};
    return Range{.offset = *first, .length = std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

Result<Hash256> hashOf(const Call& call) {
    const auto hash = Hash256::fromHex(call.capture());
    if (!hash)
        return invalid("hash", "Name a chunk by the SHA-256 of its bytes, in 64 lower-case hexadecimal digits.");
    return *hash;
}

/// Whether a chunk is what an attempt left.
bool isLeftBy(const AttemptOutcome& outcome, const Hash256& hash) {
    const auto is = [&hash](const std::optional<ChunkRef>& chunk) { return chunk && chunk->hash == hash; };
    return is(outcome.out) || is(outcome.err) ||
           std::ranges::any_of(outcome.outputs,
                               [&](const NamedChunk& output) { return output.chunk.hash == hash; });
}

/// Who only reads sees what actions left, not what went into them. Nothing leads from a chunk to its actions, so such a
/// token names one.
coro::Task<Result<void>> checkMaySee(Call& call, Hash256 hash) {
    const auto lsn = call.query.integer("lsn", 1, kMostLsn);
    if (!lsn) co_return std::unexpected(lsn.error());
    auto refused = refuseByRight(*call.request.presence.caller(), Needs::Upload);
    if (!refused) co_return Result<void>{};
    if (*lsn) {
        const auto action = co_await call.engine.ask(&engine::ActionRows::action, Lsn(**lsn));
        if (!action) co_return std::unexpected(action.error());
        const bool isLeft = (action->outcome && isLeftBy(*action->outcome, hash)) ||
                            std::ranges::any_of(action->attempts, [&](const AttemptRecord& attempt) {
                                return isLeftBy(attempt.outcome, hash);
                            });
        if (isLeft) co_return Result<void>{};
    }
    refused->message += " With read, give as \"lsn\" an action that has this chunk as stdout, stderr or an output.";
    co_return std::unexpected(std::move(*refused));
}

coro::Task<Response> getChunk(Call& call) {
    const auto hash = hashOf(call);
    if (!hash) co_return errorResponse(hash.error());
    if (auto seen = co_await checkMaySee(call, *hash); !seen) co_return errorResponse(seen.error());
    auto ask = [&chunks = call.engine.chunks(), hash = *hash] { return chunks.sizeOf(hash); };
    const std::optional<std::uint64_t> size = co_await call.helpers.run(std::move(ask));
    if (!size) co_return errorResponse(ErrorKind::NotFound, "There is no such chunk; PUT it first.");

    Range range{.offset = 0, .length = *size};
    bool partial = false;
    if (const auto field = call.request.head.field("Range")) {
        const auto parsed = parseRange(*field, *size);
        if (parsed && parsed->length == 0) {
            Response response = errorResponse(
                invalid("Range", fmt::format("The chunk has {} bytes: ask for some of them.", *size)).error());
            response.status = 416;
            response.fields.emplace_back("Content-Range", fmt::format("bytes */{}", *size));
            co_return response;
        }
        partial = parsed.has_value();
        range = parsed.value_or(range);
    }
    Response response;
    if (call.request.head.method == Method::Head) {
        response.contentType = "application/octet-stream";
        response.length = range.length;
    } else {
        response = co_await chunkResponse(call, *hash, range.length, range.offset, !partial);
        if (response.status != 200) co_return response;
    }
    response.fields.emplace_back("Accept-Ranges", "bytes");
    if (partial) {
        response.status = 206;
        response.fields.emplace_back(
            "Content-Range", fmt::format("bytes {}-{}/{}", range.offset, range.offset + range.length - 1, *size));
    }
    co_return response;
}

coro::Task<Response> putChunk(Call& call) {
    const auto hash = hashOf(call);
    if (!hash) co_return errorResponse(hash.error());
    const auto chunk = co_await storeChunk(call, *call.request.source, *hash, call.request.head.contentLength);
    if (!chunk) co_return errorResponse(chunk.error());
    co_return jsonResponse(fmt::format(R"({{"hash":"{}","size":{}}})", chunk->hash.hex(), chunk->size));
}

} // namespace

Response bytesResponse(std::unique_ptr<BodyProducer> producer, std::optional<std::uint64_t> length) {
    Response response;
    response.contentType = "application/octet-stream";
    response.producer = std::move(producer);
    response.length = length;
    return response;
}

coro::Task<Response> chunkResponse(Call& call, Hash256 hash, std::uint64_t length, std::uint64_t offset,
                                   bool whole) {
    if (length == 0) co_return bytesResponse();
    auto source = co_await openChunk(call.helpers, call.engine.chunks(), hash, offset, whole);
    if (!source) co_return errorResponse(source.error());
    co_return bytesResponse(std::make_unique<ChunkProducer>(std::move(*source), length), length);
}

coro::Task<Result<ChunkRef>> storeChunk(Call& call, BodySource& source, Hash256 hash,
                                        std::optional<std::uint64_t> size) {
    auto begin = [&chunks = call.engine.chunks(), hash, size] { return chunks.writer(hash, size); };
    auto opened = co_await call.helpers.run(std::move(begin));
    if (!opened) co_return std::unexpected(std::move(opened.error()));
    const auto writer = endedByHelper(call.helpers, std::move(*opened));
    for (bool atEnd = false; !atEnd;) {
        std::string slice;
        while (slice.size() < kSlice) {
            const auto piece = co_await source.read();
            if (!piece) co_return std::unexpected(piece.error());
            atEnd = piece->empty();
            if (atEnd) break;
            slice += *piece;
        }
        if (slice.empty()) break;
        auto write = [writer, slice = std::move(slice)] { return writer->write(slice); };
        const auto written = co_await call.helpers.run(std::move(write));
        if (!written) co_return std::unexpected(written.error());
    }
    auto finish = [writer] { return writer->finish(); };
    co_return co_await call.helpers.run(std::move(finish));
}

std::span<const Route> chunkRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "chunks/{hash}", Global, None, Needs::Read},
         &getChunk,
         {.id = "getChunk",
          .summary = "The bytes with this hash, all or one range",
          .query = "lsn=output_of",
          .answers = {{{200, "bytes"}, {206, "bytes"}}},
          .head = {"headChunk", "Whether the bytes are there"}}},
        {{Put, "chunks/{hash}", Global, Stream, Needs::Upload},
         &putChunk,
         {.id = "putChunk",
          .summary = "Keep bytes under their SHA-256",
          .members = kReadsItself,
          .request = "bytes",
          .answers = {{{200, "Chunk"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
