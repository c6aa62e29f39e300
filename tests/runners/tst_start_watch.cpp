// Who may be left behind in a start and what it hears of that; what did not answer is remembered. Time is moved by
// hand.
#include "core/base/files.h"
#include "core/launcher/silent_paths.h"
#include "core/launcher/start_watch.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;

namespace {

constexpr AttemptId kAttempt{Lsn(7), 1};
constexpr Duration kLimit{5'000'000};
constexpr const char* kMounts = "21 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
                                "22 21 0:40 / /mnt/dead rw - nfs4 server:/x rw\n"
                                "23 21 0:41 / /mnt/with\\040space rw - fuse.sshfs me@there:/ rw\n"
                                "24 22 8:2 / /mnt/dead/local rw - xfs /dev/sdb1 rw\n"
                                "25 21 0:42 / /mnt/covered rw - cifs //there/x rw\n"
                                "26 25 8:3 / /mnt/covered rw - ext4 /dev/sdc1 rw\n";

bool nobody(int) {
    return false;
}

bool always(const StartWatch::Seen&) {
    return true;
}

std::string mountOf(std::string_view path) {
    return foreignMountOf(kMounts, path).value_or("none");
}

const char* printed(SilentPaths::Refusal refusal) {
    switch (refusal) {
    case SilentPaths::Refusal::Silent: return "silent";
    case SilentPaths::Refusal::Full: return "full";
    case SilentPaths::Refusal::None: break;
    }
    return "none";
}

} // namespace

class TestStartWatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aStartThatIsQuickIsLeftAlone();
    void oneThatIsCancelledWhileItLooksMakesNoProcess();
    void oneThatIsFoundLateTwiceIsGivenUp();
    void aThreadThatDoesNotComeBackIsLeftBehindAndHearsOfIt();
    void aThreadThatMakesAProcessIsLeftBehindOnceThatWasKilled();
    void aThreadThatMayNotBeLeftIsAskedAboutAgain();
    void aMountIsForeignWhereSomebodyElseAnswers();
    void whatDidNotAnswerIsRefusedForAWhile();
    void whereAThreadStandsNobodyElseGoesUntilItComesBack();
    void whenTooManyStandForeignMountsAreRefused();

private:
    static std::string mountsFile(const QTemporaryDir& dir);
};

void TestStartWatch::aStartThatIsQuickIsLeftAlone() {
    StartWatch watch;
    const auto start = watch.enter(kAttempt);
    QVERIFY(watch.lookAt(start, "/x"));
    QVERIFY(watch.mayClone(start));
    QVERIFY(!watch.look(MonoClock::now(), kLimit, nobody, always));
    QVERIFY(watch.leave(start) == StartWatch::Left::Done);
    QVERIFY(!watch.look(MonoTime::max(), kLimit, nobody, always));
}

void TestStartWatch::oneThatIsCancelledWhileItLooksMakesNoProcess() {
    StartWatch watch;
    const auto start = watch.enter(kAttempt);
    watch.giveUp({Lsn(8), 1}, MonoClock::now(), nobody); // another one
    QVERIFY(watch.lookAt(start, "/x"));
    watch.giveUp(kAttempt, MonoClock::now(), nobody);
    QVERIFY(!watch.lookAt(start, "/y"));
    QVERIFY(!watch.mayClone(start));
    QVERIFY(watch.leave(start) == StartWatch::Left::GivenUp);
    QVERIFY(watch.close(start));
}

void TestStartWatch::oneThatIsFoundLateTwiceIsGivenUp() {
    StartWatch watch;
    const auto start = watch.enter(kAttempt);
    const MonoTime late = MonoClock::now() + kLimit;
    QVERIFY(!watch.look(late, kLimit, nobody, always)); // whoever looks may have slept
    const auto seen = watch.look(late, kLimit, nobody, always);
    QVERIFY(seen && seen->isGivenUp && !seen->isLeftBehind && seen->id == kAttempt);
    QVERIFY(watch.leave(start) == StartWatch::Left::GivenUp);
    QVERIFY(watch.close(start));
}

void TestStartWatch::aThreadThatDoesNotComeBackIsLeftBehindAndHearsOfIt() {
    StartWatch watch(100);
    const auto start = watch.enter(kAttempt);
    watch.lookAt(start, "/x");
    const MonoTime now = MonoClock::now();
    watch.giveUp(kAttempt, now, nobody);
    QVERIFY(!watch.look(now + StartWatch::kPatience / 2, kLimit, nobody, always)->isLeftBehind);
    const auto seen = watch.look(now + StartWatch::kPatience, kLimit, nobody, always);
    QVERIFY(seen && seen->isLeftBehind && seen->path == "/x" && seen->start == start);
    // Another thread has its place.
    const auto next = watch.enter({Lsn(8), 1});
    QVERIFY(next != start);
    QVERIFY(!watch.lookAt(start, "/y") && !watch.mayClone(start) && !watch.close(start));
    QVERIFY(watch.leave(start) == StartWatch::Left::LeftBehind);
    QVERIFY(watch.mayClone(next));
    QVERIFY(watch.leave(next) == StartWatch::Left::Done);
}

void TestStartWatch::aThreadThatMakesAProcessIsLeftBehindOnceThatWasKilled() {
    StartWatch watch;
    const auto start = watch.enter(kAttempt);
    QVERIFY(watch.mayClone(start));
    const MonoTime now = MonoClock::now();
    watch.giveUp(kAttempt, now, nobody);
    const MonoTime later = now + StartWatch::kPatience;
    QVERIFY(!watch.look(later, kLimit, nobody, always)->isLeftBehind); // it could still be made
    const pid_t child = ::fork();
    if (child == 0)
        for (;;) ::pause();
    QVERIFY(!watch.look(later, kLimit, [&](int pid) { return pid == child; }, always)->isLeftBehind); // not of it
    QVERIFY(watch.look(later, kLimit, nobody, always)->isLeftBehind);
    QVERIFY(watch.leave(start) == StartWatch::Left::LeftBehind);
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

void TestStartWatch::aThreadThatMayNotBeLeftIsAskedAboutAgain() {
    StartWatch watch;
    const auto start = watch.enter(kAttempt);
    const MonoTime now = MonoClock::now();
    watch.giveUp(kAttempt, now, nobody);
    const MonoTime later = now + StartWatch::kPatience;
    QVERIFY(!watch.look(later, kLimit, nobody, [](const auto&) { return false; })->isLeftBehind);
    QVERIFY(watch.look(later, kLimit, nobody, always)->isLeftBehind);
    QVERIFY(watch.leave(start) == StartWatch::Left::LeftBehind);
}

void TestStartWatch::aMountIsForeignWhereSomebodyElseAnswers() {
    QCOMPARE(mountOf("/home/me"), "none");
    QCOMPARE(mountOf("/mnt/dead"), "/mnt/dead");
    QCOMPARE(mountOf("/mnt/dead/a/b"), "/mnt/dead");
    QCOMPARE(mountOf("/mnt/deadly"), "none");
    QCOMPARE(mountOf("/mnt/with space/x"), "/mnt/with space");
    QCOMPARE(mountOf("/mnt/dead/local/x"), "none");
    QCOMPARE(mountOf("/mnt/covered/x"), "none");
    QVERIFY(!foreignMountOf("no table at all\n\n", "/x"));
}

std::string TestStartWatch::mountsFile(const QTemporaryDir& dir) {
    const std::string path = dir.filePath("mounts").toStdString();
    if (!writeFileAtomically(path, kMounts, 0600)) qFatal("the table of mounts cannot be written");
    return path;
}

void TestStartWatch::whatDidNotAnswerIsRefusedForAWhile() {
    const QTemporaryDir dir;
    SilentPaths silent(mountsFile(dir));
    const MonoTime now{Duration(1)};
    QCOMPARE(printed(silent.refusalOf("/home/me", now)), "none");
    silent.add("/home/me", now, true); // a slow machine, rather
    QCOMPARE(printed(silent.refusalOf("/home/me", now)), "none");
    silent.add("/home/me", now, false);
    QCOMPARE(printed(silent.refusalOf("/home/me", now)), "silent");
    QCOMPARE(printed(silent.refusalOf("/home/me/below", now)), "none");
    silent.add("/mnt/dead/a", now, true);
    QCOMPARE(printed(silent.refusalOf("/mnt/dead/b", now)), "silent");
    const MonoTime later = now + SilentPaths::kRemembered;
    QCOMPARE(printed(silent.refusalOf("/mnt/dead/b", later)), "none");
    for (int i = 0; i < 100; ++i) silent.add(fmt::format("/{}", i), now, false);
    QCOMPARE(printed(silent.refusalOf("/0", now)), "none"); // the oldest are forgotten
    QCOMPARE(printed(silent.refusalOf("/99", now)), "silent");
}

void TestStartWatch::whereAThreadStandsNobodyElseGoesUntilItComesBack() {
    const QTemporaryDir dir;
    SilentPaths silent(mountsFile(dir));
    const MonoTime now{Duration(1)};
    silent.add("/mnt/dead/x", now, false);
    QVERIFY(silent.stand(1, "/mnt/dead/a", false));
    const MonoTime later = now + 100 * SilentPaths::kRemembered;
    QCOMPARE(printed(silent.refusalOf("/mnt/dead/b", later)), "silent");
    silent.leave(1);
    silent.leave(1); // has no effect
    QCOMPARE(printed(silent.refusalOf("/mnt/dead/b", now)), "none");
}

void TestStartWatch::whenTooManyStandForeignMountsAreRefused() {
    const QTemporaryDir dir;
    SilentPaths silent(mountsFile(dir));
    const MonoTime now{Duration(1)};
    for (std::uint64_t i = 0; i < SilentPaths::kMostStanding; ++i)
        QVERIFY(silent.stand(i, fmt::format("/home/{}", i), false));
    QCOMPARE(printed(silent.refusalOf("/mnt/dead/b", now)), "full");
    QCOMPARE(printed(silent.refusalOf("/home/me", now)), "none");
    QVERIFY(!silent.stand(50, "/home/me", false));
    QCOMPARE(printed(silent.refusalOf("/home/me", now)), "none");
    QVERIFY(silent.stand(50, "/home/me", true)); // at the end of the launcher
    silent.leave(50);
    silent.leave(0);
    QCOMPARE(printed(silent.refusalOf("/mnt/dead/b", now)), "none");
}

QTEST_GUILESS_MAIN(TestStartWatch)
#include "tst_start_watch.moc"
