// Objects over HTTP: types, objects, changes by hand, many at once, the orchestrator; without an actor.
#include "core/engine/objects/objects.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>
#include <fmt/format.h>
#include <memory>
#include <string>

using namespace yard;
using namespace yard::http;

static const std::string kType =
    R"({"name":"page","fields":{"url":{"type":"string","index":true},"n":{"type":"integer"}},)"
    R"("states":{"queued":{"initial":true},"started":{},"sealed":{"final":true}},)"
    R"("transitions":[{"from":"queued","to":"started"},{"from":"started","to":"sealed"}]})";

class ObjectRouteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { api_ = std::make_unique<ApiTest>(); }
    void cleanup() { api_.reset(); }

    void aTypeIsAddedReadAndRemoved();
    void objectsAreMadeListedAndRemoved();
    void pagesOfATypeHaveItsStatusesTogetherInTheOrderOfNumbers_data();
    void pagesOfATypeHaveItsStatusesTogetherInTheOrderOfNumbers();
    void anObjectIsMovedByTheTableOrByForce();
    void fieldsAreSetOfTheRevisionThatIsNamed();
    void aStatusIsWaitedFor();
    void childrenAndHistoryAreServed();
    void staysAreThoseOfWhatMoved();
    void whoMadeItDueIsServed();
    void manyAreChangedAtOnce();
    void manyAreChangedByAFilter();
    void aRepeatWithItsKeyIsAnsweredAsTheFirst();
    void aRepeatOfManyIsAboutThoseOfTheFirst();
    void theOrchestratorNamesOrphans();
    void objectsOutliveTheEngine();
    void whatIsWrongIsNamed();

private:
    std::int64_t make(const std::string& more = {}) {
        return api_->post("/compute/objects", R"({"type":"page")" + more + "}").number("id");
    }
    static std::string at(std::int64_t id, const std::string& more = {}) {
        return fmt::format("/compute/objects/{}{}", id, more);
    }
    std::unique_ptr<ApiTest> api_;
};

void ObjectRouteTest::aTypeIsAddedReadAndRemoved() {
    QCOMPARE(api_->post("/compute/types", kType).status, 200);
    const Reply types = api_->get("/compute/types");
    QCOMPARE(types.json().at("types").as_array().size(), std::size_t(1));
    QCOMPARE(api_->get("/compute/types/page").json().at("counts").as_object().at("queued").as_int64(),
             std::int64_t(0));
    QVERIFY(make() > 0);
    QCOMPARE(api_->call("DELETE", "/compute/types/page").status, 409);
    QCOMPARE(api_->call("DELETE", "/compute/types/page?force=1").status, 200);
    QCOMPARE(api_->get("/compute/types/page").status, 404);
    QCOMPARE(api_->get("/compute/objects").json().at("objects").as_array().size(), std::size_t(0));
}

void ObjectRouteTest::objectsAreMadeListedAndRemoved() {
    api_->post("/compute/types", kType);
    const auto first = make(R"(,"fields":{"url":"a b","n":1},"key":"k")");
    QCOMPARE(make(R"(,"key":"k")"), first);
    const Reply made = api_->post("/compute/objects", R"([{"type":"page","fields":{"n":2}},{"type":"page"}])");
    QCOMPARE(made.json().at("ids").as_array().size(), std::size_t(2));
    const auto rows = [&](const std::string& query) {
        return api_->get("/compute/objects" + query).json().at("objects").as_array();
    };
    QCOMPARE(rows("").size(), std::size_t(3));
    QCOMPARE(rows("?q=n:2").size(), std::size_t(1));
    QCOMPARE(rows("?type=page&status=sealed").size(), std::size_t(0));
    const Reply page = api_->get("/compute/objects?limit=2&sort=id");
    QCOMPARE(page.json().at("objects").as_array().at(0).as_object().at("id").as_int64(), first);
    const auto rest = rows("?limit=2&sort=id&cursor=" + page.text("cursor"));
    QCOMPARE(rest.size(), std::size_t(1));
    QCOMPARE(api_->get(at(first)).json().at("fields").as_object().at("url").as_string(), "a b");
    QCOMPARE(api_->call("DELETE", at(first)).number("count"), std::int64_t(1));
    QCOMPARE(api_->get(at(first)).status, 404);
    QCOMPARE(api_->call("DELETE", at(first)).status, 404);
}

void ObjectRouteTest::pagesOfATypeHaveItsStatusesTogetherInTheOrderOfNumbers_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<QString>("numbers");
    QTest::newRow("newest first") << "type=page" << "8 7 6 5 4 3 2 1";
    QTest::newRow("oldest first") << "type=page&sort=id" << "1 2 3 4 5 6 7 8";
    QTest::newRow("by a field") << "type=page&q=url:odd" << "7 5 3 1";
    QTest::newRow("of one status") << "type=page&status=started" << "8 5 2";
    QTest::newRow("of a parent") << "type=page&parent=1&sort=id" << "2 3";
    QTest::newRow("of another type") << "type=other" << "9";
    QTest::newRow("of any type") << "status=queued&sort=id" << "1 4 7 9";
}

void ObjectRouteTest::pagesOfATypeHaveItsStatusesTogetherInTheOrderOfNumbers() {
    QFETCH(QString, query);
    QFETCH(QString, numbers);
    api_->post("/compute/types", kType);
    std::string other = kType;
    api_->post("/compute/types", other.replace(other.find("page"), 4, "other"));
    for (int id = 1; id <= 8; ++id) {
        const std::string parent = id == 2 || id == 3 ? R"(,"parent":1)" : "";
        QCOMPARE(make(fmt::format(R"(,"fields":{{"url":"{}"}}{})", id % 2 == 1 ? "odd" : "even", parent)), id);
        if (id % 3 != 1) api_->post(at(id, "/move"), R"({"to":"started"})");
        if (id % 3 == 0) api_->post(at(id, "/move"), R"({"to":"sealed"})");
    }
    QCOMPARE(api_->post("/compute/objects", R"({"type":"other"})").number("id"), std::int64_t(9));
    std::string seen, cursor;
    do {
        const Reply page = api_->get("/compute/objects?limit=2&" + query.toStdString() + cursor);
        for (const auto& row : page.json().at("objects").as_array())
            seen += fmt::format("{}{}", seen.empty() ? "" : " ", row.as_object().at("id").as_int64());
        cursor = page.json().contains("cursor") ? "&cursor=" + page.text("cursor") : "";
    } while (!cursor.empty());
    QCOMPARE(seen, numbers.toStdString());
}

void ObjectRouteTest::anObjectIsMovedByTheTableOrByForce() {
    api_->post("/compute/types", kType);
    const auto id = make();
    QCOMPARE(api_->post(at(id, "/move"), R"({"to":"sealed"})").status, 409);
    QCOMPARE(api_->post(at(id, "/move"), R"({"to":"started"})").text("status"), "started");
    const Reply sealed = api_->post(at(id, "/move"), R"({"to":"sealed"})");
    QVERIFY(!sealed.json().contains("retry_at"));
    QVERIFY(sealed.json().contains("end_ts"));
    QCOMPARE(api_->post(at(id, "/move"), R"({"to":"queued","force":true})").text("status"), "queued");
    QCOMPARE(api_->post(at(id, "/look")).status, 200);
}

void ObjectRouteTest::fieldsAreSetOfTheRevisionThatIsNamed() {
    api_->post("/compute/types", kType);
    const auto id = make(R"(,"fields":{"url":"a"})");
    QCOMPARE(api_->call("PATCH", at(id), R"({"fields":{"n":7}})", {{"If-Match", "\"0\""}}).status, 200);
    const Reply late = api_->call("PATCH", at(id), R"({"fields":{"n":8}})", {{"If-Match", "0"}});
    QCOMPARE(late.status, 412);
    const Reply now = api_->get(at(id));
    QCOMPARE(now.json().at("fields").as_object().at("n").as_int64(), std::int64_t(7));
    QCOMPARE(now.json().at("fields").as_object().at("url").as_string(), "a");
    QCOMPARE(now.number("revision"), std::int64_t(1));
    QCOMPARE(api_->call("PATCH", at(id), R"({"fields":{"n":8}})").status, 200);
    QCOMPARE(api_->call("PATCH", at(id), R"({"fields":{"n":"x"}})").status, 422);
    QCOMPARE(api_->call("PATCH", at(id), R"({"fields":{"n":9}})", {{"If-Match", "x"}}).status, 422);
}

void ObjectRouteTest::aStatusIsWaitedFor() {
    api_->post("/compute/types", kType);
    const auto id = make();
    QCOMPARE(api_->get(at(id, "?wait=0.01&until=started")).status, 202);
    const Reply slip = api_->get(at(id, "?wait=10&until=strated"));
    QCOMPARE(slip.status, 422);
    QCOMPARE(slip.text("field"), std::string("until"));
    QCOMPARE(api_->get(at(id, "?wait=10&until=queued")).status, 200);
    QCOMPARE(api_->get(at(id, "?wait=0")).status, 202);
}

void ObjectRouteTest::childrenAndHistoryAreServed() {
    api_->post("/compute/types", kType);
    const auto parent = make();
    const auto child = make(fmt::format(R"(,"parent":{})", parent));
    QCOMPARE(api_->get(at(parent)).json().at("children").as_object().at("queued").as_int64(), std::int64_t(1));
    const Reply children = api_->get(at(parent, "/children"));
    QCOMPARE(children.json().at("objects").as_array().at(0).as_object().at("id").as_int64(), child);
    QCOMPARE(api_->get("/compute/objects?parent=" + std::to_string(parent)).body, children.body);
    api_->post(at(child, "/move"), R"({"to":"started"})");
    const Reply history = api_->get(at(child, "/history"));
    QCOMPARE(history.json().at("history").as_array().at(0).as_object().at("to").as_string(), "started");
    QCOMPARE(api_->get(at(99, "/children")).status, 404);
    QCOMPARE(api_->get(at(99, "/history")).status, 404);
}

void ObjectRouteTest::staysAreThoseOfWhatMoved() {
    QCOMPARE(api_->get("/compute/types/page/stays").status, 404);
    api_->post("/compute/types", kType);
    const auto stays = [&] { return api_->get("/compute/types/page/stays").json().at("stays").as_array(); };
    QVERIFY(stays().empty());
    make();
    for (const std::int64_t id : {make(), make()})
        QCOMPARE(api_->post(at(id, "/move"), R"({"to":"started"})").status, 200);
    QCOMPARE(stays().size(), std::size_t(1)); // nobody left another one
    const auto queued = stays().at(0).as_object();
    QCOMPARE(queued.at("status").as_string().c_str(), "queued");
    QCOMPARE(queued.at("of").as_int64(), std::int64_t(2));
    QVERIFY(queued.at("usual_s").to_number<double>() >= 0);
}

void ObjectRouteTest::whoMadeItDueIsServed() {
    api_->post("/compute/types", kType);
    const std::int64_t parent = make();
    const std::int64_t child = make(fmt::format(R"(,"parent":{})", parent));
    QVERIFY(!api_->get(at(parent)).json().contains("pokes"));
    QCOMPARE(api_->post(at(parent, "/look"), "").status, 200);
    QCOMPARE(api_->post(at(child, "/move"), R"({"to":"sealed","force":true})").status, 200);
    const auto pokes = api_->get(at(parent)).json().at("pokes").as_array();
    QCOMPARE(pokes.size(), std::size_t(2));
    QCOMPARE(pokes.at(0).as_object().at("why").as_string().c_str(), "person");
    QVERIFY(!pokes.at(0).as_object().contains("object"));
    QCOMPARE(pokes.at(0).as_object().at("outcome").as_string().c_str(), "waits");
    QCOMPARE(pokes.at(1).as_object().at("why").as_string().c_str(), "child");
    QCOMPARE(pokes.at(1).as_object().at("object").as_int64(), child);
}

void ObjectRouteTest::manyAreChangedAtOnce() {
    api_->post("/compute/types", kType);
    const auto first = make();
    const auto second = make();
    const std::string ids = fmt::format(R"("ids":[{},{},99])", first, second);
    QCOMPARE(api_->post("/compute/objects/look", "{" + ids + "}").number("count"), std::int64_t(2));
    const Reply moved = api_->post("/compute/objects/move", "{" + ids + R"(,"to":"started"})");
    QCOMPARE(moved.number("count"), std::int64_t(2));
    QCOMPARE(moved.json().at("refused").as_array().size(), std::size_t(1));
    QCOMPARE(api_->post("/compute/objects/delete", "{" + ids + "}").number("count"), std::int64_t(2));
}

void ObjectRouteTest::theOrchestratorNamesOrphans() {
    api_->post("/compute/types", kType);
    const auto id = make();
    QVERIFY(
        api_->engine.eventually([&] { return api_->get("/compute/orchestrator").number("orphan_count") == 1; }));
    const Reply view = api_->get("/compute/orchestrator");
    const auto orphan = view.json().at("orphans").as_array().at(0).as_object();
    QCOMPARE(orphan.at("id").as_int64(), id);
    QCOMPARE(orphan.at("reason").as_string(), "no_actor");
}

void ObjectRouteTest::objectsOutliveTheEngine() {
    test::EngineTest engine;
    using engine::Objects;
    const auto get = [&](std::int64_t id) {
        return engine.run(engine->ask(&Objects::get, id, Duration::zero(), std::string()));
    };
    QVERIFY(engine.run(engine->ask(&Objects::putType, kType)).has_value());
    const auto made =
        engine.run(engine->ask(&Objects::create, std::string(R"({"type":"page","fields":{"url":"a"}})")));
    QVERIFY(made.has_value());
    const std::int64_t id = made->ids.front();
    QVERIFY(engine.run(engine->ask(&Objects::move, id, std::string("started"), false)).has_value());
    engine.stop();
    engine.start();
    const auto after = get(id);
    QVERIFY(after.has_value());
    QCOMPARE(after->row.status, "started");
    QCOMPARE(after->row.fields, R"({"url":"a"})");
    QCOMPARE(after->history.size(), std::size_t(1));
    const auto next = engine.run(engine->ask(&Objects::create, std::string(R"({"type":"page"})")));
    QCOMPARE(next->ids.front(), id + 1);
    QVERIFY(engine.run(engine->ask(&Objects::move, id, std::string("sealed"), false)).has_value());
}

void ObjectRouteTest::manyAreChangedByAFilter() {
    api_->post("/compute/types", kType);
    std::string many = "[";
    for (int n = 0; n < 5'000; ++n) many += fmt::format(R"({{"type":"page","fields":{{"n":{}}}}},)", n % 2);
    many.back() = ']';
    QCOMPARE(api_->post("/compute/objects", many).json().at("ids").as_array().size(), std::size_t(5'000));
    for (int n = 0; n < 3; ++n) make(R"(,"fields":{"n":1})");
    const auto change = [&](const std::string& what, const std::string& body) {
        return api_->post("/compute/objects/" + what, body);
    };
    const Reply first = change("look", R"({"filter":"type:page status:queued"})");
    QCOMPARE(first.number("count"), std::int64_t(5'000));
    const Reply rest = change(
        "look", fmt::format(R"({{"filter":"type:page status:queued","cursor":{}}})", first.number("cursor")));
    QCOMPARE(rest.number("count"), std::int64_t(3));
    QCOMPARE(rest.number("cursor"), std::int64_t(-1));
    QCOMPARE(change("delete", R"({"filter":"type:page n:0"})").number("count"), std::int64_t(2'500));
    QCOMPARE(change("delete", R"({"filter":"type:page n:0"})").number("count"), std::int64_t(0));
    QCOMPARE(change("look", R"({"filter":"status:sealed"})").number("count"), std::int64_t(0));
    const auto child = make(R"(,"parent":5003)");
    QCOMPARE(change("move", R"({"filter":"parent:5003","to":"started"})").number("count"), std::int64_t(1));
    QCOMPARE(api_->get(at(child)).text("status"), std::string("started"));
    QCOMPARE(change("move", R"({"filter":"type:none","to":"started"})").status, 404);
    for (const char* wrong : {R"({"filter":" "})", R"({"filter":"page"})", R"({"filter":"parent:x"})",
                              R"({"filter":"type:page","ids":[1]})", R"({"filter":"type:page","cursor":0})", "{}"})
        QCOMPARE(change("delete", wrong).status, 422);
}

void ObjectRouteTest::aRepeatWithItsKeyIsAnsweredAsTheFirst() {
    api_->post("/compute/types", kType);
    const ApiTest::Fields one{{"Idempotency-Key", "one"}};
    const ApiTest::Fields list{{"Idempotency-Key", "list"}};
    const std::string body = R"({"type":"page","fields":{"n":1}})";
    const auto id = api_->call("POST", "/compute/objects", body, one).number("id");
    QVERIFY(id > 0);
    QCOMPARE(api_->call("POST", "/compute/objects", body, one).number("id"), id);
    const auto makeList = [&] {
        return api_->call("POST", "/compute/objects", R"([{"type":"page"},{"type":"page"}])", list).body;
    };
    const std::string first = makeList();
    QCOMPARE(makeList(), first);
    QCOMPARE(api_->get("/compute/objects").json().at("objects").as_array().size(), std::size_t(3));
    const Reply other = api_->call("POST", "/compute/objects", R"({"type":"page"})", one);
    QCOMPARE(other.status, 422);
    QCOMPARE(other.text("field"), std::string("Idempotency-Key"));
    const ApiTest::Fields move{{"Idempotency-Key", "move"}};
    for (int time = 0; time < 2; ++time) {
        const Reply moved = api_->call("POST", at(id, "/move"), R"({"to":"started"})", move);
        QCOMPARE(moved.status, 200);
        QCOMPARE(moved.number("revision"), std::int64_t(1));
    }
    const std::string many = fmt::format(R"({{"ids":[{},{}],"to":"started"}})", id + 1, id + 2);
    const ApiTest::Fields moves{{"Idempotency-Key", "moves"}};
    QCOMPARE(api_->call("POST", "/compute/objects/move", many, moves).number("count"), std::int64_t(2));
    QCOMPARE(api_->call("POST", "/compute/objects/move", many, moves).number("count"), std::int64_t(2));
    QCOMPARE(api_->call("POST", "/compute/objects/move", many).number("count"), std::int64_t(0));
    const ApiTest::Fields tooLong{{"Idempotency-Key", std::string(256, 'k')}};
    QCOMPARE(api_->call("POST", "/compute/objects", body, tooLong).status, 422);
    QCOMPARE(api_->call("POST", at(id, "/move"), R"({"to":"sealed"})", tooLong).status, 422);
    QCOMPARE(api_->call("POST", "/compute/objects/move", many, tooLong).status, 422);
    const std::string others = fmt::format(R"({{"ids":[{}],"to":"sealed"}})", id);
    QCOMPARE(api_->call("POST", "/compute/objects/move", others, moves).status, 422);
    QCOMPARE(api_->get(at(id)).text("status"), std::string("started"));
}

void ObjectRouteTest::aRepeatOfManyIsAboutThoseOfTheFirst() {
    api_->post("/compute/types", kType);
    api_->post("/compute/objects", R"([{"type":"page"},{"type":"page"}])");
    const ApiTest::Fields key{{"Idempotency-Key", "queued ones"}};
    const std::string body = R"({"filter":"type:page status:queued","to":"started"})";
    const std::string first = api_->call("POST", "/compute/objects/move", body, key).body;
    const auto later = api_->post("/compute/objects", R"({"type":"page"})").number("id");
    QCOMPARE(api_->call("POST", "/compute/objects/move", body, key).body, first);
    QCOMPARE(api_->get(at(later)).text("status"), std::string("queued"));
    const ApiTest::Fields none{{"Idempotency-Key", "none yet"}};
    const std::string sealed = R"({"filter":"type:page status:sealed","to":"failed"})";
    QCOMPARE(api_->call("POST", "/compute/objects/move", sealed, none).number("count"), std::int64_t(0));
    api_->post(at(later, "/move"), R"({"to":"sealed","force":true})");
    QCOMPARE(api_->call("POST", "/compute/objects/move", sealed, none).number("count"), std::int64_t(0));
    QCOMPARE(api_->get(at(later)).text("status"), std::string("sealed"));
}

void ObjectRouteTest::whatIsWrongIsNamed() {
    QCOMPARE(api_->post("/compute/types", "{}").status, 422);
    QCOMPARE(api_->call("DELETE", "/compute/types/none").status, 404);
    QCOMPARE(api_->post("/compute/objects", R"({"type":"none"})").status, 422);
    QCOMPARE(api_->get("/compute/objects/x").status, 404);
    QCOMPARE(api_->get("/compute/objects?type=none").status, 404);
    QCOMPARE(api_->get("/compute/objects?q=none").status, 422);
    api_->post("/compute/types", kType);
    const auto refused = [this](const std::string& query) {
        const Reply reply = api_->get("/compute/objects?type=page&" + query);
        return fmt::format("{} {}", reply.status, reply.body);
    };
    const std::string status = refused("status=nosuch");
    QVERIFY2(status.starts_with("422 ") && status.contains("it has: queued, started, sealed."), status.c_str());
    const std::string field = refused("q=nosuch:a");
    QVERIFY2(field.starts_with("422 ") && field.contains("it has: url, n."), field.c_str());
    for (const char* filter : {"type:page status:nosuch", "type:page nosuch:a"})
        for (const std::string what : {"look", "move", "delete"}) {
            const std::string to = what == "move" ? R"(,"to":"started")" : "";
            const Reply reply =
                api_->post("/compute/objects/" + what, fmt::format(R"({{"filter":"{}"{}}})", filter, to));
            QCOMPARE(reply.status, 422);
            QVERIFY2(reply.body.contains("it has: "), reply.body.c_str());
        }
    QCOMPARE(api_->get("/compute/objects?sort=url").status, 422);
    QCOMPARE(api_->post("/compute/objects/1/move", R"({"to":"x"})").status, 404);
    QCOMPARE(api_->post("/compute/objects/1/look").status, 404);
    QCOMPARE(api_->post("/compute/objects/look", R"({"ids":[]})").status, 422);
    QCOMPARE(api_->call("PATCH", "/compute/objects/1", R"({"fields":{}})").status, 404);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ObjectRouteTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_objects.moc"
