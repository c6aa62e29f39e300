// Owners of OpenSSL's objects, and its reasons as text. Private to core/tls. Values; one thread at a time.
#pragma once

#include <memory>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <string>

namespace yard::tls {

struct FreeHandle {
    void operator()(::SSL_CTX* handle) const { ::SSL_CTX_free(handle); }
    void operator()(::SSL* handle) const { ::SSL_free(handle); }
    void operator()(::EVP_PKEY* handle) const { ::EVP_PKEY_free(handle); }
    void operator()(::X509* handle) const { ::X509_free(handle); }
    void operator()(::X509_EXTENSION* handle) const { ::X509_EXTENSION_free(handle); }
    void operator()(::BIO* handle) const { ::BIO_free_all(handle); }
    void operator()(::BIGNUM* handle) const { ::BN_free(handle); }
};
template<class T>
using Handle = std::unique_ptr<T, FreeHandle>;

/// Why the last call failed; empties this thread's list of errors.
inline std::string lastReason() {
    const unsigned long code = ::ERR_get_error();
    ::ERR_clear_error();
    const char* reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
    return reason ? reason : "no reason given";
}

} // namespace yard::tls
