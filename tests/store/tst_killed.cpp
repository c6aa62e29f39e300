// Accepted means kept: a child writes the journal and is killed at a random moment, again and again; whatever it
// said was committed is there afterwards, and the file is whole. The same while it clears up: no result is without
// its chunks. YARD_KILL_ROUNDS makes it longer than the default.
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"
#include "core/store/survey.h"

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

/// Large enough for a pack in some.
std::string longOutputOf(std::int64_t lsn) {
    return outputOf(lsn) + std::string(lsn % 2 == 0 ? 5'000 : 10, 'x');
}

std::vector<Hash256> unusedChunks(Survey& survey) {
    ChunkFilter filter(*survey.smallChunks(), 1);
    Survey::MarkCursor cursor;
    while (*survey.markStep({}, filter, cursor)) {
    }
    std::vector<UnusedChunk> unused;
    std::int64_t after = 0;
    while (*survey.unusedSmall(filter, after, unused)) {
    }
    std::vector<Hash256> hashes;
    for (const UnusedChunk& chunk : unused) hashes.push_back(chunk.hash);
    return hashes;
}

/// Finishes actions, and clears up behind them but for the last hundred, until it is killed.
[[noreturn]] void clearUntilKilled(const std::string& path) {
    auto files = *ChunkFiles::open(path + "/chunks", false, Duration::zero());
    StoreOptions options;
    options.path = path + "/journal.sqlite";
    options.largeGroup = 1;
    auto store = *Store::open(options, *files, {.acks = [](Acks) {}, .specs = [](std::vector<FetchedSpec>) {}});
    const auto restored = store->restore([](std::span<PendingRow>) {});
    if (!restored) _exit(5);
    store->start();
    auto survey = *Survey::open(*store);
    const auto done = [&](Action action) {
        if (!store->carryOutAndWait(std::move(action))) _exit(6);
    };
    const Report begun{restored->lsns.first.value, 's'};
    if (::write(STDOUT_FILENO, &begun, sizeof begun) != sizeof begun) _exit(3);
    for (std::int64_t lsn = restored->lsns.first.value;; lsn += 50) {
        std::vector<Operation> operations;
        for (std::int64_t i = lsn; i < lsn + 50; ++i) {
            operations.push_back({.tag = 0, .unhurried = false, .action = accept({i})});
            Finish end = finish(i);
            end.attempt->outcome.out = ChunkRef{Sha256::of(longOutputOf(i)), longOutputOf(i).size()};
            end.chunks = {chunk(longOutputOf(i))};
            operations.push_back({.tag = 0, .unhurried = false, .action = std::move(end)});
        }
        if (!store->post(std::move(operations))) _exit(6);
        done(RetireOutdated{{0, Lsn(lsn - 100), kThen * 2, Lsn(lsn)}, Lsn(lsn - 1'000), 1'000});
        done(ChunkMark{true});
        done(DropUnused{unusedChunks(*survey), MonoClock::now() + std::chrono::hours(1)});
        done(ChunkMark{false});
        const auto sparse = survey->sparsePacks();
        for (const Survey::SparsePack& pack : *sparse) done(CompactPack{pack.id});
        files->removeSetAside();
    }
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

    std::unique_ptr<QTemporaryDir> place_;
    QString path() const { return place_->path(); }

    /// Runs one child and kills it after `patience`; adds what it said to `said`. False: it ended by itself.
    bool killOne(std::chrono::microseconds patience, std::map<std::int64_t, char>& said, std::int64_t& begun,
                 const char* mode = "--write-until-killed") {
        int pipe[2];
        if (pipe2(pipe, O_CLOEXEC) != 0) return false;
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
        const std::string program = QCoreApplication::applicationFilePath().toStdString();
        const std::string directory = path().toStdString();
        std::array<char*, 4> argv{const_cast<char*>(program.c_str()), const_cast<char*>(mode),
                                  const_cast<char*>(directory.c_str()), nullptr};
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

private Q_SLOTS:
    void whatWasAcknowledgedIsThereAfterAKillAtAnyMoment() {
        const int rounds = std::max(1, qEnvironmentVariable("YARD_KILL_ROUNDS", "12").toInt());
        place_ = std::make_unique<QTemporaryDir>();
        std::map<std::int64_t, char> said;
        std::int64_t lastBegun = 0;
        for (int round = 0; round < rounds; ++round) {
            const std::chrono::microseconds patience(QRandomGenerator::global()->bounded(60'000));
            std::int64_t begun = 0;
            QVERIFY(killOne(patience, said, begun));
            QVERIFY2(begun > lastBegun, "a block of LSNs was given out twice");
            lastBegun = begun;

            Journal journal(path().toStdString());
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

    void noResultIsWithoutItsChunksAfterAKillWhileClearingUp() {
        const int rounds = std::max(1, qEnvironmentVariable("YARD_KILL_ROUNDS", "12").toInt());
        place_ = std::make_unique<QTemporaryDir>();
        std::size_t results = 0;
        std::int64_t packs = 0;
        // On a busy machine a child may come to nothing in that time: then it gets more.
        for (int round = 0; round < rounds || (results == 0 && round < 10 * rounds); ++round) {
            const std::chrono::microseconds patience(
                QRandomGenerator::global()->bounded(120'000 * (1 + round / rounds)));
            std::map<std::int64_t, char> said;
            std::int64_t begun = 0;
            QVERIFY(killOne(patience, said, begun, "--clear-until-killed"));
            Journal journal(path().toStdString());
            auto reader = *Reader::open(journal.store());
            auto chunks = *ChunkStore::open(journal.files(), journal.store());
            const Page page = *reader->page({}, PageOrder::NewestFirst, 1'000, {});
            for (const ActionResult& row : page.rows) {
                const auto whole = *reader->get(row.lsn);
                QVERIFY(whole && whole->outcome && whole->outcome->out);
                const auto bytes = chunks->read(whole->outcome->out->hash, 100'000);
                QVERIFY2(bytes, bytes ? "" : bytes.error().message.c_str());
                QCOMPARE(*bytes, longOutputOf(row.lsn.value));
                ++results;
            }
            auto database = Database::openForReading(journal.store().path(), {});
            QCOMPARE(*database->number("SELECT CAST(value AS INTEGER) FROM meta WHERE key='finished'"),
                     *database->number("SELECT count(*) FROM done"));
            packs += *database->number("SELECT coalesce(max(id), 0) - count(*) FROM pack");
        }
        qInfo("%d kills, %zu results, %lld packs came and went", rounds, results, static_cast<long long>(packs));
        QVERIFY(results > 0);
    }
};

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--write-until-killed") writeUntilKilled(argv[2]);
    if (argc == 3 && std::string_view(argv[1]) == "--clear-until-killed") clearUntilKilled(argv[2]);
    QCoreApplication application(argc, argv);
    TestKilled test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_killed.moc"
