// Certificates: made once, read from files, refused with a sentence, replaced while a server goes on.
#include "core/base/certificate_key.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/tls/server_tls.h"
#include "core/tls/trust.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QTest>
#include <cstdio>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace yard;
using namespace yard::tls;

namespace {

std::string modeOf(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? fmt::format("{:o}", status.st_mode & 0777) : "(none)";
}

/// Of a certificate in a file, by another way than the room's own.
std::string fingerprintInFile(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "r");
    if (!file) return "(none)";
    ::X509* certificate = ::PEM_read_X509(file, nullptr, nullptr, nullptr);
    std::fclose(file);
    if (!certificate) return "(no certificate)";
    unsigned char* der = nullptr;
    const int size = ::i2d_PUBKEY(::X509_get0_pubkey(certificate), &der);
    const std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
    ::OPENSSL_free(der);
    ::X509_free(certificate);
    return Sha256::of(bytes).hex();
}

bool writeLockedKey(const std::string& path) {
    ::EVP_PKEY* key = ::EVP_EC_gen("P-256");
    std::FILE* file = std::fopen(path.c_str(), "w");
    char word[] = "secret";
    const bool written = key && file &&
                         ::PEM_write_PrivateKey(file, key, ::EVP_aes_256_cbc(),
                                                reinterpret_cast<unsigned char*>(word), 6, nullptr, nullptr) == 1;
    if (file) std::fclose(file);
    ::EVP_PKEY_free(key);
    return written;
}

} // namespace

class TestIdentity : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneIsMadeAndKept();
    void theFingerprintIsThatOfThePublicKey();
    void whatCannotBeUsedIsSaid_data();
    void whatCannotBeUsedIsSaid();
    void halfOfAnOwnOneIsNotReplaced();
    void aDirectoryThatCannotBeMadeIsSaid();
    void replacedFilesAreTakenOver();
    void filesThatCannotBeUsedLeaveWhatWasThere();
    void filesThatCouldNotBeOpenedAreTriedAgain();
    void anOwnOneIsNeverReplaced();
    void fingerprintsAreKnown();
    void bytesThatAreNoCertificateHaveNone();

private:
    std::string path(const std::string& name) const { return dir_.path().toStdString() + "/" + name; }
    /// One of its own in a directory.
    IdentityFiles made(const std::string& name) const {
        if (!Identity::own(path(name))) qFatal("no identity was made");
        return {.certificate = path(name) + "/certificate.pem", .key = path(name) + "/key.pem"};
    }
    void copy(const std::string& from, const std::string& to) const {
        if (!writeFileAtomically(to, readFile(from).value_or(""), 0600)) qFatal("not copied");
    }

    QTemporaryDir dir_;
};

void TestIdentity::oneIsMadeAndKept() {
    const auto first = Identity::own(path("kept"));
    QVERIFY(first.has_value());
    const auto second = Identity::own(path("kept"));
    QVERIFY(second.has_value());
    QCOMPARE(second->fingerprint(), first->fingerprint());
    QCOMPARE(modeOf(path("kept")), std::string("700"));
    QCOMPARE(modeOf(path("kept/key.pem")), std::string("600"));
    QCOMPARE(modeOf(path("kept/certificate.pem")), std::string("600"));
    QVERIFY(Identity::own(path("other"))->fingerprint() != first->fingerprint());
}

void TestIdentity::theFingerprintIsThatOfThePublicKey() {
    const IdentityFiles files = made("printed");
    QCOMPARE(Identity::read(files)->fingerprint(), fingerprintInFile(files.certificate));
}

void TestIdentity::whatCannotBeUsedIsSaid_data() {
    QTest::addColumn<QByteArray>("certificate");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("field");
    const IdentityFiles good = made("good");
    const IdentityFiles other = made("another");
    QVERIFY(writeFileAtomically(path("text"), "no PEM\n", 0600).has_value());
    QVERIFY(writeLockedKey(path("locked")));
    const auto row = [](const char* name, const std::string& certificate, const std::string& key,
                        const char* field) {
        QTest::newRow(name) << QByteArray::fromStdString(certificate) << QByteArray::fromStdString(key)
                            << QByteArray(field);
    };
    row("no certificate", path("nothing"), good.key, "tls-cert");
    row("a certificate that is no PEM", path("text"), good.key, "tls-cert");
    row("no key", good.certificate, path("nothing"), "tls-key");
    row("a key that is no PEM", good.certificate, path("text"), "tls-key");
    row("the key of another", good.certificate, other.key, "tls-key");
    row("a key with a passphrase", good.certificate, path("locked"), "tls-key");
}

void TestIdentity::whatCannotBeUsedIsSaid() {
    QFETCH(QByteArray, certificate);
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, field);
    const auto read = Identity::read({.certificate = certificate.toStdString(), .key = key.toStdString()});
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().kind, ErrorKind::Invalid);
    QCOMPARE(read.error().field, field.toStdString());
    QVERIFY2(read.error().message.contains("cannot be used as"), read.error().message.c_str());
}

void TestIdentity::halfOfAnOwnOneIsNotReplaced() {
    const IdentityFiles files = made("half");
    QCOMPARE(::unlink(files.key.c_str()), 0);
    const auto read = Identity::own(path("half"));
    QVERIFY(!read.has_value());
    QVERIFY2(read.error().message.contains("Or remove " + path("half")), read.error().message.c_str());
    QCOMPARE(::unlink(files.certificate.c_str()), 0);
    QVERIFY(Identity::own(path("half")).has_value());
}

void TestIdentity::aDirectoryThatCannotBeMadeIsSaid() {
    QVERIFY(writeFileAtomically(path("file"), "x", 0600).has_value());
    QVERIFY(!Identity::own(path("file/tls")).has_value());
}

void TestIdentity::replacedFilesAreTakenOver() {
    const IdentityFiles first = made("first");
    const IdentityFiles second = made("second");
    const IdentityFiles used{.certificate = path("used.pem"), .key = path("used.key")};
    copy(first.certificate, used.certificate);
    copy(first.key, used.key);
    auto tls = ServerTls::of(used);
    QVERIFY(tls.has_value());
    ServerTls& server = **tls;
    QVERIFY(server.mayChange());
    std::vector<std::string> told;
    server.onChanged = [&](const std::string& fingerprint) { told.push_back(fingerprint); };
    server.reload();
    QCOMPARE(server.fingerprint(), Identity::read(first)->fingerprint());
    copy(second.certificate, used.certificate);
    copy(second.key, used.key);
    server.reload();
    QCOMPARE(server.fingerprint(), Identity::read(second)->fingerprint());
    QCOMPARE(told, std::vector<std::string>{server.fingerprint()});
    QVERIFY(server.accept() != nullptr);
    // The same key again is no other fingerprint.
    copy(second.certificate, used.certificate);
    server.reload();
    QCOMPARE(told.size(), std::size_t(1));
}

void TestIdentity::filesThatCannotBeUsedLeaveWhatWasThere() {
    const IdentityFiles first = made("before");
    auto tls = ServerTls::of(first);
    QVERIFY(tls.has_value());
    const std::string before = (*tls)->fingerprint();
    (*tls)->onChanged = [](const std::string&) { QFAIL("nothing has changed"); };
    QVERIFY(writeFileAtomically(first.certificate, "half of", 0600).has_value());
    (*tls)->reload();
    QCOMPARE((*tls)->fingerprint(), before);
    QCOMPARE(::unlink(first.key.c_str()), 0);
    (*tls)->reload();
    QCOMPARE((*tls)->fingerprint(), before);
    QVERIFY((*tls)->accept() != nullptr);
    QVERIFY(!ServerTls::of(first).has_value());
}

void TestIdentity::filesThatCouldNotBeOpenedAreTriedAgain() {
    const IdentityFiles used = made("tried");
    const IdentityFiles next = made("next");
    auto tls = ServerTls::of(used);
    QVERIFY(tls.has_value());
    const std::string before = (*tls)->fingerprint();
    copy(next.certificate, used.certificate);
    copy(next.key, used.key);
    rlimit files{};
    QCOMPARE(::getrlimit(RLIMIT_NOFILE, &files), 0);
    rlimit none = files;
    none.rlim_cur = 0;
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &none), 0);
    (*tls)->reload();
    const std::string meanwhile = (*tls)->fingerprint();
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &files), 0);
    QCOMPARE(meanwhile, before);
    (*tls)->reload();
    QCOMPARE((*tls)->fingerprint(), Identity::read(next)->fingerprint());
}

void TestIdentity::anOwnOneIsNeverReplaced() {
    auto tls = ServerTls::own(path("own"));
    QVERIFY(tls.has_value());
    QVERIFY(!(*tls)->mayChange());
    (*tls)->reload();
    QCOMPARE((*tls)->fingerprint(), Identity::own(path("own"))->fingerprint());
    QVERIFY(writeFileAtomically(path("blocked"), "x", 0600).has_value());
    QVERIFY(!ServerTls::own(path("blocked")).has_value());
}

void TestIdentity::fingerprintsAreKnown() {
    QVERIFY(isFingerprint(std::string(64, 'a')));
    QVERIFY(!isFingerprint(std::string(64, 'A')));
    QVERIFY(!isFingerprint(std::string(63, 'a')));
    QVERIFY(!isFingerprint(""));
}

void TestIdentity::bytesThatAreNoCertificateHaveNone() {
    using namespace std::string_view_literals;
    for (const std::string_view der :
         {""sv, "\x30"sv, "\x30\x00"sv, "\x31\x02\x30\x00"sv, "\x30\x80"sv, "\x30\x85\x01\x01\x01\x01\x01"sv,
          "\x30\x84\xff\xff\xff\xff"sv, "\x30\x82\x01"sv, "\x30\x03\x30\x01\xa0"sv,
          "\x30\x0c\x30\x0a\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00"sv,
          "\x30\x0e\x30\x0c\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00"sv})
        QVERIFY(!publicKeyHash(der));
    // Five parts and a key, which is nothing but its header here.
    const std::string_view least = "\x30\x0e\x30\x0c\x02\x00\x02\x00\x02\x00\x02\x00\x02\x00\x30\x00"sv;
    QCOMPARE(publicKeyHash(least)->hex(), Sha256::of("\x30\x00"sv).hex());
    for (std::size_t size = 0; size < least.size(); ++size) QVERIFY(!publicKeyHash(least.substr(0, size)));
}

QTEST_GUILESS_MAIN(TestIdentity)
#include "tst_identity.moc"
