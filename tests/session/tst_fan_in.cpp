// Waiting for a whole array: one edge, however many elements there are.
#include "core/session/action_commands.h"
#include "core/session/dependencies.h"
#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "tests/session/machine.h"

#include <QTest>

using namespace yard;
using namespace yard::session;
using yard::session::test::Machine;

namespace {

/// Ten cores, an array of ten: 1 to 10, which are started.
class Arrays : public Machine {
public:
    Arrays()
        : Machine(10) {
        for (int i = 0; i < 10; ++i) submit();
        schedule();
    }
    /// Waits for all of it.
    Lsn child(DependencyOn on = DependencyOn::Completed, Predecessor known = {}) {
        const Lsn added = addChild(on, known);
        session.check();
        return added;
    }
    /// The same where thousands are added: the check looks at all.
    Lsn addChild(DependencyOn on = DependencyOn::Completed, Predecessor known = {}) {
        known.lsn = Lsn(1);
        known.count = 10;
        known.on = on;
        NewAction a;
        a.lsn = Lsn(++lsn);
        a.queue = QueueId(0);
        a.cls = ClassId(0);
        a.submitTime = lsn;
        a.after = {&known, 1};
        session.intake().add({&a, 1}, now, out);
        keep();
        return a.lsn;
    }
    void end(std::int64_t element, ActionState state = ActionState::Completed, std::uint32_t attempt = 1) {
        AttemptEnd end = completed();
        end.state = state;
        if (state == ActionState::Failed) end.reason = Reason::ExitCode;
        end.cannotHeal = true;
        session.events().ended(Lsn(element), attempt, end, now, out);
        keep();
        session.check();
    }
    void endOthers(std::int64_t but) {
        for (std::int64_t i = 1; i <= 10; ++i)
            if (i != but) end(i);
    }
    /// Run again by hand.
    void again(std::int64_t element) {
        NewAction a;
        a.lsn = Lsn(element);
        a.queue = QueueId(0);
        a.cls = ClassId(0);
        a.attempts = 1;
        session.intake().reschedule(a, ActionState::Failed, now, out);
        keep();
        session.check();
    }
    bool starts(Lsn action) {
        schedule();
        return hasStarted(action);
    }
    std::optional<Finish> endOf(Lsn action) const {
        const auto at = std::ranges::find(ends, action, &Finish::lsn);
        return at == ends.end() ? std::nullopt : std::optional(*at);
    }

    std::vector<Finish> ends;

private:
    void keep() {
        while (!out.finish.empty())
            for (const Finish& finish : std::exchange(out.finish, {})) {
                ends.push_back(finish);
                session.events().finishStored(finish.lsn, out);
            }
        settle();
    }
};

} // namespace

class TestFanIn : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itStartsOnceTheLastElementHasCompleted() {
        Arrays m;
        const Lsn child = m.child();
        const std::size_t before = m.session.memoryBytes();
        for (int i = 0; i < 100; ++i) m.child();
        QCOMPARE(m.session.memoryBytes(), before); // what is made for one has room for thousands
        QCOMPARE(m.session.views().live(child)->unmet, 1);
        QCOMPARE(*m.session.dependencies().unfinishedOf(Lsn(1)), 10);
        QCOMPARE(m.session.dependencies().unmetOf(child).count, 10);
        m.endOthers(7);
        QVERIFY(!m.starts(child));
        QCOMPARE(*m.session.dependencies().unfinishedOf(Lsn(1)), 1);
        QCOMPARE(m.session.dependencies().unmetOf(child).count, 1);
        m.end(7);
        m.steps();
        QVERIFY(m.starts(child));
        QVERIFY(!m.session.dependencies().unfinishedOf(Lsn(1)));
    }

    void howManyActionsAreWaitedForIsCountedWithAFewLooks() {
        Arrays m;
        const Lsn first = m.child();
        for (int i = 0; i < 300; ++i) m.child();
        const auto unmet = m.session.dependencies().unmetOf(first); // the last of a long list
        QVERIFY(!unmet.isExact);
        QCOMPARE(unmet.count, 1);
    }

    void itFailsWithTheFirstThatFails() {
        Arrays m;
        const Lsn child = m.child();
        const Lsn any = m.child(DependencyOn::Any);
        m.end(4, ActionState::Failed);
        QCOMPARE(m.endOf(child)->reason, Reason::DependencyFailed);
        QCOMPARE(m.endOf(child)->because.otherwise, Lsn(4));
        QVERIFY(!m.endOf(any) && !m.starts(any));
        m.endOthers(4);
        QVERIFY(m.starts(any));
    }

    void whoWaitsForAFailureIsToldByTheLastEnd() {
        Arrays m;
        const Lsn cleaner = m.child(DependencyOn::Failed);
        m.end(4, ActionState::Failed);
        QVERIFY(!m.starts(cleaner));
        m.endOthers(4);
        QVERIFY(m.starts(cleaner));
    }

    void withoutAFailureItWaitedInVain() {
        Arrays m;
        const Lsn cleaner = m.child(DependencyOn::Failed);
        m.endOthers(0);
        QCOMPARE(m.endOf(cleaner)->reason, Reason::DependencyFailed);
        QCOMPARE(m.endOf(cleaner)->because.count, 10);
    }

    void whatHadEndedBeforeIsKnownByItsCount() {
        Arrays m;
        m.end(4, ActionState::Failed);
        Predecessor known;
        known.failed = 1;
        known.otherwise = Lsn(4);
        QCOMPARE(m.endOf(m.child(DependencyOn::Completed, known))->because.otherwise, Lsn(4));
        const Lsn cleaner = m.child(DependencyOn::Failed, known);
        m.endOthers(4);
        QVERIFY(m.starts(cleaner));
        QVERIFY(m.starts(m.child(DependencyOn::Any, known))); // nothing is left to wait for
        QVERIFY(m.endOf(m.child(DependencyOn::Completed, known)).has_value());
        known = {};
        QVERIFY(m.starts(m.child(DependencyOn::Completed, known)));
    }

    void anElementThatRunsAgainIsWaitedForAgain() {
        Arrays m;
        const Lsn any = m.child(DependencyOn::Any);
        const Lsn cleaner = m.child(DependencyOn::Failed);
        m.end(4, ActionState::Failed);
        m.again(4);
        m.endOthers(4);
        QVERIFY(!m.starts(any));
        m.schedule();
        m.end(4, ActionState::Completed, 2);
        QVERIFY(m.starts(any));
        QVERIFY(!m.starts(cleaner)); // none of them failed in the end
    }

    void thousandsThatWaitAreToldInSteps() {
        Arrays m;
        std::vector<Lsn> children;
        for (int i = 0; i < 5'000; ++i) children.push_back(m.addChild());
        m.session.check();
        m.endOthers(7);
        m.end(7, ActionState::Failed);
        m.steps();
        for (const Lsn child : children) QVERIFY(!m.session.views().live(child));
        QVERIFY(m.most <= 1'000);
        m.session.check();
    }

    void oneThatIsCancelledMeanwhileIsGone() {
        Arrays m;
        const Lsn child = m.child();
        QVERIFY(m.session.actions().cancel(child, m.out));
        m.settle();
        m.endOthers(0);
        QVERIFY(!m.starts(child));
        m.session.check();
    }
};

QTEST_GUILESS_MAIN(TestFanIn)
#include "tst_fan_in.moc"
