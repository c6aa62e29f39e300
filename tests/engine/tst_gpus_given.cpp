// GPUs in a real engine: what a program is told, what people see, and what becomes of one that is lost. A library of the
// tests' own stands for NVML.
#include "core/engine/alerts/alerts.h"
#include "core/engine/machines/machines.h"
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/gpu_environment.h"
#include "core/launcher/launcher.h"
#include "core/sandbox/plan.h"
#include "tests/engine/engine_test.h"

#include <QObject>

#include <filesystem>
#include <fstream>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

const std::string kTell = "printf '%s' $YARD_RESOURCE_GPUS/$CUDA_VISIBLE_DEVICES/$NVIDIA_VISIBLE_DEVICES";

std::string gpus(double amount) {
    return fmt::format(R"(,"resources":{{"gpus":{}}})", amount);
}

/// So that what changes is seen soon. A driver that hangs is not waited for as long as usual.
void lookOften(Options& options) {
    using std::chrono::milliseconds;
    options.gpuPace = {.watched = milliseconds(50),
                       .unwatched = milliseconds(50),
                       .apart = milliseconds(20),
                       .limit = milliseconds(500)};
}

/// "NAME=VALUE …" of what is set beside what was there.
std::string environmentOf(const std::vector<host::Gpu>& given) {
    runners::Lease lease;
    lease.env = {{"CUDA_VISIBLE_DEVICES", "mine"}};
    addGpus(lease, given);
    std::string text;
    for (const auto& [name, value] : lease.env)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
    return text;
}

host::Gpu gpuOf(std::string index, host::GpuMaker maker, int ofMaker, std::string uuid = {}) {
    host::Gpu gpu;
    gpu.index = std::move(index);
    gpu.maker = maker;
    gpu.ofMaker = ofMaker;
    gpu.uuid = std::move(uuid);
    return gpu;
}

} // namespace

class GpusGivenTest : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;

    void fake(const std::string& lines) {
        const std::string path = (dir_.path() + "/gpus").toStdString();
        std::ofstream(path + ".new") << lines;
        std::rename((path + ".new").c_str(), path.c_str()); // whoever reads it meanwhile sees all or nothing of it
        qputenv("YARD_FAKE_GPUS", QByteArray::fromStdString(path));
        qputenv("YARD_NVML", YARD_FAKE_NVML_PATH);
    }
    static std::vector<GpuView> seen(EngineTest& engine) {
        return engine.run(engine->ask(&Overview::session)).gpuList;
    }

private Q_SLOTS:
    void anActionIsToldItsGpusByTheirUuids() {
        fake("GPU-aa A100 81920 0 1 1024 42 250500 61 ok\nGPU-bb A100 81920 1 2 0 0 0 0 ok\n");
        EngineTest engine(4, lookOften);
        QCOMPARE(seen(engine).size(), std::size_t{2});
        const ActionResult both = engine.wait(engine.sh(kTell, gpus(2)));
        QCOMPARE(engine.text(both.outcome->out), "0,1/GPU-aa,GPU-bb/GPU-aa,GPU-bb");
        const ActionResult part = engine.wait(engine.sh(kTell, gpus(0.25)));
        QCOMPARE(engine.text(part.outcome->out), "0/GPU-aa/GPU-aa");
        const ActionResult none = engine.wait(engine.sh("printf '%s' ${CUDA_VISIBLE_DEVICES-none}"));
        QCOMPARE(engine.text(none.outcome->out), "none");
        QVERIFY(!engine.trySubmit(engine.shJson("true", gpus(3))));
        QVERIFY(EngineTest::eventually([&] { return seen(engine)[0].figures.temperatureC == 61; }));
    }

    void oneThatIsLostIsGivenToNobodyUntilItIsBack() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        EngineTest engine(4, lookOften);
        fake("GPU-aa A 1024 0 1 0 0 0 0 lost\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        QVERIFY(EngineTest::eventually([&] { return !seen(engine)[0].figures.lost.empty(); }));
        QCOMPARE(seen(engine)[0].figures.lost, "it has fallen off the bus");
        const MachineView here = engine.run(engine->ask(&Machines::list)).front();
        QCOMPARE(here.gpus, 2.0);
        QCOMPARE(here.gpusFree, 1.0);
        const auto alert = [&engine] { return engine.run(engine->ask(&Alerts::get, std::string("gpu-lost"))); };
        QVERIFY(EngineTest::eventually([&] { return !alert()->messages.empty(); }));
        const std::string text = alert()->messages.front().text;
        QVERIFY2(text.starts_with("GPU 0 (A) of ") && text.ends_with(" is lost: it has fallen off the bus."),
                 text.c_str());
        const ActionResult one = engine.wait(engine.sh(kTell, gpus(1)));
        QCOMPARE(engine.text(one.outcome->out), "1/GPU-bb/GPU-bb");
        const Lsn both = engine.sh("true", gpus(2));
        const auto why = engine.run(engine->ask(&Reasons::why, both));
        QVERIFY(why && !why->waits.empty());
        QVERIFY2(why->waits.front().message.starts_with("1 of 1 gpus fit, it needs 2"),
                 why->waits.front().message.c_str());
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        QCOMPARE(ending(engine.wait(both)), "completed");
        QCOMPARE(alert()->firing, 0);
    }

    void oneThatIsLostAtTheStartIsGivenToNobody() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 errors\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        EngineTest engine(4, lookOften);
        const ActionResult one = engine.wait(engine.sh(kTell, gpus(1)));
        QCOMPARE(engine.text(one.outcome->out), "1/GPU-bb/GPU-bb");
        QCOMPARE(one.attempts.size(), std::size_t{1});
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        QCOMPARE(ending(engine.wait(engine.sh("true", gpus(2)))), "completed");
    }

    void aRuleThatIsNewIsToldWhichAreLostAlready() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\n");
        EngineTest engine(4, lookOften);
        fake("GPU-aa A 1024 0 1 0 0 0 0 lost\n");
        QVERIFY(EngineTest::eventually([&] { return !seen(engine)[0].figures.lost.empty(); }));
        QVERIFY(engine.run(
            engine->ask(&Alerts::create,
                        std::string(R"({"name":"late","on":{"kind":"gpu_lost"},"then":[{"desktop":true}]})"))));
        const auto firing = [&engine] {
            return engine.run(engine->ask(&Alerts::get, std::string("late")))->firing;
        };
        QVERIFY(EngineTest::eventually([&] { return firing() == 1; }));
    }

    void whatWasToldOfACardIsOverAfterARestartWithoutIt() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        EngineTest engine(4, lookOften);
        const auto firing = [&engine] {
            return engine.run(engine->ask(&Alerts::get, std::string("gpu-lost")))->firing;
        };
        fake("GPU-aa A 1024 0 1 0 0 0 0 lost\nGPU-bb A 1024 1 2 0 0 0 0 lost\n");
        QVERIFY(EngineTest::eventually([&] { return firing() == 2; }));
        engine.stop();
        fake("GPU-bb A 1024 1 2 0 0 0 0 ok\n"); // it is number 0 now
        engine.start();
        QVERIFY(EngineTest::eventually([&] { return firing() == 0; }));
        fake("GPU-bb A 1024 1 2 0 0 0 0 lost\n");
        QVERIFY(EngineTest::eventually([&] { return firing() == 1; }));
        engine.stop();
        fake(""); // none is found
        engine.start();
        QVERIFY(EngineTest::eventually([&] { return firing() == 0; }));
    }

    void theirMemoryIsKeptForWhoAsksForIt() {
        fake("GPU-aa A 1000 0 1 0 0 0 0 ok\nGPU-bb A 4000 1 2 0 0 0 0 ok\n");
        EngineTest engine(4, lookOften);
        const auto asking = [](double share, int memory) {
            return fmt::format(R"(,"resources":{{"gpus":{},"gpu_memory_mb":{}}})", share, memory);
        };
        const Lsn has = engine.sh(kTell + "; touch has; while [ ! -e go ]; do sleep 0.01; done", asking(0.5, 3500));
        QVERIFY(EngineTest::eventually([&] { return std::filesystem::exists(engine.path("has")); }));
        const Lsn waits = engine.sh("true", asking(0.5, 2000));
        const auto why = engine.run(engine->ask(&Reasons::why, waits));
        QVERIFY(why && !why->waits.empty());
        const std::string& message = why->waits.front().message;
        QVERIFY2(
            message.starts_with("0 of 2 gpus have 0.5 with 2000 MiB of memory free, where others asked for the "
                                "memory"),
            message.c_str());
        QCOMPARE(engine.text(engine.wait(engine.sh(kTell, asking(0.5, 1000))).outcome->out), "0/GPU-aa/GPU-aa");
        std::ofstream(engine.path("go")) << "";
        QCOMPARE(engine.text(engine.wait(has).outcome->out), "1/GPU-bb/GPU-bb");
        QCOMPARE(ending(engine.wait(waits)), "completed");
        const auto refused = engine.trySubmit(engine.shJson("true", asking(2, 2000)));
        QVERIFY(!refused);
        QCOMPARE(refused.error().field, "resources.gpu_memory_mb");
    }

    void ofGpusThatAreOnlyCountedNoMemoryIsKept() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\n");
        EngineTest engine(4, [](Options& options) { options.set = {"resources.gpus=2"}; });
        const auto refused =
            engine.trySubmit(engine.shJson("true", R"(,"resources":{"gpus":1,"gpu_memory_mb":1})"));
        QVERIFY(!refused);
        QVERIFY(refused.error().message.contains("only counted"));
    }

    void whatHasOneThatIsLostIsRunAgainUncounted() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        EngineTest engine(4, lookOften);
        const Lsn whole = engine.sh(kTell + "; touch whole; [ $YARD_RESOURCE_GPUS = 1 ] || sleep 600",
                                    R"(,"max_retries":0,"resources":{"gpus":1})");
        const Lsn without = engine.sh("touch without; while [ ! -e go ]; do sleep 0.01; done");
        const auto isThere = [&](const char* name) { return std::filesystem::exists(engine.path(name)); };
        QVERIFY(EngineTest::eventually([&] { return isThere("whole") && isThere("without"); }));
        fake("GPU-aa A 1024 0 1 0 0 0 0 lost\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        const ActionResult result = engine.wait(whole);
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.attempts.size(), std::size_t{2});
        const AttemptOutcome& first = result.attempts.front().outcome;
        QCOMPARE(first.state, ActionState::Failed);
        QCOMPARE(first.reason, Reason::GpuLost);
        QCOMPARE(first.note, "GPU 0 was lost: it has fallen off the bus");
        QCOMPARE(engine.text(result.outcome->out), "1/GPU-bb/GPU-bb");
        std::ofstream(engine.path("go")) << "";
        QCOMPARE(ending(engine.wait(without)), "completed");
    }

    void whatFailsWithOneThatWasLostMeanwhileFailedForThat() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        EngineTest engine(4); // looks as seldom as usual
        QVERIFY(EngineTest::eventually([&] { return seen(engine)[0].figures.temperatureC == 0; }));
        // It loses its GPU and fails, long before anybody looks by himself.
        const std::string path = (dir_.path() + "/gpus").toStdString();
        const std::string lose = fmt::format(
            R"([ $YARD_RESOURCE_GPUS = 1 ] || {{ sed '1s/ok$/lost/' {0} > {0}.new; mv {0}.new {0}; exit 5; }})",
            path);
        const ActionResult result =
            engine.wait(engine.sh(lose + "; " + kTell, R"(,"max_retries":0,"resources":{"gpus":1})"));
        QCOMPARE(ending(result), "completed");
        QCOMPARE(result.attempts.size(), std::size_t{2});
        QCOMPARE(result.attempts.front().outcome.reason, Reason::GpuLost);
        QCOMPARE(result.attempts.front().outcome.note, "GPU 0 was lost: it has fallen off the bus");
        QCOMPARE(engine.text(result.outcome->out), "1/GPU-bb/GPU-bb");
    }

    void whatFailsWithGpusThatAreThereFailsByItself() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\n");
        EngineTest engine(4, lookOften);
        const ActionResult result =
            engine.wait(engine.sh("echo why >&2; exit 5", R"(,"max_retries":0,"resources":{"gpus":1})"));
        QCOMPARE(ending(result), "failed exit_code 5");
        QCOMPARE(result.outcome->note, "why");
        fake("GPU-aa A 1024 0 1 0 0 0 0 hang\n"); // nobody waits for its driver
        QVERIFY(EngineTest::eventually([&] { return !seen(engine)[0].figures.unknown.empty(); }));
        QCOMPARE(ending(engine.wait(engine.sh("exit 5", R"(,"max_retries":0,"resources":{"gpus":1})"))),
                 "failed exit_code 5");
        fake("GPU-aa A 1024 0 1 0 8 0 0 ok\n");
    }

    void failuresDoNotMakeLooksFollowEachOther() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\n");
        constexpr Duration kApart{150'000};
        EngineTest engine(4, [kApart](Options& options) { options.gpuPace.apart = kApart; });
        std::vector<MonoTime> begun;
        for (int i = 0; i < 4; ++i) {
            QCOMPARE(ending(engine.wait(engine.sh("exit 5", R"(,"max_retries":0,"resources":{"gpus":1})"))),
                     "failed exit_code 5");
            begun.push_back(seen(engine)[0].at); // each failure is judged by a look of its own
        }
        for (std::size_t i = 1; i < begun.size(); ++i) QVERIFY(begun[i] - begun[i - 1] >= kApart);
    }

    void whoTakesMoreOfItsMemoryThanItAskedForIsEnded() {
        fake("GPU-aa A 1024 0 1 0 40 0 0 ok\n");
        EngineTest engine(4, lookOften);
        const Lsn lsn = engine.sh("echo $$ > pid.new; mv pid.new pid; sleep 600",
                                  R"(,"max_retries":0,"resources":{"gpus":1,"gpu_memory_mb":100})");
        QVERIFY(EngineTest::eventually([&] { return std::filesystem::exists(engine.path("pid")); }));
        std::string pid;
        std::ifstream(engine.path("pid")) >> pid;
        fake("GPU-aa A 1024 0 1 900 40 0 0 ok " + pid + "=101\n");
        const ActionResult result = engine.wait(lsn);
        QCOMPARE(ending(result), "failed gpu_memory");
        QCOMPARE(result.outcome->note, "its processes had 101 MiB of GPU 0, and it asked for 100; it was ended");
    }

    void ofADriverThatHangsNothingIsKnownAndNothingWaits() {
        fake("GPU-aa A 1024 0 1 0 7 0 0 ok\n");
        EngineTest engine(4, lookOften);
        QVERIFY(EngineTest::eventually([&] { return seen(engine)[0].figures.utilisationPercent == 7; }));
        fake("GPU-aa A 1024 0 1 0 7 0 0 hang\n");
        QVERIFY(EngineTest::eventually([&] { return !seen(engine)[0].figures.unknown.empty(); }));
        QVERIFY(!seen(engine)[0].figures.utilisationPercent);
        QCOMPARE(ending(engine.wait(engine.sh("true", gpus(1)))), "completed");
        fake("GPU-aa A 1024 0 1 0 8 0 0 ok\n");
        QVERIFY(EngineTest::eventually([&] { return seen(engine)[0].figures.utilisationPercent == 8; }));
        QVERIFY(seen(engine)[0].figures.unknown.empty());
    }

    void anEngineEndsWhileItsDriverHangs() {
        fake("GPU-aa A 1024 0 1 0 7 0 0 ok\n");
        EngineTest engine(4, lookOften);
        fake("GPU-aa A 1024 0 1 0 7 0 0 hang\n");
        QVERIFY(EngineTest::eventually([&] { return !seen(engine)[0].figures.unknown.empty(); }));
        engine.stop(); // the thread of the driver is left behind
        fake("GPU-aa A 1024 0 1 0 8 0 0 ok\n");
        engine.start();
        QVERIFY(EngineTest::eventually([&] { return seen(engine)[0].figures.utilisationPercent == 8; }));
    }

    void moreThanWereFoundAreOnlyCounted() {
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\n");
        EngineTest engine(4, [](Options& options) { options.set = {"resources.gpus=2"}; });
        const ActionResult both =
            engine.wait(engine.sh("printf '%s' ${YARD_RESOURCE_GPUS-none}/${CUDA_VISIBLE_DEVICES-none}", gpus(2)));
        QCOMPARE(engine.text(both.outcome->out), "none/none");
    }

    void eachMakersLibraryHasItsVariable() {
        using enum host::GpuMaker;
        QCOMPARE(environmentOf({}), "CUDA_VISIBLE_DEVICES=mine");
        QCOMPARE(environmentOf({gpuOf("0", Nvidia, 0, "GPU-aa"), gpuOf("2", Nvidia, 2)}),
                 "NVIDIA_VISIBLE_DEVICES=GPU-aa,2 CUDA_VISIBLE_DEVICES=GPU-aa,2");
        QCOMPARE(environmentOf({gpuOf("0", Amd, 0, "GPU-4a1b"), gpuOf("1", Amd, 1), gpuOf("2", Intel, 0, "x")}),
                 "CUDA_VISIBLE_DEVICES=mine ROCR_VISIBLE_DEVICES=GPU-4a1b,1 ZE_AFFINITY_MASK=0");
        QCOMPARE(environmentOf({gpuOf("0", Other, 0)}), "CUDA_VISIBLE_DEVICES=mine");
    }

    void theSandboxHasTheirNodesAndEachOnce() {
        runners::Lease lease;
        const auto made = std::make_shared<const sandbox::Plan>();
        lease.sandbox = made;
        addGpus(lease, {});
        QCOMPARE(lease.sandbox, made);
        host::Gpu first = gpuOf("0", host::GpuMaker::Nvidia, 0), second = gpuOf("1", host::GpuMaker::Nvidia, 1);
        first.devices = {"/dev/nvidia0"};
        second.devices = {"/dev/nvidia1"};
        first.shared = second.shared = {"/dev/null", "/dev/no-such-node"};
        addGpus(lease, {first, second});
        QCOMPARE(lease.sandbox->devices, (std::vector<std::string>{"/dev/nvidia0", "/dev/null", "/dev/nvidia1"}));
        QVERIFY(made->devices.empty());
    }

    void onlyThoseThatAreThereAreGiven() {
        const std::vector<host::Gpu> all = {gpuOf("0", host::GpuMaker::Amd, 0), gpuOf("1", host::GpuMaker::Amd, 1)};
        QCOMPARE(gpusOf({{.resource = "gpus", .names = {"1", "7"}}}, all), std::vector<host::Gpu>{all[1]});
        QVERIFY(gpusOf({{.resource = "port", .names = {"1"}}}, all).empty());
    }
};

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    GpusGivenTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_gpus_given.moc"
