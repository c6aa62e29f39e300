// One look: what an answer may say, and the one write that it comes to. Names are the seed's sentences where there is one
// (docs/objects.md).
#include "core/lifecycle/field_values.h"
#include "core/lifecycle/tick.h"
#include "tests/lifecycle/types.h"

#include <QtTest>

#include <fmt/format.h>

using namespace yard;
using namespace yard::lifecycle;
using namespace yard::test;

namespace {

constexpr WallMicros kNow = 1'000'000'000;
constexpr WallMicros kSecond = 1'000'000;

Seen seen(const Type& type, std::string_view status, unsigned retries = 0) {
    return {.id = ObjectId(7), .status = *type.find(status), .revision = 3, .retries = retries};
}
/// The write as one line, or the refusal.
std::string told(const Type& type, const Result<Write>& write) {
    if (!write) return write.error().message;
    std::string line =
        fmt::format("{}>{} rev {}", type.states[write->from].name, type.states[write->to].name, write->newRevision);
    line += write->retryAt == 0 ? " final" : fmt::format(" +{}s", (write->retryAt - kNow) / kSecond);
    if (write->retries > 0) line += fmt::format(" retries {}", write->retries);
    if (write->starts) line += " starts";
    if (write->ends) line += " ends";
    if (write->isStuck) line += " stuck";
    if (!write->lastError.empty()) line += " error " + write->lastError;
    return line;
}
std::string refusal(const Type& type, const std::string& json) {
    const auto answer = parseAnswer(type, json);
    return answer ? "" : answer.error().message;
}

} // namespace

class TestTick : public QObject {
    Q_OBJECT

    const Type type_ = parsed(snapshotJson());

    std::string answered(std::string_view status, const std::string& json, unsigned retries = 0) const {
        const auto answer = parseAnswer(type_, json);
        if (!answer) return answer.error().message;
        return told(type_, transitionOf(type_, seen(type_, status, retries), *answer, kNow));
    }

private Q_SLOTS:
    void tickExecutesASingleTransition() {
        QCOMPARE(answered("queued", R"({"move": "started"})"), "queued>started rev 4 +0s starts");
        QCOMPARE(answered("started", R"({"move": "sealed"})"), "started>sealed rev 4 final ends");
        QCOMPARE(answered("queued", R"({"move": "started", "look_in_s": 10})"), "queued>started rev 4 +10s starts");
    }
    void tickMustNotReturnAnyValue() {
        // What a function returns is no part of the answer: the move, the fields and the effects are all that is read.
        const auto with =
            parseAnswer(type_, R"({"exit_code": 0, "result": {"move": "sealed"}, "move": "started"})");
        const auto without = parseAnswer(type_, R"({"exit_code": 0, "move": "started"})");
        const auto write = transitionOf(type_, seen(type_, "queued"), *with, kNow);
        QCOMPARE(told(type_, write), "queued>started rev 4 +0s starts");
        QCOMPARE(told(type_, write), told(type_, transitionOf(type_, seen(type_, "queued"), *without, kNow)));
        QVERIFY(write->set.empty() && write->effects.empty());
    }
    void aSecondMoveIsAnException() {
        QCOMPARE(answered("queued", R"({"move": ["started", "sealed"]})"),
                 "Give \"move\" as the name of one state; a look moves once.");
        QVERIFY(!refusal(type_, R"({"move": "started", "move": "sealed"})").empty());
    }
    void transitionMustNotHaveAnyBranchingLogic_data() {
        QTest::addColumn<QString>("move");
        for (const char* move :
             {R"(["started", "failed"])", R"({"if": "x", "then": "started"})", "1", "true", "null"})
            QTest::newRow(move) << move;
    }
    void transitionMustNotHaveAnyBranchingLogic() {
        QFETCH(QString, move);
        QCOMPARE(answered("queued", R"({"move": )" + move.toStdString() + "}"),
                 "Give \"move\" as the name of one state; a look moves once.");
    }
    void whatTheTableDoesNotAllowIsAnException() {
        QCOMPARE(answered("queued", R"({"move": "sealed"})"), "No transition leads from queued to sealed.");
        QCOMPARE(answered("queued", R"({"move": "gone"})"), "The type snapshot has no state gone.");
    }
    void inTheSameWriteRetryAtIsUpdatedOrNoneInAFinalState() {
        for (const char* status : {"queued", "started"})
            for (const char* to : {"started", "sealed", "failed"}) {
                Answer answer;
                answer.move = to;
                const auto write = transitionOf(type_, seen(type_, status), answer, kNow);
                if (!write) continue;
                QCOMPARE(write->retryAt == 0, type_.isFinal(write->to));
                QCOMPARE(write->ends, type_.isFinal(write->to));
            }
    }
    void anAnswerWithoutMoveStays() {
        QCOMPARE(answered("started", "{}"), "started>started rev 3 +10s");
        QCOMPARE(answered("started", R"({"look_in_s": 5})"), "started>started rev 3 +5s");
        QCOMPARE(answered("started", R"({"set": {"depth": 2}, "look_in_s": 1.5})"), "started>started rev 4 +1s");
        QCOMPARE(answered("started", R"({"effects": [{"wake": "parent"}]})"), "started>started rev 4 +10s");
    }

    void transitionMustBeAtomicByCompareAndSwap() {
        const auto write = transitionOf(type_, seen(type_, "queued"), {.move = "started"}, kNow);
        QVERIFY(write->swaps(*type_.find("queued"), 3));
        QVERIFY(!write->swaps(*type_.find("started"), 3));
        QVERIFY(!write->swaps(*type_.find("queued"), 4));
    }
    void transitionMustBeIdempotent() {
        const auto write = transitionOf(type_, seen(type_, "queued"), {.move = "started"}, kNow);
        // Carried out once, it does not swap again; nor does a move that enters the status that it leaves.
        QVERIFY(!write->swaps(write->to, write->newRevision));
        const auto again = transitionOf(type_, seen(type_, "started"), {.move = "started"}, kNow);
        QVERIFY(!again->swaps(again->to, again->newRevision));
    }

    void entriesIntoTheSameStatusAreCounted() {
        QCOMPARE(answered("started", R"({"move": "started"})"), "started>started rev 4 +0s retries 1");
        QCOMPARE(answered("started", R"({"move": "sealed"})", 4), "started>sealed rev 4 final ends");
        QCOMPARE(answered("started", R"({"look_in_s": 5})", 4), "started>started rev 3 +5s retries 4");
    }
    void overMaxRetriesItGoesToTheBadEnd() {
        QCOMPARE(told(type_, exceptionOf(type_, seen(type_, "queued", 4), "no", kNow)),
                 "queued>queued rev 4 +10s retries 5 error no");
        QCOMPARE(told(type_, exceptionOf(type_, seen(type_, "queued", 5), "no", kNow)),
                 "queued>failed rev 4 final starts ends error no");
        QCOMPARE(answered("started", R"({"move": "started"})", 5),
                 "started>failed rev 4 final ends error The object entered started more than 5 times in a row.");
    }
    void withoutABadEndItIsStuckFarAway() {
        Type type = type_;
        type.states[*type.find("failed")].kind = StateKind::Skip;
        const Write write = exceptionOf(type, seen(type, "queued", 5), "no", kNow);
        QVERIFY(write.isStuck && !write.ends);
        QCOMPARE(write.retryAt, kNow + kFar.count());
        QCOMPARE(write.lastError, "no");
    }

    void byHandOnlyWhatTheTableAllowsUnlessItIsForced() {
        const Seen from = seen(type_, "queued", 3);
        QCOMPARE(told(type_, moveByHand(type_, from, "started", false, kNow)), "queued>started rev 4 +0s starts");
        QVERIFY(moveByHand(type_, from, "sealed", false, kNow).error().kind == ErrorKind::WrongState);
        QCOMPARE(told(type_, moveByHand(type_, from, "sealed", true, kNow)),
                 "queued>sealed rev 4 final starts ends");
        QVERIFY(moveByHand(type_, from, "gone", true, kNow).error().kind == ErrorKind::Invalid);
        QCOMPARE(told(type_, moveByHand(type_, seen(type_, "sealed"), "queued", true, kNow)),
                 "sealed>queued rev 4 +0s");
    }

    void effectsHaveTheKeysOfTheirWrite() {
        const auto answer = parseAnswer(
            type_, R"({"move": "started", "effects": [{"create": {"type": "result"}}, {"submit": {}, "as": "pdf"},
                       {"wake": [3, 4]}, {"call": "write_index", "args": {"a": 1}}]})");
        QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
        const auto write = transitionOf(type_, seen(type_, "queued"), *answer, kNow);
        std::string all;
        for (std::uint32_t i = 0; i < write->effects.size(); ++i)
            all += fmt::format("{} {}; ", write->keyOf(i).text(), name(write->effects[i].kind));
        QCOMPARE(all, "7/4/0 create; 7/4/1 submit; 7/4/2 wake; 7/4/3 call; ");
        QCOMPARE(write->effects[3].body, R"({"args":{"a":1},"call":"write_index"})");
    }
    void garbageIsAnException_data() {
        QTest::addColumn<QString>("json");
        for (const char* json : {"",
                                 "[]",
                                 "{",
                                 "7",
                                 R"({"set": 1})",
                                 R"({"set": {"nothing": 1}})",
                                 R"({"set": {"url": 1}})",
                                 R"({"set": {"url": null}})",
                                 R"({"look_in_s": -1})",
                                 R"({"look_in_s": "x"})",
                                 R"({"look_in_s": 1e99})",
                                 R"({"effects": {}})",
                                 R"({"effects": [1]})",
                                 R"({"effects": [{}]})",
                                 R"({"effects": [{"odd": 1}]})",
                                 R"({"effects": [{"wake": "all"}]})",
                                 R"({"effects": [{"wake": [0]}]})",
                                 R"({"effects": [{"create": 1}]})",
                                 R"({"effects": [{"create": {}, "submit": {}}]})",
                                 R"({"effects": [{"call": {}}]})",
                                 R"({"effects": [{"submit": {}, "as": ""}]})",
                                 R"({"effects": [{"submit": {}, "as": 1}]})",
                                 R"({"exit_code": 1})",
                                 R"({"exit_code": 0.0})",
                                 R"({"exit_code": "0"})",
                                 R"({"exit_code": true})",
                                 R"({"exit_code": null, "move": "started"})"})
            QTest::newRow(json) << json;
    }
    void garbageIsAnException() {
        QFETCH(QString, json);
        QVERIFY(!refusal(type_, json.toStdString()).empty());
    }
    void tickMustNotCallOtherTicksNorTransitionsNorSpawnActors_data() {
        QTest::addColumn<QString>("effect");
        for (const char* effect : {R"({"tick": [3]})", R"({"move": "sealed"})", R"({"transition": "x"})",
                                   R"({"spawn": {}})", R"({"actor": {}})", R"({"orchestrator": {}})"})
            QTest::newRow(effect) << effect;
    }
    void tickMustNotCallOtherTicksNorTransitionsNorSpawnActors() {
        QFETCH(QString, effect);
        QVERIFY(!refusal(type_, R"({"effects": [)" + effect.toStdString() + "]}").empty());
    }
    void transitionMustNotCallOtherTransitions() {
        // One write names one object: that which was looked at.
        const auto write = transitionOf(type_, seen(type_, "queued"), {.move = "started"}, kNow);
        QCOMPARE(write->id, ObjectId(7));
        QCOMPARE(write->wakes, ObjectId{});
        QVERIFY(!refusal(type_, R"({"effects": [{"wake": [3], "move": "sealed"}]})").empty());
        QVERIFY(!refusal(type_, R"({"effects": [{"move": "sealed"}]})").empty());
    }
    void transitionMustNotMutateTheStateOfOtherObjects() {
        QVERIFY(!refusal(type_, R"({"effects": [{"wake": [3], "status": "sealed"}]})").empty());
        QVERIFY(!refusal(type_, R"({"effects": [{"wake": [3], "set": {"url": "x"}}]})").empty());
        QCOMPARE(refusal(type_, R"({"effects": [{"wake": [3]}]})"), "");
    }
    void tickMayRaiseAnException() {
        QCOMPARE(refusal(type_, R"({"exit_code": 1, "message": "no such host", "move": "started"})"),
                 "no such host");
    }
    void megabytesOfFieldsAreAnException() {
        const std::string json = fmt::format(R"({{"set": {{"url": "{}"}}}})", std::string(2U << 20, 'x'));
        QVERIFY(parseAnswer(type_, json).error().kind == ErrorKind::TooLarge);
    }
    void tooManyEffectsAreAnException() {
        std::string json = R"({"effects": [)";
        for (std::size_t i = 0; i <= kMaxEffects; ++i)
            json += (i > 0 ? "," : "") + std::string(R"({"wake":"parent"})");
        QVERIFY(!refusal(type_, json + "]}").empty());
    }

    void mustFirstBumpRetryAtByMaxTickTime() {
        Object object;
        object.id = ObjectId(7);
        object.revision = 3;
        const Claim claim = claimOf(type_, object, kNow);
        QCOMPARE(claim.retryAt, kNow + 60 * kSecond);
        QCOMPARE(claim.revision, 3);
    }

    void objectMustHaveInitCleanAndSave() {
        // init: what a new one begins with; clean: what is refused, of a new one and of an answer; save: one write.
        QCOMPARE(*fieldsForNew(type_, R"({"url": "a"})"), R"({"url":"a","depth":0})");
        QVERIFY(fieldsForNew(type_, R"({"url": 1})").error().kind == ErrorKind::Invalid);
        QVERIFY(!refusal(type_, R"({"set": {"depth": "deep"}})").empty());
        const auto answer = parseAnswer(type_, R"({"move": "started", "set": {"depth": 2}})");
        const auto write = transitionOf(type_, seen(type_, "queued"), *answer, kNow);
        QCOMPARE(write->set, R"({"depth":2})");
        QVERIFY(write->moves);
    }
    void fieldsOfANewObjectAreChecked() {
        QCOMPARE(*fieldsForNew(type_, R"({"url": "a"})"), R"({"url":"a","depth":0})");
        QCOMPARE(*fieldsForNew(type_, R"({"url": "a", "depth": 3, "persona": null})"), R"({"url":"a","depth":3})");
        QCOMPARE(fieldsForNew(type_, "{}").error().message, "The field url of snapshot is required; give it.");
        QCOMPARE(fieldsForNew(type_, R"({"url": "a", "x": 1})").error().message,
                 "The type snapshot has no field \"x\"; leave it out.");
        QCOMPARE(fieldsForNew(type_, R"({"url": "a", "depth": 1.5})").error().message,
                 "The field depth of snapshot has another type; give a value of that type.");
        QCOMPARE(fieldsForNew(type_, R"({"url": null})").error().message,
                 "The field url of snapshot is required, so it cannot be taken away; give it.");
        QVERIFY(fieldsForNew(type_, std::string(kMaxFieldBytes + 1, ' ')).error().kind == ErrorKind::TooLarge);
    }

    void aClockThatWasSetBackMakesNothingLate() {
        constexpr WallMicros kDay = 86'400 * kSecond;
        // Written at noon to be looked at an hour later; a start finds the clock a day before.
        const WallMicros noon = 10 * kDay;
        QCOMPARE(retryAtAfterStart(noon + 3'600 * kSecond, noon, noon - kDay), noon - kDay + 3'600 * kSecond);
        QCOMPARE(retryAtAfterStart(noon + 3'600 * kSecond, noon, noon + kDay), noon + 3'600 * kSecond);
        QCOMPARE(retryAtAfterStart(0, noon, noon - kDay), 0);
    }
};

QTEST_APPLESS_MAIN(TestTick)
#include "tst_tick.moc"
