// The write-ahead log that a killed engine leaves: what a damaged or removed one has lost is told, kept, and its
// numbers are not given again.
#include "tests/store/journal_fixture.h"

#include "core/base/files.h"
#include "core/store/data_directory.h"
#include "core/store/database.h"
#include "core/store/log_state.h"
#include "core/store/schema.h"
#include "core/store/wal_frames.h"

#include <QTest>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

namespace fs = std::filesystem;

class TestJournalLog : public QObject {
    Q_OBJECT

    Directories directories_;
    int made_ = 0;

    std::string fresh() { return directories_.fresh(("d" + std::to_string(++made_)).c_str()); }
    static std::string journalIn(const std::string& directory) { return directory + "/journal.sqlite"; }
    static std::string logIn(const std::string& directory) { return journalIn(directory) + "-wal"; }
    static std::string keptIn(const std::string& directory) { return logIn(directory) + ".kept"; }
    static std::string stateIn(const std::string& directory) { return logIn(directory) + ".state"; }
    static void copyWithTime(const std::string& from, const std::string& to) {
        fs::copy_file(from, to);
        const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, timeOf(from)};
        if (::utimensat(AT_FDCWD, to.c_str(), times, 0) != 0) qFatal("utimensat");
    }
    static timespec timeOf(const std::string& path) {
        struct stat status{};
        if (::stat(path.c_str(), &status) != 0) qFatal("stat");
        return status.st_mtim;
    }
    static std::string bytesOf(const std::string& path) { return readFile(path).value_or("none"); }
    static std::size_t frameSize(const std::string& directory) {
        const UniqueFd file(::open(journalIn(directory).c_str(), O_RDONLY | O_CLOEXEC));
        return kWalFrameHeader + **pageSizeOf(file.get());
    }

    /// A directory as an engine leaves it that is killed once these actions are accepted, each in its own group.
    std::string killedAfter(std::initializer_list<std::int64_t> lsns) {
        Journal journal(fresh());
        for (const std::int64_t lsn : lsns)
            if (word(journal.carryOut(accept({lsn}))) != "ok") qFatal("accept");
        const std::string left = fresh();
        for (const auto& [from, to] : {std::pair(journalIn(journal.directory()), journalIn(left)),
                                       std::pair(logIn(journal.directory()), logIn(left))})
            copyWithTime(from, to);
        copyWithTime(stateIn(journal.directory()), stateIn(left));
        fs::create_hard_link(logIn(left), keptIn(left));
        return left;
    }
    /// One byte of the log is another one than was written.
    static void flip(const std::string& directory, std::size_t at) {
        std::string log = bytesOf(logIn(directory));
        log.at(at) = static_cast<char>(log.at(at) ^ 0x10);
        const UniqueFd file(::open(logIn(directory).c_str(), O_WRONLY | O_CLOEXEC)); // in place: it has two names
        QCOMPARE(::pwrite(file.get(), log.data(), log.size(), 0), static_cast<ssize_t>(log.size()));
    }
    static WalSurvey survey(const std::string& path) {
        const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        return *surveyWal(file.get(), 8192);
    }
    /// A frame of the last tenth: the first ones are of the tables.
    static std::size_t lateFrame(const std::string& directory) {
        const std::size_t frames = (bytesOf(logIn(directory)).size() - kWalHeader) / frameSize(directory);
        return kWalHeader + frames * 9 / 10 * frameSize(directory);
    }
    static Error errorOf(const std::string& directory) {
        const auto refused = refuseLostLog(journalIn(directory));
        return refused ? fail(ErrorKind::Internal, "not refused").error() : refused.error();
    }

private Q_SLOTS:
    void aLogAsAKillLeavesItIsWhole() {
        const auto left = killedAfter({1, 2, 3});
        QVERIFY(refuseLostLog(journalIn(left)).has_value());
        Journal again(left);
        QCOMPARE(lsnsOf(again.pending), "1 2 3");
        QVERIFY(!again.restored.logDamage);
    }

    void whatStandsBehindADamagedPlaceIsToldAndKept() {
        const auto left = killedAfter({1, 2, 3, 4, 5, 6, 7, 8, 9});
        flip(left, lateFrame(left) + kWalFrameHeader + 100);
        const std::string found = bytesOf(logIn(left));

        Journal again(left);
        QVERIFY(again.restored.logDamage);
        QVERIFY(again.restored.logDamage->groups >= 1);
        QCOMPARE(again.restored.logDamage->copy, logIn(left) + ".damaged-1");
        QCOMPARE(bytesOf(logIn(left) + ".damaged-1"), found);
        QVERIFY(!again.pending.empty() && again.pending.size() < 9); // what stands before it is there
        QCOMPARE(word(again.carryOut(accept({again.restored.lsns.first.value}))), "ok");
    }

    void theNextStartDoesNotFindTheSameDamageAgain() {
        const auto left = killedAfter({1, 2, 3, 4, 5, 6, 7, 8, 9});
        flip(left, lateFrame(left) + 5);
        QVERIFY(*setDamagedLogAside(journalIn(left)));
        QVERIFY(!*setDamagedLogAside(journalIn(left)));
        QCOMPARE(survey(logIn(left)).groupsAfter, 0u);
        QCOMPARE(survey(logIn(left)).validEnd, fs::file_size(logIn(left)));
    }

    void eachPlaceOfAFrameCounts_data() {
        QTest::addColumn<int>("at");
        QTest::newRow("page number") << 3;
        QTest::newRow("salt") << 9;
        QTest::newRow("checksum") << 18;
        QTest::newRow("content") << 4'000;
    }
    void eachPlaceOfAFrameCounts() {
        QFETCH(int, at);
        const auto left = killedAfter({1, 2, 3, 4, 5});
        flip(left, kWalHeader + static_cast<std::size_t>(at));
        QVERIFY(survey(logIn(left)).groupsAfter > 1);
        QCOMPARE(survey(logIn(left)).validEnd, 0u);
    }

    void aDamagedHeaderLosesAllAndIsTold() {
        const auto left = killedAfter({1, 2, 3});
        const auto groups = survey(logIn(left));
        flip(left, 17);
        Journal again(left);
        QVERIFY(again.restored.logDamage);
        QVERIFY(again.restored.logDamage->groups >= 3);
        QVERIFY(groups.groupsAfter == 0 && groups.validEnd > 0);
    }

    void numbersOfLostActionsAreNotGivenAgain() {
        const auto left = killedAfter({1, 2, 3});
        const auto before = Journal(killedAfter({1})).restored.lsns.first.value;
        flip(left, 17);
        Journal again(left);
        QVERIFY(again.restored.lsns.first.value >= kLsnsAfterDamage);
        QVERIFY(before < kLsnsAfterDamage);
    }

    void aTransactionThatAKillCutInTwoIsNoDamage() {
        const auto left = killedAfter({1, 2, 3});
        QVERIFY(fs::remove(stateIn(left))); // as if it had not been told of the last one yet
        const auto size = bytesOf(logIn(left)).size();
        for (const std::size_t cut : {std::size_t{1}, frameSize(left) - 30, frameSize(left)}) {
            fs::resize_file(logIn(left), size - cut);
            QVERIFY(!*setDamagedLogAside(journalIn(left)));
        }
        flip(left, size - 2 * frameSize(left) + 100); // the content of a last frame, half written
        fs::resize_file(logIn(left), size - frameSize(left));
        QVERIFY(!*setDamagedLogAside(journalIn(left)));
        Journal again(left);
        QVERIFY(!again.restored.logDamage);
        QVERIFY(again.pending.size() < 3);
    }

    void aLogThatIsShorterThanItWasIsTold_data() {
        QTest::addColumn<int>("frames"); ///< that are left; -1: none and no header, -2: as long, but all zero
        for (const int frames : {-2, -1, 0, 1, 5}) QTest::newRow(qPrintable(QString::number(frames))) << frames;
        QTest::newRow("all but one") << 1'000;
    }
    void aLogThatIsShorterThanItWasIsTold() {
        QFETCH(int, frames);
        const auto left = killedAfter({1, 2, 3});
        const auto size = bytesOf(logIn(left)).size();
        const std::size_t all = (size - kWalHeader) / frameSize(left);
        const std::size_t kept = std::min(static_cast<std::size_t>(std::max(frames, 0)), all - 1);
        fs::resize_file(logIn(left), frames < 0 ? 0 : kWalHeader + kept * frameSize(left));
        if (frames == -2) fs::resize_file(logIn(left), size);
        Journal again(left);
        QVERIFY(again.restored.logDamage);
        QVERIFY(again.restored.lsns.first.value >= kLsnsAfterDamage);
        QVERIFY(again.pending.size() < 3);
    }

    void bothNamesOfALogThatAreGoneAreTold() {
        const auto left = killedAfter({1, 2, 3});
        QVERIFY(fs::remove(logIn(left)) && fs::remove(keptIn(left)));
        QVERIFY(refuseLostLog(journalIn(left))); // there is nothing to put back
        Journal again(left);
        QVERIFY(again.restored.logDamage);
        QCOMPARE(again.restored.logDamage->copy, std::string());
        QVERIFY(again.restored.lsns.first.value >= kLsnsAfterDamage);
    }

    void whatWasCheckpointedIsNotLostWithItsLog() {
        Journal journal(fresh());
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
        while (LogState::read(journalIn(journal.directory()))->frames == 0 ||
               !LogState::read(journalIn(journal.directory()))->isAllKept())
            QTest::qWait(20); // the store checkpoints when it is idle
        const std::string left = fresh();
        copyWithTime(journalIn(journal.directory()), journalIn(left));
        copyWithTime(stateIn(journal.directory()), stateIn(left));
        Journal again(left);
        QVERIFY(!again.restored.logDamage);
        QCOMPARE(lsnsOf(again.pending), "1");
    }

    void aSecondDamageDoesNotGiveNumbersAgain() {
        auto left = killedAfter({1, 2, 3});
        flip(left, 17);
        std::int64_t given = 0;
        const std::string second = fresh();
        {
            Journal again(left);
            given = again.restored.lsns.first.value;
            QCOMPARE(word(again.carryOut(accept({given}))), "ok");
            for (const auto& name : {journalIn(left), logIn(left), stateIn(left)})
                copyWithTime(name, second + name.substr(left.size()));
        }
        flip(second, 17);
        QVERIFY(Journal(second).restored.lsns.first.value > given);
    }

    void anOlderLogIsRefused() {
        Journal journal(fresh());
        const std::string directory = journal.directory();
        QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
        const std::string older = bytesOf(logIn(directory));
        {
            auto tool = Database::openForWriting(journalIn(directory), {});
            QVERIFY(tool && tool->execute("PRAGMA wal_checkpoint(RESTART)"));
        }
        QCOMPARE(word(journal.carryOut(accept({2}))), "ok"); // the log begins another round
        const std::string left = fresh();
        copyWithTime(journalIn(directory), journalIn(left));
        copyWithTime(stateIn(directory), stateIn(left));
        QVERIFY(writeFileAtomically(logIn(left), older, 0600));
        const Error refused = errorOf(left);
        QCOMPARE(refused.kind, ErrorKind::WrongState);
        QVERIFY2(refused.message.contains("is older than the journal"), refused.message.c_str());
        fs::rename(logIn(left), logIn(left) + ".older");
        QVERIFY(refuseLostLog(journalIn(left)));
        QCOMPARE(lsnsOf(Journal(left).pending), "1");
    }

    void aJournalThatAToolHasTakenOutOfItsModeIsNotMissed() {
        const auto left = killedAfter({1, 2, 3});
        {
            auto tool = Database::openForWriting(journalIn(left), {});
            QVERIFY(tool && tool->execute("PRAGMA journal_mode=DELETE; CREATE TABLE zz(a); VACUUM"));
        }
        QVERIFY(fs::exists(keptIn(left)) && !fs::exists(logIn(left)));
        QCOMPARE(errorOf(left).message, "not refused");
        Journal again(left);
        QCOMPARE(lsnsOf(again.pending), "1 2 3");
        QVERIFY(!again.restored.logDamage);
    }

    void aJournalThatWasChangedSinceGetsNoLogBack() {
        const auto left = killedAfter({1, 2, 3});
        QVERIFY(fs::remove(logIn(left)));
        {
            auto tool = Database::openForWriting(journalIn(left), {}); // one without its log
            QVERIFY(tool && tool->execute("CREATE TABLE zz(a)"));
        }
        const Error refused = errorOf(left);
        QCOMPARE(refused.kind, ErrorKind::WrongState);
        QVERIFY2(refused.message.contains("rm " + keptIn(left)) && !refused.message.contains("mv "),
                 refused.message.c_str());
    }

    void theSecondNameOfACopiedDirectoryIsTakenWhereTheFirstIsDamaged() {
        const auto left = killedAfter({1, 2, 3});
        const auto copy = fresh();
        fs::copy(left, copy, fs::copy_options::recursive);
        flip(copy, lateFrame(copy) + 100);
        Journal again(copy);
        QVERIFY(!again.restored.logDamage);
        QCOMPARE(lsnsOf(again.pending), "1 2 3");
        QVERIFY(fs::exists(logIn(copy) + ".damaged-1"));
    }

    void aStateThatIsDamagedIsNone() {
        const auto left = killedAfter({1});
        QVERIFY(LogState::read(journalIn(left)));
        for (const std::string& bytes : {std::string(), std::string("short"), std::string(4'096, '\xff')}) {
            QVERIFY(writeFileAtomically(stateIn(left), bytes, 0600));
            QVERIFY(!LogState::read(journalIn(left)));
        }
        QCOMPARE(lsnsOf(Journal(left).pending), "1");
    }

    void anEarlierRoundOfTheLogIsNoDamage() {
        Journal journal(fresh());
        for (std::int64_t lsn = 1; lsn <= 40; ++lsn) QCOMPARE(word(journal.carryOut(accept({lsn}))), "ok");
        {
            auto tool = Database::openForWriting(journalIn(journal.directory()), {});
            QVERIFY(tool && tool->execute("PRAGMA wal_checkpoint(RESTART)"));
        }
        QCOMPARE(word(journal.carryOut(accept({41}))), "ok");
        const auto found = survey(logIn(journal.directory()));
        QVERIFY(found.validEnd < fs::file_size(logIn(journal.directory())));
        QCOMPARE(found.groupsAfter, 0u);
    }

    void whenTooManyDamagedLogsAreKeptTheStartIsRefusedAndNothingChanges() {
        const auto left = killedAfter({1, 2, 3});
        flip(left, 17);
        const std::string found = bytesOf(logIn(left));
        for (int i = 1; i <= kMostDamagedLogs; ++i)
            QVERIFY(writeFileAtomically(logIn(left) + ".damaged-" + std::to_string(i), "older", 0600));
        const auto refused = setDamagedLogAside(journalIn(left));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::WrongState);
        QVERIFY(refused.error().message.contains("move " + logIn(left) + ".damaged-*"));
        QCOMPARE(bytesOf(logIn(left)), found);
        auto files = ChunkFiles::open(left + "/chunks", false, std::chrono::hours(1));
        StoreOptions options;
        options.path = journalIn(left);
        QVERIFY(!Store::open(options, **files, {}));
    }

    void aCopyThatCannotBeWrittenLeavesTheLogAsItWas() {
        const auto left = killedAfter({1, 2, 3});
        flip(left, 17);
        const std::string found = bytesOf(logIn(left));
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit small{100, before.rlim_max};
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const auto refused = setDamagedLogAside(journalIn(left));
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &before), 0);
        std::signal(SIGXFSZ, handler);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains("cannot be copied"), refused.error().message.c_str());
        QCOMPARE(bytesOf(logIn(left)), found);
        QVERIFY(!fs::exists(logIn(left) + ".damaged-1"));
    }

    void aLogThatSomebodyRemovedIsMissedAndCanBePutBack() {
        const auto left = killedAfter({1, 2, 3});
        QVERIFY(fs::remove(logIn(left)));
        fs::permissions(left, fs::perms::owner_all);
        const auto refused = DataDirectory::open(left);
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::WrongState);
        QVERIFY2(refused.error().message.contains("mv " + keptIn(left) + " " + logIn(left)),
                 refused.error().message.c_str());
        fs::rename(keptIn(left), logIn(left));
        QVERIFY(DataDirectory::open(left));
        QCOMPARE(lsnsOf(Journal(left).pending), "1 2 3");
    }

    void anEmptyLogInItsPlaceIsMissedToo() {
        const auto left = killedAfter({1, 2, 3});
        QVERIFY(fs::remove(logIn(left)));
        QVERIFY(writeFileAtomically(logIn(left), "", 0600));
        QCOMPARE(errorOf(left).kind, ErrorKind::WrongState);
    }

    void aJournalThatIsGoneAndItsLogAreMissed() {
        const auto left = killedAfter({1, 2, 3});
        QVERIFY(fs::remove(logIn(left)) && fs::remove(journalIn(left)));
        QCOMPARE(errorOf(left).kind, ErrorKind::WrongState);
    }

    void aLogThatAToolHasCheckpointedIsNotMissed() {
        const auto left = killedAfter({1, 2, 3});
        {
            auto tool = Database::openForWriting(journalIn(left), {});
            QVERIFY(tool && tool->execute("INSERT INTO meta VALUES('by hand', '1')"));
        }
        QVERIFY(!fs::exists(logIn(left)) && fs::exists(keptIn(left)));
        QCOMPARE(errorOf(left).message, "not refused");
        QCOMPARE(lsnsOf(Journal(left).pending), "1 2 3");
    }

    void aJournalFromABackupIsTakenOnceTheSecondNameIsRemoved() {
        const auto left = killedAfter({1, 2, 3});
        const std::string backup = fresh(); // of before
        {
            Journal older(backup);
            QCOMPARE(word(older.carryOut(accept({1}))), "ok");
        }
        QVERIFY(fs::remove(logIn(left)));
        fs::copy_file(journalIn(backup), journalIn(left), fs::copy_options::overwrite_existing);
        QVERIFY(errorOf(left).message.contains("rm " + keptIn(left)));
        QVERIFY(fs::remove(keptIn(left)) && fs::remove(stateIn(left)));
        QVERIFY(refuseLostLog(journalIn(left)));
        QCOMPARE(lsnsOf(Journal(left).pending), "1");
    }

    void aDirectoryThatWasCopiedFileByFileOpens() {
        const auto left = killedAfter({1, 2, 3});
        const auto copy = fresh();
        fs::copy(left, copy, fs::copy_options::recursive);
        QVERIFY(refuseLostLog(journalIn(copy)));
        Journal again(copy);
        QCOMPARE(lsnsOf(again.pending), "1 2 3");
        QVERIFY(fs::equivalent(logIn(copy), keptIn(copy)));
    }

    void aCleanEndLeavesNoSecondName() {
        const auto directory = fresh();
        {
            Journal journal(directory);
            QVERIFY(fs::equivalent(logIn(directory), keptIn(directory)));
        }
        QVERIFY(!fs::exists(logIn(directory)));
        QVERIFY(!fs::exists(keptIn(directory)) && !fs::exists(stateIn(directory)));
    }

    void aLogInUseAtTheEndKeepsBothNames() {
        const auto directory = fresh();
        std::optional<Database> tool;
        {
            Journal journal(directory);
            QCOMPARE(word(journal.carryOut(accept({1}))), "ok");
            tool = *Database::openForReading(journalIn(directory), {});
            QVERIFY(tool->number("SELECT count(*) FROM pending"));
        }
        QVERIFY(fs::equivalent(logIn(directory), keptIn(directory)));
        tool.reset();
        QVERIFY(refuseLostLog(journalIn(directory)));
    }

    void whatIsNoLogIsRead() {
        const auto directory = fresh();
        QVERIFY(!*setDamagedLogAside(journalIn(directory)));
        for (const std::string& bytes : {std::string(), std::string("short"), std::string(100'000, '\0'),
                                         std::string(100'000, '\xff'), std::string(31, 'x')}) {
            QVERIFY(writeFileAtomically(logIn(directory), bytes, 0600));
            (void)survey(logIn(directory)); // under the sanitizers
            QVERIFY(refuseLostLog(journalIn(directory)));
        }
        fs::remove(logIn(directory));
        fs::create_directory(keptIn(directory));
        QCOMPARE(errorOf(directory).kind, ErrorKind::Io);
    }
};

QTEST_GUILESS_MAIN(TestJournalLog)
#include "tst_journal_log.moc"
