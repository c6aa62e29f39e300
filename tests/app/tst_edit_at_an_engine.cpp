// yardctl edit at a real engine: a graph that failed in the middle is mended, and the rest of it goes on.
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
    void aDiamondIsCarriedOver();
    void anArrayIsCarriedOver();
    void whatFailedForAnotherReasonStays();
    void aloneIsAlone();
    void whatCannotBeCarriedOverIsRefused();
    void otherQueuesAndTooManyAreRefused();
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

std::int64_t TestEditAtAnEngine::countOf(const std::string& filter) {
    return static_cast<std::int64_t>(caller_->get("/compute/jobs?" + filter).json().at("jobs").as_array().size());
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
    const auto json = boost::json::parse(ctl(*place_, {"--json", "edit", "2"}).out);
    QCOMPARE(boost::json::serialize(json.at("lsns")), std::string("[6,7]"));
    QCOMPARE(boost::json::serialize(json.at("replaces")), std::string("[2,3]"));
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
    const test::Ended wrong = ctl(*place_, {"edit", "1"});
    QCOMPARE(wrong.code, 1);
    QVERIFY2(wrong.err.starts_with("yardctl: this is no JSON: ") && wrong.err.contains("has what you wrote"),
             wrong.err.c_str());
    QCOMPARE(countOf("limit=100"), 3);
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

void TestEditAtAnEngine::replaceIsCheckedFirst() {
    QVERIFY(
        submitted("[" + step("false", "a", ",\"hold\":true") + "," + step("true", "b", after("\"a\"")) + "]", {}));
    const test::Ended refused = ctl(*place_, {"edit", "--replace", "1"});
    QCOMPARE(refused.code, 1);
    QCOMPARE(refused.err, "yardctl: --replace would cancel 1, which is waited for by 2. Cancel 2 first, or edit "
                          "without --replace. Nothing was submitted.\n");
    QCOMPARE(countOf("limit=100"), 2);
    QCOMPARE(ctl(*place_, {"cancel", "2"}).code, 0);
    QCOMPARE(ctl(*place_, {"edit", "--replace", "1"}).out, "3\n");
    QCOMPARE(stateOf(1), std::string("cancelled"));
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
