// A bounded queue after Vyukov: each cell has a turn number that says whether it is free for writing or for
// reading, so a writer that is descheduled halfway holds up the reader at its cell, never another writer.
#include "core/base/log.h"

#include "core/base/clock.h"
#include "core/base/thread_mutex.h"
#include "core/base/thread_name.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <poll.h>
#include <thread>
#include <unistd.h>

namespace yard {

namespace {

constexpr std::size_t kRingLines = 8192;
constexpr std::size_t kMaxLineBytes = 4096;    ///< of the message; what is longer is cut and marked
constexpr std::size_t kRecentLineBytes = 1024; ///< of a line that is kept
constexpr std::size_t kMaxWrite = 4096;        ///< PIPE_BUF: what a writable pipe takes without blocking
constexpr Duration kFlushLimit = std::chrono::seconds(2);
constexpr int kPollMs = 50;

struct Line {
    WallMicros time = 0;
    std::uint64_t lostBefore = 0;
    LogLevel level = LogLevel::Info;
    std::string text; ///< "area: message"
};

class Ring {
public:
    Ring() {
        for (std::size_t i = 0; i < kRingLines; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
    }

    /// False when full; the line is then still the caller's.
    bool push(Line& line) {
        std::size_t at = tail_.load(std::memory_order_relaxed);
        for (;;) {
            Cell& cell = cells_[at % kRingLines];
            const std::size_t turn = cell.turn.load(std::memory_order_acquire);
            if (turn == at) {
                if (!tail_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) continue;
                cell.line = std::move(line);
                cell.turn.store(at + 1, std::memory_order_release);
                return true;
            }
            if (turn < at) return false;
            at = tail_.load(std::memory_order_relaxed);
        }
    }

    /// One reader at a time. False when empty.
    bool pop(Line& line) {
        Cell& cell = cells_[head_ % kRingLines];
        if (cell.turn.load(std::memory_order_acquire) != head_ + 1) return false;
        line = std::move(cell.line);
        cell.turn.store(head_ + kRingLines, std::memory_order_release);
        ++head_;
        return true;
    }

private:
    struct Cell {
        std::atomic<std::size_t> turn;
        Line line;
    };
    std::array<Cell, kRingLines> cells_;
    std::atomic<std::size_t> tail_{0};
    std::size_t head_ = 0; ///< the reader's
};

/// Not by libc: its conversions share the time zone with those of other threads, under a lock that the thread
/// sanitizer does not see.
void appendTime(std::string& out, WallMicros time) {
    const std::chrono::sys_time<std::chrono::microseconds> at{std::chrono::microseconds(time)};
    const auto midnight = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date(midnight);
    const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(at - midnight));
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z ",
                   static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                   static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(),
                   clock.seconds().count(), clock.subseconds().count());
}

/// Messages quote what strangers sent: a newline or an escape sequence in them must not forge a line or drive a
/// terminal.
void appendEscaped(std::string& out, std::string_view text) {
    const bool cut = text.size() > kMaxLineBytes;
    for (const char c : text.substr(0, kMaxLineBytes)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == '\n')
            out += "\\n";
        else if (byte < 0x20 || byte == 0x7f)
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        else
            out += c;
    }
    if (cut) fmt::format_to(std::back_inserter(out), "... ({} bytes more)", text.size() - kMaxLineBytes);
}

void appendLine(std::string& out, const Line& line) {
    appendTime(out, line.time);
    out += name(line.level);
    out += ' ';
    appendEscaped(out, line.text);
    out += '\n';
}

void appendLoss(std::string& out, WallMicros time, std::uint64_t count) {
    appendLine(out, {.time = time,
                     .lostBefore = 0,
                     .level = LogLevel::Warning,
                     .text = fmt::format("log: {} lines lost, whoever reads this log is too slow", count)});
}

/// The ring, the thread that empties it, and the way to end it. One per process, never destroyed: threads that
/// outlive main may still write a line.
class Log {
public:
    static Log& instance() {
        static Log* log = new Log;
        return *log;
    }

    void add(LogLevel level, std::string_view area, std::string&& message) {
        Line line{.time = wallNow(),
                  .lostBefore = lost_.exchange(0, std::memory_order_relaxed),
                  .level = level,
                  .text = std::move(message.insert(0, ": ").insert(0, area))};
        if (!ring_.push(line)) {
            lost_.fetch_add(line.lostBefore + 1, std::memory_order_relaxed);
            return;
        }
        work_.fetch_add(1, std::memory_order_release);
        work_.notify_one();
        if (!running_.load(std::memory_order_acquire)) start();
    }

    std::vector<LogRecord> recent(std::uint64_t after) {
        const ThreadLock lock(recentMutex_);
        const auto first = std::ranges::upper_bound(recent_, after, {}, &LogRecord::number);
        return {first, recent_.end()};
    }

    void flush() {
        const ThreadLock lock(threadMutex_);
        if (!running_.load(std::memory_order_relaxed)) return;
        stopping_.store(true, std::memory_order_release);
        work_.fetch_add(1, std::memory_order_release);
        work_.notify_one();
        writer_.join();
        stopping_.store(false, std::memory_order_relaxed);
        running_.store(false, std::memory_order_release);
    }

private:
    void start() {
        const ThreadLock lock(threadMutex_);
        if (running_.load(std::memory_order_relaxed)) return;
        giveUp_ = {};
        writer_ = std::thread([this] { writeUntilStopped(); });
        running_.store(true, std::memory_order_release);
    }

    void writeUntilStopped() {
        nameThisThread("log");
        for (;;) {
            const std::uint32_t seen = work_.load(std::memory_order_acquire);
            const bool stop = stopping_.load(std::memory_order_acquire);
            drain();
            if (stop) {
                if (const std::uint64_t n = lost_.exchange(0)) appendLoss(buffer_, wallNow(), n);
                writeBuffer();
                return;
            }
            work_.wait(seen, std::memory_order_acquire);
        }
    }

    void drain() {
        Line line;
        while (ring_.pop(line)) {
            if (line.lostBefore) appendLoss(buffer_, line.time, line.lostBefore);
            appendLine(buffer_, line);
            keep(line);
            if (buffer_.size() >= kMaxWrite) writeBuffer();
        }
        writeBuffer();
    }

    void keep(const Line& line) {
        LogRecord record{.number = 0, .time = line.time, .level = line.level, .text = {}};
        appendEscaped(record.text, std::string_view(line.text).substr(0, kRecentLineBytes));
        const ThreadLock lock(recentMutex_);
        record.number = ++kept_;
        if (recent_.size() == kRecentLines) recent_.pop_front();
        recent_.push_back(std::move(record));
    }

    /// Empties the buffer to stderr. Waits as long as nobody reads there, but not when the process wants to end.
    void writeBuffer() {
        std::string_view rest = buffer_;
        while (!rest.empty()) {
            pollfd ready{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
            if (::poll(&ready, 1, kPollMs) <= 0) {
                if (!stopping_.load(std::memory_order_acquire)) continue;
                if (giveUp_ == MonoTime{}) giveUp_ = MonoClock::now() + kFlushLimit;
                if (MonoClock::now() >= giveUp_) break;
                continue;
            }
            const ssize_t n = ::write(STDERR_FILENO, rest.data(), std::min(rest.size(), kMaxWrite));
            if (n > 0)
                rest.remove_prefix(static_cast<std::size_t>(n));
            else if (errno != EINTR && errno != EAGAIN)
                break; // closed or full: there is nowhere left to say so
        }
        buffer_.clear();
    }

    Ring ring_;
    std::atomic<std::uint64_t> lost_{0};
    std::atomic<std::uint32_t> work_{0}; ///< changes when there is something to do; the writer sleeps on it
    std::atomic<bool> stopping_{false};
    std::atomic<bool> running_{false};
    ThreadMutex threadMutex_; ///< starting and ending the thread
    std::thread writer_ YARD_GUARDED_BY(threadMutex_);
    ThreadMutex recentMutex_; ///< held for a copy of the lines at most
    std::deque<LogRecord> recent_ YARD_GUARDED_BY(recentMutex_);
    std::uint64_t kept_ YARD_GUARDED_BY(recentMutex_) = 0;
    std::string buffer_; ///< the writer's
    MonoTime giveUp_{};  ///< the writer's: when to stop waiting for a reader, once the process wants to end
};

constexpr std::array<std::string_view, 23> kLogAreas = {
    "alerts", "allocators", "cloud",   "console", "coro",  "courtesy", "engine", "guard",
    "guests", "hooks",      "http",    "janitor", "link",  "log",      "main",   "objects",
    "pool",   "retention",  "runners", "sandbox", "store", "tls",      "window"};

/// Of any thread: a reader may see a level that was changed just now, or the one before.
struct LogLevels {
    std::atomic<LogLevel> common{LogLevel::Info};
    std::array<std::atomic<std::uint8_t>, kLogAreas.size()> own{}; ///< a level and one; 0: the common one
    std::atomic<bool> hasOwn{false};
};
constinit LogLevels logLevels;

std::optional<std::size_t> areaIndex(std::string_view area) {
    const auto found = std::ranges::find(kLogAreas, area);
    if (found == kLogAreas.end()) return std::nullopt;
    return static_cast<std::size_t>(found - kLogAreas.begin());
}

} // namespace

std::string_view name(LogLevel level) {
    switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warning";
    case LogLevel::Error: break;
    }
    return "error";
}

void setLogLevel(LogLevel level) {
    logLevels.common.store(level, std::memory_order_relaxed);
}

LogLevel logLevel() {
    return logLevels.common.load(std::memory_order_relaxed);
}

std::span<const std::string_view> logAreas() {
    return kLogAreas;
}

bool setAreaLogLevel(std::string_view area, std::optional<LogLevel> level) {
    const auto index = areaIndex(area);
    if (!index) return false;
    const int value = level ? static_cast<int>(*level) + 1 : 0;
    logLevels.own[*index].store(static_cast<std::uint8_t>(value), std::memory_order_relaxed);
    // Once one was set each line below asks for its area; that is rare.
    if (level) logLevels.hasOwn.store(true, std::memory_order_relaxed);
    return true;
}

std::optional<LogLevel> areaLogLevel(std::string_view area) {
    const auto index = areaIndex(area);
    const std::uint8_t value = index ? logLevels.own[*index].load(std::memory_order_relaxed) : 0;
    if (value == 0) return std::nullopt;
    return static_cast<LogLevel>(value - 1);
}

bool logEnabled(LogLevel level, std::string_view area) {
    if (logLevels.hasOwn.load(std::memory_order_relaxed)) [[unlikely]]
        if (const auto own = areaLogLevel(area)) return level >= *own;
    return level >= logLevel();
}

bool parseLogLevel(std::string_view word, LogLevel& level) {
    for (const LogLevel each : {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error}) {
        if (word != name(each)) continue;
        level = each;
        return true;
    }
    return false;
}

void logLine(LogLevel level, std::string_view area, std::string message) {
    if (logEnabled(level, area)) Log::instance().add(level, area, std::move(message));
}

std::vector<LogRecord> recentLog(std::uint64_t after) {
    return Log::instance().recent(after);
}

void flushLog() {
    Log::instance().flush();
}

} // namespace yard
