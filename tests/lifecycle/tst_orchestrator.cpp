// What the orchestrator decides: a pass, actors and their queues, orphans, wakes. Names are the seed's sentences where
// there is one (docs/objects.md).
#include "core/lifecycle/orchestrator.h"
#include "core/lifecycle/outbox.h"
#include "tests/lifecycle/types.h"

#include <QtTest>

#include <fmt/format.h>

#include <algorithm>

using namespace yard;
using namespace yard::lifecycle;
using namespace yard::test;

namespace {

constexpr WallMicros kSecond = 1'000'000;

/// Decisions of one kind.
template<class Kind>
std::vector<Kind> allOf(const std::vector<Decision>& decisions) {
    std::vector<Kind> found;
    for (const Decision& decision : decisions)
        if (const auto* one = std::get_if<Kind>(&decision)) found.push_back(*one);
    return found;
}

std::string line(const Decision& decision) {
    if (const auto* start = std::get_if<StartActor>(&decision))
        return fmt::format("start {} '{}'", start->actor, start->key);
    if (const auto* claim = std::get_if<Claim>(&decision)) return fmt::format("claim {}", claim->id.value);
    if (const auto* tick = std::get_if<SendTick>(&decision))
        return fmt::format("tick {} {}", tick->actor, tick->seen.id.value);
    if (const auto* call = std::get_if<SendCall>(&decision))
        return fmt::format("call {} {}", call->actor, call->effect.text());
    if (const auto* write = std::get_if<Write>(&decision))
        return fmt::format("write {} {}>{}", write->id.value, write->from, write->to);
    if (const auto* end = std::get_if<EndActor>(&decision)) return fmt::format("end {}", end->actor);
    if (const auto* orphan = std::get_if<WarnOrphan>(&decision))
        return fmt::format("orphan {} {}", orphan->object.value, name(orphan->why));
    return "idle";
}
std::string lines(const std::vector<Decision>& decisions) {
    std::string all;
    for (const Decision& decision : decisions) all += (all.empty() ? "" : ", ") + line(decision);
    return all;
}

} // namespace

class TestOrchestrator : public QObject {
    Q_OBJECT

    std::optional<Orchestrator> orchestrator_;
    TypeNumber type_ = 0;
    WallMicros now_ = 0;
    std::int64_t last_ = 0;
    std::int64_t parentOfNext_ = 0;

    void use(const std::string& actor = R"("max_actors": 4, "max_per_key": 1)") {
        orchestrator_.emplace();
        now_ = 1'000 * kSecond;
        last_ = parentOfNext_ = 0;
        type_ = *orchestrator_->putType(parsed(snapshotJson(actor)), now_);
    }
    std::int64_t add(const std::string& persona = "anna", const char* status = "queued", WallMicros in = 0) {
        Object object;
        object.id = ObjectId(++last_);
        object.parent = ObjectId(parentOfNext_);
        object.type = type_;
        object.status = *orchestrator_->type(type_).find(status);
        object.key = persona.empty() ? 0 : orchestrator_->keyNumber(type_, persona);
        object.retryAt = orchestrator_->type(type_).isFinal(object.status) ? 0 : now_ + in;
        orchestrator_->add(object);
        return last_;
    }
    std::vector<Decision> decided() {
        orchestrator_->pass(now_);
        return orchestrator_->take();
    }
    std::string pass() { return lines(decided()); }
    /// Everything that is written is committed at once and answered.
    void commit(const std::vector<Decision>& decisions) {
        for (const Decision& decision : decisions) {
            if (const auto* claim = std::get_if<Claim>(&decision)) orchestrator_->claimed(*claim, true, now_);
            if (const auto* write = std::get_if<Write>(&decision)) orchestrator_->written(*write, true, now_);
        }
    }
    /// Starts an actor for what is due, and has it claim its first object.
    std::string begin() {
        for (const auto& start : allOf<StartActor>(decided())) orchestrator_->actorReady(start.actor);
        commit(decided());
        return lines(orchestrator_->take());
    }
    void answer(ActorNumber actor, const Answer& answer) {
        orchestrator_->answered(actor, answer, now_);
        commit(orchestrator_->take());
    }
    std::string statusOf(std::int64_t id) const {
        const Object* object = orchestrator_->find(ObjectId(id));
        return orchestrator_->type(type_).states[object->status].name;
    }
    std::int64_t dueIn(std::int64_t id) const { return orchestrator_->find(ObjectId(id))->retryAt - now_; }

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
        QCOMPARE(orchestrator_->orphans().size(), 1U);
    }
    void anOrphanIsNoneOnceItsWorkerIsThere() {
        orchestrator_->workerKnown(type_, false);
        add();
        QCOMPARE(pass(), "orphan 1 worker_unknown, idle");
        orchestrator_->workerKnown(type_, true);
        QCOMPARE(pass(), "start 1 'anna'");
        QVERIFY(orchestrator_->orphans().empty());
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
    }

    // --- effects that an actor carries out
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
    void aFailedEffectIsTriedAgainAndNeverUndoesTheMove() {
        Outbox outbox;
        const EffectKey key{.object = ObjectId(1), .revision = 4, .position = 0};
        outbox.add(key, {.kind = EffectKind::Call, .body = "{}"}, now_);
        outbox.add(key, {.kind = EffectKind::Call, .body = "{}"}, now_); // at a start once more
        QCOMPARE(outbox.size(), 1U);
        std::string pauses;
        for (int i = 0; i < 11; ++i) {
            const auto taken = outbox.take(now_);
            QCOMPARE(taken.size(), 1U);
            QCOMPARE(taken.front().attempt, unsigned(i + 1));
            QVERIFY(outbox.take(now_).empty());
            outbox.failed(key, now_);
            pauses += fmt::format("{} ", (*outbox.next() - now_) / kSecond);
            now_ = *outbox.next();
        }
        QCOMPARE(pauses, "10 20 40 80 160 320 640 1280 2560 3600 3600 ");
        (void)outbox.take(now_);
        outbox.done(key);
        QCOMPARE(outbox.size(), 0U);
        QVERIFY(!outbox.next());
    }
    void effectsOnTheirWayAreLimited() {
        Outbox outbox;
        for (std::uint32_t i = 0; i <= Outbox::kMaxOnTheirWay; ++i)
            outbox.add({.object = ObjectId(1), .revision = 1, .position = i}, {}, now_);
        const auto first = outbox.take(now_);
        QCOMPARE(first.size(), Outbox::kMaxOnTheirWay);
        QVERIFY(outbox.take(now_).empty());
        outbox.done(first.front().key);
        QCOMPARE(outbox.take(now_).size(), 1U);
    }
    void callsThatNobodyTakesStopNoOtherEffects() {
        Outbox outbox;
        for (std::uint32_t i = 0; i <= Outbox::kMaxOnTheirWay; ++i)
            outbox.add({.object = ObjectId(1), .revision = 1, .position = i},
                       {.kind = EffectKind::Call, .body = {}}, now_);
        QCOMPARE(outbox.take(now_).size(), Outbox::kMaxOnTheirWay);
        QVERIFY(!outbox.next());
        outbox.add({.object = ObjectId(2), .revision = 1, .position = 0}, {}, now_);
        QCOMPARE(*outbox.next(), now_);
        QCOMPARE(outbox.take(now_).size(), 1U);
    }
    void callsThatWaitForAnActorCanBeTakenBack() {
        add("anna", "sealed");
        const EffectKey effect{.object = ObjectId(1), .revision = 4, .position = 2};
        orchestrator_->addCall(effect);
        QCOMPARE(orchestrator_->takeCalls(type_), std::vector{effect});
        QVERIFY(orchestrator_->takeCalls(type_).empty());
        QCOMPARE(pass(), "idle");
    }

    // --- types
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
        QVERIFY(orchestrator_->isWriting(type_));
        commit(decisions);
        QVERIFY(!orchestrator_->isWriting(type_));
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
        QVERIFY(orchestrator_->orphans().empty());
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
