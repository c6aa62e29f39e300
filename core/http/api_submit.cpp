// POST jobs and jobs/{worker}: one action, an array, or a list, accepted whole or not at all.
#include "core/http/handler_steps.h"

#include "core/engine/commands/intake.h"
#include "core/http/error_map.h"
#include "core/http/idempotency_key.h"
#include "core/http/permission.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::http {

namespace {

/// Who waits for an action waits so long together with its submission: one way to the engine instead of two. Not
/// for longer, as that looks for nobody who has gone.
constexpr Duration kLinger = std::chrono::milliseconds(50);

struct Read {
    ParsedActions actions;
    Hash256 bodyHash;
};

Result<Read> readActions(std::string_view path, std::string_view body, std::string_view worker, bool hashed) {
    auto parsed = parseActions(body, worker);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    Read read{.actions = std::move(*parsed), .bodyHash = {}};
    if (hashed) read.bodyHash = requestHash(path, body);
    return read;
}

std::string answerJson(const engine::SubmitAnswer& answer, bool isList) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    if (isList) {
        writer.key("lsns");
        writer.openArray();
        for (const auto& item : answer.items) writer.integer(item.first.value);
        writer.closeArray();
        if (std::ranges::any_of(answer.items, [](const auto& item) { return item.count != 1; })) {
            writer.key("counts");
            writer.openArray();
            for (const auto& item : answer.items) writer.integer(item.count);
            writer.closeArray();
        }
    } else {
        writer.member("lsn", answer.items.front().first.value);
        writer.member("queue_id", answer.queue.value);
        if (answer.items.front().count != 1) writer.member("count", answer.items.front().count);
    }
    writer.closeObject();
    return text;
}

coro::Task<Result<engine::Submission>> readSubmission(Call& call, bool& isList) {
    Request& request = call.request;
    engine::Submission submission;
    submission.queue.ref = call.queue;
    auto key = idempotencyKey(call);
    if (!key) co_return std::unexpected(std::move(key.error()));
    submission.idempotencyKey = *std::move(key);
    const std::string worker = call.capture();
    const bool hashed = !submission.idempotencyKey.empty();
    Result<Read> read;
    if (request.body.size() <= kInlineBytes) {
        read = readActions(request.head.path(), request.body, worker, hashed);
    } else {
        auto job = [path = std::string(request.head.path()), body = std::move(request.body), worker, hashed] {
            return readActions(path, body, worker, hashed);
        };
        read = co_await call.helpers.run(std::move(job));
    }
    if (!read) co_return std::unexpected(std::move(read.error()));
    isList = read->actions.isList;
    submission.actions = std::move(read->actions.actions);
    submission.bodyHash = read->bodyHash;
    co_return submission;
}

/// What a copy is submitted instead of is changed with it.
coro::Task<Result<void>> checkReplaced(Call& call, const engine::Submission& submission) {
    if (mayDo(call, Right::Operate)) co_return Result<void>{};
    for (const ParsedAction& action : submission.actions)
        for (const Lsn lsn : action.spec->replaces)
            if (auto reached = co_await checkReachOfAction(call, lsn); !reached) co_return reached;
    co_return Result<void>{};
}

coro::Task<Response> answerWhenFinished(Call& call, Lsn lsn, Duration wait) {
    const auto result = co_await waitFor(call, lsn, wait);
    if (result && isEnded(result->state)) co_return jsonResponse(toJson(*result));
    // Accepted all the same; whoever retired it meanwhile knows its number.
    co_return jsonResponse(fmt::format(R"({{"lsn":{}}})", lsn.value), 202);
}

coro::Task<Response> submit(Call& call) {
    const auto wait = call.query.seconds("wait", kMaxWaitSeconds);
    if (!wait) co_return errorResponse(wait.error());
    BodyShare share(call.api.partBudget);
    if (call.request.source) {
        auto json = co_await readParts(call, share);
        if (!json) co_return errorResponse(json.error());
        call.request.body = std::move(*json);
    }
    bool isList = false;
    auto submission = co_await readSubmission(call, isList);
    share.release();
    if (!submission) co_return errorResponse(submission.error());
    if (auto reached = co_await checkReplaced(call, *submission); !reached)
        co_return errorResponse(reached.error());
    if (isList && submission->actions.empty()) co_return jsonResponse(R"({"lsns":[]})");
    if (*wait && (isList || submission->actions.front().spec->array))
        co_return errorResponse(
            invalid("wait",
                    "Only one action can be waited for; submit it alone, or ask with GET jobs/{lsn}?wait=S.")
                .error());
    const MonoTime until = MonoClock::now() + wait->value_or(Duration::zero());
    const auto answer = co_await call.engine.ask(&engine::Intake::submit, std::move(*submission),
                                                 std::min(kLinger, wait->value_or(Duration::zero())));
    if (!answer) co_return errorResponse(answer.error());
    if (*wait && answer->ended) co_return jsonResponse(toJson(*answer->ended));
    if (*wait) co_return co_await answerWhenFinished(call, answer->items.front().first, until - MonoClock::now());
    co_return jsonResponse(answerJson(*answer, isList));
}

} // namespace

std::span<const Route> submitRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Post, "jobs", Both, JsonOrParts, Needs::Submit},
         &submit,
         {.id = "submitJobs",
          .summary = "Submit one action, an array, or a list, whole or not at all",
          .query = "wait",
          .members = kReadsItself,
          .request = "Actions",
          .answers = {{{200, "Submitted"}, {202, "Accepted"}}}}},
        {{Post, "jobs/{worker}", Both, JsonOrParts, Needs::Submit},
         &submit,
         {.query = "wait", .members = kReadsItself, .toldBy = "jobs/{lsn}"}},
    };
    return kRoutes;
}

} // namespace yard::http
