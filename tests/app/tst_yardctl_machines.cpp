// yardctl machines: what it asks for, and what it says.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>

using namespace yard;
using namespace yard::test;

namespace {

const std::string kMachines =
    R"({"machines":[{"id":0,"name":"here","kind":"local","state":"ready","cores":8,"memory_bytes":1073741824,)"
    R"("running":1,"waiting":0,"slots":8},{"id":2,"name":"desk","kind":"joined","state":"silent","reason":"no answer",)"
    R"("cores":2.5,"running":3,"waiting":4,"slots":2,"since":1,"lost_at":1}]})";

} // namespace

class TestYardctlMachines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allAreListed();
    void oneIsAddedBySsh();
    void oneIsShownByItsName();
    void eachVerbAsksForItsRoute_data();
    void eachVerbAsksForItsRoute();
    void oneIsRemoved();
    void oneIsAddedByItsAddress();
    void aJoinTokenIsPrintedAloneWithTheLineToType();
    void joinTokensAreListedAndRemoved();
    void hoursAreGivenAndTakenAway();
    void allocatorsAreListedWithTheirSentences();
    void anAllocatorIsMadeOfItsOptions();
    void eachVerbOfAllocatorsAsksForItsRoute();
    void wrongWordsOfAllocatorsAreSaid();
    void whatIsWrongIsSaid_data();
    void whatIsWrongIsSaid();
};

void TestYardctlMachines::allAreListed() {
    FakeServer server(table({{"GET /compute/machines", {.body = kMachines}}}));
    const DataDirectory data(server);
    const Ended listed = data.run({"machines"});
    QCOMPARE(listed.code, 0);
    for (const char* word : {"here", "desk", "2.5", "silent, lost in 0", "no answer"})
        QVERIFY2(listed.out.contains(word), listed.out.c_str());
    QCOMPARE(data.run({"machines", "ls"}).out, listed.out);
    QCOMPARE(data.run({"--json", "machines"}).out, kMachines + "\n");
}

void TestYardctlMachines::oneIsAddedByItsAddress() {
    FakeServer server(table(
        {{"POST /compute/machines", {.body = R"({"id":3,"name":"attic","kind":"linked","state":"ready"})"}}}));
    const DataDirectory data(server);
    QVERIFY(writeFileAtomically(data.file("attic.token"), "secret\n", 0600));
    const QString file = QString::fromStdString(data.file("attic.token"));
    const Ended added =
        data.run({"machines", "add", "https://attic:8640", "--machine-token", file, "--name", "attic"});
    QVERIFY2(added.out.contains("linked"), (added.out + added.err).c_str());
    QCOMPARE(server.requests().back().body,
             std::string(R"({"address":"https://attic:8640","token":"secret","name":"attic"})"));
    QCOMPARE(data.run({"machines", "add", "https://attic:8640"}).code, 2);
    QCOMPARE(data.run({"machines", "add", "--machine-token", file}).code, 2);
    QCOMPARE(data.run({"machines", "drain", "3", "--fingerprint", "ab"}).code, 2);
    QCOMPARE(data.run({"machines", "token", "--name", "attic"}).code, 2);
    QCOMPARE(data.run({"machines", "tokens", "--machine-token", file}).code, 2);
    const Ended uses = data.run({"machines", "add", "https://attic:8640", "--machine-token", file, "--uses", "2"});
    QCOMPARE(uses.code, 2);
    QVERIFY2(uses.err.contains("--uses goes with 'token'"), uses.err.c_str());
}

void TestYardctlMachines::oneIsAddedBySsh() {
    FakeServer server(
        table({{"POST /compute/machines", {.body = R"({"id":3,"name":"attic","kind":"ssh","state":"ready"})"}}}));
    const DataDirectory data(server);
    const Ended added = data.run({"machines", "add", "ssh://me@attic:22"});
    QVERIFY2(added.out.contains("ssh"), (added.out + added.err).c_str());
    QCOMPARE(server.requests().back().body, std::string(R"({"address":"ssh://me@attic:22"})"));
    QCOMPARE(data.run({"machines", "add", "ssh://me@attic", "--install", "--cores", "2"}).code, 0);
    QCOMPARE(server.requests().back().body,
             std::string(R"({"address":"ssh://me@attic","install":true,"max_cores":2})"));
}

void TestYardctlMachines::oneIsShownByItsName() {
    FakeServer server(table({{"GET /compute/machines", {.body = kMachines}},
                             {"GET /compute/machines/2", {.body = R"({"id":2,"name":"desk","state":"ready"})"}}}));
    const DataDirectory data(server);
    QVERIFY(data.run({"machines", "show", "desk"}).out.contains("ready"));
    QCOMPARE(data.run({"machines", "show", "2"}).out, data.run({"machines", "show", "desk"}).out);
    const Ended unknown = data.run({"machines", "show", "table"});
    QCOMPARE(unknown.code, 1); // as of a number that none has
    QVERIFY2(unknown.err.contains("there is no machine 'table'"), unknown.err.c_str());
}

void TestYardctlMachines::eachVerbAsksForItsRoute_data() {
    QTest::addColumn<QString>("verb");
    QTest::addColumn<QByteArray>("route");
    QTest::newRow("drain") << "drain" << QByteArray("POST /compute/machines/2/drain");
    QTest::newRow("resume") << "resume" << QByteArray("POST /compute/machines/2/resume");
    QTest::newRow("pause") << "pause" << QByteArray("PATCH /compute/machines/2");
}

void TestYardctlMachines::eachVerbAsksForItsRoute() {
    QFETCH(const QString, verb);
    QFETCH(const QByteArray, route);
    FakeServer server(table({{route.toStdString(), {.body = R"({"id":2,"name":"desk","state":"draining"})"}}}));
    const Ended ended = DataDirectory(server).run({"machines", verb, "2"});
    QCOMPARE(ended.code, 0);
    QVERIFY2(ended.out.contains("draining"), ended.out.c_str());
}

void TestYardctlMachines::oneIsRemoved() {
    FakeServer server(table({{"DELETE /compute/machines/2", {.body = R"({"id":2})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"machines", "remove", "2"}).out, "2 is removed\n");
    QCOMPARE(data.run({"machines", "remove", "2", "--force"}).out, "2 is removed\n");
    QCOMPARE(data.run({"machines", "remove", "3"}).code, 1);
}

void TestYardctlMachines::aJoinTokenIsPrintedAloneWithTheLineToType() {
    const std::string made =
        R"({"id":1,"uses":5,"used":0,"created":1,"expires":2,"token":"abc.def","url":"https://y:1"})";
    FakeServer server(table({{"POST /compute/machines/tokens", {.body = made}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"machines", "token", "--uses", "5", "--expires", "2h", "--cores", "3"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "abc.def\n");
    QVERIFY2(ended.err.contains("--join https://y:1 --join-token abc.def"), ended.err.c_str());
    QCOMPARE(server.requests().back().body, R"({"uses":5,"max_cores":3,"expires_s":7200})");
    QCOMPARE(data.run({"--json", "machines", "token"}).out, made + "\n");
    QCOMPARE(server.requests().back().body, "{}");
}

void TestYardctlMachines::joinTokensAreListedAndRemoved() {
    const std::string tokens = R"({"tokens":[{"id":7,"uses":5,"used":2,"created":1,"expires":2,"max_cores":3}]})";
    FakeServer server(table({{"GET /compute/machines/tokens", {.body = tokens}},
                             {"DELETE /compute/machines/tokens/7", {.body = R"({"id":7})"}}}));
    const DataDirectory data(server);
    const Ended listed = data.run({"machines", "tokens"});
    QCOMPARE(listed.code, 0);
    for (const char* word : {"7", "2", "5", "has expired", "3"})
        QVERIFY2(listed.out.contains(word), listed.out.c_str());
    QCOMPARE(data.run({"--json", "machines", "tokens"}).out, tokens + "\n");
    QCOMPARE(data.run({"machines", "tokens", "remove", "7"}).out,
             "join token 7 is removed; machines that joined with it stay\n");
    QCOMPARE(data.run({"machines", "tokens", "remove", "8"}).code, 1);
    FakeServer empty(table({{"GET /compute/machines/tokens", {.body = R"({"tokens":[]})"}}}));
    QCOMPARE(DataDirectory(empty).run({"machines", "tokens"}).err,
             "There are no join tokens: 'yardctl machines token' makes one.\n");
}

void TestYardctlMachines::hoursAreGivenAndTakenAway() {
    FakeServer server(
        table({{"PATCH /compute/machines/2", {.body = R"({"id":2,"name":"desk","state":"draining"})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"machines", "hours", "2", "mon-fri 19:00-07:00"}).code, 0);
    QCOMPARE(server.requests().back().body, std::string(R"({"hours":"mon-fri 19:00-07:00"})"));
    QCOMPARE(data.run({"machines", "hours", "2", "always"}).code, 0);
    QCOMPARE(server.requests().back().body, std::string(R"({"hours":""})"));
    QCOMPARE(data.run({"machines", "hours", "2"}).code, 2);
    FakeServer strict(table({{"PATCH /compute/machines/2",
                              {.status = 422, .body = R"({"error":"invalid","message":"No such day."})"}}}));
    QCOMPARE(DataDirectory(strict).run({"machines", "hours", "2", "someday 1"}).code, 2); // what was typed is wrong
}

void TestYardctlMachines::allocatorsAreListedWithTheirSentences() {
    const std::string all =
        R"({"allocators":[{"name":"night","kind":"slurm","state":"active","wanted":2,"max":8,"pilots":[{"job":"41",)"
        R"("state":"joined","machine":"night-ab12"}],"decision":"2 machines wanted"},{"name":"cloud","kind":"command",)"
        R"("state":"paused","wanted":1,"max":4,"pilots":[],"reason":"no quota is left","decision":"paused"}]})";
    FakeServer server(table({{"GET /compute/allocators", {.body = all}}}));
    const DataDirectory data(server);
    const Ended listed = data.run({"allocators"});
    QCOMPARE(listed.code, 0);
    for (const char* word : {"night", "slurm", "2 machines wanted", "cloud", "paused", "no quota is left"})
        QVERIFY2(listed.out.contains(word), listed.out.c_str());
    QCOMPARE(data.run({"--json", "allocators"}).out, all + "\n");
    FakeServer empty(table({{"GET /compute/allocators", {.body = R"({"allocators":[]})"}}}));
    QVERIFY(DataDirectory(empty).run({"allocators"}).err.contains("There are no allocators"));
}

void TestYardctlMachines::anAllocatorIsMadeOfItsOptions() {
    const std::string made = R"({"name":"night","kind":"slurm","state":"active","wanted":0,"pilots":[{"job":"41",)"
                             R"("state":"waiting","since":1}],"decision":"nothing waits"})";
    FakeServer server(table({{"POST /compute/allocators", {.body = made}}}));
    const DataDirectory data(server);
    const Ended added =
        data.run({"allocators", "add", "slurm", "night", "--partition", "long", "--time", "4h", "--cores", "16",
                  "--max", "8", "--option", "--qos=low", "--option", "--exclusive", "--keep"});
    QVERIFY2(added.code == 0 && added.out.contains("nothing waits") && added.out.contains("41"),
             (added.out + added.err).c_str());
    QCOMPARE(
        server.requests().back().body,
        std::string(R"({"partition":"long","options":["--qos=low","--exclusive"],"walltime_s":14400,"cores":16,)"
                    R"("max":8,"keep":true,"kind":"slurm","name":"night"})"));
}

void TestYardctlMachines::eachVerbOfAllocatorsAsksForItsRoute() {
    const FakeReply one{.body =
                            R"({"name":"night","state":"active","wanted":0,"pilots":[],"decision":"all is well"})"};
    FakeServer server(table({{"GET /compute/allocators/night", one},
                             {"PATCH /compute/allocators/night", one},
                             {"POST /compute/allocators/night/pause", one},
                             {"POST /compute/allocators/night/resume", one},
                             {"DELETE /compute/allocators/night", {.body = R"({"name":"night"})"}}}));
    const DataDirectory data(server);
    for (const char* verb : {"show", "pause", "resume"})
        QVERIFY2(data.run({"allocators", verb, "night"}).out.contains("all is well"), verb);
    QCOMPARE(data.run({"allocators", "change", "night", "--max", "3", "--end"}).code, 0);
    QCOMPARE(server.requests().back().body, std::string(R"({"max":3,"keep":false})"));
    QCOMPARE(data.run({"allocators", "remove", "night"}).out, "night is removed once its jobs have ended\n");
    QCOMPARE(data.run({"allocators", "show", "day"}).code, 1);
}

void TestYardctlMachines::wrongWordsOfAllocatorsAreSaid() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    const auto says = [&](const QStringList& words, const char* sentence) {
        const Ended ended = data.run(QStringList{"allocators"} + words);
        return ended.code == 2 && ended.err.contains(sentence);
    };
    QVERIFY(says({"grow"}, "'grow' is none of"));
    QVERIFY(says({"ls", "night"}, "'ls' lists all"));
    QVERIFY(says({"add", "night"}, "say which kind"));
    QVERIFY(says({"show"}, "name one"));
    QVERIFY(says({"pause", "night", "--max", "3"}, "go with 'add' and 'change'"));
    QVERIFY(says({"change", "night", "--cores", "many"}, "is not a number"));
    QVERIFY(says({"change", "night", "--keep", "--end"}, "give one of"));
}

void TestYardctlMachines::whatIsWrongIsSaid_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("sentence");
    QTest::newRow("another verb") << QStringList{"grow"} << QByteArray("'grow' is none of add, ls, show");
    QTest::newRow("no address") << QStringList{"add"} << QByteArray("name it by its address");
    QTest::newRow("a token by ssh") << QStringList{"add", "ssh://desk", "--machine-token", "f"}
                                    << QByteArray("--machine-token goes with https://");
    QTest::newRow("a copy by TLS") << QStringList{"add", "https://desk", "--install"}
                                   << QByteArray("--install copies by ssh");
    QTest::newRow("a copy of another verb")
        << QStringList{"drain", "2", "--install"} << QByteArray("--install goes with 'add'");
    QTest::newRow("no number") << QStringList{"drain"} << QByteArray("name one by its number or name");
    QTest::newRow("two") << QStringList{"drain", "2", "3"} << QByteArray("name one by its number or name");
    QTest::newRow("uses of a machine") << QStringList{"show", "2", "--uses", "1"} << QByteArray("--uses goes with");
    QTest::newRow("uses of tokens") << QStringList{"tokens", "--uses", "1"} << QByteArray("--uses goes with");
    QTest::newRow("force of a token") << QStringList{"token", "--force"} << QByteArray("--force goes with");
    QTest::newRow("token of one") << QStringList{"token", "1"} << QByteArray("'token' makes one");
    QTest::newRow("tokens of one") << QStringList{"tokens", "1"} << QByteArray("name one by its number");
    QTest::newRow("no number of uses") << QStringList{"token", "--uses", "x"} << QByteArray("");
    QTest::newRow("ls of one") << QStringList{"ls", "2"} << QByteArray("'ls' lists all");
    QTest::newRow("force of another") << QStringList{"drain", "2", "--force"}
                                      << QByteArray("--force goes with 'remove'");
}

void TestYardctlMachines::whatIsWrongIsSaid() {
    QFETCH(QStringList, words);
    QFETCH(QByteArray, sentence);
    FakeServer server(table({}));
    const Ended refused = DataDirectory(server).run(QStringList{"machines"} + words);
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.starts_with("yardctl: " + sentence.toStdString()), refused.err.c_str());
}

QTEST_GUILESS_MAIN(TestYardctlMachines)
#include "tst_yardctl_machines.moc"
