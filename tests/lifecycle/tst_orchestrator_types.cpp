// Types as the orchestrator knows them: new ones, new versions, those that go. Names are the seed's sentences where there
// is one (docs/objects.md).
#include "tests/lifecycle/orchestrator_bench.h"

#include <QtTest>

#include <deque>
#include <random>
#include <set>

using namespace yard;
using namespace yard::lifecycle;
using namespace yard::lifecycle::test;
using namespace yard::test;

class TestOrchestratorTypes : public QObject, private OrchestratorBench {
    Q_OBJECT

private Q_SLOTS:
    void init() { use(); }

    void mustBeAwareOfAllTypes() {
        const auto other = orchestrator_->putType(
            parsed(R"({"name": "host", "states": {"a": {"initial": true}, "z": {"final": true}},
                       "transitions": [{"from": "a", "to": "z"}], "actor": {"worker": "patcher"}})"),
            now_);
        add();
        Object object;
        object.id = ObjectId(++last_);
        object.type = *other;
        object.key = orchestrator_->keyNumber(*other, "");
        object.retryAt = now_;
        orchestrator_->add(object);
        QCOMPARE(pass(), "start 1 'anna', start 2 ''");
    }
    void actorMustBeAnInstanceOfATypeAndLaunchArguments() {
        add("anna"), add("bert"), add("anna");
        const auto starts = allOf<StartActor>(decided());
        QCOMPARE(starts.size(), 2U);
        for (const StartActor& start : starts) QCOMPARE(start.type, type_);
        QCOMPARE(starts[0].key + " " + starts[1].key, "anna bert");
    }
    void actorTypeMustSayItsQueueItsActorsAndHowManyAreSpawned() {
        use(R"("claims": {"status": ["started"]}, "max_actors": 9, "max_per_key": 9,
               "spawn": [{"over": 2, "actors": 3}, {"over": 0, "actors": 1}])");
        for (int i = 0; i < 3; ++i) add("anna", "started");
        add("anna", "queued"); // claimed by nobody
        const auto starts = allOf<StartActor>(decided());
        QCOMPARE(orchestrator_->queued(type_), 3U); // get_queue
        QCOMPARE(orchestrator_->wanted(type_), 3U);
        QCOMPARE(starts.size(), 3U);               // get_actors_to_spawn, spawn_actor
        QCOMPARE(orchestrator_->actorCount(), 3U); // get_running_actors
        QCOMPARE(allOf<StartActor>(decided()).size(), 0U);
    }
    void aNewVersionMovesItsObjectsInOneCommit() {
        add("anna", "started", 3'600 * kSecond);
        const std::string json = R"({"name": "snapshot", "version": "4", "rename": {"started": "running"},
            "states": {"queued": {"initial": true}, "running": {}, "sealed": {"final": true}},
            "transitions": [{"from": "queued", "to": "running"}, {"from": "running", "to": "sealed"}]})";
        const auto change = orchestrator_->plan(parsed(json), now_);
        QVERIFY(change.has_value());
        QCOMPARE(change->moves.size(), 1U);
        QCOMPARE(change->moves.front().from + ">" + change->moves.front().to, "started>running");
        QCOMPARE(statusOf(1), "started"); // until the journal has it
        QVERIFY(orchestrator_->putType(parsed(json), now_).has_value());
        QCOMPARE(statusOf(1), "running");
        QCOMPARE(dueIn(1), 3'600 * kSecond);
    }
    void aNewVersionWithoutAStateThatObjectsAreInIsRefused() {
        add("anna", "started");
        const std::string json =
            R"({"name": "snapshot", "states": {"queued": {"initial": true}, "sealed": {"final": true}},
            "transitions": [{"from": "queued", "to": "sealed"}]})";
        QVERIFY(orchestrator_->putType(parsed(json), now_).error().kind == ErrorKind::WrongState);
    }
    void anAnswerOfTheVersionBeforeIsDroppedAndLookedForAgain() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        QVERIFY(orchestrator_->putType(parsed(snapshotJson()), now_).has_value());
        (void)orchestrator_->take();
        orchestrator_->answered(1, Answer{.move = "started"}, now_);
        QCOMPARE(lines(orchestrator_->take()), "");
        QCOMPARE(pass(), "claim 1");
    }
    void anActorOfAVersionWithOtherLocksOrResourcesIsReplaced_data() {
        QTest::addColumn<std::string>("more");
        QTest::addColumn<std::string>("next");
        QTest::newRow("neither") << std::string() << std::string("claim 1");
        QTest::newRow("locks") << std::string(R"(, "locks": ["licence"])") << std::string("end 1");
        QTest::newRow("resources") << std::string(R"(, "resources": {"cores": 2})") << std::string("end 1");
    }
    void anActorOfAVersionWithOtherLocksOrResourcesIsReplaced() {
        QFETCH(std::string, more);
        QFETCH(std::string, next);
        add();
        QCOMPARE(begin(), "tick 1 1");
        QVERIFY(orchestrator_->putType(parsed(snapshotJson(R"("max_actors": 4, "max_per_key": 1)" + more)), now_)
                    .has_value());
        (void)orchestrator_->take();
        orchestrator_->answered(1, Answer{.move = "started"}, now_);
        QCOMPARE(pass(), next);
    }
    void aTypeWaitsForWhatIsBeingWritten() {
        add();
        for (const auto& start : allOf<StartActor>(decided())) orchestrator_->actorReady(start.actor);
        orchestrator_->hold(type_, true);
        QCOMPARE(pass(), "");
        orchestrator_->hold(type_, false);
        const auto claims = decided();
        QCOMPARE(lines(claims), "claim 1");
        QVERIFY(orchestrator_->putType(parsed(snapshotJson()), now_).error().kind == ErrorKind::Busy);
        commit(claims);
        QVERIFY(orchestrator_->putType(parsed(snapshotJson()), now_).has_value());
    }
    void aTypeWithObjectsStays() {
        add();
        QVERIFY(orchestrator_->removeType(type_).error().kind == ErrorKind::WrongState);
        orchestrator_->remove(ObjectId(1));
        QVERIFY(orchestrator_->removeType(type_).has_value());
        QVERIFY(!orchestrator_->findType("snapshot"));
    }

    // --- one loop for all types
    void mustRunASingleRunloopInTheOrderOfItsSteps() {
        add("anna"), add("bert");
        QCOMPARE(begin(), "tick 1 1, tick 2 2");
        answer(2, {.lookIn = std::chrono::hours(1)});
        add("bert"), add("carl"), add("");
        now_ += 60 * kSecond;
        // Who is late, who is free, who is to be spawned, what nobody claims: one pass, in this order.
        QCOMPARE(pass(), "end 1, write 1 0>0, claim 3, start 3 'carl', orphan 5 key_missing");
    }
    void actorMustGetItsQueueAtTheStartOfEachIterationAndPopOneObject() {
        add("anna", "queued", -5 * kSecond), add("anna", "queued", -4 * kSecond);
        QCOMPARE(begin(), "tick 1 1");
        add("anna", "queued", -9 * kSecond); // comes while the actor looks, and is due before the other one
        answer(1, {.move = "failed"});
        const auto next = decided();
        QCOMPARE(lines(next), "claim 3");
        QCOMPARE(orchestrator_->queued(type_), 1U);
    }
    void mustCollectAllObjectsWithARetryAtThatAreInNoQueue() {
        add(""), add("anna", "sealed"), add("anna", "queued", kSecond), add("anna"), add("");
        QVERIFY(pass().ends_with("orphan 1 key_missing, orphan 5 key_missing"));
        QCOMPARE(orchestrator_->orphans().count(), 2U);
        QCOMPARE(orchestrator_->queued(type_), 1U);
    }
    void theTimeIndexTakesWhatIsDueInTheOrderOfTimesAndNumbers() {
        std::mt19937 random(7);
        const auto below = [&random](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
        std::deque<Object> objects(500);
        for (std::size_t i = 0; i < objects.size(); ++i) objects[i].id = ObjectId(static_cast<std::int64_t>(i + 1));
        TimeIndex index;
        std::set<std::pair<WallMicros, ObjectId>> model;
        for (int step = 0; step < 20'000; ++step) {
            Object& object = objects[static_cast<std::size_t>(below(500))];
            if (model.erase({object.indexedAt, object.id}) > 0) {
                index.remove(object);
            } else {
                object.indexedAt = below(100);
                index.add(object);
                model.emplace(object.indexedAt, object.id);
            }
            QCOMPARE(index.next().value_or(-1), model.empty() ? -1 : model.begin()->first);
            const WallMicros now = below(3);
            const Object* const due = below(10) == 0 ? index.takeDue(now) : nullptr;
            if (!due) continue;
            QVERIFY(due->indexedAt <= now);
            QCOMPARE(due->id, model.begin()->second);
            model.erase(model.begin());
        }
        while (const Object* due = index.takeDue(1'000)) {
            QCOMPARE(due->id, model.begin()->second);
            model.erase(model.begin());
        }
        QVERIFY(model.empty());
    }
    void transitionMustNotLockObjects() {
        add("anna", "started", kSecond), add("bert");
        QCOMPARE(begin(), "tick 1 2");
        orchestrator_->answered(1, Answer{.move = "started"}, now_);
        const auto underWay = orchestrator_->take(); // and not committed
        QCOMPARE(lines(underWay), "write 2 0>1");
        // Meanwhile it may be moved by somebody else, be removed, and others are looked at.
        QVERIFY(orchestrator_->move(ObjectId(2), "failed", false, now_).has_value());
        orchestrator_->take();
        now_ += kSecond;
        QCOMPARE(pass(), "start 2 'anna'");
        orchestrator_->remove(ObjectId(2));
        commit(underWay);
        QVERIFY(!orchestrator_->find(ObjectId(2)));
    }

    void aTypeThatGoesWhileOneOfItsObjectsIsClaimedEndsTheActorOnce_data() {
        QTest::addColumn<bool>("isEndFirst");
        QTest::newRow("the claim is answered first") << false;
        QTest::newRow("the actor ends first") << true;
    }
    void aTypeThatGoesWhileOneOfItsObjectsIsClaimedEndsTheActorOnce() {
        QFETCH(bool, isEndFirst);
        add();
        for (const auto& start : allOf<StartActor>(decided())) orchestrator_->actorReady(start.actor);
        const auto claims = decided();
        QCOMPARE(lines(claims), "claim 1");
        orchestrator_->remove(ObjectId(1));
        QVERIFY(orchestrator_->removeType(type_).has_value());
        QCOMPARE(lines(orchestrator_->take()), "end 1");
        if (isEndFirst) orchestrator_->actorEnded(1, "", now_);
        commit(claims);
        QCOMPARE(pass(), isEndFirst ? "idle" : "");
        orchestrator_->actorEnded(1, "", now_);
        QCOMPARE(orchestrator_->actorCount(), 0U);
    }

    // --- parts of the orchestrator, each alone
    void anOrphanIsCountedByTypeAndReasonUntilItIsNone() {
        Orphans orphans;
        Object first;
        first.id = ObjectId(1);
        Object second;
        second.id = ObjectId(2);
        second.type = 3;
        QCOMPARE(orphans.count(3, OrphanReason::KeyMissing), 0U);
        orphans.add(second, OrphanReason::KeyMissing);
        orphans.add(first, OrphanReason::NoActor);
        orphans.add(first, OrphanReason::KeyMissing); // it is one already
        QCOMPARE(orphans.count(), 2U);
        QCOMPARE(orphans.count(0, OrphanReason::NoActor), 1U);
        QCOMPARE(orphans.count(0, OrphanReason::KeyMissing), 0U);
        QCOMPARE(orphans.count(3, OrphanReason::KeyMissing), 1U);
        QCOMPARE(orphans.first(1).size(), 1U);
        QVERIFY(orphans.first(1).front().object == ObjectId(1));
        for (int i = 0; i < 2; ++i) orphans.remove(first);
        QCOMPARE(orphans.count(), 1U);
        QCOMPARE(orphans.count(0, OrphanReason::NoActor), 0U);
        QCOMPARE(name(orphans.first().front().why), "key_missing");
    }
    void anOrphanIsWarnedOfOnceUntilThatIsTakenBack() {
        Orphans orphans;
        Object object;
        object.id = ObjectId(1);
        for (int i = 0; i < 2; ++i) orphans.warn(object);
        QCOMPARE(orphans.takeUnwarned().size(), 1U);
        QVERIFY(orphans.takeUnwarned().empty());
        object.isWarned = false;
        orphans.warn(object);
        QCOMPARE(orphans.takeUnwarned().size(), 1U);
    }
    void aTypeIsWrittenUntilEachOfItsWritesIsAnswered() {
        PendingWrites writes;
        Object object;
        object.id = ObjectId(1);
        object.type = 2;
        QVERIFY(!writes.hasOf(2));
        for (int i = 0; i < 2; ++i) writes.begin(object); // a claim, and a change by hand
        writes.end(ObjectId(1));
        writes.end(ObjectId(9)); // nobody's
        QVERIFY(writes.has(ObjectId(1)) && writes.hasOf(2));
        writes.end(ObjectId(1));
        writes.end(ObjectId(1));
        QVERIFY(!writes.has(ObjectId(1)) && !writes.hasOf(2));
    }
};

QTEST_APPLESS_MAIN(TestOrchestratorTypes)
#include "tst_orchestrator_types.moc"
