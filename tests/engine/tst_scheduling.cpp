// When actions may start: resources, dependencies, limits. Real processes tell what ran beside what.
#include "core/runners/launcher.h"
#include "tests/engine/engine_test.h"

#include <QObject>

#include <fstream>

using namespace yard;
using namespace yard::test;

namespace {

/// Fails when another one of these runs at the same time.
const std::string kAlone = "mkdir busy || exit 7; sleep 0.05; rmdir busy";

std::string resources(const std::string& amounts) {
    return R"(,"resources":{)" + amounts + "}";
}

std::int64_t count(EngineTest& engine, ActionState state) {
    return engine.run(engine->session()).counts[static_cast<std::size_t>(state)];
}

/// Comes to its end when `count` of them run at once.
std::string together(int count) {
    return fmt::format("touch in.$$; while [ $(ls in.* | wc -l) -lt {} ]; do sleep 0.02; done", count);
}

} // namespace

class SchedulingTest : public QObject {
    Q_OBJECT

private slots:
    void tenTenthsOfACoreRunAtOnce() {
        EngineTest engine(1);
        std::vector<Lsn> lsns;
        for (int i = 0; i < 10; ++i) lsns.push_back(engine.sh(together(10), resources(R"("cores":0.1)")));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void theEleventhTenthWaits() {
        EngineTest engine(1);
        std::vector<Lsn> lsns;
        for (int i = 0; i < 11; ++i)
            lsns.push_back(engine.sh("while [ ! -e go ]; do sleep 0.02; done", resources(R"("cores":0.1)")));
        QVERIFY(EngineTest::eventually([&] { return count(engine, ActionState::Running) == 10; }));
        QCOMPARE(count(engine, ActionState::Pending), 1);
        std::ofstream(engine.path("go")) << "now";
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void memoryIsNotOverbooked() {
        EngineTest engine(4, [](engine::Options& options) { options.resources.memoryMb = 1000; });
        std::vector<Lsn> lsns;
        for (int i = 0; i < 6; ++i) lsns.push_back(engine.sh(kAlone, resources(R"("cores":0.5,"memory_mb":600)")));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void aLicenceIsUsedByOneAtATime() {
        EngineTest engine(4, [](engine::Options& options) { options.resources.named = {{"licence.x", 1000}}; });
        std::vector<Lsn> lsns;
        for (int i = 0; i < 6; ++i) lsns.push_back(engine.sh(kAlone, resources(R"("licence.x":1)")));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void shortActionsBesideFractionsStayWithinTheCores() {
        EngineTest engine(2);
        std::vector<Lsn> lsns;
        // Whole cores are sent ahead once they are known to be short; two of 1.5 cores never run together.
        for (int i = 0; i < 60; ++i)
            lsns.push_back(i % 6 == 5 ? engine.sh(kAlone, resources(R"("cores":1.5)")) : engine.sh("true"));
        for (const Lsn lsn : lsns) QCOMPARE(ending(engine.wait(lsn)), "completed");
    }

    void whatCanNeverStartIsRefusedWithTheReason_data() {
        QTest::addColumn<QString>("amounts");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("contains");
        QTest::addRow("cores") << R"("cores":3)" << "resources.cores" << "--capacity";
        QTest::addRow("memory") << R"("memory_mb":1001)" << "resources.memory_mb" << "1000";
        QTest::addRow("an unknown name") << R"("licence.y":1)" << "resources.licence.y" << "has 0";
        QTest::addRow("more than there is") << R"("licence.x":2.5)" << "resources.licence.x" << "asks for 2.5";
    }
    void whatCanNeverStartIsRefusedWithTheReason() {
        QFETCH(QString, amounts);
        QFETCH(QString, field);
        QFETCH(QString, contains);
        EngineTest engine(2, [](engine::Options& options) {
            options.resources.memoryMb = 1000;
            options.resources.named = {{"licence.x", 2000}};
        });
        const auto refused = engine.trySubmit(engine.shJson("true", resources(amounts.toStdString())));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Invalid);
        QCOMPARE(QString::fromStdString(refused.error().field), field);
        QVERIFY2(refused.error().message.contains(contains.toStdString()), refused.error().message.c_str());
    }
};

int main(int argc, char** argv) {
    if (const auto code = yard::runners::runLauncherIfAsked(argc, argv)) return *code;
    SchedulingTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_scheduling.moc"
