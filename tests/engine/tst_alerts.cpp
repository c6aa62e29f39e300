// Alerts as people write them down: kept, changed, silenced, delivered and tried again, over engines that die; with a clock,
// a journal and ways to deliver that a test moves.
#include "tests/engine/alert_bench.h"

#include <QTest>

#include <fmt/format.h>
#include <string>

using namespace yard;
using namespace yard::engine;
using namespace yard::engine::test;
using Bench = AlertBench;

namespace {

constexpr WallMicros kSecond = 1'000'000;
constexpr const char* kFailed =
    R"({"name":"failed","on":{"kind":"action_finished","filter":"state:failed"},"quiet_s":0,"then":[)";

std::string failed(const std::string& then) {
    return kFailed + then + "]}";
}
const std::string kHook = R"({"webhook":"http://127.0.0.1/hook"})";
const std::string kCommand = R"({"command":["notify","-x"]})";

} // namespace

class TestEngineAlerts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFirstRulesAreMadeOnce();
    void whatIsRemovedIsNotMadeAgain();
    void aRuleIsKeptChangedAndRemoved();
    void whatTheJournalRefusesIsNotThere();
    void whatIsToldIsKept();
    void aStormIsOneMessage();
    void aWebhookIsSentItsTemplate();
    void aWebhookThatFailsIsTriedEverMoreSeldom();
    void whatCannotBeDeliveredIsGivenUp();
    void anEngineThatDiesDeliversAgain();
    void aCommandRunsAsAnAction();
    void theEndOfACommandIsToldWithItsRule();
    void whatTheJournalDoesNotTakeIsToldLater();
    void whatIsOnItsWayStaysWhereTheJournalRefuses();
    void aSilenceIsKept();
    void aFilterByTheRowReadsTheRow();
    void aQueueThatHasMoreToDoIsNotFinished();
    void theOldestIsLookedAtWhenItIsDue();
    void theOldestHasToHoldAsTheRuleSays();
    void whatIsSilentIsResolvedByItsEnd();
    void whatWasToldEndsInAnotherEngine();
    void nothingHoldsForAQueueThatIsDeleted();
    void endsThatAreToldTogetherAreCountedByState();
    void aDryRunSaysWhatWouldHaveBeenTold();
    void aDryRunOfQueuesAndMemory();
    void aDryRunKnowsWhatHasNotEnded();
    void aDryRunEndsWhereItTellsTooMuch();
    void whatIsNoDryRunIsRefused();
};

void TestEngineAlerts::theFirstRulesAreMadeOnce() {
    Bench bench(true);
    QCOMPARE(bench.kept("alert"), std::size_t(6));
    std::string names;
    for (const AlertView& view : bench.alerts->list().rules) names += view.rule.name + " ";
    QCOMPARE(names, std::string("disk failures gpu-lost machine-lost queue-finished silent-action "));
    for (const AlertView& view : bench.alerts->list().rules) QCOMPARE(view.rule.then.size(), std::size_t(1));
}

void TestEngineAlerts::whatIsRemovedIsNotMadeAgain() {
    Bench bench(true);
    for (const char* name : {"disk", "failures", "gpu-lost", "machine-lost", "queue-finished", "silent-action"})
        QVERIFY(bench.rig.ask(bench.alerts->remove(name)));
    bench.open();
    QVERIFY(bench.alerts->list().rules.empty());
}

void TestEngineAlerts::aRuleIsKeptChangedAndRemoved() {
    Bench bench;
    QVERIFY(bench.create(failed(R"({"desktop":true})")));
    QCOMPARE(bench.create(failed("")).error().kind, ErrorKind::WrongState);
    QCOMPARE(bench.create("{}").error().field, std::string("name"));
    const auto changed = bench.rig.ask(bench.alerts->change("failed", R"({"quiet_s":7})"));
    QCOMPARE(changed->rule.quietSeconds, 7.0);
    QCOMPARE(bench.rig.ask(bench.alerts->change("failed", R"({"name":"x"})")).error().field, std::string("name"));
    QCOMPARE(bench.rig.ask(bench.alerts->change("none", "{}")).error().kind, ErrorKind::NotFound);
    bench.open();
    QCOMPARE(bench.alerts->get("failed")->rule.quietSeconds, 7.0);
    QVERIFY(bench.rig.ask(bench.alerts->remove("failed")));
    QCOMPARE(bench.alerts->get("failed").error().kind, ErrorKind::NotFound);
    QCOMPARE(bench.rig.ask(bench.alerts->remove("failed")).error().kind, ErrorKind::NotFound);
    QCOMPARE(bench.kept("alert"), std::size_t(0));
}

void TestEngineAlerts::whatTheJournalRefusesIsNotThere() {
    Bench bench;
    bench.commitRefusal = fail(ErrorKind::Journal, "The disk is full.").error();
    QCOMPARE(bench.create(failed("")).error().kind, ErrorKind::Journal);
    QVERIFY(bench.alerts->list().rules.empty());
}

void TestEngineAlerts::whatIsToldIsKept() {
    Bench bench;
    QVERIFY(bench.create(failed(R"({"desktop":true})")));
    const int before = bench.changes;
    bench.end(1, ActionState::Completed);
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.told("failed"), std::string("Action 2 (make) failed."));
    QCOMPARE(bench.changes, before + 1);
    bench.open();
    QCOMPARE(bench.told("failed"), std::string("Action 2 (make) failed."));
    QCOMPARE(bench.alerts->list().fired.size(), std::size_t(1));
    QCOMPARE(bench.alerts->list().fired[0].lsn, Lsn(2));
    QCOMPARE(bench.kept("alert_outbox"), std::size_t(0)); // for windows it is enough that it is kept
}

void TestEngineAlerts::aStormIsOneMessage() {
    Bench bench;
    QVERIFY(bench.create(failed(kHook)));
    for (int i = 0; i < 10'000; ++i)
        bench.alerts->ended(Lsn(i + 1), {.queue = QueueId(1), .state = ActionState::Failed});
    bench.rig.settle();
    bench.pass(60 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(1));
    QCOMPARE(bench.alerts->list().fired[0].count, std::int64_t(10'000));
}

void TestEngineAlerts::aWebhookIsSentItsTemplate() {
    Bench bench;
    QVERIFY(bench.create(failed(kHook + R"(,{"webhook":"http://h/","template":"slack"})")));
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(2));
    QCOMPARE(bench.hooks[1], std::string(R"({"text":"Action 1 (make) failed."})"));
    QCOMPARE(bench.hooks[0],
             fmt::format(R"({{"rule":"failed","severity":"warning","state":"firing","t":{},"count":1,)"
                         R"("text":"Action 1 (make) failed.","key":"action 1","lsn":1,"queue_id":1}})",
                         kAlertsBegin + kSecond));
    const auto view = bench.alerts->get("failed");
    QVERIFY(view->last->isDone);
    QCOMPARE(view->last->text, std::string("h answered 200."));
    Delivery delivery{.id = "1", .target = {}, .message = {}, .error = {}};
    delivery.target.form = alerts::Form::Slack;
    delivery.message.text = "<!channel> a&b";
    QCOMPARE(hookBody(delivery), std::string(R"({"text":"&lt;!channel&gt; a&amp;b"})"));
    QCOMPARE(bench.kept("alert_outbox"), std::size_t(0));
}

void TestEngineAlerts::aWebhookThatFailsIsTriedEverMoreSeldom() {
    Bench bench;
    QVERIFY(bench.create(failed(kHook)));
    bench.hookRefusal = fail(ErrorKind::Io, "127.0.0.1 answers 500.").error();
    bench.end(1, ActionState::Failed);
    bench.pass(2 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(1));
    bench.pass(10 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(2));
    bench.pass(10 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(2));
    bench.pass(10 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(3));
    const auto view = bench.alerts->get("failed");
    QCOMPARE(view->waiting, std::int64_t(1));
    QCOMPARE(view->waitingError, std::string("127.0.0.1 answers 500."));
    QVERIFY(!view->last->isDone);
    bench.pass(24 * 3'600 * kSecond); // a day of it: once an hour at last
    QVERIFY(bench.hooks.size() > 24 && bench.hooks.size() < 40);
    bench.hookRefusal.reset();
    bench.pass(3'600 * kSecond);
    QVERIFY(bench.alerts->get("failed")->last->isDone);
    QCOMPARE(bench.kept("alert_outbox"), std::size_t(0));
    QCOMPARE(pauseAfter(1), Duration(10'000'000));
    QCOMPARE(pauseAfter(1'000'000), Duration(3'600'000'000));
}

void TestEngineAlerts::whatCannotBeDeliveredIsGivenUp() {
    Bench bench;
    QVERIFY(bench.create(failed(kHook)));
    bench.hookRefusal = fail(ErrorKind::Io, "Nobody is there.").error();
    bench.end(1, ActionState::Failed);
    bench.pass(kGiveUpAfter.count() + 2 * 3'600 * kSecond);
    QCOMPARE(bench.kept("alert_outbox"), std::size_t(0));
    QCOMPARE(bench.alerts->get("failed")->waiting, std::int64_t(0));
    const std::size_t tries = bench.hooks.size();
    bench.pass(24 * 3'600 * kSecond);
    QCOMPARE(bench.hooks.size(), tries);
}

void TestEngineAlerts::anEngineThatDiesDeliversAgain() {
    Bench bench;
    QVERIFY(bench.create(failed(kHook)));
    bench.hookRefusal = fail(ErrorKind::Io, "Nobody is there.").error();
    bench.end(1, ActionState::Failed);
    bench.pass(2 * kSecond);
    bench.hookRefusal.reset();
    bench.open();
    bench.pass(10 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(2));
    QCOMPARE(bench.hooks[0], bench.hooks[1]);
    bench.open();
    bench.pass(3'600 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(2));
    QVERIFY(bench.alerts->get("failed")->last->isDone);
}

void TestEngineAlerts::aCommandRunsAsAnAction() {
    Bench bench;
    QVERIFY(bench.create(failed(kCommand)));
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.commands.size(), std::size_t(1));
    QCOMPARE(bench.commands[0].key, "\nalert\n" + bench.commands[0].id);
    QCOMPARE(bench.commands[0].action("/x/1.json"),
             std::string(R"({"worker":"exec","argv":["notify","-x","Action 1 (make) failed."],)"
                         R"("env":{"YARD_ALERT":"/x/1.json"},"label":"alert failed","deadline_s":10})"));
    QVERIFY(bench.commands[0].content.starts_with(R"({"rule":"failed")"));
    QCOMPARE(bench.alerts->get("failed")->last->text, std::string("Action 1001 runs the command."));
    QCOMPARE(bench.commands[0].queue, std::optional<QueueId>());
    bench.open();
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.commands.size(), std::size_t(2));
    QCOMPARE(bench.commands[1].queue, std::optional(QueueId(9)));
}

/// Also by another engine; and what ends there sets nothing off.
void TestEngineAlerts::theEndOfACommandIsToldWithItsRule() {
    Bench bench;
    QVERIFY(bench.create(failed(kCommand)));
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    bench.open();
    bench.end(9, ActionState::Failed, 1'001);
    bench.pass(60 * kSecond);
    QCOMPARE(bench.commands.size(), std::size_t(1));
    QCOMPARE(bench.forgotten, std::vector<std::string>{bench.commands[0].id});
    const auto last = bench.alerts->get("failed")->last;
    QVERIFY(!last->isDone);
    QCOMPARE(last->text, std::string("Action 1001 ran the command, and failed."));
    bench.open();
    QVERIFY(!bench.alerts->get("failed")->last->isDone);
}

void TestEngineAlerts::whatTheJournalDoesNotTakeIsToldLater() {
    Bench bench;
    QVERIFY(bench.create(failed(kHook)));
    bench.commitRefusal = fail(ErrorKind::Journal, "The disk is full.").error();
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QVERIFY(bench.hooks.empty());
    QVERIFY(bench.told("failed").empty());
    bench.commitRefusal.reset();
    bench.pass(20 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(1));
    QCOMPARE(bench.told("failed"), std::string("Action 1 (make) failed."));
}

/// Also what no engine tried yet, as another one finds it.
void TestEngineAlerts::whatIsOnItsWayStaysWhereTheJournalRefuses() {
    Bench bench;
    QVERIFY(bench.create(failed(kHook)));
    Delivery delivery{.id = "1", .target = {}, .message = {}, .error = {}};
    delivery.target.channel = alerts::Channel::Webhook;
    delivery.target.webhook = "http://127.0.0.1/hook";
    delivery.message.rule = "failed";
    delivery.message.t = bench.wall;
    bench.journal[{"alert_outbox", "1"}] = writeDelivery(delivery);
    bench.isHookSlow = true;
    bench.open();
    QCOMPARE(bench.hooks.size(), std::size_t(1));
    bench.commitRefusal = fail(ErrorKind::Journal, "The disk is full.").error();
    bench.end(1, ActionState::Failed);
    bench.pass(2 * kSecond);
    QCOMPARE(bench.alerts->get("failed")->waiting, std::int64_t(1));
    bench.commitRefusal.reset();
    bench.isHookSlow = false;
    bench.hookGate.set();
    bench.rig.settle();
    QCOMPARE(bench.kept("alert_outbox"), std::size_t(0));
    QCOMPARE(bench.alerts->get("failed")->last->text, std::string("127.0.0.1 answered 200."));
    bench.pass(20 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(2));
    QVERIFY(bench.told("failed").ends_with("Action 1 (make) failed."));
}

void TestEngineAlerts::aSilenceIsKept() {
    Bench bench;
    QVERIFY(bench.create(failed(kHook)));
    QCOMPARE(bench.rig.ask(bench.alerts->silence("none", 1)).error().kind, ErrorKind::NotFound);
    QCOMPARE(bench.rig.ask(bench.alerts->silence("failed", -1)).error().field, std::string("s"));
    const auto silenced = bench.rig.ask(bench.alerts->silence("failed", 100));
    QCOMPARE(silenced->state, alerts::AlertState::Silenced);
    QCOMPARE(silenced->silencedUntil, kAlertsBegin + 100 * kSecond);
    bench.open();
    bench.end(1, ActionState::Failed);
    bench.pass(90 * kSecond);
    QVERIFY(bench.hooks.empty());
    bench.pass(20 * kSecond);
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.hooks.size(), std::size_t(1));
    QCOMPARE(bench.alerts->get("failed")->silencedUntil, WallMicros(0));
}

void TestEngineAlerts::aFilterByTheRowReadsTheRow() {
    Bench bench;
    QVERIFY(bench.create(R"({"name":"r","on":{"kind":"action_finished","filter":"exit:3"},"quiet_s":0})"));
    for (std::int64_t lsn = 1; lsn <= 2; ++lsn) {
        ActionResult& row = bench.history.emplace_back();
        row.lsn = Lsn(lsn);
        row.state = ActionState::Failed;
        row.outcome.emplace().exitCode = static_cast<int>(lsn) + 1;
    }
    for (int i = 0; i < 3; ++i) bench.end(1, ActionState::Failed); // the third one is retired already
    bench.pass(5 * kSecond);
    QCOMPARE(bench.alerts->list().fired.size(), std::size_t(1));
    QCOMPARE(bench.alerts->list().fired[0].lsn, Lsn(2));
}

void TestEngineAlerts::aQueueThatHasMoreToDoIsNotFinished() {
    Bench bench;
    QVERIFY(bench.create(R"({"name":"q","on":{"kind":"queue_finished"},"quiet_s":0})"));
    bench.unfinished[QueueId(1)] = 1;
    bench.end(1, ActionState::Completed);
    bench.pass(5 * kSecond);
    QVERIFY(bench.told("q").empty());
    bench.unfinished[QueueId(1)] = 0;
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.told("q"), std::string("Nothing is left to do in queue 1 (tag): 2 ended, 1 of them failed."));
}

void TestEngineAlerts::theOldestIsLookedAtWhenItIsDue() {
    Bench bench;
    QVERIFY(bench.create(R"({"name":"q","on":{"kind":"queue_age","over":100},"quiet_s":0})"));
    bench.pass(2 * kSecond);
    bench.looks = 0;
    bench.ages = {{QueueId(1), bench.wall}, {QueueId(2), bench.wall + 1'000 * kSecond}};
    bench.alerts->workCame();
    bench.rig.settle();
    bench.pass(90 * kSecond);
    QCOMPARE(bench.looks, 1);
    QVERIFY(bench.told("q").empty());
    bench.pass(15 * kSecond);
    QCOMPARE(bench.looks, 2);
    QCOMPARE(bench.told("q"), std::string("An action of queue 1 (tag) has waited for 1 min 40 s."));
    bench.ages.erase(QueueId(1));
    bench.end(1, ActionState::Completed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.alerts->list().fired.size(), std::size_t(2));
    QVERIFY(bench.alerts->list().fired[0].isResolved);
}

void TestEngineAlerts::theOldestHasToHoldAsTheRuleSays() {
    Bench bench;
    QVERIFY(bench.create(R"({"name":"q","on":{"kind":"queue_age","over":100,"for_s":20},"quiet_s":0})"));
    bench.pass(2 * kSecond);
    bench.ages = {{QueueId(1), bench.wall}};
    bench.alerts->workCame();
    bench.rig.settle();
    bench.pass(119 * kSecond);
    QVERIFY(bench.told("q").empty());
    bench.pass(5 * kSecond);
    QVERIFY(bench.told("q").starts_with("An action of queue 1 (tag) has waited for 2 min"));
}

void TestEngineAlerts::whatIsSilentIsResolvedByItsEnd() {
    Bench bench;
    QVERIFY(bench.create(R"({"name":"s","on":{"kind":"silence","over":10},"quiet_s":0})"));
    ActionResult row;
    row.lsn = Lsn(7);
    row.queue = QueueId(1);
    row.state = ActionState::Running;
    bench.alerts->silent(row, bench.wall - 20 * kSecond);
    bench.rig.settle();
    bench.pass(5 * kSecond);
    QCOMPARE(bench.alerts->get("s")->firing, std::int64_t(1));
    bench.end(1, ActionState::Failed, 7);
    bench.pass(1'500'000);
    QCOMPARE(bench.alerts->get("s")->state, alerts::AlertState::Resolved);
    QCOMPARE(bench.alerts->list().fired.size(), std::size_t(2));
}

/// Each kind by what ends it; and what goes on is not told again.
void TestEngineAlerts::whatWasToldEndsInAnotherEngine() {
    Bench bench;
    QVERIFY(bench.create(R"({"name":"age","on":{"kind":"queue_age","over":100},"quiet_s":0})"));
    QVERIFY(bench.create(R"({"name":"lost","on":{"kind":"machine"},"quiet_s":0})"));
    QVERIFY(bench.create(R"({"name":"rate","on":{"kind":"failure_rate","over":50,"for_s":60},"quiet_s":0})"));
    QVERIFY(bench.create(R"({"name":"silent","on":{"kind":"silence","over":10},"quiet_s":0})"));
    bench.ages = {{QueueId(1), bench.wall - 200 * kSecond}};
    bench.alerts->workCame();
    bench.alerts->machines({"m1", "m2"});
    for (int i = 0; i < 10; ++i) bench.end(1, ActionState::Failed);
    for (const std::int64_t lsn : {70, 71}) {
        ActionResult& row = bench.history.emplace_back();
        row.lsn = Lsn(lsn);
        row.queue = QueueId(1);
        row.state = ActionState::Running;
        bench.alerts->silent(row, bench.wall - 20 * kSecond);
    }
    bench.rig.settle();
    bench.pass(5 * kSecond);
    QCOMPARE(bench.alerts->list().fired.size(), std::size_t(4));
    bench.history.front().state = ActionState::Failed; // nobody heard of it
    bench.ages.clear();
    const int asked = bench.machinesAsked;
    bench.open();
    QCOMPARE(bench.machinesAsked, asked + 1);
    bench.alerts->machines({"m2"});
    bench.rig.settle();
    bench.pass(5 * kSecond);
    QVERIFY(bench.told("age").find("Resolved: ") != std::string::npos);
    QVERIFY(bench.told("lost").find("Resolved: ") != std::string::npos);
    QCOMPARE(bench.alerts->get("lost")->firing, std::int64_t(1));
    QVERIFY(bench.told("silent").find("Resolved: ") != std::string::npos);
    QCOMPARE(bench.alerts->get("silent")->firing, std::int64_t(1));
    QCOMPARE(bench.alerts->get("rate")->firing, std::int64_t(1));
    bench.end(1, ActionState::Failed, 71);
    bench.pass(65 * kSecond);
    QCOMPARE(bench.alerts->get("silent")->firing, std::int64_t(0));
    QVERIFY(bench.told("rate").find("Resolved: ") != std::string::npos);
}

void TestEngineAlerts::nothingHoldsForAQueueThatIsDeleted() {
    Bench bench;
    QVERIFY(bench.create(R"({"name":"f","on":{"kind":"failures","over":2},"quiet_s":0})"));
    QVERIFY(bench.create(R"({"name":"age","on":{"kind":"queue_age","over":100},"quiet_s":0})"));
    bench.ages = {{QueueId(1), bench.wall - 200 * kSecond}};
    bench.alerts->workCame();
    for (int i = 0; i < 2; ++i) bench.end(1, ActionState::Failed);
    for (int i = 0; i < 2; ++i) bench.end(2, ActionState::Failed);
    bench.end(3, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.alerts->get("f")->firing, std::int64_t(2));
    QCOMPARE(bench.alerts->get("age")->firing, std::int64_t(1));
    bench.ages.clear();
    bench.gone = {QueueId(1)};
    bench.alerts->queueGone(QueueId(1));
    bench.rig.settle();
    QCOMPARE(bench.alerts->get("f")->firing, std::int64_t(1));
    QCOMPARE(bench.alerts->get("age")->firing, std::int64_t(0));
    bench.gone.insert(QueueId(2)); // nobody said so: the engine was gone, too
    bench.open();
    bench.pass(5 * kSecond);
    QCOMPARE(bench.alerts->get("f")->firing, std::int64_t(0));
    bench.gone.insert(QueueId(3));
    for (int i = 0; i < 2; ++i) bench.end(3, ActionState::Failed); // an end that comes after the queue is gone
    bench.pass(5 * kSecond);
    QCOMPARE(bench.alerts->get("f")->firing, std::int64_t(0));
}

void TestEngineAlerts::endsThatAreToldTogetherAreCountedByState() {
    Bench bench;
    QVERIFY(bench.create(R"({"name":"end","on":{"kind":"action_finished"},"quiet_s":0})"));
    bench.end(1, ActionState::Completed);
    bench.end(1, ActionState::Failed);
    bench.pass(5 * kSecond);
    QCOMPARE(bench.told("end"), std::string("Action 1 (make) completed. There is 1 more: 1 failed."));
    bench.end(1, ActionState::Cancelled);
    bench.end(1, ActionState::Completed);
    bench.end(1, ActionState::Cancelled);
    bench.pass(5 * kSecond);
    QVERIFY(
        bench.told("end").ends_with("Action 3 (make) was cancelled. There are 2 more: 1 cancelled, 1 completed."));
}

namespace {

WallMicros ago(double seconds) {
    return kAlertsBegin - static_cast<WallMicros>(seconds * 1e6);
}

ActionResult endedAt(std::int64_t lsn, WallMicros came, WallMicros begun, WallMicros ended, ActionState state) {
    ActionResult row;
    row.lsn = Lsn(lsn);
    row.queue = QueueId(1);
    row.label = "make";
    row.state = state;
    row.times[ActionState::New] = row.times[ActionState::Pending] = came;
    row.times[ActionState::Submitting] = begun;
    row.times[state] = ended;
    row.outcome.emplace().state = state;
    return row;
}

std::string played(Bench& bench, const std::string& rule) {
    const auto answer = bench.rig.ask(bench.alerts->test(fmt::format(R"({{"rule":{}}})", rule)));
    if (!answer) return answer.error().message;
    std::string text = std::to_string(answer->count);
    for (const alerts::Message& message : answer->fired)
        text += fmt::format(" {:+g}{}", static_cast<double>(message.t - kAlertsBegin) / 1e6,
                            message.isResolved ? " resolved" : "");
    return text;
}

} // namespace

/// By the times of the ends, not in the order of LSNs.
void TestEngineAlerts::aDryRunSaysWhatWouldHaveBeenTold() {
    Bench bench;
    bench.history = {endedAt(1, ago(100), ago(90), ago(10), ActionState::Completed),
                     endedAt(2, ago(100), ago(90), ago(50), ActionState::Failed),
                     endedAt(3, ago(100), ago(90), ago(40), ActionState::Failed),
                     endedAt(4, ago(100), ago(90), ago(30), ActionState::Failed),
                     endedAt(5, ago(10'000'000), ago(9'999'999), ago(9'999'998), ActionState::Failed)};
    QCOMPARE(played(bench, R"({"on":{"kind":"failures","over":3},"quiet_s":0})"), std::string("2 -29 -9 resolved"));
    QCOMPARE(played(bench, R"({"on":{"kind":"action_finished","filter":"state:failed"},"quiet_s":0})"),
             std::string("3 -49 -39 -29"));
    QCOMPARE(played(bench, R"({"on":{"kind":"action_finished","filter":"lsn:3"},"quiet_s":0})"),
             std::string("1 -39"));
    QVERIFY(bench.alerts->list().rules.empty());
    QVERIFY(bench.hooks.empty());
}

void TestEngineAlerts::aDryRunOfQueuesAndMemory() {
    Bench bench;
    bench.history = {endedAt(1, ago(100), ago(95), ago(90), ActionState::Completed),
                     endedAt(2, ago(50), ago(20), ago(10), ActionState::Completed)};
    QCOMPARE(played(bench, R"({"on":{"kind":"queue_finished"},"quiet_s":0})"), std::string("2 -89 -9"));
    QCOMPARE(played(bench, R"({"on":{"kind":"queue_age","over":15},"quiet_s":0})"),
             std::string("2 -34 -19 resolved"));
    QCOMPARE(played(bench, R"({"on":{"kind":"memory","over":90},"quiet_s":0})"), std::string("2 -16 -13 resolved"));
    const std::string memory = R"({"rule":{"on":{"kind":"memory","over":90}}})";
    QVERIFY(bench.rig.ask(bench.alerts->test(memory))->isWhole);
    bench.memoryApart = std::chrono::seconds(600);
    const auto coarse = bench.rig.ask(bench.alerts->test(memory));
    QVERIFY(!coarse->isWhole);
    QCOMPARE(coarse->note, std::string("Of memory that long ago one value in 600 s is kept: what was in between is "
                                       "not known."));
    const auto disk = bench.rig.ask(bench.alerts->test(R"({"rule":{"on":{"kind":"disk"}}})"));
    QVERIFY(!disk->isWhole);
    QVERIFY(!disk->note.empty());
}

void TestEngineAlerts::aDryRunKnowsWhatHasNotEnded() {
    Bench bench;
    bench.history = {endedAt(1, ago(100), ago(95), ago(90), ActionState::Completed)};
    bench.unended = {{.lsn = Lsn(2), .queue = QueueId(1), .came = ago(99), .begun = ago(98)}};
    QCOMPARE(played(bench, R"({"on":{"kind":"queue_finished"},"quiet_s":0})"), std::string("0"));
    QCOMPARE(played(bench, R"({"on":{"kind":"queue_age","over":15},"quiet_s":0})"), std::string("0"));
    bench.unended.push_back({.lsn = Lsn(3), .queue = QueueId(2), .came = ago(50)});
    QCOMPARE(played(bench, R"({"on":{"kind":"queue_age","over":15},"quiet_s":0})"), std::string("1 -34"));
    bench.unended.back().isHeldBack = true;
    QCOMPARE(played(bench, R"({"on":{"kind":"queue_age","over":15},"quiet_s":0})"), std::string("0"));
}

void TestEngineAlerts::aDryRunEndsWhereItTellsTooMuch() {
    Bench bench;
    bench.history = {endedAt(1, ago(100), ago(90), ago(50), ActionState::Failed)};
    const std::string rule = R"({"on":{"kind":"failures","over":1},"quiet_s":0,"repeat_s":1})";
    const auto ask = [&](WallMicros from, WallMicros to) {
        return *bench.rig.ask(
            bench.alerts->test(fmt::format(R"({{"rule":{},"from":{},"to":{}}})", rule, from, to)));
    };
    const RehearsalAnswer much = ask(-1, 4'000'000'000'000'000'000);
    QCOMPARE(much.count, Rehearsal::kMostMessages);
    QCOMPARE(much.fired.size(), Rehearsal::kMostTold);
    QVERIFY(!much.isWhole);
    QVERIFY(!much.note.empty());
    const RehearsalAnswer little = ask(ago(100), ago(40));
    QCOMPARE(little.count, std::int64_t(5)); // a second to gather, and one until it is told again
    QVERIFY(little.isWhole);
}

void TestEngineAlerts::whatIsNoDryRunIsRefused() {
    Bench bench;
    for (const auto& [json, field] : {std::pair("{", ""),
                                      {"[]", ""},
                                      {"{}", "rule"},
                                      {R"({"rule":{}})", "rule"},
                                      {R"({"rule":{"on":7}})", "on"},
                                      {R"({"rule":{"on":{"kind":"disk"}},"from":"x"})", "from"},
                                      {R"({"colour":1})", "colour"}}) {
        const auto answer = bench.rig.ask(bench.alerts->test(json));
        QVERIFY2(!answer, json);
        QCOMPARE(answer.error().field, std::string(field));
    }
}

QTEST_GUILESS_MAIN(TestEngineAlerts)
#include "tst_alerts.moc"
