// Queues by themselves: no launcher, a journal in memory that answers when the test lets it, the clock moved by hand.
#include "core/engine/state/queues.h"

#include "core/session/live_views.h"
#include "tests/coro/coro_test.h"
#include "tests/session/machine.h"

#include <QTest>

#include <map>
#include <optional>

using namespace yard;
using namespace yard::engine;

namespace {

constexpr Duration kSecond{1'000'000};

QueueRef number(std::int64_t id) {
    return {QueueId{id}, {}};
}

class Bench {
public:
    coro::test::Rig rig;
    session::test::Machine machine{1};
    InternTable dictionary;
    std::string journal; ///< what was written, in words
    bool answers = true; ///< the journal does, at once
    bool takes = true;   ///< else what is written is refused
    coro::Event answered;
    int wakes = 0;
    std::map<std::int64_t, int> changes;
    Annotations annotations;
    Queues queues{{.session = machine.session,
                   .outbox = machine.out,
                   .dictionary = dictionary,
                   .annotations = annotations,
                   .commit = [this](store::Action action) { return commit(std::move(action)); },
                   .spawn = [this](const char* name, coro::Task<void> task) { rig.spawn(name, std::move(task)); },
                   .estimate = [](QueueView& view, const session::QueueStatus&) { view.estimatedFinish = 7; },
                   .changed = [this](QueueId id) { ++changes[id.value]; },
                   .now = [this] { return rig.loop.now(); },
                   .wake = [this] { ++wakes; }}};

    Bench() { queues.restore({store::QueueRow{}}, 4); }
    ~Bench() { rig.loop.shutdown(); }

    coro::Task<store::AckDetail> commit(store::Action action) {
        if (const auto* put = std::get_if<store::PutQueue>(&action))
            note("put " + std::to_string(put->row.id.value) + (put->row.held ? " held" : "") +
                 (put->row.state == QueueState::Cancelled ? " cancelled" : "") +
                 (put->row.deleting ? " deleting" : ""));
        if (const auto* drop = std::get_if<store::DropQueue>(&action))
            note("drop " + std::to_string(drop->id.value));
        if (!answers) co_await answered.wait();
        store::AckDetail detail;
        if (!takes) detail.error = fail(ErrorKind::NoSpace, "full").error();
        co_return detail;
    }
    void note(const std::string& word) { journal += (journal.empty() ? "" : ", ") + word; }
    std::string take() { return std::exchange(journal, {}); }

    QueueId make(const std::string& config = {}) { return rig.ask(queues.create("tag", config))->id; }
    /// What the session says is told, as the engine does it each turn.
    void turn() {
        machine.schedule();
        for (const QueueId id : std::exchange(machine.forgotten, {})) queues.forgotten(id);
        rig.settle();
    }
};

} // namespace

class TestQueuesService : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aQueueIsAnsweredOnceTheJournalHasIt() {
        Bench b;
        b.answers = false;
        const auto made = b.rig.begin(b.queues.create("night", R"({"max_running":3})"));
        QCOMPARE(b.take(), "put 5"); // numbers up to 4 were used before
        QVERIFY(!*made && !b.queues.find(QueueId{5}));
        b.answered.set();
        b.rig.settle();
        QVERIFY(*made && made->value());
        QCOMPARE((*made)->value().tag, "night");
        QCOMPARE((*made)->value().config.maxRunning, 3);
        QCOMPARE((*made)->value().estimatedFinish, 7);
        QVERIFY(b.queues.find(QueueId{5}));
        QCOMPARE(b.changes[5], 1);
    }

    void whatTheJournalRefusesIsNotMade() {
        Bench b;
        b.takes = false;
        const auto made = b.rig.begin(b.queues.create("night", {}));
        QCOMPARE(made->value().error().kind, ErrorKind::NoSpace);
        QCOMPARE(b.queues.all().size(), std::size_t{1});
        QVERIFY(!b.machine.session.views().queue(QueueId{5}));
    }

    void aTagIsShortText() {
        Bench b;
        for (const std::string& tag : {std::string(kMaxTag + 1, 'x'), std::string("\xff")})
            QCOMPARE(b.rig.ask(b.queues.create(tag, {})).error().field, "tag");
        QCOMPARE(b.take(), "");
    }

    void aChangeThatIsNotWrittenIsToldThoughItHolds() {
        Bench b;
        const QueueId id = b.make();
        b.takes = false;
        QCOMPARE(b.rig.ask(b.queues.setHeld(number(id.value), true)).error().kind, ErrorKind::NoSpace);
        QVERIFY(b.machine.session.views().queue(id)->held);
    }

    void whatIsHeldIsWrittenAndMayStartAgainOnceReleased() {
        Bench b;
        const QueueId id = b.make();
        b.take();
        QVERIFY(b.rig.ask(b.queues.setHeld(number(id.value), true)));
        b.machine.submit(id.value);
        QCOMPARE(b.machine.schedule(), std::size_t{0});
        const int before = b.wakes;
        QVERIFY(b.rig.ask(b.queues.setHeld(number(id.value), false)));
        QVERIFY(b.wakes > before);
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        QCOMPARE(b.take(), "put 5 held, put 5");
    }

    void allQueuesButCancelledOnesAreHeld() {
        Bench b;
        const QueueId kept = b.make();
        const QueueId ended = b.make();
        QVERIFY(b.rig.ask(b.queues.cancel(number(ended.value))));
        b.take();
        QVERIFY(b.rig.ask(b.queues.setAllHeld(true)));
        QCOMPARE(b.take(), "put 0 held, put 5 held");
        QVERIFY(b.rig.ask(b.queues.setAllHeld(true)));
        QCOMPARE(b.take(), "");
        QVERIFY(b.machine.session.views().queue(kept)->held);
    }

    void aQueueIsCancelledDurablyBeforeItIsDeleted() {
        Bench b;
        const QueueId id = b.make();
        b.machine.submit(id.value);
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        b.take();
        QVERIFY(b.rig.ask(b.queues.remove(number(id.value))));
        QCOMPARE(b.take(), "put 5 cancelled deleting");
        QVERIFY(!b.queues.find(id)); // nobody sees it any more; its action still runs
        b.machine.complete();
        b.turn();
        QCOMPARE(b.take(), "drop 5");
        QCOMPARE(b.queues.known(number(5)), std::optional(QueueId{5}));
        const auto gone = b.queues.existing(number(5));
        QCOMPARE(gone.error().kind, ErrorKind::NotFound);
        QVERIFY(gone.error().message.contains("any more"));
        QVERIFY(!b.queues.known(number(6)));
    }

    void aQueueThatWasCancelledBeforeIsWrittenAsDeletedBeforeThatIsAnswered() {
        Bench b;
        const QueueId id = b.make();
        QVERIFY(b.rig.ask(b.queues.cancel(number(id.value))));
        b.take();
        b.answers = false;
        const auto removed = b.rig.begin(b.queues.remove(number(id.value)));
        QCOMPARE(b.take(), "put 5 cancelled deleting");
        QVERIFY(!*removed && b.queues.find(id));
        b.answers = true;
        b.answered.set();
        b.rig.settle();
        QVERIFY(*removed && removed->value().has_value() && !b.queues.find(id));
    }

    void aQueueWhoseDeletionIsNotWrittenStays() {
        Bench b;
        const QueueId id = b.make();
        b.takes = false;
        QCOMPARE(b.rig.ask(b.queues.remove(number(id.value))).error().kind, ErrorKind::NoSpace);
        QVERIFY(b.queues.find(id));
    }

    void aDeletionThatAKillInterruptedGoesOn() {
        Bench b;
        store::QueueRow row;
        row.id = QueueId{4};
        row.token = "abc";
        row.state = QueueState::Cancelled;
        row.deleting = true;
        b.queues.restore({row}, 4);
        QVERIFY(!b.queues.find(QueueId{4}));
        b.machine.submit(4); // ends as cancelled
        b.queues.goOnDeleting();
        QVERIFY(b.machine.session.views().queue(QueueId{4}));
        QCOMPARE(b.take(), "");
        b.turn();
        QCOMPARE(b.take(), "drop 4");
        QVERIFY(!b.machine.session.views().queue(QueueId{4}));
    }

    void theDefaultQueueStays() {
        Bench b;
        QCOMPARE(b.rig.ask(b.queues.remove(number(0))).error().kind, ErrorKind::WrongState);
        QCOMPARE(b.take(), "");
    }

    void aQueueThatNobodyUsesIsDeletedWhenItsIdleTimeIsOver() {
        Bench b;
        b.rig.spawn("expiry", b.queues.run());
        const QueueId id = b.make(R"({"idle_expiry_s":10})");
        b.rig.advance(6 * kSecond);
        QVERIFY(b.queues.existing(number(id.value))); // is a use
        b.rig.advance(9 * kSecond);
        QVERIFY(b.queues.find(id));
        b.rig.advance(1 * kSecond);
        QVERIFY(!b.queues.find(id));
        b.take();
        b.turn();
        QCOMPARE(b.take(), "drop 5");
    }

    void aQueueWithAnActionIsNotIdle() {
        Bench b;
        b.rig.spawn("expiry", b.queues.run());
        const QueueId id = b.make(R"({"idle_expiry_s":10})");
        b.machine.submit(id.value);
        QCOMPARE(b.machine.schedule(), std::size_t{1});
        b.rig.advance(60 * kSecond);
        QVERIFY(b.queues.find(id));
        b.machine.complete();
        b.queues.ended(id, ActionState::Completed);
        b.rig.advance(9 * kSecond);
        QCOMPARE(b.queues.view(*b.queues.find(id)).perMinute, std::optional(std::int64_t{1}));
        b.rig.advance(1 * kSecond);
        QVERIFY(!b.queues.find(id));
    }

    void whatCompletedInTheLastMinuteIsNotKnownRightAfterAStart() {
        Bench b;
        store::QueueRow row;
        row.id = QueueId{4};
        row.config = R"({"idle_expiry_s":0})";
        row.counters.completed = 3;
        b.queues.restore({row}, 4);
        const auto rate = [&](std::int64_t id) { return b.queues.view(*b.queues.find(QueueId{id})).perMinute; };
        QCOMPARE(rate(0), std::optional(std::int64_t{0})); // nothing was before
        QCOMPARE(rate(4), std::optional<std::int64_t>());
        b.rig.advance(30 * kSecond);
        b.queues.ended(QueueId{4}, ActionState::Completed);
        QCOMPARE(rate(4), std::optional<std::int64_t>());
        b.rig.advance(31 * kSecond);
        QCOMPARE(rate(4), std::optional(std::int64_t{1}));
    }

    void aQueueWithoutAnIdleTimeStays() {
        Bench b;
        b.rig.spawn("expiry", b.queues.run());
        const QueueId id = b.make(R"({"idle_expiry_s":0})");
        b.rig.advance(1'000'000 * kSecond);
        QVERIFY(b.queues.find(id));
    }

    void aConfigurationThatCannotBeReadIsTheDefaultOne() {
        Bench b;
        store::QueueRow damaged;
        damaged.id = QueueId{9};
        damaged.config = "{";
        b.queues.restore({damaged}, 4);
        QCOMPARE(toJson(b.queues.view(*b.queues.find(QueueId{9})).config), toJson(QueueConfig{}));
        QCOMPARE(b.make(), QueueId{10}); // above what is there, whatever the journal said
    }

    void aQueueThatIsStoppedByItsFailuresIsWritten() {
        Bench b;
        const QueueId id = b.make();
        b.take();
        b.queues.stopped(id);
        b.rig.settle();
        QCOMPARE(b.take(), "put 5");
    }
};

QTEST_GUILESS_MAIN(TestQueuesService)
#include "tst_queues_service.moc"
