// Directories of requests to warm workers, beside a worker that does with its own what it can.
#include "core/base/files.h"
#include "core/lease/request_directories.h"
#include "core/locks/janitor.h"

#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::runners;
namespace fs = std::filesystem;

namespace {

constexpr AttemptId kFirst{Lsn(7), 1};
constexpr AttemptId kSecond{Lsn(8), 1};

Result<void> writeName(const Hash256& chunk, const std::string& path, unsigned mode) {
    return writeFileAtomically(path, "chunk " + chunk.hex(), static_cast<int>(mode));
}

std::optional<std::uint32_t> ownerOf(const std::string& path) {
    struct stat st{};
    if (::lstat(path.c_str(), &st) != 0) return std::nullopt;
    return st.st_uid;
}

} // namespace

class TestRequestDirectories : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void aRequestHasItsDirectoriesWhileItLasts_data();
    void aRequestHasItsDirectoriesWhileItLasts();
    void onlyOutputsAreTheWorkers();
    void oneThatIsLeftAsItWasServesTheNext();
    void oneWithSomethingLeftServesNobody();
    void oneThatIsWrittenToLateServesNobody();
    void nothingElseInItsPlaceIsCollected_data();
    void nothingElseInItsPlaceIsCollected();
    void whatTheWorkerForbidsIsDoneAllTheSame();
    void anInputThatFailsLeavesNothing();
    void whatAnEngineBeforeLeftIsSetAside();
    void theJanitorLeavesThemAloneWhileTheyAreUsed();

private:
    /// `isOwnUser`: the worker has a user of its own outside, as with an engine of root.
    void make(bool isOwnUser, bool isSandboxed = true) {
        directories_.reset();
        directories_ = std::make_unique<RequestDirectories>(
            RequestDirectories::Options{.home = home_,
                                        .slot = SlotId(100'000),
                                        .hostUser = isOwnUser ? 2'000'000'000u : 0,
                                        .isSandboxed = isSandboxed,
                                        .claims = &claims_});
    }
    std::string at(const std::string& name) const { return root_ + "/scratch/100000/" + name; }
    RequestDirectories::Lent lend(AttemptId id, const std::vector<PlacedFile>& inputs = {}) {
        auto lent = directories_->lend(id, inputs, writeName);
        return lent ? *lent : RequestDirectories::Lent{};
    }
    void nobodyGets(const RequestDirectories::Lent& lent) {
        for (std::int64_t i = 10; i < 100; ++i) {
            const auto other = lend({Lsn(i), 1});
            QVERIFY(other.number != lent.number);
            QVERIFY(!directories_->keep(other, directories_->takeBack(other), {}));
        }
    }
    std::string written(const RequestDirectories::Lent& lent) const {
        return at(fmt::format(".requests.outputs/{}", lent.number));
    }
    std::unique_ptr<QTemporaryDir> dir_;
    std::string root_;
    ScratchHomePtr home_;
    locks::Claims claims_;
    std::unique_ptr<RequestDirectories> directories_;
};

void TestRequestDirectories::init() {
    dir_ = std::make_unique<QTemporaryDir>();
    root_ = dir_->path().toStdString();
    const auto home = ScratchHome::open(root_);
    QVERIFY(home);
    home_ = *home;
    make(false);
}

void TestRequestDirectories::cleanup() {
    directories_.reset();
    home_.reset();
    QVERIFY(removeTree(root_));
}

void TestRequestDirectories::aRequestHasItsDirectoriesWhileItLasts_data() {
    QTest::addColumn<bool>("isOwnUser");
    QTest::addColumn<bool>("isSandboxed");
    QTest::addColumn<QString>("inside");
    QTest::newRow("of an ordinary user's engine") << false << true << "/requests/7.1";
    if (::geteuid() == 0) QTest::newRow("of root's engine") << true << true << "/requests/7.1";
    QTest::newRow("without a sandbox") << false << false << "";
}

void TestRequestDirectories::aRequestHasItsDirectoriesWhileItLasts() {
    QFETCH(const bool, isOwnUser);
    QFETCH(const bool, isSandboxed);
    QFETCH(const QString, inside);
    make(isOwnUser, isSandboxed);
    const std::vector<PlacedFile> inputs = {{"deep/i", Sha256::of("i"), 0444}};
    const auto lent = lend(kFirst, inputs);
    const std::string open = at(".requests.open/7.1");
    QCOMPARE(directories_->pathInside(kFirst), inside.isEmpty() ? open : inside.toStdString());
    QVERIFY(*readFile(open + "/inputs/deep/i") == "chunk " + Sha256::of("i").hex());
    const bool isLink = isSandboxed && !isOwnUser;
    if (isLink) QCOMPARE(fs::read_symlink(open + "/outputs").string(), fmt::format("/outputs/{}", lent.number));
    const std::string outputs = isLink ? written(lent) : open + "/outputs";
    QVERIFY(writeFileAtomically(outputs + "/o", "out", 0644));
    const auto places = directories_->places();
    QVERIFY(places && places->requests == at(".requests.open"));
    QCOMPARE(places->outputs, isLink ? at(".requests.outputs") : std::string());

    UniqueFd fd = directories_->takeBack(lent);
    QVERIFY(fd);
    QVERIFY(!fs::exists(open) && !fs::exists(written(lent)));
    const auto gathered = gatherOutputs(fd.get(), {}, {}, [](const OutputFile& file) -> Result<ChunkRef> {
        return ChunkRef{Sha256::of("out"), file.size};
    });
    QVERIFY(gathered && gathered->outputs.size() == 1 && removeGathered(fd.get(), *gathered));
    const auto left = directories_->keep(lent, std::move(fd), inputs); // inputs have a directory of their own
    QVERIFY(left && locks::isAttemptDirectory(left->substr(left->rfind('/') + 1)) && fs::exists(*left));
    QVERIFY(removeTree(*left));
}

void TestRequestDirectories::onlyOutputsAreTheWorkers() {
    if (::geteuid() != 0) QSKIP("needs root");
    make(true);
    lend(kFirst, {{"i", {}, 0444}});
    for (const char* name : {"", "/7.1", "/7.1/inputs", "/7.1/inputs/i"})
        QCOMPARE(ownerOf(at(".requests.open") + name), std::optional(0u));
    QCOMPARE(ownerOf(at(".requests.open/7.1/outputs")), std::optional(2'000'000'000u));
    // Who knows no name finds none; the engine's own names nobody comes to.
    QCOMPARE(fs::status(at(".requests.open")).permissions() & fs::perms(0077), fs::perms(0011));
    QCOMPARE(fs::status(at(".requests.kept")).permissions(), fs::perms(0700));
}

void TestRequestDirectories::oneThatIsLeftAsItWasServesTheNext() {
    const std::vector<PlacedFile> inputs = {{"i", {}, 0444}};
    constexpr auto kRound = static_cast<std::int64_t>(RequestDirectories::kResting) + 1;
    for (std::int64_t i = 0; i < 3 * kRound; ++i) { // the longest unused first
        const auto lent = lend({Lsn(i + 1), 1}, inputs);
        QCOMPARE(lent.number, static_cast<std::uint64_t>(i % kRound));
        QVERIFY(!directories_->keep(lent, directories_->takeBack(lent), inputs));
    }
    QVERIFY(fs::is_empty(at(".requests.kept/0/inputs")) && fs::is_empty(at(".requests.kept/0/written")));
}

void TestRequestDirectories::oneWithSomethingLeftServesNobody() {
    const auto lent = lend(kFirst);
    QVERIFY(writeFileAtomically(written(lent) + "/o", "out", 0644));
    const auto left = directories_->keep(lent, directories_->takeBack(lent), {});
    QVERIFY(left && fs::exists(*left + "/written/o"));
    nobodyGets(lent);
}

void TestRequestDirectories::oneThatIsWrittenToLateServesNobody() {
    const auto lent = lend(kFirst);
    const UniqueFd held(::open(written(lent).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    QVERIFY(!directories_->keep(lent, directories_->takeBack(lent), {}));
    QVERIFY(UniqueFd(::openat(held.get(), "late", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)));
    nobodyGets(lent);
    QVERIFY(!fs::exists(at(".requests.kept/0")));
}

void TestRequestDirectories::nothingElseInItsPlaceIsCollected_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<int>("err");
    QTest::newRow("nothing") << "" << ENOENT;
    QTest::newRow("a link to something outside") << "link" << ELOOP;
    QTest::newRow("another directory") << "directory" << ENOTDIR;
    QTest::newRow("that of another request") << "exchange" << ENOTDIR;
    QTest::newRow("a file") << "file" << ENOTDIR;
}

void TestRequestDirectories::nothingElseInItsPlaceIsCollected() {
    QFETCH(const QString, what);
    QFETCH(const int, err);
    QVERIFY(makeDirectories(root_ + "/secret") && writeFileAtomically(root_ + "/secret/x", "secret", 0644));
    const auto lent = lend(kFirst);
    const auto other = lend(kSecond);
    if (what == "exchange") {
        QCOMPARE(::renameat2(AT_FDCWD, written(lent).c_str(), AT_FDCWD, written(other).c_str(), RENAME_EXCHANGE),
                 0);
    } else {
        fs::rename(written(lent), at(".requests.outputs/moved"));
        if (what == "link") fs::create_directory_symlink(root_ + "/secret", written(lent));
        if (what == "directory") fs::create_directory(written(lent));
        if (what == "file") QVERIFY(writeFileAtomically(written(lent), "x", 0644));
    }
    errno = 0;
    QVERIFY(!directories_->takeBack(lent));
    QCOMPARE(errno, err);
    const auto left = directories_->keep(lent, {}, {});
    QVERIFY(left && removeTree(*left));
    QVERIFY(fs::exists(root_ + "/secret/x"));
}

void TestRequestDirectories::whatTheWorkerForbidsIsDoneAllTheSame() {
    const auto lent = lend(kFirst);
    QCOMPARE(::chmod(written(lent).c_str(), 0), 0);
    QCOMPARE(::chmod(at(".requests.outputs").c_str(), 0), 0);
    QVERIFY(directories_->lend(kSecond, {}, writeName));
    QCOMPARE(::chmod(at(".requests.outputs").c_str(), 0), 0);
    QVERIFY(!directories_->keep(lent, directories_->takeBack(lent), {}));
}

void TestRequestDirectories::anInputThatFailsLeavesNothing() {
    const auto missing = [](const Hash256&, const std::string&, unsigned) -> Result<void> {
        return fail(ErrorKind::NotFound, "no such chunk");
    };
    const auto lent = directories_->lend(kFirst, {{"x", {}, 0644}}, missing);
    QVERIFY(!lent && lent.error().kind == ErrorKind::NotFound);
    QVERIFY(!fs::exists(at(".requests.open/7.1")) && !fs::exists(at(".requests.kept/0")));
}

void TestRequestDirectories::whatAnEngineBeforeLeftIsSetAside() {
    lend(kFirst);
    make(false);
    QVERIFY(directories_->places());
    QVERIFY(!fs::exists(at(".requests.open/7.1")));
    QCOMPARE(lend(kFirst).number, std::uint64_t{0});
}

void TestRequestDirectories::theJanitorLeavesThemAloneWhileTheyAreUsed() {
    lend(kFirst);
    const auto reap = [&] {
        locks::Janitor janitor({.scratch = root_ + "/scratch", .locks = {}, .ownFrom = 100'000}, claims_);
        while (janitor.step(Duration(1'000'000))) {
        }
        return janitor.takeReport().reaped;
    };
    QCOMPARE(reap(), std::int64_t{0});
    QVERIFY(fs::exists(at(".requests.open/7.1")));
    directories_.reset();
    QCOMPARE(reap(), std::int64_t{0}); // they are no orphans' to be counted
    QVERIFY(fs::is_empty(root_ + "/scratch/100000"));
}

QTEST_GUILESS_MAIN(TestRequestDirectories)
#include "tst_request_directories.moc"
