// How schedules are shown. Reading tolerates what another engine leaves out. Pure but for what prints; one thread.
#pragma once

#include "app/yardctl/engine.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace yard::ctl {

/// "Sat 2026-11-28 03:00:00", local: for times to come, which timeWords() has no words for.
std::string dueWords(std::int64_t micros);
/// "0 3 * * 1-5 (Europe/Berlin)", "each 10 min", "once".
std::string dueRule(const json::object& schedule);
/// What it runs, in a line: "backup --all", "3 actions".
std::string scheduledWork(const json::object& schedule);
/// When it is next due, or why it is not.
std::string nextDue(const json::object& schedule);
/// The member "times", a line each.
void printDueTimes(const json::object& answer);
/// Prints a table; nothing for an empty list.
void printSchedules(const json::array& schedules);
/// Actions of a run, at most 1,000.
std::vector<std::int64_t> lsnsOfRun(const json::object& run);
/// Prints one, with its next times, its last runs, and the states of their actions as far as they are known.
void printSchedule(const json::object& schedule, const std::map<std::int64_t, std::string>& states);

} // namespace yard::ctl
