// Whom a client believes to be the engine: who shows a certain public key, or whom the system's authorities vouch for.
// Values; any thread.
#pragma once

#include <string>
#include <string_view>

struct x509_st;

namespace yard::tls {

/// SHA-256 of the DER of its SubjectPublicKeyInfo, in 64 lower-case hex digits. A new certificate for the same key has
/// the same.
std::string fingerprintOf(x509_st* certificate);
/// Whether text is one.
bool isFingerprint(std::string_view text);

struct Trust {
    std::string fingerprint; ///< empty: the system's authorities decide, for `host`
    std::string host;        ///< a name or an IP literal
};

} // namespace yard::tls
