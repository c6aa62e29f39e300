// The way to a yard: addresses, tokens, answers of hostile servers, and the keys that are kept.
#include "core/base/files.h"
#include "core/engine/guests/guests.h"
#include "core/engine/guests/join.h"
#include "core/engine/guests/known_yards.h"
#include "tests/engine/scripted_yard.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <string>
#include <sys/stat.h>
#include <thread>

using namespace yard;
using namespace yard::engine;

class TestJoin : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void addressesAreRead_data();
    void addressesAreRead();
    void tokensAreRead_data();
    void tokensAreRead();
    void answersAreRead_data();
    void answersAreRead();
    void whatComesBehindTheHeadIsTheLinks();
    void aKeyIsKeptForTheNextTime();
    void withoutATokenItHasToBeKnown();
    void aDamagedFileIsRefused();
    void aFileThatOthersReadIsRefused();
    void theOneJoinedLongestAgoGoes();
    void guestsGetWhatTheSettingsSayAndThereIs();
};

void TestJoin::addressesAreRead_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("insecure");
    QTest::addColumn<QString>("read"); // empty: refused
    QTest::newRow("https") << "https://host" << false << "https://host:8640 /compute host:8640";
    QTest::newRow("port and prefix") << "https://host:1/x/" << false << "https://host:1 /x host:1";
    QTest::newRow("IPv6") << "https://[fe80::1]:2" << false << "https://[fe80::1]:2 /compute [fe80::1]:2";
    QTest::newRow("plain here") << "http://127.0.0.1:3" << false << "http://127.0.0.1:3 /compute 127.0.0.1:3";
    QTest::newRow("plain elsewhere") << "http://host:3" << false << "";
    QTest::newRow("plain to a name like an address") << "http://127.host:3" << false << "";
    QTest::newRow("plain elsewhere, wanted") << "http://host:3" << true << "http://host:3 /compute host:3";
    QTest::newRow("no scheme") << "host:3" << false << "";
    QTest::newRow("no host") << "https://:3" << false << "";
    QTest::newRow("no port") << "https://host:" << false << "";
    QTest::newRow("a large port") << "https://host:70000" << false << "";
    QTest::newRow("a line end") << "https://host\r\nX: y" << false << "";
    QTest::newRow("a line end in the prefix") << "https://host/a\r\nX: y" << false << "";
    QTest::newRow("a user") << "https://me@host" << false << "";
    QTest::newRow("half a bracket") << "https://[::1" << false << "";
}

void TestJoin::addressesAreRead() {
    QFETCH(QString, text);
    QFETCH(bool, insecure);
    QFETCH(QString, read);
    const auto yard = parseYardAddress(text.toStdString(), insecure);
    QCOMPARE(yard ? yard->url() + " " + yard->prefix + " " + yard->authority() : std::string(), read.toStdString());
}

void TestJoin::tokensAreRead_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("fingerprint"); // its length; -1: refused
    const QString secret(48, 'a');
    const QString print(64, 'b');
    QTest::newRow("a secret") << secret << 0;
    QTest::newRow("with a fingerprint") << secret + "." + print << 64;
    QTest::newRow("nothing") << "" << -1;
    QTest::newRow("too short") << secret.mid(1) << -1;
    QTest::newRow("capitals") << secret.toUpper() << -1;
    QTest::newRow("half a fingerprint") << secret + "." + print.mid(1) << -1;
    QTest::newRow("an empty fingerprint") << secret + "." << -1;
    QTest::newRow("more behind it") << secret + "." + print + ".c" << -1;
}

void TestJoin::tokensAreRead() {
    QFETCH(QString, text);
    QFETCH(int, fingerprint);
    const auto token = parseJoinToken(text.toStdString());
    QCOMPARE(token ? static_cast<int>(token->fingerprint.size()) : -1, fingerprint);
    if (!token && !text.isEmpty()) QVERIFY(!token.error().message.contains(text.toStdString()));
}

void TestJoin::answersAreRead_data() {
    QTest::addColumn<QString>("head");
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("says"); // "link", or "again: …", "for good: …"
    QTest::newRow("a link") << "HTTP/1.1 101 Switching Protocols" << "" << "link";
    QTest::newRow("bytes behind it") << "HTTP/1.1 101 Switching Protocols" << "x"
                                     << "again: The yard spoke before it was greeted.";
    QTest::newRow("no HTTP") << "SSH-2.0-OpenSSH" << "" << "again: What answers at that address is no Yardmaster.";
    QTest::newRow("no status") << "HTTP/1.1 x01 " << "" << "again: What answers at that address is no Yardmaster.";
    QTest::newRow("its sentence") << "HTTP/1.1 401 U" << R"({"message":"Go away."})" << "for good: Go away.";
    QTest::newRow("no sentence") << "HTTP/1.1 404 N" << "<html>"
                                 << "for good: The yard refuses the link (HTTP 404).";
    QTest::newRow("a control character") << "HTTP/1.1 403 F" << R"({"message":"\u001b[2J"})"
                                         << "for good: The yard refuses the link (HTTP 403).";
    QTest::newRow("busy") << "HTTP/1.1 429 T" << R"({"message":"Full."})" << "again: Full.";
    QTest::newRow("stopping") << "HTTP/1.1 503 S" << "" << "again: The yard refuses the link (HTTP 503).";
    QTest::newRow("takes none") << "HTTP/1.1 501 N" << R"({"message":"None."})" << "for good: None.";
}

void TestJoin::answersAreRead() {
    QFETCH(QString, head);
    QFETCH(QString, body);
    QFETCH(QString, says);
    const auto read = readJoinAnswer(head.toStdString(), body.toStdString());
    const std::string text =
        read ? std::string("link") : (read.error().isFinal ? "for good: " : "again: ") + read.error().sentence;
    QCOMPARE(text, says.toStdString());
}

namespace {

JoinOptions joining(const std::string& url, const std::string& token = {}) {
    return {.url = url, .token = token, .insecure = false, .refused = {}};
}

/// Of a link as long as `wanted`, or why there is none.
coro::Task<void> joinAndHear(coro::Loop& loop, coro::HelperPool& helpers, std::string url, std::size_t wanted,
                             std::string& heard) {
    auto stream = co_await engine::join(
        loop, helpers, {.yard = *parseYardAddress(url), .bearer = std::string(2 * kKeyBytes, 'a')});
    if (!stream) {
        heard = stream.error().sentence;
        co_return;
    }
    std::array<char, 64> room{};
    while (heard.size() < wanted) {
        const std::size_t count = co_await (*stream)->read(room);
        if (count == 0) break;
        heard.append(room.data(), count);
    }
}

} // namespace

void TestJoin::whatComesBehindTheHeadIsTheLinks() {
    engine::test::ScriptedYard there;
    const std::jthread yard([&] {
        if (there.accept()) there.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: yard-link\r\n\r\nfirst words");
    });
    const std::string words = "first words";
    std::string heard;
    coro::HelperPool helpers(1);
    coro::Loop loop;
    loop.spawn("join", joinAndHear(loop, helpers, there.url(), words.size(), heard));
    loop.run();
    helpers.stop();
    QCOMPARE(heard, words);
}

void TestJoin::aKeyIsKeptForTheNextTime() {
    const QTemporaryDir dir;
    const std::string data = dir.path().toStdString();
    const std::string print(64, 'b');
    const auto first = Guests::plan(data, joining("https://host", std::string(48, 'a') + "." + print));
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    QVERIFY(isMachineKey(first->key));
    QVERIFY(!first->isKnown);
    QCOMPARE(first->token, std::string(48, 'a'));
    struct stat file{};
    QCOMPARE(::stat((data + "/joined").c_str(), &file), 0);
    QCOMPARE(file.st_mode & 0777, mode_t{0600});
    const auto second = Guests::plan(data, joining("https://host:8640/"));
    QVERIFY(second);
    QVERIFY(second->isKnown);
    QCOMPARE(second->key, first->key);
    QCOMPARE(second->yard.fingerprint, print);
    const auto other = Guests::plan(data, joining("https://other", std::string(48, 'a')));
    QVERIFY(other);
    QVERIFY(other->key != first->key);
}

void TestJoin::withoutATokenItHasToBeKnown() {
    const QTemporaryDir dir;
    const auto plan = Guests::plan(dir.path().toStdString(), joining("https://host"));
    QVERIFY(!plan);
    QVERIFY2(plan.error().message.contains("--join-token"), plan.error().message.c_str());
    QVERIFY(!QFile::exists(dir.path() + "/joined"));
}

void TestJoin::aDamagedFileIsRefused() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString() + "/joined";
    const std::string key(48, 'a');
    for (const std::string& text : {std::string("x\n"), key + "\n", key + " - \n", key + " b https://host\n"}) {
        QVERIFY(writeFileAtomically(path, text, 0600));
        const auto known = KnownYards::read(path);
        QVERIFY2(!known && known.error().message.contains("is damaged"), text.c_str());
    }
}

void TestJoin::aFileThatOthersReadIsRefused() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString() + "/joined";
    QVERIFY(writeFileAtomically(path, "", 0644));
    const auto known = KnownYards::read(path);
    QVERIFY(!known);
    QVERIFY(known.error().message.contains("chmod 600"));
}

void TestJoin::theOneJoinedLongestAgoGoes() {
    KnownYards known;
    for (std::size_t i = 0; i <= KnownYards::kMost; ++i) (void)known.add("https://" + std::to_string(i), {});
    QVERIFY(!known.find("https://0"));
    QVERIFY(known.find("https://1"));
}

void TestJoin::guestsGetWhatTheSettingsSayAndThereIs() {
    const Resources total{.milliCores = 4'000, .memoryMb = 1'000, .named = {}};
    Settings settings;
    QCOMPARE(Guests::limitsOf(settings, total).milliCores, std::int64_t{4'000});
    QCOMPARE(Guests::limitsOf(settings, total).memoryMb, std::int64_t{1'000});
    QVERIFY(!Guests::limitsOf(settings, total).unsandboxed);
    settings.guestCores = 2;
    settings.guestMemoryMb = 5'000;
    settings.guestStoreMb = 3;
    settings.guestUnsandboxed = "on";
    const guests::GuestLimits limits = Guests::limitsOf(settings, total);
    QCOMPARE(limits.milliCores, std::int64_t{2'000});
    QCOMPARE(limits.memoryMb, std::int64_t{1'000});
    QCOMPARE(limits.storeBytes, std::uint64_t{3} << 20);
    QVERIFY(limits.unsandboxed);
}

QTEST_APPLESS_MAIN(TestJoin)
#include "tst_join.moc"
