// Retention as the engine carries it out: what is kept, when a pass comes by itself, and what is left alone.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/running/retention.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/settings_service.h"
#include "core/launcher/launcher.h"
#include "tests/base/in_mount_namespace.h"
#include "tests/engine/engine_test.h"

using namespace yard;
using namespace yard::test;

namespace {

/// Nothing is too young to go.
void keepNothingForItsYouth(engine::Options& options) {
    options.retentionYoungest = Duration::zero();
    options.set = {"chunk_grace_s=1", "keep_disk_percent=0"};
}

} // namespace

class TestRetention : public QObject {
    Q_OBJECT

    static std::vector<Lsn> runMany(EngineTest& engine, int count) {
        std::vector<Lsn> lsns;
        for (int i = 0; i < count; ++i) lsns.push_back(engine.sh("echo output of $YARD_LSN"));
        for (const Lsn lsn : lsns)
            if (ending(engine.wait(lsn)) != "completed") qFatal("it should have been completed");
        return lsns;
    }
    static bool isThere(EngineTest& engine, Lsn lsn) {
        return engine.run(engine->ask(&engine::ActionRows::action, lsn)).has_value();
    }
    static void set(EngineTest& engine, const std::string& json) {
        const auto done = engine.run(engine->ask(&engine::SettingsService::change, json));
        if (!done) qFatal("%s", done.error().message.c_str());
    }
    static engine::GcReport gc(EngineTest& engine, bool dryRun = false) {
        auto report = engine.run(engine->ask(&engine::Retention::pass, dryRun));
        if (!report) qFatal("%s", report.error().message.c_str());
        return std::move(*report);
    }

private Q_SLOTS:
    void aDryRunSaysWhatWouldGoAndNothingGoes() {
        EngineTest engine(2, [](engine::Options& options) {
            keepNothingForItsYouth(options);
            options.retentionYoungest = Duration(1); // changeSettings() begins a pass of its own: not yet
            options.set.push_back("keep_actions=4");
        });
        const auto lsns = runMany(engine, 10);
        QVERIFY(EngineTest::eventually([&] { return gc(engine, true).chunks == 6; }));
        const engine::GcReport report = gc(engine, true);
        QVERIFY(report.dryRun);
        QCOMPARE(report.byCount, 6);
        QCOMPARE(report.byAge, 0);
        QCOMPARE(report.actionsKept, 10);
        for (const Lsn lsn : lsns) QVERIFY(isThere(engine, lsn));
        QCOMPARE(engine.text(engine.wait(lsns[0]).outcome->out), "output of 1\n");
    }

    void theOldestOfTooManyGoWithTheirOutput() {
        EngineTest engine(2, keepNothingForItsYouth);
        const auto lsns = runMany(engine, 10);
        const ChunkRef first = *engine.wait(lsns[0]).outcome->out;
        const ChunkRef last = *engine.wait(lsns[9]).outcome->out;
        set(engine, R"({"keep_actions":4})");
        // The pass comes by itself; chunks go once they are not recent any more.
        QVERIFY(EngineTest::eventually([&] { return !isThere(engine, lsns[5]); }));
        for (int i = 0; i < 10; ++i) QCOMPARE(isThere(engine, lsns[static_cast<std::size_t>(i)]), i >= 6);
        QVERIFY(EngineTest::eventually([&] { return gc(engine).chunksRecent == 0; }));
        QVERIFY(engine.text(first).starts_with("("));
        QCOMPARE(engine.text(last), "output of 10\n");
        // Counters count what was, and what is kept outlives a restart.
        QCOMPARE(engine.run(engine->ask(&engine::Queues::get, *parseQueueRef("0")))->counters.completed, 10);
        engine.stop();
        engine.start();
        QVERIFY(isThere(engine, lsns[9]));
        QVERIFY(!isThere(engine, lsns[0]));
        QCOMPARE(engine.text(last), "output of 10\n");
    }

    /// A change of settings begins a pass; what it does not see yet is for the one after the pause.
    void theNextPassComesAsSoonAsTheSettingSays() {
        EngineTest engine(2, keepNothingForItsYouth);
        const auto lsns = runMany(engine, 3);
        set(engine, R"({"keep_actions":2,"cleanup_every_s":1})");
        QVERIFY(EngineTest::eventually([&] { return !isThere(engine, lsns[0]); }));
        const Lsn newest = runMany(engine, 1).front();
        QVERIFY(EngineTest::eventually([&] { return !isThere(engine, lsns[1]); }));
        QVERIFY(isThere(engine, newest));
    }

    /// A pass that began with the limit in force must not end with "0" read as a limit.
    void aLimitThatIsLiftedWhileAPassGoesByItTakesNothing() {
        EngineTest engine(2, keepNothingForItsYouth);
        const auto lsns = runMany(engine, 5);
        for (int i = 0; i < 40; ++i) {
            set(engine, R"({"keep_disk_percent":20})"); // of a disk that is far larger
            set(engine, R"({"keep_disk_percent":0})");
        }
        QCOMPARE(gc(engine).bySize, 0);
        for (const Lsn lsn : lsns) QVERIFY(isThere(engine, lsn));
    }

    void whatEndedJustNowIsLeftAlone() {
        EngineTest engine(2, [](engine::Options& options) { options.set = {"keep_actions=1"}; });
        const auto lsns = runMany(engine, 3);
        QCOMPARE(gc(engine).byCount, 0);
        QVERIFY(isThere(engine, lsns[0]));
    }

    void thePendingAndTheRunningStayWithAllTheyNeed() {
        EngineTest engine(1, keepNothingForItsYouth);
        const auto put = engine->chunks().putSmall("an input");
        QVERIFY(put.has_value());
        const Lsn held = engine.submit(
            fmt::format(R"({{"worker":"exec","argv":["/bin/cat","inputs/a"],"inputs":{{"a":"{}"}},"hold":true}})",
                        put->hash.hex()));
        const auto orphan = engine->chunks().putSmall("nobody's");
        const Lsn fails = engine.sh("exit 1");
        set(engine, R"({"keep_actions":1})");
        QVERIFY(
            EngineTest::eventually([&] { return engine.text(*orphan).starts_with("(") || (gc(engine), false); }));
        QVERIFY(engine.run(engine->ask(&engine::Operations::release, held)).has_value());
        const ActionResult result = engine.wait(held);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(engine.text(result.outcome->out), "an input");
        QCOMPARE(engine.wait(fails).attempts.size(), 4u);
    }

    void moreThanItsShareOfTheDiskTakesTheOldestAway() {
        QTemporaryDir mountPoint;
        YARD_IN_MOUNT_NAMESPACE(mountPoint.path(), "mount -t tmpfs -o size=100m none \"$YARD_TEST_MOUNTED\"")
        EngineTest engine(2, [](engine::Options& options) {
            keepNothingForItsYouth(options);
            options.dataDir = qEnvironmentVariable(kMountedVariable).toStdString() + "/data";
            options.set = {"chunk_grace_s=1", "keep_disk_percent=10"};
        });
        std::vector<Lsn> lsns;
        for (int i = 0; i < 60; ++i) lsns.push_back(engine.sh("head -c 400000 /dev/urandom"));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
        engine::GcReport report;
        QVERIFY(EngineTest::eventually([&] {
            report = gc(engine);
            return report.usedBytes <= report.limitBytes;
        }));
        QVERIFY(!isThere(engine, lsns.front()));
        // It stops there: what is below the limit is kept, and can be read.
        QVERIFY(report.usedBytes > report.limitBytes / 3);
        QVERIFY(isThere(engine, lsns.back()));
        QCOMPARE(engine.text(engine.wait(lsns.back()).outcome->out).size(), 400'000u);
        QCOMPARE(gc(engine).bySize, 0);
    }

    void aDiskThatIsFullKeepsNoEngineFromStartingAndClearingUp() {
        QTemporaryDir mountPoint;
        YARD_IN_MOUNT_NAMESPACE(mountPoint.path(), "mount -t tmpfs -o size=256m none \"$YARD_TEST_MOUNTED\"")
        const std::string disk = qEnvironmentVariable(kMountedVariable).toStdString();
        EngineTest engine(2, [&](engine::Options& options) {
            keepNothingForItsYouth(options);
            options.dataDir = disk + "/data";
            options.set.push_back("keep_actions=4");
        });
        const auto fourMore = [&] {
            for (int i = 0; i < 4; ++i)
                QCOMPARE(ending(engine.wait(engine.sh("head -c 9000000 /dev/urandom"))), "completed");
        };
        fourMore();
        const auto isReserved = [&] { return QFile::exists(QString::fromStdString(disk + "/data/reserve")); };
        (void)gc(engine);
        QVERIFY(isReserved());
        const auto fill = [&] {
            QFile file(QString::fromStdString(disk + "/filler"));
            QVERIFY(file.open(QIODevice::Append | QIODevice::Unbuffered));
            for (qsizetype size = 1 << 20; size >= 512; size /= 2)
                while (file.write(QByteArray(size, 'f')) == size) {
                }
        };
        // While it runs.
        fourMore();
        fill();
        const std::string large =
            fmt::format(R"({{"worker":"exec","argv":["true","{}"]}})", std::string(60'000, 'x'));
        QVERIFY(EngineTest::eventually([&] { return !engine.trySubmit(large); }));
        QVERIFY(isReserved());
        QVERIFY(EngineTest::eventually(
            [&] { return engine.run(engine->ask(&engine::Retention::pass, false)).has_value(); }));
        QVERIFY(!isReserved());
        QVERIFY(QFile::remove(QString::fromStdString(disk + "/filler")));
        QVERIFY(EngineTest::eventually(
            [&] { return engine.run(engine->ask(&engine::Retention::pass, false)).has_value() && isReserved(); }));
        // At its start.
        fourMore();
        engine.stop();
        fill();
        engine.start();
        QVERIFY(!isReserved());
        QVERIFY(EngineTest::eventually([&] { return gc(engine).actionsKept == 4; }));
        QCOMPARE(ending(engine.wait(engine.sh("echo goes on"))), "completed");
    }

    void aSparseOutputCountsByWhatItTakesOfTheDisk() {
        QTemporaryDir mountPoint;
        YARD_IN_MOUNT_NAMESPACE(mountPoint.path(), "mount -t tmpfs -o size=100m none \"$YARD_TEST_MOUNTED\"")
        EngineTest engine(2, [](engine::Options& options) {
            keepNothingForItsYouth(options);
            options.dataDir = qEnvironmentVariable(kMountedVariable).toStdString() + "/data";
            options.set = {"chunk_grace_s=1", "keep_disk_percent=10"};
        });
        const Lsn small = engine.sh("echo kept");
        QCOMPARE(ending(engine.wait(small)), "completed");
        const Lsn sparse = engine.submit(R"({"worker":"exec","argv":["truncate","-s","2G","outputs/big"]})");
        const ActionResult result = engine.wait(sparse);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.outcome->outputs.front().chunk.size, std::uint64_t{2} << 30);
        const engine::GcReport report = gc(engine);
        QVERIFY2(report.usedBytes < report.limitBytes, std::to_string(report.usedBytes).c_str());
        QCOMPARE(report.bySize, 0);
        QVERIFY(isThere(engine, small) && isThere(engine, sparse));
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    TestRetention test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_retention.moc"
