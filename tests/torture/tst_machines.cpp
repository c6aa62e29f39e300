// A yard and a machine that works for it, as real programs over loopback: whichever is killed, nothing runs twice at once,
// and nothing is lost. Each action writes a line to a shared log when it begins, and one when it ends.
#include "tests/torture/program.h"

#include <QElapsedTimer>
#include <QTest>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>

using namespace yard;
using namespace yard::torture;

namespace {

constexpr int kLease = 5;
constexpr int kLongLease = 600; ///< it is not over before a test is, however slow the machine
constexpr int kYardWaitsLonger = 10;

class Pair {
public:
    explicit Pair(int lease = kLease)
        : lease_(lease) {
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
        machine_ = std::make_unique<Yardmaster>(
            machinePlace,
            Yardmaster::Options{.arguments = {"--set", "guest_unsandboxed=on", "--join",
                                              fmt::format("http://127.0.0.1:{}", port_), "--join-token", token_},
                                .wrapper = {},
                                .listen = "127.0.0.1:0",
                                .dataDir = {}});
        if (!machine_->isServing()) qFatal("%s", machine_->errors().c_str());
        if (!eventually([this] { return isLinked(); })) qFatal("it is not linked: %s", machine_->errors().c_str());
    }
    void killYard() { yard_->kill(); }
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
    std::uint16_t port_ = 0;
    std::string token_; ///< lets the machine join
    std::unique_ptr<Yardmaster> yard_;
    std::unique_ptr<Yardmaster> machine_;
    std::optional<Caller> caller_;
};

/// Commands of an allocator that start the program on this machine; a job is its process.
std::string allocatorOf(const Place& place) {
    const std::string pids = place.path("pids");
    const std::string start = fmt::format(
        "setsid {0} --headless --data-dir {1}/$YARD_PILOT --listen 127.0.0.1:0 --name $YARD_PILOT --set "
        "guest_unsandboxed=on --idle-exit 120 --join $YARD_JOIN_URL > /dev/null 2>> {1}/pilots & echo $! >> {2}; echo $!",
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
    QCOMPARE(machine().at("kind").as_string(), "allocated");
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
