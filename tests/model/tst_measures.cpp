// What is measured of attempts: how values of several processes become one, and that the table is sound.
#include "core/model/measures.h"
#include "core/model/result.h"
#include "tests/model/papers.h"

#include <QObject>
#include <QTest>
#include <set>

using namespace yard;

class MeasuresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void timesAddUpAndOfPeaksTheLargestCounts();
    void whatNobodyKnowsStaysUnknown();
    void aSecondLookOnlyRaises();
    void rowsStandAtTheirPlacesAndShareNoName();
    void resultsHaveThemUnderTheirNames();
    void textsForTranslatorsAreThoseOfTheTable();
};

void MeasuresTest::timesAddUpAndOfPeaksTheLargestCounts() {
    Measures first;
    first[Measure::CpuTime] = 100;
    first[Measure::PeakMemory] = 4096;
    Measures orphan;
    orphan[Measure::CpuTime] = 50;
    orphan[Measure::PeakMemory] = 1024;
    first.add(orphan);
    QCOMPARE(first[Measure::CpuTime].value_or(-1), std::int64_t{150});
    QCOMPARE(first[Measure::PeakMemory].value_or(-1), std::int64_t{4096});
    orphan[Measure::PeakMemory] = 8192;
    first.add(orphan);
    QCOMPARE(first[Measure::PeakMemory].value_or(-1), std::int64_t{8192});
}

void MeasuresTest::whatNobodyKnowsStaysUnknown() {
    Measures known;
    known[Measure::CpuTime] = 7;
    known.add(Measures{});
    QCOMPARE(known[Measure::CpuTime].value_or(-1), std::int64_t{7});
    QVERIFY(!known[Measure::PeakMemory]);
    Measures unknown;
    unknown.add(known); // the others' is all there is
    QCOMPARE(unknown, known);
}

void MeasuresTest::aSecondLookOnlyRaises() {
    Measures measures;
    measures.atLeast(Measure::CpuTime, 10);
    measures.atLeast(Measure::CpuTime, 5);
    QCOMPARE(measures[Measure::CpuTime].value_or(-1), std::int64_t{10});
}

void MeasuresTest::rowsStandAtTheirPlacesAndShareNoName() {
    std::set<std::string_view> names, filters, columns;
    for (std::size_t i = 0; i < kMeasures; ++i) {
        const MeasureInfo& info = kMeasureTable[i];
        QCOMPARE(std::size_t(info.measure), i);
        QCOMPARE(&measureInfo(info.measure), &info);
        QVERIFY(names.insert(info.name).second && filters.insert(info.filter).second);
        QVERIFY(columns.insert(info.column).second);
        QVERIFY(!info.heading.empty() && !info.label.empty() && !info.help.empty());
    }
}

void MeasuresTest::resultsHaveThemUnderTheirNames() {
    ActionResult result;
    AttemptOutcome& outcome = result.outcome.emplace();
    for (const MeasureInfo& info : kMeasureTable) outcome.measures[info.measure] = 2'500'000;
    const std::string json = toJson(result);
    for (const MeasureInfo& info : kMeasureTable) {
        const std::string member =
            fmt::format("\"{}\":{}", info.name, info.unit == MeasureUnit::Microseconds ? "2.5" : "2500000");
        QVERIFY2(json.contains(member), json.c_str());
    }
}

void MeasuresTest::textsForTranslatorsAreThoseOfTheTable() {
    std::vector<std::string> texts;
    for (const MeasureInfo& info : kMeasureTable)
        for (const std::string_view text : {info.heading, info.label, info.help}) texts.emplace_back(text);
    checkPart("ui/style/measure_texts.h", "// clang-format off\n", "// clang-format on\n",
              textsToTranslate("kMeasureTexts", "Measure", texts));
}

QTEST_APPLESS_MAIN(MeasuresTest)
#include "tst_measures.moc"
