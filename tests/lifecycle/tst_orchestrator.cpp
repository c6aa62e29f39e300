// What the orchestrator decides: a pass, actors and their queues, orphans, wakes, calls. Names are the seed's sentences
// where there is one (docs/objects.md).
#include "tests/lifecycle/orchestrator_bench.h"

#include <QtTest>

using namespace yard;
using namespace yard::lifecycle;
using namespace yard::lifecycle::test;
using namespace yard::test;

class TestOrchestrator : public QObject, private OrchestratorBench {
    Q_OBJECT

    const Effect create_{.kind = EffectKind::Create, .body = "{}"};

private Q_SLOTS:
    void init() { use(); }

    // --- the actor's life
    void actorMustBeStartedLazilyOnlyWhenPendingObjectsExist() {
        QCOMPARE(pass(), "idle");
        add("anna", "queued", 5 * kSecond);
        QCOMPARE(pass(), "idle");
        now_ += 5 * kSecond;
        QCOMPARE(pass(), "start 1 'anna'");
        QCOMPARE(pass(), "");
    }
    void actorMustExitWhenItsQueueIsEmpty() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "failed"});
        QCOMPARE(pass(), "end 1");
        orchestrator_->actorEnded(1, "", now_);
        QCOMPARE(pass(), "idle");
        QCOMPARE(orchestrator_->actorCount(), 0U);
    }
    void anActorLingersForAsLongAsItsTypeSays() {
        use(R"("max_actors": 1, "max_per_key": 1, "linger_s": 5)");
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "failed"});
        QCOMPARE(pass(), "");
        QCOMPARE(*orchestrator_->nextPass(now_) - now_, 5 * kSecond);
        now_ += 4 * kSecond;
        add();
        const auto next = decided(); // the same one looks
        QCOMPARE(lines(next), "claim 2");
        commit(next);
        QCOMPARE(lines(orchestrator_->take()), "tick 1 2");
        answer(1, {.move = "failed"});
        QCOMPARE(pass(), "");
        now_ += 5 * kSecond - 1;
        QCOMPARE(pass(), "");
        now_ += 1;
        QCOMPARE(pass(), "end 1");
    }
    void anActorThatLingersStandsInTheWayOfNoOtherKey() {
        use(R"("max_actors": 1, "max_per_key": 1, "linger_s": 5)");
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "failed"});
        QCOMPARE(pass(), "");
        add("bert");
        QCOMPARE(pass(), "end 1");
    }
    void mustCallOnlyOneTickPerIteration() {
        add(), add();
        QCOMPARE(begin(), "tick 1 1");
        QCOMPARE(pass(), "");
        answer(1, {.move = "started", .lookIn = std::chrono::hours(1)});
        const auto next = decided();
        QCOMPARE(lines(next), "claim 2");
        commit(next);
        QCOMPARE(lines(orchestrator_->take()), "tick 1 2");
    }
    void mustFirstBumpRetryAtToAvoidConcurrentActorsClashing() {
        use(R"("max_actors": 4, "max_per_key": 4, "spawn": [{"over": 0, "actors": 4}])");
        add();
        for (const auto& start : allOf<StartActor>(decided())) orchestrator_->actorReady(start.actor);
        const auto claims = decided();
        QCOMPARE(allOf<Claim>(claims).size(), 1U);
        QCOMPARE(allOf<Claim>(claims).front().retryAt, now_ + 60 * kSecond);
        QVERIFY(allOf<SendTick>(claims).empty()); // not before its commit
        commit(claims);
        QCOMPARE(allOf<SendTick>(orchestrator_->take()).size(), 1U);
        QCOMPARE(dueIn(1), 60 * kSecond);
        orchestrator_->pass(now_);
        QVERIFY(allOf<Claim>(orchestrator_->take()).empty());
    }
    void mustEnforceThatATickTakesNoLongerThanItsLimit() {
        add(), add();
        QCOMPARE(begin(), "tick 1 1");
        QCOMPARE(*orchestrator_->nextPass(now_), now_ + 60 * kSecond);
        now_ += 60 * kSecond;
        const auto late = decided();
        QCOMPARE(lines(late), "end 1, write 1 0>0");
        QCOMPARE(allOf<Write>(late).front().lastError, "tick_timeout");
        commit(late);
        QCOMPARE(dueIn(1), 10 * kSecond);
        orchestrator_->actorEnded(1, "", now_);
        QCOMPARE(pass(), "start 2 'anna'"); // for the other one
    }
    void mustCatchExceptionsFromTick() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        orchestrator_->answered(1, fail(ErrorKind::Invalid, "no such host"), now_);
        const auto writes = orchestrator_->take();
        QCOMPARE(allOf<Write>(writes).front().lastError, "no such host");
        commit(writes);
        QCOMPARE(statusOf(1), "queued");
        QCOMPARE(orchestrator_->find(ObjectId(1))->retries, 1);
        QCOMPARE(dueIn(1), 10 * kSecond);
    }
    void aCrashTouchesNoOtherObjectOfTheQueue() {
        add(), add();
        QCOMPARE(begin(), "tick 1 1");
        orchestrator_->actorEnded(1, "worker_crashed", now_);
        const auto writes = orchestrator_->take();
        QCOMPARE(lines(writes), "write 1 0>0");
        commit(writes);
        QCOMPARE(orchestrator_->find(ObjectId(2))->retries, 0);
        QCOMPARE(pass(), "start 2 'anna'");
    }
    void anActorThatCannotStartIsTriedAgainAfterTheBackOff() {
        add();
        QCOMPARE(pass(), "start 1 'anna'");
        orchestrator_->actorEnded(1, "no such file", now_);
        QCOMPARE(pass(), "");
        QCOMPARE(*orchestrator_->nextPass(now_), now_ + 10 * kSecond);
        now_ += 10 * kSecond;
        QCOMPARE(pass(), "start 2 'anna'");
    }

    void readMustNotHaveSideEffects() {
        add();
        std::vector<Decision> all = decided();
        orchestrator_->actorReady(1);
        for (Decision& decision : decided()) all.push_back(std::move(decision));
        QCOMPARE(allOf<Write>(all).size(), 0U); // a claim moves retry_at, and nothing is written before the answer
        QCOMPARE(allOf<Claim>(all).size(), 1U);
    }
    void writeMustNotTriggerSideEffects() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        Answer answer{.move = "started", .set = {}, .lookIn = std::chrono::hours(1), .effects = {}};
        answer.effects.push_back({.kind = EffectKind::Call, .body = "{}"});
        orchestrator_->answered(1, answer, now_);
        const auto writes = orchestrator_->take();
        QCOMPARE(lines(writes), "write 1 0>1");
        QCOMPARE(allOf<Write>(writes).front().effects.size(), 1U); // rows of its commit, carried out later
        commit(writes);
        QCOMPARE(pass(), "end 1");
    }

    // --- how many actors
    void aSmallQueueOfOneKeySpawnsASingleActor() {
        use(R"("max_actors": 9, "max_per_key": 9, "spawn": [{"over": 10, "actors": 4}, {"over": 5, "actors": 2},
            {"over": 0, "actors": 1}])");
        for (int i = 0; i < 5; ++i) add();
        QCOMPARE(allOf<StartActor>(decided()).size(), 1U);
        add();
        QCOMPARE(allOf<StartActor>(decided()).size(), 1U); // two in all
        for (int i = 0; i < 5; ++i) add();
        QCOMPARE(allOf<StartActor>(decided()).size(), 2U); // four
    }
    void aLargeQueueSpawnsOneActorPerKeyUpToTheMaximum() {
        for (const char* persona : {"a", "b", "c", "d", "e", "f"})
            for (int i = 0; i < 20; ++i) add(persona);
        QCOMPARE(pass(), "start 1 'a', start 2 'b', start 3 'c', start 4 'd'");
        QCOMPARE(pass(), ""); // as many as may be
    }
    void noKeyWaitsForGood() {
        use(R"("max_actors": 1)");
        for (unsigned i = 0; i <= Orchestrator::kTurn; ++i) add("a");
        add("b");
        QCOMPARE(begin(), "tick 1 1");
        std::string ended;
        for (unsigned i = 0; i < Orchestrator::kTurn && ended.empty(); ++i) {
            answer(1, {.move = "failed"});
            const auto decisions = decided();
            commit(decisions);
            for (const EndActor& end : allOf<EndActor>(decisions))
                ended = end.why == EndReason::AnotherKey ? "another key" : "?";
            (void)orchestrator_->take();
        }
        QCOMPARE(ended, "another key");
        orchestrator_->actorEnded(1, "", now_);
        QCOMPARE(pass(), "start 2 'b'");
    }
    void theQueueIsInTheOrderOfItsTimesOrOfItsObjects() {
        now_ = 1'000 * kSecond;
        add("anna", "queued", -5 * kSecond);
        add("anna", "queued", -9 * kSecond);
        QCOMPARE(begin(), "tick 1 2");
        use(R"("order": "created")");
        add("anna", "queued", -5 * kSecond);
        add("anna", "queued", -9 * kSecond);
        QCOMPARE(begin(), "tick 1 1");
    }

    // --- orphans
    void mustRaiseAWarningThatOrphanedObjectsWillNeverBeProcessed_data() {
        QTest::addColumn<QString>("why");
        for (const char* why : {"no_actor", "status_not_claimed", "worker_unknown", "key_missing"})
            QTest::newRow(why) << why;
    }
    void mustRaiseAWarningThatOrphanedObjectsWillNeverBeProcessed() {
        QFETCH(QString, why);
        if (why == "status_not_claimed") use(R"("claims": {"status": "started"})");
        if (why == "no_actor") {
            Type type = parsed(snapshotJson());
            type.actor.reset();
            QVERIFY(orchestrator_->putType(type, now_).has_value());
            (void)orchestrator_->take();
        }
        if (why == "worker_unknown") orchestrator_->workerKnown(type_, false);
        add(why == "key_missing" ? "" : "anna");
        QCOMPARE(pass(), "orphan 1 " + why.toStdString() + ", idle");
        QCOMPARE(pass(), ""); // once
        QCOMPARE(orchestrator_->orphans().count(), 1U);
        QCOMPARE(name(orchestrator_->orphans().first().front().why), why.toStdString());
        QCOMPARE(orchestrator_->orphans().count(type_, orchestrator_->orphans().first().front().why), 1U);
        orchestrator_->remove(ObjectId(1));
        QCOMPARE(orchestrator_->orphans().count(), 0U);
    }
    void anOrphanIsNoneOnceItsWorkerIsThere() {
        orchestrator_->workerKnown(type_, false);
        add();
        QCOMPARE(pass(), "orphan 1 worker_unknown, idle");
        orchestrator_->workerKnown(type_, true);
        QCOMPARE(pass(), "start 1 'anna'");
        QVERIFY(orchestrator_->orphans().first().empty());
    }
    void whatIsNotDueOrFinalIsNoOrphan() {
        orchestrator_->workerKnown(type_, false);
        add("anna", "sealed");
        add("anna", "queued", kSecond);
        QCOMPARE(pass(), "idle");
    }

    // --- moved by others
    void ofTwoMoversOneWinsAndTheOtherSaysNothing() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        QVERIFY(orchestrator_->move(ObjectId(1), "failed", false, now_).has_value());
        const auto byHand = orchestrator_->take();
        orchestrator_->answered(1, Answer{.move = "started"}, now_);
        const auto byTick = orchestrator_->take();
        QCOMPARE(lines(byTick), "write 1 0>1");
        orchestrator_->written(allOf<Write>(byHand).front(), true, now_);
        orchestrator_->written(allOf<Write>(byTick).front(), false, now_); // its swap fails
        QCOMPARE(statusOf(1), "failed");
        QCOMPARE(pass(), "end 1");
    }
    void anAnswerThatComesAfterAMoveByHandIsDropped() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        QVERIFY(orchestrator_->move(ObjectId(1), "failed", false, now_).has_value());
        commit(orchestrator_->take());
        orchestrator_->answered(1, Answer{.move = "started"}, now_);
        QCOMPARE(lines(orchestrator_->take()), "");
        QCOMPARE(statusOf(1), "failed");
    }
    void aMoveOfWhatIsNotThereIsNotFound() {
        QVERIFY(orchestrator_->move(ObjectId(9), "failed", true, now_).error().kind == ErrorKind::NotFound);
    }
    void aDeletedObjectIsForgottenEvenWhileItIsLookedAt() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        orchestrator_->remove(ObjectId(1));
        orchestrator_->answered(1, Answer{.move = "started"}, now_);
        QCOMPARE(lines(orchestrator_->take()), "");
        QCOMPARE(pass(), "end 1");
        QCOMPARE(orchestrator_->size(), 0U);
    }
    void aDeletedObjectThatIsBeingWrittenDoesNotHoldItsTypeBack() {
        add();
        for (const auto& start : allOf<StartActor>(decided())) orchestrator_->actorReady(start.actor);
        const auto claims = decided();
        orchestrator_->remove(ObjectId(1));
        commit(claims);
        QVERIFY(allOf<SendTick>(orchestrator_->take()).empty());
        QVERIFY(orchestrator_->putType(parsed(snapshotJson()), now_).has_value());
    }

    // --- wakes
    void sideEffectsMayUpdateRetryAtOfOtherObjects() {
        add("anna", "started", 3'600 * kSecond);
        QCOMPARE(pass(), "idle");
        orchestrator_->wake(ObjectId(1), now_);
        QCOMPARE(statusOf(1), "started"); // nothing else of it
        QCOMPARE(pass(), "start 1 'anna'");
    }
    void aWakeDuringALookIsNotLost() {
        add("anna", "started");
        QCOMPARE(begin(), "tick 1 1");
        orchestrator_->wake(ObjectId(1), now_);
        orchestrator_->answered(1, Answer{.lookIn = std::chrono::hours(1)}, now_);
        const auto writes = orchestrator_->take();
        QCOMPARE(allOf<Write>(writes).front().retryAt, now_);
        orchestrator_->wake(ObjectId(1), now_ + 1); // and one while it is written
        commit(writes);
        QVERIFY(dueIn(1) <= 0);
    }
    void aWakeDuringAWriteByHandIsNotLost() {
        add("anna", "started", 3'600 * kSecond);
        QVERIFY(orchestrator_->setByHand(ObjectId(1), R"({"depth":2})", now_).has_value());
        const auto writes = orchestrator_->take();
        orchestrator_->wake(ObjectId(1), now_);
        commit(writes);
        QVERIFY(dueIn(1) <= 0);
        QCOMPARE(pass(), "start 1 'anna'");
    }
    void whatCouldNotBeWrittenIsDueAtOnce() {
        add("anna", "started");
        QCOMPARE(begin(), "tick 1 1");
        orchestrator_->answered(1, Answer{.lookIn = std::chrono::hours(1)}, now_);
        const auto writes = orchestrator_->take();
        orchestrator_->wake(ObjectId(1), now_);
        orchestrator_->written(allOf<Write>(writes).front(), false, now_);
        QVERIFY(dueIn(1) <= 0);
        QCOMPARE(pass(), "claim 1");
    }
    void childrenThatBecomeFinalWakeTheirParent() {
        const std::int64_t parent = add("anna", "started", 3'600 * kSecond);
        parentOfNext_ = parent;
        add();
        QCOMPARE(orchestrator_->find(ObjectId(parent))->pendingChildren, 1U);
        QCOMPARE(begin(), "tick 1 2");
        orchestrator_->answered(1, Answer{.move = "failed"}, now_);
        const auto writes = orchestrator_->take();
        QCOMPARE(allOf<Write>(writes).front().wakes, ObjectId(parent));
        commit(writes);
        QCOMPARE(orchestrator_->find(ObjectId(parent))->pendingChildren, 0U);
        QVERIFY(dueIn(parent) <= 0);
    }
    void aParentThatIsDeletedLeavesItsChildren() {
        parentOfNext_ = add("anna", "started", 3'600 * kSecond);
        add();
        orchestrator_->remove(ObjectId(1));
        QCOMPARE(begin(), "tick 1 2");
        answer(1, {.move = "failed"});
        QCOMPARE(statusOf(2), "failed");
    }
    void aCycleOfWakesIsLimitedAndShownAsHot() {
        add("anna", "started");
        QCOMPARE(begin(), "tick 1 1");
        int looks = 1;
        // One who wakes it with each answer, for a second in steps of a millisecond.
        for (int i = 0; i < 1'000; ++i, now_ += 1'000) {
            orchestrator_->wake(ObjectId(1), now_);
            answer(1, {.lookIn = Duration::zero()});
            for (;;) {
                const auto decisions = decided();
                for (const auto& start : allOf<StartActor>(decisions)) orchestrator_->actorReady(start.actor);
                for (const auto& end : allOf<EndActor>(decisions)) orchestrator_->actorEnded(end.actor, "", now_);
                commit(decisions);
                const auto ticks = allOf<SendTick>(orchestrator_->take());
                for (const SendTick& tick : ticks) {
                    ++looks;
                    orchestrator_->answered(tick.actor, Answer{.lookIn = Duration::zero()}, now_);
                    commit(orchestrator_->take());
                }
                if (decisions.empty()) break;
            }
        }
        QVERIFY2(looks <= 10 + Orchestrator::kBurst + 2, std::to_string(looks).c_str());
        QVERIFY(looks >= 9);
        QVERIFY(orchestrator_->find(ObjectId(1))->isHot);
        QVERIFY(orchestrator_->move(ObjectId(1), "sealed", true, now_).has_value());
        commit(orchestrator_->take());
        QVERIFY(!orchestrator_->find(ObjectId(1))->isHot); // it has ended
    }

    // --- effects
    void whatCreatesIsLookedAtOnceAllOfItIsThere() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "started", .set = {}, .lookIn = {}, .effects = {create_, create_}});
        QCOMPARE(pass(), ""); // an orphan that nobody is warned of
        QCOMPARE(orchestrator_->orphans().count(), 1U);
        QCOMPARE(name(orchestrator_->orphans().first().front().why), "create_pending");
        orchestrator_->created(ObjectId(1));
        QCOMPARE(pass(), "");
        orchestrator_->created(ObjectId(1));
        const auto next = decided();
        QCOMPARE(lines(next), "claim 1"); // for the same actor
        QVERIFY(orchestrator_->orphans().first().empty());
        commit(next);
        QCOMPARE(lines(orchestrator_->take()), "tick 1 1");
        answer(1, {.lookIn = std::chrono::hours(1)});
        QCOMPARE(pass(), "end 1");
    }
    void anActorWaitsForTheCommitOfWhatItAnswered() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        orchestrator_->answered(1, Answer{.move = "started", .set = {}, .lookIn = {}, .effects = {create_}}, now_);
        const auto writes = orchestrator_->take();
        QCOMPARE(pass(), ""); // before the commit
        commit(writes);
        QCOMPARE(pass(), "");
        orchestrator_->created(ObjectId(1));
        QCOMPARE(pass(), "claim 1"); // for the same actor
    }
    void anActorWhoseAnswerIsNotCommittedWaitsNoLongerThanThat() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        orchestrator_->answered(1, Answer{.lookIn = std::chrono::hours(1)}, now_);
        const auto writes = orchestrator_->take();
        QCOMPARE(pass(), "");
        commit(writes);
        QCOMPARE(pass(), "end 1");
    }
    void anActorWaitsForCreatesNoLongerThanAMoment() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "started", .set = {}, .lookIn = {}, .effects = {create_}});
        QCOMPARE(pass(), "");
        QCOMPARE(*orchestrator_->nextPass(now_), now_ + kSecond);
        now_ += kSecond;
        QCOMPARE(pass(), "end 1");
        orchestrator_->actorEnded(1, "", now_);
        QCOMPARE(pass(), "idle");
        orchestrator_->created(ObjectId(1));
        QCOMPARE(pass(), "start 2 'anna'");
    }
    void anActorThatWaitsForCreatesStandsInTheWayOfNoOtherKey() {
        use(R"("max_actors": 1)");
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "started", .set = {}, .lookIn = {}, .effects = {create_}});
        QCOMPARE(pass(), "");
        add("bert");
        QCOMPARE(pass(), "end 1");
        orchestrator_->actorEnded(1, "", now_);
        QCOMPARE(pass(), "start 2 'bert'");
    }
    void aWakeBeforeAllOfItIsThereIsNotLost() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "started", .set = {}, .lookIn = std::chrono::hours(1), .effects = {create_, create_}});
        QCOMPARE(pass(), "end 1");
        orchestrator_->actorEnded(1, "", now_);
        orchestrator_->created(ObjectId(1));
        orchestrator_->wake(ObjectId(1), now_); // the first child has ended
        QCOMPARE(pass(), "idle");
        orchestrator_->created(ObjectId(1));
        QCOMPARE(pass(), "start 2 'anna'");
    }
    void whatCannotCreateIsWarnedOfOnce() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "started", .set = {}, .lookIn = std::chrono::seconds(1), .effects = {create_}});
        QCOMPARE(pass(), "end 1");
        orchestrator_->actorEnded(1, "", now_);
        orchestrator_->createFailed(ObjectId(1)); // nobody would look at it yet
        orchestrator_->createFailed(ObjectId(9));
        QCOMPARE(pass(), "idle");
        now_ += kSecond;
        QCOMPARE(pass(), "");
        orchestrator_->createFailed(ObjectId(1));
        QCOMPARE(pass(), "orphan 1 create_pending");
        orchestrator_->createFailed(ObjectId(1));
        QCOMPARE(pass(), "");
        orchestrator_->created(ObjectId(1));
        QCOMPARE(pass(), "start 2 'anna'");
    }
    void whatHasCreatedIsFreeLongBeforeItsTime() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        answer(1, {.move = "started", .set = {}, .lookIn = std::chrono::hours(1), .effects = {create_}});
        orchestrator_->created(ObjectId(1));
        orchestrator_->created(ObjectId(1)); // one too many, and none of an object that is not there
        orchestrator_->created(ObjectId(9));
        QCOMPARE(dueIn(1), 3'600 * kSecond);
        QCOMPARE(pass(), "end 1");
        orchestrator_->actorEnded(1, "", now_);
        now_ += 3'600 * kSecond;
        QCOMPARE(pass(), "start 2 'anna'");
    }
    void aCallGoesToAnActorOfItsKeyBeforeObjects() {
        add("anna", "sealed");
        add();
        const EffectKey effect{.object = ObjectId(1), .revision = 4, .position = 2};
        orchestrator_->addCall(effect);
        QCOMPARE(pass(), "start 1 'anna'");
        orchestrator_->actorReady(1);
        QCOMPARE(pass(), "call 1 1/4/2");
        orchestrator_->callEnded(1);
        QCOMPARE(pass(), "claim 2");
    }
    void aCallThatNeverEndsEndsItsActorAlone() {
        add("anna", "sealed");
        orchestrator_->addCall({.object = ObjectId(1), .revision = 4, .position = 2});
        QCOMPARE(pass(), "start 1 'anna'");
        orchestrator_->actorReady(1);
        QCOMPARE(pass(), "call 1 1/4/2");
        now_ += 60 * kSecond;
        QCOMPARE(pass(), "end 1");
    }
    void callsThatWaitForAnActorCanBeTakenBack() {
        add("anna", "sealed");
        const EffectKey effect{.object = ObjectId(1), .revision = 4, .position = 2};
        orchestrator_->addCall(effect);
        QCOMPARE(orchestrator_->takeCalls(type_), std::vector{effect});
        QVERIFY(orchestrator_->takeCalls(type_).empty());
        QCOMPARE(pass(), "idle");
    }

    // --- size
    void manyDueAtTheSameInstantAreTakenInPasses() {
        for (std::size_t i = 0; i < 2 * Orchestrator::kDuePerPass + 1; ++i) add();
        (void)decided();
        QCOMPARE(orchestrator_->queued(type_), Orchestrator::kDuePerPass);
        QCOMPARE(*orchestrator_->nextPass(now_), now_);
        (void)decided(), (void)decided();
        QCOMPARE(orchestrator_->queued(type_), 2 * Orchestrator::kDuePerPass + 1);
    }
    void anObjectTakesAHundredBytesAtMost() { QVERIFY(sizeof(Object) <= 100); }

    // --- what its owner adds
    void fieldsAreSetByHandAndNothingElseChanges() {
        add("anna", "queued", 60 * kSecond);
        QVERIFY(orchestrator_->setByHand(ObjectId(1), R"({"depth":2})", now_).has_value());
        const auto decisions = orchestrator_->take();
        const auto writes = allOf<Write>(decisions);
        QCOMPARE(writes.size(), std::size_t(1));
        QVERIFY(!writes.front().moves && !writes.front().isOfTick);
        QVERIFY(orchestrator_->writes().hasOf(type_));
        commit(decisions);
        QVERIFY(!orchestrator_->writes().hasOf(type_));
        QCOMPARE(dueIn(1), 60 * kSecond);
        QCOMPARE(orchestrator_->find(ObjectId(1))->revision, Revision(1));
        QVERIFY(orchestrator_->setByHand(ObjectId(9), "{}", now_).error().kind == ErrorKind::NotFound);
        add("anna", "sealed");
        QVERIFY(orchestrator_->setByHand(ObjectId(2), "{}", now_).error().kind == ErrorKind::WrongState);
    }
    void whatIsChangedByHandDuringALookIsLookedAtAgainAtOnce() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        QVERIFY(orchestrator_->setByHand(ObjectId(1), R"({"depth":2})", now_).has_value());
        const auto changes = orchestrator_->take();
        QCOMPARE(allOf<Write>(changes).front().retryAt, now_);
        commit(changes);
        QCOMPARE(pass(), ""); // the look goes on
        orchestrator_->answered(1, Answer{.move = "started"}, now_);
        QCOMPARE(statusOf(1), "queued");
        QCOMPARE(pass(), "claim 1");
    }
    void anObjectWithAnotherKeyIsOfAnotherQueue() {
        add("");
        QCOMPARE(pass(), "orphan 1 key_missing, idle");
        orchestrator_->setKey(ObjectId(1), orchestrator_->keyNumber(type_, "bert"));
        QCOMPARE(pass(), "start 1 'bert'");
        QVERIFY(orchestrator_->orphans().first().empty());
    }
    void theTimeOfALookMayBeginLater() {
        add();
        QCOMPARE(begin(), "tick 1 1");
        orchestrator_->setDeadline(1, 0);
        now_ += 3'600 * kSecond;
        QCOMPARE(pass(), "");
        orchestrator_->setDeadline(1, now_ + kSecond);
        now_ += kSecond;
        QVERIFY(pass().starts_with("end 1"));
    }
};

QTEST_APPLESS_MAIN(TestOrchestrator)
#include "tst_orchestrator.moc"
