// Hooks of a whole engine: real programs, in sandboxes and without, and the plugin that is a sample.
#include "tests/engine/engine_test.h"
#include "tests/engine/hook_folder_of_test.h"
#include "tests/engine/objects_bench.h"

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;

namespace {

std::string textOf(const std::string& path) {
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

} // namespace

class TestHooksWhole : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void programsAndPluginsOfAnEngine();
    void programsRunInSandboxes();
    void aProgramThatComesWhileTheEngineRunsIsAskedUntilItGoes();
};

void TestHooksWhole::programsAndPluginsOfAnEngine() {
    const QTemporaryDir folder;
    const QTemporaryDir out;
    const std::string moves = out.filePath("moves.jsonl").toStdString();
    qputenv("AUDIT_FILE", moves.c_str());
    qputenv("AUDIT_REFUSES", "casino");
    addHook(folder, "page_clean",
            R"(if grep -q '"n":13'; then echo "13 is no number"; exit 1; fi; echo '{"n": 2}')");
    addHook(folder, "*_created", fmt::format("cat > {0}/tmp; mv {0}/tmp {0}/created", out.path().toStdString()));
    yard::test::EngineTest engine(2, [&](Options& options) {
        options.hooksDir = folder.path().toStdString();
        options.plugins = {YARD_AUDIT_PLUGIN};
    });
    const auto create = [&](const std::string& json) {
        return shown(engine.run(engine->ask(&Objects::create, json)));
    };
    QVERIFY(engine.run(engine->ask(&Objects::putType, pageType())));
    QCOMPARE(create(R"({"type":"page","fields":{"n":13}})"), std::string("invalid: 13 is no number"));
    QCOMPARE(create(R"({"type":"page","fields":{"url":"casino"}})"),
             std::string("invalid: The audit does not let this in."));
    QCOMPARE(create(R"({"type":"page","fields":{"url":"x"}})"), std::string("made 1"));
    const std::string created = out.filePath("created").toStdString();
    QVERIFY(engine.eventually([&] { return textOf(created).contains(R"("hook":"page_created")"); }));
    QVERIFY(textOf(created).contains(R"("n":2)"));
    const auto id = engine.run(engine->ask(&Objects::list, ObjectQuery{}))->rows.front().row.id;
    QVERIFY(engine.run(engine->ask(&Objects::move, id, std::string("failed"), false)));
    QVERIFY(engine.eventually([&] { return textOf(moves).contains("transition_page_from_queued_to_failed_end"); }));
    const auto figures = engine.run(engine->ask(&Objects::orchestrator)).hooks;
    QCOMPARE(figures.size(), std::size_t{3});
    QCOMPARE(figures[2].name, std::string("audit"));
    QVERIFY(figures[1].runs >= 2 && figures[1].failed == 0);
    engine.stop();

    Options wrong;
    wrong.dataDir = engine.path("data");
    wrong.plugins = {engine.path("nothing.so")};
    const auto refused = Engine::open(std::move(wrong));
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.contains("it cannot be loaded"), refused.error().message.c_str());
    Options twice;
    twice.dataDir = engine.path("data");
    twice.plugins = {YARD_AUDIT_PLUGIN, YARD_AUDIT_PLUGIN};
    const auto again = Engine::open(std::move(twice));
    QVERIFY(!again);
    QVERIFY2(again.error().message.contains("audit is loaded already"), again.error().message.c_str());
}

void TestHooksWhole::aProgramThatComesWhileTheEngineRunsIsAskedUntilItGoes() {
    const QTemporaryDir folder;
    addFile(folder, "hooks.json", R"({"sandbox":false})");
    yard::test::EngineTest engine(2, [&](Options& options) { options.hooksDir = folder.path().toStdString(); });
    const auto create = [&] {
        return shown(engine.run(engine->ask(&Objects::create, std::string(R"({"type":"page"})"))));
    };
    QVERIFY(engine.run(engine->ask(&Objects::putType, pageType())));
    QCOMPARE(create(), std::string("made 1"));
    addHook(folder, "page_clean", "echo no; exit 1");
    QVERIFY(engine.eventually([&] { return create() == "invalid: no"; }));
    QVERIFY(QFile::remove(folder.filePath("page_clean")));
    QVERIFY(engine.eventually([&] { return create() == "made 1"; }));
    engine.stop();
}

void TestHooksWhole::programsRunInSandboxes() {
    const QTemporaryDir folder;
    const QTemporaryDir outside;
    QCOMPARE(::chmod(folder.path().toStdString().c_str(), 0755), 0);
    QCOMPARE(::chmod(outside.path().toStdString().c_str(), 0755), 0);
    const std::string look = fmt::format(R"(if [ -e {} ]; then echo outside; else echo inside; fi; exit 1)",
                                         outside.path().toStdString());
    addHook(folder, "page_clean", look);
    addHook(folder, "part_clean", look);
    addFile(folder, "hooks.json", R"({"programs":{"part_clean":{"sandbox":false}}})");
    yard::test::EngineTest engine(2, [&](Options& options) {
        options.hooksDir = folder.path().toStdString();
        options.noSandbox = false;
    });
    QVERIFY(engine.run(engine->ask(&Objects::putType, pageType())));
    QVERIFY(engine.run(engine->ask(&Objects::putType, pageType({}, "part"))));
    const auto page = shown(engine.run(engine->ask(&Objects::create, std::string(R"({"type":"page"})"))));
    if (page.contains("does not allow one")) QSKIP("this machine allows no sandbox");
    QCOMPARE(page, std::string("invalid: inside"));
    QCOMPARE(shown(engine.run(engine->ask(&Objects::create, std::string(R"({"type":"part"})")))),
             std::string("invalid: outside"));
}

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    const QCoreApplication application(argc, argv);
    TestHooksWhole test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_hooks_whole.moc"
