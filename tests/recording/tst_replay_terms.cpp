// How a recorded action is submitted again: with another worker and others to wait for, and otherwise as it was posted.
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
};

void TestReplayTerms::anActionIsOtherwiseAsItWasPosted() {
    QCOMPARE(
        replayedAction(R"({"worker":"exec","argv":["a","{index}"],"label":"worker","priority":3})", "exec", {}),
        std::string(R"({"argv":["a","{index}"],"label":"worker","priority":3,"worker":"exec"})"));
    QCOMPARE(replayedAction(R"({"worker":"thumb","function":"f"})", "thumb@2", {}),
             std::string(R"({"function":"f","worker":"thumb@2"})"));
    QCOMPARE(replayedAction("{}", "w", {}), std::string(R"({"worker":"w"})"));
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
    QCOMPARE(parseReplayTerms(R"({"to":"elsewhere"})").error().kind, ErrorKind::NotImplemented);
}

QTEST_APPLESS_MAIN(TestReplayTerms)
#include "tst_replay_terms.moc"
