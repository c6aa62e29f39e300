// yardctl courtesy: what it asks for, and what it says.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>

using namespace yard;
using namespace yard::test;

namespace {

constexpr const char* kActive =
    R"({"setting":"auto","profile":"gentle","cores":8,"keeps_awake":true,"profiles":["off","gentle"],)"
    R"("measures":[{"name":"idle_priority","since":1,"because":"active"},)"
    R"({"name":"fewer_cores","cores":1,"since":1,"because":"active"},{"name":"hold","since":1,"because":"heat"}],)"
    R"("conditions":[{"name":"heat","value":91.5,"unit":"C","source":"/sys/class/thermal","since":1}],"changes":[]})";
constexpr const char* kQuiet =
    R"({"setting":"polite","profile":"polite","cores":8,"keeps_awake":false,"profiles":["off"],"measures":[],)"
    R"("conditions":[],"changes":[]})";

} // namespace

class TestYardctlCourtesy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itShowsMeasuresAndConditions() {
        FakeServer server(table({{"GET /compute/courtesy", {.body = kActive}}}));
        const DataDirectory data(server);
        const Ended shown = data.run({"courtesy"});
        QCOMPARE(shown.code, 0);
        QVERIFY2(shown.out.starts_with("profile   gentle (auto)\n"
                                       "measures  actions run at idle priority: active\n"
                                       "          1 of 8 cores left free: active\n"
                                       "          nothing new starts: heat\n"
                                       "awake     the machine does not go to sleep\n"),
                 shown.out.c_str());
        QVERIFY2(shown.out.contains("91.5"), shown.out.c_str());
        QCOMPARE(data.run({"courtesy", "show"}).out, shown.out);
        QCOMPARE(data.run({"--json", "courtesy"}).out, std::string(kActive) + "\n");
    }

    void whatIsNotKnownIsSaidSo() {
        std::string answer = kActive;
        answer.replace(answer.find(R"("because":"heat")"), 16, R"("because":"idle")");
        FakeServer server(table({{"GET /compute/courtesy", {.body = answer}}}));
        const Ended shown = DataDirectory(server).run({"courtesy"});
        QVERIFY2(
            shown.out.contains("nothing new starts: how long nobody has used this machine is not known here\n"),
            shown.out.c_str());
    }

    void whereNothingIsInForceItSaysSo() {
        FakeServer server(table({{"GET /compute/courtesy", {.body = kQuiet}}}));
        QCOMPARE(DataDirectory(server).run({"courtesy"}).out, "profile   polite\nmeasures  none\n");
    }

    void aProfileIsChosen() {
        FakeServer server(table({{"PATCH /compute/courtesy", {.body = kQuiet}}}));
        const DataDirectory data(server);
        const Ended chosen = data.run({"courtesy", "polite"});
        QCOMPARE(chosen.code, 0);
        QCOMPARE(chosen.out, "courtesy is polite\n");
        QCOMPARE(server.requests().back().body, R"({"profile":"polite"})");
        QCOMPARE(data.run({"courtesy", "for", "2h", "off"}).code, 0);
        QCOMPARE(server.requests().back().body, R"({"for_s":7200,"profile":"off"})");
    }

    void aProfileForAWhileIsSaidWithItsEnd() {
        std::string answer = kQuiet;
        answer.replace(0, 1, R"({"until":1,)");
        FakeServer server(table({{"PATCH /compute/courtesy", {.body = answer}}}));
        const Ended chosen = DataDirectory(server).run({"courtesy", "for", "1h", "polite"});
        QVERIFY2(chosen.out.contains("courtesy is polite until "), chosen.out.c_str());
        QVERIFY2(chosen.out.contains(", then polite"), chosen.out.c_str());
    }

    void whatIsWrongIsSaid() {
        FakeServer server(table({}));
        const DataDirectory data(server);
        QCOMPARE(data.run({"courtesy", "gentle", "polite"}).code, 2);
        QCOMPARE(data.run({"courtesy", "for", "2h"}).code, 2);
        QCOMPARE(data.run({"courtesy", "for", "soon", "off"}).code, 2);
        const Ended tooLong = data.run({"courtesy", "for", "8d", "off"});
        QCOMPARE(tooLong.code, 2);
        QVERIFY2(tooLong.err.contains("'8d' is not from 1 s to 7 days"), tooLong.err.c_str());
        QVERIFY(server.requests().empty());
    }
};

QTEST_GUILESS_MAIN(TestYardctlCourtesy)
#include "tst_yardctl_courtesy.moc"
