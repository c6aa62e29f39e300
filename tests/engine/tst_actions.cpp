// The main job through the door: actions are accepted, run, retried, ended and kept.
#include "core/base/files.h"
#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/commands/session_moves.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "core/lease/slots.h"
#include "tests/engine/engine_test.h"

#include <QObject>
#include <QStandardPaths>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sys/stat.h>

using namespace yard;
using namespace yard::test;

namespace {

const std::string kNoRetry = R"({"max_retries":0,"max_interruptions":0})";
const std::string kQuickRetry = R"({"max_retries":2,"max_interruptions":2,"backoff_s":0.01,"backoff_max_s":0.02})";

QueueRef queueWith(EngineTest& engine, const std::string& config) {
    auto queue = engine.run(engine->ask(&engine::Queues::create, "test", config));
    if (!queue) qFatal("queue: %s", queue.error().message.c_str());
    return QueueRef{queue->id, {}};
}

bool exists(const std::string& path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0;
}

} // namespace

class ActionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anActionRunsAndItsOutputIsKept() {
        EngineTest engine;
        const ActionResult result = engine.wait(engine.sh("echo out; echo err >&2", R"(,"label":"first")"));
        QCOMPARE(ending(result), "completed");
        QCOMPARE(engine.text(result.outcome->out), "out\n");
        QCOMPARE(engine.text(result.outcome->err), "err\n");
        QCOMPARE(result.label, "first");
        QCOMPARE(result.workerName, "exec");
        QVERIFY(result.times[ActionState::New] > 0);
        QVERIFY(result.times[ActionState::New] <= result.times[ActionState::Submitting]);
        QVERIFY(result.times[ActionState::Submitting] <= result.times[ActionState::Running]);
        QVERIFY(result.times[ActionState::Running] <= result.times.exited);
        QVERIFY(result.times.exited <= result.times[ActionState::Completed]);
    }

    /// They all ask when they come, and once more when it ends.
    void thousandsWaitForOneAction() {
        EngineTest engine;
        const Lsn lsn = engine.sh("true", R"(,"hold":true)");
        constexpr int kWaiting = 5'000;
        std::map<std::string, int> ends;
        coro::Loop loop;
        for (int i = 0; i < kWaiting; ++i)
            loop.spawn("waiter", [](engine::Engine& asked, Lsn action, auto& told) -> coro::Task<void> {
                const auto result = co_await asked.ask(&engine::Results::waitFor, action, std::chrono::seconds(60));
                ++told[result ? ending(*result) : result.error().message];
            }(*engine, lsn, ends));
        loop.spawn("release", [](engine::Engine& asked, Lsn action) -> coro::Task<void> {
            (void)co_await asked.ask(&engine::Operations::release, action);
        }(*engine, lsn));
        loop.run();
        QCOMPARE(ends.size(), 1u);
        QCOMPARE(ends["completed"], kWaiting);
    }

    void endsAreTold_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("more");
        QTest::addColumn<QString>("expected");
        QTest::addRow("exit 0 is completed") << "exit 0" << "" << "completed";
        QTest::addRow("another exit code is failed") << "exit 3" << "" << "failed exit_code 3";
        QTest::addRow("a signal is failed") << "kill -SEGV $$" << "" << "failed signal";
        QTest::addRow("a passed deadline is failed") << "sleep 100" << R"(,"deadline_s":0.2)" << "failed deadline";
        QTest::addRow("a missing expected output is failed")
            << "true" << R"(,"expect":["x.png"])" << "failed missing_output";
    }
    void endsAreTold() {
        QFETCH(QString, script);
        QFETCH(QString, more);
        QFETCH(QString, expected);
        EngineTest engine;
        const Lsn lsn = engine.sh(script.toStdString(), more.toStdString(), queueWith(engine, kNoRetry));
        QCOMPARE(QString::fromStdString(ending(engine.wait(lsn))), expected);
    }

    void whoWaitsWithTheSubmissionIsToldWhatTheJournalKeeps_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("more");
        QTest::addRow("nothing to say") << "exit 0" << R"(,"label":"shot 7","priority":-3)";
        QTest::addRow("output and an exit code") << "echo out; echo error: bad >&2; exit 3" << "";
        QTest::addRow("a signal") << "kill -SEGV $$" << "";
        QTest::addRow("a deadline") << "sleep 100" << R"(,"deadline_s":0.2)";
        QTest::addRow("a missing expected output") << "true" << R"(,"expect":["x.png"])";
        QTest::addRow("output that is a file") << "head -c 200000 /dev/zero" << "";
        QTest::addRow("a second attempt") << "test -e tried && exit 0; touch tried; exit 1" << "";
    }
    void whoWaitsWithTheSubmissionIsToldWhatTheJournalKeeps() {
        QFETCH(QString, script);
        QFETCH(QString, more);
        EngineTest engine;
        const bool isRetried = QByteArray(QTest::currentDataTag()) == "a second attempt";
        const auto answer =
            engine.submitAndWait(engine.shJson(script.toStdString(), more.toStdString()), std::chrono::seconds(60),
                                 queueWith(engine, isRetried ? kQuickRetry : kNoRetry));
        QVERIFY(answer);
        QCOMPARE(answer->ended.has_value(), !isRetried); // what has more to tell is read
        const ActionResult kept =
            *engine.run(engine->ask(&engine::ActionRows::action, answer->items.front().first));
        QVERIFY(isEnded(kept.state));
        if (answer->ended) QCOMPARE(toJson(*answer->ended), toJson(kept));
    }

    void whoWaitsTooShortlyGetsTheNumberAlone() {
        EngineTest engine;
        const auto answer = engine.submitAndWait(engine.shJson("sleep 100"), std::chrono::milliseconds(1));
        QVERIFY(answer && !answer->ended);
        QVERIFY(answer->items.front().first.value > 0);
    }

    void aMissingProgramIsASpawnErrorThatNamesIt() {
        EngineTest engine;
        const Lsn lsn = engine.submit(R"({"worker":"exec","argv":["no-such-program-7"],"cwd":"/"})",
                                      queueWith(engine, kNoRetry));
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "failed spawn_error");
        QVERIFY2(result.note.contains("no-such-program-7"), result.note.c_str());
        QVERIFY(!result.outcome->out && !result.outcome->err); // nothing ran that could have printed
    }

    void aMissingWorkingDirectoryIsASpawnErrorThatNamesIt() {
        EngineTest engine;
        const Lsn lsn = engine.submit(R"({"worker":"exec","argv":["true"],"cwd":"/no/such/directory"})",
                                      queueWith(engine, kNoRetry));
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "failed spawn_error");
        QVERIFY2(result.note.contains("/no/such/directory"), result.note.c_str());
    }

    void aStartThatNothingCanHealIsFinalAtTheFirstAttempt_data() {
        QTest::addColumn<QString>("action");
        QTest::addColumn<int>("shellCode"); // 0: none
        QTest::addColumn<QString>("note");
        QTest::addRow("not in PATH") << R"("argv":["no-such-program-7"],"cwd":"/")" << 127
                                     << "the program 'no-such-program-7' was not found in PATH (";
        QTest::addRow("a path that leads nowhere")
            << R"("argv":["/no/such/program"])" << 127 << "the program '/no/such/program' does not exist: check";
        QTest::addRow("not executable") << R"("argv":["DIR/plain"])" << 126 << "is not executable: check its mode";
        QTest::addRow("wrong format") << R"("argv":["DIR/words"])" << 126 << "wrong format";
        QTest::addRow("a directory") << R"("argv":["DIR"])" << 126 << "is a directory, not a program";
        QTest::addRow("a file as directory")
            << R"("argv":["DIR/plain/program"])" << 126 << "a part of its path is not a directory";
        QTest::addRow("a link to itself") << R"("argv":["DIR/loop"])" << 126 << "symbolic links";
        QTest::addRow("no cwd") << R"("argv":["true"],"cwd":"/no/such/directory")" << 0
                                << "the working directory '/no/such/directory' does not exist: make it";
        QTest::addRow("a file as cwd") << R"("argv":["true"],"cwd":"DIR/plain")" << 0 << "is not a directory";
    }
    void aStartThatNothingCanHealIsFinalAtTheFirstAttempt() {
        QFETCH(QString, action);
        QFETCH(int, shellCode);
        QFETCH(QString, note);
        EngineTest engine;
        QVERIFY(writeFileAtomically(engine.path("plain"), "#!/bin/sh\n", 0644));
        QVERIFY(writeFileAtomically(engine.path("words"), "only words\n", 0755));
        QCOMPARE(::symlink("loop", engine.path("loop").c_str()), 0);
        const std::string json =
            R"({"worker":"exec",)" + action.replace("DIR", engine.dir().path()).toStdString() + "}";
        const ActionResult result = engine.wait(engine.submit(json));
        QCOMPARE(ending(result), "failed spawn_error");
        QCOMPARE(result.retryCount, 0);
        QCOMPARE(result.attempts.size(), std::size_t{1});
        QCOMPARE(result.outcome->exitCode.value_or(0), shellCode);
        QVERIFY2(result.note.contains(note.toStdString()), result.note.c_str());
    }

    void whatCouldNotBeStartedRunsOnceTheProgramIsThereAndSomebodyAsks() {
        EngineTest engine;
        const std::string program = engine.path("late");
        const Lsn lsn = engine.submit(fmt::format(R"({{"worker":"exec","argv":["{}"]}})", program));
        QCOMPARE(ending(engine.wait(lsn)), "failed spawn_error");
        QVERIFY(writeFileAtomically(program, "#!/bin/sh\necho here\n", 0755));
        const auto retried = engine.run(engine->ask(&engine::Rescheduling::reschedule, lsn, false));
        QVERIFY2(retried.has_value(), retried ? "" : retried.error().message.c_str());
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(engine.text(result.outcome->out), "here\n");
        QVERIFY(!result.attempts.back().outcome.note.contains("does not exist"));
    }

    void aCancelDuringTheEndOfADeadlineDoesNotChangeWhyItEnded() {
        EngineTest engine(2, [](engine::Options& options) { options.grace = std::chrono::seconds(60); });
        const auto isToldToEnd = [&engine] { return exists(engine.path("termed")); };
        Lsn lsn{};
        for (double deadline = 0.3; !isToldToEnd() && deadline < 60;
             deadline *= 4) { // until it sets its trap in time
            lsn = engine.sh("trap 'touch termed' TERM; while [ ! -e go ]; do sleep 0.01; done",
                            fmt::format(R"(,"deadline_s":{})", deadline));
            QVERIFY(EngineTest::eventually([&] {
                return isToldToEnd() || isEnded(engine.run(engine->ask(&engine::ActionRows::action, lsn))->state);
            }));
        }
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)));
        QVERIFY(writeFileAtomically(engine.path("go"), "", 0600));
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "failed deadline"); // and not retried
        QCOMPARE(result.attempts.size(), std::size_t{1});
    }

    /// The file of slots as an engine and its launcher leave it that are killed at each step of a start.
    void whatMayHaveBegunAndMayBeginOnlyOnceIsNotRunAgain_data() {
        QTest::addColumn<int>("step");
        QTest::addColumn<bool>("runs");
        QTest::addRow("killed before it was marked") << 0 << true;
        QTest::addRow("killed between its mark and its clone") << 1 << false;
        QTest::addRow("killed after its clone") << 2 << false;
        QTest::addRow("marked, and given back as it could not be started") << 3 << true;
    }
    void whatMayHaveBegunAndMayBeginOnlyOnceIsNotRunAgain() {
        QFETCH(int, step);
        QFETCH(bool, runs);
        EngineTest engine;
        const Lsn lsn = engine.sh("echo ran >>log", R"(,"hold":true)", queueWith(engine, kNoRetry));
        engine.stop();
        {
            auto slots = runners::SlotsFile::create(engine.path("data/slots"), 8);
            QVERIFY(slots);
            if (step > 0) {
                const auto index = slots->take(SlotId(2), {lsn, 1});
                if (step == 2) slots->setCloned(SlotId(2), *index, 4'000'000);
                if (step == 3) slots->giveBack(SlotId(2), *index);
            }
        }
        engine.start();
        if (runs) QVERIFY(engine.run(engine->ask(&engine::Operations::release, lsn)));
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), runs ? "completed" : "abandoned engine_died");
        if (!runs) QCOMPARE(result.times[ActionState::Running] != 0, step == 2); // as far as that is known
        // When it ended nobody saw, and in which slot it ran is another's by now.
        const auto lanes = engine.run(engine->ask(&engine::TimelineKeeper::query, {})).view.lanes;
        QCOMPARE(lanes.empty(), !runs);
        QCOMPARE(exists(engine.path("log")), runs);
    }

    void whatMayBeginOnlyOnceBeginsWhenThatIsOnTheDisk_data() {
        QTest::addColumn<QString>("durability");
        QTest::addColumn<QString>("queue");
        QTest::addColumn<bool>("isSynced");
        QTest::addRow("once, against power cuts") << "power" << QString::fromStdString(kNoRetry) << true;
        QTest::addRow("again, against power cuts") << "power" << "{}" << false;
        QTest::addRow("once, against the death of processes")
            << "process" << QString::fromStdString(kNoRetry) << false;
    }
    void whatMayBeginOnlyOnceBeginsWhenThatIsOnTheDisk() {
        QFETCH(QString, durability);
        QFETCH(QString, queue);
        QFETCH(bool, isSynced);
#ifdef YARD_SANITIZED
        QSKIP("the sanitizers cannot be traced");
#endif
        if (std::system("strace -qq -o /dev/null -e trace=none true 2>/dev/null") !=
            0) // NOLINT(concurrency-mt-unsafe)
            QSKIP("strace (apt-get install strace) is not there, or may not trace here");
        QTemporaryDir dir;
        const std::string trace = dir.filePath("trace").toStdString();
        const std::string launcher = dir.filePath("launcher").toStdString();
        QVERIFY(writeFileAtomically(
            launcher,
            fmt::format("#!/bin/sh\nexec strace -D -f -qq -o {} -e trace=msync,clone3 -e signal=none {} \"$@\"\n",
                        trace, std::filesystem::read_symlink("/proc/self/exe").string()),
            0755));
        EngineTest engine(2, [&](engine::Options& options) {
            options.launcherProgram = launcher;
            options.set = {"durability=" + durability.toStdString()};
        });
        const ActionResult result = engine.wait(engine.sh("echo ran", "", queueWith(engine, queue.toStdString())));
        QCOMPARE(ending(result), "completed");
        engine.stop();
        std::ifstream lines(trace);
        int synced = 0;
        int syncedBefore = -1; // its clone
        for (std::string line; std::getline(lines, line);) {
            synced += line.contains("msync(");
            if (syncedBefore < 0 && line.contains("CLONE_VFORK")) syncedBefore = synced;
        }
        QCOMPARE(syncedBefore, isSynced ? 1 : 0);
    }

    void aFailureIsRetriedUpToTheLimitAndEveryAttemptIsKept() {
        EngineTest engine;
        const ActionResult result =
            engine.wait(engine.sh("echo once >> log; wc -l < log; exit 1", "", queueWith(engine, kQuickRetry)));
        QCOMPARE(ending(result), "failed exit_code 1");
        QCOMPARE(result.retryCount, 2);
        QCOMPARE(result.attempts.size(), std::size_t{3});
        QCOMPARE(engine.text(result.attempts.front().outcome.out), "1\n");
        QCOMPARE(engine.text(result.attempts.back().outcome.out), "3\n");
    }

    void anActionThatSucceedsAtTheSecondTryIsCompleted() {
        EngineTest engine;
        const ActionResult result = engine.wait(
            engine.sh("test -e tried && exit 0; touch tried; exit 1", "", queueWith(engine, kQuickRetry)));
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.retryCount, 1);
    }

    void rescheduleRunsAFailedActionAgainUnderItsNumber() {
        EngineTest engine;
        const QueueRef queue = queueWith(engine, kNoRetry);
        const Lsn lsn = engine.sh("test -e fixed", "", queue);
        QCOMPARE(ending(engine.wait(lsn)), "failed exit_code 1");
        auto refused = engine.run(engine->ask(&engine::Rescheduling::reschedule, lsn, false));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::AtLimit);
        QCOMPARE(engine.run(engine->ask(&engine::Queues::get, queue))->counters.failed, 1);
        std::ofstream(engine.path("fixed")) << "now";
        auto again = engine.run(engine->ask(&engine::Rescheduling::reschedule, lsn, true));
        QVERIFY2(again.has_value(), again ? "" : again.error().message.c_str());
        QCOMPARE(again->retryCount, 1);
        QCOMPARE(ending(engine.wait(lsn)), "completed");
        const QueueCounters counters = engine.run(engine->ask(&engine::Queues::get, queue))->counters;
        QCOMPARE(counters.failed, 0);
        QCOMPARE(counters.completed, 1);
        auto completed = engine.run(engine->ask(&engine::Rescheduling::reschedule, lsn, true));
        QCOMPARE(completed.error().kind, ErrorKind::WrongState);
    }

    void cancelEndsWhatWaitsAndWhatRuns() {
        EngineTest engine(1);
        const Lsn running = engine.sh("touch begun; sleep 100");
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("begun")); }));
        const Lsn waiting = engine.sh("true");
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, waiting)).has_value());
        QCOMPARE(ending(engine.wait(waiting)), "cancelled cancelled");
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, running)).has_value());
        const ActionResult result = engine.wait(running);
        QCOMPARE(ending(result), "cancelled cancelled");
        QCOMPARE(result.attempts.size(), std::size_t{1});
        QCOMPARE(engine.run(engine->ask(&engine::Operations::cancel, running)).error().kind, ErrorKind::WrongState);
    }

    void aCancelInProgressIsSeenUntilItsProcessesAreGone() {
        EngineTest engine(1, [](engine::Options& options) { options.grace = std::chrono::seconds(20); });
        const Lsn lsn = engine.sh("trap 'touch told' TERM; touch begun; until test -e go; do sleep 0.02; done");
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("begun")); }));
        QVERIFY(!engine.run(engine->ask(&engine::ActionRows::action, lsn))->ending);
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)).has_value());
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("told")); }));
        const ActionResult seen = *engine.run(engine->ask(&engine::ActionRows::action, lsn));
        QCOMPARE(seen.state, ActionState::Running);
        QVERIFY(seen.ending == ActionState::Cancelled);
        QCOMPARE(seen.note, std::string("cancelled: its processes are being ended"));
        QVERIFY(toJson(seen).contains(R"("ending":"cancelled")"));
        std::ofstream(engine.path("go")) << "now";
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "cancelled cancelled");
        QVERIFY(!result.ending);
    }

    void theNoteOfOneThatASignalEndedSaysWhichAndItsLastLine() {
        EngineTest engine;
        const QueueRef queue = queueWith(engine, kNoRetry);
        const auto note = [&](const std::string& script) { return engine.wait(engine.sh(script, "", queue)).note; };
        QCOMPARE(note("echo error: first; echo last; kill -SEGV $$"), "killed by SIGSEGV; its last line: last");
        QCOMPARE(note("echo warning: odd >&2; echo working; kill -ABRT $$"),
                 "killed by SIGABRT; its last line: working");
        QCOMPARE(note("kill -KILL $$"), "killed by SIGKILL; it printed nothing");
        QCOMPARE(note("printf '\\\\033[?1049h\\\\033[5;1H~'; kill -KILL $$"), "killed by SIGKILL");
        QCOMPARE(note("echo note: odd >&2; echo error: no disk; exit 3"), "error: no disk");
    }

    void aHeldActionWaitsForItsRelease() {
        EngineTest engine;
        const Lsn held = engine.sh("true", R"(,"hold":true)");
        QCOMPARE(ending(engine.wait(engine.sh("true"))), "completed");
        const ActionResult before = *engine.run(engine->ask(&engine::ActionRows::action, held));
        QCOMPARE(before.state, ActionState::Pending);
        QVERIFY(before.held);
        QVERIFY(engine.run(engine->ask(&engine::Operations::release, held)).has_value());
        QCOMPARE(ending(engine.wait(held)), "completed");
    }

    void aHeldQueueStartsNothingUntilReleased() {
        EngineTest engine;
        const QueueRef queue = queueWith(engine, "{}");
        QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, queue, true))->held);
        const Lsn lsn = engine.sh("true", "", queue);
        QCOMPARE(ending(engine.wait(engine.sh("true"))), "completed");
        QCOMPARE(engine.run(engine->ask(&engine::ActionRows::action, lsn))->state, ActionState::Pending);
        QVERIFY(!engine.run(engine->ask(&engine::Queues::setHeld, queue, false))->held);
        QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void anArrayRunsOnceForEachIndex() {
        EngineTest engine;
        const Lsn first = engine.submit(fmt::format(
            R"({{"worker":"exec","argv":["/bin/sh","-c","echo {{index}} $YARD_INDEX"],"cwd":"{}","array":{{"from":5,"to":8}}}})",
            engine.dir().path().toStdString()));
        for (int i = 0; i < 4; ++i) {
            const ActionResult result = engine.wait(Lsn{first.value + i});
            QCOMPARE(ending(result), "completed");
            QCOMPARE(engine.text(result.outcome->out), fmt::format("{0} {0}\n", 5 + i));
        }
    }

    void outputsOfAnExecInItsScratchDirectoryAreKept() {
        EngineTest engine;
        const std::string big(100'000, 'x');
        const ActionResult result = engine.wait(engine.submit(
            R"({"worker":"exec","argv":["/bin/sh","-c","mkdir -p outputs/a; echo hi > outputs/a/b.txt; head -c 100000 /dev/zero | tr '\\0' x > outputs/big; ln -s /etc/passwd outputs/link"],"expect":["big"]})"));
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.outcome->outputs.size(), std::size_t{2});
        QCOMPARE(result.outcome->outputs[0].name, "a/b.txt");
        QCOMPARE(engine.text(result.outcome->outputs[0].chunk), "hi\n");
        QVERIFY(engine.text(result.outcome->outputs[1].chunk) == big);
        QCOMPARE(result.outcome->denied.size(), std::size_t{1});
        QCOMPARE(result.outcome->denied[0].what, "link");
    }

    void inputsComeFromTheContentStore() {
        EngineTest engine;
        const ChunkRef input = *engine->chunks().putSmall("the input");
        const ActionResult result = engine.wait(engine.submit(fmt::format(
            R"({{"worker":"exec","argv":["cat","inputs/in.txt"],"inputs":{{"in.txt":"{}"}}}})", input.hash.hex())));
        QCOMPARE(ending(result), "completed");
        QCOMPARE(engine.text(result.outcome->out), "the input");
    }

    void missingInputsAreNamedAndNothingIsAccepted() {
        EngineTest engine;
        const std::string hash = Sha256::of("not there").hex();
        const auto refused =
            engine.trySubmit(fmt::format(R"({{"worker":"exec","argv":["true"],"inputs":{{"x":"{}"}}}})", hash));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::NeedChunks);
        QCOMPARE(refused.error().need, std::vector<std::string>{hash});
    }

    void largeOutputGoesToTheContentStoreWhole() {
        EngineTest engine;
        const ActionResult result = engine.wait(engine.sh("seq 1 200000"));
        QCOMPARE(ending(result), "completed");
        const std::string text = engine.text(result.outcome->out);
        QCOMPARE(text.size(), std::size_t{1288895});
        QVERIFY(text.ends_with("\n200000\n"));
    }

    void whatIsRetiredIsGone() {
        EngineTest engine;
        const Lsn lsn = engine.sh("true");
        QCOMPARE(ending(engine.wait(lsn)), "completed");
        QVERIFY(engine.run(engine->ask(&engine::ActionDetails::spec, lsn, false)).has_value());
        QVERIFY(engine.run(engine->ask(&engine::Operations::retire, lsn)).has_value());
        QCOMPARE(engine.run(engine->ask(&engine::ActionRows::action, lsn)).error().kind, ErrorKind::NotFound);
        QCOMPARE(engine.run(engine->ask(&engine::Operations::retire, lsn)).error().kind, ErrorKind::NotFound);
    }

    void requestsThatCanNeverBeMetAreRefused() {
        EngineTest engine;
        const auto refused = engine.trySubmit(engine.shJson("true", R"(,"resources":{"cores":3})"));
        QCOMPARE(refused.error().kind, ErrorKind::Invalid);
        QCOMPARE(refused.error().field, "resources.cores");
        const auto unknown = engine.trySubmit(R"({"worker":"nobody","function":"f"})");
        QCOMPARE(unknown.error().field, "worker");
    }

    void manyShortActionsAllCompleteOnce() {
        EngineTest engine;
        const QueueRef queue = queueWith(engine, "{}");
        std::string list = "[";
        for (int i = 0; i < 500; ++i) list += (i ? "," : "") + engine.shJson("echo x >> runs");
        const Lsn first = engine.submit(list + "]", queue);
        for (int i = 0; i < 500; ++i) QCOMPARE(ending(engine.wait(Lsn{first.value + i})), "completed");
        std::ifstream runs(engine.path("runs"));
        QCOMPARE(std::count(std::istreambuf_iterator<char>(runs), {}, '\n'), 500);
        QCOMPARE(engine.run(engine->ask(&engine::Queues::get, queue))->counters.completed, 500);
    }

    void abandonEndsEverythingAtOnceAndRetriesNothing() {
        EngineTest engine(1);
        const Lsn running = engine.sh("touch begun; sleep 100");
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("begun")); }));
        const Lsn waiting = engine.sh("true");
        QVERIFY(engine.run(engine->ask(&engine::SessionMoves::moveTo, SessionState::Abandoned)).has_value());
        QCOMPARE(ending(engine.wait(running)), "abandoned abandoned");
        QCOMPARE(ending(engine.wait(waiting)), "abandoned abandoned");
        const auto refused = engine.trySubmit(engine.shJson("true"));
        QCOMPARE(refused.error().kind, ErrorKind::NotAccepting);
    }

    void aCleanStopPutsRunningActionsBackAndTheNextStartRunsThem() {
        EngineTest engine(1);
        const Lsn lsn = engine.sh("test -e again && exit 0; touch begun; exec sleep 100");
        QVERIFY(EngineTest::eventually([&] { return exists(engine.path("begun")); }));
        engine.stop();
        std::ofstream(engine.path("again")) << "yes";
        engine.start();
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.retryCount, 1);
        QCOMPARE(result.attempts.size(), std::size_t{2});
        QCOMPARE(result.attempts.front().outcome.reason, Reason::EngineStopped);
    }

    void anActionsOwnLimitsGoBeforeItsQueuesAndSurviveARestart() {
        EngineTest engine;
        const QueueRef queue = queueWith(engine, kQuickRetry);
        const Lsn once = engine.sh("exit 3", R"(,"max_retries":0)", queue);
        QCOMPARE(engine.wait(once).attempts.size(), std::size_t{1});
        const Lsn often = engine.sh("exit 3", R"(,"max_retries":3,"hold":true)", queue);
        engine.stop();
        engine.start();
        const auto refused = engine.run(engine->ask(&engine::Rescheduling::reschedule, once, false));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::AtLimit);
        QVERIFY(engine.run(engine->ask(&engine::Rescheduling::reschedule, once, true)).has_value());
        QCOMPARE(engine.wait(once).attempts.size(), std::size_t{2});
        QVERIFY(engine.run(engine->ask(&engine::Operations::release, often)).has_value());
        QCOMPARE(engine.wait(often).attempts.size(), std::size_t{4});
    }

    void resultsQueuesAndHoldsSurviveARestart() {
        EngineTest engine;
        const QueueRef queue = queueWith(engine, R"({"max_retries":7})");
        const Lsn done = engine.sh("echo kept", "", queue);
        QCOMPARE(ending(engine.wait(done)), "completed");
        QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, queue, true)).has_value());
        const Lsn waiting = engine.sh("true", "", queue);
        engine.stop();
        engine.start();
        QCOMPARE(engine.text(engine.run(engine->ask(&engine::ActionRows::action, done))->outcome->out), "kept\n");
        const QueueView view = *engine.run(engine->ask(&engine::Queues::get, queue));
        QVERIFY(view.held);
        QCOMPARE(view.config.maxRetries, 7);
        QCOMPARE(view.counters.completed, 1);
        QCOMPARE(view.counters.pending, 1);
        QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, queue, false)).has_value());
        QCOMPARE(ending(engine.wait(waiting)), "completed");
        QVERIFY(engine.sh("true").value > waiting.value);
    }

    void anIdempotencyKeySurvivesARestart() {
        EngineTest engine;
        const auto submit = [&engine](const std::string& body) {
            auto parsed = parseActions(body);
            engine::Submission submission;
            submission.actions = std::move(parsed->actions);
            submission.idempotencyKey = "once";
            submission.bodyHash = Sha256::of(body);
            return engine.run(engine->ask(&engine::Intake::submit, std::move(submission), Duration::zero()));
        };
        const std::string body = engine.shJson("exit 0");
        const auto first = submit(body);
        QVERIFY(first);
        engine.stop();
        engine.start();
        const auto again = submit(body);
        QVERIFY(again);
        QCOMPARE(again->items.front().first.value, first->items.front().first.value);
        const auto other = submit(engine.shJson("exit 1"));
        QVERIFY(!other);
        QCOMPARE(other.error().kind, ErrorKind::Invalid);
        QCOMPARE(engine.run(engine->ask(&engine::Listing::list, {}))->jobs.size(), std::size_t{1});
    }

    void aSecondEngineIsRefusedTheDirectory() {
        EngineTest engine;
        engine::Options options;
        options.dataDir = engine->dataDir();
        const auto second = engine::Engine::open(std::move(options));
        QVERIFY(!second);
        QCOMPARE(second.error().kind, ErrorKind::AtLimit);
        QVERIFY(second.error().message.contains(fmt::format("{}", ::getpid())));
    }
};

int main(int argc, char** argv) {
    if (const auto launched = yard::runners::runLauncherIfAsked(argc, argv)) return *launched;
    ActionsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_actions.moc"
