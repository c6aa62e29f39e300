// Types of objects: what is read of a descriptor, what is refused and in which words.
#include "tests/lifecycle/types.h"

#include <QtTest>

#include <fmt/format.h>

using namespace yard;
using namespace yard::lifecycle;
using namespace yard::test;

namespace {

/// "field: sentence", or "" for one that is taken.
std::string refusal(const std::string& json) {
    const auto type = parseType(json);
    return type ? "" : type.error().message;
}

/// A type with these states and transitions and nothing more.
std::string machine(const std::string& states, const std::string& transitions, const std::string& more = "") {
    return fmt::format(R"({{"name": "t", "states": {{{}}}, "transitions": [{}]{}}})", states, transitions, more);
}

constexpr const char* kTwo = R"("a": {"initial": true}, "z": {"final": true})";
constexpr const char* kStep = R"({"from": "a", "to": "z"})";

std::string withActor(const std::string& members) {
    return machine(kTwo, kStep, R"(, "fields": {"who": {}}, "actor": {)" + members + "}");
}

} // namespace

class TestType : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theExampleIsReadWhole() {
        const Type type = parsed(snapshotJson(R"("max_actors": 4, "max_per_key": 2, "locks": ["disk"],
            "resources": {"cores": 1}, "order": "created",
            "spawn": [{"over": 10, "actors": 4}, {"over": 5, "actors": 2}, {"over": 0, "actors": 1}])"));
        QCOMPARE(type.name, "snapshot");
        QCOMPARE(type.version, "3");
        QCOMPARE(type.states.size(), 4U);
        QCOMPARE(type.states[type.initial()].name, "queued");
        QVERIFY(type.isFinal(*type.find("sealed")));
        QVERIFY(type.allows(*type.find("queued"), *type.find("failed")));
        QVERIFY(!type.allows(*type.find("queued"), *type.find("sealed")));
        QCOMPARE(type.states[*type.badEnd()].name, "failed");
        QVERIFY(type.field("url")->isRequired && type.field("url")->isIndexed);
        QCOMPARE(type.field("depth")->defaultJson, "0");
        QCOMPARE(type.actor->worker, "archiver");
        QCOMPARE(type.actor->function, "tick");
        QCOMPARE(type.actor->maxTickTime, std::chrono::seconds(60));
        QVERIFY(type.actor->order == Order::Created);
        QCOMPARE(type.actor->claims, StateSet{3});
        QCOMPARE(type.backoff, std::chrono::seconds(10));
    }
    void claimsAreAllStatesThatAreNotFinalUnlessTheyAreNamed() {
        const Type type = parsed(withActor(R"("worker": "w")"));
        QCOMPARE(type.actor->claims, StateSet{1});
    }
    void aTypeWithoutActorIsOne() { QVERIFY(!parsed(machine(kTwo, kStep)).actor); }

    void objectMustHaveAFiniteSetOfPossibleStates_data() {
        QTest::addColumn<QString>("states");
        QTest::addColumn<QString>("transitions");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* what, const char* states, const char* moves, const char* sentence) {
            QTest::newRow(what) << states << moves << sentence;
        };
        row("none initial", R"("a": {}, "z": {"final": true})", kStep,
            "0 states are initial; mark exactly one with \"initial\": true.");
        row("two initial", R"("a": {"initial": true}, "b": {"initial": true}, "z": {"final": true})", kStep,
            "2 states are initial; mark exactly one with \"initial\": true.");
        row("initial and final", R"("a": {"initial": true, "final": true}, "z": {"final": true})", kStep,
            "The state a is initial and final; an object could never move.");
        row("not reachable", R"("a": {"initial": true}, "b": {}, "c": {}, "z": {"final": true})",
            R"({"from": "a", "to": "z"}, {"from": ["b", "c"], "to": "z"})",
            "No way leads from a to: b, c. Add transitions or remove these states.");
        row("no way to an end", R"("a": {"initial": true}, "b": {}, "z": {"final": true})",
            R"({"from": "a", "to": "z"}, {"from": "a", "to": "b"})",
            "No way leads to a final state from: b. Add transitions.");
        row("out of a final one", kTwo, R"({"from": "a", "to": "z"}, {"from": "z", "to": "a"})",
            "The state z is final, so no transition leads out of it.");
        row("one alone", R"("a": {"initial": true})", "", "A type has 2 to 64 states; give \"states\" like that.");
        row("a state that is none", kTwo, R"({"from": "a", "to": "y"})",
            "\"to\" of a transition names the state y, which the type does not have.");
        row("half a transition", kTwo, R"({"from": "a"})", "A transition needs \"from\" and \"to\".");
        row("no name", R"("a b": {"initial": true}, "z": {"final": true})", R"({"from": "a b", "to": "z"})",
            "The state \"a b\" is no name; use a letter and up to 63 letters, digits, _ and -.");
        row("another kind", R"("a": {"initial": true, "kind": "odd"}, "z": {"final": true})", kStep,
            "Give \"kind\" of the state a as one of: wait, work, done, bad, skip.");
        row("unknown member", R"("a": {"initial": true, "colour": 1}, "z": {"final": true})", kStep,
            "the state a has no member \"colour\"; leave it out.");
    }
    void objectMustHaveAFiniteSetOfPossibleStates() {
        QFETCH(QString, states);
        QFETCH(QString, transitions);
        QFETCH(QString, sentence);
        QCOMPARE(refusal(machine(states.toStdString(), transitions.toStdString())), sentence.toStdString());
    }

    void anActorIsRefusedInWords() {
        QCOMPARE(refusal(withActor("")), "An actor needs \"worker\"; name a registered one.");
        QCOMPARE(refusal(withActor(R"("worker": "w", "key": ["who", "x"])")),
                 "The key names the field x, which the type does not have.");
        QCOMPARE(refusal(withActor(R"("worker": "w", "max_actors": 0)")),
                 "Give \"max_actors\" and \"max_per_key\" as 1 to 1000.");
        QCOMPARE(refusal(withActor(R"("worker": "w", "claims": {"status": ["z"]})")),
                 "\"claims\" names z, which is final and never due.");
        QCOMPARE(refusal(withActor(R"("worker": "w", "claims": {"status": []})")),
                 "\"claims\" names no state; name those that the actor looks at.");
        QCOMPARE(refusal(withActor(R"("worker": "w", "max_tick_time_s": 0)")),
                 "Give \"max_tick_time_s\" as more than 0.");
        QCOMPARE(
            refusal(withActor(R"("worker": "w", "spawn": [{"over": 0, "actors": 1}, {"over": 5, "actors": 2}])")),
            "Give the steps of \"spawn\" with the highest \"over\" first, each with 1 actor or more.");
        QCOMPARE(refusal(withActor(R"("worker": "w", "colour": 1)")),
                 "The actor has no member \"colour\"; leave it out.");
    }
    void whatIsNoDescriptorIsRefused() {
        QCOMPARE(refusal("[]"), "Give a type as an object.");
        QVERIFY(!refusal("{").empty());
        QCOMPARE(refusal(machine(kTwo, kStep, R"(, "colour": 1)")),
                 "A type has no member \"colour\"; leave it out.");
        QCOMPARE(refusal(machine(kTwo, kStep, R"(, "backoff_s": 0)")), "Give \"backoff_s\" as more than 0.");
        QCOMPARE(refusal(machine(kTwo, kStep, R"(, "fields": {"n": {"type": "integer", "default": "x"}})")),
                 "The default of the field n is not of its type.");
        QVERIFY(parseType(std::string(kMaxTypeBytes + 1, ' ')).error().kind == ErrorKind::TooLarge);
        QCOMPARE(parseType(R"({"name": 1})").error().field, "name");
        QCOMPARE(parseType(R"({"states": {"a": {"initial": 1}}})").error().field, "initial");
    }

    void theSpawnTableSaysHowManyActorsAQueueIsWorth_data() {
        QTest::addColumn<int>("queue");
        QTest::addColumn<int>("actors");
        for (const auto& [queue, actors] : {std::pair{0, 0}, {1, 1}, {5, 1}, {6, 2}, {10, 2}, {11, 4}, {1'000, 4}})
            QTest::newRow(fmt::format("{} objects", queue).c_str()) << queue << actors;
    }
    void theSpawnTableSaysHowManyActorsAQueueIsWorth() {
        QFETCH(int, queue);
        QFETCH(int, actors);
        ActorRules rules;
        rules.spawn = {{.over = 10, .actors = 4}, {.over = 5, .actors = 2}, {.over = 0, .actors = 1}};
        QCOMPARE(int(actorsWorth(rules, std::size_t(queue))), actors);
    }
    void withoutATableAQueueIsWorthOne() { QCOMPARE(actorsWorth(ActorRules{}, 1'000), 1U); }

    void aNewVersionKeepsTheStatesThatObjectsAreIn() {
        const Type before = parsed(snapshotJson());
        const Type after =
            parsed(machine(R"("queued": {"initial": true}, "running": {}, "sealed": {"final": true})",
                           R"({"from": "queued", "to": "running"}, {"from": "running", "to": "sealed"})"));
        QVERIFY(successors(before, after, only(0) | only(2)).has_value());
        const auto refused = successors(before, after, only(1));
        QVERIFY(refused.error().kind == ErrorKind::WrongState);
        QVERIFY2(refused.error().message.starts_with("Objects are in the state started and"),
                 refused.error().message.c_str());
        Type renaming = after;
        renaming.renames = {{"started", "running"}};
        QCOMPARE(*successors(before, renaming, only(1)), (std::vector<StateNumber>{0, 1, 2, 0}));
    }
};

QTEST_APPLESS_MAIN(TestType)
#include "tst_type.moc"
