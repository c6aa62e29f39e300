// The GPUs of a machine: how they are found, and what is seen of them. A library of the tests' own stands for NVML; trees of
// files stand for /proc, /sys and /dev.
#include "core/host/gpu_clients.h"
#include "core/host/gpu_reader.h"
#include "tests/support/show_strings.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <future>
#include <memory>
#include <unistd.h>
#include <utility>

using namespace yard::host;

namespace {

const std::string kNone = "/no/such/library.so";
constexpr std::chrono::seconds kSoon{20};

/// What stands for the machine.
class Tree {
public:
    std::string root() const { return (dir_.path() + "/").toStdString(); }
    void put(const std::string& path, const std::string& text = "") const {
        const std::filesystem::path at = root() + path;
        std::filesystem::create_directories(at.parent_path());
        const std::filesystem::path fresh = at.string() + ".new";
        std::ofstream(fresh) << text;
        std::filesystem::rename(fresh, at); // whoever reads it meanwhile sees all or nothing of it
    }
    /// A device that a process has open, with the account that its driver keeps.
    void open(int pid, int fd, const std::string& device, const std::string& account) const {
        const std::string process = fmt::format("proc/{}/", pid);
        put(process + fmt::format("fdinfo/{}", fd), "pos:\t0\nflags:\t02100002\nmnt_id:\t24\n" + account);
        std::filesystem::create_directories(root() + process + "fd");
        std::filesystem::create_symlink(device, root() + process + fmt::format("fd/{}", fd));
    }
    void remove(const std::string& path) const { std::filesystem::remove_all(root() + path); }
    /// The library's GPUs from now on.
    void fake(const std::string& lines) const {
        put("gpus", lines);
        qputenv("YARD_FAKE_GPUS", QByteArray::fromStdString(root() + "gpus"));
    }
    /// An AMD GPU as its driver shows it.
    void amd(const std::string& node, const std::string& pci) const {
        put("dev/dri/" + node);
        for (const std::string& device :
             {"sys/class/drm/" + node + "/device/", "sys/bus/pci/devices/" + pci + "/"}) {
            put(device + "vendor", "0x1002\n");
            put(device + "uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=" + pci + "\n");
            put(device + "unique_id", "4a1b\n");
            put(device + "mem_info_vram_total", "17163091968\n");
            put(device + "mem_info_vram_used", "1048576\n");
            put(device + "gpu_busy_percent", "37\n");
            put(device + "numa_node", "-1\n");
            put(device + "hwmon/hwmon3/power1_average", "41500000\n");
            put(device + "hwmon/hwmon3/temp1_input", "52000\n");
        }
    }

private:
    QTemporaryDir dir_;
};

std::string words(const Gpu& gpu) {
    std::string text = fmt::format("{} {} {} {} {} {} MiB {}", gpu.index, name(gpu.maker), gpu.ofMaker, gpu.uuid,
                                   gpu.name, gpu.memoryBytes >> 20, gpu.pci);
    if (gpu.numaNode) text += fmt::format(" node {}", *gpu.numaNode);
    for (const std::string& device : gpu.devices) text += " " + device;
    return text;
}

std::string words(const GpuFigures& figures) {
    if (!figures.lost.empty()) return figures.lost;
    return fmt::format("{} % {} MiB {} W {} C", figures.utilisationPercent.value_or(-1),
                       figures.memoryUsedBytes.value_or(-1) >> 20, figures.powerWatts.value_or(-1),
                       figures.temperatureC.value_or(-1));
}

/// As amdgpu writes it.
std::string amdAccount(int client, std::int64_t vramKiB, std::int64_t gfxNs, std::int64_t computeNs) {
    return fmt::format("drm-driver:\tamdgpu\ndrm-client-id:\t{}\ndrm-pdev:\t0000:03:00.0\npasid:\t32771\n"
                       "drm-memory-vram:\t{} KiB\ndrm-memory-gtt: \t4096 KiB\ndrm-memory-cpu: \t0 KiB\n"
                       "drm-engine-gfx:\t{} ns\ndrm-engine-compute:\t{} ns\n",
                       client, vramKiB, gfxNs, computeNs);
}

/// As xe writes it: cycles of an engine of which there are two, beside those of the device.
std::string xeAccount(int client, std::int64_t cycles, std::int64_t ofDevice) {
    return fmt::format("drm-driver:\txe\ndrm-client-id:\t{}\ndrm-pdev:\t0000:00:02.0\n"
                       "drm-total-vram0:\t9 MiB\ndrm-resident-vram0:\t3 MiB\ndrm-resident-system:\t7 MiB\n"
                       "drm-cycles-ccs:\t{}\ndrm-total-cycles-ccs:\t{}\ndrm-engine-capacity-ccs:\t2\n",
                       client, cycles, ofDevice);
}

} // namespace

class GpusTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { qunsetenv("YARD_FAKE_GPUS"); }

    void theDriversLibraryTellsOfItsGpus() {
        const Tree tree;
        tree.fake("GPU-aa A100 81920 3 59 1024 42 250500 61 ok\nGPU-bb A100 81920 4 60 0 0 0 0 ok\n");
        tree.put("sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
        tree.amd("renderD128", "0000:03:00.0"); // one that only draws: it is not counted beside them
        const Gpus gpus(tree.root(), YARD_FAKE_NVML_PATH);
        QCOMPARE(gpus.all().size(), std::size_t{2});
        QCOMPARE(words(gpus.all()[0]), "0 nvidia 0 GPU-aa A100 81920 MiB 0000:3b:00.0 node 1 /dev/nvidia3");
        QCOMPARE(words(gpus.all()[1]), "1 nvidia 1 GPU-bb A100 81920 MiB 0000:3c:00.0 /dev/nvidia4");
        // Whether they are there is looked at when they are needed.
        QCOMPARE(gpus.all()[0].shared, (std::vector<std::string>{"/dev/nvidiactl", "/dev/nvidia-uvm",
                                                                 "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset"}));
        QCOMPARE(words(gpus.look()[0]), "42 % 1024 MiB 250.5 W 61 C");
    }

    void whatVanishesOrHasErrorsIsLost() {
        const Tree tree;
        tree.fake("GPU-aa A 1 0 1 0 0 0 0 ok\nGPU-bb A 1 1 2 0 0 0 0 ok\nGPU-cc A 1 2 3 0 0 0 0 ok\n"
                  "GPU-dd A 1 3 4 0 0 0 0 ok\n");
        const Gpus gpus(tree.root(), YARD_FAKE_NVML_PATH);
        tree.fake("GPU-aa A 1 0 1 0 0 0 0 lost\nGPU-cc A 1 2 3 0 0 0 0 errors\nGPU-dd A 1 3 4 0 5 0 0 ok\n");
        const std::vector<GpuFigures> figures = gpus.look();
        QCOMPARE(figures.size(), std::size_t{4});
        QCOMPARE(words(figures[0]), "it has fallen off the bus");
        QCOMPARE(words(figures[1]), "it has fallen off the bus");
        QCOMPARE(words(figures[2]), "its memory has errors that cannot be corrected");
        QCOMPARE(words(figures[3]), "5 % 0 MiB 0 W 0 C");
    }

    void theDriverTellsWhoHasItsMemory() {
        const Tree tree;
        tree.fake("GPU-aa A 100 0 1 30 0 0 0 ok 4711=10 4712=20\nGPU-bb A 100 1 2 0 0 0 0 ok\n");
        const std::vector<GpuFigures> figures = Gpus(tree.root(), YARD_FAKE_NVML_PATH).look();
        constexpr std::int64_t kMiB = 1 << 20;
        QVERIFY(figures[0].processes == (std::vector<GpuProcess>{{4711, 10 * kMiB}, {4712, 20 * kMiB}}));
        QVERIFY(figures[1].processes && figures[1].processes->empty());
    }

    void withoutTheLibraryTheDriversFilesTell() {
        const Tree tree;
        tree.put("proc/driver/nvidia/gpus/0000:01:00.0/information",
                 "Model: \t\t NVIDIA T4\nIRQ:   \t\t 5\nGPU UUID: \t GPU-ee\nDevice Minor: \t 0\n");
        tree.put("sys/bus/pci/devices/0000:01:00.0/numa_node", "-1\n");
        const Gpus gpus(tree.root(), kNone);
        QCOMPARE(gpus.all().size(), std::size_t{1});
        QCOMPARE(words(gpus.all()[0]), "0 nvidia 0 GPU-ee NVIDIA T4 0 MiB 0000:01:00.0 /dev/nvidia0");
        QCOMPARE(words(gpus.look()[0]), "-1 % -1 MiB -1 W -1 C");
        tree.remove("sys/bus/pci/devices/0000:01:00.0");
        QCOMPARE(words(gpus.look()[0]), "it has fallen off the bus");
    }

    void whatTheLibraryDoesNotNameIsNotLookedAtThere() {
        const Tree tree;
        tree.fake(""); // it starts, and names none
        tree.put("proc/driver/nvidia/gpus/0000:01:00.0/information", "GPU UUID: \t GPU-ee\nDevice Minor: \t 0\n");
        tree.put("sys/bus/pci/devices/0000:01:00.0/numa_node", "-1\n");
        const Gpus gpus(tree.root(), YARD_FAKE_NVML_PATH);
        QCOMPARE(gpus.all().size(), std::size_t{1});
        QCOMPARE(words(gpus.look()[0]), "-1 % -1 MiB -1 W -1 C");
    }

    void othersAreTheirRenderNodes() {
        const Tree tree;
        tree.amd("renderD128", "0000:03:00.0");
        tree.put("dev/kfd");
        tree.put("dev/dri/card0");
        tree.put("dev/dri/renderD129");
        tree.put("sys/class/drm/renderD129/device/vendor", "0x8086\n");
        const Gpus gpus(tree.root(), kNone);
        QCOMPARE(gpus.all().size(), std::size_t{2});
        QCOMPARE(words(gpus.all()[0]), "0 amd 0 GPU-4a1b  16368 MiB 0000:03:00.0 /dev/dri/renderD128 /dev/kfd");
        QCOMPARE(words(gpus.all()[1]), "1 intel 0   0 MiB  /dev/dri/renderD129");
        QCOMPARE(words(gpus.look()[0]), "37 % 1 MiB 41.5 W 52 C");
        QCOMPARE(words(gpus.look()[1]), "-1 % -1 MiB -1 W -1 C"); // without an address nothing is said of it
    }

    void whereADriverCountsEnergyThePowerIsKnownFromTheSecondLookOn() {
        const Tree tree;
        tree.put("dev/dri/renderD128");
        for (const std::string device : {"sys/class/drm/renderD128/device/", "sys/bus/pci/devices/0000:00:02.0/"}) {
            tree.put(device + "vendor", "0x8086\n");
            tree.put(device + "uevent", "DRIVER=i915\nPCI_SLOT_NAME=0000:00:02.0\n");
            tree.put(device + "hwmon/hwmon4/energy1_input", "5000000\n");
            tree.put(device + "hwmon/hwmon4/temp2_input", "48000\n");
        }
        const Gpus gpus(tree.root(), kNone);
        QCOMPARE(words(gpus.look()[0]), "-1 % -1 MiB -1 W 48 C");
        tree.put("sys/bus/pci/devices/0000:00:02.0/hwmon/hwmon4/energy1_input", "6000000\n");
        const auto watts = gpus.look()[0].powerWatts;
        QVERIFY(watts && *watts > 0);
        tree.put("sys/bus/pci/devices/0000:00:02.0/hwmon/hwmon4/energy1_input", "10\n"); // it counts from 0 again
        QVERIFY(!gpus.look()[0].powerWatts);
    }

    void aProcessHasWhatItsDriverAccountsForIt() {
        const Tree tree;
        tree.open(7, 3, "/dev/dri/renderD128", amdAccount(11, 2'048, 100, 900));
        tree.open(7, 4, "/dev/dri/renderD129", xeAccount(5, 300, 1'000));
        tree.open(7, 5, "/dev/null", amdAccount(12, 1, 1, 1)); // no device of this kind
        tree.open(8, 3, "/dev/dri/renderD128", amdAccount(13, 1'024, 50, 0));
        const auto use = gpuUseOf({7, 8, 9}, tree.root()); // 9 has ended
        QVERIFY(use && use->size() == 2);
        QCOMPARE(use->at("0000:03:00.0").memoryBytes >> 10, 3'072);
        QVERIFY(use->at("0000:03:00.0").engines.at("gfx") == (GpuEngineUse{.used = 150}));
        QCOMPARE(use->at("0000:00:02.0").memoryBytes >> 20, 3);
        QVERIFY(use->at("0000:00:02.0").engines.at("ccs") ==
                (GpuEngineUse{.used = 300, .total = 1'000, .capacity = 2}));
    }

    void whatDescriptorsAndProcessesShareCountsOnce() {
        const Tree tree;
        for (const int pid : {7, 8})
            for (const int fd : {3, 4}) tree.open(pid, fd, "/dev/dri/renderD128", amdAccount(11, 2'048, 100, 900));
        const auto use = gpuUseOf({7, 8}, tree.root());
        QCOMPARE(use->at("0000:03:00.0").memoryBytes >> 10, 2'048);
    }

    void anAccountOfGarbageIsNone() {
        const Tree tree;
        tree.open(7, 3, "/dev/dri/renderD128", "drm-pdev:\t0000:03:00.0\ndrm-memory-vram:\t5 KiB\n"); // no client
        tree.open(7, 4, "/dev/dri/renderD128", "drm-client-id:\t1\ndrm-engine-gfx:\t5 ns\n");         // no device
        tree.open(7, 5, "/dev/dri/renderD128",
                  "drm-client-id:\t2\ndrm-pdev:\tx\ndrm-memory-vram:\t-5 KiB\ndrm-engine-gfx:\t-9 ns\n"
                  "drm-engine-capacity-gfx:\t0\ndrm-engine-:\t3\n"
                  "drm-memory-gtt:\t99999999999999999999 MiB\ndrm-\n");
        const auto use = gpuUseOf({7}, tree.root());
        QVERIFY(use && use->size() == 1);
        QCOMPARE(use->at("x").memoryBytes, 0);
        QVERIFY(use->at("x").engines.at("gfx") == GpuEngineUse{});
    }

    void whoMayNotBeLookedAtIsNotKnown() {
        const Tree tree;
        tree.open(7, 3, "/dev/dri/renderD128", amdAccount(11, 1, 1, 1));
        if (::geteuid() == 0) QSKIP("root may look at everything");
        std::filesystem::permissions(tree.root() + "proc/7/fd", std::filesystem::perms::none);
        QVERIFY(!gpuUseOf({7}, tree.root()));
        std::filesystem::permissions(tree.root() + "proc/7/fd", std::filesystem::perms::owner_all);
    }

    void theBusiestKindOfEngineIsWhatCounts() {
        constexpr yard::Duration kSecond{1'000'000};
        const GpuUse before{.memoryBytes = 0, .engines = {{"gfx", {.used = 100}}, {"compute", {.used = 0}}}};
        const GpuUse now{.memoryBytes = 0,
                         .engines = {{"gfx", {.used = 250'000'100}}, {"compute", {.used = 500'000'000}}}};
        QCOMPARE(gpuPercentBetween(before, now, kSecond), 50.0);
        QCOMPARE(gpuPercentBetween(now, before, kSecond), 0.0); // a process that ended took its time along
        const GpuUse cycles{.memoryBytes = 0, .engines = {{"ccs", {.used = 10, .total = 100, .capacity = 2}}}};
        const GpuUse later{.memoryBytes = 0, .engines = {{"ccs", {.used = 110, .total = 300, .capacity = 2}}}};
        QCOMPARE(gpuPercentBetween(cycles, later, kSecond), 25.0);
        QCOMPARE(gpuPercentBetween({}, later, kSecond), 0.0); // of the device nothing is known before
        QCOMPARE(gpuPercentBetween({}, now, yard::Duration(1)), 100.0);
    }

    void aMachineWithoutAnyHasNone() {
        const Tree tree;
        const Gpus gpus(tree.root(), kNone);
        QVERIFY(gpus.all().empty() && gpus.look().empty());
    }

    void theReadersThreadTellsWhatItFindsAndSees() {
        const Tree tree;
        tree.fake("GPU-aa A 1 0 1 0 7 0 0 ok\n");
        GpuReader reader(tree.root(), YARD_FAKE_NVML_PATH);
        const auto found = reader.find(kSoon);
        QVERIFY(found && found->size() == 1);
        QCOMPARE(found->front().uuid, "GPU-aa");
        QCOMPARE(words(reader.first().at(0)), "7 % 0 MiB 0 W 0 C");
        std::promise<std::vector<GpuFigures>> seen;
        reader.look([&seen](std::vector<GpuFigures> figures) { seen.set_value(std::move(figures)); });
        QCOMPARE(words(seen.get_future().get()[0]), "7 % 0 MiB 0 W 0 C");
    }

    void aReaderOfNoneFindsNone() {
        const Tree tree;
        const GpuReader reader(tree.root(), kNone);
        const auto found = reader.find(kSoon);
        QVERIFY(found && found->empty());
    }

    void whereThereIsNoneALookIsDropped() {
        const Tree tree;
        GpuReader reader(tree.root(), kNone);
        const auto kept = std::make_shared<int>();
        const std::weak_ptr<int> asked = kept;
        reader.look([kept](const std::vector<GpuFigures>&) { QFAIL("it was told"); });
        QTRY_VERIFY_WITH_TIMEOUT(asked.use_count() == 1, 20'000);
    }

    void aDriverThatHangsHoldsUpNobody() {
        const Tree tree;
        tree.fake("GPU-aa A 1 0 1 0 7 0 0 hang\n");
        {
            const GpuReader reader(tree.root(), YARD_FAKE_NVML_PATH);
            QVERIFY(!reader.find(std::chrono::milliseconds(20)));
        } // its thread is left behind
        GpuReader reader(tree.root(), YARD_FAKE_NVML_PATH);
        tree.fake("GPU-aa A 1 0 1 0 7 0 0 ok\n");
        const auto found = reader.find(kSoon);
        QVERIFY(found && found->size() == 1);
    }

    void aLibraryThatDoesNotStartIsNone() {
        const Tree tree; // YARD_FAKE_GPUS is not set: it refuses
        QVERIFY(!Nvml::load(YARD_FAKE_NVML_PATH));
        QVERIFY(Gpus(tree.root(), YARD_FAKE_NVML_PATH).all().empty());
    }
};

QTEST_GUILESS_MAIN(GpusTest)
#include "tst_gpus.moc"
