// The parts that need no process: splitting batches, frames, the slots file, looking up programs.
#include "core/base/files.h"
#include "core/base/last_output.h"
#include "core/launcher/child_process.h"
#include "core/launcher/launcher_memory.h"
#include "core/lease/orphans.h"
#include "core/lease/process_mark.h"
#include "core/lease/slots.h"
#include "core/lease/wire.h"
#include "core/runners/runner_group.h"
#include "core/runners/warm_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>
#include <set>
#include <span>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace yard;
using namespace yard::runners;

namespace {

/// Takes what comes.
class FakeRunner final : public Runner {
public:
    explicit FakeRunner(unsigned slots)
        : slots_(slots) {}
    std::string_view name() const override { return "fake"; }
    unsigned capacity() const override { return slots_; }
    unsigned free() const override { return slots_ - static_cast<unsigned>(got.size()); }
    bool isAccepting() const override { return !isDown_; }
    void submit(std::vector<Lease> batch) override {
        for (const Lease& lease : batch) got.emplace_back(lease.id.lsn.value, lease.slot.value);
    }
    void takeBack(AttemptId) override {}
    void end(AttemptId, StopCause, std::optional<Duration>) override {}
    void endAll(StopCause, std::optional<Duration>) override { isEnded = true; }
    void watch(AttemptId, Stream) override {}
    void unwatch(AttemptId, Stream) override {}
    void acknowledge(SlotId slot, AttemptId id) override { acknowledged.emplace_back(id.lsn.value, slot.value); }
    int pollFd() const override { return -1; }
    void onReadable() override {}
    void shutDown(Duration) override { isDown_ = true; }
    bool isDown() const override { return isDown_; }

    using Places = std::vector<std::pair<std::int64_t, std::uint32_t>>; ///< LSN and slot
    Places got;
    Places acknowledged;
    bool isEnded = false;

private:
    unsigned slots_;
    bool isDown_ = false;
};

Lease leaseIn(std::int64_t lsn, std::uint32_t slot) {
    Lease lease;
    lease.id = {Lsn(lsn), 1};
    lease.slot = SlotId(slot);
    return lease;
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
    lease.idlePriority = true;
    lease.engineEnv = false;
    sandbox::Plan plan;
    plan.binds = {{"/a", "/b", true}};
    plan.asked = "/home/me";
    plan.devices = {"/dev/nvidia0", "/dev/dri/renderD128"};
    lease.sandbox = std::make_shared<const sandbox::Plan>(std::move(plan));
    return lease;
}

wire::EndedFrame sampleEnded() {
    wire::EndedFrame frame;
    frame.id = {Lsn(7), 3};
    frame.ended.slot = SlotId(1);
    frame.ended.exitCode = 3;
    frame.ended.measures[Measure::CpuTime] = 250'000;
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
    void aGroupGivesEachRunnerWhatItsSlotsAreFor();
    void aGroupNumbersTheSlotsOfWhatIsTold();
    void aGroupIsDownOnceAllOfItAre();
    void aLeaseComesBackAsItWas();
    void aLeaseSaysWhatIsAttachedToIt();
    void anEndComesBackAsItWas();
    void whatIsAskedAndAnsweredComesBackAsItWas();
    void theEndOfAStreamIsKeptHoweverItCame();
    void cutOrPaddedFramesAreRefused();
    void garbageNeverCrashesTheReaders();
    void aFrameBufferCutsFramesHoweverTheyArrive();
    void aLengthThatCannotBeBreaksTheBuffer();
    void onlyWhatTryingAgainCannotHealIsFinal();
    void marksTellActionsAndEnginesApart();
    void anOrphanIsOfWhomItInheritedFrom();
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

void TestParts::aGroupGivesEachRunnerWhatItsSlotsAreFor() {
    FakeRunner a(2);
    FakeRunner b(3);
    RunnerGroup group;
    QCOMPARE(group.add(a), 0u);
    QCOMPARE(group.add(b), 2u);
    QCOMPARE(group.capacity(), 5u);
    std::vector<Lease> batch;
    for (const std::uint32_t slot : {4u, 0u, 2u, 1u}) batch.push_back(leaseIn(10 + slot, slot));
    group.submit(std::move(batch));
    QCOMPARE(a.got, (FakeRunner::Places{{10, 0}, {11, 1}}));
    QCOMPARE(b.got, (FakeRunner::Places{{14, 2}, {12, 0}}));
    QCOMPARE(group.free(), 1u);
    QCOMPARE(&group.of(SlotId(1)), static_cast<Runner*>(&a));
    QCOMPARE(&group.of(SlotId(2)), static_cast<Runner*>(&b));
    group.acknowledge(SlotId(4), {Lsn(14), 1});
    QCOMPARE(b.acknowledged, (FakeRunner::Places{{14, 2}}));
    QVERIFY(a.acknowledged.empty());
}

void TestParts::aGroupNumbersTheSlotsOfWhatIsTold() {
    std::vector<Update> batch;
    batch.push_back({{Lsn(1), 1}, Started{.slot = SlotId(1), .times = {}}});
    batch.push_back({{Lsn(1), 1}, Returned{}});
    batch.push_back({{Lsn(2), 1}, Moved{SlotId(0)}});
    Ended ended;
    ended.slot = SlotId(2);
    batch.push_back({{Lsn(3), 1}, std::move(ended)});
    RunnerGroup::number(7, batch);
    QCOMPARE(std::get<Started>(batch[0].what).slot, SlotId(8));
    QCOMPARE(std::get<Moved>(batch[2].what).slot, SlotId(7));
    QCOMPARE(std::get<Ended>(batch[3].what).slot, SlotId(9));
}

void TestParts::aGroupIsDownOnceAllOfItAre() {
    FakeRunner a(1);
    FakeRunner b(1);
    RunnerGroup group;
    group.add(a);
    group.add(b);
    group.endAll(StopCause::EngineStopped);
    QVERIFY(a.isEnded && b.isEnded);
    a.shutDown({});
    QVERIFY(!group.isDown());
    group.shutDown({});
    QVERIFY(group.isDown());
}

void TestParts::aLeaseComesBackAsItWas() {
    std::string bytes;
    const Lease lease = sampleLease();
    wire::put(bytes, lease);
    Lease read;
    QVERIFY(wire::get(payloadOf(bytes), read));
    QVERIFY(read.id == lease.id && read.argv == lease.argv && read.env == lease.env && read.cwd == lease.cwd);
    QVERIFY(read.limits.openFiles == 12 && read.limits.noCoreFiles && read.hurry && !read.watchOut &&
            read.watchErr && read.keepsLast && read.idlePriority && !read.engineEnv);
    QVERIFY(read.sandbox && *read.sandbox == *lease.sandbox);
    QVERIFY(read.slot == lease.slot && read.group == 9 && read.deadline == Duration(5));
}

void TestParts::aLeaseSaysWhatIsAttachedToIt() {
    std::string bytes;
    Lease read;
    for (const wire::Attachment kind :
         {wire::Attachment::None, wire::Attachment::Socket, wire::Attachment::Input, wire::Attachment::Terminal}) {
        Lease given = sampleLease();
        if (kind == wire::Attachment::Socket) given.socket = std::make_shared<UniqueFd>();
        if (kind == wire::Attachment::Input) given.input = std::make_shared<UniqueFd>();
        if (kind == wire::Attachment::Terminal) given.terminal = std::make_shared<UniqueFd>();
        given.tokens = kind == wire::Attachment::Input ? std::make_shared<UniqueFd>() : nullptr;
        bytes.clear();
        wire::put(bytes, given);
        wire::Attachments said;
        QVERIFY(wire::get(payloadOf(bytes), read, said) && said.first == kind);
        QCOMPARE(said.hasTokens, kind == wire::Attachment::Input);
    }
}

void TestParts::anEndComesBackAsItWas() {
    std::string bytes;
    const wire::EndedFrame ended = sampleEnded();
    wire::put(bytes, ended);
    wire::EndedFrame back;
    QVERIFY(wire::get(payloadOf(bytes), back));
    QVERIFY(back.id == ended.id && back.moved == ended.moved);
    QVERIFY(back.ended.exitCode == 3 && !back.ended.signal && back.ended.measures == ended.ended.measures);
    QVERIFY(back.ended.out.bytes == "hello" && back.ended.err.hash == ended.ended.err.hash &&
            back.ended.err.truncated);
    QVERIFY(back.ended.spawn.message == "why");
}

void TestParts::whatIsAskedAndAnsweredComesBackAsItWas() {
    constexpr AttemptId kAttempt{Lsn(7), 3};
    std::string bytes;
    wire::put(bytes, wire::AskOutput{kAttempt, SlotId(2)});
    wire::AskOutput ask;
    QVERIFY(wire::get(payloadOf(bytes), ask));
    QVERIFY(ask.id == kAttempt && ask.slot == SlotId(2));

    bytes.clear();
    wire::put(bytes, wire::Freeze{kAttempt, false});
    wire::Freeze freeze;
    QVERIFY(wire::get(payloadOf(bytes), freeze));
    QVERIFY(freeze.id == kAttempt && !freeze.on);
    QVERIFY(!wire::get(std::string(payloadOf(bytes)) + "x", freeze));

    bytes.clear();
    wire::put(bytes, kAttempt, Frozen{true, MonoTime(Duration(5))});
    AttemptId frozenId;
    Frozen frozen;
    QVERIFY(wire::get(payloadOf(bytes), frozenId, frozen));
    QVERIFY(frozenId == kAttempt && frozen.isFrozen && frozen.at == MonoTime(Duration(5)));

    bytes.clear();
    const OutputEnds ends{{70'000, std::string(kLastOutputBytes, 'o')}, {3, "err"}};
    wire::put(bytes, kAttempt, ends);
    AttemptId id;
    OutputEnds told;
    QVERIFY(wire::get(payloadOf(bytes), id, told));
    QVERIFY(id == kAttempt && told.out.size == 70'000 && told.out.bytes == ends.out.bytes);
    QVERIFY(told.err.size == 3 && told.err.bytes == "err");
    bytes.clear();
    wire::put(bytes, kAttempt, OutputEnds{{70'000, std::string(kLastOutputBytes + 1, 'o')}, {}});
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
        wire::Freeze f;
        Frozen z;
        static_cast<void>(wire::get(text, a));
        static_cast<void>(wire::get(text, f));
        static_cast<void>(wire::get(text, id, z));
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

/// This process is the orphan: what it inherits is set here. Its session is made up, since a container
/// shows a session of outside as 0.
void TestParts::anOrphanIsOfWhomItInheritedFrom() {
    const OrphanOwners owners("ours");
    auto self = host::readStat(::getpid());
    QVERIFY(self);
    self->session = 0x7ffffffe;
    const std::vector<FirstProcess> firsts{{0, 6}, {.pid = 0x7fffffff, .lsn = 7}, {.pid = self->session, .lsn = 8}};
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_LOCKS, &before), 0);
    const auto owner = [&](std::uint64_t mark) {
        const rlimit marked{.rlim_cur = mark, .rlim_max = before.rlim_max};
        return ::setrlimit(RLIMIT_LOCKS, &marked) == 0 ? owners.of(*self, firsts).lsn : -1;
    };
    QCOMPARE(owner(ProcessMarks("ours").of(7)), 7);
    QCOMPARE(owner(ProcessMarks("ours").of(6)), 6); // its first process does not live any more
    // A mark of none of these, or of another engine: its session says it.
    QCOMPARE(owner(ProcessMarks("ours").of(9)), 8);
    QCOMPARE(owner(ProcessMarks("theirs").of(7)), 8);
    QCOMPARE(owner(before.rlim_cur), 8);
    QVERIFY(!owners.of(*self, std::span(firsts).first(2)).first);
    // A session of outside is no attempt that has no process yet.
    self->session = 0;
    QCOMPARE(owner(before.rlim_cur), 0);
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
