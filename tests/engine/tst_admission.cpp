// How many actions may be pending: what would be more is refused, whole, and says so.
#include "core/engine/commands/operations.h"
#include "core/engine/reading/overview.h"
#include "core/engine/state/settings_service.h"
#include "core/engine/state/workers.h"
#include "core/launcher/launcher.h"
#include "core/model/worker.h"
#include "tests/engine/engine_test.h"

#include <filesystem>
#include <random>

using namespace yard;
using namespace yard::test;

namespace {

std::string held(const std::string& more = "") {
    return R"({"worker":"exec","argv":["true"],"hold":true)" + more + "}";
}

std::string listOf(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (text.empty() ? "[" : ",") + held();
    return text + "]";
}

} // namespace

class TestAdmission : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatWouldBeTooManyIsRefusedWhole();
    void aWorkerWhoseFileWasCutShortNeedsItAgain();
};

void TestAdmission::whatWouldBeTooManyIsRefusedWhole() {
    EngineTest engine(1, [](engine::Options& options) { options.set = {"max_pending=10"}; });
    const auto pending = [&] {
        return engine.run(engine->ask(&engine::Overview::session)).counts[std::to_underlying(ActionState::Pending)];
    };
    const auto kindOf = [&](const std::string& json) {
        const auto answer = engine.trySubmit(json);
        return answer ? std::string("taken") : std::string(errorName(answer.error().kind));
    };
    QCOMPARE(kindOf(listOf(6)), std::string("taken"));
    QCOMPARE(kindOf(listOf(5)), std::string("too_many_pending"));
    QCOMPARE(kindOf(held(R"(,"array":{"from":0,"to":4})")), std::string("too_many_pending"));
    QCOMPARE(pending(), std::int64_t{6});
    QCOMPARE(kindOf(held(R"(,"array":{"from":0,"to":3})")), std::string("taken"));
    const auto refused = engine.trySubmit(held());
    QVERIFY(!refused);
    QCOMPARE(
        refused.error().message,
        std::string("10 actions are pending, and with 1 more there would be over 10: submit again once some have "
                    "ended, or raise the setting max_pending."));
    // One goes, one may come; a higher limit holds at once.
    QVERIFY(engine.run(engine->ask(&engine::Operations::cancel, Lsn{1})));
    QVERIFY(EngineTest::eventually([&] { return pending() == 9; }));
    QCOMPARE(kindOf(held()), std::string("taken"));
    QCOMPARE(kindOf(held()), std::string("too_many_pending"));
    QVERIFY(engine.run(engine->ask(&engine::SettingsService::change, R"({"max_pending":11})")));
    QCOMPARE(kindOf(held()), std::string("taken"));
}

void TestAdmission::aWorkerWhoseFileWasCutShortNeedsItAgain() {
    EngineTest engine(1);
    std::string program(50'000, '\0');
    std::mt19937 random(1);
    for (char& byte : program) byte = static_cast<char>(random());
    const auto put = [&] {
        auto writer = engine->chunks().writer();
        return writer && writer->write(program) && writer->finish();
    };
    QVERIFY(put());
    const Hash256 hash = Sha256::of(program);
    const auto worker = parseWorker(fmt::format(
        R"({{"name":"w","version":"1","platform":"{}","executable":"run","files":[{{"path":"run","hash":"{}","size":50000,"mode":"0755"}}],"functions":[{{"name":"f","version":"1"}}]}})",
        thisPlatform(), hash.hex()));
    QVERIFY(worker);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(engine.path("data/chunks")))
        if (entry.is_regular_file() && entry.file_size() > 20'000)
            std::filesystem::resize_file(entry.path(), 20'000);
    const auto refused = engine.run(engine->ask(&engine::Workers::add, *worker));
    QVERIFY(!refused);
    QCOMPARE(std::string(errorName(refused.error().kind)), std::string("need"));
    QCOMPARE(refused.error().need, std::vector<std::string>{hash.hex()});
    QVERIFY(put());
    QVERIFY(engine.run(engine->ask(&engine::Workers::add, *worker)));
}

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const QCoreApplication application(argc, argv);
    TestAdmission test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_admission.moc"
