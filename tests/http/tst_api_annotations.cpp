// Marks and comments over HTTP: of actions in every state, of queues, of many at once, and in filters.
#include "core/base/user_name.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>

using namespace yard;
using namespace yard::http;

class ApiAnnotationsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { api_ = std::make_unique<ApiTest>(); }
    void cleanupTestCase() { api_.reset(); }

    void aMarkIsSetShownAndTakenAway();
    void aMarkComesAloneAndIsAColour_data();
    void aMarkComesAloneAndIsAColour();
    void manyAreMarkedByTheirNumbersOrAFilterWhateverTheirState();
    void aDryRunCountsAndMoreThanAtMostIsRefused();
    void commentsAreKeptWithWhoAndWhen();
    void aCommentThatSaysNothingOrTooMuchIsRefused_data();
    void aCommentThatSaysNothingOrTooMuchIsRefused();
    void aQueueHasAMarkAndComments();
    void anActionOfAnotherQueueIsNotFound();

private:
    std::int64_t ended(const std::string& more = "") {
        const Lsn lsn{api_->post("/compute/jobs", api_->engine.shJson("true", more)).number("lsn")};
        (void)api_->engine.wait(lsn);
        return lsn.value;
    }
    std::int64_t held(const std::string& more = "") {
        return api_->post("/compute/jobs", api_->engine.shJson("true", R"(,"hold":true)" + more)).number("lsn");
    }
    std::string markOf(std::int64_t lsn) { return api_->get(fmt::format("/compute/jobs/{}", lsn)).text("mark"); }

    std::unique_ptr<ApiTest> api_;
};

void ApiAnnotationsTest::aMarkIsSetShownAndTakenAway() {
    for (const std::int64_t lsn : {ended(), held()}) {
        const std::string path = fmt::format("/compute/jobs/{}", lsn);
        const Reply marked = api_->call("PATCH", path, R"({"mark":"red"})");
        QCOMPARE(marked.status, 200);
        QCOMPARE(marked.text("mark"), "red");
        QCOMPARE(markOf(lsn), "red");
        QCOMPARE(api_->call("PATCH", path, R"({"mark":null})").status, 200);
        QVERIFY(!api_->get(path).json().contains("mark"));
    }
    QCOMPARE(api_->call("PATCH", "/compute/jobs/999999", R"({"mark":"red"})").status, 404);
}

void ApiAnnotationsTest::aMarkComesAloneAndIsAColour_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::newRow("no colour") << QByteArray(R"({"mark":"pink"})");
    QTest::newRow("none in words") << QByteArray(R"({"mark":"none"})");
    QTest::newRow("a number") << QByteArray(R"({"mark":1})");
    QTest::newRow("beside a priority") << QByteArray(R"({"mark":"red","priority":1})");
}

void ApiAnnotationsTest::aMarkComesAloneAndIsAColour() {
    QFETCH(QByteArray, body);
    const Reply refused = api_->call("PATCH", fmt::format("/compute/jobs/{}", held()), body.toStdString());
    QCOMPARE(refused.status, 422);
    QCOMPARE(refused.text("field"), "mark");
}

void ApiAnnotationsTest::manyAreMarkedByTheirNumbersOrAFilterWhateverTheirState() {
    const std::int64_t one = ended(R"(,"label":"many")");
    const std::int64_t two = held(R"(,"label":"many")");
    Reply done = api_->call("PATCH", "/compute/jobs",
                            fmt::format(R"({{"lsns":[{},{},999999],"set":{{"mark":"blue"}}}})", one, two));
    QCOMPARE(done.number("changed"), 2);
    QCOMPARE(done.json().at("refused").at(0).at("error").as_string(), "not_found");
    QCOMPARE(markOf(one), "blue");
    QCOMPARE(api_->listed("q=mark:blue").size(), 2u);
    done = api_->call("PATCH", "/compute/jobs", R"({"filter":"label:many mark:blue","set":{"mark":"grey"}})");
    QCOMPARE(done.number("changed"), 2);
    QCOMPARE(markOf(two), "grey");
    done = api_->call("PATCH", "/compute/jobs", R"({"filter":"label:many","set":{"mark":null}})");
    QCOMPARE(done.number("changed"), 2);
    QCOMPARE(api_->listed("q=label:many%20mark:none").size(), 2u);
}

void ApiAnnotationsTest::aDryRunCountsAndMoreThanAtMostIsRefused() {
    for (int i = 0; i < 3; ++i) (void)ended(R"(,"label":"counted")");
    const auto ask = [&](const char* bound) {
        return api_->call("PATCH", "/compute/jobs",
                          fmt::format(R"({{"filter":"label:counted","set":{{"mark":"red"}}{}}})", bound));
    };
    QCOMPARE(ask(R"(,"dry_run":true)").number("count"), 3);
    const Reply refused = ask(R"(,"at_most":2)");
    QCOMPARE(refused.status, 409);
    QCOMPARE(refused.number("count"), 3);
    QCOMPARE(api_->listed("q=label:counted%20mark:red").size(), 0u);
    QCOMPARE(ask(R"(,"at_most":3)").number("changed"), 3);
}

void ApiAnnotationsTest::commentsAreKeptWithWhoAndWhen() {
    const std::int64_t lsn = ended();
    const std::string path = fmt::format("/compute/jobs/{}/comments", lsn);
    QCOMPARE(api_->get(path).body, R"({"comments":[]})");
    const Reply first = api_->post(path, R"({"text":"why\n\"this\"?","by":"anna"})");
    QCOMPARE(first.status, 200);
    QCOMPARE(first.text("by"), "anna");
    QVERIFY(first.number("t") > 0);
    QCOMPARE(api_->post(path, R"({"text":"because"})").text("by"), userName());
    const auto all = api_->get(path).json();
    QCOMPARE(all.at("comments").as_array().size(), 2u);
    QCOMPARE(all.at("comments").at(0).at("text").as_string(), "why\n\"this\"?");
    const auto action = api_->get(fmt::format("/compute/jobs/{}", lsn)).json();
    QCOMPARE(action.at("comments").at("count").as_int64(), 2);
    QCOMPARE(action.at("comments").at("last").at("text").as_string(), "because");
    QCOMPARE(api_->listed("q=comment:BECAUSE").size(), 1u);
    QCOMPARE(api_->get("/compute/jobs/999999/comments").status, 404);
    QCOMPARE(api_->post("/compute/jobs/999999/comments", R"({"text":"x"})").status, 404);
}

void ApiAnnotationsTest::aCommentThatSaysNothingOrTooMuchIsRefused_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("field");
    QTest::newRow("nothing") << QByteArray("{}") << QByteArray("text");
    QTest::newRow("blanks") << QByteArray(R"({"text":"  "})") << QByteArray("text");
    QTest::newRow("too long") << QByteArray(R"({"text":")") + QByteArray(1'001, 'x') + R"("})"
                              << QByteArray("text");
    QTest::newRow("a control character") << QByteArray(R"({"text":"a\u001bb"})") << QByteArray("text");
    QTest::newRow("no text") << QByteArray(R"({"text":7})") << QByteArray("text");
    QTest::newRow("a long name") << QByteArray(R"({"text":"x","by":")") + QByteArray(65, 'x') + R"("})"
                                 << QByteArray("by");
}

void ApiAnnotationsTest::aCommentThatSaysNothingOrTooMuchIsRefused() {
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, field);
    const Reply refused = api_->post(fmt::format("/compute/jobs/{}/comments", held()), body.toStdString());
    QCOMPARE(refused.status, 422);
    QCOMPARE(refused.text("field"), field.toStdString());
}

void ApiAnnotationsTest::aQueueHasAMarkAndComments() {
    const auto queue = api_->call("POST", "/compute/queues", R"({"tag":"noted"})").number("queue_id");
    const std::string path = fmt::format("/compute/queues/{}", queue);
    Reply done = api_->call("PATCH", path, R"({"mark":"purple"})");
    QCOMPARE(done.text("mark"), "purple");
    done = api_->call("PATCH", path, R"({"config":{"weight":2},"mark":"green"})");
    QCOMPARE(done.text("mark"), "green");
    QCOMPARE(done.json().at("config").at("weight").to_number<double>(), 2.0);
    QCOMPARE(api_->call("PATCH", path, "{}").text("field"), "config");
    QCOMPARE(api_->post(path + "/comments", R"({"text":"until Monday"})").status, 200);
    QCOMPARE(api_->get(path + "/comments").json().at("comments").as_array().size(), 1u);
    QCOMPARE(api_->get(path).json().at("comments").at("last").at("text").as_string(), "until Monday");
    done = api_->call("PATCH", path, R"({"mark":null})");
    QVERIFY(!done.json().contains("mark"));
    QCOMPARE(api_->get("/compute/queues/9999/comments").status, 404);
}

void ApiAnnotationsTest::anActionOfAnotherQueueIsNotFound() {
    const auto queue = api_->call("POST", "/compute/queues", "{}").number("queue_id");
    const std::int64_t lsn = held();
    const std::string jobs = fmt::format("/compute/queues/{}/jobs", queue);
    QCOMPARE(api_->get(fmt::format("{}/{}/comments", jobs, lsn)).status, 404);
    QCOMPARE(api_->call("PATCH", fmt::format("{}/{}", jobs, lsn), R"({"mark":"red"})").status, 404);
    const Reply many = api_->call("PATCH", jobs, fmt::format(R"({{"lsns":[{}],"set":{{"mark":"red"}}}})", lsn));
    QCOMPARE(many.number("changed"), 0);
    QCOMPARE(markOf(lsn), "");
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    ApiAnnotationsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_api_annotations.moc"
