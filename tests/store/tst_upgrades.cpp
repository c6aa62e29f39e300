// Journals of earlier versions: each is opened with what was in it, and kept as it was until the first clean end.
#include "tests/store/journal_fixture.h"

#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/journal_copy.h"
#include "core/store/schema.h"

#include <QTest>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

class TestUpgrades : public QObject {
    Q_OBJECT

    Directories directories_;

    static std::string journalOf(const std::string& directory) { return directory + "/journal.sqlite"; }

    /// A journal as the program of that version left it: tests/store/journals/version-N.sql, written then.
    std::string left(int version) {
        const std::string directory =
            directories_.fresh(fmt::format("{}-{}", QTest::currentTestFunction(), version).c_str());
        const auto sql = readFile(fmt::format(YARD_SOURCE_DIR "/tests/store/journals/version-{}.sql", version));
        if (!sql) qFatal("%s", sql.error().message.c_str());
        auto database = Database::openForWriting(journalOf(directory), {});
        if (!database) qFatal("%s", database.error().message.c_str());
        const auto written = database->execute("PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL; "
                                               "PRAGMA journal_mode=WAL;" +
                                               *sql);
        if (!written) qFatal("%s", written.error().message.c_str());
        return directory;
    }

    static std::int64_t versionOf(const std::string& path) {
        auto database = Database::openForReading(path, {});
        if (!database) return -1;
        return database->number("PRAGMA user_version").value_or(-1);
    }

    static std::vector<std::string> copiesIn(const std::string& directory) {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(directory))
            if (entry.path().string().contains(".version-")) names.push_back(entry.path().filename().string());
        return names;
    }

    /// A copy of all files as they are now: what a kill would leave.
    std::string killedCopy(const std::string& directory) {
        const std::string killed = directories_.fresh("killed");
        std::filesystem::copy(directory, killed,
                              std::filesystem::copy_options::recursive |
                                  std::filesystem::copy_options::overwrite_existing);
        return killed;
    }

private Q_SLOTS:
    void everyVersionHasAKeptJournal() {
        for (int version = 1; version <= kSchemaVersion; ++version)
            QVERIFY2(std::filesystem::exists(
                         fmt::format(YARD_SOURCE_DIR "/tests/store/journals/version-{}.sql", version)),
                     fmt::format("none of version {}", version).c_str());
    }

    void aJournalOfAnEarlierVersionIsOpenedWithAllThatWasInIt_data() {
        QTest::addColumn<int>("version");
        for (int version = 1; version <= kSchemaVersion; ++version)
            QTest::newRow(fmt::format("version {}", version).c_str()) << version;
    }
    void aJournalOfAnEarlierVersionIsOpenedWithAllThatWasInIt() {
        QFETCH(int, version);
        const std::string directory = left(version);
        Journal journal(directory);
        QCOMPARE(lsnsOf(journal.pending), "3 4 10 11 12");
        QCOMPARE(journal.restored.queues.size(), 2u);
        QCOMPARE(journal.restored.queues[1].tag, "nightly");
        QCOMPARE(journal.restored.queues[1].counters.completed, 1);
        QCOMPARE(journal.restored.queues[1].counters.failed, 1);
        QCOMPARE(journal.restored.lastQueue, 4);
        QCOMPARE(journal.restored.lsns.first, Lsn(100'001));
        const auto failed = get(journal, 2);
        QVERIFY(failed.has_value());
        QCOMPARE(failed->state, ActionState::Failed);
        QCOMPARE(failed->note, "no such frame");
        QCOMPARE(get(journal, 1)->state, ActionState::Completed);
        QCOMPARE(get(journal, 3)->state, ActionState::Pending);
        // And it is one that goes on.
        QCOMPARE(word(journal.carryOut(finish(3))), "ok");
        QCOMPARE(word(journal.carryOut(accept({100'001}, 4))), "ok");
        QCOMPARE(versionOf(journalOf(directory)), kSchemaVersion);
    }

    void mutesOfFailuresBecomeDocuments() {
        Journal journal(left(14));
        QCOMPARE(journal.restored.documents.size(), 1u);
        QCOMPARE(journal.restored.documents[0].kind, "failure_mute");
        QCOMPARE(journal.restored.documents[0].name, "0123456789abcdef");
        QCOMPARE(journal.restored.documents[0].body, "1800000000000000");
    }
    void damagedMutesDoNotKeepAJournalFromOpening() {
        const std::string directory = left(14);
        {
            auto tool = Database::openForWriting(journalOf(directory), {});
            QVERIFY(tool && tool->execute("UPDATE meta SET value='{\"x' WHERE key='engine.failure_mutes'"));
        }
        Journal journal(directory);
        QCOMPARE(journal.restored.documents.size(), 0u);
    }

    void anEarlierJournalIsKeptUntilTheFirstCleanEnd() {
        const std::string directory = left(12);
        {
            Journal journal(directory);
            const std::string copy = copyOfVersion(journalOf(directory), 12);
            QCOMPARE(copiesIn(directory), std::vector<std::string>{"journal.sqlite.version-12"});
            QCOMPARE(versionOf(copy), 12);
            struct stat status{};
            QCOMPARE(::stat(copy.c_str(), &status), 0);
            QCOMPARE(status.st_mode & 07777u, 0600u);
            QCOMPARE(word(journal.carryOut(finish(3))), "ok");
            // It has what was there before, and nothing of what came since.
            auto before = Database::openForReading(copy, {});
            QVERIFY(before.has_value());
            QCOMPARE(*before->number("SELECT count(*) FROM pending"), 5);
        }
        QCOMPARE(copiesIn(directory), std::vector<std::string>{});
    }

    void aKilledEngineLeavesTheCopyAndTheNextCleanEndTakesIt() {
        const std::string directory = left(11);
        std::string killed;
        {
            const Journal journal(directory);
            killed = killedCopy(directory);
        }
        QCOMPARE(copiesIn(killed), std::vector<std::string>{"journal.sqlite.version-11"});
        {
            const Journal again(killed);
            QCOMPARE(copiesIn(killed), std::vector<std::string>{"journal.sqlite.version-11"});
        }
        QCOMPARE(copiesIn(killed), std::vector<std::string>{});
    }

    void aStoreThatWasNotStartedLeavesTheCopy() {
        const std::string directory = left(12);
        {
            const Journal journal(directory, {}, false);
        }
        QCOMPARE(copiesIn(directory), std::vector<std::string>{"journal.sqlite.version-12"});
    }

    void aStartThatFailedLaterLeavesTheCopy() {
        const std::string directory = left(12);
        {
            Journal journal(directory, {}, true, false);
            QCOMPARE(word(journal.carryOut(finish(3))), "ok");
        }
        QCOMPARE(copiesIn(directory), std::vector<std::string>{"journal.sqlite.version-12"});
    }

    void whatStoodInTheLogAloneIsInTheCopy() {
        const std::string directory = left(12);
        {
            auto database = Database::openForWriting(journalOf(directory), {});
            QVERIFY(database && database->execute("DELETE FROM pending WHERE lsn=4"));
            sqlite3_db_config(database->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        }
        const Journal journal(directory);
        auto copy = Database::openForReading(copyOfVersion(journalOf(directory), 12), {});
        QVERIFY(copy.has_value());
        QCOMPARE(*copy->number("SELECT count(*) FROM pending"), 4);
    }

    void theCopyInTheJournalsPlaceIsAJournalAgain() {
        const std::string directory = left(12);
        const std::string back = directories_.fresh("back");
        {
            const Journal journal(directory);
            std::filesystem::copy_file(copyOfVersion(journalOf(directory), 12), journalOf(back));
        }
        const Journal again(back);
        QCOMPARE(lsnsOf(again.pending), "3 4 10 11 12");
    }

    void afterAKillTheCopyGoesBackOnceTheLogIsAway() {
        const std::string directory = left(12);
        std::string killed;
        {
            Journal journal(directory);
            QCOMPARE(word(journal.carryOut(finish(3))), "ok");
            killed = killedCopy(directory);
        }
        const std::string away = directories_.fresh("away");
        std::vector<std::filesystem::path> logs;
        for (const auto& entry : std::filesystem::directory_iterator(killed))
            if (entry.path().filename().string().starts_with("journal.sqlite-")) logs.push_back(entry.path());
        QVERIFY(!logs.empty());
        for (const auto& log : logs) std::filesystem::rename(log, away + "/" + log.filename().string());
        std::filesystem::rename(copyOfVersion(journalOf(killed), 12), journalOf(killed));
        const Journal again(killed);
        QCOMPARE(lsnsOf(again.pending), "3 4 10 11 12");
    }

    void aJournalOfTodayHasNoCopy() {
        const std::string directory = left(kSchemaVersion);
        const Journal journal(directory);
        QCOMPARE(copiesIn(directory), std::vector<std::string>{});
    }

    void withoutRoomForTheCopyTheJournalStaysAsItIs() {
        const std::string directory = left(12);
        const std::string fresh = copyOfVersion(journalOf(directory), 12) + ".new";
        std::filesystem::create_directories(fresh + "/in the way");
        auto database = Database::openForWriting(journalOf(directory), {});
        QVERIFY(database.has_value());
        const auto refused = prepareJournal(*database, Durability::Process);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains("no copy of it can be kept"), refused.error().message.c_str());
        QCOMPARE(*database->number("PRAGMA user_version"), 12);
    }
};

QTEST_GUILESS_MAIN(TestUpgrades)
#include "tst_upgrades.moc"
