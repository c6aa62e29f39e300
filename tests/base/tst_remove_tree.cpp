// removeTree() against trees as a hostile program would leave them.
#include "core/base/files.h"
#include "core/base/remove_tree.h"

#include "tests/base/in_mount_namespace.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>
#include <fcntl.h>
#include <linux/capability.h>
#include <stop_token>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace yard;

namespace {

/// Runs `work` as root runs without its powers: on a thread that gave up every capability, so that modes hold.
template<class Work>
void withoutCapabilities(Work work) {
    std::thread([&work] {
        __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
        __user_cap_data_struct none[2] = {};
        if (::syscall(SYS_capset, &header, none) != 0) qFatal("capset failed");
        work();
    }).join();
}

/// A chain of `depth` directories called `name` below `top`, a file in each.
void makeDeepTree(const std::string& top, int depth, const std::string& name) {
    UniqueFd at(::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int i = 0; i < depth; ++i) {
        UniqueFd(::openat(at.get(), "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        if (::mkdirat(at.get(), name.c_str(), 0700) != 0) qFatal("mkdirat failed at level %d", i);
        at = UniqueFd(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
}

} // namespace

class TestRemoveTree : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> directory_;
    std::string at(const std::string& name) const { return directory_->path().toStdString() + "/" + name; }
    std::string tree() const { return at("tree"); }
    bool exists(const std::string& path) const {
        struct stat info{};
        return ::lstat(path.c_str(), &info) == 0;
    }
    void make(const std::string& name, mode_t mode = 0700) {
        QVERIFY(makeDirectories(tree() + "/" + name));
        QCOMPARE(::chmod((tree() + "/" + name).c_str(), mode), 0);
    }
    void makeFile(const std::string& path) { QVERIFY(writeFileAtomically(path, "content", 0600)); }

private Q_SLOTS:
    void init() {
        directory_ = std::make_unique<QTemporaryDir>();
        QVERIFY(makeDirectories(tree()));
    }

    void aTreeOfFilesAndDirectoriesIsRemoved() {
        make("a/b/c");
        make("empty");
        makeFile(tree() + "/a/f");
        makeFile(tree() + "/a/b/c/g");
        QCOMPARE(::mkfifo((tree() + "/pipe").c_str(), 0600), 0);
        QVERIFY(removeTree(tree() + "//"));
        QVERIFY(!exists(tree()));
    }

    void whatIsNotThereIsRemovedAlready() {
        QVERIFY(removeTree(at("missing")));
        QVERIFY(removeTree(at("missing/below")));
        makeFile(at("file"));
        QVERIFY(removeTree(at("file/below")));
        QVERIFY(exists(at("file")));
    }

    void aFileOrALinkInTheTreesPlaceIsRemovedItself() {
        makeFile(at("file"));
        QVERIFY(removeTree(at("file")));
        QVERIFY(!exists(at("file")));
        makeFile(tree() + "/kept");
        QCOMPARE(::symlink("tree", at("link").c_str()), 0);
        QVERIFY(removeTree(at("link")));
        QVERIFY(!exists(at("link")));
        QVERIFY(exists(tree() + "/kept"));
    }

    void linksInsideAreNotFollowed() {
        QVERIFY(makeDirectories(at("outside"), 0500));
        makeFile(at("precious"));
        QCOMPARE(::symlink(at("outside").c_str(), (tree() + "/dir").c_str()), 0);
        QCOMPARE(::symlink(at("precious").c_str(), (tree() + "/file").c_str()), 0);
        QCOMPARE(::symlink("self", (tree() + "/self").c_str()), 0);
        QVERIFY(removeTree(tree()));
        QVERIFY(exists(at("precious")));
        struct stat info{};
        QCOMPARE(::stat(at("outside").c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777u, 0500u);
    }

    void namesThatAreNoTreesAreRefused() {
        for (const char* path : {"", "/", ".", "..", "///", "/tmp/..", "/tmp/."})
            QVERIFY2(removeTree(path).error().kind == ErrorKind::Invalid, path);
    }

    void aTreeDeeperThanAnyPathNeedsFewDescriptors() {
        makeDeepTree(tree(), 2000, std::string(200, 'd'));
        rlimit old{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &old), 0);
        const rlimit few{.rlim_cur = 100, .rlim_max = old.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
        const auto removed = removeTree(tree());
        ::setrlimit(RLIMIT_NOFILE, &old);
        QVERIFY2(removed, removed ? "" : removed.error().message.c_str());
        QVERIFY(!exists(tree()));
    }

    void namesThatDeepDirectoriesWouldGetMayBeTaken() {
        for (int i = 0; i < 5; ++i) make(".yard-deep-" + std::to_string(i) + "/x");
        makeFile(tree() + "/.yard-deep-5");
        makeDeepTree(tree(), 200, "d");
        QVERIFY(removeTree(tree()));
        QVERIFY(!exists(tree()));
    }

    void aWideDeepTreeIsRemoved() {
        for (int i = 0; i < 20; ++i) {
            make(std::to_string(i));
            makeDeepTree(tree() + "/" + std::to_string(i), 100, "d");
        }
        QVERIFY(removeTree(tree()));
        QVERIFY(!exists(tree()));
    }

    void directoriesWithoutRightsAreRemovedByTheirOwner() {
        make("none/below");
        makeFile(tree() + "/none/below/file");
        make("noWrite");
        makeFile(tree() + "/noWrite/file");
        make("noSearch/below");
        for (const char* name : {"/none/below", "/none"}) QCOMPARE(::chmod((tree() + name).c_str(), 0), 0);
        QCOMPARE(::chmod((tree() + "/noWrite").c_str(), 0500), 0);
        QCOMPARE(::chmod((tree() + "/noSearch").c_str(), 0600), 0);
        QCOMPARE(::chmod(tree().c_str(), 0), 0);
        Result<void> removed;
        withoutCapabilities([&] { removed = removeTree(tree()); });
        QVERIFY2(removed, removed ? "" : removed.error().message.c_str());
        QVERIFY(!exists(tree()));
    }

    void deepDirectoriesWithoutRightsAreRemovedByTheirOwner() {
        makeDeepTree(tree(), 60, "d");
        std::string path = tree();
        for (int i = 0; i < 60; ++i) path += "/d";
        for (int i = 0; i < 60; ++i) {
            QCOMPARE(::chmod(path.c_str(), 0), 0);
            path.resize(path.size() - 2);
        }
        Result<void> removed;
        withoutCapabilities([&] { removed = removeTree(tree()); });
        QVERIFY2(removed, removed ? "" : removed.error().message.c_str());
        QVERIFY(!exists(tree()));
    }

    void anEmptyDirectoryOfSomebodyElseIsRemovedUnopened() {
        if (::geteuid() != 0) QSKIP("only root can give a directory away");
        make("work/work", 0);
        QCOMPARE(::chown((tree() + "/work/work").c_str(), 12345, 12345), 0);
        Result<void> removed;
        withoutCapabilities([&] { removed = removeTree(tree()); });
        QVERIFY2(removed, removed ? "" : removed.error().message.c_str());
    }

    void whatCannotBeRemovedIsNamedAndTheRestGoes() {
        if (::geteuid() != 0) QSKIP("only root can give a directory away");
        make("a");
        make("foreign/full");
        make("z");
        makeFile(tree() + "/foreign/full/file");
        QCOMPARE(::chown((tree() + "/foreign/full").c_str(), 12345, 12345), 0);
        Result<void> removed;
        withoutCapabilities([&] { removed = removeTree(tree()); });
        QVERIFY(!removed);
        QCOMPARE(removed.error().sysErrno, EACCES);
        QVERIFY(removed.error().message.find("full") != std::string::npos);
        QVERIFY(!exists(tree() + "/a"));
        QVERIFY(!exists(tree() + "/z"));
        QVERIFY(exists(tree() + "/foreign/full/file"));
        QVERIFY(removeTree(tree()));
    }

    void aMountInsideIsLeftAloneWithItsContents() {
        YARD_IN_MOUNT_NAMESPACE(directory_->path(),
                                "cd \"$YARD_TEST_MOUNTED\" && mkdir -p tree/a/m tree/b precious/sub && "
                                "touch precious/f && mount --bind precious tree/a/m");
        const std::string root = qgetenv(test::kMountedVariable).toStdString();
        const auto removed = removeTree(root + "/tree");
        QVERIFY(!removed);
        QCOMPARE(removed.error().sysErrno, EBUSY);
        QVERIFY(exists(root + "/precious/f"));
        QVERIFY(exists(root + "/precious/sub"));
        QVERIFY(!exists(root + "/tree/b"));
    }

    void oneThatIsCutShortIsForWhoComesLater() {
        make("a/b");
        makeFile(tree() + "/a/f");
        std::stop_source stop;
        stop.request_stop();
        const auto removed = removeTree(tree(), stop.get_token());
        QVERIFY(!removed && removed.error().kind == ErrorKind::NotAccepting);
        QVERIFY(exists(tree() + "/a/b") && exists(tree() + "/a/f"));
        QVERIFY(removeTree(tree(), std::stop_source().get_token()));
        QVERIFY(!exists(tree()));
    }

    void aTreeThatSomebodyIsStillFillingEndsInRemovalOrAnError() {
        std::atomic<bool> stop{false};
        std::jthread filler([&] {
            for (int i = 0; !stop; ++i) {
                const std::string path = tree() + "/" + std::to_string(i % 50);
                ::mkdir(path.c_str(), 0700);
                UniqueFd(::open((path + "/f").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
            }
        });
        for (int i = 0; i < 50; ++i) {
            makeDirectories(tree());
            const auto removed = removeTree(tree());
            if (!removed) QCOMPARE(removed.error().sysErrno, ENOTEMPTY);
        }
        stop = true;
        filler.join();
        QVERIFY(removeTree(tree()));
        QVERIFY(!exists(tree()));
    }
};

QTEST_GUILESS_MAIN(TestRemoveTree)
#include "tst_remove_tree.moc"
