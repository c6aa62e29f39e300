// The orders of lists: their names, and what a result is sorted by.
#include "core/model/sort.h"
#include "tests/support/show_strings.h"

#include <QObject>
#include <QTest>

using namespace yard;

class SortTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyNameIsUnderstood();
    void aFieldThatIsNoneIsRefusedWithTheNames_data();
    void aFieldThatIsNoneIsRefusedWithTheNames();
    void whatIsUnknownHasNoNumber();
    void timesCountUntilTheEndOrNow();
    void whatWasPutBackWaitsSinceThen();
    void reasonsGoByTheirWords();
};

void SortTest::everyNameIsUnderstood() {
    const std::string names = sortFieldNames();
    int count = 0;
    for (std::size_t at = 0; at < names.size(); ++count) {
        const std::size_t end = std::min(names.find(',', at), names.size());
        const std::string name = names.substr(at, end - at);
        const auto up = parseSort(name);
        const auto down = parseSort("-" + name);
        QVERIFY2(up && down, name.c_str());
        QVERIFY(up->field == down->field && !up->descending && down->descending);
        at = end + 2;
    }
    QVERIFY(count > 20);
}

void SortTest::aFieldThatIsNoneIsRefusedWithTheNames_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("a sign alone") << QByteArray("-");
    QTest::newRow("no field of results") << QByteArray("colour");
    QTest::newRow("two signs") << QByteArray("--lsn");
    QTest::newRow("a field that has no order") << QByteArray("outputs");
}

void SortTest::aFieldThatIsNoneIsRefusedWithTheNames() {
    QFETCH(QByteArray, text);
    const auto sort = parseSort(text.toStdString());
    QVERIFY(!sort);
    QVERIFY(sort.error().kind == ErrorKind::Invalid);
    QCOMPARE(sort.error().field, std::string("sort"));
    QVERIFY2(sort.error().message.contains("lsn, state, queue_id"), sort.error().message.c_str());
}

void SortTest::whatIsUnknownHasNoNumber() {
    ActionResult pending;
    pending.state = ActionState::Pending;
    pending.times[ActionState::New] = 1'000;
    for (const SortField field :
         {SortField::Reason, SortField::ExitCode, SortField::Signal, sortFieldOf(Measure::CpuTime),
          sortFieldOf(Measure::PeakMemory), SortField::Submitting, SortField::Running, SortField::Exited,
          SortField::Finished, SortField::Runtime})
        QVERIFY(!sortNumber(pending, field, 5'000));
    QCOMPARE(sortNumber(pending, SortField::Held, 5'000).value_or(-1), std::int64_t{0});
    pending.held = true;
    QCOMPARE(sortNumber(pending, SortField::Held, 5'000).value_or(-1), std::int64_t{1});
    QVERIFY(!sortNumber(pending, SortField::RetryAt, 5'000));
    pending.retryAt = 7'000;
    QCOMPARE(sortNumber(pending, SortField::RetryAt, 5'000).value_or(-1), std::int64_t{7'000});
    QVERIFY(!sortNumber(pending, SortField::HungSince, 5'000));
    ActionResult done = pending;
    done.state = ActionState::Completed;
    done.outcome.emplace().state = ActionState::Completed;
    QVERIFY(!sortNumber(done, SortField::Held, 5'000));   // whatever it was before
    QVERIFY(!sortNumber(done, SortField::Reason, 5'000)); // it completed: there is none
    done.outcome->exitCode = 0;
    done.outcome->measures[Measure::CpuTime] = 250'000;
    done.outcome->measures[Measure::PeakMemory] = 77;
    QCOMPARE(sortNumber(done, SortField::ExitCode, 5'000).value_or(-1), std::int64_t{0});
    QCOMPARE(sortNumber(done, sortFieldOf(Measure::CpuTime), 5'000).value_or(-1), std::int64_t{250'000});
    QCOMPARE(sortNumber(done, sortFieldOf(Measure::PeakMemory), 5'000).value_or(-1), std::int64_t{77});
}

void SortTest::timesCountUntilTheEndOrNow() {
    ActionResult action;
    action.state = ActionState::Running;
    action.times[ActionState::New] = 1'000;
    action.times[ActionState::Submitting] = 3'000;
    action.times[ActionState::Running] = 4'000;
    QCOMPARE(sortNumber(action, SortField::Waited, 9'000).value_or(-1), std::int64_t{2'000});
    QCOMPARE(sortNumber(action, SortField::Runtime, 9'000).value_or(-1), std::int64_t{5'000});
    action.hungSince = 6'000;
    QCOMPARE(sortNumber(action, SortField::HungSince, 9'000).value_or(-1), std::int64_t{6'000});
    action.state = ActionState::Failed;
    action.times[ActionState::Failed] = 8'000;
    QCOMPARE(sortNumber(action, SortField::Runtime, 9'000).value_or(-1), std::int64_t{4'000});
    action.times.exited = 7'000;
    QCOMPARE(sortNumber(action, SortField::Runtime, 9'000).value_or(-1), std::int64_t{3'000});
    QCOMPARE(sortNumber(action, SortField::Finished, 9'000).value_or(-1), std::int64_t{8'000});
    ActionResult cancelled;
    cancelled.state = ActionState::Cancelled;
    cancelled.times[ActionState::New] = 1'000;
    cancelled.times[ActionState::Cancelled] = 6'000;
    QCOMPARE(sortNumber(cancelled, SortField::Waited, 9'000).value_or(-1), std::int64_t{5'000});
}

void SortTest::whatWasPutBackWaitsSinceThen() {
    ActionResult action;
    action.state = ActionState::Completed;
    action.times[ActionState::New] = 1'000;
    action.times[ActionState::Pending] = 50'000;
    action.times[ActionState::Submitting] = 51'000;
    action.times[ActionState::Completed] = 60'000;
    QCOMPARE(waited(action, 99'000), std::int64_t{1'000});
    action.state = ActionState::Pending; // its earlier attempt says nothing of this wait
    action.times[ActionState::Submitting] = 2'000;
    action.times[ActionState::Completed] = 0;
    QCOMPARE(waited(action, 99'000), std::int64_t{49'000});
}

void SortTest::reasonsGoByTheirWords() {
    QVERIFY(!reasonRank(Reason::None));
    QVERIFY(reasonRank(Reason::Abandoned) < reasonRank(Reason::Cancelled));
    QVERIFY(reasonRank(Reason::Cancelled) < reasonRank(Reason::Deadline));
    QVERIFY(reasonRank(Reason::ExitCode) < reasonRank(Reason::LostRunner));
    QVERIFY(reasonRank(Reason::SpawnError) < reasonRank(Reason::WorkerCrashed));
}

QTEST_GUILESS_MAIN(SortTest)
#include "tst_sort.moc"
