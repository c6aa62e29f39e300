#include "core/tls/identity.h"

#include "core/base/files.h"
#include "core/tls/openssl_handles.h"
#include "core/tls/trust.h"

#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace yard::tls {

namespace {

constexpr long kDay = 24L * 3600;
/// Clocks differ; and whoever pins the key does not look at the end.
constexpr long kBeforeNow = kDay;
constexpr long kLifetime = 30 * 365 * kDay;
constexpr int kSerialBits = 127;

/// The terminal is not asked for one: an engine has none.
int noPassphrase(char*, int, int, void*) {
    return 0;
}

Result<Handle<::SSL_CTX>> serverContext() {
    Handle<::SSL_CTX> context(::SSL_CTX_new(::TLS_server_method()));
    if (!context) return fail(ErrorKind::Internal, fmt::format("TLS cannot be set up: {}", lastReason()));
    ::SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
    // A session that is resumed is not verified again.
    ::SSL_CTX_set_num_tickets(context.get(), 0);
    ::SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    ::SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
    ::SSL_CTX_set_default_passwd_cb(context.get(), &noPassphrase);
    return context;
}

std::string machineNameForCertificate() {
    char text[256] = {};
    if (::gethostname(text, sizeof text - 1) != 0) return "localhost";
    const std::string name(text);
    constexpr std::string_view kFits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
    constexpr std::size_t kMost = 64; // of a common name
    const bool fits = !name.empty() && name.size() <= kMost && name.find_first_not_of(kFits) == name.npos;
    return fits ? name : "localhost";
}

bool addExtension(::X509* certificate, int id, const std::string& value) {
    ::X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    ::X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    const Handle<::X509_EXTENSION> extension(::X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
    return extension && ::X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool setSerial(::X509* certificate) {
    const Handle<::BIGNUM> number(::BN_new());
    return number && ::BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
           ::BN_to_ASN1_INTEGER(number.get(), ::X509_get_serialNumber(certificate)) != nullptr;
}

bool setNames(::X509* certificate) {
    const std::string machine = machineNameForCertificate();
    ::X509_NAME* subject = ::X509_get_subject_name(certificate);
    const auto* text = reinterpret_cast<const unsigned char*>(machine.c_str());
    std::string others = "DNS:localhost,IP:127.0.0.1,IP:::1";
    if (machine != "localhost") others += ",DNS:" + machine;
    return ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
           ::X509_set_issuer_name(certificate, subject) == 1 &&
           addExtension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
           addExtension(certificate, NID_key_usage, "critical,digitalSignature") &&
           addExtension(certificate, NID_ext_key_usage, "serverAuth,clientAuth") &&
           addExtension(certificate, NID_subject_alt_name, others);
}

/// Null: OpenSSL says why.
Handle<::X509> signedByItself(::EVP_PKEY* key) {
    constexpr long kVersion3 = 2;
    Handle<::X509> certificate(::X509_new());
    const bool made = certificate && ::X509_set_version(certificate.get(), kVersion3) == 1 &&
                      setSerial(certificate.get()) &&
                      ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), -kBeforeNow) &&
                      ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), kLifetime) &&
                      ::X509_set_pubkey(certificate.get(), key) == 1 && setNames(certificate.get()) &&
                      ::X509_sign(certificate.get(), key, ::EVP_sha256()) > 0;
    return made ? std::move(certificate) : nullptr;
}

std::string textOf(::BIO* memory) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

Result<void> make(const IdentityFiles& files) {
    const auto failed = [] {
        return fail(ErrorKind::Internal, fmt::format("no certificate could be made: {}", lastReason()));
    };
    const Handle<::EVP_PKEY> key(::EVP_EC_gen("P-256"));
    if (!key) return failed();
    const Handle<::X509> certificate = signedByItself(key.get());
    const Handle<::BIO> keyText(::BIO_new(::BIO_s_mem()));
    const Handle<::BIO> certificateText(::BIO_new(::BIO_s_mem()));
    if (!certificate || !keyText || !certificateText) return failed();
    if (::PEM_write_bio_PrivateKey(keyText.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
        ::PEM_write_bio_X509(certificateText.get(), certificate.get()) != 1)
        return failed();
    // The key first: of a start that ended in between, the next one makes both again. A certificate alone it would keep.
    if (auto written = writeFileAtomically(files.key, textOf(keyText.get()), 0600, true); !written) return written;
    return writeFileAtomically(files.certificate, textOf(certificateText.get()), 0600, true);
}

} // namespace

Result<Identity> Identity::read(const IdentityFiles& files) {
    auto context = serverContext();
    if (!context) return std::unexpected(std::move(context.error()));
    ::SSL_CTX* raw = context->get();
    ::ERR_clear_error();
    if (::SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1)
        return invalid("tls-cert", fmt::format("{} cannot be used as a certificate ({}); give a file in PEM.",
                                               files.certificate, lastReason()));
    if (::SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        ::SSL_CTX_check_private_key(raw) != 1)
        return invalid("tls-key",
                       fmt::format("{} cannot be used as the key to {} ({}); give its key in PEM, without "
                                   "a passphrase.",
                                   files.key, files.certificate, lastReason()));
    std::string fingerprint = fingerprintOf(::SSL_CTX_get0_certificate(raw));
    return Identity(std::shared_ptr<ssl_ctx_st>(std::move(*context)), std::move(fingerprint));
}

Result<Identity> Identity::own(const std::string& directory) {
    const IdentityFiles files{.certificate = directory + "/certificate.pem", .key = directory + "/key.pem"};
    if (::access(files.certificate.c_str(), F_OK) != 0) {
        if (auto made = makeDirectories(directory, 0700, true); !made) return std::unexpected(made.error());
        if (auto made = make(files); !made) return std::unexpected(made.error());
    }
    auto read = Identity::read(files);
    if (!read)
        return fail(ErrorKind::Invalid,
                    fmt::format("{} Or remove {}, to have both made again: clients then ask whether "
                                "to trust the new ones.",
                                read.error().message, directory));
    return read;
}

} // namespace yard::tls
