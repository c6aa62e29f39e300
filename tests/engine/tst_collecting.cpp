// What an action left in outputs/ goes into the content store: nobody waits for what takes long, and it can be
// ended.
#include "core/base/files.h"
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/engine/state/settings_service.h"
#include "core/launcher/launcher.h"
#include "core/lease/slots.h"
#include "core/locks/janitor.h"
#include "tests/engine/engine_test.h"

#include <QObject>

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::test;

namespace {

/// Reading it would take an hour: what ends within the test has not waited for it.
constexpr const char* kEndless = "test -e again && exit 0; truncate -s 8T $YARD_SCRATCH/outputs/big";
constexpr const char* kExpect = R"(,"expect":["big"])";

std::int64_t largestFile(const std::string& directory, struct stat& found) {
    found = {};
    std::error_code gone; // while it is looked at
    for (std::filesystem::recursive_directory_iterator at(directory, gone), end; at != end; at.increment(gone)) {
        struct stat st{};
        if (::lstat(at->path().c_str(), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > found.st_size) found = st;
    }
    return found.st_size;
}

/// What is being removed, below the directories of slots: what lies in `many`, or -1 when there is no such thing.
std::ptrdiff_t leftBehind(const std::string& data) {
    namespace fs = std::filesystem;
    std::error_code gone; // while it is looked at
    for (fs::directory_iterator slot(data + "/scratch", gone), end; !gone && slot != end; slot.increment(gone))
        for (fs::directory_iterator at(slot->path(), gone); !gone && at != end; at.increment(gone)) {
            if (!at->path().filename().string().starts_with(locks::kGonePrefix)) continue;
            std::ptrdiff_t count = 0;
            for (fs::directory_iterator many(at->path() / "many", gone); !gone && many != end; many.increment(gone))
                ++count;
            return count;
        }
    return -1;
}

/// An output that somebody writes who has a lease on it.
class LeasedOutput {
public:
    explicit LeasedOutput(EngineTest& engine)
        : engine_(engine)
        , lsn_(engine.sh(
              "echo early > $YARD_SCRATCH/outputs/x; ln -s $YARD_SCRATCH/outputs here.new; mv -T here.new "
              "here; while [ ! -e go ]; do sleep 0.01; done",
              R"(,"expect":["x"])")) {
        std::signal(SIGIO, SIG_IGN); // how the kernel tells who has it
        if (!EngineTest::eventually([&] { return ::access(engine_.path("here/x").c_str(), F_OK) == 0; }))
            qFatal("the action does not run");
        file_ = UniqueFd(::open(engine_.path("here/x").c_str(), O_RDWR | O_CLOEXEC));
        isThere_ = ::fcntl(file_.get(), F_SETLEASE, F_WRLCK) == 0;
    }
    bool isThere() const { return isThere_; }
    Lsn lsn() const { return lsn_; }
    void endAction() const { std::ofstream(engine_.path("go")) << "go"; }
    /// Somebody wants to have it.
    bool isAskedFor() const {
        return EngineTest::eventually([&] { return ::fcntl(file_.get(), F_GETLEASE) != F_WRLCK; });
    }
    void writeAndLetGo(std::string_view text) {
        if (::ftruncate(file_.get(), 0) != 0 || ::pwrite(file_.get(), text.data(), text.size(), 0) < 0)
            qFatal("it cannot be written");
        file_.reset();
    }

private:
    EngineTest& engine_;
    Lsn lsn_;
    UniqueFd file_;
    bool isThere_ = false;
};

} // namespace

class CollectingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// As a launcher leaves it that had time for both streams, for one, or for none.
    void whatWasWrittenBeforeTheEngineDiedIsKept_data() {
        QTest::addColumn<QByteArray>("out");
        QTest::addColumn<bool>("hasErr");
        QTest::addColumn<bool>("isLost");
        QTest::addRow("both streams") << QByteArray("hello\n") << true << false;
        QTest::addRow("a long one") << QByteArray(200'000, 'x') << true << false;
        QTest::addRow("one longer than what is kept") << QByteArray(300'000, 'x') << true << false;
        QTest::addRow("one of two") << QByteArray("hello\n") << false << true;
        QTest::addRow("none") << QByteArray() << false << true;
    }
    void whatWasWrittenBeforeTheEngineDiedIsKept() {
        QFETCH(QByteArray, out);
        QFETCH(bool, hasErr);
        QFETCH(bool, isLost);
        EngineTest engine(2, [](engine::Options& options) { options.set = {"stream_bytes=262144"}; });
        const Lsn lsn = engine.sh("echo again", R"(,"hold":true)");
        engine.stop();
        {
            auto slots = runners::SlotsFile::create(engine.path("data/slots"), 8);
            QVERIFY(slots);
            slots->setCloned(SlotId(2), *slots->take(SlotId(2), {lsn, 1}), 4'000'000);
        }
        const std::string stream = engine.path("data/chunks/tmp/") + std::to_string(lsn.value) + ".1.std";
        if (!out.isEmpty()) QVERIFY(writeFileAtomically(stream + "out", out.toStdString(), 0600));
        if (hasErr) QVERIFY(writeFileAtomically(stream + "err", "", 0600));
        engine.start();
        QVERIFY(engine.run(engine->ask(&engine::Operations::release, lsn)));
        const ActionResult result = engine.wait(lsn);
        QVERIFY(result.state == ActionState::Completed);
        QCOMPARE(result.attempts.size(), std::size_t{2});
        const AttemptOutcome& first = result.attempts.front().outcome;
        QVERIFY(first.reason == Reason::EngineDied);
        QCOMPARE(first.out.has_value(), !out.isEmpty());
        QCOMPARE(first.err.has_value(), hasErr);
        QCOMPARE(first.outTruncated, out.size() > (256 << 10));
        if (first.out && !first.outTruncated) QCOMPARE(engine.text(first.out), out.toStdString());
        QCOMPARE(toJson(result).contains(R"("output_lost":true)"), isLost);
        QVERIFY(!std::filesystem::exists(stream + "out") && !std::filesystem::exists(stream + "err"));
    }

    void aSparseOutputTakesNoMoreRoomThanItsData() {
        EngineTest engine;
        const ActionResult result = engine.wait(engine.sh(
            "truncate -s 200M $YARD_SCRATCH/outputs/big; "
            "printf middle | dd of=$YARD_SCRATCH/outputs/big bs=1 seek=150000000 conv=notrunc 2>/dev/null",
            kExpect));
        QCOMPARE(ending(result), "completed");
        std::string content(200u << 20, '\0');
        content.replace(150'000'000, 6, "middle");
        QCOMPARE(result.outcome->outputs.size(), std::size_t{1});
        const ChunkRef chunk = result.outcome->outputs.front().chunk;
        QCOMPARE(chunk.size, content.size());
        QCOMPARE(chunk.hash.hex(), Sha256::of(content).hex());
        struct stat kept{};
        QCOMPARE(largestFile(engine.path("data"), kept), static_cast<std::int64_t>(content.size()));
        QVERIFY2(kept.st_blocks * 512 < 1 << 20, std::to_string(kept.st_blocks).c_str());
        QVERIFY(*engine->chunks().read(chunk.hash, 256u << 20) == content);
    }

    void manyLargeOutputsOfOneActionAreKept() {
        EngineTest engine;
        const ActionResult result = engine.wait(engine.sh(
            "cd $YARD_SCRATCH/outputs; for i in 1 2 3; do head -c 9000000 /dev/zero | tr '\\\\0' $i > f$i; done; "
            "echo small > s",
            R"(,"expect":["f2","s"])"));
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.outcome->outputs.size(), std::size_t{4});
        for (const auto& [name, chunk] : result.outcome->outputs)
            if (name.starts_with('f')) QVERIFY(chunk.hash == Sha256::of(std::string(9'000'000, name[1])));
    }

    void nobodyWaitsForAnOutputOfTerabytesAndItCanBeCancelled() {
        EngineTest engine(2); // as many as take a core, and more
        std::vector<Lsn> large;
        for (int i = 0; i < 4; ++i) large.push_back(engine.sh(kEndless, kExpect));
        for (const Lsn lsn : large) QVERIFY(isCollected(engine, lsn));
        const Lsn small = engine.sh("echo x > $YARD_SCRATCH/outputs/big", kExpect);
        QCOMPARE(ending(engine.wait(small)), "completed");
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"keep_days":7})")).has_value());
        for (const Lsn lsn : large) {
            QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)).has_value());
            const ActionResult result = engine.wait(lsn);
            QCOMPARE(ending(result), "cancelled cancelled");
            QVERIFY(result.outcome->outputs.empty());
            QCOMPARE(result.outcome->note, std::string("it was ended while its outputs were collected"));
        }
        // What they left goes when nothing else is to be done.
        struct stat kept{};
        QVERIFY(
            EngineTest::eventually([&] { return largestFile(engine.path("data"), kept) < std::int64_t{1} << 40; }));
    }

    void whatIsCollectedSaysSo() {
        EngineTest engine;
        const Lsn lsn = engine.sh(kEndless, kExpect);
        QVERIFY(isCollected(engine, lsn));
        const std::string words = "its program has ended, its outputs are being kept";
        const Why why = *engine.run(engine->ask(&engine::Reasons::why, lsn));
        QCOMPARE(why.state, ActionState::Running);
        QCOMPARE(why.waits.size(), 1u);
        QCOMPARE(name(why.waits[0].kind), "collecting");
        QCOMPARE(why.waits[0].message, words);
        const ActionResult now = *engine.run(engine->ask(&engine::ActionRows::action, lsn));
        QCOMPARE(now.note, words);
        QCOMPARE(why.waits[0].since, now.times.exited);
        QVERIFY(now.times.exited > 0);
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)).has_value());
        QCOMPARE(ending(engine.wait(lsn)), "cancelled cancelled");
    }

    void eachHasALaneOfItsOwnWhileItIsCollected() {
        EngineTest engine(1); // one slot, one after the other
        std::vector<Lsn> large;
        for (int i = 0; i < 3; ++i) {
            large.push_back(engine.sh(kEndless, kExpect));
            QVERIFY(isCollected(engine, large.back()));
        }
        const auto lanes = engine.run(engine->ask(&engine::TimelineKeeper::query, {})).view.lanes;
        QCOMPARE(lanes.size(), large.size());
        for (const auto& lane : lanes) QCOMPARE(lane.bars.size(), 1u);
        QCOMPARE(lanes.front().bars.front().lsn, large.back()); // the slot is that of the last one
        for (const Lsn lsn : large) {
            QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)).has_value());
            QCOMPARE(ending(engine.wait(lsn)), "cancelled cancelled");
        }
    }

    void theEndOfTheEngineDoesNotWaitForAnOutputOfTerabytes() {
        EngineTest engine;
        const Lsn lsn = engine.sh(kEndless, kExpect);
        QVERIFY(isCollected(engine, lsn));
        engine.stop();
        std::ofstream(engine.path("again")) << "yes";
        engine.start();
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(result.attempts.front().outcome.reason, Reason::EngineStopped);
        QCOMPARE(ending(result), "failed missing_output");
    }

    void theEndOfTheEngineDoesNotWaitForWhatIsRemovedAndTheNextOneCarriesOn() {
        EngineTest engine;
        // In its own directory, which goes with all that is in it.
        const Lsn lsn = engine.submit(R"({"worker":"exec","argv":["/bin/sh","-c",)"
                                      R"("mkdir many; cd many; seq 8000 | xargs mkdir"]})");
        QCOMPARE(ending(engine.wait(lsn)), "completed");
        engine.stop();
        const std::ptrdiff_t left = leftBehind(engine.path("data"));
        if (left <= 0) QSKIP("the file system removes it in no time");
        engine.start();
        QVERIFY(EngineTest::eventually([&] { return leftBehind(engine.path("data")) < left; }));
    }

    void anOutputThatIsLeasedIsKeptOnceItIsLetGo() {
        EngineTest engine;
        LeasedOutput output(engine);
        if (!output.isThere()) QSKIP("the file system has no leases");
        output.endAction();
        QVERIFY(output.isAskedFor());
        QVERIFY(isCollected(engine, output.lsn()));
        const WallMicros letGo = wallNow();
        output.writeAndLetGo("what was written at last");
        const ActionResult result = engine.wait(output.lsn());
        QCOMPARE(ending(result), "completed");
        // Until then it was being collected.
        constexpr WallMicros kClocksDiffer = 10'000;
        QVERIFY(result.times.exited < letGo);
        QVERIFY(result.times[ActionState::Completed] >= letGo - kClocksDiffer);
        QCOMPARE(engine.text(result.outcome->outputs.front().chunk), "what was written at last");
    }

    void anOutputThatIsLeasedForGoodIsSaidToBe() {
        EngineTest engine(1);
        LeasedOutput output(engine);
        if (!output.isThere()) QSKIP("the file system has no leases");
        output.endAction();
        QVERIFY(output.isAskedFor());
        QCOMPARE(ending(engine.wait(engine.sh("true", kExpect))),
                 "failed missing_output"); // has the core meanwhile
        QVERIFY(!isEnded(engine.run(engine->ask(&engine::ActionRows::action, output.lsn()))->state));
        const ActionResult result = engine.wait(output.lsn()); // another attempt has another file
        const AttemptOutcome& first = result.attempts.front().outcome;
        QVERIFY(first.reason == Reason::ResultTooLarge && first.outputs.empty());
        QCOMPARE(first.note,
                 "outputs could not be kept: outputs/x is leased by a process that does not let go of it "
                 "(F_SETLEASE)");
        QCOMPARE(ending(result), "completed");
    }

    void whileAnOutputIsLeasedTheActionCanBeCancelled() {
        EngineTest engine;
        LeasedOutput output(engine);
        if (!output.isThere()) QSKIP("the file system has no leases");
        output.endAction();
        QVERIFY(output.isAskedFor());
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, output.lsn())).has_value());
        QCOMPARE(ending(engine.wait(output.lsn())), "cancelled cancelled");
    }

private:
    /// Its process has ended.
    static bool isCollected(EngineTest& engine, Lsn lsn) {
        return EngineTest::eventually([&] {
            const auto known = engine.run(engine->ask(&engine::ActionRows::action, lsn));
            return known && known->times.exited != 0 && !isEnded(known->state);
        });
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    CollectingTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_collecting.moc"
