// Join tokens: what lets machines open a link to this engine (docs/machines.md).
#include "core/http/route.h"

#include "core/http/auth.h"
#include "core/http/error_map.h"
#include "core/http/handler_steps.h"
#include "core/http/join_tokens.h"
#include "core/json/json_writer.h"
#include "core/model/api_address.h"
#include "core/tls/server_tls.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace yard::http {

namespace {

bool isLoopbackName(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Where machines find this engine, as far as it can tell: by the name that this request calls it, or, where that leads
/// to no other machine and others are served, by this machine's.
std::string urlFor(const Call& call) {
    const std::string authority(call.request.head.field("Host").value_or("localhost"));
    const auto place = parseHostPort(authority);
    const bool reachesOthers = call.api.tls || call.api.insecure;
    std::string host = authority;
    if (place && reachesOthers && isLoopbackName(place->host))
        if (const std::string name = machineName(); !name.empty())
            host = fmt::format("{}:{}", name, place->port.value_or(call.request.localPort));
    return publishedAddress(fmt::format("{}://{}", call.api.tls ? "https" : "http", host), call.api.prefix);
}

void writeMembers(JsonWriter& writer, const JoinTokens::Token& token) {
    writer.member("id", token.id);
    writer.member("uses", token.uses);
    writer.member("used", token.used);
    writer.member("created", token.created);
    writer.member("expires", token.expires);
    if (token.maxCores > 0) writer.member("max_cores", token.maxCores);
}

coro::Task<Response> listJoinTokens(Call& call) {
    const auto tokens = call.api.joins.all();
    if (!tokens) co_return errorResponse(tokens.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("tokens");
    writer.openArray();
    for (const JoinTokens::Token& token : *tokens) {
        writer.openObject();
        writeMembers(writer, token);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> makeJoinToken(Call& call) {
    JoinTokens::Wanted wanted;
    const auto uses = call.body.integer("uses", 1, JoinTokens::kMostUses);
    if (!uses) co_return errorResponse(uses.error());
    const auto seconds = call.body.integer("expires_s", 1, JoinTokens::kMostSeconds);
    if (!seconds) co_return errorResponse(seconds.error());
    const auto cores = call.body.integer("max_cores", 1, JoinTokens::kMostCores);
    if (!cores) co_return errorResponse(cores.error());
    wanted.uses = uses->value_or(wanted.uses);
    wanted.seconds = seconds->value_or(wanted.seconds);
    wanted.maxCores = cores->value_or(wanted.maxCores);
    const auto made = co_await call.api.joins.make(wanted, call.helpers);
    if (!made) co_return errorResponse(made.error());
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeMembers(writer, made->token);
    writer.member("token",
                  call.api.tls ? fmt::format("{}.{}", made->secret, call.api.tls->fingerprint()) : made->secret);
    writer.member("url", urlFor(call));
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> removeJoinToken(Call& call) {
    const std::int64_t id = call.number();
    const auto removed = co_await call.api.joins.remove(
        id, [&engine = call.engine] { return keysOfMachines(engine); }, call.helpers);
    co_return removed ? jsonResponse(fmt::format(R"({{"id":{}}})", id)) : errorResponse(removed.error());
}

} // namespace

std::span<const Route> machineTokenRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "machines/tokens", Global, None, Needs::Admin},
         &listJoinTokens,
         {.id = "listJoinTokens",
          .summary = "The tokens with which machines may join, without the tokens themselves",
          .answers = {{{200, "JoinTokens"}}}}},
        {{Post, "machines/tokens", Global, OptionalJson, Needs::Admin},
         &makeJoinToken,
         {.id = "makeJoinToken",
          .summary = "Make a token with which machines may join; it is told once",
          .members = "uses expires_s max_cores",
          .request = "NewJoinToken",
          .answers = {{{200, "MadeJoinToken"}}}}},
        {{Delete, "machines/tokens/{id}", Global, OptionalJson, Needs::Admin},
         &removeJoinToken,
         {.id = "removeJoinToken",
          .summary = "Remove a join token; machines that joined with it stay, keys of those that never came go",
          .answers = {{{200, "JoinTokenRemoved"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
