// The terminal at which yardctl was started: its size, and raw mode while an action has it. The modes it had before
// come back on every way out: leaveRaw(), the end of this object, and while the process is suspended. Those that the
// program has set by what it wrote are undone by the same, and set again when a suspended process goes on.
//
// Any thread may call; one of them at a time has it.
#pragma once

#include "app/yardctl/shown_modes.h"
#include "core/base/error.h"
#include "core/base/thread_mutex.h"
#include "core/model/terminal_size.h"

#include <string_view>
#include <termios.h>

namespace yard::ctl {

class OwnTerminal {
public:
    /// stdin and stdout are both one.
    static bool isThere();
    static TerminalSize size();

    OwnTerminal() = default;
    ~OwnTerminal() { leaveRaw(); }
    OwnTerminal(const OwnTerminal&) = delete;
    OwnTerminal& operator=(const OwnTerminal&) = delete;

    /// Keys come as they are typed, bytes are shown as they are written. In the background it stops the process, as
    /// each program that sets modes there.
    void enterRaw();
    void leaveRaw();
    /// Writes what the program wrote to stdout, and remembers the modes that it sets there.
    Result<void> show(std::string_view bytes);
    /// Stops this process as Ctrl+Z would, with the modes it had before. Returns when it goes on; what the program had
    /// drawn is gone then.
    void suspend();
    /// The process was stopped and goes on: whoever had the terminal meanwhile may have left other modes. Not before
    /// suspend() is through.
    void resumed();

private:
    void setRaw() YARD_REQUIRES(mutex_);
    static bool isInFront();

    ThreadMutex mutex_;
    termios before_ YARD_GUARDED_BY(mutex_){};
    bool isRaw_ YARD_GUARDED_BY(mutex_) = false;
    ShownModes modes_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::ctl
