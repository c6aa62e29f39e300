// Quantiles of a sketch against those of the values themselves.
#include "core/kinds/sketch.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace yard::kinds;

namespace {

std::vector<double> values(std::uint64_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> of(1.0, 1.0);
    std::vector<double> all(count);
    for (double& value : all) value = of(random);
    return all;
}

/// The largest error of some quantiles, as a part of what is right.
double worstError(std::vector<double> all, const Sketch& sketch) {
    std::ranges::sort(all);
    double worst = 0;
    for (const double q : {0.0, 0.1, 0.5, 0.9, 0.95, 0.99, 1.0}) {
        const double right = all[static_cast<std::size_t>(q * static_cast<double>(all.size() - 1))];
        worst = std::max(worst, std::abs(sketch.quantile(q).value_or(0) - right) / right);
    }
    return worst;
}

} // namespace

class TestSketch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutValuesThereIsNoQuantile() { QVERIFY(!Sketch().quantile(0.5)); }

    void quantilesAreWrongByOnePerCentAtMost() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const auto all = values(seed, 5'000);
            Sketch sketch;
            for (const double value : all) sketch.add(value);
            QCOMPARE(sketch.count(), std::uint64_t{5'000});
            const double worst = worstError(all, sketch);
            QVERIFY2(worst <= Sketch::kRelativeError * 1.000001, qPrintable(QString::number(worst)));
        }
    }

    void twoThatAreMergedAreOneOfAllValues() {
        const auto all = values(7, 4'000);
        Sketch one, left, right;
        for (std::size_t i = 0; i < all.size(); ++i) {
            one.add(all[i]);
            (i % 3 == 0 ? left : right).add(all[i]);
        }
        left.add(0.0);
        one.add(0.0);
        right.merge(left);
        QVERIFY(right.state() == one.state());
        QCOMPARE(right.count(), one.count());
    }

    void whatIsNotPositiveOrNotFiniteIsZero() {
        Sketch sketch;
        for (const double value : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")})
            sketch.add(value);
        QCOMPARE(sketch.count(), std::uint64_t{4});
        QCOMPARE(sketch.quantile(1.0).value_or(-1), 0.0);
    }

    void bucketsAreBoundedAndHighQuantilesStayRight() {
        for (const bool up : {true, false}) {
            Sketch sketch;
            for (int i = -30; i <= 60; ++i) sketch.add(std::pow(10.0, up ? i : 30 - i));
            QVERIFY(sketch.state().buckets.size() <= Sketch::kMaxBuckets);
            QCOMPARE(sketch.count(), std::uint64_t{91});
            const double top = sketch.quantile(1.0).value_or(0);
            QVERIFY2(top > 1e18, qPrintable(QString::number(top)));
        }
    }

    void aStateGivesTheSameSketchAgain() {
        Sketch sketch, again;
        for (const double value : values(3, 100)) sketch.add(value);
        QVERIFY(again.restore(sketch.state()));
        QVERIFY(again.state() == sketch.state());
        QCOMPARE(again.count(), sketch.count());
    }

    void aStateThatNoSketchHasIsRefused() {
        Sketch sketch;
        QVERIFY(!sketch.restore({.zeros = 0, .lowest = 0, .buckets = std::vector<std::uint32_t>(513)}));
        QVERIFY(!sketch.restore({.zeros = 0, .lowest = -5'000, .buckets = {1}}));
        QVERIFY(!sketch.restore({.zeros = 0, .lowest = 2'200, .buckets = {1, 1}}));
        QVERIFY(!sketch.restore({.zeros = ~std::uint64_t{0}, .lowest = 0, .buckets = {1}}));
        QCOMPARE(sketch.count(), std::uint64_t{0});
    }
};

QTEST_APPLESS_MAIN(TestSketch)
#include "tst_sketch.moc"
