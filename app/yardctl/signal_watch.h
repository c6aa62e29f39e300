// INT, TERM, HUP and others as something to wait for. Blocks them in the thread that makes it and in every thread started
// later, so it is made in main's thread before any other; gives the old mask back at its end.
#pragma once

#include "core/base/unique_fd.h"

#include <chrono>
#include <csignal>
#include <optional>
#include <span>

namespace yard::ctl {

class SignalWatch {
public:
    /// `more`: others beside these three.
    explicit SignalWatch(std::span<const int> more = {});
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    /// Blocks until a signal comes (its number) or finish() was called (nothing).
    std::optional<int> next();
    /// Readable once next() has a signal; for poll(). Do not read it.
    int fd() const { return signals_.get(); }
    /// Whether next() has something within `limit`.
    bool isDue(std::chrono::milliseconds limit);
    /// Any thread.
    void finish();

private:
    sigset_t old_{};
    UniqueFd signals_;
    UniqueFd finished_;
};

/// Stops this process as Ctrl+Z would, though SIGTSTP is blocked. Returns when it goes on, or at once where no shell
/// could let it go on: there the system drops the signal.
void stopLikeCtrlZ();

} // namespace yard::ctl
