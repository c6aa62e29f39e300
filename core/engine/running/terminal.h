// The engine's end of an action's terminal: what is typed goes in here, and the size. What the program prints is read
// by the launcher, from a copy of the same descriptor, as any other stdout.
//
// Owner: engine thread. Lifetime: shared by the attempt, which closes it when it has ended, and by the cooperative
// thread that hands over what the program has not taken yet. Bound: kMostUnread bytes wait for the program.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/coro/events.h"
#include "core/coro/task.h"
#include "core/model/terminal_size.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::coro {
class Loop;
}

namespace yard::engine {

/// Keys in one request.
inline constexpr std::size_t kMostKeys = 64u << 10;

class Terminal : public std::enable_shared_from_this<Terminal> {
public:
    static constexpr std::size_t kMostUnread = 256u << 10;

    /// A new one of this size. Does not block. Io: the system has none left.
    static Result<std::shared_ptr<Terminal>> open(coro::Loop& loop, TerminalSize size);
    Terminal(coro::Loop& loop, UniqueFd master)
        : loop_(loop)
        , master_(std::move(master)) {}

    /// A copy for the runner.
    Result<UniqueFd> copy() const;
    /// As if somebody typed it. Never blocks: what the program does not take now waits. Busy: too much waits.
    Result<void> type(std::string_view keys);
    /// The program gets SIGWINCH when it is another one than before.
    Result<void> resize(TerminalSize size);
    TerminalSize size() const { return size_; }
    /// Its last processes are gone: what nobody has read is dropped.
    void close();

private:
    /// Writes what can be written now. False: some is left.
    bool writeSome();
    static coro::Task<void> writeRest(std::shared_ptr<Terminal> terminal);

    coro::Loop& loop_;
    UniqueFd master_;
    TerminalSize size_;
    std::string unread_;
    std::optional<coro::FdWatch>
        watch_; ///< while some is left: else each output of the program would wake the loop
};

} // namespace yard::engine
