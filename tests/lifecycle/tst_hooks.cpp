// Hooks: their names, what a write tells, and which run is next.
#include "core/lifecycle/hook_queue.h"
#include "core/lifecycle/hooks.h"
#include "core/lifecycle/tick.h"
#include "tests/lifecycle/types.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <algorithm>
#include <fmt/format.h>

using namespace yard;
using namespace yard::lifecycle;
using namespace yard::test;

namespace {

constexpr Duration kMoment = std::chrono::milliseconds(7);

HookEvent hookEvent(HookPoint point, const std::string& type = "page") {
    HookEvent event;
    event.point = point;
    event.type = type;
    return event;
}

HookEvent transition(HookPoint point, const std::string& type, const std::string& from, const std::string& to) {
    HookEvent event = hookEvent(point, type);
    event.from = from;
    event.to = to;
    return event;
}

HookEvent effectEvent(HookPoint point, const std::string& name) {
    HookEvent event = hookEvent(point);
    event.effect = name;
    return event;
}

bool fires(const std::string& pattern, const HookEvent& event) {
    const auto parsed = HookPattern::parse(pattern);
    return parsed && parsed->matches(event);
}

std::string namesOf(const std::vector<HookEvent>& events) {
    std::string line;
    for (const HookEvent& event : events) line += (line.empty() ? "" : " ") + hookName(event);
    return line;
}

HookTarget target(const std::string& pattern, bool isPlugin = false) {
    HookTarget one{.name = pattern, .isPlugin = isPlugin};
    one.patterns.push_back(*HookPattern::parse(pattern));
    return one;
}

/// "created#1 updated#2": the runs that begin, with their numbers.
std::string begun(HookQueue& queue, std::vector<HookRunNumber>* numbers = nullptr) {
    std::string line;
    for (const HookRun& run : queue.take()) {
        line += fmt::format("{}{}#{}", line.empty() ? "" : " ", queue.target(run.target).name, run.number);
        if (numbers) numbers->push_back(run.number);
    }
    return line;
}

} // namespace

class TestHooks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachHookHasTheNameOfTheSpecification_data() {
        QTest::addColumn<int>("point");
        QTest::addColumn<QString>("name");
        const auto row = [](HookPoint point, const char* name) {
            QTest::newRow(name) << static_cast<int>(point) << QString(name);
        };
        using enum HookPoint;
        row(OrchestratorStartup, "orchestrator_startup");
        row(OrchestratorTickStarted, "orchestrator_tick_started");
        row(OrchestratorIdle, "orchestrator_idle");
        row(OrchestratorShutdown, "orchestrator_shutdown");
        row(ActorStartup, "actor_startup");
        row(ActorTickStart, "actor_tick_start");
        row(ActorTickEnd, "actor_tick_end");
        row(ActorTickException, "actor_tick_exception");
        row(ActorShutdown, "actor_shutdown");
        row(Init, "page_init");
        row(Clean, "page_clean");
        row(Save, "page_save");
        row(Created, "page_created");
        row(Updated, "page_updated");
        row(Deleted, "page_deleted");
        row(TransitionStart, "transition_page_from_queued_to_started_start");
        row(TransitionEnd, "transition_page_from_queued_to_started_end");
        row(EffectStarted, "sideeffect_write_index_started");
        row(EffectSucceeded, "sideeffect_write_index_succeeded");
        row(EffectFailed, "sideeffect_write_index_failed");
    }
    void eachHookHasTheNameOfTheSpecification() {
        QFETCH(int, point);
        QFETCH(QString, name);
        HookEvent event = transition(static_cast<HookPoint>(point), "page", "queued", "started");
        event.effect = "write_index";
        QCOMPARE(hookName(event), name.toStdString());
        QVERIFY(fires(hookName(event), event));
        const auto pattern = HookPattern::parse(hookName(event));
        QVERIFY(pattern->points().test(static_cast<std::size_t>(point)));
    }

    void aStarStandsInPlaceOfAPart_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("fired");
        const auto row = [](const char* pattern, const char* fired) { QTest::newRow(pattern) << pattern << fired; };
        row("*_clean", "clean");
        row("page_*", "clean created");
        row("web_page_clean", "");
        row("actor_*", "actor");
        row("transition_*_from_*_to_sealed_end", "sealed");
        row("transition_page_from_queued_to_*_*", "start");
        row("sideeffect_*_failed", "failed");
        row("*_*", "clean created actor");
    }
    void aStarStandsInPlaceOfAPart() {
        QFETCH(QString, pattern);
        QFETCH(QString, fired);
        using enum HookPoint;
        const std::vector<std::pair<std::string, HookEvent>> events = {
            {"clean", hookEvent(Clean)},
            {"created", hookEvent(Created)},
            {"actor", hookEvent(ActorTickStart)},
            {"start", transition(TransitionStart, "page", "queued", "started")},
            {"sealed", transition(TransitionEnd, "page", "started", "sealed")},
            {"failed", effectEvent(EffectFailed, "write_index")}};
        std::string line;
        for (const auto& [word, event] : events)
            if (fires(pattern.toStdString(), event)) line += (line.empty() ? "" : " ") + word;
        QCOMPARE(line, fired.toStdString());
    }

    void aTypeMayHaveUnderscoresInItsName() {
        QVERIFY(fires("web_page_clean", hookEvent(HookPoint::Clean, "web_page")));
        QVERIFY(fires("transition_web_page_from_to_do_to_done_end",
                      transition(HookPoint::TransitionEnd, "web_page", "to_do", "done")));
        QVERIFY(!fires("page_clean", hookEvent(HookPoint::Clean, "web_page")));
    }

    void whatIsNoNameOfAHookIsRefused() {
        for (const char* name :
             {"", "*", "clean", "README.md", "hooks.json", "page_cleaned", "page clean_clean",
              "transition_page_end", "orchestrator_", "_clean", "sideeffect_started", "pa*ge_clean"})
            QVERIFY2(!HookPattern::parse(name), name);
        QVERIFY(!HookPattern::parse(std::string(300, 'a') + "_clean"));
    }

    void aHookIsToldWhatApplies() {
        HookEvent event = transition(HookPoint::TransitionEnd, "page", "queued", "started");
        event.actor = "w #1";
        event.object = HookObject{.id = ObjectId(7),
                                  .status = "started",
                                  .fields = R"({"url":"a"})",
                                  .key = "k",
                                  .parent = ObjectId(3),
                                  .retryAt = 9,
                                  .revision = 2,
                                  .retries = 1};
        QCOMPARE(hookJson(event),
                 std::string("{\"hook\":\"transition_page_from_queued_to_started_end\",\"type\":\"page\","
                             "\"object\":{\"id\":7,\"type\":\"page\",\"status\":\"started\",\"retry_at\":9,\"key\":"
                             "\"k\",\"parent\":3,"
                             "\"revision\":2,\"retries\":1,\"fields\":{\"url\":\"a\"}},"
                             "\"actor\":\"w #1\",\"from\":\"queued\",\"to\":\"started\"}"));
        HookEvent idle;
        idle.point = HookPoint::OrchestratorIdle;
        QCOMPARE(hookJson(idle), std::string(R"({"hook":"orchestrator_idle"})"));
        HookEvent failed = effectEvent(HookPoint::EffectFailed, "x");
        failed.error = "no";
        QCOMPARE(hookJson(failed),
                 std::string(R"({"hook":"sideeffect_x_failed","type":"page","error":"no","effect":"x"})"));
    }

    void aMoveTellsItsStartBeforeTheCommitAndItsEndAfterIt() {
        const Type type = parsed(snapshotJson());
        const Seen seen{.id = ObjectId(7), .status = *type.find("queued"), .revision = 3};
        const auto write =
            transitionOf(type, seen, *parseAnswer(type, R"({"exit_code":0,"move":"started"})"), 1'000);
        const HookObject object{.id = ObjectId(7), .status = "queued", .revision = 3};
        QCOMPARE(namesOf(hooksBefore(type, *write, object, "w #1")),
                 std::string("transition_snapshot_from_queued_to_started_start snapshot_save"));
        const auto after = hooksAfter(type, *write, object, "w #1");
        QCOMPARE(namesOf(after), std::string("snapshot_updated transition_snapshot_from_queued_to_started_end"));
        QCOMPARE(after.front().object->status, std::string("started"));
        QCOMPARE(after.front().object->revision, Revision{4});
        QCOMPARE(after.front().actor, std::string("w #1"));
    }

    void aWaitAloneTellsNothing() {
        const Type type = parsed(snapshotJson());
        const Seen seen{.id = ObjectId(7), .status = *type.find("queued"), .revision = 3};
        Write write = *transitionOf(type, seen, *parseAnswer(type, R"({"exit_code":0,"look_in_s":5})"), 1'000);
        write.newRevision = write.revision;
        QVERIFY(hooksBefore(type, write, {}, {}).empty());
        QVERIFY(hooksAfter(type, write, {}, {}).empty());
    }

    void whatACleanSaysAreFieldsWithOrWithoutTheirName() {
        const Type type = parsed(snapshotJson());
        QCOMPARE(*cleanedFields(type, " \n"), std::string());
        QCOMPARE(*cleanedFields(type, R"({"url": "b"})"), std::string(R"({"url":"b"})"));
        QCOMPARE(*cleanedFields(type, R"({"fields": {"url": "b"}})"), std::string(R"({"url":"b"})"));
        QVERIFY(!cleanedFields(type, "fine"));
        QVERIFY(!cleanedFields(type, "[1]"));
        QVERIFY(!cleanedFields(type, R"({"fields": 1})"));
    }

    // --- the queue

    void aProgramIsToldInTheOrderOfItsEventsAndOneAtATime() {
        HookQueue queue({target("*_created"), target("*_updated")}, 3);
        QVERIFY(queue.add(hookEvent(HookPoint::Created)).empty());
        queue.add(hookEvent(HookPoint::Created));
        queue.add(hookEvent(HookPoint::Updated));
        QCOMPARE(begun(queue), std::string("*_created#1 *_updated#3"));
        QCOMPARE(begun(queue), std::string());
        queue.ended(1, true, kMoment);
        QCOMPARE(begun(queue), std::string("*_created#2"));
        queue.ended(2, true, kMoment);
        queue.ended(3, true, kMoment);
        QVERIFY(queue.isIdle());
    }

    void aPlaceIsKeptForWhatIsAsked() {
        HookQueue queue({target("page_created"), target("*_created"), target("*_clean")}, 2);
        queue.add(hookEvent(HookPoint::Created));
        QCOMPARE(begun(queue), std::string("page_created#1"));
        const auto asked = queue.askedOf(hookEvent(HookPoint::Clean));
        QCOMPARE(asked.size(), std::size_t{1});
        QVERIFY(queue.ask(asked.front(), hookEvent(HookPoint::Clean)));
        QCOMPARE(begun(queue), std::string("*_clean#3"));
        queue.ended(1, true, kMoment);
        QCOMPARE(begun(queue), std::string()); // the place that is left is not for those who observe
        queue.ended(3, true, kMoment);
        QCOMPARE(begun(queue), std::string("*_created#2"));
    }

    void whoObservesTakesTurns() {
        HookQueue queue({target("page_created"), target("*_created")}, 2);
        for (int i = 0; i < 2; ++i) queue.add(hookEvent(HookPoint::Created));
        std::vector<HookRunNumber> running;
        std::string all;
        for (int i = 0; i < 4; ++i) {
            all += begun(queue, &running) + " ";
            queue.ended(running.back(), true, kMoment);
        }
        QCOMPARE(all, std::string("page_created#1 *_created#2 page_created#3 *_created#4 "));
    }

    void atTheBoundEventsAreDroppedAndCounted() {
        HookQueue queue({target("*_created")}, 2);
        QVERIFY(queue.add(hookEvent(HookPoint::Created)).empty());
        QCOMPARE(begun(queue), std::string("*_created#1"));
        for (std::size_t i = 0; i < HookQueue::kMostWaiting; ++i)
            QVERIFY(queue.add(hookEvent(HookPoint::Created)).empty());
        QCOMPARE(queue.add(hookEvent(HookPoint::Created)), std::vector<std::string>{"*_created"});
        QVERIFY(queue.add(hookEvent(HookPoint::Created)).empty()); // said once
        QCOMPARE(queue.figures().front().dropped, std::uint64_t{2});
        QCOMPARE(queue.figures().front().waiting, HookQueue::kMostWaiting);
    }

    void eventsAreBoundedByTheirBytesToo() {
        HookQueue queue({target("*_created")}, 2);
        HookEvent large = hookEvent(HookPoint::Created);
        large.object = HookObject{.fields = '"' + std::string(HookQueue::kMostBytes / 2, 'x') + '"'};
        QVERIFY(queue.add(large).empty());
        QVERIFY(!queue.add(large).empty());
        QVERIFY(queue.add(hookEvent(HookPoint::Created)).empty()); // a small one has room
        QCOMPARE(begun(queue), std::string("*_created#1"));
        QVERIFY(queue.add(large).empty());
    }

    void tooManyQuestionsAreRefused() {
        HookQueue queue({target("*_clean")}, 2);
        const HookEvent event = hookEvent(HookPoint::Clean);
        for (std::size_t i = 0; i < HookQueue::kMostAsked; ++i) QVERIFY(queue.ask(0, event));
        const auto refused = queue.ask(0, event);
        QVERIFY(!refused);
        QCOMPARE(errorName(refused.error().kind), errorName(ErrorKind::Busy));
        queue.forget(1);
        QVERIFY(queue.ask(0, event));
    }

    void aPluginThatHangsIsAskedByNobody() {
        HookQueue queue({target("*_clean", true)}, 2);
        const HookEvent event = hookEvent(HookPoint::Clean);
        for (int i = 0; i < 3; ++i) QVERIFY(queue.ask(0, event));
        QCOMPARE(begun(queue), std::string("*_clean#1"));
        QCOMPARE(queue.hangs(1), (std::vector<HookRunNumber>{2, 3}));
        QCOMPARE(queue.figures().front().waiting, std::size_t{0});
        const auto refused = queue.ask(0, event);
        QVERIFY(!refused);
        QCOMPARE(errorName(refused.error().kind), errorName(ErrorKind::NotAccepting));
        queue.ended(1, false, kMoment);
        QVERIFY(queue.isIdle());
        QVERIFY(queue.ask(0, event));
    }

    void programsComeAndGo() {
        HookQueue queue({target("b_clean"), target("p_updated", true)}, 2);
        HookEvent of = hookEvent(HookPoint::Clean);
        const auto typed = [&](const char* type) {
            of.type = type;
            return of;
        };
        QVERIFY(queue.ask(0, typed("b")));
        QVERIFY(queue.ask(0, typed("b")));
        QCOMPARE(begun(queue), std::string("b_clean#1 b_clean#2"));
        QVERIFY(queue.ask(0, typed("b")));
        // The one goes: what waits for it is forgotten, what runs goes on, and its place is nobody's before that ends.
        QCOMPARE(queue.setPrograms({target("*_clean"), target("a_clean")}), std::vector<HookRunNumber>{3});
        QVERIFY(!queue.isThere(0, "b_clean"));
        std::string names;
        for (const std::size_t at : queue.askedOf(typed("a"))) names += queue.target(at).name + " ";
        QCOMPARE(names, std::string("*_clean a_clean "));
        QCOMPARE(queue.askedOf(typed("b")).size(), std::size_t{1});
        QCOMPARE(queue.figures().size(), std::size_t{3}); // with the plugin
        QVERIFY(!queue.isIdle());
        queue.ended(1, true, kMoment);
        queue.ended(2, true, kMoment);
        QVERIFY(queue.isIdle());
        const std::size_t places = queue.size();
        QVERIFY(queue.setPrograms({target("*_clean"), target("a_clean"), target("c_clean")}).empty());
        QCOMPARE(queue.size(), places); // the free place
        QVERIFY(queue.isThere(0, "c_clean"));
        QVERIFY(queue.setPrograms({}).empty());
        QVERIFY(!queue.wants(HookPoint::Clean));
        QVERIFY(queue.askedOf(typed("a")).empty());
    }

    void aPassThatBeginsIsToldOnceWhileOneWaits() {
        HookQueue queue({target("orchestrator_*")}, 2);
        for (int i = 0; i < 3; ++i) queue.add(hookEvent(HookPoint::OrchestratorTickStarted, ""));
        QCOMPARE(queue.figures().front().waiting, std::size_t{1});
        queue.add(hookEvent(HookPoint::OrchestratorIdle, ""));
        QCOMPARE(queue.figures().front().waiting, std::size_t{2});
    }

    void aPluginHasAThreadAndNoPlace() {
        HookQueue queue({target("*_created", true), target("page_created"), target("*_clean", true)}, 2);
        queue.add(hookEvent(HookPoint::Created));
        queue.add(hookEvent(HookPoint::Created));
        QVERIFY(queue.ask(2, hookEvent(HookPoint::Clean)));
        QVERIFY(queue.ask(2, hookEvent(HookPoint::Clean)));
        QCOMPARE(begun(queue), std::string("*_clean#5 *_created#1 page_created#2"));
        queue.ended(5, false, kMoment);
        QCOMPARE(begun(queue), std::string("*_clean#6"));
    }

    void figuresCountRunsAndFailures() {
        HookQueue queue({target("*_created")}, 2);
        for (int i = 1; i <= 20; ++i) {
            queue.add(hookEvent(HookPoint::Created));
            begun(queue);
            queue.ended(static_cast<HookRunNumber>(i), i != 20, std::chrono::milliseconds(i));
        }
        queue.ended(20, true, kMoment); // it has ended already
        const HookFigures figures = queue.figures().front();
        QCOMPARE(figures.runs, std::uint64_t{20});
        QCOMPARE(figures.failed, std::uint64_t{1});
        QCOMPARE(figures.p95, Duration(std::chrono::milliseconds(19)));
    }

    void atTheEndWhatWaitsIsForgotten() {
        HookQueue queue({target("*_created")}, 2);
        queue.add(hookEvent(HookPoint::Created));
        queue.add(hookEvent(HookPoint::Created));
        QCOMPARE(begun(queue), std::string("*_created#1"));
        queue.clear();
        QVERIFY(!queue.isIdle());
        queue.ended(1, true, kMoment);
        QVERIFY(queue.isIdle());
    }

    void whatNobodyWantsIsNotQueued() {
        HookQueue queue({target("crawl_*")}, 2);
        QVERIFY(!queue.wants(HookPoint::TransitionEnd));
        QVERIFY(queue.wants(HookPoint::Created));
        QVERIFY(!queue.wants(hookEvent(HookPoint::Created)));
        queue.add(hookEvent(HookPoint::Created));
        QVERIFY(queue.isIdle());
        QVERIFY(queue.askedOf(hookEvent(HookPoint::Clean)).empty());
    }
};

QTEST_APPLESS_MAIN(TestHooks)
#include "tst_hooks.moc"
