// Tokens of jobservers by themselves: a session with a machine, a client that has the pipe's other end, no process.
#include "core/engine/running/job_tokens.h"

#include "core/session/action_commands.h"
#include "core/session/resource_holds.h"
#include "tests/coro/coro_test.h"
#include "tests/session/machine.h"

#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::engine;

namespace {

class Bench {
public:
    QTemporaryDir dir;
    coro::test::Rig rig;
    session::test::Machine machine;
    bool mayGive = true;
    int wakes = 0;
    std::vector<std::int64_t> changed;
    JobTokens tokens{{.session = machine.session,
                      .directory = (dir.path() + "/jobservers").toStdString(),
                      .mayGive = [this] { return mayGive; },
                      .wake = [this] { ++wakes; },
                      .changed = [this](Lsn lsn) { changed.push_back(lsn.value); }}};
    std::map<std::int64_t, runners::Lease> leases;

    explicit Bench(int cores, std::int64_t memoryMb = 0)
        : machine(cores, 0, memoryMb) {}
    ~Bench() { rig.loop.shutdown(); }

    /// An action of one core that runs, with a jobserver.
    Lsn build(Jobserver kind = Jobserver::Descriptors, int own = 0) {
        const Lsn lsn = machine.submit();
        machine.schedule();
        give(lsn, kind, own);
        tokens.started({lsn, 1});
        return lsn;
    }
    void give(Lsn lsn, Jobserver kind, int own) {
        if (auto given = tokens.give({lsn, 1}, kind, own, leases[lsn.value]); !given)
            qFatal("%s", given.error().message.c_str());
    }
    std::size_t turn() {
        const std::size_t started = machine.schedule();
        tokens.afterTurn();
        return started;
    }
    /// Looks of run(), until what was lacked lately is forgotten.
    void rest() {
        if (!std::exchange(runs_, true)) rig.spawn("tokens", tokens.run());
        rig.settle();
        for (int i = 0; i < JobTokens::kRestingLooks; ++i) rig.advance(JobTokens::kLook);
    }
    int fd(Lsn lsn) { return leases.at(lsn.value).tokens->get(); }
    int unread(Lsn lsn) {
        int bytes = -1;
        ::ioctl(fd(lsn), FIONREAD, &bytes);
        return bytes;
    }
    void take(Lsn lsn, std::size_t count) {
        std::string bytes(count, 0);
        if (::read(fd(lsn), bytes.data(), count) != static_cast<ssize_t>(count)) qFatal("too few tokens");
    }
    void put(Lsn lsn, std::size_t count) {
        const std::string bytes(count, '+');
        if (::write(fd(lsn), bytes.data(), count) != static_cast<ssize_t>(count)) qFatal("no room for tokens");
    }
    void fill(Lsn lsn) {
        ::fcntl(fd(lsn), F_SETFL, O_NONBLOCK);
        const std::string many(4096, 'x');
        while (::write(fd(lsn), many.data(), many.size()) > 0) {
        }
    }
    std::int64_t cores() const { return machine.session.taken().milliCores / 1000; }
    std::string flags(Lsn lsn, std::string_view variable = "MAKEFLAGS") const {
        for (const auto& [name, value] : leases.at(lsn.value).env)
            if (name == variable) return value;
        return "(none)";
    }

private:
    bool runs_ = false;
};

} // namespace

class TestJobTokens : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsFreeIsDealtOnceItRuns() {
        Bench b(4);
        const Lsn lsn = b.machine.submit();
        b.machine.schedule();
        b.give(lsn, Jobserver::Descriptors, 0);
        b.turn();
        QCOMPARE(b.unread(lsn), 0);
        b.tokens.started({lsn, 1});
        QVERIFY(b.wakes > 0);
        b.turn();
        QCOMPARE(b.unread(lsn), 3);
        QCOMPARE(b.cores(), 4);
        QCOMPARE(b.tokens.heldBy({lsn, 1}), std::optional(0));
        QVERIFY(!b.tokens.heldBy({lsn, 2}));
    }

    void whatOthersNeedIsTakenBack() {
        Bench b(4);
        const Lsn lsn = b.build();
        b.turn();
        b.machine.submit();
        b.machine.submit();
        b.wakes = 0;
        QCOMPARE(b.turn(), std::size_t{0});
        QCOMPARE(b.wakes, 1);
        QCOMPARE(b.unread(lsn), 0);
        QCOMPARE(b.turn(), std::size_t{2});
        QCOMPARE(b.unread(lsn), 0); // another one may follow
        b.rest();
        QCOMPARE(b.unread(lsn), 1); // nobody waits any more
        QCOMPARE(b.cores(), 4);
    }

    void shortOnesThatFollowEachOtherMoveNoTokens() {
        Bench b(2);
        b.machine.defineClass(1, 1);
        const Lsn lsn = b.build();
        b.turn();
        QCOMPARE(b.unread(lsn), 1);
        b.wakes = 0;
        b.machine.submit(0, 0, 1);
        QCOMPARE(b.turn(), std::size_t{0});
        for (int i = 0; i < 50; ++i) {
            QCOMPARE(b.turn(), std::size_t{1}); // none waits for a second turn
            QVERIFY(b.machine.completeOf(1));
            b.turn();
            b.machine.submit(0, 0, 1);
        }
        QCOMPARE(b.wakes, 1); // for the first
        QCOMPARE(b.turn(), std::size_t{1});
        QVERIFY(b.machine.completeOf(1));
        b.rest();
        QCOMPARE(b.unread(lsn), 1);
    }

    void whatWaitsForMemoryAloneKeepsNoTokens() {
        Bench b(4, 100);
        b.machine.defineClass(1, 1, 80);
        b.machine.submit(0, 0, 1);
        const Lsn lsn = b.build();
        b.machine.submit(0, 0, 1);
        b.turn();
        QCOMPARE(b.unread(lsn), 2);
        b.turn(); // it lacks cores by now as well
        QCOMPARE(b.unread(lsn), 2);
    }

    void whatWasCancelledWaitsForNothing() {
        Bench b(4);
        b.machine.defineClass(1, 4);
        const Lsn lsn = b.build();
        const Lsn large = b.machine.submit(0, 0, 1);
        b.turn();
        QCOMPARE(b.unread(lsn), 0);
        QVERIFY(b.machine.session.actions().cancel(large, b.machine.out));
        b.machine.settle();
        b.rest();
        QCOMPARE(b.unread(lsn), 3);
    }

    void whileNothingStartsNothingWaitsForCores() {
        Bench b(4);
        b.machine.defineClass(1, 4);
        const Lsn lsn = b.build();
        b.machine.submit(0, 0, 1);
        b.turn();
        QCOMPARE(b.unread(lsn), 0);
        QVERIFY(b.machine.session.moveTo(SessionState::Paused, b.machine.out));
        b.rest();
        QCOMPARE(b.unread(lsn), 3);
    }

    void whatAClientHasIsACoreInUse() {
        Bench b(3);
        const Lsn lsn = b.build();
        b.turn();
        b.take(lsn, 2);
        QCOMPARE(b.tokens.heldBy({lsn, 1}), std::optional(2));
        b.machine.submit();
        QCOMPARE(b.turn(), std::size_t{0});
        QCOMPARE(b.turn(), std::size_t{0});
        b.put(lsn, 1);
        QCOMPARE(b.turn(), std::size_t{0});
        QCOMPARE(b.turn(), std::size_t{1});
        QCOMPARE(b.tokens.heldBy({lsn, 1}), std::optional(1));
    }

    void whatADeadClientKeptComesBack() {
        Bench b(3);
        const Lsn lsn = b.build();
        b.turn();
        b.take(lsn, 2);
        b.machine.submit();
        b.turn();
        b.machine.completeOne();
        b.tokens.ended({lsn, 1});
        QCOMPARE(b.cores(), 0);
        QCOMPARE(b.turn(), std::size_t{1});
        QVERIFY(!b.tokens.heldBy({lsn, 1}));
        b.tokens.ended({lsn, 1}); // again: nothing
    }

    void coresOfItsOwnAreTokensFromTheStart() {
        Bench b(4);
        b.machine.defineClass(1, 3);
        const Lsn lsn = b.machine.submit(0, 0, 1);
        b.machine.schedule();
        b.give(lsn, Jobserver::Descriptors, 2);
        QCOMPARE(b.unread(lsn), 2);
        QCOMPARE(b.cores(), 3);
        b.tokens.started({lsn, 1});
        b.turn();
        QCOMPARE(b.unread(lsn), 3);
        b.machine.submit();
        b.turn();
        QCOMPARE(b.unread(lsn), 2); // nobody else has its own
        QCOMPARE(b.turn(), std::size_t{1});
    }

    void aTokenCanComeBackAsOftenAsItIsTaken() {
        Bench b(3);
        const Lsn lsn = b.build(Jobserver::Descriptors, 2);
        ::fcntl(b.fd(lsn), F_SETFL, O_NONBLOCK);
        for (int i = 0; i < 10'000; ++i) {
            b.take(lsn, 1);
            b.put(lsn, 1);
        }
        QCOMPARE(b.unread(lsn), 2);
    }

    void severalGetThemInTurns() {
        Bench b(6);
        const Lsn first = b.build();
        const Lsn second = b.build();
        b.turn();
        QCOMPARE(b.unread(first), 2);
        QCOMPARE(b.unread(second), 2);
    }

    void whatNobodyTakesGoesToWhoHasNoneLeft() {
        Bench b(4);
        const Lsn idle = b.build();
        const Lsn busy = b.build();
        b.turn();
        QCOMPARE(b.unread(idle), 1);
        b.rig.spawn("tokens", b.tokens.run());
        b.rig.settle();
        b.rig.advance(JobTokens::kLook);
        b.take(busy, 1);
        for (int i = 0; i < 3 && b.unread(busy) == 0; ++i) b.rig.advance(JobTokens::kLook);
        QCOMPARE(b.unread(busy), 1);
        QCOMPARE(b.unread(idle), 0);
        QCOMPARE(b.tokens.heldBy({busy, 1}), std::optional(1));
        QCOMPARE(b.cores(), 4);
    }

    void aChangeOfWhatItHasIsTold() {
        Bench b(2);
        const Lsn lsn = b.build();
        b.turn();
        b.rig.spawn("tokens", b.tokens.run());
        b.rig.settle();
        b.rig.advance(JobTokens::kLook);
        QVERIFY(b.changed.empty());
        b.take(lsn, 1);
        b.rig.advance(JobTokens::kLook);
        b.rig.advance(JobTokens::kLook);
        QCOMPARE(b.changed, std::vector<std::int64_t>{lsn.value});
        for (int i = 0; i < JobTokens::kLooksPerTelling; ++i) { // taken and given all the time
            if (i % 2 == 0)
                b.put(lsn, 1);
            else
                b.take(lsn, 1);
            b.rig.advance(JobTokens::kLook);
        }
        b.put(lsn, 1 - static_cast<std::size_t>(b.unread(lsn)));
        for (int i = 0; i < JobTokens::kLooksPerTelling; ++i) b.rig.advance(JobTokens::kLook);
        QCOMPARE(b.changed.size(), std::size_t{2});
    }

    void bytesThatWereNeverTokensAreThrownAway() {
        Bench b(3);
        const Lsn lsn = b.build();
        b.turn();
        b.put(lsn, 1'000);
        b.rig.spawn("tokens", b.tokens.run());
        b.rig.settle();
        b.rig.advance(JobTokens::kLook);
        QCOMPARE(b.unread(lsn), 2);
        QCOMPARE(b.tokens.heldBy({lsn, 1}), std::optional(0));
        QCOMPARE(b.cores(), 3);
    }

    void aPipeThatAClientFilledKeepsNobody() {
        Bench b(3);
        const Lsn lsn = b.build();
        b.fill(lsn);
        b.turn();
        QCOMPARE(b.cores(), 1); // nothing is held for what could not be put in
        b.rig.spawn("tokens", b.tokens.run());
        b.rig.settle();
        b.rig.advance(JobTokens::kLook);
        QCOMPARE(b.unread(lsn), 2);
    }

    void othersAreDealtBesideAPipeThatIsFull() {
        Bench b(4);
        const Lsn full = b.build();
        const Lsn other = b.build();
        b.fill(full);
        b.turn();
        QCOMPARE(b.unread(other), 2);
        QCOMPARE(b.cores(), 4);
    }

    void howAClientReadsChangesNothingHere() {
        Bench b(2);
        const Lsn lsn = b.build();
        ::fcntl(b.fd(lsn), F_SETFL, 0); // reading waits, on its side
        b.turn();
        b.take(lsn, 1);
        b.machine.submit();
        QCOMPARE(b.turn(), std::size_t{0}); // nothing can be taken out: it does not wait for it
        b.leases.clear();                   // closed
        b.tokens.ended({lsn, 1});
        QCOMPARE(b.turn(), std::size_t{1});
    }

    void noneIsDealtWhileWorkMakesRoom() {
        Bench b(3);
        const Lsn lsn = b.build();
        b.turn();
        b.mayGive = false;
        b.turn();
        QCOMPARE(b.unread(lsn), 0);
        QCOMPARE(b.cores(), 1);
        b.mayGive = true;
        b.turn();
        QCOMPARE(b.unread(lsn), 2);
    }

    void whoeverHoldsCoresElseComesFirst() {
        Bench b(2);
        const Lsn lsn = b.build();
        b.turn();
        QVERIFY(!b.machine.session.holds().take(7, {.milliCores = 1'000, .memoryMb = 0, .named = {}}));
        b.turn();
        QCOMPARE(b.unread(lsn), 0);
        b.turn();
        QVERIFY(!b.machine.session.holds().waitOf(7)); // it was granted
        QCOMPARE(b.unread(lsn), 0);
    }

    void makeIsToldWhereThePipeIs() {
        Bench b(2);
        const Lsn lsn = b.build();
        QCOMPARE(b.flags(lsn), std::string(" -j --jobserver-auth=3,4"));
        const Lsn other(77);
        b.leases[77].env = {{"MAKEFLAGS", "k"}, {"CARGO_MAKEFLAGS", "--jobserver-auth=8,9"}};
        b.give(other, Jobserver::Descriptors, 0);
        QCOMPARE(b.flags(other), std::string("k -j --jobserver-auth=3,4"));
        QCOMPARE(b.leases[77].env.size(), std::size_t{2});
        QCOMPARE(b.flags(other, "CARGO_MAKEFLAGS"), b.flags(other));
        const Lsn inherited(78);
        b.leases[78].env = {{"MAKEFLAGS", " -j4 --jobserver-auth=8,9"}};
        b.give(inherited, Jobserver::Descriptors, 0);
        QCOMPARE(b.flags(inherited), std::string(" -j --jobserver-auth=3,4"));
    }

    void flagsOfTheActionStay_data() {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("set");
        const QString ours = "-j --jobserver-auth=3,4";
        QTest::newRow("beside another jobserver") << "ks -j4 --jobserver-auth=8,9 --no-print-directory"
                                                  << "ks --no-print-directory " + ours;
        QTest::newRow("variables") << "k -j --jobserver-fds=8,9 -- CFLAGS=-O2\\ -g V=-j3"
                                   << "k " + ours + " -- CFLAGS=-O2\\ -g V=-j3";
        QTest::newRow("variables alone") << "-- V=1" << " " + ours + " -- V=1";
        QTest::newRow("counts") << "k -j 8 --jobs 8 --jobs=8 -l 8" << "k -l 8 " + ours;
        QTest::newRow("a blank in one") << "-I a\\ -j4 -s" << "-I a\\ -j4 -s " + ours;
    }
    void flagsOfTheActionStay() {
        QFETCH(const QString, given);
        QFETCH(const QString, set);
        Bench b(2);
        b.leases[77].env = {{"MAKEFLAGS", given.toStdString()}};
        b.give(Lsn(77), Jobserver::Descriptors, 0);
        QCOMPARE(b.flags(Lsn(77)), set.toStdString());
    }

    void aNamedPipeIsThereAsLongAsItsAction() {
        Bench b(3);
        const Lsn lsn = b.build(Jobserver::Fifo);
        b.turn();
        const std::string path = (b.dir.path() + "/jobservers/1.1").toStdString();
        QCOMPARE(b.flags(lsn), " -j --jobserver-auth=fifo:" + path);
        QVERIFY(!b.leases.at(lsn.value).tokens);
        const int client = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
        char bytes[8];
        QCOMPARE(::read(client, bytes, sizeof bytes), ssize_t{2});
        ::close(client);
        QCOMPARE(b.tokens.heldBy({lsn, 1}), std::optional(2));
        b.tokens.ended({lsn, 1});
        QVERIFY(::access(path.c_str(), F_OK) != 0);
        QCOMPARE(b.cores(), 1);
    }

    void inASandboxTheNamedPipeIsOneOfDescriptors() {
        Bench b(2);
        b.leases[9].sandbox = std::make_shared<const sandbox::Plan>();
        b.give(Lsn(9), Jobserver::Fifo, 0);
        QCOMPARE(b.flags(Lsn(9)), std::string(" -j --jobserver-auth=3,4"));
        QVERIFY(b.leases[9].tokens);
    }

    void keysAreTheirOwn() {
        QVERIFY(JobTokens::isKey(session::HoldKey{1} << 62));
        QVERIFY(!JobTokens::isKey(session::HoldKey{1} << 63));
        QVERIFY(!JobTokens::isKey(static_cast<session::HoldKey>(2 * runners::kFirstGuestLsn)));
    }
};

QTEST_GUILESS_MAIN(TestJobTokens)
#include "tst_job_tokens.moc"
