// The engine is killed at each step that changes a file, one after the other: at its N-th write, rename, unlink, …,
// over a start, a submission and a completion; on a new data directory, and on one that another kill has left.
// strace does the killing, deterministically for each thread. Then a start without it has to come up and keep what
// was accepted.
//
// YARD_TORTURE_STEPS=all tries every N of every call until the program is not killed any more.
#include "tests/torture/program.h"

#include <QTest>

#include <csignal>
#include <filesystem>
#include <map>

using namespace yard;
using namespace yard::torture;

namespace fs = std::filesystem;

namespace {

constexpr std::array kCalls{"write", "pwrite64", "rename",    "unlink",  "fsync",   "fdatasync",
                            "mkdir", "rmdir",    "ftruncate", "sendmsg", "unlinkat"};
/// Where the tracer itself ends in vain, there is nothing to learn from a start that takes forever.
constexpr int kServingLimitMs = 30'000;
constexpr int kMaxStep = 400;

bool isEverything() {
    return qgetenv("YARD_TORTURE_STEPS") == "all";
}

/// Accepted, and what became of it: the marks of the scripts count the runs.
struct Accepted {
    std::int64_t lsn = 0;
    std::string result; ///< empty: not seen
};

std::string scratchJson(const Place& place) {
    return fmt::format(
        R"({{"worker":"exec","argv":["/bin/sh","-c",{}],"expect":["made"]}})",
        jsonText(fmt::format("echo s $YARD_LSN >>{}; echo out; echo made >outputs/made", place.path("log"))));
}

std::string plainJson(const Place& place) {
    return shJson(place,
                  fmt::format("echo s $YARD_LSN >>{}; echo out; head -c 100000 /dev/zero >&2", place.path("log")));
}

int runsOf(const Place& place, std::int64_t lsn) {
    const std::string log = fileText(place.path("log"));
    const std::string line = fmt::format("s {}\n", lsn);
    int runs = 0;
    for (auto at = log.find(line); at != std::string::npos; at = log.find(line, at + 1)) ++runs;
    return runs;
}

/// One engine's life up to a submission of two and their ends; it may be killed anywhere.
std::vector<Accepted> shortLife(const Place& place, Yardmaster& engine) {
    std::vector<Accepted> accepted;
    if (!engine.isServing(kServingLimitMs)) return accepted;
    Caller caller = engine.caller();
    for (const std::string& json : {scratchJson(place), plainJson(place)}) {
        const Answer answer = caller.post("/compute/jobs", json);
        if (answer.status == 200) accepted.push_back({answer.number("lsn"), {}});
    }
    for (Accepted& action : accepted)
        if (const Answer answer = caller.result(action.lsn, 20); answer.status == 200) action.result = answer.body;
    return accepted;
}

/// A directory as a killed engine leaves it: one action done, one held, one interrupted.
struct Left {
    std::int64_t done = 0;
    std::string result;
    std::int64_t held = 0;
    std::int64_t hanging = 0;
};

Left leaveBehind(const Place& place) {
    Left left;
    Yardmaster engine(place);
    if (!engine.isServing()) qFatal("the engine does not start: %s", engine.errors().c_str());
    Caller caller = engine.caller();
    left.done = caller.post("/compute/jobs", scratchJson(place)).number("lsn");
    left.result = caller.result(left.done).body;
    left.held = caller.post("/compute/jobs", shJson(place, "exit 0", R"(,"hold":true)")).number("lsn");
    left.hanging =
        caller
            .post("/compute/jobs",
                  shJson(place, fmt::format("mkdir once 2>/dev/null || exit 0; touch begun; {} 3600", place.nap())))
            .number("lsn");
    if (!eventually([&] { return fs::exists(place.path("work/begun")); })) qFatal("nothing starts");
    engine.kill();
    if (!eventually([&] { return processesOf(place).empty(); })) qFatal("something lives on");
    return left;
}

} // namespace

class TestSteps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aKillAtAnyStepOfANewDirectoryLosesNothing();
    void aKillAtAnyStepOfARestartLosesNothing();

private:
    bool oneStep(const char* call, int step, bool again);
    void eachStep(bool again);
    void check(const Place& place, const std::vector<Accepted>& accepted, const std::optional<Left>& left);
    int kills_ = 0;
};

void TestSteps::initTestCase() {
    const int code =
        std::system("strace -qq -o /dev/null -e trace=none true 2>/dev/null"); // NOLINT(concurrency-mt-unsafe)
    if (code != 0)
        QSKIP("strace (apt-get install strace) is not there, or may not trace here: no kill at each step");
}

/// The engine alone is traced: its launcher is let go at its execve. True when it was killed.
bool TestSteps::oneStep(const char* call, int step, bool again) {
    Place place;
    std::optional<Left> left;
    if (again) left = leaveBehind(place);
    Yardmaster::Options options;
    options.wrapper = {"strace",
                       "-f",
                       "-qq",
                       "-b",
                       "execve",
                       "-o",
                       "/dev/null",
                       "-e",
                       fmt::format("trace={}", call),
                       "-e",
                       fmt::format("inject={}:signal=SIGKILL:when={}", call, step)};
    options.arguments = {"--capacity", "2"};
    Yardmaster engine(place, options);
    const std::vector<Accepted> accepted = shortLife(place, engine);
    // Not killed: the step is beyond the last of this life. strace passes SIGTERM on to nobody, so by the lock's
    // pid.
    std::string lock = fileText(place.path("data/lock"));
    const bool ended = engine.exitCode(accepted.size() == 2 && !accepted.back().result.empty() ? 50 : 5'000) >= 0;
    if (!ended && lock.starts_with("pid ")) ::kill(std::atoi(lock.c_str() + 4), SIGTERM);
    const bool wasKilled = engine.exitCode() == 128 + SIGKILL;
    check(place, accepted, left);
    return wasKilled;
}

void TestSteps::check(const Place& place, const std::vector<Accepted>& accepted, const std::optional<Left>& left) {
    QVERIFY(eventually([&] { return processesOf(place).empty(); }));
    Yardmaster engine(place);
    QVERIFY2(engine.isServing(), engine.errors().c_str());
    Caller caller = engine.caller();
    for (const Accepted& action : accepted) {
        const int before = runsOf(place, action.lsn);
        const Answer answer = caller.result(action.lsn);
        QVERIFY2(answer.status == 200 && answer.text("state") == "completed", answer.shown().c_str());
        if (action.result.empty()) continue;
        QCOMPARE(answer.body, action.result);
        QCOMPARE(runsOf(place, action.lsn), before);
    }
    if (left) {
        QCOMPARE(caller.result(left->done).body, left->result);
        QCOMPARE(caller.get(fmt::format("/compute/jobs/{}", left->held)).status, 202);
        QCOMPARE(caller.post(fmt::format("/compute/jobs/{}/release", left->held)).status, 200);
        for (const std::int64_t lsn : {left->held, left->hanging}) {
            const Answer answer = caller.result(lsn);
            QVERIFY2(answer.status == 200 && answer.text("state") == "completed", answer.shown().c_str());
        }
    }
    // Work goes on, and no number is given twice.
    const std::int64_t next = caller.post("/compute/jobs", scratchJson(place)).number("lsn");
    for (const Accepted& action : accepted) QVERIFY(next > action.lsn);
    const Answer answer = caller.result(next);
    QVERIFY2(answer.text("state") == "completed", answer.shown().c_str());
    QCOMPARE(engine.stop(), 0);
    QCOMPARE(describe(processesOf(place)), std::string());
    for (const auto& entry : fs::directory_iterator(place.data()))
        QVERIFY2(!entry.path().filename().string().starts_with(".yard-new-"), entry.path().c_str());
}

void TestSteps::eachStep(bool again) {
    kills_ = 0;
    if (!isEverything()) {
        // A handful: what writes the journal, and what moves files into their place.
        for (const auto& [call, step] : std::map<const char*, int>{{"pwrite64", 4}, {"rename", 1}, {"write", 3}}) {
            kills_ += oneStep(call, step, again) ? 1 : 0;
            if (QTest::currentTestFailed()) qFatal("… when killed at %s %d", call, step);
        }
        QVERIFY2(kills_ > 0, "no step was reached");
        return;
    }
    for (const char* call : kCalls) {
        int step = 1;
        for (; step < kMaxStep && oneStep(call, step, again); ++step) {
            ++kills_;
            if (QTest::currentTestFailed()) qFatal("… when killed at %s %d", call, step);
        }
        qInfo("%s: killed at %d steps", call, step - 1);
        QVERIFY2(step < kMaxStep, "it is always killed");
    }
    QVERIFY2(kills_ > 0, "no step was reached");
}

void TestSteps::aKillAtAnyStepOfANewDirectoryLosesNothing() {
    eachStep(false);
}

void TestSteps::aKillAtAnyStepOfARestartLosesNothing() {
    eachStep(true);
}

QTEST_GUILESS_MAIN(TestSteps)
#include "tst_steps.moc"
