// The commands of yardctl that ask and tell: what they send, what they print, how they exit.
#include "core/base/files.h"
#include "core/base/last_output.h"
#include "core/model/worker.h"
#include "tests/app/ctl_process.h"
#include "tests/app/fake_table.h"
#include "tests/support/waiting.h"

#include <QDir>
#include <QTest>
#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <csignal>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace yard;
using namespace yard::test;
namespace json = boost::json;

namespace {

FakeServer::Handler topAnswers() {
    return [](const FakeRequest& request) -> FakeReply {
        if (request.target == "/compute/session")
            return {200, R"({"state":"ready","machine":{"name":"desk"},"capacity":2})"};
        if (request.target == "/compute/queues")
            return {200, R"({"queues":[{"queue_id":0,"state":"active","pending":3}]})"};
        return {200, R"({"jobs":[{"lsn":12,"state":"running","queue_id":0,"label":"render"}]})"};
    };
}

/// yardctl with a terminal as stdin, stdout and stderr; `answer` is typed when it asks.
Ended onATerminal(const QStringList& arguments, std::string_view answer) {
    std::vector<std::string> words{"yardctl"};
    for (const QString& argument : arguments) words.push_back(argument.toStdString());
    std::vector<char*> raw;
    for (std::string& word : words) raw.push_back(word.data());
    raw.push_back(nullptr);
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (pid == 0) {
        ::execv(YARDCTL_PATH, raw.data());
        ::_exit(127);
    }
    const UniqueFd closing(terminal);
    Ended ended;
    bool answered = false;
    for (;;) {
        pollfd ready{terminal, POLLIN, 0};
        std::array<char, 4096> buffer{};
        if (::poll(&ready, 1, kWaitMs) <= 0) break;
        const ssize_t n = ::read(terminal, buffer.data(), buffer.size());
        if (n <= 0) break; // EIO: nobody has the other side any more
        ended.out.append(buffer.data(), static_cast<std::size_t>(n));
        if (!answered && ended.out.find("[y/N]") != std::string::npos) {
            answered = true;
            if (::write(terminal, answer.data(), answer.size()) < 0) break;
        }
    }
    ::kill(pid, SIGHUP); // nothing where it has ended
    int status = -1;
    if (::waitpid(pid, &status, 0) == pid && WIFEXITED(status)) ended.code = WEXITSTATUS(status);
    return ended;
}

} // namespace

class TestYardctlCommands : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutAnEngineItSaysHowToStartOne();
    void helpAndVersionNeedNoEngine();
    void wrongUsageExits2();
    void theSandboxIsToldInWords();
    void whatIsTakenOfTheMachineIsSaid();
    void theCloudAndWhatItIsAboutToDoAreSaid();
    void queuesAreMadeAndSteered();
    void onATerminalAllIsAskedFirst();
    void workersAddSendsWhatIsMissing();
    void workersAreFoundByName();
    void sessionMoves();
    void reasonsForWaitingAreListed();
    void settingsAreShownAndChanged();
    void gcSaysWhatWentOrWouldGo();
    void thePoolIsShown();
    void thePoolIsSteered();
    void whatAWarmProcessPrintedIsShown();
    void locksAreListed();
    void topPrintsOnceWithoutATerminal();
    void topLivesInATerminal();
    void documentsNeedNoEngine();
};

void TestYardctlCommands::withoutAnEngineItSaysHowToStartOne() {
    const QTemporaryDir empty;
    const Ended none = CtlProcess({"--data-dir", empty.path(), "ls"}).end();
    QCOMPARE(none.code, 1);
    QVERIFY(none.err.find("start one with 'yardmaster --headless --data-dir /") != std::string::npos);
    // An address that nobody serves any more: an engine that was killed.
    std::unique_ptr<FakeServer> server = std::make_unique<FakeServer>(table({}));
    const DataDirectory data(*server);
    server.reset();
    const Ended dead = data.run({"ls"});
    QCOMPARE(dead.code, 1);
    QVERIFY(dead.err.find("start one with 'yardmaster --headless --data-dir /") != std::string::npos);
    QCOMPARE(dead.out, "");
}

void TestYardctlCommands::helpAndVersionNeedNoEngine() {
    const Ended help = CtlProcess({"--help"}).end();
    QCOMPARE(help.code, 0);
    QVERIFY(help.out.find("workers") != std::string::npos);
    QVERIFY(CtlProcess({"run", "--help"}).end().out.find("--deadline") != std::string::npos);
    const std::string version = CtlProcess({"--version"}).end().out;
    QVERIFY(version.starts_with("yardctl "));
    const std::string asJson = CtlProcess({"--version", "--json"}).end().out;
    const json::object told = json::parse(asJson).as_object();
    QCOMPARE(std::string(told.at("name").as_string()), "yardctl");
    QCOMPARE("yardctl " + std::string(told.at("version").as_string()) + "\n", version);
}

void TestYardctlCommands::wrongUsageExits2() {
    for (const QStringList& words : std::initializer_list<QStringList>{{},
                                                                       {"frobnicate"},
                                                                       {"wait", "x"},
                                                                       {"queue", "burn", "7"},
                                                                       {"queue", "hold"},
                                                                       {"workers", "add"},
                                                                       {"session", "explode"},
                                                                       {"pool", "burn"},
                                                                       {"pool", "detach"},
                                                                       {"pool", "set", "max"},
                                                                       {"cancel"},
                                                                       {"run", "--priority", "high", "true"},
                                                                       {"run", "-e", "=", "true"},
                                                                       {"hold", "--all", "7"},
                                                                       {"cancel", "--all", "7"},
                                                                       {"retire", "--all", "--filter", "lsn>7"},
                                                                       {"ls", "--limit", "-1"},
                                                                       {"submit", "--out", "d", "-"},
                                                                       {"run", "--memory", "500", "true"},
                                                                       {"run", "--after", "7:later", "true"},
                                                                       {"run", "--array", "5", "true"},
                                                                       {"run", "--out", "d", "true"},
                                                                       {"queue", "hold", "7", "--retries", "1"}}) {
        const Ended ended = CtlProcess(QStringList{"--url", "http://127.0.0.1:1"} + words).end();
        QCOMPARE(ended.code, 2);
        QVERIFY(ended.err.starts_with("yardctl: "));
    }
    const QStringList nowhere{"--url", "http://127.0.0.1:1"};
    QCOMPARE(CtlProcess(nowhere + QStringList{"cancel"}).end().err,
             "yardctl: 'cancel' wants the LSNs of actions, or --filter, or --all\n");
    QCOMPARE(CtlProcess(nowhere + QStringList{"hold"}).end().err,
             "yardctl: 'hold' wants the LSNs of actions, or --filter, or --all\n");
}

void TestYardctlCommands::theSandboxIsToldInWords() {
    FakeServer server(table(
        {{"GET /compute/session",
          {.body =
               R"({"state":"ready","sandbox":{"workers":false,"why":"It was started with --no-sandbox."}})"}}}));
    QCOMPARE(DataDirectory(server).run({"session"}).out,
             "state        ready\nsandbox      workers no: It was started with --no-sandbox.\n");
}

void TestYardctlCommands::whatIsTakenOfTheMachineIsSaid() {
    FakeServer server(table({{"GET /compute/session",
                              {.body = R"({"machine":{"name":"m","cores":4,"resources":{"cores":4,"memory_mb":2000,
                              "gpus":0,"licence.x":2},"taken":{"cores":1.5,"memory_mb":0,"gpus":0,"licence.x":2}}})"}}}));
    QCOMPARE(DataDirectory(server).run({"session"}).out, "machine      m, 4 cores\n"
                                                         "taken        1.5 of 4 cores, 0 of 2000 memory_mb, 2 of 2 "
                                                         "licence.x\n");
}

void TestYardctlCommands::theCloudAndWhatItIsAboutToDoAreSaid() {
    FakeServer server(
        table({{"GET /compute/session", {.body = R"({"cloud":{"provider":"aws","instance":"i-01","type":"c5.large",
                              "region":"eu-west-1","spot":true,"notice":{"what":"terminate","certain":true}}})"}}}));
    QCOMPARE(DataDirectory(server).run({"session"}).out,
             "cloud        aws, c5.large in eu-west-1, spot; is taken away (terminate)\n");
    FakeServer warned(
        table({{"GET /compute/session", {.body = R"({"cloud":{"provider":"gcp","instance":"7","type":"","region":"",
                              "spot":false,"notice":{"what":"rebalance","certain":false}}})"}}}));
    QCOMPARE(DataDirectory(warned).run({"session"}).out, "cloud        gcp; may be taken away soon (rebalance)\n");
}

void TestYardctlCommands::queuesAreMadeAndSteered() {
    const FakeReply queue{.body =
                              R"({"queue_id":7,"token":"0123456789abcdef01234567","tag":"nightly","state":"active",
        "held":true,"pending":2,"running":1,"completed":3,"failed":0,"abandoned":0,"cancelled":0,
        "config":{"max_retries":5}})"};
    FakeServer server(table({{"POST /compute/queues", queue},
                             {"GET /compute/queues/7", queue},
                             {"PATCH /compute/queues/7", queue},
                             {"POST /compute/queues/7/hold", queue},
                             {"POST /compute/queues/7/drain", queue},
                             {"DELETE /compute/queues/7", queue},
                             {"GET /compute/queues", {.body = "{\"queues\":[" + queue.body + "]}"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"queue", "create", "--tag", "weekly", "max_retries=5"}).out, "7 0123456789abcdef01234567\n");
    QCOMPARE(server.requests().back().body, R"({"config":{"max_retries":5,"idle_expiry_s":0},"tag":"weekly"})");
    const Ended second = data.run({"queue", "create", "--tag", "nightly"});
    QCOMPARE(second.code, 1);
    QCOMPARE(second.err,
             "yardctl: queue 7 has the tag 'nightly' already: use that one, or add --another for a second "
             "one, which only its number names\n");
    const Ended number = data.run({"queue", "create", "77"});
    QCOMPARE(number.code, 2);
    QVERIFY2(
        number.err.starts_with("yardctl: '77' as a tag would be taken for the number of a queue: add a letter"),
        number.err.c_str());
    QCOMPARE(data.run({"queue", "create", "--tag", "nightly", "--another"}).code, 0);
    QCOMPARE(server.requests().back().body, R"({"config":{"idle_expiry_s":0},"tag":"nightly"})");
    // The tag is the first word, too.
    QCOMPARE(data.run({"queue", "create", "monthly", "max_retries=5"}).out, "7 0123456789abcdef01234567\n");
    QCOMPARE(server.requests().back().body, R"({"config":{"max_retries":5,"idle_expiry_s":0},"tag":"monthly"})");
    QCOMPARE(data.run({"queue", "create", "monthly", "--tag", "yearly"}).code, 2);
    QCOMPARE(data.run({"queue", "hold", "7", "--another"}).code, 2);
    QCOMPARE(data.run({"queue", "set", "7", "weight=0.5"}).code, 0);
    QCOMPARE(server.requests().back().body, R"({"config":{"weight":0.5}})");
    QCOMPARE(data.run({"queue", "set", "7", "--retries", "2", "--deadline", "2min", "weight=1"}).code, 0);
    QCOMPARE(server.requests().back().body, R"({"config":{"weight":1,"deadline_s":120,"max_retries":2}})");
    for (const char* verb : {"hold", "drain", "delete", "show"}) QCOMPARE(data.run({"queue", verb, "7"}).code, 0);
    QCOMPARE(data.run({"queue", "cancel", "7"}).code, 1);
    const Ended list = data.run({"queues"});
    QVERIFY(list.out.find("nightly") != std::string::npos);
    QVERIFY(list.out.find("active, held") != std::string::npos);
    QCOMPARE(data.run({"queue", "ls"}).out, list.out);
    QCOMPARE(data.run({"queue", "ls", "7"}).err, "yardctl: 'queue ls' lists all; of one: yardctl queue show 7\n");
}

void TestYardctlCommands::onATerminalAllIsAskedFirst() {
    FakeServer server(table({{"POST /compute/jobs/retire", {.body = R"({"changed":3,"refused":[]})"}}}));
    const DataDirectory data(server);
    const QStringList all{"retire", "--all"};
    const Ended no = onATerminal(data.arguments(all), "n\n");
    QCOMPARE(no.code, 1);
    QVERIFY2(no.out.find("for good? [y/N]") != std::string::npos, no.out.c_str());
    QVERIFY2(no.out.find("nothing was done") != std::string::npos, no.out.c_str());
    QVERIFY(server.requests().empty());
    QCOMPARE(onATerminal(data.arguments(all), "y\n").code, 0);
    QCOMPARE(server.requests().size(), std::size_t{1});
    const Ended yes = onATerminal(data.arguments(all + QStringList{"--yes"}), "");
    QCOMPARE(yes.code, 0);
    QCOMPARE(yes.out, "3 actions retired\r\n");
}

void TestYardctlCommands::workersAddSendsWhatIsMissing() {
    const std::string script = "#!/bin/sh\n";
    std::atomic<bool> stored = false;
    FakeServer server([&](const FakeRequest& request) {
        if (request.method == "PUT") {
            stored = request.target.ends_with(hexOf(script)) && request.body == script;
            return FakeReply{};
        }
        if (!stored) return FakeReply{409, R"({"error":"need","message":"","need":[")" + hexOf(script) + "\"]}"};
        return FakeReply{};
    });
    const DataDirectory data(server);
    QVERIFY(makeDirectories(data.file("w/bin")));
    QVERIFY(writeFileAtomically(data.file("w/bin/w"), script, 0755));
    QVERIFY(writeFileAtomically(data.file("w/worker.json"), R"({"name":"w","version":"1","executable":"bin/w"})",
                                0644));
    const Ended ended = data.run({"workers", "add", QString::fromStdString(data.file("w"))});
    QCOMPARE(ended.code, 0);
    const FakeRequest posted = server.requests().back();
    const auto parsed = parseWorker(posted.body);
    QVERIFY(parsed);
    QCOMPARE(posted.target, "/compute/workers/" + parsed->id.hex());
    QCOMPARE(posted.body, parsed->canonical);
    QCOMPARE(ended.out, "w@1 is registered as " + parsed->id.hex() + "\n");
    QCOMPARE(data.run({"workers", "add", "/nonexistent"}).code, 1);
}

void TestYardctlCommands::workersAreFoundByName() {
    const std::string id = hexOf("one");
    const std::string other = hexOf("two");
    const std::string worker = R"({"id":")" + id + R"(","name":"thumbs","version":"2"})";
    FakeServer server(table(
        {{"GET /compute/workers/all",
          {.body = "{\"workers\":[" + worker + R"(,{"id":")" + other + R"(","name":"thumbs","version":"1"}]})"}},
         {"GET /compute/workers/" + id, {.body = worker}},
         {"DELETE /compute/workers/" + id, {}}}));
    const DataDirectory data(server);
    QVERIFY(data.run({"workers"}).out.find("thumbs@2") != std::string::npos);
    QCOMPARE(data.run({"workers", "show", "thumbs@2"}).code, 0);
    QVERIFY(data.run({"workers", "show", "thumbs"}).err.find("more than one") != std::string::npos);
    QCOMPARE(data.run({"workers", "remove", QString::fromStdString(id.substr(0, 8)), "--force"}).code, 0);
    QCOMPARE(server.requests().back().body, R"({"force":true})");
}

void TestYardctlCommands::sessionMoves() {
    FakeServer server(
        table({{"GET /compute/session", {.body = R"({"state":"ready","healthy":true,"counts":{"pending":3}})"}},
               {"POST /compute/session/pause", {.body = R"({"state":"paused"})"}},
               {"POST /compute/session/drain", {.body = R"({"state":"draining"})"}},
               {"POST /compute/abandon", {.body = R"({"state":"abandoned"})"}}}));
    const DataDirectory data(server);
    QVERIFY(data.run({"session"}).out.find("pending 3") != std::string::npos);
    QCOMPARE(data.run({"session", "drain"}).out, "the session is draining: it takes no new actions until the "
                                                 "engine is restarted\n");
    QCOMPARE(data.run({"session", "pause"}).out,
             "the session is paused: nothing starts until the engine is restarted\n");
    QCOMPARE(data.run({"session", "abandon"}).code, 0);
}

void TestYardctlCommands::reasonsForWaitingAreListed() {
    const FakeServer server(
        table({{"GET /compute/session/waiting", {.body = R"({"t":1,"others":2,"reasons":[{"count":2500,"queue_id":7,
        "filter":"state:pending queue:7","wait":{"kind":"hold","message":"its queue is held"}},
        {"count":3,"wait":{"kind":"capacity","resource":"cores","need":1,"message":"0 of 2 cores free"}},
        {"count":1,"wait":{"kind":"capacity","resource":"cores","need":2,"message":"0 of 2 cores free"}}]})"}}}));
    const DataDirectory data(server);
    const std::string out = data.run({"session", "waiting"}).out;
    QVERIFY2(out.find("2500") != std::string::npos, out.c_str());
    QVERIFY2(out.find("its queue is held") != std::string::npos, out.c_str());
    QVERIFY2(out.find("needs 1 core, 0 of 2 free") != std::string::npos, out.c_str());
    QVERIFY2(out.find("needs 2 cores, 0 of 2 free") != std::string::npos, out.c_str());
    QVERIFY2(out.find("2 more for other reasons\n") != std::string::npos, out.c_str());
    QVERIFY(data.run({"--json", "session", "waiting"}).out.find("\"others\":2") != std::string::npos);
    const FakeServer idle(
        table({{"GET /compute/session/waiting", {.body = R"({"t":1,"others":0,"reasons":[]})"}}}));
    QCOMPARE(DataDirectory(idle).run({"session", "waiting"}).out, "nothing waits\n");
    const FakeServer broken(table({}));
    QCOMPARE(DataDirectory(broken).run({"session", "waiting"}).code, 1);
}

void TestYardctlCommands::settingsAreShownAndChanged() {
    const char* const all =
        R"({"grace_s":2,"log_level":"info","resources.gpus":4,"restart_needed":[],"about":{"grace_s":{"unit":"s",
            "least":0,"most":60,"default":2,"applies":"at_once","help":"H."},"log_level":{"words":["debug","info"],
            "default":"info","applies":"at_start","help":"L."},"resources.NAME":{"least":0,"most":9,
            "applies":"at_start","help":"R."}}})";
    const FakeServer server(table(
        {{"GET /compute/settings", {200, all}},
         {"PATCH /compute/settings",
          {200,
           R"({"grace_s":5,"log_level":"debug","restart_needed":["log_level","durability","resources.licence.x"]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"settings"}).out, "NAME            VALUE     DEFAULT   RANGE        APPLIES   WHAT\n"
                                         "grace_s         2         2         0 to 60 s    at once   H.\n"
                                         "log_level       info      info      debug, info  at start  L.\n"
                                         "resources.gpus  4         as found  0 to 9       at start  R.\n"
                                         "resources.NAME  as found  as found  0 to 9       at start  R.\n");
    QCOMPARE(data.run({"--json", "settings"}).out, std::string(all) + "\n");
    const Ended changed = data.run({"settings", "grace_s=5", "log_level=debug", "x=default"});
    QCOMPARE(changed.out, "grace_s is 5\nlog_level is debug\nx is as found\n");
    QCOMPARE(changed.err, "Takes effect at the next start of the engine: log_level.\n");
    QCOMPARE(server.find("PATCH /compute/settings").body, R"({"grace_s":5,"log_level":"debug","x":null})");
    // Of others that wait for a restart nobody spoke.
    QCOMPARE(data.run({"settings", "grace_s=5"}).err, "");
    QCOMPARE(data.run({"settings", "resources.licence.x=2"}).err,
             "Takes effect at the next start of the engine: resources.licence.x.\n");
    const Ended wrong = data.run({"settings", "grace_s"});
    QCOMPARE(wrong.code, 2);
    QVERIFY(wrong.err.find("NAME=VALUE") != std::string::npos);
}

void TestYardctlCommands::gcSaysWhatWentOrWouldGo() {
    const FakeServer server([](const FakeRequest& request) -> FakeReply {
        if (request.line() != "POST /compute/gc") return {404, kNotFound};
        if (request.body == R"({"dry_run":true})")
            return {200, R"({"dry_run":true,"actions":{"age":1,"count":2,"size":0},"chunks":{"count":3,"bytes":2048,
                            "recent":4},"finished":10,"disk":{"used_bytes":1024,"log_bytes":3000,"workers_bytes":5000,
                            "limit_bytes":4096}})"};
        return {200, R"({"dry_run":false,"actions":{"age":0,"count":0,"size":0},"chunks":{"count":0,"bytes":0,
                        "recent":0},"finished":7,"disk":{"used_bytes":1024},"note":"Later."})"};
    });
    const DataDirectory data(server);
    QCOMPARE(data.run({"gc", "--dry-run"}).out,
             "actions: 1 too old, 2 too many, 0 too much for the disk would go\n"
             "chunks:  3 (2.05 kB) would go, 4 are still too recent\n"
             "disk:    1.02 kB in chunks and journal, 4.10 kB at most, 3.00 kB in the journal's log, "
             "5.00 kB in files of workers, 10 finished actions\n");
    QCOMPARE(data.run({"gc"}).out, "actions: 0 too old, 0 too many, 0 too much for the disk went\n"
                                   "chunks:  0 (0 B) went\n"
                                   "disk:    1.02 kB in chunks and journal, 7 finished actions\n"
                                   "Later.\n");
    QVERIFY(data.run({"--json", "gc"}).out.starts_with("{\"dry_run\":false"));
    const FakeServer none(table({}));
    QCOMPARE(DataDirectory(none).run({"gc"}).code, 1);
}

void TestYardctlCommands::thePoolIsShown() {
    const FakeServer server(table(
        {{"GET /compute/pool",
          {200,
           R"({"max":6,"max_per_group":2,"max_idle_s":300,"groups":[{"name":"thumbs","version":"2","waiting":4,"spawning":1,"hit_rate":0.75,
                "spawn_seconds_saved":3.5,"restart":{"done":1,"of":2},"processes":[{"id":"p1","state":"busy",
                "pid":7,"processed":3,"sessions":1,"why_started":"first_request","cpu_seconds":1.5,"rss_bytes":2000,
                "current":[12,13],"current_since":9000000000000000},{"id":"p2","state":"starting","processed":0,
                "note":"has not said that it is ready","why_started":"all_busy","current":[]}]},{"name":"idle"}],
                "gone":[{"id":"p0","pid":6,"processed":9,"ended":86400000000,"why":"max_requests"}]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(
        data.run({"pool"}).out,
        "at most 6 processes, 2 of one worker; one that is idle ends after 5 min, unless its worker says "
        "otherwise\n"
        "thumbs 2: 4 wait, one starts, 75.0 % found a process since the engine started, 3.5 s of starts saved, "
        "restarts one by one: 1 of 2\n"
        "idle : 0 wait\n"
        "WORKER  ID  STATE     PID  OPEN  DONE     CPU   MEMORY  UP  USED  NOW                            WHY\n"
        "thumbs  p1  busy        7     1     3  1.50 s  2.00 kB   -     -  12 and 1 for 0 s               first "
        "request\n"
        "thumbs  p2  starting    0     0     0       -        -   -     -  has not said that it is ready  all "
        "busy\n");
    const std::string gone = data.run({"pool", "--gone"}).out;
    QVERIFY2(gone.find("p0    6     9  max requests") != std::string::npos, gone.c_str());
    QVERIFY(data.run({"--json", "pool"}).out.starts_with("{\"max\""));
    const FakeServer none(table({}));
    QCOMPARE(DataDirectory(none).run({"pool"}).code, 1);
}

void TestYardctlCommands::whatAWarmProcessPrintedIsShown() {
    const FakeServer server(table(
        {{"GET /compute/pool/processes/p1",
          {200, R"({"id":"p1","stdout":{"size":5,"text":"one\nt"},"stderr":{"size":131072,"text":"two\n"}})"}},
         {"GET /compute/pool/processes/p2", {200, R"({"id":"p2"})"}},
         {"GET /compute/pool/processes/p4",
          {200, R"({"id":"p4","stdout":{"size":)" + std::to_string(yard::kLastOutputBytes) +
                    R"(,"text":""},"stderr":{"size":)" + std::to_string(yard::kLastOutputBytes + 1) +
                    R"(,"text":""}})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"pool", "--output", "p4"}).err,
             "The last 65.5 kB of 65.5 kB that it wrote to its stderr:\n");
    const auto shown = data.run({"pool", "--output", "p1"});
    QCOMPARE(shown.code, 0);
    QCOMPARE(shown.out, "one\nt");
    QCOMPARE(shown.err, "The last 65.5 kB of 131 kB that it wrote to its stderr:\ntwo\n");
    QVERIFY(data.run({"--json", "pool", "--output", "p1"}).out.starts_with("{\"id\":\"p1\""));
    QCOMPARE(data.run({"pool", "-o", "p2"}).err, "What p2 printed is no longer kept.\n");
    QCOMPARE(data.run({"pool", "--output", "p3"}).code, 1);
    QCOMPARE(data.run({"pool", "--output", "p1", "detach"}).code, 2);
}

void TestYardctlCommands::thePoolIsSteered() {
    const FakeServer server(table({{"POST /compute/pool/thumbs%402/restart", {200, R"({"worker":"x"})"}},
                                   {"DELETE /compute/pool/processes/p7", {200, R"({"id":"p7"})"}},
                                   {"PATCH /compute/pool", {200, R"({"max":4,"max_per_group":0,"groups":[]})"}},
                                   {"GET /compute/pool", {200, R"({"groups":[],"gone":[]})"}}}));
    const DataDirectory data(server);
    QVERIFY(
        data.run({"pool", "restart", "thumbs@2"}).out.starts_with("whatever processes thumbs@2 has are replaced"));
    QVERIFY(data.run({"pool", "detach", "p7"}).out.starts_with("p7 gets no more requests"));
    QCOMPARE(data.run({"--json", "pool", "detach", "p7"}).out, "{\"id\":\"p7\"}\n");
    QCOMPARE(data.run({"pool", "set", "max=4", "max_per_group=default"}).out, "max is 4\nmax_per_group is 0\n");
    QCOMPARE(server.requests().back().body, "{\"max\":4,\"max_per_group\":null}");
    QVERIFY(data.run({"--json", "pool", "set", "max=4"}).out.starts_with("{\"max\":4"));
    QCOMPARE(data.run({"pool", "detach", "p8"}).code, 1);
    QCOMPARE(data.run({"pool"}).out, "");
    QCOMPARE(data.run({"pool", "--gone"}).err, "No warm process has ended.\n");
    const FakeServer none(table({}));
    QCOMPARE(DataDirectory(none).run({"pool", "set", "max=4"}).code, 1);
}

void TestYardctlCommands::locksAreListed() {
    const FakeServer server(
        table({{"GET /compute/locks", {200, R"({"locks":[{"name":"app:x","holder":{"engine":"e","lsn":7,"pid":12,
                                         "data_dir":"/data"},"waiting":[8,9],"more":true},
                                         {"name":"db","holder":{"lsn":0,"pid":12,"data_dir":"/d"},"waiting":[]},
                                         {"name":"free","waiting":[]}]})"}}}));
    const DataDirectory data(server);
    QCOMPARE(data.run({"locks"}).out, "LOCK   HELD BY                   SINCE  DATA DIRECTORY  WAITING\n"
                                      "app:x  action 7 of pid 12        -      /data           8 9 …\n"
                                      "db     a warm process of pid 12  -      /d              -\n"
                                      "free   -                         -      -               -\n");
    QVERIFY(data.run({"--json", "locks"}).out.starts_with("{\"locks\":["));
    const FakeServer none(table({{"GET /compute/locks", {200, R"({"locks":[]})"}}}));
    const auto empty = DataDirectory(none).run({"locks"});
    QCOMPARE(empty.err, "No lock is held or waited for.\n");
    const FakeServer old(table({}));
    QCOMPARE(DataDirectory(old).run({"locks"}).code, 1);
}

void TestYardctlCommands::topPrintsOnceWithoutATerminal() {
    const FakeServer server(topAnswers());
    const DataDirectory data(server);
    const Ended once = data.run({"top"});
    QCOMPARE(once.code, 0);
    QVERIFY(once.out.find("yardmaster ready on desk") == 0);
    QVERIFY(once.out.find("render") != std::string::npos);
    QVERIFY(once.out.find('\x1b') == std::string::npos);
    const json::object all = json::parse(data.run({"top", "--json"}).out).as_object();
    QCOMPARE(all.at("running").as_array().at(0).at("lsn").as_int64(), 12);
    QCOMPARE(all.at("queues").as_array().size(), std::size_t{1});
    QCOMPARE(all.at("session").at("state").as_string(), "ready");
    QCOMPARE(data.run({"top", "--interval", "1ms"}).code, 2);
    const FakeServer none(table({}));
    QCOMPARE(DataDirectory(none).run({"top"}).code, 1);
}

void TestYardctlCommands::topLivesInATerminal() {
    const FakeServer server(topAnswers());
    const DataDirectory data(server);
    winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const std::string directory = data.path().toStdString();
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
    QVERIFY(pid >= 0);
    if (pid == 0) {
        ::execl(YARDCTL_PATH, "yardctl", "--data-dir", directory.c_str(), "top", "--interval", "1h", nullptr);
        ::_exit(127);
    }
    const UniqueFd closing(terminal);
    std::string seen;
    // Reads on until `text` was seen.
    const auto sees = [&](std::string_view text) {
        while (seen.find(text) == std::string::npos) {
            pollfd ready{terminal, POLLIN, 0};
            std::array<char, 4096> buffer{};
            if (::poll(&ready, 1, kWaitMs) <= 0) return false;
            const ssize_t n = ::read(terminal, buffer.data(), buffer.size());
            if (n <= 0) return false;
            seen.append(buffer.data(), static_cast<std::size_t>(n));
        }
        return true;
    };
    QVERIFY2(sees("render"), seen.c_str());
    QVERIFY(seen.find("\x1b[?1049h") != std::string::npos);
    const auto asked = server.requests().size();
    seen.clear();
    size.ws_col = 40;
    QCOMPARE(::ioctl(terminal, TIOCSWINSZ, &size), 0);
    QVERIFY2(sees("\u2026"), seen.c_str()); // the headline is cut now
    QCOMPARE(server.requests().size(), asked);
    seen.clear();
    QCOMPARE(::write(terminal, " ", 1), ssize_t{1}); // asks again at once
    // What is seen next may be the rest of what was drawn before.
    QTRY_VERIFY_WITH_TIMEOUT(server.requests().size() > asked, kWaitMs);
    seen.clear();
    QCOMPARE(::write(terminal, "q", 1), ssize_t{1});
    QVERIFY2(sees("\x1b[?1049l"), seen.c_str());
    int status = -1;
    QCOMPARE(::waitpid(pid, &status, 0), pid);
    QCOMPARE(status, 0);
}

void TestYardctlCommands::documentsNeedNoEngine() {
    const QTemporaryDir empty;
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const Ended printed = CtlProcess({"--data-dir", empty.path(), "completion", shell}).end();
        QCOMPARE(printed.code, 0);
        QVERIFY(printed.out.find("retire") != std::string::npos);
    }
    QCOMPARE(CtlProcess({"completion", "csh"}).end().code, 2);
    const std::string manual = CtlProcess({"manual"}).end().out;
    QVERIFY(manual.starts_with(".TH \"YARDCTL\" 1"));
    QVERIFY(CtlProcess({"manual", "rm"}).end().out.starts_with(".TH \"YARDCTL-RETIRE\" 1"));
    QCOMPARE(CtlProcess({"manual", "rmm"}).end().code, 2);
    QCOMPARE(CtlProcess({"manual", "--into", empty.path() + "/man1"}).end().out, "");
    QVERIFY(QFile::exists(empty.path() + "/man1/yardctl.1") && QFile::exists(empty.path() + "/man1/yardctl-run.1"));
    // As JSON like all others.
    const auto told = [](const QStringList& words) {
        return json::parse(CtlProcess(QStringList{"--json"} + words).end().out).as_object();
    };
    QCOMPARE(std::string(told({"manual"}).at("manual").as_string()), manual);
    QCOMPARE(std::string(told({"completion", "fish"}).at("script").as_string()),
             CtlProcess({"completion", "fish"}).end().out);
}

QTEST_GUILESS_MAIN(TestYardctlCommands)
#include "tst_yardctl_commands.moc"
