// Scratch directories: what is made for an action, and what becomes of it after its end.
#include "core/base/beneath.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/lease/scratch.h"
#include "core/locks/claims.h"
#include "core/locks/janitor.h"
#include "tests/runners/in_a_directory.h"

#include <QTest>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <linux/fs.h>
#include <map>
#include <memory>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
using test::keepByReading;
namespace fs = std::filesystem;

namespace {

unsigned modeOf(const std::string& path) {
    struct stat st{};
    return ::lstat(path.c_str(), &st) == 0 ? st.st_mode & 07777u : 0;
}

// Chunks whose text is their own name.
Result<void> writeName(const Hash256& chunk, const std::string& path, unsigned mode) {
    return writeFileAtomically(path, "chunk " + chunk.hex(), static_cast<int>(mode));
}

// The chunks of these texts; others are missing.
Materialise chunksOf(std::vector<std::string> texts) {
    return
        [texts = std::move(texts)](const Hash256& chunk, const std::string& path, unsigned mode) -> Result<void> {
            for (const std::string& text : texts)
                if (Sha256::of(text) == chunk) return writeFileAtomically(path, text, static_cast<int>(mode));
            return fail(ErrorKind::NotFound, "no such chunk");
        };
}

} // namespace

class TestScratch : public test::InADirectory {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void workerFilesAreMadeOnceAndReadOnly();
    void aDamagedWorkerIsMadeAgain_data();
    void aDamagedWorkerIsMadeAgain();
    void aWorkerThatFailsLeavesNothing();
    void aScratchHasWorkerInputsAndOutputs();
    void aScratchReplacesAnEarlierOne();
    void aFailedInputLeavesNothing();
    void whatNothingWasLeftInGoesAtOnce();
    void anEmptyOneIsKeptForTheNextOfItsSlot();
    void anEmptyOneThatIsNotLikeNewIsNotKept();
    void oneThatIsKeptTellsNothingOfTheOneBefore();
    void anotherDirectoryInItsPlaceIsNotCollected();
    void inputsThatNobodyHasNeedNoDirectory();
    void directoriesAreSetAside();

private:
    /// As after its end.
    static bool putAway(const Scratch& scratch) {
        const UniqueFd outputs = openOutputs(scratch);
        const auto gathered = gatherOutputs(outputs.get(), {}, {}, keepByReading);
        return gathered && gathered->isEmpty() && removeEmptyScratch(scratch, outputs.get());
    }
    ScratchHomePtr home_;
};

void TestScratch::init() {
    begin();
    const auto home = ScratchHome::open(root_);
    QVERIFY(home);
    home_ = *home;
}

void TestScratch::cleanup() {
    QVERIFY(removeTree(root_));
}

void TestScratch::workerFilesAreMadeOnceAndReadOnly() {
    int made = 0;
    const auto counted = [&](const Hash256& chunk, const std::string& path, unsigned mode) {
        ++made;
        return chunksOf({"a", "b"})(chunk, path, mode);
    };
    const Hash256 a = Sha256::of("a");
    const std::vector<PlacedFile> files{{"bin/run", a, 0755}, {"data/deep/table", Sha256::of("b"), 0644}};
    const auto path = ensureWorkerFiles(root_, "abc", files, counted);
    QVERIFY(path && *path == at("workers/abc"));
    QCOMPARE(modeOf(*path + "/bin/run"), 0555u);
    QCOMPARE(modeOf(*path + "/data/deep/table"), 0444u);
    QCOMPARE(modeOf(*path + "/data/deep"), 0555u);
    QCOMPARE(modeOf(*path), 0555u);
    QCOMPARE(modeOf(*path + "/tmp"), 0755u);
    QVERIFY(*readFile(*path + "/bin/run") == "a");
    QVERIFY(ensureWorkerFiles(root_, "abc", files, counted));
    QCOMPARE(made, 2);
    QCOMPARE(std::distance(fs::directory_iterator(at("workers")), {}), 1);
    QVERIFY(removeWorkerFiles(root_, "abc"));
    QVERIFY(!fs::exists(*path));
}

void TestScratch::aDamagedWorkerIsMadeAgain_data() {
    QTest::addColumn<QString>("damage");
    for (const char* damage :
         {"other bytes", "cut short", "empty", "missing", "not executable", "a link", "no directory"})
        QTest::newRow(damage) << damage;
}

void TestScratch::aDamagedWorkerIsMadeAgain() {
    QFETCH(QString, damage);
    const std::vector<PlacedFile> files{{"bin/run", Sha256::of("run\n"), 0755}, {"table", Sha256::of("b"), 0644}};
    const auto path = ensureWorkerFiles(root_, "abc", files, chunksOf({"run\n", "b"}));
    QVERIFY(path && writeFileAtomically(*path + "/tmp/restart.txt", "now", 0600));
    const std::string run = *path + "/bin/run";
    QCOMPARE(::chmod((*path + "/bin").c_str(), 0755), 0);
    if (damage == "not executable") {
        QCOMPARE(::chmod(run.c_str(), 0444), 0);
    } else if (damage == "no directory") {
        QVERIFY(removeTree(*path) && writeFileAtomically(*path, "x", 0600));
    } else {
        QCOMPARE(::unlink(run.c_str()), 0);
        if (damage == "a link") QCOMPARE(::symlink("/bin/true", run.c_str()), 0);
        const std::map<QString, std::string> left{
            {"other bytes", std::string(4, '\0')}, {"cut short", "ru"}, {"empty", ""}};
        if (left.contains(damage)) QVERIFY(writeFileAtomically(run, left.at(damage), 0555));
    }
    QCOMPARE(*ensureWorkerFiles(root_, "abc", files, chunksOf({"run\n", "b"}), true), *path);
    QCOMPARE(*readFile(run), std::string("run\n"));
    QCOMPARE(modeOf(run), 0555u);
    QCOMPARE(modeOf(*path), 0555u);
    QVERIFY(fs::exists(*path + "/tmp"));
    if (damage != "no directory") QVERIFY(fs::exists(*path + "/tmp/restart.txt"));
    QCOMPARE(std::distance(fs::directory_iterator(at("workers")), {}), 1);
}

void TestScratch::aWorkerThatFailsLeavesNothing() {
    const auto full = [](const Hash256&, const std::string&, unsigned) -> Result<void> {
        return failErrno("write", ENOSPC);
    };
    const auto path = ensureWorkerFiles(root_, "abc", {{"run", {}, 0755}}, full);
    QVERIFY(!path && path.error().kind == ErrorKind::NoSpace);
    QVERIFY(fs::is_empty(at("workers")));
}

void TestScratch::aScratchHasWorkerInputsAndOutputs() {
    const Hash256 run = Sha256::of("run");
    const Hash256 input = Sha256::of("input");
    const auto worker = ensureWorkerFiles(root_, "abc", {{"bin/run", run, 0755}}, writeName);
    const auto scratch =
        makeScratch(home_, SlotId(4), {Lsn(12), 2}, *worker, {{"in/a b.txt", input, 0644}}, writeName);
    QVERIFY(scratch);
    QCOMPARE(scratch->root, at("scratch/4/12.2"));
    QVERIFY(*readFile(scratch->root + "/worker/bin/run") == "chunk " + run.hex());
    QCOMPARE(modeOf(scratch->root + "/worker/bin/run"), 0555u);
    QCOMPARE(modeOf(scratch->root + "/worker/bin"), 0555u);
    QVERIFY(!fs::exists(scratch->root + "/worker/tmp"));
    QVERIFY(*readFile(scratch->root + "/inputs/in/a b.txt") == "chunk " + input.hex());
    QCOMPARE(modeOf(scratch->root + "/inputs/in/a b.txt"), 0444u);
    QVERIFY(fs::is_directory(scratch->outputs) && fs::is_empty(scratch->outputs));
    QVERIFY(removeTree(scratch->root));
    QVERIFY(fs::exists(*worker + "/bin/run"));
}

void TestScratch::aScratchReplacesAnEarlierOne() {
    write("scratch/0/5.1/outputs/old", "old");
    const auto scratch = makeScratch(home_, SlotId(0), {Lsn(5), 1}, "", {}, writeName);
    QVERIFY(scratch && fs::is_empty(scratch->outputs));
    QVERIFY(!fs::exists(scratch->root + "/worker"));
    const fs::recursive_directory_iterator all(at("scratch/0")); // an earlier one is the janitor's
    QVERIFY(std::ranges::any_of(all, [](const auto& entry) { return entry.path().filename() == "old"; }));
}

void TestScratch::aFailedInputLeavesNothing() {
    const auto missing = [](const Hash256&, const std::string&, unsigned) -> Result<void> {
        return fail(ErrorKind::NotFound, "no such chunk");
    };
    const auto scratch = makeScratch(home_, SlotId(0), {Lsn(5), 1}, "", {{"x", {}, 0644}}, missing);
    QVERIFY(!scratch && scratch.error().kind == ErrorKind::NotFound);
    QVERIFY(!fs::exists(at("scratch/0/5.1")));
}

void TestScratch::whatNothingWasLeftInGoesAtOnce() {
    for (const char* left : {"", "action.json", "outputs/x", "inputs/x", "worker"}) {
        const auto scratch = makeScratch(home_, SlotId(0), {Lsn(5), 1}, "", {}, writeName);
        QVERIFY(scratch);
        if (*left != 0) write(std::string("scratch/0/5.1/") + left, "x");
        const bool isMore = *left != 0 && std::string_view(left) != "action.json";
        QCOMPARE(putAway(*scratch), !isMore);
        QCOMPARE(fs::exists(scratch->root), isMore);
        QCOMPARE(fs::exists(scratch->root + '/' + left), isMore);
        QVERIFY(removeTree(scratch->root));
    }
}

namespace {
ino_t numberOf(const std::string& path) {
    struct stat st{};
    return ::lstat(path.c_str(), &st) == 0 ? st.st_ino : 0;
}
} // namespace

void TestScratch::anEmptyOneIsKeptForTheNextOfItsSlot() {
    const auto make = [&](std::uint64_t lsn) {
        return makeScratch(home_, SlotId(0), {Lsn(static_cast<std::int64_t>(lsn)), 1}, "", {}, writeName, true);
    };
    const auto first = make(5);
    QVERIFY(first);
    const ino_t number = numberOf(first->root);
    write("scratch/0/5.1/action.json", "x");
    QCOMPARE(::chmod(first->outputs.c_str(), 0777), 0); // an action may
    QVERIFY(putAway(*first));
    QVERIFY(!fs::exists(first->root));
    const auto second = make(6);
    QVERIFY(second && numberOf(second->root) == number);
    QCOMPARE(modeOf(second->root), 0700u);
    QCOMPARE(modeOf(second->outputs), 0700u);
    QVERIFY(fs::is_empty(second->outputs));

    std::vector<Scratch> many{*second};
    for (std::uint64_t lsn = 7; lsn < 12; ++lsn) many.push_back(*make(lsn)); // there is no other
    QVERIFY(numberOf(many.back().root) != number);
    for (const Scratch& one : many) {
        QVERIFY(putAway(one));
        QVERIFY(!fs::exists(one.root));
    }
    QCOMPARE(std::distance(fs::directory_iterator(at("scratch/0")), {}), 4); // the others are gone
}

void TestScratch::anEmptyOneThatIsNotLikeNewIsNotKept() {
    const auto keepsAfter = [&](const std::function<bool(const Scratch&)>& change) {
        const auto made = makeScratch(home_, SlotId(0), {Lsn(5), 1}, "", {}, writeName, true);
        const bool changed = made && change(*made);
        return changed && putAway(*made) && fs::exists(at("scratch/0/.spare.0"));
    };
    QVERIFY(keepsAfter([](const Scratch&) { return true; }));
    if (::setxattr(at("scratch/0").c_str(), "user.probe", "x", 1, 0) == 0)
        QVERIFY(!keepsAfter(
            [](const Scratch& made) { return ::setxattr(made.outputs.c_str(), "user.x", "y", 1, 0) == 0; }));
    QVERIFY(keepsAfter([](const Scratch&) { return true; }));
    const auto setFlag = [](const Scratch& made) {
        const UniqueFd outputs(::open(made.outputs.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        unsigned flags = 0;
        if (::ioctl(outputs.get(), FS_IOC_GETFLAGS, &flags) != 0) return false;
        flags |= FS_NODUMP_FL;
        return ::ioctl(outputs.get(), FS_IOC_SETFLAGS, &flags) == 0;
    };
    QVERIFY(!keepsAfter(setFlag)); // also where there are no flags: then nothing was changed
    QVERIFY(keepsAfter([](const Scratch&) { return true; }));
    QCOMPARE(::chmod(at("scratch/0").c_str(), 0770), 0); // others could put something there
    QVERIFY(!fs::exists(makeScratch(home_, SlotId(0), {Lsn(5), 1}, "", {}, writeName, true)->root + "/none"));
    QVERIFY(fs::is_directory(at("scratch/0/.spare.0"))); // is not taken
    QCOMPARE(::chmod(at("scratch/0").c_str(), 0700), 0);
}

void TestScratch::oneThatIsKeptTellsNothingOfTheOneBefore() {
    const auto make = [&](std::int64_t lsn) {
        return makeScratch(home_, SlotId(0), {Lsn(lsn), 1}, "", {}, writeName, true);
    };
    const auto first = make(5);
    QVERIFY(first);
    const timespec long_ago[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
    QCOMPARE(::utimensat(AT_FDCWD, first->outputs.c_str(), long_ago, 0), 0);
    QVERIFY(putAway(*first));
    const auto second = make(6);
    QVERIFY(second && second->mark.number == first->mark.number);
    struct stat st{};
    QVERIFY(::stat(second->outputs.c_str(), &st) == 0 && st.st_mtim.tv_sec > 1 && st.st_atim.tv_sec > 1);

    // One that was filled and emptied is larger than a new one, on file systems where it shows.
    for (int i = 0; i < 2000; ++i)
        QVERIFY(writeFileAtomically(fmt::format("{}/{:0>100}", second->outputs, i), "", 0600));
    for (const auto& entry : fs::directory_iterator(second->outputs)) fs::remove(entry);
    const bool isLarger = DirectoryMark::of(openOutputs(*second).get()).size != second->mark.size;
    QVERIFY(putAway(*second));
    const auto third = make(7);
    QVERIFY(third && third->mark.size == second->mark.size);
    if (!isLarger) QCOMPARE(third->mark.number, second->mark.number);
}

void TestScratch::anotherDirectoryInItsPlaceIsNotCollected() {
    const auto made = makeScratch(home_, SlotId(0), {Lsn(5), 1}, "", {}, writeName);
    QVERIFY(made && openOutputs(*made));
    fs::rename(made->outputs, made->root + "/other");
    QVERIFY(!openOutputs(*made) && errno == ENOENT);
    write("secret/x", "secret");
    fs::create_directory_symlink(at("secret"), made->outputs);
    QVERIFY(!openOutputs(*made) && errno == ELOOP);
    fs::remove(made->outputs);
    fs::create_directory(made->outputs);
    QVERIFY(!openOutputs(*made) && errno == ENOTDIR);
}

void TestScratch::inputsThatNobodyHasNeedNoDirectory() {
    const auto none = makeScratch(home_, SlotId(0), {Lsn(5), 1}, "", {}, writeName, true);
    QVERIFY(none && !none->hasInputs);
    QVERIFY(!fs::exists(none->root + "/inputs") && fs::is_directory(none->outputs));
    QVERIFY(putAway(*none));
    const auto some = makeScratch(home_, SlotId(0), {Lsn(5), 1}, "", {{"x", {}, 0444}}, writeName, true);
    QVERIFY(some && some->hasInputs && fs::exists(some->root + "/inputs/x"));
    QVERIFY(!putAway(*some));
}

void TestScratch::directoriesAreSetAside() {
    write("scratch/0/5.1/outputs/old", "old");
    locks::Claims claims;
    const std::string aside = asideName(at("scratch/0/5.1"));
    QVERIFY(aside != asideName(at("scratch/0/5.1")));
    QVERIFY(locks::isAttemptDirectory(aside.substr(aside.rfind('/') + 1))); // the janitor knows it by its name
    claims.add(at("scratch/0/5.1"));
    const locks::Claims::Number of = claims.numberOf(at("scratch/0/5.1"));
    QVERIFY(!claims.takeAway(at("scratch/0/5.1"), aside));
    QVERIFY(!claims.moveTo(at("scratch/0/5.1"), of + 1, aside)); // somebody else's
    QVERIFY(claims.contains(at("scratch/0/5.1")));
    QVERIFY(claims.moveTo(at("scratch/0/5.1"), of, aside));
    QVERIFY(fs::exists(aside) && !fs::exists(at("scratch/0/5.1")));
    QVERIFY(claims.contains(aside) && !claims.contains(at("scratch/0/5.1")));
    QVERIFY(!claims.moveTo(at("scratch/0/5.1"), of, aside)); // nobody's any more
    QVERIFY(!claims.moveTo(at("scratch/0/5.1"), 0, aside));  // and not there
}

QTEST_GUILESS_MAIN(TestScratch)
#include "tst_scratch.moc"
