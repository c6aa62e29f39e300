#include "core/engine/running/attempt_monitor.h"

#include "core/base/log.h"
#include "core/engine/running/gpu_environment.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

using runners::AttemptId;
using Phase = Attempt::Phase;

namespace {

constexpr Duration kFirstLook{2'000'000};
constexpr Duration kOftenest{5'000'000};
constexpr Duration kSeldomest{60'000'000};

bool runs(const Attempt& attempt) {
    return attempt.phase == Phase::Launched && attempt.pid != 0;
}

bool hasGpus(const Attempt& attempt) {
    return std::ranges::find(attempt.given, kGpus, &GivenResource::resource) != attempt.given.end();
}

Leader leaderOf(const Attempt& attempt) {
    return {.pid = attempt.pid,
            .lsn = attempt.id.lsn.value,
            .memoryLimit = attempt.memoryLimit,
            .namesMembers = hasGpus(attempt)};
}

} // namespace

std::optional<AttemptMonitor::Heavy> AttemptMonitor::furthestOver(const Trees& trees) const {
    constexpr std::int64_t kMiB = 1 << 20;
    std::optional<Heavy> found;
    std::int64_t most = 0;
    MonoTime since{};
    for (const auto& [id, attempt] : parts_.attempts) {
        if (!runs(attempt) || attempt.isBeingEnded()) continue;
        const auto tree = trees.find(attempt.pid);
        Heavy heavy{.id = id};
        if (tree != trees.end()) heavy.used = tree->second.memoryBytes();
        heavy.asked = parts_.dictionary.classKey(attempt.cls.value).resources.memoryMb * kMiB;
        const std::int64_t over = heavy.used - heavy.asked < kWorthStopping ? 0 : heavy.used - heavy.asked;
        if (found && std::pair(over, attempt.runningSince) <= std::pair(most, since)) continue;
        found = heavy;
        most = over;
        since = attempt.runningSince;
    }
    return found;
}

void AttemptMonitor::stopForMemory(AttemptId id, std::string note) {
    YARD_ASSERT_OWNER(owner_);
    Attempt* attempt = parts_.attempts.get(id);
    if (!attempt || !runs(*attempt) || attempt->isBeingEnded()) return;
    attempt->stoppedForMemory = std::move(note);
    parts_.end(*attempt, runners::StopCause::Machine, std::nullopt);
}

void AttemptMonitor::stopForGpu(std::string_view index, std::string_view why) {
    YARD_ASSERT_OWNER(owner_);
    for (auto& [id, attempt] : parts_.attempts) {
        const bool isOver = attempt.phase == Phase::Collecting || attempt.phase == Phase::Ended;
        if (isOver || attempt.isBeingEnded() || !wasGiven(attempt.given, kGpus, index)) continue;
        attempt.lostGpu = fmt::format("GPU {} was lost: {}", index, why);
        const bool isServed =
            attempt.warm && attempt.phase == Phase::Launched && attempt.runningSince != MonoTime{};
        if (runs(attempt) || isServed) parts_.end(attempt, runners::StopCause::Machine, std::nullopt);
    }
}

std::vector<Leader> AttemptMonitor::runningSince(MonoTime before) const {
    std::vector<Leader> leaders;
    for (const auto& [id, attempt] : parts_.attempts)
        if (runs(attempt) && attempt.runningSince <= before) leaders.push_back(leaderOf(attempt));
    return leaders;
}

std::vector<std::pair<Leader, std::int64_t>> AttemptMonitor::limited() const {
    std::vector<std::pair<Leader, std::int64_t>> all;
    for (const auto& [id, attempt] : parts_.attempts)
        if (attempt.memoryLimit > 0 && runs(attempt) && !attempt.isBeingEnded())
            all.emplace_back(leaderOf(attempt), attempt.memorySeen);
    return all;
}

void AttemptMonitor::noteMemory(const Trees& trees) {
    YARD_ASSERT_OWNER(owner_);
    for (auto& [id, attempt] : parts_.attempts)
        if (const auto tree = runs(attempt) ? trees.find(attempt.pid) : trees.end(); tree != trees.end())
            checkMemory(attempt, tree->second.memoryBytes());
}

void AttemptMonitor::checkMemory(Attempt& attempt, std::int64_t bytes) {
    attempt.memorySeen = bytes;
    if (attempt.memoryLimit <= 0 || bytes <= attempt.memoryLimit || attempt.isBeingEnded()) return;
    attempt.isOverMemory = true;
    parts_.end(attempt, runners::StopCause::Limit, Duration::zero());
}

void AttemptMonitor::noteOutput(Attempt& attempt, const runners::StreamAt& at, MonoTime now) {
    std::optional<std::uint64_t>& size = attempt.outputSizes[at.stream == runners::Stream::Out ? 0 : 1];
    // The first report is what was there when it began to be watched.
    if (size && at.size != *size) attempt.progress = now;
    size = at.size;
}

/// Output is only watched of what has had no processor time for a while: it costs a file each.
bool AttemptMonitor::getsOn(Attempt& attempt, std::int64_t time, MonoTime now, Duration limit) {
    if (attempt.processorTime != time) attempt.progress = now;
    attempt.processorTime = time;
    const Duration quiet = now - attempt.progress;
    if (quiet >= limit / 4 && !attempt.isSuspected) {
        attempt.isSuspected = true;
        for (const runners::Stream stream : {runners::Stream::Out, runners::Stream::Err})
            parts_.watch(attempt, stream);
    }
    return quiet < limit;
}

std::vector<Lsn> AttemptMonitor::noteProgress(const std::unordered_map<int, std::int64_t>& times, MonoTime now,
                                              Duration limit) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<Lsn> changed;
    for (auto& [id, attempt] : parts_.attempts) {
        const auto time = runs(attempt) && !attempt.frozenAt ? times.find(attempt.pid) : times.end();
        if (time == times.end()) continue;
        // Somebody may sit at a terminal and think.
        const bool hangs = !getsOn(attempt, time->second, now, limit) && !attempt.terminal;
        if (hangs == (attempt.hungSince != 0)) continue;
        attempt.hungSince = hangs ? attempt.scale.at(attempt.progress) : 0;
        changed.push_back(id.lsn);
        if (hangs)
            logWarning("engine", "action {} had no output and no processor time for {} s", id.lsn.value,
                       std::chrono::duration_cast<std::chrono::seconds>(now - attempt.progress).count());
        else
            logInfo("engine", "action {} gets on again", id.lsn.value);
    }
    return changed;
}

std::vector<Lsn> AttemptMonitor::forgetHung() {
    std::vector<Lsn> changed;
    for (auto& [id, attempt] : parts_.attempts)
        if (std::exchange(attempt.hungSince, 0) != 0) changed.push_back(id.lsn);
    return changed;
}

// --- what it uses

std::vector<UsageQuestion> AttemptMonitor::dueForUsage(MonoTime now, std::size_t most) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<Attempt*> due;
    const bool all = std::exchange(looksAtAll_, false);
    for (auto& [id, attempt] : parts_.attempts) {
        if (!runs(attempt)) continue;
        const bool isLookedAt = attempt.usage && attempt.usage->due == MonoTime::max();
        if (all && !isLookedAt)
            due.push_back(&attempt);
        else if (attempt.usage ? attempt.usage->due <= now : attempt.runningSince + kFirstLook <= now)
            due.push_back(&attempt);
    }
    const auto dueSince = [](const Attempt* attempt) {
        return attempt->usage ? attempt->usage->due : attempt->runningSince + kFirstLook;
    };
    if (due.size() > most) {
        std::ranges::nth_element(due, due.begin() + static_cast<std::ptrdiff_t>(most), {}, dueSince);
        due.resize(most);
    }
    std::vector<UsageQuestion> questions;
    questions.reserve(due.size());
    for (Attempt* attempt : due) {
        if (!attempt->usage) {
            attempt->usage = std::make_unique<AttemptUsage>();
            attempt->usage->interval = kOftenest;
            attempt->usage->at = attempt->runningSince;
            attempt->usage->series = UsageSeries(attempt->scale.at(attempt->runningSince));
        }
        attempt->usage->due = MonoTime::max();
        const bool hasLimits = attempt->outputLimits.bytes > 0 || attempt->outputLimits.files > 0;
        questions.push_back(
            {attempt->id, leaderOf(*attempt), hasLimits ? attempt->scratch : std::nullopt, attempt->outputLimits});
    }
    return questions;
}

void AttemptMonitor::noteUsage(const std::vector<UsageQuestion>& asked, const Trees& trees, MonoTime now) {
    const std::vector<GpuView> gpus = parts_.gpus ? parts_.gpus() : std::vector<GpuView>();
    for (const UsageQuestion& question : asked) {
        Attempt* attempt = parts_.attempts.get(question.id);
        const auto tree = trees.find(question.leader.pid);
        if (!attempt || !attempt->usage || !runs(*attempt) || tree == trees.end()) continue;
        AttemptUsage& usage = *attempt->usage;
        // A process that left the tree takes its time along: what is left does not use less than nothing.
        const std::int64_t used = std::max<std::int64_t>(tree->second.cpu - usage.cpu, 0);
        const auto span = std::max<Duration>(now - usage.at, Duration(1));
        const auto percent = 100 * static_cast<double>(used) / static_cast<double>(span.count());
        UsageSample sample{.t = attempt->scale.at(now),
                           .cpuPercent = static_cast<float>(percent),
                           .rssBytes = tree->second.rssBytes};
        if (question.leader.namesMembers) noteGpus(*attempt, tree->second, gpus, span, sample);
        usage.series.add(sample);
        usage.cpu = std::max(usage.cpu, tree->second.cpu);
        usage.cores = percent / 100;
        usage.at = now;
        checkMemory(*attempt, tree->second.memoryBytes());
        // Who has a GPU may be busy there alone.
        const bool isBusy = used > 0 || question.leader.namesMembers;
        usage.interval = isBusy ? kOftenest : std::min(usage.interval * 2, kSeldomest);
        usage.due = now + (isBusy ? kOftenest : usage.interval);
    }
}

namespace {

/// By the driver's list of processes, else by the accounts of what they have open. Nothing: neither tells.
std::optional<std::int64_t> memoryIn(const GpuView& view, const TreeReading& tree) {
    if (view.figures.processes) {
        std::int64_t used = 0;
        for (const host::GpuProcess& process : *view.figures.processes)
            if (std::ranges::find(tree.members, process.pid) != tree.members.end()) used += process.memoryBytes;
        return used;
    }
    if (!tree.gpus || view.gpu.maker == host::GpuMaker::Nvidia || view.gpu.pci.empty()) return std::nullopt;
    const auto use = tree.gpus->find(view.gpu.pci);
    return use == tree.gpus->end() ? 0 : use->second.memoryBytes;
}

/// How busy its processes kept it since the last look, where its driver has accounts of them.
std::optional<double> percentIn(const GpuView& view, const TreeReading& tree, const AttemptUsage& usage,
                                Duration span) {
    if (!tree.gpus) return std::nullopt;
    const auto use = tree.gpus->find(view.gpu.pci);
    if (use == tree.gpus->end()) return std::nullopt;
    const auto before = usage.gpus.find(view.gpu.pci);
    return host::gpuPercentBetween(before == usage.gpus.end() ? host::GpuUse{} : before->second, use->second, span);
}

} // namespace

void AttemptMonitor::noteGpus(Attempt& attempt, const TreeReading& tree, const std::vector<GpuView>& gpus,
                              Duration span, UsageSample& sample) {
    for (const GpuView& view : gpus) {
        if (!wasGiven(attempt.given, kGpus, view.gpu.index)) continue;
        std::optional<double> percent = percentIn(view, tree, *attempt.usage, span);
        const bool isOfNow = view.at >= attempt.runningSince; // else of who had it before
        if (!percent && isOfNow) percent = view.figures.utilisationPercent;
        if (percent) sample.gpuPercent = sample.gpuPercent.value_or(0) + static_cast<float>(*percent);
        if (!isOfNow && view.figures.processes) continue;
        const std::optional<std::int64_t> used = memoryIn(view, tree);
        if (!used) continue;
        sample.gpuMemoryBytes = sample.gpuMemoryBytes.value_or(0) + *used;
        checkGpuMemory(attempt, view.gpu.index, *used);
    }
    if (tree.gpus) attempt.usage->gpus = *tree.gpus;
}

void AttemptMonitor::checkGpuMemory(Attempt& attempt, const std::string& index, std::int64_t bytes) {
    const std::int64_t asked = parts_.dictionary.classKey(attempt.cls.value).resources.gpuMemoryMb;
    if (asked == 0 || bytes >> 20 <= asked || attempt.isBeingEnded()) return;
    attempt.overGpuMemory = fmt::format("its processes had {} MiB of GPU {}, and it asked for {}; it was ended",
                                        bytes >> 20, index, asked);
    parts_.end(attempt, runners::StopCause::Limit, Duration::zero());
}

void AttemptMonitor::endOverOutputs(const std::vector<runners::AttemptId>& ids) {
    for (const runners::AttemptId id : ids) {
        Attempt* attempt = parts_.attempts.get(id);
        if (!attempt || !runs(*attempt) || attempt->isBeingEnded()) continue;
        attempt->isOverOutputs = true;
        parts_.end(*attempt, runners::StopCause::Limit, Duration::zero());
    }
}

void AttemptMonitor::noteElsewhere(runners::AttemptId id, std::optional<std::uint64_t> percent,
                                   std::optional<std::uint64_t> bytes, MonoTime now) {
    constexpr Duration kOften{500'000};
    constexpr std::uint64_t kMostPercent = 1'000'000;
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;
    YARD_ASSERT_OWNER(owner_);
    Attempt* attempt = parts_.attempts.get(id);
    if (!attempt || attempt->phase != Phase::Launched || attempt->runningSince == MonoTime{}) return;
    if (!attempt->usage) {
        attempt->usage = std::make_unique<AttemptUsage>();
        attempt->usage->series = UsageSeries(attempt->scale.at(attempt->runningSince));
    }
    AttemptUsage& usage = *attempt->usage;
    if (percent) usage.cores = static_cast<double>(std::min(*percent, kMostPercent)) / 100;
    if (!bytes || now - usage.at < kOften) return;
    usage.at = now;
    usage.series.add({attempt->scale.at(now), static_cast<float>(usage.cores * 100),
                      static_cast<std::int64_t>(std::min(*bytes, kMostBytes))});
    checkMemory(*attempt, static_cast<std::int64_t>(std::min(*bytes, kMostBytes)));
}

std::int64_t AttemptMonitor::processorTimeOfRunning(MonoTime now) const {
    std::int64_t sum = 0;
    for (const auto& [id, attempt] : parts_.attempts) {
        if (!attempt.usage || !runs(attempt)) continue;
        const AttemptUsage& usage = *attempt.usage;
        const auto since = static_cast<double>(std::max<Duration>(now - usage.at, Duration::zero()).count());
        sum += usage.cpu + std::llround(usage.cores * since);
    }
    return sum;
}

std::size_t AttemptMonitor::hung() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(parts_.attempts, [](const auto& entry) { return entry.second.hungSince != 0; }));
}

} // namespace yard::engine
