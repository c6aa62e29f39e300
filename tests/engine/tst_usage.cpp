// What an action used: everything that ran for it counts, whoever waited for it or did not.
#include "core/runners/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>
#include <QTest>
#include <filesystem>
#include <fstream>

using namespace yard;
using namespace yard::test;

namespace {

/// Takes a while of processor time, always the same.
constexpr std::string_view kWork = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done";
/// Until somebody made the file `done`.
constexpr std::string_view kUntilDone = "while [ ! -e ${TMPDIR:-.}/done ]; do sleep 0.05; done";
constexpr std::string_view kDone = ": >${TMPDIR:-.}/done";

std::string shell(const std::string& script, bool sandboxed, const std::string& more = {}) {
    return fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c","{}"],"max_retries":0{}{}}})", script,
                       sandboxed ? R"(,"sandbox":true)" : R"(,"env":{"TMPDIR":"."})", more);
}

class UsageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        engine_ = std::make_unique<EngineTest>(2, [](engine::Options& options) { options.noSandbox = false; });
        if (!engine_->trySubmit(shell("true", true))) QSKIP("this machine makes no sandboxes");
    }
    void cleanupTestCase() { engine_.reset(); }

    void allThatRanForAnActionCounts_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("more"); // of the action
        QTest::addColumn<double>("works"); // so often the work was done
        QTest::addColumn<bool>("sandboxed");
        const std::string work(kWork);
        const std::string until(kUntilDone);
        const std::string done(kDone);
        const std::vector<std::tuple<const char*, std::string, const char*, double>> rows{
            {"a child that is left", fmt::format("({}; {}; exec sleep 1000) & {}", work, done, until), "", 1},
            {"a grandchild that lost its parent",
             fmt::format("(({}; {}; exec sleep 1000) &); {}", work, done, until), "", 1},
            {"one in a session of its own",
             fmt::format("(setsid sh -c '{}; {}; exec sleep 1000' &); {}", work, done, until), "", 1},
            {"one that ended without a parent", fmt::format("(({}; {}) &); {}; sleep 0.2", work, done, until), "",
             1},
            {"what a deadline ends", fmt::format("({}; exec sleep 1000) & {}; exec sleep 1000", work, work),
             R"(,"deadline_s":2)", 2},
        };
        for (const bool sandboxed : {false, true})
            for (const auto& [name, script, more, works] : rows)
                QTest::addRow("%s, %s", name, sandboxed ? "in a sandbox" : "without one")
                    << QString::fromStdString(script) << more << works << sandboxed;
    }
    void allThatRanForAnActionCounts() {
        QFETCH(const QString, script);
        QFETCH(const QString, more);
        QFETCH(const double, works);
        QFETCH(const bool, sandboxed);
        const double alone = used(shell(std::string(kWork), sandboxed));
        const double all = used(shell(script.toStdString(), sandboxed, more.toStdString()));
        QVERIFY2(all > 0.6 * works * alone, fmt::format("{} of {}", all, alone).c_str());
    }

    /// It is no descendant of the first process any more, and yet its work shows while it works.
    void whatLostItsParentIsSeenWhileItRuns_data() {
        QTest::addColumn<QString>("how");
        QTest::newRow("in its session") << "((%1) &); exec sleep 1000";
        QTest::newRow("in one of its own") << "(setsid sh -c '%1' &); exec sleep 1000";
    }
    void whatLostItsParentIsSeenWhileItRuns() {
        QFETCH(const QString, how);
        const Lsn lsn = engine_->submit(shell(how.arg("while :; do :; done").toStdString(), false));
        QVERIFY(EngineTest::eventually([&] {
            const auto samples = engine_->run((*engine_)->samples(lsn));
            return samples && !samples->empty() && samples->back().cpuPercent > 10;
        }));
        QVERIFY(engine_->run((*engine_)->cancel(lsn)));
        QCOMPARE(ending(engine_->wait(lsn)), "cancelled cancelled");
    }

private:
    double used(const std::string& json) {
        const ActionResult result = engine_->wait(engine_->submit(json));
        return result.outcome ? result.outcome->cpuSeconds.value_or(0) : 0;
    }

    std::unique_ptr<EngineTest> engine_;
};

} // namespace

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    QCoreApplication app(argc, argv);
    UsageTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_usage.moc"
