// GET events as a WebSocket: frames that break the rules, pings and silence, how a connection ends.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/running/memory_guard.h"
#include "core/launcher/launcher.h"
#include "tests/http/served.h"

#include <QObject>

#include <atomic>
#include <optional>
#include <thread>

using namespace yard;
using namespace yard::http;
using namespace std::chrono_literals;

class EventSocketsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void framesThatBreakTheRulesEndTheConnection_data();
    void framesThatBreakTheRulesEndTheConnection();
    void aMessageMayComeInPieces();
    void aPingIsAnsweredAndAClosingToo();
    void silenceIsProbedAndThenCut();
    void aStoppingServerSaysGoodbye();
    void aStoppingServerDoesNotWaitForTheSilent();
    void whatTheMemoryGuardDoesIsTold();
    void aClosedEngineEndsItsWatchers();
    void aClientThatVanishesLeavesNothingBehind();
};

void EventSocketsTest::framesThatBreakTheRulesEndTheConnection_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("end");
    const auto row = [](const char* name, QByteArray bytes, const char* end) {
        QTest::newRow(name) << bytes << QByteArray(end);
    };
    const QByteArray mask("\x11\x22\x33\x44", 4);
    row("not masked", QByteArray("\x81\x02{}", 4), "close 1002");
    row("reserved bit", QByteArray("\xc1\x80", 2) + mask, "close 1002");
    row("reserved opcode", QByteArray("\x83\x80", 2) + mask, "close 1002");
    row("reserved control opcode", QByteArray("\x8b\x80", 2) + mask, "close 1002");
    row("a ping in pieces", QByteArray("\x09\x80", 2) + mask, "close 1002");
    row("a ping over 125 bytes", QByteArray("\x89\xfe\x00\x7e", 4) + mask + QByteArray(126, 'x'), "close 1002");
    row("a continuation of nothing", QByteArray("\x80\x80", 2) + mask, "close 1002");
    row("a length that is not the shortest", QByteArray("\x81\xfe\x00\x01", 4) + mask + "x", "close 1002");
    row("a length over 63 bits", QByteArray("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10) + mask, "close 1009");
    row("64 KiB and one byte announced", QByteArray("\x81\xff\0\0\0\0\0\x01\0\x01", 10) + mask, "close 1009");
    row("4 GiB announced", QByteArray("\x81\xff\0\0\0\x01\0\0\0\0", 10) + mask, "close 1009");
    row("text that is not UTF-8", QByteArray("\x81\x82\0\0\0\0\xc3\x28", 8), "close 1007");
    row("a surrogate", QByteArray("\x81\x83\0\0\0\0\xed\xa0\x80", 9), "close 1007");
    row("a closing frame of one byte", QByteArray("\x88\x81\0\0\0\0x", 7), "close 1002");
    row("a closing code that is not sent", QByteArray("\x88\x82\0\0\0\0\x03\xed", 8), "close 1002");
    row("a request", "GET /compute/session HTTP/1.1\r\n\r\n", "close 1002");
}

void EventSocketsTest::framesThatBreakTheRulesEndTheConnection() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, end);
    static Served served;
    WsClient client = served.connect();
    begin(client);
    client.sendRaw(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    QCOMPARE(client.closing(), end.toStdString());
    QVERIFY(client.raw().isClosedByServer());
    WsClient other = served.connect();
    QVERIFY(begin(other).contains("run_id"));
}

void EventSocketsTest::aMessageMayComeInPieces() {
    Served served;
    WsClient client = served.connect();
    begin(client);
    client.sendFrame(1, R"({"watch":)", false);
    client.sendFrame(9, "between");
    client.sendFrame(0, R"({"finished":)", false);
    client.sendFrame(0, "", false);
    client.sendFrame(0, "true}}");
    const WsFrame pong = client.control();
    QCOMPARE(pong.printed(), std::string("pong"));
    QCOMPARE(pong.payload, std::string("between"));
    std::string watched;
    QVERIFY(client.nextUntil([&](const boost::json::object& frame) {
        const auto* watch = frame.if_contains("watch");
        if (watch) watched = std::string(watch->as_string());
        return watch != nullptr;
    }));
    QCOMPARE(watched, std::string("finished"));
    // Together they are over the limit.
    const std::string half(40'000, ' ');
    client.sendFrame(1, half, false);
    client.sendFrame(0, half);
    QCOMPARE(client.closing(), std::string("close 1009"));
}

void EventSocketsTest::aPingIsAnsweredAndAClosingToo() {
    Served served;
    WsClient client = served.connect();
    begin(client);
    client.sendFrame(9, "hi");
    QCOMPARE(client.control().printed(), std::string("pong"));
    client.sendFrame(10, "unasked");
    client.sendFrame(8, std::string_view("\x03\xe8", 2));
    QCOMPARE(client.closing(), std::string("close 1000"));
    QVERIFY(client.raw().isClosedByServer());
}

void EventSocketsTest::silenceIsProbedAndThenCut() {
    Limits limits;
    limits.webSocketIdle = 3s; // an answer has half of it
    Served served(limits);
    WsClient silent = served.connect();
    begin(silent);
    WsClient lively = served.connect();
    begin(lively);
    for (int i = 0; i < 4; ++i) {
        const WsFrame ping = lively.control();
        QCOMPARE(ping.printed(), std::string("ping"));
        lively.sendFrame(10, ping.payload);
    }
    QCOMPARE(silent.control().printed(), std::string("ping"));
    QVERIFY(silent.raw().isClosedByServer());
}

void EventSocketsTest::aStoppingServerSaysGoodbye() {
    Served served;
    WsClient client = served.connect();
    begin(client);
    std::thread stopping([&] { served.server->stop(); });
    QCOMPARE(client.closing(), std::string("close 1001"));
    stopping.join();
    QVERIFY(client.raw().isClosedByServer());
}

void EventSocketsTest::aStoppingServerDoesNotWaitForTheSilent() {
    Limits limits;
    limits.linger = 200ms;
    limits.stop = 60s;
    Served served(limits);
    WsClient client = served.connect();
    begin(client);
    served.server->stop(); // the goodbye is not answered
    QCOMPARE(client.control().printed(), std::string("close 1001"));
    QVERIFY(client.raw().isClosedByServer());
}

/// "hold: 92 % of …", the newest event of the memory guard that a frame tells; empty when it tells none.
static std::string guardEvent(const boost::json::object& frame) {
    if (!frame.contains("session")) return {};
    const boost::json::array& events = frame.at("session").at("memory_guard").at("events").as_array();
    if (events.empty()) return {};
    const boost::json::object& last = events.back().as_object();
    std::string text =
        fmt::format("{}: {}", std::string(last.at("what").as_string()), std::string(last.at("reason").as_string()));
    if (last.contains("lsn")) text += fmt::format(" ({})", last.at("lsn").as_int64());
    return text;
}

void EventSocketsTest::whatTheMemoryGuardDoesIsTold() {
    std::atomic<int> percent{50};
    Served served({}, 10, [&percent](engine::Options& options) {
        options.readMemory = [&percent] {
            return std::optional(
                engine::MemoryReading{.usedPercent = double(percent), .ofGroup = false, .stalledPercent = {}});
        };
    });
    const auto runs = [&served](Lsn lsn) {
        return test::EngineTest::eventually([&] {
            return served.engine.run(served.engine->ask(&engine::ActionRows::action, lsn))->state ==
                   ActionState::Running;
        });
    };
    const Lsn older = served.engine.sh("exec sleep 600");
    QVERIFY(runs(older));
    const Lsn newer = served.engine.sh("exec sleep 600");
    QVERIFY(runs(newer));
    WsClient client = served.connect();
    begin(client);
    std::string told;
    boost::json::object guard;
    boost::json::object session;
    const auto tells = [&](std::string_view what) {
        return client.nextUntil([&](const boost::json::object& frame) {
            told = guardEvent(frame);
            if (!told.starts_with(what)) return false;
            guard = frame.at("session").at("memory_guard").as_object();
            session = frame.at("session").as_object();
            return true;
        });
    };
    percent = 92;
    QVERIFY2(tells("hold"), told.c_str());
    QCOMPARE(told, std::string("hold: 92 % of the machine's memory is in use, starting goes on below 88 %"));
    QVERIFY(guard.at("holding").as_bool());
    QCOMPARE(session.at("why"), guard.at("reason"));
    QVERIFY(session.at("healthy").as_bool()); // it does its work, and memory comes back
    QCOMPARE(guard.at("stopped").as_int64(), std::int64_t{0});
    percent = 97;
    QVERIFY2(tells("stop"), told.c_str());
    QCOMPARE(told, fmt::format("stop: stopped when 97 % of the machine's memory was in use ({})", newer.value));
    QCOMPARE(guard.at("stopped").as_int64(), std::int64_t{1});
    percent = 60;
    QVERIFY2(tells("go_on"), told.c_str());
    QCOMPARE(told, std::string("go_on: 60 % of the machine's memory is in use"));
    QVERIFY(!guard.at("holding").as_bool());
    QVERIFY(!session.contains("why"));
    QVERIFY(served.engine.run(served.engine->ask(&engine::Operations::cancel, older)));
    QVERIFY(served.engine.run(served.engine->ask(&engine::Operations::cancel, newer)));
}

void EventSocketsTest::aClosedEngineEndsItsWatchers() {
    Served served;
    WsClient client = served.connect();
    begin(client);
    served.engine->close();
    QCOMPARE(client.closing(), std::string("close 1001"));
    WsClient late = served.connect();
    QVERIFY(late.frame().ended());
}

void EventSocketsTest::aClientThatVanishesLeavesNothingBehind() {
    Served served({}, 3);
    for (int i = 0; i < 30; ++i) {
        QVERIFY(test::EngineTest::eventually([&] {
            WsClient client = served.connect();
            if (client.answer.status != 101) return false;
            client.next();
            client.send(kEnds);
            return true;
        }));
        served.engine.sh("true");
    }
    QVERIFY(test::EngineTest::eventually([&] { return served.server->counters().open == 0; }));
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    EventSocketsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_event_sockets.moc"
