// The public key in an X.509 certificate, by which clients know a server again. Values; any thread.
#pragma once

#include "core/base/hash.h"

#include <optional>
#include <string_view>

namespace yard {

/// SHA-256 of the DER of its SubjectPublicKeyInfo: a new certificate for the same key has the same. Nothing where these
/// bytes, which may be anybody's, are no certificate in DER.
std::optional<Hash256> publicKeyHash(std::string_view der);

} // namespace yard
