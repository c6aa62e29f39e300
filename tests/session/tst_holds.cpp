// Resources that something beside the attempts takes: warm processes their memory while they live, their cores
// while they work.
#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/resource_holds.h"
#include "core/session/shortage.h"
#include "core/session/wait_reasons.h"
#include "tests/session/machine.h"

#include <QTest>
#include <vector>

using namespace yard;
using namespace yard::session;
using yard::session::test::Machine;

namespace {

Resources cores(int n) {
    return {.milliCores = 1000 * n, .named = {}};
}
Resources memory(std::int64_t mb) {
    return {.milliCores = 0, .memoryMb = mb, .named = {}};
}

/// Two cores and 1000 MB; what was granted so far.
class Holding : public Machine {
public:
    Holding()
        : Machine(2, 4, 1000) {}
    bool hold(HoldKey key, const Resources& resources) { return session.holds().take(key, resources); }
    void letGo(HoldKey key) {
        session.holds().letGo(key);
        look();
    }
    void look() {
        while (session.schedule(now, out)) {
        }
        granted.insert(granted.end(), out.granted.begin(), out.granted.end());
        for (const Start& start : out.start) {
            started.push_back(start);
            running.push_back(start);
        }
        settle();
        session.check();
    }
    /// The oldest of those that run ends, after a moment: some may wait ahead.
    void endShort() {
        AttemptEnd end = completed();
        end.runTime = Duration{100};
        session.events().ended(running.front().lsn, running.front().attempt, end, now, out);
        running.erase(running.begin());
        settle();
    }
    std::vector<HoldKey> granted;
};

} // namespace

class TestHolds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theyAreGrantedInTheOrderTheyWereAskedFor();
    void whatWaitsForAProcessComesBeforeWhatWaitsInLine();
    void whoWaitsForMemoryKeepsNobodyFromCores();
    void aSmallOneDoesNotOvertakeALargeOneForever();
    void whatIsGivenUpIsNotGranted();
    void nothingGoesAheadWhileCoresAreWanted();
    void whatIsKeptForSomethingLargeIsNotTaken();
    void whatWasKeptForWhatIsCancelledIsGrantedAtOnce();
    void whoWaitsIsToldWhy();
    void memoryThatIsLackingAloneIsToldOfTheLeast();
    void memoryThatBecomesFreeIsKeptForWhoLackedIt();
};

void TestHolds::whatWaitsForAProcessComesBeforeWhatWaitsInLine() {
    Holding m;
    m.session.defineClass(ClassId(5), cores(1), {}, GateId(0));
    m.session.setGate(GateId(0), 2);
    std::vector<Lsn> lsns;
    for (int i = 0; i < 4; ++i) lsns.push_back(m.submit(0, 0, 5));
    m.look();
    const auto place = [&](int i) {
        return m.session.reasons().of(lsns[static_cast<std::size_t>(i)], true)->position;
    };
    QVERIFY(!place(0) && !place(1)); // out, and not begun
    QCOMPARE(place(2)->before, 2);
    QCOMPARE(place(3)->before, 3);
    m.session.events().running(lsns[0], m.started[0].attempt, m.out);
    QCOMPARE(place(2)->before, 1);
    QCOMPARE(place(3)->before, 2);
}

void TestHolds::theyAreGrantedInTheOrderTheyWereAskedFor() {
    Holding m;
    QVERIFY(m.hold(1, cores(2)));
    QVERIFY(!m.hold(2, cores(1)));
    QVERIFY(!m.hold(3, cores(1)));
    QVERIFY(!m.hold(4, cores(1)));
    m.submit();
    m.look();
    QVERIFY(m.granted.empty() && m.started.empty());
    m.letGo(1); // before what waits in a queue
    QCOMPARE(m.granted, (std::vector<HoldKey>{2, 3}));
    QVERIFY(m.started.empty());
    m.letGo(2);
    QCOMPARE(m.granted, (std::vector<HoldKey>{2, 3, 4}));
    m.letGo(3);
    QCOMPARE(m.started.size(), std::size_t{1});
}

void TestHolds::whoWaitsForMemoryKeepsNobodyFromCores() {
    Holding m;
    QVERIFY(m.hold(1, memory(100)));
    QVERIFY(!m.hold(2, memory(950)));
    QVERIFY(m.hold(3, cores(1)));
    QVERIFY(m.hold(4, cores(1)));
    QVERIFY(!m.hold(5, cores(1)));
    m.letGo(3);
    QCOMPARE(m.granted, (std::vector<HoldKey>{5}));
    m.letGo(1);
    QCOMPARE(m.granted, (std::vector<HoldKey>{5, 2}));
}

void TestHolds::aSmallOneDoesNotOvertakeALargeOneForever() {
    Holding m;
    QVERIFY(m.hold(1, memory(600)));
    QVERIFY(!m.hold(2, memory(700)));
    QVERIFY(!m.hold(3, memory(100))); // it would fit, but the other one waits for it
    m.letGo(1);
    QCOMPARE(m.granted, (std::vector<HoldKey>{2, 3}));
}

void TestHolds::whatIsGivenUpIsNotGranted() {
    Holding m;
    QVERIFY(m.hold(1, memory(600)));
    QVERIFY(!m.hold(2, memory(700)));
    QVERIFY(!m.hold(3, memory(300)));
    QVERIFY(m.session.holds().letGo(2));
    m.look();
    QCOMPARE(m.granted, (std::vector<HoldKey>{3}));
    QVERIFY(!m.session.holds().letGo(2));
    m.letGo(1);
    QCOMPARE(m.granted, (std::vector<HoldKey>{3}));
}

void TestHolds::nothingGoesAheadWhileCoresAreWanted() {
    for (const bool wanted : {false, true}) {
        Holding m;
        m.submit();
        m.look();
        m.endShort();
        QVERIFY(m.hold(1, memory(600)));
        QVERIFY(!m.hold(2, memory(600)));
        for (int i = 0; i < 6; ++i) m.submit();
        m.look();
        const std::size_t before = m.started.size();
        QVERIFY(before > 3); // memory that is wanted changes nothing
        for (int i = 0; i < 6; ++i) m.submit();
        if (wanted) QVERIFY(!m.hold(3, cores(1)));
        m.endShort();
        m.look();
        QCOMPARE(m.started.size() > before, !wanted);
    }
}

void TestHolds::whatIsKeptForSomethingLargeIsNotTaken() {
    Holding m;
    m.defineClass(1, 2);
    const Lsn small = m.submit();
    m.look();
    const Lsn large = m.submit(0, 0, 1);
    QVERIFY(m.hasStarted(small));
    int overtook = 0;
    for (; overtook < 2'000 && m.hold(1, cores(1)); ++overtook) {
        m.submit();
        m.look();
        m.letGo(1);
        m.completeOne();
        m.look();
    }
    QVERIFY(overtook > 1 && overtook < 2'000);
    QVERIFY(!m.hasStarted(large));
    m.session.holds().letGo(1);
    m.complete();
    m.look();
    m.complete();
    m.look();
    QVERIFY(m.hasStarted(large));
}

void TestHolds::whatWasKeptForWhatIsCancelledIsGrantedAtOnce() {
    Holding m;
    m.defineClass(1, 2);
    m.submit();
    m.look();
    const Lsn large = m.submit(0, 0, 1);
    while (m.hold(1, cores(1))) {
        m.submit();
        m.look();
        m.letGo(1);
        m.completeOne();
        m.look();
    }
    const auto waits = m.session.holds().waitOf(1);
    QVERIFY(waits && waits->isKept && !waits->behind);
    QCOMPARE(waits->keptFor.value, large.value);
    QCOMPARE(waits->needs.front().free, 1.0);
    m.granted.clear();
    QVERIFY(m.session.actions().cancel(large, m.out).has_value());
    m.look();
    QCOMPARE(m.granted, (std::vector<HoldKey>{1}));
    QVERIFY(!m.session.holds().waitOf(1));
}

void TestHolds::whoWaitsIsToldWhy() {
    Holding m;
    QVERIFY(!m.session.holds().waitOf(1));
    QVERIFY(m.hold(1, memory(600)));
    QVERIFY(!m.session.holds().waitOf(1)); // it has it
    QVERIFY(!m.hold(2, memory(700)));
    QVERIFY(!m.hold(3, memory(100)));
    QVERIFY(!m.hold(4, memory(500)));
    const auto lacks = m.session.holds().waitOf(2);
    QVERIFY(lacks && !lacks->isKept && !lacks->behind);
    QCOMPARE(lacks->needs.front().free, 400.0);
    const auto behind = m.session.holds().waitOf(3);
    QVERIFY(behind && !behind->isKept);
    QCOMPARE(behind->behind, std::optional<HoldKey>(2));
    const auto both = m.session.holds().waitOf(4);
    QVERIFY(both && !both->behind); // first of all there is not enough
}

void TestHolds::memoryThatIsLackingAloneIsToldOfTheLeast() {
    Holding m;
    m.defineClass(1, 1, 700);
    m.defineClass(2, 1, 900);
    m.defineClass(3, 2, 500);
    QVERIFY(m.session.holds().take(1, {.milliCores = 0, .memoryMb = 600, .named = {}}));
    QCOMPARE(m.session.shortage().memoryLack(), std::int64_t{0}); // nobody waits
    m.submit(0, 0, 2);
    m.schedule();
    QCOMPARE(m.session.shortage().memoryLack(), std::int64_t{500});
    m.submit(0, 0, 1);
    m.schedule();
    QCOMPARE(m.session.shortage().memoryLack(), std::int64_t{300});
    m.submit(0, 0, 3);
    m.schedule();
    QCOMPARE(m.session.shortage().memoryLack(), std::int64_t{100});
    m.submit(0, 100); // of the two cores that one lacks one now
    m.schedule();
    QCOMPARE(m.started.size(), std::size_t{1});
    QCOMPARE(m.session.shortage().memoryLack(), std::int64_t{300});
    m.session.holds().letGo(1);
    m.schedule();
    QCOMPARE(m.started.size(), std::size_t{2});
}

void TestHolds::memoryThatBecomesFreeIsKeptForWhoLackedIt() {
    for (const bool kept : {false, true}) {
        Holding m;
        m.defineClass(1, 1, 500);
        QVERIFY(m.hold(1, memory(600)));
        const Lsn lacking = m.submit(0, 0, 1);
        m.look();
        QCOMPARE(m.session.shortage().memoryLack(), std::int64_t{100});
        if (kept) m.session.shortage().keepForMemoryLack();
        QVERIFY(!m.hold(2, memory(600)));
        QVERIFY(m.hold(3, cores(1))); // of that there is enough for both
        m.letGo(1);
        QCOMPARE(m.hasStarted(lacking), kept);
        QCOMPARE(m.granted.size(), std::size_t{kept ? 0u : 1u});
        if (!kept) continue;
        m.complete();
        m.look();
        QCOMPARE(m.granted, (std::vector<HoldKey>{2}));
    }
}

QTEST_APPLESS_MAIN(TestHolds)
#include "tst_holds.moc"
