#include "app/yardctl/http_client.h"
#include "core/base/port.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::unexpected<Error> badUrl(std::string_view url, std::string_view why) {
    return fail(ErrorKind::Invalid, fmt::format("{} is not an address of an engine: {}; write it as "
                                                "http://HOST:PORT or https://HOST:PORT",
                                                url, why));
}

bool isHostCharacter(char c) {
    const auto u = static_cast<unsigned char>(c);
    return u > 0x20 && u < 0x7f && std::string_view("/?#@[]\\\"<>").find(c) == std::string_view::npos;
}

} // namespace

Result<Endpoint> Endpoint::parse(std::string_view url) {
    const bool secure = url.starts_with("https://");
    const std::string_view scheme = secure ? "https://" : "http://";
    if (!url.starts_with(scheme)) return badUrl(url, "it begins with neither http:// nor https://");
    ApiAddress api = apiOfWritten(url);
    Endpoint out;
    out.secure = secure;
    out.prefix = std::move(api.prefix);
    std::string_view host = std::string_view(api.server).substr(scheme.size());
    std::string_view port;
    if (host.starts_with('[')) {
        const std::size_t close = host.find(']');
        if (close == std::string_view::npos) return badUrl(url, "a bracket is not closed");
        port = host.substr(close + 1);
        host = host.substr(1, close - 1);
    } else if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
        port = host.substr(colon);
        host = host.substr(0, colon);
    }
    if (port.starts_with(':')) {
        if (!isPort(port.substr(1))) return badUrl(url, "the port is not a number from 1 to 65535");
        out.port = port.substr(1);
    } else if (!port.empty()) {
        return badUrl(url, "only a port may follow the host");
    }
    if (host.empty() || !std::ranges::all_of(host, isHostCharacter))
        return badUrl(url, "there is no host name in it");
    out.host = host;
    return out;
}

std::string Endpoint::authority() const {
    const bool brackets = host.find(':') != std::string::npos;
    return brackets ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string Endpoint::url() const {
    return (secure ? "https://" : "http://") + authority();
}

bool Endpoint::isLoopback() const {
    // Digits and dots only: 127.example.org is somebody else.
    const bool numeric = host.find_first_not_of("0123456789.") == std::string::npos;
    return host == "localhost" || host == "::1" || (numeric && host.starts_with("127."));
}

Result<void> Endpoint::checkPrivacy(bool insecure) const {
    // Any address of this machine: that is where it leads.
    const bool isHere = isLoopback() || host == "0.0.0.0" || host == "::";
    if (secure || insecure || isHere) return {};
    return fail(
        ErrorKind::Invalid,
        fmt::format("{} is plain HTTP to another machine: others can read along, tokens too. Use https:// there "
                    "(an engine that listens beyond its machine serves it), a tunnel (ssh -L), or --insecure",
                    url()));
}

} // namespace yard::ctl
