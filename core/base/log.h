// The log: any thread may write, nobody waits for stderr. Lines go through a ring of 8,192 to a thread of its own;
// when the ring is full the line is dropped and counted, and the next line that fits says how many were lost.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace yard {

enum class LogLevel : unsigned char { Debug, Info, Warning, Error };

/// Sets the least level that is written. Thread-safe.
void setLogLevel(LogLevel level);
bool logEnabled(LogLevel level);
/// "debug", "info", "warning", "error"; false for another word.
bool parseLogLevel(std::string_view word, LogLevel& level);
/// Queues one line. `area` is the module ("store", "http"). Thread-safe, does not block.
void logLine(LogLevel level, std::string_view area, std::string message);
/// Writes out what is queued and stops the thread. At the end of main.
void flushLog();

template<class... Args>
void logDebug(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
    if (logEnabled(LogLevel::Debug))
        logLine(LogLevel::Debug, area, fmt::format(format, std::forward<Args>(args)...));
}
template<class... Args>
void logInfo(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
    if (logEnabled(LogLevel::Info)) logLine(LogLevel::Info, area, fmt::format(format, std::forward<Args>(args)...));
}
template<class... Args>
void logWarning(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
    if (logEnabled(LogLevel::Warning))
        logLine(LogLevel::Warning, area, fmt::format(format, std::forward<Args>(args)...));
}
template<class... Args>
void logError(std::string_view area, fmt::format_string<Args...> format, Args&&... args) {
    if (logEnabled(LogLevel::Error))
        logLine(LogLevel::Error, area, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace yard
