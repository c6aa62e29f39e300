// Arrays and lists as one row over HTTP: rows, their numbers, numbers of rows, and elements with their index.
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include <QTest>

#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::http;

class FoldingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { api_ = std::make_unique<ApiTest>(); }
    void cleanup() { api_.reset(); }
    void elementsHaveTheirIndexAndNamesShowIt();
    void anArrayAndAListAreOneRowEach();
    void theRowStaysIfOneMatchesAndCountsAll();
    void numbersOfRowsComeWithHowManyActionsTheyStandFor();
    void aListIsFoldedBetweenItsArrays();
    void aListInPartsIsOneRow();
    void foldIsYesOrNo();

private:
    std::string held(const std::string& more) const {
        return R"({"worker":"exec","argv":["true","{index}"],"cwd":"/","hold":true)" + more + "}";
    }
    /// Its first LSN.
    std::int64_t post(const std::string& body) {
        const Reply reply = api_->post("/compute/jobs", body);
        if (reply.json().contains("lsns")) return reply.json().at("lsns").as_array().at(0).as_int64();
        return reply.number("lsn");
    }
    /// All rows of a list, page by page.
    std::vector<boost::json::object> rows(const std::string& query) {
        std::vector<boost::json::object> all;
        for (std::string cursor;;) {
            const Reply page = api_->get("/compute/jobs?fold=1" + query + cursor);
            if (page.status != 200) return {};
            for (const auto& row : page.json().at("jobs").as_array()) all.push_back(row.as_object());
            if (page.text("cursor").empty()) return all;
            cursor = "&cursor=" + page.text("cursor");
        }
    }
    /// "3[1+3 array cliff_{index}]", of each row.
    std::string printed(const std::string& query = {}) {
        std::string text;
        for (const boost::json::object& row : rows(query)) {
            text += fmt::format("{}{}", text.empty() ? "" : " ", row.at("lsn").as_int64());
            if (!row.contains("fold")) continue;
            const boost::json::object& fold = row.at("fold").as_object();
            text += fmt::format("[{}+{} {} {}]", fold.at("first").as_int64(), fold.at("count").as_int64(),
                                std::string_view(fold.at("kind").as_string()),
                                std::string_view(fold.at("name").as_string()));
        }
        return text;
    }
    static std::int64_t stateOf(const boost::json::object& row, std::string_view word) {
        const boost::json::object& states = row.at("states").as_object();
        return states.contains(word) ? states.at(word).as_int64() : 0;
    }

    std::unique_ptr<ApiTest> api_;
};

void FoldingTest::elementsHaveTheirIndexAndNamesShowIt() {
    const std::int64_t first = post(held(R"(,"label":"cliff_{index}_8k","array":{"from":5,"to":7})"));
    const std::int64_t alone = post(held(R"(,"label":"{index}")"));
    const Reply second = api_->get(fmt::format("/compute/jobs/{}", first + 1));
    QCOMPARE(second.number("index"), std::int64_t{6});
    QCOMPARE(second.text("label"), "cliff_{index}_8k");
    QCOMPARE(second.text("name"), "cliff_6_8k");
    const Reply none = api_->get(fmt::format("/compute/jobs/{}", alone));
    QVERIFY(!none.json().contains("index"));
    QCOMPARE(none.text("label"), "{index}");
    QCOMPARE(api_->get("/compute/jobs?q=label:cliff_*&count=1").number("total"), std::int64_t{3});
    QCOMPARE(api_->get("/compute/jobs?q=label:cliff_6*&count=1").number("total"), std::int64_t{0});
}

void FoldingTest::anArrayAndAListAreOneRowEach() {
    const std::int64_t array = post(held(R"(,"label":"cliff_{index}","array":{"from":5,"to":7})"));
    const std::int64_t list = post("[" + held("") + "," + held(R"(,"label":"second")") + "]");
    const std::int64_t alone = post(held(""));
    const std::string found = printed();
    QCOMPARE(found, fmt::format("{} {}[{}+2 list true {{index}}] {}[{}+3 array cliff_{{index}}]", alone, list + 1,
                                list, array + 2, array));
    QCOMPARE(printed("&limit=1"), found);
    const boost::json::object row = rows({}).back();
    QCOMPARE(stateOf(row, "pending"), std::int64_t{3});
    QCOMPARE(stateOf(row, "held"), std::int64_t{3});
    QVERIFY(!row.at("fold").as_object().contains("started"));
    QCOMPARE(row.at("fold").at("place").as_int64(), std::int64_t{1});
    QCOMPARE(rows("&lsn=" + std::to_string(list)).front().at("fold").at("place").as_int64(), std::int64_t{4});
    QCOMPARE(rows("&sort=lsn").front().at("lsn").as_int64(), array);
    QCOMPARE(rows("&sort=-priority").size(), std::size_t{3});
}

void FoldingTest::theRowStaysIfOneMatchesAndCountsAll() {
    const std::int64_t first =
        post(api_->engine.shJson("test $YARD_INDEX = 0 || { echo error: cannot read 7$YARD_INDEX >&2; exit 1; }",
                                 R"(,"array":{"from":0,"to":2},"max_retries":0)"));
    for (std::int64_t lsn = first; lsn < first + 3; ++lsn) (void)api_->engine.wait(Lsn(lsn));
    for (const char* query : {"&q=state:failed", "&q=state:completed"}) {
        const auto found = rows(query);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(stateOf(found.front(), "failed"), std::int64_t{2});
        QCOMPARE(stateOf(found.front(), "completed"), std::int64_t{1});
        const boost::json::object& fold = found.front().at("fold").as_object();
        QVERIFY(fold.at("started").as_int64() > 0);
        QCOMPARE(std::string(fold.at("failure").at("line").as_string()), std::string("error: cannot read 72"));
        QCOMPARE(fold.at("failure").at("count").as_int64(), std::int64_t{2});
    }
    QVERIFY(rows("&q=state:cancelled").empty());
}

void FoldingTest::numbersOfRowsComeWithHowManyActionsTheyStandFor() {
    const std::int64_t array = post(held(R"(,"array":{"from":0,"to":9})"));
    const std::int64_t alone = post(held(""));
    Reply part;
    for (std::string cursor; part.number("total") < 0; cursor = "&cursor=" + part.text("cursor")) {
        part = api_->get("/compute/jobs/lsns?fold=1" + cursor);
        QCOMPARE(part.status, 200);
    }
    QCOMPARE(part.text("lsns"), fmt::format("{}..{}", alone, array + 9));
    QCOMPARE(part.number("total"), std::int64_t{11});
    QCOMPARE(part.number("rows"), std::int64_t{2});
    QVERIFY(part.text("cursor").empty());
}

void FoldingTest::aListIsFoldedBetweenItsArrays() {
    const std::string one = held(R"(,"label":"one")");
    const std::string array = held(R"(,"label":"many","array":{"from":0,"to":1})");
    const std::int64_t first = post(fmt::format("[{0},{0},{1},{0}]", one, array));
    QCOMPARE(printed(), fmt::format("{} {}[{}+2 array many] {}[{}+2 list one]", first + 4, first + 3, first + 2,
                                    first + 1, first));
}

/// More than the journal takes at once.
void FoldingTest::aListInPartsIsOneRow() {
    const std::string one = held(R"(,"label":"part")");
    std::string body = "[" + one;
    constexpr int kMany = 6'000;
    for (int i = 1; i < kMany; ++i) body += "," + one;
    const std::int64_t first = post(body + "]");
    QVERIFY(first > 0);
    QCOMPARE(printed(), fmt::format("{}[{}+{} list part]", first + kMany - 1, first, kMany));
}

void FoldingTest::foldIsYesOrNo() {
    QCOMPARE(api_->get("/compute/jobs?fold=2").status, 422);
    QCOMPARE(api_->get("/compute/jobs/lsns?fold=all").status, 422);
    QCOMPARE(api_->get("/compute/jobs?fold=0").status, 200);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    FoldingTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_folding.moc"
