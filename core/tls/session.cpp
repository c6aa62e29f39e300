#include "core/tls/session.h"

#include "core/base/hash.h"
#include "core/tls/openssl_handles.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cassert>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/x509v3.h>
#include <utility>

namespace yard::tls {

struct Session::Ssl {
    Handle<::SSL_CTX> context; ///< a client's own
    Handle<::SSL> ssl;
    ::BIO* in = nullptr;  ///< `ssl` owns both
    ::BIO* out = nullptr; ///< …
};

namespace {

bool isAddress(const std::string& host) {
    in6_addr address{};
    return ::inet_pton(AF_INET, host.c_str(), &address) == 1 || ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

/// Whom the certificate has to name, where authorities decide; and for a name, which one of a server's is meant.
bool nameHost(::SSL* ssl, const std::string& host) {
    if (isAddress(host)) return ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(ssl), host.c_str()) == 1;
    return ::SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

Handle<::SSL_CTX> clientContext() {
    Handle<::SSL_CTX> context(::SSL_CTX_new(::TLS_client_method()));
    if (!context) return nullptr;
    ::SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
    ::SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    // Where they are missing nobody is vouched for.
    (void)::SSL_CTX_set_default_verify_paths(context.get());
    return context;
}

} // namespace

Session::Session(std::unique_ptr<Ssl> ssl)
    : ssl_(std::move(ssl)) {}

Session::~Session() = default;

std::unique_ptr<Session> Session::serve(const Identity& identity) {
    auto made = std::make_unique<Ssl>();
    made->ssl.reset(::SSL_new(identity.context()));
    made->in = ::BIO_new(::BIO_s_mem());
    made->out = ::BIO_new(::BIO_s_mem());
    if (!made->ssl || !made->in || !made->out) {
        ::BIO_free(made->in);
        ::BIO_free(made->out);
        return nullptr;
    }
    ::SSL_set_bio(made->ssl.get(), made->in, made->out);
    ::SSL_set_accept_state(made->ssl.get());
    return std::unique_ptr<Session>(new Session(std::move(made)));
}

Result<std::unique_ptr<Session>> Session::connect(Trust trust) {
    auto made = std::make_unique<Ssl>();
    made->context = clientContext();
    if (made->context) made->ssl.reset(::SSL_new(made->context.get()));
    made->in = ::BIO_new(::BIO_s_mem());
    made->out = ::BIO_new(::BIO_s_mem());
    if (!made->ssl || !made->in || !made->out || !nameHost(made->ssl.get(), trust.host)) {
        ::BIO_free(made->in);
        ::BIO_free(made->out);
        return fail(ErrorKind::Internal, fmt::format("TLS cannot be set up: {}", lastReason()));
    }
    ::SSL_set_bio(made->ssl.get(), made->in, made->out);
    ::SSL_set_connect_state(made->ssl.get());
    ::SSL_CTX* context = made->context.get();
    std::unique_ptr<Session> session(new Session(std::move(made)));
    session->trust_ = std::move(trust);
    ::SSL_CTX_set_cert_verify_callback(
        context, [](::X509_STORE_CTX* store, void* self) { return Session::verify(store, self); }, session.get());
    return session;
}

int Session::verify(void* store, void* self) {
    auto* context = static_cast<::X509_STORE_CTX*>(store);
    auto& session = *static_cast<Session*>(self);
    ::X509* certificate = ::X509_STORE_CTX_get0_cert(context);
    if (!certificate) return 0;
    session.peerFingerprint_ = fingerprintOf(certificate);
    bool trusted = false;
    if (!session.trust_.fingerprint.empty()) {
        trusted = equalConstantTime(session.peerFingerprint_, session.trust_.fingerprint);
        ::X509_STORE_CTX_set_error(context, trusted ? X509_V_OK : X509_V_ERR_CERT_UNTRUSTED);
    } else {
        trusted = ::X509_verify_cert(context) == 1;
    }
    session.mistrusted_ = !trusted;
    return trusted ? 1 : 0;
}

void Session::feed(std::string_view bytes) {
    assert(bytes.size() <= kMostFed);
    unsaid_ += bytes.size();
    if (!bytes.empty()) (void)::BIO_write(ssl_->in, bytes.data(), static_cast<int>(bytes.size()));
}

Session::Step Session::stepOf(int result) {
    const int error = ::SSL_get_error(ssl_->ssl.get(), result);
    if (error == SSL_ERROR_NONE) return Step::Done;
    if (error == SSL_ERROR_WANT_READ && unsaid_ <= kMostUnsaid) return Step::NeedsMore;
    if (error == SSL_ERROR_ZERO_RETURN) return Step::Ended;
    failed_ = true;
    failure_ = mistrusted_                    ? "the server is not trusted"
               : error == SSL_ERROR_WANT_READ ? "the peer sends much and says nothing"
                                              : fmt::format("TLS failed: {}", lastReason());
    ::ERR_clear_error();
    return Step::Failed;
}

Session::Step Session::handshake() {
    if (failed_) return Step::Failed;
    ::ERR_clear_error();
    return stepOf(::SSL_do_handshake(ssl_->ssl.get()));
}

Session::Step Session::read(std::span<char> into, std::size_t& count) {
    if (failed_) return Step::Failed;
    ::ERR_clear_error();
    count = 0;
    const int got = ::SSL_read_ex(ssl_->ssl.get(), into.data(), into.size(), &count);
    if (got != 1) return stepOf(got);
    unsaid_ = 0;
    return Step::Done;
}

Session::Step Session::write(std::string_view bytes) {
    assert(bytes.size() <= kMostWritten);
    if (failed_) return Step::Failed;
    if (bytes.empty()) return Step::Done;
    ::ERR_clear_error();
    std::size_t written = 0;
    const int done = ::SSL_write_ex(ssl_->ssl.get(), bytes.data(), bytes.size(), &written);
    return done == 1 ? Step::Done : stepOf(done);
}

void Session::close() {
    if (failed_ || ::SSL_is_init_finished(ssl_->ssl.get()) != 1) return;
    ::ERR_clear_error();
    (void)::SSL_shutdown(ssl_->ssl.get());
    ::ERR_clear_error();
}

Session::Peer Session::peek() {
    if (failed_) return Peer::Gone;
    char byte = 0;
    std::size_t count = 0;
    ::ERR_clear_error();
    const int got = ::SSL_peek_ex(ssl_->ssl.get(), &byte, 1, &count);
    if (got == 1) return Peer::Spoke;
    return stepOf(got) == Step::NeedsMore ? Peer::Silent : Peer::Gone;
}

std::string Session::output() {
    char* data = nullptr;
    const long size = BIO_get_mem_data(ssl_->out, &data);
    if (size <= 0) return {};
    std::string bytes(data, static_cast<std::size_t>(size));
    (void)BIO_reset(ssl_->out);
    return bytes;
}

} // namespace yard::tls
