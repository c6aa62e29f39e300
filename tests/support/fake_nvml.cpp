// A library in the place of NVIDIA's: its GPUs are lines of the file that YARD_FAKE_GPUS names, read again at each call, so
// that a test takes one away by writing the file. A line: UUID NAME MEMORY_MIB MINOR BUS USED_MIB PERCENT MILLIWATTS
// CELSIUS ok|lost|errors|hang, where no answer comes while that is there. Then
// for each process that has memory of it PID=MIB. Names have no spaces.
#include "core/host/nvml_abi.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace yard::host::nvml;

namespace {

struct Fake {
    std::string uuid, name;
    unsigned long long memoryMib = 0;
    unsigned minor = 0, bus = 0;
    unsigned long long usedMib = 0;
    unsigned percent = 0, milliwatts = 0, celsius = 0;
    std::string state;
    std::vector<ProcessInfo> processes;
};

/// "4711=20"
ProcessInfo processOf(const std::string& word) {
    ProcessInfo process{};
    process.pid = static_cast<unsigned>(std::stoul(word));
    process.usedGpuMemory = std::stoull(word.substr(word.find('=') + 1)) << 20;
    return process;
}

std::vector<Fake> readFakes() {
    std::vector<Fake> all;
    const char* path = std::getenv("YARD_FAKE_GPUS");
    std::ifstream file(path ? path : "");
    for (std::string line; std::getline(file, line);) {
        Fake one;
        std::istringstream words(line);
        if (words >> one.uuid >> one.name >> one.memoryMib >> one.minor >> one.bus >> one.usedMib >> one.percent >>
            one.milliwatts >> one.celsius >> one.state) {
            for (std::string word; words >> word;) one.processes.push_back(processOf(word));
            all.push_back(std::move(one));
        }
    }
    return all;
}

/// As of a driver in trouble: whatever is asked hangs while a line says so.
std::vector<Fake> fakes() {
    std::vector<Fake> all = readFakes();
    for (; std::ranges::count(all, "hang", &Fake::state) > 0; all = readFakes())
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return all;
}

/// A handle is the place in the file, from 1.
Device handleOf(std::size_t place) {
    return reinterpret_cast<Device>(place + 1);
}

Return withFake(Device device, auto use) {
    const std::vector<Fake> all = fakes();
    const auto place = reinterpret_cast<std::size_t>(device) - 1;
    if (place >= all.size()) return kNotFound;
    if (all[place].state == "lost") return kGpuIsLost;
    use(all[place]);
    return kSuccess;
}

void put(std::string_view text, char* to, unsigned size) {
    const std::size_t length = std::min<std::size_t>(text.size(), size - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
}

} // namespace

extern "C" {

/// Its numbers of processes are the tests', also in a container.
void yardNamesOurProcesses() {}

Return nvmlInit_v2() {
    return std::getenv("YARD_FAKE_GPUS") ? kSuccess : 1;
}
Return nvmlShutdown() {
    return kSuccess;
}
Return nvmlDeviceGetCount_v2(unsigned* count) {
    *count = static_cast<unsigned>(fakes().size());
    return kSuccess;
}
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
    *device = handleOf(index);
    return index < fakes().size() ? kSuccess : kNotFound;
}
Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
    const std::vector<Fake> all = fakes();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].uuid != uuid) continue;
        *device = handleOf(i);
        return all[i].state == "lost" ? kGpuIsLost : kSuccess;
    }
    return kNotFound;
}
Return nvmlDeviceGetUUID(Device device, char* text, unsigned size) {
    return withFake(device, [&](const Fake& fake) { put(fake.uuid, text, size); });
}
Return nvmlDeviceGetName(Device device, char* text, unsigned size) {
    return withFake(device, [&](const Fake& fake) { put(fake.name, text, size); });
}
Return nvmlDeviceGetMinorNumber(Device device, unsigned* minor) {
    return withFake(device, [&](const Fake& fake) { *minor = fake.minor; });
}
Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
    return withFake(device, [&](const Fake& fake) {
        *memory = {.total = fake.memoryMib << 20,
                   .free = (fake.memoryMib - fake.usedMib) << 20,
                   .used = fake.usedMib << 20};
    });
}
Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* pci) {
    return withFake(device, [&](const Fake& fake) {
        *pci = {};
        pci->bus = fake.bus;
    });
}
Return nvmlDeviceGetUtilizationRates(Device device, Utilization* rates) {
    return withFake(device, [&](const Fake& fake) { *rates = {.gpu = fake.percent, .memory = 0}; });
}
Return nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
    return withFake(device, [&](const Fake& fake) { *milliwatts = fake.milliwatts; });
}
Return nvmlDeviceGetTemperature(Device device, int /*sensor*/, unsigned* celsius) {
    return withFake(device, [&](const Fake& fake) { *celsius = fake.celsius; });
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* infos) {
    return withFake(device, [&](const Fake& fake) {
        *count = std::min(*count, static_cast<unsigned>(fake.processes.size()));
        std::copy_n(fake.processes.begin(), *count, infos);
    });
}
Return nvmlDeviceGetTotalEccErrors(Device device, int /*kind*/, int /*since*/, unsigned long long* errors) {
    return withFake(device, [&](const Fake& fake) { *errors = fake.state == "errors" ? 2 : 0; });
}

} // extern "C"
