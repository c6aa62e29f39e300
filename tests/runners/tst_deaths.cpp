// Deaths: of the launcher, of the engine, of both; what the next start finds; and random kills of whatever lives.
//
// The engine of these tests is this program again (--engine): it runs leases and waits to be killed.
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/host/process_tree.h"
#include "core/launcher/launcher.h"
#include "core/lease/process_mark.h"
#include "core/lease/recovery.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <poll.h>
#include <random>
#include <set>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

extern char** environ;

namespace {

// An engine in a process of its own: runs a tree and a stubborn daemon, then drives its runner forever.
int engineMain(const std::string& dataDir, const std::string& token, const std::string& fifo) {
    LauncherConfig config;
    config.dataDir = dataDir;
    config.ownerToken = token;
    config.slots = 3;
    auto runner = LocalRunner::start(config, [](std::vector<Update>) {});
    if (!runner) return 1;
    std::vector<Lease> batch(4);
    const std::vector<std::vector<std::string>> roles{
        {"wait", fifo}, {"tree", fifo, "2"}, {"stubborn", fifo}, {"exit", "0"}};
    for (std::size_t i = 0; i < batch.size(); ++i) {
        batch[i].id = {Lsn(static_cast<std::int64_t>(i) + 1), 1};
        batch[i].argv = roles[i];
        batch[i].argv.insert(batch[i].argv.begin(), childProgram());
        batch[i].cwd = "/";
        batch[i].grace = Duration(200'000);
        batch[i].slot = SlotId(static_cast<std::uint32_t>(i % 3));
    }
    (*runner)->submit(std::move(batch));
    for (;;) {
        pollfd p{(*runner)->pollFd(), POLLIN, 0};
        ::poll(&p, 1, -1);
        (*runner)->onReadable();
    }
}

struct Engine {
    explicit Engine(const QTemporaryDir& dir)
        : fifo(dir.filePath("fifo").toStdString())
        , dataDir(dir.filePath("data").toStdString())
        , token(randomHex(16)) {
        std::string self = "/proc/self/exe";
        std::string role = "--engine";
        std::string path = fifo.path();
        std::array<char*, 6> argv{self.data(), role.data(), dataDir.data(), token.data(), path.data(), nullptr};
        if (::posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), environ) != 0) std::abort();
        for (int i = 0; i < 7; ++i)
            pids.push_back(fifo.next().pid); // wait, root, two branches, two leaves, stubborn
    }
    void kill() {
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    Fifo fifo;
    std::string dataDir;
    std::string token;
    pid_t pid = -1;
    std::vector<int> pids;
};

} // namespace

class TestDeaths : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aDeadLauncherLosesWhatRanAndReturnsWhatDidNot();
    void aDeadLaunchersDaemonsAreEndedBeforeAnythingIsReported();
    void aDeadLaunchersDaemonWithoutEnvironmentIsEndedToo();
    void aNewLauncherTakesOver();
    void aLauncherThatKeepsDyingIsNotStartedForEver();
    void aLauncherThatCannotWorkIsReported();
    void theLauncherIgnoresSignalsOfATerminal();
    void whenTheEngineDiesEverythingItStartedEnds();
    void whenBothDieTheNextStartEndsEverything();
    void recoveryWithoutAFileFindsWhatCarriesTheToken();
    void recoveryFindsWhatDroppedTheTokenByItsMark();
    void recoverySetsAGarbledFileAside();
    void recoveryTouchesNobodyElse();
    void randomKillsLoseNoLease();
};

void TestDeaths::aDeadLauncherLosesWhatRanAndReturnsWhatDidNot() {
    RunnerBench bench(1);
    Fifo fifo(bench.path("fifo"));
    bench.submit(1, {"wait", fifo.path()});
    bench.submit(2, {"exit", "0"});
    const int child = fifo.next().pid;
    ::kill(bench.runner().launcherPid(), SIGKILL);
    QVERIFY(bench.ended(1)->cause == EndCause::LostRunner);
    QVERIFY(isGone(child));
    QVERIFY(bench.until([&] { return bench.isReturned(2); }));
    QVERIFY(bench.close());
}

void TestDeaths::aDeadLaunchersDaemonsAreEndedBeforeAnythingIsReported() {
    RunnerBench bench(2);
    Fifo fifo(bench.path("fifo"));
    bench.submit(1, {"tree", fifo.path(), "4"});
    Lease flood = bench.lease(2, {"flood"});
    bench.submit(flood);
    std::vector<int> pids;
    for (int i = 0; i < 9; ++i) pids.push_back(fifo.next().pid);
    QVERIFY(bench.until([&] { return bench.started(2) != nullptr; }));
    bool allGone = true;
    bench.onUpdates = [&](std::vector<Update>& batch) {
        for (const Update& update : batch)
            if (std::holds_alternative<Ended>(update.what))
                allGone = allGone && std::ranges::all_of(pids, [](int pid) { return isGone(pid); }) &&
                          isGone(bench.started(2)->pid);
    };
    ::kill(bench.runner().launcherPid(), SIGKILL);
    QVERIFY(bench.ended(1)->cause == EndCause::LostRunner);
    QVERIFY(bench.ended(2)->cause == EndCause::LostRunner);
    QVERIFY(allGone);
    // What it had written of the flood is nobody's.
    QVERIFY(QDir(QString::fromStdString(bench.config().dataDir + "/chunks/tmp")).isEmpty());
    QVERIFY(bench.close());
}

void TestDeaths::aDeadLaunchersDaemonWithoutEnvironmentIsEndedToo() {
    RunnerBench bench(1);
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {});
    lease.argv = {"/bin/sh", "-c",
                  "setsid env -i /bin/sh -c 'echo daemon $$ >\"$0\"; exec sleep 3600' " + fifo.path() + " & wait"};
    bench.submit(std::move(lease));
    const int daemon = fifo.next().pid;
    QVERIFY(daemon > 0);
    ::kill(bench.runner().launcherPid(), SIGKILL);
    QVERIFY(bench.ended(1)->cause == EndCause::LostRunner);
    QVERIFY(isGone(daemon));
    QVERIFY(bench.close());
}

void TestDeaths::aNewLauncherTakesOver() {
    RunnerBench bench(2);
    QVERIFY(bench.until([&] { return bench.runner().launcherPid() > 0; }));
    const int first = bench.runner().launcherPid();
    ::kill(first, SIGKILL);
    QVERIFY(bench.until([&] { return bench.runner().launcherPid() != first; }));
    QVERIFY(bench.until([&] { return bench.runner().free() == 2; }));
    bench.submit(1, {"exit", "6"});
    QCOMPARE(bench.ended(1)->exitCode, std::optional(6));
    QVERIFY(bench.close());
}

void TestDeaths::aLauncherThatKeepsDyingIsNotStartedForEver() {
    RunnerBench bench(1);
    std::set<int> launchers;
    QVERIFY(bench.until([&] {
        const int pid = bench.runner().launcherPid();
        if (pid > 0 && launchers.insert(pid).second) ::kill(pid, SIGKILL);
        return launchers.size() == 6 && bench.runner().launcherPid() == 0;
    }));
    QCOMPARE(bench.runner().free(), 0u);
    bench.submit(1, {"exit", "0"});
    QVERIFY(bench.until([&] { return bench.isReturned(1); }));
    QVERIFY(bench.close());
}

void TestDeaths::aLauncherThatCannotWorkIsReported() {
    QTemporaryDir dir;
    LauncherConfig config;
    config.dataDir = dir.filePath("data").toStdString();
    config.ownerToken = "not a token";
    QVERIFY(!LocalRunner::start(config, [](std::vector<Update>) {}));
    config.ownerToken = randomHex(16);
    config.program = "/no/such/program";
    const auto runner = LocalRunner::start(config, [](std::vector<Update>) {});
    QVERIFY(!runner && runner.error().message.find("/no/such/program") != std::string::npos);
}

void TestDeaths::theLauncherIgnoresSignalsOfATerminal() {
    RunnerBench bench(1);
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    bench.submit(1, {"wait", fifo.path(), gate.path()});
    QVERIFY(fifo.next().pid > 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGTSTP})
        ::kill(bench.runner().launcherPid(), signal);
    gate.open();
    QCOMPARE(bench.ended(1)->exitCode, std::optional(0));
    QVERIFY(bench.close());
}

void TestDeaths::whenTheEngineDiesEverythingItStartedEnds() {
    QTemporaryDir dir;
    Engine engine(dir);
    engine.kill();
    QVERIFY(eventually([&] { return ownedProcesses(engine.token).empty(); }));
    for (const int pid : engine.pids) QVERIFY(pid > 0 && isGone(pid));
}

void TestDeaths::whenBothDieTheNextStartEndsEverything() {
    QTemporaryDir dir;
    Engine engine(dir);
    const std::string slotsPath = engine.dataDir + "/slots";
    const int launcher = SlotsFile::open(slotsPath)->launcherPid();
    QVERIFY(launcher > 0);
    ::kill(engine.pid, SIGSTOP); // so that it does not clean up after its launcher
    ::kill(launcher, SIGKILL);
    engine.kill();
    const auto report = recoverSlots(slotsPath, engine.token);
    QVERIFY(report && !report->garbled);
    QVERIFY(ownedProcesses(engine.token).empty());
    for (const int pid : engine.pids) QVERIFY(isGone(pid));
    std::set<std::int64_t> interrupted;
    for (const SlotEntry& entry : report->interrupted) interrupted.insert(entry.id.lsn.value);
    QCOMPARE(interrupted, (std::set<std::int64_t>{1, 2, 3})); // the fourth waited behind the first
    const auto again = recoverSlots(slotsPath, engine.token);
    QVERIFY(again && again->killed == 0);
}

void TestDeaths::recoveryWithoutAFileFindsWhatCarriesTheToken() {
    QTemporaryDir dir;
    Engine engine(dir);
    const int launcher = SlotsFile::open(engine.dataDir + "/slots")->launcherPid();
    ::kill(engine.pid, SIGSTOP);
    ::kill(launcher, SIGKILL);
    engine.kill();
    const auto report = recoverSlots(dir.filePath("no-slots").toStdString(), engine.token);
    QVERIFY(report && report->interrupted.empty());
    QVERIFY(ownedProcesses(engine.token).empty());
}

void TestDeaths::recoveryFindsWhatDroppedTheTokenByItsMark() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("no-slots").toStdString();
    const std::string token = randomHex(16);
    Fifo fifo(dir.filePath("fifo").toStdString());
    std::string program = childProgram();
    std::string role = "wait";
    std::string tells = fifo.path();
    std::array<char*, 4> argv{program.data(), role.data(), tells.data(), nullptr};
    std::array<char*, 1> nothing{nullptr};
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_LOCKS, &before), 0);
    rlimit marked = before;
    marked.rlim_cur = ProcessMarks(token).of(7);
    QCOMPARE(::setrlimit(RLIMIT_LOCKS, &marked), 0);
    pid_t pid = -1;
    const int spawned = ::posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv.data(), nothing.data());
    QCOMPARE(::setrlimit(RLIMIT_LOCKS, &before), 0);
    QCOMPARE(spawned, 0);
    QCOMPARE(fifo.next().pid, pid);
    QCOMPARE(recoverSlots(path, randomHex(16))->killed, 0U);
    QVERIFY(!isGone(pid));
    QCOMPARE(recoverSlots(path, token)->killed, 1U);
    QVERIFY(isGone(pid));
}

void TestDeaths::recoverySetsAGarbledFileAside() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("slots").toStdString();
    QVERIFY(writeFileAtomically(path, "garbage", 0600));
    const auto report = recoverSlots(path, randomHex(16));
    QVERIFY(report && report->garbled && report->interrupted.empty());
    const QStringList left = QDir(dir.path()).entryList({"slots.garbled.*"});
    QCOMPARE(left.size(), 1);
    QVERIFY(!QFile::exists(QString::fromStdString(path)));
}

void TestDeaths::recoveryTouchesNobodyElse() {
    QTemporaryDir dir;
    Engine other(dir);
    const std::string path = dir.filePath("mine").toStdString();
    {
        // A file of ours that names living strangers: another engine's launcher and children.
        auto file = SlotsFile::create(path, 1);
        const auto index = file->take(SlotId(0), {Lsn(1), 1});
        file->setCloned(SlotId(0), *index, other.pids.front());
        file->setLauncherPid(SlotsFile::open(other.dataDir + "/slots")->launcherPid());
    }
    const auto report = recoverSlots(path, randomHex(16));
    QVERIFY(report);
    QCOMPARE(report->killed, 0u);
    QCOMPARE(report->interrupted.size(), std::size_t{1});
    for (const int pid : other.pids) QVERIFY(!isGone(pid));
    other.kill();
    QVERIFY(eventually([&] { return ownedProcesses(other.token).empty(); }));
}

void TestDeaths::randomKillsLoseNoLease() {
    constexpr int kRounds = 4; // launchers that may die within a minute are few
    std::mt19937 random(7);
    RunnerBench bench(3);
    std::map<std::int64_t, int> terminal;
    int submitted = 0;
    bench.onUpdates = [&](std::vector<Update>& batch) {
        for (const Update& update : batch)
            if (std::holds_alternative<Ended>(update.what) || std::holds_alternative<Returned>(update.what))
                ++terminal[update.id.lsn.value];
    };
    for (int round = 0; round < kRounds; ++round) {
        QVERIFY(bench.until([&] { return bench.runner().free() == 3; }));
        std::vector<Lease> batch;
        for (int i = 0; i < 20; ++i) {
            const std::vector<std::vector<std::string>> roles{
                {"exit", "0"}, {"print", "50000"}, {"background"}, {"spin", "5"}};
            batch.push_back(bench.lease(++submitted, roles[random() % roles.size()]));
            batch.back().group = 1;
            batch.back().grace = Duration(50'000);
        }
        bench.runner().submit(std::move(batch));
        const std::size_t stopAfter = terminal.size() + random() % 12;
        QVERIFY(bench.until([&] {
            if (random() % 3 == 0) { // some child dies
                const auto owned = ownedProcesses(bench.config().ownerToken);
                for (const int pid : owned)
                    if (pid != bench.runner().launcherPid() && random() % 4 == 0) ::kill(pid, SIGKILL);
            }
            return terminal.size() >= stopAfter;
        }));
        bench.runner().end({Lsn(submitted), 1}, StopCause::Cancelled);
        ::kill(bench.runner().launcherPid(), SIGKILL);
        QVERIFY(bench.until([&] { return terminal.size() == static_cast<std::size_t>(submitted); }));
    }
    for (const auto& [lsn, count] : terminal) QCOMPARE(count, 1);
    QVERIFY(bench.close());
}

int main(int argc, char** argv) {
    if (const auto code = runLauncherIfAsked(argc, argv)) return *code;
    if (argc == 5 && std::strcmp(argv[1], "--engine") == 0) return engineMain(argv[2], argv[3], argv[4]);
    QCoreApplication app(argc, argv);
    TestDeaths test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_deaths.moc"
