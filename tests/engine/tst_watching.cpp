// Those who watch: what they are told of, in which steps, and what happens to who is far behind.
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include "core/engine/commands/operations.h"
#include "core/engine/commands/session_moves.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/watching.h"
#include "core/engine/state/change_feed.h"
#include "core/engine/state/change_log.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/queues.h"
#include "core/engine/state/watch.h"
#include "core/history/histogram.h"

#include <QFile>
#include <QObject>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace yard;
using namespace yard::engine;
using yard::test::EngineTest;

namespace {

std::shared_ptr<const Watch> watchOf(Watch::Kind kind) {
    auto watch = std::make_shared<Watch>();
    watch->kind = kind;
    return watch;
}

std::shared_ptr<const Watch> watchLsns(std::vector<Lsn> lsns) {
    auto watch = std::make_shared<Watch>();
    watch->kind = Watch::Kind::Lsns;
    watch->lsns = std::move(lsns);
    return watch;
}

std::shared_ptr<const Watch> watchFilter(ListQuery filter) {
    auto watch = std::make_shared<Watch>();
    watch->kind = Watch::Kind::Filter;
    watch->filter = std::move(filter);
    return watch;
}

/// One watcher, who asks from where he is.
class Watcher {
public:
    Watcher(EngineTest& engine, std::shared_ptr<const Watch> watch)
        : engine_(engine) {
        request.watch = std::move(watch);
        request.everything = true;
        request.allRows = true;
        last = collect();
        request.everything = request.allRows = false;
    }
    /// What changed since the last time.
    const WatchUpdate& ask() {
        last = collect();
        return last.updates.front();
    }
    /// Asks until `holds`, each time when something has changed; what was told on the way is added up in `rows`.
    bool askUntil(const std::function<bool(const WatchedChanges&)>& holds) {
        for (int i = 0; i < 1'000; ++i) {
            ask();
            if (holds(last)) return true;
            if (last.updates.front().kind == WatchUpdate::Kind::Lost) return false;
            engine_.run(engine_->ask(&engine::ChangeLog::after, request.seen));
        }
        return false;
    }
    std::string states() const {
        std::string text;
        for (const Lsn lsn : last.updates.front().rows)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", lsn.value, name(last.rows.at(lsn).state));
        for (const Lsn lsn : last.updates.front().goneRows) text += fmt::format(" -{}", lsn.value);
        return text;
    }

    WatchRequest request;
    WatchedChanges last;

private:
    WatchedChanges collect() {
        std::vector<WatchRequest> requests{request};
        WatchedChanges told = engine_.run(engine_->ask(&engine::Watching::collect, std::move(requests)));
        if (told.updates.front().kind == WatchUpdate::Kind::Told) request.seen = told.updates.front().seq;
        return told;
    }
    EngineTest& engine_;
};

std::string printed(const FinishedRow& row) {
    std::string text = fmt::format("{} {} {}", row.lsn.value, name(row.state), name(row.reason));
    if (row.exitCode) text += fmt::format(" {}", *row.exitCode);
    return text;
}

Lsn after(Lsn lsn, int n) {
    return Lsn(lsn.value + n);
}

} // namespace

class WatchingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFeedKeepsTheLastChangesAndCoversNothingElse() {
        ChangeFeed feed;
        feed.note({.lsn = Lsn(1), .queue = {}});
        QCOMPARE(feed.last(), 0u);
        QVERIFY(!feed.covers(0));
        feed.open();
        const std::uint64_t begun = feed.last();
        QVERIFY(feed.covers(begun));
        QVERIFY(!feed.covers(begun - 1));
        QVERIFY(!feed.covers(begun + 1));
        for (std::size_t i = 0; i < ChangeFeed::kKept; ++i) feed.note({.lsn = Lsn(int(i) + 1), .queue = {}});
        QVERIFY(feed.covers(begun));
        QCOMPARE(feed.at(begun + 1).lsn, Lsn(1));
        feed.note({.lsn = Lsn(7), .queue = {}});
        QVERIFY(!feed.covers(begun));
        QVERIFY(feed.covers(begun + 1));
        QCOMPARE(feed.at(feed.last()).lsn, Lsn(7));
        const std::uint64_t end = feed.last();
        feed.close();
        QVERIFY(!feed.covers(end));
        feed.open();
        QVERIFY(!feed.covers(end)); // something may have happened in between
        QCOMPARE(feed.last(), end + 1);
    }

    void aHistogramCountsEachDurationInTheFirstBucketThatHoldsIt() {
        history::Histogram histogram;
        histogram.observe(Duration(-5));
        histogram.observe(Duration(50));
        histogram.observe(Duration(51));
        histogram.observe(Duration(history::Histogram::kBounds.back() + 1));
        QCOMPARE(histogram.inBucket(0), 2u);
        QCOMPARE(histogram.inBucket(1), 1u);
        QCOMPARE(histogram.inBucket(history::Histogram::kBounds.size() - 1), 0u);
        QCOMPARE(histogram.count(), 4u);
        QCOMPARE(histogram.sumMicros(), 101 + history::Histogram::kBounds.back() + 1);
    }

    void whoBeginsIsToldOfEverything() {
        EngineTest engine;
        Watcher watcher(engine, watchOf(Watch::Kind::Nothing));
        const WatchUpdate& update = watcher.last.updates.front();
        QVERIFY(update.session && update.counts && update.workers && !update.moreQueues);
        QCOMPARE(update.queues, std::vector<QueueId>{QueueId(0)});
        QCOMPARE(watcher.last.session.state, SessionState::Ready);
        QCOMPARE(watcher.last.latest, update.seq);
        const WatchUpdate& nothing = watcher.ask();
        QVERIFY(!nothing.session && !nothing.counts && !nothing.workers && nothing.queues.empty());
    }

    void endsAreToldWithTheirReasonAndExitCode() {
        EngineTest engine;
        Watcher watcher(engine, watchOf(Watch::Kind::Finished));
        engine.run(engine->ask(&engine::Queues::configure, {QueueId(0), {}}, R"({"max_retries":0})"));
        const Lsn good = engine.sh("exit 0");
        const Lsn bad = engine.sh("exit 3");
        const Lsn killed = engine.sh("kill -9 $$");
        std::vector<std::string> ends;
        QVERIFY(watcher.askUntil([&](const WatchedChanges& told) {
            for (const FinishedRow& row : told.updates.front().finished) ends.push_back(printed(row));
            return ends.size() == 3;
        }));
        std::ranges::sort(ends);
        QCOMPARE(ends, (std::vector<std::string>{fmt::format("{} completed  0", good.value),
                                                 fmt::format("{} failed exit_code 3", bad.value),
                                                 fmt::format("{} failed signal", killed.value)}));
        QVERIFY(watcher.last.updates.front().counts);
        QCOMPARE(watcher.last.session.counts[std::to_underlying(ActionState::Failed)], 2);
        QCOMPARE(watcher.last.queues.at(QueueId(0)).counters.completed, 1);
    }

    void aListOfActionsIsToldEachStateItIsFoundIn() {
        EngineTest engine;
        const Lsn mine = engine.sh("while [ ! -e go ]; do sleep 0.01; done");
        Watcher watcher(engine, watchLsns({mine, Lsn(mine.value + 1'000'000)}));
        QVERIFY(watcher.last.updates.front().goneRows == std::vector<Lsn>{Lsn(mine.value + 1'000'000)});
        const Lsn other = engine.sh("true");
        engine.wait(other);
        if (watcher.last.rows.at(mine).state != ActionState::Running)
            QVERIFY(watcher.askUntil([&](const WatchedChanges& told) {
                return told.rows.contains(mine) && told.rows.at(mine).state == ActionState::Running;
            }));
        QFile go(engine.dir().filePath("go"));
        QVERIFY(go.open(QIODevice::WriteOnly));
        QVERIFY(watcher.askUntil([&](const WatchedChanges& told) {
            return told.rows.contains(mine) && told.rows.at(mine).state == ActionState::Completed;
        }));
        QVERIFY(!watcher.last.rows.contains(other));
        QVERIFY(engine.run(engine->ask(&engine::Operations::retire, mine)));
        QCOMPARE(watcher.ask().goneRows, std::vector<Lsn>{mine});
        QVERIFY(watcher.last.updates.front().queues.empty()); // retirement changes no counters
    }

    void rowsEnterAndLeaveAFilter() {
        EngineTest engine;
        ListQuery filter;
        filter.heldOnly = true;
        filter.label = "mine";
        const Lsn first = engine.sh("true", R"(,"label":"mine","hold":true)");
        Watcher watcher(engine, watchFilter(filter));
        QCOMPARE(watcher.states(), fmt::format("{} pending", first.value));
        watcher.request.known = std::make_shared<KnownRows>(watcher.last.updates.front().rows);

        engine.sh("true", R"(,"label":"other","hold":true)");
        const Lsn second = engine.sh("true", R"(,"label":"mine","hold":true)");
        watcher.ask();
        QCOMPARE(watcher.states(), fmt::format("{} pending", second.value));
        watcher.request.known = std::make_shared<KnownRows>(KnownRows{first, second});
        QVERIFY(engine.run(engine->ask(&engine::Operations::release, first)));
        engine.wait(first);
        watcher.ask();
        QCOMPARE(watcher.states(), fmt::format(" -{}", first.value));
        watcher.request.known = std::make_shared<KnownRows>(KnownRows{second});
        QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, second)));
        engine.wait(second);
        QVERIFY(engine.run(engine->ask(&engine::Operations::retire, second)));
        watcher.ask();
        QCOMPARE(watcher.states(), fmt::format(" -{}", second.value));
    }

    void whoWaitsForAnActionEntersItsFilter() {
        EngineTest engine;
        const Lsn parent = engine.sh("true", R"(,"hold":true)");
        ListQuery filter;
        filter.filter = *parseFilter(fmt::format("after:{}", parent.value), wallNow());
        Watcher watcher(engine, watchFilter(filter));
        QCOMPARE(watcher.states(), std::string());
        watcher.request.known = std::make_shared<KnownRows>();
        engine.sh("true", R"(,"hold":true)");
        const Lsn child = engine.sh("true", fmt::format(R"(,"after":[{}])", parent.value));
        watcher.ask();
        QCOMPARE(watcher.states(), fmt::format("{} pending", child.value));
    }

    void aFilterLooksAtQueueWorkerStateAndText() {
        EngineTest engine;
        engine.run(engine->ask(&engine::Queues::configure, {QueueId(0), {}}, R"({"max_retries":0})"));
        const QueueId queue = engine.run(engine->ask(&engine::Queues::create, "", "{}"))->id;
        ListQuery failures;
        failures.queue = QueueRef{queue, {}};
        failures.worker = "exec";
        failures.states = {ActionState::Failed};
        failures.text = "sorry";
        Watcher watcher(engine, watchFilter(failures));
        QCOMPARE(watcher.states(), std::string());
        const auto inQueue = [&](const char* script) { return engine.sh(script, "", QueueRef{queue, {}}); };
        engine.run(engine->ask(&engine::Queues::configure, {queue, {}}, R"({"max_retries":0})"));
        const Lsn wanted = inQueue("echo sorry >&2; exit 1");
        for (const Lsn other :
             {inQueue("echo fine; exit 1"), inQueue("echo sorry"), engine.sh("echo sorry; exit 1")})
            engine.wait(other);
        engine.wait(wanted);
        std::vector<Lsn> told;
        QVERIFY(watcher.askUntil([&](const WatchedChanges& update) {
            const auto& rows = update.updates.front().rows;
            told.insert(told.end(), rows.begin(), rows.end());
            return update.latest == watcher.request.seen;
        }));
        QCOMPARE(told, std::vector<Lsn>{wanted});

        // What has finished stays to be seen when its queue is deleted.
        QVERIFY(engine.run(engine->ask(&engine::Queues::remove, {queue, {}})));
        Watcher later(engine, watchFilter(failures));
        QCOMPARE(later.states(), fmt::format("{} failed", wanted.value));
        QVERIFY(engine.run(engine->ask(&engine::Operations::retire, wanted)));
        later.request.known = std::make_shared<KnownRows>(KnownRows{wanted});
        later.ask();
        QCOMPARE(later.states(), fmt::format(" -{}", wanted.value));

        ListQuery nobody;
        nobody.queue = QueueRef{QueueId(999), {}};
        nobody.worker = "somebody@1";
        Watcher lost(engine, watchFilter(nobody));
        engine.wait(engine.sh("true"));
        lost.ask();
        QCOMPARE(lost.states(), std::string());
    }

    void queuesComeAndGo() {
        EngineTest engine;
        Watcher watcher(engine, watchOf(Watch::Kind::Nothing));
        const QueueView queue = *engine.run(engine->ask(&engine::Queues::create, "night", "{}"));
        QCOMPARE(watcher.ask().queues, std::vector<QueueId>{queue.id});
        QCOMPARE(watcher.last.queues.at(queue.id).tag, std::string("night"));
        engine.run(engine->ask(&engine::Queues::setHeld, {queue.id, {}}, true));
        QCOMPARE(watcher.ask().queues, std::vector<QueueId>{queue.id});
        QVERIFY(watcher.last.queues.at(queue.id).held);
        QVERIFY(engine.run(engine->ask(&engine::Queues::remove, {queue.id, {}})));
        QCOMPARE(watcher.ask().goneQueues, std::vector<QueueId>{queue.id});
    }

    void whatAQueueThatIsGoneDidCountsInAllAfterARestart() {
        EngineTest engine;
        const QueueView queue = *engine.run(engine->ask(&engine::Queues::create, "night", R"({"max_retries":0})"));
        engine.wait(engine.sh("true", "", QueueRef{queue.id, {}}));
        engine.wait(engine.sh("exit 3", "", QueueRef{queue.id, {}}));
        engine.wait(engine.sh("true"));
        const auto counts = [&] { return engine.run(engine->ask(&Overview::session)).counts; };
        const auto before = counts();
        QCOMPARE(before[std::size_t(ActionState::Completed)], 2);
        QVERIFY(engine.run(engine->ask(&engine::Queues::remove, {queue.id, {}})));
        QVERIFY(EngineTest::eventually([&] { return engine.run(engine->ask(&engine::Queues::list)).size() == 1; }));
        for (int restart = 0; restart < 2; ++restart) {
            engine.stop();
            engine.start();
            QVERIFY(counts() == before);
        }
    }

    void manyQueuesAreToldInParts() {
        EngineTest engine;
        constexpr int kQueues = 520;
        for (int i = 1; i < kQueues; ++i) QVERIFY(engine.run(engine->ask(&engine::Queues::create, "", "{}")));
        Watcher watcher(engine, watchOf(Watch::Kind::Nothing));
        const WatchUpdate first = watcher.last.updates.front();
        QVERIFY(first.moreQueues);
        QCOMPARE(first.queues.size(), 500u);
        // Between the parts something changes: it is told after them.
        engine.run(engine->ask(&engine::Queues::setHeld, {QueueId(1), {}}, true));
        watcher.request.everything = true;
        watcher.request.afterQueue = first.queues.back();
        const WatchUpdate second = watcher.ask();
        QVERIFY(!second.moreQueues && !second.session);
        QCOMPARE(second.queues.size(), kQueues - 500u);
        QCOMPARE(second.seq, first.seq);
        watcher.request.everything = false;
        watcher.request.afterQueue.reset();
        QCOMPARE(watcher.ask().queues, std::vector<QueueId>{QueueId(1)});
        // More queues change at once than one update holds.
        engine.run(engine->ask(&engine::Queues::setAllHeld, true));
        const WatchUpdate some = watcher.ask();
        QCOMPARE(some.queues.size(), 500u);
        QVERIFY(some.seq < watcher.last.latest);
        QVERIFY(watcher.ask().queues.size() < 500u);
        QCOMPARE(watcher.request.seen, watcher.last.latest);
    }

    void manyEndsAreToldInParts() {
        EngineTest engine;
        constexpr int kActions = 5'000;
        const QueueId queue = engine.run(engine->ask(&engine::Queues::create, "", "{}"))->id;
        Watcher watcher(engine, watchOf(Watch::Kind::Finished));
        engine.sh("true", fmt::format(R"(,"hold":true,"array":{{"from":1,"to":{}}})", kActions),
                  QueueRef{queue, {}});
        QVERIFY(engine.run(engine->ask(&engine::Queues::cancel, {queue, {}})));
        std::size_t ends = 0;
        std::size_t most = 0;
        QVERIFY(watcher.askUntil([&](const WatchedChanges& told) {
            ends += told.updates.front().finished.size();
            most = std::max(most, told.updates.front().finished.size());
            return ends == kActions;
        }));
        QVERIFY(most <= 4'000u);
        QCOMPARE(watcher.last.queues.at(queue).counters.cancelled, kActions);
    }

    void whoIsFurtherBehindThanTheRingIsLost() {
        EngineTest engine;
        Watcher watcher(engine, watchOf(Watch::Kind::Nothing));
        const std::uint64_t begun = watcher.request.seen;
        const QueueId queue = engine.run(engine->ask(&engine::Queues::create, "", "{}"))->id;
        engine.sh("true", R"(,"hold":true,"array":{"from":1,"to":70000})", QueueRef{queue, {}});
        QVERIFY(watcher.ask().kind == WatchUpdate::Kind::Lost);
        QCOMPARE(watcher.request.seen, begun);
        watcher.request.everything = true;
        QVERIFY(watcher.ask().kind == WatchUpdate::Kind::Told);
        QCOMPARE(watcher.last.queues.at(queue).counters.pending, 70'000);
        watcher.request.everything = false;
        watcher.request.seen = watcher.last.latest + 5; // of another run, or made up
        QVERIFY(watcher.ask().kind == WatchUpdate::Kind::Lost);
    }

    void aFilterHasTheNewestThousandRowsAndWatchersWithoutRoomComeLater() {
        EngineTest engine;
        const Lsn first = engine.sh("true", R"(,"hold":true,"array":{"from":1,"to":1500})");
        ListQuery held;
        held.heldOnly = true;
        Watcher watcher(engine, watchFilter(held));
        const WatchUpdate& update = watcher.last.updates.front();
        QCOMPARE(update.rows.size(), kMaxWatchedRows);
        QCOMPARE(update.rows.back(), after(first, 1499));
        // Each of them watches other rows; together they are more than one answer holds.
        std::vector<WatchRequest> requests;
        for (int i = 0; i < 6; ++i) {
            std::vector<Lsn> lsns;
            for (int n = 0; n < 1000; ++n) lsns.push_back(after(first, i * 1000 + n));
            WatchRequest& request = requests.emplace_back();
            request.watch = watchLsns(std::move(lsns));
            request.seen = watcher.request.seen;
            request.allRows = true;
        }
        const WatchedChanges told = engine.run(engine->ask(&engine::Watching::collect, requests));
        QVERIFY(told.updates[0].kind == WatchUpdate::Kind::Told);
        QVERIFY(told.updates[4].kind == WatchUpdate::Kind::Later);
        QVERIFY(told.updates[5].kind == WatchUpdate::Kind::Later);
        QCOMPARE(told.updates[1].rows.size(), 500u);
        QCOMPARE(told.updates[1].goneRows.size(), 500u);
    }

    void anAbandonedSessionIsToldOnceForEachAction() {
        EngineTest engine;
        Watcher watcher(engine, watchOf(Watch::Kind::Finished));
        const Lsn held = engine.sh("true", R"(,"hold":true)");
        const Lsn running = engine.sh("touch up; sleep 60");
        QVERIFY(EngineTest::eventually([&] { return QFile::exists(engine.dir().filePath("up")); }));
        bool session = false;
        std::vector<std::string> ends;
        QVERIFY(engine.run(engine->ask(&SessionMoves::moveTo, SessionState::Abandoned)));
        QVERIFY(watcher.askUntil([&](const WatchedChanges& told) {
            session |= told.updates.front().session;
            for (const FinishedRow& row : told.updates.front().finished) ends.push_back(printed(row));
            return ends.size() == 2;
        }));
        QVERIFY(session);
        QCOMPARE(watcher.last.session.state, SessionState::Abandoned);
        std::ranges::sort(ends);
        QCOMPARE(ends, (std::vector<std::string>{fmt::format("{} abandoned abandoned", held.value),
                                                 fmt::format("{} abandoned abandoned", running.value)}));
    }

    void aMoveOfAHeldActionIsSeen() {
        EngineTest engine;
        const QueueView other = *engine.run(engine->ask(&engine::Queues::create, "", "{}"));
        const Lsn lsn = engine.sh("exit 0", R"(,"hold":true)");
        Watcher watcher(engine, watchFilter({}));
        QVERIFY(watcher.last.rows.contains(lsn));
        ActionChange change;
        change.priority = 9;
        QVERIFY(engine.run(engine->ask(&engine::Operations::change, lsn, change)));
        QVERIFY(watcher.askUntil([&](const WatchedChanges& told) {
            return told.rows.contains(lsn) && told.rows.at(lsn).priority == 9;
        }));
        change = {.priority = {}, .queue = QueueRef{other.id, {}}};
        QVERIFY(engine.run(engine->ask(&engine::Operations::change, lsn, change)));
        QVERIFY(watcher.askUntil([&](const WatchedChanges& told) {
            return told.queues.contains(QueueId(0)) && told.queues.at(QueueId(0)).counters.pending == 0 &&
                   told.queues.contains(other.id) && told.queues.at(other.id).counters.pending == 1;
        }));
    }

    void aRetryIsSeenAsPendingWithItsTime() {
        EngineTest engine;
        engine.run(
            engine->ask(&engine::Queues::configure, {QueueId(0), {}}, R"({"backoff_s":600,"backoff_max_s":600})"));
        ListQuery retrying;
        retrying.retryOnly = true;
        Watcher watcher(engine, watchFilter(retrying));
        const Lsn lsn = engine.sh("exit 1");
        QVERIFY(watcher.askUntil([&](const WatchedChanges& told) { return !told.updates.front().rows.empty(); }));
        QVERIFY(watcher.last.rows.at(lsn).retryAt > 0);
        const MetricsView metrics = engine.run(engine->ask(&Overview::metrics));
        QCOMPARE(metrics.counters.retried[std::to_underlying(Reason::ExitCode)], 1u);
    }

    void figuresCountWhatHappened() {
        EngineTest engine;
        engine.run(engine->ask(&engine::Queues::configure, {QueueId(0), {}}, R"({"max_retries":0})"));
        engine.wait(engine.sh("exit 0"));
        engine.wait(engine.sh("exit 4"));
        engine.sh("true", R"(,"hold":true)");
        QVERIFY(!engine.trySubmit(R"({"worker":"nobody","function":"f"})"));
        const MetricsView view = engine.run(engine->ask(&Overview::metrics));
        const EngineCounters& counters = view.counters;
        QCOMPARE(counters.submitted, 3u);
        QCOMPARE(counters.submissions, 3u);
        QCOMPARE(counters.refusedSubmissions, 1u);
        QCOMPARE(counters.started, 2u);
        const auto finished = [&](ActionState state, Reason reason) {
            return counters.finished[std::to_underlying(state)][std::to_underlying(reason)];
        };
        QCOMPARE(finished(ActionState::Completed, Reason::None), 1u);
        QCOMPARE(finished(ActionState::Failed, Reason::ExitCode), 1u);
        for (const history::Histogram* each : {&counters.wait, &counters.prepare, &counters.run, &counters.commit})
            QCOMPARE(each->count(), 2u);
        QCOMPARE(counters.submit.count(), 4u);
        QCOMPARE(view.held, 1);
        QCOMPARE(view.queues.size(), 1u);
        QCOMPARE(view.queues[0].pending, 1);
        QVERIFY(view.store.groups > 0 && view.store.operations > 0);
        QCOMPARE(view.revision, 0u); // nobody watched
    }

    void whoWaitsForAChangeIsAnsweredWhenTheEngineCloses() {
        EngineTest engine;
        Watcher watcher(engine, watchOf(Watch::Kind::Nothing));
        std::optional<std::uint64_t> seen;
        std::atomic<bool> ended{false};
        std::thread waiting([&] {
            coro::Loop loop;
            loop.spawn("wait",
                       [](engine::Engine& core, std::uint64_t from,
                          std::optional<std::uint64_t>& answer) -> coro::Task<void> {
                           answer = co_await core.ask(&engine::ChangeLog::after, from);
                       }(*engine, watcher.request.seen, seen));
            loop.run();
            ended = true;
        });
        engine->close();
        waiting.join();
        QVERIFY(ended && seen.has_value());
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    WatchingTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_watching.moc"
