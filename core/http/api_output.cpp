// GET jobs/{lsn}/stdout and stderr: what was kept, what there is so far, or all of it as it comes.
#include "core/http/handler_steps.h"

#include "core/engine/reading/action_details.h"
#include "core/http/error_map.h"
#include "core/http/file_producers.h"
#include "core/http/permission.h"
#include "core/http/terminal_seats.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace yard::http {

namespace {

/// `seat` of a request: which of those at a terminal it is. Empty: it says none.
Result<std::string> readSeat(const Query& query) {
    const auto name = query.text("seat");
    if (!name) return std::string();
    const bool isGood = !name->empty() && name->size() <= kMaxSeat;
    if (!isGood) return invalid("seat", fmt::format("Give \"seat\" as 1 to {} bytes.", kMaxSeat));
    return std::string(*name);
}

/// `rows` and `cols`: of the client's own terminal.
Result<std::optional<TerminalSize>> readOwnSize(const Query& query) {
    const auto rows = query.integer("rows", 1, kMaxTerminalSide);
    if (!rows) return std::unexpected(rows.error());
    const auto cols = query.integer("cols", 1, kMaxTerminalSide);
    if (!cols) return std::unexpected(cols.error());
    if (rows->has_value() != cols->has_value())
        return invalid(*rows ? "cols" : "rows", "Give both \"rows\" and \"cols\".");
    if (!*rows) return std::optional<TerminalSize>();
    return TerminalSize{.rows = static_cast<int>(**rows), .cols = static_cast<int>(**cols)};
}

/// Bytes from the end; all of them unless it was said.
std::uint64_t endOf(std::optional<std::int64_t> last) {
    return last ? static_cast<std::uint64_t>(*last) : std::numeric_limits<std::uint64_t>::max();
}

coro::Task<Response> streamChunk(Call& call, ChunkRef chunk, std::uint64_t last) {
    const std::uint64_t length = std::min(chunk.size, last);
    co_return co_await chunkResponse(call, chunk.hash, length, chunk.size - length, length == chunk.size);
}

/// What there is of a stream now, or the end of that.
coro::Task<Response> storedStream(Call& call, engine::Stream stream, std::uint32_t attempt,
                                  engine::StreamSource source, std::uint64_t last) {
    if (source.chunk) co_return co_await streamChunk(call, *source.chunk, last);
    if (source.livePath.empty()) co_return bytesResponse();
    auto file = co_await LiveFile::open(call.helpers, source.livePath);
    if (!file && file.error().kind == ErrorKind::NotFound) {
        // It was moved into the store between the two looks.
        const auto moved =
            co_await call.engine.ask(&engine::ActionDetails::openStream, call.lsn(), stream, attempt, false);
        if (!moved) co_return errorResponse(moved.error());
        if (!moved->chunk) co_return bytesResponse();
        co_return co_await streamChunk(call, *moved->chunk, last);
    }
    if (!file) co_return errorResponse(file.error());
    const std::uint64_t size = co_await file->size();
    if (size == 0) co_return bytesResponse();
    auto producer = std::make_unique<LiveProducer>(std::move(*file), size, source.limit, last);
    const std::uint64_t length = producer->length();
    co_return bytesResponse(std::move(producer), length);
}

coro::Task<Result<void>> maySteer(Call& call) {
    const auto error = refuseByRight(*call.request.presence.caller(), Needs::Steer);
    if (error) co_return std::unexpected(*error);
    co_return co_await checkReach(call, Needs::Steer, true);
}

coro::Task<Response> getStream(Call& call, engine::Stream stream) {
    const auto attempt = call.query.integer("attempt", 1, kMaxAttempt);
    if (!attempt) co_return errorResponse(attempt.error());
    const auto follow = call.query.flag("follow");
    if (!follow) co_return errorResponse(follow.error());
    const auto last = call.query.integer("last", 1, kMostBytes);
    if (!last) co_return errorResponse(last.error());
    const auto atTerminal = call.query.flag("terminal");
    if (!atTerminal) co_return errorResponse(atTerminal.error());
    if (*atTerminal && !*follow)
        co_return errorResponse(invalid("terminal", "Give \"follow=1\" with \"terminal=1\".").error());
    if (*atTerminal) // who is there has a part in its size
        if (auto allowed = co_await maySteer(call); !allowed) co_return errorResponse(allowed.error());
    auto seat = readSeat(call.query);
    if (!seat) co_return errorResponse(seat.error());
    const auto ownSize = readOwnSize(call.query);
    if (!ownSize) co_return errorResponse(ownSize.error());
    const Lsn lsn = call.lsn();
    const auto number = static_cast<std::uint32_t>(attempt->value_or(0));
    auto source = co_await call.engine.ask(&engine::ActionDetails::openStream, lsn, stream, number, *follow);
    if (!source) co_return errorResponse(source.error());
    if (*follow) {
        Link& link = *call.request.link;
        std::unique_ptr<BodyProducer> producer = std::make_unique<FollowProducer>(
            call.engine, call.helpers, link, lsn, stream, std::move(*source), number,
            last->transform([](std::int64_t bytes) { return static_cast<std::uint64_t>(bytes); }));
        if (*atTerminal)
            producer = std::make_unique<SeatedProducer>(call.api.seats.take(lsn, link, std::move(*seat), *ownSize),
                                                        std::move(producer));
        co_return bytesResponse(std::move(producer), std::nullopt);
    }
    co_return co_await storedStream(call, stream, number, std::move(*source), endOf(*last));
}

coro::Task<Response> getStdout(Call& call) {
    return getStream(call, engine::Stream::Out);
}

coro::Task<Response> getStderr(Call& call) {
    return getStream(call, engine::Stream::Err);
}

} // namespace

std::span<const Route> outputRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "jobs/{lsn}/stdout", Both, None, Needs::Read},
         &getStdout,
         {.id = "getStdout",
          .summary = "What it wrote to stdout",
          .query = "attempt follow last terminal seat rows cols",
          .answers = {{{200, "bytes"}}}}},
        {{Get, "jobs/{lsn}/stderr", Both, None, Needs::Read},
         &getStderr,
         {.id = "getStderr",
          .summary = "What it wrote to stderr",
          .query = "attempt follow last",
          .answers = {{{200, "bytes"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
