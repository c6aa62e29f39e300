#include "core/http/idempotency_key.h"

#include "core/json/utf8.h"

#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace yard::http {

Result<std::string> idempotencyKey(const Call& call) {
    const auto key = call.request.head.field("Idempotency-Key");
    if (!key) return std::string();
    if (key->empty() || key->size() > kMaxKey || !isUtf8(*key))
        return invalid("Idempotency-Key",
                       fmt::format("Give Idempotency-Key as UTF-8 text of 1 to {} bytes.", kMaxKey));
    // Each token has keys of its own, the owner plain ones: also one that has the name of another that was removed. No
    // field of a header has a line break, so no key of the owner is one of a token.
    const Caller* caller = call.request.presence.caller();
    return caller && !caller->name.empty() ? fmt::format("\n{}\n{}", caller->hash.hex(), *key) : std::string(*key);
}

Hash256 requestHash(std::string_view path, std::string_view body) {
    Sha256 hash;
    hash.update(path);
    hash.update(std::string_view("\n"));
    hash.update(body);
    return hash.finish();
}

coro::Task<Result<std::optional<store::Idempotency>>> idempotencyOf(Call& call) {
    auto key = idempotencyKey(call);
    if (!key) co_return std::unexpected(std::move(key.error()));
    if (key->empty()) co_return std::optional<store::Idempotency>();
    store::Idempotency once{.key = *std::move(key), .body = {}, .answer = {}};
    std::string& body = call.request.body;
    if (body.size() <= kInlineBytes) {
        once.body = requestHash(call.request.head.path(), body);
        co_return std::optional(std::move(once));
    }
    auto job = [path = std::string(call.request.head.path()), text = std::move(body)]() mutable {
        const Hash256 hash = requestHash(path, text);
        return std::pair(hash, std::move(text));
    };
    std::tie(once.body, body) = co_await call.helpers.run(std::move(job));
    co_return std::optional(std::move(once));
}

} // namespace yard::http
