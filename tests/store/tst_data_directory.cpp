// The data directory: who may use it, one engine at a time, its secrets.
#include "core/store/data_directory.h"

#include "core/base/files.h"
#include "core/store/database.h"

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::store;

class TestDataDirectory : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::string path(const char* name) { return directory_.path().toStdString() + "/" + name; }
    static unsigned modeOf(const std::string& file) {
        struct stat status{};
        return stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
    }
    /// Name and content of each file but SQLite's index of its log, which is memory.
    static std::map<std::string, std::string> contentOf(const std::string& directory) {
        std::map<std::string, std::string> content;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
            if (entry.is_regular_file() && !entry.path().string().ends_with("-shm"))
                content[entry.path().string()] = *readFile(entry.path().string());
        return content;
    }
    /// A directory as a later version may leave it; `killed`: its number stands in the journal's log alone.
    static void leaveNewer(const std::string& at, bool killed) {
        {
            auto directory = DataDirectory::open(at);
            QVERIFY(directory && directory->token());
        }
        QVERIFY(writeFileAtomically(at + "/address", "http://127.0.0.1:1", 0600));
        QVERIFY(writeFileAtomically(at + "/.yard-new-12", "half", 0600));
        auto database = Database::openForWriting(at + "/journal.sqlite", {});
        QVERIFY(database &&
                database->execute("PRAGMA journal_mode=WAL; CREATE TABLE later(x); PRAGMA user_version=99"));
        if (killed) sqlite3_db_config(database->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }

private Q_SLOTS:
    void itIsMadeForItsOwnerAndKeepsItsIdentity() {
        const auto at = path("new/deeper");
        std::string id;
        {
            auto directory = DataDirectory::open(at + "/");
            QVERIFY2(directory.has_value(), directory ? "" : directory.error().message.c_str());
            QCOMPARE(directory->path(), at);
            QCOMPARE(modeOf(at), 0700u);
            id = directory->engineId();
            QCOMPARE(id.size(), 32u);
            QCOMPARE(directory->journal(), at + "/journal.sqlite");
        }
        QCOMPARE(DataDirectory::open(at)->engineId(), id);
        QVERIFY(writeFileAtomically(at + "/engine_id", "short", 0600));
        QCOMPARE(DataDirectory::open(at).error().kind, ErrorKind::Io);
    }

    void aDirectoryThatOthersMayEnterIsRefusedWithWhatToType() {
        const auto at = path("open");
        std::filesystem::create_directories(at);
        QCOMPARE(chmod(at.c_str(), 0750), 0);
        const auto refused = DataDirectory::open(at);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Forbidden);
        QVERIFY(refused.error().message.find("chmod 700 " + at) != std::string::npos);
    }

    void aDirectoryOfSomeoneElseIsRefused() {
        if (geteuid() != 0) QSKIP("needs another user's directory: only root can make one");
        const auto at = path("foreign");
        std::filesystem::create_directories(at);
        QCOMPARE(chmod(at.c_str(), 0700), 0);
        QCOMPARE(chown(at.c_str(), 12345, 12345), 0);
        const auto refused = DataDirectory::open(at);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Forbidden);
        QVERIFY(refused.error().message.find("12345") != std::string::npos);
    }

    void aFileInItsPlaceIsAnError() {
        QVERIFY(writeFileAtomically(path("file"), "x", 0600));
        QVERIFY(!DataDirectory::open(path("file")));
    }

    void aSecondEngineIsToldThePidOfTheFirst() {
        auto first = DataDirectory::open(path("locked"));
        QVERIFY(first.has_value());
        const auto second = DataDirectory::open(path("locked"), std::chrono::milliseconds(1));
        QVERIFY(!second);
        QCOMPARE(second.error().kind, ErrorKind::AtLimit);
        QVERIFY(second.error().message.find("pid " + std::to_string(getpid())) != std::string::npos);
        {
            const DataDirectory gone = std::move(*first);
        }
        QVERIFY(DataDirectory::open(path("locked"), Duration{}).has_value());
    }

    void aSecondEngineIsKeptOutAlsoWhenTheLockWasRemoved() {
        const auto at = path("unlocked");
        auto first = DataDirectory::open(at);
        QVERIFY(first && first->publishAddress("http://127.0.0.1:1"));
        // Each connection of SQLite that ends gives its own locks up; the engine's stays.
        {
            auto database = Database::openForWriting(first->journal(), {});
            QVERIFY(database && database->execute("PRAGMA journal_mode=WAL; CREATE TABLE t(x)"));
        }
        for (int again = 0; again < 2; ++again) {
            QCOMPARE(unlink((at + "/lock").c_str()), 0);
            const auto second = DataDirectory::open(at, std::chrono::milliseconds(1));
            QVERIFY(!second);
            QCOMPARE(second.error().kind, ErrorKind::AtLimit);
            QCOMPARE(second.error().message,
                     "the data directory " + at + " is in use by yardmaster pid " + std::to_string(getpid()));
            QVERIFY(std::filesystem::exists(at + "/address"));
        }
        {
            const DataDirectory gone = std::move(*first);
        }
        QVERIFY(DataDirectory::open(at, Duration{}).has_value());
    }

    void aDirectoryOfANewerVersionIsLeftAsItWas_data() {
        QTest::addColumn<bool>("killed");
        QTest::newRow("whose engine ended") << false;
        QTest::newRow("whose engine was killed") << true;
    }
    void aDirectoryOfANewerVersionIsLeftAsItWas() {
        QFETCH(bool, killed);
        const auto at = path(killed ? "newer-killed" : "newer");
        leaveNewer(at, killed);
        const auto before = contentOf(at);
        const auto refused = DataDirectory::open(at, Duration{});
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::WrongState);
        QVERIFY2(refused.error().message.find("newer yardmaster (version 99") != std::string::npos,
                 refused.error().message.c_str());
        QVERIFY(contentOf(at) == before);
    }

    void aLostJournalIsNotMadeNewBesideItsEnginesData_data() {
        QTest::addColumn<QString>("beside");
        QTest::addColumn<bool>("isEmpty");
        for (const char* beside : {"slots", "chunks/3f/3fa1", "journal.sqlite-wal"})
            for (const bool isEmpty : {false, true})
                QTest::addRow("%s, %s", beside, isEmpty ? "empty" : "missing") << beside << isEmpty;
    }

    void aLostJournalIsNotMadeNewBesideItsEnginesData() {
        QFETCH(QString, beside);
        QFETCH(bool, isEmpty);
        const QTemporaryDir dir;
        const std::string at = dir.path().toStdString() + "/data";
        QVERIFY(DataDirectory::open(at));
        std::filesystem::remove(at + "/journal.sqlite");
        const std::filesystem::path file = at + "/" + beside.toStdString();
        std::filesystem::create_directories(file.parent_path());
        QVERIFY(writeFileAtomically(file.string(), "content", 0600));
        if (isEmpty) QVERIFY(writeFileAtomically(at + "/journal.sqlite", "", 0600));
        const auto before = contentOf(at);
        const auto refused = DataDirectory::open(at);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::WrongState);
        const std::string& words = refused.error().message;
        QVERIFY2(words.contains(isEmpty ? "journal.sqlite is empty" : "journal.sqlite is missing"), words.c_str());
        QVERIFY2(words.contains("restore the journal from a backup"), words.c_str());
        QCOMPARE(contentOf(at), before);
    }

    void aFirstStartThatWasCutShortIsNoLostJournal() {
        const QTemporaryDir dir;
        const std::string at = dir.path().toStdString() + "/data";
        QVERIFY(DataDirectory::open(at)); // leaves an empty one
        std::filesystem::create_directories(at + "/chunks/tmp");
        QVERIFY(writeFileAtomically(at + "/chunks/tmp/half", "content", 0600));
        QVERIFY(DataDirectory::open(at));
    }

    void aVersionThatNoOneWroteIsDamage() {
        const QTemporaryDir dir;
        const std::string at = dir.path().toStdString() + "/data";
        QVERIFY(DataDirectory::open(at));
        {
            auto database = Database::openForWriting(at + "/journal.sqlite", {});
            QVERIFY(database && database->execute("CREATE TABLE later(x); PRAGMA user_version=16777224"));
        }
        const auto refused = DataDirectory::open(at);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains("is damaged"), refused.error().message.c_str());
    }

    void aDirectoryOnANetworkIsRefusedWithWhatToDo() {
        constexpr std::uint64_t kNfs = 0x6969;
        constexpr std::uint64_t kSmb = 0xfe534d42;
        const auto refused = refuseNetworkFileSystem("/home/me/yard", kNfs);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Forbidden);
        QCOMPARE(
            refused.error().message,
            std::string("/home/me/yard lies on a network file system (NFS), where the journal is not safe: choose "
                        "a --data-dir on a disk of this machine"));
        QVERIFY(!refuseNetworkFileSystem("/x", kSmb));
        for (const std::uint64_t local : {0xef53ULL, 0x9123683eULL, 0x01021994ULL, 0x794c7630ULL, 0x65735546ULL})
            QVERIFY(refuseNetworkFileSystem("/x", local));
    }

    void aLockThatIsGivenUpSoonIsWaitedFor() {
        const auto at = path("patience");
        {
            QVERIFY(DataDirectory::open(at).has_value());
        }
        int ready[2];
        QCOMPARE(pipe2(ready, O_CLOEXEC), 0);
        // A child that has the lock and goes: what a dead engine's child does between clone and exec.
        const pid_t child = fork();
        if (child == 0) {
            const int fd = open((at + "/lock").c_str(), O_RDWR | O_CLOEXEC);
            flock(fd, LOCK_EX);
            (void)!write(ready[1], "x", 1);
            usleep(100'000);
            _exit(0);
        }
        char byte = 0;
        QCOMPARE(read(ready[0], &byte, 1), ssize_t(1));
        QVERIFY(DataDirectory::open(at).has_value());
        QCOMPARE(waitpid(child, nullptr, 0), child);
        close(ready[0]);
        close(ready[1]);
    }

    void theTokenIsMadeOnceForItsOwnerOnly() {
        auto directory = DataDirectory::open(path("token"));
        const auto token = directory->token();
        QVERIFY(token && token->size() == 64);
        QCOMPARE(modeOf(path("token") + "/token"), 0600u);
        QCOMPARE(*directory->token(), *token);
        const auto other = path("elsewhere");
        QVERIFY(*directory->token(other) != *token);
        QCOMPARE(modeOf(other), 0600u);
    }

    void aTokenGivenIsFoundInTheDirectoryToo() {
        auto directory = DataDirectory::open(path("given"));
        const auto own = path("given") + "/token";
        const auto given = path("secret");
        QVERIFY(directory->token());
        QVERIFY(writeFileAtomically(given, "letmein\n", 0600));
        QCOMPARE(*directory->token(given), "letmein");
        QCOMPARE(*readFile(own), "letmein\n");
        QCOMPARE(modeOf(own), 0600u);
        // Neither is written again while they are the same, whichever is named.
        QCOMPARE(chmod(own.c_str(), 0400), 0);
        QCOMPARE(*directory->token(given), "letmein");
        QCOMPARE(*directory->token(own), "letmein");
        QCOMPARE(modeOf(own), 0400u);
        // A copy that others can read is none.
        QCOMPARE(chmod(own.c_str(), 0644), 0);
        QCOMPARE(*directory->token(given), "letmein");
        QCOMPARE(modeOf(own), 0600u);
        QCOMPARE(unlink(own.c_str()), 0);
        QCOMPARE(mkdir(own.c_str(), 0700), 0);
        QVERIFY(!directory->token(given));
    }

    void aTokenThatOthersCanReadIsRefusedWithWhatToType() {
        auto directory = DataDirectory::open(path("loose"));
        const auto file = path("loose") + "/token";
        QVERIFY(directory->token());
        QCOMPARE(chmod(file.c_str(), 0644), 0);
        const auto refused = directory->token();
        QVERIFY(!refused && refused.error().kind == ErrorKind::Forbidden);
        QVERIFY(refused.error().message.find("chmod 600 " + file) != std::string::npos);
        QVERIFY(writeFileAtomically(file, " \n", 0600));
        QVERIFY(directory->token().error().message.find("empty") != std::string::npos);
        QCOMPARE(unlink(file.c_str()), 0);
        QCOMPARE(mkdir(file.c_str(), 0700), 0);
        QCOMPARE(directory->token().error().kind, ErrorKind::Forbidden);
    }

    void theAddressIsThereWhileItServes() {
        const auto at = path("address");
        QCOMPARE(readServedDirectory(at).error().kind, ErrorKind::NotFound);
        {
            auto directory = DataDirectory::open(at);
            const auto token = *directory->token();
            QCOMPARE(readServedDirectory(at).error().kind, ErrorKind::NotFound);
            QVERIFY(directory->publishAddress("http://127.0.0.1:8640"));
            const auto served = readServedDirectory(at);
            QCOMPARE(served->address, "http://127.0.0.1:8640");
            QCOMPARE(served->token, token);
            QVERIFY(served->fingerprint.empty());
            QVERIFY(readFile(at + "/lock")->find("address http://127.0.0.1:8640") != std::string::npos);
            QVERIFY(directory->publishAddress("https://127.0.0.1:8640", "abc"));
            QCOMPARE(readFile(at + "/address").value_or(""), "https://127.0.0.1:8640\nabc\n");
            QCOMPARE(readServedDirectory(at)->address, "https://127.0.0.1:8640");
            QCOMPARE(readServedDirectory(at)->fingerprint, "abc");
        }
        QCOMPARE(readServedDirectory(at).error().kind, ErrorKind::NotFound);
    }

    void anAddressLeftByAKilledEngineGoesAtTheNextStart() {
        const auto at = path("stale");
        {
            QVERIFY(DataDirectory::open(at).has_value());
        }
        QVERIFY(writeFileAtomically(at + "/address", "http://127.0.0.1:1", 0600));
        auto directory = DataDirectory::open(at);
        QVERIFY(!std::filesystem::exists(at + "/address"));
    }
};

QTEST_GUILESS_MAIN(TestDataDirectory)
#include "tst_data_directory.moc"
