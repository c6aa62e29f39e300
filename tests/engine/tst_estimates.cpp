// When something is expected to start and to end: from what was seen here, and nothing where nothing is known.
// Times are compared with each other, never with a clock: what takes one kind's mean again and again.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/state/estimator.h"
#include "core/engine/state/queues.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <cmath>
#include <filesystem>
#include <fstream>

using namespace yard;
using namespace yard::test;

namespace {

/// An engine whose cores are all taken by actions that wait for a file, once one that took a while has completed.
class Busy {
public:
    explicit Busy(int cores, std::function<void(engine::Options&)> adjust = {})
        : engine(cores, std::move(adjust)) {
        learn();
    }
    /// Half a second of "work" is the only thing known then.
    void learn(std::optional<QueueRef> queue = {}) {
        (void)engine.wait(engine.sh("exec sleep 0.5", R"(,"label":"work")", std::move(queue)));
    }
    void fill(int actions, const std::string& more = "", std::optional<QueueRef> queue = {}) {
        for (int i = 0; i < actions; ++i)
            running.push_back(
                engine.sh("while [ ! -e go ]; do sleep 0.05; done", R"(,"label":"work")" + more, queue));
        for (const Lsn lsn : running)
            if (!EngineTest::eventually([&] { return at(lsn).state == ActionState::Running; }))
                qFatal("does not run");
    }
    ActionResult at(Lsn lsn) { return *engine.run(engine->ask(&engine::ActionRows::action, lsn)); }
    /// How many means until it starts, from the moment it was asked; -1: not known. What runs does not end before
    /// finish(): it is late sooner or later, and then what waits counts from now, whenever it is asked for.
    double rounds(Lsn lsn) {
        const WallMicros now = wallNow();
        const ActionResult seen = at(lsn);
        if (seen.estimatedStart == 0) return -1;
        const auto mean = static_cast<double>(seen.estimatedFinish - seen.estimatedStart);
        return static_cast<double>(seen.estimatedStart - now) / mean;
    }
    std::vector<Lsn> submit(int actions, const std::string& more, std::optional<QueueRef> queue = {}) {
        std::vector<Lsn> lsns;
        for (int i = 0; i < actions; ++i) lsns.push_back(engine.sh("true", R"(,"label":"work")" + more, queue));
        return lsns;
    }
    QueueRef queue(const std::string& config = "{}") {
        const auto made = engine.run(engine->ask(&engine::Queues::create, {}, config));
        if (!made) qFatal("%s", made.error().message.c_str());
        return *parseQueueRef(std::to_string(made->id.value));
    }
    void finish() {
        std::ofstream(engine.path("go")) << "";
        for (const Lsn lsn : running) (void)engine.wait(lsn);
    }

    EngineTest engine;
    std::vector<Lsn> running;
};

/// "known", or why it is not.
template<class Estimated>
std::string estimateOf(const Estimated& of) {
    if (of.estimatedStart != 0 || of.estimatedFinish != 0) return "known";
    return std::string(name(of.estimateGap));
}

/// About: an eighth of a mean more or less is the time that the question took.
bool isAbout(double rounds, double expected) {
    return std::abs(rounds - expected) <= 0.3 + expected / 8;
}

} // namespace

class TestEstimates : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsLeftIsSaidInWordsThatFit_data();
    void whatIsLeftIsSaidInWordsThatFit();
    void whatNeedsMemoryOrALicenceRunsOneAfterTheOther();
    void whatNeedsALockRunsOneAfterTheOther();
    void whatHasALimitedLabelRunsOneAfterTheOther();
    void heldActionsTakeNoPartOfTheMachine();
    void aNewQueueIsEstimatedByWhatWasSeenBefore();
    void somethingNewIsNotEstimatedByWhatElseCompleted();
    void behindWhatHasNoKnownEndNothingIsSaidButWhy();
    void whatCannotStartSaysWhyItHasNoEstimate();
    void aQueueSaysWhyItsEndIsNotKnown();
    void aQueueEndsAfterWhatIsNotToStartBefore();
    void whatIsLateSaysSoAndNoTimeInThePast();
    void aCommandWithoutALabelIsLateByItsOwnTimeOnly();
    void whatOtherQueuesHaveToDoCounts();
    void nothingIsSaidWhereNothingIsKnown();
    void whatAQueueTakesIsKnownAfterARestart();
};

void TestEstimates::whatIsLeftIsSaidInWordsThatFit_data() {
    QTest::addColumn<double>("usual");
    QTest::addColumn<double>("soFar");
    QTest::addColumn<std::string>("said");
    QTest::newRow("minutes") << 190.0 << 50.0 << std::string("about 2 min left");
    QTest::newRow("seconds") << 50.0 << 10.0 << std::string("about 40 s left");
    QTest::newRow("one second") << 1.2 << 0.5 << std::string("about 1 s left");
    QTest::newRow("the last moment") << 10.0 << 9.8 << std::string("less than a second left");
    QTest::newRow("short ones") << 0.02 << 0.01 << std::string("less than a second left");
    QTest::newRow("a short one, just late") << 0.02 << 0.3 << std::string("less than a second left");
    QTest::newRow("a short one that hangs")
        << 0.02 << 300.0 << std::string("usually takes less than a second, now 5 min");
    QTest::newRow("late") << 3.0 << 130.0 << std::string("usually takes 3 s, now 2 min");
}

void TestEstimates::whatIsLeftIsSaidInWordsThatFit() {
    QFETCH(const double, usual);
    QFETCH(const double, soFar);
    const auto micros = [](double seconds) { return Duration(std::llround(seconds * 1e6)); };
    QTEST(engine::leftOf(micros(usual), micros(soFar)), "said");
}

void TestEstimates::whatNeedsMemoryOrALicenceRunsOneAfterTheOther() {
    Busy b(4,
           [](engine::Options& options) { options.set = {"resources.licence.x=2", "resources.memory_mb=1000"}; });
    b.fill(4);
    const auto plain = b.submit(9, "");
    QVERIFY2(EngineTest::eventually([&] { return isAbout(b.rounds(plain[8]), 2); }),
             std::to_string(b.rounds(plain[8])).c_str()); // four at once, after those
    const QueueRef other = b.queue();
    const auto licensed = b.submit(9, R"(,"resources":{"cores":1,"licence.x":1})", other);
    // Two at once, while the other queue has the other two cores.
    QVERIFY2(EngineTest::eventually([&] { return isAbout(b.rounds(licensed[8]), 4); }),
             std::to_string(b.rounds(licensed[8])).c_str());
    const QueueRef third = b.queue(R"({"weight":2})");
    const auto large = b.submit(5, R"(,"resources":{"cores":1,"memory_mb":900})", third);
    QVERIFY(EngineTest::eventually([&] { return b.rounds(large[4]) >= 4; }));
    b.finish();
}

void TestEstimates::whatNeedsALockRunsOneAfterTheOther() {
    Busy b(4);
    b.fill(4);
    const auto locked = b.submit(7, R"(,"locks":["one"])");
    QVERIFY2(EngineTest::eventually([&] { return isAbout(b.rounds(locked[6]), 6); }),
             std::to_string(b.rounds(locked[6])).c_str());
    const WallMicros asked = wallNow();
    const auto queue = b.engine.run(b.engine->ask(&engine::Queues::get, *parseQueueRef("0")));
    const auto mean = b.at(locked[6]).estimatedFinish - b.at(locked[6]).estimatedStart;
    QVERIFY(queue->estimatedFinish - asked >= 6 * mean);
    b.finish();
}

void TestEstimates::whatHasALimitedLabelRunsOneAfterTheOther() {
    Busy b(4);
    const QueueRef queue = b.queue(R"({"label_limits":{"work":1}})");
    b.fill(1, "", queue);
    const auto labelled = b.submit(6, "", queue);
    QVERIFY(EngineTest::eventually([&] { return b.rounds(labelled[5]) >= 5; }));
    const WallMicros asked = wallNow();
    const auto view = b.engine.run(b.engine->ask(&engine::Queues::get, queue));
    const auto mean = b.at(labelled[5]).estimatedFinish - b.at(labelled[5]).estimatedStart;
    QVERIFY(view->estimatedFinish - asked >= 5 * mean);
    b.finish();
}

void TestEstimates::heldActionsTakeNoPartOfTheMachine() {
    Busy b(2);
    const QueueRef held = b.queue(R"({"weight":10})");
    (void)b.submit(3, R"(,"hold":true)", held);
    b.fill(2);
    const auto plain = b.submit(5, "");
    QVERIFY2(EngineTest::eventually([&] { return isAbout(b.rounds(plain[4]), 2); }),
             std::to_string(b.rounds(plain[4])).c_str());
    QCOMPARE(b.engine.run(b.engine->ask(&engine::Queues::get, held))->estimatedFinish, 0);
    b.finish();
}

void TestEstimates::aNewQueueIsEstimatedByWhatWasSeenBefore() {
    Busy b(2);
    b.fill(2);
    const QueueRef fresh = b.queue();
    const auto waiting = b.submit(3, "", fresh);
    QVERIFY(EngineTest::eventually([&] {
        const auto view = b.engine.run(b.engine->ask(&engine::Queues::get, fresh));
        return view->estimatedStart != 0 && view->estimatedFinish > view->estimatedStart;
    }));
    QVERIFY(EngineTest::eventually([&] { return b.rounds(waiting[2]) > 0; }));
    b.finish();
}

void TestEstimates::somethingNewIsNotEstimatedByWhatElseCompleted() {
    Busy b(1);
    b.fill(1);
    const Lsn unknown = b.engine.sh("true", R"(,"label":"never seen")");
    QVERIFY2(EngineTest::eventually([&] { return estimateOf(b.at(unknown)) == "no_history"; }),
             estimateOf(b.at(unknown)).c_str());
    b.finish();
}

void TestEstimates::behindWhatHasNoKnownEndNothingIsSaidButWhy() {
    Busy b(2);
    const QueueRef other = b.queue();
    const auto runs = [&](Lsn lsn) { return b.at(lsn).state == ActionState::Running; };
    const Lsn endless = b.engine.sh("while [ ! -e go ]; do sleep 0.05; done", R"(,"label":"endless")", other);
    QVERIFY(EngineTest::eventually([&] { return runs(endless); }));
    QVERIFY2(EngineTest::eventually([&] { return estimateOf(b.at(endless)) == "no_history"; }),
             estimateOf(b.at(endless)).c_str());
    // One core is left for what is known.
    b.fill(1);
    const auto waiting = b.submit(3, "");
    QVERIFY2(EngineTest::eventually([&] { return isAbout(b.rounds(waiting[2]), 2); }),
             std::to_string(b.rounds(waiting[2])).c_str());
    // Both cores are not.
    const Lsn large = b.engine.sh("true", R"(,"label":"work","resources":{"cores":2})");
    QVERIFY(EngineTest::eventually([&] { return estimateOf(b.at(large)) == "waits_for_unknown"; }));
    QVERIFY2(EngineTest::eventually([&] {
                 return estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, other))) == "no_history";
             }),
             estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, other))).c_str());
    b.finish();
    (void)b.engine.wait(large);
}

void TestEstimates::whatCannotStartSaysWhyItHasNoEstimate() {
    Busy b(1);
    b.fill(1);
    const QueueRef queue = b.queue();
    const Lsn held = b.engine.sh("true", R"(,"label":"work","hold":true)", queue);
    QVERIFY2(EngineTest::eventually([&] { return estimateOf(b.at(held)) == "held"; }),
             estimateOf(b.at(held)).c_str());
    QVERIFY2(EngineTest::eventually(
                 [&] { return estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, queue))) == "held"; }),
             estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, queue))).c_str());
    const QueueRef second = b.queue();
    const Lsn child = b.engine.sh("true", fmt::format(R"(,"label":"work","after":[{}])", held.value), second);
    QVERIFY2(EngineTest::eventually([&] { return estimateOf(b.at(child)) == "dependency"; }),
             estimateOf(b.at(child)).c_str());
    QVERIFY2(EngineTest::eventually([&] {
                 return estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, second))) == "dependency";
             }),
             estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, second))).c_str());
    QVERIFY(b.engine.run(b.engine->ask(&engine::Operations::cancel, held)));
    b.finish();
}

void TestEstimates::aQueueSaysWhyItsEndIsNotKnown() {
    Busy b(1);
    b.fill(1);
    const auto isSaid = [&](const QueueRef& queue, const std::string& what) {
        return EngineTest::eventually(
            [&] { return estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, queue))) == what; });
    };
    // Known with one action, and with this one beside it?
    const auto queueWith = [&](const std::string& more, const std::string& isThen) {
        const QueueRef queue = b.queue();
        (void)b.submit(1, "", queue);
        if (!isSaid(queue, "known")) return false;
        (void)b.engine.sh("true", more, queue);
        return isSaid(queue, isThen);
    };
    QVERIFY(queueWith(R"(,"label":"work")", "known"));
    QVERIFY(queueWith(R"(,"label":"work","hold":true)", "held"));
    QVERIFY(queueWith(fmt::format(R"(,"label":"work","after":[{}])", b.running[0].value), "dependency"));
    QVERIFY(queueWith(R"(,"label":"never seen")", "no_history"));
    b.finish();
}

void TestEstimates::aQueueEndsAfterWhatIsNotToStartBefore() {
    Busy b(1);
    const QueueRef queue = b.queue();
    const WallMicros tomorrow = wallNow() + WallMicros{86'400} * 1'000'000;
    const Lsn late = b.engine.sh("true", fmt::format(R"(,"label":"work","not_before":{})", tomorrow), queue);
    const auto viewed = [&] { return *b.engine.run(b.engine->ask(&engine::Queues::get, queue)); };
    QVERIFY(EngineTest::eventually(
        [&] { return viewed().estimatedStart == tomorrow && b.at(late).estimatedStart == tomorrow; }));
    const auto view = viewed();
    const ActionResult seen = b.at(late);
    QVERIFY(seen.estimatedFinish > tomorrow);
    QCOMPARE(view.estimatedFinish, seen.estimatedFinish);
    QVERIFY(b.engine.run(b.engine->ask(&engine::Operations::cancel, late)));
}

void TestEstimates::whatIsLateSaysSoAndNoTimeInThePast() {
    Busy b(1); // half a second is usual
    b.fill(1);
    QVERIFY(EngineTest::eventually([&] { return estimateOf(b.at(b.running[0])) == "overdue"; }));
    const ActionResult late = b.at(b.running[0]);
    QCOMPARE(late.estimatedFinish, 0);
    QVERIFY(late.note.starts_with("usually takes"));
    QVERIFY2(EngineTest::eventually([&] {
                 return estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, *parseQueueRef("0")))) ==
                        "overdue";
             }),
             estimateOf(*b.engine.run(b.engine->ask(&engine::Queues::get, *parseQueueRef("0")))).c_str());
    // What waits for it has an end: it is late, not lost.
    const auto waiting = b.submit(1, "");
    QVERIFY2(EngineTest::eventually([&] { return estimateOf(b.at(waiting[0])) == "known"; }),
             estimateOf(b.at(waiting[0])).c_str());
    b.finish();
}

/// The commands of a queue that have no label may be anything: what one of them took says nothing of another.
void TestEstimates::aCommandWithoutALabelIsLateByItsOwnTimeOnly() {
    EngineTest engine(1);
    const auto known = [&](Lsn lsn) { return *engine.run(engine->ask(&engine::ActionRows::action, lsn)); };
    (void)engine.wait(engine.sh("true"));
    const std::string waits = "while [ -e stay ]; do sleep 0.05; done";
    for (const char* isThen : {"no_history", "overdue"}) {
        std::ofstream(engine.path("stay")) << "";
        const Lsn lsn = engine.sh(waits);
        QVERIFY(EngineTest::eventually([&] { return known(lsn).state == ActionState::Running; }));
        if (isThen == std::string("no_history")) QCOMPARE(known(lsn).estimatedFinish, 0);
        QVERIFY2(EngineTest::eventually([&] { return estimateOf(known(lsn)) == isThen; }),
                 estimateOf(known(lsn)).c_str());
        QCOMPARE(known(lsn).note.starts_with("usually takes"), isThen == std::string("overdue"));
        std::filesystem::remove(engine.path("stay"));
        QCOMPARE(ending(engine.wait(lsn)), "completed");
        for (int i = 0; i < 20; ++i) QCOMPARE(ending(engine.wait(engine.sh(waits))), "completed"); // at once
    }
}

void TestEstimates::whatOtherQueuesHaveToDoCounts() {
    Busy b(1);
    const QueueRef first = b.queue();
    const QueueRef second = b.queue();
    b.fill(1);
    (void)b.submit(20, "", first);
    const auto mine = b.submit(6, "", second);
    QVERIFY2(EngineTest::eventually([&] { return isAbout(b.rounds(mine[5]), 11); }), // in turn with the other queue
             std::to_string(b.rounds(mine[5])).c_str());
    b.finish();
}

void TestEstimates::nothingIsSaidWhereNothingIsKnown() {
    EngineTest engine(1);
    const Lsn runs = engine.sh("while [ ! -e go ]; do sleep 0.05; done");
    const Lsn waits = engine.sh("true");
    QVERIFY(EngineTest::eventually(
        [&] { return engine.run(engine->ask(&engine::ActionRows::action, runs))->state == ActionState::Running; }));
    QCOMPARE(engine.run(engine->ask(&engine::ActionRows::action, runs))->estimatedFinish, 0);
    QCOMPARE(engine.run(engine->ask(&engine::ActionRows::action, waits))->estimatedStart, 0);
    const auto queue = engine.run(engine->ask(&engine::Queues::get, *parseQueueRef("0")));
    QCOMPARE(queue->estimatedStart, 0);
    QCOMPARE(queue->estimatedFinish, 0);
    std::ofstream(engine.path("go")) << "";
    (void)engine.wait(waits);
}

void TestEstimates::whatAQueueTakesIsKnownAfterARestart() {
    Busy b(1);
    const QueueRef slow = b.queue();
    b.learn(slow);
    for (int i = 0; i < 20; ++i) (void)b.engine.wait(b.engine.sh("true", R"(,"label":"work")")); // of another queue
    b.engine.stop();
    b.engine.start();
    const auto mean = [&](const QueueRef& ref) { // of the queue: whoever waits behind one of it
        b.running = {b.engine.sh("while [ ! -e go ]; do sleep 0.05; done", R"(,"label":"work")", ref)};
        const auto waiting = b.submit(11, "", ref);
        WallMicros wait = 0;
        (void)EngineTest::eventually([&] {
            const WallMicros asked = wallNow();
            const ActionResult seen = b.at(waiting[10]);
            wait = seen.estimatedStart - asked;
            return seen.estimatedStart != 0;
        });
        b.finish();
        for (const Lsn lsn : waiting) (void)b.engine.wait(lsn);
        std::filesystem::remove(b.engine.path("go"));
        return wait;
    };
    QVERIFY(mean(slow) >= 10 * 400'000);
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    TestEstimates test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_estimates.moc"
