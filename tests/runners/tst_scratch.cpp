// Scratch directories: what is made for an action, and collecting what a hostile one leaves in outputs/.
#include "core/base/beneath.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/lease/scratch.h"
#include "core/locks/claims.h"
#include "core/locks/janitor.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <linux/fs.h>
#include <map>
#include <memory>
#include <stop_token>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
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

Result<ChunkRef> keepByReading(const OutputFile& file) {
    std::string text(file.size, '\0');
    if (::read(file.fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return fail(ErrorKind::Io, "short read");
    return ChunkRef{Sha256::of(text), file.size};
}

std::vector<std::string> namesOf(const GatheredOutputs& gathered) {
    std::vector<std::string> names;
    for (const NamedChunk& output : gathered.outputs) names.push_back(output.name);
    return names;
}

} // namespace

class TestScratch : public QObject {
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
    void outputsAreCollectedWithTheirNames();
    void linksAndSpecialFilesAreListedNotKept();
    void unacceptableNamesAreListedNotKept();
    void unreadableFilesOfOursAreCollected();
    void aHardLinkIsKeptAndKnown();
    void missingExpectedFilesAreNamed();
    void limitsAreHeld_data();
    void limitsAreHeld();
    void whateverHasANameCounts();
    void aWalkCanBeCutShort();
    void whatIsLeasedIsForLater();
    void alsoInALookAtALiveTreeWhichIsLeftAsItIs();
    void outputsThatAreNoDirectoryHoldNothing();
    void whatIsSwappedWhileItIsGatheredIsLeftOut();
    void whatGrowsWhileItIsGatheredIsOverTheLimit();
    void whatWasGatheredIsRemoved();
    void aFullStoreIsAnError();
    void directoriesAreSetAside();

private:
    std::string at(const std::string& name) const { return root_ + '/' + name; }
    void write(const std::string& name, const std::string& text) {
        QVERIFY(makeDirectories(fs::path(at(name)).parent_path().string()));
        QVERIFY(writeFileAtomically(at(name), text, 0644));
    }
    GatheredOutputs gather(const OutputLimits& limits = {}, const std::vector<std::string>& expect = {}) {
        auto gathered = gatherOutputs(open("outputs").get(), limits, expect, keepByReading);
        return gathered ? *gathered : GatheredOutputs{};
    }
    UniqueFd open(const std::string& name) const {
        const UniqueFd root(::open(root_.c_str(), O_PATH | O_CLOEXEC));
        return openDirectoryBeneath(root.get(), name);
    }
    bool holdsMore(const std::string& name, const OutputLimits& limits) const {
        return holdsMoreThan(open(name).get(), limits);
    }
    /// As after its end.
    static bool putAway(const Scratch& scratch) {
        const UniqueFd outputs = openOutputs(scratch);
        const auto gathered = gatherOutputs(outputs.get(), {}, {}, keepByReading);
        return gathered && gathered->isEmpty() && removeEmptyScratch(scratch, outputs.get());
    }
    std::unique_ptr<QTemporaryDir> dir_;
    std::string root_;
    ScratchHomePtr home_;
};

void TestScratch::init() {
    dir_ = std::make_unique<QTemporaryDir>();
    root_ = dir_->path().toStdString();
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

void TestScratch::outputsAreCollectedWithTheirNames() {
    write("outputs/b.txt", "bee");
    write("outputs/deep/er/\xc3\xa4.bin", std::string(100'000, 'x'));
    write("outputs/empty", "");
    fs::create_directories(at("outputs/only/directories"));
    const auto gathered = gather();
    QCOMPARE(namesOf(gathered), (std::vector<std::string>{"b.txt", "deep/er/\xc3\xa4.bin", "empty"}));
    QVERIFY(gathered.outputs.front().chunk == (ChunkRef{Sha256::of("bee"), 3}));
    QVERIFY(gathered.denied.empty() && gathered.missing.empty() && !gathered.overLimit);
}

void TestScratch::linksAndSpecialFilesAreListedNotKept() {
    write("outputs/good", "x");
    write("secret/file", "secret");
    fs::create_symlink(at("secret/file"), at("outputs/link"));
    fs::create_directory_symlink(at("secret"), at("outputs/dirlink"));
    fs::create_symlink("nowhere", at("outputs/dangling"));
    QCOMPARE(::mkfifo(at("outputs/fifo").c_str(), 0600), 0);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    at("outputs/sock").copy(address.sun_path, sizeof address.sun_path - 1);
    QCOMPARE(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::close(fd);
    const auto gathered = gather();
    QCOMPARE(namesOf(gathered), (std::vector<std::string>{"good"}));
    std::map<std::string, std::string> denied;
    for (const Denial& d : gathered.denied) denied[d.path] = d.what;
    QCOMPARE(denied, (std::map<std::string, std::string>{{"dangling", "link"},
                                                         {"dirlink", "link"},
                                                         {"fifo", "special"},
                                                         {"link", "link"},
                                                         {"sock", "special"}}));
}

void TestScratch::unacceptableNamesAreListedNotKept() {
    write("outputs/ok", "x");
    write("outputs/line\nbreak", "x");
    write("outputs/latin\xe4", "x");
    std::string deep = "outputs";
    for (int i = 0; i < 70; ++i) deep += "/d";
    write(deep + "/file", "x");
    const auto gathered = gather();
    QCOMPARE(namesOf(gathered), (std::vector<std::string>{"ok"}));
    QCOMPARE(gathered.denied.size(), std::size_t{3});
    for (const Denial& d : gathered.denied) {
        QCOMPARE(d.what, std::string("special"));
        QVERIFY(d.err == EILSEQ || d.err == ENAMETOOLONG);
        for (const char c : d.path) QVERIFY(c >= 0x20 && c < 0x7f);
    }
}

void TestScratch::unreadableFilesOfOursAreCollected() {
    write("outputs/dir/file", "x");
    ::chmod(at("outputs/dir/file").c_str(), 0);
    ::chmod(at("outputs/dir").c_str(), 0);
    ::chmod(at("outputs").c_str(), 0);
    QCOMPARE(namesOf(gather()), (std::vector<std::string>{"dir/file"}));
}

void TestScratch::aHardLinkIsKeptAndKnown() {
    write("outputs/own", "x");
    write("elsewhere", "y");
    fs::create_hard_link(at("elsewhere"), at("outputs/shared"));
    std::map<std::string, bool> alone;
    const auto gathered = gatherOutputs(open("outputs").get(), {}, {}, [&](const OutputFile& file) {
        alone[file.name] = file.isAlone;
        return keepByReading(file);
    });
    QVERIFY(gathered);
    QCOMPARE(alone, (std::map<std::string, bool>{{"own", true}, {"shared", false}}));
}

void TestScratch::missingExpectedFilesAreNamed() {
    write("outputs/there", "x");
    fs::create_directories(at("outputs/directory"));
    fs::create_symlink("there", at("outputs/link"));
    QCOMPARE(gather({}, {"there", "not", "directory", "link"}).missing,
             (std::vector<std::string>{"not", "directory", "link"}));
}

void TestScratch::limitsAreHeld_data() {
    QTest::addColumn<int>("bytes");
    QTest::addColumn<int>("files");
    QTest::addColumn<bool>("over");
    QTest::newRow("none") << 0 << 0 << false;
    QTest::newRow("just enough") << 30 << 4 << false; // with the directory
    QTest::newRow("a byte too many") << 29 << 4 << true;
    QTest::newRow("a name too many") << 30 << 3 << true;
}

void TestScratch::limitsAreHeld() {
    QFETCH(int, bytes);
    QFETCH(int, files);
    for (const char* name : {"a", "b", "sub/c"}) write(std::string("outputs/") + name, std::string(10, 'x'));
    int kept = 0;
    const auto gathered = gatherOutputs(open("outputs").get(), {bytes, files}, {}, [&](const OutputFile& file) {
        ++kept;
        return keepByReading(file);
    });
    QVERIFY(gathered);
    QTEST(gathered->overLimit, "over");
    QCOMPARE(kept, gathered->overLimit ? 0 : 3);
}

void TestScratch::whateverHasANameCounts() {
    for (const char* name : {"a", "b/c"}) fs::create_directories(at("outputs") + '/' + name);
    fs::create_symlink("nowhere", at("outputs/link"));
    QVERIFY(!gather({0, 4}).overLimit && !holdsMore("outputs", {0, 4}));
    QVERIFY(gather({0, 3}).overLimit && holdsMore("outputs", {0, 3}));
}

void TestScratch::aWalkCanBeCutShort() {
    write("outputs/a/b", "x");
    std::stop_source stop;
    stop.request_stop();
    const auto gathered = gatherOutputs(open("outputs").get(), {}, {}, keepByReading, stop.get_token());
    QVERIFY(gathered.error().kind == ErrorKind::NotAccepting);
    QVERIFY(holdsMore("outputs", {0, 1}) && !holdsMoreThan(open("outputs").get(), {0, 1}, stop.get_token()));
}

void TestScratch::whatIsLeasedIsForLater() {
    write("outputs/a", "x");
    std::signal(SIGIO, SIG_IGN); // how the kernel tells who has it
    const UniqueFd writer(::open(at("outputs/a").c_str(), O_RDWR | O_CLOEXEC));
    if (::fcntl(writer.get(), F_SETLEASE, F_WRLCK) != 0) QSKIP("the file system has no leases");
    const auto gathered = gather({10, 0}, {"a"});
    QVERIFY(gathered.missing.empty() && gathered.later.size() == 1 && gathered.later.front().isLeased);
    QVERIFY(openGathered(open("outputs").get(), "a").error().kind == ErrorKind::Busy);
    QCOMPARE(::fcntl(writer.get(), F_SETLEASE, F_UNLCK), 0);
    QVERIFY(*openGathered(open("outputs").get(), "a"));
}

void TestScratch::alsoInALookAtALiveTreeWhichIsLeftAsItIs() {
    constexpr std::int64_t kBlock = 4096; // what the disk has counts
    for (const char* name : {"a", "b", "sub/c"}) write(std::string("outputs/") + name, std::string(kBlock, 'x'));
    write("secret/many", std::string(100 * kBlock, 'x'));
    fs::create_directory_symlink(at("secret"), at("outputs/link"));
    write("outputs/closed/d", "");
    fs::permissions(at("outputs/closed"), fs::perms::none);
    QVERIFY(!holdsMore("outputs", {3 * kBlock, 7}));
    QVERIFY(holdsMore("outputs", {3 * kBlock - 1, 7}));
    QVERIFY(holdsMore("outputs", {3 * kBlock, 5}));
    QVERIFY(!holdsMore("outputs", {0, 0}));
    QVERIFY(!holdsMore("nothing", {1, 1}));
    QVERIFY(!holdsMore("outputs/link", {1, 1}));
    QCOMPARE(fs::status(at("outputs/closed")).permissions(), fs::perms::none);
    fs::permissions(at("outputs/closed"), fs::perms::owner_all);
}

void TestScratch::outputsThatAreNoDirectoryHoldNothing() {
    QCOMPARE(gather({}, {"x"}).missing.size(), std::size_t{1}); // not there at all
    write("secret/x", "secret");
    fs::create_directory_symlink(at("secret"), at("outputs"));
    const auto gathered = gather({}, {"x"});
    QVERIFY(gathered.outputs.empty() && !gathered.isEmpty());
    QCOMPARE(gathered.missing.size(), std::size_t{1});
}

void TestScratch::whatIsSwappedWhileItIsGatheredIsLeftOut() {
    write("secret/x", "secret");
    for (const char* name : {"a", "b", "c", "d", "e"}) write(std::string("outputs/") + name, "x");
    fs::create_directory(at("outputs/deep"));
    write("outputs/deep/f", "x");
    // What the first one is kept, everything else is something else.
    const auto swap = [&](const OutputFile& file) -> Result<ChunkRef> {
        if (file.name == "a") {
            for (const char* name : {"b", "c", "d"}) fs::remove(at(std::string("outputs/") + name));
            fs::create_symlink(at("secret/x"), at("outputs/b"));
            if (::mkfifo(at("outputs/c").c_str(), 0600) != 0) return failErrno("mkfifo", errno);
            fs::rename(at("outputs/deep"), at("moved"));
            fs::create_directory_symlink(at("moved"), at("outputs/deep"));
        }
        return keepByReading(file);
    };
    const auto gathered = gatherOutputs(open("outputs").get(), {}, {"a", "b", "d"}, swap);
    QVERIFY(gathered);
    QCOMPARE(namesOf(*gathered), (std::vector<std::string>{"a", "e"}));
    QCOMPARE(gathered->missing, (std::vector<std::string>{"b", "d"}));
    std::map<std::string, std::string> denied;
    for (const Denial& d : gathered->denied) denied[d.path] = d.what;
    QCOMPARE(denied, (std::map<std::string, std::string>{{"b", "link"}, {"c", "special"}, {"deep/f", "link"}}));
}

void TestScratch::whatGrowsWhileItIsGatheredIsOverTheLimit() {
    write("outputs/a", "x");
    write("outputs/b", "x");
    const auto gathered =
        gatherOutputs(open("outputs").get(), {10, 0}, {}, [&](const OutputFile& file) -> Result<ChunkRef> {
            if (::truncate(at("outputs/b").c_str(), 1'000'000) != 0) return failErrno("grow", errno);
            return keepByReading(file);
        });
    QVERIFY(gathered && gathered->overLimit && gathered->outputs.empty());
}

void TestScratch::whatWasGatheredIsRemoved() {
    write("outputs/a", "x");
    write("outputs/b", "x");
    QVERIFY(removeGathered(open("outputs").get(), gather()) && fs::is_empty(at("outputs")));
    write("outputs/deep/a", "x"); // more than files: not here
    QVERIFY(!removeGathered(open("outputs").get(), gather()));
    fs::remove_all(at("outputs/deep"));
    write("outputs/a", "xx");
    QVERIFY(!removeGathered(open("outputs").get(), gather({1, 0})) && fs::exists(at("outputs/a")));
    for (int i = 0; i < 1000; ++i) write(fmt::format("outputs/{}", i), "x"); // one too many to be removed at once
    QVERIFY(!removeGathered(open("outputs").get(), gather()) && fs::exists(at("outputs/a")));
}

void TestScratch::aFullStoreIsAnError() {
    write("outputs/a", "x");
    const auto gathered = gatherOutputs(open("outputs").get(), {}, {}, [](const OutputFile&) -> Result<ChunkRef> {
        return failErrno("write", ENOSPC);
    });
    QVERIFY(!gathered && gathered.error().kind == ErrorKind::NoSpace);
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
