// Bad days of an engine that works: actions that flood, fork daemons or resist; clients that do not read; a disk
// that fills up under it; and the end of it all while actions run.
#include "core/base/hash.h"
#include "tests/base/in_mount_namespace.h"
#include "tests/torture/program.h"

#include <QTest>

#include <csignal>
#include <filesystem>

using namespace yard;
using namespace yard::torture;

namespace fs = std::filesystem;

namespace {

/// "completed", "failed deadline", of an answer.
std::string ending(const Answer& answer) {
    if (answer.status != 200) return answer.shown();
    const std::string reason = answer.text("reason");
    return answer.text("state") + (reason.empty() ? "" : " " + reason);
}

std::int64_t submit(Caller& caller, const std::string& json) {
    const Answer answer = caller.post("/compute/jobs", json);
    if (answer.status != 200) qFatal("refused: %s", answer.shown().c_str());
    return answer.number("lsn");
}

bool appears(const std::string& path) {
    return eventually([&] { return fs::exists(path); });
}

} // namespace

class TestBadWork : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aHundredMegabytesOfOutputAreKeptWhole();
    void aFollowerThatNeverReadsHindersNobody();
    void aDaemonIsGoneBeforeTheResultIsSeen();
    void aFullDiskFailsWhoFillsItAndTheRestGoesOnWithRoom();
    void sigtermEndsWhatRunsAndTheNextStartRunsItAgain();
    void aCancelThatTheEngineDidNotSurviveHoldsAtTheNextStart();
    void whoKillsTheLauncherIsCountedEachTime();
    void aSecondSigtermDoesNotWaitForTheGrace();
    void sigintAndHangupEndItToo();
    void sigtermWhileItStartsEndsIt();
};

void TestBadWork::aHundredMegabytesOfOutputAreKeptWhole() {
    constexpr std::int64_t kSize = 100 << 20;
    Place place;
    Yardmaster engine(place);
    QVERIFY(engine.isServing());
    Caller caller = engine.caller();
    const std::int64_t lsn = submit(caller, shJson(place, fmt::format("yes 0123456789abcde | head -c {}", kSize)));
    const Answer answer = caller.result(lsn, 50);
    QCOMPARE(ending(answer), std::string("completed"));
    QCOMPARE(answer.json().at("stdout").at("size").to_number<std::int64_t>(), kSize);
    const Answer output = caller.get(fmt::format("/compute/jobs/{}/stdout", lsn));
    QCOMPARE(output.status, 200);
    QCOMPARE(output.body.size(), static_cast<std::size_t>(kSize));
    QVERIFY(output.body.starts_with("0123456789abcde\n0123") && output.body.ends_with("def0\n") == false);
    QCOMPARE(Sha256::of(output.body).hex(), std::string(answer.json().at("stdout").at("hash").as_string()));
    // It went through in pieces: the engine has not grown by it.
    const std::string status = fileText(fmt::format("/proc/{}/status", engine.pid()));
    const auto at = status.find("VmRSS:");
    QVERIFY(at != std::string::npos);
#ifndef YARD_SANITIZED
    QVERIFY2(std::atol(status.c_str() + at + 6) < 64 * 1024, status.c_str());
#endif
    QCOMPARE(engine.stop(), 0);
}

void TestBadWork::aFollowerThatNeverReadsHindersNobody() {
    Place place;
    Yardmaster engine(place, {.arguments = {"--capacity", "1"}, .wrapper = {}, .dataDir = {}});
    QVERIFY(engine.isServing());
    Caller caller = engine.caller();
    const std::int64_t lsn = submit(
        caller, shJson(place, "touch begun; until test -e go; do sleep 0.02; done; head -c 30000000 /dev/zero"));
    QVERIFY(appears(place.path("work/begun")));
    std::vector<std::unique_ptr<http::RawClient>> followers;
    for (int i = 0; i < 8; ++i) {
        followers.push_back(std::make_unique<http::RawClient>(engine.port(), 4096));
        QVERIFY(
            followers.back()->send(caller.request("GET", fmt::format("/compute/jobs/{}/stdout?follow=1", lsn))));
    }
    writeText(place.path("work/go"), "");
    QCOMPARE(ending(caller.result(lsn)), std::string("completed"));
    QCOMPARE(ending(caller.result(submit(caller, shJson(place, "exit 0")))), std::string("completed"));
    // Nor do they hinder the end.
    QCOMPARE(engine.stop(), 0);
}

void TestBadWork::aDaemonIsGoneBeforeTheResultIsSeen() {
    Place place;
    Yardmaster engine(place, {.arguments = {"--set", "grace_s=0.2"}, .wrapper = {}, .dataDir = {}});
    QVERIFY(engine.isServing());
    Caller caller = engine.caller();
    const std::string daemon = fmt::format(
        "setsid env -i /bin/sh -c 'trap \"\" TERM HUP; echo $$ >daemon; {0} 3600; {0} 3600' & ", place.nap());
    // The first process goes, and what it left behind counts as the action until its deadline or a cancel.
    const std::int64_t late = submit(
        caller, shJson(place, daemon + "until test -s daemon; do sleep 0.02; done; exit 0", R"(,"deadline_s":1)"));
    const Answer answer = caller.result(late);
    QVERIFY2(answer.status == 200, answer.shown().c_str());
    QCOMPARE(describe(processesOf(place, 0)).find("nap"), std::string::npos);
    fs::remove(place.path("work/daemon"));
    const std::int64_t cancelled = submit(caller, shJson(place, daemon + place.nap() + " 3600"));
    QVERIFY(eventually([&] { return !fileText(place.path("work/daemon")).empty(); }));
    QCOMPARE(caller.post(fmt::format("/compute/jobs/{}/cancel", cancelled)).status, 200);
    QCOMPARE(ending(caller.result(cancelled)), std::string("cancelled cancelled"));
    QCOMPARE(describe(processesOf(place)).find("nap"), std::string::npos);
    QCOMPARE(engine.stop(), 0);
    QCOMPARE(describe(processesOf(place)), std::string());
}

void TestBadWork::aFullDiskFailsWhoFillsItAndTheRestGoesOnWithRoom() {
    static const QTemporaryDir dir;
    YARD_IN_MOUNT_NAMESPACE(dir.path(), "mount -t tmpfs -o size=12m,mode=700 tmpfs $YARD_TEST_MOUNTED");
    const std::string mounted = qEnvironmentVariable(test::kMountedVariable).toStdString();
    Place place;
    Yardmaster engine(place, {.arguments = {"--capacity", "1"}, .wrapper = {}, .dataDir = mounted + "/data"});
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    const std::int64_t before = submit(caller, shJson(place, "echo before"));
    QCOMPARE(ending(caller.result(before)), std::string("completed"));
    // An action fills the disk with its own output: it is told so, and its output is taken away again.
    const std::int64_t greedy =
        submit(caller, shJson(place, "head -c 64m /dev/urandom || exit 5; exit 0", R"(,"label":"greedy")"));
    const Answer greedyEnd = caller.result(greedy);
    QVERIFY2(greedyEnd.status == 200, (greedyEnd.shown() + engine.errors()).c_str());
    QVERIFY2(greedyEnd.text("note").find("No space left") != std::string::npos, greedyEnd.shown().c_str());
    const auto kept = greedyEnd.json();
    QVERIFY2(kept.contains("stdout") && kept.at("stdout").as_object().contains("truncated"),
             greedyEnd.shown().c_str());
    QCOMPARE(ending(caller.result(submit(caller, shJson(place, "echo after")))), std::string("completed"));
    // Somebody else fills it: submissions are refused with the reason, what was accepted stays.
    const std::int64_t running = submit(
        caller, shJson(place, "touch begun; until test -e go; do sleep 0.02; done; head -c 200000 /dev/urandom"));
    QVERIFY(appears(place.path("work/begun")));
    const std::string fill = fmt::format("head -c 64m /dev/zero >{}/filler 2>/dev/null; true", mounted);
    QCOMPARE(std::system(fill.c_str()), 0); // NOLINT(concurrency-mt-unsafe)
    Answer refused;
    std::vector<std::int64_t> accepted;
    QVERIFY(eventually([&] {
        refused = caller.post("/compute/jobs", shJson(place, "exit 0 # " + std::string(20'000, 'x')));
        if (refused.status == 200) accepted.push_back(refused.number("lsn"));
        return refused.status != 200;
    }));
    QCOMPARE(refused.status, 503);
    QCOMPARE(refused.text("error"), std::string("journal"));
    QVERIFY2(refused.text("message").find("free some disk space") != std::string::npos, refused.shown().c_str());
    // It is told, and serves on: who restarted it would lose what it holds in memory.
    for (const char* path : {"/health", "/compute/session"}) {
        const Answer told = caller.get(path);
        QCOMPARE(told.status, 200);
        QVERIFY2(!told.json().at("healthy").as_bool(), told.shown().c_str());
        QVERIFY2(told.text("why").find("free some disk space") != std::string::npos, told.shown().c_str());
    }
    QCOMPARE(caller.result(before).text("state"), std::string("completed"));
    writeText(place.path("work/go"), "");
    // With room it goes on by itself.
    fs::remove(mounted + "/filler");
    QVERIFY2(eventually([&] {
                 const Answer answer = caller.post("/compute/jobs", shJson(place, "exit 0"));
                 if (answer.status == 200) accepted.push_back(answer.number("lsn"));
                 return answer.status == 200;
             }),
             engine.errors().c_str());
    QVERIFY(caller.get("/health").json().at("healthy").as_bool());
    QVERIFY(!caller.get("/compute/session").json().contains("why"));
    const Answer end = caller.result(running);
    QVERIFY2(end.status == 200, (end.shown() + engine.errors()).c_str());
    for (const std::int64_t lsn : accepted) QCOMPARE(ending(caller.result(lsn)), std::string("completed"));
    QCOMPARE(engine.stop(), 0);
}

void TestBadWork::sigtermEndsWhatRunsAndTheNextStartRunsItAgain() {
    Place place;
    std::vector<std::int64_t> lsns;
    {
        Yardmaster engine(place, {.arguments = {"--capacity", "3"}, .wrapper = {}, .dataDir = {}});
        QVERIFY(engine.isServing());
        Caller caller = engine.caller();
        // One goes when asked, one resists, one has a daemon that resists; one has to wait.
        const std::string once = "mkdir once.$YARD_LSN 2>/dev/null || exit 0; ";
        const std::string stay = place.nap() + " 3600; " + place.nap() + " 3600";
        for (const std::string& script :
             {once + "touch a; exec " + place.nap() + " 3600", once + "trap '' TERM; touch b; " + stay,
              once + "setsid env -i /bin/sh -c 'trap \"\" TERM; touch c; " + stay + "' & " + stay,
              std::string("exit 0")})
            lsns.push_back(submit(caller, shJson(place, script)));
        for (const char* name : {"work/a", "work/b", "work/c"}) QVERIFY(appears(place.path(name)));
        QCOMPARE(engine.stop(), 0);
        QCOMPARE(describe(processesOf(place)), std::string());
        QVERIFY(!fs::exists(place.path("data/address")));
    }
    Yardmaster engine(place);
    QVERIFY(engine.isServing());
    Caller caller = engine.caller();
    for (std::size_t i = 0; i < lsns.size(); ++i) {
        const Answer answer = caller.result(lsns[i]);
        QCOMPARE(ending(answer), std::string("completed"));
        if (i == 3) continue;
        const auto json = answer.json();
        const auto& attempts = json.at("attempts").as_array();
        QVERIFY2(attempts.size() == 2 && attempts[0].at("reason").as_string() == "engine_stopped",
                 answer.shown().c_str());
    }
    QCOMPARE(engine.stop(), 0);
}

void TestBadWork::aCancelThatTheEngineDidNotSurviveHoldsAtTheNextStart() {
    Place place;
    std::vector<std::int64_t> lsns;
    {
        Yardmaster engine(place, {.arguments = {"--set", "grace_s=60"}, .wrapper = {}, .dataDir = {}});
        QVERIFY(engine.isServing());
        Caller caller = engine.caller();
        const std::int64_t queue = caller.post("/compute/queues", R"({"tag":"doomed"})").number("queue_id");
        const std::string resist =
            fmt::format("trap '' TERM; touch begun.$YARD_LSN; {0} 3600; {0} 3600", place.nap());
        lsns.push_back(submit(caller, shJson(place, resist)));
        lsns.push_back(
            caller.post(fmt::format("/compute/queues/{}/jobs", queue), shJson(place, resist)).number("lsn"));
        for (const std::int64_t lsn : lsns) QVERIFY(appears(place.path(fmt::format("work/begun.{}", lsn))));
        QCOMPARE(caller.post(fmt::format("/compute/jobs/{}/cancel", lsns[0])).status, 200);
        QCOMPARE(caller.post(fmt::format("/compute/queues/{}/cancel", queue)).status, 200);
        engine.kill();
    }
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    for (const std::int64_t lsn : lsns) {
        const Answer answer = caller.result(lsn);
        QCOMPARE(ending(answer), std::string("cancelled cancelled"));
        const auto json = answer.json();
        QVERIFY2(json.contains("attempts") && json.at("attempts").as_array().size() == 1, answer.shown().c_str());
    }
    QCOMPARE(engine.stop(), 0);
}

void TestBadWork::whoKillsTheLauncherIsCountedEachTime() {
    Place place;
    Yardmaster engine(place);
    QVERIFY(engine.isServing());
    Caller caller = engine.caller();
    // So early that nobody has been told yet that it runs: it may have run, so it did.
    const std::string kill = "echo ran >>ran; kill -9 $PPID; exec " + place.nap() + " 3600";
    const std::int64_t never =
        caller.post("/compute/queues", R"({"config":{"max_interruptions":0}})").number("queue_id");
    const Answer once = caller.post(fmt::format("/compute/queues/{}/jobs?wait=50", never), shJson(place, kill));
    QCOMPARE(ending(once), std::string("abandoned lost_runner"));
    QCOMPARE(fileText(place.path("work/ran")), std::string("ran\n"));
    const std::int64_t again = submit(caller, shJson(place, "mkdir once 2>/dev/null || exit 0; " + kill));
    // Those that were leased behind it come back unharmed.
    std::vector<std::int64_t> others;
    for (int i = 0; i < 20; ++i) others.push_back(submit(caller, shJson(place, "exit 0")));
    const Answer twice = caller.result(again);
    QCOMPARE(ending(twice), std::string("completed"));
    QVERIFY2(twice.number("retry_count") == 1, twice.shown().c_str());
    for (const std::int64_t lsn : others) QCOMPARE(ending(caller.result(lsn)), std::string("completed"));
    QCOMPARE(engine.stop(), 0);
    QCOMPARE(describe(processesOf(place)), std::string());
}

void TestBadWork::aSecondSigtermDoesNotWaitForTheGrace() {
    Place place;
    Yardmaster engine(place, {.arguments = {"--set", "grace_s=60"}, .wrapper = {}, .dataDir = {}});
    QVERIFY(engine.isServing());
    Caller caller = engine.caller();
    (void)submit(caller,
                 shJson(place, "trap 'touch asked' TERM; touch begun; while :; do " + place.nap() + " 3600; done"));
    QVERIFY(appears(place.path("work/begun")));
    engine.signal(SIGTERM);
    QVERIFY(appears(place.path("work/asked")));
    engine.signal(SIGTERM);
    // Half of the grace is long enough to know.
    QCOMPARE(engine.exitCode(30'000), 0);
    QCOMPARE(describe(processesOf(place)), std::string());
}

void TestBadWork::sigintAndHangupEndItToo() {
    for (const int signal : {SIGINT, SIGHUP}) {
        Place place;
        Yardmaster engine(place);
        QVERIFY(engine.isServing());
        engine.signal(signal);
        QCOMPARE(engine.exitCode(), 0);
        QCOMPARE(describe(processesOf(place)), std::string());
    }
}

void TestBadWork::sigtermWhileItStartsEndsIt() {
    Place place;
    for (const int afterMs : {0, 5, 20, 60, 150}) {
        Yardmaster engine(place);
        (void)eventually([] { return false; }, afterMs);
        engine.signal(SIGTERM);
        const int code = engine.exitCode();
        // Before it has taken its signals the system's rule holds: ended by SIGTERM.
        QVERIFY2(code == 0 || code == 128 + SIGTERM, engine.errors().c_str());
        QVERIFY(eventually([&] { return processesOf(place).empty(); }));
    }
}

QTEST_GUILESS_MAIN(TestBadWork)
#include "tst_bad_work.moc"
