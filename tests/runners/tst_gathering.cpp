// Collecting what a hostile action leaves in outputs/.
#include "core/base/beneath.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/lease/scratch.h"
#include "tests/runners/in_a_directory.h"

#include <QTest>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <stop_token>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
using test::keepByReading;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> namesOf(const GatheredOutputs& gathered) {
    std::vector<std::string> names;
    for (const NamedChunk& output : gathered.outputs) names.push_back(output.name);
    return names;
}

} // namespace

class TestGathering : public test::InADirectory {
    Q_OBJECT
private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { QVERIFY(removeTree(root_)); }
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

private:
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
};

void TestGathering::outputsAreCollectedWithTheirNames() {
    write("outputs/b.txt", "bee");
    write("outputs/deep/er/\xc3\xa4.bin", std::string(100'000, 'x'));
    write("outputs/empty", "");
    fs::create_directories(at("outputs/only/directories"));
    const auto gathered = gather();
    QCOMPARE(namesOf(gathered), (std::vector<std::string>{"b.txt", "deep/er/\xc3\xa4.bin", "empty"}));
    QVERIFY(gathered.outputs.front().chunk == (ChunkRef{Sha256::of("bee"), 3}));
    QVERIFY(gathered.denied.empty() && gathered.missing.empty() && !gathered.overLimit);
}

void TestGathering::linksAndSpecialFilesAreListedNotKept() {
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

void TestGathering::unacceptableNamesAreListedNotKept() {
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

void TestGathering::unreadableFilesOfOursAreCollected() {
    write("outputs/dir/file", "x");
    ::chmod(at("outputs/dir/file").c_str(), 0);
    ::chmod(at("outputs/dir").c_str(), 0);
    ::chmod(at("outputs").c_str(), 0);
    QCOMPARE(namesOf(gather()), (std::vector<std::string>{"dir/file"}));
}

void TestGathering::aHardLinkIsKeptAndKnown() {
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

void TestGathering::missingExpectedFilesAreNamed() {
    write("outputs/there", "x");
    fs::create_directories(at("outputs/directory"));
    fs::create_symlink("there", at("outputs/link"));
    QCOMPARE(gather({}, {"there", "not", "directory", "link"}).missing,
             (std::vector<std::string>{"not", "directory", "link"}));
}

void TestGathering::limitsAreHeld_data() {
    QTest::addColumn<int>("bytes");
    QTest::addColumn<int>("files");
    QTest::addColumn<bool>("over");
    QTest::newRow("none") << 0 << 0 << false;
    QTest::newRow("just enough") << 30 << 4 << false; // with the directory
    QTest::newRow("a byte too many") << 29 << 4 << true;
    QTest::newRow("a name too many") << 30 << 3 << true;
}

void TestGathering::limitsAreHeld() {
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

void TestGathering::whateverHasANameCounts() {
    for (const char* name : {"a", "b/c"}) fs::create_directories(at("outputs") + '/' + name);
    fs::create_symlink("nowhere", at("outputs/link"));
    QVERIFY(!gather({0, 4}).overLimit && !holdsMore("outputs", {0, 4}));
    QVERIFY(gather({0, 3}).overLimit && holdsMore("outputs", {0, 3}));
}

void TestGathering::aWalkCanBeCutShort() {
    write("outputs/a/b", "x");
    std::stop_source stop;
    stop.request_stop();
    const auto gathered = gatherOutputs(open("outputs").get(), {}, {}, keepByReading, stop.get_token());
    QVERIFY(gathered.error().kind == ErrorKind::NotAccepting);
    QVERIFY(holdsMore("outputs", {0, 1}) && !holdsMoreThan(open("outputs").get(), {0, 1}, stop.get_token()));
}

void TestGathering::whatIsLeasedIsForLater() {
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

void TestGathering::alsoInALookAtALiveTreeWhichIsLeftAsItIs() {
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

void TestGathering::outputsThatAreNoDirectoryHoldNothing() {
    QCOMPARE(gather({}, {"x"}).missing.size(), std::size_t{1}); // not there at all
    write("secret/x", "secret");
    fs::create_directory_symlink(at("secret"), at("outputs"));
    const auto gathered = gather({}, {"x"});
    QVERIFY(gathered.outputs.empty() && !gathered.isEmpty());
    QCOMPARE(gathered.missing.size(), std::size_t{1});
}

void TestGathering::whatIsSwappedWhileItIsGatheredIsLeftOut() {
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

void TestGathering::whatGrowsWhileItIsGatheredIsOverTheLimit() {
    write("outputs/a", "x");
    write("outputs/b", "x");
    const auto gathered =
        gatherOutputs(open("outputs").get(), {10, 0}, {}, [&](const OutputFile& file) -> Result<ChunkRef> {
            if (::truncate(at("outputs/b").c_str(), 1'000'000) != 0) return failErrno("grow", errno);
            return keepByReading(file);
        });
    QVERIFY(gathered && gathered->overLimit && gathered->outputs.empty());
}

void TestGathering::whatWasGatheredIsRemoved() {
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

void TestGathering::aFullStoreIsAnError() {
    write("outputs/a", "x");
    const auto gathered = gatherOutputs(open("outputs").get(), {}, {}, [](const OutputFile&) -> Result<ChunkRef> {
        return failErrno("write", ENOSPC);
    });
    QVERIFY(!gathered && gathered.error().kind == ErrorKind::NoSpace);
}

QTEST_GUILESS_MAIN(TestGathering)
#include "tst_gathering.moc"
