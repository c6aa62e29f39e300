#include "core/guests/guest_worker.h"

#include "core/model/limits.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace yard::guests {
namespace {

/// Its amounts count where the action says none. Beyond what the yard said they were held against nothing yet.
std::string beyondWhatWasSaid(const WorkerDescriptor& worker, const WorkerTerms& terms) {
    const Resources all = effectiveResources(*terms.spec, worker.resources);
    if (all.milliCores > terms.needs.milliCores || all.memoryMb > terms.needs.memoryMb)
        return "its worker needs more than the yard says";
    for (const auto& [name, amount] : all.named)
        if (amount > 0) return fmt::format("this machine gives guests no {}", plainLine(name, link::kMaxNameBytes));
    // The limit of its sandbox is the worker's own.
    if (worker.resources.memoryMb > terms.limits.memoryMb)
        return fmt::format(
            "its worker may take {} MB of memory, and this machine gives guests {} (guest_memory_mb)",
            worker.resources.memoryMb, terms.limits.memoryMb);
    return {};
}

std::string tooMuchToKeep(const WorkerDescriptor& worker, const GuestLimits& limits) {
    if (worker.files.size() > kMaxSentWorkerFiles)
        return fmt::format("its worker has more than {} files", kMaxSentWorkerFiles);
    std::uint64_t left = limits.storeBytes;
    for (const WorkerFile& file : worker.files) {
        if (file.size > left)
            return fmt::format(
                "the files of its worker take more than the {} MB that this machine keeps for guests "
                "(guest_store_mb)",
                limits.storeBytes >> 20);
        left -= file.size;
    }
    return {};
}

} // namespace

std::expected<std::shared_ptr<const WorkerDescriptor>, std::string> vetWorker(std::string_view text,
                                                                              const WorkerTerms& terms) {
    Result<ParsedWorker> parsed = parseWorker(text);
    if (!parsed)
        return std::unexpected(plainLine("its worker is not one that this machine reads: " + parsed.error().message,
                                         link::kMaxTextBytes));
    if (parsed->id != terms.id) return std::unexpected("the descriptor of its worker is not in its canonical form");
    const WorkerDescriptor& worker = *parsed->descriptor;
    if (worker.mode == WorkerMode::Warm) return std::unexpected("this machine keeps no warm processes for others");
    if (worker.platform != thisPlatform())
        return std::unexpected(
            fmt::format("its worker was built for {}, and this machine is {}", worker.platform, thisPlatform()));
    if (!worker.function(terms.spec->function)) return std::unexpected("its worker has no such function");
    if (std::string why = beyondWhatWasSaid(worker, terms); !why.empty()) return std::unexpected(std::move(why));
    if (std::string why = tooMuchToKeep(worker, terms.limits); !why.empty()) return std::unexpected(std::move(why));
    return std::move(parsed->descriptor);
}

std::vector<Hash256> filesOf(const WorkerDescriptor& worker) {
    std::vector<Hash256> files;
    files.reserve(worker.files.size());
    for (const WorkerFile& file : worker.files) files.push_back(file.hash);
    std::ranges::sort(files);
    const auto twice = std::ranges::unique(files);
    files.erase(twice.begin(), twice.end());
    return files;
}

} // namespace yard::guests
