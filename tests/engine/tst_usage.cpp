// What an action used: everything that ran for it counts, whoever waited for it or did not.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_details.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>
#include <QRegularExpression>
#include <QTest>
#include <filesystem>
#include <numeric>

using namespace yard;
using namespace yard::test;

namespace {

/// Takes a while of processor time, then says what the kernel counted for its process: two lines of `times`.
constexpr std::string_view kWork = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times";
/// In seconds. `times` counts in ticks of 10 ms, for user and system time alike.
constexpr double kTick = 0.02;

/// The processor time in seconds that each work said: "0m0.25s 0m0.01s", and a second line for what it waited for.
std::vector<double> saidByTheirWork(const std::string& output) {
    static const QRegularExpression line(R"((\d+)m([\d.]+)s (\d+)m([\d.]+)s\n.*\n)");
    std::vector<double> said;
    for (auto lines = line.globalMatch(QString::fromStdString(output)); lines.hasNext();) {
        const QRegularExpressionMatch found = lines.next();
        const auto number = [&](int group) { return found.captured(group).toDouble(); };
        said.push_back(60 * (number(1) + number(3)) + number(2) + number(4));
    }
    return said;
}

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
        QTest::addColumn<double>("deadline");   // 0: none
        QTest::addColumn<std::size_t>("works"); // so many processes work
        QTest::addColumn<bool>("sandboxed");
        const std::string work(kWork);
        const std::string until(kUntilDone);
        const std::string done(kDone);
        const std::vector<std::tuple<const char*, std::string, double, std::size_t>> rows{
            {"a child that is left", fmt::format("({}; {}; exec sleep 1000) & {}", work, done, until), 0, 1},
            {"a grandchild that lost its parent",
             fmt::format("(({}; {}; exec sleep 1000) &); {}", work, done, until), 0, 1},
            {"one in a session of its own",
             fmt::format("(setsid sh -c '{}; {}; exec sleep 1000' &); {}", work, done, until), 0, 1},
            {"one that ended without a parent", fmt::format("(({}; {}) &); {}; sleep 0.2", work, done, until), 0,
             1},
            {"what a deadline ends", fmt::format("({0}; exec sleep 1000) & {0}; exec sleep 1000", work), 2, 2},
        };
        for (const bool sandboxed : {false, true})
            for (const auto& [name, script, deadline, works] : rows)
                QTest::addRow("%s, %s", name, sandboxed ? "in a sandbox" : "without one")
                    << QString::fromStdString(script) << deadline << works << sandboxed;
    }
    void allThatRanForAnActionCounts() {
        QFETCH(const QString, script);
        QFETCH(const double, deadline);
        QFETCH(const std::size_t, works);
        QFETCH(const bool, sandboxed);
        const ActionResult result = deadline > 0
                                        ? endedAfterTheirWork(script.toStdString(), sandboxed, deadline, works)
                                        : resultOf(shell(script.toStdString(), sandboxed));
        const std::vector<double> said = workOf(result);
        QCOMPARE(said.size(), works);
        const double all = std::accumulate(said.begin(), said.end(), 0.0);
        QVERIFY2(cpuOf(result) > all - static_cast<double>(works) * kTick,
                 fmt::format("{} of {}", cpuOf(result), all).c_str());
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
            const auto samples = engine_->run((*engine_)->ask(&engine::ActionDetails::samples, lsn));
            return samples && !samples->empty() && samples->back().cpuPercent > 10;
        }));
        QVERIFY(engine_->run((*engine_)->ask(&engine::Operations::cancel, lsn)));
        QCOMPARE(ending(engine_->wait(lsn)), "cancelled cancelled");
    }

private:
    ActionResult resultOf(const std::string& json) { return engine_->wait(engine_->submit(json)); }
    std::vector<double> workOf(const ActionResult& result) {
        return result.outcome ? saidByTheirWork(engine_->text(result.outcome->out)) : std::vector<double>{};
    }
    /// By its deadline, and not before all said that their work was done: a busy machine takes its time.
    ActionResult endedAfterTheirWork(const std::string& script, bool sandboxed, double deadline,
                                     std::size_t works) {
        ActionResult result = resultOf(shell(script, sandboxed, fmt::format(R"(,"deadline_s":{})", deadline)));
        if (result.outcome && result.outcome->reason == Reason::Deadline)
            QTest::qVerify(result.outcome->note.starts_with("the deadline of "), "the note says how long it was",
                           result.outcome->note.c_str(), __FILE__, __LINE__);
        const bool isLate = workOf(result).size() < works;
        return isLate && deadline < 100 ? endedAfterTheirWork(script, sandboxed, 3 * deadline, works) : result;
    }
    static double cpuOf(const ActionResult& result) {
        return result.outcome ? static_cast<double>(result.outcome->measures[Measure::CpuTime].value_or(0)) / 1e6
                              : 0;
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
