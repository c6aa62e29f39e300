#include "core/engine/running/usage_reading.h"

#include "core/base/disk_space.h"
#include "core/base/files.h"
#include "core/host/kernel_memory.h"
#include "core/host/process_tree.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::size_t kUsageFile = 256u << 10; // /proc/stat has a line of interrupts, long on large machines
constexpr std::size_t kMostOfTree = 1'000;
constexpr std::size_t kMostOpen = 4'096; ///< descriptors of a process
constexpr std::int64_t kKb = 1'024;

std::int64_t micros(std::int64_t ticks) {
    static const std::int64_t perTick = 1'000'000 / std::max(1L, ::sysconf(_SC_CLK_TCK));
    return ticks * perTick;
}

std::optional<std::int64_t> takeNumber(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<std::int64_t> numberAfter(std::string_view text, std::string_view key) {
    const auto at = text.find(key);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at + key.size());
    return takeNumber(text);
}

/// The first line of /proc/stat: user nice system idle iowait irq softirq; what follows is not of this machine, or
/// is part of the first two.
std::optional<std::int64_t> busyOf(std::string_view text) {
    constexpr std::string_view kKey = "cpu ";
    if (!text.starts_with(kKey)) return std::nullopt;
    text.remove_prefix(kKey.size());
    constexpr std::array<bool, 7> kBusy{true, true, true, false, false, true, true};
    std::int64_t ticks = 0;
    for (const bool counts : kBusy) {
        const auto number = takeNumber(text);
        if (!number) return std::nullopt;
        if (counts) ticks += *number;
    }
    return micros(ticks);
}

std::optional<host::ProcessStat> statOf(int pid, const std::string& root) {
    const auto text = readFile(fmt::format("{}proc/{}/stat", root, pid), kUsageFile);
    if (!text) return std::nullopt;
    return host::parseStat(pid, *text);
}

std::optional<std::int64_t> usedMemoryOf(std::string_view meminfo) {
    const auto total = numberAfter(meminfo, "MemTotal:");
    const auto available = numberAfter(meminfo, "MemAvailable:");
    if (!total || !available) return std::nullopt;
    return std::max<std::int64_t>(*total - *available, 0) * kKb;
}

/// What each has alone, and its part of what it shares with others.
std::optional<std::int64_t> proportionalBytes(const std::vector<int>& members) {
    std::int64_t sum = 0;
    for (const int pid : members) {
        const auto text = readFile(fmt::format("/proc/{}/smaps_rollup", pid), kUsageFile);
        if (!text && text.error().sysErrno != ENOENT && text.error().sysErrno != ESRCH) return std::nullopt;
        if (text) sum += numberAfter(*text, "\nPss:").value_or(0) * kKb;
    }
    return sum;
}

std::int64_t sizeOf(const std::string& path) {
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 ? static_cast<std::int64_t>(found.st_size) : 0;
}

} // namespace

std::optional<MachineReading> readMachine(int launcherPid, const std::string& journal, const std::string& root) {
    static const std::int64_t page = std::max(1L, ::sysconf(_SC_PAGESIZE));
    const auto stat = readFile(root + "proc/stat", kUsageFile);
    const auto memory = readFile(root + "proc/meminfo", kUsageFile);
    if (!stat || !memory) return std::nullopt;
    const auto busy = busyOf(*stat);
    const auto used = usedMemoryOf(*memory);
    if (!busy || !used) return std::nullopt;
    MachineReading reading;
    reading.busy = *busy;
    reading.memoryBytes = *used;
    if (const auto engine = statOf(::getpid(), root)) {
        reading.engine = micros(engine->cpuTicks - engine->childTicks);
        reading.engineRss = engine->rssPages * page;
    }
    if (launcherPid != 0)
        if (const auto launcher = statOf(launcherPid, root)) reading.ended = micros(launcher->childTicks);
    reading.journalBytes = sizeOf(journal) + sizeOf(journal + "-wal");
    if (const auto disk = diskSpace(journal)) {
        reading.diskBytes = disk->bytes;
        reading.diskFreeBytes = disk->free;
    }
    return reading;
}

std::optional<std::int64_t> readUsedMemory(const std::string& root) {
    const auto memory = readFile(root + "proc/meminfo", kUsageFile);
    return memory ? usedMemoryOf(*memory) : std::nullopt;
}

namespace {

/// `members`: the first process, and those that descend from it no more. Nothing: it is dead.
std::optional<TreeReading> readTree(std::vector<int> members, std::int64_t limit, bool namesMembers) {
    static const std::int64_t page = std::max(1L, ::sysconf(_SC_PAGESIZE));
    TreeReading tree;
    for (std::size_t at = 0; at < members.size() && at < kMostOfTree; ++at) {
        const auto process = host::readStat(members[at]);
        if (at == 0 && (!process || process->isDead())) return std::nullopt;
        if (!process) continue;
        tree.cpu += micros(process->cpuTicks);
        tree.rssBytes += process->rssPages * page;
        for (const int child : host::childrenOf(members[at])) members.push_back(child);
    }
    if (members.size() > kMostOfTree) members.resize(kMostOfTree);
    tree.processes = members.size();
    tree.outsideBytes = host::memoryOutsideProcesses(members.front(), members);
    if (limit > 0 && members.size() > 1 && tree.memoryBytes() > limit) tree.onceBytes = proportionalBytes(members);
    if (namesMembers) {
        tree.gpus = host::gpuUseOf(members);
        tree.members = std::move(members);
    }
    return tree;
}

} // namespace

std::unordered_map<int, TreeReading> readTrees(const std::vector<Leader>& leaders, const Adopter& adopter) {
    std::unordered_map<int, TreeReading> trees;
    const std::unordered_map<int, std::vector<int>> orphans = orphansOf(leaders, adopter);
    for (const auto& [leader, lsn, limit, namesMembers] : leaders) {
        std::vector<int> members{leader};
        if (const auto own = orphans.find(leader); own != orphans.end())
            members.insert(members.end(), own->second.begin(), own->second.end());
        auto tree = readTree(members, limit, namesMembers);
        // One that dies meanwhile counts twice: as it was, and what it had mapped as nobody's.
        if (tree && limit > 0 && tree->memoryBytes() > limit) tree = readTree(members, limit, namesMembers);
        if (tree) trees.emplace(leader, *tree);
    }
    return trees;
}

bool hasSocket(int leader, std::uint64_t inode) {
    const std::filesystem::path link = fmt::format("socket:[{}]", inode);
    std::vector<int> members{leader};
    for (std::size_t at = 0; at < members.size(); ++at) {
        if (at == kMostOfTree) return true;
        std::size_t open = 0;
        std::error_code error;
        for (std::filesystem::directory_iterator fd(fmt::format("/proc/{}/fd", members[at]), error), end;
             !error && fd != end; fd.increment(error), ++open) {
            std::error_code closed;
            if (open == kMostOpen || std::filesystem::read_symlink(fd->path(), closed) == link) return true;
        }
        if (error == std::errc::permission_denied) return true;
        for (const int child : host::childrenOf(members[at])) members.push_back(child);
    }
    return false;
}

} // namespace yard::engine
