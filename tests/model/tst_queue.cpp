// Queue configuration as JSON and back, and what a reference in a route means.

#include "core/model/queue.h"
#include "tests/model/printed.h"

#include <QTest>

using namespace yard;

namespace {

const char* const kDefaults =
    R"({"max_retries":3,"max_interruptions":10,"weight":1,"max_running":0,"label_limits":{},)"
    R"("stop_after_failures":0,"backoff_s":0.25,"backoff_max_s":60,"retry_rules":[],)"
    R"("idle_expiry_s":900})";

} // namespace

class TestQueue : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void defaultsAreThoseOfTheContract();
    void everyMemberIsTakenAndPrinted();
    void whereItsActionsRunIsAWordOrAList();
    void courtesyIsFollowedUnlessItSaysOtherwise();
    void aJobserverIsOfActionsThatDoNotSayIt();
    void memoryIsLearnedWhereItSaysSo();
    void whatIsAbsentStaysAndNullGoesBackToTheDefault();
    void wrongConfigurationsAreRefused_data();
    void wrongConfigurationsAreRefused();
    void referencesAreNumbersOrTokens_data();
    void referencesAreNumbersOrTokens();
    void activeIsPendingAndRunning();
};

void TestQueue::defaultsAreThoseOfTheContract() {
    QCOMPARE(qt(toJson(QueueConfig{})), QString(kDefaults));
    const auto same = applyQueueConfig({}, "{}");
    QVERIFY(same);
    QCOMPARE(qt(toJson(*same)), QString(kDefaults));
}

void TestQueue::everyMemberIsTakenAndPrinted() {
    const QString json = R"({"max_retries":0,"max_interruptions":1,"weight":2.5,"max_running":4,)"
                         R"("label_limits":{"gpu":1,"é":2},"stop_after_failures":5,"deadline_s":1.5,"backoff_s":0,)"
                         R"("backoff_max_s":10,"retry_rules":[{"exit_codes":[75,255],"retry":true},)"
                         R"({"exit_codes":[1],"reasons":["deadline","memory"],"retry":false}],"idle_expiry_s":0})";
    const auto config = applyQueueConfig({}, json.toStdString());
    QVERIFY2(config, config ? "" : qPrintable(printed(config.error())));
    QCOMPARE(qt(toJson(*config)), json);
    QCOMPARE(config->deadline->count(), 1'500'000);
}

void TestQueue::whereItsActionsRunIsAWordOrAList() {
    const auto one = applyQueueConfig({}, R"({"machine":["tag:render"]})");
    QVERIFY(one);
    QVERIFY(qt(toJson(*one)).endsWith(R"(,"machine":"tag:render"})"));
    const auto two = applyQueueConfig(*one, R"({"machine":["local","desk"]})");
    QVERIFY(two);
    QVERIFY(qt(toJson(*two)).endsWith(R"(,"machine":["desk","local"]})"));
    const auto none = applyQueueConfig(*two, R"({"machine":null})");
    QVERIFY(none);
    QCOMPARE(qt(toJson(*none)), QString(kDefaults));
}

void TestQueue::courtesyIsFollowedUnlessItSaysOtherwise() {
    const auto ignores = applyQueueConfig({}, R"({"courtesy":"ignore"})");
    QVERIFY(ignores && ignores->ignoresCourtesy);
    QVERIFY(qt(toJson(*ignores)).endsWith(R"(,"courtesy":"ignore"})"));
    for (const char* json : {R"({"courtesy":"follow"})", R"({"courtesy":null})"}) {
        const auto follows = applyQueueConfig(*ignores, json);
        QVERIFY(follows);
        QCOMPARE(qt(toJson(*follows)), QString(kDefaults));
    }
}

void TestQueue::aJobserverIsOfActionsThatDoNotSayIt() {
    const auto has = applyQueueConfig({}, R"({"jobserver":true})");
    QVERIFY(has && has->jobserver == Jobserver::Descriptors);
    QVERIFY(qt(toJson(*has)).endsWith(R"(,"jobserver":true})"));
    const auto named = applyQueueConfig({}, R"({"jobserver":"fifo"})");
    QVERIFY(named && named->jobserver == Jobserver::Fifo);
    QVERIFY(qt(toJson(*named)).endsWith(R"(,"jobserver":"fifo"})"));
    for (const char* json : {R"({"jobserver":false})", R"({"jobserver":null})"}) {
        const auto none = applyQueueConfig(*has, json);
        QVERIFY(none);
        QCOMPARE(qt(toJson(*none)), QString(kDefaults));
    }
}

void TestQueue::memoryIsLearnedWhereItSaysSo() {
    const auto learns = applyQueueConfig({}, R"({"learn":"apply"})");
    QVERIFY(learns && learns->learn == Learn::Apply);
    QVERIFY(qt(toJson(*learns)).endsWith(R"(,"learn":"apply"})"));
    const auto suggests = applyQueueConfig(*learns, R"({"learn":"suggest"})");
    QVERIFY(suggests && suggests->learn == Learn::Suggest);
    QVERIFY(qt(toJson(*suggests)).endsWith(R"(,"learn":"suggest"})"));
    const auto none = applyQueueConfig(*suggests, R"({"learn":null})");
    QVERIFY(none);
    QCOMPARE(qt(toJson(*none)), QString(kDefaults));
}

void TestQueue::whatIsAbsentStaysAndNullGoesBackToTheDefault() {
    const auto first = applyQueueConfig({}, R"({"max_retries":7,"deadline_s":5,"label_limits":{"a":1,"b":2}})");
    QVERIFY(first);
    const auto second = applyQueueConfig(*first, R"({"label_limits":{"c":3},"deadline_s":null,"weight":3})");
    QVERIFY(second);
    QCOMPARE(second->maxRetries, 7);
    QVERIFY(!second->deadline);
    QCOMPARE(second->labelLimits.size(), 1u);
    QCOMPARE(qt(second->labelLimits[0].first), QString("c"));
    QCOMPARE(second->weight, 3.0);
}

void TestQueue::wrongConfigurationsAreRefused_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("answer");
    const auto row = [](const char* sentence, const char* json, const char* answer) {
        QTest::newRow(sentence) << json << answer;
    };
    row("no object", "[]", R"(invalid config: Give "config" as an object.)");
    row("not JSON", "{", "malformed: The JSON ends too early; send the whole document.");
    row("an unknown member", R"({"max_retry":1})",
        R"(invalid max_retry: Remove "max_retry" or correct its spelling: a queue's config has no such member.)");
    row("retries below zero", R"({"max_retries":-1})",
        R"(invalid max_retries: Give "max_retries" as a whole number from 0 to 1000.)");
    row("retries that are no number", R"({"max_retries":"3"})",
        R"(invalid max_retries: Give "max_retries" as a whole number from 0 to 1000.)");
    row("half a retry", R"({"max_retries":1.5})",
        R"(invalid max_retries: Give "max_retries" as a whole number from 0 to 1000.)");
    row("a machine that is no name", R"({"machine":"a b"})",
        R"(invalid machine: Give "machine" as "any", "local", the name of a machine, "tag:" and a tag, or a list of )"
        R"(1 to 16 of these.)");
    row("a jobserver by another name", R"({"jobserver":"pipe"})",
        R"(invalid jobserver: Give "jobserver" as true, false or "fifo".)");
    row("memory that is learned in another way", R"({"learn":"guess"})",
        R"(invalid learn: Give "learn" as "suggest", "apply" or null.)");
    row("courtesy as a switch", R"({"courtesy":true})",
        R"(invalid courtesy: Give "courtesy" as "follow" or "ignore".)");
    row("another courtesy", R"({"courtesy":"never"})",
        R"(invalid courtesy: Give "courtesy" as "follow" or "ignore".)");
    row("no weight at all", R"({"weight":0})", R"(invalid weight: Give "weight" as a number from 0.001 to 1000.)");
    row("a label limit of nothing", R"({"label_limits":{"gpu":0}})",
        R"(invalid label_limits.gpu: Give "label_limits.gpu" as a whole number from 1 to 1000000.)");
    row("a deadline of zero", R"({"deadline_s":0})",
        R"(invalid deadline_s: Give "deadline_s" as seconds, more than 0 and at most 315360000.)");
    row("a back-off below zero", R"({"backoff_s":-1})",
        R"(invalid backoff_s: Give "backoff_s" as seconds, at least 0 and at most 315360000.)");
    row("a rule for nothing", R"({"retry_rules":[{"exit_codes":[]}]})",
        R"(invalid retry_rules[0]: Give "retry_rules[0]" as an object with "exit_codes", "reasons" or both.)");
    row("a rule with an unknown reason", R"({"retry_rules":[{"reasons":["oom"]}]})",
        R"(invalid retry_rules[0].reasons: Give "retry_rules[0].reasons" as reasons of results, such as "exit_code" or )"
        R"("deadline".)");
    row("a rule with an exit code that none can be", R"({"retry_rules":[{"exit_codes":[1]},{"exit_codes":[256]}]})",
        R"(invalid retry_rules[1].exit_codes: Give "retry_rules[1].exit_codes" as a whole number from 0 to 255.)");
    row("a rule that retries what was cancelled", R"({"retry_rules":[{"reasons":["cancelled"]}]})",
        R"(invalid retry_rules[0]: Remove "cancelled" from "retry_rules": what was cancelled is never retried.)");
    row("an unknown member of a rule", R"({"retry_rules":[{"codes":[1]}]})",
        R"(invalid retry_rules[0].codes: Remove "retry_rules[0].codes" or correct its spelling: a queue's config has no )"
        R"(such member.)");
}

void TestQueue::wrongConfigurationsAreRefused() {
    QFETCH(QString, json);
    const auto config = applyQueueConfig({}, json.toStdString());
    QVERIFY(!config);
    QTEST(printed(config.error()), "answer");
}

void TestQueue::referencesAreNumbersOrTokens_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("meaning");
    QTest::newRow("the implicit queue") << "0" << "number 0";
    QTest::newRow("a number") << "42" << "number 42";
    QTest::newRow("a token") << "0123456789abcdef01234567" << "token 0123456789abcdef01234567";
    QTest::newRow("24 digits are a token") << "012345678901234567890123" << "token 012345678901234567890123";
    QTest::newRow("23 digits are nothing") << "99999999999999999999999" << "nothing";
    QTest::newRow("upper-case digits are nothing") << "0123456789ABCDEF01234567" << "nothing";
    QTest::newRow("nothing is nothing") << "" << "nothing";
    QTest::newRow("a sign is nothing") << "-1" << "nothing";
    QTest::newRow("a word is nothing") << "all" << "nothing";
    QTest::newRow("the largest number") << "9223372036854775807" << "number 9223372036854775807";
    QTest::newRow("one more is nothing") << "9223372036854775808" << "nothing";
}

void TestQueue::referencesAreNumbersOrTokens() {
    QFETCH(QString, text);
    const auto ref = parseQueueRef(text.toStdString());
    QString meaning = "nothing";
    if (ref) meaning = ref->number ? QString("number %1").arg(ref->number->value) : "token " + qt(ref->token);
    QTEST(meaning, "meaning");
}

void TestQueue::activeIsPendingAndRunning() {
    QCOMPARE((QueueCounters{.pending = 3, .running = 2, .completed = 9}.active()), 5);
}

QTEST_APPLESS_MAIN(TestQueue)
#include "tst_queue.moc"
