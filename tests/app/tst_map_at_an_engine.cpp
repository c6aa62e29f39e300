// yardctl map at a real engine, and its bad days: clients and engines that are killed, readers that leave, hostile values.
#include "tests/app/at_engine.h"

#include "app/yardctl/map/job_log.h"

#include <QTest>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>

using namespace yard;
using namespace yard::torture;
using test::at;
using test::CtlProcess;
using test::Ended;
namespace fs = std::filesystem;

namespace {

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

/// With a shell around it: "$0" is yardctl, "$1" the data directory.
Ended shell(const Place& place, const QString& line) {
    return CtlProcess({"-c", line, YARDCTL_PATH, text(place.data())}, {}, "sh").end();
}

Ended run(const Place& place, const QStringList& words) {
    return CtlProcess(at(place, words)).end();
}

QStringList numbers(int last) {
    QStringList out;
    for (int i = 1; i <= last; ++i) out << QString::number(i);
    return out;
}

/// Notes that job {} begins, takes a moment, prints {}.
QString noting(const Place& place) {
    return QString("echo x >> %1/ran.{}; %2 0.03; echo {}").arg(text(place.work()), text(place.nap()));
}

/// How often each job noted that it began; those that did not at all are not there.
std::map<std::string, std::size_t> begun(const Place& place) {
    std::map<std::string, std::size_t> out;
    for (const fs::directory_entry& entry : fs::directory_iterator(place.work()))
        if (const std::string name = entry.path().filename(); name.starts_with("ran."))
            out[name.substr(4)] = fileText(entry.path()).size() / 2;
    return out;
}

std::size_t rowsOf(const std::string& log) {
    const std::string all = fileText(log);
    return all.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(all, '\n')) - 1;
}

} // namespace

class TestMapAtAnEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void outputComesInTheOrderOfTheValues();
    void theQueueGoesWithTheMap();
    void theQueueGoesWhereNothingCanBeWritten();
    void whatItWaitsForIsSaid();
    void howHeldJobsAreReleasedIsSaid();
    void linesComeAsTheyAreWritten();
    void aFailureIsTriedAgainWhereAsked();
    void whatTakesLongerThanOthersIsEnded();
    void moreThanTheCoresRunAtOnce();
    void noTwoShareAPlace();
    void haltNowEndsWhatRuns();
    void jsonHasARowForEachJob();
    void whatIsDetachedGoesOn();
    void aLogThatBeginsAnewLeadsToNothingOlder();
    void aLogOfOtherCommandsIsWarnedOf();
    void theBarIsOfWhatIsToRun();
    void ctrlCCancelsAndResumeGoesOn();
    void whatASecondCtrlCLeftIsRunAgain();
    void aKilledClientIsResumed_data();
    void aKilledClientIsResumed();
    void anEngineThatIsKilledIsFoundAgain();
    void aReaderThatLeavesEndsItQuietly();
    void valuesHaveEveryByte();
    void twoMegabytesOfValues();
    void inputIsReadAsItComes();
    void whatCannotBeDoneIsSaid();
};

void TestMapAtAnEngine::outputComesInTheOrderOfTheValues() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const Ended ended = run(place, {"map", "-k", "-j2", "sleep 0.{}; echo {}", ":::", "3", "1", "2", "0"});
    QCOMPARE(ended.out, std::string("3\n1\n2\n0\n"));
    QCOMPARE(ended.err, std::string());
    QCOMPARE(ended.code, 0);
    const Ended both = run(place, {"map", "--tag", "-k", "echo out; echo err >&2 #", ":::", "a"});
    QCOMPARE(both.out, std::string("a\tout\n"));
    QCOMPARE(both.err, std::string("a\terr\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::theQueueGoesWithTheMap() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(run(place, {"map", "-l", "mine", "true", ":::", "1", "2"}).code, 0);
    QVERIFY(!run(place, {"queues"}).out.contains("map true"));
    QVERIFY(run(place, {"ls", "label:mine", "state:completed"}).out.contains("mine"));
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::theQueueGoesWhereNothingCanBeWritten() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    // Files take no byte here, as on a full disk.
    const Ended ended =
        shell(place, QString("trap '' XFSZ; ulimit -f 0; \"$0\" --data-dir \"$1\" map echo {} ::: 1 2 3 "
                             "> %1/out")
                         .arg(text(place.work())));
    QCOMPARE(ended.code, 125);
    QTRY_VERIFY_WITH_TIMEOUT(!run(place, {"queues"}).out.contains("map echo"), kWaitMs);
    const Ended noLog = shell(
        place, QString("trap '' XFSZ; ulimit -f 0; \"$0\" --data-dir \"$1\" map --joblog %1/log echo {} ::: 1")
                   .arg(text(place.work())));
    QCOMPARE(noLog.code, 125);
    QVERIFY2(noLog.err.contains("cannot write the job log"), noLog.err.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::whatItWaitsForIsSaid() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    CtlProcess map(at(place, {"map", "--bar", "--machine", "nosuch", "echo {}", ":::", "a"}));
    QVERIFY(map.waitForError("yardctl: action 1 waits: "));
    map.signal(SIGINT);
    QCOMPARE(map.end().code, 130);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::howHeldJobsAreReleasedIsSaid() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    CtlProcess map(at(place, {"map", "--hold", "echo {}", ":::", "a"}));
    QVERIFY(map.waitForError("yardctl: the jobs are held; 'yardctl release --filter queue:1' lets them start\n"));
    QCOMPARE(run(place, {"release", "--filter", "queue:1"}).code, 0);
    QCOMPARE(map.end().out, std::string("a\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::linesComeAsTheyAreWritten() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString line = QString("cd %1; echo begun; until [ -e go ]; do %2 0.02; done; echo done {}")
                             .arg(text(place.work()), text(place.nap()));
    CtlProcess map(at(place, {"map", "--line-buffer", "--tag", line, ":::", "v"}));
    QVERIFY(map.waitForOutput(std::string("v\tbegun\n").size()));
    writeText(place.work() + "/go", "");
    const Ended ended = map.end();
    QCOMPARE(ended.out, std::string("v\tbegun\nv\tdone v\n"));
    QCOMPARE(ended.code, 0);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::aFailureIsTriedAgainWhereAsked() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString flaky = QString("[ -e %1/{} ] || { touch %1/{}; exit 1; }; echo {}").arg(text(place.work()));
    QCOMPARE(run(place, {"map", flaky, ":::", "a"}).code, 1);
    const Ended again = run(place, {"map", "--retries", "1", flaky, ":::", "b"});
    QCOMPARE(again.out, std::string("b\n"));
    QCOMPARE(again.code, 0);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::whatTakesLongerThanOthersIsEnded() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string log = place.path("log");
    // The short ones take 0.3 s: a slow machine does not make another of them long.
    const Ended ended = run(place, {"map", "--timeout", "1000%", "--joblog", text(log), text(place.nap() + " {}"),
                                    ":::", "0.3", "0.3", "0.3", "3600"});
    QCOMPARE(ended.code, 1);
    QVERIFY2(fileText(log).contains("\t-1\t15\t"), fileText(log).c_str());
    QVERIFY2(ended.err.contains("job 4, action ") && ended.err.contains("took over 1000 % of the median"),
             ended.err.c_str());
    QVERIFY(processesOf(place, engine.pid()).size() <= 1); // the launcher
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::moreThanTheCoresRunAtOnce() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    // Each waits until all twelve are there.
    const QString meet = QString("cd %1; touch at.{}; until [ $(ls at.* | wc -l) = 12 ]; do %2 0.02; done")
                             .arg(text(place.work()), text(place.nap()));
    QCOMPARE(run(place, QStringList{"map", "-j12", meet, ":::"} + numbers(12)).code, 0);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::noTwoShareAPlace() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString alone = QString("cd %1 && mkdir place.{%} && [ {%} -le 3 ] && %2 0.02 && rmdir place.{%}")
                              .arg(text(place.work()), text(place.nap()));
    QCOMPARE(run(place, QStringList{"map", "-j3", alone + " #", ":::"} + numbers(20)).code, 0);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::haltNowEndsWhatRuns() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString line = QString("[ {} = 2 ] && exit 7; %1 3600").arg(text(place.nap()));
    const Ended ended = run(place, {"map", "-j2", "--halt", "now,fail=1", line, ":::", "1", "2", "3"});
    QCOMPARE(ended.code, 7);
    QVERIFY2(ended.err.contains("stopping because of job 2"), ended.err.c_str());
    QVERIFY(processesOf(place, engine.pid()).size() <= 1);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::jsonHasARowForEachJob() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const Ended ended = run(place, {"--json", "map", "-k", "exit", ":::", "0", "3"});
    QCOMPARE(ended.code, 1);
    const std::size_t half = ended.out.find('\n');
    QCOMPARE(boost::json::parse(ended.out.substr(0, half)).at("state").as_string(), "completed");
    QCOMPARE(boost::json::parse(ended.out.substr(half + 1)).at("exit_code").as_int64(), 3);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::whatIsDetachedGoesOn() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString log = text(place.path("log"));
    const Ended ended = run(place, QStringList{"map", "-d", "--joblog", log, noting(place), ":::"} + numbers(10));
    QCOMPARE(ended.code, 0);
    QCOMPARE(run(place, {"wait", "--queue", text(ended.out).trimmed()}).code, 0);
    QCOMPARE(begun(place).size(), 10u);
    // Whoever comes back with the log collects what it printed.
    const Ended back =
        run(place, QStringList{"map", "-k", "--joblog", log, "--resume", noting(place), ":::"} + numbers(10));
    QCOMPARE(back.out, std::string("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"));
    for (const auto& [job, times] : begun(place)) QCOMPARE(times, 1u);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::aLogThatBeginsAnewLeadsToNothingOlder() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QString log = text(place.path("log"));
    QCOMPARE(run(place, {"map", "-d", "--joblog", log, "echo old", ":::", "1", "2", "3"}).code, 0);
    QCOMPARE(run(place, {"map", "-d", "--joblog", log, "echo new", ":::", "1"}).code, 0);
    const Ended ended = run(place, {"map", "-k", "--joblog", log, "--resume", "echo new", ":::", "1", "2", "3"});
    QCOMPARE(ended.out, std::string("new 1\nnew 2\nnew 3\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::aLogOfOtherCommandsIsWarnedOf() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QStringList words = {"map", "--joblog", text(place.path("log")), "--resume"};
    QCOMPARE(run(place, words + QStringList{"echo {}; #", ":::", "1", "2"}).err, std::string());
    QCOMPARE(run(place, words + QStringList{"echo {}; #", ":::", "1", "2"}).err, std::string());
    const Ended other = run(place, words + QStringList{"echo {}", ":::", "a", "b"});
    QCOMPARE(other.code, 0);
    QCOMPARE(other.out, std::string());
    QCOMPARE(other.err, std::string("yardctl: job 1 has another command in the job log: jobs are known by their "
                                    "numbers, and those in the log do not run again\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::theBarIsOfWhatIsToRun() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QStringList words = {"map", "--bar", "--joblog", text(place.path("log")), "--resume", "true", ":::"};
    QCOMPARE(run(place, words + numbers(3)).code, 0);
    const Ended resumed = run(place, words + numbers(5));
    QVERIFY2(resumed.err.contains("100 %  2 of 2"), resumed.err.c_str());
    // The log has more than there is to do.
    const Ended fewer = run(place, words + numbers(4));
    QVERIFY2(fewer.err.contains("0 done"), fewer.err.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::ctrlCCancelsAndResumeGoesOn() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string log = place.path("log");
    const QString line =
        QString("[ {} = 4 ] && [ ! -e %1/go ] && %2 3600; echo {}").arg(text(place.work()), text(place.nap()));
    const QStringList words =
        QStringList{"map", "-j1", "--joblog", text(log), "--resume", line, ":::"} + numbers(8);
    CtlProcess map(at(place, words));
    QVERIFY(map.waitForOutput(std::string("1\n2\n3\n").size()));
    map.signal(SIGINT);
    const Ended ended = map.end();
    QCOMPARE(ended.code, 130);
    QCOMPARE(ended.out, std::string("1\n2\n3\n"));
    QVERIFY(processesOf(place, engine.pid()).size() <= 1);
    QCOMPARE(rowsOf(log), 3u);
    writeText(place.work() + "/go", "");
    QCOMPARE(run(place, words).out, std::string("4\n5\n6\n7\n8\n"));
    QCOMPARE(rowsOf(log), 8u);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::whatASecondCtrlCLeftIsRunAgain() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string log = place.path("log");
    // Once it is cancelled it goes on until it is killed.
    const QString line = QString("cd %1; [ -e go ] || { trap '' TERM; touch begun; %2 3600; }; echo {}")
                             .arg(text(place.work()), text(place.nap()));
    const QStringList words = {"map", "-j1", "--joblog", text(log), "--resume", line, ":::", "1", "2"};
    CtlProcess map(at(place, words));
    QTRY_VERIFY_WITH_TIMEOUT(fs::exists(place.work() + "/begun"), kWaitMs);
    map.signal(SIGINT);
    const auto isCancelled = [&] {
        const std::string queues = run(place, {"--json", "queues"}).out;
        return queues.contains(R"("state":"cancelled")") || !queues.contains("map cd"); // or gone already
    };
    QTRY_VERIFY_WITH_TIMEOUT(isCancelled(), kWaitMs);
    map.signal(SIGINT);
    QCOMPARE(map.end().code, 130);
    writeText(place.work() + "/go", "");
    const Ended resumed = run(place, words);
    QCOMPARE(resumed.out, std::string("1\n2\n"));
    QCOMPARE(resumed.code, 0);
    QCOMPARE(rowsOf(log), 2u);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::aKilledClientIsResumed_data() {
    QTest::addColumn<int>("lines"); // that it had printed
    for (const int lines : {0, 1, 7, 20, 39}) QTest::addRow("after %d", lines) << lines;
}

void TestMapAtAnEngine::aKilledClientIsResumed() {
    QFETCH(int, lines);
    constexpr int kJobs = 40;
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const std::string log = place.path("log");
    const QStringList words =
        QStringList{"map", "-k", "--joblog", text(log), "--resume", noting(place), ":::"} + numbers(kJobs);
    {
        CtlProcess map(at(place, words));
        std::string wanted;
        for (int i = 1; i <= lines; ++i) wanted += std::to_string(i) + "\n";
        if (lines > 0) QVERIFY(map.waitForOutput(wanted.size()));
        map.signal(SIGKILL);
        (void)map.end();
    }
    const Ended resumed = run(place, words);
    QVERIFY2(resumed.code == 0, resumed.err.c_str());
    QCOMPARE(rowsOf(log), static_cast<std::size_t>(kJobs));
    QCOMPARE(yard::ctl::doneJobs(fileText(log), false)->size(), static_cast<std::size_t>(kJobs));
    const auto times = begun(place);
    QCOMPARE(times.size(), static_cast<std::size_t>(kJobs));
    for (const auto& [job, count] : times) QVERIFY2(count == 1, job.c_str());
    // Nothing is left of either.
    QVERIFY(!run(place, {"queues"}).out.contains("map "));
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::anEngineThatIsKilledIsFoundAgain() {
    constexpr int kJobs = 30;
    Place place;
    auto engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    const std::string log = place.path("log");
    CtlProcess map(
        at(place, QStringList{"map", "-k", "--joblog", text(log), noting(place), ":::"} + numbers(kJobs)));
    QVERIFY(map.waitForOutput(4));
    engine->kill();
    engine = std::make_unique<Yardmaster>(place);
    QVERIFY2(engine->isServing(), engine->errors().c_str());
    const Ended ended = map.end();
    QVERIFY2(ended.code == 0, ended.err.c_str());
    std::string wanted;
    for (int i = 1; i <= kJobs; ++i) wanted += std::to_string(i) + "\n";
    QCOMPARE(ended.out, wanted);
    QCOMPARE(rowsOf(log), static_cast<std::size_t>(kJobs));
    QCOMPARE(begun(place).size(), static_cast<std::size_t>(kJobs));
    QCOMPARE(engine->stop(), 0);
}

void TestMapAtAnEngine::aReaderThatLeavesEndsItQuietly() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const Ended ended = shell(
        place, QString("{ \"$0\" --data-dir \"$1\" map -k -j1 'echo {}; [ {} -lt 3 ] || %1 3600' ::: 1 2 3 4 5; "
                       "echo $? >&2; } | head -1")
                   .arg(text(place.nap())));
    QCOMPARE(ended.out, std::string("1\n"));
    QCOMPARE(ended.err, std::string("141\n"));
    QTRY_VERIFY_WITH_TIMEOUT(processesOf(place, engine.pid()).size() <= 1, kWaitMs);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::valuesHaveEveryByte() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    std::string all;
    for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
    writeText(place.path("values"), all + '\0');
    qputenv("LC_ALL", "C");
    const QString file = text(place.path("values"));
    const Ended direct = run(place, {"map", "-0", "/usr/bin/printf", "%s", "{}", "::::", file});
    const Ended byShell = run(place, {"map", "-0", "printf %s {}; true", "::::", file});
    qunsetenv("LC_ALL");
    QVERIFY2(direct.out == all, direct.err.c_str());
    QVERIFY2(byShell.out == all, byShell.err.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::twoMegabytesOfValues() {
    constexpr int kValues = 20'000;
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    std::string values;
    for (int i = 0; i < kValues; ++i) values += fmt::format("{:0100}\n", i);
    writeText(place.path("values"), values);
    const Ended ended = run(place, {"map", "-X", "-k", "printf '%s\\n'", "::::", text(place.path("values"))});
    QVERIFY2(ended.code == 0, ended.err.c_str());
    QVERIFY(ended.out == values);
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::inputIsReadAsItComes() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    // The second value comes only once the first job has run.
    const Ended ended =
        shell(place, QString("cd %1; { printf 'a\\nha'; until [ -e a ]; do %2 0.02; done; echo lf; } | "
                             "\"$0\" --data-dir \"$1\" map -k 'touch {}; echo {}'")
                         .arg(text(place.work()), text(place.nap())));
    QCOMPARE(ended.out, std::string("a\nhalf\n"));
    QCOMPARE(engine.stop(), 0);
}

void TestMapAtAnEngine::whatCannotBeDoneIsSaid() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const Ended noFile = run(place, {"map", "echo", "::::", "/no/such/file"});
    QCOMPARE(noFile.code, 125);
    QVERIFY2(noFile.err.contains("cannot open /no/such/file"), noFile.err.c_str());
    QCOMPARE(run(place, {"map", "-j", "x", "echo", ":::", "a"}).code, 2);
    QCOMPARE(run(place, {"map", "-d", "echo {%}", ":::", "a"}).code, 2);
    const Ended longLine = run(place, {"map", "echo $0 {} {}", ":::", QString(100'000, 'x')});
    QCOMPARE(longLine.code, 125);
    QVERIFY2(longLine.err.contains("the most that the system takes"), longLine.err.c_str());
    QCOMPARE(engine.stop(), 0);
    const Ended none = run(place, {"map", "echo", ":::", "a"});
    QCOMPARE(none.code, 125);
    QVERIFY2(none.err.contains("engine"), none.err.c_str());
}

QTEST_GUILESS_MAIN(TestMapAtAnEngine)
#include "tst_map_at_an_engine.moc"
