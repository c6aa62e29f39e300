// GET inside/...: what goes on inside of the process.
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/unique_fd.h"
#include "core/console/interpreter.h"
#include "core/launcher/launcher.h"
#include "core/profile/profile_file.h"
#include "core/runners/runner_source.h"
#include "tests/engine/fake_runner.h"
#include "tests/http/api_test.h"
#include "tests/support/show_strings.h"

#include <QDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <fcntl.h>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

using namespace yard;
using namespace yard::http;

namespace {

/// Who has only the console: a line of it, carried out by the routes.
std::string sayAtConsole(ApiTest& api, const std::string& line) {
    using Step = console::Interpreter::Step;
    console::Interpreter interpreter;
    interpreter.start(line);
    for (;;) {
        const Step step = interpreter.resume();
        if (step == Step::Asks) {
            const console::ApiRequest& asked = interpreter.request();
            Reply reply = api.call(asked.method, "/compute/" + asked.path, asked.body);
            interpreter.answer({.status = reply.status, .body = std::move(reply.body)});
        }
        if (step == Step::Done) return interpreter.takeOutput();
        if (step == Step::Failed) return interpreter.takeOutput() + "error: " + interpreter.error();
    }
}

/// A plugin of the engine: a runner, whose code runs on the engine's loop. What is posted to it runs there.
class PluginSource final : public runners::RunnerSource {
public:
    std::atomic<engine::test::FakeRunner*> runner = nullptr; ///< the engine's, from its start to its end

    std::string_view name() const override { return "plugin"; }
    unsigned cores() const override { return 1; }
    Result<std::vector<runners::SlotEntry>> recover() override { return std::vector<runners::SlotEntry>(); }
    Result<std::unique_ptr<runners::Runner>> start(runners::UpdateSink sink) override {
        auto made = std::make_unique<engine::test::FakeRunner>(cores(), std::move(sink));
        runner = made.get();
        return made;
    }
};

} // namespace

class InsideTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_.emplace(); }
    void cleanupTestCase() { api_.reset(); }

    void theEnginesThreadsAreListed();
    void theThreadsOfHttpAreListed();
    void pagesFollowEachOther();
    void whatIsAskedWronglyIsSaid();
    void oneThreadIsShown();
    void aThreadIsInterrupted();
    void aServiceIsInterruptedByForceAlone();
    void theLongestTurnsAreListed();
    void aStallIsFoundByNameFromTheConsole();
    void theLogHasALevelForEachArea();
    void wrongLevelsAreRefused_data();
    void wrongLevelsAreRefused();
    void theLatestLinesOfTheLogAreTold();
    void memoryIsTold();
    void cachesAreCountedAndEmptied();
    void descriptorsHaveOwners();
    void descriptorsThatLeakAreFoundByTheLineThatOpensThem();
    void aThreadHasTheChainOfItsWaits();
    void aProfileIsTakenAndKept_data();
    void aProfileIsTakenAndKept();
    void aProfileEndsWithItsClient();
    void aProfileMayBeStartedAndStopped();
    void wrongWordsAtTheConsoleAreToldAsSuch_data();
    void wrongWordsAtTheConsoleAreToldAsSuch();
    void aDumpHasAllThatIsInside();
    void wrongDumpsAreRefused_data();
    void wrongDumpsAreRefused();
    void wrongProfilesAreRefused_data();
    void wrongProfilesAreRefused();

private:
    /// The first of the threads that fit such a query.
    boost::json::object firstThread(const std::string& query) {
        const boost::json::object answer = api_->get("/compute/inside/threads?" + query).json();
        return answer.at("threads").as_array().at(0).as_object();
    }

    std::optional<ApiTest> api_;
};

void InsideTest::theEnginesThreadsAreListed() {
    const Reply reply = api_->get("/compute/inside/threads");
    QCOMPARE(reply.status, 200);
    std::set<std::string> names;
    const boost::json::object answer = reply.json();
    for (const auto& thread : answer.at("threads").as_array())
        names.insert(std::string(thread.as_object().at("name").as_string()));
    QVERIFY2(names.contains("pump") && names.contains("command"), reply.body.c_str());
}

void InsideTest::theThreadsOfHttpAreListed() {
    const Reply reply = api_->get("/compute/inside/threads?loop=http&filter=request");
    QVERIFY2(reply.body.contains("\"state\":\"running\""), reply.body.c_str());
}

void InsideTest::pagesFollowEachOther() {
    std::set<std::int64_t> numbers;
    std::string cursor;
    do {
        const Reply page =
            api_->get("/compute/inside/threads?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
        QCOMPARE(page.status, 200);
        const boost::json::object answer = page.json();
        for (const auto& thread : answer.at("threads").as_array())
            QVERIFY(numbers.insert(thread.as_object().at("number").as_int64()).second);
        cursor = page.text("cursor");
    } while (!cursor.empty());
    QVERIFY(numbers.size() > 4);
}

void InsideTest::whatIsAskedWronglyIsSaid() {
    QCOMPARE(api_->get("/compute/inside/threads?limit=0").status, 422);
    QCOMPARE(api_->get("/compute/inside/threads?cursor=x").status, 422);
    QCOMPARE(api_->get("/compute/inside/threads/other/1").status, 404);
    QCOMPARE(api_->get("/compute/inside/threads/engine/123456789").status, 404);
    QCOMPARE(api_->get("/compute/inside/threads/engine/x").status, 404);
    QCOMPARE(api_->post("/compute/inside/threads/other/1/interrupt").status, 404);
    QCOMPARE(api_->post("/compute/inside/threads/engine/123456789/interrupt").status, 404);
}

void InsideTest::oneThreadIsShown() {
    const std::int64_t number = firstThread("filter=pump").at("number").as_int64();
    const Reply one = api_->get("/compute/inside/threads/engine/" + std::to_string(number));
    QCOMPARE(one.text("name"), "pump");
    QVERIFY(one.number("runs") > 0);
}

void InsideTest::aThreadIsInterrupted() {
    // The request itself: it is answered, and unwinds at its next suspension.
    const std::int64_t number = firstThread("loop=http&filter=request").at("number").as_int64();
    const Reply done = api_->post("/compute/inside/threads/http/" + std::to_string(number) + "/interrupt");
    QCOMPARE(done.status, 200);
    QCOMPARE(done.number("number"), number);
}

void InsideTest::aServiceIsInterruptedByForceAlone() {
    const std::int64_t number = firstThread("filter=pump").at("number").as_int64();
    const Reply refused = api_->post("/compute/inside/threads/engine/" + std::to_string(number) + "/interrupt");
    QCOMPARE(refused.status, 409);
    QCOMPARE(refused.text("error"), "wrong_state");
    QCOMPARE(firstThread("filter=pump").at("number").as_int64(), number);
}

void InsideTest::theLongestTurnsAreListed() {
    const Reply reply = api_->get("/compute/inside/latency");
    QCOMPARE(reply.status, 200);
    QVERIFY(reply.json().at("turns").is_array());
}

void InsideTest::aStallIsFoundByNameFromTheConsole() {
    const auto source = std::make_shared<PluginSource>();
    ApiTest api([&](engine::Options& options) { options.runners = {source}; });
    QVERIFY(source->runner);
    std::promise<void> stalled;
    source->runner.load()->post([&](engine::test::FakeRunner&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(500)); // what a plugin should not do
        stalled.set_value();
    });
    stalled.get_future().wait();
    const std::string all = sayAtConsole(api, "latency");
    QVERIFY2(all.contains("runner") && all.contains("core/engine/running/runner_places.cpp:"), all.c_str());
    const std::string found = sayAtConsole(
        api, "for _, t in ipairs(latency()) do if t.ran_s >= 0.5 then print(t.name, json(t.chain)) end end");
    QVERIFY2(found.contains("runner\t") && found.contains("yard::engine::RunnerPlaces::hear"), found.c_str());
}

void InsideTest::theLogHasALevelForEachArea() {
    QCOMPARE(sayAtConsole(*api_, "log debug sandbox"), "the log of sandbox begins at debug\n");
    QVERIFY(areaLogLevel("sandbox") == LogLevel::Debug);
    QVERIFY(sayAtConsole(*api_, "log").contains("sandbox"));
    const Reply reply = api_->get("/compute/inside/log");
    QVERIFY2(reply.body.contains(R"({"name":"sandbox","level":"debug"})"), reply.body.c_str());
    (void)sayAtConsole(*api_, "log default sandbox");
    QVERIFY(!areaLogLevel("sandbox"));
    (void)sayAtConsole(*api_, "log warning");
    QVERIFY(logLevel() == LogLevel::Warning);
    setLogLevel(LogLevel::Info);
}

void InsideTest::wrongLevelsAreRefused_data() {
    QTest::addColumn<QByteArray>("body");
    for (const char* body :
         {R"({"level":"loud"})", R"({"level":"default"})", R"({"level":"debug","area":"cellar"})", R"({"level":7})",
          R"({"area":"http"})", R"({"level":"info","unknown":1})"})
        QTest::newRow(body) << QByteArray(body);
}

void InsideTest::wrongLevelsAreRefused() {
    QCOMPARE(api_->get("/compute/inside/log?area=cellar").status, 422);
    QFETCH(QByteArray, body);
    QCOMPARE(api_->call("PATCH", "/compute/inside/log", body.toStdString()).status, 422);
    QVERIFY(logLevel() == LogLevel::Info);
    QVERIFY(sayAtConsole(*api_, "log loud").contains("error: Give \"level\" as"));
}

void InsideTest::theLatestLinesOfTheLogAreTold() {
    logWarning("retention", "the first of the test");
    logInfo("http", "the second of the test");
    flushLog(); // it is written
    const Reply reply = api_->get("/compute/inside/log?filter=of+the+test&level=warning");
    QVERIFY2(reply.body.contains(R"("level":"warning","area":"retention","text":"the first of the test"})"),
             reply.body.c_str());
    QVERIFY(!reply.body.contains("the second"));
    QVERIFY(api_->get("/compute/inside/log?area=http&filter=second").body.contains("the second of the test"));
    const std::string next = std::to_string(reply.number("next"));
    QVERIFY(!api_->get("/compute/inside/log?after=" + next).body.contains("of the test"));
    for (const char* wrong : {"level=loud", "limit=0", "after=x"})
        QCOMPARE(api_->get(std::string("/compute/inside/log?") + wrong).status, 422);
    QVERIFY(sayAtConsole(*api_, "lines second").contains("info http: the second of the test"));
}

void InsideTest::memoryIsTold() {
    const Reply reply = api_->get("/compute/inside/memory");
    QCOMPARE(reply.status, 200);
    QVERIFY(reply.number("total_bytes") > 1'000'000);
    QVERIFY(reply.body.contains("scheduler"));
    const boost::json::object answer = reply.json();
    std::int64_t sum = 0;
    for (const auto& each : answer.at("subsystems").as_array()) {
        const boost::json::object& part = each.as_object();
        sum += part.at("bytes").as_int64();
        // Frames of cooperative threads and the journal are counted where they are allocated.
        if (part.at("name") == boost::json::value("cooperative threads") ||
            part.at("name") == boost::json::value("journal"))
            QVERIFY2(part.at("bytes").as_int64() > 1'000 && part.at("items").as_int64() > 1, reply.body.c_str());
    }
    QVERIFY(sum > 0);
    QVERIFY(sayAtConsole(*api_, "memory").contains("cooperative threads"));
}

void InsideTest::cachesAreCountedAndEmptied() {
    ApiTest api;
    std::vector<std::string> paths;
    for (int n = 0; n < 3; ++n)
        paths.push_back("/compute/jobs/" + std::to_string(api.sh("true", ",\"hold\":true")));
    const auto specs = [&] {
        return sayAtConsole(api,
                            "for _, c in ipairs(caches()) do if c.name == 'specs' then print(c.bytes > 0) end end");
    };
    const Reply reply = api.get("/compute/inside/caches");
    QVERIFY2(reply.body.contains(R"("name":"specs")") && reply.body.contains(R"("name":"lists")"),
             reply.body.c_str());
    QVERIFY2(sayAtConsole(api, "caches").contains("hits"), "");
    QCOMPARE(sayAtConsole(api, "caches.empty 'specs'"), "the cache of specs is empty\n");
    QCOMPARE(specs(), "false\n");
    QCOMPARE(sayAtConsole(api, "caches.empty 'lists'"), "the cache of lists is empty\n");
    QVERIFY(sayAtConsole(api, "caches.empty 'cellar'").contains("error: There is no cache \"cellar\""));
    // What was thrown away is read again.
    for (const std::string& path : paths) {
        QCOMPARE(api.post(path + "/release").status, 200);
        QCOMPARE(api.get(path + "?wait=60").text("state"), "completed");
    }
}

void InsideTest::descriptorsHaveOwners() {
    const Reply reply = api_->get("/compute/inside/descriptors");
    QCOMPARE(reply.status, 200);
    std::int64_t sum = 0;
    std::set<std::string> names;
    const boost::json::object answer = reply.json();
    for (const auto& owner : answer.at("owners").as_array()) {
        sum += owner.as_object().at("count").as_int64();
        names.insert(std::string(owner.as_object().at("name").as_string()));
    }
    QCOMPARE(sum, reply.number("used"));
    QVERIFY(sum <= reply.number("limit"));
    QVERIFY2(names.contains("journal") && names.contains("event loops"), reply.body.c_str());
}

void InsideTest::descriptorsThatLeakAreFoundByTheLineThatOpensThem() {
    constexpr std::size_t kLeaked = 40;
    std::vector<UniqueFd> leaked;
    for (std::size_t n = 0; n < kLeaked; ++n) leaked.push_back(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
    const std::string line = std::to_string(__LINE__ - 1);
    const boost::json::object all = api_->get("/compute/inside/descriptors").json();
    const auto& owners = all.at("owners").as_array();
    const auto ours = std::ranges::find(owners, boost::json::value("tests/http"),
                                        [](const auto& owner) { return owner.as_object().at("name"); });
    QVERIFY(ours != owners.end());
    QVERIFY(ours->as_object().at("count").as_int64() >= std::int64_t(kLeaked));
    QVERIFY(!all.contains("descriptors")); // only of an owner that is asked for
    const Reply reply = api_->get("/compute/inside/descriptors?owner=tests/http");
    const boost::json::object one = reply.json();
    const auto& listed = one.at("descriptors").as_array();
    const auto isLeaked = [&](const auto& each) {
        return each.as_object().at("opener") == boost::json::value("tests/http/tst_inside.cpp:" + line) &&
               each.as_object().at("target") == boost::json::value("/dev/null");
    };
    QCOMPARE(static_cast<std::size_t>(std::ranges::count_if(listed, isLeaked)), kLeaked);
    leaked.clear();
    QVERIFY(!api_->get("/compute/inside/descriptors?owner=tests/http").body.contains("tst_inside.cpp:" + line));
    // Who has only the console sees the owner, and then the line.
    for (std::size_t n = 0; n < kLeaked; ++n) leaked.push_back(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
    QVERIFY(sayAtConsole(*api_, "descriptors").contains("tests/http"));
    QVERIFY(sayAtConsole(*api_, "descriptors tests/http").contains("tests/http/tst_inside.cpp:"));
    QVERIFY(api_->get("/compute/inside/descriptors?owner=nobody").json().at("descriptors").as_array().empty());
}

void InsideTest::aThreadHasTheChainOfItsWaits() {
    const boost::json::object thread = firstThread("filter=pump");
    const boost::json::array& chain = thread.at("chain").as_array();
    const std::string shown = boost::json::serialize(chain);
    QVERIFY(!chain.empty());
    const boost::json::object& place = chain.at(0).as_object();
    QVERIFY2(place.at("file").as_string().starts_with("core/"), shown.c_str());
    QVERIFY(place.at("line").as_int64() > 0);
    QVERIFY2(place.at("function").as_string().starts_with("yard::"), shown.c_str());
}

static profile::Profile profileOf(const Reply& reply) {
    const auto bytes = readFile(reply.text("file"), profile::kLargestFile);
    if (!bytes) return {};
    return profile::decode(*bytes).value_or(profile::Profile{});
}

void InsideTest::aProfileIsTakenAndKept_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("loop");
    QTest::addColumn<QByteArray>("thread");
    QTest::newRow("engine") << QByteArray(R"({"seconds":1})") << QByteArray("engine") << QByteArray("command");
    // The loop on which the test asks.
    QTest::newRow("http") << QByteArray(R"({"seconds":1,"loop":"http"})") << QByteArray("loop")
                          << QByteArray("request");
}

void InsideTest::aProfileIsTakenAndKept() {
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, loop);
    QFETCH(QByteArray, thread);
    const Reply reply = api_->post("/compute/inside/profile", body.toStdString());
    QCOMPARE(reply.status, 200);
    const profile::Profile taken = profileOf(reply);
    QCOMPARE(taken.loop, loop.toStdString());
    QVERIFY(taken.lastedMicros >= 1'000'000);
    // The thread that took it had at least the turn in which it went to sleep, and the one that woke it.
    QVERIFY(std::ranges::any_of(taken.functions,
                                [&](const profile::Function& f) { return f.name == thread.constData(); }));
    struct stat status{};
    QCOMPARE(::stat(reply.text("file").c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777u, 0600u);
}

void InsideTest::aProfileEndsWithItsClient() {
    for (bool* leaves : {&api_->link.gone, &api_->link.stopping}) {
        *leaves = true;
        const Reply reply = api_->post("/compute/inside/profile", R"({"seconds":600})");
        *leaves = false;
        QCOMPARE(reply.status, 200);
        QVERIFY(profileOf(reply).lastedMicros < 600'000'000);
        QCOMPARE(api_->post("/compute/inside/profile/stop", "{}").status, 409);
    }
}

void InsideTest::aProfileMayBeStartedAndStopped() {
    // The engine's alone: each request of this test has a loop of its own, which ends with it.
    const std::string engine = R"({"loop":"engine"})";
    QCOMPARE(api_->post("/compute/inside/profile/stop", engine).status, 409);
    QCOMPARE(api_->post("/compute/inside/profile/start", engine).status, 200);
    QCOMPARE(api_->post("/compute/inside/profile/start", engine).status, 409);
    QCOMPARE(api_->post("/compute/inside/profile", engine).status, 409);
    QCOMPARE(api_->get("/compute/session").status, 200);
    const Reply stopped = api_->post("/compute/inside/profile/stop", engine);
    QCOMPARE(stopped.status, 200);
    QVERIFY(!profileOf(stopped).nodes.empty());
    // The same by who has only the console, with and without words of its own.
    for (const char* start : {"profile_start", "profile.start()", "profile.start{thread=\"command\"}"}) {
        QCOMPARE(sayAtConsole(*api_, start), "profile_stop ends it\n");
        QVERIFY(sayAtConsole(*api_, "profile.stop()").ends_with(".yprof\n"));
    }
}

void InsideTest::wrongWordsAtTheConsoleAreToldAsSuch_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("sentence");
    const auto row = [](const char* line, const char* sentence) {
        QTest::newRow(line) << QByteArray(line) << QByteArray("error: ") + sentence;
    };
    row("action 1e300", "give a whole number");
    row("action x", "give a whole number");
    row("thread 1.5", "give a whole number");
    row("interrupt", "give a whole number");
    row("actions {}", "give a filter as text");
    row("threads {}", "give a part of a name as text");
    row("set", "set \"name\" (value) needs a name and a value");
    row("set grace_s", "set \"name\" (value) needs a value");
    row("caches.empty", "give the name of a cache");
    row("profile_start 5", "give it what to measure");
    row("profile.start{threads='x'}", "profile_start takes thread, function and loop, and no threads");
    row("dump {}", "Give \"name\" as letters");
}

void InsideTest::wrongWordsAtTheConsoleAreToldAsSuch() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, sentence);
    const std::string said = sayAtConsole(*api_, line.toStdString());
    QVERIFY2(said.starts_with(sentence.toStdString()), said.c_str());
    QCOMPARE(api_->post("/compute/inside/profile/stop", "{}").status, 409); // none was begun
}

void InsideTest::aDumpHasAllThatIsInside() {
    logInfo("http", "a line for the dump");
    flushLog(); // it is written
    const std::string said = sayAtConsole(*api_, "dump \"before\"");
    QVERIFY2(said.ends_with("/dumps/before.json\n"), said.c_str());
    const std::string path = said.substr(0, said.size() - 1);
    struct stat status{};
    QCOMPARE(::stat(path.c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777u, 0600u);
    const boost::json::object dump = boost::json::parse(readFile(path, 64u << 20).value()).as_object();
    for (const char* loop : {"engine", "http"})
        QVERIFY2(!dump.at("threads").as_object().at(loop).as_array().empty(), loop);
    QVERIFY(dump.at("latency").as_object().contains("turns"));
    QVERIFY(dump.at("memory").as_object().at("total_bytes").as_int64() > 0);
    QCOMPARE(dump.at("caches").as_object().at("caches").as_array().size(), std::size_t(2));
    QVERIFY(dump.at("descriptors").as_object().at("used").as_int64() > 0);
    QVERIFY(boost::json::serialize(dump.at("log")).contains("a line for the dump"));
    // A file is never replaced; without a name there is always another.
    const std::string again = sayAtConsole(*api_, "dump before");
    QVERIFY2(again.contains("error: There is a dump \"before\" already"), again.c_str());
    const Reply first = api_->post("/compute/inside/dump", "{}");
    QCOMPARE(first.status, 200);
    QVERIFY(first.text("file") != api_->post("/compute/inside/dump", "").text("file"));
    QCOMPARE(api_->post("/compute/inside/dump", R"({"name":"before"})").status, 409);
    for (int n = 0; n < 25; ++n) QCOMPARE(api_->post("/compute/inside/dump", "{}").status, 200);
    const QDir kept(QString::fromStdString(path.substr(0, path.rfind('/'))));
    QCOMPARE(kept.entryList({"*.json"}, QDir::Files).size(), 20);
}

void InsideTest::wrongDumpsAreRefused_data() {
    QTest::addColumn<QByteArray>("body");
    for (const char* body : {R"({"name":"../token"})", R"({"name":"a/b"})", R"({"name":".hidden"})",
                             R"({"name":7})", R"({"name":"a b"})", R"({"file":"a"})"})
        QTest::newRow(body) << QByteArray(body);
    QTest::newRow("long") << QByteArray(R"({"name":")" + QByteArray(65, 'a') + R"("})");
}

void InsideTest::wrongDumpsAreRefused() {
    QFETCH(QByteArray, body);
    QCOMPARE(api_->post("/compute/inside/dump", body.toStdString()).status, 422);
}

void InsideTest::wrongProfilesAreRefused_data() {
    QTest::addColumn<QByteArray>("body");
    for (const char* body : {R"({"seconds":0})", R"({"seconds":601})", R"({"loop":"other"})", R"({"filter":7})",
                             R"({"function":true})", R"({"unknown":1})"})
        QTest::newRow(body) << QByteArray(body);
}

void InsideTest::wrongProfilesAreRefused() {
    QFETCH(QByteArray, body);
    QCOMPARE(api_->post("/compute/inside/profile", body.toStdString()).status, 422);
    QCOMPARE(api_->post("/compute/inside/profile/stop", "{}").status, 409); // none was begun
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    InsideTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_inside.moc"
