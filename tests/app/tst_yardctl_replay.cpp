// yardctl replay: what it asks for, how differences read, and what it exits with.
#include "core/base/files.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include "tests/support/show_strings.h"

#include <QDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

namespace {

std::string replayJson(int different, std::string_view state = "done", std::string_view more = {}) {
    return fmt::format(
        R"({{"id":3,"recording":"night","queue_id":7,"state":"{}","actions":10,"submitted":10,"ended":10,)"
        R"("different":{},"impossible":0,"differences":{},"started":1{}}})",
        state, different, different, more);
}

const std::string kNone = R"({"differences":[]})";
const std::string kTwo =
    R"({"differences":[{"lsn":12,"replayed":40,"what":"output","name":"a/b","recorded":{"hash":"1"},"replayed_value":{"hash":"2"},)"
    R"("diff":"@@ -1,1 +1,1 @@\n-8\n+<o>\n"},{"lsn":12,"replayed":40,"what":"exit_code","recorded":0,"replayed_value":null},)"
    R"({"lsn":13,"what":"state","recorded":"completed","replayed_value":null,"diff":"Its worker is gone."}]})";

} // namespace

class TestYardctlReplay : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theSameExitsWithZero();
    void differencesAreLinesAndExitWithOne();
    void aCiReadsWhatWasDifferent();
    void aCiSeesWhatDidNotRun();
    void whatIsAskedForIsSent();
    void aFileIsBroughtAndRemovedAfterwards();
    void aSignalCancelsTheReplayAndRemovesWhatWasBrought();
    void anotherEngineGetsTheRecordingOfThisOne();
    void anotherEngineDoesNotGetTheTokenOfThisOne();
    void whatCouldNotBeRunExitsWithTwo();
    void aReplayOfNothingIsNoSuccess();
    void asJsonAllIsOneObject();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked_data();
    void wrongWordsAreRefusedBeforeTheEngineIsAsked();
};

void TestYardctlReplay::theSameExitsWithZero() {
    FakeServer server(table({{"POST /compute/recordings/night/replay", {.body = replayJson(0, "running")}},
                             {"GET /compute/replays/3", {.body = replayJson(0)}},
                             {"GET /compute/replays/3/differences?limit=1000", {.body = kNone}}}));
    const Ended ended = DataDirectory(server).run({"replay", "night"});
    QCOMPARE(ended.out, "");
    QVERIFY(ended.err.contains("10 of 10 actions are the same"));
    QCOMPARE(ended.code, 0);
}

void TestYardctlReplay::differencesAreLinesAndExitWithOne() {
    FakeServer server(table({{"POST /compute/recordings/night/replay", {.body = replayJson(2, "running")}},
                             {"GET /compute/replays/3", {.body = replayJson(2)}},
                             {"GET /compute/replays/3/differences?limit=1000", {.body = kTwo}}}));
    const Ended ended = DataDirectory(server).run({"replay", "night"});
    QCOMPARE(ended.out, "12 output a/b:\n    @@ -1,1 +1,1 @@\n    -8\n    +<o>\n12 exit_code: 0 -> -\n"
                        "13 not replayed: Its worker is gone.\n");
    QCOMPARE(ended.code, 1);
}

void TestYardctlReplay::aCiReadsWhatWasDifferent() {
    FakeServer server(table({{"POST /compute/recordings/night/replay", {.body = replayJson(2, "running")}},
                             {"GET /compute/replays/3", {.body = replayJson(2)}},
                             {"GET /compute/replays/3/differences?limit=1000", {.body = kTwo}}}));
    const DataDirectory data(server);
    const QString file = data.path() + "/replay.xml";
    QCOMPARE(data.run({"replay", "night", "--junit", file}).code, 1);
    const std::string xml = *readFile(file.toStdString());
    QVERIFY(xml.contains(R"(<testsuite name="night" tests="10" failures="2">)"));
    QVERIFY(xml.contains(R"(<testcase classname="night" name="12"><failure>output a/b: )"));
    QVERIFY(xml.contains("+&lt;o&gt;"));
    QVERIFY(xml.contains(R"(name="8 without a difference"/>)"));
}

void TestYardctlReplay::aCiSeesWhatDidNotRun() {
    // Of ten actions six were run; three were different, and of two of these the engine kept how.
    const std::string stopped =
        R"({"id":3,"recording":"night","queue_id":7,"state":"cancelled","actions":10,"submitted":7,"ended":5,)"
        R"("different":3,"impossible":1,"differences":5,"started":1})";
    FakeServer server(table({{"POST /compute/recordings/night/replay", {.body = replayJson(0, "running")}},
                             {"GET /compute/replays/3", {.body = stopped}},
                             {"GET /compute/replays/3/differences?limit=1000", {.body = kTwo}}}));
    const DataDirectory data(server);
    const QString file = data.path() + "/replay.xml";
    QCOMPARE(data.run({"replay", "night", "--junit", file}).code, 2);
    const std::string xml = *readFile(file.toStdString());
    QVERIFY(xml.contains(R"(<testsuite name="night" tests="7" failures="3" errors="1">)"));
    QVERIFY(xml.contains(R"(name="1 more with a difference"><failure>)"));
    QVERIFY(xml.contains(R"(name="3 without a difference"/>)"));
    QVERIFY(xml.contains("<error>the replay was cancelled</error>"));
}

void TestYardctlReplay::whatIsAskedForIsSent() {
    FakeServer server(table({{"POST /compute/recordings/night/replay", {.body = replayJson(0)}},
                             {"GET /compute/replays/3", {.body = replayJson(0)}},
                             {"GET /compute/replays/3/differences?limit=1000", {.body = kNone}}}));
    const DataDirectory data(server);
    const auto sent = [&](const QStringList& options) {
        data.run(QStringList{"replay", "night"} + options);
        const auto all = server.requests();
        const auto post = std::ranges::find_if(all.rbegin(), all.rend(),
                                               [](const FakeRequest& one) { return one.method == "POST"; });
        return post == all.rend() ? std::string() : post->body;
    };
    QCOMPARE(sent({}), std::string("{}"));
    QCOMPARE(sent({"--worker", "thumb@1.3"}), std::string(R"({"replace":{"worker":"thumb@1.3"}})"));
    QCOMPARE(sent({"--ignore", "stderr", "--ignore", "stdout"}),
             std::string(R"({"compare":{"ignore":["stderr","stdout"]}})"));
    QVERIFY(sent({"--speed", "2", "--tolerance", "0.5"}).contains(R"("numbers")"));
    QCOMPARE(sent({"--filter", "state:failed"}), std::string(R"({"filter":"state:failed"})"));
    QVERIFY(sent({"--normalise", "x+"}).contains(R"({"pattern":"x+","with":)"));
    QCOMPARE(sent({"--speed", "full"}), std::string("{}"));
    QCOMPARE(sent({"--machine", "anvil", "--in-order"}), std::string(R"({"to":"anvil","order":"recorded"})"));
}

void TestYardctlReplay::aFileIsBroughtAndRemovedAfterwards() {
    std::string name;
    FakeServer server([&](const FakeRequest& request) -> FakeReply {
        const std::string prefix = "/compute/recordings/";
        if (request.method == "PUT") {
            name = request.target.substr(prefix.size(), request.target.rfind('/') - prefix.size());
            return {200, request.body == "the bytes" ? "{}" : "bad"};
        }
        if (request.target.ends_with("/replay")) return {200, replayJson(0)};
        if (request.target.contains("differences")) return {200, kNone};
        return {200, replayJson(0)};
    });
    const DataDirectory data(server);
    const QString file = data.path() + "/night.yrec";
    QVERIFY(writeFileAtomically(file.toStdString(), "the bytes", 0600));
    QCOMPARE(data.run({"replay", file}).code, 0);
    QVERIFY(name.starts_with("replayed-"));
    QCOMPARE(server.requests().back().method + " " + server.requests().back().target,
             "DELETE /compute/recordings/" + name);
}

void TestYardctlReplay::aSignalCancelsTheReplayAndRemovesWhatWasBrought() {
    FakeServer server([](const FakeRequest& request) -> FakeReply {
        return {200, request.method == "PUT" ? "{}" : replayJson(0, "running")};
    });
    const DataDirectory data(server);
    const QString file = data.path() + "/night.yrec";
    QVERIFY(writeFileAtomically(file.toStdString(), "the bytes", 0600));
    CtlProcess yardctl(QStringList{"--data-dir", data.path(), "replay", file});
    const auto looked = [&] {
        return std::ranges::any_of(server.requests(),
                                   [](const FakeRequest& one) { return one.target == "/compute/replays/3"; });
    };
    QTRY_VERIFY(looked());
    yardctl.signal(SIGINT);
    const Ended ended = yardctl.end();
    QCOMPARE(ended.code, 128 + SIGINT);
    QVERIFY2(ended.err.contains("the replay was cancelled"), ended.err.c_str());
    const auto all = server.requests();
    const auto has = [&](std::string_view method, std::string_view start) {
        return std::ranges::any_of(
            all, [&](const FakeRequest& one) { return one.method == method && one.target.starts_with(start); });
    };
    QVERIFY(has("POST", "/compute/replays/3/cancel"));
    QVERIFY(has("DELETE", "/compute/recordings/replayed-"));
}

void TestYardctlReplay::anotherEngineGetsTheRecordingOfThisOne() {
    FakeServer here(table({{"GET /compute/recordings/night/file", {.body = "the bytes"}}}));
    std::string came;
    FakeServer there([&](const FakeRequest& request) -> FakeReply {
        if (request.method == "PUT") came = request.body;
        if (request.target.contains("differences")) return {200, kNone};
        return {200, replayJson(0)};
    });
    const DataDirectory data(here);
    const QString url = QString("http://127.0.0.1:%1").arg(there.port());
    const QString token = data.path() + "/there.token";
    QVERIFY(writeFileAtomically(token.toStdString(), "abc\n", 0600));
    const Ended ended = data.run({"replay", "night", "--against", url, "--against-token", token});
    QCOMPARE(ended.code, 0);
    QCOMPARE(came, std::string("the bytes"));
}

void TestYardctlReplay::anotherEngineDoesNotGetTheTokenOfThisOne() {
    FakeServer here(table({{"GET /compute/recordings/night/file", {.body = "the bytes"}}}));
    FakeServer there([](const FakeRequest& request) -> FakeReply {
        return {200, request.target.contains("differences") ? kNone : replayJson(0)};
    });
    const DataDirectory data(here);
    const QString token = data.path() + "/here.token";
    QVERIFY(writeFileAtomically(token.toStdString(), "mine\n", 0600));
    const QString url = QString("http://127.0.0.1:%1").arg(there.port());
    for (const QStringList& named : {QStringList{}, QStringList{"--token-file", token}}) {
        QCOMPARE(data.run(named + QStringList{"replay", "night", "--against", url}).code, 0);
        for (const FakeRequest& request : there.requests()) {
            const auto sent = request.headers.find("authorization");
            QVERIFY(sent == request.headers.end() || !(sent->second == "Bearer mine"));
            QVERIFY(sent == request.headers.end() || !(sent->second == "Bearer secret"));
        }
    }
}

void TestYardctlReplay::whatCouldNotBeRunExitsWithTwo() {
    FakeServer server(
        table({{"POST /compute/recordings/night/replay", {.body = replayJson(0, "running")}},
               {"GET /compute/replays/3", {.body = replayJson(0, "failed", R"(,"why":"It is damaged.")")}},
               {"GET /compute/replays/3/differences?limit=1000", {.body = kNone}}}));
    const DataDirectory data(server);
    const Ended failed = data.run({"replay", "night"});
    QCOMPARE(failed.code, 2);
    QVERIFY(failed.err.contains("It is damaged."));
    QCOMPARE(data.run({"replay", "none"}).code, 2);
}

void TestYardctlReplay::aReplayOfNothingIsNoSuccess() {
    const std::string nothing =
        R"({"id":3,"recording":"night","queue_id":7,"state":"done","actions":0,"submitted":0,"ended":0,)"
        R"("different":0,"impossible":0,"differences":0,"started":1})";
    FakeServer server(table({{"POST /compute/recordings/night/replay", {.body = replayJson(0, "running")}},
                             {"GET /compute/replays/3", {.body = nothing}},
                             {"GET /compute/replays/3/differences?limit=1000", {.body = kNone}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"replay", "night", "--filter", "label:typo"});
    QCOMPARE(ended.code, 2);
    QVERIFY(ended.err.contains("no recorded action is meant"));
}

void TestYardctlReplay::asJsonAllIsOneObject() {
    FakeServer server(table({{"POST /compute/recordings/night/replay", {.body = replayJson(2, "running")}},
                             {"GET /compute/replays/3", {.body = replayJson(2)}},
                             {"GET /compute/replays/3/differences?limit=1000", {.body = kTwo}}}));
    const Ended ended = DataDirectory(server).run({"--json", "replay", "night"});
    QCOMPARE(ended.code, 1);
    QVERIFY(ended.out.starts_with("{\"id\":3") && ended.out.contains("\"all_differences\":[{\"lsn\":12"));
}

void TestYardctlReplay::wrongWordsAreRefusedBeforeTheEngineIsAsked_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("nothing") << QStringList{};
    QTest::newRow("two") << QStringList{"a", "b"};
    QTest::newRow("a speed that is none") << QStringList{"a", "--speed", "fast"};
    QTest::newRow("a tolerance that is none") << QStringList{"a", "--tolerance", "some"};
    QTest::newRow("another host without its token") << QStringList{"a", "--against", "https://192.0.2.1:8640"};
    QTest::newRow("an address that is none") << QStringList{"a", "--against", "new:8640"};
    QTest::newRow("a token for nobody") << QStringList{"a", "--against-token", "f"};
}

void TestYardctlReplay::wrongWordsAreRefusedBeforeTheEngineIsAsked() {
    QFETCH(QStringList, words);
    FakeServer server(table({}));
    QCOMPARE(DataDirectory(server).run(QStringList{"replay"} + words).code, 2);
    QVERIFY(server.requests().empty());
}

QTEST_GUILESS_MAIN(TestYardctlReplay)
#include "tst_yardctl_replay.moc"
