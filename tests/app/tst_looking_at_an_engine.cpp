// yardctl logs, ls, wait and completion at a real engine: many actions at once, engines that die, attempts.
#include "tests/app/ctl_process.h"
#include "tests/torture/program.h"

#include <QTest>
#include <algorithm>
#include <memory>

using namespace yard;
using namespace yard::torture;

namespace {

/// So long without a word, and what may have come before anybody listened is done again.
constexpr int kAgainMs = 5'000;

QStringList at(const Place& place, const QStringList& words) {
    return QStringList{"--data-dir", QString::fromStdString(place.data())} + words;
}

test::Ended ctl(const Place& place, const QStringList& words) {
    return test::CtlProcess(at(place, words)).end();
}

/// Does `before`, waits for the file "go", does `after`.
QString inTwoParts(const Place& place, const QString& before, const QString& after) {
    return QString("cd %1; %2; until [ -e go ]; do %3 0.02; done; %4")
        .arg(QString::fromStdString(place.work()), before, QString::fromStdString(place.nap()), after);
}

std::vector<std::string> sortedLines(const std::string& text) {
    std::vector<std::string> lines;
    for (const QByteArray& line : QByteArray::fromStdString(text).trimmed().split('\n'))
        lines.push_back(line.toStdString());
    std::ranges::sort(lines);
    return lines;
}

} // namespace

class TestLookingAtAnEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void severalAreFollowedOverARestart();
    void theTailOfWhatRunsIsFollowed();
    void sinceShowsEachAttemptThatWasNotOver();
    void columnsShowWhatTheEngineKnows();
    void waitEndsAsItIsTold();
    void whatLeavesAFilterIsSaid();
    void whatIsWrongInAFilterIsWrongUsage_data();
    void whatIsWrongInAFilterIsWrongUsage();
    void shellsAreToldWhatItHas();
};

void TestLookingAtAnEngine::severalAreFollowedOverARestart() {
    Place place;
    auto engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    for (const char* label : {"a", "b"})
        QCOMPARE(ctl(place, {"run", "-d", "--interruptions", "1", "--label", label, "-c",
                             inTwoParts(place, "echo begun", "echo done >&2")})
                     .code,
                 0);
    test::CtlProcess logs(at(place, {"logs", "-f", "1", "2"}));
    QVERIFY(logs.waitForOutput(24)); // a line of each
    engine->kill();
    engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    writeText(place.path("work/go"), "");
    const test::Ended ended = logs.end();
    QCOMPARE(ended.code, 0);
    QCOMPARE(sortedLines(ended.out),
             (std::vector<std::string>{"1 a | begun", "1 a | begun", "2 b | begun", "2 b | begun"}));
    for (const char* line : {"1 a | done\n", "2 b | done\n", "yardctl: action 2: attempt 1 "})
        QVERIFY2(ended.err.contains(line), ended.err.c_str());
    QCOMPARE(engine->stop(), 0);
}

void TestLookingAtAnEngine::theTailOfWhatRunsIsFollowed() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"run", "-d", "-c", inTwoParts(place, "seq 1 1000", "echo last")}).code, 0);
    QVERIFY(eventually([&] { return ctl(place, {"logs", "1"}).out.ends_with("\n1000\n"); }));
    QCOMPARE(ctl(place, {"logs", "--tail", "3", "1"}).out, std::string("998\n999\n1000\n"));
    test::CtlProcess logs(at(place, {"logs", "-f", "--tail", "2", "1"}));
    QVERIFY(logs.waitForOutput(9));
    writeText(place.path("work/go"), "");
    QCOMPARE(logs.end().out, std::string("999\n1000\nlast\n"));
    QCOMPARE(ctl(place, {"logs", "--tail", "1", "1"}).out, std::string("last\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestLookingAtAnEngine::sinceShowsEachAttemptThatWasNotOver() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString script =
        QString("cd %1; if [ -e tried ]; then echo second; else touch tried; echo first; exit 1; fi")
            .arg(QString::fromStdString(place.work()));
    QCOMPARE(ctl(place, {"run", "--retries", "1", "-c", script}).code, 0);
    QCOMPARE(ctl(place, {"logs", "1"}).out, std::string("second\n"));
    QCOMPARE(ctl(place, {"logs", "--attempt", "1", "1"}).out, std::string("first\n"));
    const test::Ended since = ctl(place, {"logs", "--since", "-1h", "1"});
    QCOMPARE(since.out, std::string("first\nsecond\n"));
    QCOMPARE(since.err, std::string("yardctl: action 1: attempt 1\nyardctl: action 1: attempt 2\n"));
    QCOMPARE(ctl(place, {"logs", "--tail", "1", "1"}).out, std::string("second\n"));
    QCOMPARE(ctl(place, {"logs", "-f", "--since", "-1h", "1"}).out, std::string("first\nsecond\n"));
    const test::Ended over = ctl(place, {"logs", "--since", "now", "1"});
    QCOMPARE(over.out, std::string());
    QCOMPARE(over.code, 0);
    QCOMPARE(engine.stop(), 0);
}

void TestLookingAtAnEngine::columnsShowWhatTheEngineKnows() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"run", "-p", "5", "--label", "bad", "-c", "exit 3"}).code, 3);
    QCOMPARE(ctl(place, {"ls", "--columns", "name,exit,reason,tries,queue,worker,priority,label,signal"}).out,
             std::string("WHAT  EXIT  REASON     TRIES  QUEUE  WORKER  PRIORITY  LABEL  SIGNAL\n"
                         "bad      3  exit_code      1      0  exec           5  bad    -\n"));
    QCOMPARE(ctl(place, {"run", "-d", "--hold", "true"}).code, 0);
    QCOMPARE(ctl(place, {"ls", "--columns", "lsn,tries", "2"}).out, std::string("LSN  TRIES\n"
                                                                                "  2      0\n"));
    QCOMPARE(ctl(place, {"cancel", "2"}).code, 0);
    QCOMPARE(ctl(place, {"ls", "--columns", "tries", "2"}).out, std::string("TRIES\n"
                                                                            "    0\n"));
    QCOMPARE(ctl(place, {"retire", "2"}).code, 0);
    // All there are: none asks for something that rows do not have.
    std::string all;
    for (const std::string& line : sortedLines(ctl(place, {"completion", "values", "columns"}).out))
        all += (all.empty() ? "" : ",") + line.substr(0, line.find('\t'));
    const test::Ended wide = ctl(place, {"ls", "--columns", QString::fromStdString(all)});
    QCOMPARE(wide.err, std::string());
    QCOMPARE(sortedLines(wide.out).size(), 2U);
    QCOMPARE(engine.stop(), 0);
}

void TestLookingAtAnEngine::waitEndsAsItIsTold() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"run", "-d", "--label", "long", "-c", inTwoParts(place, "true", "true")}).code, 0);
    QCOMPARE(ctl(place, {"run", "-d", "--label", "good", "true"}).code, 0);
    QCOMPARE(ctl(place, {"run", "-d", "--label", "bad", "false"}).code, 0);
    QCOMPARE(ctl(place, {"wait", "2..3"}).code, 1);
    const test::Ended any = ctl(place, {"wait", "--any", "1", "2"});
    QCOMPARE(any.code, 0);
    QVERIFY2(any.out.starts_with("2  completed  good"), any.out.c_str());
    const test::Ended fast = ctl(place, {"wait", "--fail-fast", "1..3"});
    QCOMPARE(fast.code, 1);
    QVERIFY2(fast.out.contains("3  failed: exit code 1  bad") && !fast.out.contains("long"), fast.out.c_str());
    // Not after an hour.
    QCOMPARE(ctl(place, {"wait", "1", "9"}).err, std::string("yardctl: there is no action 9\n"));
    const test::Ended late = ctl(place, {"wait", "--all", "--timeout", "0", "1..3"});
    QCOMPARE(late.code, 124);
    QVERIFY2(late.err.contains("action 1 is still"), late.err.c_str());
    writeText(place.path("work/go"), "");
    QCOMPARE(ctl(place, {"wait", "--all", "1", "2"}).code, 0);
    // A range means the actions in it, whatever is not there.
    QCOMPARE(ctl(place, {"wait", "1..2"}).code, 0);
    QCOMPARE(ctl(place, {"wait", "2..100000000"}).code, 1);
    QCOMPARE(ctl(place, {"show", "50..60"}).err,
             std::string("yardctl: there are no actions from 50 to 60; 'yardctl ls' lists those there are\n"));
    // 3 had failed before: whether the wait sees it fail does not matter.
    const test::Ended queue = ctl(place, {"wait", "--queue", "0"});
    QCOMPARE(queue.code, 1);
    QVERIFY2(queue.err.contains("1 of the queue had ended otherwise than completed before: 3;"), queue.err.c_str());
    QCOMPARE(ctl(place, {"wait", "--queue", "0", "--filter", "label:good"}).code, 0);
    const test::Ended mistyped = ctl(place, {"wait", "--filter", "label:god"});
    QCOMPARE(mistyped.err, std::string("yardctl: no action matches 'label:god'\n"));
    QCOMPARE(mistyped.code, 1);
    QCOMPARE(ctl(place, {"wait", "99"}).code, 2);
    QCOMPARE(ctl(place, {"wait", "--queue", "99"}).code, 2);
    QCOMPARE(engine.stop(), 0);
}

void TestLookingAtAnEngine::whatLeavesAFilterIsSaid() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    // Until a command watches, what happens is passed over.
    const auto isToldOf = [&](test::CtlProcess& events, const char* words, bool retires) {
        return QTest::qWaitFor(
            [&] {
                const std::string out = ctl(place, {"run", "-d", "--hold", "--label", "x", "true"}).out;
                const QString lsn = QString::fromStdString(out).trimmed();
                (void)ctl(place, {"release", lsn});
                (void)ctl(place, {"wait", lsn});
                if (retires) (void)ctl(place, {"retire", lsn});
                (void)events.waitForOutput(events.outSoFar().size() + 1, kAgainMs);
                return events.outSoFar().contains(words);
            },
            kWaitMs);
    };
    test::CtlProcess pending(at(place, {"events", "state:pending"}));
    QVERIFY2(isToldOf(pending, "  left the filter: completed\n", false), pending.outSoFar().c_str());
    test::CtlProcess labelled(at(place, {"events", "label:x"}));
    QVERIFY2(isToldOf(labelled, "  retired\n", true), labelled.outSoFar().c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestLookingAtAnEngine::whatIsWrongInAFilterIsWrongUsage_data() {
    QTest::addColumn<QStringList>("words");
    const auto row = [](const QStringList& words) { QTest::newRow(words.join(' ').toUtf8().constData()) << words; };
    row({"ls", "state:foo"}); // as a parameter
    row({"ls", "cpu:abc"});   // in the filter language
    row({"ls", "--sort", "colour"});
    row({"wait", "--filter", "cpu:abc"});
    row({"cancel", "--filter", "cpu:abc"});
    row({"retire", "--filter", "state:foo", "--dry-run"});
    row({"events", "state:foo"});
    // A queue that is not there; `events` would wait for it.
    for (const char* filter : {"queue:99", "queue:none"}) {
        row({"ls", filter});
        row({"--json", "ls", filter});
        row({"search", "x", filter});
        row({"--json", "search", "x", filter});
        row({"events", filter});
        row({"failures", filter});
        row({"--json", "failures", filter});
        row({"wait", "--filter", filter});
        row({"cancel", "--filter", filter});
        row({"--json", "hold", "--filter", filter});
        row({"retry", "--filter", filter, "--dry-run"});
        row({"priority", "5", "--filter", filter});
    }
    row({"move", "--queue", "0", "--filter", "queue:none"});
    row({"ls", "--count-by", "state", "queue:99"});
    row({"--json", "ls", "--count-by", "state", "queue:99"});
    row({"settings", "grace_s=abc"});
    row({"queue", "create", "max_running=abc"});
}

void TestLookingAtAnEngine::whatIsWrongInAFilterIsWrongUsage() {
    QFETCH(QStringList, words);
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended ended = ctl(place, words);
    QVERIFY2(ended.code == 2, ended.err.c_str());
    const char* begin = words.front() == "--json" ? R"({"error":)" : "yardctl: ";
    QVERIFY2(ended.err.starts_with(begin), ended.err.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestLookingAtAnEngine::shellsAreToldWhatItHas() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(ctl(place, {"queue", "create", "--tag", "two words"}).code, 0);
    QCOMPARE(ctl(place, {"run", "--label", "tidy", "--lock", "app:x", "true"}).code, 0);
    const auto values = [&](const char* kind, const char* word) {
        return ctl(place, {"completion", "values", kind, "--", word}).out;
    };
    QVERIFY2(values("settings", "").contains("grace_s=\t"), values("settings", "").c_str());
    QVERIFY2(values("settings", "log_level=").contains("log_level=debug\t"),
             values("settings", "log_level=").c_str());
    QVERIFY2(values("filters", "queue:").contains("queue:\"two words\"\tqueue 1\n"),
             values("filters", "queue:").c_str());
    QCOMPARE(values("filters", "label:"), std::string("label:tidy\taction 1\n"));
    QCOMPARE(values("filters", "lsn:"), std::string("lsn:1\ttidy (completed)\n"));
    QVERIFY(values("filters", "worker:").contains("worker:exec\t"));
    QCOMPARE(ctl(place, {"completion", "values", "filters", "lock:"}).code, 0);
    // Whatever is offered as a value is one.
    for (const std::string& line : sortedLines(values("filters", "reason:") + values("filters", "state:") +
                                               values("filters", "new:") + values("filters", "finished>")))
        QCOMPARE(ctl(place, {"ls", QString::fromStdString(line.substr(0, line.find('\t')))}).code, 0);
    for (const std::string& line : sortedLines(values("sorts", "-")))
        QCOMPARE(ctl(place, {"ls", "--sort", QString::fromStdString(line.substr(0, line.find('\t')))}).code, 0);
    QCOMPARE(engine.stop(), 0);
}

QTEST_GUILESS_MAIN(TestLookingAtAnEngine)
#include "tst_looking_at_an_engine.moc"
