// yardctl cancel, retry, retire, hold, release: what is asked of the engine for actions that are named, match a filter, or
// all of them, and what is said.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <algorithm>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

class TestYardctlSteering : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneActionAndMany();
    void equalRefusalsAreOneSentence();
    void whatWasReplacedIsPassedOverInARange();
    void whatIsReleasedInAHeldQueueIsTold();
    void manyReasonsAreCutShort();
    void aBoundIsSentWithWhatIsToBeChanged();
    void aFilterThatFindsNothingIsSaid();
    void aFilterInPlaceOfNumbersIsShownTheOption_data();
    void aFilterInPlaceOfNumbersIsShownTheOption();
    void holdAllMeansQueues();
    void releaseAllSaysThatTheSessionIsPaused();
    void allMeansWhatCanBeDoneInEveryQueue();
};

void TestYardctlSteering::oneActionAndMany() {
    FakeServer server(table({rangeOf(1, 30, "1..30"),
                             rangeOf(1, 30, "1..30", "replaced%3Ano"),
                             rangeOf(1, 30, "", "replaced%3Ayes"),
                             rangeOf(1, 1001, "1..1001"),
                             {"POST /compute/jobs/5/cancel", {}},
                             {"DELETE /compute/jobs/5", {}},
                             {"POST /compute/jobs/5", {.body = R"({"lsn":5,"retry_count":4,"revived":2})"}},
                             {"POST /compute/jobs/retry", {.body = R"({"changed":2,"revived":0,"refused":[]})"}},
                             {"POST /compute/jobs/cancel",
                              {.body = R"({"changed":29,"refused":[{"lsn":12,"error":"It has ended."}]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"cancel", "5"}).out, "5 cancelled\n");
    QCOMPARE(data.run({"retire", "5"}).code, 0);
    QCOMPARE(data.run({"retry", "--force", "5"}).out, "5 goes again, and 2 that had failed only because of that\n");
    QCOMPARE(server.requests().back().body, R"({"force":true})");
    // One of two may have failed because of the other.
    QCOMPARE(data.run({"retry", "5", "6"}).out, "2 actions go again\n");
    QCOMPARE(server.requests().back().body, R"({"lsns":[5,6],"force":true})");
    // A range is meant as well.
    QCOMPARE(data.run({"retry", "1..30"}).out, "2 actions go again\n");
    QVERIFY(server.requests().back().body.contains("\"force\":true"));
    const Ended missing = data.run({"cancel", "5", "9"});
    QCOMPARE(missing.code, 1);
    QCOMPARE(missing.err, "yardctl: There is no action 9.\n"); // named once
    const Ended many = data.run({"cancel", "1..30"});
    QCOMPARE(many.code, 1);
    QCOMPARE(many.out, "29 actions cancelled\n");
    QCOMPARE(many.err, "yardctl: action 12: It has ended.\n");
    QCOMPARE(data.run({"cancel", "1..1001"}).out, "58 actions cancelled\n");
    QCOMPARE(server.requests().back().body, R"({"lsns":[1001]})");
    data.run({"cancel", "--filter", "queue:7"});
    QCOMPARE(server.requests().back().body, R"({"filter":"queue:7"})");
}

void TestYardctlSteering::equalRefusalsAreOneSentence() {
    const auto refused = [](int lsn, const char* why) {
        return fmt::format(R"({{"lsn":{0},"error":"at_limit","message":"Action {0} {1}"}})", lsn, why);
    };
    std::string list = refused(12, "is running.");
    for (const int lsn : {1, 2, 3, 5, 13}) list += "," + refused(lsn, "was retried 3 times.");
    FakeServer server(table(
        {rangeOf(1, 13, "1..13", "replaced%3Ano"),
         {"POST /compute/jobs/retry", {.body = R"({"changed":7,"refused":[)" + list + "]}"}},
         {"POST /compute/jobs/1/hold", {409, R"({"error":"wrong_state","message":"Action 1 is failed."})"}},
         {"POST /compute/jobs/2/hold", {409, R"({"error":"wrong_state","message":"Action 2 is failed."})"}}}));
    const DataDirectory data(server);
    const Ended range = data.run({"retry", "1..13"});
    QCOMPARE(range.code, 1);
    QCOMPARE(range.out, "7 actions go again\n");
    QCOMPARE(range.err, "yardctl: Action 12 is running.\n"
                        "yardctl: Action 1 was retried 3 times. The same of 4 more: 2..3, 5, 13\n");
    QCOMPARE(data.run({"hold", "1", "2"}).err, "yardctl: Action 1 is failed. The same of 1 more: 2\n");
    QCOMPARE(data.run({"--json", "hold", "1", "2"}).err,
             "{\"error\":\"wrong_state\",\"message\":\"Action 1 is failed. The same of 1 more: 2\"}\n");
}

void TestYardctlSteering::whatWasReplacedIsPassedOverInARange() {
    FakeServer server(table({rangeOf(1, 5, "1,3,5", "replaced%3Ano"),
                             rangeOf(1, 5, "2,4", "replaced%3Ayes"),
                             rangeOf(7, 9, "", "replaced%3Ano"),
                             {"POST /compute/jobs/retry", {.body = R"({"changed":3,"refused":[]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"retry", "--force", "1..5"}).out,
             "3 actions go again\n"
             "2 passed over: replaced by other actions ('yardctl retry LSN' runs one all the same)\n");
    QCOMPARE(server.requests().back().body, R"({"lsns":[1,3,5],"force":true})");
    const Ended none = data.run({"retry", "7..9"});
    QCOMPARE(none.code, 1);
    QCOMPARE(none.err,
             "yardctl: there are no actions from 7 to 9 with replaced:no; 'yardctl ls' lists those there are\n");
}

/// Whoever releases an action wants it to start.
void TestYardctlSteering::whatIsReleasedInAHeldQueueIsTold() {
    FakeServer server(table({{"POST /compute/jobs/5/release", {.body = R"({"lsn":5,"held":false})"}},
                             {"GET /compute/jobs/5", {202, R"({"lsn":5,"state":"pending","queue_id":7})"}},
                             {"GET /compute/queues/7", {.body = R"({"queue_id":7,"held":true})"}},
                             {"POST /compute/jobs/6/release", {.body = R"({"lsn":6,"held":false})"}},
                             {"GET /compute/jobs/6", {202, R"({"lsn":6,"state":"pending","queue_id":8})"}},
                             {"GET /compute/queues/8", {.body = R"({"queue_id":8,"held":false})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"release", "5", "6"}).out,
             "5 released; its queue is held: 'yardctl queue release 7'\n6 released\n");
}

void TestYardctlSteering::manyReasonsAreCutShort() {
    std::string list;
    for (int lsn = 1; lsn <= 14; ++lsn)
        list += fmt::format(R"({}{{"lsn":{},"error":"reason {}"}})", lsn > 1 ? "," : "", lsn, 100 - lsn);
    FakeServer server(
        table({{"POST /compute/jobs/cancel", {.body = R"({"changed":0,"refused":[)" + list + "]}"}}}));
    const Ended ended = DataDirectory(server).run({"cancel", "--filter", "queue:7"});
    QCOMPARE(ended.code, 1);
    QCOMPARE(std::ranges::count(ended.err, '\n'), 11);
    QVERIFY2(ended.err.starts_with("yardctl: action 1: reason 99\n"), ended.err.c_str());
    QVERIFY2(ended.err.ends_with("yardctl: and 4 more actions were refused for other reasons\n"),
             ended.err.c_str());
}

void TestYardctlSteering::aBoundIsSentWithWhatIsToBeChanged() {
    FakeServer server(
        table({rangeOf(1, 1001, "1..1001"),
               {"POST /compute/jobs/cancel", {.body = R"({"changed":0,"count":29,"refused":[]})"}},
               {"POST /compute/jobs/retry", {.body = R"({"changed":0,"count":1,"revived":2,"refused":[]})"}},
               {"POST /compute/jobs/retire",
                {.status = 409,
                 .body = R"({"error":"at_limit","message":"This would change 31 actions.","count":31})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"cancel", "--filter", "queue:7", "--dry-run"}).out, "29 actions would be cancelled\n");
    QCOMPARE(server.requests().back().body, R"({"filter":"queue:7","dry_run":true})");
    QCOMPARE(data.run({"cancel", "--all", "--dry-run", "--json"}).out,
             "{\"changed\":0,\"count\":29,\"refused\":[]}\n");
    QCOMPARE(data.run({"retry", "5", "--dry-run"}).out,
             "1 action would be retried, and 2 that had failed only because of that\n");
    QCOMPARE(data.run({"cancel", "5", "--at-most", "3"}).code, 0);
    QCOMPARE(server.requests().back().body, R"({"lsns":[5],"at_most":3})");
    const Ended tooMany = data.run({"retire", "--filter", "queue:7", "--at-most", "30"});
    QCOMPARE(tooMany.code, 1);
    QCOMPARE(tooMany.err, "yardctl: This would change 31 actions.\n");
    QCOMPARE(server.requests().back().body, R"({"filter":"queue:7","at_most":30})");
    // Several requests: counted before the first one changes anything.
    const auto before = server.requests().size();
    QCOMPARE(data.run({"cancel", "1..1001", "--at-most", "57"}).err,
             "yardctl: this would change 58 actions, more than --at-most 57: nothing was changed\n");
    QCOMPARE(server.requests().size(), before + 3); // the range, and two counts
    QCOMPARE(server.requests().back().body, R"({"lsns":[1001],"dry_run":true})");
    QCOMPARE(data.run({"cancel", "1..1001", "--at-most", "58"}).code, 0);
    QCOMPARE(server.requests().back().body, R"({"lsns":[1001],"at_most":58})");
    QCOMPARE(data.run({"cancel", "5", "--at-most", "-1"}).code, 2);
    QCOMPARE(data.run({"cancel", "5", "--at-most", "few"}).code, 2);
    QCOMPARE(data.run({"hold", "--all", "--dry-run"}).code, 2);
}

void TestYardctlSteering::aFilterThatFindsNothingIsSaid() {
    const FakeReply nothing{.body = R"({"changed":0,"count":0,"refused":[]})"};
    FakeServer server(table({{"POST /compute/jobs/cancel", nothing},
                             {"POST /compute/jobs/release", nothing},
                             {"POST /compute/jobs/retry",
                              {.body = R"({"changed":0,"passed_over":{"replaced":2,"terminals":0},"refused":[]})"}},
                             {"PATCH /compute/jobs", nothing},
                             {"GET /compute/jobs/lsns?limit=1&q=label%3Atset", {.body = R"({"lsns":""})"}},
                             {"GET /compute/jobs/lsns?limit=1&q=label%3Aold", {.body = R"({"lsns":"5"})"}}}));
    const DataDirectory data(server);
    for (const QStringList& words :
         {QStringList{"cancel"}, {"release"}, {"cancel", "--dry-run"}, {"priority", "5"}}) {
        const Ended ended = data.run(words + QStringList{"--filter", "label:tset"});
        QCOMPARE(ended.err, "yardctl: no action matches 'label:tset'\n");
        QVERIFY2(ended.out.starts_with("0 "), ended.out.c_str());
        QCOMPARE(ended.code, 0);
    }
    // What is there, and cannot be changed any more, matches.
    QCOMPARE(data.run({"cancel", "--filter", "label:old"}).err, "");
    QCOMPARE(data.run({"retry", "--filter", "label:tset"}).err, "");
    QCOMPARE(data.run({"--json", "cancel", "--filter", "label:tset"}).err, "");
    QCOMPARE(data.run({"cancel", "--all"}).err, "");
}

void TestYardctlSteering::aFilterInPlaceOfNumbersIsShownTheOption_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("sentence");
    const auto row = [](const QStringList& words, const char* sentence) {
        QTest::newRow(words.join(' ').toUtf8().constData()) << words << QByteArray(sentence);
    };
    const char* kHow = "a filter is given with --filter, so that many are not changed by mistake: --filter ";
    row({"retry", "state:failed"}, (kHow + std::string("'state:failed'")).c_str());
    row({"cancel", "queue:7", "12", "runtime>1h"}, (kHow + std::string("'queue:7 runtime>1h'")).c_str());
    row({"priority", "5", "label:x"}, (kHow + std::string("'label:x'")).c_str());
    row({"retry", "label:it's"}, "'label:it's' is not the number of an action (an LSN), nor a range like 12..20");
    row({"retry", "failed"}, "'failed' is not the number of an action (an LSN), nor a range like 12..20");
}

void TestYardctlSteering::aFilterInPlaceOfNumbersIsShownTheOption() {
    QFETCH(QStringList, words);
    QFETCH(QByteArray, sentence);
    FakeServer server(table({}));
    const Ended ended = DataDirectory(server).run(words);
    QCOMPARE(ended.code, 2);
    QCOMPARE(ended.err, "yardctl: " + sentence.toStdString() + "\n");
    QVERIFY(server.requests().empty());
}

void TestYardctlSteering::holdAllMeansQueues() {
    FakeServer server(table({{"POST /compute/hold", {}}, {"POST /compute/release", {}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"hold", "--all"}).code, 0);
    QCOMPARE(data.run({"release", "-a"}).code, 0);
}

void TestYardctlSteering::releaseAllSaysThatTheSessionIsPaused() {
    const auto released = [](const char* session, const QStringList& words) {
        FakeServer server(table({{"POST /compute/release", {}}, {"GET /compute/session", {.body = session}}}));
        return DataDirectory(server).run(words + QStringList{"release", "--all"});
    };
    const Ended paused = released(R"({"state":"paused"})", {});
    QCOMPARE(paused.out, "every queue is released\n");
    QCOMPARE(paused.err, "yardctl: the session is paused: nothing starts until the engine is restarted\n");
    QCOMPARE(paused.code, 0);
    QCOMPARE(released(R"({"state":"ready"})", {}).err, "");
    QCOMPARE(released(R"({"state":"paused"})", {"--json"}).err, "");
}

void TestYardctlSteering::allMeansWhatCanBeDoneInEveryQueue() {
    FakeServer server(table({{"POST /compute/jobs/cancel", {.body = R"({"changed":0,"refused":[]})"}},
                             {"POST /compute/jobs/retry", {.body = R"({"changed":2,"refused":[]})"}},
                             {"POST /compute/jobs/retire", {.body = R"({"changed":3,"refused":[]})"}}}));
    const DataDirectory data(server);
    // Nothing to do is done.
    const Ended none = data.run({"cancel", "--all"});
    QCOMPARE(none.code, 0);
    QCOMPARE(none.out, "0 actions cancelled\n");
    QCOMPARE(server.requests().back().body, R"({"filter":"state:pending,submitting,running"})");
    QCOMPARE(data.run({"retry", "-a", "--force"}).out, "2 actions go again\n");
    QCOMPARE(server.requests().back().body, R"({"filter":"state:failed,abandoned","force":true})");
    QCOMPARE(data.run({"retire", "--all", "--json"}).out, "{\"changed\":3,\"refused\":[]}\n");
    QCOMPARE(server.requests().back().body, R"({"filter":"state:completed,failed,abandoned,cancelled"})");
}

QTEST_GUILESS_MAIN(TestYardctlSteering)
#include "tst_yardctl_steering.moc"
