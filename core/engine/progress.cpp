#include "core/engine/progress.h"

#include "core/base/files.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace yard::engine {

namespace {

constexpr std::size_t kSmallFile = 4u << 10;
constexpr int kMostAncestors = 1'000;

struct Process {
    int parent = 0;
    int session = 0;
    std::int64_t ticks = 0;
};

/// /proc/N/stat: the name, in brackets, may hold anything; what follows the last bracket are numbers.
std::optional<Process> parseStat(std::string_view text) {
    const auto bracket = text.rfind(')');
    if (bracket == text.npos) return std::nullopt;
    text.remove_prefix(bracket + 1);
    constexpr int kParent = 1; // fields behind the name: state, ppid, pgrp, session, …
    constexpr int kSession = 3;
    constexpr int kFirstTime = 11; // utime, stime, cutime, cstime
    constexpr int kLastTime = 14;
    Process process;
    for (int field = 0; field <= kLastTime; ++field) {
        const auto begin = text.find_first_not_of(' ');
        if (begin == text.npos) return std::nullopt;
        text.remove_prefix(begin);
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(word.size());
        std::int64_t number = 0;
        (void)std::from_chars(word.data(), word.data() + word.size(), number);
        if (field == kParent) process.parent = static_cast<int>(number);
        if (field == kSession) process.session = static_cast<int>(number);
        if (field >= kFirstTime) process.ticks += number;
    }
    return process;
}

} // namespace

std::unordered_map<int, std::int64_t> processorTimes(const std::vector<int>& leaders, const std::string& root) {
    std::unordered_map<int, Process> processes;
    std::error_code error;
    for (std::filesystem::directory_iterator at(root + "proc", error), end; !error && at != end;
         at.increment(error)) {
        const std::string name = at->path().filename().string();
        int pid = 0;
        const auto [last, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (wrong != std::errc{} || last != name.data() + name.size()) continue;
        const auto text = readFile(at->path().string() + "/stat", kSmallFile);
        if (!text) continue; // it has ended
        if (const auto process = parseStat(*text)) processes.emplace(pid, *process);
    }
    std::unordered_map<int, std::int64_t> ticks;
    for (const int leader : leaders)
        if (processes.contains(leader)) ticks.emplace(leader, 0);
    for (const auto& [pid, process] : processes) {
        if (const auto same = ticks.find(process.session); same != ticks.end()) {
            same->second += process.ticks;
            continue;
        }
        int ancestor = pid;
        for (int i = 0; i < kMostAncestors && ancestor > 1; ++i) {
            if (const auto found = ticks.find(ancestor); found != ticks.end()) {
                found->second += process.ticks;
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
