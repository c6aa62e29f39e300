// Hours of machines: what is read, and when it opens and closes.
#include "core/fleet/hours.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <string>
#include <string_view>

using namespace yard;
using namespace yard::fleet;

namespace {

int at(int day, int hour, int minute = 0) {
    return day * kMinutesOfDay + hour * 60 + minute;
}

Hours hours(std::string_view text) {
    const auto read = Hours::parse(text);
    return read ? *read : Hours();
}

} // namespace

class TestFleetHours : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutRulesItIsAlwaysOpen();
    void aNightEndsOnTheNextDay();
    void daysMayRunOverSunday();
    void severalRulesAreOpenWhereOneIs();
    void aWholeDayIsFromMidnightTo24();
    void theNextChangeSkipsWhereSpansTouch();
    void whatIsAlwaysOpenNeverChanges();
    void whatIsNoRuleIsRefused_data();
    void whatIsNoRuleIsRefused();
    void tooManyRulesAreRefused();
    void theMinuteOfTheWeekIsThatOfTheMachinesClock();
};

void TestFleetHours::theMinuteOfTheWeekIsThatOfTheMachinesClock() {
    constexpr WallMicros kMinute = 60'000'000;
    QCOMPARE(weekMinuteAt(0, 0), at(3, 0)); // the clock began on a Thursday
    QCOMPARE(weekMinuteAt(0, 90), at(3, 1, 30));
    QCOMPARE(weekMinuteAt(0, -210), at(2, 20, 30));
    QCOMPARE(weekMinuteAt(4 * kMinutesOfDay * kMinute - 1, 0), at(6, 23, 59));
    QCOMPARE(weekMinuteAt(4 * kMinutesOfDay * kMinute, 0), at(0, 0));
}

void TestFleetHours::withoutRulesItIsAlwaysOpen() {
    QVERIFY(hours("  ").isAlways());
    QVERIFY(hours("").isOpen(at(3, 12)));
    QVERIFY(!hours("").untilChange(0));
}

void TestFleetHours::aNightEndsOnTheNextDay() {
    const Hours night = hours("mon-fri 19:00-07:00");
    QVERIFY(!night.isAlways());
    QVERIFY(!night.isOpen(at(0, 6, 59))); // Sunday's night is none
    QVERIFY(!night.isOpen(at(0, 18, 59)));
    QVERIFY(night.isOpen(at(0, 19)));
    QVERIFY(night.isOpen(at(1, 6, 59)));
    QVERIFY(!night.isOpen(at(1, 7)));
    QVERIFY(night.isOpen(at(5, 6, 59)));
    QVERIFY(!night.isOpen(at(5, 19)));
    QCOMPARE(night.untilChange(at(0, 18)).value_or(0), 60);
    QCOMPARE(night.untilChange(at(0, 19)).value_or(0), 12 * 60);
    QCOMPARE(night.untilChange(at(5, 7)).value_or(0), 2 * kMinutesOfDay + 12 * 60);
}

void TestFleetHours::daysMayRunOverSunday() {
    const Hours weekend = hours("sat-mon 22:00-02:00");
    QVERIFY(weekend.isOpen(at(5, 23)));
    QVERIFY(weekend.isOpen(at(6, 23)));
    QVERIFY(weekend.isOpen(at(0, 1))); // Sunday's, over the end of the week
    QVERIFY(weekend.isOpen(at(0, 23)));
    QVERIFY(weekend.isOpen(at(1, 1)));
    QVERIFY(!weekend.isOpen(at(1, 23)));
    QVERIFY(!weekend.isOpen(at(5, 1)));
}

void TestFleetHours::severalRulesAreOpenWhereOneIs() {
    const Hours both = hours("mon 08:00-10:00, 12:00-13:00");
    QVERIFY(both.isOpen(at(0, 9)));
    QVERIFY(!both.isOpen(at(1, 9)));
    QVERIFY(both.isOpen(at(0, 12)));
    QVERIFY(both.isOpen(at(6, 12, 59)));
    QVERIFY(!both.isOpen(at(6, 13)));
}

void TestFleetHours::aWholeDayIsFromMidnightTo24() {
    const Hours sunday = hours("sun 00:00-24:00");
    QVERIFY(!sunday.isOpen(at(5, 23, 59)));
    QVERIFY(sunday.isOpen(at(6, 0)));
    QVERIFY(sunday.isOpen(at(6, 23, 59)));
    QVERIFY(!sunday.isOpen(at(0, 0)));
    QVERIFY(hours("wed 07:00-07:00").isOpen(at(3, 6, 59)));
}

void TestFleetHours::theNextChangeSkipsWhereSpansTouch() {
    const Hours touching = hours("mon 08:00-10:00, mon 10:00-12:00");
    QCOMPARE(touching.untilChange(at(0, 9)).value_or(0), 3 * 60);
    QCOMPARE(touching.untilChange(at(0, 12)).value_or(0), kMinutesOfWeek - 4 * 60);
}

void TestFleetHours::whatIsAlwaysOpenNeverChanges() {
    QVERIFY(hours("00:00-24:00").isOpen(at(6, 23, 59)));
    QVERIFY(!hours("00:00-24:00").untilChange(at(2, 3)));
}

void TestFleetHours::whatIsNoRuleIsRefused_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"mon", "19:00", "19:00-25:00", "19:60-20:00", "24:00-10:00", "noday 19:00-20:00",
                             "mon-noday 19:00-20:00", "mon-fri-sat 19:00-20:00", "9:00-10:00", "19:00-20:00-21:00",
                             "Mon 19:00-20:00", ", 19:00-20:00", "-1:00-02:00"})
        QTest::newRow(text) << QString(text);
}

void TestFleetHours::whatIsNoRuleIsRefused() {
    QFETCH(QString, text);
    const auto read = Hours::parse(text.toStdString());
    QVERIFY(!read);
    QVERIFY(read.error().kind == ErrorKind::Invalid);
    QCOMPARE(read.error().field, std::string("hours"));
}

void TestFleetHours::tooManyRulesAreRefused() {
    std::string text = "01:00-02:00";
    for (int i = 1; i < 16; ++i) text += ",01:00-02:00";
    QVERIFY(Hours::parse(text).has_value());
    QVERIFY(!Hours::parse(text + ",01:00-02:00"));
}

QTEST_APPLESS_MAIN(TestFleetHours)
#include "tst_hours.moc"
