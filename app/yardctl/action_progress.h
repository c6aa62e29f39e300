// How far an action says that it is: in words, and as a line on stderr that is drawn over while it goes on. One thread.
#pragma once

#include "app/yardctl/background_query.h"
#include "app/yardctl/engine.h"
#include "core/base/thread_mutex.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

/// 0 to 1, as the action says; nothing: it does not.
std::optional<double> fractionOf(const json::object& action);
/// Seconds until `jobs` of a queue have ended, as the engine expects it of those that it has. Nothing: it does not know.
std::optional<double> secondsLeft(const json::object& queue, double jobs, std::int64_t now);
/// "45 %, linking"; empty: it does not say.
std::string progressWords(const json::object& action);
/// "12  [#########           ]  45 %, linking, 12 s left"; without a fraction its state and its note. `now`: microseconds since
/// the epoch; `columns` it has at most.
std::string actionProgressLine(const json::object& action, std::int64_t now, std::size_t columns);

/// At a terminal alone: elsewhere it shows nothing.
class ActionProgress {
public:
    explicit ActionProgress(bool isWanted);
    bool isShown() const { return isShown_; }
    void show(const json::object& action);
    /// Takes the line away before something else is written to the terminal.
    void clear();

private:
    const bool isShown_;
    bool isDrawn_ = false;
};

/// The same of one action until the end of its own, beside what the action prints: on a thread of its own, which asks for it
/// twice a second while the action runs.
class ProgressBeside {
public:
    /// Of a terminal alone, as ActionProgress.
    ProgressBeside(std::unique_ptr<Engine> engine, std::int64_t lsn);
    ~ProgressBeside();
    ProgressBeside(const ProgressBeside&) = delete;
    ProgressBeside& operator=(const ProgressBeside&) = delete;
    /// Any thread: writes what the action printed with the line taken away. It comes back once a line is complete.
    Result<void> around(std::string_view bytes, const std::function<Result<void>()>& write);

private:
    void watch();
    void look();

    const std::int64_t lsn_;
    ThreadMutex mutex_;
    bool isLineOpen_ YARD_GUARDED_BY(mutex_) = false; ///< the cursor is in the middle of what the action printed
    ActionProgress line_ YARD_GUARDED_BY(mutex_){true};
    BackgroundQuery query_; ///< the last member: its thread uses all others
};

} // namespace yard::ctl
