// Actions with a terminal: what the child finds, and what passes through it.
#include "core/base/files.h"
#include "core/launcher/launcher.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTest>

#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

namespace {

/// The engine's end, and a lease with a copy of it.
class Seat {
public:
    explicit Seat(unsigned short rows = 30, unsigned short cols = 100)
        : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) {
        if (!master_ || ::unlockpt(master_.get()) != 0) qFatal("no terminal");
        resize(rows, cols);
    }
    void resize(unsigned short rows, unsigned short cols) const {
        winsize size{};
        size.ws_row = rows;
        size.ws_col = cols;
        if (::ioctl(master_.get(), TIOCSWINSZ, &size) != 0) qFatal("no size");
    }
    void type(std::string_view keys) const {
        if (!writeAll(master_.get(), keys)) qFatal("cannot type");
    }
    Lease give(Lease lease) const {
        lease.terminal = std::make_shared<UniqueFd>(::fcntl(master_.get(), F_DUPFD_CLOEXEC, 3));
        return lease;
    }
    void close() { master_.reset(); }

private:
    UniqueFd master_;
};

Lease shell(RunnerBench& bench, const Seat& seat, const std::string& script) {
    Lease lease = seat.give(bench.lease(1, {}));
    lease.argv = {"/bin/sh", "-c", script};
    lease.watchOut = true;
    return lease;
}

/// What it has printed so far.
bool shows(RunnerBench& bench, const std::string& text) {
    return bench.until([&] {
        const auto grown = bench.all<StreamAt>(1);
        const auto content = grown.empty() ? Result<std::string>("") : readFile(grown.back().path);
        return content && content->find(text) != std::string::npos;
    });
}

} // namespace

class TestTerminals : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theChildSitsAtIt();
    void aNewSizeIsToldToTheProgram();
    void ctrlCInterruptsTheProgram();
    void whatIsTypedIsReadToItsEnd();
    void outputOfAnyLengthComesWhole_data();
    void outputOfAnyLengthComesWhole();
    void shortOutputNeedsNoFile();
    void aDaemonThatKeepsItOpenDoesNotHoldTheEnd();
    void whoClosesItsStreamsIsStillHeardThroughIt();
    void afterItTheSlotStartsOthersWithPipes();
    void aStartThatFailsLeavesNothing();
};

void TestTerminals::theChildSitsAtIt() {
    RunnerBench bench;
    Seat seat(30, 100);
    bench.submit(shell(bench, seat,
                       "for fd in 0 1 2; do [ -t $fd ] && echo terminal $fd; done; stty size; : </dev/tty && echo "
                       "control; echo error >&2; ls /proc/$$/fd | tr '\\n' ' '; exit 3"));
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(3));
    const std::string out = textOf(end->out);
    QVERIFY2(out.starts_with("terminal 0\r\nterminal 1\r\nterminal 2\r\n30 100\r\ncontrol\r\nerror\r\n0 1 2 "),
             out.c_str());
    QCOMPARE(end->err.size, std::uint64_t{0});
    QVERIFY(end->err.path.empty());
    seat.close();
    QVERIFY(bench.close());
}

void TestTerminals::aNewSizeIsToldToTheProgram() {
    RunnerBench bench;
    Seat seat;
    bench.submit(shell(bench, seat, "trap 'stty size; exit 5' WINCH; echo ready; sleep 100 & wait"));
    QVERIFY(shows(bench, "ready"));
    seat.resize(50, 132);
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(5));
    QCOMPARE(textOf(end->out), std::string("ready\r\n50 132\r\n"));
    seat.close();
    QVERIFY(bench.close());
}

void TestTerminals::ctrlCInterruptsTheProgram() {
    RunnerBench bench;
    Seat seat;
    bench.submit(shell(bench, seat, "trap 'echo stopped; exit 4' INT; echo ready; sleep 100 & wait"));
    QVERIFY(shows(bench, "ready"));
    seat.type("\x03");
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(4));
    QCOMPARE(textOf(end->out), std::string("ready\r\n^Cstopped\r\n"));
    seat.close();
    QVERIFY(bench.close());
}

void TestTerminals::whatIsTypedIsReadToItsEnd() {
    RunnerBench bench;
    Seat seat;
    bench.submit(shell(bench, seat, "echo ready; cat; echo end"));
    QVERIFY(shows(bench, "ready"));
    seat.type("one\n\x04");
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    QCOMPARE(textOf(end->out), std::string("ready\r\none\r\none\r\nend\r\n"));
    seat.close();
    QVERIFY(bench.close());
}

void TestTerminals::outputOfAnyLengthComesWhole_data() {
    QTest::addColumn<int>("size");
    QTest::addColumn<bool>("watched");
    for (const int size : {0, 1, 4095, 4096, 16'384, 16'385, 1'000'000}) {
        QTest::addRow("%d", size) << size << false;
        QTest::addRow("%d, watched", size) << size << true;
    }
}

void TestTerminals::outputOfAnyLengthComesWhole() {
    QFETCH(int, size);
    QFETCH(bool, watched);
    RunnerBench bench;
    Seat seat;
    Lease lease = seat.give(bench.lease(1, {"print", std::to_string(size)}));
    lease.watchOut = watched;
    bench.submit(std::move(lease));
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    QCOMPARE(end->out.size, static_cast<std::uint64_t>(size));
    QVERIFY(textOf(end->out) == pattern(static_cast<std::size_t>(size)));
    QVERIFY(!end->out.truncated);
    seat.close();
    QVERIFY(bench.close());
}

void TestTerminals::shortOutputNeedsNoFile() {
    RunnerBench bench;
    Seat seat;
    bench.submit(seat.give(bench.lease(1, {"print", "1000"})));
    QVERIFY(bench.ended(1)->out.path.empty());
    seat.close();
    QVERIFY(bench.close());
}

void TestTerminals::aDaemonThatKeepsItOpenDoesNotHoldTheEnd() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Seat seat;
    bench.submit(seat.give(bench.lease(1, {"daemon", fifo.path(), "7"})));
    const int daemon = fifo.next().pid;
    QVERIFY(daemon > 0);
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(7));
    QVERIFY(isGone(daemon));
    seat.close();
    QVERIFY(bench.close());
}

/// No process has it open for a while: that is not its end.
void TestTerminals::whoClosesItsStreamsIsStillHeardThroughIt() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    Seat seat;
    bench.submit(shell(bench, seat,
                       "echo before; exec 0<&- 1>&- 2>&-; echo closed $$ >" + fifo.path() +
                           "; head -c1 >/dev/null <" + gate.path() +
                           "; exec >/dev/tty; head -c 50000 /dev/zero | tr '\\0' x; exit 6"));
    QVERIFY(fifo.next().pid > 0);
    gate.open();
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(6));
    QVERIFY(textOf(end->out) == "before\r\n" + std::string(50'000, 'x'));
    seat.close();
    QVERIFY(bench.close());
}

void TestTerminals::afterItTheSlotStartsOthersWithPipes() {
    RunnerBench bench(1);
    Seat seat;
    bench.submit(seat.give(bench.lease(1, {"print", "10"})));
    bench.submit(2, {"print", "20", "30"});
    bench.submit(3, {"fds"});
    QCOMPARE(bench.ended(1)->out.size, std::uint64_t{10});
    QCOMPARE(bench.ended(2)->out.size, std::uint64_t{20});
    QCOMPARE(bench.ended(2)->err.size, std::uint64_t{30});
    QCOMPARE(textOf(bench.ended(3)->out), std::string("0 1 2 /dev/null"));
    seat.close();
    QVERIFY(bench.close());
}

void TestTerminals::aStartThatFailsLeavesNothing() {
    RunnerBench bench(1);
    Seat seat;
    Lease lease = seat.give(bench.lease(1, {}));
    lease.argv = {"/nowhere/at-all"};
    bench.submit(std::move(lease));
    QVERIFY(bench.ended(1)->cause == EndCause::SpawnError);
    bench.submit(2, {"print", "5", "6"});
    QCOMPARE(bench.ended(2)->err.size, std::uint64_t{6});
    seat.close();
    QVERIFY(bench.close());
}

YARD_RUNNER_TEST_MAIN(TestTerminals)
#include "tst_terminals.moc"
