// Whole files: what is read and written, and every way in which that fails.
#include "core/base/files.h"

#include "core/base/directory_entries.h"
#include "core/base/disk_space.h"
#include "core/base/spawn_plan.h"
#include "tests/base/in_mount_namespace.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace yard;

namespace {

mode_t modeOf(const std::string& path) {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

/// An environment variable that gets its value back.
class Variable {
public:
    Variable(const char* name, const char* value)
        : name_(name)
        , old_(qgetenv(name))
        , was_(qEnvironmentVariableIsSet(name)) {
        if (value)
            qputenv(name, value);
        else
            qunsetenv(name);
    }
    ~Variable() {
        if (was_)
            qputenv(name_, old_);
        else
            qunsetenv(name_);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    QByteArray old_;
    bool was_;
};

/// The exit code of a program, or of the signal that ended it the negative number.
int endOf(SpawnPlan& plan, const std::vector<std::string>& words) {
    pid_t pid = -1;
    if (const int wrong = plan.run(pid, words); wrong != 0) return 1'000 + wrong;
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

class TestFiles : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> directory_;
    std::string at(const std::string& name) const { return directory_->path().toStdString() + "/" + name; }
    QStringList names() const {
        return QDir(directory_->path())
            .entryList(QDir::AllEntries | QDir::System | QDir::Hidden | QDir::NoDotAndDotDot);
    }

private Q_SLOTS:
    void init() { directory_ = std::make_unique<QTemporaryDir>(); }

    void aWrittenFileReadsBack() {
        const std::string content("line\n\0binary", 12);
        QVERIFY(writeFileAtomically(at("f"), content, 0600));
        QCOMPARE(readFile(at("f")).value(), content);
        QVERIFY(writeFileAtomically(at("empty"), "", 0600, true));
        QCOMPARE(readFile(at("empty")).value(), "");
        const UniqueFd fd(::open(at("f").c_str(), O_RDONLY | O_CLOEXEC));
        QCOMPARE(readFileAt(fd.get(), 1, 3).value(), content.substr(1, 3));
        QCOMPARE(readFileAt(fd.get(), content.size(), 3).value(), "");
        QVERIFY(!readFileAt(-1, 0, 3));
    }

    void aWrittenFileHasItsModeWhateverTheUmask() {
        const mode_t old = ::umask(0777);
        const bool written = writeFileAtomically(at("f"), "x", 0644).has_value();
        ::umask(old);
        QVERIFY(written);
        QCOMPARE(modeOf(at("f")), 0644u);
        QVERIFY(writeFileAtomically(at("f"), "y", 0600));
        QCOMPARE(modeOf(at("f")), 0600u);
    }

    void aLinkInTheFilesPlaceIsReplacedNotFollowed() {
        QVERIFY(writeFileAtomically(at("target"), "old", 0600));
        QCOMPARE(::symlink("target", at("link").c_str()), 0);
        QVERIFY(writeFileAtomically(at("link"), "new", 0600));
        QCOMPARE(readFile(at("target")).value(), "old");
        QCOMPARE(readFile(at("link")).value(), "new");
    }

    void aNamedFileIsWrittenWhereItsLinkLeads() {
        QVERIFY(writeFileAtomically(at("target"), "old", 0600));
        QCOMPARE(::symlink("target", at("link").c_str()), 0);
        QCOMPARE(::symlink("made", at("to-nothing").c_str()), 0);
        QVERIFY(writeNamedFile(at("link"), "new", 0644));
        QVERIFY(writeNamedFile(at("to-nothing"), "made", 0644));
        QVERIFY(writeNamedFile(at("plain"), "plain", 0644));
        QCOMPARE(readFile(at("target")).value(), "new");
        QCOMPARE(readFile(at("made")).value(), "made");
        QCOMPARE(readFile(at("plain")).value(), "plain");
        QVERIFY(QFileInfo(QString::fromStdString(at("link"))).isSymLink());
        QVERIFY(QFileInfo(QString::fromStdString(at("to-nothing"))).isSymLink());
        QCOMPARE(writeNamedFile(at("missing/f"), "x", 0600).error().sysErrno, ENOENT);
        QCOMPARE(writeNamedFile(directory_->path().toStdString(), "x", 0600).error().sysErrno, EISDIR);
    }

    void aNamedFifoIsWrittenInto() {
        QCOMPARE(::mkfifo(at("fifo").c_str(), 0600), 0);
        const UniqueFd reader(::open(at("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        QVERIFY(reader);
        QVERIFY(writeNamedFile(at("fifo"), "through", 0644));
        std::array<char, 16> read{};
        QCOMPARE(::read(reader.get(), read.data(), read.size()), ssize_t{7});
        QCOMPARE(std::string(read.data(), 7), "through");
        struct stat info{};
        QVERIFY(::stat(at("fifo").c_str(), &info) == 0 && S_ISFIFO(info.st_mode));
        QCOMPARE(names(), QStringList{"fifo"});
    }

    void aNameAsLongAsTheFileSystemAllowsCanBeWritten() {
        QVERIFY(writeFileAtomically(at(std::string(255, 'n')), "x", 0600, true));
        const auto tooLong = writeFileAtomically(at(std::string(256, 'n')), "x", 0600);
        QCOMPARE(tooLong.error().sysErrno, ENAMETOOLONG);
        QCOMPARE(names().size(), 1);
    }

    void aNameWithoutADirectoryIsWrittenHere() {
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(directory_->path()));
        const bool written = writeFileAtomically("here", "x", 0600, true).has_value();
        QDir::setCurrent(before);
        QVERIFY(written);
        QCOMPARE(names(), QStringList{"here"});
    }

    void aWriteThatFailsLeavesNothingBehind() {
        QCOMPARE(::mkdir(at("taken").c_str(), 0700), 0);
        QCOMPARE(writeFileAtomically(at("taken"), "x", 0600).error().sysErrno, EISDIR);
        QCOMPARE(names(), QStringList{"taken"});
        QCOMPARE(writeFileAtomically(at("missing/f"), "x", 0600).error().sysErrno, ENOENT);
    }

    void aFullDiskKeepsTheOldFile() {
        YARD_IN_MOUNT_NAMESPACE(directory_->path(), "mount -t tmpfs -o size=64k none \"$YARD_TEST_MOUNTED\"");
        const std::string path = qgetenv(test::kMountedVariable).toStdString() + "/f";
        QVERIFY(writeFileAtomically(path, "old", 0600));
        const auto full = writeFileAtomically(path, std::string(1 << 20, 'x'), 0600, true);
        QVERIFY(!full);
        QVERIFY(full.error().kind == ErrorKind::NoSpace);
        QCOMPARE(readFile(path).value(), "old");
        QVERIFY2(writeFileAtomically(path, std::string(40'000, 'y'), 0600),
                 "the temporary file still takes the room");
    }

    void aReadOnlyDiskIsReportedAndWhatIsThereCanBeUsed() {
        YARD_IN_MOUNT_NAMESPACE(directory_->path(), "mount -t tmpfs none \"$YARD_TEST_MOUNTED\" && mkdir "
                                                    "\"$YARD_TEST_MOUNTED/there\" && mount -o remount,ro "
                                                    "\"$YARD_TEST_MOUNTED\"");
        const std::string root = qgetenv(test::kMountedVariable).toStdString();
        QCOMPARE(writeFileAtomically(root + "/f", "x", 0600).error().sysErrno, EROFS);
        QCOMPARE(makeDirectories(root + "/new").error().sysErrno, EROFS);
        QVERIFY(makeDirectories(root + "/there"));
    }

    void readingStopsAtTheLimit() {
        QVERIFY(writeFileAtomically(at("f"), std::string(100'000, 'x'), 0600));
        QCOMPARE(readFile(at("f"), 100'000).value().size(), 100'000u);
        QVERIFY(readFile(at("f"), 99'999).error().kind == ErrorKind::TooLarge);
        QVERIFY(readFile("/dev/zero", 1 << 20).error().kind == ErrorKind::TooLarge);
        QVERIFY(readFile(at("f"), 0).error().kind == ErrorKind::TooLarge);
        QCOMPARE(readFile("/dev/null", 0).value(), "");
    }

    void filesThatDoNotKnowTheirSizeAreReadWhole() {
        QVERIFY(readFile("/proc/self/status").value().starts_with("Name:"));
        std::array<int, 2> ends{};
        QCOMPARE(::pipe2(ends.data(), O_CLOEXEC), 0);
        const UniqueFd reader(ends[0]);
        UniqueFd writer(ends[1]);
        QVERIFY(writeAll(writer.get(), "from a pipe"));
        writer.reset();
        QCOMPARE(readFile("/dev/fd/" + std::to_string(reader.get())).value(), "from a pipe");
    }

    void whatCannotBeReadSaysWhy() {
        QVERIFY(readFile(at("missing")).error().kind == ErrorKind::NotFound);
        QVERIFY(writeFileAtomically(at("f"), "x", 0600));
        QVERIFY(readFile(at("f/below")).error().kind == ErrorKind::NotFound);
        const Error directory = readFile(at("")).error();
        QVERIFY(directory.kind == ErrorKind::Io);
        QCOMPARE(directory.sysErrno, EISDIR);
        QCOMPARE(::symlink("loop", at("loop").c_str()), 0);
        QCOMPARE(readFile(at("loop")).error().sysErrno, ELOOP);
    }

    void missingLevelsOfAPathAreMade() {
        QVERIFY(makeDirectories(at("a/b//c/"), 0750));
        QCOMPARE(modeOf(at("a")), 0750u);
        QCOMPARE(modeOf(at("a/b/c")), 0750u);
        QVERIFY2(makeDirectories(at("a/b/c")), "existing is fine");
        QVERIFY(makeDirectories("/"));
        QCOMPARE(::symlink("a", at("link").c_str()), 0);
        QVERIFY2(makeDirectories(at("link/d")), "a link to a directory is a directory");
        QCOMPARE(modeOf(at("a")), 0750u);
    }

    void directoriesGetTheirModeWhateverTheUmask() {
        const mode_t old = ::umask(0277);
        const bool made = makeDirectories(at("a/b"), 0755).has_value();
        ::umask(old);
        QVERIFY(made);
        QCOMPARE(modeOf(at("a/b")), 0755u);
    }

    void somethingElseInADirectorysPlaceIsAnError() {
        QVERIFY(writeFileAtomically(at("file"), "x", 0600));
        QCOMPARE(makeDirectories(at("file")).error().sysErrno, ENOTDIR);
        QCOMPARE(makeDirectories(at("file/below")).error().sysErrno, ENOTDIR);
        QCOMPARE(::symlink("nowhere", at("dangling").c_str()), 0);
        QCOMPARE(makeDirectories(at("dangling")).error().sysErrno, ENOTDIR);
        QVERIFY(makeDirectories("").error().kind == ErrorKind::Invalid);
        QCOMPARE(makeDirectories(at(std::string(300, 'x'))).error().sysErrno, ENAMETOOLONG);
    }

    void writingReportsAFullAClosedAndABadDescriptor() {
        const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
        QVERIFY(writeAll(full.get(), "x").error().kind == ErrorKind::NoSpace);
        QVERIFY2(writeAll(full.get(), ""), "nothing to write");
        ::signal(SIGPIPE, SIG_IGN);
        std::array<int, 2> ends{};
        QCOMPARE(::pipe2(ends.data(), O_CLOEXEC), 0);
        const UniqueFd writer(ends[1]);
        ::close(ends[0]);
        QCOMPARE(writeAll(writer.get(), "x").error().sysErrno, EPIPE);
        QCOMPARE(writeAll(-1, "x").error().sysErrno, EBADF);
    }

    void aSlowReaderOfANonBlockingPipeGetsEveryByte() {
        std::array<int, 2> ends{};
        QCOMPARE(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
        const UniqueFd reader(ends[0]);
        UniqueFd writer(ends[1]);
        std::size_t received = 0;
        std::jthread slow([&] {
            std::array<char, 1000> buffer{};
            for (;;) {
                const ssize_t n = ::read(reader.get(), buffer.data(), buffer.size());
                if (n == 0) return;
                if (n > 0)
                    received += std::size_t(n);
                else
                    std::this_thread::yield();
            }
        });
        QVERIFY(writeAll(writer.get(), std::string(1 << 20, 'x')));
        writer.reset();
        slow.join();
        QCOMPARE(received, std::size_t(1) << 20);
    }

    void syncingADirectoryReportsWhatCannotBeSynced() {
        QVERIFY(syncDirectory(directory_->path().toStdString()));
        QCOMPARE(syncDirectory(at("missing")).error().sysErrno, ENOENT);
        QVERIFY(writeFileAtomically(at("f"), "x", 0600));
        QCOMPARE(syncDirectory(at("f")).error().sysErrno, ENOTDIR);
        QCOMPARE(syncDirectory("/proc").error().sysErrno, EINVAL);
    }

    void namesOfADirectoryComeOnceEachWithoutItsOwn() {
        for (const char* name : {"a", ".hidden", "with space", "\xff"})
            QVERIFY(writeFileAtomically(at(name), "", 0600));
        QVERIFY(makeDirectories(at("below/deep")));
        auto entries = DirectoryEntries::open(directory_->path().toStdString());
        QVERIFY(entries);
        std::multiset<std::string> found;
        while (const auto name = entries->next()) {
            struct stat info{};
            QCOMPARE(::fstatat(entries->fd(), std::string(*name).c_str(), &info, AT_SYMLINK_NOFOLLOW), 0);
            found.emplace(*name);
        }
        QCOMPARE(entries->error(), 0);
        QCOMPARE(found, (std::multiset<std::string>{".hidden", "a", "below", "with space", "\xff"}));
        QVERIFY(!entries->next());
    }

    void namesOfAnOpenDirectoryAreThoseOfItsPath() {
        QVERIFY(writeFileAtomically(at("a"), "", 0600));
        UniqueFd fd(::open(directory_->path().toStdString().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        auto entries = DirectoryEntries::of(std::move(fd));
        QVERIFY(entries);
        QCOMPARE(entries->next().value_or(""), std::string_view("a"));
        QVERIFY(!entries->next());
    }

    void whatIsNoDirectoryHasNoNames() {
        QVERIFY(writeFileAtomically(at("file"), "", 0600));
        QCOMPARE(DirectoryEntries::open(at("file")).error().sysErrno, ENOTDIR);
        QCOMPARE(DirectoryEntries::open(at("missing")).error().sysErrno, ENOENT);
        QCOMPARE(DirectoryEntries::of(UniqueFd(::open(at("file").c_str(), O_RDONLY | O_CLOEXEC))).error().sysErrno,
                 ENOTDIR);
    }

    void aDirectoryThatCannotBeReadToItsEndSaysWhy() {
        auto entries = DirectoryEntries::open(directory_->path().toStdString());
        QVERIFY(entries);
        // What was open becomes a file: as if the disk had failed.
        QVERIFY(writeFileAtomically(at("file"), "", 0600));
        const UniqueFd file(::open(at("file").c_str(), O_RDONLY | O_CLOEXEC));
        QCOMPARE(::dup2(file.get(), entries->fd()), entries->fd());
        QVERIFY(!entries->next());
        QCOMPARE(entries->error(), ENOTDIR);
    }

    void theFreeSpaceOfAFileIsThatOfItsDirectory() {
        QVERIFY(writeFileAtomically(at("file"), "", 0600));
        const UniqueFd fd(::open(at("file").c_str(), O_RDONLY | O_CLOEXEC));
        const auto ofPath = diskSpace(directory_->path().toStdString());
        const auto ofFile = diskSpace(fd.get());
        QVERIFY(ofPath && ofFile);
        QCOMPARE(ofFile->bytes, ofPath->bytes);
        QCOMPARE(static_cast<std::uintmax_t>(ofPath->bytes),
                 std::filesystem::space(directory_->path().toStdString()).capacity);
        QVERIFY(ofPath->free >= 0 && ofPath->free <= ofPath->bytes); // others write at the same time
        QCOMPARE(diskSpace(at("missing")).error().sysErrno, ENOENT);
        QCOMPARE(diskSpace(-1).error().sysErrno, EBADF);
    }

    void theDataDirectoryFollowsTheUsersSettings() {
        const Variable home("HOME", "/home/ada");
        {
            const Variable data("XDG_DATA_HOME", "/data/ada");
            QCOMPARE(defaultDataDirectory(), "/data/ada/yardmaster");
        }
        {
            const Variable data("XDG_DATA_HOME", "relative");
            QCOMPARE(defaultDataDirectory(), "/home/ada/.local/share/yardmaster");
        }
        const Variable data("XDG_DATA_HOME", nullptr);
        const Variable noHome("HOME", nullptr);
        const QString fromPasswd = QString::fromStdString(defaultDataDirectory());
        QVERIFY2(fromPasswd.startsWith('/') && fromPasswd.endsWith("/.local/share/yardmaster"),
                 qPrintable(fromPasswd));
    }

    // --- programs and their files

    void aProgramHasTheFilesOfItsPlanAndNoOthers() {
        const QTemporaryDir directory;
        const std::string said = (directory.path() + "/said").toStdString();
        const UniqueFd open(::open("/dev/null", O_RDONLY)); // exec() would keep it
        QVERIFY(open);
        SpawnPlan plan(SpawnPlan::Apart::No);
        plan.open("/dev/null", O_RDONLY, STDIN_FILENO);
        plan.open(said, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
        plan.changeTo("/usr");
        const std::string script = "pwd; cat; [ -e /proc/$$/fd/" + std::to_string(open.get()) + " ] || echo alone";
        QCOMPARE(endOf(plan, {"sh", "-c", script}), 0);
        QCOMPARE(readFile(said, 100).value(), std::string("/usr\nalone\n"));
        QCOMPARE(modeOf(said), mode_t{0600});
    }

    void aProgramWhoseFilesCannotBeOpenedDoesNotStart() {
        SpawnPlan plan(SpawnPlan::Apart::No);
        plan.open("/no/such/directory/file", O_WRONLY | O_CREAT, STDOUT_FILENO);
        pid_t pid = -1;
        QCOMPARE(plan.run(pid, {"true"}), ENOENT);
        QCOMPARE(SpawnPlan(SpawnPlan::Apart::No).run(pid, {"no-such-program"}), ENOENT);
    }

    void aProgramOfOurGroupIgnoresWhatWeIgnore_data() {
        QTest::addColumn<int>("apart");
        QTest::addColumn<int>("end");
        QTest::newRow("our group") << static_cast<int>(SpawnPlan::Apart::No) << 0;
        QTest::newRow("its own group") << static_cast<int>(SpawnPlan::Apart::Group) << -SIGHUP;
        QTest::newRow("its own session") << static_cast<int>(SpawnPlan::Apart::Session) << -SIGHUP;
    }
    void aProgramOfOurGroupIgnoresWhatWeIgnore() {
        QFETCH(int, apart);
        QFETCH(int, end);
        const auto before = ::signal(SIGHUP, SIG_IGN);
        SpawnPlan plan(static_cast<SpawnPlan::Apart>(apart));
        const int ended = endOf(plan, {"sh", "-c", "kill -HUP $$"});
        (void)::signal(SIGHUP, before);
        QCOMPARE(ended, end);
    }
};

QTEST_GUILESS_MAIN(TestFiles)
#include "tst_files.moc"
