// GET events over real sockets: what watchers are told, what happens to slow ones.
#include "core/engine/commands/operations.h"
#include "core/engine/commands/session_moves.h"
#include "core/engine/objects/objects.h"
#include "core/engine/reading/overview.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/workers.h"
#include "core/launcher/launcher.h"
#include "tests/http/machine_beside.h"
#include "tests/http/served.h"

#include <QObject>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>

using namespace yard;
using namespace yard::http;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

std::int64_t number(const json::object& object, std::string_view member) {
    const auto* value = object.if_contains(member);
    return value && value->is_int64() ? value->as_int64() : -1;
}
std::string text(const json::object& object, std::string_view member) {
    const auto* value = object.if_contains(member);
    return value && value->is_string() ? std::string(value->as_string()) : std::string();
}
json::array list(const json::object& object, std::string_view member) {
    const auto* value = object.if_contains(member);
    return value && value->is_array() ? value->as_array() : json::array();
}
bool has(const json::object& object, std::string_view member) {
    return object.contains(member);
}

/// "3 failed exit_code 4" for each action of a frame.
std::vector<std::string> actions(const json::object& frame) {
    std::vector<std::string> lines;
    for (const auto& value : list(frame, "actions")) {
        const json::object& row = value.as_object();
        std::string line = fmt::format("{} {}", number(row, "lsn"), text(row, "state"));
        if (has(row, "reason")) line += " " + text(row, "reason");
        if (has(row, "exit_code") && number(row, "exit_code") != 0)
            line += fmt::format(" {}", number(row, "exit_code"));
        lines.push_back(line);
    }
    return lines;
}

/// Watches, and reads up to the frame that confirms it.
json::object watch(WsClient& client, std::string_view message) {
    client.send(message);
    json::object confirmed;
    client.nextUntil([&](const json::object& frame) {
        confirmed = frame;
        return has(frame, "watch");
    });
    return confirmed;
}

std::int64_t position(const json::object& frame) {
    return number(frame, "seq");
}

} // namespace

class EventsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRequestThatIsNoWebSocketIsToldSo();
    void strangersAreTurnedAwayBeforeTheUpgrade();
    void aWatcherIsGreetedAndToldHowThingsStand();
    void queuesWorkersAndTheSessionComeUnasked();
    void machinesComeUnasked();
    void typesOfObjectsComeUnaskedWithTheirCounts();
    void aFilterOfObjectsTellsWhatEntersAndLeaves();
    void fieldsOfObjectsAreBoundedInAFrame();
    void endsComeInBatchesWithCounters();
    void aListOfActionsComesWholeAndThenByChanges();
    void aFilterTellsWhatEntersAndLeaves();
    void aFilterKeepsItsNewestRows();
    void aWrongMessageIsAnsweredAndChangesNothing_data();
    void aWrongMessageIsAnsweredAndChangesNothing();
    void whoComesBackGoesOnWhereHeWas();
    void whoComesBackFromAnotherRunBeginsAnew();
    void aSlowWatcherIsToldToBeginAnew();
    void aWatcherWhoNeverReadsIsCut();
    void aHundredWatchersAreToldTheSame();
    void noMoreThanTheLimitMayWatch();
};

void EventsTest::aRequestThatIsNoWebSocketIsToldSo() {
    Served served;
    const auto status = [&](std::vector<std::pair<std::string, std::string>> fields,
                            std::string_view method = "GET", std::string_view target = "/compute/events") {
        return served.get(target, std::move(fields), method).status;
    };
    const RawAnswer plain = served.get("/compute/events", {{"Upgrade", ""}});
    QCOMPARE(plain.status, 426);
    QCOMPARE(plain.field("Upgrade"), std::string("websocket"));
    QCOMPARE(plain.field("Sec-WebSocket-Version"), std::string("13"));
    QCOMPARE(status({{"Upgrade", "h2c"}}), 426);
    QCOMPARE(status({{"Connection", "keep-alive"}}), 426);
    QCOMPARE(status({{"Sec-WebSocket-Version", "8"}}), 426);
    QCOMPARE(status({{"Sec-WebSocket-Key", ""}}), 400);
    QCOMPARE(status({{"Sec-WebSocket-Key", "short"}}), 400);
    QCOMPARE(status({{"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZ!=="}}), 400);
    QCOMPARE(status({}, "HEAD"), 426);
    QCOMPARE(status({}, "POST"), 405);
    QCOMPARE(status({}, "GET", "/compute/events?since=abc"), 422);
    QCOMPARE(status({}, "GET", "/compute/events?since=abc.-1"), 422);
    QCOMPARE(status({}, "GET", "/compute/events?since=.7"), 422);
    QCOMPARE(status({}, "GET", "/compute/events?watch=all"), 400);
    // Frames before the answer.
    RawClient hasty(served.port());
    hasty.send(WsClient::request(served.port(), served.engine->token(), "/compute/events") +
               "\x81\x80\x11\x22\x33\x44");
    QCOMPARE(hasty.receive().status, 400);
}

void EventsTest::strangersAreTurnedAwayBeforeTheUpgrade() {
    Served served;
    QCOMPARE(served.get("/compute/events", {{"Authorization", ""}}).status, 401);
    QCOMPARE(served.get("/compute/events", {{"Authorization", "Bearer guess"}}).status, 401);
    QCOMPARE(served.get("/compute/events", {{"Host", "evil.example"}}).status, 403);
    QCOMPARE(served.get("/compute/events", {{"Origin", "http://evil.example"}}).status, 403);
    const std::string ours = fmt::format("http://127.0.0.1:{}", served.port());
    WsClient page(served.port(), served.engine->token(), "/compute/events", {{"Origin", ours}});
    QCOMPARE(page.answer.status, 101);
}

void EventsTest::aWatcherIsGreetedAndToldHowThingsStand() {
    Served served;
    WsClient client = served.connect();
    QCOMPARE(client.answer.status, 101);
    QCOMPARE(client.answer.field("Sec-WebSocket-Accept"), std::string("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    QCOMPARE(client.answer.field("Sec-WebSocket-Extensions"), std::string());
    const json::object hello = client.next();
    const auto session = served.engine.run(served.engine->ask(&engine::Overview::session));
    QCOMPARE(text(hello, "engine_id"), session.engineId);
    QCOMPARE(text(hello, "run_id"), session.runId);
    QCOMPARE(hello.at("resumed"), json::value(false));
    const json::object snapshot = client.next();
    QCOMPARE(snapshot.at("snapshot"), json::value(true));
    QCOMPARE(position(snapshot), position(hello));
    QCOMPARE(text(snapshot.at("session").as_object(), "state"), std::string("ready"));
    QCOMPARE(number(snapshot.at("counts").as_object(), "pending"), 0);
    QCOMPARE(list(snapshot, "queues").size(), 1u);
    QCOMPARE(number(list(snapshot, "queues")[0].as_object(), "queue_id"), 0);
    QVERIFY(list(snapshot, "workers").empty() && !has(snapshot, "actions"));
    QCOMPARE(list(snapshot, "machines").size(), 1u);
    QCOMPARE(text(list(snapshot, "machines")[0].as_object(), "kind"), std::string("local"));
    QCOMPARE(list(snapshot, "allocators").size(), 0u);
}

void EventsTest::machinesComeUnasked() {
    Served served;
    test::EngineTest& engine = served.engine;
    WsClient client = served.connect();
    begin(client);
    QVERIFY(machineComes(engine, helloOfDesk(), {.token = {}, .peer = "10.0.0.2"}));
    const auto shows = [&](std::string_view name) {
        return client.nextUntil([&](const json::object& frame) {
            return has(frame, "machines") && list(frame, "machines").size() == 2 &&
                   text(list(frame, "machines")[1].as_object(), "name") == name;
        });
    };
    QVERIFY(shows("desk"));
    QVERIFY(engine.run(engine->ask(&engine::Machines::change, 1u, engine::MachineChange{.name = "table"})));
    QVERIFY(shows("table"));
    QVERIFY(engine.run(engine->ask(&engine::Machines::remove, 1u, false)));
    QVERIFY(client.nextUntil(
        [&](const json::object& frame) { return has(frame, "machines") && list(frame, "machines").size() == 1; }));
}

void EventsTest::queuesWorkersAndTheSessionComeUnasked() {
    Served served;
    test::EngineTest& engine = served.engine;
    WsClient client = served.connect();
    begin(client);
    const QueueView queue = *engine.run(engine->ask(&engine::Queues::create, "night", "{}"));
    json::object seen;
    const auto frameWith = [&](std::string_view member) {
        return client.nextUntil([&](const json::object& frame) {
            seen = frame;
            return has(frame, member);
        });
    };
    QVERIFY(frameWith("queues"));
    QCOMPARE(text(list(seen, "queues")[0].as_object(), "tag"), std::string("night"));
    QVERIFY(engine.run(engine->ask(&engine::Queues::remove, {queue.id, {}})));
    QVERIFY(frameWith("gone_queues"));
    QCOMPARE(list(seen, "gone_queues")[0], json::value(queue.id.value));
    auto worker = parseWorker(
        R"({"name":"w","version":"1","platform":"linux-x86_64","executable":"w","files":[],"functions":[{"name":"f","version":"1"}]})");
    if (worker && engine.run(engine->ask(&engine::Workers::add, *worker))) {
        QVERIFY(frameWith("workers"));
        QCOMPARE(list(seen, "workers")[0], json::value(worker->id.hex()));
    }
    QVERIFY(engine.run(engine->ask(&engine::SessionMoves::moveTo, SessionState::Draining)));
    QVERIFY(frameWith("session"));
    QCOMPARE(text(seen.at("session").as_object(), "state"), std::string("draining"));
}

namespace {
constexpr const char* kPage =
    R"({"name":"page","fields":{"n":{"type":"integer"}},"states":{"queued":{"initial":true},"done":{"final":true}},)"
    R"("transitions":[{"from":"queued","to":"done"}]})";

/// "7 queued" for each object of a frame.
std::vector<std::string> objects(const json::object& frame) {
    std::vector<std::string> lines;
    for (const auto& value : list(frame, "objects"))
        lines.push_back(fmt::format("{} {}", number(value.as_object(), "id"), text(value.as_object(), "status")));
    return lines;
}
} // namespace

void EventsTest::typesOfObjectsComeUnaskedWithTheirCounts() {
    Served served;
    test::EngineTest& engine = served.engine;
    WsClient client = served.connect();
    begin(client);
    const auto shows = [&](std::string_view counts) {
        return client.nextUntil([&](const json::object& frame) {
            const json::array types = list(frame, "types");
            return types.size() == 1 && text(types[0].as_object(), "name") == "page" &&
                   json::serialize(types[0].as_object().at("counts")) == counts;
        });
    };
    QVERIFY(engine.run(engine->ask(&engine::Objects::putType, kPage)));
    QVERIFY(shows(R"({"queued":0,"done":0})"));
    const auto made = engine.run(engine->ask(&engine::Objects::create, R"({"type":"page"})"));
    QVERIFY(made);
    QVERIFY(shows(R"({"queued":1,"done":0})"));
    QVERIFY(engine.run(engine->ask(&engine::Objects::move, made->ids.front(), "done", false)));
    QVERIFY(shows(R"({"queued":0,"done":1})"));
    QVERIFY(engine.run(engine->ask(&engine::Objects::removeType, "page", true)));
    QVERIFY(client.nextUntil(
        [&](const json::object& frame) { return has(frame, "types") && list(frame, "types").empty(); }));
}

void EventsTest::aFilterOfObjectsTellsWhatEntersAndLeaves() {
    Served served;
    test::EngineTest& engine = served.engine;
    QVERIFY(engine.run(engine->ask(&engine::Objects::putType, kPage)));
    const auto make = [&](int n) {
        return engine
            .run(engine->ask(&engine::Objects::create, fmt::format(R"({{"type":"page","fields":{{"n":{}}}}})", n)))
            ->ids.front();
    };
    const std::int64_t first = make(1);
    const std::int64_t other = make(2);
    WsClient client = served.connect();
    begin(client);
    const json::object all = watch(client, R"({"watch":{"objects":"type:page status:queued n:1"}})");
    QCOMPARE(text(all, "watch"), std::string("objects"));
    QCOMPARE(all.at("all_objects"), json::value(true));
    QVERIFY(!has(all, "actions"));
    QCOMPARE(objects(all), std::vector<std::string>{fmt::format("{} queued", first)});
    QVERIFY(engine.run(engine->ask(&engine::Objects::move, other, "done", false)));
    const std::int64_t second = make(1);
    QVERIFY(client.nextUntil([&](const json::object& frame) {
        return objects(frame) == std::vector<std::string>{fmt::format("{} queued", second)};
    }));
    QVERIFY(engine.run(engine->ask(&engine::Objects::move, first, "done", false)));
    QVERIFY(client.nextUntil(
        [&](const json::object& frame) { return list(frame, "gone_objects") == json::array{first}; }));
    QVERIFY(engine.run(engine->ask(&engine::Objects::remove, std::vector<std::int64_t>{second})));
    QVERIFY(client.nextUntil(
        [&](const json::object& frame) { return list(frame, "gone_objects") == json::array{second}; }));
    const auto child =
        engine.run(engine->ask(&engine::Objects::create, fmt::format(R"({{"type":"page","parent":{}}})", other)));
    QVERIFY(child);
    const json::object children = watch(client, fmt::format(R"({{"watch":{{"objects":"parent:{}"}}}})", other));
    QCOMPARE(objects(children), std::vector<std::string>{fmt::format("{} queued", child->ids.front())});
    QCOMPARE(text(watch(client, R"({"watch":{}})"), "watch"), std::string("nothing"));
}

void EventsTest::fieldsOfObjectsAreBoundedInAFrame() {
    Served served;
    test::EngineTest& engine = served.engine;
    QVERIFY(engine.run(engine->ask(
        &engine::Objects::putType,
        R"({"name":"note","fields":{"text":{"type":"string"}},"states":{"new":{"initial":true},"old":{"final":true}},)"
        R"("transitions":[{"from":"new","to":"old"}]})")));
    const std::string most(600'000, 'x');
    for (const std::string& note : {std::string("first"), most, most}) {
        auto made = engine->ask(&engine::Objects::create,
                                fmt::format(R"({{"type":"note","fields":{{"text":"{}"}}}})", note));
        QVERIFY(engine.run(std::move(made)));
    }
    WsClient client = served.connect();
    begin(client);
    const json::array all = list(watch(client, R"({"watch":{"objects":"type:note"}})"), "objects");
    QCOMPARE(all.size(), std::size_t(3));
    const auto fields = [&](std::size_t at) { return all[at].as_object().at("fields").as_object(); };
    QCOMPARE(text(fields(0), "text"), std::string("first")); // for which there is room
    QVERIFY(fields(1).empty());
    QCOMPARE(text(fields(2), "text").size(), most.size());
}

void EventsTest::endsComeInBatchesWithCounters() {
    Served served;
    WsClient client = served.connect();
    begin(client);
    const json::object confirmed = watch(client, kEnds);
    QCOMPARE(text(confirmed, "watch"), std::string("finished"));
    QVERIFY(has(confirmed, "actions") && list(confirmed, "actions").empty());
    const Lsn good = served.engine.sh("true");
    const Lsn bad = served.engine.sh("exit 4");
    std::set<std::string> ends;
    std::int64_t seq = position(confirmed);
    bool ordered = true;
    json::object counts;
    QVERIFY(client.nextUntil([&](const json::object& frame) {
        ordered = ordered && position(frame) > seq;
        seq = position(frame);
        if (has(frame, "counts")) counts = frame.at("counts").as_object();
        for (const std::string& line : actions(frame)) ends.insert(line);
        return ends.size() == 2;
    }));
    QVERIFY(ordered);
    QCOMPARE(ends, (std::set<std::string>{fmt::format("{} completed", good.value),
                                          fmt::format("{} failed exit_code 4", bad.value)}));
    QCOMPARE(number(counts, "completed"), 1);
    QCOMPARE(number(counts, "failed"), 1);
}

void EventsTest::aListOfActionsComesWholeAndThenByChanges() {
    Served served;
    const Lsn mine = served.engine.sh("true", R"(,"hold":true,"label":"mine")");
    WsClient client = served.connect();
    begin(client);
    const json::object all =
        watch(client, fmt::format(R"({{"watch":{{"lsns":[{0},{0},{1}]}}}})", mine.value, mine.value + 7'000'000));
    QCOMPARE(text(all, "watch"), std::string("lsns"));
    QCOMPARE(all.at("all_actions"), json::value(true));
    QCOMPARE(actions(all), std::vector<std::string>{fmt::format("{} pending", mine.value)});
    QCOMPARE(text(list(all, "actions")[0].as_object(), "label"), std::string("mine"));
    QCOMPARE(list(all, "gone"), json::array{mine.value + 7'000'000});
    served.engine.wait(served.engine.sh("true"));
    QVERIFY(served.engine.run(served.engine->ask(&engine::Operations::release, mine)));
    std::set<std::string> states;
    QVERIFY(client.nextUntil([&](const json::object& frame) {
        for (const std::string& line : actions(frame)) states.insert(line);
        return states.contains(fmt::format("{} completed", mine.value));
    }));
    for (const std::string& line : states) QVERIFY(line.starts_with(fmt::format("{} ", mine.value)));
    QVERIFY(served.engine.run(served.engine->ask(&engine::Operations::retire, mine)));
    QVERIFY(client.nextUntil(
        [&](const json::object& frame) { return list(frame, "gone") == json::array{mine.value}; }));
    // Another watch takes its place, and none at all as well.
    QCOMPARE(text(watch(client, R"({"watch":{"lsns":[]}})"), "watch"), std::string("lsns"));
    QCOMPARE(text(watch(client, R"({"watch":{}})"), "watch"), std::string("nothing"));
    QCOMPARE(text(watch(client, R"({"watch":{"finished":false}})"), "watch"), std::string("nothing"));
}

void EventsTest::aFilterTellsWhatEntersAndLeaves() {
    Served served;
    const Lsn first = served.engine.sh("true", R"(,"hold":true,"label":"a")");
    WsClient client = served.connect();
    begin(client);
    const json::object all = watch(client, R"({"watch":{"filter":"state:held label:a"}})");
    QCOMPARE(actions(all), std::vector<std::string>{fmt::format("{} pending", first.value)});
    const Lsn second = served.engine.sh("true", R"(,"hold":true,"label":"a")");
    QVERIFY(client.nextUntil([&](const json::object& frame) {
        return actions(frame) == std::vector<std::string>{fmt::format("{} pending", second.value)};
    }));
    QVERIFY(served.engine.run(served.engine->ask(&engine::Operations::release, first)));
    QVERIFY(client.nextUntil(
        [&](const json::object& frame) { return list(frame, "gone") == json::array{first.value}; }));
}

void EventsTest::aFilterKeepsItsNewestRows() {
    Served served;
    const Lsn first = served.engine.sh("true", R"(,"hold":true,"array":{"from":1,"to":1000})");
    WsClient client = served.connect();
    begin(client);
    QCOMPARE(list(watch(client, R"({"watch":{"filter":"state:held"}})"), "actions").size(), 1000u);
    const Lsn newest = served.engine.sh("true", R"(,"hold":true)");
    QVERIFY(client.nextUntil([&](const json::object& frame) { return has(frame, "actions"); }));
    // The oldest gave way; what happens to it is not told any more, but what happens to the newest is.
    QVERIFY(served.engine.run(served.engine->ask(&engine::Operations::hold, first)));
    QVERIFY(served.engine.run(served.engine->ask(&engine::Operations::cancel, first)));
    QVERIFY(served.engine.run(served.engine->ask(&engine::Operations::cancel, newest)));
    bool toldOfFirst = false;
    QVERIFY(client.nextUntil([&](const json::object& frame) {
        const json::array gone = list(frame, "gone");
        toldOfFirst |= std::ranges::find(gone, json::value(first.value)) != gone.end();
        return std::ranges::find(gone, json::value(newest.value)) != gone.end();
    }));
    QVERIFY(!toldOfFirst);
}

void EventsTest::aWrongMessageIsAnsweredAndChangesNothing_data() {
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("error");
    const auto row = [](const char* name, const char* message, const char* error) {
        QTest::newRow(name) << QByteArray(message) << QByteArray(error);
    };
    row("not JSON", "watch", "malformed");
    row("empty", "", "malformed");
    row("a list", "[]", "invalid");
    row("no watch", "{}", "invalid");
    row("another member", R"({"watch":{},"more":1})", "invalid");
    row("watch is no object", R"({"watch":true})", "invalid");
    row("two ways at once", R"({"watch":{"lsns":[1],"finished":true}})", "invalid");
    row("an unknown way", R"({"watch":{"everything":true}})", "invalid");
    row("lsns no list", R"({"watch":{"lsns":7}})", "invalid");
    row("lsns of words", R"({"watch":{"lsns":["7"]}})", "invalid");
    row("lsns below one", R"({"watch":{"lsns":[0]}})", "invalid");
    row("filter no text", R"({"watch":{"filter":1}})", "invalid");
    row("filter with an unknown state", R"({"watch":{"filter":"state:asleep"}})", "invalid");
    row("objects no text", R"({"watch":{"objects":1}})", "invalid");
    row("objects of a word alone", R"({"watch":{"objects":"odd"}})", "invalid");
    row("objects of an odd parent", R"({"watch":{"objects":"parent:x"}})", "invalid");
    row("objects of no parent", R"({"watch":{"objects":"parent:0"}})", "invalid");
    row("objects of a field that none can have", R"({"watch":{"objects":"a.b:1"}})", "invalid");
    row("objects of too many fields",
        R"({"watch":{"objects":"a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1"}})",
        "invalid");
    row("finished no truth", R"({"watch":{"finished":1}})", "invalid");
}

void EventsTest::aWrongMessageIsAnsweredAndChangesNothing() {
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, error);
    static Served served;
    WsClient client = served.connect();
    begin(client);
    watch(client, kEnds);
    // What the action of the row before this one has changed may be told in between.
    json::object answer;
    const auto isAnswer = [&](const json::object& frame) {
        answer = frame;
        return has(frame, "error");
    };
    client.send(message.toStdString());
    QVERIFY(client.nextUntil(isAnswer));
    QCOMPARE(text(answer, "error"), error.toStdString());
    QVERIFY(!text(answer, "message").empty());
    client.sendFrame(2, "bytes");
    QVERIFY(client.nextUntil(isAnswer));
    QCOMPARE(text(answer, "error"), std::string("malformed"));
    const Lsn lsn = served.engine.sh("true");
    QVERIFY(client.nextUntil([&](const json::object& frame) {
        return actions(frame) == std::vector<std::string>{fmt::format("{} completed", lsn.value)};
    }));
}

void EventsTest::whoComesBackGoesOnWhereHeWas() {
    Served served;
    std::int64_t seq = 0;
    std::string runId;
    {
        WsClient client = served.connect();
        runId = text(begin(client), "run_id");
        seq = position(watch(client, kEnds));
    }
    const Lsn missed = served.engine.sh("exit 7");
    served.engine.wait(missed);
    WsClient client = served.connect(fmt::format("/compute/events?since={}.{}", runId, seq));
    const json::object hello = client.next();
    QCOMPARE(hello.at("resumed"), json::value(true));
    QCOMPARE(position(hello), seq);
    client.send(kEnds);
    bool snapshot = false;
    std::vector<std::string> ends;
    QVERIFY(client.nextUntil([&](const json::object& frame) {
        snapshot |= has(frame, "snapshot");
        ends = actions(frame);
        return !ends.empty();
    }));
    QCOMPARE(ends, std::vector<std::string>{fmt::format("{} failed exit_code 7", missed.value)});
    QVERIFY(!snapshot);
}

void EventsTest::whoComesBackFromAnotherRunBeginsAnew() {
    Served served;
    WsClient before = served.connect();
    const json::object known = begin(before);
    for (const std::string& since :
         {std::string("0123456789abcdef.5"), text(known, "run_id") + ".999999999", text(known, "run_id") + ".0"}) {
        WsClient client = served.connect("/compute/events?since=" + since);
        QCOMPARE(client.next().at("resumed"), json::value(false));
        QVERIFY(has(client.next(), "snapshot"));
    }
}

void EventsTest::aSlowWatcherIsToldToBeginAnew() {
    Served served;
    test::EngineTest& engine = served.engine;
    WsClient client = served.connect("/compute/events", 4'096);
    begin(client);
    watch(client, kEnds);
    // More ends than the sockets hold, then more changes than the engine keeps.
    const QueueId queue = engine.run(engine->ask(&engine::Queues::create, "", "{}"))->id;
    engine.sh("true", R"(,"hold":true,"array":{"from":1,"to":20000})", QueueRef{queue, {}});
    QVERIFY(engine.run(engine->ask(&engine::Queues::cancel, {queue, {}})));
    QVERIFY(test::EngineTest::eventually(
        [&] { return engine.run(engine->ask(&engine::Queues::get, {queue, {}}))->counters.cancelled == 20'000; }));
    engine.sh("true", R"(,"hold":true,"array":{"from":1,"to":70000})");
    QVERIFY(client.nextUntil([](const json::object& frame) { return has(frame, "resync"); }));
    // While changes still come it may fall behind again, and what ends then is in the next snapshot.
    bool isTold = false;
    for (int tries = 0; tries < 5 && !isTold; ++tries) {
        QVERIFY(client.nextUntil([](const json::object& frame) { return has(frame, "snapshot"); }));
        const std::string end = fmt::format("{} completed", engine.sh("true").value);
        QVERIFY(client.nextUntil([&](const json::object& frame) {
            const auto ends = actions(frame);
            isTold = std::ranges::find(ends, end) != ends.end();
            return isTold || has(frame, "resync");
        }));
    }
    QVERIFY(isTold);
}

void EventsTest::aWatcherWhoNeverReadsIsCut() {
    Limits limits;
    limits.writeStall = 200ms;
    Served served(limits, 1);
    test::EngineTest& engine = served.engine;
    WsClient stuck = served.connect("/compute/events", 4'096);
    begin(stuck);
    watch(stuck, kEnds);
    const QueueId queue = engine.run(engine->ask(&engine::Queues::create, "", "{}"))->id;
    engine.sh("true", R"(,"hold":true,"array":{"from":1,"to":20000})", QueueRef{queue, {}});
    QVERIFY(engine.run(engine->ask(&engine::Queues::cancel, {queue, {}})));
    // Its place is free again only when it was cut.
    QVERIFY(test::EngineTest::eventually([&] { return served.connect().answer.status == 101; }));
}

void EventsTest::aHundredWatchersAreToldTheSame() {
    Served served;
    std::vector<std::unique_ptr<WsClient>> clients;
    for (int i = 0; i < 100; ++i) {
        clients.push_back(std::make_unique<WsClient>(served.port(), served.engine->token()));
        QCOMPARE(clients.back()->answer.status, 101);
        begin(*clients.back());
        clients.back()->send(i % 2 == 0 ? kEnds : R"({"watch":{"filter":"state:failed"}})");
    }
    for (auto& client : clients)
        QVERIFY(client->nextUntil([](const json::object& frame) { return has(frame, "watch"); }));
    std::vector<std::string> wanted;
    for (int i = 0; i < 20; ++i) {
        const Lsn lsn = served.engine.sh("exit 1");
        wanted.push_back(fmt::format("{} failed exit_code 1", lsn.value));
    }
    std::ranges::sort(wanted);
    for (auto& client : clients) {
        std::set<std::string> ends;
        QVERIFY(client->nextUntil([&](const json::object& frame) {
            for (const std::string& line : actions(frame)) ends.insert(line);
            return ends.size() == wanted.size();
        }));
        QCOMPARE(std::vector<std::string>(ends.begin(), ends.end()), wanted);
    }
}

void EventsTest::noMoreThanTheLimitMayWatch() {
    Served served({}, 2);
    auto first = std::make_unique<WsClient>(served.port(), served.engine->token());
    WsClient second = served.connect();
    begin(*first);
    begin(second);
    QCOMPARE(served.connect().answer.status, 429);
    first.reset();
    QVERIFY(test::EngineTest::eventually([&] { return served.connect().answer.status == 101; }));
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    EventsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_events.moc"
