// Where a series changed its level, and what is no change.
#include "core/kinds/change_point.h"

#include <QtTest>

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace yard::kinds;

namespace {

std::vector<float> steps(std::vector<std::pair<std::size_t, double>> levels, double noise, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> of(1.0, noise);
    std::vector<float> all;
    for (const auto& [count, level] : levels)
        for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<float>(level * of(random)));
    return all;
}

} // namespace

class TestChangePoint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStepIsFoundWhereItIs() {
        const auto found = findChange(steps({{100, 1.0}, {80, 1.2}}, 0.03));
        QVERIFY(found);
        QVERIFY(found->at >= 95 && found->at <= 105);
        QVERIFY(found->p < 1e-4);
        QVERIFY(found->before > 0.97 && found->before < 1.03);
        QVERIFY(found->after > 1.17 && found->after < 1.23);
    }
    void aStepDownIsAChangeToo() {
        const auto found = findChange(steps({{60, 2.0}, {60, 1.0}}, 0.03));
        QVERIFY(found && found->after < found->before);
    }
    void withoutAChangeNothingIsFound() { QVERIFY(!findChange(steps({{512, 1.0}}, 0.1))); }
    void equalValuesHaveNoChange() { QVERIFY(!findChange(std::vector<float>(200, 3.0f))); }
    void fewerThanThirtyRunsOnEachSideAreTooFew() {
        QVERIFY(!findChange(steps({{40, 1.0}, {19, 2.0}}, 0.01)));
        QVERIFY(findChange(steps({{40, 1.0}, {30, 2.0}}, 0.01)));
    }
    void aClearStepOfLessThanFivePerCentIsNotWorthAWord() {
        QVERIFY(!findChange(steps({{200, 1.0}, {200, 1.03}}, 0.01)));
        QVERIFY(findChange(steps({{200, 1.0}, {200, 1.07}}, 0.01)));
    }
    void outliersAreNoChange() {
        auto series = steps({{300, 1.0}}, 0.03);
        for (std::size_t i = 0; i < series.size(); i += 20) series[i] *= 50;
        QVERIFY(!findChange(series));
    }
    void aFirstLevelOfZeroHasNoRatio() { QVERIFY(!findChange(steps({{60, 0.0}, {60, 1.0}}, 0.03))); }
    void anEmptySeriesHasNone() { QVERIFY(!findChange({})); }
};

QTEST_APPLESS_MAIN(TestChangePoint)
#include "tst_change_point.moc"
