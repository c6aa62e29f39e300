// yardctl schedules: what it asks for, what it says, and what it makes of a crontab.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"

#include <QTest>
#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fmt/format.h>

using namespace yard;
using namespace yard::test;

namespace json = boost::json;

namespace {

const std::string kSaved =
    R"({"name":"nightly","action":{"worker":"exec","argv":["backup","--all"]},"cron":"0 3 * * *","missed":"once",)"
    R"("overlap":"skip","jitter_s":0,"paused":false,"anchor":1,"next":1900000000000000,"unfinished":0,)"
    R"("times":[1900000000000000,1900086400000000],"runs":[{"due":1800000000000000,"t":1800000000000000,)"
    R"("outcome":"submitted","late":true,"skipped":2,"actions":[{"lsn":12},{"lsn":20,"count":10}]}]})";
const std::string kTimes = R"({"times":[1900000000000000]})";

json::object bodyOf(const FakeServer& server, std::string_view line) {
    boost::system::error_code ec;
    json::value value = json::parse(server.find(line).body, ec);
    return value.is_object() ? value.get_object() : json::object();
}

/// Saves what it is given, answers as one who has it; refuses what has "13" in its time.
FakeServer::Handler saving(std::string there = R"({"schedules":[]})") {
    return [there = std::move(there)](const FakeRequest& request) -> FakeReply {
        const bool isWrong = request.target.contains("cron=13") || request.body.contains("\"cron\":\"13");
        if (isWrong) return {422, R"({"error":"invalid","message":"There is no minute 13.","field":"cron"})"};
        if (request.method == "GET" && request.target == "/compute/schedules") return {.body = there};
        if (request.target.starts_with("/compute/schedules/next?")) return {.body = kTimes};
        if (request.method == "POST" && request.target == "/compute/schedules")
            return {.body = request.body.substr(0, request.body.size() - 1) + R"(,"times":[1900000000000000]})"};
        return {404, kNotFound};
    };
}

/// The bodies that were posted, in their order.
std::vector<json::object> saved(const FakeServer& server) {
    std::vector<json::object> bodies;
    for (const FakeRequest& request : server.requests())
        if (request.line() == "POST /compute/schedules") bodies.push_back(json::parse(request.body).as_object());
    return bodies;
}

std::string textIn(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    return value && value->is_string() ? std::string(std::string_view(value->get_string())) : std::string();
}

/// The last word of what is run.
std::string commandIn(const json::object& schedule) {
    return std::string(std::string_view(schedule.at("action").at("argv").as_array().back().as_string()));
}

} // namespace

class TestYardctlSchedules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allAreListed();
    void oneIsShownWithTimesAndRuns();
    void aProgramIsScheduled();
    void whatIsSaidOfAScheduleIsSent_data();
    void whatIsSaidOfAScheduleIsSent();
    void aFileIsAnActionAListOrASchedule();
    void aDryRunSavesNothing();
    void whatIsGivenIsChanged();
    void eachVerbAsksForItsRoute();
    void theNextTimesOfALineAreAskedFor();
    void whatIsWrongIsSaid_data();
    void whatIsWrongIsSaid();
    void aCrontabIsImported();
    void percentSignsBecomeInput();
    void namesAreMadeOfProgramsAndUnique();
    void linesThatCannotBeTakenAreNamed();
    void whatIsThereIsNotImportedTwice();
    void aDryRunOfAnImportSavesNothing();
    void withoutAFileItIsTheOwnCrontab();
    void anEngineThatGoesEndsTheImport();
};

void TestYardctlSchedules::allAreListed() {
    const std::string answer =
        R"({"schedules":[)" + kSaved + R"(,{"name":"off","every_s":600,"list":[{},{}],"paused":true}]})";
    FakeServer server(table({{"GET /compute/schedules", {.body = answer}}}));
    const DataDirectory data(server);
    const Ended listed = data.run({"schedules"});
    QCOMPARE(listed.code, 0);
    for (const char* word : {"nightly", "0 3 * * *", "backup --all", "each 10 min", "paused", "2 actions"})
        QVERIFY2(listed.out.contains(word), listed.out.c_str());
    QCOMPARE(data.run({"schedules", "ls"}).out, listed.out);
    QCOMPARE(data.run({"--json", "schedules"}).out, answer + "\n");
    FakeServer empty(table({{"GET /compute/schedules", {.body = R"({"schedules":[]})"}}}));
    QCOMPARE(DataDirectory(empty).run({"schedules"}).err, "There are no schedules.\n");
}

void TestYardctlSchedules::oneIsShownWithTimesAndRuns() {
    FakeServer server(
        table({{"GET /compute/schedules/nightly", {.body = kSaved}},
               {"GET /compute/jobs?limit=1000&lsn=12,20,21,22,23,24,25,26,27,28,29",
                {.body = R"({"jobs":[{"lsn":12,"state":"failed"},{"lsn":20,"state":"completed"}]})"}}}));
    const DataDirectory data(server);
    const Ended shown = data.run({"schedules", "show", "nightly"});
    QCOMPARE(shown.code, 0);
    for (const char* word : {"nightly", "2030-03-1", "submitted", "12, 20..29", "late, for 2 more",
                             "in         a directory of its own\n", "unfinished 0\n", "1 completed, 1 failed"})
        QVERIFY2(shown.out.contains(word), shown.out.c_str());
    QCOMPARE(data.run({"schedules", "show", "other"}).code, 1);
}

void TestYardctlSchedules::aProgramIsScheduled() {
    FakeServer server(table({{"POST /compute/schedules", {.body = kSaved}}}));
    const Ended added = DataDirectory(server).run(
        {"schedules", "add", "nightly", "--cron", "0 3 * * *", "--cwd", "/srv", "--", "backup", "--all"});
    QCOMPARE(added.code, 0);
    QVERIFY2(added.out.starts_with("nightly is saved; it is due\n  "), added.out.c_str());
    QCOMPARE(std::ranges::count(added.out, '\n'), 3);
    const json::object body = bodyOf(server, "POST /compute/schedules");
    const json::object expected{
        {"name", "nightly"},
        {"cron", "0 3 * * *"},
        {"action", json::object{{"worker", "exec"}, {"argv", json::array{"backup", "--all"}}, {"cwd", "/srv"}}}};
    QVERIFY2(body == expected, json::serialize(body).c_str());
}

void TestYardctlSchedules::whatIsSaidOfAScheduleIsSent_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("text"); // of the body
    QTest::newRow("every") << QStringList{"--every", "10min"} << QByteArray(R"("every_s":600)");
    QTest::newRow("zone") << QStringList{"--cron", "@daily", "--timezone", "Europe/Berlin"}
                          << QByteArray(R"("timezone":"Europe/Berlin")");
    QTest::newRow("missed") << QStringList{"--every", "60", "--missed", "all"} << QByteArray(R"("missed":"all")");
    QTest::newRow("overlap") << QStringList{"--every", "60", "--overlap", "cancel_previous"}
                             << QByteArray(R"("overlap":"cancel_previous")");
    QTest::newRow("queue") << QStringList{"--every", "60", "--queue", "7"} << QByteArray(R"("queue":"7")");
    QTest::newRow("jitter") << QStringList{"--every", "1h", "--jitter", "5min"} << QByteArray(R"("jitter_s":300)");
    QTest::newRow("paused") << QStringList{"--every", "60", "--paused"} << QByteArray(R"("paused":true)");
    QTest::newRow("once") << QStringList{"--at", "+1h"} << QByteArray(R"("at":)");
}

void TestYardctlSchedules::whatIsSaidOfAScheduleIsSent() {
    QFETCH(const QStringList, words);
    QFETCH(const QByteArray, text);
    FakeServer server(table({{"POST /compute/schedules", {.body = kSaved}}}));
    const Ended added =
        DataDirectory(server).run(QStringList{"schedules", "add", "x", "-c", "echo $HOME | wc"} + words);
    QCOMPARE(added.code, 0);
    const std::string body = server.find("POST /compute/schedules").body;
    QVERIFY2(body.contains(text.toStdString()), body.c_str());
    QVERIFY2(body.contains(R"("argv":["/bin/sh","-c","echo $HOME | wc"])"), body.c_str());
}

void TestYardctlSchedules::aFileIsAnActionAListOrASchedule() {
    FakeServer server(saving());
    const DataDirectory data(server);
    const auto add = [&](const std::string& text, const QStringList& more) {
        const Ended ended = data.run(QStringList{"schedules", "add", "--file", "-"} + more, text);
        return ended.code == 0 && !saved(server).empty() ? json::serialize(saved(server).back()) : ended.err;
    };
    QCOMPARE(add(R"({"worker":"w","function":"f"})", {"x", "--every", "60"}),
             R"({"action":{"worker":"w","function":"f"},"every_s":60,"name":"x"})");
    QCOMPARE(add(R"([{"worker":"w"}])", {"x", "--every", "60"}),
             R"({"list":[{"worker":"w"}],"every_s":60,"name":"x"})");
    // As 'show --json' printed it, with another time.
    const std::string again = add(kSaved, {"--every", "60"});
    QVERIFY2(again.contains(R"("name":"nightly")") && again.contains(R"("every_s":60)"), again.c_str());
    for (const char* member : {"cron", "anchor", "next", "runs", "times", "unfinished"})
        QVERIFY2(!again.contains(fmt::format("\"{}\":", member)), again.c_str());
    QVERIFY(add("{} {}", {"x", "--every", "60"}).contains("more than one value"));
    QVERIFY(add("", {"x", "--every", "60"}).contains("neither a schedule nor an action"));
}

void TestYardctlSchedules::aDryRunSavesNothing() {
    FakeServer server(saving());
    const DataDirectory data(server);
    const QStringList add{"schedules", "add", "x", "--dry-run"};
    const QStringList program{"--", "true"};
    const Ended cron = data.run(add + QStringList{"--cron", "0 3 * * 1-5", "--timezone", "UTC"} + program);
    QCOMPARE(cron.code, 0);
    QVERIFY2(cron.out.starts_with("x would be due\n  "), cron.out.c_str());
    QCOMPARE(server.lines(), (std::vector<std::string>{
                                 "GET /compute/schedules/next?cron=0%203%20%2A%20%2A%201-5&timezone=UTC&n=10"}));
    const Ended every = data.run(add + QStringList{"--every", "1h"} + program);
    QCOMPARE(std::ranges::count(every.out, '\n'), 11);
    const Ended once = data.run(add + QStringList{"--at", "+1h"} + program);
    QCOMPARE(std::ranges::count(once.out, '\n'), 2);
    const Ended asJson = data.run(QStringList{"--json"} + add + QStringList{"--cron", "@daily"} + program);
    QVERIFY2(asJson.out.contains(R"("times":[1900000000000000])"), asJson.out.c_str());
    QVERIFY(saved(server).empty());
}

void TestYardctlSchedules::whatIsGivenIsChanged() {
    FakeServer server(table({{"PATCH /compute/schedules/nightly", {.body = kSaved}}}));
    const DataDirectory data(server);
    const Ended changed = data.run({"schedules", "set", "nightly", "--missed", "skip"});
    QCOMPARE(changed.code, 0);
    QCOMPARE(server.find("PATCH /compute/schedules/nightly").body, R"({"missed":"skip"})");
    QVERIFY2(changed.out.starts_with("nightly is saved; it is due\n"), changed.out.c_str());
}

void TestYardctlSchedules::eachVerbAsksForItsRoute() {
    const std::string run =
        R"({"t":1,"outcome":"submitted","late":false,"actions":[{"lsn":12},{"lsn":20,"count":10}]})";
    FakeServer server(table({{"POST /compute/schedules/nightly/run", {.body = run}},
                             {"POST /compute/schedules/nightly/pause", {.body = kSaved}},
                             {"POST /compute/schedules/nightly/resume", {.body = kSaved}},
                             {"DELETE /compute/schedules/nightly", {.body = R"({"name":"nightly"})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"schedules", "run", "nightly"}).out, "12\n20..29\n");
    QCOMPARE(data.run({"--json", "schedules", "run", "nightly"}).out, run + "\n");
    QCOMPARE(data.run({"schedules", "pause", "nightly"}).out, "nightly is paused\n");
    QVERIFY(data.run({"schedules", "resume", "nightly"}).out.starts_with("nightly goes on; next: "));
    QCOMPARE(data.run({"schedules", "rm", "nightly"}).out, "nightly is removed; what it started goes on\n");
    QCOMPARE(data.run({"schedules", "rm", "other"}).code, 1);
}

void TestYardctlSchedules::theNextTimesOfALineAreAskedFor() {
    FakeServer server(saving());
    const DataDirectory data(server);
    const Ended next = data.run({"schedules", "next", "0", "3", "*", "*", "mon", "-n", "3", "--timezone", "UTC"});
    QCOMPARE(next.code, 0);
    QCOMPARE(std::ranges::count(next.out, '\n'), 1);
    QCOMPARE(server.lines().back(), "GET /compute/schedules/next?cron=0%203%20%2A%20%2A%20mon&timezone=UTC&n=3");
    QCOMPARE(data.run({"--json", "schedules", "next", "@daily"}).out, kTimes + "\n");
    const Ended refused = data.run({"schedules", "next", "13 * * * *"});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("There is no minute 13."), refused.err.c_str());
}

void TestYardctlSchedules::whatIsWrongIsSaid_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QByteArray>("sentence");
    const auto row = [](const char* name, const QStringList& words, const char* sentence) {
        QTest::newRow(name) << words << QByteArray(sentence);
    };
    row("another verb", {"make"}, "'make' is none of ls, show");
    row("ls of one", {"ls", "x"}, "'ls' lists all");
    row("no name", {"pause"}, "name one: yardctl schedules pause NAME");
    row("two names", {"rm", "x", "y"}, "name one: yardctl schedules rm NAME");
    row("add without a name", {"add", "--every", "60"}, "name it: yardctl schedules add NAME");
    row("no time", {"add", "x", "--", "true"}, "say when it is due");
    row("nothing to run", {"add", "x", "--every", "60"}, "say what is to run");
    row("two times", {"add", "x", "--every", "60", "--cron", "@daily", "--", "true"}, "one of --cron, --every");
    row("two programs", {"add", "x", "--every", "60", "-c", "true", "--", "true"}, "one of a program, -c LINE");
    row("too often", {"add", "x", "--every", "0.5", "--", "true"}, "--every takes 1 s to 10 years");
    row("zone of steps", {"add", "x", "--every", "60", "--timezone", "UTC", "--", "true"}, "--timezone goes with");
    row("a choice", {"add", "x", "--every", "60", "--missed", "never", "--", "true"}, "'never' is nothing that");
    row("directory alone", {"set", "x", "--cwd", "/"}, "--cwd goes with a program");
    row("nothing to change", {"set", "x"}, "say what is to change");
    row("option of another", {"rm", "x", "--paused"}, "'schedules rm' does not take --paused");
    row("dry run of set", {"set", "x", "--paused", "--dry-run"}, "'schedules set' does not take --dry-run");
    row("next of nothing", {"next"}, "give a line of crontab");
    row("too many", {"next", "@daily", "-n", "1001"}, "--number takes 1 to 1000");
    row("import of another", {"import", "at"}, "this imports a crontab");
}

void TestYardctlSchedules::whatIsWrongIsSaid() {
    QFETCH(const QStringList, words);
    QFETCH(const QByteArray, sentence);
    FakeServer server(table({}));
    const Ended refused = DataDirectory(server).run(QStringList{"schedules"} + words);
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.starts_with("yardctl: " + sentence.toStdString()), refused.err.c_str());
    QVERIFY(server.lines().empty());
}

void TestYardctlSchedules::aCrontabIsImported() {
    FakeServer server(saving());
    const DataDirectory data(server);
    const Ended imported = data.run({"schedules", "import", "crontab", "-", "--missed", "skip"},
                                    "# every night\n"
                                    "\n"
                                    "MAILTO=anna\n"
                                    "@hourly before\n"
                                    "SHELL = /bin/bash\n"
                                    "HOME=/srv\n"
                                    "NAME = \"two words\"\n"
                                    "CRON_TZ=Europe/Berlin\n"
                                    "0\t3  * * 1-5   /usr/bin/backup --all\n"
                                    "*/5 * * * * A=b clean x=y\n");
    QCOMPARE(imported.code, 0);
    QCOMPARE(imported.err, "yardctl: line 3: MAILTO is not used: output is kept, and 'yardctl logs' shows it.\n");
    for (const char* word : {"before", "backup", "clean", "0 3 * * 1-5 (Europe/Berlin)"})
        QVERIFY2(imported.out.contains(word), imported.out.c_str());
    const auto made = saved(server);
    QCOMPARE(made.size(), 3U);
    QCOMPARE(textIn(made[0], "cron"), "@hourly");
    QVERIFY(!made[0].contains("timezone") && !made[0].at("action").as_object().contains("env"));
    QCOMPARE(textIn(made[1], "name"), "backup");
    QCOMPARE(textIn(made[1], "cron"), "0 3 * * 1-5");
    QCOMPARE(textIn(made[1], "timezone"), "Europe/Berlin");
    QCOMPARE(textIn(made[1], "missed"), "skip");
    const json::object action{
        {"worker", "exec"},
        {"argv", json::array{"/bin/bash", "-c", "/usr/bin/backup --all"}},
        {"cwd", "/srv"},
        {"env", json::object{{"HOME", "/srv"}, {"NAME", "two words"}, {"SHELL", "/bin/bash"}}}};
    QCOMPARE(json::serialize(made[1].at("action")), json::serialize(action));
    QCOMPARE(textIn(made[2], "name"), "clean");
    QCOMPARE(commandIn(made[2]), "A=b clean x=y");
}

void TestYardctlSchedules::percentSignsBecomeInput() {
    FakeServer server(saving());
    const Ended imported =
        DataDirectory(server).run({"schedules", "import", "crontab", "-"}, "@daily mail bob%Hello,%100\\% well%\n"
                                                                           "@daily date +\\%F \\n\n"
                                                                           "@daily cat%\n");
    QCOMPARE(imported.code, 0);
    const auto made = saved(server);
    QCOMPARE(made.size(), 3U);
    QCOMPARE(commandIn(made[0]), "mail bob");
    QCOMPARE(textIn(made[0].at("action").at("stdin").as_object(), "text"), "Hello,\n100% well\n");
    QCOMPARE(commandIn(made[1]), "date +%F \\n");
    QVERIFY(!made[1].at("action").as_object().contains("stdin"));
    QVERIFY(!made[2].at("action").as_object().contains("stdin"));
    QCOMPARE(commandIn(made[2]), "cat");
}

void TestYardctlSchedules::namesAreMadeOfProgramsAndUnique() {
    FakeServer server(saving(R"({"schedules":[{"name":"backup"}]})"));
    const Ended imported =
        DataDirectory(server).run({"schedules", "import", "crontab", "-"}, "@daily backup 1\n"
                                                                           "@daily backup 2\n"
                                                                           "@daily cd /srv && X=1 ./7zip.sh\n"
                                                                           "@daily next\n"
                                                                           "@daily [ -e x ]\n");
    QCOMPARE(imported.code, 0);
    std::vector<std::string> names;
    for (const json::object& one : saved(server)) names.push_back(textIn(one, "name"));
    QCOMPARE(names, (std::vector<std::string>{"backup-2", "backup-3", "zip.sh", "next-2", "cron"}));
}

void TestYardctlSchedules::linesThatCannotBeTakenAreNamed() {
    FakeServer server(saving());
    const DataDirectory data(server);
    const std::string text = "0 3 * *\n"
                             "13 * * * * refused\n"
                             "@daily %text\n"
                             "@daily cat%\xff\n"
                             "@daily good\n";
    const Ended imported = data.run({"schedules", "import", "crontab", "-"}, text);
    QCOMPARE(imported.code, 1);
    QCOMPARE(imported.err,
             "yardctl: line 1: A line has five fields of time, or a word as @daily, and a command behind them.\n"
             "yardctl: line 2: There is no minute 13.\n"
             "yardctl: line 3: There is no command before the \"%\".\n"
             "yardctl: line 4: What it reads is not UTF-8: put it into a file.\n");
    QCOMPARE(saved(server).size(), 2U); // the engine was asked about line 2, too
    const Ended asJson = data.run({"--json", "schedules", "import", "crontab", "-"}, text);
    QCOMPARE(asJson.code, 1);
    const json::object all = json::parse(asJson.out).as_object();
    QCOMPARE(all.at("imported").as_array().size(), 1U);
    QCOMPARE(all.at("imported").at(0).at("line").to_number<int>(), 5);
    QCOMPARE(all.at("refused").as_array().size(), 4U);
}

void TestYardctlSchedules::whatIsThereIsNotImportedTwice() {
    FakeServer first(saving());
    const QStringList words{"schedules", "import", "crontab", "-"};
    const std::string text = "CRON_TZ=UTC\n@daily backup%x\n";
    QCOMPARE(DataDirectory(first).run(words, text).code, 0);
    QCOMPARE(saved(first).size(), 1U);
    FakeServer second(saving(R"({"schedules":[)" + json::serialize(saved(first).front()) + "]}"));
    const Ended again = DataDirectory(second).run(words, text + "@weekly backup%x\n");
    QCOMPARE(again.code, 0);
    QCOMPARE(again.err, "yardctl: line 2: It is there as backup.\n");
    QCOMPARE(saved(second).size(), 1U);
    QCOMPARE(textIn(saved(second).front(), "name"), "backup-2");
}

void TestYardctlSchedules::aDryRunOfAnImportSavesNothing() {
    FakeServer server(saving());
    const Ended imported = DataDirectory(server).run({"schedules", "import", "crontab", "-", "--dry-run"},
                                                     "0 3 * * * good\n13 * * * * bad\n");
    QCOMPARE(imported.code, 1);
    QVERIFY2(imported.out.contains("good") && imported.out.contains("2030-03-1"), imported.out.c_str());
    QVERIFY2(imported.err.starts_with("yardctl: line 2: "), imported.err.c_str());
    QVERIFY(saved(server).empty());
    QCOMPARE(server.lines().at(1), "GET /compute/schedules/next?cron=0%203%20%2A%20%2A%20%2A&n=1");
}

void TestYardctlSchedules::withoutAFileItIsTheOwnCrontab() {
    const QTemporaryDir programs;
    const QByteArray path = qgetenv("PATH");
    const std::string program = programs.path().toStdString() + "/crontab";
    QVERIFY(writeFileAtomically(program, "#!/bin/sh\n[ \"$1\" = -l ] && echo '@daily mine'\n", 0755));
    qputenv("PATH", programs.path().toUtf8() + ":" + path);
    FakeServer server(saving());
    const DataDirectory data(server);
    const Ended imported = data.run({"schedules", "import", "crontab"});
    const bool isWritten = writeFileAtomically(program, "#!/bin/sh\nexit 1\n", 0755).has_value();
    const Ended none = data.run({"schedules", "import", "crontab"});
    qputenv("PATH", path);
    QCOMPARE(imported.code, 0);
    QCOMPARE(saved(server).size(), 1U);
    QCOMPARE(textIn(saved(server).front(), "name"), "mine");
    QVERIFY(isWritten);
    QCOMPARE(none.code, 1);
    QVERIFY2(none.err.contains("'crontab -l' shows none"), none.err.c_str());
}

void TestYardctlSchedules::anEngineThatGoesEndsTheImport() {
    FakeServer server([](const FakeRequest& request) -> FakeReply {
        if (request.method == "GET") return {.body = R"({"schedules":[]})"};
        if (request.body.contains("first")) return {.body = request.body};
        return {503, R"({"error":"not_accepting","message":"The engine ends."})"};
    });
    const Ended ended = DataDirectory(server).run({"schedules", "import", "crontab", "-"},
                                                  "@daily first\n@daily second\n@daily third\n");
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.out.contains("first") && !ended.out.contains("second"), ended.out.c_str());
    QVERIFY2(ended.err.contains("The engine ends"), ended.err.c_str());
    QCOMPARE(saved(server).size(), 2U);
}

QTEST_GUILESS_MAIN(TestYardctlSchedules)
#include "tst_yardctl_schedules.moc"
