#include "core/engine/running/progress.h"

#include "core/base/files.h"
#include "core/host/process_tree.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace yard::engine {

namespace {

constexpr std::size_t kStatFile = 4u << 10;
constexpr int kMostAncestors = 1'000;

} // namespace

std::unordered_map<int, std::int64_t> processorTimes(const std::vector<Leader>& leaders, const Adopter& adopter,
                                                     const std::string& root) {
    std::unordered_map<int, host::ProcessStat> processes;
    std::error_code error;
    for (std::filesystem::directory_iterator at(root + "proc", error), end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        int pid = 0;
        const auto [last, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (wrong != std::errc{} || last != name.data() + name.size()) continue;
        const auto text = readFile(at->path().string() + "/stat", kStatFile);
        if (!text) continue; // it has ended
        if (const auto process = host::parseStat(pid, *text)) processes.emplace(pid, *process);
    }
    std::unordered_map<int, std::int64_t> ticks;
    for (const Leader& leader : leaders)
        if (processes.contains(leader.pid)) ticks.emplace(leader.pid, 0);
    std::unordered_map<int, int> leaderOf;
    for (const auto& [leader, orphans] : orphansOf(leaders, adopter))
        for (const int pid : orphans) leaderOf.emplace(pid, leader);
    for (const auto& [pid, process] : processes) {
        if (const auto same = ticks.find(process.session); same != ticks.end()) {
            same->second += process.cpuTicks;
            continue;
        }
        int ancestor = pid;
        for (int i = 0; i < kMostAncestors && ancestor > 1; ++i) {
            const auto own = leaderOf.find(ancestor);
            if (const auto found = ticks.find(own == leaderOf.end() ? ancestor : own->second);
                found != ticks.end()) {
                found->second += process.cpuTicks;
                break;
            }
            const auto parent = processes.find(ancestor);
            ancestor = parent == processes.end() ? 0 : parent->second.parent;
        }
    }
    static const std::int64_t microsPerTick = 1'000'000 / std::max(1L, ::sysconf(_SC_CLK_TCK));
    for (auto& [leader, time] : ticks) time *= microsPerTick;
    return ticks;
}

} // namespace yard::engine
