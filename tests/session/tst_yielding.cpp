// For the sake of a person at the machine queues start nothing, but those whose configuration says that they go on.
#include "core/session/live_views.h"
#include "core/session/wait_reasons.h"
#include "tests/session/machine.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::Machine;

namespace {

QueueConfig ignoring() {
    QueueConfig config;
    config.ignoresCourtesy = true;
    return config;
}

class Yielding : public Machine {
public:
    explicit Yielding(int cores = 4, int ahead = 0)
        : Machine(cores, ahead) {}
    void yield(bool on) { session.queues().setYielding(on, out); }
};

} // namespace

class TestYielding : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingStartsInAQueueThatYields() {
        Yielding machine;
        machine.submit();
        QCOMPARE(machine.schedule(), 1u);
        machine.yield(true);
        const Lsn waits = machine.submit();
        QCOMPARE(machine.schedule(), 0u);
        QVERIFY(machine.session.reasons().of(waits, false)->queueYields);
        QVERIFY(!machine.session.reasons().of(waits, false)->queueHeld);
        machine.session.check();
        machine.yield(false);
        QCOMPARE(machine.schedule(), 1u);
        machine.session.check();
    }

    void aQueueThatIgnoresCourtesyGoesOn() {
        Yielding machine;
        machine.session.queues().add(QueueId(1), ignoring());
        machine.yield(true);
        machine.submit(0);
        machine.submit(1);
        QCOMPARE(machine.schedule(), 1u);
        QCOMPARE(machine.started.back().lsn, Lsn(2));
    }

    void aQueueThatComesMeanwhileYieldsToo() {
        Yielding machine;
        machine.yield(true);
        machine.addQueue(1);
        machine.submit(1);
        QCOMPARE(machine.schedule(), 0u);
        machine.yield(false);
        QCOMPARE(machine.schedule(), 1u);
    }

    void aChangeOfTheConfigurationCountsAtOnce() {
        Yielding machine;
        machine.addQueue(1);
        machine.yield(true);
        machine.submit(1);
        machine.submit(1);
        QCOMPARE(machine.schedule(), 0u);
        QVERIFY(machine.session.queues().configure(QueueId(1), ignoring()));
        QCOMPARE(machine.schedule(), 2u);
        QVERIFY(machine.session.queues().configure(QueueId(1), QueueConfig{}));
        machine.submit(1);
        QCOMPARE(machine.schedule(), 0u);
        machine.session.check();
    }

    void aHeldQueueStaysHeldAfterwards() {
        Yielding machine;
        machine.submit();
        QVERIFY(machine.session.queues().hold(QueueId(0), machine.out));
        machine.yield(true);
        machine.yield(false);
        QCOMPARE(machine.schedule(), 0u);
        QVERIFY(machine.session.queues().release(QueueId(0)));
        QCOMPARE(machine.schedule(), 1u);
    }
};

QTEST_APPLESS_MAIN(TestYielding)
#include "tst_yielding.moc"
