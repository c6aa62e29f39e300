// yardmaster and yardctl together, as their users start them: how one finds the other, and what is seen of an end.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/torture/program.h"

#include <QTest>
#include <csignal>
#include <filesystem>
#include <set>

using namespace yard;
using namespace yard::torture;
namespace fs = std::filesystem;

namespace {

test::Ended ctl(const Place& place, const QStringList& words) {
    return test::CtlProcess(QStringList{"--data-dir", QString::fromStdString(place.data())} + words).end();
}

/// So long without a word, and what may have come before anybody listened is done again.
constexpr int kAgainMs = 5'000;

Yardmaster::Options with(std::vector<std::string> arguments) {
    return {.arguments = std::move(arguments), .wrapper = {}, .dataDir = {}};
}

} // namespace

class TestPrograms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anEngineIsFoundByItsDataDirectory_data();
    void anEngineIsFoundByItsDataDirectory();
    void aWindowFindsItByTheDataDirectoryToo_data();
    void aWindowFindsItByTheDataDirectoryToo();
    void healthSaysSoFromTheBeginningOfTheEnd_data();
    void healthSaysSoFromTheBeginningOfTheEnd();
    void whoFollowsHasThePortOfWhoEnds();
    void finishedActionsOutliveTheirQueue();
    void allWithNothingToDoIsDone();
    void eventsComeAsTheyHappen();
    void whatCannotBeRunExitsAsInAShell_data();
    void whatCannotBeRunExitsAsInAShell();
    void aMachineThatItsYardRefusesEndsWithTheSentence();
    void aMachineThatNeverJoinedNeedsAToken();
    void anEngineForAWhileEndsByItself_data();
    void anEngineForAWhileEndsByItself();
    void anEngineIsNotIdleWhileItHasWork();
    void anEngineHasTheNameThatItIsGiven();
    void aBackupIsTakenBesideTheEngineAndRestoredHeld();
    void aBackupThatCannotBeTakenSaysWhy();
};

void TestPrograms::anEngineIsFoundByItsDataDirectory_data() {
    QTest::addColumn<QString>("prefix");
    QTest::addColumn<bool>("ownToken");
    QTest::addColumn<QString>("address");
    QTest::newRow("as it is usually") << "" << false << "http://127.0.0.1:PORT";
    QTest::newRow("with another prefix") << "/yard/one" << false << "http://127.0.0.1:PORT/yard/one";
    QTest::newRow("without a prefix") << "/" << false << "http://127.0.0.1:PORT/";
    QTest::newRow("with a token from elsewhere") << "" << true << "http://127.0.0.1:PORT";
    QTest::newRow("with both") << "/yard" << true << "http://127.0.0.1:PORT/yard";
}

void TestPrograms::anEngineIsFoundByItsDataDirectory() {
    QFETCH(QString, prefix);
    QFETCH(bool, ownToken);
    QFETCH(QString, address);
    Place place;
    std::vector<std::string> arguments;
    if (!prefix.isEmpty()) arguments = {"--prefix", prefix.toStdString()};
    if (ownToken) {
        writeText(place.path("secret"), "letmein\n");
        fs::permissions(place.path("secret"), fs::perms::owner_read | fs::perms::owner_write);
        arguments.insert(arguments.end(), {"--token-file", place.path("secret")});
    }
    Yardmaster engine(place, with(arguments));
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(fileText(place.path("data/address")),
             address.replace("PORT", QString::number(engine.port())).toStdString() + "\n");
    if (ownToken) QCOMPARE(fileText(place.path("data/token")), std::string("letmein\n"));
    const test::Ended ran = ctl(place, {"run", "--", "echo", "found"});
    QCOMPARE(ran.err, std::string());
    QCOMPARE(ran.out, std::string("found\n"));
    QCOMPARE(ran.code, 0);
    QCOMPARE(engine.stop(), 0);
    // The token stays: who kept it finds the next engine of this directory.
    if (ownToken) QCOMPARE(fileText(place.path("data/token")), std::string("letmein\n"));
    QVERIFY(!fs::exists(place.path("data/address")));
}

void TestPrograms::eventsComeAsTheyHappen() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const QStringList base{"--data-dir", QString::fromStdString(place.data())};
    test::CtlProcess lines(base + QStringList{"events", "name:true*"});
    test::CtlProcess frames(base + QStringList{"--json", "events"});
    QVERIFY(frames.waitForOutput(1)); // it is told who speaks
    QVERIFY(frames.outSoFar().contains("\"engine_id\""));
    // Until both watch, what happens may be passed over.
    const bool seen = QTest::qWaitFor(
        [&] {
            (void)ctl(place, {"run", "--", "true", "x"});
            return lines.waitForOutput(1, kAgainMs);
        },
        kWaitMs);
    QVERIFY(seen);
    QVERIFY2(lines.outSoFar().contains("true x"), lines.outSoFar().c_str());
    const test::Ended wrong = ctl(place, {"events", "sate:failed"});
    QCOMPARE(wrong.code, 2);
    QVERIFY2(wrong.err.contains("did you mean \"state\"?"), wrong.err.c_str());
    QCOMPARE(engine.stop(), 0);
    const test::Ended over = lines.end();
    QCOMPARE(over.code, 1);
    QVERIFY2(over.err.contains("the engine ended"), over.err.c_str());
}

void TestPrograms::whatCannotBeRunExitsAsInAShell_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("not found") << QStringList{"no-such-program-7"} << 127
                               << "'no-such-program-7' was not found in PATH";
    QTest::newRow("not to be executed") << QStringList{"/etc/passwd"} << 126 << "'/etc/passwd' is not executable";
    QTest::newRow("nowhere to run it") << QStringList{"--cwd", "/no/such/directory", "--", "true"} << 125
                                       << "the working directory '/no/such/directory' does not exist";
}

void TestPrograms::whatCannotBeRunExitsAsInAShell() {
    QFETCH(QStringList, words);
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const test::Ended ran = ctl(place, QStringList{"run"} + words);
    QTEST(ran.code, "code");
    QFETCH(QString, sentence);
    QVERIFY2(ran.err.contains(sentence.toStdString()), ran.err.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestPrograms::aWindowFindsItByTheDataDirectoryToo_data() {
    QTest::addColumn<bool>("installed");
    QTest::newRow("beside its module, as it is built") << false;
    QTest::newRow("with its module in lib, as it is installed") << true;
}

void TestPrograms::aWindowFindsItByTheDataDirectoryToo() {
    QFETCH(bool, installed);
    Place place;
    std::string program = YARDMASTER_PATH;
    if (installed) {
        const fs::path built = fs::path(program).parent_path();
        fs::create_directories(place.path("usr/bin"));
        fs::create_directories(place.path("usr/lib/yardmaster"));
        fs::copy_file(program, place.path("usr/bin/yardmaster"));
        fs::copy_file(built / "yardmaster_window.so", place.path("usr/lib/yardmaster/yardmaster_window.so"));
        program = place.path("usr/bin/yardmaster");
    }
    writeText(place.path("secret"), "letmein\n");
    Yardmaster engine(place, with({"--prefix", "/yard", "--token-file", place.path("secret")}));
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString(place.path("config")));
    test::CtlProcess window({"--data-dir", QString::fromStdString(place.data()), "--listen", "127.0.0.1:0"}, {},
                            program);
    Caller caller = engine.caller();
    QVERIFY(eventually([&] { return caller.get("/metrics").body.contains("\nyardmaster_event_watchers 1\n"); }));
    window.signal(SIGTERM);
    const test::Ended ended = window.end();
    QVERIFY2(ended.code == 0, ended.err.c_str());
    QCOMPARE(engine.stop(), 0);
}

void TestPrograms::healthSaysSoFromTheBeginningOfTheEnd_data() {
    QTest::addColumn<bool>("bySignal");
    QTest::newRow("asked for by the route") << false;
    QTest::newRow("asked for by TERM") << true;
}

void TestPrograms::healthSaysSoFromTheBeginningOfTheEnd() {
    QFETCH(bool, bySignal);
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    // What resists TERM makes the end take two seconds.
    const std::string resist = "trap '' TERM; touch begun; " + place.nap() + " 3600; " + place.nap() + " 3600";
    QCOMPARE(caller.post("/compute/jobs", shJson(place, resist)).status, 200);
    QVERIFY(eventually([&] { return fs::exists(place.path("work/begun")); }));
    QCOMPARE(caller.get("/health").status, 200);
    if (bySignal)
        engine.signal(SIGTERM);
    else
        QCOMPARE(caller.post("/compute/session/sunset").status, 200);
    // Each probe has a connection of its own. Before TERM has arrived it may be well.
    std::set<std::string> seen;
    int probes = 0;
    for (;;) {
        const http::RawAnswer answer =
            http::exchange(engine.port(), "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        if (answer.status == 0) break;
        const bool well = answer.status == 200;
        if (well && bySignal && seen.empty()) continue;
        ++probes;
        seen.insert(fmt::format("{} {}", answer.status, answer.body.substr(0, answer.body.find(",\"version"))));
    }
    QCOMPARE(seen, (std::set<std::string>{R"(503 {"healthy":false,"session":"sunset")"}));
    QVERIFY2(probes > 3, fmt::format("{} probes", probes).c_str());
    // Nobody answers any more: it is all but gone, or was when the last one came.
    QCOMPARE(engine.exitCode(), 0);
    QCOMPARE(describe(processesOf(place)), std::string());
}

void TestPrograms::whoFollowsHasThePortOfWhoEnds() {
    Place place;
    Yardmaster::Options options;
    for (int round = 0; round < 5; ++round) {
        Yardmaster engine(place, options);
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        options.listen = fmt::format("127.0.0.1:{}", engine.port());
        QCOMPARE(engine.caller().post("/compute/session/sunset").status, 200);
        // At once: it waits for the directory, and then for the port. A slow end is another matter (3).
        for (int start = 0; start < 20; ++start) {
            Yardmaster next(place, options);
            if (next.isServing()) break;
            QCOMPARE(next.exitCode(), 3);
        }
        QCOMPARE(engine.exitCode(), 0);
    }
}

void TestPrograms::finishedActionsOutliveTheirQueue() {
    Place place;
    std::int64_t queue = 0;
    std::int64_t lsn = 0;
    // A page may be short, or empty, and still have a cursor: the machine was busy.
    const auto asked = [&](Caller& caller, const std::string& target) {
        Answer answer = caller.get(target);
        while (answer.status == 200 && answer.body.contains(R"("jobs":[],"cursor")"))
            answer = caller.get(
                fmt::format("{}{}cursor={}", target, target.contains('?') ? '&' : '?', answer.text("cursor")));
        return answer.shown();
    };
    for (const bool again : {false, true}) {
        Yardmaster engine(place);
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        Caller caller = engine.caller();
        if (!again) {
            queue = caller.post("/compute/queues", R"({"config":{"max_retries":0}})").number("queue_id");
            lsn = caller.post(fmt::format("/compute/queues/{}/jobs", queue), shJson(place, "exit 3")).number("lsn");
            QCOMPARE(caller.result(lsn).text("state"), std::string("failed"));
            QCOMPARE(caller.call("DELETE", fmt::format("/compute/queues/{}", queue)).status, 200);
            QVERIFY(eventually([&] { return caller.get(fmt::format("/compute/queues/{}", queue)).status == 404; }));
        }
        const std::string listed = fmt::format(R"("lsn":{},"queue_id":{},)", lsn, queue);
        for (const std::string& target :
             {fmt::format("/compute/jobs?queue={}", queue), fmt::format("/compute/jobs?q=queue:{}", queue),
              fmt::format("/compute/jobs?queue={}&sort=label&count=1", queue),
              fmt::format("/compute/queues/{}/jobs", queue), fmt::format("/compute/queues/{}/history", queue),
              fmt::format("/compute/queues/{}/completed", queue),
              fmt::format("/compute/queues/{}/jobs/{}", queue, lsn)}) {
            const std::string shown = asked(caller, target);
            QVERIFY2(shown.starts_with("200 ") && shown.contains(listed), (target + ": " + shown).c_str());
        }
        QCOMPARE(asked(caller, fmt::format("/compute/queues/{}/running", queue)),
                 std::string(R"(200 {"jobs":[]})"));
        QVERIFY(asked(caller, fmt::format("/compute/jobs/lsns?queue={}", queue)).contains("\"total\":1"));
        // What is not only read needs the queue itself.
        QCOMPARE(caller.post(fmt::format("/compute/queues/{}/jobs", queue), shJson(place, "exit 0")).status, 404);
        const Answer retried = caller.post(fmt::format("/compute/queues/{}/jobs/{}", queue, lsn));
        QVERIFY2(retried.status == 409 && retried.body.contains("submit it again"), retried.shown().c_str());
        QCOMPARE(caller.post("/compute/jobs/cancel", fmt::format(R"({{"filter":"queue:{}"}})", queue)).shown(),
                 std::string(R"(200 {"changed":0,"refused":[]})"));
        // A number that never was a queue's.
        for (const std::string& target :
             {fmt::format("/compute/jobs?queue={}", queue + 1), fmt::format("/compute/queues/{}/jobs", queue + 1)})
            QVERIFY2(asked(caller, target).starts_with("404 "), asked(caller, target).c_str());
        const test::Ended ls = ctl(place, {"ls", QString("queue:%1").arg(queue), "--json"});
        QVERIFY2(ls.code == 0 && ls.out.contains(listed), (ls.out + ls.err).c_str());
        if (again) {
            QCOMPARE(caller.post("/compute/jobs/retire", fmt::format(R"({{"filter":"queue:{}"}})", queue)).shown(),
                     std::string(R"(200 {"changed":1,"refused":[]})"));
            QCOMPARE(asked(caller, fmt::format("/compute/queues/{}/jobs", queue)),
                     std::string(R"(200 {"jobs":[]})"));
        }
        QCOMPARE(engine.stop(), 0);
    }
}

void TestPrograms::allWithNothingToDoIsDone() {
    Place place;
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    for (const char* word : {"cancel", "retry", "retire"}) {
        const test::Ended nothing = ctl(place, {word, "--all"});
        QCOMPARE(nothing.err, std::string());
        QVERIFY2(nothing.out.starts_with("0 "), nothing.out.c_str());
        QCOMPARE(nothing.code, 0);
    }
    const std::int64_t held =
        caller.post("/compute/jobs", shJson(place, "exit 0", R"(,"hold":true)")).number("lsn");
    QCOMPARE(ctl(place, {"retire", "--all"}).out, std::string("0 actions retired\n")); // it has not finished
    QCOMPARE(ctl(place, {"cancel", "--all"}).out, std::string("1 action cancelled\n"));
    QCOMPARE(caller.result(held).text("state"), std::string("cancelled"));
    QCOMPARE(ctl(place, {"retire", "--all"}).out, std::string("1 action retired\n"));
    QCOMPARE(caller.get(fmt::format("/compute/jobs/{}", held)).status, 404);
    QCOMPARE(engine.stop(), 0);
}

void TestPrograms::aMachineThatItsYardRefusesEndsWithTheSentence() {
    test::FakeServer yard(
        test::table({{"GET /compute/link", {401, R"({"error":"unauthorized","message":"That token is over."})"}}}));
    Place place;
    Yardmaster machine(place, with({"--join", yard.url(), "--join-token", std::string(48, 'a')}));
    QCOMPARE(machine.exitCode(), 1);
    QVERIFY2(machine.errors().contains(yard.url() + " does not want this machine: That token is over."),
             machine.errors().c_str());
}

void TestPrograms::aMachineThatNeverJoinedNeedsAToken() {
    Place place;
    Yardmaster machine(place, with({"--join", "https://127.0.0.1:1"}));
    QVERIFY2(machine.failure().contains("give --join-token"), machine.errors().c_str());
}

void TestPrograms::anEngineForAWhileEndsByItself_data() {
    QTest::addColumn<QString>("option");
    QTest::newRow("idle") << "--idle-exit";
    QTest::newRow("over") << "--lifetime";
}

void TestPrograms::anEngineForAWhileEndsByItself() {
    QFETCH(const QString, option);
    const Place place;
    Yardmaster engine(place, with({option.toStdString(), "1"}));
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(engine.exitCode(), 0);
}

void TestPrograms::anEngineIsNotIdleWhileItHasWork() {
    const Place place;
    Yardmaster engine(place, with({"--idle-exit", "2"}));
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    const std::int64_t lsn = caller.post("/compute/jobs", shJson(place, "sleep 4; echo done > said")).number("lsn");
    QVERIFY(lsn > 0);
    QCOMPARE(engine.exitCode(), 0);
    QCOMPARE(fileText(place.path("work/said")), std::string("done\n"));
}

void TestPrograms::anEngineHasTheNameThatItIsGiven() {
    const Place place;
    Yardmaster engine(place, with({"--name", "desk-7"}));
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    const Answer machines = engine.caller().get("/compute/machines/0");
    QCOMPARE(machines.text("name"), std::string("desk-7"));
}

void TestPrograms::aBackupIsTakenBesideTheEngineAndRestoredHeld() {
    Place place;
    const std::string backup = place.path("backup");
    const std::string restored = place.path("restored");
    {
        Yardmaster engine(place);
        QVERIFY2(engine.isServing(), engine.errors().c_str());
        QCOMPARE(ctl(place, {"run", "--", "echo", "kept"}).code, 0);
        const test::Ended taken = ctl(place, {"backup", QString::fromStdString(backup)});
        QVERIFY2(taken.code == 0, taken.err.c_str());
        QVERIFY2(taken.out.starts_with("backup in " + backup), taken.out.c_str());
        QCOMPARE(ctl(place, {"run", "--", "true"}).code, 0); // it goes on
        QCOMPARE(engine.stop(), 0);
    }
    // And without an engine.
    QCOMPARE(ctl(place, {"backup", QString::fromStdString(backup)}).code, 0);
    const QStringList at{"--data-dir", QString::fromStdString(restored)};
    const test::Ended back = test::CtlProcess(at + QStringList{"restore", QString::fromStdString(backup)}).end();
    QVERIFY2(back.code == 0, back.err.c_str());
    QVERIFY2(back.out.contains("release --all"), back.out.c_str());
    Yardmaster engine(place, {.arguments = {}, .wrapper = {}, .dataDir = restored});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    QCOMPARE(test::CtlProcess(at + QStringList{"logs", "1"}).end().out, std::string("kept\n"));
    Caller caller = engine.caller();
    QVERIFY(caller.get("/compute/queues").body.contains("\"held\":true"));
    QVERIFY(fileText(restored + "/engine_id") != fileText(place.path("data/engine_id")));
    QCOMPARE(engine.stop(), 0);
    // A chunk that is not what its name says is left out.
    const std::string name(62, '0');
    QVERIFY(QDir().mkpath(QString::fromStdString(backup + "/chunks/00")));
    QFile chunk(QString::fromStdString(backup + "/chunks/00/" + name));
    QVERIFY(chunk.open(QIODevice::WriteOnly) && chunk.write("x") == 1);
    chunk.close();
    const test::Ended less = test::CtlProcess({"--data-dir", QString::fromStdString(place.path("less")), "restore",
                                               QString::fromStdString(backup)})
                                 .end();
    QCOMPARE(less.code, 1);
    QVERIFY2(less.err.contains("one chunk is damaged and was left out (00" + name + "); all else is there"),
             less.err.c_str());
}

void TestPrograms::aBackupThatCannotBeTakenSaysWhy() {
    Place place;
    const test::Ended none = ctl(place, {"backup", QString::fromStdString(place.path("backup"))});
    QCOMPARE(none.code, 1);
    QVERIFY2(none.err.contains("is no data directory"), none.err.c_str());
    const test::Ended elsewhere = test::CtlProcess({"--url", "http://127.0.0.1:1", "backup", "x"}).end();
    QCOMPARE(elsewhere.code, 2);
    QVERIFY2(elsewhere.err.contains("where the data directory is"), elsewhere.err.c_str());
    const test::Ended both = test::CtlProcess({"--backup", "a", "--restore", "b"}, {}, YARDMASTER_PATH).end();
    QCOMPARE(both.code, 2);
    const test::Ended nowhere = test::CtlProcess({"--backup", ""}, {}, YARDMASTER_PATH).end();
    QCOMPARE(nowhere.code, 2);
}

QTEST_GUILESS_MAIN(TestPrograms)
#include "tst_programs.moc"
