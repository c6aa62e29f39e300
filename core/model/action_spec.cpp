#include "core/model/action_spec.h"

#include "core/base/replace.h"
#include "core/json/utf8.h"
#include "core/model/given_resources.h"
#include "core/model/limits.h"

#include <algorithm>
#include <string>

namespace yard {

namespace {

constexpr std::size_t kMaxPartBytes = 255; // NAME_MAX

std::size_t bytesOf(const std::string& text) {
    return sizeof(std::string) + text.size();
}

constexpr auto nameOf = [](const auto& amount) -> const std::string& { return amount.first; };

bool isAmong(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

} // namespace

std::string_view name(DependencyOn on) {
    return on == DependencyOn::Completed ? "completed" : on == DependencyOn::Any ? "any" : "failed";
}

std::vector<Hash256> ActionSpec::inputChunks() const {
    std::vector<Hash256> chunks;
    for (const auto& [path, hash] : inputs) chunks.push_back(hash);
    if (stdinSource && stdinSource->chunk) chunks.push_back(*stdinSource->chunk);
    return chunks;
}

std::size_t ActionSpec::footprint() const {
    std::size_t bytes =
        sizeof(ActionSpec) + worker.size() + function.size() + args.size() + label.size() + id.size();
    if (cwd) bytes += cwd->size();
    for (const auto& [path, hash] : inputs) bytes += bytesOf(path) + sizeof hash;
    for (const auto& [name, value] : env) bytes += bytesOf(name) + bytesOf(value);
    if (stdinSource) bytes += stdinSource->text.size();
    for (const auto* list : {&expect, &argv, &locks, &unkeptEnv, &machines})
        for (const std::string& text : *list) bytes += bytesOf(text);
    if (resources)
        for (const auto& [name, amount] : resources->named) bytes += bytesOf(name) + sizeof amount;
    for (const Reference& reference : references) bytes += sizeof reference + reference.id.size();
    return bytes + after.size() * sizeof(Dependency) + replaces.size() * sizeof(Lsn);
}

std::int64_t Resources::amountOf(std::string_view name) const {
    const auto at = std::ranges::find(named, name, nameOf);
    return at == named.end() ? 0 : at->second;
}

Resources effectiveResources(const ActionSpec& spec, const Resources& base) {
    Resources result = spec.resources.value_or(base);
    if (!spec.coresGiven) result.milliCores = base.milliCores;
    if (!spec.memoryGiven) result.memoryMb = base.memoryMb;
    if (spec.resources) {
        if (result.amountOf(kGpus) == 0) result.gpuMemoryMb = base.gpuMemoryMb;
        for (const auto& amount : base.named)
            if (result.amountOf(amount.first) == 0) result.named.push_back(amount);
    }
    if (spec.tty) {
        constexpr std::int64_t kOne = 1000;
        result.named.emplace_back(kTerminals, kOne);
    }
    std::ranges::sort(result.named);
    return result;
}

Resources resourcesBesideProcess(const ActionSpec& spec, const Resources& worker) {
    Resources own = spec.resources.value_or(Resources{});
    own.milliCores = worker.milliCores;
    own.memoryMb = worker.memoryMb;
    if (worker.amountOf(kGpus) > 0) own.gpuMemoryMb = 0;
    std::erase_if(own.named, [&](const auto& amount) { return worker.amountOf(amount.first) > 0; });
    return own;
}

Resources keptPart(const Resources& worker, const std::vector<std::string>& keeps) {
    Resources part = worker;
    part.milliCores = 0;
    std::erase_if(part.named, [&](const auto& amount) { return !isAmong(keeps, amount.first); });
    if (part.amountOf(kGpus) == 0) part.gpuMemoryMb = 0;
    return part;
}

Resources busyPart(const Resources& worker, const std::vector<std::string>& keeps) {
    Resources part = worker;
    part.memoryMb = 0;
    std::erase_if(part.named, [&](const auto& amount) { return isAmong(keeps, amount.first); });
    if (part.amountOf(kGpus) == 0) part.gpuMemoryMb = 0;
    return part;
}

void applyArrayIndex(ActionSpec& spec, std::int64_t index) {
    const std::string text = std::to_string(index);
    for (std::string& argument : spec.argv) replaceAll(argument, "{index}", text);
    const auto known =
        std::ranges::find(spec.env, "YARD_INDEX", [](const auto& variable) { return variable.first; });
    if (known != spec.env.end())
        known->second = text;
    else
        spec.env.emplace_back("YARD_INDEX", text);
}

bool isSafeRelativePath(std::string_view path) {
    if (path.empty() || path.size() > kMaxPathBytes || !isUtf8(path) || hasControlCharacters(path)) return false;
    while (true) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (part.empty() || part == "." || part == ".." || part.size() > kMaxPartBytes) return false;
        if (slash == std::string_view::npos) return true;
        path.remove_prefix(slash + 1);
    }
}

} // namespace yard
