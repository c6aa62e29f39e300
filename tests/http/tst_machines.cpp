// Routes of machines: what a list says of each, and what may be done with which.
#include "core/engine/commands/rescheduling.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/http/machine_beside.h"

#include <QCoreApplication>
#include <QTest>

#include <fmt/format.h>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

using namespace yard;
using namespace yard::http;
using engine::Machines;

namespace {

/// An engine with one machine beside it, number 1.
struct Served {
    explicit Served(std::function<void(engine::Options&)> adjust = {})
        : api(std::move(adjust)) {
        link::Hello hello = helloOfDesk();
        hello.tags = {"render"};
        const auto came = machineComes(api.engine, hello, {.token = {}, .peer = "10.0.0.2"});
        if (!came) qFatal("no machine");
        line = *came;
    }
    void say(link::Kind kind, const std::string& body = {}) {
        if (!machineSays(api.engine, line, kind, body)) qFatal("no machine");
    }
    /// What this request says of its state, however long it takes: one that says nothing for a while is silent.
    std::string state(std::string_view method, std::string_view more = {}, const std::string& body = {}) {
        std::string state;
        const auto isHeard = [&] {
            say(link::Kind::Renew);
            state = api.call(method, fmt::format("/compute/machines/1{}", more), body).text("state");
            return state != "silent";
        };
        return test::EngineTest::eventually(isHeard) ? state : "always silent";
    }
    ApiTest api;
    engine::LineId line = 0;
};

} // namespace

class MachinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aListHasThisMachineFirst() {
        Served served;
        const Reply reply = served.api.get("/compute/machines");
        QCOMPARE(reply.status, 200);
        const boost::json::array machines = reply.json().at("machines").as_array();
        QCOMPARE(machines.size(), std::size_t{2});
        QCOMPARE(machines[0].at("kind").as_string(), "local");
        const boost::json::object session = served.api.get("/compute/session").json();
        QCOMPARE(machines[0].at("slots").as_int64(), session.at("slots").at("one_core").as_int64());
        QCOMPARE(machines[0].at("cores").to_number<double>(),
                 session.at("machine").at("cores").to_number<double>());
        QCOMPARE(machines[0].at("version"), session.at("version"));
        const boost::json::object& desk = machines[1].as_object();
        QCOMPARE(desk.at("id").as_int64(), 1);
        QCOMPARE(desk.at("name").as_string(), "desk");
        QCOMPARE(desk.at("kind").as_string(), "joined");
        QVERIFY(desk.contains("state"));
        QCOMPARE(served.state("GET"), "ready");
        QCOMPARE(desk.at("address").as_string(), "10.0.0.2");
        QCOMPARE(desk.at("cores").as_double(), 1.5);
        QCOMPARE(desk.at("memory_bytes").as_int64(), 64 << 20);
        QCOMPARE(desk.at("tags").as_array().size(), std::size_t{1});
    }

    void oneIsDrainedPausedAndResumed() {
        Served served;
        QCOMPARE(served.state("POST", "/drain"), "draining");
        QCOMPARE(served.state("PATCH", "", R"({"paused":true})"), "paused");
        QCOMPARE(served.state("GET"), "paused");
        QCOMPARE(served.state("PATCH", "", R"({"paused":false})"), "ready");
        QCOMPARE(served.state("POST", "/drain"), "draining");
        QCOMPARE(served.state("POST", "/resume"), "ready");
    }

    void oneIsCalledOtherwiseAndGetsLess() {
        Served served;
        const Reply changed =
            served.api.call("PATCH", "/compute/machines/1", R"({"name":"table","max_cores":1,"max_memory_mb":32})");
        QCOMPARE(changed.status, 200);
        QCOMPARE(changed.text("name"), "table");
        QCOMPARE(changed.json().at("max_cores").to_number<double>(), 1.0);
        QCOMPARE(changed.number("max_memory_mb"), 32);
        QCOMPARE(changed.json().at("cores").to_number<double>(), 1.5); // what it gives
        served.api.engine.stop();
        served.api.engine.start();
        const auto machines = served.api.engine.run(served.api.engine->ask(&Machines::list));
        QCOMPARE(machines.at(1).name, "table");
        QCOMPARE(machines.at(1).mostMilliCores, std::int64_t{1'000});
    }

    void allocatorsAreMadeChangedPausedAndRemoved() {
        ApiTest api;
        constexpr std::string_view kAll = "/compute/allocators";
        QVERIFY(api.get(kAll).json().at("allocators").as_array().empty());
        const Reply made = api.post(kAll, R"({"name":"night","partition":"long","cores":16,"max":8})");
        QVERIFY2(made.status == 200, made.body.c_str());
        QCOMPARE(made.text("kind"), std::string("slurm"));
        QCOMPARE(made.text("state"), std::string("active"));
        QCOMPARE(made.number("walltime_s"), 3'600);
        QVERIFY2(made.text("decision").contains("before this engine serves"), made.body.c_str());
        QCOMPARE(api.post(kAll, R"({"name":"night"})").status, 409);
        const Reply wrong = api.post(kAll, R"({"name":"day","min":3})");
        QCOMPARE(wrong.status, 422);
        QCOMPARE(wrong.text("field"), std::string("min"));
        const Reply changed = api.call("PATCH", "/compute/allocators/night", R"({"max":20,"keep":true})");
        QCOMPARE(changed.number("max"), 20);
        QCOMPARE(changed.text("partition"), std::string("long"));
        QCOMPARE(api.call("PATCH", "/compute/allocators/night", R"({"name":"day"})").status, 422);
        QCOMPARE(api.call("PATCH", "/compute/allocators/night", R"({"kind":"command"})").status, 422);
        QCOMPARE(api.post("/compute/allocators/night/pause").text("state"), std::string("paused"));
        QCOMPARE(api.post("/compute/allocators/night/resume").text("state"), std::string("active"));
        QCOMPARE(api.get("/compute/allocators/day").status, 404);
        QCOMPARE(api.call("DELETE", "/compute/allocators/night", "").status, 200);
        QVERIFY(
            test::EngineTest::eventually([&] { return api.get(kAll).json().at("allocators").as_array().empty(); }));
    }

    void outsideItsHoursAMachineDrainsAndSaysSo() {
        Served served;
        const auto hours = [&](std::string_view rules) {
            return served.api.call("PATCH", "/compute/machines/1", fmt::format(R"({{"hours":"{}"}})", rules));
        };
        // One minute of a day that is not today, by whichever clock.
        const auto today = (wallNow() / 86'400'000'000 + 3) % 7;
        constexpr const char* kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
        const std::string closed = fmt::format("{} 00:00-00:01", kDays[(today + 3) % 7]);
        QCOMPARE(hours(closed).text("hours"), closed);
        QCOMPARE(served.state("GET"), "draining");
        const Reply shown = served.api.get("/compute/machines/1");
        QVERIFY2(shown.text("reason").contains("outside its hours"), shown.body.c_str());
        const Reply wrong = hours("mon-fri at night");
        QCOMPARE(wrong.status, 422);
        QCOMPARE(wrong.text("field"), "hours");
        served.api.engine.stop();
        served.api.engine.start();
        QCOMPARE(served.api.engine.run(served.api.engine->ask(&Machines::list)).at(1).hours, closed);
    }

    void withoutHoursAMachineGetsWorkAgain() {
        Served served;
        const std::string path = "/compute/machines/1";
        QCOMPARE(served.api.call("PATCH", path, R"({"hours":"00:00-24:00"})").status, 200);
        QCOMPARE(served.state("GET"), "ready");
        const Reply none = served.api.call("PATCH", path, R"({"hours":""})");
        QVERIFY2(none.status == 200 && !none.body.contains("hours"), none.body.c_str());
        QCOMPARE(served.state("GET"), "ready");
    }

    void aNameIsOneMachines() {
        Served served;
        const auto named = [&](const std::string& name) {
            return served.api.call("PATCH", "/compute/machines/1", fmt::format(R"({{"name":"{}"}})", name)).status;
        };
        const std::string own = served.api.get("/compute/machines/0").text("name");
        QCOMPARE(named(own), 409);
        QCOMPARE(named("any"), 422);
        QCOMPARE(named("desk"), 200);
        QCOMPARE(served.api.call("PATCH", "/compute/machines/1", R"({"max_cores":0})").status, 200);
        QCOMPARE(served.api.call("PATCH", "/compute/machines/0", R"({"max_cores":1})").status, 409);
    }

    void oneIsRemoved() {
        Served served;
        const Reply removed = served.api.call("DELETE", "/compute/machines/1");
        QCOMPARE(removed.status, 200);
        QCOMPARE(removed.number("id"), 1);
        QCOMPARE(served.api.get("/compute/machines/1").status, 404);
    }

    void whatWasAbandonedIsNotRunAgainWhileAMachineMayRunIt() {
        Served served([](engine::Options& options) { options.set = {"lease_s=600"}; });
        test::EngineTest& engine = served.api.engine;
        const Lsn lsn = engine.submit(R"({"worker":"exec","argv":["true"],"machine":"desk"})");
        const std::string updates =
            link::put(link::Updates{{.id = {.lsn = lsn.value}, .kind = link::UpdateKind::Running, .number = 1}});
        const auto runs = [&] {
            served.say(link::Kind::Renew);
            served.say(link::Kind::Updates, updates);
            return served.api.get(fmt::format("/compute/jobs/{}", lsn.value)).text("state") == "running";
        };
        QVERIFY(test::EngineTest::eventually(runs));
        QCOMPARE(served.api.post("/compute/abandon").status, 200);
        engine.stop();
        engine.start();
        const auto again = engine.run(engine->ask(&engine::Rescheduling::reschedule, lsn, true));
        QVERIFY(!again);
        QVERIFY2(again.error().message.contains("may still run on desk for"), again.error().message.c_str());
    }

    void whatCannotBeDoneSaysWhy() {
        ApiTest api;
        QCOMPARE(api.get("/compute/machines/0").status, 200);
        QCOMPARE(api.post("/compute/machines/0/drain").status, 409);
        QCOMPARE(api.call("DELETE", "/compute/machines/0", R"({"force":true})").status, 409);
        QCOMPARE(api.get("/compute/machines/7").status, 404);
        QCOMPARE(api.get("/compute/machines/desk").status, 404);
        QCOMPARE(api.post("/compute/machines/4294967295/resume").status, 404);
        QCOMPARE(api.call("PATCH", "/compute/machines/7", R"({"paused":true})").status, 404);
        QCOMPARE(api.call("PATCH", "/compute/machines/7", "{}").status, 422);
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    MachinesTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_machines.moc"
