// Locks and the janitor against the real kernel: other processes hold, die and reap. The cases of the lifetimes'
// document (docs/lifetimes.md), each named after what it shows.
#include "core/base/files.h"
#include "core/locks/claims.h"
#include "core/locks/janitor.h"
#include "core/locks/lock_directory.h"
#include "core/locks/named_lock.h"
#include "tests/concurrency/helper.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QTest>

#include <dirent.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>

using namespace yard;
using namespace yard::locks;
using namespace yard::test;

namespace {

class Places {
public:
    std::string path(const std::string& name) const { return (dir_.path() + "/").toStdString() + name; }
    std::string locks() const { return path("locks"); }
    std::string scratch() const { return path("scratch"); }
    Places() {
        (void)makeDirectories(locks());
        (void)makeDirectories(scratch());
    }
    std::string attempt(const std::string& slot, const std::string& name) const {
        const std::string made = scratch() + "/" + slot + "/" + name;
        (void)makeDirectories(made + "/outputs");
        (void)writeFileAtomically(made + "/outputs/half", "half a result", 0600);
        return made;
    }
    Janitor::Places forJanitor() const {
        Janitor::Places places;
        places.scratch = scratch();
        places.locks = locks();
        return places;
    }

private:
    QTemporaryDir dir_;
};

bool exists(const std::string& path) {
    struct stat st{};
    return ::lstat(path.c_str(), &st) == 0;
}

LockHolder me() {
    LockHolder holder;
    holder.pid = ::getpid();
    holder.engineId = "mine";
    holder.dataDir = "/mine";
    holder.lsn = Lsn(3);
    holder.since = wallNow();
    holder.deadline = Duration(60'000'000);
    return holder;
}

/// "held", "busy: action 7 …", or the error.
std::string take(const std::string& directory, const std::string& name) {
    const auto taken = NamedLock::tryTake(directory, name, me());
    if (!taken) return taken.error().message;
    if (!taken->isBusy) return "held";
    return taken->holder ? fmt::format("busy: action {}", taken->holder->lsn.value) : "busy";
}

JanitorReport pass(Janitor& janitor) {
    while (janitor.step(Duration(1'000'000))) {
    }
    return janitor.takeReport();
}
JanitorReport pass(const Janitor::Places& places) {
    Claims claims;
    Janitor janitor(places, claims);
    return pass(janitor);
}

} // namespace

class TestLocks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { places_ = std::make_unique<Places>(); }
    void cleanup() { places_.reset(); }

    // Lock fundamentals
    void aKilledHoldersLockIsFreeAtOnce();
    void aHeldLockIsBusyAndSaysByWhom_aFreeOneIsTaken();
    void aChildOfTheHolderDoesNotKeepTheLock();
    void aSecondClaimantGetsItOnlyAfterTheFirst();
    void twoAtOnceNeverHoldTheSameLock();
    void ofSeveralAllAreTakenOrNone();
    void theFileGoesWithItsHolderAndNotWithAnother();
    void aReplacedFileDoesNotCountAsTheLock();

    // Janitor
    void anOrphanIsReapedOnceAndItsLockFileGoes();
    void whatIsHeldIsNeverReaped();
    void whileItReapsNobodyElseGetsTheLock();
    void ofTwoJanitorsExactlyOneReaps();
    void withoutALockFileItIsAnOrphanAtOnce();
    void heldForLongIsReportedOnceAndNotReaped();
    void namesOutsideThePatternAreNotTouched();
    void garbledUnusableAndMissingThingsAreSkippedAndSaid();
    void inOwnSlotsOnlyWhatNobodyClaimsIsReaped();
    void whatASlotKeepsForItsNextAttemptGoesWithTheSlot();
    void theFileOfADeadHolderGoes();
    void itStopsInTimeAndGoesOnWhereItWas();

    // The directory
    void theDirectoryIsOursAlone();
    void aDirectoryOfSomebodyElseIsRefused();

private:
    std::unique_ptr<Places> places_;
};

// --- fundamentals

void TestLocks::aKilledHoldersLockIsFreeAtOnce() {
    Helper holder(lockChild(), {"hold", places_->locks(), "app:x"});
    QCOMPARE(holder.line(), std::string("held"));
    QCOMPARE(take(places_->locks(), "app:x"), std::string("busy: action 7"));
    holder.end(SIGKILL);
    QCOMPARE(take(places_->locks(), "app:x"), std::string("held"));
}

void TestLocks::aHeldLockIsBusyAndSaysByWhom_aFreeOneIsTaken() {
    QVERIFY(!look(places_->locks(), "a").isHeld);
    Helper holder(lockChild(), {"hold", places_->locks(), "a"});
    QCOMPARE(holder.line(), std::string("held"));
    const LockState state = look(places_->locks(), "a");
    QVERIFY(state.isHeld && state.holder);
    QCOMPARE(describe(*state.holder),
             fmt::format("action 7 of the engine with pid {} (/data/of/another engine)", holder.pid()));
    QCOMPARE(take(places_->locks(), "a"), std::string("busy: action 7"));
    QCOMPARE(take(places_->locks(), "b"), std::string("held"));
    holder.go();
    QCOMPARE(holder.line(), std::string("released"));
    QCOMPARE(take(places_->locks(), "a"), std::string("held"));
}

void TestLocks::aChildOfTheHolderDoesNotKeepTheLock() {
    Helper holder(lockChild(), {"hold-with-child", places_->locks(), "a"});
    QCOMPARE(holder.line(), std::string("held"));
    const std::string children = fmt::format("/proc/{}/task/{}/children", holder.pid(), holder.pid());
    const int child = std::atoi(readFile(children)->c_str());
    QVERIFY(child > 0);
    // Until its exec it has a copy.
    QVERIFY(eventually([&] {
        const auto name = readFile(fmt::format("/proc/{}/comm", child));
        return name && *name == "sleep\n";
    }));
    holder.end(SIGKILL);
    const std::string got = take(places_->locks(), "a");
    const bool lives = ::kill(child, 0) == 0;
    ::kill(child, SIGKILL);
    QVERIFY(lives);
    QCOMPARE(got, std::string("held"));
}

void TestLocks::aSecondClaimantGetsItOnlyAfterTheFirst() {
    Helper first(lockChild(), {"hold", places_->locks(), "a"});
    QCOMPARE(first.line(), std::string("held"));
    Helper second(lockChild(), {"take", places_->locks(), "a"});
    QCOMPARE(second.line(), std::string("busy"));
    first.go();
    QCOMPARE(second.line(), std::string("held"));
    QCOMPARE(look(places_->locks(), "a").holder->pid, second.pid());
}

void TestLocks::twoAtOnceNeverHoldTheSameLock() {
    constexpr int kProcesses = 4;
    constexpr int kRounds = 200;
    std::vector<std::unique_ptr<Helper>> helpers;
    for (int i = 0; i < kProcesses; ++i)
        helpers.push_back(std::make_unique<Helper>(
            lockChild(), std::vector<std::string>{"count", places_->locks(), "a", places_->path("number"),
                                                  std::to_string(kRounds)}));
    for (const auto& helper : helpers) helper->go();
    for (const auto& helper : helpers) QCOMPARE(helper->end(), 0);
    QCOMPARE(*readFile(places_->path("number")), std::to_string(kProcesses * kRounds));
}

void TestLocks::ofSeveralAllAreTakenOrNone() {
    Helper holder(lockChild(), {"hold", places_->locks(), "b"});
    QCOMPARE(holder.line(), std::string("held"));
    auto none = tryTakeAll(places_->locks(), {"c", "b", "a"}, me());
    QVERIFY(none && none->locks.empty());
    QCOMPARE(none->busy, std::string("b"));
    QVERIFY(!look(places_->locks(), "a").isHeld);
    holder.end(SIGKILL);
    auto all = tryTakeAll(places_->locks(), {"c", "b", "a", "b"}, me());
    QVERIFY(all && all->busy.empty());
    QCOMPARE(all->locks.size(), std::size_t{3});
    for (const char* name : {"a", "b", "c"}) QVERIFY(look(places_->locks(), name).isHeld);
}

void TestLocks::theFileGoesWithItsHolderAndNotWithAnother() {
    auto held = NamedLock::tryTake(places_->locks(), "a", me());
    QVERIFY(held && held->lock.isHeld());
    const std::string path = held->lock.path();
    QCOMPARE(path, places_->locks() + "/a.lock");
    QCOMPARE(take(places_->locks(), "a"), std::string("busy: action 3"));
    QVERIFY(exists(path));
    held->lock.release();
    held->lock.release(); // harmless
    QVERIFY(!exists(path));
}

void TestLocks::aReplacedFileDoesNotCountAsTheLock() {
    auto held = NamedLock::tryTake(places_->locks(), "a", me());
    QVERIFY(held && !held->isBusy);
    // Somebody removes the file by hand: who comes then makes a new one and has that.
    QCOMPARE(::unlink(held->lock.path().c_str()), 0);
    auto second = NamedLock::tryTake(places_->locks(), "a", me());
    QVERIFY(second && !second->isBusy);
    held->lock.release(); // not its file any more: left alone
    QVERIFY(exists(second->lock.path()));
    QCOMPARE(take(places_->locks(), "a"), std::string("busy: action 3"));
}

// --- janitor

void TestLocks::anOrphanIsReapedOnceAndItsLockFileGoes() {
    Helper holder(lockChild(), {"hold", places_->locks(), "app:x"});
    QCOMPARE(holder.line(), std::string("held"));
    holder.end(SIGKILL);
    places_->attempt("5", "12.1");
    (void)writeFileAtomically(places_->scratch() + "/5/lock", "", 0600);
    int removed = 0;
    Janitor::Places places = places_->forJanitor();
    places.remove = [&removed](const std::string& path) {
        ++removed;
        return removeTree(path);
    };
    Claims claims;
    Janitor janitor(places, claims);
    const JanitorReport report = pass(janitor);
    QCOMPARE(report.reaped, std::int64_t{1});
    QCOMPARE(report.staleLocks, std::int64_t{1});
    QCOMPARE(removed, 1);
    QVERIFY(!exists(places_->scratch() + "/5"));
    QVERIFY(!exists(places_->locks() + "/app:x.lock"));
    const JanitorReport again = pass(janitor);
    QCOMPARE(again.reaped + again.staleLocks + again.live, std::int64_t{0});
    QCOMPARE(removed, 1);
}

void TestLocks::whatIsHeldIsNeverReaped() {
    const std::string attempt = places_->attempt("5", "12.1");
    const std::string lock = places_->scratch() + "/5/lock";
    // A helper that takes the slot's lock by the name it has.
    Helper holder("/usr/bin/flock", {lock, "-c", "echo held; read line"});
    QCOMPARE(holder.line(), std::string("held"));
    const JanitorReport report = pass(places_->forJanitor());
    QCOMPARE(report.live, std::int64_t{1});
    QCOMPARE(report.reaped, std::int64_t{0});
    QVERIFY(report.findings.empty());
    QVERIFY(exists(attempt + "/outputs/half"));
}

void TestLocks::whileItReapsNobodyElseGetsTheLock() {
    places_->attempt("5", "12.1");
    const std::string lock = places_->scratch() + "/5/lock";
    Janitor::Places places = places_->forJanitor();
    bool busy = false;
    places.remove = [&](const std::string& path) {
        const auto other = takeFile(lock, false);
        busy = other && other->isBusy;
        return removeTree(path);
    };
    QCOMPARE(pass(places).reaped, std::int64_t{1});
    QVERIFY(busy);
    // Afterwards whoever comes has it, and nothing of the old one.
    QVERIFY(makeDirectories(places_->scratch() + "/5").has_value());
    const auto mine = takeFile(lock, true);
    QVERIFY(mine && !mine->isBusy);
    QVERIFY(!exists(places_->scratch() + "/5/12.1"));
}

void TestLocks::ofTwoJanitorsExactlyOneReaps() {
    constexpr int kOrphans = 300;
    for (int i = 0; i < kOrphans; ++i) places_->attempt(std::to_string(i), fmt::format("{}.1", 1000 + i));
    Helper one(lockChild(), {"janitor", places_->scratch()});
    Helper two(lockChild(), {"janitor", places_->scratch()});
    QCOMPARE(one.line(), std::string("ready"));
    QCOMPARE(two.line(), std::string("ready"));
    one.go();
    two.go();
    const int reaped = std::atoi(one.line().c_str()) + std::atoi(two.line().c_str());
    QCOMPARE(reaped, kOrphans);
    // What one of them saw held, the next pass finds gone.
    (void)pass(places_->forJanitor());
    for (int i = 0; i < kOrphans; ++i) QVERIFY(!exists(places_->scratch() + "/" + std::to_string(i)));
}

void TestLocks::withoutALockFileItIsAnOrphanAtOnce() {
    places_->attempt("5", "12.1");
    QCOMPARE(pass(places_->forJanitor()).reaped, std::int64_t{1});
    QVERIFY(!exists(places_->scratch() + "/5"));
}

void TestLocks::heldForLongIsReportedOnceAndNotReaped() {
    LockHolder long_ = me();
    long_.deadline = Duration(1'000'000);
    long_.since = wallNow() - 3'000'000;
    const auto held = NamedLock::tryTake(places_->locks(), "app:x", long_);
    QVERIFY(held && !held->isBusy);
    LockHolder fine = long_;
    fine.deadline = Duration(3'600'000'000);
    const auto other = NamedLock::tryTake(places_->locks(), "app:y", fine);
    QVERIFY(other && !other->isBusy);
    Claims claims;
    Janitor janitor(places_->forJanitor(), claims);
    const JanitorReport report = pass(janitor);
    QCOMPARE(report.live, std::int64_t{2});
    QCOMPARE(report.findings.size(), std::size_t{1});
    QVERIFY(report.findings.front().isLongHeld);
    QVERIFY(report.findings.front().message.contains("action 3 of the engine"));
    QVERIFY(pass(janitor).findings.empty());
    QVERIFY(exists(held->lock.path()));
}

void TestLocks::namesOutsideThePatternAreNotTouched() {
    for (const char* name : {"warm", "05", "-1", "5x", "x5"}) places_->attempt(name, "12.1");
    places_->attempt("5", "12.1");
    places_->attempt("5", "keep");
    places_->attempt("5", "12.x");
    for (const char* name : {"a b.lock", "a.lck", "readme", ".lock"})
        (void)writeFileAtomically(places_->locks() + "/" + name, "", 0600);
    const JanitorReport report = pass(places_->forJanitor());
    QCOMPARE(report.reaped, std::int64_t{1});
    QCOMPARE(report.staleLocks, std::int64_t{0});
    for (const char* name : {"warm", "05", "-1", "5x", "x5"})
        QVERIFY(exists(places_->scratch() + "/" + name + "/12.1/outputs/half"));
    QVERIFY(exists(places_->scratch() + "/5/keep"));
    QVERIFY(exists(places_->scratch() + "/5/12.x"));
    for (const char* name : {"a b.lock", "a.lck", "readme", ".lock"})
        QVERIFY(exists(places_->locks() + "/" + name));
}

void TestLocks::garbledUnusableAndMissingThingsAreSkippedAndSaid() {
    // A held lock with nonsense in it is held all the same.
    const auto garbled = takeFile(places_->locks() + "/garbled.lock", true);
    QVERIFY(garbled && !garbled->isBusy);
    QCOMPARE(::write(::open(garbled->lock.path().c_str(), O_WRONLY | O_CLOEXEC), "\xff\0nonsense\n", 11), 11);
    // A directory, a link, a pipe where a lock should be.
    (void)makeDirectories(places_->locks() + "/directory.lock");
    QCOMPARE(::symlink("/etc/passwd", (places_->locks() + "/link.lock").c_str()), 0);
    QCOMPARE(::mkfifo((places_->locks() + "/pipe.lock").c_str(), 0600), 0);
    (void)makeDirectories(places_->scratch() + "/3/lock");
    const std::string kept = places_->attempt("3", "12.1");
    Claims claims;
    Janitor janitor(places_->forJanitor(), claims);
    const JanitorReport report = pass(janitor);
    QCOMPARE(report.live, std::int64_t{1});
    QCOMPARE(report.findings.size(), std::size_t{4});
    QVERIFY(exists(kept));
    QVERIFY(exists("/etc/passwd"));
    QVERIFY(pass(janitor).findings.empty());
    QVERIFY(!take(places_->locks(), "directory").starts_with("held"));
    QVERIFY(!take(places_->locks(), "pipe").starts_with("held"));
    QVERIFY(!take(places_->locks(), "link").starts_with("held"));

    Janitor::Places nowhere;
    nowhere.scratch = places_->path("no/such");
    nowhere.locks = places_->path("no/such/either");
    const JanitorReport nothing = pass(nowhere);
    QVERIFY(nothing.findings.empty());
    QVERIFY(!take(nowhere.locks, "a").starts_with("held"));
}

void TestLocks::inOwnSlotsOnlyWhatNobodyClaimsIsReaped() {
    const std::string used = places_->attempt("0", "12.1");
    const std::string left = places_->attempt("0", "11.1");
    const std::string cut = places_->attempt("1", ".gone.abcdef");
    (void)writeFileAtomically(places_->scratch() + "/0/lock", "", 0600);
    Claims claims;
    claims.add(used);
    Janitor::Places places = places_->forJanitor();
    places.ownSlots = 2;
    Janitor janitor(places, claims);
    QCOMPARE(pass(janitor).reaped, std::int64_t{2});
    QVERIFY(exists(used));
    QVERIFY(!exists(left));
    QVERIFY(!exists(cut));
    QVERIFY(exists(places_->scratch() + "/0/lock"));
    QVERIFY(exists(places_->scratch() + "/1"));
    claims.remove(used);
    QCOMPARE(pass(janitor).reaped, std::int64_t{1});
    QVERIFY(!exists(used));
}

void TestLocks::whatASlotKeepsForItsNextAttemptGoesWithTheSlot() {
    Janitor::Places places = places_->forJanitor();
    places.ownSlots = 1;
    for (const char* slot : {"0", "5"})
        QVERIFY(makeDirectories(fmt::format("{}/{}/.spare.0/outputs", places_->scratch(), slot)).has_value());
    QCOMPARE(pass(places).reaped, std::int64_t{0});
    QVERIFY(exists(places_->scratch() + "/0/.spare.0/outputs"));
    QVERIFY(!exists(places_->scratch() + "/5"));
}

void TestLocks::theFileOfADeadHolderGoes() {
    (void)writeFileAtomically(places_->locks() + "/old.lock", toText(me()), 0600);
    const auto held = NamedLock::tryTake(places_->locks(), "new", me());
    QVERIFY(held && !held->isBusy);
    const JanitorReport report = pass(places_->forJanitor());
    QCOMPARE(report.staleLocks, std::int64_t{1});
    QCOMPARE(report.live, std::int64_t{1});
    QVERIFY(!exists(places_->locks() + "/old.lock"));
    QVERIFY(exists(held->lock.path()));
}

void TestLocks::itStopsInTimeAndGoesOnWhereItWas() {
    for (int i = 0; i < 5; ++i) places_->attempt("7", fmt::format("{}.1", i + 1));
    Claims claims;
    Janitor janitor(places_->forJanitor(), claims);
    int steps = 1;
    while (janitor.step(Duration(0))) {
        ++steps;
        const std::string lock = places_->scratch() + "/7/lock";
        const auto other = exists(lock) ? takeFile(lock, false) : takeFile(lock, false);
        QVERIFY(!other || other->isBusy); // between the parts nobody gets in
    }
    QVERIFY(steps >= 5);
    QCOMPARE(janitor.takeReport().reaped, std::int64_t{5});
    QVERIFY(!exists(places_->scratch() + "/7"));
}

// --- the directory

void TestLocks::theDirectoryIsOursAlone() {
    const std::string runtime = places_->path("run");
    (void)makeDirectories(runtime);
    auto found = lockDirectoryFor(runtime, places_->path(""), ::geteuid());
    QVERIFY(found.has_value());
    QCOMPARE(*found, runtime + "/yardmaster/locks");
    struct stat st{};
    QCOMPARE(::stat(found->c_str(), &st), 0);
    QCOMPARE(st.st_mode & 0777u, 0700u);
    // Not there, or relative: passed over.
    for (const std::string& other : {std::string(), std::string("run"), places_->path("nowhere")}) {
        found = lockDirectoryFor(other, places_->path(""), ::geteuid());
        QVERIFY(found.has_value());
        QVERIFY(found->ends_with(fmt::format("/yardmaster-{}/locks", ::geteuid())));
    }
}

void TestLocks::aDirectoryOfSomebodyElseIsRefused() {
    const std::string trap = places_->path(fmt::format("yardmaster-{}", ::geteuid()));
    QCOMPARE(::mkdir(trap.c_str(), 0700), 0);
    QCOMPARE(::chmod(trap.c_str(), 0777), 0);
    const auto open = lockDirectoryFor("", places_->path(""), ::geteuid());
    QVERIFY(!open && open.error().kind == ErrorKind::Forbidden);
    QCOMPARE(::rmdir(trap.c_str()), 0);
    QCOMPARE(::symlink(places_->locks().c_str(), trap.c_str()), 0);
    QVERIFY(!lockDirectoryFor("", places_->path(""), ::geteuid()));
    const auto foreign = lockDirectoryFor("", places_->path("locks"), ::geteuid() + 1);
    QVERIFY(!foreign && foreign.error().kind == ErrorKind::Forbidden);
}

QTEST_GUILESS_MAIN(TestLocks)
#include "tst_locks.moc"
