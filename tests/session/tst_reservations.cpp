// Resources that are kept for something large: for how long, and when again. Ends are decided here, time goes by
// hand.
#include "core/session/resource_holds.h"
#include "core/session/wait_reasons.h"
#include "tests/session/machine.h"

#include <QTest>

#include <map>
#include <string>

using namespace yard;
using namespace yard::session;
using namespace yard::session::test;

namespace {

constexpr Duration kSecond{1'000'000};

/// Eight cores: a stream of actions of one core that last so long each, one that wants all, and one before it that
/// has no end and two cores.
struct Crowd : Machine {
    explicit Crowd(Duration lasts)
        : Machine(8)
        , each(lasts) {
        defineClass(1, 8);
        defineClass(2, 2);
        addQueue(1);
        addQueue(2);
    }
    /// One second: what is over ends, what may start does.
    void second() {
        now += kSecond;
        for (std::size_t i = 0; i < running.size();) {
            if (running[i].cls == ClassId(0) && now - begun.at(running[i].lsn) >= each)
                completeAt(i);
            else
                ++i;
        }
        while (waiting < 8) {
            submit(1);
            ++waiting;
        }
        const std::size_t before = started.size();
        schedule();
        for (std::size_t i = before; i < started.size(); ++i) {
            begun[started[i].lsn] = now;
            if (started[i].cls == ClassId(0)) --waiting;
        }
    }
    int busy() const {
        int cores = 0;
        for (const Start& s : running) cores += s.cls == ClassId(1) ? 8 : s.cls == ClassId(2) ? 2 : 1;
        return cores;
    }
    Duration each;
    int waiting = 0;
    std::map<Lsn, MonoTime> begun;
};

} // namespace

class TestReservations : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void behindAnActionWithoutAnEndAReservationCostsItsLimitOnce();
    void whatHasAnEndIsWaitedForHoweverLongItTakes();
    void aReservationWaitsAgainOnceAHoldIsLetGo();
    void whatWaitsIsToldWhatResourcesAreKeptFor();
};

void TestReservations::behindAnActionWithoutAnEndAReservationCostsItsLimitOnce() {
    Crowd m(3 * kSecond);
    const Lsn endless = m.submit(2, 0, 2);
    m.schedule();
    m.begun[endless] = m.now;
    const Lsn large = m.submit(2, 0, 1);
    m.session.setReserve(20 * kSecond);
    int idle = 0;
    for (int i = 0; i < 3'600; ++i) {
        m.second();
        idle += m.busy() < 8 ? 1 : 0;
    }
    QVERIFY2(idle >= 15 && idle <= 22, std::to_string(idle).c_str());
    QVERIFY(!m.hasStarted(large));
    // It has an end after all: then the large one is next, within its limit.
    QVERIFY(m.completeOf(2));
    for (int i = 0; i < 5; ++i) m.second();
    QVERIFY(m.hasStarted(large));
    m.session.check();
}

void TestReservations::whatHasAnEndIsWaitedForHoweverLongItTakes() {
    // Longer by far than a reservation, and never two of them ending at once.
    Crowd m(400 * kSecond);
    m.session.setReserve(20 * kSecond);
    for (int i = 0; i < 8; ++i) {
        m.submit(1);
        m.schedule();
        m.begun[m.started.back().lsn] = m.now;
        m.now += 50 * kSecond;
    }
    const Lsn large = m.submit(2, 0, 1);
    int seconds = 0;
    for (; seconds < 20'000 && !m.hasStarted(large); ++seconds) m.second();
    // Each round is over once what ran at its beginning is, and the next is twice as long: 20, 40, … 640.
    QVERIFY2(seconds < 6 * 400 + 2 * 640, std::to_string(seconds).c_str());
    m.session.check();
}

void TestReservations::aReservationWaitsAgainOnceAHoldIsLetGo() {
    Crowd m(3 * kSecond);
    Resources two;
    two.milliCores = 2000;
    QVERIFY(m.session.holds().take(7, two));
    const Lsn large = m.submit(2, 0, 1);
    m.session.setReserve(20 * kSecond);
    int idle = 0;
    for (int i = 0; i < 600; ++i) {
        m.second();
        idle += m.busy() < 6 ? 1 : 0;
    }
    QVERIFY2(idle >= 15 && idle <= 22, std::to_string(idle).c_str());
    m.session.holds().letGo(7);
    for (int i = 0; i < 5; ++i) m.second();
    QVERIFY(m.hasStarted(large));
}

void TestReservations::whatWaitsIsToldWhatResourcesAreKeptFor() {
    Crowd m(3 * kSecond);
    const Lsn endless = m.submit(2, 0, 2);
    m.schedule();
    m.begun[endless] = m.now;
    const Lsn large = m.submit(2, 0, 1);
    QVERIFY(!m.session.nextWake());
    while (!m.session.nextWake()) m.second();
    const Lsn small = m.submit(1);
    const auto waiting = m.session.reasons().of(small, false);
    QVERIFY(waiting && waiting->reservedForLarger);
    QCOMPARE(waiting->keptFor.value, large.value);
    // Whoever keeps the time is told when to come back.
    const auto ends = m.session.nextWake();
    QVERIFY(ends && *ends > m.now && *ends <= m.now + 60 * kSecond);
    m.now = *ends;
    m.schedule();
    QVERIFY(!m.session.reasons().of(small, false) || !m.session.reasons().of(small, false)->reservedForLarger);
    QVERIFY(!m.session.nextWake());
}

QTEST_APPLESS_MAIN(TestReservations)
#include "tst_reservations.moc"
