// Locks as actions see them: in one engine, and between two engines of one user; and that each action has its own
// directory beside the shared, read-only parts.
#include "core/base/files.h"
#include "core/engine/commands/operations.h"
#include "core/engine/commands/session_moves.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/state/lock_watch.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/workers.h"
#include "core/launcher/launcher.h"
#include "core/locks/named_lock.h"
#include "core/model/worker.h"
#include "tests/engine/engine_test.h"

#include <QCoreApplication>
#include <QTest>

#include <dirent.h>
#include <sys/stat.h>

using namespace yard;
using namespace yard::test;

namespace {

bool exists(const std::string& path) {
    struct stat st{};
    return ::lstat(path.c_str(), &st) == 0;
}

std::function<void(engine::Options&)> sharing(const std::string& directory) {
    return [directory](engine::Options& options) { options.lockDir = directory; };
}

const Wait* lockIn(const Why& why) {
    for (const Wait& wait : why.waits)
        if (wait.kind == WaitKind::Lock) return &wait;
    return nullptr;
}

/// Once the action waits for a lock, what it waits for.
Wait lockOf(EngineTest& engine, Lsn lsn) {
    Wait found;
    const bool seen = EngineTest::eventually([&] {
        const auto why = engine.run(engine->ask(&engine::Reasons::why, lsn));
        const Wait* wait = why ? lockIn(*why) : nullptr;
        if (wait) found = *wait;
        return wait && wait->holder;
    });
    return seen ? found : Wait{};
}

engine::LockView lockNamed(EngineTest& engine, const std::string& name) {
    for (engine::LockView& lock : engine.run(engine->ask(&engine::LockWatch::list)))
        if (lock.name == name) return std::move(lock);
    return {};
}

/// Says that it runs, then waits for a file to go on.
std::string untilGo(const std::string& name) {
    return "echo x >" + name + "; while [ ! -e go-" + name + " ]; do sleep 0.01; done";
}

} // namespace

class TestEngines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void inOneEngineOneHoldsAndTheOthersSayForWhomTheyWait();
    void manyOnOneLockNeverOverlap();
    void actionsWithSeveralLocksDoNotDeadlock();
    void betweenEnginesTheKernelDecides();
    void whatIsCancelledWhileItWaitsNeverGetsTheLock();
    void anEngineThatDiesGivesItsLocksToTheOther();
    void waitersSurviveARestart();
    void theCausesOfAnEndHaveTheirOwnReasons();
    void orphanedDirectoriesGoWhileTheEngineServes();

    void eachActionHasItsOwnDirectoryBesideSharedParts();
    void twoAtOnceOfOneWorkerDoNotMeet();
    void whatIsWrittenToOutputsIsKeptWhereEverybodyFindsIt();
    void aWorkerThatCannotBeExecutedIsFinalForItsActions_data();
    void aWorkerThatCannotBeExecutedIsFinalForItsActions();
};

void TestEngines::inOneEngineOneHoldsAndTheOthersSayForWhomTheyWait() {
    EngineTest engine;
    const Lsn first = engine.sh(untilGo("first"), R"(,"locks":["app:x"])");
    QVERIFY(EngineTest::eventually([&] { return exists(engine.path("first")); }));
    const Lsn second = engine.sh("echo x >second", R"(,"locks":["app:x","other"])");
    const Lsn third = engine.sh("true", R"(,"locks":["other"])");
    QCOMPARE(ending(engine.wait(third)), std::string("completed"));
    const Wait wait = lockOf(engine, second);
    QCOMPARE(wait.name, std::string("app:x"));
    QCOMPARE(wait.holder->lsn, first);
    QCOMPARE(wait.holder->pid, ::getpid());
    QCOMPARE(wait.message, fmt::format("lock app:x is held by action {}", first.value));
    const engine::LockView view = lockNamed(engine, "app:x");
    QCOMPARE(view.holder->lsn, first);
    QVERIFY(view.heldSince > 0);
    QCOMPARE(view.waiting, std::vector<Lsn>{second});
    QVERIFY(!exists(engine.path("second")));
    (void)writeFileAtomically(engine.path("go-first"), "", 0600);
    QCOMPARE(ending(engine.wait(second)), std::string("completed"));
    QVERIFY(lockNamed(engine, "app:x").name.empty());
    QVERIFY(!exists(engine.path("locks/app:x.lock")));
}

void TestEngines::manyOnOneLockNeverOverlap() {
    EngineTest engine(8);
    // Each takes a directory that only one can make at a time.
    std::vector<Lsn> all;
    for (int i = 0; i < 40; ++i)
        all.push_back(engine.sh("mkdir busy && sleep 0.005 && rmdir busy", R"(,"locks":["one"])"));
    for (const Lsn lsn : all) QCOMPARE(ending(engine.wait(lsn)), std::string("completed"));
}

void TestEngines::actionsWithSeveralLocksDoNotDeadlock() {
    EngineTest engine(8);
    std::vector<Lsn> all;
    const char* sets[] = {R"(["a","b"])", R"(["b","c"])", R"(["c","a"])", R"(["c","b","a"])", R"(["b","a"])"};
    for (int i = 0; i < 60; ++i)
        all.push_back(engine.sh("true", fmt::format(R"(,"priority":{},"locks":{})", i % 3, sets[i % 5])));
    for (const Lsn lsn : all) QCOMPARE(ending(engine.wait(lsn)), std::string("completed"));
}

void TestEngines::betweenEnginesTheKernelDecides() {
    QTemporaryDir shared;
    const std::string locks = shared.path().toStdString();
    EngineTest one(2, sharing(locks));
    EngineTest two(2, sharing(locks));
    const Lsn first = one.sh(untilGo("first"), R"(,"locks":["app:x"])");
    QVERIFY(EngineTest::eventually([&] { return exists(one.path("first")); }));
    const Lsn second = two.sh("true", R"(,"locks":["app:x"])");
    const Wait wait = lockOf(two, second);
    QCOMPARE(wait.holder->lsn, first);
    QCOMPARE(wait.holder->dataDir, one->dataDir());
    QVERIFY(wait.message.contains(fmt::format("action {} of the engine with pid {}", first.value, ::getpid())));
    QCOMPARE(lockNamed(two, "app:x").waiting, std::vector<Lsn>{second});
    QCOMPARE(lockNamed(one, "app:x").holder->lsn, first);
    // What needs no lock, or another one, does not wait.
    QCOMPARE(ending(two.wait(two.sh("true", R"(,"locks":["app:y"])"))), std::string("completed"));
    (void)writeFileAtomically(one.path("go-first"), "", 0600);
    const ActionResult result = two.wait(second);
    QCOMPARE(ending(result), std::string("completed"));
    QCOMPARE(result.retryCount, 0); // waiting is no failure
}

void TestEngines::whatIsCancelledWhileItWaitsNeverGetsTheLock() {
    QTemporaryDir shared;
    const std::string locks = shared.path().toStdString();
    EngineTest engine(2, sharing(locks));
    locks::LockHolder holder;
    holder.pid = 1;
    const auto held = locks::NamedLock::tryTake(locks, "x", holder);
    QVERIFY(held && !held->isBusy);
    const Lsn waits = engine.sh("echo x >ran", R"(,"locks":["x"])");
    QVERIFY(lockOf(engine, waits).holder.has_value());
    QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, waits)).has_value());
    QCOMPARE(ending(engine.wait(waits)), std::string("cancelled cancelled"));
    QVERIFY(!exists(engine.path("ran")));
}

void TestEngines::anEngineThatDiesGivesItsLocksToTheOther() {
    QTemporaryDir shared;
    const std::string locks = shared.path().toStdString();
    auto one = std::make_unique<EngineTest>(2, sharing(locks));
    EngineTest two(2, sharing(locks));
    (void)one->sh(untilGo("first"), R"(,"locks":["x"])");
    QVERIFY(EngineTest::eventually([&] { return exists(one->path("first")); }));
    const Lsn second = two.sh("true", R"(,"locks":["x"])");
    QVERIFY(lockOf(two, second).holder.has_value());
    one->stop();
    QCOMPARE(ending(two.wait(second)), std::string("completed"));
}

void TestEngines::waitersSurviveARestart() {
    EngineTest engine;
    const Lsn held = engine.sh("true", R"(,"locks":["x"],"hold":true)");
    const Lsn first = engine.sh(untilGo("first"), R"(,"locks":["x"])");
    QVERIFY(EngineTest::eventually([&] { return exists(engine.path("first")); }));
    const Lsn second = engine.sh("true", R"(,"locks":["x"])");
    engine.stop();
    QVERIFY(!exists(engine.path("locks/x.lock")));
    (void)writeFileAtomically(engine.path("go-first"), "", 0600);
    engine.start();
    QCOMPARE(ending(engine.wait(first)), std::string("completed"));
    QCOMPARE(ending(engine.wait(second)), std::string("completed"));
    QVERIFY(engine.run(engine->ask(&engine::Operations::release, held)).has_value());
    QCOMPARE(ending(engine.wait(held)), std::string("completed"));
}

void TestEngines::theCausesOfAnEndHaveTheirOwnReasons() {
    EngineTest engine(4);
    const Lsn late = engine.sh("sleep 100", R"(,"locks":["a"],"deadline_s":0.2)");
    const Lsn cancelled = engine.sh(untilGo("c"), R"(,"locks":["b"])");
    const Lsn abandoned = engine.sh(untilGo("d"), R"(,"locks":["c"])");
    QVERIFY(EngineTest::eventually([&] { return exists(engine.path("c")) && exists(engine.path("d")); }));
    for (int i = 0; i < 3; ++i) (void)engine.run(engine->ask(&engine::Operations::cancel, cancelled));
    QCOMPARE(ending(engine.wait(cancelled)), std::string("cancelled cancelled"));
    QVERIFY(EngineTest::eventually([&] {
        const auto known = engine.run(engine->ask(&engine::ActionRows::action, late));
        return known && known->retryCount > 0;
    }));
    QVERIFY(engine.run(engine->ask(&engine::SessionMoves::moveTo, SessionState::Abandoned)).has_value());
    QCOMPARE(ending(engine.wait(abandoned)), std::string("abandoned abandoned"));
    // Visibly over at once; the lock goes with the last process.
    QVERIFY(EngineTest::eventually([&] {
        for (const char* name : {"a", "b", "c"})
            if (locks::look(engine.path("locks"), name).isHeld) return false;
        return true;
    }));
}

void TestEngines::orphanedDirectoriesGoWhileTheEngineServes() {
    EngineTest engine;
    engine.stop();
    const std::string scratch = engine.path("data/scratch");
    for (const char* orphan : {"0/900.1", "3/901.2", "200/902.1", "201/.gone.00ff"}) {
        (void)makeDirectories(scratch + "/" + orphan + "/outputs");
        (void)writeFileAtomically(scratch + "/" + orphan + "/outputs/f", "half", 0600);
    }
    (void)writeFileAtomically(engine.path("locks/dead.lock"), "", 0600);
    engine.start();
    const Lsn running = engine.submit(R"({"worker":"exec","argv":["/bin/sh","-c","sleep 0.3; ls outputs"]})");
    QVERIFY(EngineTest::eventually(
        [&] { return engine.run(engine->ask(&engine::Overview::session)).janitor.reaped == 4; }));
    QCOMPARE(engine.run(engine->ask(&engine::Overview::session)).janitor.staleLocks, std::uint64_t{1});
    for (const char* orphan : {"0/900.1", "3/901.2", "200", "201"}) QVERIFY(!exists(scratch + "/" + orphan));
    QVERIFY(!exists(engine.path("locks/dead.lock")));
    QCOMPARE(ending(engine.wait(running)), std::string("completed")); // its own was left alone
    QCOMPARE(engine.run(engine->ask(&engine::Overview::metrics)).counters.orphansReaped, std::uint64_t{4});
}

// --- isolation

namespace {

/// A worker with one executable that says where it is and what it finds, and writes its LSN into a file.
std::string registerWorker(EngineTest& engine, const std::string& script, const char* mode = "process") {
    const ChunkRef file = *engine->chunks().putSmall(script);
    const std::string json = fmt::format(
        R"({{"name":"maker","version":"1","platform":"linux-x86_64","executable":"bin/make","files":[{{"path":)"
        R"("bin/make","hash":"{}","size":{},"mode":"0755"}}],"functions":[{{"name":"make","version":"1"}}],"mode":"{}"}})",
        file.hash.hex(), file.size, mode);
    auto parsed = parseWorker(json);
    if (!parsed) qFatal("worker: %s", parsed.error().message.c_str());
    const std::string id = parsed->id.hex();
    if (auto done = engine.run(engine->ask(&engine::Workers::add, std::move(*parsed))); !done)
        qFatal("worker: %s", done.error().message.c_str());
    return id;
}

} // namespace

void TestEngines::eachActionHasItsOwnDirectoryBesideSharedParts() {
    EngineTest engine;
    const std::string id = registerWorker(engine, "#!/bin/sh\npwd; ls; stat -c %i worker/bin/make; "
                                                  "touch worker/bin/x 2>/dev/null || echo closed; "
                                                  "ls -A inputs outputs | tr '\\n' ' '; ls -A inputs\n");
    const ChunkRef input = *engine->chunks().putSmall("in");
    const std::string json =
        fmt::format(R"({{"worker":"maker","function":"make","inputs":{{"a":"{}"}}}})", input.hash.hex());
    const Lsn first = engine.submit(json);
    const Lsn second = engine.submit(json);
    const std::string one = engine.text(engine.wait(first).outcome->out);
    const std::string two = engine.text(engine.wait(second).outcome->out);
    QVERIFY(one.substr(0, one.find('\n')) != two.substr(0, two.find('\n'))); // a directory each
    QVERIFY(one.starts_with(engine->dataDir() + "/scratch/"));
    struct stat st{};
    QCOMPARE(::stat((engine->dataDir() + "/workers/" + id + "/bin/make").c_str(), &st), 0);
    for (const std::string& text : {one, two}) {
        QVERIFY(text.contains("action.json\ninputs\noutputs\nworker\n"));
        QVERIFY(text.contains(fmt::format("\n{}\n", st.st_ino))); // linked, not copied
        QVERIFY(text.contains("inputs: a  outputs: ") || text.contains("inputs:"));
        if (::geteuid() != 0) QVERIFY(text.contains("closed"));
    }
}

void TestEngines::twoAtOnceOfOneWorkerDoNotMeet() {
    EngineTest engine(4);
    const std::string meet = engine.path("meet");
    (void)makeDirectories(meet);
    // Each writes its own number into a file of the same name, waits for the other, and reads it back.
    registerWorker(engine, "#!/bin/sh\nlsn=$(sed 's/.*\"lsn\":\\([0-9]*\\).*/\\1/' $YARD_ACTION)\n"
                           "echo $lsn >outputs/same\ntouch " +
                               meet + "/$lsn\nwhile [ $(ls " + meet +
                               " | wc -l) -lt 2 ]; do sleep 0.01; done\ncat outputs/same\n");
    const std::string json = R"({"worker":"maker","function":"make"})";
    const Lsn first = engine.submit(json);
    const Lsn second = engine.submit(json);
    for (const Lsn lsn : {first, second}) {
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), std::string("completed"));
        QCOMPARE(engine.text(result.outcome->out), fmt::format("{}\n", lsn.value));
        QCOMPARE(result.outcome->outputs.size(), std::size_t{1});
        QCOMPARE(engine.text(result.outcome->outputs.front().chunk), fmt::format("{}\n", lsn.value));
    }
}

void TestEngines::aWorkerThatCannotBeExecutedIsFinalForItsActions_data() {
    QTest::addColumn<QString>("mode");
    QTest::addColumn<bool>("inSandbox");
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("shellCode");
    QTest::newRow("process, no interpreter") << "process" << false << "#!/no/interpreter\n" << 127;
    QTest::newRow("process, no program") << "process" << false << "only words\n" << 126;
    QTest::newRow("process in a sandbox, no interpreter") << "process" << true << "#!/no/interpreter\n" << 127;
    QTest::newRow("process in a sandbox, no program") << "process" << true << "only words\n" << 126;
    QTest::newRow("warm, no interpreter") << "warm" << false << "#!/no/interpreter\n" << 127;
    QTest::newRow("warm in a sandbox, no program") << "warm" << true << "only words\n" << 126;
}

void TestEngines::aWorkerThatCannotBeExecutedIsFinalForItsActions() {
    QFETCH(QString, mode);
    QFETCH(bool, inSandbox);
    QFETCH(QString, script);
    QFETCH(int, shellCode);
    EngineTest engine(2, [&](engine::Options& options) { options.noSandbox = !inSandbox; });
    registerWorker(engine, script.toStdString(), mode.toUtf8());
    const auto submitted = engine.trySubmit(R"({"worker":"maker","function":"make"})");
    if (!submitted && inSandbox) QSKIP(submitted.error().message.c_str());
    const ActionResult result = engine.wait(submitted->items.front().first);
    QCOMPARE(ending(result), std::string("failed spawn_error"));
    QCOMPARE(result.retryCount, 0);
    QCOMPARE(result.attempts.size(), std::size_t{1});
    QCOMPARE(result.outcome->exitCode.value_or(0), shellCode);
    QVERIFY2(result.note.contains("bin/make"), result.note.c_str());
}

void TestEngines::whatIsWrittenToOutputsIsKeptWhereEverybodyFindsIt() {
    EngineTest engine;
    registerWorker(engine, "#!/bin/sh\nmkdir outputs/d; echo kept >outputs/d/f\n");
    const ActionResult result = engine.wait(engine.submit(R"({"worker":"maker","function":"make"})"));
    QCOMPARE(result.outcome->outputs.front().name, std::string("d/f"));
    // By its hash, for any other action or engine command, once the directory is gone.
    QCOMPARE(engine.text(result.outcome->outputs.front().chunk), std::string("kept\n"));
    QVERIFY(EngineTest::eventually([&] {
        for (const char* slot : {"0", "1"})
            if (exists(fmt::format("{}/scratch/{}/{}.1", engine->dataDir(), slot, result.lsn.value))) return false;
        return true;
    }));
    const Lsn reader =
        engine.submit(fmt::format(R"({{"worker":"exec","argv":["/bin/cat","inputs/f"],"inputs":{{"f":"{}"}}}})",
                                  result.outcome->outputs.front().chunk.hash.hex()));
    QCOMPARE(engine.text(engine.wait(reader).outcome->out), std::string("kept\n"));
}

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    QCoreApplication app(argc, argv);
    TestEngines test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_engines.moc"
