// The timer of a warm runner: the earliest time counts.
#include "core/runners/warm_timer.h"

#include <QTest>

#include <poll.h>

using namespace yard;
using namespace yard::runners;

namespace {

bool rings(const WarmTimer& timer, int withinMs) {
    pollfd fd{timer.fd(), POLLIN, 0};
    return ::poll(&fd, 1, withinMs) == 1;
}

} // namespace

class TestWarmTimer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itRingsAtTheEarliestTime();
    void whatIsPastRingsAtOnce();
    void oneThatRangIsAskedForAgain();
};

void TestWarmTimer::itRingsAtTheEarliestTime() {
    WarmTimer timer;
    QVERIFY(timer.open());
    const MonoTime now = MonoClock::now();
    timer.armAt(now + Duration(3'600'000'000));
    QVERIFY(!rings(timer, 0));
    timer.armAt(now);
    timer.armAt(now + Duration(1'800'000'000)); // does not put it off
    QVERIFY(rings(timer, 20'000));
    QVERIFY(timer.hasRung());
}

void TestWarmTimer::whatIsPastRingsAtOnce() {
    WarmTimer timer;
    QVERIFY(timer.open());
    timer.armAt(MonoTime{});
    QVERIFY(rings(timer, 20'000));
    QVERIFY(timer.hasRung());
}

void TestWarmTimer::oneThatRangIsAskedForAgain() {
    WarmTimer timer;
    QVERIFY(timer.open());
    QVERIFY(!timer.hasRung());
    timer.armAt(MonoClock::now());
    QVERIFY(rings(timer, 20'000));
    QVERIFY(timer.hasRung());
    QVERIFY(!rings(timer, 0));
    timer.armAt(MonoClock::now()); // later than the one that rang
    QVERIFY(rings(timer, 20'000));
}

QTEST_APPLESS_MAIN(TestWarmTimer)
#include "tst_warm_timer.moc"
