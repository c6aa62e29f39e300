// Finished actions that run again: what they wait for, and who comes back with them.
#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/commands/session_moves.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
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

std::string after(const std::vector<Lsn>& lsns) {
    std::string list;
    for (const Lsn lsn : lsns) list += fmt::format("{}{}", list.empty() ? "" : ",", lsn.value);
    return R"(,"after":[)" + list + "]";
}

/// Fails at once, until there is a file of that name.
class Family {
public:
    explicit Family(EngineTest& engine)
        : engine_(engine)
        , queue_{
              engine.run(engine->ask(&engine::Queues::create, "q", R"({"max_retries":0,"idle_expiry_s":0})"))->id,
              {}} {}

    Lsn untilThereIs(const std::string& file, const std::vector<Lsn>& parents = {}) {
        return engine_.sh("test -e " + file, parents.empty() ? "" : after(parents), queue_);
    }
    void make(const std::string& file) const { std::ofstream(engine_.path(file)) << "now"; }
    std::string ends(Lsn lsn) const { return ending(engine_.wait(lsn)); }
    std::string state(Lsn lsn) const {
        return std::string(name(engine_.run(engine_->ask(&engine::ActionRows::action, lsn))->state));
    }

private:
    EngineTest& engine_;
    QueueRef queue_;
};

} // namespace

class ReschedulingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The time that it had been failed is no waiting: among those that live, and after a restart.
    void whatIsPutBackWaitsFromThenOn() {
        EngineTest engine;
        Family family(engine);
        const Lsn failed = family.untilThereIs("go");
        QCOMPARE(family.ends(failed), "failed exit_code 1");
        const Lsn held = engine.sh("true", R"(,"hold":true)");
        const auto session = engine.run(engine->ask(&engine::Queues::list));
        for (const QueueView& queue : session)
            QVERIFY(engine.run(engine->ask(&engine::Queues::setHeld, {queue.id, {}}, true)));
        QVERIFY(engine.run(engine->ask(&engine::Rescheduling::reschedule, failed, true)));
        const auto longest = [&] {
            ListQuery query;
            query.states = {ActionState::Pending};
            query.sort = *parseSort("-waited");
            std::vector<Lsn> lsns;
            for (const ActionResult& job : engine.run(engine->ask(&engine::Listing::list, query))->jobs)
                lsns.push_back(job.lsn);
            return lsns;
        };
        // A list that is put in order may come with an empty page first.
        QVERIFY(EngineTest::eventually([&] { return longest() == std::vector{held, failed}; }));
        engine.stop();
        engine.start();
        QVERIFY(EngineTest::eventually([&] { return longest() == std::vector{held, failed}; }));
    }

    void whatFailedBecauseOfAnActionComesBackWithIt() {
        EngineTest engine;
        Family family(engine);
        const Lsn parent = family.untilThereIs("go");
        const Lsn child = family.untilThereIs("go", {parent});
        const Lsn array = engine.sh("true", after({parent}) + R"(,"array":{"from":0,"to":9})");
        const Lsn grandchild = family.untilThereIs("go", {child, parent});
        const Lsn cleaner =
            engine.sh("true", fmt::format(R"(,"after":[{{"lsn":{},"on":"failed"}}])", parent.value));
        QCOMPARE(family.ends(grandchild), "failed dependency_failed");
        QCOMPARE(family.ends(cleaner), "completed");
        // Foretold, and nothing changed by that.
        const auto would = engine.run(engine->ask(&engine::Rescheduling::wouldRevive, {parent}));
        QCOMPARE(would->size(), std::size_t{12});
        QCOMPARE(would->front(), child);
        QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::wouldRevive, {child}))->size(),
                 std::size_t{0}); // its parent stays as it is
        QCOMPARE(family.state(child), "failed");
        QVERIFY(!engine.run(
            engine->ask(&engine::Operations::mayChange, {.kind = BulkKind::Retry, .force = true}, child)));
        family.make("go");
        const auto again = engine.run(engine->ask(&engine::Rescheduling::reschedule, parent, true));
        QVERIFY2(again.has_value(), again ? "" : again.error().message.c_str());
        QCOMPARE(again->retryCount, 1);
        std::vector<Lsn> expected{child};
        for (int i = 0; i < 10; ++i) expected.push_back(Lsn(array.value + i));
        expected.push_back(grandchild);
        QCOMPARE(again->revived, expected);
        for (const Lsn lsn : {parent, child, array, Lsn(array.value + 9), grandchild})
            QCOMPARE(family.ends(lsn), "completed");
        QCOMPARE(engine.wait(grandchild).retryCount, 0); // it had not begun
    }

    void whatNeverBeganWasNeverTried() {
        EngineTest engine;
        Family family(engine);
        const Lsn parent = family.untilThereIs("go");
        const Lsn child = family.untilThereIs("go", {parent});
        for (int round = 0; round < 3; ++round) {
            QCOMPARE(family.ends(child), "failed dependency_failed");
            const ActionResult ended = engine.wait(child);
            QCOMPARE(triesOf(ended), 0);
            QCOMPARE(triesOf(engine.wait(parent)), round + 1);
            // Forced or not, what helps is said.
            for (const bool force : {false, true})
                QCOMPARE(
                    engine.run(engine->ask(&engine::Rescheduling::reschedule, child, force)).error().message,
                    fmt::format("Action {} waits for action {}, which is failed: run that one again, and this one "
                                "comes back with it.",
                                child.value, parent.value));
            if (round == 2) family.make("go");
            QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::reschedule, parent, true))->revived,
                     std::vector<Lsn>{child});
        }
        QCOMPARE(family.ends(child), "completed");
        QCOMPARE(triesOf(engine.wait(child)), 1);
    }

    void whoeverWaitsForTwoThatFailedComesBackWithTheLast() {
        EngineTest engine;
        Family family(engine);
        const Lsn first = family.untilThereIs("first");
        const Lsn second = family.untilThereIs("second");
        QCOMPARE(family.ends(first), "failed exit_code 1");
        QCOMPARE(family.ends(second), "failed exit_code 1");
        const Lsn child = family.untilThereIs("first", {first, second});
        QCOMPARE(family.ends(child), "failed dependency_failed");
        family.make("first");
        QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::reschedule, first, true))->revived,
                 std::vector<Lsn>{});
        QCOMPARE(family.ends(first), "completed");
        const auto refused = engine.run(engine->ask(&engine::Rescheduling::reschedule, child, true));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::WrongState);
        QCOMPARE(
            refused.error().message,
            fmt::format("Action {} waits for action {}, which is failed: run that one again, and this one comes "
                        "back with it.",
                        child.value, second.value));
        family.make("second");
        QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::reschedule, second, true))->revived,
                 std::vector<Lsn>{child});
        QCOMPARE(family.ends(child), "completed");
    }

    void whatCannotEndAsWaitedForAnyMoreIsNoReasonToWaitAgain() {
        EngineTest engine;
        Family family(engine);
        const Lsn parent = engine.sh("true", R"(,"hold":true)");
        const Lsn child = family.untilThereIs("go", {parent});
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, parent)).has_value());
        QCOMPARE(family.ends(child), "failed dependency_failed");
        const auto refused = engine.run(engine->ask(&engine::Rescheduling::reschedule, child, true));
        QCOMPARE(
            refused.error().message,
            fmt::format("Action {} waits for action {}, which is cancelled: submit it again, without that one in "
                        "\"after\".",
                        child.value, parent.value));
    }

    void aRescheduledActionWaitsAgainAlsoAfterARestart() {
        EngineTest engine;
        Family family(engine);
        const Lsn parent = family.untilThereIs("go");
        const Lsn child = engine.sh("test -e parent-ran", after({parent}));
        const Lsn grandchild = family.untilThereIs("go", {child});
        QCOMPARE(family.ends(grandchild), "failed dependency_failed");
        QVERIFY(engine.run(engine->ask(&engine::Queues::setAllHeld, true)).has_value());
        QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::reschedule, parent, true))->revived,
                 (std::vector<Lsn>{child, grandchild}));
        for (int i = 0; i < 2; ++i) {
            const auto why = engine.run(engine->ask(&engine::Reasons::why, child));
            QVERIFY(std::ranges::any_of(why->waits, [&](const Wait& wait) {
                return wait.kind == WaitKind::Dependency && wait.lsn == parent;
            }));
            engine.stop();
            engine.start();
        }
        QVERIFY(engine.run(engine->ask(&engine::Queues::setAllHeld, false)).has_value());
        // It fails once more, and so do those that wait for it.
        QCOMPARE(family.ends(grandchild), "failed dependency_failed");
        QCOMPARE(family.ends(parent), "failed exit_code 1");
        family.make("go");
        family.make("parent-ran");
        QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::reschedule, parent, true))->revived,
                 (std::vector<Lsn>{child, grandchild}));
        QCOMPARE(family.ends(grandchild), "completed");
    }

    void aChildThatFailedByItselfKeepsWhatItWaitedFor() {
        EngineTest engine;
        Family family(engine);
        const Lsn parent = engine.sh("true");
        const Lsn child = family.untilThereIs("go", {parent});
        QCOMPARE(family.ends(child), "failed exit_code 1");
        family.make("go");
        QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::reschedule, child, true))->revived,
                 std::vector<Lsn>{});
        QCOMPARE(family.ends(child), "completed");
    }

    /// It never began, so nothing has released it, and its time has not come.
    void whatWasHeldOrHadATimeHasThatAgainAfterItsParentOrAnAbandonedSession() {
        EngineTest engine;
        Family family(engine);
        constexpr WallMicros kHour = 3'600'000'000;
        const std::string inAnHour = fmt::format(R"(,"not_before":{})", wallNow() + kHour);
        const Lsn parent = family.untilThereIs("go");
        const Lsn held = engine.sh("true", after({parent}) + R"(,"hold":true)");
        const Lsn released = engine.sh("true", after({parent}) + R"(,"hold":true)");
        (void)engine.run(engine->ask(&engine::Operations::release, released)); // or it failed before
        const Lsn later = engine.sh("true", after({parent}) + inAnHour);
        const Lsn past = engine.sh("true", after({parent}) + R"(,"not_before":1)");
        for (const Lsn lsn : {held, released, later, past}) QCOMPARE(family.ends(lsn), "failed dependency_failed");
        family.make("go");
        QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::reschedule, parent, true))->revived.size(),
                 std::size_t{4});
        QCOMPARE(family.ends(past), "completed");
        const Lsn array = engine.sh("true", R"(,"hold":true,"array":{"from":0,"to":2})");
        QVERIFY(engine.run(engine->ask(&SessionMoves::moveTo, SessionState::Abandoned)));
        for (const Lsn lsn : {held, later, array}) QCOMPARE(family.ends(lsn), "abandoned abandoned");
        engine.stop();
        engine.start();
        const Lsn element{array.value + 1};
        for (const Lsn lsn : {held, later, element})
            QVERIFY(engine.run(engine->ask(&engine::Rescheduling::reschedule, lsn, true)));
        const auto waitsFor = [&](Lsn lsn) {
            return engine.run(engine->ask(&engine::Reasons::why, lsn))->waits.at(0).kind;
        };
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(waitsFor(held), WaitKind::Hold);
            QCOMPARE(waitsFor(element), WaitKind::Hold);
            QCOMPARE(waitsFor(later), WaitKind::NotBefore);
            QVERIFY(engine.run(engine->ask(&engine::ActionRows::action, held))->held);
            engine.stop();
            engine.start();
        }
        QVERIFY(engine.run(engine->ask(&engine::Operations::release, held)));
        QCOMPARE(family.ends(held), "completed");
    }

    void manyComeBackInParts() {
        EngineTest engine;
        Family family(engine);
        const Lsn parent = family.untilThereIs("go");
        const Lsn array = engine.sh("true", after({parent}) + R"(,"array":{"from":0,"to":999})");
        std::vector<Lsn> last;
        for (int i = 0; i < 300; ++i) last.push_back(engine.sh("true", after({Lsn(array.value + i)})));
        QCOMPARE(family.ends(last.back()), "failed dependency_failed");
        QCOMPARE(family.ends(Lsn(array.value + 999)), "failed dependency_failed");
        family.make("go");
        QCOMPARE(engine.run(engine->ask(&engine::Rescheduling::reschedule, parent, true))->revived.size(),
                 std::size_t{1'300});
        QCOMPARE(family.ends(last.back()), "completed");
        QCOMPARE(family.ends(Lsn(array.value + 999)), "completed");
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    ReschedulingTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_rescheduling.moc"
