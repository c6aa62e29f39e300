// What yardctl draws of characters: sparklines, lanes, the table of top.
#include "app/yardctl/charts.h"
#include "app/yardctl/format.h"
#include "app/yardctl/top_view.h"

#include <QTest>
#include <algorithm>
#include <boost/json.hpp>

using namespace yard;
using namespace yard::ctl;

namespace {

json::object parsed(std::string_view text) {
    return json::parse(text).as_object();
}

} // namespace

class TestYardctlPictures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSparklineHasTheLargestOfEachColumn();
    void aLaneShowsTheWorstOfEachColumn();
    void topFitsTheTerminal();
    void topShowsTheBusiestQueuesFirst();
    void topShowsWhatIsUsedAndWhenItEnds();
};

void TestYardctlPictures::aSparklineHasTheLargestOfEachColumn() {
    using Values = std::vector<std::optional<double>>;
    QCOMPARE(sparkline(Values{}, 1, 10), "");
    QCOMPARE(sparkline(Values{0, 4, 8}, 8, 10), "▁▅█");
    QCOMPARE(sparkline(Values{1, 8, {}, {}, 2, 0}, 8, 3), "█ ▃");
    QCOMPARE(sparkline(Values{0, 0}, 0, 10), "▁▁");
}
void TestYardctlPictures::aLaneShowsTheWorstOfEachColumn() {
    LanePicture lane(1'000, 2'000, 10);
    lane.mark(1'000, 1'500, laneLetter("completed"));
    lane.mark(1'200, 1'201, laneLetter("failed"));
    lane.mark(1'210, 1'390, laneLetter("completed"));
    lane.mark(1'900, 9'000, laneLetter("running"));
    lane.mark(0, 999, laneLetter("failed"));
    lane.mark(2'000, 3'000, laneLetter("failed"));
    QCOMPARE(lane.text(), "==F==    .");
    LanePicture instant(1'000, 1'000, 0);
    instant.mark(1'000, 1'000, laneLetter("retry"));
    QCOMPARE(instant.text(), "r");
}
void TestYardctlPictures::topFitsTheTerminal() {
    TopPicture picture;
    picture.session = parsed(R"({"state":"ready","machine":{"name":"desk"},"capacity":2,
        "counts":{"running":1,"submitting":1,"pending":40,"completed":7,"failed":1}})");
    json::array queues;
    json::array jobs;
    for (int i = 0; i < 50; ++i) {
        queues.push_back(json::object{{"queue_id", i}, {"state", "active"}, {"pending", 50 - i}, {"tag", "a tag"}});
        jobs.push_back(
            json::object{{"lsn", i + 1}, {"state", "running"}, {"label", "a very long label of an action"}});
    }
    picture.queues["queues"] = queues;
    picture.running["jobs"] = jobs;
    QVERIFY(topText(picture, {})
                .starts_with("yardmaster ready on desk, 2 running, 40 pending, 7 completed, 1 failed, "
                             "capacity 2\n\n"));
    for (const std::size_t rows : {1, 3, 8, 24, 60})
        for (const std::size_t columns : {1, 20, 80, 300}) {
            const std::string text = topText(picture, {.columns = columns, .rows = rows});
            QVERIFY(std::size_t(std::ranges::count(text, '\n')) <= rows);
            for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
                QVERIFY(displayWidth(text.substr(at, text.find('\n', at) - at)) <= columns);
        }
    const std::string usual = topText(picture, {.columns = 100, .rows = 24});
    QVERIFY(usual.find("and 42 more") != std::string::npos);
    QVERIFY(usual.find("a very long label") != std::string::npos);
}
void TestYardctlPictures::topShowsTheBusiestQueuesFirst() {
    TopPicture picture;
    picture.trouble = "no answer";
    picture.queues = parsed(R"({"queues":[{"queue_id":0,"state":"active"},
        {"queue_id":3,"state":"draining","held":true,"running":1,"tag":"x\u001b[2J"},{"queue_id":4,"pending":1}]})");
    QCOMPARE(topText(picture, {}),
             "yardmaster , 0 running, 0 pending, 0 completed, 0 failed\n" // no rate is known
             "no answer\n"
             "QUEUE  STATE           RUNNING  PENDING  COMPLETED  FAILED  PER MIN  FINISH IN  TAG\n"
             "    3  draining, held        1        0          0       0        -          -  x?[2J\n"
             "    4                        0        1          0       0        -          -\n"
             "    0  active                0        0          0       0        -          -\n"
             "\n"
             "Nothing is running.\n");
}
void TestYardctlPictures::topShowsWhatIsUsedAndWhenItEnds() {
    TopPicture picture;
    picture.now = 1'000'000'000;
    picture.queues = parsed(R"({"queues":[
        {"queue_id":1,"state":"active","pending":9,"per_minute":40,"estimate":{"finish":1003000000}},
        {"queue_id":2,"state":"active","pending":8,"per_minute":2,"estimate":{"unknown":"waits_for_unknown"}}]})");
    picture.running = parsed(R"({"jobs":[
        {"lsn":7,"state":"running","label":"a","estimate":{"unknown":"overdue"},"cpu_seconds":3.0,
         "max_rss_bytes":2000000,"usage":{"t":1,"cpu_percent":97.6,"rss_bytes":1000000}},
        {"lsn":8,"state":"running","label":"b"}]})");
    QCOMPARE(topText(picture, {}),
             "yardmaster , 0 running, 0 pending, 0 completed, 0 failed, 42 per minute\n"
             "\n"
             "QUEUE  STATE   RUNNING  PENDING  COMPLETED  FAILED  PER MIN          FINISH IN  TAG\n"
             "    1  active        0        9          0       0       40              3.0 s\n"
             "    2  active        0        8          0       0        2  waits for unknown\n"
             "\n"
             "LSN  STATE             QUEUE  TIME  LOAD    CPU   MEMORY  WHAT  NOTE\n"
             "  7  running: overdue      0     -  98 %  3.0 s  2.00 MB  a\n"
             "  8  running               0     -     -      -        -  b\n");
}

QTEST_APPLESS_MAIN(TestYardctlPictures)
#include "tst_yardctl_pictures.moc"
