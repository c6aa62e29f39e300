// GET /metrics: every line is held against the text format, and the figures against what happened.
#include "core/launcher/launcher.h"
#include "tests/http/api_test.h"

#include "core/http/metrics_text.h"
#include "core/http/server.h"
#include "tests/http/ws_client.h"

#include <QFile>
#include <QObject>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace yard;
using namespace yard::http;

namespace {

/// The text format, line by line. Collects samples; the first breach of a rule is `problem`.
class Exposition {
public:
    explicit Exposition(const std::string& text) {
        if (!text.ends_with('\n')) complain("the last line has no end");
        for (const QString& line : QString::fromStdString(text).chopped(1).split('\n')) {
            line_ = line;
            if (line.startsWith("# HELP "))
                help(line);
            else if (line.startsWith("# TYPE "))
                type(line);
            else
                sample(line);
        }
        finishFamily();
    }
    QString problem;
    std::map<QString, double> samples; ///< "name{labels}" as written
    double value(const char* name) const {
        const auto at = samples.find(QString("yardmaster_") + name);
        return at == samples.end() ? -1 : at->second;
    }

private:
    void complain(const QString& what) {
        if (problem.isEmpty()) problem = what + ": " + line_;
    }
    void help(const QString& line) {
        finishFamily();
        static const QRegularExpression form(R"(^# HELP (yardmaster_[a-z0-9_]+) ([A-Z0-9][^\\]*\.)$)");
        const auto match = form.match(line);
        if (!match.hasMatch()) return complain("no HELP");
        family_ = match.captured(1);
        type_.clear();
        if (!families_.insert(family_).second) complain("a family comes twice");
    }
    void type(const QString& line) {
        static const QRegularExpression form(R"(^# TYPE (\S+) (counter|gauge|histogram)$)");
        const auto match = form.match(line);
        if (!match.hasMatch() || match.captured(1) != family_ || !type_.isEmpty()) return complain("no TYPE of it");
        type_ = match.captured(2);
        if ((type_ == "counter") != family_.endsWith("_total")) complain("only what grows is a total");
        if (type_ == "histogram" && !family_.endsWith("_seconds")) complain("durations are in seconds");
    }
    void sample(const QString& line) {
        static const QRegularExpression form(
            R"re(^([a-z0-9_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+\})? (\S+)$)re");
        const auto match = form.match(line);
        if (!match.hasMatch() || match.captured(2).endsWith(",}")) return complain("no sample");
        if (type_.isEmpty()) return complain("no HELP and TYPE before it");
        bool isNumber = false;
        const double value = match.captured(3).toDouble(&isNumber);
        if (!isNumber || value < 0) return complain("no value");
        if (!samples.emplace(match.captured(1) + match.captured(2), value).second) complain("a sample comes twice");
        const QString suffix = match.captured(1).mid(family_.size());
        if (!match.captured(1).startsWith(family_)) return complain("of another family");
        if (type_ != "histogram" && !suffix.isEmpty()) return complain("of another family");
        if (type_ == "histogram") part(suffix, match.captured(2), value);
    }
    void part(const QString& suffix, const QString& labels, double value) {
        if (suffix == "_bucket") {
            if (value < lastBucket_) complain("buckets go down");
            lastBucket_ = value;
            infinite_ = labels == R"({le="+Inf"})" ? value : -1;
        } else if (suffix == "_count") {
            if (infinite_ != value) complain("the last bucket is not the count");
            counted_ = true;
        } else if (suffix != "_sum") {
            complain("no part of a histogram");
        }
    }
    void finishFamily() {
        if (type_ == "histogram" && !counted_) complain("a histogram without a count");
        lastBucket_ = infinite_ = -1;
        counted_ = false;
    }
    QString line_, family_, type_;
    std::set<QString> families_;
    double lastBucket_ = -1;
    double infinite_ = -1;
    bool counted_ = false;
};

} // namespace

class MetricsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyLineIsOfTheTextFormat();
    void figuresSayWhatHappened();
    void attemptsCountOnceTheyStart();
    void specsAreKeptOnlyOfWhatIsPending();
    void theServerAndWatchersHaveFigures();
    void manyQueuesAreSummedUp();
    void objectsHaveFiguresByTypeAndStatus();
    void manyTypesAreSummedUp();
    void hooksHaveFiguresWhereThereAreSome();
    void aLabelIsEscaped();
    void theCheckFindsWhatIsWrong_data();
    void theCheckFindsWhatIsWrong();
    void figuresOfAProcessAreAbsentWhereTheyCannotBeRead();
    void promtoolIsContent();
};

void MetricsTest::everyLineIsOfTheTextFormat() {
    ApiTest api;
    const Reply reply = api.get("/metrics");
    QCOMPARE(reply.status, 200);
    QCOMPARE(reply.contentType, std::string("text/plain; version=0.0.4; charset=utf-8"));
    QCOMPARE(Exposition(reply.body).problem, QString());
    QCOMPARE(api.get("/metrics?all=1").status, 400);
    QCOMPARE(api.call("GET", "/metrics", {}, {{"Authorization", "Bearer wrong"}}).status, 401);
}

void MetricsTest::figuresSayWhatHappened() {
    ApiTest api;
    api.call("PATCH", "/compute/queues/0", R"({"config":{"max_retries":0}})");
    for (const char* script : {"exit 0", "exit 5", "head -c 100000 /dev/urandom"})
        api.engine.wait(Lsn(api.sh(script)));
    api.sh("true", R"(,"hold":true)");
    const Exposition metrics(api.get("/metrics").body);
    QCOMPARE(metrics.problem, QString());
    QCOMPARE(metrics.value("actions_submitted_total"), 4.0);
    QVERIFY(metrics.value("memory_bytes{subsystem=\"cooperative threads\"}") > 1e3);
    QVERIFY(metrics.value("memory_bytes{subsystem=\"journal\"}") > 1e3);
    QCOMPARE(metrics.value("actions_finished_total{state=\"completed\",reason=\"none\"}"), 2.0);
    QCOMPARE(metrics.value("actions_finished_total{state=\"failed\",reason=\"exit_code\"}"), 1.0);
    QCOMPARE(metrics.value("actions{state=\"pending\"}"), 1.0);
    QCOMPARE(metrics.value("actions_held"), 1.0);
    QCOMPARE(metrics.value("queue_actions{queue=\"0\",state=\"pending\"}"), 1.0);
    QCOMPARE(metrics.value("attempts_started_total"), 3.0);
    QCOMPARE(metrics.value("run_duration_seconds_count"), 3.0);
    QCOMPARE(metrics.value("submit_duration_seconds_count"), 4.0);
    QCOMPARE(metrics.value("commit_duration_seconds_count"), 3.0);
    QCOMPARE(metrics.value("session_state{state=\"ready\"}"), 1.0);
    QCOMPARE(metrics.value("session_state{state=\"paused\"}"), 0.0);
    QVERIFY(metrics.value("journal_groups_total") > 0 && metrics.value("journal_writable") == 1.0);
    QVERIFY(metrics.value("journal_size_bytes{file=\"database\"}") > 0);
    QCOMPARE(metrics.value("chunks_written_total{kept=\"file\"}"), 1.0);
    QVERIFY(metrics.value("chunks_written_bytes_total{kept=\"file\"}") >= 100'000.0);
    QVERIFY(metrics.value("process_resident_memory_bytes") > 1e6 && metrics.value("process_open_fds") > 3);
    QVERIFY(metrics.value("data_free_bytes") > 0);
}

void MetricsTest::attemptsCountOnceTheyStart() {
    ApiTest api;
    const auto started = [&] { return Exposition(api.get("/metrics").body).value("attempts_started_total"); };
    QCOMPARE(started(), 0.0);
    const std::string job = fmt::format("/compute/jobs/{}", api.sh("sleep 100"));
    QTRY_COMPARE_WITH_TIMEOUT(api.get(job).text("state"), std::string("running"), kWaitMs);
    QCOMPARE(started(), 1.0);
    QCOMPARE(api.post(job + "/cancel").status, 200);
    QCOMPARE(api.get(job + "?wait=60").text("state"), std::string("cancelled"));
    QCOMPARE(started(), 1.0); // its end counts no second one
}

void MetricsTest::specsAreKeptOnlyOfWhatIsPending() {
    ApiTest api;
    const auto kept = [&] { return Exposition(api.get("/metrics").body).value("spec_cache_bytes"); };
    const std::int64_t held = api.sh("true", R"(,"hold":true)");
    const std::int64_t other = api.sh("true", R"(,"hold":true)");
    const double both = kept();
    QVERIFY(both > 0);
    QCOMPARE(api.post(fmt::format("/compute/jobs/{}/cancel", held)).status, 200);
    QCOMPARE(api.get(fmt::format("/compute/jobs/{}?wait=60", held)).text("state"), std::string("cancelled"));
    QCOMPARE(kept(), both / 2);
    QCOMPARE(api.post(fmt::format("/compute/jobs/{}/release", other)).status, 200);
    QCOMPARE(api.get(fmt::format("/compute/jobs/{}?wait=60", other)).text("state"), std::string("completed"));
    QCOMPARE(kept(), 0.0);
    const std::int64_t running = api.sh("sleep 100");
    QVERIFY(test::EngineTest::eventually(
        [&] { return api.get(fmt::format("/compute/jobs/{}", running)).text("state") == "running"; }));
    QCOMPARE(api.post(fmt::format("/compute/jobs/{}/cancel", running)).status, 200);
    QCOMPARE(api.get(fmt::format("/compute/jobs/{}?wait=60", running)).text("state"), std::string("cancelled"));
    QCOMPARE(kept(), 0.0);
}

void MetricsTest::theServerAndWatchersHaveFigures() {
    test::EngineTest engine;
    Api api(*engine, {});
    auto server = Server::start({"127.0.0.1", 0}, api);
    QVERIFY(server.has_value());
    api.showServer(**server);
    WsClient watcher((*server)->port(), engine->token());
    watcher.next();
    watcher.next();
    watcher.send(R"({"watch":{"finished":true}})");
    QVERIFY(watcher.nextUntil([](const boost::json::object& frame) { return frame.contains("watch"); }));
    RawClient client((*server)->port());
    client.send(WsClient::request((*server)->port(), engine->token(), "/metrics", {{"Upgrade", ""}}));
    const Exposition metrics(client.receive().body);
    QCOMPARE(metrics.problem, QString());
    QCOMPARE(metrics.value("http_connections"), 2.0);
    QCOMPARE(metrics.value("http_connections_accepted_total"), 2.0);
    QCOMPARE(metrics.value("event_watchers"), 1.0);
    QCOMPARE(metrics.value("event_messages_total"), 1.0);
    QVERIFY(metrics.value("event_frames_written_total") >= 2);
    (*server)->stop();
}

void MetricsTest::manyQueuesAreSummedUp() {
    engine::MetricsView view;
    for (int i = 0; i < 300; ++i) view.queues.push_back({QueueId(i), i % 2 == 1 ? 3 : 0, i % 2 == 1 ? 1 : 0});
    const EventCounters events;
    AllFigures figures{.engine = view, .events = events, .chunks = {}, .process = {}, .server = {}};
    Exposition few(metricsText(figures));
    QCOMPARE(few.problem, QString());
    QCOMPARE(few.value("queue_actions{queue=\"1\",state=\"pending\"}"), 3.0);
    QCOMPARE(few.value("queue_actions{queue=\"2\",state=\"pending\"}"), -1.0); // idle
    QCOMPARE(few.value("queue_actions{queue=\"other\",state=\"pending\"}"), -1.0);
    for (int i = 300; i < 400; ++i) view.queues.push_back({QueueId(i), 2, 0});
    Exposition many(metricsText(figures));
    QCOMPARE(many.problem, QString());
    QCOMPARE(many.value("queues"), 400.0);
    // Queue 0 and 150 with work, then 49 of the last hundred.
    QCOMPARE(many.value("queue_actions{queue=\"other\",state=\"pending\"}"), 102.0);
    QCOMPARE(many.value("queue_actions{queue=\"other\",state=\"running\"}"), 0.0);
}

void MetricsTest::objectsHaveFiguresByTypeAndStatus() {
    ApiTest api;
    const char* type = R"({"name":"page","states":{"queued":{"initial":true},"sealed":{"final":true}},)"
                       R"("transitions":[{"from":"queued","to":"sealed"}],"actor":{"worker":"nobody"}})";
    QCOMPARE(api.post("/compute/types", type).status, 200);
    for (int i = 0; i < 3; ++i) QCOMPARE(api.post("/compute/objects", R"({"type":"page"})").status, 200);
    QCOMPARE(api.post("/compute/objects/1/move", R"({"to":"sealed"})").status, 200);
    const auto metrics = [&] { return Exposition(api.get("/metrics").body); };
    // Their worker is not there: a pass finds that out.
    QTRY_COMPARE_WITH_TIMEOUT(metrics().value("objects_orphaned"), 2.0, kWaitMs);
    const Exposition now = metrics();
    QCOMPARE(now.problem, QString());
    QCOMPARE(now.value("objects{type=\"page\",status=\"queued\"}"), 2.0);
    QCOMPARE(now.value("objects{type=\"page\",status=\"sealed\"}"), 1.0);
    QCOMPARE(now.value("objects_due{type=\"page\"}"), 0.0); // no actor has them in its queue
    QCOMPARE(now.value("object_actors{type=\"page\"}"), 0.0);
    QCOMPARE(now.value("objects_stuck"), 0.0);
    QCOMPARE(now.value("object_effects_waiting"), 0.0);
    QCOMPARE(now.value("hook_runs_total{hook=\"page_created\",kind=\"program\"}"), -1.0);
}

void MetricsTest::manyTypesAreSummedUp() {
    engine::MetricsView view;
    view.objects.effects = 7;
    for (int i = 0; i < 103; ++i)
        view.objects.types.push_back(
            {.name = fmt::format("t{}", i), .byStatus = {{"a", 2}, {"b", 1}}, .due = 2, .actors = 1});
    const EventCounters events;
    const Exposition metrics(
        metricsText({.engine = view, .events = events, .chunks = {}, .process = {}, .server = {}}));
    QCOMPARE(metrics.problem, QString());
    QCOMPARE(metrics.value("objects{type=\"t99\",status=\"a\"}"), 2.0);
    QCOMPARE(metrics.value("objects{type=\"t100\",status=\"a\"}"), -1.0);
    QCOMPARE(metrics.value("objects{beyond=\"100\"}"), 9.0);
    QCOMPARE(metrics.value("objects_due{beyond=\"100\"}"), 6.0);
    QCOMPARE(metrics.value("object_actors{beyond=\"100\"}"), 3.0);
    QCOMPARE(metrics.value("object_effects_waiting"), 7.0);
}

void MetricsTest::hooksHaveFiguresWhereThereAreSome() {
    engine::MetricsView view;
    view.objects.hooks.push_back({.name = "page_*", .kind = "program", .runs = 5, .failed = 2, .dropped = 1});
    const EventCounters events;
    const Exposition metrics(
        metricsText({.engine = view, .events = events, .chunks = {}, .process = {}, .server = {}}));
    QCOMPARE(metrics.problem, QString());
    QCOMPARE(metrics.value("hook_runs_total{hook=\"page_*\",kind=\"program\"}"), 5.0);
    QCOMPARE(metrics.value("hook_failures_total{hook=\"page_*\",kind=\"program\"}"), 2.0);
    QCOMPARE(metrics.value("hook_events_dropped_total{hook=\"page_*\",kind=\"program\"}"), 1.0);
}

void MetricsTest::aLabelIsEscaped() {
    MetricsWriter writer;
    writer.family("things", MetricKind::Gauge, "Things.");
    writer.sample(1.5, {{"what", "a \"b\" \\ c\nd"}, {"more", "x"}});
    const std::string text = writer.take();
    QCOMPARE(text, std::string("# HELP yardmaster_things Things.\n# TYPE yardmaster_things gauge\n"
                               "yardmaster_things{what=\"a \\\"b\\\" \\\\ c\\nd\",more=\"x\"} 1.5\n"));
    QCOMPARE(Exposition(text).problem, QString());
}

void MetricsTest::theCheckFindsWhatIsWrong_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const char* text) { QTest::newRow(name) << QByteArray(text); };
    const auto head = [](const char* rest) {
        return QByteArray("# HELP yardmaster_a A.\n# TYPE yardmaster_a ") + rest;
    };
    row("no end of line", "# HELP yardmaster_a A.");
    row("no help", "yardmaster_a 1\n");
    row("help without a sentence", "# HELP yardmaster_a a\n");
    row("another prefix", "# HELP a A.\n");
    QTest::newRow("an unknown type") << head("number\nyardmaster_a 1\n");
    QTest::newRow("a counter that is no total") << head("counter\nyardmaster_a 1\n");
    QTest::newRow("another family") << head("gauge\nyardmaster_b 1\n");
    QTest::newRow("no value") << head("gauge\nyardmaster_a one\n");
    QTest::newRow("twice the same") << head("gauge\nyardmaster_a 1\nyardmaster_a 2\n");
    QTest::newRow("an open label") << head("gauge\nyardmaster_a{b=\"c} 1\n");
    QTest::newRow("an empty line") << head("gauge\n\nyardmaster_a 1\n");
    row("buckets that go down",
        "# HELP yardmaster_a_seconds A.\n# TYPE yardmaster_a_seconds histogram\n"
        "yardmaster_a_seconds_bucket{le=\"1\"} 2\nyardmaster_a_seconds_bucket{le=\"+Inf\"} 1\n"
        "yardmaster_a_seconds_sum 1\nyardmaster_a_seconds_count 1\n");
    row("a count that differs", "# HELP yardmaster_a_seconds A.\n# TYPE yardmaster_a_seconds histogram\n"
                                "yardmaster_a_seconds_bucket{le=\"+Inf\"} 1\nyardmaster_a_seconds_count 2\n");
    row("no count", "# HELP yardmaster_a_seconds A.\n# TYPE yardmaster_a_seconds histogram\n"
                    "yardmaster_a_seconds_bucket{le=\"+Inf\"} 1\n");
}

void MetricsTest::theCheckFindsWhatIsWrong() {
    QFETCH(QByteArray, text);
    QVERIFY(!Exposition(text.toStdString()).problem.isEmpty());
}

void MetricsTest::figuresOfAProcessAreAbsentWhereTheyCannotBeRead() {
    const ProcessFigures nowhere = processFigures("/nowhere/at/all");
    QVERIFY(nowhere.cpuSeconds > 0 && nowhere.residentBytes && nowhere.openFiles);
    QVERIFY(!nowhere.journalBytes && !nowhere.walBytes && !nowhere.freeBytes);
    const engine::MetricsView view;
    const EventCounters events;
    const Exposition metrics(
        metricsText({.engine = view, .events = events, .chunks = {}, .process = {}, .server = {}}));
    QCOMPARE(metrics.problem, QString());
    QCOMPARE(metrics.value("process_open_fds"), -1.0);
    QCOMPARE(metrics.value("data_free_bytes"), -1.0);
}

void MetricsTest::promtoolIsContent() {
    if (QStandardPaths::findExecutable("promtool").isEmpty())
        QSKIP("promtool (Debian: prometheus) is not installed");
    ApiTest api;
    api.engine.wait(Lsn(api.sh("true")));
    const std::string path = api.engine.path("metrics.txt");
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(api.get("/metrics").body));
    file.close();
    std::FILE* check = ::popen(("promtool check metrics < '" + path + "' 2>&1").c_str(), "re");
    QVERIFY(check);
    std::string said;
    char buffer[4096];
    while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, check)) said.append(buffer, n);
    const int code = ::pclose(check);
    QCOMPARE(said, std::string());
    QCOMPARE(code, 0);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    MetricsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_metrics.moc"
