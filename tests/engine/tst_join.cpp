// The way to a yard: addresses, tokens, answers of hostile servers, and the keys that are kept.
#include "core/base/files.h"
#include "core/engine/guests/guests.h"
#include "core/engine/guests/join.h"
#include "core/engine/guests/known_yards.h"
#include "core/engine/machines/ssh_link.h"
#include "tests/engine/scripted_yard.h"
#include "tests/support/show_strings.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <utility>

using namespace yard;
using namespace yard::engine;

class TestJoin : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { std::signal(SIGPIPE, SIG_IGN); }
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
    void addressesOfSshAreRead_data();
    void addressesOfSshAreRead();
    void whatSshSaysHasACause_data();
    void whatSshSaysHasACause();
    void theWordOfTheProgramThereCountsMoreThanItsLog();
    void sshAsksNobodyAndChecksKeys();
    void whatAMachineBySshSaysBeforeItsLineIsPassedOver();
    void whyThereIsNoLinkBySshIsSaid_data();
    void whyThereIsNoLinkBySshIsSaid();
    void aProgramIsCopiedWholeOrNotAtAll();
    void whatIsCopiedIsAProgramForThere();
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

void TestJoin::addressesOfSshAreRead_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("read"); // empty: refused
    QTest::newRow("a host") << "ssh://desk" << "ssh://desk";
    QTest::newRow("all") << "ssh://me@desk.example:2222/" << "ssh://me@desk.example:2222";
    QTest::newRow("IPv6") << "ssh://me@[fe80::1]:22" << "ssh://me@[fe80::1]:22";
    QTest::newRow("no host") << "ssh://" << "";
    QTest::newRow("no user") << "ssh://@desk" << "";
    QTest::newRow("an option as host") << "ssh://-oProxyCommand=x" << "";
    QTest::newRow("an option as user") << "ssh://-l@desk" << "";
    QTest::newRow("a word of a shell") << "ssh://a$(b)@desk" << "";
    QTest::newRow("a quote") << "ssh://de'sk" << "";
    QTest::newRow("a space") << "ssh://de sk" << "";
    QTest::newRow("a line end") << "ssh://desk\nx" << "";
    QTest::newRow("a path") << "ssh://desk/home" << "";
    QTest::newRow("no port") << "ssh://desk:" << "";
    QTest::newRow("port 0") << "ssh://desk:0" << "";
    QTest::newRow("a large port") << "ssh://desk:65536" << "";
    QTest::newRow("half a bracket") << "ssh://[::1" << "";
    QTest::newRow("another scheme") << "https://desk" << "";
}

void TestJoin::addressesOfSshAreRead() {
    QFETCH(QString, text);
    QFETCH(QString, read);
    const auto address = parseSshAddress(text.toStdString());
    QCOMPARE(address ? address->url() : std::string(), read.toStdString());
    if (!address) QCOMPARE(address.error().field, std::string("address"));
}

void TestJoin::whatSshSaysHasACause_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("errors");
    QTest::addColumn<QString>("says"); // of the sentence
    const auto row = [](const char* name, int status, const char* errors, const char* says) {
        QTest::newRow(name) << status << errors << says;
    };
    row("an unknown key", 255, "Host key verification failed.\r\n", "type 'ssh -p 2222 me@desk' once");
    row("a changed key", 255,
        "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.\n",
        "ssh-keygen -R \"[desk]:2222\"");
    row("no key of ours", 255, "me@desk: Permission denied (publickey).\n", "lets nobody in with the keys");
    row("too many keys", 255, "Received disconnect: Too many authentication failures\n", "lets nobody in");
    row("no name", 255, "ssh: Could not resolve hostname desk: Name or service not known\n",
        "cannot be reached by ssh");
    row("nobody listens", 255, "ssh: connect to host desk port 22: Connection refused\n",
        "cannot be reached by ssh");
    row("no answer", 255, "ssh: connect to host desk port 22: Connection timed out\n", "cannot be reached by ssh");
    row("cut", 255, "Connection to desk closed by remote host.\n",
        "The connection to desk ended. (Connection to desk");
    row("no program there", 127, "", "add it with --install");
    row("none that runs", 126, "yardmaster: Permission denied\n", "is none for the processor or system");
    row("another processor", 2, "sh: yardmaster: Exec format error\n", "is none for the processor or system");
    row("a full disk", 1, "cat: write error: No space left on device\n", "The disk on desk is full");
    row("a quota", 1, "cat: write error: Disk quota exceeded\n", "The disk on desk is full");
    row("words of ssh by another", 1, "Host key verification failed.\n", "The connection to desk ended.");
    row("nothing", -1, "", "The connection to desk ended.");
}

void TestJoin::whatSshSaysHasACause() {
    QFETCH(int, status);
    QFETCH(QString, errors);
    QFETCH(QString, says);
    const SshAddress address{.user = "me", .host = "desk", .port = "2222"};
    const std::string text = errors.toStdString();
    const std::string sentence = sshSentence(sshTroubleOf(status, text), address, text);
    QVERIFY2(sentence.contains(says.toStdString()), sentence.c_str());
}

void TestJoin::theWordOfTheProgramThereCountsMoreThanItsLog() {
    QCOMPARE(sshLastLine("motd\nyardmaster: it is in use\n2026-01-01 warning main: ends\n"),
             std::string("it is in use"));
    QCOMPARE(sshLastLine("one\n\x1b[2Jtwo\r\n\n"), std::string("[2Jtwo"));
    QCOMPARE(sshLastLine("\n\n"), std::string());
    QVERIFY(sshLastLine(std::string(5'000, 'x')).size() < 400);
}

void TestJoin::sshAsksNobodyAndChecksKeys() {
    const auto words = sshWords({}, {.user = "me", .host = "desk", .port = "22"}, "exit");
    const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    QCOMPARE(words.front(), std::string("ssh"));
    QVERIFY(has("BatchMode=yes") && has("StrictHostKeyChecking=yes") && has("ControlPath=none"));
    QCOMPARE(words[words.size() - 3], std::string("--")); // what follows is no option
    QCOMPARE(words[words.size() - 2], std::string("desk"));
    QCOMPARE(words.back(), std::string("exec sh -c 'exit'"));
    for (const std::string& script :
         {sshLinkScript(""), sshLinkScript("ab"), sshProbeScript("ab"), sshInstallScript("ab", 5)})
        QVERIFY2(!script.contains('\''), script.c_str());
}

namespace {

/// A program that stands in for ssh; `script` has the last of its words as $last.
struct StandIn {
    explicit StandIn(const std::string& script) {
        const std::string text =
            "#!/bin/sh\nfor last; do :; done\nexport LC_ALL=C HOME=" + home() + "\n" + script + "\n";
        if (!writeFileAtomically(program(), text, 0700)) qFatal("no stand-in");
    }
    std::string home() const { return dir.path().toStdString(); }
    std::string program() const { return home() + "/ssh"; }
    /// "link: " and what comes first, or the sentence.
    std::string join(bool installs = false, const std::string& bundle = {},
                     Duration limit = std::chrono::seconds(60)) {
        return join({.address = {.user = "me", .host = "desk", .port = {}},
                     .program = program(),
                     .key = std::string(2 * kKeyBytes, 'a'),
                     .installs = installs,
                     .bundle = bundle,
                     .limit = limit});
    }
    static std::string join(SshRequest request) {
        std::string heard;
        coro::HelperPool helpers(1);
        coro::Loop loop;
        loop.spawn("join", hear(loop, helpers, std::move(request), heard));
        loop.run();
        helpers.stop();
        return heard;
    }
    static coro::Task<void> hear(coro::Loop& loop, coro::HelperPool& helpers, SshRequest request,
                                 std::string& heard) {
        auto stream = co_await joinBySsh(loop, helpers, std::move(request));
        heard = stream ? "link: " : stream.error().sentence;
        std::array<char, 64> room{};
        while (stream) {
            const std::size_t count = co_await (*stream)->read(room);
            if (count == 0) break;
            heard.append(room.data(), count);
        }
    }
    QTemporaryDir dir;
};

/// What this test is, as a program that can be copied.
std::string ownProgram() {
    return "/proc/self/exe";
}

} // namespace

void TestJoin::whatAMachineBySshSaysBeforeItsLineIsPassedOver() {
    StandIn ssh(
        R"(read greeting; echo "welcome to $greeting"; printf 'no line end'; printf '\nyard-link 1 ready\nfirst words')");
    QCOMPARE(ssh.join(), std::string("link: first words"));
}

void TestJoin::whyThereIsNoLinkBySshIsSaid_data() {
    QTest::addColumn<QString>("script");
    QTest::addColumn<QString>("says");
    QTest::newRow("an unknown key") << "echo 'Host key verification failed.' >&2; exit 255"
                                    << "The key of desk is not known here";
    QTest::newRow("no program there") << "exit 127" << "There is no yardmaster on desk";
    QTest::newRow("it is in use") << "echo 'yardmaster: it is in use' >&2; exit 3" << "(it is in use)";
    QTest::newRow("it ends at once") << "exit 0" << "The connection to desk ended.";
    QTest::newRow("endless words") << "head -c 100000 /dev/zero" << "The connection to desk ended.";
}

void TestJoin::whyThereIsNoLinkBySshIsSaid() {
    QFETCH(QString, script);
    QFETCH(QString, says);
    StandIn ssh(script.toStdString());
    const std::string said = ssh.join();
    QVERIFY2(said.contains(says.toStdString()), said.c_str());
    StandIn deaf("exec sleep 600");
    QVERIFY(deaf.join(false, {}, std::chrono::milliseconds(20)).contains("no yardmaster answered there"));
    QVERIFY(
        StandIn::join({.address = {.user = {}, .host = "desk", .port = {}}, .program = "/no/such/ssh", .key = {}})
            .contains("There is no program ssh"));
}

void TestJoin::aProgramIsCopiedWholeOrNotAtAll() {
    const std::string link = R"(case $last in *--link-stdio*) printf '\nyard-link 1 ready\n'; exit;; esac; )";
    StandIn ssh(link + R"(eval "$last")");
    QCOMPARE(ssh.join(true, ownProgram()), std::string("link: "));
    const QString programs = QString::fromStdString(ssh.home()) + "/.local/share/yardmaster/programs";
    const auto entries = [&] {
        return QDir(programs).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    };
    QCOMPARE(entries().size(), qsizetype{1});
    QFile copied(programs + "/" + entries().front() + "/yardmaster");
    QFile own(QString::fromStdString(ownProgram()));
    QVERIFY(copied.open(QIODevice::ReadOnly) && own.open(QIODevice::ReadOnly));
    QVERIFY(copied.readAll() == own.readAll());

    StandIn cut(link + R"(case $last in *wc*) head -c 1000 | eval "$last"; exit $?;; esac; eval "$last")");
    QVERIFY2(cut.join(true, ownProgram()).contains("It came in part only."), "a part counts as all");
    const QDir nothing(QString::fromStdString(cut.home()) + "/.local/share/yardmaster/programs");
    QCOMPARE(nothing.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList());

    // Each write to it is one to a full disk.
    StandIn full(link + R"(case $last in *wc*) cat >/dev/full; exit $?;; esac; eval "$last")");
    const std::string said = full.join(true, ownProgram());
    QVERIFY2(said.contains("The disk on desk is full"), said.c_str());
}

void TestJoin::whatIsCopiedIsAProgramForThere() {
    StandIn other(R"(printf '\nyard-probe Linux pdp11 lacks\n')");
    const std::string said = other.join(true, ownProgram());
    QVERIFY2(said.contains("Linux pdp11 there"), said.c_str());
    StandIn mute("exit 0");
    QVERIFY(mute.join(true, ownProgram()).contains("The connection to desk ended."));
    StandIn refused("echo 'me@desk: Permission denied (publickey).' >&2; exit 255");
    QVERIFY(refused.join(true, ownProgram()).contains("lets nobody in"));
    QVERIFY(other.join(true, other.program()).contains("is no program for Linux"));
    QVERIFY(other.join(true, "/no/such/program").contains("--bundle"));
    QVERIFY(!readBundle({})); // this one needs libraries
}

QTEST_APPLESS_MAIN(TestJoin)
#include "tst_join.moc"
