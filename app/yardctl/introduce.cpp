// How an engine by TLS becomes known to its user: once, by its fingerprint.
#include "app/yardctl/confirm.h"
#include "app/yardctl/engine.h"
#include "app/yardctl/wire.h"

#include "core/model/known_engines.h"

#include <fmt/format.h>

namespace yard::ctl {

Result<void> introduce(Endpoint& endpoint) {
    Wire wire;
    const auto connected = wire.connect(endpoint, Timeouts{}.connect);
    // Vouched for by an authority; or not there, which the request itself will say.
    if (connected || wire.strangerFingerprint().empty()) return {};
    const std::string fingerprint = wire.strangerFingerprint();
    const std::string facts =
        fmt::format("{} is not known here; its fingerprint is {}", endpoint.url(), fingerprint);
    const auto trusted = isTrusted(facts, "Is that what the engine printed when it started? Trust it from now on?");
    if (!trusted)
        return fail(
            ErrorKind::Forbidden,
            fmt::format("{}. If the engine printed the same when it started, run yardctl at a terminal to trust "
                        "it, or add the line '{} {}' to {}",
                        facts, endpoint.authority(), fingerprint, endpoint.knownBy));
    if (!*trusted) return fail(ErrorKind::Forbidden, fmt::format("{} is not trusted", endpoint.url()));
    endpoint.fingerprint = fingerprint;
    return rememberFingerprint(endpoint.knownBy, endpoint.authority(), fingerprint);
}

} // namespace yard::ctl
