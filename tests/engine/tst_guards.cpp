// What looks after running actions: the memory guard, those that hang, and how long things take.
#include "core/base/files.h"
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/memory_guard.h"
#include "core/engine/running/progress.h"
#include "core/engine/state/estimator.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/settings_service.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace yard;
using namespace yard::test;

namespace {

void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

bool exists(const std::string& path) {
    return std::filesystem::exists(path);
}

} // namespace

class TestGuards : public QObject {
    Q_OBJECT

    std::atomic<int> percent_{50};

    std::function<void(engine::Options&)> withMemory() {
        return [this](engine::Options& options) {
            options.readMemory = [this] {
                return std::optional(engine::MemoryReading{
                    .usedPercent = double(percent_), .ofGroup = false, .stalledPercent = 12.0});
            };
        };
    }
    static engine::SessionView::Guard guardOf(EngineTest& engine) {
        return engine.run(engine->ask(&engine::Overview::session)).guard;
    }
    static ActionResult now(EngineTest& engine, Lsn lsn) {
        return *engine.run(engine->ask(&engine::ActionRows::action, lsn));
    }

private Q_SLOTS:
    void init() { percent_ = 50; }

    void nothingStartsWhileMemoryIsShort() {
        EngineTest engine(2, withMemory());
        const Lsn first = engine.sh("while [ ! -e go ]; do sleep 0.05; done");
        QVERIFY(EngineTest::eventually([&] { return now(engine, first).state == ActionState::Running; }));
        percent_ = 92;
        QVERIFY(EngineTest::eventually([&] { return guardOf(engine).holding; }));
        const Lsn second = engine.sh("true");
        const Why why = *engine.run(engine->ask(&engine::Reasons::why, second));
        QCOMPARE(why.waits.size(), 1u);
        QCOMPARE(why.waits[0].of, "memory");
        QCOMPARE(why.waits[0].message, "92 % of the machine's memory is in use, starting goes on below 88 % "
                                       "(it waits for memory 12 % of the time)");
        QCOMPARE(now(engine, second).state, ActionState::Pending);
        // It is held back also when nothing of ours runs any more; what runs is left alone below the second
        // threshold.
        write(engine.path("go"), "");
        QCOMPARE(ending(engine.wait(first)), "completed");
        QCOMPARE(now(engine, second).state, ActionState::Pending);
        percent_ = 89; // not far enough below the threshold to go on
        percent_ = 60;
        QCOMPARE(ending(engine.wait(second)), "completed");
        QCOMPARE(guardOf(engine).stopped, 0u);
        QVERIFY(!guardOf(engine).holding);
        const auto events = guardOf(engine).events;
        QVERIFY(events.size() >= 2);
        QCOMPARE(events[0].what, "hold");
        QCOMPARE(events[0].reason, "92 % of the machine's memory is in use, starting goes on below 88 % "
                                   "(it waits for memory 12 % of the time)");
        QCOMPARE(events[1].what, "go_on");
        QCOMPARE(events[1].reason, "60 % of the machine's memory is in use");
        QVERIFY(events[0].t > 0 && events[1].t > events[0].t);
    }

    void theFirstActionAfterAWhileWaitsForALookAtMemory() {
        percent_ = 92;
        EngineTest engine(2, withMemory());
        QVERIFY(!guardOf(engine).usedPercent); // nobody looks
        const Lsn first = engine.sh("true");
        QVERIFY(EngineTest::eventually([&] { return guardOf(engine).holding; }));
        QCOMPARE(guardOf(engine).usedPercent, std::optional(92.0));
        QCOMPARE(now(engine, first).state, ActionState::Pending);
        percent_ = 50;
        QCOMPARE(ending(engine.wait(first)), "completed");
        // A threshold that changes counts from the next start on, whatever was read before.
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"guard_hold_percent":1})")));
        const Lsn second = engine.sh("true");
        QVERIFY(EngineTest::eventually([&] { return guardOf(engine).holding; }));
        QCOMPARE(now(engine, second).state, ActionState::Pending);
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"guard_hold_percent":0})")));
        QCOMPARE(ending(engine.wait(second)), "completed");
    }

    void aLowThresholdHasSomethingBelowIt() {
        engine::MemoryGuard guard;
        Settings settings;
        settings.guardHold = 1;
        const MonoTime now(Duration(1));
        (void)guard.observe({.usedPercent = 50, .ofGroup = false, .stalledPercent = {}}, settings, now);
        QCOMPARE(guard.reason(), "50 % of the machine's memory is in use, starting goes on below 0.9 %");
        (void)guard.observe({.usedPercent = 0.5, .ofGroup = false, .stalledPercent = {}}, settings, now);
        QVERIFY(!guard.isHolding());
    }

    void theNewestIsStoppedAndRunsAgainWhenThereIsMemory() {
        EngineTest engine(2, withMemory());
        QVERIFY(engine.run(engine->ask(&engine::Queues::configure, *parseQueueRef("0"), R"({"max_retries":0})"))
                    .has_value());
        const Lsn older = engine.sh("touch older; while [ ! -e go ]; do sleep 0.05; done");
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("older")); }));
        const Lsn newer = engine.sh("[ -e newer ] && exit 0; touch newer; exec sleep 600");
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("newer")); }));
        percent_ = 97;
        QVERIFY(EngineTest::eventually([&] { return guardOf(engine).stopped > 0; }));
        const auto events = guardOf(engine).events;
        const auto stop = std::ranges::find(events, "stop", &engine::SessionView::Guard::Event::what);
        QVERIFY(stop != events.end());
        QCOMPARE(stop->lsn, newer);
        QCOMPARE(stop->reason, "stopped when 97 % of the machine's memory was in use");
        percent_ = 50;
        const ActionResult result = engine.wait(newer);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.attempts.size(), 2u);
        QCOMPARE(result.attempts[0].outcome.state, ActionState::Abandoned);
        QCOMPARE(result.attempts[0].outcome.reason, Reason::MemoryPressure);
        QCOMPARE(result.attempts[0].outcome.note, "stopped when 97 % of the machine's memory was in use");
        write(engine.path("go"), "");
        QCOMPARE(engine.wait(older).attempts.size(), 1u);
    }

    void theOneFurthestOverWhatItAskedForIsStopped() {
        EngineTest engine(3, withMemory());
        const auto taking = [&](int megabytes, int asked, const char* file) {
            return engine.sh(
                fmt::format("[ -e {2} ] && exit 0; exec python3 -c 'x=bytearray([1])*({0}<<20); import "
                            "pathlib,sys,time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)' {2}",
                            megabytes, asked, file),
                fmt::format(R"(,"resources":{{"cores":1,"memory_mb":{}}})", asked));
        };
        const Lsn modest = taking(200, 300, "modest");
        const Lsn over = taking(250, 50, "over");
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("over")); }));
        const Lsn newest = taking(100, 90, "newest"); // a little more than it asked for
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("newest")); }));
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("modest")); }));
        percent_ = 97;
        QVERIFY(EngineTest::eventually([&] { return guardOf(engine).stopped > 0; }));
        percent_ = 50;
        const auto events = guardOf(engine).events;
        const auto stop = std::ranges::find(events, "stop", &engine::SessionView::Guard::Event::what);
        QVERIFY(stop != events.end());
        QCOMPARE(stop->lsn, over);
        QVERIFY2(stop->reason.starts_with("stopped when 97 % of the machine's memory was in use: it had 2"),
                 stop->reason.c_str());
        QVERIFY2(stop->reason.ends_with(" MiB and asked for 50"), stop->reason.c_str());
        QCOMPARE(ending(engine.wait(over)), "completed");
        for (const Lsn lsn : {modest, newest}) QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)));
    }

    void thresholdsOfZeroAreOff() {
        engine::MemoryGuard guard;
        Settings settings;
        settings.guardHold = settings.guardStop = 0;
        QVERIFY(!guard.observe({.usedPercent = 100, .ofGroup = false, .stalledPercent = {}}, settings,
                               MonoTime(Duration(1))));
        QVERIFY(!guard.isHolding());
    }

    void oneIsStoppedAtATimeAndTheNextOneAWhileLater() {
        engine::MemoryGuard guard;
        const Settings settings;
        const engine::MemoryReading full{.usedPercent = 96, .ofGroup = false, .stalledPercent = {}};
        const MonoTime start(std::chrono::seconds(100));
        QVERIFY(guard.observe(full, settings, start));
        QVERIFY(!guard.observe(full, settings, start + std::chrono::seconds(1)));
        QVERIFY(guard.observe(full, settings, start + std::chrono::seconds(5)));
        QVERIFY(!guard.observe({.usedPercent = 89, .ofGroup = false, .stalledPercent = {}}, settings,
                               start + std::chrono::seconds(20)));
        QVERIFY(guard.isHolding());
        QVERIFY(!guard.observe({.usedPercent = 87, .ofGroup = false, .stalledPercent = {}}, settings,
                               start + std::chrono::seconds(21)));
        QVERIFY(!guard.isHolding());
    }

    void memoryIsReadFromWhatTheKernelSays() {
        const QTemporaryDir dir;
        const std::string root = dir.path().toStdString() + "/";
        QVERIFY(!engine::readMemory(root));
        write(root + "proc/meminfo", "MemTotal:       1000 kB\nMemFree:   1 kB\n");
        QVERIFY(!engine::readMemory(root));
        write(root + "proc/meminfo", "MemTotal:       1000 kB\nMemFree:   1 kB\nMemAvailable:    250 kB\n");
        QCOMPARE(engine::readMemory(root)->usedPercent, 75.0);
        QVERIFY(!engine::readMemory(root)->stalledPercent);
        write(root + "proc/pressure/memory", "some avg10=9.00 avg60=0\nfull avg10=3.50 avg60=0.00\n");
        QCOMPARE(*engine::readMemory(root)->stalledPercent, 3.5);
        QVERIFY(engine::readMemory().has_value());
    }

    /// Of machine and control groups the fullest counts; what the kernel would give up at once is not in use.
    void theFullestControlGroupCounts_data() {
        QTest::addColumn<QByteArray>("groups");
        QTest::addColumn<QByteArray>("directory");
        QTest::addColumn<QByteArray>("names");
        QTest::addColumn<double>("used");
        const QByteArray two = "memory.max memory.current inactive_file";
        const QByteArray one = "memory.limit_in_bytes memory.usage_in_bytes total_inactive_file";
        QTest::newRow("version 2, our own") << QByteArray("0::/a/b\n") << QByteArray("a/b/") << two << 90.0;
        QTest::newRow("version 2, one above") << QByteArray("0::/a/b\n") << QByteArray("a/") << two << 90.0;
        QTest::newRow("version 2, in a namespace") << QByteArray("0::/\n") << QByteArray("") << two << 90.0;
        QTest::newRow("version 2, another's") << QByteArray("0::/a/b\n") << QByteArray("c/") << two << 75.0;
        QTest::newRow("version 1") << QByteArray("3:cpu:/x\n7:hugetlb,memory:/a\n0::/\n") << QByteArray("memory/a/")
                                   << one << 90.0;
        QTest::newRow("version 1, the root")
            << QByteArray("7:memory:/a/b\n") << QByteArray("memory/") << one << 90.0;
        QTest::newRow("version 1, of another controller")
            << QByteArray("7:cpu:/a\n") << QByteArray("memory/a/") << one << 75.0;
        QTest::newRow("nonsense") << QByteArray("nonsense\n7:\n") << QByteArray("a/") << two << 75.0;
    }
    void theFullestControlGroupCounts() {
        QFETCH(QByteArray, groups);
        QFETCH(QByteArray, directory);
        QFETCH(QByteArray, names);
        QFETCH(double, used);
        const QTemporaryDir dir;
        const std::string root = dir.path().toStdString() + "/";
        const std::string group = root + "sys/fs/cgroup/" + directory.toStdString();
        const QList<QByteArray> name = names.split(' ');
        write(root + "proc/meminfo", "MemTotal:       1000 kB\nMemAvailable:    250 kB\n");
        write(root + "proc/self/cgroup", groups.toStdString());
        write(group + name[0].toStdString(), "1000\n");
        write(group + name[1].toStdString(), "950\n");
        write(group + "memory.stat", "anon 7\n" + name[2].toStdString() + " 50\n");
        QCOMPARE(engine::readMemory(root)->usedPercent, used);
        QCOMPARE(engine::readMemory(root)->ofGroup, used == 90.0);
        for (const char* none : {"max\n", "9223372036854771712\n", "0\n", ""}) {
            write(group + name[0].toStdString(), none);
            QCOMPARE(engine::readMemory(root)->usedPercent, 75.0);
        }
        write(group + name[0].toStdString(), "10000\n"); // less full than the machine
        QCOMPARE(engine::readMemory(root)->usedPercent, 75.0);
    }

    void theReasonSaysWhoseMemoryItIs() {
        engine::MemoryGuard guard;
        const Settings settings;
        guard.observe({.usedPercent = 94, .ofGroup = true, .stalledPercent = {}}, settings, MonoTime(Duration(1)));
        QCOMPARE(guard.reason(),
                 std::string("94 % of the memory that its control group may use is in use, starting "
                             "goes on below 88 %"));
    }

    void whatHasNoOutputAndNoProcessorTimeHangs() {
        EngineTest engine(2, [](engine::Options& options) { options.set = {"hung_s=1"}; });
        QCOMPARE(::mkfifo(engine.path("fifo").c_str(), 0600), 0);
        const Lsn hangs = engine.sh("echo begun; read line <fifo");
        const Lsn works = engine.sh("while [ ! -e stop ]; do :; done");
        QVERIFY(EngineTest::eventually([&] { return now(engine, hangs).hungSince != 0; }));
        const ActionResult seen = now(engine, hangs);
        QCOMPARE(seen.state, ActionState::Running);
        QCOMPARE(seen.note, "no output and no processor time for a while");
        QVERIFY(toJson(seen).find("\"hung_since\":") != std::string::npos);
        QCOMPARE(engine.run(engine->ask(&engine::Overview::metrics)).hung, 1u);
        QCOMPARE(now(engine, works).hungSince, 0);
        for (const bool live : {true, false}) { // all states, and none that runs
            engine::ListQuery silent;
            silent.filter = *parseFilter("silent>=1", wallNow());
            if (!live) silent.states = {ActionState::Completed, ActionState::Pending};
            const auto listed = engine.run(engine->ask(&engine::Listing::list, silent));
            QVERIFY(listed.has_value());
            QCOMPARE(listed->jobs.size(), live ? 1u : 0u);
            if (live) QCOMPARE(listed->jobs.front().lsn, hangs);
        }
        engine::ListQuery bySilence;
        bySilence.sort = *parseSort("hung_since");
        auto sorted = engine.run(engine->ask(&engine::Listing::list, bySilence));
        while (sorted && sorted->jobs.empty() && !sorted->cursor.empty()) {
            bySilence.cursor = sorted->cursor;
            sorted = engine.run(engine->ask(&engine::Listing::list, bySilence));
        }
        QCOMPARE(sorted->jobs.front().lsn, hangs);
        write(engine.path("stop"), "");
        std::ofstream(engine.path("fifo")) << "go on\n";
        const ActionResult result = engine.wait(hangs);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.hungSince, 0);
        QCOMPARE(engine.text(result.outcome->out), "begun\n"); // also though it was watched meanwhile
        QCOMPARE(ending(engine.wait(works)), "completed");
    }

    /// The limit that was set first would have been waited for, a quarter of it at a time.
    void aNewLimitOfSilenceCountsAtOnce() {
        EngineTest engine(1, [](engine::Options& options) { options.set = {"hung_s=3600"}; });
        const Lsn hangs = engine.sh("exec sleep 600");
        QVERIFY(EngineTest::eventually([&] { return now(engine, hangs).state == ActionState::Running; }));
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"hung_s":1})")).has_value());
        QVERIFY(EngineTest::eventually([&] { return now(engine, hangs).hungSince != 0; }));
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"hung_s":3600})")).has_value());
        QVERIFY(EngineTest::eventually([&] { return now(engine, hangs).hungSince == 0; }));
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"hung_s":1})")).has_value());
        QVERIFY(EngineTest::eventually([&] { return now(engine, hangs).hungSince != 0; }));
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"hung_s":0})")).has_value());
        QVERIFY(EngineTest::eventually([&] { return now(engine, hangs).hungSince == 0; }));
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, hangs)));
    }

    /// Output alone: what it takes to write a line now and then is below what the kernel counts.
    void whatWritesNowAndThenDoesNotHang() {
        // A line comes from the test to the engine within that time, on a busy machine as well.
        EngineTest engine(2, [](engine::Options& options) { options.set = {"hung_s=3"}; });
        QCOMPARE(::mkfifo(engine.path("fifo").c_str(), 0600), 0);
        const Lsn writes = engine.sh("exec 3<fifo; while read line <&3; do echo $line; done");
        std::ofstream fifo(engine.path("fifo"));
        const Lsn silent = engine.sh("exec sleep 600"); // begins later: it would be the last to be found
        QVERIFY(EngineTest::eventually([&] {
            fifo << "on" << std::endl;
            return now(engine, silent).hungSince != 0;
        }));
        QCOMPARE(now(engine, writes).hungSince, 0);
        // Once it writes no more, it hangs like any other.
        QVERIFY(EngineTest::eventually([&] { return now(engine, writes).hungSince != 0; }));
        fifo << "again" << std::endl;
        QVERIFY(EngineTest::eventually([&] { return now(engine, writes).hungSince == 0; }));
        fifo.close();
        QCOMPARE(ending(engine.wait(writes)), "completed");
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, silent)));
    }

    void aTreesProcessorTimeIsThatOfItsSessionAndItsDescendants() {
        const QTemporaryDir dir;
        const std::string root = dir.path().toStdString() + "/";
        // state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime cutime cstime priority
        // nice threads - start
        write(root + "proc/10/stat", "10 (a) b) S 1 10 10 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 7\n");
        write(root + "proc/11/stat", "11 (child) S 10 10 10 0 -1 0 0 0 0 0 10 0 0 0 20 0 1 0 7\n");
        write(root + "proc/12/stat", "12 (own session) S 11 12 12 0 -1 0 0 0 0 0 100 0 0 0 20 0 1 0 7\n");
        write(root + "proc/13/stat", "13 (other) S 1 13 13 0 -1 0 0 0 0 0 1000 0 0 0 20 0 1 0 7\n");
        write(root + "proc/14/stat", "14 nonsense");
        write(root + "proc/self/stat", "13 (other) S 1 13 10 0 -1 0 0 0 0 0 1000 0 0 0 20 0 1 0 7\n");
        const auto times = engine::processorTimes({{.pid = 10}, {.pid = 99}}, {}, root);
        QCOMPARE(times.size(), 1u);
        QCOMPARE(times.at(10), 120 * (1'000'000 / ::sysconf(_SC_CLK_TCK)));
    }

    void estimatesComeFromWhatWasSeenHere() {
        EngineTest engine(1);
        const std::string render = R"(,"label":"render")";
        const Lsn first = engine.sh("while [ ! -e go ]; do sleep 0.02; done", render);
        QVERIFY(EngineTest::eventually([&] { return now(engine, first).state == ActionState::Running; }));
        QCOMPARE(now(engine, first).estimatedFinish, 0); // never seen
        write(engine.path("go"), "");
        engine.wait(first);
        std::filesystem::remove(engine.path("go"));

        const auto check = [&] {
            const Lsn runs = engine.sh("while [ ! -e go ]; do sleep 0.02; done", render);
            const Lsn waits = engine.sh("true", render);
            const Lsn held = engine.sh("true", render + R"(,"hold":true)");
            const auto isRunning = [&] {
                const ActionResult seen = now(engine, runs);
                return seen.state == ActionState::Running && seen.estimatedFinish != 0;
            };
            if (!EngineTest::eventually(isRunning)) return std::string("no estimate");
            const ActionResult running = now(engine, runs);
            const ActionResult pending = now(engine, waits);
            std::string wrong;
            if (running.estimatedStart != running.times[ActionState::Submitting]) wrong += "running starts, ";
            if (running.estimatedFinish <= running.estimatedStart) wrong += "running ends, ";
            if (pending.estimatedStart == 0) wrong += "pending starts, ";
            if (pending.estimatedFinish <= pending.estimatedStart) wrong += "pending ends, ";
            if (now(engine, held).estimatedStart != 0) wrong += "held starts, ";
            write(engine.path("go"), "");
            engine.wait(waits);
            std::filesystem::remove(engine.path("go"));
            if (now(engine, waits).estimatedFinish != 0) wrong += "ended ends, ";
            return wrong;
        };
        QCOMPARE(check(), std::string());
        QCOMPARE(engine.run(engine->ask(&engine::Queues::get, *parseQueueRef("0")))->estimatedFinish,
                 0); // the held one is left
        engine.stop();
        engine.start();
        QCOMPARE(check(), std::string()); // also after a restart
    }

    void aMeanFollowsWhatChanges() {
        engine::Estimator estimator;
        const std::string kind = engine::Estimator::kindOf("thumbs", "scale", "any");
        QCOMPARE(kind, engine::Estimator::kindOf("thumbs", "scale", "other"));
        QVERIFY(kind != engine::Estimator::kindOf("exec", "", "scale"));
        QVERIFY(!estimator.mean(kind));
        estimator.learn(kind, Duration(100));
        QCOMPARE(estimator.mean(kind)->count(), 100);
        estimator.learn(kind, Duration(300));
        QCOMPARE(estimator.mean(kind)->count(), 200);
        estimator.learn(kind, Duration(-1));
        for (int i = 0; i < 100; ++i) estimator.learn(kind, Duration(1'000'000));
        QVERIFY(estimator.mean(kind)->count() > 990'000);
    }

    void theKindsNotHeardOfForLongestAreForgotten() {
        engine::Estimator estimator;
        for (std::size_t i = 0; i <= engine::Estimator::kMostKinds; ++i)
            estimator.learn(std::to_string(i), Duration(1));
        QVERIFY(estimator.kinds() <= engine::Estimator::kMostKinds);
        QVERIFY(!estimator.mean("0"));
        QVERIFY(estimator.mean(std::to_string(engine::Estimator::kMostKinds)).has_value());
    }

    void whatIsAlikeIsOfOneQueueFirst() {
        engine::Estimator estimator;
        const std::string kind = engine::Estimator::kindOf("exec", "", "compile");
        estimator.learn(QueueId(1), kind, Duration(100));
        estimator.learn(QueueId(2), kind, Duration(300));
        QCOMPARE(estimator.usual(QueueId(1), kind)->count(), 100);
        QCOMPARE(estimator.usual(QueueId(3), kind)->count(), 200);
        // Commands without a label are alike in nothing but their queue.
        const std::string nothing = engine::Estimator::kindOf("exec", "", "");
        estimator.learn(QueueId(1), nothing, Duration(700));
        QCOMPARE(estimator.usual(QueueId(1), nothing)->count(), 700);
        QVERIFY(!estimator.usual(QueueId(2), nothing));
    }

    void whatRunsLongerThanItsKindIsLate() {
        const Duration second(1'000'000);
        QVERIFY(!engine::isOverdue(10 * second, 9 * second));
        QVERIFY(engine::isOverdue(10 * second, 10 * second));
        QVERIFY(!engine::isOverdue(second / 100, second / 10)); // a look at it takes as long
        QVERIFY(!engine::isFarOverdue(10 * second, 90 * second));
        QVERIFY(engine::isFarOverdue(10 * second, 101 * second));
        QVERIFY(!engine::isFarOverdue(second, 59 * second));
        QCOMPARE(engine::stillTakes(8 * second, 3 * second), 5 * second);
        QCOMPARE(engine::stillTakes(8 * second, 20 * second), 2 * second);
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    TestGuards test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_guards.moc"
