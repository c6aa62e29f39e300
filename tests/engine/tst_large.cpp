// Submissions that go to the journal in parts: whole or not at all, and nobody sees them before they are whole.
#include "core/engine/commands/intake.h"
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/overview.h"
#include "core/engine/state/accept_parts.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>

#include <sqlite3.h>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

constexpr std::int64_t kMany = 2 * AcceptParts::kRows + 2'000;

std::string arrayJson(std::int64_t count, const std::string& more = "") {
    return fmt::format(
        R"({{"worker":"exec","argv":["/bin/true","{{index}}"],"cwd":"/","array":{{"from":7,"to":{}}}{}}})",
        count + 6, more);
}

/// `count` actions of which number `odd` has `more`.
std::string listJson(std::int64_t count, std::int64_t odd, const std::string& more) {
    std::string list = "[";
    for (std::int64_t i = 0; i < count; ++i)
        list += fmt::format(R"({}{{"worker":"exec","argv":["/bin/true"],"cwd":"/"{}}})", i == 0 ? "" : ",",
                            i == odd ? more : "");
    return list + "]";
}

std::int64_t numberIn(const std::string& path, const char* sql) {
    sqlite3* db = nullptr;
    sqlite3_stmt* rows = nullptr;
    if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK ||
        sqlite3_prepare_v2(db, sql, -1, &rows, nullptr) != SQLITE_OK || sqlite3_step(rows) != SQLITE_ROW)
        qFatal("%s: %s", sql, sqlite3_errmsg(db));
    const std::int64_t number = sqlite3_column_int64(rows, 0);
    sqlite3_finalize(rows);
    sqlite3_close(db);
    return number;
}

/// Nothing starts.
class Held {
public:
    Held() { (void)engine.run(engine->ask(&engine::Queues::setHeld, QueueRef{QueueId{0}, {}}, true)); }
    std::int64_t pending() {
        return engine.run(engine->ask(&Overview::session)).counts[static_cast<std::size_t>(ActionState::Pending)];
    }
    std::int64_t journaled(const char* table) {
        return numberIn(engine.path("data/journal.sqlite"), fmt::format("SELECT count(*) FROM {}", table).c_str());
    }
    Submission submission(const std::string& json, const std::string& key = "") {
        auto parsed = parseActions(json);
        if (!parsed) qFatal("%s", parsed.error().message.c_str());
        Submission made;
        made.actions = std::move(parsed->actions);
        made.idempotencyKey = key;
        made.bodyHash = Sha256::of(json);
        return made;
    }
    EngineTest engine;
};

store::Accept manyItems(std::initializer_list<std::int64_t> counts) {
    store::Accept accept;
    std::int64_t lsn = 100;
    for (const std::int64_t count : counts) {
        store::AcceptItem item;
        item.row.lsn = Lsn{lsn};
        item.row.arrayIndex = 3;
        item.isArray = count > 1;
        item.count = count;
        item.spec = "{}";
        item.chunks.push_back(Hash256::ofNothing());
        accept.items.push_back(item);
        lsn += count;
    }
    accept.labels.push_back({.number = 1, .text = "label"});
    return accept;
}

coro::Task<void> submitInto(Engine& engine, Submission submission, std::vector<Result<SubmitAnswer>>& answers) {
    answers.push_back(co_await engine.ask(&engine::Intake::submit, std::move(submission), Duration::zero()));
}

} // namespace

class LargeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFoldGoesWithThePartThatHasItsLastRow() {
        store::Accept whole = manyItems({1, 1, 12'000, 2});
        whole.folds = {{.lsns = {Lsn(100), 2}, .kind = FoldKind::List},
                       {.lsns = {Lsn(102), 12'000}, .kind = FoldKind::Array},
                       {.lsns = {Lsn(12'102), 2}, .kind = FoldKind::Array}};
        AcceptParts parts(std::move(whole));
        std::string shape;
        while (!parts.atEnd()) {
            const store::Accept part = parts.next();
            for (const store::FoldRun& fold : part.folds) shape += fmt::format("{} ", fold.lsns.first.value);
            shape += part.part->ends ? "e" : "| ";
        }
        QCOMPARE(shape, std::string("100 | | 102 12102 e"));
    }

    void partsHoldEachElementOnce() {
        AcceptParts parts(manyItems({1, 4'000, 1, 12'000, 2}));
        QCOMPARE(parts.all().count, 16'004);
        std::string shape;
        std::int64_t next = 100;
        int labels = 0;
        while (!parts.atEnd()) {
            const store::Accept part = parts.next();
            labels += static_cast<int>(part.labels.size());
            std::int64_t rows = 0;
            shape += fmt::format("{}{}[", part.part->begins ? "b" : "", part.part->ends ? "e" : "");
            for (const store::AcceptItem& item : part.items) {
                QCOMPARE(item.row.lsn.value, next);
                QCOMPARE(item.row.arrayIndex, 3 + item.before);
                QCOMPARE(item.spec.empty(), item.before > 0);
                QCOMPARE(item.chunks.empty(), item.before > 0);
                next += item.count;
                rows += item.count;
                shape += fmt::format(" {}+{}/{}", item.before, item.count, item.total);
            }
            shape += fmt::format(" ]{}", parts.firstItem());
            QVERIFY(rows <= AcceptParts::kRows);
        }
        QCOMPARE(labels, 1);
        QCOMPARE(next, 16'104);
        QCOMPARE(shape, std::string("b[ 0+1/0 0+4000/4000 0+1/0 0+998/12000 ]0[ 998+5000/12000 ]3"
                                    "[ 5998+5000/12000 ]3e[ 10998+1002/12000 0+2/2 ]3"));
        std::string pieces;
        for (const store::LsnRun& run : parts.soFar()) pieces += fmt::format(" {}+{}", run.first.value, run.count);
        QCOMPARE(pieces, std::string(" 100+5000 5100+5000 10100+5000 15100+1004"));
    }

    void whatIsSmallIsNotParted() {
        QVERIFY(!AcceptParts::isLarge(manyItems({1, AcceptParts::kRows - 1})));
        QVERIFY(AcceptParts::isLarge(manyItems({1, AcceptParts::kRows})));
        store::Accept wide = manyItems({1, 1});
        wide.items[0].spec = std::string(AcceptParts::kBytes, 'x');
        QVERIFY(AcceptParts::isLarge(wide));
        AcceptParts parts(std::move(wide));
        QCOMPARE(parts.next().items.size(), std::size_t{1});
        QCOMPARE(parts.next().items.size(), std::size_t{1});
        QVERIFY(parts.atEnd());
    }

    void anArrayInPartsIsWholeAlsoAfterARestart() {
        Held held;
        const Lsn first = held.engine.submit(arrayJson(kMany, R"(,"label":"many")"));
        QCOMPARE(held.pending(), kMany);
        QCOMPARE(held.journaled("accepting"), 0);
        held.engine.stop();
        held.engine.start();
        QCOMPARE(held.pending(), kMany);
        const auto last =
            held.engine.run(held.engine->ask(&engine::ActionRows::action, Lsn{first.value + kMany - 1}));
        QVERIFY(last && last->label == "many");
        QVERIFY(!held.engine.run(held.engine->ask(&engine::ActionRows::action, Lsn{first.value + kMany})));
        // Each has its own index, also those of later parts.
        BulkRequest rest{.deed = {.kind = BulkKind::Cancel}, .which = {}};
        rest.which.filter = *parseFilter(fmt::format("-lsn:{}", first.value + kMany - 1), wallNow());
        QCOMPARE(held.engine.run(held.engine->ask(&engine::Operations::changeMatching, std::move(rest)))->changed,
                 kMany - 1);
        (void)held.engine.run(held.engine->ask(&engine::Queues::setHeld, QueueRef{QueueId{0}, {}}, false));
        QCOMPARE(ending(held.engine.wait(Lsn{first.value + kMany - 1})), std::string("completed"));
    }

    void aRefusalInALaterPartLeavesNothing_data() {
        QTest::addColumn<QByteArray>("more");
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("a chunk that is missing")
            << QByteArray(R"(,"inputs":{"a":"1111111111111111111111111111111111111111111111111111111111111111"})")
            << QByteArray("need");
        QTest::newRow("an action that is not there")
            << QByteArray(R"(,"after":[999999999])") << QByteArray("invalid");
    }
    void aRefusalInALaterPartLeavesNothing() {
        QFETCH(QByteArray, more);
        QFETCH(QByteArray, error);
        Held held;
        constexpr std::int64_t kOdd = AcceptParts::kRows + 500;
        const auto refused = held.engine.trySubmit(listJson(kOdd + 200, kOdd, more.toStdString()));
        QVERIFY(!refused);
        QCOMPARE(QByteArray(errorName(refused.error().kind).data()), error);
        if (error == "invalid") QCOMPARE(refused.error().index, static_cast<int>(kOdd));
        QCOMPARE(held.pending(), 0);
        QVERIFY(EngineTest::eventually([&] { return held.journaled("accepting") == 0; }));
        QCOMPARE(held.journaled("pending"), 0);
        QCOMPARE(held.journaled("spec"), 0);
        QVERIFY(held.engine.submit(listJson(3, -1, "")).value > 0);
    }

    void aRepeatOfOneThatIsUnderWayWaitsForItsAnswer() {
        Held held;
        std::vector<Result<SubmitAnswer>> answers;
        coro::Loop loop;
        for (int i = 0; i < 3; ++i)
            loop.spawn("submit", submitInto(*held.engine, held.submission(arrayJson(kMany), "key"), answers));
        loop.spawn("another", submitInto(*held.engine, held.submission(arrayJson(3), "key"), answers));
        loop.spawn("without", submitInto(*held.engine, held.submission(arrayJson(3)), answers));
        loop.run();
        QCOMPARE(answers.size(), std::size_t{5});
        std::int64_t firsts = 0;
        int refused = 0;
        for (const auto& answer : answers) {
            if (!answer)
                refused += answer.error().field == "Idempotency-Key";
            else if (answer->items.front().count == kMany)
                firsts = firsts == 0 ? answer->items.front().first.value
                                     : (firsts == answer->items.front().first.value ? firsts : -1);
        }
        QCOMPARE(refused, 1);
        QVERIFY(firsts > 0); // all three the same
        QCOMPARE(held.pending(), kMany + 3);
    }

    void moreThanAThousandRunAtOnceAndEndTogether() {
        constexpr std::int64_t kActions = 1'200;
        EngineTest engine(2, [](Options& options) { options.slotCount = kActions + 40; });
        engine.submit(fmt::format(
            R"({{"worker":"exec","argv":["/bin/sleep","1000"],"cwd":"/","resources":{{"cores":0.001}},"array":{{"from":1,"to":{}}}}})",
            kActions));
        const auto running = [&] {
            return engine.run(engine->ask(&Overview::session))
                .counts[static_cast<std::size_t>(ActionState::Running)];
        };
        QVERIFY(EngineTest::eventually([&] { return running() == kActions; }));
        BulkRequest cancel;
        cancel.deed.kind = BulkKind::Cancel;
        QVERIFY(engine.run(engine->ask(&engine::Operations::changeMatching, std::move(cancel))));
        QVERIFY(EngineTest::eventually(
            [&] { return engine.run(engine->ask(&Overview::metrics)).attemptsInFlight == 0; }));
    }

    void othersAreAnsweredBetweenTheParts() {
        Held held;
        std::vector<Result<SubmitAnswer>> large;
        std::vector<Result<SubmitAnswer>> small;
        bool betweenParts = false;
        coro::Loop loop;
        loop.spawn("large", submitInto(*held.engine, held.submission(arrayJson(40 * AcceptParts::kRows)), large));
        // Awaited by its loop, which outlives neither.
        // NOLINTNEXTLINE(cppcoreguidelines-avoid-capturing-lambda-coroutines)
        const auto asking = [&]() -> coro::Task<void> {
            while (large.empty()) {
                co_await submitInto(*held.engine, held.submission(arrayJson(1)), small);
                betweenParts = betweenParts || large.empty();
            }
        };
        loop.spawn("small", asking());
        loop.run();
        QVERIFY(large.front().has_value());
        QVERIFY(betweenParts);
        for (const auto& answer : small) QVERIFY(answer.has_value());
        QCOMPARE(held.pending(), 40 * AcceptParts::kRows + std::ssize(small));
    }

    void aHoldThatIsRefusedLeavesNothingBehind() {
        EngineTest engine;
        const Lsn lsn = engine.sh("exec sleep 100");
        QVERIFY(EngineTest::eventually([&] {
            return engine.run(engine->ask(&engine::ActionRows::action, lsn))->state == ActionState::Running;
        }));
        const auto held = engine.run(engine->ask(&engine::Operations::hold, lsn));
        QVERIFY(!held && held.error().kind == ErrorKind::WrongState);
        QCOMPARE(numberIn(engine.path("data/journal.sqlite"), "SELECT flags FROM pending"), 0);
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, lsn)));
        QCOMPARE(ending(engine.wait(lsn)), std::string("cancelled cancelled"));
        for (const auto& late : {engine.run(engine->ask(&engine::Operations::cancel, lsn)),
                                 engine.run(engine->ask(&engine::Operations::hold, lsn)),
                                 engine.run(engine->ask(&engine::Operations::release, lsn))}) {
            QVERIFY(!late);
            QVERIFY2(late.error().kind == ErrorKind::WrongState, late.error().message.c_str());
        }
        for (const auto& unknown : {engine.run(engine->ask(&engine::Operations::cancel, Lsn{77})),
                                    engine.run(engine->ask(&engine::Operations::hold, Lsn{77}))})
            QVERIFY(!unknown && unknown.error().kind == ErrorKind::NotFound);
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    LargeTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_large.moc"
