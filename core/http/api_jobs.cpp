// Single actions by their LSN.
#include "core/http/api.h"

#include "core/engine/terminal.h"
#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/model/json_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::http {

namespace {

/// A wait looks this often whether its client is still there.
constexpr Duration kLookAtClient = std::chrono::seconds(5);

} // namespace

coro::Task<Result<void>> Api::checkQueue(Call& call, Lsn lsn) {
    if (!call.queue) co_return Result<void>{};
    const auto queue = co_await engine_.queueNumber(*call.queue);
    if (!queue) co_return std::unexpected(queue.error());
    const auto action = co_await engine_.action(lsn);
    if (!action) co_return std::unexpected(action.error());
    if (action->queue != *queue)
        co_return fail(ErrorKind::NotFound,
                       fmt::format("Action {} is not in this queue but in queue {}: ask for jobs/{} there.",
                                   lsn.value, action->queue.value, lsn.value));
    co_return Result<void>{};
}

coro::Task<Result<ActionResult>> Api::waitFor(Request& request, Lsn lsn, Duration wait) {
    const MonoTime end = MonoClock::now() + wait;
    for (;;) {
        const Duration left = end - MonoClock::now();
        if (left <= Duration::zero() || request.link->isStopping()) break;
        bool stopped = false;
        try {
            WaitScope scope(*request.link);
            auto result = co_await engine_.waitForAction(lsn, std::min(left, kLookAtClient));
            if (!result || isEnded(result->state)) co_return result;
        } catch (const coro::Interrupted&) {
            if (!request.link->isStopping()) throw;
            stopped = true;
        }
        if (stopped || request.link->peerGone()) break;
    }
    co_return co_await engine_.action(lsn);
}

coro::Task<Response> Api::getJob(Call& call) {
    if (const auto known = call.query.allowOnly({"wait"}); !known) co_return errorResponse(known.error());
    const auto wait = call.query.seconds("wait", kMaxWaitSeconds);
    if (!wait) co_return errorResponse(wait.error());
    const Lsn lsn = call.lsn();
    const auto inQueue = co_await checkQueue(call, lsn);
    if (!inQueue) co_return errorResponse(inQueue.error());
    const auto result = co_await waitFor(call.request, lsn, wait->value_or(Duration::zero()));
    if (!result) co_return errorResponse(result.error());
    co_return jsonResponse(toJson(*result), isEnded(result->state) ? 200 : 202);
}

coro::Task<Response> Api::getSpec(Call& call) {
    if (const auto known = call.query.allowOnly({"element"}); !known) co_return errorResponse(known.error());
    const auto element = call.query.flag("element");
    if (!element) co_return errorResponse(element.error());
    const auto inQueue = co_await checkQueue(call, call.lsn());
    if (!inQueue) co_return errorResponse(inQueue.error());
    auto spec = co_await engine_.spec(call.lsn(), *element);
    co_return spec ? jsonResponse(std::move(*spec)) : errorResponse(spec.error());
}

coro::Task<Response> Api::getWhy(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto inQueue = co_await checkQueue(call, call.lsn());
    if (!inQueue) co_return errorResponse(inQueue.error());
    const auto why = co_await engine_.why(call.lsn());
    co_return why ? jsonResponse(toJson(*why)) : errorResponse(why.error());
}

coro::Task<Response> Api::getSamples(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto inQueue = co_await checkQueue(call, call.lsn());
    if (!inQueue) co_return errorResponse(inQueue.error());
    const auto samples = co_await engine_.samples(call.lsn());
    if (!samples) co_return errorResponse(samples.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("samples");
    writer.openArray();
    for (const UsageSample& sample : *samples) {
        writer.openObject();
        writer.member("t", sample.t);
        writer.member("cpu_percent", shownPercent(sample.cpuPercent));
        writer.member("rss_bytes", sample.rssBytes);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> Api::typeIntoTerminal(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto inQueue = co_await checkQueue(call, call.lsn());
    if (!inQueue) co_return errorResponse(inQueue.error());
    std::string keys;
    for (;;) {
        const auto piece = co_await call.request.source->read();
        if (!piece) co_return errorResponse(piece.error());
        if (piece->empty()) break;
        if (keys.size() + piece->size() > engine::kMostKeys)
            co_return errorResponse(ErrorKind::TooLarge, fmt::format("Send at most {} KiB of keys in one request.",
                                                                     engine::kMostKeys >> 10));
        keys += *piece;
    }
    const auto done = co_await engine_.typeInto(call.lsn(), std::move(keys));
    if (!done) co_return errorResponse(done.error());
    co_return jsonResponse(fmt::format(R"({{"lsn":{}}})", call.lsn().value));
}

coro::Task<Response> Api::resizeTerminal(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = JsonRequest::parse(call.request.body, {"rows", "cols"});
    if (!body) co_return errorResponse(body.error());
    const auto rows = body->integer("rows", 1, kMaxTerminalSide);
    if (!rows) co_return errorResponse(rows.error());
    const auto cols = body->integer("cols", 1, kMaxTerminalSide);
    if (!cols) co_return errorResponse(cols.error());
    if (!*rows || !*cols)
        co_return errorResponse(invalid(*rows ? "cols" : "rows", "Give both \"rows\" and \"cols\".").error());
    const auto inQueue = co_await checkQueue(call, call.lsn());
    if (!inQueue) co_return errorResponse(inQueue.error());
    const TerminalSize size{.rows = static_cast<int>(**rows), .cols = static_cast<int>(**cols)};
    const auto done = co_await engine_.resizeTerminal(call.lsn(), size);
    if (!done) co_return errorResponse(done.error());
    co_return jsonResponse(fmt::format(R"({{"lsn":{}}})", call.lsn().value));
}

coro::Task<Response> Api::rescheduleJob(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = JsonRequest::parse(call.request.body, {"force"});
    if (!body) co_return errorResponse(body.error());
    const auto force = body->flag("force");
    if (!force) co_return errorResponse(force.error());
    const auto inQueue = co_await checkQueue(call, call.lsn());
    if (!inQueue) co_return errorResponse(inQueue.error());
    const auto done = co_await engine_.reschedule(call.lsn(), *force);
    if (!done) co_return errorResponse(done.error());
    co_return jsonResponse(fmt::format(R"({{"lsn":{},"retry_count":{},"revived":{}}})", call.lsn().value,
                                       done->retryCount, done->revived.size()));
}

coro::Task<Response> Api::changeJob(Call& call, engine::BulkKind kind, std::string_view answer) {
    const Lsn lsn = call.lsn();
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = JsonRequest::parse(call.request.body, {});
    if (!body) co_return errorResponse(body.error());
    std::vector<Lsn> revived;
    const auto done = co_await changeOne(call, {.kind = kind}, lsn, revived);
    if (!done) co_return errorResponse(done.error());
    if (kind == engine::BulkKind::Cancel) {
        const std::int64_t ending = co_await engine_.beingCancelled(std::vector{lsn});
        if (ending > 0) answer = R"(,"ending":true)";
    }
    co_return jsonResponse(fmt::format(R"({{"lsn":{}{}}})", lsn.value, answer));
}

coro::Task<Response> Api::retireJob(Call& call) {
    return changeJob(call, engine::BulkKind::Retire, "");
}
coro::Task<Response> Api::cancelJob(Call& call) {
    return changeJob(call, engine::BulkKind::Cancel, "");
}
coro::Task<Response> Api::holdJob(Call& call) {
    return changeJob(call, engine::BulkKind::Hold, R"(,"held":true)");
}
coro::Task<Response> Api::releaseJob(Call& call) {
    return changeJob(call, engine::BulkKind::Release, R"(,"held":false)");
}

} // namespace yard::http
