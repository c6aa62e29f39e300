// A transition and its effects are one: a child moves objects and creates their children until it is killed, again and
// again. No move is there without its effect, none is carried out twice. YARD_KILL_ROUNDS makes it longer.
#include "tests/store/journal_fixture.h"

#include "core/store/database.h"

#include <QCoreApplication>
#include <QRandomGenerator>
#include <QTest>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace yard;
using namespace yard::store;
using namespace yard::test;

extern char** environ;

namespace {

Operation post(Action action) {
    return {.tag = 0, .unhurried = false, .action = std::move(action)};
}

CreateObjects childOf(std::int64_t parent, std::int64_t id) {
    NewObject child{.id = id, .type = 1, .parent = parent, .status = "queued", .retryAt = kThen};
    return {.objects = {child}, .effect = EffectName{.object = parent, .revision = 1, .position = 0}, .now = kThen};
}

MoveObject started(std::int64_t id) {
    MoveObject move;
    move.id = id;
    move.from = "queued";
    move.to = "started";
    move.newRevision = 1;
    move.retryAt = kThen;
    move.moves = move.starts = true;
    move.effects = {{0, "{}"}};
    move.at = kThen;
    return move;
}

/// Carries out what the last one left, then goes on: creates, claims, moves and carries out, until it is killed.
[[noreturn]] void moveUntilKilled(const std::string& path) {
    auto files = *ChunkFiles::open(path + "/chunks", false, std::chrono::hours(1));
    StoreOptions options;
    options.path = path + "/journal.sqlite";
    auto store = *Store::open(options, *files, {.acks = [](Acks) {}, .specs = [](std::vector<FetchedSpec>) {}});
    const auto restored = store->restore([](std::span<PendingRow>) {});
    if (!restored) _exit(5);
    store->start();
    std::int64_t id = restored->lastObject;
    for (const EffectRow& effect : restored->effects)
        if (!store->carryOutAndWait(childOf(effect.object, ++id))) _exit(6);
    const ObjectTypeRow type{.id = 1, .name = "snapshot", .body = "{}"};
    if (!store->carryOutAndWait(PutObjectType{.row = type, .moves = {}, .now = kThen})) _exit(7);
    if (::write(STDOUT_FILENO, "s", 1) != 1) _exit(3);
    for (;;) {
        std::vector<Operation> operations;
        for (int i = 0; i < 20; ++i) {
            const std::int64_t parent = ++id;
            const NewObject object{.id = parent, .type = 1, .status = "queued", .retryAt = kThen};
            operations.push_back(post(CreateObjects{.objects = {object}, .effect = {}, .now = kThen}));
            operations.push_back(post(ClaimObjects{
                .claims = {{.id = parent, .status = "queued", .revision = 0, .retryAt = kThen + 60}}}));
            operations.push_back(post(started(parent)));
            operations.push_back(post(started(parent))); // says nothing
            operations.push_back(post(childOf(parent, ++id)));
            operations.push_back(post(childOf(parent, ++id))); // creates nothing
        }
        if (!store->post(std::move(operations))) _exit(8);
        if (!store->carryOutAndWait(WakeObjects{.ids = {id}, .effect = {}, .at = kThen})) _exit(9);
    }
}

} // namespace

class TestObjectsKilled : public QObject {
    Q_OBJECT

    /// Runs one child and kills it some time after it began. False: it ended by itself.
    static bool killOne(const std::string& directory, std::chrono::microseconds patience) {
        std::array<int, 2> pipe{};
        if (pipe2(pipe.data(), O_CLOEXEC) != 0) return false;
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
        const std::string program = QCoreApplication::applicationFilePath().toStdString();
        std::array<char*, 4> argv{const_cast<char*>(program.c_str()), const_cast<char*>("--move-until-killed"),
                                  const_cast<char*>(directory.c_str()), nullptr};
        pid_t child = 0;
        const int rc = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(pipe[1]);
        if (rc != 0) return false;
        char begun = 0;
        const bool began = read(pipe[0], &begun, 1) == 1;
        close(pipe[0]);
        if (began) std::this_thread::sleep_for(patience); // the moment of the kill is what is tried
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        return began && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }

private Q_SLOTS:
    void noMoveIsThereWithoutItsEffectAndNoneIsCarriedOutTwice() {
        const int rounds = std::max(1, qEnvironmentVariable("YARD_KILL_ROUNDS", "12").toInt());
        const QTemporaryDir place;
        const std::string directory = place.path().toStdString();
        for (int round = 0; round < rounds; ++round) {
            QVERIFY(killOne(directory, std::chrono::microseconds(QRandomGenerator::global()->bounded(60'000))));
            Journal journal(directory, {}, false);
            std::int64_t objects = 0;
            const auto read = journal.store().restoreObjects([&objects](std::span<ObjectStanding> rows) {
                for (const ObjectStanding& row : rows) objects = std::max(objects, row.id);
            });
            QVERIFY(read.has_value());
            QVERIFY(objects <= journal.restored.lastObject);
            auto database = Database::openForReading(journal.store().path(), {});
            const auto count = [&database](const char* what) {
                return database->number(std::string("SELECT count(*) FROM ") + what).value_or(-1);
            };
            // Each one that moved has its child, or the row that will create it; no other has one.
            QCOMPARE(
                count("object o WHERE status='started' AND (SELECT count(*) FROM object c WHERE c.parent=o.id) + "
                      "(SELECT count(*) FROM outbox e WHERE e.object=o.id) <> 1"),
                0);
            QCOMPARE(count("object o WHERE status='queued' AND (revision>0 OR EXISTS "
                           "(SELECT 1 FROM object c WHERE c.parent=o.id) OR EXISTS "
                           "(SELECT 1 FROM outbox e WHERE e.object=o.id))"),
                     0);
            QCOMPARE(count("object o WHERE status='started' AND (SELECT count(*) FROM object_history h WHERE "
                           "h.object=o.id) <> 1"),
                     0);
            QCOMPARE(std::int64_t(journal.restored.effects.size()), count("outbox"));
            QCOMPARE(journal.restored.objectTypes.size(), 1U);
        }
    }
    void numbersOfObjectsGoOnAfterTheLastOneThatEverWas() {
        const QTemporaryDir place;
        {
            Journal journal(place.path().toStdString());
            const NewObject object{.id = 41, .type = 1, .status = "queued", .retryAt = kThen};
            QCOMPARE(journal.carryOut(CreateObjects{.objects = {object}, .effect = {}, .now = kThen}).objects,
                     std::vector<std::int64_t>{41});
            QVERIFY(!journal.carryOut(DropObjects{.ids = {41}}).error);
        }
        const Journal again(place.path().toStdString());
        QCOMPARE(again.restored.lastObject, 41);
    }
    void whatAStartNeedsOfAnObjectComesBack() {
        const QTemporaryDir place;
        {
            Journal journal(place.path().toStdString());
            NewObject object{.id = 1, .type = 1, .parent = 9, .status = "queued", .retryAt = kThen};
            object.launch = "anna";
            NewObject other = object;
            other.id = 2;
            other.launch.reset();
            QVERIFY(
                !journal.carryOut(CreateObjects{.objects = {object, other}, .effect = {}, .now = kThen + 1}).error);
            MoveObject move = started(2);
            move.isStuck = true;
            move.retries = 3;
            QVERIFY(!journal.carryOut(std::move(move)).error);
        }
        Journal again(place.path().toStdString(), {}, false);
        std::string all;
        const auto read = again.store().restoreObjects([&all](std::span<ObjectStanding> rows) {
            for (const ObjectStanding& row : rows)
                all += std::to_string(row.id) + " of " + std::to_string(row.parent) + " " + row.status + " " +
                       row.launch.value_or("-") + " " + std::to_string(row.revision) + " " +
                       std::to_string(row.retries) + (row.isStuck ? " stuck" : "") +
                       (row.retryAt == kThen ? "" : " late") + "; ";
        });
        QVERIFY(read.has_value());
        QCOMPARE(all, "1 of 9 queued anna 0 0; 2 of 9 started - 1 3 stuck; ");
        const EffectRow effect{.object = 2, .revision = 1, .position = 0, .kind = 0, .body = "{}"};
        QCOMPARE(again.restored.effects, std::vector<EffectRow>{effect});
    }
    void anActionIsItsObjectsUntilItsEndWasToldAlsoAfterAStart() {
        const QTemporaryDir place;
        {
            Journal journal(place.path().toStdString());
            const NewObject object{.id = 1, .type = 1, .status = "queued", .retryAt = kThen};
            QVERIFY(!journal.carryOut(CreateObjects{.objects = {object}, .effect = {}, .now = kThen}).error);
            MoveObject move = started(1);
            move.effects = {{1, "{}"}, {1, "{}"}, {1, "{}"}};
            QVERIFY(!journal.carryOut(std::move(move)).error);
            for (const std::int64_t lsn : {1, 2, 3}) {
                Accept one = accept({lsn});
                one.effect = SubmitEffect{.effect = {.object = 1, .revision = 1, .position = lsn - 1},
                                          .name = lsn == 3 ? "" : "pdf",
                                          .isOwned = true};
                QVERIFY(!journal.carryOut(std::move(one)).error);
            }
            for (const std::int64_t lsn : {1, 2})
                QVERIFY(!journal.carryOut(Finish{.lsn = Lsn(lsn), .tEnd = kThen}).error);
            QVERIFY(!journal.carryOut(WakeObjects{.ids = {1}, .effect = {}, .at = kThen, .told = {Lsn(1)}}).error);
            QCOMPARE(get(journal, 2)->object, 1);
            QCOMPARE(get(journal, 3)->object, 1);
            const auto seen = openReader(journal)->object(1);
            QCOMPARE((*seen)->actions, (std::vector<std::pair<std::string, Lsn>>{{"pdf", Lsn(2)}}));
        }
        const Journal again(place.path().toStdString());
        std::string all;
        for (const OwnedAction& action : again.restored.ownedActions)
            all += std::to_string(action.lsn.value) + " of " + std::to_string(action.object) +
                   (action.isPending ? " goes on; " : " ended; ");
        QCOMPARE(all, "2 of 1 ended; 3 of 1 goes on; ");
        QVERIFY(again.restored.effects.empty());
    }
};

int main(int argc, char** argv) {
    if (argc == 3 && std::string_view(argv[1]) == "--move-until-killed") moveUntilKilled(argv[2]);
    QCoreApplication application(argc, argv);
    TestObjectsKilled test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_objects_killed.moc"
