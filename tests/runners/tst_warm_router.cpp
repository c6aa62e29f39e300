// The router of warm requests with processes that the test plays: it reads from their ends of the sockets, answers, and
// says that they ended.
#include "core/runners/warm_router.h"
#include "core/runners/warm_views.h"
#include "tests/runners/warm_parts.h"

#include <QTest>

#include <atomic>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <sys/socket.h>
#include <thread>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {

constexpr MonoTime kNow{Duration{1'000'000'000}};
using State = WarmRequest::State;

class Play : public WarmParts {
public:
    explicit Play(std::int64_t milliCores = 0)
        : worker(workers.add("w1", warmDescriptor("one", 0, milliCores), 7)) {
        worker.lookedAt = kNow; // no restart files
        if (!requests.open(path("slots.warm"))) qFatal("no file of entries");
    }

    std::uint32_t submit(std::int64_t lsn, std::string root = {}, Duration deadline = {}) {
        Lease lease = warmLease(lsn, false, worker.group);
        lease.warm->root = std::move(root);
        lease.deadline = deadline;
        const std::uint32_t place = requests.add(std::move(lease));
        router.route(place, kNow);
        carry();
        return place;
    }
    /// What the pool wants done; those that it orders say that they are ready, with so many lanes.
    void carry() {
        while (!isDone()) {
            const pool::Outbox todo = std::exchange(shared.out, {});
            for (const auto& spawn : todo.spawn) order(spawn);
            for (const auto& served : todo.served) router.served(served, kNow);
            for (const auto& failed : todo.failed) router.failed(failed);
            for (const auto& end : todo.end)
                if (WarmProcess* process = processes.find(end.process)) processes.endPolitely(*process, kNow);
        }
        for (WarmProcess* process : processes.takeToWrite()) router.write(*process, kNow);
    }
    /// The next request that the process gets; 0: none.
    std::uint64_t next(std::size_t process = 0) {
        warm::FrameBuffer& buffer = theirs_.at(process);
        if (const auto frame = buffer.next()) return frame->id;
        buffer.receive(starter.leases.at(process).socket->get());
        const auto frame = buffer.next();
        return frame ? frame->id : 0;
    }
    void answer(std::uint64_t id, std::string_view json = R"({"exit_code":0})", std::size_t process = 0) {
        say(process, id, json);
        router.read(*processes.find(starter.leases.at(process).id), kNow);
        carry();
    }
    void dies(std::size_t process = 0) {
        Ended ended;
        ended.exitCode = 9;
        router.processEnded(*processes.find(starter.leases.at(process).id), ended, kNow);
        carry();
    }
    WarmProcess& process(std::size_t number = 0) { return *processes.find(starter.leases.at(number).id); }
    /// The only end that was told since the last call.
    std::optional<Ended> told() {
        const std::vector<Update> updates = requests.takeUpdates();
        if (updates.size() != 1 || !std::holds_alternative<Ended>(updates[0].what)) return std::nullopt;
        return std::get<Ended>(updates[0].what);
    }

    static std::string frame(std::uint64_t id, std::string_view json) {
        const auto length = static_cast<std::uint32_t>(sizeof id + json.size());
        std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
        return bytes.append(reinterpret_cast<const char*>(&id), sizeof id).append(json);
    }

    unsigned lanes = 1;
    NotingStarter starter;
    RequestTable requests{shared};
    WarmWorkers workers{shared};
    WarmProcesses processes{shared, starter, workers};
    RequestRouter router{shared, requests, workers, processes};
    WarmWorker& worker;

private:
    bool isDone() const {
        return shared.out.spawn.empty() && shared.out.served.empty() && shared.out.failed.empty() &&
               shared.out.end.empty();
    }
    void order(const pool::Outbox::Spawn& spawn) {
        processes.order(spawn, kNow);
        WarmProcess& process = *processes.find(spawn.process);
        processes.prepared(process, Lease{}, kNow);
        theirs_.emplace_back();
        say(theirs_.size() - 1, 0, fmt::format(R"({{"ready":true,"concurrency":{},"ahead":0}})", lanes));
        router.read(process, kNow);
    }
    void say(std::size_t process, std::uint64_t id, std::string_view json) {
        const std::string bytes = frame(id, json);
        if (::send(starter.leases.at(process).socket->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0)
            qFatal("nobody hears it");
    }

    std::deque<warm::FrameBuffer> theirs_;
};

} // namespace

class TestWarmRouter : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsAnsweredHasEnded();
    void howFarItIsIsKeptUntilItIsAnswered();
    void whatIsSaidAfterTheAnswerIsPassedOver();
    void whoTalksWithoutEndGetsItsTurnAlone();
    void aProcessGetsAsManyAsItHasLanes();
    void withoutCoresNothingIsSent();
    void whatWaitsForALookAtRestartFilesIsNotSent();
    void whatADeadProcessDidNotReadGoesElsewhere();
    void whatADeadProcessWorkedOnAloneFails();
    void whatWorkedBesideOthersIsInterrupted();
    void aSuspectHasAProcessForItself();
    void anAnswerNobodyAskedForEndsTheProcess();
    void whatIsTakenBackBeforeItWasSentIsReturned();
    void aCancelledOneEndsItsProcessAndNotTheOthers();
    void aPassedDeadlineEndsTheProcess();
    void aDirectoryThatAProcessHadIsMadeAnew();
    void theOnlyOneOfAQuickWorkerIsWaitedForAwake();
    void oneOverItsMemoryIsReplacedOnceItAnswered();
    void aStartHasEndedOnceThereIsAProcess();
    void aLookHasNoEntryAndItsWholeAnswerIsTold();
    void anActorsGroupIsNotLookedAtForRestartFiles();
};

void TestWarmRouter::whatIsAnsweredHasEnded() {
    Play play;
    const std::uint32_t place = play.submit(1);
    QVERIFY(play.requests[place].state == State::Running);
    const std::uint64_t id = play.next();
    QCOMPARE(id, play.requests[place].wire);
    play.answer(id, R"({"exit_code":3,"message":"so"})");
    const auto told = play.told();
    QVERIFY(told);
    QCOMPARE(told->exitCode, std::optional(3));
    QCOMPARE(told->message, std::string("so"));
    QCOMPARE(play.process().inFlight(), std::size_t{0});
    QCOMPARE(play.shared.counters.requests, std::uint64_t{1});
}

void TestWarmRouter::howFarItIsIsKeptUntilItIsAnswered() {
    Play play;
    const std::uint32_t place = play.submit(1);
    const std::uint64_t id = play.next();
    play.answer(id, R"({"progress":0.4,"message":"packing"})");
    play.answer(id, R"({"progress":0.5})");
    QVERIFY(!play.told());
    QCOMPARE(play.requests[place].said.fraction, std::optional(0.5));
    QCOMPARE(play.requests[place].said.message, std::string("packing"));
    const WarmViews views(play.shared, play.requests, play.workers, play.processes);
    QVERIFY(views.progressOf({Lsn(1), 1}) == &play.requests[place].said);
    QVERIFY(views.progressOf({Lsn(2), 1}) == nullptr);
    play.answer(id, R"({"progress":1,"exit_code":3})");
    const auto told = play.told();
    QVERIFY(told && told->exitCode == std::optional(3));
    QVERIFY(views.progressOf({Lsn(1), 1}) == nullptr);
    const std::uint32_t next = play.submit(2);
    QVERIFY(play.requests[next].said.isEmpty());
}

void TestWarmRouter::whatIsSaidAfterTheAnswerIsPassedOver() {
    Play play;
    play.submit(1);
    const std::uint64_t id = play.next();
    play.answer(id);
    QVERIFY(play.told());
    play.answer(id, R"({"progress":0.4})");
    QVERIFY(play.process().phase == WarmProcess::Phase::Live);
    play.answer(id, R"({"progress":0.4,"exit_code":0})");
    QVERIFY(play.process().phase == WarmProcess::Phase::Ending);
}

void TestWarmRouter::whoTalksWithoutEndGetsItsTurnAlone() {
    Play play;
    const std::uint32_t place = play.submit(1);
    const std::uint64_t id = play.next();
    // A thread that writes whenever there is room: a reader that waited for the end would never come back.
    const int socket = play.starter.leases.at(0).socket->get();
    std::atomic<bool> isOver = false;
    std::thread talker([&] {
        std::string many;
        for (int i = 0; i < 2'000; ++i) many += Play::frame(id, R"({"progress":0.4})");
        while (!isOver)
            if (::send(socket, many.data(), many.size(), MSG_NOSIGNAL) < 0) return;
    });
    for (int turn = 0; turn < 50 || !play.requests[place].said.fraction; ++turn)
        play.router.read(play.process(), kNow);
    isOver = true;
    play.router.broken(play.process(), "it is over", kNow); // wakes the talker
    ::shutdown(socket, SHUT_RDWR);
    talker.join();
    QCOMPARE(play.requests[place].said.fraction, std::optional(0.4));
}

void TestWarmRouter::aProcessGetsAsManyAsItHasLanes() {
    Play play;
    play.lanes = 2;
    play.shared.pool.configure({.max = 1}, kNow, play.shared.out);
    const std::uint32_t first = play.submit(1);
    const std::uint32_t second = play.submit(2);
    const std::uint32_t third = play.submit(3);
    QVERIFY(play.requests[first].state == State::Running && play.requests[second].state == State::Running);
    QVERIFY(play.requests[third].state == State::Waiting);
    const std::uint64_t one = play.next();
    QVERIFY(one != 0 && play.next() != 0);
    QCOMPARE(play.next(), std::uint64_t{0});
    play.answer(one);
    QVERIFY(play.requests[third].state == State::Running);
    QCOMPARE(play.next(), play.requests[third].wire);
}

void TestWarmRouter::withoutCoresNothingIsSent() {
    Play play(1'000);
    play.host.gives = false;
    const std::uint32_t place = play.submit(1);
    QVERIFY(play.requests[place].state == State::Unsent);
    QCOMPARE(play.host.asked, std::vector<std::uint64_t>{play.process().coreKey()});
    play.router.coresGranted(play.process(), kNow);
    play.carry();
    QVERIFY(play.requests[place].state == State::Running);
    play.answer(play.next());
    QCOMPARE(play.host.freed, std::vector<std::uint64_t>{play.process().coreKey()});
}

void TestWarmRouter::whatWaitsForALookAtRestartFilesIsNotSent() {
    Play play;
    play.worker.lookedAt = {};
    const std::uint32_t place = play.submit(1);
    QVERIFY(play.requests[place].state == State::Held);
    QCOMPARE(play.worker.held, std::vector<std::uint32_t>{place});
    QCOMPARE(play.host.looks.size(), std::size_t{1});
    play.router.takeBack(place, kNow);
    QVERIFY(play.worker.held.empty());
}

void TestWarmRouter::whatADeadProcessDidNotReadGoesElsewhere() {
    Play play;
    const std::uint32_t place = play.submit(1);
    play.dies();
    QVERIFY(!play.requests.hasUpdates());
    QCOMPARE(play.shared.counters.elsewhere, std::uint64_t{1});
    QCOMPARE(play.requests[place].attempts, 1u);
    QCOMPARE(play.starter.leases.size(), std::size_t{2});
    QCOMPARE(play.next(1), play.requests[place].wire);
    play.answer(play.requests[place].wire, R"({"exit_code":0})", 1);
    QVERIFY(play.told());
}

void TestWarmRouter::whatADeadProcessWorkedOnAloneFails() {
    Play play;
    play.submit(1);
    QVERIFY(play.next() != 0);
    play.dies();
    const auto told = play.told();
    QVERIFY(told && told->cause == EndCause::WorkerCrashed);
    QCOMPARE(told->message, std::string("its warm process died: it ended with exit code 9; it printed nothing"));
}

void TestWarmRouter::whatWorkedBesideOthersIsInterrupted() {
    Play play;
    play.lanes = 2;
    play.submit(1);
    play.submit(2);
    QVERIFY(play.next() != 0 && play.next() != 0);
    play.dies();
    const std::vector<Update> updates = play.requests.takeUpdates();
    QCOMPARE(updates.size(), std::size_t{2});
    for (const Update& update : updates) {
        const auto* ended = std::get_if<Ended>(&update.what);
        QVERIFY(ended && ended->cause == EndCause::LostRunner);
    }
    QCOMPARE(play.processes.gone().all().front().current.size(), std::size_t{2});
}

void TestWarmRouter::aSuspectHasAProcessForItself() {
    Play play;
    play.lanes = 2;
    for (std::size_t crash = 0; crash < 2; ++crash) {
        play.submit(1);
        play.submit(2);
        QVERIFY(play.next(crash) != 0 && play.next(crash) != 0);
        play.dies(crash);
    }
    play.shared.pool.configure({.max = 1}, kNow, play.shared.out);
    const std::uint32_t suspect = play.submit(1);
    const std::uint32_t other = play.submit(3);
    QVERIFY(play.requests[suspect].state == State::Running);
    QCOMPARE(play.process(2).alone, std::optional(suspect));
    QVERIFY(play.requests[other].state == State::Waiting);
    play.answer(play.next(2), R"({"exit_code":0})", 2);
    QVERIFY(play.requests[other].state == State::Running);
}

void TestWarmRouter::anAnswerNobodyAskedForEndsTheProcess() {
    Play play;
    const std::uint32_t place = play.submit(1);
    play.answer(play.requests[place].wire + 1);
    QVERIFY(play.process().phase == WarmProcess::Phase::Ending);
    QCOMPARE(play.starter.ends.size(), std::size_t{1});
    QVERIFY(play.process().failure.ends_with("which it was not asked"));
    QVERIFY(play.requests[place].state == State::Running); // until it is dead
}

void TestWarmRouter::whatIsTakenBackBeforeItWasSentIsReturned() {
    Play play(1'000);
    play.host.gives = false;
    const std::uint32_t unsent = play.submit(1);
    play.router.takeBack(unsent, kNow);
    const std::vector<Update> updates = play.requests.takeUpdates();
    QVERIFY(updates.size() == 1 && std::holds_alternative<Returned>(updates[0].what));
    QCOMPARE(play.host.freed, std::vector<std::uint64_t>{play.process().coreKey()});
    QVERIFY(play.process().unsent.empty());
    play.host.gives = true;
    const std::uint32_t sent = play.submit(2);
    play.router.takeBack(sent, kNow); // a live process has it
    QVERIFY(!play.requests.hasUpdates());
}

void TestWarmRouter::aCancelledOneEndsItsProcessAndNotTheOthers() {
    Play play;
    play.lanes = 2;
    const std::uint32_t first = play.submit(1);
    play.submit(2);
    QVERIFY(play.next() != 0); // the test reads the first; both frames leave the socket with it
    play.router.end(first, StopCause::Cancelled, Duration(5), kNow);
    QVERIFY(play.starter.ends == (std::vector{std::pair(play.process().id, Duration(5))}));
    QVERIFY(!play.requests.hasUpdates());
    play.dies();
    std::map<std::int64_t, EndCause> causes;
    for (const Update& update : play.requests.takeUpdates())
        if (const auto* ended = std::get_if<Ended>(&update.what)) causes[update.id.lsn.value] = ended->cause;
    QVERIFY(causes.at(1) == EndCause::Cancelled);
    QVERIFY(causes.at(2) == EndCause::LostRunner);
    QCOMPARE(play.shared.counters.crashes, std::uint64_t{0});
}

void TestWarmRouter::aPassedDeadlineEndsTheProcess() {
    Play play;
    play.submit(1, {}, Duration(500));
    QVERIFY(play.next() != 0);
    play.router.lookAtDeadlines(play.process(), kNow + Duration(499));
    QVERIFY(play.starter.ends.empty());
    play.router.lookAtDeadlines(play.process(), kNow + Duration(500));
    QCOMPARE(play.starter.ends.size(), std::size_t{1});
    Ended ended;
    ended.signal = 15;
    play.router.processEnded(play.process(), ended, kNow + Duration(600));
    const auto told = play.told();
    QVERIFY(told && told->cause == EndCause::Deadline);
}

void TestWarmRouter::aDirectoryThatAProcessHadIsMadeAnew() {
    Play play;
    const std::uint32_t place = play.submit(1, "/scratch/1");
    play.dies();
    QVERIFY(play.requests[place].state == State::Remaking);
    QVERIFY(play.host.remakes == std::vector{play.requests[place].id});
    play.router.remade(place, {}, kNow);
    play.carry();
    QVERIFY(play.requests[place].state == State::Running);
    play.dies(1);
    play.router.remade(place, fail(ErrorKind::Io, "no space"), kNow);
    const auto told = play.told();
    QVERIFY(told && told->cause == EndCause::SpawnError);
    QCOMPARE(told->spawn.message, std::string("its directory could not be made again: no space"));
}

void TestWarmRouter::theOnlyOneOfAQuickWorkerIsWaitedForAwake() {
    Play play;
    play.lanes = 2;
    play.submit(1);
    QVERIFY(!play.router.answerBy()); // nothing is known of it yet
    play.worker.averageRun = 100;
    QVERIFY(play.router.answerBy());
    play.worker.averageRun = 10'000;
    QVERIFY(!play.router.answerBy());
    play.worker.averageRun = 100;
    play.submit(2);
    QVERIFY(!play.router.answerBy());
}

void TestWarmRouter::oneOverItsMemoryIsReplacedOnceItAnswered() {
    Play play;
    play.submit(1);
    play.process().memoryLimit = 1'000;
    play.router.noteMemory(play.process(), 1'001, 1, kNow);
    play.carry();
    QVERIFY(play.process().phase == WarmProcess::Phase::Live);
    play.answer(play.next());
    QVERIFY(play.process().phase == WarmProcess::Phase::Ending);
    QVERIFY(play.told());
}

static Lease lookLease(std::int64_t lsn, pool::GroupId group) {
    Lease lease = warmLease(lsn, false, group);
    lease.warm->look = R"("tick":{"object":{"id":7}})";
    return lease;
}

void TestWarmRouter::aStartHasEndedOnceThereIsAProcess() {
    Play play;
    Lease lease = warmLease(kFirstLookLsn, false, play.worker.group);
    lease.warm->isStart = true;
    lease.warm->spec.reset();
    play.router.route(play.requests.add(std::move(lease)), kNow);
    play.carry();
    const auto told = play.told();
    QVERIFY(told && told->cause == EndCause::Exited);
    QCOMPARE(play.next(), std::uint64_t{0}); // nothing was sent
    QCOMPARE(play.requests.count(), std::size_t{0});
    const auto view = play.shared.pool.process(play.process().inPool);
    QVERIFY(view && view->state == pool::ProcessState::Idle);
}

void TestWarmRouter::aLookHasNoEntryAndItsWholeAnswerIsTold() {
    Play play;
    const std::uint32_t place = play.requests.add(lookLease(kFirstLookLsn, play.worker.group));
    play.router.route(place, kNow);
    play.carry();
    QVERIFY(play.requests[place].state == State::Running);
    QVERIFY(!play.requests[place].hasEntry);
    WarmProcessView view;
    play.requests.show({place}, view);
    QVERIFY(view.current.empty()); // it is no action
    play.answer(play.next(), R"({"exit_code":"x","move":"sealed"})");
    const auto told = play.told();
    QVERIFY(told);
    QCOMPARE(told->result, std::string(R"({"exit_code":"x","move":"sealed"})"));
    QVERIFY(play.process().phase == WarmProcess::Phase::Live);
}

void TestWarmRouter::anActorsGroupIsNotLookedAtForRestartFiles() {
    Play play;
    WarmWorker& actor = play.workers.add("w1#1", warmDescriptor("page #1"), kNoGate, "w1");
    play.router.route(play.requests.add(lookLease(kFirstLookLsn, actor.group)), kNow);
    QVERIFY(play.host.looks.empty());
    play.carry();
    QCOMPARE(play.host.orders.back().worker, std::string("w1"));
    play.workers.tellWindows();
    for (const auto& [gate, most] : play.host.windows) QVERIFY(gate != kNoGate);
}

QTEST_APPLESS_MAIN(TestWarmRouter)
#include "tst_warm_router.moc"
