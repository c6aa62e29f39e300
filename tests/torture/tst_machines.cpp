// A yard and a machine that works for it, as real programs over loopback: whichever is killed, nothing runs twice at once,
// and nothing is lost. Each action writes a line to a shared log when it begins, and one when it ends.
#include "core/base/hash.h"
#include "core/model/worker.h"
#include "tests/base/in_mount_namespace.h"
#include "tests/torture/program.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::torture;

namespace {

constexpr int kLease = 5;
constexpr int kLongLease = 600; ///< it is not over before a test is, however slow the machine
constexpr int kYardWaitsLonger = 10;

class Pair {
public:
    /// `machineData`: the data directory of the machine, on a disk of the test's own; empty: the place's.
    /// `machineArguments`: more of the machine's.
    explicit Pair(int lease = kLease, std::string machineData = {}, std::vector<std::string> machineArguments = {})
        : lease_(lease)
        , machineData_(std::move(machineData))
        , machineArguments_(std::move(machineArguments)) {
        startYard();
        token_ = caller()
                     .post("/compute/machines/tokens", "{}")
                     .text("token"); // for one machine, however often it starts
        startMachine();
    }
    void startYard() {
        yard_ = std::make_unique<Yardmaster>(
            yardPlace,
            Yardmaster::Options{.arguments = {"--capacity", "1", "--set", fmt::format("lease_s={}", lease_)},
                                .wrapper = {},
                                .listen = fmt::format("127.0.0.1:{}", port_),
                                .dataDir = {}});
        if (!yard_->isServing()) qFatal("%s", yard_->errors().c_str());
        port_ = yard_->port();
        caller_.emplace(yard_->caller());
    }
    void startMachine() {
        std::vector<std::string> arguments{"--set",        "guest_unsandboxed=on",
                                           "--join",       fmt::format("http://127.0.0.1:{}", port_),
                                           "--join-token", token_};
        arguments.insert(arguments.end(), machineArguments_.begin(), machineArguments_.end());
        machine_ = std::make_unique<Yardmaster>(machinePlace, Yardmaster::Options{.arguments = std::move(arguments),
                                                                                  .wrapper = {},
                                                                                  .listen = "127.0.0.1:0",
                                                                                  .dataDir = machineData_});
        if (!machine_->isServing()) qFatal("%s", machine_->errors().c_str());
        if (!eventually([this] { return isLinked(); })) qFatal("it is not linked: %s", machine_->errors().c_str());
    }
    void killYard() { yard_->kill(); }
    std::string yardErrors() const { return yard_->errors(); }
    void killMachine() { machine_->kill(); }

    Caller& caller() { return *caller_; }
    static bool eventually(const std::function<bool()>& holds) { return QTest::qWaitFor(holds, kWaitMs); }
    /// What this yard says of its machine; nothing: it has none.
    std::string state() {
        const auto json = caller().get("/compute/machines").json();
        const auto* list = json.if_contains("machines");
        if (!list || list->as_array().size() < 2) return {};
        return std::string(list->as_array()[1].as_object().at("state").as_string());
    }
    bool isLinked() {
        const std::string now = state();
        return now == "ready" || now == "busy";
    }
    /// It runs until go() on the machine, since this one is full, and writes its lines.
    std::int64_t submitThere(std::string_view more = {}) {
        const std::int64_t blocker =
            caller().post("/compute/jobs", shJson(yardPlace, waiting("full"))).number("lsn");
        if (!eventually([&] { return stateOf(blocker) == "running"; })) qFatal("this machine stays free");
        const std::string script =
            fmt::format("echo begin >> {0}; {1}; echo end >> {0}", yardPlace.path("log"), waiting("go"));
        const Answer answer = caller().post(
            "/compute/jobs", fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c",{}],"machine":"any"{}}})",
                                         jsonText(script), more));
        const std::int64_t lsn = answer.number("lsn");
        if (!eventually([&] { return log() == "begin\n" && stateOf(lsn) == "running"; }))
            qFatal("it does not begin: %s", answer.shown().c_str());
        writeText(yardPlace.path("full"), ""); // what is free from now on is this machine
        if (caller().result(blocker).status != 200) qFatal("this machine stays full");
        return lsn;
    }
    void go() { writeText(yardPlace.path("go"), ""); }
    std::string stateOf(std::int64_t lsn) {
        return caller().get(fmt::format("/compute/jobs/{}", lsn)).text("state");
    }
    std::string log() { return fileText(yardPlace.path("log")); }
    /// How its attempts ended, one after the other.
    std::string ends(const Answer& result) {
        std::string text;
        const auto json = result.json();
        if (const auto* attempts = json.if_contains("attempts"))
            for (const auto& attempt : attempts->as_array()) {
                const auto* reason = attempt.as_object().if_contains("reason");
                const auto& state = attempt.as_object().at("state");
                text += std::string((reason ? *reason : state).as_string()) + " ";
            }
        return text;
    }

    Place yardPlace;
    Place machinePlace;

private:
    std::string waiting(std::string_view file) const {
        return fmt::format("while [ ! -e {} ]; do sleep 0.05; done", yardPlace.path(file));
    }
    int lease_;
    std::string machineData_;
    std::vector<std::string> machineArguments_;
    std::uint16_t port_ = 0;
    std::string token_; ///< lets the machine join
    std::unique_ptr<Yardmaster> yard_;
    std::unique_ptr<Yardmaster> machine_;
    std::optional<Caller> caller_;
};

/// A machine that is reached by ssh: a home of its own, with a yardmaster that takes actions without a sandbox. Its ssh is
/// the system's with an sshd of this user, or a stand-in that starts there what it is told, as a session of its own.
class SshMachine {
public:
    explicit SshMachine(bool isReal)
        : isReal_(isReal) {
        QDir().mkpath(QString::fromStdString(place.path("home")));
        home_.emplace(place.path("home"));
        if (!isThere()) return;
        for (const char* name : {"bin", "far"}) QDir().mkpath(QString::fromStdString(place.path(name)));
        writeProgram("far/yardmaster",
                     fmt::format("#!/bin/sh\nexec {} --set guest_unsandboxed=on \"$@\"\n", YARDMASTER_PATH));
        if (isReal_)
            startServer();
        else
            writeProgram("bin/ssh",
                         fmt::format("#!/bin/bash\necho $$ >{0}/pid\nfor last; do :; done\n"
                                     "export HOME={0}/home PATH={0}/far:/usr/bin:/bin; unset XDG_DATA_HOME\n"
                                     "if [ -x {0}/far/yardmaster ]; then cat | setsid /bin/sh -c \"$last\" | cat; "
                                     "exit; fi\n"
                                     // What is only looked for and copied ends by itself, with a status.
                                     "{{ setsid /bin/sh -c \"$last\" < <(cat); echo $? >{0}/ended.$$; }} | cat\n"
                                     "exit $(cat {0}/ended.$$)\n",
                                     place.path()));
    }
    ~SshMachine() {
        if (server_.state() == QProcess::NotRunning) return;
        server_.kill();
        server_.waitForFinished();
    }
    bool isThere() const { return !isReal_ || QFile::exists(kServer); }
    std::string url() const { return isReal_ ? fmt::format("ssh://127.0.0.1:{}", port_) : "ssh://me@attic"; }
    /// For the yard: its ssh comes first.
    std::string path() const { return fmt::format("PATH={}/bin:/usr/bin:/bin", place.path()); }
    /// What carries the link now is gone.
    void cut() const {
        const int pid = std::stoi(fileText(place.path("pid")));
        if (::kill(-pid, SIGKILL) != 0) qFatal("there is no connection");
    }
    std::string errors() const { return fileText(place.path("sshd.log")); }

    /// What runs there, and nothing of the yard, has that in its environment.
    const Place& home() const { return *home_; }

    Place place;

private:
    static constexpr const char* kServer = "/usr/sbin/sshd";
    void writeProgram(std::string_view name, std::string_view text) const {
        writeText(place.path(name), text);
        QFile::setPermissions(QString::fromStdString(place.path(name)),
                              QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    static std::uint16_t freePort() {
        const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(socket.get(), any, size) != 0 || ::getsockname(socket.get(), any, &size) != 0) qFatal("no port");
        return ntohs(address.sin_port);
    }
    void makeKey(const char* name) const {
        const QString file = QString::fromStdString(place.path(name));
        if (QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", file}) != 0) qFatal("no key");
    }
    void startServer() {
        port_ = freePort();
        makeKey("hostkey");
        makeKey("id");
        if (::geteuid() == 0) QDir().mkpath("/run/sshd"); // as root it wants that to be there
        const std::string at = place.path();
        writeText(
            at + "/sshd_config",
            fmt::format("Port {1}\nListenAddress 127.0.0.1\nHostKey {0}/hostkey\nAuthorizedKeysFile {0}/id.pub\n"
                        "PidFile none\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                        "StrictModes no\nPermitRootLogin yes\n"
                        "SetEnv HOME={0}/home XDG_DATA_HOME={0}/home/data PATH={0}/far:/usr/bin:/bin\n",
                        at, port_));
        writeText(at + "/known", fmt::format("[127.0.0.1]:{} {}", port_, fileText(at + "/hostkey.pub")));
        writeText(at + "/ssh_config",
                  fmt::format("IdentityFile {0}/id\nIdentitiesOnly yes\nUserKnownHostsFile {0}/known\n"
                              "GlobalKnownHostsFile /dev/null\n",
                              at));
        writeProgram("bin/ssh", fmt::format("#!/bin/sh\necho $$ >{0}/pid\n"
                                            "exec /usr/bin/ssh -F {0}/ssh_config \"$@\"\n",
                                            at));
        server_.setStandardErrorFile(QString::fromStdString(at + "/sshd.log"));
        server_.start(kServer, {"-D", "-e", "-f", QString::fromStdString(at + "/sshd_config")});
        const bool listens = Pair::eventually([&] { return errors().contains("Server listening"); });
        if (!listens) qFatal("sshd does not listen: %s", errors().c_str());
    }
    bool isReal_;
    std::optional<Place> home_;
    std::uint16_t port_ = 0;
    QProcess server_;
};
/// Commands of an allocator that start the program on this machine; a job is its process.
std::string allocatorOf(const Place& place) {
    const std::string pids = place.path("pids");
    const std::string start = fmt::format(
        "setsid {0} --headless --data-dir {1}/$YARD_PILOT --listen 127.0.0.1:0 --name $YARD_PILOT --set "
        "guest_unsandboxed=on --idle-exit 120 --join $YARD_JOIN_URL > /dev/null 2>> {1}/pilots & echo $! >> {2}; "
        "echo $!",
        YARDMASTER_PATH, place.path(), pids);
    // One that ended is a child of this engine that nobody waits for.
    const std::string list = fmt::format(
        "for p in $(cat {}); do grep -q ^State:.[^Z] /proc/$p/status 2> /dev/null && echo $p; done; true", pids);
    return fmt::format(
        R"({{"name":"here","kind":"command","start":{},"list":{},"stop":"kill $YARD_JOB; true","keep":true}})",
        jsonText(start), jsonText(list));
}

} // namespace

class TestMachines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatRunsWhileTheYardIsKilledIsTakenOver();
    void whatEndsWhileTheYardIsDeadIsFetched();
    void whatAKilledMachineHadGoesElsewhereOnceItsLeaseIsOver();
    void aKilledYardWaitsForAMachineThatStaysAway();
    void aMachineOfAnotherRunHoldsNothing();
    void whatDoesNotFitOnAMachinesDiskRunsElsewhere();
    void aWorkersActionRunsOnAMachineByFilesThatItIsSent();
    void aMachineKilledWhileFilesOfAWorkerComeGetsThemAgain();
    void whatAMachineCannotKeepOfAWorkerIsSaid();
    void aMachineBySshWorksUntilItIsRemoved_data();
    void aMachineBySshWorksUntilItIsRemoved();
    void theProgramIsCopiedToAMachineThatHasNone();
    void anAllocatorsMachineOutlivesAKilledYardAndGoesWithItsAllocator();
};

void TestMachines::whatRunsWhileTheYardIsKilledIsTakenOver() {
    Pair pair(kLongLease);
    const std::int64_t lsn = pair.submitThere();
    pair.killYard();
    pair.startYard();
    QVERIFY(Pair::eventually([&] { return pair.isLinked(); }));
    QVERIFY(Pair::eventually([&] { return pair.stateOf(lsn) == "running"; }));
    QCOMPARE(pair.log(), "begin\n"); // this machine is free, and has not begun it
    pair.go();
    const Answer result = pair.caller().result(lsn);
    QCOMPARE(result.text("state"), "completed");
    QCOMPARE(pair.ends(result), "completed ");
    QCOMPARE(pair.log(), "begin\nend\n");
}

void TestMachines::whatEndsWhileTheYardIsDeadIsFetched() {
    Pair pair(kLongLease);
    const std::int64_t lsn = pair.submitThere();
    pair.killYard();
    pair.go();
    QVERIFY(Pair::eventually([&] { return pair.log() == "begin\nend\n"; }));
    pair.startYard();
    QCOMPARE(pair.caller().result(lsn).text("state"), "completed");
    QCOMPARE(pair.log(), "begin\nend\n");
}

void TestMachines::whatAKilledMachineHadGoesElsewhereOnceItsLeaseIsOver() {
    Pair pair;
    const std::int64_t lsn = pair.submitThere();
    QElapsedTimer since;
    since.start();
    pair.killMachine();
    // What was left alive there must find nothing to end by: it would be gone unseen.
    QVERIFY(Pair::eventually([&] { return pair.log() == "begin\nbegin\n"; }));
    QVERIFY(since.elapsed() >= 1'000 * (kLease + kYardWaitsLonger - 4)); // it had renewed a moment before
    QVERIFY(processesOf(pair.machinePlace).empty());
    pair.go();
    const Answer result = pair.caller().result(lsn);
    QCOMPARE(result.text("state"), "completed");
    QVERIFY2(pair.ends(result).starts_with("lost_runner "), result.shown().c_str());
    QCOMPARE(pair.log(), "begin\nbegin\nend\n");
}

void TestMachines::aKilledYardWaitsForAMachineThatStaysAway() {
    Pair pair;
    const std::int64_t lsn = pair.submitThere();
    pair.killYard();
    pair.killMachine();
    QElapsedTimer since;
    since.start();
    pair.startYard();
    QVERIFY(Pair::eventually([&] { return pair.log() == "begin\nbegin\n"; }));
    QVERIFY(since.elapsed() >= 1'000 * (kLease + kYardWaitsLonger)); // it counts from its start
    QVERIFY(processesOf(pair.machinePlace).empty());
    pair.go();
    const Answer result = pair.caller().result(lsn);
    QCOMPARE(result.text("state"), "completed");
    QVERIFY2(pair.ends(result).starts_with("lost_runner "), result.shown().c_str());
    QCOMPARE(pair.log(), "begin\nbegin\nend\n");
}

void TestMachines::aMachineOfAnotherRunHoldsNothing() {
    Pair pair(kLongLease);
    const std::int64_t lsn = pair.submitThere();
    pair.killYard();
    pair.killMachine();
    pair.go();
    pair.startYard();
    pair.startMachine();
    const Answer result = pair.caller().result(lsn); // long before that lease is over
    QCOMPARE(result.text("state"), "completed");
    QVERIFY2(pair.ends(result).starts_with("lost_runner "), result.shown().c_str());
}

void TestMachines::whatDoesNotFitOnAMachinesDiskRunsElsewhere() {
    static const QTemporaryDir dir;
    YARD_IN_MOUNT_NAMESPACE(dir.path(), "mount -t tmpfs -o size=24m,mode=700 tmpfs $YARD_TEST_MOUNTED");
    const std::string mounted = qEnvironmentVariable(test::kMountedVariable).toStdString();
    Pair pair(kLongLease, mounted + "/data");
    const auto submit = [&](char content) {
        const std::string input(6u << 20, content);
        const std::string hash = Sha256::of(input).hex();
        if (pair.caller().call("PUT", "/compute/chunks/" + hash, input).status / 100 != 2) qFatal("no input");
        return pair.caller()
            .post("/compute/jobs", fmt::format(R"({{"worker":"exec","argv":["/bin/true"],"machine":"any",)"
                                               R"("inputs":{{"in":"{}"}}}})",
                                               hash))
            .number("lsn");
    };
    const auto blockHere = [&](const char* until) {
        const std::int64_t lsn =
            pair.caller()
                .post("/compute/jobs", shJson(pair.yardPlace, fmt::format("until [ -e {} ]; do sleep 0.05; done",
                                                                          pair.yardPlace.path(until))))
                .number("lsn");
        return Pair::eventually([&] { return pair.stateOf(lsn) == "running"; });
    };
    const auto machine = [&] { return pair.caller().get("/compute/machines/1"); };
    const std::string fill = fmt::format("head -c 32m /dev/zero >{}/filler 2>/dev/null; true", mounted);
    QCOMPARE(std::system(fill.c_str()), 0); // NOLINT(concurrency-mt-unsafe)
    QVERIFY(blockHere("first"));
    const std::int64_t lsn = submit('a');
    QVERIFY2(Pair::eventually([&] { return machine().text("reason").contains("its inputs cannot be kept here"); }),
             (machine().shown() + pair.yardErrors()).c_str());
    QCOMPARE(machine().text("state"),
             std::string("draining")); // for a minute, so that it is not asked over and over
    writeText(pair.yardPlace.path("first"), "");
    const Answer here = pair.caller().result(lsn);
    QCOMPARE(here.text("state"), std::string("completed"));
    QCOMPARE(here.text("machine"), std::string());

    // Somebody clears up there, and says so here.
    QVERIFY(QFile::remove(QString::fromStdString(mounted + "/filler")));
    QCOMPARE(pair.caller().post("/compute/machines/1/resume").status, 200);
    QVERIFY(blockHere("second"));
    const Answer there = pair.caller().result(submit('b'));
    QCOMPARE(there.text("state"), std::string("completed"));
    QVERIFY2(!there.text("machine").empty(), there.shown().c_str());
    writeText(pair.yardPlace.path("second"), "");
}

namespace {

/// Registers a worker of one script and one large file on the yard.
void registerWorker(Pair& pair, const std::string& script, const std::string& large) {
    for (const std::string* bytes : {&script, &large})
        if (pair.caller().call("PUT", "/compute/chunks/" + Sha256::of(*bytes).hex(), *bytes).status / 100 != 2)
            qFatal("no file");
    const auto file = [](std::string_view path, const std::string& bytes, std::string_view mode) {
        return fmt::format(R"({{"path":"{}","hash":"{}","size":{},"mode":"{}"}})", path, Sha256::of(bytes).hex(),
                           bytes.size(), mode);
    };
    const auto worker = parseWorker(fmt::format(
        R"({{"name":"cook","version":"1","platform":"{}","executable":"run","files":[{},{}],"functions":[{{"name":"f","version":"1"}}]}})",
        thisPlatform(), file("run", script, "0755"), file("large", large, "0644")));
    if (!worker) qFatal("%s", worker.error().message.c_str());
    const Answer made = pair.caller().post("/compute/workers/" + worker->id.hex(), worker->canonical);
    if (made.status / 100 != 2) qFatal("%s", made.shown().c_str());
}

std::int64_t cook(Pair& pair, std::string_view more = {}) {
    return pair.caller()
        .post("/compute/jobs", fmt::format(R"({{"worker":"cook","function":"f","args":{{"n":1}}{}}})", more))
        .number("lsn");
}

const std::string kCook = "#!/bin/sh\ncat \"$YARD_ACTION\"; echo left > outputs/o\n";

} // namespace

void TestMachines::aWorkersActionRunsOnAMachineByFilesThatItIsSent() {
    Pair pair(kLongLease);
    registerWorker(pair, kCook, std::string(300'000, 'l'));
    const std::int64_t blocker =
        pair.caller()
            .post("/compute/jobs", shJson(pair.yardPlace, fmt::format("until [ -e {} ]; do sleep 0.05; done",
                                                                      pair.yardPlace.path("full"))))
            .number("lsn");
    QVERIFY(Pair::eventually([&] { return pair.stateOf(blocker) == "running"; }));
    for (int round = 0; round < 2; ++round) { // the second finds the files there
        const std::int64_t lsn = cook(pair);
        const Answer result = pair.caller().result(lsn);
        QVERIFY2(result.text("state") == "completed", result.shown().c_str());
        QVERIFY2(!result.text("machine").empty(), result.shown().c_str());
        const Answer output = pair.caller().get(fmt::format("/compute/jobs/{}/stdout", lsn));
        QVERIFY2(output.body.contains(fmt::format(R"("lsn":{},)", lsn)), output.shown().c_str());
        QVERIFY2(result.body.contains(Sha256::of("left\n").hex()), result.shown().c_str());
    }
    writeText(pair.yardPlace.path("full"), "");
    const Answer here = pair.caller().result(cook(pair, R"(,"machine":"local")"));
    QVERIFY2(here.text("state") == "completed", here.shown().c_str());
    QCOMPARE(here.text("machine"), std::string());
}

void TestMachines::aMachineKilledWhileFilesOfAWorkerComeGetsThemAgain() {
    Pair pair(kLongLease);
    registerWorker(pair, kCook, std::string(48u << 20, 'l'));
    const auto machine = pair.caller().get("/compute/machines/1").text("name");
    const std::int64_t lsn = cook(pair, fmt::format(R"(,"machine":"{}")", machine));
    QVERIFY(lsn > 0);
    pair.killMachine(); // some of them are on their way, or all
    pair.startMachine();
    const Answer result = pair.caller().result(lsn);
    QVERIFY2(result.text("state") == "completed", result.shown().c_str());
    QCOMPARE(result.text("machine"), machine);
}

void TestMachines::whatAMachineCannotKeepOfAWorkerIsSaid() {
    Pair pair(kLongLease, {}, {"--set", "guest_store_mb=1"});
    registerWorker(pair, kCook, std::string(2u << 20, 'l'));
    const auto machine = pair.caller().get("/compute/machines/1").text("name");
    const std::int64_t lsn = cook(pair, fmt::format(R"(,"machine":"{}")", machine));
    const auto why = [&] { return pair.caller().get(fmt::format("/compute/jobs/{}/why", lsn)); };
    QVERIFY2(Pair::eventually([&] { return why().body.contains("guest_store_mb"); }), why().shown().c_str());
    QCOMPARE(pair.caller().post(fmt::format("/compute/jobs/{}/cancel", lsn)).status / 100, 2);
}

void TestMachines::aMachineBySshWorksUntilItIsRemoved_data() {
    QTest::addColumn<bool>("isReal");
    QTest::newRow("a stand-in for ssh") << false;
    QTest::newRow("sshd") << true;
}

void TestMachines::aMachineBySshWorksUntilItIsRemoved() {
    QFETCH(bool, isReal);
    const SshMachine machine(isReal);
    if (!machine.isThere()) QSKIP("openssh-server is not installed");
    const Place place;
    Yardmaster yard(place, {.arguments = {}, .wrapper = {"/usr/bin/env", machine.path()}});
    QVERIFY2(yard.isServing(), yard.errors().c_str());
    Caller caller = yard.caller();
    const Answer added =
        caller.post("/compute/machines", fmt::format(R"({{"address":"{}","name":"attic"}})", machine.url()));
    QVERIFY2(added.status == 200, (added.shown() + machine.errors()).c_str());
    QCOMPARE(added.text("kind"), std::string("ssh"));
    QCOMPARE(added.text("address"), machine.url());
    const auto submit = [&](std::string_view script) {
        return caller
            .post("/compute/jobs",
                  fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c",{}],"machine":"attic"}})",
                              jsonText(script)))
            .number("lsn");
    };
    const Answer first = caller.result(submit("true"));
    QCOMPARE(first.text("machine"), std::string("attic"));

    // Cut in the middle: what is started there next is another run, which holds nothing.
    const std::string log = place.path("log");
    const std::int64_t cut = submit(fmt::format(
        "echo begin >>{0}; until [ -e {1} ]; do sleep 0.05; done; echo end >>{0}", log, place.path("go")));
    QVERIFY(Pair::eventually([&] { return fileText(log) == "begin\n"; }));
    machine.cut();
    QVERIFY(Pair::eventually([&] { return fileText(log) == "begin\nbegin\n"; }));
    writeText(place.path("go"), "");
    const Answer again = caller.result(cut);
    QCOMPARE(again.text("machine"), std::string("attic"));
    QCOMPARE(fileText(log), std::string("begin\nbegin\nend\n"));

    const std::string route = fmt::format("/compute/machines/{}", added.number("id"));
    QCOMPARE(caller.call("DELETE", route).status, 200);
    QVERIFY2(Pair::eventually([&] { return processesOf(machine.home()).empty(); }),
             describe(processesOf(machine.home())).c_str());
    QCOMPARE(yard.stop(), 0);
}

void TestMachines::theProgramIsCopiedToAMachineThatHasNone() {
    const SshMachine machine(false);
    QVERIFY(QFile::remove(QString::fromStdString(machine.place.path("far/yardmaster"))));
    const Place place;
    Yardmaster yard(place,
                    {.arguments = {"--bundle", YARDMASTER_PATH}, .wrapper = {"/usr/bin/env", machine.path()}});
    QVERIFY2(yard.isServing(), yard.errors().c_str());
    Caller caller = yard.caller();
    const Answer without = caller.post("/compute/machines", R"({"address":"ssh://me@attic"})");
    QCOMPARE(without.status, 422);
    QVERIFY2(without.text("message").contains("There is no yardmaster on attic"), without.shown().c_str());
    const Answer added = caller.post("/compute/machines", R"({"address":"ssh://me@attic","install":true})");
    QVERIFY2(added.status == 200, added.shown().c_str());
    const QDir programs(QString::fromStdString(machine.place.path("home/.local/share/yardmaster/programs")));
    QCOMPARE(programs.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).size(), qsizetype{1});
    QCOMPARE(yard.stop(), 0);
    QVERIFY2(Pair::eventually([&] { return processesOf(machine.home()).empty(); }),
             describe(processesOf(machine.home())).c_str());
}

void TestMachines::anAllocatorsMachineOutlivesAKilledYardAndGoesWithItsAllocator() {
    const Place place;
    const auto serve = [&](std::uint16_t port) {
        auto yard =
            std::make_unique<Yardmaster>(place, Yardmaster::Options{.arguments = {"--capacity", "1"},
                                                                    .wrapper = {},
                                                                    .listen = fmt::format("127.0.0.1:{}", port),
                                                                    .dataDir = {}});
        if (!yard->isServing()) qFatal("%s", yard->errors().c_str());
        return yard;
    };
    auto yard = serve(0);
    const std::uint16_t port = yard->port();
    const auto machine = [&] {
        const auto json = yard->caller().get("/compute/machines").json();
        const auto& all = json.at("machines").as_array();
        return all.size() == 2 ? all[1].as_object() : boost::json::object{};
    };
    const auto isLinked = [&] {
        const auto one = machine();
        return one.contains("state") && (one.at("state") == "ready" || one.at("state") == "busy");
    };
    const auto waits = [&](std::string_view more) {
        return yard->caller()
            .post("/compute/jobs",
                  fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c",{}]{}}})",
                              jsonText(fmt::format("while [ ! -e {} ]; do sleep 0.05; done", place.path("full"))),
                              more))
            .number("lsn");
    };
    const std::int64_t blocker = waits("");
    QVERIFY(blocker > 0);
    QVERIFY(Pair::eventually(
        [&] { return yard->caller().get(fmt::format("/compute/jobs/{}", blocker)).text("state") == "running"; }));
    const Answer there =
        yard->caller().post("/compute/jobs", R"({"worker":"exec","argv":["/bin/true"],"machine":"any"})");
    const Answer made = yard->caller().post("/compute/allocators", allocatorOf(place));
    QVERIFY2(made.status == 200, made.shown().c_str());
    const Answer result = yard->caller().result(there.number("lsn"));
    QVERIFY2(result.text("state") == "completed" && result.text("machine").starts_with("here-"),
             (result.shown() + fileText(place.path("pilots"))).c_str());
    QCOMPARE(std::string(machine().at("kind").as_string()), std::string("allocated"));
    const std::string pid = fileText(place.path("pids"));
    yard->kill();
    yard = serve(port);
    QVERIFY(Pair::eventually(isLinked));         // it came back by its key
    QCOMPARE(fileText(place.path("pids")), pid); // and no other was asked for
    QCOMPARE(yard->caller().call("DELETE", "/compute/allocators/here").status, 200);
    QVERIFY(Pair::eventually(
        [&] { return yard->caller().get("/compute/allocators").json().at("allocators").as_array().empty(); }));
    QVERIFY(machine().empty());
    writeText(place.path("full"), "");
}

QTEST_GUILESS_MAIN(TestMachines)
#include "tst_machines.moc"
