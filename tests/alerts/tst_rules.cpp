// Rules as people write them, the hours in which they speak, and the addresses of webhooks: what is read and what is refused.
#include "core/alerts/hours.h"
#include "core/alerts/rule.h"
#include "core/alerts/url.h"

#include <QTest>

#include <cstdlib>
#include <ctime>
#include <string>

using namespace yard;
using namespace yard::alerts;

class TestAlertRules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aRuleIsReadAsItIsWritten();
    void aChangeKeepsWhatItDoesNotName();
    void eachKindHasItsUsualLimit_data();
    void eachKindHasItsUsualLimit();
    void whatIsNoRuleIsRefused_data();
    void whatIsNoRuleIsRefused();
    void aFilterIsSplitByWhatDecidesIt();
    void hoursHoldAlsoOverMidnight();
    void whatAreNoHoursIsRefused();
    void anAddressIsTakenApart_data();
    void anAddressIsTakenApart();
    void aRedirectionStaysWithItsOriginOrGoesWhereItMay_data();
    void aRedirectionStaysWithItsOriginOrGoesWhereItMay();

private:
    static std::string written(const Rule& rule) {
        std::string text;
        JsonWriter writer(text);
        writer.openObject();
        writeRule(writer, rule);
        writer.closeObject();
        return text;
    }
};

void TestAlertRules::initTestCase() {
    qputenv("TZ", "UTC");
    ::tzset();
}

void TestAlertRules::aRuleIsReadAsItIsWritten() {
    const std::string json =
        R"({"name":"night","on":{"kind":"failures","filter":"queue:7","over":5,"for_s":60},"then":[{"desktop":true},)"
        R"({"command":["notify","-u"]},{"webhook":"https://hooks.example/x?y=1","template":"slack"}],"quiet_s":30,)"
        R"("repeat_s":3600,"hours":"08:00-20:00","severity":"critical"})";
    const auto rule = readRule(json, {});
    QVERIFY(rule);
    QCOMPARE(written(*rule), json);
    const auto again = readRule(written(*rule), {});
    QVERIFY(again);
    QCOMPARE(written(*again), json);
}

void TestAlertRules::aChangeKeepsWhatItDoesNotName() {
    const auto rule = readRule(R"({"name":"a","on":{"kind":"disk","over":80},"then":[{"desktop":true}]})", {});
    const auto changed = readRule(R"({"quiet_s":5})", *rule);
    QVERIFY(changed);
    QCOMPARE(changed->over, 80.0);
    QCOMPARE(changed->then.size(), std::size_t(1));
    QCOMPARE(changed->quietSeconds, 5.0);
    const auto another = readRule(R"({"on":{"kind":"memory"}})", *rule);
    QCOMPARE(another->over, 90.0); // "on" as a whole
}

void TestAlertRules::eachKindHasItsUsualLimit_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("on");
    const auto row = [](const char* kind, const char* rest) {
        QTest::newRow(kind) << kind << QString::fromLatin1(R"({"kind":"%1"%2})").arg(kind, rest);
    };
    row("queue_age", R"(,"over":3600,"for_s":0)");
    row("silence", R"(,"over":600,"for_s":0)");
    row("failures", R"(,"over":3,"for_s":0)");
    row("failure_rate", R"(,"over":20,"for_s":3600)");
    row("memory", R"(,"over":90,"for_s":0)");
    row("disk", R"(,"over":95,"for_s":0)");
    row("machine", R"(,"for_s":0)");
    row("queue_finished", R"(,"over":1)");
    row("action_finished", "");
    row("stuck_objects", R"(,"for_s":0)");
    row("regression", "");
    row("orphan", R"(,"for_s":0)");
    row("schedule_missed", "");
    row("gpu_lost", R"(,"for_s":0)");
}

void TestAlertRules::eachKindHasItsUsualLimit() {
    QFETCH(QString, kind);
    QFETCH(QString, on);
    const auto rule = readRule(R"({"name":"a","on":{"kind":")" + kind.toStdString() + R"("}})", {});
    QVERIFY(rule);
    QVERIFY2(written(*rule).find(on.toStdString()) != std::string::npos, written(*rule).c_str());
}

void TestAlertRules::whatIsNoRuleIsRefused_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("field");
    const auto row = [](const char* json, const char* field) { QTest::newRow(json) << json << field; };
    row(R"([])", "");
    row(R"({)", "");
    row(R"({"on":{"kind":"disk"}})", "name");
    row(R"({"name":"7","on":{"kind":"disk"}})", "name");
    row(R"({"name":"test","on":{"kind":"disk"}})", "name");
    row(R"({"name":"a"})", "on");
    row(R"({"name":"a","on":{}})", "kind");
    row(R"({"name":"a","on":{"kind":"weather"}})", "kind");
    row(R"({"name":"a","on":{"kind":"disk","over":101}})", "over");
    row(R"({"name":"a","on":{"kind":"disk","over":"9"}})", "over");
    row(R"({"name":"a","on":{"kind":"machine","over":1}})", "over");
    row(R"({"name":"a","on":{"kind":"queue_finished","for_s":1}})", "for_s");
    row(R"({"name":"a","on":{"kind":"failure_rate","for_s":0}})", "for_s");
    row(R"({"name":"a","on":{"kind":"disk","filter":"queue:1"}})", "filter");
    row(R"({"name":"a","on":{"kind":"queue_age","filter":"cpu>5"}})", "filter");
    row(R"({"name":"a","on":{"kind":"machine","filter":"queue:1"}})", "filter");
    row(R"({"name":"a","on":{"kind":"action_finished","filter":"comment:x"}})", "filter");
    row(R"({"name":"a","on":{"kind":"action_finished","filter":"colour:x"}})", "filter");
    row(R"({"name":"a","on":{"kind":"disk"},"then":[{}]})", "then");
    row(R"({"name":"a","on":{"kind":"disk"},"then":[{"desktop":false}]})", "then");
    row(R"({"name":"a","on":{"kind":"disk"},"then":[{"desktop":true,"command":["x"]}]})", "then");
    row(R"({"name":"a","on":{"kind":"disk"},"then":[{"desktop":true,"template":"json"}]})", "template");
    row(R"({"name":"a","on":{"kind":"disk"},"then":[{"command":[]}]})", "command");
    row(R"({"name":"a","on":{"kind":"disk"},"then":[{"command":[""]}]})", "command");
    row(R"({"name":"a","on":{"kind":"disk"},"then":[{"webhook":"ftp://x/"}]})", "webhook");
    row(R"({"name":"a","on":{"kind":"disk"},"then":[{"webhook":"http://x/","template":"xml"}]})", "template");
    row(R"({"name":"a","on":{"kind":"disk"},"quiet_s":-1})", "quiet_s");
    row(R"({"name":"a","on":{"kind":"disk"},"repeat_s":0.5})", "repeat_s");
    row(R"({"name":"a","on":{"kind":"disk"},"hours":"8-20"})", "hours");
    row(R"({"name":"a","on":{"kind":"disk"},"severity":"loud"})", "severity");
    row(R"({"name":"a","on":{"kind":"disk"},"colour":"red"})", "colour");
}

void TestAlertRules::whatIsNoRuleIsRefused() {
    QFETCH(QString, json);
    QFETCH(QString, field);
    const auto rule = readRule(json.toStdString(), {});
    QVERIFY(!rule);
    QCOMPARE(rule.error().field, field.toStdString());
    QVERIFY(rule.error().message.ends_with('.'));
}

void TestAlertRules::aFilterIsSplitByWhatDecidesIt() {
    const auto rule =
        readRule(R"({"name":"a","on":{"kind":"action_finished","filter":"state:failed cpu>50 queue:7"}})", {});
    const auto split = splitFilter(*rule, 0);
    QVERIFY(split);
    QCOMPARE(split->sure.terms.size(), std::size_t(2));
    QCOMPARE(split->rest.terms.size(), std::size_t(1));
}

void TestAlertRules::hoursHoldAlsoOverMidnight() {
    constexpr WallMicros kHour = 3'600'000'000;
    const auto day = Hours::parse("08:00-20:00");
    QVERIFY(!day->isWithin(7 * kHour));
    QVERIFY(day->isWithin(8 * kHour));
    QVERIFY(!day->isWithin(20 * kHour));
    QCOMPARE(day->nextWithin(9 * kHour), 9 * kHour);
    QCOMPARE(day->nextWithin(21 * kHour), 32 * kHour);
    const auto night = Hours::parse("22:00-06:30");
    QVERIFY(night->isWithin(23 * kHour));
    QVERIFY(night->isWithin(6 * kHour));
    QVERIFY(!night->isWithin(7 * kHour));
    QCOMPARE(night->nextWithin(7 * kHour), 22 * kHour);
    QVERIFY(Hours::parse("")->isWithin(0));
    QVERIFY(Hours::parse("00:00-24:00")->isWithin(5 * kHour));
}

void TestAlertRules::whatAreNoHoursIsRefused() {
    for (const char* text : {"8:00-20:00", "08:00", "08:60-09:00", "25:00-26:00", "08:00_20:00", "08:00-20:00 "})
        QVERIFY2(!Hours::parse(text), text);
}

void TestAlertRules::anAddressIsTakenApart_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("parts"); // empty: refused
    const auto row = [](const char* text, const char* parts) { QTest::newRow(text) << text << parts; };
    row("https://Hooks.Example/a?b", "https://hooks.example:443 /a?b hooks.example");
    row("http://127.0.0.1:8080", "http://127.0.0.1:8080 / 127.0.0.1:8080");
    row("http://[::1]:9/x", "http://::1:9 /x [::1]:9");
    row("http://host?x=1", "http://host:80 /?x=1 host");
    row("ftp://host/", "");
    row("//host/", "");
    row("http://", "");
    row("http://user@host/", "");
    row("http://host:0/", "");
    row("http://host:x/", "");
    row("http://host/a b", "");
    row("http://host/#x", "");
    row("http://host\\x/", "");
    row("http://[::1/", "");
    row("http://host\r\nX: y/", "");
}

void TestAlertRules::anAddressIsTakenApart() {
    QFETCH(QString, text);
    QFETCH(QString, parts);
    const auto url = parseUrl(text.toStdString());
    QCOMPARE(url ? url->origin() + " " + url->target + " " + url->authority() : std::string(), parts.toStdString());
}

void TestAlertRules::aRedirectionStaysWithItsOriginOrGoesWhereItMay_data() {
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("allowed");
    QTest::addColumn<bool>("may");
    QTest::newRow("a path") << "/other" << "" << true;
    QTest::newRow("the same origin") << "http://127.0.0.1:80/x" << "" << true;
    QTest::newRow("another port") << "http://127.0.0.1:81/x" << "" << false;
    QTest::newRow("another address") << "http://127.0.0.2/x" << "" << false;
    QTest::newRow("another host without a scheme") << "//127.0.0.2/x" << "" << false;
    QTest::newRow("a host that is allowed") << "https://Hooks.example/x" << "a, hooks.example" << true;
    QTest::newRow("a network that is allowed") << "http://127.0.0.2/x" << "10.0.0.0/8 127.0.0.0/8" << true;
    QTest::newRow("another network") << "http://10.1.0.1/x" << "10.0.0.0/16" << false;
    QTest::newRow("a network of IPv6") << "http://[fd00::5]/x" << "fd00::/8" << true;
    QTest::newRow("all of IPv6 is not IPv4") << "http://127.0.0.2/x" << "::/0" << false;
    QTest::newRow("a network that is none") << "http://127.0.0.2/x" << "127.0.0.0/33 127.0.0.0/ /8" << false;
    QTest::newRow("a name is in no network") << "http://localhost/x" << "127.0.0.0/8" << false;
}

void TestAlertRules::aRedirectionStaysWithItsOriginOrGoesWhereItMay() {
    QFETCH(QString, location);
    QFETCH(QString, allowed);
    QFETCH(bool, may);
    const Url from = *parseUrl("http://127.0.0.1/hook");
    const auto to = redirected(from, location.toStdString());
    QCOMPARE(to && mayFollow(from, *to, allowed.toStdString()), may);
    // What was encrypted is not told in the clear.
    QVERIFY(!mayFollow(*parseUrl("https://a/"), *parseUrl("http://b/"), "b"));
}

QTEST_GUILESS_MAIN(TestAlertRules)
#include "tst_rules.moc"
