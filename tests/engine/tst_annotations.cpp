// Marks and comments: the runs that hold them, their limits, filters by them, and a whole engine that keeps them.
#include "core/engine/commands/annotating.h"

#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"
#include "tests/engine/listing_bench.h"

#include <QTest>

#include <fmt/format.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::engine;

namespace {

/// Beside the lists: the journal answers at once, and keeps what it was asked to write.
class Bench : public engine::test::ListingBench {
public:
    std::vector<store::Action> posted;
    std::optional<Error> refusal;  ///< what the journal answers
    std::int64_t retiredFirst = 0; ///< it has so many fewer of those that are to be marked
    Annotating annotating{{.annotations = annotations,
                           .rows = rows,
                           .queues = queues,
                           .changes = changes,
                           .journal = journal,
                           .user = "engine",
                           .commit = [this](store::Action action) { return commit(std::move(action)); },
                           .now = [] { return WallMicros{77}; }}};

    ~Bench() { rig.loop.shutdown(); } // before what its threads use goes

    Result<MarkAnswer> mark(std::vector<Lsn> lsns, Mark mark) {
        return rig.ask(annotating.mark(std::move(lsns), mark));
    }
    Result<Comment> comment(Lsn lsn, std::string text, std::string by = {}) {
        return rig.ask(annotating.comment(lsn, {.t = 0, .by = std::move(by), .text = std::move(text)}));
    }
    Result<Comment> commentQueue(std::int64_t queue, std::string text) {
        return rig.ask(
            annotating.commentQueue(QueueRef{QueueId(queue), {}}, {.t = 0, .by = {}, .text = std::move(text)}));
    }
    /// "3 2 1", the newest first.
    std::string found(const std::string& filter) {
        const auto page = list(query(filter));
        if (!page) return page.error().message;
        std::string text;
        for (const ActionResult& row : page->jobs)
            text += fmt::format("{}{}", text.empty() ? "" : " ", row.lsn.value);
        return text;
    }

private:
    coro::Task<store::AckDetail> commit(store::Action action) {
        store::AckDetail detail;
        detail.error = refusal;
        if (const auto* marking = std::get_if<store::MarkActions>(&action)) {
            for (const store::LsnRun& run : marking->runs) detail.marked += run.count;
            for (; retiredFirst > 0; --retiredFirst, --detail.marked) journal.ended.erase(journal.ended.begin());
        }
        posted.push_back(std::move(action));
        co_return detail;
    }
};

store::LsnRun run(std::int64_t first, std::int64_t last) {
    return {Lsn(first), last - first + 1};
}

/// "1-3 red, 4-4 blue".
std::string printed(const MarkedRuns& runs) {
    std::string text;
    for (Lsn next{1}; next.value > 0;)
        next = runs.walk(next, 2, [&](const store::LsnRun& one, Mark mark) {
            text +=
                fmt::format("{}{}-{} {}", text.empty() ? "" : ", ", one.first.value, one.last().value, name(mark));
        });
    return text;
}

} // namespace

class TestAnnotations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsOfOneColourAreOne() {
        MarkedRuns runs;
        runs.set(run(1, 3), Mark::Red);
        runs.set(run(7, 9), Mark::Red);
        QCOMPARE(printed(runs), "1-3 red, 7-9 red");
        runs.set(run(4, 6), Mark::Red);
        QCOMPARE(printed(runs), "1-9 red");
        runs.set(run(3, 4), Mark::Blue);
        QCOMPARE(printed(runs), "1-2 red, 3-4 blue, 5-9 red");
        runs.set(run(2, 7), Mark::None);
        QCOMPARE(printed(runs), "1-1 red, 8-9 red");
        QCOMPARE(runs.count(), 3);
        QCOMPARE(runs.within(run(1, 8)), 2);
        QCOMPARE(runs.within(run(2, 7)), 0);
    }
    void aWalkSeesAllThoughRunsAreJoinedMeanwhile() {
        MarkedRuns runs;
        runs.set(run(1, 1), Mark::Blue);
        runs.set(run(5, 9), Mark::Red);
        std::string seen;
        const auto see = [&seen](const store::LsnRun& one, Mark) {
            seen += fmt::format(" {}-{}", one.first.value, one.last().value);
        };
        const Lsn next = runs.walk(Lsn(1), 1, see);
        runs.set(run(3, 4), Mark::Red); // what was to come begins earlier now
        QCOMPARE(runs.walk(next, 1, see), Lsn{});
        QCOMPARE(seen, " 1-1 5-9");
    }
    void runsSayWhatOneMarkEachWouldSay() {
        constexpr std::int64_t kLast = 60;
        std::minstd_rand random(7);
        const auto any = [&random](std::int64_t from, std::int64_t to) {
            return from + static_cast<std::int64_t>(random()) % (to - from + 1);
        };
        MarkedRuns runs;
        std::map<std::int64_t, Mark> each;
        for (int step = 0; step < 2'000; ++step) {
            const std::int64_t first = any(1, kLast);
            const std::int64_t last = any(first, std::min(kLast, first + 9));
            const auto mark = static_cast<Mark>(any(0, 3));
            runs.set(run(first, last), mark);
            for (std::int64_t lsn = first; lsn <= last; ++lsn) each[lsn] = mark;
            std::int64_t marked = 0;
            for (std::int64_t lsn = 1; lsn <= kLast; ++lsn) {
                QCOMPARE(runs.of(Lsn(lsn)), each[lsn]);
                marked += static_cast<std::int64_t>(each[lsn] != Mark::None);
            }
            QCOMPARE(runs.count(), marked);
            QCOMPARE(runs.within(run(1, kLast)), marked);
        }
    }

    void whatIsMarkedIsFoundInEveryState() {
        Bench b;
        const Lsn one = b.pending();
        const Lsn two = b.ended();
        const Lsn three = b.ended(ActionState::Failed);
        const Lsn four = b.pending();
        QCOMPARE(b.mark({two, one, Lsn(99)}, Mark::Red)->unknown, std::vector{Lsn(99)});
        QCOMPARE(b.mark({three}, Mark::Blue)->marked, 1);
        QCOMPARE(b.found("mark:red"), fmt::format("{} {}", two.value, one.value));
        QCOMPARE(b.found("mark:*"), fmt::format("{} {} {}", three.value, two.value, one.value));
        QCOMPARE(b.found("mark:none"), fmt::format("{}", four.value));
        QCOMPARE(b.found("-mark:red"), fmt::format("{} {}", four.value, three.value));
        QCOMPARE(b.found("mark:none,blue state:failed"), fmt::format("{}", three.value));
        QCOMPARE(b.found("mark:green"), "");
        const auto page = b.list(Bench::query("mark:red"));
        QCOMPARE(page->jobs.front().mark, Mark::Red);
        QCOMPARE(b.mark({one}, Mark::None)->marked, 1);
        QCOMPARE(b.found("mark:red"), fmt::format("{}", two.value));
    }
    void whatIsCommentedIsFoundByItsWords() {
        Bench b;
        const Lsn one = b.pending();
        const Lsn two = b.ended();
        QVERIFY(b.comment(one, "Ask Anna first"));
        QVERIFY(b.comment(two, "done"));
        QVERIFY(b.comment(two, "or not: ask anna"));
        QCOMPARE(b.found("comment:ANNA"), fmt::format("{} {}", two.value, one.value));
        QCOMPARE(b.found("comment:done"), fmt::format("{}", two.value));
        QCOMPARE(b.found("-comment:*"), "");
        const auto page = b.list(Bench::query("comment:done"));
        const CommentSummary expected{.count = 2, .last = {.t = 77, .by = "engine", .text = "or not: ask anna"}};
        QVERIFY(page->jobs.front().comments == expected);
    }
    void moreThanAreLookedUpOneByOneAreFoundAsWell() {
        Bench b;
        std::vector<Lsn> lsns;
        for (int i = 0; i < 1'200; ++i) lsns.push_back(b.ended());
        QCOMPARE(b.mark(lsns, Mark::Green)->marked, 1'200);
        QVERIFY(b.mark({lsns[5]}, Mark::None));
        ListQuery query = Bench::query("mark:green");
        query.limit = 10;
        const auto page = b.list(query);
        QCOMPARE(page->jobs.size(), 10u);
        for (const ActionResult& row : page->jobs) QVERIFY(row.lsn != lsns[5]);
    }
    void aCommentIsByWhomTheClientNamesOrTheEnginesUser() {
        Bench b;
        const Lsn lsn = b.pending();
        QCOMPARE(b.comment(lsn, "x")->by, "engine");
        QCOMPARE(b.comment(lsn, "y", "anna")->by, "anna");
        QCOMPARE(b.rig.ask(b.annotating.comments(lsn))->size(), 2u);
        QCOMPARE(b.rig.ask(b.annotating.comments(Lsn(99))).error().kind, ErrorKind::NotFound);
        QCOMPARE(b.comment(lsn, "").error().field, "text");
    }
    void whatTheJournalRefusesIsNotShown() {
        Bench b;
        const Lsn lsn = b.ended();
        b.refusal = fail(ErrorKind::NoSpace, "full").error();
        QCOMPARE(b.mark({lsn}, Mark::Red).error().kind, ErrorKind::NoSpace);
        QCOMPARE(b.comment(lsn, "x").error().kind, ErrorKind::NoSpace);
        QCOMPARE(b.annotations.markOf(lsn), Mark::None);
        QVERIFY(!b.annotations.commentsOf(lsn));
    }
    void whatWasRetiredMeanwhileGetsNoMark() {
        Bench b;
        const Lsn gone = b.ended();
        const Lsn there = b.ended();
        b.retiredFirst = 1;
        const auto answer = b.mark({gone, there}, Mark::Red);
        QCOMPARE(answer->unknown, std::vector{gone});
        QCOMPARE(b.annotations.markOf(gone), Mark::None);
        QCOMPARE(b.annotations.markOf(there), Mark::Red);
    }
    void commentsHaveALimitForEachAndInAll() {
        Bench b;
        const Lsn lsn = b.ended();
        for (std::size_t i = 0; i < kMostComments; ++i) QVERIFY(b.comment(lsn, "x"));
        const auto refused = b.comment(lsn, "x");
        QCOMPARE(refused.error().kind, ErrorKind::AtLimit);
        QVERIFY2(refused.error().message.contains("100 comments"), refused.error().message.c_str());
        std::vector<store::CommentRow> many(kMostCommentsInAll - kMostComments);
        for (std::size_t i = 0; i < many.size(); ++i)
            many[i] = {.lsn = Lsn(static_cast<std::int64_t>(1'000 + i / kMostComments)),
                       .queue = {},
                       .comment = {.t = 1, .by = "a", .text = "b"}};
        b.annotations.restore({}, std::move(many));
        const Lsn other = b.ended();
        QCOMPARE(b.comment(other, "x").error().kind, ErrorKind::AtLimit);
        QCOMPARE(b.commentQueue(2, "x").error().kind, ErrorKind::AtLimit);
        b.annotations.forget(lsn);
        QVERIFY(b.comment(other, "x"));
    }
    void marksHaveALimit() {
        Bench b;
        const Lsn lsn = b.ended();
        b.annotations.mark(run(1'000, 1'000 + kMostMarked - 1), Mark::Grey);
        const auto refused = b.mark({lsn}, Mark::Red);
        QCOMPARE(refused.error().kind, ErrorKind::AtLimit);
        QVERIFY2(refused.error().message.contains("mark:grey"), refused.error().message.c_str());
        QVERIFY(b.mark({lsn}, Mark::None));
        b.annotations.forget(Lsn(1'000));
        QVERIFY(b.mark({lsn}, Mark::Red));
    }
    void aQueueShowsWhatIsNotedOnIt() {
        Bench b;
        const QueueRef tests{QueueId(2), {}};
        QVERIFY(b.commentQueue(2, "held for Monday"));
        const auto marked = b.rig.ask(b.queues.mark(tests, Mark::Yellow));
        QCOMPARE(marked->mark, Mark::Yellow);
        QCOMPARE(marked->comments->last.text, "held for Monday");
        QCOMPARE(b.rig.ask(b.annotating.queueComments(tests))->size(), 1u);
        QCOMPARE(b.commentQueue(9, "x").error().kind, ErrorKind::NotFound);
    }

    void anEngineKeepsThemOverARestartAndForgetsThemWithTheAction() {
        yard::test::EngineTest engine;
        const Lsn one = engine.sh("true");
        (void)engine.wait(one);
        const auto queue = engine.run(engine->ask(&engine::Queues::create, "noted", "{\"idle_expiry_s\":0}"));
        const QueueRef ref{queue->id, {}};
        QCOMPARE(engine.run(engine->ask(&engine::Annotating::mark, {one}, Mark::Red))->marked, 1);
        QVERIFY(engine.run(engine->ask(&engine::Annotating::comment, one, {.t = 0, .by = "anna", .text = "why?"})));
        QVERIFY(engine.run(engine->ask(&engine::Queues::mark, ref, Mark::Blue)));
        QVERIFY(engine.run(
            engine->ask(&engine::Annotating::commentQueue, ref, {.t = 0, .by = "anna", .text = "slow"})));
        engine.stop();
        engine.start();
        const ActionResult shown = *engine.run(engine->ask(&engine::ActionRows::action, one));
        QCOMPARE(shown.mark, Mark::Red);
        QCOMPARE(shown.comments->last.text, "why?");
        const QueueView view = *engine.run(engine->ask(&engine::Queues::get, ref));
        QCOMPARE(view.mark, Mark::Blue);
        QCOMPARE(view.comments->count, 1);
        QVERIFY(engine.run(engine->ask(&engine::Operations::retire, one)));
        QCOMPARE(engine.run(engine->ask(&engine::Annotating::comments, one)).error().kind, ErrorKind::NotFound);
        QVERIFY(engine.run(engine->ask(&engine::Queues::remove, ref)));
        engine.stop();
        engine.start();
        QCOMPARE(engine.run(engine->ask(&engine::Annotating::mark, {one}, Mark::Red))->unknown, std::vector{one});
    }
    void aMarkStaysWhenAnActionIsRunAgain() {
        yard::test::EngineTest engine;
        const Lsn lsn = engine.sh("exit 3");
        (void)engine.wait(lsn);
        QVERIFY(engine.run(engine->ask(&engine::Annotating::mark, {lsn}, Mark::Orange)));
        QVERIFY(engine.run(engine->ask(&engine::Rescheduling::reschedule, lsn, true)));
        QCOMPARE(engine.wait(lsn).mark, Mark::Orange);
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    TestAnnotations test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_annotations.moc"
