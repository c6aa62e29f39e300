#include "core/tls/trust.h"

#include "core/base/certificate_key.h"
#include "core/tls/openssl_handles.h"

namespace yard::tls {

std::string fingerprintOf(x509_st* certificate) {
    unsigned char* der = nullptr;
    const int size = ::i2d_X509(certificate, &der);
    if (size <= 0) return {};
    const auto hash = publicKeyHash({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
    ::OPENSSL_free(der);
    return hash ? hash->hex() : std::string();
}

bool isFingerprint(std::string_view text) {
    return Hash256::fromHex(text).has_value();
}

} // namespace yard::tls
