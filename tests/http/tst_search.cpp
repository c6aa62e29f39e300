// GET jobs/search over a real engine: lines of both streams as they are found, what is chosen, bounds, who leaves.
#include "core/engine/reading/listing.h"
#include "core/http/search_producer.h"
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QTest>

#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::http;
namespace json = boost::json;

class SearchTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { api_ = std::make_unique<ApiTest>(); }
    void cleanup() { api_.reset(); }
    void linesOfBothStreamsAreFoundNewestActionFirst();
    void aFilterSaysWhichActions();
    void whatRunsIsLookedAtAsItIsNow();
    void whatNeverRanHasNothing();
    void ofManyLinesOfAStreamTheFirstAreTold();
    void soManyLinesInAll();
    void forOneMoreLineItDoesNotLookForever();
    void manyActionsComePageByPage();
    void soManySearchesAtATime();
    void whatIsRetiredBeforeItIsReadIsSkipped();
    void whereItsOrderIsNotKeptThereMayBeMore();
    void itEndsWhenTheClientHasLeft();
    void wrongRequestsAreRefused_data();
    void wrongRequestsAreRefused();

private:
    /// Ended when this returns.
    std::int64_t ran(const std::string& script, const std::string& queue = "/compute") {
        return api_
            ->post(queue + "/jobs?wait=60", api_->engine.shJson(script, R"(,"max_retries":0,"label":"prints")"))
            .number("lsn");
    }
    /// The objects of the answer, the last one apart.
    std::vector<json::object> search(const std::string& query, json::object* last = nullptr) {
        const Reply reply = api_->get("/compute/jobs/search?" + query);
        std::vector<json::object> all;
        if (reply.status != 200 || reply.contentType != "application/x-ndjson") return all;
        for (const QByteArray& line : QByteArray::fromStdString(reply.body).split('\n'))
            if (!line.isEmpty()) all.push_back(json::parse(line.toStdString()).as_object());
        if (all.empty() || !all.back().contains("whole")) return {};
        if (last) *last = all.back();
        all.pop_back();
        std::erase_if(all, [](const json::object& one) { return one.contains("actions"); }); // how far it is
        return all;
    }
    /// All that is left of it.
    static std::string rest(BodyProducer& producer) {
        std::string text;
        coro::Loop loop;
        const auto drain = [](BodyProducer& from, std::string& into) -> coro::Task<void> {
            for (;;) {
                const auto piece = co_await from.next();
                if (!piece) into += "[cut: " + piece.error().message + "]";
                if (!piece || piece->empty()) break;
                into += *piece;
            }
        };
        loop.spawn("search", drain(producer, text));
        loop.run();
        return text;
    }
    /// "12 stdout 1 text"
    static std::string printed(const json::object& line) {
        return fmt::format("{} {} {} {}", line.at("lsn").as_int64(),
                           std::string_view(line.at("stream").as_string()), line.at("line").as_int64(),
                           std::string_view(line.at("text").as_string()));
    }

    std::unique_ptr<ApiTest> api_;
};

void SearchTest::linesOfBothStreamsAreFoundNewestActionFirst() {
    const std::int64_t first = ran("echo fine; echo an Error here; echo error too >&2");
    const std::int64_t second = ran("echo one error; exit 3");
    ran("echo nothing");
    json::object last;
    const std::vector<json::object> lines = search("text=error", &last);
    QCOMPARE(lines.size(), std::size_t(3));
    QCOMPARE(printed(lines[0]), fmt::format("{} stdout 1 one error", second));
    QCOMPARE(printed(lines[1]), fmt::format("{} stdout 2 an Error here", first));
    QCOMPARE(printed(lines[2]), fmt::format("{} stderr 1 error too", first));
    QCOMPARE(std::string(lines[0].at("name").as_string()), std::string("prints"));
    QCOMPARE(last.at("actions").as_int64(), 3);
    QCOMPARE(last.at("lines").as_int64(), 3);
    QVERIFY(last.at("bytes").as_int64() > 0);
    QCOMPARE(last.at("whole").as_bool(), true);
    const std::vector<json::object> exact = search("text=Error&case=1");
    QCOMPARE(exact.size(), std::size_t(1));
    QCOMPARE(printed(exact[0]), fmt::format("{} stdout 2 an Error here", first));
    QVERIFY(search("text=none%20of%20these").empty());
}

void SearchTest::aFilterSaysWhichActions() {
    const std::string queue =
        fmt::format("/compute/queues/{}", api_->post("/compute/queues", R"({"tag":"nightly"})").number("queue_id"));
    const std::int64_t first = ran("echo hit");
    const std::int64_t second = ran("echo hit; exit 3", queue);
    const auto only = [this](const std::string& query) {
        const auto lines = search(query);
        return lines.size() == 1 ? lines.front().at("lsn").as_int64() : -1;
    };
    QCOMPARE(only("text=hit&q=state:failed"), second);
    QCOMPARE(only("text=hit&q=queue:nightly"), second);
    QCOMPARE(only("text=hit&state=completed"), first);
    QCOMPARE(only(fmt::format("text=hit&lsn={}", first)), first);
    const auto upwards = search("text=hit&sort=lsn");
    QCOMPARE(upwards.size(), std::size_t(2));
    QCOMPARE(upwards.front().at("lsn").as_int64(), first);
    const Reply below = api_->get(queue + "/jobs/search?text=hit");
    QVERIFY2(below.body.find(fmt::format("\"lsn\":{}", second)) != std::string::npos, below.body.c_str());
    QVERIFY2(below.body.find(fmt::format("\"lsn\":{},", first)) == std::string::npos, below.body.c_str());
}

void SearchTest::whatRunsIsLookedAtAsItIsNow() {
    const std::string go = api_->engine.path("go");
    const std::int64_t lsn = api_->sh("echo begun; while [ ! -e '" + go + "' ]; do sleep 0.02; done; echo done");
    QVERIFY(test::EngineTest::eventually([&] { return search("text=begun").size() == 1; }));
    QVERIFY(search("text=done").empty());
    std::ofstream(go) << "x";
    QCOMPARE(api_->get(fmt::format("/compute/jobs/{}?wait=60", lsn)).status, 200);
    QCOMPARE(search("text=done").size(), std::size_t(1));
}

void SearchTest::whatNeverRanHasNothing() {
    api_->sh("echo hit", R"(,"hold":true)");
    json::object last;
    QVERIFY(search("text=hit", &last).empty());
    QCOMPARE(last.at("actions").as_int64(), 1);
    QCOMPARE(last.at("bytes").as_int64(), 0);
    QVERIFY(!last.contains("skipped"));
}

void SearchTest::ofManyLinesOfAStreamTheFirstAreTold() {
    const std::int64_t lsn = ran("i=0; while [ $i -lt 150 ]; do i=$((i+1)); echo hit $i; done; echo hit >&2");
    json::object last;
    const std::vector<json::object> lines = search("text=hit", &last);
    QCOMPARE(lines.size(), SearchProducer::kMostPerStream + 2);
    QCOMPARE(printed(lines[SearchProducer::kMostPerStream - 1]), fmt::format("{} stdout 100 hit 100", lsn));
    QCOMPARE(lines[SearchProducer::kMostPerStream].at("more").as_bool(), true);
    QCOMPARE(printed(lines.back()), fmt::format("{} stderr 1 hit", lsn));
    QCOMPARE(last.at("whole").as_bool(), true);
}

void SearchTest::soManyLinesInAll() {
    for (int i = 0; i < 3; ++i) ran("echo hit; echo hit again");
    json::object last;
    QCOMPARE(search("text=hit&lines=3", &last).size(), std::size_t(3));
    QCOMPARE(last.at("whole").as_bool(), false);
    QCOMPARE(last.at("lines").as_int64(), 3);
    for (const int lines : {6, 7}) {
        QCOMPARE(search(fmt::format("text=hit&lines={}", lines), &last).size(), std::size_t(6));
        QCOMPARE(last.at("whole").as_bool(), true);
    }
    QCOMPARE(search("text=hit&lines=5", &last).size(), std::size_t(5)); // the sixth is in the same output
    QCOMPARE(last.at("whole").as_bool(), false);
    QCOMPARE(last.at("lines").as_int64(), 5);
}

void SearchTest::forOneMoreLineItDoesNotLookForever() {
    constexpr int kMany = 600; // more than it looks at
    const Reply array =
        api_->post("/compute/jobs",
                   api_->engine.shJson("true", fmt::format(R"(,"array":{{"from":1,"to":{}}},"hold":true)", kMany)));
    QVERIFY2(array.status == 200, array.body.c_str());
    ran("echo hit");
    json::object last;
    QCOMPARE(search("text=hit&lines=1", &last).size(), std::size_t(1));
    QCOMPARE(last.at("whole").as_bool(), false);
    QVERIFY(last.at("actions").as_int64() < kMany);
    QCOMPARE(search("text=hit&lines=2", &last).size(), std::size_t(1));
    QCOMPARE(last.at("whole").as_bool(), true);
}

/// More than are on the first page.
void SearchTest::manyActionsComePageByPage() {
    const Reply array =
        api_->post("/compute/jobs",
                   api_->engine.shJson("echo hit {index}", R"(,"array":{"from":1,"to":130},"max_retries":0)"));
    QVERIFY2(array.status == 200 || array.status == 201, array.body.c_str());
    QVERIFY(test::EngineTest::eventually([&] { return api_->listed("state=completed").size() == 130; }));
    json::object last;
    QCOMPARE(search("text=hit", &last).size(), std::size_t(130));
    QCOMPARE(last.at("actions").as_int64(), 130);
    QCOMPARE(search("text=hit%20130").size(), std::size_t(1));
}

void SearchTest::soManySearchesAtATime() {
    ran("echo hit");
    Api api(*api_->engine, {});
    FakeLink link;
    const auto begin = [&](Response& response) {
        Request request;
        request.link = &link;
        request.localPort = 8640;
        request.head.setTarget("/compute/jobs/search?text=hit");
        request.head.method = Method::Get;
        request.head.addField("Host", "localhost:8640");
        request.head.addField("Authorization", "Bearer " + api_->engine->token());
        if (api.admit(request).refusal) return;
        coro::Loop loop;
        const auto ask = [](Api& from, Request& asked, Response& into) -> coro::Task<void> {
            into = co_await from.handle(asked);
        };
        loop.spawn("request", ask(api, request, response));
        loop.run();
    };
    std::vector<Response> open(SearchProducer::kMostSearches);
    for (Response& response : open) {
        begin(response);
        QVERIFY(response.producer != nullptr);
    }
    Response refused;
    begin(refused);
    QCOMPARE(refused.status, 429);
    QVERIFY(refused.producer == nullptr);
    open.pop_back();
    Response again;
    begin(again);
    QCOMPARE(again.status, 200);
    QVERIFY(again.producer != nullptr);
}

void SearchTest::whatIsRetiredBeforeItIsReadIsSkipped() {
    ran("echo hit");
    const std::int64_t cancelled = api_->sh("echo hit", R"(,"hold":true)");
    QCOMPARE(api_->post(fmt::format("/compute/jobs/{}/cancel", cancelled)).status, 200);
    (void)api_->engine.wait(Lsn(cancelled));
    engine::Engine& engine = *api_->engine;
    auto page = api_->engine.run(engine.ask(&engine::Listing::list, engine::ListQuery{}));
    QVERIFY(page.has_value());
    QCOMPARE(page->jobs.size(), std::size_t(2));
    for (const ActionResult& job : page->jobs)
        QCOMPARE(api_->call("DELETE", fmt::format("/compute/jobs/{}", job.lsn.value)).status, 200);
    coro::HelperPool helpers(1);
    int searches = 0;
    SearchProducer search(engine, helpers, api_->link, {.text = "hit"}, {}, std::move(*page), searches);
    // Of the other one there never was any.
    const std::string told = rest(search);
    QVERIFY2(told.ends_with("{\"actions\":2,\"lines\":0,\"bytes\":0,\"skipped\":1,\"whole\":true}\n"),
             told.c_str());
    helpers.stop();
}

void SearchTest::whereItsOrderIsNotKeptThereMayBeMore() {
    ran("echo hit");
    coro::HelperPool helpers(1);
    int searches = 0;
    engine::ListQuery query;
    query.sort = parseSort("runtime").value();
    engine::ListPage first;
    first.cursor = "00000000.1.1.0";
    SearchProducer search(*api_->engine, helpers, api_->link, {.text = "hit"}, query, std::move(first), searches);
    const std::string told = rest(search);
    QVERIFY2(told.ends_with("{\"actions\":0,\"lines\":0,\"bytes\":0,\"whole\":false}\n"), told.c_str());
    helpers.stop();
}

void SearchTest::itEndsWhenTheClientHasLeft() {
    ran("echo hit");
    api_->link.gone = true;
    QVERIFY(api_->get("/compute/jobs/search?text=hit").body.starts_with("[cut: "));
    api_->link.gone = false;
    api_->link.stopping = true;
    QVERIFY(api_->get("/compute/jobs/search?text=hit").body.starts_with("[cut: "));
    api_->link.stopping = false;
    QCOMPARE(search("text=hit").size(), std::size_t(1));
}

void SearchTest::wrongRequestsAreRefused_data() {
    QTest::addColumn<QByteArray>("query");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("contains");
    const auto row = [](const char* name, const QByteArray& query, int status, const char* contains) {
        QTest::newRow(name) << query << status << QByteArray(contains);
    };
    row("no text", "?q=state:failed", 422, "text");
    row("an empty text", "?text=", 422, "text");
    row("a text that is too long", "?text=" + QByteArray(LineSearch::kMaxText + 1, 'a'), 422, "256");
    row("a line end", "?text=a%0Ab", 400, "");
    row("too many lines", "?text=a&lines=10001", 422, "lines");
    row("a case that is none", "?text=a&case=some", 422, "case");
    row("a filter that is none", "?text=a&q=colour:red", 422, "colour");
    row("a place in a list", "?text=a&cursor=5", 400, "cursor");
    row("a queue that is not there", "?text=a&queue=4711", 404, "queue");
}

void SearchTest::wrongRequestsAreRefused() {
    QFETCH(QByteArray, query);
    QFETCH(int, status);
    QFETCH(QByteArray, contains);
    const Reply reply = api_->get("/compute/jobs/search" + query.toStdString());
    QVERIFY2(reply.status == status, reply.body.c_str());
    QVERIFY2(reply.text("message").contains(contains.toStdString()), reply.body.c_str());
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    SearchTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_search.moc"
