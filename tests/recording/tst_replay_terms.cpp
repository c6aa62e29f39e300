// How a recorded action is submitted again: with another worker and others to wait for, and otherwise as it was posted.
#include "core/recording/recorded_action.h"
#include "core/recording/replay_terms.h"
#include "tests/support/show_strings.h"

#include <QtTest>

#include <array>
#include <string>

using namespace yard;
using namespace yard::recording;

class TestReplayTerms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anActionIsOtherwiseAsItWasPosted();
    void whatWasWaitedForIsNamedAnew();
    void whatHeldItBackIsLeftOut();
    void whatIsMadeCanBeSubmitted();
    void termsAreRead();
    void aFilterAsksForWhatARecordingKnows();
};

void TestReplayTerms::anActionIsOtherwiseAsItWasPosted() {
    QCOMPARE(
        replayedAction(R"({"worker":"exec","argv":["a","{index}"],"label":"worker","priority":3})", "exec", {}),
        std::string(R"({"argv":["a","{index}"],"label":"worker","priority":3,"worker":"exec"})"));
    QCOMPARE(replayedAction(R"({"worker":"thumb","function":"f"})", "thumb@2", {}),
             std::string(R"({"function":"f","worker":"thumb@2"})"));
    QCOMPARE(replayedAction("{}", "w", {}), std::string(R"({"worker":"w"})"));
    // Where it is to run takes the place of where it was to.
    QCOMPARE(replayedAction(R"({"machine":["anvil"],"argv":["a"]})", "exec", {}, "tag:fast"),
             std::string(R"({"argv":["a"],"worker":"exec","machine":"tag:fast"})"));
}

void TestReplayTerms::whatWasWaitedForIsNamedAnew() {
    const std::array after = {Dependency{.lsn = Lsn(7), .on = DependencyOn::Any}, Dependency{.lsn = Lsn(9)}};
    const std::string text = replayedAction(R"({"worker":"exec","argv":["a"],"after":[1,2]})", "exec", after);
    const auto parsed = parseAction(text);
    QVERIFY2(parsed.has_value(), text.c_str());
    QCOMPARE(parsed->spec->after.size(), std::size_t{2});
    QCOMPARE(parsed->spec->after[0].lsn.value, 7);
    QVERIFY(parsed->spec->after[0].on == DependencyOn::Any);
    QVERIFY(!replayedAction(R"({"worker":"exec","argv":["a"],"after":[1,2]})", "exec", {}).contains("after"));
}

void TestReplayTerms::whatHeldItBackIsLeftOut() {
    QCOMPARE(replayedAction(R"({"hold":true,"id":"x","not_before":99,"worker":"exec","argv":["a"]})", "exec", {}),
             std::string(R"({"argv":["a"],"worker":"exec"})"));
}

void TestReplayTerms::whatIsMadeCanBeSubmitted() {
    const std::string text = replayedAction(
        R"({"worker":"exec","argv":["a"],"env":{"worker":"x","after":"y"},"label":"\"id\":1,"})", "exec", {});
    const auto parsed = parseAction(text);
    QVERIFY2(parsed.has_value(), text.c_str());
    QCOMPARE(parsed->spec->env.size(), std::size_t{2});
    QCOMPARE(parsed->spec->label, std::string("\"id\":1,"));
}

void TestReplayTerms::termsAreRead() {
    QCOMPARE(parseReplayTerms("")->speed, 0.0);
    const auto terms = parseReplayTerms(
        R"({"to":"self","speed":2.5,"replace":{"worker":"thumb@2"},"compare":{"ignore":["stdout"]}})");
    QVERIFY(terms.has_value());
    QCOMPARE(terms->speed, 2.5);
    QCOMPARE(terms->worker, std::string("thumb@2"));
    QVERIFY(terms->compare.ignores("stdout") && !terms->compare.ignores("stderr"));
    QCOMPARE(parseReplayTerms(R"({"speed":"full"})")->speed, 0.0);
    QCOMPARE(parseReplayTerms("{").error().kind, ErrorKind::Malformed);
    QVERIFY(terms->machine.empty() && !terms->inOrder);
    const auto there = parseReplayTerms(R"({"to":"tag:fast","order":"recorded"})");
    QVERIFY(there.has_value());
    QCOMPARE(there->machine, std::string("tag:fast"));
    QVERIFY(there->inOrder);
    QVERIFY(!parseReplayTerms(R"({"order":"dependencies"})")->inOrder);
    QCOMPARE(parseReplayTerms(R"({"to":"https://other:8640"})").error().kind, ErrorKind::NotImplemented);
    for (const char* body : {R"({"to":7})", R"({"to":"no machine"})", R"({"order":"random"})", R"({"order":1})"})
        QVERIFY2(parseReplayTerms(body).error().kind == ErrorKind::Invalid, body);
}

void TestReplayTerms::aFilterAsksForWhatARecordingKnows() {
    const RecordedAction failed{.n = 1,
                                .action = {},
                                .result =
                                    R"({"lsn":7,"queue_id":3,"worker":"exec","name":"make -j2","state":"failed",)"
                                    R"("reason":"exit_code","exit_code":2,"retry_count":1,"cpu_seconds":1.5,)"
                                    R"("max_rss_bytes":5000000,"timestamps":{"new":1000000,"running":2000000,)"
                                    R"("exited":6000000,"failed":6000000}})",
                                .machine = "anvil"};
    const auto means = [&](std::string_view text) {
        const auto terms = parseReplayTerms(std::string(R"({"filter":")") + std::string(text) + "\"}");
        return terms && terms->filter.matches(resultForFilter(failed), wallNow());
    };
    for (const char* text :
         {"state:failed", "lsn:7", "queue:3", "worker:exec", "name:make*", "reason:exit_code", "exit:2",
          "runtime:4", "cpu>1", "mem>4MB", "machine:anvil", "make", "-state:completed"})
        QVERIFY2(means(text), text);
    for (const char* text : {"state:completed", "lsn:8", "exit:0", "runtime>5", "cpu>2", "machine:desk", "label:x"})
        QVERIFY2(!means(text), text);
    for (const char* text : {"mark:red", "comment:x", "after:3", "lock:a", "denied:open", "sate:x"}) {
        const auto refused = parseReplayTerms(std::string(R"({"filter":")") + text + "\"}");
        QVERIFY2(!refused && refused.error().kind == ErrorKind::Invalid, text);
    }
    QCOMPARE(parseReplayTerms(R"({"filter":7})").error().kind, ErrorKind::Invalid);
    QCOMPARE(resultForFilter({.n = 1, .action = {}, .result = "no JSON", .machine = {}}).lsn.value, 0);
}

QTEST_APPLESS_MAIN(TestReplayTerms)
#include "tst_replay_terms.moc"
