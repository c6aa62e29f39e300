// How numbers, spans, times and sizes read.
#include "ui/style/format.h"

#include <QTest>

using namespace yard;
using namespace yard::ui;

class TestFormat : public QObject {
    Q_OBJECT

private slots:
    void durationsHaveTwoUnitsAtMost_data();
    void durationsHaveTwoUnitsAtMost();
    void percentagesClaimNeitherNothingNorAllTooEarly_data();
    void percentagesClaimNeitherNothingNorAllTooEarly();
    void sizesHaveThreeFigures_data();
    void sizesHaveThreeFigures();
    void timesSayAsMuchAsIsNeeded_data();
    void timesSayAsMuchAsIsNeeded();
    void timesToComeHaveNoSeconds_data();
    void timesToComeHaveNoSeconds();
    void exactTimesHaveMillisecondsZoneAndAge();
    void numbersFollowTheLocale();
    void unknownIsADash();

private:
    const Format english_{QLocale(QLocale::English, QLocale::UnitedStates), QTimeZone::utc()};
    const Format german_{QLocale(QLocale::German, QLocale::Germany), QTimeZone::utc()};
};

void TestFormat::durationsHaveTwoUnitsAtMost_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("reads");
    const auto row = [](double seconds, const char* reads) { QTest::newRow(reads) << seconds << QString(reads); };
    row(0, "0 s");
    row(-3, "0 s");
    row(0.0004, "<1 ms");
    row(0.004, "4 ms");
    row(0.0096, "0.01 s");
    row(0.09, "0.09 s");
    row(0.996, "1.0 s");
    row(8.4, "8.4 s");
    row(41.2, "41.2 s");
    row(59.96, "1 min 0 s");
    row(372, "6 min 12 s");
    row(3599.6, "1 h 0 min");
    row(6840, "1 h 54 min");
    row(86'400 * 2 + 3600 * 4 + 59, "2 d 4 h");
}
void TestFormat::durationsHaveTwoUnitsAtMost() {
    QFETCH(double, seconds);
    QTEST(english_.duration(Duration(static_cast<std::int64_t>(seconds * 1e6))), "reads");
}

void TestFormat::percentagesClaimNeitherNothingNorAllTooEarly_data() {
    QTest::addColumn<qint64>("part");
    QTest::addColumn<qint64>("whole");
    QTest::addColumn<QString>("reads");
    QTest::newRow("nothing") << 0LL << 1000LL << "0 %";
    QTest::newRow("hardly any") << 1LL << 1'000'000LL << "<0.1 %";
    QTest::newRow("some") << 123LL << 1000LL << "12.3 %";
    QTest::newRow("almost all") << 999'999LL << 1'000'000LL << "99.9 %";
    QTest::newRow("all") << 7LL << 7LL << "100 %";
    QTest::newRow("of nothing") << 0LL << 0LL << "–";
}
void TestFormat::percentagesClaimNeitherNothingNorAllTooEarly() {
    QFETCH(qint64, part);
    QFETCH(qint64, whole);
    QTEST(english_.percent(part, whole), "reads");
}

void TestFormat::sizesHaveThreeFigures_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QString>("reads");
    QTest::newRow("none") << 0LL << "0 B";
    QTest::newRow("bytes") << 999LL << "999 B";
    QTest::newRow("kilobytes") << 1'000LL << "1.00 kB";
    QTest::newRow("not 1000 kB") << 999'600LL << "1.00 MB";
    QTest::newRow("megabytes") << 18'240'000LL << "18.2 MB";
    QTest::newRow("gigabytes") << 212'400'000'000LL << "212 GB";
    QTest::newRow("beyond the last unit") << 5'000'000'000'000'000LL << "5,000 TB";
}
void TestFormat::sizesHaveThreeFigures() {
    QFETCH(qint64, bytes);
    QTEST(english_.size(bytes), "reads");
}

void TestFormat::timesSayAsMuchAsIsNeeded_data() {
    // Now: Sunday, 15 November 2026, 09:45:31.
    QTest::addColumn<QString>("at");
    QTest::addColumn<QString>("reads");
    QTest::newRow("today") << "2026-11-15T00:00:00Z" << "00:00:00";
    QTest::newRow("this week") << "2026-11-13T03:12:00Z" << "Fri 03:12";
    QTest::newRow("a week ago") << "2026-11-08T03:12:00Z" << "8 Nov 03:12";
    QTest::newRow("last year") << "2025-12-31T03:12:00Z" << "2025-12-31";
    QTest::newRow("to come") << "2026-11-16T03:12:00Z" << "16 Nov 03:12";
}
void TestFormat::timesToComeHaveNoSeconds_data() {
    QTest::addColumn<QString>("at");
    QTest::addColumn<QString>("reads");
    QTest::newRow("today") << "2026-11-15T16:30:59Z" << "16:30";
    QTest::newRow("tomorrow") << "2026-11-16T08:00:00Z" << "Mon 08:00";
    QTest::newRow("in a week") << "2026-11-22T08:00:00Z" << "22 Nov 08:00";
    QTest::newRow("next year") << "2027-01-04T08:00:00Z" << "2027-01-04";
    QTest::newRow("over") << "2026-11-13T03:12:00Z" << "Fri 03:12";
}
void TestFormat::timesToComeHaveNoSeconds() {
    QFETCH(QString, at);
    const auto micros = [](const QString& iso) {
        return QDateTime::fromString(iso, Qt::ISODate).toMSecsSinceEpoch() * 1000;
    };
    QTEST(english_.coming(micros(at), micros("2026-11-15T09:45:31Z")), "reads");
}

void TestFormat::timesSayAsMuchAsIsNeeded() {
    const auto micros = [](const QString& iso) {
        return QDateTime::fromString(iso, Qt::ISODate).toMSecsSinceEpoch() * 1000;
    };
    QFETCH(QString, at);
    QTEST(english_.time(micros(at), micros("2026-11-15T09:45:31Z")), "reads");
}

void TestFormat::exactTimesHaveMillisecondsZoneAndAge() {
    const WallMicros at = 1'700'000'000'123'000;
    QCOMPARE(english_.exactTime(at, at + 90'000'000), "2023-11-14 22:13:20.123 UTC, 1 min 30 s ago");
    QCOMPARE(english_.exactTime(at, at - 2'000'000), "2023-11-14 22:13:20.123 UTC, in 2.0 s");
}

void TestFormat::numbersFollowTheLocale() {
    QCOMPARE(english_.number(1'283'902), "1,283,902");
    QCOMPARE(german_.number(1'283'902), "1.283.902");
    QCOMPARE(german_.cores(1.234), "1,23");
    QCOMPARE(english_.cores(31.96), "32.0");
}

void TestFormat::unknownIsADash() {
    QCOMPARE(english_.duration(std::nullopt), "–");
}

QTEST_GUILESS_MAIN(TestFormat)
#include "tst_format.moc"
