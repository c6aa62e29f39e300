// What `run` says while its action does not start, or does not come to its end: why, and why else once that changes.
#pragma once

#include "app/yardctl/background_query.h"
#include "app/yardctl/engine.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace yard::ctl {

/// Which reasons are news. One thread.
class WaitNews {
public:
    /// Most actions start at once, and end with their streams: nothing is said of those.
    static constexpr std::chrono::milliseconds kFirst{800};
    static constexpr std::chrono::milliseconds kNext{10'000};

    /// `isToldHeld`: that the action itself is held was said.
    explicit WaitNews(bool isToldHeld);
    /// A sentence of the first reason in an answer of jobs/LSN/why; empty: there is none, or it was told, maybe with
    /// other numbers. `now` in microseconds.
    std::string sentence(std::int64_t lsn, const json::object& why, std::int64_t now);

private:
    std::string told_; ///< without its numbers
};

/// Asks for the reasons on a thread of its own until the end of its own, and writes what is news to stderr: while the
/// action has not started, after lookSoon(), and now and then in between.
class WaitTeller {
public:
    struct How {
        bool tellsAll = true; ///< else only of a journal that cannot be written: that is not just a matter of time
        bool json = false;
        bool isRaw = false; ///< stderr is a terminal in raw mode
        /// The action was cancelled, and cannot come to its end. On the thread of its own.
        std::function<void()> stuck = [] {};
    };
    /// `news` outlives it, and goes on to the next one.
    WaitTeller(std::unique_ptr<Engine> engine, std::int64_t lsn, WaitNews& news, How how);
    /// Any thread: it should have ended by now.
    void lookSoon();
    /// Any thread: it was cancelled.
    void expectEnd();
    WaitTeller(const WaitTeller&) = delete;
    WaitTeller& operator=(const WaitTeller&) = delete;

private:
    void tell();
    void look();
    std::chrono::milliseconds pause() const;
    bool isDisturbed() const { return isOverdue_ || isCancelled_; }

    const std::int64_t lsn_;
    WaitNews& news_;
    const How how_;
    std::atomic<bool> isOverdue_{false};
    std::atomic<bool> isCancelled_{false};
    BackgroundQuery query_; ///< the last member: its thread uses all others
};

} // namespace yard::ctl
