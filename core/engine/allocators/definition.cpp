#include "core/engine/allocators/definition.h"

#include "core/json/json_reader.h"
#include "core/model/json_fields.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace yard::engine {

namespace {

constexpr std::size_t kMostCommandBytes = 4'096;
constexpr std::size_t kMostOptions = 64;
constexpr std::int64_t kMostWalltime = 366 * 24 * 3'600;
constexpr std::int64_t kLeastWalltime = 60;
constexpr double kMostAllocatorCores = 4'096;
constexpr std::int64_t kMostAllocatorMemory = std::int64_t{1} << 30;

std::unexpected<Error> wrongMember(std::string_view member, std::string_view what) {
    return invalid(std::string(member), fmt::format("Give \"{}\" as {}.", member, what));
}

/// One line of a command, which no journal and no log shows as several.
bool isLine(std::string_view text) {
    return text.size() <= kMostCommandBytes &&
           std::ranges::none_of(text, [](unsigned char byte) { return byte < ' ' || byte == 0x7f; });
}

Result<void> readLine(JsonView value, std::string& line) {
    if (value.kind() != JsonKind::String || !isLine(value.string()))
        return wrongMember(value.key(), "one line of text, at most 4096 bytes");
    line = value.string();
    return {};
}

struct Bounds {
    std::int64_t least = 0;
    std::int64_t most = 0;
};
Result<void> readCount(JsonView value, Bounds bounds, std::int64_t& count) {
    if (value.kind() != JsonKind::Integer || value.node().integer < bounds.least ||
        value.node().integer > bounds.most)
        return wrongMember(value.key(), fmt::format("a whole number from {} to {}", bounds.least, bounds.most));
    count = value.node().integer;
    return {};
}

Result<void> readAmount(JsonView value, double least, double& amount) {
    double read = -1;
    if (value.kind() == JsonKind::Integer) read = static_cast<double>(value.node().integer);
    if (value.kind() == JsonKind::Number) read = value.node().number;
    if (!(read >= least && read <= kMostAllocatorCores))
        return wrongMember(value.key(), fmt::format("a number from {} to {}", least, kMostAllocatorCores));
    amount = read;
    return {};
}

Result<void> readFlag(JsonView value, bool& flag) {
    if (value.kind() != JsonKind::Bool) return wrongMember(value.key(), "true or false");
    flag = value.node().boolean;
    return {};
}

Result<void> readAllocatorName(JsonView value, AllocatorDefinition& into) {
    if (value.kind() != JsonKind::String || !isPlainName(value.string()) || value.string().size() > 40)
        return invalid("name",
                       "A name has 1 to 40 letters, digits, \".\", \"_\" and \"-\", and begins with a letter.");
    into.name = value.string();
    return {};
}

Result<void> readKind(JsonView value, AllocatorDefinition& into) {
    const std::string_view word = value.kind() == JsonKind::String ? value.string() : std::string_view();
    if (word != "slurm" && word != "command") return wrongMember("kind", "\"slurm\" or \"command\"");
    into.kind = word == "slurm" ? AllocatorKind::Slurm : AllocatorKind::Command;
    return {};
}

/// As they are given to sbatch. What is no option would be its script.
Result<void> readOptions(JsonView value, AllocatorDefinition& into) {
    constexpr std::string_view kWhat = "a list of at most 64 options of sbatch, each as \"--NAME=VALUE\" or \"-X\"";
    if (value.kind() != JsonKind::Array || value.count() > kMostOptions) return wrongMember("options", kWhat);
    into.options.clear();
    for (const JsonView one : value) {
        if (one.kind() != JsonKind::String || !isLine(one.string()) || !one.string().starts_with('-') ||
            one.string().size() < 2)
            return wrongMember("options", kWhat);
        into.options.emplace_back(one.string());
    }
    return {};
}

struct AllocatorMember {
    std::string_view name;
    Result<void> (*read)(JsonView, AllocatorDefinition&);
    bool isKeptOnly = false;
};
constexpr std::array kAllocatorMembers = {
    AllocatorMember{"name", &readAllocatorName},
    AllocatorMember{"kind", &readKind},
    AllocatorMember{"partition", [](JsonView v, AllocatorDefinition& i) { return readLine(v, i.partition); }},
    AllocatorMember{"options", &readOptions},
    AllocatorMember{"program", [](JsonView v, AllocatorDefinition& i) { return readLine(v, i.program); }},
    AllocatorMember{"start", [](JsonView v, AllocatorDefinition& i) { return readLine(v, i.commands.start); }},
    AllocatorMember{"list", [](JsonView v, AllocatorDefinition& i) { return readLine(v, i.commands.list); }},
    AllocatorMember{"stop", [](JsonView v, AllocatorDefinition& i) { return readLine(v, i.commands.stop); }},
    AllocatorMember{"walltime_s",
                    [](JsonView v, AllocatorDefinition& i) {
                        return readCount(v, {kLeastWalltime, kMostWalltime}, i.walltimeS);
                    }},
    AllocatorMember{"cores", [](JsonView v, AllocatorDefinition& i) { return readAmount(v, 0.001, i.cores); }},
    AllocatorMember{
        "memory_mb",
        [](JsonView v, AllocatorDefinition& i) { return readCount(v, {0, kMostAllocatorMemory}, i.memoryMb); }},
    AllocatorMember{"gpus", [](JsonView v, AllocatorDefinition& i) { return readAmount(v, 0, i.gpus); }},
    AllocatorMember{"min",
                    [](JsonView v, AllocatorDefinition& i) { return readCount(v, {0, kMostPilots}, i.min); }},
    AllocatorMember{"max",
                    [](JsonView v, AllocatorDefinition& i) { return readCount(v, {1, kMostPilots}, i.max); }},
    AllocatorMember{
        "pending_max",
        [](JsonView v, AllocatorDefinition& i) { return readCount(v, {1, kMostPilots}, i.pendingMax); }},
    AllocatorMember{
        "backlog_s",
        [](JsonView v, AllocatorDefinition& i) { return readCount(v, {1, kMostWalltime}, i.backlogS); }},
    AllocatorMember{"idle_s",
                    [](JsonView v, AllocatorDefinition& i) { return readCount(v, {1, kMostWalltime}, i.idleS); }},
    AllocatorMember{"keep", [](JsonView v, AllocatorDefinition& i) { return readFlag(v, i.keeps); }},
    AllocatorMember{"paused", [](JsonView v, AllocatorDefinition& i) { return readFlag(v, i.isPaused); }, true},
    AllocatorMember{"removed", [](JsonView v, AllocatorDefinition& i) { return readFlag(v, i.isRemoved); }, true}};

Result<void> checkAllocator(const AllocatorDefinition& definition) {
    if (definition.name.empty()) return invalid("name", "Give the allocator a name.");
    if (definition.min > definition.max) return invalid("min", "Give a \"min\" that is not over \"max\".");
    if (definition.kind == AllocatorKind::Slurm) {
        if (definition.program.empty()) return invalid("program", "Give the path of yardmaster on the nodes.");
        if (!definition.commands.start.empty() || !definition.commands.list.empty() ||
            !definition.commands.stop.empty())
            return invalid("start", "An allocator of the kind \"slurm\" has Slurm's own commands; leave them out.");
        return {};
    }
    for (const auto& [member, line] :
         {std::pair{"start", &definition.commands.start}, std::pair{"list", &definition.commands.list},
          std::pair{"stop", &definition.commands.stop}})
        if (line->empty())
            return invalid(member, "An allocator of the kind \"command\" needs \"start\", \"list\" and \"stop\".");
    if (!definition.options.empty() || !definition.partition.empty())
        return invalid("partition", "A partition and options go with the kind \"slurm\".");
    return {};
}

} // namespace

std::string_view name(AllocatorKind kind) {
    return kind == AllocatorKind::Slurm ? "slurm" : "command";
}

Result<AllocatorDefinition> readAllocator(std::string_view json, AllocatorDefinition base, AllocatorSource source) {
    // What is kept may be longer: several changes came together, each within the limit.
    if (source == AllocatorSource::Person && json.size() > kMostAllocatorBytes)
        return fail(ErrorKind::TooLarge, "An allocator has at most 64 KiB.");
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    if (!tape->root().isObject()) return fail(ErrorKind::Malformed, "Give an allocator as a JSON object.");
    for (const JsonView value : tape->root()) {
        const auto* const member = std::ranges::find(kAllocatorMembers, value.key(), &AllocatorMember::name);
        if (member == kAllocatorMembers.end() || (member->isKeptOnly && source == AllocatorSource::Person))
            return invalid(std::string(value.key()),
                           fmt::format("An allocator has no member \"{}\"; docs/machines.md lists those it has.",
                                       value.key()));
        if (auto read = member->read(value, base); !read) return std::unexpected(read.error());
    }
    if (auto good = checkAllocator(base); !good) return std::unexpected(good.error());
    return base;
}

void writeAllocator(JsonWriter& writer, const AllocatorDefinition& definition, bool withCommands) {
    writer.member("name", definition.name);
    writer.member("kind", name(definition.kind));
    if (definition.kind == AllocatorKind::Slurm) {
        if (!definition.partition.empty()) writer.member("partition", definition.partition);
        writer.member("program", definition.program);
        writer.key("options");
        writer.openArray();
        for (const std::string& option : definition.options) writer.string(option);
        writer.closeArray();
    } else if (withCommands) {
        writer.member("start", definition.commands.start);
        writer.member("list", definition.commands.list);
        writer.member("stop", definition.commands.stop);
    }
    writer.member("walltime_s", definition.walltimeS);
    writer.member("cores", definition.cores);
    writer.member("memory_mb", definition.memoryMb);
    writer.member("gpus", definition.gpus);
    writer.member("min", definition.min);
    writer.member("max", definition.max);
    writer.member("pending_max", definition.pendingMax);
    writer.member("backlog_s", definition.backlogS);
    writer.member("idle_s", definition.idleS);
    writer.member("keep", definition.keeps);
}

allocators::Settings settingsOf(const AllocatorDefinition& definition) {
    using std::chrono::seconds;
    allocators::Settings settings;
    settings.shape = {.cores = definition.cores,
                      .memoryMb = static_cast<std::uint64_t>(definition.memoryMb),
                      .gpus = definition.gpus};
    settings.limits = {
        .min = static_cast<unsigned>(definition.min),
        .max = static_cast<unsigned>(definition.max),
        .backlog = seconds(definition.backlogS),
        .lifetime = std::max(seconds(definition.walltimeS) - allocators::kSlurmReserve, allocators::kSlurmReserve)};
    settings.pendingMax = static_cast<unsigned>(definition.pendingMax);
    settings.idle = seconds(definition.idleS);
    return settings;
}

allocators::SlurmOptions slurmOf(const AllocatorDefinition& definition) {
    allocators::SlurmOptions options;
    options.partition = definition.partition;
    options.options = definition.options;
    options.walltime = std::chrono::seconds(definition.walltimeS);
    options.shape = settingsOf(definition).shape;
    options.program = definition.program;
    options.idle = std::chrono::seconds(definition.idleS);
    return options;
}

} // namespace yard::engine
