#include "core/engine/kernel/ground.h"

#include "core/base/log.h"
#include "core/engine/running/gpu_environment.h"
#include "core/runners/runner_source.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <sys/prctl.h>
#include <thread>
#include <vector>

namespace yard::engine {

namespace {

constexpr int kHelpers = 2;
constexpr std::size_t kRunIdBytes = 8;
/// A driver that begins may take seconds, for each of them; one that hangs is not to hold up the engine.
constexpr std::chrono::seconds kGpuSearch{10};

host::ResourceSettings resourceSettings(const Settings& settings, const Options& options) {
    host::ResourceSettings resources;
    for (const auto& [name, amount] : settings.resources) {
        if (name == "memory_mb")
            resources.memoryMb = std::llround(amount);
        else
            resources.named.emplace_back(name, std::llround(amount * 1000));
    }
    resources.named.emplace_back(kTerminals, settings.maxTerminals * 1000);
    if (options.resources.memoryMb) resources.memoryMb = options.resources.memoryMb;
    resources.named.insert(resources.named.end(), options.resources.named.begin(), options.resources.named.end());
    return resources;
}

/// Names of pieces: those that settings give, where there are as many; else those of GPUs are their numbers. More GPUs than the
/// `gpus` that were found are only counted: nobody is told to use one that is not there. Where none was found, settings are
/// believed.
session::ResourceNames piecesOf(const Settings& settings, const Resources& total, std::size_t gpus) {
    session::ResourceNames pieces;
    std::map<std::string, std::vector<std::string>> named = namedPieces(settings);
    for (const auto& [name, amount] : total.named) {
        const auto count = static_cast<std::size_t>(amount / session::IndexPool::kWhole);
        if (count == 0 || count > kMaxResourceNames || amount % session::IndexPool::kWhole != 0) continue;
        if (const auto at = named.find(name); at != named.end() && at->second.size() == count) {
            pieces.emplace(name, std::move(at->second));
        } else if (name == kGpus && gpus > 0 && count > gpus) {
            logWarning("engine", "resources.gpus says {}, and {} were found: they are counted, and not told apart",
                       count, gpus);
        } else if (name == kGpus) {
            if (gpus == 0)
                logWarning("engine", "resources.gpus says {}, and none was found: it is believed", count);
            std::vector<std::string>& numbers = pieces[name];
            for (std::size_t i = 0; i < count; ++i) numbers.push_back(std::to_string(i));
        }
    }
    return pieces;
}

} // namespace

Ground::Ground(Options given)
    : options(std::move(given))
    , machineName(options.name.empty() ? host::hostName() : options.name)
    , loop({.name = "engine"}) {}

Result<void> Ground::openDirectory() {
    auto opened = store::DataDirectory::open(options.dataDir);
    if (!opened) return std::unexpected(opened.error());
    directory.emplace(std::move(*opened));
    if (options.onOwned)
        if (auto fine = options.onOwned(); !fine) return fine;
    auto read = directory->token(options.tokenFile);
    if (!read) return std::unexpected(read.error());
    token = std::move(*read);
    runId = randomHex(kRunIdBytes);
    // Orphans of actions come to the launcher; when that dies they come to us.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    return {};
}

Result<void> Ground::readSettings() {
    if (auto read = settingsService.read(directory->settings(), options); !read) return read;
    capacity = settings.capacity > 0 ? static_cast<int>(settings.capacity)
                                     : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return {};
}

Result<void> Ground::planJoin() {
    if (!options.join) return {};
    auto planned = Guests::plan(directory->path(), *options.join);
    if (!planned) return std::unexpected(planned.error());
    join = std::move(*planned);
    return {};
}

Result<void> Ground::openStorage(const std::vector<std::string>& streams, store::StoreCallbacks callbacks) {
    auto files = store::ChunkFiles::open(directory->chunks(), isDurable(), settings.chunkGrace, streams);
    if (!files) return std::unexpected(files.error());
    chunkFiles = std::move(*files);
    store::StoreOptions with;
    with.path = directory->journal();
    if (isDurable()) with.durability = store::Durability::Power;
    auto opened = store::Store::open(with, *chunkFiles, std::move(callbacks));
    if (!opened) return std::unexpected(opened.error());
    store = std::move(*opened);
    return {};
}

void Ground::openHelpers() {
    sandboxing.emplace(!options.noSandbox);
    helpers.emplace(kHelpers);
    settingsService.useHelpers(*helpers);
}

Result<void> Ground::openHooks() {
    constexpr Duration kPluginOpens = std::chrono::seconds(5);
    const bool isGiven = !options.hooksDir.empty();
    auto folder = readHookFolder(isGiven ? options.hooksDir : directory->path() + "/hooks", isGiven);
    if (!folder) return std::unexpected(folder.error());
    hookFolder = *std::move(folder);
    for (const std::string& path : options.plugins) {
        auto plugin = Plugin::load(path, kPluginOpens);
        if (!plugin) return std::unexpected(plugin.error());
        // A library is in a process once: its calls would come from two threads.
        if (std::ranges::any_of(plugins, [&](const auto& other) { return other->name() == (*plugin)->name(); }))
            return invalid("plugin",
                           fmt::format("--plugin {}: a plugin of the name {} is loaded already; leave one out",
                                       path, (*plugin)->name()));
        plugins.push_back(*std::move(plugin));
    }
    return {};
}

Result<void> Ground::planResources() {
    auto plan = planSlots(capacity, options.slotCount, openFileLimit());
    if (!plan) return std::unexpected(plan.error());
    slotPlan = std::move(*plan);
    addHookSlots(slotPlan, hookFolder.files.size(), openFileLimit());
    if (options.join || options.takesYards) addGuestSlots(slotPlan, openFileLimit());
    for (const auto& source : options.runners) slotPlan.beside += static_cast<int>(source->cores());
    gpuReader.emplace();
    auto found = gpuReader->find(kGpuSearch);
    isGpuDriverSilent = !found;
    if (found)
        gpus = std::move(*found);
    else
        logWarning("engine", "the driver of the GPUs has not answered for {} s: this engine knows none of them",
                   std::chrono::duration_cast<std::chrono::seconds>(kGpuSearch).count());
    total = host::machineResources(capacity, gpus.size(), resourceSettings(settings, options));
    total.milliCores += std::int64_t{1000} * slotPlan.beside;
    pieces = piecesOf(settings, total, gpus.size());
    if (isGpuDriverSilent) pieces.erase(kGpus); // which there are is not known: nobody is told to use one
    for (const std::string& index : pieces.contains(kGpus) ? pieces[kGpus] : std::vector<std::string>()) {
        const auto at = std::ranges::find(gpus, index, &host::Gpu::index);
        gpuMemory.push_back(at == gpus.end() ? 0 : at->memoryBytes >> 20);
    }
    return {};
}

Result<void> Ground::startStorage() {
    store->start();
    auto opened = store::ChunkStore::open(*chunkFiles, *store);
    if (!opened) return std::unexpected(opened.error());
    chunks = std::move(*opened);
    auto started = store::ReaderThread::start(*store);
    if (!started) return std::unexpected(started.error());
    reader = std::move(*started);
    return {};
}

void Ground::close() {
    reader.reset();
    chunks.reset();
    gpuReader.reset();
    if (store) store->stop();
    store.reset();
    directory.reset();
}

} // namespace yard::engine
