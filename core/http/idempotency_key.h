// The Idempotency-Key of a request: what it is known by when it comes again. Functions; any thread of http.
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/coro/task.h"
#include "core/http/route.h"
#include "core/store/idempotency.h"

#include <optional>
#include <string>
#include <string_view>

namespace yard::http {

/// Of who asks; empty: there is none. Invalid: it is no key.
Result<std::string> idempotencyKey(const Call& call);

/// Covers the path: the same key elsewhere is another request.
Hash256 requestHash(std::string_view path, std::string_view body);

/// Key and hash of a request; nothing where it has no key. Errors as idempotencyKey().
coro::Task<Result<std::optional<store::Idempotency>>> idempotencyOf(Call& call);

} // namespace yard::http
