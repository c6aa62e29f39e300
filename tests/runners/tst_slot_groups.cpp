// Control groups of slots: what is written and read, in a tree of plain files, and the real thing where this
// machine has a controller of version 2 to give.
#include "core/base/files.h"
#include "core/engine/running/outcome.h"
#include "core/host/launcher_group.h"
#include "core/host/process_tree.h"
#include "core/launcher/slot_groups.h"
#include "core/sandbox/child_code.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;

namespace {

namespace fs = std::filesystem;

void put(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
}

std::string content(const std::string& path) {
    return readFile(path).value_or("none");
}

bool tell(const std::string& path, std::string_view text) {
    std::ofstream file(path);
    file << text << std::flush;
    return file.good();
}

/// The first controller that the root of version 2 has to give; empty: none, or no right to it.
std::string someController(const std::string& root) {
    const std::string all = readFile(root + "/cgroup.controllers").value_or("");
    const std::string first = all.substr(0, all.find_first_of(" \n"));
    return tell(root + "/cgroup.subtree_control", "+" + first) ? first : std::string();
}

using GroupWork = int (*)(const std::string& path, const std::string& controller);
constexpr int kNoFreezer = 77;

/// A child in the group of this descriptor, which runs `code`.
long bornIn(int group, int (*code)()) {
    clone_args how{};
    how.flags = CLONE_INTO_CGROUP;
    how.exit_signal = SIGCHLD;
    how.cgroup = static_cast<std::uint64_t>(group);
    const long child = ::syscall(SYS_clone3, &how, sizeof how);
    if (child == 0) ::_exit(code());
    return child;
}

/// The kernel says so soon after it was told.
bool becomes(const std::string& events, std::string_view line) {
    constexpr int kLooks = 10'000;
    constexpr unsigned kMillisecond = 1'000;
    for (int i = 0; i < kLooks; ++i) {
        if (content(events).contains(line)) return true;
        ::usleep(kMillisecond);
    }
    return false;
}

/// 0 when a process in a slot's group stands still when it is told to, and goes on when it is told to or when the slot is
/// taken for the next.
int standsStillInItsGroup(const std::string& path, const std::string& controller) {
    if (!host::enterLauncherGroup(path)) return 1;
    const auto groups = SlotGroups::make(path, 4, controller);
    if (!groups) return 2;
    const SlotId slot(1);
    const int group = groups->take(slot, 64u << 20, 8);
    if (group < 0) return 3;
    if (!fs::exists(path + "/slot-1/cgroup.freeze")) return kNoFreezer;
    const auto child = static_cast<int>(bornIn(group, [] {
        while (true) ::pause();
        return 0;
    }));
    if (child < 0) return 4;
    const std::string events = path + "/slot-1/cgroup.events";
    int wrong = 0;
    if (groups->setFrozen(slot, ::getpid(), true)) wrong = 5; // it is not in it
    for (const bool byNext : {false, true}) {
        if (wrong == 0 && !(groups->setFrozen(slot, child, true) && becomes(events, "frozen 1"))) wrong = 6;
        const bool goesOn = byNext ? groups->take(slot, 64u << 20, 8) >= 0 : groups->setFrozen(slot, child, false);
        if (wrong == 0 && !(goesOn && becomes(events, "frozen 0"))) wrong = 7;
    }
    int status = -1;
    ::kill(child, SIGKILL);
    if (::waitpid(child, &status, 0) != child) return 8;
    return wrong;
}

/// In a process of its own, which moves into the groups: 0 when what is born in a slot's group is there.
int bornInItsGroup(const std::string& path, const std::string& controller) {
    if (!host::enterLauncherGroup(path)) return 1;
    const auto groups = SlotGroups::make(path, 4, controller);
    if (!groups) return 2;
    const int group = groups->take(SlotId(2), 64u << 20, 8);
    if (group < 0 || groups->take(SlotId(4), 1, 1) >= 0) return 3;
    const long child = bornIn(group, [] { return content("/proc/self/cgroup").contains("/slot-2\n") ? 0 : 1; });
    int status = -1;
    if (child < 0 || ::waitpid(static_cast<int>(child), &status, 0) != child || status != 0) return 4;
    if (groups->wasOverMemory(SlotId(2))) return 5;
    return content("/proc/self/cgroup").contains("/launcher\n") ? 0 : 6;
}

} // namespace

class TestSlotGroups : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void memoryIsBoundedAndKillsAreCountedFromOneSandboxToTheNext();
    void withoutTheControllerThereAreNone();
    void whatIsBornInASlotsGroupIsRemovedWithIt();
    void whatIsInASlotsGroupStandsStillAndGoesOn();
    void onlyWhatIsInItsGroupStandsStill();
    void whatTheKernelEndedForItsMemorySaysSo();
    void whatEndedWithItsLeaseWasInterrupted();
    void aDeadlineThatPassedIsNamed();

private:
    void inAGroup(GroupWork work, const char* slot);
};

void TestSlotGroups::memoryIsBoundedAndKillsAreCountedFromOneSandboxToTheNext() {
    const QTemporaryDir directory;
    const std::string root = directory.path().toStdString();
    const std::string slot = root + "/slot-3/";
    put(root + "/cgroup.controllers", "cpu memory pids\n");
    for (const char* name : {"/cgroup.subtree_control", "/cgroup.procs", "/launcher/cgroup.procs"})
        put(root + name, "");
    for (const char* name : {"memory.max", "pids.max", "memory.oom.group", "memory.swap.max"}) put(slot + name, "");
    const auto kills = [&](int count) {
        put(slot + "memory.events",
            fmt::format("low 0\nhigh 0\nmax 9\noom 7\noom_kill {}\noom_group_kill 1\n", count));
    };
    kills(2); // of another launcher
    const auto groups = SlotGroups::make(root, 4);
    QVERIFY(groups);
    QCOMPARE(content(root + "/launcher/cgroup.procs"), "0");
    QVERIFY(groups->take(SlotId(3), 1000, 5) >= 0);
    QCOMPARE(content(slot + "memory.max"), "1000");
    QCOMPARE(content(slot + "pids.max"), "5");
    QCOMPARE(content(slot + "memory.oom.group"), "1");
    QCOMPARE(content(slot + "memory.swap.max"), "0");
    QVERIFY(!groups->wasOverMemory(SlotId(3)));
    kills(4);
    QVERIFY(groups->wasOverMemory(SlotId(3)));
    QVERIFY(groups->take(SlotId(3), 2000, 0) >= 0);
    QCOMPARE(content(slot + "memory.max"), "2000");
    QCOMPARE(content(slot + "pids.max"), "max");
    QVERIFY(!groups->wasOverMemory(SlotId(3)));
    QCOMPARE(groups->take(SlotId(3), 0, 5), -1); // unbounded
    QCOMPARE(groups->take(SlotId(4), 1000, 5), -1);
}

void TestSlotGroups::withoutTheControllerThereAreNone() {
    const QTemporaryDir directory;
    const std::string root = directory.path().toStdString();
    QVERIFY(!SlotGroups::make(root + "/none", 4));
    put(root + "/cgroup.controllers", "cpu hugememory pids\n");
    QVERIFY(!SlotGroups::make(root, 4));
    // It cannot be given on: all is as it was.
    put(root + "/cgroup.controllers", "cpu memory\n");
    put(root + "/cgroup.procs", "");
    QVERIFY(!SlotGroups::make(root, 4));
    QVERIFY(!fs::exists(root + "/launcher"));
}

/// `work` in a process of its own below a group of this machine, which is gone afterwards with all that is in it.
void TestSlotGroups::inAGroup(GroupWork work, const char* slot) {
    const QTemporaryDir directory;
    const std::string data = directory.path().toStdString();
    const std::string token = fmt::format("test{}", ::getpid());
    const std::string first = host::makeLauncherGroup(data, token);
    if (first.empty()) QSKIP("no control group can be made here");
    const std::string root = first.substr(0, first.rfind("/yardmaster-"));
    const bool had = content(root + "/cgroup.subtree_control").find_first_not_of("\n") != std::string::npos;
    const std::string controller = someController(root);
    if (controller.empty()) {
        QVERIFY(host::endLauncherGroup(data, token, Duration(10'000'000)));
        QSKIP("no controller can be given to a group here");
    }
    const int child = ::fork();
    if (child == 0) ::_exit(work(first, controller));
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(fs::exists(first + slot));
    QVERIFY(host::endLauncherGroup(data, token, Duration(10'000'000)));
    QVERIFY(!fs::exists(first));
    if (!had) tell(root + "/cgroup.subtree_control", "-" + controller);
    QVERIFY(WIFEXITED(status));
    if (WEXITSTATUS(status) == kNoFreezer) QSKIP("the kernel's groups cannot stand still here");
    QCOMPARE(WEXITSTATUS(status), 0);
}

void TestSlotGroups::whatIsBornInASlotsGroupIsRemovedWithIt() {
    inAGroup(bornInItsGroup, "/slot-2");
}

void TestSlotGroups::whatIsInASlotsGroupStandsStillAndGoesOn() {
    inAGroup(standsStillInItsGroup, "/slot-1");
}

void TestSlotGroups::onlyWhatIsInItsGroupStandsStill() {
    const QTemporaryDir directory;
    const std::string root = directory.path().toStdString();
    put(root + "/cgroup.controllers", "memory\n");
    for (const char* name : {"/cgroup.subtree_control", "/cgroup.procs", "/launcher/cgroup.procs"})
        put(root + name, "");
    for (const char* name : {"memory.max", "pids.max", "cgroup.freeze"}) put(root + "/slot-1/" + name, "");
    const auto groups = SlotGroups::make(root, 4);
    QVERIFY(groups);
    QVERIFY(!groups->setFrozen(SlotId(1), ::getpid(), true)); // this process is elsewhere
    QCOMPARE(content(root + "/slot-1/cgroup.freeze"), "");
    QVERIFY(groups->setFrozen(SlotId(1), ::getpid(), false)); // whatever is in it goes on
    QCOMPARE(content(root + "/slot-1/cgroup.freeze"), "0");
    for (const bool on : {true, false}) {
        QVERIFY(!groups->setFrozen(SlotId(2), ::getpid(), on)); // it was never made
        QVERIFY(!groups->setFrozen(SlotId(4), ::getpid(), on));
    }
}

void TestSlotGroups::whatTheKernelEndedForItsMemorySaysSo() {
    Ended ended;
    ended.signal = SIGKILL;
    ended.overMemory = true;
    const auto reasonOf = [&] { return engine::outcomeOf(ended).reason; };
    QCOMPARE(reasonOf(), Reason::Memory);
    QCOMPARE(engine::outcomeOf(ended).state, ActionState::Failed);
    ended.cause = EndCause::WorkerCrashed;
    QCOMPARE(reasonOf(), Reason::Memory);
    ended.cause = EndCause::Cancelled;
    QCOMPARE(reasonOf(), Reason::Cancelled);
    // One process of it was ended, and the program did what it should.
    ended = {};
    ended.exitCode = 0;
    ended.overMemory = true;
    QCOMPARE(engine::outcomeOf(ended).state, ActionState::Completed);
}

void TestSlotGroups::aDeadlineThatPassedIsNamed() {
    using std::chrono::seconds;
    Ended ended;
    ended.cause = EndCause::Deadline;
    const auto noteWith = [&](Duration deadline) {
        AttemptOutcome outcome = engine::outcomeOf(ended);
        engine::applyDeadline(outcome, deadline);
        return outcome.note;
    };
    QCOMPARE(noteWith(seconds(90)), "the deadline of 1 min 30 s passed; its processes were ended");
    QCOMPARE(noteWith(Duration::zero()), "the deadline passed; its processes were ended"); // of an engine before
    ended.spawn.message = "its directory did not answer";
    QCOMPARE(noteWith(seconds(90)), "the deadline of 1 min 30 s passed: its directory did not answer");
    ended.cause = EndCause::Cancelled;
    QCOMPARE(noteWith(seconds(90)), engine::outcomeOf(ended).note);
}

void TestSlotGroups::whatEndedWithItsLeaseWasInterrupted() {
    Ended ended;
    ended.cause = EndCause::LeaseEnded;
    ended.signal = SIGKILL;
    const AttemptOutcome outcome = engine::outcomeOf(ended);
    QCOMPARE(outcome.state, ActionState::Abandoned);
    QCOMPARE(outcome.reason, Reason::LostRunner);
    QVERIFY(!outcome.note.empty());
    QVERIFY(name(ended.cause) == "lease_ended");
}

QTEST_GUILESS_MAIN(TestSlotGroups)
#include "tst_slot_groups.moc"
