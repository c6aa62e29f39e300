// Random lives of objects with crashes at any step: none lost, none moved twice, no child created twice, none stuck.
#include "tests/lifecycle/life.h"

#include <QtTest>

using namespace yard;
using namespace yard::test;

class TestLife : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aMillionStepsWithCrashesLoseAndRepeatNothing() {
        constexpr unsigned kRounds = 100;
        constexpr int kSteps = 10'000;
        std::size_t moves = 0;
        std::size_t children = 0;
        for (unsigned seed = 1; seed <= kRounds; ++seed) {
            Life life(seed);
            for (int i = 0; i < kSteps && life.problem().empty(); ++i) {
                life.step();
                if (i % 97 == static_cast<int>(seed % 97)) life.crash();
            }
            life.settle();
            QVERIFY2(life.problem().empty(), fmt::format("seed {}: {}", seed, life.problem()).c_str());
            moves += life.moves();
            children += life.children();
        }
        // It did something.
        QVERIFY2(moves > 10'000 && children > 100, fmt::format("{} moves, {} children", moves, children).c_str());
    }
    void aCrashAtEveryStepLosesNothing() {
        constexpr int kSteps = 600;
        for (int at = 0; at < kSteps; ++at) {
            Life life(7);
            for (int i = 0; i < kSteps && life.problem().empty(); ++i) {
                if (i == at) life.crash();
                life.step();
            }
            life.settle();
            QVERIFY2(life.problem().empty(), fmt::format("crash at {}: {}", at, life.problem()).c_str());
        }
    }
    void withoutCrashesEachComesToItsEnd() {
        Life life(3);
        for (int i = 0; i < 20'000; ++i) life.step();
        life.settle();
        QVERIFY2(life.problem().empty(), life.problem().c_str());
        QVERIFY(life.objects() > 100);
    }
};

QTEST_APPLESS_MAIN(TestLife)
#include "tst_life.moc"
