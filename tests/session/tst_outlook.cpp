// When actions and queues are expected to start and to end: what is foretold in the middle of a run is held against
// what the session then does with attempts that take exactly as long as was said. Virtual time only.
#include "core/session/wait_reasons.h"
#include "tests/session/real_machine.h"

#include <QTest>
#include <cmath>
#include <fmt/format.h>

using namespace yard;
using namespace yard::session;
using namespace yard::session::test;

namespace {

QueueConfig weighing(double weight) {
    QueueConfig config;
    config.weight = weight;
    return config;
}

} // namespace

class TestOutlook : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsForetoldHappens_data();
    void whatIsForetoldHappens();
    void ofVeryManyItIsAboutTrue();
    void amongVeryManyWhatWasMovedHasItsOwnTime();
    void whatComesLaterGoesBehindWhatWasSeen();
    void whatKeepsComingIsExpected_data();
    void whatKeepsComingIsExpected();
    void whatCameOnceIsNotExpectedAgain();
    void whatWaitsAtTheRunnerStartsWhenASlotIsFree();
};

void TestOutlook::whatIsForetoldHappens_data() {
    QTest::addColumn<int>("cores");
    QTest::addColumn<Prepare>("prepare");
    QTest::addColumn<int>("after"); // seconds, until it is foretold
    const auto row = [](const char* name, int cores, const Prepare& prepare, int after) {
        QTest::newRow(name) << cores << prepare << after;
    };
    row("one queue", 2, [](Real& r) { r.submit(0, 9, 3); }, 1);
    row(
        "a small queue beside a long one", 1,
        [](Real& r) {
            r.queue(1, {});
            r.submit(0, 50, 1);
            r.submit(1, 4, 1);
        },
        3);
    row(
        "weights", 4,
        [](Real& r) {
            r.queue(1, weighing(3));
            r.submit(0, 40, 2);
            r.submit(1, 40, 5);
        },
        7);
    row(
        "a queue that came late", 2,
        [](Real& r) {
            r.queue(1, {});
            r.submit(0, 20, 2);
            r.run(MonoTime{9 * kSecond});
            r.submit(1, 20, 3);
        },
        10);
    row(
        "priorities, and the turn of the oldest", 1,
        [](Real& r) {
            r.submit(0, 3, 2);
            for (int i = 0; i < 40; ++i) {
                NewAction urgent = r.action(0, 1);
                urgent.priority = 10;
                r.add(urgent);
            }
        },
        4);
    row(
        "what was moved", 1,
        [](Real& r) {
            r.submit(0, 5, 2);
            r.submit(0, 5, 7);
            r.run(MonoTime{2 * kSecond});
            r.move({Lsn(9), Lsn(10)}, MoveTo::Where::Top);
            r.move({Lsn(3)}, MoveTo::Where::Down);
        },
        3);
    row(
        "what was moved in an array", 2,
        [](Real& r) {
            r.submitArray(0, 12, 3);
            r.submit(0, 4, 2);
            r.move({Lsn(11)}, MoveTo::Where::Top);
            r.move({Lsn(4)}, MoveTo::Where::Bottom);
        },
        4);
    row(
        "what was moved within its priority", 1,
        [](Real& r) {
            r.submit(0, 6, 2);
            for (int i = 0; i < 6; ++i) {
                NewAction urgent = r.action(0, 3);
                urgent.priority = 10;
                r.add(urgent);
            }
            r.move({Lsn(6), Lsn(12)}, MoveTo::Where::Top);
        },
        4);
    row(
        "a lock", 3,
        [](Real& r) {
            r.session.defineClass(ClassId(1), {}, {LockId(5)});
            for (int i = 0; i < 6; ++i) {
                NewAction locked = r.action(0, 4);
                locked.cls = ClassId(1);
                r.add(locked);
            }
            r.submit(0, 12, 2);
        },
        5);
    row(
        "limits of a label and of a queue", 4,
        [](Real& r) {
            QueueConfig config;
            config.maxRunning = 2;
            r.queue(1, config);
            r.session.queues().setLabelLimits(QueueId(0), {{LabelId(3), 1}});
            r.submit(0, 6, 3);
            r.submit(0, 6, 2);
            r.submit(1, 7, 2);
        },
        4);
    row(
        "what takes more than one core", 4,
        [](Real& r) {
            Resources large;
            large.milliCores = 3'000;
            r.session.defineClass(ClassId(1), large);
            for (int i = 0; i < 4; ++i) {
                NewAction a = r.action(0, 5);
                a.cls = ClassId(1);
                r.add(a);
                r.submit(0, 3, 2);
            }
        },
        3);
    // 30 s after it was passed over first, all four cores are kept for the large one.
    const auto large = [](std::uint32_t lasts) {
        return [lasts](Real& r) {
            Resources all;
            all.milliCores = 4'000;
            r.session.defineClass(ClassId(1), all);
            r.session.setReserve(10 * kSecond);
            r.submit(0, 1, lasts);
            NewAction whole = r.action(0, 5);
            whole.cls = ClassId(1);
            r.add(whole);
            r.submit(0, 90, 3);
        };
    };
    row("something large that was passed over for a while", 4, large(36), 20);
    row("a reservation under way", 4, large(36), 34);
    row("a reservation that was given up", 4, large(55), 45);
    row(
        "what is not to start before", 1,
        [](Real& r) {
            NewAction late = r.action(0, 2);
            late.notBefore = MonoTime{100 * kSecond};
            r.add(late);
            r.submit(0, 4, 2);
        },
        2);
    row(
        "a warm worker with two processes", 8,
        [](Real& r) {
            r.session.defineClass(ClassId(1), {}, {}, GateId(0));
            r.session.setGate(GateId(0), 2);
            for (int i = 0; i < 9; ++i) {
                NewAction a = r.action(0, 2);
                a.cls = ClassId(1);
                r.add(a);
            }
        },
        3);
}

void TestOutlook::whatIsForetoldHappens() {
    QFETCH(const int, cores);
    QFETCH(const Prepare, prepare);
    QFETCH(const int, after);
    Real r(cores);
    prepare(r);
    r.run(MonoTime{(after + 1) * kSecond});
    const Outlook outlook = r.outlook();
    std::map<Lsn, std::optional<MonoTime>> foretold;
    for (std::int64_t lsn = 1; lsn <= r.lsn; ++lsn)
        if (!r.started.contains(Lsn(lsn))) foretold[Lsn(lsn)] = r.foretold(outlook, Lsn(lsn));
    QVERIFY(!foretold.empty());
    r.run();
    for (const auto& [lsn, start] : foretold) {
        const double really = inSeconds(r.started.at(lsn).time_since_epoch());
        QVERIFY2(start, fmt::format("{} has no start, it was {} s", lsn.value, really).c_str());
        QVERIFY2(*start == r.started.at(lsn), fmt::format("{}: {} s was foretold, {} s it was", lsn.value,
                                                          inSeconds(start->time_since_epoch()), really)
                                                  .c_str());
    }
    for (const auto& [queue, finish] : r.finished) {
        const Outlook::OfQueue* of = outlook.queue(queue);
        if (!of) continue; // it had ended
        QVERIFY(of->finish);
        QVERIFY2(*of->finish == finish, fmt::format("queue {}", queue.value).c_str());
    }
}

void TestOutlook::ofVeryManyItIsAboutTrue() {
    Real r(8);
    r.queue(1, weighing(2));
    r.queue(2, {});
    r.submit(0, 20'000, 2);
    r.submit(1, 10'000, 1);
    r.submit(1, 10'000, 3);
    r.run(MonoTime{100 * kSecond});
    r.submit(2, 120, 4); // a small one goes beside the large ones from the beginning
    const Lsn first(r.lsn - 119);
    const Outlook outlook = r.outlook(1'000);
    std::map<Lsn, MonoTime> foretold;
    for (std::int64_t lsn = 1'000; lsn < r.lsn; lsn += 1'777)
        if (const auto start = r.foretold(outlook, Lsn(lsn))) foretold[Lsn(lsn)] = *start;
    QVERIFY(foretold.size() > 15);
    QVERIFY(r.foretold(outlook, first));
    foretold[first] = *r.foretold(outlook, first);
    const MonoTime then = r.now;
    r.run();
    for (const auto& [lsn, start] : foretold) {
        const double really = inSeconds(r.started.at(lsn) - then);
        const double said = inSeconds(start - then);
        QVERIFY2(std::abs(said - really) <= 30 + really / 20,
                 fmt::format("{}: in {} s was foretold, in {} s it was", lsn.value, said, really).c_str());
    }
    for (const std::int64_t queue : {0, 1, 2}) {
        const double really = inSeconds(r.finished.at(QueueId(queue)) - then);
        const double said = inSeconds(*outlook.queue(QueueId(queue))->finish - then);
        QVERIFY2(std::abs(said - really) <= 2 + really / 20,
                 fmt::format("queue {}: {} {}", queue, said, really).c_str());
    }
}

void TestOutlook::amongVeryManyWhatWasMovedHasItsOwnTime() {
    Real r(4);
    r.submitArray(0, 10'000, 2);
    r.turn();
    const Lsn up(9'000);
    const Lsn down(10);
    r.move({up}, MoveTo::Where::Top);
    r.move({down}, MoveTo::Where::Bottom);
    const Outlook outlook = r.outlook(500);
    const MonoTime then = r.now;
    const Lsn stays(5'000);
    std::map<Lsn, std::optional<MonoTime>> foretold;
    for (const Lsn lsn : {up, down, stays}) foretold[lsn] = r.foretold(outlook, lsn);
    r.run();
    for (const auto& [lsn, start] : foretold) {
        QVERIFY(start);
        const double really = inSeconds(r.started.at(lsn) - then);
        const double said = inSeconds(*start - then);
        QVERIFY2(std::abs(said - really) <= 2 + really / 20,
                 fmt::format("{}: in {} s was foretold, in {} s it was", lsn.value, said, really).c_str());
    }
}

void TestOutlook::whatComesLaterGoesBehindWhatWasSeen() {
    Real r(1);
    r.submit(0, 5, 2);
    r.turn();
    const Outlook outlook = r.outlook();
    const Lsn later = r.add(r.action(0, 2));
    QVERIFY(r.foretold(outlook, later));
    QVERIFY(*r.foretold(outlook, later) >= *r.foretold(outlook, Lsn(5)));
}

/// Each second one of a second, and there are always some that wait. Foretold is the last of those that wait for it,
/// early and late.
void TestOutlook::whatKeepsComingIsExpected_data() {
    QTest::addColumn<int>("cores");
    QTest::addColumn<int>("queue"); // of those that wait
    QTest::addColumn<int>("wait");  // so many
    QTest::addColumn<int>("comes"); // to this queue
    QTest::addColumn<int>("priority");
    QTest::newRow("with a higher priority") << 1 << 0 << 1 << 0 << 50;
    QTest::newRow("with a higher priority, and several wait") << 1 << 0 << 5 << 0 << 50;
    QTest::newRow("to another queue") << 1 << 1 << 100 << 0 << 0;
    QTest::newRow("to another queue, beside") << 2 << 1 << 100 << 0 << 0;
    QTest::newRow("behind it") << 1 << 0 << 60 << 0 << 0;
}

void TestOutlook::whatKeepsComingIsExpected() {
    QFETCH(int, cores);
    QFETCH(int, queue);
    QFETCH(int, wait);
    QFETCH(int, comes);
    QFETCH(int, priority);
    Real r(cores);
    r.queue(1, {});
    const auto come = [&] {
        NewAction next = r.action(comes, 1);
        next.priority = priority;
        r.add(next);
    };
    for (int i = 0; i < cores + 2; ++i) come();
    int second = 0;
    const auto go = [&] {
        r.run(MonoTime(kSecond * ++second));
        come();
        r.turn();
    };
    while (second < 40) go();
    r.submit(queue, wait, 1);
    const Lsn last(r.lsn);
    std::vector<std::pair<double, MonoTime>> said; // when, and what
    while (!r.started.contains(last)) {
        const auto start = r.foretold(r.outlook(), last);
        QVERIFY(start);
        said.emplace_back(inSeconds(r.now - MonoTime{}), *start);
        go();
        QVERIFY(second < 1'000);
    }
    const double really = inSeconds(r.started.at(last) - MonoTime{});
    for (const auto& [when, what] : said)
        QVERIFY2(std::abs(inSeconds(what - MonoTime{}) - really) <= 3 + (really - when) / 10,
                 fmt::format("at {} for {}, and it was {}", when, inSeconds(what - MonoTime{}), really).c_str());
}

void TestOutlook::whatCameOnceIsNotExpectedAgain() {
    Real r(1);
    r.queue(1, {});
    r.submit(0, 500, 1);
    r.submit(1, 50, 1);
    r.run(MonoTime(kSecond * 40));
    QVERIFY(r.session.outline(1'000, r.now).coming.empty());
    // A stream ends some seconds after the last of it.
    for (int i = 0; i < 60; ++i) {
        r.submit(1, 1, 1);
        r.run(r.now + kSecond);
    }
    QCOMPARE(r.session.outline(1'000, r.now).coming.size(), std::size_t{1});
    r.run(r.now + 12 * kSecond);
    QVERIFY(r.session.outline(1'000, r.now).coming.empty());
    // One a minute is a stream as well.
    for (int i = 0; i < 8; ++i) {
        r.submit(1, 1, 1);
        r.run(r.now + 60 * kSecond);
    }
    const auto seldom = r.session.outline(1'000, r.now).coming;
    QCOMPARE(seldom.size(), std::size_t{1});
    QCOMPARE(seldom.front().every, 60 * kSecond);
}

/// More cores than slots: the runner has them all, and starts one after the other.
void TestOutlook::whatWaitsAtTheRunnerStartsWhenASlotIsFree() {
    Real real(8, 0, 1, 3);
    real.submit(0, 4, 10);
    (void)real.session.schedule(real.now, real.out);
    QCOMPARE(real.out.start.size(), 4u);
    // The one that was submitted last came to the slot first.
    const Start runs = real.out.start[3];
    real.out.clear();
    real.session.events().submitting(runs.lsn, runs.attempt, real.out);
    real.session.events().running(runs.lsn, runs.attempt, real.out);
    real.started[runs.lsn] = real.now;
    const Outlook outlook = real.outlook();
    for (int i = 0; i < 3; ++i) {
        const Lsn lsn(i + 1);
        const auto start = real.foretold(outlook, lsn);
        QCOMPARE(start ? inSeconds(*start - real.now) : -1, (i + 1) * 10.0);
        QCOMPARE(real.session.reasons().of(lsn, true)->position->before, std::int64_t{i});
    }
    QCOMPARE(real.gap(0, outlook), "known");
    const Lsn next = real.add(real.action(0, 10));
    while (real.session.schedule(real.now, real.out)) {
    }
    QVERIFY(real.out.start.empty());
    QCOMPARE(real.session.reasons().of(next, true)->position->before, std::int64_t{3});
    const auto start = real.foretold(real.outlook(), next);
    QCOMPARE(start ? inSeconds(*start - real.now) : -1, 40.0);
}

QTEST_APPLESS_MAIN(TestOutlook)
#include "tst_outlook.moc"