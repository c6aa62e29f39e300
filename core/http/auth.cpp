#include "core/http/auth.h"

#include "core/base/hash.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <netinet/in.h>
#include <unistd.h>

namespace yard::http {

namespace {

Error forbidden(std::string message) {
    return Error{.kind = ErrorKind::Forbidden, .message = std::move(message), .field = {}, .need = {}};
}

} // namespace

std::string machineName() {
    char text[256] = {};
    if (::gethostname(text, sizeof text - 1) != 0) return {};
    return text;
}

std::optional<HostPort> parseHostPort(std::string_view text) {
    HostPort parsed;
    std::string_view rest;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        parsed.host = text.substr(1, end - 1);
        rest = text.substr(end + 1);
    } else {
        const std::size_t colon = text.find(':');
        parsed.host = text.substr(0, colon);
        rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
    }
    if (parsed.host.empty()) return std::nullopt;
    if (rest.empty()) return parsed;
    if (rest.front() != ':') return std::nullopt;
    rest.remove_prefix(1);
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
    if (rest.empty() || problem != std::errc{} || end != rest.data() + rest.size()) return std::nullopt;
    parsed.port = port;
    return parsed;
}

bool isIpLiteral(const std::string& host) {
    in6_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1 || ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

Gate::Gate(std::string token, std::vector<std::string> allowHosts)
    : token_(std::move(token))
    , names_(std::move(allowHosts)) {
    names_.emplace_back("localhost");
    if (std::string name = machineName(); !name.empty()) names_.push_back(std::move(name));
}

bool Gate::isOurs(std::string_view host) const {
    return std::ranges::any_of(names_, [&](const std::string& name) { return equalsNoCase(name, host); }) ||
           isIpLiteral(std::string(host));
}

std::optional<Error> Gate::checkPlace(const RequestHead& head, std::uint16_t localPort, bool secure) const {
    if (const auto host = head.field("Host")) {
        const auto parsed = parseHostPort(*host);
        if (!parsed || !isOurs(parsed->host))
            return forbidden(
                "This engine does not go by the name in Host; use localhost or an IP address, or start "
                "it with --allow-host NAME.");
    }
    const auto origin = head.field("Origin");
    if (!origin) return std::nullopt;
    const std::string_view scheme = secure ? "https://" : "http://";
    const auto parsed = origin->starts_with(scheme) ? parseHostPort(origin->substr(scheme.size())) : std::nullopt;
    if (!parsed || head.count("Origin") > 1 || !isOurs(parsed->host) ||
        parsed->port.value_or(secure ? 443 : 80) != localPort)
        return forbidden(
            "Pages of other places may not drive this engine; start it with --allow-host NAME for those of yours.");
    return std::nullopt;
}

std::optional<std::string_view> bearerOf(const RequestHead& head) {
    constexpr std::string_view kBearer = "Bearer ";
    const auto field = head.field("Authorization");
    if (!field || field->size() <= kBearer.size() || !equalsNoCase(field->substr(0, kBearer.size()), kBearer))
        return std::nullopt;
    return field->substr(kBearer.size());
}

Error tokenMissing() {
    return Error{.kind = ErrorKind::Unauthorized,
                 .message =
                     "Send \"Authorization: Bearer TOKEN\"; the token is in the file `token` of the engine's "
                     "data directory.",
                 .field = {},
                 .need = {}};
}

std::optional<Error> Gate::checkToken(const RequestHead& head) const {
    const auto token = bearerOf(head);
    if (token && equalConstantTime(*token, token_)) return std::nullopt;
    return Error{.kind = ErrorKind::Unauthorized,
                 .message = head.field("Authorization")
                                ? "The token is not this engine's; take the one in the file `token` of its data "
                                  "directory."
                                : tokenMissing().message,
                 .field = {},
                 .need = {}};
}

} // namespace yard::http
