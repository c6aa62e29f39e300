// What a child finds when it starts, and how a start that fails is reported.
#include "core/base/files.h"
#include "core/host/process_tree.h"
#include "core/launcher/launcher.h"
#include "tests/base/in_mount_namespace.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTest>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {

/// Seconds; -1: not known.
double cpuOf(const Ended& ended) {
    return static_cast<double>(ended.measures[Measure::CpuTime].value_or(-1'000'000)) / 1e6;
}

} // namespace

class TestStarts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void exitCodesAndSignalsAreReported();
    void startedComesBeforeEndedWithOrderedTimes();
    void theChildHasOnlyThreeDescriptorsAndNoInput();
    void thePipeOfAJobserverIsBothOfItsDescriptors();
    void theChildLeadsASessionAndHasCleanSignals();
    void argumentsEnvironmentAndDirectoryArrive();
    void eachHasAnEmptyStatusFileOfItsOwn();
    void aVariableOfTheLeaseReplacesTheEngines();
    void limitsAreSetAndTheOriginalFileLimitIsRestored();
    void cpuTimeIsMeasured();
    void memoryIsThatOfTheProgramOrNotTold();
    void bytesToDisksAreThoseOfItsTree();
    void cpuTimeOfOrphansCounts();
    void aMissingProgramIsASpawnError_data();
    void aMissingProgramIsASpawnError();
    void failedStartsDoNotStopTheNext();
    void argumentsThatAreTooLongAreASpawnError();
    void whatLiesOnAMountThatDoesNotAnswerIsGivenUp_data();
    void whatLiesOnAMountThatDoesNotAnswerIsGivenUp();
    void aStartThatDoesNotGetOnIsEndedForWhatItIsToldTo_data();
    void aStartThatDoesNotGetOnIsEndedForWhatItIsToldTo();
};

void TestStarts::exitCodesAndSignalsAreReported() {
    RunnerBench bench;
    bench.submit(1, {"exit", "0"});
    bench.submit(2, {"exit", "42"});
    bench.submit(3, {"signal", "11"});
    QCOMPARE(bench.ended(1)->exitCode, std::optional(0));
    QCOMPARE(bench.ended(2)->exitCode, std::optional(42));
    QCOMPARE(bench.ended(3)->signal, std::optional(11));
    QVERIFY(!bench.ended(3)->exitCode);
    QVERIFY(bench.ended(3)->cause == EndCause::Exited);
    QVERIFY(bench.close());
}

void TestStarts::startedComesBeforeEndedWithOrderedTimes() {
    RunnerBench bench;
    const MonoTime before = MonoClock::now();
    bench.submit(1, {"exit", "0"});
    const Ended end = *bench.ended(1);
    QVERIFY(std::holds_alternative<Started>(bench.seen.front().what));
    QVERIFY(bench.started(1)->pid > 0);
    QVERIFY(before <= end.times.submitting && end.times.submitting <= end.times.running);
    QVERIFY(end.times.running <= end.times.exited && end.times.exited <= end.times.ended);
    QVERIFY(end.times.ended <= MonoClock::now());
    QVERIFY(bench.close());
}

void TestStarts::theChildHasOnlyThreeDescriptorsAndNoInput() {
    RunnerBench bench;
    bench.submit(1, {"fds"});
    QCOMPARE(textOf(bench.ended(1)->out), std::string("0 1 2 /dev/null"));
    QVERIFY(bench.close());
}

void TestStarts::thePipeOfAJobserverIsBothOfItsDescriptors() {
    RunnerBench bench;
    const auto pipeFor = [](Lease& lease) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) qFatal("no pipe");
        ::close(ends[1]);
        lease.tokens = std::make_shared<UniqueFd>(ends[0]);
    };
    Lease alone = bench.lease(1, {"fds"});
    pipeFor(alone);
    bench.submit(alone);
    Lease beside = bench.lease(2, {"fds"});
    pipeFor(beside);
    beside.input = std::make_shared<UniqueFd>(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    bench.submit(beside);
    bench.submit(3, {"fds"});
    QCOMPARE(textOf(bench.ended(1)->out), std::string("0 1 2 3 4 /dev/null"));
    QCOMPARE(textOf(bench.ended(2)->out), std::string("0 1 2 3 4 /dev/zero"));
    QCOMPARE(textOf(bench.ended(3)->out), std::string("0 1 2 /dev/null"));
    QVERIFY(!alone.tokens->get() || alone.tokens->get() < 0); // ours has gone
    QVERIFY(bench.close());
}

void TestStarts::theChildLeadsASessionAndHasCleanSignals() {
    ::signal(SIGPIPE, SIG_IGN); // as an engine does
    RunnerBench bench;
    bench.submit(1, {"self"});
    const std::string text = textOf(bench.ended(1)->out);
    QVERIFY2(text.starts_with("leader=1 session=1 death=9\n"), text.c_str());
    for (const char* line : {"SigPnd:\t0000000000000000", "SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000",
                             "SigCgt:\t0000000000000000"})
        QVERIFY2(text.find(line) != std::string::npos, text.c_str());
    QVERIFY(bench.close());
    ::signal(SIGPIPE, SIG_DFL);
}

void TestStarts::argumentsEnvironmentAndDirectoryArrive() {
    RunnerBench bench;
    bench.submit(1, {"args", "a", "", "b c", "\xc3\xa4\n"});
    Lease env = bench.lease(2, {"env", "COLOUR"});
    env.env = {{"COLOUR", "blue=green"}};
    bench.submit(env);
    Lease cwd = bench.lease(3, {"cwd"});
    cwd.cwd = bench.path("with space");
    QVERIFY(makeDirectories(cwd.cwd));
    bench.submit(cwd);
    bench.submit(4, {"env", "YARD_LSN"});
    bench.submit(5, {"env", "YARD_OWNER"});
    QCOMPARE(textOf(bench.ended(1)->out), std::string("[a][][b c][\xc3\xa4\n]"));
    QCOMPARE(textOf(bench.ended(2)->out), std::string("blue=green\n"));
    QCOMPARE(textOf(bench.ended(3)->out), bench.path("with space") + "\n");
    QCOMPARE(textOf(bench.ended(4)->out), std::string("4\n"));
    QCOMPARE(textOf(bench.ended(5)->out), bench.config().ownerToken + "\n");
    QVERIFY(bench.close());
}

void TestStarts::eachHasAnEmptyStatusFileOfItsOwn() {
    RunnerBench bench(1);
    const auto shell = [&](std::int64_t lsn, const std::string& script) {
        Lease lease = bench.lease(lsn, {"exit", "0"});
        lease.argv = {"/bin/sh", "-c", script};
        bench.submit(lease);
        return textOf(bench.ended(lsn)->out);
    };
    const std::string path = bench.config().dataDir + "/status/0";
    QCOMPARE(shell(1, "echo $YARD_STATUS; wc -c <$YARD_STATUS; echo progress 0.5 >$YARD_STATUS"), path + "\n0\n");
    QCOMPARE(shell(2, "wc -c <$YARD_STATUS; rm $YARD_STATUS; mkfifo $YARD_STATUS"), std::string("0\n"));
    QCOMPARE(shell(3, "test -f $YARD_STATUS && rm $YARD_STATUS && ln -s /etc/passwd $YARD_STATUS; echo ok"),
             std::string("ok\n"));
    QCOMPARE(shell(4, "test -f $YARD_STATUS && ! test -L $YARD_STATUS && wc -c <$YARD_STATUS"), std::string("0\n"));
    // Whatever it does with it, the next one has one that is as new.
    const std::array<std::string, 5> spoils = {
        "rm $YARD_STATUS; mkdir $YARD_STATUS", "rm $YARD_STATUS; mkdir -p $YARD_STATUS/full",
        "rm $YARD_STATUS; mkdir -p $YARD_STATUS/again", "chmod 0 $YARD_STATUS", "ln $YARD_STATUS $YARD_STATUS.too"};
    for (std::int64_t lsn = 5; const std::string& spoil : spoils) {
        QCOMPARE(shell(lsn++, spoil + " && echo ok"), std::string("ok\n"));
        QCOMPARE(shell(lsn++, "test -f $YARD_STATUS && stat -c '%a %h %s' $YARD_STATUS"), std::string("600 1 0\n"));
    }
    QVERIFY(bench.close());
}

void TestStarts::aVariableOfTheLeaseReplacesTheEngines() {
    ::setenv("YARD_TEST_VARIABLE", "engine", 1);
    RunnerBench bench;
    ::unsetenv("YARD_TEST_VARIABLE");
    bench.submit(1, {"env", "YARD_TEST_VARIABLE"});
    Lease own = bench.lease(2, {"env", "YARD_TEST_VARIABLE"});
    own.env = {{"YARD_TEST_VARIABLE", "lease"}, {"YARD_OWNER", "forged"}};
    bench.submit(own);
    QCOMPARE(textOf(bench.ended(1)->out), std::string("engine\n"));
    QCOMPARE(textOf(bench.ended(2)->out), std::string("lease\n"));
    QVERIFY(bench.close());
}

void TestStarts::limitsAreSetAndTheOriginalFileLimitIsRestored() {
    RunnerBench bench;
    Lease limited = bench.lease(1, {"limits"});
    limited.limits = {.openFiles = 64, .processes = 0, .fileBytes = 4096, .noCoreFiles = true};
    bench.submit(limited);
    bench.submit(2, {"limits"});
    QCOMPARE(textOf(bench.ended(1)->out), std::string("64 4096 0"));
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    QVERIFY(textOf(bench.ended(2)->out).starts_with(std::to_string(files.rlim_cur) + " -1 "));
    QVERIFY(bench.close());
}

void TestStarts::cpuTimeIsMeasured() {
    RunnerBench bench;
    bench.submit(1, {"spin", "100"});
    const Ended* end = bench.ended(1);
    QVERIFY(cpuOf(*end) >= 0.09 && cpuOf(*end) < 5);
    QVERIFY(bench.close());
}

/// For Linux what the launcher had belongs to a program that it starts: of a small one nothing is known.
void TestStarts::memoryIsThatOfTheProgramOrNotTold() {
    constexpr std::int64_t kNear = 1 << 20;
    RunnerBench bench;
    const auto differsBy = [&bench](std::int64_t lsn, const char* bytes) -> std::optional<std::int64_t> {
        bench.submit(lsn, {"peak", bytes});
        const Ended* end = bench.ended(lsn);
        const auto& peak = end->measures[Measure::PeakMemory];
        if (!peak) return std::nullopt;
        return std::abs(*peak - std::stoll(textOf(end->out)) * 1024);
    };
    QVERIFY(differsBy(1, "0").value_or(0) <= kNear);
    QVERIFY(differsBy(2, "2000000").value_or(0) <= kNear);
    const auto large = differsBy(3, "64000000");
    QVERIFY(large && *large <= kNear);
    QVERIFY(bench.close());
}

/// Where the directory is in memory the kernel counts nothing, here as there.
void TestStarts::bytesToDisksAreThoseOfItsTree() {
    RunnerBench bench;
    bench.submit(1, {"disk", "3000000"});
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    const auto& disk = end->measures[Measure::DiskBytes];
    QVERIFY(disk);
    QVERIFY2(*disk >= std::stoll(textOf(end->out)), std::to_string(*disk).c_str());
    QVERIFY(bench.close());
}

void TestStarts::cpuTimeOfOrphansCounts() {
    RunnerBench bench;
    bench.submit(1, {"orphan-spin", "100"});
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    QVERIFY2(cpuOf(*end) >= 0.09, std::to_string(cpuOf(*end)).c_str());
    QVERIFY(bench.close());
}

void TestStarts::aMissingProgramIsASpawnError_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("cwd");
    QTest::addColumn<int>("step");
    QTest::addColumn<int>("err");
    QTest::addColumn<QString>("sentence");
    const auto step = [](SpawnStep s) { return static_cast<int>(s); };
    QTest::newRow("not there") << "/no/such/program" << "/" << step(SpawnStep::Exec) << ENOENT
                               << "the program '/no/such/program' does not exist";
    QTest::newRow("not in PATH") << "no-such-program" << "/" << step(SpawnStep::Lookup) << ENOENT
                                 << "the program 'no-such-program' was not found in PATH (/bin)";
    QTest::newRow("not executable") << "DIR/plain" << "/" << step(SpawnStep::Exec) << EACCES << "is not executable";
    QTest::newRow("a directory") << "DIR" << "/" << step(SpawnStep::Exec) << EACCES << "is a directory";
    QTest::newRow("wrong format") << "DIR/words" << "/" << step(SpawnStep::Exec) << ENOEXEC << "wrong format";
    QTest::newRow("no interpreter") << "DIR/orphan" << "/" << step(SpawnStep::Exec) << ENOENT << "interpreter";
    QTest::newRow("below cwd") << "./nothing" << "DIR" << step(SpawnStep::Exec) << ENOENT
                               << "'./nothing' does not exist";
    QTest::newRow("no cwd") << "/bin/true" << "/no/such/dir" << step(SpawnStep::ChangeDirectory) << ENOENT
                            << "the working directory '/no/such/dir' does not exist";
    QTest::newRow("cwd is a file") << "/bin/true" << "DIR/plain" << step(SpawnStep::ChangeDirectory) << ENOTDIR
                                   << "is not a directory";
}

void TestStarts::aMissingProgramIsASpawnError() {
    QFETCH(QString, program);
    QFETCH(QString, cwd);
    RunnerBench bench;
    const std::string dir = bench.path("programs");
    QVERIFY(makeDirectories(dir));
    QVERIFY(writeFileAtomically(dir + "/plain", "#!/bin/sh\n", 0644));
    QVERIFY(writeFileAtomically(dir + "/words", "only words\n", 0755));
    QVERIFY(writeFileAtomically(dir + "/orphan", "#!/no/interpreter\n", 0755));
    Lease lease = bench.lease(1, {});
    lease.argv = {program.replace("DIR", QString::fromStdString(dir)).toStdString()};
    lease.cwd = cwd.replace("DIR", QString::fromStdString(dir)).toStdString();
    lease.env = {{"PATH", "/bin"}};
    bench.submit(lease);
    const Ended* end = bench.ended(1);
    QVERIFY(end->cause == EndCause::SpawnError);
    QVERIFY(!end->exitCode && !end->signal && !bench.started(1));
    QTEST(static_cast<int>(end->spawn.step), "step");
    QTEST(end->spawn.err, "err");
    QVERIFY(cannotHeal(end->spawn));
    QFETCH(QString, sentence);
    const QString message = QString::fromStdString(end->spawn.message);
    QVERIFY2(message.contains(sentence), qPrintable(message));
    QVERIFY(bench.close());
}

void TestStarts::failedStartsDoNotStopTheNext() {
    RunnerBench bench(1);
    std::vector<Lease> batch;
    for (int i = 1; i <= 7; ++i) {
        batch.push_back(bench.lease(i, {"exit", "0"}));
        if (i % 2 == 1) batch.back().argv = {"/no/such/program"};
    }
    bench.runner().submit(std::move(batch));
    for (int i = 1; i <= 7; ++i)
        QVERIFY(bench.ended(i)->cause == (i % 2 == 1 ? EndCause::SpawnError : EndCause::Exited));
    QVERIFY(bench.close());
}

void TestStarts::argumentsThatAreTooLongAreASpawnError() {
    RunnerBench bench;
    bench.submit(1, {"args", std::string(1 << 20, 'x')}); // over the kernel's 128 KiB for one
    bench.submit(2, {"args", std::string(3 << 20, 'x')}); // over our own limit
    Lease none = bench.lease(3, {});
    none.argv.clear();
    bench.submit(none);
    for (int i : {1, 2, 3})
        QVERIFY(bench.ended(i)->cause == EndCause::SpawnError && cannotHeal(bench.ended(i)->spawn));
    QCOMPARE(bench.ended(1)->spawn.err, E2BIG);
    QCOMPARE(bench.ended(2)->spawn.err, E2BIG);
    QVERIFY(bench.close());
}

namespace {

/// A file system in user space whose other half reads no request.
class SilentMount {
public:
    explicit SilentMount(std::string directory)
        : directory_(std::move(directory))
        , fuse_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
        const std::string options = fmt::format("fd={},rootmode=40000,user_id=0,group_id=0", fuse_.get());
        isThere_ = fuse_ && ::mount("silent", directory_.c_str(), "fuse", 0, options.c_str()) == 0;
    }
    ~SilentMount() {
        fuse_.reset(); // whoever waits hears that it is gone
        if (isThere_) ::umount2(directory_.c_str(), MNT_DETACH);
    }
    SilentMount(const SilentMount&) = delete;
    SilentMount& operator=(const SilentMount&) = delete;
    bool isThere() const { return isThere_; }
    const std::string& path() const { return directory_; }

private:
    std::string directory_;
    UniqueFd fuse_;
    bool isThere_ = false;
};

std::string mountedDirectory() {
    return qEnvironmentVariable(yard::test::kMountedVariable).toStdString();
}

} // namespace

void TestStarts::whatLiesOnAMountThatDoesNotAnswerIsGivenUp_data() {
    QTest::addColumn<QString>("cwd");
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("the directory") << "DIR/below" << "/bin/true"
                                   << "the working directory 'DIR/below' does not answer";
    QTest::newRow("the program") << "/" << "DIR/program" << "'DIR/program' could not be started in time";
}

void TestStarts::whatLiesOnAMountThatDoesNotAnswerIsGivenUp() {
    QFETCH(QString, cwd);
    QFETCH(QString, program);
    QFETCH(QString, sentence);
    static const QTemporaryDir where;
    YARD_IN_MOUNT_NAMESPACE(where.path(), "true");
    const SilentMount mount(mountedDirectory());
    if (!mount.isThere()) QSKIP("no file system in user space can be mounted here");
    const auto placed = [&](QString text) {
        return text.replace("DIR", QString::fromStdString(mount.path())).toStdString();
    };
    // One thread starts everything.
    RunnerBench bench(2, [](LauncherConfig& config) { config.spawners = 1; });
    Lease silent = bench.lease(1, {});
    silent.argv = {placed(program)};
    silent.cwd = placed(cwd);
    bench.submit(silent);
    bench.submit(2, {"exit", "0"});
    QCOMPARE(bench.ended(2)->exitCode, std::optional(0));
    const Ended* end = bench.ended(1);
    QVERIFY(end->cause == EndCause::SpawnError);
    QCOMPARE(end->spawn.err, ETIMEDOUT);
    QVERIFY(!cannotHeal(end->spawn) && !bench.started(1));
    QVERIFY2(end->spawn.message.contains(placed(sentence)), end->spawn.message.c_str());
    if (silent.cwd != "/") { // the next one is told at once
        silent.id.lsn = Lsn(3);
        silent.deadline = Duration(4'000'000);
        bench.submit(silent);
        QVERIFY(bench.ended(3)->cause == EndCause::SpawnError);
    }
    QVERIFY(bench.close());
}

void TestStarts::aStartThatDoesNotGetOnIsEndedForWhatItIsToldTo_data() {
    QTest::addColumn<bool>("byDeadline");
    QTest::newRow("cancelled") << false;
    QTest::newRow("over its deadline") << true;
}

void TestStarts::aStartThatDoesNotGetOnIsEndedForWhatItIsToldTo() {
    QFETCH(bool, byDeadline);
    static const QTemporaryDir where;
    YARD_IN_MOUNT_NAMESPACE(where.path(), "true");
    const SilentMount mount(mountedDirectory());
    if (!mount.isThere()) QSKIP("no file system in user space can be mounted here");
    RunnerBench bench;
    Lease silent = bench.lease(1, {"exit", "0"});
    silent.cwd = mount.path() + "/below";
    if (byDeadline) silent.deadline = Duration(300'000);
    bench.submit(silent);
    if (!byDeadline) {
        QVERIFY(eventually([&] { return !host::childrenOf(bench.runner().launcherPid()).empty(); }));
        bench.runner().end({Lsn(1), 1}, StopCause::Cancelled);
    }
    const Ended* end = bench.ended(1);
    QVERIFY(end->cause == (byDeadline ? EndCause::Deadline : EndCause::Cancelled));
    QVERIFY(!bench.started(1));
    QVERIFY(bench.close());
}

YARD_RUNNER_TEST_MAIN(TestStarts)
#include "tst_starts.moc"
