// Rules at work, with a clock that the test moves: what fires, what is told when, what is resolved, storms, silence, hours;
// and random events against a plain model.
#include "core/alerts/book.h"

#include <QTest>

#include <array>
#include <ctime>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::alerts;

namespace {

constexpr WallMicros kSecond = 1'000'000;
constexpr WallMicros kHour = 3'600 * kSecond;
/// Noon, in UTC.
constexpr WallMicros kBegin = 1'000 * 24 * kHour + 12 * kHour;

struct Bench {
    Bench() = default;

    void put(const std::string& json) {
        auto rule = readRule(json, {});
        if (!rule) qFatal("%s", rule.error().message.c_str());
        if (!book.put(*std::move(rule), now)) qFatal("%s is refused", json.c_str());
    }
    /// Lets time pass from one due time to the next, and notes the messages.
    void pass(WallMicros time) {
        const WallMicros end = now + time;
        while (const auto at = book.wakeAt()) {
            if (*at > end) break;
            now = std::max(now, *at);
            note(book.advance(now));
        }
        now = end;
    }
    void note(std::vector<Message> messages) {
        for (Message& message : messages) {
            if (!told.empty()) told += "; ";
            told += fmt::format("+{:g} {}x{}{}", static_cast<double>(message.t - kBegin) / 1e6, message.rule,
                                message.count, message.isResolved ? " resolved" : "");
            last = std::move(message);
        }
    }
    void end(std::int64_t queue, ActionState state) {
        const Shape shape{.queue = QueueId(queue),
                          .cls = 1,
                          .label = 0,
                          .state = state,
                          .reason = state == ActionState::Failed ? Reason::ExitCode : Reason::None};
        const Lsn lsn(++lastLsn);
        const Book::Wants wants = book.wants(shape);
        ActionResult row = rowOf(shape);
        row.lsn = lsn;
        row.outcome.emplace().exitCode = exitCode;
        if (wants != Book::Wants::Nothing) book.ended(lsn, shape, wants == Book::Wants::Row ? &row : nullptr, now);
    }
    static ActionResult rowOf(const Shape& shape) {
        ActionResult row;
        row.queue = shape.queue;
        row.workerName = row.workerId = "exec";
        row.label = "make";
        row.state = shape.state;
        row.outcome.emplace().state = shape.state;
        row.outcome->reason = shape.reason;
        return row;
    }
    std::string take() { return std::exchange(told, {}); }
    std::string keptJson(std::string_view rule) const {
        std::string text;
        JsonWriter writer(text);
        writer.openObject();
        book.find(rule)->writeKept(writer);
        writer.closeObject();
        return text;
    }

    Book book{{.rowOf = &Bench::rowOf,
               .queueNames = [](QueueId id) { return std::vector<std::string>{fmt::format("q{}", id.value)}; }}};
    WallMicros now = kBegin;
    std::string told;
    Message last;
    std::int64_t lastLsn = 0;
    int exitCode = 1;
};

} // namespace

class TestAlertBook : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void failuresInARowAreToldOnceAndResolvedByASuccess();
    void aSeriesIsOfOneQueue();
    void anEventIsNeverResolved();
    void aStormIsOneMessageWithACount();
    void whatComesInTheQuietTimeIsToldTogetherAtItsEnd();
    void whatIsOverBeforeItIsToldIsNotTold();
    void aConditionHasToHoldForAsLongAsItsRuleSays();
    void whatHoldsIsToldAgain();
    void whatComesBackBeforeItsEndIsToldNeverEnded();
    void aSilenceHoldsBackWhatFiresMeanwhile();
    void outOfItsHoursARuleIsSilent();
    void aRateIsOfTheLastWhileAndEndsByItself();
    void theOldestActionOfAQueueAges();
    void whatIsSilentIsToldWhenItsTimeIsOver();
    void aFilterByTheRowAsksForTheRow();
    void queuesThatFinishedCountTheirEnds();
    void samplesAndMachinesAndWhatIsFedByName();
    void whatWasToldStaysToldInAnotherEngine();
    void aChangedRuleBeginsAgainWhereItsConditionIsAnother();
    void whatIsDueIsDueByTheChangedRule();
    void moreThanCanBeWatchedIsCounted();
    void theClockMaySpring();
    void randomMachinesAreToldAsAModelSays_data();
    void randomMachinesAreToldAsAModelSays();
};

void TestAlertBook::initTestCase() {
    qputenv("TZ", "UTC");
    ::tzset();
}

void TestAlertBook::failuresInARowAreToldOnceAndResolvedByASuccess() {
    Bench bench;
    bench.put(R"({"name":"f","on":{"kind":"failures","over":3},"quiet_s":0})");
    bench.end(1, ActionState::Failed);
    bench.end(1, ActionState::Completed);
    bench.end(1, ActionState::Failed);
    bench.end(1, ActionState::Cancelled);
    bench.end(1, ActionState::Failed);
    bench.pass(10 * kSecond);
    QCOMPARE(bench.take(), std::string());
    bench.end(1, ActionState::Abandoned);
    bench.end(1, ActionState::Failed);
    bench.pass(10 * kSecond);
    QCOMPARE(bench.take(), std::string("+11 fx1"));
    QCOMPARE(bench.last.text, std::string("3 actions of queue 1 (q1) failed in a row, the last one is 6 (make)."));
    QCOMPARE(bench.last.lsn, Lsn(6));
    QCOMPARE(bench.book.find("f")->state(), AlertState::Firing);
    bench.end(1, ActionState::Failed);
    bench.pass(10 * kSecond);
    QCOMPARE(bench.take(), std::string());
    bench.end(1, ActionState::Completed);
    QCOMPARE(bench.book.find("f")->state(), AlertState::Resolved);
    bench.pass(10 * kSecond);
    QCOMPARE(bench.take(), std::string("+31 fx1 resolved"));
    QVERIFY(bench.last.text.starts_with("Resolved: 3 actions"));
    QCOMPARE(bench.book.find("f")->state(), AlertState::Quiet);
    QVERIFY(!bench.book.wakeAt());
}

void TestAlertBook::aSeriesIsOfOneQueue() {
    Bench bench;
    bench.put(R"({"name":"f","on":{"kind":"failures","over":2,"filter":"queue:1,2"},"quiet_s":0})");
    bench.end(1, ActionState::Failed);
    bench.end(2, ActionState::Failed);
    bench.end(3, ActionState::Failed);
    bench.end(3, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string());
    bench.end(2, ActionState::Failed);
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+6 fx2"));
    QVERIFY(bench.last.text.ends_with("There is 1 more like this."));
}

void TestAlertBook::anEventIsNeverResolved() {
    Bench bench;
    bench.put(R"({"name":"a","on":{"kind":"action_finished","filter":"state:failed"},"quiet_s":0})");
    bench.end(1, ActionState::Completed);
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    bench.end(1, ActionState::Completed);
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string("+1 ax1"));
    QCOMPARE(bench.last.text, std::string("Action 2 (make) failed: its exit code was not 0."));
}

void TestAlertBook::aStormIsOneMessageWithACount() {
    Bench bench;
    bench.put(R"({"name":"a","on":{"kind":"action_finished"},"quiet_s":0})");
    for (int i = 0; i < 10'000; ++i) bench.end(i % 7, ActionState::Failed);
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string("+1 ax10000"));
    QVERIFY(bench.last.text.ends_with("There are 9999 more like this."));
}

void TestAlertBook::whatComesInTheQuietTimeIsToldTogetherAtItsEnd() {
    Bench bench;
    bench.put(R"({"name":"a","on":{"kind":"action_finished"},"quiet_s":60})");
    for (int i = 0; i < 5; ++i) {
        bench.end(1, ActionState::Completed);
        bench.pass(10 * kSecond);
    }
    QCOMPARE(bench.take(), std::string("+1 ax1"));
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string("+61 ax4"));
}

void TestAlertBook::whatIsOverBeforeItIsToldIsNotTold() {
    Bench bench;
    bench.put(R"({"name":"m","on":{"kind":"machine"}})");
    bench.book.machine("m1", true, bench.now);
    bench.pass(kSecond / 2);
    bench.book.machine("m1", false, bench.now);
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string());
}

void TestAlertBook::aConditionHasToHoldForAsLongAsItsRuleSays() {
    Bench bench;
    bench.put(R"({"name":"m","on":{"kind":"memory","over":80,"for_s":30},"quiet_s":0})");
    bench.book.sample(Kind::Memory, 85, bench.now);
    bench.pass(20 * kSecond);
    bench.book.sample(Kind::Memory, 79, bench.now);
    bench.pass(20 * kSecond);
    bench.book.sample(Kind::Memory, 81, bench.now);
    bench.pass(29 * kSecond);
    bench.book.sample(Kind::Memory, 99, bench.now);
    QCOMPARE(bench.take(), std::string());
    bench.pass(2 * kSecond);
    QCOMPARE(bench.take(), std::string("+71 mx1"));
    bench.book.sample(Kind::Memory, 50, bench.now);
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string("+72 mx1 resolved"));
}

void TestAlertBook::whatHoldsIsToldAgain() {
    Bench bench;
    bench.put(R"({"name":"m","on":{"kind":"machine","filter":"machine:m*"},"quiet_s":0,"repeat_s":100})");
    bench.book.machine("m1", true, bench.now);
    bench.book.machine("x1", true, bench.now);
    bench.pass(250 * kSecond);
    QCOMPARE(bench.take(), std::string("+1 mx1; +102 mx1; +203 mx1"));
    QCOMPARE(bench.last.text, std::string("Still: Machine m1 is lost."));
    bench.book.machine("m1", false, bench.now);
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string("+251 mx1 resolved"));
}

void TestAlertBook::whatComesBackBeforeItsEndIsToldNeverEnded() {
    Bench bench;
    bench.put(R"({"name":"m","on":{"kind":"machine"},"quiet_s":0})");
    bench.book.machine("m1", true, bench.now);
    bench.pass(2 * kSecond);
    bench.book.machine("m1", false, bench.now);
    bench.pass(kSecond / 2);
    bench.book.machine("m1", true, bench.now);
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string("+1 mx1"));
    QCOMPARE(bench.book.find("m")->state(), AlertState::Firing);
}

void TestAlertBook::aSilenceHoldsBackWhatFiresMeanwhile() {
    Bench bench;
    bench.put(R"({"name":"m","on":{"kind":"machine"},"quiet_s":0})");
    bench.book.machine("m1", true, bench.now);
    bench.pass(2 * kSecond);
    QCOMPARE(bench.take(), std::string("+1 mx1"));
    bench.book.silence("m", bench.now + 100 * kSecond, bench.now);
    QCOMPARE(bench.book.find("m")->state(), AlertState::Silenced);
    bench.book.machine("m2", true, bench.now);
    bench.book.machine("m3", true, bench.now);
    bench.pass(50 * kSecond);
    bench.book.machine("m3", false, bench.now);
    bench.pass(49 * kSecond);
    QCOMPARE(bench.take(), std::string());
    bench.pass(3 * kSecond); // m1 was told before
    QCOMPARE(bench.take(), std::string("+103 mx1"));
    QCOMPARE(bench.last.text, std::string("Machine m2 is lost."));
    // Ended by hand; what happened meanwhile is not told.
    bench.put(R"({"name":"a","on":{"kind":"action_finished"},"quiet_s":0})");
    bench.book.silence("a", bench.now + kHour, bench.now);
    bench.end(1, ActionState::Failed);
    bench.book.silence("a", bench.now, bench.now);
    bench.pass(10 * kSecond);
    QCOMPARE(bench.take(), std::string());
    bench.end(1, ActionState::Failed);
    bench.pass(10 * kSecond);
    QCOMPARE(bench.take(), std::string("+115 ax1"));
}

void TestAlertBook::outOfItsHoursARuleIsSilent() {
    Bench bench;
    bench.put(R"({"name":"m","on":{"kind":"machine"},"quiet_s":0,"hours":"13:00-14:00"})");
    bench.book.machine("m1", true, bench.now);
    bench.book.machine("m2", true, bench.now);
    bench.pass(1'800 * kSecond);
    bench.book.machine("m2", false, bench.now);
    QCOMPARE(bench.take(), std::string());
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string("+3600 mx1"));
    bench.pass(kHour);
    bench.book.machine("m1", false, bench.now);
    bench.pass(23 * kHour);
    QCOMPARE(bench.take(), std::string("+90000 mx1 resolved"));
}

void TestAlertBook::aRateIsOfTheLastWhileAndEndsByItself() {
    Bench bench;
    bench.put(R"({"name":"r","on":{"kind":"failure_rate","over":50,"for_s":60},"quiet_s":0})");
    for (int i = 0; i < 9; ++i) bench.end(1, ActionState::Failed);
    bench.pass(kSecond / 2);
    QCOMPARE(bench.take(), std::string()); // nine say nothing
    bench.end(2, ActionState::Completed);
    bench.pass(10 * kSecond);
    QCOMPARE(bench.take(), std::string("+1.5 rx1"));
    QCOMPARE(bench.last.text, std::string("9 of 10 actions that ended within 1 min failed."));
    QCOMPARE(bench.book.takeTouched(), std::set<std::string>{"r"});
    bench.pass(20 * kSecond); // it is looked at, and nothing is another
    QVERIFY(bench.book.takeTouched().empty());
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string("+61 rx1 resolved"));
    QVERIFY(!bench.book.wakeAt());
}

void TestAlertBook::theOldestActionOfAQueueAges() {
    Bench bench;
    bench.put(R"({"name":"q","on":{"kind":"queue_age","over":60,"filter":"queue:1"},"quiet_s":0})");
    QCOMPARE(bench.book.leastWait(Kind::QueueAge), std::optional(60.0));
    QVERIFY(!bench.book.leastWait(Kind::Silence));
    bench.book.queueWaits(QueueId(1), bench.now - 59 * kSecond, bench.now);
    bench.book.queueWaits(QueueId(2), bench.now - kHour, bench.now);
    bench.pass(2 * kSecond);
    QCOMPARE(bench.take(), std::string());
    bench.book.queueWaits(QueueId(1), bench.now - 61 * kSecond, bench.now);
    bench.pass(2 * kSecond);
    QCOMPARE(bench.take(), std::string("+3 qx1"));
    bench.book.queueWaits(QueueId(1), std::nullopt, bench.now);
    bench.pass(2 * kSecond);
    QCOMPARE(bench.take(), std::string("+5 qx1 resolved"));
}

void TestAlertBook::whatIsSilentIsToldWhenItsTimeIsOver() {
    Bench bench;
    bench.put(R"({"name":"s","on":{"kind":"silence","over":100,"filter":"label:make"},"quiet_s":0})");
    ActionResult row = Bench::rowOf({.queue = QueueId(1), .state = ActionState::Running});
    row.lsn = Lsn(5);
    bench.book.silent(row, bench.now - 60 * kSecond, bench.now);
    row.label = "other";
    row.lsn = Lsn(6);
    bench.book.silent(row, bench.now - kHour, bench.now);
    bench.pass(39 * kSecond);
    QCOMPARE(bench.take(), std::string());
    bench.pass(3 * kSecond);
    QCOMPARE(bench.take(), std::string("+41 sx1"));
    QVERIFY(bench.last.text.starts_with("Action 5 (make) runs and has shown no sign of life for 1 min 40 s"));
    bench.book.getsOn(Lsn(5), bench.now);
    bench.pass(3 * kSecond);
    QCOMPARE(bench.take(), std::string("+43 sx1 resolved"));
}

void TestAlertBook::aFilterByTheRowAsksForTheRow() {
    Bench bench;
    bench.put(R"({"name":"a","on":{"kind":"action_finished","filter":"queue:1 exit:3"},"quiet_s":0})");
    const Shape shape{.queue = QueueId(1), .state = ActionState::Failed};
    QCOMPARE(bench.book.wants(shape), Book::Wants::Row);
    QCOMPARE(bench.book.wants({.queue = QueueId(2)}), Book::Wants::Nothing);
    bench.end(1, ActionState::Failed);
    bench.exitCode = 3;
    bench.end(1, ActionState::Failed);
    bench.book.ended(Lsn(99), shape, nullptr, bench.now); // its row is gone
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+1 ax1"));
    QCOMPARE(bench.last.lsn, Lsn(2));
    bench.put(R"({"name":"a","on":{"kind":"action_finished"},"quiet_s":0})");
    QCOMPARE(bench.book.wants(shape), Book::Wants::End); // what was remembered is forgotten
    bench.book.remove("a");
    QCOMPARE(bench.book.wants(shape), Book::Wants::Nothing);
}

void TestAlertBook::queuesThatFinishedCountTheirEnds() {
    Bench bench;
    bench.put(R"({"name":"q","on":{"kind":"queue_finished","over":10,"filter":"queue:q1"},"quiet_s":0})");
    bench.book.queueFinished(QueueId(1), 9, 0, bench.now);
    bench.book.queueFinished(QueueId(2), 90, 0, bench.now);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string());
    bench.book.queueFinished(QueueId(1), 10, 2, bench.now);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+6 qx1"));
    QCOMPARE(bench.last.text, std::string("Nothing is left to do in queue 1 (q1): 10 ended, 2 of them failed."));
    QCOMPARE(bench.last.queue, std::optional(QueueId(1)));
}

void TestAlertBook::samplesAndMachinesAndWhatIsFedByName() {
    Bench bench;
    bench.put(R"({"name":"d","on":{"kind":"disk"},"quiet_s":0})");
    bench.put(R"({"name":"s","on":{"kind":"stuck_objects","filter":"label:photo*"},"quiet_s":0})");
    bench.put(R"({"name":"r","on":{"kind":"regression"},"quiet_s":0})");
    bench.book.sample(Kind::Disk, 96, bench.now);
    bench.book.raise(Kind::StuckObjects, {.key = "photo 7", .text = "It is stuck.", .since = bench.now}, bench.now);
    bench.book.raise(Kind::StuckObjects, {.key = "film 7", .text = "It is stuck.", .since = bench.now}, bench.now);
    bench.book.happened(Kind::Regression, {.key = "make", .text = "Slower.", .since = bench.now}, bench.now);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+1 dx1; +1 rx1; +1 sx1"));
    bench.book.clear(Kind::StuckObjects, "photo 7", bench.now);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+6 sx1 resolved"));
    QVERIFY(bench.book.watches(Kind::Disk));
    QVERIFY(!bench.book.watches(Kind::Orphan));
}

void TestAlertBook::whatWasToldStaysToldInAnotherEngine() {
    const std::string rule = R"({"name":"m","on":{"kind":"machine"},"quiet_s":0})";
    Bench bench;
    bench.put(rule);
    bench.book.machine("m1", true, bench.now);
    bench.pass(5 * kSecond);
    bench.book.machine("m2", true, bench.now); // not told yet
    QCOMPARE(bench.book.takeTouched(), std::set<std::string>{"m"});
    const std::string kept = bench.keptJson("m");
    Bench other;
    other.now = bench.now;
    other.put(rule);
    const auto tape = readJson(kept);
    other.book.readKept("m", tape->root(), other.now);
    QCOMPARE(other.book.find("m")->state(), AlertState::Firing);
    other.book.machine("m1", true, other.now);
    other.pass(5 * kSecond);
    QCOMPARE(other.take(), std::string());
    other.book.machine("m1", false, other.now);
    other.pass(5 * kSecond);
    QCOMPARE(other.take(), std::string("+11 mx1 resolved"));
}

void TestAlertBook::aChangedRuleBeginsAgainWhereItsConditionIsAnother() {
    Bench bench;
    bench.put(R"({"name":"m","on":{"kind":"memory","over":80},"quiet_s":0})");
    bench.book.sample(Kind::Memory, 90, bench.now);
    bench.pass(5 * kSecond);
    bench.put(R"({"name":"m","on":{"kind":"memory","over":80},"quiet_s":5})");
    bench.book.sample(Kind::Memory, 90, bench.now);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+1 mx1"));
    bench.put(R"({"name":"m","on":{"kind":"memory","over":85},"quiet_s":5})");
    bench.book.sample(Kind::Memory, 90, bench.now);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+11 mx1"));
}

void TestAlertBook::whatIsDueIsDueByTheChangedRule() {
    Bench bench;
    bench.put(R"({"name":"m","on":{"kind":"machine"},"quiet_s":3600})");
    bench.book.machine("m1", true, bench.now);
    bench.pass(5 * kSecond);
    bench.book.machine("m2", true, bench.now);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+1 mx1"));
    bench.put(R"({"name":"m","on":{"kind":"machine"},"quiet_s":30})");
    bench.pass(30 * kSecond);
    QCOMPARE(bench.take(), std::string("+31 mx1"));
    bench.put(R"({"name":"m","on":{"kind":"machine"},"quiet_s":0,"repeat_s":100})");
    bench.pass(100 * kSecond); // told at 1 and 31
    QCOMPARE(bench.take(), std::string("+102 mx1; +132 mx1"));
    bench.put(R"({"name":"m","on":{"kind":"machine"},"quiet_s":0})");
    bench.pass(kHour);
    QCOMPARE(bench.take(), std::string());
}

void TestAlertBook::moreThanCanBeWatchedIsCounted() {
    Bench bench;
    bench.put(R"({"name":"s","on":{"kind":"orphan"},"quiet_s":0})");
    std::string text = "a";
    for (int i = 0; i < 1'000; ++i) text += "ü";
    for (std::size_t i = 0; i < RuleWatch::kMostConditions + 5; ++i)
        bench.book.raise(Kind::Orphan, {.key = fmt::format("o{}", i), .text = text, .since = bench.now}, bench.now);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.take(), std::string("+1 sx10005"));
    const std::string kept = bench.keptJson("s");
    QVERIFY(kept.size() < RuleWatch::kMostKept * 1'000);
    QVERIFY(kept.find(R"("key":"o0")") != std::string::npos);
    Bench other;
    other.put(R"({"name":"s","on":{"kind":"orphan"},"quiet_s":0})");
    const auto tape = readJson(kept);
    QVERIFY(tape);
    other.book.readKept("s", tape->root(), other.now);
    QCOMPARE(other.book.find("s")->firing(), static_cast<std::int64_t>(RuleWatch::kMostKept));
}

/// A year forward: what waited for its time fires, once. Back again: nothing waits for a year.
void TestAlertBook::theClockMaySpring() {
    Bench bench;
    bench.put(R"({"name":"a","on":{"kind":"action_finished"},"quiet_s":600})");
    bench.end(1, ActionState::Failed);
    bench.pass(366 * 24 * kHour);
    QCOMPARE(bench.take(), std::string("+1 ax1"));
    bench.end(1, ActionState::Failed);
    bench.pass(2 * kSecond);
    bench.take();
    bench.now = kBegin;
    bench.end(1, ActionState::Failed);
    bench.pass(700 * kSecond);
    QCOMPARE(bench.take(), std::string("+600 ax1"));
}

void TestAlertBook::randomMachinesAreToldAsAModelSays_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 20; ++seed) QTest::addRow("%d", seed) << seed;
}

namespace {

/// Looks at everything at each step.
struct Model {
    struct Machine {
        bool isLost = false;
        bool isTold = false;
        bool isFired = false;
        bool endsUntold = false;
        WallMicros since = 0;
    };
    WallMicros holdFor = 0;
    WallMicros quiet = 0;
    std::array<Machine, 4> machines{};
    WallMicros tellAt = 0;
    WallMicros endsAt = 0;
    WallMicros toldAt = 0;

    void set(std::size_t at, bool isLost, WallMicros now) {
        Machine& machine = machines.at(at);
        if (machine.isLost == isLost) return;
        machine.isLost = isLost;
        if (isLost) {
            machine.since = now;
            // Nobody had a message of its end: for them it never ended.
            machine.isFired = machine.isTold = std::exchange(machine.endsUntold, false);
        } else if (machine.isFired && machine.isTold) {
            machine.endsUntold = true;
            if (endsAt == 0) endsAt = now + kSecond;
        } else {
            machine = {};
        }
    }
    std::string step(WallMicros now) {
        std::string told;
        const auto add = [&](int count, const char* what) {
            if (count > 0)
                told += fmt::format("+{:g} mx{}{};", static_cast<double>(now - kBegin) / 1e6, count, what);
        };
        if (endsAt != 0 && endsAt <= now) {
            endsAt = 0;
            int count = 0;
            for (Machine& machine : machines) count += std::exchange(machine.endsUntold, false) ? 1 : 0;
            add(count, " resolved");
        }
        for (Machine& machine : machines) {
            if (!machine.isLost || machine.isFired || now - machine.since < holdFor) continue;
            machine.isFired = true;
            if (tellAt == 0) tellAt = std::max(now + kSecond, toldAt == 0 ? 0 : toldAt + quiet);
        }
        if (tellAt == 0 || tellAt > now) return told;
        tellAt = 0;
        int count = 0;
        for (Machine& machine : machines)
            if (machine.isLost && machine.isFired && !std::exchange(machine.isTold, true)) ++count;
        if (count > 0) toldAt = now;
        add(count, "");
        return told;
    }
};

} // namespace

void TestAlertBook::randomMachinesAreToldAsAModelSays() {
    QFETCH(int, seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    Model model;
    const int holdFor = static_cast<int>(random() % 4);
    const int quiet = static_cast<int>(random() % 20);
    model.holdFor = holdFor * kSecond;
    model.quiet = quiet * kSecond;
    Bench bench;
    bench.put(fmt::format(R"({{"name":"m","on":{{"kind":"machine","for_s":{}}},"quiet_s":{}}})", holdFor, quiet));
    for (int step = 0; step < 3'000; ++step) {
        if (random() % 8 == 0) {
            const std::size_t which = random() % model.machines.size();
            const bool isLost = random() % 2 == 0;
            model.set(which, isLost, bench.now);
            bench.book.machine(fmt::format("m{}", which), isLost, bench.now);
        }
        const std::string expected = model.step(bench.now);
        bench.note(bench.book.advance(bench.now));
        std::string told = bench.take();
        for (std::size_t at = 0; (at = told.find("; ", at)) != std::string::npos; ++at) told.erase(at + 1, 1);
        if (!told.empty()) told += ';';
        QCOMPARE(QString::fromStdString(told), QString::fromStdString(expected));
        bench.now += kSecond / 4;
    }
}

QTEST_GUILESS_MAIN(TestAlertBook)
#include "tst_book.moc"
