// What has no expected end, and the reason that is given: something it waits for has none. Virtual time only.
#include "core/session/resource_holds.h"
#include "tests/session/real_machine.h"

#include <QTest>
#include <string>

using namespace yard;
using namespace yard::session;
using namespace yard::session::test;

class TestOutlookGaps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsForetoldWithoutAReason_data();
    void nothingIsForetoldWithoutAReason();
    void whatHasNoEndKeepsOnlyWhatItHas();
    void whatIsBeingKeptHoldsNothing();
    void aQueueThatIsOnlyLateIsOverdue();
};

void TestOutlookGaps::nothingIsForetoldWithoutAReason_data() {
    QTest::addColumn<Prepare>("prepare");
    QTest::addColumn<std::string>("because");
    const auto row = [](const char* name, const Prepare& prepare, const char* because) {
        QTest::newRow(name) << prepare << std::string(because);
    };
    row("one of a kind that nobody knows", [](Real& r) { r.submit(1, 1, 0); }, "no_history");
    row(
        "one is held",
        [](Real& r) {
            NewAction held = r.action(1, 2);
            held.held = true;
            r.add(held);
        },
        "held");
    row("the queue is held", [](Real& r) { QVERIFY(r.session.queues().hold(QueueId(1), r.out)); }, "held");
    row(
        "one waits for another",
        [](Real& r) {
            const Predecessor before{.lsn = Lsn(1), .on = {}, .state = {}};
            NewAction child = r.action(1, 2);
            child.after = {&before, 1};
            r.add(child);
        },
        "dependency");
    row(
        "another engine has the lock",
        [](Real& r) {
            r.session.defineClass(ClassId(1), {}, {LockId(5)});
            r.session.holds().setLockElsewhere(LockId(5), true);
            NewAction locked = r.action(1, 2);
            locked.cls = ClassId(1);
            r.add(locked);
        },
        "lock");
    row(
        "what has to end has no end",
        [](Real& r) {
            Resources both;
            both.milliCores = 2'000;
            r.session.defineClass(ClassId(2), both);
            NewAction large = r.action(1, 2);
            large.cls = ClassId(2);
            r.add(large);
        },
        "waits_for_unknown");
    row("nothing of that", [](Real&) {}, "known");
}

/// Two cores, one of which has no known end. Queue 1 has three that would end.
void TestOutlookGaps::nothingIsForetoldWithoutAReason() {
    QFETCH(const Prepare, prepare);
    QFETCH(const std::string, because);
    Real r(2);
    r.submit(0, 1, 0);
    r.turn();
    r.queue(1, {});
    r.submit(1, 3, 5);
    prepare(r);
    r.turn();
    const Outlook outlook = r.outlook();
    QCOMPARE(r.gap(1, outlook), because);
    QCOMPARE(r.gap(0, outlook), std::string("no_history"));
    QCOMPARE(r.gap(7, outlook), std::string("nothing to do"));
}

void TestOutlookGaps::whatHasNoEndKeepsOnlyWhatItHas() {
    Real r(2);
    r.queue(1, {});
    r.queue(2, {});
    r.submit(0, 1, 0);
    r.turn();
    r.submit(1, 3, 4);
    r.submit(2, 2, 0); // its first one takes the last core, once it is its turn
    r.turn();
    const Outlook outlook = r.outlook();
    QCOMPARE(r.gap(1, outlook), std::string("waits_for_unknown"));
    QCOMPARE(r.gap(2, outlook), std::string("no_history"));
    QVERIFY(r.foretold(outlook, Lsn(5)));  // it starts, as queue 2 has its turn
    QVERIFY(!r.foretold(outlook, Lsn(6))); // and after it nothing
    QVERIFY(!r.foretold(outlook, Lsn(4)));
}

/// One core: what runs without a known end has given it back, as only its outputs are being kept.
void TestOutlookGaps::whatIsBeingKeptHoldsNothing() {
    Real r(1);
    r.submit(0, 1, 0);
    r.turn();
    r.session.events().keeping(Lsn(1), 1);
    r.queue(1, {});
    r.submit(1, 3, 5);
    r.turn(); // the first of them starts
    const Outlook outlook = r.outlook();
    QCOMPARE(r.gap(1, outlook), std::string("known"));
    QCOMPARE(r.gap(0, outlook), std::string("no_history"));
    QVERIFY(r.foretold(outlook, Lsn(4)) == r.now + 10 * kSecond);
}

void TestOutlookGaps::aQueueThatIsOnlyLateIsOverdue() {
    Real r(1);
    r.submit(0, 2, 5);
    r.turn();
    const auto late = [](const Outlook::Question& asked) -> Outlook::Answer {
        return {.time = kSecond, .gap = {}, .isLate = asked.runs};
    };
    QCOMPARE(r.gap(0, {r.session.outline(10, r.now), r.now, late}), std::string("known"));
    QVERIFY(r.session.actions().cancel(Lsn(2), r.out));
    r.session.events().finishStored(Lsn(2), r.out);
    QCOMPARE(r.gap(0, {r.session.outline(10, r.now), r.now, late}), std::string("overdue"));
}

QTEST_APPLESS_MAIN(TestOutlookGaps)
#include "tst_outlook_gaps.moc"
