// Whether the token that asks may do what is asked: first by its right, from the head of the request alone, then by the
// queues that it names. On the http thread; what has to know an action's queue asks the engine.
#pragma once

#include "core/http/route.h"

#include <optional>
#include <string>

namespace yard::http {

/// Forbidden, with the right that is missing. `caller` is not null.
std::optional<Error> refuseByRight(const Caller& caller, Needs needs);

/// Whether the caller's right is this one or more.
bool mayDo(const Call& call, Right right);
/// Forbidden where a token with Right::Submit asks for a queue or an action that it does not reach. Without queues of
/// its own it adds actions to any, and steers none. NotFound.
coro::Task<Result<void>> checkReach(Call& call, Needs needs, bool isOfAction);
/// The same of one queue, and of one action, that the body names.
coro::Task<Result<void>> checkReachOfQueue(Call& call, QueueRef queue);
coro::Task<Result<void>> checkReachOfAction(Call& call, Lsn lsn);
/// Whether environment and inputs of this action are shown.
coro::Task<bool> maySeeInputs(Call& call, Lsn lsn);
/// An action as it was posted, without what maySeeInputs() is about.
std::string withoutInputs(std::string spec);
/// The JSON of a worker's descriptor as the caller sees it: who only reads does not see its environment.
std::string shownDescriptor(const Call& call, const std::string& canonical);

} // namespace yard::http
