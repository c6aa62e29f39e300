// Builds at once: real make, and cargo where there is one, in actions that share the cores of a machine by their
// jobservers.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <sstream>

using namespace yard;
using namespace yard::test;

namespace {

constexpr const char* kJobserver = R"(,"max_retries":0,"jobserver":true)";
constexpr const char* kFifo = R"(,"max_retries":0,"jobserver":"fifo")";

void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A project of so many small files, each of which a recipe makes.
std::string makefile(int files, const std::string& recipe) {
    std::string text = "FILES =";
    for (int i = 0; i < files; ++i) text += fmt::format(" o{}", i);
    return text + "\nall: $(FILES)\n$(FILES):\n\t@" + recipe + "\n";
}

/// "b" and "e" of recipes, in the order of time: how many there were, and how many at once.
struct Recipes {
    int begun = 0;
    int ended = 0;
    int most = 0;
};
Recipes recipesIn(const std::string& log) {
    Recipes recipes;
    for (const char c : log) {
        recipes.begun += c == 'b' ? 1 : 0;
        recipes.ended += c == 'e' ? 1 : 0;
        recipes.most = std::max(recipes.most, recipes.begun - recipes.ended);
    }
    return recipes;
}

} // namespace

class TestBuilds : public QObject {
    Q_OBJECT

    static Lsn make(EngineTest& engine, const std::string& directory, const std::string& file,
                    const std::string& more = kJobserver) {
        QDir().mkpath(QString::fromStdString(engine.path(directory)));
        write(engine.path(directory + "/Makefile"), file);
        return engine.sh(fmt::format("cd {} && exec make", directory), more);
    }
    static std::optional<int> tokens(EngineTest& engine, Lsn lsn) {
        const auto row = engine.run(engine->ask(&engine::ActionRows::action, lsn));
        return row ? row->tokens : std::nullopt;
    }

private Q_SLOTS:
    void init() {
        if (QStandardPaths::findExecutable("make").isEmpty()) QSKIP("there is no make here");
    }

    void oneBuildUsesTheWholeMachine() {
        EngineTest engine(3);
        const Lsn lsn = make(engine, "project",
                             makefile(3, "printf b >>log; until [ -e go ]; do sleep 0.02; done; printf e >>log"));
        QVERIFY(EngineTest::eventually([&] { return read(engine.path("project/log")) == "bbb"; }));
        QVERIFY(EngineTest::eventually([&] { return tokens(engine, lsn) == 2; }));
        // What waits for a core has it once the build gives one back.
        const Lsn other = engine.sh("true");
        write(engine.path("project/go"), "x");
        QCOMPARE(ending(engine.wait(lsn)), "completed");
        QCOMPARE(ending(engine.wait(other)), "completed");
        const auto ended = engine.run(engine->ask(&engine::ActionRows::action, lsn));
        QVERIFY(!ended->tokens);
        QCOMPARE(recipesIn(read(engine.path("project/log"))).ended, 3);
    }

    void tenBuildsShareTwoCores() {
        EngineTest engine(2);
        std::vector<Lsn> lsns;
        const std::string file = makefile(20, "printf b >>../log; sleep 0.01; : >$@; printf e >>../log");
        for (int i = 0; i < 10; ++i) lsns.push_back(make(engine, fmt::format("p{}", i), file));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
        const Recipes recipes = recipesIn(read(engine.path("log")));
        QCOMPARE(recipes.begun, 200);
        QCOMPARE(recipes.ended, 200);
        QVERIFY2(recipes.most <= 2, std::to_string(recipes.most).c_str());
    }

    void aProjectInCIsCompiledBySubMakes() {
        if (QStandardPaths::findExecutable("cc").isEmpty()) QSKIP("there is no C compiler here");
        EngineTest engine(2);
        QDir().mkpath(QString::fromStdString(engine.path("c/lib")));
        std::string objects;
        for (int i = 0; i < 20; ++i) {
            write(engine.path(fmt::format("c/lib/f{}.c", i)), fmt::format("int f{0}(void) {{ return {0}; }}\n", i));
            objects += fmt::format(" f{}.o", i);
        }
        write(engine.path("c/lib/Makefile"), fmt::format("lib.a:{0}\n\tar rc $@{0}\n", objects));
        write(engine.path("c/main.c"), "int f7(void);\nint main(void) { return f7(); }\n");
        const Lsn lsn = make(engine, "c",
                             "main: lib/lib.a main.c\n\tcc -o $@ main.c lib/lib.a\nlib/lib.a:\n\t$(MAKE) -C lib\n");
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(engine.text(result.outcome->err), std::string()); // no warning that it has no jobserver
        QCOMPARE(ending(engine.wait(engine.sh("c/main", R"(,"max_retries":0)"))), "failed exit_code 7");
    }

    void aKilledMakeGivesItsTokensBack() {
        EngineTest engine(3);
        QDir().mkpath(QString::fromStdString(engine.path("k")));
        write(engine.path("k/Makefile"), makefile(3, "printf b >>log; exec sleep 1000"));
        const Lsn lsn = engine.sh(
            "cd k; make & until [ x$(cat log) = xbbb ]; do sleep 0.02; done; kill -9 $!; exit 3", kJobserver);
        QCOMPARE(ending(engine.wait(lsn)), "failed exit_code 3");
        QCOMPARE(ending(engine.wait(engine.sh("true", R"(,"resources":{"cores":3})"))), "completed");
    }

    void aCancelledBuildGivesItsTokensBack() {
        EngineTest engine(3);
        const Lsn lsn = make(engine, "x", makefile(3, "printf b >>log; exec sleep 1000"));
        QVERIFY(EngineTest::eventually([&] { return read(engine.path("x/log")) == "bbb"; }));
        const Lsn all = engine.sh("true", R"(,"resources":{"cores":3})");
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)));
        QCOMPARE(ending(engine.wait(lsn)), "cancelled cancelled");
        QCOMPARE(ending(engine.wait(all)), "completed");
    }

    void coresThatItAsksForAreTokensOfItsOwn() {
        EngineTest engine(2);
        const Lsn lsn = make(engine, "own", makefile(2, "printf b >>log; until [ -e go ]; do sleep 0.02; done"),
                             std::string(kJobserver) + R"(,"resources":{"cores":2})");
        QVERIFY(EngineTest::eventually([&] { return read(engine.path("own/log")) == "bb"; }));
        QVERIFY(EngineTest::eventually([&] { return tokens(engine, lsn) == 1; }));
        write(engine.path("own/go"), "x");
        QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void aQueueGivesOneToAllItsActions() {
        EngineTest engine(2);
        const auto queue = engine.run(
            engine->ask(&engine::Queues::create, std::string("builds"), std::string(R"({"jobserver":true})")));
        QVERIFY(queue);
        const QueueRef ref{.number = queue->id, .token = {}};
        const ActionResult has = engine.wait(engine.sh("printenv MAKEFLAGS", "", ref));
        QCOMPARE(engine.text(has.outcome->out), std::string(" -j --jobserver-auth=3,4\n"));
        const ActionResult hasNot =
            engine.wait(engine.sh("printenv MAKEFLAGS || echo none", R"(,"jobserver":false)", ref));
        QCOMPARE(engine.text(hasNot.outcome->out), std::string("none\n"));
    }

    void oneWithStandardInputHasBoth() {
        EngineTest engine(1);
        const ActionResult result = engine.wait(engine.sh(
            "read line; echo $line; [ -p /dev/fd/3 ] && [ -p /dev/fd/4 ] && ! [ -e /dev/fd/5 ] && echo pipe",
            R"(,"jobserver":true,"stdin":{"text":"hello\n"})"));
        QCOMPARE(engine.text(result.outcome->out), std::string("hello\npipe\n"));
    }

    void withTheNameOfAPipeItIsReadFromThere() {
        EngineTest engine(3);
        const Lsn lsn = engine.sh("p=${MAKEFLAGS##*fifo:}; [ -p $p ] && dd if=$p bs=1 count=2 2>/dev/null; echo; "
                                  "[ -e /dev/fd/3 ] || echo nothing else",
                                  R"(,"jobserver":"fifo")");
        QCOMPARE(engine.text(engine.wait(lsn).outcome->out), std::string("++\nnothing else\n"));
    }

    /// Programs that know named pipes (make 4.4, ninja 1.13) are in few systems yet: fifo_client.py does as they do.
    void clientsOfANamedPipeUseTheMachineOnce() {
        if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("there is no python3 here");
        EngineTest engine(3);
        const std::string client = fmt::format("exec python3 {}/fifo_client.py log", YARD_TESTS_OF_ENGINE);
        const Lsn first = engine.sh(client, kFifo);
        const Lsn second = engine.sh(client, kFifo);
        QCOMPARE(ending(engine.wait(first)), "completed");
        QCOMPARE(ending(engine.wait(second)), "completed");
        const Recipes recipes = recipesIn(read(engine.path("log")));
        QCOMPARE(recipes.begun, 80);
        QCOMPARE(recipes.ended, 80);
        QVERIFY2(recipes.most <= 3, std::to_string(recipes.most).c_str());
        QCOMPARE(ending(engine.wait(engine.sh("true", R"(,"resources":{"cores":3})"))), "completed");
    }

    void whatAKilledClientOfANamedPipeHadComesBack() {
        if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("there is no python3 here");
        EngineTest engine(3);
        const Lsn lsn =
            engine.sh(fmt::format("python3 {}/fifo_client.py log hold & "
                                  "until [ x$(cat log) = xbbb ]; do sleep 0.02; done; kill -9 $!; exit 3",
                                  YARD_TESTS_OF_ENGINE),
                      kFifo);
        QCOMPARE(ending(engine.wait(lsn)), "failed exit_code 3");
        QCOMPARE(ending(engine.wait(engine.sh("true", R"(,"resources":{"cores":3})"))), "completed");
    }

    void namedPipesOfAnEngineThatWasKilledGo() {
        EngineTest engine(1);
        engine.stop();
        QDir().mkpath(QString::fromStdString(engine.path("data/jobservers")));
        write(engine.path("data/jobservers/9.1"), "left");
        engine.start();
        QVERIFY(!QFile::exists(QString::fromStdString(engine.path("data/jobservers/9.1"))));
    }

    void cargoAndItsScriptsHaveIt() {
        if (QStandardPaths::findExecutable("cargo").isEmpty()) QSKIP("there is no cargo here");
        EngineTest engine(2);
        QDir().mkpath(QString::fromStdString(engine.path("crate/src")));
        write(engine.path("crate/Cargo.toml"),
              "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n");
        write(
            engine.path("crate/build.rs"),
            "fn main() { std::fs::write(\"../flags\", std::env::var(\"CARGO_MAKEFLAGS\").unwrap()).unwrap(); }\n");
        write(engine.path("crate/src/main.rs"), "fn main() {}\n");
        const ActionResult result =
            engine.wait(engine.sh("cd crate && exec cargo build --offline", kJobserver), std::chrono::minutes(2));
        if (ending(result) != "completed") QSKIP(engine.text(result.outcome->err).c_str());
        QVERIFY2(read(engine.path("flags")).find("3,4") != std::string::npos, read(engine.path("flags")).c_str());
    }
};

int main(int argc, char** argv) {
    if (const auto code = runners::runLauncherIfAsked(argc, argv)) return *code;
    QCoreApplication app(argc, argv);
    TestBuilds test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_builds.moc"
