// The example at a real engine: loaded, loaded again, taken away while it runs; what people have there stays.
#include "tests/app/at_engine.h"

#include <QTest>
#include <algorithm>

using namespace yard;
using namespace yard::torture;
using test::ctl;

namespace {

const std::string kIsThere = "The example is there: 309 actions in queues named example/\xe2\x80\xa6\n";

/// The members `which` of objects, sorted, in one line.
std::string membersOf(const boost::json::array& list, std::string_view which) {
    std::vector<std::string> words;
    for (const boost::json::value& each : list)
        if (const boost::json::value* member = each.as_object().if_contains(which))
            words.push_back(boost::json::serialize(*member));
    std::ranges::sort(words);
    std::string out;
    for (const std::string& word : words) out += word + " ";
    return out;
}

boost::json::array listOf(Caller& caller, const std::string& path, std::string_view member) {
    return caller.get("/compute/" + path).json().at(member).as_array();
}

/// All that match: a page may be short and still have a cursor.
boost::json::array actions(Caller& caller, const std::string& query) {
    boost::json::array rows;
    std::string cursor;
    do {
        const Answer page = caller.get(fmt::format("/compute/jobs?limit=500&{}{}", query, cursor));
        const boost::json::object list = page.json();
        for (const boost::json::value& row : list.at("jobs").as_array()) rows.push_back(row);
        cursor = page.text("cursor").empty() ? "" : "&cursor=" + page.text("cursor");
    } while (!cursor.empty());
    return rows;
}

/// What an engine has, but for what changes by itself.
std::string everythingOf(Caller& caller) {
    return fmt::format("queues {}\nactions {}\nworkers {}\nschedules {}",
                       membersOf(listOf(caller, "queues", "queues"), "queue_id"),
                       membersOf(actions(caller, "sort=lsn"), "lsn"),
                       membersOf(listOf(caller, "workers/all", "workers"), "name"),
                       membersOf(listOf(caller, "schedules", "schedules"), "name"));
}

std::int64_t queueNamed(Caller& caller, std::string_view tag) {
    for (const boost::json::value& each : listOf(caller, "queues", "queues")) {
        const boost::json::value* named = each.as_object().if_contains("tag");
        if (named && named->as_string() == tag) return each.at("queue_id").as_int64();
    }
    return -1;
}

std::size_t countOf(Caller& caller, const std::string& query) {
    return actions(caller, query).size();
}

} // namespace

class TestExampleAtAnEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPageHasSomethingToShowOnceHoweverOftenItIsLoaded();
    void removedWhileItRunsLeavesWhatWasThereBefore();
    void otherWorkInItsQueuesStaysWithThem();
    void whatHasItsNamesAndIsNotItsStays();
    void whoMayNotIsToldWhichRightIsMissing();
    void anEngineStartsWithIt();
    void otherWordsAreWrongUsage();
};

void TestExampleAtAnEngine::everyPageHasSomethingToShowOnceHoweverOftenItIsLoaded() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"example", "load"}).out, kIsThere);
    Caller caller = engine.caller();
    const std::string once = everythingOf(caller);
    QCOMPARE(ctl(place, {"example", "load"}).out, std::string("The example is there already.\n"));
    QCOMPARE(everythingOf(caller), once);
    const boost::json::object nightly =
        caller.get(fmt::format("/compute/queues/{}", queueNamed(caller, "example/nightly"))).json();
    QVERIFY(nightly.at("held").as_bool());
    QCOMPARE(nightly.at("pending").as_int64(), 24);
    QCOMPARE(membersOf(listOf(caller, "schedules", "schedules"), "name"), std::string("\"example-nightly\" "));
    for (const char* query : {"q=mark:red", "q=mark:yellow", "q=lock:app:example-atlas&state=running",
                              "q=state:pending+label:example/publish", "state=failed", "q=label:example/math*"})
        QVERIFY2(eventually([&] { return countOf(caller, query) > 0; }), query);
    // The warm worker leaves a picture, JSON and a table.
    QVERIFY(eventually([&] {
        const std::string outputs = membersOf(actions(caller, "q=function:draw+state:completed"), "outputs");
        return outputs.contains("picture.png") && outputs.contains("about.json") && outputs.contains("light.csv");
    }));
    QVERIFY(eventually([&] { return caller.get("/compute/failures").json().at("groups").as_array().size() >= 4; }));
    QCOMPARE(engine.stop(), 0);
}

void TestExampleAtAnEngine::removedWhileItRunsLeavesWhatWasThereBefore() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    const std::int64_t own = caller.post("/compute/queues", R"({"tag":"mine"})").number("queue_id");
    QCOMPARE(caller.post(fmt::format("/compute/queues/{}/jobs", own), shJson(place, "true")).status, 200);
    QCOMPARE(caller.post("/compute/jobs", shJson(place, "true", R"(,"label":"example/mine")")).status, 200);
    QVERIFY(eventually([&] { return countOf(caller, "state=completed") == std::size_t{2}; }));
    const std::string before = everythingOf(caller);
    QCOMPARE(ctl(place, {"example", "load"}).out, kIsThere);
    QVERIFY(eventually([&] { return countOf(caller, "q=state:running+label:example/*") > 0; }));
    const test::Ended removed = ctl(place, {"example", "remove"});
    QCOMPARE(removed.out, std::string("The example is gone, with 309 actions.\n"));
    QCOMPARE(removed.code, 0);
    QCOMPARE(everythingOf(caller), before);
    QCOMPARE(ctl(place, {"example", "remove"}).out, std::string("There is no example to remove.\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestExampleAtAnEngine::otherWorkInItsQueuesStaysWithThem() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"example", "load"}).code, 0);
    Caller caller = engine.caller();
    const std::int64_t tests = queueNamed(caller, "example/tests");
    const std::int64_t lsn = caller
                                 .post(fmt::format("/compute/queues/{}/jobs", tests),
                                       shJson(place, "exec sleep 600", R"(,"label":"mine")"))
                                 .number("lsn");
    QVERIFY(lsn > 0);
    QCOMPARE(ctl(place, {"example", "remove"}).out,
             std::string(
                 "The example is gone, with 309 actions. 1 of its queues stays, as there is other work in it.\n"));
    QCOMPARE(membersOf(actions(caller, "sort=lsn"), "lsn"), fmt::format("{} ", lsn));
    const std::string state = caller.get(fmt::format("/compute/jobs/{}", lsn)).text("state");
    QVERIFY2(state == "running" || state == "pending" || state == "submitting", state.c_str());
    QCOMPARE(queueNamed(caller, "example/tests"), tests);
    // That queue is one as any other now.
    QCOMPARE(ctl(place, {"example", "load"}).out, kIsThere);
    QCOMPARE(ctl(place, {"example", "remove"}).out, std::string("The example is gone, with 309 actions.\n"));
    QCOMPARE(queueNamed(caller, "example/tests"), tests);
    QCOMPARE(engine.stop(), 0);
}

void TestExampleAtAnEngine::whatHasItsNamesAndIsNotItsStays() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"schedules", "add", "example-nightly", "--every", "2h", "-c", "true"}).code, 0);
    Caller caller = engine.caller();
    QCOMPARE(caller.post("/compute/queues", R"({"tag":"example/tests"})").status, 200);
    const std::string before = everythingOf(caller);
    QCOMPARE(ctl(place, {"example", "remove"}).out, std::string("There is no example to remove.\n"));
    QCOMPARE(ctl(place, {"example", "load"}).out, kIsThere);
    QCOMPARE(ctl(place, {"--json", "example", "remove"}).out,
             std::string("{\"actions\":309,\"kept_queues\":0,\"kept_worker\":false}\n"));
    QCOMPARE(everythingOf(caller), before);
    QCOMPARE(engine.stop(), 0);
}

void TestExampleAtAnEngine::whoMayNotIsToldWhichRightIsMissing() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    const std::string before = everythingOf(caller);
    const std::string token = caller.post("/compute/tokens", R"({"name":"anna","rights":"submit"})").text("token");
    QVERIFY(!token.empty());
    writeText(place.path("anna"), token);
    const test::Ended refused =
        ctl(place, {"--token-file", QString::fromStdString(place.path("anna")), "example", "load"});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("has the right submit, and this needs operate"), refused.err.c_str());
    QCOMPARE(everythingOf(caller), before);
    QCOMPARE(engine.stop(), 0);
}

void TestExampleAtAnEngine::anEngineStartsWithIt() {
    Place place;
    {
        Yardmaster engine(place, {.arguments = {"--example"}});
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        QVERIFY2(eventually([&] { return engine.errors().contains("yardmaster: " + kIsThere); }),
                 engine.errors().c_str());
        QCOMPARE(engine.stop(), 0);
    }
    Yardmaster again(place, {.arguments = {"--example"}});
    QVERIFY2(again.isServing(), again.errors().c_str());
    QVERIFY2(eventually([&] { return again.errors().contains("The example is there already."); }),
             again.errors().c_str());
    QCOMPARE(ctl(place, {"example", "remove"}).code, 0);
    QCOMPARE(again.stop(), 0);
}

void TestExampleAtAnEngine::otherWordsAreWrongUsage() {
    const Place place;
    const test::Ended wrong = ctl(place, {"example", "reload"});
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.contains("'reload' is neither load nor remove"), wrong.err.c_str());
    QCOMPARE(ctl(place, {"example"}).code, 2);
}

QTEST_GUILESS_MAIN(TestExampleAtAnEngine)
#include "tst_example_at_an_engine.moc"
