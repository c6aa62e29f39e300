// What is called flaky, by the figures of the literature that the rule is taken from.
#include "core/kinds/flakiness.h"

#include <QtTest>

#include <cmath>

using namespace yard::kinds;

class TestFlakiness : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theProbabilityIsThatOfTheJeffreysPosterior_data() {
        QTest::addColumn<int>("failed");
        QTest::addColumn<int>("runs");
        QTest::addColumn<double>("probability");
        QTest::addColumn<bool>("flaky");
        QTest::newRow("1 of 50: not yet") << 1 << 50 << 0.80 << false;
        QTest::newRow("3 of 50") << 3 << 50 << 0.995 << true;
        QTest::newRow("10 of 500") << 10 << 500 << 0.98 << true;
        QTest::newRow("1 of 500") << 1 << 500 << 0.02 << false;
        QTest::newRow("1 of 2: one flip is proof") << 1 << 2 << 1.0 << true;
    }
    void theProbabilityIsThatOfTheJeffreysPosterior() {
        QFETCH(int, failed);
        QFETCH(int, runs);
        QFETCH(double, probability);
        QFETCH(bool, flaky);
        const Flakiness is = flakinessOf(static_cast<unsigned>(failed), static_cast<unsigned>(runs));
        QVERIFY2(std::abs(is.probability - probability) < 0.01, qPrintable(QString::number(is.probability)));
        QCOMPARE(is.isFlaky(), flaky);
    }
    void withoutRunsNothingIsSaid() { QCOMPARE(flakinessOf(0, 0).probability, 0.0); }
    void moreFailuresThanRunsAreAsManyAsRuns() { QCOMPARE(flakinessOf(9, 3).rate, flakinessOf(3, 3).rate); }
    void theRateIsTheMeanOfThePosterior() { QCOMPARE(flakinessOf(1, 3).rate, 0.375); }
};

QTEST_APPLESS_MAIN(TestFlakiness)
#include "tst_flakiness.moc"
