// The parts that need no process: splitting batches, frames, the slots file, looking up programs.
#include "core/base/files.h"
#include "core/runners/child_process.h"
#include "core/runners/last_output.h"
#include "core/runners/launcher_memory.h"
#include "core/runners/process_mark.h"
#include "core/runners/runner_group.h"
#include "core/runners/slots.h"
#include "core/runners/warm_runner.h"
#include "core/runners/wire.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace yard;
using namespace yard::runners;

namespace {

class FakeRunner final : public Runner {
public:
    explicit FakeRunner(unsigned free)
        : free_(free) {}
    std::string_view name() const override { return "fake"; }
    unsigned capacity() const override { return 100; }
    unsigned free() const override { return free_; }
    void submit(std::vector<Lease> batch) override {
        free_ -= static_cast<unsigned>(batch.size());
        for (const Lease& lease : batch) got.push_back(lease.id.lsn.value);
    }
    void takeBack(AttemptId) override {}
    void end(AttemptId, StopCause, std::optional<Duration>) override {}
    void endAll(StopCause, std::optional<Duration>) override {}
    void watch(AttemptId, Stream) override {}
    void unwatch(AttemptId, Stream) override {}
    void acknowledge(SlotId, AttemptId) override {}
    std::vector<std::int64_t> got;

private:
    unsigned free_;
};

std::vector<Lease> leases(int count) {
    std::vector<Lease> batch(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) batch[static_cast<std::size_t>(i)].id = {Lsn(i + 1), 1};
    return batch;
}

std::string_view payloadOf(const std::string& frame) {
    return std::string_view(frame).substr(5);
}

Lease sampleLease() {
    Lease lease;
    lease.id = {Lsn(7), 3};
    lease.slot = SlotId(1);
    lease.group = 9;
    lease.argv = {"/bin/echo", "", "a b"};
    lease.env = {{"K", "V"}, {"EMPTY", ""}};
    lease.cwd = "/tmp";
    lease.deadline = Duration(5);
    lease.limits.openFiles = 12;
    lease.limits.noCoreFiles = true;
    lease.hurry = true;
    lease.watchErr = true;
    lease.keepsLast = true;
    lease.engineEnv = false;
    sandbox::Plan plan;
    plan.binds = {{"/a", "/b", true}};
    plan.asked = "/home/me";
    lease.sandbox = std::make_shared<const sandbox::Plan>(std::move(plan));
    return lease;
}

wire::EndedFrame sampleEnded() {
    wire::EndedFrame frame;
    frame.id = {Lsn(7), 3};
    frame.ended.slot = SlotId(1);
    frame.ended.exitCode = 3;
    frame.ended.cpuSeconds = 0.25;
    frame.ended.out.bytes = "hello";
    frame.ended.out.size = 5;
    frame.ended.err.path = "/x/y";
    frame.ended.err.hash = Sha256::of("z");
    frame.ended.err.truncated = true;
    frame.ended.spawn.message = "why";
    frame.moved = AttemptId{Lsn(8), 1};
    return frame;
}

} // namespace

class TestParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aBatchIsSplitInProportionToFreeCapacity_data();
    void aBatchIsSplitInProportionToFreeCapacity();
    void aSplitNeverExceedsWhatIsFree();
    void aGroupChoosesRoundRobinAmongThoseWithRoom();
    void aGroupReturnsWhatFoundNoPlace();
    void framesComeBackAsTheyWere();
    void theEndOfAStreamIsKeptHoweverItCame();
    void cutOrPaddedFramesAreRefused();
    void garbageNeverCrashesTheReaders();
    void aFrameBufferCutsFramesHoweverTheyArrive();
    void aLengthThatCannotBeBreaksTheBuffer();
    void onlyWhatTryingAgainCannotHealIsFinal();
    void marksTellActionsAndEnginesApart();
    void slotEntriesSurviveTheMapping();
    void aFullRingHoldsBackUntilAnEntryIsFreed();
    void aNewSlotsFileLeavesTheOldMappingAlone();
    void damagedSlotEntriesAreCountedAndLeftOut();
    void garbledSlotsFilesAreRefused_data();
    void garbledSlotsFilesAreRefused();
    void programsAreLookedUpInPath();
    void aPeakThatIsOverIsForgotten();
};

void TestParts::aPeakThatIsOverIsForgotten() {
    constexpr std::size_t kSize = 64u << 20;
    LowPeak low;
    low.lower();
    const std::int64_t before = peakSinceLowered();
    if (before == 0) QSKIP("this system does not tell the peak of a process");
    void* place = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    QVERIFY(place != MAP_FAILED);
    std::memset(place, 1, kSize);
    ::munmap(place, kSize);
    const auto size = static_cast<std::int64_t>(kSize);
    QVERIFY(peakSinceLowered() >= before + size / 2);
    QVERIFY(ownPeakBytes() >= before + size / 2);
    low.lowerIfGrown();
    QVERIFY(peakSinceLowered() < before + size / 2);
    QVERIFY(ownPeakBytes() >= before + size / 2);
    const std::int64_t lowered = peakSinceLowered();
    low.lowerIfGrown(); // nothing to win
    QVERIFY(peakSinceLowered() <= lowered + LowPeak::kWorthwhile);
}

void TestParts::aBatchIsSplitInProportionToFreeCapacity_data() {
    QTest::addColumn<unsigned>("count");
    QTest::addColumn<QList<unsigned>>("free");
    QTest::addColumn<unsigned>("first");
    QTest::addColumn<QList<unsigned>>("expected");
    using L = QList<unsigned>;
    QTest::newRow("even") << 6u << L{3, 3, 3} << 0u << L{2, 2, 2};
    QTest::newRow("proportional") << 6u << L{8, 4} << 0u << L{4, 2};
    QTest::newRow("largest remainder") << 5u << L{6, 4, 2} << 0u << L{2, 2, 1};
    QTest::newRow("a tie goes to the one in turn") << 1u << L{4, 4, 4} << 2u << L{0, 0, 1};
    QTest::newRow("more than fits") << 100u << L{3, 0, 5} << 0u << L{3, 0, 5};
    QTest::newRow("nothing free") << 4u << L{0, 0} << 0u << L{0, 0};
    QTest::newRow("nothing to give") << 0u << L{3, 3} << 0u << L{0, 0};
    QTest::newRow("no runner") << 4u << L{} << 0u << L{};
}

void TestParts::aBatchIsSplitInProportionToFreeCapacity() {
    QFETCH(unsigned, count);
    QFETCH(QList<unsigned>, free);
    QFETCH(unsigned, first);
    QFETCH(QList<unsigned>, expected);
    const std::vector<unsigned> f(free.begin(), free.end());
    const auto share = splitByFree(count, f, first);
    QCOMPARE(QList<unsigned>(share.begin(), share.end()), expected);
}

void TestParts::aSplitNeverExceedsWhatIsFree() {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::vector<unsigned> free(random() % 6);
        for (unsigned& f : free) f = random() % 20;
        const unsigned count = random() % 60;
        const auto share = splitByFree(count, free, random() % 7);
        unsigned given = 0;
        for (std::size_t i = 0; i < free.size(); ++i) {
            QVERIFY(share[i] <= free[i]);
            given += share[i];
        }
        QCOMPARE(given, std::min(count, std::accumulate(free.begin(), free.end(), 0u)));
    }
}

void TestParts::aGroupChoosesRoundRobinAmongThoseWithRoom() {
    FakeRunner a(2);
    FakeRunner b(0);
    FakeRunner c(2);
    RunnerGroup group;
    for (FakeRunner* r : {&a, &b, &c}) group.add(*r);
    QCOMPARE(group.choose(), &a);
    QCOMPARE(group.choose(), &c);
    QCOMPARE(group.choose(), &a);
    QCOMPARE(group.free(), 4u);
}

void TestParts::aGroupReturnsWhatFoundNoPlace() {
    FakeRunner a(2);
    FakeRunner b(1);
    RunnerGroup group;
    group.add(a);
    group.add(b);
    const auto left = group.submit(leases(5));
    QCOMPARE(a.got, (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(b.got, (std::vector<std::int64_t>{3}));
    QCOMPARE(left.size(), std::size_t{2});
    QCOMPARE(left.front().id.lsn.value, std::int64_t{4});
    QVERIFY(group.choose() == nullptr);
}

void TestParts::framesComeBackAsTheyWere() {
    std::string bytes;
    const Lease lease = sampleLease();
    wire::put(bytes, lease);
    Lease read;
    QVERIFY(wire::get(payloadOf(bytes), read));
    QVERIFY(read.id == lease.id && read.argv == lease.argv && read.env == lease.env && read.cwd == lease.cwd);
    QVERIFY(read.limits.openFiles == 12 && read.limits.noCoreFiles && read.hurry && !read.watchOut &&
            read.watchErr && read.keepsLast && !read.engineEnv);
    QVERIFY(read.sandbox && *read.sandbox == *lease.sandbox);
    QVERIFY(read.slot == lease.slot && read.group == 9 && read.deadline == Duration(5));
    for (const wire::Attachment kind :
         {wire::Attachment::None, wire::Attachment::Socket, wire::Attachment::Input, wire::Attachment::Terminal}) {
        Lease given = sampleLease();
        if (kind == wire::Attachment::Socket) given.socket = std::make_shared<UniqueFd>();
        if (kind == wire::Attachment::Input) given.input = std::make_shared<UniqueFd>();
        if (kind == wire::Attachment::Terminal) given.terminal = std::make_shared<UniqueFd>();
        bytes.clear();
        wire::put(bytes, given);
        wire::Attachment said{};
        QVERIFY(wire::get(payloadOf(bytes), read, said) && said == kind);
    }

    bytes.clear();
    const wire::EndedFrame ended = sampleEnded();
    wire::put(bytes, ended);
    wire::EndedFrame back;
    QVERIFY(wire::get(payloadOf(bytes), back));
    QVERIFY(back.id == ended.id && back.moved == ended.moved);
    QVERIFY(back.ended.exitCode == 3 && !back.ended.signal && back.ended.cpuSeconds == 0.25);
    QVERIFY(back.ended.out.bytes == "hello" && back.ended.err.hash == ended.ended.err.hash &&
            back.ended.err.truncated);
    QVERIFY(back.ended.spawn.message == "why");

    bytes.clear();
    wire::put(bytes, wire::AskOutput{{Lsn(7), 3}, SlotId(2)});
    wire::AskOutput ask;
    QVERIFY(wire::get(payloadOf(bytes), ask));
    QVERIFY(ask.id == ended.id && ask.slot == SlotId(2));

    bytes.clear();
    const OutputEnds ends{{70'000, std::string(kLastOutputBytes, 'o')}, {3, "err"}};
    wire::put(bytes, ended.id, ends);
    AttemptId id;
    OutputEnds told;
    QVERIFY(wire::get(payloadOf(bytes), id, told));
    QVERIFY(id == ended.id && told.out.size == 70'000 && told.out.bytes == ends.out.bytes);
    QVERIFY(told.err.size == 3 && told.err.bytes == "err");
    bytes.clear();
    wire::put(bytes, ended.id, OutputEnds{{70'000, std::string(kLastOutputBytes + 1, 'o')}, {}});
    QVERIFY(!wire::get(payloadOf(bytes), id, told));
}

void TestParts::theEndOfAStreamIsKeptHoweverItCame() {
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        LastOutput last;
        std::string all;
        for (int n = 0; n < 40; ++n) {
            std::string piece(random() % (round % 2 == 0 ? 9'000 : 90'000), '\0');
            for (char& c : piece) c = static_cast<char>('a' + random() % 26);
            last.append(piece);
            all += piece;
            const std::size_t kept = std::min(all.size(), kLastOutputBytes);
            QVERIFY(last.text() == std::string_view(all).substr(all.size() - kept));
            QCOMPARE(last.total(), all.size());
        }
    }
}

void TestParts::cutOrPaddedFramesAreRefused() {
    std::string bytes;
    wire::put(bytes, sampleLease());
    const std::string payload(payloadOf(bytes));
    Lease lease;
    for (std::size_t n = 0; n < payload.size(); ++n) QVERIFY(!wire::get(payload.substr(0, n), lease));
    QVERIFY(!wire::get(payload + "x", lease));
    bytes.clear();
    wire::put(bytes, sampleEnded());
    const std::string other(payloadOf(bytes));
    wire::EndedFrame ended;
    for (std::size_t n = 0; n < other.size(); ++n) QVERIFY(!wire::get(other.substr(0, n), ended));
    QVERIFY(!wire::get(other + "x", ended));
}

void TestParts::garbageNeverCrashesTheReaders() {
    std::mt19937 random(2);
    std::string lease;
    std::string ended;
    wire::put(lease, sampleLease());
    wire::put(ended, sampleEnded());
    for (int round = 0; round < 20'000; ++round) {
        std::string text(payloadOf(round % 2 == 0 ? lease : ended));
        for (unsigned k = random() % 4 + 1; k > 0; --k) text[random() % text.size()] = static_cast<char>(random());
        Lease l;
        wire::EndedFrame e;
        wire::Setup s;
        wire::Watch w;
        wire::End n;
        AttemptId id;
        Started started;
        StreamAt at;
        wire::AskOutput a;
        OutputEnds o;
        static_cast<void>(wire::get(text, a));
        static_cast<void>(wire::get(text, id, o));
        static_cast<void>(wire::get(text, l));
        static_cast<void>(wire::get(text, e));
        static_cast<void>(wire::get(text, s));
        static_cast<void>(wire::get(text, w));
        static_cast<void>(wire::get(text, n));
        static_cast<void>(wire::get(text, id, started));
        static_cast<void>(wire::get(text, id, at));
    }
}

void TestParts::aFrameBufferCutsFramesHoweverTheyArrive() {
    std::string bytes;
    for (int i = 1; i <= 3; ++i) wire::putReturned(bytes, {Lsn(i), 1});
    wire::FrameBuffer buffer;
    int seen = 0;
    for (const char c : bytes) {
        buffer.append(std::string_view(&c, 1));
        while (const auto frame = buffer.next()) {
            AttemptId id;
            QVERIFY(frame->type == wire::FrameType::Returned && wire::get(frame->payload, id));
            QCOMPARE(id.lsn.value, std::int64_t{++seen});
        }
    }
    QCOMPARE(seen, 3);
    QVERIFY(!buffer.isBroken());
}

void TestParts::aLengthThatCannotBeBreaksTheBuffer() {
    for (const std::string& start : {std::string("\xff\xff\xff\xff", 4), std::string(4, '\0')}) {
        wire::FrameBuffer buffer;
        buffer.append(start);
        QVERIFY(!buffer.next());
        QVERIFY(buffer.isBroken());
    }
}

void TestParts::onlyWhatTryingAgainCannotHealIsFinal() {
    for (const int err : {ENOENT, EACCES, ENOEXEC, ENOTDIR, ELOOP, E2BIG}) {
        for (const SpawnStep step : {SpawnStep::Lookup, SpawnStep::ChangeDirectory, SpawnStep::Exec})
            QVERIFY(cannotHeal({step, err, {}, {}}));
        // Nothing that the action names.
        for (const SpawnStep step : {SpawnStep::None, SpawnStep::Lock, SpawnStep::Sandbox, SpawnStep::Pipe})
            QVERIFY(!cannotHeal({step, err, {}, {}}));
    }
    for (const int err : {EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY, EIO, ETIMEDOUT})
        for (const SpawnStep step : {SpawnStep::Clone, SpawnStep::ChangeDirectory, SpawnStep::Exec})
            QVERIFY(!cannotHeal({step, err, {}, {}}));
    QCOMPARE(shellExitCode({SpawnStep::Exec, ENOENT, {}, {}}), std::optional(127));
    QCOMPARE(shellExitCode({SpawnStep::Exec, EACCES, {}, {}}), std::optional(126));
    QCOMPARE(shellExitCode({SpawnStep::ChangeDirectory, ENOENT, {}, {}}), std::optional<int>());
}

void TestParts::marksTellActionsAndEnginesApart() {
    const ProcessMarks ours("ours");
    const ProcessMarks theirs("theirs");
    std::set<std::uint64_t> different{RLIM_INFINITY, 0, ours.of(1), ours.of(2), ours.of(kFirstProcessLsn + 1),
                                      theirs.of(1)};
    QCOMPARE(different.size(), 6U);
    for (const std::int64_t lsn : {std::int64_t{1}, std::int64_t{1} << 40, kFirstProcessLsn + 1}) {
        QVERIFY(ours.isOurs(ours.of(lsn)));
        QVERIFY(!ours.isOurs(theirs.of(lsn)));
    }
    QVERIFY(!ours.isOurs(RLIM_INFINITY) && !ours.isOurs(0));
    QVERIFY(!ours.isOurs(ProcessMarks::read(::getpid())));
    QCOMPARE(ProcessMarks::read(0x7fffffff), 0U); // there is no such process
}

void TestParts::slotEntriesSurviveTheMapping() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("slots").toStdString();
    {
        auto file = SlotsFile::create(path, 3);
        QVERIFY(file);
        const auto first = file->take(SlotId(2), {Lsn(5), 1});
        file->setCloned(SlotId(2), *first, 1234);
        QVERIFY(file->take(SlotId(0), {Lsn(6), 2}));
        const auto third = file->take(SlotId(1), {Lsn(7), 1});
        file->giveBack(SlotId(1), *third);
        file->setLauncherPid(99);
    }
    auto file = SlotsFile::open(path);
    QVERIFY(file);
    QCOMPARE(file->launcherPid(), 99);
    QCOMPARE(file->entries().size(), std::size_t{2});
    const auto cloned = file->find({Lsn(5), 1});
    QVERIFY(cloned && cloned->state == SlotEntryState::Cloned && cloned->pid == 1234 && cloned->slot == SlotId(2));
    QVERIFY(cloned->started > 0 && cloned->started <= wallNow());
    const auto about = file->find({Lsn(6), 2});
    QVERIFY(about && about->state == SlotEntryState::AboutToClone && about->started == 0);
    QVERIFY(!file->find({Lsn(6), 1}));
    file->freeEntry(SlotId(0), {Lsn(6), 2});
    QVERIFY(!file->find({Lsn(6), 2}));
}

void TestParts::aFullRingHoldsBackUntilAnEntryIsFreed() {
    QTemporaryDir dir;
    auto file = SlotsFile::create(dir.filePath("slots").toStdString(), 1);
    for (int i = 1; i <= static_cast<int>(SlotsFile::kRing); ++i) QVERIFY(file->take(SlotId(0), {Lsn(i), 1}));
    QVERIFY(!file->freeEntry(SlotId(0), {Lsn(1), 1})); // nobody was held back
    QVERIFY(file->take(SlotId(0), {Lsn(100), 1}));
    QVERIFY(!file->take(SlotId(0), {Lsn(101), 1}));
    QVERIFY(file->freeEntry(SlotId(0), {Lsn(2), 1}));
    QVERIFY(file->take(SlotId(0), {Lsn(101), 1}));
}

void TestParts::aNewSlotsFileLeavesTheOldMappingAlone() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("slots").toStdString();
    auto old = SlotsFile::create(path, 1);
    auto fresh = SlotsFile::create(path, 1);
    QVERIFY(old->take(SlotId(0), {Lsn(1), 1}));
    QVERIFY(fresh->entries().empty());
    QCOMPARE(old->entries().size(), std::size_t{1});
}

void TestParts::damagedSlotEntriesAreCountedAndLeftOut() {
    QTemporaryDir dir;
    const QString path = dir.filePath("slots");
    auto file = SlotsFile::create(path.toStdString(), 2);
    QVERIFY(file);
    for (int i = 0; i < 4; ++i) QVERIFY(file->take(SlotId(1), {Lsn(i == 1 ? -5 : 7), i == 2 ? 0u : 1u}));
    QCOMPARE(file->damaged(), 2u);
    QFile raw(path);
    QVERIFY(raw.open(QIODevice::ReadWrite));
    // A page for the head, a slot of 64 bytes and 64 entries of 32 each; the state is 12 bytes into an entry.
    QVERIFY(raw.seek(4096 + (64 + 64 * 32) + 64 + 3 * 32 + 12));
    QCOMPARE(raw.write("\x03"), 1);
    raw.close();
    QCOMPARE(file->damaged(), 3u);
    QCOMPARE(file->entries().size(), std::size_t{1});
}

void TestParts::garbledSlotsFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("text") << QByteArray("hello");
    QTest::newRow("zeros") << QByteArray(8192, '\0');
    QTest::newRow("cut") << QByteArray("YARDSLOT\1\0\0\0\1\0\0\0\x40\0\0\0", 20).leftJustified(4096, '\0');
    QTest::newRow("many slots")
        << QByteArray("YARDSLOT\1\0\0\0\xff\xff\0\0\x40\0\0\0", 20).leftJustified(8192, '\0');
}

void TestParts::garbledSlotsFilesAreRefused() {
    QFETCH(QByteArray, content);
    QTemporaryDir dir;
    const std::string path = dir.filePath("slots").toStdString();
    QVERIFY(writeFileAtomically(path, content.toStdString(), 0600));
    const auto file = SlotsFile::open(path);
    QVERIFY(!file && file.error().kind == ErrorKind::Malformed);
}

void TestParts::programsAreLookedUpInPath() {
    QTemporaryDir dir;
    const std::string root = dir.path().toStdString();
    for (const char* part : {"/plain", "/good", "/dir/prog"}) QVERIFY(makeDirectories(root + part));
    QVERIFY(writeFileAtomically(root + "/plain/prog", "#!/bin/sh\n", 0644));
    QVERIFY(writeFileAtomically(root + "/good/prog", "#!/bin/sh\n", 0755));
    QCOMPARE(lookUpProgram("prog", root + "/plain:" + root + "/good", "/").path, root + "/good/prog");
    QCOMPARE(lookUpProgram("prog", root + "/none", "/").err, ENOENT);
    QCOMPARE(lookUpProgram("prog", root + "/dir", "/").err, ENOENT);
    QCOMPARE(lookUpProgram("prog", "good", root).path, root + "/good/prog");
    QCOMPARE(lookUpProgram("prog", "", root + "/good").path, root + "/good/prog");
    QCOMPARE(lookUpProgram("./x", "", "/").path, std::string("./x"));
    QCOMPARE(lookUpProgram("", "/bin", "/").err, ENOENT);
    if (::geteuid() != 0) QCOMPARE(lookUpProgram("prog", root + "/plain", "/").err, EACCES);
}

QTEST_GUILESS_MAIN(TestParts)
#include "tst_parts.moc"
