// Lines of crontab: what they mean, what is refused, and what clocks that are moved do to them.
#include "core/schedule/cron.h"
#include "tests/schedule/local_time.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::schedule;
using namespace yard::schedule::test;

namespace {

/// The next `count` times after a moment, as the clock there shows them.
QStringList timesOf(const char* line, const char* zoneName, std::int64_t after, int count) {
    const auto cron = Cron::parse(line);
    const auto zone = Zone::find(zoneName);
    QStringList times;
    if (!cron || !zone) return {cron ? "no such zone" : QString::fromStdString(cron.error().message)};
    for (auto next = cron->next(*zone, after); next && times.size() < count; next = cron->next(*zone, *next))
        times.append(QString::fromStdString(shown(*zone, *next)));
    return times;
}

/// What a line says of a time that a clock shows, worked out from the fields as tables.
struct PlainLine {
    using Values = std::array<bool, 60>;
    Values minutes{}, hours{}, days{}, months{}, weekdays{};
    bool isAnyMinute = false;
    bool isAnyDay = false;
    bool isAnyWeekday = false;

    bool matches(std::int64_t local) const {
        using namespace std::chrono;
        const std::int64_t within = local % 86'400;
        if (within % 60 != 0 || !minutes[std::size_t(within / 60 % 60)] || !hours[std::size_t(within / 3'600)])
            return false;
        const sys_days day{std::chrono::days(local / 86'400)};
        const year_month_day date(day);
        if (!months[unsigned(date.month())]) return false;
        const bool isDay = days[unsigned(date.day())];
        const bool isWeekday = weekdays[weekday(day).c_encoding()];
        return isAnyDay || isAnyWeekday ? isDay && isWeekday : isDay || isWeekday;
    }
};

PlainLine::Values valuesBetween(int least, int most, int step = 1) {
    PlainLine::Values values{};
    for (int value = least; value <= most; value += step) values[std::size_t(value)] = true;
    return values;
}

/// A field of a random line as text, and its values.
class RandomLines {
public:
    explicit RandomLines(unsigned seed)
        : random_(seed) {}

    std::pair<std::string, PlainLine> next() {
        PlainLine line;
        std::string text = field(0, 59, line.minutes, line.isAnyMinute) + " ";
        bool ignored = false;
        text += field(0, 23, line.hours, ignored) + " ";
        text += field(1, 31, line.days, line.isAnyDay) + " ";
        text += field(1, 12, line.months, ignored) + " ";
        text += field(0, 6, line.weekdays, line.isAnyWeekday);
        return {text, line};
    }

private:
    int upTo(int most) { return std::uniform_int_distribution(0, most)(random_); }

    std::string field(int least, int most, PlainLine::Values& values, bool& isAny) {
        const int kind = upTo(3);
        isAny = kind <= 1;
        if (kind == 0) {
            values = valuesBetween(least, most);
            return "*";
        }
        if (kind == 1) {
            const int step = 1 + upTo(std::min(20, most - least));
            values = valuesBetween(least, most, step);
            return "*/" + std::to_string(step);
        }
        const int first = least + upTo(most - least);
        const int last = kind == 2 ? first : first + upTo(most - first);
        values = valuesBetween(first, last);
        return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
    }

    std::mt19937 random_;
};

/// All that is due from `begin` to before `end`, minute by minute. Offsets are whole minutes there.
std::vector<std::int64_t> walked(const PlainLine& line, const Zone& zone, std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> due;
    // The latest time that the clock has shown: what it shows again is not new.
    std::int64_t shownLast = begin - 3 * 86'400 + zone.spanAt(begin - 3 * 86'400).offset;
    Span span = zone.spanAt(begin - 3 * 86'400);
    for (std::int64_t at = begin - 3 * 86'400 + 60; at < end; at += 60) {
        if (at >= span.end) span = zone.spanAt(at);
        const std::int64_t local = at + span.offset;
        bool isDue = line.matches(local) && (line.isAnyMinute || local > shownLast);
        for (std::int64_t skipped = shownLast + 60; skipped < local; skipped += 60)
            isDue = isDue || line.matches(skipped);
        if (isDue && at >= begin) due.push_back(at);
        shownLast = std::max(shownLast, local);
    }
    return due;
}

} // namespace

class TestScheduleCron : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aLineSaysWhenItIsDue_data();
    void aLineSaysWhenItIsDue();
    void aLineThatIsNotUnderstoodSaysWhy_data();
    void aLineThatIsNotUnderstoodSaysWhy();
    void aClockThatIsMovedSkipsNothingAndRepeatsLittle_data();
    void aClockThatIsMovedSkipsNothingAndRepeatsLittle();
    void itIsDueAfterNotAtTheTimeAsked();
    void aLeapDayOnAWeekdayIsFoundOverTheYear2100();
    void nothingIsDueAfterTheYear9999();
    void anUnknownZoneIsAnError_data();
    void anUnknownZoneIsAnError();
    void itIsDueWhenAWalkMinuteByMinuteSaysSo_data();
    void itIsDueWhenAWalkMinuteByMinuteSaysSo();
};

void TestScheduleCron::aLineSaysWhenItIsDue_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QStringList>("times");
    // From Thursday, 1 January 2026, 00:00 on.
    const auto row = [](const char* line, const QStringList& times) { QTest::newRow(line) << line << times; };
    row("* * * * *", {"2026-01-01 00:01", "2026-01-01 00:02"});
    row("0 3 * * 1-5", {"2026-01-01 03:00", "2026-01-02 03:00", "2026-01-05 03:00"});
    row("0 3 * * mon-FRI", {"2026-01-01 03:00", "2026-01-02 03:00", "2026-01-05 03:00"});
    row("*/20 6 * * *", {"2026-01-01 06:00", "2026-01-01 06:20", "2026-01-01 06:40", "2026-01-02 06:00"});
    row("5-20/7 0,12 * * *", {"2026-01-01 00:05", "2026-01-01 00:12", "2026-01-01 00:19", "2026-01-01 12:05"});
    row("59 23 31 * *", {"2026-01-31 23:59", "2026-03-31 23:59", "2026-05-31 23:59"});
    row("0 0 29 feb *", {"2028-02-29 00:00", "2032-02-29 00:00"});
    row("0 12 13 * fri", {"2026-01-02 12:00", "2026-01-09 12:00", "2026-01-13 12:00", "2026-01-16 12:00"});
    row("0 12 */2 * fri", {"2026-01-09 12:00", "2026-01-23 12:00"});
    row("0 0 * * 7", {"2026-01-04 00:00", "2026-01-11 00:00"});
    row("0 0 * * 0", {"2026-01-04 00:00", "2026-01-11 00:00"});
    row("0 0 * * sat-sun", {"2026-01-03 00:00", "2026-01-04 00:00", "2026-01-10 00:00"});
    row("0 0 * * 5-7", {"2026-01-02 00:00", "2026-01-03 00:00", "2026-01-04 00:00", "2026-01-09 00:00"});
    row("0 0 1 dec,jun *", {"2026-06-01 00:00", "2026-12-01 00:00", "2027-06-01 00:00"});
    row("  30\t4  1 1 *  ", {"2026-01-01 04:30", "2027-01-01 04:30"});
    row("@hourly", {"2026-01-01 01:00", "2026-01-01 02:00"});
    row("@daily", {"2026-01-02 00:00", "2026-01-03 00:00"});
    row("@midnight", {"2026-01-02 00:00", "2026-01-03 00:00"});
    row("@Weekly", {"2026-01-04 00:00", "2026-01-11 00:00"});
    row("@monthly", {"2026-02-01 00:00", "2026-03-01 00:00"});
    row("@yearly", {"2027-01-01 00:00", "2028-01-01 00:00"});
    row("@annually", {"2027-01-01 00:00", "2028-01-01 00:00"});
}

void TestScheduleCron::aLineSaysWhenItIsDue() {
    QFETCH(QString, line);
    QFETCH(QStringList, times);
    for (QString& time : times) time += " +00:00";
    QCOMPARE(timesOf(line.toUtf8().constData(), "UTC", utc(2026, 1, 1), int(times.size())), times);
}

void TestScheduleCron::aLineThatIsNotUnderstoodSaysWhy_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("part");
    const auto row = [](const QString& line, const char* part) {
        QTest::newRow(line.left(40).toUtf8().constData()) << line << part;
    };
    row("", "has 0");
    row("* * * *", "has 4");
    row("0 0 3 * * *", "has 6");
    row("60 * * * *", "minute \"60\" is not understood. Give numbers from 0 to 59,");
    row("* 24 * * *", "hour \"24\"");
    row("* * 0 * *", "day of month \"0\"");
    row("* * 32 * *", "day of month \"32\"");
    row("* * * 13 *", "month \"13\" is not understood. Give numbers from 1 to 12 or names");
    row("* * * mon *", "month \"mon\"");
    row("* * * * 8", "weekday \"8\"");
    row("* * * * jan", "weekday \"jan\"");
    row("-1 * * * *", "minute \"-1\"");
    row("1, * * * *", "minute \"\"");
    row("1--2 * * * *", "minute \"1--2\"");
    row("5-1 * * * *", "ends before it begins");
    row("* * * * fri-mon", "ends before it begins");
    row("*/0 * * * *", "has no step");
    row("*/ * * * *", "has no step");
    row("*/x * * * *", "has no step");
    row("5/15 * * * *", "has a step without a range");
    row("99999999999 * * * *", "minute \"99999999999\"");
    row("0 0 L * *", "has an \"L\"");
    row("0 0 L-3 * *", "has an \"L\"");
    row("0 0 * * 5L", "has an \"L\"");
    row("0 0 * * fri#2", "has a \"#\"");
    row("0 0 ? * *", "has a \"?\"");
    row("0 0 30 2 *", "would never be due");
    row("0 0 31 4,6,9,11 *", "would never be due");
    row("@reboot", "is no time");
    row("@fortnightly", "is not known");
    row(QString(300, '*'), "at most 256");
}

void TestScheduleCron::aLineThatIsNotUnderstoodSaysWhy() {
    QFETCH(QString, line);
    QFETCH(QString, part);
    const auto cron = Cron::parse(line.toStdString());
    QVERIFY(!cron);
    QCOMPARE(cron.error().kind, ErrorKind::Invalid);
    QCOMPARE(cron.error().field, std::string("cron"));
    QVERIFY2(QString::fromStdString(cron.error().message).contains(part), cron.error().message.c_str());
}

void TestScheduleCron::aClockThatIsMovedSkipsNothingAndRepeatsLittle_data() {
    QTest::addColumn<QString>("zone");
    QTest::addColumn<QString>("line");
    QTest::addColumn<qint64>("after");
    QTest::addColumn<QStringList>("times");
    const auto row = [](const char* what, const char* zone, const char* line, std::int64_t after,
                        const QStringList& times) {
        QTest::newRow(what) << zone << line << qint64(after) << times;
    };
    // Berlin, 29 March 2026: 02:00 becomes 03:00. 25 October: 03:00 becomes 02:00.
    const std::int64_t spring = utc(2026, 3, 28, 12);
    const std::int64_t autumn = utc(2026, 10, 24, 23, 30);
    row("a fixed time that is skipped runs at the move", "Europe/Berlin", "30 2 * * *", spring,
        {"2026-03-29 03:00 +02:00", "2026-03-30 02:30 +02:00"});
    row("several that are skipped run once", "Europe/Berlin", "*/10 2 * * *", spring,
        {"2026-03-29 03:00 +02:00", "2026-03-30 02:00 +02:00"});
    row("what is due at the move itself runs once", "Europe/Berlin", "0 2,3 * * *", spring,
        {"2026-03-29 03:00 +02:00", "2026-03-30 02:00 +02:00"});
    row("a time outside of what is skipped is left alone", "Europe/Berlin", "30 1,3 * * *", spring,
        {"2026-03-29 01:30 +01:00", "2026-03-29 03:30 +02:00"});
    row("a fixed time that comes twice runs at the first", "Europe/Berlin", "30 2 * * *", autumn,
        {"2026-10-25 02:30 +02:00", "2026-10-26 02:30 +01:00"});
    row("each minute runs in both passes", "Europe/Berlin", "*/30 2 * * *", autumn,
        {"2026-10-25 02:00 +02:00", "2026-10-25 02:30 +02:00", "2026-10-25 02:00 +01:00", "2026-10-25 02:30 +01:00",
         "2026-10-26 02:00 +01:00"});
    row("a fixed minute of each hour is fixed too", "Europe/Berlin", "15 * * * *", autumn,
        {"2026-10-25 02:15 +02:00", "2026-10-25 03:15 +01:00"});
    row("asked in the second pass, the first is over", "Europe/Berlin", "30 2 * * *", utc(2026, 10, 25, 1, 10),
        {"2026-10-26 02:30 +01:00"});
    row("half an hour is enough", "Australia/Lord_Howe", "15 2 * * *", utc(2026, 10, 3, 12),
        {"2026-10-04 02:30 +11:00", "2026-10-05 02:15 +11:00"});
    row("a day that is skipped", "Pacific/Apia", "0 9 * * *", utc(2011, 12, 29, 12),
        {"2011-12-29 09:00 -10:00", "2011-12-31 00:00 +14:00", "2011-12-31 09:00 +14:00"});
}

void TestScheduleCron::aClockThatIsMovedSkipsNothingAndRepeatsLittle() {
    QFETCH(QString, zone);
    QFETCH(QString, line);
    QFETCH(qint64, after);
    QFETCH(QStringList, times);
    QCOMPARE(timesOf(line.toUtf8().constData(), zone.toUtf8().constData(), after, int(times.size())), times);
}

void TestScheduleCron::itIsDueAfterNotAtTheTimeAsked() {
    QCOMPARE(timesOf("0 3 * * *", "UTC", utc(2026, 1, 1, 3), 1), QStringList{"2026-01-02 03:00 +00:00"});
    QCOMPARE(timesOf("0 3 * * *", "UTC", utc(2026, 1, 1, 3) - 1, 1), QStringList{"2026-01-01 03:00 +00:00"});
}

void TestScheduleCron::aLeapDayOnAWeekdayIsFoundOverTheYear2100() {
    // Sundays: "*/7" of the weekdays, so both have to hold.
    QCOMPARE(timesOf("0 0 29 2 */7", "UTC", utc(2088, 3, 1), 1), QStringList{"2128-02-29 00:00 +00:00"});
}

void TestScheduleCron::nothingIsDueAfterTheYear9999() {
    QVERIFY(timesOf("* * * * *", "Europe/Berlin", utc(9999, 12, 31, 23, 59), 1).isEmpty());
    QVERIFY(timesOf("* * * * *", "UTC", std::numeric_limits<std::int64_t>::max() / 2, 1).isEmpty());
}

void TestScheduleCron::anUnknownZoneIsAnError_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"Europe/Berlyn", "Europe", "../../../etc/localtime", "/usr/share/zoneinfo/UTC", "Europe/",
          "Europe//Berlin", "Europe///Berlin", "Europe/Berlin/", "Europe/./Berlin", "./Europe/Berlin",
          "file:/etc/localtime", "right/Europe/Berlin", "tzdata.zi", "europe berlin"})
        QTest::newRow(name) << name;
    QTest::newRow("long") << QString(10'000, 'a');
}

void TestScheduleCron::anUnknownZoneIsAnError() {
    QFETCH(QString, name);
    const auto zone = Zone::find(name.toStdString());
    QVERIFY(!zone);
    QCOMPARE(zone.error().field, std::string("timezone"));
}

void TestScheduleCron::itIsDueWhenAWalkMinuteByMinuteSaysSo_data() {
    QTest::addColumn<QString>("zone");
    // Hours forward and back, half an hour, a day left out, twice a year around Ramadan, and none.
    for (const char* zone : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia",
                             "Africa/Casablanca", "Asia/Kathmandu", "America/St_Johns", "Asia/Gaza", "UTC"})
        QTest::newRow(zone) << zone;
}

void TestScheduleCron::itIsDueWhenAWalkMinuteByMinuteSaysSo() {
    QFETCH(QString, zone);
    const auto found = Zone::find(zone.toStdString());
    QVERIFY(found);
    RandomLines lines(20'261'127);
    for (int i = 0; i < 8; ++i) {
        // A year and more, so that each move of the clock is in it; each line in other years.
        const std::int64_t begin = utc(2005 + 4 * i, 1 + unsigned(i), 3);
        const std::int64_t end = begin + 400 * 86'400;
        const auto [text, plain] = lines.next();
        const auto cron = Cron::parse(text);
        if (!cron) {
            QVERIFY2(cron.error().message.contains("never"), text.c_str());
            continue;
        }
        const auto expected = walked(plain, *found, begin, end);
        std::vector<std::int64_t> due;
        for (auto next = cron->next(*found, begin - 1); next && *next < end; next = cron->next(*found, *next))
            due.push_back(*next);
        const auto differ = std::ranges::mismatch(due, expected);
        const std::string where = text + ": " + (differ.in1 == due.end() ? "nothing" : shown(*found, *differ.in1)) +
                                  ", the walk says " +
                                  (differ.in2 == expected.end() ? "nothing" : shown(*found, *differ.in2));
        QVERIFY2(due == expected, where.c_str());
    }
}

QTEST_APPLESS_MAIN(TestScheduleCron)
#include "tst_cron.moc"
