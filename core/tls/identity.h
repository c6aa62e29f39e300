// What a server shows: a certificate and the key to it, from two PEM files, or made here once. Immutable; any thread.
// Reading and making block.
#pragma once

#include "core/base/error.h"

#include <memory>
#include <string>

struct ssl_ctx_st;

namespace yard::tls {

struct IdentityFiles {
    std::string certificate; ///< PEM, with what it was signed by behind it
    std::string key;         ///< PEM, without a passphrase
};

class Identity {
public:
    /// Invalid, with what is wrong: a file that cannot be read, is no PEM, or a key of another certificate.
    static Result<Identity> read(const IdentityFiles& files);
    /// That of a data directory: `directory`/certificate.pem and key.pem, both 0600. Where there is no certificate an
    /// ECDSA key (P-256), in the place of one that is there, and a certificate signed by itself are made. Io, NoSpace,
    /// Invalid.
    static Result<Identity> own(const std::string& directory);

    /// Of the public key: trust.h.
    const std::string& fingerprint() const { return fingerprint_; }
    /// TLS 1.3 only, without tickets. For Session.
    ssl_ctx_st* context() const { return context_.get(); }

private:
    Identity(std::shared_ptr<ssl_ctx_st> context, std::string fingerprint)
        : context_(std::move(context))
        , fingerprint_(std::move(fingerprint)) {}

    std::shared_ptr<ssl_ctx_st> context_;
    std::string fingerprint_;
};

} // namespace yard::tls
