// When actions and queues are expected to start and to end: what is foretold in the middle of a run is held against
// what the session then does with attempts that take exactly as long as was said. Virtual time only.
#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "core/session/outlook.h"
#include "core/session/place_commands.h"
#include "core/session/queue_commands.h"
#include "core/session/session.h"
#include "core/session/wait_reasons.h"

#include <QTest>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <queue>

using namespace yard;
using namespace yard::session;

namespace {

constexpr Duration kSecond{1'000'000};

/// The machine as it is: each label says how many seconds one takes; label 0 takes forever and nobody knows.
class Real {
public:
    explicit Real(int cores, std::int64_t memoryMb = 0, int slots = 0, int ahead = 0)
        : session(std::make_unique<MachineCapacity>(
                      Resources{.milliCores = 1000 * cores, .memoryMb = memoryMb, .named = {}}),
                  SessionOptions{.slotCount = slots ? slots : cores, .aheadPerSlot = ahead}) {
        session.defineClass(ClassId(0), {});
        (void)session.moveTo(SessionState::Ready, out);
    }
    void queue(std::int64_t id, const QueueConfig& config) { session.queues().add(QueueId(id), config); }
    NewAction action(std::int64_t queue, std::uint32_t seconds) {
        NewAction a;
        a.lsn = Lsn(++lsn);
        a.queue = QueueId(queue);
        a.cls = ClassId(0);
        a.label = LabelId(seconds);
        a.submitTime = lsn;
        return a;
    }
    Lsn add(const NewAction& a) {
        session.intake().add({&a, 1}, now, out);
        return a.lsn;
    }
    void submit(std::int64_t queue, int count, std::uint32_t seconds) {
        for (int i = 0; i < count; ++i) add(action(queue, seconds));
    }
    /// Of one array: they are of the same age.
    void submitArray(std::int64_t queue, int count, std::uint32_t seconds) {
        const std::int64_t age = lsn + 1;
        for (int i = 0; i < count; ++i) {
            NewAction a = action(queue, seconds);
            a.submitTime = age;
            add(a);
        }
    }
    void move(const std::vector<Lsn>& lsns, MoveTo::Where where) {
        while (!session.places().prepare(session.views().live(lsns.front())->queue, 1'000)) {
        }
        const auto plan = session.places().plan(lsns, {.where = where, .before = {}});
        QVERIFY(plan);
        for (const MovePlan::Placed& placed : plan->placed) session.actions().setPlace(placed.lsn, placed.to);
    }
    void turn() {
        while (session.schedule(now, out)) {
        }
        for (const Start& s : out.start) {
            started[s.lsn] = now;
            const auto label = session.views().live(s.lsn)->label.value;
            if (label > 0) ends.push({now + label * kSecond, s.lsn.value, s.attempt});
        }
        out.clear();
    }
    /// Until then, or until nothing more happens.
    void run(MonoTime until = MonoTime::max()) {
        for (turn();; turn()) {
            const auto wake = session.nextWake();
            MonoTime next = ends.empty() ? MonoTime::max() : std::get<0>(ends.top());
            if (wake) next = std::min(next, *wake);
            if (next > until || next == MonoTime::max()) break;
            now = next;
            for (; !ends.empty() && std::get<0>(ends.top()) <= now; ends.pop()) {
                AttemptEnd end;
                end.state = ActionState::Completed;
                const Lsn ended(std::get<1>(ends.top()));
                finished[session.views().live(ended)->queue] = now;
                session.events().ended(ended, std::get<2>(ends.top()), end, now, out);
                while (!out.finish.empty())
                    for (const Finish& f : std::exchange(out.finish, {})) session.events().finishStored(f.lsn, out);
            }
        }
        if (until != MonoTime::max()) now = until;
    }
    Outlook outlook(int most = 2'000) const {
        return {session.outline(most, now), now, [this](const Outlook::Question& asked) -> Outlook::Answer {
                    if (asked.label.value == 0) return {.time = {}, .gap = EstimateGap::NoHistory};
                    const Duration all = asked.label.value * kSecond;
                    const auto begun = asked.runs ? started.find(asked.lsn) : started.end();
                    return {.time = begun == started.end() ? all : all - (now - begun->second)};
                }};
    }
    std::optional<MonoTime> foretold(const Outlook& outlook, Lsn action) const {
        return outlook.startOf(*session.views().live(action));
    }
    std::string gap(std::int64_t queue, const Outlook& outlook) const {
        const Outlook::OfQueue* of = outlook.queue(QueueId(queue));
        if (!of) return "nothing to do";
        return of->finish ? "known" : std::string(name(of->gap));
    }

    using End = std::tuple<MonoTime, std::int64_t, std::uint32_t>;
    Session session;
    Outbox out;
    MonoTime now{kSecond};
    std::int64_t lsn = 0;
    std::map<Lsn, MonoTime> started;
    std::map<QueueId, MonoTime> finished;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
};

using Prepare = std::function<void(Real&)>;

QueueConfig weighing(double weight) {
    QueueConfig config;
    config.weight = weight;
    return config;
}

double seconds(Duration time) {
    return static_cast<double>(time.count()) / 1e6;
}

} // namespace
Q_DECLARE_METATYPE(Prepare)

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
    void nothingIsForetoldWithoutAReason_data();
    void nothingIsForetoldWithoutAReason();
    void whatHasNoEndKeepsOnlyWhatItHas();
    void whatIsBeingKeptHoldsNothing();
    void aQueueThatIsOnlyLateIsOverdue();
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
        const double really = seconds(r.started.at(lsn).time_since_epoch());
        QVERIFY2(start, fmt::format("{} has no start, it was {} s", lsn.value, really).c_str());
        QVERIFY2(*start == r.started.at(lsn), fmt::format("{}: {} s was foretold, {} s it was", lsn.value,
                                                          seconds(start->time_since_epoch()), really)
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
        const double really = seconds(r.started.at(lsn) - then);
        const double said = seconds(start - then);
        QVERIFY2(std::abs(said - really) <= 30 + really / 20,
                 fmt::format("{}: in {} s was foretold, in {} s it was", lsn.value, said, really).c_str());
    }
    for (const std::int64_t queue : {0, 1, 2}) {
        const double really = seconds(r.finished.at(QueueId(queue)) - then);
        const double said = seconds(*outlook.queue(QueueId(queue))->finish - then);
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
        const double really = seconds(r.started.at(lsn) - then);
        const double said = seconds(*start - then);
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
        said.emplace_back(seconds(r.now - MonoTime{}), *start);
        go();
        QVERIFY(second < 1'000);
    }
    const double really = seconds(r.started.at(last) - MonoTime{});
    for (const auto& [when, what] : said)
        QVERIFY2(std::abs(seconds(what - MonoTime{}) - really) <= 3 + (really - when) / 10,
                 fmt::format("at {} for {}, and it was {}", when, seconds(what - MonoTime{}), really).c_str());
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

void TestOutlook::nothingIsForetoldWithoutAReason_data() {
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
            r.session.setLockElsewhere(LockId(5), true);
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
void TestOutlook::nothingIsForetoldWithoutAReason() {
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

void TestOutlook::whatHasNoEndKeepsOnlyWhatItHas() {
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
void TestOutlook::whatIsBeingKeptHoldsNothing() {
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

void TestOutlook::aQueueThatIsOnlyLateIsOverdue() {
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
        QCOMPARE(start ? seconds(*start - real.now) : -1, (i + 1) * 10.0);
        QCOMPARE(real.session.reasons().of(lsn, true)->position->before, std::int64_t{i});
    }
    QCOMPARE(real.gap(0, outlook), "known");
    const Lsn next = real.add(real.action(0, 10));
    while (real.session.schedule(real.now, real.out)) {
    }
    QVERIFY(real.out.start.empty());
    QCOMPARE(real.session.reasons().of(next, true)->position->before, std::int64_t{3});
    const auto start = real.foretold(real.outlook(), next);
    QCOMPARE(start ? seconds(*start - real.now) : -1, 40.0);
}

QTEST_APPLESS_MAIN(TestOutlook)
#include "tst_outlook.moc"
