// Machines by their addresses: two whole engines, one of which links to the other and has it work.
#include "core/base/files.h"
#include "core/engine/guests/guests.h"
#include "core/engine/machines/machines.h"
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "core/tls/server_tls.h"
#include "tests/http/api_test.h"

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <string>
#include <utility>

using namespace yard;
using namespace yard::http;

namespace {

/// An engine that others may come to, served.
struct Machine {
    explicit Machine(bool takesYards = true, std::shared_ptr<tls::ServerTls> tls = {})
        : engine(2, [takesYards](engine::Options& options) {
            options.takesYards = takesYards;
            options.set = {"guest_unsandboxed=on"};
            options.name = "attic";
        }) {
        ApiOptions options;
        options.tls = tls;
        api = std::make_unique<Api>(*engine, options);
        scheme = tls ? "https" : "http";
        auto started = Server::start({"127.0.0.1", 0}, *api, {}, std::move(tls));
        if (!started) qFatal("no server: %s", started.error().message.c_str());
        server = std::move(*started);
    }
    ~Machine() { server->stop(); }
    /// What the server has open is ended; once meanwhile() is done it serves again, at the same address.
    void away(const std::function<void()>& meanwhile) {
        const ListenAddress address{"127.0.0.1", server->port()};
        server->stop();
        meanwhile();
        auto started = Server::start(address, *api);
        if (!started) qFatal("no server: %s", started.error().message.c_str());
        server = std::move(*started);
    }
    std::string url() const { return fmt::format("{}://127.0.0.1:{}", scheme, server->port()); }
    engine::GuestsView guests() { return engine.run(engine->ask(&engine::Guests::list)); }

    test::EngineTest engine;
    std::unique_ptr<Api> api;
    std::unique_ptr<Server> server;
    std::string scheme;
};

struct Yard {
    Reply add(const std::string& url, const std::string& token, const std::string& more = {}) {
        return api.call("POST", "/compute/machines",
                        fmt::format(R"({{"address":"{}","token":"{}"{}}})", url, token, more));
    }
    std::string stateOf(std::int64_t id) { return api.get(fmt::format("/compute/machines/{}", id)).text("state"); }
    bool becomes(std::int64_t id, const std::string& state) {
        return test::EngineTest::eventually([&] { return stateOf(id) == state; });
    }
    ApiTest api;
};

} // namespace

class DialledMachinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneThatIsAddedWorks() {
        Machine machine;
        Yard yard;
        const Reply added = yard.add(machine.url(), machine.engine->token(), R"(,"name":"loft","max_cores":1)");
        QVERIFY2(added.status == 200, added.body.c_str());
        QCOMPARE(added.text("kind"), "linked");
        QCOMPARE(added.text("name"), "loft");
        QCOMPARE(added.text("address"), machine.url());
        const Lsn lsn =
            yard.api.engine.submit(R"({"worker":"exec","argv":["/bin/echo","there"],"machine":"loft"})");
        const ActionResult result = yard.api.engine.wait(lsn);
        QCOMPARE(test::ending(result), "completed");
        QCOMPARE(result.outcome->machine, "loft");
        QCOMPARE(yard.api.engine.text(result.outcome->out), "there\n");
        QCOMPARE(machine.guests().yards.size(), std::size_t{1});
        QCOMPARE(machine.guests().yards[0].state, "linked");
    }

    void nobodyComesInItsPlaceByAKey() {
        Machine machine;
        Yard yard;
        const Reply added = yard.add(machine.url(), machine.engine->token());
        QVERIFY2(added.status == 200, added.body.c_str());
        const auto machines = yard.api.engine.run(yard.api.engine->ask(&engine::Machines::list));
        QCOMPARE(machines.size(), std::size_t{2});
        QVERIFY(!machines[1].key.empty());
        QVERIFY(!Hash256::fromHex(machines[1].key)); // as GET link knows those that come
    }

    void itIsLinkedAgainAfterAStartOfTheYard() {
        Machine machine;
        Yard yard;
        const Reply added = yard.add(machine.url(), machine.engine->token());
        QVERIFY2(added.status == 200, added.body.c_str());
        QCOMPARE(added.text("name"), "attic");
        yard.api.engine.stop();
        yard.api.engine.start();
        const auto isReady = [&] {
            const auto machines = yard.api.engine.run(yard.api.engine->ask(&engine::Machines::list));
            return machines.size() == 2 && machines[1].name == "attic" && link::name(machines[1].state) == "ready";
        };
        QVERIFY(test::EngineTest::eventually(isReady));
        QCOMPARE(machine.guests().yards.size(), std::size_t{1}); // it is the same one
    }

    void aYardOfABackupHasItAsTheMachineThatItWas() {
        Machine machine;
        Yard yard;
        const Reply added = yard.add(machine.url(), machine.engine->token(), R"(,"name":"loft","max_cores":1)");
        QVERIFY2(added.status == 200, added.body.c_str());
        const auto list = [&] { return yard.api.engine.run(yard.api.engine->ask(&engine::Machines::list)); };
        const std::string key = list().at(1).key;
        yard.api.engine.stop();
        // As a restored directory has none.
        QVERIFY(std::filesystem::remove(yard.api.engine.path("data/engine_id")));
        yard.api.engine.start();
        const auto isReady = [&] {
            const auto machines = list();
            return std::ranges::any_of(machines, [](const auto& one) {
                return one.kind == "linked" && one.state == link::MachineState::Ready;
            });
        };
        QVERIFY(test::EngineTest::eventually(isReady));
        const auto machines = list();
        QCOMPARE(machines.size(), std::size_t{2});
        QCOMPARE(machines[1].name, "loft");
        QCOMPARE(machines[1].key, key);
        QCOMPARE(machines[1].mostMilliCores, std::int64_t{1'000});

        // Given again it is the same one, and so its name is nobody else's.
        engine::DialWanted wanted{.target = {.url = machine.url(), .fingerprint = {}, .token = {}}, .name = "loft"};
        wanted.target.token = machine.engine->token();
        const auto again = yard.api.engine.run(yard.api.engine->ask(&engine::Machines::dial, wanted));
        if (!again) QCOMPARE(again.error().kind, ErrorKind::Invalid); // it is linked
        QCOMPARE(list().size(), std::size_t{2});
    }

    void whatRunsThereIsTakenOverByTheNextStartOfTheYard() {
        Machine machine;
        Yard yard{ApiTest([](engine::Options& options) { options.set = {"lease_s=600"}; })};
        const Reply added = yard.add(machine.url(), machine.engine->token());
        QVERIFY2(added.status == 200, added.body.c_str());
        const std::int64_t id = added.number("id");
        const std::string go = yard.api.engine.path("go");
        const Lsn lsn = yard.api.engine.submit(fmt::format(
            R"({{"worker":"exec","argv":["/bin/sh","-c","until [ -e {} ]; do sleep 0.05; done"],"machine":"attic"}})",
            go));
        const auto runs = [&] {
            const auto yards = machine.guests().yards;
            return yards.size() == 1 && yards[0].state == "linked" && yards[0].runs.size() == 1 &&
                   yards[0].runs[0].isRunning;
        };
        QVERIFY(test::EngineTest::eventually(runs));
        bool wasCut = false;
        machine.away([&] {
            wasCut = yard.becomes(id, "silent"); // and so the yard leaves there what runs there
            yard.api.engine.stop();
        });
        QVERIFY(wasCut);
        yard.api.engine.start();
        QVERIFY(test::EngineTest::eventually(runs));
        QVERIFY(QFile(QString::fromStdString(go)).open(QIODevice::WriteOnly));
        const ActionResult result = yard.api.engine.wait(lsn);
        QCOMPARE(test::ending(result), "completed");
        QCOMPARE(result.outcome->machine, "attic");
        QCOMPARE(result.attempts.size(), std::size_t{1});
    }

    void oneThatIsRemovedIsLeftAlone() {
        Machine machine;
        Yard yard;
        const Reply added = yard.add(machine.url(), machine.engine->token());
        QVERIFY2(added.status == 200, added.body.c_str());
        const std::int64_t id = added.number("id");
        QCOMPARE(yard.api.call("DELETE", fmt::format("/compute/machines/{}", id)).status, 200);
        QVERIFY(test::EngineTest::eventually([&] { return machine.guests().yards[0].state != "linked"; }));
        QCOMPARE(yard.api.get(fmt::format("/compute/machines/{}", id)).status, 404);
        const Reply again = yard.add(machine.url(), machine.engine->token());
        QVERIFY2(again.status == 200, again.body.c_str());
    }

    void oneThatHasNoLinkIsSentAwayAtOnce() {
        Machine machine;
        Yard yard;
        const Reply added = yard.add(machine.url(), machine.engine->token());
        QVERIFY2(added.status == 200, added.body.c_str());
        QCOMPARE(yard.api.call("DELETE", fmt::format("/compute/machines/{}", added.number("id"))).status, 200);
        QVERIFY(test::EngineTest::eventually([&] { return machine.guests().yards[0].state == "waiting"; }));
        QVERIFY(machine.engine.run(machine.engine->ask(&engine::Guests::sendAway, std::int64_t{1})));
        QCOMPARE(machine.guests().yards[0].state, "gone");
    }

    void whyNotIsSaid() {
        Machine machine;
        Machine closed(false);
        Yard yard;
        const Reply token = yard.add(machine.url(), std::string(48, 'a'));
        QCOMPARE(token.status, 422);
        const Reply serve = yard.add(closed.url(), closed.engine->token());
        QCOMPARE(serve.status, 422);
        QVERIFY2(serve.text("message").contains("--serve on"), serve.body.c_str());
        const Reply plain = yard.add("http://desk.example", "x"); // to another machine
        QCOMPARE(plain.status, 422);
        QVERIFY2(plain.text("message").ends_with("Use https://."), plain.body.c_str());
        QCOMPARE(yard.add(machine.url(), "").status, 422);
        QCOMPARE(yard.add(machine.url(), "x", R"(,"fingerprint":"ab")").status, 422);
        const std::string own = yard.api.get("/compute/machines/0").text("name");
        QCOMPARE(yard.add(machine.url(), machine.engine->token(), fmt::format(R"(,"name":"{}")", own)).status, 409);
        QCOMPARE(yard.add(machine.url(), machine.engine->token(), R"(,"name":"any")").status, 422);
        QCOMPARE(yard.api.get("/compute/machines").json().at("machines").as_array().size(), std::size_t{1});
    }

    void bySshTheKeysDecideAndItsWordsAreSaid() {
        const QTemporaryDir directory;
        const std::string ssh = (directory.path() + "/ssh").toStdString();
        QVERIFY(writeFileAtomically(ssh, "#!/bin/sh\necho 'Host key verification failed.' >&2\nexit 255\n", 0700));
        Yard yard{ApiTest([&](engine::Options& options) { options.sshProgram = ssh; })};
        const auto add = [&](const std::string& members) {
            return yard.api.call("POST", "/compute/machines", fmt::format(R"({{"address":{}}})", members));
        };
        const Reply unknown = add("\"ssh://me@attic:2222\"");
        QCOMPARE(unknown.status, 422);
        QVERIFY2(unknown.text("message").contains("type 'ssh -p 2222 me@attic' once"), unknown.body.c_str());
        QCOMPARE(add("\"ssh://me@attic\",\"token\":\"x\"").status, 422);
        QCOMPARE(add(fmt::format("\"ssh://me@attic\",\"fingerprint\":\"{}\"", std::string(64, '0'))).status, 422);
        QCOMPARE(add("\"https://attic\",\"token\":\"x\",\"install\":true").status, 422);
        QCOMPARE(add("\"ssh://-oProxyCommand=x\"").status, 422);
        QCOMPARE(add("\"ssh://me@attic\",\"install\":1").status, 422);
        QCOMPARE(yard.api.get("/compute/machines").json().at("machines").as_array().size(), std::size_t{1});
    }

    void oneEngineIsOneMachineHoweverItIsWritten() {
        Machine machine;
        Yard yard;
        const Reply added = yard.add(machine.url() + "/compute/", machine.engine->token());
        QVERIFY2(added.status == 200, added.body.c_str());
        QCOMPARE(added.text("address"), machine.url());
        QCOMPARE(yard.add(machine.url(), machine.engine->token()).status, 422); // it is linked
        QCOMPARE(yard.api.get("/compute/machines").json().at("machines").as_array().size(), std::size_t{2});
        QCOMPARE(machine.guests().yards.size(), std::size_t{1});
    }

    void anEngineIsNoMachineOfItsOwn() {
        Machine machine;
        engine::DialWanted wanted{.target = {.url = machine.url(), .fingerprint = {}, .token = {}}};
        wanted.target.token = machine.engine->token();
        const auto dialled = machine.engine.run(machine.engine->ask(&engine::Machines::dial, wanted));
        QVERIFY(!dialled);
        QCOMPARE(dialled.error().message,
                 "The engine would be a machine of its own: give it the address of another engine.");
        QCOMPARE(machine.engine.run(machine.engine->ask(&engine::Machines::list)).size(), std::size_t{1});
    }

    void aFingerprintThatNobodyVouchesForIsTold() {
        const QTemporaryDir directory;
        const auto tls = *tls::ServerTls::own((directory.path() + "/tls").toStdString());
        Machine machine(true, tls);
        Yard yard;
        const Reply asked = yard.add(machine.url(), machine.engine->token());
        QCOMPARE(asked.status, 409);
        QCOMPARE(asked.text("error"), "fingerprint");
        QCOMPARE(asked.text("fingerprint"), tls->fingerprint());
        const Reply wrong = yard.add(machine.url(), machine.engine->token(),
                                     fmt::format(R"(,"fingerprint":"{}")", std::string(64, '0')));
        QCOMPARE(wrong.status, 422);
        const Reply added = yard.add(machine.url(), machine.engine->token(),
                                     fmt::format(R"(,"fingerprint":"{}")", tls->fingerprint()));
        QVERIFY2(added.status == 200, added.body.c_str());
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    std::signal(SIGPIPE, SIG_IGN); // as the program does
    const QCoreApplication application(argc, argv);
    DialledMachinesTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_dialled_machines.moc"
