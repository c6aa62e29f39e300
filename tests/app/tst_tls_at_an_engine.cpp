// yardmaster and yardctl by TLS, as people start them: beyond this machine, with a certificate of one's own, at a
// terminal that asks.
#include "core/model/known_engines.h"
#include "core/tls/identity.h"
#include "tests/app/ctl_process.h"
#include "tests/app/terminal_process.h"
#include "tests/torture/program.h"

#include <QTest>
#include <csignal>
#include <memory>

using namespace yard;
using namespace yard::torture;

namespace {

test::Ended ctl(const QStringList& words) {
    return test::CtlProcess(words).end();
}

QStringList at(const Place& place, const QStringList& words) {
    return QStringList{"--data-dir", QString::fromStdString(place.data())} + words;
}

/// The lines of the file `address`.
QStringList published(const Place& place) {
    return QString::fromStdString(fileText(place.path("data/address"))).split('\n', Qt::SkipEmptyParts);
}

/// By another name than the one that the engine wrote down: its user has to know it.
std::vector<std::string> fromElsewhere(const Place& place, const Yardmaster& engine) {
    return {"--url", fmt::format("https://127.0.0.1:{}", engine.port()), "--token-file", place.path("data/token"),
            "session"};
}

QStringList listOf(const std::vector<std::string>& words) {
    QStringList list;
    for (const std::string& word : words) list << QString::fromStdString(word);
    return list;
}

std::vector<std::string> withProgram(std::vector<std::string> words) {
    words.insert(words.begin(), YARDCTL_PATH);
    return words;
}

} // namespace

class TestTlsAtAnEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();

    void beyondThisMachineItServesTls();
    void insecureIsPlainAndSaid();
    void aCertificateOfOnesOwnIsServed();
    void aCertificateThatCannotBeUsedStopsTheStart();
    void withoutATerminalAStrangerIsRefused();
    void atATerminalAStrangerIsAskedAbout();
    void anotherKeyThanTheKnownOneIsRefused();
    void plainHttpElsewhereHasToBeMeant();
    void whoSpeaksNoTlsIsSaid();

private:
    std::unique_ptr<Place> place_;
};

void TestTlsAtAnEngine::init() {
    place_ = std::make_unique<Place>();
    qputenv("XDG_CONFIG_HOME", place_->path("config").c_str());
}

void TestTlsAtAnEngine::beyondThisMachineItServesTls() {
    Yardmaster engine(*place_, {.listen = "0.0.0.0:0"});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QStringList lines = published(*place_);
    QCOMPARE(lines.size(), 2);
    QCOMPARE(lines[0], QString("https://0.0.0.0:%1").arg(engine.port()));
    const auto own = tls::Identity::own(place_->path("data/tls"));
    QVERIFY(own.has_value());
    QCOMPARE(lines[1].toStdString(), own->fingerprint());
    // Who has the directory knows the engine.
    const test::Ended run = ctl(at(*place_, {"run", "-c", "echo by TLS"}));
    QCOMPARE(run.err, "");
    QCOMPARE(run.out, "by TLS\n");
    const test::Ended session = ctl(at(*place_, {"--json", "session"}));
    QVERIFY2(session.out.contains(R"("fingerprint":")" + own->fingerprint()), session.out.c_str());
    QVERIFY(!session.out.contains("insecure"));
    test::CtlProcess events(at(*place_, {"--json", "events"}));
    QVERIFY(events.waitForOutput(20));
    QVERIFY(events.outSoFar().contains("run_id"));
    // The end is told by TLS, too.
    QCOMPARE(engine.stop(), 0);
    QCOMPARE(events.end().code, 1);
    QVERIFY(published(*place_).isEmpty());
}

void TestTlsAtAnEngine::insecureIsPlainAndSaid() {
    Yardmaster engine(*place_, {.arguments = {"--insecure"}, .listen = "0.0.0.0:0"});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(published(*place_), QStringList{QString("http://0.0.0.0:%1").arg(engine.port())});
    QVERIFY(eventually([&] { return engine.errors().contains("plain HTTP beyond this machine"); }));
    const test::Ended session = ctl(at(*place_, {"--json", "session"}));
    QVERIFY2(session.out.contains(R"("insecure":true)"), session.out.c_str());
}

void TestTlsAtAnEngine::aCertificateOfOnesOwnIsServed() {
    QVERIFY(tls::Identity::own(place_->path("own")).has_value());
    const std::string certificate = place_->path("own/certificate.pem");
    Yardmaster engine(*place_,
                      {.arguments = {"--tls-cert", certificate, "--tls-key", place_->path("own/key.pem")}});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(published(*place_)[0], QString("https://127.0.0.1:%1").arg(engine.port()));
    QCOMPARE(ctl(at(*place_, {"session"})).code, 0);
    // An authority of the system vouches for it: nobody is asked.
    std::vector<std::string> words = fromElsewhere(*place_, engine);
    words[1] = fmt::format("https://localhost:{}", engine.port());
    QCOMPARE(ctl(listOf(words)).code, 1);
    qputenv("SSL_CERT_FILE", certificate.c_str());
    const test::Ended trusted = ctl(listOf(words));
    qunsetenv("SSL_CERT_FILE");
    QCOMPARE(trusted.err, "");
    QCOMPARE(trusted.code, 0);
}

void TestTlsAtAnEngine::aCertificateThatCannotBeUsedStopsTheStart() {
    writeText(place_->path("text"), "no certificate");
    Yardmaster engine(*place_,
                      {.arguments = {"--tls-cert", place_->path("text"), "--tls-key", place_->path("text")}});
    const std::string failure = engine.failure();
    QVERIFY2(failure.starts_with("1 ") && failure.contains("cannot be used as a certificate"), failure.c_str());
}

void TestTlsAtAnEngine::withoutATerminalAStrangerIsRefused() {
    Yardmaster engine(*place_, {.listen = "0.0.0.0:0"});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string authority = fmt::format("127.0.0.1:{}", engine.port());
    const std::string fingerprint = published(*place_)[1].toStdString();
    for (const char* command : {"session", "events"}) {
        std::vector<std::string> words = fromElsewhere(*place_, engine);
        words.back() = command;
        const test::Ended refused = ctl(listOf(words));
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.err.contains("is not known here; its fingerprint is " + fingerprint), refused.err.c_str());
        QVERIFY2(refused.err.contains("add the line '" + authority + " " + fingerprint + "'"), refused.err.c_str());
    }
    // As it says.
    QVERIFY(rememberFingerprint(knownEnginesFile(), authority, fingerprint).has_value());
    QCOMPARE(ctl(listOf(fromElsewhere(*place_, engine))).code, 0);
}

void TestTlsAtAnEngine::atATerminalAStrangerIsAskedAbout() {
    Yardmaster engine(*place_, {.listen = "0.0.0.0:0"});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string authority = fmt::format("127.0.0.1:{}", engine.port());
    const std::vector<std::string> words = withProgram(fromElsewhere(*place_, engine));
    test::TerminalProcess doubtful(words, 24, 200);
    QVERIFY(doubtful.shows("[y/N]"));
    doubtful.type("\r");
    QVERIFY(doubtful.shows("is not trusted"));
    QCOMPARE(doubtful.end(), 1);
    QCOMPARE(knownFingerprint(knownEnginesFile(), authority).value_or("?"), std::string());
    test::TerminalProcess sure(words, 24, 200);
    QVERIFY(sure.shows(published(*place_)[1].toStdString()));
    QVERIFY(sure.shows("[y/N]"));
    sure.type("y\r");
    QCOMPARE(sure.end(), 0);
    QCOMPARE(knownFingerprint(knownEnginesFile(), authority).value_or("?"), published(*place_)[1].toStdString());
    // It is not asked again.
    QCOMPARE(ctl(listOf(fromElsewhere(*place_, engine))).err, "");
}

void TestTlsAtAnEngine::anotherKeyThanTheKnownOneIsRefused() {
    Yardmaster engine(*place_, {.listen = "0.0.0.0:0"});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string known(64, 'a');
    QVERIFY(rememberFingerprint(knownEnginesFile(), fmt::format("127.0.0.1:{}", engine.port()), known).has_value());
    const test::Ended refused = ctl(listOf(fromElsewhere(*place_, engine)));
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains(known) && refused.err.contains(published(*place_)[1].toStdString()),
             refused.err.c_str());
    QVERIFY2(refused.err.contains(knownEnginesFile()), refused.err.c_str());
}

void TestTlsAtAnEngine::plainHttpElsewhereHasToBeMeant() {
    // An address of this machine that does not look like one, where nobody answers.
    const QStringList words{"--url", "http://[::ffff:127.0.0.1]:1", "session"};
    const test::Ended refused = ctl(words);
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("is plain HTTP to another machine"), refused.err.c_str());
    const test::Ended meant = ctl(QStringList{"--insecure"} + words);
    QCOMPARE(meant.code, 1);
    QVERIFY2(meant.err.contains("no engine answers at"), meant.err.c_str());
}

void TestTlsAtAnEngine::whoSpeaksNoTlsIsSaid() {
    Yardmaster engine(*place_);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended refused = ctl(listOf(fromElsewhere(*place_, engine)));
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("does not speak TLS 1.3"), refused.err.c_str());
}

QTEST_GUILESS_MAIN(TestTlsAtAnEngine)
#include "tst_tls_at_an_engine.moc"
