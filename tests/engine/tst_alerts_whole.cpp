// Alerts of a whole engine: a command that an alert runs, a webhook, and what is left of both after a start.
#include "core/engine/alerts/alerts.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"
#include "tests/engine/hook_server.h"

#include <QTest>

#include <atomic>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

using namespace yard;
using namespace yard::engine;
using yard::engine::test::HookServer;

class TestEngineAlertsWhole : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCommandGetsTheMessageAndItsFile();
    void aCommandThatFailsIsToldAndSetsNothingOff();
    void aWebhookHearsOfItAfterAStart();
    void theQueueIsMadeWhenACommandRuns();

private:
    static std::string read(const std::string& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void failOne(yard::test::EngineTest& engine) {
        runOne(engine, R"({"worker":"exec","argv":["false"],"max_retries":0})");
    }
    static void runOne(yard::test::EngineTest& engine, const std::string& action) {
        Submission submission;
        submission.actions = parseActions(action)->actions;
        const auto answer = engine.run(engine->ask(&Intake::submit, std::move(submission), Duration(20'000'000)));
        QVERIFY(answer);
    }
    static std::string rule(const std::string& then) {
        return fmt::format(
            R"({{"name":"failed","on":{{"kind":"action_finished","filter":"state:failed"}},"quiet_s":0,"then":[{}]}})",
            then);
    }
    static std::size_t queues(yard::test::EngineTest& engine) {
        return engine.run(engine->ask(&Queues::list)).size();
    }
};

void TestEngineAlertsWhole::aCommandGetsTheMessageAndItsFile() {
    yard::test::EngineTest engine;
    const std::string out = engine.path("told");
    QVERIFY(engine.run(engine->ask(
        &Alerts::create,
        rule(fmt::format(
            R"({{"command":["sh","-c","cat $YARD_ALERT >{0}.new; echo $1 >>{0}.new; mv {0}.new {0}","sh"]}})",
            out)))));
    failOne(engine);
    QTRY_VERIFY_WITH_TIMEOUT(!read(out).empty(), kWaitMs);
    const std::string told = read(out);
    QVERIFY2(told.starts_with(R"({"rule":"failed","severity":"warning","state":"firing")"), told.c_str());
    QVERIFY2(told.ends_with("}Action 1 (false) failed: its exit code was not 0.\n") ||
                 told.ends_with("}Action 1 (exec) failed: its exit code was not 0.\n"),
             told.c_str());
    const auto isDone = [&] {
        const auto view = engine.run(engine->ask(&Alerts::get, "failed"));
        return view && view->last && view->last->isDone &&
               view->last->text.find("ran the command") != std::string::npos;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isDone(), kWaitMs);
}

void TestEngineAlertsWhole::aCommandThatFailsIsToldAndSetsNothingOff() {
    yard::test::EngineTest engine;
    QVERIFY(engine.run(engine->ask(&Alerts::create, rule(R"({"command":["/nowhere/at/all"]})"))));
    failOne(engine);
    const auto text = [&] {
        const auto view = engine.run(engine->ask(&Alerts::get, "failed"));
        return view && view->last ? view->last->text : std::string();
    };
    QTRY_VERIFY_WITH_TIMEOUT(text().find("and failed: it could not be started.") != std::string::npos, kWaitMs);
    // What ends later is told later: by then the end of the command would have been told.
    QVERIFY(engine.run(
        engine->ask(&Alerts::create,
                    R"({"name":"later","on":{"kind":"action_finished","filter":"label:later"},"quiet_s":0})")));
    runOne(engine, R"({"worker":"exec","argv":["true"],"label":"later"})");
    const auto messages = [&](const char* name) {
        return engine.run(engine->ask(&Alerts::get, name))->messages.size();
    };
    QTRY_COMPARE_WITH_TIMEOUT(messages("later"), std::size_t(1), kWaitMs);
    QCOMPARE(messages("failed"), std::size_t(1));
}

void TestEngineAlertsWhole::aWebhookHearsOfItAfterAStart() {
    std::atomic<bool> isUp = false;
    // It does not answer: the try ends with the engine, and the next one comes with another engine.
    HookServer server(
        [&](const std::string&) { return isUp ? std::optional(HookServer::status(200)) : std::nullopt; });
    yard::test::EngineTest engine;
    QVERIFY(engine.run(engine->ask(&Alerts::create, rule(fmt::format(R"({{"webhook":"{}"}})", server.url())))));
    failOne(engine);
    QTRY_VERIFY_WITH_TIMEOUT(!server.requests().empty(), kWaitMs);
    const auto waits = [&] {
        const auto view = engine.run(engine->ask(&Alerts::get, "failed"));
        return view && view->waiting == 1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(waits(), kWaitMs);
    engine.stop();
    isUp = true;
    const std::size_t before = server.requests().size();
    engine.start();
    QTRY_VERIFY_WITH_TIMEOUT(server.requests().size() > before, kWaitMs);
    QVERIFY(server.requests().back().find(R"("rule":"failed")") != std::string::npos);
}

void TestEngineAlertsWhole::theQueueIsMadeWhenACommandRuns() {
    yard::test::EngineTest engine;
    const auto rules = [&] { return engine.run(engine->ask(&Alerts::list)).rules.size(); };
    QTRY_COMPARE_WITH_TIMEOUT(rules(), std::size_t(6), kWaitMs);
    failOne(engine);
    QCOMPARE(queues(engine), std::size_t(1));
    QVERIFY(engine.run(engine->ask(&Alerts::create, rule(R"({"command":["true"]})"))));
    failOne(engine);
    QTRY_COMPARE_WITH_TIMEOUT(queues(engine), std::size_t(2), kWaitMs);
}

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    TestEngineAlertsWhole test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_alerts_whole.moc"
