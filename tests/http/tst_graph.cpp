// GET graph over a real engine: its shape, and what is refused.
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QObject>
#include <QTest>

#include <fmt/format.h>

using namespace yard;
using namespace yard::http;

class TestHttpGraph : public QObject {
    Q_OBJECT
    std::unique_ptr<ApiTest> api_;

private Q_SLOTS:
    void init() { api_ = std::make_unique<ApiTest>(); }
    void cleanup() { api_.reset(); }

    void whoWaitsForWhomIsServed() {
        const std::string list =
            "[" + api_->engine.shJson("sleep 100", R"(,"id":"a","array":{"from":1,"to":3})") + "," +
            api_->engine.shJson("true", R"(,"label":"last","after":[{"id":"a","on":"any"}])") + "]";
        const auto lsns = api_->post("/compute/jobs", list).json().at("lsns").as_array();
        const std::int64_t first = lsns.at(0).as_int64();
        const std::int64_t last = lsns.at(lsns.size() - 1).as_int64();
        const Reply folded = api_->get(fmt::format("/compute/graph?lsn={}&fold=1", last));
        QCOMPARE(folded.status, 200);
        const auto nodes = folded.json().at("nodes").as_array();
        QCOMPARE(nodes.size(), std::size_t{2});
        QCOMPARE(nodes[0].at("id").as_int64(), first);
        QCOMPARE(nodes[0].at("count").as_int64(), 3);
        QCOMPARE(std::string(nodes[0].at("label").as_string()), "a");
        QCOMPARE(nodes[1].at("layer").as_int64(), 1);
        QCOMPARE(std::string(nodes[1].at("label").as_string()), "last");
        QCOMPARE(nodes[1].at("states").at("pending").as_int64(), 1);
        QCOMPARE(std::string(nodes[1].at("estimate").at("unknown").as_string()), "no_history");
        QCOMPARE(boost::json::serialize(folded.json().at("edges")),
                 fmt::format(R"([{{"from":{},"to":{},"on":"any","met":false}}])", first, last));
        QVERIFY(folded.json().at("critical").as_array().empty());
        QVERIFY(!folded.json().at("truncated").as_bool());
        QCOMPARE(api_->get(fmt::format("/compute/graph?lsn={}", last)).json().at("nodes").as_array().size(),
                 std::size_t{4});
        const Reply ofQueue = api_->get("/compute/graph?queue=0&fold=1&limit=1");
        QCOMPARE(ofQueue.json().at("nodes").as_array().size(), std::size_t{1});
        QVERIFY(ofQueue.json().at("truncated").as_bool());
        for (std::int64_t lsn = first; lsn <= last; ++lsn) api_->post(fmt::format("/compute/jobs/{}/cancel", lsn));
    }

    void wrongQuestionsAreRefused_data() {
        QTest::addColumn<QString>("query");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("field");
        QTest::newRow("neither action nor queue") << "" << 422 << "lsn";
        QTest::newRow("both") << "lsn=1&queue=0" << 422 << "queue";
        QTest::newRow("no number") << "lsn=one" << 422 << "lsn";
        QTest::newRow("no queue") << "queue=!" << 422 << "queue";
        QTest::newRow("too many nodes") << "lsn=1&limit=10001" << 422 << "limit";
        QTest::newRow("no nodes") << "lsn=1&limit=0" << 422 << "limit";
        QTest::newRow("an action that is not there") << "lsn=999" << 404 << "";
        QTest::newRow("a queue that is not there") << "queue=77" << 404 << "";
    }
    void wrongQuestionsAreRefused() {
        QFETCH(QString, query);
        QFETCH(int, status);
        QFETCH(QString, field);
        const Reply reply = api_->get("/compute/graph?" + query.toStdString());
        QCOMPARE(reply.status, status);
        QCOMPARE(reply.text("field"), field.toStdString());
        QVERIFY(!reply.text("message").empty());
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    TestHttpGraph test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_graph.moc"
