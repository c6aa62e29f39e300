// The simulation of tests/bench in small: many machines with amounts of their own, nothing overbooked on any, all
// done, in not much more than the time that any scheduler needs.
#include "tests/bench/simulation.h"

#include <QTest>
#include <fmt/format.h>

using namespace yard::bench;

class TestSimulation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fiftyMachinesDoFiveThousandActions_data() {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 3; ++seed) QTest::newRow(std::to_string(seed).c_str()) << seed;
    }
    void fiftyMachinesDoFiveThousandActions() {
        QFETCH(unsigned, seed);
        const SimulationOptions options{.actions = 5'000, .machines = 50, .queues = 10, .seed = seed};
        const SimulationResult result = simulate(options);
        QCOMPARE(result.finished, options.actions);
        QVERIFY(result.attempts > options.actions); // some were tried again
        QCOMPARE(result.overbooked, 0);
        QCOMPARE(result.left, 0);
        QVERIFY(result.bound() > 0 && result.makespan >= result.bound());
        // Whole machines are kept free for what needs them one at a time: with few machines that shows.
        QVERIFY2(result.makespan <= 2 * result.bound(),
                 fmt::format("{} s, at least {} s", result.makespan, result.bound()).c_str());
    }
};

QTEST_APPLESS_MAIN(TestSimulation)
#include "tst_simulation.moc"
