// What somebody is told who wants to run a finished action again and may not.
#include "core/session/intake.h"
#include "core/session/queue_commands.h"
#include "tests/session/machine.h"

#include <QTest>
#include <string>

using namespace yard;
using namespace yard::session;
using yard::session::test::Machine;

class TestRescheduling : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void atALimitBothNumbersAreTold_data();
    void atALimitBothNumbersAreTold();
    void forceGoesPastALimit();
};

namespace {

FinishedAction failedAction(int ownFailures, std::optional<int> ownLimit) {
    FinishedAction action{.lsn = Lsn(4), .queue = QueueId(1), .retries = {}, .limits = {}};
    action.retries = {.retryCount = ownFailures, .ownFailures = ownFailures, .interruptions = 0};
    action.limits.retries = ownLimit;
    return action;
}

} // namespace

void TestRescheduling::atALimitBothNumbersAreTold_data() {
    QTest::addColumn<int>("retried");
    QTest::addColumn<int>("ownLimit"); // -1: that of its queue, which is 3
    QTest::addColumn<QString>("text");
    QTest::newRow("repeated by hand past a limit of none")
        << 4 << 0 << "Action 4 was retried 4 times, its own limit is 0: use force to run it again.";
    QTest::newRow("its own limit goes before its queue's")
        << 1 << 1 << "Action 4 was retried 1 time, its own limit is 1: use force to run it again.";
    QTest::newRow("the limit of its queue")
        << 3 << -1 << "Action 4 was retried 3 times, the limit of its queue is 3: use force to run it again.";
    QTest::newRow("never retried")
        << 0 << 0 << "Action 4 was retried 0 times, its own limit is 0: use force to run it again.";
}

void TestRescheduling::atALimitBothNumbersAreTold() {
    QFETCH(int, retried);
    QFETCH(int, ownLimit);
    QFETCH(QString, text);
    Machine machine(1);
    QueueConfig config;
    config.maxRetries = 3;
    machine.session.queues().add(QueueId(1), config);
    const auto may = machine.session.intake().checkReschedule(
        failedAction(retried, ownLimit < 0 ? std::nullopt : std::optional(ownLimit)), false);
    QVERIFY(!may);
    QCOMPARE(may.error().kind, ErrorKind::AtLimit);
    QCOMPARE(QString::fromStdString(may.error().message), text);
}

void TestRescheduling::forceGoesPastALimit() {
    Machine machine(1);
    machine.addQueue(1);
    const auto after = machine.session.intake().checkReschedule(failedAction(4, 0), true);
    QVERIFY(after);
    QCOMPARE(after->ownFailures, 5);
}

QTEST_APPLESS_MAIN(TestRescheduling)
#include "tst_rescheduling.moc"
