// yardctl move: what it asks for, and what becomes of actions at a real engine.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/torture/program.h"

#include <QTest>

using namespace yard;
using namespace yard::test;

class TestYardctlMove : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void actionsGoToAQueueByNumberTagOrToken();
    void aFilterMovesAllThatMatch();
    void whatMakesNoSenseIsRefused();
    void movedActionsRunInTheOtherQueue();
    void placesAreAskedForInOneRequest();
    void aFilterOfNoQueueIsWrongUsage();
    void whatIsNoPlaceIsRefused();
    void movedActionsStandWhereTheyWerePut();
};

namespace {

constexpr const char* kQueues = R"({"queues":[{"queue_id":0,"tag":""},{"queue_id":7,"tag":"nightly"}]})";
/// "4 2 1 3": what waits, by its place, each with its number.
std::string order(const torture::Yardmaster& engine) {
    std::string text;
    std::int64_t number = 0;
    // A page takes 20 ms at most: on a slow machine one may be empty.
    for (std::string cursor;;) {
        const torture::Answer answer = engine.caller().get("/compute/jobs?sort=place" + cursor);
        const auto object = answer.json();
        const auto* jobs = object.if_contains("jobs");
        if (jobs == nullptr) return answer.shown();
        for (const auto& job : jobs->as_array()) {
            if (job.at("place").to_number<std::int64_t>() != ++number)
                return "a number out of order: " + answer.body;
            text += fmt::format("{}{}", text.empty() ? "" : " ", job.at("lsn").to_number<std::int64_t>());
        }
        const auto* more = object.if_contains("cursor");
        if (more == nullptr) return text;
        cursor = "&cursor=" + std::string(more->as_string());
    }
}

constexpr const char* kToken = "000000000000000000000007";

} // namespace

void TestYardctlMove::actionsGoToAQueueByNumberTagOrToken() {
    FakeServer server(table({rangeOf(5, 6, "5..6"),
                             {"GET /compute/queues", {.body = kQueues}},
                             {"PATCH /compute/jobs/5", {.body = R"({"lsn":5,"queue_id":7})"}},
                             {"PATCH /compute/jobs/6", {.body = R"({"lsn":6,"queue_id":7})"}}}));
    const DataDirectory data(server);
    const Ended moved = data.run({"move", "--queue", "nightly", "5..6"});
    QCOMPARE(moved.err, "");
    QCOMPARE(moved.out, "5 moved to queue 7\n6 moved to queue 7\n");
    QCOMPARE(server.find("PATCH /compute/jobs/5").body, R"({"queue":7})");
    QCOMPARE(data.run({"move", "-q", kToken, "5"}).code, 0);
    QCOMPARE(server.requests().back().body, fmt::format(R"({{"queue":"{}"}})", kToken));
    const Ended refused = data.run({"move", "-q", "7", "5", "9"});
    QCOMPARE(refused.code, 1);
    QCOMPARE(refused.out, "5 moved to queue 7\n");
    QCOMPARE(refused.err, "yardctl: There is no action 9.\n");
}

void TestYardctlMove::aFilterMovesAllThatMatch() {
    FakeServer server(
        table({rangeOf(1, 40, "1..40"),
               {"PATCH /compute/jobs",
                {.body = R"({"changed":2,"count":2,"refused":[{"lsn":9,"message":"Action 9 is running."}]})"}}}));
    const DataDirectory data(server);
    const Ended moved = data.run({"move", "-q", "7", "--filter", "label:a*"});
    QCOMPARE(moved.out, "2 actions moved to queue 7\n");
    QCOMPARE(moved.err, "yardctl: Action 9 is running.\n");
    QCOMPARE(moved.code, 1);
    QCOMPARE(server.requests().back().body, R"({"filter":"label:a*","set":{"queue":7}})");
    QCOMPARE(data.run({"move", "-q", "7", "--dry-run", "--at-most", "1", "1..40"}).out,
             "2 actions would be moved to queue 7, but that is more than --at-most 1: none is\n");
    QCOMPARE(data.run({"move", "-q", "7", "--dry-run", "1..40"}).out, "2 actions would be moved to queue 7\n");
    QVERIFY(server.requests().back().body.contains("\"dry_run\":true"));
}

void TestYardctlMove::whatMakesNoSenseIsRefused() {
    FakeServer server(table({{"GET /compute/queues", {.body = kQueues}}}));
    const DataDirectory data(server);
    const Ended nowhere = data.run({"move", "5"});
    QCOMPARE(nowhere.code, 2);
    QCOMPARE(nowhere.err, "yardctl: say where to: yardctl move --queue REF LSN…, or yardctl move LSN… top, up, "
                          "down, bottom or before "
                          "LSN\n");
    QCOMPARE(data.run({"move", "-q", "7"}).code, 2);
    QCOMPARE(data.run({"move", "-q", "7", "--filter", "label:a", "5"}).code, 2);
    QCOMPARE(server.lines().size(), 0);
    QCOMPARE(data.run({"move", "-q", "weekly", "5"}).err,
             "yardctl: There is no queue 'weekly': 'yardctl queues' lists those there are.\n");
}

void TestYardctlMove::movedActionsRunInTheOtherQueue() {
    const torture::Place place;
    torture::Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const auto ctl = [&](const QStringList& words) {
        return CtlProcess(QStringList{"--data-dir", QString::fromStdString(place.data())} + words).end();
    };
    QCOMPARE(ctl({"queue", "create", "--tag", "nightly"}).code, 0);
    QCOMPARE(ctl({"queue", "hold", "nightly"}).code, 0);
    for (const char* label : {"a", "b", "c"})
        QCOMPARE(ctl({"run", "-d", "-q", "nightly", "--label", label, "true"}).code, 0);
    QCOMPARE(ctl({"move", "-q", "0", "--dry-run", "--filter", "label:a"}).out,
             "1 action would be moved to queue 0\n");
    QCOMPARE(ctl({"move", "-q", "0", "1"}).out, "1 moved to queue 0\n");
    QCOMPARE(ctl({"move", "-q", "0", "--filter", "queue:nightly label:b"}).out, "1 action moved to queue 0\n");
    // The ones that were moved are not held any more.
    const Ended waited = ctl({"wait", "--all", "1", "2"});
    QCOMPARE(waited.code, 0);
    QVERIFY2(waited.out.starts_with("1  completed  a") && waited.out.contains("\n2  completed  b"),
             waited.out.c_str());
    QVERIFY(ctl({"ls", "--columns", "lsn,queue,state", "3"}).out.ends_with("  3      1  pending\n"));
    // What has ended stays where it is.
    const Ended late = ctl({"move", "-q", "nightly", "1"});
    QCOMPARE(late.code, 1);
    QVERIFY2(late.err.contains("ction 1 is completed"), late.err.c_str());
    QCOMPARE(ctl({"move", "-q", "0", "3"}).code, 0);
    QCOMPARE(ctl({"wait", "--fail-fast", "3"}).code, 0);
    QCOMPARE(engine.stop(), 0);
}

void TestYardctlMove::placesAreAskedForInOneRequest() {
    FakeServer server(
        table({rangeOf(5, 6, "5..6"),
               {"POST /compute/jobs/move",
                {.body = R"({"changed":2,"queue_id":7,"place":1,"refused":[{"lsn":9,"error":"wrong_state",)"
                         R"("message":"Action 9 is not active: GET jobs/9 says how it ended."}]})"}}}));
    const DataDirectory data(server);
    const Ended moved = data.run({"move", "5", "9", "top"});
    QCOMPARE(moved.out, "2 actions moved, from number 1 of queue 7 now\n");
    QCOMPARE(moved.err, "yardctl: Action 9 is not active: 'yardctl show 9' says how it ended.\n");
    QCOMPARE(moved.code, 1);
    QCOMPARE(server.requests().back().body, R"({"lsns":[5,9],"to":"top"})");
    (void)data.run({"move", "5", "before", "12"});
    QCOMPARE(server.requests().back().body, R"({"lsns":[5],"to":{"before":12}})");
    (void)data.run({"move", "--filter", "label:a*", "down"});
    QCOMPARE(server.requests().back().body, R"({"filter":"label:a*","to":"down"})");
}

void TestYardctlMove::aFilterOfNoQueueIsWrongUsage() {
    FakeServer server(table({{"GET /compute/queues", {.body = kQueues}},
                             {"POST /compute/jobs/move", {.body = R"({"changed":0,"refused":[]})"}}}));
    const DataDirectory data(server);
    const Ended wrong = data.run({"move", "--filter", "queue:weekly", "top"});
    QCOMPARE(wrong.code, 2);
    QCOMPARE(wrong.out, "");
    QCOMPARE(wrong.err, "yardctl: There is no queue 'weekly': 'yardctl queues' lists those there are.\n");
    const Ended none = data.run({"move", "--filter", "queue:nightly", "top"});
    QCOMPARE(none.code, 0);
    QCOMPARE(none.out, "nothing was moved: no action that waits matches\n");
}

void TestYardctlMove::whatIsNoPlaceIsRefused() {
    FakeServer server(table({}));
    const DataDirectory data(server);
    for (const QStringList& words : {QStringList{"move", "top"},
                                     {"move", "5", "first"},
                                     {"move", "5", "before"},
                                     {"move", "5", "before", "x"},
                                     {"move", "--filter", "label:a", "5", "up"},
                                     {"move", "--dry-run", "5", "up"}})
        QCOMPARE(data.run(words).code, 2);
    QCOMPARE(server.lines().size(), 0);
}

void TestYardctlMove::movedActionsStandWhereTheyWerePut() {
    const torture::Place place;
    torture::Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const auto ctl = [&](const QStringList& words) {
        return CtlProcess(QStringList{"--data-dir", QString::fromStdString(place.data())} + words).end();
    };
    QCOMPARE(ctl({"queue", "hold", "0"}).code, 0);
    for (int i = 0; i < 4; ++i) QCOMPARE(ctl({"run", "-d", "true"}).code, 0);
    QCOMPARE(ctl({"move", "4", "top"}).out, "1 action moved, from number 1 of queue 0 now\n");
    QCOMPARE(ctl({"move", "4", "top"}).out, "there already, from number 1 of queue 0\n");
    QCOMPARE(ctl({"move", "1", "before", "3"}).out, "1 action moved, from number 3 of queue 0 now\n");
    QCOMPARE(order(engine), "4 2 1 3");
    const Ended late = ctl({"move", "2", "before", "9"});
    QCOMPARE(late.code, 1);
    QVERIFY2(late.err.contains("ction 9"), late.err.c_str());
    engine.kill();
    torture::Yardmaster next(place);
    QVERIFY2(next.isServing(), next.errors().c_str());
    QCOMPARE(order(next), "4 2 1 3");
    QCOMPARE(ctl({"move", "3", "up"}).out, "1 action moved, from number 3 of queue 0 now\n");
    QCOMPARE(order(next), "4 2 3 1");
    QCOMPARE(next.stop(), 0);
}

QTEST_GUILESS_MAIN(TestYardctlMove)
#include "tst_yardctl_move.moc"
