#include "core/engine/state/worker_registry.h"

#include "core/model/limits.h"
#include "core/model/worker.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

void WorkerRegistry::add(RegisteredWorker worker) {
    remove(worker.id);
    worker.order = nextOrder_++;
    std::string id = worker.id;
    const RegisteredWorker& kept = byId_.emplace(std::move(id), std::move(worker)).first->second;
    byName_[kept.descriptor->name].push_back(&kept);
}

void WorkerRegistry::remove(std::string_view id) {
    const auto at = byId_.find(id);
    if (at == byId_.end()) return;
    const auto named = byName_.find(at->second.descriptor->name);
    std::erase(named->second, &at->second);
    if (named->second.empty()) byName_.erase(named);
    byId_.erase(at);
}

void WorkerRegistry::setLeaving(std::string_view id, bool leaving) {
    if (const auto at = byId_.find(id); at != byId_.end()) at->second.leaving = leaving;
}

const RegisteredWorker* WorkerRegistry::find(std::string_view ref) const {
    if (const auto at = byId_.find(ref); at != byId_.end()) return &at->second;
    const auto mark = ref.find('@');
    const auto named = byName_.find(ref.substr(0, mark));
    if (named == byName_.end()) return nullptr;
    if (mark == ref.npos) return named->second.back();
    const auto newest =
        std::find_if(named->second.rbegin(), named->second.rend(), [&](const RegisteredWorker* worker) {
            return worker->descriptor->version == ref.substr(mark + 1);
        });
    return newest == named->second.rend() ? nullptr : *newest;
}

std::vector<const RegisteredWorker*> WorkerRegistry::all() const {
    std::vector<const RegisteredWorker*> workers;
    workers.reserve(byId_.size());
    for (const auto& [id, worker] : byId_) workers.push_back(&worker);
    return workers;
}

std::string whyNotElsewhere(const RegisteredWorker& worker) {
    const WorkerDescriptor& descriptor = *worker.descriptor;
    const auto stays = [&](std::string why) { return fmt::format("Worker \"{}\" {}", descriptor.name, why); };
    if (descriptor.mode == WorkerMode::Warm) return stays("is warm, and its processes are on this machine");
    if (worker.canonical.size() > kMaxSentWorkerBytes)
        return stays(fmt::format("has a descriptor of more than {} MB, which no other machine reads",
                                 kMaxSentWorkerBytes >> 20));
    if (descriptor.files.size() > kMaxSentWorkerFiles)
        return stays(fmt::format("has more than {} files, which go to no other machine", kMaxSentWorkerFiles));
    return {};
}

namespace {

/// As a class has it: what is usual is left out.
std::vector<std::string> machinesOf(const ActionSpec& spec, const std::vector<std::string>& usual) {
    std::vector<std::string> words = spec.machines.empty() ? usual : spec.machines;
    const bool isAny = std::ranges::find(words, "any") != words.end();
    if (spec.isExec() && words == std::vector<std::string>{"local"}) words.clear();
    if (isAny) words.assign(spec.isExec() ? 1 : 0, "any");
    return words;
}

/// Of one that may go to a machine that ends. 0: nobody said.
std::int64_t longestSecondsOf(const ActionSpec& spec) {
    return spec.deadline && *spec.deadline > Duration::zero() ? longestFor(*spec.deadline) : 0;
}

bool isHereToo(const std::vector<std::string>& words) {
    return std::ranges::any_of(words, [](const auto& word) { return word == "any" || word == "local"; });
}

} // namespace

Result<ClassKey> WorkerRegistry::resolve(const ActionSpec& spec, const std::vector<std::string>& machines) const {
    ClassKey key;
    key.machines = machinesOf(spec, machines);
    key.platform = spec.platform;
    key.retryLimits = spec.retryLimits;
    key.locks = spec.locks;
    std::ranges::sort(key.locks);
    if (spec.isExec()) {
        if (spec.cwd && !key.machines.empty())
            return invalid("cwd", "Remove \"cwd\", or give \"machine\" as \"local\": another machine does not have "
                                  "that directory.");
        if (spec.tty && !key.machines.empty())
            return invalid("tty", "Remove \"tty\", or give \"machine\" as \"local\": a terminal is opened on this "
                                  "machine only.");
        key.workerId = key.workerName = "exec";
        key.resources = effectiveResources(spec);
        if (!key.machines.empty()) key.longestS = longestSecondsOf(spec);
        return key;
    }
    const RegisteredWorker* worker = find(spec.worker);
    if (!worker)
        return invalid("worker",
                       fmt::format("No worker \"{}\" is registered: register it with POST workers/<id> or "
                                   "`yardctl workers add`, or use \"exec\".",
                                   spec.worker));
    if (worker->leaving)
        return fail(
            ErrorKind::WrongState,
            fmt::format("Worker \"{}\" is being removed: register it again when GET workers has it no more.",
                        worker->descriptor->name));
    if (!worker->descriptor->function(spec.function)) {
        std::string known;
        for (const WorkerFunction& f : worker->descriptor->functions) known += (known.empty() ? "" : ", ") + f.name;
        return invalid("function", fmt::format("Worker \"{}\" has no function \"{}\"; it has: {}.",
                                               worker->descriptor->name, spec.function, known));
    }
    key.workerId = worker->id;
    key.workerName = worker->descriptor->name;
    key.workerVersion = worker->descriptor->version;
    key.function = spec.function;
    key.resources = effectiveResources(spec, worker->descriptor->resources);
    if (const std::string why = whyNotElsewhere(*worker); !why.empty()) {
        if (!spec.machines.empty() && !isHereToo(spec.machines))
            return invalid("machine", fmt::format("{}: remove \"machine\", or give it as \"local\".", why));
        key.machines.clear();
    } else if (key.machines != std::vector<std::string>{"local"}) {
        key.longestS = longestSecondsOf(spec);
    }
    if (worker->descriptor->mode == WorkerMode::Warm) // what serves it holds them, once for all that it serves
        key.resources = resourcesBesideProcess(spec, worker->descriptor->resources);
    return key;
}

} // namespace yard::engine
