// A whole engine that works for another one, with a real launcher: what runs for a yard that says what the test wants.
#include "core/launcher/launcher.h"
#include "core/model/worker.h"
#include "tests/engine/scripted_yard.h"

#include <QCoreApplication>
#include <QFile>

#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>

using namespace yard;
using namespace yard::engine::test;
using link::GuestEnd;
using link::Kind;

namespace {

constexpr link::AttemptRef kOne{.lsn = 7, .attempt = 1};

/// A command that needs one core.
link::Lease leaseOf(const std::string& script, link::AttemptRef id = kOne, const std::string& members = {}) {
    link::Lease lease;
    lease.id = id;
    lease.spec = fmt::format(R"({{"worker":"exec","argv":["/bin/sh","-c","{}"]{}}})", script, members);
    lease.graceMs = 100;
    return lease;
}

/// A worker that is one shell script.
struct ScriptWorker {
    std::string script;
    std::string descriptor;

    explicit ScriptWorker(const std::string& text, const std::string& platform = std::string(thisPlatform()))
        : script("#!/bin/sh\n" + text + "\n") {
        const auto parsed = parseWorker(fmt::format(
            R"({{"name":"cook","version":"1","platform":"{}","executable":"run","files":[{{"path":"run","hash":"{}","size":{},"mode":"0755"}}],"functions":[{{"name":"f","version":"1"}}]}})",
            platform, Sha256::of(script).hex(), script.size()));
        if (!parsed) qFatal("%s", parsed.error().message.c_str());
        descriptor = parsed->canonical;
    }
    link::Lease lease(link::AttemptRef id = kOne) const {
        link::Lease made;
        made.id = id;
        made.worker = Sha256::of(descriptor).hex();
        made.spec = fmt::format(R"({{"worker":"{}","function":"f","args":{{"n":1}},"resources":{{"cores":1}}}})",
                                made.worker);
        made.needs.milliCores = 1'000;
        made.graceMs = 100;
        return made;
    }
};

/// The machine asks for this one chunk, and gets these bytes in its name.
bool sends(ScriptedYard& yard, const std::string& wanted, const std::string& bytes) {
    const auto need = yard.next(Kind::Need);
    link::Need hashes;
    if (!need || !get(need->body, hashes) || hashes.hashes != std::vector{Sha256::of(wanted)}) return false;
    yard.send(Kind::Chunk,
              put(link::Chunk{.hash = Sha256::of(wanted), .size = bytes.size(), .offset = 0, .bytes = bytes}),
              need->id);
    return true;
}

struct Machine {
    ScriptedYard yard;
    std::mutex mutex;
    std::string refusal; ///< what the yard said
    std::vector<std::string> set{"guest_unsandboxed=on"};
    bool hasToken = true;
    std::unique_ptr<test::EngineTest> engine;

    explicit Machine(std::vector<std::string> settings = {"guest_unsandboxed=on"}, int cores = 2)
        : set(std::move(settings)) {
        engine = std::make_unique<test::EngineTest>(cores, [this](engine::Options& options) {
            options.set = set;
            options.join = engine::JoinOptions{.url = yard.url(),
                                               .token = hasToken ? kJoinSecret : std::string(),
                                               .insecure = false,
                                               .refused = [this](const std::string& sentence) {
                                                   const std::scoped_lock lock(mutex);
                                                   refusal = sentence;
                                               }};
        });
    }
    std::string refused() {
        const std::scoped_lock lock(mutex);
        return refusal;
    }
    engine::GuestsView view() { return engine->run((*engine)->ask(&engine::Guests::list)); }
    std::string path(const std::string& name) const { return engine->path(name); }
    bool exists(const std::string& name) const { return QFile::exists(QString::fromStdString(path(name))); }
    void make(const std::string& name) const {
        QVERIFY(QFile(QString::fromStdString(path(name))).open(QIODevice::WriteOnly));
    }
    std::string content(const std::string& name) const {
        QFile file(QString::fromStdString(path(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
    }
    /// Runs until the test makes a file, and says where its pid is.
    std::string untilGo() const {
        return fmt::format("echo $$ > {0}; mv {0} {1}; echo begun; while [ ! -e {2} ]; do sleep 0.05; done",
                           path("pid.new"), path("pid"), path("go"));
    }
    bool lives() const { return ::kill(std::stoi(content("pid")), 0) == 0; }
};

} // namespace

class TestGuests : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aGuestGoesFromItsLeaseToSettled();
    void aWorkersActionRunsByFilesThatAreSentOnce();
    void aWorkersFileThatLiesIsNotRun();
    void aLinkThatIsCutAmongTheFilesOfAWorkerGoesOn();
    void aWorkerOfAnotherPlatformIsRefusedWithTheReason();
    void whatFailsSaysHow();
    void outputIsToldWhileItRunsAndACancelEndsIt();
    void howFarItIsIsToldToWhoFollowsIt();
    void aDeadlineEndsIt();
    void whatHasNoSandboxIsRefusedWithTheReason();
    void inputsBeyondTheStoreAreRefusedWithTheReason();
    void itWaitsForCoresBesideTheMachinesOwnWork();
    void aLinkThatIsCutWithinTheLeaseGoesOn();
    void theEndOfTheLeaseEndsTheTree();
    void aYardThatLiesIsCutOff();
    void aYardThatRefusesIsNotAskedAgain();
    void aYardThatIsBusyIsAskedAgain();
    void anEngineThatEndsSaysSoAndEndsItsGuests();
    void anotherRunComesBackWithItsOwnKey();
    void whoIsSentAwayIsLeftForGood();
    void whomItWorksForIsShown();
};

void TestGuests::aGuestGoesFromItsLeaseToSettled() {
    Machine m;
    const auto hello = m.yard.link();
    QVERIFY(hello);
    QVERIFY(m.yard.head().starts_with("GET /compute/link HTTP/1.1\r\n"));
    QVERIFY(m.yard.head().contains("\r\nAuthorization: Bearer " + kJoinSecret + "\r\n"));
    QVERIFY(m.yard.head().contains("\r\nYard-Machine-Key: "));
    QCOMPARE(hello->capacity.milliCores, std::int64_t{2'000});
    QVERIFY(hello->capacity.slots > 0);
    const std::string input = "what came along";
    const Hash256 hash = Sha256::of(input);
    m.yard.send(Kind::Lease, put(leaseOf("cat inputs/in; echo left > outputs/o", kOne,
                                         fmt::format(R"(,"inputs":{{"in":"{}"}})", hash.hex()))));
    const auto need = m.yard.next(Kind::Need);
    QVERIFY(need);
    link::Need wanted;
    QVERIFY(get(need->body, wanted));
    QCOMPARE(wanted.hashes, std::vector{hash});
    m.yard.send(Kind::Chunk, put(link::Chunk{.hash = hash, .size = input.size(), .offset = 0, .bytes = input}),
                need->id);
    const auto end = m.yard.finished();
    QVERIFY(end);
    QCOMPARE(end->id, kOne);
    QVERIFY2(end->cause == GuestEnd::Exited, end->message.c_str());
    QCOMPARE(end->exitCode, std::int64_t{0});
    QCOMPARE(end->out.bytes, input);
    QCOMPARE(end->outputs.size(), std::size_t{1});
    QCOMPARE(end->outputs.front().path, std::string("o"));
    m.yard.send(Kind::Need, put(link::Need{.hashes = {end->outputs.front().hash}}), 5);
    const auto chunk = m.yard.next(Kind::Chunk);
    QVERIFY(chunk);
    link::Chunk piece;
    QVERIFY(get(chunk->body, piece));
    QCOMPARE(piece.bytes, std::string("left\n"));
    QCOMPARE(chunk->id, std::uint64_t{5});
    m.yard.send(Kind::Settled, put(link::AttemptRefs{kOne}));
    QVERIFY(test::EngineTest::eventually([&] { return m.view().yards.front().held == 0; }));
}

void TestGuests::aWorkersActionRunsByFilesThatAreSentOnce() {
    Machine m({"guest_unsandboxed=on"});
    const auto hello = m.yard.link();
    QVERIFY(hello);
    if (!hello->takesWorkers) QSKIP("no sandbox can be made here");
    const ScriptWorker worker(R"(cat "$YARD_ACTION"; echo left > outputs/o; exit 3)");
    m.yard.send(Kind::Lease, put(worker.lease()));
    QVERIFY(sends(m.yard, worker.descriptor, worker.descriptor));
    QVERIFY(sends(m.yard, worker.script, worker.script));
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY2(end->cause == GuestEnd::Exited, end->message.c_str());
    QCOMPARE(end->exitCode, std::int64_t{3});
    QCOMPARE(end->result, std::string());
    QVERIFY2(end->out.bytes.contains(R"("args":{"n":1})"), end->out.bytes.c_str());
    QVERIFY2(end->out.bytes.contains(R"("lsn":7)"), end->out.bytes.c_str()); // the yard's
    QCOMPARE(end->outputs.size(), std::size_t{1});
    QCOMPARE(end->outputs.front().hash, Sha256::of("left\n"));
    // The next one of it finds all here.
    m.yard.send(Kind::Lease, put(worker.lease({.lsn = 8, .attempt = 1})));
    const auto again = m.yard.finished();
    QVERIFY(again);
    QCOMPARE(again->id.lsn, std::int64_t{8});
    QVERIFY2(again->cause == GuestEnd::Exited, again->message.c_str());
    QVERIFY(again->out.bytes.contains(R"("lsn":8)"));
}

void TestGuests::aWorkersFileThatLiesIsNotRun() {
    Machine m;
    const auto hello = m.yard.link();
    QVERIFY(hello);
    if (!hello->takesWorkers) QSKIP("no sandbox can be made here");
    const ScriptWorker worker("exit 0");
    m.yard.send(Kind::Lease, put(worker.lease()));
    QVERIFY(sends(m.yard, worker.descriptor, worker.descriptor));
    QVERIFY(sends(m.yard, worker.script, std::string(worker.script.size(), 'x')));
    QVERIFY(m.yard.next(Kind::Refused));
    QVERIFY(m.yard.isClosed());
    QVERIFY(test::EngineTest::eventually([&] { return !m.refused().empty(); }));
}

void TestGuests::aLinkThatIsCutAmongTheFilesOfAWorkerGoesOn() {
    Machine m;
    const auto hello = m.yard.link();
    QVERIFY(hello);
    if (!hello->takesWorkers) QSKIP("no sandbox can be made here");
    const ScriptWorker worker(R"(echo it runs; echo '{"n":2}')");
    m.yard.send(Kind::Lease, put(worker.lease()));
    QVERIFY(sends(m.yard, worker.descriptor, worker.descriptor));
    const auto need = m.yard.next(Kind::Need);
    QVERIFY(need);
    m.yard.send(Kind::Chunk,
                put(link::Chunk{.hash = Sha256::of(worker.script),
                                .size = worker.script.size(),
                                .offset = 0,
                                .bytes = worker.script.substr(0, 5)}),
                need->id);
    m.yard.cut();
    QVERIFY(m.yard.link(120, {kOne}));
    QVERIFY(sends(m.yard, worker.script, worker.script)); // what came in part is asked for as a whole
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY2(end->cause == GuestEnd::Exited, end->message.c_str());
    QCOMPARE(end->out.bytes, std::string("it runs\n{\"n\":2}\n"));
    QCOMPARE(end->result, std::string(R"({"n":2})"));
}

void TestGuests::aWorkerOfAnotherPlatformIsRefusedWithTheReason() {
    Machine m;
    QVERIFY(m.yard.link());
    const ScriptWorker worker("exit 0", "plan9-mips");
    m.yard.send(Kind::Lease, put(worker.lease()));
    QVERIFY(sends(m.yard, worker.descriptor, worker.descriptor));
    const auto end = m.yard.finished(); // none of its files was asked for
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::Refused);
    QVERIFY2(end->message.contains("was built for plan9-mips"), end->message.c_str());
}

void TestGuests::whatFailsSaysHow() {
    Machine m;
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Lease, put(leaseOf("echo no such file >&2; exit 3")));
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::Exited);
    QCOMPARE(end->exitCode, std::int64_t{3});
    QCOMPARE(end->err.bytes, std::string("no such file\n"));
    QCOMPARE(end->out.size, std::uint64_t{0});
}

void TestGuests::outputIsToldWhileItRunsAndACancelEndsIt() {
    Machine m;
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Lease, put(leaseOf(m.untilGo())));
    QVERIFY(m.yard.printed("begun"));
    QVERIFY(m.lives());
    QVERIFY(m.yard.tellsFigures());
    m.yard.send(Kind::Cancel, put(link::Cancel{.id = kOne, .onlyIfWaiting = false, .graceMs = 100}));
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::Cancelled);
    QVERIFY(!m.lives());
}

void TestGuests::howFarItIsIsToldToWhoFollowsIt() {
    Machine m;
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Lease, put(leaseOf("echo message linking >$YARD_STATUS; " + m.untilGo() +
                                         "; echo progress 0.25 >$YARD_STATUS; while :; do sleep 0.05; done")));
    auto told = m.yard.toldProgress();
    QVERIFY(told);
    QCOMPARE(told->number, link::kNoProgress);
    QCOMPARE(told->text, std::string("linking"));
    m.make("go");
    // Who follows it again hears what there is: a yard that was started again knows nothing.
    do {
        told = m.yard.toldProgress();
        QVERIFY(told);
        QCOMPARE(told->text, std::string("linking"));
    } while (told->number == link::kNoProgress);
    QCOMPARE(told->number, std::uint64_t{250});
    m.yard.send(Kind::Cancel, put(link::Cancel{.id = kOne}));
    QVERIFY(m.yard.finished());
}

void TestGuests::aDeadlineEndsIt() {
    Machine m;
    QVERIFY(m.yard.link());
    link::Lease lease = leaseOf("sleep 60");
    lease.deadlineMs = 200;
    m.yard.send(Kind::Lease, put(lease));
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::Deadline);
}

void TestGuests::whatHasNoSandboxIsRefusedWithTheReason() {
    Machine m(std::vector<std::string>{});
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Lease, put(leaseOf("true")));
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::Refused);
    QVERIFY2(end->message.contains("guest_unsandboxed"), end->message.c_str());
}

void TestGuests::inputsBeyondTheStoreAreRefusedWithTheReason() {
    Machine m({"guest_unsandboxed=on", "guest_store_mb=1"});
    QVERIFY(m.yard.link());
    const std::string input(2u << 20, 'x');
    const Hash256 hash = Sha256::of(input);
    m.yard.send(Kind::Lease, put(leaseOf("true", kOne, fmt::format(R"(,"inputs":{{"in":"{}"}})", hash.hex()))));
    const auto need = m.yard.next(Kind::Need);
    QVERIFY(need);
    m.yard.send(Kind::Chunk,
                put(link::Chunk{.hash = hash, .size = input.size(), .offset = 0, .bytes = input.substr(0, 65'536)}),
                need->id);
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::Refused);
    QVERIFY2(end->message.contains("guest_store_mb"), end->message.c_str());
}

void TestGuests::itWaitsForCoresBesideTheMachinesOwnWork() {
    Machine m({"guest_unsandboxed=on"}, 1);
    QVERIFY(m.yard.link());
    const Lsn own = m.engine->sh("touch own; while [ ! -e let ]; do sleep 0.05; done");
    QVERIFY(test::EngineTest::eventually([&] { return m.exists("own"); }));
    m.yard.send(Kind::Lease, put(leaseOf("echo it runs")));
    QVERIFY(test::EngineTest::eventually([&] {
        const auto view = m.view();
        return view.yards.front().runs.size() == 1 && !view.yards.front().runs.front().isRunning;
    }));
    m.make("let");
    const auto end = m.yard.finished(); // the link is renewed meanwhile
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::Exited);
    QVERIFY(end->waitedUs > 0);
    QCOMPARE(m.engine->wait(own).state, ActionState::Completed);
}

void TestGuests::aLinkThatIsCutWithinTheLeaseGoesOn() {
    Machine m;
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Lease, put(leaseOf(m.untilGo())));
    QVERIFY(m.yard.printed("begun"));
    m.yard.cut();
    const auto hello = m.yard.link(120, {kOne});
    QVERIFY(hello);
    QCOMPARE(hello->held.size(), std::size_t{1});
    QCOMPARE(hello->held.front().id, kOne);
    QVERIFY(m.lives());
    m.make("go");
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::Exited);
}

void TestGuests::theEndOfTheLeaseEndsTheTree() {
    Machine m;
    QVERIFY(m.yard.link(5));
    m.yard.send(Kind::Lease, put(leaseOf(m.untilGo())));
    QVERIFY(m.yard.printed("begun"));
    m.yard.renews = false;
    QVERIFY(test::EngineTest::eventually([&] { return !m.lives(); }));
    m.yard.cut();
    QVERIFY(m.yard.link(120, {kOne})); // it is named until it is settled
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::LeaseEnded);
}

void TestGuests::aYardThatLiesIsCutOff() {
    Machine m;
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Chunk, put(link::Chunk{.hash = Sha256::of("x"), .size = 1, .offset = 0, .bytes = "x"}), 1);
    const auto refused = m.yard.next(Kind::Refused);
    QVERIFY(refused);
    QVERIFY(m.yard.isClosed());
    QVERIFY(test::EngineTest::eventually([&] { return !m.refused().empty(); }));
    QCOMPARE(m.view().yards.front().state, std::string_view("refused"));
}

void TestGuests::aYardThatRefusesIsNotAskedAgain() {
    Machine m;
    QVERIFY(m.yard.accept());
    const std::string body = R"({"error":"unauthorized","message":"That token is over."})";
    m.yard.say(fmt::format("HTTP/1.1 401 Unauthorized\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
    QVERIFY(test::EngineTest::eventually([&] { return !m.refused().empty(); }));
    QCOMPARE(m.refused(), std::string("That token is over."));
    QVERIFY(!m.yard.accept(1'500));
}

void TestGuests::aYardThatIsBusyIsAskedAgain() {
    Machine m;
    QVERIFY(m.yard.accept());
    m.yard.say("HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n");
    QVERIFY(m.yard.link());
    QCOMPARE(m.refused(), std::string());
}

void TestGuests::anEngineThatEndsSaysSoAndEndsItsGuests() {
    Machine m;
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Lease, put(leaseOf(m.untilGo())));
    QVERIFY(m.yard.printed("begun"));
    m.engine->stop();
    QVERIFY(!m.lives());
    QVERIFY(m.yard.next(Kind::Leaving));
}

void TestGuests::anotherRunComesBackWithItsOwnKey() {
    Machine m;
    const auto first = m.yard.link();
    QVERIFY(first);
    const std::string head = m.yard.head();
    constexpr std::string_view kField = "\r\nYard-Machine-Key: ";
    const std::string key = head.substr(head.find(kField) + kField.size(), 48);
    m.engine->stop();
    m.yard.cut();
    m.hasToken = false;
    m.engine->start();
    const auto second = m.yard.link();
    QVERIFY(second);
    QVERIFY2(m.yard.head().contains("\r\nAuthorization: Bearer " + key + "\r\n"), m.yard.head().c_str());
    QVERIFY(!m.yard.head().contains(kField));
    QVERIFY(first->runId != second->runId);
}

void TestGuests::whoIsSentAwayIsLeftForGood() {
    Machine m;
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Lease, put(leaseOf(m.untilGo())));
    QVERIFY(m.yard.printed("begun"));
    const auto away = [&](std::int64_t id) {
        return m.engine->run((*m.engine)->ask(&engine::Guests::sendAway, id));
    };
    QCOMPARE(away(2).error().kind, ErrorKind::NotFound);
    QVERIFY(away(1));
    QCOMPARE(away(1).error().kind, ErrorKind::WrongState);
    QVERIFY(m.yard.next(Kind::Leaving));
    const auto end = m.yard.finished();
    QVERIFY(end);
    QVERIFY(end->cause == GuestEnd::LostRunner); // counts for nothing
    QVERIFY(!m.lives());
    m.yard.send(Kind::Settled, put(link::AttemptRefs{kOne}));
    QVERIFY(m.yard.isClosed());
    QVERIFY(test::EngineTest::eventually([&] { return m.view().yards.front().state == "gone"; }));
    QVERIFY(!m.yard.accept(1'500));
    QCOMPARE(m.refused(), std::string());
}

void TestGuests::whomItWorksForIsShown() {
    Machine m({"guest_unsandboxed=on", "guest_cores=1"});
    QVERIFY(m.yard.link());
    m.yard.send(Kind::Lease, put(leaseOf(m.untilGo(), kOne, R"(,"label":"cook")")));
    QVERIFY(m.yard.printed("begun"));
    const auto view = m.view();
    QVERIFY(view.serves);
    QCOMPARE(view.gives.milliCores, std::int64_t{1'000});
    QVERIFY(view.gives.unsandboxed);
    QCOMPARE(view.yards.size(), std::size_t{1});
    const auto& yard = view.yards.front();
    QCOMPARE(yard.name, std::string("the yard"));
    QCOMPARE(yard.state, std::string_view("linked"));
    QCOMPARE(yard.held, std::size_t{1});
    QCOMPARE(yard.runs.size(), std::size_t{1});
    QCOMPARE(yard.runs.front().lsn, std::int64_t{7});
    QCOMPARE(yard.runs.front().name, std::string("cook"));
    QVERIFY(yard.runs.front().isRunning);
    m.make("go");
    QVERIFY(m.yard.finished());
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    QCoreApplication application(argc, argv);
    TestGuests test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_guests.moc"
