// Output: small inline, large through the pump into a file, live, capped, on a full disk, and with somebody holding
// on.
#include "core/base/files.h"
#include "core/runners/last_output.h"
#include "core/runners/launcher.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTest>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::test;

class TestOutput : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void outputComesBackWhole_data();
    void outputComesBackWhole();
    void aLongStreamNeedsNoMemoryOfItsSize();
    void aWatchedStreamIsAFileThatGrows();
    void watchingFromTheStartNeedsNoTiming();
    void unwatchedStreamsReportNothing();
    void ofAStreamThatKeepsItsEndThatIsToldWhenAsked();
    void aFloodIsCutAtItsCap_data();
    void aFloodIsCutAtItsCap();
    void aFullDiskIsMarkedAndTheActionGoesOn();
    void aDaemonThatHoldsTheOutputDoesNotDelayTheEnd();
};

void TestOutput::outputComesBackWhole_data() {
    QTest::addColumn<int>("out");
    QTest::addColumn<int>("err");
    for (const auto& [out, err] : std::vector<std::pair<int, int>>{{0, 0},
                                                                   {1, 0},
                                                                   {0, 5},
                                                                   {16383, 16384},
                                                                   {16385, 3},
                                                                   {65535, 65536},
                                                                   {65537, 200'000},
                                                                   {3'000'000, 1'000'000}})
        QTest::addRow("%d and %d", out, err) << out << err;
}

void TestOutput::outputComesBackWhole() {
    QFETCH(int, out);
    QFETCH(int, err);
    RunnerBench bench;
    bench.submit(1, {"print", std::to_string(out), std::to_string(err)});
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    for (const auto& [stream, size] : {std::pair(&end->out, out), std::pair(&end->err, err)}) {
        const std::string expected = pattern(static_cast<std::size_t>(size));
        QCOMPARE(stream->size, static_cast<std::uint64_t>(size));
        QVERIFY(textOf(*stream) == expected);
        QVERIFY(!stream->truncated && stream->err == 0);
        QCOMPARE(stream->path.empty(), static_cast<std::size_t>(size) <= kInlineStreamBytes);
        if (stream->size > 0) QCOMPARE(stream->hash.hex(), Sha256::of(expected).hex());
    }
    QVERIFY(bench.close());
}

void TestOutput::aLongStreamNeedsNoMemoryOfItsSize() {
    RunnerBench bench;
    constexpr int kSize = 100 << 20;
    bench.submit(1, {"print", std::to_string(kSize)});
    long most = 0;
    QVERIFY(bench.until([&] {
        const auto status = readFile("/proc/" + std::to_string(bench.runner().launcherPid()) + "/status");
        if (status)
            if (const auto at = status->find("VmRSS:"); at != std::string::npos)
                most = std::max(most, std::atol(status->c_str() + at + 6));
        return !bench.all<Ended>(1).empty();
    }));
    QCOMPARE(bench.ended(1)->out.size, std::uint64_t{kSize});
#ifndef YARD_SANITIZED
    QVERIFY2(most < 40'000, std::to_string(most).c_str());
#endif
    QVERIFY(bench.close());
}

void TestOutput::aWatchedStreamIsAFileThatGrows() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    bench.submit(1, {"twice", fifo.path(), gate.path(), "100"});
    QVERIFY(bench.until([&] { return bench.started(1) != nullptr; }));
    QVERIFY(fifo.next().pid > 0);
    bench.runner().watch({Lsn(1), 1}, Stream::Out);
    QVERIFY(
        bench.until([&] { return !bench.all<StreamAt>(1).empty() && bench.all<StreamAt>(1).back().size == 100; }));
    const StreamAt at = bench.all<StreamAt>(1).back();
    QVERIFY(at.stream == Stream::Out);
    QVERIFY(*readFile(at.path) == pattern(100));
    gate.open();
    const Ended* end = bench.ended(1);
    QCOMPARE(end->out.path, at.path);
    QVERIFY(textOf(end->out) == pattern(100) + pattern(100));
    QVERIFY(end->err.path.empty());
    QCOMPARE(bench.all<StreamAt>(1).back().size, std::uint64_t{200});
    QVERIFY(bench.close());
}

void TestOutput::watchingFromTheStartNeedsNoTiming() {
    RunnerBench bench;
    Lease lease = bench.lease(1, {"print", "0", "10"});
    lease.watchErr = true;
    bench.submit(lease);
    const Ended* end = bench.ended(1);
    QVERIFY(!end->err.path.empty() && textOf(end->err) == pattern(10));
    QVERIFY(!bench.all<StreamAt>(1).empty());
    QVERIFY(bench.close());
}

void TestOutput::ofAStreamThatKeepsItsEndThatIsToldWhenAsked() {
    constexpr std::size_t kSize = 100'000;
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    Lease lease = bench.lease(1, {"twice", fifo.path(), gate.path(), std::to_string(kSize)});
    lease.keepsLast = true;
    bench.submit(lease);
    QVERIFY(fifo.next().pid > 0);
    // All that it wrote before, however much the pump has read by itself.
    QVERIFY(bench.runner().askOutput({Lsn(1), 1}));
    QVERIFY(bench.until([&] { return !bench.all<OutputEnds>(1).empty(); }));
    const OutputEnds told = bench.all<OutputEnds>(1).back();
    QCOMPARE(told.out.size, kSize);
    QVERIFY(told.out.bytes == pattern(kSize).substr(kSize - kLastOutputBytes));
    QCOMPARE(told.err.size, 0u);
    gate.open();
    const Ended* end = bench.ended(1);
    QCOMPARE(end->out.size, 2 * kSize);
    QVERIFY(end->out.truncated && end->out.path.empty() && end->out.bytes == told.out.bytes);
    QVERIFY(!bench.runner().askOutput({Lsn(1), 1}));
    QVERIFY(bench.close());
}

void TestOutput::unwatchedStreamsReportNothing() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Fifo gate(bench.path("gate"));
    bench.submit(1, {"twice", fifo.path(), gate.path(), "100"});
    QVERIFY(fifo.next().pid > 0);
    bench.runner().watch({Lsn(1), 1}, Stream::Out);
    QVERIFY(bench.until([&] { return !bench.all<StreamAt>(1).empty(); }));
    QVERIFY(bench.until([&] { return bench.all<StreamAt>(1).back().size == 100; }));
    bench.runner().unwatch({Lsn(1), 1}, Stream::Out);
    // Answered in order: what this lease reports comes after the unwatching was seen.
    bench.submit(2, {"exit", "0"});
    QVERIFY(bench.ended(2));
    const std::size_t reports = bench.all<StreamAt>(1).size();
    gate.open();
    QVERIFY(textOf(bench.ended(1)->out) == pattern(100) + pattern(100));
    QCOMPARE(bench.all<StreamAt>(1).size(), reports);
    QVERIFY(bench.close());
}

void TestOutput::aFloodIsCutAtItsCap_data() {
    QTest::addColumn<int>("cap");
    QTest::newRow("inline") << 1000;
    QTest::newRow("file") << 100'000;
}

void TestOutput::aFloodIsCutAtItsCap() {
    QFETCH(int, cap);
    RunnerBench bench;
    Lease lease = bench.lease(1, {"print", "1000000", "10"});
    lease.streamCapBytes = static_cast<std::uint64_t>(cap);
    bench.submit(lease);
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    QVERIFY(end->out.truncated && end->out.err == 0);
    QVERIFY(textOf(end->out) == pattern(static_cast<std::size_t>(cap)));
    if (!end->out.path.empty()) QVERIFY(end->out.hash == Sha256::of(textOf(end->out)));
    QVERIFY(!end->err.truncated && textOf(end->err) == pattern(10));
    QVERIFY(bench.close());
}

void TestOutput::aFullDiskIsMarkedAndTheActionGoesOn() {
    // The launcher inherits this limit, so its files cannot grow past it: a write fails as on a full disk. The
    // children write to pipes, which have no size.
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    RunnerBench* made = nullptr;
    {
        rlimit small = before;
        small.rlim_cur = 200'000;
        // Qt Test writes its own log too; only the launcher's start has to see the limit.
        ::setrlimit(RLIMIT_FSIZE, &small);
        made = new RunnerBench();
        ::setrlimit(RLIMIT_FSIZE, &before);
    }
    const std::unique_ptr<RunnerBench> bench(made);
    bench->submit(1, {"print", "2000000"});
    const Ended* end = bench->ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    QVERIFY(end->out.truncated);
    QCOMPARE(end->out.err, EFBIG);
    QCOMPARE(end->out.size, std::uint64_t{200'000});
    QVERIFY(textOf(end->out) == pattern(200'000));
    QVERIFY(end->out.hash == Sha256::of(pattern(200'000)));
    bench->submit(2, {"print", "100"});
    QVERIFY(textOf(bench->ended(2)->out) == pattern(100));
    QVERIFY(bench->close());
}

void TestOutput::aDaemonThatHoldsTheOutputDoesNotDelayTheEnd() {
    RunnerBench bench;
    Fifo fifo(bench.path("fifo"));
    Lease lease = bench.lease(1, {"hold", fifo.path()});
    lease.grace = Duration(50'000);
    bench.submit(lease);
    const int daemon = fifo.next().pid;
    QVERIFY(daemon > 0);
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    QCOMPARE(textOf(end->out), std::string("done\n"));
    QVERIFY(end->hadSurvivors);
    QVERIFY(isGone(daemon));
    QVERIFY(bench.close());
}

YARD_RUNNER_TEST_MAIN(TestOutput)
#include "tst_output.moc"
