// Accepted means kept: a child writes the journal and is killed at a random moment, again and again; whatever it
// said was committed is there afterwards, and the file is whole. YARD_KILL_ROUNDS makes it longer than the default.
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"

#include <QCoreApplication>
#include <QRandomGenerator>
#include <QTest>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <set>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

extern char** environ;

namespace {

/// What the child reports on its standard output once it is acknowledged: 'a' accepted, 'f' finished.
struct Report {
    std::int64_t lsn;
    char what;
};

std::string outputOf(std::int64_t lsn) {
    return "output of " + std::to_string(lsn);
}

/// Accepts and finishes as fast as it can until it is killed.
[[noreturn]] void writeUntilKilled(const std::string& path) {
    const std::string directory = path;
    auto files = *ChunkFiles::open(directory + "/chunks", false, std::chrono::hours(1));
    StoreOptions options;
    options.path = directory + "/journal.sqlite";
    const auto say = [](std::int64_t lsn, char what) {
        const Report report{lsn, what};
        if (::write(STDOUT_FILENO, &report, sizeof report) != sizeof report) _exit(3);
    };
    std::atomic<int> outstanding{0};
    auto store = *Store::open(options, *files,
                              {.acks =
                                   [&](Acks acks) {
                                       for (const Ack& ack : acks.acks) {
                                           if (!ack.ok()) _exit(4);
                                           say(static_cast<std::int64_t>(ack.tag >> 1), ack.tag & 1 ? 'f' : 'a');
                                       }
                                       outstanding -= static_cast<int>(acks.acks.size());
                                   },
                               .specs = [](std::vector<FetchedSpec>) {}});
    const auto restored = store->restore([](std::span<PendingRow>) {});
    if (!restored) _exit(5);
    store->start();
    say(restored->lsns.first.value, 's');
    for (std::int64_t lsn = restored->lsns.first.value;; ++lsn) {
        while (outstanding > 300) std::this_thread::yield();
        std::vector<Operation> operations;
        const auto tag = static_cast<std::uint64_t>(lsn) << 1;
        operations.push_back({.tag = tag, .unhurried = false, .action = accept({lsn})});
        if (lsn % 3 != 0) {
            Finish end = finish(lsn);
            end.attempt->outcome.out = ChunkRef{Sha256::of(outputOf(lsn)), outputOf(lsn).size()};
            end.chunks = {chunk(outputOf(lsn))};
            operations.push_back({.tag = tag | 1, .unhurried = true, .action = std::move(end)});
        }
        outstanding += static_cast<int>(operations.size());
        if (!store->post(std::move(operations))) _exit(6);
    }
}

} // namespace

class TestKilled : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;

    /// Runs one child and kills it after `patience`; adds what it said to `said`. False: it ended by itself.
    bool killOne(std::chrono::microseconds patience, std::map<std::int64_t, char>& said, std::int64_t& begun) {
        int pipe[2];
        if (pipe2(pipe, O_CLOEXEC) != 0) return false;
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
        const std::string program = QCoreApplication::applicationFilePath().toStdString();
        const std::string path = directory_.path().toStdString();
        std::array<char*, 4> argv{const_cast<char*>(program.c_str()), const_cast<char*>("--write-until-killed"),
                                  const_cast<char*>(path.c_str()), nullptr};
        pid_t child = 0;
        const int rc = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(pipe[1]);
        if (rc != 0) return false;
        Report report{};
        bool first = true;
        std::jthread killer;
        while (read(pipe[0], &report, sizeof report) == sizeof report) {
            if (report.what == 's') {
                begun = report.lsn;
            } else {
                char& known = said[report.lsn];
                known = known == 'f' ? 'f' : report.what;
            }
            if (std::exchange(first, false))
                killer = std::jthread([child, patience] {
                    std::this_thread::sleep_for(patience);
                    kill(child, SIGKILL);
                });
        }
        close(pipe[0]);
        int status = 0;
        if (first) kill(child, SIGKILL);
        waitpid(child, &status, 0);
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }

private slots:
    void whatWasAcknowledgedIsThereAfterAKillAtAnyMoment() {
        const int rounds = std::max(1, qEnvironmentVariable("YARD_KILL_ROUNDS", "12").toInt());
        std::map<std::int64_t, char> said;
        std::int64_t lastBegun = 0;
        for (int round = 0; round < rounds; ++round) {
            const std::chrono::microseconds patience(QRandomGenerator::global()->bounded(60'000));
            std::int64_t begun = 0;
            QVERIFY(killOne(patience, said, begun));
            QVERIFY2(begun > lastBegun, "a block of LSNs was given out twice");
            lastBegun = begun;

            Journal journal(directory_.path().toStdString());
            lastBegun = journal.restored.lsns.first.value;
            std::set<std::int64_t> pending;
            for (const auto& row : journal.pending) pending.insert(row.lsn.value);
            auto reader = *Reader::open(journal.store());
            auto chunks = *ChunkStore::open(journal.files(), journal.store());
            for (const auto& [lsn, what] : said) {
                const auto states = *reader->states({Lsn(lsn)});
                if (what == 'f') {
                    QCOMPARE(states[0], ActionState::Completed);
                    QVERIFY(!pending.contains(lsn));
                    QCOMPARE(*chunks->read(Sha256::of(outputOf(lsn)), 1000), outputOf(lsn));
                } else {
                    QVERIFY(states[0] != ActionState::New);
                    QVERIFY((*reader->specText(Lsn(lsn))).has_value());
                }
            }
            auto database = Database::openForReading(journal.store().path(), {});
            auto check = database->prepare("PRAGMA integrity_check");
            QCOMPARE(check->step(), SQLITE_ROW);
            QCOMPARE(check->text(0), "ok");
            // counters count what is there
            QCOMPARE(*database->number("SELECT completed FROM queue WHERE id=0"),
                     *database->number("SELECT count(*) FROM done"));
        }
        qInfo("%d kills, %zu actions", rounds, said.size());
        QVERIFY(!said.empty());
    }
};

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--write-until-killed") writeUntilKilled(argv[2]);
    QCoreApplication application(argc, argv);
    TestKilled test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_killed.moc"
