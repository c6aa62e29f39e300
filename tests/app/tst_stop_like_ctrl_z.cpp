// How yardctl stops itself as Ctrl+Z would (app/yardctl/signal_watch.h).
#include "app/yardctl/signal_watch.h"

#include <QTest>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kWentOn = 7;

/// Stops itself while another Ctrl+Z waits; ends with kWentOn once it was let go on.
void stopWithAnotherOneWaiting() {
    ::setpgid(0, 0); // as a job of a shell: what stops one of no shell is dropped
    ::signal(SIGTSTP, SIG_DFL);
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);
    ::kill(::getpid(), SIGTSTP);
    yard::ctl::stopLikeCtrlZ();
    ::_exit(kWentOn);
}

} // namespace

class TestStopLikeCtrlZ : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withAnotherOneWaitingItStopsOnce() {
        const pid_t child = ::fork();
        QVERIFY(child >= 0);
        if (child == 0) stopWithAnotherOneWaiting();
        int first = 0;
        int second = 0;
        const pid_t stopped = ::waitpid(child, &first, WUNTRACED);
        ::kill(child, SIGCONT);
        const pid_t ended = ::waitpid(child, &second, WUNTRACED);
        if (ended == child && !WIFEXITED(second)) ::kill(child, SIGKILL);
        QCOMPARE(stopped, child);
        QVERIFY(WIFSTOPPED(first));
        QCOMPARE(ended, child);
        QVERIFY(WIFEXITED(second));
        QCOMPARE(WEXITSTATUS(second), kWentOn);
    }
};

QTEST_GUILESS_MAIN(TestStopLikeCtrlZ)
#include "tst_stop_like_ctrl_z.moc"
