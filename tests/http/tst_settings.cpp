// Settings of a real engine: shown, changed while it runs, kept, and used by the next start.
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/engine/commands/intake.h"
#include "core/engine/reading/overview.h"
#include "core/engine/state/settings_service.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>
#include <filesystem>
#include <sys/stat.h>

using namespace yard;
using namespace yard::http;

namespace {

std::string names(const boost::json::array& list) {
    std::string text;
    for (const boost::json::value& name : list) text += std::string(name.as_string()) + " ";
    return text;
}

/// What open() says of a directory whose settings.json has this text.
std::string openedWith(const std::string& file, std::vector<std::string> set = {}) {
    QTemporaryDir dir;
    engine::Options options;
    options.dataDir = dir.path().toStdString();
    options.lockDir = options.dataDir + "/locks";
    options.noSandbox = true;
    options.set = std::move(set);
    if (!file.empty() && !writeFileAtomically(options.dataDir + "/settings.json", file, 0600)) return "not written";
    auto engine = engine::Engine::open(std::move(options));
    if (engine) return "opened";
    std::string message = engine.error().message;
    if (const auto at = message.find(dir.path().toStdString()); at != message.npos)
        message.replace(at, static_cast<std::size_t>(dir.path().size()), "DIR");
    return message;
}

} // namespace

class SettingsRouteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allAreShownWithWhatTheyMayBe();
    void aChangeAppliesAtOnceAndIsKept();
    void whatNeedsARestartSaysSoAndIsHeededByTheNextStart();
    void nothingChangesWhenAnyIsRefused();
    void nothingChangesWhenItCannotBeKept();
    void whatIsSetForOneRunIsNotKept();
    void aFileThatIsWrongStopsTheStart();
    void clearingUpSaysWhatWentOrWouldGo();
};

void SettingsRouteTest::allAreShownWithWhatTheyMayBe() {
    ApiTest api;
    const Reply reply = api.get("/compute/settings");
    QCOMPARE(reply.status, 200);
    const auto settings = reply.json();
    QCOMPARE(names(settings.at("restart_needed").as_array()), std::string());
    for (const SettingInfo& setting : settingsTable()) {
        QVERIFY(settings.contains(setting.name) || setting.isFamily());
        QCOMPARE(std::string(settings.at("about").at(setting.name).at("help").as_string()),
                 std::string(setting.help));
    }
    QCOMPARE(settings.at("deadline_s").to_number<double>(), 3600.0);
    QCOMPARE(settings.at("about").at("grace_s").at("most").to_number<double>(), 60.0);
    // A line of text has neither bounds nor words.
    const auto& text = settings.at("about").at("env_never_kept").as_object();
    QVERIFY(text.at("default").is_string() && !text.contains("least") && !text.contains("words"));
    QCOMPARE(api.get("/compute/settings?x=1").status, 400);
}

void SettingsRouteTest::aChangeAppliesAtOnceAndIsKept() {
    ApiTest api;
    const Reply reply = api.call("PATCH", "/compute/settings", R"({"deadline_s":0.2,"log_level":"warning"})");
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.json().at("deadline_s").to_number<double>(), 0.2);
    const Reply queue = api.post("/compute/queues", R"({"config":{"max_retries":0}})");
    const auto lsn = api.sh("exec sleep 100", "", fmt::format("/compute/queues/{}/jobs", queue.number("queue_id")));
    const Reply ended = api.get(fmt::format("/compute/jobs/{}?wait=60", lsn));
    QCOMPARE(ended.text("reason"), std::string("deadline"));
    QVERIFY(!logEnabled(LogLevel::Info, "http"));
    setLogLevel(LogLevel::Info);
    QCOMPARE(readFile(api.engine.path("data/settings.json")).value_or("(none)"),
             std::string("{\n  \"deadline_s\": 0.2,\n  \"log_level\": \"warning\"\n}\n"));
    const Reply back = api.call("PATCH", "/compute/settings", R"({"deadline_s":null,"log_level":null})");
    QCOMPARE(back.json().at("deadline_s").to_number<double>(), 3600.0);
    QCOMPARE(readFile(api.engine.path("data/settings.json")).value_or("(none)"), std::string("{\n}\n"));
}

void SettingsRouteTest::whatNeedsARestartSaysSoAndIsHeededByTheNextStart() {
    test::EngineTest engine;
    const auto changed =
        engine.run(engine->ask(&engine::SettingsService::change, R"({"durability":"power","deadline_s":7})"));
    QVERIFY(changed);
    QCOMPARE(changed->restartNeeded, std::vector<std::string>{"durability"});
    QCOMPARE(engine.run(engine->ask(&engine::SettingsService::view)).restartNeeded,
             std::vector<std::string>{"durability"});
    const auto amounts = engine.run(engine->ask(
        &engine::SettingsService::change, R"({"durability":null,"resources.gpus":1,"resources.licence.x":2})"));
    QCOMPARE(amounts->restartNeeded, (std::vector<std::string>{"resources.gpus", "resources.licence.x"}));
    const auto back =
        engine.run(engine->ask(&engine::SettingsService::change,
                               R"({"durability":"power","resources.gpus":null,"resources.licence.x":null})"));
    QCOMPARE(back->restartNeeded, std::vector<std::string>{"durability"});
    engine.stop();
    engine.start();
    const auto kept = engine.run(engine->ask(&engine::SettingsService::view));
    QCOMPARE(kept.restartNeeded, std::vector<std::string>{});
    QCOMPARE(kept.asked.durability, std::string("power"));
    QCOMPARE(kept.asked.deadline, Duration(7'000'000));
    QCOMPARE(test::ending(engine.wait(engine.sh("true"))), std::string("completed"));
}

void SettingsRouteTest::nothingChangesWhenAnyIsRefused() {
    ApiTest api;
    const std::string before = api.get("/compute/settings").body;
    const Reply refused = api.call("PATCH", "/compute/settings", R"({"deadline_s":5,"grace_s":1000})");
    QCOMPARE(refused.status, 422);
    QCOMPARE(refused.text("field"), std::string("grace_s"));
    QCOMPARE(api.call("PATCH", "/compute/settings", R"({"colour":5})").text("field"), std::string("colour"));
    QCOMPARE(api.call("PATCH", "/compute/settings", "{").status, 400);
    QCOMPARE(api.call("PATCH", "/compute/settings").status, 400);
    QCOMPARE(api.get("/compute/settings").body, before);
}

void SettingsRouteTest::nothingChangesWhenItCannotBeKept() {
    ApiTest api;
    const std::string before = api.get("/compute/settings").body;
    // A directory in its place: the new file cannot take the name.
    QCOMPARE(::mkdir(api.engine.path("data/settings.json").c_str(), 0700), 0);
    QCOMPARE(api.call("PATCH", "/compute/settings", R"({"deadline_s":5})").status, 500);
    QCOMPARE(api.get("/compute/settings").body, before);
}

void SettingsRouteTest::whatIsSetForOneRunIsNotKept() {
    QTemporaryDir dir;
    engine::Options options;
    options.dataDir = dir.path().toStdString();
    options.lockDir = options.dataDir + "/locks";
    options.noSandbox = true;
    options.set = {"deadline_s=9", "capacity=1", "deadline_s=8", "resources.licence.x=3"};
    test::EngineTest other; // only for its loop
    auto engine = engine::Engine::open(options);
    QVERIFY(engine);
    QCOMPARE(other.run((*engine)->ask(&engine::SettingsService::view)).asked.deadline, Duration(8'000'000));
    QCOMPARE(other.run((*engine)->ask(&engine::Overview::session)).capacity, 1);
    const auto fits = parseActions(R"({"worker":"exec","argv":["true"],"resources":{"licence.x":3}})");
    QVERIFY(fits);
    engine::Submission submission;
    submission.actions = fits->actions;
    QVERIFY(other.run((*engine)->ask(&engine::Intake::submit, std::move(submission), Duration::zero())));
    // Another setting is changed: what was set for this run stays, and stays out of the file.
    const auto changed = other.run((*engine)->ask(&engine::SettingsService::change, R"({"grace_s":1})"));
    QVERIFY(changed);
    QCOMPARE(changed->asked.deadline, Duration(8'000'000));
    QCOMPARE(changed->restartNeeded, std::vector<std::string>{});
    QCOMPARE(readFile(options.dataDir + "/settings.json").value_or("(none)"),
             std::string("{\n  \"grace_s\": 1\n}\n"));
    (*engine)->close();
}

void SettingsRouteTest::aFileThatIsWrongStopsTheStart() {
    constexpr const char* kMend = " Fix the file, or remove it to begin with the defaults.";
    QCOMPARE(openedWith("{\"grace_s\": 100}\n"),
             std::string("DIR/settings.json: Give \"grace_s\" as seconds from 0 to 60.") + kMend);
    QVERIFY(openedWith("{\"gra").ends_with(kMend));
    QCOMPARE(openedWith("", {"grace_s=100"}), std::string("Give \"grace_s\" as seconds from 0 to 60."));
    QCOMPARE(openedWith("{}"), std::string("opened"));
}

void SettingsRouteTest::clearingUpSaysWhatWentOrWouldGo() {
    ApiTest api;
    const std::int64_t lsn = api.sh("echo hello");
    api.engine.wait(Lsn(lsn));
    const Reply dry = api.post("/compute/gc", R"({"dry_run":true})");
    QCOMPARE(dry.status, 200);
    const auto report = dry.json();
    QCOMPARE(report.at("dry_run").as_bool(), true);
    QCOMPARE(report.at("actions").at("age").as_int64(), 0);
    QCOMPARE(report.at("finished").as_int64(), 1);
    QVERIFY(report.at("disk").at("used_bytes").as_int64() > 0);
    QVERIFY(report.at("disk").at("log_bytes").as_int64() > 0);
    QCOMPARE(report.at("disk").at("workers_bytes").as_int64(), 0);
    const std::string files = api.engine.path("data/workers/some");
    std::filesystem::create_directories(files + "/bin");
    QVERIFY(writeFileAtomically(files + "/bin/one", std::string(100'000, 'x'), 0600));
    const auto workers = [&] { return api.post("/compute/gc").json().at("disk").at("workers_bytes").as_int64(); };
    QVERIFY(workers() >= 100'000);
    std::filesystem::create_hard_link(files + "/bin/one", files + "/bin/two");
    QVERIFY(workers() < 200'000);
    QVERIFY(report.at("disk").at("limit_bytes").as_int64() < report.at("disk").at("size_bytes").as_int64());
    QCOMPARE(api.post("/compute/gc").json().at("dry_run").as_bool(), false);
    QCOMPARE(api.get("/compute/jobs/1").status, 200);
    QCOMPARE(api.post("/compute/gc", R"({"dry_run":1})").status, 422);
    QCOMPARE(api.post("/compute/gc", R"({"all":true})").status, 422);
    QCOMPARE(api.post("/compute/gc?dry_run=1").status, 400);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    SettingsRouteTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_settings.moc"
