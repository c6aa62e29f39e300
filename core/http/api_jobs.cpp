// Single actions by their LSN.
#include "core/http/handler_steps.h"

#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/commands/results.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/terminal.h"
#include "core/http/error_map.h"
#include "core/http/permission.h"
#include "core/http/terminal_seats.h"
#include "core/json/json_writer.h"
#include "core/model/attempt_json.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::http {

namespace {

/// A wait looks this often whether its client is still there.
constexpr Duration kLookAtClient = std::chrono::seconds(5);

} // namespace

coro::Task<Result<ActionResult>> waitFor(Call& call, Lsn lsn, Duration wait) {
    Link& link = *call.request.link;
    const MonoTime end = MonoClock::now() + wait;
    for (;;) {
        const Duration left = end - MonoClock::now();
        if (left <= Duration::zero() || link.isStopping()) break;
        bool stopped = false;
        try {
            WaitScope scope(link);
            auto result = co_await call.engine.ask(&engine::Results::waitFor, lsn, std::min(left, kLookAtClient));
            if (!result || isEnded(result->state)) co_return result;
        } catch (const coro::Interrupted&) {
            if (!link.isStopping()) throw;
            stopped = true;
        }
        if (stopped || link.peerGone()) break;
    }
    co_return co_await call.engine.ask(&engine::ActionRows::action, lsn);
}

namespace {

coro::Task<Response> getJob(Call& call) {
    const auto wait = call.query.seconds("wait", kMaxWaitSeconds);
    if (!wait) co_return errorResponse(wait.error());
    const Lsn lsn = call.lsn();
    auto result = co_await waitFor(call, lsn, wait->value_or(Duration::zero()));
    if (!result) co_return errorResponse(result.error());
    if (result->tty) result->attached = call.api.seats.taken(lsn);
    co_return jsonResponse(toJson(*result), isEnded(result->state) ? 200 : 202);
}

coro::Task<Response> getSpec(Call& call) {
    const auto element = call.query.flag("element");
    if (!element) co_return errorResponse(element.error());
    auto spec = co_await call.engine.ask(&engine::ActionDetails::spec, call.lsn(), *element);
    if (!spec) co_return errorResponse(spec.error());
    const bool all = co_await maySeeInputs(call, call.lsn());
    co_return jsonResponse(all ? std::move(*spec) : withoutInputs(std::move(*spec)));
}

coro::Task<Response> getWhy(Call& call) {
    const auto why = co_await call.engine.ask(&engine::Reasons::why, call.lsn());
    co_return why ? jsonResponse(toJson(*why)) : errorResponse(why.error());
}

coro::Task<Response> getSamples(Call& call) {
    const auto samples = co_await call.engine.ask(&engine::ActionDetails::samples, call.lsn());
    if (!samples) co_return errorResponse(samples.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeSamples(writer, *samples);
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> typeIntoTerminal(Call& call) {
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
    const auto done = co_await call.engine.ask(&engine::ActionDetails::typeInto, call.lsn(), std::move(keys));
    if (!done) co_return errorResponse(done.error());
    co_return jsonResponse(fmt::format(R"({{"lsn":{}}})", call.lsn().value));
}

coro::Task<Response> resizeTerminal(Call& call) {
    const auto rows = call.body.integer("rows", 1, kMaxTerminalSide);
    if (!rows) co_return errorResponse(rows.error());
    const auto cols = call.body.integer("cols", 1, kMaxTerminalSide);
    if (!cols) co_return errorResponse(cols.error());
    if (!*rows || !*cols)
        co_return errorResponse(invalid(*rows ? "cols" : "rows", "Give both \"rows\" and \"cols\".").error());
    const TerminalSize size{.rows = static_cast<int>(**rows), .cols = static_cast<int>(**cols)};
    const auto done = co_await call.engine.ask(&engine::ActionDetails::resizeTerminal, call.lsn(), size);
    if (!done) co_return errorResponse(done.error());
    if (const auto seat = call.query.text("seat")) call.api.seats.resized(call.lsn(), *seat, size);
    co_return jsonResponse(fmt::format(R"({{"lsn":{}}})", call.lsn().value));
}

coro::Task<Response> rescheduleJob(Call& call) {
    const auto force = call.body.flag("force");
    if (!force) co_return errorResponse(force.error());
    const auto done = co_await call.engine.ask(&engine::Rescheduling::reschedule, call.lsn(), *force);
    if (!done) co_return errorResponse(done.error());
    const std::int64_t terminals = co_await call.engine.ask(&engine::ActionDetails::withTerminal, {call.lsn()});
    co_return jsonResponse(fmt::format(R"({{"lsn":{},"retry_count":{},"revived":{}{}}})", call.lsn().value,
                                       done->retryCount, done->revived.size(),
                                       terminals > 0 ? R"(,"terminals":1)" : ""));
}

coro::Task<Response> changeJob(Call& call, engine::BulkKind kind, std::string_view answer) {
    const Lsn lsn = call.lsn();
    std::vector<Lsn> revived;
    const auto done = co_await changeOne(call, {.kind = kind}, lsn, revived);
    if (!done) co_return errorResponse(done.error());
    if (kind == engine::BulkKind::Cancel) {
        const std::int64_t ending = co_await call.engine.ask(&engine::Operations::beingCancelled, std::vector{lsn});
        if (ending > 0) answer = R"(,"ending":true)";
    }
    co_return jsonResponse(fmt::format(R"({{"lsn":{}{}}})", lsn.value, answer));
}

coro::Task<Response> retireJob(Call& call) {
    return changeJob(call, engine::BulkKind::Retire, "");
}
coro::Task<Response> cancelJob(Call& call) {
    return changeJob(call, engine::BulkKind::Cancel, "");
}
coro::Task<Response> holdJob(Call& call) {
    return changeJob(call, engine::BulkKind::Hold, R"(,"held":true)");
}
coro::Task<Response> releaseJob(Call& call) {
    return changeJob(call, engine::BulkKind::Release, R"(,"held":false)");
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const Route> jobRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "jobs/{lsn}", Both, None, Needs::Read},
         &getJob,
         {.id = "getJob",
          .summary = "One action: 200 once it is finished, 202 before",
          .query = "wait",
          .answers = {{{200, "Result"}, {202, "Result"}}}}},
        {{Post, "jobs/{lsn}", Both, OptionalJson, Needs::Steer},
         &rescheduleJob,
         {.id = "postJob",
          .summary = "A number: run this failed or abandoned action again. A worker's id, name or name@version: "
                     "submit to it",
          .members = "force",
          .request = "RescheduleOrActions",
          .answers = {{{200, "RescheduledOrSubmitted"}, {202, "Accepted"}}}}},
        {{Delete, "jobs/{lsn}", Both, OptionalJson, Needs::Steer},
         &retireJob,
         {.id = "retireJob", .summary = "Forget a finished action", .answers = {{{200, "OneChanged"}}}}},
        {{Get, "jobs/{lsn}/spec", Both, None, Needs::Read},
         &getSpec,
         {.id = "getSpec",
          .summary = "The action as it was posted, with those of its list that it waits for by LSN",
          .query = "element",
          .answers = {{{200, "Action"}}}}},
        {{Get, "jobs/{lsn}/why", Both, None, Needs::Read},
         &getWhy,
         {.id = "getWhy", .summary = "What a pending action waits for", .answers = {{{200, "Why"}}}}},
        {{Get, "jobs/{lsn}/samples", Both, None, Needs::Read},
         &getSamples,
         {.id = "getSamples",
          .summary = "Processor and memory of the current or last attempt",
          .answers = {{{200, "Samples"}}}}},
        {{Post, "jobs/{lsn}/terminal", Both, Keys, Needs::Steer},
         &typeIntoTerminal,
         {.id = "typeIntoTerminal",
          .summary = "Keys for the terminal of a running action, at most 64 KiB; any other Content-Type is 415",
          .members = kReadsItself,
          .request = "bytes",
          .answers = {{{200, "OneChanged"}}}}},
        {{Patch, "jobs/{lsn}/terminal", Both, Json, Needs::Steer},
         &resizeTerminal,
         {.id = "resizeTerminal",
          .summary = "The size of the terminal of a running action",
          .query = "seat",
          .members = "rows cols",
          .request = "TerminalSize",
          .answers = {{{200, "OneChanged"}}}}},
        {{Post, "jobs/{lsn}/cancel", Both, OptionalJson, Needs::Steer},
         &cancelJob,
         {.id = "cancelJob", .summary = "Cancel an action", .answers = {{{200, "OneChanged"}}}}},
        {{Post, "jobs/{lsn}/hold", Both, OptionalJson, Needs::Steer},
         &holdJob,
         {.id = "holdJob", .summary = "Hold a pending action back", .answers = {{{200, "OneChanged"}}}}},
        {{Post, "jobs/{lsn}/release", Both, OptionalJson, Needs::Steer},
         &releaseJob,
         {.id = "releaseJob", .summary = "Let a held action go on", .answers = {{{200, "OneChanged"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
