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
                         runners::Stream) { note(watched, std::to_string(attempt.id.lsn.value)); },
         .gpus = [this] { return gpus; }}};
    std::vector<GpuView> gpus;

    /// That it was given.
    static void give(Attempt& attempt, std::string index) {
        attempt.given = {{.resource = "gpus", .names = {std::move(index)}}};
    }
    /// Of which processes have so many MiB.
    static GpuView gpu(std::string index, double percent, std::vector<std::pair<int, std::int64_t>> processes) {
        GpuView view;
        view.at = MonoTime::max();
        view.gpu.index = std::move(index);
        view.figures.utilisationPercent = percent;
        view.figures.processes.emplace();
        for (const auto& [pid, mib] : processes)
            view.figures.processes->push_back({.pid = pid, .memoryBytes = mib * kMiB});
        return view;
    }

    /// Whose driver lists no processes.
    static GpuView gpuWithoutList(host::GpuMaker maker) {
        GpuView view = gpu("0", 90, {});
        view.gpu.maker = maker;
        view.gpu.pci = "0000:03:00.0";
        view.figures.processes.reset();
        return view;
    }

    /// One that runs since now, of a class that asks for so much memory. Its first process has its LSN.
    Attempt& run(std::int64_t lsn, std::int64_t memoryMb = 0, std::int64_t gpuMemoryMb = 0) {
        ClassKey key;
        key.workerId = "w";
        key.resources.memoryMb = memoryMb;
        key.resources.gpuMemoryMb = gpuMemoryMb;
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

    void whatTakesTooMuchOnAnotherMachineIsEndedFromHere() {
        Bench b;
        b.run(1).memoryLimit = 10 * kMiB;
        b.attempts.get({Lsn(1), 1})->pid = 0; // one of that machine says nothing here
        b.run(2).pid = 0;
        const auto tells = [&b](int lsn, std::int64_t bytes) {
            b.now += kSecond;
            b.monitor.noteElsewhere({Lsn(lsn), 1}, std::nullopt, static_cast<std::uint64_t>(bytes), b.now);
        };
        tells(1, 10 * kMiB);
        tells(2, 99 * kMiB);
        QCOMPARE(b.told, "");
        tells(1, 11 * kMiB);
        QCOMPARE(b.told, "1 now");
        QVERIFY(b.attempts.get({Lsn(1), 1})->isOverMemory);
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

    // --- GPUs

    void ofItsGpusItHasUtilisationAndItsOwnMemory() {
        Bench b;
        Bench::give(b.run(1, 0, 100), "1");
        b.run(2);
        b.gpus = {Bench::gpu("0", 90, {{1, 500}}), Bench::gpu("1", 25.5, {{1, 40}, {7, 20}, {8, 1'000}})};
        b.now += 10 * kSecond;
        (void)b.due();
        QCOMPARE(b.asked.size(), std::size_t{2});
        for (const UsageQuestion& question : b.asked)
            QCOMPARE(question.leader.namesMembers, question.id.lsn == Lsn(1));
        AttemptMonitor::Trees trees;
        trees[1].members = {1, 7};
        trees[2].members = {2};
        b.monitor.noteUsage(b.asked, trees, b.now);
        const UsageSample& sample = b.attempts.get({Lsn(1), 1})->usage->series.all().back();
        QCOMPARE(sample.gpuPercent, std::optional(25.5f));
        QCOMPARE(sample.gpuMemoryBytes, std::optional(60 * kMiB));
        const UsageSample& without = b.attempts.get({Lsn(2), 1})->usage->series.all().back();
        QVERIFY(!without.gpuPercent && !without.gpuMemoryBytes);
        QCOMPARE(b.told, "");
        b.now += 5 * kSecond; // it may be busy there alone: it is not looked at less often
        QCOMPARE(b.due(), "1");
    }

    void whoHasMoreOfAGpuThanItAskedForIsEnded() {
        Bench b;
        Bench::give(b.run(1, 0, 100), "0");
        Bench::give(b.run(2), "0"); // it asked for none: whatever it takes
        b.gpus = {Bench::gpu("0", 0, {{1, 101}, {2, 5'000}})};
        b.now += 10 * kSecond;
        (void)b.due();
        AttemptMonitor::Trees trees;
        trees[1].members = {1};
        trees[2].members = {2};
        b.monitor.noteUsage(b.asked, trees, b.now);
        QCOMPARE(b.told, "1 now");
        QCOMPARE(b.attempts.get({Lsn(1), 1})->overGpuMemory,
                 "its processes had 101 MiB of GPU 0, and it asked for 100; it was ended");
    }

    void ofOtherMakersItsDevicesTellWhatItHas() {
        Bench b;
        Bench::give(b.run(1, 0, 100), "0");
        const GpuView view = Bench::gpuWithoutList(host::GpuMaker::Amd);
        b.gpus = {view};
        AttemptMonitor::Trees trees;
        trees[1].members = {1};
        trees[1].gpus.emplace(); // it has none open yet
        const auto lookAfter = [&b, &trees](Duration span) -> const UsageSample& {
            b.now += span;
            (void)b.due();
            b.monitor.noteUsage(b.asked, trees, b.now);
            return b.attempts.get({Lsn(1), 1})->usage->series.all().back();
        };
        const UsageSample& first = lookAfter(10 * kSecond);
        QCOMPARE(first.gpuPercent, std::optional(90.0f)); // as the GPU
        QCOMPARE(first.gpuMemoryBytes, std::optional<std::int64_t>(0));
        (*trees[1].gpus)[view.gpu.pci] = {.memoryBytes = 60 * kMiB, .engines = {{"gfx", {.used = 2'500'000'000}}}};
        const UsageSample& second = lookAfter(10 * kSecond);
        QCOMPARE(second.gpuPercent, std::optional(25.0f)); // its own part
        QCOMPARE(second.gpuMemoryBytes, std::optional(60 * kMiB));
        QCOMPARE(b.told, "");
        (*trees[1].gpus)[view.gpu.pci].memoryBytes = 101 * kMiB;
        QCOMPARE(lookAfter(10 * kSecond).gpuPercent, std::optional(0.0f));
        QCOMPARE(b.told, "1 now");
    }

    void whoseDescriptorsMayNotBeSeenHasWhatTheGpuSays() {
        Bench b;
        Bench::give(b.run(1, 0, 100), "0");
        const GpuView view = Bench::gpuWithoutList(host::GpuMaker::Intel);
        b.gpus = {view};
        b.now += 10 * kSecond;
        (void)b.due();
        AttemptMonitor::Trees trees;
        trees[1].members = {1};
        b.monitor.noteUsage(b.asked, trees, b.now);
        const UsageSample& sample = b.attempts.get({Lsn(1), 1})->usage->series.all().back();
        QCOMPARE(sample.gpuPercent, std::optional(90.0f));
        QVERIFY(!sample.gpuMemoryBytes);
    }

    void whatWasSeenOfAGpuBeforeItsStartIsOfSomebodyElse() {
        Bench b;
        Bench::give(b.run(1, 0, 100), "0");
        b.gpus = {Bench::gpu("0", 90, {{1, 101}})};
        b.gpus.front().at = b.now - Duration{1};
        b.now += 2 * kSecond;
        (void)b.due();
        AttemptMonitor::Trees trees;
        trees[1].members = {1};
        b.monitor.noteUsage(b.asked, trees, b.now);
        const UsageSample& sample = b.attempts.get({Lsn(1), 1})->usage->series.all().back();
        QVERIFY(!sample.gpuPercent && !sample.gpuMemoryBytes);
        QCOMPARE(b.told, "");
    }

    void whatRunsWithALostGpuIsEndedAndWhatDoesNotRunYetIsNotBegun() {
        Bench b;
        Bench::give(b.run(1), "0");
        Bench::give(b.run(2), "1");
        Attempt& prepared = b.run(3);
        Bench::give(prepared, "0");
        prepared.phase = Attempt::Phase::Preparing;
        prepared.pid = 0;
        Attempt& over = b.run(4);
        Bench::give(over, "0");
        over.phase = Attempt::Phase::Collecting;
        Attempt& served = b.run(5); // by a warm process, which is not its own
        Bench::give(served, "0");
        served.warm = true;
        served.pid = 0;
        Attempt& ahead = b.run(6);
        Bench::give(ahead, "0");
        ahead.warm = true;
        ahead.pid = 0;
        ahead.runningSince = MonoTime{};
        b.monitor.stopForGpu("0", "it has fallen off the bus");
        QVERIFY(b.told == "1 gently 5 gently" || b.told == "5 gently 1 gently");
        QVERIFY(b.attempts.get({Lsn(6), 1})->isBeingEnded());
        QCOMPARE(b.attempts.get({Lsn(1), 1})->lostGpu, "GPU 0 was lost: it has fallen off the bus");
        QVERIFY(b.attempts.get({Lsn(3), 1})->isBeingEnded());
        QVERIFY(!b.attempts.get({Lsn(2), 1})->isBeingEnded() && !b.attempts.get({Lsn(4), 1})->isBeingEnded());
    }

    void samplesWithFiguresOfGpusAreReadAgain() {
        const std::vector<UsageSample> plain = {{.t = 5, .cpuPercent = 1, .rssBytes = 7}};
        QCOMPARE(encodeUsage(plain).size(), std::size_t{20});
        QVERIFY(decodeUsage(encodeUsage(plain)) == plain);
        std::vector<UsageSample> samples = plain;
        samples.push_back({.t = 6, .cpuPercent = 2, .rssBytes = 8, .gpuPercent = 0.5f});
        samples.push_back({.t = 7, .cpuPercent = 2, .rssBytes = 8, .gpuMemoryBytes = 9});
        QVERIFY(decodeUsage(encodeUsage(samples)) == samples);
        QVERIFY(decodeUsage("\x02 garbage").empty());
        UsageSeries series(1);
        for (int i = 1; i <= 1'000; ++i)
            series.add({.t = 1 + i, .cpuPercent = 0, .rssBytes = 0, .gpuPercent = 50, .gpuMemoryBytes = i});
        QVERIFY(series.all().size() <= UsageSeries::kMost);
        QCOMPARE(series.all().front().gpuPercent, std::optional(50.0f));
        QCOMPARE(series.all().back().gpuMemoryBytes, std::optional<std::int64_t>(1'000));
    }
};

QTEST_GUILESS_MAIN(TestAttemptMonitor)
#include "tst_attempt_monitor.moc"
