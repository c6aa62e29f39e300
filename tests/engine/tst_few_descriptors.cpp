// Where a process may open few files an engine runs fewer actions at once than it has cores, and says so.
#include "core/base/open_files.h"
#include "core/base/unique_fd.h"
#include "core/engine/commands/operations.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/warm_pool.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace yard;
using namespace yard::test;

class TestFewDescriptors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void slotsAreWhatIsMissingAndSoIsSaid() {
        EngineTest engine(40);
        const engine::SessionView session = engine.run(engine->ask(&engine::Overview::session));
        QCOMPARE(session.capacity, 40);
        QVERIFY(session.slots.oneCore > 0 && session.slots.oneCore < 40);
        QVERIFY(session.slots.other > 0 && session.slots.warm > 0);
        QCOMPARE(std::int64_t{session.slots.warm}, engine.run(engine->ask(&engine::WarmPool::view)).max);
        QCOMPARE(session.slots.why,
                 "a process may open only 256 files here: raise the hard limit (ulimit -Hn) for more");
        std::vector<Lsn> lsns;
        for (int i = 0; i < session.slots.oneCore + 3; ++i)
            lsns.push_back(engine.sh("while [ ! -e go ]; do sleep 0.1; done"));
        QVERIFY(EngineTest::eventually([&] {
            return engine.run(engine->ask(&engine::Overview::session)).counts[std::size_t(ActionState::Running)] ==
                   session.slots.oneCore;
        }));
        int waiting = 0;
        for (const Lsn lsn : lsns) {
            const auto why = engine.run(engine->ask(&engine::Reasons::why, lsn));
            if (why->state != ActionState::Pending) continue;
            // Its place among those that wait there too, however many cores are free.
            const std::string place =
                waiting == 0 ? "it is next" : fmt::format("{} of its queue before it", waiting);
            ++waiting;
            QCOMPARE(why->waits.size(), std::size_t{1});
            const Wait& wait = why->waits.front();
            QCOMPARE(wait.resource, "slots");
            QVERIFY(wait.kind == WaitKind::Capacity && wait.need == 1.0 && wait.free == 0.0);
            QVERIFY2(
                wait.message.starts_with(fmt::format("0 of {} slots free, {}", session.slots.oneCore, place)) &&
                    wait.message.ends_with("(" + session.slots.why + ")"),
                wait.message.c_str());
        }
        QCOMPARE(waiting, 3);
        QFile go(engine.dir().filePath("go"));
        QVERIFY(go.open(QIODevice::WriteOnly));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    /// What runs, the journal and those who ask need the last ones.
    void whileFewAreLeftStartsWait() {
        EngineTest engine(2);
        std::vector<UniqueFd> filler;
        const auto left = [] {
            const OpenFiles open = openFiles().value_or(OpenFiles{});
            return open.limit - open.used;
        };
        while (left() > 20 && filler.size() < 256) filler.emplace_back(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
        // One look counts for some starts.
        Lsn lsn;
        Why why;
        const auto isDecided = [&] {
            why = engine.run(engine->ask(&engine::Reasons::why, lsn)).value_or(Why{});
            const bool isHeld = !why.waits.empty() && why.waits.front().of == "descriptors";
            return isHeld || why.state == ActionState::Completed;
        };
        do {
            lsn = engine.sh("true");
            QVERIFY(EngineTest::eventually(isDecided));
        } while (why.state == ActionState::Completed);
        QVERIFY(why.waits.front().kind == WaitKind::Hold);
        const std::string& message = why.waits.front().message;
        QVERIFY2(message.contains(" of 256 files") && message.contains("nothing starts"), message.c_str());
        // A look later it may be another number.
        const std::string ofSession = engine.run(engine->ask(&engine::Overview::session)).why;
        QVERIFY2(ofSession.contains(" of 256 files") && ofSession.contains("nothing starts"), ofSession.c_str());
        filler.clear();
        QCOMPARE(ending(engine.wait(lsn)), "completed");
        QCOMPARE(engine.run(engine->ask(&engine::Overview::session)).why, "");
    }

    /// More than the slots take ahead: the runner would send them back, again and again.
    void moreThanFitIntoTheSlotsAndAheadOfThemWaitInTheSession() {
        EngineTest engine(400);
        const int all = engine.run(engine->ask(&engine::Overview::session)).slots.oneCore * 10 + 50;
        std::vector<Lsn> lsns;
        for (int i = 0; i < all; ++i) lsns.push_back(engine.sh("while [ ! -e go ]; do sleep 0.1; done"));
        const auto last = [&] { return engine.run(engine->ask(&engine::Reasons::why, lsns.back())); };
        QVERIFY(EngineTest::eventually([&] { return last()->waits.size() == 1; }));
        QFile go(engine.dir().filePath("go"));
        QVERIFY(go.open(QIODevice::WriteOnly));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    /// The end of what runs in a slot would start what waits behind it there.
    void nothingOfManyThatAreCancelledBeginsAnyMore() {
        EngineTest engine(400);
        const int slots = engine.run(engine->ask(&engine::Overview::session)).slots.oneCore;
        for (int round = 0; round < 10; ++round) {
            std::vector<Lsn> lsns;
            for (int i = 0; i < slots; ++i) lsns.push_back(engine.sh("exec sleep 3600"));
            QVERIFY(EngineTest::eventually([&] {
                return engine.run(engine->ask(&engine::Overview::session))
                           .counts[std::size_t(ActionState::Running)] == slots;
            }));
            for (int i = 0; i < slots * 6; ++i) lsns.push_back(engine.sh("touch begun"));
            engine::BulkRequest all;
            all.deed.kind = engine::BulkKind::Cancel;
            const auto answer = engine.run(engine->ask(&engine::Operations::changeMatching, std::move(all)));
            QVERIFY(answer);
            QCOMPARE(answer->changed, std::ssize(lsns));
            QCOMPARE(answer->ending, slots);
            for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "cancelled cancelled");
            QVERIFY(!QFile::exists(engine.dir().filePath("begun")));
        }
    }
};

int main(int argc, char** argv) {
    if (const auto code = runners::runLauncherIfAsked(argc, argv)) return *code;
    constexpr rlimit kFew{256, 256};
    if (::setrlimit(RLIMIT_NOFILE, &kFew) != 0) qFatal("the limit of open files cannot be set");
    const QCoreApplication application(argc, argv);
    TestFewDescriptors test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_few_descriptors.moc"
