// Looking after what runs, by itself: attempts are values, what was seen of them is what a test says.
#include "core/engine/running/attempt_monitor.h"

#include <QTest>

#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr Duration kSecond{1'000'000};
constexpr std::int64_t kMiB = 1 << 20;

class Bench {
public:
    AttemptTable attempts;
    InternTable dictionary;
    MonoTime now{100 * kSecond};
    std::string told;    ///< to end: "1 now", "2 gently"
    std::string watched; ///< streams: "1 1"
    AttemptMonitor monitor{
        {.attempts = attempts,
         .dictionary = dictionary,
         .end = [this](Attempt& attempt, runners::StopCause,
                       std::optional<Duration> grace) { tell(attempt, grace); },
         .watch = [this](const Attempt& attempt,
                         runners::Stream) { note(watched, std::to_string(attempt.id.lsn.value)); }}};

    /// One that runs since now, of a class that asks for so much memory. Its first process has its LSN.
    Attempt& run(std::int64_t lsn, std::int64_t memoryMb = 0) {
        ClassKey key;
        key.workerId = "w";
        key.resources.memoryMb = memoryMb;
        Attempt& attempt = attempts.add({Lsn(lsn), 1});
        attempt.cls = session::ClassId(dictionary.internClass(key).id);
        attempt.phase = Attempt::Phase::Launched;
        attempt.pid = static_cast<int>(lsn);
        attempt.runningSince = attempt.progress = now;
        return attempt;
    }
    static AttemptMonitor::Trees trees(std::vector<std::pair<int, std::int64_t>> memory) {
        AttemptMonitor::Trees trees;
        for (const auto& [pid, bytes] : memory) trees[pid].rssBytes = bytes;
        return trees;
    }
    static AttemptMonitor::Trees used(int pid, std::int64_t processorTime) {
        AttemptMonitor::Trees trees;
        trees[pid].cpu = processorTime;
        return trees;
    }
    static runners::StreamAt outputOf(std::uint64_t size) {
        runners::StreamAt at;
        at.size = size;
        return at;
    }
    /// LSNs of what is due.
    std::string due(std::size_t most = 100) {
        std::vector<UsageQuestion> found = monitor.dueForUsage(now, most);
        std::string text;
        for (const UsageQuestion& question : found) note(text, std::to_string(question.id.lsn.value));
        if (!found.empty()) asked = std::move(found);
        return text;
    }
    std::vector<UsageQuestion> asked; ///< what was due last

private:
    static void note(std::string& text, const std::string& word) { text += (text.empty() ? "" : " ") + word; }
    void tell(const Attempt& attempt, std::optional<Duration> grace) {
        note(told, std::to_string(attempt.id.lsn.value) + (grace == Duration::zero() ? " now" : " gently"));
    }
};

} // namespace

class TestAttemptMonitor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- memory

    void whatHasMoreThanItMayIsEndedAtOnce() {
        Bench b;
        b.run(1).memoryLimit = 10 * kMiB;
        b.run(2).memoryLimit = 10 * kMiB;
        b.run(3);
        b.monitor.noteMemory(Bench::trees({{1, 10 * kMiB}, {2, 11 * kMiB}, {3, 99 * kMiB}}));
        QCOMPARE(b.told, "2 now");
        QVERIFY(b.attempts.get({Lsn(2), 1})->isOverMemory);
        b.monitor.noteMemory(Bench::trees({{2, 12 * kMiB}}));
        QCOMPARE(b.told, "2 now"); // it is being ended
        QCOMPARE(b.monitor.limited().size(), std::size_t{1});
    }

    void whatHasMostOverWhatItAskedForIsWorthStopping() {
        Bench b;
        b.run(1, 500);
        b.run(2, 100);
        b.run(3);
        const auto heavy =
            b.monitor.furthestOver(Bench::trees({{1, 550 * kMiB}, {2, 300 * kMiB}, {3, 100 * kMiB}}));
        QVERIFY(heavy.has_value());
        QCOMPARE(heavy->id.lsn, Lsn(2));
        QCOMPARE(heavy->used, 300 * kMiB);
        QCOMPARE(heavy->asked, 100 * kMiB);
    }

    void whereNoneHasMuchMoreTheNewestIs() {
        Bench b;
        b.run(1);
        b.now += kSecond;
        b.run(2);
        const auto heavy = b.monitor.furthestOver(Bench::trees({{1, 20 * kMiB}, {2, 10 * kMiB}}));
        QCOMPARE(heavy->id.lsn, Lsn(2));
        b.monitor.stopForMemory(heavy->id, "memory was short");
        QCOMPARE(b.told, "2 gently");
        b.monitor.stopForMemory(heavy->id, "again");
        QCOMPARE(b.told, "2 gently");
        QCOMPARE(b.attempts.get(heavy->id)->stoppedForMemory, "memory was short");
        QCOMPARE(b.monitor.furthestOver({})->id.lsn, Lsn(1));
    }

    void whatWasStoppedIsNotEndedForAnotherCause() {
        Bench b;
        Attempt& attempt = b.run(1);
        attempt.memoryLimit = 10 * kMiB;
        attempt.stop = session::StopCause::Cancel;
        b.monitor.noteMemory(Bench::trees({{1, 11 * kMiB}}));
        b.monitor.stopForMemory(attempt.id, "memory was short");
        b.monitor.endOverOutputs({attempt.id});
        QCOMPARE(b.told, "");
        QVERIFY(!b.monitor.furthestOver({}).has_value());
    }

    void whoseOutputsHoldTooMuchIsEnded() {
        Bench b;
        b.run(1);
        b.monitor.endOverOutputs({{Lsn(1), 1}, {Lsn(2), 1}}); // the second one has ended meanwhile
        QCOMPARE(b.told, "1 now");
        QVERIFY(b.attempts.get({Lsn(1), 1})->isOverOutputs);
    }

    // --- whether they get on

    void whatUsesNoTimeAndPrintsNothingHangs() {
        Bench b;
        b.run(1);
        b.run(2);
        const Duration limit = 40 * kSecond;
        QVERIFY(b.monitor.noteProgress({{1, 5}, {2, 5}}, b.now, limit).empty());
        b.now += 20 * kSecond;
        QVERIFY(b.monitor.noteProgress({{1, 5}, {2, 6}}, b.now, limit).empty());
        QCOMPARE(b.watched, "1 1"); // its output is watched only now
        b.now += 20 * kSecond;
        QCOMPARE(b.monitor.noteProgress({{1, 5}, {2, 7}}, b.now, limit), std::vector{Lsn(1)});
        QCOMPARE(b.monitor.hung(), std::size_t{1});
        b.now += kSecond;
        QCOMPARE(b.monitor.noteProgress({{1, 9}, {2, 8}}, b.now, limit), std::vector{Lsn(1)});
        QCOMPARE(b.monitor.hung(), std::size_t{0});
    }

    void outputIsASignOfLife() {
        Bench b;
        Attempt& attempt = b.run(1);
        const Duration limit = 40 * kSecond;
        (void)b.monitor.noteProgress({{1, 5}}, b.now, limit);
        AttemptMonitor::noteOutput(attempt, Bench::outputOf(7),
                                   b.now); // what was there when it began to be watched
        b.now += 39 * kSecond;
        AttemptMonitor::noteOutput(attempt, Bench::outputOf(8), b.now);
        b.now += 39 * kSecond;
        QVERIFY(b.monitor.noteProgress({{1, 5}}, b.now, limit).empty());
        b.now += kSecond;
        QCOMPARE(b.monitor.noteProgress({{1, 5}}, b.now, limit), std::vector{Lsn(1)});
        QCOMPARE(b.monitor.forgetHung(), std::vector{Lsn(1)});
        QVERIFY(b.monitor.forgetHung().empty());
    }

    // --- what they use

    void eachIsLookedAtAfterTwoSecondsThenEveryFive() {
        Bench b;
        b.run(1);
        QCOMPARE(b.due(), "");
        b.now += 2 * kSecond;
        QCOMPARE(b.due(), "1");
        QCOMPARE(b.due(), ""); // it is being looked at
        b.monitor.noteUsage(b.asked, Bench::used(1, 1'000'000), b.now);
        QCOMPARE(b.monitor.processorTimeOfRunning(b.now), std::int64_t{1'000'000});
        b.now += 4 * kSecond;
        QCOMPARE(b.monitor.processorTimeOfRunning(b.now), std::int64_t{3'000'000}); // it goes on at half a core
        QCOMPARE(b.due(), "");
        b.now += kSecond;
        QCOMPARE(b.due(), "1");
    }

    void whatDoesNothingIsLookedAtLessOften() {
        Bench b;
        b.run(1);
        b.now += 2 * kSecond;
        for (const int seconds : {10, 20, 40, 60, 60}) {
            QCOMPARE(b.due(), "1");
            b.monitor.noteUsage(b.asked, Bench::used(1, 0), b.now);
            b.now += seconds * kSecond - Duration{1};
            QCOMPARE(b.due(), "");
            b.now += Duration{1};
        }
    }

    void theLongestOverdueComeFirst() {
        Bench b;
        b.run(1);
        b.now += kSecond;
        b.run(2);
        b.now += 2 * kSecond;
        QCOMPARE(b.due(1), "1");
        QCOMPARE(b.due(1), "2");
    }

    void aSurgeMakesTheNextLookOneAtAll() {
        Bench b;
        b.run(1);
        b.monitor.lookAtAllNext();
        QCOMPARE(b.due(), "1");
        b.monitor.noteUsage(b.asked, Bench::used(1, 0), b.now);
        QCOMPARE(b.due(), "");
    }

    void whatEndedIsNotLookedAt() {
        Bench b;
        b.run(1).phase = Attempt::Phase::Collecting;
        b.now += 10 * kSecond;
        QCOMPARE(b.due(), "");
        QVERIFY(b.monitor.runningSince(b.now).empty());
        QCOMPARE(b.monitor.inFlight(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(TestAttemptMonitor)
#include "tst_attempt_monitor.moc"
