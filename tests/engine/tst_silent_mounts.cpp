// A directory that does not answer is nobody's but its own action's: neither the engine's threads nor its helpers
// look at it.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/state/settings_service.h"
#include "core/launcher/launcher.h"
#include "tests/engine/engine_test.h"
#include "tests/runners/fuse_test.h"

#include <algorithm>

using namespace yard;
using namespace yard::test;

class TestSilentMounts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void settingsOtherActionsCancelAndTheEndDoNotWait_data() {
        QTest::addColumn<QString>("sandbox");
        QTest::newRow("in a sandbox") << R"(,"sandbox":true)";
        QTest::newRow("without") << "";
    }
    void settingsOtherActionsCancelAndTheEndDoNotWait() {
        QFETCH(QString, sandbox);
        YARD_WITH_FUSE_MOUNT(mount, "");
        EngineTest engine(8);
        const auto there = [&](const QString& more) {
            return fmt::format(R"({{"worker":"exec","argv":["/bin/true"],"cwd":"{}/below"{}}})", mount.path(),
                               more.toStdString());
        };
        std::vector<Lsn> lsns;
        for (int i = 0; i < 6; ++i) { // more than there are helpers
            const auto submitted = engine.trySubmit(there(sandbox));
            if (!submitted) QSKIP(submitted.error().message.c_str());
            lsns.push_back(submitted->items.front().first);
        }
        QVERIFY(mount.holds());
        if (sandbox.isEmpty()) {
            const std::string path = mount.path() + "/below";
            const auto isBeingStarted = [&](Lsn lsn) {
                const auto why = engine.run(engine->ask(&engine::Reasons::why, lsn));
                return why && why->state == ActionState::Pending && why->waits.size() == 1 &&
                       why->waits.front().kind == WaitKind::Start && why->waits.front().path == path &&
                       why->waits.front().since > 0 &&
                       why->waits.front().message == "it is being started in the directory '" + path + "'";
            };
            QVERIFY(std::ranges::any_of(lsns, isBeingStarted));
        }
        QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"grace_s":1})")));
        // One with a directory, which a helper makes.
        const Lsn other = engine.submit(R"({"worker":"exec","argv":["/bin/sh","-c","echo x > outputs/y"]})");
        QCOMPARE(ending(engine.wait(other)), "completed");
        for (const Lsn lsn : lsns) {
            static_cast<void>(
                engine.run(engine->ask(&engine::Operations::cancel, lsn))); // or it was refused already
            const ActionResult result = engine.wait(lsn);
            QVERIFY2(ending(result) == "cancelled cancelled" || ending(result) == "failed spawn_error",
                     ending(result).c_str());
        }
        QVERIFY(mount.held() >= 1);
        engine.stop();
        mount.answer();
        engine.start();
        // Without a sandbox, which wants more of a file system than this one has.
        QCOMPARE(ending(engine.wait(engine.submit(there("")))), "completed");
    }
};

int main(int argc, char** argv) {
    if (const auto code = runners::runLauncherIfAsked(argc, argv)) return *code;
    const QCoreApplication application(argc, argv);
    TestSilentMounts test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_silent_mounts.moc"
