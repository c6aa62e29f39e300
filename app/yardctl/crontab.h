// A person's crontab as values: which lines run something, and which cannot be taken. As crontab(5) has it; when a line
// is due is the engine's to read. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// By name. Entries share those that are in force for them.
using CrontabVariables = std::map<std::string, std::string>;

struct CrontabEntry {
    std::size_t line = 1;
    std::string when;                 ///< five fields with a space between them, or a word as "@daily"
    std::string command;              ///< for the shell, "%" resolved
    std::optional<std::string> input; ///< what it reads
    std::string timezone;             ///< of CRON_TZ; empty: none was named
    std::shared_ptr<const CrontabVariables> variables; ///< never null
};

/// What is to be said of a line.
struct CrontabNote {
    std::size_t line = 1;
    std::string text; ///< a sentence
};

struct Crontab {
    static constexpr std::size_t kMostBytes = 1u << 20;
    static constexpr std::size_t kMostVariables = 100;
    static constexpr std::size_t kMostEntries = 10'000;

    std::vector<CrontabEntry> entries;
    std::vector<CrontabNote> refused; ///< lines that cannot be taken, also those beyond a limit
    std::vector<CrontabNote> notes;   ///< lines that mean nothing here
};

Crontab parseCrontab(std::string_view text);

/// A name for a schedule that runs this command: that of its program, as far as names of schedules have its characters;
/// never one of `taken`.
std::string scheduleNameFor(std::string_view command, const std::set<std::string, std::less<>>& taken);

} // namespace yard::ctl
