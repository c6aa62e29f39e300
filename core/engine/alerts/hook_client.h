// Sends one message to a webhook: HTTP over a socket, or TLS where the address says so. The answer is hostile: of it the
// head is read, up to 16 KiB, and the connection is closed.
//
// Owner: the loop it is called on; names are looked up on a helper. Bounds: the time that is given, kMostRedirects.
#pragma once

#include "core/alerts/url.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/coro/helper_pool.h"
#include "core/coro/loop.h"
#include "core/coro/task.h"

#include <string>

namespace yard::engine {

struct HookRequest {
    alerts::Url url;
    std::string body;    ///< JSON
    std::string allowed; ///< where redirections may lead beside their origin: alerts::mayFollow()
};

inline constexpr int kMostRedirects = 5;

/// The status of the answer, which is 200 to 299. Io, with a sentence: nobody answers in time, another status, or a
/// redirection that is not followed.
coro::Task<Result<int>> sendHook(coro::Loop& loop, coro::HelperPool& helpers, HookRequest request, Duration limit);

} // namespace yard::engine
