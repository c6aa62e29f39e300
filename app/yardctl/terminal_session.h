// What a person does at their terminal while an action has one: keys and changes of size go to the engine. What the
// program prints comes by an OutputFollower.
//
// Two threads of its own from the first moment to the end: one reads keys, so that ~. is heard whatever the engine
// does; the other sends. Bound: kMostUnsent bytes of keys wait; then no more are read.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/escape_keys.h"
#include "app/yardctl/own_terminal.h"
#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace yard::ctl {

/// What a terminal has for a moment so that its program draws itself: it hears only of another size.
TerminalSize rowApart(TerminalSize size);

class TerminalSession {
public:
    struct What {
        std::int64_t lsn = 0;
        TerminalSize size;            ///< that the action's terminal has
        std::string seat{};           ///< which of those at the terminal this is
        std::function<void()> leave;  ///< ~. was typed; does not return
        std::function<void()> hungUp; ///< nobody is at the terminal any more
    };
    TerminalSession(OwnTerminal& terminal, std::unique_ptr<Engine> engine, What what);
    ~TerminalSession();
    TerminalSession(const TerminalSession&) = delete;
    TerminalSession& operator=(const TerminalSession&) = delete;

    /// Any thread: the size of the own terminal may be another one.
    void checkSize();
    /// Any thread: what the program had drawn is gone. It gets a size rowApart() first.
    void drawAgain();

private:
    static constexpr std::size_t kMostUnsent = 256u << 10;
    enum class Sent : unsigned char { Yes, Later, Lost };

    void readKeys();
    void takeTyped(std::string_view typed);
    void obey(EscapeCommand command);
    bool isFull();
    void send();
    Sent sendOne(const Call& call);
    Call keysCall(std::string keys) const;
    Call sizeCall(TerminalSize size) const;
    void tellLost();

    OwnTerminal& terminal_;
    std::unique_ptr<Engine> engine_; ///< the sending thread's; interrupt() from any
    const What what_;
    UniqueFd stop_;           ///< eventfd for the thread that reads
    EscapeKeys escape_;       ///< that thread's
    bool isToldLost_ = false; ///< the sending thread's
    ThreadMutex mutex_;
    ThreadCondition changed_;
    std::string unsent_ YARD_GUARDED_BY(mutex_);
    std::optional<TerminalSize> apart_ YARD_GUARDED_BY(mutex_); ///< goes before newSize_
    std::optional<TerminalSize> newSize_ YARD_GUARDED_BY(mutex_);
    TerminalSize size_ YARD_GUARDED_BY(mutex_);
    bool stopping_ YARD_GUARDED_BY(mutex_) = false;
    std::thread reader_;
    std::thread sender_;
};

} // namespace yard::ctl
