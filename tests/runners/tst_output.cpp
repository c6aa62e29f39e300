// Output: small inline, large through the pump into a file, live, over its limit, on a full disk, and with somebody
// holding on.
#include "core/base/files.h"
#include "core/base/last_output.h"
#include "core/launcher/launcher.h"
#include "tests/base/in_mount_namespace.h"
#include "tests/runners/runner_bench.h"

#include <QCoreApplication>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

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
    void ofAStreamOverItsLimitBothHalvesAreKept_data();
    void ofAStreamOverItsLimitBothHalvesAreKept();
    void whereAFileCannotGiveItsMiddleBackTheBeginningIsKept();
    void aReaderOfAGrowingStreamIsToldWhatItMissed();
    void aReaderBesideAFastWriterIsToldAllThatItMissed();
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
    QVERIFY(bench.runner().askOutputEnds({Lsn(1), 1}));
    QVERIFY(bench.until([&] { return !bench.all<OutputEnds>(1).empty(); }));
    const OutputEnds told = bench.all<OutputEnds>(1).back();
    QCOMPARE(told.out.size, kSize);
    QVERIFY(told.out.bytes == pattern(kSize).substr(kSize - kLastOutputBytes));
    QCOMPARE(told.err.size, 0u);
    gate.open();
    const Ended* end = bench.ended(1);
    QCOMPARE(end->out.size, 2 * kSize);
    QVERIFY(end->out.truncated && end->out.path.empty() && end->out.bytes == told.out.bytes);
    QVERIFY(!bench.runner().askOutputEnds({Lsn(1), 1}));
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

/// What readers see of a stream that was kept in a file.
std::string keptOf(const StreamResult& stream) {
    const UniqueFd fd(::open(stream.path.c_str(), O_RDONLY | O_CLOEXEC));
    const KeptStream kept(stream.size, stream.gap);
    std::string text;
    while (text.size() < kept.size()) {
        const auto piece = kept.read(fd.get(), text.size(), 100'000, 0);
        if (!piece || piece->empty()) return "(unreadable)";
        text += *piece;
    }
    return text;
}

void TestOutput::ofAStreamOverItsLimitBothHalvesAreKept_data() {
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("limit");
    QTest::newRow("just under") << 99'999 << 100'000;
    QTest::newRow("just as long") << 100'000 << 100'000;
    QTest::newRow("one byte over") << 100'001 << 100'000;
    QTest::newRow("odd") << 300'000 << 100'001;
    QTest::newRow("much longer") << 20'000'000 << 1'000'000;
}

void TestOutput::ofAStreamOverItsLimitBothHalvesAreKept() {
    QFETCH(int, size);
    QFETCH(int, limit);
    RunnerBench bench;
    Lease lease = bench.lease(1, {"print", std::to_string(size), "10"});
    lease.streamBytes = static_cast<std::uint64_t>(limit);
    bench.submit(lease);
    const Ended* end = bench.ended(1);
    QCOMPARE(end->exitCode, std::optional(0));
    const std::string all = pattern(static_cast<std::size_t>(size));
    const auto half = static_cast<std::size_t>(limit / 2);
    QCOMPARE(end->out.size, all.size());
    QCOMPARE(end->out.err, 0);
    QCOMPARE(end->out.truncated, size > limit);
    QCOMPARE(end->out.gap.size(), static_cast<std::uint64_t>(std::max(size - limit, 0)));
    const std::string tail = all.substr(all.size() - (static_cast<std::size_t>(limit) - half));
    QVERIFY(keptOf(end->out) == (size > limit ? all.substr(0, half) + gapLine(end->out.gap) + tail : all));
    struct stat file{};
    QCOMPARE(::stat(end->out.path.c_str(), &file), 0);
    QVERIFY2(file.st_blocks * 512 < limit + limit / 4 + 100'000, std::to_string(file.st_blocks).c_str());
    QVERIFY(!end->err.truncated && textOf(end->err) == pattern(10));
    QVERIFY(bench.close());
}

void TestOutput::whereAFileCannotGiveItsMiddleBackTheBeginningIsKept() {
    const QTemporaryDir where;
    YARD_IN_MOUNT_NAMESPACE(where.path(), "mount -t ramfs none \"$YARD_TEST_MOUNTED\"");
    const std::string directory = qEnvironmentVariable(yard::test::kMountedVariable).toStdString();
    const std::string all = pattern(1'000'000);
    const UniqueFd fd(::open((directory + "/stream").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    QVERIFY(writeAll(fd.get(), all));
    GapPuncher puncher;
    QVERIFY(puncher.punch(fd.get(), 100'000, 100'000));
    QVERIFY(!puncher.punch(fd.get(), all.size(), 100'000));
    QCOMPARE(errno, EOPNOTSUPP);
    const KeptStream kept(5'000'000, StreamGap{all.size(), 5'000'000});
    QCOMPARE(kept.size(), all.size() + gapLine({all.size(), 5'000'000}).size());
    QVERIFY(*kept.read(fd.get(), 999'990, 100, 0) == all.substr(999'990));
    QVERIFY(*kept.read(fd.get(), all.size(), 1'000, 0) == gapLine({all.size(), 5'000'000}));
    QVERIFY(kept.read(fd.get(), kept.size(), 1'000, 0)->empty());
}

void TestOutput::aReaderOfAGrowingStreamIsToldWhatItMissed() {
    const QTemporaryDir where;
    const std::string path = where.filePath("stream").toStdString();
    const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    constexpr std::uint64_t kLimit = 200'000;
    const std::string all = pattern(1'000'000);
    GapPuncher puncher;
    QVERIFY(writeAll(fd.get(), all.substr(0, 150'000)));
    const auto first = readGrowing(fd.get(), 0, 1'000'000, kLimit, false);
    QVERIFY(first->bytes == all.substr(0, 150'000) && first->next == 150'000);
    const KeptStream seen(150'000, gapOf(150'000, kLimit));
    QVERIFY(writeAll(fd.get(), all.substr(150'000)));
    QVERIFY(puncher.punch(fd.get(), all.size(), kLimit));
    // Of one who reads on, what went is left out; who reads from the start has the first half first.
    const auto missed = readGrowing(fd.get(), 150'000, 1'000'000, kLimit, false);
    QCOMPARE(missed->next, std::uint64_t{950'000});
    QCOMPARE(missed->bytes, gapLine({150'000, 950'000}));
    const auto rest = readGrowing(fd.get(), missed->next, 1'000'000, kLimit, false);
    QVERIFY(rest->bytes == all.substr(950'000) && rest->next == 1'000'000);
    QVERIFY(readGrowing(fd.get(), rest->next, 1'000'000, kLimit, false)->bytes.empty());
    QVERIFY(readGrowing(fd.get(), 0, 1'000'000, kLimit, false)->bytes == all.substr(0, 100'000));
    // Of one that has ended all that is kept is read.
    const auto ended = readGrowing(fd.get(), 150'000, 1'000'000, kLimit, true);
    QVERIFY(ended->isGap && ended->next == 900'000 && !first->isGap);
    QCOMPARE(ended->bytes, gapLine({150'000, 900'000}));
    // A view of what was there before: its first half stands, the rest is refused rather than read as zeros.
    const KeptStream old(500'000, gapOf(500'000, kLimit));
    QVERIFY(*seen.read(fd.get(), 0, 10, kLimit) == all.substr(0, 10));
    QVERIFY(!old.read(fd.get(), 150'000, 10, kLimit));
    // A descriptor that cannot be looked at.
    QVERIFY(!readGrowing(-1, 0, 10, kLimit, false) && !old.read(-1, 150'000, 10, kLimit));
}

void TestOutput::aReaderBesideAFastWriterIsToldAllThatItMissed() {
    const QTemporaryDir where;
    const std::string path = where.filePath("stream").toStdString();
    const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    constexpr std::uint64_t kLimit = kLeastStreamBytes;
    const std::string all = pattern(8'000'000);
    std::atomic<bool> isWritten = false;
    std::thread writer([&] {
        GapPuncher puncher;
        for (std::size_t at = 0; at < all.size(); at += 20'000) {
            if (!writeAll(fd.get(), all.substr(at, 20'000))) break;
            puncher.punch(fd.get(), std::min(at + 20'000, all.size()), kLimit);
        }
        isWritten = true;
    });
    std::uint64_t offset = 0;
    bool isTrue = true;
    for (bool ended = false; isTrue;) {
        const auto piece = readGrowing(fd.get(), offset, 1'000'000, kLimit, ended);
        isTrue = piece && (piece->isGap ? piece->next > offset && piece->bytes == gapLine({offset, piece->next})
                                        : piece->bytes == all.substr(offset, piece->next - offset));
        if (isTrue) offset = piece->next;
        if (isTrue && piece->bytes.empty() && std::exchange(ended, isWritten.load())) break;
    }
    writer.join();
    QVERIFY(isTrue);
    QCOMPARE(offset, std::uint64_t{all.size()});
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
