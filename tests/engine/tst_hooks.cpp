// Hooks: who is told what, who is asked, and what comes of programs and plugins that do not behave.
#include "core/engine/objects/hook_folder.h"
#include "core/engine/objects/hooks.h"
#include "core/engine/objects/plugin.h"
#include "tests/engine/hook_folder_of_test.h"
#include "tests/engine/objects_bench.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;
using namespace std::chrono_literals;

namespace {

std::string refusalOf(const Result<HookFolder>& folder) {
    return folder ? "" : folder.error().message;
}

HookFolder folderOf(const std::vector<std::string>& names) {
    HookFolder folder{.directory = "/hooks-of-test", .files = {}};
    for (const std::string& name : names) folder.files.push_back({.pattern = *lifecycle::HookPattern::parse(name)});
    return folder;
}

runners::Ended endedBy(runners::EndCause cause) {
    runners::Ended ended;
    ended.cause = cause;
    ended.spawn.message = "it cannot be run";
    return ended;
}

} // namespace

class TestEngineHooks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theHooksOfALifeComeInTheirOrder();
    void anExceptionIsToldBeforeTheEndOfItsLook();
    void aCrashIsAnExceptionAndAnEndOfItsActor();
    void effectsTellWhatBecameOfThem();
    void whatIsDeletedIsTold();
    void aPersonsMoveIsToldWithFields();
    void aCleanRefusesWithItsFirstLine();
    void aCleanChangesFieldsForTheNextOne();
    void aCleanThatFailsChangesNothing_data();
    void aCleanThatFailsChangesNothing();
    void whatACleanSaysFitsTheType();
    void ofAListNoneIsMadeWhereOneIsRefused();
    void hooksAreAskedAboutAListForALimitedTime();
    void aChangeIsCleanedAndMayBeTooLate();
    void aChildThatACleanRefusesIsTriedAgain();
    void aSlowProgramDelaysItselfAlone();
    void whatCannotBeginIsAFailure();
    void atTheEndTheLastHookIsTold();
    void aFolderHasItsRules();
    void aFolderThatOthersMayWriteIsRefused();
    void aFolderWithoutAnEndIsNotReadToIt();
    void whatCannotBeLookedAtIsNotTakenForAway();
    void programsThatComeAreAskedAndThoseThatGoAreNot();
    void aFolderThatCannotBeUsedAnyMoreLetsNothingIn();
    void withoutPlacesNoProgramComes();
    void aPluginThatIsWrongStopsTheStart_data();
    void aPluginThatIsWrongStopsTheStart();
    void aPluginIsCalledOnItsThread_data();
    void aPluginIsCalledOnItsThread();
    void aPluginThatDoesNotReturnIsLeftBehind();
};

void TestEngineHooks::theHooksOfALifeComeInTheirOrder() {
    ObjectsBench b({"*_*", "transition_*_from_*_to_*_*"});
    b.put(pageType());
    QVERIFY(b.hooksTold().starts_with("orchestrator_startup"));
    const auto made = b.rig.begin(b.objects->create(R"({"type":"page","fields":{"url":"x"}})"));
    std::string told;
    const auto more = [&] { told += " " + b.hooksTold(); };
    more();
    QVERIFY(made->has_value() && made->value().has_value());
    b.comesUp();
    more();
    b.answer(R"({"exit_code":0,"move":"started","look_in_s":100})");
    more();
    b.rig.settle();
    more();
    for (const char* hook : {"page_init", "page_clean", "page_save", "page_created", "actor_startup",
                             "actor_tick_start", "transition_page_from_queued_to_started_start", "page_updated",
                             "transition_page_from_queued_to_started_end", "actor_tick_end", "actor_shutdown",
                             "orchestrator_tick_started", "orchestrator_idle"})
        QVERIFY2(told.contains(hook), hook);
    const auto before = [&](const char* one, const char* other) { return told.find(one) < told.find(other); };
    QVERIFY(before("page_init", "page_clean"));
    QVERIFY(before("page_clean", "page_save"));
    QVERIFY(before("page_save", "page_created"));
    QVERIFY(before("page_created", "actor_startup"));
    QVERIFY(before("actor_startup", "actor_tick_start"));
    QVERIFY(before("actor_tick_start", "page_updated"));
    QVERIFY(before("page_updated", "actor_tick_end"));
    QVERIFY(before("actor_tick_end", "actor_shutdown"));
}

void TestEngineHooks::anExceptionIsToldBeforeTheEndOfItsLook() {
    ObjectsBench b({"actor_*"});
    b.looksAtPage();
    b.hooksTold();
    b.answer(R"({"exit_code":1,"message":"no such page"})");
    QCOMPARE(b.hook(), std::string("actor_tick_exception"));
    QVERIFY2(b.hookInput().contains(R"("error":"no such page")"), b.hookInput().c_str());
    QVERIFY2(b.hookInput().contains(R"("actor":"w #1")"), b.hookInput().c_str());
    QVERIFY(b.hooksTold().starts_with("actor_tick_exception actor_tick_end"));
}

void TestEngineHooks::aCrashIsAnExceptionAndAnEndOfItsActor() {
    ObjectsBench b({"actor_*"});
    b.looksAtPage();
    QCOMPARE(b.hooksTold(), std::string("actor_startup actor_tick_start"));
    b.crash();
    QVERIFY2(b.hookInput().contains("worker_crashed"), b.hookInput().c_str());
    QVERIFY(b.hooksTold().starts_with("actor_tick_exception actor_tick_end actor_shutdown"));
}

void TestEngineHooks::effectsTellWhatBecameOfThem() {
    ObjectsBench b({"sideeffect_*_*"});
    b.looksAtPage();
    b.answer(R"({"exit_code":0,"move":"started","look_in_s":100,"effects":[)"
             R"({"create":{"type":"page"}},{"create":{"type":"crawl"}},{"call":"write_index","args":{}}]})");
    const std::string told = b.hooksTold();
    for (const char* hook :
         {"sideeffect_create_started", "sideeffect_create_succeeded", "sideeffect_create_failed"})
        QVERIFY2(told.contains(hook), told.c_str());
    b.comesUp(); // another actor, if the first one ended before there was a call
    while (!b.question().empty() && !b.question().contains("write_index"))
        b.answer(R"({"exit_code":0,"move":"failed"})");
    QVERIFY(b.question().contains("write_index"));
    b.answer(R"({"exit_code":0})");
    const std::string ofCall = b.hooksTold();
    QVERIFY2(ofCall.contains("sideeffect_write_index_started"), ofCall.c_str());
    QVERIFY2(ofCall.contains("sideeffect_write_index_succeeded"), ofCall.c_str());
}

void TestEngineHooks::whatIsDeletedIsTold() {
    ObjectsBench b({"page_deleted"});
    b.put(pageType());
    const auto id = b.create(R"({"type":"page"})");
    QVERIFY(b.rig.ask(b.objects->remove({id})));
    QCOMPARE(b.hook(), std::string("page_deleted"));
    QVERIFY2(b.hookInput().contains(fmt::format(R"("object":{{"id":{})", id)), b.hookInput().c_str());
}

void TestEngineHooks::aPersonsMoveIsToldWithFields() {
    ObjectsBench b({"transition_page_*_*_*_failed_end"});
    b.put(pageType());
    const auto id = b.create(R"({"type":"page","fields":{"url":"x"}})");
    QVERIFY(b.rig.ask(b.objects->move(id, "failed", false)));
    QCOMPARE(b.hook(), std::string("transition_page_from_queued_to_failed_end"));
    QVERIFY2(b.hookInput().contains(R"("url":"x")"), b.hookInput().c_str());
    QVERIFY2(b.hookInput().contains(R"("actor":"by hand","from":"queued","to":"failed")"), b.hookInput().c_str());
}

// --- what is asked

void TestEngineHooks::aCleanRefusesWithItsFirstLine() {
    ObjectsBench b({"page_clean"});
    b.put(pageType());
    const auto made = b.rig.begin(b.objects->create(R"({"type":"page","fields":{"url":"x"}})"));
    QVERIFY(!made->has_value());
    QVERIFY2(b.hookInput().contains(R"("fields":{"url":"x","n":0})"), b.hookInput().c_str());
    b.hookEnds(1, "\nNo pages of x.\nMore that nobody reads.\n");
    QCOMPARE(shown(made->value()), std::string("invalid: No pages of x."));
    QVERIFY(b.journal.rows.empty());
    QCOMPARE(b.hooks->figures().front().failed, std::uint64_t{0}); // to refuse is its work
    const auto other = b.rig.begin(b.objects->create(R"({"type":"page"})"));
    b.hookEnds(1, "", "said on stderr\n");
    QCOMPARE(shown(other->value()), std::string("invalid: said on stderr"));
    const auto cut = b.rig.begin(b.objects->create(R"({"type":"page"})"));
    runners::Ended flood;
    flood.exitCode = 1;
    flood.out.bytes = "the end of what it said";
    flood.out.size = 100'000;
    b.hookEnds(std::move(flood));
    QCOMPARE(shown(cut->value()), std::string("invalid: The hook page_clean refuses it."));
    const auto silent = b.rig.begin(b.objects->create(R"({"type":"page"})"));
    b.hookEnds(1);
    QCOMPARE(shown(silent->value()), std::string("invalid: The hook page_clean refuses it."));
}

void TestEngineHooks::aCleanChangesFieldsForTheNextOne() {
    ObjectsBench b({"*_clean", "page_clean"});
    b.put(pageType());
    const auto made = b.rig.begin(b.objects->create(R"({"type":"page","fields":{"url":"x"}})"));
    QCOMPARE(b.hookLeases.size(), std::size_t{1}); // one after another
    b.hookEnds(0, R"({"fields":{"url":"y"}})");
    QVERIFY2(b.hookInput().contains(R"("url":"y")"), b.hookInput().c_str());
    b.hookEnds(0, R"({"n":5})");
    QVERIFY(made->value().has_value());
    QCOMPARE(b.journal.rows.at(made->value()->ids.front()).fields, R"({"url":"y","n":5})");
}

void TestEngineHooks::aCleanThatFailsChangesNothing_data() {
    QTest::addColumn<int>("cause");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("late") << static_cast<int>(runners::EndCause::Deadline) << 0 << "it took longer than 5 s";
    QTest::newRow("cannot be run") << static_cast<int>(runners::EndCause::SpawnError) << 0 << "it cannot be run";
    QTest::newRow("lost") << static_cast<int>(runners::EndCause::LostRunner) << 0 << "ended with the engine";
    QTest::newRow("another code") << static_cast<int>(runners::EndCause::Exited) << 2 << "it ended with 2";
    QTest::newRow("signal") << static_cast<int>(runners::EndCause::Exited) << -9 << "signal 9 ended it";
    QTest::newRow("garbage") << static_cast<int>(runners::EndCause::Exited) << 0 << "cannot be read";
    QTest::newRow("flood") << static_cast<int>(runners::EndCause::Exited) << 0 << "it said more than";
}

void TestEngineHooks::aCleanThatFailsChangesNothing() {
    QFETCH(int, cause);
    QFETCH(int, code);
    QFETCH(QString, says);
    ObjectsBench b({"page_clean"});
    b.put(pageType());
    const auto made = b.rig.begin(b.objects->create(R"({"type":"page"})"));
    runners::Ended ended = endedBy(static_cast<runners::EndCause>(cause));
    if (code < 0)
        ended.signal = -code;
    else
        ended.exitCode = code;
    ended.out.bytes = "garbage";
    ended.out.size = says.contains("more than") ? 100'000 : ended.out.bytes.size();
    b.hookEnds(std::move(ended));
    QVERIFY(made->has_value() && !made->value());
    QCOMPARE(errorName(made->value().error().kind), errorName(ErrorKind::NotAccepting));
    QVERIFY2(made->value().error().message.contains(says.toStdString()), made->value().error().message.c_str());
    QVERIFY(!made->value().error().message.contains(".."));
    QVERIFY(b.journal.rows.empty());
    QCOMPARE(b.hooksOver.size(), std::size_t{1});
    QCOMPARE(b.objects->orchestrator().hooks.front().failed, std::uint64_t{1});
}

void TestEngineHooks::whatACleanSaysFitsTheType() {
    ObjectsBench b({"page_clean"});
    b.put(pageType());
    const auto made = b.rig.begin(b.objects->create(R"({"type":"page"})"));
    b.hookEnds(0, R"({"n":"five"})");
    QVERIFY(shown(made->value()).starts_with("invalid: The field n of page"));
}

void TestEngineHooks::ofAListNoneIsMadeWhereOneIsRefused() {
    ObjectsBench b({"page_clean"});
    b.put(pageType());
    const auto made = b.rig.begin(b.objects->create(R"([{"type":"page"},{"type":"page"}])"));
    b.hookEnds();
    b.hookEnds(1, "not this one");
    QCOMPARE(shown(made->value()), std::string("invalid: not this one"));
    QCOMPARE(made->value().error().index, 1);
    QVERIFY(b.journal.rows.empty());
}

void TestEngineHooks::hooksAreAskedAboutAListForALimitedTime() {
    ObjectsBench b({"page_clean"});
    b.put(pageType());
    const auto made = b.rig.begin(b.objects->create(R"([{"type":"page"},{"type":"page"},{"type":"page"}])"));
    b.rig.advance(ObjectHooks::kCleanedWithin / 2);
    b.hookEnds();
    QVERIFY(!made->has_value());
    b.rig.advance(ObjectHooks::kCleanedWithin / 2); // the second one is on its way
    QCOMPARE(errorName(made->value().error().kind), errorName(ErrorKind::NotAccepting));
    QVERIFY2(made->value().error().message.contains("3 objects for 30 s"), made->value().error().message.c_str());
    QVERIFY(b.journal.rows.empty());
    b.hookEnds(); // nobody waits for it
    const auto next = b.rig.begin(b.objects->create(R"({"type":"page"})"));
    b.hookEnds();
    QCOMPARE(b.journal.rows.size(), std::size_t{1});
    QVERIFY(next->value().has_value());
}

void TestEngineHooks::aChangeIsCleanedAndMayBeTooLate() {
    ObjectsBench b({"page_clean"});
    b.put(pageType());
    const auto creating = b.rig.begin(b.objects->create(R"({"type":"page","fields":{"url":"x"}})"));
    b.hookEnds();
    const auto id = creating->value()->ids.front();
    const auto changed = b.rig.begin(b.objects->change(id, R"({"url":"y"})", {}));
    b.hookEnds(0, R"({"n":7})");
    QVERIFY(changed->value().has_value() && !changed->value()->isOther);
    QVERIFY2(b.journal.rows.at(id).fields.contains(R"("n":7)"), b.journal.rows.at(id).fields.c_str());
    const auto refused = b.rig.begin(b.objects->change(id, R"({"url":"z"})", {}));
    b.hookEnds(1, "no");
    QCOMPARE(refused->value().error().message, std::string("no"));
    const auto late = b.rig.begin(b.objects->change(id, R"({"url":"z"})", {}));
    QVERIFY(b.rig.ask(b.objects->move(id, "failed", false)));
    b.hookEnds();
    QVERIFY(late->value().has_value() && late->value()->isOther);
}

void TestEngineHooks::aChildThatACleanRefusesIsTriedAgain() {
    ObjectsBench b({"part_clean"});
    b.put(pageType({}, "part"));
    b.looksAtPage();
    b.answer(R"({"exit_code":0,"move":"started","effects":[{"create":{"type":"part"}}]})");
    QCOMPARE(b.hook(), std::string("part_clean"));
    b.hookEnds(1, "not yet");
    QCOMPARE(b.journal.rows.size(), std::size_t{1});
    b.rig.advance(10s);
    QCOMPARE(b.hook(), std::string("part_clean"));
    b.hookEnds();
    QCOMPARE(b.journal.rows.size(), std::size_t{2});
}

void TestEngineHooks::aSlowProgramDelaysItselfAlone() {
    ObjectsBench b({"page_created", "*_created"});
    b.put(pageType());
    b.create(R"({"type":"page"})");
    b.create(R"({"type":"page"})");
    QCOMPARE(b.hookLeases.size(), std::size_t{2}); // neither was waited for
    std::swap(b.hookLeases[0], b.hookLeases[1]);
    b.hookEnds();
    QCOMPARE(b.hookLeases.size(), std::size_t{2}); // the other hook gets the second event
    QCOMPARE(b.hookLeases.back().argv.front(), std::string("/hooks-of-test/*_created"));
}

void TestEngineHooks::whatCannotBeginIsAFailure() {
    ObjectsBench b({"*_created"});
    b.sandboxRefusal = Error{.kind = ErrorKind::WrongState, .message = "no sandbox", .field = {}, .need = {}};
    b.put(pageType());
    for (int i = 0; i < 3; ++i) b.create(R"({"type":"page"})");
    b.rig.settle();
    QVERIFY(b.hookLeases.empty());
    QCOMPARE(b.hooks->figures().front().failed, std::uint64_t{3});
    QVERIFY(!b.hooks->isBusy());
}

void TestEngineHooks::atTheEndTheLastHookIsTold() {
    ObjectsBench b({"orchestrator_shutdown", "page_clean", "*_created"});
    b.put(pageType());
    const auto made = b.rig.begin(b.objects->create(R"({"type":"page"})"));
    b.objects->stop();
    b.rig.settle();
    QCOMPARE(errorName(made->value().error().kind), errorName(ErrorKind::NotAccepting));
    const auto next = b.rig.begin(b.objects->create(R"({"type":"page"})"));
    QCOMPARE(errorName(next->value().error().kind), errorName(ErrorKind::NotAccepting));
    QVERIFY(b.hooks->isBusy());
    b.hookEnds();
    QCOMPARE(b.hook(), std::string("orchestrator_shutdown"));
    b.hookEnds();
    QVERIFY(!b.hooks->isBusy());
}

// --- the folder

void TestEngineHooks::aFolderHasItsRules() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QVERIFY(readHookFolder(path + "/none", false)->files.empty());
    QVERIFY(refusalOf(readHookFolder(path + "/none", true)).contains("--hooks: there is no directory"));
    addHook(folder, "page_clean", "exit 0");
    addHook(folder, "*_created", "exit 0");
    addHook(folder, "helper.sh", "exit 0"); // no hook, and left out
    addFile(folder, "page_updated", "not executable");
    addFile(folder, "hooks.json", R"({"network":true,"programs":{"page_clean":{"sandbox":false}}})");
    const auto read = readHookFolder(path, true);
    QVERIFY2(read.has_value(), refusalOf(read).c_str());
    QCOMPARE(read->files.size(), std::size_t{2});
    QVERIFY(read->files[0].isSandboxed && read->files[0].hasNetwork);
    QVERIFY(!read->files[1].isSandboxed);
    for (const char* rules :
         {"{", "[]", R"({"sandbox":1})", R"({"other":true})", R"({"programs":1})",
          R"({"programs":{"page_cleen":{}}})", R"({"programs":{"page_clean":1}})",
          R"({"programs":{"page_clean":{"x":1}}})", R"({"programs":{"page_clean":{"sandbox":0}}})"}) {
        addFile(folder, "hooks.json", rules);
        QVERIFY2(refusalOf(readHookFolder(path, true)).starts_with("hooks.json: "), rules);
    }
    QVERIFY(QFile::remove(folder.filePath("hooks.json")));
    QCOMPARE(::mkfifo((path + "/hooks.json").c_str(), 0600), 0);
    QCOMPARE(refusalOf(readHookFolder(path, true)), std::string("hooks.json: it is no file."));
    QVERIFY(QFile::remove(folder.filePath("hooks.json")));
    for (std::size_t i = 0; i < HookFolder::kMostFiles; ++i) addHook(folder, fmt::format("t{}_created", i), "");
    QVERIFY(refusalOf(readHookFolder(path, true)).contains("more than 64 hooks"));
}

void TestEngineHooks::aFolderThatOthersMayWriteIsRefused() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    addHook(folder, "page_clean", "exit 0");
    QCOMPARE(::chmod((path + "/page_clean").c_str(), 0777), 0);
    QVERIFY(refusalOf(readHookFolder(path, true)).starts_with("Others may write"));
    QCOMPARE(::chmod((path + "/page_clean").c_str(), 0755), 0);
    QVERIFY(readHookFolder(path, true));
    QCOMPARE(::chmod(path.c_str(), 0777), 0);
    QVERIFY(refusalOf(readHookFolder(path, true)).starts_with("Others may write"));
    QCOMPARE(::chmod(path.c_str(), 0700), 0);
}

void TestEngineHooks::aFolderWithoutAnEndIsNotReadToIt() {
    const QTemporaryDir folder;
    for (std::size_t i = 0; i <= HookFolder::kMostEntries; ++i) addFile(folder, fmt::format("{}.txt", i), "");
    QVERIFY(refusalOf(readHookFolder(folder.path().toStdString(), true)).contains("more than 10000 files"));
}

void TestEngineHooks::whatCannotBeLookedAtIsNotTakenForAway() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    QCOMPARE(readHookFolder(path + "/none", false)->files.size(), std::size_t{0});
    QCOMPARE(::symlink((path + "/gone").c_str(), (path + "/page_init").c_str()), 0);
    QVERIFY(readHookFolder(path, false)); // a link to nothing is none
    QCOMPARE(::symlink("page_clean", (path + "/page_clean").c_str()), 0);
    QVERIFY(refusalOf(readHookFolder(path, false)).contains("look at " + path + "/page_clean"));
    QVERIFY(refusalOf(readHookFolder(path + "/page_clean", false)).contains("look at "));
}

void TestEngineHooks::programsThatComeAreAskedAndThoseThatGoAreNot() {
    ObjectsBench b({"page_clean"});
    b.put(pageType());
    const auto create = [&] { return b.rig.begin(b.objects->create(R"({"type":"page"})")); };
    const auto first = create();
    const auto second = create();
    const auto third = create(); // waits for a place
    QCOMPARE(b.hookLeases.size(), std::size_t{2});
    b.hooks->take(folderOf({"*_created", "page_init"}));
    b.rig.settle();
    QVERIFY(third->has_value());
    QVERIFY2(shown(third->value()).contains("its file was taken away"), shown(third->value()).c_str());
    b.hookEnds(1, "no\n"); // what runs goes on, and is heard
    QCOMPARE(shown(first->value()), std::string("invalid: no"));
    b.hookEnds();
    QCOMPARE(shown(second->value()), std::string("made 1"));
    QCOMPARE(b.hooksTold(), std::string("page_created"));
    QCOMPARE(shown(create()->value()), std::string("made 1")); // nobody is asked
    QCOMPARE(b.hooksTold(), std::string("page_init page_created"));
    QCOMPARE(b.hooks->figures().size(), std::size_t{2});
    b.hooks->take(folderOf({"*_created", "page_init"})); // the same: counts stay
    QCOMPARE(b.hooks->figures().front().runs, std::uint64_t{2});
}

void TestEngineHooks::aFolderThatCannotBeUsedAnyMoreLetsNothingIn() {
    ObjectsBench b({"page_clean"});
    b.put(pageType());
    const auto create = [&] { return b.rig.begin(b.objects->create(R"({"type":"page"})")); };
    b.hooks->take(fail(ErrorKind::Invalid, "Others may write it."));
    const auto refused = create();
    b.rig.settle();
    QVERIFY(b.hookLeases.empty());
    QVERIFY2(shown(refused->value()).contains("Others may write it."), shown(refused->value()).c_str());
    b.hooks->take(folderOf({"page_clean"}));
    const auto asked = create();
    QCOMPARE(b.hook(), std::string("page_clean"));
    b.hookEnds();
    QCOMPARE(shown(asked->value()), std::string("made 1"));
}

void TestEngineHooks::withoutPlacesNoProgramComes() {
    Hooks hooks{Hooks::Parts()};
    hooks.take(folderOf({"page_clean"}));
    QVERIFY(!hooks.wants(lifecycle::HookPoint::Clean));
}

// --- plugins

void TestEngineHooks::aPluginThatIsWrongStopsTheStart_data() {
    QTest::addColumn<QString>("says");
    QTest::newRow("nothing") << "another version of plugin.h";
    QTest::newRow("small") << "another version of plugin.h";
    QTest::newRow("version") << "another version of plugin.h";
    QTest::newRow("nameless") << "it needs a name";
    QTest::newRow("idle") << "a function run";
    QTest::newRow("hookless") << "it names no hook";
    QTest::newRow("hooks") << "\"whatever\" is not the name of a hook";
    QTest::newRow("unopened") << "its open() failed with 7";
}

void TestEngineHooks::aPluginThatIsWrongStopsTheStart() {
    QFETCH(QString, says);
    qputenv("ODD_PLUGIN", QTest::currentDataTag());
    const auto plugin = Plugin::load(YARD_ODD_PLUGIN, 5s);
    QVERIFY(!plugin);
    QVERIFY2(plugin.error().message.contains(says.toStdString()), plugin.error().message.c_str());
    const auto none = Plugin::load("/nowhere/plugin.so", 5s);
    QVERIFY(none.error().message.starts_with("--plugin /nowhere/plugin.so: it cannot be loaded: "));
}

void TestEngineHooks::aPluginIsCalledOnItsThread_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isTooLong");
    QTest::newRow("says") << 0 << "page_created" << false;
    QTest::newRow("throws") << -1 << "" << false;
    QTest::newRow("long") << 0 << "" << true;
}

void TestEngineHooks::aPluginIsCalledOnItsThread() {
    QFETCH(int, code);
    QFETCH(QString, text);
    QFETCH(bool, isTooLong);
    qputenv("ODD_PLUGIN", QTest::currentDataTag());
    const auto plugin = Plugin::load(YARD_ODD_PLUGIN, 5s);
    QVERIFY(plugin.has_value());
    coro::OneShot<Plugin::Answer> shot;
    coro::Loop loop;
    std::optional<Plugin::Answer> answer;
    loop.spawn("test",
               [](coro::OneShot<Plugin::Answer>& of, std::optional<Plugin::Answer>& into) -> coro::Task<void> {
                   into = co_await of.get();
               }(shot, answer));
    (*plugin)->run("page_created", "{}", shot.promise());
    loop.run();
    QCOMPARE(answer->code, code);
    QCOMPARE(answer->text, text.toStdString());
    QCOMPARE(answer->isTooLong, isTooLong);
    QVERIFY((*plugin)->close(5s));
}

void TestEngineHooks::aPluginThatDoesNotReturnIsLeftBehind() {
    const QTemporaryDir folder;
    const std::string gate = folder.filePath("gate").toStdString();
    QCOMPARE(::mkfifo(gate.c_str(), 0600), 0);
    qputenv("ODD_PLUGIN", "gate");
    qputenv("ODD_PLUGIN_GATE", gate.c_str());
    const auto plugin = Plugin::load(YARD_ODD_PLUGIN, 5s);
    QVERIFY(plugin.has_value());
    coro::OneShot<Plugin::Answer> shot;
    (*plugin)->run("page_created", "{}", shot.promise());
    QVERIFY(!(*plugin)->close(1ms));
    QVERIFY(UniqueFd(::open(gate.c_str(), O_WRONLY | O_CLOEXEC))); // it goes on
    QVERIFY((*plugin)->close(5s));
}

QTEST_GUILESS_MAIN(TestEngineHooks)
#include "tst_hooks.moc"
