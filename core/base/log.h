// The log: any thread may write, nobody waits for stderr. Lines go through a ring of 8,192 to a thread of its own;
// when the ring is full the line is dropped and counted, and the next line that fits says how many were lost. The thread
// keeps the latest 1,000 lines for who asks later.
#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

enum class LogLevel : unsigned char { Debug, Info, Warning, Error };

/// Sets the least level that is written, of areas that have none of their own. Thread-safe.
void setLogLevel(LogLevel level);
LogLevel logLevel();
/// The areas of which the level can be set; lines of others follow the common one.
std::span<const std::string_view> logAreas();
/// Nothing: it follows the common one again. False: there is no such area. Thread-safe.
bool setAreaLogLevel(std::string_view area, std::optional<LogLevel> level);
/// Nothing: it follows the common one, or there is no such area.
std::optional<LogLevel> areaLogLevel(std::string_view area);
bool logEnabled(LogLevel level, std::string_view area);
std::string_view name(LogLevel level);
/// "debug", "info", "warning", "error"; false for another word.
bool parseLogLevel(std::string_view word, LogLevel& level);
/// Queues one line. `area` is the module ("store", "http"). Thread-safe, does not block.
void logLine(LogLevel level, std::string_view area, std::string message);
/// A line that was written.
struct LogRecord {
    std::uint64_t number = 0; ///< from 1, without gaps
    WallMicros time = 0;
    LogLevel level = LogLevel::Info;
    std::string text{}; ///< "area: message", with what could steer a terminal escaped; of a long line its begin
};
inline constexpr std::size_t kRecentLines = 1'000;
/// Those after a number, the oldest first, at most kRecentLines. Thread-safe; waits for a moment at most.
std::vector<LogRecord> recentLog(std::uint64_t after);
/// Writes out what is queued and stops the thread. At the end of main.
void flushLog();

template<class... Args>
void logDebug(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
    if (logEnabled(LogLevel::Debug, area))
        logLine(LogLevel::Debug, area, fmt::format(format, std::forward<Args>(args)...));
}
template<class... Args>
void logInfo(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
    if (logEnabled(LogLevel::Info, area))
        logLine(LogLevel::Info, area, fmt::format(format, std::forward<Args>(args)...));
}
template<class... Args>
void logWarning(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
    if (logEnabled(LogLevel::Warning, area))
        logLine(LogLevel::Warning, area, fmt::format(format, std::forward<Args>(args)...));
}
template<class... Args>
void logError(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
    if (logEnabled(LogLevel::Error, area))
        logLine(LogLevel::Error, area, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace yard
