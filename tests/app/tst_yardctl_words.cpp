// The words yardctl reads and writes: durations, sizes, tables, addresses, command lines.
#include "app/yardctl/action_progress.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/command.h"
#include "app/yardctl/engine.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/request_text.h"
#include "app/yardctl/worker_package.h"
#include "core/base/files.h"
#include "core/model/filter.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>

using namespace yard;
using namespace yard::ctl;

class TestYardctlWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void durationsHaveTwoUnitsAtMost();
    void howFarAnActionIsFitsALine();
    void sizesHaveThreeFigures();
    void timesAreShorterTheNearerTheyAre();
    void textOfOthersCannotSteerTheTerminal();
    void aTableFitsTheTerminal();
    void jsonNumbersReadAsWritten();
    void lsnsMayBeRanges();
    void aPageOfLsnsIsAsked();
    void durationsAreReadWithUnits();
    void momentsAreReadAsPeopleWriteThem_data();
    void momentsAreReadAsPeopleWriteThem();
    void sizesAndTimesToComeAreRead();
    void aliasesAreTheSameCommand();
    void addressesOfEngines();
    void badAddressesSayWhatIsWrong();
    void theTokenGoesToThisMachineOnly();
    void exitCodesAreThoseOfAShell();
    void commandLines();
    void wrongCommandLinesExit2();
    void negatedTermsOfAFilterAreNoOptions();
    void aWorkerDirectoryIsFilledIn();
    void aWorkerThatClimbsOutIsRefused();
};

void TestYardctlWords::durationsHaveTwoUnitsAtMost() {
    QCOMPARE(durationWords(0), "0 s");
    QCOMPARE(durationWords(0.0004), "<1 ms");
    QCOMPARE(durationWords(0.004), "4 ms");
    QCOMPARE(durationWords(0.0096), "0.01 s");
    QCOMPARE(durationWords(0.09), "0.09 s");
    QCOMPARE(durationWords(8.4), "8.4 s");
    QCOMPARE(durationWords(59.96), "1 min");
    QCOMPARE(durationWords(372), "6 min 12 s");
    QCOMPARE(durationWords(6840), "1 h 54 min");
    QCOMPARE(durationWords(187200), "2 d 4 h");
    QCOMPARE(durationWords(-1), "-");
}

void TestYardctlWords::howFarAnActionIsFitsALine() {
    const auto line = [](const char* action, std::size_t columns = 100) {
        return actionProgressLine(json::parse(action).as_object(), 1'000'000, columns);
    };
    QCOMPARE(line(R"({"lsn":12,"state":"running","progress":{"fraction":0.459,"message":"linking"},
                      "estimate":{"finish":13000000}})"),
             "12  [#########           ] 45 %, linking, 12.0 s left");
    QCOMPARE(line(R"({"lsn":12,"state":"running","progress":{"fraction":7}})"), "12  [####################] 100 %");
    QCOMPARE(line(R"({"lsn":12,"state":"running","progress":{"message":"linking"}})"), "12  linking");
    const auto left = [](const char* queue, double jobs) {
        return secondsLeft(json::parse(queue).get_object(), jobs, 1'000'000).value_or(-1);
    };
    QCOMPARE(left(R"({"active":10,"estimate":{"finish":21000000}})", 10), 20.0);
    QCOMPARE(left(R"({"active":10,"estimate":{"finish":21000000}})", 4), 20.0);
    QCOMPARE(left(R"({"active":10,"estimate":{"finish":21000000}})", 40), 80.0); // it does not have them all yet
    QCOMPARE(left(R"({"active":0,"estimate":{"finish":21000000}})", 40), 20.0);
    QCOMPARE(left(R"({"active":10,"estimate":{"finish":900000}})", 10), -1.0);
    QCOMPARE(left(R"({"active":10,"estimate":{"unknown":"no_history"}})", 10), -1.0);
    QCOMPARE(left("{}", 10), -1.0);
    QCOMPARE(line(R"({"lsn":12,"state":"running","note":"cc a\u001b[31m"})").find('\x1b'), std::string::npos);
    QCOMPARE(line(R"({"lsn":12,"state":"pending","note":"it waits"})"), "12  pending, it waits");
    QVERIFY(line(R"({"lsn":12,"state":"pending","note":"it waits for long"})", 10).size() <= 12);
}

void TestYardctlWords::sizesHaveThreeFigures() {
    QCOMPARE(sizeWords(0), "0 B");
    QCOMPARE(sizeWords(999), "999 B");
    QCOMPARE(sizeWords(1234), "1.23 kB");
    QCOMPARE(sizeWords(999'999), "1.00 MB");
    QCOMPARE(sizeWords(45'600'000), "45.6 MB");
}

void TestYardctlWords::timesAreShorterTheNearerTheyAre() {
    qputenv("TZ", "UTC");
    ::tzset();
    constexpr std::int64_t now = 1'795'262'400'000'000; // 2026-11-21 12:00:00
    QCOMPARE(timeWords(now - 8'069'000'000, now), "09:45:31");
    QCOMPARE(timeWords(now - 86'399'000'000, now), "Fri 12:00:01");
    QCOMPARE(timeWords(now - 86'400'000'000, now), "Fri 12:00");
    QCOMPARE(timeWords(now - 9 * 86'400'000'000, now), "12 Nov 12:00");
    QCOMPARE(timeWords(now - 400 * 86'400'000'000, now), "2025-10-17");
}

void TestYardctlWords::textOfOthersCannotSteerTheTerminal() {
    QCOMPARE(printable("a\x1b[31mb\n"), "a?[31mb?");
    QCOMPARE(printable("a\xc2\x9b"
                       "31m"),
             "a?31m");
    QCOMPARE(printable("Größe"), "Größe");
    // What turns the rest of a line around, or ends it.
    QCOMPARE(printable("a\u202e\u2066b\u2028c\u200f\u061c"), "a??b?c??");
}

void TestYardctlWords::aTableFitsTheTerminal() {
    Table table({{"LSN", true}, {"NOTE"}});
    table.add({"7", "größer als gedacht"});
    table.add({"112", ""});
    QCOMPARE(table.text(std::nullopt), "LSN  NOTE\n  7  größer als gedacht\n112\n");
    QCOMPARE(table.text(10), "LSN  NOTE\n  7  größ…\n112\n");
}

void TestYardctlWords::jsonNumbersReadAsWritten() {
    QCOMPARE(compactJson(json::parse(R"({"a": [0.5, 1, true, null, "x\n"]})")), R"({"a":[0.5,1,true,null,"x\n"]})");
}

void TestYardctlWords::lsnsMayBeRanges() {
    QCOMPARE(*parseLsnRanges({"7", "10..12"}), (std::vector<LsnRange>{{7, 7}, {10, 12}}));
    QCOMPARE(parseLsnRanges({"5..3"}).error().message, "the range '5..3' begins behind its end: write 3..5");
    QVERIFY(parseLsnRanges({"1..9000000000"})); // however wide: LSNs have gaps
    for (const char* bad : {"", "x", "0", "-1", "5..4", "1..", "3-10", "7x"})
        QCOMPARE(parseLsnRanges({bad}).error().exitCode, kExitUsage);
}

void TestYardctlWords::aPageOfLsnsIsAsked() {
    std::string lsns = "100001";
    for (int lsn = 100'002; lsn <= 101'000; ++lsn) lsns += "," + std::to_string(lsn);
    QVERIFY(lsns.size() > kMaxFilterBytes);
    QVERIFY(!refusedText("GET", "jobs?limit=1000&lsn=" + lsns, {}));
    QCOMPARE(refusedText("GET", "jobs?label=" + lsns, {})->message,
             "the label has 6999 bytes, and at most 4096 are taken: make it shorter");
    QVERIFY(refusedText("GET", "jobs?lsn=%ff", {}));
}

void TestYardctlWords::durationsAreReadWithUnits() {
    QCOMPARE(*parseDuration("90"), 90.0);
    QCOMPARE(*parseDuration("0.5s"), 0.5);
    QCOMPARE(*parseDuration("10min"), 600.0);
    QCOMPARE(*parseDuration("2h"), 7200.0);
    QCOMPARE(*parseDuration("1h30m"), 5400.0);
    QCOMPARE(*parseDuration("1d2h0.5s"), 93600.5);
    for (const char* bad : {"", "-1", "5 parsec", "nan", "inf", "1h30", "1h-5m", "h", "1hm", "1h 5m"})
        QVERIFY2(!parseDuration(bad), bad);
}

void TestYardctlWords::momentsAreReadAsPeopleWriteThem_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("moment");
    const auto row = [](const char* text, const char* moment) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(moment);
    };
    row("now", "2026-03-01 12:30:00");
    row("-1h", "2026-03-01 11:30:00");
    row("-90", "2026-03-01 12:28:30");
    row("today", "2026-03-01 00:00:00");
    row("yesterday", "2026-02-28 00:00:00");
    row("09:45", "2026-03-01 09:45:00");
    row("09:45:31", "2026-03-01 09:45:31");
    row("tomorrow 09:45", "2026-03-02 09:45:00");
    row("yesterday 22:30:15", "2026-02-28 22:30:15");
    row("today 09:45", "2026-03-01 09:45:00");
    row("2026-11-20", "2026-11-20 00:00:00");
    row("2026-11-20 09:45", "2026-11-20 09:45:00");
    row("2026-11-20T09:45:31", "2026-11-20 09:45:31");
    for (const char* wrong : {"", "-", "-1x", "soon", "9 o'clock", "2026-11-20x", "25:00", "tomorrow soon",
                              "tomorrow 2026-11-20", "soon 09:45", "tomorrow "})
        row(wrong, "");
}

void TestYardctlWords::momentsAreReadAsPeopleWriteThem() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, moment);
    qputenv("TZ", "UTC");
    ::tzset();
    constexpr std::int64_t kNow = 1'772'368'200'000'000; // 2026-03-01 12:30:00
    const auto read = parseMoment(text.toStdString(), kNow);
    if (moment.isEmpty()) {
        QVERIFY(!read);
        QCOMPARE(read.error().exitCode, kExitUsage);
        return;
    }
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    const std::time_t seconds = *read / 1'000'000;
    std::array<char, 32> words{};
    std::strftime(words.data(), words.size(), "%Y-%m-%d %H:%M:%S", std::gmtime(&seconds));
    QCOMPARE(QByteArray(words.data()), moment);
}

void TestYardctlWords::sizesAndTimesToComeAreRead() {
    qputenv("TZ", "UTC");
    ::tzset();
    constexpr std::int64_t now = 1'795'262'400'000'000; // 2026-11-21 12:00:00
    QCOMPARE(*parseComing("+10m", now), now + 600'000'000);
    QCOMPARE(*parseComing("12:30", now), now + 1'800'000'000);
    QCOMPARE(*parseComing("11:30", now), now + 84'600'000'000); // tomorrow's
    QCOMPARE(*parseComing("2026-11-22 09:45", now), *parseMoment("2026-11-22 09:45", now));
    QCOMPARE(*parseComing("tomorrow", now), *parseMoment("2026-11-22", now));
    QCOMPARE(*parseComing("tomorrow 09:45", now), *parseMoment("2026-11-22 09:45", now));
    QCOMPARE(*parseComing("10m", now), now + 600'000'000);
    QCOMPARE(*parseComing("+1h30m", now), now + 5'400'000'000);
    for (const char* tooFar : {"1e300d", "+1e300d", "101y"}) QVERIFY2(!parseComing(tooFar, now), tooFar);
    for (const char* past :
         {"2026-11-20 09:45", "today 09:45", "yesterday 23:59", "2026-11-20", "-1h", "today", "yesterday"}) {
        const auto refused = parseComing(past, now);
        QVERIFY2(!refused && refused.error().exitCode == kExitUsage, past);
    }
    QCOMPARE(parseComing("2026-11-20 09:45", now).error().message,
             "'2026-11-20 09:45' is 2026-11-20 09:45:00, which has passed; write +10m, 22:30 (the next one), "
             "'tomorrow 09:45' or "
             "'YYYY-MM-DD 09:45'");
    QVERIFY(parseComing("soon", now).error().message.find("-1h") == std::string::npos);
    QVERIFY(!parseComing("+soon", now) && !parseComing("soon", now));
    QCOMPARE(*parseSize("2G", "x"), std::int64_t{2} << 30);
    QCOMPARE(*parseSize("1.5k", "x"), 1536);
    QCOMPARE(*parseSize("3MiB", "x"), 3 << 20);
    QCOMPARE(*parseSize("3MB", "x"), 3'000'000);
    QCOMPARE(*parseSize("3B", "x"), 3);
    for (const char* wrong : {"2", "G", "-1G", "2X", "2Gb", "9000000T", ""})
        QVERIFY2(!parseSize(wrong, "x"), wrong);
    QCOMPARE(*parseAmount("0.5", "x"), 0.5);
    QVERIFY(!parseAmount("-1", "x") && !parseAmount("1x", "x"));
}

void TestYardctlWords::aliasesAreTheSameCommand() {
    for (const auto& [alias, name] : {std::pair("ps", "ls"), std::pair("kill", "cancel"), std::pair("rm", "retire"),
                                      std::pair("status", "session")})
        QCOMPARE(findCommand(alias), findCommand(name));
    QVERIFY(helpText(*findCommand("kill")).find("Also: yardctl kill") != std::string::npos);
    QCOMPARE(findCommand(""), nullptr);
}

void TestYardctlWords::addressesOfEngines() {
    const auto plain = Endpoint::parse("http://127.0.0.1:8640");
    QVERIFY(plain);
    QCOMPARE(plain->port, "8640");
    QCOMPARE(plain->prefix, "/compute");
    QCOMPARE(Endpoint::parse("http://desk")->port, std::to_string(kUsualPort));
    QCOMPARE(Endpoint::parse("http://desk:1/yard/")->prefix, "/yard");
    QCOMPARE(Endpoint::parse("http://desk:1/")->prefix, "/compute");
    const auto six = Endpoint::parse("http://[::1]:90");
    QCOMPARE(six->host, "::1");
    QCOMPARE(six->authority(), "[::1]:90");
    QVERIFY(six->isLoopback());
    QVERIFY(!Endpoint::parse("http://127.example.org")->isLoopback());
    QVERIFY(!plain->secure);
    const auto secure = Endpoint::parse("https://desk/yard");
    QVERIFY(secure->secure);
    QCOMPARE(secure->url(), "https://desk:" + std::to_string(kUsualPort));
    QCOMPARE(secure->prefix, "/yard");
    for (const char* fine : {"https://desk", "http://localhost", "http://[::1]", "http://0.0.0.0", "http://[::]"})
        QVERIFY2(Endpoint::parse(fine)->checkPrivacy(false), fine);
    QVERIFY(!Endpoint::parse("http://desk")->checkPrivacy(false));
    QVERIFY(Endpoint::parse("http://desk")->checkPrivacy(true));
}

void TestYardctlWords::badAddressesSayWhatIsWrong() {
    for (const char* bad : {"", "desk:8640", "ftp://desk", "https://", "http://", "http://desk:0",
                            "http://desk:99999", "http://[::1", "http://a b", "http://user@desk"}) {
        const auto endpoint = Endpoint::parse(bad);
        QVERIFY2(!endpoint, bad);
        QVERIFY(endpoint.error().message.find("http://HOST:PORT") != std::string::npos);
    }
}

void TestYardctlWords::theTokenGoesToThisMachineOnly() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString();
    QVERIFY(writeFileAtomically(path + "/token", "secret\n", 0600));
    QVERIFY(writeFileAtomically(path + "/address", "http://127.0.0.1:99\n", 0600));
    qputenv("XDG_DATA_HOME", (path + "/none").c_str());
    qputenv("XDG_CONFIG_HOME", (path + "/config").c_str());
    QCOMPARE(locate({.dataDir = path})->token, "secret");
    QCOMPARE(locate({.dataDir = path})->endpoint.port, "99");
    QCOMPARE(locate({.dataDir = path})->endpoint.prefix, "/compute");
    // What an engine writes that has another prefix, or none.
    QVERIFY(writeFileAtomically(path + "/address", "http://127.0.0.1:99/yard\n", 0600));
    QCOMPARE(locate({.dataDir = path})->endpoint.prefix, "/yard");
    QVERIFY(writeFileAtomically(path + "/address", "http://127.0.0.1:99/\n", 0600));
    QCOMPARE(locate({.dataDir = path})->endpoint.prefix, "");
    QCOMPARE(locate({.url = "https://example.org", .tokenFile = path + "/token"})->token, "secret");
    QVERIFY(!locate({}));
    QVERIFY(makeDirectories(path + "/none/yardmaster"));
    QVERIFY(writeFileAtomically(path + "/none/yardmaster/token", "mine", 0600));
    QCOMPARE(locate({.url = "http://127.0.0.1:1"})->token, "mine");
    QCOMPARE(locate({.url = "https://example.org:1"})->token, "");
    QCOMPARE(locate({.url = "http://example.org:1", .insecure = true})->token, "");
    QVERIFY(locate({.url = "http://example.org:1"}).error().message.contains("--insecure"));
    // The key of an engine of this directory is the one that it wrote down, however it is named.
    const std::string print(64, 'a');
    QVERIFY(writeFileAtomically(path + "/address", "https://127.0.0.1:99\n" + print + "\n", 0600));
    QCOMPARE(locate({.dataDir = path})->endpoint.fingerprint, print);
    QCOMPARE(locate({.url = "https://127.0.0.1:99", .dataDir = path})->endpoint.fingerprint, print);
    QCOMPARE(locate({.url = "https://127.0.0.1:98", .dataDir = path})->endpoint.fingerprint, "");
}

void TestYardctlWords::exitCodesAreThoseOfAShell() {
    const auto code = [](const char* text) { return shellExitCode(json::parse(text).get_object()); };
    QCOMPARE(code(R"({"state":"completed","exit_code":0})"), 0);
    QCOMPARE(code(R"({"state":"failed","reason":"exit_code","exit_code":3})"), 3);
    QCOMPARE(code(R"({"state":"failed","reason":"signal","signal":11})"), 139);
    QCOMPARE(code(R"({"state":"failed","reason":"spawn_error"})"), 125);
    QCOMPARE(code(R"({"state":"failed","reason":"spawn_error","exit_code":127})"), 127);
    QCOMPARE(code(R"({"state":"failed","reason":"engine_died"})"), 125);
    QCOMPARE(code(R"({"state":"failed","reason":"lost_runner"})"), 125);
    QCOMPARE(code(R"({"state":"failed","reason":"missing_output","exit_code":0})"), 1);
    QCOMPARE(code(R"({"state":"failed","reason":"deadline","signal":15})"), 124);
}

void TestYardctlWords::commandLines() {
    const std::vector<const char*> words = {"--json", "run",      "-q",   "7",  "--env=A=1", "-eB=2",
                                            "--url",  "http://x", "make", "-j", "--json"};
    const auto line = parseCommandLine(words);
    QVERIFY(line);
    QVERIFY(line->global.json);
    QCOMPARE(*line->global.url, "http://x");
    QCOMPARE(*line->arguments.value("queue"), "7");
    QCOMPARE(line->arguments.values("env"), (std::vector<std::string>{"A=1", "B=2"}));
    QCOMPARE(line->arguments.operands(), (std::vector<std::string>{"make", "-j", "--json"}));
}

void TestYardctlWords::wrongCommandLinesExit2() {
    const std::vector<std::vector<const char*>> wrong = {{},
                                                         {"frobnicate"},
                                                         {"--nonsense"},
                                                         {"ls", "--nonsense"},
                                                         {"run", "-q"},
                                                         {"submit", "a", "b"},
                                                         {"show", "--out"},
                                                         {"queues", "x"},
                                                         {"--json=1", "ls"},
                                                         {"-Z"}};
    for (const auto& words : wrong) {
        const auto line = parseCommandLine(words);
        QVERIFY(!line);
        QCOMPARE(line.error().exitCode, kExitUsage);
    }
    const std::vector<const char*> typo = {"cancle", "5"};
    QVERIFY(parseCommandLine(typo).error().message.find("did you mean 'cancel'") != std::string::npos);
    const std::vector<const char*> elsewhere = {"squeue"};
    QCOMPARE(parseCommandLine(elsewhere).error().message,
             std::string("there is no command 'squeue'; here it is 'ls'; 'yardctl --help' lists them"));
    // A command whose name is near is no answer to what GNU parallel does.
    QCOMPARE(meantBy("parallel"), std::string("; here it is 'map'"));
}

void TestYardctlWords::negatedTermsOfAFilterAreNoOptions() {
    const auto operands = [](const std::vector<const char*>& words) {
        const auto line = parseCommandLine(words);
        return line ? line->arguments.operands() : std::vector<std::string>{"refused"};
    };
    using Words = std::vector<std::string>;
    QCOMPARE(operands({"ls", "worker:thumb*", "-state:completed"}), (Words{"worker:thumb*", "-state:completed"}));
    QCOMPARE(operands({"ps", "-cpu>50", "-s", "-lsn"}), (Words{"-cpu>50"}));
    QCOMPARE(operands({"ls", "-n5", "-slabel"}), Words{});
    QCOMPARE(operands({"cancel", "-state:completed"}), (Words{"refused"}));
}

void TestYardctlWords::aWorkerDirectoryIsFilledIn() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString();
    QVERIFY(makeDirectories(path + "/bin"));
    QVERIFY(makeDirectories(path + "/.git"));
    QVERIFY(writeFileAtomically(path + "/.git/x", "no", 0644));
    QVERIFY(writeFileAtomically(path + "/bin/w", "#!/bin/sh\n", 0700));
    QVERIFY(writeFileAtomically(path + "/data", "d", 0600));
    QVERIFY(writeFileAtomically(path + "/worker.json",
                                R"({"name":"w","version":"1","executable":"bin/w","functions":[{"name":"f"}]})",
                                0644));
    const auto package = openWorkerPackage(path);
    QVERIFY2(package, package ? "" : package.error().message.c_str());
    const auto& files = package->worker.descriptor->files;
    QCOMPARE(files.size(), std::size_t{2});
    QCOMPARE(files[0].path, "bin/w");
    QCOMPARE(files[0].mode, 0755U);
    QCOMPARE(files[1].mode, 0644U);
    QCOMPARE(files[1].hash, Sha256::of("d"));
    QCOMPARE(package->worker.descriptor->platform, thisPlatform());
    // The same files are the same worker, however it is named.
    QCOMPARE(openWorkerPackage(path + "/worker.json")->worker.id, package->worker.id);
}

void TestYardctlWords::aWorkerThatClimbsOutIsRefused() {
    const QTemporaryDir dir;
    const std::string path = dir.path().toStdString();
    for (const char* file : {"../x", "/etc/passwd", "a/../../b"}) {
        const std::string text =
            std::string(R"({"name":"w","version":"1","executable":"x","files":[")") + file + "\"]}";
        QVERIFY(writeFileAtomically(path + "/worker.json", text, 0644));
        QVERIFY(!openWorkerPackage(path));
    }
    QVERIFY(writeFileAtomically(path + "/x", "x", 0755));
    QVERIFY(writeFileAtomically(path + "/worker.json",
                                R"({"name":"w","version":"1","executable":"x","files":[{"path":"x","size":2}]})",
                                0644));
    QVERIFY(openWorkerPackage(path).error().message.find("bytes") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestYardctlWords)
#include "tst_yardctl_words.moc"
