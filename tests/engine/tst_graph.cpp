// Actions of one list that wait for each other by id, and for arrays as a whole: from submission over failures and
// restarts to running again by hand.
#include "core/engine/commands/intake.h"
#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "core/model/why.h"
#include "tests/engine/engine_test.h"

#include <QTest>
#include <algorithm>
#include <fstream>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

std::string refusal(const auto& result) {
    return result ? std::string("(accepted)") : result.error().message;
}

} // namespace

class TestGraph : public QObject {
    Q_OBJECT

    std::unique_ptr<EngineTest> engine_;
    QueueRef queue_;

    std::string sh(const std::string& script, const std::string& more) {
        return engine_->shJson(script, "," + more);
    }
    /// In a queue that tries nothing again.
    SubmitAnswer submit(const std::string& json) {
        auto answer = engine_->trySubmit(json, queue_);
        if (!answer) qFatal("refused: %s", answer.error().message.c_str());
        return std::move(*answer);
    }
    Lsn one(const std::string& json) { return submit(json).items.front().first; }
    std::string ends(Lsn lsn) { return ending(engine_->wait(lsn)); }
    std::string spec(Lsn lsn) { return *engine_->run((*engine_)->ask(&engine::ActionDetails::spec, lsn, false)); }
    ActionResult known(Lsn lsn) { return *engine_->run((*engine_)->ask(&engine::ActionRows::action, lsn)); }
    void make(const std::string& file) { std::ofstream(engine_->path(file)) << "now"; }
    /// Elements 0 to 3, of which 2 fails until there is a file `go`; they wait for `start`.
    Lsn array(const std::string& more = "") {
        return one(sh("while ! test -e start; do sleep 0.01; done; test $YARD_INDEX != 2 || test -e go",
                      R"("array":{"from":0,"to":3})" + more));
    }
    std::string waitingFor(Lsn lsn) {
        const auto why = engine_->run((*engine_)->ask(&engine::Reasons::why, lsn));
        std::string text;
        for (const Wait& wait : why->waits) text += wait.message + ";";
        return text;
    }
    Result<Rescheduled> again(Lsn lsn) {
        return engine_->run((*engine_)->ask(&engine::Rescheduling::reschedule, lsn, true));
    }
    Result<void> retire(Lsn lsn) { return engine_->run((*engine_)->ask(&engine::Operations::retire, lsn)); }

private Q_SLOTS:
    void init() {
        engine_ = std::make_unique<EngineTest>(4);
        queue_ = {
            engine_->run((*engine_)->ask(&engine::Queues::create, "q", R"({"max_retries":0,"idle_expiry_s":0})"))
                ->id,
            {}};
    }
    void cleanup() { engine_.reset(); }

    void thoseOfAListRunInTheOrderTheyAskFor() {
        const SubmitAnswer answer =
            submit("[" + sh("cat made >> log; echo c >> log", R"("id":"c","after":["b",{"id":"a","on":"any"}])") +
                   "," + sh("echo b > made", R"("id":"b","after":["a"])") + "," +
                   sh("echo a > log; exit 0", R"("id":"a")") + "]");
        QCOMPARE(answer.items.size(), std::size_t{3});
        const Lsn c = answer.items[0].first;
        const Lsn b = answer.items[1].first;
        const Lsn a = answer.items[2].first;
        QVERIFY(a < b && b < c); // each after what it waits for
        QCOMPARE(ends(c), "completed");
        std::string log;
        std::getline(std::ifstream(engine_->path("log")), log, '\0');
        QCOMPARE(log, "a\nb\nc\n");
        QCOMPARE(known(b).id, "b");
        QVERIFY2(spec(b).contains(fmt::format(R"("after":[{}])", a.value)), spec(b).c_str());
        QVERIFY2(spec(c).contains(fmt::format(R"("after":[{},{{"lsn":{},"on":"any"}}])", b.value, a.value)),
                 spec(c).c_str());
    }

    void theWrongOneOfAListIsNamedByItsPlace() {
        const auto lacking = engine_->trySubmit(
            "[" + sh("true", R"("after":["b"])") + "," + sh("true", R"("id":"b","after":[999])") + "]", queue_);
        QVERIFY(!lacking);
        QCOMPARE(lacking.error().index, 1);
        const auto array = engine_->trySubmit(
            "[" + sh("true", R"("after":["b",{"array":998}])") + "," + sh("true", R"("id":"b")") + "]", queue_);
        QVERIFY(!array);
        QCOMPARE(array.error().index, 0);
        QCOMPARE(array.error().field, "after");
        QVERIFY2(array.error().message.contains("Action 998 is not the first of an array"),
                 array.error().message.c_str());
        QCOMPARE(engine_->run((*engine_)->ask(&Overview::session)).counts[std::to_underlying(ActionState::Pending)],
                 0);
    }

    void aRepeatIsAnsweredInTheOrderOfTheList() {
        Submission submission;
        submission.actions =
            parseActions("[" + sh("true", R"("after":["b"])") + "," + sh("true", R"("id":"b")") + "]")->actions;
        submission.queue.ref = queue_;
        submission.idempotencyKey = "once";
        const auto first = engine_->run((*engine_)->ask(&engine::Intake::submit, submission, Duration::zero()));
        const auto repeat = engine_->run((*engine_)->ask(&engine::Intake::submit, submission, Duration::zero()));
        QVERIFY(first && repeat);
        QVERIFY(first->items[1].first < first->items[0].first);
        QCOMPARE(repeat->items[0].first, first->items[0].first);
        QCOMPARE(repeat->items[1].first, first->items[1].first);
    }

    void anArrayIsWaitedForAsAWhole() {
        const Lsn first = array();
        const Lsn child = one(sh("true", fmt::format(R"("after":[{{"array":{}}}])", first.value)));
        const Lsn cleaner = one(sh("true", fmt::format(R"("after":[{{"array":{},"on":"failed"}}])", first.value)));
        QCOMPARE(waitingFor(child),
                 fmt::format("all of array {} to be completed, of which 4 have not ended;", first.value));
        QVERIFY(waitingFor(cleaner).contains("one of array"));
        QCOMPARE(known(child).note, "4 actions to end");
        const Lsn both = one(sh(
            "true", fmt::format(R"("after":[{{"lsn":{},"on":"any"}},{{"array":{}}}])", child.value, first.value)));
        QCOMPARE(known(both).note, "5 actions to end");
        make("go");
        make("start");
        QCOMPARE(ends(child), "completed");
        QCOMPARE(ends(cleaner), "failed dependency_failed");
        QCOMPARE(known(cleaner).note,
                 fmt::format("it waited for one of array {} to fail, and none did", first.value));
    }

    void anArrayOfTheSameListIsMeantAsAWhole() {
        const SubmitAnswer answer =
            submit("[" + sh("true", R"("after":["frames"])") + "," +
                   sh("true", R"("after":[{"id":"frames","on":"any"}])") + "," +
                   sh("test $YARD_INDEX != 1", R"("id":"frames","array":{"from":0,"to":2})") + "]");
        const Lsn frames = answer.items[2].first;
        QCOMPARE(answer.items[2].count, 3);
        QCOMPARE(ends(answer.items[0].first), "failed dependency_failed");
        QCOMPARE(known(answer.items[0].first).note,
                 fmt::format("it waited for action {} of array {} to be completed, and that one is failed",
                             frames.value + 1, frames.value));
        QCOMPARE(ends(answer.items[1].first), "completed");
        QVERIFY2(spec(answer.items[0].first).contains(fmt::format(R"("after":[{{"array":{}}}])", frames.value)),
                 spec(answer.items[0].first).c_str());
    }

    void anArrayThatEndedBeforeIsKnownToHave() {
        make("start");
        const Lsn first = array();
        for (int i = 0; i < 4; ++i) (void)engine_->wait(Lsn(first.value + i));
        const auto after = [&](const char* on) {
            return one(sh("true", fmt::format(R"("after":[{{"array":{},"on":"{}"}}])", first.value, on)));
        };
        QCOMPARE(ends(after("completed")), "failed dependency_failed");
        QCOMPARE(ends(after("any")), "completed");
        QCOMPARE(ends(after("failed")), "completed");
    }

    void theNextEngineWaitsForTheRest() {
        const Lsn first = array();
        const Lsn child = one(sh("true", fmt::format(R"("after":[{{"array":{}}}])", first.value)));
        const Lsn any = one(sh("true", fmt::format(R"("after":[{{"array":{},"on":"any"}}])", first.value)));
        engine_->run((*engine_)->ask(&engine::Operations::cancel, Lsn(first.value + 1)));
        QCOMPARE(ends(child), "failed dependency_failed");
        engine_->stop();
        engine_->start();
        QVERIFY2(waitingFor(any).contains("3 have not ended"), waitingFor(any).c_str());
        const Lsn late = one(sh("true", fmt::format(R"("after":[{{"array":{}}}])", first.value)));
        QCOMPARE(ends(late), "failed dependency_failed");
        make("go");
        make("start");
        QCOMPARE(ends(any), "completed");
    }

    void whatFailedForAnElementComesBackWithIt() {
        make("start");
        const SubmitAnswer answer =
            submit("[" + sh("test $YARD_INDEX != 1 || test -e go", R"("id":"frames","array":{"from":0,"to":2})") +
                   "," + sh("true", R"("id":"film","after":["frames"])") + "," +
                   sh("true", R"("id":"show","after":["film","frames"])") + "]");
        const Lsn film = answer.items[1].first;
        const Lsn show = answer.items[2].first;
        QCOMPARE(ends(show), "failed dependency_failed");
        const auto alone = again(film);
        QVERIFY2(refusal(alone).contains("waits for all of array"), refusal(alone).c_str());
        const auto dry = engine_->run(
            (*engine_)->ask(&engine::Operations::mayChange, {.kind = BulkKind::Retry, .force = true}, film));
        QCOMPARE(refusal(dry), refusal(alone));
        make("go");
        const auto back = again(Lsn(answer.items[0].first.value + 1));
        QVERIFY2(back.has_value(), refusal(back).c_str());
        QCOMPARE(back->revived, (std::vector<Lsn>{film, show}));
        QCOMPARE(ends(show), "completed");
    }

    void ofTwoElementsThatFailedTheLastBringsItBack() {
        const Lsn first = one(sh("test -e go || test $YARD_INDEX = 0", R"("array":{"from":0,"to":2})"));
        const Lsn child = one(sh("true", fmt::format(R"("after":[{{"array":{}}}])", first.value)));
        QCOMPARE(ends(child), "failed dependency_failed");
        for (int i = 0; i < 3; ++i) (void)engine_->wait(Lsn(first.value + i));
        const Lsn second(first.value + 1), third(first.value + 2);
        QCOMPARE(*engine_->run((*engine_)->ask(&engine::Rescheduling::wouldRevive, {second})), std::vector<Lsn>{});
        QCOMPARE(*engine_->run((*engine_)->ask(&engine::Rescheduling::wouldRevive, {second, third})),
                 std::vector<Lsn>{child});
        make("go");
        QCOMPARE(again(Lsn(first.value + 1))->revived, std::vector<Lsn>{});
        QCOMPARE(again(Lsn(first.value + 2))->revived, std::vector<Lsn>{child});
        QCOMPARE(ends(child), "completed");
    }

    void whatWaitedForAFailureThatDidNotComeRunsAgainWithTheNextTry() {
        const Lsn parent = one(sh("sleep 100", R"("label":"p")"));
        const Lsn cleaner = one(sh("true", fmt::format(R"("after":[{{"lsn":{},"on":"failed"}}])", parent.value)));
        engine_->run((*engine_)->ask(&engine::Operations::cancel, parent));
        QCOMPARE(ends(cleaner), "failed dependency_failed");
        QVERIFY2(!again(cleaner), "its parent cannot run again");
    }

    void whatIsWaitedForIsNotRetired() {
        const Lsn parent = one(sh("true", R"("label":"p")"));
        QCOMPARE(ends(parent), "completed");
        const Lsn child = one(sh("true", fmt::format(R"("hold":true,"after":[{}])", parent.value)));
        const Lsn other =
            one(sh("true", fmt::format(R"("hold":true,"after":[{}],"array":{{"from":0,"to":4}})", parent.value)));
        auto refused = retire(parent);
        QVERIFY(!refused);
        QCOMPARE(errorName(refused.error().kind), std::string_view("wrong_state"));
        QVERIFY2(refused.error().message.starts_with(fmt::format("Action {} and 5 more wait", child.value)),
                 refused.error().message.c_str());
        const auto dry =
            engine_->run((*engine_)->ask(&engine::Operations::mayChange, {.kind = BulkKind::Retire}, parent));
        QCOMPARE(refusal(dry), refused.error().message);
        for (int i = 0; i < 5; ++i)
            engine_->run((*engine_)->ask(&engine::Operations::cancel, Lsn(other.value + i)));
        for (int i = 0; i < 5; ++i) QCOMPARE(ends(Lsn(other.value + i)), "cancelled cancelled");
        refused = retire(parent);
        QVERIFY2(refusal(refused).starts_with(fmt::format("Action {} waits", child.value)),
                 refusal(refused).c_str());
        engine_->run((*engine_)->ask(&engine::Operations::release, child));
        QCOMPARE(ends(child), "completed");
        QVERIFY(retire(parent).has_value());
    }

    void anElementOfAnArrayThatIsWaitedForIsNotRetired() {
        const Lsn first = one(sh("true", R"("array":{"from":0,"to":2})"));
        const Lsn child = one(sh("true", fmt::format(R"("hold":true,"after":[{{"array":{}}}])", first.value)));
        for (int i = 0; i < 3; ++i) QCOMPARE(ends(Lsn(first.value + i)), "completed");
        QVERIFY(!retire(Lsn(first.value + 2)));
        engine_->run((*engine_)->ask(&engine::Operations::cancel, child));
        (void)engine_->wait(child);
        QVERIFY(retire(Lsn(first.value + 2)).has_value());
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    TestGraph test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_graph.moc"
