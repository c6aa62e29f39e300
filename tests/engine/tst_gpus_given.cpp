// GPUs in a real engine: what a program is told, what people see, and what becomes of one that is lost. A library of the
// tests' own stands for NVML.
#include "core/engine/reading/overview.h"
#include "core/engine/reading/reasons.h"
#include "core/engine/running/gpu_environment.h"
#include "core/launcher/launcher.h"
#include "core/sandbox/plan.h"
#include "tests/engine/engine_test.h"

#include <QObject>

#include <fstream>

using namespace yard;
using namespace yard::engine;
using namespace yard::test;

namespace {

const std::string kTell = "printf '%s' $YARD_RESOURCE_GPUS/$CUDA_VISIBLE_DEVICES/$NVIDIA_VISIBLE_DEVICES";

std::string gpus(double amount) {
    return fmt::format(R"(,"resources":{{"gpus":{}}})", amount);
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
        EngineTest engine(4);
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
        EngineTest engine(4);
        fake("GPU-aa A 1024 0 1 0 0 0 0 lost\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        QVERIFY(EngineTest::eventually([&] { return !seen(engine)[0].figures.lost.empty(); }));
        QCOMPARE(seen(engine)[0].figures.lost, "it has fallen off the bus");
        const ActionResult one = engine.wait(engine.sh(kTell, gpus(1)));
        QCOMPARE(engine.text(one.outcome->out), "1/GPU-bb/GPU-bb");
        const Lsn both = engine.sh("true", gpus(2));
        const auto why = engine.run(engine->ask(&Reasons::why, both));
        QVERIFY(why && !why->waits.empty());
        QVERIFY2(why->waits.front().message.starts_with("1 of 1 gpus fit, it needs 2"),
                 why->waits.front().message.c_str());
        fake("GPU-aa A 1024 0 1 0 0 0 0 ok\nGPU-bb A 1024 1 2 0 0 0 0 ok\n");
        QCOMPARE(ending(engine.wait(both)), "completed");
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
