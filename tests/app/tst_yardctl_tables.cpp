// The tables of yardctl: columns by name, and how they fit a terminal.
#include "app/yardctl/action_view.h"
#include "app/yardctl/columns.h"
#include "app/yardctl/format.h"
#include "core/model/sort.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/app/terminal_process.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

using namespace yard;
using namespace yard::test;

class TestYardctlTables : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void columnsAreChosenByName();
    void arraysAndListsAreOneRowEach();
    void aQueueThatDoesNotExistIsNamed();
    void aRangeThatEndsBeforeItBeginsIsRefused();
    void countsAreATableForEachFacet();
    void countsThatAreBoundsSaySo();
    void countsOfNothingSaySo();
    void optionsOfListsAreNotForCounts();
    void aWrongColumnGetsTheNearest();
    void whatCanBeSortedByIsAColumn();
    void columnsComeInTheirOrder();
    void whatWasPutBackWaitsSinceThen();
    void someColumnsGoThenSomeAreCut();
    void theWidestIsCutFirst();
    void aTableFitsItsTerminal_data();
    void aTableFitsItsTerminal();
    void picturesFitTheirTerminal();
    void columnsOfTheEnvironmentCount();
    void intoAPipeNothingIsCut();
    void wideAndCombiningCharactersKeepTheirColumns();
};

namespace {

const std::string kLong = "make -j4 " + std::string(200, 'x') + " end";

/// A list of two, with long names and a note; queues, settings, locks and workers.
FakeServer::Handler engine() {
    const std::string jobs = fmt::format(
        R"({{"jobs":[{{"lsn":12,"state":"failed","reason":"exit_code","exit_code":3,"queue_id":7,"worker_name":"exec",
            "name":"{}","note":"error: {}","retry_count":1,"cpu_seconds":1.5,"max_rss_bytes":4200000,"label":"night job",
            "timestamps":{{"new":1000000,"submitting":3000000,"running":4000000,"exited":6000000,"failed":7000000}}}},
           {{"lsn":5,"state":"pending","held":true,"queue_id":0,"name":"b"}}]}})",
        kLong, std::string(90, 'y'));
    const std::string queues = fmt::format(
        R"({{"queues":[{{"queue_id":0,"tag":"{}","state":"active","pending":1000000,"completed":12345678}}]}})",
        std::string(60, 't'));
    const std::string settings = fmt::format(
        R"({{"log_level":"info","grace_s":2,"about":{{"log_level":{{"words":["debug","info","warning","error"],
            "default":"info","applies":"at_once","help":"{}"}},"grace_s":{{"least":0,"most":3600,"unit":"seconds",
            "default":2,"applies":"at_start","help":"How long."}}}}}})",
        std::string(120, 'w'));
    const std::string locks = fmt::format(
        R"({{"locks":[{{"name":"{}","held_since":3000000,"holder":{{"lsn":12,"pid":4711,"data_dir":"/{}"}},
            "waiting":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25]}}]}})",
        std::string(40, 'l'), std::string(60, 'd'));
    const std::string workers = fmt::format(
        R"({{"workers":[{{"id":"{}","name":"{}","version":"1","mode":"warm","platform":"linux-x86_64",
            "functions":[{{"name":"{}","version":"1"}}]}}]}})",
        std::string(64, 'a'), std::string(30, 'n'), std::string(60, 'f'));
    return [=](const FakeRequest& request) -> FakeReply {
        if (request.target.starts_with("/compute/locks")) return {.body = locks};
        if (request.target.starts_with("/compute/workers")) return {.body = workers};
        if (request.target == "/compute/queues") return {.body = queues};
        if (request.target == "/compute/settings") return {.body = settings};
        if (request.target.starts_with("/compute/stats"))
            return {.body =
                        R"({"resolution":2,"t":[1000000,3000000],"series":{"cpu_actions":[1,2],"running":[3,4]}})"};
        if (request.target.starts_with("/compute/accounting"))
            return {.body = fmt::format(R"({{"from":0,"to":9000000,"retired":0,"rows":[{{"key":"{}","actions":2,
                "core_seconds":36000,"wasted_core_seconds":3600}}]}})",
                                        std::string(40, 'k'))};
        if (request.target.starts_with("/compute/timelines"))
            return {.body = R"({"from":0,"to":9000000,"resolution":1,"workers":[{"worker_name":"a long name of it",
                "lanes":[{"slot":0,"bars":[{"begin":1000000,"end":2000000,"state":"failed"}]}]}]})"};
        if (request.target.ends_with("/spec?element=1"))
            return {.body = fmt::format(R"({{"worker":"exec","argv":["{}"]}})", request.target)};
        if (request.target.ends_with("/compare?with=5"))
            return {.body = fmt::format(R"({{"a":{{"lsn":12}},"b":{{"lsn":5}},"differences":[
                {{"what":"spec","name":"argv","a":"{0}","b":"b"}},{{"what":"outcome","name":"state","a":"failed","b":"{0}"}},
                {{"what":"output","name":"stdout","a":"{0}","b":"{0}","line":1234}}]}})",
                                        std::string(90, 'w'))};
        if (request.target == "/compute/jobs/12")
            return {.body = R"({"lsn":12,"state":"failed","note":"it could not be done at all"})"};
        if (request.target == "/compute/jobs/5") return {.body = R"({"lsn":5,"state":"completed"})"};
        return {.body = jobs};
    };
}

/// The lines of what a terminal of so many columns shows.
std::vector<std::string> shownLines(std::vector<std::string> words, unsigned short columns, int& code) {
    TerminalProcess process(std::move(words), 24, columns);
    code = process.end();
    std::vector<std::string> lines;
    for (const QByteArray& line : QByteArray::fromStdString(process.shown()).split('\n'))
        lines.push_back(line.trimmed().toStdString());
    return lines;
}

std::vector<std::string> command(const DataDirectory& data, const std::vector<std::string>& words) {
    std::vector<std::string> all{YARDCTL_PATH, "--data-dir", data.path().toStdString()};
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

} // namespace

void TestYardctlTables::columnsAreChosenByName() {
    FakeServer server(engine());
    const DataDirectory data(server);
    const Ended ended =
        data.run({"ls", "--columns", "name,lsn,exit,queue_id,runtime,waited,tries,mem,label,held,signal,worker"});
    QCOMPARE(ended.err, "");
    const auto padded = [](std::string_view name) { return fmt::format("{:<{}}", name, kLong.size()); };
    const std::string expected =
        padded("WHAT") + "  LSN  EXIT  QUEUE   TIME  WAITED  TRIES   MEMORY  LABEL      HELD  SIGNAL  WORKER\n" +
        padded(kLong) + "   12     3      7  2.0 s   2.0 s      2  4.20 MB  night job  -     -       exec\n" +
        padded("b") + "    5     -      0      -       -      0        -  -          yes   -       -\n";
    QVERIFY2(ended.out == expected, ended.out.c_str());
}

void TestYardctlTables::arraysAndListsAreOneRowEach() {
    constexpr const char* kRows = R"({"jobs":[
        {"lsn":415,"state":"pending","held":true,"queue_id":7,"name":"sh","index":4},
        {"lsn":414,"state":"completed","queue_id":7,"name":"second","note":"of one of them",
         "fold":{"first":413,"count":2,"kind":"list","name":"make all","started":1000000},"states":{"completed":2}},
        {"lsn":411,"state":"pending","held":true,"queue_id":7,"name":"cliff_399","index":399,
         "fold":{"first":12,"count":400,"kind":"array","name":"cliff_{index}",
                 "failure":{"line":"error: no room","count":9}},
         "states":{"pending":31,"running":3,"completed":352,"failed":11,"abandoned":1,"held":31}},
        {"lsn":11,"state":"pending","held":true,"queue_id":7,"name":"x","note":"after 3",
         "fold":{"first":10,"count":2,"kind":"list","name":"x"},"states":{"pending":2,"held":2}}]})";
    FakeServer server(table({{"GET /compute/jobs?limit=100&state=failed&fold=1", {.body = kRows}},
                             {"GET /compute/jobs?limit=100&fold=1", {.body = R"({"jobs":[]})"}}}));
    const DataDirectory data(server);
    const Ended ended =
        data.run({"ls", "--fold", "--columns", "lsn,state,index,done,failed,name,note", "state:failed"});
    QCOMPARE(ended.err, "");
    const std::string expected =
        "     LSN  STATE          INDEX        DONE  FAILED  WHAT                  NOTE\n"
        "     415  pending: held      4           -       -  sh\n"
        "413..414  completed          -      2 of 2       0  make all and 1 other  of one of them\n"
        " 12..411  running            -  366 of 400      12  cliff_{index}         9 x error: no room\n"
        "  10..11  pending: held      -      0 of 2       0  x and 1 other         after 3\n";
    QVERIFY2(ended.out == expected, ended.out.c_str());
    const std::string usual = data.run({"ls", "--fold", "state:failed"}).out;
    QVERIFY2(usual.contains("INDEX") && usual.contains("DONE") && usual.contains("FAILED"), usual.c_str());
    QCOMPARE(data.run({"ls", "--fold"}).err, "There are no actions.\n");
}

void TestYardctlTables::aQueueThatDoesNotExistIsNamed() {
    FakeServer server(table({{"GET /compute/jobs?limit=100&q=queue%3Anope", {.body = R"({"jobs":[]})"}},
                             {"GET /compute/jobs?limit=100&queue=7", {.body = R"({"jobs":[]})"}},
                             {"GET /compute/queues", {.body = R"({"queues":[{"queue_id":7,"tag":"nightly"}]})"}},
                             {"GET /compute/queues/7", {.body = R"({"queue_id":7})"}}}));
    const DataDirectory data(server);
    const Ended unknown = data.run({"ls", "queue:nope"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.err.contains("no queue") && unknown.err.contains("nope"), unknown.err.c_str());
    QCOMPARE(data.run({"ls", "queue:7"}).err, "No action matches.\n");
    QCOMPARE(data.run({"ls", "--queue", "nightly"}).err, "No action matches.\n"); // by its tag
}

void TestYardctlTables::countsAreATableForEachFacet() {
    const std::string counts = R"({"total":1015,"exact":true,"facets":{"state":{"failed":12,"completed":1003},)"
                               R"("label":{"night job":3,"tab\there":2}},"others":{"label":7}})";
    FakeServer server(table({
        {"GET /compute/jobs/facets?own=1&by=state%2Clabel&state=failed%2Ccompleted&queue=7", {.body = counts}},
    }));
    const DataDirectory data(server);
    const Ended ended =
        data.run({"ls", "--count-by", "state,label,state", "state:failed,completed", "--queue", "7"});
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.out, "STATE      COUNT\n"
                        "completed   1003\n"
                        "failed        12\n"
                        "\n"
                        "LABEL      COUNT\n"
                        "night job      3\n"
                        "tab?here       2\n"
                        "(others)       7\n");
    QCOMPARE(data.run({"--json", "ls", "--count-by", "state,label", "state:failed,completed", "--queue", "7"}).out,
             counts + "\n");
}

void TestYardctlTables::countsThatAreBoundsSaySo() {
    FakeServer server(table({{"GET /compute/jobs/facets?own=1&by=queue",
                              {.body = R"({"total":15,"exact":false,"facets":{"queue":{"0":12,"7":3}}})"}}}));
    QCOMPARE(DataDirectory(server).run({"ls", "--count-by", "queue"}).out, "QUEUE  COUNT\n"
                                                                           "0      >= 12\n"
                                                                           "7       >= 3\n");
}

void TestYardctlTables::countsOfNothingSaySo() {
    const FakeReply nothing{.body = R"({"total":0,"exact":true,"facets":{"state":{}}})"};
    FakeServer server(table({{"GET /compute/jobs/facets?own=1&by=state", nothing},
                             {"GET /compute/jobs/facets?own=1&by=state&q=failed", nothing},
                             {"GET /compute/jobs/facets?own=1&by=state&q=queue%3Anope", nothing},
                             {"GET /compute/queues", {.body = R"({"queues":[]})"}}}));
    const DataDirectory data(server);
    const Ended none = data.run({"ls", "--count-by", "state"});
    QCOMPARE(none.out, "");
    QCOMPARE(none.err, "There are no actions.\n");
    QCOMPARE(data.run({"ls", "--count-by", "state", "failed"}).err,
             "No action matches.\n'failed' is looked for in names, labels, functions and notes; 'yardctl ls "
             "state:failed' lists those in that state.\n");
    const Ended unknown = data.run({"ls", "--count-by", "state", "queue:nope"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(unknown.err.contains("nope"), unknown.err.c_str());
}

void TestYardctlTables::optionsOfListsAreNotForCounts() {
    FakeServer server(engine());
    const DataDirectory data(server);
    for (const char* option : {"--limit", "--sort", "--columns", "--fold"}) {
        const Ended ended = data.run({"ls", "--count-by", "state", option, "5"});
        QCOMPARE(ended.code, 2);
        QVERIFY2(ended.err.contains(option), ended.err.c_str());
    }
    const Ended colour = data.run({"ls", "--count-by", "state,colour"});
    QCOMPARE(colour.code, 2);
    QVERIFY2(colour.err.contains("\"colour\"; there are state, queue, worker, label, reason, machine"),
             colour.err.c_str());
    QVERIFY(server.requests().empty());
}

void TestYardctlTables::aRangeThatEndsBeforeItBeginsIsRefused() {
    FakeServer server(engine());
    const Ended ended = DataDirectory(server).run({"ls", "5..3"});
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains("'5..3'"), ended.err.c_str());
    QVERIFY(server.requests().empty());
}

void TestYardctlTables::aWrongColumnGetsTheNearest() {
    FakeServer server(engine());
    const DataDirectory data(server);
    const Ended near = data.run({"ls", "--columns", "lsn,naem"});
    QCOMPARE(near.code, 2);
    QCOMPARE(near.err, "yardctl: there is no column 'naem', did you mean 'name'?\n");
    const Ended far = data.run({"ls", "--columns", "lsn,colour"});
    QCOMPARE(far.code, 2);
    QVERIFY2(far.err.starts_with("yardctl: there is no column 'colour'; there are lsn, state, "), far.err.c_str());
    QCOMPARE(data.run({"ls", "--columns", "lsn,"}).code, 2);
    QCOMPARE(data.run({"--json", "ls", "--columns", "lsn"}).code, 2);
    QCOMPARE(server.lines().size(), 0);
}

/// One word means one thing everywhere.
void TestYardctlTables::whatCanBeSortedByIsAColumn() {
    for (const QString& field : QString::fromStdString(sortFieldNames()).split(", "))
        QVERIFY2(ctl::columnsNamed(field.toStdString()), field.toUtf8().constData());
    for (const char* key : {"cpu", "mem", "exit", "tries", "name", "note"}) QVERIFY2(ctl::columnsNamed(key), key);
    const std::string names = ctl::columnNames();
    QCOMPARE(ctl::columnsNamed(QString::fromStdString(names).replace(", ", ",").toStdString())->size(),
             ctl::actionColumns().size());
}

void TestYardctlTables::columnsComeInTheirOrder() {
    FakeServer server(engine());
    const DataDirectory data(server);
    const Ended usual = data.run({"ls"});
    QVERIFY2(usual.out.starts_with(" LSN  STATE") || usual.out.starts_with("LSN  STATE"), usual.out.c_str());
    const std::string head = usual.out.substr(0, usual.out.find('\n'));
    std::size_t at = 0;
    for (const char* column : {"LSN", "STATE", "QUEUE", "STARTED", "TIME", "CPU", "MEMORY", "WHAT", "NOTE"}) {
        at = head.find(column, at);
        QVERIFY2(at != std::string::npos, column);
    }
}

void TestYardctlTables::whatWasPutBackWaitsSinceThen() {
    const auto waited = [](const char* times, const char* state) {
        const auto action = boost::json::parse(fmt::format(R"({{"state":"{}","timestamps":{}}})", state, times));
        return ctl::waitedSeconds(action.as_object());
    };
    QCOMPARE(waited(R"({"new":1000000,"pending":1000000,"submitting":3000000})", "running"), 2.0);
    QCOMPARE(waited(R"({"new":1000000,"pending":90000000,"submitting":90500000})", "running"), 0.5);
    QCOMPARE(waited(R"({"new":1000000,"cancelled":5000000})", "cancelled"), 4.0);
    // Pending again: what it waited before its attempt is over.
    QVERIFY(waited(R"({"new":1000000,"pending":90000000,"submitting":3000000})", "pending") > 1'000'000.0);
    QVERIFY(!waited("{}", "pending"));
}

void TestYardctlTables::someColumnsGoThenSomeAreCut() {
    ctl::Table table(
        {{"LSN", true}, {"SPARE", false, ctl::kWhole, 2}, {"FIRST", false, ctl::kWhole, 1}, {"WHAT", false, 4}});
    table.add({"7", "s", "f", "abcdefgh"});
    QCOMPARE(table.text(26), "LSN  SPARE  FIRST  WHAT\n  7  s      f      abcdef…\n");
    QCOMPARE(table.text(22), "LSN  SPARE  WHAT\n  7  s      abcdefgh\n");
    QCOMPARE(table.text(17), "LSN  SPARE  WHAT\n  7  s      abcd…\n");
    QCOMPARE(table.text(15), "LSN  WHAT\n  7  abcdefgh\n");
    QCOMPARE(table.text(9), "LSN  WHAT\n  7  abc…\n");
    QCOMPARE(table.text(7), "LSN  W…\n  7  a…\n"); // nothing is left that could go
}

void TestYardctlTables::theWidestIsCutFirst() {
    ctl::Table table({{"A", false, 1}, {"B", false, 1}, {"C", false, 1}});
    table.add({"aaaaaaaaaa", "bbbbb", "cc"});
    QCOMPARE(table.text(18), "A        B      C\naaaaaa…  bbbbb  cc\n");
    QCOMPARE(table.text(14), "A     B     C\naaa…  bbb…  cc\n");
}

void TestYardctlTables::aTableFitsItsTerminal_data() {
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QByteArray>("column");
    QTest::addColumn<int>("lines"); ///< and one behind the last
    QTest::newRow("ls") << QByteArray("ls") << QByteArray("WHAT") << 4;
    QTest::newRow("queues") << QByteArray("queues") << QByteArray("PENDING") << 3;
    QTest::newRow("settings") << QByteArray("settings") << QByteArray("VALUE") << 4;
    QTest::newRow("locks") << QByteArray("locks") << QByteArray("WAITING") << 3;
    QTest::newRow("workers") << QByteArray("workers") << QByteArray("FUNCTIONS") << 3;
    QTest::newRow("compare") << QByteArray("compare 12 5") << QByteArray("WHAT") << 5;
}

void TestYardctlTables::aTableFitsItsTerminal() {
    QFETCH(QByteArray, command);
    QFETCH(QByteArray, column);
    QFETCH(int, lines);
    FakeServer server(engine());
    const DataDirectory data(server);
    std::vector<std::string> words;
    for (const QByteArray& word : command.split(' ')) words.push_back(word.toStdString());
    for (const unsigned short columns : std::to_array<unsigned short>({20, 40, 60, 80, 120})) {
        int code = -1;
        const auto shown = shownLines(::command(data, words), columns, code);
        QCOMPARE(code, 0);
        QCOMPARE(shown.size(), static_cast<std::size_t>(lines)); // as many as rows: none is wrapped
        for (const std::string& line : shown)
            QVERIFY2(ctl::displayWidth(line) <= columns, fmt::format("{}: {}", columns, line).c_str());
        if (columns > 20) QVERIFY2(shown.front().contains(column.toStdString()), shown.front().c_str());
    }
}

void TestYardctlTables::picturesFitTheirTerminal() {
    FakeServer server(engine());
    const DataDirectory data(server);
    for (const char* command : {"stats", "timeline", "usage"})
        for (const unsigned short columns : std::to_array<unsigned short>({20, 40, 60, 120})) {
            int code = -1;
            const auto shown = shownLines(::command(data, {command}), columns, code);
            QCOMPARE(code, 0);
            QVERIFY(shown.size() > 2);
            for (const std::string& line : std::span(shown).subspan(1)) // below a sentence
                QVERIFY2(ctl::displayWidth(line) <= columns, fmt::format("{}: {}", columns, line).c_str());
        }
}

void TestYardctlTables::columnsOfTheEnvironmentCount() {
    FakeServer server(engine());
    const DataDirectory data(server);
    std::vector<std::string> words{"/usr/bin/env", "COLUMNS=50"};
    for (std::string& word : command(data, {"ls", "--columns", "lsn,note,name"})) words.push_back(std::move(word));
    int code = -1;
    const auto lines = shownLines(words, 200, code);
    QCOMPARE(code, 0);
    QVERIFY2(lines.at(0).starts_with("LSN  NOTE"), lines.at(0).c_str());
    QCOMPARE(ctl::displayWidth(lines.at(1)), 50U - 1); // " 12" without its first blank
    words[1] = "COLUMNS=wide";                         // is no width
    const auto others = shownLines(words, 60, code);
    QCOMPARE(ctl::displayWidth(others.at(1)), 60U - 1);
}

void TestYardctlTables::intoAPipeNothingIsCut() {
    FakeServer server(engine());
    const DataDirectory data(server);
    qputenv("COLUMNS", "40");
    const Ended list = data.run({"ls"});
    const Ended queues = data.run({"queues"});
    const Ended settings = data.run({"settings"});
    qunsetenv("COLUMNS");
    QVERIFY2(list.out.contains(kLong) && list.out.contains(std::string(90, 'y')), list.out.c_str());
    QVERIFY2(queues.out.contains(std::string(60, 't')), queues.out.c_str());
    QVERIFY2(settings.out.contains(std::string(120, 'w')), settings.out.c_str());
}

void TestYardctlTables::wideAndCombiningCharactersKeepTheirColumns() {
    QCOMPARE(ctl::displayWidth("größer"), 6U);
    QCOMPARE(ctl::displayWidth("漢字"), 4U);
    QCOMPARE(ctl::displayWidth("한글"), 4U);
    QCOMPARE(ctl::displayWidth("🚀 go"), 5U);
    QCOMPARE(ctl::displayWidth("e\u0301t\u200b"), 2U); // an accent of its own, a space without width
    QCOMPARE(ctl::displayWidth("a\xff"), 2U);          // what is no UTF-8
    QCOMPARE(ctl::fitted("漢字漢字", 8), "漢字漢字");
    QCOMPARE(ctl::fitted("漢字漢字", 5), "漢字…");
    QCOMPARE(ctl::fitted("漢字漢字", 4), "漢…"); // no half of a character
    QCOMPARE(ctl::fitted("e\u0301e\u0301e\u0301", 2), "e\u0301…");
    ctl::Table table({{"NAME", false, 4}, {"N", true}});
    table.add({"漢字", "1"});
    table.add({"night", "22"});
    table.add({"e\u0301te\u0301", "3"});
    QCOMPARE(table.text(std::nullopt), "NAME    N\n漢字    1\nnight  22\ne\u0301te\u0301     3\n");
    QCOMPARE(table.text(8), "NAME   N\n漢字   1\nnig…  22\ne\u0301te\u0301    3\n");
}

QTEST_GUILESS_MAIN(TestYardctlTables)
#include "tst_yardctl_tables.moc"
