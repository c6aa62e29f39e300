// One change of many actions: chosen by a filter, effective for all, kept over a restart.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "core/store/bulk.h"
#include "tests/engine/engine_test.h"

#include <QObject>

#include <sqlite3.h>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

constexpr std::int64_t kMany = 7'000; ///< more than one part, and more than may be on their way at once

BulkRequest request(BulkKind kind, std::string_view filter) {
    BulkRequest request{.deed = {.kind = kind}, .which = {}};
    auto parsed = parseFilter(filter, wallNow());
    if (!parsed) qFatal("%s", parsed.error().message.c_str());
    request.which.filter = std::move(*parsed);
    return request;
}

class Bulk {
public:
    Bulk() { (void)engine.run(engine->ask(&engine::Queues::setHeld, QueueRef{QueueId{0}, {}}, true)); }
    BulkAnswer change(BulkRequest request) {
        auto answer = engine.run(engine->ask(&engine::Operations::changeMatching, std::move(request)));
        if (!answer) qFatal("refused: %s", answer.error().message.c_str());
        return std::move(*answer);
    }
    /// An array of `count`.
    Lsn array(std::int64_t count, const std::string& more = "") {
        return engine.submit(fmt::format(
            R"({{"worker":"exec","argv":["/bin/true","{{index}}"],"cwd":"/","array":{{"from":0,"to":{}}}{}}})",
            count - 1, more));
    }
    ActionResult action(Lsn lsn) {
        auto result = engine.run(engine->ask(&engine::ActionRows::action, lsn));
        if (!result) qFatal("%s", result.error().message.c_str());
        return std::move(*result);
    }
    std::int64_t count(ActionState state) {
        return engine.run(engine->ask(&Overview::session)).counts[static_cast<std::size_t>(state)];
    }
    bool settles(ActionState state, std::int64_t count) {
        return EngineTest::eventually([&] { return this->count(state) == count; });
    }
    void restart() {
        engine.stop();
        engine.start();
    }

    EngineTest engine;
};

void execute(const std::string& path, const std::string& sql) {
    sqlite3* db = nullptr;
    if (sqlite3_open(path.c_str(), &db) != SQLITE_OK ||
        sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        qFatal("%s: %s", sql.c_str(), sqlite3_errmsg(db));
    sqlite3_close(db);
}

} // namespace

class BulkTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aChangeReachesAllThatMatchAndSurvivesARestart() {
        Bulk bulk;
        const Lsn first = bulk.array(kMany, R"(,"label":"a")");
        const Lsn other = bulk.array(10, R"(,"label":"b")");
        BulkRequest raise = request(BulkKind::Set, "label:a");
        raise.deed.set.priority = 33;
        QCOMPARE(bulk.change(raise).changed, kMany);
        QCOMPARE(bulk.change(request(BulkKind::Hold, "label:a,b -lsn:1..5")).changed, kMany + 5);
        QCOMPARE(bulk.change(request(BulkKind::Release, "label:b")).changed, 10);
        for (int start = 0; start < 2; ++start) {
            for (const std::int64_t offset : {std::int64_t{0}, kMany / 2, kMany - 1})
                QCOMPARE(bulk.action(Lsn{first.value + offset}).priority, 33);
            QCOMPARE(bulk.action(first).held, false);
            QCOMPARE(bulk.action(Lsn{first.value + kMany - 1}).held, true);
            QCOMPARE(bulk.action(other).priority, 0);
            QCOMPARE(bulk.action(other).held, false);
            QCOMPARE(bulk.count(ActionState::Pending), kMany + 10);
            bulk.restart();
        }
    }

    void whatIsSpreadWideIsReachedToo() {
        Bulk bulk;
        std::vector<Lsn> rare;
        for (int i = 0; i < 30; ++i) {
            (void)bulk.array(100);
            rare.push_back(bulk.array(1, R"(,"label":"rare")"));
        }
        BulkRequest raise = request(BulkKind::Set, "label:rare");
        raise.deed.set.priority = 3;
        QCOMPARE(bulk.change(raise).changed, 30);
        QCOMPARE(bulk.action(rare.back()).priority, 3);
        QCOMPARE(bulk.change(request(BulkKind::Cancel, "label:rare")).changed, 30);
        QVERIFY(bulk.settles(ActionState::Cancelled, 30));
        bulk.restart();
        QCOMPARE(ending(bulk.action(rare.front())), "cancelled cancelled");
        QCOMPARE(bulk.count(ActionState::Pending), 3'000);
    }

    void aChangeMovesThemToAnotherQueue() {
        Bulk bulk;
        const Lsn first = bulk.array(3'000);
        const auto to = bulk.engine.run(bulk.engine->ask(&engine::Queues::create, "to", R"({"idle_expiry_s":0})"));
        QVERIFY(to);
        QVERIFY(bulk.engine.run(bulk.engine->ask(&engine::Queues::setHeld, QueueRef{to->id, {}}, true)));
        BulkRequest move = request(BulkKind::Set, fmt::format("lsn:{}..{}", first.value + 1, first.value + 2'500));
        move.deed.set.queue = QueueRef{to->id, {}};
        move.deed.set.priority = -4;
        QCOMPARE(bulk.change(move).changed, 2'500);
        bulk.restart();
        const auto view = bulk.engine.run(bulk.engine->ask(&engine::Queues::get, QueueRef{to->id, {}}));
        QVERIFY(view);
        QCOMPARE(view->counters.pending, 2'500);
        QCOMPARE(bulk.action(Lsn{first.value + 1}).priority, -4);
        // By the queue's name, and back.
        move = request(BulkKind::Set, "queue:to");
        move.deed.set.queue = QueueRef{QueueId{0}, {}};
        QCOMPARE(bulk.change(move).changed, 2'500);
        QCOMPARE(bulk.engine.run(bulk.engine->ask(&engine::Queues::get, QueueRef{to->id, {}}))->counters.pending,
                 0);
    }

    void whatIsCancelledEndsAndNothingOfItStarts() {
        Bulk bulk;
        const Lsn first = bulk.array(kMany, R"(,"label":"doomed")");
        const Lsn spared = bulk.array(5);
        QCOMPARE(bulk.change(request(BulkKind::Cancel, "label:doomed")).changed, kMany);
        QVERIFY(bulk.engine.run(bulk.engine->ask(&engine::Queues::setHeld, QueueRef{QueueId{0}, {}}, false)));
        QVERIFY(bulk.settles(ActionState::Cancelled, kMany));
        QVERIFY(bulk.settles(ActionState::Completed, 5));
        QCOMPARE(ending(bulk.action(first)), "cancelled cancelled");
        QVERIFY(bulk.action(first).attempts.empty());
        QCOMPARE(ending(bulk.action(spared)), "completed");
        bulk.restart();
        QCOMPARE(bulk.count(ActionState::Cancelled), kMany);
        QCOMPARE(bulk.count(ActionState::Pending), 0);
    }

    void runningOnesAreCancelledToo() {
        Bulk bulk;
        const Lsn running = bulk.engine.sh("sleep 100", R"(,"label":"long")");
        const Lsn waiting = bulk.engine.sh("sleep 100", R"(,"label":"long","hold":true)");
        QVERIFY(bulk.engine.run(bulk.engine->ask(&engine::Queues::setHeld, QueueRef{QueueId{0}, {}}, false)));
        QVERIFY(bulk.settles(ActionState::Running, 1));
        const BulkAnswer held = bulk.change(request(BulkKind::Hold, "label:long"));
        QCOMPARE(held.changed, 1);
        QCOMPARE(held.refused.size(), std::size_t{1});
        QCOMPARE(held.refused[0].first, running);
        QCOMPARE(held.refused[0].second.kind, ErrorKind::WrongState);
        QCOMPARE(bulk.change(request(BulkKind::Cancel, "label:long")).changed, 2);
        QCOMPARE(ending(bulk.engine.wait(running)), "cancelled cancelled");
        QCOMPARE(ending(bulk.engine.wait(waiting)), "cancelled cancelled");
        QCOMPARE(bulk.change(request(BulkKind::Cancel, "label:long")).changed, 0);
    }

    void termsOfEveryKindChoose_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<int>("count");
        for (const auto& [filter, count] : std::initializer_list<std::pair<const char*, int>>{
                 {"", 5},
                 {"state:pending", 5},
                 {"state:held", 1},
                 {"state:held,retry", 1},
                 {"state:running", 0},
                 {"-state:held", 4},
                 {"worker:exec", 5},
                 {"worker:ex*,other", 5},
                 {"worker:other", 0},
                 {"function:none", 0},
                 {"label:one", 2},
                 {"-label:o*", 3},
                 {"queue:0", 4},
                 {"queue:named", 1},
                 {"queue:no-*", 0}, // a token is of hexadecimal digits
                 {"tries>0", 0},
                 {"tries:0", 5},
                 {"waited>1h", 0},
                 {"waited<1h", 5},
                 {"ONE", 2},
                 {"\"is held\" label:one", 2},
                 {"cpu>0", 0},
                 {"finished>1970", 0}})
            QTest::newRow(filter) << filter << count;
    }
    void termsOfEveryKindChoose() {
        QFETCH(QString, filter);
        QFETCH(int, count);
        Bulk bulk;
        (void)bulk.array(2, R"(,"label":"one")");
        (void)bulk.array(1, R"(,"label":"two","hold":true)");
        (void)bulk.array(1);
        const auto named = bulk.engine.run(bulk.engine->ask(&engine::Queues::create, "named", ""));
        QVERIFY(named);
        QVERIFY(bulk.engine.run(bulk.engine->ask(&engine::Queues::setHeld, QueueRef{named->id, {}}, true)));
        (void)bulk.engine.sh("true", "", QueueRef{named->id, {}});
        if (filter == "finished>1970") filter = "finished:since-00:00";
        QCOMPARE(bulk.change(request(BulkKind::Cancel, filter.toStdString())).changed, count);
    }

    void theFieldsOfAQueryChooseAsTheFilterDoes() {
        Bulk bulk;
        (void)bulk.array(3, R"(,"label":"x","hold":true)");
        (void)bulk.array(4);
        BulkRequest held{.deed = {.kind = BulkKind::Release}, .which = {}};
        held.which.heldOnly = true;
        held.which.label = "x";
        held.which.worker = "exec";
        held.which.text = "exec";
        held.which.states = {ActionState::Pending};
        held.which.queue = QueueRef{QueueId{0}, {}};
        QCOMPARE(bulk.change(held).changed, 3);
        QCOMPARE(bulk.change(held).changed, 0);
        held.which = {};
        held.which.retryOnly = true;
        QCOMPARE(bulk.change(held).changed, 0);
    }

    void whatCannotBeIsRefusedBeforeAnythingHappens() {
        Bulk bulk;
        const Lsn lsn = bulk.array(2);
        BulkRequest wrong = request(BulkKind::Set, "state:pending");
        wrong.deed.set.priority = 101;
        QCOMPARE(bulk.engine.run(bulk.engine->ask(&engine::Operations::changeMatching, wrong)).error().kind,
                 ErrorKind::Invalid);
        wrong.deed.set.priority = 1;
        wrong.deed.set.queue = QueueRef{QueueId{77}, {}};
        QCOMPARE(bulk.engine.run(bulk.engine->ask(&engine::Operations::changeMatching, wrong)).error().kind,
                 ErrorKind::NotFound);
        const auto drained = bulk.engine.run(bulk.engine->ask(&engine::Queues::create, "", ""));
        QVERIFY(drained && bulk.engine.run(bulk.engine->ask(&engine::Queues::drain, QueueRef{drained->id, {}})));
        wrong.deed.set.queue = QueueRef{drained->id, {}};
        QCOMPARE(bulk.engine.run(bulk.engine->ask(&engine::Operations::changeMatching, wrong)).error().kind,
                 ErrorKind::WrongState);
        wrong.which.queue = QueueRef{QueueId{78}, {}};
        QCOMPARE(bulk.engine.run(bulk.engine->ask(&engine::Operations::changeMatching, wrong)).error().kind,
                 ErrorKind::NotFound);
        QCOMPARE(bulk.action(lsn).priority, 0);
    }

    void aDryRunCountsWhatWouldChangeAndChangesNothing_data() {
        QTest::addColumn<BulkKind>("kind");
        QTest::newRow("cancel") << BulkKind::Cancel;
        QTest::newRow("hold") << BulkKind::Hold;
        QTest::newRow("release") << BulkKind::Release;
        QTest::newRow("set") << BulkKind::Set;
    }
    void aDryRunCountsWhatWouldChangeAndChangesNothing() {
        QFETCH(BulkKind, kind);
        Bulk bulk;
        const Lsn first = bulk.array(kMany, R"(,"label":"a","hold":true)");
        (void)bulk.array(10);
        BulkRequest wanted = request(kind, "label:a");
        wanted.deed.set.priority = 7;
        wanted.dryRun = true;
        const BulkAnswer counted = bulk.change(wanted);
        QCOMPARE(counted.changed, 0);
        QCOMPARE(counted.counted.value_or(-1), kMany);
        QCOMPARE(bulk.count(ActionState::Pending), kMany + 10);
        QCOMPARE(bulk.action(first).held, true);
        QCOMPARE(bulk.action(first).priority, 0);
        wanted.dryRun = false;
        QCOMPARE(bulk.change(wanted).changed, kMany);
    }

    void moreThanWasConfirmedIsNotChanged() {
        Bulk bulk;
        const Lsn first = bulk.array(kMany, R"(,"label":"a")");
        BulkRequest cancel = request(BulkKind::Cancel, "label:a");
        cancel.atMost = kMany - 1;
        const BulkAnswer none = bulk.change(cancel);
        QCOMPARE(none.changed, 0);
        QCOMPARE(none.counted.value_or(-1), kMany);
        QCOMPARE(bulk.count(ActionState::Pending), kMany);
        QVERIFY(!bulk.engine.run(bulk.engine->ask(&engine::Reasons::why, first))->waits.empty());
        cancel.atMost = kMany;
        const BulkAnswer all = bulk.change(cancel);
        QCOMPARE(all.changed, kMany);
        QVERIFY(!all.counted);
        QVERIFY(bulk.settles(ActionState::Cancelled, kMany));
    }

    void whatRunsOrIsBeingStartedIsNotCountedAsWhatWaits() {
        Bulk bulk;
        const Lsn running = bulk.engine.sh("sleep 100", R"(,"label":"long")");
        (void)bulk.engine.sh("sleep 100", R"(,"label":"long","hold":true)");
        QVERIFY(bulk.engine.run(bulk.engine->ask(&engine::Queues::setHeld, QueueRef{QueueId{0}, {}}, false)));
        QVERIFY(bulk.settles(ActionState::Running, 1));
        for (const auto& [kind, count] : {std::pair{BulkKind::Cancel, 2}, std::pair{BulkKind::Hold, 1},
                                          std::pair{BulkKind::Release, 1}, std::pair{BulkKind::Set, 1}}) {
            BulkRequest wanted = request(kind, "label:long");
            wanted.deed.set.priority = 1;
            wanted.dryRun = true;
            const BulkAnswer counted = bulk.change(wanted);
            QCOMPARE(counted.counted.value_or(-1), count);
            QCOMPARE(counted.refused.size(), static_cast<std::size_t>(2 - count));
        }
        const auto may = [&](BulkKind kind) {
            return bulk.engine.run(bulk.engine->ask(&engine::Operations::mayChange,
                                                    {.kind = kind, .set = {.priority = 1, .queue = {}}}, running));
        };
        QVERIFY(may(BulkKind::Cancel));
        for (const BulkKind kind : {BulkKind::Hold, BulkKind::Set, BulkKind::Retry, BulkKind::Retire})
            QCOMPARE(may(kind).error().kind, ErrorKind::WrongState);
        QVERIFY(bulk.engine.run(bulk.engine->ask(&engine::Operations::cancel, running)));
        QCOMPARE(ending(bulk.engine.wait(running)), "cancelled cancelled");
        for (const BulkKind kind :
             {BulkKind::Cancel, BulkKind::Hold, BulkKind::Release, BulkKind::Set, BulkKind::Retry})
            QCOMPARE(may(kind).error().kind, ErrorKind::WrongState);
        QVERIFY(may(BulkKind::Retire));
        for (const BulkKind kind : {BulkKind::Cancel, BulkKind::Retry, BulkKind::Retire})
            QCOMPARE(bulk.engine.run(bulk.engine->ask(&engine::Operations::mayChange, {.kind = kind}, Lsn{99'999}))
                         .error()
                         .kind,
                     ErrorKind::NotFound);
    }

    void aPageGoesOnLookingUntilItIsFull() {
        Bulk bulk;
        const Lsn first = bulk.array(2'500, R"(,"label":"many")");
        const Lsn rare = bulk.array(1, R"(,"label":"needle")");
        (void)bulk.array(2'500, R"(,"label":"many")");
        const auto found = [&](std::string_view filter, int limit, bool newestFirst = true) {
            ListQuery query;
            query.filter = request(BulkKind::Cancel, filter).which.filter;
            query.limit = limit;
            query.sort.descending = newestFirst;
            std::vector<Lsn> lsns;
            for (int pages = 0; pages < 10'000; ++pages) {
                const auto page = bulk.engine.run(bulk.engine->ask(&engine::Listing::list, query));
                if (!page) qFatal("%s", page.error().message.c_str());
                for (const ActionResult& job : page->jobs) lsns.push_back(job.lsn);
                if (std::ssize(page->jobs) > limit) qFatal("a page over its limit");
                if (page->cursor.empty()) return lsns;
                query.cursor = page->cursor;
            }
            qFatal("no end");
        };
        QCOMPARE(found("NEEDLE", 100), std::vector{rare});
        QCOMPARE(found("label:need*", 1), std::vector{rare});
        QCOMPARE(found("-label:many", 7, false), std::vector{rare});
        QCOMPARE(found("label:many state:pending", 999).size(), std::size_t{5'000});
        QCOMPARE(bulk.change(request(BulkKind::Cancel, "label:many")).changed, 5'000);
        QVERIFY(bulk.settles(ActionState::Cancelled, 5'000));
        QCOMPARE(found("reason:cancelled lsn<" + std::to_string(first.value + 10), 3).size(), std::size_t{10});
        QCOMPARE(found("NEEDLE", 100), std::vector{rare});
        QCOMPARE(found("cpu>1", 100).size(), std::size_t{0});
        QCOMPARE(found("", 1'000).size(), std::size_t{5'001});
    }

    void aStartFinishesWhatTheLastEngineBegan() {
        Bulk bulk;
        const Lsn first = bulk.array(3'000, R"(,"hold":true)");
        bulk.engine.stop();
        const auto insert = [&](std::int64_t id, const store::BulkOp& op, std::int64_t cursor) {
            execute(bulk.engine.path("data/journal.sqlite"),
                    fmt::format("INSERT INTO op VALUES({},'{}',{},{})", id, store::toText(op),
                                op.runs.back().last().value, cursor));
        };
        store::BulkOp release{.change = {}, .runs = {{first, 2'000}}};
        release.change.held = false;
        insert(1, release, first.value + 99);
        store::BulkOp cancel{.change = {}, .runs = {{Lsn{first.value + 2'000}, 1'000}}};
        cancel.change.cancelRequested = true;
        insert(2, cancel, 0);
        bulk.engine.start();
        QVERIFY(bulk.settles(ActionState::Cancelled, 1'000));
        QCOMPARE(bulk.action(first).held, true);
        QCOMPARE(bulk.action(Lsn{first.value + 99}).held, true);
        QCOMPARE(bulk.action(Lsn{first.value + 100}).held, false);
        QCOMPARE(bulk.action(Lsn{first.value + 1'999}).held, false);
        QCOMPARE(ending(bulk.action(Lsn{first.value + 2'000})), "cancelled cancelled");
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    BulkTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_bulk.moc"
