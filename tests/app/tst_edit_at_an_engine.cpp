// yardctl edit at a real engine: a graph that failed in the middle is edited, and the rest of it goes on.
#include "tests/app/ctl_process.h"
#include "tests/torture/program.h"

#include <QTest>
#include <boost/json.hpp>
#include <memory>

using namespace yard;
using namespace yard::torture;

namespace {

test::Ended ctl(const Place& place, const QStringList& words) {
    return test::CtlProcess(QStringList{"--data-dir", QString::fromStdString(place.data())} + words).end();
}

/// An editor that makes the action another one: `from` becomes `to`.
void useEditor(const Place& place, const std::string& from, const std::string& to) {
    const std::string path = place.path("editor");
    (void)writeFileAtomically(path, fmt::format("#!/bin/sh\nsed -i 's/{}/{}/' \"$1\"\n", from, to), 0755);
    qunsetenv("VISUAL");
    qputenv("EDITOR", QByteArray::fromStdString(path));
    qputenv("TMPDIR", QByteArray::fromStdString(place.path()));
}

/// An action of a list. `more` begins with a comma.
std::string step(const std::string& program, const std::string& id, const std::string& more = {}) {
    return fmt::format(R"({{"worker":"exec","argv":["{}"],"max_retries":0,"id":"{}"{}}})", program, id, more);
}

std::string after(const std::string& parents) {
    return ",\"after\":[" + parents + "]";
}

} // namespace

class TestEditAtAnEngine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void theRestOfAGraphGoesOn();
    void theLastOfSeveralThatFailedTakesTheRestAlong();
    void whatWasReplacedDoesNotComeBackWithItsParent();
    void aDiamondIsCarriedOver();
    void anArrayIsCarriedOver();
    void whatFailedForAnotherReasonStays();
    void aloneIsAlone();
    void theNewestIsEdited();
    void whatCannotBeCarriedOverIsRefused();
    void otherQueuesAndTooManyAreRefused();
    void whatHasNotBegunIsReplaced();
    void whatReplacesIsWaitedFor_data();
    void whatReplacesIsWaitedFor();
    void whatWasReleasedSinceIsNotHeldAgain();
    void aSecondReplacementIsRefused();
    void replaceIsCheckedFirst();

private:
    /// Posts a list; once the actions with these LSNs have ended, true.
    bool submitted(const std::string& list, std::initializer_list<std::int64_t> ended);
    std::string stateOf(std::int64_t lsn) { return caller_->result(lsn).text("state"); }
    std::int64_t countOf(const std::string& filter);

    std::unique_ptr<Place> place_;
    std::unique_ptr<Yardmaster> engine_;
    std::optional<Caller> caller_;
};

void TestEditAtAnEngine::init() {
    place_ = std::make_unique<Place>();
    engine_ = std::make_unique<Yardmaster>(*place_);
    QVERIFY2(engine_->isServing(), engine_->errors().c_str());
    caller_.emplace(engine_->caller());
    useEditor(*place_, "false", "true");
}

void TestEditAtAnEngine::cleanup() {
    caller_.reset();
    if (engine_) QCOMPARE(engine_->stop(), 0);
    engine_.reset();
    place_.reset();
}

bool TestEditAtAnEngine::submitted(const std::string& list, std::initializer_list<std::int64_t> ended) {
    if (caller_->post("/compute/jobs", list).status != 200) return false;
    for (const std::int64_t lsn : ended)
        if (stateOf(lsn).empty()) return false;
    return true;
}

/// A page may be short, or empty, and still have a cursor: the machine was busy.
std::int64_t TestEditAtAnEngine::countOf(const std::string& filter) {
    std::int64_t count = 0;
    std::string more;
    do {
        const Answer page = caller_->get("/compute/jobs?" + filter + more);
        count += static_cast<std::int64_t>(page.json().at("jobs").as_array().size());
        more = page.text("cursor").empty() ? "" : "&cursor=" + page.text("cursor");
    } while (!more.empty());
    return count;
}

void TestEditAtAnEngine::theRestOfAGraphGoesOn() {
    QVERIFY(submitted("[" + step("true", "a") + "," + step("false", "b", after("\"a\"")) + "," +
                          step("true", "c", after("\"b\",\"a\"")) + "]",
                      {1, 2, 3}));
    QCOMPARE(caller_->result(3).text("reason"), std::string("dependency_failed"));
    const test::Ended edited = ctl(*place_, {"edit", "2"});
    QCOMPARE(edited.err, "");
    QCOMPARE(edited.out, "Action 4 replaces 2.\n"
                         "3, which had failed only because of 2, goes on as 5.\n");
    QCOMPARE(stateOf(4), std::string("completed"));
    QCOMPARE(stateOf(5), std::string("completed"));
    QCOMPARE(caller_->get("/compute/jobs/5").text("id"), std::string("c"));
    // Edges into the list are to the copies, others as they were.
    QVERIFY2(caller_->get("/compute/jobs/5/spec").body.contains(R"("after":[1,4])"),
             caller_->get("/compute/jobs/5/spec").body.c_str());
    QVERIFY(caller_->get("/compute/jobs/4/spec").body.contains(R"("after":[1])"));
    QCOMPARE(stateOf(3), std::string("failed"));
    // The old ones are no work any more.
    QCOMPARE(caller_->result(2).number("replaced_by"), 4);
    QCOMPARE(caller_->result(3).number("replaced_by"), 5);
    QVERIFY2(ctl(*place_, {"ls", "2"}).out.contains("replaced by 4"), ctl(*place_, {"ls", "2"}).out.c_str());
    QVERIFY(ctl(*place_, {"show", "3"}).out.contains("replaced by  5"));
    QCOMPARE(ctl(*place_, {"why", "3"}).out,
             "3 is failed: dependency failed: replaced by 5; it waited for action 2 to be completed, and that one "
             "is failed\n"
             "  action 2 was replaced by 4\n");
    QCOMPARE(ctl(*place_, {"why", "1"}).out, "1 is completed: it waits for nothing\n");
    QVERIFY(!caller_->get("/compute/jobs/4/spec").body.contains("replaces"));
    const test::Ended retried = ctl(*place_, {"retry", "--filter", "state:failed"});
    QCOMPARE(retried.err, "");
    QCOMPARE(retried.out, "0 actions go again\n"
                          "2 passed over: replaced by other actions ('yardctl retry LSN' runs one all the same)\n");
    const auto json = boost::json::parse(ctl(*place_, {"--json", "edit", "--again", "2"}).out);
    QCOMPARE(boost::json::serialize(json.at("lsns")), std::string("[6,7]"));
    QCOMPARE(boost::json::serialize(json.at("replaces")), std::string("[2,3]"));
}

void TestEditAtAnEngine::theLastOfSeveralThatFailedTakesTheRestAlong() {
    QVERIFY(submitted("[" + step("false", "a") + "," + step("false", "b") + "," +
                          step("true", "c", after("\"a\",\"b\"")) + "]",
                      {1, 2, 3}));
    QCOMPARE(ctl(*place_, {"edit", "1"}).out, "4\n"); // the other one keeps it back
    QCOMPARE(stateOf(4), std::string("completed"));
    QCOMPARE(ctl(*place_, {"edit", "2"}).out, "Action 5 replaces 2.\n"
                                              "3, which had failed only because of 2, goes on as 6.\n");
    QCOMPARE(stateOf(6), std::string("completed"));
    QVERIFY2(caller_->get("/compute/jobs/6/spec").body.contains(R"("after":[4,5])"),
             caller_->get("/compute/jobs/6/spec").body.c_str());
}

void TestEditAtAnEngine::whatWasReplacedDoesNotComeBackWithItsParent() {
    QVERIFY(submitted("[" + step("false", "a") + "," + step("true", "b", after("\"a\"")) + "]", {1, 2}));
    QCOMPARE(ctl(*place_, {"edit", "1"}).out, "Action 3 replaces 1.\n"
                                              "2, which had failed only because of 1, goes on as 4.\n");
    QCOMPARE(stateOf(4), std::string("completed"));
    const test::Ended retried = ctl(*place_, {"retry", "1"});
    QCOMPARE(retried.code, 0);
    QVERIFY2(!retried.out.contains("2"), retried.out.c_str());
    QCOMPARE(stateOf(1), std::string("failed"));
    QCOMPARE(caller_->result(2).text("state"), std::string("failed"));
    QCOMPARE(caller_->result(2).number("retry_count"), 0);
}

void TestEditAtAnEngine::aDiamondIsCarriedOver() {
    QVERIFY(submitted(R"([{"worker":"exec","argv":["false"],"max_retries":0}])", {1}));
    QVERIFY(submitted("[" + step("true", "left", after("1")) + "," + step("true", "right", after("1")) + "," +
                          step("true", "both", after(R"("left",{"id":"right","on":"completed"})")) + "," +
                          step("true", "last", after("\"both\"")) + "]",
                      {2, 3, 4, 5}));
    // In another request, with an id that is there already.
    QVERIFY(submitted("[" + step("true", "last", after("5")) + "]", {6}));
    const test::Ended edited = ctl(*place_, {"edit", "1"});
    QCOMPARE(edited.err, "");
    QCOMPARE(edited.out, "Action 7 replaces 1.\n"
                         "2, which had failed only because of 1, goes on as 8.\n"
                         "3, which had failed only because of 1, goes on as 9.\n"
                         "4, which had failed only because of 1, goes on as 10.\n"
                         "5, which had failed only because of 1, goes on as 11.\n"
                         "6, which had failed only because of 1, goes on as 12.\n");
    for (std::int64_t lsn = 7; lsn <= 12; ++lsn) QCOMPARE(stateOf(lsn), std::string("completed"));
    QVERIFY(caller_->get("/compute/jobs/10/spec").body.contains(R"("after":[8,9])"));
}

void TestEditAtAnEngine::anArrayIsCarriedOver() {
    QVERIFY(submitted("[" + step("false", "a") + "," +
                          step("true", "frames", after("\"a\"") + R"(,"array":{"from":3,"to":5})") + "," +
                          step("true", "film", after("\"frames\"")) + "]",
                      {1, 2, 3, 4, 5}));
    const test::Ended edited = ctl(*place_, {"edit", "1"});
    QCOMPARE(edited.err, "");
    QCOMPARE(edited.out, "Action 6 replaces 1.\n"
                         "2 to 4, which had failed only because of 1, go on as 7 to 9.\n"
                         "5, which had failed only because of 1, goes on as 10.\n");
    for (std::int64_t lsn = 6; lsn <= 10; ++lsn) QCOMPARE(stateOf(lsn), std::string("completed"));
    QVERIFY(caller_->get("/compute/jobs/10/spec").body.contains(R"({"array":7})"));
    for (std::int64_t lsn = 2; lsn <= 5; ++lsn) QCOMPARE(caller_->result(lsn).number("replaced_by"), lsn + 5);
}

void TestEditAtAnEngine::whatFailedForAnotherReasonStays() {
    QVERIFY(submitted("[" + step("false", "a") + "," + step("false", "other") + "," +
                          step("true", "c", after("\"a\"")) + "," + step("true", "d", after("\"c\",\"other\"")) +
                          "," + step("true", "e", after("\"d\"")) + "]",
                      {1, 2, 3, 4, 5}));
    QCOMPARE(ctl(*place_, {"edit", "1"}).out, "Action 6 replaces 1.\n"
                                              "3, which had failed only because of 1, goes on as 7.\n");
}

void TestEditAtAnEngine::aloneIsAlone() {
    QVERIFY(submitted("[" + step("false", "a") + "," + step("true", "b", after("\"a\"")) + "]", {1, 2}));
    QCOMPARE(ctl(*place_, {"edit", "--alone", "1"}).out, "3\n");
    QCOMPARE(stateOf(3), std::string("completed"));
    QCOMPARE(countOf("limit=100"), 3);
    // What was typed is kept where it is no action.
    useEditor(*place_, "false", "\"");
    const test::Ended wrong = ctl(*place_, {"edit", "--again", "1"});
    QCOMPARE(wrong.code, 1);
    QVERIFY2(wrong.err.starts_with("yardctl: this is no JSON: ") && wrong.err.contains("has what you wrote"),
             wrong.err.c_str());
    QCOMPARE(countOf("limit=100"), 3);
}

void TestEditAtAnEngine::theNewestIsEdited() {
    QVERIFY(submitted("[" + step("false", "a") + "]", {1}));
    useEditor(*place_, "false", "false\",\"x");
    QCOMPARE(ctl(*place_, {"edit", "1"}).out, "2\n");
    QCOMPARE(stateOf(2), std::string("failed"));
    QCOMPARE(ctl(*place_, {"edit", "2"}).out, "3\n");
    const test::Ended old = ctl(*place_, {"edit", "1"});
    QCOMPARE(old.code, 1);
    QCOMPARE(old.out, "");
    QCOMPARE(old.err,
             "yardctl: action 1 was replaced by 3 already: edit that one, or add --again to edit 1 all the "
             "same\n");
    QCOMPARE(countOf("limit=100"), 3);
    QCOMPARE(ctl(*place_, {"edit", "--again", "1"}).out, "4\n");
}

void TestEditAtAnEngine::whatCannotBeCarriedOverIsRefused() {
    // One element is edited, and the whole array is waited for.
    QVERIFY(submitted("[" + step("false", "a", R"(,"array":{"from":0,"to":1})") + "," +
                          step("true", "b", after("\"a\"")) + "]",
                      {1, 2, 3}));
    const test::Ended whole = ctl(*place_, {"edit", "2"});
    QCOMPARE(whole.code, 1);
    QCOMPARE(whole.err, "yardctl: Action 3 waits for the whole array 1, which is not all to be submitted again. "
                        "Nothing was submitted; with --alone only 2 is.\n");
    // What was waited for too is forgotten.
    QVERIFY(submitted("[" + step("false", "a") + "," + step("true", "x") + "," +
                          step("true", "b", after("\"a\",\"x\"")) + "]",
                      {4, 5, 6}));
    QCOMPARE(caller_->call("DELETE", "/compute/jobs/5").status, 200);
    const test::Ended forgotten = ctl(*place_, {"edit", "4"});
    QCOMPARE(forgotten.code, 1);
    QCOMPARE(forgotten.err, "yardctl: Action 6 waits for 5 too, which is not kept any more. Nothing was submitted; "
                            "with --alone only 4 is.\n");
    QCOMPARE(countOf("limit=100"), 5);
    QCOMPARE(ctl(*place_, {"edit", "--alone", "4"}).out, "7\n");
}

void TestEditAtAnEngine::otherQueuesAndTooManyAreRefused() {
    QVERIFY(submitted("[" + step("false", "a") + "]", {1}));
    const Answer queue = caller_->post("/compute/queues", "{}");
    QVERIFY2(queue.number("queue_id") > 0, queue.shown().c_str());
    const std::string jobs = fmt::format("/compute/queues/{}/jobs", queue.number("queue_id"));
    QCOMPARE(caller_->post(jobs, step("true", "b", after("1"))).number("lsn"), 2);
    QCOMPARE(stateOf(2), std::string("failed"));
    const test::Ended other = ctl(*place_, {"edit", "1"});
    QCOMPARE(other.code, 1);
    QCOMPARE(other.err,
             "yardctl: Action 2 failed because of 1 and is of another queue. Nothing was submitted; with "
             "--alone only 1 is.\n");
    QVERIFY(submitted("[" + step("false", "a") + "," +
                          step("true", "b", after("\"a\"") + R"(,"array":{"from":0,"to":10000})") + "]",
                      {3, 4, 10'004}));
    QVERIFY(eventually([&] { return countOf("state=pending") == 0; }));
    const test::Ended many = ctl(*place_, {"edit", "3"});
    QCOMPARE(many.code, 1);
    QCOMPARE(many.err,
             "yardctl: More than 10000 actions failed and wait for 3. Nothing was submitted; with --alone "
             "only 3 is.\n");
    QCOMPARE(ctl(*place_, {"edit", "--alone", "3"}).out, "10005\n");
}

void TestEditAtAnEngine::whatHasNotBegunIsReplaced() {
    QVERIFY(submitted("[" + step("false", "a", ",\"hold\":true") + "," + step("true", "b", after("\"a\"")) + "," +
                          step("true", "c", after("\"b\"")) + "]",
                      {}));
    QCOMPARE(ctl(*place_, {"priority", "7", "2"}).code, 0);
    const test::Ended refused = ctl(*place_, {"edit", "--alone", "1"});
    QCOMPARE(refused.code, 1);
    QCOMPARE(refused.err,
             "yardctl: --alone would cancel 1, which is waited for by 2. Edit without --alone, and they "
             "go on with the new one. Nothing was submitted.\n");
    QCOMPARE(countOf("limit=100"), 3);
    const test::Ended edited = ctl(*place_, {"edit", "1"});
    QCOMPARE(edited.err, "");
    QCOMPARE(edited.out, "Action 4 replaces 1.\n"
                         "2, which waits for 1, goes on as 5.\n"
                         "3, which waits for 1, goes on as 6.\n");
    for (const std::int64_t lsn : {1, 2, 3}) {
        QCOMPARE(stateOf(lsn), std::string("cancelled"));
        QCOMPARE(caller_->result(lsn).number("replaced_by"), lsn + 3);
    }
    const Answer copy = caller_->get("/compute/jobs/4");
    QVERIFY2(copy.body.contains(R"("held":true)"), copy.shown().c_str());
    QCOMPARE(caller_->get("/compute/jobs/5").number("priority"), 7);
    QCOMPARE(ctl(*place_, {"release", "4"}).code, 0);
    for (const std::int64_t lsn : {4, 5, 6}) QCOMPARE(stateOf(lsn), std::string("completed"));
    // They are no failures.
    QCOMPARE(ctl(*place_, {"wait", "--queue", "0"}).code, 0);
    QCOMPARE(ctl(*place_, {"wait", "1..6"}).code, 0);
    QCOMPARE(ctl(*place_, {"ls", "--columns", "lsn", "replaced:yes"}).out, "LSN\n  3\n  2\n  1\n");
    QCOMPARE(countOf("q=replaced:no"), 3);
}

void TestEditAtAnEngine::whatReplacesIsWaitedFor_data() {
    QTest::addColumn<QStringList>("first");
    QTest::addColumn<QStringList>("second");
    const auto row = [](const char* name, const QStringList& options, const QString& pattern) {
        QTest::newRow(name) << options + QStringList{pattern.arg(1)} << options + QStringList{pattern.arg(3)};
    };
    row("by its number", {}, "%1");
    row("a range", {}, "%1..%1");
    row("a filter", {"--filter"}, "lsn:%1");
    row("any", {"--any"}, "%1");
    row("until one fails", {"--fail-fast"}, "%1");
}

/// A script would go on while the work does.
void TestEditAtAnEngine::whatReplacesIsWaitedFor() {
    QFETCH(QStringList, first);
    QFETCH(QStringList, second);
    QVERIFY(submitted("[" + step("false", "a", ",\"hold\":true") + "]", {}));
    QCOMPARE(ctl(*place_, {"edit", "1"}).out, "2\n");
    QCOMPARE(ctl(*place_, QStringList{"wait", "--timeout", "0"} + first).code, 124);
    QCOMPARE(ctl(*place_, {"release", "2"}).code, 0);
    const test::Ended good = ctl(*place_, QStringList{"wait"} + first);
    QCOMPARE(good.code, 0);
    // And of what replaced the one that replaced it, which fails.
    useEditor(*place_, "bin.true", "bin\\/false");
    QVERIFY(submitted("[" + step("/bin/true", "b", ",\"hold\":true") + "]", {}));
    QCOMPARE(ctl(*place_, {"edit", "3"}).out, "4\n");
    useEditor(*place_, "bin.false", "bin\\/false\",\"again");
    QCOMPARE(ctl(*place_, {"edit", "4"}).out, "5\n");
    QCOMPARE(ctl(*place_, {"release", "5"}).code, 0);
    const test::Ended bad = ctl(*place_, QStringList{"wait"} + second);
    QCOMPARE(bad.code, 1);
    QVERIFY2((bad.out + bad.err).contains("5"), bad.err.c_str());
}

void TestEditAtAnEngine::whatWasReleasedSinceIsNotHeldAgain() {
    QVERIFY(submitted("[" + step("sleep\",\"1000", "blocks") + "," +
                          step("false", "a", after("\"blocks\"") + ",\"hold\":true") + "]",
                      {}));
    QCOMPARE(ctl(*place_, {"release", "2"}).code, 0);
    QCOMPARE(ctl(*place_, {"edit", "2"}).out, "3\n");
    QVERIFY(caller_->get("/compute/jobs/3").body.contains(R"("held":false)"));
    QCOMPARE(stateOf(2), std::string("cancelled"));
    // To submit it once more, as what is cancelled else, would be twice.
    const test::Ended retried = ctl(*place_, {"retry", "2"});
    QCOMPARE(retried.code, 1);
    QCOMPARE(retried.err, "yardctl: Action 2 is cancelled, and it was replaced by 3: that one is what goes on.\n");
    QVERIFY(ctl(*place_, {"cancel", "3"}).code == 0);
    QVERIFY2(ctl(*place_, {"retry", "3"}).err.contains("submit it again"),
             ctl(*place_, {"retry", "3"}).err.c_str());
}

void TestEditAtAnEngine::aSecondReplacementIsRefused() {
    QVERIFY(submitted("[" + step("false", "a") + "," + step("true", "b", after("\"a\"")) + "]", {1, 2}));
    const std::string again = R"({"worker":"exec","argv":["false"],"max_retries":0,"replaces":1})";
    QCOMPARE(caller_->post("/compute/jobs", again).number("lsn"), 3);
    const Answer refused = caller_->post("/compute/jobs", again);
    QCOMPARE(refused.status, 409);
    QVERIFY2(refused.text("message").contains("Action 1 was replaced by 3 already"), refused.shown().c_str());
    QCOMPARE(stateOf(3), std::string("failed"));
    // A child of the old one is not sent to it.
    const test::Ended retried = ctl(*place_, {"retry", "2"});
    QCOMPARE(retried.code, 1);
    QCOMPARE(retried.err, "yardctl: Action 2 waits for action 1, which is failed and was replaced by 3: submit it "
                          "again, with 3 in \"after\".\n");
    // What was replaced itself goes on as another one: to submit it once more would be twice.
    QCOMPARE(caller_->post("/compute/jobs", R"({"worker":"exec","argv":["true"],"max_retries":0,"replaces":2})")
                 .number("lsn"),
             5);
    QVERIFY2(ctl(*place_, {"retry", "2"}).err.contains("action 2 was replaced by 5: that one is what goes on."),
             ctl(*place_, {"retry", "2"}).err.c_str());
    // What is not kept any more is not pointed at.
    QCOMPARE(caller_->call("DELETE", "/compute/jobs/3").status, 200);
    const Answer old = caller_->get("/compute/jobs/1");
    QVERIFY2(old.body.contains(R"("replaced":true)") && !old.body.contains("replaced_by"), old.shown().c_str());
    QVERIFY(ctl(*place_, {"show", "1"}).out.contains("replaced by  one that was retired since"));
    QVERIFY(caller_->post("/compute/jobs", again).status == 200);
}

void TestEditAtAnEngine::replaceIsCheckedFirst() {
    const std::string loop = step("sleep\",\"1000", "a");
    QVERIFY(submitted("[" + loop + "," + step("true", "b", after("\"a\"")) + "]", {}));
    useEditor(*place_, "1000", "0");
    QVERIFY(eventually([&] { return caller_->get("/compute/jobs/1").text("state") == "running"; }));
    const test::Ended refused = ctl(*place_, {"edit", "--replace", "1"});
    QCOMPARE(refused.code, 1);
    QCOMPARE(refused.err, "yardctl: --replace would cancel 1, which is waited for by 2. Cancel 2 first, or edit "
                          "without --replace. Nothing was submitted.\n");
    QCOMPARE(countOf("limit=100"), 2);
    QCOMPARE(ctl(*place_, {"cancel", "2"}).code, 0);
    QCOMPARE(ctl(*place_, {"edit", "--replace", "1"}).out, "3\n");
    QCOMPARE(stateOf(1), std::string("cancelled"));
    useEditor(*place_, "false", "true");
    // Of one that has ended there is nothing to cancel.
    QVERIFY(submitted("[" + step("false", "x") + "]", {4}));
    const test::Ended ended = ctl(*place_, {"edit", "--replace", "4"});
    QCOMPARE(ended.code, 0);
    QCOMPARE(ended.out, "5\n");
    QCOMPARE(ended.err, "yardctl: 4 has ended, so there was nothing to cancel\n");
    QCOMPARE(stateOf(5), std::string("completed"));
}

QTEST_GUILESS_MAIN(TestEditAtAnEngine)
#include "tst_edit_at_an_engine.moc"
