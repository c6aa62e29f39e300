// Changes of many actions by one request: by their numbers or by a filter, counted first where that is asked.
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"
#include "tests/support/waiting.h"

#include <QObject>
#include <QTest>
#include <array>

using namespace yard;
using namespace yard::http;

class ApiBulkTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void filtersChooseWhatIsChanged();
    void aDryRunCountsAndMoreThanAtMostIsRefused_data();
    void aDryRunCountsAndMoreThanAtMostIsRefused();
    void whatCannotBeRetriedIsNotCounted();
    void whoWouldComeBackIsCounted_data();
    void whoWouldComeBackIsCounted();
    void aFilterToRetryPassesOverWhatWasReplacedOrHasATerminal();
    void manyActionsAreChangedAtOnce();

private:
    std::unique_ptr<ApiTest> api_;
};

void ApiBulkTest::filtersChooseWhatIsChanged() {
    const auto queue = api_->call("POST", "/compute/queues", "{\"tag\":\"filtered\"}").number("queue_id");
    const std::string jobs = fmt::format("/compute/queues/{}/jobs", queue);
    for (int i = 0; i < 5; ++i) {
        const std::string more = fmt::format(",\"hold\":true,\"label\":\"part-{}\"", i);
        QCOMPARE(api_->post(jobs, api_->engine.shJson("exit 3", more)).status, 200);
    }
    const auto found = [&](const std::string& q) { return static_cast<int>(api_->listed("q=" + q).size()); };
    QCOMPARE(found("queue:filtered"), 5);
    QCOMPARE(found("queue:filtered%20-label:part-0"), 4);
    QCOMPARE(found("queue:filtered%20label:part-1,part-2"), 2);
    QCOMPARE(found("queue:filtered%20state:held,failed%20PART-3"), 1);
    QCOMPARE(found("queue:filtered%20cpu%3E0"), 0);
    Reply done =
        api_->call("PATCH", "/compute/jobs", "{\"filter\":\"queue:filtered label:*-1\",\"set\":{\"priority\":9}}");
    QCOMPARE(done.body, "{\"changed\":1,\"refused\":[]}");
    done = api_->post("/compute/jobs/cancel", "{\"filter\":\"queue:filtered label:part-0,part-1\"}");
    QCOMPARE(done.number("changed"), 2);
    done = api_->post(jobs + "/release", "{\"filter\":\"state:held\"}");
    QCOMPARE(done.number("changed"), 3);
    QCOMPARE(api_->post("/compute/jobs/hold", "{\"filter\":\"queue:filtered state:cancelled\"}").number("changed"),
             0);
    QVERIFY(QTest::qWaitFor([&] { return found("queue:filtered%20state:retry,failed") == 3; }, kWaitMs));
    QCOMPARE(
        api_->post("/compute/jobs/cancel", fmt::format("{{\"filter\":\"queue:{} state:pending\"}}", queue)).status,
        200);
    done = api_->post("/compute/jobs/retire", "{\"filter\":\"queue:filtered state:cancelled\"}");
    QCOMPARE(done.number("changed"), 5 - found("queue:filtered"));
}

/// Five held actions of a queue, as each operation finds what it would change.
void ApiBulkTest::aDryRunCountsAndMoreThanAtMostIsRefused_data() {
    QTest::addColumn<QString>("operation"); // a route, or PATCH
    QTest::addColumn<QString>("more");      // in its body
    QTest::addColumn<QString>("before");    // operation that makes them such
    QTest::addColumn<int>("times");         // each is named by its LSN; 0: all by a filter
    for (const int times : {0, 1, 2}) {
        const std::array kHow{"filter", "LSNs", "LSNs that are named twice"};
        const char* how = kHow[static_cast<std::size_t>(times)];
        const auto row = [&](const char* operation, const char* more, const char* before) {
            QTest::addRow("%s by %s", operation, how) << operation << more << before << times;
        };
        row("cancel", "", "");
        row("hold", "", "");
        row("release", "", "");
        row("PATCH", R"(,"set":{"priority":5})", "");
        row("retry", R"(,"force":true)", "release");
        row("retire", "", "cancel");
    }
}

void ApiBulkTest::aDryRunCountsAndMoreThanAtMostIsRefused() {
    QFETCH(QString, operation);
    QFETCH(QString, more);
    QFETCH(QString, before);
    QFETCH(int, times);
    const auto queue = api_->call("POST", "/compute/queues", R"({"config":{"max_retries":0}})").number("queue_id");
    const std::string jobs = fmt::format("/compute/queues/{}/jobs", queue);
    std::vector<std::int64_t> lsns;
    for (int i = 0; i < 5; ++i)
        lsns.push_back(api_->post(jobs, api_->engine.shJson("exit 3", R"(,"hold":true)")).number("lsn"));
    const std::string once = fmt::format("{},999999999", fmt::join(lsns, ","));
    const std::string named = fmt::format(R"("lsns":[{}{}])", once, times == 2 ? "," + once : "");
    const std::string which = times == 0 ? fmt::format(R"("filter":"queue:{}")", queue) : named;
    if (!before.isEmpty()) {
        QCOMPARE(api_->post(jobs + "/" + before.toStdString(), "{" + named + "}").number("changed"), 5);
        for (const auto lsn : lsns) QVERIFY(isEnded(api_->engine.wait(Lsn{lsn}).state));
    }
    const auto ask = [&](const std::string& bound) {
        const std::string body = "{" + which + more.toStdString() + bound + "}";
        return operation == "PATCH" ? api_->call("PATCH", "/compute/jobs", body)
                                    : api_->post("/compute/jobs/" + operation.toStdString(), body);
    };
    const Reply counted = ask(R"(,"dry_run":true)");
    QCOMPARE(counted.status, 200);
    QCOMPARE(counted.number("count"), 5);
    QCOMPARE(counted.number("changed"), 0);
    QCOMPARE(ask(R"(,"dry_run":true,"at_most":2)").number("count"), 5);
    const Reply refused = ask(R"(,"at_most":4)");
    QCOMPARE(refused.status, 409);
    QCOMPARE(refused.text("error"), "at_limit");
    QCOMPARE(refused.number("count"), 5);
    QCOMPARE(ask(R"(,"at_most":0)").number("count"), 5); // nothing was changed before
    const Reply done = ask(R"(,"at_most":5)");
    QCOMPARE(done.status, 200);
    QCOMPARE(done.number("changed"), 5);
    QCOMPARE(done.json().contains("count"), false);
    if (times > 0) QCOMPARE(done.json().at("refused").as_array().size(), std::size_t{1});
}

void ApiBulkTest::whatCannotBeRetriedIsNotCounted() {
    const auto queue = api_->call("POST", "/compute/queues", R"({"config":{"max_retries":0}})").number("queue_id");
    const std::string jobs = fmt::format("/compute/queues/{}/jobs", queue);
    const Lsn failed{api_->post(jobs, api_->engine.shJson("exit 3")).number("lsn")};
    const Lsn good{api_->post(jobs, api_->engine.shJson("true")).number("lsn")};
    (void)api_->engine.wait(failed);
    (void)api_->engine.wait(good);
    const std::string filter = fmt::format(R"({{"filter":"queue:{}")", queue);
    QCOMPARE(api_->post("/compute/jobs/retry", filter + R"(,"force":true,"dry_run":true})").number("count"), 1);
    const Reply limit = api_->post("/compute/jobs/retry", filter + R"(,"dry_run":true})");
    QCOMPARE(limit.number("count"), 0);
    QCOMPARE(limit.json().at("refused").at(0).at("error").as_string(), "at_limit");
    QCOMPARE(api_->post("/compute/jobs/retry", filter + R"(,"at_most":0})").status, 200);
}

void ApiBulkTest::whoWouldComeBackIsCounted_data() {
    QTest::addColumn<bool>("byFilter");
    QTest::newRow("by filter") << true;
    QTest::newRow("by number") << false;
}

/// A dry run says what the change then does: of two that wait for one that failed, one is named as well.
void ApiBulkTest::whoWouldComeBackIsCounted() {
    QFETCH(const bool, byFilter);
    const auto queue = api_->call("POST", "/compute/queues", R"({"config":{"max_retries":0}})").number("queue_id");
    const auto other = api_->call("POST", "/compute/queues", R"({"config":{"max_retries":0}})").number("queue_id");
    const auto submit = [&](std::int64_t to, const std::string& command, const std::string& more) {
        return Lsn{api_->post(fmt::format("/compute/queues/{}/jobs", to), api_->engine.shJson(command, more))
                       .number("lsn")};
    };
    const Lsn parent = submit(queue, "exit 3", "");
    const std::string after = fmt::format(R"(,"after":[{}])", parent.value);
    const Lsn named = submit(queue, "true", after);
    const Lsn unnamed = submit(other, "true", after);
    for (const Lsn lsn : {parent, named, unnamed}) (void)api_->engine.wait(lsn);
    const std::string which = byFilter ? fmt::format(R"({{"force":true,"filter":"queue:{}")", queue)
                                       : fmt::format(R"({{"force":true,"lsns":[{},{}])", parent.value, named.value);
    for (const std::string& bound : {std::string(R"(,"dry_run":true})"), std::string(R"(,"at_most":1})")}) {
        const Reply counted = api_->post("/compute/jobs/retry", which + bound);
        QCOMPARE(counted.number("count"), 2);
        if (counted.status == 200) QCOMPARE(counted.number("revived"), 1);
        if (counted.status == 200) QCOMPARE(counted.json().at("refused").as_array().size(), std::size_t{0});
    }
    const Reply done = api_->post("/compute/jobs/retry", which + R"(,"at_most":2})");
    QCOMPARE(done.number("changed"), 2);
    QCOMPARE(done.number("revived"), 1);
    QCOMPARE(done.json().at("refused").as_array().size(), std::size_t{0});
}

void ApiBulkTest::aFilterToRetryPassesOverWhatWasReplacedOrHasATerminal() {
    const auto queue = api_->call("POST", "/compute/queues", R"({"config":{"max_retries":0}})").number("queue_id");
    const std::string jobs = fmt::format("/compute/queues/{}/jobs", queue);
    const auto failed = [&](const std::string& more = {}) {
        const auto lsn = api_->post(jobs, api_->engine.shJson("exit 3", more)).number("lsn");
        return api_->engine.wait(Lsn{lsn}).state == ActionState::Failed ? lsn : 0;
    };
    const auto plain = failed();
    const auto old = failed();
    const auto terminal = failed(R"(,"tty":{"rows":24,"cols":80})");
    QVERIFY(plain > 0 && old > 0 && terminal > 0);
    const auto copy = failed(fmt::format(R"(,"replaces":{})", old));
    QCOMPARE(api_->get(fmt::format("/compute/jobs/{}", old)).number("replaced_by"), copy);
    QCOMPARE(api_->get(fmt::format("/compute/jobs/{}", plain)).number("replaced_by"), -1);
    const std::string filter = fmt::format(R"("filter":"queue:{} state:failed","force":true)", queue);
    const Reply counted = api_->post("/compute/jobs/retry", "{" + filter + R"(,"dry_run":true})");
    QCOMPARE(counted.number("count"), 2);
    QVERIFY2(counted.body.contains(R"("passed_over":{"replaced":1,"terminals":1})"), counted.body.c_str());
    const Reply done = api_->post("/compute/jobs/retry", "{" + filter + "}");
    QCOMPARE(done.number("changed"), 2);
    QVERIFY2(done.body.contains(R"("passed_over":{"replaced":1,"terminals":1})"), done.body.c_str());
    for (const auto lsn : {plain, copy}) QCOMPARE(api_->engine.wait(Lsn{lsn}).retryCount, 1);
    // By their numbers they run.
    const Reply named =
        api_->post("/compute/jobs/retry", fmt::format(R"({{"lsns":[{},{}],"force":true}})", old, terminal));
    QCOMPARE(named.number("changed"), 2);
    QVERIFY2(!named.body.contains("passed_over"), named.body.c_str());
    const Reply unknown = api_->post(jobs, api_->engine.shJson("true", R"(,"replaces":[999999999])"));
    QCOMPARE(unknown.status, 422);
    QCOMPARE(unknown.text("message"), "There is no action 999999999 to replace, or not any more: leave it out of "
                                      "\"replaces\".");
}

void ApiBulkTest::manyActionsAreChangedAtOnce() {
    const Reply list = api_->post("/compute/jobs", "[" + kSleep + "," + kSleep + "," + kSleep + "," + kSleep + "]");
    boost::json::array lsns = list.json().at("lsns").as_array();
    std::string text = "{\"lsns\":[999999999";
    for (const auto& lsn : lsns) text += "," + std::to_string(lsn.as_int64());
    const Reply reply = api_->post("/compute/jobs/cancel", text + "]}");
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.number("changed"), std::int64_t(4));
    const auto refused = reply.json().at("refused").as_array();
    QCOMPARE(refused.size(), std::size_t(1));
    QCOMPARE(refused[0].as_object().at("lsn").as_int64(), std::int64_t(999999999));
    for (const auto& lsn : lsns)
        QCOMPARE(api_->get("/compute/jobs/" + std::to_string(lsn.as_int64()) + "?wait=60").text("state"),
                 std::string("cancelled"));
    QCOMPARE(api_->post("/compute/jobs/retire", text + "]}").number("changed"), std::int64_t(4));
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ApiBulkTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_api_bulk.moc"
