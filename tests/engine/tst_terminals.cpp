// Actions with a terminal in the engine: how many at once, what is typed before they read, restarts.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/terminal.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QCoreApplication>
#include <QTest>

#include <fstream>
#include <sys/stat.h>

using namespace yard;
using namespace yard::test;

namespace {

constexpr const char* kTty = R"(,"max_retries":0,"tty":{"rows":33,"cols":101})";

bool exists(const std::string& path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0;
}

} // namespace

class TestEngineTerminals : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void moreThanThereAreWaitForOne();
    void whereThereAreNoneItIsRefused();
    void whatWaitsHasItAfterARestart();
    void whatIsTypedWaitsForItsReader();
    void aProgramThatNeverReadsIsBounded();
    void nobodyAtATerminalHangs();
};

void TestEngineTerminals::moreThanThereAreWaitForOne() {
    EngineTest engine(4, [](engine::Options& options) { options.set = {"max_terminals=2"}; });
    std::vector<Lsn> lsns;
    for (int i = 0; i < 3; ++i) lsns.push_back(engine.sh(fmt::format("touch at{}; read x; exit 3", i), kTty));
    QVERIFY(EngineTest::eventually([&] { return exists(engine.path("at0")) && exists(engine.path("at1")); }));
    // Others do not want one.
    QCOMPARE(ending(engine.wait(engine.sh("true"))), "completed");
    const auto why = engine.run(engine->ask(&engine::Reasons::why, lsns[2]));
    QVERIFY(why);
    QCOMPARE(why->waits.size(), std::size_t{1});
    QVERIFY(why->waits.front().kind == WaitKind::Capacity);
    QCOMPARE(why->waits.front().resource, "terminals");
    QCOMPARE(why->waits.front().message, "0 of 2 terminals free, first of its queue");
    QVERIFY(!exists(engine.path("at2")));
    for (const Lsn lsn : lsns) {
        QVERIFY(EngineTest::eventually(
            [&] { return engine.run(engine->ask(&engine::ActionDetails::typeInto, lsn, "\n")).has_value(); }));
        QCOMPARE(ending(engine.wait(lsn)), "failed exit_code 3");
    }
    QVERIFY(exists(engine.path("at2")));
}

void TestEngineTerminals::whereThereAreNoneItIsRefused() {
    EngineTest engine(1, [](engine::Options& options) { options.set = {"max_terminals=0"}; });
    const auto refused = engine.trySubmit(engine.shJson("true", kTty));
    QVERIFY(!refused);
    QCOMPARE(refused.error().field, "resources.terminals");
    QCOMPARE(refused.error().message,
             "It asks for a terminal, and this engine has 0: it would never start. Ask for less, or start the "
             "engine with more (--set max_terminals=…).");
}

void TestEngineTerminals::whatWaitsHasItAfterARestart() {
    EngineTest engine;
    const Lsn lsn = engine.sh("stty size", std::string(kTty) + R"(,"hold":true)");
    engine.stop();
    engine.start();
    QVERIFY(engine.run(engine->ask(&engine::Operations::release, lsn)));
    const ActionResult result = engine.wait(lsn);
    QCOMPARE(ending(result), "completed");
    QCOMPARE(engine.text(result.outcome->out), "33 101\r\n");
    QVERIFY(!result.tty); // it has ended
}

void TestEngineTerminals::whatIsTypedWaitsForItsReader() {
    EngineTest engine;
    const std::string most(engine::kMostKeys, 'k');
    const Lsn lsn = engine.sh("stty raw -echo; touch ready; until [ -e go ]; do sleep 0.02; done; head -c 200000 | "
                              "tr -d k | wc -c",
                              kTty);
    QVERIFY(EngineTest::eventually([&] { return exists(engine.path("ready")); }));
    for (int i = 0; i < 3; ++i) QVERIFY(engine.run(engine->ask(&engine::ActionDetails::typeInto, lsn, most)));
    QVERIFY(engine.run(
        engine->ask(&engine::ActionDetails::typeInto, lsn, std::string(200'000 - 3 * most.size(), 'k'))));
    std::ofstream(engine.path("go")) << "x";
    const ActionResult result = engine.wait(lsn);
    QCOMPARE(ending(result), "completed");
    QCOMPARE(engine.text(result.outcome->out), "0\n"); // it has read all, and nothing else
}

void TestEngineTerminals::aProgramThatNeverReadsIsBounded() {
    EngineTest engine;
    const Lsn lsn = engine.sh("stty raw -echo; touch ready; exec sleep 1000", kTty);
    QVERIFY(EngineTest::eventually([&] { return exists(engine.path("ready")); }));
    const std::string most(engine::kMostKeys, 'k');
    std::size_t taken = 0;
    Result<void> typed;
    while ((typed = engine.run(engine->ask(&engine::ActionDetails::typeInto, lsn, most)))) taken += most.size();
    QVERIFY(typed.error().kind == ErrorKind::Busy);
    QVERIFY2(taken >= engine::Terminal::kMostUnread && taken <= 2 * engine::Terminal::kMostUnread,
             std::to_string(taken).c_str());
    QVERIFY(engine.run(engine->ask(&engine::ActionDetails::resizeTerminal, lsn, {.rows = 5, .cols = 6})));
    // It types before the engine has heard that it runs.
    QVERIFY(EngineTest::eventually([&] {
        const auto row = engine.run(engine->ask(&engine::ActionRows::action, lsn));
        return row && row->tty && row->tty->cols == 6;
    }));
    QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)));
    QCOMPARE(ending(engine.wait(lsn)), "cancelled cancelled");
    QVERIFY(engine.run(engine->ask(&engine::ActionDetails::typeInto, lsn, "k")).error().kind ==
            ErrorKind::WrongState);
}

void TestEngineTerminals::nobodyAtATerminalHangs() {
    EngineTest engine(3, [](engine::Options& options) { options.set = {"hung_s=0.3"}; });
    const Lsn sits = engine.sh("read x", kTty);
    const Lsn hangs = engine.sh("exec sleep 1000");
    QVERIFY(EngineTest::eventually(
        [&] { return engine.run(engine->ask(&engine::ActionRows::action, hangs))->hungSince != 0; }));
    QVERIFY(engine.run(engine->ask(&engine::ActionRows::action, sits))->hungSince == 0);
    QVERIFY(engine.run(engine->ask(&engine::ActionDetails::typeInto, sits, "\n")));
    QCOMPARE(ending(engine.wait(sits)), "completed");
}

int main(int argc, char** argv) {
    if (const auto code = runners::runLauncherIfAsked(argc, argv)) return *code;
    QCoreApplication app(argc, argv);
    TestEngineTerminals test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_terminals.moc"
