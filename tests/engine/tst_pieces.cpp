// Resources whose pieces are told apart, in a real engine: what a program is told it has, what people see of it.
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/reasons.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>

#include <fstream>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

void givePorts(Options& options) {
    options.set = {"resources.port=5000-5003", "resources.display=:1,:2", "resources.gpus=2"};
}

std::string asking(const std::string& amounts) {
    return fmt::format(R"(,"resources":{{{}}})", amounts);
}

std::string firstWait(EngineTest& engine, Lsn lsn) {
    const auto why = engine.run(engine->ask(&Reasons::why, lsn));
    return why && !why->waits.empty() ? why->waits.front().message : "";
}

const std::string kBusy = "while [ ! -e go ]; do sleep 0.02; done";

} // namespace

class PiecesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aProgramIsToldWhichPiecesItHas() {
        EngineTest engine(2, givePorts);
        const Lsn lsn = engine.sh(R"(printf '%s' $YARD_RESOURCE_PORT/$YARD_RESOURCE_DISPLAY/$YARD_RESOURCE_GPUS)",
                                  asking(R"("port":2,"display":1,"gpus":0.5)"));
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(engine.text(result.outcome->out), "5000,5001/:1/0");
        QCOMPARE(listed(result.outcome->given), "display :1 gpus 0 port 5000,5001");
        QVERIFY(
            toJson(result).contains(R"("resources_given":{"display":[":1"],"gpus":["0"],"port":["5000","5001"]})"));
        // So says the journal.
        engine.stop();
        engine.start();
        const auto kept = engine.run(engine->ask(&ActionRows::action, lsn));
        QCOMPARE(listed(kept->outcome->given), "display :1 gpus 0 port 5000,5001");
        QCOMPARE(listed(kept->attempts.back().outcome.given), "display :1 gpus 0 port 5000,5001");
    }

    void aVariableThatTheActionBroughtAlongGivesWay() {
        EngineTest engine(2, givePorts);
        const ActionResult result = engine.wait(engine.sh(
            "printf '%s' $YARD_RESOURCE_PORT", asking(R"("port":1)") + R"(,"env":{"YARD_RESOURCE_PORT":"mine"})"));
        QCOMPARE(engine.text(result.outcome->out), "5000");
    }

    void whatAsksForNoneIsToldOfNone() {
        EngineTest engine(2, givePorts);
        const ActionResult result = engine.wait(engine.sh("printf '%s' ${YARD_RESOURCE_PORT-none}"));
        QCOMPARE(engine.text(result.outcome->out), "none");
        QVERIFY(result.outcome->given.empty() && !toJson(result).contains("resources_given"));
    }

    void whileItRunsItsRowSaysWhatItHasAndWhatWaitsSaysHowManyFit() {
        EngineTest engine(4, givePorts);
        const Lsn runs = engine.sh(kBusy, asking(R"("port":3,"gpus":0.75)"));
        QVERIFY(EngineTest::eventually([&] {
            const auto row = engine.run(engine->ask(&ActionRows::action, runs));
            return row->state == ActionState::Running && row->outcome && !row->outcome->given.empty();
        }));
        const auto row = engine.run(engine->ask(&ActionRows::action, runs));
        QCOMPARE(listed(row->outcome->given), "gpus 0 port 5000,5001,5002");
        const Lsn two = engine.sh("true", asking(R"("port":2)"));
        const Lsn whole = engine.sh("true", asking(R"("gpus":2)"));
        const std::string ports = firstWait(engine, two);
        QVERIFY2(ports.starts_with("1 of 4 port fit, it needs 2"), ports.c_str());
        const std::string gpus = firstWait(engine, whole);
        QVERIFY2(gpus.starts_with("1 of 2 gpus fit, it needs 2"), gpus.c_str());
        std::ofstream(engine.path("go")) << "now";
        QCOMPARE(ending(engine.wait(whole)), "completed");
        QCOMPARE(ending(engine.wait(two)), "completed");
    }

    void anotherAttemptMayGetOthers() {
        EngineTest engine(4, givePorts);
        const Lsn first = engine.sh(kBusy, asking(R"("port":1)"));
        QVERIFY(EngineTest::eventually(
            [&] { return engine.run(engine->ask(&ActionRows::action, first))->state == ActionState::Running; }));
        const Lsn retried =
            engine.sh("touch go; [ -e again ] || { touch again; exit 1; }; printf '%s' $YARD_RESOURCE_PORT",
                      asking(R"("port":1)") + R"(,"max_retries":1)");
        QCOMPARE(ending(engine.wait(first)), "completed");
        const ActionResult result = engine.wait(retried);
        QCOMPARE(ending(result), "completed");
        const auto row = engine.run(engine->ask(&ActionRows::action, retried));
        QCOMPARE(row->attempts.size(), std::size_t{2});
        QCOMPARE(listed(row->attempts[0].outcome.given), "port 5001");
        QCOMPARE("port " + engine.text(result.outcome->out), listed(row->attempts[1].outcome.given));
    }

    void partsOfMoreThanOneAreRefused() {
        EngineTest engine(2, givePorts);
        const auto refused = engine.trySubmit(engine.shJson("true", asking(R"("gpus":1.5)")));
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 "It asks for 1.5 GPUs, and these are told apart: ask for less than one, or "
                 "for a whole number of them.");
        QVERIFY(!engine.trySubmit(engine.shJson("true", asking(R"("port":5)"))));
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    PiecesTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_pieces.moc"
