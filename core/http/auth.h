// Who may speak to this engine: the bearer token (whose it is, tokens.h says), and for browsers, which carry other people's
// pages, the names by which it may be called. Immutable; any thread.
#pragma once

#include "core/base/error.h"
#include "core/http/message.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

class Gate {
public:
    /// `allowHosts`: names beside IP literals, localhost and this machine's name.
    Gate(std::string token, std::vector<std::string> allowHosts);

    /// Forbidden when Host or Origin are foreign: a page whose name was pointed at this machine, or any other page.
    /// `secure`: it came by TLS, as pages that may do so must have.
    std::optional<Error> checkPlace(const RequestHead& head, std::uint16_t localPort, bool secure = false) const;
    /// Unauthorized when the owner's token is missing or wrong; compared in constant time.
    std::optional<Error> checkToken(const RequestHead& head) const;

private:
    bool isOurs(std::string_view host) const;
    std::string token_;
    std::vector<std::string> names_;
};

/// What follows "Bearer " in Authorization; nothing where it is missing or of another kind.
std::optional<std::string_view> bearerOf(const RequestHead& head);
/// The answer to a request without a token.
Error tokenMissing();

/// "name:80" or "[::1]:80" or a name alone, taken apart. Nothing when it is neither.
struct HostPort {
    std::string host; ///< without brackets
    std::optional<std::uint16_t> port;
};
std::optional<HostPort> parseHostPort(std::string_view text);
bool isIpLiteral(const std::string& host);
/// As this machine calls itself; empty: it does not say.
std::string machineName();

} // namespace yard::http
