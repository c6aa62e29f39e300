#include "core/http/permission.h"

#include "core/engine/reading/action_rows.h"
#include "core/engine/state/queues.h"
#include "core/model/action_graph.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace yard::http {

namespace {

std::unexpected<Error> outOfReach(const Caller& caller, QueueId queue) {
    std::string numbers;
    for (const QueueId own : caller.queues) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", own.value);
    return fail(ErrorKind::Forbidden,
                fmt::format("The token \"{}\" has the right submit for {}, not for queue {}; ask the owner of this "
                            "engine for one that names it, or has the right operate.",
                            caller.name, numbers.empty() ? "new actions only" : "queue " + numbers, queue.value));
}

/// Null where nothing but the right matters.
const Caller* boundCaller(const Call& call) {
    const Caller* caller = call.request.presence.caller();
    return caller && caller->right == Right::Submit ? caller : nullptr;
}

coro::Task<Result<QueueId>> queueOf(Call& call, Lsn lsn) {
    const auto action = co_await call.engine.ask(&engine::ActionRows::action, lsn);
    if (!action) co_return std::unexpected(action.error());
    co_return action->queue;
}

} // namespace

std::optional<Error> refuseByRight(const Caller& caller, Needs needs) {
    const Right wanted = rightFor(needs);
    if (caller.right >= wanted) return std::nullopt;
    return Error{.kind = ErrorKind::Forbidden,
                 .message =
                     fmt::format("The token \"{}\" has the right {}, and this needs {}; ask the owner of this "
                                 "engine for one that has it.",
                                 caller.name, name(caller.right), name(wanted)),
                 .field = {},
                 .need = {}};
}

bool mayDo(const Call& call, Right right) {
    const Caller* caller = call.request.presence.caller();
    return caller && caller->right >= right;
}

coro::Task<Result<void>> checkReachOfQueue(Call& call, QueueRef queue) {
    const Caller* caller = boundCaller(call);
    if (!caller) co_return Result<void>{};
    const auto number = co_await call.engine.ask(&engine::Queues::numberOf, std::move(queue));
    if (!number) co_return std::unexpected(number.error());
    if (!caller->names(*number)) co_return outOfReach(*caller, *number);
    co_return Result<void>{};
}

coro::Task<Result<void>> checkReachOfAction(Call& call, Lsn lsn) {
    const Caller* caller = boundCaller(call);
    if (!caller) co_return Result<void>{};
    const auto queue = co_await queueOf(call, lsn);
    if (!queue) co_return std::unexpected(queue.error());
    if (!caller->names(*queue)) co_return outOfReach(*caller, *queue);
    co_return Result<void>{};
}

coro::Task<Result<void>> checkReach(Call& call, Needs needs, bool isOfAction) {
    const Caller* caller = boundCaller(call);
    if (!caller || (needs != Needs::Submit && needs != Needs::Steer)) co_return Result<void>{};
    if (needs == Needs::Submit && caller->queues.empty()) co_return Result<void>{};
    if (needs == Needs::Steer && isOfAction) co_return co_await checkReachOfAction(call, call.lsn());
    if (needs == Needs::Steer && !call.queue)
        co_return fail(ErrorKind::Forbidden,
                       fmt::format("The token \"{}\" has the right submit, which steers many actions below "
                                   "queues/{{ref}}/ only; with the right operate this route is open, too.",
                                   caller->name));
    co_return co_await checkReachOfQueue(call, call.queue.value_or(QueueRef{QueueId(0), {}}));
}

coro::Task<bool> maySeeInputs(Call& call, Lsn lsn) {
    if (mayDo(call, Right::Operate)) co_return true;
    const Caller* caller = boundCaller(call);
    if (!caller) co_return false;
    const auto queue = co_await queueOf(call, lsn);
    co_return queue && caller->names(*queue);
}

std::string withoutInputs(std::string spec) {
    for (const std::string_view member : {"env", "inputs", "stdin"}) spec = withoutMember(spec, member);
    return spec;
}

std::string shownDescriptor(const Call& call, const std::string& canonical) {
    return mayDo(call, Right::Submit) ? canonical : withoutMember(canonical, "environment");
}

} // namespace yard::http
