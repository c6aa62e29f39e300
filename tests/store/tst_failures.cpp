// The journal on bad days: a disk that is full, writes that fail, files from elsewhere, and who may checkpoint.
#include "tests/base/in_mount_namespace.h"
#include "tests/store/failing_vfs.h"
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"
#include "core/store/schema.h"
#include "tests/support/waiting.h"

#include <QRandomGenerator>
#include <QTest>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace {

StoreOptions failing() {
    (void)FailingVfs::get();
    StoreOptions options;
    options.vfs = FailingVfs::kName;
    options.retryFirst = std::chrono::milliseconds(1);
    options.retryMost = std::chrono::milliseconds(5);
    return options;
}

Result<std::unique_ptr<Store>> openStore(const std::string& path, ChunkFiles& files) {
    StoreOptions options;
    options.path = path;
    return Store::open(options, files, {.acks = [](Acks) {}, .specs = [](std::vector<FetchedSpec>) {}});
}

} // namespace

class TestFailures : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::string fresh(const char* name) {
        const std::string path = directory_.path().toStdString() + "/" + name;
        std::filesystem::create_directories(path);
        return path;
    }

private Q_SLOTS:
    void cleanup() { FailingVfs::get().heal(); }

    void aGroupThatFailsAcceptsNothingKeepsResultsAndWritesThemLater_data() {
        QTest::addColumn<int>("rc");
        QTest::addColumn<int>("after");
        QTest::newRow("disk full at the first page") << SQLITE_FULL << 0;
        QTest::newRow("disk full in the middle of a group") << SQLITE_FULL << 3;
        QTest::newRow("input/output error") << SQLITE_IOERR_WRITE << 0;
        QTest::newRow("input/output error in the middle") << SQLITE_IOERR_WRITE << 2;
    }
    void aGroupThatFailsAcceptsNothingKeepsResultsAndWritesThemLater() {
        QFETCH(int, rc);
        QFETCH(int, after);
        const auto path = fresh(QTest::currentDataTag());
        Journal journal(path, failing());
        QCOMPARE(word(journal.carryOut(accept({1, 2, 3}))), "ok");

        FailingVfs::get().failWrites(after, rc);
        std::vector<Operation> group;
        group.push_back({.tag = 1001, .unhurried = false, .action = accept({4})});
        group.push_back({.tag = 1002, .unhurried = false, .action = finish(1)});
        group.push_back({.tag = 1003, .unhurried = false, .action = Update{.lsn = Lsn(2), .held = true}});
        group.push_back(
            {.tag = 1004, .unhurried = false, .action = finish(3, ActionState::Failed, Reason::ExitCode)});
        group.push_back({.tag = 1005, .unhurried = false, .action = note("large", std::string(40'000, 'x'))});
        QVERIFY(journal.store().post(std::move(group)));

        const auto refused = journal.answers.of(1001);
        QCOMPARE(word(refused), "journal");
        QVERIFY(!refused.error->message.empty());
        QCOMPARE(word(journal.answers.of(1003)), "journal");
        journal.answers.waitWritable(false);
        QVERIFY(!journal.store().writable());
        // what comes now is refused at once, except results
        QCOMPARE(word(journal.carryOut(accept({5}))), "journal");
        const auto late = journal.post(finish(2));
        QVERIFY(!journal.store().carryOutAndWait(note("a", "b")));
        QVERIFY(!journal.answers.has(1002) && !journal.answers.has(late));

        FailingVfs::get().heal();
        QCOMPARE(word(journal.answers.of(1002)), "ok");
        QCOMPARE(word(journal.answers.of(1004)), "ok");
        QCOMPARE(word(journal.answers.of(late)), "ok");
        journal.answers.waitWritable(true);
        QCOMPARE(word(journal.carryOut(accept({6}))), "ok");
        auto reader = *Reader::open(journal.store());
        QCOMPARE(*reader->states({Lsn(1), Lsn(2), Lsn(3), Lsn(4), Lsn(5), Lsn(6)}),
                 (std::vector{ActionState::Completed, ActionState::Completed, ActionState::Failed, ActionState::New,
                              ActionState::New, ActionState::Pending}));
    }

    void withNothingToWriteItNoticesByItselfThatTheDiskIsBack() {
        Journal journal(fresh("probe"), failing());
        FailingVfs::get().failWrites(0, SQLITE_FULL);
        QCOMPARE(word(journal.carryOut(accept({1}))), "journal");
        QVERIFY(!journal.store().writable());
        FailingVfs::get().heal();
        journal.answers.waitWritable(true);
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
    }

    void stoppingWhileTheDiskIsFullSaysWhichResultsWereNotWritten() {
        const auto path = fresh("lost");
        std::uint64_t tag = 0;
        {
            Journal journal(path, failing());
            QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
            FailingVfs::get().failWrites(0, SQLITE_FULL);
            tag = journal.post(finish(1));
            journal.answers.waitWritable(false);
            journal.store().stop();
            QCOMPARE(word(journal.answers.of(tag)), "journal");
            FailingVfs::get().heal();
        }
        QCOMPARE(Journal(path).pending.size(), 1u);
    }

    void noLsnIsGivenOutThatIsNotOnTheDisk() {
        const auto path = fresh("lsns");
        Journal journal(path, failing());
        FailingVfs::get().failWrites(0, SQLITE_IOERR_WRITE);
        QCOMPARE(word(journal.carryOut(ReserveLsns{1})), "journal");
        FailingVfs::get().heal();
        journal.answers.waitWritable(true);
        QCOMPARE(journal.carryOut(ReserveLsns{1}).lsns.first, journal.restored.lsns.end);
    }

    void aReallyFullDiskEndsInAnErrorAndTheJournalGoesOnWhenThereIsRoom() {
        const QString mounted =
            isInnerRun() ? qEnvironmentVariable(kMountedVariable) : directory_.filePath("tmpfs");
        if (!isInnerRun()) QDir().mkpath(mounted);
        YARD_IN_MOUNT_NAMESPACE(mounted, "mount -t tmpfs -o size=2m none \"$YARD_TEST_MOUNTED\"");
        StoreOptions options;
        options.retryFirst = std::chrono::milliseconds(1);
        options.retryMost = std::chrono::milliseconds(20);
        Journal journal(mounted.toStdString(), options);
        auto chunks = *ChunkStore::open(journal.files(), journal.store());
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
        std::string filler = mounted.toStdString() + "/filler";
        {
            QFile file(QString::fromStdString(filler));
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
            const QByteArray block(4096, 'f');
            while (file.write(block) == block.size()) {
            }
        }
        std::int64_t lsn = 2;
        while (word(journal.carryOut(accept({lsn}))) == "ok") ++lsn; // what room the WAL file still had
        QVERIFY(!journal.store().writable());
        // no room for a chunk either, and nothing of it is left
        auto writer = *chunks->writer();
        Result<void> written;
        for (int i = 0; written && i < 64; ++i) {
            std::string block(64 << 10, '\0');
            for (auto& byte : block) byte = char(QRandomGenerator::global()->generate());
            written = writer.write(block);
        }
        QVERIFY(!written && written.error().kind == ErrorKind::NoSpace);
        QVERIFY(!writer.finish());
        QVERIFY(std::filesystem::is_empty(journal.directory() + "/chunks/tmp"));
        const auto copied = chunks->materialise(Hash256::ofNothing(), mounted.toStdString() + "/empty", 0644);
        QVERIFY(copied || copied.error().kind == ErrorKind::NoSpace);

        QVERIFY(std::filesystem::remove(filler));
        journal.answers.waitWritable(true);
        QCOMPARE(word(journal.carryOut(accept({lsn}))), "ok");
        QCOMPARE(word(journal.carryOut(finish(1))), "ok");
    }

    void aJournalOfANewerVersionIsRefusedWithASentence() {
        const auto path = fresh("newer");
        {
            Journal journal(path);
        }
        {
            auto database = Database::openForWriting(path + "/journal.sqlite", {});
            QVERIFY(database->execute("PRAGMA user_version=99"));
        }
        auto files = *ChunkFiles::open(path + "/chunks", false, Duration{});
        const auto opened = openStore(path + "/journal.sqlite", *files);
        QVERIFY(!opened);
        QCOMPARE(opened.error().kind, ErrorKind::WrongState);
        QVERIFY(opened.error().message.find("newer yardmaster (version 99") != std::string::npos);
    }

    void aFileSystemWithoutSharedMemoryIsRefusedWithWhatToDo() {
        const auto path = fresh("plain");
        FailingVfs::get().denySharedMemory(true);
        auto files = *ChunkFiles::open(path + "/chunks", false, Duration{});
        StoreOptions options;
        options.path = path + "/journal.sqlite";
        options.vfs = FailingVfs::kName;
        const auto opened = Store::open(options, *files, {.acks = [](Acks) {}, .specs = {}});
        FailingVfs::get().denySharedMemory(false);
        QVERIFY(!opened);
        QCOMPARE(opened.error().kind, ErrorKind::WrongState);
        QVERIFY2(opened.error().message.find("choose a --data-dir on a disk of this machine") != std::string::npos,
                 opened.error().message.c_str());
    }

    void aFileThatIsNoJournalIsRefused() {
        const auto path = fresh("foreign");
        auto files = *ChunkFiles::open(path + "/chunks", false, Duration{});
        QFile text(QString::fromStdString(path + "/text.sqlite"));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write(QByteArray(20'000, 'x'));
        text.close();
        QVERIFY(!openStore(path + "/text.sqlite", *files));
        {
            auto database = Database::openForWriting(path + "/other.sqlite", {});
            QVERIFY(database->execute("CREATE TABLE photos(id)"));
        }
        const auto other = openStore(path + "/other.sqlite", *files);
        QVERIFY(!other && other.error().message.find("not yardmaster's") != std::string::npos);
        QVERIFY(!openStore(path + "/no/such/directory.sqlite", *files));
    }

    void migrationsRunOnceEachInOrderAndAFailingOneLeavesTheVersionBefore() {
        auto database = Database::openForWriting(fresh("migrate") + "/journal.sqlite", {});
        const char* const two[] = {"CREATE TABLE a(x);", "CREATE TABLE b(x); INSERT INTO b VALUES(1);"};
        QVERIFY(migrate(*database, std::span(two, 1)));
        QCOMPARE(*database->number("PRAGMA user_version"), 1);
        QVERIFY(migrate(*database, two));
        QVERIFY(migrate(*database, two));
        QCOMPARE(*database->number("PRAGMA user_version"), 2);
        QCOMPARE(*database->number("SELECT count(*) FROM b"), 1);
        const char* const three[] = {two[0], two[1], "CREATE TABLE c(x); INSERT INTO nowhere VALUES(1);"};
        const auto failed = migrate(*database, three);
        QVERIFY(!failed && failed.error().message.find("version 3") != std::string::npos);
        QCOMPARE(*database->number("PRAGMA user_version"), 2);
        QCOMPARE(*database->number("SELECT count(*) FROM sqlite_schema WHERE name='c'"), 0);
    }

    void theConnectionIsSetUpAsDecided() {
        const auto path = fresh("pragmas");
        auto database = Database::openForWriting(path + "/journal.sqlite", {});
        QVERIFY(prepareJournal(*database, Durability::Process));
        const auto pragma = [&](const char* name) { return *database->number(std::string("PRAGMA ") + name); };
        QCOMPARE(pragma("page_size"), 8192);
        QCOMPARE(pragma("auto_vacuum"), 2);
        QCOMPARE(pragma("synchronous"), 1);
        QCOMPARE(pragma("wal_autocheckpoint"), 0); // the store does it itself, after the answers
        QCOMPARE(pragma("cache_size"), -8192);
        QCOMPARE(pragma("temp_store"), 2);
        QCOMPARE(pragma("user_version"), kSchemaVersion);
        QVERIFY(prepareJournal(*database, Durability::Power));
        QCOMPARE(pragma("synchronous"), 2);
    }

    void nobodyButTheWriterCheckpoints() {
        const auto path = fresh("checkpoints");
        std::set<std::thread::id> mine;
        {
            Journal journal(path, failing(), false);
            (void)FailingVfs::get().checkpointers(); // opening, on this thread
            journal.store().start();
            auto readers = *ReaderThread::start(journal.store());
            auto chunks = *ChunkStore::open(journal.files(), journal.store());
            std::atomic<int> read{0};
            std::uint64_t last = 0;
            for (std::int64_t lsn = 1; lsn <= 3'000; ++lsn) {
                auto rows = accept({lsn});
                rows.items[0].spec = specText(std::string(3'000, 'x'));
                last = journal.post(std::move(rows));
                if (lsn % 10 == 0)
                    QVERIFY(readers->post([&read, lsn](Reader& reader) {
                        if (reader.get(Lsn(lsn)) && reader.pagePending({}, PageOrder::NewestFirst, 100, Lsn()))
                            ++read;
                    }) || true);
                if (lsn % 100 == 0) (void)chunks->has(Sha256::of("x"));
            }
            QCOMPARE(word(journal.answers.of(last)), "ok");
            chunks.reset();
            readers.reset(); // closed before the writer, which checkpoints at its end
            QVERIFY(read > 0);
            const auto extra = *Reader::open(journal.store());
            QVERIFY(extra->get(Lsn(1)));
            const auto hasCheckpointed = [&mine] {
                mine.merge(FailingVfs::get().checkpointers());
                return !mine.empty();
            };
            QTRY_VERIFY_WITH_TIMEOUT(hasCheckpointed(), kWaitMs); // in the first pause at the latest
            QCOMPARE(mine.size(), 1u);                            // all on one thread
            QVERIFY(!mine.contains(std::this_thread::get_id()));
        }
        const auto atTheEnd = FailingVfs::get().checkpointers();
        QVERIFY(atTheEnd.empty() || atTheEnd == mine);
    }

    void anAnswerDoesNotWaitForTheCheckpointThatItsGroupMakesDue() {
        Journal journal(fresh("after"), failing());
        constexpr std::uint64_t kTag = 1'001;
        std::atomic<bool> isSeen{false};
        std::atomic<bool> isEarly{false};
        FailingVfs::get().onCheckpoint([&] {
            isEarly = isEarly || !journal.answers.has(kTag);
            isSeen = true;
        });
        QVERIFY(journal.store().post(
            Operation{.tag = kTag, .unhurried = false, .action = note("large", std::string(9'000'000, 'x'))}));
        QCOMPARE(word(journal.answers.of(kTag)), "ok");
        QTRY_VERIFY_WITH_TIMEOUT(isSeen, kWaitMs);
        FailingVfs::get().onCheckpoint({});
        QVERIFY(!isEarly);
    }

    void theWriteAheadLogStaysBoundedWhileReadersAreBusy() {
        const auto path = fresh("wal");
        Journal journal(path);
        auto readers = *ReaderThread::start(journal.store());
        std::atomic<bool> going{true};
        std::jthread asker([&] {
            while (going) {
                std::promise<void> done;
                if (readers->post([&done](Reader& reader) {
                        (void)reader.pagePending({}, PageOrder::OldestFirst, 1000, Lsn());
                        done.set_value();
                    }))
                    done.get_future().wait();
            }
        });
        std::int64_t lsn = 0;
        off_t longest = 0;
        for (int round = 0; round < 60; ++round) {
            std::uint64_t last = 0;
            for (int i = 0; i < 20; ++i) {
                Accept rows;
                for (int k = 0; k < 100; ++k) rows.items.push_back(item(++lsn));
                last = journal.post(std::move(rows));
            }
            QCOMPARE(word(journal.answers.of(last)), "ok");
            struct stat wal{};
            QVERIFY(stat((path + "/journal.sqlite-wal").c_str(), &wal) == 0);
            longest = std::max(longest, wal.st_size);
        }
        going = false;
        asker.join();
        readers.reset();
        QVERIFY2(longest < (96 << 20), std::to_string(longest).c_str());
    }

    void whenIdleTheLogIsCheckpointedOnce() {
        Journal journal(fresh("idle"));
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
        QTRY_COMPARE_WITH_TIMEOUT(journal.store().stats().checkpoints, 1u, kWaitMs);
    }
};

QTEST_GUILESS_MAIN(TestFailures)
#include "tst_failures.moc"
