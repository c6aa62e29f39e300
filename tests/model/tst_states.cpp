// Lifecycles: every pair of every table, and the words that go out.

#include "core/model/states.h"
#include "tests/model/printed.h"

#include <QTest>

using namespace yard;

namespace {

template<class State, std::size_t Count>
QString allowedFrom(const TransitionTable<State, Count>& table, State from) {
    QStringList words;
    for (std::size_t i = 0; i < Count; ++i)
        if (table.allows(from, static_cast<State>(i))) words << qt(name(static_cast<State>(i)));
    return words.join(' ');
}

} // namespace

class TestStates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anActionMovesOnlyAsTheTableSays_data();
    void anActionMovesOnlyAsTheTableSays();
    void aSessionMovesOnlyAsTheTableSays_data();
    void aSessionMovesOnlyAsTheTableSays();
    void aQueueMovesOnlyAsTheTableSays_data();
    void aQueueMovesOnlyAsTheTableSays();
    void everyStateHasAWordThatReadsBack();
    void everyReasonHasAWordThatReadsBack();
    void interruptionsAreTheSixThatAreNotTheActionsOwn();
    void aSessionIsUnhealthyInItsLastTwoStates();
    void endedStatesAreTheFourThatAreReported();
};

void TestStates::anActionMovesOnlyAsTheTableSays_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<QString>("allowed");
    const auto row = [](ActionState from, const char* sentence, const char* allowed) {
        QTest::newRow(sentence) << int(from) << allowed;
    };
    row(ActionState::New, "new becomes pending, or ends unrun", "pending failed abandoned cancelled");
    row(ActionState::Pending, "pending is handed to a runner, or ends unrun",
        "submitting failed abandoned cancelled");
    row(ActionState::Submitting, "submitting starts or fails, and cannot complete unrun",
        "running failed abandoned cancelled");
    row(ActionState::Running, "running ends in one of four ways", "completed failed abandoned cancelled");
    row(ActionState::Completed, "completed is forever", "");
    row(ActionState::Failed, "failed may be reset", "pending");
    row(ActionState::Abandoned, "abandoned may be reset", "pending");
    row(ActionState::Cancelled, "cancelled is forever", "");
}

void TestStates::anActionMovesOnlyAsTheTableSays() {
    QFETCH(int, from);
    QTEST(allowedFrom(actionTransitions(), static_cast<ActionState>(from)), "allowed");
}

void TestStates::aSessionMovesOnlyAsTheTableSays_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<QString>("allowed");
    const auto row = [](SessionState from, const char* sentence, const char* allowed) {
        QTest::newRow(sentence) << int(from) << allowed;
    };
    row(SessionState::Created, "created gets ready, or ends early", "ready abandoned sunset");
    row(SessionState::Ready, "ready may go anywhere but back", "draining paused abandoned sunset");
    row(SessionState::Draining, "draining pauses or ends", "paused abandoned sunset");
    row(SessionState::Paused, "paused only ends", "abandoned sunset");
    row(SessionState::Abandoned, "abandoned only sets", "sunset");
    row(SessionState::Sunset, "sunset is the end", "");
}

void TestStates::aSessionMovesOnlyAsTheTableSays() {
    QFETCH(int, from);
    QTEST(allowedFrom(sessionTransitions(), static_cast<SessionState>(from)), "allowed");
}

void TestStates::aQueueMovesOnlyAsTheTableSays_data() {
    QTest::addColumn<int>("from");
    QTest::addColumn<QString>("allowed");
    QTest::newRow("active drains or is cancelled") << int(QueueState::Active) << "draining cancelled";
    QTest::newRow("draining is cancelled, never active again") << int(QueueState::Draining) << "cancelled";
    QTest::newRow("cancelled is forever") << int(QueueState::Cancelled) << "";
}

void TestStates::aQueueMovesOnlyAsTheTableSays() {
    QFETCH(int, from);
    QTEST(allowedFrom(queueTransitions(), static_cast<QueueState>(from)), "allowed");
}

void TestStates::everyStateHasAWordThatReadsBack() {
    for (std::size_t i = 0; i < kActionStates; ++i)
        QVERIFY(actionStateFrom(name(static_cast<ActionState>(i))) == static_cast<ActionState>(i));
    for (std::size_t i = 0; i < kQueueStates; ++i)
        QVERIFY(queueStateFrom(name(static_cast<QueueState>(i))) == static_cast<QueueState>(i));
    QVERIFY(!actionStateFrom("Pending"));
    QVERIFY(!actionStateFrom(""));
    QVERIFY(!queueStateFrom("created"));
}

void TestStates::everyReasonHasAWordThatReadsBack() {
    QCOMPARE(qt(name(Reason::None)), QString());
    QVERIFY(!reasonFrom(""));
    QVERIFY(!reasonFrom("oom"));
    QStringList words;
    for (std::size_t i = 1; i < kReasons; ++i) {
        words << qt(name(static_cast<Reason>(i)));
        QVERIFY(reasonFrom(name(static_cast<Reason>(i))) == static_cast<Reason>(i));
    }
    QCOMPARE(words.join(' '),
             QString("exit_code signal deadline memory cancelled abandoned engine_died engine_stopped "
                     "spawn_error lost_runner memory_pressure worker_crashed missing_output "
                     "result_too_large dependency_failed gpu_lost gpu_memory"));
}

void TestStates::interruptionsAreTheSixThatAreNotTheActionsOwn() {
    QStringList words;
    for (std::size_t i = 0; i < kReasons; ++i)
        if (isInterruption(static_cast<Reason>(i))) words << qt(name(static_cast<Reason>(i)));
    QCOMPARE(words.join(' '),
             QString("engine_died engine_stopped spawn_error lost_runner memory_pressure gpu_lost"));
}

void TestStates::aSessionIsUnhealthyInItsLastTwoStates() {
    for (const auto state :
         {SessionState::Created, SessionState::Ready, SessionState::Draining, SessionState::Paused})
        QVERIFY(isHealthy(state));
    QVERIFY(!isHealthy(SessionState::Abandoned));
    QVERIFY(!isHealthy(SessionState::Sunset));
}

void TestStates::endedStatesAreTheFourThatAreReported() {
    QStringList words;
    for (std::size_t i = 0; i < kActionStates; ++i)
        if (isEnded(static_cast<ActionState>(i))) words << qt(name(static_cast<ActionState>(i)));
    QCOMPARE(words.join(' '), QString("completed failed abandoned cancelled"));
}

QTEST_APPLESS_MAIN(TestStates)
#include "tst_states.moc"
