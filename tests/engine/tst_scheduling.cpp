// When actions may start: resources, dependencies, limits. Real processes tell what ran beside what.
#include "core/engine/commands/operations.h"
#include "core/engine/commands/session_moves.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>

#include <fstream>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

/// Fails when another one of these runs at the same time.
const std::string kAlone = "mkdir busy || exit 7; sleep 0.05; rmdir busy";

std::string resources(const std::string& amounts) {
    return R"(,"resources":{)" + amounts + "}";
}

std::string after(const std::string& list) {
    return R"(,"after":[)" + list + "]";
}

/// State and reasons: "pending hold: it is held".
std::string why(EngineTest& engine, Lsn lsn) {
    const auto known = engine.run(engine->ask(&engine::Reasons::why, lsn));
    if (!known) return known.error().message;
    std::string text(name(known->state));
    for (const Wait& wait : known->waits)
        text += fmt::format("{} {}: {}", &wait == &known->waits.front() ? "" : ",", name(wait.kind), wait.message);
    return text;
}

QueueRef queueWith(EngineTest& engine, const std::string& config) {
    auto queue = engine.run(engine->ask(&engine::Queues::create, "test", config));
    if (!queue) qFatal("queue: %s", queue.error().message.c_str());
    return QueueRef{queue->id, {}};
}

std::int64_t count(EngineTest& engine, ActionState state) {
    return engine.run(engine->ask(&Overview::session)).counts[static_cast<std::size_t>(state)];
}

/// Comes to its end when `count` of them run at once.
std::string together(int count) {
    return fmt::format("touch in.$$; while [ $(ls in.* | wc -l) -lt {} ]; do sleep 0.02; done", count);
}

} // namespace

class SchedulingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tenTenthsOfACoreRunAtOnce() {
        EngineTest engine(1);
        std::vector<Lsn> lsns;
        for (int i = 0; i < 10; ++i) lsns.push_back(engine.sh(together(10), resources(R"("cores":0.1)")));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    /// Leases run ahead of the slots where actions are short; a long one that takes such a slot must not keep those
    /// behind it while another slot is idle. Without a directory of their own, and with one.
    void shortOnesDoNotWaitBehindALongOneWhileASlotIsIdle_data() {
        QTest::addColumn<bool>("scratch");
        QTest::newRow("in a given directory") << false;
        QTest::newRow("in scratch directories") << true;
    }
    void shortOnesDoNotWaitBehindALongOneWhileASlotIsIdle() {
        QFETCH(bool, scratch);
        EngineTest engine(3);
        const QueueRef brief = queueWith(engine, "{}");
        const QueueRef slow = queueWith(engine, R"({"max_running":2})");
        const auto quick = [&] {
            return scratch ? engine.submit(R"({"worker":"exec","argv":["true"]})", brief)
                           : engine.sh("true", "", brief);
        };
        for (int i = 0; i < 5; ++i) engine.wait(quick()); // its queue is known to be short
        std::vector<Lsn> brisk;
        for (int i = 0; i < 30; ++i) brisk.push_back(quick());
        std::vector<Lsn> lasting;
        const std::string untilGo = fmt::format("while [ ! -e '{}' ]; do sleep 0.02; done", engine.path("go"));
        for (int i = 0; i < 2; ++i) lasting.push_back(engine.sh(untilGo, "", slow));
        for (int i = 0; i < 40; ++i) brisk.push_back(quick());
        for (const Lsn lsn : brisk) QCOMPARE(ending(engine.wait(lsn)), "completed");
        for (const Lsn lsn : lasting)
            QVERIFY(!isEnded(engine.run(engine->ask(&engine::ActionRows::action, lsn))->state));
        std::ofstream(engine.path("go")) << "now";
        for (const Lsn lsn : lasting) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void theEleventhTenthWaits() {
        EngineTest engine(1);
        std::vector<Lsn> lsns;
        for (int i = 0; i < 11; ++i)
            lsns.push_back(engine.sh("while [ ! -e go ]; do sleep 0.02; done", resources(R"("cores":0.1)")));
        QVERIFY(EngineTest::eventually([&] { return count(engine, ActionState::Running) == 10; }));
        QCOMPARE(count(engine, ActionState::Pending), 1);
        std::ofstream(engine.path("go")) << "now";
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void memoryIsNotOverbooked() {
        EngineTest engine(4, [](engine::Options& options) { options.resources.memoryMb = 1000; });
        std::vector<Lsn> lsns;
        for (int i = 0; i < 6; ++i) lsns.push_back(engine.sh(kAlone, resources(R"("cores":0.5,"memory_mb":600)")));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void aLicenceIsUsedByOneAtATime() {
        EngineTest engine(4, [](engine::Options& options) { options.resources.named = {{"licence.x", 1000}}; });
        std::vector<Lsn> lsns;
        for (int i = 0; i < 6; ++i) lsns.push_back(engine.sh(kAlone, resources(R"("licence.x":1)")));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void shortActionsBesideFractionsStayWithinTheCores() {
        EngineTest engine(2);
        std::vector<Lsn> lsns;
        // Whole cores are sent ahead once they are known to be short; two of 1.5 cores never run together.
        for (int i = 0; i < 60; ++i)
            lsns.push_back(i % 6 == 5 ? engine.sh(kAlone, resources(R"("cores":1.5)")) : engine.sh("true"));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void anActionStartsAfterThoseItWaitsFor() {
        EngineTest engine;
        const Lsn first = engine.sh("while [ ! -e go ]; do sleep 0.02; done; touch a");
        const Lsn second = engine.sh("touch b");
        const Lsn child =
            engine.sh("test -e a && test -e b", after(fmt::format("{},{}", first.value, second.value)));
        QCOMPARE(ending(engine.wait(second)), "completed");
        QCOMPARE(name(engine.run(engine->ask(&engine::ActionRows::action, child))->state), "pending");
        std::ofstream(engine.path("go")) << "now";
        QCOMPARE(ending(engine.wait(child)), "completed");
    }

    void aChildOfAFailedOneFailsAndSaysWhy() {
        EngineTest engine;
        const QueueRef queue = queueWith(engine, R"({"max_retries":0})");
        const Lsn parent = engine.sh("sleep 0.1; exit 1", "", queue);
        const Lsn child = engine.sh("true", after(fmt::format("{}", parent.value)));
        const Lsn grandchild = engine.sh("true", after(fmt::format("{}", child.value)));
        const Lsn cleaner = engine.sh("true", after(fmt::format(R"({{"lsn":{},"on":"failed"}})", parent.value)));
        const Lsn either = engine.sh("true", after(fmt::format(R"({{"lsn":{},"on":"any"}})", parent.value)));
        const ActionResult failed = engine.wait(child);
        QCOMPARE(ending(failed), "failed dependency_failed");
        QCOMPARE(failed.note,
                 fmt::format("it waited for action {} to be completed, and that one is failed", parent.value));
        QCOMPARE(ending(engine.wait(grandchild)), "failed dependency_failed");
        QCOMPARE(ending(engine.wait(cleaner)), "completed");
        QCOMPARE(ending(engine.wait(either)), "completed");
        QCOMPARE(engine.wait(child).retryCount, 0);
    }

    void onesThatHaveEndedCountAsTheyEnded() {
        EngineTest engine;
        const QueueRef queue = queueWith(engine, R"({"max_retries":0})");
        const Lsn good = engine.sh("true");
        const Lsn bad = engine.sh("false", "", queue);
        QCOMPARE(ending(engine.wait(good)), "completed");
        QCOMPARE(ending(engine.wait(bad)), "failed exit_code 1");
        QCOMPARE(ending(engine.wait(engine.sh("true", after(fmt::format("{}", good.value))))), "completed");
        QCOMPARE(ending(engine.wait(engine.sh("true", after(fmt::format("{},{}", good.value, bad.value))))),
                 "failed dependency_failed");
    }

    void everyElementOfAnArrayWaits() {
        EngineTest engine;
        const Lsn parent = engine.sh("sleep 0.1; touch done");
        const Lsn array =
            engine.sh("test -e done", after(fmt::format("{}", parent.value)) + R"(,"array":{"from":0,"to":19})");
        for (int i = 0; i < 20; ++i) QCOMPARE(ending(engine.wait(Lsn{array.value + i})), "completed");
    }

    void thoseThatWaitAreFoundByWhatTheyWaitFor() {
        EngineTest engine;
        const Lsn parent = engine.sh("true", R"(,"hold":true)");
        const Lsn other = engine.sh("true", R"(,"hold":true)");
        const Lsn child = engine.sh("true", after(fmt::format("{}", parent.value)));
        const Lsn array = engine.sh("true", after(fmt::format("{},{}", other.value, parent.value)) +
                                                R"(,"array":{"from":0,"to":4})");
        const auto asked = [](const std::string& filter, const char* sort = "lsn") {
            ListQuery query;
            query.filter = *parseFilter(filter, wallNow());
            query.sort = *parseSort(sort);
            query.limit = 3;
            return query;
        };
        const auto listed = [&](const std::string& filter, const char* sort = "lsn") {
            std::string text;
            ListQuery query = asked(filter, sort);
            do {
                const auto page = engine.run(engine->ask(&engine::Listing::list, query));
                if (!page) return std::string(errorName(page.error().kind));
                for (const ActionResult& job : page->jobs) text += fmt::format("{} ", job.lsn.value - parent.value);
                query.cursor = page->cursor;
            } while (!query.cursor.empty());
            return text;
        };
        const std::string ofParent = fmt::format("after:{}", parent.value);
        QCOMPARE(listed(ofParent), "2 3 4 5 6 7 ");
        QCOMPARE(listed(fmt::format("after:{}", other.value)), "3 4 5 6 7 ");
        QCOMPARE(listed(ofParent, "-submitting"), "7 6 5 4 3 2 ");
        QCOMPARE(listed("-" + ofParent), "0 1 ");
        QCOMPARE(listed(fmt::format("after>{}", parent.value)), "3 4 5 6 7 ");
        QCOMPARE(listed(fmt::format("after:{}..{} -lsn:{}", parent.value, other.value, array.value)), "2 4 5 6 7 ");
        QCOMPARE(engine.run(engine->ask(&engine::Listing::count, asked(ofParent)))->count, 6);
        ListQuery numbers = asked(ofParent);
        numbers.limit = 10;
        const auto part = [&] { return *engine.run(engine->ask(&engine::Listing::lsns, numbers)); };
        for (LsnPart got = part(); got.lsns.empty() && !got.cursor.empty(); got = part())
            numbers.cursor = got.cursor;
        QCOMPARE(part().lsns, (std::vector<Lsn>{child, array, Lsn(array.value + 1), Lsn(array.value + 2),
                                                Lsn(array.value + 3), Lsn(array.value + 4)}));
        const auto held = engine.run(engine->ask(&engine::Operations::changeMatching,
                                                 {.deed = {.kind = BulkKind::Hold}, .which = asked(ofParent)}));
        QCOMPARE(held->changed, 6);
        // Also when all that waited for has ended, and after a restart.
        for (const Lsn lsn : {parent, other})
            QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)).has_value());
        QCOMPARE(ending(engine.wait(child)), "failed dependency_failed");
        engine.stop();
        engine.start();
        QCOMPARE(listed(ofParent), "2 3 4 5 6 7 ");
    }

    void anUnknownPredecessorIsRefused() {
        EngineTest engine;
        const auto refused = engine.trySubmit(engine.shJson("true", after("4711")));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Invalid);
        QCOMPARE(refused.error().field, "after");
        QCOMPARE(refused.error().index, -1);
        QVERIFY2(refused.error().message.contains("4711"), refused.error().message.c_str());
        const auto inList =
            engine.trySubmit("[" + engine.shJson("true") + "," + engine.shJson("true", after("4711")) + "]");
        QCOMPARE(inList.error().index, 1);
    }

    void dependenciesSurviveARestart() {
        EngineTest engine;
        const QueueRef held = queueWith(engine, R"({"max_retries":0,"idle_expiry_s":0})");
        QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, held, true)).has_value());
        const Lsn done = engine.sh("true");
        QCOMPARE(ending(engine.wait(done)), "completed");
        const Lsn parent = engine.sh("touch parent", "", held);
        const Lsn loser = engine.sh("false", "", held);
        const Lsn child = engine.sh("test -e parent", after(fmt::format("{},{}", done.value, parent.value)));
        const Lsn orphan = engine.sh("true", after(fmt::format("{}", loser.value)));
        engine.stop();
        engine.start();
        QCOMPARE(name(engine.run(engine->ask(&engine::ActionRows::action, child))->state), "pending");
        QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, held, false)).has_value());
        QCOMPARE(ending(engine.wait(child)), "completed");
        QCOMPARE(ending(engine.wait(orphan)), "failed dependency_failed");
    }

    void aPredecessorThatEndsWhileItsChildIsAcceptedIsNotMissed() {
        EngineTest engine;
        std::vector<Lsn> children;
        for (int i = 0; i < 200; ++i) {
            const Lsn parent = engine.submit(R"({"worker":"exec","argv":["true"],"cwd":"/"})");
            children.push_back(engine.submit(R"({"worker":"exec","argv":["true"],"cwd":"/")" +
                                             after(fmt::format("{}", parent.value)) + "}"));
        }
        for (const Lsn child : children) QCOMPARE(ending(engine.wait(child)), "completed");
    }

    void manyChildrenOfOneAllStart() {
        EngineTest engine;
        const Lsn parent = engine.sh("while [ ! -e go ]; do sleep 0.02; done");
        const Lsn array =
            engine.sh("true", after(fmt::format("{}", parent.value)) + R"(,"array":{"from":0,"to":2999})");
        // They fail or start in steps; cancelled ones do not wait for their turn.
        const QueueRef none{QueueId{0}, {}};
        for (int i = 0; i < 2900; ++i)
            QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, Lsn{array.value + i})).has_value());
        std::ofstream(engine.path("go")) << "now";
        for (int i = 2900; i < 3000; ++i) QCOMPARE(ending(engine.wait(Lsn{array.value + i})), "completed");
        QCOMPARE(engine.run(engine->ask(&engine::Queues::get, none))->counters.active(), 0);
    }

    void aQueueRunsNoMoreThanItsLimit() {
        EngineTest engine(4);
        const QueueRef queue = queueWith(engine, R"({"max_running":1})");
        std::vector<Lsn> lsns;
        for (int i = 0; i < 5; ++i) lsns.push_back(engine.sh(kAlone, "", queue));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void aQueueRunsNoMoreOfALabelThanItsLimit() {
        EngineTest engine(4);
        const QueueRef queue = queueWith(engine, R"({"label_limits":{"io":1},"idle_expiry_s":0})");
        std::vector<Lsn> lsns;
        for (int i = 0; i < 3; ++i) lsns.push_back(engine.sh(kAlone, R"(,"label":"io")", queue));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
        engine.stop(); // the limit is kept
        engine.start();
        for (int i = 0; i < 3; ++i) lsns.push_back(engine.sh(kAlone, R"(,"label":"io")", queue));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
        QVERIFY(engine.run(engine->ask(&engine::Queues::configure, queue, R"({"label_limits":null})")).has_value());
        lsns.clear();
        for (int i = 0; i < 3; ++i) lsns.push_back(engine.sh(together(3), R"(,"label":"io")", queue));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void aQueueStopsAfterSoManyFailures() {
        EngineTest engine(1);
        const QueueRef queue =
            queueWith(engine, R"({"max_retries":0,"stop_after_failures":2,"idle_expiry_s":0,"max_running":1})");
        const Lsn one = engine.sh("false", "", queue);
        const Lsn two = engine.sh("false", "", queue);
        const Lsn three = engine.sh("true", "", queue);
        QCOMPARE(ending(engine.wait(one)), "failed exit_code 1");
        QCOMPARE(ending(engine.wait(two)), "failed exit_code 1");
        QVERIFY(EngineTest::eventually([&] { return engine.run(engine->ask(&engine::Queues::get, queue))->held; }));
        engine.stop(); // it is kept
        engine.start();
        QVERIFY(engine.run(engine->ask(&engine::Queues::get, queue))->held);
        QCOMPARE(name(engine.run(engine->ask(&engine::ActionRows::action, three))->state), "pending");
        QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, queue, false)).has_value());
        QCOMPARE(ending(engine.wait(three)), "completed");
        const Lsn four = engine.sh("false", "", queue); // counted again
        QCOMPARE(ending(engine.wait(four)), "failed exit_code 1");
        QVERIFY(!engine.run(engine->ask(&engine::Queues::get, queue))->held);
    }

    void aQueueThatStoppedAfterOneFailureSaysSo() {
        EngineTest engine(1);
        const QueueRef queue =
            queueWith(engine, R"({"max_retries":0,"stop_after_failures":1,"idle_expiry_s":0,"max_running":1})");
        const Lsn one = engine.sh("false", "", queue);
        const Lsn two = engine.sh("true", "", queue);
        QCOMPARE(ending(engine.wait(one)), "failed exit_code 1");
        QVERIFY(EngineTest::eventually([&] { return engine.run(engine->ask(&engine::Queues::get, queue))->held; }));
        QCOMPARE(why(engine, two), "pending hold: its queue is held after 1 failure");
    }

    void aChangedPriorityAndQueueAreKept() {
        EngineTest engine;
        const QueueRef to = queueWith(engine, R"({"idle_expiry_s":0})");
        const Lsn lsn = engine.sh("true", R"(,"hold":true)");
        QVERIFY(
            engine.run(engine->ask(&engine::Operations::change, lsn, {.priority = 5, .queue = to})).has_value());
        engine.stop();
        engine.start();
        const auto known = engine.run(engine->ask(&engine::ActionRows::action, lsn));
        QCOMPARE(known->priority, 5);
        QVERIFY(known->queue == *to.number);
        QCOMPARE(
            engine.run(engine->ask(&engine::Operations::change, lsn, {.priority = 101, .queue = {}})).error().kind,
            ErrorKind::Invalid);
        QVERIFY(engine.run(engine->ask(&engine::Operations::release, lsn)).has_value());
        QCOMPARE(ending(engine.wait(lsn)), "completed");
        QCOMPARE(
            engine.run(engine->ask(&engine::Operations::change, lsn, {.priority = 1, .queue = {}})).error().kind,
            ErrorKind::WrongState);
        QCOMPARE(engine.run(engine->ask(&engine::Queues::get, to))->counters.completed, 1);
    }

    void aRetryRuleDecidesByExitCode() {
        EngineTest engine;
        const QueueRef queue = queueWith(
            engine, R"({"max_retries":2,"backoff_s":0.01,"retry_rules":[{"exit_codes":[3],"retry":false}]})");
        QCOMPARE(engine.wait(engine.sh("exit 3", "", queue)).retryCount, 0);
        QCOMPARE(engine.wait(engine.sh("exit 4", "", queue)).retryCount, 2);
    }

    void whatWasToldToEndSaysSoUntilItHas() {
        EngineTest engine(1, [](engine::Options& options) { options.grace = std::chrono::seconds(60); });
        const Lsn lsn = engine.sh("trap '' TERM; touch ready; while [ ! -e go ]; do sleep 0.02; done");
        const Lsn waits = engine.sh("true");
        QVERIFY(EngineTest::eventually([&] { return QFile::exists(engine.dir().filePath("ready")); }));
        QVERIFY(EngineTest::eventually([&] { // the engine has heard of it, too
            return engine.run(engine->ask(&engine::ActionRows::action, lsn))->state == ActionState::Running;
        }));
        QCOMPARE(engine.run(engine->ask(&engine::Operations::beingCancelled, {lsn, waits})), 0);
        engine::BulkRequest cancelling;
        cancelling.deed.kind = engine::BulkKind::Cancel;
        const auto cancelled = engine.run(engine->ask(&engine::Operations::changeMatching, std::move(cancelling)));
        QVERIFY(cancelled.has_value());
        QCOMPARE(cancelled->changed, 2);
        QCOMPARE(cancelled->ending, 1);
        QCOMPARE(engine.run(engine->ask(&engine::Operations::beingCancelled, {lsn, waits, Lsn(99)})), 1);
        QCOMPARE(why(engine, lsn), "running ending: told to end, SIGKILL follows");
        const auto known = engine.run(engine->ask(&engine::Reasons::why, lsn));
        QCOMPARE(known->waits.front().until - known->waits.front().since, 60'000'000);
        QFile go(engine.dir().filePath("go"));
        QVERIFY(go.open(QIODevice::WriteOnly));
        QCOMPARE(ending(engine.wait(lsn)), "cancelled cancelled");
        QCOMPARE(why(engine, lsn), "cancelled");
    }

    void whyAnsweredInEveryState() {
        EngineTest engine(1, [](engine::Options& options) { options.resources.named = {{"licence.x", 1000}}; });
        const std::string busy = "while [ ! -e go ]; do sleep 0.02; done";
        const Lsn runs = engine.sh(busy);
        QVERIFY(EngineTest::eventually([&] { return why(engine, runs) == "running"; }));
        const QueueRef held = queueWith(engine, R"({"max_retries":1,"backoff_s":60})");
        const Lsn next = engine.sh("true");
        const Lsn later = engine.sh("true", resources(R"("cores":1,"licence.x":0.5)"));
        QCOMPARE(why(engine, next), "pending capacity: 0 of 1 cores free, first of its queue");
        QCOMPARE(why(engine, later), "pending capacity: 0 of 1 cores free, 1 of its queue before it");
        QCOMPARE(why(engine, engine.sh("true", R"(,"hold":true)")), "pending hold: it is held");
        const Lsn child = engine.sh("true", after(fmt::format("{},{}", runs.value, next.value)));
        QCOMPARE(why(engine, child),
                 fmt::format("pending dependency: action {} to be completed, dependency: action {} to be "
                             "completed",
                             runs.value, next.value));
        QCOMPARE(engine.run(engine->ask(&engine::ActionRows::action, child))->note, "2 actions to end");
        QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, held, true)).has_value());
        QCOMPARE(why(engine, engine.sh("true", "", held)), "pending hold: its queue is held");
        QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, held, false)).has_value());
        std::ofstream(engine.path("go")) << "now";
        QCOMPARE(ending(engine.wait(child)), "completed");
        QCOMPARE(why(engine, child), "completed");
        const Lsn fails = engine.sh("false", "", held);
        QVERIFY(EngineTest::eventually([&] { return why(engine, fails).starts_with("pending backoff: "); }));
        QVERIFY(engine.run(engine->ask(&engine::Reasons::why, fails))->waits.front().until > wallNow());
        QCOMPARE(engine.run(engine->ask(&engine::Reasons::why, Lsn{4711})).error().kind, ErrorKind::NotFound);
        QVERIFY(engine.run(engine->ask(&SessionMoves::moveTo, SessionState::Paused)).has_value());
        QVERIFY2(why(engine, fails).contains("hold: the session is paused"), why(engine, fails).c_str());
    }

    void whatCanNeverStartIsRefusedWithTheReason_data() {
        QTest::addColumn<QString>("amounts");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("contains");
        QTest::addRow("cores") << R"("cores":3)"
                               << "resources.cores"
                               << "--capacity";
        QTest::addRow("memory") << R"("memory_mb":1001)"
                                << "resources.memory_mb"
                                << "1000";
        QTest::addRow("an unknown name") << R"("licence.y":1)"
                                         << "resources.licence.y"
                                         << "has 0";
        QTest::addRow("more than there is") << R"("licence.x":2.5)"
                                            << "resources.licence.x"
                                            << "asks for 2.5";
    }
    void whatCanNeverStartIsRefusedWithTheReason() {
        QFETCH(QString, amounts);
        QFETCH(QString, field);
        QFETCH(QString, contains);
        EngineTest engine(2, [](engine::Options& options) {
            options.resources.memoryMb = 1000;
            options.resources.named = {{"licence.x", 2000}};
        });
        const auto refused = engine.trySubmit(engine.shJson("true", resources(amounts.toStdString())));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Invalid);
        QCOMPARE(QString::fromStdString(refused.error().field), field);
        QVERIFY2(refused.error().message.contains(contains.toStdString()), refused.error().message.c_str());
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    SchedulingTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_scheduling.moc"
