// Names below a held directory, in trees that somebody else changes.
#include "core/base/beneath.h"
#include "core/base/files.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace yard;
namespace fs = std::filesystem;

class TestBeneath : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void whatIsBelowIsOpened();
    void noPartMayBeALink();
    void nothingOutsideIsReached();
    void whatIsNoFileIsNeverOpened();
    void whatForbidsItIsOpenedAllTheSame();
    void aFileThatIsSwappedForALinkIsNeverFollowed();
    void aTreeIsRemovedInTheDirectoryThatIsHeld();
    void onlyOnePartNamesATree();

private:
    std::string at(const std::string& name) const { return root_ + '/' + name; }
    void write(const std::string& name, const std::string& text) {
        QVERIFY(makeDirectories(fs::path(at(name)).parent_path().string()));
        QVERIFY(writeFileAtomically(at(name), text, 0644));
    }
    std::string read(const std::string& name) const {
        const UniqueFd fd = openFileBeneath(held_.get(), name);
        if (!fd) return {};
        const auto text = readFileAt(fd.get(), 0, 100);
        return text ? *text : std::string();
    }
    int errorOf(const std::string& name) const {
        errno = 0;
        return openFileBeneath(held_.get(), name) ? 0 : errno;
    }
    std::unique_ptr<QTemporaryDir> dir_;
    std::string root_;
    UniqueFd held_;
};

void TestBeneath::init() {
    dir_ = std::make_unique<QTemporaryDir>();
    root_ = dir_->path().toStdString();
    write("held/a/b", "below");
    write("secret", "outside");
    held_.reset(::open(at("held").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    QVERIFY(held_);
}

void TestBeneath::whatIsBelowIsOpened() {
    QCOMPARE(read("a/b"), std::string("below"));
    QVERIFY(openDirectoryBeneath(held_.get(), "a"));
    QCOMPARE(errorOf("a/none"), ENOENT);
    // Whatever becomes of its name.
    fs::rename(at("held"), at("moved"));
    fs::create_directory_symlink(root_, at("held"));
    QCOMPARE(read("a/b"), std::string("below"));
}

void TestBeneath::noPartMayBeALink() {
    fs::create_directory_symlink("a", at("held/link"));
    fs::create_symlink("b", at("held/a/to b"));
    fs::create_symlink(at("secret"), at("held/out"));
    for (const char* name : {"link/b", "a/to b", "out"}) QCOMPARE(errorOf(name), ELOOP);
    QVERIFY(!openDirectoryBeneath(held_.get(), "link"));
}

void TestBeneath::nothingOutsideIsReached() {
    for (const std::string& name : {std::string("../secret"), std::string("a/../../secret"), at("secret")})
        QCOMPARE(errorOf(name), EXDEV);
    if (::geteuid() == 0) QVERIFY(!openFileBeneath(UniqueFd(::open("/", O_PATH)).get(), "proc/version"));
}

void TestBeneath::whatIsNoFileIsNeverOpened() {
    QCOMPARE(::mkfifo(at("held/pipe").c_str(), 0600), 0);
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    at("held/socket").copy(address.sun_path, sizeof address.sun_path - 1);
    QCOMPARE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    for (const char* name : {"pipe", "socket", "a"}) QCOMPARE(errorOf(name), EINVAL);
}

void TestBeneath::whatForbidsItIsOpenedAllTheSame() {
    QCOMPARE(::chmod(at("held/a/b").c_str(), 0), 0);
    QCOMPARE(read("a/b"), std::string("below"));
    QCOMPARE(::chmod(at("held/a").c_str(), 0), 0);
    QVERIFY(openDirectoryBeneath(held_.get(), "a"));
}

void TestBeneath::aFileThatIsSwappedForALinkIsNeverFollowed() {
    write("held/file", "below");
    fs::create_symlink(at("secret"), at("held/swap"));
    std::atomic<bool> done = false;
    std::thread swapper([&] {
        while (!done) ::renameat2(held_.get(), "file", held_.get(), "swap", RENAME_EXCHANGE);
    });
    bool isOutside = false;
    for (int i = 0; i < 20'000; ++i) isOutside = isOutside || read("file") == "outside";
    done = true;
    swapper.join();
    QVERIFY(!isOutside);
}

void TestBeneath::aTreeIsRemovedInTheDirectoryThatIsHeld() {
    fs::rename(at("held"), at("moved"));
    write("held/a/b", "another");
    QVERIFY(removeTreeBeneath(held_.get(), "a"));
    QVERIFY(!fs::exists(at("moved/a")) && fs::exists(at("held/a/b")));
    QVERIFY(removeTreeBeneath(held_.get(), "a")); // gone is gone
}

void TestBeneath::onlyOnePartNamesATree() {
    for (const char* name : {"", ".", "..", "a/b", "/a"})
        QCOMPARE(removeTreeBeneath(held_.get(), name).error().kind, ErrorKind::Invalid);
    QVERIFY(fs::exists(at("held/a/b")));
}

QTEST_GUILESS_MAIN(TestBeneath)
#include "tst_beneath.moc"
