// From a lease to a process that runs, or to the step that failed; and what counts as silent after a start that was
// given up. Real processes.
#include "core/launcher/process_end.h"
#include "core/launcher/program_starter.h"
#include "tests/runners/launcher_parts.h"
#include "tests/support/waiting.h"

#include <QTest>

#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <poll.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::test;

class TestProgramStarter : public QObject {
    Q_OBJECT

    std::unique_ptr<LauncherParts> parts_;
    StartWatch watch_;
    std::optional<ProgramStarter> starter_;
    std::optional<SlotChild> child_;

    /// Starts it as a spawner does.
    SpawnFailure start(std::vector<std::string> argv, const std::string& cwd = "/") {
        child_.emplace();
        child_->err.stream = Stream::Err;
        child_->workspace = std::make_shared<StartWorkspace>();
        child_->lease.id = {Lsn(7), 1};
        child_->lease.argv = std::move(argv);
        child_->lease.cwd = cwd;
        child_->ended.times.submitting = MonoClock::now();
        child_->start = watch_.enter(child_->lease.id);
        SpawnFailure failure = starter_->start(*child_);
        (void)watch_.leave(child_->start);
        return failure;
    }
    void waitForEnd() {
        pollfd ended{child_->pidfd.get(), POLLIN, 0};
        QCOMPARE(::poll(&ended, 1, kWaitMs), 1);
        QVERIFY(collectExit(*child_, parts_->shared));
    }
    std::string output() {
        std::string all(4'096, '\0');
        const ssize_t got = ::read(child_->out.pipe.get(), all.data(), all.size());
        all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return all;
    }

private Q_SLOTS:
    void initTestCase() {
        sigset_t all; // as in a spawner: see child_process.h
        sigfillset(&all);
        QCOMPARE(::pthread_sigmask(SIG_BLOCK, &all, nullptr), 0);
    }
    void init() {
        parts_ = std::make_unique<LauncherParts>();
        starter_.emplace(parts_->shared, watch_);
    }
    void cleanup() {
        child_.reset();
        starter_.reset();
        parts_.reset();
    }
    void aProgramRunsAndItsEndIsRead() {
        const SpawnFailure failure = start({"sh", "-c", "echo $YARD_LSN; exit 3"});
        QVERIFY2(failure.step == SpawnStep::None, failure.message.c_str());
        QVERIFY(child_->pid > 0 && child_->pidfd);
        waitForEnd();
        QCOMPARE(child_->ended.exitCode, std::optional<int>(3));
        QCOMPARE(output(), "7\n");
    }
    void aSignalIsToldAsSuch() {
        QVERIFY(start({"sh", "-c", "kill -9 $$"}).step == SpawnStep::None);
        waitForEnd();
        QCOMPARE(child_->ended.signal, std::optional<int>(SIGKILL));
        QVERIFY(!child_->ended.exitCode);
    }
    void oneThatStillRunsHasNoEnd() {
        QVERIFY(start({"sleep", "1000"}).step == SpawnStep::None);
        QVERIFY(!collectExit(*child_, parts_->shared));
        starter_->endProcess(*child_);
        QVERIFY(!child_->pidfd);
    }
    void aFailureNamesItsStep_data() {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("cwd");
        QTest::addColumn<int>("step");
        QTest::newRow("no such program") << "no-such-program" << "/" << int(SpawnStep::Lookup);
        QTest::newRow("no such directory") << "sh" << "/no/such/place" << int(SpawnStep::ChangeDirectory);
        QTest::newRow("no such path") << "/no/such/program" << "/" << int(SpawnStep::Exec);
    }
    void aFailureNamesItsStep() {
        QFETCH(const QString, program);
        QFETCH(const QString, cwd);
        QFETCH(const int, step);
        const SpawnFailure failure = start({program.toStdString()}, cwd.toStdString());
        QCOMPARE(int(failure.step), step);
        QCOMPARE(failure.err, ENOENT);
        QVERIFY(!failure.message.empty());
    }
    void whatIsKnownToBeSilentIsNotTried() {
        parts_->silent.add("/silent", MonoClock::now(), false);
        const SpawnFailure failure = start({"sh"}, "/silent");
        QVERIFY(failure.step == SpawnStep::ChangeDirectory);
        QCOMPARE(failure.err, ETIMEDOUT);
        QVERIFY(child_->looksAt.empty());
    }
    void aStartThatWasGivenUpMakesNoProcess() {
        const auto nobody = [](int) { return false; };
        child_.emplace();
        child_->workspace = std::make_shared<StartWorkspace>();
        child_->lease.id = {Lsn(7), 1};
        child_->lease.argv = {"sh"};
        child_->lease.cwd = "/";
        child_->start = watch_.enter(child_->lease.id);
        watch_.giveUp(child_->lease.id, MonoClock::now(), nobody);
        QVERIFY(starter_->start(*child_).step != SpawnStep::None);
        QVERIFY(!child_->pidfd);
        QVERIFY(watch_.leave(child_->start) == StartWatch::Left::GivenUp);
        QVERIFY(watch_.close(child_->start));
    }
    void onlyAStartThatTookItsTimeMakesAPathSilent() {
        child_.emplace();
        child_->lease.argv = {"/mnt/program"};
        const ProgramStarter::Blame blame{SpawnStep::ChangeDirectory, "/mnt"};
        child_->ended.times.submitting = MonoClock::now();
        QCOMPARE(starter_->givenUp(*child_, blame).err, ETIMEDOUT);
        QVERIFY(parts_->silent.refusalOf("/mnt", MonoClock::now()) == SilentPaths::Refusal::None);
        child_->ended.times.submitting = MonoClock::now() - kLongestStart;
        QCOMPARE(starter_->givenUp(*child_, blame).err, ETIMEDOUT);
        QVERIFY(parts_->silent.refusalOf("/mnt", MonoClock::now()) == SilentPaths::Refusal::Silent);
    }
    void whatIsLookedAtIsToBlame() {
        child_.emplace();
        child_->lease.cwd = "/work";
        child_->lease.argv = {"tool"};
        QVERIFY(ProgramStarter::blameFor(*child_, "/bin/tool").step == SpawnStep::Lookup);
        child_->lease.argv = {"./tool"};
        QCOMPARE(ProgramStarter::blameFor(*child_, "").path, "/work/./tool");
        child_->reached = SpawnStep::ChangeDirectory;
        QCOMPARE(ProgramStarter::blameFor(*child_, "").path, "/work");
    }
};

QTEST_GUILESS_MAIN(TestProgramStarter)
#include "tst_program_starter.moc"
