#include "core/http/machine_json.h"

#include <cstdint>

namespace yard::http {

namespace {

constexpr double kThousand = 1'000;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

} // namespace

void writeMachineRow(JsonWriter& writer, const engine::MachineView& machine) {
    writer.openObject();
    writer.member("id", machine.id.value);
    writer.member("name", machine.name);
    writer.member("kind", machine.kind);
    if (!machine.allocator.empty()) writer.member("allocator", machine.allocator);
    if (!machine.address.empty()) writer.member("address", machine.address);
    writer.member("state", link::name(machine.state));
    if (!machine.reason.empty()) writer.member("reason", machine.reason);
    if (!machine.platform.empty()) writer.member("platform", machine.platform);
    if (!machine.version.empty()) writer.member("version", machine.version);
    if (machine.milliCores > 0) writer.member("cores", static_cast<double>(machine.milliCores) / kThousand);
    if (machine.memoryMb > 0) writer.member("memory_bytes", machine.memoryMb * kMiB);
    if (machine.gpus > 0) {
        writer.member("gpus", machine.gpus);
        writer.member("gpus_free", machine.gpusFree);
    }
    writer.member("slots", machine.slots);
    writer.member("running", machine.running);
    writer.member("waiting", machine.waiting);
    if (machine.since > 0) writer.member("since", machine.since);
    if (machine.lostAt > 0) writer.member("lost_at", machine.lostAt);
    if (machine.lifetimeEnds > 0) writer.member("lifetime_ends", machine.lifetimeEnds);
    if (!machine.tags.empty()) {
        writer.key("tags");
        writer.openArray();
        for (const std::string& tag : machine.tags) writer.string(tag);
        writer.closeArray();
    }
    if (!machine.hours.empty()) writer.member("hours", machine.hours);
    if (machine.mostMemoryMb > 0) writer.member("max_memory_mb", machine.mostMemoryMb);
    if (machine.mostMilliCores > 0)
        writer.member("max_cores", static_cast<double>(machine.mostMilliCores) / kThousand);
    writer.closeObject();
}

std::string machinesJson(const std::vector<engine::MachineView>& machines) {
    std::string text;
    JsonWriter writer(text);
    writer.openArray();
    for (const engine::MachineView& machine : machines) writeMachineRow(writer, machine);
    writer.closeArray();
    return text;
}

} // namespace yard::http
