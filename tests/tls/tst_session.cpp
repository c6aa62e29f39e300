// Two ends of TLS without a socket: who is trusted, what passes, how it ends, and what is refused.
#include "core/base/files.h"
#include "core/tls/session.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cstdlib>
#include <memory>
#include <openssl/ssl.h>
#include <string>
#include <string_view>

using namespace yard;
using namespace yard::tls;

namespace {

using Step = Session::Step;

void carry(Session& from, Session& to) {
    const std::string bytes = from.output();
    for (std::size_t at = 0; at < bytes.size(); at += Session::kMostFed)
        to.feed(std::string_view(bytes).substr(at, Session::kMostFed));
}

/// What each end has come to.
struct Ends {
    Step client = Step::NeedsMore;
    Step server = Step::NeedsMore;
};

Ends shakeHands(Session& client, Session& server) {
    Ends ends;
    for (int i = 0; i < 10; ++i) {
        ends.client = client.handshake();
        carry(client, server);
        ends.server = server.handshake();
        carry(server, client);
    }
    return ends;
}

std::string readAll(Session& from, Step& last) {
    std::string all;
    std::array<char, 1000> room;
    std::size_t count = 0;
    while ((last = from.read(room, count)) == Step::Done) all.append(room.data(), count);
    return all;
}

/// An end of OpenSSL's own that speaks TLS 1.2 at most: its first bytes.
std::string oldHello() {
    ::SSL_CTX* context = ::SSL_CTX_new(::TLS_client_method());
    ::SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
    ::SSL* ssl = ::SSL_new(context);
    ::BIO* in = ::BIO_new(::BIO_s_mem());
    ::BIO* out = ::BIO_new(::BIO_s_mem());
    ::SSL_set_bio(ssl, in, out);
    (void)::SSL_connect(ssl);
    std::array<char, 4096> bytes;
    const int size = ::BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
    ::SSL_free(ssl);
    ::SSL_CTX_free(context);
    return size > 0 ? std::string(bytes.data(), static_cast<std::size_t>(size)) : std::string();
}

/// A client of OpenSSL's own, which does what Session never does: it asks for new keys again and again.
class Rekeying {
public:
    Rekeying()
        : context_(::SSL_CTX_new(::TLS_client_method()))
        , ssl_(::SSL_new(context_)) {
        ::SSL_set_bio(ssl_, ::BIO_new(::BIO_s_mem()), ::BIO_new(::BIO_s_mem()));
        ::SSL_set_connect_state(ssl_);
    }
    Rekeying(const Rekeying&) = delete;
    Rekeying& operator=(const Rekeying&) = delete;
    ~Rekeying() {
        ::SSL_free(ssl_);
        ::SSL_CTX_free(context_);
    }
    bool shakeHands(Session& server) {
        bool done = false;
        for (int i = 0; i < 10 && !done; ++i) {
            (void)::SSL_do_handshake(ssl_);
            server.feed(output());
            done = server.handshake() == Step::Done;
            const std::string bytes = server.output();
            (void)::BIO_write(::SSL_get_rbio(ssl_), bytes.data(), static_cast<int>(bytes.size()));
        }
        return done;
    }
    /// What asks for new keys; empty where that failed.
    std::string newKeys(bool answered) {
        const int type = answered ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED;
        const bool asked = ::SSL_key_update(ssl_, type) == 1 && ::SSL_do_handshake(ssl_) == 1;
        return asked ? output() : std::string();
    }
    std::string said(std::string_view text) {
        (void)::SSL_write(ssl_, text.data(), static_cast<int>(text.size()));
        return output();
    }

private:
    std::string output() {
        std::array<char, 8192> bytes;
        const int size = ::BIO_read(::SSL_get_wbio(ssl_), bytes.data(), static_cast<int>(bytes.size()));
        return size > 0 ? std::string(bytes.data(), static_cast<std::size_t>(size)) : std::string();
    }
    ::SSL_CTX* context_;
    ::SSL* ssl_;
};

} // namespace

class TestSession : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aPinnedKeyIsTrusted();
    void anotherKeyIsNot();
    void withoutAPinAuthoritiesDecide();
    void whatIsSaidArrivesInOrder();
    void aGoodbyeIsHeard();
    void whatIsNoTlsFails();
    void olderVersionsAreRefused();
    void nothingIsSaidAfterAFailure();
    void whoSendsMuchAndSaysNothingIsLeft_data();
    void whoSendsMuchAndSaysNothingIsLeft();

private:
    std::unique_ptr<Session> client(const std::string& fingerprint, const std::string& host = "localhost") const {
        return std::move(*Session::connect({.fingerprint = fingerprint, .host = host}));
    }
    std::unique_ptr<Session> server() const { return Session::serve(*identity_); }

    QTemporaryDir dir_;
    std::unique_ptr<Identity> identity_;
};

void TestSession::initTestCase() {
    ::unsetenv("SSL_CERT_FILE");
    auto made = Identity::own(dir_.path().toStdString() + "/tls");
    QVERIFY(made.has_value());
    identity_ = std::make_unique<Identity>(std::move(*made));
}

void TestSession::aPinnedKeyIsTrusted() {
    // Whatever it is called: the pin decides.
    for (const char* host : {"localhost", "elsewhere.example", "127.0.0.1", "::1", "10.0.0.1"}) {
        const auto here = client(identity_->fingerprint(), host);
        const auto there = server();
        QVERIFY(here->peerFingerprint().empty());
        const Ends ends = shakeHands(*here, *there);
        QVERIFY2(ends.client == Step::Done && ends.server == Step::Done, host);
        QCOMPARE(here->peerFingerprint(), identity_->fingerprint());
        QVERIFY(!here->isMistrusted());
    }
}

void TestSession::anotherKeyIsNot() {
    const auto here = client(std::string(64, '0'));
    const auto there = server();
    const Ends ends = shakeHands(*here, *there);
    QVERIFY(ends.client == Step::Failed && ends.server == Step::Failed);
    QVERIFY(here->isMistrusted());
    QCOMPARE(here->peerFingerprint(), identity_->fingerprint());
    QCOMPARE(here->failure(), std::string("the server is not trusted"));
    QVERIFY2(there->failure().starts_with("TLS failed: "), there->failure().c_str());
}

void TestSession::withoutAPinAuthoritiesDecide() {
    const auto outcome = [this](const std::string& host) {
        const auto here = client("", host);
        const auto there = server();
        const Ends ends = shakeHands(*here, *there);
        return ends.client == Step::Done ? "trusted" : here->isMistrusted() ? "mistrusted" : "failed";
    };
    QCOMPARE(outcome("localhost"), "mistrusted");
    ::setenv("SSL_CERT_FILE", (dir_.path() + "/tls/certificate.pem").toLocal8Bit().constData(), 1);
    QCOMPARE(outcome("localhost"), "trusted");
    QCOMPARE(outcome("127.0.0.1"), "trusted");
    QCOMPARE(outcome("elsewhere.example"), "mistrusted");
    QCOMPARE(outcome("10.0.0.1"), "mistrusted");
    ::unsetenv("SSL_CERT_FILE");
}

void TestSession::whatIsSaidArrivesInOrder() {
    const auto here = client(identity_->fingerprint());
    const auto there = server();
    QVERIFY(shakeHands(*here, *there).server == Step::Done);
    Step last = Step::Done;
    QCOMPARE(readAll(*there, last), std::string());
    QVERIFY(last == Step::NeedsMore);
    QVERIFY(here->write("") == Step::Done);
    QVERIFY(here->write("one ") == Step::Done);
    QVERIFY(here->write(std::string(Session::kMostWritten, 'x')) == Step::Done);
    QVERIFY(there->peek() == Session::Peer::Silent);
    carry(*here, *there);
    QVERIFY(there->peek() == Session::Peer::Spoke);
    QCOMPARE(readAll(*there, last), "one " + std::string(Session::kMostWritten, 'x'));
    QVERIFY(there->write("two") == Step::Done);
    carry(*there, *here);
    QCOMPARE(readAll(*here, last), std::string("two"));
}

void TestSession::aGoodbyeIsHeard() {
    const auto here = client(identity_->fingerprint());
    const auto there = server();
    here->close(); // before anything: nothing to say
    QVERIFY(shakeHands(*here, *there).server == Step::Done);
    QVERIFY(here->write("last words") == Step::Done);
    here->close();
    carry(*here, *there);
    QVERIFY(there->peek() == Session::Peer::Spoke);
    Step last = Step::Done;
    QCOMPARE(readAll(*there, last), std::string("last words"));
    QVERIFY(last == Step::Ended);
    QVERIFY(there->peek() == Session::Peer::Gone);
}

void TestSession::whatIsNoTlsFails() {
    const auto there = server();
    there->feed("GET / HTTP/1.1\r\n\r\n");
    QVERIFY(there->handshake() == Step::Failed);
    QVERIFY2(there->failure().starts_with("TLS failed: "), there->failure().c_str());
    const auto here = client(identity_->fingerprint());
    QVERIFY(here->handshake() == Step::NeedsMore);
    here->feed("HTTP/1.1 400 Bad Request\r\n\r\n");
    QVERIFY(here->handshake() == Step::Failed);
    QVERIFY(!here->isMistrusted());
    QVERIFY(here->peerFingerprint().empty());
}

void TestSession::olderVersionsAreRefused() {
    const std::string hello = oldHello();
    QVERIFY(hello.size() > 40);
    const auto there = server();
    there->feed(hello);
    QVERIFY(there->handshake() == Step::Failed);
    QVERIFY(!there->output().empty()); // an alert says why
}

void TestSession::nothingIsSaidAfterAFailure() {
    const auto there = server();
    there->feed("garbage that is no TLS");
    QVERIFY(there->handshake() == Step::Failed);
    std::array<char, 8> room;
    std::size_t count = 0;
    QVERIFY(there->handshake() == Step::Failed);
    QVERIFY(there->read(room, count) == Step::Failed);
    QVERIFY(there->write("x") == Step::Failed);
    QVERIFY(there->peek() == Session::Peer::Gone);
    (void)there->output();
    there->close();
    QVERIFY(there->output().empty());
}

void TestSession::whoSendsMuchAndSaysNothingIsLeft_data() {
    QTest::addColumn<bool>("answered");
    QTest::addColumn<bool>("peeks");
    QTest::newRow("keys that are answered") << true << false;
    QTest::newRow("keys that are not") << false << false;
    QTest::newRow("nobody reads") << true << true;
}

void TestSession::whoSendsMuchAndSaysNothingIsLeft() {
    QFETCH(bool, answered);
    QFETCH(bool, peeks);
    const auto there = server();
    Rekeying here;
    QVERIFY(here.shakeHands(*there));
    std::array<char, 8> room;
    std::size_t count = 0;
    std::size_t sent = 0;
    const auto goesOn = [&] {
        return peeks ? there->peek() == Session::Peer::Silent : there->read(room, count) == Step::NeedsMore;
    };
    const auto rekey = [&](std::size_t most) {
        for (std::size_t size = 0; size < most;) {
            const std::string keys = here.newKeys(answered);
            if (keys.empty()) return false;
            size += keys.size();
            sent += keys.size();
            there->feed(keys);
            if (!goesOn()) return false;
        }
        return true;
    };
    QVERIFY(rekey(Session::kMostUnsaid / 2));
    if (!peeks) {
        // Who says something in between may go on.
        there->feed(here.said("x"));
        QVERIFY(there->read(room, count) == Step::Done && count == 1);
        QVERIFY(rekey(Session::kMostUnsaid / 2));
    }
    QVERIFY(!rekey(2 * Session::kMostUnsaid));
    QVERIFY2(sent <= 2 * Session::kMostUnsaid, std::to_string(sent).c_str());
    QCOMPARE(there->failure(), std::string("the peer sends much and says nothing"));
    QVERIFY(there->output().size() <= sent);
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
