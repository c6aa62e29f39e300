// Backups of a data directory: what comes back, beside an engine that goes on, and what is refused.
#include "core/store/backup.h"

#include "core/base/files.h"
#include "core/store/backup_files.h"
#include "core/store/data_directory.h"
#include "core/store/database.h"
#include "core/store/packing.h"
#include "core/store/schema.h"
#include "tests/store/journal_fixture.h"

#include <QTest>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;
namespace fs = std::filesystem;

class TestBackup : public QObject {
    Q_OBJECT

    static constexpr WallMicros kTaken = 1'800'000'000'000'000;
    std::unique_ptr<Directories> directories_;

    std::string fresh(const char* name) {
        const std::string path = directories_->fresh(name);
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    /// Bytes that do not compress, in a file of their own.
    static std::string noise(unsigned seed) {
        std::string bytes(40'000, '\0');
        for (char& byte : bytes) byte = static_cast<char>((seed = seed * 1'664'525u + 1'013'904'223u) >> 24);
        return bytes;
    }
    static Hash256 put(Journal& journal, const std::string& bytes) {
        auto chunks = ChunkStore::open(journal.files(), journal.store());
        if (!chunks) qFatal("%s", chunks.error().message.c_str());
        auto writer = (*chunks)->writer();
        if (!writer || !writer->write(bytes)) qFatal("a chunk could not be written");
        return writer->finish()->hash;
    }
    static std::string chunkFile(const std::string& directory, const Hash256& hash) {
        const std::string hex = hash.hex();
        return fmt::format("{}/chunks/{}/{}", directory, hex.substr(0, 2), hex.substr(2));
    }
    /// A data directory with one pending action, one that completed and left a chunk, and settings.
    std::string used(const char* name, Hash256* chunk = nullptr) {
        std::string path = fresh(name);
        if (!DataDirectory::open(path)) qFatal("no data directory");
        if (!writeFileAtomically(path + "/settings.json", "{\"capacity\":3}\n", 0600)) qFatal("no settings");
        // Of workers of other engines; they come again.
        if (!makeDirectories(path + "/guests/workers/a")) qFatal("no directory");
        if (!writeFileAtomically(path + "/guests/workers/a/run", "large", 0500)) qFatal("no file");
        Journal journal(path);
        (void)journal.carryOut(accept({1, 2}));
        const Hash256 hash = put(journal, noise(7));
        Finish end = finish(2);
        end.attempt->outcome.out = ChunkRef{hash, 40'000};
        (void)journal.carryOut(end);
        if (chunk) *chunk = hash;
        return path;
    }
    static Result<BackupCounts> take(const std::string& from, const std::string& to) {
        return takeBackup(from, to, "1.0", kTaken, {});
    }
    static std::string sentence(const Result<BackupCounts>& done) {
        return done ? std::string("done") : done.error().message;
    }
    /// Path of a file of the generation that counts.
    static std::string counted(const std::string& backup, const std::string& name) {
        const auto manifest = parseManifest(*readFile(backup + "/manifest"));
        return fmt::format("{}/{}/{}", backup, manifest->generation, name);
    }
    static void change(const std::string& file, std::size_t at) {
        std::string bytes = *readFile(file, 64u << 20);
        bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
        QVERIFY(writeFileAtomically(file, bytes, 0600));
    }
    /// What a child that does this exits with; it has no thread of ours.
    static int inChild(const std::function<int()>& function) {
        const pid_t pid = ::fork();
        if (pid == 0) ::_exit(function());
        int status = 0;
        if (::waitpid(pid, &status, 0) != pid) return -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

private Q_SLOTS:
    void init() { directories_ = std::make_unique<Directories>(); }
    void cleanup() { directories_.reset(); }

    void whatComesBackIsTheSameWorkHeldAndAnotherEngine() {
        Hash256 chunk;
        const std::string from = used("data", &chunk);
        const std::string backup = fresh("backup");
        const std::string to = fresh("restored");
        const auto taken = take(from, backup);
        QVERIFY2(taken.has_value(), sentence(taken).c_str());
        QCOMPARE(taken->chunks, std::uint64_t{1});
        QCOMPARE(taken->missing, std::uint64_t{0});
        QCOMPARE(taken->schema, kSchemaVersion);
        const auto restored = restoreBackup(backup, to, {});
        QVERIFY2(restored.has_value(), sentence(restored).c_str());
        QCOMPARE(restored->damagedCount, std::uint64_t{0});
        QCOMPARE(*readFile(to + "/settings.json"), std::string("{\"capacity\":3}\n"));
        QVERIFY(!fs::exists(to + "/guests"));
        {
            auto directory = DataDirectory::open(to);
            QVERIFY2(directory.has_value(), directory ? "" : directory.error().message.c_str());
            QVERIFY(directory->engineId() != readFile(from + "/engine_id")->substr(0, 32));
        }
        Journal journal(to);
        QCOMPARE(lsnsOf(journal.pending), "1");
        QVERIFY(journal.restored.queues.front().held);
        const auto ended = get(journal, 2);
        QVERIFY(ended.has_value());
        QCOMPARE(ended->state, ActionState::Completed);
        auto chunks = ChunkStore::open(journal.files(), journal.store());
        QVERIFY(chunks);
        QCOMPARE(*(*chunks)->read(chunk, 1 << 20), noise(7));
    }

    void theSumsAreOfAllThatWasCopied() {
        Hash256 chunk;
        const std::string from = used("data", &chunk);
        const std::string backup = fresh("backup");
        const auto sum = [&] { // of the journal and the other files
            std::uint64_t bytes = 0;
            for (const BackupFile& file : parseManifest(*readFile(backup + "/manifest"))->files) bytes += file.size;
            return bytes;
        };
        const auto first = take(from, backup);
        QVERIFY2(first.has_value(), sentence(first).c_str());
        const std::uint64_t ofChunk = fs::file_size(chunkFile(backup, chunk));
        QVERIFY(sum() > fs::file_size(counted(backup, "journal.sqlite")));
        QCOMPARE(first->copied, std::uint64_t{1});
        QCOMPARE(first->bytes, sum() + ofChunk);
        // The journal is copied again, the chunk is not.
        const auto second = take(from, backup);
        QVERIFY2(second.has_value(), sentence(second).c_str());
        QCOMPARE(second->chunks, std::uint64_t{1});
        QCOMPARE(second->copied, std::uint64_t{0});
        QCOMPARE(second->bytes, sum());
        const auto restored = restoreBackup(backup, fresh("restored"), {});
        QVERIFY2(restored.has_value(), sentence(restored).c_str());
        QCOMPARE(restored->copied, restored->chunks);
        QCOMPARE(restored->files, second->files);
        QCOMPARE(restored->bytes, sum() + ofChunk);
    }

    void itIsTakenBesideAnEngineThatGoesOn() {
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        Journal journal(from);
        std::int64_t lsn = 10;
        // Something is committed after each file, also between the chunks and the journal.
        const auto taken = takeBackup(from, backup, "1.0", kTaken,
                                      [&](const BackupCounts&) { (void)journal.carryOut(accept({++lsn})); });
        QVERIFY2(taken.has_value(), sentence(taken).c_str());
        QVERIFY(lsn > 10);
        QCOMPARE(word(journal.carryOut(finish(1))), "ok"); // and the engine goes on
        const std::string to = fresh("restored");
        QVERIFY(restoreBackup(backup, to, {}));
        Journal later(to);
        QVERIFY(get(later, 1).has_value());
        QCOMPARE(get(later, 1)->state, ActionState::Pending);
    }

    void theNextOneCopiesWhatIsNewAndLetsGoOfWhatIsGone() {
        Hash256 old;
        const std::string from = used("data", &old);
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        Hash256 added;
        {
            Journal journal(from);
            added = put(journal, noise(8));
            QCOMPARE(word(journal.carryOut(Retire{.lsn = Lsn(2)})), "ok");
        }
        QVERIFY(fs::remove(chunkFile(from, old)));
        const auto second = take(from, backup);
        QVERIFY2(second.has_value(), sentence(second).c_str());
        QCOMPARE(second->copied, std::uint64_t{1});
        QVERIFY(fs::exists(chunkFile(backup, added)));
        QVERIFY(!fs::exists(chunkFile(backup, old)));
    }

    void aChunkThatTheJournalNamesStaysThoughTheEngineLostIt() {
        Hash256 chunk;
        const std::string from = used("data", &chunk);
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        QVERIFY(fs::remove(chunkFile(from, chunk)));
        const auto second = take(from, backup);
        QVERIFY2(second.has_value(), sentence(second).c_str());
        QCOMPARE(second->missing, std::uint64_t{0});
        QVERIFY(fs::exists(chunkFile(backup, chunk)));
        // Into a place that never had it, it is missing, and all else is there.
        const auto elsewhere = take(from, fresh("elsewhere"));
        QVERIFY2(elsewhere.has_value(), sentence(elsewhere).c_str());
        QCOMPARE(elsewhere->missing, std::uint64_t{1});
    }

    void aChunkThatIsDamagedWhereItComesFromIsNeverInIt() {
        Hash256 chunk;
        const std::string from = used("data", &chunk);
        const std::string backup = fresh("backup");
        change(chunkFile(from, chunk), 11);
        // The next one looks at it again.
        for (int i = 0; i < 2; ++i) {
            const auto taken = take(from, backup);
            QVERIFY2(taken.has_value(), sentence(taken).c_str());
            QCOMPARE(taken->damagedCount, std::uint64_t{1});
            QCOMPARE(taken->damaged.front(), chunk.hex());
            QVERIFY(!fs::exists(chunkFile(backup, chunk)));
        }
    }

    void whatWasInAPackThatHasGoneIsMissing() {
        Hash256 chunk;
        const std::string from = used("data", &chunk);
        {
            auto database = Database::openForWriting(from + "/journal.sqlite", {});
            QVERIFY(database &&
                    database->execute(fmt::format(
                        "INSERT INTO pack(id, size) VALUES(77, 40000); INSERT INTO blob(key, hash, size, "
                        "pack, at) VALUES({}, X'{}', 40000, 77, 0)",
                        keyOf(chunk), chunk.hex())));
        }
        QVERIFY(fs::remove(chunkFile(from, chunk)));
        const auto taken = take(from, fresh("backup"));
        QVERIFY2(taken.has_value(), sentence(taken).c_str());
        QCOMPARE(taken->missing, std::uint64_t{1});
    }

    void anEarlierOneThatCannotBeReadIsNotTakenAway() {
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        const std::string whole = *readFile(backup + "/manifest");
        const std::string journal = counted(backup, "journal.sqlite");
        std::string newer = whole;
        newer.replace(newer.find("backup 1\n"), 8, "backup 2");
        QVERIFY(writeFileAtomically(backup + "/manifest", newer, 0600));
        const auto refused = take(from, backup);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains("newer"), sentence(refused).c_str());
        QVERIFY(fs::exists(journal));
        // One that is damaged stays until the next is whole.
        QVERIFY(writeFileAtomically(backup + "/manifest", "damaged", 0600));
        const int code = inChild([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit small{.rlim_cur = 8'192, .rlim_max = 8'192};
            (void)::setrlimit(RLIMIT_FSIZE, &small);
            return take(from, backup) ? 0 : 7;
        });
        QCOMPARE(code, 7);
        QVERIFY(fs::exists(journal));
        QVERIFY(take(from, backup));
        QVERIFY(!fs::exists(journal));
        QVERIFY(restoreBackup(backup, fresh("restored"), {}));
    }

    void aKillLeavesTheEarlierBackup() {
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        const std::string before = *readFile(backup + "/manifest");
        const int code = inChild([&] {
            (void)takeBackup(from, backup, "1.0", kTaken + 1, [](const BackupCounts&) { ::raise(SIGKILL); });
            return 0;
        });
        QCOMPARE(code, 128 + SIGKILL);
        QCOMPARE(*readFile(backup + "/manifest"), before);
        const auto restored = restoreBackup(backup, fresh("restored"), {});
        QVERIFY2(restored.has_value(), sentence(restored).c_str());
        // What the kill left goes with the next one.
        QVERIFY(take(from, backup));
        int generations = 0;
        for (const auto& entry : fs::directory_iterator(backup))
            generations += entry.path().filename().string().starts_with("generation-") ? 1 : 0;
        QCOMPARE(generations, 1);
    }

    void aFirstOneThatWasKilledIsNoBackupButGoesOn() {
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        QCOMPARE(inChild([&] {
                     (void)takeBackup(from, backup, "1.0", kTaken, [](const BackupCounts&) { ::raise(SIGKILL); });
                     return 0;
                 }),
                 128 + SIGKILL);
        const auto refused = restoreBackup(backup, fresh("restored"), {});
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains("cut short"), sentence(refused).c_str());
        const auto again = take(from, backup);
        QVERIFY2(again.has_value(), sentence(again).c_str());
        QCOMPARE(again->chunks, std::uint64_t{1});
        QCOMPARE(again->copied, std::uint64_t{0}); // it was there
    }

    void filesThatCannotBeWrittenLeaveTheEarlierBackup() {
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        const std::string before = *readFile(backup + "/manifest");
        const int code = inChild([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit small{.rlim_cur = 8'192, .rlim_max = 8'192};
            (void)::setrlimit(RLIMIT_FSIZE, &small);
            return take(from, backup) ? 0 : 7;
        });
        QCOMPARE(code, 7);
        QCOMPARE(*readFile(backup + "/manifest"), before);
        QVERIFY(restoreBackup(backup, fresh("restored"), {}));
    }

    void aDamagedChunkIsLeftOutAndCounted() {
        Hash256 chunk;
        const std::string from = used("data", &chunk);
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        change(chunkFile(backup, chunk), 11);
        const std::string to = fresh("restored");
        const auto restored = restoreBackup(backup, to, {});
        QVERIFY2(restored.has_value(), sentence(restored).c_str());
        QCOMPARE(restored->damagedCount, std::uint64_t{1});
        QCOMPARE(restored->damaged.front(), chunk.hex());
        QVERIFY(!fs::exists(chunkFile(to, chunk)));
        QCOMPARE(lsnsOf(Journal(to).pending), "1");
    }

    void aDamagedJournalIsRefusedAndNoEngineBeginsThere() {
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        const std::string whole = fresh("whole");
        QVERIFY(take(from, backup));
        QVERIFY(take(from, whole));
        change(counted(backup, "journal.sqlite"), 5'000);
        const std::string to = fresh("restored");
        const auto refused = restoreBackup(backup, to, {});
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains("journal.sqlite"), sentence(refused).c_str());
        const auto begun = DataDirectory::open(to);
        QVERIFY(!begun);
        QCOMPARE(begun.error().kind, ErrorKind::WrongState);
        QVERIFY2(begun.error().message.contains("restore"), begun.error().message.c_str());
        // A whole one takes its place.
        const auto restored = restoreBackup(whole, to, {});
        QVERIFY2(restored.has_value(), sentence(restored).c_str());
        QVERIFY(DataDirectory::open(to));
    }

    void aRestoreThatWasKilledIsDoneAgain() {
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        const std::string to = fresh("restored");
        QCOMPARE(inChild([&] {
                     (void)restoreBackup(backup, to, [](const BackupCounts&) { ::raise(SIGKILL); });
                     return 0;
                 }),
                 128 + SIGKILL);
        QVERIFY(!DataDirectory::open(to));
        const auto restored = restoreBackup(backup, to, {});
        QVERIFY2(restored.has_value(), sentence(restored).c_str());
        QCOMPARE(lsnsOf(Journal(to).pending), "1");
    }

    void whatIsNoPlaceForItIsRefused_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("words");
        QTest::newRow("something else is there") << "full" << "something else";
        QTest::newRow("in the data directory") << "inside" << "is in the data directory";
        QTest::newRow("another engine's") << "other" << "another engine";
        QTest::newRow("no data directory") << "nothing" << "no data directory";
    }
    void whatIsNoPlaceForItIsRefused() {
        QFETCH(QString, what);
        QFETCH(QString, words);
        std::string from = used("data");
        std::string backup = fresh("backup");
        if (what == "full") QVERIFY(writeFileAtomically(backup + "/photo.jpg", "x", 0600));
        if (what == "inside") backup = from + "/backup";
        if (what == "other") QVERIFY(take(used("second"), backup));
        if (what == "nothing") from = fresh("empty");
        const auto refused = take(from, backup);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains(words.toStdString()), sentence(refused).c_str());
    }

    void aRestoreIntoWhatIsUsedIsRefused() {
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        const auto refused = restoreBackup(backup, used("second"), {});
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains("is not empty"), sentence(refused).c_str());
        const auto none = restoreBackup(fresh("nothing"), fresh("restored"), {});
        QVERIFY(!none);
        QVERIFY2(none.error().message.contains("no backup"), sentence(none).c_str());
        // Nor into the backup itself, nor around it, also where an earlier restore seems to have been cut short.
        const std::string around = fresh("around");
        QVERIFY(take(from, around + "/backup"));
        QVERIFY(writeFileAtomically(around + "/restoring", "x\n", 0600));
        for (const auto& [source, to] : {std::pair(backup, backup), std::pair(backup, backup + "/in/it"),
                                         std::pair(around + "/backup", around)}) {
            const auto within = restoreBackup(source, to, {});
            QVERIFY(!within);
            QCOMPARE(within.error().kind, ErrorKind::WrongState);
            QVERIFY2(within.error().message.contains("one in the other"), sentence(within).c_str());
        }
        QVERIFY(!fs::exists(backup + "/in"));
        QVERIFY(!fs::exists(backup + "/lock"));
        // Both are what they were; a name that only begins alike is another place.
        QVERIFY(restoreBackup(around + "/backup", fresh("third"), {}));
        QVERIFY(restoreBackup(backup, backup + "-restored", {}));
    }

    void aManifestIsBelievedOnlyAsItWasWritten_data() {
        QTest::addColumn<QString>("find");
        QTest::addColumn<QString>("put");
        QTest::addColumn<QString>("words");
        QTest::newRow("a newer format") << "backup 1\n" << "backup 2\n" << "newer";
        QTest::newRow("a newer journal") << QString("schema %1").arg(kSchemaVersion) << "schema 9999" << "newer";
        QTest::newRow("its end is missing") << "end\n" << "" << "damaged";
        QTest::newRow("a path that leads out") << " files/settings.json" << " files/../../x" << "damaged";
        QTest::newRow("another generation") << "generation generation-" << "generation ../x" << "damaged";
        QTest::newRow("no mode") << " 0600 " << " 0999 " << "damaged";
        QTest::newRow("a hash of something else") << "file " << "file 00" << "damaged";
        QTest::newRow("no manifest at all") << "yardmaster-backup" << "MZ" << "damaged";
    }
    void aManifestIsBelievedOnlyAsItWasWritten() {
        QFETCH(QString, find);
        QFETCH(QString, put);
        QFETCH(QString, words);
        const std::string from = used("data");
        const std::string backup = fresh("backup");
        QVERIFY(take(from, backup));
        QString text = QString::fromStdString(*readFile(backup + "/manifest"));
        const qsizetype at = text.indexOf(find);
        QVERIFY(at >= 0);
        text.replace(at, find.size(), put);
        QVERIFY(writeFileAtomically(backup + "/manifest", text.toStdString(), 0600));
        const std::string to = fresh("restored");
        const auto refused = restoreBackup(backup, to, {});
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains(words.toStdString()), sentence(refused).c_str());
        QVERIFY(fs::is_empty(to)); // nothing was begun
    }

    void aBackupOfAnEarlierVersionIsBroughtUpToDate_data() {
        QTest::addColumn<int>("version");
        for (const int version : {1, 8, 15, kSchemaVersion})
            QTest::newRow(fmt::format("version {}", version).c_str()) << version;
    }
    void aBackupOfAnEarlierVersionIsBroughtUpToDate() {
        QFETCH(int, version);
        const std::string from = fresh("data");
        QVERIFY(writeFileAtomically(from + "/engine_id", std::string(32, 'a') + "\n", 0600));
        {
            const auto sql = readFile(fmt::format(YARD_SOURCE_DIR "/tests/store/journals/version-{}.sql", version));
            QVERIFY(sql);
            auto database = Database::openForWriting(from + "/journal.sqlite", {});
            QVERIFY(database && database->execute("PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL; "
                                                  "PRAGMA journal_mode=WAL;" +
                                                  *sql));
        }
        const std::string backup = fresh("backup");
        const auto taken = take(from, backup);
        QVERIFY2(taken.has_value(), sentence(taken).c_str());
        QCOMPARE(taken->schema, version);
        const std::string to = fresh("restored");
        const auto restored = restoreBackup(backup, to, {});
        QVERIFY2(restored.has_value(), sentence(restored).c_str());
        Journal journal(to);
        QCOMPARE(lsnsOf(journal.pending), "3 4 10 11 12");
        for (const auto& queue : journal.restored.queues) QVERIFY(queue.held);
    }
};

QTEST_GUILESS_MAIN(TestBackup)
#include "tst_backup.moc"
