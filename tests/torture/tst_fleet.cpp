// A yard and two machines in network namespaces of their own: while actions with inputs and outputs run on the machines, links
// are cut without a word, and engines on all sides are killed. In the end nothing is lost, nothing ran twice at once, each
// output is what it has to be, and nothing is left running.
//
// YARD_FLEET_SECONDS: for how long things go wrong (default 8); YARD_FLEET_ACTIONS: how many there are (default 60).
#include "core/base/hash.h"
#include "tests/torture/program.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sched.h>
#include <set>
#include <string>
#include <vector>

using namespace yard;
using namespace yard::torture;

namespace {

constexpr int kLease = 5;
constexpr std::size_t kInputBytes = 100'000;

bool run(const QStringList& words) {
    QProcess process;
    process.start(words.front(), words.mid(1));
    return process.waitForStarted() && process.waitForFinished() && process.exitStatus() == QProcess::NormalExit &&
           process.exitCode() == 0;
}

/// A namespace with one end of a link in it; the other one is here.
class Net {
public:
    explicit Net(int number)
        : here_(QString("yardm%1").arg(number)) {
        holder_.start("unshare", {"-n", "sleep", "100000"});
        if (!holder_.waitForStarted()) return;
        const QString there = here_ + "x";
        const QString net = QString("10.77.%1.").arg(number);
        // It has its namespace once its link can be put there and is seen there.
        const auto isThere = [&] {
            return run({"ip", "link", "add", here_, "type", "veth", "peer", "name", there, "netns",
                        QString::number(holder_.processId())}) &&
                   (run(within({"ip", "link", "show", there})) || !run({"ip", "link", "del", here_}));
        };
        if (!QTest::qWaitFor(isThere, kWaitMs)) return;
        isMade = run({"ip", "addr", "add", net + "1/24", "dev", here_}) && setUp(true) &&
                 run(within({"ip", "addr", "add", net + "2/24", "dev", there})) &&
                 run(within({"ip", "link", "set", there, "up"})) && run(within({"ip", "link", "set", "lo", "up"}));
        yard = (net + "1").toStdString();
        // Where the kernel has it; a link that is cut now and then is bad enough without.
        isSlow = run({"tc", "qdisc", "add", "dev", here_, "root", "netem", "delay", "20ms", "5ms", "loss", "2%"});
    }
    ~Net() {
        holder_.kill();
        holder_.waitForFinished();
    }
    Net(const Net&) = delete;
    Net& operator=(const Net&) = delete;

    /// Nothing passes, and nobody is told.
    bool setUp(bool isUp) { return run({"ip", "link", "set", here_, isUp ? "up" : "down"}); }
    QStringList within(const QStringList& words) const {
        return QStringList{"nsenter", "-t", QString::number(holder_.processId()), "-n"} + words;
    }
    std::vector<std::string> wrapper() const {
        std::vector<std::string> words;
        for (const QString& word : within({})) words.push_back(word.toStdString());
        return words;
    }

    bool isMade = false;
    bool isSlow = false;
    std::string yard; ///< its address from there

private:
    QString here_;
    QProcess holder_;
};

struct Box {
    explicit Box(int number)
        : net(number)
        , name(fmt::format("m{}", number)) {}
    Net net;
    std::string name;
    Place place;
    std::unique_ptr<Yardmaster> engine{};
};

class Fleet {
public:
    Fleet() {
        for (const auto& box : boxes_) isMade = isMade && box->net.isMade;
        if (!isMade) return;
        startYard();
        token_ = caller().post("/compute/machines/tokens", R"({"uses":2})").text("token");
        for (const auto& box : boxes_) startMachine(*box);
        if (!eventually([this] { return linked() == boxes_.size(); })) qFatal("they are not linked");
    }
    void startYard() {
        yard_ = std::make_unique<Yardmaster>(
            yardPlace, Yardmaster::Options{.arguments = {"--insecure", "--set", fmt::format("lease_s={}", kLease)},
                                           .wrapper = {},
                                           .listen = fmt::format("0.0.0.0:{}", port_),
                                           .dataDir = {}});
        if (!yard_->isServing()) qFatal("%s", yard_->errors().c_str());
        port_ = yard_->port();
        caller_.emplace(yard_->caller());
    }
    void startMachine(Box& box) {
        box.engine = std::make_unique<Yardmaster>(
            box.place,
            Yardmaster::Options{
                .arguments = {"--insecure", "--set", "guest_unsandboxed=on", "--capacity", "4", "--name", box.name,
                              "--join", fmt::format("http://{}:{}", box.net.yard, port_), "--join-token", token_},
                .wrapper = box.net.wrapper(),
                .listen = "127.0.0.1:0",
                .dataDir = {}});
        if (!box.engine->isServing()) qFatal("%s", box.engine->errors().c_str());
    }
    /// One thing that goes wrong, and is put right after a while.
    void harm(std::mt19937& random) {
        constexpr int kHarms = 4;
        Box& box = *boxes_[random() % boxes_.size()];
        const int pauseMs = 100 + static_cast<int>(random() % 1'500);
        switch (random() % kHarms) {
        case 0:
            yard_->kill();
            QTest::qWait(pauseMs);
            return startYard();
        case 1:
            box.engine->kill();
            QTest::qWait(pauseMs);
            return startMachine(box);
        case 2:
            box.engine->signal(SIGSTOP);
            QTest::qWait(pauseMs);
            return box.engine->signal(SIGCONT);
        default:
            (void)box.net.setUp(false);
            QTest::qWait(pauseMs);
            (void)box.net.setUp(true);
        }
    }
    std::size_t linked() {
        const auto json = caller().get("/compute/machines").json();
        const auto* list = json.if_contains("machines");
        std::size_t count = 0;
        if (list)
            for (const auto& machine : list->as_array()) {
                const auto& state = machine.as_object().at("state").as_string();
                if (machine.as_object().at("kind").as_string() == "joined" && (state == "ready" || state == "busy"))
                    ++count;
            }
        return count;
    }
    /// All of them are down, and what they left.
    std::string leftRunning() {
        for (const auto& box : boxes_) (void)box->engine->stop();
        (void)yard_->stop();
        std::string left = describe(processesOf(yardPlace));
        for (const auto& box : boxes_) left += describe(processesOf(box->place));
        return left;
    }
    static bool eventually(const std::function<bool()>& holds) { return QTest::qWaitFor(holds, kWaitMs); }
    Caller& caller() { return *caller_; }
    std::string errors() { return yardPlace.errors() + boxes_[0]->place.errors() + boxes_[1]->place.errors(); }

    bool isMade = true;
    Place yardPlace;

private:
    std::array<std::unique_ptr<Box>, 2> boxes_{std::make_unique<Box>(1), std::make_unique<Box>(2)};
    std::unique_ptr<Yardmaster> yard_;
    std::optional<Caller> caller_;
    std::uint16_t port_ = 0;
    std::string token_;
};

/// What each action was given and said.
class Book {
public:
    explicit Book(const Place& place)
        : log_(place.path("log"))
        , locks_(place.path("lock"))
        , bytes_(kInputBytes, 'i') {}

    void submit(Caller& caller, int count) {
        for (int number = 0; number < count; ++number) {
            const std::string input = fmt::format("{} {}", number, bytes_);
            const std::string hash = Sha256::of(input).hex();
            if (caller.call("PUT", "/compute/chunks/" + hash, input).status / 100 != 2) qFatal("no input");
            const Answer answer = caller.post(
                "/compute/jobs",
                fmt::format(
                    R"({{"worker":"exec","argv":["/bin/sh","-c",{}],"machine":["m1","m2"],"inputs":{{"in":"{}"}},)"
                    R"("expect":["out"],"max_interruptions":1000}})",
                    jsonText(script(number)), hash));
            const std::int64_t lsn = answer.number("lsn");
            if (lsn < 0) qFatal("not taken: %s", answer.shown().c_str());
            outputs_[lsn] = Sha256::of(input + "done\n").hex();
        }
    }
    /// Empty: each has ended well, and left what it has to.
    std::string wrong(Caller& caller) {
        constexpr int kAtOnceSeconds = 50;
        constexpr int kTries = 20; // of a long one they come one after the other
        std::string all;
        for (const auto& [lsn, hash] : outputs_) {
            Answer result = caller.result(lsn, kAtOnceSeconds);
            for (int tries = 1; result.status == 202 && tries < kTries; ++tries)
                result = caller.result(lsn, kAtOnceSeconds);
            if (result.text("state") != "completed" || !result.body.contains(hash))
                all += result.shown() + "\n";
            else if (caller.get(fmt::format("/compute/chunks/{}?lsn={}", hash, lsn)).body.size() < kInputBytes)
                all += fmt::format("the output of {} is not here\n", lsn);
        }
        std::set<std::string> ended;
        const std::string log = fileText(log_);
        for (const QString& line : QString::fromStdString(log).split('\n', Qt::SkipEmptyParts)) {
            if (line.startsWith("double")) all += line.toStdString() + "\n";
            if (line.startsWith("end ")) ended.insert(line.toStdString());
        }
        if (ended.size() != outputs_.size()) all += fmt::format("{} of {} ended\n", ended.size(), outputs_.size());
        return all;
    }

private:
    /// Its whole tree has the lock: who begins while another run of it lives finds that out.
    std::string script(int number) const {
        return fmt::format("exec 9>>{1}.{0}; flock -n 9 || echo double {0} >> {2}; echo begin {0} >> {2}; "
                           "cat inputs/in > outputs/out; sleep 0.3; echo done >> outputs/out; echo end {0} >> {2}",
                           number, locks_, log_);
    }
    const std::string log_;
    const std::string locks_;
    const std::string bytes_;
    std::map<std::int64_t, std::string> outputs_; ///< hash of what each has to leave
};

} // namespace

class TestFleet : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whateverIsCutOrKilledNothingIsLostOrRunsTwice() {
        if (!isAllowed) QSKIP("this user may make no network namespaces here");
        Fleet fleet;
        if (!fleet.isMade) QSKIP("this kernel has no veth devices, or there is no program ip");
        Book book(fleet.yardPlace);
        book.submit(fleet.caller(), numberFrom("YARD_FLEET_ACTIONS", 60));
        const auto seed = static_cast<unsigned>(numberFrom("YARD_FLEET_SEED", 1));
        std::mt19937 random(seed);
        QElapsedTimer since;
        since.start();
        const int harmMs = 1'000 * numberFrom("YARD_FLEET_SECONDS", 8);
        while (since.elapsed() < harmMs) fleet.harm(random);
        const std::string wrong = book.wrong(fleet.caller());
        QVERIFY2(wrong.empty(), (wrong + fleet.errors()).c_str());
        const std::string left = fleet.leftRunning();
        QVERIFY2(left.empty(), left.c_str());
    }

public:
    bool isAllowed = false;
};

int main(int argc, char** argv) {
    const bool isAllowed = ::unshare(CLONE_NEWNET) == 0; // before any thread is there
    const QCoreApplication application(argc, argv);
    TestFleet test;
    test.isAllowed = isAllowed && run({"ip", "link", "set", "lo", "up"});
    return QTest::qExec(&test, argc, argv);
}
#include "tst_fleet.moc"
