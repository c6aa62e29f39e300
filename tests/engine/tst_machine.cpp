// What is found on a machine, in made-up /proc, /sys and /dev.
#include "core/host/gpus.h"
#include "core/host/machine.h"

#include <QObject>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace yard;
using namespace yard::host;

namespace {

class FakeRoot {
public:
    void put(const std::string& path, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(root() + path).parent_path());
        std::ofstream(root() + path) << text;
    }
    std::string root() const { return dir_.path().toStdString() + "/"; }

private:
    QTemporaryDir dir_;
};

std::size_t gpusFound(const FakeRoot& fake) {
    return Gpus(fake.root(), "/no/such/library.so").all().size();
}

std::string text(const Resources& resources) {
    std::string all = fmt::format("{} {}", resources.milliCores, resources.memoryMb);
    for (const auto& [name, amount] : resources.named) all += fmt::format(" {}={}", name, amount);
    return all;
}

} // namespace

class MachineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void memoryIsThatOfTheMachine() {
        FakeRoot fake;
        fake.put("proc/meminfo", "MemTotal:       16384000 kB\nMemFree:  1 kB\n");
        QCOMPARE(host::memoryOfMachine(fake.root()), std::int64_t{16000});
    }

    void memoryIsThatOfTheControlGroupWhenThatIsLess() {
        FakeRoot fake;
        fake.put("proc/meminfo", "MemTotal:       16384000 kB\n");
        fake.put("proc/self/cgroup", "1:name=systemd:/old\n0::/user.slice/session\n");
        fake.put("sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
        fake.put("sys/fs/cgroup/user.slice/session/memory.max", "max\n");
        QCOMPARE(host::memoryOfMachine(fake.root()), std::int64_t{1024});
    }

    void memoryIsUnknownWhereNothingSaysIt() {
        FakeRoot fake;
        QCOMPARE(host::memoryOfMachine(fake.root()), std::int64_t{0});
    }

    void gpusAreWhatTheirDriverSaysElseTheRenderNodes() {
        FakeRoot fake;
        QCOMPARE(gpusFound(fake), std::size_t{0});
        fake.put("dev/dri/card0", "");
        fake.put("dev/dri/renderD128", "");
        QCOMPARE(gpusFound(fake), std::size_t{1});
        fake.put("proc/driver/nvidia/gpus/0000:01:00.0/information", "");
        fake.put("proc/driver/nvidia/gpus/0000:02:00.0/information", "");
        QCOMPARE(gpusFound(fake), std::size_t{2});
    }

    void settingsReplaceWhatIsFound() {
        FakeRoot fake;
        fake.put("proc/meminfo", "MemTotal:       2048000 kB\n");
        fake.put("dev/dri/renderD128", "");
        QCOMPARE(text(host::machineResources(2, gpusFound(fake), {}, fake.root())), "2000 2000 gpus=1000");
        host::ResourceSettings settings;
        settings.memoryMb = 500;
        settings.named = {{"licence.x", 3000}, {"gpus", 0}, {"licence.x", 1500}};
        QCOMPARE(text(host::machineResources(4, gpusFound(fake), settings, fake.root())),
                 "4000 500 licence.x=1500");
    }
};

QTEST_APPLESS_MAIN(MachineTest)
#include "tst_machine.moc"
