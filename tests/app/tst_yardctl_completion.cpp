// What shells offer while a command line is typed: bash at a terminal, as people use it, and the words that all shells
// ask yardctl for.
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/app/terminal_process.h"

#include <QTest>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::test;

class TestYardctlCompletion : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bashCompletesAtATerminal_data();
    void bashCompletesAtATerminal();
    void valuesAreThoseOfTheEngine_data();
    void valuesAreThoseOfTheEngine();
    void whatTakesActionsIsOfferedActions();
    void theNewestActionComesFirst();
    void withoutAnEngineOnlyItsOwnWordsAreKnown();
};

namespace {

FakeServer::Handler engine() {
    return table(
        {{"GET /compute/queues",
          {.body =
               R"({"queues":[{"queue_id":0,"tag":""},{"queue_id":7,"tag":"nightly"},{"queue_id":8,"tag":"two words"}]})"}},
         {"GET /compute/workers/all", {.body = R"({"workers":[{"name":"thumbs","version":"1.2"}]})"}},
         {"GET /compute/tokens",
          {.body = R"({"tokens":[{"name":"anna","rights":"read"},{"name":"ci","rights":"submit"}]})"}},
         {"GET /compute/schedules", {.body = R"({"schedules":[{"name":"nightly","cron":"0 3 * * *"}]})"}},
         {"GET /compute/locks", {.body = R"({"locks":[{"name":"app:immich"}]})"}},
         {"GET /compute/jobs?limit=100&sort=-lsn",
          {.body = R"({"jobs":[{"lsn":12,"state":"running","label":"tidy","name":"tidy"},
                      {"lsn":11,"state":"failed","label":"tidy","name":"make -j"}]})"}},
         {"GET /compute/jobs?limit=100&sort=-lsn&state=pending,submitting,running",
          {.body =
               R"({"jobs":[{"lsn":12,"state":"running","name":"tidy"},{"lsn":11,"state":"running","name":"x"}]})"}},
         {"GET /compute/jobs?limit=100&sort=-lsn&state=held",
          {.body = R"({"jobs":[{"lsn":14,"state":"pending","name":"x"}]})"}},
         {"GET /compute/jobs?limit=100&sort=-lsn&q=state%3Apending%20-state%3Aheld",
          {.body = R"({"jobs":[{"lsn":15,"state":"pending","name":"x"}]})"}},
         {"GET /compute/jobs?limit=100&sort=-lsn&state=failed,abandoned",
          {.body = R"({"jobs":[{"lsn":16,"state":"failed","name":"x"}]})"}},
         {"GET /compute/settings", {.body = R"({"grace_s":2,"log_level":"info","about":{
                      "grace_s":{"default":2,"help":"how long"},
                      "log_level":{"default":"info","words":["debug","info"],"help":"what is logged"}}})"}}});
}

/// At its prompt, with the completion of yardctl.
std::unique_ptr<TerminalProcess> bashWithCompletion(const DataDirectory& data) {
    const std::string script = data.file("completion");
    (void)writeFileAtomically(script, CtlProcess({"completion", "bash"}).end().out, 0600);
    auto bash = std::make_unique<TerminalProcess>(
        std::vector<std::string>{"/usr/bin/env", "TERM=xterm", "/usr/bin/bash", "--norc", "--noprofile", "-i"}, 24,
        400);
    bash->type(fmt::format("bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; cd {}; . {}; "
                           "PS1='re''ady> '\n",
                           data.path().toStdString(), script));
    // The prompt comes when keys go to it, and no longer to the terminal's own line.
    if (!bash->shows("ready> ")) qWarning("bash shows no prompt: %s", bash->shown().c_str());
    bash->forget();
    return bash;
}

} // namespace

void TestYardctlCompletion::bashCompletesAtATerminal_data() {
    QTest::addColumn<QByteArray>("typed");
    QTest::addColumn<QByteArray>("becomes");
    const auto row = [](const char* typed, const char* becomes) {
        QTest::newRow(typed) << QByteArray(typed) << QByteArray(becomes);
    };
    row("ls stat", "ls state:"); // and no blank: a value follows
    row("ls state:fai", "ls state:failed ");
    row("ls state:failed,canc", "ls state:failed,cancelled ");
    row("ls -stat", "ls -state:");
    row("ls 'finished>yes", "ls 'finished>yesterday' ");
    row("ls queue:nigh", "ls queue:nightly ");
    row("ls worker:thu", "ls worker:thumbs ");
    row("ls lock:", "ls lock:app:immich ");
    row("ls label:ti", "ls label:tidy ");
    row("events reason:spaw", "events reason:spawn_error ");
    row("wait --filter func", "wait --filter function:");
    row("ls --sort -fini", "ls --sort -finished ");
    row("ls --columns lsn,runt", "ls --columns lsn,runtime"); // and no blank: others may follow
    row("ls --columns=lsn,runt", "ls --columns=lsn,runtime");
    row("ls -c runt", "ls -c runtime");
    row("run -c runt", "run -c runt"); // where it is another option
    row("settings gra", "settings grace_s=");
    row("settings log_level=deb", "settings log_level=debug ");
    row("move -q nigh", "move -q nightly ");
    row("run --queue two", "run --queue two\\ words ");
    row("mark pur", "mark purple ");
    row("mark purple 1", "mark purple 1"); // 11 or 12
    row("tokens new x --right sub", "tokens new x --right submit ");
    row("tokens remove an", "tokens remove anna ");
    row("wait 1", "wait 1"); // 11 or 12
    row("wait 12", "wait 12 ");
    row("release 1", "release 14 ");
    row("hold 1", "hold 15 ");
    row("retry 1", "retry 16 ");
    row("manual wa", "manual wait ");
    row("run setsi", "run setsid ");
    row("run --hold setsi", "run --hold setsid ");
    row("run -- setsi", "run -- setsid ");
    row("run setsid /proc/self/limi", "run setsid /proc/self/limits ");
    row("submit /proc/self/limi", "submit /proc/self/limits ");
    row("gc /proc/self/limi", "gc /proc/self/limi"); // it takes none
    row("attach addr", "attach addr");
}

void TestYardctlCompletion::bashCompletesAtATerminal() {
    QFETCH(QByteArray, typed);
    QFETCH(QByteArray, becomes);
    if (!readFile("/usr/bin/bash")) QSKIP("there is no bash");
    FakeServer server(engine());
    const DataDirectory data(server);
    const auto process = bashWithCompletion(data);
    TerminalProcess& bash = *process;
    // What the line has become is seen up to a mark, then it is thrown away.
    bash.type(fmt::format("{} --data-dir {} {}\t|\x15"
                          "echo ov''er\n",
                          YARDCTL_PATH, data.path().toStdString(), typed.toStdString()));
    QVERIFY2(bash.shows("over\r\n"), bash.shown().c_str());
    const std::string expected = fmt::format("--data-dir {} {}", data.path().toStdString(), becomes.toStdString());
    QVERIFY2(bash.shown().contains(expected + "|"), bash.shown().c_str());
}

void TestYardctlCompletion::valuesAreThoseOfTheEngine_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("offered");
    const auto row = [](const QStringList& words, const char* offered) {
        QTest::newRow(words.join(' ').toUtf8().constData()) << words << offered;
    };
    row({"lsns"}, "12\ttidy (running)\n11\tmake -j (failed)\n");
    row({"active"}, "12\ttidy (running)\n11\tx (running)\n");
    row({"startable"}, "15\tx (pending)\n");
    row({"held"}, "14\tx (pending)\n");
    row({"queues"}, "0\tqueue\nnightly\tqueue 7\n7\tnightly\ntwo words\tqueue 8\n8\ttwo words\n");
    row({"workers"}, "thumbs\t1.2\n");
    row({"settings"}, "grace_s=\thow long\nlog_level=\twhat is logged\n");
    row({"settings", "log_level=d"}, "log_level=debug\t\nlog_level=info\t\nlog_level=default\tinfo\n");
    row({"settings", "nothing="}, "");
    row({"filters", "-queue:7,"},
        "-queue:7,0\tqueue\n-queue:7,nightly\tqueue 7\n-queue:7,7\tnightly\n-queue:7,\"two words\"\tqueue 8\n"
        "-queue:7,8\ttwo words\n");
    row({"filters", "label:"}, "label:tidy\taction 12\n");
    row({"filters", "name:"}, "name:tidy\taction 12\nname:\"make -j\"\taction 11\n");
    row({"filters", "lock:"}, "lock:app:immich\tlock\n");
    row({"filters", "after:"}, "after:12\ttidy (running)\nafter:11\tmake -j (failed)\n");
    row({"filters", "worker:"}, "worker:exec\tprograms\nworker:thumbs\t1.2\n");
    row({"filters", "replaced:"},
        "replaced:yes\tanother one was submitted in its place\nreplaced:no\tit stands for itself\n");
    row({"filters", "cpu>"}, "");
    row({"tokens"}, "anna\tread\nci\tsubmit\n");
    row({"schedules"}, "nightly\t0 3 * * *\n");
}

void TestYardctlCompletion::valuesAreThoseOfTheEngine() {
    QFETCH(QStringList, words);
    FakeServer server(engine());
    const Ended ended =
        DataDirectory(server).run(QStringList{"completion", "values", words.front(), "--"} + words.mid(1));
    QCOMPARE(ended.err, "");
    QCOMPARE(ended.code, 0);
    QTEST(QString::fromStdString(ended.out), "offered");
}

void TestYardctlCompletion::whatTakesActionsIsOfferedActions() {
    const std::string script = CtlProcess({"completion", "bash"}).end().out;
    const std::vector<std::pair<const char*, const char*>> kinds{
        {"cancel", "active"},    {"wait", "active"},      {"why", "active"},         {"hold", "startable"},
        {"release", "held"},     {"retry", "failed"},     {"retire", "ended"},       {"move", "pending"},
        {"priority", "pending"}, {"show", "lsns"},        {"logs", "lsns"},          {"ls", "filters"},
        {"edit", "lsns"},        {"attach", "terminals"}, {"schedules", "schedules"}};
    for (const auto& [command, kind] : kinds) {
        const std::size_t line = std::min(script.find(fmt::format("        {})", command)),
                                          script.find(fmt::format("        {}|", command)));
        QVERIFY2(line != std::string::npos, command);
        const std::string text = script.substr(line, script.find('\n', line) - line);
        QVERIFY2(text.ends_with(fmt::format("live={} ;;", kind)), text.c_str());
    }
}

/// Bash would sort them as texts: the newest is the one that is meant most often.
void TestYardctlCompletion::theNewestActionComesFirst() {
    if (!readFile("/usr/bin/bash")) QSKIP("there is no bash");
    FakeServer server(engine());
    const DataDirectory data(server);
    const auto bash = bashWithCompletion(data);
    bash->type(fmt::format("{} --data-dir {} wait \t\t\t", YARDCTL_PATH, data.path().toStdString()));
    QVERIFY2(bash->shows("12  11"), bash->shown().c_str());
}

void TestYardctlCompletion::withoutAnEngineOnlyItsOwnWordsAreKnown() {
    const QTemporaryDir empty;
    const auto values = [&](const QStringList& words) {
        return CtlProcess(QStringList{"--data-dir", empty.path(), "completion", "values"} + words).end();
    };
    QVERIFY(values({"commands"}).out.starts_with("run\trun one program and exit as it does\n"));
    QVERIFY(values({"columns", "lsn,"}).out.starts_with("lsn,lsn\tLSN\nlsn,state\tSTATE\n"));
    QVERIFY(values({"facets", "state,"}).out.starts_with("state,state\t\nstate,queue\t\n"));
    QVERIFY(values({"kinds", ""}).out.starts_with("queue\t\nworker\t\n"));
    QCOMPARE(values({"rights"}).out, "read\t\nsubmit\t\noperate\t\nadmin\t\n");
    QVERIFY(values({"sorts", "--", "-"}).out.starts_with("-lsn\t\n-state\t\n"));
    QVERIFY(values({"filters", ""}).out.starts_with("state:\twords: failed,abandoned, "));
    QVERIFY(values({"filters", "state:"}).out.contains("state:held\tstate\n"));
    QVERIFY(values({"filters", "finished>"}).out.contains("finished>-1h\tago\n"));
    QVERIFY(values({"filters", "new:"}).out.contains("new:-1h..now\tago\n"));
    QCOMPARE(values({"queues"}).code, 1);
    QCOMPARE(values({"colours"}).code, 2);
    QCOMPARE(CtlProcess({"completion", "bash", "values"}).end().code, 2);
}

QTEST_GUILESS_MAIN(TestYardctlCompletion)
#include "tst_yardctl_completion.moc"
