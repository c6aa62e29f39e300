// How often the memory of work is wrong, on simulated work of which the truth is known: the tables of docs/kinds.md are what
// comes out here, line by line.
#include "tests/kinds/simulated_series.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

using namespace yard::kinds::test;

class TestKnownTruth : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { truth_ = simulateKnownTruth(); }

    void tenThousandRunsWithoutAChangeRaiseAtMostOneAlarm() { QVERIFY(truth_.alarmsPerSeries <= 1); }
    void noChangeByTwentyPerCentIsMissed() { QCOMPARE(truth_.missedOfTwenty, 0); }
    void inputsThatAlwaysWorkAreNeverFlaky() { QCOMPARE(truth_.flakyWithoutReason, 0); }
    void aKindThatFailsOnceInTwentyIsFlaky() { QCOMPARE(truth_.flakyMissed, 0); }

    void theTablesOfTheDocumentAreTheseFigures() {
        std::ifstream file(YARD_KINDS_DOC);
        std::vector<std::string> document;
        for (std::string line; std::getline(file, line);) document.push_back(line);
        QVERIFY(!document.empty());
        for (const std::string& line : truth_.lines)
            QVERIFY2(std::ranges::count(document, line) == 1 || line.starts_with("|---"), line.c_str());
    }

private:
    KnownTruth truth_;
};

QTEST_APPLESS_MAIN(TestKnownTruth)
#include "tst_known_truth.moc"
