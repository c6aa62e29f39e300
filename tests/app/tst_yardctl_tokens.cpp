// yardctl tokens: what it asks for, and what it says.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>

using namespace yard;
using namespace yard::test;

class TestYardctlTokens : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aTokenIsPrintedAloneAndOnce();
    void queuesAreNamedAsPeopleNameThem();
    void tokensAreListed();
    void nobodyElseHasOne();
    void aTokenIsRemoved();
    void whoAsksIsToldWhatTheirTokenAllows();
    void whatIsWrongIsSaid_data();
    void whatIsWrongIsSaid();
    void whatTheEngineRefusesIsSaid();
    void theAuditIsRowsPageByPage();
    void theAuditAsJsonHasALineForEach();
    void whatTheAuditIsNotAskedForIsWrongUsage();
};

namespace {

constexpr const char* kMade = R"({"name":"anna","rights":"read","created":1,"token":"abc123"})";

} // namespace

void TestYardctlTokens::aTokenIsPrintedAloneAndOnce() {
    FakeServer server(table({{"POST /compute/tokens", {.body = kMade}}}));
    const DataDirectory data(server);
    const Ended made = data.run({"tokens", "new", "anna", "--right", "read", "--expires", "2h"});
    QCOMPARE(made.code, 0);
    QCOMPARE(made.out, "abc123\n");
    QCOMPARE(made.err, "This is the token of anna; it is not shown again.\n");
    QCOMPARE(server.requests().back().body, R"({"name":"anna","rights":"read","expires_s":7200})");
    QCOMPARE(data.run({"--json", "tokens", "new", "anna", "--right", "read"}).out, std::string(kMade) + "\n");
}

void TestYardctlTokens::queuesAreNamedAsPeopleNameThem() {
    FakeServer server(table({{"GET /compute/queues",
                              {.body = R"({"queues":[{"queue_id":0,"tag":""},{"queue_id":7,"tag":"nightly"}]})"}},
                             {"POST /compute/tokens", {.body = kMade}}}));
    const DataDirectory data(server);
    const std::string token(24, 'a');
    const Ended made = data.run({"tokens", "new", "ci", "--right", "submit", "--queue", "3", "--queue",
                                 QString::fromStdString(token), "--queue", "nightly"});
    QCOMPARE(made.code, 0);
    QCOMPARE(server.requests().back().body, R"({"name":"ci","rights":"submit","queues":[3,")" + token + R"(",7]})");
}

void TestYardctlTokens::tokensAreListed() {
    const std::string answer =
        R"({"tokens":[{"name":"anna","rights":"read","created":1,"expires":2},)"
        R"({"name":"ci","rights":"submit","queues":[3,7],"created":1},{"name":"all","rights":"submit","created":1}]})";
    FakeServer server(table({{"GET /compute/tokens", {.body = answer}}}));
    const DataDirectory data(server);
    const Ended listed = data.run({"tokens"});
    QCOMPARE(listed.code, 0);
    QVERIFY2(listed.out.contains("anna  read    -"), listed.out.c_str());
    QVERIFY2(listed.out.contains("has expired"), listed.out.c_str());
    QVERIFY2(listed.out.contains("ci    submit  3, 7"), listed.out.c_str());
    QVERIFY2(listed.out.contains("all   submit  new actions of all"), listed.out.c_str());
    QCOMPARE(data.run({"--json", "tokens"}).out, answer + "\n");
}

void TestYardctlTokens::nobodyElseHasOne() {
    FakeServer server(table({{"GET /compute/tokens", {.body = R"({"tokens":[]})"}}}));
    const Ended listed = DataDirectory(server).run({"tokens"});
    QCOMPARE(listed.code, 0);
    QCOMPARE(listed.out, "");
    QCOMPARE(listed.err, "There are no tokens but the owner's.\n");
}

void TestYardctlTokens::aTokenIsRemoved() {
    FakeServer server(table({{"DELETE /compute/tokens/anna", {.body = R"({"name":"anna"})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"tokens", "remove", "anna"}).out, "the token of anna is removed\n");
    QCOMPARE(data.run({"--json", "tokens", "remove", "anna"}).out, "{\"name\":\"anna\"}\n");
    QCOMPARE(data.run({"tokens", "remove", "nobody"}).code, 1);
}

void TestYardctlTokens::whoAsksIsToldWhatTheirTokenAllows() {
    const auto told = [](const std::string& token, const QStringList& words = {"whoami"}) {
        FakeServer server(table({{"GET /compute/token", {.body = token}}}));
        return DataDirectory(server).run(words);
    };
    QCOMPARE(told(R"({"name":"","rights":"admin"})").out, "name     the owner of the engine\nright    admin\n");
    const std::string bound = R"({"name":"ci","rights":"submit","queues":[3,7],"created":1,"expires":2})";
    const Ended shown = told(bound);
    QCOMPARE(shown.code, 0);
    QVERIFY2(shown.out.starts_with("name     ci\nright    submit\nqueues   3, 7\nexpires  "), shown.out.c_str());
    QCOMPARE(told(R"({"name":"all","rights":"submit","created":1})").out,
             "name     all\nright    submit\nqueues   new actions of all\n");
    QCOMPARE(told(bound, {"--json", "whoami"}).out, bound + "\n");
    FakeServer older(table({}));
    QCOMPARE(DataDirectory(older).run({"whoami"}).code, 1);
}

void TestYardctlTokens::whatIsWrongIsSaid_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("sentence");
    const auto row = [](const char* name, const QStringList& words, const char* sentence) {
        QTest::newRow(name) << words << QByteArray(sentence);
    };
    row("another verb", {"make", "anna"}, "'make' is neither new nor remove");
    row("new without a name", {"new"}, "name one token: yardctl tokens new NAME");
    row("remove without a name", {"remove"}, "name one token: yardctl tokens remove NAME");
    row("no right", {"new", "anna"}, "say with --right what the token allows: read, submit, operate or admin");
    row("no such right", {"new", "anna", "--right", "write"},
        "say with --right what the token allows: read, submit, operate or admin");
    row("no duration", {"new", "anna", "--right", "read", "--expires", "soon"}, "'soon' is not a duration");
}

void TestYardctlTokens::whatIsWrongIsSaid() {
    QFETCH(QStringList, words);
    QFETCH(QByteArray, sentence);
    FakeServer server(table({}));
    const Ended refused = DataDirectory(server).run(QStringList{"tokens"} + words);
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.starts_with("yardctl: " + sentence.toStdString()), refused.err.c_str());
}

void TestYardctlTokens::whatTheEngineRefusesIsSaid() {
    FakeServer server(table(
        {{"POST /compute/tokens",
          {422, R"({"error":"invalid","message":"Give \u0022name\u0022 as 1 to 64 letters.","field":"name"})"}},
         {"GET /compute/tokens",
          {403, R"({"error":"forbidden","message":"The token has the right read, and this needs admin."})"}}}));
    const DataDirectory data(server);
    const Ended refused = data.run({"tokens", "new", "a/b", "--right", "read"});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("1 to 64 letters"), refused.err.c_str());
    const Ended forbidden = data.run({"tokens"});
    QCOMPARE(forbidden.code, 1);
    QVERIFY2(forbidden.err.contains("this needs admin"), forbidden.err.c_str());
}

void TestYardctlTokens::theAuditIsRowsPageByPage() {
    const std::string first =
        R"({"entries":[{"t":3000000,"who":"anna","from":"10.0.0.7","method":"POST","path":"/compute/queues/7/hold","result":200}],"cursor":"19.40"})";
    const std::string second =
        R"({"entries":[{"t":2000000,"who":"the owner","method":"PATCH","path":"/compute/settings","body":"{\"a\u001b[2J\":1}","result":422}]})";
    FakeServer server(table({{"GET /compute/audit?who=anna&q=hold&limit=100", {.body = first}},
                             {"GET /compute/audit?who=anna&q=hold&limit=99&cursor=19.40", {.body = second}},
                             {"GET /compute/audit?limit=1", {.body = first}}}));
    const DataDirectory data(server);
    const Ended ended = data.run({"audit", "--who", "anna", "--match", "hold"});
    QVERIFY2(ended.code == 0, ended.err.c_str());
    QVERIFY2(ended.out.contains("10.0.0.7") && ended.out.contains("POST /compute/queues/7/hold"),
             ended.out.c_str());
    QVERIFY2(ended.out.contains("the owner") && ended.out.contains("422"), ended.out.c_str());
    QVERIFY(!ended.out.contains('\x1b'));
    // A page may be all that is wanted.
    QCOMPARE(data.run({"audit", "--limit", "1"}).code, 0);
    QCOMPARE(server.requests().size(), std::size_t(3));
}

void TestYardctlTokens::theAuditAsJsonHasALineForEach() {
    FakeServer server(table(
        {{"GET /compute/audit?limit=100",
          {.body =
               R"({"entries":[{"t":2,"who":"anna","method":"POST","path":"/a","result":200},{"t":1,"who":"anna","method":"POST","path":"/b","result":200}]})"}},
         {"GET /compute/audit?who=nobody&limit=100", {.body = R"({"entries":[]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"--json", "audit"}).out,
             "{\"t\":2,\"who\":\"anna\",\"method\":\"POST\",\"path\":\"/a\",\"result\":200}\n"
             "{\"t\":1,\"who\":\"anna\",\"method\":\"POST\",\"path\":\"/b\",\"result\":200}\n");
    const Ended none = data.run({"audit", "--who", "nobody"});
    QCOMPARE(none.code, 0);
    QCOMPARE(none.err, "Nothing was changed.\n");
}

void TestYardctlTokens::whatTheAuditIsNotAskedForIsWrongUsage() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    for (const QStringList& words :
         {QStringList{"audit", "--limit", "0"}, QStringList{"audit", "--limit", "100001"},
          QStringList{"audit", "--from", "never"}, QStringList{"audit", "word"}})
        QCOMPARE(data.run(words).code, 2);
    QVERIFY(server.requests().empty());
}

QTEST_GUILESS_MAIN(TestYardctlTokens)
#include "tst_yardctl_tokens.moc"
